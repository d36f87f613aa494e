"""fastapi-pagination: all styles and customizations of the package."""

from lists import SIZES, List, rows, serve_asgi

PACKAGES = ["fastapi-pagination[sqlalchemy]>=0.16", "fastapi", "uvicorn"]
LISTS = [
    List(style, f"/{style}/{{n}}", "items") for style in ("page", "offset", "cursor", "links", "offset-links")
] + [
    List("cursor, 10 per page", "/cursor/{n}?size=10", "items"),
    List("page, aliases", "/alias/{n}", "data"),
    List("link header", "/header/{n}", "items"),
    List("offset, link header", "/offset-header/{n}", "items"),
    List("page, no total", "/uncounted/{n}", "items"),
    List("offset, no total", "/offset-uncounted/{n}", "items"),
    List("array, total in header", "/flat/{n}", "."),
]


def serve(port, folder):
    from fastapi import FastAPI
    from fastapi_pagination import LimitOffsetPage, Page, add_pagination, customization, links, paginate
    from fastapi_pagination.cursor import CursorPage
    from fastapi_pagination.ext.sqlalchemy import paginate as paginate_select
    from pydantic import BaseModel
    from sqlalchemy import create_engine, select
    from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column

    class Item(BaseModel):
        model_config = {"from_attributes": True}
        id: int
        name: str

    class Table(DeclarativeBase):
        pass

    class Row(Table):
        __tablename__ = "rows"
        key: Mapped[int] = mapped_column(primary_key=True)
        list: Mapped[int]
        id: Mapped[int]
        name: Mapped[str]

    database = create_engine(f"sqlite:///{folder}/rows.db")
    Table.metadata.create_all(database)
    with Session(database) as session:
        session.add_all(Row(list=size, **row) for size in SIZES for row in rows(size))
        session.commit()

    class FlatHeaders(customization.UseResponseHeaders):
        def __init__(self):
            super().__init__(lambda page: {"X-Total-Count": str(page.total)})

    def custom(page, name, *changes):
        return customization.CustomizedPage[(page, customization.UseName(name), *changes)]

    alias = customization.UseFieldsAliases(items="data", total="totalItems", pages="pageCount", size="perPage")
    uncounted = customization.UseIncludeTotal(False)
    pages = {
        "page": Page,
        "offset": LimitOffsetPage,
        "links": links.Page,
        "offset-links": links.LimitOffsetPage,
        "alias": custom(Page, "AliasPage", alias),
        "header": custom(Page, "HeaderPage", links.UseHeaderLinks()),
        "offset-header": custom(LimitOffsetPage, "OffsetHeaderPage", links.UseLimitOffsetHeaderLinks()),
        "uncounted": custom(Page, "UncountedPage", uncounted),
        "offset-uncounted": custom(LimitOffsetPage, "UncountedOffsetPage", uncounted),
        "flat": custom(Page, "FlatPage", FlatHeaders(), customization.UseFlattenPage("items")),
    }
    app = FastAPI()

    def get(n: int):
        return paginate(rows(n))

    for path, page in pages.items():
        app.get(f"/{path}/{{n}}", response_model=page[Item])(get)

    @app.get("/cursor/{n}", response_model=CursorPage[Item])
    def cursor(n: int):
        with Session(database) as session:
            return paginate_select(session, select(Row).where(Row.list == n).order_by(Row.id))

    add_pagination(app)
    serve_asgi(app, port)
