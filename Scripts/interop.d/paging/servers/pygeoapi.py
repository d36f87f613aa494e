"""pygeoapi: a `next` link in an array, with `numberMatched`."""

import json
import os

from lists import SIZES, List, rows, serve_wsgi

PACKAGES = ["pygeoapi>=0.21", "waitress"]
# Its GeoJSON provider fails with status 500 if there are no features.
LISTS = [
    List(style, f"/collections/c{{n}}/items?{query}", "features", "properties.number", sizes=SIZES[1:])
    for style, query in (("features", "f=json"), ("features, limit=100", "f=json&limit=100"))
]


def serve(port, folder):
    import yaml

    resources = {}
    for size in SIZES:
        file = folder / f"c{size}.geojson"
        features = [
            {"type": "Feature", "id": row["id"], "properties": {"number": row["id"]},
             "geometry": {"type": "Point", "coordinates": [row["id"] / 10, 0]}}
            for row in rows(size)
        ]
        file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
        resources[f"c{size}"] = {
            "type": "collection",
            "title": f"c{size}",
            "description": "items",
            "keywords": ["items"],
            "links": [],
            "extents": {"spatial": {"bbox": [-180, -90, 180, 90]}},
            "providers": [{"type": "feature", "name": "GeoJSON", "data": str(file), "id_field": "id"}],
        }
    configuration = {
        "server": {
            "bind": {"host": "127.0.0.1", "port": port},
            "url": f"http://127.0.0.1:{port}",
            "encoding": "utf-8",
            "language": "en-US",
            "limits": {"default_items": 50, "max_items": 1000},
            "map": {"url": "http://127.0.0.1/", "attribution": "none"},
        },
        "logging": {"level": "ERROR"},
        "metadata": {
            "identification": {
                "title": "items", "description": "items", "keywords": ["items"], "url": "http://127.0.0.1/"},
            "license": {"name": "none"},
            "provider": {"name": "items"},
        },
        "resources": resources,
    }
    settings = folder / "pygeoapi.yml"
    settings.write_text(yaml.safe_dump(configuration))
    description = folder / "openapi.yml"
    interface = {"openapi": "3.0.2", "info": {"title": "items", "version": "1"}, "paths": {}}
    description.write_text(yaml.safe_dump(interface))
    os.environ["PYGEOAPI_CONFIG"] = str(settings)
    os.environ["PYGEOAPI_OPENAPI"] = str(description)
    from pygeoapi.flask_app import APP

    serve_wsgi(APP, port)
