/* Destroying the members of a group of three, one by one and in one call, beside a world without the group. The file is
 * compiled for sparse pools and for pools in blocks. */
#include "components.h"
#include "bench.h"

#include <stdlib.h>

#define TYPES 3

static const covey_type *const types[TYPES] = { BENCH_ID(Position), BENCH_ID(Velocity), BENCH_ID(Force) };

/* A world with or without the group. */
typedef struct side {
    covey_world *world;
    covey_group *group;
    covey_entity *made, *order; /* by index; in the order in which they are destroyed */
    const uint32_t *positions;  /* in `made`, of each in `order` */
    uint32_t n;
} side;

typedef struct fixture {
    side grouped, plain;
    uint32_t *positions;
} fixture;

static side open_side(const fixture *f, uint32_t n, bool grouped) {
    side s = { .world = covey_world_create(NULL),
               .made = bench_alloc(n, sizeof *s.made),
               .order = bench_alloc(n, sizeof *s.order),
               .positions = f->positions,
               .n = n };
    if (!s.world) bench_fail("no memory for a world");
    if (grouped) s.group = covey_group_create(s.world, &(covey_group_desc){ .own = { types[0], types[1], types[2] } });
    if (grouped && !s.group) bench_fail("no group");
    return s;
}

static void close_side(side *s) {
    covey_world_destroy(s->world);
    free(s->made);
    free(s->order);
}

/* Each entity gets its components one after the other, in index order. */
static void fill(side *s) {
    covey_destroy_all(s->world);
    if (!covey_create_many(s->world, s->made, s->n)) bench_fail("no entities");
    for (uint32_t i = 0; i < s->n; i++) {
        Vec2 value = { (float)(i % 64), 2 };
        for (uint32_t t = 0; t < TYPES; t++)
            if (!covey_add_raw(s->world, s->made[i], types[t], &value)) bench_fail("no component");
    }
    for (uint32_t i = 0; i < s->n; i++) s->order[i] = s->made[s->positions[i]];
    if (s->group && covey_group_count(s->group) != s->n) bench_fail("the group is not what it should be");
}

static void fill_grouped(void *context) { fill(&((fixture *)context)->grouped); }
static void fill_plain(void *context) { fill(&((fixture *)context)->plain); }

static uint64_t left_in(const side *s) {
    uint64_t left = covey_entity_count(s->world);
    for (uint32_t t = 0; t < TYPES; t++) left += covey_pool_count(covey_pool_find_raw(s->world, types[t]));
    return left;
}

#define DESTROY(name, world_of, statement)               \
    BENCH_TIMED static uint64_t name(void *context) {    \
        const side *s = &((fixture *)context)->world_of; \
        covey_world *world = s->world;                   \
        const covey_entity *order = s->order;            \
        uint32_t n = s->n;                               \
        statement;                                       \
        return left_in(s);                               \
    }
#define EACH \
    for (uint32_t i = 0; i < n; i++) covey_destroy(world, order[i])
#define MANY covey_destroy_many(world, order, n)

DESTROY(each_grouped, grouped, EACH)
DESTROY(each_plain, plain, EACH)
DESTROY(many_grouped, grouped, MANY)
DESTROY(many_plain, plain, MANY)

static void *open(const bench_scenario *scenario, uint32_t n) {
    fixture *f = bench_alloc(1, sizeof *f);
    f->positions = bench_alloc(n, sizeof *f->positions);
    bench_positions(f->positions, n, scenario->order);
    f->grouped = open_side(f, n, true);
    f->plain = open_side(f, n, false);
    return f;
}

static void close(void *context) {
    fixture *f = context;
    close_side(&f->grouped);
    close_side(&f->plain);
    free(f->positions);
    free(f);
}

/* ---- The scenarios ------------------------------------------------------------------------------------------------*/

static const bench_contestant destroying[] = {
    { .name = "covey", .prepare = fill_grouped, .run = each_grouped },
    { .name = "without", .prepare = fill_plain, .run = each_plain },
    { .name = NULL },
};
static const bench_contestant destroying_many[] = {
    { .name = "covey", .prepare = fill_grouped, .run = many_grouped },
    { .name = "without", .prepare = fill_plain, .run = many_plain },
    { .name = "single", .prepare = fill_grouped, .run = each_grouped },
    { .name = NULL },
};

#define SCENARIO(text, who, way, against, most)                                                                      \
    {                                                                                                                \
        .name = text, .storage = BENCH_STORAGE_TEXT, .sizes = { 100000, 1000000 }, .contestants = who, .open = open, \
        .close = close, .order = way, .bars = {                                                                      \
            { .baseline = against, .n = 100000, .ns = most }                                                         \
        }                                                                                                            \
    }

static const bench_scenario scenarios[] = {
    SCENARIO("group3_destroy_ordered", destroying, BENCH_ORDERED, "without", BENCH_LIMIT(18, 27)),
    SCENARIO("group3_destroy_shuffled", destroying, BENCH_SHUFFLED, "without", BENCH_LIMIT(40, 60)),
    SCENARIO("group3_destroy_many", destroying_many, BENCH_ORDERED, "single", BENCH_LIMIT(8, 12)),
    SCENARIO("group3_destroy_many_shuffled", destroying_many, BENCH_SHUFFLED, "single", BENCH_LIMIT(30, 45)),
};

const bench_suite BENCH_NAME(bench_group_end) = { scenarios, sizeof scenarios / sizeof *scenarios };
