/* Grids: sets of indices, by cell. grid.h draws them. */
#include "lookup/grid.h"

#include "memory/alloc.h"
#include "memory/result.h"

#include <stdalign.h>

enum { IDS = COVEY__BLOCK_IDS };

covey__grid covey__grid_of(uint32_t dimensions, double cell) {
    return (covey__grid){ .dimensions = dimensions, .cells_each = 1 / cell, .most = covey__cell_most(dimensions) };
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static size_t page_bytes(const covey__grid *g) {
    return offsetof(covey__grid_page, cells) + (size_t)COVEY__BLOCK_PAGE * g->dimensions * sizeof(int32_t);
}

/* The least power of two that is not below a number. */
static uint32_t power_for(uint32_t count) {
    uint32_t power = 1;
    while (power < count) power *= 2;
    return power;
}

static bool resize_starts(covey__heap *heap, covey__grid *g, uint32_t slots) {
    if (slots < g->slot_capacity) return true;
    uint32_t *starts =
        covey__resize(heap, g->starts, g->slot_capacity, (size_t)slots + 1, sizeof *starts, alignof(uint32_t));
    if (!starts) return false;
    if (g->slot_capacity == 0) starts[0] = starts[1] = 0;
    g->starts = starts;
    g->slot_capacity = slots + 1;
    return true;
}

static bool resize_items(covey__heap *heap, covey__grid *g, uint32_t count) {
    if (count <= g->item_capacity) return true;
    uint32_t *items = covey__resize(heap, g->items, g->item_capacity, count, sizeof *items, alignof(uint32_t));
    if (!items) return false;
    g->items = items;
    g->item_capacity = count;
    return true;
}

static uint32_t run_for(uint32_t count) { return count / COVEY_GRID_RUN + COVEY_GRID_RUN; }

static bool resize_runs(covey__heap *heap, covey__grid *g, uint32_t count) {
    if (count <= g->run_capacity) return true;
    uint64_t *runs =
        covey__resize(heap, g->runs, (size_t)g->run_capacity * 3, (size_t)count * 3, sizeof *runs, alignof(uint64_t));
    if (!runs) return false;
    g->runs = runs;
    g->run_capacity = count;
    return true;
}

bool covey__grid_reserve(covey__heap *heap, covey__grid *g, uint64_t count) {
    if (count <= g->capacity && g->starts) return true;
    if (count > UINT32_MAX / 2) return false;
    uint32_t capacity = covey__grown(g->capacity, (uint32_t)count, UINT32_MAX / 2);
    if (!resize_starts(heap, g, power_for(capacity)) || !resize_items(heap, g, capacity) ||
        !resize_runs(heap, g, run_for(capacity)))
        return false;
    g->capacity = capacity;
    if (g->slots == 0) g->slots = 1;
    return true;
}

bool covey__grid_reach(covey__heap *heap, covey__grid *g, uint32_t index, uint32_t limit) {
    return covey__pages_reach(heap, &g->pages, index, limit, page_bytes(g)) != NULL;
}

static void free_arrays(covey__heap *heap, const covey__grid *g) {
    covey__free(heap, g->starts, g->slot_capacity, sizeof *g->starts, alignof(uint32_t));
    covey__free(heap, g->items, g->item_capacity, sizeof *g->items, alignof(uint32_t));
    covey__free(heap, g->runs, (size_t)g->run_capacity * 3, sizeof *g->runs, alignof(uint64_t));
}

void covey__grid_free(covey__heap *heap, covey__grid *g) {
    free_arrays(heap, g);
    covey__pages_free(heap, &g->pages, page_bytes(g));
    *g = (covey__grid){ .dimensions = g->dimensions, .cells_each = g->cells_each, .most = g->most };
}

/* Nothing is filed in the items. */
static void clear_items(covey__grid *g) {
    g->item_count = g->moved_count = g->fresh_count = g->moves = g->measured = 0;
    g->stale = g->builds = g->many = false;
    g->slots = g->starts ? 1 : 0;
    for (uint32_t i = 0; i < COVEY__DIMENSIONS; i++) g->mask[i] = g->shift[i] = 0;
    for (uint32_t i = 0; g->starts && i < 2; i++) g->starts[i] = 0;
}

void covey__grid_clear(covey__grid *g) {
    for (uint32_t i = 0; i < g->pages.count; i++)
        if (g->pages.at[i]) memset(g->pages.at[i], 0, sizeof((covey__grid_page *)g->pages.at[i])->filed);
    g->count = 0;
    g->changes++;
    clear_items(g);
}

size_t covey__grid_bytes(const covey__grid *g) {
    return g->slot_capacity * sizeof *g->starts + g->item_capacity * sizeof *g->items +
           (size_t)g->run_capacity * 3 * sizeof *g->runs + covey__pages_bytes(&g->pages, page_bytes(g));
}

void covey__grid_shrink(covey__heap *heap, covey__grid *g, uint32_t count) {
    covey__grid small = *g;
    if (count >= g->capacity) return;
    small.starts = small.items = NULL;
    small.runs = NULL;
    small.slot_capacity = small.item_capacity = small.run_capacity = 0;
    if (!resize_starts(heap, &small, power_for(count)) || (count != 0 && !resize_items(heap, &small, count)) ||
        !resize_runs(heap, &small, run_for(count))) {
        free_arrays(heap, &small);
        return;
    }
    free_arrays(heap, g);
    *g = small;
    g->capacity = count;
    clear_items(g);
    g->builds = true;
    covey__grid_settle(g);
}

/* ---- Cells and slots ---------------------------------------------------------------------------------------------*/

bool covey__cell_of(const covey__grid *g, const double *point, int32_t *cell) {
    bool known = true;
    for (uint32_t i = 0; i < g->dimensions; i++) {
        int32_t along = covey__cell_along(point[i] * g->cells_each, g->most);
        cell[i] = along + (along == -covey__cell_most(g->dimensions)); /* NaN has the least one alone */
        known = known && point[i] == point[i];
    }
    return known;
}

static uint32_t slot_of(const covey__grid *g, const int32_t *cell) {
    uint32_t slot = ((uint32_t)cell[0] & g->mask[0]) << g->shift[0] | ((uint32_t)cell[1] & g->mask[1]) << g->shift[1];
    return g->dimensions == 2 ? slot : slot | ((uint32_t)cell[2] & g->mask[2]);
}

static covey__grid_page *page_of(const covey__grid *g, uint32_t index) {
    return g->pages.at[index / COVEY__BLOCK_PAGE];
}

static uint32_t slot_at(const covey__grid *g, uint32_t index) {
    return slot_of(g, covey__cell_in(g, page_of(g, index), index));
}

/* The slots of a block. The loops have constant bounds and no branches, so that compilers make vectors of them. */
static void slots_of_block(const covey__grid *g, const int32_t *restrict cells, uint32_t *restrict slots) {
    uint32_t x = g->mask[0], y = g->mask[1], z = g->mask[2], by_x = g->shift[0], by_y = g->shift[1];
    if (g->dimensions == 2)
        for (uint32_t i = 0; i < IDS; i++)
            slots[i] = ((uint32_t)cells[i * 2] & x) << by_x | ((uint32_t)cells[i * 2 + 1] & y);
    else
        for (uint32_t i = 0; i < IDS; i++)
            slots[i] = ((uint32_t)cells[i * 3] & x) << by_x | ((uint32_t)cells[i * 3 + 1] & y) << by_y |
                       ((uint32_t)cells[i * 3 + 2] & z);
}

/* ---- Choosing slots ----------------------------------------------------------------------------------------------*/

typedef struct bounds {
    int32_t low[COVEY__DIMENSIONS], high[COVEY__DIMENSIONS];
} bounds;

static void widen(bounds *b, const int32_t *cell, uint32_t dimensions) {
    for (uint32_t i = 0; i < dimensions; i++) {
        b->low[i] = cell[i] < b->low[i] ? cell[i] : b->low[i];
        b->high[i] = cell[i] > b->high[i] ? cell[i] : b->high[i];
    }
}

bool covey__grid_bounds(const covey__grid *g, int32_t *low, int32_t *high) {
    bounds b = { { INT32_MAX, INT32_MAX, INT32_MAX }, { INT32_MIN, INT32_MIN, INT32_MIN } };
    for (uint32_t i = 0; i < g->pages.count; i++) {
        const covey__grid_page *page = g->pages.at[i];
        for (uint32_t block = 0; page && block < COVEY__PAGE_BLOCKS; block++)
            for (uint64_t ids = page->filed[block]; ids != 0; ids &= ids - 1)
                widen(&b, covey__cell_in(g, page, block * IDS + covey__lowest_bit(ids)), g->dimensions);
    }
    memcpy(low, b.low, g->dimensions * sizeof *low);
    memcpy(high, b.high, g->dimensions * sizeof *high);
    return g->count != 0;
}

/* Gives each number as many bits of a slot as its bounds need, the last ones first while there are as many slots as
 * indices. */
static void choose_slots(covey__grid *g) {
    int32_t low[COVEY__DIMENSIONS] = { 0 }, high[COVEY__DIMENSIONS] = { 0 };
    uint32_t bits[COVEY__DIMENSIONS] = { 0 }, sum = 0, most = covey__highest_bit(power_for(g->count + (g->count == 0)));
    covey__grid_bounds(g, low, high);
    for (uint32_t next = 0; sum < most && next != COVEY_NONE; sum += next != COVEY_NONE) {
        next = COVEY_NONE;
        for (uint32_t i = g->dimensions; i-- != 0;)
            if (((uint32_t)high[i] - (uint32_t)low[i]) >> bits[i] != 0 && (next == COVEY_NONE || bits[i] < bits[next]))
                next = i;
        if (next != COVEY_NONE) bits[next]++;
    }
    for (uint32_t i = g->dimensions, shift = 0; i-- != 0; shift += bits[i]) {
        g->mask[i] = (uint32_t)(((uint64_t)1 << bits[i]) - 1);
        g->shift[i] = shift;
    }
    g->slots = UINT32_C(1) << sum;
    g->measured = g->count;
    g->builds_left = 64;
}

/* ---- Sorting all -------------------------------------------------------------------------------------------------*/

/* Counts the items of each slot, one place further on; or puts the items in. */
static void sort_block(covey__grid *g, uint32_t first, bool puts) {
    const covey__grid_page *page = page_of(g, first);
    uint64_t ids = page->filed[covey__block_of(first)];
    uint32_t slots[IDS], *starts = g->starts + 1, *items = g->items;
    slots_of_block(g, covey__cell_in(g, page, first), slots);
    if (ids != UINT64_MAX)
        for (; ids != 0; ids &= ids - 1) {
            uint32_t i = covey__lowest_bit(ids), at = starts[slots[i]]++;
            if (puts) items[at] = first + i;
        }
    else if (puts)
        for (uint32_t i = 0; i < IDS; i++) items[starts[slots[i]]++] = first + i;
    else
        for (uint32_t i = 0; i < IDS; i++) starts[slots[i]]++;
}

static void sort_blocks(covey__grid *g, bool puts) {
    for (uint32_t i = 0; i < g->pages.count; i++) {
        const covey__grid_page *page = g->pages.at[i];
        for (uint32_t block = 0; page && block < COVEY__PAGE_BLOCKS; block++)
            if (page->filed[block] != 0) sort_block(g, i * COVEY__BLOCK_PAGE + block * IDS, puts);
    }
}

/* Counts, adds up, and puts in: then each start has moved to the end of its slot, where the next one starts. */
static void build(covey__grid *g) {
    uint32_t sum = 0;
    if (g->count / 4 * 3 > g->measured || g->count < g->measured / 2 || g->builds_left-- == 0) choose_slots(g);
    memset(g->starts, 0, ((size_t)g->slots + 1) * sizeof *g->starts);
    sort_blocks(g, false);
    for (uint32_t i = 1; i <= g->slots; i++) {
        uint32_t count = g->starts[i];
        g->starts[i] = sum;
        sum += count;
    }
    sort_blocks(g, true);
    g->item_count = g->count;
    g->moved_count = 0;
    g->stale = g->builds = false;
}

/* ---- Sorting some ------------------------------------------------------------------------------------------------*/

static uint64_t *fresh_of(const covey__grid *g) { return g->runs + g->run_capacity; }

/* The first of some numbers in order that is not below one. */
static uint32_t place_in(const uint32_t *numbers, uint32_t count, uint32_t number) {
    uint32_t low = 0;
    while (count != 0) {
        uint32_t half = count / 2;
        bool below = numbers[low + half] < number;
        low += below ? half + 1 : 0;
        count = below ? count - half - 1 : half;
    }
    return low;
}

static uint32_t place_of_entry(const covey__grid *g, uint64_t entry) {
    uint32_t low = 0, high = g->moved_count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        if (g->runs[middle] < entry) low = middle + 1;
        else high = middle;
    }
    return low;
}

