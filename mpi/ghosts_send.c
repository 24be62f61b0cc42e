/* Packing and sending messages about ghosts: one for each rank that has or gets ghosts of entities that live here.
 *
 *     header | slots of removed ghosts | new ghosts: handles, slots, values of each type |
 *     for each type: header, changed values, runs of their slots
 *
 * Each part begins at a multiple of 64 bytes. */
#include "ghosts.h"
#include "message.h"

#include <stdlib.h>

enum { FEW_DIVISOR = 8 }; /* few changes: at most one in this many ghosts */

uint64_t covey__mpi_ghost_message_checksum(const unsigned char *bytes, uint64_t size) {
    covey__mpi_checksum sum = { { 0 }, { 0 } };
    size_t skipped = offsetof(covey__mpi_ghost_header, bytes);
    covey__mpi_checksum_add(&sum, bytes + COVEY__MPI_ALIGN, (size_t)size - COVEY__MPI_ALIGN);
    uint64_t body = covey__mpi_hash(COVEY__MPI_GHOST_MAGIC, &sum, sizeof sum);
    return covey__mpi_hash(body, bytes + skipped, COVEY__MPI_ALIGN - skipped);
}

/* ---- Choosing ranks ----------------------------------------------------------------------------------------------*/

static bool all_have_ticks(const covey__mpi_ghosts *g) {
    for (uint32_t c = 0; c < g->column_count; c++)
        if (!g->columns[c]->type->ticks) return false;
    return true;
}

/* A view of entities that live here and have all types of ghosts. If all types have ticks, only of changed ones. */
static covey_view make_view(covey_mpi *mpi) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    covey_view_desc desc = { .without = { covey_id(covey_ghost) }, .include_disabled = true };
    bool ticks = all_have_ticks(g);
    for (uint32_t c = 0; c < g->column_count; c++) {
        desc.with[c] = desc.read[c] = g->columns[c]->type;
        if (ticks) desc.changed[c] = g->columns[c]->type;
    }
    return covey_view_make(mpi->world, &desc);
}

/* An iteration. Over changes it is in index order; over all entities it need not be. */
typedef struct walk {
    covey_iter it;
    bool by_index;
} walk;

static void begin_walk(walk *w, const covey_view *view, uint64_t seen, bool ticks) {
    w->by_index = ticks && seen != 0;
    w->it = ticks ? covey_view_iter_since(view, seen) : covey_view_iter(view);
}

/* Rows of a span with consecutive indices, in one page of heads. */
typedef struct stretch {
    uint32_t row, index, count;
    const uint64_t *keys; /* NULL: none of them has ghosts */
} stretch;

static uint32_t count_neighbours(const walk *w, uint32_t row, uint32_t index, uint32_t most) {
    uint32_t count = 1;
    if (w->by_index && covey_span_entity(&w->it, row + most - 1).index == index + most - 1) return most;
    while (count < most && covey_span_entity(&w->it, row + count).index == index + count) count++;
    return count;
}

static stretch stretch_at(const covey__mpi_ghosts *g, const walk *w, uint32_t row) {
    uint32_t index = covey_span_entity(&w->it, row).index, at = index % COVEY__MPI_HEADS, most = w->it.count - row;
    const covey__mpi_heads *heads = covey__mpi_heads_of(g, index);
    if (most > COVEY__MPI_HEADS - at) most = COVEY__MPI_HEADS - at;
    return (stretch){ row, index, count_neighbours(w, row, index, most), heads ? heads->keys + at : NULL };
}

static bool is_among(const int *ranks, uint32_t count, int rank) {
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] == rank) return true;
    return false;
}

static bool has_ghost(const covey__mpi_ghosts *g, uint32_t record, int rank) {
    for (; record != 0; record = g->records[record].next)
        if (g->records[record].rank == rank) return true;
    return false;
}

static covey_result out_of_memory(covey_mpi *mpi) {
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory to refresh ghosts");
}

static covey_result check_rank(covey_mpi *mpi, covey_entity e, int rank) {
    if (rank >= 0 && rank < mpi->size) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "%u:%u cannot have a ghost on rank %d: there are %d ranks", e.index,
                           e.generation, rank, mpi->size);
}

