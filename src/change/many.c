/* Many entities at once: creating them, adding components and destroying them. Neighbours are handled by blocks of 64
 * indices. */
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

/* ---- Destroying --------------------------------------------------------------------------------------------------*/

static bool are_quiet(const covey_world *world, uint32_t index) {
    for (covey__present p = covey__present_at(world, index, 0); covey__present_next(&p);)
        if (!covey__storage_erases_quietly(p.pool)) return false;
    return true;
}

static void end_one(covey_world *world, covey_entity e) {
    covey__entity_page *page = world->pages[e.index / COVEY_PAGE_SIZE];
    uint32_t at = e.index % COVEY_PAGE_SIZE;
    bool last = e.generation == COVEY_GENERATION_MAX;
    page->generation[at] = last ? 0 : e.generation + 1;
    if (!last) covey__index_free(world, e.index);
}

static bool is_last(const uint32_t *generations) {
    uint32_t last = 0;
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) last |= generations[i] == COVEY_GENERATION_MAX;
    return last != 0;
}

/* Like end_one for all entities of a block. */
static void end_block(covey_world *world, uint32_t *generations, uint32_t index) {
    for (uint32_t i = 0; i < COVEY__BLOCK_IDS; i++) generations[i]++;
    covey__index_free_word(world, index, UINT64_MAX);
}

static void end_all(covey_world *world, const covey_entity *entities, const covey__stretch *s) {
    uint32_t index = entities->index, end = 0;
    uint32_t *generations = world->pages[index / COVEY_PAGE_SIZE]->generation + index % COVEY_PAGE_SIZE;
    bool whole = s->count == COVEY__BLOCK_IDS && s->in_order && COVEY_PAGE_SIZE >= COVEY__BLOCK_IDS;
    if (whole) covey__range_run(world, index, &end);
    if (whole && end - index >= COVEY__BLOCK_IDS && !is_last(generations)) end_block(world, generations, index);
    else
        for (uint32_t i = 0; i < s->count; i++) end_one(world, entities[i]);
    world->alive -= s->count;
    for (uint32_t i = 0; i < s->count; i++) COVEY__TRACE(world, world->destroyed, entities[i].index);
}

/* Destroys entities of a block if that calls no code of the program. Otherwise returns false. */
static bool destroy_quietly(covey_world *world, const covey_entity *entities, const covey__stretch *s) {
    if (world->inner->heard != 0 || !are_quiet(world, entities->index)) return false;
    covey__fast_destroy_off(world);
    end_all(world, entities, s);
    for (covey__present p = covey__present_at(world, entities->index, 0); covey__present_next(&p);)
        covey__storage_erase_stretch(p.pool, entities, s);
    COVEY__CHANGED(world);
    return true;
}

/* ---- Destroying in no order --------------------------------------------------------------------------------------*/

enum { BATCH = 64, BATCH_LEAST = 8 };

/* Entities that are destroyed together, each in another block: first all of them, then their components pool by pool,
 * which overlaps cache misses. */
typedef struct batch {
    covey_entity entities[BATCH];
    uint64_t present[BATCH]; /* which of 64 pools are present in the block of each */
    uint32_t count;
} batch;

/* Notes which of 64 pools are present; returns all of these. */
static uint64_t find_present(const covey_world *world, batch *b, uint32_t word) {
    uint64_t all = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        uint32_t index = b->entities[i].index;
        const covey__presence_page *page = covey__presence_page_of(world, index);
        bool any = word < page->words;
        b->present[i] = any ? page->bits[covey__block_of(index) * page->words + word] : 0;
        all |= b->present[i];
    }
    return all;
}

/* Whether destroying them calls no code of the program, and they have enough pools in common. */
static bool may_end_together(const covey_world *world, batch *b) {
    uint64_t in_all = 0, in_each = 0;
    for (uint32_t word = 0; word * 64 < world->pool_count; word++) {
        uint64_t all = find_present(world, b, word);
        in_all += covey__bits_in(all);
        for (uint32_t i = 0; i < b->count; i++) in_each += covey__bits_in(b->present[i]);
        for (; all != 0; all &= all - 1)
            if (!covey__storage_erases_quietly(world->pools[word * 64 + covey__lowest_bit(all)])) return false;
    }
    return in_all * b->count <= 2 * in_each;
}

static void ask_for_entities(const covey_world *world, const batch *b) {
    for (uint32_t i = 0; i < b->count; i++) {
        const covey__entity_page *page = covey__entity_page_of(world, b->entities[i].index);
        if (!page) continue;
        uint32_t at = b->entities[i].index % COVEY_PAGE_SIZE;
        covey__prefetch_line((const char *)&page->generation[at]);
        covey__prefetch_line((const char *)&page->free[at / 64]);
    }
}

/* Destroys living entities, and skips the others: stale ones and duplicates. */
static void end_batch(covey_world *world, batch *b) {
    uint32_t ended = 0;
    for (uint32_t i = 0; i < b->count; i++) {
        covey_entity e = b->entities[i];
        if (!covey_alive(world, e)) continue;
        end_one(world, e);
        COVEY__TRACE(world, world->destroyed, e.index);
        b->entities[ended++] = e;
    }
    world->alive -= ended;
    b->count = ended;
}

