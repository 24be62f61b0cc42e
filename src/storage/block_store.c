/* The block store: 64 ids to a block. A block with few ids is a small sparse set with indices of one byte; it
 * becomes a plain array, indexed by bit, once that takes less memory. Adding and removing change one block; nothing
 * else moves. */
#include "storage/block_store.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "memory/result.h"
#include "memory/zeros.h"
#include "storage/slab.h"

#include <stdalign.h>

const char covey__nothing_there[COVEY__ALIGN_MAX];

const uint8_t covey__identity[COVEY__BLOCK_IDS] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

/* GROUP blocks become direct together, if each has at least GROUP_LEAST components. */
enum { GROUP = 8, GROUP_LEAST = 16 };

static covey__block_page *missing_page(void) { return (covey__block_page *)(uintptr_t)&covey__zeros.blocks; }

static uint64_t bit_of(uint32_t index) { return (uint64_t)1 << index % COVEY__BLOCK_IDS; }

/* Notes that a block got a chunk, after another one or as its first. */
static void note_chunk(const covey__block_store *blocks, bool first) {
    *blocks->moves += !first;
    ++*blocks->shifts;
}
/* Notes that chunks moved or were freed. */
static void note_move(const covey__block_store *blocks) { note_chunk(blocks, false); }

/* ---- Pages -------------------------------------------------------------------------------------------------------*/

/* `limit` is the number of pages that the world's table covers. */
covey_result covey__blocks_reserve(covey__block_store *blocks, uint32_t index, uint32_t limit) {
    uint32_t at = index / COVEY__BLOCK_PAGE;
    bool first = blocks->page_count == 0;
    covey__block_page **pages =
        covey__reach(&blocks->heap, blocks->pages, &blocks->page_count, at, limit, missing_page());
    if (!pages) return COVEY_ERROR_MEMORY;
    blocks->pages = pages;
    if (first || at < blocks->first_page) blocks->first_page = at;
    if (pages[at] != &covey__zeros.blocks) return COVEY_OK;
    covey__block_page *page = covey__resize(&blocks->heap, NULL, 0, 1, sizeof *page, alignof(covey__block_page));
    if (!page) return COVEY_ERROR_MEMORY;
    memset(page, 0, sizeof *page);
    pages[at] = page;
    if (at >= blocks->end_page) blocks->end_page = at + 1;
    return COVEY_OK;
}

bool covey__blocks_have_page(const covey__block_store *blocks, uint32_t page) {
    return page < blocks->page_count && blocks->pages[page] != &covey__zeros.blocks;
}

uint32_t covey__blocks_next_page(const covey__block_store *blocks, uint32_t page) {
    while (page < blocks->end_page && blocks->pages[page] == &covey__zeros.blocks) page++;
    return page;
}

