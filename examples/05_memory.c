/* Memory: a custom allocator, exact byte counts, what happens when memory runs out, and how to free unused memory. */
#include <covey/covey.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct {
    float x, y, z, w;
} Position;
COVEY_COMPONENT_DEFINE(Position, .storage = COVEY_STORAGE_SPARSE); /* one array of values, which doubles */

typedef struct {
    size_t used, limit;
} Budget;

/* One function allocates (`ptr` is NULL), frees (`new_size` is 0) and resizes. The components here need no more
 * alignment than realloc provides. */
static void *budget_alloc(void *context, void *ptr, size_t old_size, size_t new_size, size_t align) {
    Budget *budget = context;
    (void)align;
    if (!ptr) old_size = 0;
    if (new_size > old_size && new_size - old_size > budget->limit - budget->used) return NULL;
    if (new_size == 0) {
        free(ptr);
        budget->used -= old_size;
        return NULL;
    }
    void *fresh = realloc(ptr, new_size);
    if (fresh) budget->used = budget->used - old_size + new_size;
    return fresh;
}

static void print_failure(covey_result item, const char *text, void *context) {
    (void)context;
    printf("    the log says %d: %s\n", (int)item, text);
}

int main(void) {
    Budget budget = { 0, 200000 };
    covey_world *world =
        covey_world_create(&(covey_world_desc){ .allocator = { budget_alloc, &budget }, .log = print_failure });
    if (!world) return EXIT_FAILURE;
    printf("an empty world: %zu bytes\n", covey_world_memory(world));

    /* Adds until the budget is spent. The call that fails changes nothing. */
    uint32_t made = 0;
    covey_entity e = covey_create(world);
    while (!covey_is_null(e) && covey_add(world, e, Position, { 1, 2, 3, 4 })) {
        made++;
        e = covey_create(world);
    }
    const char *why = "";
    printf("%u components fitted into %zu bytes; the world is %s\n", made, budget.limit,
           covey_world_validate(world, &why) ? "valid" : why);

    covey_pool *positions = covey_pool_of(world, Position);
    printf("the pool: %zu bytes for %u components\n", covey_pool_memory(positions), covey_pool_count(positions));

    /* Removing never allocates, and a sparse pool keeps its memory: covey_pool_shrink frees it. */
    for (uint32_t i = covey_pool_count(positions); i-- > made / 4;)
        covey_remove(world, covey_pool_ids(positions)[i], Position);
    printf("three quarters removed: %zu bytes\n", covey_pool_memory(positions));
    covey_shrink(world);
    printf("after shrink: %zu bytes for %u components\n", covey_pool_memory(positions), covey_pool_count(positions));

    bool exact = covey_world_memory(world) == budget.used;
    printf("the world counts %zu bytes, the allocator %zu\n", covey_world_memory(world), budget.used);
    covey_world_destroy(world);
    printf("after the world is gone: %zu\n", budget.used);
    return exact && budget.used == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
