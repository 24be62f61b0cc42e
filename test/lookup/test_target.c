/* What happens to the sources of entities that are destroyed, in each way and with each kind of listener. */
#include "fixture.h"
#include "scan.h"

#include <covey/commands.h>
#include <covey/enable.h>
#include <covey/hierarchy.h>
#include <covey/shared.h>
#include <covey/tick.h>
#include <stdlib.h>

typedef struct OwnedBy {
    covey_entity owner, lender;
    int32_t since;
} OwnedBy;
COVEY_FIELDS_DEFINE(OwnedBy, entity(owner), entity(lender), i32(since));
typedef OwnedBy Block;
typedef OwnedBy Pin;
typedef OwnedBy Sparse;
typedef OwnedBy Place;
#define FIELDS .fields = &covey_fields_OwnedBy, .ticks = true
COVEY_COMPONENT_DEFINE(Block, FIELDS);
COVEY_COMPONENT_DEFINE(Pin, FIELDS, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(Sparse, FIELDS, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Place, FIELDS, .policy = COVEY_IN_PLACE);
COVEY_TAG_DEFINE(Mark);
static const covey_type *const types[] = { covey_id(Block), covey_id(Pin), covey_id(Sparse), covey_id(Place) };

enum { COUNT = 150 };
static covey_entity e[COUNT];
static test_random chance;
static scan owned; /* by the owner */

static void begin(const covey_type *type, covey_target_end policy) {
    covey_lookup_desc desc = { .type = type, .field = "owner", .when_target_ends = policy };
    assert_int_equal(world_setup(NULL), 0);
    owned = scan_create(world, desc, COVEY_KIND_ENTITY, offsetof(OwnedBy, owner), 0);
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
}

static void end(void) {
    assert_scanned(&owned);
    world_teardown(NULL);
}

static const OwnedBy *get(const covey_type *type, covey_entity of) { return covey_get_raw(world, of, type); }
static void relate(const covey_type *type, covey_entity source, covey_entity owner) {
    assert_non_null(covey_set_raw(world, source, type, &(OwnedBy){ .owner = owner }));
}

/* Each type with each policy, in a world of its own. */
static void for_each_policy_of_targets(void (*test)(const covey_type *type, covey_target_end policy)) {
    for (uint32_t i = 0; i < COUNT_OF(types); i++)
        for (uint32_t policy = COVEY_TARGET_KEEP; policy <= COVEY_TARGET_DESTROY; policy++) {
            begin(types[i], (covey_target_end)policy);
            test(types[i], (covey_target_end)policy);
            end();
        }
}
#define TARGET_TEST(name)                                                     \
    static void name##_with(const covey_type *type, covey_target_end policy); \
    static void name(void **state) {                                          \
        (void)state;                                                          \
        for_each_policy_of_targets(name##_with);                              \
    }                                                                         \
    static void name##_with(const covey_type *type, covey_target_end policy)

/* ---- A model -----------------------------------------------------------------------------------------------------*/

/* What should be left: entities by their numbers, and the numbers of their owners. */
typedef struct model {
    bool lives[COUNT], related[COUNT];
    covey_entity owner[COUNT];
} model;

static model read_world(const covey_type *type) {
    model m = { 0 };
    for (uint32_t i = 0; i < COUNT; i++) {
        const OwnedBy *at = get(type, e[i]);
        m.lives[i] = covey_alive(world, e[i]);
        m.related[i] = at != NULL;
        if (at) m.owner[i] = at->owner;
    }
    return m;
}

static void model_destroy(model *m, covey_target_end policy, uint32_t number) {
    if (!m->lives[number]) return;
    m->lives[number] = m->related[number] = false;
    for (uint32_t i = 0; i < COUNT; i++) {
        if (!m->related[i] || !covey_same(m->owner[i], e[number])) continue;
        if (policy == COVEY_TARGET_CLEAR) m->owner[i] = COVEY_NULL;
        if (policy == COVEY_TARGET_REMOVE) m->related[i] = false;
        if (policy == COVEY_TARGET_DESTROY) model_destroy(m, policy, i);
    }
}

static void assert_model(const model *m, const covey_type *type) {
    model is = read_world(type);
    for (uint32_t i = 0; i < COUNT; i++) {
        assert_int_equal(is.lives[i], m->lives[i]);
        assert_int_equal(is.related[i], m->related[i]);
        if (is.related[i]) assert_same(is.owner[i], m->owner[i]);
    }
    assert_scanned(&owned);
}

static void relate_at_random(const covey_type *type) {
    uint32_t width = 1 + test_below(&chance, 60);
    for (uint32_t i = 0; i < COUNT; i++)
        if (test_below(&chance, 5) != 0) relate(type, e[i], e[(i + 1 + test_below(&chance, width)) % COUNT]);
}

/* ---- Ways to destroy ---------------------------------------------------------------------------------------------*/

static void revive(void) {
    for (uint32_t i = 0; i < COUNT; i++)
        if (!covey_alive(world, e[i])) assert_false(covey_is_null(e[i] = covey_create(world)));
}

/* They destroy entities with these numbers. */
typedef void destroy_fn(const uint32_t *numbers, uint32_t count);

static void by_single_calls(const uint32_t *numbers, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) covey_destroy(world, e[numbers[i]]);
}
static void by_one_call(const uint32_t *numbers, uint32_t count) {
    covey_entity some[COUNT];
    for (uint32_t i = 0; i < count; i++) some[i] = e[numbers[i]];
    covey_destroy_many(world, some, count);
}
static void by_commands(const uint32_t *numbers, uint32_t count) {
    covey_commands *commands = covey_commands_create(world, NULL);
    for (uint32_t i = 0; i < count; i++) assert_true(covey_record_destroy(commands, e[numbers[i]]));
    covey_commands_replay(commands);
    covey_commands_destroy(commands);
}
static void as_a_tree(const uint32_t *numbers, uint32_t count) {
    for (uint32_t i = 1; i < count; i++)
        assert_int_equal(covey_parent_set(world, e[numbers[i]], e[numbers[i / 2]]), COVEY_OK);
    covey_destroy_tree(world, e[numbers[0]]);
}
static void in_a_loop(const uint32_t *numbers, uint32_t count) {
    covey_entity some[COUNT];
    covey_view all = covey_view_make(world, NULL);
    for (uint32_t i = 0; i < count; i++) some[i] = e[numbers[i]];
    covey_iter it = covey_view_iter_list(&all, some, count);
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) covey_destroy(world, covey_row_entity(&it, row));
}
/* The last one must not destroy other entities than its rows. */
static destroy_fn *const ways[] = { by_single_calls, by_one_call, by_commands, as_a_tree, in_a_loop };