/* Sorts entries by a byte. */
static void sort_by_byte(const uint64_t *from, uint64_t *to, uint32_t count, uint32_t shift) {
    uint32_t starts[256] = { 0 }, sum = 0;
    for (uint32_t i = 0; i < count; i++) starts[from[i] >> shift & 255]++;
    for (uint32_t i = 0; i < 256; i++) {
        uint32_t some = starts[i];
        starts[i] = sum;
        sum += some;
    }
    for (uint32_t i = 0; i < count; i++) to[starts[from[i] >> shift & 255]++] = from[i];
}

static bool is_sorted(const uint64_t *entries, uint32_t count, uint64_t mask) {
    for (uint32_t i = 1; i < count; i++)
        if ((entries[i - 1] & mask) > (entries[i] & mask)) return false;
    return true;
}

/* Sorts the fresh entries. They come in the order of indices, mostly, so that only the bytes of slots are sorted. */
static void sort_fresh(covey__grid *g) {
    uint64_t *from = fresh_of(g), *to = from + g->run_capacity, *fresh = from;
    uint32_t first = is_sorted(from, g->fresh_count, UINT32_MAX) ? 32 : 0;
    for (uint32_t shift = first; shift < 64; shift += 8) {
        if (shift >= 32 && (g->slots - 1) >> (shift - 32) == 0) break;
        sort_by_byte(from, to, g->fresh_count, shift);
        uint64_t *other = from;
        from = to;
        to = other;
    }
    if (from != fresh) memcpy(fresh, from, g->fresh_count * sizeof *fresh);
}

