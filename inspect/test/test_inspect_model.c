/* Random edits, half of them invalid, against a naive model. After each, the world is valid and equal to the model; an
 * edit that is refused or undone leaves it unchanged. */
#include "bare.h"
#include "stage.h"

#include <stdio.h>
#include <stdlib.h>

enum { PLACES = 12, TYPES = 4 };
static const char *const type_names[TYPES] = { "Position", "Health", "Frozen", "Blob" };
static const covey_type *types[TYPES];

/* The model of an entity. */
typedef struct being {
    covey_entity e; /* null: none */
    bool disabled, has[TYPES], off[TYPES];
    int32_t x, points;
    int parent; /* a place, or -1 */
    char name[8];
} being;

static being beings[PLACES];
static covey_inspector *bare;
static test_random numbers;

static uint32_t below(uint32_t limit) { return test_below(&numbers, limit); }

/* ---- Comparison ---------------------------------------------------------------------------------------------------*/

static void compare_components(const being *b) {
    for (int t = 0; t < TYPES; t++) {
        assert_int_equal(covey_has_raw(world, b->e, types[t]), b->has[t]);
        assert_int_equal(covey_component_is_enabled_raw(world, b->e, types[t]), b->has[t] && !b->off[t]);
    }
    if (b->has[0]) assert_true(covey_get(world, b->e, Position)->x == (float)b->x);
    if (b->has[1]) assert_int_equal(covey_get(world, b->e, Health)->points, b->points);
}

static void compare(void) {
    uint32_t alive = 0;
    test_world_is_valid(world);
    for (int i = 0; i < PLACES; i++) {
        const being *b = &beings[i];
        if (covey_is_null(b->e)) continue;
        alive++;
        assert_true(covey_alive(world, b->e));
        assert_int_equal(covey_is_enabled(world, b->e), !b->disabled);
        const char *name = covey_name(world, b->e);
        assert_string_equal(name ? name : "", b->name);
        assert_same(covey_parent(world, b->e), b->parent < 0 ? (covey_entity){ 0 } : beings[b->parent].e);
        compare_components(b);
    }
    assert_int_equal(covey_entity_count(world), alive);
}

/* ---- Requests -----------------------------------------------------------------------------------------------------*/

static int64_t last_undo;
static char created[32];

/* Makes an edit; returns the status, and keeps the number to take it back with. */
static unsigned edit(const char *path, const char *body) {
    char target[16];
    snprintf(target, sizeof target, "%s", path);
    inspect__request *request = bare_ask(bare, "POST", target, body, strlen(body));
    assert_non_null(request);
    unsigned status = request->status;
    json_t *answer = json_loadb(request->json.bytes, request->json.length, 0, NULL);
    const char *e = json_string_value(json_object_get(answer, "e"));
    snprintf(created, sizeof created, "%s", e ? e : "");
    last_undo = status == 200 ? json_integer_value(json_object_get(answer, "undo")) : 0;
    json_decref(answer);
    inspect__request_destroy(request);
    return status;
}

/* A handle of no living entity: its index was never used, or its entity was destroyed. */
static covey_entity dead_handle(int place) {
    uint32_t index = 90 + (uint32_t)place;
    for (int i = 0; i < PLACES; i++)
        if (covey_same(beings[i].e, entity(index, 1))) {
            index += PLACES;
            i = -1;
        }
    return entity(index, 1);
}

static void handle_of(char *text, size_t size, int place) {
    covey_entity e = beings[place].e;
    covey_entity_print(text, size, covey_is_null(e) ? dead_handle(place) : e);
}

/* ---- The model: whether an edit is valid, and what it changes -------------------------------------*/

static bool alive(int place) { return !covey_is_null(beings[place].e); }

static bool is_below(int place, int root) {
    for (; place >= 0; place = beings[place].parent)
        if (place == root) return true;
    return false;
}

/* Whether a sibling has the same name. */
static bool name_taken(int place, int parent, const char *name) {
    for (int i = 0; i < PLACES; i++)
        if (i != place && alive(i) && beings[i].parent == parent && *name && strcmp(beings[i].name, name) == 0)
            return true;
    return false;
}

static bool do_set(int place, int32_t value, char *body, size_t size, const char *handle) {
    bool health = below(2);
    snprintf(body, size, "{\"do\":\"set\",\"e\":\"%s\",\"type\":\"%s\",\"path\":\"%s\",\"value\":%d}", handle,
             type_names[health], health ? "points" : "x", value);
    if (!alive(place) || !beings[place].has[health]) return false;
    if (health) beings[place].points = value;
    else beings[place].x = value;
    return true;
}

