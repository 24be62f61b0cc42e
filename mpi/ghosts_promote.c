/* Promoting ghosts: where an arriving entity has a ghost, the ghost becomes the entity. Its values are swapped with
 * those of the message, so that swapping again restores the ghost if the migration fails. */
#include "ghosts.h"

#include <covey/hierarchy.h>

uint32_t covey__mpi_ghosts_count_among(const covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    uint32_t found = 0;
    for (uint32_t i = 0; covey_pool_count(mpi->ghost) != 0 && i < count; i++)
        found += covey_pool_has(mpi->ghost, entities[i]);
    return found;
}

static bool in_ghosts(const covey_mpi *mpi, uint32_t column) {
    for (uint32_t c = 0; mpi->ghosts && c < mpi->ghosts->column_count; c++)
        if (mpi->ghosts->columns[c] == &mpi->columns[column]) return true;
    return false;
}

static covey_entity entity_of(const covey__mpi_incoming *in, const covey__mpi_part *part, uint32_t i) {
    return in->entities[part->positions ? part->positions[i] : i];
}

static void *value_of(const covey_mpi *mpi, const covey__mpi_incoming *in, uint32_t column, uint32_t i) {
    unsigned char *values = in->parts[column].values;
    return values ? values + (size_t)i * mpi->columns[column].type->size : NULL;
}

/* Its own inverse. */
static void swap_values(covey_mpi *mpi, const covey__mpi_incoming *in, uint32_t column) {
    const covey__mpi_part *part = &in->parts[column];
    for (uint32_t i = 0; part->values && i < part->count; i++) {
        covey_entity e = entity_of(in, part, i);
        if (covey_pool_has(mpi->ghost, e))
            covey_replace_raw(mpi->world, e, mpi->columns[column].type, value_of(mpi, in, column, i));
    }
}

static covey_result check_ghosts(covey_mpi *mpi, const covey__mpi_incoming *in, uint32_t column) {
    const covey__mpi_part *part = &in->parts[column];
    for (uint32_t i = 0; i < part->count; i++) {
        covey_entity e = entity_of(in, part, i);
        if (!covey_pool_has(mpi->ghost, e) || covey_pool_has(mpi->columns[column].pool, e)) continue;
        return covey__mpi_fail(mpi, COVEY_ERROR_ABSENT, "%u:%u cannot arrive: its ghost lost %s; do not change ghosts",
                               e.index, e.generation, mpi->columns[column].type->name);
    }
    return COVEY_OK;
}

covey_result covey__mpi_ghosts_promote_column(covey_mpi *mpi, covey__mpi_incoming *in, uint32_t column) {
    const covey__mpi_part *part = &in->parts[column];
    const covey_type *type = mpi->columns[column].type;
    bool exchanged = in_ghosts(mpi, column);
    covey_result result = exchanged ? check_ghosts(mpi, in, column) : COVEY_OK;
    if (result != COVEY_OK) return result;
    if (exchanged) swap_values(mpi, in, column);
    in->promoted = column + 1;
    for (uint32_t i = 0; i < part->count; i++) {
        covey_entity e = entity_of(in, part, i);
        if (exchanged && covey_pool_has(mpi->ghost, e)) continue;
        if (covey_add_raw(mpi->world, e, type, value_of(mpi, in, column, i))) continue;
        result = covey_world_result(mpi->world);
        return covey__mpi_fail(mpi, result, "%s cannot be added to arrivals: %s", type->name,
                               covey_result_text(result));
    }
    return COVEY_OK;
}

static void remove_added(covey_mpi *mpi, covey_entity e, bool hierarchy) {
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (!in_ghosts(mpi, c)) covey_pool_remove_raw(mpi->columns[c].pool, e);
        else covey_component_enable_raw(mpi->world, e, mpi->columns[c].type);
    if (!hierarchy) return;
    covey_name_set(mpi->world, e, NULL);
    if (!covey_is_null(covey_parent(mpi->world, e))) covey_parent_set(mpi->world, e, (covey_entity){ 0, 0 });
}

void covey__mpi_ghosts_promote_undo(covey_mpi *mpi, const covey__mpi_incoming *in) {
    bool hierarchy = covey__mpi_uses_hierarchy(mpi);
    for (uint32_t c = 0; c < in->promoted; c++)
        if (in_ghosts(mpi, c)) swap_values(mpi, in, c);
    for (uint32_t i = 0; i < in->count; i++)
        if (covey_pool_has(mpi->ghost, in->entities[i])) remove_added(mpi, in->entities[i], hierarchy);
}

/* Removes components that the entity lost after the last refresh, and the ghost still has. */
static void remove_outdated(covey_mpi *mpi, const covey__mpi_incoming *in, uint32_t column) {
    const covey__mpi_part *part = &in->parts[column];
    for (uint32_t i = 0, at = 0; part->count != in->count && i < in->count; i++) {
        if (at < part->count && part->positions[at] == i) at++;
        else covey_pool_remove_raw(mpi->columns[column].pool, in->entities[i]);
    }
}

void covey__mpi_ghosts_promote_commit(covey_mpi *mpi, const covey__mpi_incoming *in) {
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (in_ghosts(mpi, c)) remove_outdated(mpi, in, c);
    for (uint32_t i = 0; i < in->count; i++) covey_pool_remove_raw(mpi->ghost, in->entities[i]);
}
