/* All programs over a sparse set with three indices, on two pages of the table, and three generations, for each policy:
 * each answer, and everything that can be observed after each step, is what the specification says (spec_set.c), also
 * when any allocation fails.
 *
 *     exhaustive_set [STEPS]    programs of up to so many steps, instead of those that take seconds */
#include "spec_set.h"
#include "walk.h"

#include "storage/sparse_set.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { INDICES = 3, GENERATIONS = 3, VALUE_MOST = 8, OPERATIONS_MOST = 160 };

typedef enum operation_kind {
    PUSH,        /* a is e, value b */
    PUSH_OTHER,  /* at the other end */
    PUSH_INSIDE, /* with the value at the first position */
    PUSH_BOTH,
    REMOVE,
    REMOVE_BOTH,
    ERASE_ORDERED,
    BUMP,
    MOVE_BORDER,
    SWAP,
    SORT,
    COMPACT,
    CLEAR,
    SHRINK,
    RESERVE,
    CLONE
} operation_kind;

typedef struct operation {
    operation_kind kind;
    covey_entity a, b;
    uint32_t number;
} operation;

static arena memory;
static spec_set spec;
static covey_sparse_set *set; /* the root of the memory */
static uint32_t value_size;
static covey_sparse_set_desc description;
static uint32_t used_before; /* positions that are used and free again before the program begins */

static operation operations[OPERATIONS_MOST];
static uint32_t operation_count;

/* ---- The operations ----------------------------------------------------------------------------------------------*/

static void list(operation_kind kind, covey_entity a, covey_entity b, uint32_t number) {
    if (operation_count == OPERATIONS_MOST) abort();
    operations[operation_count++] = (operation){ kind, a, b, number };
}

static uint8_t value_of(covey_entity e) { return (uint8_t)(e.index * 4 + e.generation); }

static void list_for_handle(covey_entity e) {
    bool other_end = description.policy == COVEY_IN_PLACE || description.policy == COVEY_SWAP_ONLY;
    bool shifts = description.policy == COVEY_SWAP_AND_POP || description.policy == COVEY_ORDERED;
    list(PUSH, e, COVEY_NULL, value_of(e));
    list(REMOVE, e, COVEY_NULL, 0);
    list(BUMP, e, COVEY_NULL, 0);
    if (other_end) list(PUSH_OTHER, e, COVEY_NULL, value_of(e));
    if (shifts) list(ERASE_ORDERED, e, COVEY_NULL, 0);
}

static void list_for_pair(uint32_t a, uint32_t b) {
    list(PUSH_BOTH, covey__entity(a, 1), covey__entity(b, 2), 0);
    list(SWAP, covey__entity(a, 0), covey__entity(b, 0), 0);
    if (a < b) list(REMOVE_BOTH, covey__entity(a, 1), covey__entity(b, 1), 0);
}

static void list_refused(void) {
    list(PUSH, covey__entity(COVEY_NONE, 1), COVEY_NULL, 1);
    list(PUSH, covey__entity(0, 0), COVEY_NULL, 1);
    list(BUMP, covey__entity(0, 0), COVEY_NULL, 0);
    list(PUSH_BOTH, covey__entity(2, 1), covey__entity(0, 0), 0);
    list(SWAP, covey__entity(0, 1), covey__entity(1, 1), 0);
    list(RESERVE, COVEY_NULL, COVEY_NULL, 5);
    if (COVEY_INDEX_BITS < 32) list(RESERVE, COVEY_NULL, COVEY_NULL, COVEY_NONE + 1u);
    if (description.policy != COVEY_SWAP_ONLY) list(MOVE_BORDER, COVEY_NULL, COVEY_NULL, 0);
    if (description.policy == COVEY_IN_PLACE || description.policy == COVEY_SWAP_ONLY)
        list(ERASE_ORDERED, covey__entity(0, 1), COVEY_NULL, 0);
}