/* Creates and removes ghosts of an entity, so that exactly these ranks have one. */
static covey_result set_ghost_ranks(covey_mpi *mpi, covey_entity e, const int *ranks, uint32_t count) {
    covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t head = covey__mpi_first_record(g, e.index);
    for (uint32_t record = head; record != 0; record = g->records[record].next)
        if (!is_among(ranks, count, g->records[record].rank) && !covey__mpi_record_end(mpi, record))
            return out_of_memory(mpi);
    for (uint32_t i = 0; i < count; i++) {
        covey_result result = check_rank(mpi, e, ranks[i]);
        if (result != COVEY_OK) return result;
        if (ranks[i] == mpi->rank || is_among(ranks, i, ranks[i]) || has_ghost(g, head, ranks[i])) continue;
        if (!covey__mpi_record_begin(mpi, e, ranks[i])) return out_of_memory(mpi);
    }
    return COVEY_OK;
}

/* The usual case: the entity has no ghosts and needs none, or has one on the right rank. */
static bool is_unchanged(uint64_t key, const int *ranks, uint32_t count) {
    if (count == 0) return key == 0;
    return count == 1 && key >> 32 == (uint64_t)(uint32_t)ranks[0] + 1;
}

/* Changed entities, with the slots of their ghosts on one rank. Used when few entities changed. */
typedef struct changed_list {
    covey_entity *entities;
    uint32_t *slots, *positions;
    uint32_t count, room; /* `count` may exceed `room`; only `room` entities are listed */
} changed_list;

/* Makes an empty list for each rank. Returns NULL when memory is out. */
static changed_list *begin_lists(covey_mpi *mpi) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    uint64_t room = 0;
    changed_list *all = covey__mpi_scratch_reserve(mpi, SCRATCH_CHANGED, (uint64_t)mpi->size * sizeof *all);
    for (int r = 0; r < mpi->size; r++) room += g->neighbours[r].live / FEW_DIVISOR;
    covey_entity *entities = covey__mpi_scratch_reserve(mpi, SCRATCH_LISTED, room * sizeof *entities);
    uint32_t *numbers = covey__mpi_scratch_reserve(mpi, SCRATCH_POSITIONS, room * 2 * sizeof *numbers);
    if (!all || !entities || !numbers) return NULL;
    for (int r = 0; r < mpi->size; r++) {
        uint32_t own = g->neighbours[r].live / FEW_DIVISOR;
        all[r] = (changed_list){ entities, numbers, numbers + own, 0, own };
        entities += own;
        numbers += own * 2;
    }
    return all;
}

static void list_changed(changed_list *t, covey_entity e, uint32_t slot) {
    if (t->count++ >= t->room) return;
    t->entities[t->count - 1] = e;
    t->slots[t->count - 1] = slot;
}

static void list_changed_ghosts(const covey__mpi_ghosts *g, covey_entity e, changed_list *lists) {
    for (uint32_t record = covey__mpi_first_record(g, e.index); record != 0; record = g->records[record].next)
        if (!g->records[record].ending) list_changed(&lists[g->records[record].rank], e, g->records[record].slot);
}

static bool are_few(const covey_mpi *mpi, const changed_list *lists) {
    if (mpi->ghosts->seen == 0 || !all_have_ticks(mpi->ghosts)) return false;
    for (int r = 0; r < mpi->size; r++)
        if (lists[r].count > lists[r].room) return false;
    return true;
}

static covey_result choose_stretch(covey_mpi *mpi, const walk *w, stretch s, int *ranks, changed_list *lists) {
    covey__mpi_ghosts *g = mpi->ghosts;
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < s.count && result == COVEY_OK; i++) {
        covey_entity e = covey_span_entity(&w->it, s.row + i);
        uint32_t count = g->near(mpi->world, e, ranks, g->context);
        uint64_t key = s.keys ? s.keys[i] : 0;
        if (is_unchanged(key, ranks, count)) {
            if (key != 0) list_changed(&lists[ranks[0]], e, (uint32_t)key);
            continue;
        }
        result = set_ghost_ranks(mpi, e, ranks, count);
        list_changed_ghosts(g, e, lists);
    }
    return result;
}