static bool do_add(int place, int32_t value, char *body, size_t size, const char *handle) {
    int t = (int)below(TYPES);
    snprintf(body, size, "{\"do\":\"add\",\"e\":\"%s\",\"type\":\"%s\"", handle, type_names[t]);
    size_t length = strlen(body);
    if (t < 2) snprintf(body + length, size - length, ",\"value\":{\"%s\":%d}}", t ? "points" : "x", value);
    else snprintf(body + length, size - length, "}");
    being *b = &beings[place];
    if (!alive(place) || b->has[t]) return false;
    b->has[t] = true;
    b->off[t] = false;
    if (t == 0) b->x = value;
    if (t == 1) b->points = value;
    return true;
}

static bool do_remove(int place, int32_t value, char *body, size_t size, const char *handle) {
    int t = (int)below(TYPES);
    (void)value;
    snprintf(body, size, "{\"do\":\"remove\",\"e\":\"%s\",\"type\":\"%s\"}", handle, type_names[t]);
    if (!alive(place) || !beings[place].has[t]) return false;
    beings[place].has[t] = beings[place].off[t] = false;
    return true;
}

static bool do_enable(int place, int32_t value, char *body, size_t size, const char *handle) {
    int t = (int)below(TYPES + 2);
    bool on = value & 1;
    snprintf(body, size, "{\"do\":\"%s\",\"e\":\"%s\"", on ? "enable" : "disable", handle);
    size_t length = strlen(body);
    if (t < TYPES) snprintf(body + length, size - length, ",\"type\":\"%s\"}", type_names[t]);
    else snprintf(body + length, size - length, "}");
    if (!alive(place) || (t < TYPES && !beings[place].has[t])) return false;
    if (t < TYPES) beings[place].off[t] = !on;
    else beings[place].disabled = !on;
    return true;
}

static bool do_rename(int place, int32_t value, char *body, size_t size, const char *handle) {
    char name[8] = "";
    if (value % 4) snprintf(name, sizeof name, "n%d", (value & 0xFFFF) % 6);
    snprintf(body, size, "{\"do\":\"rename\",\"e\":\"%s\",\"name\":\"%s\"}", handle, name);
    if (!alive(place) || name_taken(place, beings[place].parent, name)) return false;
    memcpy(beings[place].name, name, sizeof name);
    return true;
}

static bool do_parent(int place, int32_t value, char *body, size_t size, const char *handle) {
    int parent = (int)below(PLACES + 2);
    char other[32] = "null";
    (void)value;
    if (parent >= PLACES) parent = -1;
    else handle_of(other, sizeof other, parent);
    snprintf(body, size,
             parent < 0 ? "{\"do\":\"parent\",\"e\":\"%s\",\"parent\":%s}"
                        : "{\"do\":\"parent\",\"e\":\"%s\",\"parent\":\"%s\"}",
             handle, other);
    being *b = &beings[place];
    if (!alive(place) || (parent >= 0 && (!alive(parent) || is_below(parent, place)))) return false;
    if (parent != b->parent && name_taken(place, parent, b->name)) return false;
    b->parent = parent;
    return true;
}

typedef bool do_fn(int place, int32_t value, char *body, size_t size, const char *handle);
static do_fn *const actions[] = { do_set, do_set, do_add, do_add, do_remove, do_enable, do_rename, do_parent };

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void create(int place) {
    unsigned status = edit("edit", "{\"do\":\"create\"}");
    if (status != 200) return; /* the hard configuration can run out of indices */
    beings[place] = (being){ .parent = -1 };
    assert_true(inspect__entity_read(created, &beings[place].e));
}

/* Children become roots, and lose their name if a root has it already. */
static void destroy(int place) {
    char body[64], handle[32];
    handle_of(handle, sizeof handle, place);
    snprintf(body, sizeof body, "{\"do\":\"destroy\",\"e\":\"%s\"}", handle);
    assert_int_equal(edit("edit", body), 200);
    beings[place].e = (covey_entity){ 0 };
    for (int i = 0; i < PLACES; i++) {
        if (!alive(i) || beings[i].parent != place) continue;
        beings[i].parent = -1;
        if (!covey_name(world, beings[i].e))
            beings[i].name[0] = '\0'; /* the order of children decides which one keeps it */
    }
}

/* ---- Steps --------------------------------------------------------------------------------------------------------*/

