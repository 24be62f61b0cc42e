/* The block store: 64 ids to a block. A block is a small sparse set with indices of one byte while it has few ids, and
 * a plain array by bit once that takes less memory. Adding and removing touch one block; nothing else ever moves. */
#include "internal.h"

#include <stdalign.h>

#define TABLE_LIMIT ((COVEY_NONE - 1) / COVEY__BLOCK_PAGE + 1)

static const covey__block_page missing; /* stands for pages that are missing; never written */
static char nothing[COVEY__ALIGN_MAX];  /* the address of values without bytes; never written */

static const uint8_t identity[64] = {
    0,  1,  2,  3,  4,  5,  6,  7,  8,  9,  10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21,
    22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39, 40, 41, 42, 43,
    44, 45, 46, 47, 48, 49, 50, 51, 52, 53, 54, 55, 56, 57, 58, 59, 60, 61, 62, 63,
};

static covey__block_page *missing_page(void) { return (covey__block_page *)(uintptr_t)&missing; }

static uint32_t block_of(uint32_t index) { return index / 64 % 64; }
static uint64_t bit_of(uint32_t index) { return (uint64_t)1 << index % 64; }

/* ---- Pages -------------------------------------------------------------------------------------------------------*/

static covey_result reach_page(covey__block_store *blocks, uint32_t index) {
    uint32_t at = index / COVEY__BLOCK_PAGE;
    covey__block_page **pages =
        covey__reach(&blocks->heap, blocks->pages, &blocks->page_count, at, TABLE_LIMIT, missing_page());
    if (!pages) return COVEY_ERROR_MEMORY;
    blocks->pages = pages;
    if (pages[at] != &missing) return COVEY_OK;
    covey__block_page *page = covey__resize(&blocks->heap, NULL, 0, 1, sizeof *page, alignof(covey__block_page));
    if (!page) return COVEY_ERROR_MEMORY;
    memset(page, 0, sizeof *page);
    pages[at] = page;
    return COVEY_OK;
}

bool covey__blocks_have_page(const covey__block_store *blocks, uint32_t page) {
    return page < blocks->page_count && blocks->pages[page] != &missing;
}

static void free_page(covey__block_store *blocks, uint32_t page) {
    if (!covey__blocks_have_page(blocks, page)) return;
    covey__free(&blocks->heap, blocks->pages[page], 1, sizeof(covey__block_page), alignof(covey__block_page));
    blocks->pages[page] = missing_page();
}

/* ---- Chunks ------------------------------------------------------------------------------------------------------*/

/* The bytes of a chunk: values, and for a compact one a byte for each slot and one for each bit. */
static size_t chunk_bytes(const covey__block_store *blocks, uint32_t capacity) {
    size_t values = (size_t)capacity * blocks->size;
    return values == 0 || capacity == 64 ? values : values + capacity + 64;
}

static uint8_t *ids_of(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    return (uint8_t *)page->data[block] + (size_t)page->capacity[block] * blocks->size;
}

static void free_chunk(covey__block_store *blocks, covey__block_page *page, uint32_t block) {
    size_t bytes = chunk_bytes(blocks, page->capacity[block]);
    if (blocks->zero_vacated) memset(page->data[block], 0, bytes);
    if (bytes != 0) covey__free(&blocks->heap, page->data[block], bytes, 1, blocks->align);
    page->data[block] = NULL;
    page->maps[block] = NULL;
    page->capacity[block] = 0;
}

/* Writes a block's values into a chunk of another capacity, in the order of their ids. */
static void fill_chunk(const covey__block_store *blocks, const covey__block_page *page, uint32_t block, char *data,
                       uint32_t capacity) {
    uint8_t *ids = (uint8_t *)data + (size_t)capacity * blocks->size, *map = ids + capacity;
    uint8_t slot = 0;
    for (uint64_t left = page->masks[block]; left != 0; left &= left - 1, slot++) {
        uint32_t bit = covey__lowest_bit(left);
        const char *value = page->data[block] + (size_t)page->maps[block][bit] * blocks->size;
        if (capacity == 64) {
            covey__copy(data + (size_t)bit * blocks->size, value, blocks->size);
            continue;
        }
        covey__copy(data + (size_t)slot * blocks->size, value, blocks->size);
        ids[slot] = (uint8_t)bit;
        map[bit] = slot;
    }
}

/* The bit of the value in which an address lies, or 64 when it lies in none of the block's. */
static uint32_t bit_at(const covey__block_store *blocks, const covey__block_page *page, uint32_t block,
                       const void *address) {
    uintptr_t at = (uintptr_t)address, base = (uintptr_t)page->data[block];
    if (at < base || at - base >= (uintptr_t)page->capacity[block] * blocks->size) return 64;
    uint32_t slot = (uint32_t)((at - base) / blocks->size);
    if (page->capacity[block] == 64) return slot;
    return slot < page->count[block] ? ids_of(blocks, page, block)[slot] : 64;
}

/* Gives a block a chunk of this capacity, with what it holds moved over; *source follows if it is one of the values. */
static covey_result resize_block(covey__block_store *blocks, covey__block_page *page, uint32_t block, uint32_t capacity,
                                 const void **source) {
    if (blocks->size == 0) {
        page->data[block] = nothing;
        page->maps[block] = identity;
        page->capacity[block] = 64;
        return COVEY_OK;
    }
    char *data = covey__resize(&blocks->heap, NULL, 0, chunk_bytes(blocks, capacity), 1, blocks->align);
    if (!data) return COVEY_ERROR_MEMORY;
    fill_chunk(blocks, page, block, data, capacity);
    uint32_t followed = source && *source ? bit_at(blocks, page, block, *source) : 64;
    if (page->capacity[block] != 0) free_chunk(blocks, page, block);
    page->data[block] = data;
    page->capacity[block] = (uint8_t)capacity;
    page->maps[block] = capacity == 64 ? identity : ids_of(blocks, page, block) + capacity;
    if (followed != 64) *source = data + (size_t)page->maps[block][followed] * blocks->size;
    return COVEY_OK;
}

