/* Entities: a paged table of generations, and ranges that hand out indices. A freed index goes to the front of the free
 * list of its range; a fresh index is the lowest that was never used. */
#include "entity.h"

#include "alloc.h"
#include "balanced.h"
#include "lines.h"
#include "marks.h"
#include "presence.h"
#include "result.h"
#include "shortcut_on.h"
#include "signal.h"

#include <stdalign.h>

/* The table covers whole pages of block stores: an index within the directory of a store is within the table. */
#define STEP (COVEY__BLOCK_PAGE / COVEY_PAGE_SIZE)
#define TABLE_LIMIT (((COVEY_NONE - 1) / COVEY__BLOCK_PAGE + 1) * STEP)

static const covey_entity null_entity = { 0, 0 };

/* Stands for missing pages: no generation is alive. Never written. */
static const covey__entity_page missing;

static covey__entity_page *missing_page(void) { return (covey__entity_page *)(uintptr_t)&missing; }

/* The page of an index, which must have one. */
static covey__entity_page *page_of(const covey_world *world, uint32_t index) {
    return world->pages[index / COVEY_PAGE_SIZE];
}

covey__entity_page *covey__entity_page_of(const covey_world *world, uint32_t index) {
    if (index / COVEY_PAGE_SIZE >= world->page_count) return NULL;
    return page_of(world, index) != &missing ? page_of(world, index) : NULL;
}

void covey__entity_page_reset(covey__entity_page *page) {
    for (uint32_t i = 0; i < COVEY_PAGE_SIZE; i++) {
        page->generation[i] = 0;
        page->next[i] = page->previous[i] = COVEY_NONE;
    }
}

/* The page of an index, made if it is missing; NULL when an allocation fails. A new page is empty. */
static covey__entity_page *find_page(covey_world *world, uint32_t index, bool *is_new) {
    uint32_t at = index / COVEY_PAGE_SIZE, last = at / STEP * STEP + STEP - 1;
    covey__entity_page **pages =
        covey__reach(&world->heap, world->pages, &world->page_count, last, TABLE_LIMIT, missing_page());
    if (!pages) return NULL;
    world->pages = pages;
    *is_new = pages[at] == &missing;
    if (!*is_new) return pages[at];
    covey__entity_page *page = covey__resize(&world->heap, NULL, 0, 1, sizeof *page, alignof(covey__entity_page));
    if (page) pages[at] = page;
    return page;
}

bool covey__entities_reach(covey_world *world, uint32_t index) {
    bool is_new = false;
    covey__entity_page *page = find_page(world, index, &is_new);
    if (is_new && page) covey__entity_page_reset(page);
    return page != NULL;
}

uint32_t covey__entities_end(const covey_world *world) {
    uint32_t page = world->page_count, at = COVEY_PAGE_SIZE;
    for (; page != 0; page--, at = COVEY_PAGE_SIZE) {
        if (world->pages[page - 1] == &missing) continue;
        while (at != 0 && world->pages[page - 1]->generation[at - 1] % 2 == 0) at--;
        if (at != 0) return (page - 1) * COVEY_PAGE_SIZE + at;
    }
    return 0;
}

uint32_t covey__entities_next_page(const covey_world *world, uint32_t page) {
    uint32_t at = page * STEP;
    while (at < world->page_count && world->pages[at] == &missing) at++;
    return at / STEP;
}

void covey__entities_free(covey_world *world) {
    for (uint32_t i = 0; i < world->page_count; i++)
        if (world->pages[i] != &missing)
            covey__free(&world->heap, world->pages[i], 1, sizeof(covey__entity_page), alignof(covey__entity_page));
    covey__free(&world->heap, world->pages, world->page_count, sizeof *world->pages, alignof(void *));
    covey__free(&world->heap, world->reserved, world->reserved_capacity, sizeof(covey__range), alignof(covey__range));
}

/* A page that is not read soon. */
static void fill_past_caches(covey__entity_page *page, const uint32_t *generations) {
    uint32_t none[16];
    for (uint32_t i = 0; i < 16; i++) none[i] = COVEY_NONE;
    covey__copy_past(page->generation, generations, COVEY_PAGE_SIZE, 1);
    covey__copy_past(page->next, none, COVEY_PAGE_SIZE, 0);
    covey__copy_past(page->previous, none, COVEY_PAGE_SIZE, 0);
    covey__end_lines();
}

