/* Hooks that change the world: every changing call refuses, names the type, and leaves the world as it was. The same in
 * systems that do not have the world for themselves. */
#include "fixture.h"

#include <covey/commands.h>
#include <covey/hierarchy.h>
#include <covey/history.h>
#include <covey/image.h>
#include <stdio.h>

#if COVEY_ASSERT_LEVEL >= 1

typedef struct Body {
    uint32_t number, check;
} Body;
typedef Body BlockBody;
typedef Body FixedBody;
typedef Body KeptBody;
typedef Body OrderedBody;
typedef Body PinnedBody;

/* What a hook does, how often hooks ran, and what was said of it. */
static struct {
    void (*act)(void);
    uint32_t drops, copies, broken;
    char text[300];
    bool is_acting;
} hook;

static covey_entity target, other; /* other has a Packed; hooks try to change it */
static covey_pool *pool;
static covey_group *group;
static covey_commands *commands;
static covey_history *history;
static covey_reactive *reactive;
static covey_queue *queue;
static covey_connection connection;
static covey_range range;

static void act(void) {
    if (!hook.act || hook.is_acting) return;
    hook.is_acting = true;
    hook.act();
    hook.is_acting = false;
}

static void drop_body(void *value, void *context) {
    (void)context;
    Body *body = value;
    assert_int_equal(body->check, ~body->number); /* not dropped before */
    body->check = 0;
    hook.drops++;
    act();
}

static bool copy_body(void *to, const void *from, void *context) {
    (void)context;
    memcpy(to, from, sizeof(Body));
    hook.copies++;
    act();
    return true;
}

#define HOOKS .drop = drop_body, .copy = copy_body
COVEY_COMPONENT_DEFINE(Body, .storage = COVEY_STORAGE_SPARSE, HOOKS);
COVEY_COMPONENT_DEFINE(BlockBody, HOOKS);
COVEY_COMPONENT_DEFINE(FixedBody, .policy = COVEY_IN_PLACE, HOOKS);
COVEY_COMPONENT_DEFINE(KeptBody, .policy = COVEY_SWAP_ONLY, HOOKS);
COVEY_COMPONENT_DEFINE(OrderedBody, .policy = COVEY_ORDERED, HOOKS);
COVEY_COMPONENT_DEFINE(PinnedBody, .storage = COVEY_STORAGE_PINNED, HOOKS);
static const covey_type *const bodies[] = { covey_id(Body),     covey_id(BlockBody),   covey_id(FixedBody),
                                            covey_id(KeptBody), covey_id(OrderedBody), covey_id(PinnedBody) };
typedef Body Late;
COVEY_COMPONENT_DEFINE(Late);

static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    hook.broken++;
    snprintf(hook.text, sizeof hook.text, "%s", what);
}

static void hear(const covey_event *event, void *context) { (void)event, (void)context; }

static covey_entity create_body(const covey_type *type, uint32_t number) {
    Body body = { number, ~number };
    covey_entity e = covey_create(world);
    assert_non_null(covey_add_raw(world, e, type, &body));
    return e;
}

static int hook_setup(void **state) {
    (void)state;
    memset(&hook, 0, sizeof hook);
    heap = (test_heap){ 0 };
    covey_world_desc desc = world_desc();
    desc.on_assert = note_broken;
    world = covey_world_create(&desc);
    range = covey_range_reserve(world, 500, 10);
    target = create_body(covey_id(Body), 1);
    other = create_with(covey_id(Packed), 2);
    pool = covey_pool_of(world, Packed);
    group = covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Blocked) } });
    commands = covey_commands_create(world, NULL);
    queue = covey_queue_create(world);
    reactive = covey_reactive_create(world, &(covey_reactive_desc){ .added = { covey_id(Packed) } });
    connection = covey_connect(world, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = hear });
    history = covey_history_create(world, 3);
    return world && commands && queue && reactive && history && group ? 0 : -1;
}

static int hook_teardown(void **state) {
    (void)state;
    hook.act = NULL;
    test_world_is_valid(world);
    covey_world_destroy(world);
    world = NULL;
    assert_int_equal(heap.bytes, 0);
    return 0;
}

/* ---- Every changing call ------------------------------------------------------------------------------------------*/

