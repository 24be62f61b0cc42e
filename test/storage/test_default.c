/* Defaults: what a component or resource gets that is given no value. */
#include "hearing.h"
#include "owned.h"

#include <covey/commands.h>

#define DEFAULT_OF(number) \
    { number, ~number }
static const Value default_value = DEFAULT_OF(7u);
typedef Value PackedDefault;
typedef Value FixedDefault;
typedef Value KeptDefault;
typedef Value OrderedDefault;
typedef Value BlockDefault;
typedef Value PinnedDefault;
COVEY_COMPONENT_DEFINE(PackedDefault, .storage = COVEY_STORAGE_SPARSE, .defaults = &default_value);
COVEY_COMPONENT_DEFINE(FixedDefault, .policy = COVEY_IN_PLACE, .defaults = &default_value);
COVEY_COMPONENT_DEFINE(KeptDefault, .policy = COVEY_SWAP_ONLY, .defaults = &default_value);
COVEY_COMPONENT_DEFINE(OrderedDefault, .policy = COVEY_ORDERED, .defaults = &default_value);
COVEY_COMPONENT_DEFINE(BlockDefault, .no_copy = true, .defaults = &default_value);
COVEY_COMPONENT_DEFINE(PinnedDefault, .storage = COVEY_STORAGE_PINNED, .defaults = &default_value);

static const Owned default_owned = DEFAULT_OF(8u);
#define OWNED_DEFAULT .drop = drop_owned, .copy = copy_owned, .defaults = &default_owned
typedef Owned PackedOwned;
typedef Owned FixedOwned;
typedef Owned KeptOwned;
typedef Owned OrderedOwned;
typedef Owned BlockOwned;
typedef Owned PinnedOwned;
COVEY_COMPONENT_DEFINE(PackedOwned, .storage = COVEY_STORAGE_SPARSE, OWNED_DEFAULT);
COVEY_COMPONENT_DEFINE(FixedOwned, .policy = COVEY_IN_PLACE, OWNED_DEFAULT);
COVEY_COMPONENT_DEFINE(KeptOwned, .policy = COVEY_SWAP_ONLY, OWNED_DEFAULT);
COVEY_COMPONENT_DEFINE(OrderedOwned, .policy = COVEY_ORDERED, OWNED_DEFAULT);
COVEY_COMPONENT_DEFINE(BlockOwned, OWNED_DEFAULT);
COVEY_COMPONENT_DEFINE(PinnedOwned, .storage = COVEY_STORAGE_PINNED, OWNED_DEFAULT);

static const covey_type *const types[] = {
    covey_id(PackedDefault), covey_id(FixedDefault),  covey_id(KeptDefault), covey_id(OrderedDefault),
    covey_id(BlockDefault),  covey_id(PinnedDefault), covey_id(PackedOwned), covey_id(FixedOwned),
    covey_id(KeptOwned),     covey_id(OrderedOwned),  covey_id(BlockOwned),  covey_id(PinnedOwned),
};

static void move_owned(void *to, void *from, void *context) {
    (void)context;
    memcpy(to, from, sizeof(Owned));
    memset(from, 0, sizeof(Owned)); /* a drop of the old bytes is noticed */
}

static uint32_t number_of(const covey_type *type) { return type->drop ? 8 : 7; }
static void assert_default(covey_entity e, const covey_type *type) { assert_value(e, type, number_of(type)); }

static void set_default(covey_entity e, const covey_type *type) {
    assert_non_null(covey_set_raw(world, e, type, NULL));
    assert_default(e, type);
}

/* ---- Every call that may be without a value -----------------------------------------------------------------------*/

static void test_single_calls_without_a_value_give_the_default(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        const covey_type *type = types[i];
        covey_entity e = covey_create(world), f = covey_create(world), g = covey_create(world);
        void *at = covey_add_raw(world, e, type, NULL);
        assert_ptr_equal(at, get_value(e, type));
        assert_default(e, type);
        set_default(f, type); /* absent */
        *get_value(f, type) = value_of(1);
        set_default(f, type); /* present */
        assert_non_null(covey_get_or_add_raw(world, g, type, NULL));
        assert_default(g, type);
        assert_true(remove_value(g, type));
        assert_non_null(covey_patch_or_add_raw(world, g, type, NULL, NULL));
        assert_default(g, type);
        assert_true(remove_value(g, type));
        covey_pool *pool = covey_pool_find_raw(world, type);
        assert_non_null(covey_pool_add_raw(pool, g, NULL));
        assert_default(g, type);
        assert_null(covey_add_raw(world, g, type, NULL));
        assert_failed(COVEY_ERROR_PRESENT);
        test_world_is_valid(world);
    }
    assert_int_equal(owned.alive, 6 * 3);
    covey_clear_components(world);
    assert_int_equal(owned.alive, 0);
}

