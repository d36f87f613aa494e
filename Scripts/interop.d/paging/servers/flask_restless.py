"""Flask-Restless-NG: JSON:API with `links.next` and `meta.total`."""

from lists import SIZES, List, rows, serve_wsgi

PACKAGES = ["flask-restless-ng>=3.3", "waitress"]
ACCEPT = ("-H", "Accept: application/vnd.api+json")
LISTS = [
    List("links", "/api/c{n}", "data", options=ACCEPT),
    List("links, 100 per page", "/api/c{n}?page[size]=100", "data", options=ACCEPT),
]


def serve(port, folder):
    from flask import Flask
    from flask_restless import APIManager
    from sqlalchemy import Integer, Text, create_engine
    from sqlalchemy.orm import declarative_base, mapped_column, scoped_session, sessionmaker

    database = create_engine(f"sqlite:///{folder}/rows.db")
    session = scoped_session(sessionmaker(bind=database))
    Table = declarative_base()
    models = [
        type(f"C{size}", (Table,), {
            "__tablename__": f"c{size}",
            "id": mapped_column(Integer, primary_key=True),
            "name": mapped_column(Text),
        })
        for size in SIZES
    ]
    Table.metadata.create_all(database)
    for size, model in zip(SIZES, models):
        session.add_all(model(**row) for row in rows(size))
    session.commit()
    app = Flask("items")
    with app.app_context():
        manager = APIManager(app, session=session)
        for model in models:
            manager.create_api(model, methods=["GET"], collection_name=model.__tablename__)
    serve_wsgi(app, port)