static void create(void) { assert_no_entity(covey_create(world)); }
static void create_many(void) {
    covey_entity e[2] = { { 1, 1 }, { 1, 1 } };
    assert_false(covey_create_many(world, e, 2));
    assert_no_entity(e[0]);
    assert_no_entity(e[1]);
}
static void create_at(void) { assert_no_entity(covey_create_at(world, 70)); }
static void create_exact(void) {
    assert_false(covey_create_exact(world, &(covey_entity){ 70, 1 }, 1, COVEY_EXACT_NEW));
}
static void create_in(void) { assert_no_entity(covey_create_in(world, range)); }
static void reserve_range(void) { assert_int_equal(covey_range_reserve(world, 700, 3).count, 0); }
static void create_with_one(void) { assert_no_entity(covey_create_with(world, covey_with(Packed, { 1, 2 }))); }
static void create_many_with(void) {
    covey_entity e[2] = { { 1, 1 }, { 1, 1 } };
    const covey_component none[] = { COVEY__WITH_END };
    assert_false(covey_create_many_with_raw(world, e, 2, none));
    assert_no_entity(e[1]);
    assert_no_entity(covey_create_with_raw(world, none));
}
static void destroy(void) { assert_false(covey_destroy(world, other)); }
static void destroy_own(void) { assert_false(covey_destroy(world, target)); }
static void destroy_many(void) { assert_int_equal(covey_destroy_many(world, &other, 1), 0); }
static void destroy_all(void) { covey_destroy_all(world); }
static void destroy_tree(void) { assert_int_equal(covey_destroy_tree(world, other), 0); }
static void destroy_world(void) { covey_world_destroy(world); }
static void add(void) { assert_null(covey_add(world, other, Blocked, { 1, 2 })); }
static void add_raw(void) { assert_null(covey_add_raw(world, other, covey_id(Blocked), NULL)); }
static void add_new_type(void) { assert_null(covey_add(world, other, Late, { 1, 2 })); }
static void set_absent(void) { assert_null(covey_set(world, other, Blocked, { 1, 2 })); }
static void get_or_add(void) { assert_null(covey_get_or_add(world, other, Blocked, { 1, 2 })); }
static void patch_or_add(void) { assert_null(covey_patch_or_add(world, other, Blocked, NULL, NULL)); }
static void remove_other(void) { assert_false(covey_remove(world, other, Packed)); }
static void remove_own(void) { assert_false(covey_remove(world, target, Body)); }
static void take(void) {
    Packed value = { 7, 7 };
    assert_false(covey_take(world, other, Packed, &value));
    assert_int_equal(value.number, 7);
}
static bool always(covey_entity e, const void *value, void *context) {
    (void)e, (void)value, (void)context;
    return true;
}
static void remove_if(void) { assert_int_equal(covey_remove_if(world, Packed, always, NULL), 0); }
static void remove_many(void) { assert_int_equal(covey_remove_many(world, &other, 1, Packed), 0); }
static void clear(void) { covey_clear(world, Packed); }
static void clear_own(void) { covey_clear(world, Body); }
static void clear_components(void) { covey_clear_components(world); }
static void add_array(void) {
    Blocked value = { 1, 2 };
    assert_false(covey_add_array(world, &other, 1, Blocked, &value));
    assert_false(covey_add_copies(world, &other, 1, Blocked, &value));
}
static void create_type(void) {
    const covey_type description = { .name = "Made", .size = 4, .align = 4 };
    assert_null(covey_type_create(world, &description));
}
static void advance_tick(void) {
    assert_true(covey_tick_advance(world) == 1);
    assert_true(covey_tick(world) == 1);
}
static void pool_of(void) { assert_null(covey_pool_of(world, Late)); }
static void swap(void) { assert_int_equal(covey_pool_swap(pool, other, other), COVEY_ERROR_REFUSED); }
static void reserve(void) { assert_int_equal(covey_pool_reserve(pool, 500), COVEY_ERROR_REFUSED); }
static void compact(void) { covey_compact(world); }
static void shrink(void) { covey_pool_shrink(pool); }
static void convert(void) { assert_int_equal(covey_pool_convert(pool, COVEY_STORAGE_BLOCK), COVEY_ERROR_REFUSED); }
static void sort(void) { assert_int_equal(covey_pool_sort(pool, NULL), COVEY_ERROR_REFUSED); }
static void sort_as(void) { assert_int_equal(covey_pool_sort_as(pool, pool), COVEY_ERROR_REFUSED); }
static void keep(void) { assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ 0 }), COVEY_ERROR_REFUSED); }
static void create_group(void) {
    assert_null(covey_group_create(world, &(covey_group_desc){ .with = { covey_id(Packed) } }));
}
static void destroy_group(void) { covey_group_destroy(group); }
static void sort_group_as(void) { assert_int_equal(covey_group_sort_as(group, pool), COVEY_ERROR_REFUSED); }
static void pool_compact(void) { assert_int_equal(covey_pool_compact(pool, NULL, NULL), COVEY_ERROR_REFUSED); }
static void listen_more(void) {
    assert_int_equal(covey_reactive_listen(reactive, Packed, COVEY_ON_ADD), COVEY_ERROR_REFUSED);
}
static void sort_group(void) { assert_int_equal(covey_group_sort(group, 0, NULL), COVEY_ERROR_REFUSED); }
static void connect(void) {
    covey_listener listener = { .type = covey_id(Body), .signals = COVEY_ON_REMOVE, .call = hear };
    assert_false(covey_connected(world, covey_connect(world, &listener)));
}
static void disconnect(void) {
    assert_false(covey_disconnect(world, connection));
    assert_true(covey_connected(world, connection));
}
static void create_queue(void) { assert_null(covey_queue_create(world)); }
static void destroy_queue(void) { covey_queue_destroy(queue); }
static void create_reactive(void) { assert_null(covey_reactive_create(world, &(covey_reactive_desc){ 0 })); }
static void destroy_reactive(void) { covey_reactive_destroy(reactive); }
static void clear_reactive(void) { covey_reactive_clear(reactive); }
static void disable(void) { assert_int_equal(covey_disable(world, other), COVEY_ERROR_REFUSED); }
static void enable(void) { assert_int_equal(covey_enable(world, other), COVEY_ERROR_REFUSED); }
static void disable_component(void) {
    assert_int_equal(covey_component_disable(world, other, Packed), COVEY_ERROR_REFUSED);
}
static void enable_component(void) {
    assert_int_equal(covey_component_enable(world, other, Packed), COVEY_ERROR_REFUSED);
}
static void set_resource(void) { assert_null(covey_resource_set(world, Packed, { 1, 2 })); }
static void refer_to_resource(void) {
    static Packed object;
    assert_false(covey_resource_refer(world, Packed, &object));
}
static void remove_resource(void) { assert_false(covey_resource_remove(world, Packed)); }
static void take_resource(void) {
    Packed value;
    assert_false(covey_resource_take(world, Packed, &value));
}
static void copy(void) { assert_false(covey_copy(world, other, target)); }
static void clone_into(void) { assert_no_entity(covey_clone_into(world, world, other, NULL)); }
static void clone(void) {
    covey_entity e = { 1, 1 };
    assert_false(covey_clone(world, other, &e, 1));
    assert_no_entity(e);
}
static void set_parent(void) { assert_int_equal(covey_parent_set(world, other, target), COVEY_ERROR_REFUSED); }
static void move_child(void) { assert_int_equal(covey_child_move(world, other, target), COVEY_ERROR_REFUSED); }
static void set_name(void) { assert_int_equal(covey_name_set(world, other, "name"), COVEY_ERROR_REFUSED); }
static void replay(void) { assert_int_equal(covey_commands_replay(commands).result, COVEY_ERROR_REFUSED); }
static void create_commands(void) { assert_null(covey_commands_create(world, NULL)); }
static void create_history(void) { assert_null(covey_history_create(world, 3)); }
static void destroy_history(void) { covey_history_destroy(history); }
static void reserve_ids(void) { assert_int_equal(covey_commands_reserve(commands, 5), COVEY_ERROR_REFUSED); }
static void save_history(void) { assert_false(covey_history_save(history)); }
static void restore_history(void) { assert_false(covey_history_restore(history, 0)); }
static void load(void) { assert_int_equal(covey_load_from_memory(world, "", 0, NULL, NULL), COVEY_ERROR_REFUSED); }
static void merge(void) { assert_int_equal(covey_merge_from_memory(world, "", 0, NULL, NULL), COVEY_ERROR_REFUSED); }

