/* Component types: descriptors that need no registration, names that join them, and who owns a value when. */
#include "memory/inner.h"
#include "fixture.h"

#include <covey/image.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct Position {
    float x, y;
} Position;
typedef Position Velocity; /* two components over one C type */

COVEY_COMPONENT_DEFINE(Position);
COVEY_COMPONENT_DEFINE(Velocity);
COVEY_TAG_DEFINE(Frozen);
COVEY_TAG_DEFINE(FixedTag, .policy = COVEY_IN_PLACE);
COVEY_TAG_DEFINE(SparseTag, .storage = COVEY_STORAGE_SPARSE);

/* ---- Descriptors --------------------------------------------------------------------------------------------------*/

static void test_queries_of_a_type_no_world_knows_find_nothing_and_make_nothing(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    uint64_t calls = heap.calls;
    Position value = { 0, 0 };
    assert_false(covey_has(world, e, Position));
    assert_null(covey_get(world, e, Position));
    assert_false(covey_remove(world, e, Position));
    assert_false(covey_has_all(world, e, Position));
    assert_false(covey_has_any(world, e, Position));
    assert_no_entity(covey_find(world, Position, &value, NULL));
    assert_null(covey_pool_find_raw(world, covey_id(Position)));
    assert_null(covey_type_find(world, "Position"));
    covey_clear(world, Position);
    assert_false(covey_replace(world, e, Position, &value));
    assert_failed(COVEY_ERROR_ABSENT);
    assert_null(covey_patch(world, e, Position, NULL, NULL));
    assert_failed(COVEY_ERROR_ABSENT);
    assert_int_equal(covey_world_pool_count(world), 0);
    assert_int_equal(heap.calls, calls); /* queries never allocate */
}

static void test_a_type_is_used_without_being_registered(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_non_null(covey_add(world, e, Position, { 1, 2 }));
    assert_ptr_equal(covey_type_find(world, "Position"), covey_id(Position));
    assert_int_equal(covey_world_pool_count(world), 1);
}

static void test_one_type_serves_two_worlds_at_once(void **state) {
    (void)state;
    covey_world_desc desc = world_desc();
    covey_world *other = covey_world_create(&desc);
    covey_entity e = covey_create(world), f = covey_create(other);
    assert_same(e, f);
    covey_add(world, e, Position, { 1, 1 });
    assert_false(covey_has(other, f, Position));
    covey_add(other, f, Position, { 2, 2 });
    assert_true(covey_get(world, e, Position)->x == 1);
    assert_true(covey_get(other, f, Position)->x == 2);
    covey_world_destroy(other);
    assert_true(covey_get(world, e, Position)->x == 1);
}

static void test_two_components_over_one_c_type_are_two_components(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_add(world, e, Position, { 1, 2 });
    assert_false(covey_has(world, e, Velocity));
    covey_add(world, e, Velocity, { 3, 4 });
    assert_true(covey_get(world, e, Position)->x == 1);
    assert_true(covey_get(world, e, Velocity)->x == 3);
    assert_int_equal(covey_world_pool_count(world), 2);
}

static void test_300_types_in_one_world_keep_apart(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    const covey_type *types[300];
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        char name[32];
        snprintf(name, sizeof name, "type %u", i);
        types[i] = covey_type_create(world, &(covey_type){ .name = name, .size = 4, .align = 4 });
        assert_non_null(types[i]);
        assert_non_null(covey_add_raw(world, e, types[i], &i));
    }
    test_world_is_valid(world);
    for (uint32_t i = 0; i < COUNT_OF(types); i++) assert_int_equal(*(uint32_t *)covey_get_raw(world, e, types[i]), i);
    assert_int_equal(covey_types_of(world, e, NULL, 0), COUNT_OF(types));
    covey_destroy(world, e);
    for (uint32_t i = 0; i < COUNT_OF(types); i++) assert_int_equal(covey_pool_count(covey_world_pool(world, i)), 0);
}

/* ---- Storage ------------------------------------------------------------------------------------------------------*/