covey__entity_page *covey__entities_load(covey_world *world, uint32_t index, const uint32_t *generations,
                                         uint32_t count, bool past_caches) {
    bool is_new = false;
    covey__entity_page *page = find_page(world, index, &is_new);
    if (!page) return NULL;
    if (is_new && count == COVEY_PAGE_SIZE && past_caches) {
        fill_past_caches(page, generations);
        return page;
    }
    if (is_new) covey__entity_page_reset(page);
    memcpy(page->generation + index % COVEY_PAGE_SIZE, generations, count * sizeof *generations);
    return page;
}

void covey__entities_reset(covey_world *world) {
    for (uint32_t i = 0; i < world->page_count; i++)
        if (world->pages[i] != &missing) covey__entity_page_reset(world->pages[i]);
    world->range = covey__range_from(world->range.first);
    world->reserved_count = 0;
    world->reserved_root = COVEY__NO_NODE;
    world->alive = 0;
    covey__fast_destroy_off(world);
}

static bool clone_pages(const covey_world *from, covey_world *to) {
    covey__entity_page **pages =
        covey__resize(&to->heap, NULL, 0, from->page_count, sizeof *pages, alignof(covey__entity_page *));
    if (!pages) return from->page_count == 0;
    for (uint32_t i = 0; i < from->page_count; i++) pages[i] = missing_page();
    to->pages = pages;
    to->page_count = from->page_count;
    for (uint32_t i = 0; i < from->page_count; i++) {
        if (from->pages[i] == &missing) continue;
        covey__entity_page *page = covey__resize(&to->heap, NULL, 0, 1, sizeof *page, alignof(covey__entity_page));
        if (!page) return false;
        *page = *from->pages[i];
        pages[i] = page;
    }
    return true;
}

bool covey__entities_clone(const covey_world *from, covey_world *to) {
    uint32_t ranges = from->reserved_count;
    covey__range *reserved = covey__resize(&to->heap, NULL, 0, ranges, sizeof *reserved, alignof(covey__range));
    if (ranges != 0 && !reserved) return false;
    for (uint32_t i = 0; i < ranges; i++) reserved[i] = from->reserved[i];
    to->reserved = reserved;
    to->reserved_count = to->reserved_capacity = ranges;
    to->reserved_root = from->reserved_root;
    to->range = from->range;
    if (!clone_pages(from, to)) return false;
    to->alive = from->alive;
    return true;
}

/* ---- Ranges ------------------------------------------------------------------------------------------------------*/

/* The last page has an entry for COVEY_NONE, an index that never exists: links that end point there. */
bool covey__is_set_aside(const covey__entity_page *page, uint32_t index) {
    return page->previous[index % COVEY_PAGE_SIZE] == index && index != COVEY_NONE;
}

bool covey__is_retired(const covey__entity_page *page, uint32_t index) {
    return page->generation[index % COVEY_PAGE_SIZE] == 0 && covey__was_used(page, index) &&
           !covey__is_set_aside(page, index);
}

bool covey__entities_never_used(const covey_world *world) {
    bool used = world->reserved_count != 0;
    for (uint32_t page = 0; page < world->page_count && !used; page++)
        for (uint32_t i = 0; world->pages[page] != &missing && i < COVEY_PAGE_SIZE && !used; i++)
            used = covey__was_used(world->pages[page], page * COVEY_PAGE_SIZE + i) &&
                   page * COVEY_PAGE_SIZE + i != COVEY_NONE;
    return !used;
}

static covey__links *links_of(const void *world, uint32_t number) {
    return (covey__links *)(uintptr_t) & ((const covey_world *)world)->reserved[number].links;
}

static bool is_before(const void *context, uint32_t a, uint32_t b) {
    const covey_world *world = context;
    return world->reserved[a].first < world->reserved[b].first;
}

/* The last reserved range that begins at or before an index, and the first that begins behind it; NULL for none. */
static const covey__range *reserved_around(const covey_world *world, uint32_t index, const covey__range **behind) {
    const covey__range *before = NULL;
    *behind = NULL;
    for (uint32_t at = world->reserved_root; at != COVEY__NO_NODE;) {
        const covey__range *range = &world->reserved[at];
        *(range->first <= index ? &before : behind) = range;
        at = range->first <= index ? range->links.right : range->links.left;
    }
    return before;
}

