/* Which observers a pool has, and what the inline code may do in the pool. */
#include "observe/observers.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/pages.h"
#include "storage/shortcut_off.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "memory/tick_page.h"

#include <stdalign.h>

/* Notes whether overwriting goes out of line, and whether marking is enough. */
static void update_slow_uses(covey_pool *pool) {
    const covey__listeners *listeners = pool->observers ? &pool->observers->listeners : NULL;
    bool drops = pool->type->drop || pool->type->move, heard = listeners && (listeners->signals & COVEY_ON_SET) != 0;
    bool ticks = pool->type->ticks;
    bool marks =
        heard && !drops && !ticks && ((listeners->called | listeners->queued | listeners->decided) & COVEY_ON_SET) == 0;
    bool slow_values = ticks || (pool->observers && pool->observers->disabled.at);
    pool->uses &= (uint8_t) ~(COVEY__USE_SLOW_SET | COVEY__USE_MARK_ON_SET | COVEY__USE_SLOW_VALUES);
    if (slow_values) pool->uses |= COVEY__USE_SLOW_VALUES;
    pool->uses |= (uint8_t)((drops || heard || ticks ? COVEY__USE_SLOW_SET : 0) | (marks ? COVEY__USE_MARK_ON_SET : 0));
}

void covey__pool_update(covey_pool *pool) {
    update_slow_uses(pool);
    covey__fast_add_off(pool);
    covey__fast_destroy_off(pool->world);
    covey__storage_observe(pool);
}

void covey__listeners_free(covey_world *world, covey__listeners *listeners) {
    covey__free(&world->inner->heap, listeners->all, listeners->capacity, sizeof *listeners->all,
                alignof(covey__listener));
}

size_t covey__listeners_bytes(const covey__listeners *listeners) {
    return listeners->capacity * sizeof *listeners->all;
}

covey__observers *covey__pool_observers(covey_pool *pool) {
    if (pool->observers) return pool->observers;
    covey__observers *observers =
        covey__resize(&pool->world->inner->heap, NULL, 0, 1, sizeof *observers, alignof(covey__observers));
    if (!observers) return NULL;
    *observers = (covey__observers){ .near = COVEY__NEAR_NONE };
    pool->observers = observers;
    covey__pool_update(pool);
    return observers;
}

void covey__observers_free(covey_world *world, covey__observers *observers) {
    covey__heap *heap = &world->inner->heap;
    covey__listeners_free(world, &observers->listeners);
    covey__free(heap, observers->groups, observers->group_capacity, sizeof *observers->groups,
                alignof(covey__membership));
    covey__pages_free(heap, &observers->disabled, COVEY__DISABLED_BYTES);
    covey__tick_pages_free(heap, &observers->ticks);
    covey__free(heap, observers, 1, sizeof *observers, alignof(covey__observers));
}

void covey__pool_unobserve(covey_pool *pool) {
    covey__observers *observers = pool->observers;
    if (!observers || observers->group_count != 0 || observers->keeps_order || observers->disabled.at ||
        covey__type_is_observed(pool->type))
        return;
    if (observers->listeners.count != 0 || observers->listeners.emitting != 0) return;
    covey__observers_free(pool->world, observers);
    pool->observers = NULL;
    pool->adding = COVEY__ADD_ONLY;
    covey__pool_update(pool);
}

static void find_sole(covey_pool *pool) {
    covey__observers *observers = pool->observers;
    observers->sole = NULL;
    observers->other_count = 0;
    observers->near = (covey__near)COVEY__NEAR_NONE;
    pool->adding = COVEY__ADD_AND_SETTLE;
    if (observers->group_count != 1 || observers->keeps_order || observers->listeners.count != 0) return;
    if (covey__type_is_observed(pool->type) || pool->world->inner->disabled) return;
    covey_group *group = observers->groups->group;
    if (covey__group_owned(group) != group->view.fields || group->view.without != 0) return;
    for (uint32_t i = 0; i < covey__group_owned(group); i++)
        if (covey__may_hide(group->pools[i])) return;
    for (uint32_t i = 0; i < covey__group_owned(group); i++)
        if (group->pools[i] != pool) observers->others[observers->other_count++] = group->pools[i];
    observers->sole = group;
    pool->adding = COVEY__ADD_TO_GROUP;
}

