/* Values that only their hooks move, in calls that fail half way. The hooks keep a list of the addresses that hold a
 * value: moving, dropping or copying from another address, or making a value over one, is an error. */
#include "fixture.h"

#include <covey/history.h>
#include <covey/image.h>

/* ---- Addresses that hold a value ----------------------------------------------------------------------------------*/

typedef struct Live {
    uint32_t number, check;
    uint64_t unused; /* of 16 bytes, so that blocks are compact for longer */
} Live;

enum { PLACES = 1 << 14 };
static const void *places[PLACES]; /* a hash table without removal of entries: NULL ends a search, EMPTY does not */
static uint32_t alive, copies_left;
static const char emptied;
#define EMPTY ((const void *)&emptied)

static const void **place_of(const void *address) {
    uint32_t at = (uint32_t)((uintptr_t)address / 8 * 2654435761u) % PLACES;
    while (places[at] && places[at] != address) at = (at + 1) % PLACES;
    return &places[at];
}

static bool is_live(const void *address) { return *place_of(address) == address; }

static void note_made(const void *address) {
    assert_false(is_live(address));
    *place_of(address) = address;
    alive++;
}

static void note_ended(const void *address) {
    assert_true(is_live(address));
    *place_of(address) = EMPTY;
    alive--;
}

static Live *make(Live *live, uint32_t number) {
    *live = (Live){ number, ~number, 0 };
    note_made(live);
    return live;
}

static void drop(void *value, void *context) {
    (void)context;
    note_ended(value);
    memset(value, 0xDD, sizeof(Live));
}

static void move(void *to, void *from, void *context) {
    (void)context;
    note_ended(from);
    note_made(to);
    memcpy(to, from, sizeof(Live));
    memset(from, 0xEE, sizeof(Live));
}

static bool copy(void *to, const void *from, void *context) {
    (void)context;
    assert_true(is_live(from));
    if (copies_left == 0) return false;
    copies_left--;
    note_made(to);
    memcpy(to, from, sizeof(Live));
    return true;
}

static covey_result save(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    assert_true(is_live(value));
    covey_codec_write(writer, COVEY_KIND_U32, value, 2);
    return COVEY_OK;
}

static covey_result load(covey_codec_reader *reader, void *value, void *context) {
    (void)context;
    if (copies_left == 0) return COVEY_ERROR_IMAGE;
    copies_left--;
    note_made(value);
    memset(value, 0, sizeof(Live));
    covey_codec_read(reader, COVEY_KIND_U32, value, 2);
    return COVEY_OK;
}

static const covey_codec codec = { .save = save, .load = load };

#define HOOKS .move = move, .drop = drop, .copy = copy, .codec = &codec
typedef Live InBlocks;
typedef Live InSet;
typedef Live InPlace;
typedef Live InOrder;
typedef Live Shelved;
typedef Live Still;
typedef Live Wiped;
typedef Live WipedBlock;
COVEY_COMPONENT_DEFINE(InBlocks, HOOKS);
COVEY_COMPONENT_DEFINE(InSet, .storage = COVEY_STORAGE_SPARSE, HOOKS);
COVEY_COMPONENT_DEFINE(InPlace, .policy = COVEY_IN_PLACE, HOOKS);
COVEY_COMPONENT_DEFINE(InOrder, .policy = COVEY_ORDERED, HOOKS);
COVEY_COMPONENT_DEFINE(Shelved, .policy = COVEY_SWAP_ONLY, HOOKS);
COVEY_COMPONENT_DEFINE(Still, .storage = COVEY_STORAGE_PINNED, HOOKS);
COVEY_COMPONENT_DEFINE(Wiped, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true, HOOKS);
COVEY_COMPONENT_DEFINE(WipedBlock, .zero_erased = true, HOOKS);
static const covey_type *const types[] = { covey_id(InBlocks), covey_id(InSet),      covey_id(InPlace),
                                           covey_id(InOrder),  covey_id(Shelved),    covey_id(Still),
                                           covey_id(Wiped),    covey_id(WipedBlock), NULL };
enum { TYPES = 8 };

COVEY_TAG_DEFINE(Friend); /* what groups ask for besides */

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

enum { ENTITIES = 150, BEFORE = 24 };

static covey_entity e[ENTITIES];
static Live model; /* what is copied */

static int undo_setup(void **state) {
    memset(places, 0, sizeof places);
    alive = 0;
    copies_left = UINT32_MAX;
    if (world_setup(state) != 0 || !covey_create_many(world, e, ENTITIES)) return -1;
    for (uint32_t t = 0; t < TYPES; t++)
        if (!covey_pool_of_raw(world, types[t])) return -1;
    make(&model, 7);
    return 0;
}

static int undo_teardown(void **state) {
    drop(&model, NULL);
    int result = world_teardown(state);
    assert_int_equal(alive, 0);
    return result;
}

