/* Looking inside: worlds as text, advice on storages, how pools are filled, and what components cost. */
#ifndef COVEY_API_STATS_H
#define COVEY_API_STATS_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Writes the world as text: a line for each pool, and each entity with its name, parent and components' names. `write`
 * NULL is stdout. */
COVEY_API void covey_world_print(const covey_world *world, covey_write_fn *write, void *context);

/* What a pool takes and what it would take in the storage that is best for it: the one with the least memory of those
 * that do what the pool is used for. Both numbers are exact, but for a sparse pool that is better in blocks: compaction
 * may find a last hundredth not worth it. */
typedef enum covey_use {
    COVEY_USE_ORDER = 1,  /* it has a policy that keeps an order, or components were swapped or sorted */
    COVEY_USE_STABLE = 2, /* its addresses are stable */
    COVEY_USE_GROUP = 4   /* a group owns it */
} covey_use;
typedef struct covey_advice {
    covey_pool *pool;
    covey_storage storage, best;
    uint32_t uses;            /* a set of covey_use */
    size_t bytes, best_bytes; /* now; in the best storage, compacted and shrunk */
    uint64_t ids;             /* the range of indices that its directory or table covers */
} covey_advice;
/* Advice for one pool. O(ids of the pool / 64); of a sparse one O(ids). */
COVEY_API covey_advice covey_pool_advise(covey_pool *pool);
/* Advice for each pool, in the order in which the world met their types. Writes at most `capacity` and returns how many
 * pools there are. */
COVEY_API uint32_t covey_world_advise(const covey_world *world, covey_advice *advice, uint32_t capacity);
/* Writes one line with the call to make, as snprintf does. Returns the length of the whole text. */
COVEY_API int covey_advice_print(char *text, size_t size, const covey_advice *advice);

/* How a pool keeps 64 neighbouring indices: block b is about the indices from 64 * b on. The numbers never change. */
typedef enum covey_block_form {
    COVEY_BLOCK_ABSENT = 0,  /* no component, and no page of a table or directory that covers the indices */
    COVEY_BLOCK_EMPTY = 1,   /* no component; there is a page */
    COVEY_BLOCK_COMPACT = 2, /* a small sparse set: values in an order of its own */
    COVEY_BLOCK_DIRECT = 3,  /* an array with a place for each of the 64 */
    COVEY_BLOCK_FULL = 4,    /* the same, and all 64 have the component */
    COVEY_BLOCK_SPARSE = 5   /* of a sparse pool: components that are somewhere in its packed arrays */
} covey_block_form;
typedef struct covey_block {
    uint8_t form;  /* a covey_block_form */
    uint8_t count; /* components: 0 to 64 */
    uint8_t slots; /* values that the block has memory for; 0 in a sparse pool, whose memory is not divided by index */
} covey_block;
/* Describes blocks of a pool, from `first` on. Writes at most `capacity` and returns how many blocks the pool's directory
 * or table covers: none behind them has a component. O(blocks written); of sparse pools, 64 steps each. */
COVEY_API uint32_t covey_pool_map(const covey_pool *pool, uint32_t first, covey_block *blocks, uint32_t capacity);

/* What a view would gain by a group that owns its fields. */
typedef struct covey_view_advice {
    const covey_view *view;
    uint32_t matches;     /* entities */
    uint32_t spans;       /* in which they are handed out now */
    uint32_t group_spans; /* in which a group would hand them out; 0: none can own the fields, or one does already */
    size_t group_bytes;   /* that its pools would take more, as blocks of a group have maps; compacted then and now */
} covey_view_advice;
/* O(matches), and as covey_world_advise for its pools. Only for views without optional and any. */
COVEY_API covey_view_advice covey_view_advise(const covey_view *view);
/* Writes one line, as snprintf does: "Position, Velocity: 50127 matches in 50127 spans; a group would have 1563". */
COVEY_API int covey_view_advice_print(char *text, size_t size, const covey_view_advice *advice);

/* What `entities` slots cost, `utilisation` (0 to 1) of them with a component of this size, in bytes:
 *     linear  = (size + 1) * n                 an array and a bool each
 *     bitmask = size * n + ceil(n / 8)         an array and a bit each
 *     sparse  = 8 * n + size * n * utilisation the textbook sparse set
 * A sparse pool that was shrunk takes 8 * n + (8 + size) * n * utilisation, rounded up to whole pages: its slots and
 * ids have generations. */
typedef enum covey_memory_kind { COVEY_MEMORY_LINEAR, COVEY_MEMORY_BITMASK, COVEY_MEMORY_SPARSE } covey_memory_kind;
typedef struct covey_memory {
    uint64_t linear, bitmask, sparse;
    covey_memory_kind smallest;
} covey_memory;
COVEY_API covey_memory covey_memory_model(uint32_t component_size, uint32_t entities, double utilisation);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_API_STATS_H */