static void list_all(void) {
    operation_count = 0;
    for (uint32_t index = 0; index < INDICES; index++)
        for (uint32_t generation = 1; generation <= GENERATIONS; generation++)
            list_for_handle(covey__entity(index, generation));
    for (uint32_t a = 0; a < INDICES; a++) {
        list(PUSH, covey__entity(a, 1), COVEY_NULL, 0);
        list(PUSH_INSIDE, covey__entity(a, 2), COVEY_NULL, 0);
        for (uint32_t b = 0; b < INDICES; b++) list_for_pair(a, b);
    }
    for (uint32_t i = 0; i <= INDICES + 1 && description.policy == COVEY_SWAP_ONLY; i++)
        list(MOVE_BORDER, COVEY_NULL, COVEY_NULL, i);
    list(SORT, COVEY_NULL, COVEY_NULL, false);
    list(SORT, COVEY_NULL, COVEY_NULL, true);
    list(COMPACT, COVEY_NULL, COVEY_NULL, 0);
    list(CLEAR, COVEY_NULL, COVEY_NULL, 0);
    list(SHRINK, COVEY_NULL, COVEY_NULL, 0);
    list(CLONE, COVEY_NULL, COVEY_NULL, 0);
    list_refused();
}

static void describe(uint32_t number, char *text, size_t size) {
    static const char *const names[] = { "push",
                                         "push at the other end",
                                         "push the first value",
                                         "push both",
                                         "remove",
                                         "remove both",
                                         "erase ordered",
                                         "bump",
                                         "move border",
                                         "swap",
                                         "sort",
                                         "compact",
                                         "clear",
                                         "shrink",
                                         "reserve",
                                         "clone" };
    const operation *o = &operations[number];
    snprintf(text, size, "%s %u:%u %u:%u (%u)", names[o->kind], (unsigned)o->a.index, (unsigned)o->a.generation,
             (unsigned)o->b.index, (unsigned)o->b.generation, (unsigned)o->number);
}

/* ---- A step ------------------------------------------------------------------------------------------------------*/

static const void *bytes_of(uint8_t value, unsigned char *bytes) {
    if (value == 0) return NULL;
    memset(bytes, value, VALUE_MOST);
    return bytes;
}

/* The handle that an index has in the set, so that a swap need not be tried with all generations. */
static covey_entity present(covey_entity e) {
    uint32_t at = spec_set_where(&spec, e.index);
    if (e.generation != 0) return e;
    return covey__entity(e.index, at != COVEY_NONE ? spec.at[at].generation : 1);
}

static covey_result push(const operation *o, bool back) {
    unsigned char bytes[VALUE_MOST];
    return covey_sparse_set_push_to(set, o->a, bytes_of((uint8_t)o->number, bytes), back);
}

static covey_result push_both(const operation *o) {
    covey_entity both[] = { o->a, o->b };
    unsigned char bytes[2 * VALUE_MOST];
    memset(bytes, value_of(o->a), value_size);
    memset(bytes + value_size, value_of(o->b), value_size);
    return covey_sparse_set_push_range(set, both, 2, bytes);
}

static covey_result sort(const operation *o) {
    return covey_sparse_set_sort(set, &(covey_order){ .descending = o->number != 0 });
}

/* The clone takes the place of the set. */
static covey_result clone(void) {
    covey_sparse_set *copy = covey_sparse_set_clone(set);
    if (!copy) return COVEY_ERROR_MEMORY;
    covey_sparse_set_destroy(set);
    set = memory.root = copy;
    return COVEY_OK;
}

static bool pushes_back(const operation *o) {
    bool usual = description.policy != COVEY_IN_PLACE;
    return o->kind == PUSH_OTHER ? !usual : usual;
}

static bool has_first_value(void) { return spec.end != 0 && !spec.at[0].hole; }

