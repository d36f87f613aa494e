"""scim2-server (RFC 7644 and RFC 9865): `startIndex` from 1, and a cursor."""

import json
import urllib.request

from lists import SIZES, List, rows

PACKAGES = ["scim2-server[cursor]>=0.8", "waitress"]
OPTIONS = ("-H", "Authorization: Bearer token")
LISTS = [
    List("index", "/index{n}/v2/Users", "Resources", "userName", OPTIONS, name="item {i}"),
    List("index, count=30", "/index{n}/v2/Users?count=30", "Resources", "userName", OPTIONS, name="item {i}"),
    List("cursor", "/cursor{n}/v2/Users", "Resources", "userName", OPTIONS, name="item {i}"),
    List(
        "cursor, requested",
        "/index{n}/v2/Users?cursor=&count=50",
        "Resources",
        "userName",
        OPTIONS,
        name="item {i}",
    ),
]


def serve(port, folder):
    from lists import serve_wsgi
    from scim2_models import ScimProvider, ServiceProviderConfig
    from scim2_server.applications.wsgi import TenantDispatcher
    from scim2_server.memory import InMemoryStorage
    from scim2_server.service import ScimService
    from scim2_server.testserver.application import BearerTokenApplication
    from scim2_server.utils import (
        load_default_resource_types,
        load_default_schemas,
        load_default_service_provider_config,
    )

    services = {}
    for method in ("index", "cursor"):
        configuration = load_default_service_provider_config().model_dump(by_alias=True, exclude_none=True)
        configuration["pagination"] = {
            "cursor": True,
            "index": True,
            "defaultPaginationMethod": method,
            "defaultPageSize": 100,
        }
        provider = ScimProvider.from_discovery(
            load_default_schemas().values(),
            load_default_resource_types().values(),
            config=ServiceProviderConfig.model_validate(configuration),
        )
        services[method] = (provider, ScimService(provider, secret="secret" * 8))

    def application(tenant):
        provider, service = services[tenant.rstrip("0123456789")]
        return BearerTokenApplication(InMemoryStorage(), provider, service=service, bearer_tokens=["token"])

    serve_wsgi(TenantDispatcher(application), port)


def fill(url):
    for method in ("index", "cursor"):
        for size in SIZES:
            operations = [
                {
                    "method": "POST",
                    "path": "/Users",
                    "bulkId": str(row["id"]),
                    "data": {
                        "schemas": ["urn:ietf:params:scim:schemas:core:2.0:User"],
                        "userName": row["name"],
                    },
                }
                for row in rows(size)
            ]
            body = {
                "schemas": ["urn:ietf:params:scim:api:messages:2.0:BulkRequest"],
                "Operations": operations,
            }
            request = urllib.request.Request(f"{url}/{method}{size}/v2/Bulk", json.dumps(body).encode())
            request.add_header("Content-Type", "application/scim+json")
            request.add_header("Authorization", "Bearer token")
            if operations:
                with urllib.request.urlopen(request) as response:
                    assert all(done["status"] == "201" for done in json.load(response)["Operations"])
