#include "images.h"

#include "churn.h"
#include "texts.h"

#include "memory/crc32c.h"
#include "change/entity.h"
#include "image/image.h"

#include <covey/hierarchy.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- Types --------------------------------------------------------------------------------------------------------*/

COVEY_FIELDS_DEFINE(Spot, i32(x), boolean(on), u16(y));
COVEY_FIELDS_DEFINE(Kinds, i8(i8), i16(i16), i32(i32), i64(i64), u8(u8), u16(u16), u32(u32), u64(u64), f32(f32),
                    f64(f64), boolean(yes), character(letter), entity(friend_of), array(character, text),
                    array(i16, row), matrix(f32, grid), nested(Spot, spot), padding(void *, cache),
                    nested_array(Spot, spots), array(boolean, flags), array(entity, others));
COVEY_FIELDS_DEFINE(Number, u32(number), u32(check));

static const Kinds some_kinds = { .i32 = -5, .text = "default", .spot = { 1, true, 2 } };

COVEY_COMPONENT_DEFINE(Kinds, .ticks = true, .fields = &covey_fields_Kinds, .defaults = &some_kinds);
COVEY_COMPONENT_DEFINE(InBlocks, .zero_erased = true, .fields = &covey_fields_Number);
COVEY_COMPONENT_DEFINE(InPins, .storage = COVEY_STORAGE_PINNED, .ticks = true, .fields = &covey_fields_Number);
COVEY_COMPONENT_DEFINE(InPack, .storage = COVEY_STORAGE_SPARSE, .fields = &covey_fields_Number);
COVEY_COMPONENT_DEFINE(InPlace, .policy = COVEY_IN_PLACE, .zero_erased = true, .fields = &covey_fields_Number);
COVEY_COMPONENT_DEFINE(InShelf, .policy = COVEY_SWAP_ONLY, .fields = &covey_fields_Number);
COVEY_COMPONENT_DEFINE(InQueue, .policy = COVEY_ORDERED, .compact_above = 50, .fields = &covey_fields_Number);
COVEY_COMPONENT_DEFINE(Blob, .storage = COVEY_STORAGE_SPARSE, .no_copy = true, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Settings, .fields = &covey_fields_Number);
COVEY_COMPONENT_DEFINE(Lost, .transient = true);
COVEY_TAG_DEFINE(PlainTag);
COVEY_TAG_DEFINE(SparseTag, .storage = COVEY_STORAGE_SPARSE);

const covey_type *const image_types[] = {
    covey_id(Kinds),     covey_id(InBlocks), covey_id(InPins), covey_id(InPack),      covey_id(InPlace),
    covey_id(InShelf),   covey_id(InQueue),  covey_id(Blob),   covey_id(PlainTag),    covey_id(Settings),
    covey_id(SparseTag), covey_id(Text),     covey_id(Crew),   covey_id(TextInPlace), covey_id(TextResource),
    covey_id(ChurnA),    covey_id(ChurnB),   covey_id(ChurnC), covey_id(ChurnD),      NULL
};
const covey_type *const number_types[NUMBER_TYPES] = { covey_id(InBlocks), covey_id(InPins),  covey_id(InPack),
                                                       covey_id(InPlace),  covey_id(InShelf), covey_id(InQueue),
                                                       covey_id(Blob) };

Number image_number(uint32_t number) { return (Number){ number, ~number }; }

/* Padding is zero, too, so that bytes can be compared. */
Kinds kinds_of(uint32_t n, covey_entity friend_of) {
    int32_t s = (int32_t)n;
    Kinds k;
    memset(&k, 0, sizeof k);
    k.i8 = (int8_t)(-s % 100), k.i16 = (int16_t)(-s * 3), k.i32 = -s * 70000, k.i64 = -(int64_t)n * 5000000000;
    k.u8 = (uint8_t)n, k.u16 = (uint16_t)(n * 257), k.u32 = n * 70001, k.u64 = (uint64_t)n * 5000000001;
    k.f32 = (float)n / 4, k.f64 = (double)n / 8;
    k.yes = n % 2 == 0, k.letter = (char)('a' + n % 26);
    k.friend_of = k.others[0] = friend_of;
    k.text[0] = 'n', k.text[1] = (char)('0' + n % 10);
    k.row[0] = (int16_t)s, k.row[1] = (int16_t)-s, k.row[2] = 3;
    k.grid[0][0] = 1, k.grid[0][1] = (float)n, k.grid[1][0] = 3, k.grid[1][1] = 4;
    k.spot.x = s, k.spot.on = true, k.spot.y = (uint16_t)(n + 1);
    k.spots[0].x = -s, k.spots[0].y = 7, k.spots[1].x = s * 2, k.spots[1].on = true, k.spots[1].y = 8;
    k.flags[0] = true, k.flags[1] = n % 3 == 0;
    return k;
}

