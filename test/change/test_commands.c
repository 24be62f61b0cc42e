/* Command buffers: what is recorded, what replaying does with it, and the ids that are set aside. */
#include "fixture.h"

#include <covey/commands.h>
#include <stdio.h>

typedef struct Owner {
    uint32_t token;
} Owner;
typedef struct Wide {
    _Alignas(64) uint64_t words[8];
} Wide;
typedef struct Odd {
    uint8_t bytes[3];
} Odd;
typedef struct Row {
    uint32_t cells[5];
} Row;

static uint32_t dropped, last_dropped;

static void drop_owner(void *value, void *context) {
    (void)context;
    dropped++;
    last_dropped = ((Owner *)value)->token;
}

static void drop_wide(void *value, void *context) {
    (void)context;
    assert_int_equal((uintptr_t)value % 64, 0);
    dropped++;
}

COVEY_COMPONENT_DEFINE(Owner, .drop = drop_owner);
COVEY_COMPONENT_DEFINE(Wide, .drop = drop_wide);
COVEY_COMPONENT_DEFINE(Odd);
COVEY_COMPONENT_DEFINE(Row);
typedef struct Lane {
    _Alignas(16) uint32_t numbers[4];
} Lane;
COVEY_COMPONENT_DEFINE(Lane);

static covey_commands *commands;

static int setup(void **state) {
    if (world_setup(state) != 0) return -1;
    dropped = last_dropped = 0;
    commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 4 });
    return commands ? 0 : -1;
}

static int teardown(void **state) {
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world) + covey_commands_memory(commands), heap.bytes);
    covey_commands_destroy(commands);
    return world_teardown(state);
}
#define COMMANDS_TEST(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

static void replayed_with_losses(covey_result result, uint32_t done, uint32_t skipped, uint32_t left, uint32_t lost) {
    covey_replay replay = covey_commands_replay(commands);
    assert_int_equal(replay.result, result);
    assert_int_equal(replay.done, done);
    assert_int_equal(replay.skipped, skipped);
    assert_int_equal(replay.left, left);
    assert_int_equal(replay.lost, lost);
    assert_int_equal(covey_commands_count(commands), left);
    test_world_is_valid(world);
}

static void replayed(covey_result result, uint32_t done, uint32_t skipped, uint32_t left) {
    replayed_with_losses(result, done, skipped, left, 0);
}

/* Another buffer instead of the one with four ids. */
static void use_buffer(uint32_t entities) {
    covey_commands_destroy(commands);
    commands = covey_commands_create(world, &(covey_commands_desc){ .entities = entities });
    assert_non_null(commands);
}

/* ---- Commands ----------------------------------------------------------------------------------------------------*/

static void recording_leaves_the_world_alone(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 1);
    uint64_t before = world_digest(world);
    covey_entity made = covey_record_create(commands);
    assert_true(covey_record_add(commands, made, Blocked, { 1, ~1u }));
    assert_true(covey_record_remove(commands, e, Packed));
    assert_true(covey_record_destroy(commands, e));
    assert_int_equal(covey_commands_count(commands), 4);
    assert_int_equal(world_digest(world), before);
    assert_false(covey_alive(world, made));
    assert_int_equal(covey_world_pool_count(world), 1);
    test_world_is_valid(world);
    replayed(COVEY_OK, 4, 0, 0);
    assert_true(covey_alive(world, made));
    assert_value(made, covey_id(Blocked), 1);
    assert_false(covey_alive(world, e));
}

static void commands_are_done_in_order(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_record_add(commands, e, Packed, { 1, ~1u });
    covey_record_set(commands, e, Packed, { 2, ~2u });
    covey_record_set(commands, e, Blocked, { 3, ~3u });
    covey_record_remove(commands, e, Packed);
    covey_record_add(commands, e, Packed, { 4, ~4u });
    covey_record_add_tag(commands, e, Marked);
    replayed(COVEY_OK, 6, 0, 0);
    assert_value(e, covey_id(Packed), 4);
    assert_value(e, covey_id(Blocked), 3);
    assert_true(covey_has(world, e, Marked));
    covey_record_set_tag(commands, e, Marked);
    covey_record_destroy(commands, e);
    covey_record_destroy(commands, e);
    replayed(COVEY_OK, 2, 1, 0);
    assert_false(covey_alive(world, e));
}

static void add_each_way(const covey_type *type) {
    covey_commands *own = covey_commands_create(world, NULL);
    covey_entity e[100];
    assert_true(covey_create_many(world, e, 100));
    for (uint32_t i = 0; i < 100; i++) {
        Value value = value_of(i);
        assert_true(covey_record_add_raw(own, e[i], type, &value));
    }
    for (uint32_t i = 0; i < 100; i += 3) assert_true(covey_record_remove_raw(own, e[i], type));
    for (uint32_t i = 0; i < 100; i += 2) {
        Value value = value_of(1000 + i);
        assert_true(covey_record_set_raw(own, e[i], type, &value));
    }
    covey_replay replay = covey_commands_replay(own);
    assert_true(replay.result == COVEY_OK && replay.done == 184 && replay.left == 0);
    for (uint32_t i = 0; i < 100; i++) {
        if (i % 2 == 0) assert_value(e[i], type, 1000 + i);
        else if (i % 3 == 0) assert_null(get_value(e[i], type));
        else assert_value(e[i], type, i);
    }
    covey_commands_destroy(own);
}

static void every_storage_takes_commands(void **state) {
    (void)state;
    covey_commands_destroy(commands);
    for_each_storage(add_each_way);
    commands = covey_commands_create(world, NULL);
}

static void values_of_every_size_arrive(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 20; i++) {
        covey_entity e = covey_create(world);
        covey_record_add(commands, e, Odd, { { (uint8_t)i, 2, 3 } });
        covey_record_add(commands, e, Wide, { { i, 1 } });
        covey_record_add(commands, e, Row, { { i, 1, 2, 3, 4 } });
        covey_record_add_raw(commands, e, covey_id(Owner), NULL);
        covey_record_add(commands, e, Wide, { { 0 } });
        replayed(COVEY_ERROR_PRESENT, 4, 0, 1);
        assert_true(covey_commands_skip(commands));
        assert_int_equal(covey_get(world, e, Odd)->bytes[0], i);
        assert_int_equal(covey_get(world, e, Wide)->words[0], i);
        assert_int_equal(covey_get(world, e, Row)->cells[4], 4);
        assert_int_equal(covey_get(world, e, Owner)->token, 0);
    }
    assert_int_equal(dropped, 20);
}

enum { MANY = 300 };

/* Entities by index; each third gets a number: enough in each block that their commands are replayed together. */
static void record_many(covey_entity *all) {
    for (uint32_t i = 0; i < MANY; i += 3) assert_true(covey_record_add(commands, all[i], Owner, { i }));
}

static void make_many(covey_entity *all) { assert_true(covey_create_many(world, all, MANY)); }

/* All but one, which has `token`, have the number that was recorded; those from `end` on have nothing yet. */
static void assert_many(const covey_entity *all, uint32_t other, uint32_t token, uint32_t end) {
    for (uint32_t i = 0; i < MANY; i++) {
        const Owner *owner = covey_get(world, all[i], Owner);
        bool wanted = (i % 3 == 0 && i < end) || (i == other && token != 0);
        assert_int_equal(owner != NULL, wanted && covey_alive(world, all[i]));
        if (owner) assert_int_equal(owner->token, i == other ? token : i);
    }
}

static void adds_in_the_order_of_indices_do_what_single_ones_do(void **state) {
    (void)state;
    covey_entity all[MANY];
    make_many(all);
    record_many(all);
    replayed(COVEY_OK, 100, 0, 0);
    assert_many(all, 0, 0, MANY);
    assert_int_equal(dropped, 0);
}

