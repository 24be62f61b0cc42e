/* Adds what is in an image to a world that has entities of its own. The image is loaded into a world that nobody sees;
 * then its entities get handles here, and what they have moves over. All that can fail comes before any value moves. */
#include "image.h"

#include "alloc.h"
#include "change.h"
#include "enable.h"
#include "entity.h"
#include "fields.h"
#include "hierarchy.h"
#include "kept.h"
#include "many.h"
#include "name.h"
#include "node.h"
#include "observers.h"
#include "pool.h"
#include "pool_of.h"
#include "resource.h"
#include "signal.h"
#include "type.h"
#include "watch.h"

#include <covey/hierarchy.h>
#include <stdalign.h>
#include <stdio.h>

/* A pool that is merged: from where, to where, and whose components these are. */
typedef struct part {
    covey_pool *from, *to;
    covey_entity *entities;
    uint32_t count;
} part;

typedef struct merging {
    covey_world *from, *to;
    covey__heap heap;
    covey_entity *entities;  /* the new handles, by the index that they had */
    uint32_t room, count;    /* for how many; how many there are */
    covey_sparse_set *known; /* from handles as they were to those here */
    part *parts;
    uint32_t part_count;
    const covey_type **resources; /* that both worlds have meanwhile */
    uint32_t resource_room, resource_count;
    covey__change *changes;
} merging;

static const covey_entity null_entity = { 0, 0 };

/* ---- Handles -----------------------------------------------------------------------------------------------------*/

static covey_entity now(const merging *m, covey_entity before) {
    const covey_entity *found = covey_sparse_set_get(m->known, before);
    return found ? *found : null_entity;
}

static covey_entity now_in(const void *merging_, covey_entity before) { return now(merging_, before); }

/* When the entities of the image are known, and before any value is. */
static covey_result make_entities(void *context) {
    merging *m = context;
    uint32_t alive = m->from->alive, i = 0;
    covey_sparse_set_desc desc = { .size = sizeof(covey_entity),
                                   .align = alignof(covey_entity),
                                   .allocator = m->heap.allocator };
    m->known = covey_sparse_set_create(&desc);
    m->entities = covey__resize(&m->heap, NULL, 0, alive, sizeof *m->entities, alignof(covey_entity));
    if (m->entities) m->room = alive;
    if (!m->known || (!m->entities && alive != 0)) return COVEY_ERROR_MEMORY;
    covey_result result = covey__entities_take(m->to, m->entities, alive);
    if (result != COVEY_OK) return result;
    m->count = alive;
    covey_entity e = covey_entity_next(m->from, null_entity);
    for (; !covey_is_null(e) && result == COVEY_OK; e = covey_entity_next(m->from, e))
        result = covey_sparse_set_push(m->known, e, &m->entities[i++]);
    return result;
}

static void remap_fields(const merging *m, const covey_fields *fields, char *value);

static void remap_field(const merging *m, const covey_field *field, char *value) {
    for (uint32_t i = 0; i < field->count; i++, value += covey__field_stride(field)) {
        covey_entity e;
        if (field->nested) {
            remap_fields(m, field->nested, value);
            continue;
        }
        memcpy(&e, value, sizeof e);
        e = now(m, e);
        memcpy(value, &e, sizeof e);
    }
}

static void remap_fields(const merging *m, const covey_fields *fields, char *value) {
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].kind == COVEY_KIND_ENTITY || fields->at[i].nested)
            remap_field(m, &fields->at[i], value + fields->at[i].offset);
}

static bool has_handles(const covey_fields *fields) {
    for (uint32_t i = 0; fields && i < fields->count; i++)
        if (fields->at[i].kind == COVEY_KIND_ENTITY || has_handles(fields->at[i].nested)) return true;
    return false;
}

static void remap_values(const merging *m, const covey_pool *pool) {
    const covey_fields *fields = pool->type->fields;
    if (!has_handles(fields)) return;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        remap_fields(m, fields, covey_pool_value_at_raw(pool, at, pool->size));
}

