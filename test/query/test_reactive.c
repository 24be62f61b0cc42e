/* Reactive sets: which entities are collected, what iterating them gives, and that marking needs no memory. */
#include "memory/inner.h"
#include "hearing.h"

#include <stdio.h>

static covey_entity e[8];
static covey_reactive *set;

typedef Value Other;
COVEY_COMPONENT_DEFINE(Other);

static void begin(const covey_reactive_desc *desc, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) e[i] = covey_create(world);
    set = covey_reactive_create(world, desc);
    assert_non_null(set);
}

/* The indices of the set's members, by spans and by rows, and what it says about each. */
static void assert_collected(const char *words) {
    covey_iter it = covey_reactive_iter(set), rows = covey_reactive_iter(set);
    covey_row row = { 0 };
    char text[128] = "", word[16];
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            covey_entity one = covey_span_entity(&it, i);
            assert_true(covey_next_row(&rows, &row));
            assert_same(covey_row_entity(&rows, row), one);
            assert_true(covey_reactive_contains(set, one));
            covey_entity_print(word, sizeof word, one);
            *strchr(word, ':') = '\0';
            strcat(strcat(text, text[0] ? " " : ""), word);
        }
    assert_false(covey_next_row(&rows, &row));
    assert_string_equal(text, words);
}

static void assert_forgotten(void) {
    covey_reactive_clear(set);
    assert_int_equal(covey_reactive_count(set), 0);
    assert_collected("");
}

static void collect(const covey_type *type) {
    begin(&(covey_reactive_desc){ .added = { type } }, 6);
    Value value = value_of(2);
    add_value(e[1], type, 1);
    add_value(e[4], type, 1);
    assert_collected("1 4");
    assert_int_equal(covey_reactive_count(set), 2);
    assert_forgotten();
    covey_set_raw(world, e[1], type, &value);
    remove_value(e[4], type);
    assert_collected("");
    covey_reactive_destroy(set);
    begin(&(covey_reactive_desc){ .set = { type } }, 0);
    add_value(e[4], type, 1);
    assert_collected("");
    covey_set_raw(world, e[4], type, &value);
    covey_set_raw(world, e[4], type, &value);
    covey_replace_raw(world, e[1], type, &value);
    assert_collected("1 4");
    assert_forgotten();
    covey_patch_raw(world, e[4], type, NULL, NULL);
    assert_collected("4");
    covey_reactive_destroy(set);
    begin(&(covey_reactive_desc){ .removed = { type } }, 0);
    remove_value(e[4], type);
    covey_destroy(world, e[1]); /* does not live on */
    add_value(e[2], type, 1);
    assert_true(covey_add_copies_raw(world, &e[3], 1, type, &value));
    covey_clear_raw(world, type);
    assert_collected("2 3 4");
    covey_destroy(world, e[3]);
    assert_collected("2 4");
    assert_false(covey_reactive_contains(set, e[3]) || covey_reactive_contains(set, e[1]));
    covey_reactive_destroy(set);
}

static void changes_are_collected(void **state) {
    (void)state;
    for_each_storage(collect);
}

/* A new entity with an old index is not in it. */
static void the_dead_leave(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Blocked) } }, 2);
    add_value(e[0], covey_id(Blocked), 1);
    covey_destroy(world, e[0]);
    covey_entity other = covey_create(world);
    assert_int_equal(other.index, e[0].index);
    assert_false(covey_reactive_contains(set, other) || covey_reactive_contains(set, e[0]));
    assert_int_equal(covey_reactive_count(set), 0);
}

/* Also with a listener, which is told of the removal of the entity's components. */
static void the_dead_leave_while_others_listen(void **state) {
    static ear a = { .name = "a" };
    (void)state;
    begin(&(covey_reactive_desc){ .removed = { covey_id(Blocked), covey_id(Packed) } }, 3);
    listen_begin();
    listen(&a, covey_id(Blocked), COVEY_ON_REMOVE);
    for (uint32_t i = 0; i < 3; i++) {
        add_value(e[i], covey_id(Blocked), 1);
        add_value(e[i], covey_id(Packed), 1);
    }
    covey_destroy(world, e[0]);
    assert_told("a-0");
    assert_int_equal(covey_reactive_count(set), 0);
    remove_value(e[1], covey_id(Packed));
    covey_destroy_all(world);
    assert_int_equal(covey_reactive_count(set), 0);
}

