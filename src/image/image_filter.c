/* Which entities and components are saved. The choice is made once and kept as bits, because saving takes several
 * passes. */
#include "image/image_filter.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/bits.h"
#include "change/entity.h"
#include "storage/hook.h"
#include "tree/name.h"
#include "tree/node.h"
#include "storage/storage.h"
#include "observe/tick.h"
#include "storage/type.h"

#include <covey/hierarchy.h>
#include <stdalign.h>
#include <stdlib.h>

/* ---- Names -------------------------------------------------------------------------------------------------------*/

/* The name of an entity that becomes a root because its parent is left out. */
typedef struct orphan {
    const char *text;
    uint32_t index;
} orphan;

static int compare_orphans(const void *a, const void *b) {
    const orphan *x = a, *y = b;
    int order = strcmp(x->text, y->text);
    return order != 0 ? order : x->index < y->index ? -1 : x->index > y->index;
}

static bool is_orphan(const covey__filter *filter, uint32_t index) {
    uint32_t parent = covey__parent_of(filter->world, index);
    return covey__filter_has(filter, index) && parent != COVEY_NONE && !covey__filter_has(filter, parent);
}

/* Counts the orphans, and fills `list` unless it is NULL. */
static uint32_t list_orphans(const covey__filter *filter, orphan *list) {
    const covey_pool *names = filter->world->inner->names ? filter->world->inner->names->pool : NULL;
    uint32_t count = 0;
    for (uint32_t at = 0; names && (at = covey_pool_next(names, at)) != COVEY_NONE; at++) {
        const covey__name *name = covey_pool_value_at_raw(names, at);
        if (!is_orphan(filter, name->self)) continue;
        if (list) list[count] = (orphan){ name->text, name->self };
        count++;
    }
    return count;
}

/* Finds the entities that lose their name. Roots keep their names; if several orphans have the same name, the one with
 * the lowest index keeps it. */
static bool find_nameless(covey__filter *filter, covey__heap *heap) {
    static const covey_entity none = { 0, 0 };
    uint32_t count = list_orphans(filter, NULL);
    if (count == 0) return true;
    orphan *list = covey__resize(heap, NULL, 0, count, sizeof *list, alignof(orphan));
    if (!list) return false;
    list_orphans(filter, list);
    qsort(list, count, sizeof *list, compare_orphans);
    for (uint32_t i = 0; i < count; i++) {
        covey_entity root = covey_find_child(filter->world, none, list[i].text);
        bool again = i != 0 && strcmp(list[i].text, list[i - 1].text) == 0;
        if (!again && (covey_is_null(root) || !covey__filter_has(filter, root.index))) continue;
        covey__filter_page *page = covey__page_at(&filter->pages, list[i].index);
        covey__set_bit(page->nameless, list[i].index % COVEY__BLOCK_PAGE);
    }
    covey__free(heap, list, count, sizeof *list, alignof(orphan));
    return true;
}

/* ---- Making ------------------------------------------------------------------------------------------------------*/

/* STEP: indices that are in one word of bits and in one page of entities. All sizes are powers of two. */
enum {
    STEP = COVEY_PAGE_SIZE < COVEY__BLOCK_IDS ? COVEY_PAGE_SIZE : COVEY__BLOCK_IDS,
    MOST_PAGES = COVEY_NONE / COVEY__BLOCK_PAGE + 1
};

/* Sets the bits of living entities, for STEP indices of a page. False when an allocation fails. */
static bool note_alive(covey__filter *filter, covey__heap *heap, uint32_t first, const uint32_t *generations) {
    uint64_t alive = 0;
    for (uint32_t i = 0; i < STEP; i++) alive |= (uint64_t)(generations[i] & 1) << i;
    if (alive == 0) return true;
    covey__filter_page *page = covey__pages_reach(heap, &filter->pages, first, MOST_PAGES, sizeof *page);
    if (page) page->freed[first / COVEY__BLOCK_IDS % COVEY__PAGE_BLOCKS] |= alive << first % COVEY__BLOCK_IDS;
    return page != NULL;
}