static const struct {
    const char *name;
    void (*act)(void);
} calls[] = {
#define CALL(name) \
    { #name, name }
    CALL(create),
    CALL(create_many),
    CALL(create_at),
    CALL(create_exact),
    CALL(create_in),
    CALL(reserve_range),
    CALL(create_with_one),
    CALL(create_many_with),
    CALL(destroy),
    CALL(destroy_own),
    CALL(destroy_many),
    CALL(destroy_all),
    CALL(destroy_tree),
    CALL(destroy_world),
    CALL(add),
    CALL(add_raw),
    CALL(add_new_type),
    CALL(set_absent),
    CALL(get_or_add),
    CALL(patch_or_add),
    CALL(remove_other),
    CALL(remove_own),
    CALL(take),
    CALL(remove_if),
    CALL(remove_many),
    CALL(clear),
    CALL(clear_own),
    CALL(clear_components),
    CALL(add_array),
    CALL(create_type),
    CALL(advance_tick),
    CALL(pool_of),
    CALL(swap),
    CALL(reserve),
    CALL(compact),
    CALL(shrink),
    CALL(convert),
    CALL(sort),
    CALL(sort_as),
    CALL(keep),
    CALL(create_group),
    CALL(destroy_group),
    CALL(sort_group),
    CALL(sort_group_as),
    CALL(pool_compact),
    CALL(listen_more),
    CALL(connect),
    CALL(disconnect),
    CALL(create_queue),
    CALL(destroy_queue),
    CALL(create_reactive),
    CALL(destroy_reactive),
    CALL(clear_reactive),
    CALL(disable),
    CALL(enable),
    CALL(disable_component),
    CALL(enable_component),
    CALL(set_resource),
    CALL(refer_to_resource),
    CALL(remove_resource),
    CALL(take_resource),
    CALL(copy),
    CALL(clone),
    CALL(clone_into),
    CALL(set_parent),
    CALL(move_child),
    CALL(set_name),
    CALL(replay),
    CALL(create_commands),
    CALL(create_history),
    CALL(destroy_history),
    CALL(reserve_ids),
    CALL(save_history),
    CALL(restore_history),
    CALL(load),
    CALL(merge),
};

/* Makes each call, in a world of its own, by way of a function that leaves what it was refused with in hook.text. */
static void each_call_is_refused(void **state, void (*by)(void (*act)(void)), const char *words) {
    for (uint32_t i = 0; i < COUNT_OF(calls); i++) {
        print_message("    %s\n", calls[i].name);
        uint32_t entities = covey_entity_count(world), pools = covey_world_pool_count(world);
        hook.broken = 0;
        by(calls[i].act);
        assert_true(hook.broken >= 1);
        assert_string_equal(hook.text, words);
        assert_int_equal(covey_world_result(world), COVEY_ERROR_REFUSED);
        assert_failed(COVEY_ERROR_REFUSED);
        assert_int_equal(covey_entity_count(world), entities);
        assert_int_equal(covey_world_pool_count(world), pools);
        assert_value(other, covey_id(Packed), 2);
        assert_true(covey_has(world, target, Body));
        assert_int_equal(covey_world_group_count(world), 1);
        test_world_is_valid(world);
        assert_int_equal(hook_teardown(state), 0);
        assert_int_equal(hook_setup(state), 0);
    }
}

static void call_in_hook(void (*call)(void)) {
    covey_entity dead = create_body(covey_id(Body), 5);
    hook.act = call;
    assert_true(covey_remove(world, dead, Body));
    hook.act = NULL;
    assert_true(covey_destroy(world, dead));
}

static void test_changing_calls_refuse_inside_of_a_hook(void **state) {
    each_call_is_refused(state, call_in_hook,
                         "the drop hook of Body changes the world: do that in a listener, or record it into a command "
                         "buffer");
}

/* ---- Systems -----------------------------------------------------------------------------------------------------*/

static const char *running; /* the system, if any */
static const char *running_system(const covey__guard *guard) {
    (void)guard;
    return running;
}
static bool allows_all(const covey__guard *guard, const covey_type *type, covey__access access) {
    (void)guard, (void)type, (void)access;
    return true;
}
static const covey__guard guard = { .system = running_system, .allows = allows_all };

/* As the scheduler does it. */
static void call_while_systems_run(const char *system, void (*call)(void)) {
    running = system;
    world->guard = &guard;
    world->hooks++;
    call();
    world->hooks--;
    world->guard = NULL;
}

static void call_in_system(void (*call)(void)) { call_while_systems_run("move", call); }
static void call_outside_of_systems(void (*call)(void)) { call_while_systems_run(NULL, call); }

static void test_changing_calls_refuse_inside_of_a_system(void **state) {
    each_call_is_refused(state, call_in_system,
                         "system move makes a structural change: mark it .exclusive, or record into job->commands");
}

static void test_changing_calls_refuse_in_other_threads_while_systems_run(void **state) {
    each_call_is_refused(
        state, call_outside_of_systems,
        "a thread outside the schedule makes a structural change while systems run: wait until they have "
        "ended");
}

static void overwrite_target(void) { assert_non_null(covey_set(world, target, Body, { 3, ~3u })); }

/* Overwriting drops a value, and changes no structure. */
static void test_a_hook_inside_of_a_system_is_named_with_the_system(void **state) {
    (void)state;
    hook.act = create;
    call_in_system(overwrite_target);
    assert_int_equal(hook.broken, 1);
    assert_string_equal(hook.text,
                        "system move, or the drop hook of Body, makes a structural change: mark the system .exclusive, "
                        "or record into job->commands");
    hook.act = NULL;
    assert_int_equal(covey_get(world, target, Body)->number, 3);
    assert_false(covey_is_null(covey_create(world)));
}

/* ---- Every place that calls a hook --------------------------------------------------------------------------------*/

/* What the issue was about: the second value would be dropped twice, or the first until the stack ends. */
static void test_clearing_with_a_drop_that_removes_another(void **state) {
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(bodies); k++) {
        covey_entity e[8];
        for (uint32_t i = 0; i < 8; i++) e[i] = create_body(bodies[k], i);
        uint32_t count = covey_pool_count(covey_pool_of_raw(world, bodies[k]));
        target = e[5];
        hook.broken = hook.drops = 0;
        hook.act = k % 2 == 0 ? remove_other : destroy_own;
        covey_clear_raw(world, bodies[k]);
        assert_int_equal(hook.drops, count);
        assert_int_equal(hook.broken, count);
        hook.act = NULL;
        target = create_body(covey_id(Body), 1);
    }
}

