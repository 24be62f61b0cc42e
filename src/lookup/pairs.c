/* Pairs: which entities are close to each other. The pairs of a cell are found together: within it, and with half of
 * the cells around it; the other half finds it. Cells come in their order. If there are many more than entities, they
 * come in the order of their first entities; and if there are more around one than entities, all are compared. */
#include "lookup/lookup.h"

#include "memory/inner.h"
#include "memory/lines.h"

#include <math.h>

enum { BY_CELL, BY_FIRST, ALL }; /* the orders */

/* ---- Points ------------------------------------------------------------------------------------------------------*/

enum { SOME = 32, LANES = 4, AHEAD = 4 };

/* Some entities of neighbouring cells, and their points. */
typedef struct points {
    double at[COVEY__DIMENSIONS][SOME];
    covey_entity entities[SOME];
    uint32_t count;
    uint32_t cells;     /* from how many cells */
    uint32_t next_cell; /* there may be more in this one of them, */
    uint32_t next;      /* from this index on; COVEY_NONE: there are no more */
} points;

static void add_point(points *p, const covey_lookup *lookup, uint32_t index) {
    double point[COVEY__DIMENSIONS] = { 0 };
    covey_entity e = covey__found_at(lookup->world, index);
    if (e.generation == 0) return;
    covey__point_of(&lookup->place, covey__value_of_index(lookup->pool, index), point);
    for (uint32_t i = 0; i < COVEY__DIMENSIONS; i++) p->at[i][p->count] = point[i];
    p->entities[p->count++] = e;
}

/* A distance to what is not there is not a number. */
static void fill_lanes(points *p) {
    for (uint32_t at = p->count; at % LANES != 0; at++) p->at[0][at] = p->at[1][at] = p->at[2][at] = NAN;
}

static void read_all(points *p, const covey_lookup *lookup, uint32_t from) {
    uint32_t index = covey__grid_next(&lookup->grid, from);
    for (; index != COVEY_NONE && p->count < SOME; index = covey__grid_next(&lookup->grid, index + 1))
        add_point(p, lookup, index);
    p->next = index;
}

/* Reads a cell, the number of which among neighbouring ones is given. Returns whether there was room. */
static bool read_cell(points *p, const covey_lookup *lookup, const int32_t *cell, uint32_t number, uint32_t from) {
    uint32_t indices[SOME], count;
    do {
        count = covey__grid_read(&lookup->grid, cell, from, indices, SOME);
        for (uint32_t i = 0; i < count; i++) {
            if (p->count == SOME) {
                p->next_cell = number;
                p->next = indices[i];
                return false;
            }
            add_point(p, lookup, indices[i]);
        }
        from = count != 0 ? indices[count - 1] + 1 : from;
    } while (count == SOME);
    return true;
}

/* Reads the same, in the same order, as from a strip of items. */
static void read_cells(points *p, const covey_lookup *lookup, const int32_t *first, uint32_t from) {
    uint32_t last = lookup->place.count - 1;
    int32_t cell[COVEY__DIMENSIONS];
    memcpy(cell, first, lookup->place.count * sizeof *cell);
    for (uint32_t i = 0; i < p->cells && read_cell(p, lookup, cell, i, i == 0 ? from : 0); i++) cell[last]++;
}

/* The number of the cell of an index among neighbouring cells; or a larger one, if it is in none of them. */
static uint32_t cell_among(const covey__grid *g, const int32_t *cell, uint32_t index) {
    const int32_t *at = covey__cell_in(g, g->pages.at[index / COVEY__BLOCK_PAGE], index);
    if (at[0] != cell[0] || (g->dimensions == 3 && at[1] != cell[1])) return UINT32_MAX;
    return (uint32_t)at[g->dimensions - 1] - (uint32_t)cell[g->dimensions - 1];
}

/* What is read soon. */
static void prefetch(const covey_lookup *lookup, const uint32_t *items, uint32_t count) {
    const covey_world *world = lookup->world;
    for (uint32_t i = 0; i < count; i++) {
        const covey__entity_page *page = world->pages[items[i] / COVEY_PAGE_SIZE];
        covey__prefetch_line(covey__value_of_index(lookup->pool, items[i]));
        covey__prefetch_line((const char *)&page->generation[items[i] % COVEY_PAGE_SIZE]);
    }
}

/* If all cells have slots of their own, all items are in the strip. */
static void read_strip(points *p, const covey_lookup *lookup, const int32_t *cell, bool whole, const uint32_t *items,
                       uint32_t count) {
    const covey__grid *g = &lookup->grid;
    for (uint32_t i = 0; i < count; i++) {
        bool full = p->count == SOME;
        uint32_t among = whole && !full ? 0 : cell_among(g, cell, items[i]);
        if (among >= p->cells) continue;
        if (full) {
            p->next_cell = among;
            p->next = items[i];
            return;
        }
        add_point(p, lookup, items[i]);
    }
    uint32_t behind = (uint32_t)(g->items + g->item_count - (items + count));
    prefetch(lookup, items + count, behind < AHEAD ? behind : AHEAD);
}

