/* Pairs: which entities are close to each other. The pairs of a cell are found together: within it, and with half of
 * the cells around it; the other half finds it. Cells come in the order of their first entities. */
#include "lookup/lookup.h"

#include "memory/inner.h"

/* ---- Points ------------------------------------------------------------------------------------------------------*/

enum { SOME = 32 };

/* Some entities of a cell, and their points. */
typedef struct points {
    covey_entity entities[SOME];
    double at[COVEY__DIMENSIONS][SOME];
    uint32_t count;
    uint32_t next; /* the index from which on there may be more in the cell; COVEY_NONE: there are no more */
} points;

static void add_point(points *p, const covey_lookup *lookup, uint32_t index) {
    double point[COVEY__DIMENSIONS] = { 0 };
    covey_entity e = covey__found_at(lookup->world, index);
    if (e.generation == 0) return;
    covey__point_of(&lookup->place, covey__value_of_index(lookup->pool, index), point);
    for (uint32_t i = 0; i < COVEY__DIMENSIONS; i++) p->at[i][p->count] = point[i];
    p->entities[p->count++] = e;
}

/* Reads some of the entities of a bucket, or of all, from an index on. */
static void read_some(points *p, const covey_pairs *pairs, uint32_t record, uint32_t from) {
    const covey__buckets *b = &pairs->lookup->buckets;
    p->count = 0;
    p->next = COVEY_NONE;
    while (p->count < SOME) {
        covey__bucket_run run = { &from, NULL, 1 };
        if (pairs->scans) from = covey__next_filed(b, from);
        else run = covey__bucket_from(b, record, from);
        if (run.count == 0 || *run.indices == COVEY_NONE) return;
        for (uint32_t i = 0; i < run.count && p->count < SOME; i++) {
            uint32_t index = run.indices[i];
            add_point(p, pairs->lookup, index);
            from = index + 1;
        }
    }
    p->next = from;
}

COVEY__EXACT_BEGIN
/* Finds the pairs of one point and others from a number on. */
static void compare(covey_pairs *pairs, const points *p, uint32_t one, const points *others, uint32_t from) {
    double x = p->at[0][one], y = p->at[1][one], z = p->at[2][one], squares[SOME];
    double most = pairs->distance * pairs->distance;
    uint32_t count = pairs->count;
    for (uint32_t i = from; i < others->count; i++) {
        double dx = others->at[0][i] - x, dy = others->at[1][i] - y, dz = others->at[2][i] - z;
        double xx = dx * dx, yy = dy * dy, zz = dz * dz, sum = xx + yy;
        squares[i] = sum + zz;
    }
    for (uint32_t i = from; i < others->count; i++) {
        pairs->a[count] = p->entities[one];
        pairs->b[count] = others->entities[i];
        count += squares[i] <= most;
    }
    pairs->count = count;
}
COVEY__EXACT_END

/* ---- Cells around ------------------------------------------------------------------------------------------------*/

/* The side of a cube of cells around one, which has all points that are near enough; 0 if it has more cells than there
 * are entities. */
static uint32_t side_of(const covey_lookup *lookup, double distance) {
    double rings = distance / lookup->place.cell, half = 0.5;
    if (!(rings < UINT16_MAX)) return 0;
    uint32_t side = 2 * ((uint32_t)rings + ((uint32_t)rings < rings)) + 1;
    for (uint32_t i = 0; i < lookup->place.count; i++) half *= side;
    return covey__cells_are_many(lookup, half) ? 0 : side;
}

/* The number of cells in the later half of the cube, in the order of keys. */
static uint32_t half_of(const covey_pairs *pairs) {
    uint32_t cells = 1;
    for (uint32_t i = 0; i < pairs->lookup->place.count; i++) cells *= pairs->side;
    return cells / 2;
}

