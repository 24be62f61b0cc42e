/* How many steps hostile images and large worlds cost: twice as much of anything takes at most 2.5 times the steps,
 * whatever is done with it. Steps are counted (steps.h); no test depends on how fast a machine is. */
#include "folder.h"
#include "hostile.h"
#include "steps.h"
#include "tools.h"

#include "../../tools/covey-snap/snap.h"

#include <covey/hierarchy.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <cmocka.h>

/* Few enough for the indices of the hard configuration. */
#define FEW ((uint32_t)(COVEY_NONE > 10000 ? 1000 : 100))
#define MOST_RATIO 2.5
enum { NOTHING = 4000 }; /* fewer steps than that are not compared: what is done once counts for too much */
/* The first dozens of types are spread over their table, which takes more or fewer steps, as their addresses are. */
enum { SPREADING = 1500000 };

static const covey_entity none = { 0, 0 };
static const covey_load_desc keep = { .unknown = COVEY_UNKNOWN_KEEP };

/* ---- What is done with an image -----------------------------------------------------------------------------------*/

typedef struct trial {
    hostile_kind kind;
    uint32_t count;
    covey_buffer image, other; /* of its kind; that comes after it */
    covey_world *world;
    covey_follower *follower;
} trial;

static bool is_refused(const trial *t) { return t->kind == HOSTILE_NEARLY; }

static void expect(const trial *t, covey_result result, const covey_report *report) {
    if (is_refused(t)) assert_int_equal(result, COVEY_ERROR_IMAGE);
    else if (result != COVEY_OK) fail_msg("%s: %s", hostile_names[t->kind], report->text);
}

static void load(trial *t) {
    covey_report report;
    expect(t, covey_load_from_memory(t->world, t->image.bytes, t->image.size, &keep, &report), &report);
}

static void merge(trial *t) {
    covey_report report;
    expect(t, covey_merge_from_memory(t->world, t->image.bytes, t->image.size, &keep, &report), &report);
}

static void follow(trial *t) {
    covey_report report;
    expect(t, covey_follow_from_memory(t->follower, t->image.bytes, t->image.size, &keep, &report), &report);
}

static void follow_other(trial *t) {
    covey_report report;
    covey_result result = covey_follow_from_memory(t->follower, t->other.bytes, t->other.size, &keep, &report);
    if (result != COVEY_OK) fail_msg("behind %s: %s", hostile_names[t->kind], report.text);
}

/* Into a world that was used: what was retired there is free in the image. */
static void load_again(trial *t) {
    covey_report report;
    const covey_buffer *image = t->kind == HOSTILE_RETIRED ? &t->other : &t->image;
    expect(t, covey_load_from_memory(t->world, image->bytes, image->size, &keep, &report), &report);
}

static void validate(trial *t) {
    const char *why = "";
    if (!covey_world_validate(t->world, &why)) fail_msg("%s: %s", hostile_names[t->kind], why);
}

static void save(trial *t) {
    covey_buffer image = { 0 };
    assert_int_equal(covey_save_to_buffer(t->world, &image, NULL, NULL), COVEY_OK);
    if (!t->follower && !is_refused(t) && covey_entity_count(t->world) != 0) {
        assert_int_equal(image.size, t->image.size);
        assert_memory_equal(image.bytes, t->image.bytes, image.size);
    }
    covey_buffer_free(&image);
}

static void clone(trial *t) {
    covey_world *twin = covey_world_clone(t->world, NULL);
    assert_non_null(twin);
    covey_world_destroy(twin);
}

static void look_at_sections(trial *t) {
    uint32_t count = covey_image_sections(t->image.bytes, t->image.size, NULL, 0, NULL);
    covey_section *sections = calloc(count, sizeof *sections);
    assert_true(sections && count >= 2);
    assert_int_equal(covey_image_sections(t->image.bytes, t->image.size, sections, count, NULL), count);
    free(sections);
}

static void destroy_each(trial *t) {
    for (covey_entity e = covey_entity_next(t->world, none); !covey_is_null(e); e = covey_entity_next(t->world, e))
        assert_true(covey_destroy(t->world, e));
}

static void remove_resources(trial *t) {
    for (uint32_t i = covey_world_resource_count(t->world); i-- != 0;)
        assert_true(covey_resource_remove_raw(t->world, covey_world_resource(t->world, i)));
}

static void end_world(trial *t) {
    covey_world_destroy(t->world);
    t->world = covey_world_create(NULL);
    assert_non_null(t->world);
}

