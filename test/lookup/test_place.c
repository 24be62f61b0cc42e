/* Places: what is found in a box, near a point and in pairs is what a scan of all entities finds. */
#include "fixture.h"

#include <covey/fields.h>
#include <covey/lookup.h>
#include <float.h>
#include <math.h>

typedef struct Spot {
    double x, y, z;
    int64_t column, line;
    float at[3];
    float flat[2];
    int32_t tile[3];
    uint16_t pixel[2];
} Spot;
COVEY_FIELDS_DEFINE(Spot, f64(x), f64(y), f64(z), i64(column), i64(line), array(f32, at), array(f32, flat),
                    array(i32, tile), array(u16, pixel));
typedef Spot Block;
typedef Spot Sparse;
#define FIELDS .fields = &covey_fields_Spot, .ticks = true
COVEY_COMPONENT_DEFINE(Block, FIELDS);
COVEY_COMPONENT_DEFINE(Sparse, FIELDS, .storage = COVEY_STORAGE_SPARSE);

enum { COUNT = 400, PAIRS_MOST = COUNT * COUNT / 2 };
static covey_entity e[COUNT];
static test_random chance;

/* ---- The scan ----------------------------------------------------------------------------------------------------*/

typedef void point_fn(const Spot *spot, double *point);
static void of_xy(const Spot *spot, double *point) {
    point[0] = spot->x;
    point[1] = spot->y;
}
static void of_xyz(const Spot *spot, double *point) {
    of_xy(spot, point);
    point[2] = spot->z;
}
static void of_grid(const Spot *spot, double *point) {
    point[0] = (double)spot->column;
    point[1] = (double)spot->line;
}
static void of_at(const Spot *spot, double *point) {
    for (uint32_t i = 0; i < 3; i++) point[i] = (double)spot->at[i];
}
static void of_flat(const Spot *spot, double *point) {
    for (uint32_t i = 0; i < 2; i++) point[i] = (double)spot->flat[i];
}
static void of_tile(const Spot *spot, double *point) {
    for (uint32_t i = 0; i < 3; i++) point[i] = spot->tile[i];
}
static void of_pixel(const Spot *spot, double *point) {
    for (uint32_t i = 0; i < 2; i++) point[i] = spot->pixel[i];
}

typedef struct place {
    const char *names[3];
    point_fn *point;
    uint32_t count;
} place;
static const place places[] = { { { "x", "y" }, of_xy, 2 },           { { "x", "y", "z" }, of_xyz, 3 },
                                { { "column", "line" }, of_grid, 2 }, { { "at" }, of_at, 3 },
                                { { "flat" }, of_flat, 2 },           { { "tile" }, of_tile, 3 },
                                { { "pixel" }, of_pixel, 2 } };

static const covey_type *type;
static const place *at;
static covey_lookup *lookup;

/* The places of the entities, and whether they have one. */
static double points[COUNT][3];
static bool known[COUNT];

static void read_points(void) {
    for (uint32_t i = 0; i < COUNT; i++) {
        const Spot *spot = covey_alive(world, e[i]) ? covey_get_raw(world, e[i], type) : NULL;
        known[i] = spot != NULL;
        if (spot) at->point(spot, points[i]);
        for (uint32_t k = 0; k < at->count && known[i]; k++) known[i] = points[i][k] == points[i][k];
    }
}

static double square(const double *a, const double *b) {
    double sum = 0;
    for (uint32_t i = 0; i < at->count; i++) {
        volatile double side = a[i] - b[i], part = side * side; /* never fused */
        sum += part;
    }
    return sum;
}

/* All are created in the beginning, and have neighbouring indices. */
static uint32_t number_of(covey_entity of) {
    uint32_t i = of.index - e[0].index;
    assert_true(i < COUNT && covey_same(e[i], of));
    return i;
}

/* ---- Questions ---------------------------------------------------------------------------------------------------*/

/* What a search finds, in its order; each once. */
typedef struct visit {
    bool is[COUNT];
    uint32_t numbers[COUNT], count;
} visit;

static const visit *visit_all(covey_search search) {
    static visit v;
    v = (visit){ .count = 0 };
    while (covey_search_next(&search))
        for (uint32_t i = 0; i < search.count; i++) {
            uint32_t number = number_of(search.entities[i]);
            assert_false(v.is[number]);
            v.is[number] = true;
            v.numbers[v.count++] = number;
        }
    return &v;
}