/* Different numbers, in no order or as neighbours. */
static uint32_t pick(uint32_t *numbers) {
    uint32_t count = 1 + test_below(&chance, 40), first = test_below(&chance, COUNT);
    bool beside = test_below(&chance, 2) != 0;
    for (uint32_t i = 0; i < count; i++) numbers[i] = (first + i * (beside ? 1 : 37)) % COUNT;
    return count;
}

static void destroy_some(const covey_type *type, covey_target_end policy) {
    uint32_t numbers[COUNT], count = pick(numbers);
    revive();
    relate_at_random(type);
    model m = read_world(type);
    for (uint32_t i = 0; i < count; i++) model_destroy(&m, policy, numbers[i]);
    ways[test_below(&chance, COUNT_OF(ways) - (policy == COVEY_TARGET_DESTROY))](numbers, count);
    assert_model(&m, type);
}

enum { ROUNDS = COVEY_GENERATION_MAX > 100 ? 40 : 4 };

TARGET_TEST(test_every_way_to_destroy) {
    chance = (test_random){ 1 };
    for (uint32_t i = 0; i < ROUNDS; i++) destroy_some(type, policy);
}

static void hear(const covey_event *event, void *context) {
    (void)event;
    ++*(uint32_t *)context;
}

static covey_listener listener_of(const covey_type *type, uint32_t signals, covey_listener_fn *call, void *context) {
    return (covey_listener){ .type = type, .signals = signals, .call = call, .context = context };
}
static void listen(const covey_type *type, uint32_t signals, covey_listener_fn *call, void *context) {
    covey_listener listener = listener_of(type, signals, call, context);
    assert_true(covey_connect(world, &listener).number != 0);
}

TARGET_TEST(test_every_way_to_destroy_with_a_function_that_listens) {
    static uint32_t times;
    times = 0;
    chance = (test_random){ 2 };
    listen(type, COVEY_ON_REMOVE, hear, &times);
    for (uint32_t i = 0; i < ROUNDS / 2; i++) destroy_some(type, policy);
    listen(NULL, COVEY_ON_DESTROY, hear, &times);
    for (uint32_t i = 0; i < ROUNDS / 2; i++) destroy_some(type, policy);
    assert_true(times != 0);
}

