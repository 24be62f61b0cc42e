/* Going back: the oracle copies all that it has when the world is saved, and returns to the copy. Signals, commands,
 * copies, trees and what is disabled join in; each has a state of its own, which is the model's while it is at work. */
#include "model_world.h"

#include <covey/hierarchy.h>
#include <covey/history.h>
#include <stdlib.h>

enum { SIGNALS, COMMANDS, COPIES, HIERARCHY, VISIBLE, PARTS, SNAPSHOTS = 4 };
static const struct model_subject *const parts[PARTS] = { &model_signals, &model_commands, &model_copies,
                                                          &model_hierarchy, &model_visible };

typedef struct snapshot {
    oracle_world *oracle;
    void *states[PARTS];
} snapshot;

typedef struct past {
    covey_history *history; /* NULL: not there */
    uint32_t capacity, count;
    snapshot snapshots[SNAPSHOTS]; /* the newest is the last */
    void *states[PARTS];           /* of now */
} past;

static past *past_of(const model *m) { return m->whole; }

/* Does something with the state of a part. */
static void lend(model *m, uint32_t part, void (*run)(model *m)) {
    void *state = m->state;
    if (!run) return;
    m->state = past_of(m)->states[part];
    run(m);
    past_of(m)->states[part] = m->state;
    m->state = state;
}

/* ---- The parts ----------------------------------------------------------------------------------------------------*/

static void run_one_of(model *m, uint32_t part) {
    const model_operation *operation = model_pick_operation(m, parts[part]->operations);
    uint64_t calls = m->program.heap.calls;
    m->program.operation = operation->name;
    lend(m, part, operation->run);
    REQUIRE(m, !operation->quiet || m->may_allocate || m->program.heap.calls == calls, "it allocates");
}

static void run_signals(model *m) { run_one_of(m, SIGNALS); }
static void run_commands(model *m) { run_one_of(m, COMMANDS); }
static void run_copies(model *m) { run_one_of(m, COPIES); }
static void run_hierarchy(model *m) { run_one_of(m, HIERARCHY); }
static void run_visible(model *m) { run_one_of(m, VISIBLE); }

/* ---- Snapshots ----------------------------------------------------------------------------------------------------*/

static void forget_snapshot(snapshot *s) {
    oracle_world_destroy(s->oracle);
    for (uint32_t i = 0; i < PARTS; i++)
        if (parts[i]->unsave) parts[i]->unsave(s->states[i]);
}

static void forget_newest(past *p, uint32_t left) {
    while (p->count > left) forget_snapshot(&p->snapshots[--p->count]);
}

static void forget_oldest(past *p) {
    forget_snapshot(&p->snapshots[0]);
    p->count--;
    memmove(p->snapshots, p->snapshots + 1, p->count * sizeof *p->snapshots);
}

static void take_snapshot(model *m) {
    past *p = past_of(m);
    if (p->count == p->capacity) forget_oldest(p);
    snapshot *s = &p->snapshots[p->count++];
    s->oracle = oracle_world_copy(m->oracle);
    for (uint32_t i = 0; i < PARTS; i++) {
        m->state = p->states[i];
        s->states[i] = parts[i]->save ? parts[i]->save(m) : NULL;
    }
    m->state = NULL;
}

/* ---- Making and ending --------------------------------------------------------------------------------------------*/

static void history_create(model *m) {
    past *p = past_of(m);
    uint32_t capacity = program_below(&m->program, SNAPSHOTS + 1);
    if (p->history) return;
    covey_history *made = covey_history_create(m->world, capacity);
    if (!model_settle(m, made != NULL, capacity == 0 ? COVEY_ERROR_RANGE : COVEY_OK)) return;
    p->history = made;
    p->capacity = capacity;
}

static void history_destroy(model *m) {
    past *p = past_of(m);
    if (program_below(&m->program, 4) != 0) return;
    covey_history_destroy(p->history);
    p->history = NULL;
    forget_newest(p, 0);
}

/* ---- Saving -------------------------------------------------------------------------------------------------------*/

/* With the state of the commands for as long. */
static bool has_recorded_entities(model *m) {
    m->state = past_of(m)->states[COMMANDS];
    bool has = model_has_recorded_entities(m);
    m->state = NULL;
    return has;
}

/* Resources are those of the world: what they should be is looked after elsewhere. */
static covey_result may_save(model *m) {
    if (has_recorded_entities(m)) return COVEY_ERROR_REFUSED;
    for (uint32_t i = 0; i < m->oracle->pool_count; i++)
        if (oracle_set_count(m->oracle->pools[i].set) != 0 && !model_can_copy(m->oracle->pools[i].type))
            return COVEY_ERROR_COPY;
    for (uint32_t i = 0; i < covey_world_resource_count(m->world); i++)
        if (!model_can_copy(covey_world_resource(m->world, i))) return COVEY_ERROR_COPY;
    return COVEY_OK;
}