static void several_types_and_reasons(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Packed), covey_id(Blocked) },
                                  .set = { covey_id(Packed) },
                                  .removed = { covey_id(Blocked), covey_id(Marked) } },
          6);
    add_value(e[0], covey_id(Packed), 1);
    add_value(e[1], covey_id(Blocked), 1);
    covey_add_tag(world, e[2], Marked);
    add_value(e[5], covey_id(Pinned), 1);
    assert_collected("0 1");
    assert_forgotten();
    covey_set(world, e[0], Packed, { 1, 2 });
    covey_set(world, e[1], Blocked, { 1, 2 });
    covey_remove_raw(world, e[2], covey_id(Marked));
    assert_collected("0 2");
    assert_forgotten();
    covey_clear_components(world); /* what was collected is no component */
    assert_collected("1");
    covey_clear_components(world);
    assert_collected("1");
}

/* Only those that match are iterated, with fields; count and contains are about all. */
static void match_filters(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Blocked) },
                                  .match = { .with = { covey_id(Blocked), covey_id(Packed) },
                                             .optional = { covey_id(Pinned) },
                                             .without = { covey_id(Marked) } } },
          6);
    for (uint32_t i = 0; i < 6; i++) {
        add_value(e[i], covey_id(Blocked), i);
        if (i % 2 == 0) add_value(e[i], covey_id(Packed), 10 + i);
    }
    add_value(e[4], covey_id(Pinned), 40);
    assert_collected("0 2 4");
    assert_int_equal(covey_reactive_count(set), 6);
    assert_true(covey_reactive_contains(set, e[1]));
    covey_add_tag(world, e[2], Marked);
    remove_value(e[0], covey_id(Blocked));
    assert_collected("4");
    covey_iter it = covey_reactive_iter(set);
    assert_true(covey_next(&it));
    assert_int_equal(covey_field(&it, 0, Blocked)->number, 4);
    assert_int_equal(covey_field(&it, 1, Packed)->number, 14);
    assert_int_equal(covey_field(&it, 2, Pinned)->number, 40);
    assert_false(covey_next(&it));
    covey_reactive_destroy(set);
    begin(&(covey_reactive_desc){ .removed = { covey_id(Blocked) },
                                  .match = { .any = { covey_id(Packed), covey_id(Pinned) } } },
          0);
    covey_clear(world, Blocked);
    assert_collected("2 4");
    assert_int_equal(covey_reactive_count(set), 5);
}

/* The row's entity may be changed and destroyed, and marks removed, while rows are visited. */
static void rows_may_change(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Packed) }, .match = { .with = { covey_id(Packed) } } }, 6);
    for (uint32_t i = 0; i < 6; i++) add_value(e[i], covey_id(Packed), i);
    covey_iter it = covey_reactive_iter(set);
    covey_row row = { 0 };
    uint32_t seen = 0;
    while (covey_next_row(&it, &row)) {
        covey_entity one = covey_row_entity(&it, row);
        assert_int_equal(covey_row_field(&it, row, 0, Packed)->number, seen++);
        if (one.index % 3 == 0) covey_destroy(world, one);
        else if (one.index % 3 == 1) covey_remove_raw(world, one, covey_reactive_type(set));
        else covey_set(world, one, Packed, { 7, 7 });
    }
    assert_int_equal(seen, 6);
    assert_collected("2 5");
}

/* The tag is a term as any other. */
static void the_tag_is_a_term(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .set = { covey_id(Blocked) } }, 4);
    const covey_type *tag = covey_reactive_type(set);
    for (uint32_t i = 0; i < 4; i++) add_value(e[i], covey_id(Blocked), i);
    covey_set(world, e[2], Blocked, { 1, 2 });
    covey_view with = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked), tag } });
    covey_view without =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked) }, .without = { tag } });
    assert_true(covey_view_valid(&with) && covey_view_valid(&without));
    assert_int_equal(covey_view_count(&with), 1);
    assert_int_equal(covey_view_count(&without), 3);
    assert_same(covey_view_first(&with), e[2]);
    assert_true(covey_has_raw(world, e[2], tag));
    assert_true(covey_remove_raw(world, e[2], tag));
    assert_int_equal(covey_reactive_count(set), 0);
    const covey_type *types[4];
    covey_set(world, e[2], Blocked, { 1, 2 });
    assert_int_equal(covey_types_of(world, e[2], types, 4), 1); /* it is none of the entity's components */
}

