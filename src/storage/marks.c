/* The marks of reactive sets. A mark needs a page of blocks, and all of these blocks in the presence index. The blocks
 * count as direct but have a capacity of 0, so that the inline code does not add to them. Marking an entity then only
 * sets its bit, and the bit of its block in the summary. */
#include "storage/marks.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/bits.h"
#include "storage/block_store.h"
#include "storage/presence.h"
#include "memory/result.h"

#include <stdalign.h>

covey_result covey__reactive_reserve(covey_pool *tags, uint32_t index) {
    covey_world *world = tags->world;
    uint32_t number = index / COVEY__BLOCK_PAGE, first = number * COVEY__BLOCK_PAGE;
    if (covey__blocks_have_page(&tags->block_store, number)) return COVEY_OK;
    if (!covey__presence_reserve(world, tags->number, index)) return COVEY_ERROR_MEMORY;
    covey_result result = covey__blocks_reserve(&tags->block_store, index, covey__block_limit(world));
    if (result != COVEY_OK) return result;
    covey__block_page *page = tags->block_store.pages[number];
    page->direct = page->ordered = UINT64_MAX >> (64 - COVEY__PAGE_BLOCKS);
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        page->chunks[block] = (covey__chunk){ covey__nothing, covey__identity };
        covey__presence_set(world, tags->number, first + block * COVEY__BLOCK_IDS);
    }
    return COVEY_OK;
}

bool covey__reactive_is_reserved(const covey_pool *tags, uint32_t index) {
    return covey__blocks_have_page(&tags->block_store, index / COVEY__BLOCK_PAGE) &&
           covey__presence_has_room(tags->world, tags->number, index);
}

void covey__reactive_release(covey_pool *tags) {
    covey__presence_unmark_all(tags->world, tags->number);
    covey__blocks_shrink(&tags->block_store);
}

void covey__reactive_unmark_bits(covey_pool *tags, uint32_t index, uint64_t bits) {
    covey__block_page *page = covey__block_page_of(&tags->block_store, index);
    uint32_t block = covey__block_of(index);
    page->masks[block] &= ~bits;
    page->full &= ~((uint64_t)1 << block);
    if (page->masks[block] == 0) page->summary &= ~((uint64_t)1 << block);
    tags->block_store.count -= covey__bits_in(bits);
    covey__fast_destroy_off_if(tags->world, page->masks[block] == 0);
}

void covey__reactive_unmark(covey_pool *tags, uint32_t index) {
    covey__reactive_unmark_bits(tags, index, (uint64_t)1 << index % COVEY__BLOCK_IDS);
}

void covey__reactive_unmark_all(covey_pool *tags) {
    for (uint32_t i = 0; i < tags->block_store.page_count; i++) {
        covey__block_page *page = tags->block_store.pages[i];
        if (page->summary == 0) continue;
        memset(page->masks, 0, sizeof page->masks);
        page->full = 0;
        page->summary = 0;
    }
    tags->block_store.count = 0;
    covey__fast_destroy_off(tags->world);
}

/* ---- The destroyed -----------------------------------------------------------------------------------------------*/

bool covey__ended_begin(covey_pool *tags) {
    covey__ended *ended = covey__resize(&tags->world->inner->heap, NULL, 0, 1, sizeof *ended, alignof(covey__ended));
    if (ended) *ended = (covey__ended){ 0 };
    tags->ended = ended;
    return ended != NULL;
}

void covey__ended_free(covey_pool *tags) {
    covey__heap *heap = &tags->world->inner->heap;
    covey__ended *ended = tags->ended;
    if (!ended) return;
    covey__free(heap, ended->handles, ended->capacity, sizeof *ended->handles, alignof(covey_entity));
    covey__free(heap, ended->sources, ended->source_capacity, sizeof *ended->sources, alignof(void *));
    covey__free(heap, ended, 1, sizeof *ended, alignof(covey__ended));
    tags->ended = NULL;
}

size_t covey__ended_bytes(const covey_pool *tags) {
    const covey__ended *ended = tags->ended;
    if (!ended) return 0;
    return sizeof *ended + ended->capacity * sizeof *ended->handles + ended->source_capacity * sizeof *ended->sources;
}

