/* Lookups of worlds that go back, are copied, load, merge and follow: the answers are those of a scan afterwards. */
#include "fixture.h"
#include "scan.h"

#include <covey/history.h>
#include <covey/image.h>
#include <stdio.h>

typedef struct Held {
    covey_entity owner;
    double x, y;
    int32_t number;
    char name[6];
} Held;
COVEY_FIELDS_DEFINE(Held, entity(owner), f64(x), f64(y), i32(number), array(character, name));
typedef Held Block;
typedef Held Sparse;
typedef Held Place;
#define FIELDS .fields = &covey_fields_Held, .ticks = true
COVEY_COMPONENT_DEFINE(Block, FIELDS);
COVEY_COMPONENT_DEFINE(Sparse, FIELDS, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Place, FIELDS, .policy = COVEY_IN_PLACE);
enum { TYPES = 3, FIELDS_EACH = 4, COUNT = COVEY_INDEX_BITS > 16 ? 150 : 40 };
static const covey_type *const types[] = { covey_id(Block), covey_id(Sparse), covey_id(Place), NULL };

static test_random chance;
static covey_entity e[COUNT];

/* ---- Lookups -----------------------------------------------------------------------------------------------------*/

typedef struct lookups {
    scan fields[TYPES * FIELDS_EACH];
    covey_lookup *places[TYPES];
    covey_world *world;
} lookups;

static lookups look_up(covey_world *in, covey_target_end policy) {
    lookups l = { .world = in };
    for (uint32_t i = 0; i < TYPES; i++) {
        const covey_type *type = types[i];
        scan *at = &l.fields[i * FIELDS_EACH];
        covey_lookup_desc owner = { .type = type, .field = "owner", .when_target_ends = policy };
        covey_lookup_desc number = { .type = type, .field = "number", .ordered = i != 2 };
        covey_lookup_desc text = { .type = type, .field = "name" },
                          sorted = { .type = type, .field = "name", .ordered = true };
        at[0] = scan_create(in, owner, COVEY_KIND_ENTITY, offsetof(Held, owner), 0);
        at[1] = scan_create(in, number, COVEY_KIND_I32, offsetof(Held, number), 0);
        at[2] = scan_create(in, text, COVEY_KIND_CHAR, offsetof(Held, name), sizeof((Held *)0)->name);
        at[3] = scan_create(in, sorted, COVEY_KIND_CHAR, offsetof(Held, name), sizeof((Held *)0)->name);
        l.places[i] = covey_lookup_create(in, &(covey_lookup_desc){ .type = type, .place = { "x", "y" }, .cell = 3 });
        assert_non_null(l.places[i]);
    }
    return l;
}

static void assert_place(covey_lookup *lookup, covey_world *in) {
    double low[2] = { 2, 3 }, high[2] = { 9, 12 };
    const covey_type *type = covey_lookup_type(lookup);
    const found *all = find_all(covey_lookup_in_box(lookup, low, high));
    uint32_t count = 0;
    for (covey_entity at = covey_entity_next(in, COVEY_NULL); !covey_is_null(at); at = covey_entity_next(in, at)) {
        const Held *h = covey_get_raw(in, at, type);
        bool is = h && h->x >= 2 && h->x <= 9 && h->y >= 3 && h->y <= 12, was = false;
        for (uint32_t i = 0; i < all->count; i++) was = was || covey_same(all->e[i], at);
        assert_int_equal(is, was);
        count += is;
    }
    assert_int_equal(count, all->count);
}

static void all_scanned(const lookups *l) {
    for (uint32_t i = 0; i < COUNT_OF(l->fields); i++) assert_scanned(&l->fields[i]);
    for (uint32_t i = 0; i < TYPES; i++) assert_place(l->places[i], l->world);
}

