/* Grids: what is filed in a cell is found, in order, after any filing; and memory for it is never short. */
#include "support.h"

#include "lookup/grid.h"

#include <math.h>

enum { LIMIT = 700, NONE = INT32_MIN };

/* An array that says in which cell each index is tells the truth. */
typedef struct oracle {
    test_heap heap;
    covey__heap memory;
    test_random random;
    covey__grid g;
    uint32_t stride, limit; /* only multiples of the stride are filed */
    double wide;            /* points are less than this from the origin */
    bool floats;
    double points[LIMIT][COVEY__DIMENSIONS];
    int32_t cells[LIMIT][COVEY__DIMENSIONS]; /* the first is NONE: not filed */
    uint32_t count;
} oracle;

static oracle o;

static void open_grid(uint32_t dimensions, uint32_t limit, uint32_t stride, double wide, bool floats, uint32_t seed) {
    memset(&o, 0, sizeof o);
    o.memory.allocator = test_allocator(&o.heap);
    o.random.state = seed;
    o.g = covey__grid_of(dimensions, 1);
    o.limit = limit;
    o.stride = stride;
    o.wide = wide;
    o.floats = floats;
    for (uint32_t i = 0; i < LIMIT; i++) o.cells[i][0] = NONE;
    for (uint32_t i = 0; i < limit; i++) assert_true(covey__grid_reach(&o.memory, &o.g, i * stride, UINT32_MAX));
}

static void close_grid(void) {
    covey__grid_free(&o.memory, &o.g);
    assert_int_equal(o.heap.blocks, 0);
}

