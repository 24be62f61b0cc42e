/* The naive world: a table of indices, and a naive set for each pool. */
#include "oracle.h"

#include <stdlib.h>

oracle_world *oracle_world_create(oracle_fault fault) {
    oracle_world *world = calloc(1, sizeof *world);
    if (!world) abort();
    world->fault = fault;
    world->range_count = 1;
    world->ranges[0].end = COVEY_NONE;
    world->tick = 1;
    return world;
}

void oracle_world_destroy(oracle_world *world) {
    for (uint32_t i = 0; i < world->pool_count; i++) oracle_set_destroy(world->pools[i].set);
    free(world->indices);
    free(world->words);
    free(world->candidates);
    free(world->ticks);
    free(world->roll);
    free(world);
}

static void *twin_of(const void *array, size_t count, size_t size) {
    void *twin = calloc(count + 1, size);
    if (!twin) abort();
    return count != 0 ? memcpy(twin, array, count * size) : twin;
}

/* Arrays of its own, for a world that has those of another one. */
static void copy_arrays(oracle_world *world) {
    world->indices = twin_of(world->indices, world->index_count, sizeof *world->indices);
    world->words = twin_of(world->words, world->word_count, sizeof *world->words);
    world->candidates = twin_of(world->candidates, world->candidate_count, sizeof *world->candidates);
    world->roll = twin_of(world->roll, world->roll_capacity, sizeof *world->roll);
    world->ticks = twin_of(world->ticks, (size_t)world->tick_count * ORACLE_POOLS, sizeof *world->ticks);
    for (uint32_t i = 0; i < world->pool_count; i++) world->pools[i].set = oracle_set_copy(world->pools[i].set);
}

oracle_world *oracle_world_copy(const oracle_world *world) {
    oracle_world *copy = twin_of(world, 1, sizeof *world);
    copy_arrays(copy);
    return copy;
}

/* The sets that a world has by now, as they are to be. */
static void return_pool(oracle_world *world, const oracle_world *now, uint32_t number) {
    oracle_pool *pool = &world->pools[number];
    const oracle_pool *there = &now->pools[number];
    if (number >= world->pool_count) {
        *pool = (oracle_pool){ there->type, oracle_set_copy(there->set) };
        pool->set->end = pool->set->dead = pool->set->hole_count = 0;
    }
    pool->set->kept = there->set->kept;
    pool->set->order = there->set->order;
}

void oracle_world_return(oracle_world *world, const oracle_world *to) {
    oracle_world *now = twin_of(world, 1, sizeof *world);
    *world = *to;
    copy_arrays(world);
    for (uint32_t i = 0; i < now->pool_count; i++) return_pool(world, now, i);
    world->pool_count = now->pool_count;
    memcpy(world->groups, now->groups, sizeof world->groups);
    world->group_count = now->group_count;
    world->hear = now->hear;
    world->hear_context = now->hear_context;
    world->destroyed = now->destroyed;
    world->context = now->context;
    oracle_world_destroy(now);
}