/* Adds to entity 1 alone. In blocks it is at position 1, and there are no arrays; in a sparse set it is the first. */
static void assert_storage(const covey_type *description, covey_storage storage) {
    const covey_type *type = covey_type_create(world, description);
    covey_create(world);
    covey_entity e = covey_create(world);
    assert_non_null(type);
    assert_non_null(covey_add_raw(world, e, type, NULL));
    covey_pool *pool = covey_pool_find_raw(world, type);
    bool block = storage != COVEY_STORAGE_SPARSE;
    assert_int_equal(pool->storage, storage);
    assert_int_equal(covey_pool_count(pool), 1);
    assert_int_equal(covey_pool_next(pool, 0), block ? 1 : 0);
    assert_int_equal((covey_pool_position_count)(pool), block ? 0 : 1);
    assert_int_equal((covey_pool_ids)(pool) == NULL, block);
    world_teardown(NULL);
    assert_int_equal(world_setup(NULL), 0);
}

static void test_a_type_that_asks_for_nothing_is_kept_in_blocks(void **state) {
    (void)state;
    assert_storage(covey_id(Position), COVEY_STORAGE_BLOCK);
    assert_storage(covey_id(Frozen), COVEY_STORAGE_BLOCK);
    assert_storage(&(covey_type){ .name = "Made", .size = 4, .align = 4 }, COVEY_STORAGE_BLOCK);
    assert_storage(&(covey_type){ .name = "Made", .size = 4, .zero_erased = true }, COVEY_STORAGE_BLOCK);
    assert_storage(&(covey_type){ .name = "Made", .size = 4, .storage = COVEY_STORAGE_BLOCK }, COVEY_STORAGE_BLOCK);
    /* The first policy is 0, which names none. */
    assert_storage(&(covey_type){ .name = "Made", .size = 4, .policy = COVEY_SWAP_AND_POP }, COVEY_STORAGE_BLOCK);
}

static void test_a_type_that_asks_to_be_pinned_is(void **state) {
    (void)state;
    assert_storage(&(covey_type){ .name = "Made", .size = 4, .storage = COVEY_STORAGE_PINNED }, COVEY_STORAGE_PINNED);
    assert_storage(&(covey_type){ .name = "MadeTag", .storage = COVEY_STORAGE_PINNED }, COVEY_STORAGE_PINNED);
}

static void test_a_type_that_asks_for_a_sparse_set_gets_one(void **state) {
    (void)state;
    assert_storage(&(covey_type){ .name = "Made", .size = 4, .storage = COVEY_STORAGE_SPARSE }, COVEY_STORAGE_SPARSE);
    assert_storage(&(covey_type){ .name = "MadeTag", .storage = COVEY_STORAGE_SPARSE }, COVEY_STORAGE_SPARSE);
}

static void test_naming_a_policy_selects_a_sparse_set(void **state) {
    (void)state;
    for (covey_policy policy = COVEY_IN_PLACE; policy <= COVEY_ORDERED; policy++) {
        covey_type type = { .name = "Made", .size = 4, .align = 4, .policy = policy };
        assert_storage(&type, COVEY_STORAGE_SPARSE);
        type.storage = COVEY_STORAGE_SPARSE;
        assert_storage(&type, COVEY_STORAGE_SPARSE);
        for (type.storage = COVEY_STORAGE_BLOCK; type.storage <= COVEY_STORAGE_PINNED; type.storage++) {
            assert_null(covey_type_create(world, &type));
            assert_failed(COVEY_ERROR_TYPE);
        }
    }
}

/* ---- Names --------------------------------------------------------------------------------------------------------*/

/* What another shared library would have for Position. */
static const covey_type position_again = { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position) };

/* The world may remember that it does not know a type: until it does, by whatever descriptor. */
static void test_a_type_that_was_unknown_is_noticed_when_it_is_met(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    for (int i = 0; i < 2; i++) {
        assert_false(covey_has(world, e, Position));
        assert_null(covey_get(world, e, Position));
        assert_null(covey_pool_find_raw(world, covey_id(Position)));
    }
    Position value = { 1, 2 };
    assert_non_null(covey_add_raw(world, e, &position_again, &value));
    assert_true(covey_has(world, e, Position));
    assert_true(covey_get(world, e, Position)->y == 2);
    assert_true(covey_remove(world, e, Position));
    assert_false(covey_has(world, e, Position));
}

