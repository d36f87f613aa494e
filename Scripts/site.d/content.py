"""HTML of the content of an article or a documentation comment, from the render JSON of DocC."""
import html
import re

KEYWORDS = (
    "actor any as associatedtype async await break case catch class continue default defer deinit do else enum extension"
    " false fileprivate final for func guard if import in init inout internal is let mutating nil nonisolated package"
    " private protocol public repeat rethrows return self Self some static struct subscript super switch throw throws"
    " true try typealias var where while").split()
TOKEN = re.compile(
    r'(?P<comment>//[^\n]*)|(?P<string>"""[\s\S]*?"""|#?"(?:\\.|[^"\\\n])*"#?)'
    r"|(?P<keyword>(?<![\w.`])(?:" + "|".join(KEYWORDS) + r")(?![\w`])|[@#][a-zA-Z]+)|(?P<number>\b\d[\d_.]*\b)")


def escaped(text):
    return html.escape(text, quote=True)


def highlighted(code, syntax):
    if syntax == "console":
        return "\n".join(
            f'<span class="prompt">$ </span><b>{escaped(line[2:])}</b>' if line.startswith("$ ") else escaped(line)
            for line in code.splitlines())
    if syntax != "swift":
        return escaped(code)
    parts, end = [], 0
    for match in TOKEN.finditer(code):
        parts += [escaped(code[end:match.start()]), f'<span class="{match.lastgroup}">{escaped(match.group())}</span>']
        end = match.end()
    return "".join(parts) + escaped(code[end:])


class Content:
    """Renders content with the references of one symbol. `address` maps an identifier to a relative link or `None`."""

    def __init__(self, references, address):
        self.references = references
        self.address = address

    def inline(self, nodes):
        return "".join(self.inline_node(node) for node in nodes)

    def inline_node(self, node):
        kind = node["type"]
        if kind == "text":
            return escaped(node["text"])
        if kind == "codeVoice":
            return f"<code>{escaped(node['code'])}</code>"
        if kind in ("emphasis", "strong", "strikethrough", "newTerm", "inlineHead"):
            tag = {"strong": "strong", "strikethrough": "s"}.get(kind, "em")
            return f"<{tag}>{self.inline(node['inlineContent'])}</{tag}>"
        if kind == "reference":
            return self.reference(node)
        if kind == "link":
            return self.anchor(node["destination"], escaped(node.get("title") or node["destination"]))
        if kind == "image":
            return self.image(node)
        raise ValueError(f"unknown inline content: {kind}")

    def reference(self, node):
        name = node["identifier"]
        known = self.references.get(name, {})
        if "overridingTitleInlineContent" in node:
            title = self.inline(node["overridingTitleInlineContent"])
        elif "titleInlineContent" in known:
            title = self.inline(known["titleInlineContent"])
        else:
            title = node.get("overridingTitle") or known.get("title")
            if title is None:
                raise SystemExit(f"site: a link to {name} has no title; DocC drops the titles of links in summaries")
            title = escaped(title)
        if known.get("kind") == "symbol":
            title = f"<code>{title}</code>"
        return self.anchor(known.get("url", name) if known.get("type") == "link" else name, title)

    def anchor(self, identifier, title):
        address = self.address(identifier)
        return title if address is None else f'<a href="{escaped(address)}">{title}</a>'

    def image(self, node):
        known = self.references.get(node["identifier"], {})
        source = self.address(known["variants"][0]["url"] if known.get("variants") else node["identifier"])
        return f'<img src="{escaped(source or node["identifier"])}" alt="{escaped(known.get("alt") or "")}">'

    def blocks(self, nodes):
        return "\n".join(self.block(node) for node in nodes)

    def block(self, node):
        kind = node["type"]
        if kind == "paragraph":
            return f"<p>{self.inline(node['inlineContent'])}</p>"
        if kind == "heading":
            level = min(node["level"], 6)
            name = escaped(node["anchor"])
            return f'<h{level} id="{name}"><a class="self" href="#{name}">{escaped(node["text"])}</a></h{level}>'
        if kind == "codeListing":
            return f"<pre><code>{highlighted(chr(10).join(node['code']), node.get('syntax'))}</code></pre>"
        if kind in ("unorderedList", "orderedList"):
            tag = "ul" if kind == "unorderedList" else "ol"
            return f"<{tag}>" + "".join(f"<li>{self.tight(item['content'])}</li>" for item in node["items"]) + f"</{tag}>"
        if kind == "termList":
            return "<dl>" + "".join(
                f"<dt>{self.inline(item['term']['inlineContent'])}</dt><dd>{self.tight(item['definition']['content'])}</dd>"
                for item in node["items"]) + "</dl>"
        if kind == "aside":
            name = escaped(node.get("name") or node["style"].capitalize())
            return f'<aside class="{escaped(node["style"])}"><b>{name}</b>{self.blocks(node["content"])}</aside>'
        if kind == "table":
            return self.table(node)
        if kind == "thematicBreak":
            return "<hr>"
        raise ValueError(f"unknown content: {kind}")

    def tight(self, nodes):
        """The content of a list item or a table cell: a single paragraph without its tag."""
        if len(nodes) == 1 and nodes[0]["type"] == "paragraph":
            return self.inline(nodes[0]["inlineContent"])
        return self.blocks(nodes)

    def table(self, node):
        rows = []
        for number, row in enumerate(node["rows"]):
            tag = "th" if number == 0 and node["header"] in ("row", "both") else "td"
            rows.append("<tr>" + "".join(f"<{tag}>{self.tight(cell)}</{tag}>" for cell in row) + "</tr>")
        return '<div class="table"><table>' + "\n".join(rows) + "</table></div>"

    def tokens(self, tokens):
        """A declaration, with links to its types, and with one parameter per line if it is long."""
        breaks = self.line_breaks("".join(token["text"] for token in tokens))
        parts, place = [], 0
        for token in tokens:
            text = ""
            for character in token["text"]:
                place += 1
                text += breaks.get(place - 1, character)
            text = escaped(text)
            address = self.address(token["identifier"]) if token.get("identifier") else None
            if address:
                text = f'<a href="{escaped(address)}">{text}</a>'
            elif token["kind"] in ("keyword", "attribute", "number", "string"):
                text = f'<span class="{"keyword" if token["kind"] == "attribute" else token["kind"]}">{text}</span>'
            parts.append(text)
        return "".join(parts)

    @staticmethod
    def line_breaks(text):
        """The replacements of characters, by their places, that put each parameter of a long declaration on its own line."""
        start = re.search(r"(?:func \S+?|init[?!]?|subscript|case \w+)(?:<.*?>)?(?=\()", text)
        if len(text) <= 96 or start is None:
            return {}
        breaks, depth = {start.end(): "(\n    "}, 0
        for place in range(start.end(), len(text)):
            # An angle bracket next to a space or an arrow belongs to an operator.
            before = text[place - 1]
            depth += text[place] in "([{" or (text[place] == "<" and before.isalnum())
            depth -= text[place] in ")]}" or (text[place] == ">" and before not in "- ")
            if depth == 0:
                return breaks | {place: "\n)"}
            if depth == 1 and text[place:place + 2] == ", ":
                breaks[place + 1] = "\n    "
        return {}
