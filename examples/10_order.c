/* Order: sorting a sparse pool by a key or a function, following another pool, keeping a pool sorted. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    float depth;
    char name[12];
} Sprite;
typedef struct {
    float x, y;
} Position;
typedef struct {
    uint32_t at;
} Timer;
COVEY_COMPONENT_DEFINE(Sprite, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Position, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(Timer, .storage = COVEY_STORAGE_SPARSE);

static void show_sprites(const covey_pool *pool, const char *order) {
    const Sprite *sprites = covey_pool_values(pool, Sprite);
    printf("%-10s", order);
    for (uint32_t i = 0; i < covey_pool_size(pool); i++) printf("  %s %g", sprites[i].name, sprites[i].depth);
    printf("\n");
}

static int compare_names(const void *a, const void *b, void *context) {
    (void)context;
    return strcmp(((const Sprite *)a)->name, ((const Sprite *)b)->name);
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    covey_entity e[5];
    if (!world || !covey_create_many(world, e, 5)) return EXIT_FAILURE;
    const Sprite sprites[] = { { 3, "house" }, { 1, "cat" }, { 9, "sky" }, { 2, "tree" }, { 3, "fence" } };
    for (int i = 0; i < 5; i++) {
        covey_add_value(world, e[i], Sprite, &sprites[i]);
        covey_add(world, e[i], Position, { (float)i, 0 });
    }
    covey_pool *pool = covey_pool_of(world, Sprite), *positions = covey_pool_of(world, Position);
    show_sprites(pool, "as added");

    /* A key is a number in the value. Sorting is stable: the house stays before the fence. */
    const covey_order by_depth = { .key = COVEY_KEY_F32, .offset = offsetof(Sprite, depth), .descending = true };
    bool right = covey_pool_sort(pool, &by_depth) == COVEY_OK;
    show_sprites(pool, "by depth");

    /* Another pool follows, so that a view of both has long spans. */
    right = right && covey_pool_sort_as(positions, pool) == COVEY_OK;
    right = right && covey_same(covey_pool_ids(positions)[0], covey_pool_ids(pool)[0]);

    right = right && covey_pool_sort(pool, &(covey_order){ .compare = compare_names }) == COVEY_OK;
    show_sprites(pool, "by name");
    right = right && strcmp(covey_pool_values(pool, Sprite)[0].name, "cat") == 0;

    /* A pool that is kept sorted: components go where they belong. The first timer is always the next. */
    covey_pool *timers = covey_pool_of(world, Timer);
    right = right && covey_pool_keep(timers, &(covey_order){ .key = COVEY_KEY_U32 }) == COVEY_OK;
    const uint32_t times[] = { 40, 10, 30, 20, 10 };
    for (int i = 0; i < 5; i++) covey_add(world, e[i], Timer, { times[i] });
    for (uint32_t last = 0; covey_pool_count(timers) != 0;) {
        covey_entity next = covey_pool_ids(timers)[0];
        uint32_t at = covey_pool_get(timers, next, Timer)->at;
        right = right && at >= last;
        last = at;
        printf("%s%u: entity %u%s", covey_pool_count(timers) == 5 ? "timers      " : ", ", at, next.index,
               covey_pool_count(timers) == 1 ? "\n" : "");
        covey_pool_remove(timers, next, Timer);
    }
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