static void is_valid(void) {
    const char *why = NULL;
    if (!covey__grid_valid(&o.g, &why)) fail_msg("not valid: %s", why);
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

static bool is_in(uint32_t number, const int32_t *cell) {
    return o.cells[number][0] != NONE && memcmp(o.cells[number], cell, o.g.dimensions * sizeof *cell) == 0;
}

/* Asks for the indices of a cell from one on, some at a time. */
static void ask_cell(const int32_t *cell, uint32_t from, uint32_t room) {
    uint32_t indices[LIMIT], count, at = 0;
    count = covey__grid_read(&o.g, cell, from, indices, room);
    for (uint32_t i = 0; i < o.limit; i++) {
        if (i * o.stride < from || !is_in(i, cell)) continue;
        if (at == count && count == room) {
            count = covey__grid_read(&o.g, cell, i * o.stride, indices, room);
            at = 0;
        }
        assert_true(at < count);
        assert_int_equal(indices[at], i * o.stride);
        at++;
    }
    assert_int_equal(at, count);
}

/* Asks for some neighbouring cells at once, if all items are in their slots. */
static void ask_strip(const int32_t *cell, uint32_t cells) {
    uint32_t last = o.g.dimensions - 1, count, found = 0, expected = 0;
    int32_t next[COVEY__DIMENSIONS];
    const uint32_t *items;
    memcpy(next, cell, sizeof next);
    if (cell[last] > INT32_MAX - (int32_t)cells) return;
    if (!covey__grid_strip(&o.g, cell, cells, 0, &items, &count)) return;
    for (uint32_t i = 0; i < cells; i++, next[last]++) {
        for (uint32_t k = 0; k < o.limit; k++) expected += is_in(k, next);
        for (uint32_t k = 0; k < count; k++) found += is_in(items[k] / o.stride, next);
    }
    assert_int_equal(found, expected);
}

static void ask(void) {
    int32_t cell[COVEY__DIMENSIONS] = { 0 };
    uint32_t number = test_below(&o.random, o.limit);
    assert_int_equal(o.g.count, o.count);
    assert_int_equal(covey__grid_has(&o.g, number * o.stride), o.cells[number][0] != NONE);
    if (o.cells[number][0] != NONE) memcpy(cell, o.cells[number], sizeof cell);
    ask_cell(cell, 0, 1 + test_below(&o.random, LIMIT));
    ask_cell(cell, test_below(&o.random, o.limit * o.stride), 2);
    ask_strip(cell, 1 + test_below(&o.random, 4));
    cell[1] -= cell[1] > 0 ? 1 : -1;
    ask_cell(cell, 0, 3);
}

static void ask_all(void) {
    int32_t low[COVEY__DIMENSIONS], high[COVEY__DIMENSIONS];
    uint32_t next = covey__grid_next(&o.g, 0), count = 0;
    bool any = covey__grid_bounds(&o.g, low, high);
    assert_int_equal(any, o.count != 0);
    for (uint32_t i = 0; i < o.limit; i++) {
        if (o.cells[i][0] == NONE) continue;
        assert_int_equal(next, i * o.stride);
        next = covey__grid_next(&o.g, next + 1);
        for (uint32_t k = 0; k < o.g.dimensions; k++) assert_true(low[k] <= o.cells[i][k] && o.cells[i][k] <= high[k]);
        count++;
    }
    assert_int_equal(next, COVEY_NONE);
    assert_int_equal(count, o.count);
}

/* ---- Filing ------------------------------------------------------------------------------------------------------*/

/* To the nearest integer, and to an even one in the middle of two; as it is if it is too large to have a fraction. */
static double rounded(double number) {
    if (!(number > -1e15 && number < 1e15)) return number;
    int64_t below = (int64_t)number - ((double)(int64_t)number > number);
    double above = number - (double)below;
    return (double)(below + (above > 0.5 || (above == 0.5 && below % 2 != 0)));
}

/* A point somewhere, near the last one, far away, or with a NaN. */
static void choose_point(uint32_t number) {
    uint32_t kind = test_below(&o.random, 100);
    for (uint32_t k = 0; k < o.g.dimensions; k++) {
        double *at = &o.points[number][k], part = test_below(&o.random, 1 << 20) / (double)(1 << 20) - 0.5;
        if (kind < 60) *at += part / 4;
        else *at = part * 2 * o.wide;
        if (kind == 99) *at = k == number % o.g.dimensions ? NAN : *at;
        if (kind == 98) *at = part < 0 ? -1e30 : 1e30;
        if (kind == 97) *at = part < 0 ? -INFINITY : INFINITY;
        if (kind == 96) *at = rounded(*at) + 0.5; /* between two cells */
        if (!(*at > -2 * o.wide && *at < 2 * o.wide) && kind < 96) *at = part * o.wide;
        if (o.floats) *at = (double)(float)*at;
    }
}

static void put_in_oracle(uint32_t number, const int32_t *cell) {
    o.count += cell != NULL;
    o.count -= o.cells[number][0] != NONE;
    if (cell) memcpy(o.cells[number], cell, o.g.dimensions * sizeof *cell);
    else o.cells[number][0] = NONE;
}

/* What a cell is, without the tricks of the engine. */
static bool find_cell(const double *point, int32_t *cell) {
    double most = o.g.dimensions == 2 ? 2147483647.0 : 1048575.0;
    for (uint32_t k = 0; k < o.g.dimensions; k++) {
        if (isnan(point[k])) return false;
        double along = rounded(point[k]);
        cell[k] = (int32_t)(along > most ? most : along < 1 - most ? 1 - most : along);
    }
    return true;
}

static void file_one(uint32_t number) {
    int32_t cell[COVEY__DIMENSIONS], expected[COVEY__DIMENSIONS];
    choose_point(number);
    bool known = covey__cell_of(&o.g, o.points[number], cell);
    assert_int_equal(known, find_cell(o.points[number], expected));
    if (known) assert_memory_equal(cell, expected, o.g.dimensions * sizeof *cell);
    if (known) covey__grid_file(&o.g, number * o.stride, cell);
    else covey__grid_unfile(&o.g, number * o.stride, (uint64_t)1 << number * o.stride % COVEY__BLOCK_IDS);
    put_in_oracle(number, known ? cell : NULL);
}

/* Moves a block, or some of it. Those that are not filed have values that mean nothing. */
static void file_block(uint32_t first, uint64_t some) {
    static double doubles[COVEY__BLOCK_IDS * COVEY__DIMENSIONS];
    static float floats[COVEY__BLOCK_IDS * COVEY__DIMENSIONS];
    uint64_t ids = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) {
        uint32_t index = first + i, number = index / o.stride;
        bool is = index % o.stride == 0 && number < o.limit && (some >> i & 1) != 0;
        if (is) {
            int32_t cell[COVEY__DIMENSIONS];
            choose_point(number);
            put_in_oracle(number, find_cell(o.points[number], cell) ? cell : NULL);
            ids |= (uint64_t)1 << i;
        }
        for (uint32_t k = 0; k < o.g.dimensions; k++) {
            double at = is ? o.points[number][k] : test_below(&o.random, 100) - 50.0;
            doubles[i * o.g.dimensions + k] = at;
            floats[i * o.g.dimensions + k] = (float)at;
        }
    }
    if (ids == 0) return;
    if (o.floats) covey__grid_file_block(&o.g, first, ids, COVEY_KIND_F32, floats);
    else covey__grid_file_block(&o.g, first, ids, COVEY_KIND_F64, doubles);
}

