/* Many entities at once: creating them, and adding components. Neighbours are handled by blocks of 64 indices. */
#include "change/many.h"

#include "memory/inner.h"
#include "memory/bits.h"
#include "change/change.h"
#include "change/entity.h"
#include "memory/lines.h"
#include "storage/presence.h"
#include "storage/marks.h"
#include "memory/result.h"
#include "storage/shortcut_off.h"
#include "observe/signal.h"
#include "storage/storage_erase.h"
#include "storage/storage_place.h"
#include "storage/stretch.h"
#include "storage/type.h"

static const covey_entity null_entity = { 0, 0 };

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

/* A loop with a constant count and no branches, so that compilers vectorise it. */
static void revive_block(uint32_t *restrict generations, uint32_t index, covey_entity *restrict entities) {
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) entities[i] = covey__entity(index + i, ++generations[i]);
}

/* Creates entities with indices of one word, the lowest first. Returns how many. */
static uint32_t take_ready(const covey__cursor *cursor, covey_entity *entities, uint32_t most) {
    uint64_t ready = covey__cursor_ready(cursor), left = ready;
    uint32_t *generations = cursor->generations, count = 0;
    if (ready == UINT64_MAX && most >= COVEY__BLOCK_IDS) {
        revive_block(generations, cursor->at, entities);
        left = 0;
        count = COVEY__BLOCK_IDS;
    }
    for (; left != 0 && count < most; left &= left - 1) {
        uint32_t bit = covey__lowest_bit(left);
        entities[count++] = covey__entity(cursor->at + bit, ++generations[bit]);
    }
    *cursor->free ^= ready ^ left;
    return count;
}

covey_result covey__entities_take(covey_world *world, const covey__kind_key *key, covey_entity *entities,
                                  uint32_t count) {
    covey_result result = covey__entities_prepare(world, count);
    covey__kind *kind = key && result == COVEY_OK ? covey__kind_for(world, key, count, &result) : NULL;
    uint32_t taken = 0;
    while (taken < count && result == COVEY_OK) {
        const covey__cursor *cursor = covey__next_cursor(world, &kind, &result);
        if (cursor) taken += take_ready(cursor, entities + taken, count - taken);
    }
    world->alive += taken;
    if (result == COVEY_OK) return COVEY_OK;
    covey__entities_undo_create(world, entities, taken);
    for (uint32_t i = taken; i < count; i++) entities[i] = null_entity;
    return result;
}

void covey__entities_made(covey_world *world, const covey__kind_key *key, const covey_entity *entities,
                          uint32_t count) {
    if (count == 0) return;
    const covey__entity_page *page = covey__existing_page(world, entities->index);
    covey__kind_count(world, key, covey__is_common(page, entities->index), count);
}

static void undo_create(covey_world *world, covey_entity e) {
    world->alive--;
    world->pages[e.index / COVEY_PAGE_SIZE]->generation[e.index % COVEY_PAGE_SIZE]--;
    covey__index_free(world, e.index);
}

void covey__entities_undo_create(covey_world *world, covey_entity *entities, uint32_t count) {
    while (count-- != 0) {
        undo_create(world, entities[count]);
        entities[count] = null_entity;
    }
}

/* Whether the call is refused: it comes from a hook, or there is no array for the handles. Then sets null handles. */
static bool are_refused(covey_world *world, covey_entity *entities, uint32_t count) {
    COVEY__NEEDS_ARRAY(world, entities, count);
    if (!entities && count != 0) {
        covey__fail(world, COVEY_ERROR_RANGE, "%u entities could not be created: the array for handles is NULL", count);
        return true;
    }
    if (!COVEY__IN_HOOK(world)) return false;
    for (uint32_t i = 0; i < count; i++) entities[i] = null_entity;
    return true;
}

bool covey_create_many(covey_world *world, covey_entity *entities, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (are_refused(world, entities, count)) return false;
    covey_result result = covey__entities_take(world, NULL, entities, count);
    if (result != COVEY_OK) {
        covey__fail(world, result, "%u entities could not be created: %s", count, covey__reason(result));
        return false;
    }
    covey__emit(world, NULL, COVEY_ON_CREATE, entities, count);
    COVEY__CHANGED(world);
    return true;
}

