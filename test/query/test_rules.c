/* The rules of iteration, as assertion level 1 finds them broken: which pool, and which rule. test_rules_2 is the same
 * program, with the library, at level 2, which also finds excluded components of entities still to be visited, and
 * listeners that clear the pool that is being cleared. */
#include "fixture.h"

#include <stdio.h>

#if COVEY_ASSERT_LEVEL < 1
#error "this test is about assertion level 1"
#endif

typedef Value Held;    /* pinned */
typedef Value Base;    /* in blocks, and all entities have it */
typedef Value Outside; /* in no view */
typedef Value Left;    /* these are owned by groups */
typedef Value Right;
typedef Value Third;
typedef Value Fourth;
COVEY_COMPONENT_DEFINE(Held, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(Base);
COVEY_COMPONENT_DEFINE(Outside);
COVEY_COMPONENT_DEFINE(Left, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Right, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Third, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Fourth, .storage = COVEY_STORAGE_SPARSE);

static const covey_type *const types[] = { covey_id(Packed),  covey_id(Fixed),   covey_id(Kept),
                                           covey_id(Ordered), covey_id(Blocked), covey_id(Held) };

/* ---- Alarms -------------------------------------------------------------------------------------------------------*/

static struct {
    char text[256];
    bool expected;
    jmp_buf back;
} alarm;

static void raise_alarm(const char *what, const char *file, int line, void *context) {
    (void)context;
    if (!alarm.expected) fail_msg("%s:%d: %s", file, line, what);
    snprintf(alarm.text, sizeof alarm.text, "%s", what);
    longjmp(alarm.back, 1);
}

typedef void step_fn(void);

/* Runs a step that must break a contract, with a message that begins with these words. */
static void assert_alarm(step_fn *step, const char *words) {
    alarm.text[0] = '\0';
    alarm.expected = true;
    if (setjmp(alarm.back) == 0) step();
    alarm.expected = false;
    if (strncmp(alarm.text, words, strlen(words)) != 0) fail_msg("expected \"%s\", got \"%s\"", words, alarm.text);
}

#define SPAN_RULE "%s changed while a span of the "
#define LOST_RULE "another entity than the row's lost %s while rows of the view of "
#define GOT_RULE "another entity than the row's got %s and is still to be visited by the rows of the view of "
#define ORDER_RULE "%s was cleared, converted or put in another order while rows of the view of "
#define PLACE_RULE "the row's entity moved in the order of %s, which is followed, while rows of the view of "
#define GROUP_PLACE_RULE "the row's entity moved among the members while rows of the group of "
#define DEAD_SPAN_RULE "an entity was destroyed while a span of the view of "
#define DEAD_ROW_RULE "another entity than the row's was destroyed while rows of the view of "
#define GROUP_SPAN_RULE "an entity joined or left while a span of the group of "
#define GROUP_ROW_RULE "another entity than the row's left, or one joined an inner group, while rows of the group of "

static const char *words_about(const covey_type *type, const char *rule) {
    static char words[256];
    snprintf(words, sizeof words, rule, type->name);
    return words;
}

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

enum { COUNT = 12, HOLDERS = 8 };
static covey_entity lone;     /* has nothing but the component that the test is about */
static covey_entity e[COUNT]; /* have Base, and the first ones also that component */
static covey_view view;
static covey_iter it;
static covey_row row;

static int setup(void **state) {
    (void)state;
    heap = (test_heap){ 0 };
    covey_world_desc desc = world_desc();
    desc.on_assert = raise_alarm;
    world = covey_world_create(&desc);
    return world ? 0 : -1;
}
#define RULE_TEST(test) cmocka_unit_test_setup_teardown(test, setup, world_teardown)

static void fill_world(const covey_type *type) {
    lone = create_with(type, 1);
    assert_true(covey_create_many(world, e, COUNT));
    for (uint32_t i = 0; i < COUNT; i++) assert_non_null(add_value(e[i], covey_id(Base), i));
    for (uint32_t i = 0; i < HOLDERS; i++) assert_non_null(add_value(e[i], type, i));
    covey_shrink(world);
}

static void start(covey_view_desc desc) {
    view = covey_view_make(world, &desc);
    assert_true(covey_view_valid(&view));
    it = covey_view_iter(&view);
    row = (covey_row){ 0 };
}

static void step_span(void) { (void)covey_next(&it); }
static void step_row(void) { (void)covey_next_row(&it, &row); }

static void next_world(void) {
    world_teardown(NULL);
    assert_int_equal(setup(NULL), 0);
}

/* ---- Things to do meanwhile ---------------------------------------------------------------------------------------*/

typedef void act_fn(const covey_type *type); /* on the pool of a type */

static void add_to_new(const covey_type *type) { create_with(type, 1); }
static void add_to_old(const covey_type *type) { assert_non_null(add_value(e[COUNT - 1], type, 1)); }
static void add_many(const covey_type *type) {
    covey_entity two[2];
    Value values[2] = { { 1, 1 }, { 2, 2 } };
    assert_true(covey_create_many(world, two, 2));
    assert_true(covey_add_array_raw(world, two, 2, type, values));
}
static void take(const covey_type *type) { assert_true(remove_value(lone, type)); }
static void destroy(const covey_type *type) {
    (void)type;
    assert_true(covey_destroy(world, lone));
}
static void clear(const covey_type *type) { covey_clear_raw(world, type); }
static void compact(const covey_type *type) { covey_pool_compact(covey_pool_of_raw(world, type), NULL, NULL); }
static void shrink(const covey_type *type) { covey_pool_shrink(covey_pool_of_raw(world, type)); }
static void reserve(const covey_type *type) { covey_pool_reserve(covey_pool_of_raw(world, type), 100); }
static void swap(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    uint32_t first = covey_pool_next(pool, 0), second = covey_pool_next(pool, first + 1);
    assert_int_equal(covey_pool_swap(pool, covey_pool_at(pool, first), covey_pool_at(pool, second)), COVEY_OK);
}
static void convert(const covey_type *type) {
    bool sparse = type->storage == COVEY_STORAGE_SPARSE;
    covey_storage other = sparse ? COVEY_STORAGE_BLOCK : COVEY_STORAGE_SPARSE;
    assert_int_equal(covey_pool_convert(covey_pool_of_raw(world, type), other), COVEY_OK);
}
static void run_out_of_memory(const covey_type *type) {
    test_fail_at(&heap, 1, true);
    assert_null(add_value(e[HOLDERS], type, 1));
    test_fail_never(&heap);
}

static bool can_swap(const covey_type *type) {
    return (covey_pool_ids)(covey_pool_of_raw(world, type)) && type->policy != COVEY_IN_PLACE;
}
static bool can_convert(const covey_type *type) { return type == covey_id(Packed) || type == covey_id(Blocked); }
static bool can_move_when_it_fails(const covey_type *type) {
    return (covey_pool_ids)(covey_pool_of_raw(world, type)) != NULL;
}

/* What does not count: writing values, and calls that change nothing. */
static void change(void *value, void *context) {
    (void)context;
    ((Value *)value)->number++;
}
static void write_values(const covey_type *type) {
    Value value = value_of(77);
    get_value(lone, type)->number = 5;
    assert_non_null(covey_set_raw(world, lone, type, &value));
    assert_true(covey_replace_raw(world, lone, type, &value));
    assert_non_null(covey_patch_raw(world, lone, type, change, NULL));
    assert_non_null(covey_get_or_add_raw(world, lone, type, &value));
}
static void fail_to_change(const covey_type *type) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity other = covey_create(world), nobody = { COVEY_NONE, 1 };
    assert_null(add_value(lone, type, 1));
    assert_null(add_value(nobody, type, 1));
    assert_false(remove_value(other, type) || remove_value(nobody, type) || covey_destroy(world, nobody));
    assert_int_not_equal(covey_pool_swap(pool, lone, other), COVEY_OK);
    assert_int_equal(covey_pool_convert(pool, (covey_storage)9), COVEY_ERROR_RANGE);
    assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_DEFAULT), COVEY_OK); /* it is that already */
}
static void change_what_is_outside(const covey_type *type) {
    (void)type;
    covey_entity stranger = create_with(covey_id(Outside), 1);
    create_with(covey_id(Outside), 2);
    assert_true(remove_value(stranger, covey_id(Outside)));
    covey_destroy(world, stranger);
    convert(covey_id(Outside));
    assert_int_equal(covey_pool_convert(covey_pool_of(world, Outside), COVEY_STORAGE_BLOCK), COVEY_OK);
    compact(covey_id(Outside));
    clear(covey_id(Outside));
}
static void create(const covey_type *type) {
    (void)type;
    for (uint32_t i = 0; i < 2 * COVEY_PAGE_SIZE && i < 100; i++) assert_false(covey_is_null(covey_create(world)));
}

