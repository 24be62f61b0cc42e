/* Short loops: most loops of a game visit some tens of entities, and beginning costs more than visiting. The first step
 * finds all matches of a view without conditions if they are one run, or on one page of blocks; and all members of a
 * group. How the iteration walks is then decided only if rows go on after values have moved. */
#include "query/at_once.h"

#include "memory/bits.h"
#include "memory/inner.h"
#include "observe/observers.h"
#include "query/batch.h"
#include "query/match.h"
#include "query/spans.h"
#include "storage/block_store.h"

enum { MOST = 1024 }; /* handles of a set that are compared before any is visited */

/* ---- Handing out -------------------------------------------------------------------------------------------------*/

static bool end_step(covey__walk *walk) {
    if (walk->mode == COVEY__MODE_UNDECIDED) walk->mode = COVEY__MODE_AT_ONCE;
    return true;
}

/* The step found this many spans, which is all. */
static bool end_with(covey_iter *it, uint32_t spans) {
    it->at = 0;
    it->stop = spans;
    it->ended = true;
    return end_step(&it->walk);
}

static bool end_with_nothing(covey_iter *it) {
    it->count = 0;
    return end_with(it, 0);
}

static bool end_with_run(covey_iter *it, uint32_t row, uint32_t count) {
    it->rows[0] = row;
    it->count = count;
    return end_with(it, 1);
}

/* The first entry of the list of a field. */
COVEY_HOT void set_first(covey_iter *it, uint32_t field, char *value) { *covey__list_in(it, field) = value; }

/* Views of few fields, which are most, have their loops unrolled: WITH is then a constant. */
#define UNROLLED(call, with)    \
    switch (with) {             \
    case 1: return call(1);     \
    case 2: return call(2);     \
    case 3: return call(3);     \
    default: return call(with); \
    }

/* What rows need, also when values have moved. */
COVEY_HOT void note_pools(covey__walk *walk) {
    walk->shifts = &walk->view->world->shifts;
    walk->ticked = 0;
    for (uint32_t i = 0; i < walk->view->fields; i++) walk->columns[i].pool = walk->view->pools[i];
}

COVEY_HOT bool rows_of_set(covey_iter *it, const covey_sparse_set *set, uint32_t count) {
    covey__walk *walk = &it->walk;
    note_pools(walk);
    walk->array = set->ids;
    walk->last = set->ids[count - 1].index;
    walk->begun = true;
    walk->next = 0;
    walk->end = count;
    covey__list_flat(it, count);
    return end_step(walk);
}

/* ---- Blocks and sets ---------------------------------------------------------------------------------------------*/

static bool is_run(uint64_t bits) { return (bits & (bits + (bits & (0 - bits)))) == 0; }

/* A run of indices in one block. */
typedef struct run {
    uint32_t first, count;
} run;

/* Whether handles have the indices of a run, in order. The last one tells it of most that have not. */
COVEY_HOT bool is_run_of(const covey_entity *handles, run r) {
    if (covey__index(handles[r.count - 1]) != r.first + r.count - 1) return false;
    return r.count <= 2 || covey__run_of_indices(handles, r.first, r.count) == r.count;
}

/* The elements of a set, if they are a run. Otherwise returns false. */
COVEY_HOT bool run_of_set(const covey_sparse_set *set, run *r) {
    if (set->end > COVEY__BLOCK_IDS) return false;
    *r = (run){ covey__index(set->ids[0]), set->end };
    return r->first % COVEY__BLOCK_IDS + r->count <= COVEY__BLOCK_IDS && is_run_of(set->ids, *r);
}

/* The same for the components in blocks. */
COVEY_HOT bool run_of_store(const covey__block_store *store, run *r) {
    if (store->count > COVEY__BLOCK_IDS || store->end_page - store->first_page != 1) return false;
    const covey__block_page *page = store->pages[store->first_page];
    uint64_t ids = page->masks[covey__lowest_bit(page->summary)];
    if ((page->summary & (page->summary - 1)) != 0 || !is_run(ids)) return false;
    r->first = store->first_page * COVEY__BLOCK_PAGE + covey__lowest_bit(page->summary) * COVEY__BLOCK_IDS +
               covey__lowest_bit(ids);
    r->count = store->count;
    return true;
}

/* The values of a run in a set, if they follow each other; otherwise NULL. */
COVEY_HOT char *values_in_set(const covey_sparse_set *set, run r) {
    if (r.first / COVEY_PAGE_SIZE >= set->page_count) return NULL;
    uint32_t at = covey__slot_position(*covey__slot_of(set, r.first));
    if (at >= set->end || r.count > set->end - at || !is_run_of(set->ids + at, r)) return NULL;
    return (char *)set->data + (size_t)at * set->size;
}

