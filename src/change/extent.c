/* Extents: words of the table that belong to a kind. */
#include "change/extent.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "storage/shortcut_off.h"
#include "storage/storage.h"

#include <stdalign.h>

#define WORD COVEY__TABLE_WORD

enum { GROUP = 4 }; /* pages that a large kind fills one after the other */

typedef struct covey__kinds kinds_of_world;

/* ---- Vacant words ------------------------------------------------------------------------------------------------*/

/* The common words of a page all of whose indices are free, and may be issued. */
static uint64_t vacant_words(const covey_world *world, uint32_t number) {
    covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
    uint64_t vacant = page ? page->vacant : COVEY__ALL_WORDS;
    for (uint64_t left = vacant; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left);
        bool used = page && (page->extent[word] != 0 || page->free[word] != COVEY__TABLE_ALL);
        if (used || covey__issued_in(world, covey__word_index(number, word)) != COVEY__TABLE_ALL)
            vacant &= ~((uint64_t)1 << word);
    }
    if (page) page->vacant = vacant;
    return vacant;
}

/* The positions that are multiples of a power of two, and from which on so many bits are set. */
static uint64_t runs_in(uint64_t bits, uint32_t size) {
    for (uint32_t half = 1; half < size; half *= 2) bits &= bits >> half;
    return size < 64 ? bits & UINT64_MAX / (((uint64_t)1 << size) - 1) : bits & 1;
}

/* The first page at or behind an index that is not inside a reserved range. */
static uint64_t page_outside(const covey_world *world, uint64_t index) {
    uint32_t end;
    if (COVEY__LIKELY(world->inner->reserved_count == 0)) return index / COVEY_PAGE_SIZE;
    if (covey__range_run(world, (uint32_t)index, &end) == &world->range) return index / COVEY_PAGE_SIZE;
    return end / COVEY_PAGE_SIZE;
}

/* Whether all words of some pages are vacant. */
static bool pages_are_vacant(const covey_world *world, uint32_t page, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if ((uint64_t)(page + i) * COVEY_PAGE_SIZE >= COVEY_NONE || vacant_words(world, page + i) != COVEY__ALL_WORDS)
            return false;
    return true;
}

/* Words of a page. */
typedef struct run {
    uint32_t page;
    uint64_t words;
} run;

/* Finds the lowest vacant words, `size` of them; if `pages` is more than one, in the first of as many vacant pages.
 * False if there are none. */
static bool find_vacant(covey_world *world, uint32_t size, uint32_t pages, run *found) {
    uint32_t *from = &world->inner->kinds->vacant_from;
    uint64_t index = (uint64_t)*from * COVEY_PAGE_SIZE;
    if (index < world->range.first) index = world->range.first - world->range.first % COVEY_PAGE_SIZE;
    for (bool passed = true; (index = covey__open_from(world, index)) < COVEY_NONE; index += COVEY_PAGE_SIZE) {
        uint64_t outside = page_outside(world, index) * COVEY_PAGE_SIZE;
        if (outside > index) index = outside;
        if (index >= COVEY_NONE) return false;
        uint32_t number = (uint32_t)(index / COVEY_PAGE_SIZE);
        uint64_t vacant = vacant_words(world, number), runs = runs_in(vacant, size);
        bool fits = pages == 1 || (number % pages == 0 && pages_are_vacant(world, number, pages));
        if (runs != 0 && fits) {
            *found = (run){ number, UINT64_MAX >> (64 - size) << covey__lowest_bit(runs) };
            return true;
        }
        passed = passed && vacant == 0;
        if (passed) *from = number + 1;
    }
    return false;
}

void covey__note_vacant(covey_world *world, uint32_t number, uint64_t words) {
    kinds_of_world *kinds = world->inner->kinds;
    world->pages[number]->vacant |= words;
    if (kinds && number < kinds->vacant_from) kinds->vacant_from = number;
}

/* ---- Extents -----------------------------------------------------------------------------------------------------*/

/* Whether a kind gets whole pages. */
static bool is_large(const covey__kind *kind) {
    return COVEY__TABLE_WORDS == COVEY__EXTENT_WORDS && kind->word_count >= 2 * COVEY__TABLE_WORDS;
}

static bool reserve_extent(covey__heap *heap, kinds_of_world *kinds) {
    uint32_t count = kinds->extent_count, old = kinds->extent_capacity;
    if (kinds->free_extent != COVEY__NO_EXTENT || count < old) return true;
    if (count == COVEY__NO_EXTENT - 1) return false;
    uint32_t capacity = covey__grown(old, count + 1, COVEY__NO_EXTENT - 1);
    covey__extent *extents =
        covey__resize(heap, kinds->extents, old, capacity, sizeof *extents, alignof(covey__extent));
    if (!extents) return false;
    kinds->extents = extents;
    kinds->extent_capacity = capacity;
    return true;
}

