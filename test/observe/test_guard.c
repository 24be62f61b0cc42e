/* Systems that use what they did not declare, as assertion level 2 finds them: which system, which type, and what to
 * do. test_hook.c, which lists all changing calls, tests that systems cannot make structural changes. This program has
 * the library compiled at level 2, whatever the level of the build is. */
#include "memory/inner.h"
#include "fixture.h"

#include <covey/hierarchy.h>
#include <covey/image.h>
#include <pthread.h>
#include <stdio.h>

#if COVEY_ASSERT_LEVEL < 2
#error "this test is about assertion level 2"
#endif

typedef Value Timed;   /* has ticks */
typedef Value Heard;   /* has listeners, in some tests */
typedef Value Grouped; /* is owned by a group */
typedef Value Copied;  /* is used by no call of the tables */
typedef Value Setting; /* is a resource */
COVEY_COMPONENT_DEFINE(Timed, .ticks = true);
COVEY_COMPONENT_DEFINE(Heard, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Grouped, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Copied);
COVEY_COMPONENT_DEFINE(Setting, .as_bytes = true);
COVEY_TAG_DEFINE(Ticking, .ticks = true);

/* ---- A guard -----------------------------------------------------------------------------------------------------*/

/* What a system declared: one use of one type, which is all that these tests need. */
typedef struct system_of_one {
    const char *name;
    const covey_type *type; /* NULL: nothing */
    covey__access access;
} system_of_one;

/* Which system a thread runs, and what it was told. */
static _Thread_local struct {
    const system_of_one *system;
    uint32_t times;
    char text[256];
} here;

static const char *system_here(const covey__guard *guard) {
    (void)guard;
    return here.system ? here.system->name : NULL;
}

/* What is written may be read. */
static bool allows_here(const covey__guard *guard, const covey_type *type, covey__access access) {
    (void)guard;
    const system_of_one *system = here.system;
    assert_non_null(system);
    if (system->type != type) return false;
    return system->access == access || (access == COVEY__ACCESS_READ && system->access == COVEY__ACCESS_WRITE) ||
           (access == COVEY__ACCESS_RESOURCE_READ && system->access == COVEY__ACCESS_RESOURCE_WRITE);
}

static const covey__guard guard = { .system = system_here, .allows = allows_here };

static void note_here(const char *what, const char *file, int line, void *context) {
    (void)file, (void)line, (void)context;
    here.times++;
    snprintf(here.text, sizeof here.text, "%s", what);
}

static covey_entity e;
static covey_pool *packed, *fixed, *blocked;
static covey_group *group;
static covey_reactive *reactive;

static int guard_setup(void **state) {
    (void)state;
    here.system = NULL;
    here.times = 0;
    heap = (test_heap){ 0 };
    covey_world_desc desc = world_desc();
    desc.on_assert = note_here;
    world = covey_world_create(&desc);
    packed = covey_pool_of(world, Packed);
    fixed = covey_pool_of(world, Fixed);
    blocked = covey_pool_of(world, Blocked);
    group = covey_group_create(world, &(covey_group_desc){ .own = { covey_id(Grouped) } });
    reactive = covey_reactive_create(
        world, &(covey_reactive_desc){ .added = { covey_id(Timed) }, .match = { .with = { covey_id(Timed) } } });
    e = create_with(covey_id(Packed), 1);
    add_value(e, covey_id(Fixed), 2);
    add_value(e, covey_id(Blocked), 3);
    add_value(e, covey_id(Timed), 4);
    add_value(e, covey_id(Heard), 5);
    add_value(e, covey_id(Grouped), 6);
    assert_true(covey_add_tag(world, e, Marked) && covey_add_tag(world, e, Ticking));
    assert_non_null(covey_resource_set(world, Setting, { 7, ~7u }));
    assert_int_equal(covey_name_set(world, e, "e"), COVEY_OK);
    assert_int_equal(covey_parent_set(world, covey_create(world), e), COVEY_OK);
    return 0;
}

