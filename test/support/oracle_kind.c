/* Naive kinds: each word of indices is common, or belongs to a slot of a set of types. */
#include "oracle.h"

#include "change/kind.h" /* for the constants */

#include <stdlib.h>

enum {
    WORD = COVEY_PAGE_SIZE < 64 ? COVEY_PAGE_SIZE : 64, /* indices of a word */
    PAGE = COVEY_PAGE_SIZE / WORD,                      /* words of a page */
    EXTENT = PAGE < 16 ? PAGE : 16,                     /* the most words of an extent */
    GROUP = 4,                                          /* pages that a large kind fills in turn */
};

/* ---- Words --------------------------------------------------------------------------------------------------------*/

uint32_t oracle_set_at(const oracle_world *world, uint32_t index) {
    return index / WORD < world->word_count ? world->words[index / WORD].set : 0;
}

void oracle_give_word(oracle_world *world, uint32_t index, uint32_t set, uint32_t slot) {
    uint32_t word = index / WORD;
    if (word >= world->word_count) {
        world->words = realloc(world->words, (word + 1) * sizeof *world->words);
        if (!world->words) abort();
        memset(world->words + world->word_count, 0, (word + 1 - world->word_count) * sizeof *world->words);
        world->word_count = word + 1;
    }
    world->words[word] = (oracle_word){ set, slot };
}

static bool is_vacant(const oracle_world *world, uint32_t word) {
    for (uint32_t i = word * WORD; i < (word + 1) * WORD; i++) {
        oracle_state state = oracle_state_of(world, i);
        if (state != ORACLE_UNUSED && state != ORACLE_FREE) return false;
    }
    return true;
}

static bool is_of(const oracle_word *word, uint32_t set, uint32_t slot) {
    return word->set == set && word->slot == slot;
}

static uint32_t words_of(const oracle_world *world, uint32_t set) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->word_count; i++) count += world->words[i].set == set;
    return count;
}

bool oracle_is_kind(const oracle_world *world, uint32_t set) { return set != 0 && words_of(world, set) != 0; }

void oracle_word_freed(oracle_world *world, uint32_t index) {
    uint32_t set = oracle_set_at(world, index);
    if (set == 0 || world->fault == ORACLE_KEEPS_EXTENTS) return;
    uint32_t slot = world->words[index / WORD].slot;
    for (uint32_t i = 0; i < world->word_count; i++)
        if (is_of(&world->words[i], set, slot) && !is_vacant(world, i)) return;
    for (uint32_t i = 0; i < world->word_count; i++)
        if (is_of(&world->words[i], set, slot)) world->words[i] = (oracle_word){ 0, 0 };
}

void oracle_trim_kinds(oracle_world *world) {
    for (uint32_t i = 0; i < world->word_count; i++)
        if (world->words[i].set != 0 && is_vacant(world, i)) world->words[i] = (oracle_word){ 0, 0 };
}

/* Words with an index of a reserved range are common. What is left of their extents may have no entities. */
void oracle_kinds_leave(oracle_world *world, uint32_t first, uint32_t end) {
    for (uint32_t i = first / WORD; i < world->word_count && i * WORD < end; i++) {
        uint32_t set = world->words[i].set, slot = world->words[i].slot;
        if (set == 0) continue;
        world->words[i] = (oracle_word){ 0, 0 };
        for (uint32_t k = 0; k < world->word_count; k++)
            if (is_of(&world->words[k], set, slot)) oracle_word_freed(world, k * WORD);
    }
}

/* ---- Extents ------------------------------------------------------------------------------------------------------*/

static bool may_be_given(const oracle_world *world, uint32_t word) {
    if ((uint64_t)(word + 1) * WORD > COVEY_NONE || oracle_set_at(world, word * WORD) != 0) return false;
    for (uint32_t i = word * WORD; i < (word + 1) * WORD; i++)
        if (!oracle_issues(world, 0, i)) return false;
    return is_vacant(world, word);
}

/* The first word of the lowest run, or COVEY_NONE. */
static uint32_t find_run(const oracle_world *world, uint32_t size) {
    for (uint32_t word = 0; (uint64_t)(word + size) * WORD <= COVEY_NONE; word += size) {
        uint32_t count = 0;
        while (count < size && may_be_given(world, word + count)) count++;
        if (count == size) return word;
    }
    return COVEY_NONE;
}

static uint32_t free_slot(const oracle_world *world, uint32_t set) {
    for (uint32_t slot = 0;; slot++) {
        bool used = false;
        for (uint32_t i = 0; i < world->word_count; i++) used = used || is_of(&world->words[i], set, slot);
        if (!used) return slot;
    }
}

/* Whether all words of some pages from this one on are free. */
static bool pages_are_vacant(const oracle_world *world, uint32_t page, uint32_t count) {
    for (uint32_t i = 0; i < count * PAGE; i++)
        if (!may_be_given(world, page * PAGE + i)) return false;
    return true;
}