bool covey__ended_add_source(covey_pool *tags, const covey_pool *pool) {
    covey__ended *ended = tags->ended;
    if (ended->source_count == ended->source_capacity) {
        uint32_t capacity = covey__grown(ended->source_capacity, ended->source_count + 1, UINT32_MAX);
        const covey_pool **sources = covey__resize(&tags->world->inner->heap, ended->sources, ended->source_capacity,
                                                   capacity, sizeof *sources, alignof(void *));
        if (!sources) return false;
        ended->sources = sources;
        ended->source_capacity = capacity;
    }
    ended->sources[ended->source_count++] = pool;
    return true;
}

void covey__ended_remove_source(covey_pool *tags) { tags->ended->source_count--; }

covey_result covey__ended_reserve_all(covey_pool *tags, uint64_t handles) {
    covey__ended *ended = tags->ended;
    if (handles <= ended->capacity) return COVEY_OK;
    if (handles > UINT32_MAX) return COVEY_ERROR_MEMORY;
    uint32_t capacity = covey__grown(ended->capacity, (uint32_t)handles, UINT32_MAX);
    covey_entity *grown = covey__resize(&tags->world->inner->heap, ended->handles, ended->capacity, capacity,
                                        sizeof *grown, alignof(covey_entity));
    if (!grown) return COVEY_ERROR_MEMORY;
    ended->handles = grown;
    ended->capacity = capacity;
    return COVEY_OK;
}

/* Every entity that is or can be marked is marked already or has a component of a source. Only adds increase this
 * number: all other marks are of entities that have a component of a source. */
covey_result covey__ended_reserve(covey_pool *tags, uint64_t more) {
    const covey__ended *ended = tags->ended;
    uint64_t handles = (uint64_t)ended->count + tags->block_store.count + more;
    for (uint32_t i = 0; i < ended->source_count; i++) handles += covey_pool_count(ended->sources[i]);
    return covey__ended_reserve_all(tags, handles);
}

bool covey__ended_has_source(const covey_pool *tags, const covey_pool *pool) {
    const covey__ended *ended = tags->ended;
    uint32_t i = 0;
    while (i < ended->source_count && ended->sources[i] != pool) i++;
    return i < ended->source_count;
}

/* Room was reserved before. If there is none, which would be a bug in Covey, the handle is not kept. */
void covey__ended_push(covey_pool *tags, covey_entity e) {
    covey__ended *ended = tags->ended;
    COVEY__CONTRACT(
        tags->world, ended->count < ended->capacity,
        "a reactive set has no room for the handle of a destroyed entity: this is a bug in Covey, please report it");
    if (ended->count < ended->capacity) ended->handles[ended->count++] = e;
}

/* How many entities are not marked but can be, each counted once. */
static uint64_t count_unmarked(const covey_pool *tags) {
    const covey__ended *ended = tags->ended;
    uint64_t count = 0;
    for (uint32_t i = 0; i < ended->source_count; i++)
        for (uint32_t at = 0; (at = covey_pool_next(ended->sources[i], at)) != COVEY_NONE; at++) {
            covey_entity e = covey_pool_at(ended->sources[i], at);
            uint32_t other = 0;
            while (other < i && !covey_pool_has(ended->sources[other], e)) other++;
            count += other == i && !covey_pool_has(tags, e);
        }
    return count;
}

bool covey__reactive_valid(const covey_pool *tags, const char **why) {
    const covey__block_store *blocks = &tags->block_store;
    uint64_t count = 0;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        const covey__block_page *page = blocks->pages[i];
        for (uint32_t block = 0; covey__blocks_have_page(blocks, i) && block < COVEY__PAGE_BLOCKS; block++) {
            bool quiet =
                page->capacity[block] == 0 && page->used[block] == 0 && (page->direct & page->ordered) >> block & 1;
            bool empty = page->chunks[block].data == covey__nothing && page->chunks[block].map == covey__identity;
            REQUIRE(quiet && empty && page->joined == 0, "reactive set: a block is not prepared for marks");
            REQUIRE((page->summary >> block & 1) == (page->masks[block] != 0), "reactive set: the summary is wrong");
            count += covey__bits_in(page->masks[block]);
        }
    }
    REQUIRE(!tags->ended || tags->ended->count + count + count_unmarked(tags) <= tags->ended->capacity,
            "reactive set: no room for the handles of entities that may be destroyed");
    REQUIRE(count == blocks->count, "reactive set: the number of marks is wrong");
    REQUIRE(blocks->heap.bytes == covey__blocks_bytes(blocks), "reactive set: bytes that are not accounted for");
    return true;
}
