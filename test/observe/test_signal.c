/* Which listeners are told of which change, when, and in which order; and what listeners may do meanwhile. */
#include "hearing.h"

#include <stdlib.h>

static covey_entity e[8];

static void create_entities(uint32_t count) {
    for (uint32_t i = 0; i < count; i++) e[i] = covey_create(world);
    listen_begin();
}

/* ---- What is heard ------------------------------------------------------------------------------------------------*/

static void hear_of_components(const covey_type *type) {
    static ear a = { .name = "a" };
    create_entities(3);
    listen(&a, type, COMPONENT_SIGNALS);
    add_value(e[0], type, 1);
    assert_told("a+0");
    Value value = value_of(2);
    assert_non_null(covey_set_raw(world, e[0], type, &value));
    assert_non_null(covey_set_raw(world, e[1], type, &value));
    assert_told("a=0 a+1");
    assert_true(covey_replace_raw(world, e[0], type, &value));
    assert_non_null(covey_patch_raw(world, e[1], type, NULL, NULL));
    assert_told("a=0 a=1");
    assert_non_null(covey_get_or_add_raw(world, e[1], type, &value));
    assert_non_null(covey_get_or_add_raw(world, e[2], type, &value));
    assert_told("a+2");
    assert_true(remove_value(e[0], type));
    assert_false(remove_value(e[0], type));
    assert_true(covey_destroy(world, e[2]));
    assert_told("a-0 a-2");
    covey_clear_raw(world, type);
    assert_told("a-1");
    assert_null(add_value(e[2], type, 3)); /* dead: failed calls emit nothing */
    assert_told("");
}

static void components_are_heard(void **state) {
    (void)state;
    for_each_storage(hear_of_components);
}

/* A patch is a set to listeners of sets, and a patch to listeners of patches. */
static void hear_of_patches(const covey_type *type) {
    static ear a = { .name = "a" }, b = { .name = "b" }, c = { .name = "c" };
    create_entities(1);
    listen(&a, type, COMPONENT_SIGNALS);
    listen(&b, type, COVEY_ON_PATCH);
    listen(&c, type, COVEY_ON_PATCH | COVEY_ON_SET);
    covey_queue *some = covey_queue_create(world), *sets = covey_queue_create(world);
    covey_connect(world, &(covey_listener){ .type = type, .signals = COVEY_ON_PATCH, .queue = some });
    covey_connect(world, &(covey_listener){ .type = type, .signals = COVEY_ON_SET, .queue = sets });
    add_value(e[0], type, 1);
    assert_told("a+0");
    Value value = value_of(2);
    covey_set_raw(world, e[0], type, &value);
    covey_replace_raw(world, e[0], type, &value);
    assert_told("a=0 c=0 a=0 c=0");
    assert_ptr_equal(covey_patch_raw(world, e[0], type, NULL, NULL), get_value(e[0], type));
    assert_told("a=0 b~0 c~0");
    assert_queued(some, "~0");
    assert_queued(sets, "=0 =0 =0");
    covey_queue_destroy(some);
    covey_queue_destroy(sets);
    assert_true(covey_disconnect(world, a.connection));
    assert_true(covey_disconnect(world, c.connection));
    covey_set_raw(world, e[0], type, &value);
    covey_patch_raw(world, e[0], type, NULL, NULL);
    assert_told("b~0");
    test_world_is_valid(world);
}

static void patches_are_heard_apart(void **state) {
    (void)state;
    for_each_storage(hear_of_patches);
}

static void take_away(const covey_event *event) { covey_remove_raw(event->world, *event->entities, event->type); }

static void what_is_patched_may_be_gone(void **state) {
    static ear a = { .name = "a", .act = take_away, .acts = 1 }, b = { .name = "b" };
    (void)state;
    create_entities(1);
    listen(&a, covey_id(Packed), COVEY_ON_PATCH);
    listen(&b, covey_id(Packed), COMPONENT_SIGNALS);
    add_value(e[0], covey_id(Packed), 1);
    assert_null(covey_patch(world, e[0], Packed, NULL, NULL));
    assert_failed(COVEY_ERROR_GONE);
    assert_told("b+0 a~0 b=0 b-0");
}

/* The typed verbs with a literal take another way than the raw ones. */
static void literals_are_heard(void **state) {
    static ear a = { .name = "a" }, b = { .name = "b" };
    (void)state;
    create_entities(2);
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    listen(&b, covey_id(Blocked), COMPONENT_SIGNALS);
    assert_int_equal(covey_add(world, e[0], Packed, { 1, 2 })->check, 2);
    assert_int_equal(covey_set(world, e[0], Packed, { 3, 4 })->check, 4);
    assert_int_equal(covey_add(world, e[1], Blocked, { 5, 6 })->check, 6);
    assert_int_equal(covey_set(world, e[1], Blocked, { 7, 8 })->check, 8);
    assert_int_equal(covey_get_or_add(world, e[0], Blocked, { 9, 10 })->check, 10);
    assert_told("a+0 a=0 b+1 b=1 b+0");
}

static void entities_are_heard(void **state) {
    static ear a = { .name = "a" };
    covey_entity many[2];
    (void)state;
    listen_begin();
    listen(&a, NULL, ENTITY_SIGNALS);
    covey_entity first = covey_create(world), at = covey_create_at(world, 3);
    covey_range range = covey_range_reserve(world, 5, 2);
    covey_entity in = covey_create_in(world, range);
    assert_told("a*0 a*3 a*5");
    assert_true(covey_create_many(world, many, 2));
    assert_told("a*1 a*2");
    assert_no_entity(covey_create_at(world, 3));
    assert_true(covey_destroy(world, at));
    assert_false(covey_destroy(world, at));
    assert_int_equal(covey_destroy_many(world, many, 2), 2);
    assert_told("a!3 a!1 a!2");
    covey_destroy_all(world);
    assert_told("a!5 a!0");
    assert_false(covey_alive(world, first) || covey_alive(world, in));
}

/* First the entity with all that it has, then each component, in the order in which the world met the types. */
static void destroying_tells_of_components(void **state) {
    static ear a = { .name = "a" }, b = { .name = "b" }, c = { .name = "c" };
    (void)state;
    create_entities(1);
    listen(&c, covey_id(Blocked), COMPONENT_SIGNALS);
    listen(&b, covey_id(Packed), COMPONENT_SIGNALS);
    add_value(e[0], covey_id(Packed), 1);
    add_value(e[0], covey_id(Blocked), 1);
    listen(&a, NULL, COVEY_ON_DESTROY);
    listen_begin();
    assert_true(covey_destroy(world, e[0]));
    assert_told("a!0 c-0 b-0");
}

/* The first listener is also told about the end of what was there before it was connected. */
static void what_was_there_is_heard(const covey_type *type) {
    static ear a = { .name = "a" };
    create_entities(3);
    for (uint32_t i = 0; i < 3; i++) add_value(e[i], type, i);
    listen(&a, type, COMPONENT_SIGNALS);
    assert_true(remove_value(e[1], type));
    assert_true(covey_destroy(world, e[0]));
    assert_told("a-1 a-0");
}

static void listeners_hear_of_old_components(void **state) {
    (void)state;
    for_each_storage(what_was_there_is_heard);
}