static COVEY__NOINLINE const covey__range *search_range(const covey_world *world, uint32_t index) {
    const covey__range *behind, *range = reserved_around(world, index, &behind);
    return range && index < range->end ? range : &world->range;
}

/* Most worlds have no reserved ranges. */
static inline covey__range *range_of(covey_world *world, uint32_t index) {
    if (COVEY__LIKELY(world->reserved_count == 0)) return &world->range;
    return (covey__range *)(uintptr_t)search_range(world, index);
}

const covey__range *covey__range_of(const covey_world *world, uint32_t index) { return search_range(world, index); }

const covey__range *covey__range_run(const covey_world *world, uint32_t index, uint32_t *end) {
    const covey__range *behind, *range = reserved_around(world, index, &behind);
    bool inside = range && index < range->end;
    *end = inside ? range->end : behind ? behind->first : COVEY_NONE;
    return inside ? range : &world->range;
}

/* The end of the unused run that begins at `fresh`; moves `fresh` past reserved ranges. */
static uint32_t unreserved_end(const covey_world *world, covey__range *range) {
    const covey__range *behind, *reserved;
    if (range != &world->range) return range->end;
    while ((reserved = reserved_around(world, range->fresh, &behind)) != NULL && range->fresh < reserved->end)
        range->fresh = range->fresh_end = reserved->end;
    return behind ? behind->first : range->end;
}

covey_result covey__fresh_indices(covey_world *world, covey__range *range) {
    while (range->fresh < range->end) {
        uint32_t end = unreserved_end(world, range);
        if (range->fresh >= end) break;
        if (!covey__entities_reach(world, range->fresh)) return COVEY_ERROR_MEMORY;
        uint32_t page_left = COVEY_PAGE_SIZE - range->fresh % COVEY_PAGE_SIZE;
        if (end - range->fresh > page_left) end = range->fresh + page_left;
        const covey__entity_page *page = page_of(world, range->fresh);
        while (range->fresh < end && covey__was_used(page, range->fresh)) range->fresh++;
        range->fresh_end = range->fresh;
        while (range->fresh_end < end && !covey__was_used(page, range->fresh_end)) range->fresh_end++;
        if (range->fresh < range->fresh_end) return COVEY_OK;
    }
    return COVEY_ERROR_FULL;
}

static void unlink_free(covey_world *world, covey__range *range, uint32_t index) {
    const covey__entity_page *page = page_of(world, index);
    uint32_t next = page->next[index % COVEY_PAGE_SIZE], previous = page->previous[index % COVEY_PAGE_SIZE];
    if (range->free == index) {
        range->free = next;
        return;
    }
    page_of(world, previous)->next[previous % COVEY_PAGE_SIZE] = next;
    if (next != COVEY_NONE) page_of(world, next)->previous[next % COVEY_PAGE_SIZE] = previous;
}

bool covey__ranges_reserve(covey_world *world, uint32_t count) {
    uint32_t old = world->reserved_capacity;
    if (count <= old - world->reserved_count) return true;
    if (count > UINT32_MAX - world->reserved_count) return false;
    uint32_t capacity = covey__grown(old, world->reserved_count + count, UINT32_MAX);
    covey__range *reserved =
        covey__resize(&world->heap, world->reserved, old, capacity, sizeof *reserved, alignof(covey__range));
    if (!reserved) return false;
    world->reserved = reserved;
    world->reserved_capacity = capacity;
    return true;
}

/* Whether an index of [first, end) was used; looks only at those that have a page. */
static bool any_was_used(const covey_world *world, uint32_t first, uint32_t end) {
    for (uint64_t index = first; index < end && index / COVEY_PAGE_SIZE < world->page_count;) {
        const covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
        if (page != &missing && covey__was_used(page, (uint32_t)index)) return true;
        index += page != &missing ? 1 : COVEY_PAGE_SIZE - index % COVEY_PAGE_SIZE;
    }
    return false;
}

static bool may_be_reserved(const covey_world *world, uint32_t first, uint32_t end) {
    const covey__range *behind, *last = reserved_around(world, end - 1, &behind);
    return first >= world->range.fresh && !(last && last->end > first) && !any_was_used(world, first, end);
}

