/* Change ticks: what marks a change, and what a view finds since. */
#include "observe/observers.h"
#include "memory/tick_page.h"
#include "oom.h"
#include "views.h"

#define VIEW(...) (&(covey_view_desc){ __VA_ARGS__ })

typedef Value Sparse;
typedef Value Stable;
typedef Value InOrder;
typedef Value Block;
typedef Value Pin;
typedef Value Still; /* without ticks */
typedef Value Other; /* neither */
COVEY_COMPONENT_DEFINE(Sparse, .storage = COVEY_STORAGE_SPARSE, .ticks = true);
COVEY_COMPONENT_DEFINE(Stable, .policy = COVEY_IN_PLACE, .ticks = true);
COVEY_COMPONENT_DEFINE(InOrder, .policy = COVEY_ORDERED, .ticks = true);
COVEY_COMPONENT_DEFINE(Block, .ticks = true);
COVEY_COMPONENT_DEFINE(Pin, .storage = COVEY_STORAGE_PINNED, .ticks = true);
COVEY_COMPONENT_DEFINE(Still);
COVEY_COMPONENT_DEFINE(Other);
COVEY_TAG_DEFINE(Flag, .ticks = true);

static const covey_type *const types[] = { covey_id(Sparse), covey_id(Stable), covey_id(InOrder), covey_id(Block),
                                           covey_id(Pin) };

enum { COUNT = 300 };
static covey_entity e[COUNT];

static int tick_setup(void **state) {
    int result = world_setup(state);
    make_entities(e, COUNT);
    return result;
}
#define TICK_TEST(test) cmocka_unit_test_setup_teardown(test, tick_setup, world_teardown)

static uint64_t changed_at(covey_entity of, const covey_type *type) { return covey_changed_at_raw(world, of, type); }

static uint32_t count_since(const covey_view *view, uint64_t tick) {
    covey_iter it = covey_view_iter_since(view, tick);
    uint32_t spans = 0, rows = 0;
    while (covey_next(&it)) spans += it.count;
    covey_row row = { 0 };
    it = covey_view_iter_since(view, tick);
    while (covey_next_row(&it, &row)) rows++;
    assert_int_equal(spans, rows);
    return rows;
}

/* ---- Time ---------------------------------------------------------------------------------------------------------*/

static void time_starts_at_one_and_goes_on(void **state) {
    (void)state;
    assert_int_equal(covey_tick(world), 1);
    assert_int_equal(covey_tick_advance(world), 1);
    assert_int_equal(covey_tick_advance(world), 2);
    assert_int_equal(covey_tick(world), 3);
}

/* ---- What marks ---------------------------------------------------------------------------------------------------*/

static void add_five(void *value, void *context) {
    (void)context;
    ((Value *)value)->number += 5;
}

static void verbs_mark(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        const covey_type *type = types[i];
        Value value = value_of(1);
        assert_int_equal(changed_at(e[7], type), 0);
        assert_non_null(covey_add_raw(world, e[7], type, &value));
        assert_int_equal(changed_at(e[7], type), covey_tick(world));
        uint64_t last = covey_tick_advance(world);
        assert_int_equal(changed_at(e[7], type), last);
        assert_non_null(covey_get_raw(world, e[7], type));
        assert_non_null(covey_get_or_add_raw(world, e[7], type, &value));
        assert_int_equal(changed_at(e[7], type), last);
        assert_non_null(covey_set_raw(world, e[7], type, &value));
        assert_int_equal(changed_at(e[7], type), last + 1);
        covey_tick_advance(world);
        value = value_of(3);
        assert_true(covey_replace_raw(world, e[7], type, &value));
        assert_int_equal(changed_at(e[7], type), last + 2);
        assert_value(e[7], type, 3);
        covey_tick_advance(world);
        Value *at = covey_patch_raw(world, e[7], type, add_five, NULL);
        assert_int_equal(at->number, 8);
        assert_int_equal(changed_at(e[7], type), last + 3);
        covey_tick_advance(world);
        assert_ptr_equal(covey_patch_raw(world, e[7], type, NULL, NULL), at);
        assert_int_equal(changed_at(e[7], type), last + 4);
        covey_tick_advance(world);
        assert_ptr_equal(covey_set_raw(world, e[7], type, at), at); /* its own value */
        assert_int_equal(changed_at(e[7], type), last + 5);
    }
}

static void literals_mark(void **state) {
    (void)state;
    assert_non_null(covey_add(world, e[0], Block, { 1, 2 }));
    assert_int_equal(covey_changed_at(world, e[0], Block), 1);
    covey_tick_advance(world);
    assert_int_equal(covey_set(world, e[0], Block, { 3, 4 })->check, 4);
    assert_int_equal(covey_changed_at(world, e[0], Block), 2);
    assert_non_null(covey_get_or_add(world, e[1], Sparse, { 3, 4 }));
    assert_int_equal(covey_changed_at(world, e[1], Sparse), 2);
}

