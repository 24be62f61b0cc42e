/* The values of a pool as runs: arrays that hold one after the other what an image has one after the other. */
#include "image.h"

/* What is known of a run that may go on. */
typedef struct runner {
    covey__run_fn *run;
    void *context;
    size_t size; /* of a value */
    char *values;
    size_t count;
} runner;

static void end_run(runner *r) {
    if (r->count != 0) r->run(r->values, r->count, r->context);
    r->count = 0;
}

static void add(runner *r, char *values, size_t count) {
    bool follows = r->count != 0 && r->values + r->count * r->size == values;
    if (!follows) {
        end_run(r);
        r->values = values;
    }
    r->count += count;
}

static void add_block(runner *r, const covey__block_page *page, uint32_t block) {
    const covey__chunk *chunk = &page->chunks[block];
    bool whole = page->masks[block] == UINT64_MAX && (page->direct >> block & 1) != 0;
    if (whole) add(r, chunk->data, 64);
    else
        for (uint64_t left = page->masks[block]; left != 0; left &= left - 1)
            add(r, chunk->data + chunk->map[covey__lowest_bit(left)] * r->size, 1);
}

/* Up to the next hole, and, in place, the end of a page. */
static void add_packed(runner *r, const covey_sparse_set *set) {
    for (uint32_t at = 0; at < set->end;) {
        uint32_t end = set->end, first = at;
        if (set->paged && end - at > COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE)
            end = at + COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE;
        if (set->holes == 0) at = end;
        while (at < end && !covey__is_hole(set, at)) at++;
        if (at != first) add(r, covey__value_at(set, first, set->size), at - first);
        while (at < end && covey__is_hole(set, at)) at++;
    }
}

void covey__each_run(const covey_pool *pool, covey__run_fn *run, void *context) {
    runner r = { .run = run, .context = context, .size = pool->size };
    if (!covey__in_blocks(pool)) add_packed(&r, &pool->set);
    else
        for (uint32_t i = 0; i < pool->blocks.page_count; i++)
            for (uint64_t left = pool->blocks.pages[i]->summary; left != 0; left &= left - 1)
                add_block(&r, pool->blocks.pages[i], covey__lowest_bit(left));
    end_run(&r);
}
