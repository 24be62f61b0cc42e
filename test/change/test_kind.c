/* Kinds: which indices entities get that are created with components. */
#include "change/kind.h"
#include "fixture.h"

#include <covey/commands.h>
#include <stdio.h>

#define WORD COVEY__TABLE_WORD
#define LEAST COVEY_KIND_LEAST

/* Where an index is used only twice, tests that use indices again and again have no meaning. */
static const bool lasts = COVEY_GENERATION_BITS > 8;

static covey_entity create_a(void) { return covey_create_with(world, covey_with(Blocked, { 1, 2 })); }

static covey_entity create_b(void) {
    return covey_create_with(world, covey_with(Blocked, { 1, 2 }), covey_with(Packed, { 3, 4 }));
}

static uint32_t word_of(covey_entity e) { return e.index / WORD; }

/* Makes entities with Blocked a kind. Returns its first entity: the others have common indices. */
static covey_entity begin_kind(void) {
    for (uint32_t i = 0; i < LEAST; i++) create_a();
    return create_a();
}

static void start_with(covey_world_desc desc) {
    covey_world_destroy(world);
    world = covey_world_create(&desc);
    assert_non_null(world);
}

static void start_in_order(void) {
    covey_world_desc desc = world_desc();
    desc.ids_in_order = true;
    start_with(desc);
}

/* ---- Which indices ------------------------------------------------------------------------------------------------*/

static void test_two_kinds_that_are_created_in_turn_have_words_of_their_own(void **state) {
    (void)state;
    enum { EACH = LEAST + 4 * WORD };
    static covey_entity a[EACH], b[EACH];
    for (uint32_t i = 0; i < EACH; i++) {
        a[i] = create_a();
        b[i] = create_b();
    }
    for (uint32_t i = LEAST; i < EACH; i++)
        for (uint32_t k = LEAST; k < EACH; k++) assert_int_not_equal(word_of(a[i]), word_of(b[k]));
    for (uint32_t i = LEAST + 1; i < EACH; i++) assert_true(a[i].index > a[i - 1].index); /* without gaps in a word */
    assert_int_equal(a[LEAST].index % WORD, 0);
    assert_int_equal(a[LEAST + WORD - 1].index, a[LEAST].index + WORD - 1);
}

static void test_few_entities_share_words(void **state) {
    (void)state;
    for (uint32_t i = 0; i < LEAST; i++) {
        assert_int_equal(create_a().index, 3 * i);
        assert_int_equal(create_b().index, 3 * i + 1);
        assert_int_equal(covey_create(world).index, 3 * i + 2);
    }
    assert_int_equal(create_a().index % WORD, 0);
}

static void test_entities_with_a_tag_more_are_another_kind(void **state) {
    (void)state;
    covey_entity first = begin_kind(), last = first;
    for (uint32_t i = 0; i <= LEAST; i++)
        last = covey_create_with(world, covey_with(Blocked, { 1, 2 }), covey_with_tag(Marked));
    assert_int_not_equal(word_of(last), word_of(first));
    assert_int_equal(last.index % WORD, 0);
}

/* The order in which types are listed, and which call creates, make no difference. */
static void test_all_calls_know_a_kind(void **state) {
    (void)state;
    covey_entity e = { 0, 0 }, made[2];
    for (uint32_t i = 0; i <= LEAST; i++) e = create_b();
    uint32_t next = e.index + 1;
    e = covey_create_with(world, covey_with(Packed, { 3, 4 }), covey_with(Blocked, { 1, 2 }));
    assert_int_equal(e.index, next);
    Value values[2] = { { 1, 2 }, { 3, 4 } };
    assert_true(
        covey_create_many_with(world, made, 1, covey_with_array(Packed, values), covey_with_array(Blocked, values)));
    assert_int_equal(made[0].index, next + 1);
    assert_true(covey_clone(world, e, made, 1));
    assert_int_equal(made[0].index, next + 2);
    covey_entity late = covey_create(world); /* its components decide, not how it was created */
    add_value(late, covey_id(Blocked), 1);
    add_value(late, covey_id(Packed), 1);
    assert_int_not_equal(word_of(late), word_of(e));
    assert_true(covey_clone(world, late, made, 1));
    assert_int_equal(made[0].index % WORD, (next + 3) % WORD);
}

