/* What a rank learns about its ghosts. Ghosts that begin are made first, which may fail and can be taken back; when all ranks
 * have made theirs, the rest follows, which cannot fail. */
#include "ghosts.h"
#include "message.h"

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

static bool known_slots(const covey__mpi_neighbour *n, const uint32_t *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] >= n->ghost_count || covey_is_null(n->ghosts[slots[i]])) return false;
    return true;
}

static bool known_runs(const covey__mpi_neighbour *n, const covey__mpi_update *update) {
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

/* Slots are given out from 0 on, so that none can be far behind those that there are. */
static bool new_slots(const covey__mpi_neighbour *n, const uint32_t *slots, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (slots[i] >= (uint64_t)n->ghost_count + count) return false;
    return true;
}

static void read_begins(covey__mpi_reading *r, const covey__mpi_ghosts *g, covey__mpi_news *news) {
    news->entities = covey__mpi_take(r, news->begins, sizeof *news->entities);
    news->begin_slots = covey__mpi_take(r, news->begins, sizeof *news->begin_slots);
    for (uint32_t c = 0; c < g->column_count; c++) {
        news->values[c] = covey__mpi_take(r, news->begins, g->columns[c]->type->size);
        if (!r->fails && g->columns[c]->fills) covey__mpi_fill_gaps(g->columns[c], news->values[c], news->begins);
    }
}

static void read_updates(covey__mpi_reading *r, const covey__mpi_ghosts *g, const covey__mpi_neighbour *n,
                         covey__mpi_news *news) {
    const covey__mpi_update *last = NULL;
    for (uint32_t c = 0; c < g->column_count; c++) {
        covey__mpi_update *update = &news->updates[c];
        *update = (covey__mpi_update){ 0 };
        if (g->columns[c]->type->size == 0) continue;
        covey__mpi_update_header head = { 0 };
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

bool covey__mpi_news_read(covey_mpi *mpi, int source, unsigned char *bytes, uint64_t size, covey__mpi_news *news,
                          const char **why) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    const covey__mpi_neighbour *n = &g->neighbours[source];
    covey__mpi_news_header head;
    *why = "it is cut off";
    if (size < covey__mpi_aligned(sizeof head) || size % COVEY__MPI_ALIGN != 0) return false;
    memcpy(&head, bytes, sizeof head);
    *why = "it is no message of this version";
    if (head.magic != COVEY__MPI_NEWS_MAGIC || head.columns != g->column_count) return false;
    *why = "it is cut off";
    if (head.bytes != size) return false;
    *why = "its checksum is wrong";
    if (head.checksum != covey__mpi_news_checksum(bytes, size)) return false;
    *why = "its parts contradict each other";
    covey__mpi_reading r = { .bytes = bytes, .size = size, .at = covey__mpi_aligned(sizeof head) };
    *news = (covey__mpi_news){ .source = source, .ends = head.ends, .begins = head.begins };
    news->end_slots = covey__mpi_take(&r, head.ends, sizeof *news->end_slots);
    read_begins(&r, g, news);
    read_updates(&r, g, n, news);
    return !r.fails && r.at == size && known_slots(n, news->end_slots, news->ends) &&
           new_slots(n, news->begin_slots, news->begins);
}

static uint32_t largest(uint32_t a, uint32_t b) { return a > b ? a : b; }

/* Memory for all that follows, so that it cannot fail. */
static bool make_room(covey_mpi *mpi, const covey__mpi_news *news) {
    covey__mpi_neighbour *n = &mpi->ghosts->neighbours[news->source];
    uint32_t most = largest(news->ends, news->begins);
    for (uint32_t c = 0; c < mpi->ghosts->column_count; c++) most = largest(most, news->updates[c].count);
    return covey__mpi_neighbour_reach(mpi, n, n->ghost_count + news->begins) &&
           covey__mpi_reach(mpi, SCRATCH_LISTED, (uint64_t)most * sizeof(covey_entity)) &&
           covey__mpi_reach(mpi, SCRATCH_GUESTS, (uint64_t)most * sizeof(covey_entity)) &&
           covey__mpi_reach(mpi, SCRATCH_GHOSTS, (uint64_t)news->begins * sizeof(covey_ghost));
}

static covey_result read_all(covey_mpi *mpi, covey__mpi_news **all, uint32_t *count) {
    covey__mpi_ghosts *g = mpi->ghosts;
    const char *why;
    *count = 0;
    *all = covey__mpi_reach(mpi, SCRATCH_INCOMING, (uint64_t)mpi->size * sizeof **all);
    if (!*all) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for messages");
    for (int r = 0; r < mpi->size; r++) {
        covey__mpi_news *news = &(*all)[*count];
        if (mpi->coming[r] == 0) continue;
        if (!covey__mpi_news_read(mpi, r, g->received + mpi->starts[r], mpi->coming[r], news, &why))
            return covey__mpi_fail(mpi, COVEY_ERROR_IMAGE, "the message of rank %d about ghosts is refused: %s", r,
                                   why);
        if (!make_room(mpi, news))
            return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for ghosts of rank %d", r);
        ++*count;
    }
    return COVEY_OK;
}

/* ---- Ghosts that begin -------------------------------------------------------------------------------------------*/

static void swap_bytes(unsigned char *a, unsigned char *b, size_t size) {
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = a[i];
        a[i] = b[i];
        b[i] = byte;
    }
}

static void swap_begins(const covey__mpi_ghosts *g, covey__mpi_news *news, uint32_t a, uint32_t b) {
    swap_bytes((unsigned char *)&news->entities[a], (unsigned char *)&news->entities[b], sizeof *news->entities);
    swap_bytes((unsigned char *)&news->begin_slots[a], (unsigned char *)&news->begin_slots[b], sizeof(uint32_t));
    for (uint32_t c = 0; c < g->column_count; c++) {
        size_t size = g->columns[c]->type->size;
        swap_bytes(news->values[c] + a * size, news->values[c] + b * size, size);
    }
}

/* Those that are ghosts here already, of the rank where their entity lived before, go to the end. */
static void sort_begins(const covey_mpi *mpi, covey__mpi_news *news) {
    news->fresh = news->begins;
    if (covey_pool_count(mpi->ghost) == 0) return;
    for (uint32_t i = 0; i < news->fresh;)
        if (!covey_pool_has(mpi->ghost, news->entities[i])) i++;
        else swap_begins(mpi->ghosts, news, i, --news->fresh);
}

static covey_result refuse(covey_mpi *mpi, covey_result result, covey_entity e, const char *why) {
    return covey__mpi_fail(mpi, result, "%u:%u cannot have a ghost: %s", e.index, e.generation, why);
}

static covey_result check_fresh(covey_mpi *mpi, const covey__mpi_news *news) {
    for (uint32_t i = 0; i < news->fresh; i++) {
        covey_entity e = news->entities[i];
        if (covey__mpi_is_home(mpi, e)) {
            if (!covey_pool_has(mpi->away, e))
                return refuse(mpi, COVEY_ERROR_TAKEN, e, "it was destroyed at home while it was away");
        } else if (covey_mpi_home(mpi, e) < 0) {
            return refuse(mpi, COVEY_ERROR_IMAGE, e, "it is of no rank");
        }
    }
    return COVEY_OK;
}

static uint32_t list_others(covey_mpi *mpi, const covey__mpi_news *news, covey_entity **list) {
    uint32_t count = 0;
    *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_GUESTS].bytes;
    for (uint32_t i = 0; i < news->fresh; i++)
        if (!covey__mpi_is_home(mpi, news->entities[i])) (*list)[count++] = news->entities[i];
    return count;
}

