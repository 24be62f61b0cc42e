/* Groups: what needs memory, and what must not. */
#include <covey/fields.h>
#include "groups.h"
#include "oom.h"

/* ---- Without memory -----------------------------------------------------------------------------------------------*/

static void test_losing_what_is_excluded_never_asks_for_memory(void **state) {
    (void)state;
    static const covey_type *const excluded[] = { covey_id(X),    covey_id(Y),       covey_id(Fixed),
                                                  covey_id(Kept), covey_id(Ordered), covey_id(Label) };
    for (uint32_t i = 0; i < COUNT_OF(excluded) * 3; i++) {
        const covey_type *type = excluded[i / 3];
        covey_group_desc desc = { .with = { AB, covey_id(Blocked) }, .without = { type } };
        if (i % 3 != 0) make_group(&desc);
        give_to(0, COUNT, type);
        give_to(0, COUNT, covey_id(A));
        give_to(0, COUNT, covey_id(Blocked));
        for (uint32_t k = COUNT; k-- != 0;) assert_non_null(give(e[k], covey_id(B)));
        if (i % 3 == 0) make_group(&desc);
        if (i % 3 == 1) covey_shrink(world);
        assert_int_equal(covey_group_count(first_group()), 0);
        uint64_t calls = heap.calls;
        test_fail_at(&heap, 1, true);
        for (uint32_t k = 0; k < COUNT; k++) {
            assert_true(take(e[k], type));
            assert_true(covey_group_contains(first_group(), e[k]));
        }
        assert_int_equal(heap.calls, calls);
        test_fail_never(&heap);
        check_all();
        next_world();
    }
}

static void empty_scene(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
}

/* Some have A, some B, some both, and some X; 8 is far away. Nothing to spare. */
static void grouped_scene(scene *s, const covey_group_desc *groups, uint32_t count) {
    empty_scene(s);
    for (uint32_t i = 0; i < 9; i++) {
        if (i % 2 == 0) assert_non_null(covey_add(s->world, s->e[i], A, { 9 - i, i }));
        if (i % 4 != 3 && i != 8) assert_non_null(covey_add(s->world, s->e[i], B, { i * 5 % 7, i }));
        if (i % 3 == 0) assert_non_null(covey_add(s->world, s->e[i], X, { i, i }));
        assert_non_null(covey_add(s->world, s->e[i], Blocked, { i * 3 % 7, i }));
    }
    Counted value = counted_make(1);
    assert_non_null(covey_add_value(s->world, s->e[4], Counted, &value));
    assert_non_null(covey_pool_of(s->world, C));
    assert_non_null(covey_pool_of(s->world, Y));
    for (uint32_t i = 0; i < count; i++) assert_non_null(covey_group_create(s->world, &groups[i]));
    covey_shrink(s->world);
}
static void ungrouped(scene *s) { grouped_scene(s, NULL, 0); }
static void with_inner(scene *s) {
    grouped_scene(s, &(covey_group_desc){ .own = { AB }, .without = { covey_id(X) } }, 1);
}
static void with_owning(scene *s) { grouped_scene(s, &shapes[0], 1); }
static void with_unowned(scene *s) {
    static const covey_group_desc groups[] = {
        { .with = { AB } },
        { .with = { AB, covey_id(Blocked) }, .without = { covey_id(X) } },
        { .with = { covey_id(A) }, .without = { covey_id(B) } },
        { .with = { covey_id(A), covey_id(Y) } },
        { .with = { covey_id(A), covey_id(Counted) } },
    };
    grouped_scene(s, groups, COUNT_OF(groups));
}

