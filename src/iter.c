/* Iterating. Entities are found in batches of up to 64: the matches of a block of ids, where occupancy masks answer, or
 * positions that follow each other in the array of a sparse set. The steps from one span or row to the next are inline
 * in covey.h; here are those from one page, or batch, to the next, and the walks of views that have ticks to note, or
 * fields that may be missing. */
#include "view.h"

#include "bits.h"
#include "block_store.h"
#include "lines.h"
#include "match.h"
#include "observers.h"
#include "storage.h"
#include "tick.h"

enum {
    LONG = 8,        /* rows that are worth a span of their own: each span ends in a mispredicted branch */
    MOST_ALONG = 512 /* rows of a span whose values are looked up before the first is handed out */
};

static const uint8_t no_map[COVEY__BLOCK_IDS]; /* of a value that was looked up: it is the only one */

/* ---- Beginning ---------------------------------------------------------------------------------------------------*/

/* A number that grows when the world meets a type, or the first component of a type is disabled. */
static uint32_t known_to(const covey_world *world) { return world->pool_count + world->hiding; }

/* Whether it has since the iteration began: the types may be those of the view. */
static bool has_met_types(const covey_iter *it) { return it->pools != known_to(it->view->world); }

/* Finds out which terms can be disabled, for views that skip what is disabled. */
static void find_hidden(covey_iter *it) {
    const covey_world *world = it->view->world;
    bool components = world->hiding != 0 && (it->view->asks & COVEY__ASKS_COMPONENTS) == 0;
    it->hidden = (it->view->asks & COVEY__ASKS_ENTITIES) == 0 ? world->disabled : NULL;
    it->hides = it->hidden || (components && covey__may_hide(it->lead));
    for (uint32_t i = 0; components && i < covey__view_terms(it->view); i++)
        it->hides |= covey__may_hide(it->columns[i].pool);
    it->asks_more |= it->hides;
}

static void find_ticks(covey_iter *it) {
    for (uint32_t i = 0; i < it->view->fields; i++) {
        bool written = (it->view->reads >> i & 1) == 0, ticks = it->columns[i].pool && it->columns[i].pool->type->ticks;
        it->ticked |= (uint16_t)((written && ticks) << i);
    }
}

/* The pools of terms whose types the world did not know. */
static void find_pools(covey_iter *it) {
    const covey_view *view = it->view;
    it->pools = known_to(view->world);
    for (uint32_t i = 0; i < covey__view_terms(view); i++)
        if (!it->columns[i].pool) it->columns[i].pool = covey_pool_find_raw(view->world, view->types[i]);
    find_hidden(it);
    find_ticks(it);
}

static covey_iter begin(const covey_view *view) {
    covey_iter it;
    memset(&it, 0, offsetof(covey_iter, columns));
    it.view = view;
    for (uint32_t i = 0; i < COVEY__ROW_CHUNKS || i < covey__view_terms(view); i++)
        it.columns[i] = (covey__column){ .page = &covey__no_page };
    if (view->world) find_pools(&it);
    return it;
}

static bool all_known(const covey_iter *it) {
    for (uint32_t i = 0; i < it->view->with; i++)
        if (!it->columns[i].pool) return false;
    return it->view->world != NULL;
}

/* The smallest of the pools in which entities must be, or NULL. */
static const covey_pool *smallest(const covey_iter *it) {
    const covey_pool *found = NULL;
    for (uint32_t i = 0; i < it->view->with; i++) {
        const covey_pool *pool = it->columns[i].pool;
        if (!found || covey_pool_count(pool) < covey_pool_count(found)) found = pool;
    }
    return found;
}

/* The number of pages to walk: of the shortest directory of those in which entities must be. */
static uint32_t pages_to_walk(const covey_iter *it) {
    uint32_t end = covey__block_limit(it->view->world);
    if (it->lead && it->lead->blocks.page_count < end) end = it->lead->blocks.page_count;
    for (uint32_t i = 0; i < it->view->with; i++) {
        const covey_pool *pool = it->columns[i].pool;
        if (covey__in_blocks(pool) && pool->blocks.page_count < end) end = pool->blocks.page_count;
    }
    return end;
}

/* Whether all there is to do for a row is to find its fields. */
static bool is_plain(const covey_iter *it) { return it->view->with == it->view->fields && it->ticked == 0; }

