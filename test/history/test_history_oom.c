/* Histories, with every allocation failing in turn. support/oom.h says what must hold. */
#include "churn.h"
#include "oom.h"

#include <covey/commands.h>
#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <covey/lookup.h>

typedef struct Plain {
    uint32_t a, b;
} Plain;
typedef Plain Fixed;
typedef Plain Kept;
typedef Plain Sorted;
typedef Plain Block;
typedef Plain Late;
typedef Plain Pin;
typedef Plain Ticked;
COVEY_COMPONENT_DEFINE(Plain, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Fixed, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Kept, .policy = COVEY_SWAP_ONLY);
COVEY_COMPONENT_DEFINE(Sorted, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(Block);
COVEY_COMPONENT_DEFINE(Late);
COVEY_COMPONENT_DEFINE(Pin, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(Ticked, .ticks = true);
typedef struct Placed {
    uint32_t at;
} Placed;
COVEY_FIELDS_DEFINE(Placed, u32(at));
COVEY_COMPONENT_DEFINE(Placed, .fields = &covey_fields_Placed, .ticks = true);
COVEY_TAG_DEFINE(Marked);

static const covey_type *const types[] = { covey_id(Plain), covey_id(Fixed), covey_id(Kept),  covey_id(Sorted),
                                           covey_id(Block), covey_id(Pin),   covey_id(Ticked) };
enum { TYPES = sizeof types / sizeof *types };

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

static void add_counted(scene *s, covey_entity e, const covey_type *type, uint32_t number) {
    Counted value = counted_make(number);
    assert_non_null(covey_add_raw(s->world, e, type, &value));
}

static void give_everything(scene *s, covey_entity e, uint32_t number) {
    for (uint32_t k = 0; k < TYPES; k++) assert_non_null(covey_add_raw(s->world, e, types[k], &(Plain){ number, k }));
    assert_true(covey_add_tag(s->world, e, Marked));
    add_counted(s, e, covey_id(Counted), number);
    add_counted(s, e, covey_id(CountedBlock), number);
}

static void name(scene *s, covey_entity e, const char *text) {
    assert_int_equal(covey_name_set(s->world, e, text), COVEY_OK);
}

/* Something of all that a snapshot has. Entity 8 is far from the others. */
static void full_world(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
    s->range = covey_range_reserve(s->world, 50 * COVEY_PAGE_SIZE, 4);
    for (uint32_t i = 0; i < 9; i += 2) give_everything(s, s->e[i], i);
    assert_int_equal(covey_parent_set(s->world, s->e[1], s->e[8]), COVEY_OK);
    name(s, s->e[8], "ship");
    name(s, s->e[1], "gun");
    assert_int_equal(covey_disable(s->world, s->e[2]), COVEY_OK);
    assert_int_equal(covey_component_disable_raw(s->world, s->e[8], covey_id(Block)), COVEY_OK);
    Counted value = counted_make(50);
    assert_non_null(covey_resource_set_raw(s->world, covey_id(Counted), &value));
    assert_non_null(covey_resource_set_raw(s->world, covey_id(Block), NULL));
    assert_true(covey_destroy(s->world, s->e[4]));
    assert_true(churn_fill(s->world));
    s->history = covey_history_create(s->world, 2);
    assert_non_null(s->history);
}

static void listened_world(scene *s) {
    full_world(s);
    covey_queue *queue = covey_queue_create(s->world);
    covey_listener listener = { .type = covey_id(Block), .signals = COVEY_ON_REMOVE | COVEY_ON_ADD, .queue = queue };
    assert_true(covey_connect(s->world, &listener).number != 0);
    covey_remove(s->world, s->e[0], Block);
    assert_non_null(covey_group_create(s->world, &(covey_group_desc){ .with = { covey_id(Block), covey_id(Fixed) } }));
    assert_non_null(covey_group_create(s->world, &(covey_group_desc){ .own = { covey_id(Plain) } }));
    assert_non_null(covey_reactive_create(s->world, &(covey_reactive_desc){ .added = { covey_id(Pin) } }));
}

/* What keeps ids, handles and values: a buffer, a queue with values, a reactive set of the destroyed, and a lookup. */
static void keeping_world(scene *s) {
    listened_world(s);
    assert_non_null(covey_commands_create(s->world, &(covey_commands_desc){ .entities = 5 }));
    covey_queue *queue = covey_queue_create(s->world);
    covey_listener listener = { .type = covey_id(Late), .signals = COVEY_ON_ADD, .queue = queue, .values = true };
    assert_true(covey_connect(s->world, &listener).number != 0);
    const covey_reactive_desc ended = { .removed = { covey_id(Late) }, .keep_destroyed = true };
    assert_non_null(covey_reactive_create(s->world, &ended));
    assert_non_null(covey_lookup_create(s->world, &(covey_lookup_desc){ .type = covey_id(Placed), .field = "at" }));
    for (uint32_t i = 0; i < 3; i++)
        assert_non_null(covey_add(s->world, covey_create_at(s->world, (i + 1) * COVEY__BLOCK_PAGE + 3), Placed, { i }));
    assert_non_null(covey_add(s->world, s->e[0], Late, { 1, 2 }));
    assert_true(covey_destroy(s->world, s->e[0]));
}

static bool save(scene *s) { return covey_history_save(s->history); }
static bool restore(scene *s) { return covey_history_restore(s->history, 0); }

/* A little is different from the snapshot before. */
static void saved_world(scene *s) {
    listened_world(s);
    assert_true(save(s));
    covey_get(s->world, s->e[8], Block)->a = 77;
    name(s, s->e[0], "sail");
}

/* All is gone, and so is the memory. */
static void emptied_world(scene *s) {
    listened_world(s);
    assert_true(save(s));
    covey_destroy_all(s->world);
    covey_clear_components(s->world);
    while (covey_world_resource_count(s->world) != 0)
        covey_resource_remove_raw(s->world, covey_world_resource(s->world, 0));
    covey_compact(s->world);
    covey_shrink(s->world);
}

/* What was not there is there, and has to be made for what comes back. */
static void extended_world(scene *s) {
    full_world(s);
    assert_true(save(s));
    covey_destroy_all(s->world);
    covey_compact(s->world);
    covey_shrink(s->world);
    covey_queue *queue = covey_queue_create(s->world);
    covey_listener listener = { .type = covey_id(Block), .signals = COVEY_ON_REMOVE, .queue = queue };
    assert_true(covey_connect(s->world, &listener).number != 0);
    assert_non_null(covey_group_create(s->world, &(covey_group_desc){ .with = { covey_id(Block), covey_id(Fixed) } }));
    assert_non_null(covey_group_create(s->world, &(covey_group_desc){ .own = { covey_id(Plain) } }));
    assert_non_null(covey_reactive_create(s->world, &(covey_reactive_desc){ .added = { covey_id(Pin) } }));
    assert_non_null(covey_add(s->world, covey_create(s->world), Late, { 1, 2 }));
}

static void converted_world(scene *s) {
    full_world(s);
    assert_int_equal(covey_pool_convert(covey_pool_find(s->world, Counted), COVEY_STORAGE_BLOCK), COVEY_OK);
    assert_true(save(s));
    assert_int_equal(covey_pool_convert(covey_pool_find(s->world, Plain), COVEY_STORAGE_BLOCK), COVEY_OK);
    assert_int_equal(covey_pool_convert(covey_pool_find(s->world, Block), COVEY_STORAGE_SPARSE), COVEY_OK);
    assert_int_equal(covey_pool_convert(covey_pool_find(s->world, Counted), COVEY_STORAGE_SPARSE), COVEY_OK);
    covey_destroy(s->world, s->e[0]);
}

/* All that was kept is gone. */
static void released_world(scene *s) {
    keeping_world(s);
    assert_true(save(s));
    covey_destroy_all(s->world);
    covey_compact(s->world);
    covey_shrink(s->world);
}

/* A page of ticks has fewer blocks than the snapshot. */
static void scattered_world(scene *s) {
    full_world(s);
    for (uint32_t i = 1; i < 3; i++) give_everything(s, covey_create_at(s->world, (i + 4) * COVEY__BLOCK_IDS), i);
    assert_true(save(s));
    covey_clear_raw(s->world, covey_id(Ticked));
    covey_shrink(s->world);
    assert_non_null(covey_add(s->world, s->e[0], Ticked, { 1, 2 }));
}

/* Making a world from a snapshot, and destroying it, leaves nothing behind. */
static bool look(scene *s) {
    covey_world *twin = covey_history_world(s->history, 0, NULL);
    if (!twin) return false;
    test_world_is_valid(twin);
    covey_world_destroy(twin);
    return true;
}

static bool create(scene *s) {
    covey_history *made = covey_history_create(s->world, 4);
    covey_history_destroy(made);
    return made != NULL;
}

static const operation operations[] = {
    { "covey_history_create", full_world, create },
    { "covey_history_save, the first", listened_world, save },
    { "covey_history_save, of what is kept", keeping_world, save },
    { "covey_history_restore, of what was kept", released_world, restore },
    { "covey_history_save, the second", saved_world, save },
    { "covey_history_restore, with a change", saved_world, restore },
    { "covey_history_restore, of all", emptied_world, restore },
    { "covey_history_restore, with more around", extended_world, restore },
    { "covey_history_restore, of storages", converted_world, restore },
    { "covey_history_restore, of scattered ticks", scattered_world, restore },
    { "covey_history_world", saved_world, look },
    { "covey_history_world, of what is gone", emptied_world, look },
    { "covey_history_world, with more around", extended_world, look },
    { "covey_history_world, of storages", converted_world, look },
    { "covey_history_world, of scattered ticks", scattered_world, look },
};

int main(void) {
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    return run_trials();
}
