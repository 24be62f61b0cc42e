/* Following: applies successive images of one source. A map from handles of the source to handles here is kept from
 * image to image, so that each one updates the entities of the one before. Everything that can fail for parents and
 * names is done before anything is committed: nodes are made without links, entities without a name get theirs, and the
 * texts of other new names are allocated. */
#include "memory/inner.h"
#include "image/image_merge.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "change/enable.h"
#include "tree/hierarchy.h"
#include "change/many.h"
#include "observe/members.h"
#include "tree/name.h"
#include "tree/node.h"
#include "observe/observers.h"
#include "storage/order.h"
#include "memory/result.h"
#include "observe/tick.h"
#include "storage/type.h"

#include <covey/hierarchy.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>

typedef covey__merging merging;

/* A name that was given to an entity without one, or the text of a new name that is set later. */
typedef struct covey__renaming {
    uint32_t index;
    char *text; /* NULL: the name was given already */
    uint32_t length;
} covey__renaming;

/* An entity whose component is removed. */
typedef struct covey__leaving {
    uint32_t source; /* its index in the source, which gives the order */
    covey_entity here;
} covey__leaving;

static const covey_entity null_entity = { 0, 0 };

/* ---- Entities ----------------------------------------------------------------------------------------------------*/

covey_entity covey__follow_find(const merging *m, covey_entity e) {
    const covey_entity *here = covey_sparse_set_get(m->follower->known, e);
    return here && covey_alive(m->to, *here) ? *here : null_entity;
}

static covey_result take_fresh(merging *m) {
    m->fresh = covey__resize(&m->heap, NULL, 0, m->room, sizeof *m->fresh, alignof(covey_entity));
    if (!m->fresh && m->room != 0) return COVEY_ERROR_MEMORY;
    return covey__merging_take(m, m->fresh);
}

/* Called when the entities of the image are loaded: finds those that earlier images have made, and creates the
 * others. */
static covey_result find_entities(void *context) {
    merging *m = context;
    uint32_t i = 0, fresh = 0;
    covey_result result = covey__merging_reserve(m);
    if (result == COVEY_OK) result = take_fresh(m);
    covey_entity e = covey_entity_next(m->from, null_entity);
    for (; !covey_is_null(e) && result == COVEY_OK; e = covey_entity_next(m->from, e), i++) {
        covey_entity here = covey__follow_find(m, e);
        m->entities[i] = covey_is_null(here) ? m->fresh[fresh++] : here;
        result = covey_sparse_set_push(m->known, e, &m->entities[i]);
    }
    return result;
}

/* ---- Preparing ---------------------------------------------------------------------------------------------------*/

/* for (covey_entity p = first_parent(m, &at); !covey_is_null(p); p = next_parent(m, &at)) */
static covey_entity next_parent(const merging *m, uint32_t *at) {
    const covey_pool *nodes = m->from->inner->nodes;
    uint32_t found = nodes ? covey_pool_next(nodes, *at) : COVEY_NONE;
    if (found == COVEY_NONE) return null_entity;
    *at = found + 1;
    return covey_pool_at(nodes, found);
}

static covey_result make_nodes(const merging *m) {
    uint32_t at = 0;
    for (covey_entity parent = next_parent(m, &at); !covey_is_null(parent); parent = next_parent(m, &at)) {
        covey_entity child = covey_child_first(m->from, parent);
        for (; !covey_is_null(child); child = covey_child_next(m->from, child))
            if (!covey__hierarchy_prepare(m->to, covey__merging_now(m, child), covey__merging_now(m, parent)))
                return COVEY_ERROR_MEMORY;
    }
    return COVEY_OK;
}

static const covey_pool *names_of(const covey_world *world) {
    return world->inner->names ? world->inner->names->pool : NULL;
}

