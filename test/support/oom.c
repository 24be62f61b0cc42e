#include "change/kind.h"
#include "memory/inner.h"
#include "oom.h"

#include <covey/commands.h>
#include <covey/events.h>
#include <covey/hierarchy.h>
#include <stdio.h>

/* ---- Counted values -----------------------------------------------------------------------------------------------*/

static uint32_t counted[100];
static uint32_t counted_total;

Counted counted_make(uint32_t number) {
    counted[number]++;
    counted_total++;
    return (Counted){ number };
}

void counted_drop(void *value, void *context) {
    const Counted *dropped = value;
    (void)context;
    assert_true(dropped->number < 100 && counted[dropped->number] != 0);
    counted[dropped->number]--;
    counted_total--;
}

static bool counted_copy(void *to, const void *from, void *context) {
    (void)context;
    *(Counted *)to = counted_make(((const Counted *)from)->number);
    return true;
}

COVEY_COMPONENT_DEFINE(Counted, .storage = COVEY_STORAGE_SPARSE, .drop = counted_drop, .copy = counted_copy);
COVEY_COMPONENT_DEFINE(CountedBlock, .drop = counted_drop, .copy = counted_copy);
COVEY_COMPONENT_DEFINE(CountedPinned, .storage = COVEY_STORAGE_PINNED, .drop = counted_drop, .copy = counted_copy);

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

void scene_create(scene *s, prepare_fn *prepare, covey_policy policy) {
    *s = (scene){ .policy = policy };
    memset(counted, 0, sizeof counted);
    counted_total = 0;
    prepare(s);
}

void scene_destroy(scene *s) {
    covey_world_destroy(s->world);
    covey_sparse_set_destroy(s->set);
    assert_int_equal(s->heap.bytes, 0);
    assert_int_equal(s->heap.blocks, 0);
    assert_int_equal(counted_total, 0);
}

void scene_is_valid(const scene *s) {
    size_t bytes = s->others;
    if (s->world) {
        test_world_is_valid(s->world);
        bytes += covey_world_memory(s->world);
        for (const covey_commands *c = s->world->inner->commands; c; c = c->next_of_world)
            if (c->heap.allocator.context == &s->heap) bytes += covey_commands_memory(c);
    }
    if (s->history) bytes += covey_history_memory(s->history);
    if (s->set) {
        test_set_is_valid(s->set);
        bytes += covey_sparse_set_memory(s->set);
    }
    assert_int_equal(bytes, s->heap.bytes);
}

static void *resize_others(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    scene *s = context;
    covey_allocator allocator = test_allocator(&s->heap);
    void *found = allocator.fn(allocator.context, ptr, old_size, new_size, align);
    if (found || new_size == 0) s->others += new_size - old_size;
    return found;
}

covey_allocator scene_allocator(scene *s) { return (covey_allocator){ resize_others, s }; }

/* ---- Scenes as text -----------------------------------------------------------------------------------------------*/

typedef struct text {
    size_t length;
    char at[1 << 19];
} text;
static text before, after, control;

static void write_text(const char *words, void *context) {
    text *to = context;
    size_t length = strlen(words);
    assert_true(to->length + length < sizeof to->at);
    memcpy(to->at + to->length, words, length + 1);
    to->length += length;
}

static void write_number(text *to, const char *format, uint32_t number) {
    char words[32];
    snprintf(words, sizeof words, format, number);
    write_text(words, to);
}

static void write_entity(text *to, covey_entity e) {
    char words[32];
    covey_entity_print(words, sizeof words, e);
    write_text(words, to);
    write_text(" ", to);
}