covey_range covey_range_reserve(covey_world *world, uint32_t first, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return (covey_range){ 0, 0 };
    covey_range null_range = { 0, 0 };
    if (count == 0 || first >= COVEY_NONE || count > COVEY_NONE - first) {
        covey__fail(world, COVEY_ERROR_RANGE,
                    "%u indices from %u on could not be reserved: a range has 1 index or more, all below %u", count,
                    first, COVEY_NONE);
        return null_range;
    }
    uint32_t end = first + count;
    if (!may_be_reserved(world, first, end)) {
        covey__fail(world, COVEY_ERROR_TAKEN,
                    "%u indices from %u on could not be reserved: one of them was used or reserved before; reserve "
                    "ranges first, or further up",
                    count, first);
        return null_range;
    }
    if (!covey__ranges_reserve(world, 1)) {
        covey__fail(world, COVEY_ERROR_MEMORY, "%u indices from %u on could not be reserved: %s", count, first,
                    covey__reason(COVEY_ERROR_MEMORY));
        return null_range;
    }
    covey__tree tree = { links_of, is_before, world };
    world->reserved[world->reserved_count] =
        (covey__range){ .first = first, .end = end, .fresh = first, .fresh_end = first, .free = COVEY_NONE };
    world->reserved_root = covey__tree_put(&tree, world->reserved_root, world->reserved_count++);
    if (first < world->range.fresh_end) world->range.fresh_end = first;
    covey__fast_destroy_off(world);
    return (covey_range){ first, count };
}

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

static covey_entity revive(covey_world *world, uint32_t index) {
    uint32_t *generation = &page_of(world, index)->generation[index % COVEY_PAGE_SIZE];
    world->alive++;
    return covey__entity(index, ++*generation);
}

/* The next index of a range, or COVEY_NONE. Logs nothing: callers report. */
static uint32_t take_index(covey_world *world, covey__range *range, covey_result *result) {
    *result = COVEY_OK;
    uint32_t index = range->free;
    if (index != COVEY_NONE) {
        range->free = page_of(world, index)->next[index % COVEY_PAGE_SIZE];
        return index;
    }
    if (range->fresh >= range->fresh_end) *result = covey__fresh_indices(world, range);
    return *result == COVEY_OK ? range->fresh++ : COVEY_NONE;
}

static covey_entity create_in(covey_world *world, covey__range *range, covey_result *result) {
    uint32_t index = take_index(world, range, result);
    return index != COVEY_NONE ? revive(world, index) : null_entity;
}

covey_result covey__entities_prepare(covey_world *world, uint32_t count) {
    if (!world->listeners) return COVEY_OK;
    return covey__listeners_prepare(world->listeners, COVEY_ON_CREATE, NULL, count);
}

/* Tells listeners about a new entity. Null when a listener has destroyed it. */
static covey_entity tell_of(covey_world *world, covey_entity e) {
    covey__emit(world, NULL, COVEY_ON_CREATE, &e, 1);
    COVEY__CHANGED(world);
    if (covey_alive(world, e)) return e;
    covey__fail(world, COVEY_ERROR_GONE,
                "%u:%u was created, and a listener destroyed it at once: expect null, or change the listener", e.index,
                e.generation);
    return null_entity;
}

static covey_entity create_from(covey_world *world, covey__range *range) {
    covey_entity e = null_entity;
    covey_result result = covey__entities_prepare(world, 1);
    if (result == COVEY_OK) e = create_in(world, range, &result);
    if (result == COVEY_OK) return tell_of(world, e);
    covey__fail(world, result, "no entity could be created: %s", covey__reason(result));
    return null_entity;
}

covey_entity covey__create_slowly(covey_world *world) { return create_from(world, &world->range); }

/* Whether an index can be taken: it has a page, and no entity. Otherwise fails. */
static bool may_be_taken(covey_world *world, uint32_t index) {
    if (covey__entities_prepare(world, 1) != COVEY_OK || !covey__entities_reach(world, index)) {
        covey__fail(world, COVEY_ERROR_MEMORY, "no entity could be created at index %u: %s", index,
                    covey__reason(COVEY_ERROR_MEMORY));
        return false;
    }
    const covey__entity_page *page = page_of(world, index);
    bool used = (page->generation[index % COVEY_PAGE_SIZE] & 1) != 0, aside = covey__is_set_aside(page, index);
    if (!used && !aside && !covey__is_retired(page, index)) return true;
    covey__fail(world, COVEY_ERROR_TAKEN, "no entity could be created at index %u: it is %s; choose another index",
                index,
                aside  ? "set aside for a command buffer"
                : used ? "in use"
                       : "retired");
    return false;
}

