/* The matches of an iteration, in batches. Where the values of matches are contiguous in all columns, a batch is one
 * span. Where they are scattered, the inline code hands them out one by one: either the rows of a block, whose fields
 * it finds itself, or a list of rows with the addresses of their fields, found here in loops without data-dependent
 * branches. */
#include "query/batch.h"

#include "memory/bits.h"
#include "storage/block_store.h"
#include "memory/lines.h"
#include "query/match.h"
#include "query/spans.h"
#include "observe/observers.h"
#include "storage/storage.h"
#include "observe/filing.h"
#include "observe/tick.h"
#include "query/view.h"
#include "query/walk.h"

enum {
    LONG = 8,                                 /* rows that justify a span */
    AT_ONCE = 32,                             /* handles that are compared without a branch */
    ENOUGH = COVEY__BATCH - COVEY__BLOCK_IDS, /* a list with this many rows takes no further block */
    MOST_ALONG = 512                          /* rows of a span whose values are looked up before it is handed out */
};

/* ---- Handing out -------------------------------------------------------------------------------------------------*/

static void set_value(covey_iter *it, uint32_t field, char *value) { *covey__list_in(it, field) = value; }

/* Hands out this many spans, or none. */
static bool hand_out(covey_iter *it, uint32_t spans, uint32_t rows_of_first) {
    it->at = 0;
    it->stop = spans;
    it->count = rows_of_first;
    return spans != 0;
}

static bool hand_out_span(covey_iter *it, uint32_t row, uint32_t count) {
    it->rows[0] = row;
    return hand_out(it, 1, count);
}

static bool hand_out_list(covey_iter *it, uint32_t rows) { return hand_out(it, rows, 1); }

/* The values of rows that are visited like those of a block begin where the first entries of the lists say. */
static void set_chunks(covey_iter *it) {
    for (uint32_t i = 0; i < it->walk.view->fields; i++)
        it->walk.columns[i].chunk = (covey__chunk){ *covey__list_in(it, i), covey__identity };
}

/* Lists such rows from a number on, at most a block of them. */
static bool hand_out_flat(covey_iter *it, uint32_t first, uint32_t count) {
    it->rows[0] = first;
    if (it->walk.array) memcpy(it->ids, it->walk.array + first, count * sizeof *it->ids);
    for (uint32_t k = 0; !it->walk.array && k < count; k++) it->ids[k] = covey__entity(first + k, 0);
    it->flat = UINT64_MAX >> (COVEY__BLOCK_IDS - count);
    return hand_out_list(it, count);
}

/* Lists the next of the positions that are known to have contiguous values. */
static bool list_along(covey_iter *it) {
    covey__walk *walk = &it->walk;
    uint32_t first = walk->next, count = walk->along < COVEY__BLOCK_IDS ? walk->along : COVEY__BLOCK_IDS;
    walk->along -= count;
    walk->next += count;
    it->ended = walk->next >= walk->end;
    return hand_out_flat(it, first, count);
}

bool covey__list_flat(covey_iter *it, uint32_t count) {
    set_chunks(it);
    it->walk.along = count;
    return list_along(it);
}

bool covey__list_along(covey_iter *it) {
    for (uint32_t i = 0; i < it->walk.view->fields; i++)
        it->walk.columns[i].chunk.data += (size_t)COVEY__BLOCK_IDS * it->walk.columns[i].pool->size;
    return list_along(it);
}

/* The id of a row: the id at a position of an array, or the number itself. */
COVEY_HOT uint32_t index_at(const covey_entity *array, uint32_t number) { return array ? array[number].index : number; }

/* The lowest `count` bits of a mask. */
static uint64_t first_bits(uint64_t bits, uint32_t count) {
    uint64_t rest = bits;
    while (count-- != 0) rest &= rest - 1;
    return bits & ~rest;
}

/* ---- Looking up --------------------------------------------------------------------------------------------------*/

/* Whether the values of a set are one array. */
static bool is_flat(const covey_pool *pool) { return !covey__in_blocks(pool) && !pool->sparse_set.paged; }

/* The value of an index, or NULL. */
static char *value_or_null(const covey_pool *pool, uint32_t index) {
    return covey__has_index(pool, index) ? covey__value_of_index(pool, index) : NULL;
}

/* The fields that a lookup reads, of a pool in blocks or of a flat set. */
typedef struct lookup {
    const covey__block_store *blocks; /* or NULL */
    const uintptr_t *pages;
    uintptr_t data;
    size_t size;
    uint32_t reach, end;
} lookup;

static lookup lookup_in_blocks(const covey_pool *pool) {
    return (lookup){ .blocks = &pool->block_store, .size = pool->size };
}

static lookup lookup_in_set(const covey_pool *pool) {
    const covey_sparse_set *set = &pool->sparse_set;
    return (lookup){ NULL, set->pages, (uintptr_t)set->data, pool->size, set->page_count, set->end };
}