/* The page of the last slot. */
static uint32_t last_page(const oracle_world *world, uint32_t set) {
    uint32_t page = 0, slot = 0;
    for (uint32_t i = 0; i < world->word_count; i++) {
        if (world->words[i].set != set || world->words[i].slot < slot) continue;
        slot = world->words[i].slot;
        page = i / PAGE;
    }
    return page;
}

/* A page for a kind that has two or more: the one behind its last one, or the first of a free group; or COVEY_NONE. */
static uint32_t find_page(const oracle_world *world, uint32_t set) {
    uint32_t next = last_page(world, set) + 1;
    if (next % GROUP != 0 && pages_are_vacant(world, next, 1)) return next;
    for (uint32_t page = 0; (uint64_t)(page + 1) * PAGE * WORD <= COVEY_NONE; page += GROUP)
        if (pages_are_vacant(world, page, GROUP)) return page;
    return COVEY_NONE;
}

/* The first word of the next extent of a set, and how many it has; or COVEY_NONE. */
static uint32_t find_words(const oracle_world *world, uint32_t set, uint32_t count, uint32_t *size) {
    uint32_t has = words_of(world, set), most = 2 * has > count / WORD ? 2 * has : count / WORD, found;
    *size = PAGE;
    if (PAGE == EXTENT && has >= 2 * PAGE && (found = find_page(world, set)) != COVEY_NONE) return found * PAGE;
    for (*size = 1; *size * 2 <= most && *size * 2 <= EXTENT;) *size *= 2;
    while ((found = find_run(world, *size)) == COVEY_NONE && *size > 1) *size /= 2;
    return found;
}

/* Gives a set of types an extent; false if there is no room. `count`: how many entities a new kind begins with. */
static bool give_extent(oracle_world *world, uint32_t set, uint32_t count) {
    uint32_t size, slot = free_slot(world, set), word = find_words(world, set, count, &size);
    if (word == COVEY_NONE) return false;
    for (uint32_t i = 0; i < size; i++) oracle_give_word(world, (word + i) * WORD, set, slot);
    return true;
}

/* The lowest free index in the first slot that has one, or COVEY_NONE. */
static uint32_t next_of_kind(const oracle_world *world, uint32_t set) {
    uint32_t found = COVEY_NONE, slot = UINT32_MAX;
    for (uint32_t i = 0; i < world->word_count; i++) {
        if (world->words[i].set != set || world->words[i].slot >= slot) continue;
        for (uint32_t index = i * WORD; index < (i + 1) * WORD; index++) {
            oracle_state state = oracle_state_of(world, index);
            if ((state != ORACLE_UNUSED && state != ORACLE_FREE) || !oracle_issues(world, 0, index)) continue;
            found = index;
            slot = world->words[i].slot;
            break;
        }
    }
    return found;
}

/* ---- Creating -----------------------------------------------------------------------------------------------------*/

/* How many entities were created with a set of types while it was no kind; a kind keeps a part of this count. */
static uint64_t *created_with(oracle_world *world, uint32_t set) {
    for (uint32_t i = 0; i < world->candidate_count; i++)
        if (world->candidates[i].set == set) return &world->candidates[i].created;
    world->candidates = realloc(world->candidates, (world->candidate_count + 1) * sizeof *world->candidates);
    if (!world->candidates) abort();
    world->candidates[world->candidate_count] = (oracle_candidate){ .set = set };
    return &world->candidates[world->candidate_count++].created;
}

uint64_t oracle_created_with(oracle_world *world, uint32_t set) { return *created_with(world, set); }

static covey_entity create_one(oracle_world *world, uint32_t set, bool *kind) {
    uint32_t index = *kind ? next_of_kind(world, set) : COVEY_NONE;
    if (*kind && index == COVEY_NONE && give_extent(world, set, 0)) index = next_of_kind(world, set);
    *kind = index != COVEY_NONE;
    return *kind ? oracle_create_at(world, index) : oracle_create(world, 0);
}

void oracle_create_with(oracle_world *world, uint32_t set, bool becomes, covey_entity *entities, uint32_t count) {
    bool kind = set != 0 && world->fault != ORACLE_IGNORES_KINDS && (becomes || oracle_is_kind(world, set));
    if (becomes && kind) kind = give_extent(world, set, count);
    for (uint32_t i = 0; i < count; i++) entities[i] = create_one(world, set, &kind);
    if (count == 0 || set == 0) return;
    uint64_t *created = created_with(world, set);
    uint32_t of = oracle_set_at(world, entities[0].index);
    if (becomes && of == set) *created = COVEY_KIND_LEAST * 3 / 4;
    else if (of == 0) *created += count;
}