/* One call that creates enough entities has a kind from the first on, and words that follow each other. */
static void test_many_entities_of_one_call_are_a_kind_at_once(void **state) {
    (void)state;
    enum { MANY = 8 * WORD };
    static covey_entity made[MANY];
    covey_entity plain = covey_create(world);
    assert_true(covey_create_many_with(world, made, MANY, covey_with_default(Blocked)));
    assert_int_equal(made[0].index % WORD, 0);
    assert_int_not_equal(word_of(made[0]), word_of(plain));
    for (uint32_t i = 1; i < MANY; i++) assert_int_equal(made[i].index, made[0].index + i);
    assert_int_equal(covey_create(world).index, plain.index + 1);
}

static void test_entities_without_kinds_use_common_words_only(void **state) {
    (void)state;
    uint32_t kind = word_of(begin_kind());
    covey_entity many[3 * WORD];
    assert_true(covey_create_many(world, many, 3 * WORD));
    for (uint32_t i = 0; i < 3 * WORD; i++) assert_int_not_equal(word_of(many[i]), kind);
    for (uint32_t i = 0; i < 3 * WORD; i++) assert_int_not_equal(word_of(covey_create(world)), kind);
}

static void test_a_world_with_ids_in_order_has_no_kinds(void **state) {
    (void)state;
    start_in_order();
    covey_entity clone;
    for (uint32_t i = 0; i < 3 * WORD; i += 3) {
        covey_entity e = create_a();
        assert_int_equal(e.index, i);
        assert_int_equal(create_b().index, i + 1);
        assert_true(covey_clone(world, e, &clone, 1));
        assert_int_equal(clone.index, i + 2);
    }
    covey_world *twin = covey_world_clone(world, NULL), *first = world;
    world = twin;
    for (uint32_t i = 0; i < 2 * LEAST; i++) assert_int_equal(create_a().index, 3 * WORD + i);
    world = first;
    covey_world_destroy(twin);
}

/* ---- How many types -----------------------------------------------------------------------------------------------*/

enum { TYPES = COVEY__KIND_TYPES + 1 };
static covey_type types[TYPES];
static char names[TYPES][8];

static void name_types(void) {
    for (uint32_t i = 0; i < TYPES; i++) {
        snprintf(names[i], sizeof names[i], "T%u", i);
        types[i] = (covey_type){ .name = names[i], .size = 4, .align = 4 };
    }
}

static covey_entity create_with_types(uint32_t count) {
    covey_entity e = covey_create(world);
    for (uint32_t i = 0; i < count; i++) assert_non_null(covey_add_raw(world, e, &types[i], NULL));
    return e;
}

static uint32_t next_common_index(void) {
    covey_entity e = covey_create(world);
    covey_destroy(world, e);
    return e.index;
}

static void test_32_types_are_a_kind_and_33_are_none(void **state) {
    (void)state;
    name_types();
    covey_entity clones[LEAST + 1], e = create_with_types(COVEY__KIND_TYPES);
    assert_true(covey_clone(world, e, clones, LEAST + 1));
    assert_int_equal(clones[0].index % WORD, 0);
    uint32_t kind = word_of(clones[0]);
    e = create_with_types(COVEY__KIND_TYPES + 1);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t next = next_common_index();
        assert_int_not_equal(next / WORD, kind);
        assert_true(covey_clone(world, e, clones, LEAST + 1));
        assert_int_equal(clones[0].index, next);
    }
}

/* An entity for each of many sets of types: the memory of such a world. */
static size_t memory_of_sets(uint32_t sets) {
    static const uint32_t zero[1];
    name_types();
    for (uint32_t set = 1; set <= sets; set++) {
        covey_component components[COVEY_TERMS + 1] = { { 0 } };
        covey_entity e;
        uint32_t count = 0;
        for (uint32_t i = 0; i < 14; i++)
            if ((set >> i & 1) != 0) components[count++] = (covey_component){ .type = &types[i], .values = zero };
        assert_true(covey_create_many_with_raw(world, &e, 1, components));
        assert_int_equal(e.index, set - 1);
    }
    return covey_world_memory(world);
}

