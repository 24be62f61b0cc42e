/* Frames in which a tenth of all entities lose a component and another tenth get it, and iterating after them. All
 * entities have a position, half of them a velocity. */
#include "components.h"

#define BASELINE_T Vec2
#include "baselines.h"

#define FRAMES 8

/* The entities that lose the component, and the entities that get it. */
typedef struct frame {
    covey_entity *lose, *get;
} frame;

typedef struct fixture {
    bench_entities entities;
    covey_view view;
    covey_pool *positions, *velocities;
    textbook position_set, velocity_set;
    frame frames[FRAMES];
    uint32_t count; /* of entities in each list of a frame */
    uint32_t covey_turn, textbook_turn;
} fixture;

/* ---- Before the clock starts --------------------------------------------------------------------------------------*/

static covey_entity *copy_of(const covey_entity *entities, uint32_t count) {
    covey_entity *copy = bench_alloc(count, sizeof *copy);
    return memcpy(copy, entities, count * sizeof *copy);
}

/* Draws who takes part in each frame. The first half of `order` has the component before it. */
static void draw_frames(fixture *f) {
    covey_entity *have = copy_of(f->entities.order, f->entities.n);
    uint32_t half = f->entities.n / 2;
    for (int i = 0; i < FRAMES; i++) {
        covey_entity *lack = have + half;
        bench_shuffle(have, half);
        bench_shuffle(lack, half);
        f->frames[i] = (frame){ copy_of(have, f->count), copy_of(lack, f->count) };
        memcpy(have, f->frames[i].get, f->count * sizeof *have);
        memcpy(lack, f->frames[i].lose, f->count * sizeof *have);
    }
    free(have);
}

static void add_velocity(fixture *f, covey_entity e) {
    if (!covey_pool_add(f->velocities, e, Velocity, { 1, 2 })) bench_fail("no component");
    textbook_add(&f->velocity_set, e.index, (Vec2){ 1, 2 });
}

static void fill(fixture *f) {
    uint32_t n = f->entities.n;
    bool *chosen = bench_alloc(n, sizeof *chosen);
    for (uint32_t i = 0; i < n / 2; i++) chosen[f->entities.order[i].index] = true;
    for (uint32_t i = 0; i < n; i++) {
        if (!covey_pool_add(f->positions, f->entities.all[i], Position, { 0, 0 })) bench_fail("no component");
        textbook_add(&f->position_set, i, (Vec2){ 0, 0 });
        if (chosen[i]) add_velocity(f, f->entities.all[i]);
    }
    free(chosen);
}

/* Runs each contestant once: all then have the same components. */
static void check(fixture *f, const bench_scenario *scenario) {
    bench_run_each(scenario, f);
    for (uint32_t i = 0; i < f->entities.n; i++) {
        covey_entity e = f->entities.all[i];
        bool same = covey_pool_has(f->velocities, e) == (textbook_find(&f->velocity_set, i) != TEXTBOOK_NONE) &&
                    covey_pool_get(f->positions, e, Position)->x == textbook_get(&f->position_set, i)->x;
        if (!same) bench_fail("%s, n = %u: entity %u differs", scenario->name, f->entities.n, i);
    }
}

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->count = n / 10;
    f->positions = covey_pool_of(f->entities.world, Position);
    f->velocities = covey_pool_of(f->entities.world, Velocity);
    if (!f->positions || !f->velocities) bench_fail("no pools");
    f->view =
        covey_view_make(f->entities.world, &(covey_view_desc){ .with = { BENCH_ID(Position), BENCH_ID(Velocity) } });
    draw_frames(f);
    fill(f);
    check(f, scenario);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    textbook_free(&f->position_set);
    textbook_free(&f->velocity_set);
    for (int i = 0; i < FRAMES; i++) {
        free(f->frames[i].lose);
        free(f->frames[i].get);
    }
    free(f);
}

/* ---- A frame ------------------------------------------------------------------------------------------------------*/

