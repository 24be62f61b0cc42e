/* Enabling: what is disabled stays, and neither views nor groups see it. */
#include "memory/inner.h"
#include "observe/observers.h"
#include "oom.h"
#include "views.h"

#define VIEW(...) (&(covey_view_desc){ __VA_ARGS__ })
#define GROUP(...) covey_group_create(world, &(covey_group_desc){ __VA_ARGS__ })

typedef Value A;
typedef Value B;
COVEY_COMPONENT_DEFINE(A, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(B, .storage = COVEY_STORAGE_SPARSE);

enum { COUNT = 300 };
static covey_entity e[COUNT];

static int enable_setup(void **state) {
    int result = world_setup(state);
    make_entities(e, COUNT);
    return result;
}
#define ENABLE_TEST(test) cmocka_unit_test_setup_teardown(test, enable_setup, world_teardown)

static covey_result off(covey_entity of, const covey_type *type) {
    return covey_component_disable_raw(world, of, type);
}
static covey_result on(covey_entity of, const covey_type *type) { return covey_component_enable_raw(world, of, type); }
static bool is_on(covey_entity of, const covey_type *type) { return covey_component_is_enabled_raw(world, of, type); }

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void an_entity_is_disabled_and_enabled(void **state) {
    (void)state;
    assert_true(covey_is_enabled(world, e[3]));
    assert_int_equal(covey_disable(world, e[3]), COVEY_OK);
    assert_false(covey_is_enabled(world, e[3]));
    assert_true(covey_is_enabled(world, e[4]));
    assert_int_equal(covey_disable(world, e[3]), COVEY_OK);
    assert_int_equal(covey_enable(world, e[3]), COVEY_OK);
    assert_true(covey_is_enabled(world, e[3]));
    assert_int_equal(covey_enable(world, e[3]), COVEY_OK);
}

static void the_dead_are_neither(void **state) {
    (void)state;
    assert_int_equal(covey_disable(world, e[3]), COVEY_OK);
    covey_destroy(world, e[3]);
    assert_false(covey_is_enabled(world, e[3]));
    assert_int_equal(covey_disable(world, e[3]), COVEY_ERROR_DEAD);
    assert_failed(COVEY_ERROR_DEAD);
    assert_int_equal(covey_enable(world, e[3]), COVEY_ERROR_DEAD);
    assert_int_equal(covey_disable(world, entity(0, 0)), COVEY_ERROR_DEAD);
    covey_entity next = covey_create(world);
    assert_int_equal(next.index, e[3].index);
    assert_true(covey_is_enabled(world, next));
}

static void data_of_the_disabled_stays(void **state) {
    (void)state;
    give(e[1], covey_id(Blocked));
    assert_int_equal(covey_disable(world, e[1]), COVEY_OK);
    assert_value(e[1], covey_id(Blocked), e[1].index);
    give(e[1], covey_id(Packed));
    assert_true(covey_has(world, e[1], Packed));
    assert_true(covey_remove(world, e[1], Blocked));
    assert_false(covey_is_enabled(world, e[1]));
    assert_false(covey_is_empty(world, e[1]));
    assert_true(covey_remove(world, e[1], Packed));
    assert_true(covey_is_empty(world, e[1])); /* the tag is no component of the user's */
}

static void worlds_that_disable_nothing_pay_nothing(void **state) {
    (void)state;
    size_t bytes = covey_world_memory(world);
    assert_int_equal(covey_enable(world, e[0]), COVEY_OK);
    assert_true(covey_is_enabled(world, e[0]));
    assert_int_equal(covey_world_memory(world), bytes);
    assert_int_equal(covey_world_pool_count(world), 0);
}

/* ---- The tag ------------------------------------------------------------------------------------------------------*/

static void the_tag_is_the_same(void **state) {
    (void)state;
    covey_group *group = GROUP(.with = { covey_id(Blocked) });
    give(e[1], covey_id(Blocked));
    assert_true(covey_add_tag(world, e[1], covey_disabled));
    assert_false(covey_is_enabled(world, e[1]));
    assert_int_equal(covey_group_count(group), 0);
    assert_false(covey_add_tag(world, e[1], covey_disabled));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_true(covey_has(world, e[1], covey_disabled));
    assert_true(covey_remove_raw(world, e[1], covey_id(covey_disabled)));
    assert_true(covey_is_enabled(world, e[1]));
    assert_int_equal(covey_group_count(group), 1);
    assert_int_equal(covey_disable(world, e[1]), COVEY_OK);
    covey_clear(world, covey_disabled);
    assert_true(covey_is_enabled(world, e[1]));
    assert_int_equal(covey_group_count(group), 1);
}

static void views_name_the_tag(void **state) {
    (void)state;
    give_each(e, COUNT, 1, covey_id(Blocked));
    assert_int_equal(assert_view(VIEW(.with = { covey_id(covey_disabled) })), 0); /* the world does not know it */
    for (uint32_t i = 0; i < COUNT; i += 7) assert_int_equal(covey_disable(world, e[i]), COVEY_OK);
    uint32_t disabled = (COUNT + 6) / 7;
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Blocked), covey_id(covey_disabled) })), disabled);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(covey_disabled) })), disabled);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Blocked) }, .optional = { covey_id(covey_disabled) })), COUNT);
    assert_int_equal(assert_view(VIEW(.any = { covey_id(Packed), covey_id(covey_disabled) })), disabled);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Blocked) }, .without = { covey_id(covey_disabled) })),
                     COUNT - disabled);
    assert_int_equal(off(e[7], covey_id(Blocked)), COVEY_OK); /* the tag is about entities */
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Blocked), covey_id(covey_disabled) })), disabled - 1);
}

