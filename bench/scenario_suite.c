/* A small game as other libraries are measured with it: two systems, or seven, over entities of random kinds. Each
 * entity is created with all its components in one call.
 *
 * `raw` is what a program would write that knows all its kinds: for each kind one struct of arrays. All numbers that
 * the systems compute are exact, so that both sides agree in every bit. */
#include "bench.h"

#include <stdlib.h>

typedef struct Locus {
    float x, y;
} Locus;
typedef struct Drift {
    float x, y;
} Drift;
typedef struct Facts {
    double dingy;
    uint32_t thingy, mingy, numgy, seed;
} Facts;
typedef enum status { SPAWNED, ALIVE, DEAD } status;
typedef struct Vigour {
    int32_t points, most;
    status status;
} Vigour;
typedef struct Fight {
    int32_t attack, defense;
} Fight;
typedef struct Role {
    uint32_t role; /* 0: a hero, 1: a monster, 2: anybody else */
} Role;
typedef struct Look {
    char mark;
} Look;
COVEY_COMPONENT_DEFINE(Locus);
COVEY_COMPONENT_DEFINE(Drift);
COVEY_COMPONENT_DEFINE(Facts);
COVEY_COMPONENT_DEFINE(Vigour);
COVEY_COMPONENT_DEFINE(Fight);
COVEY_COMPONENT_DEFINE(Role);
COVEY_COMPONENT_DEFINE(Look);

typedef enum term { PLACE, SPEED, FACTS, HEALTH, FIGHT, ROLE, LOOK, TERMS } term;
static const covey_type *const types[TERMS] = { covey_ids(Locus, Drift, Facts, Vigour, Fight, Role, Look) };
static const size_t bytes[TERMS] = { sizeof(Locus), sizeof(Drift), sizeof(Facts), sizeof(Vigour),
                                     sizeof(Fight), sizeof(Role),  sizeof(Look) };

#define BIT(t) (1u << (t))
#define KINDS 6
static const uint32_t kinds[KINDS] = {
    BIT(PLACE) | BIT(LOOK),                                                                  /* a tree */
    BIT(PLACE) | BIT(SPEED),                                                                 /* a spark */
    BIT(PLACE) | BIT(SPEED) | BIT(FACTS),                                                    /* a thing */
    BIT(PLACE) | BIT(SPEED) | BIT(FACTS) | BIT(HEALTH) | BIT(ROLE) | BIT(LOOK),              /* a villager */
    BIT(PLACE) | BIT(SPEED) | BIT(HEALTH) | BIT(FIGHT) | BIT(ROLE) | BIT(LOOK),              /* a hero */
    BIT(PLACE) | BIT(SPEED) | BIT(FACTS) | BIT(HEALTH) | BIT(FIGHT) | BIT(ROLE) | BIT(LOOK), /* a monster */
};

/* ---- What the systems do to an entity -----------------------------------------------------------------------------*/

#define STEP_SECONDS (1.0f / 64)
#define WIDTH 320
#define HEIGHT 200

static inline void move(Locus *p, const Drift *s) {
    p->x += s->x * STEP_SECONDS;
    p->y += s->y * STEP_SECONDS;
}

static inline uint32_t next_number(uint32_t number) { return number * 1664525u + 1013904223u; }

static inline void compute(Facts *f) {
    f->thingy = (f->thingy + 1) % 1000000;
    f->dingy += 1.0 / 1024;
    f->mingy = !f->mingy;
    f->seed = next_number(f->seed);
    f->numgy = f->seed >> 16;
}

/* Each tenth step, an entity turns. */
static inline void turn(const Locus *p, Drift *s, Facts *f) {
    if (f->thingy % 10 != 0) return;
    f->seed = next_number(f->seed);
    float size = (float)(f->seed >> 28);
    s->x = p->x > WIDTH / 2 ? -size : size;
    s->y = p->y > HEIGHT / 2 ? -size : size;
}

static inline void heal(Vigour *h) {
    if (h->points <= 0 && h->status != DEAD) {
        h->points = 0;
        h->status = DEAD;
    } else if (h->status == DEAD) {
        h->points = h->most;
        h->status = SPAWNED;
    } else {
        h->status = ALIVE;
        if (h->points < h->most) h->points++;
    }
}

static inline void hurt(Vigour *h, const Fight *f) {
    int32_t damage = f->attack - f->defense;
    if (h->status == ALIVE && damage > 0) h->points -= damage;
}

