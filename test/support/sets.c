#include "sets.h"

#include <stdio.h>

covey_entity id_of(uint32_t index, uint32_t generation) { return covey__entity(index, generation); }
covey_entity id(uint32_t index) { return id_of(index, 1); }

covey_sparse_set *set_create(test_heap *heap, uint32_t size, covey_policy policy) {
    covey_sparse_set_desc desc = { size, size ? 4 : 0, policy, false, test_allocator(heap) };
    covey_sparse_set *set = covey_sparse_set_create(&desc);
    assert_non_null(set);
    return set;
}

void set_finish(covey_sparse_set *set, const test_heap *heap) {
    test_set_is_valid(set);
    assert_int_equal(covey_sparse_set_memory(set), heap->bytes);
    covey_sparse_set_destroy(set);
    assert_int_equal(heap->bytes, 0);
    assert_int_equal(heap->blocks, 0);
}

void under_each_policy(policy_test *test) {
    for (int policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        test_heap heap = { 0 };
        covey_sparse_set *set = set_create(&heap, sizeof(uint32_t), (covey_policy)policy);
        test(set, &heap);
        set_finish(set, &heap);
    }
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

void push_number(covey_sparse_set *set, covey_entity e, uint32_t value) {
    assert_int_equal(covey_sparse_set_push(set, e, &value), COVEY_OK);
}

uint32_t number_of(const covey_sparse_set *set, covey_entity e) {
    const uint32_t *value = covey_sparse_set_get(set, e);
    assert_non_null(value);
    return *value;
}

uint32_t stamp_of(uint32_t index) { return index * 7 + 1; }

void push_stamped(covey_sparse_set *set, covey_entity e) { push_number(set, e, stamp_of(e.index)); }

void push_first(covey_sparse_set *set, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) push_stamped(set, id(i));
}

uint32_t stamp_at(const covey_sparse_set *set, uint32_t position) {
    return *(const uint32_t *)covey_sparse_set_value_at(set, position);
}

void assert_stamped(const covey_sparse_set *set) {
    for (uint32_t p = covey_sparse_set_next(set, 0); p != COVEY_NONE; p = covey_sparse_set_next(set, p + 1))
        assert_int_equal(stamp_at(set, p), stamp_of(covey_sparse_set_at(set, p).index));
}

/* ---- Text ---------------------------------------------------------------------------------------------------------*/

static void append_number(set_text_of *to, uint32_t number) {
    const char *format = number == COVEY_NONE ? "null" : "%u";
    to->length += (size_t)snprintf(to->at + to->length, sizeof to->at - to->length, format, number);
}

static void append(set_text_of *to, const char *words) {
    to->length += (size_t)snprintf(to->at + to->length, sizeof to->at - to->length, "%s", words);
}

static void append_id(set_text_of *to, const covey_sparse_set *set, covey_entity e) {
    if (e.generation == 0) {
        append(to, "<");
        if (covey_sparse_set_policy(set) == COVEY_IN_PLACE) {
            append_number(to, e.index);
            append(to, ",");
        }
        append(to, "T>");
        return;
    }
    append_number(to, e.index);
    if (e.generation == 1) return;
    append(to, ":v");
    append_number(to, e.generation - 1);
}

set_text_of set_text(const covey_sparse_set *set) {
    set_text_of out = { "", 0 };
    bool swap_only = covey_sparse_set_policy(set) == COVEY_SWAP_ONLY;
    append(&out, "[");
    for (uint32_t i = 0; i < covey_sparse_set_position_count(set); i++) {
        if (i != 0) append(&out, " ");
        if (swap_only && i == covey_sparse_set_head(set)) append(&out, "| ");
        append_id(&out, set, covey_sparse_set_at(set, i));
    }
    append(&out, "] head=");
    append_number(&out, covey_sparse_set_head(set));
    return out;
}

void assert_set(const covey_sparse_set *set, const char *expected) { assert_string_equal(set_text(set).at, expected); }

/* ---- Scripts ------------------------------------------------------------------------------------------------------*/

static void act(covey_sparse_set *set, const char *verb, covey_entity e, bool force_back) {
    uint32_t stamp = stamp_of(e.index);
    if (strcmp(verb, "push") == 0) push_stamped(set, e);
    else if (strcmp(verb, "erase") == 0) covey_sparse_set_erase(set, e);
    else if (strcmp(verb, "emplace") == 0)
        assert_int_equal(covey_sparse_set_push_to(set, e, &stamp, force_back), COVEY_OK);
    else if (strcmp(verb, "compact") == 0) covey_sparse_set_compact(set);
    else if (strcmp(verb, "clear") == 0) covey_sparse_set_clear(set);
    else fail_msg("unknown command: %s", verb);
}

/* "verb", "verb 1", "verb 1..9", "verb 1v2", "verb 1 fb=0", separated by ", ". */
void set_run(covey_sparse_set *set, const char *at) {
    while (*at) {
        char verb[16] = "";
        uint32_t first = 0, last = 0, version = 0, force_back = 1;
        int length = 0;
        if (sscanf(at, "%15[a-z] %u%n", verb, &first, &length) < 1) fail_msg("no command: %s", at);
        at += length != 0 ? (size_t)length : strlen(verb);
        last = first;
        if (sscanf(at, "..%u%n", &last, &length) == 1) at += length;
        else if (sscanf(at, "v%u%n", &version, &length) == 1) at += length;
        if (sscanf(at, " fb=%u%n", &force_back, &length) == 1) at += length;
        for (uint32_t i = first; i <= last; i++) act(set, verb, id_of(i, version + 1), force_back != 0);
        at += strspn(at, ", ");
    }
}
