/* The marks of reactive sets: tags that the library adds to entities to which something happened. The memory for a mark
 * is reserved when the component is added, so marking never fails. */
#ifndef COVEY_MARKS_H
#define COVEY_MARKS_H

#include "storage/shortcut_off.h"

/* The handles of destroyed entities, for a reactive set with .keep_destroyed. There is always room for the handles of
 * all entities that are marked or can be marked. */
typedef struct covey__ended {
    covey_entity *handles;
    uint32_t count, capacity;
    const covey_pool **sources; /* pools whose changes mark entities */
    uint32_t source_count, source_capacity;
} covey__ended;

bool covey__ended_begin(covey_pool *tags); /* false: no memory */
void covey__ended_free(covey_pool *tags);
size_t covey__ended_bytes(const covey_pool *tags);
/* add: before the set listens to a pool. remove: undoes the last add, if listening fails. */
bool covey__ended_add_source(covey_pool *tags, const covey_pool *pool);
void covey__ended_remove_source(covey_pool *tags);
/* reserve: room for `more` marks, in addition to all entities that are or can be marked. reserve_all: room for
 * `handles` in total. */
covey_result covey__ended_reserve(covey_pool *tags, uint64_t more);
covey_result covey__ended_reserve_all(covey_pool *tags, uint64_t handles);
bool covey__ended_has_source(const covey_pool *tags, const covey_pool *pool);
void covey__ended_push(covey_pool *tags, covey_entity e);

covey_result covey__reactive_reserve(covey_pool *tags, uint32_t index); /* marking then needs no memory */
/* Whether it was reserved for the page of an index, all of whose blocks then count as direct. */
static inline bool covey__reactive_has_page(const covey_pool *tags, uint32_t index) {
    const covey__block_store *blocks = &tags->block_store;
    return index / COVEY__BLOCK_PAGE < blocks->page_count && covey__block_page_of(blocks, index)->direct != 0;
}
bool covey__reactive_is_reserved(const covey_pool *tags, uint32_t index);
void covey__reactive_release(covey_pool *tags);                /* frees the reserved memory of a set without marks */
void covey__reactive_unmark(covey_pool *tags, uint32_t index); /* the index must be marked */
void covey__reactive_unmark_bits(covey_pool *tags, uint32_t index, uint64_t bits); /* of a block; all must be marked */
void covey__reactive_unmark_all(covey_pool *tags);
bool covey__reactive_valid(const covey_pool *tags, const char **why); /* checks the marks */
static inline bool covey__is_reactive(const covey_pool *pool) { return (pool->uses & COVEY__USE_REACTIVE) != 0; }

/* Without a branch on whether the mark is new, because that is often random. */
static inline void covey__reactive_mark(covey_pool *tags, uint32_t index) {
    covey__block_page *page = covey__block_page_of(&tags->block_store, index);
    uint32_t block = covey__block_of(index);
    uint64_t mask = page->masks[block], with = mask | (uint64_t)1 << index % COVEY__BLOCK_IDS;
    if (mask != with) COVEY__TRACE(tags->world, tags->added, index);
    tags->block_store.count += mask != with;
    covey__fast_destroy_off_if(tags->world, mask == 0);
    page->masks[block] = with;
    page->summary |= (uint64_t)1 << block;
}

#endif