/* Makes the fresh indices entries: each with the slot in which it is now. */
static void make_entries(covey__grid *g) {
    uint64_t *fresh = fresh_of(g);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < g->fresh_count; i++) {
        uint32_t index = (uint32_t)fresh[i];
        if (covey__grid_has(g, index)) fresh[kept++] = (uint64_t)slot_at(g, index) << 32 | index;
    }
    g->fresh_count = kept;
}

/* Merges the fresh entries with those that have moved before, each once. Returns how many there are. */
static uint32_t merge(const covey__grid *g, uint64_t *to, uint32_t most) {
    const uint64_t *moved = g->runs, *fresh = fresh_of(g);
    const uint64_t *moved_end = moved + g->moved_count, *fresh_end = fresh + g->fresh_count;
    uint32_t count = 0;
    while (count < most && (moved != moved_end || fresh != fresh_end)) {
        bool older = fresh == fresh_end || (moved != moved_end && *moved <= *fresh);
        uint64_t entry = older ? *moved++ : *fresh++;
        if (count == 0 || to[count - 1] != entry) to[count++] = entry;
    }
    return moved != moved_end || fresh != fresh_end ? most + 1 : count;
}

static uint32_t run_most(const covey__grid *g) {
    uint32_t most = run_for(g->count);
    return most < g->run_capacity ? most : g->run_capacity;
}

