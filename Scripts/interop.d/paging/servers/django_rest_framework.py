"""Django REST framework: page number, offset and cursor."""

import django_project
from lists import List

PACKAGES = ["djangorestframework>=3.16", "django", "waitress"]
LISTS = [List(style, f"/{style}/{{n}}", "results", "number") for style in ("number", "offset", "cursor")]


def serve(port, folder):
    Row = django_project.configure(folder, "rest_framework")
    from django.urls import path
    from rest_framework import pagination, serializers

    class Item(serializers.Serializer):
        number = serializers.IntegerField()
        name = serializers.CharField()

    paginators = {
        "number": type("Number", (pagination.PageNumberPagination,), {"page_size": 100}),
        "offset": type("Offset", (pagination.LimitOffsetPagination,), {"default_limit": 100}),
        "cursor": type("Cursor", (pagination.CursorPagination,), {"page_size": 100, "ordering": "number"}),
    }
    django_project.serve(port, [
        path(f"{name}/<int:n>", django_project.rest_view(Row, paginator, Item))
        for name, paginator in paginators.items()
    ])