TARGET_TEST(test_every_way_to_destroy_with_a_queue) {
    covey_queue *queue = covey_queue_create(world);
    covey_listener of_type = { .type = type, .signals = COVEY_ON_REMOVE, .queue = queue };
    covey_listener of_entities = { .signals = COVEY_ON_DESTROY, .queue = queue };
    chance = (test_random){ 3 };
    assert_true(covey_connect(world, &of_type).number != 0 && covey_connect(world, &of_entities).number != 0);
    for (uint32_t i = 0; i < ROUNDS / 2; i++) {
        destroy_some(type, policy);
        covey_event event;
        uint32_t removals = 0, ends = 0, left = 0, alive = 0;
        while (covey_queue_next(queue, &event)) {
            removals += event.signal == COVEY_ON_REMOVE;
            ends += event.signal == COVEY_ON_DESTROY;
        }
        for (uint32_t k = 0; k < COUNT; k++) {
            alive += covey_alive(world, e[k]);
            left += get(type, e[k]) != NULL;
        }
        assert_int_equal(ends, COUNT - alive);
        if (policy != COVEY_TARGET_REMOVE) assert_true(removals <= ends);
        else assert_true(removals + left <= COUNT);
    }
    covey_queue_destroy(queue);
}

TARGET_TEST(test_destroying_everything) {
    static uint32_t times;
    (void)policy;
    for (uint32_t way = 0; way < 3; way++) {
        revive();
        if (way == 1) listen(type, COVEY_ON_REMOVE, hear, &times);
        chance = (test_random){ way + 1 };
        relate_at_random(type);
        if (way == 2) assert_true(covey_destroy_many(world, e, COUNT) <= COUNT);
        else covey_destroy_all(world);
        assert_int_equal(covey_entity_count(world), 0);
        assert_int_equal(covey_lookup_size(owned.lookup), 0);
    }
}

/* ---- Each policy -------------------------------------------------------------------------------------------------*/

TARGET_TEST(test_no_memory_is_needed) {
    uint32_t numbers[COUNT];
    for (uint32_t i = 0; i < ROUNDS / 2; i++) {
        revive();
        relate_at_random(type);
        covey_compact(world);
        covey_shrink(world);
        model m = read_world(type);
        uint32_t count = pick(numbers);
        for (uint32_t k = 0; k < count; k++) model_destroy(&m, policy, numbers[k]);
        uint64_t calls = heap.calls;
        test_fail_at(&heap, 1, true);
        if (i % 2 == 0) by_single_calls(numbers, count);
        else by_one_call(numbers, count);
        test_fail_never(&heap);
        assert_int_equal(heap.calls, calls);
        assert_model(&m, type);
    }
}

/* Entities that have the component need room for as many targets, and others do not. */
TARGET_TEST(test_shrinking_gives_back_the_memory_for_targets) {
    if (policy == COVEY_TARGET_KEEP) return;
    size_t bytes;
    for (uint32_t i = 0; i < COUNT; i++) relate(type, e[i], e[0]);
    covey_shrink(world);
    bytes = covey_lookup_memory(owned.lookup);
    covey_clear_raw(world, type);
    covey_shrink(world);
    assert_true(covey_lookup_memory(owned.lookup) + COUNT * sizeof(covey_entity) <= bytes);
    covey_lookup *kept = covey_lookup_create(world, &(covey_lookup_desc){ .type = type, .field = "owner" });
    assert_int_equal(covey_lookup_memory(owned.lookup), covey_lookup_memory(kept));
    relate(type, e[1], e[2]);
    assert_scanned(&owned);
}

TARGET_TEST(test_a_target_that_owns_itself) {
    relate(type, e[3], e[3]);
    relate(type, e[4], e[3]);
    model m = read_world(type);
    model_destroy(&m, policy, 3);
    assert_true(covey_destroy(world, e[3]));
    assert_model(&m, type);
}

TARGET_TEST(test_disabled_sources_count) {
    relate(type, e[3], e[1]);
    relate(type, e[4], e[1]);
    assert_int_equal(covey_disable(world, e[3]), COVEY_OK);
    assert_int_equal(covey_component_disable_raw(world, e[4], type), COVEY_OK);
    model m = read_world(type);
    model_destroy(&m, policy, 1);
    assert_true(covey_destroy(world, e[1]));
    assert_model(&m, type);
}

static void clearing_notes_a_change_and_calls_nothing(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        static uint32_t times;
        begin(types[i], COVEY_TARGET_CLEAR);
        times = 0;
        relate(types[i], e[3], e[1]);
        relate(types[i], e[4], e[2]);
        uint64_t before = covey_tick_advance(world);
        listen(types[i], COVEY_ON_SET | COVEY_ON_ADD | COVEY_ON_REMOVE | COVEY_ON_PATCH, hear, &times);
        assert_true(covey_destroy(world, e[1]));
        assert_int_equal(times, 0);
        assert_no_entity(get(types[i], e[3])->owner);
        assert_true(covey_changed_at_raw(world, e[3], types[i]) > before);
        assert_true(covey_changed_at_raw(world, e[4], types[i]) <= before);
        end();
    }
}