static inline void dress(Look *l, const Role *r, const Vigour *h) {
    static const char marks[3] = { '@', 'k', 'v' };
    l->mark = h->status == DEAD ? '|' : h->status == SPAWNED ? '_' : marks[r->role];
}

/* Marks add up, so that the order of entities does not matter. */
static inline void draw(const Locus *p, const Look *l, uint32_t *frame) {
    int32_t x = (int32_t)p->x, y = (int32_t)p->y;
    if (x >= 0 && x < WIDTH && y >= 0 && y < HEIGHT) frame[y * WIDTH + x] += (unsigned char)l->mark;
}

/* ---- The containers -----------------------------------------------------------------------------------------------*/

typedef enum system_number { MOVING, COMPUTING, TURNING, HEALING, HURTING, DRESSING, DRAWING, SYSTEMS } system_number;
static const uint32_t needs[SYSTEMS] = { BIT(PLACE) | BIT(SPEED),
                                         BIT(FACTS),
                                         BIT(PLACE) | BIT(SPEED) | BIT(FACTS),
                                         BIT(HEALTH),
                                         BIT(HEALTH) | BIT(FIGHT),
                                         BIT(LOOK) | BIT(ROLE) | BIT(HEALTH),
                                         BIT(PLACE) | BIT(LOOK) };

typedef union value {
    Locus place;
    Drift speed;
    Facts facts;
    Vigour health;
    Fight fight;
    Role role;
    Look look;
} value;

typedef struct loop {
    covey_view view;
    covey_group *group; /* or NULL: the view is iterated */
} loop;

/* The entities of one kind. */
typedef struct archetype {
    uint32_t has, count;
    void *columns[TERMS];
} archetype;

typedef struct fixture {
    covey_world *world;
    covey_entity *entities;
    loop loops[SYSTEMS];
    archetype archetypes[KINDS];
    uint32_t *kind_of, *row_of; /* of each entity, in the archetypes */
    uint32_t n;
    int systems; /* that run: the first ones */
    uint32_t frame[WIDTH * HEIGHT], raw_frame[WIDTH * HEIGHT];
} fixture;

static void make_values(uint32_t number, value values[TERMS]) {
    memset(values, 0, TERMS * sizeof *values);
    values[PLACE].place = (Locus){ (float)(number % WIDTH), (float)(number / 7 % HEIGHT) };
    values[SPEED].speed = (Drift){ (float)(number % 5), (float)(number % 3) };
    values[FACTS].facts = (Facts){ .thingy = number % 10, .seed = number };
    values[HEALTH].health = (Vigour){ (int32_t)(number % 20), 20, number % 3 ? ALIVE : SPAWNED };
    values[FIGHT].fight = (Fight){ (int32_t)(number % 7), (int32_t)(number % 4) };
    values[ROLE].role = (Role){ number % 3 };
    values[LOOK].look = (Look){ '_' };
}

/* ---- Filling ------------------------------------------------------------------------------------------------------*/

static void create(fixture *f, uint32_t number, uint32_t has, const value values[TERMS]) {
    covey_component components[TERMS + 1];
    int count = 0;
    for (int t = 0; t < TERMS; t++)
        if (has & BIT(t))
            components[count++] =
                (covey_component){ .type = types[t], .values = &values[t], .count = 1, .size = bytes[t] };
    components[count] = (covey_component){ .type = NULL };
    f->entities[number] = covey_create_with_raw(f->world, components);
    if (covey_is_null(f->entities[number])) bench_fail("no entity");
}

static void append(fixture *f, uint32_t number, uint32_t kind, const value values[TERMS]) {
    archetype *a = &f->archetypes[kind];
    for (int t = 0; t < TERMS; t++)
        if (a->has & BIT(t)) memcpy((char *)a->columns[t] + a->count * bytes[t], &values[t], bytes[t]);
    f->kind_of[number] = kind;
    f->row_of[number] = a->count++;
}

static void make_archetypes(fixture *f) {
    for (int kind = 0; kind < KINDS; kind++) {
        archetype *a = &f->archetypes[kind];
        a->has = kinds[kind];
        for (int t = 0; t < TERMS; t++)
            if (a->has & BIT(t)) a->columns[t] = bench_alloc(f->n / KINDS * 2 + 64, bytes[t]);
    }
}

static covey_group *own(fixture *f, const covey_type *first, const covey_type *second) {
    covey_group *group = covey_group_create(f->world, &(covey_group_desc){ .own = { first, second } });
    if (!group) bench_fail("no group");
    return group;
}

