/* Runs fixed random programs over everything that a world can do, and prints a number for everything observable: ids,
 * order, positions, values, calls of listeners, and the bytes of images. It is the same number with every compiler,
 * whatever the sizes and the byte order of the machine. test/portable/run.sh compares them. */
#include "tools.h"

#include <covey/commands.h>
#include <covey/fields.h>
#include <covey/hierarchy.h>
#include <covey/image.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

/* Numbers of several widths, so that its size and the offsets in it are not the same everywhere. */
typedef struct Cell {
    uint8_t small;
    uint64_t wide;
    int32_t number;
    double weight;
    covey_entity friend;
    int16_t pair[2];
} Cell;
COVEY_FIELDS_DEFINE(Cell, u8(small), u64(wide), i32(number), f64(weight), entity(friend), array(i16, pair));
#define DEFINE(...) COVEY_COMPONENT_DEFINE(__VA_ARGS__, .fields = &covey_fields_Cell)

typedef Cell Packed;
typedef Cell Fixed;
typedef Cell Kept;
typedef Cell Ordered;
typedef Cell Blocked;
typedef Cell Pinned;
typedef Cell Sorted;
typedef Cell Near;
typedef Cell Far;
DEFINE(Packed, .storage = COVEY_STORAGE_SPARSE, .ticks = true);
DEFINE(Fixed, .policy = COVEY_IN_PLACE);
DEFINE(Kept, .policy = COVEY_SWAP_ONLY);
DEFINE(Ordered, .policy = COVEY_ORDERED);
DEFINE(Blocked, .ticks = true);
DEFINE(Pinned, .storage = COVEY_STORAGE_PINNED);
DEFINE(Sorted, .storage = COVEY_STORAGE_SPARSE);
DEFINE(Near, .storage = COVEY_STORAGE_SPARSE);
DEFINE(Far, .storage = COVEY_STORAGE_SPARSE);

enum { TYPES = 9, CROWD = 2000 };
static const covey_type *const types[TYPES] = { covey_id(Packed),  covey_id(Fixed),   covey_id(Kept),
                                                covey_id(Ordered), covey_id(Blocked), covey_id(Pinned),
                                                covey_id(Sorted),  covey_id(Near),    covey_id(Far) };

typedef struct run {
    covey_world *world;
    covey_commands *commands;
    covey_queue *queue;
    covey_reactive *reactive;
    covey_group *group;
    test_random random;
    uint64_t digest;
    uint64_t walks; /* of the world, as it is looked at */
    uint32_t crowd;
    covey_entity who[CROWD]; /* handles that were seen; many of them are stale */
    /* What a step is about. */
    covey_entity *slot, e, other;
    const covey_type *type;
    Cell cell;
    uint32_t kind;
} run;

static void fail(const char *why) {
    fprintf(stderr, "%s\n", why);
    exit(EXIT_FAILURE);
}

/* ---- The digest ---------------------------------------------------------------------------------------------------*/

static void mix_byte(run *r, uint64_t byte) { r->digest = (r->digest ^ byte) * UINT64_C(0x100000001B3); }

/* Numbers, not their bytes in memory. */
static void mix(run *r, uint64_t number) {
    for (uint32_t shift = 0; shift < 64; shift += 8) mix_byte(r, number >> shift & 0xFF);
}

static void mix_text(run *r, const char *text) {
    mix(r, text ? strlen(text) : UINT64_MAX);
    for (; text && *text; text++) mix(r, (unsigned char)*text);
}

static void mix_entity(run *r, covey_entity e) { mix(r, (uint64_t)e.generation << 32 | e.index); }

static void mix_cell(run *r, const Cell *cell) {
    mix(r, cell->small);
    mix(r, cell->wide);
    mix(r, (uint32_t)cell->number);
    mix(r, (uint64_t)(int64_t)(cell->weight * 4));
    mix_entity(r, cell->friend);
    for (uint32_t i = 0; i < 2; i++) mix(r, (uint16_t)cell->pair[i]);
}