static void free_page(covey__block_store *blocks, uint32_t page) {
    if (!covey__blocks_have_page(blocks, page)) return;
    covey__free(&blocks->heap, blocks->pages[page], 1, sizeof(covey__block_page), alignof(covey__block_page));
    blocks->pages[page] = missing_page();
    note_move(blocks);
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------*/

static uint8_t *ids_of(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    return (uint8_t *)page->chunks[block].data + (size_t)page->capacity[block] * blocks->size;
}

static bool follows(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    return (page->direct >> block & 3) == 3 &&
           page->chunks[block + 1].data == page->chunks[block].data + (size_t)COVEY__BLOCK_IDS * blocks->size;
}

static bool ids_ascend(const uint8_t *ids, uint32_t count) {
    uint32_t slot = 1;
    while (slot < count && ids[slot - 1] < ids[slot]) slot++;
    return slot >= count;
}

/* After the mask or the chunk of a block has changed. */
static void note_full(covey__block_page *page, uint32_t block) {
    uint64_t bit = (uint64_t)1 << block;
    bool full = page->capacity[block] == COVEY__BLOCK_IDS && page->masks[block] == UINT64_MAX;
    page->full = full ? page->full | bit : page->full & ~bit;
}

static void note_order(const covey__block_store *blocks, covey__block_page *page, uint32_t block) {
    uint64_t bit = (uint64_t)1 << block;
    uint32_t capacity = page->capacity[block];
    bool ordered =
        capacity == COVEY__BLOCK_IDS || (capacity != 0 && ids_ascend(ids_of(blocks, page, block), page->used[block]));
    page->ordered = ordered ? page->ordered | bit : page->ordered & ~bit;
}

/* Sets the chunk of a block, or none. The content of the chunk is there already. */
static void set_chunk(const covey__block_store *blocks, covey__block_page *page, uint32_t block, char *data,
                      uint32_t capacity) {
    uint64_t bit = (uint64_t)1 << block;
    note_chunk(blocks, page->capacity[block] == 0);
    page->chunks[block].data = data;
    page->capacity[block] = (uint8_t)capacity;
    page->chunks[block].map = capacity == COVEY__BLOCK_IDS ? covey__identity
                              : capacity == 0              ? NULL
                                                           : ids_of(blocks, page, block) + capacity;
    page->used[block] = (uint8_t)(capacity == COVEY__BLOCK_IDS ? 0 : covey__bits_in(page->masks[block]));
    page->joined &= ~(bit | bit >> 1);
    page->direct = capacity == COVEY__BLOCK_IDS ? page->direct | bit : page->direct & ~bit;
    note_order(blocks, page, block);
    note_full(page, block);
    if (capacity != COVEY__BLOCK_IDS || blocks->size == 0) return;
    if (block + 1 < COVEY__PAGE_BLOCKS && follows(blocks, page, block)) page->joined |= bit;
    if (block != 0 && follows(blocks, page, block - 1)) page->joined |= bit >> 1;
}

static void free_chunk(covey__block_store *blocks, covey__block_page *page, uint32_t block) {
    if (blocks->size != 0) covey__chunk_free(blocks, page->chunks[block].data);
    set_chunk(blocks, page, block, NULL, 0);
}

/* Whether a hook moves values is passed as a constant, so that growing a block checks it once. */
COVEY_HOT void move_one(const covey__block_store *blocks, void *to, void *from, bool hook) {
    if (hook) covey__move_value(&blocks->mover, to, from);
    else covey__copy(to, from, blocks->size);
}

/* Copies the values of a block into a chunk of another capacity, in the order of ids. */
COVEY_HOT void fill_by(const covey__block_store *blocks, const covey__block_page *page, uint32_t block, char *data,
                       uint32_t capacity, bool hook) {
    uint8_t *ids = (uint8_t *)data + (size_t)capacity * blocks->size, *map = ids + capacity;
    uint8_t slot = 0;
    for (uint64_t left = page->masks[block]; left != 0; left &= left - 1, slot++) {
        uint32_t bit = covey__lowest_bit(left);
        char *value = page->chunks[block].data + (size_t)page->chunks[block].map[bit] * blocks->size;
        if (capacity == COVEY__BLOCK_IDS) {
            move_one(blocks, data + (size_t)bit * blocks->size, value, hook);
            continue;
        }
        move_one(blocks, data + (size_t)slot * blocks->size, value, hook);
        ids[slot] = (uint8_t)bit;
        map[bit] = slot;
    }
}

static void fill_chunk(const covey__block_store *blocks, const covey__block_page *page, uint32_t block, char *data,
                       uint32_t capacity) {
    if (COVEY__LIKELY(!blocks->mover.type)) fill_by(blocks, page, block, data, capacity, false);
    else fill_by(blocks, page, block, data, capacity, true);
}

/* The same for a compact chunk that grows: slot by slot, with one memcpy each for values, ids and map. */
static void copy_chunk(const covey__block_store *blocks, const covey__block_page *page, uint32_t block, char *data,
                       uint32_t capacity) {
    uint8_t *ids = (uint8_t *)data + (size_t)capacity * blocks->size;
    char *values = page->chunks[block].data;
    uint32_t used = page->used[block];
    if (COVEY__LIKELY(!blocks->mover.type)) memcpy(data, values, (size_t)used * blocks->size);
    else covey__relocate_many(&blocks->mover, data, values, used, blocks->size);
    memcpy(ids, ids_of(blocks, page, block), page->used[block]);
    memcpy(ids + capacity, page->chunks[block].map, COVEY__BLOCK_IDS);
}

/* The bit of the value that contains an address, or COVEY__BLOCK_IDS if no value of the block does. */
static uint32_t bit_at(const covey__block_store *blocks, const covey__block_page *page, uint32_t block,
                       const void *address) {
    uintptr_t at = (uintptr_t)address, base = (uintptr_t)page->chunks[block].data;
    if (at < base || at - base >= (uintptr_t)page->capacity[block] * blocks->size) return COVEY__BLOCK_IDS;
    uint32_t slot = (uint32_t)((at - base) / blocks->size);
    if (page->capacity[block] == COVEY__BLOCK_IDS) return slot;
    return slot < page->used[block] ? ids_of(blocks, page, block)[slot] : COVEY__BLOCK_IDS;
}

/* Moves a block to another chunk, to which its values were copied; updates *source if it is one of them. */
static void move_block(covey__block_store *blocks, covey__block_page *page, uint32_t block, char *data,
                       uint32_t capacity, const void **source) {
    uint32_t followed = source && *source ? bit_at(blocks, page, block, *source) : COVEY__BLOCK_IDS;
    if (page->capacity[block] != 0) free_chunk(blocks, page, block);
    set_chunk(blocks, page, block, data, capacity);
    if (followed != COVEY__BLOCK_IDS) *source = data + (size_t)page->chunks[block].map[followed] * blocks->size;
}

static uint32_t slots_taken(const covey__block_page *page, uint32_t block) {
    return covey__bits_in(page->masks[block]);
}

static bool is_full(const covey__block_page *page, uint32_t block) {
    return block < COVEY__PAGE_BLOCKS && page->masks[block] == UINT64_MAX;
}

/* Whether an empty block of a store that was cleared is likely to fill up again, and there is memory for that. */
static bool is_refilled(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    return blocks->refills && page->capacity[block] == 0 && covey__slabs_have_room(blocks, COVEY__BLOCK_IDS);
}

/* The capacity of a block that gets this many more ids. A block with a full neighbour is likely to fill up as well: it
 * is direct from the start. */
static uint32_t grown_capacity(const covey__block_store *blocks, const covey__block_page *page, uint32_t block,
                               uint32_t more) {
    bool direct = blocks->pinned || blocks->size == 0 || is_full(page, block - 1) || is_full(page, block + 1) ||
                  is_refilled(blocks, page, block);
    return covey__chunk_capacity(blocks, direct ? COVEY__BLOCK_IDS : slots_taken(page, block) + more);
}

static covey_result grow_to(covey__block_store *blocks, covey__block_page *page, uint32_t block, uint32_t capacity,
                            const void **source) {
    char *data = blocks->size != 0 ? covey__chunk_take(blocks, capacity) : covey__nothing;
    if (!data) return COVEY_ERROR_MEMORY;
    if (page->capacity[block] == 0) {
        set_chunk(blocks, page, block, data, capacity);
        return COVEY_OK;
    }
    (capacity != COVEY__BLOCK_IDS ? copy_chunk : fill_chunk)(blocks, page, block, data, capacity);
    move_block(blocks, page, block, data, capacity, source);
    return COVEY_OK;
}

/* Whether a block becomes direct together with a neighbour: it is a quarter full, so that this takes little more
 * memory. */
static bool is_nearly_direct(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    return blocks->size <= 16 && page->capacity[block] != COVEY__BLOCK_IDS && slots_taken(page, block) >= GROUP_LEAST;
}

/* If ids come in no order, blocks would become direct in no order, and their chunks would be scattered. Blocks that
 * become direct together are contiguous, and are iterated as one span. */
static covey_result grow_group(covey__block_store *blocks, covey__block_page *page, uint32_t block,
                               const void **source) {
    covey_result result = COVEY_ERROR_MEMORY;
    uint32_t first = block / GROUP * GROUP;
    for (uint32_t i = first; i < first + GROUP && i < COVEY__PAGE_BLOCKS; i++) {
        if (i != block && !is_nearly_direct(blocks, page, i)) continue;
        covey_result grown = grow_to(blocks, page, i, COVEY__BLOCK_IDS, source);
        if (i == block) result = grown;
    }
    return result;
}

static covey_result grow_block(covey__block_store *blocks, covey__block_page *page, uint32_t block, uint32_t more,
                               const void **source) {
    uint32_t capacity = grown_capacity(blocks, page, block, more);
    if (capacity == COVEY__BLOCK_IDS && is_nearly_direct(blocks, page, block))
        return grow_group(blocks, page, block, source);
    return grow_to(blocks, page, block, capacity, source);
}

/* ---- Rows --------------------------------------------------------------------------------------------------------
 *
 * Blocks that will be full soon, and follow each other, get chunks that follow each other. */

/* The first chunk of a row that begins with this block. */
static char *begin_row(covey__block_store *blocks, uint32_t block) {
    uint32_t left = COVEY__PAGE_BLOCKS - block;
    char *first = covey__row_take(blocks, blocks->row_count < left ? blocks->row_count : left);
    if (first) blocks->row_count = 0;
    return first;
}

/* If an empty block belongs to a row, takes its chunk: behind that of the block before, or the first of a new row.
 * *data: NULL when an allocation fails. */
static bool take_in_row(covey__block_store *blocks, const covey__block_page *page, uint32_t index, char **data) {
    uint32_t block = covey__block_of(index);
    if (blocks->size == 0 || blocks->grouped) return false;
    bool behind = block != 0 && page->capacity[block - 1] == COVEY__BLOCK_IDS;
    *data = behind ? covey__row_next(blocks, page->chunks[block - 1].data) : NULL;
    if (*data) return true;
    if (blocks->row_count == 0 || blocks->row_block != index / COVEY__BLOCK_IDS) return false;
    *data = begin_row(blocks, block);
    return true;
}

/* Gives a block room for more ids: a chunk, or a larger one. */
static covey_result make_room(covey__block_store *blocks, covey__block_page *page, uint32_t index, uint32_t more,
                              const void **source) {
    uint32_t block = covey__block_of(index);
    char *data;
    if (page->capacity[block] != 0 || !take_in_row(blocks, page, index, &data))
        return grow_block(blocks, page, block, more, source);
    if (!data) return COVEY_ERROR_MEMORY;
    set_chunk(blocks, page, block, data, COVEY__BLOCK_IDS);
    return COVEY_OK;
}

/* ---- Adding and removing -----------------------------------------------------------------------------------------*/

covey_result covey__blocks_place(covey__block_store *blocks, uint32_t index, uint32_t limit, const void **source,
                                 void **value) {
    covey_result result = covey__blocks_reserve(blocks, index, limit);
    if (result != COVEY_OK) return result;
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    if ((page->masks[block] & bit_of(index)) != 0) return COVEY_ERROR_PRESENT;
    if (page->used[block] == page->capacity[block]) {
        result = make_room(blocks, page, index, 1, source);
        if (result != COVEY_OK) return result;
    }
    page->summary |= (uint64_t)1 << block;
    *value = covey__block_append(blocks, index, blocks->size);
    return COVEY_OK;
}

/* Gives ids of a compact block the next slots, in the order of ids. */
static void append_slots(const covey__block_store *blocks, covey__block_page *page, uint32_t block, uint64_t bits) {
    uint8_t *ids = ids_of(blocks, page, block), *map = ids + page->capacity[block], slot = page->used[block];
    if (slot != 0 && ids[slot - 1] > covey__lowest_bit(bits)) page->ordered &= ~((uint64_t)1 << block);
    for (; bits != 0; bits &= bits - 1, slot++) {
        uint32_t bit = covey__lowest_bit(bits);
        ids[slot] = (uint8_t)bit;
        map[bit] = slot;
    }
    page->used[block] = slot;
}

covey_result covey__blocks_place_bits(covey__block_store *blocks, uint32_t index, uint64_t bits, uint32_t limit,
                                      const void **source) {
    bool reached = covey__blocks_have_page(blocks, index / COVEY__BLOCK_PAGE);
    covey_result result = reached ? COVEY_OK : covey__blocks_reserve(blocks, index, limit);
    if (result != COVEY_OK) return result;
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index), more = bits == UINT64_MAX ? COVEY__BLOCK_IDS : covey__bits_in(bits);
    if ((page->masks[block] & bits) != 0) return COVEY_ERROR_PRESENT;
    if (page->capacity[block] != COVEY__BLOCK_IDS && page->used[block] + more > page->capacity[block]) {
        result = make_room(blocks, page, index, more, source);
        if (result != COVEY_OK) return result;
    }
    if (page->capacity[block] != COVEY__BLOCK_IDS) append_slots(blocks, page, block, bits);
    page->summary |= (uint64_t)1 << block;
    page->masks[block] |= bits;
    note_full(page, block);
    blocks->count += more;
    return COVEY_OK;
}

