"""Finds mutants of C files, small changes that a test should notice, and writes the files with all of them: each asks at
run time whether it is the one that is switched on.

    from mutants import mutate_file
    mutants = find(tree, {"src/lookup/target.c": source})["src/lookup/target.c"]
    for number, m in enumerate(mutants, 1):
        m.number = number
    text = write(source, mutants)

Expressions are found in the syntax tree of clang (-ast-dump=json). A mutant replaces `a < b` by

    (COVEY_MUTANT(17) ? (a <= b) : (a < b))

and whole statements are left out in the same way. What is written by a macro of the library is left alone, except for
the arguments of those in TRANSPARENT, and so is all that has to be constant.
"""

import re

TRANSPARENT = ("COVEY__LIKELY", "COVEY__UNLIKELY")

# What replaces an operator. Those of pointers are chosen below.
OTHER_OPERATORS = {
    "<": ["<="], "<=": ["<"], ">": [">="], ">=": [">"], "==": ["!="], "!=": ["=="],
    "+": ["-"], "-": ["+"], "*": ["/"], "/": ["*"], "%": ["/"],
    "&": ["|"], "|": ["&"], "^": ["|"], "<<": [">>"], ">>": ["<<"], "&&": ["||"], "||": ["&&"],
}
OTHER_ASSIGNMENTS = {
    "+=": "-=", "-=": "+=", "*=": "/=", "|=": "&=", "&=": "|=", "^=": "|=", "<<=": ">>=", ">>=": "<<=", "%=": "/=",
}

# Below these, everything has to be constant.
CONSTANT = {"ConstantExpr", "EnumConstantDecl", "EnumDecl", "RecordDecl", "StaticAssertDecl", "TypedefDecl",
            "UnaryExprOrTypeTraitExpr", "OffsetOfExpr", "GenericSelectionExpr", "AddrLabelExpr", "TypeOfExpr"}


class Mutant:
    """A change of a file: what is between two offsets becomes `text` when its number is switched on."""

    def __init__(self, start, end, text, what, deletes=False):
        self.start, self.end, self.text, self.what, self.deletes = start, end, text, what, deletes
        self.number = 0