static void groups_cannot_name_the_tag(void **state) {
    (void)state;
    assert_null(GROUP(.with = { covey_id(Blocked), covey_id(covey_disabled) }));
    assert_failed(COVEY_ERROR_TYPE);
    assert_null(GROUP(.with = { covey_id(Blocked) }, .without = { covey_id(covey_disabled) }));
    assert_failed(COVEY_ERROR_TYPE);
}

static void other_names_of_the_library_are_refused(void **state) {
    (void)state;
    static const covey_type other = { .name = "covey.other" };
    covey_view view = covey_view_make(world, VIEW(.with = { &other }));
    assert_false(covey_view_valid(&view));
    assert_failed(COVEY_ERROR_TYPE);
}

/* ---- Components ---------------------------------------------------------------------------------------------------*/

static void a_component_is_disabled_and_enabled(const covey_type *type) {
    give(e[3], type);
    give(e[4], type);
    assert_true(is_on(e[3], type));
    assert_int_equal(off(e[3], type), COVEY_OK);
    assert_int_equal(off(e[3], type), COVEY_OK);
    assert_false(is_on(e[3], type));
    assert_true(is_on(e[4], type));
    assert_true(covey_is_enabled(world, e[3]));
    assert_value(e[3], type, e[3].index);
    Value value = value_of(e[3].index);
    assert_non_null(covey_set_raw(world, e[3], type, &value));
    assert_false(is_on(e[3], type));
    assert_int_equal(on(e[3], type), COVEY_OK);
    assert_int_equal(on(e[3], type), COVEY_OK);
    assert_true(is_on(e[3], type));
}

static void components_of_all_storages(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) a_component_is_disabled_and_enabled(storage_types[i]);
}

static void absent_components_are_neither(void **state) {
    (void)state;
    assert_int_equal(off(e[0], covey_id(Later)), COVEY_ERROR_ABSENT);
    assert_failed(COVEY_ERROR_ABSENT);
    give(e[1], covey_id(Blocked));
    assert_int_equal(off(e[0], covey_id(Blocked)), COVEY_ERROR_ABSENT);
    assert_int_equal(on(e[0], covey_id(Blocked)), COVEY_ERROR_ABSENT);
    assert_false(is_on(e[0], covey_id(Blocked)));
    covey_destroy(world, e[1]);
    assert_int_equal(off(e[1], covey_id(Blocked)), COVEY_ERROR_DEAD);
    assert_int_equal(on(e[1], covey_id(Blocked)), COVEY_ERROR_DEAD);
    assert_false(is_on(e[1], covey_id(Blocked)));
}

