/* All programs over a world with three indices and four generations, so that an index is used twice and then retired,
 * without components and with one pool of each storage and policy: each answer, and everything that can be observed
 * after each step, is what the specification says (spec_world.c), also when any allocation fails.
 *
 *     exhaustive_world [STEPS]    programs of up to so many steps, four more without components */
#include "spec_world.h"
#include "walk.h"

#include "memory/inner.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { OPERATIONS_MOST = 80, VALUE_SIZE = 8, BOTH = 2 };

typedef enum operation_kind {
    CREATE,
    CREATE_TWO,
    CREATE_AT,
    CREATE_EXACT,
    CREATE_AGAIN,
    EXACT_TWO, /* e and the next index with the same generation */
    CREATE_IN,
    RESERVE,
    DESTROY,
    DESTROY_TWO,
    DESTROY_ALL,
    COMPACT,
    SHRINK,
    ADD,
    SET,
    REMOVE,
    HAS, /* a world notes types that it does not know */
    CLEAR,
    SWAP
} operation_kind;

typedef struct operation {
    operation_kind kind;
    covey_entity e;
} operation;

static arena memory;
static spec_world spec;
static covey_world *world;     /* the root of the memory */
static const covey_type *type; /* of the pool; NULL: there is none */

static operation operations[OPERATIONS_MOST];
static uint32_t operation_count;

/* ---- The operations ----------------------------------------------------------------------------------------------*/

static void list(operation_kind kind, covey_entity e) {
    if (operation_count == OPERATIONS_MOST) abort();
    operations[operation_count++] = (operation){ kind, e };
}

static void list_for_index(uint32_t index) {
    static const operation_kind of_handle[] = { CREATE_EXACT, CREATE_AGAIN, DESTROY }, of_component[] = { ADD, REMOVE };
    list(CREATE_AT, covey__entity(index, 0));
    for (uint32_t generation = 1; generation <= COVEY_GENERATION_MAX; generation += 2) {
        covey_entity e = covey__entity(index, generation);
        for (size_t i = 0; i < sizeof of_handle / sizeof *of_handle; i++) list(of_handle[i], e);
        for (size_t i = 0; i < sizeof of_component / sizeof *of_component && type; i++) list(of_component[i], e);
    }
    if (type) list(SET, covey__entity(index, 1));
}

static void list_all(void) {
    covey_entity none = { 0, 0 }, last = covey__entity(COVEY_NONE - 1u, 0);
    operation_count = 0;
    list(CREATE, none);
    list(CREATE_TWO, none);
    list(CREATE_IN, last);
    list(RESERVE, last);
    for (uint32_t i = 0; i < SPEC_INDICES; i++) list_for_index(SPEC_FIRST + i);
    list(CREATE_AT, covey__entity(COVEY_NONE, 0));
    list(CREATE_EXACT, covey__entity(SPEC_FIRST, 2));
    list(EXACT_TWO, covey__entity(SPEC_FIRST, 1));
    list(EXACT_TWO, covey__entity(SPEC_FIRST + 1, 3));
    list(DESTROY, covey__entity(SPEC_FIRST, 2));
    list(DESTROY_TWO, covey__entity(SPEC_FIRST, 1));
    list(DESTROY_TWO, covey__entity(SPEC_FIRST + 1, 3));
    list(DESTROY_ALL, none);
    list(COMPACT, none);
    list(SHRINK, none);
    if (type) list(HAS, covey__entity(SPEC_FIRST, 1));
    if (type) list(CLEAR, none);
    if (type) list(SWAP, covey__entity(SPEC_FIRST, 1));
}

static void describe(uint32_t number, char *text, size_t size) {
    static const char *const names[] = { "create",
                                         "create two",
                                         "create at",
                                         "create exactly",
                                         "create again",
                                         "create two exactly",
                                         "create in the range",
                                         "reserve",
                                         "destroy",
                                         "destroy two",
                                         "destroy all",
                                         "compact",
                                         "shrink",
                                         "add",
                                         "set",
                                         "remove",
                                         "has",
                                         "clear",
                                         "swap" };
    const operation *o = &operations[number];
    snprintf(text, size, "%s %u:%u", names[o->kind], (unsigned)o->e.index, (unsigned)o->e.generation);
}

/* ---- A step ------------------------------------------------------------------------------------------------------*/

static uint8_t value_of(covey_entity e) { return (uint8_t)(e.index * 4 + e.generation); }

static void pair_of(covey_entity e, covey_entity *both) {
    both[0] = e;
    both[1] = covey__entity(e.index + 1u, e.generation);
}

