/* Filing: what the lookups of a pool have to file before they are asked: which of its components were changed. Ticks
 * note it here, too; lookups take it from here (src/lookup). A pool has this while it has lookups. */
#ifndef COVEY_FILING_H
#define COVEY_FILING_H

#include "memory/inner.h"
#include "memory/pages.h"
#include "memory/result.h"

#include <covey/covey.h>
#include <covey/lookup.h>

typedef struct covey__filing {
    uint64_t any;          /* not 0: something is to be filed */
    covey__pages changed;  /* a bit for each index: the component may have been changed since it was filed */
    uint64_t *pages;       /* for each page of these: not 0 if it has a bit */
    uint32_t page_count;
    /* The rows that a loop was given last to write them: it may write them after they were filed. */
    uint32_t open_first, open_count; /* indices; or, if `open_array` is set, positions in a sparse set */
    bool open_array;
    covey_lookup *first; /* the lookups of the pool, as a list */
} covey__filing;

#define COVEY__CHANGED_BYTES (COVEY__PAGE_BLOCKS * sizeof(uint64_t)) /* of a page */

/* Called by changes of pools that have lookups; see src/lookup/lookup.h. The world has them from its first lookup on,
 * so that a program that makes none does not contain them. */
typedef struct covey__looking {
    covey_result (*prepare)(covey_pool *pool, const covey_entity *entities, uint32_t count);
    void (*removed)(covey_pool *pool, uint32_t index);
    void (*cleared)(covey_pool *pool);
    bool (*prepare_restored)(covey_pool *pool, uint32_t index, uint32_t count);
    void (*restored)(covey_pool *pool);
    void (*written)(covey_pool *pool);
    void (*target_ending)(covey_world *world, covey_entity target);
    void (*targets_ended)(covey_world *world);
    bool (*valid)(const covey_world *world, const char **why);
} covey__looking;

/* Memory for the bit of an index. */
bool covey__filing_reach(covey_world *world, covey__filing *filing, uint32_t index);
void covey__filing_free(covey_world *world, covey__filing *filing);
size_t covey__filing_bytes(const covey__filing *filing);

/* Notes ids of a block. With `shared`, other threads may note ids of the same block. */
static inline void covey__filing_note(covey__filing *filing, uint32_t first, uint64_t ids, bool shared) {
    uint64_t *page = covey__page_at(&filing->changed, first), *word;
    if (!page) return;
    word = &page[first / COVEY__BLOCK_IDS % COVEY__PAGE_BLOCKS];
    if (shared) COVEY__PUT_WORD(*word, UINT64_MAX);
    else *word |= ids;
    uint64_t *any = &filing->pages[first / COVEY__BLOCK_PAGE];
    if (COVEY__GET_WORD(*any) == 0) COVEY__PUT_WORD(*any, 1);
    if (COVEY__GET_WORD(filing->any) == 0) COVEY__PUT_WORD(filing->any, 1);
}

/* A loop was given rows to write; or it has ended. */
static inline void covey__filing_open(covey__filing *filing, uint32_t first, uint32_t count, bool array) {
    COVEY__PUT_WORD(filing->open_first, first);
    COVEY__PUT_WORD(filing->open_count, count);
    COVEY__PUT_WORD(filing->open_array, array);
}

/* When listeners of the destruction of an entity have been called; and when a call that destroys entities returns. */
static inline void covey__target_ending(covey_world *world, covey_entity e) {
    if (world->inner->target_lookups != 0) world->inner->looking->target_ending(world, e);
}
static inline void covey__targets_ended(covey_world *world) {
    if (world->inner->ending_targets != 0) world->inner->looking->targets_ended(world);
}

#endif