/* Puts what was filed since into the list of those that have moved. Returns false if they are too many. */
static bool add_moved(covey__grid *g) {
    uint64_t *merged = fresh_of(g) + g->run_capacity;
    uint32_t most = run_most(g);
    if (g->fresh_count > most) return false;
    make_entries(g);
    sort_fresh(g);
    uint32_t count = merge(g, merged, most);
    if (count > most) return false;
    memcpy(g->runs, merged, count * sizeof *merged);
    g->moved_count = count;
    return true;
}

void covey__grid_settle(covey__grid *g) {
    bool shrunk = g->item_count / 2 > g->count;
    g->changes += g->builds || g->fresh_count != 0;
    if (shrunk || g->builds || (g->fresh_count != 0 && !add_moved(g))) build(g);
    g->many = g->moves > run_most(g);
    g->fresh_count = g->moves = 0;
}

/* ---- Filing ------------------------------------------------------------------------------------------------------*/

/* Notes that an index has another cell. */
static void note(covey__grid *g, uint32_t index) {
    g->stale = true;
    if (g->fresh_count == (g->many ? g->run_capacity / 16 : g->run_capacity)) g->builds = true;
    else fresh_of(g)[g->fresh_count++] = index;
}

void covey__grid_file(covey__grid *g, uint32_t index, const int32_t *cell) {
    covey__grid_page *page = page_of(g, index);
    if (covey__is_in_cell(g, index, cell)) return;
    g->count += !covey__grid_has(g, index);
    page->filed[covey__block_of(index)] |= (uint64_t)1 << index % IDS;
    memcpy(page->cells + (size_t)(index % COVEY__BLOCK_PAGE) * g->dimensions, cell, g->dimensions * sizeof *cell);
    if (!g->builds) note(g, index);
}