static void ending_a_world_is_heard(void **state) {
    static ear a = { .name = "a" }, b = { .name = "b" };
    (void)state;
    create_entities(2);
    add_value(e[0], covey_id(Packed), 1);
    add_value(e[1], covey_id(Blocked), 1);
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    listen(&b, NULL, ENTITY_SIGNALS);
    covey_world *ended = world;
    covey_world_destroy(ended);
    assert_told("b!1 b!0 a-0");
    assert_int_equal(world_setup(NULL), 0);
}

/* ---- Connecting ---------------------------------------------------------------------------------------------------*/

static void order_is_that_of_connecting(void **state) {
    static ear a = { .name = "a" }, b = { .name = "b" }, c = { .name = "c" };
    static ear x = { .name = "x" }, y = { .name = "y" };
    (void)state;
    create_entities(1);
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    listen(&b, covey_id(Packed), COVEY_ON_SET);
    listen(&c, covey_id(Packed), COMPONENT_SIGNALS);
    listen(&x, NULL, ENTITY_SIGNALS);
    listen(&y, NULL, ENTITY_SIGNALS);
    add_value(e[0], covey_id(Packed), 1);
    covey_set(world, e[0], Packed, { 0 });
    remove_value(e[0], covey_id(Packed));
    assert_told("a+0 c+0 a=0 b=0 c=0 c-0 a-0");
    covey_destroy(world, covey_create(world));
    assert_told("x*1 y*1 y!1 x!1");
}

static void a_function_may_be_connected_twice(void **state) {
    static ear a = { .name = "a" };
    (void)state;
    create_entities(1);
    covey_connection first = listen(&a, covey_id(Packed), COVEY_ON_ADD)->connection;
    covey_connection second = listen(&a, covey_id(Packed), COVEY_ON_ADD)->connection;
    add_value(e[0], covey_id(Packed), 1);
    assert_told("a+0 a+0");
    assert_true(covey_disconnect(world, first));
    assert_false(covey_disconnect(world, first));
    assert_true(covey_connected(world, second));
    covey_set(world, e[0], Packed, { 0 });
    assert_told("");
}

static void null_is_connected_to_nothing(void **state) {
    static ear a = { .name = "a" };
    (void)state;
    assert_false(covey_connected(world, (covey_connection){ 0 }));
    assert_false(covey_disconnect(world, (covey_connection){ 0 }));
    listen(&a, NULL, COVEY_ON_CREATE);
    assert_false(covey_disconnect(world, (covey_connection){ 0 }));
    assert_true(covey_disconnect(world, a.connection));
    assert_false(covey_connected(world, a.connection));
}

static void ignore(const covey_event *event, void *context) { (void)event, (void)context; }

static void assert_refused(covey_listener listener, covey_result reason) {
    size_t bytes = heap.bytes;
    covey_connection connection = covey_connect(world, &listener);
    assert_null(connection.pool);
    assert_int_equal(connection.number, 0);
    assert_failed(reason);
    assert_true(heap.bytes == bytes || covey_pool_find(world, Packed));
}

static void wrong_listeners_are_refused(void **state) {
    covey_queue *queue = covey_queue_create(world);
    static const covey_type nameless = { .size = 4, .align = 4 };
    static const covey_type other = { .name = "Packed", .size = 4, .align = 4 };
    (void)state;
    assert_refused((covey_listener){ .signals = COVEY_ON_ADD, .call = ignore }, COVEY_ERROR_RANGE);
    assert_refused((covey_listener){ .call = ignore }, COVEY_ERROR_RANGE);
    assert_refused((covey_listener){ .type = covey_id(Packed), .call = ignore }, COVEY_ERROR_RANGE);
    assert_refused((covey_listener){ .type = covey_id(Packed), .signals = COVEY_ON_CREATE, .call = ignore },
                   COVEY_ERROR_RANGE);
    assert_refused((covey_listener){ .type = covey_id(Packed), .signals = 64, .call = ignore }, COVEY_ERROR_RANGE);
    assert_refused((covey_listener){ .type = covey_id(Packed), .signals = COVEY_ON_ADD }, COVEY_ERROR_RANGE);
    assert_refused((covey_listener){ .signals = COVEY_ON_CREATE, .call = ignore, .queue = queue }, COVEY_ERROR_RANGE);
    assert_refused((covey_listener){ .type = &nameless, .signals = COVEY_ON_ADD, .call = ignore }, COVEY_ERROR_TYPE);
    assert_non_null(covey_pool_of(world, Packed));
    assert_refused((covey_listener){ .type = &other, .signals = COVEY_ON_ADD, .call = ignore }, COVEY_ERROR_LAYOUT);
}

/* All that listening took is given back with the last listener, and the pool is as fast as before. */
static void forget_listeners(const covey_type *type) {
    static ear a = { .name = "a" }, b = { .name = "b" };
    create_entities(3);
    covey_pool *pool = covey_pool_of_raw(world, type);
    add_value(e[0], type, 1);
    size_t bytes = heap.bytes;
    listen(&a, type, COMPONENT_SIGNALS);
    listen(&b, NULL, ENTITY_SIGNALS);
    assert_true(heap.bytes > bytes && pool->observers);
    assert_true(covey_disconnect(world, a.connection) && covey_disconnect(world, b.connection));
    assert_int_equal(heap.bytes, bytes);
    assert_null(pool->observers);
    assert_null(world->listeners);
    add_value(e[1], type, 1);
    remove_value(e[0], type);
    assert_told("");
}

static void the_last_listener_leaves_nothing(void **state) {
    (void)state;
    for_each_storage(forget_listeners);
}

/* ---- Connecting and disconnecting meanwhile -----------------------------------------------------------------------*/

static ear first, second, third, late;

static void disconnect_first(const covey_event *event) {
    assert_true(covey_disconnect(event->world, first.connection));
}
static void disconnect_second(const covey_event *event) {
    assert_true(covey_disconnect(event->world, second.connection));
    assert_false(covey_connected(event->world, second.connection));
}
static void disconnect_third(const covey_event *event) {
    assert_true(covey_disconnect(event->world, third.connection));
}
static void disconnect_all(const covey_event *event) {
    disconnect_first(event);
    disconnect_second(event);
    disconnect_third(event);
}
static void connect_late(const covey_event *event) {
    listen(&late, event->type, event->type ? COMPONENT_SIGNALS : ENTITY_SIGNALS);
}

/* Three listeners to the same signal; the second does something once. */
static void listen_in_threes(const covey_type *type, uint32_t signals, hearing_fn *act) {
    first = (ear){ .name = "1" };
    second = (ear){ .name = "2", .act = act, .acts = act ? 1 : 0 };
    third = (ear){ .name = "3" };
    late = (ear){ .name = "4" };
    listen(&first, type, signals);
    listen(&second, type, signals);
    listen(&third, type, signals);
    listen_begin();
}

static void try_meanwhile(hearing_fn *act, const char *adding, const char *then) {
    void *none = NULL;
    create_entities(2);
    listen_in_threes(covey_id(Blocked), COMPONENT_SIGNALS, act);
    add_value(e[0], covey_id(Blocked), 1);
    assert_told(adding);
    add_value(e[1], covey_id(Blocked), 1);
    assert_told(then);
    world_teardown(&none);
    world_setup(&none);
    listen_in_threes(NULL, ENTITY_SIGNALS, act);
    covey_entity one = covey_create(world), two = covey_create(world);
    assert_true(covey_alive(world, one) && covey_alive(world, two));
    world_teardown(&none);
    world_setup(&none);
}

