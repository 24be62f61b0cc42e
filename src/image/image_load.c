/* Loads an image into an empty world. Nothing in the image is trusted: every number is checked before it is used.
 * Storages are built in place; if the image turns out to be wrong, they are emptied or restored. Checksums are computed
 * while values are copied. */
#include "image/image_load.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "change/commands.h"
#include "change/entity.h"
#include "image/file.h"
#include "tree/hierarchy.h"
#include "tree/name.h"
#include "tree/node.h"
#include "observe/observers.h"
#include "memory/pages.h"
#include "change/pool.h"
#include "observe/queue.h"
#include "change/resource.h"
#include "memory/result.h"
#include "observe/signal.h"
#include "storage/storage.h"
#include "observe/tick.h"
#include "memory/tick_page.h"
#include "storage/type.h"
#include "observe/notify.h"

#include <covey/hierarchy.h>
#include <stdalign.h>
#include <stdio.h>

static bool fail_load(covey__loading *l, covey_result result, const char *text) {
    if (!covey__is_fine(l)) return false;
    l->report->result = result;
    snprintf(l->report->text, sizeof l->report->text, "%s", text);
    return false;
}

bool covey__out_of_memory(covey__loading *l) {
    return fail_load(l, COVEY_ERROR_MEMORY, "an allocation failed: the world is unchanged");
}

void covey__tell_progress(covey__loading *l, uint64_t done) {
    const covey_load_desc *desc = l->desc;
    if (!desc->progress || done - l->told < COVEY__PROGRESS_EVERY) return;
    l->told = done;
    if (!desc->progress(done, l->image.whole.end, desc->progress_context))
        fail_load(l, COVEY_ERROR_CANCELLED, "the progress function cancelled the call");
}

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

static uint64_t most_bytes(const covey_load_desc *desc, uint64_t size) {
    return desc->limit_bytes != 0 ? desc->limit_bytes : covey__usual_bytes(size);
}

static void refuse_memory(covey_report *report, uint64_t most, uint64_t offset) {
    *report = (covey_report){ .result = COVEY_ERROR_LIMIT, .fault = COVEY_FAULT_LIMIT, .offset = offset };
    snprintf(
        report->text, sizeof report->text,
        "loading takes more than %llu bytes of memory: raise limit_bytes, or --limit-bytes of covey-snap (default: "
        "64 MB, and 64 for each byte of the input)",
        (unsigned long long)most);
}

void covey__limit_begin(covey_world *world, const covey_load_desc *desc, size_t size) {
    covey__budget_begin(world->inner->heap.budget, most_bytes(desc, size));
}

void covey__limit_end(covey_world *world, const covey_load_desc *desc, size_t size, covey_report *report) {
    bool exceeded = covey__budget_end(world->inner->heap.budget);
    if (exceeded && report->result == COVEY_ERROR_MEMORY) refuse_memory(report, most_bytes(desc, size), report->offset);
}

bool covey__may_take(const covey__loading *l, covey__reader *reader, uint64_t bytes) {
    bool may = bytes <= l->world->inner->heap.budget->left;
    if (!may && covey__is_fine(l)) refuse_memory(l->report, most_bytes(l->desc, l->image.whole.end), reader->at);
    return covey__is_fine(l);
}

bool covey__take_for_codecs(covey__loading *l, covey__reader *reader) {
    uint64_t bytes = (reader->end - reader->at) * UINT64_C(2);
    return covey__may_take(l, reader, bytes) && covey__budget_take(l->world->inner->heap.budget, bytes);
}

/* ---- Limits ------------------------------------------------------------------------------------------------------*/

bool covey__allows(covey__reader *reader, size_t offset, uint64_t count, covey__bound bound) {
    uint64_t most = bound.limit != 0 ? bound.limit : bound.usual;
    if (count > most)
        covey__refuse(reader, COVEY_FAULT_LIMIT, offset, "the image has %llu %s; %s allows %llu",
                      (unsigned long long)count, bound.what, bound.name, (unsigned long long)most);
    return covey__is_sound(reader);
}

void covey__expect_end(const covey__loading *l, covey__reader *reader) {
    if (covey__is_fine(l) && reader->at != reader->end)
        covey__refuse(reader, COVEY_FAULT_STRUCTURE, reader->at, "a section has extra bytes at its end");
}