/* Whether so many columns can be looked up for 64 rows at once. */
static bool are_few(uint32_t columns) { return covey__bits_in(columns) <= COVEY__LOOKED_UP; }

static void walk_ids(covey_iter *it) {
    const covey_view *view = it->view;
    uint32_t sparse = 0;
    for (uint32_t i = 0; i < view->with; i++) sparse |= (uint32_t)!covey__in_blocks(it->columns[i].pool) << i;
    bool plain = is_plain(it) && are_few(sparse);
    it->end = pages_to_walk(it);
    it->asks_more |= it->lead || view->with == 0 || view->without != 0 || !plain;
    it->mode = !plain ? COVEY__MODE_IDS : sparse != 0 ? COVEY__MODE_MIXED : COVEY__MODE_BLOCKS;
    it->looked_up = plain ? sparse : 0;
}

/* Looks up what does not lie beside the array. */
static void walk_array(covey_iter *it) {
    const covey_view *view = it->view;
    uint32_t others = ((1u << view->fields) - 1) & ~it->direct;
    bool plain = is_plain(it) && !it->hides && it->changed == 0 && are_few(others);
    it->mode = plain ? COVEY__MODE_ARRAY : COVEY__MODE_POSITIONS;
    it->array = it->set->ids;
    it->rows = COVEY__BLOCK_IDS;
    it->looked_up = plain ? others : 0;
    for (uint32_t i = view->fields; plain && !it->group && i < covey__view_terms(view); i++)
        it->excluded |= (uint32_t)(it->columns[i].pool != NULL) << i;
}

static void walk_set(covey_iter *it, const covey_pool *lead) {
    it->lead = lead;
    it->set = &lead->set;
    it->end = lead->set.end;
    it->refills = lead->set.policy == COVEY_SWAP_AND_POP || lead->set.policy == COVEY_SWAP_ONLY;
    for (uint32_t i = 0; i < it->view->with; i++) it->direct |= (uint32_t)(it->columns[i].pool == lead) << i;
    walk_array(it);
}

static void walk_by(covey_iter *it, const covey_pool *lead) {
    if (!lead || covey__in_blocks(lead)) walk_ids(it);
    else walk_set(it, lead);
}

covey_iter covey_view_iter_since(const covey_view *view, uint64_t tick) {
    covey_iter it = begin(view);
    if (!all_known(&it)) return it;
    it.since = tick;
    it.changed = tick != 0 ? view->changed : 0;
    it.asks_more |= it.changed != 0;
    walk_by(&it, smallest(&it));
    return it;
}

covey_iter covey_view_iter(const covey_view *view) { return covey_view_iter_since(view, 0); }

covey_iter covey_view_iter_by(const covey_view *view, const covey_pool *pool) {
    covey_iter it = begin(view);
    COVEY__CONTRACT(view->world, pool && (!view->world || pool->world == view->world), "the pool is not of the world");
    if (!all_known(&it)) return it;
    it.lead = pool;
    find_hidden(&it);
    walk_by(&it, pool);
    return it;
}

covey_iter covey_view_iter_list(const covey_view *view, const covey_entity *entities, uint32_t count) {
    covey_iter it = begin(view);
    if (!all_known(&it)) return it;
    it.mode = COVEY__MODE_POSITIONS;
    it.array = entities;
    it.end = count;
    return it;
}

covey_iter covey_group_iter(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    covey_iter it = begin(&group->view);
    it.hides = false; /* who is disabled is no member */
    it.group = group;
    it.set = group->owned != 0 ? &group->pools[0]->set : &group->set;
    it.direct = (1u << group->owned) - 1;
    it.end = covey_group_count(group);
    it.refills = true;
    walk_array(&it);
    return it;
}

/* The next page, seen with the types that the world knows by now. */
static uint64_t next_page(covey_iter *it, covey__page_list *list) {
    if (has_met_types(it)) find_pools(it);
    return covey__next_page(it, list);
}

uint64_t covey__next_row_page(covey_iter *it) {
    covey__page_list list;
    return next_page(it, &list);
}

/* ---- Spans of blocks ---------------------------------------------------------------------------------------------*/