static void many_at_once_mark(void **state) {
    (void)state;
    static Value values[COUNT];
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        Value value = value_of(4);
        assert_true(covey_add_array_raw(world, e, 100, types[i], values));
        covey_tick_advance(world);
        assert_true(covey_add_copies_raw(world, e + 100, 200, types[i], &value));
        for (uint32_t k = 0; k < COUNT; k++) assert_int_equal(changed_at(e[k], types[i]), i + (k < 100 ? 1 : 2));
    }
}

static void overwriting_drops(void **state) {
    (void)state;
    static const covey_type owned = {
        .name = "Owned", .size = sizeof(Counted), .align = 4, .drop = counted_drop, .ticks = true
    };
    Counted value = counted_make(1);
    assert_non_null(covey_add_raw(world, e[0], &owned, &value));
    value = counted_make(2);
    assert_non_null(covey_set_raw(world, e[0], &owned, &value)); /* drops 1; the world's end drops 2 */
    assert_int_equal(((Counted *)covey_get_raw(world, e[0], &owned))->number, 2);
}

static void tags_have_ticks(void **state) {
    (void)state;
    assert_true(covey_add_tag(world, e[0], Flag));
    assert_int_equal(covey_changed_at(world, e[0], Flag), 1);
    covey_tick_advance(world);
    assert_true(covey_set_tag(world, e[0], Flag));
    assert_int_equal(covey_changed_at(world, e[0], Flag), 2);
}

static void nothing_is_known_of_others(void **state) {
    (void)state;
    give(e[0], covey_id(Still));
    assert_int_equal(covey_changed_at(world, e[0], Still), 0);
    assert_int_equal(covey_changed_at(world, e[0], Block), 0); /* the world does not know it */
    give(e[0], covey_id(Block));
    assert_int_equal(covey_changed_at(world, e[1], Block), 0);
    covey_destroy(world, e[0]);
    assert_int_equal(covey_changed_at(world, e[0], Block), 0);
    assert_int_equal(covey_changed_at(world, entity(0, 0), Block), 0);
}

static void what_is_added_again_is_new(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        give(e[2], types[i]);
        covey_tick_advance(world);
        assert_true(remove_value(e[2], types[i]));
        assert_int_equal(changed_at(e[2], types[i]), 0);
        give(e[2], types[i]);
        assert_int_equal(changed_at(e[2], types[i]), covey_tick(world));
        covey_clear_raw(world, types[i]);
        assert_int_equal(changed_at(e[2], types[i]), 0);
    }
}

static void order_and_storage_do_not_matter(void **state) {
    (void)state;
    covey_pool *pool = covey_pool_of(world, Sparse);
    for (uint32_t i = 0; i < COUNT; i++) {
        give(e[i], covey_id(Sparse));
        if (i % 3 == 0) covey_tick_advance(world);
    }
    covey_order order = { .key = COVEY_KEY_U32, .offset = offsetof(Value, number), .descending = true };
    assert_int_equal(covey_pool_sort(pool, &order), COVEY_OK);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_OK);
    covey_compact(world);
    covey_shrink(world);
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(changed_at(e[i], covey_id(Sparse)), (i + 2) / 3 + 1);
    assert_int_equal(covey_disable(world, e[0]), COVEY_OK);
    assert_int_equal(covey_component_disable(world, e[3], Sparse), COVEY_OK);
    assert_int_equal(covey_changed_at(world, e[0], Sparse), 1);
    assert_int_equal(covey_changed_at(world, e[3], Sparse), 2);
}

static void shrinking_returns_pages_without_any(void **state) {
    (void)state;
    covey_entity far = covey_create_at(world, COVEY_NONE / 2);
    give(e[0], covey_id(Block));
    give(far, covey_id(Block));
    covey_remove(world, far, Block);
    size_t bytes = covey_world_memory(world);
    covey_shrink(world);
    assert_true(covey_world_memory(world) + sizeof(covey__tick_page) + sizeof(covey__tick_block) <= bytes);
    assert_int_equal(covey_changed_at(world, e[0], Block), 1);
    give(far, covey_id(Block));
    assert_int_equal(covey_changed_at(world, far, Block), 1);
}

/* ---- Views that write ---------------------------------------------------------------------------------------------*/

/* Some have all types: not all, and not each block in the same way. */
static void fill(void) {
    for (uint32_t i = 0; i < COUNT; i++)
        for (uint32_t k = 0; k < COUNT_OF(types); k++)
            if (i / COVEY__BLOCK_IDS % 2 == 0 || (i + k) % 5 != 0) give(e[i], types[k]);
    give_each(e, COUNT, 2, covey_id(Still));
    covey_tick_advance(world);
}