uint32_t covey__blocks_place_whole(covey__block_store *blocks, uint32_t index, uint32_t count) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t first = covey__block_of(index), end = first;
    for (; end < first + count; end++) {
        uint32_t begin = index + (end - first) * COVEY__BLOCK_IDS;
        char *data = covey__nothing;
        if (blocks->size != 0 && !take_in_row(blocks, page, begin, &data))
            data = covey__chunk_take(blocks, COVEY__BLOCK_IDS);
        if (!data) break;
        page->masks[end] = UINT64_MAX;
        page->chunks[end] = (covey__chunk){ data, covey__identity };
        page->capacity[end] = COVEY__BLOCK_IDS;
        page->used[end] = 0;
    }
    if (end == first) return 0;
    uint64_t bits = UINT64_MAX >> (64 - (end - first)) << first;
    page->summary |= bits;
    page->direct |= bits;
    page->ordered |= bits;
    page->full |= bits;
    for (uint32_t block = first != 0 ? first - 1 : 0; block < end && block + 1 < COVEY__PAGE_BLOCKS; block++)
        if (blocks->size != 0 && follows(blocks, page, block)) page->joined |= (uint64_t)1 << block;
    blocks->count += COVEY__BLOCK_IDS * (end - first);
    note_chunk(blocks, true);
    return end - first;
}

