/* Round trips: the world is saved and loaded into another one. Both then look the same, saving the other one gives the
 * same bytes, and the program continues as the oracle expects. */
#include "memory/inner.h"
#include "change/entity.h"
#include "memory/result.h"
#include "storage/type.h"
#undef REQUIRE /* the library's own */
#include "model_world.h"

#include <covey/hierarchy.h>

enum { TYPES = ORACLE_POOLS + 40 };

/* ---- Looking ------------------------------------------------------------------------------------------------------*/

static bool same_text(const char *a, const char *b) { return a && b ? strcmp(a, b) == 0 : a == b; }

static void compare_places(model *m, covey_entity e) {
    const covey_world *a = m->world, *b = m->twin;
    REQUIRE(m, covey_is_enabled(a, e) == covey_is_enabled(b, e), "%u is disabled in one of both", e.index);
    REQUIRE(m, same_text(covey_name(a, e), covey_name(b, e)), "%u has another name", e.index);
    REQUIRE(m, covey_same(covey_parent(a, e), covey_parent(b, e)), "%u has another parent", e.index);
    REQUIRE(m, covey_same(covey_child_first(a, e), covey_child_first(b, e)), "%u has another child", e.index);
    REQUIRE(m, covey_same(covey_child_next(a, e), covey_child_next(b, e)), "%u has another sibling", e.index);
}

static void compare_entities(model *m) {
    covey_entity e = { 0, 0 }, other = { 0, 0 };
    do {
        e = covey_entity_next(m->world, e);
        other = covey_entity_next(m->twin, other);
        REQUIRE(m, covey_same(e, other), "the image has entity %u:%u, not %u:%u", other.index, other.generation,
                e.index, e.generation);
        if (!covey_is_null(e)) compare_places(m, e);
    } while (!covey_is_null(e));
    REQUIRE(m, covey_tick(m->world) == covey_tick(m->twin), "another tick");
}

static void compare_pool(model *m, const covey_pool *pool, const covey_pool *other) {
    const covey_type *type = covey_pool_type(pool), *twin = covey_pool_type(other);
    uint32_t a = covey_pool_next(pool, 0), b = covey_pool_next(other, 0);
    REQUIRE(m, strcmp(type->name, twin->name) == 0, "a pool of %s, not of %s", twin->name, type->name);
    REQUIRE(m, (covey_pool_position_count)(pool) == (covey_pool_position_count)(other), "another size of %s",
            type->name);
    for (; a == b && a != COVEY_NONE; a = covey_pool_next(pool, a + 1), b = covey_pool_next(other, b + 1)) {
        covey_entity e = covey_pool_at(pool, a);
        const void *value = covey_get_raw(m->world, e, type), *its = covey_get_raw(m->twin, e, twin);
        REQUIRE(m, covey_same(e, covey_pool_at(other, b)), "another entity at %u of %s", a, type->name);
        REQUIRE(m, its && memcmp(value, its, type->size) == 0, "another %s of %u", type->name, e.index);
        REQUIRE(m,
                covey_component_is_enabled_raw(m->world, e, type) == covey_component_is_enabled_raw(m->twin, e, twin),
                "the %s of %u is disabled in one of both", type->name, e.index);
        REQUIRE(m, covey_changed_at_raw(m->world, e, type) == covey_changed_at_raw(m->twin, e, twin),
                "the %s of %u was changed at another time", type->name, e.index);
    }
    REQUIRE(m, a == b, "%s is at %u, not at %u", type->name, b, a);
    model_compare_spans(m, m->twin, type);
}

static covey_pool *next_pool(const covey_world *world, uint32_t *i) {
    covey_pool *pool;
    while ((pool = covey_world_pool(world, (*i)++)) != NULL && strncmp(covey_pool_type(pool)->name, "covey.", 6) == 0) {
    }
    return pool;
}

static void compare_pools(model *m) {
    uint32_t a = 0, b = 0;
    for (const covey_pool *pool; (pool = next_pool(m->world, &a)) != NULL;) {
        const covey_pool *other = next_pool(m->twin, &b);
        REQUIRE(m, other, "no pool of %s", covey_pool_type(pool)->name);
        compare_pool(m, pool, other);
    }
    REQUIRE(m, !next_pool(m->twin, &b), "one pool too many");
}

/* ---- Saving and loading -------------------------------------------------------------------------------------------*/

static bool is_in(const covey_type *const *types, const char *name) {
    for (; *types; types++)
        if (strcmp((*types)->name, name) == 0) return true;
    return false;
}

/* Those that were made in this world are made again in the other one. False when a resource is of another type than the
 * components of the same name, which no image has. */