/* ---- Parents and names -------------------------------------------------------------------------------------------*/

static void load_children(covey__loading *l, covey__reader *reader) {
    covey_world *world = l->world;
    size_t at = reader->at;
    uint32_t parent = covey__read_u32(reader), count = covey__read_u32(reader);
    const unsigned char *children = covey__read_many(reader, count, 4);
    if (!covey__is_fine(l)) return;
    if (!covey__is_alive(world, parent) || count == 0)
        covey__refuse(reader, COVEY_FAULT_PARENT, at, "a parent is not alive, or has no children");
    for (uint32_t i = 0; i < count && covey__is_fine(l); i++) {
        uint32_t child = covey__u32_at(children + (size_t)i * 4);
        bool fits = covey__is_alive(world, child) && child != parent && covey__parent_of(world, child) == COVEY_NONE;
        if (!fits)
            covey__refuse(reader, COVEY_FAULT_PARENT, at + 8 + (size_t)i * 4,
                          "index %u cannot be a child: it is not alive, is the parent or has a parent already", child);
        else if (!covey__hierarchy_link(world, covey__entity_at(world, child), covey__entity_at(world, parent)))
            covey__out_of_memory(l);
    }
}

static void load_parents(covey__loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint32_t count = covey__read_u32(&reader);
    for (uint32_t i = 0; i < count && covey__is_fine(l); i++) load_children(l, &reader);
    covey__expect_end(l, &reader);
    if (!covey__is_fine(l)) return;
    uint32_t depth;
    if (covey__hierarchy_is_sound(l->world, &depth))
        covey__allows(
            &reader, section->offset, depth,
            (covey__bound){ "ancestors of one entity", "limit_depth", l->desc->limit_depth, COVEY__DEPTH_USUAL });
    else covey__refuse(&reader, COVEY_FAULT_PARENT, section->offset, "an entity is its own ancestor");
}

static void load_name(covey__loading *l, covey__reader *reader) {
    char text[UINT16_MAX + 1];
    size_t at = reader->at;
    uint32_t index = covey__read_u32(reader), length = covey__read_u16(reader);
    const unsigned char *from = covey__read(reader, length);
    if (!from) return;
    memcpy(text, from, length);
    text[length] = '\0';
    covey_result result = COVEY_ERROR_DEAD;
    bool may_be = length != 0 && !memchr(text, 0, length) && covey__is_alive(l->world, index);
    if (may_be && !covey_name(l->world, covey__entity_at(l->world, index)))
        result = covey_name_set(l->world, covey__entity_at(l->world, index), text);
    if (result == COVEY_ERROR_MEMORY) covey__out_of_memory(l);
    else if (result != COVEY_OK)
        covey__refuse(reader, COVEY_FAULT_NAME, at,
                      "index %u cannot have its name: it is not alive, has one already, or a sibling has it", index);
}

static void load_names(covey__loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint32_t count = covey__read_u32(&reader);
    covey__allows(&reader, section->offset, count,
                  (covey__bound){ "names", "limit_names", l->desc->limit_names, COVEY__NAMES_USUAL });
    for (uint32_t i = 0; i < count && covey__is_fine(l); i++) load_name(l, &reader);
    covey__expect_end(l, &reader);
}

/* ---- Observers ---------------------------------------------------------------------------------------------------*/

/* Lists the changes for observers, except for created entities: list_created does that. */
static void list_changes(covey__loading *l) {
    l->changes[l->change_count++] = (covey__change){ .told = { .signal = COVEY_ON_CREATE } };
    for (uint32_t i = 0; i < l->part_count; i++) {
        const covey__part *p = &l->parts[i];
        if (!p->entities) continue;
        l->changes[l->change_count++] = (covey__change){
            .told = { .pool = p->pool, .signal = COVEY_ON_ADD, .entities = p->entities, .count = p->count }
        };
    }
}

