/* Splitting components: the same 32 bytes of each entity in one component, in two and in four, and what that takes in
 * memory. docs/splitting.md says when to split. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float f[8];
} Whole;
typedef struct {
    float f[4];
} Half;
typedef struct {
    float f[2];
} Quarter;
typedef Half First, Second;
typedef Quarter North, East, South, West;
COVEY_COMPONENT_DEFINE(Whole);
COVEY_COMPONENT_DEFINE(First);
COVEY_COMPONENT_DEFINE(Second);
COVEY_COMPONENT_DEFINE(North);
COVEY_COMPONENT_DEFINE(East);
COVEY_COMPONENT_DEFINE(South);
COVEY_COMPONENT_DEFINE(West);

enum { ENTITIES = 100000, MOST = 4 };

typedef struct Cut {
    const char *name;
    const covey_type *types[MOST + 1];
} Cut;

/* The bytes of all pools for each entity that has the components: all of them, or one in ten. */
static double bytes(const Cut *cut, covey_storage storage, uint32_t every) {
    covey_world *world = covey_world_create(NULL);
    if (!world) exit(EXIT_FAILURE);
    size_t total = 0;
    for (const covey_type *const *type = cut->types; *type; type++)
        if (covey_pool_convert(covey_pool_of_raw(world, *type), storage) != COVEY_OK) exit(EXIT_FAILURE);
    for (uint32_t i = 0; i < ENTITIES; i++) {
        covey_entity e = covey_create(world);
        for (const covey_type *const *type = cut->types; *type && i % every == 0; type++)
            covey_add_raw(world, e, *type, NULL);
    }
    covey_compact(world);
    covey_shrink(world);
    for (const covey_type *const *type = cut->types; *type; type++)
        total += covey_pool_memory(covey_pool_find_raw(world, *type));
    covey_world_destroy(world);
    return (double)total / (ENTITIES / every);
}

int main(void) {
    static const Cut cuts[] = {
        { "one of 32 bytes", { covey_id(Whole), NULL } },
        { "two of 16", { covey_id(First), covey_id(Second), NULL } },
        { "four of 8", { covey_id(North), covey_id(East), covey_id(South), covey_id(West), NULL } },
    };
    printf("%-16s %14s %14s %14s %14s\n", "bytes", "blocks", "sparse", "blocks, 10 %", "sparse, 10 %");
    for (int i = 0; i < 3; i++)
        printf("%-16s %14.1f %14.1f %14.1f %14.1f\n", cuts[i].name, bytes(&cuts[i], COVEY_STORAGE_BLOCK, 1),
               bytes(&cuts[i], COVEY_STORAGE_SPARSE, 1), bytes(&cuts[i], COVEY_STORAGE_BLOCK, 10),
               bytes(&cuts[i], COVEY_STORAGE_SPARSE, 10));
    bool right = bytes(&cuts[2], COVEY_STORAGE_SPARSE, 1) > bytes(&cuts[0], COVEY_STORAGE_SPARSE, 1) &&
                 bytes(&cuts[0], COVEY_STORAGE_BLOCK, 1) < bytes(&cuts[0], COVEY_STORAGE_SPARSE, 1);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