static void act_on_each_removal(void (*with)(void)) {
    for (uint32_t k = 0; k < COUNT_OF(bodies); k++) {
        covey_entity e[6];
        for (uint32_t i = 0; i < 6; i++) e[i] = create_body(bodies[k], i);
        hook.drops = hook.broken = 0;
        hook.act = with;
        assert_true(covey_remove_raw(world, e[0], bodies[k]));
        assert_true(covey_destroy(world, e[1]));
        assert_int_equal(covey_destroy_many(world, e + 2, 2), 2);
        assert_non_null(covey_set_raw(world, e[4], bodies[k], &(Body){ 9, ~9u }));
        assert_int_equal(hook.drops, 5);
        assert_int_equal(hook.broken, 5);
        covey_destroy_all(world);
        hook.act = NULL;
        test_world_is_valid(world);
        target = create_body(covey_id(Body), 1);
        other = create_with(covey_id(Packed), 2);
    }
}

static void test_every_removal_guards_its_hook(void **state) {
    (void)state;
    act_on_each_removal(destroy);
    act_on_each_removal(add);
}

static void test_literals_that_overwrite_guard_the_hook(void **state) {
    (void)state;
    hook.act = destroy;
    assert_non_null(covey_set(world, target, Body, { 3, ~3u }));
    assert_int_equal(hook.broken, 1);
    assert_int_equal(covey_get(world, target, Body)->number, 3);
}