static covey_result fail_to_make(covey_mpi *mpi, const covey__mpi_news *news) {
    covey_result result = covey_world_result(mpi->world);
    return covey__mpi_fail(mpi, result, "ghosts of rank %d could not be made: %s", news->source,
                           covey_result_text(result));
}

static covey_result make_fresh(covey_mpi *mpi, covey__mpi_news *news) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    covey_entity *list;
    uint32_t others = list_others(mpi, news, &list);
    covey_ghost *marks = (covey_ghost *)(void *)mpi->scratch[SCRATCH_GHOSTS].bytes;
    covey__mpi_ghosts_yield(mpi, list, others);
    if (!covey_create_exact(mpi->world, list, others, COVEY_EXACT_AGAIN)) return fail_to_make(mpi, news);
    news->created = true;
    for (uint32_t i = 0; i < news->fresh; i++) marks[i] = (covey_ghost){ news->source, news->begin_slots[i] };
    if (!covey_add_array_raw(mpi->world, news->entities, news->fresh, covey_id(covey_ghost), marks))
        return fail_to_make(mpi, news);
    for (uint32_t c = 0; c < g->column_count; c++)
        if (!covey_add_array_raw(mpi->world, news->entities, news->fresh, g->columns[c]->type, news->values[c]))
            return fail_to_make(mpi, news);
    return COVEY_OK;
}

static covey_result begin_ghosts(covey_mpi *mpi, covey__mpi_news *news) {
    sort_begins(mpi, news);
    covey_result result = check_fresh(mpi, news);
    return result == COVEY_OK ? make_fresh(mpi, news) : result;
}

static void take_back(covey_mpi *mpi, const covey__mpi_news *news) {
    if (news->created) covey__mpi_ghosts_end(mpi, news->entities, news->fresh);
}

/* ---- What cannot fail --------------------------------------------------------------------------------------------*/