static void adds_in_the_order_of_indices_skip_the_dead(void **state) {
    (void)state;
    covey_entity all[MANY];
    make_many(all);
    record_many(all);
    covey_destroy(world, all[150]);
    replayed(COVEY_OK, 99, 1, 0);
    assert_many(all, 150, 0, MANY);
    assert_int_equal(dropped, 1);
    assert_int_equal(last_dropped, 150);
}

static void adds_in_the_order_of_indices_stop_at_what_is_there(void **state) {
    (void)state;
    covey_entity all[MANY];
    make_many(all);
    record_many(all);
    assert_non_null(covey_add(world, all[201], Owner, { 7000 }));
    replayed(COVEY_ERROR_PRESENT, 67, 0, 33);
    assert_many(all, 201, 7000, 201);
    assert_true(covey_commands_skip(commands));
    replayed(COVEY_OK, 32, 0, 0);
    assert_many(all, 201, 7000, MANY);
    assert_int_equal(dropped, 1);
}

static void adds_in_the_order_of_indices_go_on_when_there_is_memory(void **state) {
    (void)state;
    covey_entity all[MANY];
    make_many(all);
    bool failed = true;
    for (uint32_t at = 1; failed; at++) {
        covey_clear(world, Owner);
        covey_shrink(world);
        record_many(all);
        test_fail_at(&heap, at, false);
        covey_replay replay = covey_commands_replay(commands);
        failed = heap.failed;
        test_fail_never(&heap);
        assert_int_equal(replay.done + replay.left, 100);
        test_world_is_valid(world);
        if (replay.left != 0) replayed(COVEY_OK, replay.left, 0, 0);
        assert_many(all, 0, 0, MANY);
    }
}

/* As many as are added together: their values lie at unequal distances in the buffer. */
static void many_aligned_values_are_added(void **state) {
    (void)state;
    covey_entity made[40];
    assert_true(covey_create_many(world, made, 40));
    for (uint32_t i = 0; i < 40; i++) covey_record_add(commands, made[i], Lane, { { i, i + 1, i + 2, i + 3 } });
    replayed(COVEY_OK, 40, 0, 0);
    for (uint32_t i = 0; i < 40; i++)
        for (uint32_t k = 0; k < 4; k++) assert_int_equal(covey_get(world, made[i], Lane)->numbers[k], i + k);
}

static void a_tag_may_have_an_alignment(void **state) {
    (void)state;
    static const covey_type tag = { .name = "tag", .align = 32 };
    covey_entity e[5];
    assert_true(covey_create_many(world, e, 5));
    for (uint32_t i = 0; i < 5; i++) covey_record_add_raw(commands, e[i], &tag, NULL);
    assert_int_equal(covey_commands_count(commands), 5);
    replayed(COVEY_OK, 5, 0, 0);
    for (uint32_t i = 0; i < 5; i++) assert_true(covey_has_raw(world, e[i], &tag));
}

static void commands_about_the_dead_are_skipped_and_their_values_dropped(void **state) {
    (void)state;
    covey_entity e = covey_create(world), other = covey_create(world);
    covey_record_add(commands, e, Owner, { 7 });
    covey_record_add(commands, other, Owner, { 8 });
    covey_record_set(commands, e, Owner, { 9 });
    covey_record_remove(commands, e, Owner);
    covey_record_remove(commands, other, Packed);
    covey_record_destroy(commands, e);
    covey_record_add(commands, entity(COVEY_NONE, 1), Owner, { 10 });
    covey_destroy(world, e);
    replayed(COVEY_OK, 2, 5, 0);
    assert_int_equal(dropped, 3);
    assert_int_equal(covey_get(world, other, Owner)->token, 8);
    assert_null(covey_pool_find(world, Packed));
    assert_int_equal(heard.times, 0);
}

static void removing_what_is_absent_does_nothing(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_record_remove(commands, e, Packed);
    covey_record_remove(commands, e, Marked);
    replayed(COVEY_OK, 2, 0, 0);
    assert_int_equal(covey_world_pool_count(world), 0);
}

static void replaying_stops_at_a_failure_and_goes_on_from_there(void **state) {
    (void)state;
    covey_entity a = covey_create(world), b = create_with(covey_id(Packed), 5), c = covey_create(world);
    covey_record_add(commands, a, Packed, { 1, ~1u });
    covey_record_add(commands, b, Packed, { 2, ~2u });
    covey_record_add(commands, c, Packed, { 3, ~3u });
    replayed(COVEY_ERROR_PRESENT, 1, 0, 2);
    assert_failed(COVEY_ERROR_PRESENT);
    assert_int_equal(heard.times, 1);
    assert_value(b, covey_id(Packed), 5);
    assert_null(get_value(c, covey_id(Packed)));
    replayed(COVEY_ERROR_PRESENT, 0, 0, 2);
    assert_true(remove_value(b, covey_id(Packed)));
    replayed(COVEY_OK, 2, 0, 0);
    assert_value(b, covey_id(Packed), 2);
    assert_value(c, covey_id(Packed), 3);
}

static void skipping_drops_the_command_that_failed(void **state) {
    (void)state;
    covey_entity e = covey_create(world), other = covey_create(world);
    covey_add(world, e, Owner, { 1 });
    assert_false(covey_commands_skip(commands));
    covey_record_add(commands, e, Owner, { 2 });
    covey_record_add(commands, other, Owner, { 3 });
    replayed(COVEY_ERROR_PRESENT, 0, 0, 2);
    assert_true(covey_commands_skip(commands));
    assert_int_equal(dropped, 1);
    assert_int_equal(last_dropped, 2);
    covey_record_add(commands, other, Packed, { 4, ~4u }); /* behind what is left */
    replayed(COVEY_OK, 2, 0, 0);
    assert_int_equal(covey_get(world, other, Owner)->token, 3);
    assert_false(covey_commands_skip(commands));
}

static void clearing_drops_what_was_recorded(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_record_add(commands, e, Owner, { 1 });
    covey_record_set(commands, e, Owner, { 2 });
    covey_record_add(commands, e, Wide, { { 3 } });
    covey_record_remove(commands, e, Owner);
    covey_commands_clear(commands);
    assert_int_equal(dropped, 3);
    assert_int_equal(covey_commands_count(commands), 0);
    covey_commands_clear(commands);
    replayed(COVEY_OK, 0, 0, 0);
    assert_true(covey_is_empty(world, e));
}

static void destroying_a_buffer_drops_what_was_recorded(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_commands *own = covey_commands_create(world, NULL);
    covey_record_add(own, e, Owner, { 1 });
    covey_commands_destroy(own);
    assert_int_equal(dropped, 1);
    covey_commands_destroy(NULL);
}

static void a_world_ends_its_buffers(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    covey_world *other = covey_world_create(&desc);
    covey_entity e = covey_create(other);
    for (uint32_t i = 0; i < 3; i++) {
        covey_commands *own = covey_commands_create(other, &(covey_commands_desc){ .entities = 3 });
        covey_record_create(own);
        covey_record_add(own, e, Owner, { i });
    }
    covey_world_destroy(other);
    assert_int_equal(dropped, 3);
}

static void a_replayed_buffer_needs_no_new_memory(void **state) {
    (void)state;
    covey_entity e[50];
    assert_true(covey_create_many(world, e, 50));
    size_t bytes = 0;
    for (uint32_t round = 0; round < 3; round++) {
        uint64_t calls = heap.calls;
        for (uint32_t i = 0; i < 50; i++) covey_record_set(commands, e[i], Packed, { i, ~i });
        for (uint32_t i = 0; i < 50; i++) covey_record_remove(commands, e[i], Packed);
        assert_true(round == 0 || heap.calls == calls);
        replayed(COVEY_OK, 100, 0, 0);
        assert_true(round == 0 || heap.calls == calls);
        assert_true(round == 0 || covey_commands_memory(commands) == bytes);
        bytes = covey_commands_memory(commands);
    }
}