/* Whether an index is present; then *value is its address, which is prefetched. */
COVEY_HOT bool look_at(const lookup *in, uint32_t index, char **value) {
    if (in->blocks) {
        if (!covey__block_has(in->blocks, index)) return false;
        *value = covey__block_value(in->blocks, index, in->size);
        covey__prefetch_line(*value);
        return true;
    }
    uint32_t at = COVEY_NONE;
    if (COVEY__LIKELY(index / COVEY_PAGE_SIZE < in->reach))
        at = covey__slot_position(*covey__slot_in(in->pages, index));
    *value = (char *)(in->data + at * in->size);
    covey__prefetch_line(*value);
    return at < in->end;
}

/* Lists the positions of an array that are in a pool; returns how many. A separate function for each kind keeps its
 * variables in registers. */
COVEY_HOT uint32_t list_array(lookup in, const covey_entity *array, uint32_t first, uint32_t count, uint32_t *rows,
                              char **found) {
    uint32_t n = 0;
    for (uint32_t row = first; row < first + count; row++) {
        rows[n] = row;
        n += look_at(&in, array[row].index, &found[n]);
    }
    return n;
}

/* Lists the addresses of the values at all positions of an array, if a pool has all of them. Otherwise returns
 * false. */
COVEY_HOT bool list_all(lookup in, const covey_entity *array, uint32_t count, char **found) {
    uint32_t hits = 0;
    for (uint32_t k = 0; k < count; k++) hits += look_at(&in, array[k].index, &found[k]);
    return hits == count;
}

static COVEY__NOINLINE bool list_all_in_set(const covey_pool *pool, const covey_entity *array, uint32_t count,
                                            char **found) {
    return list_all(lookup_in_set(pool), array, count, found);
}

static COVEY__NOINLINE uint32_t list_array_in_set(const covey_pool *pool, const covey_entity *array, uint32_t first,
                                                  uint32_t count, uint32_t *rows, char **found) {
    return list_array(lookup_in_set(pool), array, first, count, rows, found);
}

static COVEY__NOINLINE uint32_t list_array_in_blocks(const covey_pool *pool, const covey_entity *array, uint32_t first,
                                                     uint32_t count, uint32_t *rows, char **found) {
    return list_array(lookup_in_blocks(pool), array, first, count, rows, found);
}

/* Lists ids that are in a flat set, from `n` on: the bits of a word whose lowest id is `first`. Returns the new
 * length. */
static COVEY__NOINLINE uint32_t list_bits_in_set(const covey_pool *pool, uint32_t first, uint64_t bits, uint32_t *rows,
                                                 char **found, uint32_t n) {
    lookup in = lookup_in_set(pool);
    for (; bits != 0; bits &= bits - 1) {
        uint32_t row = first + covey__lowest_bit(bits);
        rows[n] = row;
        n += look_at(&in, row, &found[n]);
    }
    return n;
}

/* Looks up a list of rows in a pool. Returns how many are present; the others get NULL. */
COVEY_HOT uint32_t find_list(lookup in, const covey_entity *array, const uint32_t *rows, uint32_t count, char **found) {
    uint32_t hits = 0;
    for (uint32_t k = 0; k < count; k++) {
        char *value = NULL;
        uintptr_t there = look_at(&in, index_at(array, rows[k]), &value);
        found[k] = (char *)((uintptr_t)value & (0 - there));
        hits += (uint32_t)there;
    }
    return hits;
}

/* Most lists are like the one before them: where that was complete, this one is expected to be. */
static bool may_have_all(const covey_iter *it, uint32_t column) {
    return (it->walk.lacking >> column & 1) == 0 && it->walk.array && is_flat(it->walk.columns[column].pool);
}

static void note_lacking(covey_iter *it, uint32_t column, bool lacks) {
    it->walk.lacking = (it->walk.lacking & ~(1u << column)) | (uint32_t)lacks << column;
}

static bool rows_follow(const uint32_t *rows, uint32_t count) {
    return count != 0 && rows[count - 1] - rows[0] == count - 1;
}

static uint32_t find_each(const covey_iter *it, uint32_t column, uint32_t count, char **found) {
    const covey_pool *pool = it->walk.columns[column].pool;
    const uint32_t *rows = it->rows;
    uint32_t hits = 0;
    if (covey__in_blocks(pool)) return find_list(lookup_in_blocks(pool), it->walk.array, rows, count, found);
    if (is_flat(pool) && it->walk.array) return find_list(lookup_in_set(pool), it->walk.array, rows, count, found);
    if (is_flat(pool)) return find_list(lookup_in_set(pool), NULL, rows, count, found);
    for (uint32_t k = 0; k < count; k++) {
        found[k] = value_or_null(pool, index_at(it->walk.array, rows[k]));
        hits += found[k] != NULL;
    }
    return hits;
}

