/* Programs that look entities up by what a field says: held against a search of all values. */
#include "model_world.h"

#include <covey/fields.h>
#include <covey/lookup.h>

#include <math.h>
#include <stdlib.h>

/* Values are random bytes, so most fields are of one byte. */
static const covey_field fields_of_eight[] = {
    { .name = "u", .kind = COVEY_KIND_U8, .offset = 0, .count = 1 },
    { .name = "i", .kind = COVEY_KIND_I8, .offset = 1, .count = 1 },
    { .name = "text", .kind = COVEY_KIND_CHAR, .offset = 2, .count = 2 },
    { .name = "n", .kind = COVEY_KIND_I32, .offset = 4, .count = 1 },
};
static const covey_fields eight = { 8, 4, fields_of_eight };
#define LOOKED .size = 8, .align = 4, .ticks = true, .fields = &eight
static const covey_type looked[] = {
    { .name = "LookBlock", LOOKED },
    { .name = "LookSparse", .storage = COVEY_STORAGE_SPARSE, LOOKED },
    { .name = "LookPinned", .storage = COVEY_STORAGE_PINNED, LOOKED },
    { .name = "LookFixed", .policy = COVEY_IN_PLACE, LOOKED },
    { .name = "LookQueue", .policy = COVEY_ORDERED, LOOKED },
};
enum { TYPES = sizeof looked / sizeof looked[0], LOOKUPS = 5 };

typedef struct lookup {
    covey_lookup *lookup;
    const covey_type *type;
    const covey_field *field; /* NULL: places, by u and i */
    bool ordered;
} lookup;

typedef struct lookups {
    lookup all[LOOKUPS];
} lookups;

/* ---- The search --------------------------------------------------------------------------------------------------*/

static int compare_values(const covey_field *field, const unsigned char *a, const unsigned char *b) {
    int32_t one, other;
    switch (field->kind) {
    case COVEY_KIND_CHAR: return strncmp((const char *)a, (const char *)b, field->count);
    case COVEY_KIND_I8: return *(const int8_t *)a - *(const int8_t *)b;
    case COVEY_KIND_U8: return *a - *b;
    default:
        memcpy(&one, a, sizeof one);
        memcpy(&other, b, sizeof other);
        return (one > other) - (one < other);
    }
}

/* The field of an entity, or NULL. */
static const unsigned char *value_of(model *m, const lookup *l, covey_entity e) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, l->type);
    if (!pool || !oracle_has(m->oracle, pool, e)) return NULL;
    return oracle_get(m->oracle, pool, e) + (l->field ? l->field->offset : 0);
}

/* Puts the entities with a value between two into m->wanted, in the order of answers. */
static void want_between(model *m, const lookup *l, const unsigned char *low, const unsigned char *high) {
    covey_entity e = oracle_next(m->oracle, 0);
    m->wanted.count = 0;
    for (; e.generation != 0; e = oracle_next(m->oracle, (uint64_t)e.index + 1)) {
        const unsigned char *value = value_of(m, l, e);
        if (!value || (low && compare_values(l->field, value, low) < 0)) continue;
        if (high && compare_values(l->field, value, high) > 0) continue;
        if (m->oracle->fault == ORACLE_LOOKS_UP_LESS && e.index % 8 == 3) continue;
        model_append(&m->wanted, e);
        uint32_t at = m->wanted.count - 1;
        for (; at != 0 && compare_values(l->field, value_of(m, l, m->wanted.ids[at - 1]), value) > 0; at--)
            m->wanted.ids[at] = m->wanted.ids[at - 1];
        m->wanted.ids[at] = e;
    }
}

static void is_wanted(model *m, covey_search search) {
    uint32_t at = 0;
    while (covey_search_next(&search))
        for (uint32_t i = 0; i < search.count; i++, at++)
            REQUIRE(m, at < m->wanted.count && covey_same(search.entities[i], m->wanted.ids[at]),
                    "a lookup finds %u:%u as number %u of %u", search.entities[i].index, search.entities[i].generation,
                    at, m->wanted.count);
    REQUIRE(m, at == m->wanted.count, "a lookup finds %u entities, not %u", at, m->wanted.count);
}

/* ---- Questions ---------------------------------------------------------------------------------------------------*/

/* A value that is there, if possible; texts end with zero. */
static void pick_value(model *m, const lookup *l, unsigned char *value) {
    const unsigned char *is = value_of(m, l, model_pick_member(m, oracle_pool_of(m->oracle, l->type)));
    memset(value, 0, 8);
    if (is) memcpy(value, is, l->field->kind == COVEY_KIND_I32 ? 4 : l->field->count);
    else value[0] = (unsigned char)program_below(&m->program, 256);
}