static void a_type_that_contradicts_itself_fails_when_it_is_replayed(void **state) {
    (void)state;
    static const covey_type wrong = { .name = "wrong", .size = 4, .align = 3 };
    covey_entity e = covey_create(world);
    uint32_t value = 1;
    assert_true(covey_record_add_raw(commands, e, &wrong, &value));
    replayed(COVEY_ERROR_TYPE, 0, 0, 1);
    assert_true(covey_commands_skip(commands));
    replayed(COVEY_OK, 0, 0, 0);
}

static void a_type_of_another_layout_fails_when_it_is_replayed(void **state) {
    (void)state;
    static const covey_type other = { .name = "Owner", .size = 8, .align = 4, .drop = drop_owner };
    covey_entity e = covey_create(world);
    uint32_t value[2] = { 1, 2 };
    covey_add(world, e, Owner, { 1 });
    assert_true(covey_record_add_raw(commands, e, &other, value));
    assert_true(covey_record_remove_raw(commands, e, &other));
    replayed(COVEY_ERROR_LAYOUT, 0, 0, 2);
    covey_commands_skip(commands);
    assert_int_equal(dropped, 1);
    replayed(COVEY_OK, 1, 0, 0);
    assert_true(covey_has(world, e, Owner));
}

static void groups_hear_of_what_is_replayed(void **state) {
    (void)state;
    covey_group *group =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Blocked) } });
    covey_entity e[20];
    assert_true(covey_create_many(world, e, 20));
    for (uint32_t i = 0; i < 20; i++) {
        covey_record_add(commands, e[i], Packed, { i, ~i });
        if (i % 2 == 0) covey_record_add(commands, e[i], Blocked, { i, ~i });
    }
    covey_record_remove(commands, e[4], Packed);
    covey_record_destroy(commands, e[6]);
    replayed(COVEY_OK, 32, 0, 0);
    assert_int_equal(covey_group_count(group), 8);
    for (uint32_t i = 0; i < 20; i++)
        if (i != 4 && i != 6) assert_value(e[i], covey_id(Packed), i);
}

static void rows_may_record(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 30; i++) create_with(covey_id(Packed), i);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Packed) } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++)
            if (covey_field(&it, 0, Packed)[i].number % 2 == 0)
                covey_record_destroy(commands, covey_span_entity(&it, i));
    replayed(COVEY_OK, 15, 0, 0);
    assert_int_equal(covey_view_count(&view), 15);
}

/* ---- Calls -------------------------------------------------------------------------------------------------------*/

typedef struct note {
    uint32_t *calls, *forgotten;
    covey_entity e;
    covey_result result;
} note;

static covey_result take_note(covey_world *in, void *data) {
    note *n = data;
    assert_int_equal((uintptr_t)data % _Alignof(max_align_t), 0);
    if (!n->calls) return COVEY_OK;
    if (!in) {
        ++*n->forgotten;
        return COVEY_OK;
    }
    ++*n->calls;
    if (n->result == COVEY_OK) covey_add(in, n->e, Packed, { 1, ~1u });
    return n->result;
}

static void functions_are_called_in_their_turn(void **state) {
    (void)state;
    uint32_t calls = 0, forgotten = 0;
    covey_entity e = covey_create(world);
    note n = { &calls, &forgotten, e, COVEY_OK };
    covey_record_add(commands, e, Odd, { { 1 } });
    assert_true(covey_record_call(commands, take_note, &n, sizeof n));
    covey_record_remove(commands, e, Packed);
    replayed(COVEY_OK, 3, 0, 0);
    assert_int_equal(calls, 1);
    assert_int_equal(forgotten, 0);
    assert_null(get_value(e, covey_id(Packed)));
    assert_true(covey_record_call(commands, take_note, &n, sizeof n));
    covey_commands_clear(commands);
    assert_int_equal(calls, 1);
    assert_int_equal(forgotten, 1);
}

static void a_function_that_fails_stops_the_replay(void **state) {
    (void)state;
    uint32_t calls = 0, forgotten = 0;
    note n = { &calls, &forgotten, covey_create(world), COVEY_ERROR_COPY };
    covey_record_call(commands, take_note, &n, sizeof n);
    replayed(COVEY_ERROR_COPY, 0, 0, 1);
    assert_failed(COVEY_ERROR_COPY);
    replayed(COVEY_ERROR_COPY, 0, 0, 1);
    assert_int_equal(calls, 2);
    covey_commands_skip(commands);
    assert_int_equal(forgotten, 1);
}

static covey_commands *second;

static covey_result record_more(covey_world *in, void *data) {
    covey_entity e = *(covey_entity *)data;
    if (!in) return COVEY_OK;
    assert_false(covey_record_add(commands, e, Odd, { { 1 } }));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_REFUSED);
    assert_no_entity(covey_record_create(commands));
    assert_false(covey_record_call(commands, record_more, data, 8));
    assert_int_equal(covey_commands_reserve(commands, 100), COVEY_ERROR_REFUSED);
    assert_true(covey_record_add(second, e, Odd, { { 2 } }));
    covey_replay replay = covey_commands_replay(second);
    assert_true(replay.result == COVEY_OK && replay.done == 1);
    return COVEY_OK;
}

static void a_buffer_that_is_replayed_refuses_to_record(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    second = covey_commands_create(world, NULL);
    covey_record_add(commands, e, Packed, { 1, ~1u });
    covey_record_call(commands, record_more, &e, sizeof e);
    covey_record_add(commands, e, Blocked, { 1, ~1u });
    replayed_with_losses(COVEY_ERROR_REFUSED, 3, 0, 0, 3);
    assert_failed(COVEY_ERROR_REFUSED);
    assert_string_equal(heard.text,
                        "3 commands could not be recorded, the first because the buffer was being replayed or "
                        "cleared: use another one meanwhile");
    assert_int_equal(covey_get(world, e, Odd)->bytes[0], 2);
    replayed(COVEY_OK, 0, 0, 0);
    covey_commands_destroy(second);
}

#if COVEY_ASSERT_LEVEL >= 1
static covey_result replay_again(covey_world *in, void *data) {
    (void)data;
    if (in) {
        expect_assert_failure(covey_commands_replay(commands));
        expect_assert_failure(covey_commands_clear(commands));
        expect_assert_failure(covey_commands_skip(commands));
        expect_assert_failure(covey_commands_destroy(commands));
    }
    return COVEY_OK;
}

static void a_buffer_is_not_replayed_while_it_is_replayed(void **state) {
    (void)state;
    covey_record_call(commands, replay_again, NULL, 0);
    replayed(COVEY_OK, 1, 0, 0);
}

static void a_size_that_is_not_the_types_breaks_a_contract(void **state) {
    (void)state;
    Value value = value_of(1);
    expect_assert_failure(
        covey__record(commands, entity(0, 1), covey_id(Packed), COVEY__RECORD_ADD, &value, sizeof value - 1, false));
    expect_assert_failure(covey_record_remove_raw(commands, entity(0, 1), NULL));
}
#endif

/* ---- Ids ---------------------------------------------------------------------------------------------------------*/