static void who_is_disconnected_is_not_told(void **state) {
    (void)state;
    try_meanwhile(disconnect_first, "1+0 2+0 3+0", "2+1 3+1");
    try_meanwhile(disconnect_second, "1+0 2+0 3+0", "1+1 3+1");
    try_meanwhile(disconnect_third, "1+0 2+0", "1+1 2+1");
    try_meanwhile(disconnect_all, "1+0 2+0", "");
}

/* A listener that is connected meanwhile is told of the next change. */
static void who_is_connected_meanwhile_hears_later(void **state) {
    (void)state;
    try_meanwhile(connect_late, "1+0 2+0 3+0", "1+1 2+1 3+1 4+1");
}

static void removals_go_backwards_meanwhile(void **state) {
    (void)state;
    create_entities(2);
    add_value(e[0], covey_id(Blocked), 1);
    add_value(e[1], covey_id(Blocked), 1);
    listen_in_threes(covey_id(Blocked), COVEY_ON_REMOVE, disconnect_first);
    remove_value(e[0], covey_id(Blocked));
    assert_told("3-0 2-0");
    remove_value(e[1], covey_id(Blocked));
    assert_told("3-1 2-1");
}

/* The watch of the pool goes away while the call that it was for is under way. */
static void leave_meanwhile(const covey_type *type) {
    first = (ear){ .name = "1", .act = disconnect_first, .acts = 1 };
    create_entities(2);
    listen(&first, type, COMPONENT_SIGNALS);
    assert_non_null(add_value(e[0], type, 7));
    assert_value(e[0], type, 7);
    assert_null(covey_pool_find_raw(world, type)->observers);
    first.acts = 1;
    listen(&first, type, COVEY_ON_SET);
    Value value = value_of(8);
    assert_non_null(covey_set_raw(world, e[0], type, &value));
    assert_value(e[0], type, 8);
    first.acts = 1;
    listen(&first, type, COVEY_ON_REMOVE);
    assert_true(remove_value(e[0], type));
    assert_null(get_value(e[0], type));
    add_value(e[0], type, 1);
    add_value(e[1], type, 1);
    first.acts = 1;
    listen(&first, type, COVEY_ON_REMOVE);
    covey_clear_raw(world, type);
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 0);
    add_value(e[0], type, 1);
    first.acts = 1;
    listen(&first, type, COVEY_ON_REMOVE);
    assert_true(covey_destroy(world, e[0]));
    assert_false(covey_alive(world, e[0]));
}

static void the_last_listener_leaves_meanwhile(void **state) {
    (void)state;
    for_each_storage(leave_meanwhile);
}

static void leave_and_destroy_again(const covey_event *event) {
    disconnect_first(event);
    assert_false(covey_destroy(event->world, *event->entities));
}

static void the_last_listener_to_entities_leaves_meanwhile(void **state) {
    (void)state;
    first = (ear){ .name = "1", .act = leave_and_destroy_again, .acts = 1 };
    create_entities(2);
    listen(&first, NULL, COVEY_ON_DESTROY);
    assert_true(covey_destroy(world, e[0]));
    assert_int_equal(covey_entity_count(world), 1);
    assert_told("1!0");
}

/* ---- Listeners that change the world ------------------------------------------------------------------------------*/

static const covey_type *about;

static void remove_it(const covey_event *event) { assert_true(remove_value(*event->entities, about)); }
static void destroy_it(const covey_event *event) { covey_destroy(world, *event->entities); }
static void set_it(const covey_event *event) {
    Value value = value_of(99);
    covey_set_raw(world, *event->entities, about, &value);
}
static void remove_and_add_it(const covey_event *event) {
    remove_it(event);
    assert_non_null(add_value(*event->entities, about, 50));
}
static void remove_add_and_remove_it(const covey_event *event) {
    remove_and_add_it(event);
    remove_it(event);
}

static void act_in_threes(const covey_type *type, uint32_t signals, hearing_fn *act) {
    about = type;
    create_entities(4);
    listen_in_threes(type, signals, act);
}

/* Those behind are told of the addition first, then all of the removal; the call says that it is gone. */
static void remove_what_is_added(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, remove_it);
    assert_null(add_value(e[0], type, 1));
    assert_failed(COVEY_ERROR_GONE);
    assert_told("1+0 2+0 3+0 3-0 2-0 1-0");
    assert_null(get_value(e[0], type));
    assert_non_null(add_value(e[0], type, 1));
}

static void what_is_added_may_be_removed_at_once(void **state) {
    (void)state;
    for_each_storage(remove_what_is_added);
}

static void destroy_who_is_added_to(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, destroy_it);
    assert_null(add_value(e[0], type, 1));
    assert_failed(COVEY_ERROR_GONE);
    assert_told("1+0 2+0 3+0 3-0 2-0 1-0");
    assert_false(covey_alive(world, e[0]));
}

static void who_gets_a_component_may_be_destroyed_at_once(void **state) {
    (void)state;
    for_each_storage(destroy_who_is_added_to);
}

static void remove_what_is_set(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, NULL);
    add_value(e[0], type, 1);
    listen_begin();
    second.act = remove_it;
    second.acts = 1;
    Value value = value_of(2);
    assert_null(covey_set_raw(world, e[0], type, &value));
    assert_failed(COVEY_ERROR_GONE);
    assert_told("1=0 2=0 3=0 3-0 2-0 1-0");
}

static void what_is_set_may_be_removed_at_once(void **state) {
    (void)state;
    for_each_storage(remove_what_is_set);
}

/* All listeners are told of the add before they are told of the set. */
static void set_what_is_added(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, set_it);
    assert_non_null(add_value(e[0], type, 1));
    assert_value(e[0], type, 99);
    assert_told("1+0 2+0 3+0 1=0 2=0 3=0");
    second.acts = 1;
    Value value = value_of(2);
    assert_non_null(covey_set_raw(world, e[0], type, &value));
    assert_told("1=0 2=0 3=0 1=0 2=0 3=0");
    second.acts = 1;
    assert_true(remove_value(e[0], type)); /* the value of what is about to go */
    assert_told("3-0 2-0 1-0 1=0 2=0 3=0");
}

static void what_is_added_may_be_set_at_once(void **state) {
    (void)state;
    for_each_storage(set_what_is_added);
}

static void remove_what_is_removed(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, remove_it);
    second.acts = 0;
    add_value(e[0], type, 1);
    add_value(e[1], type, 2);
    listen_begin();
    second.acts = 1;
    assert_true(remove_value(e[0], type));
    assert_told("3-0 2-0 1-0");
    assert_null(get_value(e[0], type));
    assert_value(e[1], type, 2);
}

static void what_is_removed_may_be_removed_at_once(void **state) {
    (void)state;
    for_each_storage(remove_what_is_removed);
}

/* The component that is there afterwards is another one, and all listeners were told of it: it stays. */
static void add_again_what_is_removed(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, remove_and_add_it);
    second.acts = 0;
    add_value(e[0], type, 1);
    listen_begin();
    second.acts = 1;
    assert_true(remove_value(e[0], type));
    assert_told("3-0 2-0 1-0 1+0 2+0 3+0");
    assert_value(e[0], type, 50);
    second.acts = 1;
    second.act = remove_add_and_remove_it;
    assert_true(remove_value(e[0], type));
    assert_told("3-0 2-0 1-0 1+0 2+0 3+0 3-0 2-0 1-0");
    assert_null(get_value(e[0], type));
}