static void ignore(const covey_event *event, void *context) { (void)event, (void)context; }

static void the_tag_is_refused(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .set = { covey_id(Blocked) } }, 1);
    const covey_type *tag = covey_reactive_type(set);
    assert_null(covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Blocked), tag } }));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_null(covey_group_create(world, &(covey_group_desc){ .own = { tag } }));
    assert_failed(COVEY_ERROR_REFUSED);
    covey_listener listener = { .type = tag, .signals = COVEY_ON_ADD, .call = ignore };
    assert_false(covey_connected(world, covey_connect(world, &listener)));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_convert(covey_pool_of_raw(world, tag), COVEY_STORAGE_SPARSE), COVEY_ERROR_REFUSED);
    assert_null(covey_reactive_create(world, &(covey_reactive_desc){ .added = { tag } }));
    assert_failed(COVEY_ERROR_REFUSED);
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of_raw(world, tag), &(covey_order){ 0 }), COVEY_ERROR_REFUSED);
}

static void wrong_descriptions_are_refused(void **state) {
    static const covey_type nameless = { .size = 4, .align = 4 };
    static const covey_type other = { .name = "Packed", .size = 4, .align = 4 };
    (void)state;
    assert_non_null(covey_pool_of(world, Packed));
    assert_null(covey_reactive_create(world, &(covey_reactive_desc){ .added = { &nameless } }));
    assert_failed(COVEY_ERROR_TYPE);
    assert_null(covey_reactive_create(world, &(covey_reactive_desc){ .set = { covey_id(Packed), &other } }));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_null(covey_pool_of(world, Packed)->observers);
    covey_reactive_desc twice = { .match = { .with = { covey_id(Packed), covey_id(Packed) } } };
    assert_null(covey_reactive_create(world, &twice));
    assert_failed(COVEY_ERROR_TYPE);
}

/* Components that existed when the set was made can be marked without memory, and so can later ones. */
static void mark_without_memory(const covey_type *type) {
    covey_entity far[4];
    for (uint32_t i = 0; i < 4; i++) far[i] = covey_create_at(world, 4 + i * 2 * COVEY__BLOCK_PAGE);
    add_value(far[0], type, 1);
    add_value(far[3], type, 1);
    begin(&(covey_reactive_desc){ .set = { type }, .removed = { type } }, 4);
    add_value(far[1], type, 1);
    for (uint32_t i = 0; i < 4; i++) add_value(e[i], type, i);
    covey_compact(world);
    covey_shrink(world);
    test_fail_at(&heap, 1, true);
    Value value = value_of(5);
    assert_non_null(covey_set_raw(world, far[0], type, &value));
    assert_true(remove_value(far[1], type));
    assert_true(remove_value(e[0], type));
    covey_clear_raw(world, type);
    assert_int_equal(covey_reactive_count(set), 7);
    covey_reactive_clear(set);
    assert_null(add_value(far[2], type, 1)); /* what has no place yet */
    assert_failed(COVEY_ERROR_MEMORY);
    test_fail_never(&heap);
    assert_int_equal(covey_reactive_count(set), 0);
    assert_non_null(add_value(far[2], type, 1));
}

static void marking_needs_no_memory(void **state) {
    (void)state;
    for_each_storage(mark_without_memory);
}

/* Its tag is the 65th type or later, so that the marks near entities are wider than those of the component. */
static void many_types_leave_a_place(void **state) {
    (void)state;
    assert_non_null(covey_pool_of(world, Blocked));
    for (uint32_t i = 0; i < 70; i++) {
        char name[] = { 'T', (char)('0' + i / 10), (char)('0' + i % 10), '\0' };
        assert_non_null(covey_type_create(world, &(covey_type){ .name = name }));
    }
    begin(&(covey_reactive_desc){ .removed = { covey_id(Blocked) } }, 1);
    add_value(e[0], covey_id(Blocked), 1);
    test_fail_at(&heap, 1, true);
    assert_true(remove_value(e[0], covey_id(Blocked)));
    test_fail_never(&heap);
    assert_collected("0");
}

