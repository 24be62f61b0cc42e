/* Creating one entity with components. Inline code does it for the kind that was created last, where a component is
 * appended to each pool (world->row); this file does the rest: an index of the kind, then the steps of change.h. */
#include "change/change.h"
#include "change/entity.h"
#include "change/many.h"
#include "memory/result.h"
#include "observe/observers.h"
#include "storage/shortcut_on.h"
#include "storage/type.h"

static const covey_entity null_entity = { 0, 0 };

typedef struct making {
    covey_world *world;
    const covey_component *components;
    covey_pool *pools[COVEY_TERMS];
    uint32_t count, placed;
    bool is_recent;  /* the kind is the recent one */
    bool is_counted; /* towards a kind */
    bool is_observed;
    covey_entity e;
} making;

/* ---- The components ----------------------------------------------------------------------------------------------*/

static bool is_recent(const covey__recent_kind *recent, const covey_component *components, uint32_t count) {
    uint32_t i = 0;
    if (recent->count != count) return false;
    while (i < count && recent->types[i] == components[i].type) i++;
    return i == count;
}

/* Whether a component is appended, without a mistake, and without moving a value that had to be moved back. */
static bool is_simple(const covey_pool *pool, const covey_component *component) {
    COVEY__CONTRACT(pool->world, component->size == 0 || component->size == pool->size,
                    "the size is not that of the type");
    if (component->count > 1 || pool->type->move || !covey__storage_appends(pool)) return false;
    return !component->value || covey__type_can_copy(pool->type);
}

/* Finds the pools; false unless all types are known and all components are simple. */
static bool find_pools(making *m) {
    const covey__recent_kind *recent = &m->world->recent;
    m->is_recent = is_recent(recent, m->components, m->count);
    m->is_observed = m->world->listeners != NULL;
    for (uint32_t i = 0; i < m->count; i++) {
        const covey__type_entry *entry = covey__type_entry_of(m->world, m->components[i].type);
        if (!m->is_recent && entry->type != m->components[i].type) return false;
        m->pools[i] = m->is_recent ? recent->pools[i] : entry->pool;
        m->is_observed = m->is_observed || m->pools[i]->observers;
        if (!is_simple(m->pools[i], &m->components[i])) return false;
    }
    return true;
}

/* ---- The recent kind ---------------------------------------------------------------------------------------------*/

static void remember(making *m, covey__kind *kind) {
    covey__recent_kind *recent = &m->world->recent;
    covey__recent_kind_off(m->world);
    recent->kind = kind;
    recent->cursor = &kind->cursor;
    recent->count = m->count;
    for (uint32_t i = 0; i < m->count; i++) {
        recent->types[i] = m->components[i].type;
        recent->pools[i] = m->pools[i];
    }
    m->is_recent = true;
}

/* Lets inline code create the next entities of the kind, if no observer has to be told. A group may be the only observer
 * of its pools; at assertion level 1, iterations are told who joins it, which inline code does not do. */
static void expect_more(const making *m) {
    covey__front *fronts[COVEY_TERMS];
    if (!m->is_recent || m->world->listeners || covey__row_is_on(m->world, m->e.index)) return;
    for (uint32_t i = 0; i < m->count; i++) {
        const covey__observers *observers = m->pools[i]->observers;
        if (observers && (!observers->sole || COVEY_ASSERT_LEVEL >= 1)) return;
        fronts[i] = observers ? &observers->sole->front : NULL;
    }
    covey__fast_row_on(m->world, m->e.index, fronts);
}

/* ---- The entity --------------------------------------------------------------------------------------------------*/

static covey_result take_from(making *m, const covey__cursor *cursor) {
    m->e = covey__cursor_take(m->world, cursor, covey__cursor_ready(cursor));
    return COVEY_OK;
}

/* Finds the kind, and takes an index. REFUSED: a type is listed twice. */
static covey_result take_of_kind(making *m) {
    covey__kind_key key = covey__kind_key_none();
    covey_result result;
    for (uint32_t i = 0; i < m->count; i++) covey__kind_key_add(&key, m->pools[i]);
    if (key.count != m->count) return COVEY_ERROR_REFUSED;
    covey__kind *kind = covey__kind_for(m->world, &key, 1, &result);
    const covey__cursor *cursor = result == COVEY_OK ? covey__next_cursor(m->world, &kind, &result) : NULL;
    if (!cursor) return result;
    if (kind) remember(m, kind);
    else m->is_recent = false;
    covey__kind_count(m->world, &key, !kind, 1);
    m->is_counted = true;
    return take_from(m, cursor);
}

/* The recent kind is not counted again. */
static covey_result take(making *m) {
    covey_result result;
    if (!m->is_recent) return take_of_kind(m);
    const covey__cursor *cursor = m->world->recent.cursor;
    covey__kind *kind = m->world->recent.kind;
    if (covey__cursor_ready(cursor) == 0) cursor = covey__next_cursor(m->world, &kind, &result);
    return cursor && kind ? take_from(m, cursor) : take_of_kind(m);
}

/* ---- Adding ------------------------------------------------------------------------------------------------------*/