/* ---- Spans --------------------------------------------------------------------------------------------------------*/

typedef struct action {
    act_fn *run;
    bool (*possible)(const covey_type *type); /* NULL: with every storage */
} action;

static const action changes[] = {
    { add_to_new, NULL }, { add_to_old, NULL }, { add_many, NULL },       { take, NULL },
    { destroy, NULL },    { clear, NULL },      { compact, NULL },        { shrink, NULL },
    { reserve, NULL },    { swap, can_swap },   { convert, can_convert }, { run_out_of_memory, can_move_when_it_fails },
};
static act_fn *const harmless[] = { write_values, fail_to_change, change_what_is_outside, create };

typedef enum role { WITH, OPTIONAL, ANY, WITHOUT, ROLES } role;

static covey_view_desc desc_with(role part, const covey_type *type) {
    covey_view_desc desc = { .with = { covey_id(Base) } };
    if (part == WITH) desc.with[1] = type;
    if (part == OPTIONAL) desc.optional[0] = type;
    if (part == ANY) desc.any[0] = type;
    if (part == WITHOUT) desc.without[0] = type;
    return desc;
}

static void test_a_pool_that_changes_while_a_span_is_open_is_found(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types) * ROLES * COUNT_OF(changes); i++) {
        const covey_type *type = types[i % COUNT_OF(types)];
        const action *done = &changes[i / COUNT_OF(types) % COUNT_OF(changes)];
        fill_world(type);
        if (!done->possible || done->possible(type)) {
            start(desc_with((role)(i / COUNT_OF(types) / COUNT_OF(changes)), type));
            assert_true(covey_next(&it));
            done->run(type);
            assert_alarm(step_span, words_about(type, SPAN_RULE));
        }
        next_world();
    }
}

static void test_what_changes_no_pool_of_the_view_is_allowed_in_a_span(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types) * ROLES * COUNT_OF(harmless); i++) {
        const covey_type *type = types[i % COUNT_OF(types)];
        role part = (role)(i / COUNT_OF(types) / COUNT_OF(harmless));
        uint32_t rows = 0;
        fill_world(type);
        start(desc_with(part, type));
        while (covey_next(&it)) {
            rows += it.count;
            harmless[i / COUNT_OF(types) % COUNT_OF(harmless)](type);
        }
        assert_int_equal(rows, part == OPTIONAL ? COUNT : part == WITHOUT ? COUNT - HOLDERS : HOLDERS);
        next_world();
    }
}

/* The world meets the type only while the span is open. */
static void test_a_pool_that_is_made_while_a_span_is_open_is_found(void **state) {
    (void)state;
    for (int part = OPTIONAL; part <= WITHOUT; part += WITHOUT - OPTIONAL) {
        fill_world(covey_id(Packed));
        start(desc_with((role)part, covey_id(Ordered)));
        assert_true(covey_next(&it));
        add_to_new(covey_id(Ordered));
        assert_alarm(step_span, words_about(covey_id(Ordered), SPAN_RULE));
        next_world();
    }
}

/* Views that ask for nothing: all entities, also with a term that need not be there. */
static const covey_view_desc all[] = {
    { .with = { NULL } },
    { .optional = { covey_id(Packed) } },
    { .without = { covey_id(Outside) } },
};

static void test_one_that_dies_in_a_span_of_all_is_found(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(all); i++) {
        fill_world(covey_id(Blocked));
        start(all[i]);
        assert_true(covey_next(&it));
        create(NULL);
        while (covey_next(&it)) continue;
        start(all[i]);
        assert_true(covey_next(&it));
        covey_destroy(world, e[COUNT - 1]);
        assert_alarm(step_span, DEAD_SPAN_RULE);
        next_world();
    }
}

