/* The block store: ids by blocks of 64, with an occupancy mask each. */
#ifndef COVEY_BLOCK_STORE_H
#define COVEY_BLOCK_STORE_H

#include "memory/alloc.h"
#include "storage/sparse_set.h"

#include <covey/covey.h>

extern const char covey__nothing_there[COVEY__ALIGN_MAX];
#define covey__nothing ((char *)(uintptr_t)covey__nothing_there) /* the address of values without bytes */
extern const uint8_t covey__identity[COVEY__BLOCK_IDS];          /* the map of a direct block */
/* Makes a slot for an absent index, and sets *value to its address; the caller writes the value. Fails with MEMORY,
 * PRESENT. *source may be the address of a value of the store, and is updated if that value moves. The directory has at
 * most `limit` pages. covey__blocks_reserve only makes the page. */
covey_result covey__blocks_reserve(covey__block_store *blocks, uint32_t index, uint32_t limit);
covey_result covey__blocks_place(covey__block_store *blocks, uint32_t index, uint32_t limit, const void **source,
                                 void **value);
/* The same for the ids of a block whose bits are set; the caller writes their values. In a compact block their slots
 * are consecutive. */
covey_result covey__blocks_place_bits(covey__block_store *blocks, uint32_t index, uint64_t bits, uint32_t limit,
                                      const void **source);
/* The same for all ids of `count` neighbouring blocks of a page, which must be empty. Returns how many blocks there was
 * memory for. */
uint32_t covey__blocks_place_whole(covey__block_store *blocks, uint32_t index, uint32_t count);
/* For ids in no order. claim sets the bit of an id whose page exists, and returns false if the id is present. fit then
 * gives all claimed ids of a block their slots; after MEMORY they stay claimed. unclaim and sweep undo this, for ids
 * without values: unclaim clears the bit of an id, and sweep frees the slots of a block that no id uses any more. */
static inline bool covey__blocks_claim(covey__block_store *blocks, uint32_t index) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    uint64_t mask = page->masks[block], with = mask | (uint64_t)1 << index % COVEY__BLOCK_IDS;
    page->masks[block] = with;
    blocks->count += with != mask && page->capacity[block] == COVEY__BLOCK_IDS; /* counts ids that have a slot */
    return with != mask;
}
covey_result covey__blocks_fit(covey__block_store *blocks, uint32_t index, const void **source);
void covey__blocks_unclaim(covey__block_store *blocks, uint32_t index);
void covey__blocks_sweep(covey__block_store *blocks, uint32_t index);
void covey__blocks_erase(covey__block_store *blocks, uint32_t index); /* the index must be present */
/* Erases the ids of a block whose bits are set; all of them must be present. */
void covey__blocks_erase_bits(covey__block_store *blocks, uint32_t index, uint64_t bits);
void covey__blocks_clear(covey__block_store *blocks);
void covey__blocks_free(covey__block_store *blocks);
/* Copies another store, slot by slot, into one that was initialised the same way. False when an allocation fails. */
bool covey__blocks_clone(const covey__block_store *from, covey__block_store *to);
/* Gives an empty store, whose pages have masks and a summary, the chunks that compaction would give it. The caller
 * writes the values. False when an allocation fails: then the store can only be freed. */
bool covey__blocks_shape(covey__block_store *blocks);
/* Gives a block other ids, and another chunk unless `chunk` is NULL. The caller writes the values. */
void covey__blocks_reshape(covey__block_store *blocks, uint32_t index, uint64_t mask, const uint8_t *slots, char *chunk,
                           uint32_t capacity);
void covey__blocks_compact(covey__block_store *blocks);
void covey__blocks_shrink(covey__block_store *blocks);
bool covey__blocks_have_page(const covey__block_store *blocks, uint32_t page);
/* The first existing page from this one on; the end of the directory if there is none. */
uint32_t covey__blocks_next_page(const covey__block_store *blocks, uint32_t page);
/* Whether the block of an index is empty. */
static inline bool covey__block_is_empty(const covey__block_store *blocks, uint32_t index) {
    return index / COVEY__BLOCK_PAGE >= blocks->page_count ||
           covey__block_page_of(blocks, index)->masks[covey__block_of(index)] == 0;
}
bool covey__blocks_valid(const covey__block_store *blocks, const char **why);
size_t covey__blocks_bytes(const covey__block_store *blocks); /* recounted, for the validator */
/* The bytes of all slabs: after compaction; and after a compaction that moves all blocks. */
size_t covey__blocks_chunk_bytes_compacted(const covey__block_store *blocks);
size_t covey__blocks_chunk_bytes_packed(const covey__block_store *blocks);
/* The capacity that needs the least memory for this many values: a multiple of four slots, or direct; in a group, room
 * for all ids. Capacities are numbered from 1 to COVEY__FITS - 1. */