/* What was written to a target in a loop, and not asked for since, counts, too. */
TARGET_TEST(test_sources_that_were_written_in_a_loop) {
    for (uint32_t i = 10; i < 60; i++) relate(type, e[i], e[0]);
    covey_view view = covey_view_make(world, &(covey_view_desc){ .with = { type } });
    covey_iter it = covey_view_iter(&view);
    while (covey_next(&it)) {
        OwnedBy *at = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i += 2) at[i].owner = e[1];
    }
    model m = read_world(type);
    model_destroy(&m, policy, 1);
    assert_true(covey_destroy(world, e[1]));
    assert_model(&m, type);
}

/* ---- Long chains -------------------------------------------------------------------------------------------------*/

enum { LONG = COVEY_INDEX_BITS > 16 ? 100000 : 700, LONGER = COVEY_INDEX_BITS > 20 ? 1000000 : LONG };

/* A chain to the first entity, or a circle, whose links lead to smaller or larger indices. */
static covey_entity *make_chain(const covey_type *type, uint32_t length, bool circle, bool downwards) {
    covey_entity *all = malloc(length * sizeof *all);
    OwnedBy *values = calloc(length, sizeof *values);
    assert_true(all && values && covey_create_many(world, all, length));
    for (uint32_t i = 0; i < length / 2 && downwards; i++) {
        covey_entity other = all[i];
        all[i] = all[length - 1 - i];
        all[length - 1 - i] = other;
    }
    for (uint32_t i = 0; i < length; i++) values[i].owner = i != 0 ? all[i - 1] : circle ? all[length - 1] : COVEY_NULL;
    assert_true(covey_add_array_raw(world, all, length, type, values));
    free(values);
    return all;
}

static void chains_end(const covey_type *type, covey_target_end policy, uint32_t length, uint32_t form) {
    assert_int_equal(world_setup(NULL), 0);
    covey_lookup *lookup =
        covey_lookup_create(world, &(covey_lookup_desc){ .type = type, .field = "owner", .when_target_ends = policy });
    covey_entity *all = make_chain(type, length, (form & 1) != 0, (form & 2) != 0);
    uint32_t related = length - ((form & 1) == 0);
    assert_int_equal(covey_lookup_size(lookup), related);
    assert_int_equal(covey_lookup_count(lookup, &all[length / 2]), 1);
    assert_true(covey_destroy(world, all[length / 2]));
    uint32_t alive = covey_entity_count(world), left = covey_lookup_size(lookup);
    bool destroys = policy == COVEY_TARGET_DESTROY, circle = (form & 1) != 0;
    assert_int_equal(alive, !destroys ? length - 1 : circle ? 0 : length / 2);
    if (!destroys) assert_int_equal(left, related - 1 - (policy != COVEY_TARGET_KEEP));
    else assert_int_equal(left, circle ? 0 : length / 2 - 1);
    free(all);
    world_teardown(NULL);
}

static void long_chains_and_circles_end(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++)
        for (uint32_t policy = COVEY_TARGET_KEEP; policy <= COVEY_TARGET_DESTROY; policy++)
            for (uint32_t form = 0; form < 4; form++)
                chains_end(types[i], (covey_target_end)policy,
                           policy == COVEY_TARGET_DESTROY ? LONG
                           : LONG < 5000                  ? LONG
                                                          : 5000,
                           form);
    chains_end(covey_id(Block), COVEY_TARGET_DESTROY, LONGER, 1);
}

/* A target with many sources. */
static void many_sources_of_one_target(void **state) {
    (void)state;
    for (uint32_t policy = COVEY_TARGET_KEEP; policy <= COVEY_TARGET_DESTROY; policy++) {
        begin(covey_id(Block), (covey_target_end)policy);
        covey_entity *all = malloc(LONG * sizeof *all);
        OwnedBy value = { .owner = e[7] };
        assert_true(all && covey_create_many(world, all, LONG - COUNT));
        assert_true(covey_add_copies(world, all, LONG - COUNT, Block, &value));
        assert_true(covey_destroy(world, e[7]));
        bool kept = policy == COVEY_TARGET_KEEP;
        assert_int_equal(covey_lookup_size(owned.lookup), kept ? LONG - COUNT : 0);
        assert_int_equal(covey_lookup_count(owned.lookup, &e[7]), kept ? LONG - COUNT : 0);
        assert_int_equal(covey_pool_count(covey_pool_find(world, Block)),
                         policy <= COVEY_TARGET_CLEAR ? LONG - COUNT : 0);
        assert_int_equal(covey_entity_count(world), policy == COVEY_TARGET_DESTROY ? COUNT - 1 : LONG - 1);
        free(all);
        world_teardown(NULL);
    }
}