/* The operations that may allocate, and those that never fail. */
static covey_result do_in_set(const operation *o) {
    switch (o->kind) {
    case PUSH:
    case PUSH_OTHER: return push(o, pushes_back(o));
    case PUSH_INSIDE:
        return covey_sparse_set_push(set, o->a, has_first_value() ? covey_sparse_set_value_at(set, 0) : NULL);
    case PUSH_BOTH: return push_both(o);
    case BUMP: return covey_sparse_set_bump(set, o->a);
    case MOVE_BORDER: return covey_sparse_set_move_border(set, o->number);
    case SWAP: return covey_sparse_set_swap(set, present(o->a), present(o->b));
    case SORT: return sort(o);
    case RESERVE: return covey_sparse_set_reserve(set, o->number);
    case CLONE: return clone();
    case COMPACT: covey_sparse_set_compact(set); break;
    case CLEAR: covey_sparse_set_clear(set); break;
    default: covey_sparse_set_shrink(set); break;
    }
    return COVEY_OK;
}

static covey_result do_in_spec(const operation *o) {
    switch (o->kind) {
    case PUSH:
    case PUSH_OTHER: return spec_set_push(&spec, o->a, (uint8_t)o->number, pushes_back(o));
    case PUSH_INSIDE: return spec_set_push(&spec, o->a, has_first_value() ? spec.at[0].value : 0, pushes_back(o));
    case PUSH_BOTH: {
        covey_entity both[] = { o->a, o->b };
        return spec_set_push_range(&spec, both, 2, (uint8_t[]){ value_of(o->a), value_of(o->b) });
    }
    case BUMP: return spec_set_bump(&spec, o->a);
    case MOVE_BORDER: return spec_set_move_border(&spec, o->number);
    case SWAP: return spec_set_swap(&spec, present(o->a), present(o->b));
    case SORT: return spec_set_sort(&spec, o->number != 0);
    case RESERVE: return o->number > COVEY_NONE ? COVEY_ERROR_RANGE : COVEY_OK;
    case COMPACT: spec_set_compact(&spec); break;
    case CLEAR: spec_set_clear(&spec); break;
    default: break; /* the same elements in the same places */
    }
    return COVEY_OK;
}

static void remove_from_both(walk *w, const operation *o) {
    covey_entity both[] = { o->a, o->b };
    uint32_t wanted = 0;
    for (uint32_t i = 0; i < 2; i++) wanted += spec_set_remove(&spec, both[i]);
    walk_require(w, covey_sparse_set_remove_range(set, both, 2) == wanted, "another number was removed");
}

static void apply(walk *w, uint32_t number) {
    const operation *o = &operations[number];
    set = memory.root;
    if (o->kind == REMOVE) {
        walk_require(w, covey_sparse_set_remove(set, o->a) == spec_set_remove(&spec, o->a), "remove disagrees");
    } else if (o->kind == REMOVE_BOTH) {
        remove_from_both(w, o);
    } else if (o->kind == ERASE_ORDERED) {
        bool erased = covey_sparse_set_erase_ordered(set, o->a);
        walk_require(w, erased == spec_set_erase_ordered(&spec, o->a), "erase_ordered disagrees");
    } else {                                /* a call whose allocation fails returns MEMORY and changes nothing */
        covey_result result = do_in_set(o); /* before the specification changes */
        bool failed = arena_failed(&memory) && o->kind != SHRINK;
        walk_require(w, result == (failed ? COVEY_ERROR_MEMORY : do_in_spec(o)), "another result");
    }
}

/* ---- What can be observed ----------------------------------------------------------------------------------------*/

static void check_value(walk *w, const unsigned char *bytes, uint8_t value) {
    for (uint32_t i = 0; i < value_size; i++) walk_require(w, bytes[i] == value, "another value");
}

static void check_position(walk *w, uint32_t at) {
    const spec_element *e = &spec.at[at];
    covey_entity id = covey_sparse_set_at(set, at);
    unsigned char *value = covey_sparse_set_value_at(set, at);
    walk_require(w, id.generation == e->generation, "another generation at a position");
    if (e->hole) {
        if (spec.zeroes) check_value(w, value, 0);
        return;
    }
    walk_require(w, id.index == e->index, "another index at a position");
    walk_require(w, covey_same(covey_sparse_set_ids(set)[at], id), "another id in the array");
    check_value(w, value, e->value);
    unsigned char *values = covey_sparse_set_values(set);
    walk_require(w, (values == NULL) == (description.policy == COVEY_IN_PLACE && value_size != 0), "array of values");
    if (values) walk_require(w, value == values + (size_t)at * value_size, "another place in the array");
    else
        walk_require(w,
                     value == (unsigned char *)covey_sparse_set_page(set, at / COVEY_PAGE_SIZE) +
                                  (size_t)(at % COVEY_PAGE_SIZE) * value_size,
                     "another place in the page");
}

