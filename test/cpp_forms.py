#!/usr/bin/env python3
"""Checks that each call of the public C headers has a form in the C++ headers: that one of them calls it.

    cpp_forms.py SOURCE_DIR

test/cpp_forms.txt lists calls without one, each with its reason. A call that is listed and has a form, or does not exist,
is a failure, too: so the list only becomes shorter unless the C API grows.
"""
import pathlib
import re
import subprocess
import sys

source = pathlib.Path(sys.argv[1])
# Twins of one call, which have one form in C++.
TWIN = re.compile(r"_(raw|value|tag|default|sized|const)$")


def stem(name):
    return TWIN.sub("", TWIN.sub("", re.sub(r"^covey__?", "", name)))


def c_calls():
    """The names of functions and of macros that read as calls."""
    names = subprocess.run([sys.executable, source / "scripts/api_count", "--names"], stdout=subprocess.PIPE, check=True)
    lines = names.stdout.decode().split("\n")
    return {line.split()[1] for line in lines if re.match(r"functions|macros", line)}


def used_stems():
    """The stems of all names of C in the code of the C++ headers."""
    folders = ["include/covey", "include/covey/detail", "inspect/include/covey", "mpi/include/covey"]
    headers = [path for folder in folders for path in (source / folder).glob("*.hpp")]
    code = "\n".join(re.sub(r"/\*.*?\*/", "", path.read_text(), flags=re.S) for path in headers)
    return {stem(name) for name in re.findall(r"\bcovey__?\w+", code)}


def read_exceptions():
    lines = [line for line in (source / "test/cpp_forms.txt").read_text().split("\n") if line and not line.startswith("#")]
    without = [line for line in lines if len(line.split(None, 1)) < 2]
    if without:
        sys.exit(f"cpp_forms.txt has no reason for {', '.join(without)}")
    return {line.split()[0] for line in lines}


def main():
    calls, used, exceptions = c_calls(), used_stems(), read_exceptions()
    missing = {name for name in calls if stem(name) not in used}
    wrong = [f"{name} has no form in C++, and no reason in test/cpp_forms.txt" for name in sorted(missing - exceptions)]
    wrong += [f"{name} has a form in C++ now: remove it from test/cpp_forms.txt" for name in sorted(exceptions & calls - missing)]
    wrong += [f"{name} of test/cpp_forms.txt does not exist" for name in sorted(exceptions - calls)]
    sys.exit("\n".join(wrong) if wrong else 0)


main()
