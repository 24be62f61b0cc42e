/* Spans of iterations whose fields are all required and in blocks. */
#ifndef COVEY_SPANS_H
#define COVEY_SPANS_H

#include "query/match.h"

#include <covey/covey.h>

/* The addresses of a field in the list of a batch. */
static inline char **covey__list_in(covey_iter *it, uint32_t field) {
    return (char **)(uintptr_t)covey__list_of(it, field);
}
/* Hands out the next spans: a list of long ones; or the rows of a block, one by one. Returns false at the end, or if
 * the rows of the next block have to be listed. */
bool covey__next_spans(covey_iter *it);
/* Adds the matches of some blocks of a page to the list of spans, if those of each block are one run of values in index
 * order, and, unless `any` is set, few of the runs are short. Otherwise returns false; then the list is as before. */
bool covey__list_runs(covey_iter *it, const covey__page_list *list, uint32_t page, uint64_t blocks, bool any);
/* Decides for the blocks of a page that has just been opened, and whose matches are known, how they are handed out.
 * `full` are blocks of which that is known already: all ids match, and all are direct. */
void covey__plan_blocks(covey_iter *it, uint64_t full);

/* Takes the next block with matches of the page. */
static inline void covey__begin_block(covey_iter *it) {
    it->block = covey__lowest_bit(it->walk.blocks);
    it->walk.blocks &= it->walk.blocks - 1;
    it->walk.rest = it->matches[it->block];
}
static inline uint32_t covey__first_of_block(const covey_iter *it) {
    return it->walk.first + it->block * COVEY__BLOCK_IDS;
}
/* Takes rows of the block from a bit on, whose values are contiguous in all columns in blocks, as span `n` of the
 * list. */
static inline void covey__take_run(covey_iter *it, uint32_t n, uint32_t bit, uint32_t count) {
    for (uint32_t left = it->walk.direct; left != 0; left &= left - 1) {
        uint32_t field = covey__lowest_bit(left);
        const covey__column *column = &it->walk.columns[field];
        const covey__chunk *chunk = &column->page->chunks[it->block];
        covey__list_in(it, field)[n] = chunk->data + (size_t)chunk->map[bit] * column->pool->size;
    }
    it->rows[n] = covey__first_of_block(it) + bit;
    it->counts[n] = count;
    it->walk.rest &= bit + count >= COVEY__BLOCK_IDS ? 0 : UINT64_MAX << (bit + count);
}

#endif
