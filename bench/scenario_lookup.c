/* Finding entities by what a field says; against what programs write by hand: doubly linked lists in arrays, open
 * addressing, a sorted array, and cells that are made anew each frame by counting. */
#include "bench.h"

#include <covey/fields.h>
#include <covey/lookup.h>
#include <stdlib.h>
#include <string.h>

/* ---- Components --------------------------------------------------------------------------------------------------*/

typedef struct OwnedBy {
    covey_entity owner;
} OwnedBy;
COVEY_FIELDS_DEFINE(OwnedBy, entity(owner));

typedef struct Points {
    int32_t points;
} Points;
COVEY_FIELDS_DEFINE(Points, i32(points));

typedef struct Site {
    float x, y;
} Site;
COVEY_FIELDS_DEFINE(Site, f32(x), f32(y));

typedef OwnedBy SparseOwnedBy;
typedef Points SparsePoints;
typedef Site SparseSite;
COVEY_COMPONENT_DEFINE(OwnedBy, .ticks = true, .fields = &covey_fields_OwnedBy);
COVEY_COMPONENT_DEFINE(Points, .ticks = true, .fields = &covey_fields_Points);
COVEY_COMPONENT_DEFINE(Site, .ticks = true, .fields = &covey_fields_Site);
COVEY_COMPONENT_DEFINE(SparseOwnedBy, .ticks = true, .fields = &covey_fields_OwnedBy, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(SparsePoints, .ticks = true, .fields = &covey_fields_Points, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(SparseSite, .ticks = true, .fields = &covey_fields_Site, .storage = COVEY_STORAGE_SPARSE);

/* ---- The fixture -------------------------------------------------------------------------------------------------*/

enum { NONE = -1, EACH = 10 /* sources of a target, entities of a key */ };

typedef struct fixture {
    bench_entities entities;
    const covey_type *type;
    covey_pool *pool, *plain; /* with a lookup, and without */
    covey_lookup *lookup;
    covey_view view;
    uint64_t random;
    uint32_t *targets;  /* of each entity: its target, or its key */
    uint32_t groups;    /* targets, or keys */
    uint32_t *asked;    /* them in no order */
    covey_entity *ends; /* targets that are destroyed */
    /* by hand: */
    int32_t *first, *next, *before, *of; /* lists */
    uint64_t *sorted;                    /* keys and indices in one order */
    uint32_t *slots, slot_count;         /* open addressing: keys */
    Site *places, *moves;
    float side; /* of the square where all are */
    uint32_t *cell_ends, *in_cells, cells;
} fixture;

static fixture *make(const bench_scenario *scenario, uint32_t n, const covey_type *block, const covey_type *sparse) {
    fixture *f = bench_alloc(1, sizeof *f);
    memset(f, 0, sizeof *f);
    bench_entities_open(&f->entities, scenario, n);
    f->type = scenario->storage[0] == 'b' ? block : sparse;
    f->pool = covey_pool_of_raw(f->entities.world, f->type);
    f->random = 1;
    f->groups = n / EACH;
    f->targets = bench_alloc(n, sizeof *f->targets);
    f->asked = bench_alloc(n, sizeof *f->asked);
    for (uint32_t i = 0; i < n; i++) f->targets[i] = i % f->groups;
    for (uint32_t i = n; i-- > 1;) {
        uint32_t at = bench_random(&f->random, i + 1), t = f->targets[i];
        f->targets[i] = f->targets[at];
        f->targets[at] = t;
    }
    for (uint32_t i = 0; i < f->groups; i++) f->asked[i] = f->targets[i];
    f->first = bench_alloc(n, sizeof *f->first);
    f->next = bench_alloc(n, sizeof *f->next);
    f->before = bench_alloc(n, sizeof *f->before);
    f->of = bench_alloc(n, sizeof *f->of);
    for (uint32_t i = 0; i < n; i++) f->first[i] = f->of[i] = NONE;
    return f;
}

static void look_up(fixture *f, const covey_lookup_desc *desc) {
    f->lookup = covey_lookup_create(f->entities.world, desc);
    if (!f->lookup) bench_fail("no lookup");
}

static void close(void *context) {
    fixture *f = context;
    bench_entities_close(&f->entities);
    void *all[] = { f->targets, f->asked,  f->first, f->next,      f->before,   f->of,   f->sorted,
                    f->slots,   f->places, f->moves, f->cell_ends, f->in_cells, f->ends, f };
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) free(all[i]);
}

/* ---- Relating ----------------------------------------------------------------------------------------------------*/

static void *open_relations(const bench_scenario *scenario, uint32_t n) {
    fixture *f = make(scenario, n, covey_id(OwnedBy), covey_id(SparseOwnedBy));
    look_up(f, &(covey_lookup_desc){ .type = f->type, .field = "owner" });
    return f;
}

static void clear_relations(void *context) {
    fixture *f = context;
    covey_clear_raw(f->entities.world, f->type);
    covey_lookup_settle(f->lookup);
}

static void clear_lists(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->entities.n; i++) f->first[i] = f->of[i] = NONE;
}