static void test_calls_for_many_without_values_give_the_default(void **state) {
    (void)state;
    enum { COUNT = 70 };
    covey_entity e[COUNT];
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        assert_true(covey_create_many(world, e, COUNT));
        assert_true(covey_add_array_raw(world, e, COUNT, types[i], NULL));
        for (uint32_t k = 0; k < COUNT; k++) assert_default(e[k], types[i]);
        const covey_component components[] = { { .type = types[i], .size = sizeof(Value) }, COVEY__WITH_END };
        assert_true(covey_create_many_with_raw(world, e, COUNT, components));
        for (uint32_t k = 0; k < COUNT; k++) assert_default(e[k], types[i]);
        covey_entity one = covey_create_with_raw(world, components);
        assert_default(one, types[i]);
        test_world_is_valid(world);
        assert_int_equal(owned.alive, types[i]->drop ? 2 * COUNT + 1 : 0);
        assert_int_equal(world_teardown(state), 0);
        assert_int_equal(world_setup(state), 0);
    }
}

static void test_an_entity_is_created_with_defaults(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 3; i++) { /* the first time the types are unknown */
        covey_entity e = covey_create_with(world, covey_with_default(BlockDefault), covey_with_default(PackedOwned),
                                           covey_with(Blocked, { 1, ~1u }), covey_with_tag(Marked));
        assert_default(e, covey_id(BlockDefault));
        assert_default(e, covey_id(PackedOwned));
        assert_value(e, covey_id(Blocked), 1);
        e = covey_create_with(world, covey_with_default(BlockDefault), covey_with_default(Blocked));
        assert_default(e, covey_id(BlockDefault));
        assert_int_equal(covey_get(world, e, Blocked)->check, 0); /* a type without a default */
    }
}

static void test_the_typed_verb_adds_a_default(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_int_equal(covey_add_default(world, e, BlockDefault)->number, 7);
    assert_int_equal(covey_add_default(world, e, Blocked)->number, 0);
}

static void test_what_is_given_a_value_has_that(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_int_equal(covey_add(world, e, BlockDefault, { 0, 0 })->number, 0);
    assert_int_equal(covey_set(world, e, PackedDefault, { 1, ~1u })->number, 1);
}

static void test_groups_and_kept_orders_get_defaults(void **state) {
    (void)state;
    ear a = { "a", NULL, 0, { 0 } };
    static ear heard_of;
    heard_of = a;
    covey_group *group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(PackedDefault) } });
    covey_pool *kept = covey_pool_of(world, PackedOwned);
    assert_int_equal(covey_pool_keep_sorted(kept, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
    listen_begin();
    listen(&heard_of, covey_id(PackedDefault), COVEY_ON_ADD | COVEY_ON_SET);
    covey_entity e = covey_create(world);
    assert_non_null(covey_add_default(world, e, PackedDefault));
    assert_non_null(covey_add_default(world, e, PackedOwned));
    set_default(e, covey_id(PackedDefault));
    assert_told("a+0 a=0");
    assert_int_equal(covey_group_count(group), 1);
    assert_default(e, covey_id(PackedOwned));
}

static void test_command_buffers_record_defaults(void **state) {
    (void)state;
    covey_commands *commands = covey_commands_create(world, NULL);
    covey_entity e = covey_create(world);
    assert_true(covey_record_add_raw(commands, e, covey_id(BlockDefault), NULL));
    assert_true(covey_record_set_raw(commands, e, covey_id(BlockOwned), NULL));
    assert_int_equal(owned.alive, 1);
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    assert_default(e, covey_id(BlockDefault));
    assert_default(e, covey_id(BlockOwned));
    assert_true(covey_record_set_raw(commands, e, covey_id(BlockOwned), NULL));
    covey_commands_clear(commands);
    assert_int_equal(owned.alive, 1);
    owned.fails_at = owned.copies + 1;
    assert_false(covey_record_set_raw(commands, e, covey_id(BlockOwned), NULL));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_COPY);
    assert_int_equal(covey_commands_count(commands), 0);
    owned.fails_at = 0;
    assert_true(covey_record_remove(commands, e, BlockOwned)); /* the buffer goes on */
    covey_replay replay = covey_commands_replay(commands);
    assert_true(replay.result == COVEY_ERROR_COPY && replay.done == 1 && replay.lost == 1);
    assert_string_equal(heard.text, "1 command could not be recorded because the copy hook of its type refused to copy "
                                    "the default: record a value instead");
    assert_int_equal(owned.alive, 0);
    covey_commands_destroy(commands);
}

