"""Pages of the site: the frame around them, and the pages of articles, symbols and documents."""
from content import Content, escaped


class Site:
    def __init__(self, title, archives, documents):
        self.title, self.archives, self.documents = title, archives, documents

    def page(self, file, title, side, body):
        root = "../" * file.count("/")
        links = [(archive.name, archive.file(archive.module)) for archive in self.archives]
        tabs = "".join(f'<a href="{root}{address}">{escaped(name)}</a>' for name, address in links)
        name = self.title if title == self.title else f"{escaped(title)} · {self.title}"
        return f"""<!DOCTYPE html>
<html lang="en" data-root="{root}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name}</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="{root}style.css">
<script src="{root}index.js" defer></script>
<script src="{root}search.js" defer></script>
</head>
<body>
<header><a class="home" href="{root}index.html">{self.title}</a><nav>{tabs}</nav>
<form role="search"><input id="search" type="search" placeholder="Search" aria-label="Search" autocomplete="off">
<ol id="results" hidden></ol></form></header>
<div class="columns">
<nav class="side">{side}</nav>
<main>
{body}
</main>
</div>
</body>
</html>
"""

    def group(self, title, links, current=False, opened=False):
        """A group of the side bar. `links` are triples of an address, HTML and whether it is the current page."""
        items = "".join(
            f'<li><a href="{escaped(address)}"{" aria-current=page" if here else ""}>{name}</a></li>'
            for address, name, here in links)
        opened = opened or any(here for _, _, here in links)
        return f"<details{' open' if opened else ''}><summary>{escaped(title)}</summary><ul>{items}</ul></details>"

    def side(self, archive, current):
        """The side bar of a library: the topics of its module."""
        parts = [f'<p><a href="{archive.link(archive.module.identifier, current)}">{archive.name}</a></p>']
        # The page of a nested type belongs to the topic of the type around it.
        around = {current.identifier, *current.parents[1:]}
        for number, section in enumerate(archive.module.topics):
            links = []
            for name in section["identifiers"]:
                symbol = archive.symbols.get(name)
                if symbol and symbol.kind != "collectionGroup":
                    links.append((archive.link(name, current), escaped(symbol.title), name in around))
            parts.append(self.group(section.get("title", "Other"), links, opened=number == 0))
        return "".join(parts)


class SymbolPage:
    """The page of a symbol or an article of an archive."""

    def __init__(self, archive, symbol, pictures):
        self.archive, self.symbol = archive, symbol
        self.pictures = pictures

    def content(self, symbol):
        def address(identifier):
            if identifier.startswith(("https:", "http:", "mailto:")):
                return identifier
            if identifier.startswith("/images/"):
                return self.pictures(identifier, self.archive.file(self.symbol))
            return self.archive.link(identifier, self.symbol)
        return Content(symbol.references, address)

    def body(self):
        symbol = self.symbol
        content = self.content(symbol)
        title = symbol.title if symbol.kind in ("article", "module") else ".".join(
            [self.archive.symbols[name].title for name in symbol.parents[1:] if name in self.archive.symbols]
            + [symbol.title])
        parts = [self.breadcrumbs(), f"<h1>{escaped(title)}</h1>"]
        if symbol.abstract:
            parts.append(f'<p class="abstract">{content.inline(symbol.abstract)}</p>')
        parts.append(self.details(symbol, content))
        for title, members in self.archive.members(symbol):
            parts.append(f"<h2>{escaped(title)}</h2>")
            parts += [self.member(member) for member in members]
        parts.append(self.topics(content))
        for section in symbol.relations:
            names = ", ".join(
                content.reference({"identifier": name}) for name in section["identifiers"]
                if name in symbol.references)
            parts.append(f"<h2>{escaped(section['title'])}</h2><p>{names}</p>")
        return "\n".join(part for part in parts if part)

    def breadcrumbs(self):
        symbol = self.symbol
        trail = [
            f'<a href="{self.archive.link(name, symbol)}">{escaped(self.archive.symbols[name].title)}</a>'
            for name in symbol.parents if name in self.archive.symbols]
        return f'<p class="trail">{" › ".join([*trail, escaped(symbol.role)])}</p>'

    def details(self, symbol, content, is_member=False):
        parts = []
        for section in symbol.sections:
            if section["kind"] == "declarations":
                for declaration in section["declarations"]:
                    parts.append(f'<pre class="declaration"><code>{content.tokens(declaration["tokens"])}</code></pre>')
            elif section["kind"] == "parameters":
                rows = "".join(
                    f"<dt><code>{escaped(row['name'])}</code></dt><dd>{content.tight(row['content'])}</dd>"
                    for row in section["parameters"])
                parts.append(f"<dl>{rows}</dl>")
            elif section["kind"] == "content":
                parts.append(content.blocks(self.without_headings(section["content"], is_member)))
            elif section["kind"] == "mentions" and not is_member:
                links = ", ".join(content.reference({"identifier": name}) for name in section["mentions"])
                parts.append(f'<p class="mentions">Described in {links}</p>')
        return "\n".join(parts)

    @staticmethod
    def without_headings(blocks, is_member):
        """The blocks without the headings that DocC adds, and without all headings in a member."""
        for block in blocks:
            if block["type"] != "heading":
                yield block
            elif not is_member and block["text"] not in ("Overview", "Discussion"):
                yield block
            elif block["text"] not in ("Overview", "Discussion"):
                yield {"type": "paragraph", "inlineContent": [
                    {"type": "strong", "inlineContent": [{"type": "text", "text": block["text"]}]}]}

    def member(self, member):
        content = self.content(member)
        name = escaped(self.archive.anchor(member))
        summary = f"<p>{content.inline(member.abstract)}</p>" if member.abstract else ""
        details = self.details(member, content, is_member=True)
        declaration, _, rest = details.partition("</pre>")
        heading = f'<h3 class="name"><a class="self" href="#{name}">{escaped(member.title)}</a></h3>'
        return f'<section class="member" id="{name}">{heading}{declaration}</pre>{summary}{rest}</section>'

    def topics(self, content):
        parts = []
        for section in self.symbol.topics:
            rows = []
            for name in section["identifiers"]:
                target = self.archive.symbols.get(name)
                if target is None or not target.has_page:
                    continue
                address = self.archive.link(name, self.symbol)
                title = escaped(target.title)
                title = title if target.kind == "article" else f"<code>{title}</code>"
                abstract = content.inline(self.symbol.references.get(name, {}).get("abstract", []))
                rows.append(f'<dt><a href="{escaped(address)}">{title}</a></dt><dd>{abstract}</dd>')
            if rows:
                parts.append(f"<h2>{escaped(section.get('title', 'Topics'))}</h2><dl class=\"topics\">{''.join(rows)}</dl>")
        return "\n".join(parts)