static void a_recorded_entity_has_the_id_that_create_would_give(void **state) {
    (void)state;
    covey_entity e = covey_create(world); /* behind the four that are set aside */
    assert_same(e, entity(4, 1));
    for (uint32_t i = 0; i < 4; i++) assert_same(covey_record_create(commands), entity(i, 1));
    assert_no_entity(covey_record_create(commands));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_FULL);
    assert_int_equal(covey_entity_count(world), 1);
    replayed_with_losses(COVEY_ERROR_FULL, 4, 0, 0, 1);
    assert_int_equal(covey_entity_count(world), 5);
    assert_same(covey_record_create(commands), entity(5, 1)); /* four more are ready */
    assert_same(covey_create(world), entity(9, 1));
}

static void freed_ids_come_first(void **state) {
    (void)state;
    covey_entity a = covey_create(world), b = covey_create(world);
    covey_destroy(world, a);
    covey_destroy(world, b);
    covey_commands *own = covey_commands_create(world, &(covey_commands_desc){ .entities = 3 });
    assert_same(covey_record_create(own), entity(a.index, a.generation + 2));
    assert_same(covey_record_create(own), entity(b.index, b.generation + 2));
    assert_same(covey_record_create(own), entity(6, 1));
    covey_commands_destroy(own);
}

static void a_handle_works_in_any_buffer_once_its_entity_is_alive(void **state) {
    (void)state;
    covey_commands *own = covey_commands_create(world, NULL);
    covey_entity e = covey_record_create(commands);
    covey_record_add(own, e, Owner, { 1 });
    covey_replay replay = covey_commands_replay(own);
    assert_true(replay.skipped == 1 && dropped == 1);
    covey_record_add(own, e, Owner, { 2 });
    replayed(COVEY_OK, 1, 0, 0);
    replay = covey_commands_replay(own);
    assert_true(replay.done == 1);
    assert_int_equal(covey_get(world, e, Owner)->token, 2);
    covey_commands_destroy(own);
}

static void ids_that_are_given_back_leave_the_world_as_it_was(void **state) {
    (void)state;
    covey_entity e[2 * COVEY_PAGE_SIZE];
    assert_true(covey_create_many(world, e, COUNT_OF(e)));
    for (uint32_t i = 1; i < COUNT_OF(e); i += 2) covey_destroy(world, e[i]);
    uint64_t before = world_digest(world);
    covey_commands *own = covey_commands_create(world, &(covey_commands_desc){ .entities = 4 * COVEY_PAGE_SIZE });
    test_world_is_valid(world);
    covey_commands_destroy(own);
    test_world_is_valid(world);
    assert_int_equal(world_digest(world), before);
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i++) assert_int_equal(covey_create(world).index, e[2 * i + 1].index);
    assert_int_equal(covey_create(world).index, 4 + COUNT_OF(e));
}

static void ids_that_are_set_aside_are_taken(void **state) {
    (void)state;
    assert_no_entity(covey_create_at(world, 2));
    assert_failed(COVEY_ERROR_TAKEN);
    assert_int_equal(covey_range_reserve(world, 3, 5).count, 0);
    assert_failed(COVEY_ERROR_TAKEN);
    assert_same(covey_create_at(world, 4), entity(4, 1));
    covey_destroy_all(world);
    assert_int_equal(covey_entity_count(world), 0);
    assert_false(covey_alive(world, entity(0, 1)));
    assert_false(covey_destroy(world, entity(0, 0)));
}

static void ids_go_around_reserved_ranges(void **state) {
    (void)state;
    covey_range range = covey_range_reserve(world, 6, 10);
    assert_int_equal(range.count, 10);
    assert_int_equal(covey_commands_reserve(commands, 6), COVEY_OK);
    static const uint32_t wanted[] = { 0, 1, 2, 3, 4, 5, 16 };
    assert_int_equal(covey_commands_reserve(commands, 7), COVEY_OK);
    for (uint32_t i = 0; i < COUNT_OF(wanted); i++) assert_int_equal(covey_record_create(commands).index, wanted[i]);
    covey_commands_destroy(commands);
    assert_same(covey_create(world), entity(0, 3));
    commands = covey_commands_create(world, NULL);
}

static void a_cleared_entity_never_comes_alive(void **state) {
    (void)state;
    covey_entity e = covey_record_create(commands);
    covey_record_add(commands, e, Owner, { 1 });
    covey_commands_clear(commands);
    test_world_is_valid(world);
    assert_false(covey_alive(world, e));
    covey_entity next = covey_record_create(commands);
    assert_same(next, entity(e.index, e.generation + 2));
    replayed(COVEY_OK, 1, 0, 0);
    assert_false(covey_alive(world, e));
    assert_true(covey_alive(world, next));
}

static void a_skipped_entity_never_comes_alive(void **state) {
    (void)state;
    covey_entity first = covey_record_create(commands), other = covey_record_create(commands);
    assert_true(covey_commands_skip(commands));
    test_world_is_valid(world);
    replayed(COVEY_OK, 1, 0, 0);
    assert_false(covey_alive(world, first));
    assert_true(covey_alive(world, other));
    assert_same(covey_record_create(commands), entity(first.index, first.generation + 2));
}

static void an_index_whose_generations_are_used_up_is_retired(void **state) {
    (void)state;
    covey_commands_destroy(commands);
    covey_entity e = covey_create(world);
    world->pages[0]->generation[e.index] = COVEY_GENERATION_MAX - 2; /* as if it had lived many times */
    covey_destroy(world, entity(e.index, COVEY_GENERATION_MAX - 2));
    commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 2 });
    assert_same(covey_record_create(commands), entity(e.index, COVEY_GENERATION_MAX));
    covey_commands_clear(commands);
    test_world_is_valid(world);
    assert_int_equal(covey_record_create(commands).index, 1);
    replayed(COVEY_OK, 1, 0, 0);
    assert_no_entity(covey_create_at(world, e.index));
    assert_failed(COVEY_ERROR_TAKEN);
}

static void reserving_is_all_or_nothing(void **state) {
    (void)state;
    uint64_t before = world_digest(world);
    assert_int_equal(covey_commands_reserve(commands, 5), COVEY_OK);
    assert_int_equal(covey_commands_reserve(commands, 2), COVEY_OK);
    covey_record_create(commands);
    assert_int_equal(covey_commands_reserve(commands, UINT32_MAX), COVEY_ERROR_FULL);
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(world_digest(world), before);
    assert_int_equal(covey_create(world).index, 5);
}

/* With few indices: all are used, and what is set aside is missing. */
static void there_may_be_no_ids_left(void **state) {
    (void)state;
    if (COVEY_NONE > 100000) skip();
    uint32_t count = COVEY_NONE - 14;
    covey_entity *all = test_calloc(count, sizeof *all);
    assert_true(covey_create_many(world, all, count));
    assert_int_equal(covey_commands_reserve(commands, 15), COVEY_ERROR_FULL);
    test_world_is_valid(world);
    assert_int_equal(covey_commands_reserve(commands, 13), COVEY_OK);
    assert_false(covey_is_null(covey_create(world)));
    assert_no_entity(covey_create(world));
    assert_null(covey_commands_create(world, &(covey_commands_desc){ .entities = 1 }));
    assert_failed(COVEY_ERROR_FULL);
    for (uint32_t i = 0; i < 13; i++) covey_record_create(commands);
    replayed(COVEY_OK, 13, 0, 0); /* and none is ready now */
    assert_no_entity(covey_record_create(commands));
    replayed_with_losses(COVEY_ERROR_FULL, 0, 0, 0, 1);
    use_buffer(0);
    assert_no_entity(covey_record_create(commands));
    replayed_with_losses(COVEY_ERROR_FULL, 0, 0, 0, 1);
    assert_string_equal(heard.text, "1 command could not be recorded because the world has no index left: destroy "
                                    "entities first");
    assert_true(covey_destroy(world, all[7]));
    assert_int_equal(covey_record_create(commands).index, all[7].index);
    assert_no_entity(covey_record_create(commands));
    replayed_with_losses(COVEY_ERROR_FULL, 1, 0, 0, 1);
    test_free(all);
}

