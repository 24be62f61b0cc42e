/* Defining ghosts, and removing those that are here. */
#include "ghosts.h"

#include <covey/shared.h>

/* ---- Removing -----------------------------------------------------------------------------------------------------*/

bool covey__mpi_neighbour_reserve(covey_mpi *mpi, covey__mpi_neighbour *n, uint32_t slots) {
    if (slots > n->ghost_room) {
        covey_entity *ghosts = covey__mpi_grow(mpi, n->ghosts, &n->ghost_room, slots, sizeof *ghosts);
        if (!ghosts) return false;
        n->ghosts = ghosts;
    }
    return true;
}

void covey__mpi_ghosts_remove(covey_mpi *mpi, const covey_entity *ghosts, uint32_t count) {
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_GUESTS].bytes;
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++)
        if (covey__mpi_is_home(mpi, ghosts[i])) covey__mpi_remove_components(mpi, &ghosts[i], 1);
        else list[others++] = ghosts[i];
    covey_leave_many(mpi->world, list, others);
}

void covey__mpi_ghosts_remove_stale(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; covey_pool_count(mpi->ghost) != 0 && i < count; i++) {
        covey_entity old = covey_entity_at(mpi->world, entities[i].index);
        if (covey_is_null(old) || old.generation >= entities[i].generation || !covey_pool_has(mpi->ghost, old))
            continue;
        covey_leave_many(mpi->world, &old, 1);
    }
}

/* ---- Defining -----------------------------------------------------------------------------------------------------*/

static covey_result add_type(covey_mpi *mpi, covey__mpi_ghosts *g, const covey_type *type) {
    const covey__mpi_column *column = covey__mpi_column_of(mpi, type);
    const char *why = NULL;
    if (!column) why = "it is not one of the types that move";
    else if (column->by_image || column->type->copy || column->type->drop || column->type->move)
        why = "it has functions for saving, copying, moving or dropping";
    if (why) return covey__mpi_fail(mpi, COVEY_ERROR_TYPE, "ghosts cannot have %s: %s", type->name, why);
    if (g->column_count == COVEY__MPI_GHOST_TYPES)
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "ghosts can have at most %d types", COVEY__MPI_GHOST_TYPES);
    g->columns[g->column_count++] = column;
    return COVEY_OK;
}

static covey_result add_types(covey_mpi *mpi, covey__mpi_ghosts *g, const covey_mpi_ghosts_desc *desc) {
    if (!desc->types || !desc->types[0] || !desc->near)
        return covey__mpi_fail(mpi, COVEY_ERROR_TYPE, "ghosts need .types and .near");
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; desc->types[i] && result == COVEY_OK; i++) result = add_type(mpi, g, desc->types[i]);
    return result;
}

static covey_result out_of_memory(covey_mpi *mpi) {
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for ghosts");
}

static covey_result connect(covey_mpi *mpi, covey__mpi_ghosts *g) {
    for (uint32_t c = 0; c < g->column_count; c++) {
        covey_listener listener = { .type = g->columns[c]->type,
                                    .signals = COVEY_ON_REMOVE,
                                    .call = covey__mpi_records_component_removed,
                                    .context = g,
                                    .spans = true };
        g->connections[c] = covey_connect(mpi->world, &listener);
        if (!covey_connected(mpi->world, g->connections[c])) return out_of_memory(mpi);
    }
    return COVEY_OK;
}

