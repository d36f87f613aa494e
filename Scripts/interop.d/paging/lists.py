"""The lists that a server of this directory serves."""

import json
import urllib.request
from dataclasses import dataclass

# Empty, one item, one and two full pages of the usual size, and a partial last page.
SIZES = (0, 1, 100, 200, 230)


@dataclass(frozen=True)
class List:
    """A list in one of the pagination styles of a server."""

    style: str
    path: str  # with {n} for the number of items
    at: str
    field: str | None = "id"  # the member that contains the number of an item; None: the item itself
    options: tuple[str, ...] = ()  # other options of `items`, with {n} for the number of items
    sizes: tuple[int, ...] = SIZES
    name: str = "{i}"  # the text of the member for item i


def rows(count):
    """Returns the items of a list, numbered from 1."""
    return [{"id": number, "name": f"item {number}"} for number in range(1, count + 1)]


def serve_wsgi(application, port):
    from waitress import serve

    serve(application, host="127.0.0.1", port=port, threads=4)


def serve_asgi(application, port):
    import uvicorn

    uvicorn.run(application, host="127.0.0.1", port=port, log_level="warning")


def send(url, body, fields, method="POST"):
    """Sends JSON to a server, and returns its response."""
    request = urllib.request.Request(url, json.dumps(body).encode(), {"Content-Type": "application/json"} | fields)
    request.method = method
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read() or "null")