/* ---- Ids that come from the world as they are recorded ------------------------------------------------------------*/

static void a_buffer_without_ids_takes_those_that_create_would_give(void **state) {
    (void)state;
    use_buffer(0);
    covey_entity a = covey_create(world), b = covey_create(world), c = covey_create(world);
    covey_destroy(world, a);
    covey_destroy(world, b);
    covey_destroy(world, c);
    covey_entity made[100];
    made[0] = covey_record_create(commands);
    assert_same(made[0], entity(a.index, a.generation + 2));
    assert_same(covey_create(world), entity(b.index, b.generation + 2));
    made[1] = covey_record_create(commands);
    assert_same(made[1], entity(c.index, c.generation + 2));
    for (uint32_t i = 2; i < COUNT_OF(made); i++) {
        made[i] = covey_record_create(commands);
        assert_same(made[i], entity(i + 1, 1));
        assert_true(covey_record_add(commands, made[i], Packed, { i, ~i }));
        test_world_is_valid(world);
    }
    assert_int_equal(covey_entity_count(world), 1);
    assert_no_entity(covey_create_at(world, made[50].index));
    replayed(COVEY_OK, 198, 0, 0);
    for (uint32_t i = 0; i < COUNT_OF(made); i++) assert_true(covey_alive(world, made[i]));
    assert_value(made[99], covey_id(Packed), 99);
    assert_int_equal(commands->id_count, 0); /* it keeps none */
    assert_same(covey_create(world), entity(101, 1));
}

/* As many as are reserved first, then those of the world. */
static void reserved_ids_come_before_those_of_the_world(void **state) {
    (void)state;
    use_buffer(0);
    assert_int_equal(covey_commands_reserve(commands, 2), COVEY_OK);
    assert_same(covey_create(world), entity(2, 1));
    static const uint32_t wanted[] = { 0, 1, 3, 4 };
    for (uint32_t i = 0; i < COUNT_OF(wanted); i++) assert_int_equal(covey_record_create(commands).index, wanted[i]);
    replayed(COVEY_OK, 4, 0, 0);
    assert_int_equal(covey_record_create(commands).index, 5);
}

/* Neither a span nor a row that is open is disturbed, though the table of entities grows. */
static void ids_are_taken_inside_of_loops(void **state) {
    (void)state;
    use_buffer(0);
    for (uint32_t i = 0; i < 30; i++) create_with(i % 2 == 0 ? covey_id(Packed) : covey_id(Blocked), i);
    for (uint32_t round = 0; round < 2; round++) {
        covey_view view =
            covey_view_make(world, &(covey_view_desc){ .with = { round == 0 ? covey_id(Packed) : covey_id(Blocked) } });
        uint32_t seen = 0, before = covey_entity_count(world);
        covey_iter it = covey_view_iter(&view);
        while (covey_next(&it))
            for (uint32_t i = 0; i < it.count; i++, seen++)
                for (uint32_t k = 0; k < COVEY_PAGE_SIZE / 4; k++)
                    assert_true(covey_record_add(commands, covey_record_create(commands), Ordered, { k, ~k }));
        it = covey_view_iter(&view);
        for (covey_row row = { 0 }; covey_next_row(&it, &row); seen++)
            assert_true(covey_record_set(commands, covey_record_create(commands), Packed, { 1, ~1u }));
        assert_int_equal(seen, 30);
        assert_int_equal(covey_entity_count(world), before);
        replayed(COVEY_OK, 30 * (COVEY_PAGE_SIZE / 4) + 30, 0, 0);
        assert_int_equal(covey_entity_count(world), before + 15 * (COVEY_PAGE_SIZE / 4) + 15);
        for (covey_entity e; !covey_is_null(e = covey_first(world, Ordered));) covey_destroy(world, e);
        covey_clear(world, Packed);
    }
}

static void what_is_forgotten_goes_back_to_the_world(void **state) {
    (void)state;
    use_buffer(0);
    covey_entity made[5];
    for (uint32_t i = 0; i < 5; i++) made[i] = covey_record_create(commands);
    assert_int_equal(commands->id_count, 5);
    assert_true(covey_commands_skip(commands));
    test_world_is_valid(world);
    assert_same(covey_create(world), entity(0, 3)); /* the handle of the first was seen */
    covey_record_add(commands, made[1], Owner, { 1 });
    assert_int_equal(covey_commands_reserve(commands, 2), COVEY_OK); /* 5 and 6 */
    covey_commands_clear(commands);
    test_world_is_valid(world);
    assert_int_equal(dropped, 1);
    assert_int_equal(commands->id_count, 2);
    for (uint32_t i = 1; i < 5; i++) assert_same(covey_create(world), entity(i, 3));
    for (uint32_t i = 0; i < 5; i++) assert_false(covey_alive(world, made[i]));
    assert_same(covey_record_create(commands), entity(5, 1));
    covey_commands_destroy(commands);
    assert_same(covey_create(world), entity(5, 3));
    assert_same(covey_create(world), entity(6, 1));
    commands = covey_commands_create(world, NULL);
}

static void a_buffer_that_ends_gives_back_what_it_took(void **state) {
    (void)state;
    if (COVEY_GENERATION_MAX < 5) skip(); /* an index that was seen twice would be retired */
    use_buffer(0);
    covey_entity a = covey_create(world), b = covey_create(world);
    covey_destroy(world, a);
    covey_destroy(world, b);
    assert_int_equal(covey_commands_reserve(commands, 2), COVEY_OK);
    covey_entity made = covey_record_create(commands);
    assert_int_equal(made.index, a.index);
    use_buffer(0);
    assert_same(covey_create(world), entity(made.index, made.generation + 2));
    assert_same(covey_create(world), entity(b.index, b.generation + 2));
}

static void what_is_forgotten_in_its_last_generation_is_retired(void **state) {
    (void)state;
    use_buffer(0);
    for (uint32_t i = 0; i < 2; i++) {
        covey_entity e = covey_create(world);
        world->pages[0]->generation[e.index] = COVEY_GENERATION_MAX - 2; /* as if it had lived many times */
        covey_destroy(world, entity(e.index, COVEY_GENERATION_MAX - 2));
        assert_same(covey_record_create(commands), entity(e.index, COVEY_GENERATION_MAX));
        if (i == 0) covey_commands_clear(commands);
        else assert_true(covey_commands_skip(commands));
        test_world_is_valid(world);
        assert_no_entity(covey_create_at(world, e.index));
        assert_failed(COVEY_ERROR_TAKEN);
    }
}

/* ---- Recordings that fail -----------------------------------------------------------------------------------------*/

static void what_could_not_be_recorded_is_reported_once(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 6; i++) {
        covey_entity e = covey_record_create(commands);
        assert_int_equal(covey_record_add(commands, e, Packed, { i, ~i }), i < 4);
    }
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_DEAD); /* why the last one failed */
    assert_int_equal(heard.times, 0);                                    /* recording tells the world nothing */
    replayed_with_losses(COVEY_ERROR_FULL, 8, 0, 0, 4);                  /* why the first one did */
    assert_failed(COVEY_ERROR_FULL);
    assert_int_equal(heard.times, 1);
    assert_string_equal(heard.text, "4 commands could not be recorded, the first because no id was ready: give the "
                                    "buffer more than .entities = 4, or call covey_commands_reserve");
    assert_int_equal(covey_entity_count(world), 4);
    replayed(COVEY_OK, 0, 0, 0);
    covey_record_create(commands);
    replayed(COVEY_OK, 1, 0, 0);
    assert_int_equal(heard.times, 1);
}

