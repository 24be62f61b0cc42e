/* What the sources share with each other and nobody else. The structures are in covey.h, section 21, because the inline
 * code needs them; docs/design.md draws them. */
#ifndef COVEY_INTERNAL_H
#define COVEY_INTERNAL_H

#include <covey/commands.h>
#include <covey/covey.h>
#include <covey/fields.h>

#ifndef COVEY_GROW /* the next capacity of a growing array */
#define COVEY_GROW(capacity) ((capacity) < 16 ? 16 : (capacity)*2)
#endif
#ifndef COVEY_SLAB_BYTES /* slabs of chunks grow quickly up to this, then slowly */
#define COVEY_SLAB_BYTES ((size_t)1 << 18)
#endif
#ifndef COVEY_CACHE_BYTES /* copies of more than this, of whole worlds, go past the caches */
#define COVEY_CACHE_BYTES ((size_t)1 << 24)
#endif
#define COVEY__ALIGN_MAX 64

/* alloc.c: the only file that calls an allocator. Counts of elements, so that products are checked in one place. */

/* Resizes an array, keeping its elements. NULL (and the old array untouched) when memory is out or the size overflows;
 * NULL also for a new count or element size of 0, which frees. */
void *covey__resize(covey__heap *heap, void *array, size_t old_count, size_t new_count, size_t size, size_t align);
void covey__free(covey__heap *heap, void *array, size_t count, size_t size, size_t align);
/* The capacity to grow to so that `wanted` fit, at most `limit`. wanted <= limit. */
uint32_t covey__grown(uint32_t capacity, uint32_t wanted, uint32_t limit);
/* Grows a table of pointers so that entry `at` exists; new entries are `filler`. Returns the table, or NULL. */
void *covey__reach(covey__heap *heap, void *table, uint32_t *capacity, uint32_t at, uint32_t limit, void *filler);

/* A table from an index to its page of COVEY__BLOCK_PAGE indices; NULL where there is none. */
typedef struct covey__pages {
    void **at;
    uint32_t count;
} covey__pages;

static inline void *covey__page_at(const covey__pages *pages, uint32_t index) {
    return index / COVEY__BLOCK_PAGE < pages->count ? pages->at[index / COVEY__BLOCK_PAGE] : NULL;
}

/* The page of an index, made of zeros if it is missing; the table stays below `limit` pages. NULL when memory is out. */
void *covey__pages_reach(covey__heap *heap, covey__pages *pages, uint32_t index, uint32_t limit, size_t size);
void covey__pages_drop(covey__heap *heap, covey__pages *pages, uint32_t number, size_t size); /* one page */
void covey__pages_free(covey__heap *heap, covey__pages *pages, size_t size);
size_t covey__pages_bytes(const covey__pages *pages, size_t size);