/* Whether the runs of a mask are long enough, on average, to be worth a span each. */
static bool has_long_runs(uint64_t ids) {
    uint64_t begins = ids & ids >> 1;
    begins &= begins >> 2;
    begins &= begins >> 4; /* of LONG ids or more */
    return begins != 0 && covey__bits_in(ids & ~(ids << 1)) * LONG <= covey__bits_in(ids);
}

/* Those of some blocks in which all fields have the same ids, and nothing else. */
static uint64_t same_ids(const covey_iter *it, const covey__page_list *list, uint64_t blocks) {
    uint64_t found = 0;
    for (uint64_t left = blocks; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        uint64_t differ = 0;
        for (uint32_t i = 0; i < list->count; i++) differ |= list->pages[i]->masks[block] ^ it->matches[block];
        found |= (uint64_t)(differ == 0) << block;
    }
    return found;
}

/* Decides how the blocks of a page are handed out. */
static void sort_blocks(covey_iter *it, const covey__page_list *list, uint64_t blocks) {
    uint64_t direct = UINT64_MAX, joined = UINT64_MAX >> 1, ordered = UINT64_MAX, compact = UINT64_MAX;
    uint64_t full = list->full ? blocks : 0;
    for (uint32_t i = 0; i < list->count; i++) {
        const covey__block_page *page = list->pages[i];
        direct &= page->direct;
        compact &= ~page->direct;
        ordered &= page->ordered;
        if (it->columns[i].pool->size != 0) joined &= page->joined;
    }
    it->packed = list->count != 0 ? same_ids(it, list, blocks & ordered & compact) : 0;
    it->longer = it->packed | full;
    for (uint64_t left = blocks & ordered & ~it->longer; left != 0; left &= left - 1) {
        uint32_t block = covey__lowest_bit(left);
        full |= (uint64_t)(it->matches[block] == UINT64_MAX) << block;
        it->longer |= (uint64_t)has_long_runs(it->matches[block]) << block;
    }
    it->full = full & direct;
    it->joined = joined & it->full & it->full >> 1;
    it->blocks = blocks;
}

static covey__advance next_page_of_blocks(covey_iter *it) {
    covey__page_list list;
    uint64_t blocks = next_page(it, &list);
    if (blocks == 0) return COVEY__ADVANCE_END;
    sort_blocks(it, &list, blocks);
    return COVEY__ADVANCE_PAGE;
}

/* ---- Looking up --------------------------------------------------------------------------------------------------*/

/* A set whose values are in one array. */
static bool is_flat(const covey_pool *pool) { return !covey__in_blocks(pool) && !pool->set.paged; }

/* The value of an index, or NULL. */
static char *find(const covey_pool *pool, uint32_t index) {
    return covey__has_index(pool, index) ? covey__value_of_index(pool, index) : NULL;
}

/* The id of a row: that of a position in an array, or the number itself. */
static uint32_t index_at(const covey_entity *array, uint32_t number) { return array ? array[number].index : number; }

/* Looks up rows in a pool. Returns those that are there. */
static uint64_t look_up_in(const covey_pool *pool, const covey_entity *array, uint32_t base, uint64_t rows,
                           char **found) {
    uint64_t there = 0;
    for (uint64_t left = rows; left != 0; left &= left - 1) {
        uint32_t bit = covey__lowest_bit(left);
        found[bit] = find(pool, index_at(array, base + bit));
        there |= (uint64_t)(found[bit] != NULL) << bit;
    }
    return there;
}

static uint64_t rows_in(const covey_pool *pool, const covey_entity *array, uint32_t base, uint64_t rows) {
    uint64_t there = 0;
    for (uint64_t left = rows; left != 0; left &= left - 1) {
        uint32_t bit = covey__lowest_bit(left);
        there |= (uint64_t)covey__has_index(pool, index_at(array, base + bit)) << bit;
    }
    return there;
}

/* Looks up rows of a batch in the pools that the inline code does not ask. Returns those that may match. */
static uint64_t look_up(covey_iter *it, uint32_t base, uint64_t rows) {
    for (uint32_t left = it->looked_up; left != 0; left &= left - 1) {
        const covey__column *column = &it->columns[covey__lowest_bit(left)];
        rows &= look_up_in(column->pool, it->array, base, rows, column->found);
    }
    for (uint32_t left = it->excluded; left != 0; left &= left - 1)
        rows &= ~rows_in(it->columns[covey__lowest_bit(left)].pool, it->array, base, rows);
    return rows;
}

