/* Creating one entity with components. If it is of the kind that was created last, and all pools have room, it gets a
 * row (storage/row.h), usually inline. Otherwise it gets an index of its kind, and the steps of change.h follow. */
#include "change/change.h"
#include "change/entity.h"
#include "change/many.h"
#include "memory/result.h"
#include "observe/members.h"
#include "observe/observers.h"
#include "storage/row.h"
#include "storage/shortcut_on.h"
#include "storage/type.h"

static const covey_entity null_entity = { 0, 0 };

typedef struct making {
    covey_world *world;
    const covey_component *components;
    covey_pool *pools[COVEY_TERMS];
    uint64_t low; /* a bit for each pool, if their numbers are less than 64 and differ; or 0 */
    uint32_t count, placed;
    covey__kind *kind;   /* or NULL */
    covey__kind_key key; /* if it counts */
    bool is_recent;      /* the kind and its list were the recent ones before: more of them may follow */
    bool counts;         /* towards a kind */
    bool is_common;      /* the index is of no kind */
    bool is_grouped;     /* some pools have no observer but a group that owns them */
    bool is_told;        /* there are other observers, */
    bool reserves;       /* which need memory, as groups do, */
    bool settles;        /* or move the component, or note when it changed */
    covey_entity e;
} making;

/* ---- The components ----------------------------------------------------------------------------------------------*/

/* Whether a component is appended, without a mistake, and without moving a value that had to be moved back. */
static bool is_simple(const covey_pool *pool, const covey_component *component) {
    if (component->count > 1 || pool->type->move || !covey__storage_appends(pool)) return false;
    return !component->value || covey__type_can_copy(pool->type);
}

static void note_observers(making *m, const covey_pool *pool) {
    const covey__observers *observers = pool->observers;
    if (observers->sole) {
        m->is_grouped = true;
        return;
    }
    m->is_told = true;
    m->reserves = m->reserves || observers->needs_memory;
    m->settles = m->settles || observers->group_count != 0 || observers->keeps_order || pool->type->ticks;
}

/* Finds the pools, and what the components take; false unless all types are known, and all components simple. */
static bool survey(making *m) {
    uint64_t low = 0, twice = 0;
    uint32_t highest = 0;
    m->is_grouped = m->settles = false;
    m->is_told = m->reserves = m->world->listeners != NULL;
    for (uint32_t i = 0; i < m->count; i++) {
        const covey_component *component = &m->components[i];
        const covey__type_entry *entry = covey__type_entry_of(m->world, component->type);
        covey_pool *pool = entry->pool;
        if (entry->type != component->type) return false;
        COVEY__CONTRACT(m->world, component->size == 0 || component->size == pool->size,
                        "the size is not that of the type");
        uint64_t bit = (uint64_t)1 << pool->number % 64;
        highest |= pool->number;
        twice |= low & bit;
        low |= bit;
        m->pools[i] = pool;
        if (COVEY__LIKELY(pool->plain && component->count <= 1 && !component->value)) continue;
        if (pool->observers) note_observers(m, pool);
        if (!is_simple(pool, component)) return false;
    }
    m->low = highest < 64 && twice == 0 ? low : 0;
    return true;
}

static uint32_t count_listed(const covey_component *components) {
    uint32_t count = 0;
    while (count <= COVEY_TERMS && components[count].type) count++;
    return count;
}

/* A hash of the types that are listed. */
static uint32_t list_hash(const covey_component *components) {
    uint64_t hash = 0;
    for (; components->type; components++) hash ^= (uint64_t)(uintptr_t)components->type * UINT64_C(0x9E3779B97F4A7C15);
    return (uint32_t)(hash >> 32);
}

/* ---- The recent kind ---------------------------------------------------------------------------------------------*/

static bool is_recent(const covey__recent_kind *recent, const covey_component *components, uint32_t count) {
    uint32_t i = 0;
    if (recent->count != count) return false;
    while (i < count && recent->types[i] == components[i].type) i++;
    return i == count;
}

/* Where kinds take turns, their lists are not noted: rows need them, and begin with the second entity of a kind. */
static void remember(making *m, covey__kind *kind) {
    covey__recent_kind *recent = &m->world->recent;
    m->is_recent = recent->kind == kind;
    if (m->is_recent && is_recent(recent, m->components, m->count)) return;
    covey__recent_kind_off(m->world);
    recent->kind = kind;
    recent->cursor = &kind->cursor;
    if (!m->is_recent) return;
    recent->count = m->count;
    for (uint32_t i = 0; i < m->count; i++) {
        recent->types[i] = m->components[i].type;
        recent->pools[i] = m->pools[i];
    }
}

/* Lets the next entities of the kind get rows. Groups may be the only observers. */
static void expect_rows(const making *m) {
    covey__front *fronts[COVEY_TERMS];
    if (covey__row_is_on(m->world, m->e.index)) return;
    for (uint32_t i = 0; i < m->count; i++) {
        const covey__observers *observers = m->pools[i]->observers;
        fronts[i] = observers ? &observers->sole->front : NULL;
    }
    covey__fast_row_on(m->world, m->e.index, fronts);
}