static void a_new_component_is_enabled(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) {
        const covey_type *type = storage_types[i];
        give(e[5], type);
        assert_int_equal(off(e[5], type), COVEY_OK);
        assert_true(remove_value(e[5], type));
        assert_false(is_on(e[5], type));
        give(e[5], type);
        assert_true(is_on(e[5], type));
        assert_int_equal(off(e[5], type), COVEY_OK);
        covey_clear_raw(world, type);
        give(e[5], type);
        assert_true(is_on(e[5], type));
        assert_int_equal(off(e[5], type), COVEY_OK);
    }
    covey_destroy(world, e[5]);
    covey_entity next = covey_create(world);
    assert_int_equal(next.index, e[5].index);
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) {
        give(next, storage_types[i]);
        assert_true(is_on(next, storage_types[i]));
    }
}

static void order_and_storage_do_not_matter(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, A);
    give_each(e, COUNT, 1, covey_id(A));
    for (uint32_t i = 0; i < COUNT; i += 5) assert_int_equal(off(e[i], covey_id(A)), COVEY_OK);
    uint32_t seen = COUNT - COUNT / 5;
    covey_order order = { .key = COVEY_KEY_U32, .offset = offsetof(Value, number), .descending = true };
    assert_int_equal(covey_pool_sort(pool, &order), COVEY_OK);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(A) })), seen);
    assert_int_equal(covey_pool_keep_sorted(pool, &order), COVEY_OK);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(A) })), seen);
    assert_int_equal(covey_pool_keep_sorted(pool, NULL), COVEY_OK);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_OK);
    covey_pool_compact(pool, NULL, NULL);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(A) })), seen);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_DEFAULT), COVEY_OK);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(A) })), seen);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(is_on(e[i], covey_id(A)), i % 5 != 0);
}

static void shrinking_returns_pages_without_any(void **state) {
    (void)state;
    give_each(e, COUNT, 1, covey_id(Blocked));
    covey_shrink(world);
    assert_int_equal(off(e[0], covey_id(Blocked)), COVEY_OK);
    size_t bytes = covey_world_memory(world);
    covey_shrink(world);
    assert_int_equal(covey_world_memory(world), bytes);
    assert_int_equal(on(e[0], covey_id(Blocked)), COVEY_OK);
    covey_shrink(world);
    assert_true(covey_world_memory(world) < bytes);
    assert_int_equal(on(e[0], covey_id(Blocked)), COVEY_OK);
    assert_int_equal(off(e[0], covey_id(Blocked)), COVEY_OK);
    assert_false(is_on(e[0], covey_id(Blocked)));
}

/* ---- Views --------------------------------------------------------------------------------------------------------*/

/* Views of all kinds of terms, whatever leads, with nothing, entities, components, and both disabled. */
static void ask_all(const covey_type *lead) {
    const covey_type *others[] = { covey_id(Mate), covey_id(A), covey_id(Pinned), covey_id(Ordered) };
    for (uint32_t i = 0; i < COUNT_OF(others); i++) {
        const covey_type *other = others[i] != lead ? others[i] : covey_id(Later);
        for (int disabled = 0; disabled < 2; disabled++) {
            assert_view(VIEW(.with = { lead }, .include_disabled = disabled));
            assert_view(VIEW(.with = { lead, other }, .include_disabled = disabled));
            assert_view(VIEW(.with = { lead }, .optional = { other }, .include_disabled = disabled));
            assert_view(VIEW(.any = { lead, other }, .include_disabled = disabled));
            assert_view(VIEW(.with = { covey_id(B) }, .any = { lead, other }, .include_disabled = disabled));
            assert_view(VIEW(.with = { lead }, .without = { other }, .include_disabled = disabled));
            assert_view(VIEW(.without = { lead }, .include_disabled = disabled));
            assert_view(VIEW(.with = { lead, covey_id(covey_disabled) }, .optional = { other }));
        }
    }
    assert_view(VIEW(.include_disabled = false));
    assert_view(VIEW(.include_disabled = true));
}

