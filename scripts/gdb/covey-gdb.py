"""Shows Covey's types in gdb.

Loaded by itself with an installed shared library, or by: source covey-gdb.py

    (gdb) print e                   12:3, or null
    (gdb) set $covey_world = world
    (gdb) print e                   12:3 (Position, Velocity), or 12:3 (not alive)
    (gdb) print *world              how many entities there are, and its pools
    (gdb) print *pool               the components with their entities
    (gdb) print view                what it asks for
    (gdb) covey world 12            the entity at index 12, with its components

print/r shows a struct as it is. Nothing here calls functions of the program: it works with core files, too.
"""

import gdb
import gdb.printing


# ---- Reading the data of the program ----


def bits_of(field):
    return field.bitsize or field.type.strip_typedefs().sizeof * 8


def field_of(type, name):
    return next(field for field in type.strip_typedefs().fields() if field.name == name)


def length_of(array):
    """Elements of an array: a value, or a member of a struct."""
    first, last = array.type.strip_typedefs().range()
    return last - first + 1


def text_of(entity):
    return "null" if int(entity["generation"]) == 0 else f"{int(entity['index'])}:{int(entity['generation'])}"


def name_of(type):
    """The name of a covey_type behind a pointer."""
    return type["name"].string() if int(type) else "?"