static void check_handle(walk *w, covey_entity e) {
    uint32_t at = spec_set_find(&spec, e);
    walk_require(w, covey_sparse_set_find(set, e) == at, "another position");
    walk_require(w, covey_sparse_set_contains(set, e) == (at != COVEY_NONE), "contains");
    walk_require(w, covey_sparse_set_live(set, e) == (at < spec.end), "live");
    walk_require(w, covey_sparse_set_get(set, e) == (at != COVEY_NONE ? covey_sparse_set_value_at(set, at) : NULL),
                 "get");
}

static uint32_t next_live(uint32_t at) {
    while (at < spec.end && spec.at[at].hole) at++;
    return at < spec.end ? at : COVEY_NONE;
}

static uint32_t head(void) {
    if (description.policy == COVEY_SWAP_ONLY) return spec.end;
    bool has = description.policy == COVEY_IN_PLACE && spec.hole_count != 0;
    return has ? spec.holes[spec.hole_count - 1] : COVEY_NONE;
}

static void check_indices(walk *w) {
    for (uint32_t index = 0; index < INDICES + 2; index++) {
        uint32_t at = spec_set_where(&spec, index);
        uint32_t generation = at != COVEY_NONE ? spec.at[at].generation : 0;
        walk_require(w, covey_sparse_set_current(set, index) == generation, "current");
        for (uint32_t i = 0; i <= GENERATIONS; i++) check_handle(w, covey__entity(index, i));
    }
    check_handle(w, covey__entity(COVEY_NONE, 1));
}

/* Erased values are zeroed, also those behind the last position. */
static void check_zeroes(walk *w, uint32_t positions) {
    size_t all = (size_t)set->data_capacity * value_size;
    for (size_t i = (size_t)positions * value_size; i < all && !set->paged; i++)
        walk_require(w, ((unsigned char *)set->data)[i] == 0, "an erased value is left");
}

static void check(walk *w) {
    uint32_t positions = spec_set_positions(&spec);
    const char *why = "";
    bool valid = covey_sparse_set_validate(set, &why);
    walk_require(w, valid, why);
    walk_require(w, covey_sparse_set_position_count(set) == positions, "another number of positions");
    walk_require(w, covey_sparse_set_count(set) == spec.end - (uint32_t)spec.hole_count, "another number of elements");
    walk_require(w, covey_sparse_set_contiguous(set) == (spec.hole_count == 0), "contiguous");
    walk_require(w, covey_sparse_set_head(set) == head(), "head");
    walk_require(w, covey_sparse_set_capacity(set) >= positions, "the capacity is too small");
    walk_require(w, covey_sparse_set_memory(set) == memory.bytes, "the memory is not counted");
    for (uint32_t i = 0; i < positions; i++) check_position(w, i);
    for (uint32_t i = 0; i <= positions + 1; i++)
        walk_require(w, covey_sparse_set_next(set, i) == next_live(i), "next");
    walk_require(w, covey_is_null(covey_sparse_set_at(set, positions)), "an id behind the end");
    walk_require(w, !covey_sparse_set_value_at(set, positions), "a value behind the end");
    check_indices(w);
    if (spec.zeroes) check_zeroes(w, positions);
}

/* ---- The state of the library -------------------------------------------------------------------------------------
 *
 * All fields of the set, but addresses, and those that never change; the table; ids, values and marks up to the
 * last position. Addresses are only used to read and write. Unused memory is filled with junk, so it is always the
 * same. */

