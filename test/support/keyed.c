#include "keyed.h"

#include <stdlib.h>

/* ---- Keys --------------------------------------------------------------------------------------------------------*/

static int compare_numbers(const void *a, const void *b) {
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static int compare_texts(const void *a, const void *b) { return strcmp(a, b); }

/* Numbers close to each other, far from each other, and at both ends. */
static void make_numbers(keyed *k, uint32_t count) {
    uint64_t numbers[KEYED_KEYS];
    for (uint32_t i = 0; i < count; i++) {
        uint64_t high = test_next(&k->random), low = test_next(&k->random);
        numbers[i] = i % 3 == 0 ? i : i % 3 == 1 ? UINT64_MAX - i : high << 32 | low;
    }
    qsort(numbers, count, sizeof *numbers, compare_numbers);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || numbers[i] != numbers[i - 1]) k->keys[k->key_count++].bits = numbers[i];
}

/* Texts of all lengths, many of which begin alike, with bytes above 127. */
static void make_texts(keyed *k, uint32_t count) {
    char texts[KEYED_KEYS][KEYED_TEXT + 1] = { { 0 } };
    for (uint32_t i = 0; i < count; i++) {
        uint32_t length = test_below(&k->random, k->text_size + 1);
        for (uint32_t at = 0; at < length; at++) {
            bool same = at < 8 && test_below(&k->random, 4) != 0;
            texts[i][at] = same ? 'm' : "aem\xff"[test_below(&k->random, 4)];
        }
    }
    qsort(texts, count, sizeof *texts, compare_texts);
    for (uint32_t i = 0; i < count; i++) {
        if (i != 0 && strcmp(texts[i], texts[i - 1]) == 0) continue;
        memcpy(k->texts[k->key_count], texts[i], sizeof *texts);
        k->keys[k->key_count].text = k->texts[k->key_count];
        k->keys[k->key_count].length = (uint32_t)strlen(texts[i]);
        k->key_count++;
    }
}

/* ---- Steps -------------------------------------------------------------------------------------------------------*/

static keyed *begin(const keyed_plan *plan, uint32_t seed) {
    keyed *k = calloc(1, sizeof *k);
    assert_non_null(k);
    k->memory.allocator = test_allocator(&k->heap);
    k->random.state = seed;
    k->text_size = plan->text_size;
    k->stride = plan->stride;
    k->limit = plan->indices * plan->stride;
    if (k->limit > COVEY_NONE) k->limit = COVEY_NONE / k->stride * k->stride; /* handles have few bits */
    k->filed = malloc(k->limit * sizeof *k->filed);
    assert_non_null(k->filed);
    for (uint32_t i = 0; i < k->limit; i++) k->filed[i] = KEYED_NONE;
    if (plan->text_size != 0) make_texts(k, plan->keys);
    else make_numbers(k, plan->keys);
    return k;
}

static void end(const keyed_engine *engine, keyed *k) {
    engine->check(k);
    engine->end(k);
    assert_int_equal(engine->bytes(), 0);
    assert_int_equal(k->heap.blocks, 0);
    free(k->filed);
    free(k);
}

static void is_valid(const keyed_engine *engine, const keyed *k) {
    const char *why = NULL;
    if (!engine->valid(&why)) fail_msg("not valid: %s", why);
    assert_int_equal(engine->bytes(), k->heap.bytes);
}

uint32_t keyed_index(keyed *k) { return test_below(&k->random, k->limit / k->stride) * k->stride; }

static void file(const keyed_engine *engine, keyed *k, uint32_t index, uint32_t key) {
    /* The text of a key is gone when the call returns. */
    char text[KEYED_TEXT + 1];
    covey__lookup_key copy = k->keys[key];
    if (copy.text) copy.text = memcpy(text, copy.text, sizeof text);
    bool fresh = k->filed[index] == KEYED_NONE;
    assert_true(engine->reserve(k, k->count + fresh) && engine->reach(k, index));
    uint64_t calls = k->heap.calls;
    engine->file(index, &copy);
    assert_int_equal(k->heap.calls, calls);
    k->count += fresh;
    k->filed[index] = key;
}