uint32_t covey__fitting_capacity(const covey__block_store *blocks, uint32_t count);
enum { COVEY__FITS = 18 };
static inline uint32_t covey__fit_number(uint32_t capacity) { return (capacity + 3) / 4; }
static inline uint32_t covey__fit_capacity(uint32_t number) {
    return number * 4 > COVEY__MAPPED_WHOLE ? COVEY__MAPPED_WHOLE : number * 4;
}
/* For a group that owns the pool: makes all blocks compact, and keeps them so, because only these can order their
 * values. False when an allocation fails: some direct blocks may then be compact, and nothing else has changed. */
bool covey__blocks_group(covey__block_store *blocks);
/* A compact block whose values are being ordered: `ids` has the bit in each slot, `map` the slot of each bit. */
typedef struct covey__block {
    covey__block_page *page;
    uint32_t block;
    char *data;
    uint8_t *ids, *map;
} covey__block;
static inline covey__block covey__block_in(const covey__block_store *blocks, uint32_t index) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    uintptr_t map = (uintptr_t)page->chunks[block].map; /* an empty block has neither map nor ids */
    uint8_t *ids = (uint8_t *)(map - page->capacity[block]);
    return (covey__block){ page, block, page->chunks[block].data, ids, (uint8_t *)map };
}
/* Assigns a slot to a bit. */
static inline void covey__block_name(const covey__block *b, uint32_t bit, uint32_t slot) {
    b->ids[slot] = (uint8_t)bit;
    b->map[bit] = (uint8_t)slot;
}
static inline void covey__block_shifts(covey__block_store *blocks, const covey__block *b) {
    b->page->ordered &= ~((uint64_t)1 << b->block);
    ++*blocks->shifts;
}
/* Moves the value in a slot to another slot, whose value is no longer needed. */
static inline void covey__block_move(covey__block_store *blocks, const covey__block *b, uint32_t from, uint32_t to) {
    size_t size = blocks->size;
    covey__block_name(b, b->ids[from], to);
    if (size == sizeof(uint64_t) && !blocks->mover.type)
        memcpy(b->data + to * size, b->data + from * size, sizeof(uint64_t));
    else covey__relocate(&blocks->mover, b->data + to * size, b->data + from * size, size);
    covey__block_shifts(blocks, b);
}
/* Exchanges the values of two bits, which have these slots. The caller counts the shift. */
static inline void covey__block_swap(const covey__block_store *blocks, const covey__block *b, uint32_t bit_a,
                                     uint32_t slot_a, uint32_t bit_b, uint32_t slot_b) {
    size_t size = blocks->size;
    covey__block_name(b, bit_a, slot_b);
    covey__block_name(b, bit_b, slot_a);
    covey__exchange_values(&blocks->mover, b->data + slot_a * size, b->data + slot_b * size, size);
    b->page->ordered &= ~((uint64_t)1 << b->block);
}
/* Exchanges the value of a bit with the one in a slot. */
static inline void covey__block_exchange(covey__block_store *blocks, const covey__block *b, uint32_t bit,
                                         uint32_t slot) {
    covey__block_swap(blocks, b, bit, b->map[bit], b->ids[slot], slot);
    ++*blocks->shifts;
}
/* Adds a bit with this slot, and counts the slot as used; the reverse, for the bit in the last used slot. */
static inline void covey__block_take(covey__block_store *blocks, const covey__block *b, uint32_t bit, uint32_t slot) {
    uint64_t mask = b->page->masks[b->block];
    covey__block_name(b, bit, slot);
    b->page->masks[b->block] = mask | (uint64_t)1 << bit;
    b->page->ordered &= ~((uint64_t)(mask >> bit != 0) << b->block);
    b->page->used[b->block]++;
    blocks->count++;
}
static inline void covey__block_free_slot(covey__block_store *blocks, const covey__block *b, uint32_t bit) {
    b->page->masks[b->block] &= ~((uint64_t)1 << bit);
    b->page->used[b->block]--;
    blocks->count--;
}
/* Whether an address lies inside the values of the block of an index. */
bool covey__blocks_hold(const covey__block_store *blocks, uint32_t index, const void *address);
/* The bit of the id in each slot of a compact block. */
static inline const uint8_t *covey__slots_of(const covey__block_page *page, uint32_t block) {
    return page->chunks[block].map - page->capacity[block];
}
static inline uint32_t covey__blocks_slot(const covey__block_store *blocks, uint32_t index) {
    return covey__block_page_of(blocks, index)->chunks[covey__block_of(index)].map[index % COVEY__BLOCK_IDS];
}
/* The number of the first block that is not empty, and one more than that of the last; independent of reserved memory.
 * Both are 0 without components. */
uint32_t covey__blocks_first(const covey__block_store *blocks);
uint32_t covey__blocks_end(const covey__block_store *blocks);
/* The most pages that a directory may have: as many as the world's table covers. */
static inline uint32_t covey__block_limit(const covey_world *world) {
    return (uint32_t)((uint64_t)world->page_count * COVEY_PAGE_SIZE / COVEY__BLOCK_PAGE);
}

#endif