static void assert_same_order(const visit *v, covey_search again) {
    visit first = *v;
    const visit *second = visit_all(again);
    assert_int_equal(first.count, second->count);
    assert_memory_equal(first.numbers, second->numbers, first.count * sizeof *first.numbers);
}

static uint32_t assert_box(const double *low, const double *high) {
    const visit *v = visit_all(covey_lookup_in_box(lookup, low, high));
    read_points();
    for (uint32_t i = 0; i < COUNT; i++) {
        bool in = known[i];
        for (uint32_t k = 0; k < at->count; k++) in = in && points[i][k] >= low[k] && points[i][k] <= high[k];
        assert_int_equal(v->is[i], in);
    }
    uint32_t count = v->count;
    assert_same_order(v, covey_lookup_in_box(lookup, low, high));
    return count;
}

static uint32_t assert_near(const double *point, double distance) {
    const visit *v = visit_all(covey_lookup_near(lookup, point, distance));
    read_points();
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(v->is[i], known[i] && square(points[i], point) <= distance * distance);
    uint32_t count = v->count;
    assert_same_order(v, covey_lookup_near(lookup, point, distance));
    return count;
}

static bool comes_before(uint32_t a, uint32_t b, const double *point) {
    double a_square = square(points[a], point), b_square = square(points[b], point);
    return a_square < b_square || (a_square == b_square && e[a].index < e[b].index);
}

/* All that are near enough, the nearest first. */
static uint32_t sort_near(const double *point, double distance, uint32_t *numbers) {
    uint32_t count = 0;
    read_points();
    for (uint32_t i = 0; i < COUNT; i++) {
        if (!known[i] || !(square(points[i], point) <= distance * distance)) continue;
        uint32_t k = count++;
        for (; k != 0 && comes_before(i, numbers[k - 1], point); k--) numbers[k] = numbers[k - 1];
        numbers[k] = i;
    }
    return count;
}

static void assert_nearest(const double *point, double distance, uint32_t wanted) {
    static uint32_t numbers[COUNT];
    static covey_entity found[COUNT + 10];
    static double distances[COUNT + 10];
    uint32_t count = sort_near(point, distance, numbers), least = count < wanted ? count : wanted;
    assert_int_equal(covey_lookup_nearest(lookup, point, distance, found, distances, wanted), least);
    for (uint32_t i = 0; i < least; i++) {
        assert_same(found[i], e[numbers[i]]);
        double exact = square(points[numbers[i]], point), is = distances[i] * distances[i];
        assert_true(is == exact || (is > exact * (1 - 1e-15) && is < exact * (1 + 1e-15)));
    }
    assert_int_equal(covey_lookup_nearest(lookup, point, distance, found, NULL, wanted), least);
}

static bool pair_is[COUNT][COUNT];

static uint32_t count_pairs(double distance, bool marks) {
    uint32_t count = 0;
    covey_pairs pairs = covey_lookup_pairs(lookup, distance);
    if (marks) memset(pair_is, 0, sizeof pair_is);
    while (covey_pairs_next(&pairs)) {
        assert_true(pairs.count != 0 && pairs.count <= COVEY__PAIRS);
        for (uint32_t i = 0; i < pairs.count && marks; i++) {
            uint32_t a = number_of(pairs.a[i]), b = number_of(pairs.b[i]), low = a < b ? a : b;
            assert_true(a != b && !pair_is[low][a + b - low]);
            pair_is[low][a + b - low] = true;
        }
        count += pairs.count;
    }
    assert_false(covey_pairs_next(&pairs));
    return count;
}

static uint32_t assert_pairs(double distance) {
    uint32_t count = count_pairs(distance, true);
    read_points();
    for (uint32_t a = 0; a < COUNT; a++)
        for (uint32_t b = a + 1; b < COUNT; b++) {
            bool near = known[a] && known[b] && square(points[a], points[b]) <= distance * distance;
            if (pair_is[a][b] != near) fail_msg("%u and %u, at most %g apart", a, b, distance);
        }
    return count;
}

/* Each entity that has a place is in the cell whose middle is nearest, unless it is too far away to count cells. */
static void assert_cells(void) {
    double side = covey_lookup_description(lookup).cell, half = side * (0.5 + 1e-9);
    read_points();
    for (uint32_t i = 0; i < COUNT; i++) {
        int32_t cell[3] = { 0 };
        assert_int_equal(covey_lookup_cell(lookup, e[i], cell), known[i]);
        for (uint32_t k = 0; k < at->count && known[i]; k++)
            assert_true(fabs(points[i][k] - cell[k] * side) <= half || fabs(points[i][k]) > 1e6 * side);
    }
}