static void test_many_unknown_types_one_of_which_is_met(void **state) {
    (void)state;
    static covey_type types[200];
    static char names[COUNT_OF(types)][16];
    covey_entity e = covey_create(world);
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        snprintf(names[i], sizeof names[i], "unknown %u", i);
        types[i] = (covey_type){ .name = names[i], .size = 4, .align = 4, .storage = (covey_storage)(1 + i % 3) };
    }
    for (uint32_t met = 0; met < COUNT_OF(types); met += 33) {
        for (uint32_t i = 0; i < 2 * COUNT_OF(types); i++) {
            bool is_met = i % COUNT_OF(types) % 33 == 0 && i % COUNT_OF(types) < met;
            assert_int_equal(covey_has_raw(world, e, &types[i % COUNT_OF(types)]), is_met);
            assert_int_equal(covey_get_raw(world, e, &types[i % COUNT_OF(types)]) != NULL, is_met);
        }
        covey_type twin = types[met]; /* which another library would have; the world copies it */
        assert_non_null(covey_add_raw(world, e, covey_type_create(world, &twin), NULL));
    }
}

static void test_two_descriptors_of_one_name_share_a_pool(void **state) {
    (void)state;
    covey_entity e = covey_create(world), f = covey_create(world);
    covey_add(world, e, Position, { 1, 2 });
    assert_non_null(covey_add_raw(world, f, &position_again, NULL));
    assert_int_equal(covey_world_pool_count(world), 1);
    assert_ptr_equal(covey_pool_find_raw(world, &position_again), covey_pool_find_raw(world, covey_id(Position)));
    assert_true(covey_has(world, f, Position));
    assert_null(covey_add_raw(world, e, &position_again, NULL));
    assert_failed(COVEY_ERROR_PRESENT);
}

static void test_a_second_descriptor_reads_before_it_is_ever_added_with(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    covey_pool *pool = covey_pool_of(world, Position);
    const Position *position = covey_add(world, e, Position, { 1, 2 });
    uint64_t calls = heap.calls;
    const covey_type *again = &position_again;
    assert_true(covey_has_raw(world, e, again));
    assert_ptr_equal(covey_get_raw(world, e, again), position);
    assert_true(covey_has_all_raw(world, e, (const covey_type *[]){ again, covey_id(Position), NULL }));
    assert_true(covey_has_any_raw(world, e, (const covey_type *[]){ again, NULL }));
    assert_same(covey_find_raw(world, again, position, NULL), e);
    assert_ptr_equal(covey_pool_find_raw(world, again), pool);
    assert_ptr_equal(covey_patch_raw(world, e, again, NULL, NULL), position);
    Position value = { 3, 4 };
    assert_true(covey_replace_raw(world, e, again, &value));
    assert_true(value.x == 1 && position->x == 3);
    assert_int_equal(heap.calls, calls);
    assert_ptr_equal(covey_set_raw(world, e, again, &value), position);
    assert_true(covey_remove_raw(world, e, again));
    covey_add(world, e, Position, { 5, 6 });
    covey_clear_raw(world, again);
    assert_int_equal(covey_pool_count(pool), 0);
}

static void assert_another_layout(const covey_type *type) {
    covey_entity e = covey_create(world);
    covey_set(world, e, Position, { 1, 2 });
    uint64_t before = world_digest(world);
    assert_null(covey_add_raw(world, e, type, NULL));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_non_null(strstr(heard.text, "Position"));
    assert_null(covey_set_raw(world, e, type, NULL));
    assert_null(covey_get_or_add_raw(world, e, type, NULL));
    assert_null(covey_pool_of_raw(world, type));
    assert_null(covey_type_create(world, type));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_false(covey_add_array_raw(world, &e, 1, type, NULL));
    assert_failed(COVEY_ERROR_LAYOUT);
    assert_null(covey_get_raw(world, e, type));
    assert_null(covey_pool_find_raw(world, type));
    assert_false(covey_has_raw(world, e, type));
    assert_false(covey_remove_raw(world, e, type));
    covey_clear_raw(world, type);
    assert_int_equal(world_digest(world), before);
    covey_destroy(world, e);
}

static void drop_nothing(void *value, void *context) { (void)value, (void)context; }
static bool copy_nothing(void *to, const void *from, void *context) {
    (void)to, (void)from, (void)context;
    return true;
}