static int guard_teardown(void **state) {
    here.system = NULL;
    return world_teardown(state);
}

/* Runs a body as the scheduler does. */
static void run(const system_of_one *system, void (*body)(void)) {
    here.system = system;
    here.times = 0;
    here.text[0] = '\0';
    world->guard = &guard;
    world->hooks++;
    body();
    world->hooks--;
    world->guard = NULL;
    here.system = NULL;
}

/* ---- Calls that use a value --------------------------------------------------------------------------------------*/

static covey_view view_of(const covey_type *type, bool reads) {
    covey_view_desc desc = { .with = { type } };
    if (reads) desc.read[0] = type;
    return covey_view_make(world, &desc);
}

static void walk(covey_iter it, uint32_t count) {
    uint32_t found = 0;
    while (covey_next(&it)) found += it.count;
    assert_int_equal(found, count);
}

static void get(void) { assert_int_equal(covey_get(world, e, Packed)->number, 1); }
static void pool_get(void) { assert_int_equal(covey_pool_get(packed, e, Packed)->number, 1); }
static void pool_get_unchecked(void) { assert_int_equal(covey_pool_get_unchecked(packed, e, Packed)->number, 1); }
static void pool_value_at(void) { assert_int_equal(covey_pool_value_at(blocked, e.index, Blocked)->number, 3); }
static void pool_values(void) { assert_int_equal(covey_pool_values(packed, Packed)->number, 1); }
static void pool_page(void) { assert_int_equal(covey_pool_page(fixed, 0, Fixed)->number, 2); }
static const Value first = { 1, ~1u }; /* what e has as Packed */
static void find(void) { assert_same(covey_find(world, Packed, &first, NULL), e); }
static void changed_at(void) { assert_true(covey_changed_at(world, e, Timed) == 1); }
static void view_reads(void) {
    covey_view view = view_of(covey_id(Packed), true);
    walk(covey_view_iter(&view), 1);
}
static void view_reads_optional(void) {
    covey_view view =
        covey_view_make(world, &(covey_view_desc){ .optional = { covey_id(Packed) }, .read = { covey_id(Packed) } });
    covey_iter it = covey_view_iter(&view);
    assert_true(covey_next(&it));
}
static void view_of_const_world(void) {
    covey_view view = covey_view_make_const(world, &(covey_view_desc){ .with = { covey_id(Packed) } }, NULL);
    walk(covey_view_iter(&view), 1);
}
static void view_reads_by(void) {
    covey_view view = view_of(covey_id(Packed), true);
    walk(covey_view_iter_by(&view, packed), 1);
}
static void view_reads_list(void) {
    covey_view view = view_of(covey_id(Packed), true);
    walk(covey_view_iter_list(&view, &e, 1), 1);
}
static void view_reads_since(void) {
    covey_view view = view_of(covey_id(Timed), true);
    walk(covey_view_iter_since(&view, 0), 1);
}
static void save(void) {
    const covey_type *const types[] = { covey_id(Heard), NULL };
    covey_save_desc desc = { .types = types };
    assert_true(covey_save_to_memory(world, NULL, 0, &desc, NULL) != 0);
}
static void clone_into(void) {
    covey_world *other = covey_world_create(NULL);
    assert_false(covey_is_null(covey_clone_into(other, world, e, NULL)));
    covey_world_destroy(other);
}

static void set(void) { assert_int_equal(covey_set(world, e, Packed, { 1, ~1u })->number, 1); }
static void set_value(void) { assert_non_null(covey_set_value(world, e, Packed, &first)); }
static void pool_set(void) { assert_non_null(covey_pool_set(packed, e, Packed, { 1, ~1u })); }
static void replace(void) {
    Packed value = { 1, ~1u };
    assert_true(covey_replace(world, e, Packed, &value));
}
static void patch(void) { assert_non_null(covey_patch(world, e, Packed, NULL, NULL)); }
static void patch_or_add(void) { assert_non_null(covey_patch_or_add(world, e, Packed, NULL, NULL)); }
static void get_or_add(void) { assert_int_equal(covey_get_or_add(world, e, Packed, { 0 })->number, 1); }
static void set_timed(void) { assert_non_null(covey_set(world, e, Timed, { 4, ~4u })); }
static void set_ticking(void) { assert_true(covey_set_tag(world, e, Ticking)); }
static void group_iter(void) { walk(covey_group_iter(group), 1); }

