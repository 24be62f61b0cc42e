/* Merging: creates the entities of the hidden world here. Those that have the same types, or were created with the same
 * types, get their indices together, like entities that are created with these types. */
#include "image/image_merge.h"

#include "change/kind.h"
#include "change/many.h"
#include "memory/alloc.h"
#include "memory/inner.h"
#include "storage/type.h"

#include <stdalign.h>

#define COMMON UINT32_MAX /* the batch of entities whose types are unknown */

/* New entities with one set of types. Its number is that of the kind in m->batch_keys. */
typedef struct covey__batch {
    uint32_t count;
    uint32_t next;      /* of the created entities: the one that its next entity gets; COMMON: a common index */
    covey_entity first; /* its first entity */
} covey__batch;

typedef struct taking {
    covey__merging *m;
    uint32_t *batch_of;            /* of each new entity */
    covey_entity *created;         /* in the order of batches */
    uint32_t count, made;          /* new entities; those that are created */
    covey__kind_key types, before; /* of the current entity; of the one before, */
    uint32_t batch;                /* and its batch */
} taking;

/* ---- Batches -----------------------------------------------------------------------------------------------------*/

/* The types of an entity in the hidden world. An image has no components yet: they are the types of its kind. */
static const covey__kind_key *types_of(taking *t, uint32_t index) {
    const covey__merging *m = t->m;
    const struct covey__kinds *kinds = m->from->inner->kinds;
    uint32_t extent = covey__existing_page(m->from, index)->extent[index % COVEY_PAGE_SIZE / 64];
    if (!m->is_whole && extent != 0) return &kinds->at[kinds->extents[extent - 1].kind]->key;
    covey__kind_key_clear(&t->types);
    if (m->is_whole) t->types = covey__kind_key_of(m->from, index);
    return &t->types;
}

static bool is_same_key(const covey__kind_key *a, const covey__kind_key *b) {
    if (a->hash != b->hash || a->count != b->count || a->count > COVEY__KIND_TYPES) return false;
    return memcmp(a->pools, b->pools, a->count * sizeof *a->pools) == 0;
}

/* Finds the same types here. There are none if this world cannot have one of them: then merging fails later, or the
 * entities have lost it. MEMORY. */
static covey_result find_types_here(const covey__merging *m, const covey__kind_key *from, covey__kind_key *to) {
    covey__kind_key_clear(to);
    for (uint32_t i = 0; from->count <= COVEY__KIND_TYPES && i < from->count; i++) {
        const covey_pool *pool = covey__merging_pool(m, m->from->pools[from->pools[i]]);
        if (!pool) to->count = 0;
        if (!pool) return m->to->inner->result == COVEY_ERROR_MEMORY ? COVEY_ERROR_MEMORY : COVEY_OK;
        covey__kind_key_add(to, pool);
    }
    return COVEY_OK;
}

static covey_result add_batch(covey__merging *m, const covey__kind_key *key, uint32_t *number) {
    if (!m->batch_keys) m->batch_keys = covey__kinds_create(&m->heap);
    if (!m->batch_keys) return COVEY_ERROR_MEMORY;
    uint32_t count = m->batch_keys->count, room = m->batch_room;
    if (count == room) {
        uint32_t grown = covey__grown(room, count + 1, UINT32_MAX - 1);
        covey__batch *batches =
            covey__resize(&m->heap, m->batches, room, grown, sizeof *batches, alignof(covey__batch));
        if (!batches) return COVEY_ERROR_MEMORY;
        m->batches = batches;
        m->batch_room = grown;
    }
    const covey__kind *kind = covey__kinds_add(&m->heap, m->batch_keys, key);
    if (!kind) return COVEY_ERROR_MEMORY;
    *number = kind->number;
    m->batches[*number] = (covey__batch){ .next = COMMON };
    return COVEY_OK;
}

/* Finds the batch of an entity. Neighbours often have the same one. */
static covey_result find_batch(taking *t, uint32_t index) {
    covey__kind_key here;
    const covey__kind_key *types = types_of(t, index);
    if (is_same_key(types, &t->before)) return COVEY_OK;
    t->before = *types;
    t->batch = COMMON;
    covey_result result = find_types_here(t->m, types, &here);
    if (result != COVEY_OK || here.count == 0) return result;
    const covey__kind *known = t->m->batch_keys ? covey__kinds_find(t->m->batch_keys, &here) : NULL;
    if (!known) return add_batch(t->m, &here, &t->batch);
    t->batch = known->number;
    return COVEY_OK;
}