static void move_nothing(void *to, void *from, void *context) { (void)to, (void)from, (void)context; }
static covey_result save_nothing(covey_codec_writer *writer, const void *value, void *context) {
    (void)writer, (void)value, (void)context;
    return COVEY_OK;
}
static covey_result load_nothing(covey_codec_reader *reader, void *value, void *context) {
    (void)reader, (void)value, (void)context;
    return COVEY_OK;
}
static const covey_codec codec = { .save = save_nothing, .load = load_nothing };

static void test_one_name_with_another_policy_is_refused(void **state) {
    (void)state;
    covey_type type = { .name = "Kept in order", .size = 4, .align = 4, .policy = COVEY_ORDERED };
    assert_non_null(covey_type_create(world, &type));
    type.policy = COVEY_IN_PLACE;
    assert_null(covey_type_create(world, &type));
    assert_failed(COVEY_ERROR_LAYOUT);
}

static void test_one_name_with_another_layout_is_refused(void **state) {
    (void)state;
    const covey_type others[] = {
        { .name = "Position", .size = 2 * sizeof(Position), .align = _Alignof(Position) },
        { .name = "Position", .size = sizeof(Position), .align = 2 * _Alignof(Position) },
        { .name = "Position", .size = 0, .align = 1 },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .storage = COVEY_STORAGE_SPARSE },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .policy = COVEY_ORDERED },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .zero_erased = true },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .drop = drop_nothing },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .copy = copy_nothing },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .move = move_nothing },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .no_copy = true },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .ticks = true },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .transient = true },
        { .name = "Position", .size = sizeof(Position), .align = _Alignof(Position), .codec = &codec },
    };
    for (uint32_t i = 0; i < COUNT_OF(others); i++) assert_another_layout(&others[i]);
}

static void test_a_descriptor_that_is_not_valid_is_refused(void **state) {
    (void)state;
    const covey_type wrong[] = {
        { .size = 4, .align = 4 },
        { .name = "", .size = 4, .align = 4 },
        { .name = "Wrong", .size = 12, .align = 3 },
        { .name = "Wrong", .size = 128, .align = 128 },
        { .name = "Wrong", .size = 6, .align = 4 },
        { .name = "Wrong", .size = 4, .align = 4, .policy = (covey_policy)4 },
        { .name = "Wrong", .size = 4, .align = 4, .storage = (covey_storage)4 },
        { .name = "Wrong", .size = 4, .align = 4, .storage = COVEY_STORAGE_BLOCK, .policy = COVEY_IN_PLACE },
        { .name = "Wrong", .size = 4, .align = 4, .storage = COVEY_STORAGE_PINNED, .policy = COVEY_ORDERED },
        { .name = "Wrong", .drop = drop_nothing },
        { .name = "Wrong", .copy = copy_nothing },
        { .name = "Wrong", .zero_erased = true },
    };
    covey_entity e = covey_create(world);
    uint64_t before = world_digest(world);
    for (uint32_t i = 0; i < COUNT_OF(wrong); i++) {
        assert_null(covey_add_raw(world, e, &wrong[i], NULL));
        assert_failed(COVEY_ERROR_TYPE);
        world->inner->result = COVEY_OK;
        assert_null(covey_pool_of_raw(world, &wrong[i]));
        assert_failed(COVEY_ERROR_TYPE);
        world->inner->result = COVEY_OK;
        assert_null(covey_type_create(world, &wrong[i]));
        assert_failed(COVEY_ERROR_TYPE);
        assert_false(covey_has_raw(world, e, &wrong[i]));
    }
    assert_int_equal(world_digest(world), before);
    assert_int_equal(covey_world_pool_count(world), 0);
}

static void test_every_alignment_up_to_64_is_honoured(void **state) {
    (void)state;
    for (uint32_t i = 0; i < 14; i++) {
        uint32_t align = UINT32_C(1) << i / 2;
        char name[32];
        snprintf(name, sizeof name, "aligned %u", i);
        covey_type description = { .name = name, .size = align, .align = align };
        if (i % 2 == 0) description.storage = COVEY_STORAGE_SPARSE;
        const covey_type *type = covey_type_create(world, &description);
        for (uint32_t k = 0; k < 20; k++) {
            const void *value = covey_add_raw(world, covey_create(world), type, NULL);
            assert_non_null(value);
            assert_int_equal((uintptr_t)value % align, 0);
        }
    }
}