static void ask_value(model *m, const lookup *l) {
    _Alignas(8) unsigned char low[8], high[8];
    pick_value(m, l, low);
    want_between(m, l, low, low);
    is_wanted(m, covey_lookup_find(l->lookup, low));
    REQUIRE(m, covey_lookup_count(l->lookup, low) == m->wanted.count, "another number has a value");
    if (!l->ordered) return;
    pick_value(m, l, high);
    bool no_low = program_chance(&m->program, 40), no_high = program_chance(&m->program, 40);
    want_between(m, l, no_low ? NULL : low, no_high ? NULL : high);
    is_wanted(m, covey_lookup_range(l->lookup, no_low ? NULL : low, no_high ? NULL : high));
}

static double square_to(model *m, const lookup *l, covey_entity e, const double *point) {
    const unsigned char *value = value_of(m, l, e);
    if (!value) return INFINITY;
    double x = value[0] - point[0], y = *(const int8_t *)(value + 1) - point[1];
    return x * x + y * y;
}

static void ask_place(model *m, const lookup *l) {
    double point[2] = { program_below(&m->program, 256), program_below(&m->program, 256) - 128.0 };
    double distance = program_below(&m->program, 60);
    uint32_t wanted = 0, found = 0;
    covey_search search = covey_lookup_near(l->lookup, point, distance);
    for (covey_entity e = oracle_next(m->oracle, 0); e.generation != 0;
         e = oracle_next(m->oracle, (uint64_t)e.index + 1))
        wanted += square_to(m, l, e, point) <= distance * distance;
    while (covey_search_next(&search))
        for (uint32_t i = 0; i < search.count; i++, found++)
            REQUIRE(m, square_to(m, l, search.entities[i], point) <= distance * distance, "a place is not near");
    REQUIRE(m, found == wanted, "%u places are near, not %u", found, wanted);
}

static void ask_one(model *m, const lookup *l) {
    const oracle_pool *pool = oracle_pool_of(m->oracle, l->type);
    uint32_t count = pool ? oracle_set_count(pool->set) : 0;
    REQUIRE(m, covey_lookup_size(l->lookup) == count, "a lookup has %u entities, not %u", covey_lookup_size(l->lookup),
            count);
    if (l->field) ask_value(m, l);
    else ask_place(m, l);
}

/* ---- Operations --------------------------------------------------------------------------------------------------*/

static lookup *pick_lookup(model *m) { return &((lookups *)m->state)->all[program_below(&m->program, LOOKUPS)]; }

static void create(model *m) {
    lookup *at = pick_lookup(m);
    uint32_t field = program_below(&m->program, 5);
    lookup l = { .type = model_pick_type(m) };
    if (at->lookup || l.type < looked || l.type >= looked + TYPES) return;
    covey_lookup_desc desc = { .type = l.type };
    if (field < 4) {
        l.field = &fields_of_eight[field];
        l.ordered = desc.ordered = program_chance(&m->program, 128);
        desc.field = l.field->name;
    } else {
        desc.place[0] = "u";
        desc.place[1] = "i";
        desc.cell = 1 + program_below(&m->program, 100);
    }
    covey_result expected = model_may_meet(m, l.type);
    l.lookup = covey_lookup_create(m->world, &desc);
    if (!model_settle(m, l.lookup != NULL, expected)) {
        if (covey_pool_find_raw(m->world, l.type)) model_meet_anyway(m, l.type);
        return;
    }
    model_meet(m, l.type);
    *at = l;
}

static void destroy(model *m) {
    lookup *l = pick_lookup(m);
    covey_lookup_destroy(l->lookup);
    *l = (lookup){ 0 };
}

static void ask(model *m) {
    const lookup *l = pick_lookup(m);
    if (l->lookup) ask_one(m, l);
}

/* ---- The subject -------------------------------------------------------------------------------------------------*/

static void begin(model *m) {
    m->state = calloc(1, sizeof(lookups));
    REQUIRE(m, m->state, "no memory");
}

static void check(model *m) {
    for (uint32_t i = 0; i < 3 && m->program.step == 1; i++)
        m->types[m->type_count++] = &looked[program_below(&m->program, TYPES)];
}

static void compare(model *m) {
    for (uint32_t i = 0; i < LOOKUPS; i++) {
        const lookup *l = &((lookups *)m->state)->all[i];
        if (l->lookup) ask_one(m, l);
    }
}

static void end(model *m) { (void)m; } /* the world ends its lookups */

static void forget(model *m) { free(m->state); }

/* A clone has none. */
static void leave(model *m) { memset(m->state, 0, sizeof(lookups)); }

static const model_operation operations[] = {
    { "lookup_create", create, 4, false },
    { "lookup_destroy", destroy, 1, true },
    { "lookup_ask", ask, 12, true },
    { NULL, NULL, 0, false },
};

const struct model_subject model_lookups = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .leave = leave,
};