static uint32_t count_live(oracle_set *set) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < set->end; i++) count += set->ids[i].generation != 0;
    return count;
}

static uint32_t count_hooks(const oracle_world *oracle) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < oracle->pool_count; i++)
        if (oracle->pools[i].type->copy) count += count_live(oracle->pools[i].set);
    return count;
}

static void save(model *m) {
    past *p = past_of(m);
    if (!p->history) history_create(m);
    if (!p->history) return;
    covey_result expected = may_save(m);
    uint32_t hooks = expected == COVEY_OK ? count_hooks(m->oracle) : 0;
    if (hooks != 0 && model_let_copies_fail(m, hooks - 1) != 0) expected = COVEY_ERROR_COPY;
    bool saved = covey_history_save(p->history);
    values.copy_fails_in = 0;
    if (model_settle(m, saved, expected)) take_snapshot(m);
}

/* ---- Restoring ----------------------------------------------------------------------------------------------------*/

/* A pool that was in blocks cannot be so again while something is bound to its order. */
static bool is_refused(model *m, const oracle_world *then) {
    for (uint32_t i = 0; i < then->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i];
        if (then->pools[i].set->by_index != pool->set->by_index && model_is_bound(m, pool)) return true;
    }
    return false;
}

static bool has_same_groups(const oracle_world *a, const oracle_world *b) {
    if (a->group_count != b->group_count) return false;
    for (uint32_t i = 0; i < a->group_count; i++) {
        const oracle_group *left = &a->groups[i], *right = &b->groups[i];
        if (left->owned != right->owned || memcmp(&left->desc, &right->desc, sizeof left->desc) != 0) return false;
    }
    return true;
}

/* What a group owns comes back in the order that it had. */
static void compare_order(model *m, const oracle_pool *then) {
    const covey_pool *pool = covey_pool_find_raw(m->world, then->type);
    REQUIRE(m, (covey_pool_position_count)(pool) == then->set->end, "%u positions, not %u",
            (covey_pool_position_count)(pool), then->set->end);
    for (uint32_t i = 0; i < then->set->end; i++)
        REQUIRE(m, covey_same(covey_pool_at(pool, i), then->set->ids[i]), "another %s at %u", then->type->name, i);
}

static void keep_order(oracle_set *set, const oracle_set *then) {
    if (!set->kept) return;
    if (!then || !then->kept || memcmp(&then->order, &set->order, sizeof set->order) != 0)
        oracle_set_sort(set, &set->order);
}

static void find_address(model *m, const oracle_pool *pool, uint32_t at, const void *before) {
    covey_entity e = pool->set->ids[at];
    const void *address = covey_get_raw(m->world, e, pool->type);
    REQUIRE(m, address != NULL, "%u:%u has no %s", e.index, e.generation, pool->type->name);
    REQUIRE(m, !pool->set->pinned || !before || before == address, "the pinned value of %u has moved", e.index);
    pool->set->addresses[at] = address;
}

static const void *address_in(oracle_set *set, covey_entity e) {
    uint32_t at = oracle_set_live(set, e);
    return at != COVEY_NONE ? set->addresses[at] : NULL;
}

static void return_oracle(model *m, const oracle_world *then) {
    oracle_world *now = oracle_world_copy(m->oracle);
    bool exact = has_same_groups(now, then);
    oracle_world_return(m->oracle, then);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i], *saved = i < then->pool_count ? &then->pools[i] : NULL;
        keep_order(pool->set, saved ? saved->set : NULL);
        if (exact && saved && !pool->set->kept && !pool->set->by_index && oracle_is_owned(m->oracle, pool))
            compare_order(m, saved);
        for (uint32_t at = 0; at < pool->set->end; at++)
            if (pool->set->ids[at].generation != 0)
                find_address(m, pool, at, address_in(now->pools[i].set, pool->set->ids[at]));
    }
    oracle_world_destroy(now);
}

static void return_parts(model *m, const snapshot *s) {
    for (uint32_t i = 0; i < PARTS; i++) {
        m->state = past_of(m)->states[i];
        if (parts[i]->restore) parts[i]->restore(m, s->states[i]);
    }
    m->state = NULL;
}

static uint32_t pick_snapshot(model *m) {
    uint32_t count = past_of(m)->count, back = program_below(&m->program, count + program_chance(&m->program, 16) + 1);
    if (back != 0 && back == count && !program_chance(&m->program, 16)) back--;
    return back;
}

