/* Groups: creating and destroying them. members.c keeps their members. */
#include "query/group.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "storage/marks.h"
#include "observe/members.h"
#include "observe/observers.h"
#include "memory/result.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "query/view.h"

#include <stdalign.h>
#include <stdio.h>

static uint32_t asked(const covey_group *group) { return group->view.with; }

static bool names(const covey_group *group, const covey_pool *pool, uint32_t first, uint32_t end) {
    while (first < end && group->pools[first] != pool) first++;
    return first < end;
}

/* Whether the inner group asks for all that the outer one asks for, and owns what it owns. */
static bool is_part_of(const covey_group *inner, const covey_group *outer) {
    for (uint32_t i = 0; i < covey__group_terms(outer); i++) {
        const covey_pool *pool = outer->pools[i];
        bool found = i < covey__group_owned(outer) ? names(inner, pool, 0, covey__group_owned(inner))
                     : i < asked(outer)            ? names(inner, pool, 0, asked(inner))
                                                   : names(inner, pool, asked(inner), covey__group_terms(inner));
        if (!found) return false;
    }
    return true;
}

/* ---- Making and ending -------------------------------------------------------------------------------------------*/

static covey_result refuse_group(const covey_group *group, covey_result result, const char *reason, const char *name) {
    char text[128];
    covey_group_print(text, sizeof text, group);
    return covey__fail(group->world, result, "a group (%s) could not be made: %s%s", text, reason, name);
}

static covey_result refuse_pool(const covey_group *group, const covey_pool *pool, const char *reason) {
    return covey__fail(group->world, COVEY_ERROR_REFUSED, "a group cannot own %s: %s; ask for it with .with",
                       pool->type->name, reason);
}

/* Why the group cannot own a pool, and what helps; or NULL. */
static const char *objection(const covey_group *group, const covey_pool *pool) {
    if (pool->observers && pool->observers->keeps_order)
        return "it is kept sorted: end that with covey_pool_keep_sorted";
    return covey__front_objection(&group->front, pool);
}

/* Checks that the group can own its pools, and conflicts with no other group. */
static covey_result check(const covey_group *group) {
    for (uint32_t i = 0; i < covey__group_terms(group); i++)
        if (covey__is_reactive(group->pools[i])) /* reactive sets are marked where nothing may fail */
            return refuse_group(group, COVEY_ERROR_REFUSED, "leave out the reactive set ", group->pools[i]->type->name);
    for (uint32_t i = 0; i < covey__group_owned(group); i++) {
        const char *reason = objection(group, group->pools[i]);
        if (reason) return refuse_pool(group, group->pools[i], reason);
    }
    for (uint32_t i = 0; i < group->world->inner->group_count; i++) {
        const covey_group *other = group->world->inner->groups[i];
        if (!covey__groups_share_pools(group, other) || is_part_of(group, other) != is_part_of(other, group)) continue;
        char text[128];
        covey_group_print(text, sizeof text, other);
        return refuse_group(group, COVEY_ERROR_CONFLICT, "nest it in this group, which owns one of its pools: ", text);
    }
    return COVEY_OK;
}

/* Room for all candidates of a group that owns nothing. */
static covey_result reserve_candidates(covey_group *group) {
    const covey_pool *pool = covey__group_smallest(group);
    covey_result result = COVEY_OK;
    uint32_t candidates = 0;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE && result == COVEY_OK;
         at = covey_pool_next(pool, at + 1)) {
        uint32_t index = covey_pool_at(pool, at).index;
        if (!covey__group_is_candidate(group, index)) continue;
        candidates++;
        result = covey__set_prepare(&group->members, index, true);
    }
    return result == COVEY_OK ? covey_sparse_set_reserve(&group->members, candidates) : result;
}

static void free_group(covey_group *group) {
    for (uint32_t i = 0; i < covey__group_terms(group); i++) covey__pool_unobserve(group->pools[i]);
    if (group->world->inner->disabled) covey__pool_unobserve(group->world->inner->disabled);
    covey__set_free(&group->members);
    covey__front_free(&group->front);
    covey__free(&group->world->inner->heap, group, 1, sizeof *group, alignof(covey_group));
}

