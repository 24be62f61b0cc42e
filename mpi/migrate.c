/* Migration, all or nothing. Departures are packed, messages exchanged, and arrivals created while the departures
 * still exist. When all ranks have created their arrivals, the departures are removed; otherwise the arrivals are.
 * Neither step can fail. */
#include "internal.h"

#include <covey/hierarchy.h>

enum { RECLAIM_EVERY = 64 };

/* ---- Departures --------------------------------------------------------------------------------------------------*/

static covey_result refuse(covey_mpi *mpi, covey_result result, covey_entity e, const char *why) {
    return covey__mpi_fail(mpi, result, "%u:%u cannot leave: %s", e.index, e.generation, why);
}

static const char *why_not_here(const covey_mpi *mpi, covey_entity e, covey_result *result) {
    *result = COVEY_ERROR_DEAD;
    if (!covey_alive(mpi->world, e)) return "it is not alive here";
    if (covey_pool_has(mpi->away, e)) return "it is away";
    if (covey_pool_has(mpi->ghost, e)) return "it is a ghost: it lives on another rank";
    *result = COVEY_ERROR_MEMORY;
    return NULL;
}

/* Tags all departures. This fails for entities that are dead, away or listed twice. */
static covey_result tag_departures(covey_mpi *mpi, const covey__mpi_departures *d) {
    bool ghosts = covey__mpi_ghosts_count_among(mpi, d->entities, d->count) != 0;
    if (!ghosts && covey_add_array_raw(mpi->world, d->entities, d->count, covey_id(covey_away), NULL)) return COVEY_OK;
    covey_result failed = ghosts ? COVEY_ERROR_DEAD : covey_world_result(mpi->world), result;
    for (uint32_t i = 0; i < d->count && failed != COVEY_ERROR_MEMORY; i++) {
        const char *why = why_not_here(mpi, d->entities[i], &result);
        if (why) return refuse(mpi, result, d->entities[i], why);
    }
    return covey__mpi_fail(mpi, failed, "%u entities cannot leave: %s", d->count,
                           failed == COVEY_ERROR_PRESENT ? "one of them is listed twice" : covey_result_text(failed));
}

static void untag_departures(covey_mpi *mpi, const covey__mpi_departures *d) {
    covey_remove_many(mpi->world, d->entities, d->count, covey_away);
}

/* ---- Checks ------------------------------------------------------------------------------------------------------*/

static bool may_leave(const covey_mpi *mpi, const covey_pool *pool) {
    const covey_type *type = covey_pool_type(pool);
    if (pool == mpi->away || type->transient || strncmp(type->name, "covey.", 6) == 0) return true;
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (mpi->columns[c].pool == pool) return true;
    return false;
}

static covey_result check_components(covey_mpi *mpi, const covey__mpi_departures *d) {
    for (uint32_t p = 0; p < covey_world_pool_count(mpi->world); p++) {
        const covey_pool *pool = covey_world_pool(mpi->world, p);
        if (covey_pool_count(pool) == 0 || may_leave(mpi, pool)) continue;
        for (uint32_t i = 0; i < d->count; i++)
            if (covey_pool_has(pool, d->entities[i]))
                return covey__mpi_fail(mpi, COVEY_ERROR_TYPE,
                                       "%u:%u cannot leave with %s: add it to .types, or define it with .transient",
                                       d->entities[i].index, d->entities[i].generation, covey_pool_type(pool)->name);
    }
    return COVEY_OK;
}

static covey_result check_trees(covey_mpi *mpi, const covey_entity *entities, uint32_t count, uint64_t *below) {
    *below = 0;
    bool hierarchy = covey__mpi_uses_hierarchy(mpi);
    for (uint32_t i = 0; hierarchy && i < count; i++) {
        covey_entity e = entities[i];
        if (!covey_is_null(covey_parent(mpi->world, e)))
            return refuse(mpi, COVEY_ERROR_REFUSED, e,
                          "it has a parent; move the root of its tree, or remove its parent");
        if (covey_child_count(mpi->world, e) == 0) continue;
        if (mpi->trees != COVEY_MPI_TREES_MOVE)
            return refuse(mpi, COVEY_ERROR_REFUSED, e,
                          "it has children; .trees = COVEY_MPI_TREES_MOVE moves whole trees");
        for (covey_entity below_e = e; !covey_is_null(below_e); below_e = covey_tree_next(mpi->world, e, below_e))
            (*below)++;
        --*below;
    }
    return COVEY_OK;
}