static void mix_pool(run *r, const covey_world *world, const covey_type *type) {
    const covey_pool *pool = covey_pool_find_raw(world, type);
    if (!pool) return;
    mix_text(r, type->name);
    mix(r, (covey_pool_position_count)(pool));
    for (uint32_t p = covey_pool_next(pool, 0); p != COVEY_NONE; p = covey_pool_next(pool, p + 1)) {
        covey_entity e = covey_pool_at(pool, p);
        mix(r, p);
        mix_entity(r, e);
        mix_cell(r, covey_pool_value_at_raw(pool, p));
        mix(r, covey_component_is_enabled_raw(world, e, type));
        mix(r, covey_changed_at_raw(world, e, type));
    }
}

static void mix_world(run *r, const covey_world *world) {
    covey_entity e = { 0, 0 };
    while (!covey_is_null(e = covey_entity_next(world, e))) {
        mix_entity(r, e);
        mix_entity(r, covey_parent(world, e));
        mix_entity(r, covey_child_next(world, e));
        mix_text(r, covey_name(world, e));
        mix(r, covey_is_enabled(world, e));
    }
    for (uint32_t i = 0; i < TYPES; i++) mix_pool(r, world, types[i]);
    const Cell *resource = covey_resource_get(world, Far);
    if (resource) mix_cell(r, resource);
}

static void mix_rows(run *r, covey_iter it) {
    covey_row row = { 0 };
    while (covey_next_row(&it, &row)) {
        mix_entity(r, covey_row_entity(&it, row));
        mix_cell(r, covey_row_field_raw(&it, row, 0));
    }
}

/* Where spans end is as values lie in memory, which is not the same everywhere. What comes after what is. */
static void mix_spans(run *r, covey_iter it) {
    while (covey_next(&it)) {
        const Cell *cells = covey_field_raw(&it, 0);
        for (uint32_t i = 0; i < it.count; i++) {
            mix_entity(r, covey_span_entity(&it, i));
            mix_cell(r, &cells[i]);
        }
    }
}

/* Both forms visit the same entities, in the same order. */
static void mix_forms(run *r, covey_iter rows, covey_iter spans) {
    uint64_t before = r->digest;
    mix_rows(r, rows);
    uint64_t by_rows = r->digest;
    r->digest = before;
    mix_spans(r, spans);
    if (r->digest != by_rows) fail("spans and rows are not the same");
}

static void mix_view(run *r, const covey_view_desc *desc) {
    covey_view view = covey_view_make(r->world, desc);
    mix(r, covey_view_count(&view));
    mix_forms(r, covey_view_iter(&view), covey_view_iter(&view));
}

/* A number for walks of each type alone, and of each with each other: all storages, and all mixes of two. Nothing is
 * written. */
static uint64_t walks_of(covey_world *world) {
    run walking = { .world = world };
    for (uint32_t i = 0; i < TYPES * TYPES; i++) {
        const covey_type *one = types[i / TYPES], *other = types[i % TYPES];
        if (i / TYPES == i % TYPES) mix_view(&walking, &(covey_view_desc){ .with = { one }, .read = { one } });
        else if (i / TYPES < i % TYPES)
            mix_view(&walking, &(covey_view_desc){ .with = { one, other }, .read = { one, other } });
    }
    return walking.digest;
}

static void mix_views(run *r) {
    mix_view(r, &(covey_view_desc){ .with = { covey_id(Blocked), covey_id(Pinned) }, .read = { covey_id(Blocked) } });
    mix_view(r, &(covey_view_desc){ .with = { covey_id(Packed) }, .without = { covey_id(Kept) } });
    mix_view(r, &(covey_view_desc){ .with = { covey_id(Ordered) }, .any = { covey_id(Near), covey_id(Fixed) } });
    mix_view(r, &(covey_view_desc){ .with = { covey_id(Fixed) }, .include_disabled = true });
    mix_forms(r, covey_group_iter(r->group), covey_group_iter(r->group));
    mix_forms(r, covey_reactive_iter(r->reactive), covey_reactive_iter(r->reactive));
    covey_reactive_clear(r->reactive);
}