/* A number for all answers, in their order: of worlds with the same content it is the same. */
static uint64_t digest(const lookups *l) {
    uint64_t sum = 1;
    for (uint32_t i = 0; i < TYPES; i++) {
        const scan *number = &l->fields[i * FIELDS_EACH + 1];
        for (int32_t k = 0; k < 10; k++) {
            const found *all = find_all(covey_lookup_find(number->lookup, &k));
            for (uint32_t n = 0; n < all->count; n++) sum = sum * 1000003 + all->e[n].index;
        }
        const found *sorted = find_all(covey_lookup_range(l->fields[i * FIELDS_EACH + 3].lookup, NULL, NULL));
        for (uint32_t n = 0; n < sorted->count; n++) sum = sum * 1000003 + sorted->e[n].index;
        const found *near = find_all(covey_lookup_near(l->places[i], (double[]){ 5, 5 }, 6));
        for (uint32_t n = 0; n < near->count; n++) sum = sum * 1000003 + near->e[n].index;
        covey_pairs pairs = covey_lookup_pairs(l->places[i], 2);
        while (covey_pairs_next(&pairs))
            for (uint32_t n = 0; n < pairs.count; n++)
                sum = (sum * 1000003 + pairs.a[n].index) * 1000003 + pairs.b[n].index;
    }
    return sum;
}

/* ---- Changes -----------------------------------------------------------------------------------------------------*/

static uint32_t below(uint32_t limit) { return test_below(&chance, limit); }

static Held random_held(void) {
    Held h = { .x = below(100) * 0.2, .y = below(100) * 0.2, .number = (int32_t)below(10) };
    if (below(4) != 0) h.owner = e[below(COUNT)];
    snprintf(h.name, sizeof h.name, "n%u", below(40));
    return h;
}

static void change_some(covey_world *in, uint32_t times) {
    for (uint32_t i = 0; i < times; i++) {
        covey_entity at = e[below(COUNT)];
        const covey_type *type = types[below(TYPES)];
        Held h = random_held();
        if (!covey_alive(in, at)) continue;
        switch (below(12)) {
        case 0: covey_remove_raw(in, at, type); break;
        case 1:
            if (COVEY_GENERATION_MAX > 100) covey_destroy(in, at);
            break;
        case 2: {
            covey_view view = covey_view_make(in, &(covey_view_desc){ .with = { type } });
            covey_iter it = covey_view_iter(&view);
            while (covey_next(&it)) ((Held *)covey_field_raw(&it, 0))[it.count - 1] = h;
            break;
        }
        case 3: covey_compact(in); break;
        case 4: covey_shrink(in); break;
        default: assert_non_null(covey_set_raw(in, at, type, &h));
        }
    }
    for (uint32_t i = 0; i < COUNT; i++)
        if (!covey_alive(in, e[i])) assert_false(covey_is_null(e[i] = covey_create(in)));
}

static void begin(uint32_t seed) {
    assert_int_equal(world_setup(NULL), 0);
    chance = (test_random){ seed };
    for (uint32_t i = 0; i < COUNT; i++) e[i] = covey_create(world);
}

/* ---- Going back --------------------------------------------------------------------------------------------------*/

static void test_going_back(void **state) {
    (void)state;
    for (uint32_t seed = 1; seed < 5; seed++) {
        begin(seed);
        covey_history *history = covey_history_create(world, 4);
        lookups l = look_up(world, (covey_target_end)(seed - 1));
        for (uint32_t round = 0; round < 10; round++) {
            change_some(world, 80);
            covey_entity before[COUNT];
            uint64_t sum = digest(&l);
            memcpy(before, e, sizeof e);
            assert_true(covey_history_save(history));
            change_some(world, 1 + below(200));
            if (round % 3 == 0) covey_clear_raw(world, types[round % TYPES]);
            if (round % 4 == 0) covey_destroy_all(world);
            if (round % 4 == 0) covey_shrink(world);
            if (round % 2 == 0) all_scanned(&l);
            assert_true(covey_history_restore(history, 0));
            memcpy(e, before, sizeof e);
            all_scanned(&l);
            assert_true(digest(&l) == sum);
        }
        covey_history_destroy(history);
        world_teardown(NULL);
    }
}

/* A lookup that was made after the snapshot stays, and one that has ended does not come back. */
static void test_lookups_made_after_a_snapshot(void **state) {
    (void)state;
    begin(3);
    covey_history *history = covey_history_create(world, 4);
    change_some(world, 100);
    covey_lookup *early = covey_lookup_create(world, &(covey_lookup_desc){ .type = types[0], .field = "number" });
    assert_true(covey_history_save(history));
    covey_lookup_destroy(early);
    lookups l = look_up(world, COVEY_TARGET_DESTROY);
    change_some(world, 100);
    assert_true(covey_history_restore(history, 0));
    all_scanned(&l);
    covey_history_destroy(history);
    world_teardown(NULL);
}

