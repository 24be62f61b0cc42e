/* The memory model: a published table of 16 component sizes by 10 degrees of utilisation, with its one misprint put
 * right (24 bytes: 24125, not 14125). REQ-63 to REQ-68. */
#include "support.h"

#include "../bench/memory_model.h"

#include <math.h>

#define ENTITIES 1000

typedef struct row {
    uint32_t size;
    uint64_t linear, bitmask;
    uint64_t sparse[10]; /* with 10 %, 20 %, ... 100 % of the entities having the component */
    uint32_t last_green; /* the last column, from 1 on, where the sparse set is smaller than the bitmask */
} row;

static const row table[] = {
    { 8, 9000, 8125, { 8800, 9600, 10400, 11200, 12000, 12800, 13600, 14400, 15200, 16000 }, 0 },
    { 16, 17000, 16125, { 9600, 11200, 12800, 14400, 16000, 17600, 19200, 20800, 22400, 24000 }, 5 },
    { 24, 25000, 24125, { 10400, 12800, 15200, 17600, 20000, 22400, 24800, 27200, 29600, 32000 }, 6 },
    { 32, 33000, 32125, { 11200, 14400, 17600, 20800, 24000, 27200, 30400, 33600, 36800, 40000 }, 7 },
    { 40, 41000, 40125, { 12000, 16000, 20000, 24000, 28000, 32000, 36000, 40000, 44000, 48000 }, 8 },
    { 48, 49000, 48125, { 12800, 17600, 22400, 27200, 32000, 36800, 41600, 46400, 51200, 56000 }, 8 },
    { 56, 57000, 56125, { 13600, 19200, 24800, 30400, 36000, 41600, 47200, 52800, 58400, 64000 }, 8 },
    { 64, 65000, 64125, { 14400, 20800, 27200, 33600, 40000, 46400, 52800, 59200, 65600, 72000 }, 8 },
    { 72, 73000, 72125, { 15200, 22400, 29600, 36800, 44000, 51200, 58400, 65600, 72800, 80000 }, 8 },
    { 80, 81000, 80125, { 16000, 24000, 32000, 40000, 48000, 56000, 64000, 72000, 80000, 88000 }, 9 },
    { 88, 89000, 88125, { 16800, 25600, 34400, 43200, 52000, 60800, 69600, 78400, 87200, 96000 }, 9 },
    { 96, 97000, 96125, { 17600, 27200, 36800, 46400, 56000, 65600, 75200, 84800, 94400, 104000 }, 9 },
    { 104, 105000, 104125, { 18400, 28800, 39200, 49600, 60000, 70400, 80800, 91200, 101600, 112000 }, 9 },
    { 112, 113000, 112125, { 19200, 30400, 41600, 52800, 64000, 75200, 86400, 97600, 108800, 120000 }, 9 },
    { 120, 121000, 120125, { 20000, 32000, 44000, 56000, 68000, 80000, 92000, 104000, 116000, 128000 }, 9 },
    { 128, 129000, 128125, { 20800, 33600, 46400, 59200, 72000, 84800, 97600, 110400, 123200, 136000 }, 9 },
};

#define ROWS (sizeof table / sizeof table[0])

static double utilisation_of(uint32_t column) { return (double)(column + 1) / 10; }

static void every_figure_of_the_table_is_met(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        for (uint32_t column = 0; column < 10; column++) {
            memory_model memory = memory_model_make(table[i].size, ENTITIES, utilisation_of(column));
            assert_int_equal(memory.linear, table[i].linear);
            assert_int_equal(memory.bitmask, table[i].bitmask);
            assert_int_equal(memory.sparse, table[i].sparse[column]);
        }
    }
}

static void every_cell_has_its_colour(void **state) {
    (void)state;
    for (size_t i = 0; i < ROWS; i++) {
        for (uint32_t column = 0; column < 10; column++) {
            bool green = column + 1 <= table[i].last_green;
            memory_model memory = memory_model_make(table[i].size, ENTITIES, utilisation_of(column));
            assert_int_equal(memory.sparse < memory.bitmask, green);
            assert_int_equal(memory.smallest, green ? MEMORY_SPARSE : MEMORY_BITMASK);
        }
    }
}

static void a_sparse_set_wins_below_one_minus_7_875_over_the_size(void **state) {
    (void)state;
    for (uint32_t size = 8; size <= 128; size++) {
        for (uint32_t percent = 1; percent <= 100; percent++) {
            bool wins = 10 * percent * size < 1000 * size - 7875; /* U < 1 - 7.875 / C, without fractions */
            memory_model memory = memory_model_make(size, ENTITIES, (double)percent / 100);
            assert_int_equal(memory.sparse < memory.bitmask, wins);
        }
    }
}

static void small_components_and_full_use_are_no_case_for_a_sparse_set(void **state) {
    (void)state;
    for (uint32_t percent = 10; percent <= 100; percent += 10)
        assert_int_not_equal(memory_model_make(4, ENTITIES, percent / 100.0).smallest, MEMORY_SPARSE);
    for (uint32_t size = 1; size <= 4096; size *= 2)
        assert_int_not_equal(memory_model_make(size, ENTITIES, 1).smallest, MEMORY_SPARSE);
}

static void a_bit_for_each_entity_is_rounded_up_to_bytes(void **state) {
    (void)state;
    assert_int_equal(memory_model_make(8, 0, 1).bitmask, 0);
    assert_int_equal(memory_model_make(8, 1, 1).bitmask, 8 + 1);
    assert_int_equal(memory_model_make(8, 8, 1).bitmask, 64 + 1);
    assert_int_equal(memory_model_make(8, 9, 1).bitmask, 72 + 2);
}

static void without_entities_nothing_costs_anything(void **state) {
    (void)state;
    memory_model memory = memory_model_make(64, 0, 0.5);
    assert_int_equal(memory.linear, 0);
    assert_int_equal(memory.bitmask, 0);
    assert_int_equal(memory.sparse, 0);
}

static void utilisation_outside_of_its_range_counts_as_the_nearest_end(void **state) {
    (void)state;
    assert_int_equal(memory_model_make(16, ENTITIES, -1).sparse, 8000);
    assert_int_equal(memory_model_make(16, ENTITIES, 2).sparse, 24000);
    assert_int_equal(memory_model_make(16, ENTITIES, (double)NAN).sparse, 8000);
}

static void the_largest_sizes_do_not_overflow(void **state) {
    (void)state;
    memory_model memory = memory_model_make(1u << 31, 1u << 31, 0);
    assert_true(memory.linear == (UINT64_C(1) << 62) + (UINT64_C(1) << 31));
    assert_true(memory.bitmask == (UINT64_C(1) << 62) + (UINT64_C(1) << 28));
    assert_true(memory.sparse == UINT64_C(1) << 34);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_of_the_table_is_met),
        cmocka_unit_test(every_cell_has_its_colour),
        cmocka_unit_test(a_sparse_set_wins_below_one_minus_7_875_over_the_size),
        cmocka_unit_test(small_components_and_full_use_are_no_case_for_a_sparse_set),
        cmocka_unit_test(a_bit_for_each_entity_is_rounded_up_to_bytes),
        cmocka_unit_test(without_entities_nothing_costs_anything),
        cmocka_unit_test(utilisation_outside_of_its_range_counts_as_the_nearest_end),
        cmocka_unit_test(the_largest_sizes_do_not_overflow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
