/* Contracts of calls that assertion level 1 checks: a mistake is named, with the file and line of the caller. */
#define _POSIX_C_SOURCE 200809L
#include "storage/marks.h"
#include "fixture.h"

#include <covey/events.h>
#include <covey/hierarchy.h>
#include <covey/image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#if COVEY_ASSERT_LEVEL >= 1

typedef struct {
    float x, y;
} Place;
COVEY_COMPONENT_DEFINE(Place, .as_bytes = true);

static struct {
    char what[256], file[256];
    int line, times;
} broken;

static void note_broken(const char *what, const char *file, int line, void *context) {
    (void)context;
    if (broken.times++ != 0) return; /* the first one counts */
    snprintf(broken.what, sizeof broken.what, "%s", what);
    snprintf(broken.file, sizeof broken.file, "%s", file);
    broken.line = line;
}

static covey_world *noting_world(void) {
    covey_world_desc desc = world_desc();
    desc.on_assert = note_broken;
    covey_world *made = covey_world_create(&desc);
    assert_non_null(made);
    memset(&broken, 0, sizeof broken);
    return made;
}

/* The last contract was broken in this line of this file, and its text has these words. */
static void assert_broken(int line, const char *words) {
    assert_int_equal(broken.times, 1);
    assert_non_null(strstr(broken.what, words));
    assert_non_null(strstr(broken.file, "test_contracts.c"));
    assert_int_equal(broken.line, line);
    memset(&broken, 0, sizeof broken);
}

static covey_entity placed(covey_world *in, float x) {
    covey_entity e = covey_create(in);
    assert_non_null(covey_add(in, e, Place, { x, 0 }));
    assert_non_null(covey_add(in, e, Packed, { 1, 2 }));
    return e;
}

/* ---- Fields and rows ----------------------------------------------------------------------------------------------*/

static void test_a_field_of_a_span_is_not_for_rows(void **state) {
    (void)state;
    covey_world *in = noting_world();
    placed(in, 1);
    covey_view view = covey_view_of(in, Place);
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    assert_true(covey_next_row(&it, &row));
    assert_true(covey_row_field(&it, row, 0, Place)->x == 1);
    assert_int_equal(broken.times, 0);
    (void)covey_field(&it, 0, Place);
    assert_broken(__LINE__ - 1, "use covey_row_field");
    view = covey_view_of(in, Packed); /* whose rows come from a list */
    it = covey_view_iter(&view);
    row = (covey_row){ 0 };
    assert_true(covey_next_row(&it, &row));
    (void)covey_field(&it, 0, Packed);
    assert_broken(__LINE__ - 1, "use covey_row_field");
    covey_world_destroy(in);
}

/* The call itself would crash. */
static void test_a_field_of_a_row_is_not_for_spans(void **state) {
    (void)state;
    covey_world *in = noting_world();
    placed(in, 1);
    covey_view view = covey_view_of(in, Place);
    covey_iter it = covey_view_iter(&view);
    assert_true(covey_next(&it));
    (void)covey__check_row_field(&it, COVEY_NONE, 0, covey_id(Place), __FILE__, __LINE__);
    assert_broken(__LINE__ - 1, "use covey_field");
    covey_world_destroy(in);
}

static void test_a_field_needs_covey_next(void **state) {
    (void)state;
    covey_world *in = noting_world();
    placed(in, 1);
    covey_view view = covey_view_of(in, Packed);
    covey_iter it = covey_view_iter(&view);
    (void)covey__check_field(&it, 0, covey_id(Packed), __FILE__, __LINE__);
    assert_broken(__LINE__ - 1, "covey_next comes first");
    while (covey_next(&it)) assert_true(covey_field(&it, 0, Packed)->number == 1);
    assert_int_equal(broken.times, 0);
    covey_world_destroy(in);
}

