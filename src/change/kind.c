/* Kinds: entities that are created with the same types get neighbouring indices. */
#include "change/kind.h"

#include "memory/alloc.h"
#include "memory/balanced.h"
#include "memory/bits.h"
#include "memory/result.h"
#include "storage/type.h"
#include "storage/presence.h"
#include "storage/shortcut_off.h"
#include "storage/storage.h"

#include <stdalign.h>

#define WORD COVEY__TABLE_WORD
#define ALL_WORDS (UINT64_MAX >> (64 - COVEY__TABLE_WORDS)) /* the words of a page */

enum {
    AGE_LEAST = 128, /* candidates are counted at least so often before they age */
    GROUP = 4        /* pages that a large kind fills one after the other */
};

typedef struct covey__kinds kinds_of_world;

/* ---- Sets of types -----------------------------------------------------------------------------------------------*/

static uint64_t mix(uint64_t bits) { return (bits ^ bits >> 32) * UINT64_C(0x9E3779B97F4A7C15); }

void covey__kind_key_add(covey__kind_key *key, const covey_pool *pool) {
    uint32_t at = key->count;
    if (at >= COVEY__KIND_TYPES) {
        key->count = COVEY__KIND_TYPES + 1;
        return;
    }
    while (at != 0 && key->pools[at - 1] > pool->number) at--;
    if (at != 0 && key->pools[at - 1] == pool->number) return;
    memmove(key->pools + at + 1, key->pools + at, (key->count - at) * sizeof *key->pools);
    key->pools[at] = pool->number;
    key->count++;
    key->hash += mix(pool->name_hash);
}

covey__kind_key covey__kind_key_of(const covey_world *world, uint32_t index) {
    covey__kind_key key = covey__kind_key_none();
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);)
        if (!covey__is_internal(p.pool) && covey__has_index(p.pool, index)) covey__kind_key_add(&key, p.pool);
    return key;
}

static bool has_kind(const covey_world *world, const covey__kind_key *key) {
    return !world->inner->ids_in_order && key->count != 0 && key->count <= COVEY__KIND_TYPES;
}

/* Less than, equal to or greater than 0. */
static int compare_keys(const covey__kind_key *a, const covey__kind_key *b) {
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    if (a->count != b->count) return a->count < b->count ? -1 : 1;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->pools[i] != b->pools[i]) return a->pools[i] < b->pools[i] ? -1 : 1;
    return 0;
}

/* ---- All kinds ---------------------------------------------------------------------------------------------------*/

static covey__links *kind_links(const void *kinds, uint32_t number) {
    return &((const kinds_of_world *)kinds)->at[number]->links;
}

static bool is_kind_before(const void *context, uint32_t a, uint32_t b) {
    const kinds_of_world *kinds = context;
    return compare_keys(&kinds->at[a]->key, &kinds->at[b]->key) < 0;
}

covey__kind *covey__kinds_find(const struct covey__kinds *kinds, const covey__kind_key *key) {
    for (uint32_t at = kinds->root; at != COVEY__NO_NODE;) {
        covey__kind *kind = kinds->at[at];
        int order = compare_keys(key, &kind->key);
        if (order == 0) return kind;
        at = order < 0 ? kind->links.left : kind->links.right;
    }
    return NULL;
}

struct covey__kinds *covey__kinds_create(covey__heap *heap) {
    kinds_of_world *kinds = covey__resize(heap, NULL, 0, 1, sizeof *kinds, alignof(kinds_of_world));
    if (kinds)
        *kinds =
            (kinds_of_world){ .root = COVEY__NO_NODE, .free_extent = COVEY__NO_EXTENT, .counted_at = COVEY__NO_EXTENT };
    return kinds;
}

covey__kind *covey__kinds_add(covey__heap *heap, struct covey__kinds *kinds, const covey__kind_key *key) {
    uint32_t number = kinds->free_from;
    while (number < kinds->count && kinds->at[number]) number++;
    covey__kind **at = covey__reach(heap, kinds->at, &kinds->capacity, number, UINT32_MAX, NULL);
    if (!at) return NULL;
    kinds->at = at;
    covey__kind *kind = covey__resize(heap, NULL, 0, 1, sizeof *kind, alignof(covey__kind));
    if (!kind) return NULL;
    *kind = (covey__kind){ .cursor.page = covey__missing_page(), .number = number, .key = *key };
    covey__tree tree = { kind_links, is_kind_before, kinds };
    at[number] = kind;
    kinds->count += number == kinds->count;
    kinds->free_from = number + 1;
    kinds->root = covey__tree_put(&tree, kinds->root, number);
    return kind;
}