/* How many rows, from this one on, have their values side by side in a flat set: at most `most`. The first is there. */
static uint32_t run_in_set(const covey_sparse_set *set, const covey_entity *array, uint32_t base, uint32_t most) {
    const uintptr_t *pages = set->pages;
    uint32_t reach = set->page_count, at = covey__slot_position(*covey__slot_of(set, index_at(array, base))), run = 1;
    if (most > set->end - at) most = set->end - at;
    while (run < most) {
        uint32_t index = index_at(array, base + run);
        if (index / COVEY_PAGE_SIZE >= reach || covey__slot_position(*covey__slot_in(pages, index)) != at + run) break;
        run++;
    }
    return run;
}

static uint32_t run_in(const covey_pool *pool, const covey_entity *array, uint32_t base, uint32_t most, char **found) {
    char *value = find(pool, index_at(array, base));
    uint32_t run = 1;
    *found = value;
    if (!value) return 0;
    if (is_flat(pool)) return run_in_set(&pool->set, array, base, most);
    while (run < most && find(pool, index_at(array, base + run)) == value + (size_t)run * pool->size) run++;
    return run;
}

/* How many rows, from this one on, match, and have the values that are looked up side by side: at most `most`. */
static uint32_t run_of_values(covey_iter *it, uint32_t base, uint32_t most) {
    for (uint32_t left = it->looked_up; left != 0 && most != 0; left &= left - 1) {
        covey__column *column = &it->columns[covey__lowest_bit(left)];
        most = run_in(column->pool, it->array, base, most, &column->chunk.data);
    }
    for (uint32_t left = it->excluded; left != 0; left &= left - 1) {
        const covey_pool *pool = it->columns[covey__lowest_bit(left)].pool;
        uint32_t run = 0;
        while (run < most && !covey__has_index(pool, index_at(it->array, base + run))) run++;
        most = run;
    }
    return most;
}

/* Whether the inline code can look up all that has to be: one flat set. */
static bool is_quick(const covey_iter *it) {
    bool one = it->looked_up != 0 && (it->looked_up & (it->looked_up - 1)) == 0;
    return it->mode == COVEY__MODE_ARRAY && it->excluded == 0 && one &&
           is_flat(it->columns[covey__lowest_bit(it->looked_up)].pool);
}

/* Before a batch: how and where values are looked up. */
static void prepare_lookups(covey_iter *it) {
    uint32_t number = 0;
    for (uint32_t left = it->looked_up; left != 0; left &= left - 1) {
        covey__column *column = &it->columns[covey__lowest_bit(left)];
        const covey_sparse_set *set = &column->pool->set;
        column->chunk.map = no_map;
        column->found = is_quick(it) ? NULL : it->found[number++];
        if (is_quick(it))
            it->join =
                (covey__join){ set->pages, set->data, &column->chunk, column->pool->size, set->page_count, set->end };
    }
}

static void open_span(covey_iter *it, uint32_t base, uint32_t bit, uint32_t count) {
    it->base = base;
    it->bit = bit;
    it->count = count;
}

/* Hands out the next row of a batch. Returns false if none is left. */
static bool take_row(covey_iter *it) {
    while (it->at < it->stop) {
        if (covey__take_position(it)) return true;
        it->at++;
    }
    if (it->batch == 0) return false;
    covey__take_row(it);
    return true;
}

/* ---- Batches of an array -----------------------------------------------------------------------------------------*/

/* Points the columns that lie beside the array to a position. */
static void point_to(covey_iter *it, uint32_t at) {
    for (uint32_t left = it->direct; left != 0; left &= left - 1) {
        covey__column *column = &it->columns[covey__lowest_bit(left)];
        column->chunk = (covey__chunk){ covey__value_at(&column->pool->set, at, column->pool->size), covey__identity };
    }
}

static bool is_hole(const covey_iter *it, uint32_t at) { return it->set->holes != 0 && covey__is_hole(it->set, at); }