static covey_result prepare_name(merging *m, covey_entity e, const covey__name *wanted) {
    const covey__name *name = covey__name_of(m->to, e.index);
    covey__renaming *renaming = &m->renamings[m->renaming_count];
    uint32_t length = covey__name_length(wanted);
    *renaming = (covey__renaming){ .index = e.index, .length = length };
    if (!name) {
        covey_result result = covey__name_put(m->to, e, wanted->text, length);
        m->renaming_count += result == COVEY_OK;
        return result;
    }
    if (strcmp(name->text, wanted->text) == 0) return COVEY_OK;
    renaming->text = covey__name_text(m->to, wanted->text, length);
    if (!renaming->text) return COVEY_ERROR_MEMORY;
    m->to->inner->borrowed += length + 1u;
    m->renaming_count++;
    return COVEY_OK;
}

static covey_result prepare_names(merging *m) {
    const covey_pool *names = names_of(m->from);
    covey_result result = COVEY_OK;
    uint32_t count = names ? covey_pool_count(names) : 0;
    m->renamings = covey__resize(&m->heap, NULL, 0, count, sizeof *m->renamings, alignof(covey__renaming));
    if (!m->renamings && count != 0) return COVEY_ERROR_MEMORY;
    m->renaming_room = count;
    for (uint32_t at = 0; names && (at = covey_pool_next(names, at)) != COVEY_NONE && result == COVEY_OK; at++)
        result = prepare_name(m, covey__merging_now(m, covey_pool_at(names, at)), covey_pool_value_at_raw(names, at));
    return result;
}

/* ---- Bits --------------------------------------------------------------------------------------------------------*/

static void set_bits(uint64_t *bits, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) covey__set_bit(bits, entities[i].index);
}

static uint64_t *make_bits(merging *m) {
    uint64_t *bits = covey__resize(&m->heap, NULL, 0, m->words, sizeof *bits, alignof(uint64_t));
    if (bits) memset(bits, 0, m->words * sizeof *bits);
    return bits;
}

static bool has_groups(const covey_pool *pool) { return pool->observers && pool->observers->group_count != 0; }

static covey_result make_group_bits(merging *m) {
    m->grouped = COVEY__NO_NODE;
    for (uint32_t i = m->part_count; i-- != 0;) {
        covey__merged *p = &m->parts[i];
        if (p->added == 0 || !has_groups(p->to)) continue;
        p->bits = make_bits(m);
        if (!p->bits) return COVEY_ERROR_MEMORY;
        set_bits(p->bits, p->picked, p->added);
        p->grouped = m->grouped;
        m->grouped = i;
    }
    return COVEY_OK;
}

/* Sets the bits of all entities that follow the source, including those that are no longer in this image. */
static covey_result make_all_bits(merging *m) {
    const covey_sparse_set *before = m->follower->known;
    m->words = (size_t)m->to->page_count * COVEY_PAGE_SIZE / 64 + 1;
    m->follows = make_bits(m);
    m->is_new = make_bits(m);
    if (!m->follows || !m->is_new) return COVEY_ERROR_MEMORY;
    set_bits(m->follows, m->entities, m->room);
    set_bits(m->is_new, m->fresh, m->count);
    for (uint32_t at = 0; (at = covey_sparse_set_next(before, at)) != COVEY_NONE; at++) {
        const covey_entity *here = covey_sparse_set_value_at(before, at);
        if (covey_alive(m->to, *here)) set_bits(m->follows, here, 1);
    }
    return make_group_bits(m);
}

/* ---- Sources -----------------------------------------------------------------------------------------------------*/

/* The pool here whose components are removed if the source does not have them; or NULL. */
static covey_pool *pool_to_thin(const merging *m, const covey_pool *from) {
    covey_pool *to = covey__is_internal(from) ? NULL : covey__pool_named(m->to, from->type->name);
    bool thins = to && !covey__merging_keeps(m, to->type) && (m->since == 0 || !to->type->ticks);
    return thins ? to : NULL;
}

/* To find removed components, each pool is compared by the entities of the source or by its own components, whichever
 * are fewer. The latter needs a map from entities here to those of the source. Returns whether that map saves more than
 * it costs. */
