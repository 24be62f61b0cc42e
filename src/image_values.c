/* The values of a pool as runs: arrays that hold one after the other what an image has one after the other. */
#include "image.h"

/* Those of one block: ids in a row whose slots are in a row. */
static void block_runs(const covey__block_store *blocks, const covey__block_page *page, uint32_t block,
                       covey__run_fn *run, void *context) {
    const covey__chunk *chunk = &page->chunks[block];
    for (uint64_t left = page->masks[block]; left != 0;) {
        size_t first = chunk->map[covey__lowest_bit(left)], count = 0;
        for (; left != 0 && chunk->map[covey__lowest_bit(left)] == first + count; left &= left - 1) count++;
        run(chunk->data + first * blocks->size, count, context);
    }
}

static bool is_whole(const covey__block_page *page, uint32_t block) {
    return page->masks[block] == UINT64_MAX && (page->direct >> block & 1) != 0;
}

/* Whole blocks whose values follow each other are one run. */
static void page_runs(const covey__block_store *blocks, const covey__block_page *page, covey__run_fn *run,
                      void *context) {
    for (uint64_t left = page->summary; left != 0;) {
        uint32_t block = covey__lowest_bit(left), count = 1;
        left &= left - 1;
        if (!is_whole(page, block)) {
            block_runs(blocks, page, block, run, context);
            continue;
        }
        for (; (page->joined >> (block + count - 1) & 1) != 0 && is_whole(page, block + count); count++)
            left &= left - 1;
        run(page->chunks[block].data, (size_t)count * 64, context);
    }
}

/* Up to the next hole, and, in place, the end of a page. */
static void packed_runs(const covey_sparse_set *set, covey__run_fn *run, void *context) {
    for (uint32_t at = 0; at < set->end;) {
        uint32_t end = set->end, first = at;
        if (set->paged && end - at > COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE)
            end = at + COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE;
        if (set->holes == 0) at = end;
        while (at < end && !covey__is_hole(set, at)) at++;
        if (at != first) run(covey__value_at(set, first, set->size), at - first, context);
        while (at < end && covey__is_hole(set, at)) at++;
    }
}

void covey__each_run(const covey_pool *pool, covey__run_fn *run, void *context) {
    if (!covey__in_blocks(pool)) packed_runs(&pool->set, run, context);
    else
        for (uint32_t i = 0; i < pool->blocks.page_count; i++)
            page_runs(&pool->blocks, pool->blocks.pages[i], run, context);
}