/* How many positions from this one on are without holes, and have their values side by side: at most `most`. */
static uint32_t run_of_positions(const covey_iter *it, uint32_t at, uint32_t most) {
    uint32_t run = 1;
    if (most > it->end - at) most = it->end - at;
    if (it->set->paged && most > COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE) most = COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE;
    if (it->set->holes == 0) return most;
    while (run < most && !is_hole(it, at + run)) run++;
    return run;
}

/* A batch of so many positions, from `next` on. Where it is quick, they are looked up when they are handed out; otherwise
 * here. Returns false at the end. */
static bool next_rows_of_array(covey_iter *it, uint32_t most) {
    bool quick = is_quick(it);
    while (it->next < it->end) {
        uint32_t at = it->next, count = 1;
        bool hole = is_hole(it, at);
        if (!hole) count = run_of_positions(it, at, most);
        it->next += count;
        if (hole) continue;
        point_to(it, at);
        open_span(it, at, 0, 1);
        it->at = at;
        it->stop = quick ? at + count : at;
        if (!quick) it->batch = look_up(it, at, UINT64_MAX >> (COVEY__BLOCK_IDS - count));
        if (quick || it->batch != 0) return true;
    }
    return false;
}

/* The next positions of an array: as a span, if their values follow each other in every column; otherwise one by one. */
static covey__advance next_positions(covey_iter *it) {
    bool alone = (it->looked_up | it->excluded) == 0;
    while (it->next < it->end && is_hole(it, it->next)) it->next++;
    if (it->next >= it->end) return COVEY__ADVANCE_END;
    uint32_t at = it->next, run = run_of_positions(it, at, alone ? it->end : MOST_ALONG);
    if (!alone) run = run_of_values(it, at, run);
    if (alone || run >= LONG) {
        point_to(it, at);
        open_span(it, at, 0, run);
        it->next += run;
        return COVEY__ADVANCE_SPAN;
    }
    return next_rows_of_array(it, COVEY__BLOCK_IDS) ? COVEY__ADVANCE_ROWS : COVEY__ADVANCE_END;
}

/* ---- Batches of a block ------------------------------------------------------------------------------------------*/

/* What is kept of a page: rows of a block that are still to come, the block, and the blocks behind it. */
enum { ROWS, BLOCK, BLOCKS };

/* Goes on to the next block with matches, if there are none left in this one. */
static bool reach_block(covey_iter *it) {
    covey__page_list list;
    if (it->kept[ROWS] != 0) return true;
    if (it->kept[BLOCKS] == 0) it->kept[BLOCKS] = next_page(it, &list);
    if (it->kept[BLOCKS] == 0) return false;
    it->kept[BLOCK] = covey__lowest_bit(it->kept[BLOCKS]);
    it->kept[BLOCKS] &= it->kept[BLOCKS] - 1;
    it->kept[ROWS] = it->matches[it->kept[BLOCK]];
    return true;
}

static uint32_t first_of_block(const covey_iter *it) {
    return it->first + (uint32_t)it->kept[BLOCK] * COVEY__BLOCK_IDS;
}

static uint32_t ones_from(uint64_t bits, uint32_t first) {
    uint64_t gap = ~(bits >> first);
    return gap != 0 ? covey__lowest_bit(gap) : COVEY__BLOCK_IDS;
}

static void take_from_block(covey_iter *it, uint32_t bit, uint32_t run) {
    it->kept[ROWS] &= bit + run == COVEY__BLOCK_IDS ? 0 : UINT64_MAX << (bit + run);
}

/* Points the columns in blocks to the block. Returns whether the values of all lie in the order of their ids. */
static bool point_to_block(covey_iter *it) {
    uint64_t block = it->kept[BLOCK];
    bool ordered = true;
    for (uint32_t i = 0; i < it->view->with; i++) {
        covey__column *column = &it->columns[i];
        if ((it->looked_up >> i & 1) != 0) continue;
        column->chunk = column->page->chunks[block];
        ordered &= column->page->ordered >> block & 1;
    }
    return ordered;
}

/* The rows that are left of a block, as a batch, or those of a later one. Returns false at the end. */
static bool next_rows_of_block(covey_iter *it) {
    it->batch = 0;
    while (it->batch == 0 && reach_block(it)) {
        point_to_block(it);
        open_span(it, first_of_block(it), 0, 1);
        it->batch = look_up(it, first_of_block(it), it->kept[ROWS]);
        it->kept[ROWS] = 0;
    }
    return it->batch != 0;
}