void covey__grid_unfile(covey__grid *g, uint32_t first, uint64_t ids) {
    covey__grid_page *page = covey__page_at(&g->pages, first);
    if (!page) return;
    uint64_t *filed = &page->filed[covey__block_of(first)], out = *filed & ids;
    if (out == 0) return;
    *filed &= ~out;
    g->count -= covey__bits_in(out);
    g->changes++;
    g->stale = true;
}

/* ---- Filing blocks -----------------------------------------------------------------------------------------------*/

enum { GROUP = 8 };

/* Keeps the cells of a group that are others than before. Returns which. */
static inline uint64_t keep_moved(int32_t *cells, const int32_t *now, uint64_t ids, uint32_t dimensions) {
    uint64_t moved = 0;
    for (uint32_t i = 0; i < GROUP; i++) {
        uint32_t differ = 0, first = i * dimensions;
        for (uint32_t k = 0; k < dimensions; k++) differ |= (uint32_t)(cells[first + k] ^ now[first + k]);
        moved |= (uint64_t)(differ != 0) << i;
    }
    moved &= ids;
    for (uint64_t left = moved; left != 0; left &= left - 1) {
        size_t first = (size_t)covey__lowest_bit(left) % GROUP * dimensions;
        memcpy(cells + first, now + first, dimensions * sizeof *now);
    }
    return moved;
}

/* Whether numbers are surely in the cells where they were: faster than finding the cells. A number is if it is less
 * than 0.5 away from that of its cell. Rounding of floats adds up to 2.4e-7 of the number to this distance: 1e-4 +
 * 1.5e-10 * its square is always more. Squares are compared by their bits, which are greater if one is NaN. */
static const float float_stays = 0.2499f;
static const double double_stays = 0.2499;

static inline bool floats_stay(const float *points, const int32_t *cells, float each, uint32_t count) {
    uint32_t below = UINT32_MAX, most;
    memcpy(&most, &float_stays, sizeof most);
    for (uint32_t i = 0; i < count; i++) {
        float along = points[i] * each, away = along - (float)cells[i];
        float square = away * away + along * along * 1.5e-10f;
        uint32_t bits;
        memcpy(&bits, &square, sizeof bits);
        below &= (bits & (UINT32_MAX >> 1)) - most;
    }
    return below >> 31 != 0;
}