/* ---- Adding ------------------------------------------------------------------------------------------------------*/

/* Whether all entities can get components; otherwise fails. */
static bool all_take_components(covey_world *world, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        if (covey__takes_components(world, entities[i])) continue;
        covey__fail(world, COVEY_ERROR_DEAD,
                    "components could not be added: entity %u of %u is not alive; leave it out", i, count);
        return false;
    }
    return true;
}

/* Without values, each entity gets a copy of the default, even if the type has .no_copy. */
static void place_defaults(covey__placing *placing, const covey_type *type) {
    placing->values = type->defaults;
    placing->copies = placing->copies || type->defaults;
    placing->stride = 0;
}

static bool add_many(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                     const void *values, bool copies) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    COVEY__NEEDS_ARRAY(world, entities, count);
    if (COVEY__IN_HOOK(world)) return false;
    covey_pool *pool = covey__pool_known(world, type);
    /* Placing finds stale handles, unless listeners are told first. */
    bool quick = pool && !pool->observers && !world->dying && (!copies || covey__type_can_copy(pool->type));
    if (!quick && !all_take_components(world, entities, count)) return false;
    if (!pool) pool = covey_pool_of_raw(world, type);
    if (!pool) return false;
    covey__change change = {
        .told = { .pool = pool, .signal = COVEY_ON_ADD, .entities = entities, .count = count },
        .placing = { .values = values, .stride = copies ? 0 : pool->size, .copies = copies },
    };
    if (!values) place_defaults(&change.placing, pool->type);
    const covey__change *culprit;
    covey_result result = COVEY_ERROR_COPY;
    if (!copies || covey__type_can_copy(pool->type)) result = covey__changes_make(world, &change, 1, &culprit);
    if (result == COVEY_OK && pool->observers) {
        covey__changes_settle(&change, 1, true);
        covey__changes_emit(world, &change, 1);
    }
    if (result != COVEY_OK && all_take_components(world, entities, count))
        covey__fail(world, result, "%s could not be added to %u entities: %s", pool->type->name, count,
                    covey__reason(result));
    COVEY__CHANGED(pool->world);
    return result == COVEY_OK;
}

bool covey_add_array_raw(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                         const void *values) {
    return add_many(world, entities, count, type, values, false);
}

bool covey_add_copies_raw(covey_world *world, const covey_entity *entities, uint32_t count, const covey_type *type,
                          const void *value) {
    return add_many(world, entities, count, type, value, true);
}

/* ---- Creating with components ------------------------------------------------------------------------------------*/

/* Entities created with components: the first change is the creation, then the components. */
typedef struct creation {
    covey_world *world;
    covey_entity *entities;
    uint32_t count, changes;
    bool is_told; /* why it fails, in the log */
    covey__kind_key key;
    covey__change change[1 + COVEY_TERMS];
} creation;

/* Lists the changes of a description; COVEY_OK, or an error. */
static covey_result list_component(creation *c, const covey_component *component) {
    if (c->changes == 1 + COVEY_TERMS) return COVEY_ERROR_RANGE;
    covey_pool *pool = covey_pool_of_raw(c->world, component->type);
    c->is_told = !pool;
    if (!pool) return c->world->inner->result;
    COVEY__CONTRACT(c->world, component->size == 0 || component->size == pool->size,
                    "the size is not that of the type");
    if (component->count != 0 && component->count != c->count) return COVEY_ERROR_RANGE;
    if (component->value && !covey__type_can_copy(pool->type)) return COVEY_ERROR_COPY;
    covey__kind_key_add(&c->key, pool);
    c->change[c->changes++] = (covey__change){
        .told = { .pool = pool, .signal = COVEY_ON_ADD, .entities = c->entities, .count = c->count },
        .placing = { .values = component->value ? component->value : component->values,
                     .stride = component->value ? 0 : pool->size,
                     .copies = component->value != NULL,
                     .is_new = true },
    };
    if (!component->value && !component->values) place_defaults(&c->change[c->changes - 1].placing, pool->type);
    return COVEY_OK;
}