/* Looks up the rows of the list in a column. Returns how many are present. */
static uint32_t find_rows(covey_iter *it, uint32_t column, uint32_t count) {
    char **found = covey__list_in(it, column);
    bool expected = may_have_all(it, column) && rows_follow(it->rows, count);
    if (expected && list_all_in_set(it->walk.columns[column].pool, it->walk.array + it->rows[0], count, found))
        return count;
    uint32_t hits = find_each(it, column, count, found);
    note_lacking(it, column, hits != count);
    return hits;
}

/* Moves a row within a list: its number, and its fields of these columns. */
static void move_row(covey_iter *it, uint32_t columns, uint32_t from, uint32_t to) {
    it->rows[to] = it->rows[from];
    for (; columns != 0; columns &= columns - 1) {
        char **values = covey__list_in(it, covey__lowest_bit(columns));
        values[to] = values[from];
    }
}

/* Keeps the rows that a column has, or that are absent from a pool. Both return how many remain. */
static uint32_t keep_found(covey_iter *it, uint32_t column, uint32_t columns, uint32_t count) {
    char *const *found = covey__list_in(it, column);
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool there = found[k] != NULL;
        move_row(it, columns, k, kept);
        kept += there;
    }
    return kept;
}

static uint32_t keep_absent(covey_iter *it, const covey_pool *pool, uint32_t columns, uint32_t count) {
    uint32_t kept = 0;
    for (uint32_t k = 0; k < count; k++) {
        bool there = covey__has_index(pool, index_at(it->walk.array, it->rows[k]));
        move_row(it, columns, k, kept);
        kept += !there;
    }
    return kept;
}

/* Looks up a list of rows in all columns not done yet, and keeps the matches. Returns how many there are. */
static uint32_t look_up(covey_iter *it, uint32_t done, uint32_t count) {
    uint32_t columns = done;
    for (uint32_t left = it->walk.excluded; left != 0; left &= left - 1)
        count = keep_absent(it, it->walk.columns[covey__lowest_bit(left)].pool, columns, count);
    for (uint32_t left = it->walk.looked_up & ~done; left != 0; left &= left - 1) {
        uint32_t column = covey__lowest_bit(left);
        uint32_t hits = find_rows(it, column, count);
        columns |= 1u << column;
        if (hits != count) count = keep_found(it, column, columns, count);
    }
    return count;
}

/* How many handles from two places on are the same, up to `most`. The first ones are. Runs that are not long may be
 * longer than this says. */
static uint32_t run_of_same(const covey_entity *a, const covey_entity *b, uint32_t most) {
    uint32_t run = 0;
    if (most >= LONG && covey__word(a[LONG - 1]) != covey__word(b[LONG - 1])) return 1;
    if (most > AT_ONCE && memcmp(a, b, most * sizeof *a) == 0) return most;
    while (run + AT_ONCE <= most && memcmp(a + run, b + run, AT_ONCE * sizeof *a) == 0) run += AT_ONCE;
    while (run < most && covey__word(a[run]) == covey__word(b[run])) run++;
    return run;
}

/* Whether AT_ONCE handles have consecutive indices. */
static bool are_consecutive(const covey_entity *handles, uint32_t index) {
    uint32_t differ = 0;
    for (uint32_t i = 0; i < AT_ONCE; i += 4) {
        differ |= handles[i].index ^ (index + i);
        differ |= handles[i + 1].index ^ (index + i + 1);
        differ |= handles[i + 2].index ^ (index + i + 2);
        differ |= handles[i + 3].index ^ (index + i + 3);
    }
    return differ == 0;
}

uint32_t covey__run_of_indices(const covey_entity *handles, uint32_t index, uint32_t most) {
    uint32_t run = 0;
    while (run + AT_ONCE <= most && are_consecutive(handles + run, index + run)) run += AT_ONCE;
    while (run < most && handles[run].index == index + run) run++;
    return run;
}

/* How many rows from this one on have contiguous values in a flat set, up to `most`. The first is present. The handles
 * of the set tell it, unless some of them are holes. */
static uint32_t run_in_set(const covey_sparse_set *set, const covey_entity *array, uint32_t row, uint32_t most) {
    const uintptr_t *pages = set->pages;
    uint32_t reach = set->page_count, at = covey__slot_position(*covey__slot_of(set, index_at(array, row))), run = 1;
    if (most > set->end - at) most = set->end - at;
    if (set->holes == 0)
        return array ? run_of_same(array + row, set->ids + at, most) : covey__run_of_indices(set->ids + at, row, most);
    while (run < most) {
        uint32_t index = index_at(array, row + run);
        if (index / COVEY_PAGE_SIZE >= reach || covey__slot_position(*covey__slot_in(pages, index)) != at + run) break;
        run++;
    }
    return run;
}

static uint32_t run_in(const covey_pool *pool, const covey_entity *array, uint32_t row, uint32_t most,
                       const char *value) {
    uint32_t run = 1;
    if (!value) return 0;
    if (is_flat(pool)) return run_in_set(&pool->sparse_set, array, row, most);
    while (run < most && value_or_null(pool, index_at(array, row + run)) == value + (size_t)run * pool->size) run++;
    return run;
}

