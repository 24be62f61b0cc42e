/* Every function that works on a world, with every allocation failing in turn. support/oom.h says what must hold. */
#include "change/kind.h"
#include "memory/inner.h"
#include "oom.h"

#include <covey/commands.h>

typedef struct Plain {
    uint32_t a, b;
} Plain;
typedef Plain Fixed;
typedef Plain Kept;
typedef Plain Sorted;
typedef Plain Late; /* the world does not know it */
COVEY_COMPONENT_DEFINE(Plain, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Fixed, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(Kept, .policy = COVEY_SWAP_ONLY);
COVEY_COMPONENT_DEFINE(Sorted, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(Late, .storage = COVEY_STORAGE_SPARSE);
typedef Plain Block;
typedef Plain LateBlock;
COVEY_COMPONENT_DEFINE(Block);
COVEY_COMPONENT_DEFINE(LateBlock);
typedef Plain Pin;
typedef Plain LatePin;
COVEY_COMPONENT_DEFINE(Pin, .storage = COVEY_STORAGE_PINNED);
COVEY_COMPONENT_DEFINE(LatePin, .storage = COVEY_STORAGE_PINNED);
COVEY_TAG_DEFINE(BlockTag);
COVEY_TAG_DEFINE(Marked, .storage = COVEY_STORAGE_SPARSE);
COVEY_TAG_DEFINE(LateTag, .storage = COVEY_STORAGE_SPARSE);

typedef struct Wide {
    uint32_t numbers[64];
} Wide;
static bool copy_wide(void *to, const void *from, void *context) {
    (void)context;
    memcpy(to, from, sizeof(Wide));
    return true;
}
static const Wide wide_default = { { 1, 2, 3 } };
COVEY_COMPONENT_DEFINE(Wide, .copy = copy_wide, .defaults = &wide_default);

/* ---- Scenes -------------------------------------------------------------------------------------------------------*/

static void nothing(scene *s) { (void)s; }

static void empty_world(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    assert_non_null(s->world);
}

static void world_with_buffer(scene *s) {
    empty_world(s);
    assert_non_null(covey_commands_create(s->world, NULL));
}

/* Arrays without room to spare, and free indices: 3 and 6 are dead. 8 is far from the others and has no component. */
static void busy_world(scene *s) {
    empty_world(s);
    for (uint32_t i = 0; i < 8; i++) s->e[i] = covey_create(s->world);
    s->e[8] = covey_create_at(s->world, 40 * COVEY_PAGE_SIZE);
    for (uint32_t i = 0; i < 4; i++) {
        Counted value = counted_make(i);
        assert_non_null(covey_add(s->world, s->e[i], Plain, { i, i }));
        assert_non_null(covey_add(s->world, s->e[i], Fixed, { i, i + 1 }));
        assert_non_null(covey_add(s->world, s->e[i], Kept, { i, i + 2 }));
        assert_non_null(covey_add(s->world, s->e[i], Sorted, { i, i + 3 }));
        assert_non_null(covey_add_value(s->world, s->e[i], Counted, &value));
        assert_true(covey_add_tag(s->world, s->e[i], Marked));
    }
    assert_true(covey_destroy(s->world, s->e[6]));
    assert_true(covey_destroy(s->world, s->e[3]));
    covey_compact(s->world);
    covey_shrink(s->world);
}

/* A full chunk in the block of the first entities, and none where entity 8 is. */
static void world_with_blocks(scene *s) {
    busy_world(s);
    for (uint32_t i = 0; i < 3; i++) {
        CountedBlock value = counted_make(10 + i);
        assert_non_null(covey_add(s->world, s->e[i], Block, { i, i + 4 }));
        assert_non_null(covey_add_value(s->world, s->e[i], CountedBlock, &value));
        assert_true(covey_add_tag(s->world, s->e[i], BlockTag));
    }
    CountedBlock value = counted_make(14);
    assert_non_null(covey_add(s->world, s->e[4], Block, { 4, 8 }));
    assert_non_null(covey_add_value(s->world, s->e[4], CountedBlock, &value));
    covey_compact(s->world);
}

/* Slabs without room, none of them where entity 8 is; and a slab of another type without anything. */
static void world_with_pins(scene *s) {
    busy_world(s);
    for (uint32_t i = 0; i < 3; i++) {
        CountedPinned value = counted_make(20 + i);
        assert_non_null(covey_add(s->world, s->e[i], Pin, { i, i + 5 }));
        assert_non_null(covey_add_value(s->world, s->e[i], CountedPinned, &value));
    }
    covey_shrink(s->world);
    assert_non_null(covey_add(s->world, s->e[5], Block, { 5, 5 }));
    assert_true(covey_remove(s->world, s->e[5], Block));
}

/* A block that is larger than what it holds, one that is nearly full, and a directory page that holds nothing. */
static void world_with_loose_blocks(scene *s) {
    world_with_blocks(s);
    covey_entity many[20], full[128];
    assert_true(covey_create_many(s->world, many, 20));
    for (uint32_t i = 0; i < 20; i++) assert_non_null(covey_add(s->world, many[i], Block, { i, 20 }));
    for (uint32_t i = 0; i < 18; i++) assert_true(covey_remove(s->world, many[i], Block));
    assert_true(covey_create_many(s->world, full, 128));
    for (uint32_t i = 0; i < 128; i++)
        if (full[i].index / COVEY__BLOCK_IDS == 1 && full[i].index % COVEY__BLOCK_IDS < 45)
            assert_non_null(covey_add(s->world, full[i], Block, { i, 21 }));
    assert_non_null(covey_add(s->world, s->e[8], Block, { 8, 8 }));
    assert_true(covey_remove(s->world, s->e[8], Block));
}

static void world_with_range(scene *s) {
    busy_world(s);
    s->range = covey_range_reserve(s->world, 60 * COVEY_PAGE_SIZE, 8);
    assert_int_equal(s->range.count, 8);
}

static void world_with_hole(scene *s) {
    busy_world(s);
    assert_true(covey_remove(s->world, s->e[1], Fixed));
    assert_true(covey_remove(s->world, s->e[1], Sorted));
    assert_true(covey_remove(s->world, s->e[1], Kept));
}

static covey_entity create_alike(scene *s) {
    return covey_create_with(s->world, covey_with(Block, { 1, 2 }), covey_with(Plain, { 3, 4 }));
}

/* The next entity with Block and Plain begins a kind. */
static void world_before_kind(scene *s) {
    busy_world(s);
    for (uint32_t i = 0; i < COVEY_KIND_LEAST; i++) s->e[7] = create_alike(s);
    assert_non_null(s->world->inner->kinds);
    covey_shrink(s->world);
}

/* The next entity with Block and Plain needs another extent. */
static void world_with_full_kind(scene *s) {
    world_before_kind(s);
    do s->e[7] = create_alike(s);
    while (s->e[7].index % COVEY__TABLE_WORD != COVEY__TABLE_WORD - 1);
    covey_shrink(s->world);
}

/* ---- Operations that need memory ----------------------------------------------------------------------------------*/

#define MANY (COVEY_PAGE_SIZE + 6)

static bool create_world(scene *s) {
    s->world = covey_world_create(&(covey_world_desc){ .allocator = test_allocator(&s->heap) });
    return s->world != NULL;
}
static bool create(scene *s) { return !covey_is_null(covey_create(s->world)); }
static bool create_many(scene *s) {
    covey_entity many[MANY];
    return covey_create_many(s->world, many, MANY);
}
/* Into a buffer that takes its ids from the world. Replaying says that nothing was recorded. */
static bool record_create(scene *s) {
    covey_record_create(s->world->inner->commands);
    return covey_commands_replay(s->world->inner->commands).result == COVEY_OK;
}
static bool create_for(scene *s) { return !covey_is_null(covey_create_for(s->world, Block, Plain)); }
static bool create_like(scene *s) { return !covey_is_null(covey_create_like(s->world, s->e[1])); }
static bool commands_of_kind(scene *s) {
    return covey_commands_create(s->world,
                                 &(covey_commands_desc){ .entities = 2, .with = { covey_ids(Block, Plain) } });
}
static bool create_at(scene *s) { return !covey_is_null(covey_create_at(s->world, 70 * COVEY_PAGE_SIZE + 1)); }
static bool create_exact(scene *s) {
    const covey_entity e = covey_entity_make(70 * COVEY_PAGE_SIZE + 1, 3);
    return covey_create_exact(s->world, &e, 1, COVEY_EXACT_NEW);
}
/* Far apart, so that each has a page of its own. */
static bool create_again(scene *s) {
    const covey_entity all[] = { covey_entity_make(70 * COVEY_PAGE_SIZE + 1, 3),
                                 covey_entity_make(90 * COVEY_PAGE_SIZE, 1) };
    return covey_create_exact(s->world, all, 2, COVEY_EXACT_AGAIN);
}
static bool create_in(scene *s) { return !covey_is_null(covey_create_in(s->world, s->range)); }
static bool reserve_range(scene *s) { return covey_range_reserve(s->world, 50 * COVEY_PAGE_SIZE, 3).count == 3; }

static bool add(scene *s) { return covey_add(s->world, s->e[8], Plain, { 1, 2 }) != NULL; }
static bool patch_or_add(scene *s) { return covey_patch_or_add(s->world, s->e[8], Plain, NULL, NULL) != NULL; }
static bool patch_or_add_new_type(scene *s) { return covey_patch_or_add(s->world, s->e[8], Late, NULL, NULL) != NULL; }
static bool patch_or_add_block(scene *s) {
    return covey_patch_or_add(s->world, s->e[8], LateBlock, NULL, NULL) != NULL;
}
static bool add_default(scene *s) { return covey_add_default(s->world, s->e[8], Wide) != NULL; }
static bool set_default(scene *s) { return covey_set_raw(s->world, s->e[8], covey_id(Wide), NULL) != NULL; }
static bool patch_default(scene *s) { return covey_patch_or_add(s->world, s->e[8], Wide, NULL, NULL) != NULL; }
static bool create_with_default(scene *s) {
    return !covey_is_null(covey_create_with(s->world, covey_with_default(Wide), covey_with_default(LateBlock)));
}
static bool set_default_resource(scene *s) { return covey_resource_set_raw(s->world, covey_id(Wide), NULL) != NULL; }
static bool add_near(scene *s) { return covey_add(s->world, s->e[4], Plain, { 1, 2 }) != NULL; }
static bool add_in_place(scene *s) { return covey_add(s->world, s->e[8], Fixed, { 1, 2 }) != NULL; }
static bool add_swap_only(scene *s) { return covey_add(s->world, s->e[8], Kept, { 1, 2 }) != NULL; }
static bool add_ordered(scene *s) { return covey_add(s->world, s->e[8], Sorted, { 1, 2 }) != NULL; }
static bool add_new_type(scene *s) { return covey_add(s->world, s->e[8], Late, { 1, 2 }) != NULL; }
static bool add_tag(scene *s) { return covey_add_tag(s->world, s->e[8], Marked); }
static bool add_new_tag(scene *s) { return covey_add_tag(s->world, s->e[8], LateTag); }
static bool add_value(scene *s) {
    return covey_add_value(s->world, s->e[8], Plain, covey_get(s->world, s->e[2], Plain)) != NULL;
}

/* The caller keeps a value that was not taken. */
static bool kept_or_taken(Counted *value, bool taken) {
    if (!taken) counted_drop(value, NULL);
    return taken;
}
static bool add_counted(scene *s) {
    Counted value = counted_make(77);
    return kept_or_taken(&value, covey_add_value(s->world, s->e[8], Counted, &value) != NULL);
}
static bool set_absent_counted(scene *s) {
    Counted value = counted_make(78);
    return kept_or_taken(&value, covey_set_value(s->world, s->e[8], Counted, &value) != NULL);
}

static bool set_absent(scene *s) { return covey_set(s->world, s->e[8], Plain, { 1, 2 }) != NULL; }
static bool set_new_type(scene *s) { return covey_set(s->world, s->e[8], Late, { 1, 2 }) != NULL; }
static bool get_or_add(scene *s) { return covey_get_or_add(s->world, s->e[8], Plain, { 1, 2 }) != NULL; }

static bool pool_of(scene *s) { return covey_pool_of(s->world, Late) != NULL; }
static bool pool_of_other_address(scene *s) {
    static const covey_type twins[3] = {
        { .name = "Plain", .size = sizeof(Plain), .align = _Alignof(Plain), .storage = COVEY_STORAGE_SPARSE },
        { .name = "Plain", .size = sizeof(Plain), .align = _Alignof(Plain), .storage = COVEY_STORAGE_SPARSE },
        { .name = "Plain", .size = sizeof(Plain), .align = _Alignof(Plain), .storage = COVEY_STORAGE_SPARSE },
    };
    return covey_pool_of_raw(s->world, &twins[0]) && covey_pool_of_raw(s->world, &twins[1]) &&
           covey_pool_of_raw(s->world, &twins[2]);
}
static bool pool_add(scene *s) {
    return covey_pool_add(covey_pool_of(s->world, Plain), s->e[8], Plain, { 1, 2 }) != NULL;
}
static bool pool_add_value(scene *s) {
    return covey_pool_add_value(covey_pool_of(s->world, Plain), s->e[8], Plain, (&(Plain){ 1, 2 })) != NULL;
}
static bool pool_set(scene *s) {
    return covey_pool_set(covey_pool_of(s->world, Plain), s->e[8], Plain, { 1, 2 }) != NULL;
}
static bool pool_set_value(scene *s) {
    return covey_pool_set_value(covey_pool_of(s->world, Sorted), s->e[8], Sorted, (&(Sorted){ 1, 2 })) != NULL;
}
static bool pool_reserve(scene *s) { return covey_pool_reserve(covey_pool_of(s->world, Plain), 100) == COVEY_OK; }
static bool pool_reserve_in_place(scene *s) {
    return covey_pool_reserve(covey_pool_of(s->world, Fixed), 3 * COVEY_PAGE_SIZE) == COVEY_OK;
}
static bool pool_reserve_ordered(scene *s) {
    return covey_pool_reserve(covey_pool_of(s->world, Sorted), 100) == COVEY_OK;
}

static const Plain three[3] = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
static bool add_array_of(scene *s, const covey_type *type) {
    covey_entity to[] = { s->e[8], s->e[4], s->e[7] };
    return covey_add_array_raw(s->world, to, 3, type, three);
}
static bool add_array(scene *s) { return add_array_of(s, covey_id(Plain)); }
static bool add_array_in_place(scene *s) { return add_array_of(s, covey_id(Fixed)); }
static bool add_array_swap_only(scene *s) { return add_array_of(s, covey_id(Kept)); }
static bool add_array_ordered(scene *s) { return add_array_of(s, covey_id(Sorted)); }
static bool add_array_new_type(scene *s) { return add_array_of(s, covey_id(Late)); }
static bool add_copies(scene *s) {
    covey_entity to[] = { s->e[8], s->e[4], s->e[7] };
    return covey_add_copies(s->world, to, 3, Plain, &three[1]);
}
static bool add_copies_counted(scene *s) {
    covey_entity to[] = { s->e[8], s->e[4], s->e[7] };
    Counted value = counted_make(9);
    bool done = covey_add_copies(s->world, to, 3, Counted, &value);
    counted_drop(&value, NULL);
    return done;
}

static bool create_with(scene *s) {
    return !covey_is_null(
        covey_create_with(s->world, covey_with(Plain, { 1, 2 }), covey_with(Fixed, { 3, 4 }), covey_with_tag(Marked)));
}
static bool create_many_with(scene *s) {
    covey_entity made[3];
    Counted value = counted_make(9);
    bool done =
        covey_create_many_with(s->world, made, 3, covey_with_array(Block, three), covey_with_copies(Counted, &value),
                               covey_with_array(Kept, three), covey_with_copies(Late, &three[1]),
                               covey_with_array(LateBlock, three), covey_with_array(Pin, three));
    counted_drop(&value, NULL);
    return done;
}

static bool create_of_kind(scene *s) { return !covey_is_null(create_alike(s)); }
static bool create_many_of_kind(scene *s) {
    covey_entity made[MANY];
    return covey_create_many_with(s->world, made, MANY, covey_with_copies(Plain, &three[0]),
                                  covey_with_copies(Block, &three[1]));
}
static bool clone_of_kind(scene *s) {
    covey_entity clones[2];
    return covey_clone(s->world, s->e[7], clones, 2);
}

static bool add_block(scene *s) { return covey_add(s->world, s->e[8], Block, { 1, 2 }) != NULL; }
static bool add_block_near(scene *s) { return covey_add(s->world, s->e[7], Block, { 1, 2 }) != NULL; }
static bool add_new_block(scene *s) { return covey_add(s->world, s->e[8], LateBlock, { 1, 2 }) != NULL; }
static bool add_block_tag(scene *s) { return covey_add_tag(s->world, s->e[8], BlockTag); }
static bool add_block_of_itself(scene *s) {
    return covey_add_value(s->world, s->e[7], Block, covey_get(s->world, s->e[2], Block)) != NULL;
}
static bool add_block_counted(scene *s) {
    CountedBlock value = counted_make(77);
    return kept_or_taken(&value, covey_add_value(s->world, s->e[7], CountedBlock, &value) != NULL);
}
static bool set_block_counted(scene *s) {
    CountedBlock value = counted_make(78);
    return kept_or_taken(&value, covey_set_value(s->world, s->e[8], CountedBlock, &value) != NULL);
}
static bool set_block(scene *s) { return covey_set(s->world, s->e[8], Block, { 1, 2 }) != NULL; }
static bool set_block_near(scene *s) { return covey_set(s->world, s->e[7], Block, { 1, 2 }) != NULL; }
static bool get_or_add_block(scene *s) { return covey_get_or_add(s->world, s->e[7], Block, { 1, 2 }) != NULL; }
static bool pool_add_block(scene *s) {
    return covey_pool_add(covey_pool_of(s->world, Block), s->e[8], Block, { 1, 2 }) != NULL;
}
static bool pool_set_block(scene *s) {
    return covey_pool_set_value(covey_pool_of(s->world, Block), s->e[7], Block, (&(Block){ 1, 2 })) != NULL;
}
static bool add_array_block_of(scene *s, const covey_type *type) {
    covey_entity to[] = { s->e[5], s->e[8], s->e[7] };
    return covey_add_array_raw(s->world, to, 3, type, three);
}
static bool add_array_block(scene *s) { return add_array_block_of(s, covey_id(Block)); }
static bool add_array_new_block(scene *s) { return add_array_block_of(s, covey_id(LateBlock)); }
static bool add_copies_block(scene *s) {
    covey_entity to[] = { s->e[7], s->e[8], s->e[5] };
    return covey_add_copies(s->world, to, 3, Block, covey_get(s->world, s->e[1], Block));
}
static bool add_copies_block_counted(scene *s) {
    covey_entity to[] = { s->e[7], s->e[5], s->e[8] };
    CountedBlock value = counted_make(9);
    bool done = covey_add_copies(s->world, to, 3, CountedBlock, &value);
    counted_drop(&value, NULL);
    return done;
}

static bool add_pin(scene *s) { return covey_add(s->world, s->e[8], Pin, { 1, 2 }) != NULL; }
static bool add_new_pin(scene *s) { return covey_add(s->world, s->e[8], LatePin, { 1, 2 }) != NULL; }
static bool set_pin(scene *s) { return covey_set(s->world, s->e[8], Pin, { 1, 2 }) != NULL; }
static bool add_pin_of_itself(scene *s) {
    return covey_add_value(s->world, s->e[8], Pin, covey_get(s->world, s->e[2], Pin)) != NULL;
}
static bool add_pin_counted(scene *s) {
    CountedPinned value = counted_make(77);
    return kept_or_taken(&value, covey_add_value(s->world, s->e[8], CountedPinned, &value) != NULL);
}
static bool add_array_pin(scene *s) { return add_array_block_of(s, covey_id(Pin)); }
static bool add_array_new_pin(scene *s) { return add_array_block_of(s, covey_id(LatePin)); }
static bool add_copies_pin_counted(scene *s) {
    covey_entity to[] = { s->e[7], s->e[5], s->e[8] };
    return covey_add_copies(s->world, to, 3, CountedPinned, covey_get(s->world, s->e[1], CountedPinned));
}

/* Adds one component, row by row: where one add fails, what others got is taken back. */
static bool add_in_rows(scene *s) {
    covey_view view = covey_view_make(
        s->world, &(covey_view_desc){ .optional = { covey_id(Block) }, .without = { covey_id(LateBlock) } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    bool added = true;
    while (added && covey_next_row(&it, &row))
        added = covey_add(s->world, covey_row_entity(&it, row), LateBlock, { 1, 2 }) != NULL;
    if (!added) covey_clear(s->world, LateBlock);
    return added && covey_view_count(&view) == 0;
}

static bool convert(scene *s, const covey_type *type, covey_storage storage) {
    return covey_pool_convert(covey_pool_find_raw(s->world, type), storage) == COVEY_OK;
}
static bool convert_to_block(scene *s) { return convert(s, covey_id(Plain), COVEY_STORAGE_BLOCK); }
static bool convert_to_sparse(scene *s) { return convert(s, covey_id(Block), COVEY_STORAGE_SPARSE); }
static bool convert_to_pinned(scene *s) { return convert(s, covey_id(Block), COVEY_STORAGE_PINNED); }
static bool convert_counted(scene *s) { return convert(s, covey_id(Counted), COVEY_STORAGE_PINNED); }
static bool convert_counted_block(scene *s) { return convert(s, covey_id(CountedBlock), COVEY_STORAGE_SPARSE); }
static bool convert_tag(scene *s) { return convert(s, covey_id(Marked), COVEY_STORAGE_BLOCK); }

static bool type_create(scene *s) {
    return covey_type_create(s->world, &(covey_type){ .name = "made at run time", .size = 8, .align = 4 }) != NULL;
}

/* To an entity that has some of it, and to one that is far from all. */
static bool copy(scene *s) { return covey_copy(s->world, s->e[1], s->e[5]); }
static bool copy_far(scene *s) { return covey_copy(s->world, s->e[1], s->e[8]); }
static bool clone(scene *s) {
    covey_entity many[MANY];
    bool done = covey_clone(s->world, s->e[1], many, MANY);
    assert_true(done || covey_is_null(many[0]));
    return done;
}
static bool clone_into(scene *s) { return !covey_is_null(covey_clone_into(s->world, s->world, s->e[1], NULL)); }
static bool refers(scene *s) {
    static Plain object;
    if (!covey_resource_refer(s->world, Plain, &object)) return false;
    return covey_resource_get(s->world, Plain) == &object && covey_resource_remove(s->world, Plain);
}

static bool set_resources(scene *s) {
    static const Plain plain = { 1, 2 };
    if (!covey_resource_set_value(s->world, Plain, &plain)) return false;
    assert_true(covey_resource_remove(s->world, Plain));
    return true;
}
static bool clone_world(scene *s) {
    covey_world *twin = covey_world_clone(s->world, NULL);
    if (!twin) return false;
    covey_world_destroy(s->world);
    s->world = twin;
    return true;
}

static const operation operations[] = {
    { "covey_world_create", nothing, create_world },
    { "covey_create", empty_world, create },
    { "covey_record_create, covey_commands_replay", world_with_buffer, record_create },
    { "covey_create_like", busy_world, create_like },
    { "covey_create_many", busy_world, create_many },
    { "covey_create_many, from nothing", empty_world, create_many },
    { "covey_create_with", busy_world, create_with },
    { "covey_create_many_with", busy_world, create_many_with },
    { "covey_create_many_with, from nothing", empty_world, create_many_with },
    { "covey_create_many_with, swap only, with dead", world_with_hole, create_many_with },
    { "covey_create_with, a new kind", world_before_kind, create_of_kind },
    { "covey_create_with, another extent", world_with_full_kind, create_of_kind },
    { "covey_create_many_with, a new kind", world_before_kind, create_many_of_kind },
    { "covey_create_many_with, another extent", world_with_full_kind, create_many_of_kind },
    { "covey_create_for, a new kind", world_before_kind, create_for },
    { "covey_commands_create, a new kind", world_before_kind, commands_of_kind },
    { "covey_commands_create, another extent", world_with_full_kind, commands_of_kind },
    { "covey_clone, a new kind", world_before_kind, clone_of_kind },
    { "covey_clone, another extent", world_with_full_kind, clone_of_kind },
    { "covey_create_at", busy_world, create_at },
    { "covey_create_at, from nothing", empty_world, create_at },
    { "covey_create_exact", busy_world, create_exact },
    { "covey_create_exact, from nothing", empty_world, create_exact },
    { "covey_create_exact, again", busy_world, create_again },
    { "covey_create_exact, again, from nothing", empty_world, create_again },
    { "covey_add, of a default", busy_world, add_default },
    { "covey_set, of a default", busy_world, set_default },
    { "covey_patch_or_add, of a default", busy_world, patch_default },
    { "covey_create_with, defaults", busy_world, create_with_default },
    { "covey_resource_set, of a default", busy_world, set_default_resource },
    { "covey_patch_or_add", busy_world, patch_or_add },
    { "covey_patch_or_add, of a new type", busy_world, patch_or_add_new_type },
    { "covey_patch_or_add, of a new type in blocks", busy_world, patch_or_add_block },
    { "covey_create_in", world_with_range, create_in },
    { "covey_range_reserve", busy_world, reserve_range },
    { "covey_add", busy_world, add },
    { "covey_add, near", busy_world, add_near },
    { "covey_add, in place", busy_world, add_in_place },
    { "covey_add, swap only", busy_world, add_swap_only },
    { "covey_add, swap only, with dead", world_with_hole, add_swap_only },
    { "covey_add, ordered", busy_world, add_ordered },
    { "covey_add, ordered, with a hole", world_with_hole, add_ordered },
    { "covey_add, new type", busy_world, add_new_type },
    { "covey_add_tag", busy_world, add_tag },
    { "covey_add_tag, new type", busy_world, add_new_tag },
    { "covey_add_value, of the pool itself", busy_world, add_value },
    { "covey_add_value, with hooks", busy_world, add_counted },
    { "covey_set_value, with hooks", busy_world, set_absent_counted },
    { "covey_set", busy_world, set_absent },
    { "covey_set, new type", busy_world, set_new_type },
    { "covey_get_or_add", busy_world, get_or_add },
    { "covey_pool_of", busy_world, pool_of },
    { "covey_pool_of, another address", busy_world, pool_of_other_address },
    { "covey_pool_add", busy_world, pool_add },
    { "covey_pool_add_value", busy_world, pool_add_value },
    { "covey_pool_set", busy_world, pool_set },
    { "covey_pool_set_value", busy_world, pool_set_value },
    { "covey_pool_reserve", busy_world, pool_reserve },
    { "covey_pool_reserve, in place", busy_world, pool_reserve_in_place },
    { "covey_pool_reserve, ordered", busy_world, pool_reserve_ordered },
    { "covey_add_array", busy_world, add_array },
    { "covey_add_array, in place", busy_world, add_array_in_place },
    { "covey_add_array, in place, with a hole", world_with_hole, add_array_in_place },
    { "covey_add_array, swap only", busy_world, add_array_swap_only },
    { "covey_add_array, swap only, with dead", world_with_hole, add_array_swap_only },
    { "covey_add_array, ordered", busy_world, add_array_ordered },
    { "covey_add_array, new type", busy_world, add_array_new_type },
    { "covey_add_copies", busy_world, add_copies },
    { "covey_add_copies, with hooks", busy_world, add_copies_counted },
    { "covey_copy", busy_world, copy },
    { "covey_copy, far", busy_world, copy_far },
    { "covey_copy, with holes", world_with_hole, copy_far },
    { "covey_copy, block", world_with_blocks, copy },
    { "covey_copy, block, far", world_with_blocks, copy_far },
    { "covey_copy, pinned, far", world_with_pins, copy_far },
    { "covey_clone", busy_world, clone },
    { "covey_clone, block", world_with_loose_blocks, clone },
    { "covey_clone, pinned", world_with_pins, clone },
    { "covey_resource_set", busy_world, set_resources },
    { "covey_resource_refer", busy_world, refers },
    { "covey_clone_into", busy_world, clone_into },
    { "covey_clone_into, block", world_with_loose_blocks, clone_into },
    { "covey_world_clone", world_with_hole, clone_world },
    { "covey_world_clone, block", world_with_loose_blocks, clone_world },
    { "covey_world_clone, pinned", world_with_pins, clone_world },
    { "covey_world_clone, with a range", world_with_range, clone_world },
    { "covey_add, block", world_with_blocks, add_block },
    { "covey_add, block, near", world_with_blocks, add_block_near },
    { "covey_add, block, new type", busy_world, add_new_block },
    { "covey_add_tag, block, new type", busy_world, add_block_tag },
    { "covey_add_value, block, of the pool itself", world_with_blocks, add_block_of_itself },
    { "covey_add_value, block, with hooks", world_with_blocks, add_block_counted },
    { "covey_set_value, block, with hooks", world_with_blocks, set_block_counted },
    { "covey_set, block", world_with_blocks, set_block },
    { "covey_set, block, near", world_with_blocks, set_block_near },
    { "covey_get_or_add, block", world_with_blocks, get_or_add_block },
    { "covey_pool_add, block", world_with_blocks, pool_add_block },
    { "covey_pool_set_value, block", world_with_blocks, pool_set_block },
    { "covey_add_array, block", world_with_blocks, add_array_block },
    { "covey_add_array, block, new type", busy_world, add_array_new_block },
    { "covey_add_copies, block, of the pool itself", world_with_blocks, add_copies_block },
    { "covey_add_copies, block, with hooks", world_with_blocks, add_copies_block_counted },
    { "covey_add, pinned", world_with_pins, add_pin },
    { "covey_add, pinned, new type", busy_world, add_new_pin },
    { "covey_set, pinned", world_with_pins, set_pin },
    { "covey_add_value, pinned, of the pool itself", world_with_pins, add_pin_of_itself },
    { "covey_add_value, pinned, with hooks", world_with_pins, add_pin_counted },
    { "covey_add_array, pinned", world_with_pins, add_array_pin },
    { "covey_add_array, pinned, new type", busy_world, add_array_new_pin },
    { "covey_add_copies, pinned, with hooks, of the pool itself", world_with_pins, add_copies_pin_counted },
    { "covey_next_row, while components are added", world_with_blocks, add_in_rows },
    { "covey_pool_convert, to block", busy_world, convert_to_block },
    { "covey_pool_convert, to sparse", world_with_loose_blocks, convert_to_sparse },
    { "covey_pool_convert, to pinned", world_with_loose_blocks, convert_to_pinned },
    { "covey_pool_convert, sparse with hooks", busy_world, convert_counted },
    { "covey_pool_convert, block with hooks", world_with_blocks, convert_counted_block },
    { "covey_pool_convert, a tag", busy_world, convert_tag },
    { "covey_type_create", busy_world, type_create },
};

/* ---- Operations that need none ------------------------------------------------------------------------------------*/

static bool destroy(scene *s) { return covey_destroy(s->world, s->e[1]) && !covey_destroy(s->world, s->e[3]); }
static bool destroy_many(scene *s) { return covey_destroy_many(s->world, s->e, 9) == 7; }
static bool destroy_all(scene *s) {
    covey_destroy_all(s->world);
    return covey_entity_count(s->world) == 0;
}
static bool remove_all(scene *s) {
    return covey_remove(s->world, s->e[0], Plain) && covey_remove(s->world, s->e[0], Fixed) &&
           covey_remove(s->world, s->e[0], Kept) && covey_remove(s->world, s->e[0], Sorted) &&
           covey_remove(s->world, s->e[0], Counted) && covey_remove(s->world, s->e[0], Marked) &&
           !covey_remove(s->world, s->e[0], Late) && !covey_remove(s->world, s->e[0], Plain);
}
static bool pool_remove(scene *s) {
    return covey_pool_remove(covey_pool_find_raw(s->world, covey_id(Sorted)), s->e[0], Sorted) &&
           covey_pool_remove(covey_pool_find_raw(s->world, covey_id(Plain)), s->e[2], Plain);
}
static bool clear_one(scene *s) {
    covey_clear(s->world, Counted);
    covey_clear(s->world, Late);
    return true;
}
static bool clear_components(scene *s) {
    covey_clear_components(s->world);
    return true;
}
static bool replace(scene *s) {
    Counted value = counted_make(5);
    bool done = covey_replace(s->world, s->e[0], Counted, &value);
    counted_drop(&value, NULL);
    return done;
}
static bool overwrite(scene *s) {
    Counted value = counted_make(6);
    return covey_set(s->world, s->e[0], Plain, { 7, 7 }) && covey_set_value(s->world, s->e[1], Counted, &value) &&
           covey_get_or_add(s->world, s->e[1], Plain, { 9, 9 })->a == 1;
}
static void double_it(void *value, void *context) {
    (void)context;
    ((Plain *)value)->a *= 2;
}
static bool patch(scene *s) { return covey_patch(s->world, s->e[2], Plain, double_it, NULL)->a == 4; }
static bool fill_hole(scene *s) { return covey_add(s->world, s->e[1], Fixed, { 5, 5 }) != NULL; }
static bool add_again(scene *s) { return covey_add(s->world, s->e[1], Kept, { 5, 5 }) != NULL; }
static bool recycle(scene *s) {
    covey_entity two[2];
    return covey_create_many(s->world, two, 2) && two[0].index == 3 && two[1].index == 6;
}
static bool swap(scene *s) {
    return covey_pool_swap(covey_pool_find_raw(s->world, covey_id(Plain)), s->e[0], s->e[2]) == COVEY_OK;
}
static bool compact(scene *s) {
    covey_compact(s->world);
    return true;
}
static void ignore_move(covey_entity moved, const void *from, void *to, void *context) {
    (void)moved, (void)from, (void)to, (void)context;
}
static bool compact_moving(scene *s) {
    return covey_pool_compact(covey_pool_find_raw(s->world, covey_id(Fixed)), ignore_move, NULL) == COVEY_OK;
}
static bool shrink(scene *s) {
    covey_clear(s->world, Plain);
    covey_remove(s->world, s->e[0], Sorted);
    covey_shrink(s->world);
    return true;
}
static bool pool_shrink(scene *s) {
    covey_pool *pool = covey_pool_find_raw(s->world, covey_id(Sorted));
    covey_pool_compact(pool, NULL, NULL);
    covey_pool_shrink(pool);
    return covey_pool_count(pool) == (covey_pool_position_count)(pool);
}
static bool pool_compact_blocks(scene *s) {
    covey_pool_compact(covey_pool_find_raw(s->world, covey_id(Block)), NULL, NULL);
    return true;
}
static bool pool_shrink_blocks(scene *s) {
    covey_pool_shrink(covey_pool_find_raw(s->world, covey_id(Block)));
    return true;
}
static void write_nowhere(const char *words, void *context) { *(size_t *)context += strlen(words); }
static bool look(scene *s) {
    const covey_world *world = s->world;
    const covey_pool *pool = covey_pool_find_raw(world, covey_id(Plain));
    const covey_type *types[8];
    const Plain one = { 1, 1 };
    size_t printed = 0;
    covey_world_print(world, write_nowhere, &printed);
    return printed != 0 && covey_get(world, s->e[0], Plain) && !covey_get(world, s->e[0], Late) &&
           covey_has(world, s->e[0], Counted) && covey_has_all(world, s->e[0], Plain, Marked) &&
           covey_has_any(world, s->e[0], Late, Kept) && covey_types_of(world, s->e[0], types, 8) == 6 &&
           covey_is_empty(world, s->e[8]) && covey_same(covey_find(world, Plain, &one, NULL), s->e[1]) &&
           covey_type_find(world, "Counted") && !covey_type_find(world, "nobody") && covey_world_pool(world, 0) &&
           !covey_pool_find_raw(world, covey_id(Late)) && covey_pool_get(pool, s->e[0], Plain) &&
           covey_pool_has(pool, s->e[0]) && covey_pool_get_unchecked(pool, s->e[1], Plain) &&
           covey_pool_memory(pool) < covey_world_memory(world) && covey_world_validate(world, NULL) &&
           covey_pool_world(pool) == world && covey_alive(world, s->e[0]) && !covey_alive(world, s->e[3]);
}

static bool remove_blocks(scene *s) {
    return covey_remove(s->world, s->e[0], Block) && covey_remove(s->world, s->e[0], CountedBlock) &&
           covey_remove(s->world, s->e[0], BlockTag) && covey_remove(s->world, s->e[1], Block) &&
           covey_remove(s->world, s->e[2], Block) && covey_remove(s->world, s->e[4], Block) &&
           !covey_remove(s->world, s->e[4], Block) && covey_destroy(s->world, s->e[1]);
}
static bool clear_blocks(scene *s) {
    covey_clear(s->world, Block);
    covey_clear(s->world, CountedBlock);
    covey_clear(s->world, BlockTag);
    return true;
}
static bool overwrite_block(scene *s) {
    CountedBlock value = counted_make(6);
    return covey_set(s->world, s->e[0], Block, { 7, 7 }) && covey_set_value(s->world, s->e[1], CountedBlock, &value) &&
           covey_get_or_add(s->world, s->e[1], Block, { 9, 9 })->b == 5;
}
static bool add_block_back(scene *s) {
    return covey_remove(s->world, s->e[1], Block) && covey_add(s->world, s->e[7], Block, { 1, 2 });
}
static bool reserve_blocks(scene *s) {
    return covey_pool_reserve(covey_pool_find_raw(s->world, covey_id(Block)), 500) == COVEY_OK;
}
static bool look_at_blocks(scene *s) {
    const covey_pool *pool = covey_pool_find_raw(s->world, covey_id(Block));
    const Block two = { 2, 6 };
    return covey_same(covey_first(s->world, Block), s->e[0]) && covey_pool_next(pool, 3) == 4 &&
           covey_same(covey_pool_at(pool, 4), s->e[4]) && covey_pool_value_at(pool, 4, Block)->b == 8 &&
           covey_same(covey_find(s->world, Block, &two, NULL), s->e[2]) && covey_world_validate(s->world, NULL);
}

/* Whatever is added beside it, a block of pinned values takes memory only once. */
static bool add_pin_near(scene *s) {
    const Pin *first = covey_get(s->world, s->e[0], Pin);
    return covey_add(s->world, s->e[4], Pin, { 1, 2 }) && covey_add(s->world, s->e[5], Pin, { 3, 4 }) &&
           covey_get(s->world, s->e[0], Pin) == first;
}
static bool remove_pins(scene *s) {
    return covey_remove(s->world, s->e[0], Pin) && covey_remove(s->world, s->e[0], CountedPinned) &&
           covey_remove(s->world, s->e[1], Pin) && covey_destroy(s->world, s->e[2]) && covey_destroy(s->world, s->e[1]);
}
static bool clear_pins(scene *s) {
    covey_clear(s->world, Pin);
    covey_clear(s->world, CountedPinned);
    return true;
}

static const covey_type *const ways[] = { covey_id(Plain), covey_id(Fixed),    covey_id(Kept),  covey_id(Sorted),
                                          covey_id(Block), covey_id(BlockTag), covey_id(Marked) };
static bool look_through_views(scene *s) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        covey_view view = covey_view_make(
            s->world, &(covey_view_desc){ .with = { ways[i] }, .optional = { covey_id(Late) }, .read = { ways[i] } });
        covey_iter spans = covey_view_iter(&view), rows = covey_view_iter_list(&view, s->e, 9);
        covey_iter by = covey_view_iter_by(&view, covey_pool_find_raw(s->world, covey_id(Block)));
        covey_row row = { 0 };
        while (covey_next(&spans)) found += spans.count;
        while (covey_next(&by)) found += by.count;
        while (covey_next_row(&rows, &row)) found += covey_alive(s->world, covey_row_entity(&rows, row));
        if (covey_view_count(&view) == 0 || covey_is_null(covey_view_first(&view))) return false;
    }
    covey_view late = covey_view_make(s->world, &(covey_view_desc){ .with = { covey_id(Late) } });
    return covey_view_count(&late) == 0 && found != 0;
}
static bool destroy_rows(scene *s) {
    covey_view view = covey_view_make(s->world, &(covey_view_desc){ .with = { covey_id(Plain), covey_id(Block) } });
    covey_iter it = covey_view_iter(&view);
    covey_row row = { 0 };
    uint32_t rows = 0;
    for (; covey_next_row(&it, &row); rows++) covey_destroy(s->world, covey_row_entity(&it, row));
    return rows == 3 && covey_view_count(&view) == 0;
}

static const operation free_operations[] = {
    { "covey_destroy", busy_world, destroy },
    { "covey_destroy_many", busy_world, destroy_many },
    { "covey_destroy_all", busy_world, destroy_all },
    { "covey_remove", busy_world, remove_all },
    { "covey_pool_remove", busy_world, pool_remove },
    { "covey_clear", world_with_hole, clear_one },
    { "covey_clear_components", world_with_hole, clear_components },
    { "covey_replace", busy_world, replace },
    { "covey_set, over a value", busy_world, overwrite },
    { "covey_patch", busy_world, patch },
    { "covey_create_many, of free indices", busy_world, recycle },
    { "covey_pool_swap", busy_world, swap },
    { "covey_compact", world_with_hole, compact },
    { "covey_pool_compact, moving", world_with_hole, compact_moving },
    { "looking", busy_world, look },
    { "covey_remove, block", world_with_blocks, remove_blocks },
    { "covey_clear, block", world_with_blocks, clear_blocks },
    { "covey_destroy_all, block", world_with_blocks, destroy_all },
    { "covey_set, over a value, block", world_with_blocks, overwrite_block },
    { "covey_add, block, into a slot that was left", world_with_blocks, add_block_back },
    { "covey_pool_reserve, block", world_with_blocks, reserve_blocks },
    { "covey_view_make, covey_next", world_with_blocks, look_through_views },
    { "covey_destroy, row by row", world_with_blocks, destroy_rows },
    { "looking, block", world_with_blocks, look_at_blocks },
    { "covey_add, pinned, near", world_with_pins, add_pin_near },
    { "covey_remove, pinned", world_with_pins, remove_pins },
    { "covey_clear, pinned", world_with_pins, clear_pins },
    { "covey_destroy_all, pinned", world_with_pins, destroy_all },
};

/* There is a place: it takes no memory to fill it. */
static const operation filling_operations[] = {
    { "covey_add, into a hole", world_with_hole, fill_hole },
    { "covey_add, where the element was kept", world_with_hole, add_again },
};

static const operation shrinking_operations[] = {
    { "covey_shrink", busy_world, shrink },
    { "covey_shrink, with holes", world_with_hole, shrink },
    { "covey_pool_shrink", world_with_hole, pool_shrink },
    { "covey_compact, block", world_with_loose_blocks, compact },
    { "covey_shrink, block", world_with_loose_blocks, shrink },
    { "covey_pool_compact, block", world_with_loose_blocks, pool_compact_blocks },
    { "covey_pool_shrink, block", world_with_loose_blocks, pool_shrink_blocks },
    { "covey_compact, pinned", world_with_pins, compact },
    { "covey_shrink, pinned", world_with_pins, shrink },
};

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

/* A call that fails may leave the world with a pool for a type that it has met, but an empty one. */
static void a_failed_add_leaves_at_most_an_empty_pool(void **state) {
    (void)state;
    static run_fn *const runs[] = { add_new_type,       add_new_tag,         set_new_type, add_new_block,
                                    add_array_new_type, add_array_new_block, add_new_pin,  add_array_new_pin };
    for (uint32_t i = 0; i < sizeof runs / sizeof runs[0]; i++) {
        bool done = false;
        for (uint64_t at = 1; !done; at++) {
            scene s;
            scene_create(&s, busy_world, COVEY_SWAP_AND_POP);
            uint32_t pools = covey_world_pool_count(s.world);
            test_fail_at(&s.heap, at, false);
            done = runs[i](&s);
            const covey_pool *left = covey_world_pool(s.world, pools);
            if (left && !done) assert_int_equal(covey_pool_count(left), 0);
            assert_null(covey_world_pool(s.world, pools + 1));
            scene_destroy(&s);
        }
    }
}

static void a_type_that_could_not_be_made_is_unknown(void **state) {
    (void)state;
    for (uint64_t at = 1;; at++) {
        scene s;
        scene_create(&s, busy_world, COVEY_SWAP_AND_POP);
        test_fail_at(&s.heap, at, false);
        bool done = type_create(&s);
        assert_int_equal(covey_type_find(s.world, "made at run time") != NULL, done);
        scene_destroy(&s);
        if (done) break;
    }
}

int main(void) {
    ADD_TRIALS(operations, COVEY_SWAP_AND_POP, FAILS_IN_TURN);
    ADD_TRIALS(free_operations, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    ADD_TRIALS(filling_operations, COVEY_SWAP_AND_POP, NEEDS_NO_MEMORY);
    ADD_TRIALS(shrinking_operations, COVEY_SWAP_AND_POP, SURVIVES_FAILURES);
    add_test((struct CMUnitTest)cmocka_unit_test(a_failed_add_leaves_at_most_an_empty_pool));
    add_test((struct CMUnitTest)cmocka_unit_test(a_type_that_could_not_be_made_is_unknown));
    return run_trials();
}