static void make_loops(fixture *f, bool grouped) {
    f->loops[MOVING].view = covey_view_of(f->world, Locus, Drift);
    f->loops[COMPUTING].view = covey_view_of(f->world, Facts);
    f->loops[TURNING].view = covey_view_of(f->world, Locus, Drift, Facts);
    f->loops[HEALING].view = covey_view_of(f->world, Vigour);
    f->loops[HURTING].view = covey_view_of(f->world, Vigour, Fight);
    f->loops[DRESSING].view = covey_view_of(f->world, Look, Role, Vigour);
    f->loops[DRAWING].view = covey_view_of(f->world, Locus, Look);
    if (!grouped) return;
    f->loops[MOVING].group = own(f, covey_id(Locus), covey_id(Drift));
    f->loops[HURTING].group = own(f, covey_id(Vigour), covey_id(Fight));
}

/* ---- Checking -----------------------------------------------------------------------------------------------------*/

static void check(const bench_scenario *scenario, fixture *f) {
    bench_run_each(scenario, f);
    bool same = memcmp(f->frame, f->raw_frame, sizeof f->frame) == 0;
    for (uint32_t i = 0; i < f->n; i++) {
        const archetype *a = &f->archetypes[f->kind_of[i]];
        for (int t = 0; t < TERMS; t++) {
            const void *one = covey_get_raw(f->world, f->entities[i], types[t]);
            const char *two = a->columns[t];
            same = same && !one == !two && (!one || memcmp(one, two + f->row_of[i] * bytes[t], bytes[t]) == 0);
        }
    }
    if (!same) bench_fail("%s, n = %u: both sides differ", scenario->name, f->n);
}

#define CHECKED_UP_TO 100000 /* the loops are the same for more */

static void *open_suite(const bench_scenario *scenario, uint32_t n, int systems, bool grouped) {
    fixture *f = bench_alloc(1, sizeof *f);
    f->world = covey_world_create(NULL);
    f->n = n;
    f->systems = systems;
    f->entities = bench_alloc(n, sizeof *f->entities);
    f->kind_of = bench_alloc(n, sizeof *f->kind_of);
    f->row_of = bench_alloc(n, sizeof *f->row_of);
    if (!f->world) bench_fail("no memory for a world");
    make_archetypes(f);
    make_loops(f, grouped);
    uint64_t random = n;
    for (uint32_t i = 0; i < n; i++) {
        value values[TERMS];
        uint32_t kind = bench_random(&random, KINDS);
        make_values(i, values);
        create(f, i, kinds[kind], values);
        append(f, i, kind, values);
    }
    if (n <= CHECKED_UP_TO) check(scenario, f);
    return f;
}

static void *open2(const bench_scenario *scenario, uint32_t n) { return open_suite(scenario, n, 2, false); }
static void *open7(const bench_scenario *scenario, uint32_t n) { return open_suite(scenario, n, SYSTEMS, false); }
static void *open2_group(const bench_scenario *scenario, uint32_t n) { return open_suite(scenario, n, 2, true); }
static void *open7_group(const bench_scenario *scenario, uint32_t n) { return open_suite(scenario, n, SYSTEMS, true); }

static void close(void *context) {
    fixture *f = context;
    covey_world_destroy(f->world);
    for (int kind = 0; kind < KINDS; kind++)
        for (int t = 0; t < TERMS; t++) free(f->archetypes[kind].columns[t]);
    free(f->entities);
    free(f->kind_of);
    free(f->row_of);
    free(f);
}

/* ---- The systems --------------------------------------------------------------------------------------------------*/