static void fill_unused(void) {
    uint32_t positions = set->end + set->dead;
    memset(set->ids + positions, memory.junk, (set->id_capacity - positions) * sizeof *set->ids);
    if (spec.zeroes || value_size == 0) return;
    for (uint32_t i = positions; i < set->data_capacity; i++)
        memset(covey__value_at(set, i, value_size), memory.junk, value_size);
    for (uint32_t i = 0; i < set->end; i++)
        if (covey__is_hole(set, i)) memset(covey__value_at(set, i, value_size), memory.junk, value_size);
}

static void key_numbers(walk *w) {
    const uint32_t numbers[] = { set->page_count,  set->end,           set->dead,           set->holes,
                                 set->hole,        set->room,          set->row_room,       set->removal,
                                 set->id_capacity, set->data_capacity, set->table_capacity, set->mark_capacity };
    walk_key(w, numbers, sizeof numbers);
}

static void key(walk *w) {
    fill_unused();
    key_numbers(w);
    for (uint32_t i = 0; i < set->page_count; i++) {
        const covey__slot *page = covey__set_page(set, i);
        if (page) walk_key(w, page, COVEY_PAGE_SIZE * sizeof *page);
        else walk_key(w, "", 1);
    }
    uint32_t positions = set->end + set->dead;
    if (positions != 0) walk_key(w, set->ids, positions * sizeof *set->ids);
    if (set->mark_capacity != 0) walk_key(w, set->marks, set->mark_capacity * sizeof *set->marks);
    for (uint32_t i = 0; i < positions && value_size != 0; i++)
        walk_key(w, covey__value_at(set, i, value_size), value_size);
}

/* ---- The sets ----------------------------------------------------------------------------------------------------*/

/* Uses the positions up to a number, and leaves holes there. */
static void use_positions(void) {
    for (uint32_t i = 0; i < used_before; i++) {
        covey_entity e = covey__entity(INDICES, 1);
        if (covey_sparse_set_push_to(set, e, NULL, true) != spec_set_push(&spec, e, 0, true)) abort();
        if (covey_sparse_set_remove(set, e) != spec_set_remove(&spec, e)) abort();
    }
}

static void begin(walk *w) {
    arena_begin(&memory, spec.zeroes ? 0 : 0xa5);
    description.allocator = arena_allocator(&memory);
    set = memory.root = covey_sparse_set_create(&description);
    walk_require(w, set != NULL, "there is no set");
    spec_set_begin(&spec, description.policy, description.zero_erased);
    use_positions();
}

static void run(covey_policy policy, uint32_t size, bool zeroes, uint32_t used, uint32_t steps) {
    static const char *const names[] = { "swap-remove", "in place", "swap only", "ordered" };
    walk_subject subject = { .steps = steps,
                             .memory = &memory,
                             .spec = &spec,
                             .spec_size = sizeof spec,
                             .begin = begin,
                             .apply = apply,
                             .check = check,
                             .key = key,
                             .describe = describe };
    description = (covey_sparse_set_desc){ .size = size, .align = 1, .policy = policy, .zero_erased = zeroes };
    spec.zeroes = zeroes;
    value_size = size;
    used_before = used;
    list_all();
    subject.operations = operation_count;
    snprintf(subject.name, sizeof subject.name, "%s, %u bytes%s%s", names[policy], size, zeroes ? ", zeroed" : "",
             used != 0 ? ", almost full" : "");
    walk_run(&subject);
}

int main(int argc, char **argv) {
    static const uint32_t usual[] = { 8, 6, 6, 6 }; /* seconds each */
    uint32_t steps = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        run((covey_policy)policy, 8, false, 0, steps != 0 ? steps : usual[policy]);
        run((covey_policy)policy, 3, true, 0, steps != 0 ? steps : 5);
        run((covey_policy)policy, 0, false, 0, steps != 0 ? steps : 5);
        bool leaves_holes = policy == COVEY_IN_PLACE || policy == COVEY_ORDERED;
        if (leaves_holes && COVEY_INDEX_BITS < 32)
            run((covey_policy)policy, 3, false, COVEY_NONE - 2, steps != 0 ? steps : 5);
    }
    return EXIT_SUCCESS;
}