/* Clearing a set, compacting and shrinking leave the places that marks will need. */
static void places_stay(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .removed = { covey_id(Blocked) } }, 8);
    for (uint32_t i = 0; i < 8; i++) add_value(e[i], covey_id(Blocked), i);
    remove_value(e[0], covey_id(Blocked));
    covey_reactive_clear(set);
    covey_pool_compact(covey_pool_of_raw(world, covey_reactive_type(set)), NULL, NULL);
    covey_pool_shrink(covey_pool_of_raw(world, covey_reactive_type(set)));
    covey_shrink(world);
    test_fail_at(&heap, 1, true);
    remove_value(e[1], covey_id(Blocked));
    test_fail_never(&heap);
    assert_collected("1");
}

static void sets_are_used_again(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Blocked) } }, 4);
    add_value(e[0], covey_id(Blocked), 1);
    const covey_type *tag = covey_reactive_type(set);
    covey_reactive_destroy(set);
    covey_reactive_destroy(NULL);
    assert_null(covey_pool_of(world, Blocked)->observers);
    assert_false(covey_has_raw(world, e[0], tag));
    uint32_t pools = covey_world_pool_count(world);
    for (uint32_t i = 0; i < 5; i++) {
        begin(&(covey_reactive_desc){ .added = { covey_id(Packed) } }, 0);
        assert_ptr_equal(covey_reactive_type(set), tag);
        assert_int_equal(covey_reactive_count(set), 0);
        add_value(e[i % 4], covey_id(Packed), 1);
        assert_int_equal(covey_reactive_count(set), 1);
        covey_clear(world, Packed);
        covey_reactive_destroy(set);
    }
    assert_int_equal(covey_world_pool_count(world), pools + 1); /* Packed's */
}

static covey_reactive *inner;

static void make_and_end(const covey_event *event) {
    covey_reactive_desc desc = { .added = { event->type }, .removed = { event->type } };
    covey_reactive_destroy(set);
    inner = covey_reactive_create(world, &desc);
    assert_non_null(inner);
    set = covey_reactive_create(world, &desc);
    assert_non_null(add_value(e[1], event->type, 1));
    covey_reactive_destroy(inner);
}

/* A set that is made in a listener collects from the next change on. */
static void make_meanwhile(const covey_type *type) {
    static ear a = { .name = "a", .act = make_and_end };
    begin(&(covey_reactive_desc){ .added = { type } }, 3);
    a.acts = 1;
    listen(&a, type, COVEY_ON_ADD);
    add_value(e[0], type, 1);
    assert_collected("1");
    remove_value(e[0], type);
    assert_collected("0 1");
}

static void sets_may_be_made_and_end_in_a_listener(void **state) {
    (void)state;
    for_each_storage(make_meanwhile);
}

/* Told before all functions. */
static void look(const covey_event *event) {
    listen_note(covey_reactive_contains(set, *event->entities) ? "in" : "out");
}

static void sets_are_told_first(void **state) {
    static ear a = { .name = "a", .act = look };
    (void)state;
    e[0] = covey_create(world);
    a.acts = 2;
    listen_begin();
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    begin(&(covey_reactive_desc){ .added = { covey_id(Packed) } }, 0);
    add_value(e[0], covey_id(Packed), 1);
    covey_reactive_clear(set);
    remove_value(e[0], covey_id(Packed));
    assert_told("a+0 in a-0 out");
}

/* What it has reserved is no waste, and it stays as it is. */
static void advice_leaves_sets_alone(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Blocked) } }, 1);
    add_value(e[0], covey_id(Blocked), 1);
    covey_reactive_clear(set);
    covey_advice advice[4];
    uint32_t count = covey_world_advise(world, advice, 4), found = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (covey_pool_type(advice[i].pool) != covey_reactive_type(set)) continue;
        found++;
        assert_int_equal(advice[i].best, advice[i].storage);
        assert_int_equal(advice[i].best_bytes, advice[i].bytes);
        assert_int_equal(advice[i].uses, 0);
    }
    assert_int_equal(found, 1);
}

/* ---- Who decides --------------------------------------------------------------------------------------------------*/

static uint32_t asked;
static covey_signal signals_asked;

