/* Migration: all or nothing. Departures are packed, messages exchanged, and arrivals made while departures are still
 * here. Only when all ranks have made theirs, departures end; otherwise arrivals are taken back. Neither can fail. */
#include "dist.h"

#include <covey/hierarchy.h>
#include <stdlib.h>

enum { COLLECT_EVERY = 64 };

/* What leaves, by destination: entities[parts[r]] to entities[parts[r + 1] - 1] go to rank r. */
typedef struct departure {
    const covey_entity *entities;
    uint32_t count;
} departure;

/* ---- Who leaves --------------------------------------------------------------------------------------------------*/

static covey_result refuse(covey_mpi *mpi, covey_result result, covey_entity e, const char *why) {
    return covey__mpi_fail(mpi, result, "%u:%u cannot leave: %s", e.index, e.generation, why);
}

/* How many from one on go to the same rank. Often these are many. */
static uint32_t run_of(const int *ranks, uint32_t count) {
    uint32_t run = 1;
    while (run < count && ranks[run] == ranks[0]) run++;
    return run;
}

static covey_result count_targets(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count) {
    memset(mpi->parts, 0, ((size_t)mpi->size + 1) * sizeof *mpi->parts);
    for (uint32_t i = 0, run; i < count; i += run) {
        run = run_of(ranks + i, count - i);
        if (ranks[i] < 0 || ranks[i] >= mpi->size)
            return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "%u:%u cannot go to rank %d: there are %d",
                                   entities[i].index, entities[i].generation, ranks[i], mpi->size);
        if (ranks[i] != mpi->rank) mpi->parts[ranks[i] + 1] += run;
    }
    for (int r = 0; r < mpi->size; r++) mpi->parts[r + 1] += mpi->parts[r];
    return COVEY_OK;
}

/* Sorts by destination; those for one destination stay in their order. */
static covey_result sort_departure(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                   departure *d) {
    covey_result result = count_targets(mpi, entities, ranks, count);
    if (result != COVEY_OK) return result;
    uint32_t leaving = mpi->parts[mpi->size];
    covey_entity *sorted = covey__mpi_reach(mpi, SCRATCH_LEAVING, (uint64_t)leaving * sizeof *sorted);
    if (!sorted || !covey__mpi_reach(mpi, SCRATCH_GUESTS, (uint64_t)leaving * sizeof *sorted))
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u entities that leave", leaving);
    for (uint32_t i = 0, run; i < count; i += run) {
        run = run_of(ranks + i, count - i);
        if (ranks[i] == mpi->rank) continue;
        memcpy(sorted + mpi->parts[ranks[i]], entities + i, run * sizeof *sorted);
        mpi->parts[ranks[i]] += run;
    }
    for (int r = mpi->size; r > 0; r--) mpi->parts[r] = mpi->parts[r - 1];
    mpi->parts[0] = 0;
    *d = (departure){ sorted, leaving };
    return COVEY_OK;
}

static const char *why_not(const covey_mpi *mpi, covey_entity e, covey_result *result) {
    *result = COVEY_ERROR_DEAD;
    if (!covey_alive(mpi->world, e)) return "it is not alive here";
    if (covey_pool_has(mpi->away, e)) return "it is away";
    if (covey_pool_has(mpi->ghost, e)) return "it is a ghost: it lives on another rank";
    *result = COVEY_ERROR_MEMORY;
    return NULL;
}

/* Tags all that leave, which finds those who are dead, away or named twice. */
static covey_result tag_departure(covey_mpi *mpi, const departure *d) {
    bool ghosts = covey__mpi_ghosts_among(mpi, d->entities, d->count) != 0;
    if (!ghosts && covey_add_array_raw(mpi->world, d->entities, d->count, covey_id(covey_away), NULL)) return COVEY_OK;
    covey_result failed = ghosts ? COVEY_ERROR_DEAD : covey_world_result(mpi->world), result;
    for (uint32_t i = 0; i < d->count && failed != COVEY_ERROR_MEMORY; i++) {
        const char *why = why_not(mpi, d->entities[i], &result);
        if (why) return refuse(mpi, result, d->entities[i], why);
    }
    return covey__mpi_fail(mpi, failed, "%u entities cannot leave: %s", d->count,
                           failed == COVEY_ERROR_PRESENT ? "one is named twice" : covey_result_text(failed));
}

