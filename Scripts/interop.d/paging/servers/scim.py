"""scim2-server (RFC 7644 and RFC 9865): `startIndex` from 1, and a cursor."""

from lists import SIZES, List, rows, send, serve_wsgi

PACKAGES = ["scim2-server[cursor]>=0.8", "waitress"]
OPTIONS = ("-H", "Authorization: Bearer token")
LISTS = [
    List(style, path, "Resources", "userName", OPTIONS, name="item {i}")
    for style, path in (
        ("index", "/index{n}/v2/Users"),
        ("index, count=30", "/index{n}/v2/Users?count=30"),
        ("cursor", "/cursor{n}/v2/Users"),
        ("cursor, requested", "/index{n}/v2/Users?cursor=&count=50"),
    )
]


def serve(port, folder):
    from scim2_models import ScimProvider, ServiceProviderConfig
    from scim2_server import utils
    from scim2_server.applications.wsgi import TenantDispatcher
    from scim2_server.memory import InMemoryStorage
    from scim2_server.service import ScimService
    from scim2_server.testserver.application import BearerTokenApplication

    services = {}
    for method in ("index", "cursor"):
        configuration = utils.load_default_service_provider_config().model_dump(by_alias=True, exclude_none=True)
        configuration["pagination"] = {
            "cursor": True, "index": True, "defaultPaginationMethod": method, "defaultPageSize": 100}
        provider = ScimProvider.from_discovery(
            utils.load_default_schemas().values(),
            utils.load_default_resource_types().values(),
            config=ServiceProviderConfig.model_validate(configuration),
        )
        services[method] = (provider, ScimService(provider, secret="secret" * 8))

    def application(tenant):
        provider, service = services[tenant.rstrip("0123456789")]
        return BearerTokenApplication(InMemoryStorage(), provider, service=service, bearer_tokens=["token"])

    serve_wsgi(TenantDispatcher(application), port)


def fill(url):
    schema = "urn:ietf:params:scim:schemas:core:2.0:User"
    fields = {"Content-Type": "application/scim+json", "Authorization": "Bearer token"}
    for method in ("index", "cursor"):
        for size in SIZES:
            operations = [
                {"method": "POST", "path": "/Users", "bulkId": str(row["id"]),
                 "data": {"schemas": [schema], "userName": row["name"]}}
                for row in rows(size)
            ]
            body = {"schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"], "Operations": operations}
            if operations:
                done = send(f"{url}/{method}{size}/v2/Bulk", body, fields)["Operations"]
                assert all(operation["status"] == "201" for operation in done)