static inline bool doubles_stay(const double *points, const int32_t *cells, double each, uint32_t count) {
    uint64_t below = UINT64_MAX, most;
    memcpy(&most, &double_stays, sizeof most);
    for (uint32_t i = 0; i < count; i++) {
        double away = points[i] * each - (double)cells[i], square = away * away;
        uint64_t bits;
        memcpy(&bits, &square, sizeof bits);
        below &= (bits & (UINT64_MAX >> 1)) - most;
    }
    return below >> 63 != 0;
}

/* Finds the cells of the points of a block. KEEP_SOME keeps those of some ids, and returns which have another cell than
 * before. KEEP_ALL keeps those of all ids, and returns whether one has the least number. Inner loops have a constant
 * bound and no branches, so that compilers make vectors of them. */
#define CELLS_OF_BLOCK(KEEP_SOME, KEEP_ALL, T, D, STAY)                                                            \
    static uint64_t KEEP_SOME(covey__grid *g, int32_t *restrict cells, const T *restrict points, uint64_t ids) {   \
        const double each = g->cells_each, most = g->most;                                                         \
        uint64_t moved = 0;                                                                                        \
        for (uint32_t id = 0; id < IDS; id += GROUP, points += GROUP * (D), cells += GROUP * (D)) {                \
            int32_t now[GROUP * (D)];                                                                              \
            if (STAY) continue;                                                                                    \
            for (uint32_t i = 0; i < GROUP * (D); i++) now[i] = covey__cell_along((double)points[i] * each, most); \
            moved |= keep_moved(cells, now, ids >> id, D) << id;                                                   \
        }                                                                                                          \
        g->moves += covey__bits_in(moved);                                                                         \
        return moved;                                                                                              \
    }                                                                                                              \
    static bool KEEP_ALL(covey__grid *g, int32_t *restrict cells, const T *restrict points) {                      \
        const double each = g->cells_each, most = g->most;                                                         \
        const int32_t least = -covey__cell_most(D);                                                                \
        uint32_t moves = 0, leasts = 0;                                                                            \
        for (uint32_t i = 0; i < IDS * (D); i++) {                                                                 \
            int32_t cell = covey__cell_along((double)points[i] * each, most);                                      \
            moves += cell != cells[i];                                                                             \
            leasts |= cell == least;                                                                               \
            cells[i] = cell;                                                                                       \
        }                                                                                                          \
        g->moves += moves;                                                                                         \
        return leasts != 0;                                                                                        \
    }

CELLS_OF_BLOCK(keep_2_floats, keep_all_2_floats, float, 2, floats_stay(points, cells, (float)each, GROUP * 2))
CELLS_OF_BLOCK(keep_3_floats, keep_all_3_floats, float, 3, floats_stay(points, cells, (float)each, GROUP * 3))
CELLS_OF_BLOCK(keep_2_doubles, keep_all_2_doubles, double, 2, doubles_stay(points, cells, each, GROUP * 2))
CELLS_OF_BLOCK(keep_3_doubles, keep_all_3_doubles, double, 3, doubles_stay(points, cells, each, GROUP * 3))

static uint64_t keep_some(covey__grid *g, int32_t *cells, covey_kind kind, const void *points, uint64_t ids) {
    if (kind == COVEY_KIND_F32)
        return g->dimensions == 2 ? keep_2_floats(g, cells, points, ids) : keep_3_floats(g, cells, points, ids);
    return g->dimensions == 2 ? keep_2_doubles(g, cells, points, ids) : keep_3_doubles(g, cells, points, ids);
}

