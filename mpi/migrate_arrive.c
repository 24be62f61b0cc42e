/* Creating the entities that arrive, and removing those that left. */
#include "internal.h"

#include <covey/hierarchy.h>
#include <covey/shared.h>

static const covey_entity null_entity = { 0, 0 };

/* ---- Leaving -----------------------------------------------------------------------------------------------------*/

/* Covey itself has pools for parents, names and reactive sets. */
static bool is_library_type(const covey_type *type) {
    return strncmp(type->name, "covey.", 6) == 0 && strcmp(type->name, covey_id(covey_disabled)->name) != 0;
}

static void remove_name_and_parent(covey_world *world, covey_entity e) {
    covey_name_set(world, e, NULL);
    if (!covey_is_null(covey_parent(world, e))) covey_parent_set(world, e, null_entity);
}

bool covey__mpi_uses_hierarchy(const covey_mpi *mpi) {
    for (uint32_t i = 0; i < covey_world_pool_count(mpi->world); i++) {
        const covey_pool *pool = covey_world_pool(mpi->world, i);
        if (covey_pool_count(pool) != 0 && is_library_type(covey_pool_type(pool))) return true;
    }
    return false;
}

void covey__mpi_remove_components(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < covey_world_pool_count(mpi->world); i++) {
        covey_pool *pool = covey_world_pool(mpi->world, i);
        const covey_type *type = covey_pool_type(pool);
        if (pool == mpi->away || covey_pool_count(pool) == 0 || is_library_type(type)) continue;
        covey_remove_many_raw(mpi->world, entities, count, type);
    }
    bool hierarchy = covey__mpi_uses_hierarchy(mpi);
    for (uint32_t i = 0; hierarchy && i < count; i++) remove_name_and_parent(mpi->world, entities[i]);
}

static uint32_t run_of_homes(const covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    bool home = count != 0 && covey__mpi_is_home(mpi, entities[0]);
    uint32_t run = 0;
    while (run < count && covey__mpi_is_home(mpi, entities[run]) == home) run++;
    return run;
}

/* Splits a list by home. A mixed list is sorted in SCRATCH_GUESTS, which has room for it, and is valid until the next
 * call. */
static covey__mpi_homes split_by_home(const covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_GUESTS].bytes;
    uint32_t guests = 0, end = count;
    if (run_of_homes(mpi, entities, count) == count) {
        bool home = count != 0 && covey__mpi_is_home(mpi, entities[0]);
        return (covey__mpi_homes){ entities, entities, home ? 0 : count, home ? count : 0 };
    }
    for (uint32_t i = count; i-- != 0;)
        if (covey__mpi_is_home(mpi, entities[i])) list[--end] = entities[i];
    for (uint32_t i = 0; guests != end; i++)
        if (!covey__mpi_is_home(mpi, entities[i])) list[guests++] = entities[i];
    return (covey__mpi_homes){ list, list + guests, guests, count - guests };
}

/* Copies both parts to SCRATCH_GUESTS, where the caller may reorder them: guests, then the others. */
static covey_entity *copy_homes(const covey_mpi *mpi, covey__mpi_homes *h) {
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_GUESTS].bytes;
    uint32_t count = h->guest_count + h->own_count;
    if (h->guests != list && count != 0) memcpy(list, h->guests, count * sizeof *list);
    *h = (covey__mpi_homes){ list, list + h->guest_count, h->guest_count, h->own_count };
    return list;
}

/* Splits the entities of a message by home. Most messages have one kind only, which is known already. */
static covey__mpi_homes homes_of_message(const covey_mpi *mpi, const covey__mpi_incoming *in) {
    const covey__mpi_homes *known = &in->homes;
    if (known->guest_count == in->count || known->own_count == in->count) return *known;
    return split_by_home(mpi, in->entities, in->count);
}

void covey__mpi_departures_remove(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    covey__mpi_homes h = split_by_home(mpi, entities, count);
    covey__mpi_guests_set(mpi, h.guests, h.guest_count, false);
    covey_leave_many(mpi->world, h.guests, h.guest_count);
    covey__mpi_remove_components(mpi, h.own, h.own_count);
}

/* ---- Arriving ----------------------------------------------------------------------------------------------------*/

static covey_result refuse(covey_mpi *mpi, covey_result result, covey_entity e, const char *why) {
    return covey__mpi_fail(mpi, result, "%u:%u cannot arrive: %s", e.index, e.generation, why);
}

/* Entities whose home is here have covey_away, unless the program destroyed them. */
static covey_result check_own(covey_mpi *mpi, const covey_entity *own, uint32_t count) {
    if (covey_gather_raw(mpi->world, own, count, covey_id(covey_away), NULL, NULL) == count) return COVEY_OK;
    while (covey_pool_has(mpi->away, *own)) own++;
    return refuse(mpi, COVEY_ERROR_TAKEN, *own, "it was destroyed at home while it was away");
}