static void mix_queue(run *r) {
    covey_event event;
    while (covey_queue_next(r->queue, &event)) {
        mix(r, (uint64_t)event.signal);
        mix_text(r, event.type ? event.type->name : NULL);
        mix_entity(r, *event.entities);
    }
}

/* A world and what is made of it are walked in the same order. */
static void check_walks(run *r, covey_world *other) {
    if (walks_of(other) != r->walks) fail("another world is walked in another order");
}

static covey_buffer image_of(covey_world *world) {
    covey_buffer image = { 0 };
    covey_report report;
    if (covey_save_to_buffer(world, &image, NULL, &report) != COVEY_OK) fail(report.text);
    return image;
}

static covey_world *world_of(const covey_buffer *image) {
    const covey_type *known[TYPES + 1] = { NULL };
    memcpy(known, types, sizeof types);
    covey_load_desc desc = { .types = known };
    covey_report report;
    covey_world *world = covey_world_create(NULL);
    if (!world) fail("no memory for a world");
    if (covey_load_from_memory(world, image->bytes, image->size, &desc, &report) != COVEY_OK) fail(report.text);
    return world;
}

/* The bytes of an image, and what is loaded from it, which has the same image again. */
static void mix_images(run *r) {
    covey_buffer image = image_of(r->world);
    mix(r, image.size);
    for (size_t i = 0; i < image.size; i++) mix_byte(r, image.bytes[i]);
    covey_world *loaded = world_of(&image);
    mix_world(r, loaded);
    check_walks(r, loaded);
    covey_buffer again = image_of(loaded);
    if (again.size != image.size || memcmp(again.bytes, image.bytes, image.size) != 0) fail("another image");
    covey_buffer_free(&image);
    covey_buffer_free(&again);
    covey_world_destroy(loaded);
}

/* Handles of the one are handles of the other; the next one is the same, too. */
static void mix_clone(run *r) {
    covey_world *clone = covey_world_clone(r->world, NULL);
    if (!clone) fail("no memory for a clone");
    mix_world(r, clone);
    check_walks(r, clone);
    mix_entity(r, covey_create(clone));
    covey_world_destroy(clone);
}

/* ---- Steps --------------------------------------------------------------------------------------------------------*/

static uint32_t below(run *r, uint32_t limit) { return test_below(&r->random, limit); }

static Cell any_cell(run *r) {
    uint32_t number = test_next(&r->random);
    return (Cell){
        .small = (uint8_t)number,
        .wide = (uint64_t)number << 17 | 1,
        .number = (int32_t)(number >> 1) - 0x40000000,
        .weight = (double)(number % 1000) / 4 - 100,
        .friend = r->other,
        .pair = { (int16_t)(number % 30000), (int16_t) - (int)(number % 20000) },
    };
}

/* One after the other: compilers do not agree about the order of arguments. */
static void choose(run *r) {
    r->slot = &r->who[below(r, r->crowd)];
    r->e = *r->slot;
    r->other = r->who[below(r, r->crowd)];
    r->type = types[below(r, TYPES)];
    r->cell = any_cell(r);
    r->kind = below(r, 4);
}

/* Takes the place of the one that was chosen. */
static void meet(run *r, covey_entity e) {
    *r->slot = e;
    mix_entity(r, e);
}

/* Not in the place of a living entity, so that most living ones are known. */
static void step_create(run *r) {
    if (!covey_alive(r->world, r->e)) meet(r, covey_create(r->world));
}

static void step_create_at(run *r) {
    if (covey_alive(r->world, r->e)) return;
    uint32_t index = below(r, 20000), next = covey_generation_at(r->world, index) + r->kind;
    if (r->kind == 0) meet(r, covey_create_at(r->world, index));
    else {
        covey_entity e = covey_entity_make(index, next);
        meet(r, covey_create_exact(r->world, &e, 1, COVEY_EXACT_NEW) ? e : COVEY_NULL);
    }
}