BENCH_TIMED static uint64_t relate_covey(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->entities.order_count; i++) {
        covey_entity e = f->entities.order[i];
        OwnedBy value = { f->entities.all[f->targets[e.index]] };
        covey_pool_add_value(f->pool, e, OwnedBy, &value);
    }
    return covey_lookup_size(f->lookup);
}

static void link_by_hand(const fixture *f, int32_t source, int32_t target) {
    int32_t next = f->first[target];
    f->of[source] = target;
    f->next[source] = next;
    f->before[source] = NONE;
    if (next != NONE) f->before[next] = source;
    f->first[target] = source;
}

BENCH_TIMED static uint64_t relate_by_hand(void *context) {
    const fixture *f = context;
    for (uint32_t i = 0; i < f->entities.order_count; i++) {
        uint32_t index = f->entities.order[i].index;
        link_by_hand(f, (int32_t)index, (int32_t)f->targets[index]);
    }
    return f->entities.order_count;
}

static void relate_all(void *context) {
    clear_relations(context);
    relate_covey(context);
}

static void link_all(void *context) {
    clear_lists(context);
    relate_by_hand(context);
}

BENCH_TIMED static uint64_t unrelate_covey(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->entities.order_count; i++) covey_pool_remove_raw(f->pool, f->entities.order[i]);
    return covey_lookup_size(f->lookup);
}

BENCH_TIMED static uint64_t unrelate_by_hand(void *context) {
    const fixture *f = context;
    for (uint32_t i = 0; i < f->entities.order_count; i++) {
        int32_t source = (int32_t)f->entities.order[i].index, target = f->of[source];
        int32_t before = f->before[source], next = f->next[source];
        if (before != NONE) f->next[before] = next;
        else f->first[target] = next;
        if (next != NONE) f->before[next] = before;
        f->of[source] = NONE;
    }
    return 0;
}

static const bench_contestant relating[] = {
    { .name = "covey", .prepare = clear_relations, .run = relate_covey },
    { .name = "lists", .prepare = clear_lists, .run = relate_by_hand },
    { .name = NULL },
};
static const bench_contestant unrelating[] = {
    { .name = "covey", .prepare = relate_all, .run = unrelate_covey },
    { .name = "lists", .prepare = link_all, .run = unrelate_by_hand },
    { .name = NULL },
};

/* ---- Sources -----------------------------------------------------------------------------------------------------*/

static void *open_sources(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_relations(scenario, n);
    relate_covey(f);
    relate_by_hand(f);
    return f;
}