static void test_a_row_begins_with_zeros(void **state) {
    (void)state;
    covey_world *in = noting_world();
    placed(in, 1);
    placed(in, 2);
    covey_view views[] = { covey_view_of(in, Place), covey_view_of(in, Packed) };
    for (int i = 0; i < 2; i++) {
        covey_iter it = covey_view_iter(&views[i]);
        covey_row row;
        memset(&row, 0x5a, sizeof row);
        covey__check_row(&it, &row, __FILE__, __LINE__);
        assert_broken(__LINE__ - 1, "covey_row row = { 0 }");
        memset(&row, 0, sizeof row);
        assert_true(covey_next_row(&it, &row) && covey_next_row(&it, &row));
        covey_iter again = covey_view_iter(&views[i]); /* and the row is one of the loop before */
        covey__check_row(&again, &row, __FILE__, __LINE__);
        assert_broken(__LINE__ - 1, "of another iteration");
        assert_false(covey_next_row(&it, &row));
        covey_iter third = covey_view_iter(&views[i]); /* behind the last row, it is like { 0 } again */
        assert_true(covey_next_row(&third, &row));
        assert_int_equal(broken.times, 0);
    }
    covey_world_destroy(in);
}

/* The worst mistake of beginners: the arrays of an open span may be somewhere else after it. */
static void test_a_structural_change_while_a_span_is_open_is_named(void **state) {
    (void)state;
    covey_world *in = noting_world();
    placed(in, 1);
    covey_view view = covey_view_make(
        in, &(covey_view_desc){ .with = { covey_ids(Place, Packed) }, .without = { covey_id(Marked) } });
    covey_iter it = covey_view_iter(&view);
    assert_true(covey_next(&it));
    covey_add(in, covey_create(in), Packed, { 1, 2 });
    assert_false(covey_next(&it));
    assert_broken(__LINE__ - 1, "Packed changed while a span of the view of Place, Packed without Marked was open: "
                                "record that into a command buffer, or visit rows with covey_next_row");
    covey_world_destroy(in);
}

static void test_one_component_less_and_one_more_are_two_changes(void **state) {
    (void)state;
    covey_world *in = noting_world();
    covey_entity e[] = { placed(in, 1), covey_create(in) };
    covey_view view = covey_view_of(in, Place);
    covey_iter it = covey_view_iter(&view);
    assert_true(covey_next(&it));
    assert_true(covey_remove(in, e[0], Place) && covey_add(in, e[1], Place, { 1, 2 }));
    (void)covey_next(&it);
    assert_broken(__LINE__ - 1, "Place changed while a span of the view of Place was open");
    covey_world_destroy(in);
}

static void test_a_component_that_another_entity_lost_while_a_row_was_visited_is_named(void **state) {
    (void)state;
    covey_world *in = noting_world();
    covey_entity first = placed(in, 1), second = placed(in, 2);
    covey_view view = covey_view_of(in, Place);
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    assert_true(covey_next_row(&it, &row) && covey_same(covey_row_entity(&it, row), first));
    assert_true(covey_destroy(in, second));
    (void)covey_next_row(&it, &row);
    assert_broken(__LINE__ - 1,
                  "another entity than the row's lost Place while rows of the view of Place were visited: "
                  "record that into a command buffer, or do it after the loop");
    covey_world_destroy(in);
}

static void test_a_field_that_was_removed_since_the_row_began_is_named(void **state) {
    (void)state;
    covey_world *in = noting_world();
    placed(in, 1);
    placed(in, 2);
    covey_view view = covey_view_of(in, Place, Packed);
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    assert_true(covey_next_row(&it, &row));
    covey_remove(in, covey_row_entity(&it, row), Place);
    assert_non_null(covey_row_field(&it, row, 1, Packed));
    assert_int_equal(broken.times, 0);
    (void)covey_row_field(&it, row, 0, Place);
    assert_broken(__LINE__ - 1, "Place was removed from the row's entity since its row began: read it before");
    (void)covey_row_field_raw(&it, row, 0);
    assert_int_equal(broken.times, 1);
    covey_world_destroy(in);
}

/* ---- Pools --------------------------------------------------------------------------------------------------------*/

/* The line of this file is in the text, and the value is what it would be without assertions. */
static void assert_refused(int line) {
    char words[64];
    snprintf(words, sizeof words, "test_contracts.c:%d)", line);
    assert_int_equal(heard.result, COVEY_ERROR_REFUSED);
    assert_non_null(strstr(heard.text, "Place is in blocks, without packed arrays: walk it with covey_pool_next, or"));
    assert_non_null(strstr(heard.text, words));
    assert_int_equal(broken.times, 0);
    heard = (test_heard){ 0 };
}