static covey_result choose_all(covey_mpi *mpi, changed_list *lists) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    int *ranks = covey__mpi_scratch_reserve(mpi, SCRATCH_NEAR, (uint64_t)mpi->size * sizeof *ranks);
    if (!ranks || !lists) return out_of_memory(mpi);
    covey_view view = make_view(mpi);
    covey_result result = COVEY_OK;
    walk w;
    begin_walk(&w, &view, g->seen, all_have_ticks(g));
    while (result == COVEY_OK && covey_next(&w.it))
        for (uint32_t row = 0; row < w.it.count && result == COVEY_OK;) {
            stretch s = stretch_at(g, &w, row);
            result = choose_stretch(mpi, &w, s, ranks, lists);
            row += s.count;
        }
    return result;
}

typedef struct beginning {
    uint32_t index, record;
} beginning;

static int by_index(const void *a, const void *b) {
    uint32_t left = ((const beginning *)a)->index, right = ((const beginning *)b)->index;
    return left < right ? -1 : left > right;
}

/* Assigns new slots in index order, so that consecutive indices have consecutive slots. */
static covey_result sort_begins(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    beginning *sorted = covey__mpi_scratch_reserve(mpi, SCRATCH_SORTED, (uint64_t)g->begins.count * sizeof *sorted);
    bool ascend = true;
    if (!sorted) return out_of_memory(mpi);
    for (uint32_t i = 0; i < g->begins.count; i++) {
        sorted[i] = (beginning){ g->records[g->begins.at[i]].entity.index, g->begins.at[i] };
        ascend &= i == 0 || sorted[i].index >= sorted[i - 1].index;
    }
    if (ascend) return COVEY_OK;
    qsort(sorted, g->begins.count, sizeof *sorted, by_index);
    for (int r = 0; r < mpi->size; r++) g->neighbours[r].slots = g->neighbours[r].slots_before;
    for (uint32_t i = 0; i < g->begins.count; i++) {
        covey__mpi_record *record = &g->records[sorted[i].record];
        g->begins.at[i] = sorted[i].record;
        if (sorted[i].record >= g->records_before) record->slot = g->neighbours[record->rank].slots++;
    }
    return COVEY_OK;
}

/* Adds ghosts of entities that were destroyed or lost a component to the message. */
static covey_result add_ended(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    for (int r = 0; r < mpi->size; r++)
        for (uint32_t record = g->neighbours[r].ended; record != 0; record = g->records[record].next)
            if (!covey__mpi_record_end(mpi, record)) return out_of_memory(mpi);
    return COVEY_OK;
}

/* ---- Room --------------------------------------------------------------------------------------------------------*/

static uint64_t room_for(const covey__mpi_ghosts *g, const covey__mpi_neighbour *n) {
    uint64_t begins = n->begins,
             room = covey__mpi_aligned(sizeof(covey__mpi_ghost_header)) + covey__mpi_aligned(n->ends * UINT64_C(4)) +
                    covey__mpi_aligned(begins * sizeof(covey_entity)) + covey__mpi_aligned(begins * 4);
    for (uint32_t c = 0; c < g->column_count; c++) {
        uint64_t size = g->columns[c]->type->size;
        room += covey__mpi_aligned(begins * size) + COVEY__MPI_ALIGN + covey__mpi_aligned(n->live * size) +
                covey__mpi_aligned(n->live * sizeof(covey__mpi_run));
    }
    return room;
}

/* A message that is being written. */
typedef struct writing {
    unsigned char *to;
    uint64_t at;
    covey__mpi_run *runs; /* of the current column */
    uint32_t count, run_count;
    const covey__mpi_run *last_runs; /* of an earlier column, in the message */
    uint32_t last_count;
    uint64_t column; /* where the header of the current column is */
    bool any;        /* the message is not empty */
} writing;

static void align(writing *w) {
    uint64_t end = covey__mpi_aligned(w->at);
    memset(w->to + w->at, 0, (size_t)(end - w->at));
    w->at = end;
}

