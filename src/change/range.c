/* Ranges: which index a new entity gets. */
#include "change/range.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/balanced.h"
#include "memory/result.h"
#include "storage/shortcut_off.h"

#include <stdalign.h>

#define WORD COVEY__TABLE_WORD

/* The first index of a word. */
static uint32_t word_of(uint32_t index) { return index - index % WORD; }

covey__range covey__range_from(uint32_t first) {
    covey__cursor cursor = covey__cursor_at(covey__missing_page(), word_of(first), 0);
    return (covey__range){ .first = first, .end = COVEY_NONE, .cursor = cursor };
}

/* ---- Which range ---------------------------------------------------------------------------------------------------
 *
 * The reserved ranges are in a tree, by their first indices. Most worlds have none. */

static covey__links *range_links(const void *world, uint32_t number) {
    return (covey__links *)(uintptr_t) & ((const covey_world *)world)->inner->reserved[number].links;
}

static bool is_range_before(const void *context, uint32_t a, uint32_t b) {
    const covey_world *world = context;
    return world->inner->reserved[a].first < world->inner->reserved[b].first;
}

/* The last reserved range that begins at or before an index, and the first that begins behind it; NULL for none. */
static const covey__range *reserved_around(const covey_world *world, uint32_t index, const covey__range **behind) {
    const covey__range *before = NULL;
    *behind = NULL;
    for (uint32_t at = world->inner->reserved_root; at != COVEY__NO_NODE;) {
        const covey__range *range = &world->inner->reserved[at];
        *(range->first <= index ? &before : behind) = range;
        at = range->first <= index ? range->links.right : range->links.left;
    }
    return before;
}

const covey__range *covey__range_run(const covey_world *world, uint32_t index, uint32_t *end) {
    const covey__range *behind, *range = reserved_around(world, index, &behind);
    bool inside = range && index < range->end;
    *end = inside ? range->end : behind ? behind->first : COVEY_NONE;
    return inside ? range : &world->range;
}

static COVEY__NOINLINE const covey__range *search_range(const covey_world *world, uint32_t index) {
    uint32_t end;
    return covey__range_run(world, index, &end);
}

const covey__range *covey__range_of(const covey_world *world, uint32_t index) {
    return COVEY__LIKELY(world->inner->reserved_count == 0) ? &world->range : search_range(world, index);
}

static covey__range *range_of(covey_world *world, uint32_t index) {
    return (covey__range *)(uintptr_t)covey__range_of(world, index);
}

/* ---- Issuing -----------------------------------------------------------------------------------------------------*/

/* The bits of [first, end), as far as they are in a word. */
static uint64_t bits_between(uint32_t word, uint64_t first, uint64_t end) {
    uint64_t low = first > word ? first - word : 0, high = end > word ? end - word : 0;
    if (high > WORD) high = WORD;
    return low < high ? UINT64_MAX >> (64 - high) >> low << low : 0;
}

/* Which indices of a word a range issues, if there are reserved ranges. */
static COVEY__NOINLINE uint64_t issued_around(const covey_world *world, const covey__range *range, uint32_t word) {
    uint64_t issued = bits_between(word, range->first, range->end);
    if (range != &world->range) return issued;
    for (uint64_t index = word, end; index < (uint64_t)word + WORD && index < COVEY_NONE; index = end) {
        uint32_t run_end;
        bool mine = covey__range_run(world, (uint32_t)index, &run_end) == range;
        end = run_end;
        if (!mine) issued &= ~bits_between(word, index, end);
    }
    return issued;
}

static uint64_t issued_by(const covey_world *world, const covey__range *range, uint32_t word) {
    if (!COVEY__LIKELY(world->inner->reserved_count == 0)) return issued_around(world, range, word);
    return bits_between(word, range->first, range->end);
}

uint64_t covey__issued_in(const covey_world *world, uint32_t word) { return issued_by(world, &world->range, word); }

/* Closes the word that a range leaves, if it has no free index, and the page, if no word has. A shortcut frees indices
 * without opening their words, so it ends here. */
static void leave_word(covey_world *world, const covey__range *range) {
    const covey__cursor *cursor = &range->cursor;
    uint32_t word = cursor->at % COVEY_PAGE_SIZE / 64;
    covey__fast_destroy_off(world);
    if (cursor->issues == 0 || cursor->page->free[word] != 0) return;
    cursor->page->words &= ~((uint64_t)1 << word);
    if (cursor->page->words == 0) covey__page_close(world, cursor->at);
}

