"""Runs one server of the directory `servers` in the foreground.

Usage: serve.py NAME PORT FOLDER      FOLDER is an empty directory for the server's files
"""

import importlib
import pathlib
import sys

name, port, folder = sys.argv[1:]
importlib.import_module(f"servers.{name}").serve(int(port), pathlib.Path(folder))