static void test_resources_have_defaults(void **state) {
    (void)state;
    const Value *plain = covey_resource_set_raw(world, covey_id(BlockDefault), NULL);
    assert_int_equal(plain->number, 7);
    Owned *mine = covey_resource_set_raw(world, covey_id(BlockOwned), NULL);
    assert_int_equal(mine->number, 8);
    assert_int_equal(owned.alive, 1);
    mine->number = 9, mine->check = ~9u;
    assert_ptr_equal(covey_resource_set_raw(world, covey_id(BlockOwned), NULL), mine);
    assert_int_equal(mine->number, 8);
    assert_int_equal(owned.alive, 1);
    mine->number = 9, mine->check = ~9u;
    owned.fails_at = owned.copies + 1;
    assert_null(covey_resource_set_raw(world, covey_id(BlockOwned), NULL));
    assert_failed(COVEY_ERROR_COPY);
    assert_int_equal(mine->number, 9); /* the old one is still there */
    owned.fails_at = 0;
}

/* ---- What fails ---------------------------------------------------------------------------------------------------*/

static void test_a_hook_that_says_no_leaves_all_as_it_was(void **state) {
    (void)state;
    covey_entity e[10];
    assert_true(covey_create_many(world, e, 10));
    for (uint32_t i = 6; i < COUNT_OF(types); i++) {
        const covey_type *type = types[i];
        assert_non_null(covey_add_raw(world, e[0], type, NULL));
        uint64_t before = world_digest(world);
        uint32_t alive = owned.alive, entities = covey_entity_count(world);
        const covey_component components[] = { { .type = type, .size = sizeof(Value) }, COVEY__WITH_END };
        owned.fails_at = owned.copies + 1;
        assert_null(covey_add_raw(world, e[1], type, NULL));
        assert_failed(COVEY_ERROR_COPY);
        owned.fails_at = owned.copies + 1;
        assert_null(covey_set_raw(world, e[0], type, NULL));
        owned.fails_at = owned.copies + 1;
        assert_null(covey_patch_or_add_raw(world, e[1], type, NULL, NULL));
        assert_failed(COVEY_ERROR_COPY);
        owned.fails_at = owned.copies + 5;
        assert_false(covey_add_array_raw(world, e + 1, 9, type, NULL));
        assert_failed(COVEY_ERROR_COPY);
        owned.fails_at = owned.copies + 1;
        assert_no_entity(covey_create_with_raw(world, components));
        assert_failed(COVEY_ERROR_COPY);
        owned.fails_at = 0;
        assert_int_equal(owned.alive, alive);
        assert_int_equal(covey_entity_count(world), entities);
        if (type->policy != COVEY_SWAP_ONLY) assert_int_equal(world_digest(world), before);
        test_world_is_valid(world);
    }
}

static void remove_it(const covey_event *event) { covey_remove_raw(world, *event->entities, event->type); }

/* The copy is made before there is known to be room for it. */
static void test_a_default_that_finds_no_place_is_dropped(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        uint32_t failures = 0, alive = owned.alive;
        assert_non_null(covey_pool_of_raw(world, types[i]));
        for (bool added = false; !added; failures += !added) {
            test_fail_at(&heap, failures + 1, true);
            added = covey_add_raw(world, e, types[i], NULL) != NULL;
            test_fail_never(&heap);
            assert_int_equal(owned.alive, alive + (added && types[i]->drop));
        }
        assert_true(failures != 0);
        assert_null(covey_add_raw(world, e, types[i], NULL)); /* it is there */
        assert_int_equal(owned.alive, alive + (types[i]->drop != NULL));
    }
    uint32_t alive = owned.alive;
    test_fail_at(&heap, 1, true);
    assert_null(covey_resource_set_raw(world, covey_id(BlockOwned), NULL));
    test_fail_never(&heap);
    assert_int_equal(owned.alive, alive);
}

static void test_a_default_that_a_listener_removes_is_dropped_once(void **state) {
    (void)state;
    static ear a = { "a", remove_it, 2, { 0 } };
    listen_begin();
    listen(&a, covey_id(BlockOwned), COVEY_ON_ADD);
    assert_null(covey_add_default(world, covey_create(world), BlockOwned));
    assert_failed(COVEY_ERROR_GONE);
    assert_int_equal(owned.alive, 0);
    assert_null(covey_patch_or_add(world, covey_create(world), BlockOwned, NULL, NULL));
    assert_int_equal(owned.alive, 0);
}