/* Slots of ghosts that begin; those whose entity has moved have new values, too. */
static void note_begins(covey_mpi *mpi, const covey__mpi_news *news) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    covey__mpi_neighbour *n = &g->neighbours[news->source];
    for (uint32_t i = 0; i < news->begins; i++) {
        uint32_t slot = news->begin_slots[i];
        while (n->ghost_count <= slot) n->ghosts[n->ghost_count++] = (covey_entity){ 0, 0 };
        n->ghosts[slot] = news->entities[i];
    }
    for (uint32_t i = news->fresh; i < news->begins; i++) {
        covey_ghost mark = { news->source, news->begin_slots[i] };
        covey_pool_set_raw(mpi->ghost, news->entities[i], &mark);
        for (uint32_t c = 0; c < g->column_count; c++)
            if (covey_pool_has(g->columns[c]->pool, news->entities[i]))
                covey_pool_set_raw(g->columns[c]->pool, news->entities[i],
                                   news->values[c] + (size_t)i * g->columns[c]->type->size);
    }
}

static void list_runs(const covey__mpi_neighbour *n, const covey__mpi_update *u, covey_entity *list) {
    for (uint32_t i = 0; i < u->run_count; i++)
        for (uint32_t k = 0; k < u->runs[i].count; k++) *list++ = n->ghosts[u->runs[i].slot + k];
}

enum { LONG = 64 };
static bool runs_are_long(const covey__mpi_update *u) { return u->count / u->run_count >= LONG; }

/* The ghosts of a run are listed by their slots already. */
static void update_runs(covey_world *world, const covey__mpi_neighbour *n, const covey__mpi_update *u,
                        const covey_type *type) {
    const unsigned char *values = u->values;
    for (uint32_t i = 0; i < u->run_count; i++) {
        covey_set_array_raw(world, n->ghosts + u->runs[i].slot, u->runs[i].count, type, values);
        values += (size_t)u->runs[i].count * type->size;
    }
}

/* Who is not there any more, is left out. */
static void update_ghosts(covey_mpi *mpi, const covey__mpi_news *news) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    const covey__mpi_neighbour *n = &g->neighbours[news->source];
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_LISTED].bytes;
    const covey__mpi_run *listed = NULL;
    for (uint32_t c = 0; c < g->column_count; c++) {
        const covey__mpi_update *u = &news->updates[c];
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

/* Ends ghosts, unless they became those of another slot, or the entity itself. */
static void end_ghosts(covey_mpi *mpi, const covey__mpi_news *news) {
    covey__mpi_neighbour *n = &mpi->ghosts->neighbours[news->source];
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_LISTED].bytes;
    uint32_t count = 0;
    for (uint32_t i = 0; i < news->ends; i++) {
        covey_entity e = n->ghosts[news->end_slots[i]];
        n->ghosts[news->end_slots[i]] = (covey_entity){ 0, 0 };
        const covey_ghost *mark = covey_is_null(e) ? NULL : covey_pool_get_raw(mpi->ghost, e);
        if (mark && mark->rank == news->source && mark->slot == news->end_slots[i]) list[count++] = e;
    }
    covey__mpi_ghosts_end(mpi, list, count);
}

void covey__mpi_ghosts_cancel(covey_mpi *mpi) {
    mpi->refreshing = false;
    if (mpi->ghosts) covey__mpi_notes_cancel(mpi);
}

covey_result covey__mpi_ghosts_apply(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    covey__mpi_news *all = NULL;
    uint32_t count = 0, begun = 0;
    if (!g || !mpi->refreshing)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "a refresh of ghosts was ended by another collective call");
    mpi->refreshing = false;
    if (g->result == COVEY_OK) {
        g->result = read_all(mpi, &all, &count);
        while (g->result == COVEY_OK && begun < count) g->result = begin_ghosts(mpi, &all[begun++]);
        g->result = covey__mpi_agree(mpi, g->result);
    }
    if (g->result != COVEY_OK) {
        while (begun != 0) take_back(mpi, &all[--begun]);
        covey__mpi_notes_cancel(mpi);
        return g->result;
    }
    for (uint32_t i = 0; i < count; i++) note_begins(mpi, &all[i]);
    for (uint32_t i = 0; i < count; i++) update_ghosts(mpi, &all[i]);
    for (uint32_t i = 0; i < count; i++) end_ghosts(mpi, &all[i]);
    covey__mpi_notes_commit(mpi);
    g->seen = g->packed;
    return COVEY_OK;
}

covey_result covey_mpi_refresh(covey_mpi *mpi) {
    covey_result result = covey__mpi_ghosts_pack(mpi);
    if (!mpi->refreshing) return result; /* not begun, on all ranks */
    covey__mpi_ghosts_transfer(mpi);
    return covey__mpi_ghosts_apply(mpi);
}

void covey__mpi_ghosts_ask_again(covey_mpi *mpi) {
    if (mpi->ghosts) mpi->ghosts->seen = 0;
}

covey_result covey_mpi_refresh_all(covey_mpi *mpi) {
    covey__mpi_ghosts_ask_again(mpi);
    return covey_mpi_refresh(mpi);
}
