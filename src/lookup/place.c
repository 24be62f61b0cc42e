/* Places: what is in a box, near a point, and nearest to it. The order of cells, and that of the indices in each, is
 * the order of the answers. If a question is about more cells than there are entities, all entities are looked at
 * instead, in the order of their indices. */
#include "lookup/lookup.h"

#include "memory/inner.h"

#include <float.h>

enum { SOME = 32 }; /* indices that are read at a time */

/* ---- Cells -------------------------------------------------------------------------------------------------------*/

bool covey__finds_places(covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    if (lookup->place.count != 0) return true;
    covey__fail(lookup->world, COVEY_ERROR_REFUSED, "a lookup of %s could not be asked: it has no .place",
                lookup->pool->type->name);
    return false;
}

bool covey__cells_are_many(const covey_lookup *lookup, double cells) { return cells > 2.0 * lookup->grid.count + 64; }

/* The point of a filed entity. */
static void point_at(const covey_lookup *lookup, uint32_t index, double *point) {
    covey__point_of(&lookup->place, covey__value_of_index(lookup->pool, index), point);
}

COVEY__EXACT_BEGIN
/* The square of the distance between two points. */
static double square_to(const covey_lookup *lookup, const double *a, const double *b) {
    double sum = 0;
    for (uint32_t i = 0; i < lookup->place.count; i++) {
        double side = a[i] - b[i], square = side * side;
        sum += square;
    }
    return sum;
}

/* The square root, by Newton's method from above. The library does not need the one of libm. */
static double root_of(double square) {
    double root = square > 1 ? square : 1, before;
    if (!(square > 0) || square > DBL_MAX) return square;
    do {
        double quotient = square / root, sum = quotient / 2 + root / 2;
        before = root;
        root = sum;
    } while (root < before);
    return before;
}
COVEY__EXACT_END

bool covey_lookup_cell(covey_lookup *lookup, covey_entity e, int32_t *cell) {
    if (!covey__finds_places(lookup)) return false;
    covey__lookup_settle(lookup);
    if (!covey_alive(lookup->world, e) || !covey__grid_has(&lookup->grid, e.index)) return false;
    const covey__grid_page *page = covey__page_at(&lookup->grid.pages, e.index);
    memcpy(cell, covey__cell_in(&lookup->grid, page, e.index), lookup->place.count * sizeof *cell);
    return true;
}

/* ---- Boxes and balls ---------------------------------------------------------------------------------------------*/

static bool is_in(const covey_search *search, uint32_t index) {
    const covey_lookup *lookup = search->lookup;
    double point[COVEY__DIMENSIONS] = { 0 };
    bool in = true;
    point_at(lookup, index, point);
    if (search->asked == COVEY__ASKED_NEAR)
        return square_to(lookup, point, search->centre) <= search->distance * search->distance;
    for (uint32_t i = 0; i < lookup->place.count; i++)
        in = in && point[i] >= search->box_low[i] && point[i] <= search->box_high[i];
    return in;
}

static void look_at(covey_search *search, uint32_t index) {
    search->last = index;
    search->begun = true;
    if (is_in(search, index)) covey__find(search, index);
}

static bool next_of_all(covey_search *search) {
    const covey__grid *g = &search->lookup->grid;
    uint32_t index = covey__grid_next(g, search->begun ? search->last + 1 : 0);
    for (; index != COVEY_NONE && search->count < COVEY_FOUND; index = covey__grid_next(g, index + 1))
        look_at(search, index);
    return search->count != 0;
}

/* The next cell, in the order of keys. Returns false behind the last one. */
static bool next_cell(covey_search *search) {
    uint32_t i = search->lookup->place.count;
    while (i-- != 0) {
        if (search->cell[i]++ < search->to[i]) return true;
        search->cell[i] = search->from[i];
    }
    return false;
}

/* Looks at the entities of a cell from the last one on. Returns whether all were looked at. */
static bool look_in_cell(covey_search *search) {
    const covey__grid *g = &search->lookup->grid;
    uint32_t indices[SOME], count, room;
    do {
        int32_t cell[COVEY__DIMENSIONS] = { (int32_t)search->cell[0], (int32_t)search->cell[1],
                                            g->dimensions == 3 ? (int32_t)search->cell[2] : 0 };
        room = COVEY_FOUND - search->count < SOME ? COVEY_FOUND - search->count : SOME;
        if (room == 0) return false;
        count = covey__grid_read(g, cell, search->begun ? search->last + 1 : 0, indices, room);
        for (uint32_t i = 0; i < count; i++) look_at(search, indices[i]);
    } while (count == room);
    search->begun = false;
    return true;
}