/* The next ids of a block, of which some fields are looked up: as a span, if their values follow each other in every
 * column; otherwise one by one. */
static covey__advance next_mixed(covey_iter *it) {
    if (!reach_block(it)) return COVEY__ADVANCE_END;
    uint32_t first = first_of_block(it), bit = covey__lowest_bit(it->kept[ROWS]), run = ones_from(it->kept[ROWS], bit);
    bool ordered = point_to_block(it);
    if (ordered && run >= LONG) run = run_of_values(it, first + bit, run);
    if (ordered && run >= LONG) {
        open_span(it, first, bit, run);
        take_from_block(it, bit, run);
        return COVEY__ADVANCE_SPAN;
    }
    return next_rows_of_block(it) ? COVEY__ADVANCE_ROWS : COVEY__ADVANCE_END;
}

/* ---- Fields that may be missing, and ticks -----------------------------------------------------------------------*/

/* Gives a column one value for the whole span, or none. */
static void point_to_value(covey__column *column, uint32_t index, bool hides) {
    char *value = covey__counts(column->pool, index, hides) ? covey__value_of_index(column->pool, index) : NULL;
    column->chunk = (covey__chunk){ value, covey__identity };
}

/* Whether the value of an index is the next but so many of a column, or it has none, as the first. */
static bool follows_in(const covey__column *column, uint32_t index, uint32_t run, bool hides) {
    const covey_pool *pool = column->pool;
    if (!column->chunk.data) return !covey__counts(pool, index, hides);
    return covey__counts(pool, index, hides) &&
           covey__value_of_index(pool, index) == column->chunk.data + (size_t)run * pool->size;
}

/* How far all columns go from a row on: values that follow each other, or rows without any; at most `most`. */
COVEY_HOT uint32_t run_of_columns(covey_iter *it, uint32_t base, uint32_t most, bool hides) {
    for (uint32_t i = 0; i < it->view->fields; i++) {
        covey__column *column = &it->columns[i];
        uint32_t run = 1;
        point_to_value(column, index_at(it->array, base), hides);
        while (run < most && follows_in(column, index_at(it->array, base + run), run, hides)) run++;
        most = run;
    }
    return most;
}

static bool next_span_of_ids(covey_iter *it) {
    if (!reach_block(it)) return false;
    uint32_t bit = covey__lowest_bit(it->kept[ROWS]), run = ones_from(it->kept[ROWS], bit);
    uint32_t id = first_of_block(it) + bit;
    run = it->hides ? run_of_columns(it, id, run, true) : run_of_columns(it, id, run, false);
    open_span(it, id, 0, run);
    take_from_block(it, bit, run);
    return true;
}

static bool matches_at(const covey_iter *it, uint32_t at) {
    bool there = it->set ? !is_hole(it, at) : covey_alive(it->view->world, it->array[at]);
    return there && (it->group || covey__matches(it, it->array[at].index));
}

static bool next_span_of_array(covey_iter *it) {
    while (it->next < it->end && !matches_at(it, it->next)) it->next++;
    if (it->next >= it->end) return false;
    uint32_t at = it->next, most = it->end - at, run = 1;
    if (most > MOST_ALONG) most = MOST_ALONG;
    most = it->hides ? run_of_columns(it, at, most, true) : run_of_columns(it, at, most, false);
    while (run < most && matches_at(it, at + run)) run++;
    open_span(it, at, 0, run);
    it->next += run;
    return true;
}

/* Whether only ticks keep a view from being walked by blocks. */
static bool is_only_noted(const covey_iter *it) {
    bool in_blocks = it->view->with == it->view->fields;
    for (uint32_t i = 0; i < it->view->with; i++) in_blocks &= covey__in_blocks(it->columns[i].pool);
    return in_blocks;
}

/* The same spans as without ticks. What is still to come is kept from the inline code, so that each span comes here. */
static bool next_noted_span(covey_iter *it) {
    it->left = it->kept[0];
    it->run = it->kept[1];
    it->blocks = it->kept[2];
    it->mode = COVEY__MODE_BLOCKS;
    bool more = covey__next_span(it);
    it->mode = COVEY__MODE_IDS;
    it->kept[0] = it->left;
    it->kept[1] = it->run;
    it->kept[2] = it->blocks;
    it->left = it->run = it->blocks = 0;
    return more;
}