/* A walk finds a long chain. */
static void a_walk_below_a_long_chain(void **state) {
    (void)state;
    begin(covey_id(Block), COVEY_TARGET_KEEP);
    covey_destroy_all(world);
    covey_entity *all = make_chain(covey_id(Block), LONG, false, true);
    covey_search search = covey_lookup_find_below(owned.lookup, all[0]);
    uint32_t count = 1;
    while (covey_search_next(&search))
        for (uint32_t i = 0; i < search.count; i++) assert_same(search.entities[i], all[count++]);
    assert_int_equal(count, LONG);
    free(all);
    world_teardown(NULL);
}

/* ---- Listeners that change the world -----------------------------------------------------------------------------*/

static const covey_type *acting;
static uint32_t acts;

/* Adds a source while the destruction of its target is announced: it is dealt with, too. */
static void add_source(const covey_event *event, void *context) {
    (void)context;
    if (acts++ == 0) relate(acting, e[9], *event->entities);
}

TARGET_TEST(test_a_source_that_a_listener_adds_counts) {
    acting = type;
    acts = 0;
    listen(NULL, COVEY_ON_DESTROY, add_source, NULL);
    relate(type, e[3], e[1]);
    model m = read_world(type);
    m.related[9] = true;
    m.owner[9] = e[1];
    model_destroy(&m, policy, 1);
    assert_true(covey_destroy(world, e[1]));
    assert_model(&m, type);
}

/* While the sources of 1 are removed or destroyed, others of them are removed, related anew and destroyed. */
static void disturb(const covey_event *event, void *context) {
    (void)context;
    if (event->entities->index != e[10].index || acts++ != 0) return;
    covey_remove_raw(world, e[11], acting);
    relate(acting, e[12], e[2]);
    covey_destroy(world, e[13]);
    covey_destroy(world, e[3]); /* a target with a source */
    test_world_is_valid(world);
    assert_int_equal(covey_lookup_count(owned.lookup, &e[2]), 1);
}

TARGET_TEST(test_a_listener_that_changes_other_sources) {
    if (policy < COVEY_TARGET_REMOVE) return;
    acting = type;
    acts = 0;
    listen(type, COVEY_ON_REMOVE, disturb, NULL);
    for (uint32_t i = 10; i < 20; i++) relate(type, e[i], e[1]);
    relate(type, e[30], e[3]);
    model m = read_world(type);
    m.related[11] = false;
    m.owner[12] = e[2];
    model_destroy(&m, policy, 13);
    model_destroy(&m, policy, 3);
    model_destroy(&m, policy, 1);
    assert_true(covey_destroy(world, e[1]));
    assert_model(&m, type);
}

/* A listener that never stops making new sources of a target that has ended. Only indices are dealt with that there
 * was memory for then. */
static void make_source(const covey_event *event, void *context) {
    covey_entity made;
    (void)event, (void)context;
    if (++acts > 20000 || !covey_create_many(world, (covey_entity[2]){ { 0 } }, 2)) return;
    if (covey_is_null(made = covey_create(world))) return;
    covey_set_raw(world, made, acting, &(OwnedBy){ .owner = e[1] });
}

TARGET_TEST(test_a_listener_that_always_makes_new_sources) {
    if (policy < COVEY_TARGET_REMOVE) return;
    acting = type;
    acts = 0;
    listen(type, COVEY_ON_REMOVE, make_source, NULL);
    relate(type, e[10], e[1]);
    assert_true(covey_destroy(world, e[1]));
    assert_true(acts <= 10000);
    assert_scanned(&owned);
    acts = 20000; /* the world ends */
}

/* A listener destroys a target while another one is announced. */
static void destroy_another(const covey_event *event, void *context) {
    (void)context;
    if (covey_same(*event->entities, e[1])) assert_true(covey_destroy(world, e[2]));
}

