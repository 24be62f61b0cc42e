/* Sources and followers of tests. */
#include "following.h"

#include <covey/hierarchy.h>

covey_world *source;
static test_heap source_heap;
covey_buffer image;
covey_follower *follower;

int follow_setup(void **state) {
    texts = (text_ledger){ 0 };
    image = (covey_buffer){ 0 };
    source = image_world(&source_heap);
    if (world_setup(state) != 0) return -1;
    follower = covey_follower_create(world);
    return follower ? 0 : -1;
}

int follow_teardown(void **state) {
    covey_buffer_free(&image);
    covey_world_destroy(source);
    covey_follower_destroy(follower);
    int result = world_teardown(state);
    assert_int_equal(texts.live, 0);
    assert_false(texts.broken);
    return result;
}

const covey_load_desc known = { .types = image_types };

void save_with(const covey_save_desc *desc) {
    covey_report report;
    image.size = 0;
    if (covey_save_to_buffer(source, &image, desc, &report) != COVEY_OK) fail_msg("%s", report.text);
}

void follow_with(const covey_load_desc *desc) {
    covey_report report;
    if (covey_follow_from_memory(follower, image.bytes, image.size, desc, &report) != COVEY_OK)
        fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
    test_world_is_valid(world);
}

void follow(void) {
    save_with(NULL);
    follow_with(&known);
}

covey_entity here(covey_entity e) { return covey_follower_find(follower, e); }

static void is_same_text(const Text *a, const Text *b) {
    const text_place *was = text_of(a), *is = text_of(b);
    assert_int_equal(was->length, is->length);
    assert_memory_equal(was->text, is->text, was->length);
    assert_int_equal(was->link_count, is->link_count);
    for (uint32_t i = 0; i < was->link_count; i++) assert_same(here(was->links[i]), is->links[i]);
}

void is_same_entity(covey_entity e) {
    covey_entity twin = here(e);
    assert_true(covey_alive(world, twin));
    for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
        const Number *was = covey_get_raw(source, e, number_types[k]),
                     *is = covey_get_raw(world, twin, number_types[k]);
        if (!was != !is) fail_msg("%u has another %s", e.index, number_types[k]->name);
        if (was) assert_memory_equal(was, is, sizeof *was);
        assert_int_equal(covey_component_is_enabled_raw(source, e, number_types[k]),
                         covey_component_is_enabled_raw(world, twin, number_types[k]));
    }
    assert_int_equal(covey_has(source, e, PlainTag), covey_has(world, twin, PlainTag));
    assert_int_equal(covey_is_enabled(source, e), covey_is_enabled(world, twin));
    const Kinds *kinds = covey_get(source, e, Kinds), *its = covey_get(world, twin, Kinds);
    assert_int_equal(!kinds, !its);
    if (kinds) assert_same(its->friend_of, here(kinds->friend_of));
    if (kinds) assert_int_equal(its->i32, kinds->i32);
    const Text *text = covey_get(source, e, Text);
    assert_int_equal(!text, !covey_has(world, twin, Text));
    if (text) is_same_text(text, covey_get(world, twin, Text));
}

void is_same_place(covey_entity e) {
    covey_entity twin = here(e), parent = covey_parent(source, e);
    if (!covey_is_null(parent)) assert_same(covey_parent(world, twin), here(parent));
    const char *was = covey_name(source, e), *is = covey_name(world, twin);
    assert_int_equal(!was, !is);
    if (was) assert_string_equal(is, was);
    covey_entity child = covey_child_first(source, e), other = covey_child_first(world, twin);
    for (; !covey_is_null(child); child = covey_child_next(source, child), other = covey_child_next(world, other))
        assert_same(other, here(child));
    assert_no_entity(other);
}

void is_like_source(uint32_t more) {
    for (covey_entity e = none; !covey_is_null(e = covey_entity_next(source, e));) {
        is_same_entity(e);
        is_same_place(e);
    }
    assert_int_equal(covey_entity_count(world), covey_entity_count(source) + more);
}

void change_source(test_random *random, covey_entity *e, uint32_t count) {
    covey_entity *one = &e[test_below(random, count)], other = e[test_below(random, count)];
    const covey_type *type = number_types[test_below(random, NUMBER_TYPES)];
    Number number = image_number(test_below(random, 50));
    char text[8] = { (char)('a' + test_below(random, 6)), '\0' };
    if (!covey_alive(source, *one)) *one = covey_create(source);
    switch (test_below(random, 12)) {
    case 0: covey_destroy(source, *one); break;
    case 1:
    case 2:
    case 3: covey_set_raw(source, *one, type, &number); break;
    case 4: covey_remove_raw(source, *one, type); break;
    case 5: covey_parent_set(source, *one, other); break;
    case 6: covey_parent_set(source, *one, none); break;
    case 7: covey_name_set(source, *one, text); break;
    case 8: covey_name_set(source, *one, NULL); break;
    case 9: (test_below(random, 2) == 0 ? covey_disable : covey_enable)(source, *one); break;
    case 10:
        if (covey_has_raw(source, *one, type)) covey_component_disable_raw(source, *one, type);
        break;
    default: covey_set(source, *one, Kinds, { .friend_of = other, .i32 = (int32_t)number.number }); break;
    }
}