static bool next_of_cells(covey_search *search) {
    while (look_in_cell(search))
        if (!next_cell(search)) {
            search->asked = COVEY__ASKED_NOTHING;
            break;
        }
    return search->count != 0;
}

bool covey__place_next(covey_search *search) {
    if (search->cell[0] == INT64_MIN) {
        double cells = 1;
        for (uint32_t i = 0; i < search->lookup->place.count; i++) {
            cells *= (double)(search->to[i] - search->from[i]) + 1;
            search->cell[i] = search->from[i];
        }
        search->scans = covey__cells_are_many(search->lookup, cells);
    }
    return search->scans ? next_of_all(search) : next_of_cells(search);
}

/* The cells from one point to another; INT64_MIN says that nothing was looked at. */
static void ask_for_cells(covey_search *search, covey__asked asked, const double *low, const double *high) {
    int32_t from[COVEY__DIMENSIONS], to[COVEY__DIMENSIONS];
    const covey__grid *g = &search->lookup->grid;
    bool any = covey__cell_of(g, low, from) && covey__cell_of(g, high, to);
    for (uint32_t i = 0; i < g->dimensions; i++) {
        any = any && from[i] <= to[i];
        search->from[i] = from[i];
        search->to[i] = to[i];
    }
    search->asked = (uint8_t)(any ? asked : COVEY__ASKED_NOTHING);
    search->cell[0] = INT64_MIN;
    search->scans = false;
}

static void begin(covey_search *search, covey_lookup *lookup) {
    search->count = 0;
    search->lookup = lookup;
    search->asked = COVEY__ASKED_NOTHING;
    search->begun = false;
    search->last = 0;
}

covey_search covey_lookup_in_box(covey_lookup *lookup, const double *low, const double *high) {
    covey_search search;
    begin(&search, lookup);
    if (!covey__finds_places(lookup)) return search;
    COVEY__CONTRACT(lookup->world, low && high, "a box needs two points");
    memcpy(search.box_low, low, lookup->place.count * sizeof *low);
    memcpy(search.box_high, high, lookup->place.count * sizeof *high);
    ask_for_cells(&search, COVEY__ASKED_BOX, low, high);
    return search;
}

/* A point that is as far away as asked may lie outside of the box by rounding: so that is a little larger. */
static void box_around(const covey_lookup *lookup, const double *point, double distance, double *low, double *high) {
    for (uint32_t i = 0; i < lookup->place.count; i++) {
        double margin = ((point[i] < 0 ? -point[i] : point[i]) + distance) * 1e-15 + COVEY__TINY;
        low[i] = point[i] - distance - margin;
        high[i] = point[i] + distance + margin;
    }
}

covey_search covey_lookup_near(covey_lookup *lookup, const double *point, double distance) {
    covey_search search;
    double low[COVEY__DIMENSIONS], high[COVEY__DIMENSIONS];
    begin(&search, lookup);
    if (!covey__finds_places(lookup)) return search;
    COVEY__CONTRACT(lookup->world, point, "a question about what is near needs a point");
    if (!(distance >= 0)) return search;
    memcpy(search.centre, point, lookup->place.count * sizeof *point);
    search.distance = distance;
    box_around(lookup, point, distance, low, high);
    ask_for_cells(&search, COVEY__ASKED_NEAR, low, high);
    return search;
}

/* ---- The nearest -------------------------------------------------------------------------------------------------*/

/* The entities found so far, in order. */
typedef struct nearest {
    const covey_lookup *lookup;
    const double *point;
    double square; /* of the greatest distance */
    covey_entity *entities;
    uint32_t count, most;
    uint32_t looked; /* how many were looked at */
} nearest;

static double square_of(const nearest *n, uint32_t index) {
    double point[COVEY__DIMENSIONS] = { 0 };
    point_at(n->lookup, index, point);
    return square_to(n->lookup, point, n->point);
}

/* Whether an entity at this distance comes before one that was found. */
static bool comes_before(const nearest *n, double square, uint32_t index, covey_entity found) {
    double other = square_of(n, found.index);
    return square < other || (square == other && index < found.index);
}