/* The tick of the world never decreases. Values of types that had no ticks count as changed now. */
static void load_ticks(covey__loading *l, const covey__part *p) {
    if (!p->pool->type->ticks) return;
    for (uint32_t i = 0; i < p->count && covey__is_fine(l); i++) {
        uint64_t tick = p->ticks ? covey__u64_at(p->ticks + (size_t)i * 8) : l->world->inner->tick;
        covey__ticks_put(p->pool, p->entities[i].index, tick);
        if (tick == 0 || tick > l->world->inner->tick)
            covey__refuse(&l->image.whole, COVEY_FAULT_STRUCTURE, (size_t)(p->ticks - l->image.whole.bytes) + i * 8,
                          "a %.100s has a tick of 0, or one after the tick of the image", p->pool->type->name);
    }
}

static void load_disabled(covey__loading *l, const covey__part *p) {
    const covey_type *type = p->pool->type;
    uint64_t mask;
    for (uint32_t i = 0; i < p->disabled && covey__is_fine(l); i++) {
        size_t at = (size_t)(p->disabled_masks - l->image.whole.bytes) + (size_t)i * 12;
        uint64_t first = (uint64_t)covey__block_at(p->disabled_masks, i, &mask) * COVEY__BLOCK_IDS;
        if (mask == 0)
            covey__refuse(&l->image.whole, COVEY_FAULT_STRUCTURE, at,
                          "a block of disabled components has an empty mask");
        for (; mask != 0 && covey__is_fine(l); mask &= mask - 1) {
            uint64_t index = first + covey__lowest_bit(mask);
            bool there = covey__is_alive(l->world, index) && covey__has_index(p->pool, (uint32_t)index);
            if (!there) covey__refuse(&l->image.whole, COVEY_FAULT_ENTITY, at, "a component is disabled, but absent");
            else if (covey_component_disable_raw(l->world, covey__entity_at(l->world, (uint32_t)index), type) !=
                     COVEY_OK)
                covey__out_of_memory(l);
        }
    }
}

static void list_created(covey__loading *l) {
    const covey_world *world = l->world;
    if (!world->listeners) return;
    l->created = covey__resize(&l->heap, NULL, 0, world->alive, sizeof *l->created, alignof(covey_entity));
    if (!l->created) {
        if (world->alive != 0) covey__out_of_memory(l);
        return;
    }
    covey_entity e = covey_entity_next(world, (covey_entity){ 0, 0 });
    for (; !covey_is_null(e); e = covey_entity_next(world, e)) l->created[l->created_count++] = e;
    if (covey__listeners_prepare_events(world, world->listeners, COVEY_ON_CREATE, l->created_count) != COVEY_OK)
        covey__out_of_memory(l);
}

static void prepare_telling(covey__loading *l) {
    list_created(l);
    l->changes[0].told.entities = l->created;
    l->changes[0].told.count = l->created_count;
    if (covey__changes_reserve_queues(l->world, l->changes, l->change_count, true) != COVEY_OK) covey__out_of_memory(l);
}

/* ---- All together ------------------------------------------------------------------------------------------------*/

static void drop_resources(const covey__loading *l) {
    const covey_world *world = l->world;
    for (uint32_t i = covey_world_resource_count(world); i-- != 0;) {
        const covey_type *type = covey_world_resource(world, i);
        covey__drop_loaded(l->knows, type, covey_resource_get_raw(world, type));
    }
}

/* Also frees ticks: without components they mean nothing, and ticks of whole blocks would apply to components that are
 * loaded. */
static void erase_all(covey_pool *pool) {
    covey__pool_erase_all(pool);
    if (pool->observers) covey__tick_pages_free(&pool->world->inner->heap, &pool->observers->ticks);
}

/* Whether removal has left holes or dead elements in an empty pool. */
static bool has_remains(const covey_pool *pool) {
    const covey_sparse_set *set = covey__packed_in(pool);
    return set && set->end + set->dead != 0;
}

/* Empties a pool of a world without entities. Holes and dead elements in it are put aside, to be restored if loading
 * fails. */
static void put_aside(covey__loading *l, covey_pool *pool) {
    if (has_remains(pool)) {
        l->aside[l->aside_count++] = *pool;
        covey__pool_init(pool, (covey_storage)pool->storage);
    }
    erase_all(pool);
}

/* Never allocates: the pool was marked in the same blocks before. */
static void restore_storage(covey__loading *l, const covey_pool *aside) {
    covey_pool *pool = l->world->pools[aside->number];
    covey__storage_free(pool);
    covey__storage_take(pool, aside);
    covey__storage_mark_all(pool);
    covey__pool_update(pool);
}

