/* Listening, with every allocation failing in turn; and all that must not need memory. support/oom.h says what must
 * hold. */
#include "memory/inner.h"
#include "oom.h"

typedef struct Plain {
    uint32_t a, b;
} Plain;
typedef Plain Block;
typedef Plain Late; /* the world does not know it */
COVEY_COMPONENT_DEFINE(Plain, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Block);
COVEY_COMPONENT_DEFINE(Late);

static covey_queue *queue;
static covey_reactive *set;
static covey_connection connection;

enum { COMPONENTS = COVEY_ON_ADD | COVEY_ON_SET | COVEY_ON_REMOVE, ENTITIES = COVEY_ON_CREATE | COVEY_ON_DESTROY };

static void ignore(const covey_event *event, void *context) { (void)event, (void)context; }

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

/* Two entities of each type, and one that has none and is far away. */
static void some_entities(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
    for (uint32_t i = 0; i < 4; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 3 * COVEY__BLOCK_PAGE);
    for (uint32_t i = 0; i < 2; i++) {
        Counted value = counted_make(i);
        assert_non_null(covey_add(s->world, s->e[i], Plain, { i, i }));
        assert_non_null(covey_add(s->world, s->e[i + 1], Block, { i, i }));
        assert_non_null(covey_add_value(s->world, s->e[i], Counted, &value));
    }
}

static void connect_queue(scene *s, const covey_type *type, uint32_t signals) {
    connection = covey_connect(s->world, &(covey_listener){ .type = type, .signals = signals, .queue = queue });
    assert_true(covey_connected(s->world, connection));
}

/* Fills the queue up to its reserve. */
static void fill(scene *s) {
    test_fail_at(&s->heap, 1, true);
    while (covey_patch(s->world, s->e[0], Plain, NULL, NULL)) continue;
    test_fail_never(&s->heap);
    s->world->inner->result = COVEY_OK;
}

static void with_queue(scene *s) {
    some_entities(s);
    queue = covey_queue_create(s->world);
    assert_non_null(queue);
    connect_queue(s, NULL, ENTITIES);
    connect_queue(s, covey_id(Block), COMPONENTS);
    connect_queue(s, covey_id(Counted), COMPONENTS);
    connect_queue(s, covey_id(Plain), COMPONENTS);
    assert_non_null(covey_patch(s->world, s->e[0], Plain, NULL, NULL));
    fill(s);
}

static void with_values(scene *s) {
    some_entities(s);
    queue = covey_queue_create(s->world);
    assert_non_null(queue);
    covey_listener listener = { .type = covey_id(Block), .signals = COMPONENTS, .queue = queue, .values = true };
    connection = covey_connect(s->world, &listener);
    test_fail_at(&s->heap, 1, true);
    while (covey_patch(s->world, s->e[1], Block, NULL, NULL)) continue;
    test_fail_never(&s->heap);
    s->world->inner->result = COVEY_OK;
}

static void with_set(scene *s) {
    covey_reactive_desc desc = { .added = { covey_id(Plain), covey_id(Block) },
                                 .set = { covey_id(Counted) },
                                 .removed = { covey_id(Plain), covey_id(Block), covey_id(Counted) } };
    some_entities(s);
    set = covey_reactive_create(s->world, &desc);
    assert_non_null(set);
}

static void with_keeping_set(scene *s) {
    covey_reactive_desc desc = { .added = { covey_id(Plain) }, .removed = { covey_id(Block) }, .keep_destroyed = true };
    some_entities(s);
    set = covey_reactive_create(s->world, &desc);
    assert_non_null(set);
}

static void with_all(scene *s) {
    with_queue(s);
    covey_reactive_desc desc = { .removed = { covey_id(Plain), covey_id(Block), covey_id(Counted) } };
    set = covey_reactive_create(s->world, &desc);
    assert_non_null(set);
}

static void with_listener(scene *s) {
    some_entities(s);
    connection =
        covey_connect(s->world, &(covey_listener){ .type = covey_id(Plain), .signals = COVEY_ON_ADD, .call = ignore });
    assert_true(covey_connected(s->world, connection));
}

/* ---- Operations that need memory ----------------------------------------------------------------------------------*/

static bool connects(scene *s, const covey_listener *listener) {
    connection = covey_connect(s->world, listener);
    assert_int_equal(covey_connected(s->world, connection), connection.number != 0);
    return connection.number != 0;
}

