/* GET time/diff: compares two past states, or one and the present. Walks both in index order, side by side, over as
 * many polls as it takes. */
#include "inspector.h"

#include <covey/fields.h>
#include <covey/hierarchy.h>

enum { ROWS = 200, AT_ONCE = 256 };

/* A type, and its pools in both worlds; NULL: that world has no pool of it. */
typedef struct pair {
    const char *name;
    const covey_pool *a, *b;
    uint32_t added, removed, changed;
} pair;

typedef struct comparison {
    uint64_t a, b;          /* snapshots */
    bool present;           /* b is the present */
    covey_world *worlds[2]; /* at the start: to detect that one was dropped between two polls */
    pair *pairs;
    uint32_t pair_count, pair_capacity;
    covey_entity at[2]; /* the last entities that were compared */
    bool walked[2];     /* that world has no more entities */
    uint32_t added, removed, changed, rows;
    uint64_t steps;
} comparison;

static void drop_comparison(covey_inspector *inspector, void *state) {
    comparison *c = state;
    inspect__free(inspector, c->pairs, c->pair_capacity * sizeof *c->pairs);
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static bool is_same_struct(const covey_fields *fields, const char *a, const char *b);

static bool is_same_field(const covey_field *field, const char *a, const char *b) {
    if (field->kind == COVEY_KIND_PADDING) return true;
    if (field->kind != COVEY_KIND_NESTED) return memcmp(a, b, (size_t)field->count * covey_kind_size(field->kind)) == 0;
    for (uint32_t i = 0; i < field->count; i++) {
        size_t from = (size_t)i * field->nested->size;
        if (!is_same_struct(field->nested, a + from, b + from)) return false;
    }
    return true;
}

static bool is_same_struct(const covey_fields *fields, const char *a, const char *b) {
    for (uint32_t i = 0; i < fields->count; i++) {
        const covey_field *field = &fields->at[i];
        if (!is_same_field(field, a + field->offset, b + field->offset)) return false;
    }
    return true;
}

/* Compares fields, or all bytes if the type has no fields. Values that a copy hook has copied cannot be compared by
 * their bytes, and count as equal. */
static bool is_same_value(const covey_type *type, const void *a, const void *b) {
    if (type->size == 0) return true;
    if (type->fields) return is_same_struct(type->fields, a, b);
    return type->copy || memcmp(a, b, type->size) == 0;
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static const void *value_in(const covey_pool *pool, covey_entity e) {
    return pool ? covey_pool_get_raw(pool, e) : NULL;
}

/* Compares one component of an entity that both worlds have: '+', '-' or '*' for added, removed or changed; 0 for
 * equal. */
static char compare_component(const pair *p, covey_entity e) {
    const void *a = value_in(p->a, e), *b = value_in(p->b, e);
    if (!a && !b) return 0;
    if (!a || !b) return a ? '-' : '+';
    return is_same_value(covey_pool_type(p->a), a, b) ? 0 : '*';
}

static bool is_same_name(const char *a, const char *b) { return a == b || (a && b && strcmp(a, b) == 0); }

/* Compares what is not a component. */
static bool differs_otherwise(const covey_world *a, const covey_world *b, covey_entity e) {
    return !is_same_name(covey_name(a, e), covey_name(b, e)) || !covey_same(covey_parent(a, e), covey_parent(b, e)) ||
           covey_is_enabled(a, e) != covey_is_enabled(b, e);
}

static void put_also(inspect__json *json, const covey_world *a, const covey_world *b, covey_entity e) {
    inspect__json_array(json, "also");
    if (!is_same_name(covey_name(a, e), covey_name(b, e))) inspect__json_text(json, NULL, "name");
    if (!covey_same(covey_parent(a, e), covey_parent(b, e))) inspect__json_text(json, NULL, "parent");
    if (covey_is_enabled(a, e) != covey_is_enabled(b, e)) inspect__json_text(json, NULL, "enabled");
    inspect__json_end_array(json);
}

static void begin_row(inspect__json *json, const covey_world *world, covey_entity e, const char *what) {
    inspect__json_object(json, NULL);
    inspect__json_entity(json, "e", e);
    inspect__json_text(json, "name", covey_name(world, e));
    inspect__json_text(json, "what", what);
    inspect__json_array(json, "types");
}

/* Counts and shows an entity that only one of the worlds has. */
static void note_single(inspect__json *json, comparison *c, covey_world *world, covey_entity e, bool added) {
    bool shown = c->rows < ROWS;
    if (shown) begin_row(json, world, e, added ? "added" : "removed");
    for (uint32_t i = 0; i < c->pair_count; i++) {
        pair *p = &c->pairs[i];
        if (!value_in(added ? p->b : p->a, e)) continue;
        ++*(added ? &p->added : &p->removed);
        if (shown) inspect__json_text(json, NULL, p->name);
    }
    ++*(added ? &c->added : &c->removed);
    c->rows += shown;
    if (!shown) return;
    inspect__json_end_array(json);
    inspect__json_end_object(json);
}

/* Compares an entity that both worlds have; counts and shows it if it differs. */
static void note_both(inspect__json *json, comparison *c, covey_world *a, covey_world *b, covey_entity e) {
    bool otherwise = differs_otherwise(a, b, e), differs = otherwise, shown = false;
    for (uint32_t i = 0; i < c->pair_count; i++) {
        pair *p = &c->pairs[i];
        char what = compare_component(p, e);
        if (what == 0) continue;
        ++*(what == '+' ? &p->added : what == '-' ? &p->removed : &p->changed);
        differs = true;
        if (!shown && c->rows >= ROWS) continue;
        if (!shown) begin_row(json, b, e, "changed");
        shown = true;
        inspect__json_text(json, NULL, p->name);
    }
    if (otherwise && !shown && c->rows < ROWS) begin_row(json, b, e, "changed"), shown = true;
    c->changed += differs;
    c->rows += shown;
    if (!shown) return;
    inspect__json_end_array(json);
    put_also(json, a, b, e);
    inspect__json_end_object(json);
}

/* Advances in the world whose next entity has the lower index, or in both if they are equal. Returns false at the
 * end. */
static bool step(inspect__json *json, comparison *c, covey_world *a, covey_world *b) {
    covey_entity x = c->walked[0] ? (covey_entity){ 0 } : covey_entity_next(a, c->at[0]);
    covey_entity y = c->walked[1] ? (covey_entity){ 0 } : covey_entity_next(b, c->at[1]);
    c->walked[0] = covey_is_null(x);
    c->walked[1] = covey_is_null(y);
    if (c->walked[0] && c->walked[1]) return false;
    bool first = !c->walked[0] && (c->walked[1] || x.index <= y.index);
    bool second = !c->walked[1] && (c->walked[0] || y.index <= x.index);
    if (first && second && covey_same(x, y)) note_both(json, c, a, b, x);
    else {
        if (first) note_single(json, c, a, x, false);
        if (second) note_single(json, c, b, y, true);
    }
    if (first) c->at[0] = x;
    if (second) c->at[1] = y;
    return true;
}

/* ---- Pairs --------------------------------------------------------------------------------------------------------*/

static void add_pair(comparison *c, const covey_world *a, const covey_world *b, const covey_type *type) {
    const covey_type *in_a = covey_type_find(a, type->name), *in_b = covey_type_find(b, type->name);
    if (inspect__is_internal(type)) return;
    for (uint32_t i = 0; i < c->pair_count; i++)
        if (strcmp(c->pairs[i].name, type->name) == 0) return;
    c->pairs[c->pair_count++] = (pair){ .name = type->name,
                                        .a = in_a ? covey_pool_find_raw(a, in_a) : NULL,
                                        .b = in_b ? covey_pool_find_raw(b, in_b) : NULL };
}

static bool make_pairs(covey_inspector *inspector, comparison *c, const covey_world *a, const covey_world *b) {
    c->pair_capacity = covey_world_pool_count(a) + covey_world_pool_count(b) + 1;
    c->pairs = inspect__zeroed(inspector, c->pair_capacity * sizeof *c->pairs);
    if (!c->pairs) return false;
    for (uint32_t i = 0; i < covey_world_pool_count(b); i++) add_pair(c, a, b, covey_pool_type(covey_world_pool(b, i)));
    for (uint32_t i = 0; i < covey_world_pool_count(a); i++) add_pair(c, a, b, covey_pool_type(covey_world_pool(a, i)));
    return true;
}

/* ---- The answer ---------------------------------------------------------------------------------------------------*/

static void put_totals(inspect__json *json, const comparison *c) {
    inspect__json_end_array(json);
    inspect__json_u64(json, "added", c->added);
    inspect__json_u64(json, "removed", c->removed);
    inspect__json_u64(json, "changed", c->changed);
    inspect__json_array(json, "types");
    for (uint32_t i = 0; i < c->pair_count; i++) {
        const pair *p = &c->pairs[i];
        if (p->added == 0 && p->removed == 0 && p->changed == 0) continue;
        inspect__json_object(json, NULL);
        inspect__json_text(json, "type", p->name);
        inspect__json_u64(json, "added", p->added);
        inspect__json_u64(json, "removed", p->removed);
        inspect__json_u64(json, "changed", p->changed);
        inspect__json_end_object(json);
    }
    inspect__json_end_array(json);
    inspect__json_end_object(json);
}

static bool refuse_past(inspect__request *request, covey_result result) {
    if (result == COVEY_ERROR_ABSENT) return inspect__refuse(request, 409, "ABSENT", "the snapshot is gone");
    return inspect__refuse_result(request, result, "the past state could not be restored: %s",
                                  covey_result_text(result));
}

/* Reads which states to compare. */
static bool choose(inspect__request *request, comparison *c) {
    if (!inspect__snapshot_back(request, "a", &c->a)) return false;
    c->present = !inspect__request_text(request, "b");
    return c->present || inspect__snapshot_back(request, "b", &c->b);
}

static bool begin(inspect__request *request, comparison *c, covey_world *a, covey_world *b) {
    c->worlds[0] = a;
    c->worlds[1] = b;
    if (!make_pairs(request->inspector, c, a, b))
        return !inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    inspect__json_object(&request->json, NULL);
    inspect__json_array(&request->json, "rows");
    return true;
}

bool inspect__answer_diff(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    bool begins = !request->state;
    covey_result result;
    if (!inspector->desc.history)
        return inspect__refuse(request, 409, "ABSENT", "the inspector was opened without a .history");
    comparison *c = inspect__request_state(request, sizeof *c, drop_comparison);
    if (!c || (begins && !choose(request, c))) return true;
    covey_world *a = inspect__past_world(inspector, c->a, &result);
    if (!a) return refuse_past(request, result);
    covey_world *b = c->present ? world : inspect__past_world(inspector, c->b, &result);
    if (!b) return refuse_past(request, result);
    if (begins && !begin(request, c, a, b)) return true;
    if (a != c->worlds[0] || b != c->worlds[1])
        return inspect__refuse(request, 409, "GONE", "a past state was dropped while it was compared: ask again");
    while (step(&request->json, c, a, b)) {
        if (++c->steps % AT_ONCE == 0 && inspect__request_pauses(request)) return false;
    }
    put_totals(&request->json, c);
    return true;
}