BENCH_TIMED static uint64_t sources_covey(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->groups; i++) {
        covey_search sources = covey_lookup_find(f->lookup, &f->entities.all[f->asked[i]]);
        while (covey_search_next(&sources))
            for (uint32_t k = 0; k < sources.count; k++) sum += sources.entities[k].index;
    }
    return sum;
}

BENCH_TIMED static uint64_t sources_by_hand(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->groups; i++)
        for (int32_t s = f->first[f->asked[i]]; s != NONE; s = f->next[s]) sum += f->entities.all[s].index;
    return sum;
}

static const bench_contestant visiting[] = {
    { .name = "covey", .run = sources_covey },
    { .name = "lists", .run = sources_by_hand },
    { .name = NULL },
};

/* ---- Targets -----------------------------------------------------------------------------------------------------*/

/* Each entity has points, and adds up those of its target. */
static void *open_targets(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_sources(scenario, n);
    const covey_type *type = scenario->storage[0] == 'b' ? covey_id(Points) : covey_id(SparsePoints);
    f->plain = covey_pool_of_raw(f->entities.world, type);
    f->view = covey_view_make(f->entities.world, &(covey_view_desc){ .with = { f->type }, .read = { f->type } });
    f->slots = bench_alloc(n, sizeof *f->slots);
    for (uint32_t i = 0; i < n; i++) {
        Points points = { (int32_t)i };
        f->slots[i] = i;
        covey_pool_add_value(f->plain, f->entities.all[i], Points, &points);
    }
    return f;
}

BENCH_TIMED static uint64_t targets_in_spans(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    covey_iter it = covey_view_iter(&f->view);
    while (covey_next(&it)) {
        const OwnedBy *by = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            const Points *points = covey_pool_get(f->plain, by[i].owner, Points);
            if (points) sum += (uint32_t)points->points;
        }
    }
    return sum;
}

BENCH_TIMED static uint64_t targets_in_rows(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    covey_iter it = covey_view_iter(&f->view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        const OwnedBy *by = covey_row_field_raw(&it, row, 0);
        const Points *points = covey_get_raw(f->entities.world, by->owner, covey_pool_type(f->plain));
        if (points) sum += (uint32_t)points->points;
    }
    return sum;
}

BENCH_TIMED static uint64_t targets_by_hand(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->entities.n; i++) sum += f->slots[f->targets[i]];
    return sum;
}

static const bench_contestant reaching[] = {
    { .name = "covey", .run = targets_in_spans },
    { .name = "covey_rows", .run = targets_in_rows },
    { .name = "arrays", .run = targets_by_hand },
    { .name = NULL },
};

/* ---- Values ------------------------------------------------------------------------------------------------------*/

static int32_t points_of(const fixture *f, uint32_t index) { return (int32_t)(f->targets[index] * 7919u % 1000003u); }

static fixture *open_scores(const bench_scenario *scenario, uint32_t n, bool ordered) {
    fixture *f = make(scenario, n, covey_id(Points), covey_id(SparsePoints));
    look_up(f, &(covey_lookup_desc){ .type = f->type, .field = "points", .ordered = ordered });
    for (uint32_t i = 0; i < n; i++) {
        Points score = { points_of(f, i) };
        covey_pool_add_value(f->pool, f->entities.all[i], Points, &score);
    }
    return f;
}

static uint32_t slot_of(const fixture *f, int32_t key) {
    uint32_t at = (uint32_t)key * 0x9E3779B1u >> 7 & (f->slot_count - 1);
    while (f->slots[at] != 0 && f->slots[at] != (uint32_t)key + 1) at = (at + 1) & (f->slot_count - 1);
    return at;
}

/* Open addressing of keys; each has a list of entities, whose first one is in f->first, by slot. */
static void *open_exact(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_scores(scenario, n, false);
    for (f->slot_count = 16; f->slot_count < 2 * f->groups; f->slot_count *= 2) continue;
    f->slots = bench_alloc(f->slot_count, sizeof *f->slots);
    memset(f->slots, 0, f->slot_count * sizeof *f->slots);
    for (uint32_t i = n; i-- != 0;) {
        uint32_t slot = slot_of(f, points_of(f, i));
        f->slots[slot] = (uint32_t)points_of(f, i) + 1;
        f->next[i] = f->first[slot];
        f->first[slot] = (int32_t)i;
    }
    return f;
}