static void unfile_some(uint32_t first, uint64_t some) {
    covey__grid_unfile(&o.g, first, some);
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++)
        if ((some >> i & 1) != 0 && (first + i) % o.stride == 0 && (first + i) / o.stride < o.limit)
            put_in_oracle((first + i) / o.stride, NULL);
}

static uint64_t any_ids(void) {
    uint64_t ids = (uint64_t)test_next(&o.random) << 32 | test_next(&o.random);
    return test_below(&o.random, 2) ? ids : UINT64_MAX;
}

static void step(uint32_t most) {
    uint32_t blocks = o.limit * o.stride / COVEY__BLOCK_IDS + 1, kind = test_below(&o.random, 100);
    uint32_t first = test_below(&o.random, blocks) * COVEY__BLOCK_IDS;
    if (kind < 50)
        for (uint32_t i = test_below(&o.random, most); i-- != 0;) file_one(test_below(&o.random, o.limit));
    else if (kind < 85) file_block(first, any_ids());
    else if (kind < 90)
        for (uint32_t i = 0; i < blocks; i++) file_block(i * COVEY__BLOCK_IDS, UINT64_MAX);
    else if (kind < 98) unfile_some(first, any_ids());
    else if (kind < 99)
        for (uint32_t i = 0; i < blocks; i++) unfile_some(i * COVEY__BLOCK_IDS, UINT64_MAX);
    else {
        covey__grid_clear(&o.g);
        for (uint32_t i = 0; i < o.limit; i++) put_in_oracle(i, NULL);
    }
}

/* ---- Random programs ---------------------------------------------------------------------------------------------*/

typedef struct plan {
    uint32_t dimensions, limit, stride;
    double wide;
    bool floats;
    uint32_t most; /* indices that are filed one by one between two questions */
} plan;

static void run(const plan *p, uint32_t seed) {
    open_grid(p->dimensions, p->limit, p->stride, p->wide, p->floats, seed);
    assert_true(covey__grid_reserve(&o.memory, &o.g, p->limit));
    uint64_t calls = o.heap.calls;
    for (uint32_t i = 0; i < 600; i++) {
        for (uint32_t k = test_below(&o.random, 3); k-- != 0;) step(p->most);
        covey__grid_settle(&o.g);
        is_valid();
        ask();
        if (i % 16 == 0) ask_all();
    }
    assert_int_equal(o.heap.calls, calls); /* filing does not allocate */
    ask_all();
    close_grid();
}

static void test_random_filing(void **state) {
    (void)state;
    static const plan plans[] = {
        { 2, 300, 1, 8, true, 5 },     { 2, 700, 1, 20, false, 30 },   { 2, 500, 1, 2, true, 40 },
        { 2, 10, 97, 1000, true, 5 },  { 2, 700, 1, 1e8, false, 20 },  { 2, 700, 1, 3e4, true, 100 },
        { 3, 300, 1, 4, true, 5 },     { 3, 700, 1, 6, false, 30 },    { 3, 200, 33, 1e5, true, 40 },
        { 2, 200, 97, 1000, true, 5 }, { 3, 500, 1, 1e7, false, 100 }, { 2, 1, 1, 3, true, 2 },
        { 2, 3, 200, 3, true, 2 },
    };
    for (uint32_t i = 0; i < sizeof plans / sizeof plans[0]; i++)
        if (plans[i].limit * plans[i].stride < COVEY_NONE)
            for (uint32_t seed = 1; seed <= 3; seed++) run(&plans[i], seed);
}

/* ---- Behaviours --------------------------------------------------------------------------------------------------*/