/* ---- Tags ---------------------------------------------------------------------------------------------------------*/

static void test_a_tag_is_there_or_not(void **state) {
    (void)state;
    covey_entity e = covey_create(world), f = covey_create(world);
    assert_true(covey_add_tag(world, e, Frozen));
    assert_false(covey_add_tag(world, e, Frozen));
    assert_failed(COVEY_ERROR_PRESENT);
    assert_true(covey_has(world, e, Frozen));
    assert_false(covey_has(world, f, Frozen));
    assert_true(covey_remove(world, e, Frozen));
    assert_false(covey_remove(world, e, Frozen));
    assert_false(covey_has(world, e, Frozen));
}

static void test_a_tag_that_is_there_has_an_address(void **state) {
    (void)state;
    covey_entity e = covey_create(world);
    assert_null(covey_get(world, e, Frozen));
    assert_true(covey_add_tag(world, e, Frozen));
    assert_non_null(covey_get(world, e, Frozen));
    assert_non_null(covey_get_raw(world, e, covey_id(Frozen)));
    assert_non_null(covey_set_raw(world, e, covey_id(Frozen), NULL));
    assert_true(covey_add_tag(world, e, FixedTag));
    assert_non_null(covey_get(world, e, FixedTag));
    assert_true(covey_add_tag(world, e, SparseTag));
    assert_non_null(covey_get(world, e, SparseTag));
}

static void test_a_tag_costs_ids_but_no_values(void **state) {
    (void)state;
    covey_pool *tags = covey_pool_of(world, SparseTag), *values = covey_pool_of(world, Packed);
    for (uint32_t i = 0; i < 100; i++) {
        covey_entity e = covey_create(world);
        assert_true(covey_add_tag(world, e, SparseTag));
        covey_add(world, e, Packed, { 1, 2 });
    }
    covey_shrink(world);
    assert_int_equal(covey_pool_memory(values) - covey_pool_memory(tags), 100 * sizeof(Packed));
}

/* ---- Types made at run time ---------------------------------------------------------------------------------------*/

static void test_a_type_made_at_run_time_outlives_its_description(void **state) {
    (void)state;
    covey_type *description = malloc(sizeof *description);
    char *name = malloc(16);
    strcpy(name, "Health");
    *description = (covey_type){ .name = name, .size = 4, .align = 4, .policy = COVEY_ORDERED };
    const covey_type *health = covey_type_create(world, description);
    memset(name, 'x', 15);
    free(name);
    free(description);
    assert_string_equal(health->name, "Health");
    assert_ptr_equal(covey_type_find(world, "Health"), health);
    covey_entity e = covey_create(world);
    assert_non_null(covey_add_raw(world, e, health, &(int32_t){ 7 }));
    assert_int_equal(*(int32_t *)covey_get_raw(world, e, health), 7);
    assert_int_equal(covey_sparse_set_policy(&covey_pool_find_raw(world, health)->sparse_set), COVEY_ORDERED);
}

static void test_making_a_known_type_again_returns_the_known_one(void **state) {
    (void)state;
    const covey_type description = { .name = "Health", .size = 4, .align = 4 };
    const covey_type *health = covey_type_create(world, &description);
    size_t bytes = covey_world_memory(world);
    assert_ptr_equal(covey_type_create(world, &description), health);
    assert_ptr_equal(covey_type_create(world, health), health);
    assert_int_equal(covey_world_memory(world), bytes);
    covey_pool_of(world, Position);
    assert_ptr_equal(covey_type_create(world, &position_again), covey_id(Position));
}

static void test_a_type_made_at_run_time_and_one_of_the_program_share_a_pool(void **state) {
    (void)state;
    const covey_type *made = covey_type_create(world, &position_again);
    covey_entity e = covey_create(world);
    covey_add(world, e, Position, { 1, 2 });
    assert_true(covey_has_raw(world, e, made));
    assert_int_equal(covey_world_pool_count(world), 1);
}

static void test_find_knows_only_types_that_the_world_met(void **state) {
    (void)state;
    assert_null(covey_type_find(world, "Position"));
    covey_pool_of(world, Position);
    assert_ptr_equal(covey_type_find(world, "Position"), covey_id(Position));
    assert_null(covey_type_find(world, "Positio"));
    assert_null(covey_type_find(world, ""));
}

