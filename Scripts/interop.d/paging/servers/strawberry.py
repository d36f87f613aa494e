"""Strawberry GraphQL: a Relay connection, requested with POST."""

from lists import List, rows, serve_asgi

PACKAGES = ["strawberry-graphql>=0.300", "uvicorn"]
QUERY = (
    "query($after: String) {{ items(n: {n}, first: 100, after: $after) "
    "{{ %s pageInfo {{ hasNextPage endCursor }} }} }}"
)
BODY = '{{"query": "' + QUERY % "edges {{ node {{ number }} }}" + '"}}'
LISTS = [List("edges", "/graphql", "data.items.edges", "node.number", ("-d", BODY))]


def serve(port, folder):
    import strawberry
    from strawberry import relay
    from strawberry.asgi import GraphQL

    @strawberry.type
    class Item(relay.Node):
        id: relay.NodeID[int]
        number: int

    @strawberry.type
    class Query:
        @relay.connection(relay.ListConnection[Item])
        def items(self, n: int) -> list[Item]:
            return [Item(id=row["id"], number=row["id"]) for row in rows(n)]

    serve_asgi(GraphQL(strawberry.Schema(Query)), port)