/* The program has not seen any value yet: drops only those that codecs have made. */
static void undo_load(covey__loading *l) {
    covey_world *world = l->world;
    const covey_pool *names = world->inner->names ? world->inner->names->pool : NULL;
    for (uint32_t at = 0; names && (at = covey_pool_next(names, at)) != COVEY_NONE;)
        covey__name_remove(world, covey_pool_at(names, at).index);
    if (world->inner->nodes) covey__pool_erase_all(world->inner->nodes);
    drop_resources(l);
    covey__resources_erase_all(world);
    for (uint32_t i = 0; i < l->part_count; i++) {
        covey__part *p = &l->parts[i];
        if (!p->pool) continue;
        covey__drop_part(l, p);
        erase_all(p->pool);
        covey__part_convert_back(p);
        if (p->pool->observers) p->pool->observers->settling = false;
    }
    while (l->aside_count != 0) restore_storage(l, &l->aside[--l->aside_count]);
    covey__entities_reset(world);
    covey__table_restore(l);
    world->inner->tick = l->tick;
}

/* Whether the world has this reserved range after loading: its owner continues to use it. */
static bool has_range(const covey_world *world, const covey__range *range) {
    const covey__range *there = covey__range_of(world, range->first);
    return there != &world->range && there->first == range->first && there->end == range->end;
}

static void check_ranges(covey__loading *l) {
    for (uint32_t i = 0; i < l->before.inner.reserved_count && covey__is_fine(l); i++)
        if (!has_range(l->world, &l->before.inner.reserved[i]))
            fail_load(
                l, COVEY_ERROR_REFUSED,
                "the world has a reserved range that the image does not have: load into a world without it, or merge");
}

static void load_entities(covey__loading *l, const covey__section_entry *section) {
    covey__load_entities(l, section);
    check_ranges(l);
}

/* Kinds follow everything else in an image, but are loaded before components: merging creates entities by kind. */
static void load_kinds(covey__loading *l, covey__section_entry s) {
    while (s.kind && s.kind != COVEY_SECTION_KINDS) covey__section_next(&l->image, &s);
    if (s.kind && covey__section_check(&l->image, &s)) covey__load_kinds(l, &s);
    if (!covey__is_fine(l) || !l->entering || !l->entering->entered) return;
    covey_result result = l->entering->entered(l->entering->context);
    if (result != COVEY_OK) fail_load(l, result, covey_result_text(result));
}

static void load_pools(covey__loading *l) {
    for (uint32_t i = 0; i < l->part_count && covey__is_fine(l); i++) {
        covey__load_pool(l, &l->parts[i]);
        covey__tell_progress(l, l->parts[i].section.offset + l->parts[i].section.bytes);
    }
}

static void load_section(covey__loading *l, const covey__section_entry *section) {
    static void (*const loads[])(covey__loading * l, const covey__section_entry *section) = {
        [COVEY_SECTION_ENTITIES] = load_entities,
        [COVEY_SECTION_RESOURCE] = covey__load_resource,
        [COVEY_SECTION_PARENTS] = load_parents,
        [COVEY_SECTION_NAMES] = load_names,
    };
    if (section->kind != COVEY_SECTION_KINDS && covey__section_check(&l->image, section))
        loads[section->kind](l, section);
    covey__tell_progress(l, section->offset + section->bytes);
}

static void load_world(covey__loading *l, const covey__section_entry *section) {
    covey__reader reader = covey__section_reader(&l->image, section);
    uint64_t tick = covey__read_u64(&reader), alive = covey__read_u64(&reader);
    bool partial = covey__is_fine(l) && reader.at != reader.end;
    if (partial) l->since = covey__read_u64(&reader);
    covey__expect_end(l, &reader);
    if (covey__is_fine(l) && partial && l->since == 0)
        covey__refuse(&reader, COVEY_FAULT_STRUCTURE, section->offset + 16,
                      "the image is partial, but the tick that it begins after is 0");
    if (covey__is_fine(l) && tick == 0)
        covey__refuse(&reader, COVEY_FAULT_STRUCTURE, section->offset, "the tick of the image is 0");
    if (tick > l->world->inner->tick) l->world->inner->tick = tick;
    if (covey__is_fine(l) && alive != l->world->alive)
        covey__refuse(&reader, COVEY_FAULT_ENTITY, section->offset + 8,
                      "the number of living entities is not the one in the image's header");
}