static void test_a_pool_in_blocks_has_no_packed_arrays(void **state) {
    (void)state;
    covey_world *in = noting_world();
    placed(in, 1);
    covey_pool *blocks = covey_pool_of(in, Place), *packed = covey_pool_of(in, Packed);
    assert_int_equal(covey_pool_position_count(packed), 1);
    assert_true(covey_pool_ids(packed) && covey_pool_values(packed, Packed));
    assert_int_equal(covey_pool_position_count(blocks), 0);
    assert_refused(__LINE__ - 1);
    assert_null(covey_pool_ids(blocks));
    assert_refused(__LINE__ - 1);
    assert_null(covey_pool_values(blocks, Place));
    assert_refused(__LINE__ - 1);
    assert_null(covey_pool_page(blocks, 0, Place));
    assert_refused(__LINE__ - 1);
    covey_world_destroy(in);
}

/* ---- Signals ------------------------------------------------------------------------------------------------------*/

static void ignore(const covey_event *event, void *context) { (void)event, (void)context; }

/* A connection of another world, whose number a connection of this world has as well. */
static void test_a_connection_belongs_to_its_world(void **state) {
    (void)state;
    covey_world *in = noting_world();
    const covey_listener listeners[] = { { .type = covey_id(Place), .signals = COVEY_ON_ADD, .call = ignore },
                                         { .signals = COVEY_ON_CREATE, .call = ignore } };
    for (uint32_t i = 0; i < COUNT_OF(listeners); i++) {
        covey_connection here = covey_connect(in, &listeners[i]), there = covey_connect(world, &listeners[i]);
        assert_true(covey_connected(in, here) && covey_connected(world, there));
        assert_false(covey_connected(in, there));
        assert_non_null(strstr(broken.what, "of another world"));
        assert_false(covey_disconnect(in, there));
        assert_int_equal(broken.times, 2);
        test_world_is_valid(in);
        test_world_is_valid(world);
        assert_true(covey_connected(in, here) && covey_connected(world, there));
        assert_true(covey_disconnect(in, here) && covey_disconnect(world, there));
        memset(&broken, 0, sizeof broken);
    }
    assert_false(covey_disconnect(in, (covey_connection){ 0 }));
    assert_int_equal(broken.times, 0);
    covey_world_destroy(in);
}

/* ---- Reactive sets ------------------------------------------------------------------------------------------------*/

/* If the library did not reserve enough, it says so and writes nothing. */
static void test_a_handle_without_room_is_left_out(void **state) {
    (void)state;
    covey_world *in = noting_world();
    covey_reactive *set =
        covey_reactive_create(in, &(covey_reactive_desc){ .added = { covey_id(Place) }, .keep_destroyed = true });
    covey_entity e = placed(in, 1);
    covey__ended *ended = covey_pool_find_raw(in, covey_reactive_type(set))->ended;
    const covey_entity *handles;
    uint32_t capacity = ended->capacity;
    ended->capacity = 0;
    assert_true(covey_destroy(in, e));
    ended->capacity = capacity;
    assert_true(broken.times != 0);
    assert_non_null(strstr(broken.what, "no room for the handle"));
    assert_int_equal(covey_reactive_destroyed(set, &handles), 0);
    covey_world_destroy(in);
}

static void test_a_contract_names_the_call_and_a_pool_of_another_type_both_types(void **state) {
    (void)state;
    covey_world *in = noting_world();
    covey_entity e = placed(in, 1);
    (void)covey_pool_get(covey_pool_of(in, Packed), e, Place);
    assert_broken(__LINE__ - 1, "the pool is of Packed, not of Place");
    covey_view view = covey_view_of(in, Place);
    (void)covey_view_iter_by(&view, NULL);
    assert_int_equal(broken.times, 1);
    assert_string_equal(broken.what, "covey_view_iter_by: the pool belongs to another world");
    covey_world_destroy(in);
}

static void test_a_channel_of_another_type_is_named_with_both_types(void **state) {
    (void)state;
    covey_world *in = noting_world();
    covey_events *places = covey_events_of(in, Place);
    assert_true(covey_events_send(places, Place, { 1, 2 }));
    (void)covey_events_current(places, Packed);
    assert_broken(__LINE__ - 1, "the channel is of Place, not of Packed");
    assert_int_equal(covey_events_deliver(places), 1);
    assert_int_equal(broken.times, 0);
    covey_world_destroy(in);
}

#ifdef __unix__
#include <sys/wait.h>
#include <unistd.h>

/* Where there is no world, there is no handler: the program ends with a message. Runs a call in a process of its own,
 * and expects two parts of the message. */
