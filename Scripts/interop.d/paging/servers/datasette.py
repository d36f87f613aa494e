"""Datasette: `next_url` in the body, and a `Link` header for bare arrays."""

import sqlite3

from lists import SIZES, List, rows

PACKAGES = ["datasette>=0.65"]
LISTS = [
    List("next_url", "/rows/c{n}.json?_shape=objects", "rows"),
    List("array with link header", "/rows/c{n}.json?_shape=array", "."),
    List("view, next_url", "/rows/v{n}.json?_shape=objects&_size=30", "rows"),
]


def serve(port, folder):
    from datasette.cli import cli

    file = folder / "rows.db"
    with sqlite3.connect(file) as database:
        for size in SIZES:
            database.execute(f"create table c{size} (id integer primary key, name text)")
            database.executemany(f"insert into c{size} values (:id, :name)", rows(size))
            database.execute(f"create view v{size} as select * from c{size}")
    cli(["serve", str(file), "--port", str(port)])
