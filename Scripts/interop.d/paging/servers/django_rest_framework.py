"""Django REST framework: page number, offset and cursor."""

import django_project
from lists import List

PACKAGES = ["djangorestframework>=3.16", "django", "waitress"]
LISTS = [List(style, f"/{style}/{{n}}", "results", "number") for style in ("number", "offset", "cursor")]


def serve(port, folder):
    Row = django_project.configure(folder, "rest_framework")
    from django.urls import path
    from rest_framework import generics, pagination, renderers, serializers

    class Item(serializers.Serializer):
        number = serializers.IntegerField()
        name = serializers.CharField()

    class Number(pagination.PageNumberPagination):
        page_size = 100

    class Offset(pagination.LimitOffsetPagination):
        default_limit = 100

    class Cursor(pagination.CursorPagination):
        page_size = 100
        ordering = "number"

    def view(paginator):
        class View(generics.ListAPIView):
            serializer_class = Item
            pagination_class = paginator
            renderer_classes = [renderers.JSONRenderer]
            authentication_classes = []
            permission_classes = []

            def get_queryset(self):
                return Row.objects.filter(list=self.kwargs["n"]).order_by("number")

        return View.as_view()

    django_project.serve(
        port,
        [
            path("number/<int:n>", view(Number)),
            path("offset/<int:n>", view(Offset)),
            path("cursor/<int:n>", view(Cursor)),
        ],
    )