/* ---- Who owns a value ---------------------------------------------------------------------------------------------*/

/* A value that owns something: every token is made once and must be dropped once. */
typedef struct Token {
    uint32_t number;
} Token;

typedef struct ledger {
    uint32_t made, dropped, copied;
    bool lost[512]; /* tokens that were dropped */
} ledger;
static ledger tokens;

static void token_drop(void *value, void *context) {
    ledger *book = context;
    const Token *token = value;
    assert_true(token->number < book->made);
    assert_false(book->lost[token->number]);
    book->lost[token->number] = true;
    book->dropped++;
}

static bool token_copy(void *to, const void *from, void *context) {
    ledger *book = context;
    (void)from;
    book->copied++;
    ((Token *)to)->number = book->made++;
    return true;
}

/* Written by hand, as any descriptor may be. */
#define TOKEN(T, ...)                                                                                       \
    COVEY_COMPONENT_DECLARE(T);                                                                             \
    const covey_type covey_type_##T = {                                                                     \
        #T, sizeof(T), _Alignof(T), .drop = token_drop, .copy = token_copy, .context = &tokens, __VA_ARGS__ \
    }
typedef Token PackedToken;
typedef Token FixedToken;
typedef Token KeptToken;
typedef Token OrderedToken;
typedef Token BlockedToken;
typedef Token PinnedToken;
TOKEN(PackedToken, .storage = COVEY_STORAGE_SPARSE);
TOKEN(FixedToken, .policy = COVEY_IN_PLACE);
TOKEN(KeptToken, .policy = COVEY_SWAP_ONLY);
TOKEN(OrderedToken, .policy = COVEY_ORDERED);
TOKEN(BlockedToken, .storage = COVEY_STORAGE_BLOCK);
TOKEN(PinnedToken, .storage = COVEY_STORAGE_PINNED);

static const covey_type *const token_types[] = {
    covey_id(PackedToken),  covey_id(FixedToken),   covey_id(KeptToken),
    covey_id(OrderedToken), covey_id(BlockedToken), covey_id(PinnedToken)
};

static Token make_token(void) {
    assert_true(tokens.made < COUNT_OF(tokens.lost));
    return (Token){ tokens.made++ };
}

static Token *add_token(covey_entity e, const covey_type *type) {
    Token token = make_token();
    return covey_add_raw(world, e, type, &token);
}

static void for_each_token_type(void (*test)(const covey_type *type)) {
    for (uint32_t i = 0; i < COUNT_OF(token_types); i++) {
        tokens = (ledger){ 0 };
        test(token_types[i]);
        covey_clear_components(world);
        assert_int_equal(tokens.dropped, tokens.made); /* each once: token_drop looks */
        covey_destroy_all(world);
        covey_compact(world);
    }
}

static void set_drops_the_old(const covey_type *type) {
    covey_entity e = covey_create(world);
    add_token(e, type);
    Token token = make_token();
    assert_non_null(covey_set_raw(world, e, type, &token));
    assert_true(tokens.lost[0]);
    assert_int_equal(tokens.dropped, 1);
    Token *there = covey_get_raw(world, e, type);
    assert_ptr_equal(covey_set_raw(world, e, type, there), there);
    assert_int_equal(tokens.dropped, 1); /* set from itself */
}
static void test_set_drops_the_old_value(void **state) {
    (void)state;
    for_each_token_type(set_drops_the_old);
}

static void replace_hands_back(const covey_type *type) {
    covey_entity e = covey_create(world);
    add_token(e, type);
    Token token = make_token();
    assert_true(covey_replace_raw(world, e, type, &token));
    assert_int_equal(token.number, 0);
    assert_int_equal(tokens.dropped, 0);
    token_drop(&token, &tokens);
}
static void test_replace_hands_the_old_value_back(void **state) {
    (void)state;
    for_each_token_type(replace_hands_back);
}

static void failed_add_keeps(const covey_type *type) {
    covey_entity e = covey_create(world), dead = covey_create(world);
    covey_destroy(world, dead);
    add_token(e, type);
    Token token = make_token();
    assert_null(covey_add_raw(world, e, type, &token));
    assert_null(covey_add_raw(world, dead, type, &token));
    assert_null(covey_set_raw(world, dead, type, &token));
    assert_non_null(covey_get_or_add_raw(world, e, type, &token));
    assert_false(covey_replace_raw(world, dead, type, &token));
    assert_int_equal(tokens.dropped, 0);
    assert_int_equal(token.number, 1);
    token_drop(&token, &tokens);
}
static void test_a_call_that_fails_leaves_the_value_with_the_caller(void **state) {
    (void)state;
    for_each_token_type(failed_add_keeps);
}