static void erase_block(covey__block_store *blocks, covey__block_page *page, uint32_t block) {
    blocks->count -= slots_taken(page, block);
    page->masks[block] = 0;
    page->summary &= ~((uint64_t)1 << block);
    free_chunk(blocks, page, block);
}

/* Like covey__block_erase_slot, with the hook that moves values. */
static void erase_slot_by_hook(covey__block_store *blocks, uint32_t index) {
    covey__block b = covey__block_in(blocks, index);
    uint32_t bit = index % COVEY__BLOCK_IDS, capacity = b.page->capacity[b.block];
    if (capacity == COVEY__BLOCK_IDS) {
        b.page->masks[b.block] &= ~bit_of(index);
        note_full(b.page, b.block);
        blocks->count--;
        return;
    }
    uint32_t slot = b.map[bit], last = b.page->used[b.block] - 1u;
    if (slot != last) covey__block_move(blocks, &b, last, slot);
    covey__block_free_slot(blocks, &b, bit);
}

void covey__blocks_erase(covey__block_store *blocks, uint32_t index) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    uint64_t left = page->masks[block] & ~bit_of(index);
    if (left == 0) {
        erase_block(blocks, page, block);
        return;
    }
    uint32_t erased = page->capacity[block] == COVEY__BLOCK_IDS ? index % COVEY__BLOCK_IDS : page->used[block] - 1u;
    if (blocks->mover.type) erase_slot_by_hook(blocks, index);
    else covey__block_erase_slot(blocks, page, index, left, blocks->size);
    if (blocks->zero_erased) memset(page->chunks[block].data + (size_t)erased * blocks->size, 0, blocks->size);
}

static void zero_slots(const covey__block_store *blocks, const covey__block_page *page, uint32_t block,
                       uint64_t slots) {
    for (; slots != 0; slots &= slots - 1)
        memset(page->chunks[block].data + (size_t)covey__lowest_bit(slots) * blocks->size, 0, blocks->size);
}

void covey__blocks_erase_bits(covey__block_store *blocks, uint32_t index, uint64_t bits) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index), first = index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS;
    if (page->masks[block] == bits) {
        erase_block(blocks, page, block);
    } else if (page->capacity[block] == COVEY__BLOCK_IDS) {
        page->masks[block] &= ~bits;
        note_full(page, block);
        blocks->count -= covey__bits_in(bits);
        if (blocks->zero_erased) zero_slots(blocks, page, block, bits);
    } else {
        for (; bits != 0; bits &= bits - 1) covey__blocks_erase(blocks, first + covey__lowest_bit(bits));
    }
}

/* The ids of a compact block that have a slot, as a mask. */
static uint64_t bits_with_slots(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    uint64_t bits = 0;
    for (uint32_t slot = 0; slot < page->used[block]; slot++) bits |= bit_of(ids_of(blocks, page, block)[slot]);
    return bits;
}

covey_result covey__blocks_fit(covey__block_store *blocks, uint32_t index, const void **source) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    if (page->capacity[block] == COVEY__BLOCK_IDS || slots_taken(page, block) == page->used[block]) return COVEY_OK;
    uint64_t mask = page->masks[block], bits = mask & ~bits_with_slots(blocks, page, block);
    uint32_t more = covey__bits_in(bits);
    covey_result result = COVEY_OK;
    page->masks[block] = mask & ~bits; /* ids without a slot have no value to move */
    if (page->used[block] + more > page->capacity[block])
        result = grow_to(blocks, page, block, grown_capacity(blocks, page, block, more), source);
    page->masks[block] = mask;
    note_full(page, block);
    if (result != COVEY_OK) return result;
    if (page->capacity[block] != COVEY__BLOCK_IDS) append_slots(blocks, page, block, bits);
    page->summary |= (uint64_t)1 << block;
    blocks->count += more;
    return COVEY_OK;
}