static bool reserve_slot(covey__heap *heap, covey__kind *kind, uint32_t slot) {
    uint32_t old = kind->slot_capacity;
    if (slot < old) return true;
    if (slot == COVEY__NO_EXTENT) return false;
    uint32_t capacity = covey__grown(old, slot + 1, COVEY__NO_EXTENT);
    uint32_t old_words = kind->open_words, words = covey__words_for(capacity);
    if (words > old_words) {
        uint64_t *open = covey__resize(heap, kind->open, old_words, words, sizeof *open, alignof(uint64_t));
        if (!open) return false;
        for (uint32_t i = old_words; i < words; i++) open[i] = 0;
        kind->open = open;
        kind->open_words = words;
    }
    uint32_t *extents = covey__resize(heap, kind->extents, old, capacity, sizeof *extents, alignof(uint32_t));
    if (!extents) return false;
    kind->extents = extents;
    kind->slot_capacity = capacity;
    return true;
}

/* The table that leads to kinds with places. */
static bool reserve_list(covey__heap *heap, kinds_of_world *kinds) {
    if (kinds->listed) return true;
    kinds->listed = covey__resize(heap, NULL, 0, COVEY__KINDS_LISTED, sizeof *kinds->listed, alignof(uint16_t));
    if (kinds->listed) memset(kinds->listed, 0, COVEY__KINDS_LISTED * sizeof *kinds->listed);
    return kinds->listed != NULL;
}

/* Small kinds have no places, which would take more memory than they are worth. */
static bool reserve_places(covey__heap *heap, kinds_of_world *kinds, covey__kind *kind, uint64_t words) {
    if (kind->places || kind->word_count + covey__bits_in(words) < COVEY_PLACED_WORDS) return true;
    if (!reserve_list(heap, kinds)) return false;
    size_t bytes = covey__kind_places_bytes(kind->key.count);
    kind->places = covey__resize(heap, NULL, 0, 1, bytes, alignof(covey__kind_places));
    if (kind->places) covey__kind_places_none(kind->places);
    return kind->places != NULL;
}

bool covey__kinds_add_extent(covey__heap *heap, struct covey__kinds *kinds, covey__kind *kind, uint32_t slot,
                             uint32_t page, uint64_t words) {
    if (!reserve_extent(heap, kinds) || !reserve_slot(heap, kind, slot)) return false;
    if (!reserve_places(heap, kinds, kind, words)) return false;
    uint32_t number = kinds->free_extent;
    if (number != COVEY__NO_EXTENT) kinds->free_extent = kinds->extents[number].slot;
    else number = kinds->extent_count++;
    kinds->extents[number] = (covey__extent){ words, page, kind->number, slot };
    for (; kind->slot_count <= slot; kind->slot_count++) kind->extents[kind->slot_count] = COVEY__NO_EXTENT;
    kind->extents[slot] = number;
    kind->word_count += covey__bits_in(words);
    covey__set_bit(kind->open, slot);
    return true;
}

void covey__extent_close(covey_world *world, const covey__extent *extent, uint32_t number) {
    covey__entity_page *page = world->pages[extent->page];
    for (uint64_t left = extent->words; left != 0; left &= left - 1) page->extent[covey__lowest_bit(left)] = number + 1;
    page->words &= ~extent->words;
    page->vacant &= ~extent->words;
    page->held |= extent->words;
    if (page->words == 0) covey__page_close(world, covey__word_index(extent->page, 0));
    if (world->range.cursor.page == page && (extent->words >> world->range.cursor.at % COVEY_PAGE_SIZE / WORD & 1) != 0)
        world->range.cursor.issues = 0;
}

/* How many blocks of a group of pages get the values of a large kind at once: half as many as it has, so that values
 * follow each other in long rows. */
static uint32_t words_at_once(const covey__kind *kind) {
    uint32_t pages = kind->word_count / (2 * COVEY__TABLE_WORDS);
    return (pages == 0 ? 1 : pages) * COVEY__TABLE_WORDS;
}

/* The next values of a kind will be in the blocks of an extent and, in a group of pages, in those behind it. */
static void expect_values(const covey_world *world, const covey__kind *kind, const covey__extent *extent) {
    uint32_t first = covey__lowest_bit(extent->words), count = covey__bits_in(extent->words), page = extent->page;
    uint32_t most = is_large(kind) ? words_at_once(kind) : count;
    while (count < most && ++page % GROUP != 0 && pages_are_vacant(world, page, 1)) count += COVEY__TABLE_WORDS;
    for (uint32_t i = 0; i < kind->key.count && WORD == COVEY__BLOCK_IDS; i++)
        covey__storage_expect(world->pools[kind->key.pools[i]], covey__word_index(extent->page, first), count);
}

static uint32_t free_slot(const covey__kind *kind) {
    uint32_t slot = 0;
    while (slot < kind->slot_count && kind->extents[slot] != COVEY__NO_EXTENT) slot++;
    return slot;
}