static void remove_drops_once(const covey_type *type) {
    covey_entity e[5];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) add_token(e[i] = covey_create(world), type);
    const uint32_t order[] = { 1, 4, 0 }; /* in the middle, the last, the first */
    for (uint32_t i = 0; i < COUNT_OF(order); i++) {
        assert_true(covey_remove_raw(world, e[order[i]], type));
        assert_true(tokens.lost[order[i]]);
        assert_false(covey_remove_raw(world, e[order[i]], type));
        assert_int_equal(tokens.dropped, i + 1);
    }
    assert_non_null(add_token(e[1], type));
    assert_int_equal(tokens.dropped, 3); /* what is behind the live ones, or a hole, is no value any more */
}
static void test_remove_drops_exactly_once(void **state) {
    (void)state;
    for_each_token_type(remove_drops_once);
}

static void destroy_drops_once(const covey_type *type) {
    covey_entity e[4];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) add_token(e[i] = covey_create(world), type);
    assert_true(covey_destroy(world, e[1]));
    assert_int_equal(tokens.dropped, 1);
    assert_true(tokens.lost[1]);
    assert_false(covey_destroy(world, e[1]));
    assert_int_equal(tokens.dropped, 1);
    covey_destroy_all(world);
    assert_int_equal(tokens.dropped, 4);
}
static void test_destroy_drops_exactly_once(void **state) {
    (void)state;
    for_each_token_type(destroy_drops_once);
}

static void clear_drops_once(const covey_type *type) {
    covey_entity e[6];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) add_token(e[i] = covey_create(world), type);
    covey_remove_raw(world, e[2], type);
    covey_remove_raw(world, e[5], type);
    covey_clear_raw(world, type);
    assert_int_equal(tokens.dropped, 6);
    covey_clear_raw(world, type);
    assert_int_equal(tokens.dropped, 6);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) assert_non_null(add_token(e[i], type));
    covey_clear_components(world);
    assert_int_equal(tokens.dropped, 12);
}
static void test_clear_drops_exactly_once(void **state) {
    (void)state;
    for_each_token_type(clear_drops_once);
}

static void moving_drops_nothing(const covey_type *type) {
    covey_entity e[40];
    for (uint32_t i = 0; i < COUNT_OF(e); i++) add_token(e[i] = covey_create(world), type);
    for (uint32_t i = 0; i < COUNT_OF(e); i += 3) covey_remove_raw(world, e[i], type);
    uint32_t dropped = tokens.dropped;
    covey_compact(world);
    covey_shrink(world);
    covey_pool_swap(covey_pool_find_raw(world, type), e[1], e[2]);
    assert_int_equal(tokens.dropped, dropped);
    assert_int_equal(tokens.copied, 0);
    for (uint32_t i = 0; i < COUNT_OF(e); i++) {
        const Token *token = covey_get_raw(world, e[i], type);
        if (i % 3 == 0) assert_null(token);
        else assert_int_equal(token->number, i);
    }
}
static void test_growing_and_compacting_move_values_without_dropping_them(void **state) {
    (void)state;
    for_each_token_type(moving_drops_nothing);
}

static void test_destroying_the_world_drops_every_value_once(void **state) {
    (void)state;
    tokens = (ledger){ 0 };
    covey_world_desc desc = world_desc();
    covey_world *other = covey_world_create(&desc);
    for (uint32_t i = 0; i < COUNT_OF(token_types); i++) {
        covey_entity e[5];
        for (uint32_t k = 0; k < COUNT_OF(e); k++) {
            Token token = make_token();
            e[k] = covey_create(other);
            covey_add_raw(other, e[k], token_types[i], &token);
        }
        covey_remove_raw(other, e[1], token_types[i]);
    }
    covey_world_destroy(other);
    assert_int_equal(tokens.made, 5 * COUNT_OF(token_types));
    assert_int_equal(tokens.dropped, 5 * COUNT_OF(token_types));
}