BENCH_TIMED static uint64_t exact_covey(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->groups; i++) {
        int32_t key = (int32_t)(f->asked[i] * 7919u % 1000003u);
        covey_search found = covey_lookup_find(f->lookup, &key);
        while (covey_search_next(&found))
            for (uint32_t k = 0; k < found.count; k++) sum += found.entities[k].index;
    }
    return sum;
}

BENCH_TIMED static uint64_t exact_by_hand(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < f->groups; i++) {
        uint32_t slot = slot_of(f, (int32_t)(f->asked[i] * 7919u % 1000003u));
        if (f->slots[slot] == 0) continue;
        for (int32_t s = f->first[slot]; s != NONE; s = f->next[s]) sum += f->entities.all[s].index;
    }
    return sum;
}

static const bench_contestant finding[] = {
    { .name = "covey", .run = exact_covey },
    { .name = "table", .run = exact_by_hand },
    { .name = NULL },
};

/* ---- Ranges ------------------------------------------------------------------------------------------------------*/

static int compare(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

static void *open_range(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_scores(scenario, n, true);
    f->sorted = bench_alloc(n, sizeof *f->sorted);
    for (uint32_t i = 0; i < n; i++) f->sorted[i] = (uint64_t)points_of(f, i) << 32 | i;
    qsort(f->sorted, n, sizeof *f->sorted, compare);
    covey_lookup_settle(f->lookup);
    return f;
}

/* A range in which 1 % of the entities are. */
static void range_of(const fixture *f, uint32_t number, int32_t *low, int32_t *high) {
    uint32_t n = f->entities.n, at = number * 7919u % (n - n / 100);
    *low = (int32_t)(f->sorted[at] >> 32);
    *high = (int32_t)(f->sorted[at + n / 100] >> 32);
}

enum { RANGES = 20 };

BENCH_TIMED static uint64_t range_covey(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < RANGES; i++) {
        int32_t low, high;
        range_of(f, i, &low, &high);
        covey_search found = covey_lookup_range(f->lookup, &low, &high);
        while (covey_search_next(&found))
            for (uint32_t k = 0; k < found.count; k++) sum += found.entities[k].index;
    }
    return sum;
}

BENCH_TIMED static uint64_t range_by_hand(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < RANGES; i++) {
        int32_t from, to;
        range_of(f, i, &from, &to);
        uint32_t low = 0, high = f->entities.n;
        while (low < high) {
            uint32_t middle = low + (high - low) / 2;
            if ((int32_t)(f->sorted[middle] >> 32) < from) low = middle + 1;
            else high = middle;
        }
        for (; low < f->entities.n && (int32_t)(f->sorted[low] >> 32) <= to; low++)
            sum += f->entities.all[(uint32_t)f->sorted[low]].index;
    }
    return sum;
}

static const bench_contestant ranging[] = {
    { .name = "covey", .run = range_covey },
    { .name = "sorted_array", .run = range_by_hand },
    { .name = NULL },
};

/* ---- Places ------------------------------------------------------------------------------------------------------*/