/* Whether a call succeeded, and why not. */
static covey_result settle(bool succeeded) { return succeeded ? COVEY_OK : covey_world_result(world); }

static covey_result created(covey_entity e, covey_entity *to) {
    *to = e;
    return settle(!covey_is_null(e));
}

/* These return why they failed, or COVEY_OK, and the handles that were made. */
static covey_result do_in_world(const operation *o, covey_entity *made) {
    covey_entity both[BOTH];
    pair_of(o->e, both);
    unsigned char bytes[VALUE_SIZE];
    memset(bytes, value_of(o->e), sizeof bytes);
    switch (o->kind) {
    case CREATE: return created(covey_create(world), made);
    case CREATE_TWO: return settle(covey_create_many(world, made, 2));
    case CREATE_AT: return created(covey_create_at(world, o->e.index), made);
    case CREATE_EXACT: return settle(covey_create_exact(world, &o->e, 1, COVEY_EXACT_NEW));
    case CREATE_AGAIN: return settle(covey_create_exact(world, &o->e, 1, COVEY_EXACT_AGAIN));
    case EXACT_TWO: return settle(covey_create_exact(world, both, 2, COVEY_EXACT_NEW));
    case CREATE_IN: return created(covey_create_in(world, (covey_range){ o->e.index, 1 }), made);
    case RESERVE: return settle(covey_range_reserve(world, o->e.index, 1).count != 0);
    case ADD: return settle(covey_add_raw(world, o->e, type, bytes) != NULL);
    case SET: return settle(covey_set_raw(world, o->e, type, NULL) != NULL);
    default: return COVEY_OK;
    }
}

static covey_result add_or_set(const operation *o) {
    uint32_t at = spec_set_live(&spec.pool, o->e);
    if (at == COVEY_NONE || !spec_world_alive(&spec, o->e))
        return spec_world_add(&spec, o->e, o->kind == ADD ? value_of(o->e) : 0);
    if (o->kind == SET) spec.pool.at[at].value = 0;
    return o->kind == SET ? COVEY_OK : COVEY_ERROR_PRESENT;
}

static covey_result do_in_spec(const operation *o, covey_entity *made) {
    covey_entity both[BOTH];
    pair_of(o->e, both);
    switch (o->kind) {
    case CREATE: return spec_world_create(&spec, 1, false, made);
    case CREATE_TWO: return spec_world_create(&spec, 2, false, made);
    case CREATE_AT: return spec_world_create_at(&spec, o->e.index, made);
    case CREATE_EXACT: return spec_world_create_exact(&spec, &o->e, 1, false);
    case CREATE_AGAIN: return spec_world_create_exact(&spec, &o->e, 1, true);
    case EXACT_TWO: return spec_world_create_exact(&spec, both, 2, false);
    case CREATE_IN: {
        const spec_index *i = spec_world_index(&spec, o->e.index);
        return i->reserved ? spec_world_create(&spec, 1, true, made) : COVEY_ERROR_ABSENT;
    }
    case RESERVE: return spec_world_reserve(&spec, o->e.index);
    case ADD:
    case SET: return add_or_set(o);
    default: return COVEY_OK;
    }
}

static bool never_fails(operation_kind kind) { return kind >= DESTROY && kind != ADD && kind != SET; }

/* Operations that only say whether, or how many; they never fail. */
static uint32_t count_in_world(const operation *o) {
    covey_entity both[BOTH];
    pair_of(o->e, both);
    switch (o->kind) {
    case DESTROY: return covey_destroy(world, o->e);
    case DESTROY_TWO: return covey_destroy_many(world, both, 2);
    case DESTROY_ALL: covey_destroy_all(world); return 0;
    case COMPACT: covey_compact(world); return 0;
    case SHRINK: covey_shrink(world); return 0;
    case REMOVE: return covey_remove_raw(world, o->e, type);
    case HAS: return covey_has_raw(world, o->e, type);
    case CLEAR: covey_clear_raw(world, type); return 0;
    default: return COVEY_NONE;
    }
}

static uint32_t count_in_spec(const operation *o) {
    covey_entity both[BOTH];
    pair_of(o->e, both);
    switch (o->kind) {
    case DESTROY: return spec_world_destroy(&spec, o->e);
    case DESTROY_TWO: return (uint32_t)spec_world_destroy(&spec, both[0]) + spec_world_destroy(&spec, both[1]);
    case DESTROY_ALL: spec_world_destroy_all(&spec); return 0;
    case COMPACT: spec_world_compact(&spec); return 0;
    case SHRINK: return 0;
    case REMOVE: return spec_world_remove(&spec, o->e);
    case HAS: return spec_world_alive(&spec, o->e) && spec_set_live(&spec.pool, o->e) != COVEY_NONE;
    case CLEAR: spec_set_clear(&spec.pool); return 0;
    default: return COVEY_NONE;
    }
}