TARGET_TEST(test_a_listener_that_destroys_another_target) {
    listen(NULL, COVEY_ON_DESTROY, destroy_another, NULL);
    for (uint32_t i = 10; i < 30; i++) relate(type, e[i], e[i % 3]);
    relate(type, e[1], e[2]);
    model m = read_world(type);
    model_destroy(&m, policy, 2);
    model_destroy(&m, policy, 1);
    if (test_below(&chance, 2) == 0) covey_destroy(world, e[1]);
    else covey_destroy_many(world, &e[1], 1);
    assert_model(&m, type);
}

#if COVEY_ASSERT_LEVEL >= 1
/* A lookup may end in a listener, but not while it deals with sources. */
static void end_lookup(const covey_event *event, void *context) {
    (void)event, (void)context;
    if (acts++ != 0) return;
    expect_assert_failure(covey_lookup_destroy(owned.lookup));
}

static void a_lookup_does_not_end_while_sources_are_dealt_with(void **state) {
    (void)state;
    begin(covey_id(Block), COVEY_TARGET_REMOVE);
    acts = 0;
    listen(covey_id(Block), COVEY_ON_REMOVE, end_lookup, NULL);
    relate(covey_id(Block), e[3], e[1]);
    relate(covey_id(Block), e[4], e[1]);
    assert_true(covey_destroy(world, e[1]));
    assert_int_equal(acts, 2);
    assert_int_equal(covey_lookup_size(owned.lookup), 0);
    end();
}
#endif

static void end_lookup_early(const covey_event *event, void *context) {
    (void)context;
    if (covey_same(*event->entities, e[2])) covey_lookup_destroy(owned.lookup);
}

/* The first entity of the call has ended, its sources wait, and the lookup ends. */
static void a_lookup_ends_between_two_destructions(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        begin(types[i], COVEY_TARGET_REMOVE);
        listen(NULL, COVEY_ON_DESTROY, end_lookup_early, NULL);
        relate(types[i], e[7], e[1]);
        relate(types[i], e[8], e[2]);
        assert_int_equal(covey_destroy_many(world, &e[1], 3), 3);
        assert_non_null(get(types[i], e[8]));
        world_teardown(NULL);
    }
}

/* ---- Two lookups -------------------------------------------------------------------------------------------------*/

/* The lookup that was created first deals with its sources first. */
static void two_fields_with_two_policies(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        begin(types[i], COVEY_TARGET_REMOVE);
        covey_lookup_desc desc = { .type = types[i], .field = "lender", .when_target_ends = COVEY_TARGET_DESTROY };
        scan lent = scan_create(world, desc, COVEY_KIND_ENTITY, offsetof(OwnedBy, lender), 0);
        OwnedBy both = { .owner = e[1], .lender = e[1] }, owner = { .owner = e[1], .lender = e[2] },
                lender = { .owner = e[2], .lender = e[1] };
        assert_non_null(covey_add_raw(world, e[10], types[i], &both));
        assert_non_null(covey_add_raw(world, e[11], types[i], &owner));
        assert_non_null(covey_add_raw(world, e[12], types[i], &lender));
        assert_true(covey_destroy(world, e[1]));
        assert_true(covey_alive(world, e[10]) && !get(types[i], e[10]));
        assert_true(covey_alive(world, e[11]) && !get(types[i], e[11]));
        assert_false(covey_alive(world, e[12]));
        assert_scanned(&lent);
        covey_lookup_destroy(owned.lookup);
        assert_non_null(covey_add_raw(world, e[10], types[i], &(OwnedBy){ .owner = e[2], .lender = e[3] }));
        assert_true(covey_destroy(world, e[2]));
        assert_true(covey_alive(world, e[10]) && get(types[i], e[10]));
        assert_true(covey_destroy(world, e[3]));
        assert_false(covey_alive(world, e[10]));
        world_teardown(NULL);
    }
}

/* The first lookup of a field clears it: then the second one has nothing to remove, although nothing was asked. */
static void two_lookups_of_one_field(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        begin(types[i], COVEY_TARGET_CLEAR);
        covey_lookup_desc desc = { .type = types[i], .field = "owner", .when_target_ends = COVEY_TARGET_REMOVE };
        scan second = scan_create(world, desc, COVEY_KIND_ENTITY, offsetof(OwnedBy, owner), 0);
        for (uint32_t k = 10; k < COUNT; k++) relate(types[i], e[k], e[k % 2]);
        assert_true(covey_destroy(world, e[0]) && covey_destroy(world, e[1]));
        for (uint32_t k = 10; k < COUNT; k++) assert_true(covey_is_null(get(types[i], e[k])->owner));
        assert_scanned(&second);
        relate(types[i], e[10], e[2]);
        assert_int_equal(covey_lookup_size(owned.lookup), 1);
        end();
    }
}

