/* Adds an image to a world that has entities of its own. Loads the image into a hidden world; then its entities get
 * handles here, and their components are moved. Everything that can fail is done before any value moves. */
#include "image/image_merge.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "change/enable.h"
#include "change/entity.h"
#include "storage/fields.h"
#include "tree/hierarchy.h"
#include "storage/unknown.h"
#include "change/many.h"
#include "tree/name.h"
#include "tree/node.h"
#include "observe/observers.h"
#include "change/pool.h"
#include "change/resource.h"
#include "observe/signal.h"
#include "observe/tick.h"
#include "storage/type.h"
#include "observe/notify.h"

#include <covey/hierarchy.h>
#include <stdalign.h>
#include <stdio.h>

typedef covey__merging merging;
typedef covey__merged part;

static const covey_entity null_entity = { 0, 0 };

/* ---- Handles -----------------------------------------------------------------------------------------------------*/

covey_entity covey__merging_now(const merging *m, covey_entity before) {
    const covey_entity *found = covey_sparse_set_get(m->known, before);
    return found ? *found : m->keeps_outside ? before : null_entity;
}

static covey_entity now_in(const void *merging_, covey_entity before) { return covey__merging_now(merging_, before); }

covey_result covey__merging_reserve(merging *m) {
    m->known = covey__handle_map(&m->heap);
    m->entities = covey__resize(&m->heap, NULL, 0, m->from->alive, sizeof *m->entities, alignof(covey_entity));
    if (m->entities) m->room = m->from->alive;
    return m->known && (m->entities || m->from->alive == 0) ? COVEY_OK : COVEY_ERROR_MEMORY;
}

/* Called when the entities of the image are loaded, before any value: creates all of them. */
static covey_result make_entities(void *context) {
    merging *m = context;
    uint32_t i = 0;
    covey_result result = covey__merging_reserve(m);
    if (result == COVEY_OK) result = covey__merging_take(m, m->entities);
    if (result != COVEY_OK) return result;
    m->fresh = m->entities;
    covey_entity e = covey_entity_next(m->from, null_entity);
    for (; !covey_is_null(e) && result == COVEY_OK; e = covey_entity_next(m->from, e))
        result = covey_sparse_set_push(m->known, e, &m->entities[i++]);
    return result;
}

/* ---- Parts -------------------------------------------------------------------------------------------------------*/

/* Parents and names are not components: they are set separately. */
static bool is_merged(const covey_pool *pool) {
    return covey_pool_count(pool) != 0 && (!covey__is_internal(pool) || pool == pool->world->inner->disabled);
}

/* The type in this world. Types that were made from the image are made here. NULL: the world's result is the reason. */
static const covey_type *type_here(const merging *m, const covey_type *type) {
    return covey__type_is_made(m->from, type) ? covey_type_create(m->to, type) : type;
}

covey_pool *covey__merging_pool(const merging *m, const covey_pool *pool) {
    if (pool == m->from->inner->disabled) return covey__pool_of_disabled(m->to);
    const covey_type *type = type_here(m, pool->type);
    return type ? covey_pool_of_raw(m->to, type) : NULL;
}

bool covey__merging_keeps(const merging *m, const covey_type *type) { return covey__type_listed(m->desc->keep, type); }

/* Whether a value of the image equals the one here. Always false for types with a codec. */
static bool is_same_value(const covey_type *type, const void *value, const void *here) {
    if (type->codec) return false;
    if (type->fields) return covey__fields_equal(type->fields, value, here);
    return type->size == 0 || memcmp(value, here, type->size) == 0;
}

static covey__fate fate_of(const part *p, covey_entity e, const void *value, bool keeps) {
    if (!covey__has_index(p->to, e.index)) return COVEY__ADDED;
    return keeps || is_same_value(p->to->type, value, covey__value_of_index(p->to, e.index)) ? COVEY__LEFT : COVEY__SET;
}