static void unfile(const keyed_engine *engine, keyed *k, uint32_t index) {
    engine->unfile(index);
    k->count -= k->filed[index] != KEYED_NONE;
    k->filed[index] = KEYED_NONE;
}

static void clear(const keyed_engine *engine, keyed *k) {
    engine->clear();
    for (uint32_t i = 0; i < k->limit; i++) k->filed[i] = KEYED_NONE;
    k->count = 0;
}

/* What most steps of a phase do. */
typedef enum phase { FILL, DRAIN, CHURN, ASCEND, DESCEND, EMPTY, PHASES } phase;

static void run_step(const keyed_engine *engine, keyed *k, phase now, uint32_t step) {
    uint32_t index = keyed_index(k), key = test_below(&k->random, k->key_count), indices = k->limit / k->stride;
    uint32_t odds = now == FILL ? 9 : now == DRAIN ? 2 : 5;
    /* In order of indices and of keys, and the reverse; every second time under one key. */
    uint32_t place = now == DESCEND ? indices - 1 - step % indices : step % indices;
    uint32_t at_place = (uint32_t)((uint64_t)place * k->key_count / indices);
    if (now == ASCEND || now == DESCEND) file(engine, k, place * k->stride, step / indices % 2 ? at_place : 0);
    else if (now == EMPTY) unfile(engine, k, place * k->stride);
    else if (test_below(&k->random, 10) < odds) file(engine, k, index, key);
    else unfile(engine, k, index);
}

void keyed_run(const keyed_engine *engine, const keyed_plan *plan, uint32_t seed) {
    keyed *k = begin(plan, seed);
    if (plan->at_once) assert_true(engine->reserve(k, plan->indices));
    uint32_t steps = (uint32_t)test_scaled(plan->steps), left = plan->indices, most = 0;
    phase now = FILL;
    for (uint32_t step = 0; step < steps; step++, left--) {
        if (left == 0) {
            now = (phase)(test_below(&k->random, PHASES));
            left = 1 + test_below(&k->random, 2 * plan->indices);
            if (test_below(&k->random, 30) == 0) clear(engine, k);
        }
        run_step(engine, k, now, step);
        if (k->count > most) most = k->count;
        if (step % plan->each == 0) is_valid(engine, k);
        engine->ask(k);
    }
    is_valid(engine, k);
    assert_true(most != 0);
    end(engine, k);
}

/* ---- Failures ----------------------------------------------------------------------------------------------------*/

/* Files some indices with room for no more, and then lets an allocation fail. Returns whether it did. */
static bool fails(const keyed_engine *engine, uint32_t text_size, uint64_t at, bool for_good, bool reaching) {
    keyed_plan plan = { 20 * COVEY__BLOCK_PAGE, 1, 20, text_size, 0, 0, false };
    keyed *k = begin(&plan, 1);
    assert_true(engine->reserve(k, 40));
    for (uint32_t i = 0; i < 40; i++) file(engine, k, i, i % k->key_count);
    test_fail_at(&k->heap, at, for_good);
    bool done = reaching ? engine->reach(k, k->limit - 1) : engine->reserve(k, 5000);
    bool failed = k->heap.failed;
    test_fail_never(&k->heap);
    assert_int_equal(done, !failed);
    is_valid(engine, k);
    engine->check(k);
    for (uint32_t i = 0; i < 120; i++) file(engine, k, k->limit - 1 - i, i % k->key_count);
    is_valid(engine, k);
    end(engine, k);
    return failed;
}

void keyed_fail(const keyed_engine *engine, uint32_t text_size) {
    for (int way = 0; way < 4; way++) {
        uint64_t at = 1;
        while (fails(engine, text_size, at, way % 2, way / 2)) at++;
        assert_true(at > 2);
    }
}
