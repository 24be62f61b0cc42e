/* Spans of iterations whose fields are all required and in blocks. A page of blocks is opened at once: what its words
 * say of all columns tells which blocks have matches, and how they are handed out. */
#include "query/spans.h"

#include "memory/bits.h"
#include "memory/lines.h"
#include "query/match.h"

enum { LONG = 8 }; /* rows that justify a span: each span ends in a mispredicted branch */

/* ---- Planning ----------------------------------------------------------------------------------------------------*/

static bool has_long_run(uint64_t ids) {
    ids &= ids >> 1;
    ids &= ids >> 2;
    return (ids & ids >> 4) != 0; /* LONG in a row */
}

/* Whether the runs of a mask are long enough on average for a span each. */
static bool has_long_runs(uint64_t ids) { return covey__bits_in(ids & ~(ids << 1)) * LONG <= covey__bits_in(ids); }

/* What is true of the values of a block in all columns: a bit for each block. */
typedef struct traits {
    uint64_t direct, compact; /* all are, not just some */
    uint64_t ordered;         /* in index order */
    uint64_t joined;          /* direct, and followed by those of the next block */
} traits;

static inline traits traits_of(const covey__walk *walk) {
    uint64_t direct = UINT64_MAX, compact = UINT64_MAX, ordered = UINT64_MAX, joined = UINT64_MAX >> 1;
    for (uint32_t left = walk->direct; left != 0; left &= left - 1) {
        const covey__column *column = &walk->columns[covey__lowest_bit(left)];
        direct &= column->page->direct;
        compact &= ~column->page->direct;
        ordered &= column->page->ordered;
        joined &= column->page->joined | (0 - (uint64_t)(column->pool->size == 0));
    }
    return (traits){ direct, compact, ordered, joined };
}

/* Whether a block has the same ids in all columns. */
static inline bool has_same_ids(const covey__walk *walk, uint32_t block) {
    uint64_t ids = walk->columns[0].page->masks[block], differ = 0;
    for (uint32_t i = 1; i < walk->view->with; i++) differ |= walk->columns[i].page->masks[block] ^ ids;
    return differ == 0;
}

void covey__plan_blocks(covey_iter *it, uint64_t full) {
    covey__walk *walk = &it->walk;
    traits all = traits_of(walk);
    bool alone = walk->looked_up == 0, packs = alone && !walk->asks_more && walk->view->with != 0;
    uint64_t packed = 0, longer = full, compact = packs ? all.compact : 0;
    for (uint64_t left = walk->blocks & ~full & all.ordered; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        uint64_t bit = left & (0 - left), ids = it->matches[block];
        if (ids == UINT64_MAX) full |= bit, longer |= bit;
        else if ((compact & bit) != 0 && has_same_ids(walk, block)) packed |= bit, longer |= bit;
        else if (has_long_run(ids) && has_long_runs(ids)) longer |= bit;
    }
    walk->packed = packed;
    walk->longer = longer;
    walk->full = alone ? full & all.direct : 0;
    walk->joined = all.joined & walk->full & walk->full >> 1;
    walk->scattered = alone && walk->most != 1 ? walk->blocks & ~longer : 0;
}

/* ---- Pages -------------------------------------------------------------------------------------------------------*/

/* Opens a page by components alone. Returns the blocks that all columns have, and those that are full in all. */
static uint64_t point_to(covey__walk *walk, uint32_t page, covey__page_list *list) {
    uint64_t blocks = covey__walk_blocks(walk, page), full = blocks;
    uint32_t with = walk->view->with;
    for (uint32_t i = 0; i < with; i++) {
        const covey__block_page *found = covey__pool_page(walk->columns[i].pool, page);
        walk->columns[i].page = list->pages[i] = found;
        blocks &= found->summary;
        full &= found->full;
    }
    list->count = with;
    list->full = full & blocks;
    walk->first = page * COVEY__BLOCK_PAGE;
    for (uint32_t i = 0; i < with && page + 1 < walk->end; i++) covey__prefetch_page(walk->columns[i].pool, page + 1);
    return blocks;
}

/* Plans a page all of whose matches are in full blocks. */
static void plan_full(covey__walk *walk, uint64_t full) {
    walk->packed = walk->scattered = 0;
    walk->longer = walk->full = full;
    walk->joined = traits_of(walk).joined & full & full >> 1;
}

/* The ids of a block that match. */
static uint64_t match_block(const covey__page_list *list, uint32_t block) {
    uint64_t ids = UINT64_MAX;
    for (uint32_t i = 0; i < list->count; i++) ids &= list->pages[i]->masks[block];
    return ids;
}

/* Plans a page with a single block, if its matches are one run of values in index order: a small world, or the end of a
 * larger one. */
