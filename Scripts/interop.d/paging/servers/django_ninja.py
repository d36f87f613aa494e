"""django-ninja: offset, page number and cursor."""

import django_project
from lists import List

PACKAGES = ["django-ninja>=1.5", "django", "waitress"]
LISTS = [
    List("offset", "/offset/{n}", "items", "number"),
    List("offset, limit=30", "/offset/{n}?limit=30", "items", "number"),
    List("page number", "/number/{n}", "items", "number"),
    List("page number, page_size=30", "/number/{n}?page_size=30", "items", "number"),
    List("cursor", "/cursor/{n}", "results", "number"),
    List("cursor, page_size=10", "/cursor/{n}?page_size=10", "results", "number"),
]


def serve(port, folder):
    Row = django_project.configure(folder)
    from django.urls import path
    from ninja import NinjaAPI, Schema
    from ninja.pagination import CursorPagination, LimitOffsetPagination, PageNumberPagination, paginate

    class Item(Schema):
        number: int
        name: str

    api = NinjaAPI()

    def get(request, n: int):
        return Row.objects.filter(list=n).order_by("number")

    for name, pagination in (
        ("offset", LimitOffsetPagination),
        ("number", PageNumberPagination),
        ("cursor", CursorPagination),
    ):
        options = {"ordering": ("number",)} if name == "cursor" else {}
        view = paginate(pagination, **options)(get)
        api.get(f"/{name}/{{n}}", response=list[Item], operation_id=name)(view)
    django_project.serve(port, [path("", api.urls)])