/* How many rows from this one on match and have contiguous values in the columns that are looked up, up to `most`. */
static uint32_t run_of_values(covey_iter *it, uint32_t row, uint32_t most) {
    for (uint32_t left = it->walk.looked_up; left != 0 && most != 0; left &= left - 1) {
        uint32_t column = covey__lowest_bit(left);
        const covey_pool *pool = it->walk.columns[column].pool;
        char *value = value_or_null(pool, index_at(it->walk.array, row));
        set_value(it, column, value);
        most = run_in(pool, it->walk.array, row, most, value);
    }
    for (uint32_t left = it->walk.excluded; left != 0; left &= left - 1) {
        const covey_pool *pool = it->walk.columns[covey__lowest_bit(left)].pool;
        uint32_t run = 0;
        while (run < most && !covey__has_index(pool, index_at(it->walk.array, row + run))) run++;
        most = run;
    }
    return most;
}

/* ---- Positions of an array ---------------------------------------------------------------------------------------*/

static bool is_hole(const covey_iter *it, uint32_t at) {
    return it->walk.set->holes != 0 && covey__is_hole(it->walk.set, at);
}

void covey__note_last(covey_iter *it) {
    it->walk.last = it->walk.end != 0 ? it->walk.set->ids[it->walk.end - 1].index : COVEY_NONE;
}

void covey__array_begin(covey_iter *it) {
    it->walk.array = it->walk.set->ids;
    it->walk.begun = true;
    if (it->walk.end > it->walk.set->end) it->walk.end = it->walk.set->end;
}

/* How many positions from this one on have no holes and contiguous values, up to `most`. */
static uint32_t run_of_positions(const covey_iter *it, uint32_t at, uint32_t most) {
    uint32_t run = 1;
    if (most > it->walk.end - at) most = it->walk.end - at;
    if (it->walk.set->paged && most > COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE)
        most = COVEY_PAGE_SIZE - at % COVEY_PAGE_SIZE;
    if (it->walk.set->holes == 0) return most;
    while (run < most && !is_hole(it, at + run)) run++;
    return run;
}

/* Advances to the next position that is no hole. Returns false at the end. */
static bool reach_position(covey_iter *it) {
    while (it->walk.next < it->walk.end && is_hole(it, it->walk.next)) it->walk.next++;
    return it->walk.next < it->walk.end;
}

/* Notes consecutive positions as those of a list. Four at a time, of which some may be behind its end: compilers
 * vectorise that. */
static void list_rows_from(covey_iter *it, uint32_t first, uint32_t count) {
    uint32_t *rows = it->rows;
    for (uint32_t k = 0; k < count; k += 4, rows += 4, first += 4) {
        rows[0] = first;
        rows[1] = first + 1;
        rows[2] = first + 2;
        rows[3] = first + 3;
    }
}

static uint32_t list_in_set(covey_iter *it, uint32_t column, uint32_t first, uint32_t count) {
    const covey_pool *pool = it->walk.columns[column].pool;
    const covey_entity *array = it->walk.array;
    char **found = covey__list_in(it, column);
    if (may_have_all(it, column) && list_all_in_set(pool, array + first, count, found)) {
        list_rows_from(it, first, count);
        return count;
    }
    uint32_t hits = list_array_in_set(pool, array, first, count, it->rows, found);
    note_lacking(it, column, hits != count);
    return hits;
}

/* Lists the positions that are present in the first column that is looked up, up to a number. Returns how many; *done
 * is that column. */
static uint32_t list_first(covey_iter *it, uint32_t first, uint32_t count, uint32_t *done) {
    uint32_t column = it->walk.looked_up != 0 ? covey__lowest_bit(it->walk.looked_up) : 0;
    const covey_pool *pool = it->walk.columns[column].pool;
    *done = it->walk.looked_up & (0 - it->walk.looked_up);
    if (*done != 0 && covey__in_blocks(pool))
        return list_array_in_blocks(pool, it->walk.array, first, count, it->rows, covey__list_in(it, column));
    if (*done != 0 && !pool->sparse_set.paged) return list_in_set(it, column, first, count);
    list_rows_from(it, first, count);
    *done = 0;
    return count;
}

/* Lists values that follow each other. */
static void list_side_by_side(char **values, char *data, uint32_t count, size_t size) {
    uintptr_t value = (uintptr_t)data;
    for (uint32_t k = 0; k < count; k += 4, values += 4, value += 4 * size) {
        values[0] = (char *)value;
        values[1] = (char *)(value + size);
        values[2] = (char *)(value + 2 * size);
        values[3] = (char *)(value + 3 * size);
    }
}