static void test_the_end_of_a_world_guards_its_hooks(void **state) {
    (void)state;
    for (uint32_t k = 0; k < COUNT_OF(bodies); k++) create_body(bodies[k], k);
    hook.act = create;
    hook.drops = 0;
    covey_resource_set(world, Body, { 4, ~4u });
    covey_world_destroy(world);
    assert_int_equal(hook.drops, COUNT_OF(bodies) + 2);
    assert_int_equal(hook.broken, COUNT_OF(bodies) + 2);
    assert_int_equal(hook_setup(state), 0);
}

static void test_copies_guard_their_hook(void **state) {
    (void)state;
    covey_entity e[3];
    Body body = { 4, ~4u };
    assert_true(covey_create_many(world, e, 3));
    hook.act = destroy;
    assert_true(covey_add_copies(world, e, 3, Body, &body));
    assert_int_equal(hook.broken, 3);
    assert_non_null(strstr(hook.text, "the copy hook of Body"));
    covey_entity clones[2];
    assert_true(covey_clone(world, e[0], clones, 2));
    assert_int_equal(hook.broken, 5);
    assert_true(covey_copy(world, e[1], other));
    assert_int_equal(hook.broken, 6);
    uint32_t count = covey_pool_count(covey_pool_of(world, Body));
    hook.broken = 0;
    covey_world *twin = covey_world_clone(world, NULL);
    assert_non_null(twin);
    assert_int_equal(hook.broken, count);
    hook.act = NULL;
    covey_world_destroy(twin);
}