static void views_see_what_is_enabled(const covey_type *lead) {
    make_entities(e, COUNT);
    const covey_type *types[] = { lead, covey_id(Mate), covey_id(A), covey_id(B), covey_id(Pinned), covey_id(Ordered) };
    test_random random = { 7 };
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < COUNT_OF(types); k++)
            if (!covey_has_raw(world, e[i], types[k]) && test_below(&random, 4) != 0) give(e[i], types[k]);
    ask_all(lead);
    for (uint32_t i = 0; i < COUNT; i++)
        if (test_below(&random, 5) == 0) assert_int_equal(covey_disable(world, e[i]), COVEY_OK);
    ask_all(lead);
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < COUNT_OF(types); k++)
            if (test_below(&random, 4) == 0 && covey_has_raw(world, e[i], types[k]))
                assert_int_equal(off(e[i], types[k]), COVEY_OK);
    ask_all(lead);
    covey_clear(world, covey_disabled);
    ask_all(lead);
}

static void views_of_all_storages(void **state) {
    (void)state;
    for_each_lead(views_see_what_is_enabled);
}

/* All entities, in full blocks: spans are cut where an entity is disabled, and nowhere else. */
static void full_spans_are_cut(void **state) {
    (void)state;
    give_each(e, COUNT, 1, covey_id(Pinned));
    give_each(e, COUNT, 1, covey_id(Mate));
    assert_int_equal(covey_disable(world, e[100]), COVEY_OK);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Pinned), covey_id(Mate) })), COUNT - 1);
    assert_int_equal(off(e[200], covey_id(Mate)), COVEY_OK);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Pinned), covey_id(Mate) })), COUNT - 2);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Pinned) }, .optional = { covey_id(Mate) })), COUNT - 1);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(Pinned) }, .without = { covey_id(Mate) })), 1);
}

/* The order of a pool in which a component is disabled, and lists. */
static void orders_leave_out_what_is_disabled(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        const covey_type *lead = lead_types[i];
        covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Mate) }));
        for (uint32_t k = 0; k < 20; k++) {
            give(e[k], lead);
            if (i == 0) give(e[k], covey_id(Mate));
        }
        assert_int_equal(off(e[4], lead), COVEY_OK);
        assert_int_equal(off(e[9], covey_id(Mate)), COVEY_OK);
        assert_int_equal(covey_disable(world, e[11]), COVEY_OK);
        covey_iter it = covey_view_iter_by(&view, covey_pool_find_raw(world, lead));
        assert_int_equal(visit_spans(&it)->count, 17);
        it = covey_view_iter_by(&view, covey_pool_find_raw(world, lead));
        assert_int_equal(visit_rows(&it)->count, 17);
        it = covey_view_iter_list(&view, e, 20);
        assert_int_equal(visit_spans(&it)->count, 18);
        it = covey_view_iter_list(&view, e, 20);
        assert_int_equal(visit_rows(&it)->count, 18);
    }
}

/* The row's entity may be disabled, or its components; the first of the world, too. */
static void rows_disable_themselves(void **state) {
    (void)state;
    give_each(e, COUNT, 1, covey_id(Blocked));
    give_each(e, COUNT, 1, covey_id(Mate));
    covey_entity list[] = { e[1], e[2], e[1], e[2], e[3] };
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Blocked) }, .optional = { covey_id(Mate) }));
    covey_iter it = covey_view_iter_list(&view, list, COUNT_OF(list));
    covey_row row = { 0 };
    for (uint32_t i = 0; covey_next_row(&it, &row); i++) {
        covey_entity of = covey_row_entity(&it, row);
        assert_same(of, e[i + 1]);
        if (i == 0) assert_int_equal(covey_disable(world, of), COVEY_OK);
        if (i == 1) assert_int_equal(off(of, covey_id(Blocked)), COVEY_OK);
        if (i != 2) continue;
        assert_non_null(row_field(&it, row, 1));
        assert_int_equal(off(of, covey_id(Mate)), COVEY_OK);
        assert_null(row_field(&it, row, 1));
    }
    uint32_t visited = 0;
    it = covey_view_iter(&view);
    for (row = (covey_row){ 0 }; covey_next_row(&it, &row); visited++)
        assert_int_equal(covey_disable(world, covey_row_entity(&it, row)), COVEY_OK);
    assert_int_equal(visited, COUNT - 2);
    assert_int_equal(covey_view_count(&view), 0);
}

