"""A Django project with one table and the URL patterns of its caller."""

from lists import SIZES, rows, serve_wsgi


def configure(folder, *applications):
    """Sets up Django, and returns the model, whose rows have the members `list`, `id` and `name`."""
    import django
    from django.conf import settings

    settings.configure(
        ALLOWED_HOSTS=["*"],
        DATABASES={"default": {"ENGINE": "django.db.backends.sqlite3", "NAME": folder / "rows.db"}},
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        INSTALLED_APPS=["django.contrib.contenttypes", "django.contrib.auth", *applications],
        ROOT_URLCONF=__name__,
        SECRET_KEY="secret",
        USE_TZ=True,
    )
    django.setup()
    from django.db import connection, models

    class Row(models.Model):
        list = models.IntegerField()
        number = models.IntegerField()
        name = models.TextField()

        class Meta:
            app_label = "rows"

    with connection.schema_editor() as editor:
        editor.create_model(Row)
    Row.objects.bulk_create(
        Row(list=size, number=row["id"], name=row["name"]) for size in SIZES for row in rows(size)
    )
    return Row


def rest_view(Row, paginator, serializer, **members):
    """Returns a view of Django REST framework that lists the rows of one list."""
    from rest_framework import generics, renderers

    class View(generics.ListAPIView):
        serializer_class = serializer
        pagination_class = paginator
        renderer_classes = [renderers.JSONRenderer]
        authentication_classes = []
        permission_classes = []

        def get_queryset(self):
            return Row.objects.filter(list=self.kwargs["n"]).order_by("number")

    return type("View", (View,), members).as_view()


urlpatterns = []


def serve(port, patterns):
    from django.core.wsgi import get_wsgi_application

    urlpatterns.extend(patterns)
    serve_wsgi(get_wsgi_application(), port)