/* The command that failed comes first. What was lost is known all along, and is the result when nothing is left. */
static void losses_are_reported_when_no_command_is_left(void **state) {
    (void)state;
    covey_entity e = create_with(covey_id(Packed), 5);
    covey_record_add(commands, e, Packed, { 1, ~1u });
    covey_record_add(commands, e, Blocked, { 2, ~2u });
    assert_false(covey_record_destroy(commands, entity(0, 0)));
    replayed_with_losses(COVEY_ERROR_PRESENT, 0, 0, 2, 1);
    assert_false(covey_record_remove(commands, entity(7, 0), Packed));
    replayed_with_losses(COVEY_ERROR_PRESENT, 0, 0, 2, 2);
    assert_true(covey_commands_skip(commands));
    replayed_with_losses(COVEY_ERROR_DEAD, 1, 0, 0, 2);
    assert_value(e, covey_id(Blocked), 2);
    assert_false(covey_commands_skip(commands));
    replayed(COVEY_OK, 0, 0, 0);
}

static void the_null_handle_is_refused_and_the_caller_keeps_the_value(void **state) {
    (void)state;
    covey_entity none = entity(0, 0);
    Wide wide = { { 1 } };
    assert_false(covey_record_add(commands, none, Owner, { 1 }));
    assert_false(covey_record_set(commands, entity(3, 0), Owner, { 1 }));
    assert_false(covey_record_add_value(commands, none, Wide, &wide));
    assert_false(covey_record_set_raw(commands, none, covey_id(Row), NULL));
    assert_false(covey_record_add_tag(commands, none, Marked));
    assert_false(covey_record_remove(commands, none, Owner));
    assert_false(covey_record_destroy(commands, none));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_DEAD);
    assert_int_equal(covey_commands_count(commands), 0);
    replayed_with_losses(COVEY_ERROR_DEAD, 0, 0, 0, 7);
    assert_string_equal(heard.text, "7 commands could not be recorded, the first because its handle is null: check "
                                    "which call returned null instead of an entity");
    assert_int_equal(dropped, 0);
}

static covey_result record_at_the_end(covey_world *in, void *data) {
    (void)data;
    if (!in) assert_false(covey_record_destroy(commands, entity(0, 1)));
    return COVEY_OK;
}

/* What is forgotten is no loss any more; but what is refused while that goes on, is one. */
static void clearing_forgets_losses(void **state) {
    (void)state;
    assert_false(covey_record_destroy(commands, entity(0, 0)));
    covey_commands_clear(commands);
    replayed(COVEY_OK, 0, 0, 0);
    assert_true(covey_record_call(commands, record_at_the_end, NULL, 0));
    assert_false(covey_record_destroy(commands, entity(0, 0)));
    covey_commands_clear(commands);
    replayed_with_losses(COVEY_ERROR_REFUSED, 0, 0, 0, 1);
}

static void losses_without_end_are_still_losses(void **state) {
    (void)state;
    commands->lost = UINT32_MAX - 1; /* as if so many had failed */
    for (uint32_t i = 0; i < 3; i++) assert_false(covey_record_destroy(commands, entity(0, 0)));
    commands->lost_result = COVEY_ERROR_DEAD;
    commands->lost_because = "it is a test";
    replayed_with_losses(COVEY_ERROR_DEAD, 0, 0, 0, UINT32_MAX);
}

/* A buffer in which nothing happened is done with at once; one that lacks ids is filled up. */
static void replaying_nothing_changes_nothing(void **state) {
    (void)state;
    uint64_t before = world_digest(world), calls = heap.calls;
    covey_entity *ids = commands->ids;
    replayed(COVEY_OK, 0, 0, 0);
    assert_true(heap.calls == calls && commands->ids == ids && commands->id_count == 4);
    assert_int_equal(world_digest(world), before);
    for (uint32_t i = 0; i < 2; i++) covey_record_create(commands);
    covey_commands_clear(commands);
    assert_int_equal(commands->id_count, 4);
    replayed(COVEY_OK, 0, 0, 0);
    assert_int_equal(commands->id_count, 4);
    commands->ids[0] = covey__entity(commands->ids[0].index, COVEY_GENERATION_MAX);
    assert_same(covey_record_create(commands), entity(0, COVEY_GENERATION_MAX));
    covey_commands_clear(commands); /* one is used up */
    replayed(COVEY_OK, 0, 0, 0);
    assert_true(commands->spent == 0 && commands->id_count == 4);
    assert_no_entity(covey_create_at(world, 0));
}

/* ---- Without memory -----------------------------------------------------------------------------------------------*/

static bool record_all(covey_commands *to, covey_entity e) {
    covey_entity made = covey_record_create(to);
    return !covey_is_null(made) && covey_record_add(to, made, Owner, { 1 }) &&
           covey_record_add(to, e, Wide, { { 2 } }) && covey_record_set(to, e, Odd, { { 3 } }) &&
           covey_record_remove(to, e, Odd) && covey_record_destroy(to, e) &&
           covey_record_call(to, take_note, &(note){ 0 }, sizeof(note));
}

/* Bytes grow line by line in the hard configuration, and otherwise at once: a few rounds, so that they do. */
static void recording_without_memory_records_nothing(void **state) {
    (void)state;
    uint32_t calls = 0, forgotten = 0;
    note n = { &calls, &forgotten, entity(0, 0), COVEY_OK };
    covey_entity e = covey_create(world);
    bool failed = true;
    for (uint64_t at = 1; failed; at++) {
        covey_commands *own = covey_commands_create(world, &(covey_commands_desc){ .entities = 30 });
        test_fail_at(&heap, at, at % 2 == 0);
        bool done = true;
        uint32_t count = 0, before = dropped;
        for (; done && count < 90; count++) {
            size_t bytes = covey_commands_memory(own);
            if (count % 3 == 0) done = !covey_is_null(covey_record_create(own));
            else if (count % 3 == 1) done = covey_record_add(own, e, Owner, { count });
            else done = covey_record_call(own, take_note, &n, sizeof n);
            if (done) continue;
            assert_int_equal(covey_commands_result(own), COVEY_ERROR_MEMORY);
            assert_int_equal(covey_commands_count(own), count);
            assert_int_equal(covey_commands_memory(own), bytes);
            test_world_is_valid(world);
        }
        failed = heap.failed;
        assert_int_equal(failed, !done);
        test_fail_never(&heap);
        if (failed) count--;
        assert_true(covey_record_add(own, e, Owner, { 99 }));
        assert_int_equal(covey_commands_count(own), count + 1);
        covey_commands_destroy(own);
        assert_int_equal(dropped - before, (count + 1) / 3 + 1);
    }
    assert_int_equal(covey_world_result(world), COVEY_OK);
}

/* The next index needs a page of its own. */
static void fill_page(void) {
    while (covey_create(world).index % COVEY_PAGE_SIZE != COVEY_PAGE_SIZE - 1) {
    }
}