/* The loop of a system over Covey, and over the arrays of each kind that has what it needs. */
#define SYSTEM(name, number, fields, columns_used, statement)                                           \
    BENCH_TIMED static uint64_t spans_##name(fixture *f) {                                              \
        uint64_t matches = 0;                                                                           \
        uint32_t *frame = f->frame;                                                                     \
        const loop *l = &f->loops[number];                                                              \
        covey_iter it = l->group ? covey_group_iter(l->group) : covey_view_iter(&l->view);              \
        while (covey_next(&it)) {                                                                       \
            fields;                                                                                     \
            for (uint32_t i = 0; i < it.count; i++) statement;                                          \
            matches += it.count;                                                                        \
        }                                                                                               \
        (void)frame;                                                                                    \
        return matches;                                                                                 \
    }                                                                                                   \
    BENCH_TIMED static uint64_t arrays_##name(fixture *f) {                                             \
        uint64_t matches = 0;                                                                           \
        uint32_t *frame = f->raw_frame;                                                                 \
        for (archetype *archetypes = f->archetypes; archetypes < f->archetypes + KINDS; archetypes++) { \
            if ((archetypes->has & needs[number]) != needs[number]) continue;                           \
            void *const *columns = archetypes->columns;                                                 \
            uint32_t count = archetypes->count;                                                         \
            columns_used;                                                                               \
            for (uint32_t i = 0; i < count; i++) statement;                                             \
            matches += count;                                                                           \
        }                                                                                               \
        (void)frame;                                                                                    \
        return matches;                                                                                 \
    }

#define FIELD(A, a, k) A *a = covey_field(&it, k, A)
#define COLUMN(A, a, t) A *a = columns[t]
#define SYSTEM1(name, number, A, ta, statement) SYSTEM(name, number, FIELD(A, a, 0), COLUMN(A, a, ta), statement)
#define SYSTEM2(name, number, A, ta, B, tb, statement) \
    SYSTEM(name, number, FIELD(A, a, 0); FIELD(B, b, 1), COLUMN(A, a, ta); COLUMN(B, b, tb), statement)
#define SYSTEM3(name, number, A, ta, B, tb, C, tc, statement)                                                \
    SYSTEM(name, number, FIELD(A, a, 0); FIELD(B, b, 1); FIELD(C, c, 2), COLUMN(A, a, ta); COLUMN(B, b, tb); \
           COLUMN(C, c, tc), statement)

SYSTEM2(moving, MOVING, Locus, PLACE, Drift, SPEED, move(&a[i], &b[i]))
SYSTEM1(computing, COMPUTING, Facts, FACTS, compute(&a[i]))
SYSTEM3(turning, TURNING, Locus, PLACE, Drift, SPEED, Facts, FACTS, turn(&a[i], &b[i], &c[i]))
SYSTEM1(healing, HEALING, Vigour, HEALTH, heal(&a[i]))
SYSTEM2(hurting, HURTING, Vigour, HEALTH, Fight, FIGHT, hurt(&a[i], &b[i]))
SYSTEM3(dressing, DRESSING, Look, LOOK, Role, ROLE, Vigour, HEALTH, dress(&a[i], &b[i], &c[i]))
SYSTEM2(drawing, DRAWING, Locus, PLACE, Look, LOOK, draw(&a[i], &b[i], frame))

typedef uint64_t system_fn(fixture *f);
static system_fn *const spans[SYSTEMS] = { spans_moving,  spans_computing, spans_turning, spans_healing,
                                           spans_hurting, spans_dressing,  spans_drawing };
static system_fn *const arrays[SYSTEMS] = { arrays_moving,  arrays_computing, arrays_turning, arrays_healing,
                                            arrays_hurting, arrays_dressing,  arrays_drawing };

static uint64_t run_systems(fixture *f, system_fn *const *systems) {
    uint64_t matches = 0;
    for (int k = 0; k < f->systems; k++) matches += systems[k](f);
    return matches;
}

static uint64_t covey_run(void *context) { return run_systems(context, spans); }
static uint64_t raw_run(void *context) { return run_systems(context, arrays); }

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant contestants[] = {
    { .name = "covey", .run = covey_run },
    { .name = "raw", .run = raw_run },
    { .name = NULL },
};

#define BAR(size, most) \
    { .baseline = "raw", .n = size, .limit = most }
#define BARS(most) .bars = { BAR(16384, most), BAR(262144, most), BAR(1048576, most) }
#define SCENARIO(text, filled, ...)                                                                \
    {                                                                                              \
        .name = text, .storage = "block", .sizes = { 16384, 262144, 1048576 }, .per_result = true, \
        .contestants = contestants, .open = filled, .close = close, __VA_ARGS__                    \
    }

/* Groups have no bar: matches are not scattered, so that a program has no reason to make them. */
static const bench_scenario scenarios[] = {
    SCENARIO("suite_2", open2, BARS(1.2)),
    SCENARIO("suite_2_group", open2_group, ),
    SCENARIO("suite_7_mixed", open7, BARS(1.35)),
    SCENARIO("suite_7_mixed_group", open7_group, ),
};

const bench_suite bench_games = { scenarios, sizeof scenarios / sizeof *scenarios };