/* Sets the fields of listed positions that are parallel to the array. They are within one page, if there are pages. */
static void list_beside(covey_iter *it, uint32_t count) {
    uint32_t first = it->rows[0];
    bool follow = rows_follow(it->rows, count);
    for (uint32_t left = it->walk.direct; left != 0; left &= left - 1) {
        const covey_pool *pool = it->walk.columns[covey__lowest_bit(left)].pool;
        char **values = covey__list_in(it, covey__lowest_bit(left)),
             *value = covey__value_at(&pool->sparse_set, first, pool->size);
        size_t size = pool->size;
        if (follow) list_side_by_side(values, value, count, size);
        for (uint32_t k = 0; k < count && !follow; k++) values[k] = value + (it->rows[k] - first) * size;
    }
}

/* Puts the values of a position into the first entries of the lists, for columns that are parallel to the array. */
static void set_values_at(covey_iter *it, uint32_t at) {
    for (uint32_t left = it->walk.direct; left != 0; left &= left - 1) {
        const covey_pool *pool = it->walk.columns[covey__lowest_bit(left)].pool;
        set_value(it, covey__lowest_bit(left), covey__value_at(&pool->sparse_set, at, pool->size));
    }
}

/* Whether rows whose values are contiguous are handed out without a list: they are long enough, or all that is left. */
static bool is_long(const covey_iter *it, uint32_t run) {
    return run >= LONG || (run != 0 && it->walk.next + run == it->walk.end);
}

/* Rows from the current position on, if their values are contiguous in all columns. False if they are not, or at the
 * end. */
static bool list_flat_positions(covey_iter *it) {
    if (!reach_position(it)) return false;
    bool alone = (it->walk.looked_up | it->walk.excluded) == 0;
    uint32_t at = it->walk.next, most = it->walk.most < COVEY__BLOCK_IDS ? it->walk.most : MOST_ALONG;
    uint32_t run = run_of_positions(it, at, most);
    if (!alone) run = run_of_values(it, at, run);
    if (!alone && !is_long(it, run)) return false;
    set_values_at(it, at);
    return covey__list_flat(it, run);
}

static bool list_positions(covey_iter *it) {
    uint32_t count = 0;
    while (count == 0 && reach_position(it)) {
        uint32_t first = it->walk.next, run = run_of_positions(it, first, it->walk.most);
        uint32_t done;
        it->walk.next += run;
        count = list_first(it, first, run, &done);
        count = look_up(it, done, count);
    }
    if (count != 0) list_beside(it, count);
    return hand_out_list(it, count);
}

bool covey__list_rows_of_array(covey_iter *it) { return list_flat_positions(it) || list_positions(it); }

/* The next positions of an array: as a span if their values are contiguous in every column, otherwise as a list. */
static bool next_positions(covey_iter *it) {
    bool alone = (it->walk.looked_up | it->walk.excluded) == 0;
    if (!reach_position(it)) return false;
    uint32_t at = it->walk.next, run = run_of_positions(it, at, alone ? it->walk.end : MOST_ALONG);
    if (!alone) run = run_of_values(it, at, run);
    if (!alone && !is_long(it, run)) return list_positions(it);
    set_values_at(it, at);
    it->walk.next += run;
    it->ended = it->walk.next >= it->walk.end;
    return hand_out_span(it, at, run);
}

/* ---- Ids of blocks -----------------------------------------------------------------------------------------------*/

/* Advances to the next page with matches. Returns false at the end. */
static bool reach_page(covey_iter *it) {
    covey__page_list list;
    it->walk.opened = it->walk.blocks = covey__open_page(it, &list);
    if (it->walk.blocks != 0 && it->walk.plans) covey__plan_blocks(it, list.full);
    return it->walk.blocks != 0;
}

/* Advances to the next block with matches if this one is done. Returns false at the end. */
static bool reach_block(covey_iter *it) {
    if (it->walk.rest != 0) return true;
    if (it->walk.blocks == 0 && !reach_page(it)) return false;
    covey__begin_block(it);
    return true;
}

/* Lists bits of the block from `n` on that are present in a flat set that is looked up (or NULL). Returns the new
 * length. */
static uint32_t list_bits(covey_iter *it, uint64_t bits, uint32_t n, const covey_pool *pool) {
    uint32_t first = covey__first_of_block(it);
    if (pool)
        return list_bits_in_set(pool, first, bits, it->rows, covey__list_in(it, covey__lowest_bit(it->walk.looked_up)),
                                n);
    for (; bits != 0; bits &= bits - 1) it->rows[n++] = first + covey__lowest_bit(bits);
    return n;
}

/* Sets the fields of listed ids that are in blocks of the page. */
static void list_in_blocks(covey_iter *it, uint32_t count) {
    for (uint32_t left = it->walk.direct; left != 0; left &= left - 1) {
        const covey__column *column = &it->walk.columns[covey__lowest_bit(left)];
        const covey__chunk *chunks = column->page->chunks;
        char **values = covey__list_in(it, covey__lowest_bit(left));
        size_t size = column->pool->size;
        for (uint32_t k = 0; k < count;) {
            uint32_t first = it->rows[k] / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS, bit = it->rows[k] - first;
            covey__chunk chunk = chunks[(first - it->walk.first) / COVEY__BLOCK_IDS];
            do values[k] = chunk.data + chunk.map[bit] * size;
            while (++k < count && (bit = it->rows[k] - first) < COVEY__BLOCK_IDS);
        }
    }
}