static bool note_living(covey__filter *filter, covey__heap *heap) {
    for (uint32_t number = 0; number < filter->world->page_count; number++) {
        uint32_t first = number * COVEY_PAGE_SIZE;
        const covey__entity_page *page = covey__entity_page_of(filter->world, first);
        for (uint32_t at = 0; page && at < COVEY_PAGE_SIZE; at += STEP)
            if (!note_alive(filter, heap, first + at, page->generation + at)) return false;
    }
    for (uint32_t i = 0; i < filter->pages.count; i++) {
        covey__filter_page *page = filter->pages.at[i];
        if (page) memcpy(page->chosen, page->freed, sizeof page->chosen);
    }
    return true;
}

/* Leaves out entities that have a component, disabled or not, of one of these types. */
static void leave_out(const covey__filter *filter, const covey_type *const *types) {
    const covey_world *world = filter->world;
    for (uint32_t i = 0; types && i < world->pool_count; i++) {
        const covey_pool *pool = world->pools[i];
        if ((covey__is_internal(pool) && pool != world->inner->disabled) || !covey__type_listed(types, pool->type))
            continue;
        COVEY__USES(world, pool->type, COVEY__ACCESS_READ);
        uint64_t first = 0;
        for (uint64_t mask; (mask = covey__storage_next_mask(pool, &first)) != 0; first += COVEY__BLOCK_IDS) {
            covey__filter_page *page = covey__page_at(&filter->pages, (uint32_t)first);
            if (page) page->chosen[first / COVEY__BLOCK_IDS % COVEY__PAGE_BLOCKS] &= ~mask;
        }
    }
}

/* for (uint64_t word = 0, *chosen; (chosen = next_word(filter, &word)) != NULL; word++) */
static uint64_t *next_word(const covey__filter *filter, uint64_t *word) {
    while (*word / COVEY__PAGE_BLOCKS < filter->pages.count) {
        covey__filter_page *page = filter->pages.at[*word / COVEY__PAGE_BLOCKS];
        if (page) return &page->chosen[*word % COVEY__PAGE_BLOCKS];
        *word = (*word / COVEY__PAGE_BLOCKS + 1) * COVEY__PAGE_BLOCKS;
    }
    return NULL;
}

static void call_choose(const covey__filter *filter, const covey_save_desc *desc) {
    covey__hook hook = covey__hook_begin(filter->world, "choose function of a save", NULL);
    for (uint64_t word = 0, *chosen; (chosen = next_word(filter, &word)) != NULL; word++)
        for (uint64_t left = *chosen; left != 0; left &= left - 1) {
            covey_entity e =
                covey_entity_at(filter->world, (uint32_t)(word * COVEY__BLOCK_IDS) + covey__lowest_bit(left));
            if (!desc->choose(filter->world, e, desc->choose_context)) *chosen &= ~(left & (0 - left));
        }
    covey__hook_end(hook);
}

/* In the image, entities that are left out were destroyed: their indices are free, unless their generations are used
 * up. */
static void note_freed(covey__filter *filter) {
    for (uint64_t word = 0, *chosen; (chosen = next_word(filter, &word)) != NULL; word++) {
        covey__filter_page *page = filter->pages.at[word / COVEY__PAGE_BLOCKS];
        uint64_t *freed = &page->freed[word % COVEY__PAGE_BLOCKS];
        filter->count += covey__bits_in(*chosen);
        *freed &= ~*chosen;
        for (uint64_t left = *freed; left != 0; left &= left - 1) {
            uint32_t index = (uint32_t)(word * COVEY__BLOCK_IDS) + covey__lowest_bit(left);
            if (covey__generation_of(filter->world, index) != COVEY_GENERATION_MAX) continue;
            *freed &= ~(left & (0 - left));
            filter->retires = true;
        }
    }
}

bool covey__filter_make(covey__filter *filter, covey__heap *heap, const covey_world *world,
                        const covey_save_desc *desc) {
    *filter = (covey__filter){ .world = world, .since = desc->changed_since, .count = world->alive };
    if (!desc->choose && !desc->without) return true;
    filter->chooses = true;
    filter->count = 0;
    if (!note_living(filter, heap)) return false;
    leave_out(filter, desc->without);
    if (desc->choose) call_choose(filter, desc);
    note_freed(filter);
    return find_nameless(filter, heap);
}

