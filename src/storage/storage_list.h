/* The values of listed entities, as runs that are contiguous both in the list and in the pool: for copying them in
 * either direction. Entities without a component are left out. */
#ifndef COVEY_STORAGE_LIST_H
#define COVEY_STORAGE_LIST_H

#include "storage/block_store.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "storage/stretch.h"

#define COVEY__UNKNOWN_POSITION UINT64_MAX

/* The state of a walk through a list. */
typedef struct covey__listing {
    const covey_pool *pool;
    const covey_entity *entities;
    uint32_t count, next;
    uint32_t end;  /* of a stretch whose values are not contiguous, */
    uint64_t bits; /* and the ids of its block that have a value */
    uint64_t at;   /* in a set: the position of the next entity, or COVEY__UNKNOWN_POSITION */
    covey__lookup lookup;
} covey__listing;

typedef struct covey__listed {
    uint32_t first, count; /* in the list */
    char *values;          /* not to be used for tags */
    bool neighbours;       /* the entities have consecutive indices in one block */
} covey__listed;

static inline covey__listing covey__listing_of(const covey_pool *pool, const covey_entity *entities, uint32_t count) {
    covey__lookup lookup = covey__lookup_in(pool->world, pool);
    return (covey__listing){ pool, entities, count, .at = COVEY__UNKNOWN_POSITION, .lookup = lookup };
}

/* The next entity of a stretch that is handled one by one. */
COVEY_HOT bool covey__listed_single(covey__listing *l, covey__listed *run) {
    for (; l->next < l->end; l->next++) {
        uint32_t index = l->entities[l->next].index;
        if ((l->bits >> index % COVEY__BLOCK_IDS & 1) == 0) continue;
        *run = (covey__listed){ l->next++, 1, covey__block_value(&l->pool->block_store, index, l->pool->size), true };
        return true;
    }
    return false;
}

/* Returns a stretch as one run, if all its entities have a value and these are in order. Otherwise false: it is then
 * handled one by one. */
COVEY_HOT bool covey__listed_stretch(covey__listing *l, const covey__stretch *s, covey__listed *run) {
    const covey__block_store *blocks = &l->pool->block_store;
    uint32_t index = l->entities[l->next].index, block = covey__block_of(index);
    bool there = !covey__block_is_empty(blocks, index);
    const covey__block_page *page = there ? covey__block_page_of(blocks, index) : NULL;
    l->end = l->next + s->count;
    l->bits = there ? s->bits & page->masks[block] : 0;
    if (l->bits != s->bits || !s->in_order || (page->ordered >> block & 1) == 0) return false;
    *run = (covey__listed){ l->next, s->count, covey__block_value(blocks, index, l->pool->size), true };
    l->next = l->end;
    return true;
}

COVEY_HOT bool covey__listed_in_blocks(covey__listing *l, covey__listed *run) {
    while (!covey__listed_single(l, run)) {
        const covey_entity *at = l->entities + l->next;
        uint32_t left = l->count - l->next;
        covey__stretch s = { 0, 0, true };
        if (left == 0) return false;
        if (covey__has_neighbour(at, left)) s = covey__next_stretch(l->pool->world, at, left);
        if (s.count > 1) {
            if (covey__listed_stretch(l, &s, run)) return true;
            continue;
        }
        *run = (covey__listed){ l->next++, 1, covey__lookup_get(&l->lookup, *at, l->pool->size), true };
        if (run->values) return true;
    }
    return true;
}

/* How many entities, from the next one on, have consecutive positions from `at` on, with values in one array. Keeps the
 * position of the first entity that does not. */
COVEY_HOT uint32_t covey__listed_run(covey__listing *l, uint64_t at) {
    const covey_sparse_set *set = &l->pool->sparse_set;
    const covey_entity *entities = l->entities + l->next;
    uint64_t page = COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE, behind = set->end - at;
    uint64_t most = set->paged && page < behind ? page : behind;
    uint32_t left = l->count - l->next, run = 1;
    l->at = COVEY__UNKNOWN_POSITION;
    for (; run < left; run++) {
        l->at = covey__position(set, entities[run]);
        if (l->at != at + run || run >= most) break;
    }
    return run;
}

COVEY_HOT bool covey__listed_in_set(covey__listing *l, covey__listed *run) {
    const covey_sparse_set *set = &l->pool->sparse_set;
    for (; l->next < l->count; l->next++, l->at = COVEY__UNKNOWN_POSITION) {
        uint64_t at = l->at != COVEY__UNKNOWN_POSITION ? l->at : covey__position(set, l->entities[l->next]);
        if (at >= set->end) continue;
        char *values = l->pool->size != 0 ? covey__value_at(set, (size_t)at, l->pool->size) : NULL;
        *run = (covey__listed){ l->next, covey__listed_run(l, at), values, false };
        l->next += run->count;
        return true;
    }
    return false;
}

COVEY_HOT bool covey__listed_next(covey__listing *l, covey__listed *run) {
    return covey__in_blocks(l->pool) ? covey__listed_in_blocks(l, run) : covey__listed_in_set(l, run);
}

#endif
