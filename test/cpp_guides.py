#!/usr/bin/env python3
"""Compiles each block of C++ in the guides, docs/*.md, without linking.

    cpp_guides.py SOURCE_DIR WORK_DIR COMPILER STANDARD [MPI_INCLUDE_DIR...]

Also the right column of each table below a heading "In C++". With folders that have mpi.h: the blocks of docs/mpi.md; otherwise those of all others. A block stands behind
test/cpp_guides.hpp, in a namespace of its own inside of the one that is named after the page. Paragraphs that begin with
a declaration are outside of functions, the others are the body of one. `...` stands for code that is left out. Other
tests run whole programs.
"""
import pathlib
import re
import subprocess
import sys

BLOCK = re.compile(r"^```cpp\n(.*?)^```$", re.M | re.S)
DECLARES = re.compile(r"(namespace|struct|COVEY_|void (?!\*)\w+\(|float \w+\()")
LEFT_OUT = re.compile(r"(?<![\w.])\.\.\.(?= *(//.*)?$| }| return)", re.M)
FLAGS = ["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-Wno-unused-parameter", "-Wno-unused-variable",
         "-Wno-unused-but-set-variable", "-Wno-unused-value", "-Wno-uninitialized"]


def paragraphs(block, line):
    """(text, number of its first line) of each; what is indented belongs to what is above it."""
    found = []
    for part in re.split(r"\n\n(?=\S)", block):
        found.append((part, line))
        line += part.count("\n") + 2
    return found


def compiled(page, block, line):
    """A block as a source file is."""
    outside, inside = [], []
    for text, number in paragraphs(LEFT_OUT.sub("{}", block), line):
        place = outside if DECLARES.match(text) else inside
        place.append(f'#line {number} "docs/{page}.md"\n{text}')
    body = "\n".join(inside)
    return "\n".join([f"namespace {page} {{ namespace block_{line} {{", *outside,
                      f"void block() {{ GIVEN GIVEN_{page} {{\n{body}\n}} }}", "} }"])


def cells(text):
    """(code, line) of what the right columns of tables have in backquotes."""
    for section in re.finditer(r"^### In C\+\+\n(.*?)^#", text, re.M | re.S):
        first = text.count("\n", 0, section.start(1)) + 1
        for number, row in enumerate(section[1].split("\n")):
            if row.startswith("| "):
                last = re.split(r"(?<!\\)\|", row)[-2].replace("\\|", "|")
                codes = re.findall(r"`([^`]*(?:;|\.\.\.))`", last)
                yield from ((code, first + number) for code in codes if not code.startswith("COVEY_"))


def compiled_cell(page, number, code, line):
    return (f'namespace {page} {{ void cell_{number}() {{ GIVEN GIVEN_{page} {{\n#line {line} "docs/{page}.md"\n'
            f"{LEFT_OUT.sub('{}', code)}\n}} }} }}")


def source_of(page, text):
    blocks = [(match[1], text.count("\n", 0, match.start(1)) + 1) for match in BLOCK.finditer(text)]
    blocks = [(block, line) for block, line in blocks if "int main(" not in block]
    return ([compiled(page, re.sub(r"^#include .*", "", block, flags=re.M), line) for block, line in blocks] +
            [compiled_cell(page, number, *cell) for number, cell in enumerate(cells(text))])


def compile_pages(pages, source, work, compiler, standard, mpi):
    """Whether they compile, as one source file."""
    file = pathlib.Path(work, f"cpp_guides_{pages[0].stem}.cpp")
    parts = [part for path in pages for part in source_of(path.stem, path.read_text())]
    file.write_text("\n".join(['#include "cpp_guides.hpp"', *parts, ""]))
    folders = [f"{source}/{name}" for name in ("test", "include", "inspect/include", "mpi/include")]
    command = [compiler, f"-std=c++{standard}", *FLAGS, *(f"-I{folder}" for folder in folders),
               *(f"-isystem{folder}" for folder in mpi), *(["-DGUIDES_MPI"] if mpi else []), file]
    return subprocess.run(command).returncode == 0


def main():
    source, work, compiler, standard, *mpi = sys.argv[1:]
    pages = [path for path in sorted(pathlib.Path(source, "docs").glob("*.md"))
             if (path.stem == "mpi") == bool(mpi) and re.search("^(```cpp|### In C\\+\\+)$", path.read_text(), re.M)]
    # Fields have names of C, which do not belong to a namespace: pages may define the same ones.
    alone = [path for path in pages if "COVEY_FIELDS_DEFINE" in path.read_text()]
    together = [path for path in pages if path not in alone]
    groups = [*([together] if together else []), *([path] for path in alone)]
    failed = [group for group in groups if not compile_pages(group, source, work, compiler, standard, mpi)]
    sys.exit(f"{len(failed)} of {len(groups)} files do not compile" if failed or not groups else 0)


main()