/* All frames, and then back to the start: the last one undone, and so on. */
static frame next_frame(const fixture *f, uint32_t *turn) {
    uint32_t at = (*turn)++ % (2 * FRAMES);
    if (at < FRAMES) return f->frames[at];
    frame undone = f->frames[2 * FRAMES - 1 - at];
    return (frame){ .lose = undone.get, .get = undone.lose };
}

BENCH_TIMED static uint64_t churn_covey(void *context) {
    fixture *f = context;
    covey_pool *pool = f->velocities;
    frame now = next_frame(f, &f->covey_turn);
    uint32_t count = f->count;
    for (uint32_t i = 0; i < count; i++) covey_pool_remove(pool, now.lose[i], Velocity);
    for (uint32_t i = 0; i < count; i++) covey_pool_add(pool, now.get[i], Velocity, { 1, 2 });
    return covey_pool_count(pool);
}

BENCH_TIMED static uint64_t churn_textbook(void *context) {
    fixture *f = context;
    textbook *set = &f->velocity_set;
    frame now = next_frame(f, &f->textbook_turn);
    uint32_t count = f->count;
    for (uint32_t i = 0; i < count; i++) textbook_remove(set, now.lose[i].index);
    for (uint32_t i = 0; i < count; i++) textbook_add(set, now.get[i].index, (Vec2){ 1, 2 });
    return set->count;
}

static void frame_covey(void *context) { churn_covey(context); }
static void frame_textbook(void *context) { churn_textbook(context); }

/* ---- Iterating after it -------------------------------------------------------------------------------------------*/

static inline void step(Vec2 *a, const Vec2 *b) {
    a->x += b->x;
    a->y += b->y;
}

BENCH_TIMED static uint64_t iterate_spans(void *context) {
    const fixture *f = context;
    uint64_t matches = 0;
    covey_iter it = covey_view_iter(&f->view);
    while (covey_next(&it)) {
        Position *a = covey_field(&it, 0, Position);
        const Velocity *b = covey_field(&it, 1, Velocity);
        for (uint32_t i = 0; i < it.count; i++) step(&a[i], &b[i]);
        matches += it.count;
    }
    return matches;
}

BENCH_TIMED static uint64_t iterate_rows(void *context) {
    const fixture *f = context;
    uint64_t matches = 0;
    covey_iter it = covey_view_iter(&f->view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        step(covey_row_field(&it, row, 0, Position), covey_row_field(&it, row, 1, Velocity));
        matches++;
    }
    return matches;
}

/* Leads with the smaller set. */
BENCH_TIMED static uint64_t iterate_textbook(void *context) {
    const fixture *f = context;
    const textbook *all = &f->position_set, *lead = &f->velocity_set;
    for (uint32_t i = 0; i < lead->count; i++) step(textbook_get(all, lead->packed[i]), &lead->data[i]);
    return lead->count;
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant churning[] = {
    { .name = "covey", .run = churn_covey },
    { .name = "textbook", .run = churn_textbook },
    { .name = NULL },
};
#define ITERATING(form)                                                                                   \
    {                                                                                                     \
        { .name = "covey", .prepare = frame_covey, .run = form },                                         \
            { .name = "textbook", .prepare = frame_textbook, .run = iterate_textbook }, { .name = NULL }, \
    }

static const bench_contestant iterating_spans[] = ITERATING(iterate_spans);
static const bench_contestant iterating_rows[] = ITERATING(iterate_rows);

/* Times are for each of `some` percent of n: a fifth of all entities change in a frame, and a half of them match. */
#define SCENARIO(text, who, some, most)                                                                      \
    {                                                                                                        \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 1000, 100000, 1000000 }, .contestants = who, \
        .open = open, .close = close, .order = BENCH_SHUFFLED, .percent = some, .bars = {                    \
            BENCH_BAR("textbook", most)                                                                      \
        }                                                                                                    \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("churn_op", churning, 20, BENCH_LIMIT(0, 1.4)),
    SCENARIO("churn_iterate_spans", iterating_spans, 50, 0),
    SCENARIO("churn_iterate_rows", iterating_rows, 50, 0),
};

const bench_suite BENCH_NAME(bench_churn) = { scenarios, sizeof scenarios / sizeof *scenarios };