static void test_resources_commands_and_history_guard_their_hooks(void **state) {
    (void)state;
    hook.act = destroy;
    covey_resource_set(world, Body, { 1, ~1u });
    covey_resource_set(world, Body, { 2, ~2u });
    assert_int_equal(hook.broken, 1);
    assert_true(covey_resource_remove(world, Body));
    assert_int_equal(hook.broken, 2);
    covey_record_add(commands, other, Body, { 3, ~3u });
    covey_commands_clear(commands);
    assert_int_equal(hook.broken, 3);
    covey_history_destroy(history);
    hook.broken = 0;
    history = covey_history_create(world, 2);
    bool saved = covey_history_save(history);
    if (saved) assert_true(hook.broken != 0);
}

/* ---- Other functions, and what is allowed -------------------------------------------------------------------------*/

static void destroy_it(void *value, void *context) {
    (void)value, (void)context;
    destroy();
}

static bool destroy_if(covey_entity e, const void *value, void *context) {
    (void)e, (void)value, (void)context;
    destroy();
    return false;
}

static void test_functions_that_patch_or_choose_are_guarded(void **state) {
    (void)state;
    assert_non_null(covey_patch(world, target, Body, destroy_it, NULL));
    assert_int_equal(hook.broken, 1);
    assert_non_null(strstr(hook.text, "the covey_patch function of Body"));
    assert_non_null(covey_patch_or_add(world, target, Blocked, destroy_it, NULL));
    assert_int_equal(hook.broken, 2);
    assert_int_equal(covey_remove_if(world, Packed, destroy_if, NULL), 0);
    assert_int_equal(hook.broken, 3);
    assert_non_null(strstr(hook.text, "the covey_remove_if function of Packed"));
}

static int destroy_and_compare(const void *a, const void *b, void *context) {
    (void)a, (void)b, (void)context;
    destroy();
    return 0;
}
static bool destroy_and_decide(const covey_event *event, void *context) {
    (void)event, (void)context;
    destroy();
    return true;
}
static void destroy_who_moved(covey_entity e, const void *from, void *to, void *context) {
    (void)e, (void)from, (void)to, (void)context;
    destroy();
}

static void test_functions_of_orders_sets_and_packing_are_guarded(void **state) {
    (void)state;
    covey_entity some[3];
    assert_true(covey_create_many(world, some, 3));
    for (uint32_t i = 0; i < 3; i++) {
        covey_add(world, some[i], Ordered, { i, ~i });
        covey_add(world, some[i], Fixed, { i, ~i });
    }
    covey_order order = { .compare = destroy_and_compare };
    assert_int_equal(covey_pool_sort(covey_pool_of(world, Ordered), &order), COVEY_OK);
    assert_true(hook.broken != 0);
    assert_non_null(strstr(hook.text, "the function of an order of Ordered"));
    hook.broken = 0;
    covey_remove(world, some[0], Fixed);
    assert_int_equal(covey_pool_compact(covey_pool_of(world, Fixed), destroy_who_moved, NULL), COVEY_OK);
    assert_int_equal(hook.broken, 1);
    assert_non_null(strstr(hook.text, "the covey_pool_compact function of Fixed"));
    covey_reactive *set = covey_reactive_create(
        world, &(covey_reactive_desc){ .set = { covey_id(Fixed) }, .decide = destroy_and_decide });
    covey_set(world, some[1], Fixed, { 7, ~7u });
    assert_int_equal(hook.broken, 2);
    assert_non_null(strstr(hook.text, "the decide function of a reactive set of Fixed"));
    covey_reactive_destroy(set);
    assert_true(covey_alive(world, other));
    test_world_is_valid(world);
}

