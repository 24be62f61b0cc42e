"""Inside of gdb, with $file the path of covey.natvis: its types are there, and have the members that it names."""

import re
import xml.etree.ElementTree as tree

import gdb


def members(type, seen):
    """The names of all members of a struct, and of the structs that these are or point to."""
    type = type.strip_typedefs()
    while type.code == gdb.TYPE_CODE_PTR:
        type = type.target().strip_typedefs()
    if type.code != gdb.TYPE_CODE_STRUCT or str(type) in seen:
        return set()
    seen.add(str(type))
    names = {field.name for field in type.fields()}
    return names.union(*(members(field.type, seen) for field in type.fields()))


def check(path):
    space = "{http://schemas.microsoft.com/vstudio/debugger/natvis/2010}"
    types = tree.parse(path).getroot().findall(f"{space}Type")
    assert types
    for type in types:
        known = members(gdb.lookup_type(type.get("Name")), set())
        for element in type.iter():
            text = (element.text or "").strip()
            if element.tag == f"{space}DisplayString":
                text = " ".join(re.findall(r"\{([^},]*)", text))
            text += " " + re.sub(r"\bCOVEY_\w+", "", element.get("Condition") or "")
            unknown = set(re.findall(r"[A-Za-z_]\w*", text)) - known
            assert not unknown, f"{type.get('Name')} has no {', '.join(unknown)}"
    print(f"natvis: {len(types)} types")


check(gdb.convenience_variable("file").string())