static void what_is_removed_may_be_added_again_at_once(void **state) {
    (void)state;
    for_each_storage(add_again_what_is_removed);
}

static void destroy_who_loses(const covey_type *type) {
    static ear a = { .name = "a" };
    act_in_threes(type, COMPONENT_SIGNALS, destroy_it);
    listen(&a, NULL, COVEY_ON_DESTROY);
    second.acts = 0;
    add_value(e[0], type, 1);
    listen_begin();
    second.acts = 1;
    assert_true(remove_value(e[0], type));
    assert_told("3-0 2-0 1-0 a!0"); /* of the removal once */
    assert_false(covey_alive(world, e[0]));
}

static void who_loses_a_component_may_be_destroyed_at_once(void **state) {
    (void)state;
    for_each_storage(destroy_who_loses);
}

static void who_is_created_may_be_destroyed_at_once(void **state) {
    (void)state;
    listen_in_threes(NULL, ENTITY_SIGNALS, destroy_it);
    assert_no_entity(covey_create(world));
    assert_failed(COVEY_ERROR_GONE);
    assert_told("1*0 2*0 3*0 3!0 2!0 1!0");
    covey_entity many[3];
    second.acts = 1;
    assert_true(covey_create_many(world, many, 3));
    assert_told("1*0 1*1 1*2 2*0 2*1 2*2 3*0 3*1 3*2 3!0 2!0 1!0");
    assert_false(covey_alive(world, many[0]));
    assert_true(covey_alive(world, many[1]) && covey_alive(world, many[2]));
}

/* The index of the entity is used again while the removal of the old one is being told. */
static void replace_entity(const covey_event *event) {
    assert_true(covey_destroy(world, *event->entities));
    covey_entity other = covey_create(world);
    assert_int_equal(other.index, event->entities->index);
    assert_non_null(add_value(other, about, 3));
    assert_true(remove_value(other, about));
    assert_non_null(add_value(other, about, 4));
    e[0] = other;
}

static void use_index_again(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, replace_entity);
    second.acts = 0;
    add_value(e[0], type, 1);
    listen_begin();
    second.acts = 1;
    covey_entity old = e[0];
    assert_true(remove_value(old, type));
    assert_told("3-0 2-0 1-0 1+0 2+0 3+0 3-0 2-0 1-0 1+0 2+0 3+0");
    assert_value(e[0], type, 4);
    assert_false(covey_alive(world, old));
}

static void an_index_may_be_used_again_at_once(void **state) {
    (void)state;
    for_each_storage(use_index_again);
}

static void add_the_next(const covey_event *event) {
    const covey_type *next = event->type == covey_id(Packed)    ? covey_id(Blocked)
                             : event->type == covey_id(Blocked) ? covey_id(Pinned)
                                                                : covey_id(Ordered);
    assert_non_null(add_value(*event->entities, next, 1));
}

static void listeners_may_cause_others(void **state) {
    static ear a = { .name = "a", .act = add_the_next }, b = { .name = "b", .act = add_the_next };
    static ear c = { .name = "c", .act = add_the_next }, d = { .name = "d" }, z = { .name = "z" };
    (void)state;
    create_entities(1);
    a.acts = b.acts = c.acts = 1;
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    listen(&b, covey_id(Blocked), COMPONENT_SIGNALS);
    listen(&c, covey_id(Pinned), COMPONENT_SIGNALS);
    listen(&d, covey_id(Ordered), COMPONENT_SIGNALS);
    listen(&z, covey_id(Packed), COMPONENT_SIGNALS);
    assert_non_null(add_value(e[0], covey_id(Packed), 1));
    assert_told("a+0 b+0 c+0 d+0 z+0");
    assert_true(covey_destroy(world, e[0]));
    assert_told("z-0 a-0 b-0 c-0 d-0");
}

static void destroy_another(const covey_event *event) {
    (void)event;
    assert_true(covey_destroy(world, e[1]));
    assert_non_null(add_value(e[2], about, 5));
    assert_true(remove_value(e[3], about));
}

static void listeners_may_change_others(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, destroy_another);
    second.acts = 0;
    for (uint32_t i = 0; i < 4; i++)
        if (i != 2) add_value(e[i], type, i);
    listen_begin();
    second.acts = 1;
    assert_true(remove_value(e[0], type));
    assert_told("3-0 2-0 3-1 2-1 1-1 1+2 2+2 3+2 3-3 2-3 1-3 1-0");
    assert_null(get_value(e[0], type));
    assert_value(e[2], type, 5);
}

static void others_may_be_changed(void **state) {
    (void)state;
    for_each_storage(listeners_may_change_others);
}

/* ---- Who is being destroyed ---------------------------------------------------------------------------------------*/

static void fail_to_add(covey_entity dying, const covey_type *type) {
    Value values[2] = { value_of(1), value_of(2) };
    covey_pool *pool = covey_pool_of_raw(world, type);
    covey_entity both[] = { e[7], dying };
    heard.times = 0;
    assert_null(covey_add_raw(world, dying, type, values));
    assert_null(covey_set_raw(world, dying, type, values));
    assert_null(covey_get_or_add_raw(world, dying, type, values));
    assert_null(covey_pool_add_raw(pool, dying, values));
    assert_null(covey_pool_set_raw(pool, dying, values));
    assert_false(covey_add_array_raw(world, both, 2, type, values));
    assert_false(covey_add_copies_raw(world, both, 2, type, values));
    assert_int_equal(heard.times, 7);
    assert_failed(COVEY_ERROR_DEAD);
    assert_false(covey_has_raw(world, e[7], type));
}

COVEY_TAG_DEFINE(Flag);
typedef Value Unmet;
COVEY_COMPONENT_DEFINE(Unmet);

static void try_to_add(const covey_event *event) {
    covey_entity dying = *event->entities;
    assert_true(covey_alive(world, dying));
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++)
        if (!covey_has_raw(world, dying, storage_types[i])) fail_to_add(dying, storage_types[i]);
    fail_to_add(dying, covey_id(Flag));
    fail_to_add(dying, covey_id(Marked));
    assert_null(covey_add(world, dying, Unmet, { 1, 2 }));
    assert_null(covey_add(world, dying, Packed, { 1, 2 }));
    assert_false(covey_add_tag(world, dying, Flag));
    assert_null(covey_set(world, dying, Pinned, { 1, 2 }));
    assert_false(covey_destroy(world, dying));
    assert_no_entity(covey_create_at(world, dying.index));
    assert_value(dying, covey_id(Blocked), 1);
    assert_true(covey_has_all(world, dying, Blocked, Ordered));
}

/* Neither on destroy nor on remove; what it has can be read and set. */
static void the_dying_take_no_component(void **state) {
    static ear a = { .name = "a", .act = try_to_add }, b = { .name = "b", .act = try_to_add };
    static ear c = { .name = "c", .act = try_to_add };
    (void)state;
    create_entities(8);
    a.acts = b.acts = c.acts = 1;
    add_value(e[0], covey_id(Blocked), 1);
    add_value(e[0], covey_id(Ordered), 1);
    listen(&a, NULL, COVEY_ON_DESTROY);
    listen(&b, covey_id(Blocked), COVEY_ON_REMOVE);
    listen(&c, covey_id(Ordered), COVEY_ON_REMOVE);
    assert_true(covey_destroy(world, e[0]));
    assert_told("a!0 b-0 c-0");
    assert_false(covey_alive(world, e[0]));
}

