#include "memory/inner.h"
#include "fixture.h"

#include <covey/hierarchy.h>
#include <stdio.h>

test_heap heap;
covey_world *world;
test_heard heard;

static void listen(covey_result result, const char *text, void *context) {
    assert_ptr_equal(context, &heard);
    heard.times++;
    heard.result = result;
    snprintf(heard.text, sizeof heard.text, "%s", text);
}

static void assertion(const char *what, const char *file, int line, void *context) {
    (void)context;
    mock_assert(false, what, file, line);
}

covey_world_desc world_desc(void) {
    return (covey_world_desc){
        .allocator = test_allocator(&heap),
        .log = listen,
        .log_context = &heard,
        .on_assert = assertion,
    };
}

int world_setup(void **state) {
    (void)state;
    heap = (test_heap){ 0 };
    heard = (test_heard){ 0 };
    covey_world_desc desc = world_desc();
    world = covey_world_create(&desc);
    return world ? 0 : -1;
}

int world_teardown(void **state) {
    (void)state;
    test_world_is_valid(world);
    assert_int_equal(covey_world_memory(world), heap.bytes);
    covey_world_destroy(world);
    world = NULL;
    assert_int_equal(heap.bytes, 0);
    assert_int_equal(heap.blocks, 0);
    return 0;
}

/* ---- A component for each storage and policy ----------------------------------------------------------------------*/

COVEY_COMPONENT_DEFINE(Packed, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Fixed, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Kept, .policy = COVEY_SWAP_ONLY);
COVEY_COMPONENT_DEFINE(Ordered, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(Blocked, .storage = COVEY_STORAGE_BLOCK);
COVEY_COMPONENT_DEFINE(Pinned, .storage = COVEY_STORAGE_PINNED);
COVEY_TAG_DEFINE(Marked, .storage = COVEY_STORAGE_SPARSE);

const covey_type *const policy_types[4] = { covey_id(Packed), covey_id(Fixed), covey_id(Kept), covey_id(Ordered) };
const covey_type *const storage_types[6] = { covey_id(Packed),  covey_id(Fixed),   covey_id(Kept),
                                             covey_id(Ordered), covey_id(Blocked), covey_id(Pinned) };

static void test_in_new_world(void (*test)(const covey_type *type), const covey_type *type) {
    print_message("    %s\n", type->name);
    test(type);
    world_teardown(NULL);
    assert_int_equal(world_setup(NULL), 0);
}

void for_each_policy(void (*test)(const covey_type *type)) {
    for (uint32_t i = 0; i < COUNT_OF(policy_types); i++) test_in_new_world(test, policy_types[i]);
}

void for_each_storage(void (*test)(const covey_type *type)) {
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) test_in_new_world(test, storage_types[i]);
}

Value value_of(uint32_t number) { return (Value){ number, ~number }; }

Value *add_value(covey_entity e, const covey_type *type, uint32_t number) {
    Value value = value_of(number);
    return covey_add_raw(world, e, type, &value);
}

covey_entity create_with(const covey_type *type, uint32_t number) {
    covey_entity e = covey_create(world);
    assert_non_null(add_value(e, type, number));
    return e;
}

Value *get_value(covey_entity e, const covey_type *type) { return covey_get_raw(world, e, type); }

bool remove_value(covey_entity e, const covey_type *type) { return covey_remove_raw(world, e, type); }

void assert_value(covey_entity e, const covey_type *type, uint32_t number) {
    const Value *value = get_value(e, type);
    assert_non_null(value);
    assert_int_equal(value->number, number);
    assert_int_equal(value->check, ~number);
}

/* ---- The digest ---------------------------------------------------------------------------------------------------*/

static void mix(uint64_t *digest, const void *bytes, size_t size) {
    const unsigned char *byte = bytes;
    for (size_t i = 0; i < size; i++) *digest = (*digest ^ byte[i]) * UINT64_C(0x100000001B3);
}