/* Called when all components are loaded: updates observers, so that the world is valid again. Later steps, such as
 * names, call functions that may validate it. */
static void load_observers(covey__loading *l, const covey__section_entry *world) {
    if (covey__is_fine(l)) load_world(l, world);
    if (covey__is_fine(l)) list_changes(l);
    if (covey__is_fine(l)) prepare_telling(l);
    covey__changes_settle(l->changes, l->change_count, false);
    for (uint32_t i = 0; i < l->part_count && covey__is_fine(l); i++)
        if (l->parts[i].pool) load_ticks(l, &l->parts[i]);
    for (uint32_t i = 0; i < l->part_count && covey__is_fine(l); i++)
        if (l->parts[i].pool) load_disabled(l, &l->parts[i]);
}

/* Maps the handles in fields, if entities got other handles. */
static void map_all(covey__loading *l) {
    for (uint32_t i = 0; i < l->part_count; i++)
        if (l->parts[i].pool) covey__map_values(l->parts[i].pool, &l->raising);
    for (uint32_t i = 0; i < covey_world_resource_count(l->world); i++) {
        const covey_type *type = covey_world_resource(l->world, i);
        if (type->fields) covey__map_fields(type->fields, covey_resource_get_raw(l->world, type), &l->raising);
    }
}

static void load_all(covey__loading *l) {
    covey__image *image = &l->image;
    covey__section_entry world = covey__section_first(image), s = world;
    if (covey__section_check(image, &world)) covey__tell_progress(l, world.offset + world.bytes);
    covey__section_next(image, &s);
    if (covey__is_fine(l)) load_section(l, &s);
    covey__section_next(image, &s);
    for (; s.kind == COVEY_SECTION_POOL && covey__is_fine(l); covey__section_next(image, &s)) covey__open_pool(l, &s);
    if (covey__is_fine(l)) load_kinds(l, s);
    load_pools(l);
    load_observers(l, &world);
    for (; s.kind && covey__is_fine(l); covey__section_next(image, &s)) load_section(l, &s);
    if (covey__is_fine(l) && l->raised) map_all(l);
}

static void free_all(covey__loading *l) {
    for (uint32_t i = 0; i < l->part_count; i++) {
        covey__part *p = &l->parts[i];
        covey__described_free(&l->heap, &p->described);
        covey__plan_free(&l->heap, &p->plan);
        covey__free(&l->heap, p->entities, p->count, sizeof *p->entities, alignof(covey_entity));
    }
    covey__free(&l->heap, l->created, l->created_count, sizeof *l->created, alignof(covey_entity));
    covey__free(&l->heap, l->changes, l->part_capacity + 1, sizeof *l->changes, alignof(covey__change));
    covey__free(&l->heap, l->parts, l->part_capacity, sizeof *l->parts, alignof(covey__part));
    for (uint32_t i = 0; i < l->aside_count; i++) covey__storage_free(&l->aside[i]);
    covey__free(&l->heap, l->aside, l->aside_capacity, sizeof *l->aside, alignof(covey_pool));
    covey__table_free(l);
}

static bool reserve_aside(covey__loading *l) {
    for (uint32_t i = 0; i < l->world->pool_count; i++) l->aside_capacity += has_remains(l->world->pools[i]);
    if (l->aside_capacity == 0) return true;
    l->aside = covey__resize(&l->heap, NULL, 0, l->aside_capacity, sizeof *l->aside, alignof(covey_pool));
    return l->aside != NULL;
}

/* Whether an image can be loaded into the world; prepares it. */
static bool clear_way(covey__loading *l) {
    covey_world *world = l->world;
    if (world->inner->emission)
        return fail_load(l, COVEY_ERROR_REFUSED,
                         "a listener is being called: do it after the call that the listener is part of has returned");
    if (world->alive != 0 || covey_world_resource_count(world) != 0)
        return fail_load(l, COVEY_ERROR_REFUSED,
                         "the world has entities or resources: clear it, or merge the image instead");
    if (covey__commands_hold_ids(world))
        return fail_load(l, COVEY_ERROR_REFUSED, "a command buffer has reserved ids: replay or clear it first");
    if (covey__entities_never_used(world)) return true;
    if (!reserve_aside(l) || !covey__table_keep(l)) return covey__out_of_memory(l);
    for (uint32_t i = 0; i < world->pool_count; i++)
        if (!covey__is_internal(world->pools[i]) || world->pools[i] == world->inner->disabled)
            put_aside(l, world->pools[i]);
    return true;
}