static bool keep_all(covey__grid *g, int32_t *cells, covey_kind kind, const void *points) {
    if (kind == COVEY_KIND_F32)
        return g->dimensions == 2 ? keep_all_2_floats(g, cells, points) : keep_all_3_floats(g, cells, points);
    return g->dimensions == 2 ? keep_all_2_doubles(g, cells, points) : keep_all_3_doubles(g, cells, points);
}

/* Which indices have the least number in their cells: what is far away, or has a NaN. */
static uint64_t at_least(const covey__grid *g, const int32_t *cells, uint64_t ids) {
    uint64_t found = 0;
    uint32_t dimensions = g->dimensions;
    int32_t least = -covey__cell_most(dimensions);
    for (; ids != 0; ids &= ids - 1) {
        uint32_t i = covey__lowest_bit(ids);
        const int32_t *cell = cells + (size_t)i * dimensions;
        found |= (uint64_t)(cell[0] == least || cell[1] == least || cell[dimensions - 1] == least) << i;
    }
    return found;
}

/* Finds the cells of such indices one by one. Returns which have a NaN. */
static uint64_t find_nans(const covey__grid *g, int32_t *cells, covey_kind kind, const void *points, uint64_t ids) {
    uint64_t nans = 0;
    for (; ids != 0; ids &= ids - 1) {
        uint32_t i = covey__lowest_bit(ids), first = i * g->dimensions;
        double point[COVEY__DIMENSIONS];
        for (uint32_t k = 0; k < g->dimensions; k++)
            point[k] = kind == COVEY_KIND_F32 ? (double)((const float *)points)[first + k]
                                              : ((const double *)points)[first + k];
        nans |= (uint64_t)!covey__cell_of(g, point, cells + first) << i;
    }
    return nans;
}

void covey__grid_file_block(covey__grid *g, uint32_t first, uint64_t ids, covey_kind kind, const void *points) {
    covey__grid_page *page = page_of(g, first);
    uint64_t *filed = &page->filed[covey__block_of(first)];
    int32_t *cells = page->cells + (size_t)(first % COVEY__BLOCK_PAGE) * g->dimensions;
    uint64_t moved = 0, odd = 0;
    if (g->builds && (*filed & ~ids) == 0) odd = keep_all(g, cells, kind, points) ? at_least(g, cells, ids) : 0;
    else {
        moved = keep_some(g, cells, kind, points, ids);
        odd = at_least(g, cells, (moved | ~*filed) & ids);
    }
    if (odd != 0) {
        odd = find_nans(g, cells, kind, points, odd);
        covey__grid_unfile(g, first, odd);
        ids &= ~odd;
    }
    uint64_t added = ids & ~*filed;
    *filed |= added;
    g->count += covey__bits_in(added);
    for (moved = (moved | added) & ids; moved != 0 && !g->builds; moved &= moved - 1)
        note(g, first + covey__lowest_bit(moved));
}

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

uint32_t covey__grid_read(const covey__grid *g, const int32_t *cell, uint32_t from, uint32_t *indices, uint32_t room) {
    if (g->count == 0) return 0;
    uint32_t slot = slot_of(g, cell), found = 0, end = g->starts[slot + 1];
    uint32_t at = g->starts[slot] + (from != 0 ? place_in(&g->items[g->starts[slot]], end - g->starts[slot], from) : 0);
    uint32_t other = g->moved_count != 0 ? place_of_entry(g, (uint64_t)slot << 32 | from) : 0;
    while (found < room) {
        bool more = at < end, moved = other < g->moved_count && g->runs[other] >> 32 == slot;
        if (!more && !moved) break;
        uint32_t index = more ? g->items[at] : UINT32_MAX, entry = moved ? (uint32_t)g->runs[other] : UINT32_MAX;
        at += index <= entry;
        other += entry <= index;
        index = index < entry ? index : entry;
        indices[found] = index;
        found += covey__is_in_cell(g, index, cell);
    }
    return found;
}

