/* Entities: created with the lowest free index of a range, and destroyed with their components. */
#include "change/entity.h"

#include "memory/inner.h"
#include "change/change.h"
#include "storage/marks.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "storage/shortcut_on.h"
#include "storage/storage_erase.h"
#include "observe/filing.h"
#include "observe/members.h"
#include "observe/signal.h"

static const covey_entity null_entity = { 0, 0 };

covey_world *covey__entities_only(covey__whole_world *whole, covey_allocator allocator) {
    *whole = (covey__whole_world){ .world.inner = &whole->inner, .inner.heap = { allocator, 0, NULL } };
    return &whole->world;
}

void covey__entities_free(covey_world *world) {
    covey__pages_end(world);
    covey__ranges_end(world);
    covey__kinds_free(&world->inner->heap, world->inner->kinds);
}

void covey__entities_reset(covey_world *world) {
    covey__kinds_free(&world->inner->heap, covey__kinds_exchange(world, NULL));
    for (uint32_t i = 0; i < world->page_count; i++) {
        covey__entity_page *page = covey__entity_page_of(world, i * COVEY_PAGE_SIZE);
        if (page) covey__entity_page_reset(page);
    }
    world->range = covey__range_from(world->range.first);
    world->inner->reserved_count = 0;
    world->inner->reserved_root = COVEY__NO_NODE;
    world->alive = 0;
    covey__ranges_renew(world);
}

bool covey__entities_clone(const covey_world *from, covey_world *to) {
    if (!covey__pages_clone(from, to) || !covey__ranges_clone(from, to)) return false;
    to->alive = from->alive;
    covey__kinds_exchange(to, NULL);
    return true;
}

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

static covey_entity revive(covey_world *world, uint32_t index) {
    uint32_t *generation = &covey__existing_page(world, index)->generation[index % COVEY_PAGE_SIZE];
    world->alive++;
    return covey__entity(index, ++*generation);
}

static covey_entity create_in(covey_world *world, covey__range *range, covey_result *result) {
    covey__kind *common = NULL;
    uint32_t index =
        range == &world->range ? covey__index_take(world, &common, result) : covey__range_take(world, range, result);
    return index != COVEY_NONE ? revive(world, index) : null_entity;
}

covey_result covey__entities_prepare(covey_world *world, uint32_t count) {
    if (!world->listeners) return COVEY_OK;
    return covey__listeners_prepare_events(world, world->listeners, COVEY_ON_CREATE, count);
}

covey_entity covey__if_alive(covey_world *world, covey_entity e) {
    if (covey_alive(world, e)) return e;
    covey__fail(world, COVEY_ERROR_GONE,
                "%u:%u was created, and a listener destroyed it at once: expect null, or change the listener", e.index,
                e.generation);
    return null_entity;
}

/* Emits the creation of an entity. Returns null if a listener has destroyed it. */
static covey_entity tell_of(covey_world *world, covey_entity e) {
    covey__emit(world, NULL, COVEY_ON_CREATE, &e, 1);
    COVEY__CHANGED(world);
    return covey__if_alive(world, e);
}

static covey_entity fail_to_create(covey_world *world, covey_result result) {
    covey__fail(world, result, "no entity could be created: %s", covey__reason(result));
    return null_entity;
}

static covey_entity create_from(covey_world *world, covey__range *range) {
    covey_entity e = null_entity;
    covey_result result = covey__entities_prepare(world, 1);
    if (result == COVEY_OK) e = create_in(world, range, &result);
    return result == COVEY_OK ? tell_of(world, e) : fail_to_create(world, result);
}

/* Without listeners, only the next free index has to be found. */
covey_entity covey__create_slowly(covey_world *world) {
    if (world->listeners) return create_from(world, &world->range);
    covey_result result;
    covey__kind *none = NULL;
    const covey__cursor *cursor = covey__next_cursor(world, &none, &result);
    if (!cursor) return fail_to_create(world, result);
    return covey__cursor_create(world, cursor, covey__cursor_ready(cursor));
}

/* Whether an entity can be created at an index: it has a page, and is free. Otherwise fails. */
static bool may_be_taken(covey_world *world, uint32_t index) {
    if (covey__entities_prepare(world, 1) != COVEY_OK || !covey__entities_reach(world, index)) {
        covey__fail(world, COVEY_ERROR_MEMORY, "no entity could be created at index %u: %s", index,
                    covey__reason(COVEY_ERROR_MEMORY));
        return false;
    }
    const covey__entity_page *page = covey__existing_page(world, index);
    bool used = (page->generation[index % COVEY_PAGE_SIZE] & 1) != 0, aside = covey__is_set_aside(page, index);
    if (!used && !aside && !covey__is_retired(page, index)) return true;
    covey__fail(world, COVEY_ERROR_TAKEN, "no entity could be created at index %u: it is %s; choose another index",
                index,
                aside  ? "set aside for a command buffer"
                : used ? "in use"
                       : "retired");
    return false;
}

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
    covey__table_take(covey__existing_page(world, index), index);
    return tell_of(world, revive(world, index));
}

