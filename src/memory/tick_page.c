/* Pages of ticks, which have memory only for blocks that had components. */
#include "memory/tick_page.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "memory/result.h"

#include <stdalign.h>

#define ALL (UINT64_MAX >> (64 - COVEY__PAGE_BLOCKS))
#define TICKS_BYTES (COVEY__BLOCK_IDS * sizeof(uint64_t)) /* of a block */

static size_t bytes_of_blocks(uint32_t room) { return room * (sizeof(covey__tick_block) + TICKS_BYTES); }
static size_t bytes_with(uint32_t room) { return sizeof(covey__tick_page) + bytes_of_blocks(room); }

static uint32_t room_for(uint32_t blocks) {
    uint32_t room = 1;
    while (room < blocks) room *= 4;
    return room < COVEY__PAGE_BLOCKS ? room : COVEY__PAGE_BLOCKS;
}

/* ---- A page ------------------------------------------------------------------------------------------------------*/

size_t covey__tick_page_bytes(const covey__tick_page *page) { return bytes_with(page->room); }

void covey__tick_page_clear(covey__tick_page *page) {
    bool full = covey__tick_page_is_full(page);
    memset(page->blocks, 0, bytes_of_blocks(page->room));
    page->there = full ? ALL : 0;
    for (uint32_t block = 0; full && block < COVEY__PAGE_BLOCKS; block++) page->places[block] = (uint8_t)block;
}

static void insert_block(covey__tick_page *page, uint32_t block) {
    if (covey__has_tick_block(page, block)) return;
    page->places[block] = (uint8_t)covey__bits_in(page->there);
    page->there |= (uint64_t)1 << block;
}

static void copy_block(covey__tick_page *to, const covey__tick_page *from, uint32_t block) {
    insert_block(to, block);
    covey__ticked old = covey__ticked_at(from, block * COVEY__BLOCK_IDS);
    covey__ticked fresh = covey__ticked_at(to, block * COVEY__BLOCK_IDS);
    *fresh.block = *old.block;
    memcpy(fresh.ticks, old.ticks, TICKS_BYTES);
}

void covey__tick_page_copy(covey__tick_page *to, const covey__tick_page *from) {
    if (to->room == from->room) {
        memcpy(to, from, covey__tick_page_bytes(from));
        return;
    }
    covey__tick_page_clear(to);
    for (uint64_t left = from->there; left != 0; left &= left - 1) copy_block(to, from, covey__lowest_bit(left));
}

bool covey__tick_page_valid(const covey__tick_page *page, const char **why) {
    uint32_t count = covey__bits_in(page->there);
    uint64_t used = 0;
    REQUIRE(page->room == room_for(page->room) && count <= page->room, "ticks: more blocks than places");
    REQUIRE(page->there == ALL || !covey__tick_page_is_full(page), "ticks: a full page lacks a block");
    for (uint64_t left = page->there; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left), place = page->places[block];
        REQUIRE(place < count && (used >> place & 1) == 0, "ticks: blocks share a place");
        REQUIRE(place == block || !covey__tick_page_is_full(page),
                "ticks: a block of a full page is not at its own place");
        used |= (uint64_t)1 << place;
    }
    for (uint32_t place = count; place < page->room; place++)
        REQUIRE(page->blocks[place].latest == 0, "ticks: an unused place has a change");
    return true;
}

/* ---- Tables ------------------------------------------------------------------------------------------------------*/

static covey__tick_page *begin_page(covey__tick_page *page, uint32_t room) {
    memset(page, 0, sizeof *page);
    page->room = room;
    covey__tick_page_clear(page);
    return page;
}

static covey__tick_page *grow_page(covey__heap *heap, covey__pages *pages, uint32_t number, uint32_t room) {
    covey__tick_page *grown = covey__resize(heap, NULL, 0, 1, bytes_with(room), alignof(covey__tick_page));
    if (!grown) return NULL;
    covey__tick_page_copy(begin_page(grown, room), pages->at[number]);
    covey__tick_pages_drop(heap, pages, number);
    return pages->at[number] = grown;
}

covey__tick_page *covey__tick_pages_reach_room(covey__heap *heap, covey__pages *pages, uint32_t number, uint32_t limit,
                                               uint32_t room) {
    covey__tick_page *page = covey__pages_reach(heap, pages, number * COVEY__BLOCK_PAGE, limit, bytes_with(room));
    if (!page) return NULL;
    if (page->room == 0) return begin_page(page, room);
    return page->room >= room ? page : grow_page(heap, pages, number, room);
}

covey__tick_page *covey__tick_pages_reach(covey__heap *heap, covey__pages *pages, uint32_t index, uint32_t limit) {
    covey__tick_page *page = covey__page_at(pages, index);
    uint32_t block = covey__block_of(index);
    if (covey__has_tick_block(page, block)) return page;
    uint32_t room = room_for((page ? covey__bits_in(page->there) : 0) + 1);
    page = covey__tick_pages_reach_room(heap, pages, index / COVEY__BLOCK_PAGE, limit, room);
    if (page) insert_block(page, block);
    return page;
}

void covey__tick_pages_drop(covey__heap *heap, covey__pages *pages, uint32_t number) {
    if (pages->at[number]) covey__pages_drop(heap, pages, number, covey__tick_page_bytes(pages->at[number]));
}

void covey__tick_pages_free(covey__heap *heap, covey__pages *pages) {
    for (uint32_t i = 0; i < pages->count; i++) covey__tick_pages_drop(heap, pages, i);
    covey__pages_free(heap, pages, 0);
}

size_t covey__tick_pages_bytes(const covey__pages *pages) {
    size_t bytes = covey__pages_bytes(pages, 0);
    for (uint32_t i = 0; i < pages->count; i++) bytes += pages->at[i] ? covey__tick_page_bytes(pages->at[i]) : 0;
    return bytes;
}
