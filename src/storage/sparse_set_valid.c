/* The invariants of a sparse set. */
#include "memory/result.h"
#include "storage/sparse_set.h"

static bool valid_shape(const covey_sparse_set *set, const char **why) {
    bool makes_holes = set->policy == COVEY_IN_PLACE || set->policy == COVEY_ORDERED;
    uint32_t size = covey_sparse_set_position_count(set);
    REQUIRE(set->policy <= COVEY_ORDERED, "set: unknown policy");
    REQUIRE(set->holes <= set->end, "set: more holes than positions");
    REQUIRE(makes_holes || set->holes == 0, "set: a hole under a policy that makes none");
    REQUIRE(set->policy == COVEY_SWAP_ONLY || set->dead == 0, "set: dead elements under a policy that keeps none");
    REQUIRE(set->policy == COVEY_IN_PLACE || set->hole == COVEY_NONE, "set: a free list under a policy without one");
    REQUIRE(set->policy == COVEY_ORDERED || !set->marks, "set: marks under a policy without them");
    REQUIRE(!set->marks || (uint64_t)set->mark_capacity * 64 >= size, "set: more positions than marks");
    REQUIRE(size <= set->id_capacity, "set: more positions than capacity for ids");
    REQUIRE(set->size == 0 || size <= set->data_capacity, "set: more positions than capacity for values");
    REQUIRE(set->room <= set->id_capacity && (set->size == 0 || set->room <= set->data_capacity),
            "set: room beyond the capacity");
    REQUIRE(set->size != 0 || set->data, "set: a set of ids has no address for its values");
    return true;
}

static bool valid_positions(const covey_sparse_set *set, const char **why) {
    uint32_t holes = 0;
    for (uint32_t i = 0; i < covey_sparse_set_position_count(set); i++) {
        covey_entity e = set->ids[i];
        if (i < set->end && covey__is_hole(set, i)) {
            holes++;
            continue;
        }
        REQUIRE(e.index < COVEY_NONE && e.generation != 0 && e.generation <= COVEY_GENERATION_MAX,
                "set: an id that cannot exist");
        REQUIRE(e.index / COVEY_PAGE_SIZE < set->page_count, "set: an element without a page");
        REQUIRE(*covey__slot_of(set, e.index) == COVEY__SLOT(i, e.generation),
                "set: a slot does not match its element");
    }
    REQUIRE(holes == set->holes, "set: the number of holes is wrong");
    for (uint64_t i = set->end; i < (uint64_t)set->mark_capacity * 64; i++)
        REQUIRE((set->marks[i / 64] >> i % 64 & 1) == 0, "set: a mark behind the last element");
    return true;
}

/* A slot has both a position and a generation, or neither. Without branches, because tests call this after each
 * step. */
static bool valid_slots(const covey_sparse_set *set, const char **why) {
    uint64_t present = 0;
    for (uint32_t number = 0; number < set->page_count; number++) {
        const covey__slot *page = covey__set_page(set, number);
        if (!page) continue;
        uint32_t strange = 0, absent = 0;
        for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i++) {
            uint32_t position = covey__slot_position(page[i]), generation = covey__slot_generation(page[i]);
            strange += (position == COVEY_NONE) ^ (generation == 0);
            absent += position == COVEY_NONE;
        }
        REQUIRE(strange == 0, "set: a slot is neither absent nor in use");
        present += COVEY_PAGE_SIZE - absent;
    }
    REQUIRE(present == covey_sparse_set_position_count(set) - set->holes, "set: more slots than elements");
    return true;
}

static bool valid_hole_list(const covey_sparse_set *set, const char **why) {
    uint32_t listed = 0;
    for (uint32_t at = set->hole; at != COVEY_NONE; at = set->ids[at].index) {
        REQUIRE(at < set->end && covey__is_hole(set, at), "set: the free list leads to an element");
        REQUIRE(listed++ < set->holes, "set: the free list is longer than the number of holes");
    }
    REQUIRE(set->policy != COVEY_IN_PLACE || listed == set->holes, "set: a hole is not in the free list");
    return true;
}

/* The bytes of the set's arrays, computed from their capacities. */
static size_t counted_bytes(const covey_sparse_set *set) {
    size_t bytes = set->page_count * sizeof *set->pages + set->id_capacity * sizeof *set->ids;
    bytes += set->mark_capacity * sizeof *set->marks;
    for (uint32_t i = 0; i < set->page_count; i++)
        if (covey__set_page(set, i)) bytes += COVEY_PAGE_SIZE * sizeof(covey__slot);
    if (!set->paged) return bytes + (size_t)set->data_capacity * set->size;
    uint32_t pages = set->data_capacity / COVEY_PAGE_SIZE + (set->data_capacity % COVEY_PAGE_SIZE != 0);
    return bytes + set->table_capacity * sizeof(void *) + (size_t)pages * COVEY_PAGE_SIZE * set->size;
}

bool covey__set_valid(const covey_sparse_set *set, const char *bytes, const char **why) {
    if (!valid_shape(set, why) || !valid_positions(set, why) || !valid_slots(set, why) || !valid_hole_list(set, why))
        return false;
    REQUIRE(set->heap.bytes == counted_bytes(set), bytes);
    return true;
}

bool covey_sparse_set_validate(const covey_sparse_set *set, const char **why) {
    REQUIRE(set, "set: NULL");
    covey_sparse_set inside = *set;
    inside.heap.bytes -= sizeof *set; /* the struct itself was allocated, too */
    return covey__set_valid(&inside, "set: bytes that are not accounted for", why);
}