static inline uint32_t covey__bits_in(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* Asks for a line of memory that will be needed soon. */
static inline void covey__prefetch_line(const char *data) {
#if defined(__GNUC__)
    __builtin_prefetch(data);
#else
    (void)data;
#endif
}

/* Asks for the first bytes of what will be read soon; hardware goes on from there. */
static inline void covey__prefetch(const char *data) {
    covey__prefetch_line(data);
    covey__prefetch_line(data + 64);
    covey__prefetch_line(data + 128);
    covey__prefetch_line(data + 192);
}

/* For functions that check invariants: names the one that does not hold, in *why. */
#define REQUIRE(holds, reason)      \
    do {                            \
        if (!(holds)) {             \
            if (why) *why = reason; \
            return false;           \
        }                           \
    } while (0)

/* result.c */
covey_result covey__fail(covey_world *world, covey_result result, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;

/* Fails because an entity has no such component: ABSENT, or DEAD. */
covey_result covey__fail_without(covey_world *world, covey_entity e, const covey_type *type);

/* crc32c.c: the sum of bytes that continue those which led to `crc`; 0 to begin. */
uint32_t covey__crc32c(uint32_t crc, const void *bytes, size_t size);
uint32_t covey__crc32c_portable(uint32_t crc, const void *bytes, size_t size); /* the same by tables, for tests */
/* And copies them, in one pass; past the caches, if the whole of which they are a part is larger than these. */
uint32_t covey__crc32c_copy(uint32_t crc, void *to, const void *from, size_t size, bool past_caches);

/* sparse_set.c: the steps that a pool takes one by one. */
covey__slot *covey__set_page(const covey_sparse_set *set, uint32_t number); /* NULL when it is missing */
void covey__set_init(covey_sparse_set *set, const covey_sparse_set_desc *desc);
void covey__set_free(covey_sparse_set *set);
/* Makes a set that was initialised like another one its twin, bytes of values included. False when memory is out. */
bool covey__set_clone(const covey_sparse_set *from, covey_sparse_set *to);
bool covey__set_desc_valid(const covey_sparse_set_desc *desc);
covey_result covey__set_reach(covey_sparse_set *set, uint32_t index); /* a page for the index */
/* Makes sure that an element of this index can be placed. */
covey_result covey__set_prepare(covey_sparse_set *set, uint32_t index, bool force_back);
covey_result covey__set_prepare_spare(covey_sparse_set *set, uint32_t count); /* and room for so many, in all */
/* Puts an element that is not live into the set; page and room are there. Returns its position, with no value yet. */
uint32_t covey__set_place(covey_sparse_set *set, covey_entity e, bool force_back);
/* Takes the element placed last out again. */
void covey__set_unplace(covey_sparse_set *set, covey_entity e);
/* Claims indices and makes room for them, so that placing them cannot fail and none comes twice: all or nothing.
 * Placing ends a claim; release takes back those that are not placed. */
covey_result covey__set_claim(covey_sparse_set *set, const covey_entity *entities, uint32_t count);
void covey__set_release(covey_sparse_set *set, const covey_entity *entities, uint32_t count);
/* Returns what lies behind the last live element without moving any: trailing holes, dead elements. */
void covey__set_trim(covey_sparse_set *set);
/* Where `value` is after the set has made room: values may lie in the set themselves. */
typedef struct covey__source {
    const char *value;
    bool inside;
    size_t offset;
} covey__source;
covey__source covey__set_source(const covey_sparse_set *set, const void *value);
const void *covey__set_resolve(const covey_sparse_set *set, const covey__source *source);

void covey__swap_bytes(void *a, void *b, size_t size);
/* The id at a position as a word, and a word put there with its slot: compilers then load and store ids as a whole. */
static inline uint64_t covey__set_id(const covey_sparse_set *set, uint32_t at) {
    return COVEY__SLOT(set->ids[at].index, set->ids[at].generation);
}

static inline void covey__set_put(covey_sparse_set *set, uint32_t at, uint64_t id) {
    uint32_t index = (uint32_t)id;
    set->ids[at] = (covey_entity){ index, (uint32_t)(id >> 32) };
    *covey__slot_of(set, index) = id ^ index ^ at;
}

static inline void covey__swap_values(void *a, void *b, size_t size) {
    uint64_t word;
    if (size != sizeof word) {
        covey__swap_bytes(a, b, size);
        return;
    }
    memcpy(&word, a, sizeof word);
    memcpy(a, b, sizeof word);
    memcpy(b, &word, sizeof word);
}

/* Exchanges the element that is `id` and has this slot with that at another position. */
static inline void covey__set_exchange(covey_sparse_set *set, covey__slot *slot, uint64_t id, uint32_t other) {
    uint32_t at = (uint32_t)*slot;
    size_t size = set->size;
    char *data = (char *)set->data;
    if (at == other) return;
    covey__set_put(set, at, covey__set_id(set, other));
    set->ids[other] = (covey_entity){ (uint32_t)id, (uint32_t)(id >> 32) };
    *slot = id ^ (uint32_t)id ^ other;
    covey__swap_values(data + at * size, data + other * size, size);
}

/* Moves an element to a position whose own is no longer needed. */
static inline void covey__set_move(covey_sparse_set *set, uint32_t from, uint32_t to) {
    size_t size = set->size;
    char *data = (char *)set->data;
    covey__set_put(set, to, covey__set_id(set, from));
    if (size == sizeof(uint64_t)) memcpy(data + to * size, data + from * size, sizeof(uint64_t));
    else covey__copy(data + to * size, data + from * size, size);
}
/* Sends adds and removals of one element out of line, or not. A type whose values need an end keeps removal there. */
void covey__set_watch(covey_sparse_set *set, bool watched, bool drops);
/* The positions that may be taken without asking for memory. */
static inline uint32_t covey__set_room(const covey_sparse_set *set) {
    bool ids_are_fewer = set->size == 0 || set->id_capacity < set->data_capacity;
    return ids_are_fewer ? set->id_capacity : set->data_capacity;
}

/* block_store.c */
extern char covey__nothing[COVEY__ALIGN_MAX]; /* the address of values without bytes */
extern const uint8_t covey__identity[64];     /* the map of a direct block */
/* Makes a slot for an index that is absent (MEMORY, PRESENT); *value is its address, with nothing in it yet. *source
 * may be the address of a value of the store: it follows when that moves. The directory stays below `limit` pages. */
covey_result covey__blocks_reserve(covey__block_store *blocks, uint32_t index, uint32_t limit); /* its page */
covey_result covey__blocks_place(covey__block_store *blocks, uint32_t index, uint32_t limit, const void **source,
                                 void **value);
void covey__blocks_erase(covey__block_store *blocks, uint32_t index); /* of an index that is there */
void covey__blocks_clear(covey__block_store *blocks);
void covey__blocks_free(covey__block_store *blocks);
/* Makes a store that was initialised like another one its twin, slot by slot. False when memory is out. */
bool covey__blocks_clone(const covey__block_store *from, covey__block_store *to);
/* Makes an empty store, whose pages were given masks and a summary, one that has these ids: with chunks as compaction
 * gives them, and without values. False when memory is out: then it is good only for being freed. */
bool covey__blocks_shape(covey__block_store *blocks);
/* Which ids a page has, and in which slots: the same bytes for pages that have the same. */
typedef struct covey__form {
    uint64_t masks[COVEY__PAGE_BLOCKS];
    uint8_t capacity[COVEY__PAGE_BLOCKS];
    uint8_t slots[64 * COVEY__PAGE_BLOCKS]; /* of compact blocks, one after the other: the id in each slot */
} covey__form;
size_t covey__blocks_form(const covey__block_store *blocks, uint32_t page, covey__form *form); /* bytes; 0: no ids */
char *covey__blocks_chunk(covey__block_store *blocks, uint32_t capacity); /* for a block; NULL when memory is out */
/* Gives a block other ids, whose values are to be written; and another chunk, unless that is NULL. */
void covey__blocks_reshape(covey__block_store *blocks, uint32_t index, uint64_t mask, const uint8_t *slots, char *chunk,
                           uint32_t capacity);
/* The values of blocks [block, end) of a page, as runs of bytes: by index, or by slot where a block is compact. */
typedef struct covey__runs {
    const covey__block_page *page;
    uint64_t left; /* of the block */
    uint32_t block, end;
    size_t size;
} covey__runs;
covey__runs covey__runs_of(const covey__block_store *blocks, const covey__block_page *page, uint32_t block,
                           uint32_t end);
size_t covey__runs_next(covey__runs *runs, char **at); /* bytes of the next one; 0 at the end */
void covey__blocks_compact(covey__block_store *blocks);
void covey__blocks_shrink(covey__block_store *blocks);
bool covey__blocks_have_page(const covey__block_store *blocks, uint32_t page);
size_t covey__blocks_bytes(const covey__block_store *blocks);                 /* counted from what is there */
size_t covey__blocks_chunk_bytes_compacted(const covey__block_store *blocks); /* of slabs, after compaction */
/* The capacity with which so many values take least memory: a multiple of four slots, or direct. */
uint32_t covey__fitting_capacity(const covey__block_store *blocks, uint32_t count);
/* The pages that a directory may have: as many as the world's table covers. */
static inline uint32_t covey__block_limit(const covey_world *world) {
    return (uint32_t)((uint64_t)world->page_count * COVEY_PAGE_SIZE / COVEY__BLOCK_PAGE);
}

/* slab.c */
struct covey__slab {
    covey__slab *next, *previous; /* of its class, among those with room */
    uint32_t chunks, used;        /* in all; handed out */
    uint32_t fresh;               /* chunks from here on were never handed out */
    uint32_t free;                /* the chunk that was given back last; its first bytes say which came before */
    uint32_t stride;              /* from a chunk to the next */
    uint8_t capacity;
    uint8_t header; /* bytes before the first chunk */
    uint8_t class;  /* the number of the step with this capacity; COVEY__CLASSES for one that only compaction gives */
};

uint32_t covey__chunk_capacity(const covey__block_store *blocks, uint32_t slots); /* the step that has so many */
size_t covey__chunk_bytes(const covey__block_store *blocks, uint32_t capacity);   /* SIZE_MAX if they are too many */
uint8_t covey__slab_header(const covey__block_store *blocks); /* bytes that a slab takes beside its chunks */
/* A chunk of a capacity that is a step; NULL when memory is out. */
char *covey__chunk_take(covey__block_store *blocks, uint32_t capacity);
/* The same of any capacity. */
char *covey__chunk_take_exactly(covey__block_store *blocks, uint32_t capacity);
void covey__chunk_give(covey__block_store *blocks, char *chunk);
/* A slab for one user, who takes all its chunks, from the first to the last, before anybody else looks at it. */
covey__slab *covey__slab_create(covey__block_store *blocks, uint32_t capacity, uint32_t chunks);
char *covey__slab_take(covey__slab *slab);
char *covey__slab_take_row(covey__slab *slab, uint32_t count); /* side by side; NULL if there are not so many */
bool covey__slab_full(const covey__slab *slab);
void covey__slabs_trim(covey__block_store *blocks);  /* returns the empty ones */
void covey__slabs_reset(covey__block_store *blocks); /* empties all */
void covey__slabs_free(covey__block_store *blocks);
/* Cloning has three steps. The first makes slabs with the same chunks, which are numbered as those of `from` are, until
 * the last has sorted them by address; between them, each chunk has a twin. */
bool covey__slabs_clone(const covey__block_store *from, covey__block_store *to); /* false when memory is out */
char *covey__chunk_twin(const covey__block_store *from, const covey__block_store *to, const char *chunk);
void covey__slabs_cloned(covey__block_store *blocks);
size_t covey__slabs_bytes(const covey__block_store *blocks);
size_t covey__slabs_bytes_trimmed(const covey__block_store *blocks); /* without the empty ones */
/* What chunks of a capacity would take: had one after the other; from slabs that compaction makes. */
size_t covey__slabs_bytes_grown(const covey__block_store *blocks, uint32_t capacity, uint64_t chunks);
size_t covey__slabs_bytes_packed(const covey__block_store *blocks, uint32_t capacity, uint64_t chunks);
size_t covey__slab_most(const covey__block_store *blocks, uint32_t capacity); /* chunks that compaction puts into one */
bool covey__slabs_valid(const covey__block_store *blocks, const char **why);

/* near.c */
typedef struct covey__near_page {
    size_t words; /* for each block */
    uint64_t bits[];
} covey__near_page;
extern covey__near_page covey__near_missing; /* stands for pages that are missing */

static inline covey__near_page *covey__near_page_of(const covey_world *world, uint32_t index) {
    uint32_t at = index / COVEY__BLOCK_PAGE;
    return at < world->near_count ? world->near_pages[at] : &covey__near_missing;
}

/* The pools that may have something in the block of an index: a bit for each, in *words words. */
static inline const uint64_t *covey__near(const covey_world *world, uint32_t index, size_t *words) {
    const covey__near_page *page = covey__near_page_of(world, index);
    *words = page->words;
    return page->bits + covey__block_of(index) * page->words;
}

bool covey__near_reserve(covey_world *world, uint32_t pool, uint32_t index); /* false when memory is out */
bool covey__near_mark(covey_world *world, uint32_t pool, uint32_t index);    /* the same */
/* Marks where there is a place for it. */
static inline void covey__near_set(covey_world *world, uint32_t pool, uint32_t index) {
    covey__near_page *page = world->near_pages[index / COVEY__BLOCK_PAGE];
    world->moves++; /* for what is known of the entity destroyed last */
    page->bits[covey__block_of(index) * page->words + pool / 64] |= (uint64_t)1 << pool % 64;
}
void covey__near_unmark(covey_world *world, uint32_t pool, uint32_t index);
void covey__near_unmark_all(covey_world *world, uint32_t pool);
void covey__near_free(covey_world *world);
size_t covey__near_bytes(const covey_world *world);

/* entity.c */
covey__entity_page *covey__entity_page_of(const covey_world *world, uint32_t index); /* NULL when it is missing */
const covey__range *covey__range_of(const covey_world *world, uint32_t index);
void covey__entity_page_reset(covey__entity_page *page); /* none of its indices was ever used */
void covey__entities_free(covey_world *world);
bool covey__entities_untouched(const covey_world *world); /* no index was ever used or reserved */
/* Gives indices of one page, from one on, generations that an image has; the others are as if never used. NULL when memory
 * is out. */
covey__entity_page *covey__entities_load(covey_world *world, uint32_t index, const uint32_t *generations,
                                         uint32_t count, bool past_caches);
bool covey__ranges_reserve(covey_world *world, uint32_t count); /* room for so many more; the same */
void covey__entities_reset(covey_world *world); /* as if none was ever used or reserved; no component is there */
bool covey__entities_clone(const covey_world *from, covey_world *to); /* false when memory is out */
/* Before entities are made: the memory that listeners need. */
covey_result covey__entities_prepare(covey_world *world, uint32_t count);
/* The entities that as many calls of covey_create would make, or null handles; nobody hears of it. */
covey_result covey__entities_take(covey_world *world, covey_entity *entities, uint32_t count);
/* Undoes that: nothing else was created or destroyed since. Leaves null handles. */
void covey__entities_give_back(covey_world *world, covey_entity *entities, uint32_t count);
/* Indices that are set aside: taken as covey_create does, and not alive. The handle is the one that the entity gets. */
covey_entity covey__entity_set_aside(covey_world *world, covey_result *result);  /* null, without a log: MEMORY, FULL */
void covey__entity_give_back(covey_world *world, covey_entity e);                /* those set aside last come first */
void covey__entity_retire(covey_world *world, uint32_t index);                   /* its generations are used up */
void covey__entity_enliven(covey_world *world, covey_entity e); /* tells listeners */
bool covey__is_set_aside(const covey__entity_page *page, uint32_t index);

/* commands.c */
bool covey__commands_valid(const covey_commands *commands, const char **why); /* but for whose its ids are */
/* In a clone of a world, nobody has the ids that buffers of the world have set aside: they become free. */
void covey__commands_leave_clone(const covey_world *world, covey_world *clone);

/* Other ids for a buffer that has recorded no entity: first those that are used up. There is room for them. Or they
 * become free, as when a buffer ends. */
void covey__commands_set_ids(covey_commands *commands, const covey_entity *ids, uint32_t spent, uint32_t count);
void covey__commands_free_ids(covey_world *world, const covey_entity *ids, uint32_t spent, uint32_t count);

/* type.c */
bool covey__type_valid(const covey_type *type);
bool covey__type_is_internal(const covey_type *type); /* of the library's own, by its name */
/* As covey_type_create, for a type of the library's own: its hooks may have the world as context. */
const covey_type *covey__type_make_internal(covey_world *world, const covey_type *description);
covey_storage covey__type_storage(const covey_type *type); /* what it gets */
bool covey__type_same_layout(const covey_type *a, const covey_type *b);
bool covey__type_can_copy(const covey_type *type);
bool covey__type_is_made(const covey_world *world, const covey_type *type); /* at run time, in this world */
/* A type like this for a resource, which needs no pool: one that is there, or a copy. NULL: MEMORY. */
const covey_type *covey__type_keep(covey_world *world, const covey_type *description);
uint64_t covey__name_hash(const char *name);
covey_pool *covey__pool_bound(const covey_world *world, const covey_type *type);
covey_pool *covey__pool_named(const covey_world *world, const char *name);
bool covey__type_reserve(covey_world *world);
void covey__type_bind(covey_world *world, const covey_type *type, covey_pool *pool);
void covey__types_free(covey_world *world);
size_t covey__made_type_bytes(const covey_world *world);

/* fields.c */
bool covey__fields_valid(const covey_fields *fields, uint32_t size); /* as a description of a struct of this size */
bool covey__fields_same(const covey_fields *a, const covey_fields *b); /* either may be NULL */
const covey_field *covey__field_named(const covey_fields *fields, const char *name); /* NULL: none */
uint32_t covey__field_stride(const covey_field *field);                              /* bytes of an element */
/* A copy, names and nested fields included, in memory of so many bytes that is aligned for everything. */
size_t covey__fields_bytes(const covey_fields *fields);
const covey_fields *covey__fields_copy(const covey_fields *fields, void *memory);

/* Whether an index has a position of a set below `end`. */
static inline bool covey__set_has(const covey_sparse_set *set, uint32_t index, uint32_t end) {
    return index / COVEY_PAGE_SIZE < set->page_count && (uint32_t)*covey__slot_of(set, index) < end;
}

/* The component of an entity that is alive, by its index alone. The pool may be unknown: NULL has nothing. */
static inline bool covey__has_index(const covey_pool *pool, uint32_t index) {
    if (!pool) return false;
    if (covey__in_blocks(pool)) return covey__block_has(&pool->blocks, index);
    return covey__set_has(&pool->set, index, pool->set.end);
}

/* Its value; it is there. */
static inline void *covey__value_of_index(const covey_pool *pool, uint32_t index) {
    if (covey__in_blocks(pool)) return covey__block_value(&pool->blocks, index, pool->size);
    return covey__value_at(&pool->set, (uint32_t)*covey__slot_of(&pool->set, index), pool->size);
}

/* pool.c */
covey_pool *covey__pool_of_internal(covey_world *world, const covey_type *type); /* of a type of the library's own */
static inline bool covey__is_internal(const covey_pool *pool) { return (pool->uses & COVEY__USE_INTERNAL) != 0; }
void covey__pool_init(covey_pool *pool, covey_storage storage); /* an empty storage, instead of whatever is there */
/* Tells assertion level 2 that values moved, or that components of others than one entity changed. */
static inline void covey__pool_moved(covey_pool *pool, bool others) {
#if COVEY_ASSERT_LEVEL >= 2
    pool->moved++;
    if (others) COVEY__TRACE(pool->removed, COVEY_NONE);
#else
    (void)pool, (void)others;
#endif
}
bool covey__pool_mark_all(covey_pool *pool); /* near; needs no memory where the pool was marked before */
void covey__pool_clear(covey_pool *pool);
void covey__pool_free(covey_pool *pool);
void covey__pool_forget(covey_pool *pool); /* empties it, whatever is there; no value is dropped, nobody is told */
void covey__pool_drop(const covey_pool *pool, covey_entity e); /* the value of a component that is there */
/* The two halves of adding: a place without a value, for an entity that is alive; *source, which may lie in the pool,
 * follows when values move. */
covey_result covey__pool_place(covey_pool *pool, covey_entity e, const void **source, void **value);
/* Adds a value to a pool of the library's own; the caller reports. */
covey_result covey__pool_put(covey_pool *pool, covey_entity e, const void *value);
bool covey__pool_mark_page(covey_pool *pool, uint32_t index);   /* before a sparse pool gets a page for the index */
void covey__pool_unmark_page(covey_pool *pool, uint32_t index); /* when it did not get it */
/* Whether a pool has anything in the block of an index: components, or, if it is sparse, a page of its table. */
bool covey__pool_is_near(const covey_pool *pool, uint32_t index);
bool covey__may_be_set(covey_pool *pool, covey_entity e); /* there is memory to tell of it; or fails */
void covey__pool_erase(covey_pool *pool, covey_entity e); /* of a component that is there; the value is not dropped */

/* room.c: places for components that entities lack; of one entity where an add would put it, or, if they are appended, of
 * many. MEMORY, FULL, PRESENT: then nothing has changed. */
covey_result covey__room_make(covey_pool *pool, const covey_entity *to, uint32_t count, bool append);
void covey__room_forget(covey_pool *pool, const covey_entity *to, uint32_t count, bool append);
/* Where a value goes; in the order in which room was made for them. Who watches hears of it when all are there. */
void *covey__room_take(covey_pool *pool, covey_entity e, bool append);

/* signal.c */
typedef struct covey__listener {
    uint64_t number;         /* of its connection; 0 once that has ended */
    uint32_t signals;        /* that it hears; none once the connection has ended */
    covey_listener_fn *call; /* one of these three */
    covey_queue *queue;
    covey_pool *tags; /* of a reactive set */
    void *context;
    bool spans;
} covey__listener;

/* Those of a pool, or of all entities, in the order in which they were connected. */
typedef struct covey__listeners {
    covey__listener *all;
    uint32_t count, capacity;
    uint32_t signals;        /* that any of them hears: */
    uint32_t called, queued; /* those for which a function is called; that queues keep */
    uint32_t emitting;       /* emissions under way: the array may grow, but nobody leaves it */
} covey__listeners;

/* One event, or many of a kind, of which listeners are being told. It is on the stack of the call that tells them; what
 * is still to be told is here, so that others may do it. */
typedef struct covey__emission {
    struct covey__emission *outer;
    covey_pool *pool; /* NULL: about entities */
    covey__listeners *listeners;
    covey_signal signal;
    const covey_entity *entities;
    uint32_t count;
    uint32_t listener, listener_count; /* the next to be told; how many there were in the beginning */
    uint32_t part, part_end;           /* the entities of whom all are told before others are */
    uint32_t at;                       /* the first of the entities of whom it has not been told */
    uint64_t ended; /* of a removal, of 64 at most: bit i when the component of entity i was removed meanwhile */
} covey__emission;

/* An entity whose end is being announced. */
typedef struct covey__dying {
    struct covey__dying *outer;
    uint32_t index;
    uint32_t reached; /* the pools with lower numbers were told */
} covey__dying;

static inline covey__dying *covey__dying_of(const covey_world *world, uint32_t index) {
    covey__dying *dying = world->dying;
    while (dying && dying->index != index) dying = dying->outer;
    return dying;
}

static inline bool covey__takes_components(const covey_world *world, covey_entity e) {
    return covey_alive(world, e) && !covey__dying_of(world, e.index);
}

/* Before a change: asks for the memory that listeners need for it, and for the end of what is made. */
covey_result covey__listeners_prepare(covey__listeners *listeners, covey_signal signal, const covey_entity *entities,
                                      uint32_t count);
/* Tells the listeners of a pool, or, if that is NULL, of entities. Returns whether anybody's code has run. */
bool covey__emit(covey_world *world, covey_pool *pool, covey_signal signal, const covey_entity *entities,
                 uint32_t count);
/* Tells of several changes that were made before anybody was told of any: queues and reactive sets hear of all of them
 * first, and what ends meanwhile is told of as a whole. Of each, the pool, the signal and the entities are there, and
 * the rest is zero. */
void covey__emit_together(covey_world *world, covey__emission *emissions, uint32_t count);
/* Tells of removals, of 64 at most. Returns which of them were made meanwhile: what is there now is another component. */
uint64_t covey__emit_removals(covey_pool *pool, const covey_entity *entities, uint32_t count);
/* Tells all that is still to be told of a component. */
void covey__tell_the_rest(covey_pool *pool, covey_entity e);
/* Before a component is removed of which that was done: whether its removal has been told of, too. */
bool covey__end_announced(covey_pool *pool, covey_entity e);
/* Tells of a component that is about to be removed. Returns whether it is still there to be removed. */
bool covey__announce_removal(covey_pool *pool, covey_entity e);
/* Tells of an entity that is about to be destroyed. Returns whether it is still there to be destroyed. */
bool covey__announce_end(covey_world *world, uint32_t index, uint32_t generation);
bool covey__listen(covey_world *world, covey_pool *pool, const covey__listener *listener); /* false: no memory */
void covey__unlisten(covey_world *world, covey_pool *pool, uint64_t number);
void covey__listen_no_more(covey_world *world, covey_pool *pool); /* ends all connections of a pool, or to entities */
void covey__listeners_free(covey_world *world, covey__listeners *listeners);
size_t covey__listeners_bytes(const covey__listeners *listeners);

/* queue.c */
typedef struct covey__queued {
    covey_entity entity;
    uint32_t pool; /* its number; COVEY_NONE: about an entity */
    covey_signal signal;
} covey__queued;

/* Where events come from. */
typedef struct covey__source_of_events {
    const covey_pool *pool; /* NULL: entities */
    uint32_t signals;
    uint64_t number; /* of the connection */
} covey__source_of_events;

/* A ring, in which there is always room for the removal of all that is there. */
struct covey_queue {
    covey_world *world;
    uint64_t number; /* among all queues, reactive sets and command buffers that were ever made */
    covey_queue *next;
    covey__queued *events;
    uint32_t first, count, capacity;
    covey__source_of_events *sources;
    uint32_t source_count, source_capacity;
};

bool covey__queue_reserve(covey_queue *queue, uint64_t more); /* besides that; false: no memory */
uint64_t covey__queue_owed(const covey_queue *queue);         /* the room that there must be */
bool covey__queue_attach(covey_queue *queue, const covey_pool *pool, const covey__listener *listener);
void covey__queue_detach(covey_queue *queue, uint64_t number);
void covey__queue_push(covey_queue *queue, const covey_pool *pool, covey_signal signal, covey_entity e);
void covey__queues_free(covey_world *world);
size_t covey__queues_bytes(const covey_world *world);

/* reactive.c */
struct covey_reactive {
    covey_world *world;
    covey_reactive *next;
    covey_pool *tags;
    covey_view match;
    uint64_t number; /* as that of a queue; another one each time that it is used again */
    bool used;       /* or to be used again: pools live as long as their world */
};

covey_result covey__reactive_reserve(covey_pool *tags, uint32_t index); /* so that marking needs no memory */
void covey__reactive_unmark(covey_pool *tags, uint32_t index); /* of one that is marked */
void covey__reactive_unmark_all(covey_pool *tags);
static inline bool covey__is_reactive(const covey_pool *pool) { return (pool->uses & COVEY__USE_REACTIVE) != 0; }

/* Without a branch: whether a mark is the first of its block is often random. */
static inline void covey__reactive_mark(covey_pool *tags, uint32_t index) {
    covey__block_page *page = covey__block_page_of(&tags->blocks, index);
    uint32_t block = covey__block_of(index);
    uint64_t mask = page->masks[block], with = mask | (uint64_t)1 << index % 64;
    if (mask != with) COVEY__TRACE(tags->added, index);
    tags->blocks.count += mask != with;
    tags->world->moves += mask == 0; /* for what is known of the entity destroyed last */
    page->masks[block] = with;
    page->summary |= (uint64_t)1 << block;
}

void covey__reactives_free(covey_world *world);
size_t covey__reactives_bytes(const covey_world *world);

/* watch.c: what follows when a component was added or is removed. A pool has a watch while a group is about it, it is
 * kept sorted, somebody listens, or components of it were disabled; and always, if its type has ticks. The inline code
 * then leaves adds and removals to the slow halves, which call these. */
typedef enum covey__role { COVEY__OWNED, COVEY__ASKED, COVEY__EXCLUDED } covey__role;

typedef struct covey__membership {
    covey_group *group;
    covey__role role; /* what the pool is to the group */
} covey__membership;

typedef struct covey__watch {
    covey__membership *groups; /* from the outer to the inner */
    uint32_t group_count, group_capacity;
    bool needs_memory; /* an add may: for a group that owns nothing, or for keeping order */
    bool is_excluded;  /* of a group */
    bool is_owned;     /* by a group */
    bool keeps_order;
    bool settling; /* components have places that the groups have not heard of */
    bool is_cleared;                 /* right now */
    covey_group *sole;               /* the only watcher, if it owns all its pools and excludes none; or NULL */
    covey_pool *others[COVEY_TERMS]; /* the pools that it owns besides */
    uint32_t other_count;
    covey_order order;
    covey__listeners listeners;
    covey_pool *touched; /* the tags of the only listener, if that is a reactive set that hears of values set; or NULL */
    covey__pages off;   /* which components are disabled: a bit for each index; no table while none ever was */
    covey__pages ticks; /* when components were changed: of covey__tick_page */
} covey__watch;

static inline bool covey__is_cleared(const covey_pool *pool) { return pool->watch && pool->watch->is_cleared; }
#define COVEY__IS_CLEARED "a listener must not clear or convert the pool that is being cleared"

covey__watch *covey__pool_watch(covey_pool *pool); /* makes one if there is none; NULL when memory is out */
void covey__pool_unwatch(covey_pool *pool);        /* frees it if nobody needs it */
void covey__pool_update(covey_pool *pool);         /* tells the inline code what it may do */
void covey__pool_update_watch(covey_pool *pool);   /* when the watchers have changed */
covey_result covey__watch_prepare(covey_pool *pool, covey_entity e); /* before a component gets a place */
covey_result covey__watch_prepare_many(covey_pool *pool, const covey_entity *entities, uint32_t count);
/* The same where they get components of other pools, too, before the watchers hear of any. */
covey_result covey__watch_prepare_copies(covey_pool *pool, const covey_entity *entities, uint32_t count);
void covey__watch_added(covey_pool *pool, uint32_t index); /* when its value is there; listeners are not told */
void covey__watch_placed(covey_pool *pool, uint32_t index); /* the same without a tick */
covey_result covey__watch_prepare_set(covey_pool *pool, covey_entity e); /* before a value is overwritten */
bool covey__watch_set(covey_pool *pool, covey_entity e); /* when it was; returns whether anybody's code has run */
void covey__watch_take_out(covey_pool *pool, covey_entity e); /* instead of dropping and erasing it */
void *covey__found_again(covey_pool *pool, covey_entity e); /* by now; NULL (GONE) when it was taken away */
void covey__watch_cleared(covey_pool *pool);
void covey__watch_shrink(covey_pool *pool);
void covey__watch_free(covey_world *world, covey__watch *watch);
void covey__pool_end_watch(covey_pool *pool); /* whoever needs it: when the world ends */
size_t covey__watch_bytes(const covey_pool *pool);

/* enable.c */
#define COVEY__OFF_BYTES (COVEY__PAGE_BLOCKS * sizeof(uint64_t)) /* of a page */
uint64_t *covey__off_reach(covey_pool *pool, uint32_t index); /* the page of bits; NULL when memory is out */
covey_pool *covey__pool_of_disabled(covey_world *world); /* made if it is not there; NULL when memory is out */

/* Which of the 64 ids of a block have a component that is disabled. The pool may be unknown. */
static inline uint64_t covey__off_mask(const covey_pool *pool, uint32_t index) {
    const uint64_t *page = pool && pool->watch ? covey__page_at(&pool->watch->off, index) : NULL;
    return page ? page[covey__block_of(index)] : 0;
}

static inline bool covey__is_off(const covey_pool *pool, uint32_t index) {
    return covey__off_mask(pool, index) >> index % 64 & 1;
}

/* Whether an entity that is alive has a component that is not disabled. */
static inline bool covey__sees(const covey_pool *pool, uint32_t index) {
    return covey__has_index(pool, index) && !covey__is_off(pool, index);
}

static inline bool covey__may_hide(const covey_pool *pool) { return pool && pool->watch && pool->watch->off.at; }

/* tick.c: a change of a component is noted for it alone, or for all of its block, whichever costs less. */
typedef struct covey__tick_page {
    uint64_t latest[COVEY__PAGE_BLOCKS]; /* of a block: the tick of its last change */
    uint64_t whole[COVEY__PAGE_BLOCKS];  /* of a block: all that were there were changed at this tick */
    uint64_t each[COVEY__BLOCK_PAGE];    /* of an index */
} covey__tick_page;

bool covey__ticks_reach(covey_pool *pool, uint32_t index); /* before a component gets a place; false: memory is out */
void covey__ticks_put(const covey_pool *pool, uint32_t index, uint64_t tick); /* that of a component that is new */
void covey__ticks_note(const covey_pool *pool, uint32_t index); /* of a component that is there, as all of these */
void covey__ticks_note_run(const covey_pool *pool, uint32_t first, uint32_t count); /* of so many ids in a row */
void covey__ticks_note_block(const covey_pool *pool, uint32_t index);               /* of all in the block */
uint64_t covey__ticks_of(const covey_pool *pool, uint32_t index);
/* Those of the ids of a block that were changed after a tick. */
uint64_t covey__ticks_since(const covey_pool *pool, uint32_t first, uint64_t ids, uint64_t since);

/* group.c */
struct covey_group {
    covey_world *world;
    covey_view view; /* its fields: first those that are owned */
    covey_pool *pools[COVEY_TERMS];
    uint32_t owned;       /* so many of the pools */
    uint32_t count;       /* owning: the members are at the positions below, in each owned pool */
    covey_sparse_set set; /* owning nothing: the members */
    uint32_t candidates;  /* owning nothing: members, and those that only an excluded pool keeps from it */
    covey__trace left;    /* at assertion level 2: who did; how many joined */
    uint32_t joined;
};

/* Before `count` components get their places; this is one of them. `anyway`: whatever else its entity has by now. */
covey_result covey__groups_prepare(covey_pool *pool, covey_entity e, uint32_t count, bool anyway);
void covey__groups_added(covey_pool *pool, uint32_t index);
void covey__groups_leaving(covey_pool *pool, uint32_t index);
void covey__groups_erase(covey_pool *pool, uint32_t index); /* of an owned pool: leaving and erasing in one */
void covey__groups_left(covey_pool *pool, covey_entity e);
void covey__groups_cleared(covey_pool *pool);
/* Joins and leaves when what a component counts as has changed, and not whether it is there. */
void covey__groups_review(covey_pool *pool, uint32_t index);
/* Room to link all groups to a pool that is to come: false when memory is out. No watch is needed without groups. */
bool covey__groups_room(covey_world *world, covey__watch **watch);
void covey__groups_exclude(covey_pool *pool, covey__watch *watch); /* links them to it */
void covey__groups_update(covey_pool *pool); /* the watches of all pools that are in a group with this one */
void covey__group_collect(covey_group *group); /* anew; there is room for all candidates */
void covey__groups_shrink(covey_world *world);
size_t covey__groups_bytes(const covey_world *world); /* of their sets */
bool covey__group_asks_for(const covey_group *group,
                           uint32_t index); /* all it asks for, the entity of this index has */
bool covey__group_has(const covey_group *group, uint32_t index);
bool covey__group_is_candidate(const covey_group *group, uint32_t index);
const covey_group *covey__pool_owner(const covey_pool *pool); /* the innermost group that owns it, or NULL */
/* Tells assertion level 2 that members change places, and with them those of the groups around: because of the entity
 * of an index, or COVEY_NONE. */
#if COVEY_ASSERT_LEVEL >= 2
void covey__group_disturb_outer(const covey_group *group, uint32_t who);
#else
static inline void covey__group_disturb_outer(const covey_group *group, uint32_t who) { (void)group, (void)who; }
#endif

/* hierarchy.c: the value of a covey.node. Links are indices of entities that have one, too, or COVEY_NONE. An entity may
 * do without a node: it then is a root without children. */
typedef struct covey__node {
    uint32_t self; /* its own: a drop hook does not know the entity */
    uint32_t parent;
    uint32_t first, last, count; /* of its children */
    uint32_t next, previous;     /* of its siblings; roots have none */
} covey__node;

static inline covey__node *covey__node_of(const covey_world *world, uint32_t index) { /* NULL when it has none */
    return covey__has_index(world->nodes, index) ? covey__value_of_index(world->nodes, index) : NULL;
}

/* The index of its parent, or COVEY_NONE. */
static inline uint32_t covey__parent_of(const covey_world *world, uint32_t index) {
    const covey__node *node = covey__node_of(world, index);
    return node ? node->parent : COVEY_NONE;
}

/* Makes an entity the last child of another. No check: neither is above the other, and the child has no parent. False
 * when memory is out. */
bool covey__hierarchy_link(covey_world *world, covey_entity child, covey_entity parent);
bool covey__hierarchy_is_sound(const covey_world *world); /* nobody is above itself; O(nodes) */
/* The entity of an index; null for COVEY_NONE, and for one that is just being destroyed. */
covey_entity covey__handle_of(const covey_world *world, uint32_t index);
/* Gives the entities of another world, which are alive here, too, the places that they have there. The node pool is
 * empty or unknown here. False when memory is out: then nobody has a place. */
bool covey__hierarchy_clone(const covey_world *from, covey_world *to);

/* name.c: the value of a covey.name. A table finds it by the parent and the text. */
typedef struct covey__name {
    char *text;
    uint32_t length;
    uint32_t hash; /* of the parent and the text */
    uint32_t next; /* index of an entity whose name is in the same bucket, or COVEY_NONE */
    uint32_t self;
} covey__name;

typedef struct covey__names {
    covey_pool *pool;
    uint32_t *buckets;     /* indices of entities, or COVEY_NONE */
    uint32_t bucket_count; /* a power of two, or 0 */
} covey__names;

const covey__name *covey__name_of(const covey_world *world, uint32_t index); /* NULL when it has none */
uint32_t covey__name_key(const covey_world *world, uint32_t index);          /* the hash that it should have */
/* Whether another one of these siblings has the name of an entity, if that has one. */
bool covey__name_clashes(const covey_world *world, uint32_t index, uint32_t parent);
void covey__name_moved(covey_world *world, uint32_t index); /* its parent is another one now */
void covey__name_lose(covey_world *world, uint32_t index);
void covey__names_shrink(covey_world *world);
void covey__names_free(covey_world *world); /* the pool is empty */
size_t covey__names_bytes(const covey_world *world);
/* Gives the entities of another world, which are alive here, too, and have the same parents, the names that they have
 * there. No entity has a name here. False when memory is out: then none has. */
bool covey__names_clone(const covey_world *from, covey_world *to);
/* For putting other names in the place of all: room for so many; texts; the end of those that there are, whose values are
 * then written over; and the table again. */
bool covey__names_room(covey_world *world, uint32_t count);                           /* false: no memory */
char *covey__name_text(covey_world *world, const char *text, uint32_t length);        /* a copy; NULL: no memory */
void covey__name_text_free(covey_world *world, char *text, uint32_t length);
void covey__names_forget(covey_world *world);
void covey__names_recall(covey_world *world);

/* resource.c */
void covey__resources_free(covey_world *world); /* drops their values */
void covey__resources_forget(covey_world *world); /* does not: they were nobody's yet */
void covey__resource_forget(covey_world *world, const covey_type *type); /* without dropping its value */
/* Copies them to a world that has none, and knows the types that were made; which of them fails is told by name. */
covey_result covey__resources_clone(const covey_world *from, covey_world *to);
/* For putting others in the place of all: appends to a list, which begins with NULL, a copy of a value; ends a list; lets
 * it take the place of the world's, whose values then end, and whose addresses stay where the type does. */
covey_result covey__resources_append(covey_world *world, struct covey__resources **list, const covey_type *type,
                                     const void *value);
void covey__resources_end(covey_world *world, struct covey__resources **list);
void covey__resources_replace(covey_world *world, struct covey__resources *list);
const void *covey__resource_value(const covey_world *world, uint32_t number);
size_t covey__resource_bytes(const covey_world *world);
bool covey__resources_valid(const covey_world *world, const char **why);

/* sort.c */
/* Sorts a pool, as covey_pool_sort does, by keys of 32 bits that a function makes for all components at once. */
typedef void covey__keys_fn(const covey_pool *pool, uint64_t *keys, uint32_t count);
covey_result covey__pool_sort_by(covey_pool *pool, covey__keys_fn *keys);
void covey__pool_sort_again(covey_pool *pool); /* one that is kept in an order; quick only if there is memory */
void covey__sort_insert(covey_pool *pool,
                        uint32_t index); /* puts a component, before which all are sorted, in its place */

/* history.c */
void covey__histories_free(covey_world *world);
bool covey__histories_valid(const covey_world *world, const char **why);

/* view.c */
static inline uint32_t covey__view_terms(const covey_view *view) { return (uint32_t)view->fields + view->without; }

/* view_rules.c: notes what the pools are like when a span begins, and tells at its end what was not allowed. */
#if COVEY_ASSERT_LEVEL >= 2
void covey__remember_pools(covey_iter *it);
void covey__check_span(const covey_iter *it);
#else
static inline void covey__remember_pools(covey_iter *it) { (void)it; }
static inline void covey__check_span(const covey_iter *it) { (void)it; }
#endif

#endif