/* Even numbers only; what it is asked about is as a listener would see it. */
static bool is_even(const covey_event *event, void *context) {
    const Value *value = event->values;
    assert_ptr_equal(context, &asked);
    assert_ptr_equal(event->world, world);
    assert_int_equal(event->count, 1);
    assert_ptr_equal(covey_get_raw(world, *event->entities, event->type), value);
    assert_int_equal(value->check, ~value->number);
    signals_asked = event->signal;
    asked++;
    return value->number % 2 == 0;
}

static void decide(const covey_type *type) {
    Value odd = value_of(7), even = value_of(8), values[4];
    asked = 0;
    begin(
        &(covey_reactive_desc){
            .added = { type }, .set = { type }, .removed = { type }, .decide = is_even, .context = &asked },
        6);
    for (uint32_t i = 0; i < 4; i++) values[i] = value_of(i);
    add_value(e[4], type, 1);
    add_value(e[5], type, 2);
    assert_collected("5");
    assert_int_equal(signals_asked, COVEY_ON_ADD);
    assert_true(covey_add_array_raw(world, e, 4, type, values));
    assert_collected("0 2 5");
    covey_set_raw(world, e[4], type, &even);
    covey_set_raw(world, e[5], type, &odd); /* it was collected before, and stays */
    assert_int_equal(signals_asked, COVEY_ON_SET);
    assert_collected("0 2 4 5");
    assert_forgotten();
    covey_patch_raw(world, e[4], type, NULL, NULL);
    assert_int_equal(signals_asked, COVEY_ON_SET);
    covey_patch_raw(world, e[5], type, NULL, NULL);
    assert_collected("4");
    assert_forgotten();
    remove_value(e[4], type);
    remove_value(e[5], type);
    assert_int_equal(signals_asked, COVEY_ON_REMOVE);
    assert_collected("4");
    assert_int_equal(asked, 12);
    covey_reactive_destroy(set);
    covey_clear_raw(world, type);
    assert_int_equal(asked, 12);
}

static void a_function_decides(void **state) {
    (void)state;
    for_each_storage(decide);
}

/* Literals take another way. */
static void a_function_decides_about_literals(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .set = { covey_id(Packed), covey_id(Other) }, .decide = is_even, .context = &asked },
          4);
    for (uint32_t i = 0; i < 4; i++) {
        covey_add(world, e[i], Packed, { 0, ~0u });
        covey_add(world, e[i], Other, { 0, ~0u });
    }
    assert_collected("");
    covey_set(world, e[0], Packed, { 1, ~1u });
    covey_set(world, e[1], Packed, { 2, ~2u });
    covey_set(world, e[2], Other, { 3, ~3u });
    covey_set(world, e[3], Other, { 4, ~4u });
    assert_collected("1 3");
    test_world_is_valid(world);
}

/* ---- Patches, and sources that come later -------------------------------------------------------------------------*/

static void collect_patched(const covey_type *type) {
    Value value = value_of(2);
    asked = 0;
    begin(&(covey_reactive_desc){ .patched = { type }, .decide = is_even, .context = &asked }, 3);
    for (uint32_t i = 0; i < 3; i++) add_value(e[i], type, 2);
    covey_set_raw(world, e[0], type, &value);
    covey_replace_raw(world, e[1], type, &value);
    assert_collected("");
    covey_patch_raw(world, e[2], type, NULL, NULL);
    assert_int_equal(signals_asked, COVEY_ON_PATCH);
    assert_collected("2");
    covey_reactive_destroy(set);
}

static void patches_are_collected_apart(void **state) {
    (void)state;
    for_each_storage(collect_patched);
}

static void listen_later(const covey_type *type) {
    Value value = value_of(2);
    begin(&(covey_reactive_desc){ .added = { type } }, 6);
    add_value(e[1], type, 1);
    assert_int_equal(covey_reactive_listen_raw(set, type, COVEY_ON_SET | COVEY_ON_ADD), COVEY_OK);
    covey_set_raw(world, e[1], type, &value);
    assert_collected("1");
    assert_forgotten();
    covey_patch_raw(world, e[1], type, NULL, NULL);
    assert_collected("1");
    assert_int_equal(covey_add(world, e[2], Other, { 1, ~1u })->number, 1);
    assert_collected("1");
    assert_int_equal(covey_reactive_listen(set, Other, COVEY_ON_REMOVE), COVEY_OK);
    covey_add(world, e[3], Other, { 1, ~1u });
    covey_remove(world, e[2], Other); /* it was there before */
    assert_collected("1 2");
    covey_add_value(world, e[4], Other, &value); /* not added, and not removed */
    covey_remove(world, e[3], Other);
    assert_collected("1 2 3");
    test_world_is_valid(world);
    covey_reactive_destroy(set);
    covey_clear(world, Other);
    assert_null(covey_pool_of(world, Other)->observers);
}