void covey__blocks_unclaim(covey__block_store *blocks, uint32_t index) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    page->masks[block] &= ~bit_of(index);
    if (page->capacity[block] != COVEY__BLOCK_IDS) return;
    note_full(page, block);
    blocks->count--;
    if (blocks->zero_erased) zero_slots(blocks, page, block, bit_of(index));
}

/* Goes from the last slot to the first, so that the slot that fills a gap always has a value. */
static void sweep_slots(covey__block_store *blocks, uint32_t index) {
    covey__block b = covey__block_in(blocks, index);
    for (uint32_t slot = b.page->used[b.block]; slot-- != 0;) {
        if ((b.page->masks[b.block] >> b.ids[slot] & 1) != 0) continue;
        uint32_t last = --b.page->used[b.block];
        if (slot != last) covey__block_move(blocks, &b, last, slot);
        blocks->count--;
        if (blocks->zero_erased) zero_slots(blocks, b.page, b.block, bit_of(last));
    }
}

void covey__blocks_sweep(covey__block_store *blocks, uint32_t index) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    if (page->capacity[block] == 0) return;
    if (page->capacity[block] != COVEY__BLOCK_IDS) sweep_slots(blocks, index);
    if (page->masks[block] == 0) erase_block(blocks, page, block);
}

void covey__blocks_clear(covey__block_store *blocks) {
    uint64_t used = 0, direct = 0;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        if (blocks->pages[i]->summary == 0) continue;
        used += covey__bits_in(blocks->pages[i]->summary);
        direct += covey__bits_in(blocks->pages[i]->direct);
        memset(blocks->pages[i], 0, sizeof *blocks->pages[i]);
    }
    if (used != 0) blocks->refills = direct > used / 2;
    covey__slabs_reset(blocks);
    blocks->count = 0;
    note_move(blocks);
}

void covey__blocks_free(covey__block_store *blocks) {
    covey__slabs_free(blocks);
    for (uint32_t i = 0; i < blocks->page_count; i++) free_page(blocks, i);
    covey__free(&blocks->heap, blocks->pages, blocks->page_count, sizeof *blocks->pages, alignof(void *));
}

/* ---- Other ids ---------------------------------------------------------------------------------------------------*/

/* Sets the id of each slot of a compact block. Returns the slots that became free. */
static uint64_t write_slots(const covey__block_store *blocks, covey__block_page *page, uint32_t block,
                            const uint8_t *slots) {
    uint8_t *ids = ids_of(blocks, page, block), *map = ids + page->capacity[block];
    uint32_t count = slots_taken(page, block), before = page->used[block];
    memcpy(ids, slots, count);
    for (uint32_t i = 0; i < count; i++) map[slots[i]] = (uint8_t)i;
    page->used[block] = (uint8_t)count;
    note_order(blocks, page, block);
    return count < before ? (UINT64_MAX << count) & ~(UINT64_MAX << before) : 0;
}

void covey__blocks_reshape(covey__block_store *blocks, uint32_t index, uint64_t mask, const uint8_t *slots, char *chunk,
                           uint32_t capacity) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = covey__block_of(index);
    uint64_t bit = (uint64_t)1 << block, erased = page->masks[block] & ~mask;
    page->masks[block] = mask;
    page->summary = mask != 0 ? page->summary | bit : page->summary & ~bit;
    if (page->capacity[block] != 0 && (chunk || mask == 0)) free_chunk(blocks, page, block);
    if (mask == 0) return;
    if (chunk) set_chunk(blocks, page, block, chunk, capacity);
    note_full(page, block);
    if (page->capacity[block] != COVEY__BLOCK_IDS) erased = write_slots(blocks, page, block, slots);
    if (blocks->zero_erased && !chunk) zero_slots(blocks, page, block, erased);
}

/* Copies a page and its chunks. */
static bool clone_page(const covey__block_store *from, covey__block_store *to, uint32_t number) {
    covey__block_page *page = covey__resize(&to->heap, NULL, 0, 1, sizeof *page, alignof(covey__block_page));
    if (!page) return false;
    *page = *from->pages[number];
    for (uint64_t left = page->summary; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left), capacity = page->capacity[block];
        char *data = page->chunks[block].data;
        page->chunks[block].data = to->size != 0 ? covey__chunk_twin(from, to, data) : covey__nothing;
        page->chunks[block].map = capacity == COVEY__BLOCK_IDS ? covey__identity : ids_of(to, page, block) + capacity;
    }
    to->pages[number] = page;
    return true;
}

static bool clone_pages(const covey__block_store *from, covey__block_store *to) {
    uint32_t count = from->page_count;
    covey__block_page **pages = covey__resize(&to->heap, NULL, 0, count, sizeof *pages, alignof(covey__block_page *));
    if (!pages) return count == 0;
    for (uint32_t i = 0; i < count; i++) pages[i] = missing_page();
    to->pages = pages;
    to->page_count = count;
    to->first_page = from->first_page;
    to->end_page = from->end_page;
    for (uint32_t i = 0; i < count; i++)
        if (covey__blocks_have_page(from, i) && !clone_page(from, to, i)) return false;
    return true;
}

