/* Entities of several kinds: a kind is the set of types that an entity is created with. Each entity gets its components
 * in the call that creates it, and kinds come in random order, as in a program that creates whatever is needed next.
 *
 * `raw` is what a program with archetypes would write by hand: for each set of types one struct of arrays. An entity is
 * appended to the arrays of its set, swap-removed, or moved to the arrays of another set. `created` is Covey itself in
 * a second world, where entities are created empty and then get the same components: the world cannot know their kind.
 *
 * All of them have the same entities, which the program numbers from 0 to n - 1. What happens to one entity happens to
 * it everywhere, in the same order. */
#include "bench.h"
#include "steps.h"

#include <stdlib.h>

#define TYPES 16
#define KINDS 64
#define MAX_SETS (KINDS * (TYPES + 1)) /* each entity gets or loses at most one component after its creation */

typedef Vec2 Part0, Part1, Part2, Part3, Part4, Part5, Part6, Part7, Part8, Part9, Part10, Part11, Part12, Part13,
    Part14, Part15;
COVEY_COMPONENT_DEFINE(Part0);
COVEY_COMPONENT_DEFINE(Part1);
COVEY_COMPONENT_DEFINE(Part2);
COVEY_COMPONENT_DEFINE(Part3);
COVEY_COMPONENT_DEFINE(Part4);
COVEY_COMPONENT_DEFINE(Part5);
COVEY_COMPONENT_DEFINE(Part6);
COVEY_COMPONENT_DEFINE(Part7);
COVEY_COMPONENT_DEFINE(Part8);
COVEY_COMPONENT_DEFINE(Part9);
COVEY_COMPONENT_DEFINE(Part10);
COVEY_COMPONENT_DEFINE(Part11);
COVEY_COMPONENT_DEFINE(Part12);
COVEY_COMPONENT_DEFINE(Part13);
COVEY_COMPONENT_DEFINE(Part14);
COVEY_COMPONENT_DEFINE(Part15);

static const covey_type *const types[TYPES] = {
    covey_id(Part0),  covey_id(Part1),  covey_id(Part2),  covey_id(Part3), covey_id(Part4),  covey_id(Part5),
    covey_id(Part6),  covey_id(Part7),  covey_id(Part8),  covey_id(Part9), covey_id(Part10), covey_id(Part11),
    covey_id(Part12), covey_id(Part13), covey_id(Part14), covey_id(Part15)
};

/* A system changes its first type by the sum of its others, or by 1. */
#define SYSTEMS 7
static const struct {
    int first, count; /* of its types */
} systems[SYSTEMS] = { { 0, 2 }, { 2, 1 }, { 3, 3 }, { 6, 2 }, { 8, 2 }, { 10, 3 }, { 13, 3 } };

/* The types of a system, or of an entity: a bit for each. */
typedef uint32_t type_set;

static type_set types_of(int system) { return ((1u << systems[system].count) - 1) << systems[system].first; }

/* ---- The containers -----------------------------------------------------------------------------------------------*/

typedef struct side {
    covey_world *world;
    covey_entity *entities; /* by number */
    covey_view views[SYSTEMS];
} side;

/* The entities with one set of types. */
typedef struct archetype {
    type_set has;
    uint32_t count, capacity;
    uint32_t *numbers;    /* of the entity in each row */
    Vec2 *columns[TYPES]; /* NULL for types that are not in the set */
} archetype;

typedef struct place {
    uint32_t archetype, row;
} place;

typedef struct raw {
    archetype archetypes[MAX_SETS];
    uint32_t count;
    uint32_t by_set[1 << TYPES]; /* the position of an archetype, plus 1; 0: there is none yet */
    place *places;               /* by number of the entity */
    archetype *matching[SYSTEMS][MAX_SETS];
    uint32_t matching_count[SYSTEMS];
} raw;

typedef struct fixture {
    side made;
    side created, full; /* where a contestant needs them; `full` has only the entities of `made` that match */
    raw raw;
    uint32_t n;
    int systems; /* that run: the first ones */
    uint64_t random;
    type_set kinds[KINDS];
    uint32_t *order; /* numbers, in no order */
    type_set *sets;  /* by number, where entities are created again */
} fixture;