/* Few steps on the way up, so that growing copies little; fewer for small values, which waste less. A block whose
 * neighbour below is full is likely to be filled as well: it is direct from the start. */
static uint32_t grown_capacity(const covey__block_store *blocks, const covey__block_page *page, uint32_t block) {
    static const uint8_t few[] = { 8, 32, 64 }, many[] = { 4, 8, 16, 32, 48, 64 };
    if (block != 0 && page->count[block - 1] == 64) return 64;
    const uint8_t *step = blocks->size <= 16 ? few : many;
    while (*step <= page->count[block]) step++;
    return *step;
}

/* The capacity that takes least memory: a multiple of four slots, or direct. */
static uint32_t fitting_capacity(const covey__block_store *blocks, uint32_t count) {
    uint32_t compact = (count + 3) / 4 * 4;
    return compact < 64 && chunk_bytes(blocks, compact) < chunk_bytes(blocks, 64) ? compact : 64;
}

/* ---- Adding and removing -----------------------------------------------------------------------------------------*/

covey_result covey__blocks_place(covey__block_store *blocks, uint32_t index, const void **source, void **value) {
    covey_result result = reach_page(blocks, index);
    if (result != COVEY_OK) return result;
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = block_of(index);
    if ((page->masks[block] & bit_of(index)) != 0) return COVEY_ERROR_PRESENT;
    if (page->count[block] == page->capacity[block]) {
        result = resize_block(blocks, page, block, grown_capacity(blocks, page, block), source);
        if (result != COVEY_OK) return result;
    }
    page->summary |= (uint64_t)1 << block;
    *value = covey__block_append(blocks, index, blocks->size);
    return COVEY_OK;
}

void covey__blocks_erase(covey__block_store *blocks, uint32_t index) {
    covey__block_page *page = covey__block_page_of(blocks, index);
    uint32_t block = block_of(index), last = page->count[block] - 1u;
    if (last == 0) {
        page->masks[block] = 0;
        page->count[block] = 0;
        page->summary &= ~((uint64_t)1 << block);
        blocks->count--;
        free_chunk(blocks, page, block);
        return;
    }
    char *vacated = page->data[block] + (size_t)(page->capacity[block] == 64 ? index % 64 : last) * blocks->size;
    covey__block_vacate(blocks, index, blocks->size);
    if (blocks->zero_vacated) memset(vacated, 0, blocks->size);
}

void covey__blocks_clear(covey__block_store *blocks) {
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        if (!covey__blocks_have_page(blocks, i)) continue;
        covey__block_page *page = blocks->pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1)
            free_chunk(blocks, page, covey__lowest_bit(left));
        memset(page, 0, sizeof *page);
    }
    blocks->count = 0;
}

void covey__blocks_free(covey__block_store *blocks) {
    covey__blocks_clear(blocks);
    for (uint32_t i = 0; i < blocks->page_count; i++) free_page(blocks, i);
    covey__free(&blocks->heap, blocks->pages, blocks->page_count, sizeof *blocks->pages, alignof(void *));
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

/* A block that cannot have a better chunk keeps the one it has. */
void covey__blocks_compact(covey__block_store *blocks) {
    for (uint32_t i = 0; i < blocks->page_count && blocks->size != 0; i++) {
        covey__block_page *page = blocks->pages[i];
        for (uint64_t left = page->summary; left != 0; left &= left - 1) {
            uint32_t block = covey__lowest_bit(left), capacity = fitting_capacity(blocks, page->count[block]);
            if (capacity != page->capacity[block]) resize_block(blocks, page, block, capacity, NULL);
        }
    }
}

void covey__blocks_shrink(covey__block_store *blocks) {
    uint32_t reach = 0;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        if (blocks->pages[i]->summary == 0) free_page(blocks, i);
        else reach = i + 1;
    }
    void *pages =
        covey__resize(&blocks->heap, blocks->pages, blocks->page_count, reach, sizeof(void *), alignof(void *));
    if (!pages && reach != 0) return;
    blocks->pages = pages;
    blocks->page_count = reach;
}

size_t covey__blocks_bytes(const covey__block_store *blocks) {
    size_t bytes = blocks->page_count * sizeof *blocks->pages;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        if (!covey__blocks_have_page(blocks, i)) continue;
        bytes += sizeof(covey__block_page);
        for (uint32_t block = 0; block < 64; block++) bytes += chunk_bytes(blocks, blocks->pages[i]->capacity[block]);
    }
    return bytes;
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey__block_next(const covey__block_store *blocks, uint32_t index) {
    while (index / COVEY__BLOCK_PAGE < blocks->page_count) {
        const covey__block_page *page = covey__block_page_of(blocks, index);
        uint64_t ids = page->masks[block_of(index)] >> index % 64;
        if (ids != 0) return index + covey__lowest_bit(ids);
        uint32_t block = block_of(index);
        uint64_t later = block == 63 ? 0 : page->summary >> (block + 1);
        if (later != 0) index = (index / 64 + 1 + covey__lowest_bit(later)) * 64;
        else index = (index / COVEY__BLOCK_PAGE + 1) * COVEY__BLOCK_PAGE;
        if (index == 0) break; /* past the highest index */
    }
    return COVEY_NONE;
}
