"""Django REST framework JSON:API: page number and offset."""

import django_project
from lists import List

PACKAGES = ["djangorestframework-jsonapi>=8", "django", "waitress"]
ACCEPT = ("-H", "Accept: application/vnd.api+json")
LISTS = [List(style, f"/{style}/{{n}}", "data", "attributes.number", ACCEPT) for style in ("number", "offset")]


def serve(port, folder):
    Row = django_project.configure(folder, "rest_framework", "rest_framework_json_api")
    from django.urls import path
    from rest_framework_json_api import pagination, renderers, serializers

    class Item(serializers.ModelSerializer):
        class Meta:
            model = Row
            fields = ["number", "name"]

    paginators = {
        "number": type("Number", (pagination.JsonApiPageNumberPagination,), {"page_size": 100}),
        "offset": type("Offset", (pagination.JsonApiLimitOffsetPagination,), {"default_limit": 100}),
    }
    members = {"renderer_classes": [renderers.JSONRenderer], "resource_name": "items"}
    django_project.serve(port, [
        path(f"{name}/<int:n>", django_project.rest_view(Row, paginator, Item, **members))
        for name, paginator in paginators.items()
    ])