static Vec2 value_of(int type, uint32_t number) { return (Vec2){ .x = (float)(number % 64), .y = (float)(type + 1) }; }

/* ---- Entities of the worlds ---------------------------------------------------------------------------------------*/

static void open_side(side *s, uint32_t n) {
    s->world = covey_world_create(NULL);
    s->entities = bench_alloc(n, sizeof *s->entities);
    if (!s->world) bench_fail("no memory for a world");
}

static void close_side(side *s) {
    covey_world_destroy(s->world);
    free(s->entities);
}

static void make_views(side *s, int count) {
    for (int system = 0; system < count; system++) {
        covey_view_desc desc = { 0 };
        for (int t = 0; t < systems[system].count; t++) desc.with[t] = types[systems[system].first + t];
        s->views[system] = covey_view_make(s->world, &desc);
        if (!covey_view_valid(&s->views[system])) bench_fail("no view");
    }
}

static void create_with(side *s, uint32_t number, type_set has) {
    covey_component components[TYPES + 1];
    Vec2 values[TYPES];
    int count = 0;
    for (int t = 0; t < TYPES; t++) {
        if (!(has >> t & 1)) continue;
        values[t] = value_of(t, number);
        components[count++] =
            (covey_component){ .type = types[t], .values = &values[t], .count = 1, .size = sizeof(Vec2) };
    }
    components[count] = (covey_component){ .type = NULL };
    s->entities[number] = covey_create_with_raw(s->world, components);
    if (covey_is_null(s->entities[number])) bench_fail("no entity");
}

static void add(side *s, uint32_t number, int type) {
    Vec2 value = value_of(type, number);
    if (!covey_add_raw(s->world, s->entities[number], types[type], &value)) bench_fail("no component");
}

static void create_and_add(side *s, uint32_t number, type_set has) {
    s->entities[number] = covey_create(s->world);
    for (int t = 0; t < TYPES; t++)
        if (has >> t & 1) add(s, number, t);
}

static void toggle(side *s, uint32_t number, int type) {
    if (!covey_remove_raw(s->world, s->entities[number], types[type])) add(s, number, type);
}

/* ---- Entities of the arrays ---------------------------------------------------------------------------------------*/

static void *grow(void *memory, uint32_t count, size_t size) {
    memory = realloc(memory, count * size);
    if (!memory) bench_fail("no memory for %u times %zu bytes", count, size);
    return memory;
}

static uint32_t archetype_of(raw *r, type_set has) {
    if (r->by_set[has]) return r->by_set[has] - 1;
    if (r->count == MAX_SETS) bench_fail("more sets of types than expected");
    r->archetypes[r->count] = (archetype){ .has = has };
    r->by_set[has] = ++r->count;
    return r->count - 1;
}

static archetype *raw_find(raw *r, uint32_t number) { return &r->archetypes[r->places[number].archetype]; }

static void raw_append(raw *r, uint32_t number, type_set has) {
    uint32_t position = archetype_of(r, has);
    archetype *a = &r->archetypes[position];
    if (a->count == a->capacity) {
        a->capacity = a->capacity ? 2 * a->capacity : 8;
        a->numbers = grow(a->numbers, a->capacity, sizeof *a->numbers);
        for (int t = 0; t < TYPES; t++)
            if (has >> t & 1) a->columns[t] = grow(a->columns[t], a->capacity, sizeof(Vec2));
    }
    for (int t = 0; t < TYPES; t++)
        if (has >> t & 1) a->columns[t][a->count] = value_of(t, number);
    a->numbers[a->count] = number;
    r->places[number] = (place){ position, a->count++ };
}

static void raw_swap_remove(raw *r, uint32_t number) {
    archetype *a = raw_find(r, number);
    uint32_t row = r->places[number].row, last = --a->count;
    for (int t = 0; t < TYPES; t++)
        if (a->columns[t]) a->columns[t][row] = a->columns[t][last];
    a->numbers[row] = a->numbers[last];
    r->places[a->numbers[row]].row = row;
}

