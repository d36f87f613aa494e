"""flask-smorest: a bare array with an `X-Pagination` header, whose value is JSON."""

from lists import List, rows, serve_wsgi

PACKAGES = ["flask-smorest>=0.46", "waitress"]
LISTS = [List("header", "/items/{n}", "."), List("header, page_size=100", "/items/{n}?page_size=100", ".")]


def serve(port, folder):
    from flask import Flask
    from flask_smorest import Api, Blueprint, Page

    class ListPage(Page):
        @property
        def item_count(self):
            return len(self.collection)

    app = Flask("items")
    app.config |= {"API_TITLE": "items", "API_VERSION": "1", "OPENAPI_VERSION": "3.0.2"}
    blueprint = Blueprint("items", "items")

    @blueprint.route("/items/<int:n>")
    @blueprint.response(200)
    @blueprint.paginate(ListPage)
    def items(n):
        return rows(n)

    Api(app).register_blueprint(blueprint)
    serve_wsgi(app, port)