covey_range covey_range_reserve(covey_world *world, uint32_t first, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return (covey_range){ 0, 0 };
    if (count == 0 || first >= COVEY_NONE || count > COVEY_NONE - first) {
        covey__fail(world, COVEY_ERROR_RANGE,
                    "%u indices from %u on could not be reserved: a range has 1 index or more, all below %u", count,
                    first, COVEY_NONE);
        return (covey_range){ 0, 0 };
    }
    covey_result result = covey__range_add(world, first, first + count);
    if (result == COVEY_OK) {
        covey__kinds_leave(world, first, first + count);
        return (covey_range){ first, count };
    }
    covey__fail(world, result, "%u indices from %u on could not be reserved: %s", count, first,
                result == COVEY_ERROR_TAKEN
                    ? "one of them was used or reserved before; reserve ranges first, or further up"
                    : covey__reason(result));
    return (covey_range){ 0, 0 };
}

covey_entity covey_create_in(covey_world *world, covey_range range) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return null_entity;
    covey__range *reserved = (covey__range *)(uintptr_t)covey__range_of(world, range.first);
    if (reserved != &world->range && reserved->first == range.first && reserved->end - range.first == range.count)
        return create_from(world, reserved);
    covey__fail(world, COVEY_ERROR_ABSENT,
                "no entity could be created in the range of %u indices from %u on: it is not reserved; call "
                "covey_range_reserve first",
                range.count, range.first);
    return null_entity;
}

/* ---- Setting aside -----------------------------------------------------------------------------------------------*/

uint32_t covey__entities_set_aside(covey_world *world, const covey__kind_key *key, covey_entity *ids, uint32_t count,
                                   covey_result *result) {
    *result = COVEY_OK;
    covey__kind *kind = key ? covey__kind_for(world, key, count, result) : NULL;
    uint32_t taken = 0;
    while (taken < count && *result == COVEY_OK) {
        uint32_t index = covey__index_take(world, &kind, result);
        if (index == COVEY_NONE) break;
        covey__entity_page *page = covey__existing_page(world, index);
        page->aside[index % COVEY_PAGE_SIZE / 64] |= covey__table_bit(index);
        ids[taken++] = covey__entity(index, page->generation[index % COVEY_PAGE_SIZE] + 1);
    }
    return taken;
}

/* Makes an index no longer set aside, with this generation. */
static covey__entity_page *take_back(const covey_world *world, uint32_t index, uint32_t generation) {
    covey__entity_page *page = covey__existing_page(world, index);
    page->aside[index % COVEY_PAGE_SIZE / 64] &= ~covey__table_bit(index);
    page->generation[index % COVEY_PAGE_SIZE] = generation;
    return page;
}

void covey__entity_release(covey_world *world, covey_entity e) {
    take_back(world, e.index, e.generation - 1);
    covey__index_free(world, e.index);
}

void covey__entity_retire(covey_world *world, uint32_t index) { covey__table_take(take_back(world, index, 0), index); }

void covey__entity_enliven(covey_world *world, covey_entity e) {
    take_back(world, e.index, e.generation);
    world->alive++;
    covey__emit(world, NULL, COVEY_ON_CREATE, &e, 1);
    COVEY__CHANGED(world);
}

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

/* Erases the component of a destroyed entity in an observed pool. Its removals are announced, so listeners are not
 * asked again. */
static COVEY__NOINLINE void erase_observed(covey_pool *pool, covey_entity e) {
    covey_group *group = covey__group_left_whole(pool);
    if (!covey__has_index(pool, e.index)) return;
    if (group) covey__group_erase_whole(group, e);
    else covey__remove_announced(pool, e);
}

/* If the first of these pools is in a group that the entity leaves as a whole, erases its components there. Takes the
 * pools of the group off the list. */
COVEY_HOT bool erase_in_group(covey_pool *const *pools, uint64_t *present, covey_entity e) {
    covey_group *group = *present != 0 ? covey__group_left_whole(pools[covey__lowest_bit(*present)]) : NULL;
    if (!group) return false;
    covey__group_erase_whole(group, e);
    *present &= ~group->first_bits;
    return true;
}

/* Erases a component from each of these pools. */
static void erase_each(covey_pool *const *pools, uint64_t present, covey_entity e) {
    for (; present != 0; present &= present - 1) {
        covey_pool *pool = pools[covey__lowest_bit(present)];
        if (COVEY__LIKELY(!pool->observers)) covey__pool_remove(pool, e, pool->size);
        else erase_observed(pool, e);
    }
}