static void ungroup(covey_group *group) {
    for (uint32_t i = 0; i < covey__group_owned(group); i++)
        if (!covey__pool_owner(group->pools[i])) covey__front_release(group->pools[i]);
}

/* Memory for all possible members. */
static covey_result prepare_members(covey_group *group) {
    if (covey__group_owned(group) == 0) return reserve_candidates(group);
    return covey__front_prepare(&group->front) ? COVEY_OK : COVEY_ERROR_MEMORY;
}

/* Converts the terms of a group to those of a view; false if there are none, or too many. */
static bool describe(const covey_group_desc *desc, covey_view_desc *view, uint32_t *owned) {
    uint32_t count = 0;
    *view = (covey_view_desc){ 0 };
    while (count < COVEY_TERMS && desc->own[count]) view->with[count] = desc->own[count], count++;
    *owned = count;
    for (uint32_t i = 0; i < COVEY_TERMS && desc->with[i]; i++, count++) {
        if (count == COVEY_TERMS) return false;
        view->with[count] = desc->with[i];
    }
    memcpy(view->without, desc->without, sizeof view->without);
    return count != 0;
}

static bool find_pools(covey_group *group) {
    for (uint32_t i = 0; i < covey__group_terms(group); i++) {
        group->pools[i] = covey_pool_of_raw(group->world, group->view.types[i]);
        if (!group->pools[i]) return false;
    }
    covey__view_find_pools(&group->view);
    return true;
}

/* Spare room is promised to candidates: frees it only if all candidates are members. */
static void shrink_groups(covey_world *world) {
    for (uint32_t i = 0; i < world->inner->group_count; i++) {
        covey_group *group = world->inner->groups[i];
        bool spare = covey__group_owned(group) == 0 && group->candidates == group->members.end;
        if (spare) covey_sparse_set_shrink(&group->members);
        covey__front_shrink(&group->front);
    }
}

/* The sets of members have heaps of their own. */
static size_t bytes_of_sets(const covey_world *world) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < world->inner->group_count; i++) bytes += world->inner->groups[i]->members.heap.bytes;
    return bytes;
}

static void end_groups(covey_world *world) {
    while (world->inner->group_count != 0) covey_group_destroy(world->inner->groups[world->inner->group_count - 1]);
}

static const covey__feature groups = { .end = end_groups, .shrink = shrink_groups, .bytes = bytes_of_sets };

covey_group *covey_group_create(covey_world *world, const covey_group_desc *desc) {
    COVEY__CONTRACT(NULL, world && desc, "a call needs a world and a description");
    if (COVEY__IN_HOOK(world)) return NULL;
    covey_view_desc terms;
    covey_group made = { .world = world };
    uint32_t owned;
    if (!describe(desc, &terms, &owned)) {
        covey__fail(world, COVEY_ERROR_TYPE,
                    "a group could not be made: it asks for no type, or for more than 16; ask for 1 to 16");
        return NULL;
    }
    made.view = covey_view_make(world, &terms);
    if (made.view.asks != 0) {
        covey__fail(world, COVEY_ERROR_TYPE,
                    "a group could not be made: groups skip what is disabled; use a view for covey_disabled");
        return NULL;
    }
    if (!covey_view_valid(&made.view) || !find_pools(&made)) return NULL;
    made.front = covey__front_make(made.pools, owned);
    if (check(&made) != COVEY_OK) return NULL;
    covey__set_init(&made.members, &(covey_sparse_set_desc){ .allocator = world->inner->heap.allocator });
    made.members.heap.budget = world->inner->heap.budget;
    made.members.shifts = &world->shifts;
    covey_group *group = covey__resize(&world->inner->heap, NULL, 0, 1, sizeof *group, alignof(covey_group));
    covey_result result = COVEY_ERROR_MEMORY;
    if (group) {
        *group = made;
        if (covey__group_make_room(group)) result = prepare_members(group);
        if (result != COVEY_OK) {
            ungroup(group);
            free_group(group);
        }
    }
    if (result != COVEY_OK) {
        refuse_group(&made, result, covey__reason(result), "");
        return NULL;
    }
    world->inner->features[COVEY__GROUPS] = &groups;
    covey__group_link(group);
    covey__group_collect_new(group);
    COVEY__CHANGED(world);
    return group;
}

