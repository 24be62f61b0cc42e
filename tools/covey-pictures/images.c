/* An image: the sections that saving writes, and what loading and merging make of them. */
#include "pictures.h"
#include <covey/image.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    covey_entity target;
} Follows;
COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_FIELDS_DEFINE(Follows, entity(target));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Follows, .fields = &covey_fields_Follows);

static const covey_type *const types[] = { covey_id(Position), covey_id(Follows), NULL };

/* A row for each entity that has a position: its handle, the position, and the handle that it follows. */
static void draw_entities(picture *p, covey_world *world, bool changed) {
    static const double x[] = { MARGIN, 110, 240 };
    static const char *const heads[] = { "entity", "Position", "Follows" };
    for (int i = 0; i < 3; i++) picture_text(p, x[i] + 2, p->y + 8, "label", "%s", heads[i]);
    p->y += 14;
    for (covey_pool *pool = covey_pool_find(world, Position); pool;) {
        for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1)) {
            covey_entity e = covey_pool_at(pool, at);
            const Position *position = covey_pool_value_at(pool, at, Position);
            const Follows *follows = covey_get(world, e, Follows);
            bool is_new = changed && position->x > 0;
            char text[3][32] = { "", "", "" };
            snprintf(text[0], sizeof text[0], "%u:%u", e.index, e.generation);
            snprintf(text[1], sizeof text[1], "%g, %g", position->x, position->y);
            if (follows) snprintf(text[2], sizeof text[2], "%u:%u", follows->target.index, follows->target.generation);
            picture_cell(p, x[0], p->y, 90, MEMBER, is_new, text[0]);
            picture_cell(p, x[1], p->y, 122, VALUE, false, text[1]);
            if (follows) picture_cell(p, x[2], p->y, 90, VALUE, is_new, text[2]);
            p->y += CELL_HEIGHT + 4;
        }
        break;
    }
}

/* A number of four bytes, as images have them. */
static uint32_t number_at(const unsigned char *bytes) {
    return (uint32_t)bytes[0] | (uint32_t)bytes[1] << 8 | (uint32_t)bytes[2] << 16 | (uint32_t)bytes[3] << 24;
}

static void draw_part(picture *p, size_t offset, size_t size, const char *kind, const char *name, const char *remark) {
    picture_text(p, MARGIN + 34, p->y + 15, "small", "%zu", offset);
    picture_cell(p, MARGIN + 62, p->y, 128, kind, false, name);
    picture_text(p, MARGIN + 200, p->y + 15, "note", "%zu bytes%s%s", size, *remark ? ": " : "", remark);
    p->y += CELL_HEIGHT + 3;
}

/* The parts of an image, as its table says (docs/format.md). */
static void draw_sections(picture *p, const unsigned char *bytes, size_t size) {
    static const char *const names[] = { "?", "world", "entities", "pool", "resource", "parents", "names", "kinds" };
    static const char *const remarks[] = { "", "tick, count", "generations", "", "", "", "", "" };
    uint32_t count = number_at(bytes + size - 8), pool = 0;
    const unsigned char *table = bytes + size - 16 - (size_t)count * 16;
    size_t offset = 16;
    draw_part(p, 0, 16, EMPTY, "frame", "version");
    for (uint32_t i = 0; i < count; i++) {
        uint32_t number = number_at(table + i * 16), length = number_at(table + i * 16 + 8);
        const char *remark = number == 3 ? types[pool++]->name : remarks[number];
        draw_part(p, offset, length, VALUE, names[number], remark);
        offset += length;
    }
    draw_part(p, offset, size - offset, EMPTY, "table", "checksums");
}

/* Three entities, one of which has an index that was used before. */
static void fill(covey_world *world) {
    covey_entity leader = covey_create(world), gone = covey_create(world);
    covey_destroy(world, gone);
    covey_add(world, leader, Position, { 1, 1 });
    for (float i = 2; i < 4; i++) {
        covey_entity e = covey_create(world);
        covey_add(world, e, Position, { i, 1 });
        covey_add(world, e, Follows, { leader });
    }
}

bool draw_image(picture *p, const char *folder) {
    covey_world *world = covey_world_create(NULL), *fresh = covey_world_create(NULL), *other = covey_world_create(NULL);
    covey_load_desc load = { .types = types };
    fill(world);
    for (int i = 0; i < 2; i++) covey_add(other, covey_create(other), Position, { (float)-i, 0 });
    size_t size = covey_save_to_memory(world, NULL, 0, NULL, NULL);
    unsigned char *bytes = malloc(size);
    bool done = size != 0 && bytes && covey_save_to_memory(world, bytes, size, NULL, NULL) == size &&
                covey_load_from_memory(fresh, bytes, size, &load, NULL) == COVEY_OK &&
                covey_merge_from_memory(other, bytes, size, &load, NULL) == COVEY_OK;
    picture_begin(p);
    picture_panel(p, "a world", "Handles are index:generation. The second index is\nin use for the second time.");
    draw_entities(p, world, false);
    picture_panel(p, "covey_save_to_memory", "An image: the same bytes on every machine.");
    if (done) draw_sections(p, bytes, size);
    picture_panel(p, "covey_load_from_memory", "Into an empty world: the same handles.");
    draw_entities(p, fresh, false);
    picture_panel(
        p, "covey_merge_from_memory",
        "Into a world with two entities: new handles, also in\nfields, which refer to the same entities as before.");
    draw_entities(p, other, true);
    free(bytes);
    covey_world_destroy(world), covey_world_destroy(fresh), covey_world_destroy(other);
    return picture_end(p, folder, "image", "A world, its image, and the worlds that load and merge it") && done;
}