static void begin_to_follow(trial *t) {
    t->follower = covey_follower_create(t->world);
    assert_non_null(t->follower);
}

static void end_following(trial *t) {
    covey_follower_destroy(t->follower);
    t->follower = NULL;
}

static void make_one(trial *t) { assert_false(covey_is_null(covey_create(t->world))); }

static const struct operation {
    const char *name;
    void (*run)(trial *t);
} operations[] = {
    { "look", look_at_sections },
    { "load", load },
    { "validate", validate },
    { "save", save },
    { "clone", clone },
    { "destroy each", destroy_each },
    { "remove resources", remove_resources },
    { "validate what is left", validate },
    { "load again", load_again },
    { "destroy the world", end_world },
    { "create", make_one },
    { "merge", merge },
    { "merge again", merge },
    { "validate what was merged", validate },
    { "destroy what was merged", end_world },
    { "begin to follow", begin_to_follow },
    { "follow", follow },
    { "follow again", follow },
    { "validate what follows", validate },
    { "follow another", follow_other },
    { "end following", end_following },
    { "destroy what followed", end_world },
};
enum { OPERATIONS = sizeof operations / sizeof *operations };

static void measure(hostile_kind kind, uint32_t count, uint64_t steps[OPERATIONS]) {
    trial t = { .kind = kind, .count = count };
    assert_true(hostile_make(&t.image, kind, count));
    assert_true(hostile_make(&t.other, kind == HOSTILE_MIXED ? HOSTILE_FEWER : HOSTILE_FREE, count));
    t.world = covey_world_create(NULL);
    for (uint32_t i = 0; i < OPERATIONS; i++) {
        uint64_t before = steps_taken();
        operations[i].run(&t);
        steps[i] = steps_taken() - before;
    }
    covey_world_destroy(t.world);
    covey_buffer_free(&t.image);
    covey_buffer_free(&t.other);
}

static bool makes_types(hostile_kind kind) {
    return (kind >= HOSTILE_TYPES && kind <= HOSTILE_BOTH) || kind == HOSTILE_MIXED || kind == HOSTILE_FEWER;
}

static void compare(const char *what, const char *name, uint64_t one, uint64_t two, uint32_t slack) {
    double ratio = (double)two / (double)(one + 1);
    if (two > NOTHING && (double)two > (double)one * MOST_RATIO + slack)
        fail_msg("%s, %s: %llu steps, and %llu for twice as much: %.2f times", what, name, (unsigned long long)one,
                 (unsigned long long)two, ratio);
}

static void test_twice_the_image_takes_at_most_two_and_a_half_times_the_steps(void **state) {
    (void)state;
    for (int kind = 0; kind < HOSTILE_KINDS; kind++) {
        uint64_t one[OPERATIONS], two[OPERATIONS];
        measure((hostile_kind)kind, FEW, one);
        measure((hostile_kind)kind, FEW * 2, two);
        uint32_t slack = makes_types((hostile_kind)kind) ? SPREADING : 0;
        for (uint32_t i = 0; i < OPERATIONS; i++)
            compare(hostile_names[kind], operations[i].name, one[i], two[i], slack);
    }
}

/* One index far out costs nothing but the table that leads there, now and later. */
static void test_indices_that_were_never_used_are_not_looked_at(void **state) {
    (void)state;
    covey_world *world = covey_world_create(NULL);
    covey_buffer image = { 0 };
    assert_true(hostile_make(&image, HOSTILE_WIDE, FEW));
    assert_true(covey_destroy(world, covey_create_at(world, COVEY_NONE - 2)));
    uint64_t before = steps_taken();
    assert_int_equal(covey_load_from_memory(world, image.bytes, image.size, &keep, NULL), COVEY_OK);
    assert_true(steps_taken() - before < (uint64_t)COVEY_NONE / COVEY_PAGE_SIZE * 60 + FEW * 2000);
    covey_buffer_free(&image);
    covey_world_destroy(world);
}

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

typedef uint64_t cost_fn(covey_world *world, uint32_t count);

static void compare_calls(const char *what, cost_fn *cost, uint32_t count, uint32_t slack) {
    uint64_t steps[2];
    for (uint32_t i = 0; i < 2; i++) {
        covey_world *world = covey_world_create(NULL);
        steps[i] = cost(world, count << i);
        covey_world_destroy(world);
    }
    compare(what, "calls", steps[0], steps[1], slack);
}