#define UNDO_TEST(test) cmocka_unit_test_setup_teardown(test, undo_setup, undo_teardown)

static void anew(void) {
    undo_teardown(NULL);
    assert_int_equal(undo_setup(NULL), 0);
}

static void add_one(covey_entity to, const covey_type *type, uint32_t number) {
    Live live;
    assert_non_null(covey_add_raw(world, to, type, make(&live, number)));
}

/* Some entities have the component, and others had it: there are holes, and dead elements. */
static void have_some(const covey_type *type) {
    for (uint32_t i = 0; i < BEFORE; i++) add_one(e[i * 6], type, i);
    for (uint32_t i = 0; i < BEFORE; i += 3) assert_true(covey_remove_raw(world, e[i * 6], type));
}

/* What observes the pool: nothing, a group that owns it or not, or an order. Some of them are refused. */
enum { OBSERVERS = 4 };
static void observe(const covey_type *type, uint32_t kind) {
    covey_group_desc owning = { .own = { type }, .with = { covey_id(Friend) } };
    covey_group_desc asking = { .with = { type, covey_id(Friend) } };
    for (uint32_t i = 0; i < ENTITIES; i += 2) covey_add_tag(world, e[i], Friend);
    if (kind == 1) (void)covey_group_create(world, &owning);
    if (kind == 2) (void)covey_group_create(world, &asking);
    if (kind == 3) (void)covey_pool_keep_sorted(covey_pool_of_raw(world, type), &(covey_order){ .key = COVEY_KEY_U32 });
}

static uint32_t next_coprime(uint32_t i) { return i * 7 % ENTITIES; }

/* Entities that lack the component: in order, in the opposite order, or scattered. */
enum { ORDERS = 3 };
static uint32_t list_absent(const covey_type *type, uint32_t order, covey_entity *list) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_entity one = e[order == 0 ? i : order == 1 ? ENTITIES - 1 - i : next_coprime(i)];
        if (!covey_has_raw(world, one, type)) list[count++] = one;
    }
    return count;
}

/* All values of the world are live, and nothing else is, but for values of the test. */
static void values_are_live(uint32_t others) {
    uint32_t count = others;
    test_world_is_valid(world);
    for (uint32_t t = 0; t < TYPES; t++) {
        const covey_pool *pool = covey_pool_find_raw(world, types[t]);
        for (uint32_t at = 0; pool && (at = covey_pool_next(pool, at)) != COVEY_NONE; at++, count++) {
            const Live *live = covey_pool_value_at_raw(pool, at);
            assert_true(is_live(live));
            assert_int_equal(live->check, ~live->number);
        }
    }
    assert_int_equal(alive, count);
}

static uint64_t digest;

/* A call has failed for this reason, and nothing has changed. The test has values of its own. */
static void failed_safely(covey_result reason, uint32_t others) {
    assert_int_equal(covey_world_result(world), reason);
    values_are_live(others);
    assert_true(world_digest(world) == digest);
}

/* Runs a test with each type, observer and order of entities, in a world of its own. */
typedef void trial(const covey_type *type, covey_entity *list, uint32_t count);
static void for_each_scene(trial *test) {
    static covey_entity list[ENTITIES];
    for (uint32_t t = 0; t < TYPES; t++)
        for (uint32_t kind = 0; kind < OBSERVERS; kind++)
            for (uint32_t order = 0; order < 2 * ORDERS; order++) {
                if (order < ORDERS) have_some(types[t]);
                observe(types[t], kind);
                covey_shrink(world);
                digest = world_digest(world);
                test(types[t], list, list_absent(types[t], order % ORDERS, list));
                values_are_live(1);
                anew();
            }
}

/* Each allocation of a call fails in turn, once or for good, until the call succeeds. */
typedef bool call(const covey_type *type, const covey_entity *list, uint32_t count);
static void fail_in_turn(call *try, const covey_type *type, const covey_entity *list, uint32_t count, uint32_t others) {
    for (uint64_t at = 1;; at++) {
        test_fail_at(&heap, at, at % 2 == 0);
        bool done = try(type, list, count);
        test_fail_never(&heap);
        if (done) break;
        failed_safely(COVEY_ERROR_MEMORY, others);
    }
}

/* ---- Copies -------------------------------------------------------------------------------------------------------*/

static bool add_copies(const covey_type *type, const covey_entity *list, uint32_t count) {
    return covey_add_copies_raw(world, list, count, type, &model);
}

static void refuse_copies(const covey_type *type, covey_entity *list, uint32_t count) {
    for (uint32_t n = 0; n < count; n += n < 5 ? 1 : 13) {
        copies_left = n;
        assert_false(add_copies(type, list, count));
        failed_safely(COVEY_ERROR_COPY, 1);
    }
}

