/* The marks of reactive sets. What a mark needs is a page, whose blocks all look as if they were direct, but have no
 * capacity, so that the inline code leaves them alone; and the marks of all of them in the presence index. Marking then is
 * setting a bit, and that of its block in the summary. */
#include "marks.h"

#include "bits.h"
#include "block_store.h"
#include "presence.h"
#include "result.h"

covey_result covey__reactive_reserve(covey_pool *tags, uint32_t index) {
    covey_world *world = tags->world;
    uint32_t number = index / COVEY__BLOCK_PAGE, first = number * COVEY__BLOCK_PAGE;
    if (covey__blocks_have_page(&tags->blocks, number)) return COVEY_OK;
    if (!covey__presence_reserve(world, tags->number, index)) return COVEY_ERROR_MEMORY;
    covey_result result = covey__blocks_reserve(&tags->blocks, index, covey__block_limit(world));
    if (result != COVEY_OK) return result;
    covey__block_page *page = tags->blocks.pages[number];
    page->direct = page->ordered = UINT64_MAX >> (64 - COVEY__PAGE_BLOCKS);
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) {
        page->chunks[block] = (covey__chunk){ covey__nothing, covey__identity };
        covey__presence_set(world, tags->number, first + block * COVEY__BLOCK_IDS);
    }
    return COVEY_OK;
}

void covey__reactive_unmark(covey_pool *tags, uint32_t index) {
    covey__block_page *page = covey__block_page_of(&tags->blocks, index);
    uint32_t block = covey__block_of(index);
    page->masks[block] &= ~((uint64_t)1 << index % COVEY__BLOCK_IDS);
    if (page->masks[block] == 0) page->summary &= ~((uint64_t)1 << block);
    tags->blocks.count--;
    covey__fast_destroy_off_if(tags->world, page->masks[block] == 0);
}

void covey__reactive_unmark_all(covey_pool *tags) {
    for (uint32_t i = 0; i < tags->blocks.page_count; i++) {
        covey__block_page *page = tags->blocks.pages[i];
        if (page->summary == 0) continue;
        memset(page->masks, 0, sizeof page->masks);
        page->summary = 0;
    }
    tags->blocks.count = 0;
    covey__fast_destroy_off(tags->world);
}

bool covey__reactive_valid(const covey_pool *tags, const char **why) {
    const covey__block_store *blocks = &tags->blocks;
    uint64_t count = 0;
    for (uint32_t i = 0; i < blocks->page_count; i++) {
        const covey__block_page *page = blocks->pages[i];
        for (uint32_t block = 0; covey__blocks_have_page(blocks, i) && block < COVEY__PAGE_BLOCKS; block++) {
            bool quiet =
                page->capacity[block] == 0 && page->used[block] == 0 && (page->direct & page->ordered) >> block & 1;
            bool empty = page->chunks[block].data == covey__nothing && page->chunks[block].map == covey__identity;
            REQUIRE(quiet && empty && page->joined == 0, "reactive set: a block that is not ready");
            REQUIRE((page->summary >> block & 1) == (page->masks[block] != 0), "reactive set: the summary is wrong");
            count += covey__bits_in(page->masks[block]);
        }
    }
    REQUIRE(count == blocks->count, "reactive set: the number of marks is not what was counted");
    REQUIRE(blocks->heap.bytes == covey__blocks_bytes(blocks), "reactive set: bytes that are not accounted for");
    return true;
}