static void tell(const oracle_world *world, covey_signal signal, const oracle_pool *pool, covey_entity e) {
    if (world->hear) world->hear(signal, pool, e, world->hear_context);
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void reach(oracle_world *world, uint32_t index) {
    if (index < world->index_count) return;
    uint32_t count = (index + 1) * 2;
    world->indices = realloc(world->indices, count * sizeof *world->indices);
    if (!world->indices) abort();
    memset(world->indices + world->index_count, 0, (count - world->index_count) * sizeof *world->indices);
    world->index_count = count;
}

oracle_state oracle_state_of(const oracle_world *world, uint32_t index) {
    return index < world->index_count ? world->indices[index].state : ORACLE_UNUSED;
}

bool oracle_alive(const oracle_world *world, covey_entity e) {
    return oracle_state_of(world, e.index) == ORACLE_ALIVE && world->indices[e.index].generation == e.generation;
}

covey_entity oracle_next(const oracle_world *world, uint64_t index) {
    for (; index < world->index_count; index++)
        if (world->indices[index].state == ORACLE_ALIVE)
            return covey__entity((uint32_t)index, world->indices[index].generation);
    return (covey_entity){ 0, 0 };
}

static uint32_t range_of(const oracle_world *world, uint32_t index) {
    for (uint32_t i = 1; i < world->range_count; i++)
        if (index >= world->ranges[i].first && index < world->ranges[i].end) return i;
    return 0;
}

bool oracle_issues(const oracle_world *world, uint32_t range, uint32_t index) {
    return world->fault == ORACLE_IGNORES_RANGES || range_of(world, index) == range;
}

static bool may_be_issued(const oracle_world *world, uint32_t range, uint32_t index, bool unused) {
    oracle_state state = oracle_state_of(world, index);
    if (state != ORACLE_UNUSED && (state != ORACLE_FREE || unused)) return false;
    return oracle_issues(world, range, index);
}

/* The lowest index to be issued, of those that belong to no kind or of all. */
static uint32_t lowest_index(const oracle_world *world, uint32_t number, bool common) {
    const oracle_range *range = &world->ranges[number];
    bool unused = world->fault == ORACLE_PREFERS_UNUSED;
    uint32_t index = range->first;
    while (index < range->end &&
           (!may_be_issued(world, number, index, unused) || (common && oracle_set_at(world, index) != 0)))
        index++;
    return index;
}

uint32_t oracle_next_index(const oracle_world *world, uint32_t number) {
    uint32_t index = lowest_index(world, number, true);
    return index < world->ranges[number].end ? index : lowest_index(world, number, false);
}

uint32_t oracle_can_create(const oracle_world *world, uint32_t number, uint32_t wanted) {
    uint32_t can = 0;
    for (uint32_t i = world->ranges[number].first; i < world->ranges[number].end && can < wanted; i++)
        can += may_be_issued(world, number, i, false);
    return can;
}

/* Enters an index among the living. */
static covey_entity enrol(oracle_world *world, uint32_t index) {
    oracle_index *record = &world->indices[index];
    record->state = ORACLE_ALIVE;
    if (world->alive == world->roll_capacity) {
        world->roll_capacity = world->roll_capacity * 2 + 16;
        world->roll = realloc(world->roll, world->roll_capacity * sizeof *world->roll);
        if (!world->roll) abort();
    }
    record->roll = world->alive++;
    world->roll[record->roll] = covey__entity(index, record->generation);
    tell(world, COVEY_ON_CREATE, NULL, world->roll[record->roll]);
    return world->roll[record->roll];
}

static covey_entity begin(oracle_world *world, uint32_t index) {
    reach(world, index);
    oracle_index *record = &world->indices[index];
    if (record->state == ORACLE_UNUSED) record->generation = 1;
    else if (world->fault != ORACLE_FORGETS_GENERATION) record->generation += 2;
    return enrol(world, index);
}

covey_entity oracle_create(oracle_world *world, uint32_t number) {
    return begin(world, oracle_next_index(world, number));
}

covey_result oracle_may_create_at(const oracle_world *world, uint32_t index) {
    if (index >= COVEY_NONE) return COVEY_ERROR_RANGE;
    oracle_state state = oracle_state_of(world, index);
    return state == ORACLE_UNUSED || state == ORACLE_FREE ? COVEY_OK : COVEY_ERROR_TAKEN;
}

covey_entity oracle_create_at(oracle_world *world, uint32_t index) { return begin(world, index); }

uint32_t oracle_generation_at(const oracle_world *world, uint32_t index) {
    oracle_state state = oracle_state_of(world, index);
    if (state == ORACLE_RETIRED) return COVEY_GENERATION_MAX;
    return state != ORACLE_UNUSED ? world->indices[index].generation : 0;
}

covey_result oracle_may_create_exact(const oracle_world *world, covey_entity e) {
    if (e.index >= COVEY_NONE || e.generation > COVEY_GENERATION_MAX || e.generation % 2 == 0) return COVEY_ERROR_RANGE;
    covey_result result = oracle_may_create_at(world, e.index);
    bool past = e.generation <= oracle_generation_at(world, e.index) && world->fault != ORACLE_REPEATS_GENERATIONS;
    return result == COVEY_OK && past ? COVEY_ERROR_TAKEN : result;
}

covey_entity oracle_create_exact(oracle_world *world, covey_entity e) {
    reach(world, e.index);
    world->indices[e.index].generation = e.generation;
    return enrol(world, e.index);
}

covey_result oracle_may_create_again(const oracle_world *world, covey_entity e) {
    if (e.index >= COVEY_NONE || e.generation > COVEY_GENERATION_MAX || e.generation % 2 == 0) return COVEY_ERROR_RANGE;
    uint32_t last = oracle_generation_at(world, e.index);
    if (world->fault == ORACLE_FORBIDS_RETURN && e.generation == last) return COVEY_ERROR_TAKEN;
    oracle_state state = oracle_state_of(world, e.index);
    bool idle = state == ORACLE_UNUSED || state == ORACLE_FREE || state == ORACLE_RETIRED;
    return idle && e.generation >= last ? COVEY_OK : COVEY_ERROR_TAKEN;
}

covey_result oracle_may_reserve(const oracle_world *world, uint32_t first, uint32_t count) {
    if (count == 0 || (uint64_t)first + count > COVEY_NONE) return COVEY_ERROR_RANGE;
    for (uint32_t i = 1; i < world->range_count; i++)
        if (first < world->ranges[i].end && first + count > world->ranges[i].first) return COVEY_ERROR_TAKEN;
    for (uint32_t i = 0; i < count && first + i < world->index_count; i++)
        if (oracle_state_of(world, first + i) != ORACLE_UNUSED) return COVEY_ERROR_TAKEN;
    return COVEY_OK;
}

void oracle_reserve(oracle_world *world, uint32_t first, uint32_t count) {
    world->ranges[world->range_count++] = (oracle_range){ .first = first, .end = first + count };
    oracle_kinds_leave(world, first, first + count);
}

uint32_t oracle_range_number(const oracle_world *world, covey_range range) {
    for (uint32_t i = 1; i < world->range_count; i++)
        if (world->ranges[i].first == range.first && world->ranges[i].end - range.first == range.count) return i;
    return 0;
}

bool oracle_destroy(oracle_world *world, covey_entity e) {
    if (!oracle_alive(world, e)) return false;
    oracle_index *record = &world->indices[e.index];
    bool lazy = world->fault == ORACLE_LEAVES_COMPONENTS;
    tell(world, COVEY_ON_DESTROY, NULL, e);
    for (uint32_t i = 0; i < world->pool_count; i++) {
        bool there = oracle_has(world, &world->pools[i], e);
        if (there && !lazy) oracle_remove(world, &world->pools[i], e);
        lazy = lazy && !there;
    }
    covey_entity last = world->roll[--world->alive];
    world->roll[record->roll] = last;
    world->indices[last.index].roll = record->roll;
    record->disabled = false;
    bool used_up = e.generation == COVEY_GENERATION_MAX && world->fault != ORACLE_RETIRES_LATE;
    record->state = used_up ? ORACLE_RETIRED : ORACLE_FREE;
    if (!used_up) oracle_word_freed(world, e.index);
    if (world->destroyed) world->destroyed(world->context, e);
    return true;
}

void oracle_destroy_all(oracle_world *world) {
    bool upward = world->fault == ORACLE_DESTROYS_UPWARD;
    for (uint32_t i = 0; i < world->index_count; i++) {
        uint32_t index = upward ? i : world->index_count - 1 - i;
        oracle_destroy(world, covey__entity(index, world->indices[index].generation));
    }
}

covey_entity oracle_set_aside(oracle_world *world) {
    uint32_t index = oracle_next_index(world, 0);
    reach(world, index);
    oracle_index *record = &world->indices[index];
    uint32_t generation = record->state == ORACLE_UNUSED ? 1 : record->generation + 2;
    record->state = ORACLE_ASIDE;
    return covey__entity(index, generation);
}

void oracle_give_back(oracle_world *world, covey_entity e) {
    oracle_index *record = &world->indices[e.index];
    record->state = e.generation == 1 ? ORACLE_UNUSED : ORACLE_FREE;
    record->generation = e.generation == 1 ? 0 : e.generation - 2;
    oracle_word_freed(world, e.index);
}

void oracle_retire(oracle_world *world, uint32_t index) { world->indices[index].state = ORACLE_RETIRED; }

void oracle_enliven(oracle_world *world, covey_entity e) {
    world->indices[e.index].generation = e.generation;
    enrol(world, e.index);
}

/* ---- Types and pools ----------------------------------------------------------------------------------------------*/

bool oracle_type_valid(const covey_type *type) {
    uint32_t align = type->align ? type->align : 1;
    bool power = align == 1 || align == 2 || align == 4 || align == 8 || align == 16 || align == 32 || align == 64;
    bool block = type->storage == COVEY_STORAGE_BLOCK || type->storage == COVEY_STORAGE_PINNED;
    if ((uint32_t)type->storage > COVEY_STORAGE_PINNED || (block && type->policy != COVEY_SWAP_AND_POP)) return false;
    return type->name && type->name[0] && power && type->size % align == 0 && (type->size != 0 || !type->drop);
}

bool oracle_type_is_block(const covey_type *type) {
    return type->storage != COVEY_STORAGE_SPARSE && type->policy == COVEY_SWAP_AND_POP;
}

static bool is_pinned(const covey_type *type) { return type->storage == COVEY_STORAGE_PINNED; }

bool oracle_same_layout(const covey_type *a, const covey_type *b) {
    uint32_t a_align = a->align ? a->align : 1, b_align = b->align ? b->align : 1;
    if (oracle_type_is_block(a) != oracle_type_is_block(b) || is_pinned(a) != is_pinned(b)) return false;
    return a->size == b->size && a_align == b_align && a->policy == b->policy && a->zero_erased == b->zero_erased &&
           !a->drop == !b->drop && !a->copy == !b->copy;
}

oracle_pool *oracle_pool_named(oracle_world *world, const char *name) {
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (strcmp(world->pools[i].type->name, name) == 0) return &world->pools[i];
    return NULL;
}

oracle_pool *oracle_pool_of(oracle_world *world, const covey_type *type) {
    oracle_pool *pool = type->name ? oracle_pool_named(world, type->name) : NULL;
    return pool && oracle_same_layout(pool->type, type) ? pool : NULL;
}

oracle_pool *oracle_pool_meet(oracle_world *world, const covey_type *type) {
    oracle_pool *pool = &world->pools[world->pool_count++];
    covey_sparse_set_desc desc = { .size = type->size, .policy = type->policy, .zero_erased = type->zero_erased };
    *pool = (oracle_pool){ type, oracle_set_create(&desc, world->fault) };
    pool->set->by_index = oracle_type_is_block(type);
    pool->set->pinned = is_pinned(type);
    return pool;
}

/* ---- Components ---------------------------------------------------------------------------------------------------*/

uint32_t oracle_bit_of(const oracle_world *world, const oracle_pool *pool) {
    return UINT32_C(1) << (uint32_t)(pool - world->pools);
}

uint32_t oracle_types_of(const oracle_world *world, covey_entity e) { return world->indices[e.index].pools; }

bool oracle_has(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    return oracle_alive(world, e) && (world->indices[e.index].pools & oracle_bit_of(world, pool)) != 0;
}

unsigned char *oracle_get(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    if (!oracle_has(world, pool, e)) return NULL;
    uint32_t at = oracle_set_live(pool->set, e);
    return at != COVEY_NONE ? oracle_set_value(pool->set, at) : NULL;
}

/* Of the value at a position, which is told of. */
static void note_byte(oracle_world *world, const oracle_pool *pool, uint32_t at) {
    world->byte = at != COVEY_NONE && pool->type->size != 0 ? *oracle_set_value(pool->set, at) : 0;
}

void oracle_add(oracle_world *world, const oracle_pool *pool, covey_entity e, const void *value, bool force_back) {
    oracle_set_push(pool->set, e, value, force_back);
    world->indices[e.index].pools |= oracle_bit_of(world, pool);
    oracle_touch(world, pool, e);
    note_byte(world, pool, oracle_set_live(pool->set, e));
    tell(world, COVEY_ON_ADD, pool, e);
}

void oracle_remove(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    uint32_t at = oracle_set_live(pool->set, e);
    note_byte(world, pool, at);
    if (at != COVEY_NONE) oracle_set_erase(pool->set, at);
    world->indices[e.index].pools &= ~oracle_bit_of(world, pool);
    world->indices[e.index].off &= ~oracle_bit_of(world, pool);
    tell(world, COVEY_ON_REMOVE, pool, e);
}

void oracle_clear(oracle_world *world, const oracle_pool *pool) {
    for (uint32_t i = 0; i < pool->set->end; i++) {
        covey_entity e = pool->set->ids[pool->set->by_index ? i : pool->set->end - 1 - i];
        if (e.generation == 0) continue;
        world->indices[e.index].pools &= ~oracle_bit_of(world, pool);
        world->indices[e.index].off &= ~oracle_bit_of(world, pool);
        note_byte(world, pool, pool->set->by_index ? i : pool->set->end - 1 - i);
        tell(world, COVEY_ON_REMOVE, pool, e);
    }
    oracle_set_clear(pool->set);
}

void oracle_was_set(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    oracle_touch(world, pool, e);
    note_byte(world, pool, oracle_set_live(pool->set, e));
    tell(world, COVEY_ON_SET, pool, e);
}

void oracle_was_patched(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    oracle_touch(world, pool, e);
    note_byte(world, pool, oracle_set_live(pool->set, e));
    tell(world, COVEY_ON_PATCH, pool, e);
}

/* ---- What is disabled, and ticks ----------------------------------------------------------------------------------*/

void oracle_disable(oracle_world *world, covey_entity e, bool disabled) { world->indices[e.index].disabled = disabled; }

void oracle_enable_all(oracle_world *world) {
    for (uint32_t i = 0; i < world->index_count; i++) world->indices[i].disabled = false;
}

bool oracle_is_enabled(const oracle_world *world, covey_entity e) {
    return oracle_alive(world, e) && !world->indices[e.index].disabled;
}

void oracle_disable_component(oracle_world *world, const oracle_pool *pool, covey_entity e, bool disabled) {
    oracle_index *record = &world->indices[e.index];
    record->off = disabled ? record->off | oracle_bit_of(world, pool) : record->off & ~oracle_bit_of(world, pool);
}

bool oracle_component_is_enabled(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    return oracle_has(world, pool, e) && (world->indices[e.index].off & oracle_bit_of(world, pool)) == 0;
}

void oracle_touch(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    if (!pool->type->ticks) return;
    if (e.index >= world->tick_count) {
        world->tick_count = (e.index + 1u) * 2;
        world->ticks = realloc(world->ticks, (size_t)world->tick_count * ORACLE_POOLS * sizeof *world->ticks);
        if (!world->ticks) abort();
    }
    world->ticks[(size_t)e.index * ORACLE_POOLS + (size_t)(pool - world->pools)] = world->tick;
}

uint64_t oracle_changed_at(oracle_world *world, const oracle_pool *pool, covey_entity e) {
    bool known = pool->type->ticks && oracle_has(world, pool, e);
    return known ? world->ticks[(size_t)e.index * ORACLE_POOLS + (size_t)(pool - world->pools)] : 0;
}