/* Cells have a side of 1. About 10 others are within 1 of each entity. */
static fixture *open_places(const bench_scenario *scenario, uint32_t n, float step) {
    fixture *f = make(scenario, n, covey_id(Site), covey_id(SparseSite));
    look_up(f, &(covey_lookup_desc){ .type = f->type, .place = { "x", "y" }, .cell = 1 });
    f->places = bench_alloc(n, sizeof *f->places);
    f->moves = bench_alloc(n, sizeof *f->moves);
    f->cells = 1;
    while ((float)(f->cells * f->cells) * 3.18f < (float)n) f->cells++;
    f->side = (float)f->cells;
    f->cell_ends = bench_alloc((size_t)f->cells * f->cells + 1, sizeof *f->cell_ends);
    f->in_cells = bench_alloc(n, sizeof *f->in_cells);
    for (uint32_t i = 0; i < n; i++) {
        f->places[i].x = (float)bench_random(&f->random, 1u << 24) / (float)(1u << 24) * f->side;
        f->places[i].y = (float)bench_random(&f->random, 1u << 24) / (float)(1u << 24) * f->side;
        f->moves[i].x = (bench_random(&f->random, 2) ? step : -step);
        f->moves[i].y = (bench_random(&f->random, 2) ? step : -step);
        covey_pool_add_value(f->pool, f->entities.all[i], Site, &f->places[i]);
    }
    f->view = covey_view_make(f->entities.world, &(covey_view_desc){ .with = { f->type } });
    covey_lookup_settle(f->lookup);
    return f;
}

/* A step of .1 brings a fifth of the entities into another cell each frame; one of .005, a hundredth. */
static void *open_moving(const bench_scenario *scenario, uint32_t n) { return open_places(scenario, n, 0.1f); }
static void *open_crawling(const bench_scenario *scenario, uint32_t n) { return open_places(scenario, n, 0.005f); }

/* Moves one; it turns round at the borders. */
static inline void move(Site *place, Site *by, float side) {
    if (place->x + by->x < 0 || place->x + by->x >= side) by->x = -by->x;
    if (place->y + by->y < 0 || place->y + by->y >= side) by->y = -by->y;
    place->x += by->x;
    place->y += by->y;
}

/* The moves are by index, as the entities of the world are. */
static void move_covey(void *context) {
    fixture *f = context;
    covey_iter it = covey_view_iter(&f->view);
    while (covey_next(&it)) {
        Site *places = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) move(&places[i], &f->moves[covey_span_entity(&it, i).index], f->side);
    }
}

static void move_by_hand(void *context) {
    fixture *f = context;
    for (uint32_t i = 0; i < f->entities.n; i++) move(&f->places[i], &f->moves[i], f->side);
}

BENCH_TIMED static uint64_t settle_covey(void *context) {
    const fixture *f = context;
    covey_lookup_settle(f->lookup);
    return f->entities.n;
}

static uint32_t cell_of(const fixture *f, Site at) { return (uint32_t)at.y * f->cells + (uint32_t)at.x; }

/* Counting sort: how many are in each cell, where each cell begins, and who is in it. */
BENCH_TIMED static uint64_t settle_by_hand(void *context) {
    fixture *f = context;
    uint32_t n = f->entities.n, cells = f->cells * f->cells, *ends = f->cell_ends, sum = 0;
    memset(ends, 0, (cells + 1) * sizeof *ends);
    for (uint32_t i = 0; i < n; i++) ends[cell_of(f, f->places[i]) + 1]++;
    for (uint32_t i = 0; i < cells; i++) {
        sum += ends[i];
        ends[i] = sum;
    }
    ends[cells] = n;
    for (uint32_t i = 0; i < n; i++) f->in_cells[ends[cell_of(f, f->places[i])]++] = i;
    return n;
}

static const bench_contestant settling[] = {
    { .name = "covey", .prepare = move_covey, .run = settle_covey },
    { .name = "counting", .prepare = move_by_hand, .run = settle_by_hand },
    { .name = NULL },
};

/* ---- Pairs -------------------------------------------------------------------------------------------------------*/

static void *open_pairs(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_places(scenario, n, 0);
    settle_by_hand(f);
    return f;
}

BENCH_TIMED static uint64_t pairs_covey(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    covey_pairs pairs = covey_lookup_pairs(f->lookup, 1);
    while (covey_pairs_next(&pairs))
        for (uint32_t i = 0; i < pairs.count; i++) sum += pairs.a[i].index ^ pairs.b[i].index;
    return sum;
}