/* Whether a list of this many rows continues with the next block: it is on the same page, and scattered. */
static bool goes_on(const covey_iter *it, uint32_t rows) {
    bool few = rows < ENOUGH && it->walk.most == COVEY__BATCH;
    return few && it->walk.blocks != 0 && (it->walk.longer >> covey__lowest_bit(it->walk.blocks) & 1) == 0;
}

static bool list_ids(covey_iter *it) {
    const covey_pool *pool =
        it->walk.looked_up != 0 ? it->walk.columns[covey__lowest_bit(it->walk.looked_up)].pool : NULL;
    uint32_t count = 0, done = pool && is_flat(pool) ? it->walk.looked_up & (0 - it->walk.looked_up) : 0;
    while (count == 0 && reach_block(it)) {
        do {
            uint64_t rows = it->walk.most < COVEY__BLOCK_IDS ? first_bits(it->walk.rest, it->walk.most) : it->walk.rest;
            it->walk.rest &= ~rows;
            count = list_bits(it, rows, count, done != 0 ? pool : NULL);
        } while (goes_on(it, count) && reach_block(it));
        count = look_up(it, done, count);
    }
    list_in_blocks(it, count);
    return hand_out_list(it, count);
}

/* Rows of the block from its first match on, if their values are contiguous in all columns. */
static bool list_flat_ids(covey_iter *it) {
    if ((it->walk.longer >> it->block & 1) == 0) return false;
    uint32_t bit = covey__lowest_bit(it->walk.rest), run = covey__ones_from(it->walk.rest, bit);
    if (run > it->walk.most) run = it->walk.most;
    run = run_of_values(it, covey__first_of_block(it) + bit, run);
    if (run < LONG) return false;
    covey__take_run(it, 0, bit, run);
    set_chunks(it);
    return hand_out_flat(it, covey__first_of_block(it) + bit, run);
}

bool covey__list_rows_of_ids(covey_iter *it) {
    if (!reach_block(it)) return hand_out_list(it, 0);
    return (it->walk.mode == COVEY__MODE_MIXED && list_flat_ids(it)) || list_ids(it);
}

/* The next run of the block: as a span if its values are contiguous in all columns, otherwise the block is listed. */
static bool next_mixed_run(covey_iter *it) {
    uint32_t bit = covey__lowest_bit(it->walk.rest), run = covey__ones_from(it->walk.rest, bit);
    run = run_of_values(it, covey__first_of_block(it) + bit, run);
    if (run < LONG) return list_ids(it);
    covey__take_run(it, 0, bit, run);
    return hand_out(it, 1, run);
}

/* The next ids that have all fields, some of which are looked up. */
static bool next_mixed(covey_iter *it) {
    if (!reach_block(it)) return false;
    return (it->walk.longer >> it->block & 1) != 0 ? next_mixed_run(it) : list_ids(it);
}

/* ---- Members of a group, in blocks --------------------------------------------------------------------------------*/

static const uint8_t *borders_of_page(const covey_iter *it) {
    return covey__page_at(&it->walk.group->front.borders, it->walk.first);
}

/* Advances to the next page with members of the group. Returns false at the end. */
static bool reach_group_page(covey_iter *it) {
    const covey__pages *pages = &it->walk.group->front.borders;
    while (it->walk.blocks == 0 && it->walk.next < it->walk.end) {
        const uint8_t *borders = pages->at[it->walk.next];
        uint64_t left = covey__walk_blocks(&it->walk, it->walk.next);
        if (borders) left &= covey__pool_page(it->walk.columns[0].pool, it->walk.next)->summary;
        it->walk.first = it->walk.next++ * COVEY__BLOCK_PAGE;
        for (; borders && left != 0; left &= left - 1)
            it->walk.blocks |= (uint64_t)(borders[covey__lowest_bit(left)] != 0) << covey__lowest_bit(left);
    }
    if (it->walk.blocks == 0) return false;
    for (uint32_t left = it->walk.direct; left != 0; left &= left - 1) {
        covey__column *column = &it->walk.columns[covey__lowest_bit(left)];
        column->page = covey__block_page_of(&column->pool->block_store, it->walk.first);
    }
    return true;
}

static const uint8_t *ids_of_block(const covey_iter *it) {
    return covey__slots_of(it->walk.columns[0].page, it->block);
}

/* Advances to the next block with members if this one is done. Returns false at the end. */
static bool reach_slots(covey_iter *it) {
    if (it->walk.slot < it->walk.slots) return true;
    if (it->walk.blocks == 0 && !reach_group_page(it)) return false;
    it->block = covey__lowest_bit(it->walk.blocks);
    it->walk.blocks &= it->walk.blocks - 1;
    it->walk.slot = 0;
    it->walk.slots = borders_of_page(it)[it->block];
    it->walk.last = ids_of_block(it)[it->walk.slots - 1];
    return true;
}

