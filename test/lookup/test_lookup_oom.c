/* Lookups, with every allocation failing in turn. support/oom.h says what must hold; the validator compares what is
 * filed with a scan. */
#include "oom.h"
#include "scan.h"

#include <covey/history.h>
#include <covey/image.h>
#include <stdio.h>

typedef struct Held {
    covey_entity owner;
    double x, y;
    int32_t number;
    char name[12];
} Held;
COVEY_FIELDS_DEFINE(Held, entity(owner), f64(x), f64(y), i32(number), array(character, name));
typedef Held HeldSparse;
#define FIELDS .fields = &covey_fields_Held, .ticks = true
COVEY_COMPONENT_DEFINE(Held, FIELDS);
COVEY_COMPONENT_DEFINE(HeldSparse, FIELDS, .storage = COVEY_STORAGE_SPARSE);

static const covey_type *const types[] = { covey_id(Held), covey_id(HeldSparse) };
enum { TYPES = 2, LOOKUPS = 5 };

static covey_lookup_desc desc_of(const covey_type *type, uint32_t number) {
    const covey_lookup_desc all[LOOKUPS] = {
        { .type = type, .field = "owner", .when_target_ends = COVEY_TARGET_DESTROY },
        { .type = type, .field = "number", .ordered = true },
        { .type = type, .field = "name", .ordered = true },
        { .type = type, .field = "name" },
        { .type = type, .place = { "x", "y" }, .cell = 2 },
    };
    return all[number];
}

/* ---- Scenes ------------------------------------------------------------------------------------------------------*/

/* The harness compares bytes: handles of four bytes leave padding. */
static Held held(const scene *s, uint32_t number) {
    Held h;
    memset(&h, 0, sizeof h);
    h.owner = s->e[number % 3];
    h.x = number * 0.7;
    h.y = number % 5;
    h.number = (int32_t)number % 9;
    snprintf(h.name, sizeof h.name, "thing %u", number % 20);
    return h;
}

static void give(scene *s, covey_entity e, uint32_t number) {
    for (uint32_t i = 0; i < TYPES; i++) {
        Held h = held(s, number);
        assert_non_null(covey_add_raw(s->world, e, types[i], &h));
    }
}

/* Entity 8 is far from the others, and has nothing, as entity 7. */
static void plain_world(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
    for (uint32_t i = 3; i < 7; i++) give(s, s->e[i], i);
    for (uint32_t i = 0; i < 30; i++) give(s, covey_create(s->world), i);
}

static void one_world(scene *s) {
    plain_world(s);
    assert_non_null(covey_lookup_create(s->world, &(covey_lookup_desc){ .type = types[0], .field = "number" }));
}

/* What is filed, and what is still to be filed. */
static void looked_world(scene *s) {
    plain_world(s);
    for (uint32_t i = 0; i < TYPES; i++)
        for (uint32_t k = 0; k < LOOKUPS; k++) {
            covey_lookup_desc desc = desc_of(types[i], k);
            covey_lookup *lookup = covey_lookup_create(s->world, &desc);
            assert_non_null(lookup);
            covey_lookup_settle(lookup);
        }
    covey_shrink(s->world);
    for (uint32_t i = 0; i < TYPES; i++) {
        Held h = held(s, 50);
        assert_non_null(covey_set_raw(s->world, s->e[4], types[i], &h));
    }
}

static void saved_world(scene *s) {
    looked_world(s);
    s->history = covey_history_create(s->world, 2);
    assert_true(s->history && covey_history_save(s->history));
}

/* All is gone, and so is the memory. */
static void emptied_world(scene *s) {
    saved_world(s);
    covey_destroy_all(s->world);
    covey_compact(s->world);
    covey_shrink(s->world);
}

static unsigned char image[1 << 16];
static size_t image_size;

static void merged_world(scene *s) {
    looked_world(s);
    image_size = covey_save_to_memory(s->world, image, sizeof image, NULL, NULL);
    assert_true(image_size != 0 && image_size < sizeof image);
}

static void fewer_world(scene *s) {
    looked_world(s);
    for (uint32_t i = 4; i < 25; i++) covey_destroy(s->world, covey_entity_next(s->world, s->e[i % 3]));
}

/* ---- Operations --------------------------------------------------------------------------------------------------*/

static bool create_number(scene *s, uint32_t type, uint32_t number) {
    covey_lookup_desc desc = desc_of(types[type], number);
    covey_lookup *lookup = covey_lookup_create(s->world, &desc);
    if (!lookup) return false;
    assert_true(covey_lookup_size(lookup) != 0);
    scene_is_valid(s);
    covey_lookup_destroy(lookup);
    return true;
}
static bool create_target(scene *s) { return create_number(s, 0, 0); }
static bool create_ordered(scene *s) { return create_number(s, 1, 1); }
static bool create_ordered_text(scene *s) { return create_number(s, 0, 2); }
static bool create_text(scene *s) { return create_number(s, 1, 3); }
static bool create_place(scene *s) { return create_number(s, 0, 4); }