static covey_result check_guests(covey_mpi *mpi, const covey_entity *guests, uint32_t count) {
    for (uint32_t i = 0; i < count; i++) {
        covey_entity e = guests[i];
        if (covey_is_null(e) || e.index < mpi->first_index ||
            (e.index >= mpi->first_ranges_end && covey_mpi_home(mpi, e) < 0))
            return refuse(mpi, COVEY_ERROR_IMAGE, e, "its index is in no range");
    }
    return COVEY_OK;
}

/* Moves ghosts to the end of a list, and returns how many others there are. */
static uint32_t move_ghosts_last(const covey_mpi *mpi, covey_entity *list, uint32_t count) {
    uint32_t end = count;
    for (uint32_t i = 0; i < end;) {
        covey_entity e = list[i];
        if (!covey_pool_has(mpi->ghost, e)) {
            i++;
            continue;
        }
        list[i] = list[--end];
        list[end] = e;
    }
    return end;
}

/* Creates the guests of a message with their handles. Other entities exist already: as ghosts, or with covey_away. */
static covey_result create_guests(covey_mpi *mpi, covey__mpi_incoming *in) {
    covey__mpi_homes h = in->homes = split_by_home(mpi, in->entities, in->count);
    uint32_t made = h.guest_count;
    covey_result checked = check_own(mpi, h.own, h.own_count);
    if (checked == COVEY_OK) checked = check_guests(mpi, h.guests, h.guest_count);
    if (checked != COVEY_OK) return checked;
    covey__mpi_ghosts_remove_stale(mpi, h.guests, h.guest_count);
    in->ghosts = covey__mpi_ghosts_count_among(mpi, in->entities, in->count);
    if (in->ghosts != 0) made = move_ghosts_last(mpi, copy_homes(mpi, &h), h.guest_count);
    if (!covey_create_exact(mpi->world, h.guests, made, COVEY_EXACT_AGAIN)) {
        covey_result result = covey_world_result(mpi->world);
        return covey__mpi_fail(mpi, result, "entities from rank %d cannot be created: %s", in->source,
                               covey_result_text(result));
    }
    in->created = true;
    if (!covey__mpi_guests_reserve(mpi, h.guests, h.guest_count))
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u guests", h.guest_count);
    covey__mpi_guests_set(mpi, h.guests, h.guest_count, true);
    in->noted = true;
    return COVEY_OK;
}

static const covey_entity *entities_of(covey_mpi *mpi, const covey__mpi_incoming *in, const covey__mpi_part *part) {
    if (!part->positions) return in->entities;
    covey_entity *list = covey__mpi_scratch_reserve(mpi, SCRATCH_LISTED, (uint64_t)part->count * sizeof *list);
    for (uint32_t i = 0; list && i < part->count; i++) list[i] = in->entities[part->positions[i]];
    return list;
}

static covey_result fail_to_add(covey_mpi *mpi, const covey_type *type, covey_result result) {
    return covey__mpi_fail(mpi, result, "%s cannot be added to arrivals: %s", type->name, covey_result_text(result));
}

static covey_result add_column(covey_mpi *mpi, covey__mpi_incoming *in, uint32_t c) {
    const covey__mpi_column *column = &mpi->columns[c];
    const covey__mpi_part *part = &in->parts[c];
    if (part->count == 0 || column->by_image) return COVEY_OK;
    if (in->ghosts != 0) return covey__mpi_ghosts_promote_column(mpi, in, c);
    const covey_entity *entities = entities_of(mpi, in, part);
    if (!entities) return fail_to_add(mpi, column->type, COVEY_ERROR_MEMORY);
    if (covey_add_array_raw(mpi->world, entities, part->count, column->type, part->values)) return COVEY_OK;
    return fail_to_add(mpi, column->type, covey_world_result(mpi->world));
}

/* ---- By image ----------------------------------------------------------------------------------------------------*/

static covey_result move_value(covey_mpi *mpi, covey_world *from, covey_entity e, const covey_type *type) {
    void *value = covey__mpi_scratch_reserve(mpi, SCRATCH_VALUE, type->size);
    if (!value) return fail_to_add(mpi, type, COVEY_ERROR_MEMORY);
    if (!covey_take_raw(from, e, type, value))
        return covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "the image of arrivals lacks %s of %u:%u", type->name, e.index,
                               e.generation);
    if (covey_add_raw(mpi->world, e, type, value)) return COVEY_OK;
    covey_result result = fail_to_add(mpi, type, covey_world_result(mpi->world));
    if (result != COVEY_ERROR_GONE && type->drop) type->drop(value, type->context);
    return result;
}

static covey_result move_values(covey_mpi *mpi, const covey__mpi_incoming *in, covey_world *from) {
    for (uint32_t c = 0; c < mpi->column_count; c++) {
        const covey__mpi_part *part = &in->parts[c];
        for (uint32_t i = 0; mpi->columns[c].by_image && i < part->count; i++) {
            covey_entity e = in->entities[part->positions ? part->positions[i] : i];
            covey_result result = move_value(mpi, from, e, mpi->columns[c].type);
            if (result != COVEY_OK) return result;
        }
    }
    return COVEY_OK;
}