/* Reads some of the entities of neighbouring cells, in the first of them from an index on. */
static void read_some(points *p, const covey_pairs *pairs, const int32_t *cell, uint32_t cells, uint32_t from) {
    const covey_lookup *lookup = pairs->lookup;
    const uint32_t *items;
    uint32_t count;
    p->cells = cells;
    if (covey__grid_strip(&lookup->grid, cell, cells, from, &items, &count))
        read_strip(p, lookup, cell, pairs->whole, items, count);
    else read_cells(p, lookup, cell, from);
}

static void begin_points(points *p) {
    p->count = p->next_cell = 0;
    p->cells = 1;
    p->next = COVEY_NONE;
}

static void read_own(points *p, const covey_pairs *pairs, uint32_t from) {
    begin_points(p);
    if (pairs->order == ALL) read_all(p, pairs->lookup, from);
    else read_some(p, pairs, pairs->cell, 1, from);
    fill_lanes(p);
}

COVEY__EXACT_BEGIN
static void squares_to(const points *p, uint32_t from, const double *point, double *squares) {
    double x = point[0], y = point[1], z = point[2];
    for (uint32_t i = from / LANES * LANES; i < p->count; i += LANES)
        for (uint32_t k = i; k < i + LANES; k++) {
            double dx = p->at[0][k] - x, dy = p->at[1][k] - y, dz = p->at[2][k] - z;
            double xx = dx * dx, yy = dy * dy, zz = dz * dz, sum = xx + yy;
            squares[k] = sum + zz;
        }
}
COVEY__EXACT_END

/* Finds the pairs of one point and others from a number on. */
static void compare(covey_pairs *pairs, const points *p, uint32_t one, const points *others, uint32_t from) {
    double point[COVEY__DIMENSIONS] = { p->at[0][one], p->at[1][one], p->at[2][one] }, squares[SOME];
    double most = pairs->distance * pairs->distance;
    uint32_t count = pairs->count;
    squares_to(others, from, point, squares);
    for (uint32_t i = from; i < others->count; i++) {
        pairs->a[count] = p->entities[one];
        pairs->b[count] = others->entities[i];
        count += squares[i] <= most;
    }
    pairs->count = count;
}

/* ---- Cells around ------------------------------------------------------------------------------------------------*/

/* The side of a cube of cells around one, which has all points that are near enough; 0 if it has more cells than there
 * are entities. The distance is a little larger, because cells are found with rounding, and small squares are zero. */
static uint32_t side_of(const covey_lookup *lookup, double distance) {
    double rings = (distance * (1 + 9e-7) + COVEY__TINY) / lookup->place.cell, half = 0.5;
    if (!(rings < UINT16_MAX)) return 0;
    uint32_t side = 2 * ((uint32_t)rings + ((uint32_t)rings < rings)) + 1;
    for (uint32_t i = 0; i < lookup->place.count; i++) half *= side;
    return covey__cells_are_many(lookup, half) ? 0 : side;
}

/* The number of cells in the later half of the cube, in their order. */
static uint32_t half_of(const covey_pairs *pairs) {
    uint32_t cells = 1;
    if (pairs->order == ALL) return 0;
    for (uint32_t i = 0; i < pairs->lookup->place.count; i++) cells *= pairs->side;
    return cells / 2;
}

/* Reads some of the entities of cells of this half, which are in a row, from a cell and an index on. */
static void read_others(points *p, const covey_pairs *pairs) {
    uint32_t dimensions = pairs->lookup->place.count, of_cube = half_of(pairs) + pairs->other;
    int32_t cell[COVEY__DIMENSIONS], most = covey__cell_most(dimensions);
    begin_points(p);
    p->cells = pairs->side - of_cube % pairs->side;
    for (uint32_t i = dimensions; i-- != 0; of_cube /= pairs->side) {
        int64_t along = pairs->cell[i] + (int64_t)(of_cube % pairs->side) - pairs->side / 2;
        if (along < -most || along > most) {
            p->cells = i + 1 == dimensions ? 1 : p->cells;
            return;
        }
        if (i + 1 == dimensions && p->cells > (uint32_t)(most - along) + 1) p->cells = (uint32_t)(most - along) + 1;
        cell[i] = (int32_t)along;
    }
    read_some(p, pairs, cell, p->cells, pairs->with);
    fill_lanes(p);
}

/* ---- Finding -----------------------------------------------------------------------------------------------------*/

/* Reads what some entities of a cell are compared with next. Returns whether that is these themselves. */
static bool read_next(points *read, const covey_pairs *pairs) {
    bool same = pairs->other == 0 && pairs->with == pairs->some;
    if (pairs->other != 0) read_others(read, pairs);
    else if (!same) read_own(read, pairs, pairs->with);
    return same;
}