/* For neighbouring entities without components. A listener that destroys another one is told of all. */
static void destroy_the_last(const covey_event *event) {
    covey_entity last = covey__entity(event->entities->index + 9, event->entities->generation);
    assert_true(covey_destroy(world, last));
}

static void a_listener_that_destroys_hears_of_all(void **state) {
    static ear a = { .name = "a", .act = destroy_the_last };
    (void)state;
    covey_entity all[10];
    assert_true(covey_create_many(world, all, 10));
    a.acts = 1;
    listen_begin();
    listen(&a, NULL, COVEY_ON_DESTROY);
    for (uint32_t i = 0; i < 9; i++) assert_true(covey_destroy(world, all[i]));
    assert_told("a!0 a!9 a!1 a!2 a!3 a!4 a!5 a!6 a!7 a!8");
}

/* The same where a listener of components destroys, and one of entities is connected from within. */
static ear late_ear = { .name = "b" };
static void destroy_two_and_listen(const covey_event *event) {
    (void)event;
    assert_true(covey_destroy(world, e[1]) && covey_destroy(world, e[2]));
    listen(&late_ear, NULL, COVEY_ON_DESTROY);
    assert_true(covey_destroy(world, e[3]) && covey_destroy(world, e[4]));
}

static void who_is_connected_while_others_die_hears_of_the_next(void **state) {
    static ear a = { .name = "a", .act = destroy_two_and_listen };
    (void)state;
    create_entities(8);
    a.acts = 1;
    listen(&a, covey_id(Blocked), COVEY_ON_ADD);
    assert_non_null(add_value(e[0], covey_id(Blocked), 1));
    assert_told("a+0 b!3 b!4");
    assert_true(covey_destroy(world, e[5]) && covey_destroy(world, e[6]));
    assert_told("b!5 b!6");
}

/* Neighbours get components of a block that is being filled, from the listener; the dying one does not. */
static void add_to_neighbours(const covey_event *event) {
    covey_pool *pool = covey_pool_of(world, Blocked);
    for (uint32_t i = 1; i < 8; i++) assert_non_null(covey_pool_add(pool, e[i], Blocked, { i, ~i }));
    assert_null(covey_pool_add(pool, *event->entities, Blocked, { 1, 2 }));
    assert_null(covey_add(world, *event->entities, Blocked, { 1, 2 }));
    assert_null(covey_set(world, *event->entities, Blocked, { 1, 2 }));
}

static void the_dying_are_not_filled(void **state) {
    static ear a = { .name = "a", .act = add_to_neighbours };
    (void)state;
    create_entities(8);
    covey_entity more[60];
    assert_true(covey_create_many(world, more, 56));
    a.acts = 1;
    for (uint32_t i = 0; i < 56; i++) assert_non_null(covey_add(world, more[i], Blocked, { i, ~i }));
    listen(&a, NULL, COVEY_ON_DESTROY);
    assert_true(covey_destroy(world, e[0]));
    for (uint32_t i = 1; i < 8; i++) assert_value(e[i], covey_id(Blocked), i);
    assert_int_equal(covey_pool_count(covey_pool_find(world, Blocked)), 63);
}

static void join_a_group(const covey_event *event) {
    assert_null(covey_add(world, *event->entities, Packed, { 1, 2 }));
    assert_null(add_value(*event->entities, covey_id(Packed), 1));
    assert_non_null(add_value(e[1], covey_id(Packed), 1));
}

static void the_dying_join_no_group(void **state) {
    static ear a = { .name = "a", .act = join_a_group };
    (void)state;
    create_entities(2);
    a.acts = 1;
    covey_group *group =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed), covey_id(Marked) } });
    assert_non_null(group);
    covey_pool_reserve(covey_pool_of(world, Packed), 8);
    assert_true(covey_add_tag(world, e[0], Marked) && covey_add_tag(world, e[1], Marked));
    listen(&a, NULL, COVEY_ON_DESTROY);
    assert_true(covey_destroy(world, e[0]));
    assert_int_equal(covey_group_count(group), 1);
    assert_same(covey_group_first(group), e[1]);
}

static void remove_both(const covey_event *event) {
    assert_true(remove_value(*event->entities, covey_id(Blocked)));
    assert_true(remove_value(*event->entities, covey_id(Packed)));
}

/* All listeners are told once of components that are removed by hand while the entity is destroyed. */
static void the_dying_may_lose_components(void **state) {
    static ear a = { .name = "a", .act = remove_both }, b = { .name = "b" }, c = { .name = "c" };
    (void)state;
    create_entities(1);
    listen(&b, covey_id(Blocked), COMPONENT_SIGNALS);
    listen(&c, covey_id(Packed), COMPONENT_SIGNALS);
    add_value(e[0], covey_id(Blocked), 1);
    add_value(e[0], covey_id(Packed), 1);
    a.acts = 1;
    listen(&a, NULL, COVEY_ON_DESTROY);
    listen_begin();
    assert_true(covey_destroy(world, e[0]));
    assert_told("a!0 b-0 c-0");
    e[1] = covey_create(world);
    add_value(e[1], covey_id(Blocked), 1);
    add_value(e[1], covey_id(Packed), 1);
    listen_begin();
    c.act = remove_both;
    c.acts = 1;
    assert_true(covey_destroy(world, e[1]));
    assert_told("a!0 b-0 c-0");
}

static void clear_both(const covey_event *event) {
    (void)event;
    covey_clear(world, Blocked);
    covey_clear(world, Packed);
}

static void a_dying_entity_may_be_cleared(void **state) {
    static ear a = { .name = "a" }, b = { .name = "b" }, c = { .name = "c", .act = clear_both };
    (void)state;
    create_entities(1);
    listen(&a, covey_id(Blocked), COMPONENT_SIGNALS);
    listen(&b, covey_id(Packed), COMPONENT_SIGNALS);
    listen(&c, covey_id(Pinned), COMPONENT_SIGNALS);
    for (uint32_t i = 0; i < COUNT_OF(storage_types); i++) add_value(e[0], storage_types[i], 1);
    c.acts = 1;
    listen_begin();
    assert_true(covey_destroy(world, e[0]));
    assert_told("a-0 b-0 c-0");
}

/* ---- Many at once -------------------------------------------------------------------------------------------------*/

static void add_array_of(const covey_type *type) {
    static ear a = { .name = "a" }, b = { .name = "b" };
    Value array[4];
    create_entities(4);
    for (uint32_t i = 0; i < 4; i++) array[i] = value_of(i);
    listen(&a, type, COMPONENT_SIGNALS);
    listen_to_spans(&b, type, COMPONENT_SIGNALS);
    assert_true(covey_add_array_raw(world, e, 4, type, array));
    assert_told("a+0 a+1 a+2 a+3 b+0,1,2,3");
    covey_clear_raw(world, type);
    covey_pool *pool = covey_pool_find_raw(world, type);
    if ((covey_pool_ids)(pool)) assert_told("b-3 b-2 b-1 b-0 a-3 a-2 a-1 a-0"); /* sparse ones from the end on */
    else assert_told("b-0,1,2,3 a-0 a-1 a-2 a-3");
    assert_true(covey_add_copies_raw(world, e, 3, type, array));
    assert_told("a+0 a+1 a+2 b+0,1,2");
    assert_false(covey_add_copies_raw(world, e, 4, type, array));
    assert_told("");
}

