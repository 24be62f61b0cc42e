/* Many entities destroyed, or components removed, in one call: the same as by single calls, with all kinds of
 * observers. Each test makes two equal worlds, changes one by the call and the other by a loop, and compares all that
 * can be seen. */
#include "fixture.h"

#include <covey/enable.h>
#include <covey/group.h>
#include <covey/hierarchy.h>
#include <covey/react.h>
#include <stdio.h>

enum { COUNT = 300, EVENTS = 8 * COUNT, TYPES = 11 };

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static uint32_t dropped, moved_after_drop;

static void count_drop(void *value, void *context) {
    (void)context;
    dropped++;
    memset(value, 0, sizeof(Value));
}

static void move_value(void *to, void *from, void *context) {
    const Value *value = from;
    (void)context;
    moved_after_drop += value->check == 0;
    memcpy(to, from, sizeof(Value));
    memset(from, 0, sizeof(Value));
}

typedef Value PackedDropping;
typedef Value BlockDropping;
typedef Value OrderedDropping;
typedef Value PackedMoving;
typedef Value BlockMoving;
COVEY_COMPONENT_DEFINE(PackedDropping, .storage = COVEY_STORAGE_SPARSE, .drop = count_drop);
COVEY_COMPONENT_DEFINE(BlockDropping, .storage = COVEY_STORAGE_BLOCK, .drop = count_drop);
COVEY_COMPONENT_DEFINE(OrderedDropping, .policy = COVEY_ORDERED, .drop = count_drop);
COVEY_COMPONENT_DEFINE(PackedMoving, .storage = COVEY_STORAGE_SPARSE, .drop = count_drop, .move = move_value);
COVEY_COMPONENT_DEFINE(BlockMoving, .storage = COVEY_STORAGE_BLOCK, .drop = count_drop, .move = move_value);

/* No entity has it, until a listener adds it. */
typedef Value Late;
COVEY_COMPONENT_DEFINE(Late, .storage = COVEY_STORAGE_BLOCK);