static void untag_departure(covey_mpi *mpi, const departure *d) {
    covey_remove_many(mpi->world, d->entities, d->count, covey_away);
}

/* ---- What they may have ------------------------------------------------------------------------------------------*/

static bool travels(const covey_mpi *mpi, const covey_pool *pool) {
    const covey_type *type = covey_pool_type(pool);
    if (pool == mpi->away || type->transient || strncmp(type->name, "covey.", 6) == 0) return true;
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (mpi->columns[c].pool == pool) return true;
    return false;
}

static covey_result check_components(covey_mpi *mpi, const departure *d) {
    for (uint32_t p = 0; p < covey_world_pool_count(mpi->world); p++) {
        const covey_pool *pool = covey_world_pool(mpi->world, p);
        if (covey_pool_count(pool) == 0 || travels(mpi, pool)) continue;
        for (uint32_t i = 0; i < d->count; i++)
            if (covey_pool_has(pool, d->entities[i]))
                return covey__mpi_fail(mpi, COVEY_ERROR_TYPE,
                                       "%u:%u cannot leave with %s: name it in .types, or define it with .transient",
                                       d->entities[i].index, d->entities[i].generation, covey_pool_type(pool)->name);
    }
    return COVEY_OK;
}

static covey_result check_trees(covey_mpi *mpi, const covey_entity *entities, uint32_t count, uint64_t *below) {
    *below = 0;
    bool places = covey__mpi_any_places(mpi);
    for (uint32_t i = 0; places && i < count; i++) {
        covey_entity e = entities[i];
        if (!covey_is_null(covey_parent(mpi->world, e)))
            return refuse(mpi, COVEY_ERROR_REFUSED, e, "it has a parent; move the root of its tree, or take it out");
        if (covey_child_count(mpi->world, e) == 0) continue;
        if (mpi->trees != COVEY_MPI_TREES_MOVE)
            return refuse(mpi, COVEY_ERROR_REFUSED, e,
                          "it has children; .trees = COVEY_MPI_TREES_MOVE moves them, too");
        for (covey_entity below_e = e; !covey_is_null(below_e); below_e = covey_tree_next(mpi->world, e, below_e))
            (*below)++;
        --*below;
    }
    return COVEY_OK;
}

