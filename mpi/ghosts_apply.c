/* Applying messages about ghosts. New ghosts are created first, which may fail and can be undone. When all ranks have
 * created theirs, the rest follows and cannot fail. */
#include "ghosts.h"
#include "message.h"

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

static bool known_slots(const covey__mpi_neighbour *n, const uint32_t *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] >= n->ghost_count || covey_is_null(n->ghosts[slots[i]])) return false;
    return true;
}

static bool known_runs(const covey__mpi_neighbour *n, const covey__mpi_ghost_update *update) {
    uint64_t values = 0;
    for (uint32_t i = 0; i < update->run_count; i++) {
        covey__mpi_run run = update->runs[i];
        if (run.slot >= n->ghost_count || run.count > n->ghost_count - run.slot) return false;
        for (uint32_t k = 0; k < run.count; k++)
            if (covey_is_null(n->ghosts[run.slot + k])) return false;
        values += run.count;
    }
    return values == update->count;
}

/* Slots are used from 0 on without gaps, so that new ones cannot be far beyond the existing ones. */
static bool new_slots(const covey__mpi_neighbour *n, const uint32_t *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] >= (uint64_t)n->ghost_count + count) return false;
    return true;
}

static void read_begins(covey__mpi_reading *r, const covey__mpi_ghosts *g, covey__mpi_ghost_message *message) {
    message->entities = covey__mpi_take(r, message->begins, sizeof *message->entities);
    message->begin_slots = covey__mpi_take(r, message->begins, sizeof *message->begin_slots);
    for (uint32_t c = 0; c < g->column_count; c++) {
        message->values[c] = covey__mpi_take(r, message->begins, g->columns[c]->type->size);
        if (!r->fails && g->columns[c]->fills) covey__mpi_fill_gaps(g->columns[c], message->values[c], message->begins);
    }
}

static void read_updates(covey__mpi_reading *r, const covey__mpi_ghosts *g, const covey__mpi_neighbour *n,
                         covey__mpi_ghost_message *message) {
    const covey__mpi_ghost_update *last = NULL;
    for (uint32_t c = 0; c < g->column_count; c++) {
        covey__mpi_ghost_update *update = &message->updates[c];
        *update = (covey__mpi_ghost_update){ 0 };
        if (g->columns[c]->type->size == 0) continue;
        covey__mpi_ghost_update_header head = { 0 };
        const void *bytes = covey__mpi_take(r, 1, sizeof head);
        if (bytes) memcpy(&head, bytes, sizeof head);
        update->count = head.count;
        update->run_count = head.run_count;
        update->values = covey__mpi_take(r, head.count, g->columns[c]->type->size);
        if (head.count == 0) continue;
        bool same = head.same_runs == 1 && last && last->run_count == head.run_count && last->count == head.count;
        if (head.same_runs != 0 && !same) r->fails = true;
        update->runs = same ? last->runs : covey__mpi_take(r, head.run_count, sizeof *update->runs);
        if (r->fails) return;
        if (!same && !known_runs(n, update)) r->fails = true;
        if (g->columns[c]->fills) covey__mpi_fill_gaps(g->columns[c], update->values, head.count);
        last = update;
    }
}

bool covey__mpi_ghost_message_read(covey_mpi *mpi, int source, unsigned char *bytes, uint64_t size,
                                   covey__mpi_ghost_message *message, const char **why) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    const covey__mpi_neighbour *n = &g->neighbours[source];
    covey__mpi_ghost_header head;
    *why = "it is truncated";
    if (size < covey__mpi_aligned(sizeof head) || size % COVEY__MPI_ALIGN != 0) return false;
    memcpy(&head, bytes, sizeof head);
    *why = "it is not a message of this version";
    if (head.magic != COVEY__MPI_GHOST_MAGIC || head.columns != g->column_count) return false;
    *why = "it is truncated";
    if (head.bytes != size) return false;
    *why = "its checksum is wrong";
    if (head.checksum != covey__mpi_ghost_message_checksum(bytes, size)) return false;
    *why = "its parts contradict each other";
    covey__mpi_reading r = { .bytes = bytes, .size = size, .at = covey__mpi_aligned(sizeof head) };
    *message = (covey__mpi_ghost_message){ .source = source, .ends = head.ends, .begins = head.begins };
    message->end_slots = covey__mpi_take(&r, head.ends, sizeof *message->end_slots);
    read_begins(&r, g, message);
    read_updates(&r, g, n, message);
    return !r.fails && r.at == size && known_slots(n, message->end_slots, message->ends) &&
           new_slots(n, message->begin_slots, message->begins);
}