void covey_group_destroy(covey_group *group) {
    if (!group) return;
    if (COVEY__IN_HOOK(group->world)) return;
    covey_world *world = group->world;
    uint32_t at = 0;
    while (world->inner->groups[at] != group) at++;
    world->inner->group_count--;
    for (; at < world->inner->group_count; at++) world->inner->groups[at] = world->inner->groups[at + 1];
    for (uint32_t i = 0; i < covey__group_terms(group); i++) covey__group_unlink(group, group->pools[i]);
    if (world->inner->disabled) covey__group_unlink(group, world->inner->disabled);
    ungroup(group);
    free_group(group);
    COVEY__CHANGED(world);
}

/* ---- Finding -----------------------------------------------------------------------------------------------------*/

static uint32_t count_types(const covey_type *const *types) {
    uint32_t count = 0;
    while (count < COVEY_TERMS && types[count]) count++;
    return count;
}

/* Whether the pools from `first` on have these types. */
static bool has_in_order(const covey_group *group, uint32_t first, const covey_type *const *types, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (group->pools[first + i] != covey__pool_known(group->world, types[i])) return false;
    return true;
}

/* Whether it excludes each of the types. No type is named twice. */
static bool excludes_all(const covey_group *group, const covey_type *const *types, uint32_t count) {
    uint32_t found = 0; /* a bit for each term */
    for (uint32_t i = 0; i < count; i++) {
        const covey_pool *pool = covey__pool_known(group->world, types[i]);
        for (uint32_t k = asked(group); k < covey__group_terms(group); k++)
            if (group->pools[k] == pool) found |= UINT32_C(1) << k;
    }
    return found == (UINT32_C(1) << covey__group_terms(group)) - (UINT32_C(1) << asked(group));
}

static bool is_described(const covey_group *group, const covey_group_desc *desc) {
    uint32_t own = count_types(desc->own), with = count_types(desc->with), without = count_types(desc->without);
    if (own != covey__group_owned(group) || own + with != asked(group) || without != group->view.without) return false;
    return has_in_order(group, 0, desc->own, own) && has_in_order(group, own, desc->with, with) &&
           excludes_all(group, desc->without, without);
}

covey_group *covey_group_find(const covey_world *world, const covey_group_desc *desc) {
    COVEY__CONTRACT(NULL, world && desc, "a call needs a world and a description");
    for (uint32_t i = 0; i < world->inner->group_count; i++)
        if (is_described(world->inner->groups[i], desc)) return world->inner->groups[i];
    return NULL;
}

/* ---- Looking -----------------------------------------------------------------------------------------------------*/

uint32_t covey_group_count(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    return covey__group_count(group);
}

uint32_t covey_group_owned(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    return covey__group_owned(group);
}

covey_entity covey_group_first(const covey_group *group) {
    if (covey_group_count(group) == 0) return (covey_entity){ 0, 0 };
    return covey__group_owned(group) != 0 ? covey__front_first(&group->front) : group->members.ids[0];
}

bool covey_group_contains(const covey_group *group, covey_entity e) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    return covey_alive(group->world, e) && covey__group_has(group, e.index);
}

const covey_view *covey_group_view(const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    return &group->view;
}

uint32_t covey_world_group_count(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return world->inner->group_count;
}

covey_group *covey_world_group(const covey_world *world, uint32_t number) {
    return number < covey_world_group_count(world) ? world->inner->groups[number] : NULL;
}