/* Those, and only those, were changed now. */
static void assert_marked(const covey_view_desc *desc, const covey_type *type, bool all) {
    for (uint32_t i = 0; i < COUNT; i++) {
        bool now = covey_has_raw(world, e[i], type) && changed_at(e[i], type) == covey_tick(world);
        assert_int_equal(now, all && covey_has_raw(world, e[i], type) && fits(desc, e[i]));
    }
}

static void write_all(const covey_view *view, bool spans) {
    covey_iter it = covey_view_iter(view);
    if (spans) {
        visit_spans(&it);
        return;
    }
    visit_rows(&it);
}

static void views_mark_what_they_write(void **state) {
    (void)state;
    fill();
    for (uint32_t i = 0; i < COUNT_OF(types) * COUNT_OF(types) * 8; i++) {
        const covey_type *first = types[i / 8 % COUNT_OF(types)], *second = types[i / 8 / COUNT_OF(types)];
        if (first == second) continue;
        const covey_type *terms[] = { first, (i & 2) != 0 ? second : NULL };
        covey_view_desc desc = { .with = { terms[0], terms[1] }, .read = { (i & 4) != 0 ? first : NULL } };
        if ((i & 2) == 0) desc.optional[0] = second;
        covey_view view = covey_view_make(world, &desc);
        write_all(&view, (i & 1) != 0);
        assert_marked(&desc, first, (i & 4) == 0);
        assert_marked(&desc, second, true);
        covey_tick_advance(world);
    }
}

static void lists_and_orders_mark(void **state) {
    (void)state;
    fill();
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Sparse), covey_id(Block) }));
    covey_iter it = covey_view_iter_list(&view, e, 10);
    visit_spans(&it);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(changed_at(e[i], covey_id(Block)) == 2, i < 10 && covey_has(world, e[i], Block));
    covey_tick_advance(world);
    it = covey_view_iter_by(&view, covey_pool_find(world, Still));
    visit_rows(&it);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(changed_at(e[i], covey_id(Sparse)) == 3,
                         i % 2 == 0 && covey_has(world, e[i], Block) && covey_has(world, e[i], Sparse));
}

static void rows_mark_what_is_asked_for(void **state) {
    (void)state;
    fill();
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Block), covey_id(Pin) }));
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        covey_entity of = covey_row_entity(&it, row);
        if (of.index % 3 == 0) covey_row_field(&it, row, 1, Pin)->number = of.index;
    }
    for (uint32_t i = 0; i < COUNT; i++) {
        bool both = covey_has(world, e[i], Block) && covey_has(world, e[i], Pin);
        assert_int_equal(covey_changed_at(world, e[i], Pin) == 2, both && e[i].index % 3 == 0);
        assert_int_not_equal(covey_changed_at(world, e[i], Block), 2);
    }
}

/* Groups have no `.read`: they write all. */
static void groups_mark_what_they_write(void **state) {
    (void)state;
    fill();
    const covey_group_desc descs[] = { { .own = { covey_id(Sparse) }, .with = { covey_id(Still), covey_id(Block) } },
                                       { .with = { covey_id(Pin), covey_id(Sparse) } } };
    for (uint32_t i = 0; i < 2; i++) {
        covey_group *group = covey_group_create(world, &descs[i]);
        assert_non_null(group);
        for (uint32_t way = 0; way < 2; way++) {
            covey_iter it = covey_group_iter(group);
            if (way == 0) visit_spans(&it);
            else visit_rows(&it);
            for (uint32_t k = 0; k < COUNT; k++)
                assert_int_equal(changed_at(e[k], covey_id(Sparse)) == covey_tick(world),
                                 covey_group_contains(group, e[k]));
            covey_tick_advance(world);
        }
    }
}

static void a_group_that_owns_all_is_still_one_span(void **state) {
    (void)state;
    fill();
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Sparse) } });
    covey_iter it = covey_group_iter(group);
    const visits *v = visit_spans(&it);
    assert_int_equal(v->spans, 1);
    assert_int_equal(v->count, covey_group_count(group));
    give(e[4], covey_id(Flag));
    assert_true(covey_remove(world, e[4], Sparse));
    covey_tick_advance(world);
    give(e[4], covey_id(Sparse)); /* the way of groups knows of ticks */
    assert_int_equal(covey_changed_at(world, e[4], Sparse), 3);
}

/* ---- Views since --------------------------------------------------------------------------------------------------*/