/* Points a range at a word, if it may issue an index of it. */
static bool point_at(covey__range *range, covey__entity_page *page, uint32_t word, uint64_t issues) {
    if ((page->free[word % COVEY_PAGE_SIZE / 64] & issues) == 0) return false;
    range->cursor = covey__cursor_at(page, word, issues);
    return true;
}

/* Points a range at the first word with an index that it may issue, in a page from an index on. */
static bool find_in_page(const covey_world *world, covey__range *range, uint32_t index) {
    covey__entity_page *page = covey__existing_page(world, index);
    uint32_t first = index % COVEY_PAGE_SIZE / 64, begin = index - index % COVEY_PAGE_SIZE;
    for (uint64_t words = page->words >> first << first; words != 0; words &= words - 1) {
        uint32_t number = covey__lowest_bit(words), word = begin + number * WORD;
        if (page->free[number] == 0) page->words &= ~((uint64_t)1 << number);
        else if (point_at(range, page, word, issued_by(world, range, word))) return true;
    }
    if (page->words == 0) covey__page_close(world, index);
    return false;
}

/* The first index of a range from this index on: the index itself, or the first behind a reserved range. */
static uint64_t run_of(const covey_world *world, const covey__range *range, uint64_t index) {
    uint32_t end;
    if (COVEY__LIKELY(world->inner->reserved_count == 0)) return index;
    return covey__range_run(world, (uint32_t)index, &end) != range ? end : index;
}