/* What a buffer without ids asks for: its bytes, its list of ids, and a page of the world's table. */
static void taking_an_id_without_memory_changes_nothing(void **state) {
    (void)state;
    uint32_t failures = 0;
    use_buffer(0);
    fill_page();
    uint64_t before = world_digest(world);
    for (bool done = false; !done; failures += !done) {
        use_buffer(0);
        covey_result result = covey_world_result(world);
        test_fail_at(&heap, failures / 2 + 1, failures % 2 != 0);
        done = !covey_is_null(covey_record_create(commands));
        assert_int_equal(heap.failed, !done);
        test_fail_never(&heap);
        if (done) continue;
        assert_int_equal(covey_commands_result(commands), COVEY_ERROR_MEMORY);
        assert_int_equal(covey_commands_count(commands), 0);
        assert_int_equal(covey_world_result(world), result);
        assert_int_equal(world_digest(world), before);
        replayed_with_losses(COVEY_ERROR_MEMORY, 0, 0, 0, 1);
        assert_string_equal(heard.text, "1 command could not be recorded because an allocation failed: record it again "
                                        "when there is memory");
    }
    assert_true(failures >= 6);
    replayed(COVEY_OK, 1, 0, 0);
}

/* The result of a replay is about its commands. A call that finds no id later fails itself. */
static void ids_that_could_not_be_filled_up_are_missed_later(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        for (uint32_t i = 0; i < 4; i++) covey_record_create(commands);
        fill_page();
        test_fail_at(&heap, 1, true);
        replayed(COVEY_OK, 4, 0, 0);
        test_fail_never(&heap);
        assert_int_equal(commands->id_count, 0);
        if (round == 0) assert_no_entity(covey_record_create(commands));
        replayed_with_losses(round == 0 ? COVEY_ERROR_FULL : COVEY_OK, 0, 0, 0, round == 0);
        assert_int_equal(commands->id_count, 4);
    }
    assert_false(covey_is_null(covey_record_create(commands)));
}

static void a_buffer_is_made_whole_or_not_at_all(void **state) {
    (void)state;
    uint64_t before = world_digest(world);
    covey_commands_desc desc = { .entities = 3 * COVEY_PAGE_SIZE };
    covey_commands *own = NULL;
    for (uint64_t at = 1; !own; at++) {
        test_fail_at(&heap, at, at % 2 == 0);
        own = covey_commands_create(world, &desc);
        test_fail_never(&heap);
        assert_true(own || covey_world_result(world) == COVEY_ERROR_MEMORY);
        if (!own) assert_int_equal(world_digest(world), before);
        test_world_is_valid(world);
    }
    covey_result result = COVEY_ERROR_MEMORY;
    for (uint64_t at = 1; result != COVEY_OK; at++) {
        test_fail_at(&heap, at, at % 2 == 0);
        result = covey_commands_reserve(own, 9 * COVEY_PAGE_SIZE);
        test_fail_never(&heap);
        assert_true(result == COVEY_OK || own->id_count == desc.entities);
        test_world_is_valid(world);
    }
    covey_commands_destroy(own);
    assert_int_equal(world_digest(world), before);
}

/* The result of a program of commands when allocation number `at` of its replay fails; false if there is no such
 * allocation. */
static bool replay_short_of_memory(uint64_t at, uint64_t *digest) {
    covey_commands *own = covey_commands_create(world, NULL);
    covey_entity e = covey_create(world);
    assert_int_equal(covey_commands_reserve(own, 1), COVEY_OK);
    assert_true(record_all(own, e));
    test_fail_at(&heap, at, false);
    covey_replay replay = covey_commands_replay(own);
    bool failed = heap.failed;
    test_fail_never(&heap);
    test_world_is_valid(world);
    assert_int_equal(replay.result, failed ? COVEY_ERROR_MEMORY : COVEY_OK);
    assert_int_equal(replay.done + replay.left, 7);
    if (failed) replay = covey_commands_replay(own);
    assert_true(replay.result == COVEY_OK && replay.left == 0);
    covey_commands_destroy(own);
    *digest = world_digest(world);
    return failed;
}

static void replaying_goes_on_when_there_is_memory_again(void **state) {
    (void)state;
    uint64_t wanted = 0, digest = 1;
    bool failed = true;
    covey_commands_destroy(commands);
    for (uint64_t at = 0; failed; at++) {
        failed = replay_short_of_memory(at, at == 0 ? &wanted : &digest) || at == 0;
        assert_true(at == 0 || digest == wanted);
        world_teardown(NULL);
        assert_int_equal(world_setup(NULL), 0);
    }
    commands = covey_commands_create(world, NULL);
}

/* ---- The validator -----------------------------------------------------------------------------------------------*/

static void the_validator_sees_through_buffers(void **state) {
    (void)state;
    covey_entity e = covey_record_create(commands);
    covey_record_add(commands, e, Packed, { 1, ~1u });
    covey_record_remove(commands, e, Packed);
    covey_commands *own = covey_commands_create(world, &(covey_commands_desc){ .entities = 1 });
    uint64_t *aside = &world->pages[0]->aside[0];
    uint32_t *generation = &world->pages[0]->generation[0];
    BREAK(uint64_t, *aside, *aside & ~(uint64_t)1, "commands: an id is not set aside in the table");
    BREAK(uint32_t, *generation, 1, "entities: an index is set aside and alive");
    BREAK(uint32_t, *generation, 2, "commands: an id has the wrong generation");
    break_id(&commands->ids[3], entity(commands->ids[2].index, commands->ids[3].generation),
             "commands: an index is set aside for no buffer, or for two");
    break_id(&commands->ids[3], entity(own->ids[0].index, commands->ids[3].generation),
             "commands: an index is set aside for no buffer, or for two");
    BREAK(uint32_t, own->id_count, 0, "commands: an index is set aside for no buffer, or for two");
    BREAK(covey_commands *, own->previous_of_world, own, "commands: the list of buffers is not linked both ways");
    BREAK(uint32_t, commands->taken, 9, "commands: the ids end behind their array");
    BREAK(uint32_t, commands->taken, 2, "commands: the used ids do not match the create commands");
    BREAK(uint32_t, commands->count, 9, "commands: the count is not the number of commands");
    BREAK(uint32_t, commands->lines, 0, "commands: the commands end behind the bytes");
    BREAK(size_t, commands->heap.bytes, 1, "commands: the byte count of the heap is wrong");
    covey__command *first = (covey__command *)(void *)commands->bytes;
    BREAK(uint64_t, first->what, COVEY__RECORD_END, "commands: a command has an unknown kind");
    BREAK(uint64_t, first->what, COVEY__RECORD_ADD,
          "commands: a command lacks a type, or has one that it does not need");
    BREAK(char *, commands->at, commands->at + 4, "commands: the last command is incomplete");
    covey_commands *taking = covey_commands_create(world, NULL);
    covey_record_create(taking);
    BREAK(uint32_t, taking->spent, 1, "commands: ids are to be retired, but the buffer takes ids from the world");
    covey_commands_destroy(taking);
    covey_commands_destroy(own);
}

/* ---- Few bytes, many types, far indices ---------------------------------------------------------------------------*/

static void a_value_is_lost_when_there_is_no_memory_to_record_it(void **state) {
    (void)state;
    static const uint64_t usual = 5;
    static const covey_type wide = { .name = "wide", .size = 64, .align = 64 };
    static const covey_type defaulted = { .name = "defaulted", .size = 8, .align = 8, .defaults = &usual };
    covey_entity e = covey_create(world);
    test_fail_at(&heap, 1, true);
    assert_false(covey_record_add_raw(commands, e, &wide, &(Wide){ { 1 } }));
    assert_false(covey_record_add_raw(commands, e, &defaulted, NULL));
    test_fail_never(&heap);
    replayed_with_losses(COVEY_ERROR_MEMORY, 0, 0, 0, 2);
    assert_true(covey_record_add_raw(commands, e, &defaulted, NULL));
    replayed(COVEY_OK, 1, 0, 0);
    assert_int_equal(*(const uint64_t *)covey_get_raw(world, e, &defaulted), 5);
}