/* Positions, ids and the bytes of values. A pool without components does not show. */
static void write_pool(text *to, const covey_pool *pool) {
    const covey_type *type = covey_pool_type(pool);
    if ((covey_pool_position_count)(pool) == 0 && covey_pool_count(pool) == 0) return;
    if (strncmp(type->name, "covey.", 6) == 0) return; /* its bytes are private */
    write_text(type->name, to);
    write_number(to, "(%u): ", (covey_pool_position_count)(pool));
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
        covey_entity e = covey_pool_at(pool, at);
        const unsigned char *bytes = covey_pool_get_raw(pool, e);
        write_number(to, "%u=", at);
        write_entity(to, e);
        for (uint32_t i = 0; i < type->size; i++) write_number(to, "%02x", bytes[i]);
        const covey_world *world = covey_pool_world(pool);
        if (!covey_component_is_enabled_raw(world, e, type)) write_text(" off", to);
        if (type->ticks) write_number(to, " at %u", (uint32_t)covey_changed_at_raw(world, e, type));
        write_text("; ", to);
    }
    write_text("\n", to);
}

/* Name, parent and next sibling of the entities that have any. */
static void write_place(text *to, const covey_world *world, covey_entity e) {
    const char *name = covey_name(world, e);
    covey_entity parent = covey_parent(world, e);
    if (name) write_text(name, to);
    if (covey_is_null(parent)) return;
    write_text("in ", to);
    write_entity(to, parent);
    write_text("before ", to);
    write_entity(to, covey_child_next(world, e));
}

/* The slots of words that belong to kinds. */
static void write_kinds(text *to, const covey_world *world) {
    for (uint32_t i = 0; i < world->page_count * COVEY__TABLE_WORDS; i++) {
        const covey__entity_page *page = covey__entity_page_of(world, i * COVEY__TABLE_WORD);
        uint32_t number = page ? page->extent[i % COVEY__TABLE_WORDS] : 0;
        if (number == 0) continue;
        const covey__extent *extent = &world->inner->kinds->extents[number - 1];
        write_number(to, "word %u ", i);
        write_number(to, "has slot %u ", extent->slot);
        write_number(to, "of kind %u; ", extent->kind);
    }
    write_text("\n", to);
}

static void write_list(text *to, const covey_type *type, const covey__event_list *list) {
    write_number(to, "%u:", list->count);
    for (uint32_t i = 0; i < list->count * type->size; i++) write_number(to, "%02x", (unsigned char)list->values[i]);
    write_text(" ", to);
}

/* A channel without events does not show. */
static void write_channel(text *to, const covey_events *events) {
    if (events->sent.count + events->current.count == 0) return;
    write_text(events->type->name, to);
    write_list(to, events->type, &events->sent);
    write_list(to, events->type, &events->current);
    write_text("\n", to);
}

static void write_visit(covey_entity e, void *context) { write_entity(context, e); }

static void write_world(text *to, const covey_world *world) {
    covey_entity e = { 0, 0 };
    write_number(to, "%u alive: ", covey_entity_count(world));
    while (!covey_is_null(e = covey_entity_next(world, e))) {
        write_entity(to, e);
        write_place(to, world, e);
    }
    write_text("\n", to);
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) write_pool(to, covey_world_pool(world, i));
    for (const covey_events *events = world->inner->channels; events; events = events->next) write_channel(to, events);
    write_kinds(to, world);
    test_walk(world, write_visit, to);
}

static void write_set(text *to, const covey_sparse_set *set) {
    write_text(set_text(set).at, to);
    for (uint32_t i = 0; i < covey_sparse_set_position_count(set); i++)
        if (covey_sparse_set_at(set, i).generation != 0) write_number(to, " %u", stamp_at(set, i));
}

static void write_scene(text *to, const scene *s) {
    to->length = 0;
    to->at[0] = '\0';
    if (s->world) write_world(to, s->world);
    if (s->set) write_set(to, s->set);
}

/* What the scene is in the end, and what it will do next: the free indices show in the entities made from them. */
static void write_end(text *to, scene *s) {
    scene_is_valid(s);
    for (uint32_t i = 0; s->world && i < 4; i++) assert_false(covey_is_null(covey_create(s->world)));
    if (s->world && s->range.count != 0) assert_false(covey_is_null(covey_create_in(s->world, s->range)));
    write_scene(to, s);
}

/* ---- The harness --------------------------------------------------------------------------------------------------*/

typedef struct trial {
    char name[80];
    prepare_fn *prepare;
    run_fn *run;
    covey_policy policy;
} trial;