static void test_ten_thousand_sets_of_types_with_an_entity_each_make_no_kind(void **state) {
    (void)state;
    uint32_t sets = COVEY_NONE > 10000 ? 10000 : COVEY_NONE / 2;
    size_t with = memory_of_sets(sets);
    start_in_order();
    size_t without = memory_of_sets(sets);
    assert_true(with <= without + without / 50);
}

/* ---- Failures -----------------------------------------------------------------------------------------------------*/

static uint32_t count_towards_a(void) {
    covey__kind_key key = covey__kind_key_none();
    covey__kind_key_add(&key, covey_pool_of(world, Blocked));
    return covey__created_so_far(world->inner->kinds, &key);
}

/* One allocation fails after the other, until the call succeeds. What counted towards a kind before is as it was. */
static void fail_to_make(bool (*make)(covey_entity like), covey_entity like) {
    uint32_t counted = count_towards_a(), failures = 0;
    for (bool made = false; !made; failures += !made) {
        test_fail_at(&heap, failures + 1, false);
        made = make(like);
        test_fail_never(&heap);
        if (!made) assert_failed(COVEY_ERROR_MEMORY);
        assert_int_equal(count_towards_a(), counted);
        test_world_is_valid(world);
    }
    assert_true(failures != 0);
}

static bool make_no_clones(covey_entity like) {
    covey_entity clone;
    return covey_clone(world, like, &clone, 0);
}

static bool make_clones(covey_entity like) {
    static covey_entity clones[2 * WORD];
    return covey_clone(world, like, clones, 2 * WORD);
}

static bool make_without_components(covey_entity like) {
    (void)like;
    return !covey_is_null(covey_create_with_raw(world, &(covey_component){ 0 }));
}

static bool make_other(covey_entity like) {
    (void)like;
    return !covey_is_null(create_b());
}

static void test_failures_take_no_entity_from_a_count(void **state) {
    (void)state;
    name_types();
    covey_queue *queue = covey_queue_create(world);
    covey_entity many = create_with_types(COVEY__KIND_TYPES + 1), first = create_a();
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .queue = queue });
    for (uint32_t i = 1; i < LEAST; i++) create_a();
    assert_int_equal(count_towards_a(), LEAST);
    fail_to_make(make_no_clones, first);
    fail_to_make(make_clones, many);
    fail_to_make(make_without_components, first);
    fail_to_make(make_other, first);
    covey_entity e = create_a();
    assert_int_equal(e.index % WORD, 0);
    assert_true(e.index >= LEAST);
    covey_queue_destroy(queue);
}

/* A kind keeps a part of its count, for the case that it ends. */
static void test_failures_do_not_change_the_count_of_a_kind(void **state) {
    (void)state;
    name_types();
    covey_entity many = create_with_types(COVEY__KIND_TYPES + 1), first = create_a();
    for (uint32_t i = 1; i < LEAST; i++) create_a();
    covey_entity of_kind = create_a();
    assert_int_equal(count_towards_a(), COVEY__KIND_KEPT);
    fail_to_make(make_no_clones, first);
    fail_to_make(make_clones, many);
    covey_destroy(world, of_kind);
    assert_int_equal(covey_world_kinds(world, NULL, 0), 0);
    assert_int_equal(count_towards_a(), COVEY__KIND_KEPT);
    create_a();
    assert_int_equal(covey_world_kinds(world, NULL, 0), 0);
}