/* What is known of indices without an entity. */
static void mix_free(uint64_t *digest, const covey_world *of) {
    for (uint32_t index = covey_index_next(of, 0); index != COVEY_NONE; index = covey_index_next(of, index + 1)) {
        uint32_t generation = covey_generation_at(of, index);
        if (!covey_is_null(covey_entity_at(of, index))) continue;
        mix(digest, &index, sizeof index);
        mix(digest, &generation, sizeof generation);
    }
}

static void mix_pool(uint64_t *digest, const covey_pool *pool) {
    const covey_type *type = covey_pool_type(pool);
    if (strncmp(type->name, "covey.", 6) == 0) return;
    mix(digest, type->name, strlen(type->name));
    for (uint32_t i = covey_pool_next(pool, 0); i != COVEY_NONE; i = covey_pool_next(pool, i + 1)) {
        covey_entity e = covey_pool_at(pool, i);
        mix(digest, &i, sizeof i);
        mix(digest, &e, sizeof e);
        mix(digest, covey_pool_get_raw(pool, e), type->size);
        bool enabled = covey_component_is_enabled_raw(covey_pool_world(pool), e, type);
        uint64_t tick = covey_changed_at_raw(covey_pool_world(pool), e, type);
        mix(digest, &enabled, sizeof enabled);
        mix(digest, &tick, sizeof tick);
    }
    uint32_t size = (covey_pool_position_count)(pool);
    mix(digest, &size, sizeof size);
}

/* The name, the parent and the next sibling of an entity. */
static void mix_place(uint64_t *digest, const covey_world *of, covey_entity e) {
    const char *name = covey_name(of, e);
    covey_entity parent = covey_parent(of, e), next = covey_child_next(of, e);
    if (name) mix(digest, name, strlen(name));
    mix(digest, &parent, sizeof parent);
    mix(digest, &next, sizeof next);
}

static void mix_visit(covey_entity e, void *digest) { mix(digest, &e, sizeof e); }

uint64_t world_digest(const covey_world *of) {
    uint64_t digest = UINT64_C(0xCBF29CE484222325);
    covey_entity e = { 0, 0 };
    while (!covey_is_null(e = covey_entity_next(of, e))) {
        mix(&digest, &e, sizeof e);
        mix_place(&digest, of, e);
    }
    mix_free(&digest, of);
    for (uint32_t i = 0; i < of->inner->reserved_count; i++)
        mix(&digest, &of->inner->reserved[i].first, 2 * sizeof(uint32_t));
    for (uint32_t i = 0; i < covey_world_pool_count(of); i++) mix_pool(&digest, covey_world_pool(of, i));
    test_walk(of, mix_visit, &digest);
    return digest;
}

/* ---- Small words --------------------------------------------------------------------------------------------------*/

covey_entity entity(uint32_t index, uint32_t generation) { return covey__entity(index, generation); }

void assert_same(covey_entity a, covey_entity b) {
    if (!covey_same(a, b)) fail_msg("%u:%u is not %u:%u", a.index, a.generation, b.index, b.generation);
}

void assert_no_entity(covey_entity e) {
    if (!covey_is_null(e)) fail_msg("%u:%u is not null", e.index, e.generation);
}

void assert_failed(covey_result reason) {
    assert_int_equal(covey_world_result(world), reason);
    assert_int_equal(heard.result, reason);
}

covey_entity last_life(covey_entity e) {
    assert_true(covey_alive(world, e) && covey_is_empty(world, e));
    e.generation = COVEY_GENERATION_MAX;
    world->pages[e.index / COVEY_PAGE_SIZE]->generation[e.index % COVEY_PAGE_SIZE] = e.generation;
    return e;
}

void assert_reason(const char *reason) {
    const char *why = NULL;
    assert_false(covey_world_validate(world, &why));
    assert_string_equal(why, reason);
    assert_false(covey_world_validate(world, NULL));
}

void break_world(void *place, const void *bytes, size_t size, const char *reason) {
    char saved[64];
    assert_true(size <= sizeof saved);
    memcpy(saved, place, size);
    assert_memory_not_equal(saved, bytes, size);
    memcpy(place, bytes, size);
    assert_reason(reason);
    memcpy(place, saved, size);
    test_world_is_valid(world);
}

void break_id(covey_entity *place, covey_entity id, const char *reason) { break_world(place, &id, sizeof id, reason); }