static void run_control(const trial *t) {
    scene s;
    scene_create(&s, t->prepare, t->policy);
    assert_true(t->run(&s));
    write_end(&control, &s);
    scene_destroy(&s);
}

static void ends_like_control(scene *s) {
    write_end(&after, s);
    assert_string_equal(after.at, control.at);
    scene_destroy(s);
}

static void nothing_changed(const scene *s) {
    if (s->world) assert_int_equal(covey_world_result(s->world), COVEY_ERROR_MEMORY);
    scene_is_valid(s);
    write_scene(&after, s);
    assert_string_equal(after.at, before.at);
}

/* Lets one allocation fail, and optionally all later ones. Returns whether there was one. Some operations can do
 * without some of the memory that they request: these succeed. */
static bool fails_at(const trial *t, uint64_t at, bool for_good, bool may_do_without) {
    scene s;
    scene_create(&s, t->prepare, t->policy);
    write_scene(&before, &s);
    uint32_t values = counted_total;
    test_fail_at(&s.heap, at, for_good);
    bool done = t->run(&s), failed = s.heap.failed;
    test_fail_never(&s.heap);
    assert_true(done ? !failed || may_do_without : failed);
    if (!done) {
        assert_int_equal(counted_total, values);
        nothing_changed(&s);
        assert_true(t->run(&s));
    }
    ends_like_control(&s);
    return failed;
}

static void fails_in_turn(void **state) {
    const trial *t = *state;
    uint64_t once = 1, for_good = 1;
    run_control(t);
    while (fails_at(t, once, false, false)) once++;
    while (fails_at(t, for_good, true, false)) for_good++;
    assert_true(once > 1); /* else the operation is in the wrong list */
    assert_int_equal(once, for_good);
}

static void fails_or_does_without(void **state) {
    const trial *t = *state;
    uint64_t once = 1, for_good = 1;
    run_control(t);
    while (fails_at(t, once, false, true)) once++;
    while (fails_at(t, for_good, true, true)) for_good++;
    assert_true(once > 1);
}

static void needs_no_memory(void **state) {
    const trial *t = *state;
    run_control(t);
    scene s;
    scene_create(&s, t->prepare, t->policy);
    uint64_t calls = s.heap.calls;
    test_fail_at(&s.heap, 1, true);
    assert_true(t->run(&s));
    test_fail_never(&s.heap);
    assert_int_equal(s.heap.calls, calls);
    if (s.world) assert_int_equal(covey_world_result(s.world), COVEY_OK);
    ends_like_control(&s);
}

static void survives_failures(void **state) {
    const trial *t = *state;
    run_control(t);
    bool failed = true;
    for (uint64_t at = 1; failed; at++) {
        failed = false;
        for (int for_good = 0; for_good < 2; for_good++) {
            scene s;
            scene_create(&s, t->prepare, t->policy);
            test_fail_at(&s.heap, at, for_good != 0);
            assert_true(t->run(&s));
            failed |= s.heap.failed;
            test_fail_never(&s.heap);
            if (s.world) assert_int_equal(covey_world_result(s.world), COVEY_OK);
            ends_like_control(&s);
        }
    }
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

enum { TRIALS = 180 };
static trial trials[TRIALS];
static struct CMUnitTest tests[TRIALS]; /* cmocka passes over those without a name */
static size_t test_count;

void add_test(struct CMUnitTest test) {
    assert_true(test_count < TRIALS);
    tests[test_count++] = test;
}

void add_trials(const operation *operations, size_t count, covey_policy policy, trial_kind kind) {
    static const char *const policies[] = { "", ", in place", ", swap only", ", ordered" };
    static const CMUnitTestFunction run[] = { fails_in_turn, needs_no_memory, survives_failures,
                                              fails_or_does_without };
    for (const operation *op = operations; op < operations + count; op++) {
        trial *t = &trials[test_count];
        *t = (trial){ "", op->prepare, op->run, policy };
        snprintf(t->name, sizeof t->name, "%s%s", op->name, policies[policy]);
        add_test((struct CMUnitTest){ t->name, run[kind], NULL, NULL, t });
    }
}

int run_trials(void) { return cmocka_run_group_tests(tests, NULL, NULL); }