static void views_find_what_was_changed(void **state) {
    (void)state;
    fill();
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        const covey_type *type = types[i];
        covey_view view = covey_view_make(world, VIEW(.with = { type }, .read = { type }, .changed = { type }));
        uint64_t last = covey_tick_advance(world);
        assert_int_equal(count_since(&view, 0), covey_pool_count(covey_pool_find_raw(world, type)));
        assert_int_equal(covey_view_count(&view), covey_pool_count(covey_pool_find_raw(world, type)));
        assert_int_equal(count_since(&view, last), 0);
        uint32_t changed = 0;
        for (uint32_t k = 0; k < COUNT; k += 11) changed += covey_patch_raw(world, e[k], type, NULL, NULL) != NULL;
        assert_int_equal(count_since(&view, last), changed);
        assert_int_equal(count_since(&view, last - 1), changed);
        assert_int_equal(count_since(&view, last + 1), 0);
        for (covey_iter it = covey_view_iter_since(&view, last); covey_next(&it);)
            for (uint32_t row = 0; row < it.count; row++)
                assert_int_equal(changed_at(covey_span_entity(&it, row), type), last + 1);
    }
}

/* A writer, and a reader that looks at what it has not seen yet. */
static void a_reader_sees_each_change_once(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) give(e[i], covey_id(Block));
    covey_view writer = covey_view_make(world, VIEW(.with = { covey_id(Block) }));
    covey_view reader = covey_view_make(
        world, VIEW(.with = { covey_id(Block) }, .read = { covey_id(Block) }, .changed = { covey_id(Block) }));
    uint64_t seen = 0;
    assert_int_equal(count_since(&reader, seen), COUNT);
    seen = covey_tick_advance(world);
    assert_int_equal(count_since(&reader, seen), 0);
    write_all(&writer, true);
    assert_int_equal(count_since(&reader, seen), COUNT);
    seen = covey_tick_advance(world);
    assert_int_equal(count_since(&reader, seen), 0);
    write_all(&writer, false);
    assert_int_equal(count_since(&reader, seen), COUNT);
}

/* Asking for a field marks it, whatever becomes of the pointer: no compiler may leave the call out. */
static void asking_for_a_field_marks_it(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT; i++) give(e[i], covey_id(Block)), give(e[i], covey_id(Sparse));
    covey_view blocks = covey_view_make(world, VIEW(.with = { covey_id(Block) }, .changed = { covey_id(Block) }));
    covey_view sparse = covey_view_make(world, VIEW(.with = { covey_id(Sparse) }, .changed = { covey_id(Sparse) }));
    uint64_t seen = covey_tick_advance(world);
    covey_row row = { 0 };
    covey_iter it = covey_view_iter(&blocks);
    while (covey_next_row(&it, &row)) (void)covey_row_field(&it, row, 0, Block);
    assert_int_equal(count_since(&blocks, seen), COUNT);
    row = (covey_row){ 0 };
    it = covey_view_iter(&sparse);
    while (covey_next_row(&it, &row)) (void)covey_row_field(&it, row, 0, Sparse);
    assert_int_equal(count_since(&sparse, seen), COUNT);
}

/* A view that writes what it asks about does not find its own changes the next time. */
static void a_writer_of_what_changed(void **state) {
    (void)state;
    fill();
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Block) }, .changed = { covey_id(Block) }));
    uint64_t seen = covey_tick_advance(world);
    give(e[0], covey_id(Flag));
    assert_non_null(covey_patch(world, e[0], Block, NULL, NULL));
    assert_int_equal(count_since(&view, seen), 1);
    seen = covey_tick_advance(world);
    assert_int_equal(count_since(&view, seen), 0);
}

static void any_of_several_changes(void **state) {
    (void)state;
    fill();
    const covey_type *const both[] = { covey_id(Sparse), covey_id(Block) };
    covey_view view =
        covey_view_make(world, VIEW(.with = { both[0], covey_id(Pin), both[1] },
                                    .read = { both[0], covey_id(Pin), both[1] }, .changed = { both[1], both[0] }));
    uint64_t last = covey_tick_advance(world);
    assert_non_null(covey_patch(world, e[0], Sparse, NULL, NULL));
    assert_non_null(covey_patch(world, e[1], Block, NULL, NULL));
    assert_non_null(covey_patch(world, e[2], Pin, NULL, NULL));
    assert_int_equal(count_since(&view, last), 2);
    assert_int_equal(covey_disable(world, e[1]), COVEY_OK);
    assert_int_equal(count_since(&view, last), 1);
    assert_int_equal(covey_component_disable(world, e[0], Pin), COVEY_OK);
    assert_int_equal(count_since(&view, last), 0);
}

static void views_refuse_what_has_no_ticks(void **state) {
    (void)state;
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Still) }, .changed = { covey_id(Still) }));
    assert_false(covey_view_valid(&view));
    assert_failed(COVEY_ERROR_TYPE);
    view = covey_view_make(world, VIEW(.with = { covey_id(Still) }, .changed = { covey_id(Block) }));
    assert_false(covey_view_valid(&view));
    view = covey_view_make(world, VIEW(.optional = { covey_id(Block) }, .changed = { covey_id(Block) }));
    assert_false(covey_view_valid(&view));
    view = (covey_view){ 0 };
    covey_iter it = covey_view_iter_since(&view, 3);
    assert_false(covey_next(&it));
}