void covey__range_take(covey_world *world, covey__range *range, uint32_t index) {
    if (page_of(world, index)->generation[index % COVEY_PAGE_SIZE] != 0) unlink_free(world, range, index);
    else if (index == range->fresh && range->fresh < range->fresh_end) range->fresh++;
    else if (index > range->fresh && index < range->fresh_end) range->fresh_end = index;
}

static void take_wanted(covey_world *world, uint32_t index) { covey__range_take(world, range_of(world, index), index); }

covey_entity covey_create_at(covey_world *world, uint32_t index) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return null_entity;
    if (index >= COVEY_NONE) {
        covey__fail(world, COVEY_ERROR_RANGE,
                    "no entity could be created at index %u: it is too large, the last index is %u", index,
                    COVEY_NONE - 1);
        return null_entity;
    }
    if (!may_be_taken(world, index)) return null_entity;
    take_wanted(world, index);
    return tell_of(world, revive(world, index));
}

covey_entity covey_create_exact(covey_world *world, covey_entity e) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return null_entity;
    uint32_t index = e.index, generation = e.generation;
    if (covey_is_null(covey_entity_make(index, generation)) || (generation & 1) == 0) {
        covey__fail(world, COVEY_ERROR_RANGE, "no entity can have the handle %u:%u: %s", index, generation,
                    (generation & 1) == 0 ? "generations of living entities are odd"
                                          : "its index or generation is too large");
        return null_entity;
    }
    if (!may_be_taken(world, index)) return null_entity;
    uint32_t *now = &page_of(world, index)->generation[index % COVEY_PAGE_SIZE];
    if (generation <= *now) {
        covey__fail(world, COVEY_ERROR_TAKEN,
                    "generation %u of index %u is used up: the next one is %u, and covey_create_again brings back "
                    "the last",
                    generation, index, *now + 1);
        return null_entity;
    }
    take_wanted(world, index);
    *now = generation - 1; /* the generations between are skipped */
    return tell_of(world, revive(world, index));
}

covey_entity covey_create_in(covey_world *world, covey_range range) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return null_entity;
    covey__range *reserved = range_of(world, range.first);
    if (reserved != &world->range && reserved->first == range.first && reserved->end - range.first == range.count)
        return create_from(world, reserved);
    covey__fail(world, COVEY_ERROR_ABSENT,
                "no entity could be created in the range of %u indices from %u on: it is not reserved; call "
                "covey_range_reserve first",
                range.count, range.first);
    return null_entity;
}

/* ---- Setting aside -----------------------------------------------------------------------------------------------*/

covey_entity covey__entity_set_aside(covey_world *world, covey_result *result) {
    uint32_t index = take_index(world, &world->range, result);
    if (index == COVEY_NONE) return null_entity;
    covey__entity_page *page = page_of(world, index);
    page->next[index % COVEY_PAGE_SIZE] = page->previous[index % COVEY_PAGE_SIZE] = index;
    return covey__entity(index, page->generation[index % COVEY_PAGE_SIZE] + 1);
}

void covey__entity_release(covey_world *world, covey_entity e) {
    covey__entity_page *page = page_of(world, e.index);
    covey__range *range = &world->range;
    page->next[e.index % COVEY_PAGE_SIZE] = page->previous[e.index % COVEY_PAGE_SIZE] = COVEY_NONE;
    page->generation[e.index % COVEY_PAGE_SIZE] = e.generation - 1;
    if (e.generation != 1) {
        covey__push_free(world, range, page, e.index);
    } else if (e.index < range->fresh) {
        if (range->fresh != e.index + 1u) range->fresh_end = e.index + 1u;
        range->fresh = e.index;
    }
}

void covey__entity_retire(covey_world *world, uint32_t index) {
    covey__entity_page *page = page_of(world, index);
    page->previous[index % COVEY_PAGE_SIZE] = COVEY_NONE;
    page->generation[index % COVEY_PAGE_SIZE] = 0;
    page->next[index % COVEY_PAGE_SIZE] = index;
}

