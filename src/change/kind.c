/* Kinds: entities that are created with the same types get neighbouring indices. */
#include "change/kind.h"

#include "memory/bits.h"
#include "storage/shortcut_off.h"

#define WORD COVEY__TABLE_WORD

typedef struct covey__kinds kinds_of_world;

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

static covey__kind *make_kind(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result) {
    covey__kind *kind = covey__kinds_add(&world->inner->heap, world->inner->kinds, key);
    if (kind) kind->is_new = true;
    *result = kind ? covey__extent_acquire(world, kind, count) : COVEY_ERROR_MEMORY;
    if (*result == COVEY_OK || !kind) return kind;
    covey__kind_forget(world, kind);
    if (*result == COVEY_ERROR_FULL) *result = COVEY_OK;
    return NULL;
}

/* Finds the kind with these types. If there is none, *due is whether the next `count` entities make one. MEMORY. */
static covey__kind *find_kind(covey_world *world, const covey__kind_key *key, uint32_t count, bool *due,
                              covey_result *result) {
    *result = COVEY_OK;
    *due = false;
    if (!covey__may_be_kind(world, key) || count == 0) return NULL;
    if (!covey__candidates_prepare(world)) {
        *result = COVEY_ERROR_MEMORY;
        return NULL;
    }
    covey__kind *kind = covey__kinds_find(world->inner->kinds, key);
    if (!kind) *due = (uint64_t)covey__created_so_far(world->inner->kinds, key) + count > COVEY_KIND_LEAST;
    return kind;
}

bool covey__kind_is_due(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result) {
    bool due;
    return find_kind(world, key, count, &due, result) || due;
}

covey__kind *covey__kind_for(covey_world *world, const covey__kind_key *key, uint32_t count, covey_result *result) {
    bool due;
    covey__kind *kind = find_kind(world, key, count, &due, result);
    return due ? make_kind(world, key, count, result) : kind;
}

/* Points the cursor of a kind at its lowest free index. MEMORY, FULL. */
static covey_result seek(covey_world *world, covey__kind *kind) {
    covey__fast_destroy_off(world);
    for (uint32_t i = kind->slot / 64; i < covey__words_for(kind->slot_count); i++)
        for (uint64_t left = kind->open[i]; left != 0; left &= left - 1) {
            if (covey__extent_point(world, kind, i * 64 + covey__lowest_bit(left))) return COVEY_OK;
            kind->open[i] &= ~(left & (~left + 1));
        }
    return covey__extent_acquire(world, kind, 1);
}

/* Points a cursor at the lowest free index of all kinds. Returns false if there is none. */
static bool seek_in_all(const covey_world *world, covey__cursor *cursor) {
    const kinds_of_world *kinds = world->inner->kinds;
    cursor->at = COVEY_NONE;
    for (uint32_t i = 0; i < kinds->extent_count; i++) {
        const covey__extent *extent = &kinds->extents[i];
        covey__entity_page *page = world->pages[extent->page];
        for (uint64_t left = extent->kind != COVEY__NO_EXTENT ? extent->words : 0; left != 0; left &= left - 1) {
            uint32_t word = covey__lowest_bit(left), at = covey__word_index(extent->page, word);
            if (at > cursor->at || page->free[word] == 0) continue;
            uint64_t issues = covey__issued_in(world, at);
            if ((page->free[word] & issues) != 0) *cursor = covey__cursor_at(page, at, issues);
        }
    }
    return cursor->at != COVEY_NONE;
}

/* If indices run out, those of kinds are issued to all. */
const covey__cursor *covey__next_cursor(covey_world *world, covey__kind **kind, covey_result *result) {
    kinds_of_world *kinds = world->inner->kinds;
    *result = COVEY_OK;
    if (*kind) {
        if (covey__cursor_ready(&(*kind)->cursor) == 0) *result = seek(world, *kind);
        if (*result != COVEY_ERROR_FULL) return *result == COVEY_OK ? &(*kind)->cursor : NULL;
        *kind = NULL;
    }
    const covey__cursor *cursor = &world->range.cursor;
    *result = covey__cursor_ready(cursor) != 0 ? COVEY_OK : covey__range_seek(world, &world->range);
    if (*result == COVEY_OK) return cursor;
    bool found = *result == COVEY_ERROR_FULL && kinds && seek_in_all(world, &kinds->last_resort);
    if (found) *result = COVEY_OK;
    return found ? &kinds->last_resort : NULL;
}