static void entities_of_a_buffer_may_get_sixteen_types(void **state) {
    (void)state;
    static char names[COVEY_TERMS][16];
    static covey_type types[COVEY_TERMS];
    covey_commands_desc desc = { .entities = 3 };
    for (uint32_t i = 0; i < COVEY_TERMS; i++) {
        snprintf(names[i], sizeof names[i], "Type %u", i);
        types[i] = (covey_type){ .name = names[i], .size = 4, .align = 4 };
        desc.with[i] = &types[i];
        assert_non_null(covey_pool_of_raw(world, &types[i]));
    }
    covey_commands *many = covey_commands_create(world, &desc);
    covey_entity e = covey_record_create(many);
    for (uint32_t i = 0; i < COVEY_TERMS; i++) assert_true(covey_record_add_raw(many, e, &types[i], &i));
    assert_int_equal(covey_commands_replay(many).done, 1 + COVEY_TERMS);
    for (uint32_t i = 0; i < COVEY_TERMS; i++)
        assert_int_equal(*(const uint32_t *)covey_get_raw(world, e, &types[i]), i);
    covey_commands_destroy(many);
}

/* In the order of indices, with one in many blocks, and more of them than are added together. */
static void adds_to_far_entities_do_what_single_ones_do(void **state) {
    (void)state;
    covey_entity e[MANY];
    for (uint32_t apart = 1; apart <= 200; apart = apart * 3 + 7) {
        uint32_t count = COVEY_NONE / apart < MANY ? COVEY_NONE / apart : MANY;
        use_buffer(0);
        for (uint32_t i = 0; i < count; i++) {
            e[i] = covey_create_at(world, i * apart);
            assert_true(covey_record_add(commands, e[i], Row, { { i } }));
        }
        replayed(COVEY_OK, count, 0, 0);
        for (uint32_t i = 0; i < count; i++) assert_int_equal(covey_get(world, e[i], Row)->cells[0], i);
        covey_world_destroy(world);
        assert_int_equal(setup(state), 0);
    }
}

/* Replays a buffer in a listener, before the entity ends. */
static void replay_meanwhile(const covey_event *event, void *context) {
    (void)event;
    *(covey_replay *)context = covey_commands_replay(commands);
}

static void what_an_entity_has_may_be_set_until_it_ends(void **state) {
    (void)state;
    covey_replay replay;
    covey_entity e = covey_create(world);
    assert_non_null(covey_add(world, e, Owner, { 1 }));
    assert_true(covey_record_set(commands, e, Owner, { 2 }));
    assert_true(covey_record_set(commands, e, Odd, { { 2 } }));
    covey_connect(world,
                  &(covey_listener){ .signals = COVEY_ON_DESTROY, .call = replay_meanwhile, .context = &replay });
    assert_true(covey_destroy(world, e));
    assert_int_equal(replay.done, 1);
    assert_int_equal(replay.skipped, 1);
    assert_int_equal(dropped, 2);
    assert_int_equal(last_dropped, 2);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        COMMANDS_TEST(recording_leaves_the_world_alone),
        COMMANDS_TEST(commands_are_done_in_order),
        COMMANDS_TEST(every_storage_takes_commands),
        COMMANDS_TEST(values_of_every_size_arrive),
        COMMANDS_TEST(adds_in_the_order_of_indices_do_what_single_ones_do),
        COMMANDS_TEST(adds_in_the_order_of_indices_skip_the_dead),
        COMMANDS_TEST(adds_in_the_order_of_indices_stop_at_what_is_there),
        COMMANDS_TEST(adds_in_the_order_of_indices_go_on_when_there_is_memory),
        COMMANDS_TEST(many_aligned_values_are_added),
        COMMANDS_TEST(a_tag_may_have_an_alignment),
        COMMANDS_TEST(commands_about_the_dead_are_skipped_and_their_values_dropped),
        COMMANDS_TEST(removing_what_is_absent_does_nothing),
        COMMANDS_TEST(replaying_stops_at_a_failure_and_goes_on_from_there),
        COMMANDS_TEST(skipping_drops_the_command_that_failed),
        COMMANDS_TEST(clearing_drops_what_was_recorded),
        COMMANDS_TEST(destroying_a_buffer_drops_what_was_recorded),
        COMMANDS_TEST(a_world_ends_its_buffers),
        COMMANDS_TEST(a_replayed_buffer_needs_no_new_memory),
        COMMANDS_TEST(a_type_that_contradicts_itself_fails_when_it_is_replayed),
        COMMANDS_TEST(a_type_of_another_layout_fails_when_it_is_replayed),
        COMMANDS_TEST(groups_hear_of_what_is_replayed),
        COMMANDS_TEST(rows_may_record),
        COMMANDS_TEST(functions_are_called_in_their_turn),
        COMMANDS_TEST(a_function_that_fails_stops_the_replay),
        COMMANDS_TEST(a_buffer_that_is_replayed_refuses_to_record),
#if COVEY_ASSERT_LEVEL >= 1
        COMMANDS_TEST(a_buffer_is_not_replayed_while_it_is_replayed),
        COMMANDS_TEST(a_size_that_is_not_the_types_breaks_a_contract),
#endif
        COMMANDS_TEST(a_recorded_entity_has_the_id_that_create_would_give),
        COMMANDS_TEST(freed_ids_come_first),
        COMMANDS_TEST(a_handle_works_in_any_buffer_once_its_entity_is_alive),
        COMMANDS_TEST(ids_that_are_given_back_leave_the_world_as_it_was),
        COMMANDS_TEST(ids_that_are_set_aside_are_taken),
        COMMANDS_TEST(ids_go_around_reserved_ranges),
        COMMANDS_TEST(a_cleared_entity_never_comes_alive),
        COMMANDS_TEST(a_skipped_entity_never_comes_alive),
        COMMANDS_TEST(an_index_whose_generations_are_used_up_is_retired),
        COMMANDS_TEST(reserving_is_all_or_nothing),
        COMMANDS_TEST(there_may_be_no_ids_left),
        COMMANDS_TEST(a_buffer_without_ids_takes_those_that_create_would_give),
        COMMANDS_TEST(reserved_ids_come_before_those_of_the_world),
        COMMANDS_TEST(ids_are_taken_inside_of_loops),
        COMMANDS_TEST(what_is_forgotten_goes_back_to_the_world),
        COMMANDS_TEST(a_buffer_that_ends_gives_back_what_it_took),
        COMMANDS_TEST(what_is_forgotten_in_its_last_generation_is_retired),
        COMMANDS_TEST(what_could_not_be_recorded_is_reported_once),
        COMMANDS_TEST(losses_are_reported_when_no_command_is_left),
        COMMANDS_TEST(the_null_handle_is_refused_and_the_caller_keeps_the_value),
        COMMANDS_TEST(clearing_forgets_losses),
        COMMANDS_TEST(losses_without_end_are_still_losses),
        COMMANDS_TEST(replaying_nothing_changes_nothing),
        COMMANDS_TEST(recording_without_memory_records_nothing),
        COMMANDS_TEST(taking_an_id_without_memory_changes_nothing),
        COMMANDS_TEST(ids_that_could_not_be_filled_up_are_missed_later),
        COMMANDS_TEST(a_buffer_is_made_whole_or_not_at_all),
        COMMANDS_TEST(replaying_goes_on_when_there_is_memory_again),
        COMMANDS_TEST(a_value_is_lost_when_there_is_no_memory_to_record_it),
        COMMANDS_TEST(entities_of_a_buffer_may_get_sixteen_types),
        COMMANDS_TEST(adds_to_far_entities_do_what_single_ones_do),
        COMMANDS_TEST(what_an_entity_has_may_be_set_until_it_ends),
        COMMANDS_TEST(the_validator_sees_through_buffers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