static uint32_t words_for(uint32_t bits) { return bits / 64 + (bits % 64 != 0); }

static void free_kind(covey__heap *heap, covey__kind *kind) {
    covey__free(heap, kind->extents, kind->slot_capacity, sizeof *kind->extents, alignof(uint32_t));
    covey__free(heap, kind->open, kind->open_words, sizeof *kind->open, alignof(uint64_t));
    covey__free(heap, kind, 1, sizeof *kind, alignof(covey__kind));
}

/* Ends a kind that has no extents. */
static void forget(covey_world *world, covey__kind *kind) {
    kinds_of_world *kinds = world->inner->kinds;
    covey__tree tree = { kind_links, is_kind_before, kinds };
    kinds->root = covey__tree_take(&tree, kinds->root, kind->number);
    kinds->at[kind->number] = NULL;
    if (kind->number < kinds->free_from) kinds->free_from = kind->number;
    while (kinds->count != 0 && !kinds->at[kinds->count - 1]) kinds->count--;
    if (world->recent.cursor == &kind->cursor) world->recent.count = COVEY_NONE;
    free_kind(&world->inner->heap, kind);
}

/* ---- Candidates ----------------------------------------------------------------------------------------------------
 *
 * A candidate is a tag, the highest bits of a hash, and a count in the low bits. Its highest bits choose a set of WAYS
 * places, so if there are twice as many sets, each is split in two. */

enum { WAYS = 4, COUNT_MOST = 255 };

static uint32_t tag_of(const covey__kind_key *key) { return (uint32_t)(mix(key->hash) >> 32) & ~(uint32_t)COUNT_MOST; }

static uint32_t count_of(uint32_t candidate) { return candidate & COUNT_MOST; }

static bool is_same(uint32_t candidate, uint32_t tag) { return (candidate ^ tag) <= COUNT_MOST; }

/* The place of a candidate, or the one that it gets: of the candidate of its set with the lowest count. */
static uint32_t place_of(const kinds_of_world *kinds, uint32_t tag) {
    uint32_t set = tag >> (32 - covey__highest_bit(kinds->candidate_count / WAYS)), place = set * WAYS;
    for (uint32_t at = set * WAYS; at < set * WAYS + WAYS; at++) {
        if (is_same(kinds->candidates[at], tag)) return at;
        if (count_of(kinds->candidates[at]) < count_of(kinds->candidates[place])) place = at;
    }
    return place;
}

bool covey__kinds_add_candidates(covey__heap *heap, struct covey__kinds *kinds, uint32_t count) {
    uint32_t *candidates = covey__resize(heap, NULL, 0, count, sizeof *candidates, alignof(uint32_t));
    if (!candidates) return false;
    uint32_t *old = kinds->candidates, old_count = kinds->candidate_count;
    memset(candidates, 0, count * sizeof *candidates);
    kinds->candidates = candidates;
    kinds->candidate_count = count;
    kinds->counted_at = COVEY__NO_EXTENT;
    for (uint32_t i = 0; i < old_count; i++)
        if (old[i] != 0) candidates[place_of(kinds, old[i])] = old[i];
    covey__free(heap, old, old_count, sizeof *old, alignof(uint32_t));
    return true;
}

bool covey__kinds_put_candidate(struct covey__kinds *kinds, uint32_t place, uint32_t candidate) {
    if (place >= kinds->candidate_count || count_of(candidate) == 0) return false;
    uint32_t found = place_of(kinds, candidate), there = kinds->candidates[found];
    if (found / WAYS != place / WAYS || kinds->candidates[place] != 0) return false;
    if (there != 0 && is_same(there, candidate)) return false;
    kinds->candidates[place] = candidate;
    return true;
}

/* Counts of entities that were created long ago matter less. */
static uint32_t age(uint32_t candidate) {
    uint32_t count = count_of(candidate);
    return count > 1 ? candidate - count + count / 2 : 0;
}

uint32_t covey__kinds_candidate(const struct covey__kinds *kinds, uint32_t place) {
    return kinds->is_aged ? kinds->candidates[place] : age(kinds->candidates[place]);
}