static uint32_t largest(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Allocates all memory for the steps that must not fail. */
static bool make_room(covey_mpi *mpi, const covey__mpi_ghost_message *message) {
    covey__mpi_neighbour *n = &mpi->ghosts->neighbours[message->source];
    uint32_t most = largest(message->ends, message->begins);
    for (uint32_t c = 0; c < mpi->ghosts->column_count; c++) most = largest(most, message->updates[c].count);
    return covey__mpi_neighbour_reserve(mpi, n, n->ghost_count + message->begins) &&
           covey__mpi_scratch_reserve(mpi, SCRATCH_LISTED, (uint64_t)most * sizeof(covey_entity)) &&
           covey__mpi_scratch_reserve(mpi, SCRATCH_GUESTS, (uint64_t)most * sizeof(covey_entity)) &&
           covey__mpi_scratch_reserve(mpi, SCRATCH_GHOSTS, (uint64_t)message->begins * sizeof(covey_ghost));
}

static covey_result read_all(covey_mpi *mpi, covey__mpi_ghost_message **all, uint32_t *count) {
    covey__mpi_ghosts *g = mpi->ghosts;
    const char *why;
    *count = 0;
    *all = covey__mpi_scratch_reserve(mpi, SCRATCH_INCOMING, (uint64_t)mpi->size * sizeof **all);
    if (!*all) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for messages");
    for (int r = 0; r < mpi->size; r++) {
        covey__mpi_ghost_message *message = &(*all)[*count];
        if (mpi->receive_sizes[r] == 0) continue;
        if (!covey__mpi_ghost_message_read(mpi, r, g->received + mpi->receive_offsets[r], mpi->receive_sizes[r],
                                           message, &why))
            return covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "the message from rank %d about ghosts is refused: %s", r,
                                   why);
        if (!make_room(mpi, message))
            return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for ghosts from rank %d", r);
        ++*count;
    }
    return COVEY_OK;
}

/* ---- Creating ghosts ---------------------------------------------------------------------------------------------*/

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void swap_begins(const covey__mpi_ghosts *g, covey__mpi_ghost_message *message, uint32_t a, uint32_t b) {
    swap_bytes((unsigned char *)&message->entities[a], (unsigned char *)&message->entities[b],
               sizeof *message->entities);
    swap_bytes((unsigned char *)&message->begin_slots[a], (unsigned char *)&message->begin_slots[b], sizeof(uint32_t));
    for (uint32_t c = 0; c < g->column_count; c++) {
        size_t size = g->columns[c]->type->size;
        swap_bytes(message->values[c] + a * size, message->values[c] + b * size, size);
    }
}

/* Moves entities to the end that are ghosts here already, because they lived on another rank before. */
static void sort_begins(const covey_mpi *mpi, covey__mpi_ghost_message *message) {
    message->fresh = message->begins;
    if (covey_pool_count(mpi->ghost) == 0) return;
    for (uint32_t i = 0; i < message->fresh;)
        if (!covey_pool_has(mpi->ghost, message->entities[i])) i++;
        else swap_begins(mpi->ghosts, message, i, --message->fresh);
}

static covey_result refuse(covey_mpi *mpi, covey_result result, covey_entity e, const char *why) {
    return covey__mpi_fail(mpi, result, "%u:%u cannot have a ghost: %s", e.index, e.generation, why);
}

static covey_result check_fresh(covey_mpi *mpi, const covey__mpi_ghost_message *message) {
    for (uint32_t i = 0; i < message->fresh; i++) {
        covey_entity e = message->entities[i];
        if (covey__mpi_is_home(mpi, e)) {
            if (!covey_pool_has(mpi->away, e))
                return refuse(mpi, COVEY_ERROR_TAKEN, e, "it was destroyed at home while it was away");
        } else if (covey_mpi_home(mpi, e) < 0) {
            return refuse(mpi, COVEY_ERROR_IMAGE, e, "its index is in no range");
        }
    }
    return COVEY_OK;
}