/* Erases the components in all pools that are left. Returns whether all of these are plain. */
static bool erase_present(covey__present *p, covey_entity e) {
    bool plain = true;
    for (; covey__present_next_word(p); p->left = 0) {
        uint64_t slots, rest = covey__storage_erase_bits(p->pools, p->left, e.index, &slots);
        covey__storage_erase_slots(p->pools, slots, e);
        erase_each(p->pools, covey__storage_having(p->pools, rest, e.index, &plain), e);
    }
    return plain;
}

bool covey__components_erase(covey_world *world, covey_entity e) {
    covey__present p = covey__present_at(world, e.index, 0);
    bool grouped = erase_in_group(p.pools, &p.left, e);
    return erase_present(&p, e) && !grouped;
}

static COVEY__NOINLINE bool destroy_fully(covey_world *world, covey_entity e) {
    if (world->inner->heard != 0 && !covey__announce_destruction(world, e.index, e.generation)) return false;
    bool last = e.generation == COVEY_GENERATION_MAX;
    covey__existing_page(world, e.index)->generation[e.index % COVEY_PAGE_SIZE] = last ? 0 : e.generation + 1;
    world->alive--;
    COVEY__TRACE(world, world->destroyed, e.index);
    if (!last) covey__index_free(world, e.index);
    if (covey__components_erase(world, e)) covey__fast_destroy_on(world, e.index);
    else covey__fast_destroy_skip(world, e.index);
    COVEY__CHANGED(world);
    covey__targets_ended(world);
    return true;
}

/* Erases the components that are more than a bit of a mask: those in the first 64 pools, and all in others. With sparse
 * pools there is no shortcut. */
static COVEY__NOINLINE bool erase_rest(covey_world *world, covey_entity e, uint64_t rest, uint64_t slots) {
    covey_pool *const *pools = world->pools;
    covey__storage_erase_slots(pools, slots, e);
    bool plain = !erase_in_group(pools, &rest, e);
    uint64_t left = rest != 0 ? covey__storage_erase_swapping(world, pools, rest, e) : 0;
    plain &= left == rest;
    if (left != 0) erase_each(pools, covey__storage_having(pools, left, e.index, &plain), e);
    if (world->pool_count > 64) {
        covey__present p = covey__present_at(world, e.index, 64);
        plain &= erase_present(&p, e);
    }
    if (plain) covey__fast_destroy_on(world, e.index);
    else covey__fast_destroy_skip(world, e.index);
    COVEY__CHANGED(world);
    return true;
}

/* The usual case makes no calls, and keeps the parts of the handle in registers: no listener, an index that is only
 * marked as free, and components that are bits of masks. */
bool covey__destroy_slowly(covey_world *world, uint32_t index, uint32_t generation) {
    covey_entity e = covey__entity(index, generation);
    if (!covey_alive(world, e)) return false;
    bool last = generation == COVEY_GENERATION_MAX;
    if (!COVEY__LIKELY(world->inner->heard == 0 && !last && covey__index_frees_quickly(world, index)))
        return destroy_fully(world, e);
    covey__entity_page *page = covey__existing_page(world, index);
    page->generation[index % COVEY_PAGE_SIZE] = generation + 1;
    page->free[index % COVEY_PAGE_SIZE / 64] |= covey__table_bit(index);
    world->alive--;
    COVEY__TRACE(world, world->destroyed, index);
    covey__present p = covey__present_at(world, index, 0);
    uint64_t slots, rest = covey__storage_erase_bits(p.pools, p.left, index, &slots);
    if (!COVEY__LIKELY((rest | slots) == 0 && p.end - p.bits <= 1)) return erase_rest(world, e, rest, slots);
    if (covey__is_beside_destroyed(world, index)) covey__fast_destroy_on(world, index);
    else covey__fast_destroy_skip(world, index);
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
        index += page != covey__missing_page() ? 1 : COVEY_PAGE_SIZE - at;
    }
    return null_entity;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static uint64_t sum_set_aside(const covey__entity_page *page, uint32_t first) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < COVEY__TABLE_WORDS; i++)
        for (uint64_t left = page->aside[i]; left != 0; left &= left - 1)
            sum += covey__fingerprint(first + i * COVEY__TABLE_WORD + covey__lowest_bit(left));
    return sum;
}

bool covey__entities_valid(const covey_world *world, uint64_t *set_aside, const char **why) {
    if (!covey__table_valid(world, why) || !covey__ranges_valid(world, why) || !covey__kinds_valid(world, why))
        return false;
    *set_aside = 0;
    for (uint32_t number = 0; number < world->page_count; number++) {
        const covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
        if (page) *set_aside += sum_set_aside(page, number * COVEY_PAGE_SIZE);
    }
    return true;
}
