"""The top-level Markdown documents as an archive of DocC, which is used as the parser."""
import collections
import json
import os
import pathlib
import re
import subprocess

FENCE = re.compile(r"(^ *```.*?^ *```|`[^`\n]+`)", re.DOTALL | re.MULTILINE)
PICTURE = re.compile(r"<picture>.*?</picture>|<img [^>]*>", re.DOTALL)


class Documents:
    """The documents of a repository. `files` maps a path, such as `README.md`, to the name of its page."""

    def __init__(self, root, files, docc, work):
        self.root, self.files = root, files
        # DocC keeps one title for each address of a link, so each link gets an address of its own.
        self.targets = []
        # The pictures that the documents show, by their file names.
        self.pictures = {}
        catalog = work / "Site.docc"
        catalog.mkdir(parents=True)
        for path, name in files.items():
            (catalog / f"{name}.md").write_text(self.prepared(path, (root / path).read_text()))
        for name, file in self.pictures.items():
            (catalog / name).write_bytes(file.read_bytes())
        archive = work / "Site.doccarchive"
        done = subprocess.run(
            [docc, "convert", catalog, "--fallback-display-name", "Site", "--fallback-bundle-identifier", "Site",
             "--output-path", archive], capture_output=True, text=True, check=False)
        if done.returncode != 0:
            raise SystemExit(done.stderr)
        folder = archive / "data/documentation/site"
        self.pages = {path: json.loads((folder / f"{name.lower()}.json").read_text()) for path, name in files.items()}
        for page in self.pages.values():
            self.number_anchors(page.get("primaryContentSections", []))

    @staticmethod
    def number_anchors(sections):
        """Gives each heading an anchor of its own. Headings with the same text, as in a change log, are numbered as on GitHub."""
        seen = collections.Counter()
        for heading in (block for section in sections for block in section["content"] if block["type"] == "heading"):
            anchor = heading["anchor"]
            heading["anchor"] += f"-{seen[anchor]}" if anchor in seen else ""
            seen[anchor] += 1

    def prepared(self, path, text):
        """The text with pictures and links that DocC leaves alone, and without a summary, in which DocC drops the titles of links."""
        text = re.sub(r"\A# .*\n", r"\g<0>\n## Overview\n", text)
        parts = FENCE.split(text)
        for index in range(0, len(parts), 2):
            part = PICTURE.sub(lambda found: self.markdown(found.group()), parts[index])
            part = re.sub(r"!\[([^\]]*)\]\(([^)\s]+)\)", lambda found: self.picture(path, *found.groups()), part)
            parts[index] = re.sub(r"(?<=\])\(([^)\s]+)\)", lambda found: self.link(path, found.group(1)), part)
        return "".join(parts)

    @staticmethod
    def markdown(tag):
        """The Markdown form of an HTML picture."""
        source = re.search(r'<img [^>]*src="([^"]+)"', tag)
        alt = re.search(r'alt="([^"]*)"', tag)
        return f"![{alt.group(1) if alt else ''}]({source.group(1)})" if source else ""

    def picture(self, path, alt, target):
        file = (self.root / path).parent / target
        self.pictures[file.name] = file
        return f"![{alt}]({file.name})"

    def link(self, path, target):
        if target in self.pictures:
            return f"({target})"
        self.targets.append((path, target))
        return f"(https://target.invalid/{len(self.targets) - 1})"

    def target(self, address):
        """The path of the file in the repository, or the URL, and the fragment of a link in a document."""
        path, target = self.targets[int(address.rpartition("/")[2])]
        if re.match(r"[a-z]+:", target):
            return target, ""
        name, _, fragment = target.partition("#")
        file = (self.root / path).parent / name if name else self.root / path
        return str(pathlib.Path(os.path.abspath(file)).relative_to(self.root)), fragment