static covey_result list_components(creation *c, const covey_component *components, const char **culprit) {
    covey_result result = COVEY_OK;
    c->change[c->changes++] =
        (covey__change){ .told = { .signal = COVEY_ON_CREATE, .entities = c->entities, .count = c->count } };
    for (; components->type && result == COVEY_OK; components++) {
        result = list_component(c, components);
        if (result != COVEY_OK) *culprit = components->type->name;
    }
    return result;
}

static covey_result create_with(creation *c, const covey_component *components, const char **culprit) {
    const covey__change *failed;
    covey_result result = list_components(c, components, culprit);
    if (result != COVEY_OK) {
        for (uint32_t i = 0; i < c->count; i++) c->entities[i] = null_entity;
        return result;
    }
    result = covey__entities_take(c->world, &c->key, c->entities, c->count);
    if (result != COVEY_OK) return result;
    result = covey__changes_make(c->world, c->change, c->changes, &failed);
    if (result != COVEY_OK) {
        if (failed && failed->told.pool) *culprit = failed->told.pool->type->name;
        covey__entities_undo_create(c->world, c->entities, c->count);
        return result;
    }
    covey__entities_made(c->world, &c->key, c->entities, c->count);
    covey__changes_settle_new(c->change, c->changes);
    covey__changes_emit(c->world, c->change, c->changes);
    return COVEY_OK;
}

void covey__say_not_created(covey_world *world, covey_result result, uint32_t count, const char *culprit) {
    covey__fail(world, result, "%u entities could not be created with their components: %s%s%s", count,
                culprit ? culprit : "", culprit ? ": " : "", covey__reason(result));
}

bool covey_create_many_with_raw(covey_world *world, covey_entity *entities, uint32_t count,
                                const covey_component *components) {
    COVEY__CONTRACT(NULL, world && components, "a call needs a world and components");
    if (are_refused(world, entities, count)) return false;
    creation c;
    c.world = world;
    c.entities = entities;
    c.count = count;
    c.changes = 0;
    c.key = covey__kind_key_none();
    c.is_told = false;
    const char *culprit = NULL;
    covey_result result = create_with(&c, components, &culprit);
    if (result != COVEY_OK && !c.is_told) covey__say_not_created(world, result, count, culprit);
    COVEY__CHANGED(world);
    return result == COVEY_OK;
}

/* ---- Creating for later ------------------------------------------------------------------------------------------*/

static covey_entity create_of(covey_world *world, const covey__kind_key *key) {
    covey_entity e;
    covey_result result = covey__entities_take(world, key, &e, 1);
    if (result != COVEY_OK) {
        covey__fail(world, result, "no entity could be created: %s", covey__reason(result));
        return e;
    }
    covey__entities_made(world, key, &e, 1);
    covey__emit(world, NULL, COVEY_ON_CREATE, &e, 1);
    COVEY__CHANGED(world);
    return covey__if_alive(world, e);
}

covey_entity covey_create_for_raw(covey_world *world, const covey_type *const *types) {
    COVEY__CONTRACT(NULL, world && types, "a call needs a world and a list of types");
    if (COVEY__IN_HOOK(world)) return null_entity;
    covey__kind_key key = covey__kind_key_none();
    for (; *types; types++) {
        const covey_pool *pool = covey_pool_of_raw(world, *types);
        if (!pool) return null_entity;
        covey__kind_key_add(&key, pool);
    }
    return create_of(world, &key);
}

covey_entity covey_create_like(covey_world *world, covey_entity e) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return null_entity;
    if (!covey_alive(world, e)) {
        covey__fail(world, COVEY_ERROR_DEAD, "no entity could be created like %u:%u: it is not alive", e.index,
                    e.generation);
        return null_entity;
    }
    covey__kind_key key = covey__kind_key_of(world, e.index);
    return create_of(world, &key);
}
