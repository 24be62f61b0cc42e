/* The table of entities. */
#include "change/table.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/bits.h"
#include "memory/lines.h"
#include "memory/result.h"
#include "memory/zeros.h"

#include <stdalign.h>

/* The table covers whole pages of block stores: an index within the directory of a store is within the table. */
#define STEP (COVEY__BLOCK_PAGE / COVEY_PAGE_SIZE)
#define TABLE_LIMIT (((COVEY_NONE - 1) / COVEY__BLOCK_PAGE + 1) * STEP)
#define OPEN_LIMIT (TABLE_LIMIT / 64 + 1)
#define WORDS COVEY__TABLE_WORDS
#define ALL_BITS COVEY__TABLE_ALL

covey__entity_page *covey__missing_page(void) { return (covey__entity_page *)(uintptr_t)&covey__zeros.entities; }

covey__entity_page *covey__entity_page_of(const covey_world *world, uint32_t index) {
    if (index / COVEY_PAGE_SIZE >= world->page_count) return NULL;
    covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
    return page != &covey__zeros.entities ? page : NULL;
}

static void reset_bits(covey__entity_page *page) {
    page->words = page->vacant = UINT64_MAX >> (64 - WORDS);
    page->held = 0;
    for (uint32_t i = 0; i < WORDS; i++) {
        page->free[i] = ALL_BITS;
        page->aside[i] = 0;
        page->extent[i] = 0;
    }
}

void covey__entity_page_reset(covey__entity_page *page) {
    memset(page->generation, 0, sizeof page->generation);
    reset_bits(page);
}

/* Room for the bit of a page. */
static bool reach_open(covey_world *world, uint32_t page) {
    uint32_t words = world->inner->open_words;
    if (page / 64 < words) return true;
    uint32_t grown = covey__grown(words, page / 64 + 1, OPEN_LIMIT);
    uint64_t *open =
        covey__resize(&world->inner->heap, world->inner->open, words, grown, sizeof *open, alignof(uint64_t));
    if (!open) return false;
    for (uint32_t i = words; i < grown; i++) open[i] = UINT64_MAX;
    world->inner->open = open;
    world->inner->open_words = grown;
    return true;
}

/* Room for the address of a page. */
static bool reach_page_table(covey_world *world, uint32_t page) {
    covey__entity_page **pages = covey__reach(&world->inner->heap, world->pages, &world->page_count,
                                              page / STEP * STEP + STEP - 1, TABLE_LIMIT, covey__missing_page());
    if (!pages) return false;
    world->pages = pages;
    return true;
}

/* The page of an index, made if it is missing; NULL when an allocation fails. Nothing is set in a new page. */
static covey__entity_page *find_page(covey_world *world, uint32_t index, bool *is_new) {
    uint32_t at = index / COVEY_PAGE_SIZE;
    if (!reach_page_table(world, at)) return NULL;
    *is_new = world->pages[at] == &covey__zeros.entities;
    if (!*is_new) return world->pages[at];
    if (!reach_open(world, at)) return NULL;
    covey__entity_page *page =
        covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *page, alignof(covey__entity_page));
    if (page) world->pages[at] = page;
    return page;
}

bool covey__entities_reach(covey_world *world, uint32_t index) {
    bool is_new = false;
    covey__entity_page *page = find_page(world, index, &is_new);
    if (is_new && page) covey__entity_page_reset(page);
    return page != NULL;
}

void covey__pages_end(covey_world *world) {
    for (uint32_t i = 0; i < world->page_count; i++)
        if (world->pages[i] != &covey__zeros.entities)
            covey__free(&world->inner->heap, world->pages[i], 1, sizeof(covey__entity_page),
                        alignof(covey__entity_page));
    covey__free(&world->inner->heap, world->pages, world->page_count, sizeof *world->pages, alignof(void *));
    covey__free(&world->inner->heap, world->inner->open, world->inner->open_words, sizeof *world->inner->open,
                alignof(uint64_t));
}

/* Makes the table as long as that of the other world, because directories of pools may be. */
bool covey__pages_clone(const covey_world *from, covey_world *to) {
    if (from->page_count != 0 && !reach_page_table(to, from->page_count - 1)) return false;
    for (uint32_t i = 0; i < from->page_count; i++) {
        if (from->pages[i] == &covey__zeros.entities) continue;
        bool is_new = false;
        covey__entity_page *page = find_page(to, i * COVEY_PAGE_SIZE, &is_new);
        if (!page) return false;
        *page = *from->pages[i];
    }
    return true;
}

/* ---- Loading -----------------------------------------------------------------------------------------------------*/

/* A used index with an even generation is free, unless it is retired. */
static void set_free(covey__entity_page *page, uint32_t first, const uint32_t *generations, uint32_t count) {
    for (uint32_t i = 0; i < count;) {
        uint32_t word = (first + i) / 64, bit = (first + i) % COVEY__TABLE_WORD, left = COVEY__TABLE_WORD - bit;
        uint64_t used = 0, free = 0;
        for (uint32_t end = count - i < left ? count : i + left; i < end; i++, bit++) {
            used |= (uint64_t)1 << bit;
            free |= (uint64_t)(generations[i] % 2 == 0 && generations[i] != 0) << bit;
        }
        page->free[word] = (page->free[word] & ~used) | free;
    }
}