static bool wants_sources(const merging *m) {
    uint64_t saved = 0;
    for (uint32_t i = 0; i < m->from->pool_count && saved <= 4 * (uint64_t)m->room; i++) {
        const covey_pool *to = pool_to_thin(m, m->from->pools[i]);
        if (to && covey_pool_count(to) < m->room) saved += m->room - covey_pool_count(to);
    }
    return saved > 4 * (uint64_t)m->room;
}

static covey_result map_sources(merging *m) {
    covey_result result = COVEY_OK;
    covey_entity e = null_entity;
    if (!wants_sources(m)) return COVEY_OK;
    m->sources = covey__handle_map(&m->heap);
    m->leaving = covey__resize(&m->heap, NULL, 0, m->room, sizeof *m->leaving, alignof(covey__leaving));
    if (!m->sources || !m->leaving) return COVEY_ERROR_MEMORY;
    for (uint32_t i = 0; i < m->room && result == COVEY_OK; i++) {
        e = covey_entity_next(m->from, e);
        result = covey_sparse_set_push(m->sources, m->entities[i], &e);
    }
    return result;
}

covey_result covey__follow_prepare(merging *m) {
    covey_result result = make_nodes(m);
    if (result == COVEY_OK) result = make_all_bits(m);
    if (result == COVEY_OK) result = map_sources(m);
    if (result == COVEY_OK) result = prepare_names(m);
    return result;
}

static void free_text(merging *m, covey__renaming *renaming) {
    m->to->inner->borrowed -= renaming->length + 1u;
    covey__name_text_free(m->to, renaming->text, renaming->length);
    renaming->text = NULL;
}

void covey__follow_undo(merging *m) {
    for (uint32_t i = 0; i < m->renaming_count; i++) {
        if (m->renamings[i].text) free_text(m, &m->renamings[i]);
        else covey__name_remove(m->to, m->renamings[i].index);
    }
    m->renaming_count = 0;
}

/* ---- Committing --------------------------------------------------------------------------------------------------*/

/* New entities have only components that were just added: when the last of these is settled, they join groups. */
static void settle_new(const merging *m) {
    for (uint32_t i = 0; i < m->part_count; i++)
        if (m->parts[i].bits) m->parts[i].to->observers->settling = true;
    for (uint32_t i = 0; i < m->part_count; i++) {
        const covey__merged *p = &m->parts[i];
        if (!p->bits) continue;
        p->to->observers->settling = false;
        for (uint32_t k = 0; k < p->added; k++)
            if (covey__has_bit(m->is_new, p->picked[k].index)) covey__groups_added(p->to, p->picked[k].index);
    }
}

/* Entities that existed before have other components: settles each of them on its own. */
static void settle_old(const merging *m, uint32_t index) {
    for (uint32_t i = m->grouped; i != COVEY__NO_NODE; i = m->parts[i].grouped)
        if (covey__has_bit(m->parts[i].bits, index)) m->parts[i].to->observers->settling = true;
    for (uint32_t i = m->grouped; i != COVEY__NO_NODE; i = m->parts[i].grouped) {
        const covey__merged *p = &m->parts[i];
        if (!covey__has_bit(p->bits, index)) continue;
        p->to->observers->settling = false;
        covey__groups_added(p->to, index);
    }
}

/* Like covey__changes_settle, for components that are added to entities with other components. */
void covey__follow_settle(merging *m) {
    for (uint32_t i = 0; i < m->part_count; i++) {
        const covey__merged *p = &m->parts[i];
        for (uint32_t k = 0; k < p->added && p->to->type->ticks; k++) covey__ticks_note(p->to, p->picked[k].index);
        if (p->added != 0 && p->to->observers && p->to->observers->keeps_order)
            covey__order_insert_many(p->to, &p->to->observers->order, p->picked, p->added);
    }
    settle_new(m);
    for (uint32_t i = 0; i < m->room && m->grouped != COVEY__NO_NODE; i++)
        if (!covey__has_bit(m->is_new, m->entities[i].index)) settle_old(m, m->entities[i].index);
}