static void fill(uint32_t limit) {
    open_grid(2, limit, 1, 10, false, 1);
    assert_true(covey__grid_reserve(&o.memory, &o.g, limit));
    for (uint32_t i = 0; i < limit; i += COVEY__BLOCK_IDS) file_block(i, UINT64_MAX);
    covey__grid_settle(&o.g);
    is_valid();
}

/* An index that leaves its cell and comes back is found once. */
static void test_what_comes_back_is_found_once(void **state) {
    (void)state;
    fill(LIMIT);
    int32_t here[] = { 3, 3 }, there[] = { 4, 3 };
    covey__grid_file(&o.g, 5, here);
    put_in_oracle(5, here);
    for (uint32_t round = 0; round < 10; round++) {
        const int32_t *cell = round % 2 ? here : there;
        covey__grid_file(&o.g, 5, cell);
        covey__grid_file(&o.g, 5, cell);
        put_in_oracle(5, cell);
        covey__grid_settle(&o.g);
        is_valid();
        ask_cell(here, 0, LIMIT);
        ask_cell(there, 0, LIMIT);
    }
    close_grid();
}

/* A few that move do not make the items anew; many do. */
static void test_a_few_that_move_are_in_a_list(void **state) {
    (void)state;
    fill(LIMIT);
    int32_t cell[] = { 50, 50 };
    covey__grid_file(&o.g, 7, cell);
    covey__grid_settle(&o.g);
    assert_int_equal(o.g.moved_count, 1);
    for (uint32_t i = 0; i < LIMIT; i++) {
        cell[0] = (int32_t)i;
        covey__grid_file(&o.g, i, cell);
    }
    covey__grid_settle(&o.g);
    assert_int_equal(o.g.moved_count, 0);
    is_valid();
    close_grid();
}