bool covey__blocks_clone(const covey__block_store *from, covey__block_store *to) {
    if (!covey__slabs_clone(from, to)) return false;
    bool cloned = clone_pages(from, to);
    covey__slabs_cloned(to);
    to->count = from->count;
    to->refills = from->refills;
    return cloned;
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

uint32_t covey__fitting_capacity(const covey__block_store *blocks, uint32_t count) {
    uint32_t compact = (count + 3) / 4 * 4, whole = blocks->grouped ? COVEY__MAPPED_WHOLE : COVEY__BLOCK_IDS;
    bool smaller =
        compact < COVEY__BLOCK_IDS && covey__chunk_bytes(blocks, compact) < covey__chunk_bytes(blocks, whole);
    return smaller && !blocks->pinned ? compact : whole;
}

static uint32_t fitting(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    return covey__fitting_capacity(blocks,
                                   page->masks[block] == UINT64_MAX ? COVEY__BLOCK_IDS : slots_taken(page, block));
}

/* The result of compacting a store: the number of chunks of each capacity (by covey__fit_number), of all chunks, and
 * their bytes; the number of direct neighbours that are not contiguous but could be, and of blocks that are out of
 * order. */
typedef struct compaction {
    uint32_t chunks[COVEY__FITS], blocks;
    size_t bytes;
    uint32_t apart, disordered;
} compaction;

static compaction plan_of(const covey__block_store *blocks) {
    compaction plan = { 0 };
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        const covey__block_page *page = blocks->pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1) {
            plan.chunks[covey__fit_number(fitting(blocks, page, covey__lowest_bit(left)))]++;
        }
        plan.apart += covey__bits_in(page->direct & page->direct >> 1 & ~page->joined);
        plan.disordered += blocks->grouped ? 0 : covey__bits_in(page->summary & ~page->ordered);
    }
    for (uint32_t i = 1; i < COVEY__FITS; i++) {
        plan.blocks += plan.chunks[i];
        plan.bytes += plan.chunks[i] * covey__chunk_bytes(blocks, covey__fit_capacity(i));
    }
    return plan;
}

/* The slab that the next chunk of a capacity comes from; NULL when an allocation fails. */
static covey__slab *slab_for(covey__block_store *blocks, covey__slab *slab, uint32_t capacity, uint32_t chunks) {
    if (slab && !covey__slab_full(slab)) return slab;
    size_t most = covey__slab_most(blocks, capacity);
    return covey__slab_create(blocks, capacity, chunks < most ? chunks : (uint32_t)most);
}

/* Moves every block to a chunk that fits, in the order of ids, so that neighbours are contiguous. Sorts values within
 * blocks by id, unless a group orders them. When an allocation fails, the remaining blocks stay where they are. A new
 * slab has exactly as many chunks as it gets blocks, so it joins no free list. */
static void rebuild(covey__block_store *blocks, compaction *plan) {
    covey__slab *slabs[COVEY__FITS] = { NULL };
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        covey__block_page *page = blocks->pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1) {
            uint32_t block = covey__lowest_bit(left), capacity = fitting(blocks, page, block);
            covey__slab **slab = &slabs[covey__fit_number(capacity)];
            *slab = slab_for(blocks, *slab, capacity, plan->chunks[covey__fit_number(capacity)]--);
            if (!*slab) continue;
            char *data = covey__slab_take(*slab);
            (blocks->grouped ? copy_chunk : fill_chunk)(blocks, page, block, data, capacity);
            move_block(blocks, page, block, data, capacity, NULL);
        }
    }
}

/* Gives a chunk to a block that has only a mask; its values are written later, in the order of ids. */
static void shape_block(const covey__block_store *blocks, covey__block_page *page, uint32_t block, char *data,
                        uint32_t capacity) {
    uint8_t *ids = (uint8_t *)data + (size_t)capacity * blocks->size, *map = ids + capacity, slot = 0;
    for (uint64_t left = page->masks[block]; left != 0 && capacity != COVEY__BLOCK_IDS; left &= left - 1, slot++) {
        ids[slot] = (uint8_t)covey__lowest_bit(left);
        map[covey__lowest_bit(left)] = slot;
    }
    set_chunk(blocks, page, block, data, capacity);
}

static bool is_whole(const covey__block_page *page) {
    uint64_t all = page->summary;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) all &= page->masks[block];
    return all == UINT64_MAX;
}

/* The same for a full page: direct blocks, contiguous. False if the chunks are not contiguous. */
static bool shape_page(covey__block_store *blocks, covey__block_page *page, covey__slab **slab, compaction *plan) {
    if (blocks->size == 0 || blocks->grouped || COVEY__PAGE_BLOCKS != 64 || !is_whole(page)) return false;
    *slab = slab_for(blocks, *slab, COVEY__BLOCK_IDS, plan->chunks[covey__fit_number(COVEY__BLOCK_IDS)]);
    char *data = *slab ? covey__slab_take_row(*slab, COVEY__PAGE_BLOCKS) : NULL;
    if (!data) return false;
    for (size_t block = 0; block < COVEY__PAGE_BLOCKS; block++)
        page->chunks[block] = (covey__chunk){ data + block * COVEY__BLOCK_IDS * blocks->size, covey__identity };
    memset(page->capacity, COVEY__BLOCK_IDS, sizeof page->capacity);
    memset(page->used, 0, sizeof page->used);
    page->direct = page->ordered = UINT64_MAX;
    page->joined = UINT64_MAX >> 1;
    page->full = UINT64_MAX;
    plan->chunks[covey__fit_number(COVEY__BLOCK_IDS)] -= COVEY__PAGE_BLOCKS;
    blocks->count += COVEY__BLOCK_PAGE;
    return true;
}