/* The pairs of two cells; of one with itself. */
static uint64_t compare_cells(const fixture *f, uint32_t a, uint32_t b) {
    uint64_t sum = 0;
    uint32_t begin = a != 0 ? f->cell_ends[a - 1] : 0, other = b != 0 ? f->cell_ends[b - 1] : 0;
    for (uint32_t i = begin; i < f->cell_ends[a]; i++) {
        Site at = f->places[f->in_cells[i]];
        for (uint32_t k = a == b ? i + 1 : other; k < f->cell_ends[b]; k++) {
            Site with = f->places[f->in_cells[k]];
            float dx = at.x - with.x, dy = at.y - with.y;
            if (dx * dx + dy * dy <= 1) sum += f->in_cells[i] ^ f->in_cells[k];
        }
    }
    return sum;
}

/* Floats may round a distance to 1 that doubles do not: so the sums are compared without them. */
BENCH_TIMED static uint64_t pairs_by_hand(void *context) {
    const fixture *f = context;
    uint64_t sum = 0;
    uint32_t side = f->cells;
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++) {
            uint32_t cell = y * side + x;
            sum += compare_cells(f, cell, cell);
            if (x + 1 < side) sum += compare_cells(f, cell, cell + 1);
            if (y + 1 == side) continue;
            if (x != 0) sum += compare_cells(f, cell, cell + side - 1);
            sum += compare_cells(f, cell, cell + side);
            if (x + 1 < side) sum += compare_cells(f, cell, cell + side + 1);
        }
    return sum;
}

static const bench_contestant pairing[] = {
    { .name = "covey", .run = pairs_covey },
    { .name = "cell_lists", .run = pairs_by_hand },
    { .name = NULL },
};

/* ---- What a lookup costs that is not asked -----------------------------------------------------------------------*/

typedef OwnedBy TickedOwnedBy;
typedef OwnedBy SparseTickedOwnedBy;
COVEY_COMPONENT_DEFINE(TickedOwnedBy, .ticks = true);
COVEY_COMPONENT_DEFINE(SparseTickedOwnedBy, .ticks = true, .storage = COVEY_STORAGE_SPARSE);

static void *open_unasked(const bench_scenario *scenario, uint32_t n) {
    fixture *f = open_relations(scenario, n);
    bool block = scenario->storage[0] == 'b';
    f->plain = covey_pool_of_raw(f->entities.world, block ? covey_id(TickedOwnedBy) : covey_id(SparseTickedOwnedBy));
    return f;
}

static uint64_t add_to(const fixture *f, covey_pool *pool) {
    for (uint32_t i = 0; i < f->entities.order_count; i++) {
        covey_entity e = f->entities.order[i];
        covey_pool_add_raw(pool, e, &f->entities.all[f->targets[e.index]]);
    }
    return covey_pool_count(pool);
}

static uint64_t set_in(const fixture *f, covey_pool *pool) {
    for (uint32_t i = 0; i < f->entities.order_count; i++) {
        covey_entity e = f->entities.order[i];
        covey_pool_set_raw(pool, e, &f->entities.all[f->targets[e.index]]);
    }
    return covey_pool_count(pool);
}

static uint64_t remove_from(const fixture *f, covey_pool *pool) {
    for (uint32_t i = 0; i < f->entities.order_count; i++) covey_pool_remove_raw(pool, f->entities.order[i]);
    return covey_pool_count(pool);
}