static void many_are_heard_of_at_once(void **state) {
    (void)state;
    for_each_storage(add_array_of);
}

static void create_many_is_a_span(void **state) {
    static ear a = { .name = "a" };
    (void)state;
    listen_begin();
    listen_to_spans(&a, NULL, ENTITY_SIGNALS);
    covey_entity many[5];
    assert_true(covey_create_many(world, many, 5));
    assert_told("a*0,1,2,3,4");
    assert_true(covey_create_many(world, many, 0));
    assert_told("");
    covey_destroy_many(world, many, 2);
    assert_told("a!0 a!1");
}

static uint32_t spans, longest, told;

static void measure_span(const covey_event *event, void *context) {
    (void)context;
    spans++;
    told += event->count;
    if (event->count > longest) longest = event->count;
    const Value *values = event->values;
    for (uint32_t i = 0; i < event->count; i++) assert_int_equal(values[i].check, ~values[i].number);
}

static void clear_spans(const covey_type *type) {
    covey_entity many[200];
    assert_true(covey_create_many(world, many, 200));
    for (uint32_t i = 0; i < 200; i++) assert_non_null(add_value(many[i], type, i));
    for (uint32_t i = 0; i < 200; i += 3) assert_true(remove_value(many[i], type));
    spans = longest = told = 0;
    covey_listener listener = { .type = type, .signals = COVEY_ON_REMOVE, .call = measure_span, .spans = true };
    assert_true(covey_connected(world, covey_connect(world, &listener)));
    uint32_t count = covey_pool_count(covey_pool_find_raw(world, type));
    covey_clear_raw(world, type);
    assert_int_equal(told, count);
    assert_true(longest <= COVEY__BLOCK_IDS && spans >= told / COVEY__BLOCK_IDS);
}

/* At most as many as a block has at a time. */
static void clearing_goes_in_steps(void **state) {
    (void)state;
    for_each_storage(clear_spans);
}

static void take_last_away(const covey_event *event) {
    (void)event;
    assert_true(remove_value(e[3], about));
    assert_true(covey_destroy(world, e[1]));
}

/* Entities that were removed meanwhile are not reported again, neither one by one nor in spans. */
static void take_away_meanwhile(const covey_type *type) {
    static ear a = { .name = "a", .act = take_last_away }, b = { .name = "b" };
    Value array[4] = { { 0, ~0u }, { 1, ~1u }, { 2, ~2u }, { 3, ~3u } };
    create_entities(4);
    about = type;
    a.acts = 1;
    listen(&a, type, COVEY_ON_ADD);
    listen_to_spans(&b, type, COVEY_ON_ADD | COVEY_ON_REMOVE);
    assert_true(covey_add_array_raw(world, e, 4, type, array));
    assert_told("a+0 a+1 a+2 a+3 b+0,1,2,3 b-3 b-1");
    assert_value(e[0], type, 0);
    assert_null(get_value(e[3], type));
}

static void who_leaves_meanwhile_is_told_of_first(void **state) {
    (void)state;
    for_each_storage(take_away_meanwhile);
}

/* ---- Clearing -----------------------------------------------------------------------------------------------------*/

static void add_while_cleared(const covey_event *event) {
    (void)event;
    assert_non_null(add_value(e[7], about, 70));
}

/* What a listener adds to the pool that is cleared is a component as any other: told of, and there or removed. */
static void add_to_what_is_cleared(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, add_while_cleared);
    e[7] = covey_create_at(world, 90);
    second.acts = 0;
    for (uint32_t i = 0; i < 4; i++) add_value(e[i], type, i);
    listen_begin();
    second.acts = 1;
    covey_clear_raw(world, type);
    for (uint32_t i = 0; i < 4; i++) assert_false(covey_has_raw(world, e[i], type));
    listen_begin();
    bool there = covey_has_raw(world, e[7], type);
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), there);
    covey_clear_raw(world, type);
    assert_told(there ? "3-90 2-90 1-90" : "");
}

static void a_listener_may_add_to_what_is_cleared(void **state) {
    (void)state;
    for_each_storage(add_to_what_is_cleared);
}

/* The same where adding moves those that are still to come: a pool that is kept, or owned by a group. */
static void clearing_reaches_all_that_was_there(void **state) {
    (void)state;
    for (uint32_t round = 0; round < 2; round++) {
        covey_entity many[100];
        about = covey_id(Packed);
        e[7] = covey_create(world);
        assert_true(covey_create_many(world, many, 100));
        for (uint32_t i = 0; i < 100; i++) add_value(many[i], covey_id(Packed), 100 + i);
        covey_pool *pool = covey_pool_of(world, Packed);
        if (round == 0)
            assert_int_equal(covey_pool_keep_sorted(pool, &(covey_order){ .key = COVEY_KEY_U32 }), COVEY_OK);
        else {
            assert_true(covey_add_tag(world, e[7], Marked));
            assert_non_null(
                covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed), covey_id(Marked) } }));
        }
        listen_in_threes(covey_id(Packed), COVEY_ON_REMOVE, add_while_cleared);
        covey_clear(world, Packed);
        for (uint32_t i = 0; i < 100; i++) assert_false(covey_has(world, many[i], Packed));
        void *none = NULL;
        world_teardown(&none);
        world_setup(&none);
    }
}

static void clear_it(const covey_event *event) { covey_clear_raw(event->world, about); }

/* A listener to one signal of a pool may clear the pool. */
static void clear_what_is_added(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, NULL);
    add_value(e[1], type, 1);
    listen_begin();
    second.act = clear_it;
    second.acts = 1;
    assert_null(add_value(e[0], type, 1));
    assert_failed(COVEY_ERROR_GONE);
    covey_pool *pool = covey_pool_find_raw(world, type);
    assert_int_equal(covey_pool_count(pool), 0);
    if ((covey_pool_ids)(pool) && type->policy != COVEY_IN_PLACE) assert_told("1+0 2+0 3+0 3-0 3-1 2-0 2-1 1-0 1-1");
    else listen_begin();
    add_value(e[1], type, 1);
    add_value(e[0], type, 1);
    listen_begin();
    second.acts = 1;
    assert_true(remove_value(e[0], type));
    assert_told("3-0 2-0 1-0 3-1 2-1 1-1");
    assert_int_equal(covey_pool_count(pool), 0);
}

static void listeners_may_clear(void **state) {
    (void)state;
    for_each_storage(clear_what_is_added);
}

/* Also without listeners to removals. */
static void clearing_tells_of_additions_first(void **state) {
    (void)state;
    act_in_threes(covey_id(Blocked), COVEY_ON_ADD, clear_it);
    assert_null(add_value(e[0], covey_id(Blocked), 1));
    assert_told("1+0 2+0 3+0");
}

static void add_again_while_cleared(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, NULL);
    for (uint32_t i = 0; i < 3; i++) add_value(e[i], type, i);
    listen_begin();
    second.act = remove_and_add_it;
    second.acts = 1;
    covey_clear_raw(world, type);
    uint32_t left = covey_pool_count(covey_pool_find_raw(world, type));
    assert_int_equal(left, 1);
    listen_begin();
    covey_clear_raw(world, type);
    assert_int_equal(covey_pool_count(covey_pool_find_raw(world, type)), 0);
}

