"""Kinto: a `Next-Page` header with a token, and `Total-Count`. The lists require a password."""

import base64

from lists import SIZES, List, send

PACKAGES = ["kinto>=26"]
PATH = "/v1/buckets/tea/collections/c{n}/records"
PASSWORD = ("-u", "user:password")
LISTS = [
    List("records", PATH, "data", "number", PASSWORD),
    List("records, 30 per page", f"{PATH}?_limit=30&_sort=number", "data", "number", PASSWORD),
]


def serve(port, folder):
    from kinto.__main__ import main

    settings = folder / "kinto.ini"
    settings.write_text(f"""
[app:main]
use = egg:kinto
kinto.storage_backend = kinto.core.storage.memory
kinto.permission_backend = kinto.core.permission.memory
kinto.paginate_by = 100
kinto.batch_max_requests = 300
kinto.bucket_create_principals = system.Authenticated
kinto.userid_hmac_secret = secret
multiauth.policies = basicauth
[server:main]
use = egg:waitress#main
listen = 127.0.0.1:{port}
[loggers]
keys = root
[handlers]
keys = console
[formatters]
keys =
[logger_root]
level = ERROR
handlers = console
[handler_console]
class = StreamHandler
args = (sys.stderr,)
""")
    main(["start", "--ini", str(settings)])


def fill(url):
    fields = {"Authorization": "Basic " + base64.b64encode(b"user:password").decode()}
    send(f"{url}/v1/buckets/tea", {}, fields, "PUT")
    for size in SIZES:
        collection = f"/buckets/tea/collections/c{size}"
        send(f"{url}/v1{collection}", {}, fields, "PUT")
        requests = [
            {"method": "POST", "path": f"/v1{collection}/records", "body": {"data": {"number": number}}}
            for number in range(1, size + 1)
        ]
        if requests:
            for response in send(f"{url}/v1/batch", {"requests": requests}, fields)["responses"]:
                assert response["status"] == 201, response
