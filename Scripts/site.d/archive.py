"""The pages of DocC archives: one for each article, type and module. Members are sections of the page of their type."""
import json
import pathlib
import urllib.parse

# Kinds of symbols with a page of their own.
TYPES = {"module", "struct", "class", "enum", "protocol", "extension", "actor"}


class Symbol:
    """An article or a symbol of an archive."""

    def __init__(self, identifier, data):
        self.identifier = identifier
        self.references = data.get("references", {})
        self.metadata = data["metadata"]
        self.title = self.metadata["title"]
        self.kind = self.metadata.get("symbolKind") or self.metadata["role"]
        self.role = self.metadata.get("roleHeading", "")
        self.abstract = data.get("abstract", [])
        self.sections = data.get("primaryContentSections", [])
        self.topics = data.get("topicSections", [])
        self.relations = data.get("relationshipsSections", [])
        self.parents = data["hierarchy"]["paths"][0] if data["hierarchy"]["paths"] else []
        self.path = data["variants"][0]["paths"][0].removeprefix("/documentation/")

    @property
    def has_page(self):
        return self.kind in TYPES or self.kind == "article"


class Archive:
    """The symbols and articles of one library."""

    def __init__(self, path):
        self.name = pathlib.Path(path).stem
        self.symbols = {}
        for file in sorted(pathlib.Path(path, "data/documentation").rglob("*.json")):
            data = json.loads(file.read_text())
            identifier = data["identifier"]["url"]
            self.symbols[identifier] = Symbol(identifier, data)
        self.module = next(symbol for symbol in self.symbols.values() if symbol.kind == "module")

    @property
    def pages(self):
        return [symbol for symbol in self.symbols.values() if symbol.has_page]

    def owner(self, symbol):
        """The symbol whose page shows `symbol`."""
        while not symbol.has_page:
            symbol = self.symbols[symbol.parents[-1]]
        return symbol

    def file(self, symbol):
        """The path of the page that shows `symbol`, such as `restclient/sessionmanager.html`."""
        module, *rest = self.owner(symbol).path.split("/")
        return f"{module}/{'.'.join(rest) if rest else 'index'}.html"

    @staticmethod
    def anchor(symbol):
        """The id of a member on the page of its type, such as `download(_:)`."""
        return symbol.path.split("/")[-1]

    def members(self, symbol):
        """The members that the page of `symbol` shows, as pairs of a title and symbols."""
        for section in symbol.topics:
            symbols = [self.symbols[name] for name in section["identifiers"] if name in self.symbols]
            groups = [group for group in symbols if group.kind == "collectionGroup"]
            members = [member for member in symbols if not member.has_page and member not in groups]
            if members:
                yield section.get("title", "Members"), members
            for group in groups:
                for _, implementations in self.members(group):
                    yield group.title, implementations

    def link(self, identifier, source):
        """The address of `identifier` relative to the page of `source`, or `None` if it is not part of the archive."""
        path, _, fragment = identifier.partition("#")
        target = self.symbols.get(path)
        if target is None:
            return None
        if not fragment and not target.has_page and target.kind != "collectionGroup":
            fragment = self.anchor(target)
        return relative(self.file(target), self.file(source), urllib.parse.unquote(fragment))


def relative(target, source, fragment=""):
    """The address of the page `target` on the page `source`."""
    up = "../" * source.count("/")
    address = target if target == source and fragment else up + target
    address = "" if target == source and fragment else urllib.parse.quote(address)
    return f"{address}#{urllib.parse.quote(fragment)}" if fragment else address