static void step_destroy(run *r) { mix(r, covey_destroy(r->world, r->e)); }
static void step_add(run *r) { mix(r, covey_add_raw(r->world, r->e, r->type, &r->cell) != NULL); }
static void step_set(run *r) { mix(r, covey_set_raw(r->world, r->e, r->type, &r->cell) != NULL); }
static void step_remove(run *r) { mix(r, covey_remove_raw(r->world, r->e, r->type)); }
static void step_resource(run *r) { mix(r, covey_resource_set_value(r->world, Far, &r->cell) != NULL); }

static void step_able(run *r) {
    switch (r->kind) {
    case 0: mix(r, (uint64_t)covey_disable(r->world, r->e)); break;
    case 1: mix(r, (uint64_t)covey_enable(r->world, r->e)); break;
    case 2: mix(r, (uint64_t)covey_component_disable_raw(r->world, r->e, r->type)); break;
    default: mix(r, (uint64_t)covey_component_enable_raw(r->world, r->e, r->type)); break;
    }
}

static void step_tree(run *r) {
    mix(r, (uint64_t)covey_parent_set(r->world, r->e, r->other));
    mix(r, covey_depth(r->world, r->e));
    mix_entity(r, covey_tree_next(r->world, r->other, r->e));
}

static void step_name(run *r) {
    char name[16], path[256];
    snprintf(name, sizeof name, "n%" PRIu32, below(r, 5000));
    mix(r, (uint64_t)covey_name_set(r->world, r->e, name));
    mix_entity(r, covey_find_child(r->world, covey_parent(r->world, r->e), name));
    if (covey_path_print(path, sizeof path, r->world, r->e) > 0) mix_text(r, path);
}

static void step_copy(run *r) {
    covey_entity clones[3];
    mix(r, covey_copy(r->world, r->e, r->other));
    mix(r, covey_clone(r->world, r->other, clones, 3));
    for (uint32_t i = 0; i < 3; i++) meet(r, clones[i]);
}

static void step_record(run *r) {
    covey_entity e = covey_record_create(r->commands);
    meet(r, e);
    covey_record_set_raw(r->commands, e, r->type, &r->cell);
    covey_record_set_raw(r->commands, r->e, r->type, &r->cell);
    if (r->kind == 0) covey_record_destroy(r->commands, r->other);
    else covey_record_remove_raw(r->commands, r->other, r->type);
}

static void step_replay(run *r) {
    covey_replay replay = covey_commands_replay(r->commands);
    mix(r, (uint64_t)replay.result);
    mix(r, (uint64_t)replay.done << 32 | replay.skipped);
    mix(r, replay.lost);
}

static void step_order(run *r) {
    static const covey_order orders[] = {
        { .key = COVEY_KEY_INDEX, .descending = true },
        { .key = COVEY_KEY_F64, .offset = offsetof(Cell, weight) },
        { .key = COVEY_KEY_I32, .offset = offsetof(Cell, number) },
        { .key = COVEY_KEY_U64, .offset = offsetof(Cell, wide), .descending = true },
    };
    const covey_order *order = &orders[below(r, 4)];
    switch (r->kind) {
    case 0: mix(r, (uint64_t)covey_pool_sort(covey_pool_of_raw(r->world, r->type), order)); break;
    case 1: mix(r, (uint64_t)covey_pool_keep_sorted(covey_pool_of(r->world, Sorted), order)); break;
    case 2: mix(r, (uint64_t)covey_group_sort(r->group, 0, order)); break;
    default: mix(r, (uint64_t)covey_pool_sort_by_depth(covey_pool_of(r->world, Packed))); break;
    }
}

static void step_tidy(run *r) {
    switch (r->kind) {
    case 0: covey_compact(r->world); break;
    case 1: covey_shrink(r->world); break;
    case 2: covey_pool_compact(covey_pool_of_raw(r->world, r->type), NULL, NULL); break;
    default: mix(r, covey_tick_advance(r->world)); break;
    }
}

static void step_convert(run *r) {
    static const covey_storage storages[] = { COVEY_STORAGE_DEFAULT, COVEY_STORAGE_SPARSE, COVEY_STORAGE_BLOCK };
    mix(r, (uint64_t)covey_pool_convert(covey_pool_of_raw(r->world, r->type), storages[r->kind % 3]));
}