static void what_is_cleared_may_be_added_again(void **state) {
    (void)state;
    for_each_storage(add_again_while_cleared);
}

static void clearing_all_is_heard(void **state) {
    static ear a = { .name = "a" }, b = { .name = "b" };
    (void)state;
    create_entities(2);
    listen(&a, covey_id(Packed), COVEY_ON_REMOVE);
    listen(&b, covey_id(Blocked), COVEY_ON_REMOVE);
    add_value(e[0], covey_id(Packed), 1);
    add_value(e[1], covey_id(Blocked), 1);
    covey_clear_components(world);
    assert_told("a-0 b-1");
}

/* ---- Values that are owned ----------------------------------------------------------------------------------------*/

static uint32_t dropped;
static void count_drop(void *value, void *context) {
    (void)context;
    const Value *last = value;
    assert_int_equal(last->check, ~last->number);
    dropped++;
}
typedef Value Owned;
typedef Value OwnedBlock;
COVEY_COMPONENT_DEFINE(Owned, .storage = COVEY_STORAGE_SPARSE, .drop = count_drop);
COVEY_COMPONENT_DEFINE(OwnedBlock, .drop = count_drop);

static void drop_once(const covey_type *type) {
    act_in_threes(type, COMPONENT_SIGNALS, remove_it);
    dropped = 0;
    assert_null(add_value(e[0], type, 1));
    assert_int_equal(dropped, 1);
    assert_non_null(add_value(e[0], type, 1));
    second.acts = 1;
    Value value = value_of(5);
    assert_null(covey_set_raw(world, e[0], type, &value));
    assert_int_equal(dropped, 3); /* the old one, and the new one */
    add_value(e[0], type, 1);
    second.acts = 1;
    assert_true(remove_value(e[0], type));
    assert_int_equal(dropped, 4);
    add_value(e[0], type, 1);
    second.act = remove_and_add_it;
    second.acts = 1;
    assert_true(remove_value(e[0], type));
    assert_int_equal(dropped, 5);
    second.act = destroy_it;
    second.acts = 1;
    covey_clear_raw(world, type);
    assert_int_equal(dropped, 6);
    for (uint32_t i = 1; i < 4; i++) add_value(e[i], type, i);
    covey_destroy_all(world);
    assert_int_equal(dropped, 9);
}

static void values_are_dropped_once(void **state) {
    (void)state;
    drop_once(covey_id(Owned));
    void *none = NULL;
    world_teardown(&none);
    world_setup(&none);
    drop_once(covey_id(OwnedBlock));
}

/* ---- Groups and order ---------------------------------------------------------------------------------------------*/

static covey_group *group;

static void change_membership(const covey_event *event) {
    covey_entity it = *event->entities;
    if (event->signal == COVEY_ON_ADD) assert_true(covey_add_tag(world, it, Marked));
    if (event->signal == COVEY_ON_REMOVE) assert_true(covey_remove(world, it, Marked));
    test_world_is_valid(world);
}

/* When listeners are called, the groups of the pool are up to date. */
static void try_group(const covey_group_desc *desc) {
    static ear a = { .name = "a", .act = change_membership };
    void *none = NULL;
    create_entities(4);
    a.acts = 100;
    group = covey_group_create(world, desc);
    assert_non_null(group);
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    for (uint32_t i = 0; i < 4; i++) {
        add_value(e[i], covey_id(Blocked), i);
        assert_non_null(add_value(e[i], covey_id(Packed), i));
        assert_true(covey_has(world, e[i], Marked));
    }
    bool excluded = desc->without[0] != NULL;
    assert_int_equal(covey_group_count(group), excluded ? 0 : 4);
    assert_true(remove_value(e[1], covey_id(Packed)));
    assert_int_equal(covey_group_count(group), excluded ? 0 : 3);
    assert_true(covey_destroy(world, e[2]));
    a.acts = 0;
    covey_clear(world, Packed);
    assert_int_equal(covey_group_count(group), 0);
    world_teardown(&none);
    world_setup(&none);
}

static void groups_are_up_to_date(void **state) {
    (void)state;
    try_group(&(covey_group_desc){ .own = { covey_id(Packed), covey_id(Marked) } });
    try_group(&(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Marked) } });
    try_group(&(covey_group_desc){ .with = { covey_id(Packed), covey_id(Marked), covey_id(Blocked) } });
    try_group(&(covey_group_desc){ .own = { covey_id(Packed) }, .without = { covey_id(Marked) } });
    try_group(&(covey_group_desc){ .with = { covey_id(Packed) }, .without = { covey_id(Marked) } });
}

static void group_made_in_a_listener(const covey_event *event) {
    (void)event;
    group =
        covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Packed) }, .with = { covey_id(Blocked) } });
    assert_non_null(group);
}

static void listeners_may_make_groups(void **state) {
    (void)state;
    act_in_threes(covey_id(Packed), COMPONENT_SIGNALS, group_made_in_a_listener);
    add_value(e[0], covey_id(Blocked), 1);
    assert_non_null(add_value(e[0], covey_id(Packed), 1));
    assert_int_equal(covey_group_count(group), 1);
    covey_group_destroy(group);
    second.acts = 1;
    assert_true(remove_value(e[0], covey_id(Packed)));
    assert_int_equal(covey_group_count(group), 0);
}

static void kept_pools_are_sorted_when_listeners_are_called(void **state) {
    static ear a = { .name = "a", .act = add_while_cleared };
    (void)state;
    create_entities(8);
    about = covey_id(Packed);
    a.acts = 0;
    assert_int_equal(covey_pool_keep_sorted(covey_pool_of(world, Packed), &(covey_order){ .key = COVEY_KEY_U32 }),
                     COVEY_OK);
    listen(&a, covey_id(Packed), COMPONENT_SIGNALS);
    static const uint32_t numbers[] = { 5, 2, 9, 1 };
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(add_value(e[i], covey_id(Packed), numbers[i])->number, numbers[i]);
    const Value *sorted = covey_pool_values(covey_pool_of(world, Packed), Packed);
    for (uint32_t i = 1; i < 4; i++) assert_true(sorted[i - 1].number < sorted[i].number);
    assert_true(remove_value(e[0], covey_id(Packed)));
    assert_told("a+0 a+1 a+2 a+3 a-0");
}

/* ---- Contracts ----------------------------------------------------------------------------------------------------*/

static uint32_t alarms;

static void count_alarm(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    assert_string_equal(what, "covey_world_destroy: a listener must not destroy the world: do it afterwards");
    alarms++;
}

static void destroy_world(const covey_event *event, void *context) {
    (void)context;
    if (event->signal == COVEY_ON_CREATE) covey_world_destroy(event->world);
}

/* If it does, level 1 says so, and the world stays. */
static void a_listener_must_not_destroy_the_world(void **state) {
    (void)state;
    alarms = 0;
    covey_world *other = covey_world_create(&(covey_world_desc){ .on_assert = count_alarm });
    covey_listener listener = { .signals = ENTITY_SIGNALS, .call = destroy_world };
    assert_true(covey_connected(other, covey_connect(other, &listener)));
    assert_true(covey_alive(other, covey_create(other)));
    assert_int_equal(alarms, COVEY_ASSERT_LEVEL >= 1);
    covey_world_destroy(other);
}