static writing *make_room(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    uint64_t room = 0, runs = 0;
    writing *all = covey__mpi_scratch_reserve(mpi, SCRATCH_PARTS, (uint64_t)mpi->size * sizeof *all);
    for (int r = 0; r < mpi->size; r++) {
        mpi->send_offsets[r] = room;
        mpi->send_sizes[r] = 0;
        room += room_for(g, &g->neighbours[r]);
        runs += g->neighbours[r].live;
    }
    g->send = covey__mpi_scratch_reserve(mpi, SCRATCH_SEND, room);
    covey__mpi_run *scratch = covey__mpi_scratch_reserve(mpi, SCRATCH_RUNS, runs * sizeof *scratch);
    if (!all || !g->send || !scratch) return NULL;
    for (int r = 0; r < mpi->size; r++) {
        all[r] = (writing){ .to = g->send + mpi->send_offsets[r], .runs = scratch };
        scratch += g->neighbours[r].live;
    }
    return all;
}

/* ---- New and removed ghosts --------------------------------------------------------------------------------------*/

/* Sorts the records of new ghosts by rank. Those of rank r begin at target_starts[r]. */
static uint32_t *group_begins(covey_mpi *mpi) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t *grouped = covey__mpi_scratch_reserve(mpi, SCRATCH_GROUPED, (uint64_t)g->begins.count * sizeof *grouped),
             at = 0;
    if (!grouped) return NULL;
    for (int r = 0; r < mpi->size; r++) {
        mpi->target_starts[r] = at;
        at += g->neighbours[r].begins;
    }
    for (uint32_t i = 0; i < g->begins.count; i++)
        grouped[mpi->target_starts[g->records[g->begins.at[i]].rank]++] = g->begins.at[i];
    for (int r = mpi->size; r > 0; r--) mpi->target_starts[r] = mpi->target_starts[r - 1];
    mpi->target_starts[0] = 0;
    return grouped;
}

static void write_begins(covey_mpi *mpi, writing *w, const uint32_t *records, uint32_t count) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < count; i++, w->at += sizeof(covey_entity))
        memcpy(w->to + w->at, &g->records[records[i]].entity, sizeof(covey_entity));
    align(w);
    for (uint32_t i = 0; i < count; i++, w->at += sizeof(uint32_t))
        memcpy(w->to + w->at, &g->records[records[i]].slot, sizeof(uint32_t));
    align(w);
    for (uint32_t c = 0; c < g->column_count; c++) {
        uint32_t size = g->columns[c]->type->size;
        for (uint32_t i = 0; size != 0 && i < count; i++, w->at += size)
            memcpy(w->to + w->at, covey_pool_get_raw(g->columns[c]->pool, g->records[records[i]].entity), size);
        align(w);
    }
}

static void write_ends(covey_mpi *mpi, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < g->ends.count; i++) {
        const covey__mpi_record *record = &g->records[g->ends.at[i]];
        writing *w = &all[record->rank];
        memcpy(w->to + w->at, &record->slot, sizeof record->slot);
        w->at += sizeof record->slot;
    }
    for (int r = 0; r < mpi->size; r++) align(&all[r]);
}

static bool write_begins_and_ends(covey_mpi *mpi, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t *records = group_begins(mpi);
    if (!records) return false;
    for (int r = 0; r < mpi->size; r++) all[r].at = covey__mpi_aligned(sizeof(covey__mpi_ghost_header));
    write_ends(mpi, all);
    for (int r = 0; r < mpi->size; r++) {
        const covey__mpi_neighbour *n = &g->neighbours[r];
        write_begins(mpi, &all[r], records + mpi->target_starts[r], n->begins);
        all[r].any = n->begins != 0 || n->ends != 0;
        mpi->stats.ghosts_created += n->begins;
    }
    return true;
}

/* ---- Changed values ----------------------------------------------------------------------------------------------*/

/* Fast for a single small value, the usual case when slots are not consecutive. */
static void copy_values(unsigned char *to, const unsigned char *values, size_t bytes) {
    switch (bytes) {
    case 4: memcpy(to, values, 4); break;
    case 8: memcpy(to, values, 8); break;
    case 12: memcpy(to, values, 12); break;
    case 16: memcpy(to, values, 16); break;
    default: memcpy(to, values, bytes);
    }
}