static bool makes(scene *s, covey_group_desc desc) {
    uint32_t before = covey_world_group_count(s->world);
    bool made = covey_group_create(s->world, &desc) != NULL;
    assert_int_equal(covey_world_group_count(s->world), before + made);
    if (!made && before == 0)
        for (uint32_t i = 0; i < covey_world_pool_count(s->world); i++)
            assert_null(covey_world_pool(s->world, i)->observers);
    return made;
}
static bool makes_owning(scene *s) { return makes(s, shapes[0]); }
static bool makes_owning_without(scene *s) { return makes(s, shapes[2]); }
static bool makes_of_new_types(scene *s) { return makes(s, (covey_group_desc){ .own = { covey_id(D), covey_id(E) } }); }
static bool makes_unowned(scene *s) { return makes(s, shapes[12]); }
static bool makes_unowned_without(scene *s) { return makes(s, shapes[13]); }
static bool makes_unowned_far(scene *s) { return makes(s, (covey_group_desc){ .with = { covey_id(Blocked) } }); }

static bool adds_b(scene *s) { return covey_add(s->world, s->e[8], B, { 1, 2 }) != NULL; }
static bool adds_b_value(scene *s) { return covey_add_value(s->world, s->e[8], B, (&(B){ 1, 2 })) != NULL; }
static bool adds_a(scene *s) { return covey_add(s->world, s->e[1], A, { 1, 2 }) != NULL; }
#if !IN_BLOCKS
static bool adds_a_alone(scene *s) { return covey_add(s->world, s->e[3], A, { 1, 2 }) != NULL; }
#endif
static bool adds_block(scene *s) { return covey_add(s->world, s->e[8], Y, { 1, 2 }) != NULL; }
static bool sets_b(scene *s) { return covey_set(s->world, s->e[8], B, { 1, 2 }) != NULL; }
static bool adds_counted(scene *s) {
    Counted value = counted_make(7);
    if (covey_add_value(s->world, s->e[8], Counted, &value)) return true;
    counted_drop(&value, NULL);
    return false;
}
static const Value four[4] = { { 1, 2 }, { 3, 4 }, { 5, 6 }, { 7, 8 } };
static bool adds_array(scene *s) {
    covey_entity to[] = { s->e[5], s->e[1], s->e[3], s->e[7] };
    return covey_add_array(s->world, to, 4, A, four);
}
static bool adds_far_array(scene *s) {
    covey_entity to[] = { s->e[8], s->e[3] };
    return covey_add_array(s->world, to, 2, B, four);
}
static bool adds_array_of_blocks(scene *s) {
    covey_entity to[] = { s->e[8], s->e[0], s->e[2], s->e[4] };
    return covey_add_array(s->world, to, 4, Y, four);
}
static bool adds_copies(scene *s) {
    covey_entity to[] = { s->e[8], s->e[0], s->e[2], s->e[6] };
    Counted value = counted_make(9);
    bool done = covey_add_copies(s->world, to, 4, Counted, &value);
    counted_drop(&value, NULL);
    return done;
}
static bool converts(scene *s) {
    covey_storage other = IN_BLOCKS ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK;
    return covey_pool_convert(covey_pool_of(s->world, B), other) == COVEY_OK;
}
static bool sorts(scene *s) {
    return covey_group_sort(covey_world_group(s->world, 0), 0, &(covey_order){ .key = COVEY_KEY_U32 }) == COVEY_OK;
}
static bool sorts_by_comparing(scene *s) {
    uint32_t compared = 0;
    covey_order order = { .compare = compare_numbers, .context = &compared, .descending = true };
    return covey_group_sort(covey_world_group(s->world, 0), 1, &order) == COVEY_OK;
}

static bool sorts_as(scene *s) {
    return covey_group_sort_as(covey_world_group(s->world, 0), covey_pool_of(s->world, Y)) == COVEY_OK;
}
static bool makes_and_finds(scene *s) {
    uint32_t before = covey_world_group_count(s->world);
    const covey_group *group = covey_group_create(s->world, &shapes[12]);
    assert_ptr_equal(covey_group_find(s->world, &shapes[12]), group);
    assert_int_equal(covey_world_group_count(s->world), before + (group != NULL));
    return group != NULL;
}