/* Entities that could not be made do not count, and those that count are as many as were made. */
static void test_only_what_was_made_counts(void **state) {
    (void)state;
    covey_entity first = covey_create(world), clone;
    assert_non_null(covey_add(world, first, Blocked, { 1, 2 }));
    for (uint32_t i = 1; i <= LEAST; i++) {
        uint32_t failures = 0;
        for (bool made = false; !made; failures += !made) {
            test_fail_at(&heap, failures + 1, false);
            made = i % 2 == 0 ? covey_clone(world, first, &clone, 1) : !covey_is_null(create_a());
            test_fail_never(&heap);
            assert_int_equal(world->inner->kinds && world->inner->kinds->candidates ? count_towards_a() : 0,
                             made ? i : i - 1);
        }
    }
}

/* ---- Freed indices ------------------------------------------------------------------------------------------------*/

static void test_freed_indices_are_used_again_by_their_kind(void **state) {
    (void)state;
    covey_entity e[2 * WORD];
    e[0] = begin_kind();
    for (uint32_t i = 1; i < 2 * WORD; i++) e[i] = create_a();
    static const uint32_t freed[] = { 3, 1, WORD + 2, 2 };
    for (uint32_t i = 0; i < COUNT_OF(freed); i++) covey_destroy(world, e[freed[i]]);
    assert_int_not_equal(word_of(covey_create(world)), word_of(e[0]));
    static const uint32_t lowest_first[] = { 1, 2, 3, WORD + 2 };
    for (uint32_t i = 0; i < COUNT_OF(freed); i++) assert_int_equal(create_a().index, e[lowest_first[i]].index);
}

static void test_words_are_common_again_without_entities(void **state) {
    (void)state;
    covey_entity first = begin_kind(), e[WORD];
    e[0] = first;
    for (uint32_t i = 1; i < WORD; i++) e[i] = create_a();
    for (uint32_t i = 0; i < WORD; i++) {
        while (covey_create(world).index < first.index) {
        } /* what is lower */
        assert_true(covey_destroy(world, e[WORD - 1 - i]));
    }
    covey_entity next = covey_create(world);
    assert_int_equal(next.index, first.index);
    for (uint32_t i = COVEY__KIND_KEPT; i < LEAST; i++) /* the kind is forgotten, and soon begins again */
        assert_int_equal(create_a().index, next.index + 1 + i - COVEY__KIND_KEPT);
    assert_int_equal(create_a().index % WORD, 0);
}

static void test_an_entity_that_was_created_at_an_index_of_a_kind(void **state) {
    (void)state;
    covey_entity first = begin_kind(), exact = entity(first.index + 2, 3);
    covey_entity at = covey_create_at(world, first.index + 1);
    assert_true(covey_create_exact(world, &exact, 1, COVEY_EXACT_NEW));
    assert_int_equal(create_a().index, first.index + 3);
    covey_destroy(world, entity(first.index + 3, 1));
    covey_destroy(world, first);
    covey_destroy(world, exact);
    covey_entity again = create_a(); /* `at` keeps the word with its kind */
    assert_int_equal(again.index, first.index);
    covey_destroy(world, at);
    test_world_is_valid(world);
}

static void test_compaction_makes_free_words_common(void **state) {
    (void)state;
    if (COVEY__TABLE_WORDS < 4) skip();
    covey_entity e[4 * WORD];
    assert_true(covey_create_many_with(world, e, 4 * WORD, covey_with_default(Blocked)));
    assert_int_equal(covey_destroy_many(world, e + WORD, WORD), WORD);
    assert_int_equal(covey_create(world).index, 4 * WORD);
    covey_compact(world);
    assert_int_equal(covey_create(world).index, WORD);
    for (uint32_t i = 0; i < WORD; i++) assert_true(create_a().index > 4 * WORD); /* another extent */
}