static void test_spans_in_the_order_of_a_pool_outside_of_the_view(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        fill_world(types[i]);
        start((covey_view_desc){ .with = { covey_id(Base) } });
        it = covey_view_iter_by(&view, covey_pool_of_raw(world, types[i]));
        assert_true(covey_next(&it));
        add_to_new(types[i]);
        assert_alarm(step_span, words_about(types[i], SPAN_RULE));
        next_world();
    }
}

/* ---- Rows: what is allowed ----------------------------------------------------------------------------------------*/

typedef void visit_fn(covey_entity own, const covey_type *type);

static uint32_t visits[COUNT + 1]; /* of e[i]; the last is for all others */

/* Does something at each of the holders; every one is visited once. */
static void visit_all(covey_view_desc desc, const covey_type *type, visit_fn *act) {
    memset(visits, 0, sizeof visits);
    start(desc);
    while (covey_next_row(&it, &row)) {
        covey_entity own = covey_row_entity(&it, row);
        uint32_t at = 0;
        while (at < COUNT && e[at].index != own.index) at++;
        visits[at]++;
        if (at < HOLDERS) act(own, type);
    }
    for (uint32_t i = 0; i < HOLDERS; i++) assert_int_equal(visits[i], 1);
}

static void lose(covey_entity own, const covey_type *type) { remove_value(own, type); }
static void lose_both(covey_entity own, const covey_type *type) {
    assert_true(remove_value(own, covey_id(Base)) && remove_value(own, type));
}
static void lose_and_regain(covey_entity own, const covey_type *type) {
    assert_true(remove_value(own, type) && add_value(own, type, 9));
    assert_true(remove_value(own, covey_id(Base)) && add_value(own, covey_id(Base), 9));
}
static void die(covey_entity own, const covey_type *type) {
    (void)type;
    assert_true(covey_destroy(world, own));
}
static void get_excluded(covey_entity own, const covey_type *type) {
    (void)type;
    assert_non_null(add_value(own, covey_id(Outside), 1));
}
static void make(covey_entity own, const covey_type *type) {
    (void)own;
    add_value(create_with(type, 1), covey_id(Base), 1);
    covey_entity fresh = create_with(covey_id(Outside), 1);
    assert_true(add_value(fresh, covey_id(Base), 1) && add_value(fresh, type, 1));
}
static void die_and_make(covey_entity own, const covey_type *type) {
    die(own, type);
    make(own, type);
}
/* Where the last one was, which fills the hole, is one that does not match. */
static void die_and_make_excluded(covey_entity own, const covey_type *type) {
    covey_entity fresh = create_with(covey_id(Outside), 1); /* first, so that it has another index */
    die(own, type);
    assert_true(add_value(fresh, covey_id(Base), 1) && add_value(fresh, type, 1));
}
/* Entities that were visited, or never match, lose the excluded component or get it; others get a missing one. */
static void give_to_others(covey_entity own, const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (e[i].index != own.index && (i >= HOLDERS || visits[i] != 0)) {
            remove_value(e[i], covey_id(Outside));
            add_value(e[i], covey_id(Outside), 1);
        }
    if (!get_value(e[COUNT - 1], type)) add_value(e[COUNT - 1], type, 1);
}
static void tidy(covey_entity own, const covey_type *type) {
    (void)own;
    write_values(type);
    fail_to_change(type);
    change_what_is_outside(type);
    shrink(type);
    reserve(type);
    compact(type); /* there are no holes */
    compact(covey_id(Base));
    shrink(covey_id(Base));
}

static void test_what_a_row_may_do(void **state) {
    (void)state;
    static visit_fn *const acts[] = { lose,           lose_both, lose_and_regain, die,
                                      get_excluded,   make,      die_and_make,    die_and_make_excluded,
                                      give_to_others, tidy };
    for (uint32_t i = 0; i < COUNT_OF(types) * COUNT_OF(acts) * 2; i++) {
        const covey_type *type = types[i % COUNT_OF(types)];
        visit_fn *act = acts[i / COUNT_OF(types) % COUNT_OF(acts)];
        covey_view_desc desc = desc_with(i / COUNT_OF(types) / COUNT_OF(acts) != 0 ? ANY : WITH, type);
        if (act != tidy) desc.without[0] = covey_id(Outside);
        fill_world(type);
        visit_all(desc, type, act);
        next_world();
    }
}

static void take_from_another(covey_entity own, const covey_type *type) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (e[i].index != own.index && remove_value(e[i], type)) return;
}

static void test_others_may_lose_what_is_optional_or_excluded(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        fill_world(types[i]);
        visit_all(desc_with(OPTIONAL, types[i]), types[i], take_from_another);
        clear(types[i]);
        for (uint32_t k = HOLDERS; k < COUNT; k++) add_value(e[k], types[i], k);
        visit_all(desc_with(WITHOUT, types[i]), types[i], take_from_another);
        next_world();
    }
}

/* ---- Rows: what is not --------------------------------------------------------------------------------------------*/

static bool keeps_order(const covey_type *type) { return type->policy == COVEY_ORDERED; }

static void test_others_that_lose_what_they_must_have_are_found(void **state) {
    (void)state;
    static const struct {
        action action;
        const char *rule;
    } acts[] = {
        { { take, NULL }, LOST_RULE },
        { { destroy, NULL }, LOST_RULE },
        { { clear, NULL }, ORDER_RULE },
        { { swap, can_swap }, ORDER_RULE },
        { { convert, can_convert }, ORDER_RULE },
        { { compact, keeps_order }, ORDER_RULE },
    };
    for (uint32_t i = 0; i < COUNT_OF(types) * COUNT_OF(acts) * 2; i++) {
        const covey_type *type = types[i % COUNT_OF(types)];
        uint32_t act = i / COUNT_OF(types) % COUNT_OF(acts);
        fill_world(type);
        if (!acts[act].action.possible || acts[act].action.possible(type)) {
            if (acts[act].action.run == compact) remove_value(e[3], type);
            start(desc_with(i / COUNT_OF(types) / COUNT_OF(acts) != 0 ? ANY : WITH, type));
            assert_true(covey_next_row(&it, &row));
            acts[act].action.run(type);
            assert_alarm(step_row, words_about(type, acts[act].rule));
        }
        next_world();
    }
}

