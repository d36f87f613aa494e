"""Litestar: page number, offset and cursor."""

from lists import List, rows, serve_asgi

PACKAGES = ["litestar>=2.20", "uvicorn"]
LISTS = [
    List("page number", "/number/{n}", "items"),
    List("offset", "/offset/{n}", "items"),
    List("cursor", "/cursor/{n}", "items"),
]


def serve(port, folder):
    from litestar import Litestar, get
    from litestar.pagination import ClassicPagination, CursorPagination, OffsetPagination

    @get("/number/{n:int}", sync_to_thread=False)
    def number(n: int, current_page: int = 1, page_size: int = 100) -> ClassicPagination[dict]:
        start = (current_page - 1) * page_size
        items, total = rows(n)[start : start + page_size], -(-n // page_size)
        return ClassicPagination(items=items, page_size=page_size, current_page=current_page, total_pages=total)

    @get("/offset/{n:int}", sync_to_thread=False)
    def offset(n: int, offset: int = 0, limit: int = 100) -> OffsetPagination[dict]:
        return OffsetPagination(items=rows(n)[offset : offset + limit], limit=limit, offset=offset, total=n)

    @get("/cursor/{n:int}", sync_to_thread=False)
    def cursor(n: int, cursor: int | None = None, results_per_page: int = 100) -> CursorPagination[int, dict]:
        start = cursor or 0
        items = rows(n)[start : start + results_per_page]
        following = start + len(items)
        cursor = following if following < n else None
        return CursorPagination(items=items, results_per_page=results_per_page, cursor=cursor)

    serve_asgi(Litestar([number, offset, cursor]), port)