/* How many words the next extent has: twice as many as the kind, or enough for the entities to come; a power of two. */
static uint32_t next_size(const covey__kind *kind, uint32_t count) {
    uint32_t words = count / WORD > kind->word_count * 2 ? count / WORD : kind->word_count * 2, size = 1;
    while (size * 2 <= words && size * 2 <= COVEY__EXTENT_WORDS) size *= 2;
    return size;
}

/* Finds words for the next extent of a kind. A large kind fills groups of pages. False if no word is vacant. */
static bool find_words(covey_world *world, const covey__kind *kind, uint32_t count, run *found) {
    uint32_t size = next_size(kind, count);
    if (is_large(kind)) {
        uint32_t next = world->inner->kinds->extents[kind->extents[kind->slot_count - 1]].page + 1;
        *found = (run){ next, COVEY__ALL_WORDS };
        if (next % GROUP != 0 && pages_are_vacant(world, next, 1)) return true;
        if (find_vacant(world, COVEY__TABLE_WORDS, GROUP, found)) return true;
    }
    while (size != 0 && !find_vacant(world, size, 1, found)) size /= 2;
    return size != 0;
}

/* Points the cursor of a kind at the first word of an extent with a free index, and closes the words before it. A
 * shortcut frees indices without opening their words, so the caller ends it. */
bool covey__extent_point(covey_world *world, covey__kind *kind, uint32_t slot) {
    covey__fast_row_off(world);
    const covey__extent *extent = &world->inner->kinds->extents[kind->extents[slot]];
    covey__entity_page *page = world->pages[extent->page];
    for (uint64_t left = extent->words & page->held; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left);
        uint64_t issues = page->free[word] != 0 ? covey__issued_in(world, covey__word_index(extent->page, word)) : 0;
        if ((page->free[word] & issues) == 0) {
            page->held &= ~((uint64_t)1 << word);
            continue;
        }
        kind->cursor = covey__cursor_at(page, covey__word_index(extent->page, word), issues);
        kind->slot = slot;
        return true;
    }
    return false;
}

/* Gives a kind another extent. MEMORY, FULL. */
covey_result covey__extent_acquire(covey_world *world, covey__kind *kind, uint32_t count) {
    kinds_of_world *kinds = world->inner->kinds;
    uint32_t slot = free_slot(kind);
    run found;
    if (!find_words(world, kind, count, &found)) return COVEY_ERROR_FULL;
    if (!covey__entities_reach(world, covey__word_index(found.page, 0))) return COVEY_ERROR_MEMORY;
    if (!covey__kinds_add_extent(&world->inner->heap, kinds, kind, slot, found.page, found.words))
        return COVEY_ERROR_MEMORY;
    const covey__extent *extent = &kinds->extents[kind->extents[slot]];
    covey__extent_close(world, extent, kind->extents[slot]);
    expect_values(world, kind, extent);
    covey__extent_point(world, kind, slot);
    return COVEY_OK;
}

/* Makes words of an extent common. */
void covey__extent_open(covey_world *world, covey__extent *extent, uint64_t words) {
    covey__kind *kind = world->inner->kinds->at[extent->kind];
    covey__entity_page *page = world->pages[extent->page];
    extent->words &= ~words;
    kind->word_count -= covey__bits_in(words);
    covey__fast_row_off(world);
    if (kind->cursor.page == page && (words >> kind->cursor.at % COVEY_PAGE_SIZE / WORD & 1) != 0)
        kind->cursor.issues = 0;
    covey__note_vacant(world, extent->page, words);
    page->held &= ~words;
    for (uint64_t left = words; left != 0; left &= left - 1) page->extent[covey__lowest_bit(left)] = 0;
    for (uint64_t left = words; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left);
        if (page->free[word] != 0) covey__range_open(world, covey__word_index(extent->page, word));
    }
}

/* Makes an extent common, and forgets its kind if it was the last one. */
void covey__extent_release(covey_world *world, uint32_t number) {
    kinds_of_world *kinds = world->inner->kinds;
    covey__extent *extent = &kinds->extents[number];
    covey__kind *kind = kinds->at[extent->kind];
    covey__extent_open(world, extent, extent->words);
    kind->extents[extent->slot] = COVEY__NO_EXTENT;
    kind->open[extent->slot / 64] &= ~((uint64_t)1 << extent->slot % 64);
    while (kind->slot_count != 0 && kind->extents[kind->slot_count - 1] == COVEY__NO_EXTENT) kind->slot_count--;
    extent->kind = COVEY__NO_EXTENT;
    extent->slot = kinds->free_extent;
    kinds->free_extent = number;
    if (kind->slot_count == 0) covey__kind_forget(world, kind);
}

bool covey__words_are_vacant(const covey__entity_page *page, uint64_t words) {
    for (; words != 0; words &= words - 1)
        if (page->free[covey__lowest_bit(words)] != COVEY__TABLE_ALL) return false;
    return true;
}