/* ---- Worlds ------------------------------------------------------------------------------------------------------*/

static void look_up(const place *which, double cell) {
    at = which;
    lookup = covey_lookup_create(
        world, &(covey_lookup_desc){
                   .type = type, .place = { which->names[0], which->names[1], which->names[2] }, .cell = cell });
    assert_non_null(lookup);
}

static double random_number(double low, double high) {
    return low + (high - low) * (test_next(&chance) / 4294967296.0);
}

/* Somewhere in a cube from `low` to `high`; some in the same place. */
static Spot random_spot(double low, double high) {
    Spot s = {
        random_number(low, high), random_number(low, high), random_number(low, high), 0, 0, { 0 }, { 0 }, { 0 }, { 0 }
    };
    if (test_below(&chance, 6) == 0) s = (Spot){ .x = (low + high) / 2, .y = low };
    s.column = (int64_t)s.x;
    s.line = (int64_t)s.y;
    s.at[0] = s.flat[0] = (float)s.x;
    s.at[1] = s.flat[1] = (float)s.y;
    s.at[2] = (float)s.z;
    for (uint32_t i = 0; i < 3; i++) s.tile[i] = (int32_t)((double)s.at[i] * 1e-3 < 1e6 ? s.at[i] : 0);
    for (uint32_t i = 0; i < 2; i++) s.pixel[i] = (uint16_t)(s.tile[i] & 0xffff);
    return s;
}

static void begin(uint32_t number, uint32_t seed) {
    static const covey_type *const types[] = { covey_id(Block), covey_id(Sparse) };
    assert_int_equal(world_setup(NULL), 0);
    chance = (test_random){ seed };
    type = types[number % 2];
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
}

static void spread(uint32_t step, double low, double high) {
    for (uint32_t i = 0; i < COUNT; i += step) {
        Spot s = random_spot(low, high);
        assert_non_null(covey_set_raw(world, e[i], type, &s));
    }
}

static void ask_all(double low, double high) {
    double a[3], b[3], side = high - low;
    static const double shares[] = { 0, 0.001, 0.02, 0.1, 0.7, 3, 1e6 };
    for (uint32_t i = 0; i < COUNT_OF(shares); i++) {
        double distance = side * shares[i];
        for (uint32_t k = 0; k < 3; k++) {
            a[k] = random_number(low - side / 4, high);
            b[k] = a[k] + distance;
        }
        assert_box(a, b);
        assert_near(a, distance);
        assert_nearest(a, distance, 7);
        assert_pairs(distance);
    }
    double point[3];
    memcpy(point, points[0], sizeof point);
    if (known[0]) assert_true(assert_near(point, 0) != 0 && assert_box(point, point) != 0);
    assert_nearest(a, INFINITY, 1);
    assert_nearest(a, INFINITY, 30);
    assert_nearest(point, INFINITY, COUNT + 10);
    assert_near(a, INFINITY);
    assert_pairs(INFINITY);
    assert_cells();
    test_world_is_valid(world);
}

/* ---- Tests -------------------------------------------------------------------------------------------------------*/

/* Cells from much smaller than what is asked about to much larger than everything. */
static void test_each_kind_of_place_with_cells_of_each_size(void **state) {
    (void)state;
    static const double cells[] = { 0.01, 1, 17, 1000, 1e9 };
    for (uint32_t i = 0; i < COUNT_OF(places); i++)
        for (uint32_t k = 0; k < COUNT_OF(cells); k++) {
            begin(i + k, i + 10 * k + 1);
            look_up(&places[i], cells[k]);
            ask_all(0, 100);
            spread(k % 2 == 0 ? 1 : 5, i == 6 ? 0 : -70, 100);
            ask_all(i == 6 ? 0 : -70, 100);
            spread(7, 0, 1);
            ask_all(0, 1);
            world_teardown(NULL);
        }
}