static void sources_come_later(void **state) {
    (void)state;
    for_each_storage(listen_later);
}

static void sixteen_types_are_listened_to(void **state) {
    static char names[COVEY_TERMS][16];
    static covey_type types[COVEY_TERMS];
    covey_reactive_desc desc = { .added = { NULL } };
    (void)state;
    for (uint32_t i = 0; i < COVEY_TERMS; i++) {
        snprintf(names[i], sizeof names[i], "Type %u", i);
        types[i] = (covey_type){ .name = names[i], .size = 4, .align = 4 };
        desc.added[i] = &types[i];
    }
    begin(&desc, 1);
    assert_non_null(covey_add_raw(world, e[0], &types[COVEY_TERMS - 1], &(uint32_t){ 1 }));
    assert_collected("0");
}

/* A program may add marks itself: each once. */
static void marks_that_a_program_adds_count_once(void **state) {
    (void)state;
    for (uint32_t keep = 0; keep < 2; keep++) {
        begin(&(covey_reactive_desc){ .added = { covey_id(Packed) }, .keep_destroyed = keep != 0 }, 3);
        const covey_type *tag = covey_reactive_type(set);
        assert_true(covey_add_raw(world, e[1], tag, NULL));
        assert_false(covey_add_raw(world, e[1], tag, NULL));
        assert_failed(COVEY_ERROR_PRESENT);
        assert_int_equal(covey_reactive_count(set), 1);
        assert_true(covey_destroy(world, e[1]));
        assert_int_equal(covey_reactive_count(set), 0);
    }
}

static void many_entities_are_marked_or_none(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Packed) }, .keep_destroyed = true }, 5);
    const covey_type *tag = covey_reactive_type(set);
    assert_true(covey_add_copies_raw(world, e, 3, tag, NULL));
    assert_collected("0 1 2");
    assert_false(covey_add_copies_raw(world, e + 2, 3, tag, NULL)); /* one is marked */
    assert_failed(COVEY_ERROR_PRESENT);
    covey_destroy(world, e[4]);
    assert_false(covey_add_copies_raw(world, e + 3, 2, tag, NULL)); /* one is dead */
    assert_failed(COVEY_ERROR_DEAD);
    assert_collected("0 1 2");
    e[4] = covey_create_at(world, 5 * COVEY__BLOCK_PAGE);
    for (uint64_t at = 1;; at++) {
        test_fail_at(&heap, at, true);
        bool marked = covey_add_copies_raw(world, e + 3, 2, tag, NULL);
        test_fail_never(&heap);
        assert_int_equal(covey_reactive_count(set), marked ? 5 : 3);
        test_world_is_valid(world);
        if (marked) break;
    }
}

enum { NEIGHBOURS = 200, EXTRA = 12 };

/* What neighbours have beside a component in blocks. */
typedef void company_fn(const covey_entity *all);
static void nothing_else(const covey_entity *all) { (void)all; }
static void a_set(const covey_entity *all) {
    (void)all;
    set = covey_reactive_create(world, &(covey_reactive_desc){ .set = { covey_id(Blocked) } });
    assert_non_null(set);
}
static void a_set_with_a_mark(const covey_entity *all) {
    a_set(all);
    covey_set(world, all[100], Blocked, { 7, ~7u });
}
static void a_sparse_component(const covey_entity *all) {
    for (uint32_t i = 0; i < NEIGHBOURS; i += 2) add_value(all[i], covey_id(Packed), i);
}
static void many_components(const covey_entity *all) {
    static char names[EXTRA][16];
    static covey_type types[EXTRA];
    for (uint32_t k = 0; k < EXTRA; k++) {
        snprintf(names[k], sizeof names[k], "Extra %u", k);
        types[k] = (covey_type){ .name = names[k], .size = 4, .align = 4 };
        for (uint32_t i = 0; i < NEIGHBOURS; i++) assert_non_null(covey_add_raw(world, all[i], &types[k], &i));
    }
}