static void test_a_copy_is_refused(void **state) {
    (void)state;
    for_each_scene(refuse_copies);
}

/* Calls a function with lists that have one of their entities twice. */
static void list_twice(call *try, const covey_type *type, covey_entity *list, uint32_t count, uint32_t others) {
    for (uint32_t at = 1; at < count; at += at < 4 ? 1 : 17) {
        covey_entity one = list[at];
        list[at] = list[at / 2];
        assert_false(try(type, list, count));
        failed_safely(COVEY_ERROR_PRESENT, others);
        list[at] = one;
    }
}

static void copy_twice(const covey_type *type, covey_entity *list, uint32_t count) {
    list_twice(add_copies, type, list, count, 1);
}

static void test_an_entity_is_listed_twice(void **state) {
    (void)state;
    for_each_scene(copy_twice);
}

static void copy_without_memory(const covey_type *type, covey_entity *list, uint32_t count) {
    fail_in_turn(add_copies, type, list, count, 1);
}

static void test_copies_without_memory(void **state) {
    (void)state;
    for_each_scene(copy_without_memory);
}

/* ---- Values that move in ------------------------------------------------------------------------------------------*/

static Live given[ENTITIES];

static bool add_array(const covey_type *type, const covey_entity *list, uint32_t count) {
    return covey_add_array_raw(world, list, count, type, given);
}

static void make_given(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) make(&given[i], i);
}

/* The values belong to the program again, where they were. */
static void drop_given(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        assert_int_equal(given[i].number, i);
        drop(&given[i], NULL);
    }
}

static void move_twice(const covey_type *type, covey_entity *list, uint32_t count) {
    make_given(count);
    list_twice(add_array, type, list, count, 1 + count);
    drop_given(count);
}

static void move_without_memory(const covey_type *type, covey_entity *list, uint32_t count) {
    make_given(count);
    fail_in_turn(add_array, type, list, count, 1 + count);
}

static void test_values_that_move_in(void **state) {
    (void)state;
    for_each_scene(move_twice);
    for_each_scene(move_without_memory);
}

/* ---- New entities -------------------------------------------------------------------------------------------------*/

/* Creates entities with copies of this type, and of others before and behind it; some values move in. */
static bool create_many(const covey_type *type, const covey_entity *list, uint32_t count) {
    static covey_entity made[ENTITIES];
    const covey_type *first = type == covey_id(InBlocks) ? covey_id(Still) : covey_id(InBlocks);
    const covey_type *last = type == covey_id(InSet) ? covey_id(InPlace) : covey_id(InSet);
    (void)list;
    return covey_create_many_with_raw(world, made, count,
                                      (const covey_component[]){ { .type = first, .value = &model },
                                                                 { .type = type, .value = &model },
                                                                 { .type = covey_id(Shelved), .values = given },
                                                                 { .type = last, .value = &model },
                                                                 { 0 } });
}

static void create_refused(const covey_type *type, covey_entity *list, uint32_t count) {
    if (type == covey_id(Shelved)) return;
    make_given(count);
    for (uint32_t n = 0; n < 3 * count; n += 29) {
        copies_left = n;
        assert_false(create_many(type, list, count));
        failed_safely(COVEY_ERROR_COPY, 1 + count);
    }
    copies_left = UINT32_MAX;
    fail_in_turn(create_many, type, list, count, 1 + count);
}

static void test_entities_are_created(void **state) {
    (void)state;
    for_each_scene(create_refused);
}

/* ---- Copies of entities -------------------------------------------------------------------------------------------*/

static bool clone_some(const covey_type *type, const covey_entity *list, uint32_t count) {
    static covey_entity clones[20];
    (void)type, (void)count;
    return covey_clone(world, list[0], clones, 20);
}

static bool copy_to(const covey_type *type, const covey_entity *list, uint32_t count) {
    (void)type, (void)count;
    return covey_copy(world, list[0], list[1]);
}

/* Another type comes first, so that something has been done when the type fails. */
static void copy_entities(const covey_type *type, covey_entity *list, uint32_t count) {
    static call *const calls[] = { clone_some, copy_to };
    add_one(list[0], type, 1);
    for (uint32_t t = 0; t < TYPES; t += 3)
        if (types[t] != type) add_one(list[0], types[t], 2);
    covey_shrink(world);
    digest = world_digest(world);
    for (uint32_t i = 0; i < COUNT_OF(calls); i++) {
        copies_left = i == 0 ? 20 : 0;
        assert_false(calls[i](type, list, count));
        failed_safely(COVEY_ERROR_COPY, 1);
        copies_left = UINT32_MAX;
        fail_in_turn(calls[i], type, list, count, 1);
        digest = world_digest(world);
    }
}