static void test_what_has_moved_or_ended_is_found_where_it_is(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(places); i++) {
        begin(i, i + 1);
        look_up(&places[i], 4);
        spread(1, 0, 60);
        for (uint32_t round = 0; round < 5; round++) {
            covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
            covey_iter it = covey_view_iter(&view);
            while (covey_next(&it)) {
                Spot *s = covey_field_raw(&it, 0);
                for (uint32_t k = 0; k < it.count; k++)
                    if (test_below(&chance, 3) == 0) s[k] = random_spot(0, 60);
            }
            ask_all(0, 60);
            for (uint32_t k = 0; k < 20; k++) covey_remove_raw(world, e[test_below(&chance, COUNT)], type);
            for (uint32_t k = 0; k < 20; k++) {
                uint32_t number = test_below(&chance, COUNT);
                covey_destroy(world, e[number]);
            }
            ask_all(0, 60);
        }
        world_teardown(NULL);
    }
}

static void put(uint32_t number, double x, double y) {
    assert_non_null(covey_set_raw(world, e[number], type, &(Spot){ .x = x, .y = y }));
}

static void test_the_nearest_in_order_and_those_equally_far_by_index(void **state) {
    (void)state;
    begin(0, 1);
    look_up(&places[0], 1);
    put(9, 3, 0);
    put(5, -3, 0);
    put(7, 0, 3);
    put(1, 0, -3);
    put(3, 2, 0);
    put(8, 0, 0);
    covey_entity found[9], wanted[] = { e[8], e[3], e[1], e[5], e[7], e[9] };
    double distances[9], origin[2] = { 0, 0 };
    for (uint32_t count = 0; count < 9; count++) {
        uint32_t least = count < 6 ? count : 6;
        assert_int_equal(covey_lookup_nearest(lookup, origin, INFINITY, found, distances, count), least);
        for (uint32_t i = 0; i < least; i++) {
            assert_same(found[i], wanted[i]);
            assert_true(distances[i] == (i == 0 ? 0 : i == 1 ? 2 : 3));
        }
        assert_nearest(origin, 3, count);
        assert_nearest(origin, 2.999, count);
        assert_nearest(origin, 0, count);
    }
    assert_int_equal(covey_lookup_nearest(lookup, origin, -1, found, NULL, 9), 0);
    assert_int_equal(covey_lookup_nearest(lookup, origin, NAN, found, NULL, 9), 0);
    assert_int_equal(covey_lookup_nearest(lookup, origin, 1, NULL, NULL, 0), 0);
    world_teardown(NULL);
}

/* Those that touch a border belong to what is asked about. */
static void test_borders_are_included(void **state) {
    (void)state;
    begin(1, 1);
    look_up(&places[0], 0.1);
    for (uint32_t i = 0; i < 100; i++) put(i, 0.1 * (i % 10), 0.1 * (i / 10));
    for (uint32_t i = 0; i < 10; i++)
        for (uint32_t k = i; k < 10; k++) {
            double low[2] = { 0.1 * i, 0.1 * i }, high[2] = { 0.1 * k, 0.1 * k };
            assert_int_equal(assert_box(low, high), (k - i + 1) * (k - i + 1));
            assert_near(low, 0.1 * k);
            assert_near(high, 0.1 * k - 0.1 * i);
            assert_nearest(low, 0.1 * k, 20);
            assert_pairs(0.1 * k);
            assert_pairs(0.1 * k - 0.1 * i);
        }
    world_teardown(NULL);
}

static void test_what_is_no_place(void **state) {
    (void)state;
    begin(0, 3);
    look_up(&places[0], 2);
    put(0, NAN, 0);
    put(1, 0, NAN);
    put(2, 0, 0);
    double low[2] = { -INFINITY, -INFINITY }, high[2] = { INFINITY, INFINITY }, nan[2] = { 0, NAN }, zero[2] = { 0 };
    assert_int_equal(covey_lookup_size(lookup), 1);
    assert_int_equal(assert_box(low, high), 1);
    assert_int_equal(assert_box(high, low), 0);
    assert_int_equal(assert_box(low, nan), 0);
    assert_int_equal(assert_box(nan, high), 0);
    assert_int_equal(assert_near(nan, 1), 0);
    assert_int_equal(visit_all(covey_lookup_near(lookup, zero, -1))->count, 0);
    assert_int_equal(visit_all(covey_lookup_near(lookup, zero, NAN))->count, 0);
    covey_entity found;
    int32_t cell[2];
    assert_false(covey_lookup_cell(lookup, e[0], cell) || covey_lookup_cell(lookup, e[3], cell));
    assert_false(covey_lookup_cell(lookup, covey_entity_make(e[2].index, e[2].generation + 2), cell));
    assert_true(covey_lookup_cell(lookup, e[2], cell));
    assert_int_equal(covey_lookup_nearest(lookup, nan, 1, &found, NULL, 1), 0);
    assert_int_equal(count_pairs(-1, true), 0);
    assert_int_equal(count_pairs(NAN, true), 0);
    put(0, 1, 0);
    assert_int_equal(assert_near(zero, 1), 2);
    put(0, NAN, NAN);
    assert_int_equal(assert_near(zero, 1), 1);
    world_teardown(NULL);
}