static void test_cells_of_a_point(void **state) {
    (void)state;
    int32_t cell[COVEY__DIMENSIONS];
    covey__grid g = covey__grid_of(2, 2);
    assert_true(covey__cell_of(&g, (double[]){ 0.9, -0.9 }, cell));
    assert_true(cell[0] == 0 && cell[1] == 0);
    assert_true(covey__cell_of(&g, (double[]){ 1.1, -1.1 }, cell));
    assert_true(cell[0] == 1 && cell[1] == -1);
    assert_true(covey__cell_of(&g, (double[]){ INFINITY, -INFINITY }, cell));
    assert_true(cell[0] == INT32_MAX && cell[1] == 1 - INT32_MAX);
    assert_false(covey__cell_of(&g, (double[]){ 0, NAN }, cell));
    g = covey__grid_of(3, 1);
    assert_true(covey__cell_of(&g, (double[]){ 1e9, -1e9, 7 }, cell));
    assert_true(cell[0] == (1 << 20) - 1 && cell[1] == 2 - (1 << 20) && cell[2] == 7);
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static bool reserve_and_reach(void) {
    return covey__grid_reserve(&o.memory, &o.g, LIMIT) &&
           covey__grid_reach(&o.memory, &o.g, 5 * COVEY__BLOCK_PAGE, UINT32_MAX);
}

/* Whichever allocation fails, everything that was filed is still there; and more can be filed afterwards. */
static void test_failed_allocations_change_nothing(void **state) {
    (void)state;
    for (uint32_t persistent = 0; persistent < 2; persistent++) {
        bool failed = true;
        for (uint32_t n = 1; failed; n++) {
            open_grid(2, 100, 1, 5, false, n);
            assert_true(covey__grid_reserve(&o.memory, &o.g, 100));
            for (uint32_t i = 0; i < 100; i++) file_one(i);
            covey__grid_settle(&o.g);
            test_fail_at(&o.heap, n, persistent != 0);
            failed = !reserve_and_reach();
            test_fail_never(&o.heap);
            is_valid();
            ask_all();
            assert_true(reserve_and_reach());
            is_valid();
            for (uint32_t i = 0; i < 100; i++) file_one(i);
            covey__grid_settle(&o.g);
            is_valid();
            ask_all();
            assert_int_equal(covey__grid_bytes(&o.g), o.memory.bytes);
            close_grid();
            assert_true(n < 100);
        }
    }
}

static void test_shrinking_keeps_what_is_filed(void **state) {
    (void)state;
    bool failed = true;
    for (uint32_t n = 1; failed; n++) {
        fill(LIMIT);
        assert_true(covey__grid_reserve(&o.memory, &o.g, 40 * LIMIT));
        for (uint32_t i = 64; i < LIMIT; i += COVEY__BLOCK_IDS) unfile_some(i, UINT64_MAX);
        covey__grid_settle(&o.g);
        size_t before = covey__grid_bytes(&o.g);
        test_fail_at(&o.heap, n, false);
        covey__grid_shrink(&o.memory, &o.g, 64);
        test_fail_never(&o.heap);
        failed = o.g.capacity != 64;
        assert_int_equal(covey__grid_bytes(&o.g) < before, !failed);
        assert_int_equal(covey__grid_bytes(&o.g), o.memory.bytes);
        is_valid();
        ask_all();
        close_grid();
        assert_true(n < 100);
    }
}

static void test_too_many_indices_are_refused(void **state) {
    (void)state;
    open_grid(2, 1, 1, 1, false, 1);
    uint64_t calls = o.heap.calls;
    assert_false(covey__grid_reserve(&o.memory, &o.g, UINT64_MAX));
    assert_false(covey__grid_reserve(&o.memory, &o.g, UINT32_MAX));
    assert_int_equal(o.heap.calls, calls);
    close_grid();
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* Changes a number, and repairs it when the validator has found it. */
static void is_found(uint32_t *number, uint32_t wrong, const char *expected) {
    const char *why = NULL;
    uint32_t right = *number;
    *number = wrong;
    assert_false(covey__grid_valid(&o.g, &why));
    assert_string_equal(why, expected);
    assert_false(covey__grid_valid(&o.g, NULL));
    *number = right;
    is_valid();
}

static void test_the_validator_finds_faults(void **state) {
    (void)state;
    fill(LIMIT);
    covey__grid *g = &o.g;
    uint32_t slot = 1, index = covey__grid_next(g, 0);
    while (g->starts[slot] == 0 || g->starts[slot + 1] - g->starts[slot] < 2) slot++;
    covey__grid_page *page = g->pages.at[0];
    is_found(&g->count, g->count - 1, "lookup: the count of filed indices is wrong");
    is_found(&g->capacity, 1, "lookup: more indices are filed than there is memory for");
    is_found(&g->run_capacity, 1, "lookup: there is no memory to file all components");
    is_found(&g->item_count, g->item_count + 1, "lookup: the slots do not have all items");
    is_found(&g->starts[slot + 1], 0, "lookup: a slot starts behind the next one");
    is_found(&g->items[g->starts[slot]], g->items[g->starts[slot] + 1], "lookup: the items of a slot are out of order");
    is_found(&g->fresh_count, 1, "lookup: a grid is not settled");
    is_found((uint32_t *)&page->cells[index * 2 + 1], (uint32_t)page->cells[index * 2 + 1] ^ 1,
             "lookup: an item has left its slot, and it is not noted that there is one");
    g->stale = true;
    is_found((uint32_t *)&page->cells[index * 2 + 1], (uint32_t)page->cells[index * 2 + 1] ^ 1,
             "lookup: an index is not in its slot");
    int32_t cell[] = { 50, 50 };
    covey__grid_file(g, 7, cell);
    covey__grid_file(g, 8, cell);
    covey__grid_settle(g);
    assert_int_equal(g->moved_count, 2);
    uint64_t entry = g->runs[0];
    const char *why = NULL;
    g->runs[0] = g->runs[1];
    assert_false(covey__grid_valid(g, &why));
    assert_string_equal(why, "lookup: the indices that have moved are out of order");
    g->runs[0] = entry;
    close_grid();
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_filing),
        cmocka_unit_test(test_what_comes_back_is_found_once),
        cmocka_unit_test(test_a_few_that_move_are_in_a_list),
        cmocka_unit_test(test_cells_of_a_point),
        cmocka_unit_test(test_failed_allocations_change_nothing),
        cmocka_unit_test(test_shrinking_keeps_what_is_filed),
        cmocka_unit_test(test_too_many_indices_are_refused),
        cmocka_unit_test(test_the_validator_finds_faults),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