/* Lets the next entity of the kind be created without a survey, after others. */
static void expect_turn(const making *m) {
    if (!m->kind || !m->kind->places) return;
    covey__kind_places_find(m->kind->places, m->components, m->pools, m->count, m->e.index);
    covey__kinds_list(m->world->inner->kinds, m->kind, list_hash(m->components));
}

static void expect_more(const making *m) {
    if (m->is_told) return;
    if (m->is_recent) expect_rows(m);
    else expect_turn(m);
}

/* ---- The entity --------------------------------------------------------------------------------------------------*/

static void list_pools(making *m) {
    if (m->low != 0) {
        covey__kind_key_list(&m->key, m->world->pools, m->low);
        return;
    }
    covey__kind_key_clear(&m->key);
    for (uint32_t i = 0; i < m->count; i++) covey__kind_key_add(&m->key, m->pools[i]);
}

/* Finds the kind of the types that are listed, or lets them count towards one. MEMORY. REFUSED: a type is listed
 * twice. */
static COVEY__NOINLINE covey__kind *find_kind(making *m, covey_result *result) {
    const covey__recent_kind *recent = &m->world->recent;
    if (is_recent(recent, m->components, m->count)) return recent->kind;
    list_pools(m);
    *result = COVEY_ERROR_REFUSED;
    if (m->key.count != m->count) return NULL;
    m->counts = true;
    return covey__kind_for(m->world, &m->key, 1, result);
}

/* The kind, if it was used lately; or NULL. */
static covey__kind *recall_kind(const making *m) {
    const struct covey__kinds *kinds = m->world->inner->kinds;
    return kinds && m->low != 0 ? covey__kinds_recall(kinds, m->low, m->count) : NULL;
}

/* Finds the kind, and takes an index. */
static covey_result take(making *m) {
    covey_result result = COVEY_OK;
    covey__kind *kind = recall_kind(m);
    if (!kind) kind = find_kind(m, &result);
    if (result != COVEY_OK) return result;
    bool ready = kind && covey__cursor_ready(&kind->cursor) != 0;
    const covey__cursor *cursor = ready ? &kind->cursor : covey__next_cursor(m->world, &kind, &result);
    if (!cursor) return result;
    m->is_recent = false;
    m->kind = kind;
    if (kind) remember(m, kind);
    m->is_common = cursor == &m->world->range.cursor;
    m->e = covey__cursor_take(m->world, cursor, covey__cursor_ready(cursor));
    return COVEY_OK;
}

/* ---- Adding ------------------------------------------------------------------------------------------------------*/

/* A component without a value gets a copy of the default. */
static const void *source_of(const making *m, uint32_t i, bool *copied) {
    const covey_component *c = &m->components[i];
    const void *value = c->value || c->values ? c->value : m->pools[i]->type->defaults;
    *copied = value != NULL;
    return value ? value : c->values;
}

static covey_result add(making *m, uint32_t i) {
    covey_pool *pool = m->pools[i];
    bool copied;
    const void *source = source_of(m, i, &copied);
    void *to;
    covey_result result = covey__storage_append(pool, m->e, &source, &to);
    if (result != COVEY_OK) return result;
    COVEY__TRACE(m->world, pool->added, m->e.index);
    if (copied && pool->type->copy) {
        if (covey__copy_value(m->world, pool->type, to, source)) return COVEY_OK;
        covey__storage_erase_placed(pool, m->e);
        return COVEY_ERROR_COPY;
    }
    if (source) covey__fill_literal(to, source, pool->size);
    else memset(to, 0, pool->size);
    return COVEY_OK;
}

/* The last step that can fail: then the entity counts. */
static covey_result add_all(making *m) {
    covey_result result = COVEY_OK;
    if (m->count != 0 && !covey__packed_in(m->pools[0]))
        m->placed = covey__storage_append_each(m->pools, m->components, m->count, m->e);
    for (; m->placed < m->count && result == COVEY_OK; m->placed += result == COVEY_OK) result = add(m, m->placed);
    if (result == COVEY_OK && m->counts) covey__kind_count(m->world, &m->key, m->is_common, 1);
    return result;
}

/* There is no entity any more. */
static void undo(making *m) {
    bool copied;
    for (uint32_t i = m->placed; i-- != 0;) {
        source_of(m, i, &copied);
        if (copied && m->pools[i]->type->copy) covey__pool_drop(m->pools[i], m->e);
        covey__storage_erase_placed(m->pools[i], m->e);
        covey__pool_moved(m->pools[i], false); /* growing may have moved the other values */
    }
    covey__entities_undo_create(m->world, &m->e, 1);
}

/* ---- Groups ------------------------------------------------------------------------------------------------------*/

/* The group whose first pool this is, if it is the only observer; or NULL. */
static covey_group *group_at(const covey_pool *pool) {
    covey_group *group = pool->observers ? pool->observers->sole : NULL;
    return group && group->pools[0] == pool ? group : NULL;
}