void covey__entity_enliven(covey_world *world, covey_entity e) {
    covey__entity_page *page = page_of(world, e.index);
    page->previous[e.index % COVEY_PAGE_SIZE] = COVEY_NONE;
    page->generation[e.index % COVEY_PAGE_SIZE] = e.generation;
    world->alive++;
    covey__emit(world, NULL, COVEY_ON_CREATE, &e, 1);
    COVEY__CHANGED(world);
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

/* Removes an entity from those of 64 pools where that is quick: types whose values are not dropped, in direct blocks
 * that keep other components. Returns the remaining pools. Where a block pool is marked, its directory covers the
 * index. The loop makes no calls, so that the loads of several masks overlap. */
static uint64_t remove_quickly(covey_pool *const *pools, uint64_t present, uint32_t index) {
    uint32_t number = index / COVEY__BLOCK_PAGE, block = covey__block_of(index);
    uint64_t bit = (uint64_t)1 << index % 64, remaining = 0;
    for (; present != 0; present &= present - 1) {
        covey_pool *pool = pools[covey__lowest_bit(present)];
        if (COVEY__LIKELY(pool->plain)) {
            covey__block_page *page = pool->blocks.pages[number];
            uint64_t mask = page->masks[block], left = mask & ~bit;
            if (COVEY__LIKELY(page->capacity[block] == 64 && left != 0)) {
                page->masks[block] = left;
                pool->blocks.count -= (uint32_t)((left - mask) >> 63); /* 1 if the bit was set */
                if (left != mask) COVEY__TRACE(pool->world, pool->removed, index);
                continue;
            }
        }
        remaining |= present & (~present + 1);
    }
    return remaining;
}

static void remove_components(covey_world *world, covey_entity e) {
    for (covey__present p = covey__present_at(world, e.index, 0); covey__present_next_word(&p);) {
        p.left = remove_quickly(p.pools, p.left, e.index);
        for (; p.left != 0; p.left &= p.left - 1) {
            covey_pool *pool = p.pools[covey__lowest_bit(p.left)];
            covey__pool_remove(pool, e, pool->size);
        }
    }
}

bool covey__destroy_slowly(covey_world *world, uint32_t index, uint32_t generation) {
    if (!covey_alive(world, covey__entity(index, generation))) return false;
    if (!COVEY__LIKELY(world->heard == 0) && !covey__announce_end(world, index, generation)) return false;
    covey__entity_page *page = page_of(world, index);
    uint32_t at = index % COVEY_PAGE_SIZE;
    bool last = generation == COVEY_GENERATION_MAX;
    page->generation[at] = last ? 0 : generation + 1;
    world->alive--;
    COVEY__TRACE(world, world->destroyed, index);
    if (last) page->next[at] = index;
    else covey__push_free(world, range_of(world, index), page, index);
    remove_components(world, covey__entity(index, generation));
    covey__fast_destroy_on(world, index);
    COVEY__CHANGED(world);
    return true;
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey_entity_count(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return world->alive;
}

covey_entity covey_entity_at(const covey_world *world, uint32_t index) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    const covey__entity_page *page = covey__entity_page_of(world, index);
    uint32_t generation = page ? page->generation[index % COVEY_PAGE_SIZE] : 0;
    return (generation & 1) != 0 ? covey__entity(index, generation) : null_entity;
}

uint32_t covey_generation_at(const covey_world *world, uint32_t index) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    const covey__entity_page *page = index < COVEY_NONE ? covey__entity_page_of(world, index) : NULL;
    uint32_t generation = page ? page->generation[index % COVEY_PAGE_SIZE] : 0;
    if (generation != 0) return generation - (generation % 2 == 0);
    return page && covey__is_retired(page, index) ? COVEY_GENERATION_MAX : 0;
}

uint32_t covey_index_next(const covey_world *world, uint32_t index) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    uint64_t end = (uint64_t)world->page_count * COVEY_PAGE_SIZE, at = index;
    while (at < end && at < COVEY_NONE) {
        const covey__entity_page *page = covey__entity_page_of(world, (uint32_t)at);
        if (!page) at = (at / COVEY_PAGE_SIZE + 1) * COVEY_PAGE_SIZE;
        else if (covey_generation_at(world, (uint32_t)at) != 0) return (uint32_t)at;
        else at++;
    }
    return COVEY_NONE;
}