static bool list_types(const model *m, const covey_type **types) {
    uint32_t count = 0, at = 0;
    for (const covey_pool *pool; (pool = next_pool(m->world, &at)) != NULL;)
        if (!covey__type_is_made(m->world, covey_pool_type(pool))) types[count++] = covey_pool_type(pool);
    types[count] = NULL;
    for (uint32_t i = 0; i < covey_world_resource_count(m->world); i++) {
        const covey_type *type = covey_world_resource(m->world, i), *known = covey_type_find(m->world, type->name);
        if (known && !covey__type_same_layout(known, type)) return false;
        if (covey__type_is_made(m->world, type) || is_in(types, type->name)) continue;
        types[count++] = type;
        types[count] = NULL;
    }
    return true;
}

static void save(model *m, covey_world *world, covey_buffer *buffer) {
    covey_report report;
    buffer->size = 0;
    covey_result result = covey_save_to_buffer(world, buffer, NULL, &report);
    REQUIRE(m, result == COVEY_OK, "the world could not be saved: %s", report.text);
    REQUIRE(m, covey_save_to_memory(world, NULL, 0, NULL, NULL) == buffer->size, "another size than was counted");
}

static void fail_to_save(model *m) {
    covey_result result = covey_save_to_buffer(m->world, &m->image, NULL, NULL);
    REQUIRE(m, result == COVEY_ERROR_TYPE, "saving two types of a name gives \"%s\"", covey_result_text(result));
    m->result = result;
}

/* A load without memory leaves nothing behind. */
static void load_in_vain(model *m, const covey_load_desc *desc) {
    test_heap *heap = &m->program.heap;
    test_fail_at(heap, 1 + program_below(&m->program, 60), program_chance(&m->program, 128));
    m->messages = 0;
    covey_result result = covey_load_from_memory(m->twin, m->image.bytes, m->image.size, desc, NULL);
    bool failed = heap->failed;
    test_fail_never(heap);
    REQUIRE(m, failed == (result == COVEY_ERROR_MEMORY), "loading gave \"%s\"", covey_result_text(result));
    REQUIRE(m, m->messages == failed, "%u messages", m->messages);
    if (failed) {
        bool empty = covey__entities_never_used(m->twin) && covey_world_resource_count(m->twin) == 0;
        const char *why = "";
        REQUIRE(m, empty, "something is left of an image that was not loaded");
        REQUIRE(m, covey_world_validate(m->twin, &why), "after a load that failed: %s", why);
    }
}

static void load(model *m, const covey_type *const *types) {
    covey_world_desc desc = { .allocator = test_allocator(&m->program.heap),
                              .log = m->world->inner->log,
                              .log_context = m->world->inner->log_context };
    covey_load_desc how = { .types = types, .unknown = COVEY_UNKNOWN_KEEP };
    covey_report report = { 0 };
    m->twin = covey_world_create(&desc);
    if (program_chance(&m->program, 64)) load_in_vain(m, &how);
    if (covey__entities_never_used(m->twin) && covey_world_resource_count(m->twin) == 0)
        (void)covey_load_from_memory(m->twin, m->image.bytes, m->image.size, &how, &report);
    REQUIRE(m, report.result == COVEY_OK, "the image could not be loaded: %s (byte %llu)", report.text,
            (unsigned long long)report.offset);
}

static void own_loaded(model *m) {
    uint32_t i = 0;
    for (const covey_pool *pool; (pool = next_pool(m->twin, &i)) != NULL;) {
        const covey_type *type = covey_pool_type(pool);
        if (type->codec) continue; /* its functions have done so */
        for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
            value_own(type, covey_pool_value_at_raw(pool, at));
    }
    if (m->options->subject && m->options->subject->count_loaded) m->options->subject->count_loaded(m);
}

/* Orders that are kept, and the values of dead elements, are not in an image. */
static void go_on(model *m) {
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        oracle_set *set = m->oracle->pools[i].set;
        set->kept = false;
        if (set->dead != 0) memset(oracle_set_value(set, set->end), 0, (size_t)set->dead * set->size);
    }
    model_move(m);
}

/* ---- A part of it -------------------------------------------------------------------------------------------------*/

typedef struct choice {
    uint32_t rest, of;
} choice;

static bool is_chosen(const covey_world *world, covey_entity e, void *context) {
    const choice *c = context;
    (void)world;
    return e.index % c->of != c->rest;
}

