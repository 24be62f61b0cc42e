/* The inspector: snapshots, past states, differences between them, and restoring one. */
#include "client.h"

#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <stdio.h>

typedef struct Padded {
    uint8_t small;
    uint8_t unused[3];
    uint32_t large;
} Padded;
COVEY_FIELDS_DEFINE(Padded, u8(small), padding(uint8_t, unused), u32(large));
COVEY_COMPONENT_DEFINE(Padded, .fields = &covey_fields_Padded);

static covey_history *history;
static covey_entity held[300];

static void open_with(double budget) {
    inspect_open(&(covey_inspect_desc){ .write = true, .history = history, .budget = budget });
}

static int time_setup(void **state) {
    if (inspect_setup(state) != 0) return -1;
    inspect_close();
    history = covey_history_create(world, 4);
    open_with(0);
    return 0;
}

static int time_teardown(void **state) {
    inspect_close();
    covey_history_destroy(history);
    return inspect_teardown(state);
}
#define TIME_TEST(test) cmocka_unit_test_setup_teardown(test, time_setup, time_teardown)

static void fill_world(void) {
    assert_true(covey_create_many(world, held, COUNT_OF(held)));
    for (uint32_t i = 0; i < COUNT_OF(held); i++) {
        add_value(held[i], covey_id(Blocked), i);
        if (i % 3 == 0) add_value(held[i], covey_id(Packed), i);
    }
}

static void save(void) {
    assert_true(covey_history_save(history));
    covey_tick_advance(world);
}

static void test_snapshots_are_listed(void **state) {
    (void)state;
    json_t *answer = get_json("time");
    assert_int_equal(number_of(answer, "capacity"), 4);
    assert_int_equal(json_array_size(member(answer, "snapshots")), 0);
    json_decref(answer);
    save();
    fill_world();
    for (uint32_t i = 0; i < 5; i++) save();
    answer = get_json("time");
    assert_int_equal(json_array_size(member(answer, "snapshots")), 4);
    assert_int_equal(number_of(answer, "bytes"), covey_history_memory(history));
    for (uint32_t back = 0; back < 4; back++) {
        const json_t *snapshot = element(answer, "snapshots", back);
        covey_snapshot_info info;
        assert_true(covey_history_info(history, back, &info));
        assert_int_equal(number_of(snapshot, "back"), back);
        assert_int_equal(number_of(snapshot, "number"), 5 - back);
        assert_int_equal(number_of(snapshot, "tick"), info.tick);
        assert_int_equal(number_of(snapshot, "entities"), 300);
        assert_int_equal(number_of(snapshot, "bytes"), info.bytes);
    }
    json_decref(answer);
}

static void test_without_a_history_there_is_no_past(void **state) {
    (void)state;
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .write = true });
    assert_refused("GET", "time", NULL, 409, "ABSENT");
    assert_refused("GET", "time/diff?a=0", NULL, 409, "ABSENT");
    assert_refused("POST", "time", "{\"back\":0}", 409, "ABSENT");
}

/* ---- Differences --------------------------------------------------------------------------------------------------*/

static const json_t *row_of(const json_t *answer, covey_entity e) {
    char text[32];
    size_t i;
    const json_t *row;
    covey_entity_print(text, sizeof text, e);
    json_array_foreach(member(answer, "rows"), i, row) if (strcmp(text_of(row, "e"), text) == 0) return row;
    return NULL;
}

static const json_t *type_in(const json_t *answer, const char *name) {
    size_t i;
    const json_t *type;
    json_array_foreach(member(answer, "types"), i, type) if (strcmp(text_of(type, "type"), name) == 0) return type;
    return NULL;
}

static bool has_text(const json_t *row, const char *key, const char *text) {
    size_t i;
    const json_t *found;
    json_array_foreach(member(row, key), i, found) if (strcmp(json_string_value(found), text) == 0) return true;
    return false;
}

static void change_things(void) {
    covey_destroy(world, held[5]); /* removed */
    covey_destroy(world, held[6]); /* removed, and its index used again: */
    covey_entity again = create_with(covey_id(Packed), 1), fresh = create_with(covey_id(Pinned), 2);
    assert_true(again.index == held[6].index || fresh.index == held[6].index);
    get_value(held[10], covey_id(Blocked))->number = 77;                 /* a value */
    remove_value(held[9], covey_id(Packed));                             /* a component less */
    add_value(held[11], covey_id(Packed), 3);                            /* and one more */
    assert_int_equal(covey_name_set(world, held[20], "hero"), COVEY_OK); /* a name */
    assert_int_equal(covey_parent_set(world, held[21], held[22]), COVEY_OK);
    assert_int_equal(covey_disable(world, held[23]), COVEY_OK);
}