static void neighbours_are_destroyed_one_by_one(void **state) {
    static company_fn *const companies[] = { nothing_else, a_set, a_set_with_a_mark, a_sparse_component,
                                             many_components };
    for (uint32_t k = 0; k < COUNT_OF(companies); k++) {
        covey_entity all[NEIGHBOURS];
        world_teardown(state);
        assert_int_equal(world_setup(state), 0);
        assert_true(covey_create_many(world, all, NEIGHBOURS));
        for (uint32_t i = 0; i < NEIGHBOURS; i++) add_value(all[i], covey_id(Blocked), i);
        companies[k](all);
        for (uint32_t i = 0; i < NEIGHBOURS; i++) {
            assert_true(covey_destroy(world, all[i]));
            if (i % 37 == 0) test_world_is_valid(world);
        }
        assert_int_equal(covey_entity_count(world), 0);
        assert_int_equal(covey_pool_count(covey_pool_find(world, Blocked)), 0);
    }
}

static void wrong_sources_are_refused(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Packed) } }, 1);
    const covey_type *tag = covey_reactive_type(set);
    covey_type broken = { .name = "broken", .size = 3, .align = 2 };
    assert_int_equal(covey_reactive_listen(set, Other, 0), COVEY_ERROR_RANGE);
    assert_failed(COVEY_ERROR_RANGE);
    assert_int_equal(covey_reactive_listen(set, Other, COVEY_ON_ADD | COVEY_ON_DESTROY), COVEY_ERROR_RANGE);
    static const covey_type nameless = { .size = 4, .align = 4 };
    assert_int_equal(covey_reactive_listen_raw(set, &nameless, 0), COVEY_ERROR_RANGE);
    assert_non_null(strstr(heard.text, "a type without a name"));
    assert_int_equal(covey_reactive_listen_raw(set, tag, COVEY_ON_ADD), COVEY_ERROR_REFUSED);
    assert_failed(COVEY_ERROR_REFUSED);
    assert_int_equal(covey_reactive_listen_raw(set, &broken, COVEY_ON_ADD), COVEY_ERROR_TYPE);
    assert_failed(COVEY_ERROR_TYPE);
    add_value(e[0], covey_id(Packed), 1);
    assert_collected("0");
}

/* ---- The destroyed ------------------------------------------------------------------------------------------------*/

static void assert_destroyed(const char *words) {
    const covey_entity *handles;
    uint32_t count = covey_reactive_destroyed(set, &handles);
    char text[128] = "", word[24];
    for (uint32_t i = 0; i < count; i++) {
        assert_false(covey_alive(world, handles[i]));
        assert_false(covey_reactive_contains(set, handles[i]));
        covey_entity_print(word, sizeof word, handles[i]);
        *strchr(word, ':') = '\0';
        strcat(strcat(text, text[0] ? " " : ""), word);
    }
    assert_string_equal(text, words);
}

static void keep(const covey_type *type) {
    Value value = value_of(2);
    begin(&(covey_reactive_desc){ .set = { type }, .removed = { covey_id(Other) }, .keep_destroyed = true }, 8);
    for (uint32_t i = 0; i < 6; i++) add_value(e[i], type, i);
    covey_set_raw(world, e[2], type, &value);
    covey_set_raw(world, e[1], type, &value);
    covey_set_raw(world, e[5], type, &value);
    covey_add(world, e[3], Other, { 1, ~1u });
    assert_collected("1 2 5");
    assert_destroyed("");
    covey_destroy(world, e[2]);
    covey_destroy(world, e[0]); /* nothing has happened to it */
    covey_destroy(world, e[3]); /* loses what the set asks for */
    assert_collected("1 5");
    assert_destroyed("2 3");
    assert_int_equal(covey_destroy_many(world, &e[4], 2), 2);
    covey_entity again = covey_create(world); /* takes one of the indices */
    add_value(again, type, 1);
    covey_set_raw(world, again, type, &value);
    assert_destroyed("2 3 5");
    assert_true(covey_reactive_contains(set, again));
    test_world_is_valid(world);
    assert_forgotten();
    assert_destroyed("");
    covey_set_raw(world, e[1], type, &value);
    remove_value(e[1], type); /* marked, and without a component of a source */
    assert_true(covey_has_raw(world, e[1], covey_reactive_type(set)));
    covey_add_raw(world, e[6], covey_reactive_type(set), NULL); /* by hand */
    covey_remove_raw(world, e[6], covey_reactive_type(set));
    covey_destroy(world, e[6]);
    covey_add_raw(world, e[7], covey_reactive_type(set), NULL);
    covey_destroy_all(world);
    assert_destroyed("7 1");
    covey_reactive_destroy(set);
    assert_int_equal(world->inner->heard, 0);
}

