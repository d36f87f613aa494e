"""The Docker registry of Debian: a `Link` header with the last item."""

import os

from lists import List

PACKAGES = []
PROGRAMS = {"docker-registry": "docker-registry"}
LISTS = [
    List("catalog", "/v2/_catalog", "repositories", None, sizes=(230,), name="repository-{i:03}"),
    List("catalog, n=50", "/v2/_catalog?n=50", "repositories", None, sizes=(230,), name="repository-{i:03}"),
    List("catalog, n=115", "/v2/_catalog?n=115", "repositories", None, sizes=(230,), name="repository-{i:03}"),
    List("tags", "/v2/repository-001/tags/list", "tags", None, sizes=(230,), name="tag-{i:03}"),
]


def serve(port, folder):
    repositories = folder / "docker/registry/v2/repositories"
    digest = "0" * 64
    for number in range(1, 231):
        (repositories / f"repository-{number:03}" / "_layers").mkdir(parents=True)
        tag = repositories / "repository-001/_manifests/tags" / f"tag-{number:03}" / "current"
        tag.mkdir(parents=True)
        (tag / "link").write_text(f"sha256:{digest}")
    settings = folder / "registry.yml"
    settings.write_text(f"""
version: 0.1
log: {{level: error, accesslog: {{disabled: true}}}}
storage: {{filesystem: {{rootdirectory: {folder}}}}}
http: {{addr: 127.0.0.1:{port}}}
""")
    os.execvp("docker-registry", ["docker-registry", "serve", str(settings)])
