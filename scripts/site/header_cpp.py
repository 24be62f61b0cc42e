"""Reads a C++ header of Covey, in the same way as header.py reads one of C.

What is in namespace detail is left out, and so are bodies, private members and nested classes. A class is an entry with
its public members. Names are qualified: covey::view::each.
"""
import re

import header

BEGIN_OF_DETAIL, END_OF_DETAIL = re.compile(r"namespace detail \{"), re.compile(r"\} // namespace detail")
CLASS = re.compile(r"(?:template <.*?>\s*)*(class|struct) (\w+)(?:<.*?>)?\s*(?::[^{]*)?\{", re.S)
NOT_SHOWN = re.compile(r"static_assert|friend class|using |class |struct |template <class World")
OPERATOR = re.compile(r"\boperator\b")


def without_body(text):
    """A declaration up to its body or its initialisers. Braces within parentheses are default arguments."""
    text = re.sub(r"\bCOVEY__CPP_HOT\s+", "", text)
    depth = 0
    for at, character in enumerate(text):
        depth += (character in "(") - (character in ")")
        if depth == 0 and (character == "{" or text[at:at + 3] == " : "):
            return text[:at].rstrip() + ";"
    return text


def function_name(text):
    """The name of a function; None for operators and for members that are defined outside of their class."""
    match = re.search(r"(::)?([A-Za-z_]\w*|~\w+)\s*\(", re.sub(r"requires\(.*?\.\.\.\)\)", "", text, flags=re.S))
    return match[2] if match and not match[1] and not OPERATOR.search(text) else None


class Members:
    """The public members of a class."""

    def __init__(self, text, kind):
        self.lines = text.split("\n")
        self.shown = []
        self.names = []
        self.public = kind == "struct"
        self.comment = []

    def step(self, at):
        line = self.lines[at]
        if not line.strip() or line.startswith("#"):
            self.comment = []
            return at + 1
        if re.match(r"\s+(public|private):", line):
            self.public = "public" in line
            return at + 1
        if line.strip().startswith("/*"):
            end = header.read_comment(self.lines, at)
            self.comment = self.lines[at:end]
            return end
        end = header.read_declaration(self.lines, at)
        text = "\n".join(self.lines[at:end])
        if self.public and not NOT_SHOWN.match(text.strip()):
            self.shown += [*self.comment, without_body(text)]
            self.names += [name for name in [function_name(text)] if name]
        self.comment = []
        return end

    def read(self):
        at = 0
        while at < len(self.lines):
            at = self.step(at)
        return self


class Reader(header.Reader):
    def add_class(self, text, match):
        kind, name = match[1], match[2]
        members = Members(text[match.end():].rsplit("}", 1)[0], kind)
        members.read()
        head = re.sub(r" : detail::.*$", "", text[:match.end() - 1].rstrip())
        body, remark = "\n".join(members.shown), re.search(r"\s*/\*.*?\*/$", text)
        self.add(f"{head} {{\n{body}\n}};" if body else f"{head};{remark[0] if remark else ''}", [name])
        if not self.hidden:
            inner = [n for n in members.names if n != name and not n.startswith("~")]
            self.entry.names += list(dict.fromkeys(f"{name}::{n}" for n in inner))

    def step(self, at):
        line = self.lines[at]
        if BEGIN_OF_DETAIL.match(line):
            end = at
            while not END_OF_DETAIL.search(self.lines[end]):
                end += 1
            self.entry = None
            return end + 1
        if re.match(r"namespace |\} // namespace|COVEY_CPP_", line):
            self.entry = None
            return at + 1
        if not line.strip() or line.startswith(("/*", "#", '"', "}")):
            return super().step(at)
        end = header.read_declaration(self.lines, at)
        text = "\n".join(self.lines[at:end])
        match = CLASS.match(text)
        if text.startswith("template <> "):
            self.entry = None
        elif match:
            self.add_class(text, match)
        else:
            self.add(without_body(text), declared(without_body(text)))
        return end

    def read(self):
        super().read()
        for entry in (entry for section in self.sections for entry in section.entries):
            entry.names = [n if n.isupper() else f"covey::{n}" for n in entry.names]
        return self


def declared(text):
    """The name that a declaration outside of a class declares."""
    alias = re.search(r"\busing (\w+) =|\b(?:class|struct) (\w+);|\binline constexpr \w+ (\w+) =", text)
    if alias:
        return [next(name for name in alias.groups() if name)]
    name = function_name(text)
    return [name] if name else []


def functions(text):
    """Public classes and functions, found in another way, to check that none is missing."""
    text = re.sub(r"namespace detail \{.*?\} // namespace detail", "", text, flags=re.S)
    text = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    found = re.findall(r"^(?:template <[^\n]*> )?(?:class|struct) (\w+)", text, re.M)
    found += re.findall(r"^(?:template <[^\n]*?> |inline )[^\n(]*?(?<![\w:])(\w+)\(", text, re.M)
    return {f"covey::{name}" for name in found if name not in ("requires", "std") and not name.startswith("operator")}