static void the_destroyed_are_kept(void **state) {
    (void)state;
    for_each_storage(keep);
}

static void the_destroyed_are_not_kept_unless_asked_for(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .added = { covey_id(Packed) } }, 1);
    const covey_entity *handles = e;
    add_value(e[0], covey_id(Packed), 1);
    covey_destroy(world, e[0]);
    assert_int_equal(covey_reactive_destroyed(set, &handles), 0);
    assert_null(handles);
}

/* Whatever happened before, destroying needs no memory. */
static void destroying_needs_no_memory_for_handles(void **state) {
    (void)state;
    Value value = value_of(1);
    static covey_entity many[300];
    for (uint32_t i = 0; i < 100; i++) add_value(many[i] = covey_create(world), covey_id(Packed), i);
    begin(
        &(covey_reactive_desc){ .set = { covey_id(Packed) }, .removed = { covey_id(Packed) }, .keep_destroyed = true },
        0);
    for (uint32_t round = 0; round < 3; round++) {
        for (uint32_t i = round * 100; i < round * 100 + 100; i++) {
            if (round != 0) add_value(many[i] = covey_create(world), covey_id(Packed), i);
            if (i % 3 == 0) covey_set_raw(world, many[i], covey_id(Packed), &value);
            if (i % 5 == 0) remove_value(many[i], covey_id(Packed));
        }
        uint64_t calls = heap.calls;
        for (uint32_t i = round * 100; i < round * 100 + 100; i++) assert_true(covey_destroy(world, many[i]));
        assert_int_equal(heap.calls, calls);
        test_world_is_valid(world);
    }
    const covey_entity *handles;
    assert_int_equal(covey_reactive_destroyed(set, &handles), 300);
    for (uint32_t i = 0; i < 300; i++) assert_same(handles[i], many[i]);
}

static void a_set_about_nothing(void **state) {
    (void)state;
    begin(&(covey_reactive_desc){ .match = { .with = { covey_id(Packed) } } }, 1);
    add_value(e[0], covey_id(Packed), 1);
    assert_int_equal(covey_reactive_count(set), 0);
    assert_collected("");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(changes_are_collected),
        WORLD_TEST(the_dead_leave),
        WORLD_TEST(the_dead_leave_while_others_listen),
        WORLD_TEST(several_types_and_reasons),
        WORLD_TEST(match_filters),
        WORLD_TEST(rows_may_change),
        WORLD_TEST(the_tag_is_a_term),
        WORLD_TEST(the_tag_is_refused),
        WORLD_TEST(wrong_descriptions_are_refused),
        WORLD_TEST(marking_needs_no_memory),
        WORLD_TEST(many_types_leave_a_place),
        WORLD_TEST(places_stay),
        WORLD_TEST(sets_are_used_again),
        WORLD_TEST(sets_may_be_made_and_end_in_a_listener),
        WORLD_TEST(sets_are_told_first),
        WORLD_TEST(advice_leaves_sets_alone),
        WORLD_TEST(a_function_decides),
        WORLD_TEST(a_function_decides_about_literals),
        WORLD_TEST(patches_are_collected_apart),
        WORLD_TEST(sources_come_later),
        WORLD_TEST(wrong_sources_are_refused),
        WORLD_TEST(sixteen_types_are_listened_to),
        WORLD_TEST(marks_that_a_program_adds_count_once),
        WORLD_TEST(many_entities_are_marked_or_none),
        WORLD_TEST(neighbours_are_destroyed_one_by_one),
        WORLD_TEST(the_destroyed_are_kept),
        WORLD_TEST(the_destroyed_are_not_kept_unless_asked_for),
        WORLD_TEST(destroying_needs_no_memory_for_handles),
        WORLD_TEST(a_set_about_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