/* The same with all below them. */
static covey_result add_trees(covey_mpi *mpi, const covey_entity **entities, const int **ranks, uint32_t *count) {
    uint64_t below;
    covey_result result = check_trees(mpi, *entities, *count, &below);
    if (result != COVEY_OK || below == 0) return result;
    uint64_t all = *count + below;
    covey_entity *list = covey__mpi_reach(mpi, SCRATCH_TREES, all * sizeof *list);
    int *targets = covey__mpi_reach(mpi, SCRATCH_TARGETS, all * sizeof *targets);
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

/* ---- Packing -----------------------------------------------------------------------------------------------------*/

static int by_index(const void *a, const void *b) {
    uint32_t left = ((const covey_entity *)a)->index, right = ((const covey_entity *)b)->index;
    return left < right ? -1 : left > right;
}

typedef struct chosen {
    const covey_entity *sorted;
    uint32_t count;
} chosen;

static bool is_chosen(const covey_world *world, covey_entity e, void *context) {
    (void)world;
    const chosen *c = context;
    return bsearch(&e, c->sorted, c->count, sizeof e, by_index) != NULL;
}

/* An image of components that functions save, of entities that have any. */
static covey_result save_image(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    const covey_type **types = covey__mpi_reach(mpi, SCRATCH_LISTED, (mpi->column_count + UINT64_C(1)) * sizeof *types);
    covey_entity *sorted = covey__mpi_reach(mpi, SCRATCH_SORTED, (uint64_t)count * sizeof *sorted);
    if (!types || !sorted) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for an image of departures");
    uint32_t found = 0, of_types = 0;
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (mpi->columns[c].by_image) types[of_types++] = mpi->columns[c].type;
    types[of_types] = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (covey_has_any_raw(mpi->world, entities[i], types)) sorted[found++] = entities[i];
    if (found == 0) return COVEY_OK;
    qsort(sorted, found, sizeof *sorted, by_index);
    chosen c = { sorted, found };
    covey_report report;
    covey_save_desc desc = { .types = types, .choose = is_chosen, .choose_context = &c };
    if (covey_save_to_buffer(mpi->world, &mpi->images, &desc, &report) == COVEY_OK) return COVEY_OK;
    return covey__mpi_fail(mpi, report.result, "departures cannot be saved: %s", report.text);
}

static bool any_by_image(const covey_mpi *mpi) {
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (mpi->columns[c].by_image && covey_pool_count(mpi->columns[c].pool) != 0) return true;
    return false;
}

covey_result covey__mpi_message_make(covey_mpi *mpi, const covey_entity *entities, uint32_t count,
                                     unsigned char **message, uint64_t *size) {
    mpi->images.size = 0;
    covey_result result = any_by_image(mpi) ? save_image(mpi, entities, count) : COVEY_OK;
    if (result != COVEY_OK) return result;
    uint64_t room = covey__mpi_pack_room(mpi, entities, count) + mpi->images.size;
    *message = covey__mpi_reach(mpi, SCRATCH_SEND, room);
    if (!*message) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u entities", count);
    return covey__mpi_pack(mpi, entities, count, mpi->images.bytes, mpi->images.size, *message, size);
}

static covey_result save_images(covey_mpi *mpi, const departure *d) {
    bool any = any_by_image(mpi);
    covey_result result = COVEY_OK;
    mpi->images.size = 0;
    for (int r = 0; r < mpi->size && result == COVEY_OK; r++) {
        uint32_t first = mpi->parts[r], count = mpi->parts[r + 1] - first;
        if (any && count != 0) result = save_image(mpi, d->entities + first, count);
        mpi->image_ends[r] = mpi->images.size;
    }
    return result;
}

static uint64_t image_start(const covey_mpi *mpi, int r) { return r != 0 ? mpi->image_ends[r - 1] : 0; }

static covey_result pack_all(covey_mpi *mpi, const departure *d, unsigned char **send) {
    uint64_t room = 0;
    for (int r = 0; r < mpi->size; r++) {
        uint32_t first = mpi->parts[r], count = mpi->parts[r + 1] - first;
        mpi->offsets[r] = room;
        mpi->sizes[r] = 0;
        if (count != 0)
            room += covey__mpi_pack_room(mpi, d->entities + first, count) + mpi->image_ends[r] - image_start(mpi, r);
        room = (room + 63) / 64 * 64;
    }
    *send = covey__mpi_reach(mpi, SCRATCH_SEND, room);
    if (!*send)
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for messages of %llu bytes",
                               (unsigned long long)room);
    covey_result result = COVEY_OK;
    for (int r = 0; r < mpi->size && result == COVEY_OK; r++) {
        uint32_t first = mpi->parts[r], count = mpi->parts[r + 1] - first;
        uint64_t image = image_start(mpi, r);
        const unsigned char *bytes = mpi->images.bytes ? mpi->images.bytes + image : NULL;
        if (count != 0)
            result = covey__mpi_pack(mpi, d->entities + first, count, bytes, mpi->image_ends[r] - image,
                                     *send + mpi->offsets[r], &mpi->sizes[r]);
    }
    return result;
}