/* All but the last two of a block that is full. */
static void a_part_of_a_block_is_marked_alone(void **state) {
    (void)state;
    give_each(e, COUNT, 1, covey_id(Pin));
    for (uint32_t i = 0; i < COUNT; i++)
        if (e[i].index % COVEY__BLOCK_IDS < 62) give(e[i], covey_id(Still));
    covey_tick_advance(world);
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Pin), covey_id(Still) }));
    write_all(&view, true);
    for (uint32_t i = 0; i < COUNT; i++)
        assert_int_equal(covey_changed_at(world, e[i], Pin), e[i].index % COVEY__BLOCK_IDS < 62 ? 2 : 1);
}

static void questions_mark_nothing(void **state) {
    (void)state;
    fill();
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        covey_view view = covey_view_make(world, VIEW(.with = { types[i] }));
        assert_false(covey_is_null(covey_view_first(&view)));
        assert_true(covey_view_count(&view) != 0 && covey_view_contains(&view, e[0]));
        assert_marked(VIEW(.with = { types[i] }), types[i], false);
    }
}

static void without_changed_since_is_all(void **state) {
    (void)state;
    fill();
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Block) }, .read = { covey_id(Block) }));
    assert_int_equal(count_since(&view, covey_tick(world)), covey_view_count(&view));
}