static void step(void) {
    int place = (int)below(PLACES);
    char body[256], handle[32], undo[64];
    being before[PLACES];
    handle_of(handle, sizeof handle, place);
    memcpy(before, beings, sizeof before);
    if (!alive(place) && below(3) == 0) create(place);
    else if (alive(place) && below(40) == 0) destroy(place);
    else {
        bool right = actions[below(sizeof actions / sizeof *actions)](place, (int32_t)below(200) - 100, body,
                                                                      sizeof body, handle);
        unsigned status = edit("edit", body);
        if (right != (status == 200)) print_message("%s: %u\n", body, status);
        assert_int_equal(status == 200, right);
        if (!right) assert_int_equal(status, 409);
        if (right && last_undo != 0 && below(2)) {
            compare();
            snprintf(undo, sizeof undo, "{\"undo\":%lld}", (long long)last_undo);
            assert_int_equal(edit("undo", undo), 200);
            memcpy(beings, before, sizeof before);
        }
    }
    compare();
}

static void test_random_edits_agree_with_a_model(void **state) {
    (void)state;
    static const covey_type *const all[TYPES] = { covey_id(Position), covey_id(Health), covey_id(Frozen),
                                                  covey_id(Blob) };
    memcpy(types, all, sizeof types);
    stage_types();
    memset(beings, 0, sizeof beings);
    numbers = (test_random){ 42 };
    test_heap own = { 0 };
    bare = bare_open(world, &(covey_inspect_desc){ .write = true, .allocator = test_allocator(&own) });
    for (uint64_t i = 0; i < test_scaled(20000); i++) step();
    bare_close(bare);
    assert_int_equal(own.bytes, 0);
}

/* Makes allocations fail in the inspector and in the world: the edit is refused or done completely. */
static void try_without_memory(test_heap *fails, const char *body, bool for_good) {
    bool failed = true;
    for (uint64_t at = 1; failed; at++) {
        covey_world_destroy(world);
        heap = (test_heap){ 0 };
        world = bare_world(test_allocator(&heap));
        inspector_heap = (test_heap){ 0 };
        bare = bare_open(world, &(covey_inspect_desc){ .write = true, .allocator = test_allocator(&inspector_heap) });
        uint64_t before = world_digest(world);
        char target[] = "edit";
        test_fail_at(fails, at, for_good);
        inspect__request *request = bare_ask(bare, "POST", target, body, strlen(body));
        failed = fails->failed;
        test_fail_never(fails);
        if (request && request->status != 200) {
            assert_int_equal(request->status, 500);
            if (!strstr(body, "create") && !strstr(body, "duplicate")) assert_true(world_digest(world) == before);
        }
        assert_true(failed || (request && request->status == 200));
        test_world_is_valid(world);
        inspect__request_destroy(request);
        bare_close(bare);
        assert_int_equal(inspector_heap.bytes, 0);
    }
}

static void test_edits_without_memory(void **state) {
    (void)state;
    static const char *const bodies[] = {
        "{\"do\":\"set\",\"e\":\"1:1\",\"type\":\"Everything\",\"value\":{\"i8\":3,\"text\":\"abc\"}}",
        "{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Everything\",\"value\":{\"i8\":3}}",
        "{\"do\":\"add\",\"e\":\"0:1\",\"type\":\"Health\"}",
        "{\"do\":\"remove\",\"e\":\"1:1\",\"type\":\"Health\"}",
        "{\"do\":\"disable\",\"e\":\"1:1\"}",
        "{\"do\":\"disable\",\"e\":\"1:1\",\"type\":\"Health\"}",
        "{\"do\":\"create\",\"name\":\"x\",\"parent\":\"0:1\"}",
        "{\"do\":\"duplicate\",\"e\":\"1:1\"}",
        "{\"do\":\"rename\",\"e\":\"7:1\",\"name\":\"a name that takes some bytes of its own\"}",
        "{\"do\":\"parent\",\"e\":\"11:1\",\"parent\":\"2:1\"}",
        "{\"do\":\"resource\",\"type\":\"Health\",\"path\":\"points\",\"value\":3}",
        "{\"do\":\"destroy\",\"e\":\"1:1\"}",
    };
    for (uint32_t i = 0; i < COUNT_OF(bodies); i++)
        for (int for_good = 0; for_good < 2; for_good++) {
            try_without_memory(&inspector_heap, bodies[i], for_good != 0);
            try_without_memory(&heap, bodies[i], for_good != 0);
        }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        WORLD_TEST(test_random_edits_agree_with_a_model),
        WORLD_TEST(test_edits_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
