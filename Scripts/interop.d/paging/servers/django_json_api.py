"""Django REST framework JSON:API: page number and offset."""

import django_project
from lists import List

PACKAGES = ["djangorestframework-jsonapi>=8", "django", "waitress"]
ACCEPT = ("-H", "Accept: application/vnd.api+json")
LISTS = [
    List(style, f"/{style}/{{n}}", "data", "attributes.number", ACCEPT) for style in ("number", "offset")
]


def serve(port, folder):
    Row = django_project.configure(folder, "rest_framework", "rest_framework_json_api")
    from django.urls import path
    from rest_framework import generics
    from rest_framework_json_api import pagination, renderers, serializers

    class Item(serializers.ModelSerializer):
        class Meta:
            model = Row
            fields = ["number", "name"]

    def view(paginator):
        class View(generics.ListAPIView):
            serializer_class = Item
            pagination_class = paginator
            renderer_classes = [renderers.JSONRenderer]
            authentication_classes = []
            permission_classes = []
            resource_name = "items"

            def get_queryset(self):
                return Row.objects.filter(list=self.kwargs["n"]).order_by("number")

        return View.as_view()

    class Number(pagination.JsonApiPageNumberPagination):
        page_size = 100

    class Offset(pagination.JsonApiLimitOffsetPagination):
        default_limit = 100

    django_project.serve(port, [path("number/<int:n>", view(Number)), path("offset/<int:n>", view(Offset))])
