/* Copying the values of many entities to an array. */
#include "storage_list.h"
#include "type.h"

/* Notes entities of the list that follow each other. */
static void note(uint32_t *positions, const covey__listed *run) {
    for (uint32_t i = 0; i < run->count; i++) positions[i] = run->first + i;
}

uint32_t covey_gather_raw(const covey_world *world, const covey_entity *entities, uint32_t count,
                          const covey_type *type, void *values, uint32_t *positions) {
    const covey_pool *pool = covey__pool_known(world, type);
    if (!pool || covey_pool_count(pool) == 0) return 0;
    if (values) COVEY__USES(world, type, COVEY__ACCESS_READ);
    size_t size = values ? pool->size : 0;
    uint32_t found = 0;
    covey__listing list = covey__listing_of(pool, entities, count);
    for (covey__listed run; covey__listed_next(&list, &run); found += run.count) {
        if (size != 0) covey__copy((char *)values + found * size, run.values, run.count * size);
        if (positions) note(positions + found, &run);
    }
    return found;
}