static void age_candidates(kinds_of_world *kinds) {
    for (uint32_t i = 0; i < kinds->candidate_count; i++) kinds->candidates[i] = age(kinds->candidates[i]);
    kinds->is_aged = true;
    kinds->counted_at = COVEY__NO_EXTENT;
}

/* Before candidates are used. There are more places for them in a larger world. */
static bool prepare_candidates(covey_world *world) {
    covey__heap *heap = &world->inner->heap;
    if (!world->inner->kinds) world->inner->kinds = covey__kinds_create(heap);
    kinds_of_world *kinds = world->inner->kinds;
    if (!kinds) return false;
    if (!kinds->is_aged) age_candidates(kinds);
    uint32_t count = kinds->candidate_count != 0 ? kinds->candidate_count : COVEY__CANDIDATES_LEAST;
    while (count < COVEY__CANDIDATES_MOST && world->alive / 8 > count) count *= 2;
    return count == kinds->candidate_count || covey__kinds_add_candidates(heap, kinds, count);
}

static uint32_t created_so_far(const kinds_of_world *kinds, const covey__kind_key *key) {
    uint32_t candidate = kinds->candidates[place_of(kinds, tag_of(key))];
    return is_same(candidate, tag_of(key)) ? count_of(candidate) : 0;
}

static uint32_t count_up(uint32_t candidate, uint32_t tag, uint32_t count) {
    uint32_t before = count_of(candidate);
    if (is_same(candidate, tag)) count = count < COUNT_MOST - before ? before + count : COUNT_MOST;
    else if (before > count) return candidate - count;
    return tag | (count < COUNT_MOST ? count : COUNT_MOST);
}

void covey__kind_count(covey_world *world, const covey__kind_key *key, bool common, uint32_t count) {
    kinds_of_world *kinds = world->inner->kinds;
    if (!has_kind(world, key) || count == 0) return;
    uint32_t tag = tag_of(key), place = place_of(kinds, tag), candidate = kinds->candidates[place];
    kinds->counted = candidate;
    kinds->counted_since = kinds->since;
    kinds->counted_at = place;
    if (!common) {
        if (is_same(candidate, tag)) kinds->candidates[place] = 0;
        return;
    }
    uint32_t enough = world->alive / 4 > AGE_LEAST ? world->alive / 4 : AGE_LEAST;
    kinds->candidates[place] = count_up(candidate, tag, count);
    kinds->is_aged = count < enough && kinds->since < enough - count;
    kinds->since = kinds->is_aged ? kinds->since + count : 0;
}

void covey__kind_count_back(covey_world *world) {
    kinds_of_world *kinds = world->inner->kinds;
    if (!kinds || kinds->counted_at == COVEY__NO_EXTENT) return;
    kinds->candidates[kinds->counted_at] = kinds->counted;
    kinds->since = kinds->counted_since;
    kinds->is_aged = true;
    kinds->counted_at = COVEY__NO_EXTENT;
}

/* ---- Vacant words ------------------------------------------------------------------------------------------------*/

static uint32_t index_of(uint32_t page, uint32_t word) { return page * COVEY_PAGE_SIZE + word * WORD; }