/* Exchanges two components of a sparse pool, if there is one. */
static void swap(walk *w, covey_entity e) {
    covey_entity both[BOTH];
    pair_of(e, both);
    covey_pool *pool = covey_pool_find_raw(world, type);
    bool refused = spec.by_index || spec.pool.policy == COVEY_IN_PLACE;
    if (!pool) return;
    covey_result wanted = COVEY_ERROR_ABSENT;
    bool live = spec_set_live(&spec.pool, both[0]) != COVEY_NONE && spec_set_live(&spec.pool, both[1]) != COVEY_NONE;
    if (refused) wanted = COVEY_ERROR_REFUSED;
    else if (live) wanted = spec_set_swap(&spec.pool, both[0], both[1]);
    walk_require(w, covey_pool_swap(pool, both[0], both[1]) == wanted, "swap disagrees");
}

static void create_or_add(walk *w, const operation *o) {
    covey_entity made[BOTH] = { { 0, 0 }, { 0, 0 } }, wanted[BOTH] = { { 0, 0 }, { 0, 0 } };
    covey_result result = do_in_world(o, made);
    bool failed = arena_failed(&memory), creates = o->kind <= CREATE_IN;
    if (result == COVEY_OK && o->kind <= CREATE_AT) {
        const spec_index *i = spec_world_index(&spec, made[0].index);
        walk_require(w, i && !(i->issued >> made[0].generation & 1), "a handle was issued before");
    }
    walk_require(w, result == (failed ? COVEY_ERROR_MEMORY : do_in_spec(o, wanted)), "another result");
    for (uint32_t i = 0; i < BOTH && creates; i++) walk_require(w, covey_same(made[i], wanted[i]), "another handle");
}

static void apply(walk *w, uint32_t number) {
    const operation *o = &operations[number];
    world = memory.root;
    if (o->kind == SWAP) swap(w, o->e);
    else if (never_fails(o->kind)) walk_require(w, count_in_world(o) == count_in_spec(o), "another number");
    else create_or_add(w, o);
    world->inner->result = COVEY_OK; /* of the last failure: nothing but covey_world_result reads it */
    world->inner->failures = 0;
}

/* ---- What can be observed ----------------------------------------------------------------------------------------*/

static void check_index(walk *w, uint32_t index, covey_entity *last) {
    const spec_index *i = spec_world_index(&spec, index);
    covey_entity now = i && i->alive ? covey__entity(index, i->last) : (covey_entity){ 0, 0 };
    walk_require(w, covey_same(covey_entity_at(world, index), now), "another entity has the index");
    walk_require(w, covey_generation_at(world, index) == (i ? i->last : 0), "another generation");
    for (uint32_t generation = 0; generation <= COVEY_GENERATION_MAX; generation++) {
        covey_entity e = covey__entity(index, generation);
        walk_require(w, covey_alive(world, e) == spec_world_alive(&spec, e), "alive");
    }
    if (covey_is_null(now)) return;
    *last = covey_entity_next(world, *last);
    walk_require(w, covey_same(*last, now), "another entity is next");
}

static void check_component(walk *w, covey_entity e) {
    uint32_t at = spec_world_alive(&spec, e) ? spec_set_live(&spec.pool, e) : COVEY_NONE;
    const unsigned char *value = covey_get_raw(world, e, type);
    walk_require(w, covey_has_raw(world, e, type) == (at != COVEY_NONE), "has");
    walk_require(w, (value != NULL) == (at != COVEY_NONE), "get");
    for (uint32_t i = 0; i < VALUE_SIZE && value; i++)
        walk_require(w, value[i] == spec.pool.at[at].value, "another value");
}

/* The components in their order. Positions of blocks are indices. */
static void check_order(walk *w, const covey_pool *pool) {
    uint32_t at = covey_pool_next(pool, 0);
    for (uint32_t i = 0; i < spec.pool.end; i++) {
        const spec_element *e = &spec.pool.at[i];
        if (e->hole) continue;
        walk_require(w, spec.by_index || at == i, "another position is next");
        walk_require(w, covey_same(covey_pool_at(pool, at), covey__entity(e->index, e->generation)),
                     "another component is next");
        at = covey_pool_next(pool, at + 1);
    }
    walk_require(w, at == COVEY_NONE, "there are more components");
}