/* Moves the entity. Its values are those that it was created with, because no system has run yet. */
static void raw_toggle(raw *r, uint32_t number, int type) {
    type_set has = raw_find(r, number)->has ^ 1u << type;
    raw_swap_remove(r, number);
    raw_append(r, number, has);
}

static void raw_match(raw *r, int count) {
    for (int system = 0; system < count; system++) {
        type_set wanted = types_of(system);
        for (archetype *a = r->archetypes; a < r->archetypes + r->count; a++)
            if (a->count && (a->has & wanted) == wanted) r->matching[system][r->matching_count[system]++] = a;
    }
}

static size_t raw_bytes(const raw *r, uint32_t n) {
    size_t bytes = n * sizeof *r->places;
    for (const archetype *a = r->archetypes; a < r->archetypes + r->count; a++) {
        bytes += a->capacity * sizeof *a->numbers;
        for (int t = 0; t < TYPES; t++)
            if (a->columns[t]) bytes += a->capacity * sizeof(Vec2);
    }
    return bytes;
}

static void raw_close(raw *r) {
    for (archetype *a = r->archetypes; a < r->archetypes + r->count; a++) {
        for (int t = 0; t < TYPES; t++) free(a->columns[t]);
        free(a->numbers);
    }
    free(r->places);
}

/* ---- What happens to an entity, everywhere ------------------------------------------------------------------------*/

static void make_one(fixture *f, uint32_t number, type_set has) {
    create_with(&f->made, number, has);
    if (f->created.world) create_and_add(&f->created, number, has);
    raw_append(&f->raw, number, has);
}

static void destroy_one(fixture *f, uint32_t number) {
    covey_destroy(f->made.world, f->made.entities[number]);
    if (f->created.world) covey_destroy(f->created.world, f->created.entities[number]);
    raw_swap_remove(&f->raw, number);
}

static void toggle_one(fixture *f, uint32_t number, int type) {
    toggle(&f->made, number, type);
    if (f->created.world) toggle(&f->created, number, type);
    raw_toggle(&f->raw, number, type);
}

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static void shuffle(fixture *f) {
    for (uint32_t i = f->n; i > 1; i--) {
        uint32_t j = bench_random(&f->random, i), moved = f->order[i - 1];
        f->order[i - 1] = f->order[j];
        f->order[j] = moved;
    }
}

static bool has_contestant(const bench_scenario *scenario, const char *name) {
    for (const bench_contestant *contestant = scenario->contestants; contestant->name; contestant++)
        if (strcmp(contestant->name, name) == 0) return true;
    return false;
}

/* A world that is not measured is not there: it would only take part of the caches. */
static fixture *make_fixture(const bench_scenario *scenario, uint32_t n, int system_count) {
    fixture *f = bench_alloc(1, sizeof *f);
    f->n = n;
    f->systems = system_count;
    f->random = n;
    open_side(&f->made, n);
    if (has_contestant(scenario, "created")) open_side(&f->created, n);
    if (has_contestant(scenario, "iterate2")) open_side(&f->full, n);
    f->raw.places = bench_alloc(n, sizeof *f->raw.places);
    f->order = bench_alloc(n, sizeof *f->order);
    for (uint32_t i = 0; i < n; i++) f->order[i] = i;
    return f;
}

static void close(void *context) {
    fixture *f = context;
    close_side(&f->made);
    if (f->created.world) close_side(&f->created);
    if (f->full.world) close_side(&f->full);
    raw_close(&f->raw);
    free(f->order);
    free(f->sets);
    free(f);
}

/* Different sets, none of them empty; each type is in four of ten. */
static void draw_kinds(fixture *f) {
    bool drawn[1 << TYPES] = { true };
    uint64_t random = KINDS; /* the same kinds whatever n is */
    for (int kind = 0; kind < KINDS; kind++) {
        type_set has = 0;
        while (drawn[has]) {
            has = 0;
            for (int t = 0; t < TYPES; t++) has |= (bench_random(&random, 10) < 4 ? 1u : 0u) << t;
        }
        drawn[has] = true;
        f->kinds[kind] = has;
    }
}

