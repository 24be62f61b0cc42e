/* Where the pools of a kind have the components of one block. */
#include "storage/kind_places.h"

#include "memory/result.h"
#include "storage/block_store.h"
#include "storage/storage.h"

/* False if the block is not direct, or the pool is observed. */
static bool find_place(covey_pool *pool, uint32_t index, covey__kind_place *place) {
    if (!pool->plain) return false;
    covey__block_page *page = covey__block_page_of(&pool->block_store, index);
    uint32_t block = covey__block_of(index);
    place->pool = pool;
    place->mask = &page->masks[block];
    place->data = page->chunks[block].data;
    return page->capacity[block] == COVEY__BLOCK_IDS;
}

void covey__kind_places_find(covey__kind_places *places, const covey_component *components, covey_pool *const *pools,
                             uint32_t count, uint32_t index) {
    uint32_t found = 0;
    for (; found < count && find_place(pools[found], index, &places->at[found]); found++)
        places->at[found].type = components[found].type;
    places->moves = pools[0]->world->moves;
    places->block = index / COVEY__BLOCK_IDS;
    places->count = found == count ? count : COVEY_NONE;
}

bool covey__kind_places_take(const covey__kind_places *places, const covey_world *world, uint32_t index,
                             const covey_component *components) {
    uint32_t count = places->count;
    if (count == COVEY_NONE || places->moves != world->moves || places->block != index / COVEY__BLOCK_IDS) return false;
    for (uint32_t i = 0; i < count; i++) {
        const covey__kind_place *place = &places->at[i];
        const covey_pool *pool = place->pool;
        const covey_component *c = &components[i];
        if (place->type != c->type || c->value || c->count > 1 || !pool->plain) return false;
        if (!c->values && pool->size != 0) return false;
        COVEY__CONTRACT(pool->world, c->size == 0 || c->size == pool->size, "the size is not that of the type");
    }
    return !components[count].type;
}

static COVEY__NOINLINE void note_full(covey_pool *pool, uint32_t index) {
    covey__block_page_of(&pool->block_store, index)->full |= (uint64_t)1 << covey__block_of(index);
}

void covey__kind_places_append(const covey__kind_places *places, const covey_component *components, covey_entity e) {
    uint64_t number = e.index % COVEY__BLOCK_IDS, bit = (uint64_t)1 << number;
    for (uint32_t i = 0, count = places->count; i < count; i++) {
        const covey__kind_place *place = &places->at[i];
        covey_pool *pool = place->pool;
        size_t size = pool->size;
        void *to = place->data + number * size;
        uint64_t mask = *place->mask |= bit;
        pool->block_store.count++;
        COVEY__TRACE(pool->world, pool->added, e.index);
        if (COVEY__LIKELY(size == 8)) memcpy(to, components[i].values, 8);
        else if (size != 0) covey__copy(to, components[i].values, size);
        if (!COVEY__LIKELY(mask != UINT64_MAX)) note_full(pool, e.index);
    }
}

bool covey__kind_places_valid(const covey__kind_places *places, const covey_world *world, const char **why) {
    if (places->count == COVEY_NONE || places->moves != world->moves) return true;
    for (uint32_t i = 0; i < places->count; i++) {
        const covey__kind_place *place = &places->at[i];
        covey__kind_place same;
        if (!place->pool->plain) continue;
        REQUIRE(find_place(place->pool, places->block * COVEY__BLOCK_IDS, &same), "places: a block that is not direct");
        REQUIRE(same.mask == place->mask && same.data == place->data, "places: another block");
    }
    return true;
}