/* The same for values in blocks. */
COVEY_HOT char *values_in_store(const covey__block_store *store, run r) {
    if (r.first / COVEY__BLOCK_PAGE >= store->page_count) return NULL;
    const covey__block_page *page = store->pages[r.first / COVEY__BLOCK_PAGE];
    uint32_t block = r.first / COVEY__BLOCK_IDS % COVEY__PAGE_BLOCKS, bit = r.first % COVEY__BLOCK_IDS;
    uint64_t ids = UINT64_MAX >> (COVEY__BLOCK_IDS - r.count) << bit;
    if ((page->masks[block] & ids) != ids || (page->ordered >> block & 1) == 0) return NULL;
    return page->chunks[block].data + (size_t)page->chunks[block].map[bit] * store->size;
}

/* Finds the matches of a view, some of whose pools are in blocks and some sparse, if they are all that the smallest
 * pool has. Returns that pool, which leads, and an empty run if it is empty; otherwise NULL. */
COVEY_HOT const covey_pool *find_run(covey_iter *it, uint32_t with, run *r) {
    const covey_view *view = it->walk.view;
    const covey_pool *lead = NULL;
    uint32_t least = UINT32_MAX;
    bool differ = false;
    for (uint32_t i = 0; i < with; i++) {
        const covey_pool *pool = view->pools[i];
        uint32_t count = covey_pool_count(pool);
        if (pool->sparse_set.paged || pool->sparse_set.holes != 0) return NULL; /* zeros if it is in blocks */
        differ |= covey__in_blocks(pool) != covey__in_blocks(view->pools[0]);
        if (count < least) lead = pool, least = count;
    }
    *r = (run){ 0, 0 };
    if (!differ || least == 0) return differ ? lead : NULL;
    if (!(covey__in_blocks(lead) ? run_of_store(&lead->block_store, r) : run_of_set(&lead->sparse_set, r))) return NULL;
    for (uint32_t i = 0; i < with; i++) {
        const covey_pool *pool = view->pools[i];
        char *values =
            covey__in_blocks(pool) ? values_in_store(&pool->block_store, *r) : values_in_set(&pool->sparse_set, *r);
        if (!values) return NULL;
        set_first(it, i, values);
    }
    return lead;
}

static COVEY__NOINLINE const covey_pool *run_of_both(covey_iter *it, run *r) {
#define FIND(with) find_run(it, with, r)
    UNROLLED(FIND, it->walk.view->with)
#undef FIND
}

static COVEY__NOINLINE bool spans_of_both(covey_iter *it) {
    run r;
    if (!run_of_both(it, &r)) return false;
    it->walk.array = NULL;
    return r.count != 0 ? end_with_run(it, r.first, r.count) : end_with_nothing(it);
}

/* Rows by id: the matches of a block. */
static bool rows_of_run(covey_iter *it, run r) {
    covey__walk *walk = &it->walk;
    note_pools(walk);
    walk->by_id = true;
    it->block = r.first / COVEY__BLOCK_IDS % COVEY__PAGE_BLOCKS;
    it->matches[it->block] = UINT64_MAX >> (COVEY__BLOCK_IDS - r.count) << r.first % COVEY__BLOCK_IDS;
    walk->first = r.first / COVEY__BLOCK_PAGE * COVEY__BLOCK_PAGE;
    for (uint32_t i = 0; i < walk->view->fields; i++)
        walk->columns[i].page = covey__pool_page(walk->columns[i].pool, r.first / COVEY__BLOCK_PAGE);
    walk->next = r.first;
    walk->end = r.first + r.count;
    covey__list_flat(it, r.count);
    return end_step(walk);
}

static COVEY__NOINLINE bool rows_of_both(covey_iter *it) {
    run r;
    const covey_pool *lead = run_of_both(it, &r);
    if (!lead) return false;
    if (r.count == 0) return end_with_nothing(it);
    if (covey__in_blocks(lead)) return rows_of_run(it, r);
    it->walk.lead = lead;
    return rows_of_set(it, &lead->sparse_set, r.count);
}

/* ---- Blocks ------------------------------------------------------------------------------------------------------*/

/* Finds the page that all pools have, if there is one: otherwise *first is *end. Returns false if there are several, or
 * if a pool is not in blocks. */