class Finder:
    """Walks the tree of one translation unit, and collects the mutants of the files that are wanted."""

    def __init__(self, sources):
        self.sources = sources  # by path as clang prints it: bytes
        self.mutants = {path: [] for path in sources}
        self.file = None

    # ---- Places ----

    def _location(self, location):
        """The place in a file: (path, offset, length of the token), or None if a macro wrote it. clang leaves out the
        path where it is that of the location before."""
        if not location:
            return None
        if "expansionLoc" in location:
            spelling = location.get("spellingLoc", {})
            expansion = location["expansionLoc"]
            spelled = self._plain(spelling)
            expanded = self._plain(expansion)
            if spelled and expanded and spelling.get("isMacroArgExpansion", expansion.get("isMacroArgExpansion")):
                return spelled if self._is_transparent(expanded) else None
            return expanded if expanded and self._is_name(expanded) else None
        return self._plain(location)

    def _plain(self, location):
        if "file" in location:
            self.file = location["file"]
        if "offset" not in location:
            return None
        return self.file, location["offset"], location.get("tokLen", 0)

    def _is_name(self, place):
        """Whether a macro is written without parentheses, as a constant is."""
        path, offset, length = place
        text = self.sources.get(path)
        return text is not None and text[offset + length : offset + length + 1] != b"("

    def _is_transparent(self, place):
        path, offset, length = place
        text = self.sources.get(path)
        return text is not None and text[offset : offset + length].decode() in TRANSPARENT

    def _range(self, node):
        """(path, start, end) of a node. The order is that in which clang prints them, because of the paths."""
        if "loc" in node:
            self._location(node["loc"])
        span = node.get("range", {})
        begin, end = self._location(span.get("begin")), self._location(span.get("end"))
        if not begin or not end or begin[0] != end[0] or begin[0] not in self.sources or end[1] < begin[1]:
            return None
        return begin[0], begin[1], end[1] + end[2]

    # ---- Nodes ----

    def walk(self, node, parent=None, role="", constant=False):
        if not node or "kind" not in node:
            return None
        kind = node["kind"]
        here = self._range(node)
        constant = constant or kind in CONSTANT or (kind == "VarDecl" and self._is_static(node, parent))
        children = node.get("inner", [])
        places = []
        for i, child in enumerate(children):
            places.append(self.walk(child, node, self._role(kind, i, len(children)), constant))
        if here and not constant and not self._is_of_macro(node, here):
            self._mutate(node, kind, here, children, places, parent, role)
        return here

    @staticmethod
    def _is_of_macro(node, here):
        """Whether a macro without parentheses is all of a node: what it stands for has no place of its own."""
        begin, end = node["range"]["begin"], node["range"]["end"]
        if "expansionLoc" not in begin or "expansionLoc" not in end:
            return False
        return here[2] - here[1] == begin["expansionLoc"].get("tokLen")

    @staticmethod
    def _is_static(node, parent):
        return node.get("storageClass") in ("static", "extern") or (parent or {}).get("kind") == "TranslationUnitDecl"

    @staticmethod
    def _role(kind, i, count):
        """What a child is to its parent: a condition, a statement, a value that is returned, or something else."""
        if kind == "CompoundStmt":
            return "statement"
        if kind == "IfStmt":
            return "condition" if i == 0 else "statement"
        if kind == "WhileStmt":
            return "condition" if i == count - 2 else "statement"
        if kind == "DoStmt":
            return "statement" if i == 0 else "condition"
        if kind == "ForStmt":
            return {2: "condition", 4: "statement"}.get(i, "")
        if kind == "ConditionalOperator":
            return "condition" if i == 0 else ""
        if kind in ("CaseStmt", "DefaultStmt"):
            return "statement" if i == count - 1 else ""
        return "returned" if kind == "ReturnStmt" else ""

    def _text(self, place):
        path, start, end = place
        return self.sources[path][start:end].decode()

    def _is_directive(self, path, start):
        """Whether a place is in a line that begins with #, or that such a line continues on."""
        text = self.sources[path]
        line = text.rfind(b"\n", 0, start) + 1
        while line > 1 and text[line - 2 : line - 1] == b"\\":
            line = text.rfind(b"\n", 0, line - 1) + 1
        return text[line : start].lstrip()[:1] == b"#"

    def _add(self, here, text, what, deletes=False):
        path, start, end = here
        if self._is_directive(path, start):
            return
        self.mutants[path].append(Mutant(start, end, text, what, deletes))

    def _mutate(self, node, kind, here, children, places, parent, role):
        text = self._text(here)
        opposite = kind == "BinaryOperator" and node["opcode"] in ("==", "!=") and all(places)
        if role == "condition" and kind != "IntegerLiteral" and not opposite:
            self._add(here, f"!({text})", "negated")
        if role == "statement" and kind in ("CallExpr", "BinaryOperator", "CompoundAssignOperator", "UnaryOperator"):
            self._add(here, None, "left out", deletes=True)
        if role == "statement" and kind in ("BreakStmt", "ContinueStmt"):
            self._add(here, None, "left out", deletes=True)
        if role == "returned":
            self._return(node, here, text)
        if kind == "BinaryOperator":
            self._binary(node, here, children, places)
        elif kind == "CompoundAssignOperator":
            self._assignment(node, here, places)
        elif kind == "UnaryOperator":
            self._unary(node, here, places, role)
        elif kind == "IntegerLiteral" and text.rstrip("uUlL").isdigit():
            self._add(here, f"({text} + 1)", "one more")

    def _return(self, node, here, text):
        qualified = node.get("type", {}).get("qualType", "")
        if node["kind"] == "IntegerLiteral":
            return  # which is mutated as a number
        if qualified in ("bool", "_Bool"):
            self._add(here, f"!({text})", "returns the opposite")
        elif "*" in qualified and text != "NULL":
            self._add(here, "NULL", "returns NULL")
        elif re.fullmatch(r"(u?int\d+_t|size_t|unsigned int|int)", qualified):
            self._add(here, f"({text}) + 1", "returns one more")

    def _binary(self, node, here, children, places):
        operator = node["opcode"]
        if len(places) != 2 or not places[0] or not places[1] or operator not in OTHER_OPERATORS:
            return
        pointers = ["*" in child.get("type", {}).get("qualType", "") for child in children]
        if operator in ("+", "-") and pointers[1]:
            return  # the other operator is for numbers only
        left, right = self._text(places[0]), self._text(places[1])
        for other in OTHER_OPERATORS[operator]:
            self._add(here, f"({left}) {other} ({right})", f"{operator} becomes {other}")

    def _assignment(self, node, here, places):
        operator = node["opcode"]
        if len(places) != 2 or not places[0] or not places[1] or operator not in OTHER_ASSIGNMENTS:
            return
        if "*" in node.get("type", {}).get("qualType", "") and operator not in ("+=", "-="):
            return
        other = OTHER_ASSIGNMENTS[operator]
        self._add(here, f"{self._text(places[0])} {other} ({self._text(places[1])})", f"{operator} becomes {other}")

    def _unary(self, node, here, places, role):
        operator, inner = node["opcode"], places[0] if places else None
        if not inner:
            return
        inner = self._text(inner)
        if operator in ("!", "~", "-") and role != "condition":
            self._add(here, f"!!({inner})" if operator == "!" else f"({inner})", f"without {operator}")
        if operator in ("++", "--"):
            other = "--" if operator == "++" else "++"
            text = f"({inner}){other}" if node.get("isPostfix") else f"{other}({inner})"
            self._add(here, text, f"{operator} becomes {other}")