/* Decides for each component whether it is added, set or left: entities that existed before may have it. */
static covey_result tell_apart(const merging *m, part *p) {
    uint32_t i = 0;
    covey__heap *heap = (covey__heap *)(uintptr_t)&m->heap;
    bool keeps = covey__merging_keeps(m, p->to->type);
    p->picked = covey__resize(heap, NULL, 0, p->count, sizeof *p->picked, alignof(covey_entity));
    p->fates = covey__resize(heap, NULL, 0, p->count, 1, 1);
    if (!p->picked || !p->fates) return COVEY_ERROR_MEMORY;
    for (uint32_t at = covey_pool_next(p->from, 0); at != COVEY_NONE; at = covey_pool_next(p->from, at + 1), i++) {
        const void *value = covey_pool_value_at_raw(p->from, at);
        covey__fate fate = fate_of(p, p->entities[i], value, keeps);
        p->fates[i] = (unsigned char)fate;
        if (fate == COVEY__ADDED) p->picked[p->added++] = p->entities[i];
        if (fate == COVEY__SET) p->picked[p->count - ++p->set] = p->entities[i];
    }
    return COVEY_OK;
}

static covey_result list_part(merging *m, covey_pool *pool) {
    part *p = &m->parts[m->part_count];
    covey__entering entering = { .now = now_in, .context = m };
    uint32_t count = covey_pool_count(pool), i = 0;
    *p = (part){ .from = pool, .to = covey__merging_pool(m, pool), .count = count };
    if (!p->to) return m->to->inner->result;
    if (p->to->type->move) { /* places have no values at first, and the hook would move them */
        m->culprit = p->to->type->name;
        return COVEY_ERROR_REFUSED;
    }
    p->entities = covey__resize(&m->heap, NULL, 0, count, sizeof *p->entities, alignof(covey_entity));
    if (!p->entities) return COVEY_ERROR_MEMORY;
    m->part_count++;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        p->entities[i++] = covey__merging_now(m, covey_pool_at(pool, at));
    covey__map_values(pool, &entering);
    if (m->follower) return tell_apart(m, p);
    p->picked = p->entities;
    p->added = count;
    return COVEY_OK;
}

static covey_result list_parts(merging *m) {
    covey_result result = COVEY_OK;
    uint32_t pools = m->from->pool_count + 1;
    m->parts = covey__resize(&m->heap, NULL, 0, pools, sizeof *m->parts, alignof(part));
    m->changes = covey__resize(&m->heap, NULL, 0, 2 * (size_t)pools, sizeof *m->changes, alignof(covey__change));
    if (!m->parts || !m->changes) return COVEY_ERROR_MEMORY;
    for (uint32_t i = 0; i < m->from->pool_count && result == COVEY_OK; i++)
        if (is_merged(m->from->pools[i])) result = list_part(m, m->from->pools[i]);
    return result;
}

static covey__fate fate_at(const part *p, uint32_t i) { return p->fates ? (covey__fate)p->fates[i] : COVEY__ADDED; }

/* Whether `.keep` protects a component here. Otherwise it may be enabled or disabled even if its value is equal. */
static bool stays(const merging *m, const part *p, uint32_t i) {
    return fate_at(p, i) == COVEY__LEFT && covey__merging_keeps(m, p->to->type);
}

/* Makes room to disable components of a part. */
static covey_result prepare_disabled(const merging *m, const part *p) {
    uint32_t i = 0;
    if (!covey__may_hide(p->from)) return COVEY_OK;
    for (uint32_t at = covey_pool_next(p->from, 0); at != COVEY_NONE; at = covey_pool_next(p->from, at + 1), i++)
        if (covey__component_is_disabled(p->from, covey_pool_at(p->from, at).index) && !stays(m, p, i) &&
            !covey__disabled_reach(p->to, p->entities[i].index))
            return COVEY_ERROR_MEMORY;
    return COVEY_OK;
}

/* Lists the changes for observers. The first is that entities were created. */
static void note_changes(merging *m) {
    m->changes[m->change_count++] =
        (covey__change){ .told = { .signal = COVEY_ON_CREATE, .entities = m->fresh, .count = m->count } };
    for (uint32_t i = 0; i < m->part_count; i++) {
        const part *p = &m->parts[i];
        if (p->added != 0)
            m->changes[m->change_count++] = (covey__change){
                .told = { .pool = p->to, .signal = COVEY_ON_ADD, .entities = p->picked, .count = p->added },
                .placing = { .later = true },
            };
        if (p->set != 0)
            m->changes[m->change_count++] = (covey__change){ .told = { .pool = p->to,
                                                                       .signal = COVEY_ON_SET,
                                                                       .entities = p->picked + p->count - p->set,
                                                                       .count = p->set } };
    }
}

/* Places the components; their values move later. */
static covey_result place_components(merging *m) {
    const covey__change *culprit;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < m->part_count && result == COVEY_OK; i++) result = prepare_disabled(m, &m->parts[i]);
    note_changes(m);
    return result == COVEY_OK ? covey__changes_make(m->to, m->changes, m->change_count, &culprit) : result;
}

