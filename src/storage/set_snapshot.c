/* Saves and restores sparse sets. */
#include "storage/set_snapshot.h"

#include "memory/alloc.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"

#include <stdalign.h>

enum { UNIT_WORDS = 64, WORD_BITS = 64 };

/* ---- The snapshot ------------------------------------------------------------------------------------------------*/

static uint32_t size_of(const covey__set_snapshot *snapshot) { return snapshot->end + snapshot->dead; }

static bool is_marked(const covey__set_snapshot *snapshot, uint32_t position) {
    uint32_t word = position / WORD_BITS;
    const covey__unit *unit = covey__unit_at(&snapshot->marks, word / UNIT_WORDS);
    if (!unit) return false;
    return (((const uint64_t *)(const void *)covey__unit_bytes(unit))[word % UNIT_WORDS] >> position % WORD_BITS & 1) !=
           0;
}

covey_entity covey__set_snapshot_at(const covey__set_snapshot *snapshot, uint32_t position) {
    const covey__unit *unit = snapshot->ids.at[position / COVEY__UNIT];
    if (is_marked(snapshot, position)) return (covey_entity){ 0, 0 };
    return ((const covey_entity *)(const void *)covey__unit_bytes(unit))[position % COVEY__UNIT];
}

void covey__set_snapshot_visit(covey__unit_store *store, covey__set_snapshot *snapshot, covey__units_fn *visit,
                               void *context) {
    visit(store, &snapshot->ids, context);
    visit(store, &snapshot->marks, context);
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

bool covey__set_save(covey__unit_store *store, const covey_sparse_set *set, const covey__set_snapshot *before,
                     covey__set_snapshot *snapshot) {
    uint32_t size = covey_sparse_set_position_count(set);
    snapshot->end = set->end;
    snapshot->dead = set->dead;
    snapshot->holes = set->holes;
    snapshot->hole = set->hole;
    if (!covey__units_save_array(store, &before->ids, &snapshot->ids, set->ids, size, COVEY__UNIT, sizeof *set->ids))
        return false;
    return !set->marks || covey__units_save_array(store, &before->marks, &snapshot->marks, set->marks,
                                                  covey__parts_of(size, WORD_BITS), UNIT_WORDS, sizeof *set->marks);
}

static uint32_t part_size(uint32_t size, uint32_t part) {
    uint32_t first = part * COVEY__UNIT, left = size > first ? size - first : 0;
    return left < COVEY__UNIT ? left : COVEY__UNIT;
}

bool covey__set_save_values(covey__unit_store *store, const covey_sparse_set *set, const covey__units *before,
                            covey__units *values) {
    uint32_t size = covey_sparse_set_position_count(set);
    for (uint32_t i = 0; i < values->count; i++) {
        const void *from = covey__value_at(set, i * COVEY__UNIT, set->size);
        if (!covey__unit_save(store, before, values, i, from, (size_t)part_size(size, i) * set->size)) return false;
        values->at[i]->wipe = set->zero_erased;
    }
    return true;
}

/* ---- Preparing ---------------------------------------------------------------------------------------------------*/

static bool differs(const covey__set_plan *plan, uint32_t part) {
    return (plan->differs[part / WORD_BITS] >> part % WORD_BITS & 1) != 0;
}

/* Whether the ids of a part may differ. The ids of marked holes do not count, and are not compared. */
static bool compare_part(const covey_sparse_set *set, const covey__set_snapshot *snapshot, uint32_t part) {
    uint32_t now = part_size(covey_sparse_set_position_count(set), part), then = part_size(size_of(snapshot), part);
    if (now != then || (set->policy == COVEY_ORDERED && (set->holes != 0 || snapshot->holes != 0))) return true;
    return then != 0 && memcmp(set->ids + part * COVEY__UNIT, covey__unit_bytes(snapshot->ids.at[part]),
                               then * sizeof *set->ids) != 0;
}

covey_result covey__set_plan_create(covey__heap *heap, covey__set_plan *plan, const covey_sparse_set *set,
                                    const covey__set_snapshot *snapshot) {
    uint32_t now = covey__parts_of(covey_sparse_set_position_count(set), COVEY__UNIT);
    uint32_t then = covey__parts_of(size_of(snapshot), COVEY__UNIT);
    uint32_t parts = now > then ? now : then, words = covey__parts_of(parts, WORD_BITS);
    plan->differs = covey__resize(heap, NULL, 0, words, sizeof *plan->differs, alignof(uint64_t));
    if (!plan->differs) return words == 0 ? COVEY_OK : COVEY_ERROR_MEMORY;
    plan->parts = parts;
    memset(plan->differs, 0, words * sizeof *plan->differs);
    for (uint32_t i = 0; i < parts; i++)
        plan->differs[i / WORD_BITS] |= (uint64_t)compare_part(set, snapshot, i) << i % WORD_BITS;
    return COVEY_OK;
}

void covey__set_plan_free(covey__heap *heap, covey__set_plan *plan) {
    uint32_t words = covey__parts_of(plan->parts, WORD_BITS);
    covey__free(heap, plan->differs, words, sizeof *plan->differs, alignof(uint64_t));
}

/* Makes a page for an index. */
static covey_result reach(covey_sparse_set *set, covey_pool *pool, uint32_t index) {
    if (index / COVEY_PAGE_SIZE < set->page_count && covey__set_page(set, index / COVEY_PAGE_SIZE)) return COVEY_OK;
    return pool ? covey__storage_reach(pool, index) : covey__set_reach(set, index);
}

static covey_result reach_part(covey_sparse_set *set, covey_pool *pool, const covey__set_snapshot *snapshot,
                               uint32_t part) {
    uint32_t first = part * COVEY__UNIT, count = part_size(size_of(snapshot), part);
    covey_result result = COVEY_OK;
    for (uint32_t i = first; i < first + count && result == COVEY_OK; i++) {
        covey_entity e = covey__set_snapshot_at(snapshot, i);
        if (e.generation != 0) result = reach(set, pool, e.index);
    }
    return result;
}

covey_result covey__set_prepare_restore(covey__heap *heap, covey__set_plan *plan, covey_sparse_set *set,
                                        covey_pool *pool, const covey__set_snapshot *snapshot) {
    uint32_t size = size_of(snapshot), parts = covey__parts_of(size, COVEY__UNIT);
    covey_result result = covey__set_plan_create(heap, plan, set, snapshot);
    if (result == COVEY_OK) result = covey_sparse_set_reserve(set, size);
    for (uint32_t part = 0; part < parts && result == COVEY_OK; part++)
        if (differs(plan, part)) result = reach_part(set, pool, snapshot, part);
    return result;
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

/* Removes the current ids of the parts that differ from the table. */
static void clear_slots(covey_sparse_set *set, const covey__set_plan *plan) {
    uint32_t size = covey_sparse_set_position_count(set);
    for (uint32_t part = 0; part < covey__parts_of(size, COVEY__UNIT); part++) {
        if (!differs(plan, part)) continue;
        uint32_t first = part * COVEY__UNIT;
        for (uint32_t i = first; i < first + part_size(size, part); i++)
            if (i >= set->end || !covey__is_hole(set, i)) *covey__slot_of(set, set->ids[i].index) = COVEY__SLOT_NULL;
    }
}

/* Writes the ids of the snapshot, and adds them to the table. */
static void write_ids(covey_sparse_set *set, const covey__set_plan *plan, const covey__set_snapshot *snapshot) {
    uint32_t size = size_of(snapshot);
    for (uint32_t part = 0; part < covey__parts_of(size, COVEY__UNIT); part++) {
        uint32_t first = part * COVEY__UNIT, count = part_size(size, part);
        if (!differs(plan, part)) continue;
        memcpy(set->ids + first, covey__unit_bytes(snapshot->ids.at[part]), count * sizeof *set->ids);
        for (uint32_t i = first; i < first + count; i++) {
            covey_entity e = covey__set_snapshot_at(snapshot, i);
            if (e.generation != 0) *covey__slot_of(set, e.index) = COVEY__SLOT(i, e.generation);
        }
    }
}

static void write_marks(covey_sparse_set *set, const covey__set_snapshot *snapshot) {
    if (!set->marks) return;
    memset(set->marks, 0, set->mark_capacity * sizeof *set->marks);
    for (uint32_t i = 0; i < snapshot->marks.count; i++)
        memcpy(set->marks + (size_t)i * UNIT_WORDS, covey__unit_bytes(snapshot->marks.at[i]),
               snapshot->marks.at[i]->bytes);
}

/* Zeroes the values at positions that have no live element. */
static void zero_erased(const covey_sparse_set *set, uint32_t size_before) {
    uint32_t size = covey_sparse_set_position_count(set);
    if (size_before > size) size = size_before;
    for (uint32_t i = 0; i < size; i++)
        if (i >= set->end || covey__is_hole(set, i)) memset(covey__value_at(set, i, set->size), 0, set->size);
}

void covey__set_restore(covey_sparse_set *set, const covey__set_plan *plan, const covey__set_snapshot *snapshot) {
    uint32_t size_before = covey_sparse_set_position_count(set);
    clear_slots(set, plan);
    write_ids(set, plan, snapshot);
    write_marks(set, snapshot);
    set->end = snapshot->end;
    set->dead = snapshot->dead;
    set->holes = snapshot->holes;
    set->hole = snapshot->hole;
    if (set->zero_erased) zero_erased(set, size_before);
}

void covey__set_restore_values(covey__copier *copier, const covey_sparse_set *set, const covey__units *values) {
    for (uint32_t part = 0; part < values->count; part++)
        covey__copier_add(copier, covey__value_at(set, part * COVEY__UNIT, set->size),
                          covey__unit_bytes(values->at[part]), values->at[part]->bytes);
}