bool covey__blocks_shape(covey__block_store *blocks) {
    compaction plan = plan_of(blocks);
    covey__slab *slabs[COVEY__FITS] = { NULL };
    note_move(blocks);
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        covey__block_page *page = blocks->pages[i];
        if (shape_page(blocks, page, &slabs[covey__fit_number(COVEY__BLOCK_IDS)], &plan)) continue;
        for (uint64_t left = page->summary; left != 0; left &= left - 1) {
            uint32_t block = covey__lowest_bit(left);
            uint32_t capacity = blocks->size != 0 ? fitting(blocks, page, block) : COVEY__BLOCK_IDS;
            covey__slab **slab = &slabs[covey__fit_number(capacity)];
            uint32_t *chunks = &plan.chunks[covey__fit_number(capacity)];
            if (blocks->size != 0 && !(*slab = slab_for(blocks, *slab, capacity, (*chunks)--))) return false;
            shape_block(blocks, page, block, blocks->size != 0 ? covey__slab_take(*slab) : covey__nothing, capacity);
            blocks->count += slots_taken(page, block);
        }
    }
    return true;
}

/* Plans a compaction. False if it would save less than a hundredth and the store is in order. */
static bool is_compaction_worth_it(const covey__block_store *blocks, compaction *plan) {
    if (blocks->size == 0 || blocks->pinned) return false;
    *plan = plan_of(blocks);
    size_t headers = blocks->slab_count * (covey__slab_header(blocks) + sizeof(void *));
    bool loose = covey__slabs_bytes(blocks) > plan->bytes + plan->bytes / 128 + headers;
    bool disordered = plan->disordered > plan->blocks / 16;
    return loose || disordered ||
           plan->apart > plan->chunks[covey__fit_number(COVEY__BLOCK_IDS)] / 16 + blocks->slab_count;
}

void covey__blocks_compact(covey__block_store *blocks) {
    compaction plan;
    if (is_compaction_worth_it(blocks, &plan)) rebuild(blocks, &plan);
    covey__slabs_trim(blocks);
}

size_t covey__blocks_chunk_bytes_packed(const covey__block_store *blocks) {
    compaction plan = plan_of(blocks);
    size_t bytes = 0;
    for (uint32_t i = 1; i < COVEY__FITS; i++)
        bytes += covey__slabs_bytes_packed(blocks, covey__fit_capacity(i), plan.chunks[i]);
    return bytes;
}

size_t covey__blocks_chunk_bytes_compacted(const covey__block_store *blocks) {
    compaction plan;
    if (!is_compaction_worth_it(blocks, &plan)) return covey__slabs_bytes_trimmed(blocks);
    return covey__blocks_chunk_bytes_packed(blocks);
}

void covey__blocks_shrink(covey__block_store *blocks) {
    uint32_t reach = 0;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        if (blocks->pages[i]->summary == 0) free_page(blocks, i);
        else reach = i + 1;
    }
    covey__slabs_trim(blocks);
    blocks->end_page = reach;
    if (blocks->page_count == reach) return;
    void *pages =
        covey__resize(&blocks->heap, blocks->pages, blocks->page_count, reach, sizeof(void *), alignof(void *));
    if (!pages && reach != 0) return;
    blocks->pages = pages;
    blocks->page_count = reach;
}

size_t covey__blocks_bytes(const covey__block_store *blocks) {
    size_t bytes = blocks->page_count * sizeof *blocks->pages + covey__slabs_bytes(blocks);
    for (uint32_t i = 0; i < blocks->page_count; i++)
        if (covey__blocks_have_page(blocks, i)) bytes += sizeof(covey__block_page);
    return bytes;
}

/* ---- Groups ------------------------------------------------------------------------------------------------------*/

bool covey__blocks_group(covey__block_store *blocks) {
    blocks->grouped = true;
    blocks->refills = false;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        covey__block_page *page = blocks->pages[i];
        for (uint64_t left = page->direct; left != 0; left &= left - 1) {
            uint32_t block = covey__lowest_bit(left);
            uint32_t count = page->masks[block] == UINT64_MAX ? COVEY__BLOCK_IDS : slots_taken(page, block);
            uint32_t capacity = covey__chunk_capacity(blocks, count);
            char *data = covey__chunk_take(blocks, capacity);
            blocks->grouped = data != NULL;
            if (!data) return false;
            fill_chunk(blocks, page, block, data, capacity);
            move_block(blocks, page, block, data, capacity, NULL);
        }
    }
    return true;
}