static const operation operations[] = {
    { "making a group that owns", ungrouped, makes_owning },
    { "covey_group_find, of a group that is made", ungrouped, makes_and_finds },
    { "making a group that owns and excludes", ungrouped, makes_owning_without },
    { "making a group of types that are new", empty_scene, makes_of_new_types },
    { "making a group around another", with_inner, makes_owning },
    { "making a group inside of another", with_owning, makes_owning_without },
    { "making a group that owns nothing", ungrouped, makes_unowned },
    { "making a group that owns nothing and excludes", ungrouped, makes_unowned_without },
    { "making a group of some that are far away", ungrouped, makes_unowned_far },
    { "making a group beside others", with_unowned, makes_unowned },
    { "covey_add, in an owned pool", with_owning, adds_b },
    { "covey_add, and it joins", with_unowned, adds_b },
    { "covey_add_value, and it joins", with_unowned, adds_b_value },
    { "covey_add, and it joins several", with_unowned, adds_a },
    { "covey_add, block, and it joins", with_unowned, adds_block },
    { "covey_add_value, with an end, and it joins", with_unowned, adds_counted },
    { "covey_set, and it joins", with_unowned, sets_b },
    { "covey_add_array, and some join", with_unowned, adds_array },
    { "covey_add_array, far, and one joins", with_unowned, adds_far_array },
    { "covey_add_array, block, and all join", with_unowned, adds_array_of_blocks },
    { "covey_add_copies, and all join", with_unowned, adds_copies },
    { "covey_pool_convert, in a group", with_unowned, converts },
    { "covey_group_sort, of a group that owns nothing", with_unowned, sorts },
    { "covey_group_sort, by comparing, of a group that owns nothing", with_unowned, sorts_by_comparing },
    { "covey_group_sort_as, of a group that owns nothing", with_unowned, sorts_as },
#if !IN_BLOCKS
    { "covey_add, and it joins one", with_unowned, adds_a_alone },
    { "covey_group_sort", with_owning, sorts },
    { "covey_group_sort, by comparing", with_owning, sorts_by_comparing },
    { "covey_group_sort_as", with_owning, sorts_as },
#endif
};

static bool joins_and_leaves(scene *s) {
    return covey_remove(s->world, s->e[0], X) && covey_remove(s->world, s->e[6], X) &&
           covey_remove(s->world, s->e[4], B) && covey_remove(s->world, s->e[2], Blocked) &&
           covey_destroy(s->world, s->e[0]);
}
static bool clears(scene *s) {
    covey_clear(s->world, X);
    covey_clear(s->world, B);
    return true;
}
static bool clears_everything(scene *s) {
    covey_clear_components(s->world);
    return true;
}
static bool destroys_everything(scene *s) {
    covey_destroy_all(s->world);
    return true;
}
static bool ends(scene *s) {
    while (covey_world_group_count(s->world) != 0) covey_group_destroy(covey_world_group(s->world, 0));
    return true;
}
static bool looks(scene *s) {
    covey_group *group = covey_world_group(s->world, 0);
    covey_iter spans = covey_group_iter(group), rows = spans;
    covey_row row = { 0 };
    uint32_t count = 0;
    while (covey_next(&spans)) count += spans.count;
    while (covey_next_row(&rows, &row)) count += covey_row_field(&rows, row, 0, A) != NULL;
    return count == 2 * covey_group_count(group) && covey_group_contains(group, covey_group_first(group));
}

static const operation free_operations[] = {
    { "removing, from groups", with_unowned, joins_and_leaves },
    { "removing, from owned pools", with_inner, joins_and_leaves },
    { "covey_clear, of groups", with_unowned, clears },
    { "covey_clear, of owned pools", with_inner, clears },
    { "covey_clear_components, of groups", with_unowned, clears_everything },
    { "covey_destroy_all, of groups", with_unowned, destroys_everything },
    { "covey_destroy_all, of owned pools", with_inner, destroys_everything },
    { "covey_group_destroy", with_unowned, ends },
    { "covey_group_destroy, that owns", with_inner, ends },
    { "looking at a group", with_unowned, looks },
    { "looking at a group that owns", with_inner, looks },
};

int main(void) {
    const struct CMUnitTest tests[] = {
        GROUP_TEST(test_losing_what_is_excluded_never_asks_for_memory),
    };
    for (uint32_t i = 0; i < COUNT_OF(tests); i++) add_test(tests[i]);
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(free_operations, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    return run_trials();
}