/* The common words of a page all of whose indices are free, and may be issued. */
static uint64_t vacant_words(const covey_world *world, uint32_t number) {
    covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
    uint64_t vacant = page ? page->vacant : ALL_WORDS;
    for (uint64_t left = vacant; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left);
        bool used = page && (page->extent[word] != 0 || page->free[word] != COVEY__TABLE_ALL);
        if (used || covey__issued_in(world, index_of(number, word)) != COVEY__TABLE_ALL)
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
        if ((uint64_t)(page + i) * COVEY_PAGE_SIZE >= COVEY_NONE || vacant_words(world, page + i) != ALL_WORDS)
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

static void note_vacant(covey_world *world, uint32_t number, uint64_t words) {
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
    uint32_t old_words = kind->open_words, words = words_for(capacity);
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

bool covey__kinds_add_extent(covey__heap *heap, struct covey__kinds *kinds, covey__kind *kind, uint32_t slot,
                             uint32_t page, uint64_t words) {
    if (!reserve_extent(heap, kinds) || !reserve_slot(heap, kind, slot)) return false;
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

static void close_words(covey_world *world, const covey__extent *extent, uint32_t number) {
    covey__entity_page *page = world->pages[extent->page];
    for (uint64_t left = extent->words; left != 0; left &= left - 1) page->extent[covey__lowest_bit(left)] = number + 1;
    page->words &= ~extent->words;
    page->vacant &= ~extent->words;
    page->held |= extent->words;
    if (page->words == 0) covey__page_close(world, index_of(extent->page, 0));
    if (world->range.cursor.page == page && (extent->words >> world->range.cursor.at % COVEY_PAGE_SIZE / WORD & 1) != 0)
        world->range.cursor.issues = 0;
}

/* The next values of a kind will be in the blocks of an extent and, in a group of pages, in those behind it. */
static void expect_values(const covey_world *world, const covey__kind *kind, const covey__extent *extent) {
    uint32_t first = covey__lowest_bit(extent->words), count = covey__bits_in(extent->words), page = extent->page;
    while (is_large(kind) && ++page % GROUP != 0 && pages_are_vacant(world, page, 1)) count += COVEY__TABLE_WORDS;
    for (uint32_t i = 0; i < kind->key.count && WORD == COVEY__BLOCK_IDS; i++)
        covey__storage_expect(world->pools[kind->key.pools[i]], index_of(extent->page, first), count);
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
        *found = (run){ next, ALL_WORDS };
        if (next % GROUP != 0 && pages_are_vacant(world, next, 1)) return true;
        if (find_vacant(world, COVEY__TABLE_WORDS, GROUP, found)) return true;
    }
    while (size != 0 && !find_vacant(world, size, 1, found)) size /= 2;
    return size != 0;
}

/* Points the cursor of a kind at the first word of an extent with a free index, and closes the words before it. A
 * shortcut frees indices without opening their words, so the caller ends it. */
static bool point_at(const covey_world *world, covey__kind *kind, uint32_t slot) {
    const covey__extent *extent = &world->inner->kinds->extents[kind->extents[slot]];
    covey__entity_page *page = world->pages[extent->page];
    for (uint64_t left = extent->words & page->held; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left);
        uint64_t issues = page->free[word] != 0 ? covey__issued_in(world, index_of(extent->page, word)) : 0;
        if ((page->free[word] & issues) == 0) {
            page->held &= ~((uint64_t)1 << word);
            continue;
        }
        kind->cursor = (covey__cursor){ page, issues, index_of(extent->page, word) };
        kind->slot = slot;
        return true;
    }
    return false;
}

/* Gives a kind another extent. MEMORY, FULL. */
static covey_result acquire(covey_world *world, covey__kind *kind, uint32_t count) {
    kinds_of_world *kinds = world->inner->kinds;
    uint32_t slot = free_slot(kind);
    run found;
    if (!find_words(world, kind, count, &found)) return COVEY_ERROR_FULL;
    if (!covey__entities_reach(world, index_of(found.page, 0))) return COVEY_ERROR_MEMORY;
    if (!covey__kinds_add_extent(&world->inner->heap, kinds, kind, slot, found.page, found.words))
        return COVEY_ERROR_MEMORY;
    const covey__extent *extent = &kinds->extents[kind->extents[slot]];
    close_words(world, extent, kind->extents[slot]);
    expect_values(world, kind, extent);
    point_at(world, kind, slot);
    return COVEY_OK;
}

/* Makes words of an extent common. */
static void open_words(covey_world *world, covey__extent *extent, uint64_t words) {
    covey__kind *kind = world->inner->kinds->at[extent->kind];
    covey__entity_page *page = world->pages[extent->page];
    extent->words &= ~words;
    kind->word_count -= covey__bits_in(words);
    if (kind->cursor.page == page && (words >> kind->cursor.at % COVEY_PAGE_SIZE / WORD & 1) != 0)
        kind->cursor.issues = 0;
    note_vacant(world, extent->page, words);
    page->held &= ~words;
    for (uint64_t left = words; left != 0; left &= left - 1) page->extent[covey__lowest_bit(left)] = 0;
    for (uint64_t left = words; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left);
        if (page->free[word] != 0) covey__range_open(world, index_of(extent->page, word));
    }
}

/* Makes an extent common, and forgets its kind if it was the last one. */
static void release(covey_world *world, uint32_t number) {
    kinds_of_world *kinds = world->inner->kinds;
    covey__extent *extent = &kinds->extents[number];
    covey__kind *kind = kinds->at[extent->kind];
    open_words(world, extent, extent->words);
    kind->extents[extent->slot] = COVEY__NO_EXTENT;
    kind->open[extent->slot / 64] &= ~((uint64_t)1 << extent->slot % 64);
    while (kind->slot_count != 0 && kind->extents[kind->slot_count - 1] == COVEY__NO_EXTENT) kind->slot_count--;
    extent->kind = COVEY__NO_EXTENT;
    extent->slot = kinds->free_extent;
    kinds->free_extent = number;
    if (kind->slot_count == 0) forget(world, kind);
}

