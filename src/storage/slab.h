/* Slabs: arrays of chunks of one capacity. A block keeps its values in a chunk. */
#ifndef COVEY_SLAB_H
#define COVEY_SLAB_H

#include <covey/covey.h>

#ifndef COVEY_SLAB_BYTES /* slabs of chunks grow quickly up to this, then slowly */
#define COVEY_SLAB_BYTES ((size_t)1 << 18)
#endif

#ifndef COVEY_ROW_BYTES /* the most bytes of a row of chunks */
#define COVEY_ROW_BYTES ((size_t)1 << 17)
#endif

struct covey__slab {
    covey__slab *next, *previous; /* in the list of slabs of its class with room */
    uint32_t chunks, used;        /* in total; in use */
    uint32_t fresh;               /* chunks from this one on were never used */
    uint32_t free;                /* the chunk that was freed last; its first bytes link to the one before */
    uint32_t stride;              /* from a chunk to the next */
    uint8_t capacity;
    uint8_t header; /* bytes before the first chunk */
    /* The number of the step with this capacity. COVEY__CLASSES: only compaction gives it, or it is a row. */
    uint8_t class;
};

/* The smallest step with room for this many slots. */
uint32_t covey__chunk_capacity(const covey__block_store *blocks, uint32_t slots);
size_t covey__chunk_bytes(const covey__block_store *blocks, uint32_t capacity); /* SIZE_MAX if the size overflows */
uint8_t covey__slab_header(const covey__block_store *blocks); /* bytes of a slab in addition to its chunks */
/* A chunk of a capacity that is a step; NULL when an allocation fails. */
char *covey__chunk_take(covey__block_store *blocks, uint32_t capacity);
/* The same for any capacity. */
char *covey__chunk_take_exactly(covey__block_store *blocks, uint32_t capacity);
void covey__chunk_free(covey__block_store *blocks, char *chunk);
/* Rows: direct chunks that follow each other, for neighbouring blocks. A row is a slab of its own, in no list; when one
 * of its chunks is freed, it becomes a slab like others. covey__row_take returns the first chunk of a new row, which
 * may be shorter than `count`; NULL when an allocation fails. covey__row_next takes the chunk behind another one; NULL
 * if that is not the next one of a row. */
char *covey__row_take(covey__block_store *blocks, uint32_t count);
char *covey__row_next(covey__block_store *blocks, const char *chunk);
/* A slab in no list: the caller takes all its chunks in order before others can. */
covey__slab *covey__slab_create(covey__block_store *blocks, uint32_t capacity, uint32_t chunks);
char *covey__slab_take(covey__slab *slab);
char *covey__slab_take_row(covey__slab *slab, uint32_t count); /* contiguous chunks; NULL if fewer are left */
/* Whether a slab has a free chunk of this capacity. */
bool covey__slabs_have_room(const covey__block_store *blocks, uint32_t capacity);
bool covey__slab_full(const covey__slab *slab);
void covey__slabs_trim(covey__block_store *blocks);  /* frees empty slabs */
void covey__slabs_reset(covey__block_store *blocks); /* empties all slabs */
void covey__slabs_free(covey__block_store *blocks);
/* Cloning has three steps. covey__slabs_clone makes slabs with the same chunks, in the same order as those of `from`.
 * covey__chunk_twin then finds the copy of a chunk. covey__slabs_cloned sorts the slabs by address, and ends this. */
bool covey__slabs_clone(const covey__block_store *from, covey__block_store *to); /* false when an allocation fails */
char *covey__chunk_twin(const covey__block_store *from, const covey__block_store *to, const char *chunk);
void covey__slabs_cloned(covey__block_store *blocks);
size_t covey__slabs_bytes(const covey__block_store *blocks);
size_t covey__slabs_bytes_trimmed(const covey__block_store *blocks); /* without empty slabs */
/* What slabs with this many chunks of a capacity would take: if the chunks were taken one by one; after compaction. */
size_t covey__slabs_bytes_grown(const covey__block_store *blocks, uint32_t capacity, uint64_t chunks);
size_t covey__slabs_bytes_packed(const covey__block_store *blocks, uint32_t capacity, uint64_t chunks);
/* The chunks of a slab that compaction makes. */
size_t covey__slab_most(const covey__block_store *blocks, uint32_t capacity);
bool covey__slabs_valid(const covey__block_store *blocks, const char **why);

#endif