/* ---- Copies ------------------------------------------------------------------------------------------------------*/

static void test_clones_of_a_world(void **state) {
    (void)state;
    begin(4);
    lookups l = look_up(world, COVEY_TARGET_REMOVE);
    change_some(world, 300);
    covey_history *history = covey_history_create(world, 1);
    assert_true(covey_history_save(history));
    uint64_t sum = digest(&l);
    covey_world *copies[] = { covey_world_clone(world, NULL), covey_history_world(history, 0, NULL) };
    for (uint32_t i = 0; i < 2; i++) {
        assert_non_null(copies[i]);
        lookups twin = look_up(copies[i], COVEY_TARGET_REMOVE); /* clones have none */
        all_scanned(&twin);
        assert_true(digest(&twin) == sum);
        covey_world_destroy(copies[i]);
    }
    covey_history_destroy(history);
    world_teardown(NULL);
}

static covey_buffer save(covey_world *of) {
    covey_buffer image = { 0 };
    assert_int_equal(covey_save_to_buffer(of, &image, NULL, NULL), COVEY_OK);
    return image;
}

static void test_loading_into_a_world_with_lookups(void **state) {
    (void)state;
    begin(5);
    lookups l = look_up(world, COVEY_TARGET_KEEP);
    change_some(world, 300);
    covey_buffer image = save(world);
    covey_load_desc desc = { .types = types };
    uint64_t sum = digest(&l);
    covey_world *other = covey_world_create(NULL);
    lookups twin = look_up(other, COVEY_TARGET_CLEAR);
    assert_int_equal(covey_load_from_memory(other, image.bytes, image.size, &desc, NULL), COVEY_OK);
    all_scanned(&twin);
    assert_true(digest(&twin) == sum);
    covey_destroy_all(other);
    assert_int_equal(covey_lookup_size(twin.fields[0].lookup), 0);
    assert_int_equal(covey_load_from_memory(other, image.bytes, image.size, &desc, NULL), COVEY_OK);
    all_scanned(&twin);
    assert_true(digest(&twin) == sum);
    covey_world_destroy(other);
    covey_buffer_free(&image);
    world_teardown(NULL);
}

static void test_merging_into_a_world_with_lookups(void **state) {
    (void)state;
    begin(6);
    change_some(world, 200);
    covey_buffer image = save(world);
    lookups l = look_up(world, COVEY_TARGET_DESTROY);
    covey_load_desc desc = { .types = types };
    for (uint32_t i = 0; i < 3; i++) {
        assert_int_equal(covey_merge_from_memory(world, image.bytes, image.size, &desc, NULL), COVEY_OK);
        all_scanned(&l);
        change_some(world, 30);
    }
    covey_buffer_free(&image);
    world_teardown(NULL);
}

static void test_following_into_a_world_with_lookups(void **state) {
    (void)state;
    begin(7);
    covey_world *client = covey_world_create(NULL);
    covey_follower *follower = covey_follower_create(client);
    lookups here = look_up(world, COVEY_TARGET_CLEAR), there = look_up(client, COVEY_TARGET_KEEP);
    covey_load_desc desc = { .types = types };
    for (uint32_t i = 0; i < 10; i++) {
        change_some(world, 60);
        covey_buffer image = save(world);
        assert_int_equal(covey_follow_from_memory(follower, image.bytes, image.size, &desc, NULL), COVEY_OK);
        all_scanned(&here);
        all_scanned(&there);
        for (uint32_t k = 1; k < COUNT_OF(here.fields); k += FIELDS_EACH) /* stale owners are null there */
            assert_int_equal(covey_lookup_size(here.fields[k].lookup), covey_lookup_size(there.fields[k].lookup));
        covey_buffer_free(&image);
    }
    covey_follower_destroy(follower);
    covey_world_destroy(client);
    world_teardown(NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_going_back),
        cmocka_unit_test(test_lookups_made_after_a_snapshot),
        cmocka_unit_test(test_clones_of_a_world),
        cmocka_unit_test(test_loading_into_a_world_with_lookups),
        cmocka_unit_test(test_merging_into_a_world_with_lookups),
        cmocka_unit_test(test_following_into_a_world_with_lookups),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