/* Edges: entities with two targets that are destroyed with either of them. */
static void edges_of_a_graph_end_with_their_nodes(void **state) {
    (void)state;
    begin(covey_id(Sparse), COVEY_TARGET_DESTROY);
    covey_lookup_desc desc = { .type = covey_id(Sparse), .field = "lender", .when_target_ends = COVEY_TARGET_DESTROY };
    scan lent = scan_create(world, desc, COVEY_KIND_ENTITY, offsetof(OwnedBy, lender), 0);
    enum { NODES = 20, EDGES = 300 };
    covey_entity edges[EDGES], from[EDGES], to[EDGES];
    chance = (test_random){ 5 };
    for (uint32_t i = 0; i < EDGES; i++) {
        OwnedBy edge = { .owner = e[test_below(&chance, NODES)], .lender = e[test_below(&chance, NODES)] };
        edges[i] = covey_create(world);
        from[i] = edge.owner;
        to[i] = edge.lender;
        assert_non_null(covey_add_value(world, edges[i], Sparse, &edge));
    }
    for (uint32_t k = 0; k < NODES; k++) {
        assert_true(covey_destroy(world, e[(k * 7) % NODES]));
        for (uint32_t i = 0; i < EDGES; i++)
            assert_int_equal(covey_alive(world, edges[i]), covey_alive(world, from[i]) && covey_alive(world, to[i]));
        assert_scanned(&owned);
        assert_scanned(&lent);
    }
    assert_int_equal(covey_entity_count(world), COUNT - NODES);
    end();
}

/* Destroying is fast again when nothing is done for targets any more, and right as long as something is. */
static void policies_begin_and_end_with_their_lookups(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(types); i++) {
        begin(types[i], COVEY_TARGET_KEEP);
        for (uint32_t round = 0; round < 3; round++) {
            covey_lookup *second = covey_lookup_create(
                world,
                &(covey_lookup_desc){ .type = types[i], .field = "owner", .when_target_ends = COVEY_TARGET_REMOVE });
            covey_entity target = covey_create(world);
            relate(types[i], e[3], target);
            assert_true(covey_destroy(world, target));
            assert_null(get(types[i], e[3]));
            target = covey_create(world);
            relate(types[i], e[3], target);
            covey_lookup_destroy(second);
            assert_true(covey_destroy(world, target));
            assert_non_null(get(types[i], e[3]));
            test_world_is_valid(world);
        }
        end();
    }
}

/* ---- Worlds that share entities ----------------------------------------------------------------------------------*/

/* Leaving is not ending: sources stay as they are, and still name the entity. */
TARGET_TEST(what_leaves_is_no_target_that_ends) {
    (void)policy;
    const covey_entity leaving[] = { e[0], e[40], e[41], e[1] };
    for (uint32_t i = 50; i < 60; i++) relate(type, e[i], leaving[i % 3]);
    relate(type, e[1], e[0]); /* a source that leaves, too */
    assert_int_equal(covey_leave_many(world, leaving, COUNT_OF(leaving)), COUNT_OF(leaving));
    for (uint32_t i = 50; i < 60; i++) assert_same(get(type, e[i])->owner, leaving[i % 3]);
    assert_int_equal(covey_lookup_count(owned.lookup, &e[0]), 3);
    assert_int_equal(covey_leave_many(world, leaving, COUNT_OF(leaving)), 0);
}

static void destroy_too(const covey_event *event, void *other) {
    covey_destroy(event->world, *(const covey_entity *)other);
}

/* What a listener destroys meanwhile ends, and so does what is destroyed afterwards. */
static void what_listeners_destroy_while_others_leave_ends(void **state) {
    (void)state;
    begin(covey_id(Block), COVEY_TARGET_REMOVE);
    covey_listener listener = { .signals = COVEY_ON_DESTROY, .call = destroy_too, .context = &e[1] };
    relate(covey_id(Block), e[10], e[0]);
    relate(covey_id(Block), e[11], e[1]);
    relate(covey_id(Block), e[12], e[2]);
    covey_connection connection = covey_connect(world, &listener);
    assert_int_equal(covey_leave_many(world, e, 1), 1);
    covey_disconnect(world, connection);
    assert_non_null(get(covey_id(Block), e[10]));
    assert_null(get(covey_id(Block), e[11]));
    covey_destroy(world, e[2]);
    assert_null(get(covey_id(Block), e[12]));
    end();
}