static bool connect_function(scene *s) {
    return connects(s, &(covey_listener){ .type = covey_id(Plain), .signals = COMPONENTS, .call = ignore });
}
static bool connect_to_late(scene *s) {
    return connects(s, &(covey_listener){ .type = covey_id(Late), .signals = COMPONENTS, .call = ignore });
}
static bool connect_to_entities(scene *s) {
    return connects(s, &(covey_listener){ .signals = ENTITIES, .call = ignore });
}
static bool connect_queue_to_old(scene *s) {
    return connects(s, &(covey_listener){ .type = covey_id(Plain), .signals = COVEY_ON_REMOVE, .queue = queue });
}
static bool connect_queue_to_entities(scene *s) {
    return connects(s, &(covey_listener){ .signals = COVEY_ON_DESTROY, .queue = queue });
}
static bool connect_values(scene *s) {
    return connects(
        s, &(covey_listener){ .type = covey_id(Block), .signals = COMPONENTS, .queue = queue, .values = true });
}
static bool create_queue(scene *s) { return covey_queue_create(s->world) != NULL; }
static bool create_set(scene *s) {
    covey_reactive_desc desc = { .added = { covey_id(Plain), covey_id(Late) },
                                 .removed = { covey_id(Block), covey_id(Plain) },
                                 .match = { .with = { covey_id(Plain) } } };
    return covey_reactive_create(s->world, &desc) != NULL;
}
static bool create_keeping_set(scene *s) {
    covey_reactive_desc desc = { .added = { covey_id(Plain), covey_id(Late) },
                                 .removed = { covey_id(Block) },
                                 .keep_destroyed = true };
    return covey_reactive_create(s->world, &desc) != NULL;
}
static bool listen_later(scene *s) {
    (void)s;
    return covey_reactive_listen(set, Late, COVEY_ON_ADD) == COVEY_OK;
}
static bool listen_to_more(scene *s) {
    (void)s;
    return covey_reactive_listen(set, Counted, COVEY_ON_REMOVE) == COVEY_OK;
}
static bool mark_by_hand(scene *s) { return covey_add_raw(s->world, s->e[8], covey_reactive_type(set), NULL) != NULL; }
static bool add_sparse(scene *s) { return covey_add(s->world, s->e[8], Plain, { 1, 2 }) != NULL; }
static bool add_block(scene *s) { return covey_add(s->world, s->e[8], Block, { 1, 2 }) != NULL; }
static bool add_counted(scene *s) {
    Counted value = counted_make(7);
    if (covey_add_value(s->world, s->e[8], Counted, &value)) return true;
    counted_drop(&value, NULL);
    return false;
}
static bool add_array(scene *s) {
    Plain values[] = { { 1, 2 }, { 3, 4 } };
    covey_entity both[] = { s->e[8], s->e[3] };
    return covey_add_array(s->world, both, 2, Plain, values);
}
static bool add_block_array(scene *s) {
    Block values[] = { { 1, 2 }, { 3, 4 } };
    covey_entity both[] = { s->e[8], s->e[3] };
    return covey_add_array(s->world, both, 2, Block, values);
}
static bool set_literal(scene *s) { return covey_set(s->world, s->e[0], Plain, { 8, 8 }) != NULL; }
static bool set_counted(scene *s) {
    Counted value = counted_make(9);
    if (covey_set_value(s->world, s->e[0], Counted, &value)) return true;
    counted_drop(&value, NULL);
    return false;
}
static bool replace(scene *s) { return covey_replace(s->world, s->e[0], Plain, (&(Plain){ 5, 5 })); }
static bool patch(scene *s) { return covey_patch(s->world, s->e[1], Block, NULL, NULL) != NULL; }
static bool create(scene *s) { return !covey_is_null(s->e[4] = covey_create(s->world)); }
static bool create_far(scene *s) { return !covey_is_null(s->e[4] = covey_create_at(s->world, 4 * COVEY__BLOCK_PAGE)); }
static bool create_many(scene *s) { return covey_create_many(s->world, s->e + 4, 3); }
static bool convert(scene *s) {
    return covey_pool_convert(covey_pool_of(s->world, Block), COVEY_STORAGE_SPARSE) == COVEY_OK;
}

