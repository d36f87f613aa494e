"""Tastypie: an offset, with `meta.next` relative to the host."""

import django_project
from lists import List

PACKAGES = ["django-tastypie>=0.15.1", "django", "waitress"]
LISTS = [
    List("offset", "/v1/row/?list={n}", "objects", "number"),
    List("offset, limit=100", "/v1/row/?list={n}&limit=100", "objects", "number"),
]


def serve(port, folder):
    Row = django_project.configure(folder, "tastypie")
    from django.urls import include, path
    from tastypie.api import Api
    from tastypie.resources import ModelResource

    class RowResource(ModelResource):
        class Meta:
            queryset = Row.objects.order_by("number")
            resource_name = "row"
            filtering = {"list": ["exact"]}
            allowed_methods = ["get"]

    api = Api(api_name="v1")
    api.register(RowResource())
    django_project.serve(port, [path("", include(api.urls))])