COVEY_HOT bool find_page(const covey_view *view, uint32_t with, uint32_t *first, uint32_t *end) {
    uint32_t from = 0, to = UINT32_MAX;
    for (uint32_t i = 0; i < with; i++) {
        const covey_pool *pool = view->pools[i];
        if (!covey__in_blocks(pool)) return false;
        if (pool->block_store.first_page > from) from = pool->block_store.first_page;
        if (pool->block_store.end_page < to) to = pool->block_store.end_page;
    }
    *first = from;
    *end = from < to ? to : from;
    return *end - from <= 1;
}

COVEY_HOT const covey__block_page *page_of(const covey_view *view, uint32_t i, uint32_t number) {
    return view->pools[i]->block_store.pages[number];
}

/* Lists the pages that find_page has found. Returns the blocks that all have. */
static uint64_t list_pages(const covey_view *view, uint32_t number, covey__page_list *list) {
    uint64_t blocks = UINT64_MAX, full = UINT64_MAX;
    list->count = view->with;
    for (uint32_t i = 0; i < list->count; i++) {
        const covey__block_page *page = list->pages[i] = page_of(view, i, number);
        blocks &= page->summary;
        full &= page->full;
    }
    list->full = full & blocks;
    return blocks;
}

/* Lists a run of values, from a bit of a block on, as span `n`. */
COVEY_HOT void list_run(covey_iter *it, uint32_t with, uint32_t n, uint32_t number, uint32_t block, uint32_t bit) {
    const covey_view *view = it->walk.view;
    for (uint32_t i = 0; i < with; i++) {
        const covey__chunk *chunk = &page_of(view, i, number)->chunks[block];
        covey__list_in(it, i)[n] = chunk->data + (size_t)chunk->map[bit] * view->pools[i]->size;
    }
    it->rows[n] = number * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS + bit;
}

/* Spans of several blocks. */
static COVEY__NOINLINE bool spans_of_page(covey_iter *it, uint32_t number, uint64_t blocks) {
    covey__page_list list;
    list_pages(it->walk.view, number, &list);
    it->stop = 0;
    if (!covey__list_runs(it, &list, number, blocks, true)) return false;
    it->varies = true;
    it->count = it->stop != 0 ? it->counts[0] : 0;
    return end_with(it, it->stop);
}

/* One run of a block, or of several. */
COVEY_HOT bool find_in_blocks(covey_iter *it, uint32_t with) {
    const covey_view *view = it->walk.view;
    uint32_t first, end;
    if (!find_page(view, with, &first, &end)) return spans_of_both(it);
    if (first == end) return end_with_nothing(it);
    it->walk.scatters = true; /* unless all are found */
    uint64_t blocks = UINT64_MAX, ordered = UINT64_MAX, ids = UINT64_MAX;
    for (uint32_t i = 0; i < with; i++) {
        blocks &= page_of(view, i, first)->summary;
        ordered &= page_of(view, i, first)->ordered;
    }
    if (blocks == 0) return end_with_nothing(it);
    if ((blocks & (blocks - 1)) != 0) return spans_of_page(it, first, blocks);
    uint32_t block = covey__lowest_bit(blocks);
    for (uint32_t i = 0; i < with; i++) ids &= page_of(view, i, first)->masks[block];
    if (ids == 0) return end_with_nothing(it);
    if ((blocks & ordered) == 0 || !is_run(ids)) return false;
    uint32_t bit = covey__lowest_bit(ids);
    list_run(it, with, 0, first, block, bit);
    it->count = covey__ones_from(ids, bit);
    return end_with(it, 1);
}

static COVEY__NOINLINE bool spans_of_blocks(covey_iter *it) {
#define FIND(with) find_in_blocks(it, with)
    UNROLLED(FIND, it->walk.view->with)
#undef FIND
}

/* The matches of several blocks of a page. */
static COVEY__NOINLINE uint64_t match_page(covey_iter *it, uint32_t number) {
    covey__page_list list;
    uint64_t blocks = list_pages(it->walk.view, number, &list);
    return covey__match_page(it, &list, blocks);
}