/* Nothing was disabled when the iteration began. */
static void the_first_of_the_world_is_noticed(void **state) {
    (void)state;
    give_each(e, COUNT, 1, covey_id(Blocked));
    covey_entity list[] = { e[1], e[1], e[2] };
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Blocked) }));
    covey_iter it = covey_view_iter_list(&view, list, COUNT_OF(list));
    covey_row row = { 0 };
    assert_true(covey_next_row(&it, &row));
    assert_int_equal(off(e[1], covey_id(Blocked)), COVEY_OK);
    assert_true(covey_next_row(&it, &row));
    assert_same(covey_row_entity(&it, row), e[2]);
    assert_false(covey_next_row(&it, &row));
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

static void assert_group(const covey_group *group, const covey_view_desc *desc) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(covey_group_contains(group, e[i]), fits(desc, e[i]));
        count += fits(desc, e[i]);
    }
    assert_int_equal(covey_group_count(group), count);
    covey_iter it = covey_group_iter(group);
    assert_int_equal(visit_spans(&it)->count, count);
    it = covey_group_iter(group);
    assert_int_equal(visit_rows(&it)->count, count);
    test_world_is_valid(world);
}

typedef covey_result change_fn(covey_entity e);
static covey_result disable(covey_entity of) { return covey_disable(world, of); }
static covey_result enable(covey_entity of) { return covey_enable(world, of); }
static covey_result disable_a(covey_entity of) { return off(of, covey_id(A)); }
static covey_result enable_a(covey_entity of) { return on(of, covey_id(A)); }
static covey_result disable_mate(covey_entity of) { return off(of, covey_id(Mate)); }
static covey_result enable_mate(covey_entity of) { return on(of, covey_id(Mate)); }
static covey_result disable_banned(covey_entity of) { return off(of, covey_id(Banned)); }
static covey_result enable_banned(covey_entity of) { return on(of, covey_id(Banned)); }

static const struct {
    change_fn *change;
    const covey_type *type;
} changes[] = { { disable, NULL },
                { disable_a, covey_id(A) },
                { disable_mate, covey_id(Mate) },
                { disable_banned, covey_id(Banned) },
                { enable_banned, covey_id(Banned) },
                { enable_a, covey_id(A) },
                { enable_mate, covey_id(Mate) },
                { enable, NULL } };

static void fill_for_groups(void) {
    const covey_type *types[] = { covey_id(A), covey_id(B), covey_id(Mate), covey_id(Banned) };
    test_random random = { 3 };
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < COUNT_OF(types); k++)
            if (test_below(&random, k == 3 ? 2 : 5) != 0) give(e[i], types[k]);
}

static void follow_changes(const covey_group *const *groups, const covey_view_desc *const *descs, uint32_t count) {
    test_random random = { 11 };
    for (uint32_t round = 0; round < COUNT_OF(changes); round++) {
        for (uint32_t i = 0; i < COUNT; i++) {
            const covey_type *type = changes[round].type;
            if (test_below(&random, 3) != 0 || (type && !covey_has_raw(world, e[i], type))) continue;
            assert_int_equal(changes[round].change(e[i]), COVEY_OK);
        }
        for (uint32_t i = 0; i < count; i++) assert_group(groups[i], descs[i]);
    }
    for (uint32_t i = 0; i < COUNT; i += 3) { /* removing and adding what may be disabled */
        if (covey_remove(world, e[i], Banned)) give(e[i + 1], covey_id(Later));
        if (covey_remove(world, e[i], A)) give(e[i], covey_id(A));
        covey_remove(world, e[i + 1], Mate);
        if (i % 2 == 0) covey_destroy(world, e[i + 2]);
    }
    for (uint32_t i = 0; i < count; i++) assert_group(groups[i], descs[i]);
    covey_clear(world, Banned);
    covey_clear(world, covey_disabled);
    for (uint32_t i = 0; i < count; i++) assert_group(groups[i], descs[i]);
    covey_clear(world, A);
    for (uint32_t i = 0; i < count; i++) assert_group(groups[i], descs[i]);
}