/* Whether the entity has all components of a group. */
static bool completes(const making *m, const covey_group *group) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < m->count; i++) found += m->pools[i]->observers && m->pools[i]->observers->sole == group;
    return found == covey__group_owned(group);
}

static covey_result add_to_groups(making *m, bool *reserved) {
    *reserved = false;
    for (uint32_t i = 0; i < m->count; i++) {
        covey_group *group = group_at(m->pools[i]);
        if (group && !covey__group_reach(group, m->e.index)) return COVEY_ERROR_MEMORY;
    }
    *reserved = true;
    covey_result result = add_all(m);
    for (uint32_t i = 0; i < m->count && result == COVEY_OK; i++) {
        covey_group *group = group_at(m->pools[i]);
        if (group && completes(m, group)) covey__group_join_new(group, m->e.index);
    }
    return result;
}

/* ---- All observers -----------------------------------------------------------------------------------------------*/

/* Lists what observers are told. */
static uint32_t list_changes(const making *m, covey__change *changes) {
    uint32_t count = 0;
    if (m->world->listeners) covey__emission_make(&changes[count++].told, NULL, COVEY_ON_CREATE, &m->e, 1);
    for (uint32_t i = 0; i < m->count; i++)
        if (m->pools[i]->observers) covey__emission_make(&changes[count++].told, m->pools[i], COVEY_ON_ADD, &m->e, 1);
    return count;
}

/* Listeners may change the world at the end, and destroy the entity. */
static covey_result add_and_tell(making *m, bool *reserved) {
    covey__change changes[1 + COVEY_TERMS];
    uint32_t count = list_changes(m, changes);
    bool reserves = m->reserves || m->is_grouped;
    covey_result result = reserves ? covey__changes_reserve(m->world, changes, count) : COVEY_OK;
    *reserved = result == COVEY_OK;
    if (result == COVEY_OK) result = add_all(m);
    if (result != COVEY_OK) return result;
    if (m->settles || m->is_grouped) covey__changes_settle(changes, count, true);
    if (covey__changes_emit(m->world, changes, count)) m->e = covey__if_alive(m->world, m->e);
    return COVEY_OK;
}

/* ---- Kinds that take turns ---------------------------------------------------------------------------------------*/

/* Creates an entity of a kind that was created lately, though not last, where only bits and values have to be written.
 * Null if it takes more. */
static covey_entity create_in_turn(covey_world *world, const covey_component *components) {
    const struct covey__kinds *kinds = world->inner->kinds;
    if (!kinds || !kinds->listed || world->listeners) return null_entity;
    covey__kind *kind = covey__kinds_listed(kinds, list_hash(components));
    if (!kind || !kind->places || kind == world->recent.kind) return null_entity;
    uint64_t ready = covey__cursor_ready(&kind->cursor);
    if (ready == 0 || !covey__kind_places_take(kind->places, world, kind->cursor.at, components)) return null_entity;
    covey__recent_kind_off(world);
    world->recent.kind = kind;
    world->recent.cursor = &kind->cursor;
    covey_entity e = covey__cursor_take(world, &kind->cursor, ready);
    covey__kind_places_append(kind->places, components, e);
    COVEY__CHANGED(world);
    return e;
}

/* ---- The call ----------------------------------------------------------------------------------------------------*/

static covey_entity create_slowly(covey_world *world, const covey_component *components) {
    covey_entity e;
    return covey_create_many_with_raw(world, &e, 1, components) ? covey__if_alive(world, e) : e;
}

static covey_entity fail(covey_world *world, covey_result result, const covey_pool *culprit) {
    covey__say_not_created(world, result, 1, culprit ? culprit->type->name : NULL);
    COVEY__CHANGED(world);
    return null_entity;
}

covey_entity covey_create_with_raw(covey_world *world, const covey_component *components) {
    COVEY__CONTRACT(NULL, world && components, "a call needs a world and components");
    if (COVEY__IN_HOOK(world)) return null_entity;
    bool in_turn = world->row.count == COVEY_NONE;
    covey_entity e =
        in_turn ? create_in_turn(world, components) : covey__row_create(world, components, count_listed(components));
    if (!covey_is_null(e)) return e;
    making m;
    bool reserved = true;
    m.world = world;
    m.components = components;
    m.count = count_listed(components);
    m.placed = 0;
    m.counts = false;
    if (m.count > COVEY_TERMS || !survey(&m)) return create_slowly(world, components);
    covey_result result = take(&m);
    if (result == COVEY_ERROR_REFUSED) return create_slowly(world, components);
    if (result != COVEY_OK) return fail(world, result, NULL);
    if (m.is_told) result = add_and_tell(&m, &reserved);
    else result = m.is_grouped ? add_to_groups(&m, &reserved) : add_all(&m);
    if (result == COVEY_OK) {
        expect_more(&m);
        COVEY__CHANGED(world);
        return m.e;
    }
    undo(&m);
    return fail(world, result, reserved ? m.pools[m.placed] : NULL);
}