/* Notes a change of each value of a column that the span hands out. */
static void note_span(const covey_iter *it, const covey_pool *pool) {
    bool packed = (it->packed >> it->block & 1) != 0;
    if (packed) covey__ticks_note_block(pool, it->base);
    else if (!it->array) covey__ticks_note_run(pool, it->base + it->bit, it->count);
    for (uint32_t row = 0; it->array && row < it->count; row++)
        covey__ticks_note(pool, it->array[it->base + row].index);
}

static bool next_closely(covey_iter *it) {
    bool ids = it->mode == COVEY__MODE_IDS;
    bool more = ids && is_only_noted(it) ? next_noted_span(it) : ids ? next_span_of_ids(it) : next_span_of_array(it);
    for (uint32_t left = more ? it->ticked : 0; left != 0; left &= left - 1) {
        const covey__column *column = &it->columns[covey__lowest_bit(left)];
        if (column->chunk.data) note_span(it, column->pool);
    }
    return more;
}

/* ---- Next --------------------------------------------------------------------------------------------------------*/

/* Remembers who is the last of those to visit. */
static void note_last(covey_iter *it) { it->last = it->end != 0 ? it->set->ids[it->end - 1].index : COVEY_NONE; }

/* Before the first batch of an array, which may have changed since the iteration was made. */
static void begin_array(covey_iter *it) {
    it->array = it->set->ids;
    if (it->end > it->set->end) it->end = it->set->end;
    note_last(it);
}

static covey__advance next_batch(covey_iter *it) {
    prepare_lookups(it);
    switch (it->mode) {
    case COVEY__MODE_NOTHING: return COVEY__ADVANCE_END;
    case COVEY__MODE_BLOCKS: return next_page_of_blocks(it);
    case COVEY__MODE_MIXED: return next_mixed(it);
    case COVEY__MODE_ARRAY: return next_positions(it);
    default: return next_closely(it) ? COVEY__ADVANCE_SPAN : COVEY__ADVANCE_END;
    }
}

covey__advance covey__next_batch(covey_iter *it) {
    covey__advance advance = COVEY__ADVANCE_ROWS;
    if (it->set && it->next == 0) begin_array(it);
    while (advance == COVEY__ADVANCE_ROWS) {
        if (take_row(it)) return COVEY__ADVANCE_SPAN;
        advance = next_batch(it);
    }
    if (advance == COVEY__ADVANCE_END) it->count = 0;
    return advance;
}

uint32_t covey__check_field(const covey_iter *it, uint32_t field, const covey_type *type, const char *file, int line) {
    const covey_view *view = it->view;
    bool right =
        field < view->fields && (view->types[field] == type || strcmp(view->types[field]->name, type->name) == 0);
    if (!right) covey__contract_broken(view->world, "the field is not of this type", file, line);
    return field;
}

/* ---- Rows --------------------------------------------------------------------------------------------------------*/

/* Whether the last of those to visit is still where it was. */
static bool last_stays(const covey_iter *it) {
    return it->end <= it->set->end && it->set->ids[it->end - 1].index == it->last;
}

/* Values have moved since the last row, so that those of the batch are looked up again. If the row's entity has left an
 * array, the last of those to visit may have taken its place: then it comes next, and there is one less. */
void covey__rows_moved(covey_iter *it, covey_entity e) {
    const covey_sparse_set *set = it->set;
    uint32_t position = it->base + it->bit;
    if (!it->array) it->kept[ROWS] = it->batch;
    it->batch = 0;
    it->at = it->stop = 0;
    it->rows = 1; /* batches are short where values move, so that few rows are looked up in vain */
    if (!set) return;
    bool stays = position < set->end && set->ids[position].index == e.index;
    it->next = position + 1;
    if (stays || !it->refills || last_stays(it)) return;
    it->next = position;
    it->end--;
    note_last(it);
}

/* The next position that matches, as a batch of its own. */
static bool next_row_closely(covey_iter *it) {
    while (it->next < it->end && !matches_at(it, it->next)) it->next++;
    if (it->next >= it->end) return false;
    open_span(it, it->next++, 0, 1);
    it->batch = 1;
    return true;
}