/* Some of each kind are destroyed, and as many created: the table stays about as long as it was. */
static void test_churn_does_not_grow_the_table(void **state) {
    (void)state;
    enum { ALIVE = 3000, ROUNDS = 300, SOME = 300 };
    static covey_entity e[ALIVE];
    if (!lasts || COVEY_NONE < 10 * ALIVE) skip();
    uint32_t random = 7, highest = 0;
    for (uint32_t i = 0; i < ALIVE; i++) e[i] = i % 3 == 0 ? create_a() : i % 3 == 1 ? create_b() : covey_create(world);
    for (uint32_t round = 0; round < ROUNDS; round++)
        for (uint32_t i = 0; i < SOME; i++) {
            random = random * 1664525 + 1013904223;
            covey_entity *one = &e[(random >> 8) % ALIVE];
            covey_destroy(world, *one);
            *one = (random >> 4) % 3 == 0 ? create_a() : (random >> 4) % 3 == 1 ? create_b() : covey_create(world);
        }
    for (uint32_t i = 0; i < ALIVE; i++)
        if (e[i].index > highest) highest = e[i].index;
    assert_true(highest < 2 * ALIVE);
}

/* ---- Ranges -------------------------------------------------------------------------------------------------------*/

static void test_kinds_begin_at_the_first_index(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    desc.first_index = 2 * WORD + 1;
    start_with(desc);
    covey_entity first = begin_kind();
    assert_true(first.index >= 3 * WORD && first.index % WORD == 0);
    for (uint32_t i = 0; i < 4 * WORD; i++) assert_true(create_a().index > first.index);
}

static void test_kinds_leave_reserved_ranges_alone(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(world, 4 * WORD + 1, WORD);
    begin_kind();
    for (uint32_t i = 0; i < 8 * WORD; i++) {
        uint32_t index = create_a().index;
        assert_true(index < range.first || index - range.first >= range.count);
    }
    for (uint32_t i = 0; i < range.count; i++) assert_int_equal(covey_create_in(world, range).index, range.first + i);
}

/* The indices of a word of a kind that were never used may be reserved. */
static void test_a_range_gets_its_indices_from_a_kind(void **state) {
    (void)state;
    covey_entity first = begin_kind();
    covey_range range = covey_range_reserve(world, first.index + 2, WORD - 1); /* and one of the next word */
    assert_int_equal(range.count, WORD - 1);
    for (uint32_t i = 0; i < 2 * WORD; i++) {
        assert_true(create_a().index - range.first >= range.count);
        assert_true(covey_create(world).index - range.first >= range.count);
    }
    assert_non_null(covey_get(world, first, Blocked));
    for (uint32_t i = 0; i < range.count; i++) assert_int_equal(covey_create_in(world, range).index, range.first + i);
    assert_no_entity(covey_create_in(world, range));
}

/* ---- All indices --------------------------------------------------------------------------------------------------*/

/* Creates entities until there are no more indices: each was issued once. */
static void exhaust(covey_entity (*create)(uint32_t i)) {
    static bool seen[1 << 12];
    uint32_t before = covey_entity_count(world);
    memset(seen, 0, sizeof seen);
    for (uint32_t i = 0;; i++) {
        covey_entity e = create(i);
        if (covey_is_null(e)) break;
        assert_false(seen[e.index]);
        seen[e.index] = true;
    }
    assert_failed(COVEY_ERROR_FULL);
    assert_true(before < COVEY_NONE);
    assert_int_equal(covey_entity_count(world), COVEY_NONE);
}

static covey_entity create_in_turn(uint32_t i) { return i % 2 == 0 ? create_a() : create_b(); }
static covey_entity create_plain(uint32_t i) { return (void)i, covey_create(world); }
static covey_entity create_two_kinds(uint32_t i) { return i < COVEY_NONE / 2 ? create_a() : create_b(); }

static void test_all_indices_can_be_used(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS > 12) skip();
    exhaust(create_in_turn);
    start_with(world_desc());
    exhaust(create_two_kinds);
    start_with(world_desc());
    begin_kind();
    exhaust(create_plain); /* those of the kind, too */
    assert_no_entity(create_a());
    start_with(world_desc());
    covey_entity many[COVEY_INDEX_BITS > 12 ? 1 : COVEY_NONE];
    begin_kind();
    assert_true(covey_create_many(world, many, COVEY_NONE - covey_entity_count(world)));
}