bool covey__blocks_hold(const covey__block_store *blocks, uint32_t index, const void *address) {
    if (covey__block_is_empty(blocks, index)) return false;
    return bit_at(blocks, covey__block_page_of(blocks, index), covey__block_of(index), address) != COVEY__BLOCK_IDS;
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey__block_next(const covey__block_store *blocks, uint32_t index) {
    while (index / COVEY__BLOCK_PAGE < blocks->page_count) {
        const covey__block_page *page = covey__block_page_of(blocks, index);
        uint32_t block = covey__block_of(index);
        uint64_t ids = page->masks[block] >> index % COVEY__BLOCK_IDS;
        if (ids != 0) return index + covey__lowest_bit(ids);
        uint64_t later = block == 63 ? 0 : page->summary >> (block + 1);
        if (later != 0) index = (index / COVEY__BLOCK_IDS + 1 + covey__lowest_bit(later)) * COVEY__BLOCK_IDS;
        else index = (index / COVEY__BLOCK_PAGE + 1) * COVEY__BLOCK_PAGE;
        if (index == 0) break; /* past the highest index */
    }
    return COVEY_NONE;
}

uint32_t covey__blocks_first(const covey__block_store *blocks) {
    uint32_t page = blocks->first_page;
    while (page < blocks->end_page && blocks->pages[page]->summary == 0) page++;
    if (page >= blocks->end_page) return 0;
    return page * COVEY__PAGE_BLOCKS + covey__lowest_bit(blocks->pages[page]->summary);
}

uint32_t covey__blocks_end(const covey__block_store *blocks) {
    uint32_t page = blocks->end_page, block = COVEY__PAGE_BLOCKS;
    while (page != 0 && blocks->pages[page - 1]->summary == 0) page--;
    if (page == 0) return 0;
    while ((blocks->pages[page - 1]->summary >> (block - 1) & 1) == 0) block--;
    return (page - 1) * COVEY__PAGE_BLOCKS + block;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* Checks a block that is not empty. */
static bool valid_block(const covey__block_store *blocks, const covey__block_page *page, uint32_t block,
                        const char **why) {
    uint32_t count = covey__bits_in(page->masks[block]), capacity = page->capacity[block];
    REQUIRE(page->used[block] == (capacity == COVEY__BLOCK_IDS ? 0 : count),
            "block: the number of used slots is wrong");
    REQUIRE(count <= capacity && capacity <= COVEY__MAPPED_WHOLE, "block: more ids than slots");
    REQUIRE(capacity == COVEY__BLOCK_IDS || !blocks->pinned, "block: a block of a pinned pool is not direct");
    REQUIRE(capacity != COVEY__BLOCK_IDS || !blocks->grouped, "block: a block of an owned pool is direct");
    const uint8_t *ids = (const uint8_t *)page->chunks[block].data + (size_t)capacity * blocks->size;
    REQUIRE(capacity == COVEY__BLOCK_IDS || page->chunks[block].map == ids + capacity,
            "block: the map is not in the chunk");
    for (uint64_t left = page->masks[block]; left != 0; left &= left - 1) {
        uint32_t bit = covey__lowest_bit(left), slot = page->chunks[block].map[bit];
        REQUIRE(capacity == COVEY__BLOCK_IDS ? slot == bit : slot < count, "block: an id has an impossible slot");
        REQUIRE(capacity == COVEY__BLOCK_IDS || ids[slot] == bit, "block: the slot of an id belongs to another id");
    }
    for (uint32_t slot = 1; slot < page->used[block] && (page->ordered >> block & 1) != 0; slot++)
        REQUIRE(ids[slot - 1] < ids[slot], "block: marked as ordered, but its slots are not");
    return true;
}

/* Checks all blocks of a page for what empty ones must satisfy, in one pass without branches: in most tests, most
 * blocks are empty. */
static bool valid_page(const covey__block_store *blocks, const covey__block_page *page, const char **why) {
    uint64_t taken = 0, chunks = 0, slots = 0, direct = 0, data = 0, maps = 0, joined = 0, all = 0;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        taken |= (uint64_t)(page->masks[block] != 0) << block;
        all |= (uint64_t)(page->masks[block] == UINT64_MAX) << block;
        chunks |= (uint64_t)(page->capacity[block] != 0) << block;
        slots |= (uint64_t)(page->used[block] != 0) << block;
        direct |= (uint64_t)(page->capacity[block] == COVEY__BLOCK_IDS) << block;
        data |= (uint64_t)(page->chunks[block].data != NULL) << block;
        maps |= (uint64_t)(page->chunks[block].map != NULL) << block;
    }
    REQUIRE(page->summary == taken, "block: the summary is wrong");
    REQUIRE(chunks == taken, "block: an empty block has a chunk, or one with ids has none");
    REQUIRE((slots & ~taken) == 0, "block: an empty block has slots");
    REQUIRE(page->direct == direct, "block: wrongly marked as direct, or not marked");
    REQUIRE((page->full & ~(direct & all)) == 0, "block: wrongly marked as full");
    REQUIRE((direct & ~page->ordered) == 0 && (page->ordered & ~taken) == 0, "block: wrongly marked as ordered");
    REQUIRE(data == taken && maps == taken, "block: an empty block has an address, or one with ids has none");
    for (uint64_t left = taken; left != 0; left &= left - 1)
        if (!valid_block(blocks, page, covey__lowest_bit(left), why)) return false;
    for (uint64_t left = blocks->size != 0 ? direct & direct >> 1 : 0; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        bool follows =
            page->chunks[block + 1].data == page->chunks[block].data + (size_t)COVEY__BLOCK_IDS * blocks->size;
        joined |= (uint64_t)follows << block;
    }
    REQUIRE(page->joined == joined, "block: wrongly marked as joined with the next one, or not marked");
    return true;
}

bool covey__blocks_valid(const covey__block_store *blocks, const char **why) {
    uint64_t count = 0;
    REQUIRE(blocks->end_page <= blocks->page_count, "blocks: the end is beyond the directory");
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        const covey__block_page *page = blocks->pages[i];
        if (covey__blocks_have_page(blocks, i) && !valid_page(blocks, page, why)) return false;
        REQUIRE(i >= blocks->first_page || page->summary == 0, "blocks: a component before the first page");
        REQUIRE(i < blocks->end_page || page->summary == 0, "blocks: a component behind the last page");
        for (uint64_t left = page->summary; left != 0; left &= left - 1)
            count += covey__bits_in(page->masks[covey__lowest_bit(left)]);
    }
    REQUIRE(count == blocks->count, "blocks: the number of components is wrong");
    REQUIRE(blocks->heap.bytes == covey__blocks_bytes(blocks), "blocks: bytes that are not accounted for");
    return covey__slabs_valid(blocks, why);
}