/* Appends a run. Extends the last one where they are adjacent. */
static void append_run(writing *w, uint32_t slot, uint32_t count) {
    covey__mpi_run *last = w->run_count != 0 ? &w->runs[w->run_count - 1] : NULL;
    w->count += count;
    if (last && last->slot + last->count == slot) last->count += count;
    else w->runs[w->run_count++] = (covey__mpi_run){ slot, count };
}

/* Writes the values of consecutive slots. */
static void write_run(writing *w, uint32_t slot, const unsigned char *values, uint32_t count, uint32_t size) {
    copy_values(w->to + w->at, values, (size_t)count * size);
    w->at += (uint64_t)count * size;
    append_run(w, slot, count);
}

static void write_records(const covey__mpi_ghosts *g, uint32_t record, const unsigned char *value, uint32_t size,
                          writing *all) {
    for (; record != 0; record = g->records[record].next)
        if (!g->records[record].ending)
            write_run(&all[g->records[record].rank], g->records[record].slot, value, 1, size);
}

static void write_key(const covey__mpi_ghosts *g, uint32_t index, uint64_t key, const unsigned char *value,
                      uint32_t size, writing *all) {
    if (key == COVEY__MPI_SEVERAL) write_records(g, covey__mpi_first_record(g, index), value, size, all);
    else if (key != 0) write_run(&all[(key >> 32) - 1], (uint32_t)key, value, 1, size);
}

/* How many keys at the front are of consecutive slots. Compares eight at a time, with one branch. */
static uint32_t run_of_keys(const uint64_t *keys, uint32_t count) {
    uint32_t run = 1;
    for (uint64_t differ = 0; run + 8 <= count; run += 8) {
        for (uint32_t k = 0; k < 8; k++) differ |= keys[run + k] ^ (keys[0] + run + k);
        if (differ != 0) break;
    }
    while (run < count && keys[run] == keys[0] + run) run++;
    return run;
}

/* Copies the values of consecutive slots with one memcpy. */
static void write_stretch(const covey__mpi_ghosts *g, stretch s, const unsigned char *values, uint32_t size,
                          writing *all) {
    for (uint32_t i = 0, run; i < s.count; i += run) {
        uint64_t key = s.keys[i];
        bool single = key == 0 || key == COVEY__MPI_SEVERAL;
        run = single ? 1 : run_of_keys(s.keys + i, s.count - i);
        if (single) write_key(g, s.index + i, key, values + (size_t)i * size, size, all);
        else write_run(&all[(key >> 32) - 1], (uint32_t)key, values + (size_t)i * size, run, size);
    }
}

static void write_span(const covey__mpi_ghosts *g, const walk *w, uint32_t size, writing *all) {
    const unsigned char *values = covey_field_raw(&w->it, 0);
    for (uint32_t row = 0; row < w->it.count;) {
        stretch s = stretch_at(g, w, row);
        if (s.keys) write_stretch(g, s, values + (size_t)row * size, size, all);
        row += s.count;
    }
}

static void write_row(const covey__mpi_ghosts *g, const walk *w, uint32_t size, writing *all) {
    uint32_t index = covey_span_entity(&w->it, 0).index;
    write_key(g, index, covey__mpi_key(g, index), covey_field_raw(&w->it, 0), size, all);
}

static void begin_column(writing *w) {
    w->column = w->at;
    w->at += COVEY__MPI_ALIGN;
    w->count = w->run_count = 0;
}

/* Writes the runs behind the values, unless they equal those of the previous column. */
static void end_column(writing *w) {
    bool same = w->run_count == w->last_count && w->count != 0 &&
                memcmp(w->runs, w->last_runs, w->run_count * sizeof *w->runs) == 0;
    covey__mpi_ghost_update_header head = { w->count, w->run_count, same };
    memset(w->to + w->column, 0, COVEY__MPI_ALIGN);
    memcpy(w->to + w->column, &head, sizeof head);
    align(w);
    if (w->count != 0) w->any = true;
    if (same || w->count == 0) return;
    memcpy(w->to + w->at, w->runs, w->run_count * sizeof *w->runs);
    w->last_runs = (const covey__mpi_run *)(const void *)(w->to + w->at);
    w->last_count = w->run_count;
    w->at += w->run_count * sizeof *w->runs;
    align(w);
}