static void erase_batch(covey_world *world, batch *b, uint32_t word) {
    covey_entity there[BATCH];
    for (uint64_t all = find_present(world, b, word); all != 0; all &= all - 1) {
        covey_pool *pool = world->pools[word * 64 + covey__lowest_bit(all)];
        uint64_t bit = all & (~all + 1);
        uint32_t count = 0;
        for (uint32_t i = 0; i < b->count; i++) {
            there[count] = b->entities[i];
            count += (b->present[i] & bit) != 0;
        }
        covey__storage_erase_many(pool, there, count);
    }
}

/* Destroys the first entities of an array together, if that calls no code of the program. Returns how many were
 * handled. */
static uint32_t destroy_batch(covey_world *world, const covey_entity *entities, uint32_t left, uint32_t *destroyed) {
    batch b;
    b.count = left < BATCH ? left : BATCH;
    if (left < BATCH_LEAST || world->inner->heard != 0) return 0;
    uint32_t looked_at = b.count;
    memcpy(b.entities, entities, b.count * sizeof *entities);
    ask_for_entities(world, &b);
    if (!may_end_together(world, &b)) return 0;
    covey__fast_destroy_off(world);
    end_batch(world, &b);
    for (uint32_t word = 0; word * 64 < world->pool_count; word++) erase_batch(world, &b, word);
    *destroyed += b.count;
    COVEY__CHANGED(world);
    return looked_at;
}

uint32_t covey_destroy_many(covey_world *world, const covey_entity *entities, uint32_t count) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, entities, count);
    if (COVEY__IN_HOOK(world)) return 0;
    uint32_t destroyed = 0;
    for (uint32_t i = 0; i < count;) {
        bool alone = i + 1 == count || entities[i].index / COVEY__BLOCK_IDS != entities[i + 1].index / COVEY__BLOCK_IDS;
        covey__stretch s = { 0, 0, false };
        uint32_t looked_at = 0;
        if (alone) looked_at = destroy_batch(world, entities + i, count - i, &destroyed);
        else s = covey__next_stretch(world, entities + i, count - i);
        if (s.count > 1 && destroy_quietly(world, entities + i, &s)) {
            looked_at = s.count;
            destroyed += s.count;
        }
        if (looked_at == 0) destroyed += covey_destroy(world, entities[i]);
        i += looked_at != 0 ? looked_at : 1;
    }
    return destroyed;
}

enum { CHUNK = COVEY_PAGE_SIZE < COVEY__BLOCK_IDS ? COVEY_PAGE_SIZE : COVEY__BLOCK_IDS };

/* Destroys the living entities of neighbouring indices, from the highest down. */
static void destroy_chunk(covey_world *world, const covey__entity_page *page, uint32_t first) {
    covey_entity entities[CHUNK];
    uint32_t count = 0;
    for (uint32_t i = CHUNK; i-- != 0;) {
        entities[count] = covey__entity(first + i, page->generation[(first + i) % COVEY_PAGE_SIZE]);
        count += entities[count].generation & 1;
    }
    covey_destroy_many(world, entities, count);
}

/* The same one by one: listeners may create others meanwhile. */
static void destroy_loudly(covey_world *world, uint32_t first) {
    for (uint32_t i = CHUNK; i-- != 0;)
        covey_destroy(world, covey__entity(first + i, covey__generation_of(world, first + i)));
}

void covey_destroy_all(covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (COVEY__IN_HOOK(world)) return;
    for (uint32_t number = world->page_count; number-- != 0;) {
        const covey__entity_page *page = covey__entity_page_of(world, number * COVEY_PAGE_SIZE);
        for (uint32_t at = page ? COVEY_PAGE_SIZE : 0; at != 0; at -= CHUNK) {
            uint32_t first = number * COVEY_PAGE_SIZE + at - CHUNK;
            if (world->inner->heard != 0) destroy_loudly(world, first);
            else destroy_chunk(world, page, first);
        }
    }
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

/* ---- Removing ----------------------------------------------------------------------------------------------------*/

uint32_t covey_remove_many_raw(covey_world *world, const covey_entity *entities, uint32_t count,
                               const covey_type *type) {
    COVEY__NEEDS_ARRAY(world, entities, count);
    covey_pool *pool = covey__pool_known(world, type);
    if (!pool || COVEY__IN_HOOK(world)) return 0;
    COVEY__USES(world, type, COVEY__ACCESS_WRITE);
    uint32_t before = covey_pool_count(pool), removed = 0;
    if (covey__storage_erases_quietly(pool)) {
        covey__storage_erase_listed(pool, entities, count);
        COVEY__CHANGED(world);
        return before - covey_pool_count(pool);
    }
    for (uint32_t i = 0; i < count; i++)
        removed += covey_pool_remove_raw(pool, entities[i]); /* listeners may add some */
    return removed;
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
                     .copies = component->value != NULL },
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