static void test_entities_are_copied(void **state) {
    (void)state;
    for_each_scene(copy_entities);
}

/* ---- Whole pools and worlds ---------------------------------------------------------------------------------------*/

static bool convert(const covey_type *type, const covey_entity *list, uint32_t count) {
    covey_pool *pool = covey_pool_of_raw(world, type);
    (void)list, (void)count;
    covey_storage to = covey_pool_storage(pool) == COVEY_STORAGE_BLOCK ? COVEY_STORAGE_SPARSE : COVEY_STORAGE_BLOCK;
    covey_result result = covey_pool_convert(pool, to);
    return result == COVEY_OK || result == COVEY_ERROR_REFUSED;
}

static void convert_in_turn(const covey_type *type, covey_entity *list, uint32_t count) {
    fail_in_turn(convert, type, list, count, 1);
}

static bool clone_world(const covey_type *type, const covey_entity *list, uint32_t count) {
    (void)type, (void)list, (void)count;
    covey_world *twin = covey_world_clone(world, NULL);
    covey_world_destroy(twin);
    return twin != NULL;
}

static void clone_in_turn(const covey_type *type, covey_entity *list, uint32_t count) {
    for (uint32_t t = 0; t < TYPES; t++)
        if (types[t] != type) add_one(e[t], types[t], t);
    digest = world_digest(world);
    fail_in_turn(clone_world, type, list, count, 1);
    copies_left = TYPES / 2;
    assert_false(clone_world(type, list, count));
    failed_safely(COVEY_ERROR_COPY, 1);
}

static bool set_resource(const covey_type *type, const covey_entity *list, uint32_t count) {
    Live live;
    (void)list, (void)count;
    if (covey_resource_set_raw(world, type, make(&live, 3))) return true;
    drop(&live, NULL);
    return false;
}

static void set_resources(const covey_type *type, covey_entity *list, uint32_t count) {
    fail_in_turn(set_resource, type, list, count, 1);
    assert_true(set_resource(type, list, count));
    assert_int_equal(alive, 2 + covey_pool_count(covey_pool_of_raw(world, type)));
    assert_true(covey_resource_remove_raw(world, type));
}

static void test_pools_and_worlds(void **state) {
    (void)state;
    for_each_scene(convert_in_turn);
    for_each_scene(clone_in_turn);
    for_each_scene(set_resources);
}

/* ---- Snapshots and images -----------------------------------------------------------------------------------------*/

static covey_history *history;

static bool restore(const covey_type *type, const covey_entity *list, uint32_t count) {
    (void)type, (void)list, (void)count;
    return covey_history_restore(history, 0);
}

static void restore_in_turn(const covey_type *type, covey_entity *list, uint32_t count) {
    history = covey_history_create(world, 1);
    assert_true(history && covey_history_save(history));
    uint32_t kept = alive - 1 - covey_pool_count(covey_pool_of_raw(world, type));
    assert_true(add_copies(type, list, count));
    for (uint32_t i = 0; i < count; i += 2) assert_true(covey_remove_raw(world, list[i], type));
    digest = world_digest(world);
    fail_in_turn(restore, type, list, count, 1 + kept);
    covey_history_destroy(history);
}

static covey_buffer image;

static bool load_image(const covey_type *type, const covey_entity *list, uint32_t count) {
    covey_load_desc desc = { .types = types };
    covey_report report;
    (void)type, (void)list, (void)count;
    return covey_load_from_memory(world, image.bytes, image.size, &desc, &report) == COVEY_OK;
}

static void load_in_turn(const covey_type *type, covey_entity *list, uint32_t count) {
    image = (covey_buffer){ 0 };
    assert_true(add_copies(type, list, count));
    assert_int_equal(covey_save_to_buffer(world, &image, NULL, NULL), COVEY_OK);
    covey_destroy_all(world);
    covey_compact(world); /* without holes, which a load removes */
    digest = world_digest(world);
    for (uint32_t n = 0; n < ENTITIES; n += 31) {
        copies_left = n;
        assert_false(load_image(type, list, count));
        failed_safely(COVEY_ERROR_IMAGE, 1);
    }
    copies_left = UINT32_MAX;
    fail_in_turn(load_image, type, list, count, 1);
    covey_buffer_free(&image);
}

static void test_snapshots_and_images(void **state) {
    (void)state;
    for_each_scene(restore_in_turn);
    for_each_scene(load_in_turn);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        UNDO_TEST(test_a_copy_is_refused),     UNDO_TEST(test_an_entity_is_listed_twice),
        UNDO_TEST(test_copies_without_memory), UNDO_TEST(test_values_that_move_in),
        UNDO_TEST(test_entities_are_created),  UNDO_TEST(test_entities_are_copied),
        UNDO_TEST(test_pools_and_worlds),      UNDO_TEST(test_snapshots_and_images),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