static void test_others_are_found_between_changes_of_the_own(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types) * 2; i++) {
        const covey_type *type = types[i / 2];
        fill_world(type);
        start(desc_with(WITH, type));
        assert_true(covey_next_row(&it, &row));
        covey_entity own = covey_row_entity(&it, row);
        if (i % 2 == 0) remove_value(own, type);
        take(type);
        if (i % 2 != 0) remove_value(own, type);
        assert_alarm(step_row, words_about(type, LOST_RULE));
        next_world();
    }
}

static void test_one_that_is_still_to_be_visited_and_gets_what_is_excluded_is_found(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL < 2) skip();
    for (uint32_t i = 0; i < COUNT_OF(types) * 2; i++) {
        const covey_type *type = types[i / 2];
        fill_world(type);
        if (i % 2 == 0) create_with(covey_id(Outside), 1); /* otherwise the world does not know it yet */
        covey_view_desc desc = desc_with(WITH, type);
        desc.without[0] = covey_id(Outside);
        start(desc);
        assert_true(covey_next_row(&it, &row));
        assert_same(covey_row_entity(&it, row), e[0]);
        add_value(e[1], covey_id(Outside), 1);
        assert_alarm(step_row, words_about(covey_id(Outside), GOT_RULE));
        next_world();
    }
}

static void test_another_that_dies_among_rows_of_all_is_found(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(all); i++) {
        fill_world(covey_id(Blocked));
        start(all[i]);
        assert_true(covey_next_row(&it, &row));
        covey_destroy(world, e[COUNT - 1]);
        assert_alarm(step_row, DEAD_ROW_RULE);
        visit_all(all[i], NULL, die);
        next_world();
    }
}

/* ---- Rows in the order of a pool ----------------------------------------------------------------------------------*/

static void start_by(const covey_type *type) {
    fill_world(type);
    start((covey_view_desc){ .with = { covey_id(Base) } });
    it = covey_view_iter_by(&view, covey_pool_of_raw(world, type));
    assert_true(covey_next_row(&it, &row));
}

static void test_nobody_but_the_row_leaves_a_pool_whose_order_is_asked_for(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        start_by(types[i]);
        take(types[i]);
        assert_alarm(step_row, words_about(types[i], LOST_RULE));
        next_world();
        start_by(types[i]);
        remove_value(covey_row_entity(&it, row), types[i]);
        step_row();
        next_world();
        start_by(types[i]);
        add_to_new(types[i]);
        step_row();
        next_world();
    }
}

/* A row keeps its entity when another one takes the place of it. */
static void test_a_row_whose_entity_has_left_the_pool_that_is_followed(void **state) {
    (void)state;
    static const covey_type *const moving[] = { covey_id(Packed), covey_id(Kept) };
    for (uint32_t i = 0; i < COUNT_OF(moving); i++) {
        fill_world(moving[i]);
        start(desc_with(WITH, moving[i]));
        for (uint32_t k = 0; k < 3; k++) assert_true(covey_next_row(&it, &row));
        covey_entity own = covey_row_entity(&it, row);
        remove_value(own, moving[i]);
        assert_same(covey_row_entity(&it, row), own);
        assert_true(covey_next_row(&it, &row));
        assert_false(covey_same(covey_row_entity(&it, row), own));
        next_world();
    }
}

/* ---- Nested -------------------------------------------------------------------------------------------------------*/

/* Takes something from each third entity with it, as the row of its own. */
static uint32_t visit_outside(uint32_t rows) {
    covey_view other = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Outside) } });
    covey_iter inner = covey_view_iter(&other);
    covey_row inner_row = { 0 };
    for (; covey_next_row(&inner, &inner_row); rows++)
        if (rows % 3 == 0) remove_value(covey_row_entity(&inner, inner_row), covey_id(Outside));
    return rows;
}

static void destroy_all_rows(void) {
    covey_iter inner = covey_view_iter(&view);
    covey_row inner_row = { 0 };
    while (covey_next_row(&inner, &inner_row)) covey_destroy(world, covey_row_entity(&inner, inner_row));
}

static void test_an_iteration_inside_of_another(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        uint32_t rows = 0;
        fill_world(types[i]);
        for (uint32_t k = 0; k < COUNT; k++) add_value(e[k], covey_id(Outside), k);
        start(desc_with(WITH, types[i]));
        while (covey_next_row(&it, &row)) {
            rows = visit_outside(rows);
            covey_iter inner = covey_view_iter(&view);
            while (covey_next(&inner)) covey_field(&inner, 0, Base)->number++;
        }
        assert_true(rows > COUNT);
        start(desc_with(WITH, types[i]));
        assert_true(covey_next_row(&it, &row));
        destroy_all_rows(); /* right for the inner rows, wrong for the outer */
        assert_alarm(step_row, words_about(covey_id(Base), LOST_RULE));
        next_world();
    }
}

/* ---- Fields -------------------------------------------------------------------------------------------------------*/

static void wrong_type(void) { (void)covey_field(&it, 1, Base); }
static void wrong_number(void) { (void)covey_field(&it, 2, Base); }
static void excluded_field(void) { (void)covey_field(&it, 2, Outside); }
static void wrong_row_type(void) { (void)covey_row_field(&it, row, 0, Packed); }
static void wrong_row_number(void) { (void)covey_row_field(&it, row, 99, Packed); }