static void groups_see_what_is_enabled(void **state) {
    (void)state;
    fill_for_groups();
    const covey_view_desc *const descs[] = {
        VIEW(.with = { covey_id(A), covey_id(B) }),
        VIEW(.with = { covey_id(A), covey_id(B), covey_id(Mate) }, .without = { covey_id(Banned) }),
        VIEW(.with = { covey_id(A), covey_id(Mate) }, .without = { covey_id(Banned) }),
        VIEW(.with = { covey_id(Mate) }),
    };
    const covey_group *const groups[] = {
        GROUP(.own = { covey_id(A), covey_id(B) }),
        GROUP(.own = { covey_id(A), covey_id(B) }, .with = { covey_id(Mate) }, .without = { covey_id(Banned) }),
        GROUP(.with = { covey_id(A), covey_id(Mate) }, .without = { covey_id(Banned) }),
        GROUP(.with = { covey_id(Mate) }),
    };
    follow_changes(groups, descs, COUNT_OF(groups));
}

/* The one that is all that has to know of its pools, and no longer is. */
static void a_group_alone_sees_what_is_enabled(void **state) {
    (void)state;
    fill_for_groups();
    const covey_view_desc *desc = VIEW(.with = { covey_id(A), covey_id(B) });
    const covey_group *group = GROUP(.own = { covey_id(A), covey_id(B) });
    assert_non_null(covey_pool_find(world, A)->observers->sole);
    assert_int_equal(covey_disable(world, covey_group_first(group)), COVEY_OK);
    assert_null(covey_pool_find(world, A)->observers->sole);
    follow_changes(&group, &desc, 1);
}

/* A group of what is disabled already, and one of components only. */
static void a_later_group_sees_what_is_enabled(void **state) {
    (void)state;
    fill_for_groups();
    for (uint32_t i = 0; i < COUNT; i += 4)
        if (covey_has(world, e[i], A)) assert_int_equal(off(e[i], covey_id(A)), COVEY_OK);
    const covey_view_desc *desc = VIEW(.with = { covey_id(A), covey_id(B) });
    covey_group *group = GROUP(.own = { covey_id(A), covey_id(B) });
    assert_group(group, desc);
    assert_null(covey_pool_find(world, B)->observers->sole);
    covey_group_destroy(group);
    for (uint32_t i = 0; i < COUNT; i += 7) assert_int_equal(covey_disable(world, e[i]), COVEY_OK);
    const covey_group *next = GROUP(.own = { covey_id(A), covey_id(B) });
    follow_changes(&next, &desc, 1);
    assert_int_equal(assert_view(VIEW(.with = { covey_id(B) })), covey_pool_count(covey_pool_find(world, B)));
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static void world_of(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 8; i++) {
        s->e[i] = covey_create(s->world);
        assert_non_null(covey_add(s->world, s->e[i], A, { i, i }));
        assert_non_null(covey_add(s->world, s->e[i], B, { i, i }));
        assert_non_null(covey_add(s->world, s->e[i], Blocked, { i, i }));
    }
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
    assert_non_null(covey_add(s->world, s->e[8], A, { 8, 8 }));
}

static void world_with_groups(scene *s) {
    world_of(s);
    covey_group_desc descs[] = { { .own = { covey_id(A), covey_id(B) } },
                                 { .with = { covey_id(Blocked) }, .without = { covey_id(A) } },
                                 { .with = { covey_id(A), covey_id(Blocked) } } };
    for (uint32_t i = 0; i < COUNT_OF(descs); i++) assert_non_null(covey_group_create(s->world, &descs[i]));
}

static void world_with_disabled(scene *s) {
    world_with_groups(s);
    for (uint32_t i = 0; i < 4; i++) {
        assert_int_equal(covey_disable(s->world, s->e[i]), COVEY_OK);
        assert_int_equal(covey_component_disable(s->world, s->e[i + 2], A), COVEY_OK);
    }
    covey_shrink(s->world);
}

static bool run_disable(scene *s) { return covey_disable(s->world, s->e[5]) == COVEY_OK; }
static bool run_disable_far(scene *s) { return covey_disable(s->world, s->e[8]) == COVEY_OK; }
static bool run_add_tag(scene *s) { return covey_add_tag(s->world, s->e[5], covey_disabled); }
static bool run_disable_a(scene *s) { return covey_component_disable(s->world, s->e[6], A) == COVEY_OK; }
static bool run_disable_far_a(scene *s) { return covey_component_disable(s->world, s->e[8], A) == COVEY_OK; }
static bool run_group(scene *s) {
    return covey_group_create(s->world, &(covey_group_desc){ .with = { covey_id(B), covey_id(Blocked) } }) != NULL;
}
static bool run_enable(scene *s) {
    return covey_enable(s->world, s->e[1]) == COVEY_OK && covey_component_enable(s->world, s->e[3], A) == COVEY_OK;
}
static bool run_remove(scene *s) {
    return covey_remove(s->world, s->e[3], A) && covey_destroy(s->world, s->e[2]) && covey_destroy(s->world, s->e[5]);
}