static void hear_of_depth(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    assert_string_equal(what, "listeners are called 1,000 deep: one of them makes the change that it listens to");
    alarms++;
}

static uint32_t created;

static void create_another(const covey_event *event, void *context) {
    (void)context;
    if (alarms == 0 && created++ < 1010) covey_create(event->world);
}

/* One that would go on until the stack is full is found at level 1. */
static void a_listener_must_not_cause_what_it_hears_of_for_ever(void **state) {
    (void)state;
    alarms = created = 0;
    covey_world *other = covey_world_create(&(covey_world_desc){ .on_assert = hear_of_depth });
    assert_true(covey_connected(
        other, covey_connect(other, &(covey_listener){ .signals = COVEY_ON_CREATE, .call = create_another })));
    covey_create(other);
    assert_int_equal(alarms, COVEY_ASSERT_LEVEL >= 1);
    assert_int_equal(created, COVEY_ASSERT_LEVEL >= 1 ? 1000 : 1011);
    test_world_is_valid(other);
    covey_world_destroy(other);
}

/* ---- Very many ----------------------------------------------------------------------------------------------------*/

static uint32_t told_of[2], taken;

static void count_first(const covey_event *event, void *context) {
    (void)context;
    told_of[0] += event->count;
    taken += covey_destroy(event->world, *event->entities);
}

static void count_second(const covey_event *event, void *context) {
    (void)context;
    told_of[1] += event->count;
}

/* The calls that tell of the others lie on the stack: there are only so many of them, however many entities. */
static void each_of_very_many_may_be_taken_away(void **state) {
    (void)state;
    enum { MANY = 60000 };
    uint32_t count = MANY < COVEY_NONE ? MANY : COVEY_NONE - 1;
    covey_entity *many = malloc(count * sizeof *many);
    told_of[0] = told_of[1] = taken = 0;
    assert_non_null(many);
    covey_listener listener = { .type = covey_id(Packed), .signals = COVEY_ON_ADD, .call = count_first };
    covey_connect(world, &listener);
    listener.call = count_second;
    covey_connect(world, &listener);
    assert_true(covey_create_many(world, many, count));
    assert_true(covey_add_copies_raw(world, many, count, covey_id(Packed), NULL));
    assert_true(told_of[0] == count && told_of[1] == count && taken == count);
    assert_int_equal(covey_entity_count(world), 0);
    free(many);
}

static covey_entity far_away;
static char heard_of_it[8];

static void take_far_away(const covey_event *event, void *context) {
    (void)context;
    if (event->signal == COVEY_ON_ADD && told_of[0]++ == 0) assert_true(covey_remove(event->world, far_away, Packed));
}

static void hear_of_far_away(const covey_event *event, void *context) {
    (void)context;
    told_of[1] += event->signal == COVEY_ON_ADD;
    if (covey_same(*event->entities, far_away)) strcat(heard_of_it, event->signal == COVEY_ON_ADD ? "+" : "-");
}

/* One that others are to be told of much later: they are, before it ends. */
static void one_far_away_may_be_taken_away(void **state) {
    (void)state;
    covey_entity many[900];
    told_of[0] = told_of[1] = 0;
    heard_of_it[0] = '\0';
    covey_listener listener = { .type = covey_id(Packed), .call = take_far_away };
    listener.signals = COVEY_ON_ADD | COVEY_ON_REMOVE;
    covey_connect(world, &listener);
    listener.call = hear_of_far_away;
    covey_connect(world, &listener);
    assert_true(covey_create_many(world, many, 900));
    far_away = many[700];
    assert_true(covey_add_copies_raw(world, many, 900, covey_id(Packed), NULL));
    assert_string_equal(heard_of_it, "+-");
    assert_true(told_of[0] == 900 && told_of[1] == 900);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(components_are_heard),
        WORLD_TEST(patches_are_heard_apart),
        WORLD_TEST(what_is_patched_may_be_gone),
        WORLD_TEST(literals_are_heard),
        WORLD_TEST(entities_are_heard),
        WORLD_TEST(destroying_tells_of_components),
        WORLD_TEST(listeners_hear_of_old_components),
        WORLD_TEST(ending_a_world_is_heard),
        WORLD_TEST(order_is_that_of_connecting),
        WORLD_TEST(a_function_may_be_connected_twice),
        WORLD_TEST(null_is_connected_to_nothing),
        WORLD_TEST(wrong_listeners_are_refused),
        WORLD_TEST(the_last_listener_leaves_nothing),
        WORLD_TEST(who_is_disconnected_is_not_told),
        WORLD_TEST(who_is_connected_meanwhile_hears_later),
        WORLD_TEST(removals_go_backwards_meanwhile),
        WORLD_TEST(the_last_listener_leaves_meanwhile),
        WORLD_TEST(the_last_listener_to_entities_leaves_meanwhile),
        WORLD_TEST(what_is_added_may_be_removed_at_once),
        WORLD_TEST(who_gets_a_component_may_be_destroyed_at_once),
        WORLD_TEST(what_is_set_may_be_removed_at_once),
        WORLD_TEST(what_is_added_may_be_set_at_once),
        WORLD_TEST(what_is_removed_may_be_removed_at_once),
        WORLD_TEST(what_is_removed_may_be_added_again_at_once),
        WORLD_TEST(who_loses_a_component_may_be_destroyed_at_once),
        WORLD_TEST(who_is_created_may_be_destroyed_at_once),
        WORLD_TEST(an_index_may_be_used_again_at_once),
        WORLD_TEST(listeners_may_cause_others),
        WORLD_TEST(others_may_be_changed),
        WORLD_TEST(the_dying_take_no_component),
        WORLD_TEST(a_listener_that_destroys_hears_of_all),
        WORLD_TEST(who_is_connected_while_others_die_hears_of_the_next),
        WORLD_TEST(the_dying_are_not_filled),
        WORLD_TEST(the_dying_join_no_group),
        WORLD_TEST(the_dying_may_lose_components),
        WORLD_TEST(a_dying_entity_may_be_cleared),
        WORLD_TEST(many_are_heard_of_at_once),
        WORLD_TEST(create_many_is_a_span),
        WORLD_TEST(clearing_goes_in_steps),
        WORLD_TEST(who_leaves_meanwhile_is_told_of_first),
        WORLD_TEST(a_listener_may_add_to_what_is_cleared),
        WORLD_TEST(clearing_reaches_all_that_was_there),
        WORLD_TEST(listeners_may_clear),
        WORLD_TEST(clearing_tells_of_additions_first),
        WORLD_TEST(what_is_cleared_may_be_added_again),
        WORLD_TEST(clearing_all_is_heard),
        WORLD_TEST(values_are_dropped_once),
        WORLD_TEST(groups_are_up_to_date),
        WORLD_TEST(listeners_may_make_groups),
        WORLD_TEST(kept_pools_are_sorted_when_listeners_are_called),
        WORLD_TEST(a_listener_must_not_destroy_the_world),
        WORLD_TEST(a_listener_must_not_cause_what_it_hears_of_for_ever),
        WORLD_TEST(one_far_away_may_be_taken_away),
        WORLD_TEST(each_of_very_many_may_be_taken_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
