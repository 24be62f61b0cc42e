/* Stretches: entities of an array that are neighbours, in a block of 64 indices, and are looked at together. */
#ifndef COVEY_STRETCH_H
#define COVEY_STRETCH_H

#include <covey/covey.h>

/* Entities that follow each other in an array and are of one block: alive, and each of them once. */
typedef struct covey__stretch {
    uint64_t bits;
    uint32_t count;
    bool in_order; /* neighbours, by index */
} covey__stretch;

/* Whether an entity of an array is followed by one of its block. */
static inline bool covey__has_neighbour(const covey_entity *entities, uint32_t left) {
    return left > 1 && entities[0].index / 64 == entities[1].index / 64;
}

/* Whether it is worth asking if 64 entities are all that a block can have, in order. */
static inline bool covey__may_be_block(const covey_entity *entities, uint32_t left) {
    if (COVEY_PAGE_SIZE < 64 || left < 64 || entities->index % 64 != 0) return false;
    return entities[63].index == entities->index + 63;
}

/* Whether they are, and alive; these are the generations from the first on. No branch, so that compilers take several at
 * a time. */
static inline bool covey__is_block(const covey_entity *entities, const uint32_t *generations) {
    uint32_t first = entities->index, differ = 0, alive = 1;
    for (uint32_t i = 0; i < 64; i++) {
        differ |= (entities[i].index ^ (first + i)) | (entities[i].generation ^ generations[i]);
        alive &= generations[i];
    }
    return differ == 0 && alive != 0;
}

/* How many blocks the first entities of an array fill, in order: neighbours in one page. */
static inline uint32_t covey__count_blocks(const covey_world *world, const covey_entity *entities, uint32_t left) {
    uint32_t first = entities->index, count = 0;
    if (!covey__may_be_block(entities, left) || first / COVEY_PAGE_SIZE >= world->page_count) return 0;
    const uint32_t *generations = world->pages[first / COVEY_PAGE_SIZE]->generation;
    for (uint32_t at = first % COVEY_PAGE_SIZE; at + 64 <= COVEY_PAGE_SIZE && left >= 64; at += 64, left -= 64) {
        if (entities->index != first + count * 64 || !covey__is_block(entities, generations + at)) break;
        entities += 64;
        count++;
    }
    return count;
}

/* The first entities of an array, at least one of them; none if the first is not alive. */
static inline covey__stretch covey__next_stretch(const covey_world *world, const covey_entity *entities,
                                                 uint32_t left) {
    covey__stretch s = { 0, 0, true };
    uint32_t first = entities->index;
    if (covey__may_be_block(entities, left) && covey_alive(world, *entities)) {
        const uint32_t *generations = world->pages[first / COVEY_PAGE_SIZE]->generation + first % COVEY_PAGE_SIZE;
        if (covey__is_block(entities, generations)) return (covey__stretch){ UINT64_MAX, 64, true };
    }
    if (first / COVEY_PAGE_SIZE >= world->page_count) return s;
    for (; s.count < left && entities[s.count].index / 64 == first / 64; s.count++) {
        covey_entity e = entities[s.count];
        uint64_t bit = (uint64_t)1 << e.index % 64;
        bool reached = COVEY_PAGE_SIZE >= 64 || e.index / COVEY_PAGE_SIZE < world->page_count;
        if ((s.bits & bit) != 0 || !reached || !covey__is_current(world, e)) break;
        s.in_order &= e.index == first + s.count;
        s.bits |= bit;
    }
    return s;
}

#endif
