/* Images: a world as bytes, saved, loaded into a new world or a cleared one, and merged into one that has entities. */
#include <covey/fields.h>
#include <covey/image.h>
#include <stdio.h>

typedef struct {
    float x, y;
} Position;
typedef struct {
    covey_entity target; /* a handle: loading keeps it, merging maps it */
    int32_t wounds[2];
    bool angry;
} Monster;

COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_FIELDS_DEFINE(Monster, entity(target), array(i32, wounds), boolean(angry));
COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Monster, .fields = &covey_fields_Monster);

/* The types that this program loads. Types of an image are matched by name. */
static const covey_type *const types[] = { covey_id(Position), covey_id(Monster), NULL };

static void print_merged(covey_entity before, covey_entity now, void *context) {
    (void)context;
    printf("  %u:%u is %u:%u here\n", before.index, before.generation, now.index, now.generation);
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity hero = covey_create(world), ogre = covey_create(world), gone = covey_create(world);
    covey_add(world, hero, Position, { 1, 2 });
    covey_add(world, ogre, Position, { 3, 4 });
    covey_add(world, ogre, Monster, { hero, { 5, 6 }, true });
    covey_destroy(world, gone);

    covey_report report;
    covey_buffer image = { 0 };
    if (covey_save_to_buffer(world, &image, NULL, &report) != COVEY_OK) return 1;
    covey_section sections[8];
    uint32_t count = covey_image_sections(image.bytes, image.size, sections, 8, &report);
    printf("an image of %u entities\n", covey_entity_count(world));
    for (uint32_t i = 0; i < count && i < 8; i++)
        if (sections[i].kind == COVEY_SECTION_POOL)
            printf("  %s: %llu of %llu bytes\n", sections[i].name, (unsigned long long)sections[i].count,
                   (unsigned long long)sections[i].value_bytes);

    /* A new world has the same handles; stale ones are still stale. */
    covey_world *copy = covey_world_create(NULL);
    /* The image may be hostile: limits say what this program expects. */
    covey_load_desc desc = { .types = types, .limit_bytes = 1 << 20, .limit_types = 10, .merged = print_merged };
    if (covey_load_from_memory(copy, image.bytes, image.size, &desc, &report) != COVEY_OK) return 1;
    printf("the ogre has %d wounds, and what is gone is %s\n", covey_get(copy, ogre, Monster)->wounds[0],
           covey_alive(copy, gone) ? "back" : "gone");

    /* A world that was cleared keeps its groups and listeners, and older handles do not resolve: entities whose handles
     * were given out get new ones. */
    covey_destroy_all(copy);
    if (covey_load_from_memory(copy, image.bytes, image.size, &desc, &report) != COVEY_OK) return 1;
    printf("the ogre of before is %s\n", covey_alive(copy, ogre) ? "back" : "gone");

    /* Merging into a world with entities: entities get new handles, and handles in fields are mapped. */
    if (covey_merge_from_memory(world, image.bytes, image.size, &desc, &report) != COVEY_OK) return 1;
    covey_pool *monsters = covey_pool_of(world, Monster);
    for (uint32_t p = covey_pool_next(monsters, 0); p != COVEY_NONE; p = covey_pool_next(monsters, p + 1))
        printf("monster %u is after %u\n", covey_pool_at(monsters, p).index,
               covey_pool_value_at(monsters, p, Monster)->target.index);

    /* Whatever the bytes are: the image is loaded, or the world is unchanged. */
    covey_world *empty = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    image.bytes[image.size / 2] ^= 1;
    covey_result result = covey_load_from_memory(empty, image.bytes, image.size, &desc, &report);
    printf("one bit: %s\n", result == COVEY_ERROR_IMAGE ? covey_fault_text(report.fault) : "not noticed");

    covey_buffer_free(&image);
    covey_world_destroy(empty);
    covey_world_destroy(copy);
    covey_world_destroy(world);
    return result == COVEY_ERROR_IMAGE ? 0 : 1;
}
