/* Stretches: consecutive entities of an array that are in one block, and are handled together. */
#ifndef COVEY_STRETCH_H
#define COVEY_STRETCH_H

#include <covey/covey.h>

/* Consecutive entities of an array that are in one block, alive and distinct. */
typedef struct covey__stretch {
    uint64_t bits;
    uint32_t count;
    bool in_order; /* indices are consecutive */
} covey__stretch;

/* Whether the first two entities of an array are in one block. */
static inline bool covey__has_neighbour(const covey_entity *entities, uint32_t left) {
    return left > 1 && entities[0].index / COVEY__BLOCK_IDS == entities[1].index / COVEY__BLOCK_IDS;
}

/* Whether the index of the 64th entity of an array is the 64th from that of the first. */
static inline bool covey__ends_in_order(const covey_entity *entities) {
    return entities[COVEY__BLOCK_IDS - 1].index == entities->index + COVEY__BLOCK_IDS - 1;
}

/* A quick check whether the first entities of an array may be a whole block, in order: covey__is_block decides. */
static inline bool covey__may_be_block(const covey_entity *entities, uint32_t left) {
    if (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS || left < COVEY__BLOCK_IDS || entities->index % COVEY__BLOCK_IDS != 0)
        return false;
    return covey__ends_in_order(entities);
}

/* Whether the first entities of an array are a whole block, in order and alive; `generations` are those of the
 * block. */
bool covey__is_block(const covey_entity *entities, const uint32_t *generations);

/* How many neighbouring whole blocks of one page the first entities of an array are, in order. `is_new`: they were
 * created by one call. Then the indices of a block follow each other, the lowest first, so that its ends are enough. */
static inline uint32_t covey__count_blocks(const covey_world *world, const covey_entity *entities, uint32_t left,
                                           bool is_new) {
    uint32_t first = entities->index, count = 0;
    if (!covey__may_be_block(entities, left) || first / COVEY_PAGE_SIZE >= world->page_count) return 0;
    const uint32_t *generations = world->pages[first / COVEY_PAGE_SIZE]->generation;
    for (uint32_t at = first % COVEY_PAGE_SIZE; at + COVEY__BLOCK_IDS <= COVEY_PAGE_SIZE && left >= COVEY__BLOCK_IDS;
         at += COVEY__BLOCK_IDS, left -= COVEY__BLOCK_IDS) {
        if (entities->index != first + count * COVEY__BLOCK_IDS) break;
        if (!(is_new ? covey__ends_in_order(entities) : covey__is_block(entities, generations + at))) break;
        entities += COVEY__BLOCK_IDS;
        count++;
    }
    return count;
}

/* The stretch at the beginning of an array: at least one entity, or none if the first is not alive. */
static inline covey__stretch covey__next_stretch(const covey_world *world, const covey_entity *entities,
                                                 uint32_t left) {
    covey__stretch s = { 0, 0, true };
    uint32_t first = entities->index;
    if (covey__may_be_block(entities, left) && covey_alive(world, *entities)) {
        const uint32_t *generations = world->pages[first / COVEY_PAGE_SIZE]->generation + first % COVEY_PAGE_SIZE;
        if (covey__is_block(entities, generations)) return (covey__stretch){ UINT64_MAX, COVEY__BLOCK_IDS, true };
    }
    if (first / COVEY_PAGE_SIZE >= world->page_count) return s;
    for (; s.count < left && entities[s.count].index / COVEY__BLOCK_IDS == first / COVEY__BLOCK_IDS; s.count++) {
        covey_entity e = entities[s.count];
        uint64_t bit = (uint64_t)1 << e.index % COVEY__BLOCK_IDS;
        bool reached = COVEY_PAGE_SIZE >= COVEY__BLOCK_IDS || e.index / COVEY_PAGE_SIZE < world->page_count;
        if ((s.bits & bit) != 0 || !reached || !covey__is_current(world, e)) break;
        s.in_order &= e.index == first + s.count;
        s.bits |= bit;
    }
    return s;
}

#endif