static void check_difference(const json_t *answer) {
    assert_int_equal(number_of(answer, "added"), 2);
    assert_int_equal(number_of(answer, "removed"), 2);
    assert_int_equal(number_of(answer, "changed"), 6);
    assert_string_equal(text_of(row_of(answer, held[5]), "what"), "removed");
    assert_string_equal(text_of(row_of(answer, held[6]), "what"), "removed");
    assert_string_equal(text_of(row_of(answer, held[10]), "what"), "changed");
    assert_true(has_text(row_of(answer, held[10]), "types", "Blocked"));
    assert_false(has_text(row_of(answer, held[10]), "types", "Packed"));
    assert_true(has_text(row_of(answer, held[9]), "types", "Packed"));
    assert_true(has_text(row_of(answer, held[11]), "types", "Packed"));
    assert_true(has_text(row_of(answer, held[20]), "also", "name"));
    assert_string_equal(text_of(row_of(answer, held[20]), "name"), "hero");
    assert_true(has_text(row_of(answer, held[21]), "also", "parent"));
    assert_true(has_text(row_of(answer, held[23]), "also", "enabled"));
    assert_null(row_of(answer, held[12]));
    assert_int_equal(number_of(type_in(answer, "Blocked"), "changed"), 1);
    assert_int_equal(number_of(type_in(answer, "Blocked"), "removed"), 2);
    assert_int_equal(number_of(type_in(answer, "Packed"), "added"), 2);   /* of held[11], and of a new one */
    assert_int_equal(number_of(type_in(answer, "Packed"), "removed"), 2); /* of held[9], and with held[6] */
    assert_int_equal(number_of(type_in(answer, "Pinned"), "added"), 1);
    assert_int_equal(json_array_size(member(answer, "rows")), 10);
}

static void test_two_states_are_compared(void **state) {
    (void)state;
    fill_world();
    save();
    uint64_t digest = world_digest(world);
    json_t *answer = get_json("time/diff?a=0");
    assert_int_equal(number_of(answer, "added") + number_of(answer, "removed") + number_of(answer, "changed"), 0);
    json_decref(answer);
    assert_int_equal(world_digest(world), digest);
    change_things();
    answer = get_json("time/diff?a=0"); /* with the present */
    check_difference(answer);
    json_decref(answer);
    save();
    covey_destroy_all(world);
    answer = get_json("time/diff?a=1&b=0");
    check_difference(answer);
    json_decref(answer);
    inspect_close();
    open_with(1e-9); /* so that the answer takes many polls */
    answer = get_json("time/diff?a=1&b=0");
    check_difference(answer);
    json_decref(answer);
    answer = get_json("time/diff?a=0&b=0");
    assert_int_equal(number_of(answer, "changed"), 0);
    json_decref(answer);
    assert_refused("GET", "time/diff?a=2", NULL, 409, "ABSENT");
    assert_refused("GET", "time/diff?a=0&b=9", NULL, 409, "ABSENT");
    assert_refused("GET", "time/diff?a=x", NULL, 422, "ARGUMENT");
}

static void test_many_differences_are_counted_and_some_shown(void **state) {
    (void)state;
    fill_world();
    save();
    for (uint32_t i = 0; i < COUNT_OF(held); i++) get_value(held[i], covey_id(Blocked))->number++;
    json_t *answer = get_json("time/diff?a=0");
    assert_int_equal(number_of(answer, "changed"), 300);
    assert_int_equal(json_array_size(member(answer, "rows")), 200);
    json_decref(answer);
}

static void test_padding_is_no_difference(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    Padded *value = covey_add(world, e, Padded, { .small = 1, .large = 2 });
    save();
    memset(value->unused, 0x5a, sizeof value->unused);
    json_t *answer = get_json("time/diff?a=0");
    assert_int_equal(number_of(answer, "changed"), 0);
    json_decref(answer);
    value->large++;
    answer = get_json("time/diff?a=0");
    assert_int_equal(number_of(answer, "changed"), 1);
    json_decref(answer);
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

static void assert_as_saved(void) {
    json_t *answer = get_json("time/diff?a=0");
    assert_int_equal(number_of(answer, "added") + number_of(answer, "removed") + number_of(answer, "changed"), 0);
    json_decref(answer);
    test_world_is_valid(world);
}

static void test_the_world_goes_back(void **state) {
    (void)state;
    fill_world();
    save();
    change_things();
    save();
    covey_destroy_all(world);
    json_t *answer = ask_json("POST", "time", "{\"back\":1}", 200);
    assert_int_equal(number_of(answer, "entities"), 300);
    json_decref(answer);
    assert_as_saved();
    assert_int_equal(covey_history_count(history), 1);
    change_things();
    answer = ask_json("POST", "time", "{\"number\":0}", 200);
    json_decref(answer);
    assert_as_saved();
}

static void test_going_nowhere_is_refused(void **state) {
    (void)state;
    fill_world();
    save();
    uint64_t digest = world_digest(world);
    static const char *const wrong[] = { "{}", "{\"back\":-1}", "{\"back\":\"0\"}", "{\"back\":0.5}",
                                         "{\"back\":0,\"number\":0}" };
    for (size_t i = 0; i < COUNT_OF(wrong); i++) assert_refused("POST", "time", wrong[i], 422, "ARGUMENT");
    assert_refused("POST", "time", "{\"back\":1}", 409, "ABSENT");
    assert_refused("POST", "time", "{\"number\":1}", 409, "ABSENT");
    assert_int_equal(world_digest(world), digest);
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .history = history });
    assert_refused("POST", "time", "{\"back\":0}", 403, "READ_ONLY");
}