static void assert_says(void (*call)(void), const char *words, const char *place) {
    int ends[2], status;
    char text[1024] = "";
    assert_int_equal(pipe(ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        dup2(ends[1], STDERR_FILENO);
        call();
        _exit(0);
    }
    close(ends[1]);
    size_t length = 0;
    for (ssize_t n; length < sizeof text - 1 && (n = read(ends[0], text + length, sizeof text - 1 - length)) > 0;)
        length += (size_t)n;
    close(ends[0]);
    assert_true(waitpid(child, &status, 0) == child);
    assert_false(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    if (!strstr(text, place) || !strstr(text, words)) fail_msg("expected \"%s\" and \"%s\" in: %s", place, words, text);
}

static void assert_aborts(void (*call)(void), const char *words, int line) {
    char place[64];
    snprintf(place, sizeof place, "test_contracts.c:%d: contract broken: ", line);
    assert_says(call, words, place);
}

static covey_pool *volatile no_pool; /* which compilers do not know */
static const covey_view *volatile no_view;
static covey_events *volatile no_channel;
enum { LINE_OF_POOLS = __LINE__ };
static void add_to_no_pool(void) { (void)covey_pool_add(no_pool, COVEY_NULL, Place, { 1, 2 }); }
static void values_of_no_pool(void) { (void)covey_pool_values(no_pool, Place); }
static void size_of_no_pool(void) { (void)covey_pool_position_count(no_pool); }
static void ids_of_no_pool(void) { (void)covey_pool_ids(no_pool); }
static void send_in_no_channel(void) { (void)covey_events_send(no_channel, Place, { 1, 2 }); }
static void deliver_no_channel(void) { (void)covey_events_deliver(no_channel); }

static void test_null_pools_of_typed_calls_are_named_with_the_line_of_the_caller(void **state) {
    (void)state;
    assert_aborts(add_to_no_pool, "the pool is NULL", LINE_OF_POOLS + 1);
    assert_aborts(values_of_no_pool, "the pool is NULL", LINE_OF_POOLS + 2);
    assert_aborts(size_of_no_pool, "the pool is NULL", LINE_OF_POOLS + 3);
    assert_aborts(ids_of_no_pool, "the pool is NULL", LINE_OF_POOLS + 4);
    assert_aborts(send_in_no_channel, "the channel is NULL: covey_events_of failed", LINE_OF_POOLS + 5);
    assert_says(deliver_no_channel, "covey_events_deliver: a call needs a channel", "contract broken: ");
}

/* All other calls that take a pool or a view, with their further arguments. */
#define POOL_CALLS(X)                                      \
    X(covey_pool_has, (no_pool, COVEY_NULL))               \
    X(covey_pool_remove_if, (no_pool, NULL, NULL))         \
    X(covey_pool_next, (no_pool, 0))                       \
    X(covey_pool_at, (no_pool, 0))                         \
    X(covey_pool_position, (no_pool, COVEY_NULL))          \
    X(covey_pool_swap, (no_pool, COVEY_NULL, COVEY_NULL))  \
    X(covey_pool_reserve, (no_pool, 0))                    \
    X(covey_pool_compact, (no_pool, NULL, NULL))           \
    X(covey_pool_convert, (no_pool, COVEY_STORAGE_BLOCK))  \
    X(covey_pool_map, (no_pool, 0, NULL, 0))               \
    X(covey_pool_sort, (no_pool, NULL))                    \
    X(covey_pool_sort_as, (no_pool, no_pool))              \
    X(covey_pool_keep_sorted, (no_pool, NULL))             \
    X(covey_pool_add_raw, (no_pool, COVEY_NULL, NULL))     \
    X(covey_pool_set_raw, (no_pool, COVEY_NULL, NULL))     \
    X(covey_pool_get_raw, (no_pool, COVEY_NULL))           \
    X(covey_pool_remove_raw, (no_pool, COVEY_NULL))        \
    X(covey_pool_take_raw, (no_pool, COVEY_NULL, NULL))    \
    X(covey_pool_get_unchecked_raw, (no_pool, COVEY_NULL)) \
    X(covey_pool_value_at_raw, (no_pool, 0))               \
    X(covey_pool_values_raw, (no_pool))                    \
    X(covey_pool_page_raw, (no_pool, 0))                   \
    X(covey_pool_count, (no_pool))                         \
    X(covey_pool_shrink, (no_pool))                        \
    X(covey_pool_type, (no_pool))                          \
    X(covey_pool_world, (no_pool))                         \
    X(covey_pool_memory, (no_pool))                        \
    X(covey_pool_storage, (no_pool))                       \
    X(covey_pool_advise, (no_pool))                        \
    X(covey_pool_owner, (no_pool))                         \
    X(covey_pool_sort_by_depth, (no_pool))
#define VIEW_CALLS(X)                             \
    X(covey_view_valid, (no_view))                \
    X(covey_view_fields, (no_view))               \
    X(covey_view_type, (no_view, 0))              \
    X(covey_view_is_read_only, (no_view, 0))      \
    X(covey_view_count, (no_view))                \
    X(covey_view_first, (no_view))                \
    X(covey_view_contains, (no_view, COVEY_NULL)) \
    X(covey_view_iter, (no_view))                 \
    X(covey_view_iter_by, (no_view, no_pool))     \
    X(covey_view_iter_list, (no_view, NULL, 0))   \
    X(covey_view_iter_since, (no_view, 0))        \
    X(covey_view_advise, (no_view))
#define DEFINE_CALL(name, arguments) \
    static void name##_of_null(void) { (void)name arguments; }
POOL_CALLS(DEFINE_CALL)
VIEW_CALLS(DEFINE_CALL)

static void test_other_calls_of_null_pools_and_views_name_themselves(void **state) {
    (void)state;
#define NO_POOL(name, arguments) { name##_of_null, #name ": the pool is NULL: its type could not be met" },
#define NO_VIEW(name, arguments) { name##_of_null, #name ": the view is NULL" },
    static const struct {
        void (*call)(void);
        const char *words;
    } calls[] = { POOL_CALLS(NO_POOL) VIEW_CALLS(NO_VIEW) };
    for (uint32_t i = 0; i < COUNT_OF(calls); i++) assert_says(calls[i].call, calls[i].words, "contract broken: ");
}

/* ---- Pointers that are NULL ---------------------------------------------------------------------------------------*/

static covey_world *loud;              /* without a handler */
static covey_world *volatile no_world; /* which compilers do not know */
static covey_sparse_set *no_set;
static covey_entity *no_entities, someone;
static Place *no_place;
static const void *no_bytes;

#define NULL_CALL(name, ...) \
    static void name(void) { (void)(__VA_ARGS__); }
NULL_CALL(replaces, covey_replace(loud, someone, Place, no_place))
NULL_CALL(creates_one, covey_create(no_world))
NULL_CALL(destroys_one, covey_destroy(no_world, someone))
NULL_CALL(asks_alive, covey_alive(no_world, someone))
NULL_CALL(creates_many, covey_create_many(no_world, no_entities, 0))
NULL_CALL(makes_view, covey_view_make(no_world, NULL).world)
NULL_CALL(creates, covey_create_many(loud, no_entities, 2))
NULL_CALL(creates_with, covey_create_many_with(loud, no_entities, 2, covey_with_default(Place)))
NULL_CALL(clones, covey_clone(loud, someone, no_entities, 1))
NULL_CALL(adds, covey_add_copies(loud, no_entities, 2, Place, no_place))
NULL_CALL(sets, covey_set_array(loud, no_entities, 2, Place, no_place))
NULL_CALL(removes, covey_remove_many(loud, no_entities, 2, Place))
NULL_CALL(destroys, covey_destroy_many(loud, no_entities, 2))
NULL_CALL(loads, covey_load_from_memory(loud, no_bytes, 10, NULL, NULL))
NULL_CALL(merges, covey_merge_from_memory(loud, no_bytes, 10, NULL, NULL))
NULL_CALL(looks, covey_image_read_info(no_bytes, 10, NULL, NULL))
NULL_CALL(copies, covey_copy(no_world, someone, someone))
NULL_CALL(disables, covey_disable(no_world, someone))
NULL_CALL(names, covey_name_set(no_world, someone, "name"))
NULL_CALL(disconnects, covey_disconnect(no_world, (covey_connection){ 0 }))
NULL_CALL(asks, covey_has_all_raw(loud, someone, NULL))
NULL_CALL(gets, covey_get_all_raw(loud, someone, NULL, NULL))
NULL_CALL(prints, covey_entity_print(NULL, 8, someone))
NULL_CALL(sorts, covey_pool_sort(no_pool, NULL))
NULL_CALL(pushes, covey_sparse_set_push(no_set, someone, NULL))
NULL_CALL(counts, covey_sparse_set_count(no_set))
static void goes_on(void) {
    covey_iter *none = NULL;
    (void)covey_next(none);
}

static void test_null_arguments_are_named(void **state) {
    (void)state;
    static const struct {
        void (*call)(void);
        const char *words;
    } calls[] = {
        { creates_one, "covey_create: a call needs a world" },
        { destroys_one, "covey_destroy: a call needs a world" },
        { asks_alive, "covey_alive: a call needs a world" },
        { creates_many, "covey_create_many: a call needs a world" },
        { makes_view, "covey_view_make: a call needs a world" },
        { replaces, "needs a value" },
        { creates, "the array is NULL" },
        { creates_with, "the array is NULL" },
        { clones, "the array is NULL" },
        { adds, "the array is NULL" },
        { sets, "the array is NULL" },
        { removes, "the array is NULL" },
        { destroys, "the array is NULL" },
        { loads, "the array is NULL" },
        { merges, "the array is NULL" },
        { looks, "the array is NULL" },
        { copies, "needs a world" },
        { disables, "needs a world" },
        { names, "needs a world" },
        { disconnects, "needs a world" },
        { asks, "a list of types" },
        { gets, "a list of types" },
        { prints, "needs a place" },
        { sorts, "the pool is NULL" },
        { pushes, "needs a set" },
        { counts, "needs a set" },
        { goes_on, "the iteration is NULL" },
    };
    loud = covey_world_create(NULL);
    someone = placed(loud, 1);
    for (uint32_t i = 0; i < COUNT_OF(calls); i++) assert_says(calls[i].call, calls[i].words, "contract broken: ");
    covey_world_destroy(loud);
}

/* If the handler goes on, calls that can fail do so. */
static void test_null_arrays_fail(void **state) {
    (void)state;
    covey_world *in = noting_world();
    assert_false(covey_create_many(in, no_entities, 2));
    assert_int_equal(covey_world_result(in), COVEY_ERROR_RANGE);
    assert_false(covey_create_many_with(in, no_entities, 2, covey_with_default(Place)));
    assert_int_equal(covey_load_from_memory(in, no_bytes, 10, NULL, NULL), COVEY_ERROR_IMAGE);
    assert_int_equal(covey_merge_from_memory(in, no_bytes, 10, NULL, NULL), COVEY_ERROR_IMAGE);
    assert_true(broken.times >= 4);
    assert_int_equal(covey_entity_count(in), 0);
    assert_true(covey_create_many(in, no_entities, 0));
    covey_buffer_free(NULL);
    covey_world_destroy(in);
}

enum { LINE_OF_WORLDS = __LINE__ };
static void add_to_no_world(void) { (void)covey_add(no_world, COVEY_NULL, Place, { 1, 2 }); }
static void get_from_no_world(void) { (void)covey_get(no_world, COVEY_NULL, Place); }
static void view_of_no_world(void) { (void)covey_view_of(no_world, Place); }
static void resource_of_no_world(void) { (void)covey_resource_get(no_world, Place); }

static void test_null_worlds_are_named_with_the_line_of_the_caller(void **state) {
    (void)state;
    assert_aborts(add_to_no_world, "the world is NULL", LINE_OF_WORLDS + 1);
    assert_aborts(get_from_no_world, "the world is NULL", LINE_OF_WORLDS + 2);
    assert_aborts(view_of_no_world, "the world is NULL", LINE_OF_WORLDS + 3);
    assert_aborts(resource_of_no_world, "the world is NULL", LINE_OF_WORLDS + 4);
}

/* ---- Worlds without a log -----------------------------------------------------------------------------------------*/

/* What a call writes to stderr, up to its end. */
static size_t printed_by(void (*call)(void), char *text, size_t size) {
    int ends[2], before = dup(STDERR_FILENO);
    fflush(stderr);
    assert_true(before >= 0 && pipe(ends) == 0 && dup2(ends[1], STDERR_FILENO) >= 0);
    close(ends[1]);
    call();
    fflush(stderr);
    assert_true(dup2(before, STDERR_FILENO) >= 0); /* closes the last end for writing */
    close(before);
    size_t length = 0;
    for (ssize_t n; length < size - 1 && (n = read(ends[0], text + length, size - 1 - length)) > 0;)
        length += (size_t)n;
    text[length] = '\0';
    close(ends[0]);
    return length;
}

static void fail_often(void) {
    covey_world *in = covey_world_create(NULL);
    covey_entity e = covey_create(in);
    Place place = { 1, 2 };
    for (int i = 0; i < 300; i++) covey_replace(in, e, Place, &place);
    covey_world_destroy(in);
}

static void test_a_world_without_a_log_prints_the_first_failures(void **state) {
    (void)state;
    static char text[16384];
    printed_by(fail_often, text, sizeof text);
    assert_true(strncmp(text, "covey: 0:1 has no Place", 23) == 0);
    int lines = 0;
    for (const char *at = text; (at = strchr(at, '\n')); at++) lines++;
    assert_int_equal(lines, 102);
    assert_non_null(strstr(text, "further failures of this world are counted but not printed"));
    assert_non_null(strstr(text, "\ncovey: 200 further failures of a world were not printed"));
}

static void fail_quietly(void) {
    covey_world *in = covey_world_create(&(covey_world_desc){ .quiet = true }), *twin = covey_world_clone(in, NULL);
    Place place = { 1, 2 };
    assert_false(covey_replace(in, covey_create(in), Place, &place));
    assert_false(covey_replace(twin, covey_create(twin), Place, &place));
    assert_int_equal(covey_world_result(in), COVEY_ERROR_ABSENT);
    covey_world_destroy(in);
    covey_world_destroy(twin);
}

/* Calls that make worlds, or merge them, fail in several places, and say it once: to the log. */
static void fail_with_a_log(void) {
    covey_world *in = noting_world();
    covey_add(in, covey_create(in), Place, { 1, 2 });
    static unsigned char image[16384];
    size_t size = covey_save_to_memory(in, image, sizeof image, NULL, NULL);
    assert_true(size != 0 && size <= sizeof image);
    for (int i = 1; i < 40; i++) {
        test_fail_at(&heap, (uint32_t)i, false);
        covey_world *twin = covey_world_clone(in, NULL);
        test_fail_never(&heap);
        covey_world_destroy(twin);
        test_fail_at(&heap, (uint32_t)i, false);
        (void)covey_merge_from_memory(in, image, size, NULL, NULL);
        test_fail_never(&heap);
    }
    covey_world_destroy(in);
}

static void test_quiet_worlds_and_those_with_a_log_print_nothing(void **state) {
    (void)state;
    static char text[16384];
    printed_by(fail_quietly, text, sizeof text);
    assert_string_equal(text, "");
    printed_by(fail_with_a_log, text, sizeof text);
    assert_string_equal(text, "");
}
#endif

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_a_field_of_a_span_is_not_for_rows),
        WORLD_TEST(test_a_field_of_a_row_is_not_for_spans),
        WORLD_TEST(test_a_field_needs_covey_next),
        WORLD_TEST(test_a_row_begins_with_zeros),
        WORLD_TEST(test_a_structural_change_while_a_span_is_open_is_named),
        WORLD_TEST(test_one_component_less_and_one_more_are_two_changes),
        WORLD_TEST(test_a_component_that_another_entity_lost_while_a_row_was_visited_is_named),
        WORLD_TEST(test_a_field_that_was_removed_since_the_row_began_is_named),
        WORLD_TEST(test_a_pool_in_blocks_has_no_packed_arrays),
        WORLD_TEST(test_a_connection_belongs_to_its_world),
        WORLD_TEST(test_a_handle_without_room_is_left_out),
        WORLD_TEST(test_a_contract_names_the_call_and_a_pool_of_another_type_both_types),
        WORLD_TEST(test_a_channel_of_another_type_is_named_with_both_types),
#ifdef __unix__
        cmocka_unit_test(test_null_pools_of_typed_calls_are_named_with_the_line_of_the_caller),
        cmocka_unit_test(test_other_calls_of_null_pools_and_views_name_themselves),
        cmocka_unit_test(test_null_arguments_are_named),
        WORLD_TEST(test_null_arrays_fail),
        cmocka_unit_test(test_null_worlds_are_named_with_the_line_of_the_caller),
        cmocka_unit_test(test_a_world_without_a_log_prints_the_first_failures),
        WORLD_TEST(test_quiet_worlds_and_those_with_a_log_print_nothing),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

#else

int main(void) { return 0; } /* at level 0 nothing is checked */

#endif