bool covey__grid_strip(const covey__grid *g, const int32_t *cell, uint32_t cells, uint32_t from, const uint32_t **items,
                       uint32_t *count) {
    uint32_t last = g->dimensions - 1, slot = slot_of(g, cell);
    if (g->stale || g->moved_count != 0 || g->count == 0) return false;
    if (((uint32_t)cell[last] & g->mask[last]) + cells - 1 > g->mask[last]) return false;
    uint32_t start = g->starts[slot];
    if (from != 0) start += place_in(&g->items[start], g->starts[slot + 1] - start, from);
    *items = g->items + start;
    *count = g->starts[slot + cells] - start;
    return true;
}

uint32_t covey__grid_next(const covey__grid *g, uint32_t index) {
    for (uint32_t block = index / IDS; block / COVEY__PAGE_BLOCKS < g->pages.count; index = ++block * IDS) {
        const covey__grid_page *page = g->pages.at[block / COVEY__PAGE_BLOCKS];
        if (!page) {
            block |= COVEY__PAGE_BLOCKS - 1;
            continue;
        }
        uint64_t ids = page->filed[block % COVEY__PAGE_BLOCKS] >> index % IDS;
        if (ids != 0) return index + covey__lowest_bit(ids);
    }
    return COVEY_NONE;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool is_item(const covey__grid *g, uint32_t slot, uint32_t index) {
    uint32_t start = g->starts[slot], count = g->starts[slot + 1] - start,
             at = place_in(&g->items[start], count, index);
    return at < count && g->items[start + at] == index;
}

static bool is_moved(const covey__grid *g, uint64_t entry) {
    uint32_t at = place_of_entry(g, entry);
    return at < g->moved_count && g->runs[at] == entry;
}

static bool is_current(const covey__grid *g, uint64_t entry) {
    return covey__grid_has(g, (uint32_t)entry) && slot_at(g, (uint32_t)entry) == entry >> 32;
}

static bool valid_items(const covey__grid *g, const char **why) {
    REQUIRE(g->slots != 0 && g->slots < g->slot_capacity && g->starts[0] == 0 && g->starts[g->slots] == g->item_count,
            "lookup: the slots do not have all items");
    for (uint32_t slot = 0; slot < g->slots; slot++) {
        REQUIRE(g->starts[slot] <= g->starts[slot + 1], "lookup: a slot starts behind the next one");
        for (uint32_t i = g->starts[slot]; i < g->starts[slot + 1]; i++) {
            REQUIRE(i == g->starts[slot] || g->items[i - 1] < g->items[i],
                    "lookup: the items of a slot are out of order");
            REQUIRE(g->stale || is_current(g, (uint64_t)slot << 32 | g->items[i]),
                    "lookup: an item has left its slot, and it is not noted that there is one");
        }
    }
    for (uint32_t i = 1; i < g->moved_count; i++)
        REQUIRE(g->runs[i - 1] < g->runs[i], "lookup: the indices that have moved are out of order");
    return true;
}

static bool valid_indices(const covey__grid *g, const char **why) {
    uint32_t count = 0;
    for (uint32_t i = covey__grid_next(g, 0); i != COVEY_NONE; i = covey__grid_next(g, i + 1), count++) {
        uint32_t slot = slot_at(g, i);
        REQUIRE(is_item(g, slot, i) || is_moved(g, (uint64_t)slot << 32 | i), "lookup: an index is not in its slot");
    }
    REQUIRE(count == g->count, "lookup: the count of filed indices is wrong");
    return true;
}

bool covey__grid_valid(const covey__grid *g, const char **why) {
    REQUIRE(g->count <= g->capacity, "lookup: more indices are filed than there is memory for");
    REQUIRE(!g->builds && g->fresh_count == 0, "lookup: a grid is not settled");
    if (!g->starts) return true;
    REQUIRE(g->capacity <= g->item_capacity && run_for(g->capacity) <= g->run_capacity &&
                power_for(g->capacity) < g->slot_capacity,
            "lookup: there is no memory to file all components");
    REQUIRE(g->moved_count <= g->run_capacity, "lookup: more indices have moved than there is memory for");
    return valid_items(g, why) && valid_indices(g, why);
}
