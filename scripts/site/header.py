"""Reads a C header of Covey: sections, declarations, and the comments above them.

A section begins with a comment line of dashes and a title. Declarations that follow each other without a blank line form
an entry; the comment above them describes it. What says "not API" is left out, and so are names with two underscores.
"""
import re

SECTION = re.compile(r"/\* -{4} (?:(\d+)\. )?(.*?)\.? *-*(?:\*/)?$")
NAMES_OF_LIBRARY = re.compile(r"\b(?:covey|COVEY)_[A-Za-z0-9]\w*")
PREFIX = re.compile(r"^(?:COVEY_NODISCARD\s+)?(?:COVEY_API|COVEY_HOT|COVEY_INLINE|COVEY__EXTERN)\s+")
MACROS_OF_THE_HEADER = {"COVEY_API", "COVEY_NODISCARD", "COVEY_INLINE", "COVEY_HOT", "COVEY_H"}


class Section:
    def __init__(self, number, title):
        self.number, self.title = number, title
        self.prose = ""
        self.entries = []


class Entry:
    def __init__(self, comment):
        self.comment = comment
        self.code = []  # a text for each declaration
        self.names = []


def clean(lines):
    """The text of a comment, without its delimiters."""
    text = "\n".join(lines)
    text = re.sub(r"\s*\*/\s*$", "", re.sub(r"^/\*+ ?", "", text))
    return "\n".join(re.sub(r"^ \* ?", "", line) for line in text.split("\n")).strip("\n")


def read_comment(lines, at):
    end = at
    while "*/" not in lines[end]:
        end += 1
    return end + 1


def read_macro(lines, at):
    end = at
    while lines[end].endswith("\\"):
        end += 1
    return end + 1


def read_declaration(lines, at):
    """A declaration, up to the semicolon or brace that ends it."""
    depth, end = 0, at
    while True:
        code = re.sub(r"/\*.*?(\*/|$)", "", lines[end]).rstrip()
        depth += code.count("{") - code.count("}") + code.count("(") - code.count(")")
        inside_comment = "/*" in lines[end] and "*/" not in lines[end].split("/*")[-1]
        end += 1
        if inside_comment:
            while "*/" not in lines[end]:
                end += 1
            end += 1
        if depth == 0 and code.endswith((";", "}")) or end == len(lines):
            return end


def without_body(text):
    """The declaration of an inline function."""
    match = re.match(r"(COVEY_(?:INLINE|HOT)\s[^{;]*\))\s*\{", text, re.S)
    return match.group(1) + ";" if match else text


def without_insides(text, comment):
    """A struct without its private members."""
    if "insides are not API" in comment:
        return re.sub(r"\{.*\}", "{ ... }", text, flags=re.S)
    lines = text.split("\n")
    for number, line in enumerate(lines):
        if "what follows is not API" in line:
            line = re.sub(r";? what follows is not API", "", line)
            return "\n".join(lines[:number] + [line, "    ...", lines[-1]])
    return text


def declaration(text, comment):
    """A declaration as the reference shows it."""
    text = PREFIX.sub("", without_insides(without_body(text), comment))
    return re.sub(r"\b(?:COVEY_NODISCARD|COVEY_API|COVEY__EXTERN|COVEY__ALIGN_STACK) ", "", text)


def macro(text):
    """A macro: with parameters, without its expansion; a constant, with its value."""
    match = re.match(r"#define (\w+)(\([^)]*\))?(.*)", text, re.S)
    name, arguments, body = match.groups()
    if arguments:
        return name, name + arguments
    return name, None if "COVEY__" in body or not body.strip() else text


def declared(text):
    """The names that a declaration declares."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    names = []
    if re.match(r"typedef enum", code):
        names = NAMES_OF_LIBRARY.findall(code)
    elif re.match(r"(typedef )?struct (\w+) \{", code):
        names = re.findall(r"^(?:typedef )?struct (\w+)", code) + re.findall(r"\}\s*(\w+);", code)
    elif re.match(r"typedef struct (\w+) (\w+);", code):
        names = re.findall(r"(\w+);", code)
    elif re.match(r"(extern )?const covey_type covey_", code):
        names = re.findall(r"(covey_\w+);", code)
    else:
        names = re.findall(r"\b(covey_[a-z0-9]\w*)\s*\(", code)[:1]
    return list(dict.fromkeys(name for name in names if "__" not in name))


class Reader:
    def __init__(self, text):
        self.lines = text.split("\n")
        self.sections = []
        self.entry = None
        self.hidden = self.ended = False
        self.section = None
        self.intro = ""

    def begin(self, number, title):
        self.hidden = self.ended or "not api" in title.lower()
        self.section = Section(number, title)
        if not self.hidden:
            self.sections.append(self.section)

    def add(self, text, names):
        names = [name for name in names if name not in MACROS_OF_THE_HEADER and "__" not in name]
        if self.hidden or not names:
            return
        if not self.section:
            self.begin(None, "")
        if not self.entry:
            self.entry = Entry("")
        if not self.entry.code:
            self.section.entries.append(self.entry)
        self.entry.code.append(text)
        self.entry.names += [name for name in names if name not in self.entry.names]

    def comment(self, at):
        end = read_comment(self.lines, at)
        lines = self.lines[at:end]
        match = SECTION.match(lines[0])
        self.entry = None
        if match:
            self.begin(match.group(1), match.group(2))
            if not lines[0].endswith("*/"):
                self.section.prose = clean(lines[1:])
        elif not self.intro and not self.section:
            self.intro = clean(lines)
        else:
            self.entry = Entry(clean(lines))
        return end

    def step(self, at):
        line = self.lines[at]
        if not line.strip():
            self.entry = None
            return at + 1
        if line.startswith("/* ===="):
            self.hidden = self.ended = True
            return read_comment(self.lines, at)
        if line.startswith("/*"):
            return self.comment(at)
        if line.startswith("#define"):
            end = read_macro(self.lines, at)
            name, text = macro("\n".join(self.lines[at:end]))
            self.add(text or "", [name] if text else [])
            return end
        if line.startswith("#") or re.match(r'extern "C"|\} ?/\* extern|COVEY__\w+$', line) or line == "}":
            return at + 1
        end = read_declaration(self.lines, at)
        text = "\n".join(self.lines[at:end])
        self.add(declaration(text, self.entry.comment if self.entry else ""), declared(PREFIX.sub("", text)))
        return end

    def read(self):
        at = 0
        while at < len(self.lines):
            at = self.step(at)
        self.sections = [section for section in self.sections if section.entries or section.prose]
        return self


def functions(text):
    """All public functions of a header, found in another way, to check that none is missing."""
    code = re.sub(r"/\*.*?\*/", "", text, flags=re.S)
    code = re.sub(r"#define.*?[^\\]\n", "", code, flags=re.S)
    found = re.findall(r"^COVEY_(?:API|HOT|INLINE)\b[^;{(]*?\b(covey_[a-z0-9]\w*)\s*\(", code, re.M)
    return {name for name in found if "__" not in name}