size_t covey__fronts_bytes(const covey_world *world) {
    size_t bytes = 0;
    for (uint32_t i = 0; i < world->inner->group_count; i++)
        bytes += covey__front_bytes(&world->inner->groups[i]->front);
    return bytes;
}

/* Appends to a text of limited size, as snprintf does. */
static void print(char *text, size_t size, int *length, const char *separator, const char *name) {
    size_t used = (size_t)*length < size ? (size_t)*length : size;
    *length += snprintf(size ? text + used : NULL, size - used, "%s%s", separator, name);
}

int covey_group_print(char *text, size_t size, const covey_group *group) {
    COVEY__CONTRACT(NULL, group, "a call needs a group");
    COVEY__CONTRACT(NULL, text || size == 0, "a call that writes text needs a place for it");
    int length = 0;
    if (size != 0) text[0] = '\0';
    for (uint32_t i = 0; i < covey__group_terms(group); i++) {
        bool first = i == 0 || i == covey__group_owned(group) || i == asked(group);
        const char *word = i < covey__group_owned(group) ? "own " : i < asked(group) ? "with " : "without ";
        if (first && i != 0) print(text, size, &length, " ", "");
        print(text, size, &length, first ? word : ", ", group->view.types[i]->name);
    }
    return length;
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_unowned(const covey_group *group, const char **why) {
    const covey_sparse_set *set = &group->members;
    uint32_t members = 0, candidates = 0;
    if (!covey__set_valid(set, "group: bytes that are not accounted for", why)) return false;
    for (uint32_t at = covey_pool_next(group->pools[0], 0); at != COVEY_NONE;
         at = covey_pool_next(group->pools[0], at + 1)) {
        covey_entity e = covey_pool_at(group->pools[0], at);
        uint32_t index = e.index, page = index / COVEY_PAGE_SIZE;
        bool asked = covey__group_asks_for(group, index);
        REQUIRE(covey_sparse_set_live(set, e) == asked,
                "group: an entity that does not match is a member, or one that matches is none");
        members += asked;
        if (!covey__group_is_candidate(group, index)) continue;
        candidates++;
        REQUIRE(page < set->page_count && covey__set_page(set, page),
                "group: a candidate has no page in the set of members");
    }
    REQUIRE(members == set->end, "group: a member is in none of its pools");
    REQUIRE(candidates == group->candidates, "group: its number of candidates is wrong");
    REQUIRE(covey__set_room(set) >= candidates, "group: the set of members has no room for all candidates");
    return true;
}

static bool is_linked(const covey_group *group, const covey_pool *pool, covey__role role) {
    const covey__observers *observers = pool->observers;
    uint32_t links = 0;
    for (uint32_t link = 0; observers && link < observers->group_count; link++)
        links += observers->groups[link].group == group && observers->groups[link].role == role;
    return links == 1;
}

bool covey__groups_valid(const covey_world *world, const char **why) {
    for (uint32_t i = 0; i < world->inner->group_count; i++) {
        const covey_group *group = world->inner->groups[i];
        uint32_t terms = (uint32_t)group->view.with + group->view.without;
        REQUIRE(group->world == world, "group: of another world");
        REQUIRE(group->first_bits == covey__group_find_bits(group), "group: it notes other pools than it owns");
        REQUIRE(group->left_whole == covey__group_is_left_whole(group),
                "group: whether entities leave it as a whole is wrong");
        for (uint32_t k = 0; k < terms; k++) {
            covey__role role = k < covey__group_owned(group) ? COVEY__OWNED
                               : k < group->view.with        ? COVEY__ASKED
                                                             : COVEY__EXCLUDED;
            REQUIRE(is_linked(group, group->pools[k], role), "group: a pool that does not know it");
        }
        REQUIRE(!world->inner->disabled || is_linked(group, world->inner->disabled, COVEY__EXCLUDED),
                "group: it does not know who is disabled");
        bool valid = covey__group_owned(group) == 0
                         ? valid_unowned(group, why)
                         : covey__front_valid(&group->front, covey__group_matches, group, why);
        if (!valid) return false;
    }
    return true;
}