bool covey__entities_load(covey_world *world, uint32_t index, const uint32_t *generations, uint32_t count,
                          bool past_caches) {
    bool is_new = false;
    covey__entity_page *page = find_page(world, index, &is_new);
    if (!page) return false;
    if (is_new && count == COVEY_PAGE_SIZE && past_caches) {
        reset_bits(page);
        covey__copy_past(page->generation, generations, COVEY_PAGE_SIZE);
        covey__end_lines();
    } else {
        if (is_new) covey__entity_page_reset(page);
        memcpy(page->generation + index % COVEY_PAGE_SIZE, generations, count * sizeof *generations);
    }
    page->vacant = UINT64_MAX >> (64 - WORDS);
    set_free(page, index % COVEY_PAGE_SIZE, generations, count);
    return true;
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey__entities_end(const covey_world *world) {
    uint32_t page = world->page_count, at = COVEY_PAGE_SIZE;
    for (; page != 0; page--, at = COVEY_PAGE_SIZE) {
        if (world->pages[page - 1] == &covey__zeros.entities) continue;
        while (at != 0 && world->pages[page - 1]->generation[at - 1] % 2 == 0) at--;
        if (at != 0) return (page - 1) * COVEY_PAGE_SIZE + at;
    }
    return 0;
}

uint32_t covey__entities_next_page(const covey_world *world, uint32_t page) {
    uint32_t at = page * STEP;
    while (at < world->page_count && world->pages[at] == &covey__zeros.entities) at++;
    return at / STEP;
}

bool covey__entities_never_used(const covey_world *world) {
    bool used = world->inner->reserved_count != 0;
    for (uint32_t page = 0; page < world->page_count && !used; page++)
        for (uint32_t i = 0; world->pages[page] != &covey__zeros.entities && i < COVEY_PAGE_SIZE && !used; i++)
            used = covey__was_used(world->pages[page], i);
    return !used;
}

/* ---- Open pages --------------------------------------------------------------------------------------------------*/

void covey__pages_open_all(covey_world *world) {
    for (uint32_t i = 0; i < world->inner->open_words; i++) world->inner->open[i] = UINT64_MAX;
}

uint64_t covey__open_from(const covey_world *world, uint64_t index) {
    uint64_t page = index / COVEY_PAGE_SIZE, word = page / 64;
    if (word >= world->inner->open_words) return index;
    uint64_t open = world->inner->open[word] >> page % 64 << page % 64;
    while (open == 0 && ++word < world->inner->open_words) open = world->inner->open[word];
    uint64_t first = word * 64 + (open != 0 ? covey__lowest_bit(open) : 0);
    return first > page ? first * COVEY_PAGE_SIZE : index;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

/* The indices of a word whose generations are odd; those whose generations are even, and not 0. */
static bool sort_word(const uint32_t *generations, uint64_t *odd, uint64_t *even, const char **why) {
    uint32_t largest = 0;
    *odd = *even = 0;
    for (uint32_t i = 0; i < COVEY__TABLE_WORD; i++) {
        uint32_t generation = generations[i];
        largest = generation > largest ? generation : largest;
        *odd |= (uint64_t)(generation & 1) << i;
        *even |= (uint64_t)(generation % 2 == 0 && generation != 0) << i;
    }
    REQUIRE(largest <= COVEY_GENERATION_MAX, "entities: a generation is larger than COVEY_GENERATION_MAX");
    return true;
}

static bool valid_word(const covey__entity_page *page, uint32_t number, uint32_t *alive, const char **why) {
    uint64_t free = page->free[number], aside = page->aside[number], odd, even;
    if (!sort_word(page->generation + number * COVEY__TABLE_WORD, &odd, &even, why)) return false;
    REQUIRE((aside & odd) == 0, "entities: an index is set aside and alive");
    REQUIRE((aside & free) == 0, "entities: an index is set aside and free");
    REQUIRE((free & odd) == 0, "entities: an index is free and alive");
    REQUIRE((even & ~(free | aside)) == 0, "entities: an index has no entity and is not free");
    REQUIRE(((free | aside) & ~ALL_BITS) == 0, "entities: bits are set for indices outside of the page");
    bool common = page->extent[number] == 0, open = (page->words >> number & 1) != 0;
    REQUIRE(free == 0 || open || !common, "entities: a word with free indices is closed");
    REQUIRE(common || !open, "entities: a word of a kind is open for all");
    *alive += covey__bits_in(odd);
    return true;
}

static bool valid_entity_page(const covey_world *world, uint32_t number, uint32_t *alive, const char **why) {
    const covey__entity_page *page = world->pages[number];
    for (uint32_t i = 0; i < WORDS; i++)
        if (!valid_word(page, i, alive, why)) return false;
    REQUIRE(number / 64 < world->inner->open_words && (page->words == 0 || covey__has_bit(world->inner->open, number)),
            "entities: a page with free indices is closed");
    return true;
}

bool covey__table_valid(const covey_world *world, const char **why) {
    uint32_t alive = 0;
    for (uint32_t i = 0; i < world->page_count; i++)
        if (world->pages[i] != &covey__zeros.entities && !valid_entity_page(world, i, &alive, why)) return false;
    REQUIRE(alive == world->alive, "entities: world->alive is not the number of living entities");
    return true;
}