static void test_a_call_that_finds_too_few_indices_changes_no_kind(void **state) {
    (void)state;
    if (COVEY_INDEX_BITS > 12) skip();
    covey_entity many[COVEY_INDEX_BITS > 12 ? 1 : COVEY_NONE];
    covey_entity_kind kinds[2];
    covey_entity first = begin_kind();
    uint64_t before = world_digest(world);
    assert_false(covey_create_many(world, many, COVEY_NONE - covey_entity_count(world) + 1));
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(covey_world_kinds(world, kinds, 2), 1);
    assert_int_equal(world_digest(world), before);
    assert_int_equal(word_of(create_a()), word_of(first));
}

/* ---- What it is for -----------------------------------------------------------------------------------------------*/

static double entities_per_span(void) {
    uint32_t spans = 0, entities = 0;
    for (uint32_t i = 0; i < 1000; i++) (void)create_in_turn(i);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Pinned) } });
    for (uint32_t i = 0; i < 1000; i++) {
        if (i % 2 == 0) covey_create_with(world, covey_with(Blocked, { 1, 2 }), covey_with(Pinned, { 1, 2 }));
        else covey_create_with(world, covey_with(Blocked, { 1, 2 }), covey_with_tag(Marked));
    }
    for (covey_iter it = covey_view_iter(&view); covey_next(&it); spans++) entities += it.count;
    assert_int_equal(entities, 500);
    return (double)entities / spans;
}

static void test_spans_of_mixed_worlds_are_long(void **state) {
    (void)state;
    if (COVEY_NONE < 4000) skip();
    assert_true(entities_per_span() > 16);
    start_in_order();
    assert_true(entities_per_span() < 2);
}

/* The blocks of two kinds get their chunks in turn, and those of each kind follow each other all the same. */
static void test_values_of_a_kind_lie_in_rows(void **state) {
    (void)state;
    if (WORD != COVEY__BLOCK_IDS) skip();
    uint32_t longest = 0;
    for (uint32_t i = 0; i < 20 * WORD; i++) {
        create_a();
        create_b();
    }
    covey_view_desc desc = { .with = { covey_id(Blocked) }, .without = { covey_id(Packed) } };
    covey_view only_a = covey_view_make(world, &desc);
    for (covey_iter it = covey_view_iter(&only_a); covey_next(&it);) longest = it.count > longest ? it.count : longest;
    assert_true(longest >= 4 * WORD);
}

/* ---- Recording, describing ----------------------------------------------------------------------------------------*/

static void test_a_buffer_knows_the_types_of_its_entities(void **state) {
    (void)state;
    covey_entity first = begin_kind();
    covey_commands *common = covey_commands_create(world, &(covey_commands_desc){ .entities = 1 });
    covey_commands_desc desc = { .entities = 2, .with = { covey_ids(Blocked) } };
    covey_commands *commands = covey_commands_create(world, &desc);
    assert_non_null(common);
    assert_non_null(commands);
    assert_int_not_equal(word_of(covey_record_create(common)), word_of(first));
    covey_entity e = covey_record_create(commands);
    assert_int_equal(e.index, first.index + 1);
    assert_true(covey_record_add(commands, e, Blocked, { 1, 2 }));
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    assert_true(covey_alive(world, e));
    covey_commands_destroy(commands);
    covey_commands_destroy(common);
    assert_int_equal(create_a().index, first.index + 2); /* the buffer had it ready */
}

static void test_a_buffer_begins_a_kind(void **state) {
    (void)state;
    if (COVEY_NONE < 4000) skip();
    covey_pool_of(world, Blocked);
    covey_commands_desc desc = { .entities = LEAST + 1, .with = { covey_ids(Blocked) } };
    covey_commands *commands = covey_commands_create(world, &desc);
    covey_entity first = covey_record_create(commands);
    assert_int_equal(covey_world_kinds(world, NULL, 0), 1);
    assert_int_equal(first.index % WORD, 0);
    assert_int_not_equal(word_of(covey_create(world)), word_of(first));
    covey_commands_destroy(commands);
    assert_int_equal(covey_world_kinds(world, NULL, 0), 0); /* all its ids are free again */
}