static void layouts_differ_by_ticks(void **state) {
    (void)state;
    static const covey_type other = { .name = "Block", .size = sizeof(Block), .align = 4 };
    give(e[0], covey_id(Block));
    assert_null(covey_pool_of_raw(world, &other));
    assert_failed(COVEY_ERROR_LAYOUT);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

/* An index behind those of the entities that all tests have, where a page begins. */
enum { FIRST = (COUNT / COVEY__BLOCK_PAGE + 1) * COVEY__BLOCK_PAGE };

/* What the ticks of `count` components take that are so far from each other. */
static size_t taken_by_ticks(uint32_t count, uint32_t apart) {
    const covey_type *const each[] = { covey_id(Other), covey_id(Still), covey_id(Block) }; /* tables grow with Other */
    covey_entity scattered[100];
    size_t bytes[COUNT_OF(each)];
    for (uint32_t i = 0; i < count; i++) scattered[i] = covey_create_at(world, FIRST + i * apart);
    for (uint32_t k = 0; k < COUNT_OF(each); k++) {
        give(e[0], each[k]);
        size_t before = covey_world_memory(world);
        for (uint32_t i = 0; i < count; i++) give(scattered[i], each[k]);
        bytes[k] = covey_world_memory(world) - before;
    }
    return bytes[2] - bytes[1];
}

/* One in each page. */
static void scattered_ids_take_little(void **state) {
    (void)state;
    uint32_t pages = (COVEY_NONE - FIRST) / COVEY__BLOCK_PAGE, count = pages < 100 ? pages : 100;
    assert_true(taken_by_ticks(count, COVEY__BLOCK_PAGE) <= count * 700 + 1024 /* the table */);
}

/* In one page. */
static void ids_in_blocks_of_their_own_take_2_KB_at_most(void **state) {
    (void)state;
    for (uint32_t count = 1; count <= COVEY__PAGE_BLOCKS; count++) {
        size_t bytes = taken_by_ticks(count, COVEY__BLOCK_IDS);
        if (bytes > count * 2100 + 128) fail_msg("%zu bytes for %u ids", bytes, count);
        world_teardown(NULL);
        tick_setup(NULL);
    }
}

/* Blocks get their places in any order, while the pages grow; each component keeps its tick. */
static void scattered_ids_have_their_ticks(void **state) {
    (void)state;
    enum { INDICES = 3 * COVEY__BLOCK_PAGE, STEPS = 600 };
    static covey_entity scattered[INDICES];
    static uint64_t expected[INDICES]; /* 0: there is no component */
    test_random random = { 27 };
    covey_view view = covey_view_make(
        world, VIEW(.with = { covey_id(Block) }, .read = { covey_id(Block) }, .changed = { covey_id(Block) }));
    memset(expected, 0, sizeof expected);
    for (uint32_t i = 0; i < INDICES; i++) scattered[i] = covey_create_at(world, FIRST + i);
    for (uint32_t step = 0; step < STEPS; step++) {
        uint32_t at = test_below(&random, test_below(&random, INDICES) + 1), later = 0;
        if (expected[at] == 0) give(scattered[at], covey_id(Block));
        else if (step % 4 == 0) covey_remove(world, scattered[at], Block);
        else covey_patch(world, scattered[at], Block, NULL, NULL);
        expected[at] = covey_has(world, scattered[at], Block) ? covey_tick(world) : 0;
        if (step % 5 != 0) continue;
        uint64_t since = test_below(&random, (uint32_t)covey_tick(world) + 1);
        for (uint32_t i = 0; i < INDICES; i++) {
            assert_int_equal(covey_changed_at(world, scattered[i], Block), expected[i]);
            later += expected[i] > since;
        }
        assert_int_equal(count_since(&view, since), later);
        assert_true(covey_world_validate(world, NULL));
        covey_tick_advance(world);
    }
}

static void empty_world(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
    assert_false(covey_is_null(covey_create_at(s->world, COVEY__BLOCK_IDS)));
}

static void world_with_ticks(scene *s) {
    empty_world(s);
    for (uint32_t i = 0; i < 4; i++) {
        assert_non_null(covey_add(s->world, s->e[i], Block, { i, i }));
        assert_non_null(covey_add(s->world, s->e[i], Sparse, { i, i }));
    }
    covey_tick_advance(s->world);
    covey_shrink(s->world);
}

static bool run_add_block(scene *s) { return covey_add(s->world, s->e[5], Block, { 1, 1 }) != NULL; }
static bool run_add_sparse(scene *s) { return covey_add(s->world, s->e[5], Sparse, { 1, 1 }) != NULL; }
static bool run_add_far(scene *s) { return covey_set(s->world, s->e[8], Block, { 1, 1 }) != NULL; }
static bool run_add_far_sparse(scene *s) { return covey_get_or_add(s->world, s->e[8], Sparse, { 1, 1 }) != NULL; }
static bool run_add_beside(scene *s) {
    return covey_add(s->world, covey_entity_at(s->world, COVEY__BLOCK_IDS), Block, { 1, 1 }) != NULL;
}
static bool run_add_array(scene *s) {
    Value values[4] = { { 0, 0 } };
    return covey_add_array_raw(s->world, s->e + 5, 4, covey_id(Sparse), values);
}
static bool run_add_copies(scene *s) {
    Value value = { 0, 0 };
    return covey_add_copies_raw(s->world, s->e + 5, 4, covey_id(Block), &value);
}
static bool run_overwrite(scene *s) {
    Value value = { 5, 5 };
    covey_view view = covey_view_make(s->world, VIEW(.with = { covey_id(Block) }, .changed = { covey_id(Block) }));
    covey_iter it = covey_view_iter_since(&view, 0);
    return covey_set(s->world, s->e[0], Block, { 4, 4 }) &&
           covey_replace_raw(s->world, s->e[1], covey_id(Sparse), &value) &&
           covey_patch(s->world, s->e[2], Sparse, NULL, NULL) && covey_remove(s->world, s->e[3], Sparse) &&
           covey_next(&it) && covey_changed_at(s->world, s->e[3], Block) == 2;
}

static const operation needing[] = {
    { "add, of a type that is new", empty_world, run_add_block },
    { "add, of a sparse type that is new", empty_world, run_add_sparse },
    { "set, far away", world_with_ticks, run_add_far },
    { "get_or_add, far away", world_with_ticks, run_add_far_sparse },
    { "add, in another block of the page", world_with_ticks, run_add_beside },
    { "add_array", world_with_ticks, run_add_array },
    { "add_copies", world_with_ticks, run_add_copies },
};
static const operation free_ones[] = { { "set, replace, patch, remove, iterate", world_with_ticks, run_overwrite } };

/* Lists in order, and in none; of all, of a part of each block, and of few. */
static void changes_of_a_list_are_gathered(void **state) {
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(types) * 6; k++) {
        const covey_type *type = types[k / 6];
        covey_entity list[COUNT];
        Value values[COUNT];
        uint32_t positions[COUNT], found = 0, step = (const uint32_t[]){ 1, 3, 90 }[k % 3];
        for (uint32_t i = 0; i < COUNT; i++) {
            if (!covey_has_raw(world, e[i], type)) give(e[i], type);
            list[i] = e[k % 6 < 3 ? i : i * 7 % COUNT];
        }
        uint64_t before = covey_tick_advance(world);
        for (uint32_t i = step / 2; i < COUNT; i += step) covey_patch_raw(world, e[i], type, NULL, NULL);
        covey_remove_raw(world, e[100], type);
        uint32_t told = covey_gather_since_raw(world, list, COUNT, type, before, values, positions);
        for (uint32_t i = 0; i < COUNT; i++) {
            if (changed_at(list[i], type) <= before) continue;
            assert_int_equal(positions[found], i);
            assert_memory_equal(&values[found++], covey_get_raw(world, list[i], type), sizeof(Value));
        }
        assert_int_equal(told, found);
        assert_int_equal(covey_gather_since_raw(world, list, COUNT, type, 0, values, NULL), COUNT - 1);
        assert_int_equal(covey_gather_since_raw(world, list, COUNT, type, covey_tick(world), values, NULL), 0);
    }
    give_each(e, COUNT, 2, covey_id(Still));
    assert_int_equal(covey_gather_since(world, e, COUNT, Still, covey_tick(world), (Still *)NULL, NULL), COUNT / 2);
}