bool covey__group_is_left_whole(const covey_group *group) {
    for (uint32_t i = 0; i < covey__group_owned(group); i++) {
        const covey_pool *pool = group->pools[i];
        if (!pool->observers || pool->observers->sole != group || pool->type->drop) return false;
    }
    return covey__group_owned(group) != 0;
}

/* After the pool may have got another sole observer, or none. */
static void update_groups(const covey_pool *pool) {
    for (uint32_t i = 0; i < pool->observers->group_count; i++) {
        covey_group *group = pool->observers->groups[i].group;
        group->left_whole = covey__group_is_left_whole(group);
    }
}

/* Whether a listener is a queue or a reactive set. */
static bool keeps_events(const covey__listeners *listeners) {
    for (uint32_t i = 0; i < listeners->count; i++)
        if (listeners->all[i].queue || listeners->all[i].tags) return true;
    return false;
}

void covey__pool_update_observers(covey_pool *pool) {
    covey__observers *observers = pool->observers;
    observers->needs_memory = observers->keeps_order || pool->type->ticks || keeps_events(&observers->listeners);
    observers->is_owned = observers->is_excluded = false;
    for (uint32_t i = 0; i < observers->group_count; i++) {
        covey__role role = observers->groups[i].role;
        observers->needs_memory |= covey__group_needs_memory(observers->groups[i].group, role);
        observers->is_owned |= role == COVEY__OWNED;
        observers->is_excluded |= role == COVEY__EXCLUDED;
    }
    find_sole(pool);
    update_groups(pool);
    covey__pool_update(pool);
    pool->uses = (uint8_t)(observers->is_owned ? pool->uses | COVEY_USE_GROUP : pool->uses & ~COVEY_USE_GROUP);
    const covey__listener *first = observers->listeners.all;
    observers->sole_tags = observers->listeners.count == 1 && (first->signals & COVEY_ON_SET) != 0 ? first->tags : NULL;
}

size_t covey__observers_bytes(const covey_pool *pool) {
    if (!pool->observers) return 0;
    return sizeof *pool->observers + pool->observers->group_capacity * sizeof *pool->observers->groups +
           covey__listeners_bytes(&pool->observers->listeners) +
           covey__pages_bytes(&pool->observers->disabled, COVEY__DISABLED_BYTES) +
           covey__tick_pages_bytes(&pool->observers->ticks);
}

/* ---- Memory -------------------------------------------------------------------------------------------------------*/

static bool has_disabled(const uint64_t *page) {
    uint64_t any = 0;
    for (uint32_t block = 0; block < COVEY__PAGE_BLOCKS; block++) any |= page[block];
    return any != 0;
}

static bool has_components(const covey_pool *pool, uint32_t page) {
    uint32_t at = 0;
    while (at < COVEY__BLOCK_PAGE && !covey__has_index(pool, page * COVEY__BLOCK_PAGE + at)) at++;
    return at < COVEY__BLOCK_PAGE;
}

void covey__observers_shrink(covey_pool *pool) {
    covey__heap *heap = &pool->world->inner->heap;
    covey__pages *disabled = &pool->observers->disabled, *ticks = &pool->observers->ticks;
    for (uint32_t i = 0; i < disabled->count; i++)
        if (disabled->at[i] && !has_disabled(disabled->at[i]))
            covey__pages_drop(heap, disabled, i, COVEY__DISABLED_BYTES);
    for (uint32_t i = 0; i < ticks->count; i++)
        if (ticks->at[i] && !has_components(pool, i)) covey__tick_pages_drop(heap, ticks, i);
}

void covey__pool_free_observers(covey_pool *pool) {
    if (pool->observers) covey__observers_free(pool->world, pool->observers);
    pool->observers = NULL;
}
