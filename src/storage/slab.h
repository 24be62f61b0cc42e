/* Slabs: arrays of chunks of one capacity, which blocks keep their values in. */
#ifndef COVEY_SLAB_H
#define COVEY_SLAB_H

#include <covey/covey.h>

#ifndef COVEY_SLAB_BYTES /* slabs of chunks grow quickly up to this, then slowly */
#define COVEY_SLAB_BYTES ((size_t)1 << 18)
#endif

struct covey__slab {
    covey__slab *next, *previous; /* of its class, among those with room */
    uint32_t chunks, used;        /* in all; handed out */
    uint32_t fresh;               /* chunks from here on were never handed out */
    uint32_t free;                /* the chunk that was freed last; its first bytes link to the one before */
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
void covey__chunk_free(covey__block_store *blocks, char *chunk);
/* A slab for one user, who takes all its chunks in order before anyone else uses it. */
covey__slab *covey__slab_create(covey__block_store *blocks, uint32_t capacity, uint32_t chunks);
char *covey__slab_take(covey__slab *slab);
char *covey__slab_take_row(covey__slab *slab, uint32_t count); /* contiguous; NULL if there are not as many */
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

#endif