def find(tree, sources):
    """The mutants of each of the files, in the order of their places, each once. Places are within each other, or apart:
    others come from macros, and are left out."""
    finder = Finder(sources)
    finder.walk(tree)
    for path, mutants in finder.mutants.items():
        seen, unique, around = set(), [], []
        for m in sorted(mutants, key=lambda m: (m.start, -m.end)):
            while around and around[-1] <= m.start:
                around.pop()
            if (around and around[-1] < m.end) or (m.start, m.end, m.text) in seen:
                continue
            around.append(m.end)
            seen.add((m.start, m.end, m.text))
            unique.append(m)
        finder.mutants[path] = unique
    return finder.mutants


def write(source, mutants):
    """The text of a file with its mutants, which have numbers. Those of one place are chosen in turn; those inside of a
    place are only in the text that it has without a mutant."""

    def render(start, end, among):
        out, at, i = [], start, 0
        while i < len(among):
            first = among[i]
            same, inside = [], []
            j = i
            while j < len(among) and among[j].start < first.end:
                m = among[j]
                (same if (m.start, m.end) == (first.start, first.end) else inside).append(m)
                j += 1
            out.append(source[at : first.start].decode())
            out.append(choose(same, render(first.start, first.end, inside)))
            at, i = first.end, j
        out.append(source[at:end].decode())
        return "".join(out)

    def choose(same, text):
        result = text
        jump = text in ("break", "continue")
        for m in same:
            if jump:
                result = f"if (COVEY_MUTANT({m.number})) {{}} else {result}"
        if jump:
            return result
        deleted = [m for m in same if m.deletes]
        result = f"({text})"
        for m in same:
            same_type = f"!!{result}" if m.what == "negated" else result
            if not m.deletes:
                result = f"(COVEY_MUTANT({m.number}) ? ({m.text}) : {same_type})"
        for m in deleted:
            result = f"(COVEY_MUTANT({m.number}) ? (void)0 : (void){result})"
        return result

    return render(0, len(source), mutants)