/* ---- Parents, names, resources -----------------------------------------------------------------------------------*/

static covey_result link_parents(const merging *m) {
    const covey_pool *nodes = m->from->inner->nodes;
    for (uint32_t at = 0; nodes && (at = covey_pool_next(nodes, at)) != COVEY_NONE; at++) {
        covey_entity parent = covey_pool_at(nodes, at), child = covey_child_first(m->from, parent);
        for (; !covey_is_null(child); child = covey_child_next(m->from, child))
            if (!covey__hierarchy_link(m->to, covey__merging_now(m, child), covey__merging_now(m, parent)))
                return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

static covey_result give_names(const merging *m) {
    const covey_pool *names = m->from->inner->names ? m->from->inner->names->pool : NULL;
    for (uint32_t at = 0; names && (at = covey_pool_next(names, at)) != COVEY_NONE; at++) {
        covey_entity before = covey_pool_at(names, at), e = covey__merging_now(m, before);
        const char *name = covey_name(m->from, before);
        bool taken = !covey_is_null(covey_find_child(m->to, covey_parent(m->to, e), name));
        covey_result result = taken ? COVEY_OK : covey_name_set(m->to, e, name);
        if (result != COVEY_OK) return result;
    }
    return COVEY_OK;
}

/* Adds resources that the world lacks. Both worlds have the values until everything has succeeded. */
static covey_result set_resources(merging *m) {
    uint32_t count = covey_world_resource_count(m->from);
    covey__entering entering = { .now = now_in, .context = m };
    m->resources = covey__resize(&m->heap, NULL, 0, count, sizeof *m->resources, alignof(covey_type *));
    if (!m->resources && count != 0) return COVEY_ERROR_MEMORY;
    m->resource_room = count;
    for (uint32_t i = 0; i < count; i++) {
        const covey_type *was = covey_world_resource(m->from, i), *type = was;
        char *value = covey_resource_get_raw(m->from, was);
        if (was->fields) covey__map_fields(was->fields, value, &entering);
        if (was->move) { /* the value cannot be in both worlds */
            m->culprit = was->name;
            return COVEY_ERROR_REFUSED;
        }
        if (covey_resource_has_raw(m->to, was)) continue;
        if (covey__type_is_made(m->from, was)) type = covey__type_keep(m->to, was);
        if (!type) return m->to->inner->result;
        if (!covey_resource_set_raw(m->to, type, value)) return m->to->inner->result;
        m->resources[m->resource_count++] = type;
    }
    return COVEY_OK;
}

static void overwrite_resource(const covey_world *world, void *value, const covey_type *type, const void *other) {
    covey__drop(world, type, value);
    covey__copy(value, other, type->size);
}

/* The next of m->resources, which are in the order of `from`. */
typedef struct moving {
    const merging *m;
    uint32_t next;
} moving;

/* Moves a resource to the other world, and returns whether it did: it was set there already; or, when following, it
 * replaces the one there, unless that refers to an object of the program. */
static bool move_resource(const covey_type *was, void *value, void *context) {
    moving *moved = context;
    const merging *m = moved->m;
    const covey_type *type = covey__resource_named(m->to, was->name);
    if (moved->next < m->resource_count && type == m->resources[moved->next]) {
        moved->next++;
    } else {
        if (!m->follower || !type || covey__merging_keeps(m, was)) return false;
        overwrite_resource(m->to, covey_resource_get_raw(m->to, type), type, value);
    }
    covey__unknown_moved(was, type, value);
    return true;
}

static void move_resources(const merging *m) { covey__resources_erase_if(m->from, move_resource, &(moving){ .m = m }); }

/* ---- Back, and on ------------------------------------------------------------------------------------------------*/

static void undo_merge(merging *m) {
    covey_world *world = m->to;
    if (m->follower) covey__follow_undo(m);
    for (uint32_t i = 0; i < m->count; i++) {
        covey__name_remove(world, m->fresh[i].index);
        if (world->inner->nodes) covey__pool_remove(world->inner->nodes, m->fresh[i], sizeof(covey__node));
    }
    if (m->count != 0) covey__entities_undo_create(world, m->fresh, m->count);
    for (uint32_t i = m->resource_count; i-- != 0;) covey__resource_erase(world, m->resources[i]);
}

/* Moves a value of the image here, dropping an old one; or drops the value of the image, if the one here stays. */
static void move_value(const part *p, uint32_t i, void *value) {
    covey_entity e = p->entities[i];
    covey__fate fate = fate_at(p, i);
    if (fate == COVEY__LEFT) {
        covey__drop_loaded(p->to->world, p->from->type, value);
        return;
    }
    if (fate == COVEY__SET) covey__pool_drop(p->to, e);
    covey__unknown_moved(p->from->type, p->to->type, value);
    covey__copy(covey__value_of_index(p->to, e.index), value, p->to->size);
    if (fate == COVEY__SET && p->to->type->ticks) covey__ticks_note(p->to, e.index);
}

static void move_values(const part *p) {
    uint32_t i = 0;
    for (uint32_t at = covey_pool_next(p->from, 0); at != COVEY_NONE; at = covey_pool_next(p->from, at + 1))
        move_value(p, i++, covey_pool_value_at_raw(p->from, at));
}

static void disable_components(const merging *m, const part *p) {
    uint32_t i = 0;
    if (!covey__may_hide(p->from) && !covey__may_hide(p->to)) return;
    for (uint32_t at = covey_pool_next(p->from, 0); at != COVEY_NONE; at = covey_pool_next(p->from, at + 1), i++) {
        if (stays(m, p, i)) continue;
        bool disabled = covey__component_is_disabled(p->from, covey_pool_at(p->from, at).index);
        (disabled ? covey_component_disable_raw : covey_component_enable_raw)(m->to, p->entities[i], p->to->type);
    }
}

/* Nothing fails from here on. */
static void move_all(merging *m) {
    covey__merging_made(m);
    for (uint32_t i = 0; i < m->part_count; i++) move_values(&m->parts[i]);
    move_resources(m);
    if (m->follower) covey__follow_settle(m);
    else covey__changes_settle(m->changes, m->change_count, true);
    if (m->follower) covey__follow_commit(m);
    for (uint32_t i = 0; i < m->part_count; i++) disable_components(m, &m->parts[i]);
}

static void tell_of_merge(const merging *m) {
    const covey_load_desc *desc = m->desc;
    covey_entity before = null_entity;
    for (uint32_t i = 0, k = 0; k < m->count && desc->merged; i++) {
        before = covey_entity_next(m->from, before);
        if (!covey_same(m->entities[i], m->fresh[k])) continue;
        desc->merged(before, m->fresh[k++], desc->merged_context);
    }
    covey__changes_emit(m->to, m->changes, m->change_count);
}

static covey_result prepare_merge(merging *m) {
    covey_result result = list_parts(m);
    if (result == COVEY_OK && !m->follower) result = link_parents(m);
    if (result == COVEY_OK && !m->follower) result = give_names(m);
    if (result == COVEY_OK) result = set_resources(m);
    if (result == COVEY_OK && m->follower) result = covey__follow_prepare(m);
    if (result == COVEY_OK) result = place_components(m);
    return result;
}

covey_result covey__merge(merging *m) {
    covey_result result = prepare_merge(m);
    if (result != COVEY_OK) undo_merge(m);
    else move_all(m);
    return result;
}

/* ---- Hidden worlds ----------------------------------------------------------------------------------------------- */

covey_world *covey__merging_world(const covey_world *to) {
    covey_world *from = covey_world_create(&(covey_world_desc){
        .allocator = to->inner->heap.allocator,
        .on_assert = to->inner->on_assert,
        .assert_context = to->inner->assert_context,
        .quiet = true,
    });
    if (from) from->inner->heap.budget = to->inner->heap.budget;
    return from;
}

/* Destroys the hidden world. The program has not seen its remaining values: drops only those that codecs have made. */
static void destroy_image(covey_world *image, const covey_world *to) {
    for (uint32_t i = 0; i < image->pool_count; i++) {
        covey_pool *pool = image->pools[i];
        if (covey__is_internal(pool)) continue;
        for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
            covey__drop_loaded(to, pool->type, covey_pool_value_at_raw(pool, at));
        covey__pool_erase_all(pool);
    }
    for (uint32_t i = covey_world_resource_count(image); i-- != 0;) {
        const covey_type *type = covey_world_resource(image, i);
        covey__drop_loaded(to, type, covey_resource_get_raw(image, type));
        covey__resource_erase(image, type);
    }
    covey_world_destroy(image);
}

static void free_part(merging *m, const part *p) {
    covey__free(&m->heap, p->entities, p->count, sizeof(covey_entity), alignof(covey_entity));
    if (p->picked != p->entities)
        covey__free(&m->heap, p->picked, p->count, sizeof(covey_entity), alignof(covey_entity));
    covey__free(&m->heap, p->fates, p->count, 1, 1);
}

void covey__merging_free(merging *m) {
    uint32_t pools = m->from->pool_count + 1;
    if (m->follower) covey__follow_free(m);
    for (uint32_t i = 0; i < m->part_count; i++) free_part(m, &m->parts[i]);
    covey__free(&m->heap, m->parts, pools, sizeof *m->parts, alignof(part));
    covey__free(&m->heap, m->changes, 2 * (size_t)pools, sizeof *m->changes, alignof(covey__change));
    covey__free(&m->heap, (void *)m->resources, m->resource_room, sizeof *m->resources, alignof(covey_type *));
    if (m->fresh != m->entities) covey__free(&m->heap, m->fresh, m->room, sizeof *m->fresh, alignof(covey_entity));
    covey__free(&m->heap, m->entities, m->room, sizeof *m->entities, alignof(covey_entity));
    if (m->known) covey_sparse_set_destroy(m->known);
    covey__merging_free_batches(m);
    if (m->is_whole) covey_world_destroy(m->from);
    else destroy_image(m->from, m->to);
}

/* ---- Images ------------------------------------------------------------------------------------------------------*/

/* Empties the hidden world's pools after their values were moved. */
static void erase_parts(const merging *m) {
    for (uint32_t i = 0; i < m->part_count; i++) covey__pool_erase_all(m->parts[i].from);
}

static covey_result read_and_merge(merging *m, const covey__entering *entering, const void *bytes, size_t size,
                                   covey_report *report) {
    covey_image_info info = { 0 };
    covey_result result = covey__load(m->from, m->to, bytes, size, m->desc, entering, report);
    if (result != COVEY_OK) undo_merge(m);
    if (result != COVEY_OK) return result;
    covey_image_read_info(bytes, size, &info, NULL);
    m->since = info.since;
    return covey__merge(m);
}

covey_result covey__merge_image(merging *m, covey_result (*entered)(void *context), const void *bytes, size_t size,
                                covey_report *report) {
    static const covey_load_desc defaults = { 0 };
    covey_world *to = m->to;
    covey_result before = to->inner->result;
    covey__entering entering = { entered, now_in, m };
    *report = (covey_report){ 0 };
    if (!m->desc) m->desc = &defaults;
    m->heap = (covey__heap){ to->inner->heap.allocator, 0, to->inner->heap.budget };
    m->from = covey__merging_world(to);
    if (!m->from) return COVEY_ERROR_MEMORY;
    covey__silence(to, true); /* only one message is logged */
    covey__limit_begin(to, m->desc, size);
    report->result = read_and_merge(m, &entering, bytes, size, report);
    covey__limit_end(to, m->desc, size, report);
    covey_result result = report->result;
    covey__silence(to, false);
    to->inner->result = before;
    if (m->culprit)
        snprintf(report->text, sizeof report->text,
                 "%.100s cannot be merged: a hook moves its values; load the image into a world of its own",
                 m->culprit);
    if (result == COVEY_OK) tell_of_merge(m);
    if (result == COVEY_OK && m->follower) covey__follow_remove(m);
    if (result == COVEY_OK) erase_parts(m);
    covey__merging_free(m);
    COVEY__CHANGED(to);
    return result;
}

covey_result covey__merge_world(merging *m) {
    covey_world *to = m->to;
    covey_result before = to->inner->result;
    covey__silence(to, true); /* only one message is logged */
    covey_result result = make_entities(m);
    if (result == COVEY_OK) result = covey__merge(m);
    else undo_merge(m);
    covey__silence(to, false);
    to->inner->result = before;
    if (result != COVEY_OK) return result;
    tell_of_merge(m);
    erase_parts(m);
    return COVEY_OK;
}

covey_result covey_merge_from_memory(covey_world *world, const void *bytes, size_t size, const covey_load_desc *desc,
                                     covey_report *report) {
    covey_report unheard;
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, bytes, size);
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    merging m = { .to = world, .desc = desc };
    if (!report) report = &unheard;
    covey_result result = covey__merge_image(&m, make_entities, bytes, size, report);
    return covey__report_to(world, report, result, "the image could not be merged");
}