/* Owned by groups. */
typedef Value PackedLeft;
typedef Value PackedRight;
typedef Value PackedInner;
typedef Value BlockLeft;
typedef Value BlockRight;
COVEY_COMPONENT_DEFINE(PackedLeft, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(PackedRight, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true);
COVEY_COMPONENT_DEFINE(PackedInner, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(BlockLeft, .storage = COVEY_STORAGE_BLOCK);
COVEY_COMPONENT_DEFINE(BlockRight, .storage = COVEY_STORAGE_BLOCK, .zero_erased = true);

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

typedef struct heard_event {
    covey_signal signal;
    const covey_type *type;
    covey_entity e;
    uint32_t number; /* of the value, if there is one */
} heard_event;

typedef struct twin {
    covey_world *world;
    covey_entity e[COUNT];
    covey_queue *queue;
    covey_reactive *reactive;
    covey_group *groups[4];
    covey_connection second;
    bool is_ready;
    uint32_t steps, connected, returned, dropped, event_count;
    heard_event events[EVENTS];
} twin;

static twin twins[2];

static void note_event(twin *t, const covey_event *event, uint32_t at) {
    heard_event *to = &t->events[t->event_count++ % EVENTS];
    *to = (heard_event){ .signal = event->signal, .type = event->type, .e = event->entities[at] };
    if (event->values) to->number = ((const Value *)event->values)[at].number;
}

typedef struct scene scene;
struct scene {
    const char *name;
    const covey_type *types[TYPES];
    void (*observe)(twin *t, const scene *s);
};

/* A part of the entities has each of the types. The twins are equal; which entities there are follows from the seed. */
static void make_twin(twin *t, const scene *s, uint64_t seed) {
    test_random random = { seed };
    memset(t, 0, sizeof *t);
    t->world = covey_world_create(&(covey_world_desc){ .quiet = true });
    assert_non_null(t->world);
    for (uint32_t i = 0; i < TYPES && s->types[i]; i++) assert_non_null(covey_pool_of_raw(t->world, s->types[i]));
    if (s->observe) s->observe(t, s);
    assert_true(covey_create_many(t->world, t->e, COUNT));
    for (uint32_t i = 0; i < TYPES && s->types[i]; i++)
        for (uint32_t k = 0; k < COUNT; k++) {
            Value value = value_of(i * COUNT + k);
            if (test_below(&random, 4) != 0) assert_non_null(covey_add_raw(t->world, t->e[k], s->types[i], &value));
        }
    for (uint32_t i = 0; i < COUNT / 8; i++) covey_destroy(t->world, t->e[test_below(&random, COUNT)]);
    if (t->queue) covey_queue_clear(t->queue);
    t->event_count = 0;
    t->is_ready = true;
}

static void note_queue(twin *t) {
    covey_event event;
    while (t->queue && covey_queue_next(t->queue, &event)) note_event(t, &event, 0);
}

static void compare_groups(uint32_t number) {
    covey_iter a = covey_group_iter(twins[0].groups[number]), b = covey_group_iter(twins[1].groups[number]);
    covey_row row = { 0 }, other = { 0 };
    while (covey_next_row(&a, &row)) {
        assert_true(covey_next_row(&b, &other));
        assert_same(covey_row_entity(&a, row), covey_row_entity(&b, other));
    }
    assert_false(covey_next_row(&b, &other));
}

static void compare(const scene *s) {
    twin *a = &twins[0], *b = &twins[1];
    for (uint32_t i = 0; i < 2; i++) {
        test_world_is_valid(twins[i].world);
        note_queue(&twins[i]);
    }
    if (world_digest(a->world) != world_digest(b->world)) fail_msg("%s: the worlds differ", s->name);
    assert_int_equal(a->returned, b->returned);
    assert_int_equal(a->dropped, b->dropped);
    assert_int_equal(moved_after_drop, 0);
    assert_int_equal(a->event_count, b->event_count);
    for (uint32_t i = 0; i < a->event_count && i < EVENTS; i++) {
        assert_int_equal(a->events[i].signal, b->events[i].signal);
        assert_ptr_equal(a->events[i].type, b->events[i].type);
        assert_same(a->events[i].e, b->events[i].e);
        assert_int_equal(a->events[i].number, b->events[i].number);
    }
    for (uint32_t i = 0; i < 4 && a->groups[i]; i++) compare_groups(i);
    const covey_entity *handles[2];
    if (!a->reactive) return;
    assert_int_equal(covey_reactive_count(a->reactive), covey_reactive_count(b->reactive));
    uint32_t count = covey_reactive_destroyed(a->reactive, &handles[0]);
    assert_int_equal(covey_reactive_destroyed(b->reactive, &handles[1]), count);
    for (uint32_t i = 0; i < count; i++) assert_same(handles[0][i], handles[1][i]);
}

/* ---- Observers ----------------------------------------------------------------------------------------------------*/

static void hear(const covey_event *event, void *context) {
    for (uint32_t i = 0; i < event->count; i++) note_event(context, event, i);
}

static void connect_all(twin *t, const scene *s, covey_listener listener, uint32_t signals) {
    for (uint32_t i = 0; i < TYPES && s->types[i]; i++) {
        listener.type = s->types[i];
        listener.signals = signals;
        t->second = covey_connect(t->world, &listener);
        assert_non_null(t->second.world);
    }
}

static void with_listener(twin *t, const scene *s) {
    connect_all(t, s, (covey_listener){ .call = hear, .context = t }, COVEY_ON_ADD | COVEY_ON_REMOVE);
    assert_non_null(
        covey_connect(t->world, &(covey_listener){ .signals = COVEY_ON_DESTROY, .call = hear, .context = t }).world);
}

static void with_queue(twin *t, const scene *s) {
    t->queue = covey_queue_create(t->world);
    connect_all(t, s, (covey_listener){ .queue = t->queue }, COVEY_ON_REMOVE);
    assert_non_null(covey_connect(t->world, &(covey_listener){ .signals = COVEY_ON_DESTROY, .queue = t->queue }).world);
}

static void with_queue_twice(twin *t, const scene *s) {
    with_queue(t, s);
    connect_all(t, s, (covey_listener){ .queue = t->queue, .values = true }, COVEY_ON_REMOVE);
}

static void with_reactive(twin *t, const scene *s) {
    t->reactive = covey_reactive_create(
        t->world, &(covey_reactive_desc){ .added = { s->types[0] }, .removed = { s->types[0], s->types[1] } });
    assert_non_null(t->reactive);
}

static void with_keeping_reactive(twin *t, const scene *s) {
    t->reactive = covey_reactive_create(
        t->world,
        &(covey_reactive_desc){ .removed = { s->types[0] }, .added = { s->types[1] }, .keep_destroyed = true });
    assert_non_null(t->reactive);
}

static covey_group *own(twin *t, const covey_type *a, const covey_type *b, const covey_type *c) {
    covey_group *group = covey_group_create(t->world, &(covey_group_desc){ .own = { a, b, c } });
    assert_non_null(group);
    return group;
}

static void with_groups(twin *t, const scene *s) {
    (void)s;
    t->groups[0] = own(t, covey_id(PackedLeft), covey_id(PackedRight), covey_id(PackedInner));
    t->groups[1] = own(t, covey_id(BlockLeft), covey_id(BlockRight), NULL);
}

static void with_nested_groups(twin *t, const scene *s) {
    with_groups(t, s);
    t->groups[2] = own(t, covey_id(PackedLeft), covey_id(PackedRight), NULL);
    t->groups[3] = covey_group_create(
        t->world, &(covey_group_desc){ .with = { covey_ids(BlockLeft, Packed) }, .without = { covey_id(Blocked) } });
    assert_non_null(t->groups[3]);
}

static void with_group_and_queue(twin *t, const scene *s) {
    with_groups(t, s);
    with_queue(t, s);
}

static void with_disabled(twin *t, const scene *s) {
    with_nested_groups(t, s);
    covey_entity e = covey_create(t->world);
    assert_int_equal(covey_disable(t->world, e), COVEY_OK);
}

typedef uint32_t call_fn(covey_world *world, const covey_entity *chosen, uint32_t count, const covey_type *type);

static uint32_t destroy_many(covey_world *in, const covey_entity *chosen, uint32_t count, const covey_type *type) {
    (void)type;
    return covey_destroy_many(in, chosen, count);
}
static uint32_t destroy_each(covey_world *in, const covey_entity *chosen, uint32_t count, const covey_type *type) {
    (void)type;
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < count; i++) destroyed += covey_destroy(in, chosen[i]);
    return destroyed;
}
static uint32_t remove_each(covey_world *in, const covey_entity *chosen, uint32_t count, const covey_type *type) {
    uint32_t removed = 0;
    for (uint32_t i = 0; i < count; i++) removed += covey_remove_raw(in, chosen[i], type);
    return removed;
}

static void hear_more(twin *t, const covey_type *type) {
    covey_listener listener = { .type = type, .signals = COVEY_ON_REMOVE, .call = hear, .context = t };
    if (t->connected++ < 4) assert_non_null(covey_connect(t->world, &listener).world);
}

static void add_to(twin *t, covey_entity e, const covey_type *type) {
    Value value = value_of(t->steps);
    if (covey_alive(t->world, e) && !covey_has_raw(t->world, e, type)) (void)covey_add_raw(t->world, e, type, &value);
}

/* Changes the world while it is called. The twins stay equal if they are told of the same events in the same order. */
static void change_others(const covey_event *event, void *context) {
    twin *t = context;
    const covey_type *type = event->type ? event->type : covey_id(Packed);
    uint32_t at = (event->entities->index * 7 + t->steps) % (COUNT - 20);
    covey_entity other = t->e[at];
    bool many = t == &twins[0];
    if (!t->is_ready) return;
    hear(event, context);
    switch (t->steps++ % 16) {
    case 0: covey_destroy(t->world, other); break;
    case 1: covey_create(t->world); break;
    case 2: covey_remove_raw(t->world, other, type); break;
    case 3: add_to(t, other, type); break;
    case 4: covey_destroy(t->world, event->entities[0]); break;
    case 5: covey_remove_raw(t->world, event->entities[0], type); break;
    case 6: add_to(t, t->e[(event->entities->index + 3) % COUNT], covey_id(Late)); break;
    case 7: hear_more(t, type); break;
    case 8: hear_more(t, covey_id(Marked)); break;
    case 9: covey_disconnect(t->world, t->second); break;
    case 10: (many ? covey_remove_many_raw : remove_each)(t->world, &t->e[at], 20, type); break;
    case 11:
        if (t->steps % 32 == 12) (many ? destroy_many : destroy_each)(t->world, &t->e[at], 20, NULL);
        break;
    case 12:
        if (event->type) covey_remove_raw(t->world, event->entities[0], type);
        if (event->type) add_to(t, event->entities[0], type);
        break;
    default: break;
    }
}

static void with_changing_listener(twin *t, const scene *s) {
    covey_listener late = { .type = covey_id(Late), .signals = COVEY_ON_REMOVE, .call = hear, .context = t };
    assert_non_null(covey_connect(t->world, &late).world);
    for (uint32_t i = 0; i < TYPES && s->types[i]; i++)
        t->second = covey_connect(t->world, &(covey_listener){ .type = s->types[i],
                                                               .signals = COVEY_ON_REMOVE,
                                                               .call = i % 2 == 0 ? change_others : hear,
                                                               .context = t });
}

static void with_changing_listener_of_entities(twin *t, const scene *s) {
    with_changing_listener(t, s);
    (void)covey_connect(t->world,
                        &(covey_listener){ .signals = COVEY_ON_DESTROY, .call = change_others, .context = t });
}

/* Makes another pool present in the block, again and again: the entity that is destroyed next has the component. */
static void add_late(const covey_event *event, void *context) {
    twin *t = context;
    hear(event, context);
    if (t->is_ready) add_to(t, t->e[(event->entities->index + 1) % COUNT], covey_id(Late));
}

static void with_late_component(twin *t, const scene *s) {
    (void)s;
    covey_listener late = { .type = covey_id(Late), .signals = COVEY_ON_REMOVE, .call = hear, .context = t };
    covey_listener first = { .type = covey_id(Packed), .signals = COVEY_ON_REMOVE, .call = add_late, .context = t };
    assert_non_null(covey_connect(t->world, &late).world);
    assert_non_null(covey_connect(t->world, &first).world);
}

static bool decides(const covey_event *event, void *context) {
    hear(event, context);
    return event->entities->index % 2 == 0;
}

/* From the tenth step on, a set hears of removals that it did not hear of before. */
static void listen_to_more(const covey_event *event, void *context) {
    twin *t = context;
    hear(event, context);
    if (t->is_ready && t->steps++ == 10)
        assert_int_equal(covey_reactive_listen(t->reactive, Blocked, COVEY_ON_REMOVE), COVEY_OK);
}

static void with_set_that_listens_to_more(twin *t, const scene *s) {
    (void)s;
    t->reactive = covey_reactive_create(
        t->world, &(covey_reactive_desc){ .added = { covey_id(Blocked) }, .decide = decides, .context = t });
    assert_non_null(t->reactive);
    assert_non_null(covey_connect(t->world, &(covey_listener){ .type = covey_id(Packed),
                                                               .signals = COVEY_ON_REMOVE,
                                                               .call = listen_to_more,
                                                               .context = t })
                        .world);
}

#define PLAIN \
    { covey_ids(Packed, Fixed, Kept, Ordered, Blocked, Pinned) }
#define DROPPING \
    { covey_ids(PackedDropping, BlockDropping, OrderedDropping, Fixed, PackedMoving, BlockMoving) }
#define GROUPED \
    { covey_ids(PackedLeft, BlockLeft, PackedRight, Packed, BlockRight, PackedInner, Blocked) }

static const scene scenes[] = {
    { "alone", PLAIN, NULL },
    { "hooks", DROPPING, NULL },
    { "groups", GROUPED, with_groups },
    { "nested groups", GROUPED, with_nested_groups },
    { "groups, and something disabled", GROUPED, with_disabled },
    { "groups and a queue", GROUPED, with_group_and_queue },
    { "a queue", PLAIN, with_queue },
    { "a queue, connected twice", PLAIN, with_queue_twice },
    { "a queue, hooks", DROPPING, with_queue },
    { "a reactive set", PLAIN, with_reactive },
    { "a reactive set that keeps the destroyed", DROPPING, with_keeping_reactive },
    { "a listener", PLAIN, with_listener },
    { "a listener, hooks", DROPPING, with_listener },
    { "a listener that changes the world", PLAIN, with_changing_listener },
    { "a listener that changes the world, hooks", DROPPING, with_changing_listener },
    { "a listener of entities that changes the world", PLAIN, with_changing_listener_of_entities },
    { "a listener that adds a component to the next entity", PLAIN, with_late_component },
    { "a reactive set that listens to more", PLAIN, with_set_that_listens_to_more },
};

/* ---- Calls --------------------------------------------------------------------------------------------------------*/

/* Some entities of a twin: in order, or mixed with some twice; dead ones among them. Returns how many. */
static uint32_t choose(const twin *t, covey_entity *chosen, bool mixed, uint64_t seed) {
    test_random random = { seed };
    uint32_t count = 0, first = test_below(&random, COUNT / 2);
    if (!mixed)
        for (uint32_t i = first; i < COUNT; i++) chosen[count++] = t->e[i];
    else
        while (count < COUNT) chosen[count++] = t->e[test_below(&random, COUNT)];
    return count;
}

static uint32_t destroy_all(covey_world *in, const covey_entity *chosen, uint32_t count, const covey_type *type) {
    (void)chosen, (void)count, (void)type;
    covey_destroy_all(in);
    return 0;
}
/* From the highest index down, with those that listeners create meanwhile below. */
static uint32_t destroy_down(covey_world *in, const covey_entity *chosen, uint32_t count, const covey_type *type) {
    (void)chosen, (void)count, (void)type;
    for (uint32_t i = 4096; i-- != 0;) covey_destroy(in, covey_entity_at(in, i));
    return 0;
}
static void check(const scene *s, call_fn *many, call_fn *each, bool mixed, uint64_t seed) {
    covey_entity chosen[COUNT];
    const covey_type *type = s->types[seed % 6];
    for (uint32_t i = 0; i < 2; i++) {
        twin *t = &twins[i];
        make_twin(t, s, seed);
        uint32_t count = choose(t, chosen, mixed, seed), before = dropped;
        t->returned = (i == 0 ? many : each)(t->world, chosen, count, type);
        t->dropped = dropped - before;
    }
    compare(s);
    for (uint32_t i = 0; i < 2; i++) covey_world_destroy(twins[i].world);
}

static void check_scenes(call_fn *many, call_fn *each, bool mixed) {
    for (uint32_t i = 0; i < COUNT_OF(scenes); i++)
        for (uint64_t seed = 1; seed <= 12; seed++) check(&scenes[i], many, each, mixed, seed);
}

static void test_neighbours_are_destroyed_as_by_single_calls(void **state) {
    (void)state;
    check_scenes(destroy_many, destroy_each, false);
}

static void test_entities_in_no_order_are_destroyed_as_by_single_calls(void **state) {
    (void)state;
    check_scenes(destroy_many, destroy_each, true);
}

static void test_all_entities_are_destroyed_from_the_highest_index_down(void **state) {
    (void)state;
    check_scenes(destroy_all, destroy_down, false);
}

static void test_components_are_removed_as_by_single_calls(void **state) {
    (void)state;
    check_scenes(covey_remove_many_raw, remove_each, false);
    check_scenes(covey_remove_many_raw, remove_each, true);
}

/* The pools have no memory where these entities are. */
static void test_removing_where_a_pool_has_nothing(void **state) {
    (void)state;
    static covey_entity all[5000];
    const scene s = { .types = PLAIN };
    covey_world *in = covey_world_create(&(covey_world_desc){ .first_index = COVEY_NONE > 100000 ? 70000 : 500 });
    covey_entity first = covey_create_at(in, 1);
    Value value = value_of(1);
    uint32_t count = COVEY_NONE > 100000 ? 5000 : 300;
    for (uint32_t i = 0; i < TYPES && s.types[i]; i++) assert_non_null(covey_add_raw(in, first, s.types[i], &value));
    assert_true(covey_create_many(in, all, count));
    for (uint32_t i = 0; i < TYPES && s.types[i]; i++) {
        assert_int_equal(covey_remove_many_raw(in, all, count, s.types[i]), 0);
        for (uint32_t k = 0; k < count; k += 2) assert_int_equal(covey_remove_many_raw(in, &all[k], 1, s.types[i]), 0);
    }
    assert_int_equal(covey_destroy_many(in, all, count), count);
    test_world_is_valid(in);
    covey_world_destroy(in);
}

/* Nodes and names change when other entities are destroyed. */
static void with_family(twin *t, const scene *s) {
    make_twin(t, s, 5);
    for (uint32_t i = 1; i < COUNT; i++) {
        bool alive = covey_alive(t->world, t->e[i]) && covey_alive(t->world, t->e[i / 3]);
        char name[16];
        snprintf(name, sizeof name, "%u", i % 5);
        if (alive) assert_int_equal(covey_parent_set(t->world, t->e[i], t->e[i / 3]), COVEY_OK);
        if (alive) (void)covey_name_set(t->world, t->e[i], name);
    }
}
static void test_parents_and_names_end_as_by_single_calls(void **state) {
    (void)state;
    covey_entity chosen[COUNT];
    for (uint32_t mixed = 0; mixed < 2; mixed++) {
        for (uint32_t i = 0; i < 2; i++) {
            with_family(&twins[i], &scenes[0]);
            uint32_t count = choose(&twins[i], chosen, mixed, 9) / 2;
            (i == 0 ? destroy_many : destroy_each)(twins[i].world, chosen, count, NULL);
        }
        compare(&scenes[0]);
        for (uint32_t i = 0; i < COUNT; i++) {
            const char *a = covey_name(twins[0].world, twins[0].e[i]), *b = covey_name(twins[1].world, twins[1].e[i]);
            assert_true(a && b ? strcmp(a, b) == 0 : !a && !b);
            assert_same(covey_parent(twins[0].world, twins[0].e[i]), covey_parent(twins[1].world, twins[1].e[i]));
        }
        for (uint32_t i = 0; i < 2; i++) covey_world_destroy(twins[i].world);
    }
}

/* ---- More types than are told of at once --------------------------------------------------------------------------*/

enum { MANY_TYPES = 40, SOME = 70 };

static void count_event(const covey_event *event, void *context) { *(uint32_t *)context += event->count; }

static void test_listeners_of_forty_types_hear_of_each_removal(void **state) {
    (void)state;
    static char names[MANY_TYPES][16];
    static covey_type types[MANY_TYPES];
    for (uint32_t way = 0; way < 3; way++) {
        covey_entity e[SOME];
        uint32_t heard_of = 0;
        world_teardown(state);
        assert_int_equal(world_setup(state), 0);
        for (uint32_t i = 0; i < SOME; i++) e[i] = covey_create_at(world, way == 1 ? i * 7 : i);
        for (uint32_t k = 0; k < MANY_TYPES; k++) {
            snprintf(names[k], sizeof names[k], "Type %u", k);
            types[k] = (covey_type){ .name = names[k], .size = 4, .align = 4 };
            for (uint32_t i = 0; i < SOME; i++) assert_non_null(covey_add_raw(world, e[i], &types[k], &i));
            covey_connect(
                world, &(covey_listener){
                           .type = &types[k], .signals = COVEY_ON_REMOVE, .call = count_event, .context = &heard_of });
        }
        if (way == 2) covey_destroy_all(world);
        else assert_int_equal(covey_destroy_many(world, e, SOME), SOME);
        assert_int_equal(heard_of, SOME * MANY_TYPES);
        assert_int_equal(covey_entity_count(world), 0);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_neighbours_are_destroyed_as_by_single_calls),
        cmocka_unit_test(test_entities_in_no_order_are_destroyed_as_by_single_calls),
        cmocka_unit_test(test_all_entities_are_destroyed_from_the_highest_index_down),
        cmocka_unit_test(test_components_are_removed_as_by_single_calls),
        WORLD_TEST(test_listeners_of_forty_types_hear_of_each_removal),
        cmocka_unit_test(test_removing_where_a_pool_has_nothing),
        cmocka_unit_test(test_parents_and_names_end_as_by_single_calls),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