/* So far away that cells are not counted any more. */
static void test_places_that_are_far_away(void **state) {
    (void)state;
    static const double far_off[] = { 1e9, 1e18, 1e30, 1e100 };
    static const double cells[] = { 1e-300, 1e-3, 1, 1e6, 1e300 };
    for (uint32_t i = 0; i < COUNT_OF(far_off); i++)
        for (uint32_t k = 0; k < COUNT_OF(cells); k++) {
            begin(i + k, i + 1);
            look_up(&places[k % 2], cells[k]);
            for (uint32_t n = 0; n < COUNT; n += 3) {
                Spot s = random_spot(-far_off[i], far_off[i]);
                if (n % 4 == 0) s = random_spot(-10, 10);
                if (n % 7 == 0) s.x += far_off[i];
                assert_non_null(covey_add_raw(world, e[n], type, &s));
            }
            ask_all(-far_off[i], far_off[i]);
            ask_all(-10, 10);
            ask_all(far_off[i] - 5, far_off[i] + 5);
            world_teardown(NULL);
        }
}

static void test_places_at_infinity(void **state) {
    (void)state;
    begin(0, 3);
    look_up(&places[0], 2);
    put(0, INFINITY, 0);
    put(1, -INFINITY, 0);
    put(2, 0, 0);
    put(3, INFINITY, 0);
    double low[2] = { -INFINITY, -1 }, high[2] = { INFINITY, 1 }, zero[2] = { 0 }, some[2] = { 1, 1 };
    assert_int_equal(assert_box(low, high), 4);
    assert_int_equal(assert_box(zero, high), 3);
    assert_int_equal(assert_box(zero, some), 1);
    assert_int_equal(assert_near(zero, 1), 1);
    assert_int_equal(assert_near(zero, INFINITY), 4);
    assert_nearest(zero, INFINITY, 9);
    assert_nearest(zero, 10, 9);
    assert_pairs(1);
    assert_pairs(INFINITY); /* two points at infinity have no distance */
    world_teardown(NULL);
}

/* A cell must be a number, and so must be how many of them there are in a unit. */
static void test_cells_that_are_too_large_or_too_small(void **state) {
    (void)state;
    begin(0, 3);
    static const double wrong[] = { 0, -1, 4.9e-324, 1e-310, DBL_MAX, INFINITY, NAN };
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_null(
            covey_lookup_create(world, &(covey_lookup_desc){ .type = type, .place = { "x", "y" }, .cell = wrong[i] }));
        assert_failed(COVEY_ERROR_RANGE);
    }
    look_up(&places[0], 1e-307);
    put(1, 0, 0);
    put(2, 1e-307, 0);
    put(3, 1, 0);
    ask_all(0, 1);
    covey_lookup_destroy(lookup);
    look_up(&places[0], 1e308);
    ask_all(0, 1);
    world_teardown(NULL);
}

/* More pairs than are found at a time, of one cell, and of many. */
static void test_many_pairs(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 2; i++) {
        begin(i, 3);
        look_up(&places[i], 1);
        for (uint32_t n = 0; n < COUNT; n++) put(n, 0.25, 0.25);
        assert_int_equal(assert_pairs(0), COUNT * (COUNT - 1) / 2);
        assert_int_equal(assert_pairs(1e9), COUNT * (COUNT - 1) / 2);
        for (uint32_t n = 0; n < COUNT; n++) put(n, n % 20, n / 20);
        assert_int_equal(assert_pairs(0.99), 0);
        assert_int_equal(assert_pairs(1), 2 * 19 * 20);
        assert_int_equal(assert_pairs(1.42), 2 * 19 * 20 + 2 * 19 * 19);
        for (double distance = 0.5; distance < 40; distance *= 1.3) assert_pairs(distance);
        world_teardown(NULL);
    }
}