/* ---- Room --------------------------------------------------------------------------------------------------------*/

/* Parents and names are no components of the user's: they are given anew. */
static bool is_merged(const covey_pool *pool) {
    return covey_pool_count(pool) != 0 && (!covey__is_internal(pool) || pool == pool->world->disabled);
}

/* A type that was made from the image is made here, too. NULL: the world's result says why. */
static const covey_type *type_here(const merging *m, const covey_type *type) {
    return covey__type_is_made(m->from, type) ? covey_type_create(m->to, type) : type;
}

static covey_pool *pool_here(const merging *m, const covey_pool *pool) {
    if (pool == m->from->disabled) return covey__pool_of_disabled(m->to);
    const covey_type *type = type_here(m, pool->type);
    return type ? covey_pool_of_raw(m->to, type) : NULL;
}

static covey_result list_part(merging *m, covey_pool *pool) {
    part *p = &m->parts[m->part_count];
    uint32_t count = covey_pool_count(pool), i = 0;
    *p = (part){ .from = pool, .to = pool_here(m, pool), .count = count };
    if (!p->to) return m->to->result;
    p->entities = covey__resize(&m->heap, NULL, 0, count, sizeof *p->entities, alignof(covey_entity));
    if (!p->entities) return COVEY_ERROR_MEMORY;
    m->part_count++;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        p->entities[i++] = now(m, covey_pool_at(pool, at));
    return COVEY_OK;
}

static covey_result list_parts(merging *m) {
    covey_result result = COVEY_OK;
    uint32_t pools = m->from->pool_count + 1;
    m->parts = covey__resize(&m->heap, NULL, 0, pools, sizeof *m->parts, alignof(part));
    m->changes = covey__resize(&m->heap, NULL, 0, pools, sizeof *m->changes, alignof(covey__change));
    if (!m->parts || !m->changes) return COVEY_ERROR_MEMORY;
    for (uint32_t i = 0; i < m->from->pool_count && result == COVEY_OK; i++)
        if (is_merged(m->from->pools[i])) result = list_part(m, m->from->pools[i]);
    return result;
}

/* A table for what is disabled among the components of a part. */
static covey_result prepare_off(const part *p) {
    uint32_t i = 0;
    if (!covey__may_hide(p->from)) return COVEY_OK;
    for (uint32_t at = covey_pool_next(p->from, 0); at != COVEY_NONE; at = covey_pool_next(p->from, at + 1), i++)
        if (covey__is_off(p->from, covey_pool_at(p->from, at).index) && !covey__off_reach(p->to, p->entities[i].index))
            return COVEY_ERROR_MEMORY;
    return COVEY_OK;
}

/* The first change is that the entities were created. */
static void note_changes(const merging *m) {
    m->changes[0] =
        (covey__change){ .told = { .signal = COVEY_ON_CREATE, .entities = m->entities, .count = m->count } };
    for (uint32_t i = 0; i < m->part_count; i++) {
        const part *p = &m->parts[i];
        m->changes[i + 1] = (covey__change){
            .told = { .pool = p->to, .signal = COVEY_ON_ADD, .entities = p->entities, .count = p->count },
            .placing = { .later = true },
        };
    }
}

/* Components get their places; their values follow. */
static covey_result make_room(merging *m) {
    const covey__change *culprit;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < m->part_count && result == COVEY_OK; i++) result = prepare_off(&m->parts[i]);
    note_changes(m);
    return result == COVEY_OK ? covey__changes_make(m->to, m->changes, m->part_count + 1, &culprit) : result;
}

/* ---- Parents, names, resources -----------------------------------------------------------------------------------*/