bool covey__list_slots(covey_iter *it) {
    if (!reach_slots(it)) return hand_out_list(it, 0);
    const uint8_t *ids = ids_of_block(it);
    uint32_t first = covey__first_of_block(it), from = it->walk.slot, count = it->walk.slots - from;
    bool flat = it->walk.looked_up == 0;
    if (count > it->walk.most) count = it->walk.most;
    it->walk.slot += count;
    for (uint32_t i = 0; i < it->walk.view->fields; i++) {
        covey__column *column = &it->walk.columns[i];
        char *data = column->page->chunks[it->block].data;
        if (from != 0 && data) data += from * (size_t)column->pool->size; /* tags have no values */
        column->chunk = (covey__chunk){ data, covey__identity };
        if (!flat && (it->walk.looked_up >> i & 1) == 0)
            list_side_by_side(covey__list_in(it, i), data, count, column->pool->size);
    }
    for (uint32_t k = 0; k < count; k++) {
        it->rows[k] = first + ids[from + k];
        it->ids[k] = covey__entity(it->rows[k], 0);
        it->counts[k] = from + k;
    }
    for (uint32_t left = it->walk.looked_up; left != 0; left &= left - 1) find_rows(it, covey__lowest_bit(left), count);
    it->flat = flat ? UINT64_MAX >> (COVEY__BLOCK_IDS - count) : 0;
    return hand_out_list(it, count);
}

/* If the entity of the row has left the first slots, the last entity to visit may have taken its place. Then that
 * entity comes next, and one fewer is left. */
void covey__slots_anew(covey_iter *it) {
    const covey__block_page *page = it->walk.columns[0].page;
    uint32_t slot = it->counts[it->at], bit = covey__index(it->ids[it->at]) % COVEY__BLOCK_IDS;
    uint32_t used = page->used[it->block];
    const uint8_t *ids = used != 0 ? ids_of_block(it) : NULL;
    bool stays = slot < used && ids[slot] == bit;
    bool last_stays = it->walk.slots <= used && ids[it->walk.slots - 1] == it->walk.last;
    it->walk.slot = slot + 1;
    if (stays || last_stays) return;
    it->walk.slot = slot;
    it->walk.slots--;
    if (it->walk.slots != 0 && it->walk.slots <= used) it->walk.last = ids[it->walk.slots - 1];
}

/* Hands out the members in blocks of a page as spans: they have the first slots in all owned pools. */
static bool next_members(covey_iter *it) {
    uint32_t n = 0;
    uint8_t numbers[COVEY__PAGE_BLOCKS];
    if (it->walk.looked_up != 0) return covey__list_slots(it);
    if (it->walk.blocks == 0 && !reach_group_page(it)) return false;
    const uint8_t *borders = borders_of_page(it);
    for (; n < it->walk.most && it->walk.blocks != 0; it->walk.blocks &= it->walk.blocks - 1, n++) {
        uint32_t block = covey__lowest_bit(it->walk.blocks);
        numbers[n] = (uint8_t)block;
        it->rows[n] = it->walk.first + block * COVEY__BLOCK_IDS;
        it->counts[n] = borders[block];
    }
    for (uint32_t i = 0; i < it->walk.view->fields; i++) {
        const covey__chunk *chunks = it->walk.columns[i].page->chunks;
        char **values = covey__list_in(it, i);
        for (uint32_t k = 0; k < n; k++) values[k] = chunks[numbers[k]].data;
    }
    it->slotted = it->varies = true;
    return hand_out(it, n, it->counts[0]);
}

/* ---- Fields that may be missing, and ticks -----------------------------------------------------------------------*/

/* The value of an index, or NULL if it is absent or hidden. */
static char *seen_value(const covey_pool *pool, uint32_t index, bool hides) {
    return covey__counts(pool, index, hides) ? covey__value_of_index(pool, index) : NULL;
}

/* How many rows from this one on have contiguous values, or none, in each column; up to `most`. */
COVEY_HOT uint32_t run_of_columns(covey_iter *it, uint32_t row, uint32_t most, bool hides) {
    for (uint32_t i = 0; i < it->walk.view->fields; i++) {
        const covey_pool *pool = it->walk.columns[i].pool;
        char *value = seen_value(pool, index_at(it->walk.array, row), hides);
        uint32_t run = 1;
        set_value(it, i, value);
        for (; run < most; run++) {
            const char *follows = value ? value + (size_t)run * pool->size : NULL;
            if (seen_value(pool, index_at(it->walk.array, row + run), hides) != follows) break;
        }
        most = run;
    }
    return most;
}

static uint32_t run_slowly(covey_iter *it, uint32_t row, uint32_t most) {
    return it->walk.hides ? run_of_columns(it, row, most, true) : run_of_columns(it, row, most, false);
}