static void test_a_dead_entity_gets_no_default_and_no_hook_is_called(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_non_null(covey_add_default(world, e, BlockOwned));
    uint32_t copies = owned.copies;
    assert_null(covey_add_default(world, e, BlockOwned));
    assert_failed(COVEY_ERROR_PRESENT);
    covey_destroy(world, e);
    assert_null(covey_add_default(world, e, BlockOwned));
    assert_failed(COVEY_ERROR_DEAD);
    assert_null(covey_set_raw(world, e, covey_id(BlockOwned), NULL));
    assert_failed(COVEY_ERROR_DEAD);
    assert_int_equal(owned.copies, copies);
}

static void test_defaults_that_cannot_be_copied_are_refused(void **state) {
    (void)state;
    covey_type type = { .name = "Wrong", .size = 8, .align = 4, .drop = drop_owned, .defaults = &default_owned };
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_TYPE);
    type = (covey_type){ .name = "Wrong", .size = 8, .align = 4, .move = move_owned, .defaults = &default_owned };
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_TYPE);
    type = (covey_type){ .name = "Wrong", .align = 1, .defaults = &default_owned };
    assert_null(covey_type_create(world, &type)); /* a tag */
    assert_failed(COVEY_ERROR_TYPE);
}

/* A value that moves by a hook comes out of the copy by that hook; a command buffer does not keep it. */
static void test_the_default_of_a_type_that_moves_is_copied_and_moved(void **state) {
    (void)state;
    covey_type type = { .name = "Moved", .size = 8, .align = 4, OWNED_DEFAULT, .move = move_owned };
    const covey_type *made = covey_type_create(world, &type);
    covey_entity e = covey_create(world), f = covey_create(world), g = covey_create(world);
    assert_non_null(covey_add_raw(world, e, made, NULL));
    assert_non_null(covey_set_raw(world, e, made, NULL));
    assert_non_null(covey_patch_or_add_raw(world, f, made, NULL, NULL));
    assert_true(covey_add_array_raw(world, &g, 1, made, NULL));
    assert_default(e, made);
    assert_default(f, made);
    assert_default(g, made);
    assert_int_equal(owned.alive, 3);
    assert_int_equal(((const Owned *)made->defaults)->number, 8);
    covey_commands *commands = covey_commands_create(world, NULL);
    assert_false(covey_record_add_raw(commands, e, made, NULL));
    assert_int_equal(covey_commands_result(commands), COVEY_ERROR_REFUSED);
    assert_int_equal(covey_commands_replay(commands).result, COVEY_ERROR_REFUSED);
    assert_string_equal(heard.text, "1 command could not be recorded because a hook moves values of its type: record a "
                                    "function that adds one");
    covey_commands_destroy(commands);
}

/* The world has a copy of the default, at an address that suits the type. */
static void test_a_type_made_at_run_time_keeps_its_default(void **state) {
    (void)state;
    typedef struct Wide {
        _Alignas(64) uint32_t a[64];
    } Wide;
    Wide wide = { { 1, 2, 3 } };
    Owned value = DEFAULT_OF(5u);
    const covey_type *made = covey_type_create(
        world, &(covey_type){
                   .name = "Made", .size = 8, .align = 4, .drop = drop_owned, .copy = copy_owned, .defaults = &value });
    const covey_type *wide_made =
        covey_type_create(world, &(covey_type){ .name = "Wide", .size = sizeof wide, .align = 64, .defaults = &wide });
    assert_int_equal((uintptr_t)wide_made->defaults % 64, 0);
    value.number = 0;
    wide.a[2] = 0;
    covey_entity e = covey_create(world);
    assert_non_null(covey_add_raw(world, e, made, NULL));
    assert_value(e, made, 5);
    const Wide *there = covey_add_raw(world, e, wide_made, NULL);
    assert_int_equal(there->a[2], 3);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        OWNED_TEST(test_single_calls_without_a_value_give_the_default),
        OWNED_TEST(test_calls_for_many_without_values_give_the_default),
        OWNED_TEST(test_an_entity_is_created_with_defaults),
        OWNED_TEST(test_the_typed_verb_adds_a_default),
        OWNED_TEST(test_what_is_given_a_value_has_that),
        OWNED_TEST(test_groups_and_kept_orders_get_defaults),
        OWNED_TEST(test_command_buffers_record_defaults),
        OWNED_TEST(test_resources_have_defaults),
        OWNED_TEST(test_a_hook_that_says_no_leaves_all_as_it_was),
        OWNED_TEST(test_a_default_that_finds_no_place_is_dropped),
        OWNED_TEST(test_a_default_that_a_listener_removes_is_dropped_once),
        OWNED_TEST(test_a_dead_entity_gets_no_default_and_no_hook_is_called),
        OWNED_TEST(test_defaults_that_cannot_be_copied_are_refused),
        OWNED_TEST(test_the_default_of_a_type_that_moves_is_copied_and_moved),
        OWNED_TEST(test_a_type_made_at_run_time_keeps_its_default),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