static bool plan_single(covey_iter *it, const covey__page_list *list) {
    covey__walk *walk = &it->walk;
    uint32_t block = covey__lowest_bit(walk->blocks);
    uint64_t ids = match_block(list, block), above = ids + (ids & (0 - ids));
    if (ids == 0 || (ids & above) != 0 || (traits_of(walk).ordered >> block & 1) == 0) return false;
    it->matches[block] = ids;
    walk->packed = walk->scattered = walk->full = walk->joined = 0;
    walk->longer = walk->blocks;
    return true;
}

/* Opens the next page with matches, and plans it. Returns its blocks with matches; 0 at the end. */
static uint64_t open_page(covey_iter *it) {
    covey__walk *walk = &it->walk;
    covey__page_list list;
    if (walk->asks_more) {
        uint64_t blocks = covey__open_page(it, &list);
        walk->blocks = blocks;
        if (blocks != 0) covey__plan_blocks(it, 0);
        return blocks;
    }
    covey__walk_renew(walk);
    while (walk->next < walk->end) {
        uint32_t page = walk->next++;
        uint64_t blocks = walk->blocks = point_to(walk, page, &list);
        bool single = blocks != 0 && (blocks & (blocks - 1)) == 0;
        if (blocks == list.full) {
            plan_full(walk, blocks);
        } else if (!single || !plan_single(it, &list)) {
            walk->blocks = blocks = covey__match_page(it, &list, blocks);
            if (blocks != 0) covey__plan_blocks(it, list.full);
        }
        if (blocks != 0) return blocks;
        walk->next = covey__page_from(walk, page + 1);
    }
    return 0;
}

/* ---- Handing out -------------------------------------------------------------------------------------------------*/

/* Prefetches the first bytes of a block that comes soon; the hardware continues from there. */
static void prefetch_block(const covey__walk *walk, uint32_t block) {
    for (uint32_t i = 0; i < walk->view->with; i++)
        for (size_t line = 0; line < 4; line++)
            covey__prefetch_line(walk->columns[i].page->chunks[block].data + line * 64);
}

/* Takes a block in which all ids match, and the blocks behind it while they are contiguous. All are direct, so that
 * their values begin with those of the first id. */
static void take_full(covey_iter *it, uint32_t n) {
    covey__walk *walk = &it->walk;
    uint32_t block = covey__lowest_bit(walk->blocks), more = covey__lowest_bit(~(walk->joined >> block));
    for (uint32_t i = 0; i < walk->view->with; i++)
        covey__list_in(it, i)[n] = walk->columns[i].page->chunks[block].data;
    it->rows[n] = walk->first + block * COVEY__BLOCK_IDS;
    it->counts[n] = (more + 1) * COVEY__BLOCK_IDS;
    walk->blocks &= (UINT64_MAX - 1) << (block + more);
    if (walk->blocks != 0) prefetch_block(walk, covey__lowest_bit(walk->blocks));
}

/* Takes a block in which all present ids match. */
static void take_packed(covey_iter *it, uint32_t n) {
    covey__begin_block(it);
    covey__take_run(it, n, covey__lowest_bit(it->walk.rest), it->walk.columns[0].page->used[it->block]);
    it->rows[n] = covey__first_of_block(it);
    it->walk.rest = 0;
}

/* Takes the next run of a block. */
static void take_part(covey_iter *it, uint32_t n) {
    if (it->walk.rest == 0) covey__begin_block(it);
    uint32_t bit = covey__lowest_bit(it->walk.rest);
    covey__take_run(it, n, bit, covey__ones_from(it->walk.rest, bit));
}

/* Lists spans of this block and the following ones, while they are long, and packed or not. */
static bool list_spans(covey_iter *it) {
    covey__walk *walk = &it->walk;
    uint64_t next = walk->blocks & (0 - walk->blocks);
    bool slotted = walk->rest == 0 && (walk->packed & next) != 0;
    uint32_t n = 0;
    do {
        if (walk->rest == 0 && (walk->full & next) != 0) take_full(it, n);
        else if (slotted) take_packed(it, n);
        else take_part(it, n);
        next = walk->blocks & (0 - walk->blocks);
    } while (++n < walk->most &&
             (walk->rest != 0 || ((walk->longer & next) != 0 && ((walk->packed & next) != 0) == slotted)));
    it->slotted = slotted;
    it->varies = true;
    it->at = 0;
    it->stop = n;
    it->count = it->counts[0];
    it->ended = walk->next >= walk->end && walk->blocks == 0 && walk->rest == 0;
    return true;
}

bool covey__next_spans(covey_iter *it) {
    covey__walk *walk = &it->walk;
    if (walk->rest == 0 && walk->blocks == 0) {
        if (open_page(it) == 0) return false;
        if (covey__next_scattered(it)) return true;
    }
    uint64_t next = walk->blocks & (0 - walk->blocks);
    bool is_longer = walk->rest != 0 ? (walk->longer >> it->block & 1) != 0 : (walk->longer & next) != 0;
    return is_longer && list_spans(it);
}
