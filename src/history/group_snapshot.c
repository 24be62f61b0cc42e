/* Saves and restores the members of groups. A group has no number: its terms identify it. */
#include "memory/inner.h"
#include "history/snapshot.h"

#include "observe/members.h"
#include "observe/observers.h"
#include "query/view.h"
#include "storage/sparse_set.h"

/* ---- Which group -------------------------------------------------------------------------------------------------*/

static bool has_terms_of(const covey__group_snapshot *snapshot, const covey_group *group) {
    uint32_t terms = covey__view_terms(&group->view), same = 0;
    if (snapshot->owned != covey__group_owned(group) || snapshot->with != group->view.with || snapshot->terms != terms)
        return false;
    while (same < terms && snapshot->pools[same] == group->pools[same]->number) same++;
    return same == terms;
}

static bool is_twin(const covey_group *a, const covey_group *b) {
    uint32_t terms = covey__view_terms(&a->view), same = 0;
    if (covey__group_owned(a) != covey__group_owned(b) || a->view.with != b->view.with ||
        terms != covey__view_terms(&b->view))
        return false;
    while (same < terms && a->pools[same] == b->pools[same]) same++;
    return same == terms;
}

/* Returns NULL if there was none. Groups with the same terms are told apart by their order. */
static const covey__group_snapshot *snapshot_of(const covey__snapshot *snapshot, const covey_group *group) {
    uint32_t twins = 0;
    for (uint32_t i = 0; group->world->inner->groups[i] != group; i++)
        twins += is_twin(group->world->inner->groups[i], group);
    for (uint32_t i = 0; i < snapshot->group_count; i++)
        if (has_terms_of(&snapshot->groups[i], group) && twins-- == 0) return &snapshot->groups[i];
    return NULL;
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

static bool save_group(covey__saving *s, const covey_group *group, covey__group_snapshot *snapshot) {
    static const covey__group_snapshot none;
    const covey__group_snapshot *before = snapshot_of(s->before, group);
    snapshot->owned = covey__group_owned(group);
    snapshot->with = group->view.with;
    snapshot->terms = covey__view_terms(&group->view);
    for (uint32_t i = 0; i < snapshot->terms; i++) snapshot->pools[i] = group->pools[i]->number;
    snapshot->count = covey__group_count(group);
    snapshot->candidates = group->candidates;
    return covey__set_save(s->store, &group->members, before ? &before->set : &none.set, &snapshot->set) ||
           covey__save_lacks_memory(s);
}

bool covey__save_groups(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    const covey_world *world = s->world;
    snapshot->groups =
        covey__make_parts(s, &snapshot->group_count, world->inner->group_count, sizeof *snapshot->groups);
    for (uint32_t i = 0; i < world->inner->group_count && s->result == COVEY_OK; i++)
        save_group(s, world->inner->groups[i], &snapshot->groups[i]);
    return s->result == COVEY_OK;
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

static const covey__storage_snapshot *storage_of(const covey__rollback *r, const covey_pool *pool) {
    return &r->pools[pool->number].snapshot->storage;
}

/* The smallest storage that has all members. */
static const covey__storage_snapshot *smallest_of(const covey__rollback *r, const covey_group *group) {
    const covey__storage_snapshot *found = storage_of(r, group->pools[0]);
    for (uint32_t i = 1; i < group->view.with; i++) {
        const covey__storage_snapshot *storage = storage_of(r, group->pools[i]);
        if (storage->count < found->count) found = storage;
    }
    return found;
}

/* For a group that owns pools. */
static bool prepare_front(covey__rollback *r, covey_group *group) {
    const covey__storage_snapshot *storage = storage_of(r, group->pools[0]);
    uint64_t from = 0;
    if (!covey__front_needs_memory(&group->front)) return true;
    for (uint32_t index; (index = covey__storage_snapshot_next(storage, &from)) != COVEY_NONE;)
        if (!covey__front_reach(&group->front, index)) return covey__rollback_lacks_memory(r);
    return true;
}

/* For a group that owns nothing. A newer group collects its members: each component of its smallest pool may belong to
 * one. */
static bool prepare_members(covey__rollback *r, covey_group *group, covey__set_plan *plan) {
    const covey__group_snapshot *snapshot = snapshot_of(r->snapshot, group);
    const covey__storage_snapshot *storage = smallest_of(r, group);
    uint64_t from = 0;
    if (snapshot &&
        !covey__rollback_did(r, covey__set_plan_create(&r->store->heap, plan, &group->members, &snapshot->set)))
        return false;
    if (!covey__rollback_did(r, covey_sparse_set_reserve(&group->members, storage->count))) return false;
    for (uint32_t index; (index = covey__storage_snapshot_next(storage, &from)) != COVEY_NONE;)
        if (!covey__rollback_did(r, covey__set_reach(&group->members, index))) return false;
    return true;
}

bool covey__prepare_groups(covey__rollback *r) {
    for (uint32_t i = 0; i < r->world->inner->group_count; i++) {
        covey_group *group = r->world->inner->groups[i];
        bool owns = covey__group_owned(group) != 0;
        if (owns ? !prepare_front(r, group) : !prepare_members(r, group, &r->groups[i])) return false;
    }
    return true;
}

static void restore_group(const covey__rollback *r, covey_group *group, const covey__set_plan *plan) {
    const covey__group_snapshot *snapshot = snapshot_of(r->snapshot, group);
    COVEY__TRACE(group->world, group->left, COVEY_NONE);
    if (!snapshot) {
        covey__group_collect(group);
        return;
    }
    if (covey__group_owned(group) == 0) covey__set_restore(&group->members, plan, &snapshot->set);
    else covey__group_count_again(group, snapshot->count);
    group->candidates = snapshot->candidates;
}

void covey__restore_groups(const covey__rollback *r) {
    for (uint32_t i = 0; i < r->world->inner->group_count; i++)
        restore_group(r, r->world->inner->groups[i], &r->groups[i]);
}