/* ---- A world ------------------------------------------------------------------------------------------------------*/

covey_world *image_world(test_heap *heap) {
    *heap = (test_heap){ 0 };
    covey_world_desc desc = { .allocator = test_allocator(heap) };
    return covey_world_create(&desc);
}

enum { MANY = 14 };

static bool add_numbers(covey_world *world, covey_entity *e) {
    for (uint32_t i = 0; i < MANY; i++)
        for (uint32_t k = 0; k < NUMBER_TYPES; k++) {
            Number number = image_number(i * 10 + k);
            if ((i + k) % 3 != 0 && !covey_add_raw(world, e[i], number_types[k], &number)) return false;
        }
    return true;
}

/* As many times as there are generations: the index does not come back. */
static bool retire(covey_world *world) {
    covey_entity e = covey_create_at(world, 20);
    if (covey_is_null(e)) return false;
    e.generation = COVEY_GENERATION_MAX;
    world->pages[e.index / COVEY_PAGE_SIZE]->generation[e.index % COVEY_PAGE_SIZE] = e.generation;
    return covey_destroy(world, e);
}

static bool add_kinds(covey_world *world, covey_entity *e) {
    bool done = true;
    for (uint32_t i = 1; i < MANY; i += 3) {
        Kinds kinds = kinds_of(i, e[i - 1]);
        done = done && covey_add_value(world, e[i], Kinds, &kinds);
        done = done && covey_add_tag(world, e[i], PlainTag) && covey_add_tag(world, e[i - 1], SparseTag);
        covey_tick_advance(world);
    }
    return done && covey_remove(world, e[3], SparseTag);
}

/* Ends some, so that indices are free, and positions in every pool. */
static bool make_holes(covey_world *world, covey_entity *e) {
    bool done = covey_destroy(world, e[9]) && covey_destroy(world, e[5]) && covey_destroy(world, e[2]);
    for (uint32_t k = 0; k < NUMBER_TYPES; k++) done = covey_remove_raw(world, e[7 + k % 2], number_types[k]) || done;
    covey_tick_advance(world);
    return done;
}

static bool place_all(covey_world *world, covey_entity *e) {
    static const char *const names[] = { "root", "left", "right" };
    bool done = true;
    for (uint32_t i = 0; i < 3; i++) done = done && covey_name_set(world, e[10 + i], names[i]) == COVEY_OK;
    done = done && covey_parent_set(world, e[11], e[10]) == COVEY_OK;
    done = done && covey_parent_set(world, e[12], e[10]) == COVEY_OK;
    done = done && covey_parent_set(world, e[4], e[11]) == COVEY_OK;
    done = done && covey_disable(world, e[6]) == COVEY_OK && covey_disable(world, e[13]) == COVEY_OK;
    done = done && covey_component_disable(world, e[1], InBlocks) == COVEY_OK;
    return done && covey_component_disable(world, e[10], Kinds) == COVEY_OK;
}

bool image_fill(covey_world *world) {
    covey_entity e[MANY];
    covey_range range = covey_range_reserve(world, 40, 4);
    bool done = range.count == 4 && covey_create_many(world, e, MANY) && retire(world);
    done = done && add_numbers(world, e) && add_kinds(world, e);
    covey_entity inside = done ? covey_create_in(world, range) : (covey_entity){ 0, 0 };
    done = done && !covey_is_null(inside) && !covey_is_null(covey_create_in(world, range));
    done = done && covey_add(world, inside, InPack, { 77, ~77u }) && covey_destroy(world, inside);
    done = done && make_holes(world, e) && place_all(world, e);
    done = done && covey_add(world, e[0], Lost, { 1, 2 });
    done = done && covey_resource_set(world, Settings, { 5, ~5u }) && covey_resource_set(world, Blob, { 6, ~6u });
    return done && covey_resource_set(world, Lost, { 7, ~7u });
}

/* ---- Bytes --------------------------------------------------------------------------------------------------------*/

static void write_u32(unsigned char *bytes, uint32_t number) {
    for (uint32_t i = 0; i < 4; i++) bytes[i] = (unsigned char)(number >> 8 * i);
}