static uint32_t list_others(covey_mpi *mpi, const covey__mpi_ghost_message *message, covey_entity **list) {
    uint32_t count = 0;
    *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_GUESTS].bytes;
    for (uint32_t i = 0; i < message->fresh; i++)
        if (!covey__mpi_is_home(mpi, message->entities[i])) (*list)[count++] = message->entities[i];
    return count;
}

static covey_result fail_to_create(covey_mpi *mpi, const covey__mpi_ghost_message *message) {
    covey_result result = covey_world_result(mpi->world);
    return covey__mpi_fail(mpi, result, "ghosts from rank %d cannot be created: %s", message->source,
                           covey_result_text(result));
}

static covey_result create_fresh(covey_mpi *mpi, covey__mpi_ghost_message *message) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    covey_entity *list;
    uint32_t others = list_others(mpi, message, &list);
    covey_ghost *marks = (covey_ghost *)(void *)mpi->scratch[SCRATCH_GHOSTS].bytes;
    covey__mpi_ghosts_remove_stale(mpi, list, others);
    if (!covey_create_exact(mpi->world, list, others, COVEY_EXACT_AGAIN)) return fail_to_create(mpi, message);
    message->created = true;
    for (uint32_t i = 0; i < message->fresh; i++) marks[i] = (covey_ghost){ message->source, message->begin_slots[i] };
    if (!covey_add_array_raw(mpi->world, message->entities, message->fresh, covey_id(covey_ghost), marks))
        return fail_to_create(mpi, message);
    for (uint32_t c = 0; c < g->column_count; c++)
        if (!covey_add_array_raw(mpi->world, message->entities, message->fresh, g->columns[c]->type,
                                 message->values[c]))
            return fail_to_create(mpi, message);
    return COVEY_OK;
}

static covey_result begin_ghosts(covey_mpi *mpi, covey__mpi_ghost_message *message) {
    sort_begins(mpi, message);
    covey_result result = check_fresh(mpi, message);
    return result == COVEY_OK ? create_fresh(mpi, message) : result;
}

static void undo_begins(covey_mpi *mpi, const covey__mpi_ghost_message *message) {
    if (message->created) covey__mpi_ghosts_remove(mpi, message->entities, message->fresh);
}

/* ---- Committing --------------------------------------------------------------------------------------------------*/

/* Sets the slots of new ghosts. Ghosts whose entity moved to another rank get new values as well. */
static void set_slots(covey_mpi *mpi, const covey__mpi_ghost_message *message) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    covey__mpi_neighbour *n = &g->neighbours[message->source];
    for (uint32_t i = 0; i < message->begins; i++) {
        uint32_t slot = message->begin_slots[i];
        while (n->ghost_count <= slot) n->ghosts[n->ghost_count++] = (covey_entity){ 0, 0 };
        n->ghosts[slot] = message->entities[i];
    }
    for (uint32_t i = message->fresh; i < message->begins; i++) {
        covey_ghost mark = { message->source, message->begin_slots[i] };
        covey_pool_set_raw(mpi->ghost, message->entities[i], &mark);
        for (uint32_t c = 0; c < g->column_count; c++)
            if (covey_pool_has(g->columns[c]->pool, message->entities[i]))
                covey_pool_set_raw(g->columns[c]->pool, message->entities[i],
                                   message->values[c] + (size_t)i * g->columns[c]->type->size);
    }
}

static void list_runs(const covey__mpi_neighbour *n, const covey__mpi_ghost_update *u, covey_entity *list) {
    for (uint32_t i = 0; i < u->run_count; i++)
        for (uint32_t k = 0; k < u->runs[i].count; k++) *list++ = n->ghosts[u->runs[i].slot + k];
}

enum { LONG = 64 }; /* slots in a long run, on average */
static bool runs_are_long(const covey__mpi_ghost_update *u) { return u->count / u->run_count >= LONG; }

