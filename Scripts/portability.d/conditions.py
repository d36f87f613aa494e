"""Reads the `#if` conditions of Swift files and evaluates them for a platform."""
import pathlib
import re

FOLDERS = ["Sources", "Tests", "Snippets", "Benchmarks", "Scripts"]

# The platforms that are checked, with the modules and operating systems that exist there.
PLATFORMS = {
    "linux": {"Glibc", "FoundationNetworking", "linux"},
    "musl": {"Musl", "FoundationNetworking", "linux"},
    "macos": {"Darwin", "SwiftUI", "XCTest", "ObjectiveC", "macos"},
    "ios": {"Darwin", "SwiftUI", "XCTest", "ObjectiveC", "ios"},
    "android": {"Android", "FoundationNetworking", "android"},
}
# Modules and systems whose absence is known on each platform above.
KNOWN = set().union(*PLATFORMS.values()) | {"watchos", "tvos", "visionos", "windows", "wasi"}
DIRECTIVE = re.compile(r"^\s*#(if|elseif|else|endif|error)\b\s*(.*?)\s*(?://.*)?$")
ATOM = re.compile(r"\b(canImport|os|arch|hasAttribute|hasFeature|compiler|swift|targetEnvironment)\s*\(([^()]*)\)")


class Arm:
    """One arm of a group: from its directive to the next one of the group."""

    def __init__(self, keyword, condition, line):
        self.keyword, self.condition, self.first, self.last = keyword, condition, line, line

    def lines(self, text):
        """The lines of the arm without comments and empty lines, as pairs of number and text."""
        pairs = ((number, text[number - 1].strip()) for number in range(self.first + 1, self.last))
        return [(number, line) for number, line in pairs if line and not line.startswith("//")]


class Group:
    """An `#if` with its arms. `outer` is the group that contains it, or None."""

    def __init__(self, outer):
        self.arms, self.outer, self.end = [], outer, 0

    @property
    def line(self):
        return self.arms[0].first


class Source:
    """A Swift file: its lines, and its groups in the order of their first lines."""

    def __init__(self, path, name):
        self.path, self.name = pathlib.Path(path), name
        self.text = self.path.read_text().split("\n")
        self.groups, open_groups, in_string = [], [], False
        for number, line in enumerate(self.text, 1):
            # Samples in string literals over several lines are no conditions of the file.
            quotes = line.count('"""')
            match = None if in_string else DIRECTIVE.match(line)
            in_string ^= quotes % 2 == 1
            if not match:
                continue
            keyword, condition = match.groups()
            if keyword == "if":
                group = Group(open_groups[-1] if open_groups else None)
                self.groups.append(group)
                open_groups.append(group)
            if keyword == "error" or not open_groups:
                continue
            group = open_groups[-1]
            if group.arms:
                group.arms[-1].last = number
            if keyword == "endif":
                group.end = number
                open_groups.pop()
            else:
                group.arms.append(Arm(keyword, condition, number))

    def comment(self, group):
        """The text of the `//` comment right above a group, or else at its start, or an empty string."""
        def block(numbers):
            words = []
            for number in numbers:
                line = self.text[number - 1].strip()
                if not re.match(r"//(?!/| MARK)", line):
                    break
                words.append(line[2:].strip())
            return words

        above = block(range(group.line - 1, 0, -1))[::-1]
        return " ".join(above or block(range(group.line + 1, group.end)))

    def active(self, platform):
        """The lines without those of arms that are not compiled for the platform.

        Directives whose value depends on the platform become empty lines; others, such as `hasAttribute`, stay."""
        result = list(self.text)
        for group in self.groups:
            values = [truth(arm.condition, platform) for arm in group.arms if arm.keyword != "else"]
            if None in values:
                if any(value is not None for value in values):
                    raise SystemExit(f"{self.name}:{group.line}: a condition that only partly depends on the platform")
                continue
            taken = next((index for index, value in enumerate(values) if value), None)
            if taken is None and group.arms[-1].keyword == "else":
                taken = len(group.arms) - 1
            result[group.end - 1] = ""
            for index, arm in enumerate(group.arms):
                result[arm.first - 1] = ""
                if index != taken:
                    for number in range(arm.first + 1, arm.last):
                        result[number - 1] = ""
        return result


def truth(condition, platform):
    """The value of a condition on a platform, or None if it does not depend on the platform."""
    known = True

    def value(match):
        nonlocal known
        kind, argument = match.group(1), match.group(2).strip()
        if kind == "canImport" and argument in KNOWN:
            return str(argument in PLATFORMS[platform])
        if kind == "os":
            return str(argument.lower() in PLATFORMS[platform])
        if kind == "arch":
            return str(argument in ("x86_64", "arm64"))
        if kind == "targetEnvironment":
            return "False"
        known = False
        return "False"

    words = ATOM.sub(value, condition)
    words = words.replace("&&", " and ").replace("||", " or ").replace("!", " not ")
    if not known or re.search(r"[^\s()]+", re.sub(r"\b(True|False|and|or|not)\b", "", words)):
        return None
    return eval(words, {"__builtins__": {}})


def swift_files(root, folders=FOLDERS):
    """The Swift files of the package and those beside it, without the products of builds."""
    root = pathlib.Path(root)
    for folder in folders:
        for path in sorted((root / folder).rglob("*.swift")):
            if not any(part.startswith(".build") for part in path.relative_to(root).parts):
                yield Source(path, str(path.relative_to(root)))