static void clear_one(covey_pool *pool) { covey_clear_raw(pool->world, pool->type); }
static void clear_looked_up(void *context) { clear_one(((fixture *)context)->pool); }
static void clear_plain(void *context) { clear_one(((fixture *)context)->plain); }
static void fill_looked_up(void *context) {
    clear_looked_up(context);
    add_to(context, ((fixture *)context)->pool);
}
static void fill_plain(void *context) {
    clear_plain(context);
    add_to(context, ((fixture *)context)->plain);
}
BENCH_TIMED static uint64_t add_looked_up(void *context) { return add_to(context, ((fixture *)context)->pool); }
BENCH_TIMED static uint64_t add_plain(void *context) { return add_to(context, ((fixture *)context)->plain); }
BENCH_TIMED static uint64_t set_looked_up(void *context) { return set_in(context, ((fixture *)context)->pool); }
BENCH_TIMED static uint64_t set_plain(void *context) { return set_in(context, ((fixture *)context)->plain); }
BENCH_TIMED static uint64_t remove_looked_up(void *context) { return remove_from(context, ((fixture *)context)->pool); }
BENCH_TIMED static uint64_t remove_plain(void *context) { return remove_from(context, ((fixture *)context)->plain); }

static const bench_contestant adding[] = {
    { .name = "covey", .prepare = clear_looked_up, .run = add_looked_up },
    { .name = "ticks", .prepare = clear_plain, .run = add_plain },
    { .name = NULL },
};
static const bench_contestant overwriting[] = {
    { .name = "covey", .prepare = fill_looked_up, .run = set_looked_up },
    { .name = "ticks", .prepare = fill_plain, .run = set_plain },
    { .name = NULL },
};
static const bench_contestant removing[] = {
    { .name = "covey", .prepare = fill_looked_up, .run = remove_looked_up },
    { .name = "ticks", .prepare = fill_plain, .run = remove_plain },
    { .name = NULL },
};

/* ---- The end of targets ------------------------------------------------------------------------------------------*/

enum { MANY = 20 * EACH }; /* sources of a target that ends */

static uint32_t end_count(const fixture *f) { return f->groups / (MANY / EACH); }
static uint32_t end_of(const fixture *f, uint32_t index) { return f->targets[index] % end_count(f); }

static void *open_end(const bench_scenario *scenario, uint32_t n, covey_target_end policy) {
    fixture *f = make(scenario, n, covey_id(OwnedBy), covey_id(SparseOwnedBy));
    look_up(f, &(covey_lookup_desc){ .type = f->type, .field = "owner", .when_target_ends = policy });
    bool block = scenario->storage[0] == 'b';
    f->plain = covey_pool_of_raw(f->entities.world, block ? covey_id(TickedOwnedBy) : covey_id(SparseTickedOwnedBy));
    f->ends = bench_alloc(end_count(f), sizeof *f->ends);
    return f;
}

static void *open_end_removing(const bench_scenario *scenario, uint32_t n) {
    return open_end(scenario, n, COVEY_TARGET_REMOVE);
}
static void *open_end_clearing(const bench_scenario *scenario, uint32_t n) {
    return open_end(scenario, n, COVEY_TARGET_CLEAR);
}

/* The targets of the last run were destroyed. */
static void relate_to_new(const fixture *f, covey_pool *pool) {
    if (!covey_create_many(f->entities.world, f->ends, end_count(f))) bench_fail("no memory for targets");
    for (uint32_t i = 0; i < f->entities.order_count; i++) {
        covey_entity e = f->entities.order[i];
        covey_pool_set_raw(pool, e, &f->ends[end_of(f, e.index)]);
    }
}

static void relate_to_end(void *context) {
    fixture *f = context;
    relate_to_new(f, f->pool);
    covey_lookup_settle(f->lookup);
}

/* The sources of each target are listed beforehand. */
static void list_to_end(void *context) {
    fixture *f = context;
    relate_to_new(f, f->plain);
    clear_lists(f);
    for (uint32_t i = f->entities.n; i-- != 0;) {
        uint32_t index = f->entities.all[i].index;
        link_by_hand(f, (int32_t)index, (int32_t)end_of(f, index));
    }
}