static void view_writes(void) {
    covey_view view = view_of(covey_id(Packed), false);
    walk(covey_view_iter(&view), 1);
}
static void view_writes_by(void) {
    covey_view view = view_of(covey_id(Packed), false);
    walk(covey_view_iter_by(&view, blocked), 1);
}
static void view_writes_list(void) {
    covey_view view = view_of(covey_id(Packed), false);
    walk(covey_view_iter_list(&view, &e, 1), 1);
}
static void view_writes_since(void) {
    covey_view view = view_of(covey_id(Packed), false);
    walk(covey_view_iter_since(&view, 0), 1);
}
static void view_writes_ticking(void) {
    covey_view view = view_of(covey_id(Ticking), false);
    walk(covey_view_iter(&view), 1);
}
static void reactive_iter(void) { walk(covey_reactive_iter(reactive), 1); }

static void resource_get(void) { assert_int_equal(covey_resource_get(world, Setting)->number, 7); }

typedef struct use {
    const char *name;
    void (*call)(void);
    const covey_type *type;
    covey__access access;
    bool iterates; /* a view that writes */
} use;

#define READS(call, T) \
    { #call, call, covey_id(T), COVEY__ACCESS_READ, false }
#define WRITES(call, T) \
    { #call, call, covey_id(T), COVEY__ACCESS_WRITE, false }
#define VIEW_WRITES(call, T) \
    { #call, call, covey_id(T), COVEY__ACCESS_WRITE, true }
static const use uses[] = {
    READS(get, Packed),
    READS(pool_get, Packed),
    READS(pool_get_unchecked, Packed),
    READS(pool_value_at, Blocked),
    READS(pool_values, Packed),
    READS(pool_page, Fixed),
    READS(find, Packed),
    READS(changed_at, Timed),
    READS(view_reads, Packed),
    READS(view_reads_optional, Packed),
    READS(view_of_const_world, Packed),
    READS(view_reads_by, Packed),
    READS(view_reads_list, Packed),
    READS(view_reads_since, Timed),
    READS(save, Heard),
    WRITES(set, Packed),
    WRITES(set_value, Packed),
    WRITES(pool_set, Packed),
    WRITES(replace, Packed),
    WRITES(patch, Packed),
    WRITES(patch_or_add, Packed),
    WRITES(get_or_add, Packed),
    WRITES(set_timed, Timed),
    WRITES(set_ticking, Ticking),
    WRITES(group_iter, Grouped),
    VIEW_WRITES(view_writes, Packed),
    VIEW_WRITES(view_writes_by, Packed),
    VIEW_WRITES(view_writes_list, Packed),
    VIEW_WRITES(view_writes_since, Packed),
    VIEW_WRITES(view_writes_ticking, Ticking),
    VIEW_WRITES(reactive_iter, Timed),
    { "resource_get", resource_get, covey_id(Setting), COVEY__ACCESS_RESOURCE_READ, false },
};

static bool writes(const use *u) { return u->access == COVEY__ACCESS_WRITE; }

/* The call did what it does, and this was said, once. */
static void assert_told(const char *words) {
    assert_string_equal(here.text, words);
    assert_int_equal(here.times, 1);
}

static void assert_untold(void) {
    assert_string_equal(here.text, "");
    assert_int_equal(here.times, 0);
}

static void test_a_use_that_was_not_declared_is_told(void **state) {
    (void)state;
    const system_of_one nothing = { "move", NULL, COVEY__ACCESS_READ };
    for (uint32_t i = 0; i < COUNT_OF(uses); i++) {
        print_message("    %s\n", uses[i].name);
        bool resource = uses[i].access == COVEY__ACCESS_RESOURCE_READ;
        char words[256];
        snprintf(words, sizeof words, "system move %s %s%s, which it did not declare: add it to .%s",
                 writes(&uses[i]) ? "writes" : "uses", resource ? "the resource " : "", uses[i].type->name,
                 resource           ? "resource_reads"
                 : writes(&uses[i]) ? "writes"
                                    : "reads");
        run(&nothing, uses[i].call);
        assert_told(words);
    }
}

static void test_a_use_that_was_declared_is_not(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(uses); i++) {
        print_message("    %s\n", uses[i].name);
        const system_of_one exactly = { "move", uses[i].type, uses[i].access };
        run(&exactly, uses[i].call);
        assert_untold();
        bool resource = uses[i].access == COVEY__ACCESS_RESOURCE_READ;
        const system_of_one more = { "move", uses[i].type,
                                     resource ? COVEY__ACCESS_RESOURCE_WRITE : COVEY__ACCESS_WRITE };
        run(&more, uses[i].call);
        assert_untold();
    }
}

static void test_a_write_of_what_was_declared_as_read_is_told(void **state) {
    (void)state;
    for (uint32_t i = 0; i < COUNT_OF(uses); i++) {
        if (!writes(&uses[i])) continue;
        print_message("    %s\n", uses[i].name);
        const system_of_one reads = { "move", uses[i].type, COVEY__ACCESS_READ };
        char words[256];
        if (uses[i].iterates)
            snprintf(words, sizeof words,
                     "system move iterates a view that writes %s, which it declared as read: name it in .read of the "
                     "view, or add it to .writes",
                     uses[i].type->name);
        else
            snprintf(words, sizeof words, "system move writes %s, which it declared as read: add it to .writes",
                     uses[i].type->name);
        run(&reads, uses[i].call);
        assert_told(words);
    }
}

/* A resource of a type is another thing than its components. */
static void test_components_and_resources_are_declared_apart(void **state) {
    (void)state;
    const system_of_one resource = { "move", covey_id(Packed), COVEY__ACCESS_RESOURCE_WRITE };
    run(&resource, get);
    assert_told("system move uses Packed, which it did not declare: add it to .reads");
    const system_of_one component = { "move", covey_id(Setting), COVEY__ACCESS_WRITE };
    run(&component, resource_get);
    assert_told("system move uses the resource Setting, which it did not declare: add it to .resource_reads");
}

static void call_all(void) {
    for (uint32_t i = 0; i < COUNT_OF(uses); i++) uses[i].call();
}

static void test_nobody_is_told_without_a_system(void **state) {
    (void)state;
    const system_of_one nothing = { "move", NULL, COVEY__ACCESS_READ };
    run(NULL, call_all); /* another thread, or an exclusive system */
    assert_untold();
    here.system = &nothing;
    call_all(); /* the world has no guard */
    assert_untold();
    covey_world_desc desc = world_desc();
    covey_world *other = covey_world_create(&desc);
    other->guard = &guard;
    call_all(); /* another world has one */
    assert_untold();
    covey_world_destroy(other);
}

/* ---- Taking, and setting resources -------------------------------------------------------------------------------*/

/* These change structure: a system that may not do so is refused before. */
static void test_calls_that_are_refused_to_systems_are_uses_as_well(void **state) {
    (void)state;
    const system_of_one nothing = { "move", NULL, COVEY__ACCESS_READ };
    Packed value;
    here.system = &nothing;
    world->guard = &guard;
    assert_true(covey_take(world, e, Packed, &value));
    assert_told("system move writes Packed, which it did not declare: add it to .writes");
    here.times = 0;
    assert_non_null(covey_resource_set(world, Setting, { 7, ~7u }));
    assert_told("system move writes the resource Setting, which it did not declare: add it to .resource_writes");
    world->guard = NULL;
    run(&nothing, resource_get); /* it is still there */
}

/* ---- Whole worlds ------------------------------------------------------------------------------------------------*/

static void clone_world(void) {
    covey_world *clone = covey_world_clone(world, NULL);
    assert_non_null(clone);
    covey_world_destroy(clone);
}

static void save_all(void) {
    const covey_type *const types[] = { covey_id(Heard), covey_id(Setting), NULL };
    covey_save_desc desc = { .types = types };
    assert_true(covey_save_to_memory(world, NULL, 0, &desc, NULL) != 0);
}

/* Each type once: the values of an entity, of an image, of the world. */
static void test_copies_use_all_types(void **state) {
    (void)state;
    const system_of_one packed_only = { "move", covey_id(Packed), COVEY__ACCESS_READ };
    add_value(create_with(covey_id(Packed), 1), covey_id(Blocked), 8);
    run(&packed_only, clone_into); /* not Packed, and not Marked, which has no value */
    assert_int_equal(here.times, 6);
    run(&packed_only, clone_world); /* the resource as well */
    assert_int_equal(here.times, 7);
    run(&packed_only, save_all);
    assert_int_equal(here.times, 2);
    assert_string_equal(here.text,
                        "system move uses the resource Setting, which it did not declare: add it to .resource_reads");
}

/* ---- Calls that use no value -------------------------------------------------------------------------------------*/

static void write_nothing(const char *text, void *context) { (void)text, (void)context; }

static void ask_entities(void) {
    covey_entity none = { 0, 0 };
    const covey_type *types[16];
    assert_true(covey_alive(world, e) && covey_entity_count(world) == 2);
    assert_same(covey_entity_next(world, none), e);
    assert_same(covey_entity_at(world, e.index), e);
    assert_true(covey_has(world, e, Packed) && covey_has_all(world, e, Packed, Blocked));
    assert_true(covey_has_any(world, e, Packed) && covey_types_of(world, e, types, 16) == 8);
    assert_true(covey_is_enabled(world, e) && covey_component_is_enabled(world, e, Packed));
    assert_same(covey_first(world, Packed), e);
    assert_same(covey_first(world, Marked), e);
}

static void ask_pools(void) {
    assert_ptr_equal(covey_pool_of(world, Packed), packed);
    assert_ptr_equal(covey_pool_find(world, Packed), packed);
    assert_true(covey_pool_has(packed, e) && covey_pool_count(packed) == 1 && covey_pool_position_count(packed) == 1);
    assert_true(covey_pool_next(packed, 0) == 0 && covey_pool_position(packed, e) == 0);
    assert_same(covey_pool_at(packed, 0), e);
    assert_same(covey_pool_ids(packed)[0], e);
    assert_true(covey_pool_memory(packed) != 0);
}

static void ask_views(void) {
    covey_view view = view_of(covey_id(Packed), false);
    assert_true(covey_view_count(&view) == 1 && covey_view_contains(&view, e));
    assert_same(covey_view_first(&view), e);
    assert_int_equal(covey_view_advise(&view).matches, 1);
    covey_view other =
        covey_view_make(world, &(covey_view_desc){ .with = { covey_id(Marked) }, .without = { covey_id(Copied) } });
    walk(covey_view_iter(&other), 1); /* a tag, and what is not there, have no values */
    assert_true(covey_group_count(group) == 1 && covey_group_contains(group, e));
    assert_same(covey_group_first(group), e);
    assert_true(covey_reactive_count(reactive) == 1 && covey_reactive_contains(reactive, e));
}

static void ask_world(void) {
    covey_advice advice[16];
    assert_true(covey_resource_has(world, Setting) && covey_world_resource_count(world) == 1);
    assert_true(covey_get(world, e, Marked) && covey_set_tag(world, e, Marked));
    assert_same(covey_parent(world, covey_child_first(world, e)), e);
    assert_string_equal(covey_name(world, e), "e");
    assert_same(covey_find_child(world, (covey_entity){ 0, 0 }, "e"), e);
    assert_true(covey_tick(world) == 1 && covey_world_memory(world) != 0);
    assert_true(covey_world_validate(world, NULL) && covey_world_advise(world, advice, 16) != 0);
    covey_world_print(world, write_nothing, NULL);
}

static void test_questions_about_presence_are_always_allowed(void **state) {
    (void)state;
    const system_of_one nothing = { "move", NULL, COVEY__ACCESS_READ };
    void (*const questions[])(void) = { ask_entities, ask_pools, ask_views, ask_world };
    for (uint32_t i = 0; i < COUNT_OF(questions); i++) {
        run(&nothing, questions[i]);
        assert_untold();
    }
}

/* ---- Listeners ---------------------------------------------------------------------------------------------------*/

static uint32_t calls;
static void hear(const covey_event *event, void *context) {
    (void)event, (void)context;
    calls++;
}

static void set_heard(void) { assert_non_null(covey_set(world, e, Heard, { 5, ~5u })); }
static void set_heard_value(void) {
    const Heard value = { 5, ~5u };
    assert_non_null(covey_set_value(world, e, Heard, &value));
}
static void replace_heard(void) {
    Heard value = { 5, ~5u };
    assert_true(covey_replace(world, e, Heard, &value));
}
static void patch_heard(void) { assert_non_null(covey_patch(world, e, Heard, NULL, NULL)); }
static void get_heard(void) { assert_non_null(covey_get(world, e, Heard)); }

static void (*const setters[])(void) = { set_heard, set_heard_value, replace_heard };
static const system_of_one heard_writer = { "move", covey_id(Heard), COVEY__ACCESS_WRITE };

static void assert_setters(bool told) {
    for (uint32_t i = 0; i < COUNT_OF(setters); i++) {
        run(&heard_writer, setters[i]);
        if (told) assert_told("system move sets Heard, which has listeners: record it into job->commands");
        else assert_untold();
    }
}

static void assert_patches(bool told) {
    run(&heard_writer, patch_heard);
    if (told) assert_told("system move patches Heard, which has listeners: record it into job->commands");
    else assert_untold();
}

static void test_setting_what_has_listeners_is_told(void **state) {
    (void)state;
    covey_listener listener = { .type = covey_id(Heard), .call = hear };
    listener.signals = COVEY_ON_ADD | COVEY_ON_REMOVE; /* are not told of it */
    assert_non_null(covey_connect(world, &listener).pool);
    assert_setters(false);
    assert_patches(false);
    listener.signals = COVEY_ON_PATCH;
    covey_connection connection = covey_connect(world, &listener);
    assert_setters(false);
    assert_patches(true);
    assert_true(covey_disconnect(world, connection));
    listener.signals = COVEY_ON_SET;
    connection = covey_connect(world, &listener);
    calls = 0;
    assert_setters(true);
    assert_patches(true);
    assert_int_equal(calls, 4);
    run(&heard_writer, get_heard);
    assert_untold();
    run(NULL, set_heard);
    assert_untold();
    assert_true(covey_disconnect(world, connection));
    assert_setters(false);
}

static void test_setting_what_a_queue_keeps_is_told(void **state) {
    (void)state;
    covey_queue *queue = covey_queue_create(world);
    covey_listener listener = { .type = covey_id(Heard), .signals = COVEY_ON_SET, .queue = queue };
    assert_non_null(covey_connect(world, &listener).pool);
    assert_setters(true);
    assert_patches(true);
    covey_queue_destroy(queue);
    assert_setters(false);
}

static void test_setting_what_a_reactive_set_collects_is_told(void **state) {
    (void)state;
    covey_reactive *changed = covey_reactive_create(world, &(covey_reactive_desc){ .set = { covey_id(Heard) } });
    assert_setters(true);
    assert_patches(true);
    covey_reactive_destroy(changed);
    assert_setters(false);
}

/* ---- Threads -----------------------------------------------------------------------------------------------------*/

enum { ROUNDS = 200 };

/* Dropping counts hooks, which the others look at when they are refused. */
static void drop_nothing(void *value, void *context) { (void)value, (void)context; }
typedef Value Mine;
typedef Value Yours;
COVEY_COMPONENT_DEFINE(Mine, .drop = drop_nothing);
COVEY_COMPONENT_DEFINE(Yours, .drop = drop_nothing);

typedef struct worker {
    system_of_one system;
    const covey_type *other;
    uint32_t refused, told; /* how often its own name was said */
    bool right;
} worker;

static void log_nothing(covey_result item, const char *text, void *context) { (void)item, (void)text, (void)context; }

/* Whether the last thing that was said here is about the system of this thread, and says this. */
static bool is_told_of(const worker *w, const char *words) {
    return strstr(here.text, w->system.name) && strstr(here.text, words);
}

static void *work(void *context) {
    worker *w = context;
    w->right = true;
    here.system = &w->system;
    for (uint32_t i = 0; i < ROUNDS; i++) {
        Value value = value_of(i);
        here.times = 0;
        w->right &= covey_set_raw(world, e, w->system.type, &value) != NULL;
        w->right &= ((Value *)covey_get_raw(world, e, w->system.type))->number == i;
        w->right &= here.times == 0;
        w->right &= covey_is_null(covey_create(world)) && !covey_destroy(world, e);
        w->refused += here.times;
        w->right &= is_told_of(w, "makes a structural change");
        here.times = 0;
        w->right &= covey_get_raw(world, e, w->other) != NULL; /* where it is, not what it is */
        w->told += here.times;
        w->right &= is_told_of(w, "did not declare");
        w->right &= covey_world_result(world) == COVEY_ERROR_REFUSED;
    }
    here.system = NULL;
    return NULL;
}

static void test_threads_hear_of_their_own_system(void **state) {
    (void)state;
    world->inner->log = log_nothing; /* it is called by the thread that fails */
    add_value(e, covey_id(Mine), 1);
    add_value(e, covey_id(Yours), 2);
    worker workers[2] = {
        { .system = { "mine", covey_id(Mine), COVEY__ACCESS_WRITE }, .other = covey_id(Yours) },
        { .system = { "yours", covey_id(Yours), COVEY__ACCESS_WRITE }, .other = covey_id(Mine) },
    };
    pthread_t threads[2];
    world->guard = &guard;
    world->hooks++;
    for (int i = 0; i < 2; i++) assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    for (int i = 0; i < 2; i++) pthread_join(threads[i], NULL);
    world->hooks--;
    world->guard = NULL;
    for (int i = 0; i < 2; i++) {
        assert_true(workers[i].right);
        assert_int_equal(workers[i].refused, 2 * ROUNDS);
        assert_int_equal(workers[i].told, ROUNDS);
    }
    assert_int_equal(covey_entity_count(world), 2);
}

#define GUARD_TEST(test) cmocka_unit_test_setup_teardown(test, guard_setup, guard_teardown)

int main(void) {
    const struct CMUnitTest tests[] = {
        GUARD_TEST(test_a_use_that_was_not_declared_is_told),
        GUARD_TEST(test_a_use_that_was_declared_is_not),
        GUARD_TEST(test_a_write_of_what_was_declared_as_read_is_told),
        GUARD_TEST(test_components_and_resources_are_declared_apart),
        GUARD_TEST(test_nobody_is_told_without_a_system),
        GUARD_TEST(test_calls_that_are_refused_to_systems_are_uses_as_well),
        GUARD_TEST(test_copies_use_all_types),
        GUARD_TEST(test_questions_about_presence_are_always_allowed),
        GUARD_TEST(test_setting_what_has_listeners_is_told),
        GUARD_TEST(test_setting_what_a_queue_keeps_is_told),
        GUARD_TEST(test_setting_what_a_reactive_set_collects_is_told),
        GUARD_TEST(test_threads_hear_of_their_own_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