/* Copies keep their components when a target ends. */
TARGET_TEST(copies_stay_as_they_are_when_a_target_ends) {
    if (policy == COVEY_TARGET_KEEP) return;
    assert_true(covey_copies_are(world, covey_id(Mark)));
    for (uint32_t i = 10; i < 20; i++) {
        relate(type, e[i], e[0]);
        if (i % 2 == 0) covey_add_tag(world, e[i], Mark);
    }
    covey_destroy(world, e[0]);
    for (uint32_t i = 10; i < 20; i++) {
        const OwnedBy *at = get(type, e[i]);
        assert_true((at && covey_same(at->owner, e[0])) == (i % 2 == 0));
    }
    assert_true(covey_copies_are(world, NULL));
    relate(type, e[10], e[1]);
    covey_destroy(world, e[1]);
    assert_true(!get(type, e[10]) || covey_is_null(get(type, e[10])->owner));
}

/* Targets that do not live here are listed, and end when they have ended elsewhere. */
TARGET_TEST(targets_elsewhere_are_known_and_end) {
    covey_entity listed[COUNT], stale[] = { e[0], e[1] };
    assert_true(covey_copies_are(world, covey_id(Mark)));
    covey_add_tag(world, e[2], Mark);  /* a copy as a target, */
    covey_add_tag(world, e[13], Mark); /* and as a source */
    relate(type, e[10], e[0]);
    relate(type, e[11], e[0]);
    relate(type, e[12], e[2]);
    relate(type, e[13], e[1]);
    relate(type, e[14], e[3]);
    assert_int_equal(covey_leave_many(world, stale, 2), 2);
    uint32_t count = policy == COVEY_TARGET_KEEP ? 0 : 2;
    assert_int_equal(covey_targets_elsewhere(world, NULL, 0), count);
    assert_int_equal(covey_targets_elsewhere(world, listed, 1), count);
    assert_int_equal(covey_targets_elsewhere(world, listed, COUNT), count);
    if (count == 0) return;
    assert_true(covey_same(listed[0], e[0]) != covey_same(listed[0], e[2]));
    assert_true(covey_same(listed[1], e[0]) != covey_same(listed[1], e[2]));
    covey_targets_end(world, stale, 2);
    assert_int_equal(covey_targets_elsewhere(world, NULL, 0), 1);
    assert_int_equal(covey_alive(world, e[10]), policy != COVEY_TARGET_DESTROY);
    for (uint32_t i = 10; i < 12; i++) assert_true(!get(type, e[i]) || covey_is_null(get(type, e[i])->owner));
    assert_same(get(type, e[12])->owner, e[2]);
    assert_same(get(type, e[13])->owner, e[1]);
    assert_same(get(type, e[14])->owner, e[3]);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_every_way_to_destroy),
        cmocka_unit_test(test_every_way_to_destroy_with_a_function_that_listens),
        cmocka_unit_test(test_every_way_to_destroy_with_a_queue),
        cmocka_unit_test(test_destroying_everything),
        cmocka_unit_test(test_no_memory_is_needed),
        cmocka_unit_test(test_shrinking_gives_back_the_memory_for_targets),
        cmocka_unit_test(test_a_target_that_owns_itself),
        cmocka_unit_test(test_disabled_sources_count),
        cmocka_unit_test(clearing_notes_a_change_and_calls_nothing),
        cmocka_unit_test(test_sources_that_were_written_in_a_loop),
        cmocka_unit_test(long_chains_and_circles_end),
        cmocka_unit_test(many_sources_of_one_target),
        cmocka_unit_test(a_walk_below_a_long_chain),
        cmocka_unit_test(test_a_source_that_a_listener_adds_counts),
        cmocka_unit_test(test_a_listener_that_changes_other_sources),
        cmocka_unit_test(test_a_listener_that_always_makes_new_sources),
        cmocka_unit_test(test_a_listener_that_destroys_another_target),
#if COVEY_ASSERT_LEVEL >= 1
        cmocka_unit_test(a_lookup_does_not_end_while_sources_are_dealt_with),
#endif
        cmocka_unit_test(a_lookup_ends_between_two_destructions),
        cmocka_unit_test(two_fields_with_two_policies),
        cmocka_unit_test(two_lookups_of_one_field),
        cmocka_unit_test(edges_of_a_graph_end_with_their_nodes),
        cmocka_unit_test(policies_begin_and_end_with_their_lookups),
        cmocka_unit_test(what_leaves_is_no_target_that_ends),
        cmocka_unit_test(what_listeners_destroy_while_others_leave_ends),
        cmocka_unit_test(copies_stay_as_they_are_when_a_target_ends),
        cmocka_unit_test(targets_elsewhere_are_known_and_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