/* The last id of a page is set aside, and then there is no memory for the next page. */
static void test_ids_that_could_not_be_made_ready_do_not_count(void **state) {
    (void)state;
    if (COVEY_NONE < 4000) skip();
    covey__kind_key key = covey__kind_key_none();
    covey__kind_key_add(&key, covey_pool_of(world, Blocked));
    covey_commands *commands = covey_commands_create(world, &(covey_commands_desc){ .with = { covey_ids(Blocked) } });
    while (covey_create(world).index % COVEY_PAGE_SIZE != COVEY_PAGE_SIZE - 2) continue;
    covey_result result = COVEY_ERROR_MEMORY;
    uint32_t failures = 0;
    for (; result != COVEY_OK; failures++) {
        test_fail_at(&heap, failures + 1, false);
        result = covey_commands_reserve(commands, LEAST);
        test_fail_never(&heap);
        const struct covey__kinds *kinds = world->inner->kinds;
        uint32_t counted = kinds && kinds->candidate_count != 0 ? covey__created_so_far(kinds, &key) : 0;
        assert_int_equal(counted, result == COVEY_OK ? LEAST : 0);
        test_world_is_valid(world);
    }
    assert_true(failures > 1);
    covey_commands_destroy(commands);
}

static void test_kinds_are_described(void **state) {
    (void)state;
    covey_entity_kind kinds[2];
    assert_int_equal(covey_world_kinds(world, kinds, 2), 0);
    covey_entity first = begin_kind();
    create_a();
    assert_int_equal(covey_world_kinds(world, kinds, 2), 1);
    assert_int_equal(kinds[0].type_count, 1);
    assert_ptr_equal(kinds[0].types[0], covey_id(Blocked));
    assert_int_equal(kinds[0].first_index, first.index);
    assert_int_equal(kinds[0].blocks, 1);
    assert_int_equal(kinds[0].entities, 2);
    for (uint32_t i = 0; i <= LEAST; i++) create_b();
    assert_int_equal(covey_world_kinds(world, kinds, 1), 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_two_kinds_that_are_created_in_turn_have_words_of_their_own),
        WORLD_TEST(test_few_entities_share_words),
        WORLD_TEST(test_entities_with_a_tag_more_are_another_kind),
        WORLD_TEST(test_all_calls_know_a_kind),
        WORLD_TEST(test_many_entities_of_one_call_are_a_kind_at_once),
        WORLD_TEST(test_entities_without_kinds_use_common_words_only),
        WORLD_TEST(test_a_world_with_ids_in_order_has_no_kinds),
        WORLD_TEST(test_32_types_are_a_kind_and_33_are_none),
        WORLD_TEST(test_ten_thousand_sets_of_types_with_an_entity_each_make_no_kind),
        WORLD_TEST(test_failures_take_no_entity_from_a_count),
        WORLD_TEST(test_failures_do_not_change_the_count_of_a_kind),
        WORLD_TEST(test_only_what_was_made_counts),
        WORLD_TEST(test_freed_indices_are_used_again_by_their_kind),
        WORLD_TEST(test_words_are_common_again_without_entities),
        WORLD_TEST(test_an_entity_that_was_created_at_an_index_of_a_kind),
        WORLD_TEST(test_compaction_makes_free_words_common),
        WORLD_TEST(test_churn_does_not_grow_the_table),
        WORLD_TEST(test_kinds_begin_at_the_first_index),
        WORLD_TEST(test_kinds_leave_reserved_ranges_alone),
        WORLD_TEST(test_a_range_gets_its_indices_from_a_kind),
        WORLD_TEST(test_all_indices_can_be_used),
        WORLD_TEST(test_a_call_that_finds_too_few_indices_changes_no_kind),
        WORLD_TEST(test_spans_of_mixed_worlds_are_long),
        WORLD_TEST(test_values_of_a_kind_lie_in_rows),
        WORLD_TEST(test_a_buffer_knows_the_types_of_its_entities),
        WORLD_TEST(test_a_buffer_begins_a_kind),
        WORLD_TEST(test_ids_that_could_not_be_made_ready_do_not_count),
        WORLD_TEST(test_kinds_are_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