/* The record of a cell of this half, by its number from 1 on. */
static uint32_t cell_around(const covey_pairs *pairs, uint32_t centre, uint32_t number) {
    const covey__place *place = &pairs->lookup->place;
    int64_t cell[COVEY__DIMENSIONS], most = covey__cell_most(place);
    uint32_t of_cube = half_of(pairs) + number;
    covey__cell_of_key(place, pairs->lookup->buckets.records[centre].key, cell);
    for (uint32_t i = place->count; i-- != 0; of_cube /= pairs->side) {
        cell[i] += (int64_t)(of_cube % pairs->side) - pairs->side / 2;
        if (cell[i] < -most || cell[i] > most) return COVEY__NO_RECORD;
    }
    covey__lookup_key key = { covey__cell_key(place, cell), NULL, 0 };
    return covey__buckets_find(&pairs->lookup->buckets, &key);
}

/* ---- Finding -----------------------------------------------------------------------------------------------------*/

/* The next cell to compare some entities of one with; or some others of it. Returns false when all were compared. */
static bool go_on(covey_pairs *pairs, points *some, uint32_t record) {
    uint32_t last = pairs->scans ? 0 : half_of(pairs);
    pairs->with = 0;
    if (pairs->other++ < last) return true;
    if (some->next == COVEY_NONE) return false;
    pairs->some = pairs->with = some->next;
    pairs->other = 0;
    read_some(some, pairs, record, pairs->some);
    return true;
}

/* Finds the pairs of a cell. Returns whether all were found: there may be no room. */
static bool find_in_cell(covey_pairs *pairs, uint32_t record) {
    points some, read;
    read_some(&some, pairs, record, pairs->some);
    do {
        uint32_t around = pairs->other == 0 ? record : cell_around(pairs, record, pairs->other);
        if (pairs->other != 0 && around == COVEY__NO_RECORD) continue;
        while (pairs->with != COVEY_NONE) {
            bool same = pairs->other == 0 && pairs->with == pairs->some;
            if (!same) read_some(&read, pairs, around, pairs->with);
            for (; pairs->at < some.count; pairs->at++) {
                if (pairs->count + SOME > COVEY__PAIRS) return false;
                compare(pairs, &some, pairs->at, same ? &some : &read, same ? pairs->at + 1 : 0);
            }
            pairs->at = 0;
            pairs->with = same ? some.next : read.next;
        }
    } while (go_on(pairs, &some, record));
    return true;
}

/* The first entity of the next cell, from an index on; or COVEY_NONE. */
static uint32_t next_first(const covey_pairs *pairs, uint32_t index) {
    const covey__buckets *b = &pairs->lookup->buckets;
    for (index = covey__next_filed(b, index); index != COVEY_NONE; index = covey__next_filed(b, index + 1))
        if (*covey__bucket_from(b, covey__record_of(b, index), 0).indices == index) break;
    return index;
}

static void begin_cell(covey_pairs *pairs, uint32_t first) {
    pairs->first = first;
    pairs->some = pairs->with = pairs->other = pairs->at = 0;
}

bool covey_pairs_next(covey_pairs *pairs) {
    COVEY__CONTRACT(NULL, pairs, "the pairs are NULL");
    const covey__buckets *b = &pairs->lookup->buckets;
    pairs->count = 0;
    covey__lookup_settle(pairs->lookup);
    bool changed = pairs->first != COVEY_NONE && pairs->changes != b->changes;
    COVEY__CONTRACT(pairs->lookup->world, !changed,
                    "places were changed, or entities were destroyed, while pairs were found: do it after the loop");
    if (changed) pairs->first = COVEY_NONE;
    while (pairs->first != COVEY_NONE && find_in_cell(pairs, covey__record_of(b, pairs->first)))
        begin_cell(pairs, pairs->scans ? COVEY_NONE : next_first(pairs, pairs->first + 1));
    return pairs->count != 0;
}

/* If there are more cells around one than entities, all entities are compared. */
covey_pairs covey_lookup_pairs(covey_lookup *lookup, double distance) {
    covey_pairs pairs;
    bool asks = covey__finds_places(lookup) && distance >= 0;
    pairs.count = 0;
    pairs.lookup = lookup;
    begin_cell(&pairs, COVEY_NONE);
    if (!asks) return pairs;
    covey__lookup_settle(lookup);
    pairs.distance = distance;
    pairs.changes = lookup->buckets.changes;
    pairs.side = side_of(lookup, distance);
    pairs.scans = pairs.side == 0;
    pairs.first = next_first(&pairs, 0);
    return pairs;
}