/* All matches are on one page. */
COVEY_HOT bool find_rows_in_blocks(covey_iter *it, uint32_t with, uint64_t *found) {
    covey__walk *walk = &it->walk;
    const covey_view *view = walk->view;
    uint32_t first, end;
    uint64_t blocks = UINT64_MAX, ids = UINT64_MAX;
    if (!find_page(view, with, &first, &end)) return rows_of_both(it);
    if (first == end) return end_with_nothing(it);
    for (uint32_t i = with; i < COVEY__ROW_CHUNKS; i++) walk->columns[i].page = &covey__zeros.blocks;
    for (uint32_t i = 0; i < with; i++) {
        walk->columns[i].pool = view->pools[i];
        walk->columns[i].page = page_of(view, i, first);
        blocks &= walk->columns[i].page->summary;
    }
    if ((blocks & (blocks - 1)) != 0) {
        blocks = match_page(it, first);
    } else if (blocks != 0) {
        uint32_t block = covey__lowest_bit(blocks);
        for (uint32_t i = 0; i < with; i++) ids &= walk->columns[i].page->masks[block];
        it->matches[block] = ids;
        if (ids == 0) blocks = 0;
    }
    walk->first = first * COVEY__BLOCK_PAGE;
    walk->next = walk->end = end;
    *found = blocks;
    return end_with_nothing(it);
}

static COVEY__NOINLINE bool rows_of_blocks(covey_iter *it, uint64_t *blocks) {
#define FIND(with) find_rows_in_blocks(it, with, blocks)
    UNROLLED(FIND, it->walk.view->with)
#undef FIND
}

/* ---- Sets --------------------------------------------------------------------------------------------------------*/

static bool are_same(const covey_entity *a, const covey_entity *b, uint32_t count) {
    if (count > 4) return memcmp(a, b, count * sizeof *a) == 0;
    uint64_t differ = 0;
    for (uint32_t i = 0; i < count; i++) differ |= covey__word(a[i]) ^ covey__word(b[i]);
    return differ == 0;
}

/* The values of all elements of the smallest set, which leads, if they follow each other in the other sets, too.
 * Returns the set, or NULL; there are no values if it is empty. */
COVEY_HOT const covey_pool *find_in_sets(covey_iter *it, uint32_t with) {
    const covey_view *view = it->walk.view;
    const covey_pool *lead = view->pools[0];
    for (uint32_t i = 0; i < with; i++) {
        const covey_pool *pool = view->pools[i];
        if (covey__in_blocks(pool) || pool->sparse_set.paged || pool->sparse_set.holes != 0) return NULL;
        if (pool->sparse_set.end < lead->sparse_set.end) lead = pool;
    }
    const covey_entity *ids = lead->sparse_set.ids;
    uint32_t count = lead->sparse_set.end;
    if (count == 0) return lead;
    if (count > MOST && with > 1) return NULL;
    for (uint32_t i = 0; i < with; i++) {
        const covey_sparse_set *set = &view->pools[i]->sparse_set;
        uint64_t at = 0;
        if (set != &lead->sparse_set) {
            at = covey__position(set, ids[0]);
            if (at >= set->end || count > set->end - at || !are_same(ids, set->ids + at, count)) return NULL;
        }
        set_first(it, i, (char *)set->data + at * set->size);
    }
    return lead;
}

static COVEY__NOINLINE const covey_pool *values_of_sets(covey_iter *it) {
#define FIND(with) find_in_sets(it, with)
    UNROLLED(FIND, it->walk.view->with)
#undef FIND
}

static COVEY__NOINLINE bool spans_of_sets(covey_iter *it) {
    const covey_pool *lead = values_of_sets(it);
    if (!lead) return spans_of_both(it);
    it->walk.array = lead->sparse_set.ids;
    return lead->sparse_set.end != 0 ? end_with_run(it, 0, lead->sparse_set.end) : end_with_nothing(it);
}

/* The first members of a group that owns packed pools are the first elements of each. */
COVEY_HOT void set_values_of_members(covey_iter *it, const covey_group *group) {
    set_first(it, 0, group->front.pools[0]->sparse_set.data);
    for (uint32_t i = 1; i < group->front.pool_count; i++) set_first(it, i, group->front.pools[i]->sparse_set.data);
}

static COVEY__NOINLINE bool spans_of_members(covey_iter *it) {
    const covey_group *group = it->walk.group;
    if (group->front.count == 0) return end_with_nothing(it);
    set_values_of_members(it, group);
    it->walk.array = group->front.pools[0]->sparse_set.ids;
    return end_with_run(it, 0, group->front.count);
}

static COVEY__NOINLINE bool rows_of_sets(covey_iter *it) {
    const covey_pool *lead = values_of_sets(it);
    if (!lead) return rows_of_both(it);
    if (lead->sparse_set.end == 0) return end_with_nothing(it);
    it->walk.lead = lead;
    return rows_of_set(it, &lead->sparse_set, lead->sparse_set.end);
}