static bool are_vacant(const covey__entity_page *page, uint64_t words) {
    for (; words != 0; words &= words - 1)
        if (page->free[covey__lowest_bit(words)] != COVEY__TABLE_ALL) return false;
    return true;
}

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

static covey__kind *make_kind(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result) {
    covey__kind *kind = covey__kinds_add(&world->inner->heap, world->inner->kinds, key);
    *result = kind ? acquire(world, kind, count) : COVEY_ERROR_MEMORY;
    if (*result == COVEY_OK || !kind) return kind;
    forget(world, kind);
    if (*result == COVEY_ERROR_FULL) *result = COVEY_OK;
    return NULL;
}

bool covey__kind_is_due(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result) {
    *result = COVEY_OK;
    if (!has_kind(world, key) || count == 0) return false;
    if (!prepare_candidates(world)) {
        *result = COVEY_ERROR_MEMORY;
        return false;
    }
    uint64_t created = (uint64_t)created_so_far(world->inner->kinds, key) + count;
    return created > COVEY_KIND_LEAST || covey__kinds_find(world->inner->kinds, key);
}

covey__kind *covey__kind_for(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result) {
    if (!covey__kind_is_due(world, key, count, result)) return NULL;
    covey__kind *kind = covey__kinds_find(world->inner->kinds, key);
    return kind ? kind : make_kind(world, key, count, result);
}

/* Points the cursor of a kind at its lowest free index. MEMORY, FULL. */
static covey_result seek(covey_world *world, covey__kind *kind) {
    covey__fast_destroy_off(world);
    for (uint32_t i = kind->slot / 64; i < words_for(kind->slot_count); i++)
        for (uint64_t left = kind->open[i]; left != 0; left &= left - 1) {
            if (point_at(world, kind, i * 64 + covey__lowest_bit(left))) return COVEY_OK;
            kind->open[i] &= ~(left & (~left + 1));
        }
    return acquire(world, kind, 1);
}

static bool any_is_free(const covey_world *world) {
    const kinds_of_world *kinds = world->inner->kinds;
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++) {
        const covey__extent *extent = &kinds->extents[i];
        for (uint64_t left = extent->kind != COVEY__NO_EXTENT ? extent->words : 0; left != 0; left &= left - 1) {
            uint32_t word = covey__lowest_bit(left);
            if ((world->pages[extent->page]->free[word] & covey__issued_in(world, index_of(extent->page, word))) != 0)
                return true;
        }
    }
    return false;
}

/* If indices run out, all words become common. */
const covey__cursor *covey__next_cursor(covey_world *world, covey__kind **kind, covey_result *result) {
    *result = COVEY_OK;
    if (*kind) {
        if (covey__cursor_ready(&(*kind)->cursor) == 0) *result = seek(world, *kind);
        if (*result != COVEY_ERROR_FULL) return *result == COVEY_OK ? &(*kind)->cursor : NULL;
        *kind = NULL;
    }
    const covey__cursor *cursor = &world->range.cursor;
    *result = covey__cursor_ready(cursor) != 0 ? COVEY_OK : covey__range_seek(world, &world->range);
    if (*result == COVEY_ERROR_FULL && any_is_free(world)) {
        covey__kinds_reset(world);
        *result = covey__range_seek(world, &world->range);
    }
    return *result == COVEY_OK ? cursor : NULL;
}

uint32_t covey__index_take(covey_world *world, const covey__kind_key *key, covey_result *result) {
    *result = COVEY_OK;
    covey__kind *kind = key ? covey__kind_for(world, key, 1, result) : NULL;
    const covey__cursor *cursor = *result == COVEY_OK ? covey__next_cursor(world, &kind, result) : NULL;
    if (!cursor) return COVEY_NONE;
    if (key) covey__kind_count(world, key, !kind, 1);
    uint32_t index = cursor->at + covey__lowest_bit(covey__cursor_ready(cursor));
    covey__table_take(cursor->page, index);
    return index;
}