static void consider(nearest *n, uint32_t index) {
    double square = square_of(n, index);
    covey_entity e = covey__found_at(n->lookup->world, index);
    uint32_t low = 0, high = n->count;
    n->looked++;
    if (!(square <= n->square) || e.generation == 0) return;
    if (n->count == n->most && !comes_before(n, square, index, n->entities[n->count - 1])) return;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (comes_before(n, square, index, n->entities[middle])) high = middle;
        else low = middle + 1;
    }
    n->count -= n->count == n->most;
    memmove(&n->entities[low + 1], &n->entities[low], (n->count - low) * sizeof e);
    n->entities[low] = e;
    n->count++;
}

static void consider_cell(nearest *n, const int32_t *cell) {
    uint32_t indices[SOME], count, from = 0;
    do {
        count = covey__grid_read(&n->lookup->grid, cell, from, indices, SOME);
        for (uint32_t i = 0; i < count; i++) consider(n, indices[i]);
        from = count != 0 ? indices[count - 1] + 1 : 0;
    } while (count == SOME);
}

/* Whether a cell is in a ring: at its distance in one direction, and no further in the others. */
static bool is_on_ring(const nearest *n, const int64_t *offset, int64_t ring) {
    bool on = false;
    for (uint32_t i = 0; i < n->lookup->place.count; i++) on = on || offset[i] == ring || offset[i] == -ring;
    return on;
}

static void consider_offset(nearest *n, const int32_t *centre, const int64_t *offset) {
    int32_t cell[COVEY__DIMENSIONS], most = covey__cell_most(n->lookup->grid.dimensions);
    for (uint32_t i = 0; i < n->lookup->grid.dimensions; i++) {
        int64_t along = centre[i] + offset[i];
        if (along < -most || along > most) return;
        cell[i] = (int32_t)along;
    }
    consider_cell(n, cell);
}

/* Looks at the cells of a ring around the centre. */
static void consider_ring(nearest *n, const int32_t *centre, int64_t ring) {
    int64_t offset[COVEY__DIMENSIONS] = { 0 };
    uint32_t last = n->lookup->place.count - 1, i;
    for (uint32_t k = 0; k <= last; k++) offset[k] = -ring;
    do {
        if (is_on_ring(n, offset, ring)) consider_offset(n, centre, offset);
        else offset[last] = ring - 1; /* go to the other side */
        for (i = last; ++offset[i] > ring && i != 0; i--) offset[i] = -ring;
    } while (offset[0] <= ring);
}

/* The cells up to a ring. */
static double cells_to(const nearest *n, int64_t ring) {
    double side = 2.0 * (double)ring + 1;
    return n->lookup->place.count == 2 ? side * side : side * side * side;
}

static void consider_all(nearest *n) {
    const covey__grid *g = &n->lookup->grid;
    n->count = 0;
    for (uint32_t i = covey__grid_next(g, 0); i != COVEY_NONE; i = covey__grid_next(g, i + 1)) consider(n, i);
}

/* Whether nothing beyond a ring is nearer than what was found. */
static bool is_done(const nearest *n, int64_t ring) {
    double beyond = (double)ring * n->lookup->place.cell * (1 - 1e-9);
    if (n->looked >= n->lookup->grid.count || beyond * beyond > n->square) return true;
    return n->count == n->most && square_of(n, n->entities[n->count - 1].index) < beyond * beyond;
}

static void consider_rings(nearest *n, const int32_t *centre) {
    int64_t ring = 0;
    do {
        if (covey__cells_are_many(n->lookup, cells_to(n, ring))) {
            consider_all(n);
            return;
        }
        consider_ring(n, centre, ring);
    } while (!is_done(n, ring++));
}

uint32_t covey_lookup_nearest(covey_lookup *lookup, const double *point, double distance, covey_entity *entities,
                              double *distances, uint32_t count) {
    int32_t centre[COVEY__DIMENSIONS];
    if (!covey__finds_places(lookup)) return 0;
    COVEY__CONTRACT(lookup->world, point && (entities || count == 0), "the nearest need a point and an array");
    covey__lookup_settle(lookup);
    if (count == 0 || !(distance >= 0) || !covey__cell_of(&lookup->grid, point, centre)) return 0;
    nearest n = { lookup, point, distance * distance, entities, 0, count, 0 };
    consider_rings(&n, centre);
    for (uint32_t i = 0; i < n.count && distances; i++) distances[i] = root_of(square_of(&n, entities[i].index));
    return n.count;
}