static const operation needing_memory[] = {
    { "connect", some_entities, connect_function },
    { "connect, to a type that is new", some_entities, connect_to_late },
    { "connect, to entities", some_entities, connect_to_entities },
    { "connect, a queue", with_queue, connect_queue_to_old },
    { "connect, a queue to entities", with_queue, connect_queue_to_entities },
    { "connect, a queue with values", with_queue, connect_values },
    { "add, block, with a queue that has values", with_values, add_block },
    { "patch, with a queue that has values", with_values, patch },
    { "queue_create", some_entities, create_queue },
    { "reactive_create", some_entities, create_set },
    { "reactive_create, another one", with_all, create_set },
    { "reactive_create, keeping the destroyed", some_entities, create_keeping_set },
    { "reactive_listen, to a new type", with_set, listen_later },
    { "reactive_listen, to one that is there", with_keeping_set, listen_to_more },
    { "adding, to a set that keeps the destroyed", with_keeping_set, add_sparse },
    { "covey_add_array, to a set that keeps the destroyed", with_keeping_set, add_array },
    { "marking by hand, in a set that keeps the destroyed", with_keeping_set, mark_by_hand },
    { "add, sparse, with a queue", with_queue, add_sparse },
    { "add, block, with a queue", with_queue, add_block },
    { "add, counted, with a queue", with_queue, add_counted },
    { "add, sparse, with a set", with_set, add_sparse },
    { "add, block, with a set", with_set, add_block },
    { "add, counted, with both", with_all, add_counted },
    { "add_array, with both", with_all, add_array },
    { "add_array, block, with both", with_all, add_block_array },
    { "set, with a queue", with_queue, set_literal },
    { "set, counted, with a queue", with_queue, set_counted },
    { "replace, with a queue", with_queue, replace },
    { "patch, with a queue", with_queue, patch },
    { "create, with a queue", with_queue, create },
    { "create_at, with a queue", with_queue, create_far },
    { "create_many, with a queue", with_queue, create_many },
    { "pool_convert, with both", with_all, convert },
};

/* ---- Operations that need none ------------------------------------------------------------------------------------*/

static bool remove_all(scene *s) {
    bool removed = covey_remove(s->world, s->e[0], Plain) && covey_remove(s->world, s->e[1], Block);
    return removed && covey_remove(s->world, s->e[0], Counted);
}
static bool destroy(scene *s) { return covey_destroy(s->world, s->e[0]) && covey_destroy(s->world, s->e[1]); }
static bool destroy_all(scene *s) {
    covey_destroy_all(s->world);
    return covey_entity_count(s->world) == 0;
}
static bool clear(scene *s) {
    covey_clear(s->world, Plain);
    covey_clear_components(s->world);
    return true;
}
static bool set_without_queue(scene *s) {
    return covey_set(s->world, s->e[0], Plain, { 8, 8 }) && covey_patch(s->world, s->e[1], Block, NULL, NULL);
}
static bool disconnect(scene *s) { return covey_disconnect(s->world, connection); }
static bool use_queue(scene *s) {
    covey_event event;
    uint32_t count = covey_queue_count(queue);
    bool read = covey_queue_next(queue, &event) && covey_queue_count(queue) == count - 1;
    covey_queue_clear(queue);
    (void)s;
    return read;
}
static bool end_queue(scene *s) {
    covey_queue_destroy(queue);
    return !covey_connected(s->world, connection);
}
static bool clear_set(scene *s) {
    covey_remove(s->world, s->e[0], Plain);
    bool marked = covey_reactive_count(set) == 1 && covey_reactive_contains(set, s->e[0]);
    covey_iter it = covey_reactive_iter(set);
    marked = marked && covey_next(&it);
    covey_reactive_clear(set);
    return marked && covey_reactive_count(set) == 0;
}
static bool end_set(scene *s) {
    covey_remove(s->world, s->e[0], Plain);
    covey_reactive_destroy(set);
    return !covey_pool_of(s->world, Plain)->observers;
}

static const operation needing_none[] = {
    { "remove, with both", with_all, remove_all },
    { "destroy, with both", with_all, destroy },
    { "destroy_all, with both", with_all, destroy_all },
    { "clear, with both", with_all, clear },
    { "set, with a set", with_set, set_without_queue },
    { "disconnect", with_listener, disconnect },
    { "disconnect, a queue", with_all, disconnect },
    { "queue_next, queue_clear", with_queue, use_queue },
    { "queue_destroy", with_all, end_queue },
    { "reactive_clear", with_set, clear_set },
    { "destroy, with a set that keeps them", with_keeping_set, destroy },
    { "destroy_all, with a set that keeps them", with_keeping_set, destroy_all },
    { "reactive_destroy", with_set, end_set },
};

int main(void) {
    ADD_TRIALS(needing_memory, 0, FAILS_IN_TURN);
    ADD_TRIALS(needing_none, 0, NEEDS_NO_MEMORY);
    return run_trials();
}