static type_set random_kind(fixture *f) { return f->kinds[bench_random(&f->random, KINDS)]; }

static fixture *fill(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n, SYSTEMS);
    draw_kinds(f);
    for (uint32_t i = 0; i < n; i++) make_one(f, i, random_kind(f));
    return f;
}

/* Remembers what each entity is created with. */
static fixture *fill_again(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n, SYSTEMS);
    draw_kinds(f);
    f->sets = bench_alloc(n, sizeof *f->sets);
    for (uint32_t i = 0; i < n; i++) {
        f->sets[i] = random_kind(f);
        make_one(f, i, f->sets[i]);
    }
    shuffle(f);
    return f;
}

#define CHURNED_TIMES 10

/* A random half is destroyed and made anew, of other kinds. */
static fixture *fill_churned(const bench_scenario *scenario, uint32_t n) {
    fixture *f = fill(scenario, n);
    for (int times = 0; times < CHURNED_TIMES; times++) {
        shuffle(f);
        for (uint32_t i = 0; i < n / 2; i++) destroy_one(f, f->order[i]);
        for (uint32_t i = 0; i < n / 2; i++) make_one(f, f->order[i], random_kind(f));
    }
    return f;
}

/* Each of a random tenth loses a component of a random type, or gets it. */
static fixture *fill_changed(const bench_scenario *scenario, uint32_t n) {
    fixture *f = fill(scenario, n);
    shuffle(f);
    for (uint32_t i = 0; i < n / 10; i++) toggle_one(f, f->order[i], (int)bench_random(&f->random, TYPES));
    return f;
}

/* All entities have the first type, a random part of them the second. */
static fixture *fill_part(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make_fixture(scenario, n, 1);
    uint32_t matches = (uint32_t)((uint64_t)n * scenario->percent / 100);
    bool *matching = bench_alloc(n, sizeof *matching);
    shuffle(f);
    for (uint32_t i = 0; i < matches; i++) matching[f->order[i]] = true;
    for (uint32_t i = 0; i < n; i++) {
        make_one(f, i, matching[i] ? 3 : 1);
        if (matching[i]) create_with(&f->full, i, 3);
    }
    free(matching);
    return f;
}

/* ---- Checking -----------------------------------------------------------------------------------------------------*/

/* What every system makes of a component in one run. */
static Vec2 value_after(const fixture *f, uint32_t number, type_set has, int type) {
    Vec2 value = value_of(type, number);
    for (int system = 0; system < f->systems; system++) {
        type_set wanted = types_of(system);
        if (systems[system].first != type || (has & wanted) != wanted) continue;
        if (systems[system].count == 1) step1(&value);
        for (int t = 1; t < systems[system].count; t++) {
            Vec2 other = value_of(type + t, number);
            step2(&value, &other);
        }
    }
    return value;
}

static void check_value(const Vec2 *value, const Vec2 *expected, const char *who, uint32_t number, int type) {
    if (expected && value ? memcmp(value, expected, sizeof *value) != 0 : value || expected)
        bench_fail("%s, type %d of entity %u: the value is wrong", who, type, number);
}

static void check_side(const side *s, const Vec2 *expected, const char *who, uint32_t number, int type) {
    check_value(covey_get_raw(s->world, s->entities[number], types[type]), expected, who, number, type);
}

static void check_entity(fixture *f, uint32_t number) {
    archetype *a = raw_find(&f->raw, number);
    for (int t = 0; t < TYPES; t++) {
        Vec2 after = value_after(f, number, a->has, t);
        const Vec2 *expected = a->has >> t & 1 ? &after : NULL;
        check_side(&f->made, expected, "covey", number, t);
        if (f->created.world) check_side(&f->created, expected, "created", number, t);
        check_value(a->columns[t] ? &a->columns[t][f->raw.places[number].row] : NULL, expected, "raw", number, t);
        if (f->full.world && a->has == 3) check_side(&f->full, expected, "iterate2", number, t);
    }
}

