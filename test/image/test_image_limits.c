/* How much memory images may take: what a call allocates never exceeds its limit, and the limit has a default. */
#include "hostile.h"
#include "images.h"
#include "support.h"

/* ---- One image, in each way that it comes into a world ------------------------------------------------------------*/

typedef enum way { LOAD, LOAD_CLEARED, MERGE, FOLLOW, FOLLOW_AGAIN, WAYS } way;
static const char *const way_names[WAYS] = { "load", "load into a cleared world", "merge", "follow", "follow again" };

static covey_buffer image;
static covey_report report;
static size_t taken; /* by the last call, at most */
static size_t
    spare; /* what it may take beyond its limit: a copy of what the world had, and the descriptions of worlds */

static void say_nothing(covey_result item, const char *text, void *context) { (void)item, (void)text, (void)context; }

static covey_world *quiet_world(test_heap *heap) {
    *heap = (test_heap){ 0 };
    covey_world *made =
        covey_world_create(&(covey_world_desc){ .allocator = test_allocator(heap), .log = say_nothing });
    assert_non_null(made);
    return made;
}

static int setup(void **state) {
    (void)state;
    image = (covey_buffer){ 0 };
    return 0;
}

static int teardown(void **state) {
    (void)state;
    covey_buffer_free(&image);
    return 0;
}

#define LIMIT_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void prepare(way by, covey_world *into, covey_follower *follower, const covey_load_desc *desc) {
    covey_load_desc free = *desc;
    free.limit_bytes = UINT64_MAX;
    if (by == FOLLOW_AGAIN)
        assert_int_equal(covey_follow_from_memory(follower, image.bytes, image.size, &free, NULL), COVEY_OK);
    else if (by != LOAD) assert_false(covey_is_null(covey_create(into)));
    if (by == LOAD_CLEARED) covey_destroy_all(into);
}

static covey_result take(way by, const covey_load_desc *desc) {
    test_heap heap;
    covey_world *into = quiet_world(&heap);
    covey_follower *follower = covey_follower_create(into);
    covey_result result;
    prepare(by, into, follower, desc);
    uint32_t alive = covey_entity_count(into);
    size_t before = heap.peak = heap.bytes;
    spare = 8192 + before;
    if (by == MERGE) result = covey_merge_from_memory(into, image.bytes, image.size, desc, &report);
    else if (by >= FOLLOW) result = covey_follow_from_memory(follower, image.bytes, image.size, desc, &report);
    else result = covey_load_from_memory(into, image.bytes, image.size, desc, &report);
    taken = heap.peak - before;
    if (result != COVEY_OK) assert_int_equal(covey_entity_count(into), alive);
    test_world_is_valid(into);
    covey_follower_destroy(follower);
    covey_world_destroy(into);
    return result;
}

/* ---- The default --------------------------------------------------------------------------------------------------*/

static uint64_t default_limit(void) { return COVEY_LIMIT_AT_LEAST + COVEY_LIMIT_FOR_EACH * (uint64_t)image.size; }

/* Entities in pages of their own need hundreds of bytes for each byte of their image. */
static void test_scattered_entities_take_no_more_than_the_default(void **state) {
    (void)state;
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP };
    if (COVEY_NONE < UINT32_C(1) << 28) return; /* there are not enough indices */
    assert_true(hostile_make(&image, HOSTILE_SCATTERED, 20000));
    for (int by = 0; by < WAYS; by++) {
        desc.limit_bytes = 0;
        assert_int_equal(take((way)by, &desc), COVEY_ERROR_LIMIT);
        assert_int_equal(report.fault, COVEY_FAULT_LIMIT);
        assert_non_null(strstr(report.text, "raise limit_bytes"));
        if (taken > default_limit() + spare) fail_msg("%s takes %zu bytes", way_names[by], taken);
        desc.limit_bytes = UINT64_MAX;
        assert_int_equal(take((way)by, &desc), COVEY_OK);
        assert_true(by == FOLLOW_AGAIN || taken > default_limit());
    }
}

static void test_what_is_dense_is_within_the_default(void **state) {
    (void)state;
    covey_load_desc desc = { .types = image_types };
    test_heap heap;
    covey_world *full = quiet_world(&heap);
    for (uint32_t i = 0; i < 30000 && i < COVEY_NONE - 1; i++)
        assert_non_null(covey_add(full, covey_create(full), InPins, { 0, 0 }));
    assert_int_equal(covey_save_to_buffer(full, &image, NULL, NULL), COVEY_OK);
    covey_world_destroy(full);
    for (int by = 0; by < WAYS; by++) {
        assert_int_equal(take((way)by, &desc), COVEY_OK);
        if (taken > image.size * 20 + 100000) fail_msg("%s: %zu for %zu", way_names[by], taken, image.size);
    }
}

/* ---- Any limit ----------------------------------------------------------------------------------------------------*/

/* Whatever the limit is, the call takes no more. */
static void holds_at_each_limit(way by, covey_load_desc desc) {
    uint64_t low = 0, high = 1;
    for (desc.limit_bytes = high; take(by, &desc) == COVEY_ERROR_LIMIT; desc.limit_bytes = high *= 2)
        assert_true(taken <= high + spare);
    while (high - low > 1 + high / 16) {
        desc.limit_bytes = low + (high - low) / 2;
        covey_result result = take(by, &desc);
        assert_true(result == COVEY_OK || result == COVEY_ERROR_LIMIT);
        if (taken > desc.limit_bytes + spare)
            fail_msg("%s takes %zu bytes of %llu", way_names[by], taken, (unsigned long long)desc.limit_bytes);
        if (result == COVEY_OK) high = desc.limit_bytes;
        else low = desc.limit_bytes;
    }
}

static void test_every_limit_holds_for_what_a_game_has(void **state) {
    (void)state;
    test_heap heap;
    covey_world *full = quiet_world(&heap);
    assert_true(image_fill(full));
    assert_int_equal(covey_save_to_buffer(full, &image, NULL, NULL), COVEY_OK);
    covey_world_destroy(full);
    for (int by = 0; by < WAYS; by++) holds_at_each_limit((way)by, (covey_load_desc){ .types = image_types });
}

static void test_every_limit_holds_for_hostile_images(void **state) {
    (void)state;
    for (int kind = 0; kind < HOSTILE_KINDS; kind++) {
        if (kind == HOSTILE_NEARLY) continue; /* is refused in the end */
        image.size = 0;
        assert_true(hostile_make(&image, (hostile_kind)kind, 100));
        for (int by = 0; by < WAYS; by++)
            holds_at_each_limit((way)by, (covey_load_desc){ .unknown = COVEY_UNKNOWN_KEEP });
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        LIMIT_TEST(test_scattered_entities_take_no_more_than_the_default),
        LIMIT_TEST(test_what_is_dense_is_within_the_default),
        LIMIT_TEST(test_every_limit_holds_for_what_a_game_has),
        LIMIT_TEST(test_every_limit_holds_for_hostile_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