static const covey_type *make_type(covey_world *world, uint32_t number) {
    char name[32];
    snprintf(name, sizeof name, "type%u", number);
    const covey_type *type = covey_type_create(world, &(covey_type){ .name = name, .size = 4, .align = 4 });
    assert_non_null(type);
    return type;
}

/* Types are made, found by name, added to one entity, listed, and end with it. */
static uint64_t cost_of_types(covey_world *world, uint32_t count) {
    uint64_t before = steps_taken();
    covey_entity e = covey_create(world);
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        snprintf(name, sizeof name, "type%u", i);
        const covey_type *type = make_type(world, i);
        assert_ptr_equal(covey_type_find(world, name), type);
        assert_non_null(covey_add_raw(world, e, type, &i));
    }
    assert_int_equal(covey_types_of(world, e, NULL, 0), count);
    assert_true(covey_destroy(world, e));
    return steps_taken() - before;
}

/* An entity does not pay for types that others have. */
static uint64_t cost_of_other_types(covey_world *world, uint32_t count) {
    covey_entity e = covey_create(world), other = covey_create_at(world, COVEY_NONE / 2);
    for (uint32_t i = 0; i < count; i++) covey_add_raw(world, e, make_type(world, i), &i);
    uint64_t before = steps_taken();
    for (uint32_t i = 0; i < 100; i++) assert_int_equal(covey_types_of(world, other, NULL, 0), 0);
    return steps_taken() - before;
}

static uint64_t cost_of_resources(covey_world *world, uint32_t count) {
    uint64_t before = steps_taken();
    for (uint32_t i = 0; i < count; i++) {
        const covey_type *type = make_type(world, i);
        assert_non_null(covey_resource_set_raw(world, type, &i));
        assert_true(covey_resource_has_raw(world, type));
    }
    for (uint32_t i = count; i-- != 0;) assert_true(covey_resource_remove_raw(world, covey_world_resource(world, i)));
    return steps_taken() - before;
}

static uint64_t cost_of_ranges(covey_world *world, uint32_t count) {
    uint64_t before = steps_taken();
    for (uint32_t i = count; i-- != 0;) {
        covey_range range = covey_range_reserve(world, i * 2, 2);
        assert_int_equal(range.count, 2);
        assert_true(covey_destroy(world, covey_create_in(world, range)));
    }
    covey_create(world); /* finds its way past all of them */
    return steps_taken() - before;
}

static void heed(const covey_event *event, void *context) {
    (void)event;
    (*(uint32_t *)context)++;
}

/* A chain that is destroyed as a tree, with a listener to each end. */
static uint64_t cost_of_chain(covey_world *world, uint32_t count) {
    uint32_t heard = 0;
    covey_connect(world, &(covey_listener){ .signals = COVEY_ON_DESTROY, .call = heed, .context = &heard });
    uint64_t before = steps_taken();
    covey_entity root = covey_create(world), last = root;
    for (uint32_t i = 1; i < count; i++) {
        covey_entity e = covey_create(world);
        assert_int_equal(covey_parent_set(world, e, last), COVEY_OK);
        last = e;
    }
    assert_int_equal(covey_destroy_tree(world, root), count);
    assert_int_equal(heard, count);
    return steps_taken() - before;
}

static void test_calls_cost_what_they_are_about(void **state) {
    (void)state;
    compare_calls("types", cost_of_types, FEW, SPREADING);
    compare_calls("types of others", cost_of_other_types, FEW, 0);
    compare_calls("resources", cost_of_resources, FEW, SPREADING);
    compare_calls("ranges", cost_of_ranges, FEW, 0);
    compare_calls("a chain", cost_of_chain, FEW, 0);
}

/* ---- Fields -------------------------------------------------------------------------------------------------------*/

enum { FIELDS_MOST = 256, DEPTH_MOST = 8 };

static char names[FIELDS_MOST][16];

/* A struct of as many bytes; the last one may be another struct. */
static void describe(covey_fields *fields, covey_field *list, uint32_t count, const covey_fields *nested) {
    for (uint32_t i = 0; i < count; i++) {
        snprintf(names[i], sizeof names[i], "x%u", i);
        list[i] = (covey_field){ .name = names[i], .kind = COVEY_KIND_U8, .offset = i, .count = 1 };
    }
    uint32_t size = count;
    if (nested) {
        list[count - 1].kind = COVEY_KIND_NESTED;
        list[count - 1].nested = nested;
        size += nested->size - 1;
    }
    *fields = (covey_fields){ size, count, list };
}

