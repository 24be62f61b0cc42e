/* Which pools have observers, and what the inline code may do there. */
#include "observers.h"

#include "alloc.h"
#include "listeners.h"
#include "pages.h"
#include "shortcut.h"
#include "sparse_set.h"
#include "storage.h"

#include <stdalign.h>

/* Whether overwriting a value takes more than writing it, or no more than marks. */
static void note_care(covey_pool *pool) {
    const covey__listeners *listeners = pool->watch ? &pool->watch->listeners : NULL;
    bool drops = pool->type->drop || pool->type->move, heard = listeners && (listeners->signals & COVEY_ON_SET) != 0;
    bool ticks = pool->type->ticks;
    bool marks =
        heard && !drops && !ticks && ((listeners->called | listeners->queued | listeners->decided) & COVEY_ON_SET) == 0;
    bool closely = ticks || (pool->watch && pool->watch->off.at);
    pool->uses &= (uint8_t) ~(COVEY__USE_CARE | COVEY__USE_TOUCH | COVEY__USE_CLOSELY);
    if (closely) pool->uses |= COVEY__USE_CLOSELY;
    pool->uses |= (uint8_t)((drops || heard || ticks ? COVEY__USE_CARE : 0) | (marks ? COVEY__USE_TOUCH : 0));
}

void covey__pool_update(covey_pool *pool) {
    const covey_type *type = pool->type;
    bool watched = pool->watch != NULL, drops = type->drop || type->move;
    covey_sparse_set *set = covey__packed(pool);
    pool->plain = !set && !watched && !drops && !type->zero_vacated;
    note_care(pool);
    covey__fast_add_off(pool);
    covey__fast_destroy_off(pool->world);
    if (!set) return;
    covey__set_watch(set, watched, drops);
    if (pool->adding == COVEY__ADD_TO_GROUP && !drops) set->removal = COVEY__REMOVE_GROUPED;
}

covey__watch *covey__pool_watch(covey_pool *pool) {
    if (pool->watch) return pool->watch;
    covey__watch *watch = covey__resize(&pool->world->heap, NULL, 0, 1, sizeof *watch, alignof(covey__watch));
    if (!watch) return NULL;
    *watch = (covey__watch){ 0 };
    pool->watch = watch;
    covey__pool_update(pool);
    return watch;
}

void covey__watch_free(covey_world *world, covey__watch *watch) {
    covey__heap *heap = &world->heap;
    covey__listeners_free(world, &watch->listeners);
    covey__free(heap, watch->groups, watch->group_capacity, sizeof *watch->groups, alignof(covey__membership));
    covey__pages_free(heap, &watch->off, COVEY__OFF_BYTES);
    covey__pages_free(heap, &watch->ticks, sizeof(covey__tick_page));
    covey__free(heap, watch, 1, sizeof *watch, alignof(covey__watch));
}

void covey__pool_unwatch(covey_pool *pool) {
    covey__watch *watch = pool->watch;
    if (!watch || watch->group_count != 0 || watch->keeps_order || watch->off.at || covey__type_is_observed(pool->type))
        return;
    if (watch->listeners.count != 0 || watch->listeners.emitting != 0) return;
    covey__watch_free(pool->world, watch);
    pool->watch = NULL;
    pool->adding = COVEY__ADD_ONLY;
    covey__pool_update(pool);
}

static void find_sole(covey_pool *pool) {
    covey__watch *watch = pool->watch;
    watch->sole = NULL;
    watch->other_count = 0;
    pool->adding = COVEY__ADD_AND_SETTLE;
    if (watch->group_count != 1 || watch->keeps_order || watch->listeners.count != 0) return;
    if (covey__type_is_observed(pool->type) || pool->world->disabled) return;
    covey_group *group = watch->groups->group;
    if (group->owned != group->view.fields || group->view.without != 0) return;
    for (uint32_t i = 0; i < group->owned; i++)
        if (covey__may_hide(group->pools[i])) return;
    for (uint32_t i = 0; i < group->owned; i++)
        if (group->pools[i] != pool) watch->others[watch->other_count++] = group->pools[i];
    watch->sole = group;
    pool->adding = COVEY__ADD_TO_GROUP;
}

/* Whether some listeners keep what they hear. */
static bool keeps_events(const covey__listeners *listeners) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->all[i].queue || listeners->all[i].tags) return true;
    return false;
}

void covey__pool_update_watch(covey_pool *pool) {
    covey__watch *watch = pool->watch;
    watch->needs_memory = watch->keeps_order || pool->type->ticks || keeps_events(&watch->listeners);
    watch->is_owned = watch->is_excluded = false;
    for (uint32_t i = 0; i < watch->group_count; i++) {
        covey__role role = watch->groups[i].role;
        watch->needs_memory |= covey__group_needs_memory(watch->groups[i].group, role);
        watch->is_owned |= role == COVEY__OWNED;
        watch->is_excluded |= role == COVEY__EXCLUDED;
    }
    find_sole(pool);
    covey__pool_update(pool);
    pool->uses = (uint8_t)(watch->is_owned ? pool->uses | COVEY_USE_GROUP : pool->uses & ~COVEY_USE_GROUP);
    const covey__listener *first = watch->listeners.all;
    watch->touched = watch->listeners.count == 1 && (first->signals & COVEY_ON_SET) != 0 ? first->tags : NULL;
}

size_t covey__watch_bytes(const covey_pool *pool) {
    if (!pool->watch) return 0;
    return sizeof *pool->watch + pool->watch->group_capacity * sizeof *pool->watch->groups +
           covey__listeners_bytes(&pool->watch->listeners) + covey__pages_bytes(&pool->watch->off, COVEY__OFF_BYTES) +
           covey__pages_bytes(&pool->watch->ticks, sizeof(covey__tick_page));
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static bool has_off(const uint64_t *page) {
    uint64_t any = 0;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) any |= page[block];
    return any != 0;
}

static bool has_components(const covey_pool *pool, uint32_t page) {
    uint32_t at = 0;
    while (at < COVEY__BLOCK_PAGE && !covey__has_index(pool, page * COVEY__BLOCK_PAGE + at)) at++;
    return at < COVEY__BLOCK_PAGE;
}

void covey__watch_shrink(covey_pool *pool) {
    covey__heap *heap = &pool->world->heap;
    covey__pages *off = &pool->watch->off, *ticks = &pool->watch->ticks;
    for (uint32_t i = 0; i < off->count; i++)
        if (off->at[i] && !has_off(off->at[i])) covey__pages_drop(heap, off, i, COVEY__OFF_BYTES);
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] && !has_components(pool, i)) covey__pages_drop(heap, ticks, i, sizeof(covey__tick_page));
}

void covey__pool_end_watch(covey_pool *pool) {
    if (pool->watch) covey__watch_free(pool->world, pool->watch);
    pool->watch = NULL;
}
