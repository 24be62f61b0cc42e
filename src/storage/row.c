/* Rows: see row.h. */
#include "storage/row.h"

#include "storage/sparse_set.h"
#include "storage/type.h"

/* Whether a value is stored as bytes, without a hook. */
static bool are_bytes(const covey_pool *pool, const covey_component *component) {
    const covey_type *type = pool->type;
    COVEY__CONTRACT(pool->world, component->size == 0 || component->size == pool->size,
                    "the size is not that of the type");
    if (component->count > 1) return false;
    if (component->value) return !type->copy && covey__type_can_copy(type);
    return component->values || !type->copy || !type->defaults;
}

static bool has_room(const covey__row_column *column) {
    const covey_sparse_set *set = &column->pool->sparse_set;
    if (column->used) return *column->used == *column->front && *column->used < column->capacity;
    return column->mask || (set->end < covey__set_room(set) && set->end == *column->end && set->dead == 0);
}

static bool fits(const covey__row *row, const covey_component *components) {
    for (uint32_t i = 0; i < row->count; i++) {
        const covey__row_column *column = &row->columns[i];
        if (column->type != components[i].type || !are_bytes(column->pool, &components[i])) return false;
        if (!has_room(column)) return false;
    }
    return true;
}

/* Like covey__block_append. */
static void *append_to_compact(const covey__row_column *column, uint32_t index) {
    covey_pool *pool = column->pool;
    uint32_t bit = index % COVEY__BLOCK_IDS, block = covey__block_of(index);
    uint8_t slot = (*column->used)++;
    uint64_t mask = *column->mask;
    (column->map - column->capacity)[slot] = (uint8_t)bit;
    column->map[bit] = slot;
    *column->mask = mask | (uint64_t)1 << bit;
    *column->ordered &= ~((uint64_t)(mask >> bit != 0) << block);
    pool->block_store.count++;
    COVEY__TRACE(pool->world, pool->added, index);
    return column->data + (size_t)slot * pool->size;
}

static void *append(const covey__row_column *column, covey_entity e) {
    covey_pool *pool = column->pool;
    uint32_t at = pool->sparse_set.end;
    if (column->used) return append_to_compact(column, e.index);
    void *to = covey__row_append(column, e, e.index % COVEY__BLOCK_IDS, pool->size);
    return column->mask ? to : covey__value_at(&pool->sparse_set, at, pool->size);
}

/* The value may be a literal, which is in memory only for this call. */
static void write_value(void *to, const covey_pool *pool, const covey_component *component) {
    const void *value = component->value ? component->value : component->values;
    if (!value) value = pool->type->defaults;
    if (value) covey__fill_literal(to, value, pool->size);
    else memset(to, 0, pool->size);
}

static void join_groups(covey_world *world) {
    const covey__row *row = &world->row;
    for (uint32_t i = 0; i < row->joined; i++) {
        covey__row_join(world, &row->groups[i]);
        if (row->groups[i].border) ++*row->groups[i].border;
    }
}

covey_entity covey__row_create(covey_world *world, const covey_component *components, uint32_t count) {
    const covey__row *row = &world->row;
    bool may_fit = row->count == count && row->moves == world->moves && *row->free != 0;
    if (!may_fit || !fits(row, components)) return covey__entity(0, 0);
    uint32_t number = covey__lowest_bit(*row->free);
    covey_entity e = covey__entity(row->first + number, ++row->generations[number]);
    *row->free &= *row->free - 1;
    world->alive++;
    for (uint32_t i = 0; i < count; i++) write_value(append(&row->columns[i], e), row->columns[i].pool, &components[i]);
    join_groups(world);
    COVEY__CHANGED(world);
    return e;
}
