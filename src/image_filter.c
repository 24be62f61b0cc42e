/* Which entities and components are saved. The choose function of the caller is called once for each entity, and its
 * answers are kept as bits, because saving takes several passes. */
#include "image_filter.h"

#include "alloc.h"
#include "bits.h"
#include "entity.h"
#include "hook.h"
#include "name.h"
#include "node.h"
#include "tick.h"

#include <covey/hierarchy.h>
#include <stdalign.h>
#include <stdlib.h>

static uint64_t *make_bits(covey__heap *heap, size_t words) {
    uint64_t *bits = covey__resize(heap, NULL, 0, words, sizeof *bits, alignof(uint64_t));
    if (bits) memset(bits, 0, words * sizeof *bits);
    return bits;
}

/* ---- Names -------------------------------------------------------------------------------------------------------*/

/* A name of an entity that becomes a root, because its parent is left out. */
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
    return covey__has_bit(filter->chosen, index) && parent != COVEY_NONE && !covey__has_bit(filter->chosen, parent);
}

/* Counts the orphans, and lists them if there is a list. */
static uint32_t list_orphans(const covey__filter *filter, orphan *list) {
    const covey_pool *names = filter->world->names ? filter->world->names->pool : NULL;
    uint32_t count = 0;
    for (uint32_t at = 0; names && (at = covey_pool_next(names, at)) != COVEY_NONE; at++) {
        const covey__name *name = covey_pool_value_at_raw(names, at);
        if (!is_orphan(filter, name->self)) continue;
        if (list) list[count] = (orphan){ name->text, name->self };
        count++;
    }
    return count;
}

/* Roots keep their names; of several orphans with the same name, the one with the lowest index keeps it. */
static bool find_nameless(covey__filter *filter, covey__heap *heap) {
    static const covey_entity none = { 0, 0 };
    uint32_t count = list_orphans(filter, NULL);
    if (count == 0) return true;
    orphan *list = covey__resize(heap, NULL, 0, count, sizeof *list, alignof(orphan));
    filter->nameless = list ? make_bits(heap, filter->words) : NULL;
    if (filter->nameless) {
        list_orphans(filter, list);
        qsort(list, count, sizeof *list, compare_orphans);
    }
    for (uint32_t i = 0; filter->nameless && i < count; i++) {
        covey_entity root = covey_find_child(filter->world, none, list[i].text);
        bool again = i != 0 && strcmp(list[i].text, list[i - 1].text) == 0;
        if (again || (!covey_is_null(root) && covey__has_bit(filter->chosen, root.index)))
            covey__set_bit(filter->nameless, list[i].index);
    }
    covey__free(heap, list, count, sizeof *list, alignof(orphan));
    return filter->nameless != NULL;
}

/* ---- Making ------------------------------------------------------------------------------------------------------*/

bool covey__filter_make(covey__filter *filter, covey__heap *heap, const covey_world *world,
                        const covey_save_desc *desc) {
    *filter = (covey__filter){ .world = world, .since = desc->changed_since, .count = world->alive };
    if (!desc->choose) return true;
    filter->words = (size_t)world->page_count * COVEY_PAGE_SIZE / 64 + 1;
    filter->count = 0;
    filter->chosen = make_bits(heap, filter->words);
    if (!filter->chosen) return false;
    covey__hook hook = covey__hook_begin(world, "choose function of a save", NULL);
    covey_entity e = covey_entity_next(world, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e); e = covey_entity_next(world, e)) {
        if (!desc->choose(world, e, desc->choose_context)) continue;
        covey__set_bit(filter->chosen, e.index);
        filter->count++;
    }
    covey__hook_end(hook);
    return find_nameless(filter, heap);
}

void covey__filter_free(covey__filter *filter, covey__heap *heap) {
    covey__free(heap, filter->chosen, filter->words, sizeof *filter->chosen, alignof(uint64_t));
    covey__free(heap, filter->nameless, filter->words, sizeof *filter->nameless, alignof(uint64_t));
}

/* An entity that is left out is one that was destroyed. */
static void leave_out(covey_world *twin, covey__entity_page *page, uint32_t index) {
    uint32_t at = index % COVEY_PAGE_SIZE, generation = page->generation[at];
    twin->alive--;
    if (generation == COVEY_GENERATION_MAX) {
        covey__entity_retire(twin, index);
        return;
    }
    page->generation[at] = generation + 1;
    covey__push_free(twin, (covey__range *)(uintptr_t)covey__range_of(twin, index), page, index);
}

/* From the highest index down; pages that are missing have nobody. */
void covey__filter_entities(const covey__filter *filter, covey_world *twin) {
    for (uint32_t number = twin->page_count; filter->chosen && number-- != 0;) {
        uint32_t first = number * COVEY_PAGE_SIZE;
        covey__entity_page *page = covey__entity_page_of(twin, first);
        for (uint32_t at = COVEY_PAGE_SIZE; page && at-- != 0;)
            if ((page->generation[at] & 1) != 0 && !covey__has_bit(filter->chosen, first + at))
                leave_out(twin, page, first + at);
    }
}

/* ---- Asking ------------------------------------------------------------------------------------------------------*/

bool covey__filter_has(const covey__filter *filter, uint32_t index) {
    return !filter->chosen || covey__has_bit(filter->chosen, index);
}

bool covey__filter_names(const covey__filter *filter, uint32_t index) {
    return covey__filter_has(filter, index) && !(filter->nameless && covey__has_bit(filter->nameless, index));
}

bool covey__filter_takes_all(const covey__filter *filter, const covey_pool *pool) {
    return !filter->chosen && (filter->since == 0 || !pool->type->ticks);
}

uint64_t covey__filter_mask(const covey__filter *filter, const covey_pool *pool, uint32_t first, uint64_t mask) {
    if (filter->chosen) mask &= filter->chosen[first / 64];
    if (filter->since != 0 && pool->type->ticks) mask = covey__ticks_since(pool, first, mask, filter->since);
    return mask;
}

static bool takes(const covey__filter *filter, const covey_pool *pool, uint32_t index) {
    return covey__filter_mask(filter, pool, index / 64 * 64, (uint64_t)1 << index % 64) != 0;
}

uint32_t covey__filter_next(const covey__filter *filter, const covey_pool *pool, uint32_t from) {
    uint32_t at = covey_pool_next(pool, from);
    if (covey__filter_takes_all(filter, pool)) return at;
    while (at != COVEY_NONE && !takes(filter, pool, covey_pool_at(pool, at).index)) at = covey_pool_next(pool, at + 1);
    return at;
}

uint32_t covey__filter_count(const covey__filter *filter, const covey_pool *pool) {
    uint32_t count = 0, at = 0;
    if (covey__filter_takes_all(filter, pool)) return covey_pool_count(pool);
    for (; (at = covey__filter_next(filter, pool, at)) != COVEY_NONE; at++) count++;
    return count;
}