void covey__kind_remember(covey_world *world, covey__kind *kind, const covey_component *components, uint32_t count) {
    world->recent.count = count;
    world->recent.cursor = &kind->cursor;
    for (uint32_t i = 0; i < count; i++) world->recent.types[i] = components[i].type;
}

/* ---- Freeing -----------------------------------------------------------------------------------------------------*/

/* Moves the cursor of a kind back if a word with free indices is before it. */
static void move_back(covey_world *world, const covey__extent *extent, uint32_t index) {
    covey__kind *kind = world->inner->kinds->at[extent->kind];
    uint32_t word = index - index % WORD;
    bool before = extent->slot < kind->slot || (extent->slot == kind->slot && word < kind->cursor.at);
    covey__set_bit(kind->open, extent->slot);
    covey__existing_page(world, index)->held |= (uint64_t)1 << index % COVEY_PAGE_SIZE / WORD;
    if (!before) return;
    covey__fast_destroy_off(world);
    point_at(world, kind, extent->slot);
}

void covey__word_freed(covey_world *world, uint32_t index) {
    covey__entity_page *page = covey__existing_page(world, index);
    uint32_t word = index % COVEY_PAGE_SIZE / 64, number = page->extent[word];
    if (number == 0) {
        if (page->free[word] == COVEY__TABLE_ALL) note_vacant(world, index / COVEY_PAGE_SIZE, (uint64_t)1 << word);
        covey__range_open(world, index);
        return;
    }
    const covey__extent *extent = &world->inner->kinds->extents[number - 1];
    bool vacant = page->free[word] == COVEY__TABLE_ALL && are_vacant(page, extent->words);
    if (vacant) release(world, number - 1);
    else move_back(world, extent, index);
}

static bool overlaps(uint32_t word, uint32_t first, uint32_t end) { return word < end && first < word + WORD; }

void covey__kinds_leave(covey_world *world, uint32_t first, uint32_t end) {
    kinds_of_world *kinds = world->inner->kinds;
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++) {
        covey__extent *extent = &kinds->extents[i];
        uint64_t words = 0;
        for (uint64_t left = extent->kind != COVEY__NO_EXTENT ? extent->words : 0; left != 0; left &= left - 1)
            if (overlaps(index_of(extent->page, covey__lowest_bit(left)), first, end)) words |= left & (~left + 1);
        if (words == 0) continue;
        open_words(world, extent, words);
        if (are_vacant(world->pages[extent->page], extent->words)) release(world, i);
        world->range.cursor = covey__range_from(world->range.first).cursor; /* a word may have indices of two ranges */
    }
}

void covey__kinds_trim(covey_world *world) {
    kinds_of_world *kinds = world->inner->kinds;
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++) {
        covey__extent *extent = &kinds->extents[i];
        for (uint64_t left = extent->kind != COVEY__NO_EXTENT ? extent->words : 0; left != 0; left &= left - 1) {
            uint64_t word = left & (~left + 1);
            if (are_vacant(world->pages[extent->page], word)) open_words(world, extent, word);
        }
    }
}

void covey__kinds_reset(covey_world *world) {
    kinds_of_world *kinds = world->inner->kinds;
    if (!kinds) return;
    for (uint32_t i = 0; i < kinds->extent_count; i++)
        if (kinds->extents[i].kind != COVEY__NO_EXTENT) release(world, i);
    if (kinds->candidate_count != 0) memset(kinds->candidates, 0, kinds->candidate_count * sizeof *kinds->candidates);
    kinds->counted_at = COVEY__NO_EXTENT;
    kinds->since = 0;
    kinds->is_aged = true;
}

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

void covey__kinds_free(covey__heap *heap, struct covey__kinds *kinds) {
    if (!kinds) return;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (kinds->at[i]) free_kind(heap, kinds->at[i]);
    covey__free(heap, kinds->at, kinds->capacity, sizeof *kinds->at, alignof(covey__kind *));
    covey__free(heap, kinds->extents, kinds->extent_capacity, sizeof *kinds->extents, alignof(covey__extent));
    covey__free(heap, kinds->candidates, kinds->candidate_count, sizeof *kinds->candidates, alignof(uint32_t));
    covey__free(heap, kinds, 1, sizeof *kinds, alignof(kinds_of_world));
}