/* The entity is no longer alive when its first component is dropped. */
static covey_entity dying;
static uint32_t witnessed;
static void witness_drop(void *value, void *context) {
    (void)value, (void)context;
    witnessed++;
    assert_false(covey_alive(world, dying));
    assert_false(covey_is_empty(world, dying));
}
typedef Token Witness;
COVEY_COMPONENT_DEFINE(Witness, .drop = witness_drop);

static void test_an_entity_is_dead_when_its_first_component_is_dropped(void **state) {
    (void)state;
    dying = covey_create(world);
    witnessed = 0;
    covey_add(world, dying, Witness, { 0 });
    covey_destroy(world, dying);
    assert_int_equal(witnessed, 1);
}

static void test_zero_erased_leaves_no_bytes_behind(void **state) {
    (void)state;
    for (uint32_t policy = COVEY_SWAP_AND_POP; policy <= COVEY_ORDERED; policy++) {
        char name[32];
        snprintf(name, sizeof name, "secret %u", policy);
        const covey_type *type = covey_type_create(world, &(covey_type){ .name = name,
                                                                         .size = 4,
                                                                         .align = 4,
                                                                         .storage = COVEY_STORAGE_SPARSE,
                                                                         .policy = (covey_policy)policy,
                                                                         .zero_erased = true });
        covey_entity e = covey_create(world);
        uint32_t *value = covey_add_raw(world, e, type, &(uint32_t){ 0xABCDEF });
        covey_remove_raw(world, e, type);
        assert_int_equal(*value, 0); /* REQ-41 */
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_queries_of_a_type_no_world_knows_find_nothing_and_make_nothing),
        WORLD_TEST(test_a_type_is_used_without_being_registered),
        WORLD_TEST(test_one_type_serves_two_worlds_at_once),
        WORLD_TEST(test_two_components_over_one_c_type_are_two_components),
        WORLD_TEST(test_300_types_in_one_world_keep_apart),
        WORLD_TEST(test_a_type_that_asks_for_nothing_is_kept_in_blocks),
        WORLD_TEST(test_a_type_that_asks_to_be_pinned_is),
        WORLD_TEST(test_a_type_that_asks_for_a_sparse_set_gets_one),
        WORLD_TEST(test_naming_a_policy_selects_a_sparse_set),
        WORLD_TEST(test_a_type_that_was_unknown_is_noticed_when_it_is_met),
        WORLD_TEST(test_many_unknown_types_one_of_which_is_met),
        WORLD_TEST(test_two_descriptors_of_one_name_share_a_pool),
        WORLD_TEST(test_a_second_descriptor_reads_before_it_is_ever_added_with),
        WORLD_TEST(test_one_name_with_another_policy_is_refused),
        WORLD_TEST(test_one_name_with_another_layout_is_refused),
        WORLD_TEST(test_a_descriptor_that_is_not_valid_is_refused),
        WORLD_TEST(test_every_alignment_up_to_64_is_honoured),
        WORLD_TEST(test_a_tag_is_there_or_not),
        WORLD_TEST(test_a_tag_that_is_there_has_an_address),
        WORLD_TEST(test_a_tag_costs_ids_but_no_values),
        WORLD_TEST(test_a_type_made_at_run_time_outlives_its_description),
        WORLD_TEST(test_making_a_known_type_again_returns_the_known_one),
        WORLD_TEST(test_a_type_made_at_run_time_and_one_of_the_program_share_a_pool),
        WORLD_TEST(test_find_knows_only_types_that_the_world_met),
        WORLD_TEST(test_set_drops_the_old_value),
        WORLD_TEST(test_replace_hands_the_old_value_back),
        WORLD_TEST(test_a_call_that_fails_leaves_the_value_with_the_caller),
        WORLD_TEST(test_remove_drops_exactly_once),
        WORLD_TEST(test_destroy_drops_exactly_once),
        WORLD_TEST(test_clear_drops_exactly_once),
        WORLD_TEST(test_growing_and_compacting_move_values_without_dropping_them),
        WORLD_TEST(test_destroying_the_world_drops_every_value_once),
        WORLD_TEST(test_an_entity_is_dead_when_its_first_component_is_dropped),
        WORLD_TEST(test_zero_erased_leaves_no_bytes_behind),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
