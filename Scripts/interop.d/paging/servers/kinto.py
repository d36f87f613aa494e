"""Kinto: a `Next-Page` header with a token, and `Total-Count`. The lists require a password."""

import base64
import json
import urllib.request

from lists import SIZES, List

PACKAGES = ["kinto>=26"]
LISTS = [
    List("records", "/v1/buckets/tea/collections/c{n}/records", "data", "number", ("-u", "user:password")),
    List(
        "records, 30 per page",
        "/v1/buckets/tea/collections/c{n}/records?_limit=30&_sort=number",
        "data",
        "number",
        ("-u", "user:password"),
    ),
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
    def send(method, path, body):
        request = urllib.request.Request(f"{url}/v1{path}", json.dumps(body).encode(), method=method)
        request.add_header("Content-Type", "application/json")
        request.add_header("Authorization", "Basic " + base64.b64encode(b"user:password").decode())
        with urllib.request.urlopen(request) as response:
            return json.load(response)

    send("PUT", "/buckets/tea", {})
    for size in SIZES:
        collection = f"/buckets/tea/collections/c{size}"
        send("PUT", collection, {})
        requests = [
            {"method": "POST", "path": f"/v1{collection}/records", "body": {"data": {"number": number}}}
            for number in range(1, size + 1)
        ]
        if requests:
            for response in send("POST", "/batch", {"requests": requests})["responses"]:
                assert response["status"] == 201, response