/* Worlds made from snapshots are kept for a while, then destroyed. */
static void test_past_states_are_dropped(void **state) {
    (void)state;
    fill_world();
    for (uint32_t i = 0; i < 4; i++) save();
    size_t before = inspector_bytes();
    json_decref(get_json("time/diff?a=3&b=2"));
    assert_true(inspector_bytes() > before + covey_world_memory(world));
    json_decref(get_json("time/diff?a=1&b=0")); /* the fourth world replaces one of three */
    poll_for(5300);
    assert_true(inspector_bytes() < before + covey_world_memory(world) / 2);
    json_decref(get_json("time/diff?a=3&b=2"));
}

/* The endpoints answer about a past state as they do about the present. */
static void test_entities_of_the_past(void **state) {
    (void)state;
    fill_world();
    covey_name_set(world, held[7], "seven");
    covey_parent_set(world, held[8], held[7]);
    save();
    covey_destroy_all(world);
    for (uint32_t round = 0; round < 2; round++) {
        json_t *answer = get_json("time/entities?query=Packed&offset=90&limit=500&back=0&columns=Packed");
        assert_int_equal(number_of(answer, "count"), 100);
        assert_true(json_is_true(member(answer, "complete")));
        assert_int_equal(json_array_size(member(answer, "rows")), 10);
        assert_string_equal(text_of(element(answer, "rows", 0), "e"), "270:1");
        json_decref(answer);
        answer = get_json("time/tree");
        assert_string_equal(text_of(element(answer, "rows", 0), "name"), "seven");
        json_decref(answer);
        answer = get_json("time/tree?parent=7:1");
        assert_string_equal(text_of(element(answer, "rows", 0), "e"), "8:1");
        json_decref(answer);
        answer = get_json("time/entity?e=7:1&number=0");
        assert_true(json_is_true(member(answer, "alive")));
        assert_int_equal(json_array_size(member(answer, "components")), 1);
        json_decref(answer);
        answer = get_json("entities?query=Packed");
        assert_int_equal(number_of(answer, "count"), 0);
        json_decref(answer);
        create_with(covey_id(Packed), 1); /* the same query has another answer in each snapshot */
        save();
        covey_destroy_all(world);
        answer = get_json("time/entities?query=Packed&back=0");
        assert_int_equal(number_of(answer, "count"), 1);
        json_decref(answer);
        assert_true(covey_history_restore(history, 1));
        covey_destroy_all(world);
    }
    assert_refused("GET", "time/entities?query=Nothing", NULL, 422, "QUERY");
    assert_refused("GET", "time/entities?back=9", NULL, 409, "ABSENT");
    assert_refused("GET", "time/entity?e=7:1&back=9", NULL, 409, "ABSENT");
}

/* More entities than a scan counts before the first rows are answered. */
static void test_a_past_state_is_counted_to_its_end(void **state) {
    (void)state;
    enum { MANY = COVEY_INDEX_BITS < 16 ? 1000 : 20000 };
    static covey_entity many[MANY];
    assert_true(covey_create_many(world, many, MANY));
    save();
    bool complete = false;
    for (uint32_t i = 0; i < 1000 && !complete; i++) {
        json_t *answer = get_json("time/entities?limit=1");
        complete = json_is_true(member(answer, "complete"));
        assert_int_equal(json_array_size(member(answer, "rows")), 1);
        if (complete) assert_int_equal(number_of(answer, "count"), MANY);
        json_decref(answer);
    }
    assert_true(complete);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        TIME_TEST(test_snapshots_are_listed),     TIME_TEST(test_without_a_history_there_is_no_past),
        TIME_TEST(test_two_states_are_compared),  TIME_TEST(test_many_differences_are_counted_and_some_shown),
        TIME_TEST(test_padding_is_no_difference), TIME_TEST(test_the_world_goes_back),
        TIME_TEST(test_going_nowhere_is_refused), TIME_TEST(test_past_states_are_dropped),
        TIME_TEST(test_entities_of_the_past),     TIME_TEST(test_a_past_state_is_counted_to_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