def generation_at(world, index):
    """The generation of an index: odd if its entity is alive, 0 if the index was never used."""
    if int(world["page_count"]) == 0:
        return 0
    page_size = length_of(world["pages"][0]["generation"])
    if index // page_size >= int(world["page_count"]):
        return 0
    return int(world["pages"][index // page_size]["generation"][index % page_size])


def is_alive(world, entity):
    generation = int(entity["generation"])
    return generation % 2 == 1 and generation_at(world, int(entity["index"])) == generation


def in_blocks(pool):
    return int(pool["storage"]) != int(gdb.parse_and_eval("COVEY_STORAGE_SPARSE"))


def find_in_blocks(blocks, index):
    """The address of the value of an index, or None."""
    if int(blocks["page_count"]) == 0:
        return None
    page_blocks = length_of(blocks["pages"][0]["masks"])
    number, block, bit = index // (64 * page_blocks), index // 64 % page_blocks, index % 64
    if number >= int(blocks["page_count"]):
        return None
    page = blocks["pages"][number]
    if int(page["masks"][block]) >> bit & 1 == 0:
        return None
    if int(blocks["size"]) == 0:
        return 0
    chunk = page["chunks"][block]
    return int(chunk["data"]) + int(chunk["map"][bit]) * int(blocks["size"])


def value_in_set(set, position, page_size):
    size = int(set["size"])
    if size == 0:
        return 0
    if int(set["paged"]):
        pages = set["data"].cast(gdb.lookup_type("char").pointer().pointer())
        return int(pages[position // page_size]) + position % page_size * size
    return int(set["data"]) + position * size


def find_in_set(pool, entity):
    """The address of the value of an entity, or None. The sparse table has a word for each index: position, generation."""
    set, index = pool["set"], int(entity["index"])
    page_size = length_of(gdb.lookup_type("covey__entity_page").strip_typedefs().fields()[0])
    if index // page_size >= int(set["page_count"]):
        return None
    word_type = gdb.lookup_type("covey__slot")
    at = int(set["pages"][index // page_size]) + index * word_type.sizeof
    word = int(gdb.Value(at).cast(word_type.pointer()).dereference())
    shift = bits_of(field_of(entity.type, "index"))
    position, generation = word & (1 << shift) - 1, word >> shift
    if generation != int(entity["generation"]) or position >= int(set["end"]):
        return None
    return value_in_set(set, position, page_size)


def find_value(pool, entity):
    """The address of the component of a living entity, 0 for a tag, or None."""
    return find_in_blocks(pool["blocks"], int(entity["index"])) if in_blocks(pool) else find_in_set(pool, entity)


def pools_of(world):
    """The pools, without those of internal types."""
    for i in range(int(world["pool_count"])):
        if not name_of(world["pools"][i]["type"]).startswith("covey."):
            yield world["pools"][i]


def components_of(world, entity):
    """Pairs of a pool and the address of the component in it."""
    found = ((pool, find_value(pool, entity)) for pool in pools_of(world))
    return [(pool, value) for pool, value in found if value is not None]


def described(world, entity):
    """A handle with the names of its components."""
    text = text_of(entity)
    if text == "null":
        return text
    if not is_alive(world, entity):
        return f"{text} (not alive)"
    names = ", ".join(name_of(pool["type"]) for pool, value in components_of(world, entity))
    return f"{text} ({names or 'no components'})"


def shown_value(pool, address):
    """A component as a value of its C type, if the program has one of this name and size; otherwise its bytes."""
    size = int(pool["size"])
    if size == 0:
        return "tag"
    name = name_of(pool["type"])
    for candidate in (name, f"struct {name}"):
        try:
            type = gdb.lookup_type(candidate)
        except gdb.error:
            continue
        if type.sizeof == size:
            return gdb.Value(address).cast(type.pointer()).dereference()
    return gdb.Value(address).cast(gdb.lookup_type("unsigned char").array(size - 1).pointer()).dereference()


def positions_in_blocks(pool):
    """Pairs of an index and the address of its value."""
    blocks = pool["blocks"]
    for number in range(int(blocks["page_count"])):
        page = blocks["pages"][number]
        summary, page_blocks = int(page["summary"]), length_of(page["masks"])
        for block in range(page_blocks):
            mask = int(page["masks"][block]) if summary >> block & 1 else 0
            for bit in range(64):
                if mask >> bit & 1:
                    index = (number * page_blocks + block) * 64 + bit
                    yield index, find_in_blocks(blocks, index)


def entries_of(pool):
    """Pairs of an entity, as text, and the address of its component."""
    if in_blocks(pool):
        for index, address in positions_in_blocks(pool):
            yield f"{index}:{generation_at(pool['world'], index)}", address
        return
    set = pool["set"]
    page_size = length_of(gdb.lookup_type("covey__entity_page").strip_typedefs().fields()[0])
    for position in range(int(set["end"])):
        entity = set["ids"][position]
        is_hole = int(set["marks"]) and int(set["marks"][position // 64]) >> position % 64 & 1
        if int(entity["generation"]) != 0 and not is_hole:
            yield text_of(entity), value_in_set(set, position, page_size)


def count_of(pool):
    if in_blocks(pool):
        return int(pool["blocks"]["count"])
    return int(pool["set"]["end"]) - int(pool["set"]["holes"])


def plural(count, word):
    return f"{count} {word}" if count == 1 else f"{count} {word}s"


def pool_text(pool):
    storage = str(pool["storage"].cast(gdb.lookup_type("covey_storage"))).replace("COVEY_STORAGE_", "").lower()
    size = int(pool["size"])
    return f"{plural(count_of(pool), 'component')} of {plural(size, 'byte')}, {storage}"


# ---- Printers ----


class EntityPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        world = gdb.convenience_variable("covey_world")
        return text_of(self.value) if world is None else described(world, self.value)


class TypePrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        size = int(self.value["size"])
        return f"type {self.value['name'].string()}, {plural(size, 'byte') if size else 'a tag'}"


class WorldPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        pools = len(list(pools_of(self.value)))
        return f"world: alive {int(self.value['alive'])}, {plural(pools, 'pool')}"

    def children(self):
        for pool in pools_of(self.value):
            yield name_of(pool["type"]), pool_text(pool)


class PoolPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        return f"{name_of(self.value['type'])}: {pool_text(self.value)}"

    def children(self):
        for entity, address in entries_of(self.value):
            yield f"[{entity}]", shown_value(self.value, address)


class ViewPrinter:
    def __init__(self, value):
        self.value = value

    def to_string(self):
        at, parts = 0, []
        for term in ("with", "optional", "any", "without"):
            count = int(self.value[term])
            names = ", ".join(name_of(self.value["types"][at + i]) for i in range(count))
            at += count
            if count:
                parts.append(f"{term} {names}")
        return f"view {'; '.join(parts)}" if parts else "view of nothing"


class CoveyCommand(gdb.Command):
    """Show an entity with its components: covey WORLD INDEX"""

    def __init__(self):
        super().__init__("covey", gdb.COMMAND_DATA, gdb.COMPLETE_EXPRESSION)

    def invoke(self, arguments, from_tty):
        parts = gdb.string_to_argv(arguments)
        if len(parts) != 2:
            raise gdb.GdbError("covey needs a world and an index: covey WORLD INDEX")
        world, index = gdb.parse_and_eval(parts[0]), int(gdb.parse_and_eval(parts[1]))
        generation = generation_at(world, index)
        if generation % 2 == 0:
            raise gdb.GdbError(f"no entity with index {index} is alive")
        print(f"{index}:{generation}")
        entity = {"index": index, "generation": generation}
        for pool in pools_of(world):
            address = self.find(pool, entity)
            if address is not None:
                value = shown_value(pool, address)
                print(f"  {name_of(pool['type'])} = {value if isinstance(value, str) else value.format_string()}")

    @staticmethod
    def find(pool, entity):
        if in_blocks(pool):
            return find_in_blocks(pool["blocks"], entity["index"])
        text = f"{entity['index']}:{entity['generation']}"
        return next((address for found, address in entries_of(pool) if found == text), None)


def printers():
    collection = gdb.printing.RegexpCollectionPrettyPrinter("covey")
    for name, printer in (("entity", EntityPrinter), ("type", TypePrinter), ("world", WorldPrinter),
                          ("pool", PoolPrinter), ("view", ViewPrinter)):
        collection.add_printer(f"covey_{name}", f"^covey_{name}$", printer)
    return collection


gdb.printing.register_pretty_printer(gdb.current_objfile(), printers(), replace=True)
CoveyCommand()