/* For long runs: n->ghosts lists the ghosts of a run already. */
static void update_runs(covey_world *world, const covey__mpi_neighbour *n, const covey__mpi_ghost_update *u,
                        const covey_type *type) {
    const unsigned char *values = u->values;
    for (uint32_t i = 0; i < u->run_count; i++) {
        covey_set_array_raw(world, n->ghosts + u->runs[i].slot, u->runs[i].count, type, values);
        values += (size_t)u->runs[i].count * type->size;
    }
}

/* Ghosts that were destroyed here are skipped. */
static void update_ghosts(covey_mpi *mpi, const covey__mpi_ghost_message *message) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    const covey__mpi_neighbour *n = &g->neighbours[message->source];
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_LISTED].bytes;
    const covey__mpi_run *listed = NULL;
    for (uint32_t c = 0; c < g->column_count; c++) {
        const covey__mpi_ghost_update *u = &message->updates[c];
        if (u->count == 0) continue;
        if (runs_are_long(u)) {
            update_runs(mpi->world, n, u, g->columns[c]->type);
            continue;
        }
        if (u->runs != listed) list_runs(n, u, list);
        listed = u->runs;
        covey_set_array_raw(mpi->world, list, u->count, g->columns[c]->type, u->values);
    }
}

/* Removes ghosts, except those that have another slot now, or became the entity itself. */
static void end_ghosts(covey_mpi *mpi, const covey__mpi_ghost_message *message) {
    covey__mpi_neighbour *n = &mpi->ghosts->neighbours[message->source];
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_LISTED].bytes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < message->ends; i++) {
        covey_entity e = n->ghosts[message->end_slots[i]];
        n->ghosts[message->end_slots[i]] = (covey_entity){ 0, 0 };
        const covey_ghost *mark = covey_is_null(e) ? NULL : covey_pool_get_raw(mpi->ghost, e);
        if (mark && mark->rank == message->source && mark->slot == message->end_slots[i]) list[count++] = e;
    }
    covey__mpi_ghosts_remove(mpi, list, count);
}

void covey__mpi_ghosts_cancel(covey_mpi *mpi) {
    mpi->refreshing = false;
    if (mpi->ghosts) covey__mpi_records_cancel(mpi);
}

covey_result covey__mpi_ghosts_apply(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    covey__mpi_ghost_message *all = NULL;
    uint32_t count = 0, begun = 0;
    if (!g || !mpi->refreshing)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED,
                               "the refresh of ghosts was cancelled by another collective call");
    mpi->refreshing = false;
    if (g->result == COVEY_OK) {
        g->result = read_all(mpi, &all, &count);
        while (g->result == COVEY_OK && begun < count) g->result = begin_ghosts(mpi, &all[begun++]);
        g->result = covey__mpi_agree(mpi, g->result);
    }
    if (g->result != COVEY_OK) {
        while (begun != 0) undo_begins(mpi, &all[--begun]);
        covey__mpi_records_cancel(mpi);
        return g->result;
    }
    for (uint32_t i = 0; i < count; i++) set_slots(mpi, &all[i]);
    for (uint32_t i = 0; i < count; i++) update_ghosts(mpi, &all[i]);
    for (uint32_t i = 0; i < count; i++) end_ghosts(mpi, &all[i]);
    covey__mpi_records_commit(mpi);
    g->seen = g->packed;
    return COVEY_OK;
}

covey_result covey_mpi_ghosts_refresh(covey_mpi *mpi) {
    covey_result result = covey__mpi_ghosts_pack(mpi);
    if (!mpi->refreshing) return result; /* it did not begin, on any rank */
    covey__mpi_ghosts_transfer(mpi);
    return covey__mpi_ghosts_apply(mpi);
}

void covey__mpi_ghosts_mark_all(covey_mpi *mpi) {
    if (mpi->ghosts) mpi->ghosts->seen = 0;
}

covey_result covey_mpi_ghosts_refresh_all(covey_mpi *mpi) {
    covey__mpi_ghosts_mark_all(mpi);
    return covey_mpi_ghosts_refresh(mpi);
}