/* Whether an ancestor of an index follows the source, or did before this image. */
static bool is_below_follower(const merging *m, uint32_t index) {
    while ((index = covey__parent_of(m->to, index)) != COVEY_NONE)
        if (covey__has_bit(m->follows, index)) return true;
    return false;
}

/* Roots of the source keep a parent that this world has given them, unless that parent or one of its ancestors follows
 * the source: so there are no cycles. */
static void free_roots(const merging *m) {
    covey_entity e = null_entity;
    for (uint32_t i = 0; i < m->room; i++) {
        e = covey_entity_next(m->from, e);
        if (covey_is_null(covey_parent(m->from, e)) && is_below_follower(m, m->entities[i].index))
            covey__hierarchy_move(m->to, m->entities[i].index, COVEY_NONE);
    }
}

/* Orders children as in the source, after children that this world has added. */
static void link_children(const merging *m) {
    uint32_t at = 0;
    for (covey_entity parent = next_parent(m, &at); !covey_is_null(parent); parent = next_parent(m, &at)) {
        covey_entity child = covey_child_first(m->from, parent);
        for (; !covey_is_null(child); child = covey_child_next(m->from, child))
            covey__hierarchy_move(m->to, covey__merging_now(m, child).index, covey__merging_now(m, parent).index);
    }
}

/* The next entity that an earlier image has made and that is not in this one; null at the end. */
static covey_entity next_gone(const merging *m, const covey_sparse_set *before, uint32_t *at) {
    for (; (*at = covey_sparse_set_next(before, *at)) != COVEY_NONE; ++*at)
        if (!covey_sparse_set_get(m->known, covey_sparse_set_at(before, *at)))
            return *(const covey_entity *)covey_sparse_set_value_at(before, (*at)++);
    return null_entity;
}

/* Removes the names of entities that are no longer in the source. */
static void free_names(const merging *m) {
    uint32_t at = 0;
    covey_entity e = next_gone(m, m->follower->known, &at);
    for (; !covey_is_null(e); e = next_gone(m, m->follower->known, &at))
        if (covey_alive(m->to, e)) covey__name_remove(m->to, e.index);
}

/* Sets the new names whose texts were allocated before, and removes names that the source does not have. */
static void rename_all(merging *m) {
    covey_entity e = null_entity;
    for (uint32_t i = 0; i < m->renaming_count; i++) {
        covey__renaming *r = &m->renamings[i];
        if (!r->text) continue;
        m->to->inner->borrowed -= r->length + 1u;
        covey__name_exchange(m->to, r->index, &r->text, &r->length);
        covey__name_text_free(m->to, r->text, r->length);
        r->text = NULL;
    }
    for (uint32_t i = 0; i < m->room; i++) {
        e = covey_entity_next(m->from, e);
        if (!covey__name_of(m->from, e.index)) covey__name_remove(m->to, m->entities[i].index);
    }
}

/* A sibling of this world's own keeps its name; the entity of the source then has none. */
static void settle_names(const merging *m) {
    for (uint32_t i = 0; i < m->room; i++) {
        uint32_t index = m->entities[i].index;
        if (covey__name_clashes(m->to, index, covey__parent_of(m->to, index))) covey__name_remove(m->to, index);
    }
}

/* From here on, the follower knows the handles of this image. */
void covey__follow_commit(merging *m) {
    free_roots(m);
    link_children(m);
    free_names(m);
    rename_all(m);
    settle_names(m);
    m->known_before = m->follower->known;
    m->follower->known = m->known;
    m->known->heap.budget = NULL; /* a follower may outlive its world */
}

/* ---- Removing ----------------------------------------------------------------------------------------------------*/

static void destroy_gone(const merging *m) {
    uint32_t at = 0;
    covey_entity e = next_gone(m, m->known_before, &at);
    for (; !covey_is_null(e); e = next_gone(m, m->known_before, &at)) covey_destroy(m->to, e);
}

static int compare_leaving(const void *a, const void *b) {
    const covey__leaving *x = a, *y = b;
    return x->source < y->source ? -1 : x->source > y->source;
}

/* Removes components that are not in the image, by visiting those here, which are fewer than the entities of the
 * source. */