static const struct {
    void (*step)(run *r);
    uint32_t until; /* of 1,000 */
} steps[] = {
    { step_create, 100 }, { step_create_at, 105 }, { step_destroy, 130 },  { step_add, 500 },
    { step_set, 650 },    { step_remove, 760 },    { step_resource, 765 }, { step_able, 815 },
    { step_tree, 860 },   { step_name, 905 },      { step_copy, 912 },     { step_record, 970 },
    { step_replay, 985 }, { step_order, 992 },     { step_tidy, 998 },     { step_convert, 1000 },
};

static void step(run *r) {
    uint32_t choice = below(r, 1000), i = 0;
    choose(r);
    while (choice >= steps[i].until) i++;
    steps[i].step(r);
}

/* ---- Programs -----------------------------------------------------------------------------------------------------*/

static void hear(const covey_event *event, void *context) {
    run *r = context;
    mix(r, (uint64_t)event->signal);
    for (uint32_t i = 0; i < event->count; i++) mix_entity(r, event->entities[i]);
}

static bool begin(run *r) {
    r->world = covey_world_create(NULL);
    if (!r->world) return false;
    r->commands = covey_commands_create(r->world, &(covey_commands_desc){ .entities = 64 });
    r->queue = covey_queue_create(r->world);
    r->reactive = covey_reactive_create(r->world, &(covey_reactive_desc){ .added = { covey_id(Packed) },
                                                                          .set = { covey_id(Packed) },
                                                                          .match.with = { covey_id(Packed) } });
    r->group = covey_group_create(
        r->world, &(covey_group_desc){ .own = { covey_id(Near), covey_id(Far) }, .without = { covey_id(Kept) } });
    if (!r->commands || !r->queue || !r->reactive || !r->group) return false;
    covey_listener queued = { .type = covey_id(Blocked), .signals = COVEY_ON_ADD | COVEY_ON_REMOVE, .queue = r->queue };
    covey_listener entities = { .signals = COVEY_ON_CREATE | COVEY_ON_DESTROY, .call = hear, .context = r };
    covey_listener sets = {
        .type = covey_id(Fixed), .signals = COVEY_ON_SET, .call = hear, .context = r, .spans = true
    };
    return covey_connected(r->world, covey_connect(r->world, &queued)) &&
           covey_connected(r->world, covey_connect(r->world, &entities)) &&
           covey_connected(r->world, covey_connect(r->world, &sets));
}

static void look(run *r) {
    const char *why = NULL;
    if (!covey_world_validate(r->world, &why)) fail(why);
    mix(r, (uint64_t)covey_world_result(r->world));
    mix_world(r, r->world);
    mix_views(r);
    r->walks = walks_of(r->world);
    mix(r, r->walks);
    mix_queue(r);
    mix_clone(r);
    mix_images(r);
}

static uint64_t run_program(uint64_t seed, uint32_t crowd) {
    static run r;
    r = (run){ .random = { seed }, .digest = UINT64_C(0xCBF29CE484222325), .crowd = crowd };
    if (!begin(&r)) fail("no memory for a program");
    for (uint32_t i = 1; i <= 64 * crowd; i++) {
        step(&r);
        if (i % (4 * crowd) == 0) look(&r);
    }
    covey_world_destroy(r.world); /* its end is reported, too */
    return r.digest;
}

int main(void) {
    static const uint32_t crowds[] = { 20, 200, 600, CROWD };
    uint64_t all = 0;
    for (uint32_t seed = 0; seed < 8; seed++) {
        uint32_t crowd = crowds[seed % 4];
        uint64_t digest = run_program(seed, crowd);
        printf("program %" PRIu32 ", a crowd of %" PRIu32 ": %016" PRIx64 "\n", seed, crowd, digest);
        all = all * 31 + digest;
    }
    printf("digest %016" PRIx64 "\n", all);
    return EXIT_SUCCESS;
}
