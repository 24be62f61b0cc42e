/* CRC-32C, each way against one bit at a time. */
#include "memory/crc32c.h"
#include "support.h"

#include <stdlib.h>

typedef uint32_t sum_fn(uint32_t crc, const void *bytes, size_t size);

static uint32_t sum_bits(uint32_t crc, const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    crc = ~crc;
    for (size_t bit = 0; bit < size * 8; bit++) {
        uint32_t low = (crc ^ (uint32_t)(p[bit / 8] >> bit % 8)) & 1;
        crc = crc >> 1 ^ (low ? 0x82F63B78U : 0);
    }
    return ~crc;
}

static uint32_t sum_copied(uint32_t crc, const void *bytes, size_t size) {
    char *copy = malloc(size + 1);
    assert_non_null(copy);
    copy[size] = 77;
    crc = covey__crc32c_copy(crc, copy, bytes, size, size % 2 == 0);
    assert_memory_equal(copy, bytes, size);
    assert_int_equal(copy[size], 77); /* and nothing behind it */
    free(copy);
    return crc;
}

static sum_fn *const ways[] = { sum_bits, covey__crc32c, covey__crc32c_portable, sum_copied };
enum { WAYS = sizeof ways / sizeof ways[0] };

static void fill(uint8_t *bytes, size_t size) {
    test_random random = { 32 };
    for (size_t i = 0; i < size; i++) bytes[i] = (uint8_t)test_next(&random);
}

static void known_values(void **state) {
    static const uint8_t zeros[32] = { 0 };
    uint8_t ones[32], rising[32];
    memset(ones, 0xFF, sizeof ones);
    for (uint8_t i = 0; i < 32; i++) rising[i] = i;
    for (int i = 0; i < WAYS; i++) {
        assert_int_equal(ways[i](0, "123456789", 9), 0xE3069283);
        assert_int_equal(ways[i](0, zeros, 32), 0x8A9136AA);
        assert_int_equal(ways[i](0, ones, 32), 0x62A8AB43);
        assert_int_equal(ways[i](0, rising, 32), 0x46DD794E);
        assert_int_equal(ways[i](0, "", 0), 0);
        assert_int_equal(ways[i](12345, "", 0), 12345);
    }
    (void)state;
}

static void every_length_and_offset(void **state) {
    uint8_t bytes[308];
    fill(bytes, sizeof bytes);
    for (size_t offset = 0; offset < 8; offset++) {
        for (size_t size = 0; size <= 300; size++) {
            uint32_t expected = sum_bits((uint32_t)size, bytes + offset, size);
            for (int i = 1; i < WAYS; i++) assert_int_equal(ways[i]((uint32_t)size, bytes + offset, size), expected);
        }
    }
    (void)state;
}

/* Around the lengths at which the ways take larger steps. */
static void long_input(void **state) {
    static const size_t sizes[] = { 383,  384,  385,  768,  3071, 3072,  3073, 3456,
                                    3460, 6143, 6144, 6145, 6528, 12288, 65536 };
    enum { MOST = 100003 };
    uint8_t *bytes = malloc(MOST);
    assert_non_null(bytes);
    fill(bytes, MOST);
    for (size_t s = 0; s < sizeof sizes / sizeof sizes[0]; s++) {
        for (size_t offset = 0; offset < 8; offset++) {
            uint32_t expected = sum_bits(7, bytes + offset, sizes[s]);
            for (int i = 1; i < WAYS; i++) assert_int_equal(ways[i](7, bytes + offset, sizes[s]), expected);
        }
    }
    for (int i = 1; i < WAYS; i++) assert_int_equal(ways[i](0, bytes, MOST), sum_bits(0, bytes, MOST));
    free(bytes);
    (void)state;
}

static void sums_go_on_where_they_ended(void **state) {
    enum { SIZE = 20000 };
    uint8_t *bytes = malloc(SIZE);
    assert_non_null(bytes);
    fill(bytes, SIZE);
    test_random random = { 5 };
    for (int i = 1; i < WAYS; i++) {
        uint32_t whole = ways[i](0, bytes, SIZE);
        for (uint64_t round = test_scaled(200); round > 0; round--) {
            size_t cut = test_below(&random, SIZE + 1), second = cut + test_below(&random, (uint32_t)(SIZE - cut) + 1);
            uint32_t crc = ways[i](0, bytes, cut);
            crc = ways[i](crc, bytes + cut, second - cut);
            assert_int_equal(ways[i](crc, bytes + second, SIZE - second), whole);
        }
    }
    free(bytes);
    (void)state;
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(known_values),
        cmocka_unit_test(every_length_and_offset),
        cmocka_unit_test(long_input),
        cmocka_unit_test(sums_go_on_where_they_ended),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