covey_result covey__range_seek(covey_world *world, covey__range *range) {
    uint64_t index = range->cursor.at > range->first ? range->cursor.at : range->first, next;
    leave_word(world, range);
    for (; (index = covey__open_from(world, index)) < range->end; index = next) {
        next = run_of(world, range, index);
        if (next != index) continue;
        if (!covey__entity_page_of(world, (uint32_t)index) && !covey__entities_reach(world, (uint32_t)index))
            return COVEY_ERROR_MEMORY;
        if (find_in_page(world, range, (uint32_t)index)) return COVEY_OK;
        next = (index / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE;
    }
    return COVEY_ERROR_FULL;
}

uint32_t covey__range_take(covey_world *world, covey__range *range, covey_result *result) {
    const covey__cursor *cursor = &range->cursor;
    *result = covey__cursor_ready(cursor) != 0 ? COVEY_OK : covey__range_seek(world, range);
    if (*result != COVEY_OK) return COVEY_NONE;
    uint32_t index = cursor->at + covey__lowest_bit(covey__cursor_ready(cursor));
    covey__table_take(cursor->page, index);
    return index;
}

void covey__range_return(covey_world *world, uint32_t index) {
    covey__range *range = range_of(world, index);
    uint32_t word = word_of(index);
    if (word >= range->cursor.at) return;
    leave_word(world, range);
    point_at(range, covey__existing_page(world, index), word, issued_by(world, range, word));
}

/* ---- Reserving ---------------------------------------------------------------------------------------------------*/

bool covey__ranges_reserve(covey_world *world, uint32_t count) {
    uint32_t old = world->inner->reserved_capacity;
    if (count <= old - world->inner->reserved_count) return true;
    if (count > UINT32_MAX - world->inner->reserved_count) return false;
    uint32_t capacity = covey__grown(old, world->inner->reserved_count + count, UINT32_MAX);
    covey__range *reserved = covey__resize(&world->inner->heap, world->inner->reserved, old, capacity, sizeof *reserved,
                                           alignof(covey__range));
    if (!reserved) return false;
    world->inner->reserved = reserved;
    world->inner->reserved_capacity = capacity;
    return true;
}

/* Whether an index of [first, end) was used. Indices without a page were not. */
static bool any_was_used(const covey_world *world, uint32_t first, uint32_t end) {
    for (uint64_t index = first; index < end && index / COVEY_PAGE_SIZE < world->page_count;) {
        const covey__entity_page *page = covey__entity_page_of(world, (uint32_t)index);
        if (page && covey__was_used(page, (uint32_t)index)) return true;
        index += page ? 1 : COVEY_PAGE_SIZE - index % COVEY_PAGE_SIZE;
    }
    return false;
}

static bool may_be_reserved(const covey_world *world, uint32_t first, uint32_t end) {
    const covey__range *behind, *last = reserved_around(world, end - 1, &behind);
    return first >= world->range.first && !(last && last->end > first) && !any_was_used(world, first, end);
}

covey_result covey__range_add(covey_world *world, uint32_t first, uint32_t end) {
    if (!may_be_reserved(world, first, end)) return COVEY_ERROR_TAKEN;
    if (!covey__ranges_reserve(world, 1)) return COVEY_ERROR_MEMORY;
    covey__tree tree = { range_links, is_range_before, world };
    world->inner->reserved[world->inner->reserved_count] = covey__range_from(first);
    world->inner->reserved[world->inner->reserved_count].end = end;
    world->inner->reserved_root = covey__tree_put(&tree, world->inner->reserved_root, world->inner->reserved_count++);
    world->range.cursor.issues = 0;
    covey__fast_destroy_off(world);
    return COVEY_OK;
}

/* ---- All ranges --------------------------------------------------------------------------------------------------*/

static void renew(covey__range *range) { range->cursor = covey__cursor_at(covey__missing_page(), range->cursor.at, 0); }

void covey__ranges_renew(covey_world *world) {
    renew(&world->range);
    for (uint32_t i = 0; i < world->inner->reserved_count; i++) renew(&world->inner->reserved[i]);
    covey__pages_open_all(world);
    covey__fast_destroy_off(world);
}

bool covey__ranges_clone(const covey_world *from, covey_world *to) {
    uint32_t count = from->inner->reserved_count;
    covey__range *reserved = covey__resize(&to->inner->heap, NULL, 0, count, sizeof *reserved, alignof(covey__range));
    if (count != 0 && !reserved) return false;
    for (uint32_t i = 0; i < count; i++) reserved[i] = from->inner->reserved[i];
    to->inner->reserved = reserved;
    to->inner->reserved_count = to->inner->reserved_capacity = count;
    to->inner->reserved_root = from->inner->reserved_root;
    to->range = from->range;
    covey__ranges_renew(to);
    return true;
}

void covey__ranges_end(covey_world *world) {
    covey__free(&world->inner->heap, world->inner->reserved, world->inner->reserved_capacity, sizeof(covey__range),
                alignof(covey__range));
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool is_reserved(const void *world, uint32_t number) {
    return number < ((const covey_world *)world)->inner->reserved_count;
}

static bool valid_tree(const covey_world *world, const char **why) {
    covey__tree tree = { range_links, is_range_before, world };
    uint32_t count = 0;
    REQUIRE(covey__tree_valid(&tree, world->inner->reserved_root, is_reserved, world->inner->reserved_count, &count) &&
                count == world->inner->reserved_count,
            "entities: the reserved ranges are out of order");
    for (uint32_t i = 0; i < count; i++) {
        const covey__range *range = &world->inner->reserved[i], *behind;
        reserved_around(world, range->first, &behind);
        REQUIRE(range->first < range->end && (!behind || behind->first >= range->end), "entities: two ranges overlap");
    }
    return true;
}

static bool has_free_below(const covey_world *world, const covey__range *range) {
    for (uint64_t index = range->first; index < range->cursor.at && index / COVEY_PAGE_SIZE < world->page_count;) {
        const covey__entity_page *page = covey__entity_page_of(world, (uint32_t)index);
        if (page && covey__is_free(page, (uint32_t)index) && covey__is_common(page, (uint32_t)index) &&
            covey__range_of(world, (uint32_t)index) == range)
            return true;
        index += page ? 1 : COVEY_PAGE_SIZE - index % COVEY_PAGE_SIZE;
    }
    return false;
}

static bool valid_range(const covey_world *world, const covey__range *range, const char **why) {
    const covey__cursor *cursor = &range->cursor;
    REQUIRE(cursor->at % WORD == 0 && cursor->at >= word_of(range->first),
            "entities: the position of a range is outside of its indices");
    REQUIRE(!has_free_below(world, range), "entities: a range has passed a free index");
    if (cursor->issues == 0) return true;
    REQUIRE(covey__entity_page_of(world, cursor->at) == cursor->page && covey__cursor_is_whole(cursor),
            "entities: a range points to the page of another word");
    REQUIRE(covey__is_common(cursor->page, cursor->at), "entities: a range issues indices of a kind");
    REQUIRE(cursor->issues == issued_by(world, range, cursor->at), "entities: a range issues indices of another range");
    return true;
}

bool covey__ranges_valid(const covey_world *world, const char **why) {
    if (!valid_tree(world, why) || !valid_range(world, &world->range, why)) return false;
    for (uint32_t i = 0; i < world->inner->reserved_count; i++)
        if (!valid_range(world, &world->inner->reserved[i], why)) return false;
    return true;
}