/* Calls `merged` for entities that have another handle than in the image. */
static void tell_raised(const covey__loading *l) {
    const covey_load_desc *desc = l->desc;
    for (uint32_t at = 0; l->raised && desc->merged && (at = covey_sparse_set_next(l->raised, at)) != COVEY_NONE; at++)
        desc->merged(covey_sparse_set_at(l->raised, at),
                     *(const covey_entity *)covey_sparse_set_value_at(l->raised, at), desc->merged_context);
}

static bool allows_types(covey__loading *l) {
    uint64_t types = 0;
    covey__section_entry s = covey__section_first(&l->image);
    for (; s.kind; covey__section_next(&l->image, &s))
        types += s.kind == COVEY_SECTION_POOL || s.kind == COVEY_SECTION_RESOURCE;
    return covey__allows(&l->image.whole, l->image.table, types,
                         (covey__bound){ "types", "limit_types", l->desc->limit_types, COVEY__TYPES_USUAL });
}

static bool open_image(covey__loading *l, const void *bytes, size_t size) {
    if (!covey__image_open(&l->image, bytes, size, l->report) || !allows_types(l)) return false;
    l->part_capacity = l->image.sections;
    l->parts = covey__resize(&l->heap, NULL, 0, l->part_capacity, sizeof *l->parts, alignof(covey__part));
    l->changes = covey__resize(&l->heap, NULL, 0, l->part_capacity + 1, sizeof *l->changes, alignof(covey__change));
    return (l->parts && l->changes) || covey__out_of_memory(l);
}

static void load_or_undo(covey__loading *l) {
    covey_result before = l->world->inner->result;
    covey__silence(l->world, true); /* only one message is logged */
    load_all(l);
    if (!covey__is_fine(l)) undo_load(l);
    covey__silence(l->world, false);
    l->world->inner->result = before;
}

covey_result covey__load(covey_world *world, const covey_world *knows, const void *bytes, size_t size,
                         const covey_load_desc *desc, const covey__entering *entering, covey_report *report) {
    covey__loading l = { .world = world,
                         .knows = knows,
                         .desc = desc,
                         .entering = entering,
                         .report = report,
                         .part_root = COVEY__NO_NODE,
                         .tick = world->inner->tick,
                         .heap = { world->inner->heap.allocator, 0, world->inner->heap.budget } };
    bool merges = world->inner->heap.budget->is_set; /* merging has set a limit already */
    *report = (covey_report){ 0 };
    if (!merges) covey__limit_begin(world, desc, size);
    if (open_image(&l, bytes, size) && clear_way(&l)) load_or_undo(&l);
    if (!merges) covey__limit_end(world, desc, size, report);
    if (covey__is_fine(&l)) tell_raised(&l);
    if (covey__is_fine(&l)) covey__changes_emit(world, l.changes, l.change_count); /* from here on nothing fails */
    free_all(&l);
    COVEY__CHANGED(world);
    return report->result;
}

covey_result covey__report_to(covey_world *world, covey_report *report, covey_result result, const char *what) {
    if (result == COVEY_OK) return COVEY_OK;
    report->result = result;
    if (report->text[0] == '\0') snprintf(report->text, sizeof report->text, "%s", covey_result_text(result));
    return covey__fail(world, result, "%s: %s", what, report->text);
}

covey_result covey_load_from_memory(covey_world *world, const void *bytes, size_t size, const covey_load_desc *desc,
                                    covey_report *report) {
    static const covey_load_desc defaults = { 0 };
    covey_report unheard;
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    COVEY__NEEDS_ARRAY(world, bytes, size);
    if (COVEY__IN_HOOK(world)) return COVEY_ERROR_REFUSED;
    if (!report) report = &unheard;
    covey_result result = covey__load(world, world, bytes, size, desc ? desc : &defaults, NULL, report);
    return covey__report_to(world, report, result, "the image could not be loaded");
}