/* ---- What a block knows -------------------------------------------------------------------------------------------*/

static covey__tick_block *first_block(const covey_type *type) {
    return covey__ticked_at(covey_pool_find_raw(world, type)->observers->ticks.at[0], e[0].index).block;
}

/* Two parts of an array in turns, as two threads would: they have ids of the same block. */
static void visit_two_parts(const covey_view *view) {
    covey_iter whole = covey_view_iter(view), parts[2];
    parts[0] = covey_iter_part(&whole, 0, COVEY__BLOCK_IDS);
    parts[1] = covey_iter_part(&whole, COVEY__BLOCK_IDS, covey_iter_length(&whole));
    for (uint32_t more = 3, part = 0; more != 0; part ^= 1) {
        if ((more >> part & 1) == 0) continue;
        if (!covey_next(&parts[part])) more &= ~(1u << part);
        for (uint32_t i = 0; i < parts[part].count; i++)
            covey_patch(world, covey_span_entity(&parts[part], i), Block, NULL, NULL);
    }
}

/* Threads that visit parts of an array write ticks only: two threads could change a mask of one block at the same
 * time. */
static void masks_are_not_written_where_threads_may_meet(void **state) {
    (void)state;
    for (uint32_t i = COUNT; i-- != 0;) give(e[i * 7 % COUNT], covey_id(Sparse)); /* in no order */
    for (uint32_t i = 0; i < COUNT; i++) give(e[i], covey_id(Block));
    uint64_t before = covey_tick_advance(world), newest = first_block(covey_id(Block))->newest;
    covey_view view = covey_view_make(world, VIEW(.with = { covey_id(Sparse) }));
    covey_view both = covey_view_make(world, VIEW(.with = { covey_id(Sparse), covey_id(Block) },
                                                  .read = { covey_id(Sparse), covey_id(Block) },
                                                  .changed = { covey_id(Sparse), covey_id(Block) }));
    visit_two_parts(&view);
    assert_int_equal(first_block(covey_id(Block))->newest, newest);
    assert_int_equal(first_block(covey_id(Block))->before, covey_tick(world));
    assert_int_equal(first_block(covey_id(Sparse))->before, covey_tick(world));
    assert_true(covey_world_validate(world, NULL));
    assert_int_equal(count_since(&both, before), COUNT);
    covey_patch(world, e[3], Block, NULL, NULL); /* not known for the rest of this tick */
    assert_int_equal(first_block(covey_id(Block))->newest, newest);
    before = covey_tick_advance(world);
    assert_int_equal(count_since(&both, before), 0);
    covey_patch(world, e[3], Block, NULL, NULL);
    assert_int_equal(first_block(covey_id(Block))->newest, (uint64_t)1 << e[3].index % COVEY__BLOCK_IDS);
    assert_int_equal(count_since(&both, before), 1);
    assert_int_equal(count_since(&both, before - 1), COUNT);
    assert_true(covey_world_validate(world, NULL));
}

/* A query since before the last two changes of a block, or between them, finds the same as a query tick by tick. */
static void all_ticks_can_be_asked_for(void **state) {
    (void)state;
    covey_view view = covey_view_make(
        world, VIEW(.with = { covey_id(Block) }, .read = { covey_id(Block) }, .changed = { covey_id(Block) }));
    for (uint32_t i = 0; i < COUNT; i++) give(e[i], covey_id(Block));
    for (uint32_t step = 2; step < 40; step++) {
        covey_tick_advance(world);
        for (uint32_t i = step % 7; i < COUNT; i += step) covey_patch(world, e[i], Block, NULL, NULL);
        for (uint64_t since = 1; since <= covey_tick(world); since++) {
            uint32_t later = 0;
            for (uint32_t i = 0; i < COUNT; i++) {
                uint64_t last = 1;
                for (uint64_t s = 2; s <= step; s++) last = i >= s % 7 && (i - s % 7) % s == 0 ? s : last;
                assert_int_equal(changed_at(e[i], covey_id(Block)), last);
                later += last > since;
            }
            assert_int_equal(count_since(&view, since), later);
        }
    }
    assert_true(covey_world_validate(world, NULL));
}

/* ---- The validator ------------------------------------------------------------------------------------------------*/