void image_mend(unsigned char *bytes, size_t size) {
    if (size < COVEY__HEADER_BYTES + COVEY__TRAILER_BYTES) return;
    size_t trailer = size - COVEY__TRAILER_BYTES, at = COVEY__HEADER_BYTES;
    uint32_t sections = covey__u32_at(bytes + trailer + 8);
    if (sections > (trailer - at) / COVEY__ENTRY_BYTES) return;
    size_t table = trailer - (size_t)sections * COVEY__ENTRY_BYTES;
    for (uint32_t i = 0; i < sections; i++) {
        unsigned char *entry = bytes + table + (size_t)i * COVEY__ENTRY_BYTES;
        uint64_t length = covey__u64_at(entry + 8);
        if (length > table - at) break;
        write_u32(entry + 4, covey__crc32c(0, bytes + at, (size_t)length));
        at += (size_t)length;
    }
    uint32_t sum = covey__crc32c(0, bytes, COVEY__HEADER_BYTES);
    write_u32(bytes + trailer + 12, covey__crc32c(sum, bytes + table, trailer - table + 12));
}

static uint64_t hash(const covey_buffer *buffer) {
    uint64_t number = UINT64_C(0xCBF29CE484222325);
    for (size_t i = 0; i < buffer->size; i++) number = (number ^ buffer->bytes[i]) * UINT64_C(0x100000001B3);
    return number;
}

uint64_t image_digest(covey_world *world) {
    uint32_t pools = covey_world_pool_count(world), resources = covey_world_resource_count(world), count = 0;
    const covey_type **types = calloc((size_t)pools + resources + 1, sizeof *types);
    covey_buffer image = { 0 };
    if (!types) abort();
    for (uint32_t i = 0; i < pools; i++) {
        const covey_type *type = covey_pool_type(covey_world_pool(world, i));
        if (covey_pool_count(covey_world_pool(world, i)) != 0) types[count++] = type;
    }
    for (uint32_t i = 0; i < resources; i++) types[count++] = covey_world_resource(world, i);
    if (covey_save_to_buffer(world, &image, &(covey_save_desc){ .types = types }, NULL) != COVEY_OK) abort();
    uint64_t number = hash(&image);
    covey_buffer_free(&image);
    free(types);
    return number;
}

/* ---- Checks -------------------------------------------------------------------------------------------------------*/

static const char *check_world(const covey_world *world, const test_heap *heap) {
    const char *why = NULL;
    if (texts.broken) return "a text was dropped that was not there";
    if (!covey_world_validate(world, &why)) return why;
    return covey_world_memory(world) == heap->bytes ? NULL : "the world counts other bytes than it has";
}

static const char *check_refused(covey_world *world, const covey_report *report, covey_result result) {
    if (report->result != result || report->text[0] == '\0') return "a report without a reason";
    if ((report->fault != COVEY_FAULT_NONE) != (result == COVEY_ERROR_IMAGE || result == COVEY_ERROR_LIMIT))
        return "a fault that does not fit the result";
    return covey_world_result(world) == result ? NULL : "the world does not know the result";
}

/* Nothing that a caller could see, but for pools that were met. */
static const char *check_empty(covey_world *world) {
    if (!covey__entities_never_used(world)) return "an index was used by an image that was refused";
    if (covey_world_resource_count(world) != 0) return "a resource of an image that was refused";
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++)
        if (covey_pool_count(covey_world_pool(world, i)) != 0) return "a component of an image that was refused";
    return covey_tick(world) == 1 ? NULL : "the time of an image that was refused";
}

/* The world can be saved and loaded, and saved again: the bytes are the same. */
static const char *check_again(covey_world *world, const covey_load_desc *desc) {
    covey_buffer image = { 0 }, again = { 0 };
    test_heap heap;
    covey_world *twin = image_world(&heap);
    covey_load_desc all = { .types = desc->types, .unknown = COVEY_UNKNOWN_KEEP };
    const char *why = NULL;
    covey_report report;
    if (covey_save_to_buffer(world, &image, NULL, NULL) != COVEY_OK) why = "what was loaded cannot be saved";
    else if (covey_load_from_memory(twin, image.bytes, image.size, &all, &report) != COVEY_OK)
        why = "what was saved cannot be loaded";
    else if (covey_save_to_buffer(twin, &again, NULL, NULL) != COVEY_OK) why = "it cannot be saved again";
    else if (again.size != image.size || memcmp(again.bytes, image.bytes, image.size) != 0) why = "other bytes";
    else why = check_world(twin, &heap);
    covey_world_destroy(twin);
    covey_buffer_free(&image);
    covey_buffer_free(&again);
    return why;
}

/* The world can be used: all that is in it ends, and something new begins. */
static const char *check_use(covey_world *world, const test_heap *heap) {
    covey_destroy_all(world);
    covey_entity e = covey_create(world);
    for (uint32_t i = 0; i < covey_world_pool_count(world) && !covey_is_null(e); i++) {
        const covey_type *type = covey_pool_type(covey_world_pool(world, i));
        if (strncmp(type->name, "covey.", 6) == 0 || type->size > 4096) continue; /* there may be no memory for it */
        if (!covey_add_raw(world, e, type, NULL)) return "a component cannot be added";
    }
    return check_world(world, heap);
}