/* A chosen entity has the components that it has in the world; no other entity is there. */
static void compare_chosen(model *m, choice *c) {
    uint32_t alive = 0;
    for (covey_entity e = { 0, 0 }; !covey_is_null(e = covey_entity_next(m->world, e));) {
        bool chosen = is_chosen(m->world, e, c);
        REQUIRE(m, covey_alive(m->twin, e) == chosen, "%u is in the image of a part, or is not", e.index);
        alive += chosen;
        uint32_t at = 0;
        for (const covey_pool *pool; chosen && (pool = next_pool(m->world, &at)) != NULL;) {
            const covey_type *type = covey_pool_type(pool), *twin = covey_type_find(m->twin, type->name);
            const void *value = covey_pool_get_raw(pool, e), *its = twin ? covey_get_raw(m->twin, e, twin) : NULL;
            REQUIRE(m, !value == !its && (!value || memcmp(value, its, type->size) == 0),
                    "%u has another %s in the image of a part", e.index, type->name);
        }
        covey_entity parent = covey_parent(m->world, e);
        if (chosen && !covey_is_null(parent))
            REQUIRE(m, covey_is_null(covey_parent(m->twin, e)) == !is_chosen(m->world, parent, c),
                    "%u has another parent in the image of a part", e.index);
    }
    REQUIRE(m, alive == covey_entity_count(m->twin), "the image of a part has others");
}

/* Types whose entities are left out, at random; ended by NULL. */
typedef struct unwanted {
    const covey_type *types[TYPES];
    choice c;
} unwanted;

static bool has_none(const covey_world *world, covey_entity e, void *context) {
    const unwanted *u = context;
    bool none = is_chosen(world, e, (void *)(uintptr_t)&u->c);
    for (const covey_type *const *type = u->types; *type && none; type++) none = !covey_has_raw(world, e, *type);
    return none;
}

/* Entities that have a type are left out by a list as by a function, byte for byte. */
static void save_without(model *m, const covey_type *const *types) {
    unwanted u = { .c = { .rest = 1, .of = 2 + program_below(&m->program, 4) } };
    uint32_t count = 0;
    for (; *types; types++)
        if (program_chance(&m->program, 64)) u.types[count++] = *types;
    if (program_chance(&m->program, 64)) u.types[count++] = covey_id(covey_disabled);
    covey_save_desc by_list = { .without = u.types, .choose = is_chosen, .choose_context = &u.c };
    covey_save_desc by_function = { .choose = has_none, .choose_context = &u };
    m->image.size = m->again.size = 0;
    covey_result result = covey_save_to_buffer(m->world, &m->image, &by_list, NULL);
    REQUIRE(m, result == COVEY_OK, "a world without types could not be saved: %s", covey_result_text(result));
    result = covey_save_to_buffer(m->world, &m->again, &by_function, NULL);
    REQUIRE(m, result == COVEY_OK, "a part could not be saved: %s", covey_result_text(result));
    REQUIRE(m, m->again.size == m->image.size && memcmp(m->again.bytes, m->image.bytes, m->image.size) == 0,
            "leaving out types gives other bytes than leaving out entities that have them");
}

static void save_part_and_load(model *m, const covey_type *const *types) {
    choice c = { .of = 2 + program_below(&m->program, 4) };
    c.rest = program_below(&m->program, c.of);
    covey_save_desc some = { .choose = is_chosen, .choose_context = &c };
    const char *why = "";
    covey_result result;
    m->image.size = 0;
    result = covey_save_to_buffer(m->world, &m->image, &some, NULL);
    REQUIRE(m, result == COVEY_OK, "a part could not be saved: %s", covey_result_text(result));
    load(m, types);
    own_loaded(m);
    REQUIRE(m, covey_world_validate(m->twin, &why), "the world from the image of a part is not valid: %s", why);
    save(m, m->twin, &m->again);
    REQUIRE(m, m->again.size == m->image.size && memcmp(m->again.bytes, m->image.bytes, m->image.size) == 0,
            "saving a part again gives other bytes");
    compare_chosen(m, &c);
    covey_world_destroy(m->twin);
    m->twin = NULL;
}

void model_save_and_load(model *m) {
    const covey_type *types[TYPES];
    const char *why = "", *operation = m->program.operation;
    m->program.operation = "save and load";
    if (!list_types(m, types)) {
        fail_to_save(m);
        m->program.operation = operation;
        return;
    }
    if (program_chance(&m->program, 64)) save_part_and_load(m, types);
    if (program_chance(&m->program, 64)) save_without(m, types);
    save(m, m->world, &m->image);
    load(m, types);
    own_loaded(m);
    REQUIRE(m, covey_world_validate(m->twin, &why), "the world from the image is not valid: %s", why);
    save(m, m->twin, &m->again);
    REQUIRE(m, m->again.size == m->image.size && memcmp(m->again.bytes, m->image.bytes, m->image.size) == 0,
            "saving again gives other bytes");
    compare_entities(m);
    compare_pools(m);
    if (program_chance(&m->program, 192)) go_on(m);
    else {
        covey_world_destroy(m->twin);
        m->twin = NULL;
    }
    m->program.operation = operation;
}