struct covey__kinds *covey__kinds_exchange(covey_world *world, struct covey__kinds *kinds) {
    kinds_of_world *old = world->inner->kinds;
    for (uint32_t i = 0; i < world->page_count; i++) {
        covey__entity_page *page = covey__entity_page_of(world, i * COVEY_PAGE_SIZE);
        if (!page) continue;
        page->words = page->vacant = ALL_WORDS;
        page->held = 0;
        memset(page->extent, 0, sizeof page->extent);
    }
    world->inner->kinds = kinds;
    world->recent.count = COVEY_NONE;
    covey__ranges_renew(world);
    world->range.cursor.at = covey__range_from(world->range.first).cursor.at;
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++)
        if (kinds->extents[i].kind != COVEY__NO_EXTENT) close_words(world, &kinds->extents[i], i);
    return old;
}

size_t covey__kinds_bytes(const covey_world *world) {
    const kinds_of_world *kinds = world->inner->kinds;
    if (!kinds) return 0;
    size_t bytes = sizeof *kinds + kinds->capacity * sizeof *kinds->at +
                   kinds->extent_capacity * sizeof *kinds->extents + kinds->candidate_count * sizeof *kinds->candidates;
    for (uint32_t i = 0; i < kinds->count; i++)
        if (kinds->at[i])
            bytes += sizeof *kinds->at[i] + kinds->at[i]->slot_capacity * sizeof(uint32_t) +
                     kinds->at[i]->open_words * sizeof(uint64_t);
    return bytes;
}

/* ---- Describing --------------------------------------------------------------------------------------------------*/

static uint32_t count_alive(const covey__entity_page *page, uint32_t word) {
    uint32_t alive = 0;
    for (uint32_t i = word * WORD; i < word * WORD + WORD; i++) alive += page->generation[i] & 1;
    return alive;
}

covey_entity_kind covey__kind_describe(const covey_world *world, uint32_t number) {
    const covey__kind *kind = world->inner->kinds->at[number];
    covey_entity_kind found = { .type_count = kind->key.count, .first_index = COVEY_NONE };
    for (uint32_t i = 0; i < kind->key.count; i++) found.types[i] = world->pools[kind->key.pools[i]]->type;
    for (uint32_t slot = 0; slot < kind->slot_count; slot++) {
        if (kind->extents[slot] == COVEY__NO_EXTENT) continue;
        const covey__extent *extent = &world->inner->kinds->extents[kind->extents[slot]];
        uint32_t first = index_of(extent->page, covey__lowest_bit(extent->words));
        if (first < found.first_index) found.first_index = first;
        for (uint64_t left = extent->words; left != 0; left &= left - 1, found.blocks++)
            found.entities += count_alive(world->pages[extent->page], covey__lowest_bit(left));
    }
    return found;
}

uint32_t covey_world_kinds(const covey_world *world, covey_entity_kind *kinds, uint32_t capacity) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, kinds, capacity);
    const kinds_of_world *all = world->inner->kinds;
    uint32_t count = 0;
    for (uint32_t i = 0; all && i < all->count; i++) {
        if (!all->at[i]) continue;
        if (count < capacity) kinds[count] = covey__kind_describe(world, i);
        count++;
    }
    return count;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool is_kind(const void *context, uint32_t number) {
    const kinds_of_world *kinds = context;
    return number < kinds->count && kinds->at[number];
}

static bool valid_extent(const covey_world *world, uint32_t number, const char **why) {
    const kinds_of_world *kinds = world->inner->kinds;
    const covey__extent *extent = &kinds->extents[number];
    REQUIRE(is_kind(kinds, extent->kind), "kinds: an extent without a kind");
    const covey__kind *kind = kinds->at[extent->kind];
    REQUIRE(extent->slot < kind->slot_count && kind->extents[extent->slot] == number,
            "kinds: an extent is not in its slot");
    const covey__entity_page *page =
        extent->page < world->page_count ? covey__entity_page_of(world, index_of(extent->page, 0)) : NULL;
    REQUIRE(page && extent->words != 0 && (extent->words & ~ALL_WORDS) == 0, "kinds: an extent without words");
    REQUIRE(!are_vacant(page, extent->words), "kinds: an extent without entities");
    for (uint64_t left = extent->words; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left), index = index_of(extent->page, word);
        REQUIRE(page->extent[word] == number + 1, "kinds: a word of an extent belongs to another one");
        if ((page->free[word] & covey__issued_in(world, index)) == 0) continue;
        REQUIRE(covey__has_bit(kind->open, extent->slot) && (page->held >> word & 1) != 0,
                "kinds: an extent with free indices is closed");
        REQUIRE(extent->slot > kind->slot || (extent->slot == kind->slot && index >= kind->cursor.at),
                "kinds: a cursor has passed a free index");
    }
    return true;
}