static void release(covey_mpi *mpi, covey__mpi_ghosts *g) {
    const covey_allocator *allocator = &mpi->allocator;
    if (!g) return;
    for (uint32_t c = 0; c < g->column_count; c++) covey_disconnect(mpi->world, g->connections[c]);
    for (int r = 0; g->neighbours && r < mpi->size; r++)
        if (g->neighbours[r].ghosts)
            covey__mpi_resize(allocator, g->neighbours[r].ghosts,
                              g->neighbours[r].ghost_room * sizeof *g->neighbours[r].ghosts, 0);
    for (uint32_t i = 0; i < g->head_pages; i++)
        if (g->heads[i]) covey__mpi_resize(allocator, g->heads[i], sizeof **g->heads, 0);
    if (g->heads) covey__mpi_resize(allocator, g->heads, g->head_pages * sizeof *g->heads, 0);
    if (g->records) covey__mpi_resize(allocator, g->records, g->record_room * sizeof *g->records, 0);
    if (g->begins.at) covey__mpi_resize(allocator, g->begins.at, g->begins.room * sizeof *g->begins.at, 0);
    if (g->ends.at) covey__mpi_resize(allocator, g->ends.at, g->ends.room * sizeof *g->ends.at, 0);
    if (g->neighbours) covey__mpi_resize(allocator, g->neighbours, (size_t)mpi->size * sizeof *g->neighbours, 0);
    covey__mpi_resize(allocator, g, sizeof *g, 0);
}

void covey__mpi_ghosts_free(covey_mpi *mpi) {
    release(mpi, mpi->ghosts);
    mpi->ghosts = NULL;
}

static covey_result make(covey_mpi *mpi, const covey_mpi_ghosts_desc *desc, covey__mpi_ghosts **made) {
    covey__mpi_ghosts *g = *made = covey__mpi_resize(&mpi->allocator, NULL, 0, sizeof *g);
    if (!g) return out_of_memory(mpi);
    *g = (covey__mpi_ghosts){ .near = desc->near, .context = desc->context, .record_count = 1 };
    size_t bytes = (size_t)mpi->size * sizeof *g->neighbours;
    g->neighbours = covey__mpi_resize(&mpi->allocator, NULL, 0, bytes);
    if (!g->neighbours) return out_of_memory(mpi);
    memset(g->neighbours, 0, bytes);
    covey_result result = add_types(mpi, g, desc);
    return result == COVEY_OK ? connect(mpi, g) : result;
}

/* Checks that all ranks give the same types, in the same order. */
static covey_result compare(covey_mpi *mpi, const covey__mpi_ghosts *g) {
    uint64_t mine = g != NULL;
    for (uint32_t c = 0; g && c < g->column_count; c++) {
        uint64_t layout = covey__mpi_layout_hash(g->columns[c]->type);
        mine = covey__mpi_hash(mine, &layout, sizeof layout);
    }
    uint64_t first = mine;
    covey__mpi_broadcast(mpi, &first, 1, MPI_UINT64_T, 0);
    if (first == mine) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "the types of ghosts differ from those of rank 0");
}

/* Lists all ghosts in this world, and makes room for removing them. Returns NULL when memory is out. */
static covey_entity *list_all(covey_mpi *mpi, uint32_t *count) {
    uint64_t bytes = (uint64_t)covey_pool_count(mpi->ghost) * sizeof(covey_entity);
    covey_entity *list = covey__mpi_scratch_reserve(mpi, SCRATCH_LISTED, bytes);
    *count = 0;
    if (!list || !covey__mpi_scratch_reserve(mpi, SCRATCH_GUESTS, bytes)) return NULL;
    for (uint32_t p = covey_pool_next(mpi->ghost, 0); p != COVEY_NONE; p = covey_pool_next(mpi->ghost, p + 1))
        list[(*count)++] = covey_pool_at(mpi->ghost, p);
    return list;
}

covey_result covey_mpi_ghosts_define(covey_mpi *mpi, const covey_mpi_ghosts_desc *desc) {
    covey__mpi_ghosts *next = NULL;
    uint32_t count = 0;
    covey_result result = covey__mpi_enter(mpi, CALL_GHOSTS_DEFINE);
    if (result != COVEY_OK) return result;
    if (desc) result = make(mpi, desc, &next);
    covey_entity *list = result == COVEY_OK ? list_all(mpi, &count) : NULL;
    if (result == COVEY_OK && !list) result = out_of_memory(mpi);
    result = covey__mpi_agree(mpi, result);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, compare(mpi, next));
    if (result != COVEY_OK) {
        release(mpi, next);
        return result;
    }
    if (mpi->ghosts) covey__mpi_ghosts_remove(mpi, list, count);
    covey__mpi_ghosts_free(mpi);
    mpi->ghosts = next;
    return COVEY_OK;
}