static void test_a_field_of_a_wrong_type_or_number_is_found(void **state) {
    (void)state;
    fill_world(covey_id(Packed));
    covey_view_desc desc = desc_with(WITH, covey_id(Packed));
    desc.without[0] = covey_id(Outside);
    start(desc);
    assert_true(covey_next(&it));
    assert_true(covey_field(&it, 0, Base) && covey_field(&it, 1, Packed));
    assert_alarm(wrong_type, "field 1 of the view of Base, Packed without Outside is Packed, not Base");
    assert_alarm(wrong_number, "field 2 of the view of Base, Packed without Outside is none, not Base");
    assert_alarm(excluded_field, "field 2 of the view of Base, Packed without Outside is none, not Outside");
    start(desc);
    assert_true(covey_next_row(&it, &row));
    assert_alarm(wrong_row_type, "field 0 of the view of Base, Packed without Outside is Base, not Packed");
    assert_alarm(wrong_row_number, "field 99 of the view of Base, Packed without Outside is none, not Packed");
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

#define BOTH covey_id(Left), covey_id(Right)
static const covey_group_desc group_shapes[] = {
    { .own = { BOTH }, .without = { covey_id(Outside) } },
    { .own = { covey_id(Left) }, .with = { covey_id(Right) }, .without = { covey_id(Outside) } },
    { .with = { BOTH }, .without = { covey_id(Outside) } },
};
static covey_group *group;

/* All have the left one, and the first ones also the right one: these are the members. */
static void fill_groups(void) {
    assert_true(covey_create_many(world, e, COUNT));
    for (uint32_t i = 0; i < COUNT; i++) assert_non_null(add_value(e[i], covey_id(Left), i));
    for (uint32_t i = 0; i < HOLDERS; i++) assert_non_null(add_value(e[i], covey_id(Right), i * 5 % HOLDERS));
    covey_shrink(world);
}

static covey_group *make_group(covey_group_desc desc) {
    covey_group *made = covey_group_create(world, &desc);
    assert_non_null(made);
    return made;
}

static void start_group(covey_group *started) {
    group = started;
    it = covey_group_iter(group);
    row = (covey_row){ 0 };
}

/* After so many rows of a new world. */
static void start_shape(uint32_t shape, uint32_t rows) {
    fill_groups();
    start_group(make_group(group_shapes[shape]));
    while (rows-- != 0) assert_true(covey_next_row(&it, &row));
}

typedef void change_fn(void);
static void one_joins(void) { assert_non_null(add_value(e[COUNT - 1], covey_id(Right), 1)); }
static void a_new_one_joins(void) {
    covey_entity fresh = create_with(covey_id(Left), 1);
    assert_non_null(add_value(fresh, covey_id(Right), 1));
}
static void the_first_leaves(void) { assert_true(remove_value(e[0], covey_id(Right))); }
static void the_last_leaves(void) { assert_true(remove_value(e[HOLDERS - 1], covey_id(Left))); }
static void the_first_dies(void) { assert_true(covey_destroy(world, e[0])); }
static void the_first_is_excluded(void) { assert_non_null(add_value(e[0], covey_id(Outside), 1)); }
static void all_leave(void) { covey_clear(world, Right); }
static void members_are_sorted(void) {
    assert_int_equal(covey_group_sort(group, 1, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
}

/* What happens to others than members, and to values. */
static void nobody_joins_or_leaves(void) {
    get_value(e[1], covey_id(Right))->number = 5;
    assert_non_null(covey_set(world, e[1], Left, { 7, 7 }));
    assert_non_null(add_value(e[COUNT - 1], covey_id(Outside), 1));
    assert_true(remove_value(e[COUNT - 2], covey_id(Left)));
    assert_non_null(add_value(e[COUNT - 2], covey_id(Right), 1));
    assert_true(covey_destroy(world, e[COUNT - 3]));
    assert_null(add_value(e[1], covey_id(Right), 1)); /* it has it */
    covey_entity fresh = create_with(covey_id(Right), 1);
    assert_non_null(add_value(fresh, covey_id(Outside), 1));
    assert_non_null(add_value(fresh, covey_id(Left), 1));
    covey_compact(world);
}

static void test_one_that_joins_or_leaves_while_a_span_of_a_group_is_open_is_found(void **state) {
    (void)state;
    static change_fn *const acts[] = { one_joins,      a_new_one_joins,       the_first_leaves, the_last_leaves,
                                       the_first_dies, the_first_is_excluded, all_leave,        members_are_sorted };
    for (uint32_t i = 0; i < COUNT_OF(group_shapes) * COUNT_OF(acts); i++) {
        start_shape(i / COUNT_OF(acts), 0);
        assert_true(covey_next(&it));
        acts[i % COUNT_OF(acts)]();
        assert_alarm(step_span, GROUP_SPAN_RULE);
        next_world();
    }
}

/* Those that are no members may move the arrays when they come and go. */
static void test_a_pool_that_changes_while_a_span_of_a_group_is_open_is_found(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(group_shapes); i++) {
        start_shape(i, 0);
        assert_true(covey_next(&it));
        get_value(e[1], covey_id(Right))->number = 5;
        assert_non_null(covey_set(world, e[1], Left, { 7, 7 }));
        assert_null(add_value(e[1], covey_id(Right), 1)); /* it has it */
        assert_true(remove_value(e[COUNT - 2], covey_id(Left)));
        assert_alarm(step_span, words_about(covey_id(Left), SPAN_RULE));
        next_world();
    }
}

static void test_another_that_leaves_while_rows_of_a_group_are_visited_is_found(void **state) {
    (void)state;
    static change_fn *const acts[] = { the_first_leaves,      the_last_leaves, the_first_dies,
                                       the_first_is_excluded, all_leave,       members_are_sorted };
    for (uint32_t i = 0; i < COUNT_OF(group_shapes) * COUNT_OF(acts) * 2; i++) {
        start_shape(i / 2 / COUNT_OF(acts), 3);
        if (i % 2 != 0) assert_true(remove_value(covey_row_entity(&it, row), covey_id(Right)));
        acts[i / 2 % COUNT_OF(acts)]();
        assert_alarm(step_row, GROUP_ROW_RULE);
        next_world();
    }
}

/* Visits the members; changes something at each member that was there at the beginning. All of these are visited
 * once. */
static void visit_members(covey_group *of, visit_fn *act) {
    memset(visits, 0, sizeof visits);
    uint32_t expected[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) expected[i] = covey_group_contains(of, e[i]);
    start_group(of);
    while (covey_next_row(&it, &row)) {
        covey_entity own = covey_row_entity(&it, row);
        uint32_t at = 0;
        while (at < COUNT && e[at].index != own.index) at++;
        visits[at]++;
        if (at < COUNT) act(own, covey_id(Right));
    }
    for (uint32_t i = 0; i < COUNT; i++)
        if (expected[i]) assert_int_equal(visits[i], 1);
}

/* Those that were visited and are still members are behind. */
static void lose_sometimes(covey_entity own, const covey_type *type) {
    if (own.index % 3 == 0) lose(own, type);
}
static void die_sometimes(covey_entity own, const covey_type *type) {
    if (own.index % 3 == 0) die(own, type);
}
static void get_excluded_sometimes(covey_entity own, const covey_type *type) {
    if (own.index % 3 == 0) get_excluded(own, type);
}
static void lose_and_regain_right(covey_entity own, const covey_type *type) {
    assert_true(remove_value(own, type) && add_value(own, type, 9));
}
static void let_others_join(covey_entity own, const covey_type *type) {
    (void)own;
    a_new_one_joins();
    if (!get_value(e[COUNT - 1], type)) one_joins();
}
static void die_and_let_others_join(covey_entity own, const covey_type *type) {
    die(own, type);
    let_others_join(own, type);
}
static void touch_no_member(covey_entity own, const covey_type *type) {
    (void)type;
    if (covey_same(own, e[HOLDERS / 2])) nobody_joins_or_leaves();
}

static void test_what_a_row_of_a_group_may_do(void **state) {
    (void)state;
    static visit_fn *const acts[] = { lose,
                                      lose_sometimes,
                                      lose_and_regain_right,
                                      die,
                                      die_sometimes,
                                      get_excluded,
                                      get_excluded_sometimes,
                                      let_others_join,
                                      die_and_let_others_join,
                                      touch_no_member };
    for (uint32_t i = 0; i < COUNT_OF(group_shapes) * COUNT_OF(acts); i++) {
        fill_groups();
        visit_members(make_group(group_shapes[i / COUNT_OF(acts)]), acts[i % COUNT_OF(acts)]);
        next_world();
    }
}

static void test_a_row_whose_entity_has_left_the_group(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(group_shapes); i++) {
        start_shape(i, 3);
        covey_entity own = covey_row_entity(&it, row);
        assert_true(remove_value(own, covey_id(Right)));
        assert_same(covey_row_entity(&it, row), own);
        assert_ptr_equal(covey_row_field(&it, row, 0, Left), covey_get(world, own, Left));
        assert_true(covey_next_row(&it, &row));
        assert_false(covey_same(covey_row_entity(&it, row), own));
        next_world();
    }
}

/* Two groups, around a third one: the first ones are in all of them. */
static covey_group *outer[2], *inner;
static void fill_nested(void) {
    fill_groups();
    for (uint32_t i = 0; i < COUNT - 1; i++) assert_non_null(add_value(e[i], covey_id(Fourth), i));
    for (uint32_t i = 0; i < HOLDERS; i++) assert_non_null(add_value(e[i], covey_id(Third), i));
    for (uint32_t i = HOLDERS; i < COUNT - 1; i++) assert_non_null(add_value(e[i], covey_id(Right), i));
    outer[0] = make_group((covey_group_desc){ .own = { BOTH } });
    outer[1] = make_group((covey_group_desc){ .own = { covey_id(Third), covey_id(Fourth) } });
    inner = make_group((covey_group_desc){ .own = { BOTH, covey_id(Third), covey_id(Fourth) } });
    assert_true(remove_value(e[1], covey_id(Right)) && remove_value(e[2], covey_id(Third)));
}

static void one_joins_the_inner(void) { assert_non_null(add_value(e[HOLDERS], covey_id(Third), 1)); }
static void one_joins_the_inner_again(void) { assert_non_null(add_value(e[1], covey_id(Right), 1)); }
static void one_leaves_the_inner(void) { /* and one of the outer groups */
    assert_true(remove_value(e[0], group == outer[0] ? covey_id(Third) : covey_id(Right)));
}
static void the_inner_is_sorted(void) {
    assert_int_equal(covey_group_sort(inner, 0, &(covey_order){ .key = COVEY_KEY_U32, .descending = true }), COVEY_OK);
}

/* Members of an outer group change places when one joins or leaves an inner one. */
static void test_what_changes_places_in_an_outer_group_is_found(void **state) {
    (void)state;
    static change_fn *const acts[] = { one_joins_the_inner, one_joins_the_inner_again, one_leaves_the_inner,
                                       the_inner_is_sorted };
    for (uint32_t i = 0; i < 2 * COUNT_OF(acts); i++) {
        fill_nested();
        start_group(outer[i % 2]);
        for (uint32_t k = 0; k < 2; k++) assert_true(covey_next_row(&it, &row));
        acts[i / 2]();
        assert_alarm(step_row, GROUP_ROW_RULE);
        next_world();
        fill_nested();
        start_group(outer[i % 2]);
        assert_true(covey_next(&it));
        acts[i / 2]();
        assert_alarm(step_span, GROUP_SPAN_RULE);
        next_world();
    }
}

static void leave_the_inner(covey_entity own, const covey_type *type) {
    (void)type;
    remove_value(own, group == outer[0] ? covey_id(Fourth) : covey_id(Left));
}
static void leave_the_inner_sometimes(covey_entity own, const covey_type *type) {
    if (own.index % 3 == 0) leave_the_inner(own, type);
}
static void join_an_outer(covey_entity own, const covey_type *type) {
    (void)own;
    a_new_one_joins();
    if (!get_value(e[COUNT - 1], type)) one_joins();
}
static void others_leave_an_outer(covey_entity own, const covey_type *type) {
    (void)own;
    remove_value(e[HOLDERS], type);
    remove_value(e[2], type);
}

static void test_what_concerns_no_member_of_nested_groups_is_allowed(void **state) {
    (void)state;
    static visit_fn *const acts[] = { lose,          lose_sometimes,       die,
                                      die_sometimes, leave_the_inner,      leave_the_inner_sometimes,
                                      join_an_outer, others_leave_an_outer };
    for (uint32_t i = 0; i < 3 * COUNT_OF(acts); i++) {
        covey_group *const *groups[] = { &inner, &outer[0], &outer[1] };
        visit_fn *act = acts[i / 3];
        bool leaves_inner = act == leave_the_inner || act == leave_the_inner_sometimes;
        bool leaves_first = act == lose || act == lose_sometimes; /* and the inner, but stays in the second */
        if ((act == others_leave_an_outer && i % 3 == 1) || (leaves_inner && i % 3 != 0)) continue;
        if (leaves_first && i % 3 == 2) continue;
        fill_nested();
        visit_members(*groups[i % 3], act);
        next_world();
    }
}

/* A group that owns nothing has its own order. */
static void test_groups_that_own_nothing_are_not_disturbed_by_others(void **state) {
    (void)state;
    fill_groups();
    covey_group *unowned = make_group((covey_group_desc){ .with = { covey_id(Left) } });
    make_group((covey_group_desc){ .own = { BOTH }, .without = { covey_id(Outside) } });
    visit_members(unowned, lose);
    visit_members(unowned, let_others_join);
}

/* A view follows the order of a pool that a group owns: a leaving entity moves to where the rows have been. Its
 * component is removed, too; otherwise it would come again behind the members. */
static void test_the_row_of_a_view_may_leave_a_group(void **state) {
    (void)state;
    static visit_fn *const acts[] = { die, die_sometimes };
    for (uint32_t i = 0; i < COUNT_OF(acts); i++) {
        fill_groups();
        make_group(group_shapes[0]);
        visit_all((covey_view_desc){ .with = { covey_id(Left) } }, covey_id(Right), acts[i]);
        next_world();
    }
    fill_groups();
    make_group(group_shapes[0]);
    start((covey_view_desc){ .with = { covey_id(Left) } });
    assert_true(covey_next_row(&it, &row));
    assert_true(remove_value(covey_row_entity(&it, row), covey_id(Right)));
    assert_alarm(step_row, words_about(covey_id(Left), PLACE_RULE));
    next_world();
}

static void test_others_that_join_or_leave_a_group_while_rows_of_a_view_are_visited_are_found(void **state) {
    (void)state;
    static change_fn *const acts[] = { one_joins, the_first_leaves, the_first_is_excluded };
    for (uint32_t i = 0; i < COUNT_OF(acts); i++) {
        fill_groups();
        make_group(group_shapes[0]);
        start((covey_view_desc){ .with = { covey_id(Left) } });
        for (uint32_t k = 0; k < COUNT - HOLDERS + 1; k++) assert_true(covey_next_row(&it, &row));
        acts[i]();
        assert_alarm(step_row, words_about(covey_id(Left), i == 0 ? ORDER_RULE : LOST_RULE));
        next_world();
    }
}

/* ---- Listeners ----------------------------------------------------------------------------------------------------*/

static struct {
    covey_world *world;
    covey_entity e[4];
    uint32_t alarms;
    char text[256];
    step_fn *act; /* of the listener, once */
} hall;

/* Unlike the handler above, it returns, as a listener must. */
static void hear_alarm(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    if (hall.alarms++ == 0) snprintf(hall.text, sizeof hall.text, "%s", what);
}

static void act_once(const covey_event *event, void *context) {
    step_fn *act = hall.act;
    (void)event, (void)context;
    hall.act = NULL;
    if (act) act();
}

static void open_hall(uint32_t signals, step_fn *act) {
    hall.world = covey_world_create(&(covey_world_desc){ .on_assert = hear_alarm });
    hall.alarms = 0;
    hall.text[0] = '\0';
    assert_true(covey_create_many(hall.world, hall.e, 4));
    for (uint32_t i = 0; i < 3; i++) covey_add(hall.world, hall.e[i], Outside, { i, i });
    covey_listener listener = { .type = covey_id(Outside), .signals = signals, .call = act_once };
    assert_true(covey_connected(hall.world, covey_connect(hall.world, &listener)));
    hall.act = act;
}

static void close_hall(const char *words) {
    if (strncmp(hall.text, words, strlen(words)) != 0) fail_msg("expected \"%s\", got \"%s\"", words, hall.text);
    assert_int_equal(hall.alarms, words[0] != '\0');
    const char *why = "";
    if (!covey_world_validate(hall.world, &why)) fail_msg("%s", why);
    covey_world_destroy(hall.world);
}

static void clear_in_hall(void) { covey_clear(hall.world, Outside); }
static void convert_in_hall(void) {
    (void)covey_pool_convert(covey_pool_of(hall.world, Outside), COVEY_STORAGE_SPARSE);
}
static void remove_in_hall(void) { covey_remove(hall.world, hall.e[2], Outside); }

#define CLEAR_RULE "a listener must not clear or convert the pool that is being cleared: do it afterwards"

static void test_a_pool_that_is_cleared_is_left_alone(void **state) {
    (void)state;
    if (COVEY_ASSERT_LEVEL < 2) skip();
    open_hall(COVEY_ON_REMOVE, clear_in_hall);
    covey_clear(hall.world, Outside);
    close_hall(CLEAR_RULE);
    open_hall(COVEY_ON_REMOVE, convert_in_hall);
    covey_clear(hall.world, Outside);
    close_hall("covey_pool_convert: " CLEAR_RULE);
    open_hall(COVEY_ON_REMOVE, clear_in_hall); /* not while one component is removed */
    covey_remove(hall.world, hall.e[0], Outside);
    close_hall("");
}

/* What a listener does counts as done by the body of the loop. */
static void test_listeners_follow_the_rules_of_iteration(void **state) {
    (void)state;
    open_hall(COVEY_ON_SET, remove_in_hall);
    covey_view of = covey_view_make(hall.world, &(covey_view_desc){ .with = { covey_id(Outside) } });
    covey_iter over = covey_view_iter(&of);
    while (covey_next(&over)) covey_set(hall.world, hall.e[0], Outside, { 7, 7 });
    close_hall(words_about(covey_id(Outside), SPAN_RULE));
    open_hall(COVEY_ON_SET, remove_in_hall);
    of = covey_view_make(hall.world, &(covey_view_desc){ .with = { covey_id(Outside) } });
    over = covey_view_iter(&of);
    covey_row at = { 0 };
    while (covey_next_row(&over, &at)) covey_set(hall.world, hall.e[0], Outside, { 7, 7 });
    close_hall(words_about(covey_id(Outside), LOST_RULE));
}

/* ---- What is disabled ---------------------------------------------------------------------------------------------*/

static void disable_component_of(covey_entity of, const covey_type *type) {
    assert_int_equal(covey_component_disable_raw(world, of, type), COVEY_OK);
}

static void test_what_is_disabled_or_enabled_while_a_span_is_open_is_found(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types) * ROLES * 4; i++) {
        const covey_type *type = types[i % COUNT_OF(types)];
        uint32_t what = i / COUNT_OF(types) / ROLES;
        fill_world(type);
        if (what == 1) disable_component_of(lone, type);
        if (what == 3) assert_int_equal(covey_disable(world, lone), COVEY_OK);
        start(desc_with((role)(i / COUNT_OF(types) % ROLES), type));
        assert_true(covey_next(&it));
        if (what == 0) disable_component_of(lone, type);
        if (what == 1) assert_int_equal(covey_component_enable_raw(world, lone, type), COVEY_OK);
        if (what == 2) assert_int_equal(covey_disable(world, lone), COVEY_OK);
        if (what == 3) assert_int_equal(covey_enable(world, lone), COVEY_OK);
        assert_alarm(step_span, words_about(what < 2 ? type : covey_id(covey_disabled), SPAN_RULE));
        next_world();
    }
}

