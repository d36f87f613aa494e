"""An imitation of the search of Elasticsearch: `from`, `search_after` and scroll, which are sent with POST."""

import json
import re
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, urlsplit

from lists import List, rows

PACKAGES = []
SORTED = '{{"size": 100, "sort": [{{"number": "asc"}}]}}'
LISTS = [
    List("from", "/c{n}/_search", "hits.hits", "_source.id"),
    List("from, size=100", "/c{n}/_search?size=100", "hits.hits", "_source.id"),
    List("from, POST", "/c{n}/_search", "hits.hits", "_source.id", ("-d", '{{"size": 100}}')),
    List(
        "search_after",
        "/c{n}/_search",
        "hits.hits",
        "_source.id",
        ("-d", SORTED, "--pagination", "last:search_after,sort"),
    ),
    List(
        "scroll",
        "/c{n}/_search?scroll=1m&size=100",
        "hits.hits",
        "_source.id",
        ("--pagination", "elasticsearch-scroll"),
    ),
]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *arguments):
        pass

    def do_GET(self):
        url = urlsplit(self.path)
        query = {name: values[-1] for name, values in parse_qs(url.query).items()}
        length = int(self.headers.get("Content-Length") or 0)
        body = json.loads(self.rfile.read(length)) if length else {}
        unknown = set(query) - {"from", "size", "scroll", "sort"}
        unknown |= set(body) - {"from", "size", "sort", "query", "search_after", "scroll", "scroll_id"}
        if unknown:
            return self.reply(
                {"error": {"reason": f"unrecognized parameters: {sorted(unknown)}"}, "status": 400}, 400
            )
        if url.path == "/_search/scroll":
            count, start, size = map(int, body["scroll_id"].split("-"))
            return self.reply(
                self.page(count, start, size) | {"_scroll_id": f"{count}-{start + size}-{size}"}
            )
        match = re.fullmatch(r"/c(\d+)/_search", url.path)
        if not match:
            return self.reply({"error": {"reason": "no such index"}, "status": 404}, 404)
        count = int(match[1])
        size = int(body.get("size", query.get("size", 10)))
        start = int(body.get("from", query.get("from", 0)))
        if start + size > 10_000:
            return self.reply({"error": {"reason": "result window is too large"}, "status": 400}, 400)
        if "search_after" in body:
            start = int(body["search_after"][0])
        page = self.page(count, start, size, sort="sort" in body)
        if "scroll" in query:
            page["_scroll_id"] = f"{count}-{start + size}-{size}"
        self.reply(page)

    do_POST = do_GET

    @staticmethod
    def page(count, start, size, sort=False):
        hits = [
            {"_index": f"c{count}", "_id": str(row["id"]), "_score": None, "_source": row}
            | ({"sort": [row["id"]]} if sort else {})
            for row in rows(count)[start : start + size]
        ]
        return {
            "took": 1,
            "timed_out": False,
            "_shards": {"total": 1, "successful": 1, "skipped": 0, "failed": 0},
            "hits": {"total": {"value": count, "relation": "eq"}, "max_score": None, "hits": hits},
        }

    def reply(self, value, status=200):
        body = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def serve(port, folder):
    ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
