/* Spans of iterations whose fields are all required and in blocks. A page of blocks is opened at once: what its words
 * say of all columns tells which blocks have matches, and how they are handed out. */
#include "query/spans.h"

#include "memory/bits.h"
#include "memory/lines.h"
#include "query/match.h"

enum {
    LONG = 8,    /* rows that justify a span: each span ends in a mispredicted branch */
    AT_ONCE = 16 /* a list with so many spans takes no further page */
};

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
    walk->scatters = walk->scattered != 0;
}

/* ---- Pages of runs -----------------------------------------------------------------------------------------------*/

/* Lists the values of a bit of a block, and those behind it, as span `n`. If there are many, prefetches the first ones;
 * the hardware continues from there. */
COVEY_HOT void list_values(covey_iter *it, const covey__page_list *list, uint32_t with, uint32_t n, uint32_t block,
                           uint32_t bit, bool many) {
    for (uint32_t i = 0; i < with; i++) {
        const covey__chunk *chunk = &list->pages[i]->chunks[block];
        char *values = chunk->data + (size_t)chunk->map[bit] * it->walk.view->types[i]->size;
        covey__list_in(it, i)[n] = values;
        for (size_t line = 0; many && line < 4; line++) covey__prefetch_line(values + line * 64);
    }
}

/* The ids of a block that match. */
COVEY_HOT uint64_t match_block(const covey__page_list *list, uint32_t with, uint32_t block) {
    uint64_t ids = UINT64_MAX;
    for (uint32_t i = 0; i < with; i++) ids &= list->pages[i]->masks[block];
    return ids;
}

static inline bool is_run(uint64_t bits) { return (bits & (bits + (bits & (0 - bits)))) == 0; }

COVEY_HOT bool list_runs(covey_iter *it, const covey__page_list *list, uint32_t with, uint32_t page, uint64_t blocks,
                         bool any) {
    const covey_view *view = it->walk.view;
    uint64_t full = UINT64_MAX, ordered = UINT64_MAX;
    uint64_t follows = UINT64_MAX; /* blocks whose values follow those of the block before them */
    for (uint32_t i = 0; i < with; i++) {
        blocks &= list->pages[i]->summary;
        full &= list->pages[i]->full;
        ordered &= list->pages[i]->ordered;
        if (view->types[i]->size != 0) follows &= list->pages[i]->joined << 1;
    }
    full &= blocks;
    if ((blocks & ~full & ~ordered) != 0) return false;
    uint64_t continued = full & follows & full << 1;
    uint32_t first = it->stop, n = first, longest = with > COVEY__FEW ? COVEY__PART : COVEY__BATCH;
    if (n + covey__bits_in(blocks & ~continued) > longest) return false;
    uint32_t end = COVEY_NONE; /* of the last span */
    int32_t credit = any ? COVEY__PAGE_BLOCKS : 1;
    for (uint64_t left = blocks; left != 0;) {
        uint32_t block = covey__lowest_bit(left), bit = 0, count = COVEY__BLOCK_IDS;
        bool is_full = (full >> block & 1) != 0;
        left &= left - 1;
        if (is_full) {
            uint32_t more = covey__lowest_bit(~(continued >> block >> 1));
            count += more * COVEY__BLOCK_IDS;
            left &= (UINT64_MAX - 1) << (block + more);
            credit++;
        } else {
            uint64_t ids = match_block(list, with, block);
            if (ids == 0) continue;
            if (!is_run(ids)) return false;
            bit = covey__lowest_bit(ids);
            count = covey__ones_from(ids, bit);
            if (count < LONG && --credit < 0) return false;
        }
        uint32_t row = page * COVEY__BLOCK_PAGE + block * COVEY__BLOCK_IDS + bit;
        if (row == end && (follows >> block & 1) != 0) {
            it->counts[n - 1] += count;
        } else {
            list_values(it, list, with, n, block, bit, is_full);
            it->rows[n] = row;
            it->counts[n++] = count;
        }
        end = row + count;
    }
    it->stop = n;
    return true;
}

/* Views of few fields, which are most, have their loops unrolled. */
bool covey__list_runs(covey_iter *it, const covey__page_list *list, uint32_t page, uint64_t blocks, bool any) {
    switch (list->count) {
    case 1: return list_runs(it, list, 1, page, blocks, any);
    case 2: return list_runs(it, list, 2, page, blocks, any);
    case 3: return list_runs(it, list, 3, page, blocks, any);
    default: return list_runs(it, list, list->count, page, blocks, any);
    }
}

/* Lists the spans of the next pages while their matches are runs. Returns false if there are none. */
static bool list_pages(covey_iter *it) {
    covey__walk *walk = &it->walk;
    covey__page_list list;
    it->stop = 0;
    list.count = walk->view->with;
    while (walk->next < walk->end && it->stop < AT_ONCE) {
        uint64_t blocks = covey__walk_blocks(walk, walk->next);
        for (uint32_t i = 0; i < list.count; i++) {
            list.pages[i] = covey__pool_page(walk->columns[i].pool, walk->next);
            blocks &= list.pages[i]->summary;
        }
        if (blocks != 0 && !covey__list_runs(it, &list, walk->next, blocks, false)) break;
        walk->next++;
        if (blocks == 0) walk->next = covey__page_from(walk, walk->next);
    }
    it->at = 0;
    it->count = it->counts[0];
    it->slotted = false;
    it->varies = true;
    it->ended = walk->next >= walk->end;
    return it->stop != 0;
}

/* ---- Other pages -------------------------------------------------------------------------------------------------*/

/* Opens the next page with matches, and plans it. Returns its blocks with matches; 0 at the end. */
static uint64_t open_page(covey_iter *it) {
    covey__page_list list;
    uint64_t blocks = it->walk.blocks = covey__open_page(it, &list);
    if (blocks != 0) covey__plan_blocks(it, it->walk.asks_more ? 0 : list.full);
    return blocks;
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
        covey__walk_renew(walk);
        if (!walk->asks_more && !walk->scatters && walk->most != 1 && list_pages(it)) return true;
        if (open_page(it) == 0) return false;
        if (covey__next_scattered(it)) return true;
    }
    uint64_t next = walk->blocks & (0 - walk->blocks);
    bool is_longer = walk->rest != 0 ? (walk->longer >> it->block & 1) != 0 : (walk->longer & next) != 0;
    return is_longer && list_spans(it);
}