static void remove_few(const merging *m, const covey_pool *from, covey_pool *to) {
    uint32_t count = 0;
    for (uint32_t at = covey_pool_next(to, 0); at != COVEY_NONE; at = covey_pool_next(to, at + 1)) {
        covey_entity here = covey_pool_at(to, at);
        const covey_entity *source = covey_sparse_set_get(m->sources, here);
        if (source && !covey__has_index(from, source->index))
            m->leaving[count++] = (covey__leaving){ source->index, here };
    }
    if (count != 0) qsort(m->leaving, count, sizeof *m->leaving, compare_leaving);
    for (uint32_t i = 0; i < count; i++) covey_pool_remove_raw(to, m->leaving[i].here);
}

/* Removes components of one type that are not in the image, in the order of the source. */
static void remove_from(const merging *m, const covey_pool *from, covey_pool *to) {
    covey_entity e = null_entity;
    if (m->sources && covey_pool_count(to) < m->room) {
        remove_few(m, from, to);
        return;
    }
    for (uint32_t i = 0; i < m->room && covey_pool_count(to) != 0; i++) {
        e = covey_entity_next(m->from, e);
        if (!covey__has_index(from, e.index) && covey_alive(m->to, m->entities[i]))
            covey_pool_remove_raw(to, m->entities[i]);
    }
}

void covey__follow_remove(merging *m) {
    destroy_gone(m);
    for (uint32_t i = 0; i < m->from->pool_count; i++) {
        covey_pool *to = pool_to_thin(m, m->from->pools[i]);
        if (to) remove_from(m, m->from->pools[i], to);
    }
    if (m->to->inner->disabled) remove_from(m, m->from->inner->disabled, m->to->inner->disabled);
}

/* Frees what following needs, and the follower's old map. */
void covey__follow_free(merging *m) {
    covey__free(&m->heap, m->renamings, m->renaming_room, sizeof *m->renamings, alignof(covey__renaming));
    covey__free(&m->heap, m->follows, m->words, sizeof *m->follows, alignof(uint64_t));
    covey__free(&m->heap, m->is_new, m->words, sizeof *m->is_new, alignof(uint64_t));
    for (uint32_t i = 0; i < m->part_count; i++)
        covey__free(&m->heap, m->parts[i].bits, m->words, sizeof *m->parts[i].bits, alignof(uint64_t));
    covey__free(&m->heap, m->leaving, m->leaving ? m->room : 0, sizeof *m->leaving, alignof(covey__leaving));
    if (m->sources) covey_sparse_set_destroy(m->sources);
    if (m->known_before) m->known = m->known_before;
}

/* ---- The call ----------------------------------------------------------------------------------------------------*/

/* Why a follower cannot read an image now; NULL if it can. */
static const char *objection(const covey_follower *follower) {
    const covey_world *world = follower->dependent.world;
    if (!world) return "its world was destroyed: destroy the follower, too";
    bool called = follower->dependent.busy || world->inner->emission;
    return called ? "a listener is being called: do it after the call that the listener is part of has returned" : NULL;
}

covey_result covey_follow_from_memory(covey_follower *follower, const void *bytes, size_t size,
                                      const covey_load_desc *desc, covey_report *report) {
    covey_report unheard;
    COVEY__CONTRACT(NULL, follower, "a call needs a follower");
    covey_world *world = follower->dependent.world;
    COVEY__NEEDS_ARRAY(world, bytes, size);
    if (world && COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    merging m = { .to = world, .desc = desc, .follower = follower };
    const char *why_not = objection(follower);
    covey_result result = COVEY_ERROR_REFUSED;
    if (!report) report = &unheard;
    *report = (covey_report){ .result = result };
    if (why_not) {
        snprintf(report->text, sizeof report->text, "%s", why_not);
    } else {
        follower->dependent.busy = true;
        result = covey__merge_image(&m, find_entities, bytes, size, report);
        follower->dependent.busy = false;
    }
    return world ? covey__report_to(world, report, result, "the image could not be followed") : result;
}