static COVEY__NOINLINE bool rows_of_members(covey_iter *it) {
    const covey_group *group = it->walk.group;
    uint32_t count = group->front.count;
    if (count == 0) return end_with_nothing(it);
    set_values_of_members(it, group);
    return rows_of_set(it, &group->front.pools[0]->sparse_set, count);
}

/* ---- Members in blocks -------------------------------------------------------------------------------------------*/

/* The first slots of each block. */
static COVEY__NOINLINE bool spans_of_borders(covey_iter *it) {
    const covey_group *group = it->walk.group;
    const covey_view *view = &group->view;
    uint32_t first, end, n = 0;
    if (!find_page(view, view->fields, &first, &end)) return false;
    if (first == end) return end_with_nothing(it);
    const uint8_t *borders = covey__page_at(&group->front.borders, first * COVEY__BLOCK_PAGE);
    it->walk.first = first * COVEY__BLOCK_PAGE;
    it->walk.columns[0].page = page_of(view, 0, first);
    for (uint64_t left = borders ? page_of(view, 0, first)->summary : 0; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        if (borders[block] == 0) continue;
        for (uint32_t i = 0; i < view->fields; i++)
            covey__list_in(it, i)[n] = page_of(view, i, first)->chunks[block].data;
        it->rows[n] = it->walk.first + block * COVEY__BLOCK_IDS;
        it->counts[n++] = borders[block];
    }
    it->slotted = it->varies = true;
    it->count = n != 0 ? it->counts[0] : 0;
    return end_with(it, n);
}

/* All members are in one block. */
static COVEY__NOINLINE bool rows_of_borders(covey_iter *it) {
    const covey_group *group = it->walk.group;
    const covey_view *view = &group->view;
    uint32_t first, end;
    if (!find_page(view, view->fields, &first, &end)) return false;
    const covey__block_page *page = first != end ? page_of(view, 0, first) : &covey__zeros.blocks;
    const uint8_t *borders = covey__page_at(&group->front.borders, first * COVEY__BLOCK_PAGE);
    if (page->summary == 0 || !borders) return end_with_nothing(it);
    if ((page->summary & (page->summary - 1)) != 0) return false;
    uint32_t block = covey__lowest_bit(page->summary), count = borders[block];
    uint32_t row = first * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS;
    if (count == 0) return end_with_nothing(it);
    const uint8_t *bits = covey__slots_of(page, block);
    note_pools(&it->walk);
    for (uint32_t i = 0; i < view->fields; i++) {
        it->walk.columns[i].page = page_of(view, i, first);
        it->walk.columns[i].chunk = it->walk.columns[i].page->chunks[block];
        it->walk.columns[i].chunk.map = covey__identity;
    }
    for (uint32_t k = 0; k < count; k++) {
        it->rows[k] = row + bits[k];
        it->ids[k] = covey__entity(it->rows[k], 0);
        it->counts[k] = k;
    }
    it->block = block;
    it->walk.first = first * COVEY__BLOCK_PAGE;
    it->walk.next = it->walk.end = end;
    it->walk.slot = it->walk.slots = count;
    it->walk.last = bits[count - 1];
    it->flat = UINT64_MAX >> (COVEY__BLOCK_IDS - count);
    it->count = 1;
    return end_with(it, count);
}

/* ---- First steps -------------------------------------------------------------------------------------------------*/

/* Whether a group gives all fields of its members. */
static bool owns_all(const covey_group *group) { return group->front.pool_count == group->view.fields; }

bool covey__spans_at_once(covey_iter *it) {
    const covey_view *view = it->walk.view;
    const covey_group *group = it->walk.group;
    it->walk.simple = false;
    if (group && !owns_all(group)) return false;
    if (group) return group->front.by_block ? spans_of_borders(it) : spans_of_members(it);
    if (!covey__nothing_hides(view->world)) return false;
    return covey__in_blocks(view->pools[0]) ? spans_of_blocks(it) : spans_of_sets(it);
}

bool covey__rows_at_once(covey_iter *it, uint64_t *blocks) {
    const covey_view *view = it->walk.view;
    const covey_group *group = it->walk.group;
    it->walk.simple = false;
    *blocks = 0;
    if (group) return owns_all(group) && (group->front.by_block ? rows_of_borders(it) : rows_of_members(it));
    if (!covey__nothing_hides(view->world)) return false;
    return covey__in_blocks(view->pools[0]) ? rows_of_blocks(it, blocks) : rows_of_sets(it);
}
