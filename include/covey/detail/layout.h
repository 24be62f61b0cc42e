/* The structures of a world, as inline code sees them. Not API. */
#ifndef COVEY_DETAIL_LAYOUT_H
#define COVEY_DETAIL_LAYOUT_H

#ifdef __cplusplus
extern "C" {
#endif

#define COVEY__BLOCK_IDS 64                                              /* ids of a block: the bits of a word */
#define COVEY__PAGE_BLOCKS (COVEY_PAGE_SIZE < COVEY__BLOCK_IDS ? 2 : 64) /* blocks in a page of a block store */

/* How much memory the load of an image may use. The heaps of a world share one budget. */
typedef struct covey__budget {
    bool is_set;   /* an image is being loaded; otherwise the rest is not used */
    bool exceeded; /* an allocation was refused */
    uint64_t left; /* bytes */
} covey__budget;

typedef struct covey__heap {
    covey_allocator allocator;
    size_t bytes;
    covey__budget *budget; /* or NULL */
} covey__heap;

/* The values of a block: that of bit i is at data + map[i] * size. */
typedef struct covey__chunk {
    char *data;
    const uint8_t *map;
} covey__chunk;

/* What the table of a sparse set holds for an index: generation << shift | position, in one word, so that one load and
 * one compare answer whether a handle is present: (slot ^ generation << shift) is its position if so, and too large if
 * not. An absent index has the position COVEY_NONE. Handles as words have the same form, with the index in the low
 * bits. */
#if COVEY__NARROW
typedef uint32_t covey__slot;
#define COVEY__SLOT_SHIFT COVEY_INDEX_BITS
#else
typedef uint64_t covey__slot;
#define COVEY__SLOT_SHIFT 32
#endif

#define COVEY__SLOT(position, generation) ((covey__slot)(generation) << COVEY__SLOT_SHIFT | (covey__slot)(position))
#define COVEY__SLOT_NULL COVEY__SLOT(COVEY_NONE, 0)

COVEY_HOT uint32_t covey__slot_position(covey__slot slot) {
    return (uint32_t)(slot & (((covey__slot)1 << COVEY__SLOT_SHIFT) - 1));
}
COVEY_INLINE uint32_t covey__slot_generation(covey__slot slot) { return (uint32_t)(slot >> COVEY__SLOT_SHIFT); }

/* A handle as a word, and its parts. */
#if COVEY__HANDLES_ARE_WORDS
COVEY_HOT covey__slot covey__word(covey_entity e) {
    covey__slot word;
    memcpy(&word, &e, sizeof word);
    return word;
}
COVEY_HOT covey_entity covey__entity_of(covey__slot word) {
    covey_entity e;
    memcpy(&e, &word, sizeof e);
    return e;
}
COVEY_HOT uint32_t covey__index(covey_entity e) { return covey__slot_position(covey__word(e)); }
COVEY_HOT uint32_t covey__generation(covey_entity e) { return covey__slot_generation(covey__word(e)); }
COVEY_HOT covey_entity covey__entity(uint32_t index, uint32_t generation) {
    return covey__entity_of(COVEY__SLOT(index & COVEY_NONE, generation));
}
#else
COVEY_HOT covey__slot covey__word(covey_entity e) { return COVEY__SLOT(e.index, e.generation); }
COVEY_HOT uint32_t covey__index(covey_entity e) { return e.index; }
COVEY_HOT uint32_t covey__generation(covey_entity e) { return e.generation; }
COVEY_HOT covey_entity covey__entity(uint32_t index, uint32_t generation) {
#if COVEY__NARROW
    covey_entity e = { index & COVEY_NONE, generation & UINT32_MAX >> COVEY_INDEX_BITS };
#else
    covey_entity e = { index, generation };
#endif
    return e;
}
COVEY_HOT covey_entity covey__entity_of(covey__slot word) {
    return covey__entity(covey__slot_position(word), covey__slot_generation(word));
}
#endif

COVEY_INLINE covey_entity covey_entity_make(uint32_t index, uint32_t generation) {
    bool exists = index < COVEY_NONE && generation <= COVEY_GENERATION_MAX;
    return exists ? covey__entity(index, generation) : covey__entity(0, 0);
}

/* The finaliser of splitmix64. */
COVEY_INLINE uint64_t covey_entity_hash(covey_entity e) {
    uint64_t bits = (uint64_t)covey__generation(e) << 32 | covey__index(e);
    bits = (bits ^ bits >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94d049bb133111eb);
    return bits ^ bits >> 31;
}

/* How values move: by the hook of their type, or by memcpy. */
typedef struct covey__mover {
    const covey_type *type; /* a type with a hook; or NULL */
    const covey_world *world;
} covey__mover;

/* The slot of an index is at pages[index / PAGE] + index * sizeof(covey__slot): an entry is the address of its page
 * minus the offset of the page's first index, which saves the remainder. Missing pages are one shared page of absent
 * slots, which differ from COVEY__SLOT_NULL so that nothing is written to them.
 *
 *     ids, data:  | live, or holes              | dead (swap only)  |
 *                 0                             end                 end + dead */
typedef struct covey_sparse_set {
    uintptr_t *pages;
    covey_entity *ids;
    void *data;          /* values; in place: a table of pages of values; not NULL for ids only */
    uint32_t page_count; /* of the table */
    uint32_t end;        /* live elements and holes are before it */
    uint32_t room;       /* inline adds may append while end < room; 0 sends adds out of line */
    uint32_t row_room; /* the same for the components of a new entity: a group that owns the set may be its observer */
    uint8_t removal;   /* a covey__removal: what the inline code may do to remove an element */
    uint8_t paged;     /* whether data is a table of pages */
    uint8_t policy;
    bool zero_erased;
    uint64_t *marks; /* ordered: a bit for each position, set for a hole; marking a hole accesses no element */
    uint32_t dead;   /* swap only: elements behind end */
    uint32_t holes;  /* in place, ordered: among the positions before end */
    uint32_t hole;   /* in place: the hole made last; its id has generation 0 and the next one's position as index */
    uint32_t size;
    uint8_t align;
    bool observed; /* adds and removals go out of line */
    bool grouped;  /* and the only observer is a group that owns the set */
    covey__mover mover;
    uint32_t id_capacity, data_capacity, table_capacity, mark_capacity;
    uint64_t *shifts; /* the world's: counts values and arrays that moved, and removals; NULL without a world */
    covey__heap heap;
} covey_sparse_set;

typedef enum covey__removal {
    COVEY__REMOVE_SLOWLY,
    COVEY__REMOVE_SWAPPING,
    COVEY__REMOVE_MARKING,
    COVEY__REMOVE_GROUPED
} covey__removal;

/* A block store keeps 64 ids to a block. `masks` are the occupancy masks; the value of bit i is at data + map[i] *
 * size.
 *
 *     compact   data: | values of capacity slots | ids: slot -> bit | map: bit -> slot |     one chunk
 *     direct    data: | values of 64 slots |                          map: the identity, shared
 *     empty     no chunk; capacity 0 */
#define COVEY__BLOCK_PAGE (COVEY__BLOCK_IDS * COVEY__PAGE_BLOCKS) /* ids of a page */

typedef struct covey__block_page {
    uint64_t summary; /* bit b: block b has a component */
    uint64_t direct;  /* bit b: block b is direct */
    /* Bit b: the values of block b are in index order: it is direct, or its slots are in this order. */
    uint64_t ordered;
    uint64_t joined; /* bit b: blocks b and b + 1 are direct, and the values of the second follow those of the first */
    uint64_t full;   /* bit b: block b is direct and has all its ids; may lack one that was filled id by id */
    uint64_t masks[COVEY__PAGE_BLOCKS];
    covey__chunk chunks[COVEY__PAGE_BLOCKS];
    uint8_t capacity[COVEY__PAGE_BLOCKS]; /* COVEY__BLOCK_IDS: it is direct */
    uint8_t used[COVEY__PAGE_BLOCKS];     /* slots of a compact block that are used: the first ones; direct: 0 */
} covey__block_page;

#define COVEY__CLASSES 5 /* capacities of a growing block */
/* The capacity of a compact block with room for all its ids; COVEY__BLOCK_IDS means direct. */
#define COVEY__MAPPED_WHOLE (COVEY__BLOCK_IDS + 1)

/* Chunks come from slabs: arrays of chunks of one capacity. */
typedef struct covey__slab covey__slab;

typedef struct covey__block_store {
    covey__block_page **pages; /* one shared empty page stands for missing ones */
    uint32_t page_count;       /* never exceeds the world's table: one bounds check is enough for both */
    uint32_t first_page;       /* pages before it have no components: there are many if all ids are large */
    uint32_t end_page;         /* pages from this one on have no components: there are many if the table has grown */
    uint32_t count;
    uint32_t size;
    uint8_t align;
    bool zero_erased;
    bool pinned;  /* every block is direct */
    bool refills; /* it was cleared when most blocks were direct: new ones are, too, while such chunks are free */
    covey__mover mover;
    bool grouped;                       /* no block is direct: a group that owns the pool orders the values */
    uint32_t row_block, row_count;      /* so many blocks from this one on will soon be full; a count of 0: none */
    covey__slab *roomy[COVEY__CLASSES]; /* the slabs of a class that have a free chunk, as a list */
    covey__slab **slabs;                /* all, by address */
    uint32_t slab_count, slab_capacity;
    uint64_t *moves;  /* the world's: counts chunks that moved or were freed */
    uint64_t *shifts; /* the world's: counts these, too, and values that moved within their block */
    covey__heap heap;
} covey__block_store;

/* For assertion level 1, changes of one kind: their number, the index of the last one, and how many there were before
 * the current series of changes of this index. */
typedef struct covey__trace {
    uint32_t count, index, before;
} covey__trace;

#define COVEY__NO_BLOCK UINT32_MAX /* larger than any block number */

/* Components are often added in index order. This is the block that got a chunk last, if it is direct. */
typedef struct covey__filling {
    uint32_t block; /* an index / COVEY__BLOCK_IDS, or COVEY__NO_BLOCK */
    const uint32_t *generations;
    uint64_t *mask;
    char *data;
} covey__filling;

/* What else happens when a component is added out of line: nothing; observers are told after its value is stored, and
 * may move it; or the pool's only observer is the group that owns it, which chooses the place before the value is
 * stored. */
typedef enum covey__adding { COVEY__ADD_ONLY, COVEY__ADD_AND_SETTLE, COVEY__ADD_TO_GROUP } covey__adding;

#define COVEY__USE_INTERNAL 128   /* a type of the library: not a component of the program */
#define COVEY__USE_REACTIVE 64    /* the tag of a reactive set: keeps the memory that it needs for marking */
#define COVEY__USE_SLOW_SET 32    /* overwriting goes out of line: the old value is dropped, or an observer is told */
#define COVEY__USE_MARK_ON_SET 16 /* with SLOW_SET: only reactive sets are told, by marking the entity */
#define COVEY__USE_SLOW_VALUES 8  /* values are handed out out of line: some may be disabled, or have ticks */

/* The links of a node in a balanced tree of numbered nodes (src/memory/balanced.h). */
#define COVEY__NO_NODE UINT32_MAX
typedef struct covey__links {
    uint32_t left, right;
    uint16_t level;
    uint16_t note; /* for the owner of the node */
} covey__links;

/* The unused storage is all zeros, so that inline code may read its fields before it knows which one is used. */
struct covey_pool {
    covey_sparse_set sparse_set; /* only the storage layer and inline code know these two (test/layers.sh) */
    covey__block_store block_store;
    covey__filling filling;
    covey_world *world;
    const covey_type *type;
    uint64_t name_hash;
    struct covey__observers *observers; /* what is told of adds and removals; NULL for none */
    /* How the group that is the only observer places and erases a component; NULL without such a group, and `erase`
     * also if values are dropped. */
    void *(*place)(covey_pool *pool, uint32_t index, uint32_t generation);
    void (*erase)(covey_pool *pool, uint32_t index, uint32_t generation);
    uint32_t size;   /* of a value */
    uint32_t number; /* among the world's pools */
    uint8_t storage; /* a covey_storage, but not the default */
    bool plain;      /* in blocks, and removing a value needs no further step */
    uint8_t adding;  /* a covey__adding: what follows when a component is added out of line */
    uint8_t uses;    /* what it was used for, covey_use; and COVEY__USE_... */
    covey__trace added, removed;
    uint32_t moved;             /* how often values may have moved otherwise; level 1, too */
    struct covey__ended *ended; /* the tag of a reactive set: its destroyed entities, if it keeps them; or NULL */
    covey__links links;         /* in the tree of all pools, by name */
};

/* An odd generation is alive. The bits of an index say whether it is free, or set aside for a command buffer; one that
 * has no entity and no bit is retired. A word of these bits is common, or belongs to an extent: the indices of a kind
 * of entities (src/change/kind.h). A shared page of zeros stands for missing pages. */
#define COVEY__TABLE_WORD (COVEY_PAGE_SIZE < 64 ? COVEY_PAGE_SIZE : 64) /* indices whose bits are in a word */
#define COVEY__TABLE_WORDS (COVEY_PAGE_SIZE / COVEY__TABLE_WORD)
typedef struct covey__entity_page {
    uint32_t generation[COVEY_PAGE_SIZE];
    uint64_t words;  /* a bit for each common word of `free`: whether it may have a bit */
    uint64_t held;   /* the same for each word of an extent */
    uint64_t vacant; /* a bit for each common word: whether all its indices may be free */
    uint64_t free[COVEY__TABLE_WORDS], aside[COVEY__TABLE_WORDS];
    uint32_t extent[COVEY__TABLE_WORDS]; /* of each word: its number + 1; 0: common */
} covey__entity_page;

/* A word of the table from which indices are issued, the lowest free one first. */
typedef struct covey__cursor {
    covey__entity_page *page;
    uint64_t *free; /* the word, and the generations of its indices */
    uint32_t *generations;
    uint64_t issues; /* the indices of the word that it may issue; 0: not found out yet */
    uint32_t at;     /* the first index of the word */
} covey__cursor;

/* Issues indices of [first, end). */
typedef struct covey__range {
    covey__cursor cursor; /* the range has no free index in words before it */
    uint32_t first, end;
    covey__links links; /* a reserved range: in the tree of these, by their first indices */
} covey__range;

/* The kind that was created last, and where its next entity is created. If it was created twice in a row, also the
 * types that were listed, and their pools. */
typedef struct covey__recent_kind {
    struct covey__kind *kind; /* NULL: none */
    const covey__cursor *cursor;
    uint32_t count; /* COVEY_NONE: the types are not noted */
    const covey_type *types[COVEY_TERMS];
    covey_pool *pools[COVEY_TERMS];
} covey__recent_kind;

/* Where a row has a component: in a block, or at the end of a sparse set. */
typedef struct covey__row_column {
    const covey_type *type;
    covey_pool *pool;
    uint64_t *mask;       /* of the block; NULL: sparse */
    char *data;           /* in a block: its values */
    covey__slot *slots;   /* sparse: those of the indices of the word */
    const uint32_t *end;  /* sparse: may only be appended to while its positions end there */
    uint8_t *used;        /* in a compact block: how many slots are used; otherwise NULL */
    const uint8_t *front; /* may only be appended to while that is this number */
    uint64_t *ordered;
    uint8_t *map;
    uint32_t capacity;
    bool copies_bytes; /* values may be copied, and the type has no hook for that */
} covey__row_column;

/* A group that the entity of a row joins. */
typedef struct covey__row_group {
    uint32_t *count;  /* of members */
    uint32_t *joined; /* for assertion level 1 */
    uint8_t *border;  /* of blocks: members in the block; or NULL */
} covey__row_group;

/* Entities of a kind are often created one after the other. If `moves` is the world's number, those with indices of one
 * word of the table get a row: a component in each of these pools, without memory, and without observers to be told.
 * Only groups that own the pools, and nothing else, may observe them: if all components are members, the new one joins
 * where it lies. src/storage/row.c creates rows; inline code, too, if all columns are direct or sparse. */
typedef struct covey__row {
    uint32_t inlined; /* columns, if inline code may create rows; otherwise COVEY_NONE */
    uint32_t count;   /* columns; COVEY_NONE: no entity gets a row */
    uint32_t joined;  /* groups that the entity joins */
    uint32_t room;    /* of compact blocks that one group owns, without hooks for copies: slots that each has; or 0 */
    uint32_t first;   /* the word: its first index, */
    uint64_t *free;   /* its bits, all of which the kind issues, */
    uint32_t *generations;
    uint64_t moves;
    covey__row_column columns[COVEY_TERMS];
    covey__row_group groups[COVEY_TERMS];
} covey__row;

/* Entities are often destroyed next to each other. In this block, if `moves` is the world's number, there are no
 * observers, and only these pools, with these masks, have components: direct, and with values that need no `drop`. */
#define COVEY__EMPTYING_POOLS 8
typedef struct covey__emptying {
    uint64_t moves;
    covey__entity_page *page;
    uint32_t block; /* an index / COVEY__BLOCK_IDS, or COVEY__NO_BLOCK */
    uint32_t last;  /* the index that covey__destroy_slowly freed last */
    uint32_t count;
    uint64_t *masks[COVEY__EMPTYING_POOLS];
    covey_pool *pools[COVEY__EMPTYING_POOLS];
} covey__emptying;

typedef struct covey__type_entry {
    const covey_type *type; /* NULL: none */
    covey_pool *pool;       /* without a type, an empty pool, so that inline code may read it without a check */
} covey__type_entry;

/* Called before code uses a component or resource, while systems run: finds undeclared uses. */
typedef enum covey__access {
    COVEY__ACCESS_READ,
    COVEY__ACCESS_WRITE,
    COVEY__ACCESS_RESOURCE_READ,
    COVEY__ACCESS_RESOURCE_WRITE
} covey__access;
typedef struct covey__guard covey__guard;
struct covey__guard {
    /* The name of the system that the calling thread runs and that may not make structural changes; NULL for none. */
    const char *(*system)(const covey__guard *guard);
    /* Whether that system (if any) declared this use. Types with the same name are one type. */
    bool (*allows)(const covey__guard *guard, const covey_type *type, covey__access access);
};

/* Where covey_get_all stores the address of a component: `to` is the address of a pointer. */
typedef struct covey__destination {
    const covey_type *type;
    void *to;
    size_t size; /* of a value */
} covey__destination;

/* What inline code and debuggers read of a world. */
struct covey_world {
    covey__entity_page **pages;
    covey__type_entry *types; /* open addressing by address; a power of two, at most a quarter full */
    uint64_t type_multiplier; /* odd; chosen so that few types share the first entry of their search */
    uint32_t page_count;
    uint32_t type_mask;
    covey__range range; /* all indices except those of the reserved ranges */
    uint32_t alive;
    uint32_t hooks;                     /* assertion level 1: calls of functions that must not change the world */
    struct covey__listeners *listeners; /* of entities that are created and destroyed; NULL for none */
    /* The entities that are being destroyed, which get no component; NULL for none. */
    struct covey__dying *dying;
    covey__trace destroyed;
    uint64_t changes; /* structural changes so far, at assertion level 1 */
    uint64_t moves;   /* how often chunks of block stores moved or were freed */
    uint64_t shifts;  /* how often any values moved, or what is needed to find them in sparse pools */
    covey__emptying emptying;
    covey__recent_kind recent;
    covey__row row;
    const covey__guard *guard; /* while systems run, which then count as one in `hooks`; otherwise NULL */
    covey_pool **pools;
    uint32_t pool_count;
    struct covey__inner *inner; /* what only the library reads: src/memory/inner.h; in the same allocation */
};

COVEY_INLINE void covey__trace_note(covey_world *world, covey__trace *trace, uint32_t index) {
    if (trace->index != index) {
        trace->index = index;
        trace->before = trace->count;
    }
    trace->count++;
    world->changes++;
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_LAYOUT_H */