void covey__filter_free(covey__filter *filter, covey__heap *heap) {
    covey__pages_free(heap, &filter->pages, sizeof(covey__filter_page));
}

/* ---- Entities ----------------------------------------------------------------------------------------------------*/

void covey__filter_generations(const covey__filter *filter, uint32_t first, const uint32_t *from, uint32_t count,
                               uint32_t *to) {
    static const covey__filter_page none;
    for (uint32_t i = 0; i < count; i++) {
        const covey__filter_page *page = covey__page_at(&filter->pages, first + i);
        to[i] = from[i] + covey__has_bit((page ? page : &none)->freed, (first + i) % COVEY__BLOCK_PAGE);
    }
    for (uint32_t i = 0; filter->retires && i < count; i++)
        if (from[i] == COVEY_GENERATION_MAX && !covey__filter_has(filter, first + i)) to[i] = 0;
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

bool covey__filter_names(const covey__filter *filter, uint32_t index) {
    const covey__filter_page *page = covey__page_at(&filter->pages, index);
    return covey__filter_has(filter, index) && (!page || !covey__has_bit(page->nameless, index % COVEY__BLOCK_PAGE));
}

bool covey__filter_takes_all(const covey__filter *filter, const covey_pool *pool) {
    return !filter->chooses && (filter->since == 0 || !pool->type->ticks);
}

uint64_t covey__filter_mask(const covey__filter *filter, const covey_pool *pool, uint32_t first, uint64_t mask) {
    if (filter->chooses) mask &= covey__filter_word(filter, first);
    if (filter->since != 0 && pool->type->ticks) mask = covey__ticks_since(pool, first, mask, filter->since);
    return mask;
}

static bool takes(const covey__filter *filter, const covey_pool *pool, uint32_t index) {
    return covey__filter_mask(filter, pool, index / COVEY__BLOCK_IDS * COVEY__BLOCK_IDS,
                              (uint64_t)1 << index % COVEY__BLOCK_IDS) != 0;
}

uint32_t covey__filter_next(const covey__filter *filter, const covey_pool *pool, uint32_t from) {
    uint32_t at = covey_pool_next(pool, from);
    if (covey__filter_takes_all(filter, pool)) return at;
    while (at != COVEY_NONE && !takes(filter, pool, covey__index_at(pool, at))) at = covey_pool_next(pool, at + 1);
    return at;
}

uint32_t covey__filter_ids(const covey__filter *filter, const covey_pool *pool, uint32_t *from, uint32_t *list,
                           uint32_t most) {
    const covey_sparse_set *set = covey__packed_in(pool);
    uint32_t count = 0, at = *from;
    for (; at < set->end && count < most; at++) {
        list[count] = set->ids[at].index;
        count += (set->holes == 0 || !covey__is_hole(set, at)) && takes(filter, pool, list[count]);
    }
    *from = at;
    return count;
}

static uint32_t count_ids(const covey__filter *filter, const covey_pool *pool) {
    const covey_sparse_set *set = covey__packed_in(pool);
    bool by_bits = set->holes == 0 && (filter->since == 0 || !pool->type->ticks);
    uint32_t some[256], count = 0, part, from = 0;
    for (uint32_t at = 0; by_bits && at < set->end; at++) count += covey__filter_has(filter, set->ids[at].index);
    while (!by_bits && (part = covey__filter_ids(filter, pool, &from, some, 256)) != 0) count += part;
    return count;
}

uint32_t covey__filter_count(const covey__filter *filter, const covey_pool *pool) {
    uint32_t count = 0;
    uint64_t first = 0;
    if (covey__filter_takes_all(filter, pool)) return covey_pool_count(pool);
    if (covey__packed_in(pool)) return count_ids(filter, pool);
    for (uint64_t mask; (mask = covey__storage_next_mask(pool, &first)) != 0; first += COVEY__BLOCK_IDS)
        count += covey__bits_in(covey__filter_mask(filter, pool, (uint32_t)first, mask));
    return count;
}
