#include "program.h"

#include <stdarg.h>
#include <stdio.h>

void program_init(program *p, const uint8_t *data, size_t size, uint64_t seed) {
    *p = (program){ .data = data, .left = size, .random = { seed }, .operation = "start" };
}

bool program_has_ended(const program *p) { return p->data && p->left == 0; }

uint32_t program_byte(program *p) {
    if (p->data) {
        if (p->left == 0) return 0;
        p->left--;
        return *p->data++;
    }
    if (p->word_bytes == 0) {
        p->word = test_next(&p->random);
        p->word_bytes = 4;
    }
    uint32_t byte = p->word & 255;
    p->word >>= 8;
    p->word_bytes--;
    return byte;
}

uint32_t program_number(program *p) {
    uint32_t number = 0;
    for (int i = 0; i < 4; i++) number = number << 8 | program_byte(p);
    return number;
}

uint32_t program_below(program *p, uint32_t limit) {
    if (!p->data) return test_below(&p->random, limit);
    uint32_t number = program_byte(p);
    if (limit > 256) number = number << 8 | program_byte(p);
    if (limit > 65536) number = number << 16 | program_byte(p) << 8 | program_byte(p);
    return number % limit;
}

bool program_chance(program *p, uint32_t in_256) { return program_byte(p) < in_256; }

void program_begin_step(program *p, const char *operation) {
    p->operation = operation;
    p->heap.failed = false;
    if (program_byte(p) >= 250) test_fail_at(&p->heap, 1 + program_below(p, 4), program_chance(p, 128));
}

_Noreturn void program_fail(program *p, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(p->message, sizeof p->message, format, arguments);
    va_end(arguments);
    longjmp(p->stop, 1);
}

/* ---- Comparing sets -----------------------------------------------------------------------------------------------*/

static bool is_zero(const unsigned char *bytes, uint32_t size) {
    for (uint32_t i = 0; i < size; i++)
        if (bytes[i] != 0) return false;
    return true;
}

static void compare_position(program *p, const covey_sparse_set *set, oracle_set *oracle, uint32_t at) {
    covey_entity id = covey_sparse_set_at(set, at), wanted = oracle->ids[at];
    const void *value = covey_sparse_set_value_at(set, at);
    PROGRAM_REQUIRE(p, value != NULL, "position %u has no value", at);
    if (wanted.generation == 0) {
        PROGRAM_REQUIRE(p, id.generation == 0, "position %u has %u:%u, not a hole", at, id.index, id.generation);
        PROGRAM_REQUIRE(p, !set->zero_erased || is_zero(value, oracle->size), "the hole %u is not zero", at);
        return;
    }
    PROGRAM_REQUIRE(p, covey_same(id, wanted), "position %u has %u:%u, not %u:%u", at, id.index, id.generation,
                    wanted.index, wanted.generation);
    PROGRAM_REQUIRE(p, covey_sparse_set_find(set, id) == at, "%u:%u is not found", id.index, id.generation);
    PROGRAM_REQUIRE(p, covey_sparse_set_get(set, id) == value, "%u:%u has another value", id.index, id.generation);
    PROGRAM_REQUIRE(p, covey_sparse_set_live(set, id) == (at < oracle->end), "%u:%u lives and not", id.index,
                    id.generation);
    PROGRAM_REQUIRE(p, memcmp(value, oracle_set_value(oracle, at), oracle->size) == 0,
                    "the value at %u, of %u:%u, is wrong", at, id.index, id.generation);
}

static void compare_hole_list(program *p, const covey_sparse_set *set, const oracle_set *oracle) {
    uint32_t hole = covey_sparse_set_head(set);
    for (uint32_t i = oracle->hole_count; i-- != 0; hole = covey_sparse_set_ids(set)[hole].index)
        PROGRAM_REQUIRE(p, hole == oracle->holes[i], "hole %u of the list is %u, not %u", i, hole, oracle->holes[i]);
    PROGRAM_REQUIRE(p, hole == COVEY_NONE, "the list of holes is too long");
}

void program_compare_set(program *p, const covey_sparse_set *set, oracle_set *oracle) {
    uint32_t positions = covey_sparse_set_position_count(set), count = covey_sparse_set_count(set);
    PROGRAM_REQUIRE(p, positions == oracle_set_positions(oracle), "%u positions, not %u", positions,
                    oracle_set_positions(oracle));
    PROGRAM_REQUIRE(p, count == oracle_set_count(oracle), "%u elements, not %u", count, oracle_set_count(oracle));
    PROGRAM_REQUIRE(p, covey_sparse_set_policy(set) == oracle->policy, "another policy");
    PROGRAM_REQUIRE(p, covey_sparse_set_contiguous(set) == (oracle->hole_count == 0), "contiguous and not");
    for (uint32_t i = 0; i < positions; i++) compare_position(p, set, oracle, i);
    if (oracle->policy == COVEY_IN_PLACE) compare_hole_list(p, set, oracle);
    else if (oracle->policy == COVEY_SWAP_ONLY)
        PROGRAM_REQUIRE(p, covey_sparse_set_head(set) == oracle->end, "the head is not behind the live elements");
    else PROGRAM_REQUIRE(p, covey_sparse_set_head(set) == COVEY_NONE, "a head without meaning");
    PROGRAM_REQUIRE(p, covey_is_null(covey_sparse_set_at(set, positions)), "an id behind the end");
    PROGRAM_REQUIRE(p, !covey_sparse_set_value_at(set, positions), "a value behind the end");
}