static covey_result link_parents(const merging *m) {
    const covey_pool *nodes = m->from->nodes;
    for (uint32_t at = 0; nodes && (at = covey_pool_next(nodes, at)) != COVEY_NONE; at++) {
        covey_entity parent = covey_pool_at(nodes, at), child = covey_child_first(m->from, parent);
        for (; !covey_is_null(child); child = covey_child_next(m->from, child))
            if (!covey__hierarchy_link(m->to, now(m, child), now(m, parent))) return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

static covey_result give_names(const merging *m) {
    const covey_pool *names = m->from->names ? m->from->names->pool : NULL;
    for (uint32_t at = 0; names && (at = covey_pool_next(names, at)) != COVEY_NONE; at++) {
        covey_entity before = covey_pool_at(names, at), e = now(m, before);
        const char *name = covey_name(m->from, before);
        bool taken = !covey_is_null(covey_find_child(m->to, covey_parent(m->to, e), name));
        covey_result result = taken ? COVEY_OK : covey_name_set(m->to, e, name);
        if (result != COVEY_OK) return result;
    }
    return COVEY_OK;
}

/* Those that the world lacks; both have the values until all has succeeded. */
static covey_result set_resources(merging *m) {
    uint32_t count = covey_world_resource_count(m->from);
    m->resources = covey__resize(&m->heap, NULL, 0, count, sizeof *m->resources, alignof(covey_type *));
    if (!m->resources && count != 0) return COVEY_ERROR_MEMORY;
    m->resource_room = count;
    for (uint32_t i = 0; i < count; i++) {
        const covey_type *was = covey_world_resource(m->from, i), *type = was;
        char *value = covey_resource_get_raw(m->from, was, was->size);
        if (covey_resource_has_raw(m->to, was)) continue;
        if (covey__type_is_made(m->from, was)) type = covey__type_keep(m->to, was);
        if (!type) return m->to->result;
        if (was->fields) remap_fields(m, was->fields, value);
        if (!covey_resource_set_raw(m->to, type, value, type->size)) return m->to->result;
        m->resources[m->resource_count++] = type;
    }
    return COVEY_OK;
}

/* ---- Back, and on ------------------------------------------------------------------------------------------------*/

static void undo(merging *m) {
    covey_world *world = m->to;
    for (uint32_t i = 0; i < m->count; i++) {
        covey__name_lose(world, m->entities[i].index);
        if (world->nodes) covey__pool_take_out(world->nodes, m->entities[i], sizeof(covey__node));
    }
    if (m->count != 0) covey__entities_give_back(world, m->entities, m->count);
    for (uint32_t i = 0; i < m->resource_count; i++) covey__resource_forget(world, m->resources[i]);
}

static void move_values(const part *p) {
    uint32_t i = 0, size = p->to->size;
    for (uint32_t at = covey_pool_next(p->from, 0); at != COVEY_NONE; at = covey_pool_next(p->from, at + 1), i++) {
        const void *value = covey_pool_value_at_raw(p->from, at, size);
        covey__kept_moved(p->from->type, p->to->type, value);
        covey__copy(covey__value_of_index(p->to, p->entities[i].index), value, size);
    }
}

/* Those that were set here are here. */
static void move_resources(const merging *m) {
    for (uint32_t i = 0; i < m->resource_count; i++) {
        const covey_type *type = m->resources[i];
        for (uint32_t k = 0; k < covey_world_resource_count(m->from); k++) {
            const covey_type *was = covey_world_resource(m->from, k);
            if (strcmp(was->name, type->name) != 0) continue;
            covey__kept_moved(was, type, covey_resource_get_raw(m->from, was, was->size));
            covey__resource_forget(m->from, was);
        }
    }
}

static void disable_components(const part *p) {
    uint32_t i = 0;
    if (!covey__may_hide(p->from)) return;
    for (uint32_t at = covey_pool_next(p->from, 0); at != COVEY_NONE; at = covey_pool_next(p->from, at + 1), i++)
        if (covey__is_off(p->from, covey_pool_at(p->from, at).index))
            covey_component_disable_raw(p->to->world, p->entities[i], p->to->type);
}

/* Nothing fails from here on. */
static void move_all(merging *m) {
    for (uint32_t i = 0; i < m->part_count; i++) {
        remap_values(m, m->parts[i].from);
        move_values(&m->parts[i]);
    }
    move_resources(m);
    covey__changes_settle(m->changes, m->part_count + 1, true);
    for (uint32_t i = 0; i < m->part_count; i++) disable_components(&m->parts[i]);
    for (uint32_t i = 0; i < m->part_count; i++) covey__pool_forget(m->parts[i].from);
}

static void tell(const merging *m, const covey_load_desc *desc) {
    covey_entity before = null_entity;
    for (uint32_t i = 0; i < m->count && desc->merged; i++) {
        before = covey_entity_next(m->from, before);
        desc->merged(before, m->entities[i], desc->merged_context);
    }
    covey__changes_tell(m->to, m->changes, m->part_count + 1);
}

static void free_all(merging *m) {
    uint32_t pools = m->from->pool_count + 1;
    for (uint32_t i = 0; i < m->part_count; i++)
        covey__free(&m->heap, m->parts[i].entities, m->parts[i].count, sizeof(covey_entity), alignof(covey_entity));
    covey__free(&m->heap, m->parts, pools, sizeof *m->parts, alignof(part));
    covey__free(&m->heap, m->changes, pools, sizeof *m->changes, alignof(covey__change));
    covey__free(&m->heap, (void *)m->resources, m->resource_room, sizeof *m->resources, alignof(covey_type *));
    covey__free(&m->heap, m->entities, m->room, sizeof *m->entities, alignof(covey_entity));
    covey_sparse_set_destroy(m->known);
}

static covey_result prepare(merging *m) {
    covey_result result = list_parts(m);
    if (result == COVEY_OK) result = link_parents(m);
    if (result == COVEY_OK) result = give_names(m);
    if (result == COVEY_OK) result = set_resources(m);
    if (result == COVEY_OK) result = make_room(m);
    return result;
}

/* What is left in the image is nobody's: no value is dropped but those that functions have made. */
static void destroy_image(covey_world *image) {
    for (uint32_t i = 0; i < image->pool_count; i++) {
        covey_pool *pool = image->pools[i];
        if (covey__is_internal(pool)) continue;
        for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
            covey__drop_loaded(pool->type, covey_pool_value_at_raw(pool, at, pool->size));
        covey__pool_forget(pool);
    }
    while (covey_world_resource_count(image) != 0) {
        const covey_type *type = covey_world_resource(image, 0);
        covey__drop_loaded(type, covey_resource_get_raw(image, type, type->size));
        covey__resource_forget(image, type);
    }
    covey_world_destroy(image);
}

static covey_result merge(merging *m, const void *bytes, size_t size, const covey_load_desc *desc,
                          covey_report *report) {
    covey_world *to = m->to;
    covey_log_fn *log = to->log;
    covey_result before = to->result;
    covey__entering entering = { make_entities, now_in, m };
    to->log = NULL; /* one sentence says it all */
    covey_result result = covey__load(m->from, to, bytes, size, desc, &entering, report);
    if (result == COVEY_OK) result = prepare(m);
    if (result != COVEY_OK) undo(m);
    else move_all(m);
    to->log = log;
    to->result = before;
    if (result == COVEY_OK) tell(m, desc);
    free_all(m);
    return result;
}

covey_result covey_merge_from_memory(covey_world *world, const void *bytes, size_t size, const covey_load_desc *desc,
                                     covey_report *report) {
    static const covey_load_desc defaults = { 0 };
    covey_report unheard;
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    if (!report) report = &unheard;
    *report = (covey_report){ 0 };
    covey_world_desc aside = { .allocator = world->heap.allocator,
                               .on_assert = world->on_assert,
                               .assert_context = world->assert_context };
    covey_result result = COVEY_ERROR_MEMORY;
    merging m = { .from = covey_world_create(&aside), .to = world, .heap = { world->heap.allocator, 0 } };
    if (m.from) {
        result = merge(&m, bytes, size, desc ? desc : &defaults, report);
        destroy_image(m.from);
    }
    COVEY__CHANGED(world);
    return covey__report_to(world, report, result, "the image could not be merged");
}