static covey_world *second;
static covey_entity made;
static void change_another_world(void) { assert_false(covey_is_null(covey_create(second))); }
static void read_and_write(void) {
    assert_value(other, covey_id(Packed), 2);
    covey_get(world, other, Packed)->number = 2;
    assert_non_null(covey_set(world, other, Packed, { 2, ~2u }));
    assert_true(covey_alive(world, other));
}
static void record(void) { assert_true(covey_record_destroy(commands, other)); }

static void test_hooks_may_read_write_values_record_and_change_other_worlds(void **state) {
    (void)state;
    second = covey_world_create(NULL);
    hook.act = change_another_world;
    covey_set(world, target, Body, { 2, ~2u });
    hook.act = read_and_write;
    covey_set(world, target, Body, { 3, ~3u });
    hook.act = record;
    assert_true(covey_remove(world, target, Body));
    assert_int_equal(hook.broken, 0);
    assert_int_equal(covey_entity_count(second), 1);
    assert_true(covey_alive(world, other));
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    assert_false(covey_alive(world, other));
    covey_world_destroy(second);
}

static void record_create(void) { made = covey_record_create(commands); }
static void clear_commands(void) { covey_commands_clear(commands); }
static void skip_command(void) { assert_false(covey_commands_skip(commands)); }

/* In a buffer that keeps ids ready, entities too. From the world, no id is taken and none given back. */
static void test_hooks_record_entities_where_ids_are_ready(void **state) {
    (void)state;
    static void (*const acts[])(void) = { record_create, clear_commands, skip_command };
    covey_entity before = covey_record_create(commands);
    for (uint32_t i = 0; i < COUNT_OF(acts); i++) {
        hook.act = acts[i];
        hook.broken = 0;
        covey_set(world, target, Body, { i, ~i });
        hook.act = NULL;
        assert_int_equal(hook.broken, 1);
        assert_string_equal(hook.text, "a hook or system records or clears a create in a buffer that takes ids from "
                                       "the world: give the buffer .entities");
        assert_no_entity(made);
        assert_int_equal(covey_commands_count(commands), 1);
        test_world_is_valid(world);
    }
    covey_replay replay = covey_commands_replay(commands);
    assert_true(replay.result == COVEY_ERROR_REFUSED && replay.done == 1 && replay.lost == 1);
    assert_true(covey_alive(world, before));
    covey_commands_destroy(commands);
    commands = covey_commands_create(world, &(covey_commands_desc){ .entities = 1 });
    hook.act = record_create;
    hook.broken = 0;
    covey_set(world, target, Body, { 9, ~9u });
    hook.act = NULL;
    assert_int_equal(hook.broken, 0);
    assert_int_equal(covey_commands_replay(commands).result, COVEY_OK);
    assert_true(covey_alive(world, made));
}

static void test_the_world_may_be_changed_again_behind_a_hook(void **state) {
    (void)state;
    hook.act = destroy;
    assert_true(covey_remove(world, target, Body));
    hook.act = NULL;
    assert_true(covey_destroy(world, other));
    assert_false(covey_is_null(covey_create(world)));
}

#define HOOK_TEST(test) cmocka_unit_test_setup_teardown(test, hook_setup, hook_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        HOOK_TEST(test_changing_calls_refuse_inside_of_a_hook),
        HOOK_TEST(test_changing_calls_refuse_inside_of_a_system),
        HOOK_TEST(test_changing_calls_refuse_in_other_threads_while_systems_run),
        HOOK_TEST(test_a_hook_inside_of_a_system_is_named_with_the_system),
        HOOK_TEST(test_clearing_with_a_drop_that_removes_another),
        HOOK_TEST(test_every_removal_guards_its_hook),
        HOOK_TEST(test_literals_that_overwrite_guard_the_hook),
        HOOK_TEST(test_the_end_of_a_world_guards_its_hooks),
        HOOK_TEST(test_copies_guard_their_hook),
        HOOK_TEST(test_resources_commands_and_history_guard_their_hooks),
        HOOK_TEST(test_functions_that_patch_or_choose_are_guarded),
        HOOK_TEST(test_functions_of_orders_sets_and_packing_are_guarded),
        HOOK_TEST(test_hooks_may_read_write_values_record_and_change_other_worlds),
        HOOK_TEST(test_hooks_record_entities_where_ids_are_ready),
        HOOK_TEST(test_the_world_may_be_changed_again_behind_a_hook),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) { return 0; } /* nothing is checked */

#endif