/* The order of answers depends on what there is, not on how it came to be. */
static void test_the_order_of_answers(void **state) {
    (void)state;
    uint64_t sums[2] = { 0 };
    for (uint32_t way = 0; way < 2; way++) {
        begin(0, 9);
        if (way == 0) look_up(&places[0], 3);
        spread(1, 0, 50);
        if (way == 1) {
            for (uint32_t i = 0; i < COUNT; i++) {
                uint32_t n = i * 37 % COUNT;
                Spot s = *(const Spot *)covey_get_raw(world, e[n], type);
                covey_remove_raw(world, e[n], type);
                assert_non_null(covey_add_raw(world, e[n], type, &s));
            }
            look_up(&places[0], 3);
            covey_compact(world);
            covey_shrink(world);
        }
        covey_search search = covey_lookup_near(lookup, (double[]){ 20, 20 }, 11);
        const visit *v = visit_all(search);
        for (uint32_t i = 0; i < v->count; i++) sums[way] = sums[way] * 1000003 + v->numbers[i];
        search = covey_lookup_in_box(lookup, (double[]){ 0, 0 }, (double[]){ 1e6, 30 });
        v = visit_all(search);
        for (uint32_t i = 0; i < v->count; i++) sums[way] = sums[way] * 1000003 + v->numbers[i];
        covey_pairs pairs = covey_lookup_pairs(lookup, 2.5);
        while (covey_pairs_next(&pairs))
            for (uint32_t i = 0; i < pairs.count; i++)
                sums[way] = sums[way] * 1000003 + number_of(pairs.a[i]) * 1000 + number_of(pairs.b[i]);
        world_teardown(NULL);
    }
    assert_true(sums[0] == sums[1]);
}

/* A place may be left, or end, while a search, or one for pairs, goes on: it is skipped, and nothing breaks. */
static void test_the_world_may_change_while_places_are_searched(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        begin(i, i + 1);
        look_up(&places[i % 2], i < 3 ? 1 : 100);
        spread(1, 0, 20);
        double middle[3] = { 10, 10, 10 };
        covey_search search = covey_lookup_near(lookup, middle, 30);
        while (covey_search_next(&search)) {
            read_points();
            for (uint32_t k = 0; k < search.count; k++) {
                uint32_t number = number_of(search.entities[k]);
                assert_true(known[number] && square(points[number], middle) <= 900);
            }
            for (uint32_t k = 0; k < 9; k++) covey_destroy(world, e[test_below(&chance, COUNT)]);
            covey_remove_raw(world, search.entities[search.count - 1], type);
        }
        world_teardown(NULL);
    }
}

/* Pairs would be missed, or found twice, so the rest is not found. */
static void test_pairs_end_when_places_change(void **state) {
    (void)state;
    for (uint32_t way = 0; way < 3; way++) {
        begin(way, way + 1);
        look_up(&places[way % 2], 1);
        spread(1, 0, 5);
        covey_pairs pairs = covey_lookup_pairs(lookup, 3);
        assert_true(covey_pairs_next(&pairs));
        *(Spot *)covey_patch_raw(world, e[1], type, NULL, NULL) = *(const Spot *)covey_get_raw(world, e[1], type);
        assert_true(covey_pairs_next(&pairs)); /* nothing has moved */
        if (way == 0) covey_destroy(world, pairs.a[0]);
        if (way == 1) covey_clear_raw(world, type);
        if (way == 2) put(3, 1000, 0);
#if COVEY_ASSERT_LEVEL >= 1
        expect_assert_failure(covey_pairs_next(&pairs));
#else
        assert_false(covey_pairs_next(&pairs));
#endif
        assert_int_equal(pairs.count, 0);
        world_teardown(NULL);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_kind_of_place_with_cells_of_each_size),
        cmocka_unit_test(test_what_has_moved_or_ended_is_found_where_it_is),
        cmocka_unit_test(test_the_nearest_in_order_and_those_equally_far_by_index),
        cmocka_unit_test(test_borders_are_included),
        cmocka_unit_test(test_what_is_no_place),
        cmocka_unit_test(test_places_that_are_far_away),
        cmocka_unit_test(test_places_at_infinity),
        cmocka_unit_test(test_cells_that_are_too_large_or_too_small),
        cmocka_unit_test(test_many_pairs),
        cmocka_unit_test(test_the_order_of_answers),
        cmocka_unit_test(test_the_world_may_change_while_places_are_searched),
        cmocka_unit_test(test_pairs_end_when_places_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