/* All that may fail before anything is sent. What leaves is tagged when it is OK, and otherwise not. */
static covey_result prepare(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                            departure *d, unsigned char **send) {
    covey_result result = add_trees(mpi, &entities, &ranks, &count);
    if (result == COVEY_OK) result = sort_departure(mpi, entities, ranks, count, d);
    if (result != COVEY_OK) return result;
    result = tag_departure(mpi, d);
    if (result != COVEY_OK) return result;
    result = check_components(mpi, d);
    if (result == COVEY_OK) result = save_images(mpi, d);
    if (result == COVEY_OK) result = pack_all(mpi, d, send);
    if (result != COVEY_OK) untag_departure(mpi, d);
    return result;
}

/* ---- Arriving ----------------------------------------------------------------------------------------------------*/

/* Reads all messages. */
static covey_result read_all(covey_mpi *mpi, unsigned char *received, uint32_t leaving, covey__mpi_incoming **messages,
                             uint32_t *count) {
    uint64_t ranks = (uint64_t)mpi->size, most = leaving;
    covey__mpi_incoming *all = covey__mpi_reach(mpi, SCRATCH_INCOMING, ranks * sizeof *all);
    covey__mpi_part *parts = covey__mpi_reach(mpi, SCRATCH_PARTS, ranks * mpi->column_count * sizeof *parts);
    if (!all || !parts) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for messages");
    for (int r = 0; r < mpi->size; r++) {
        const char *why;
        if (mpi->coming[r] == 0) continue;
        if (!covey__mpi_unpack(mpi, received + mpi->starts[r], mpi->coming[r], &all[*count],
                               parts + (size_t)r * mpi->column_count, &why))
            return covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "the message of rank %d is refused: %s", r, why);
        all[*count].source = r;
        if (all[*count].count > most) most = all[*count].count;
        ++*count;
    }
    *messages = all;
    if (covey__mpi_reach(mpi, SCRATCH_GUESTS, most * sizeof(covey_entity))) return COVEY_OK;
    *count = 0;
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %llu arrivals", (unsigned long long)most);
}

/* Makes all arrivals, or fails; *begun of them are to be taken back then. */
static covey_result arrive(covey_mpi *mpi, unsigned char *received, uint32_t leaving, covey__mpi_incoming **messages,
                           uint32_t *begun) {
    uint32_t count = 0;
    *begun = 0;
    covey_result result = read_all(mpi, received, leaving, messages, &count);
    while (result == COVEY_OK && *begun < count) result = covey__mpi_arrive(mpi, &(*messages)[(*begun)++]);
    return result;
}

covey_result covey__mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                covey_result mine) {
    departure d = { NULL, 0 };
    unsigned char *send = NULL, *received = NULL;
    covey__mpi_incoming *messages = NULL;
    uint32_t begun = 0;
    covey_result prepared = mine == COVEY_OK ? prepare(mpi, entities, ranks, count, &d, &send) : mine;
    covey_result result = covey__mpi_exchange(mpi, send, prepared, &received);
    if (result == COVEY_OK) result = covey__mpi_agree(mpi, arrive(mpi, received, d.count, &messages, &begun));
    if (result != COVEY_OK) {
        while (begun != 0) covey__mpi_turn_away(mpi, &messages[--begun]);
        if (prepared == COVEY_OK) untag_departure(mpi, &d);
        return result;
    }
    for (uint32_t i = 0; i < begun; i++) covey__mpi_settle(mpi, &messages[i]);
    covey__mpi_leave(mpi, d.entities, d.count);
    mpi->stats.sent += d.count;
    if (++mpi->since_collect >= COLLECT_EVERY && covey__mpi_collect(mpi) != COVEY_OK)
        mpi->report = (covey_report){ .result = COVEY_OK }; /* the next one finds them, too */
    return COVEY_OK;
}

covey_result covey_mpi_migrate(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count) {
    covey_result result = covey__mpi_enter(mpi, CALL_MIGRATE);
    return result == COVEY_OK ? covey__mpi_migrate(mpi, entities, ranks, count, COVEY_OK) : result;
}