#define CHECKED_UP_TO 100000 /* the loops are the same for more, and looking at each value takes long */

static void *finish(const bench_scenario *scenario, fixture *f) {
    make_views(&f->made, f->systems);
    if (f->created.world) make_views(&f->created, f->systems);
    if (f->full.world) make_views(&f->full, f->systems);
    raw_match(&f->raw, f->systems);
    if (f->n > CHECKED_UP_TO) return f;
    bench_run_each(scenario, f);
    for (uint32_t i = 0; i < f->n; i++) check_entity(f, i);
    return f;
}

#define OPEN(name, filled) \
    static void *name(const bench_scenario *scenario, uint32_t n) { return finish(scenario, filled(scenario, n)); }

OPEN(open, fill)
OPEN(open_churned, fill_churned)
OPEN(open_changed, fill_changed)
OPEN(open_part, fill_part)

/* Without loops to run. */
static void *open_bytes(const bench_scenario *scenario, uint32_t n) { return fill(scenario, n); }
static void *open_again(const bench_scenario *scenario, uint32_t n) { return fill_again(scenario, n); }
static void *open_churned_bytes(const bench_scenario *scenario, uint32_t n) { return fill_churned(scenario, n); }

/* ---- The loops of a system ----------------------------------------------------------------------------------------*/

#define SYSTEM(number, fields, in_span, in_row)                             \
    BENCH_TIMED static uint64_t spans_of_##number(const covey_view *view) { \
        uint64_t matches = 0;                                               \
        covey_iter it = covey_view_iter(view);                              \
        while (covey_next(&it)) {                                           \
            fields;                                                         \
            for (uint32_t i = 0; i < it.count; i++) in_span;                \
            matches += it.count;                                            \
        }                                                                   \
        return matches;                                                     \
    }                                                                       \
    BENCH_TIMED static uint64_t rows_of_##number(const covey_view *view) {  \
        uint64_t matches = 0;                                               \
        covey_iter it = covey_view_iter(view);                              \
        covey_row row = { 0 };                                              \
        while (covey_next_row(&it, &row)) {                                 \
            in_row;                                                         \
            matches++;                                                      \
        }                                                                   \
        return matches;                                                     \
    }

#define FIELD1(A) A *a = covey_field(&it, 0, A)
#define FIELD2(A, B) \
    FIELD1(A);       \
    const B *b = covey_field(&it, 1, B)
#define FIELD3(A, B, C) \
    FIELD2(A, B);       \
    const C *c = covey_field(&it, 2, C)
#define ROW(field, T) covey_row_field(&it, row, field, T)

#define SYSTEM1(number, A) SYSTEM(number, FIELD1(A), step1(&a[i]), step1(ROW(0, A)))
#define SYSTEM2(number, A, B) SYSTEM(number, FIELD2(A, B), step2(&a[i], &b[i]), step2(ROW(0, A), ROW(1, B)))
#define SYSTEM3(number, A, B, C) \
    SYSTEM(number, FIELD3(A, B, C), step3(&a[i], &b[i], &c[i]), step3(ROW(0, A), ROW(1, B), ROW(2, C)))

SYSTEM2(0, Part0, Part1)
SYSTEM1(1, Part2)
SYSTEM3(2, Part3, Part4, Part5)
SYSTEM2(3, Part6, Part7)
SYSTEM2(4, Part8, Part9)
SYSTEM3(5, Part10, Part11, Part12)
SYSTEM3(6, Part13, Part14, Part15)

typedef uint64_t system_fn(const covey_view *view);
static system_fn *const spans[SYSTEMS] = { spans_of_0, spans_of_1, spans_of_2, spans_of_3,
                                           spans_of_4, spans_of_5, spans_of_6 };
static system_fn *const rows[SYSTEMS] = { rows_of_0, rows_of_1, rows_of_2, rows_of_3, rows_of_4, rows_of_5, rows_of_6 };