/* A component without a value gets a copy of the default. */
static bool is_copied(const making *m, uint32_t i) {
    const covey_component *c = &m->components[i];
    return c->value || (!c->values && m->pools[i]->type->defaults);
}

static covey_result place(making *m, uint32_t i, const void **source, void **to) {
    covey_pool *pool = m->pools[i];
    /* Validates the world, so nothing may be left for observers to do. */
    *to = m->is_observed ? NULL : covey__pool_append(pool, m->e, pool->size);
    if (*to) return COVEY_OK;
    covey_result result = covey__storage_append(pool, m->e, source, to);
    if (result == COVEY_OK) COVEY__TRACE(m->world, pool->added, m->e.index);
    return result;
}

static covey_result add(making *m, uint32_t i) {
    const covey_component *c = &m->components[i];
    covey_pool *pool = m->pools[i];
    const void *source = c->value ? c->value : c->values ? c->values : pool->type->defaults;
    void *to;
    covey_result result = place(m, i, &source, &to);
    if (result != COVEY_OK) return result;
    if (pool->type->copy && is_copied(m, i)) {
        if (covey__copy_value(m->world, pool->type, to, source)) return COVEY_OK;
        covey__storage_erase_placed(pool, m->e);
        return COVEY_ERROR_COPY;
    }
    if (source) covey__copy(to, source, pool->size);
    else memset(to, 0, pool->size);
    return COVEY_OK;
}

static covey_result add_all(making *m) {
    covey_result result = COVEY_OK;
    for (; m->placed < m->count && result == COVEY_OK; m->placed += result == COVEY_OK) result = add(m, m->placed);
    return result;
}

/* There is no entity any more. */
static void undo(making *m) {
    for (uint32_t i = m->placed; i-- != 0;) {
        if (m->pools[i]->type->copy && is_copied(m, i)) covey__pool_drop(m->pools[i], m->e);
        covey__storage_erase_placed(m->pools[i], m->e);
        covey__pool_moved(m->pools[i], false); /* growing may have moved the other values */
    }
    covey__entities_undo_create(m->world, &m->e, 1);
    if (m->is_counted) covey__kind_count_back(m->world);
}

/* ---- Observers ---------------------------------------------------------------------------------------------------*/

/* Lists the creation and the components. */
static void list_changes(const making *m, covey__change *changes) {
    changes->told = (covey__emission){ .signal = COVEY_ON_CREATE, .entities = &m->e, .count = 1 };
    for (uint32_t i = 0; i < m->count; i++)
        changes[i + 1].told =
            (covey__emission){ .pool = m->pools[i], .signal = COVEY_ON_ADD, .entities = &m->e, .count = 1 };
}

/* The name of the component that could not be added, if it was one. */
static const char *culprit_of(const making *m, bool reserved) {
    return reserved && m->placed < m->count ? m->pools[m->placed]->type->name : NULL;
}

/* Listeners may change the world at the end, and destroy the entity. */
static covey_result add_observed(making *m, bool *reserved) {
    covey__change changes[1 + COVEY_TERMS];
    list_changes(m, changes);
    covey_result result = covey__changes_reserve(m->world, changes, m->count + 1);
    *reserved = result == COVEY_OK;
    if (result == COVEY_OK) result = add_all(m);
    if (result != COVEY_OK) return result;
    covey__changes_settle(changes, m->count + 1, true);
    expect_more(m);
    covey__changes_emit(m->world, changes, m->count + 1);
    COVEY__CHANGED(m->world);
    m->e = covey__if_alive(m->world, m->e);
    return COVEY_OK;
}

/* ---- The call ----------------------------------------------------------------------------------------------------*/

static covey_entity create_slowly(covey_world *world, const covey_component *components) {
    covey_entity e;
    return covey_create_many_with_raw(world, &e, 1, components) ? covey__if_alive(world, e) : e;
}

static covey_entity fail(making *m, covey_result result, const char *culprit) {
    covey__say_not_created(m->world, result, 1, culprit);
    COVEY__CHANGED(m->world);
    return null_entity;
}

covey_entity covey_create_with_raw(covey_world *world, const covey_component *components) {
    COVEY__CONTRACT(NULL, world && components, "a call needs a world and components");
    if (COVEY__IN_HOOK(world)) return null_entity;
    making m;
    m.world = world;
    m.components = components;
    m.count = m.placed = 0;
    m.is_counted = false;
    while (m.count <= COVEY_TERMS && components[m.count].type) m.count++;
    if (m.count > COVEY_TERMS || !find_pools(&m)) return create_slowly(world, components);
    covey_result result = take(&m);
    if (result == COVEY_ERROR_REFUSED) return create_slowly(world, components);
    if (result != COVEY_OK) return fail(&m, result, NULL);
    bool reserved = true;
    if (m.is_observed) result = add_observed(&m, &reserved);
    else if ((result = add_all(&m)) == COVEY_OK) expect_more(&m);
    if (result == COVEY_OK) return m.e;
    const char *culprit = culprit_of(&m, reserved);
    undo(&m);
    return fail(&m, result, culprit);
}