static bool valid_kind(const covey_world *world, const covey__kind *kind, const char **why) {
    const kinds_of_world *kinds = world->inner->kinds;
    uint32_t words = 0;
    uint64_t hash = 0;
    REQUIRE(kind->slot_count != 0 && kind->extents[kind->slot_count - 1] != COVEY__NO_EXTENT,
            "kinds: a kind without extents");
    for (uint32_t slot = 0; slot < kind->slot_count; slot++) {
        uint32_t number = kind->extents[slot];
        if (number == COVEY__NO_EXTENT) continue;
        REQUIRE(number < kinds->extent_count && kinds->extents[number].kind == kind->number,
                "kinds: an extent belongs to another kind");
        words += covey__bits_in(kinds->extents[number].words);
    }
    REQUIRE(words == kind->word_count, "kinds: the number of words is wrong");
    for (uint32_t i = 0; i < kind->key.count; i++) {
        REQUIRE(kind->key.pools[i] < world->pool_count && (i == 0 || kind->key.pools[i - 1] < kind->key.pools[i]),
                "kinds: the pools of a kind are out of order");
        hash += mix(world->pools[kind->key.pools[i]]->name_hash);
    }
    REQUIRE(hash == kind->key.hash, "kinds: the hash of a kind is wrong");
    if (kind->cursor.issues == 0) return true;
    REQUIRE(covey__entity_page_of(world, kind->cursor.at) == kind->cursor.page &&
                kind->cursor.issues == covey__issued_in(world, kind->cursor.at) &&
                kind->cursor.page->extent[kind->cursor.at % COVEY_PAGE_SIZE / WORD] == kind->extents[kind->slot] + 1,
            "kinds: the cursor of a kind is outside of its extents");
    return true;
}

/* Each word of the table belongs to an extent that has it. Vacant words are marked. */
static bool valid_words(const covey_world *world, uint32_t number, const char **why) {
    const kinds_of_world *kinds = world->inner->kinds;
    const covey__entity_page *page = covey__entity_page_of(world, index_of(number, 0));
    for (uint32_t word = 0; page && word < COVEY__TABLE_WORDS; word++) {
        uint32_t extent = page->extent[word];
        REQUIRE(extent == 0 || (kinds && extent <= kinds->extent_count && kinds->extents[extent - 1].page == number &&
                                kinds->extents[extent - 1].kind != COVEY__NO_EXTENT &&
                                (kinds->extents[extent - 1].words >> word & 1) != 0),
                "kinds: a word belongs to an extent that does not have it");
        REQUIRE(extent != 0 || (page->held >> word & 1) == 0, "kinds: a common word is held");
        bool vacant = extent == 0 && page->free[word] == COVEY__TABLE_ALL &&
                      covey__issued_in(world, index_of(number, word)) == COVEY__TABLE_ALL;
        REQUIRE(!vacant || ((page->vacant >> word & 1) != 0 && (!kinds || number >= kinds->vacant_from)),
                "kinds: a vacant word is not marked");
    }
    return true;
}

bool covey__kinds_valid(const covey_world *world, const char **why) {
    const kinds_of_world *kinds = world->inner->kinds;
    uint32_t count = 0, found = 0;
    bool recent = world->recent.count == COVEY_NONE;
    for (uint32_t i = 0; i < world->page_count; i++)
        if (!valid_words(world, i, why)) return false;
    for (uint32_t i = 0; kinds && i < kinds->count; i++) {
        if (!kinds->at[i]) continue;
        REQUIRE(kinds->at[i]->number == i, "kinds: a kind has the number of another one");
        if (!valid_kind(world, kinds->at[i], why)) return false;
        recent = recent || world->recent.cursor == &kinds->at[i]->cursor;
        count++;
    }
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++)
        if (kinds->extents[i].kind != COVEY__NO_EXTENT && !valid_extent(world, i, why)) return false;
    REQUIRE(recent, "kinds: the recent kind does not exist");
    covey__tree tree = { kind_links, is_kind_before, kinds };
    REQUIRE(!kinds || (covey__tree_valid(&tree, kinds->root, is_kind, kinds->count, &found) && found == count),
            "kinds: the tree of kinds is out of order");
    return true;
}