/* The same over the arrays, for a system with so many types. */
#define ARRAYS(number, columns_used, statement)                                                                  \
    BENCH_TIMED static uint64_t arrays_of_##number(archetype *const *matching, uint32_t archetypes, int first) { \
        uint64_t matches = 0;                                                                                    \
        for (uint32_t k = 0; k < archetypes; k++) {                                                              \
            Vec2 *const *columns = matching[k]->columns + first;                                                 \
            uint32_t count = matching[k]->count;                                                                 \
            columns_used;                                                                                        \
            for (uint32_t i = 0; i < count; i++) statement;                                                      \
            matches += count;                                                                                    \
        }                                                                                                        \
        return matches;                                                                                          \
    }

#define ARRAY1 Vec2 *a = columns[0]
#define ARRAY2 \
    ARRAY1;    \
    const Vec2 *b = columns[1]
#define ARRAY3 \
    ARRAY2;    \
    const Vec2 *c = columns[2]

ARRAYS(1, ARRAY1, step1(&a[i]))
ARRAYS(2, ARRAY2, step2(&a[i], &b[i]))
ARRAYS(3, ARRAY3, step3(&a[i], &b[i], &c[i]))

/* ---- The runs: all systems, one after the other -------------------------------------------------------------------*/

static uint64_t run_systems(const fixture *f, const side *s, system_fn *const *loops) {
    uint64_t matches = 0;
    for (int system = 0; system < f->systems; system++) matches += loops[system](&s->views[system]);
    return matches;
}

#define RUN(name, where, loops) \
    static uint64_t name(void *context) { return run_systems(context, &((const fixture *)context)->where, loops); }

RUN(made_spans, made, spans)
RUN(made_rows, made, rows)
RUN(created_spans, created, spans)
RUN(full_spans, full, spans)

static uint64_t raw_run(void *context) {
    static uint64_t (*const loops[])(archetype *const *, uint32_t, int) = { arrays_of_1, arrays_of_2, arrays_of_3 };
    const fixture *f = context;
    uint64_t matches = 0;
    for (int system = 0; system < f->systems; system++)
        matches += loops[systems[system].count - 1](f->raw.matching[system], f->raw.matching_count[system],
                                                    systems[system].first);
    return matches;
}

/* ---- Creating and destroying --------------------------------------------------------------------------------------*/

BENCH_TIMED static uint64_t create_made(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) create_with(&f->made, i, f->sets[i]);
    return f->n;
}

BENCH_TIMED static uint64_t create_created(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) create_and_add(&f->created, i, f->sets[i]);
    return f->n;
}

BENCH_TIMED static uint64_t create_raw(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) raw_append(&f->raw, i, f->sets[i]);
    return f->n;
}

static uint64_t destroy_of(const fixture *f, const side *s) {
    for (uint32_t i = 0; i < f->n; i++) covey_destroy(s->world, s->entities[f->order[i]]);
    return f->n;
}

BENCH_TIMED static uint64_t destroy_made(void *context) {
    return destroy_of(context, &((const fixture *)context)->made);
}

BENCH_TIMED static uint64_t destroy_created(void *context) {
    return destroy_of(context, &((const fixture *)context)->created);
}

BENCH_TIMED static uint64_t destroy_raw(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->n; i++) raw_swap_remove(&f->raw, f->order[i]);
    return f->n;
}

/* Each run finds a world without entities, or one with all of them. */
static void empty_made(void *context) {
    if (covey_entity_count(((const fixture *)context)->made.world) != 0) destroy_made(context);
}
static void empty_created(void *context) {
    if (covey_entity_count(((const fixture *)context)->created.world) != 0) destroy_created(context);
}
static void empty_raw(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->raw.count; i++) f->raw.archetypes[i].count = 0;
}
static void fill_made(void *context) {
    if (covey_entity_count(((const fixture *)context)->made.world) == 0) create_made(context);
}
static void fill_created(void *context) {
    if (covey_entity_count(((const fixture *)context)->created.world) == 0) create_created(context);
}
static void fill_raw(void *context) {
    empty_raw(context);
    create_raw(context);
}

/* ---- Bytes --------------------------------------------------------------------------------------------------------*/

