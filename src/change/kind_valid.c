/* Kinds, described for programs, and their invariants. */
#include "change/kind.h"

#include "memory/bits.h"
#include "memory/result.h"

#define WORD COVEY__TABLE_WORD

typedef struct covey__kinds kinds_of_world;

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
        uint32_t first = covey__word_index(extent->page, covey__lowest_bit(extent->words));
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
        extent->page < world->page_count ? covey__entity_page_of(world, covey__word_index(extent->page, 0)) : NULL;
    REQUIRE(page && extent->words != 0 && (extent->words & ~COVEY__ALL_WORDS) == 0, "kinds: an extent without words");
    REQUIRE(!covey__words_are_vacant(page, extent->words), "kinds: an extent without entities");
    for (uint64_t left = extent->words; left != 0; left &= left - 1) {
        uint32_t word = covey__lowest_bit(left), index = covey__word_index(extent->page, word);
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
        hash += covey__kind_mix(world->pools[kind->key.pools[i]]->name_hash);
    }
    REQUIRE(hash == kind->key.hash, "kinds: the hash of a kind is wrong");
    if (kind->places && !covey__kind_places_valid(kind->places, world, why)) return false;
    if (kind->cursor.issues == 0) return true;
    REQUIRE(covey__entity_page_of(world, kind->cursor.at) == kind->cursor.page &&
                covey__cursor_is_whole(&kind->cursor) &&
                kind->cursor.issues == covey__issued_in(world, kind->cursor.at) &&
                kind->cursor.page->extent[kind->cursor.at % COVEY_PAGE_SIZE / WORD] == kind->extents[kind->slot] + 1,
            "kinds: the cursor of a kind is outside of its extents");
    return true;
}

/* Each word of the table belongs to an extent that has it. Vacant words are marked. */
static bool valid_words(const covey_world *world, uint32_t number, const char **why) {
    const kinds_of_world *kinds = world->inner->kinds;
    const covey__entity_page *page = covey__entity_page_of(world, covey__word_index(number, 0));
    for (uint32_t word = 0; page && word < COVEY__TABLE_WORDS; word++) {
        uint32_t extent = page->extent[word];
        REQUIRE(extent == 0 || (kinds && extent <= kinds->extent_count && kinds->extents[extent - 1].page == number &&
                                kinds->extents[extent - 1].kind != COVEY__NO_EXTENT &&
                                (kinds->extents[extent - 1].words >> word & 1) != 0),
                "kinds: a word belongs to an extent that does not have it");
        REQUIRE(extent != 0 || (page->held >> word & 1) == 0, "kinds: a common word is held");
        bool vacant = extent == 0 && page->free[word] == COVEY__TABLE_ALL &&
                      covey__issued_in(world, covey__word_index(number, word)) == COVEY__TABLE_ALL;
        REQUIRE(!vacant || ((page->vacant >> word & 1) != 0 && (!kinds || number >= kinds->vacant_from)),
                "kinds: a vacant word is not marked");
    }
    return true;
}

static bool valid_cache(const kinds_of_world *kinds, const char **why) {
    for (uint32_t i = 0; i < COVEY__KINDS_CACHED; i++) {
        uint32_t cached = kinds->cache[i];
        REQUIRE(cached == 0 ||
                    (is_kind(kinds, cached - 1) && covey__kind_cache_place(kinds->at[cached - 1]->key.low) == i),
                "kinds: a kind is cached in a wrong place");
    }
    for (uint32_t i = 0; kinds->listed && i < COVEY__KINDS_LISTED; i++)
        REQUIRE(kinds->listed[i] <= kinds->capacity, "kinds: a list leads to a kind that there never was");
    return true;
}

bool covey__kinds_valid(const covey_world *world, const char **why) {
    const kinds_of_world *kinds = world->inner->kinds;
    uint32_t count = 0, found = 0;
    bool recent = !world->recent.kind && world->recent.count == COVEY_NONE;
    for (uint32_t i = 0; i < world->page_count; i++)
        if (!valid_words(world, i, why)) return false;
    for (uint32_t i = 0; kinds && i < kinds->count; i++) {
        if (!kinds->at[i]) continue;
        REQUIRE(kinds->at[i]->number == i, "kinds: a kind has the number of another one");
        if (!valid_kind(world, kinds->at[i], why)) return false;
        recent |= world->recent.kind == kinds->at[i] && world->recent.cursor == &kinds->at[i]->cursor;
        count++;
    }
    for (uint32_t i = 0; kinds && i < kinds->extent_count; i++)
        if (kinds->extents[i].kind != COVEY__NO_EXTENT && !valid_extent(world, i, why)) return false;
    if (kinds && !valid_cache(kinds, why)) return false;
    REQUIRE(recent, "kinds: the recent kind does not exist");
    covey__tree tree = covey__kinds_tree(kinds);
    REQUIRE(!kinds || (covey__tree_valid(&tree, kinds->root, is_kind, kinds->count, &found) && found == count),
            "kinds: the tree of kinds is out of order");
    return true;
}