static bool next_ids_slowly(covey_iter *it) {
    if (it->walk.plans && it->walk.looked_up != 0) return next_mixed(it);
    if (it->walk.plans) return covey__next_spans(it) || list_ids(it);
    if (!reach_block(it)) return false;
    uint32_t bit = covey__lowest_bit(it->walk.rest), run = covey__ones_from(it->walk.rest, bit);
    run = run_slowly(it, covey__first_of_block(it) + bit, run);
    covey__take_run(it, 0, bit, run);
    return hand_out(it, 1, run);
}

bool covey__matches_at(const covey_iter *it, uint32_t at) {
    bool there = it->walk.set ? !is_hole(it, at) : covey_alive(it->walk.view->world, it->walk.array[at]);
    return there && (it->walk.group || covey__matches(it, it->walk.array[at].index));
}

/* Reaches the first entities of a list that has further ones. */
static bool refill(covey__walk *walk) {
    if (!walk->listed || !walk->refill || !walk->refill(walk)) return false;
    walk->next = 0;
    return true;
}

bool covey__next_position(covey_iter *it) {
    do
        while (it->walk.next < it->walk.end && !covey__matches_at(it, it->walk.next)) it->walk.next++;
    while (it->walk.next >= it->walk.end && refill(&it->walk));
    return it->walk.next < it->walk.end && hand_out_span(it, it->walk.next++, 1);
}

static bool next_positions_slowly(covey_iter *it) {
    if (!covey__next_position(it)) return false;
    uint32_t at = it->rows[0], most = it->walk.end - at, run = 1;
    most = run_slowly(it, at, most < MOST_ALONG ? most : MOST_ALONG);
    while (run < most && covey__matches_at(it, at + run)) run++;
    it->walk.next = at + run;
    return hand_out_span(it, at, run);
}

/* Notes a change of each value in a column of the span. */
static void note_span(const covey_iter *it, const covey_pool *pool) {
    uint32_t first = it->rows[0];
    for (uint32_t row = 0; it->walk.group && it->slotted && row < it->count; row++)
        covey__ticks_note(pool, first + covey__slot_bit(it, row));
    if (it->walk.group && it->slotted) return;
    if (it->slotted) covey__ticks_note_ids(pool, first, UINT64_MAX);
    else if (!it->walk.array) covey__ticks_note_run(pool, first, it->count);
    for (uint32_t row = 0; it->walk.array && row < it->count; row++)
        covey__ticks_note(pool, it->walk.array[first + row].index);
}

/* Lookups file the rows of the span again, because they are written after this. */
static void open_rows(const covey_iter *it, const covey_pool *pool) {
    uint32_t first = it->rows[0], last = first + it->count - 1;
    bool listed = it->walk.array != NULL;
    covey__filing_open(pool, it, listed ? it->walk.array[first].index : first,
                       listed ? it->walk.array[last].index : last, it->count);
}

static void note_ticks(covey_iter *it) {
    for (uint32_t left = it->walk.ticked; left != 0; left &= left - 1) {
        uint32_t field = covey__lowest_bit(left);
        const covey_pool *pool = it->walk.columns[field].pool;
        if (!*covey__list_in(it, field)) continue;
        note_span(it, pool);
        if (pool->observers->filing && !covey__is_part(&it->walk)) open_rows(it, pool);
    }
}

void covey__close_rows(const covey_iter *it) {
    for (uint32_t left = it->walk.ticked; left != 0; left &= left - 1) {
        const covey_pool *pool = it->walk.columns[covey__lowest_bit(left)].pool;
        bool filed = pool && covey__filing_of(pool) != NULL;
        if (filed && !covey__is_part(&it->walk)) covey__filing_close(pool, it);
    }
}

/* ---- Next --------------------------------------------------------------------------------------------------------*/

bool covey__find_batch(covey_iter *it) {
    bool more = false;
    covey__walk_decide(&it->walk);
    if (it->walk.set && !it->walk.begun) covey__array_begin(it);
    if (it->walk.shares) covey__ticks_share(it->walk.view->world);
    switch (it->walk.mode) {
    case COVEY__MODE_UNDECIDED:
    case COVEY__MODE_AT_ONCE:
    case COVEY__MODE_NOTHING: break;
    case COVEY__MODE_BLOCKS: more = covey__next_spans(it); break;
    case COVEY__MODE_MIXED: more = next_mixed(it); break;
    case COVEY__MODE_ARRAY: more = next_positions(it); break;
    case COVEY__MODE_SLOTS: more = next_members(it); break;
    case COVEY__MODE_IDS: more = next_ids_slowly(it); break;
    case COVEY__MODE_POSITIONS: more = next_positions_slowly(it); break;
    }
    if (!more) it->count = it->stop = 0;
    if (it->walk.ticked != 0) more ? note_ticks(it) : covey__close_rows(it);
    return more;
}