/* Adds the descendants of all entities to the list. */
static covey_result add_trees(covey_mpi *mpi, const covey_entity **entities, const int **ranks, uint32_t *count) {
    uint64_t below;
    covey_result result = check_trees(mpi, *entities, *count, &below);
    if (result != COVEY_OK || below == 0) return result;
    uint64_t all = *count + below;
    covey_entity *list = covey__mpi_scratch_reserve(mpi, SCRATCH_TREES, all * sizeof *list);
    int *targets = covey__mpi_scratch_reserve(mpi, SCRATCH_TARGETS, all * sizeof *targets);
    if (!list || !targets || all > UINT32_MAX)
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for trees of %llu entities",
                               (unsigned long long)all);
    uint32_t at = 0;
    for (uint32_t i = 0; i < *count; i++) {
        covey_entity root = (*entities)[i], e = root;
        do {
            targets[at] = (*ranks)[i];
            list[at++] = e;
            e = covey_tree_next(mpi->world, root, e);
        } while (!covey_is_null(e));
    }
    *entities = list;
    *ranks = targets;
    *count = at;
    return COVEY_OK;
}

/* Everything that can fail before messages are sent. Tags the departures, unless it fails. */
static covey_result prepare(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                            covey__mpi_departures *d, unsigned char **send) {
    covey_result result = add_trees(mpi, &entities, &ranks, &count);
    if (result == COVEY_OK) result = covey__mpi_departures_sort(mpi, entities, ranks, count, mpi->rank, d);
    if (result != COVEY_OK) return result;
    if (!covey__mpi_scratch_reserve(mpi, SCRATCH_GUESTS, (uint64_t)d->count * sizeof *d->entities))
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u departures", d->count);
    result = tag_departures(mpi, d);
    if (result != COVEY_OK) return result;
    result = check_components(mpi, d);
    if (result == COVEY_OK) result = covey__mpi_departures_pack(mpi, d, NULL, send);
    if (result != COVEY_OK) untag_departures(mpi, d);
    return result;
}

/* ---- Arriving ----------------------------------------------------------------------------------------------------*/

static covey_result read_all(covey_mpi *mpi, unsigned char *received, uint32_t leaving, covey__mpi_incoming **messages,
                             uint32_t *count) {
    uint64_t ranks = (uint64_t)mpi->size, most = leaving;
    covey__mpi_incoming *all = covey__mpi_scratch_reserve(mpi, SCRATCH_INCOMING, ranks * sizeof *all);
    covey__mpi_part *parts = covey__mpi_scratch_reserve(mpi, SCRATCH_PARTS, ranks * mpi->column_count * sizeof *parts);
    if (!all || !parts) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for messages");
    for (int r = 0; r < mpi->size; r++) {
        const char *why;
        if (mpi->receive_sizes[r] == 0) continue;
        if (!covey__mpi_message_read(mpi, received + mpi->receive_offsets[r], mpi->receive_sizes[r], &all[*count],
                                     parts + (size_t)r * mpi->column_count, &why))
            return covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "the message of rank %d is refused: %s", r, why);
        all[*count].source = r;
        if (all[*count].count > most) most = all[*count].count;
        ++*count;
    }
    *messages = all;
    if (covey__mpi_scratch_reserve(mpi, SCRATCH_GUESTS, most * sizeof(covey_entity))) return COVEY_OK;
    *count = 0;
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %llu arrivals", (unsigned long long)most);
}

/* Creates all arrivals. When this fails, the first *begun messages have to be undone. */
static covey_result create_arrivals(covey_mpi *mpi, unsigned char *received, uint32_t leaving,
                                    covey__mpi_incoming **messages, uint32_t *begun) {
    uint32_t count = 0;
    *begun = 0;
    covey_result result = read_all(mpi, received, leaving, messages, &count);
    while (result == COVEY_OK && *begun < count) result = covey__mpi_arrivals_create(mpi, &(*messages)[(*begun)++]);
    return result;
}

covey_result covey__mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                covey_result mine) {
    covey__mpi_departures d = { NULL, 0 };
    unsigned char *send = NULL, *received = NULL;
    covey__mpi_incoming *messages = NULL;
    uint32_t begun = 0;
    covey_result prepared = mine == COVEY_OK ? prepare(mpi, entities, ranks, count, &d, &send) : mine;
    covey_result result = covey__mpi_exchange(mpi, send, prepared, &received);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, create_arrivals(mpi, received, d.count, &messages, &begun));
    if (result != COVEY_OK) {
        while (begun != 0) covey__mpi_arrivals_undo(mpi, &messages[--begun]);
        if (prepared == COVEY_OK) untag_departures(mpi, &d);
        return result;
    }
    for (uint32_t i = 0; i < begun; i++) covey__mpi_arrivals_commit(mpi, &messages[i]);
    covey__mpi_departures_remove(mpi, d.entities, d.count);
    mpi->stats.entities_sent += d.count;
    if (++mpi->since_reclaim >= RECLAIM_EVERY && covey__mpi_reclaim(mpi) != COVEY_OK)
        mpi->report = (covey_report){ .result = COVEY_OK }; /* the next one reclaims the same indices */
    return COVEY_OK;
}

covey_result covey_mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count) {
    covey_result result = covey__mpi_enter(mpi, CALL_MIGRATE);
    return result == COVEY_OK ? covey__mpi_migrate(mpi, entities, ranks, count, COVEY_OK) : result;
}
