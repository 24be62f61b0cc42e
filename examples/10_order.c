/* Order: sorting a sparse pool by a key or a function, following another pool, keeping a pool sorted. A function can
 * compare two fields, or look up other components of the entities. */
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
    for (uint32_t i = 0; i < covey_pool_position_count(pool); i++) printf("  %s %g", sprites[i].name, sprites[i].depth);
    printf("\n");
}

/* Two fields: by depth, and by name where the depth is equal. */
static int compare_both(const void *a, const void *b, void *context) {
    const Sprite *left = a, *right = b;
    (void)context;
    if (left->depth != right->depth) return left->depth < right->depth ? -1 : 1;
    return strcmp(left->name, right->name);
}

/* Another component of the entity is the key. */
static void position_of(void *key, covey_entity e, const void *value, void *world) {
    float x = -covey_get((const covey_world *)world, e, Position)->x;
    (void)value;
    memcpy(key, &x, sizeof x);
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

    right = right && covey_pool_sort_as(positions, pool) == COVEY_OK; /* so that a view of both has long spans */
    right = right && covey_same(covey_pool_ids(positions)[0], covey_pool_ids(pool)[0]);
    right = right && covey_pool_sort(pool, &(covey_order){ .compare = compare_both }) == COVEY_OK;
    show_sprites(pool, "by both");
    right = right && strcmp(covey_pool_values(pool, Sprite)[2].name, "fence") == 0;
    const covey_order by_position = { .key = COVEY_KEY_F32, .key_of_entity = position_of, .context = world };
    right = right && covey_pool_sort(pool, &by_position) == COVEY_OK;
    show_sprites(pool, "by place");
    right = right && covey_same(covey_pool_ids(pool)[0], e[4]);

    /* A pool that is kept sorted: components go where they belong. The first timer is always the next. */
    covey_pool *timers = covey_pool_of(world, Timer);
    right = right && covey_pool_keep_sorted(timers, &(covey_order){ .key = COVEY_KEY_U32 }) == COVEY_OK;
    const uint32_t times[] = { 40, 10, 30, 20, 10 };
    for (int i = 0; i < 5; i++) covey_add(world, e[i], Timer, { times[i] });
    const Timer *sorted = covey_pool_values(timers, Timer);
    for (uint32_t i = 0; i < 5; i++) printf("%s%u", i == 0 ? "timers      " : ", ", sorted[i].at);
    printf("\n");
    right = right && sorted[0].at == 10 && sorted[2].at == 20 && sorted[4].at == 40;
    covey_world_destroy(world);
    return right ? EXIT_SUCCESS : EXIT_FAILURE;
}