/* Structs inside of each other, with as many fields each: a world with the type is saved and loaded. */
static uint64_t cost_of_structs(covey_world *world, uint32_t count, uint32_t depth) {
    static covey_field lists[DEPTH_MOST][FIELDS_MOST];
    covey_fields fields[DEPTH_MOST];
    covey_buffer image = { 0 };
    for (uint32_t i = 0; i < depth; i++) describe(&fields[i], lists[i], count, i != 0 ? &fields[i - 1] : NULL);
    const covey_fields *all = &fields[depth - 1];
    uint64_t before = steps_taken();
    const covey_type *type =
        covey_type_create(world, &(covey_type){ .name = "Many", .size = all->size, .align = 1, .fields = all });
    assert_true(type && covey_pool_of_raw(world, type));
    assert_int_equal(covey_save_to_buffer(world, &image, NULL, NULL), COVEY_OK);
    covey_world *other = covey_world_create(NULL);
    assert_int_equal(covey_load_from_memory(other, image.bytes, image.size, &keep, NULL), COVEY_OK);
    covey_world_destroy(other);
    covey_buffer_free(&image);
    return steps_taken() - before;
}

static uint64_t cost_of_fields(covey_world *world, uint32_t count) { return cost_of_structs(world, count, 1); }
static uint64_t cost_of_depth(covey_world *world, uint32_t depth) { return cost_of_structs(world, 30, depth); }

static void test_each_field_costs_the_same(void **state) {
    (void)state;
    compare_calls("fields", cost_of_fields, FIELDS_MOST / 2, 0);
    compare_calls("structs in structs", cost_of_depth, DEPTH_MOST / 2, 0);
}

/* ---- Far away -----------------------------------------------------------------------------------------------------*/

static uint64_t cost_of_visits(covey_world *world, const covey_view_desc *desc, uint32_t expected) {
    covey_view view = covey_view_make(world, desc);
    uint32_t spans = 0, rows = 0;
    covey_row row = { 0 };
    uint64_t before = steps_taken();
    assert_int_equal(covey_view_count(&view), expected);
    for (covey_iter it = covey_view_iter(&view); covey_next(&it);) spans += it.count;
    for (covey_iter it = covey_view_iter(&view); covey_next_row(&it, &row);) rows++;
    assert_true(spans == expected && rows == expected);
    return steps_taken() - before;
}

/* Two entities, with as many indices between them as there are: views of all entities skip these, page by page. */
static void test_indices_between_entities_are_skipped(void **state) {
    (void)state;
    covey_world *world = covey_world_create(NULL);
    covey_type sparse = { .name = "Sparse", .size = 4, .align = 4, .storage = COVEY_STORAGE_SPARSE };
    const covey_type *types[2] = { make_type(world, 0), covey_type_create(world, &sparse) };
    covey_entity near = covey_create(world), far = covey_create_at(world, COVEY_NONE - 1);
    uint32_t value = 7;
    for (uint32_t i = 0; i < 2; i++) assert_non_null(covey_add_raw(world, near, types[i], &value));
    assert_non_null(covey_add_raw(world, far, types[1], &value));
    const covey_view_desc descs[] = { { .include_disabled = false },
                                      { .without = { types[0] } },
                                      { .without = { types[1] } },
                                      { .any = { types[0], types[1] } },
                                      { .optional = { types[0] } } };
    const uint32_t expected[] = { 2, 1, 0, 2, 2 };
    for (uint32_t i = 0; i < sizeof descs / sizeof *descs; i++) {
        uint64_t steps = cost_of_visits(world, &descs[i], expected[i]);
        if (steps > (uint64_t)COVEY_NONE / COVEY_PAGE_SIZE * 60 + 20000)
            fail_msg("view %u takes %llu steps", i, (unsigned long long)steps);
    }
    covey_world_destroy(world);
}

/* ---- covey-snap ---------------------------------------------------------------------------------------------------*/

/* Types of the second image are resources of the first, and as many more. */
static uint64_t cost_of_diff(covey_world *world, uint32_t count) {
    char path[2][256], *operands[] = { path[0], path[1], NULL };
    snap_settings settings = { .options = SNAP_BRIEF, .operands = operands, .operand_count = 2 };
    for (uint32_t i = 0; i < 2; i++) {
        covey_buffer image = { 0 };
        assert_true(hostile_make(&image, HOSTILE_RESOURCES, count << i));
        snprintf(path[i], sizeof path[i], "%s", in_folder(i == 0 ? "a" : "b"));
        put_file(i == 0 ? "a" : "b", image.bytes, image.size);
        covey_buffer_free(&image);
    }
    (void)world;
    uint64_t before = steps_taken();
    assert_int_equal(snap_diff(&settings), SNAP_NO);
    return steps_taken() - before;
}