static const char *check_end(const test_heap *heap, uint32_t live) {
    if (texts.live != live) return "texts are lost";
    return heap->bytes == 0 ? NULL : "bytes are lost";
}

const char *image_check_load(const void *bytes, size_t size, const covey_load_desc *desc, covey_report *report) {
    test_heap heap;
    uint32_t live = texts.live;
    covey_world *world = image_world(&heap);
    covey_result result = covey_load_from_memory(world, bytes, size, desc, report);
    const char *why = check_world(world, &heap);
    if (!why && result != COVEY_OK) why = check_refused(world, report, result);
    if (!why && result != COVEY_OK) why = check_empty(world);
    if (!why) why = check_again(world, desc);
    if (!why) why = check_use(world, &heap);
    covey_world_destroy(world);
    return why ? why : check_end(&heap, live);
}

const char *image_check_merge(const void *bytes, size_t size, const covey_load_desc *desc, covey_report *report) {
    test_heap heap;
    uint32_t live = texts.live;
    covey_world *world = image_world(&heap);
    if (!image_fill(world) || !text_fill(world)) abort();
    uint64_t before = image_digest(world);
    uint32_t alive = covey_entity_count(world);
    covey_result result = covey_merge_from_memory(world, bytes, size, desc, report);
    const char *why = check_world(world, &heap);
    if (!why && result != COVEY_OK) why = check_refused(world, report, result);
    if (!why && result != COVEY_OK && image_digest(world) != before)
        why = "an image that was refused changed the world";
    if (!why && result == COVEY_OK && covey_entity_count(world) < alive) why = "entities have ended";
    if (!why) why = check_again(world, desc);
    if (!why) why = check_use(world, &heap);
    covey_world_destroy(world);
    return why ? why : check_end(&heap, live);
}

/* What a world follows first. */
static void fill_followed(covey_world *world, covey_follower *follower, const covey_load_desc *desc) {
    test_heap heap;
    covey_world *source = image_world(&heap);
    covey_buffer image = { 0 };
    covey_load_desc known = { .types = image_types };
    bool done = image_fill(source) && text_fill(source);
    done = done && covey_save_to_buffer(source, &image, NULL, NULL) == COVEY_OK;
    done = done &&
           covey_follow_from_memory(follower, image.bytes, image.size, desc->types ? desc : &known, NULL) == COVEY_OK;
    if (!done) abort();
    covey_entity e = covey_entity_next(world, (covey_entity){ 0, 0 });
    covey_add(world, e, Lost, { 1, 2 });
    covey_parent_set(world, covey_create(world), e);
    covey_buffer_free(&image);
    covey_world_destroy(source);
}

const char *image_check_follow(const void *bytes, size_t size, const covey_load_desc *desc, covey_report *report) {
    test_heap heap;
    uint32_t live = texts.live;
    covey_world *world = image_world(&heap);
    covey_follower *follower = covey_follower_create(world);
    if (!follower) abort();
    fill_followed(world, follower, desc);
    uint64_t before = image_digest(world);
    covey_result result = covey_follow_from_memory(follower, bytes, size, desc, report);
    const char *why = NULL;
    if (!covey_world_validate(world, &why)) why = why ? why : "not valid";
    if (!why && result != COVEY_OK) why = check_refused(world, report, result);
    if (!why && result != COVEY_OK && image_digest(world) != before)
        why = "an image that was refused changed the world";
    if (!why && result == COVEY_OK) result = covey_follow_from_memory(follower, bytes, size, desc, report);
    if (!why && result == COVEY_OK && !covey_world_validate(world, &why)) why = "not valid after the second time";
    covey_follower_destroy(follower);
    if (!why) why = check_again(world, desc);
    if (!why) why = check_use(world, &heap);
    covey_world_destroy(world);
    return why ? why : check_end(&heap, live);
}

void image_run_input(const uint8_t *data, size_t size, image_check_fn *check) {
    if (size == 0) return;
    covey_load_desc desc = { .types = (data[0] & 2) != 0 ? NULL : image_types,
                             .unknown = (covey_unknown)(data[0] / 4 % 3),
                             .limit_bytes = 1 << 26 };
    unsigned char *bytes = malloc(size);
    if (!bytes) abort();
    memcpy(bytes, data + 1, size - 1);
    if ((data[0] & 1) != 0) image_mend(bytes, size - 1);
    covey_report report;
    const char *why = check(bytes, size - 1, &desc, &report);
    free(bytes);
    if (!why) return;
    fprintf(stderr, "%s\n", why);
    abort();
}