static void check_pool(walk *w) {
    const covey_pool *pool = covey_pool_find_raw(world, type);
    uint32_t count = spec.pool.end - (uint32_t)spec.pool.hole_count;
    walk_require(w, pool != NULL || count == 0, "there is no pool");
    if (!pool) return;
    walk_require(w, covey_pool_count(pool) == count, "another number of components");
    walk_require(w, spec.by_index || covey_pool_position_count(pool) == spec.pool.end, "another number of positions");
    check_order(w, pool);
}

static void check(walk *w) {
    const char *why = "";
    covey_entity last = { 0, 0 };
    uint32_t alive = 0;
    bool valid = covey_world_validate(world, &why);
    walk_require(w, valid, why);
    walk_require(w, covey_world_memory(world) == memory.bytes, "the memory is not counted");
    for (uint32_t index = 0; index < COVEY_NONE; index++) check_index(w, index, &last);
    walk_require(w, covey_is_null(covey_entity_next(world, last)), "there are more entities");
    for (uint32_t k = 0; k < SPEC_INDICES; k++) {
        alive += spec.at[k].alive;
        for (uint32_t generation = 0; generation <= COVEY_GENERATION_MAX && type; generation++)
            check_component(w, covey__entity(SPEC_FIRST + k, generation));
    }
    walk_require(w, covey_entity_count(world) == alive, "another number of entities");
    if (type) check_pool(w);
}

/* ---- The state of the library -------------------------------------------------------------------------------------
 *
 * All bytes of its memory, addresses included: worlds with equal bytes do the same. */

static void key(walk *w) {
    for (uint32_t at = 0; at < memory.end; at++) {
        if (memory.length[at] == 0) continue;
        walk_key(w, &at, sizeof at);
        walk_key(w, memory.memory[at], (size_t)memory.length[at] * ARENA_UNIT);
    }
}

/* ---- The worlds --------------------------------------------------------------------------------------------------*/

static covey_policy policy_now;
static bool by_index_now;

static void begin(walk *w) {
    arena_begin(&memory, 0xa5);
    world = memory.root = covey_world_create(
        &(covey_world_desc){ .allocator = arena_allocator(&memory), .first_index = SPEC_FIRST, .quiet = true });
    walk_require(w, world != NULL, "there is no world");
    spec_world_begin(&spec, policy_now, by_index_now);
}

static void run(const char *name, covey_storage storage, covey_policy policy, uint32_t steps) {
    static covey_type description;
    static const char *const type_name = "Value";
    walk_subject subject = { .steps = steps,
                             .memory = &memory,
                             .spec = &spec,
                             .spec_size = sizeof spec,
                             .begin = begin,
                             .apply = apply,
                             .check = check,
                             .key = key,
                             .describe = describe };
    description =
        (covey_type){ .name = type_name, .size = VALUE_SIZE, .align = 8, .storage = storage, .policy = policy };
    type = storage == COVEY_STORAGE_DEFAULT ? NULL : &description;
    policy_now = policy;
    by_index_now = storage != COVEY_STORAGE_SPARSE;
    list_all();
    subject.operations = operation_count;
    snprintf(subject.name, sizeof subject.name, "%s", name);
    walk_run(&subject);
}

int main(int argc, char **argv) {
    uint32_t steps = argc > 1 ? (uint32_t)strtoul(argv[1], NULL, 10) : 0;
    run("entities", COVEY_STORAGE_DEFAULT, COVEY_SWAP_AND_POP, steps != 0 ? steps + 4 : 12);
    run("a pool in blocks", COVEY_STORAGE_BLOCK, COVEY_SWAP_AND_POP, steps != 0 ? steps : 4);
    run("a pinned pool", COVEY_STORAGE_PINNED, COVEY_SWAP_AND_POP, steps != 0 ? steps : 4);
    run("a sparse pool, swap-remove", COVEY_STORAGE_SPARSE, COVEY_SWAP_AND_POP, steps != 0 ? steps : 4);
    run("a sparse pool, in place", COVEY_STORAGE_SPARSE, COVEY_IN_PLACE, steps != 0 ? steps : 4);
    run("a sparse pool, swap only", COVEY_STORAGE_SPARSE, COVEY_SWAP_ONLY, steps != 0 ? steps : 4);
    run("a sparse pool, ordered", COVEY_STORAGE_SPARSE, COVEY_ORDERED, steps != 0 ? steps : 4);
    return EXIT_SUCCESS;
}