static double made_bytes(void *context) { return (double)covey_world_memory(((const fixture *)context)->made.world); }
static double created_bytes(void *context) {
    return (double)covey_world_memory(((const fixture *)context)->created.world);
}
static double arrays_bytes(void *context) {
    const fixture *f = context;
    return (double)raw_bytes(&f->raw, f->n);
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant iterating[] = {
    { .name = "covey", .run = made_spans },
    { .name = "raw", .run = raw_run },
    { .name = NULL },
};
static const bench_contestant visiting_rows[] = {
    { .name = "covey", .run = made_rows },
    { .name = "raw", .run = raw_run },
    { .name = NULL },
};
static const bench_contestant iterating_few[] = {
    { .name = "covey", .run = made_spans },
    { .name = "raw", .run = raw_run },
    { .name = "created", .run = created_spans },
    { .name = NULL },
};
static const bench_contestant iterating_part[] = {
    { .name = "covey", .run = made_spans },
    { .name = "raw", .run = raw_run },
    { .name = "iterate2", .run = full_spans },
    { .name = NULL },
};
static const bench_contestant creating[] = {
    { .name = "covey", .prepare = empty_made, .run = create_made },
    { .name = "raw", .prepare = empty_raw, .run = create_raw },
    { .name = "created", .prepare = empty_created, .run = create_created },
    { .name = NULL },
};
static const bench_contestant destroying[] = {
    { .name = "covey", .prepare = fill_made, .run = destroy_made },
    { .name = "raw", .prepare = fill_raw, .run = destroy_raw },
    { .name = "created", .prepare = fill_created, .run = destroy_created },
    { .name = NULL },
};
static const bench_contestant taking[] = {
    { .name = "covey", .measure = made_bytes },
    { .name = "raw", .measure = arrays_bytes },
    { .name = "created", .measure = created_bytes },
    { .name = NULL },
};

#define SCENARIO(text, who, filled, ...) \
    { .name = text, .storage = "block", .contestants = who, .open = filled, .close = close, __VA_ARGS__ }
#define ALL_SIZES .sizes = { 1000, 100000, 1000000 }
#define ITERATED(text, who, filled, most) \
    SCENARIO(text, who, filled, ALL_SIZES, .per_result = true, .bars = { BENCH_BARS("raw", most) })
#define MADE(text, matching)                                                                      \
    SCENARIO(text, iterating_part, open_part, ALL_SIZES, .percent = matching, .per_result = true, \
             .bars = { BENCH_BARS("iterate2", 1.15) })

/* A thousand entities have too few of each kind for blocks of their own: kinds must not cost anything there. */
#define BAR_OF_FEW(most) \
    { .baseline = "created", .n = 1000, .limit = most }

static const bench_scenario scenarios[] = {
    ITERATED("kinds64_iterate", iterating, open, 1.3),
    ITERATED("kinds64_churned", iterating, open_churned, 2),
    ITERATED("kinds64_changed", iterating, open_changed, 2.5),
    ITERATED("kinds64_rows", visiting_rows, open, 4),
    SCENARIO("kinds64_few", iterating_few, open, .sizes = { 1000 }, .per_result = true, .bars = { BAR_OF_FEW(1.05) }),
    SCENARIO("kinds64_create", creating, open_again, ALL_SIZES, .bars = { BENCH_BARS("created", 1), BAR_OF_FEW(1) }),
    SCENARIO("kinds64_destroy", destroying, open_again, ALL_SIZES, .bars = { BENCH_BARS("created", 1), BAR_OF_FEW(1) }),
    SCENARIO("kinds64_bytes", taking, open_bytes, ALL_SIZES, .bars = { BENCH_BARS("created", 0.55), BAR_OF_FEW(1) }),
    SCENARIO("kinds64_churned_bytes", taking, open_churned_bytes, ALL_SIZES,
             .bars = { BENCH_BARS("created", 0.55), BAR_OF_FEW(1) }),
    MADE("iterate2_made_50", 50),
    MADE("iterate2_made_10", 10),
    MADE("iterate2_made_1", 1),
};

const bench_suite bench_kinds = { scenarios, sizeof scenarios / sizeof *scenarios };