static void the_validator_knows(void **state) {
    (void)state;
    fill();
    covey__observers *watch = covey_pool_find(world, Block)->observers, *still;
    covey__ticked first = covey__ticked_at(watch->ticks.at[0], 0);
    BREAK(uint64_t, first.block->latest, 0, "ticks: a change is later than the latest tick of the block");
    BREAK(uint64_t, first.block->whole, 9, "ticks: a change is later than the latest tick of the block");
    BREAK(uint64_t, first.block->before, 9, "ticks: a change is later than the latest tick of the block");
    BREAK(uint64_t, first.ticks[1], 9, "ticks: a change is later than the latest tick of the block");
    BREAK(uint64_t, first.block->latest, 9, "ticks: a block changed after the current tick");
    BREAK(uint64_t, first.block->newest, first.block->newest ^ 2, "ticks: the mask of the newest ids is wrong");
    covey_patch(world, e[1], Block, NULL, NULL);
    BREAK(uint64_t, first.block->before, 0, "ticks: a change is between the last two ticks of the block");
    BREAK(uint64_t, first.ticks[e[0].index], 0, "ticks: a component has no tick");
    assert_int_equal(covey_component_disable(world, e[0], Still), COVEY_OK);
    still = covey_pool_find(world, Still)->observers;
    BREAK(void **, still->ticks.at, watch->ticks.at, "ticks: a type without ticks has pages");
}

static void the_validator_knows_pages(void **state) {
    (void)state;
    covey_entity scattered[2] = { covey_create_at(world, FIRST), covey_create_at(world, FIRST + COVEY__BLOCK_IDS) };
    give(scattered[1], covey_id(Block));
    covey_pool *pool = covey_pool_find(world, Block);
    covey__tick_page *page = pool->observers->ticks.at[FIRST / COVEY__BLOCK_PAGE];
    BREAK(uint64_t, page->there, 0, "ticks: an unused place has a change");
    BREAK(uint64_t, page->there, 3, "ticks: more blocks than places");
    BREAK(uint8_t, page->places[1], 1, "ticks: blocks share a place");
    give(scattered[0], covey_id(Block));
    page = pool->observers->ticks.at[FIRST / COVEY__BLOCK_PAGE];
    if (COVEY__PAGE_BLOCKS > 2) BREAK(uint8_t, page->places[0], page->places[1], "ticks: blocks share a place");
    for (uint32_t i = 2; i < COVEY__PAGE_BLOCKS; i++)
        give(covey_create_at(world, FIRST + i * COVEY__BLOCK_IDS), covey_id(Block));
    page = pool->observers->ticks.at[FIRST / COVEY__BLOCK_PAGE];
    BREAK(uint64_t, page->there, 1, "ticks: a full page lacks a block");
    BREAK(uint8_t, page->places[0], 1, "ticks: a block of a full page is not at its own place");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TICK_TEST(time_starts_at_one_and_goes_on),
        TICK_TEST(verbs_mark),
        TICK_TEST(literals_mark),
        TICK_TEST(many_at_once_mark),
        TICK_TEST(overwriting_drops),
        TICK_TEST(tags_have_ticks),
        TICK_TEST(nothing_is_known_of_others),
        TICK_TEST(what_is_added_again_is_new),
        TICK_TEST(order_and_storage_do_not_matter),
        TICK_TEST(shrinking_returns_pages_without_any),
        TICK_TEST(views_mark_what_they_write),
        TICK_TEST(lists_and_orders_mark),
        TICK_TEST(rows_mark_what_is_asked_for),
        TICK_TEST(masks_are_not_written_where_threads_may_meet),
        TICK_TEST(all_ticks_can_be_asked_for),
        TICK_TEST(changes_of_a_list_are_gathered),
        TICK_TEST(groups_mark_what_they_write),
        TICK_TEST(a_group_that_owns_all_is_still_one_span),
        TICK_TEST(views_find_what_was_changed),
        TICK_TEST(a_reader_sees_each_change_once),
        TICK_TEST(asking_for_a_field_marks_it),
        TICK_TEST(a_writer_of_what_changed),
        TICK_TEST(any_of_several_changes),
        TICK_TEST(views_refuse_what_has_no_ticks),
        TICK_TEST(a_part_of_a_block_is_marked_alone),
        TICK_TEST(questions_mark_nothing),
        TICK_TEST(without_changed_since_is_all),
        TICK_TEST(layouts_differ_by_ticks),
        TICK_TEST(scattered_ids_take_little),
        TICK_TEST(ids_in_blocks_of_their_own_take_2_KB_at_most),
        TICK_TEST(scattered_ids_have_their_ticks),
        TICK_TEST(the_validator_knows),
        TICK_TEST(the_validator_knows_pages),
    };
    for (uint32_t i = 0; i < COUNT_OF(tests); i++) add_test(tests[i]);
    ADD_TRIALS(needing, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(free_ones, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    return run_trials();
}
