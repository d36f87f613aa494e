"""Eve with an imitation of MongoDB in memory: `_links.next`, or only `_meta` with the page and the total."""

from lists import SIZES, List, rows, serve_wsgi

PACKAGES = ["eve>=2.3", "mongomock>=4.3", "waitress"]
LISTS = [
    List("links", "/links/c{n}", "_items", "number"),
    List("links, max_results=50", "/links/c{n}?max_results=50", "_items", "number"),
    List("meta", "/meta/c{n}", "_items", "number"),
    List("no count", "/uncounted/c{n}", "_items", "number"),
]


def serve(port, folder):
    import eve
    import eve.io.mongo.flask_pymongo
    import mongomock
    from werkzeug.middleware.dispatcher import DispatcherMiddleware
    from werkzeug.wrappers import Response

    client = mongomock.MongoClient(tz_aware=True)
    eve.io.mongo.flask_pymongo.MongoClient = lambda **options: client
    for size in SIZES:
        if size:
            items = [{"number": row["id"], "name": row["name"]} for row in rows(size)]
            client["eve"][f"c{size}"].insert_many(items)

    def application(**options):
        schema = {"number": {"type": "integer"}, "name": {"type": "string"}}
        settings = {
            "DOMAIN": {f"c{size}": {"schema": schema} for size in SIZES},
            "RENDERERS": ["eve.render.JSONRenderer"],
        }
        return eve.Eve(settings=settings | {"MONGO_DBNAME": "eve"} | options)

    variants = {
        "/links": application(),
        "/meta": application(HATEOAS=False),
        "/uncounted": application(OPTIMIZE_PAGINATION_FOR_SPEED=True),
    }
    serve_wsgi(DispatcherMiddleware(Response("", 404), variants), port)