static bool any_by_image(const covey_mpi *mpi, const covey__mpi_incoming *in) {
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (mpi->columns[c].by_image && in->parts[c].count != 0) return true;
    return false;
}

/* Loads the image into a temporary world, where entities have the same handles, and moves the values from there. */
static covey_result add_image(covey_mpi *mpi, const covey__mpi_incoming *in) {
    if (!any_by_image(mpi, in)) return COVEY_OK;
    covey_world *from = covey__mpi_world_create(mpi);
    if (!from) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for an image of arrivals");
    covey_report report = { .result = COVEY_OK };
    for (uint32_t c = 0; c < mpi->column_count && report.result == COVEY_OK; c++)
        if (!covey_pool_of_raw(from, mpi->columns[c].type)) report.result = covey_world_result(from);
    covey_load_desc desc = { .limit_bytes = covey__mpi_image_limit(mpi, in->image_bytes) };
    if (report.result == COVEY_OK) (void)covey_load_from_memory(from, in->image, in->image_bytes, &desc, &report);
    covey_result result = report.result;
    if (result == COVEY_OK) result = move_values(mpi, in, from);
    else covey__mpi_fail(mpi, result, "the image of arrivals from rank %d is refused: %s", in->source, report.text);
    covey_world_destroy(from);
    return result;
}

/* ---- Disabled, parents, names--------------------------------------------------------------------------------------*/

static covey_result disable_components(covey_mpi *mpi, const covey__mpi_incoming *in) {
    for (uint32_t i = 0; i < in->disabled_count; i++) {
        const covey_type *type = mpi->columns[in->disabled[i].column].type;
        covey_result result = covey_component_disable_raw(mpi->world, in->entities[in->disabled[i].position], type);
        if (result != COVEY_OK) return fail_to_add(mpi, type, result);
    }
    return COVEY_OK;
}

static covey_result set_parents(covey_mpi *mpi, const covey__mpi_incoming *in) {
    for (uint32_t i = 0; i < in->link_count; i++) {
        covey_entity child = in->entities[in->links[i].child], parent = in->entities[in->links[i].parent];
        covey_result result = covey_parent_set(mpi->world, child, parent);
        if (result != COVEY_OK) return refuse(mpi, result, child, "its parent cannot be set");
    }
    return COVEY_OK;
}

/* Drops names that a sibling has, as merging images does. */
static covey_result set_names(covey_mpi *mpi, const covey__mpi_incoming *in) {
    const unsigned char *at = in->names;
    for (uint32_t i = 0; i < in->name_count; i++) {
        uint32_t parts[2];
        memcpy(parts, at, sizeof parts);
        char *text = covey__mpi_scratch_reserve(mpi, SCRATCH_VALUE, parts[1] + UINT64_C(1));
        if (!text) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for a name");
        memcpy(text, at + sizeof parts, parts[1]);
        text[parts[1]] = '\0';
        covey_result result = covey_name_set(mpi->world, in->entities[parts[0]], text);
        if (result != COVEY_OK && result != COVEY_ERROR_PRESENT)
            return refuse(mpi, result, in->entities[parts[0]], "its name cannot be set");
        at += sizeof parts + (parts[1] + 3) / 4 * 4;
    }
    return COVEY_OK;
}

covey_result covey__mpi_arrivals_create(covey_mpi *mpi, covey__mpi_incoming *in) {
    covey_result result = create_guests(mpi, in);
    for (uint32_t c = 0; c < mpi->column_count && result == COVEY_OK; c++) result = add_column(mpi, in, c);
    if (result == COVEY_OK) result = add_image(mpi, in);
    if (result == COVEY_OK) result = disable_components(mpi, in);
    if (result == COVEY_OK) result = set_parents(mpi, in);
    return result == COVEY_OK ? set_names(mpi, in) : result;
}

void covey__mpi_arrivals_commit(covey_mpi *mpi, const covey__mpi_incoming *in) {
    covey__mpi_homes h = homes_of_message(mpi, in);
    covey_remove_many(mpi->world, h.own, h.own_count, covey_away);
    if (in->ghosts != 0) covey__mpi_ghosts_promote_commit(mpi, in);
    mpi->stats.entities_received += in->count;
}

void covey__mpi_arrivals_undo(covey_mpi *mpi, const covey__mpi_incoming *in) {
    if (!in->created) return;
    covey__mpi_homes h = homes_of_message(mpi, in);
    uint32_t made = h.guest_count, others = h.own_count;
    if (in->noted) covey__mpi_guests_set(mpi, h.guests, h.guest_count, false);
    if (in->ghosts != 0) {
        covey_entity *list = copy_homes(mpi, &h);
        covey__mpi_ghosts_promote_undo(mpi, in);
        made = move_ghosts_last(mpi, list, h.guest_count);
        others = move_ghosts_last(mpi, list + h.guest_count, h.own_count);
    }
    covey_leave_many(mpi->world, h.guests, made);
    covey__mpi_remove_components(mpi, h.own, others);
}