BENCH_TIMED static uint64_t end_covey(void *context) {
    const fixture *f = context;
    for (uint32_t i = 0; i < end_count(f); i++) covey_destroy(f->entities.world, f->ends[i]);
    return covey_lookup_size(f->lookup);
}

BENCH_TIMED static uint64_t end_removing_by_hand(void *context) {
    const fixture *f = context;
    for (uint32_t i = 0; i < end_count(f); i++) {
        covey_destroy(f->entities.world, f->ends[i]);
        for (int32_t s = f->first[i]; s != NONE; s = f->next[s]) covey_pool_remove_raw(f->plain, f->entities.all[s]);
    }
    return covey_pool_count(f->plain);
}

BENCH_TIMED static uint64_t end_clearing_by_hand(void *context) {
    const fixture *f = context;
    const OwnedBy none = { { 0, 0 } };
    for (uint32_t i = 0; i < end_count(f); i++) {
        covey_destroy(f->entities.world, f->ends[i]);
        for (int32_t s = f->first[i]; s != NONE; s = f->next[s])
            covey_pool_set_raw(f->plain, f->entities.all[s], &none);
    }
    return 0;
}

static const bench_contestant ending_removing[] = {
    { .name = "covey", .prepare = relate_to_end, .run = end_covey },
    { .name = "listed", .prepare = list_to_end, .run = end_removing_by_hand },
    { .name = NULL },
};
static const bench_contestant ending_clearing[] = {
    { .name = "covey", .prepare = relate_to_end, .run = end_covey },
    { .name = "listed", .prepare = list_to_end, .run = end_clearing_by_hand },
    { .name = NULL },
};

/* ---- Rows --------------------------------------------------------------------------------------------------------*/

#define ROW(NAME, STORAGE, OPEN, CONTESTANTS, ...)                                                        \
    {                                                                                                     \
        .name = NAME, .storage = STORAGE, .sizes = { 1000, 100000, 1000000 }, .contestants = CONTESTANTS, \
        .open = OPEN, .close = close, .order = BENCH_SHUFFLED, .bars = {                                  \
            __VA_ARGS__                                                                                   \
        }                                                                                                 \
    }
#define ROWS(NAME, ...) ROW(NAME, "block", __VA_ARGS__), ROW(NAME, "sparse", __VA_ARGS__)

static const bench_scenario scenarios[] = {
    ROWS("lookup_relate", open_relations, relating, BENCH_BARS("lists", 2.5)),
    ROWS("lookup_unrelate", open_relations, unrelating, BENCH_BARS("lists", 2.5)),
    ROWS("lookup_sources", open_sources, visiting, BENCH_BARS("lists", 1.5)),
    ROWS("lookup_targets", open_targets, reaching, BENCH_NO_BAR),
    ROWS("lookup_exact", open_exact, finding, BENCH_BARS("table", 2)),
    ROWS("lookup_range", open_range, ranging, BENCH_BARS("sorted_array", 2)),
    ROWS("lookup_settle_20", open_moving, settling, BENCH_BARS("counting", 1.5)),
    ROWS("lookup_settle_1", open_crawling, settling, BENCH_BARS("counting", 0.5)),
    ROWS("lookup_pairs", open_pairs, pairing, BENCH_BARS("cell_lists", 1.3)),
    ROWS("lookup_unasked_add", open_unasked, adding, BENCH_BARS("ticks", 2)),
    ROWS("lookup_unasked_set", open_unasked, overwriting, BENCH_BARS("ticks", 2)),
    ROWS("lookup_unasked_remove", open_unasked, removing, BENCH_BARS("ticks", 2)),
    ROWS("lookup_end_remove", open_end_removing, ending_removing, BENCH_BARS("listed", 3)),
    ROWS("lookup_end_clear", open_end_clearing, ending_clearing, BENCH_BARS("listed", 3)),
};

const bench_suite bench_lookup = { scenarios, sizeof scenarios / sizeof *scenarios };