static void test_comparing_images_costs_what_they_have(void **state) {
    (void)state;
    compare_calls("diff of resources", cost_of_diff, FEW, SPREADING);
}

/* ---- Groups -------------------------------------------------------------------------------------------------------*/

/* Making a group looks at all existing groups, so all together cost a square; adding a component looks at the groups of
 * its pool only. */
static void test_groups_cost_those_who_have_them(void **state) {
    (void)state;
    uint64_t making[2], adding[2];
    for (uint32_t k = 0; k < 2; k++) {
        covey_world *world = covey_world_create(NULL);
        uint32_t count = FEW << k;
        uint64_t before = steps_taken();
        for (uint32_t i = 0; i < count; i++) {
            covey_group_desc desc = { .with = { make_type(world, i * 2), make_type(world, i * 2 + 1) } };
            assert_non_null(covey_group_create(world, &desc));
        }
        making[k] = steps_taken() - before;
        covey_entity e = covey_create(world);
        before = steps_taken();
        for (uint32_t i = 0; i < 20; i++) assert_non_null(covey_add_raw(world, e, make_type(world, i), &i));
        adding[k] = steps_taken() - before;
        covey_world_destroy(world);
    }
    assert_true(making[1] <= making[0] * 4 + SPREADING);
    assert_true(making[1] <=
                (uint64_t)FEW * 2 * (FEW * 2 * 40 + 8000) + SPREADING); /* 40 steps for each existing group */
    compare("groups", "adding", adding[0], adding[1], 0);
}

/* ---- Listeners ----------------------------------------------------------------------------------------------------*/

typedef struct nest {
    covey_entity e;
    const covey_type *types[201];
    uint32_t count;
    char *top;
    size_t stack;
} nest;

/* Adds the next type, which calls the next listener. */
static void go_on(const covey_event *event, void *context) {
    nest *n = context;
    char here = 0;
    n->count++;
    if ((size_t)(n->top - &here) > n->stack) n->stack = (size_t)(n->top - &here);
    if (n->types[n->count]) covey_add_raw(event->world, n->e, n->types[n->count], &n->count);
}

static uint64_t cost_of_nest(covey_world *world, uint32_t count, size_t *stack) {
    char here = 0;
    nest n = { .e = covey_create(world), .top = &here };
    for (uint32_t i = 0; i < count; i++) {
        n.types[i] = make_type(world, i);
        covey_connect(world,
                      &(covey_listener){ .type = n.types[i], .signals = COVEY_ON_ADD, .call = go_on, .context = &n });
    }
    uint64_t before = steps_taken();
    uint32_t value = 0;
    assert_non_null(covey_add_raw(world, n.e, n.types[0], &value));
    assert_int_equal(n.count, count);
    *stack = n.stack;
    return steps_taken() - before;
}

/* 4 KB for each, with whatever a compiler and a sanitizer add, and in proportion. */
static void test_listeners_that_nest_take_some_stack_each(void **state) {
    (void)state;
    uint64_t steps[2];
    size_t stack[2];
    for (uint32_t i = 0; i < 2; i++) {
        covey_world *world = covey_world_create(NULL);
        steps[i] = cost_of_nest(world, 100u << i, &stack[i]);
        covey_world_destroy(world);
    }
    compare("listeners", "nested", steps[0], steps[1], 0);
    assert_true(stack[0] <= 100 * 4096 && stack[1] <= stack[0] * 2 + 4096);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_twice_the_image_takes_at_most_two_and_a_half_times_the_steps),
        cmocka_unit_test(test_indices_that_were_never_used_are_not_looked_at),
        cmocka_unit_test(test_calls_cost_what_they_are_about),
        cmocka_unit_test(test_each_field_costs_the_same),
        cmocka_unit_test(test_indices_between_entities_are_skipped),
        cmocka_unit_test_setup_teardown(test_comparing_images_costs_what_they_have, folder_setup, folder_teardown),
        cmocka_unit_test(test_groups_cost_those_who_have_them),
        cmocka_unit_test(test_listeners_that_nest_take_some_stack_each),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