static void disable_own(covey_entity own, const covey_type *type) {
    (void)type;
    assert_int_equal(covey_disable(world, own), COVEY_OK);
}

static void test_a_row_may_disable_its_own(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        for (int part = WITH; part < WITHOUT; part++) {
            fill_world(types[i]);
            visit_all(desc_with((role)part, types[i]), types[i], disable_own);
            next_world();
        }
        fill_world(types[i]);
        visit_all(desc_with(WITH, types[i]), types[i], disable_component_of);
        next_world();
    }
}

static void test_others_that_are_disabled_while_rows_are_visited_are_found(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types) * 3; i++) {
        const covey_type *type = types[i % COUNT_OF(types)];
        uint32_t what = i / COUNT_OF(types);
        if (what != 0 && COVEY_ASSERT_LEVEL < 2) break; /* what is excluded is checked there */
        fill_world(type);
        for (uint32_t k = 0; what == 2 && k < HOLDERS; k++) disable_component_of(e[k], type);
        start(desc_with(what == 2 ? WITHOUT : WITH, type));
        assert_true(covey_next_row(&it, &row));
        assert_same(covey_row_entity(&it, row), e[0]);
        covey_entity other = e[1];
        if (what == 0) disable_component_of(other, type);
        if (what == 1) assert_int_equal(covey_disable(world, other), COVEY_OK);
        if (what == 2) assert_int_equal(covey_component_enable_raw(world, other, type), COVEY_OK);
        const covey_type *named = what == 1 ? covey_id(covey_disabled) : type;
        assert_alarm(step_row, words_about(named, what == 0 ? LOST_RULE : GOT_RULE));
        next_world();
    }
}

