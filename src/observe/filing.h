/* Filing: what the lookups of a pool have to file before they are asked: which of its components were changed. Ticks
 * note it here, too; lookups take it from here (src/lookup). A pool has this while it has lookups. */
#ifndef COVEY_FILING_H
#define COVEY_FILING_H

#include "memory/inner.h"
#include "memory/pages.h"
#include "memory/result.h"
#include "observe/observers.h"

#include <covey/covey.h>
#include <covey/lookup.h>

/* The rows that a loop was given last to write: it may write them after they were filed. So they are filed again when
 * the next question is asked, until the loop is given others, or has ended; and once more after that. */
typedef struct covey__open {
    const void *loop; /* its iterator; NULL: none */
    uint64_t turn;    /* greater than that of loops that were given rows before */
    uint64_t shifts;  /* of the world at that time, */
    bool positions;   /* if these are positions in a packed pool; otherwise they are indices: */
    bool filed;       /* they were filed since */
    uint32_t first, count;
} covey__open;

#define COVEY__OPEN 4 /* loops that are nested, and write the same type */

typedef struct covey__filing {
    uint64_t any;         /* a set of COVEY__MARKED and so on */
    covey__pages changed; /* of covey__changed_page */
    uint64_t *pages;      /* for each page of these: not 0 if it has a bit */
    uint32_t page_count;
    covey__open open[COVEY__OPEN];
    uint64_t turns;      /* how often a loop was given rows */
    uint32_t room;       /* its lookups have memory for so many components, and for all indices of its pages */
    bool some_removed;   /* an absent component may still be filed: then it is marked */
    covey_lookup *first; /* the lookups of the pool, as a list */
} covey__filing;

#define COVEY__MARKED 1  /* components are to be filed: those with a bit, */
#define COVEY__OPENED 2  /* and those in open rows; */
#define COVEY__REMOVED 4 /* absent ones with a bit are to be taken out, */
#define COVEY__CLEARED 8 /* and those with a bit whose target has become null; but no target has a new source */

typedef struct covey__changed_page {
    uint64_t ids[COVEY__PAGE_BLOCKS]; /* a bit for each index: the component may have been changed since it was filed */
    uint8_t blocks[COVEY__PAGE_BLOCKS]; /* 1: the block has a bit. Threads that write different blocks write no other */
} covey__changed_page;

/* Called by changes of pools that have lookups; see src/lookup/lookup.h. The world has them from its first lookup on,
 * so that a program that makes none does not contain them. */
typedef struct covey__looking {
    covey_result (*prepare)(covey_pool *pool, const covey_entity *entities, uint32_t count);
    void (*cleared)(covey_pool *pool);
    bool (*reserve)(covey_pool *pool, uint64_t count); /* for so many components in all, */
    bool (*reach)(covey_pool *pool, uint32_t index);   /* and for those of a page */
    void (*restored)(covey_pool *pool);
    void (*written)(covey_pool *pool);      /* by a system, which has ended */
    void (*settle_all)(covey_world *world); /* before systems ask */
    void (*target_ending)(covey_world *world, covey_entity target);
    void (*targets_ended)(covey_world *world);
    uint32_t (*targets_elsewhere)(covey_world *world, covey_entity *targets, uint32_t most);
} covey__looking;

/* Memory for the bit of an index. */
bool covey__filing_reach(covey_world *world, covey__filing *filing, uint32_t index);
void covey__filing_free(covey_world *world, covey__filing *filing);
size_t covey__filing_bytes(const covey__filing *filing);

/* Marks ids of a block. With `shared`, other threads may mark ids of the same block. */
static inline void covey__filing_mark(covey__filing *filing, uint32_t first, uint64_t ids, bool shared, uint64_t why) {
    covey__changed_page *page = covey__page_at(&filing->changed, first);
    uint32_t block = covey__block_of(first);
    if (!page) return;
    if (shared) COVEY__PUT_WORD(page->ids[block], UINT64_MAX);
    else page->ids[block] |= ids;
    COVEY__PUT_WORD(page->blocks[block], 1);
    uint64_t *any = &filing->pages[first / COVEY__BLOCK_PAGE];
    if (COVEY__GET_WORD(*any) == 0) COVEY__PUT_WORD(*any, 1);
    uint64_t what = COVEY__GET_WORD(filing->any);
    if ((what & why) == 0) COVEY__PUT_WORD(filing->any, what | why);
}

/* Components of a block were added or changed. */
static inline void covey__filing_note(covey__filing *filing, uint32_t first, uint64_t ids, bool shared) {
    covey__filing_mark(filing, first, ids, shared, COVEY__MARKED);
}

/* Whether a component can be added without memory for lookups. */
static inline bool covey__filing_is_ready(const covey__filing *filing, uint32_t count, uint32_t index) {
    return count < filing->room && covey__page_at(&filing->changed, index);
}

/* A component is removed: it is taken out when something is asked. */
static inline void covey__filing_removed(covey__filing *filing, uint32_t index) {
    filing->some_removed = true;
    covey__filing_mark(filing, index, (uint64_t)1 << index % COVEY__BLOCK_IDS, false, COVEY__REMOVED);
}

/* The next block of a page with a bit, from one on; or COVEY__PAGE_BLOCKS. */
static inline uint32_t covey__next_changed(const covey__changed_page *page, uint32_t block) {
    for (; block < COVEY__PAGE_BLOCKS; block++) {
        uint64_t eight;
        if (block % 8 == 0) {
            memcpy(&eight, &page->blocks[block], sizeof eight);
            if (eight == 0) {
                block += 7;
                continue;
            }
        }
        if (page->blocks[block] != 0) break;
    }
    return block;
}

/* A loop was given rows to write, from one index to another: all are in blocks between these, or follow each other in a
 * packed pool. Or it has ended. If there are more than COVEY__OPEN loops, the one whose turn was first is closed. */
void covey__filing_open(const covey_pool *pool, const void *loop, uint32_t first, uint32_t last, uint32_t count);
void covey__filing_close(const covey_pool *pool, const void *loop);
void covey__filing_close_all(const covey_pool *pool);
/* Marks all components, and closes the loop, if values may have moved away from the positions of an open one. */
void covey__filing_close_moved(const covey_pool *pool);
void covey__filing_forget(covey__filing *filing); /* all marks */
/* The index of a component in an open row, by its number; COVEY_NONE: there is none. */
uint32_t covey__open_index(const covey_pool *pool, const covey__open *open, uint32_t number);
/* Whether a component is in an open row, or may have been moved out of one. */
bool covey__filing_is_open(const covey_pool *pool, uint32_t index);
/* Marks all components as changed. */
void covey__filing_note_all(const covey_pool *pool);
/* Whether a component is marked. */
bool covey__filing_has(const covey_pool *pool, uint32_t index);

/* The filing of a pool, or NULL. */
static inline covey__filing *covey__filing_of(const covey_pool *pool) {
    return pool->observers ? pool->observers->filing : NULL;
}

/* Whether what is destroyed now leaves for another world: listeners may destroy others meanwhile. */
static inline bool covey__is_leaving(const covey__inner *inner) {
    return inner->leaving && inner->emission == inner->leaving_in;
}

/* When listeners of the destruction of an entity have been called; and when a call that destroys entities returns. */
static inline void covey__target_ending(covey_world *world, covey_entity e) {
    if (world->inner->target_lookups == 0 || covey__is_leaving(world->inner)) return;
    world->inner->looking->target_ending(world, e);
}
static inline void covey__targets_ended(covey_world *world) {
    if (world->inner->ending_targets != 0) world->inner->looking->targets_ended(world);
}

#endif