covey_entity covey_entity_next(const covey_world *world, covey_entity previous) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    uint64_t index = covey_is_null(previous) ? 0 : (uint64_t)previous.index + 1;
    while (index / COVEY_PAGE_SIZE < world->page_count) {
        const covey__entity_page *page = world->pages[index / COVEY_PAGE_SIZE];
        uint32_t at = (uint32_t)(index % COVEY_PAGE_SIZE);
        if ((page->generation[at] & 1) != 0) return covey__entity((uint32_t)index, page->generation[at]);
        index += page != &missing ? 1 : COVEY_PAGE_SIZE - at;
    }
    return null_entity;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_free_list(const covey_world *world, const covey__range *range, uint32_t idle, uint32_t *listed,
                            const char **why) {
    uint32_t previous = COVEY_NONE;
    for (uint32_t index = range->free; index != COVEY_NONE; (*listed)++) {
        REQUIRE(index < range->end && covey__range_of(world, index) == range,
                "entities: a free index outside its range");
        const covey__entity_page *page = covey__entity_page_of(world, index);
        REQUIRE(page, "entities: a free index without a page");
        uint32_t at = index % COVEY_PAGE_SIZE;
        REQUIRE(page->generation[at] != 0 && (page->generation[at] & 1) == 0,
                "entities: an index that is free and is not");
        REQUIRE(previous == COVEY_NONE || page->previous[at] == previous,
                "entities: the free list is broken backwards");
        REQUIRE(*listed < idle, "entities: the free list goes round in circles");
        previous = index;
        index = page->next[at];
    }
    return true;
}

static bool valid_fresh(const covey_world *world, const covey__range *range, const char **why) {
    REQUIRE(range->fresh >= range->first && range->fresh <= range->end, "entities: the fresh indices left their range");
    for (uint32_t index = range->fresh; index < range->fresh_end; index++) {
        const covey__entity_page *page = covey__entity_page_of(world, index);
        REQUIRE(page, "entities: a fresh index without a page");
        uint32_t at = index % COVEY_PAGE_SIZE;
        REQUIRE(!covey__is_set_aside(page, index), "entities: a fresh index that is set aside");
        REQUIRE(page->generation[at] == 0 && page->next[at] != index, "entities: a fresh index that was used");
    }
    return true;
}

static bool is_reserved(const void *world, uint32_t number) {
    return number < ((const covey_world *)world)->reserved_count;
}

static bool valid_ranges(const covey_world *world, const char **why) {
    covey__tree tree = { links_of, is_before, world };
    uint32_t count = 0;
    REQUIRE(covey__tree_valid(&tree, world->reserved_root, is_reserved, world->reserved_count, &count) &&
                count == world->reserved_count,
            "entities: the reserved ranges are out of order");
    for (uint32_t i = 0; i < count; i++) {
        const covey__range *range = &world->reserved[i], *behind;
        reserved_around(world, range->first, &behind);
        REQUIRE(range->first < range->end && (!behind || behind->first >= range->end), "entities: ranges that overlap");
    }
    return true;
}

bool covey__entities_valid(const covey_world *world, uint64_t *set_aside, const char **why) {
    uint32_t alive = 0, used = 0, beyond = 0, listed = 0, waiting = 0, confused = 0;
    *set_aside = 0;
    for (uint32_t number = 0; number < world->page_count; number++) {
        const covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
        for (uint32_t i = 0; page && i < COVEY_PAGE_SIZE; i++) {
            uint32_t generation = page->generation[i];
            beyond += generation > COVEY_GENERATION_MAX;
            alive += generation & 1;
            used += generation != 0;
            if (!covey__is_set_aside(page, number * COVEY_PAGE_SIZE + i)) continue;
            *set_aside += covey__fingerprint(number * COVEY_PAGE_SIZE + i);
            waiting += generation != 0;
            confused += generation & 1;
        }
    }
    uint32_t idle = used - alive - waiting;
    REQUIRE(confused == 0, "entities: an index that is set aside and alive");
    REQUIRE(beyond == 0, "entities: a generation beyond the last");
    REQUIRE(alive == world->alive, "entities: the number alive is not what was counted");
    if (!valid_ranges(world, why)) return false;
    for (uint32_t i = 0; i <= world->reserved_count; i++) {
        const covey__range *range = i == world->reserved_count ? &world->range : &world->reserved[i];
        if (!valid_free_list(world, range, idle, &listed, why) || !valid_fresh(world, range, why)) return false;
    }
    REQUIRE(listed == idle, "entities: a free index that is in no list");
    return true;
}