static bool restore_to(model *m, uint32_t back) {
    past *p = past_of(m);
    const snapshot *s = back < p->count ? &p->snapshots[p->count - 1 - back] : NULL;
    bool refused = s && (has_recorded_entities(m) || is_refused(m, s->oracle));
    covey_result expected = !s ? COVEY_ERROR_ABSENT : refused ? COVEY_ERROR_REFUSED : COVEY_OK;
    uint32_t hooks = expected == COVEY_OK ? count_hooks(s->oracle) : 0;
    if (hooks != 0 && model_let_copies_fail(m, hooks - 1) != 0) expected = COVEY_ERROR_COPY;
    bool restored = covey_history_restore(p->history, back);
    values.copy_fails_in = 0;
    if (!model_settle(m, restored, expected)) return false;
    forget_newest(p, p->count - back);
    return_oracle(m, s->oracle);
    return_parts(m, s);
    return true;
}

static void restore(model *m) {
    uint32_t back = pick_snapshot(m);
    if (past_of(m)->history) restore_to(m, back);
}

/* ---- Looking ------------------------------------------------------------------------------------------------------*/

/* A world that was made of a snapshot has the components of then. */
static void compare_pool_of_then(model *m, covey_world *twin, const oracle_pool *then) {
    const covey_type *type = covey_type_find(twin, then->type->name);
    const covey_pool *pool = type ? covey_pool_find_raw(twin, type) : NULL;
    REQUIRE(m, pool != NULL, "%s is not known then", then->type->name);
    REQUIRE(m, covey_pool_count(pool) == oracle_set_count(then->set), "%u of %s then", covey_pool_count(pool),
            type->name);
    for (uint32_t i = 0; i < then->set->end; i++) {
        covey_entity e = then->set->ids[i];
        if (e.generation == 0) continue;
        const void *value = covey_pool_get_raw(pool, e);
        REQUIRE(m, value != NULL, "%u:%u has no %s then", e.index, e.generation, type->name);
        REQUIRE(m, memcmp(value, oracle_set_value(then->set, i), type->size) == 0, "%u:%u has another %s then", e.index,
                e.generation, type->name);
        REQUIRE(m, then->set->by_index || covey_same(covey_pool_at(pool, i), e), "%s: another order then", type->name);
    }
}

static void compare_then(model *m, covey_world *twin, const oracle_world *then) {
    const char *why = "";
    REQUIRE(m, covey_world_validate(twin, &why), "the world of then is not valid: %s", why);
    REQUIRE(m, covey_entity_count(twin) == then->alive, "%u entities then, not %u", covey_entity_count(twin),
            then->alive);
    covey_entity e = oracle_next(then, 0);
    for (; !covey_is_null(e); e = oracle_next(then, (uint64_t)e.index + 1))
        REQUIRE(m, covey_alive(twin, e), "%u:%u is not alive then", e.index, e.generation);
    for (uint32_t i = 0; i < then->pool_count; i++) compare_pool_of_then(m, twin, &then->pools[i]);
}

static void compare_entity(model *m, covey_world *twin, covey_entity e) {
    const char *name = covey_name(m->world, e), *other = covey_name(twin, e);
    REQUIRE(m, (name != NULL) == (other != NULL) && (!name || strcmp(name, other) == 0), "%u has another name",
            e.index);
    REQUIRE(m, covey_same(covey_parent(m->world, e), covey_parent(twin, e)), "%u has another parent", e.index);
    REQUIRE(m, covey_same(covey_child_next(m->world, e), covey_child_next(twin, e)), "%u has another sibling", e.index);
    REQUIRE(m, covey_is_enabled(m->world, e) == covey_is_enabled(twin, e), "%u is disabled, or not", e.index);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const covey_type *type = m->oracle->pools[i].type, *known = covey_type_find(twin, type->name);
        if (!known) continue;
        REQUIRE(m, covey_component_is_enabled_raw(m->world, e, type) == covey_component_is_enabled_raw(twin, e, known),
                "%s of %u is disabled, or not", type->name, e.index);
        REQUIRE(m, covey_changed_at_raw(m->world, e, type) == covey_changed_at_raw(twin, e, known),
                "%s of %u was changed at another time", type->name, e.index);
    }
}

/* The world that was restored, and the one that was made of the same snapshot, are alike, but for what has to do with
 * groups and orders of now. */
