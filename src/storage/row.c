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
static inline void write_value(void *to, const covey_pool *pool, const covey_component *component, size_t size) {
    const void *value = component->value ? component->value : component->values;
    if (!value) value = pool->type->defaults;
    if (value) covey__fill_literal(to, value, size);
    else memset(to, 0, size);
}

/* ---- Compact blocks of one group ---------------------------------------------------------------------------------
 *
 * All its pools have the same entities in a block, in the same slots: then a new one gets the next slot in each. */

/* Whether the components can be stored in this slot, which is the next one of the group. */
static bool fit_slot(const covey__row *row, const covey_component *components, uint8_t slot) {
    for (uint32_t i = 0; i < row->count; i++) {
        const covey__row_column *column = &row->columns[i];
        if (column->type != components[i].type || components[i].count > 1 || *column->used != slot) return false;
        COVEY__CONTRACT(column->pool->world, components[i].size == 0 || components[i].size == column->pool->size,
                        "the size is not that of the type");
    }
    return slot < row->room;
}

static void note_disorder(const covey__row *row) {
    for (uint32_t i = 0; i < row->count; i++) *row->columns[i].ordered &= ~((uint64_t)1 << covey__block_of(row->first));
}

/* Stores a component. The address of its value is found first, because compilers cannot know that writing to a block
 * does not change the column. */
static inline void put_in_slot(const covey__row_column *column, uint32_t index, uint8_t slot,
                               const covey_component *component) {
    covey_pool *pool = column->pool;
    uint32_t bit = index % COVEY__BLOCK_IDS;
    uint8_t *map = column->map, *ids = map - column->capacity;
    size_t size = pool->size;
    char *to = column->data + slot * size;
    *column->mask |= (uint64_t)1 << bit;
    pool->block_store.count++;
    *column->used = (uint8_t)(slot + 1);
    ids[slot] = (uint8_t)bit;
    map[bit] = slot;
    COVEY__TRACE(pool->world, pool->added, index);
    if (COVEY__LIKELY(size == 8)) write_value(to, pool, component, 8);
    else write_value(to, pool, component, size);
}

static void join_groups(covey_world *world) {
    const covey__row *row = &world->row;
    for (uint32_t i = 0; i < row->joined; i++) {
        covey__row_join(world, &row->groups[i]);
        if (row->groups[i].border) ++*row->groups[i].border;
    }
}

/* The entity that is created next. */
static covey_entity take(covey_world *world) {
    const covey__row *row = &world->row;
    uint32_t number = covey__lowest_bit(*row->free);
    *row->free &= *row->free - 1;
    world->alive++;
    return covey__entity(row->first + number, ++row->generations[number]);
}

static covey_entity create_in_slot(covey_world *world, const covey_component *components) {
    const covey__row *row = &world->row;
    uint8_t slot = *row->groups->border;
    if (!fit_slot(row, components, slot)) return covey__entity(0, 0);
    covey_entity e = take(world);
    uint32_t bit = e.index % COVEY__BLOCK_IDS, count = row->count;
    if (!COVEY__LIKELY(*row->columns->mask >> bit == 0)) note_disorder(row);
    for (uint32_t i = 0; i < count; i++) put_in_slot(&row->columns[i], e.index, slot, &components[i]);
    join_groups(world);
    COVEY__CHANGED(world);
    return e;
}

covey_entity covey__row_create(covey_world *world, const covey_component *components, uint32_t count) {
    const covey__row *row = &world->row;
    if (row->count != count || row->moves != world->moves || *row->free == 0) return covey__entity(0, 0);
    if (row->room != 0) return create_in_slot(world, components);
    if (!fits(row, components)) return covey__entity(0, 0);
    covey_entity e = take(world);
    for (uint32_t i = 0; i < count; i++)
        write_value(append(&row->columns[i], e), row->columns[i].pool, &components[i], row->columns[i].pool->size);
    join_groups(world);
    COVEY__CHANGED(world);
    return e;
}