uint32_t covey__index_take(covey_world *world, covey__kind **kind, covey_result *result) {
    const covey__cursor *cursor = covey__next_cursor(world, kind, result);
    if (!cursor) return COVEY_NONE;
    uint32_t index = cursor->at + covey__lowest_bit(covey__cursor_ready(cursor));
    covey__table_take(cursor->page, index);
    return index;
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
    covey__extent_point(world, kind, extent->slot);
}

void covey__word_freed(covey_world *world, uint32_t index) {
    covey__entity_page *page = covey__existing_page(world, index);
    uint32_t word = index % COVEY_PAGE_SIZE / 64, number = page->extent[word];
    if (number == 0) {
        if (page->free[word] == COVEY__TABLE_ALL)
            covey__note_vacant(world, index / COVEY_PAGE_SIZE, (uint64_t)1 << word);
        covey__range_open(world, index);
        return;
    }
    const covey__extent *extent = &world->inner->kinds->extents[number - 1];
    bool vacant = page->free[word] == COVEY__TABLE_ALL && covey__words_are_vacant(page, extent->words);
    if (vacant) covey__extent_release(world, number - 1);
    else move_back(world, extent, index);
}

static bool overlaps(uint32_t word, uint32_t first, uint32_t end) { return word < end && first < word + WORD; }

void covey__kinds_leave(covey_world *world, uint32_t first, uint32_t end) {
    kinds_of_world *kinds = world->inner->kinds;
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++) {
        covey__extent *extent = &kinds->extents[i];
        uint64_t words = 0;
        for (uint64_t left = extent->kind != COVEY__NO_EXTENT ? extent->words : 0; left != 0; left &= left - 1)
            if (overlaps(covey__word_index(extent->page, covey__lowest_bit(left)), first, end))
                words |= left & (~left + 1);
        if (words == 0) continue;
        covey__extent_open(world, extent, words);
        if (covey__words_are_vacant(world->pages[extent->page], extent->words)) covey__extent_release(world, i);
        world->range.cursor = covey__range_from(world->range.first).cursor; /* a word may have indices of two ranges */
    }
}

void covey__kinds_trim(covey_world *world) {
    kinds_of_world *kinds = world->inner->kinds;
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++) {
        covey__extent *extent = &kinds->extents[i];
        for (uint64_t left = extent->kind != COVEY__NO_EXTENT ? extent->words : 0; left != 0; left &= left - 1) {
            uint64_t word = left & (~left + 1);
            if (covey__words_are_vacant(world->pages[extent->page], word)) covey__extent_open(world, extent, word);
        }
    }
}

/* ---- As a whole --------------------------------------------------------------------------------------------------*/

struct covey__kinds *covey__kinds_exchange(covey_world *world, struct covey__kinds *kinds) {
    kinds_of_world *old = world->inner->kinds;
    for (uint32_t i = 0; i < world->page_count; i++) {
        covey__entity_page *page = covey__entity_page_of(world, i * COVEY_PAGE_SIZE);
        if (!page) continue;
        page->words = page->vacant = COVEY__ALL_WORDS;
        page->held = 0;
        memset(page->extent, 0, sizeof page->extent);
    }
    world->inner->kinds = kinds;
    covey__recent_kind_off(world);
    covey__ranges_renew(world);
    world->range.cursor.at = covey__range_from(world->range.first).cursor.at;
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++)
        if (kinds->extents[i].kind != COVEY__NO_EXTENT) covey__extent_close(world, &kinds->extents[i], i);
    return old;
}

static size_t kind_bytes(const covey__kind *kind) {
    return sizeof *kind + kind->slot_capacity * sizeof(uint32_t) + kind->open_words * sizeof(uint64_t) +
           (kind->places ? covey__kind_places_bytes(kind->key.count) : 0);
}

size_t covey__kinds_bytes(const covey_world *world) {
    const kinds_of_world *kinds = world->inner->kinds;
    if (!kinds) return 0;
    size_t bytes = sizeof *kinds + kinds->capacity * sizeof *kinds->at +
                   kinds->extent_capacity * sizeof *kinds->extents +
                   kinds->candidate_capacity * sizeof *kinds->candidates +
                   (kinds->listed ? COVEY__KINDS_LISTED * sizeof *kinds->listed : 0);
    for (uint32_t i = 0; i < kinds->count; i++)
        if (kinds->at[i]) bytes += kind_bytes(kinds->at[i]);
    return bytes;
}