static void compare_restored(model *m, covey_world *twin) {
    REQUIRE(m, covey_tick(twin) == covey_tick(m->world), "another tick");
    REQUIRE(m, covey_world_resource_count(twin) == covey_world_resource_count(m->world), "other resources");
    covey_entity e = covey_entity_next(m->world, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e); e = covey_entity_next(m->world, e)) compare_entity(m, twin, e);
    for (uint32_t i = 0; i < m->oracle->pool_count; i++) {
        const oracle_pool *pool = &m->oracle->pools[i];
        if (covey_type_find(twin, pool->type->name) && !model_is_bound(m, pool))
            model_compare_spans(m, twin, pool->type);
    }
}

/* Makes a world of a snapshot; now and then the model's own goes back to it, too. */
static void look(model *m) {
    past *p = past_of(m);
    uint32_t back = pick_snapshot(m);
    if (!p->history) return;
    const snapshot *s = back < p->count ? &p->snapshots[p->count - 1 - back] : NULL;
    uint32_t hooks = s ? count_hooks(s->oracle) : 0;
    covey_result expected = s ? COVEY_OK : COVEY_ERROR_ABSENT;
    if (hooks != 0 && model_let_copies_fail(m, hooks - 1) != 0) expected = COVEY_ERROR_COPY;
    covey_world *twin = covey_history_world(p->history, back, NULL);
    values.copy_fails_in = 0;
    if (!model_settle(m, twin != NULL, expected)) return;
    compare_then(m, twin, s->oracle);
    if (program_chance(&m->program, 128) && restore_to(m, back)) compare_restored(m, twin);
    covey_world_destroy(twin);
}

static const model_operation operations[] = {
    { "signals", run_signals, 8, false },
    { "commands", run_commands, 6, false },
    { "copies", run_copies, 8, false },
    { "hierarchy", run_hierarchy, 8, false },
    { "visible", run_visible, 8, false },
    { "history_create", history_create, 2, false },
    { "history_destroy", history_destroy, 1, true },
    { "history_save", save, 10, false },
    { "history_restore", restore, 10, false },
    { "history_world", look, 6, false },
    { NULL, NULL, 0, false },
};

/* ---- The subject --------------------------------------------------------------------------------------------------*/

static void begin(model *m) {
    m->whole = calloc(1, sizeof(past));
    if (!m->whole) abort();
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->begin);
}

static void check(model *m) {
    const past *p = past_of(m);
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->check);
    REQUIRE(m, !p->history || covey_history_count(p->history) == p->count, "%u snapshots, not %u",
            covey_history_count(p->history), p->count);
}

static void compare(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->compare);
}

/* Snapshots have resources, which are counted. */
static void leave_past(model *m) {
    covey_history_destroy(past_of(m)->history);
    past_of(m)->history = NULL;
    forget_newest(past_of(m), 0);
}

static void end(model *m) {
    leave_past(m);
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->end);
}

static void forget(model *m) {
    if (!m->whole) return;
    forget_newest(past_of(m), 0);
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->forget);
    free(m->whole);
}

static void clear(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->clear);
}

static void leave(model *m) {
    leave_past(m);
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->leave);
}

static void move(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->move);
}

static void count_loaded(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->count_loaded);
}

/* Those who only look have the state for as long. */
static model *borrow(const model *m, uint32_t part) {
    model *borrowed = (model *)(uintptr_t)m;
    borrowed->state = past_of(m)->states[part];
    return borrowed;
}

static size_t memory(const model *m) {
    size_t bytes = model_commands.memory(borrow(m, COMMANDS));
    return bytes + (past_of(m)->history ? covey_history_memory(past_of(m)->history) : 0);
}

static void count_tokens_of(const oracle_set *set, uint32_t *live) {
    for (uint32_t i = 0; i < set->end; i++) {
        uint32_t token;
        if (set->ids[i].generation == 0) continue;
        memcpy(&token, oracle_set_value(set, i), sizeof token);
        if (token < VALUE_TOKENS) live[token]++;
    }
}

/* Each snapshot has a copy of every owner. */
static void count_tokens(const model *m, uint32_t *live) {
    const past *p = past_of(m);
    model_commands.count_tokens(borrow(m, COMMANDS), live);
    for (uint32_t i = 0; i < p->count; i++)
        for (uint32_t k = 0; k < p->snapshots[i].oracle->pool_count; k++) {
            const oracle_pool *pool = &p->snapshots[i].oracle->pools[k];
            if (pool->type->drop) count_tokens_of(pool->set, live);
        }
}

const struct model_subject model_history = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .clear = clear,
    .memory = memory,
    .count_tokens = count_tokens,
    .leave = leave,
    .move = move,
    .count_loaded = count_loaded,
};