static const operation needing[] = {
    { "disable", world_of, run_disable },
    { "disable, with groups", world_with_groups, run_disable },
    { "disable, with others that are", world_with_disabled, run_disable_far },
    { "add_tag, with groups", world_with_groups, run_add_tag },
    { "component_disable", world_of, run_disable_a },
    { "component_disable, with groups", world_with_groups, run_disable_a },
    { "component_disable, with others that are", world_with_disabled, run_disable_far_a },
    { "group_create, with others that are disabled", world_with_disabled, run_group },
};
static const operation free_ones[] = {
    { "enable, component_enable", world_with_disabled, run_enable },
    { "remove, destroy", world_with_disabled, run_remove },
};

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void the_validator_knows(void **state) {
    (void)state;
    fill_for_groups();
    assert_non_null(GROUP(.own = { covey_id(A), covey_id(B) }));
    covey_pool *pool = covey_pool_find(world, A);
    uint32_t with = 0, without = 0;
    while (!covey_group_contains(covey_world_group(world, 0), e[with])) with++;
    while (covey_has(world, e[without], A)) without++;
    assert_int_equal(off(e[with], covey_id(A)), COVEY_OK);
    assert_int_equal(covey_disable(world, e[with + 1]), COVEY_OK);
    uint64_t *page = pool->observers->disabled.at[0];
    uint32_t at = e[without].index;
    BREAK(uint64_t, page[at / COVEY__BLOCK_IDS], page[at / COVEY__BLOCK_IDS] | (uint64_t)1 << at % COVEY__BLOCK_IDS,
          "disabled: an absent component is disabled");
    BREAK(uint64_t, page[e[with].index / COVEY__BLOCK_IDS], 0,
          "group: an entity that does not match is a member, or one that matches is none");
    BREAK(covey_pool *, world->inner->disabled, pool, "disabled: world->disabled is not the pool of covey.disabled");
    BREAK(uint32_t, world->inner->hiding, 2,
          "disabled: world->hiding is not the number of pools with disabled components");
    BREAK(uint64_t, world->inner->tick, 0, "ticks: no tick");
    BREAK(covey__role, world->inner->disabled->observers->groups[0].role, COVEY__ASKED,
          "group: it does not know who is disabled");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        ENABLE_TEST(an_entity_is_disabled_and_enabled),
        ENABLE_TEST(the_dead_are_neither),
        ENABLE_TEST(data_of_the_disabled_stays),
        ENABLE_TEST(worlds_that_disable_nothing_pay_nothing),
        ENABLE_TEST(the_tag_is_the_same),
        ENABLE_TEST(views_name_the_tag),
        ENABLE_TEST(groups_cannot_name_the_tag),
        ENABLE_TEST(other_names_of_the_library_are_refused),
        ENABLE_TEST(components_of_all_storages),
        ENABLE_TEST(absent_components_are_neither),
        ENABLE_TEST(a_new_component_is_enabled),
        ENABLE_TEST(order_and_storage_do_not_matter),
        ENABLE_TEST(shrinking_returns_pages_without_any),
        WORLD_TEST(views_of_all_storages),
        ENABLE_TEST(full_spans_are_cut),
        ENABLE_TEST(orders_leave_out_what_is_disabled),
        ENABLE_TEST(rows_disable_themselves),
        ENABLE_TEST(the_first_of_the_world_is_noticed),
        ENABLE_TEST(groups_see_what_is_enabled),
        ENABLE_TEST(a_group_alone_sees_what_is_enabled),
        ENABLE_TEST(a_later_group_sees_what_is_enabled),
        ENABLE_TEST(the_validator_knows),
    };
    for (uint32_t i = 0; i < COUNT_OF(tests); i++) add_test(tests[i]);
    ADD_TRIALS(needing, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(free_ones, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    return run_trials();
}