/* A view of one type is enough, because only entities with all types have ghosts. */
static void write_by_view(covey_mpi *mpi, const covey_type *type, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    covey_view_desc desc = {
        .with = { type }, .read = { type }, .without = { covey_id(covey_ghost) }, .include_disabled = true
    };
    if (type->ticks) desc.changed[0] = type;
    covey_view view = covey_view_make(mpi->world, &desc);
    walk w;
    begin_walk(&w, &view, g->seen, type->ticks);
    while (covey_next(&w.it))
        if (w.it.count == 1) write_row(g, &w, type->size, all);
        else write_span(g, &w, type->size, all);
}

static void write_by_list(covey_mpi *mpi, const covey_type *type, const changed_list *t, writing *w) {
    uint32_t found =
        covey_gather_since_raw(mpi->world, t->entities, t->count, type, mpi->ghosts->seen, w->to + w->at, t->positions);
    for (uint32_t i = 0; i < found; i++) append_run(w, t->slots[t->positions[i]], 1);
    w->at += (uint64_t)found * type->size;
}

static void write_values(covey_mpi *mpi, const changed_list *lists, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    bool few = are_few(mpi, lists);
    for (uint32_t c = 0; c < g->column_count; c++) {
        const covey_type *type = g->columns[c]->type;
        if (type->size == 0) continue;
        for (int r = 0; r < mpi->size; r++) begin_column(&all[r]);
        for (int r = 0; few && r < mpi->size; r++) write_by_list(mpi, type, &lists[r], &all[r]);
        if (!few) write_by_view(mpi, type, all);
        for (int r = 0; r < mpi->size; r++) {
            end_column(&all[r]);
            mpi->stats.values_sent += all[r].count;
        }
    }
}

static void write_headers(covey_mpi *mpi, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (int r = 0; r < mpi->size; r++) {
        writing *w = &all[r];
        covey__mpi_ghost_header head = { .magic = COVEY__MPI_GHOST_MAGIC,
                                         .bytes = w->at,
                                         .ends = g->neighbours[r].ends,
                                         .begins = g->neighbours[r].begins,
                                         .columns = g->column_count };
        if (!w->any) continue;
        memset(w->to, 0, (size_t)covey__mpi_aligned(sizeof head));
        memcpy(w->to, &head, sizeof head);
        head.checksum = covey__mpi_ghost_message_checksum(w->to, w->at);
        memcpy(w->to, &head, sizeof head);
        mpi->send_sizes[r] = w->at;
    }
}

static covey_result pack(covey_mpi *mpi) {
    changed_list *lists = begin_lists(mpi);
    covey_result result = add_ended(mpi);
    if (result == COVEY_OK) result = choose_all(mpi, lists);
    if (result == COVEY_OK) result = sort_begins(mpi);
    if (result != COVEY_OK) return result;
    writing *all = make_room(mpi);
    if (!all || !write_begins_and_ends(mpi, all)) return out_of_memory(mpi);
    write_values(mpi, lists, all);
    write_headers(mpi, all);
    return COVEY_OK;
}

covey_result covey__mpi_ghosts_pack(covey_mpi *mpi) {
    covey_result result = covey__mpi_enter(mpi, CALL_GHOSTS_REFRESH);
    covey__mpi_ghosts *g = mpi->ghosts;
    if (result != COVEY_OK) return result;
    if (!g)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "no ghosts are defined: call covey_mpi_ghosts_define first");
    g->begins.count = g->ends.count = 0;
    g->records_before = g->record_count;
    for (int r = 0; r < mpi->size; r++) {
        g->neighbours[r].begins = g->neighbours[r].ends = 0;
        g->neighbours[r].slots_before = g->neighbours[r].slots;
    }
    mpi->refreshing = true;
    g->packed = covey_tick_advance(mpi->world);
    g->result = pack(mpi);
    return g->result;
}

covey_result covey__mpi_ghosts_transfer(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    if (!g || !mpi->refreshing)
        return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED,
                               "the refresh of ghosts was cancelled by another collective call");
    g->result = covey__mpi_exchange(mpi, g->send, g->result, &g->received);
    return g->result;
}