static bool is_new(const covey__merging *m, covey_entity e) {
    return !m->follower || covey_is_null(covey__follow_find(m, e));
}

static covey_result list_new(taking *t) {
    covey_result result = COVEY_OK;
    covey_entity e = covey_entity_next(t->m->from, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e) && result == COVEY_OK; e = covey_entity_next(t->m->from, e)) {
        if (!is_new(t->m, e)) continue;
        result = find_batch(t, e.index);
        t->batch_of[t->count++] = t->batch;
        if (result == COVEY_OK && t->batch != COMMON) t->m->batches[t->batch].count++;
    }
    return result;
}

/* ---- Creating ----------------------------------------------------------------------------------------------------*/

static covey_result take(taking *t, const covey__kind_key *key, uint32_t count) {
    if (count == 0) return COVEY_OK;
    covey_result result = covey__entities_take(t->m->to, key, t->created + t->made, count);
    if (result == COVEY_OK) t->made += count;
    return result;
}

/* Creates entities with common indices first, in the order of the hidden world, then those of each kind. */
static covey_result take_all(taking *t) {
    const covey__merging *m = t->m;
    const struct covey__kinds *keys = m->batch_keys;
    uint32_t batches = keys ? keys->count : 0, common = t->count;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < batches && result == COVEY_OK; i++)
        if (covey__kind_is_due(m->to, &keys->at[i]->key, m->batches[i].count, &result)) {
            m->batches[i].next = 0;
            common -= m->batches[i].count;
        }
    if (result == COVEY_OK) result = take(t, NULL, common);
    for (uint32_t i = 0; i < batches && result == COVEY_OK; i++) {
        if (m->batches[i].next == COMMON) continue;
        m->batches[i].next = t->made;
        result = take(t, &keys->at[i]->key, m->batches[i].count);
    }
    return result;
}

static void hand_out(taking *t, covey_entity *entities) {
    uint32_t common = 0;
    for (uint32_t i = 0; i < t->count; i++) {
        covey__batch *batch = t->batch_of[i] != COMMON ? &t->m->batches[t->batch_of[i]] : NULL;
        entities[i] = t->created[batch && batch->next != COMMON ? batch->next++ : common++];
        if (batch && covey_is_null(batch->first)) batch->first = entities[i];
    }
}

covey_result covey__merging_take(covey__merging *m, covey_entity *entities) {
    taking t = { .m = m, .batch = COMMON };
    uint32_t room = m->from->alive;
    t.batch_of = covey__resize(&m->heap, NULL, 0, room, sizeof *t.batch_of, alignof(uint32_t));
    t.created = covey__resize(&m->heap, NULL, 0, room, sizeof *t.created, alignof(covey_entity));
    covey_result result = (t.batch_of && t.created) || room == 0 ? list_new(&t) : COVEY_ERROR_MEMORY;
    if (result == COVEY_OK) result = take_all(&t);
    if (result == COVEY_OK) {
        hand_out(&t, entities);
        m->count = t.count;
    } else covey__entities_undo_create(m->to, t.created, t.made);
    covey__free(&m->heap, t.batch_of, t.batch_of ? room : 0, sizeof *t.batch_of, alignof(uint32_t));
    covey__free(&m->heap, t.created, t.created ? room : 0, sizeof *t.created, alignof(covey_entity));
    return result;
}

void covey__merging_made(const covey__merging *m) {
    for (uint32_t i = 0; m->batch_keys && i < m->batch_keys->count; i++)
        covey__entities_made(m->to, &m->batch_keys->at[i]->key, &m->batches[i].first, m->batches[i].count);
}

void covey__merging_free_batches(covey__merging *m) {
    covey__kinds_free(&m->heap, m->batch_keys);
    covey__free(&m->heap, m->batches, m->batch_room, sizeof *m->batches, alignof(covey__batch));
}
