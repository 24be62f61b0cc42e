/* Covey: advice on storages and groups, from how a world is used now, and maps of pools. Part of covey/covey.h.
 *
 *     covey_advice advice[64];
 *     uint32_t count = covey_world_advise(world, advice, 64);
 *     for (uint32_t i = 0; i < count && i < 64; i++) {
 *         char line[200];
 *         covey_advice_print(line, sizeof line, &advice[i]);
 *         puts(line);
 *     } */
#include <covey/covey.h> /* before the guard: covey.h includes this file where it belongs */

#ifndef COVEY_API_ADVICE_H
#define COVEY_API_ADVICE_H

#ifdef __cplusplus
extern "C" {
#endif

/* What a pool takes now, and what it would take in its best storage: the one with the least memory that supports how
 * the pool is used. Both numbers are exact, except for a sparse pool that is better in blocks: compaction may leave a
 * last hundredth. */
typedef enum covey_use {
    COVEY_USE_ORDER = 1,  /* its policy keeps an order, or components were swapped or sorted */
    COVEY_USE_STABLE = 2, /* its addresses are stable */
    COVEY_USE_GROUP = 4   /* a group owns it */
} covey_use;
typedef struct covey_advice {
    covey_pool *pool;
    covey_storage storage, best;
    uint32_t uses;            /* a set of covey_use */
    size_t bytes, best_bytes; /* now; in the best storage, compacted and shrunk */
    uint64_t ids;             /* indices that its directory or table covers */
} covey_advice;
/* Advice for one pool. O(ids of the pool / 64); for a sparse pool O(ids). */
COVEY_API covey_advice covey_pool_advise(covey_pool *pool);
/* Advice for each pool, in the order in which the world met their types. Writes at most `capacity` and returns how many
 * pools there are. */
COVEY_API uint32_t covey_world_advise(const covey_world *world, covey_advice *advice, uint32_t capacity);
/* Writes one line with the call to make. Truncates and returns the full length, as snprintf does. */
COVEY_API int covey_advice_print(char *text, size_t size, const covey_advice *advice);

/* How a pool stores 64 neighbouring indices; block b holds the indices from 64 * b on. The numbers never change. */
typedef enum covey_block_form {
    COVEY_BLOCK_ABSENT = 0,  /* no component, and no page of a table or directory that covers the indices */
    COVEY_BLOCK_EMPTY = 1,   /* no component, but there is a page */
    COVEY_BLOCK_COMPACT = 2, /* a small sparse set: values in an order of its own */
    COVEY_BLOCK_DIRECT = 3,  /* an array with a slot for each of the 64 indices */
    COVEY_BLOCK_FULL = 4,    /* the same, and all 64 have the component */
    COVEY_BLOCK_SPARSE = 5   /* sparse pool: components somewhere in its packed arrays */
} covey_block_form;
typedef struct covey_block {
    uint8_t form;  /* a covey_block_form */
    uint8_t count; /* components: 0 to 64 */
    uint8_t slots; /* values that the block has memory for; 0 in a sparse pool, whose memory is not divided by index */
} covey_block;
/* Describes blocks of a pool, from `first` on. Writes at most `capacity` and returns how many blocks the directory or
 * table of the pool covers: no later block has a component. O(blocks written); in sparse pools, 64 steps for each. */
COVEY_API uint32_t covey_pool_map(const covey_pool *pool, uint32_t first, covey_block *blocks, uint32_t capacity);

/* A kind of entities: those that were created with the same types have indices beside each other, in blocks of 64. */
#define COVEY_ENTITY_KIND_TYPES 32 /* entities with more types have no kind */
typedef struct covey_entity_kind {
    const covey_type *types[COVEY_ENTITY_KIND_TYPES];
    uint32_t type_count;
    uint32_t first_index; /* of its first block */
    uint32_t blocks;      /* of 64 indices, which only entities of this kind get */
    uint32_t entities;    /* that are alive in them; 64 * blocks if they are full */
} covey_entity_kind;
/* Describes all kinds, in the order in which they were found. Writes at most `capacity` and returns how many there are.
 * O(indices of the kinds written). */
COVEY_API uint32_t covey_world_kinds(const covey_world *world, covey_entity_kind *kinds, uint32_t capacity);

/* What a view would gain from a group that owns its fields. */
typedef struct covey_view_advice {
    const covey_view *view;
    uint32_t matches;     /* entities */
    uint32_t spans;       /* of an iteration now */
    uint32_t group_spans; /* of an iteration of a group; 0: no group can own the fields, or one does already */
    /* The pools are in blocks, with fewer than 8 matches in each on average: a group gains if they become sparse before
     * (covey_pool_convert), which the other figures assume. */
    bool group_converts;
    /* Additional memory of its pools, since the blocks of a group have maps; both figures after compaction. */
    size_t group_bytes;
} covey_view_advice;
/* O(matches), and as covey_world_advise for its pools. Only for views without `optional` and `any`. */
COVEY_API covey_view_advice covey_view_advise(const covey_view *view);
/* Writes one line, as snprintf does: "Position, Velocity: 50127 matches in 50127 spans; a group would have 1563". */
COVEY_API int covey_view_advice_print(char *text, size_t size, const covey_view_advice *advice);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_ADVICE_H */