/* Finds the pairs of some entities of a cell. Returns whether all were found: there may be no room. */
static bool find_of_some(covey_pairs *pairs, const points *some) {
    uint32_t last = half_of(pairs);
    points read;
    while (pairs->other <= last) {
        bool same = read_next(&read, pairs);
        const points *others = same ? some : &read;
        for (; pairs->at < some->count && others->count != 0; pairs->at++) {
            if (pairs->count + SOME > COVEY__PAIRS) return false;
            compare(pairs, some, pairs->at, others, same ? pairs->at + 1 : 0);
        }
        pairs->at = 0;
        pairs->other += others->next != COVEY_NONE ? others->next_cell : others->cells;
        pairs->with = others->next != COVEY_NONE ? others->next : 0;
    }
    return true;
}

static void begin_some(covey_pairs *pairs, uint32_t some) {
    pairs->some = pairs->with = some;
    pairs->other = pairs->at = 0;
}

static bool find_in_cell(covey_pairs *pairs) {
    points some;
    do {
        read_own(&some, pairs, pairs->some);
        if (some.count != 0 && !find_of_some(pairs, &some)) return false;
        begin_some(pairs, some.next);
    } while (some.next != COVEY_NONE);
    return true;
}

/* ---- Going through cells -----------------------------------------------------------------------------------------*/

static bool next_by_cell(covey_pairs *pairs) {
    for (uint32_t i = pairs->lookup->place.count; i-- != 0;) {
        if (pairs->cell[i] < pairs->high[i]) {
            pairs->cell[i]++;
            return true;
        }
        pairs->cell[i] = pairs->low[i];
    }
    return false;
}

/* Goes to the cell of the first index from one on that is the first of its cell. */
static bool find_first(covey_pairs *pairs, uint32_t index) {
    const covey__grid *g = &pairs->lookup->grid;
    for (index = covey__grid_next(g, index); index != COVEY_NONE; index = covey__grid_next(g, index + 1)) {
        const int32_t *cell = covey__cell_in(g, g->pages.at[index / COVEY__BLOCK_PAGE], index);
        covey__grid_read(g, cell, 0, &pairs->first, 1);
        if (pairs->first != index) continue;
        memcpy(pairs->cell, cell, g->dimensions * sizeof *cell);
        return true;
    }
    return false;
}

static bool next_cell(covey_pairs *pairs) {
    begin_some(pairs, 0);
    if (pairs->order == ALL) return false;
    return pairs->order == BY_CELL ? next_by_cell(pairs) : find_first(pairs, pairs->first + 1);
}

bool covey_pairs_next(covey_pairs *pairs) {
    COVEY__CONTRACT(NULL, pairs, "the pairs are NULL");
    pairs->count = 0;
    covey__lookup_settle(pairs->lookup);
    bool changed = !pairs->done && pairs->changes != pairs->lookup->grid.changes;
    COVEY__CONTRACT(pairs->lookup->world, !changed,
                    "places were changed, or entities were destroyed, while pairs were found: do it after the loop");
    pairs->done |= changed;
    while (!pairs->done && find_in_cell(pairs)) pairs->done = !next_cell(pairs);
    return pairs->count != 0;
}

/* All cells between the least and the greatest numbers. */
static double cells_of(const covey_pairs *pairs) {
    double cells = 1;
    for (uint32_t i = 0; i < pairs->lookup->place.count; i++)
        cells *= (double)pairs->high[i] - (double)pairs->low[i] + 1;
    return cells;
}

/* Whether each of them, and each around them, has a slot of its own. */
static bool have_slots(const covey_pairs *pairs) {
    bool have = true;
    for (uint32_t i = 0; i < pairs->lookup->place.count; i++)
        have = have && (double)pairs->high[i] - pairs->low[i] + pairs->side / 2 <= pairs->lookup->grid.mask[i];
    return have;
}

covey_pairs covey_lookup_pairs(covey_lookup *lookup, double distance) {
    covey_pairs pairs;
    bool asks = covey__finds_places(lookup) && distance >= 0;
    pairs.count = 0;
    pairs.lookup = lookup;
    pairs.done = true;
    begin_some(&pairs, 0);
    if (!asks) return pairs;
    covey__lookup_settle(lookup);
    pairs.distance = distance;
    pairs.changes = lookup->grid.changes;
    pairs.side = side_of(lookup, distance);
    pairs.done = !covey__grid_bounds(&lookup->grid, pairs.low, pairs.high);
    if (pairs.done) return pairs;
    memcpy(pairs.cell, pairs.low, sizeof pairs.cell);
    pairs.whole = have_slots(&pairs);
    pairs.order = (uint8_t)(pairs.side == 0                                   ? ALL
                            : covey__cells_are_many(lookup, cells_of(&pairs)) ? BY_FIRST
                                                                              : BY_CELL);
    if (pairs.order == BY_FIRST) pairs.done = !find_first(&pairs, 0);
    return pairs;
}