/* The fields whose values do not move unnoticed. Those of a block do within it, which only its map tells. */
static uint32_t steady_fields(const covey_iter *it) {
    uint32_t steady = 0;
    for (uint32_t i = 0; i < it->view->fields; i++) {
        bool mapped = (it->looked_up >> i & 1) == 0;
        steady |= (uint32_t)(mapped || !covey__in_blocks(it->columns[i].pool)) << i;
    }
    return it->mode == COVEY__MODE_MIXED || it->mode == COVEY__MODE_ARRAY ? steady : 0;
}

/* Goes on to the next batch. Returns false at the end. */
static bool next_batch_of_rows(covey_iter *it) {
    if (has_met_types(it)) find_pools(it);
    if (it->set && it->next == 0) begin_array(it);
    if (it->set) it->array = it->set->ids;
    prepare_lookups(it);
    it->steady = steady_fields(it);
    if (it->mode == COVEY__MODE_POSITIONS) return next_row_closely(it);
    if (!it->set) return next_rows_of_block(it);
    uint32_t rows = it->rows;
    it->rows = rows * 2 < COVEY__BLOCK_IDS ? rows * 2 : COVEY__BLOCK_IDS;
    return next_rows_of_array(it, rows);
}

bool covey__next_rows(covey_iter *it) {
    if (it->mode == COVEY__MODE_NOTHING) return false;
    while (!take_row(it))
        if (!next_batch_of_rows(it)) return false;
    return true;
}

/* The value of a component that is there, of a pool in which some may be disabled, or have ticks: NULL if it need not be
 * there and is disabled. Notes a change if it may be written. */
static COVEY__NOINLINE void *watched_value(const covey_iter *it, const covey_pool *pool, uint32_t index,
                                           uint32_t field) {
    const covey_view *view = it->view;
    bool asked = field < view->with || (view->asks & COVEY__ASKS_COMPONENTS) != 0;
    if (!asked && covey__is_off(pool, index)) return NULL;
    if (pool->type->ticks && (view->reads >> field & 1) == 0) covey__ticks_note(pool, index);
    return covey__value_of_index(pool, index);
}

/* Of a type that the world did not know when the iteration began, or when the page did. */
static COVEY__NOINLINE void *late_value(const covey_iter *it, uint32_t index, uint32_t field) {
    const covey_pool *pool = has_met_types(it) ? covey_pool_find_raw(it->view->world, it->view->types[field]) : NULL;
    return covey__has_index(pool, index) ? watched_value(it, pool, index, field) : NULL;
}

void *covey__row_value(const covey_iter *it, uint32_t index, uint32_t field) {
    const covey_pool *pool = it->columns[field].pool;
    if (!COVEY__LIKELY(pool != NULL)) return late_value(it, index, field);
    if (!covey__has_index(pool, index)) return NULL;
    bool closely = (pool->uses & COVEY__USE_CLOSELY) != 0;
    return !COVEY__LIKELY(!closely) ? watched_value(it, pool, index, field) : covey__value_of_index(pool, index);
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

static uint32_t count_positions(const covey_iter *it) {
    uint32_t count = 0;
    for (uint32_t at = 0; at < it->end; at++) count += matches_at(it, at);
    return count;
}

uint32_t covey_view_count(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
    uint32_t count = 0;
    if (it.mode == COVEY__MODE_NOTHING) return 0;
    if (it.set) return count_positions(&it);
    it.asks_more |= it.looked_up != 0; /* which need not be: masks are enough */
    it.looked_up = 0;
    for (uint64_t blocks = covey__next_row_page(&it); blocks != 0; blocks = covey__next_row_page(&it))
        for (; blocks != 0; blocks &= blocks - 1) count += covey__bits_in(it.matches[covey__lowest_bit(blocks)]);
    return count;
}

covey_entity covey_view_first(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
    it.ticked = 0; /* nobody writes */
    return covey__next_span(&it) ? covey_span_entity(&it, 0) : (covey_entity){ 0, 0 };
}

bool covey_view_contains(const covey_view *view, covey_entity e) {
    covey_iter it = begin(view);
    return view->world && covey_alive(view->world, e) && covey__matches(&it, e.index);
}