static bool add_to(scene *s, covey_entity e, uint32_t type) {
    Held h = held(s, 77);
    return covey_add_raw(s->world, e, types[type], &h) != NULL;
}
static bool add_near(scene *s) { return add_to(s, s->e[7], 0); }
static bool add_near_sparse(scene *s) { return add_to(s, s->e[7], 1); }
static bool add_far(scene *s) { return add_to(s, s->e[8], 0); }
static bool add_far_sparse(scene *s) { return add_to(s, s->e[8], 1); }

static bool add_array_to(scene *s, uint32_t type) {
    covey_entity some[] = { s->e[8], s->e[0], s->e[7], s->e[1] };
    Held values[4];
    for (uint32_t i = 0; i < 4; i++) values[i] = held(s, 60 + i);
    return covey_add_array_raw(s->world, some, 4, types[type], values);
}
static bool add_array(scene *s) { return add_array_to(s, 0); }
static bool add_array_sparse(scene *s) { return add_array_to(s, 1); }
static bool add_copies(scene *s) {
    covey_entity some[] = { s->e[0], s->e[1], s->e[7] };
    Held h = held(s, 80);
    return covey_add_copies_raw(s->world, some, 3, types[0], &h);
}
static bool create_with(scene *s) {
    Held a = held(s, 30), b = held(s, 31);
    const covey_component of[] = { { .type = types[0], .value = &a }, { .type = types[1], .value = &b }, { 0 } };
    return !covey_is_null(covey_create_with_raw(s->world, of));
}
static bool create_many_with(scene *s) {
    covey_entity made[20];
    Held a = held(s, 30), b = held(s, 31);
    const covey_component of[] = { { .type = types[0], .value = &a }, { .type = types[1], .value = &b }, { 0 } };
    return covey_create_many_with_raw(s->world, made, 20, of);
}
static bool clone(scene *s) {
    covey_entity clones[5];
    return covey_clone(s->world, s->e[3], clones, 5);
}
static bool copy(scene *s) { return covey_copy(s->world, s->e[3], s->e[7]); }
static bool convert(scene *s) {
    return covey_pool_convert(covey_pool_find(s->world, HeldSparse), COVEY_STORAGE_BLOCK) == COVEY_OK;
}
static bool restore(scene *s) { return covey_history_restore(s->history, 0); }
static bool merge(scene *s) {
    covey_load_desc desc = { .types = (const covey_type *const[]){ types[0], types[1], NULL } };
    return covey_merge_from_memory(s->world, image, image_size, &desc, NULL) == COVEY_OK;
}
static bool shrink(scene *s) {
    covey_shrink(s->world);
    return true;
}

static const operation fail[] = {
    { "covey_lookup_create, of targets", plain_world, create_target },
    { "covey_lookup_create, ordered", plain_world, create_ordered },
    { "covey_lookup_create, of ordered texts", plain_world, create_ordered_text },
    { "covey_lookup_create, of texts", plain_world, create_text },
    { "covey_lookup_create, of places", plain_world, create_place },
    { "covey_lookup_create, another one", one_world, create_target },
    { "covey_lookup_create, another ordered one", looked_world, create_ordered },
    { "covey_add, near", looked_world, add_near },
    { "covey_add, near, sparse", looked_world, add_near_sparse },
    { "covey_add, far", looked_world, add_far },
    { "covey_add, far, sparse", looked_world, add_far_sparse },
    { "covey_add_array", looked_world, add_array },
    { "covey_add_array, sparse", looked_world, add_array_sparse },
    { "covey_add_copies", looked_world, add_copies },
    { "covey_create_with", looked_world, create_with },
    { "covey_create_many_with", looked_world, create_many_with },
    { "covey_clone", looked_world, clone },
    { "covey_copy", looked_world, copy },
    { "covey_pool_convert", looked_world, convert },
    { "covey_history_restore", saved_world, restore },
    { "covey_history_restore, of all", emptied_world, restore },
    { "covey_merge_from_memory", merged_world, merge },
};

static const operation survive[] = {
    { "covey_shrink", fewer_world, shrink },
    { "covey_shrink, of nothing", emptied_world, shrink },
};

/* ---- Without memory ----------------------------------------------------------------------------------------------*/

static bool remove_some(scene *s) {
    for (uint32_t i = 0; i < TYPES; i++) covey_remove_raw(s->world, s->e[5], types[i]);
    return true;
}
static bool set_some(scene *s) {
    for (uint32_t i = 0; i < TYPES; i++)
        for (uint32_t k = 3; k < 7; k++) {
            Held h = held(s, 90 + k);
            assert_non_null(covey_set_raw(s->world, s->e[k], types[i], &h));
        }
    scene_is_valid(s);
    return true;
}
/* Destroys all of their sources, too. */
static bool destroy_targets(scene *s) {
    for (uint32_t i = 0; i < 3; i++) covey_destroy(s->world, s->e[i]);
    return true;
}
static bool destroy_all(scene *s) {
    covey_destroy_all(s->world);
    return true;
}

static const operation quiet[] = {
    { "covey_remove", looked_world, remove_some },
    { "covey_set", looked_world, set_some },
    { "covey_destroy", looked_world, destroy_targets },
    { "covey_destroy_all", looked_world, destroy_all },
};

int main(void) {
    ADD_TRIALS(fail, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(survive, COVEY_SWAP_AND_POP, SURVIVES_FAILURES);
    ADD_TRIALS(quiet, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    return run_trials();
}