static void test_views_that_ask_for_the_disabled_do_not_mind(void **state) {
    (void)state;
    fill_world(covey_id(Packed));
    start((covey_view_desc){ .with = { covey_id(Base) }, .include_disabled = true });
    assert_true(covey_next(&it));
    assert_int_equal(covey_disable(world, e[3]), COVEY_OK);
    while (covey_next(&it)) assert_int_equal(covey_disable(world, e[4]), COVEY_OK);
    start((covey_view_desc){ .with = { covey_id(Base) }, .include_disabled = true });
    while (covey_next_row(&it, &row)) assert_int_equal(covey_disable(world, e[COUNT - 1]), COVEY_OK);
}

static void the_first_is_disabled(void) { assert_int_equal(covey_disable(world, e[0]), COVEY_OK); }
static void the_first_right_is_disabled(void) { disable_component_of(e[0], covey_id(Right)); }

static void test_another_member_that_is_disabled_is_found(void **state) {
    (void)state;
    static change_fn *const acts[] = { the_first_is_disabled, the_first_right_is_disabled };
    for (uint32_t i = 0; i < COUNT_OF(group_shapes) * 2; i++) {
        start_shape(i / 2, 0);
        assert_true(covey_next(&it));
        acts[i % 2]();
        assert_alarm(step_span, GROUP_SPAN_RULE);
        next_world();
        start_shape(i / 2, 3);
        acts[i % 2]();
        assert_alarm(step_row, GROUP_ROW_RULE);
        next_world();
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        RULE_TEST(test_a_pool_that_changes_while_a_span_is_open_is_found),
        RULE_TEST(test_what_changes_no_pool_of_the_view_is_allowed_in_a_span),
        RULE_TEST(test_a_pool_that_is_made_while_a_span_is_open_is_found),
        RULE_TEST(test_one_that_dies_in_a_span_of_all_is_found),
        RULE_TEST(test_spans_in_the_order_of_a_pool_outside_of_the_view),
        RULE_TEST(test_what_a_row_may_do),
        RULE_TEST(test_others_may_lose_what_is_optional_or_excluded),
        RULE_TEST(test_others_that_lose_what_they_must_have_are_found),
        RULE_TEST(test_others_are_found_between_changes_of_the_own),
        RULE_TEST(test_one_that_is_still_to_be_visited_and_gets_what_is_excluded_is_found),
        RULE_TEST(test_another_that_dies_among_rows_of_all_is_found),
        RULE_TEST(test_nobody_but_the_row_leaves_a_pool_whose_order_is_asked_for),
        RULE_TEST(test_a_row_whose_entity_has_left_the_pool_that_is_followed),
        RULE_TEST(test_an_iteration_inside_of_another),
        RULE_TEST(test_a_field_of_a_wrong_type_or_number_is_found),
        RULE_TEST(test_one_that_joins_or_leaves_while_a_span_of_a_group_is_open_is_found),
        RULE_TEST(test_a_pool_that_changes_while_a_span_of_a_group_is_open_is_found),
        RULE_TEST(test_another_that_leaves_while_rows_of_a_group_are_visited_is_found),
        RULE_TEST(test_what_a_row_of_a_group_may_do),
        RULE_TEST(test_a_row_whose_entity_has_left_the_group),
        RULE_TEST(test_what_changes_places_in_an_outer_group_is_found),
        RULE_TEST(test_what_concerns_no_member_of_nested_groups_is_allowed),
        RULE_TEST(test_groups_that_own_nothing_are_not_disturbed_by_others),
        RULE_TEST(test_the_row_of_a_view_may_leave_a_group),
        RULE_TEST(test_others_that_join_or_leave_a_group_while_rows_of_a_view_are_visited_are_found),
        cmocka_unit_test(test_a_pool_that_is_cleared_is_left_alone),
        cmocka_unit_test(test_listeners_follow_the_rules_of_iteration),
        RULE_TEST(test_what_is_disabled_or_enabled_while_a_span_is_open_is_found),
        RULE_TEST(test_a_row_may_disable_its_own),
        RULE_TEST(test_others_that_are_disabled_while_rows_are_visited_are_found),
        RULE_TEST(test_views_that_ask_for_the_disabled_do_not_mind),
        RULE_TEST(test_another_member_that_is_disabled_is_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
