/* What a rank tells the others about their ghosts of its entities: a message for each rank that has, or gets, some.
 *
 *     header | slots that end | those that begin: handles, slots, values of each type |
 *     for each type: header, values that changed, their slots
 *
 * Each part begins at a multiple of 64 bytes. */
#include "ghosts.h"

enum { ALIGN = 64 };

static uint64_t aligned(uint64_t size) { return (size + ALIGN - 1) / ALIGN * ALIGN; }

uint64_t covey__mpi_news_checksum(const unsigned char *bytes, uint64_t size) {
    size_t skipped = offsetof(covey__mpi_news_header, bytes);
    return covey__mpi_hash(COVEY__MPI_NEWS_MAGIC, bytes + skipped, (size_t)size - skipped);
}

/* ---- Who is near -------------------------------------------------------------------------------------------------*/

static bool all_have_ticks(const covey__mpi_ghosts *g) {
    for (uint32_t c = 0; c < g->column_count; c++)
        if (!g->columns[c]->type->ticks) return false;
    return true;
}

/* Entities that live here and have all types; those with a change in `changed`, or, if it is NULL, in any type, if that can
 * be known. */
static covey_view make_view(covey_mpi *mpi, const covey_type *changed) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    covey_view_desc desc = { .without = { covey_id(covey_ghost) }, .disabled = true };
    bool ticks = changed ? changed->ticks : all_have_ticks(g);
    for (uint32_t c = 0; c < g->column_count; c++) {
        desc.with[c] = desc.read[c] = g->columns[c]->type;
        if (ticks && !changed) desc.changed[c] = g->columns[c]->type;
    }
    if (ticks && changed) desc.changed[0] = changed;
    return covey_view_make(mpi->world, &desc);
}

static covey_iter begin_iter(const covey_view *view, uint64_t seen, bool ticks) {
    return ticks ? covey_view_iter_since(view, seen) : covey_view_iter(view);
}

static bool is_among(const int *ranks, uint32_t count, int rank) {
    for (uint32_t i = 0; i < count; i++)
        if (ranks[i] == rank) return true;
    return false;
}

static bool has_ghost(const covey__mpi_ghosts *g, uint32_t note, int rank) {
    for (; note != 0; note = g->notes[note].next)
        if (g->notes[note].rank == rank) return true;
    return false;
}

static covey_result out_of_memory(covey_mpi *mpi) {
    return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory to refresh ghosts");
}

static covey_result check_rank(covey_mpi *mpi, covey_entity e, int rank) {
    if (rank >= 0 && rank < mpi->size) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "%u:%u cannot have a ghost on rank %d: there are %d", e.index,
                           e.generation, rank, mpi->size);
}

/* Begins and ends ghosts of an entity so that exactly these ranks have one. */
static covey_result choose(covey_mpi *mpi, covey_entity e, const int *ranks, uint32_t count) {
    covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t head = covey__mpi_head(g, e.index);
    for (uint32_t note = head; note != 0; note = g->notes[note].next)
        if (!is_among(ranks, count, g->notes[note].rank) && !covey__mpi_note_end(mpi, note)) return out_of_memory(mpi);
    for (uint32_t i = 0; i < count; i++) {
        covey_result result = check_rank(mpi, e, ranks[i]);
        if (result != COVEY_OK) return result;
        if (ranks[i] == mpi->rank || is_among(ranks, i, ranks[i]) || has_ghost(g, head, ranks[i])) continue;
        if (!covey__mpi_note_begin(mpi, e, ranks[i])) return out_of_memory(mpi);
    }
    return COVEY_OK;
}

/* The usual case: no ghosts, and none wanted, or one, on the same rank. */
static bool stays(const covey__mpi_ghosts *g, uint32_t head, const int *ranks, uint32_t count) {
    if (count == 0) return head == 0;
    return count == 1 && head != 0 && g->notes[head].next == 0 && g->notes[head].rank == ranks[0];
}

static covey_result choose_all(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    int *ranks = covey__mpi_reach(mpi, SCRATCH_NEAR, (uint64_t)mpi->size * sizeof *ranks);
    if (!ranks) return out_of_memory(mpi);
    covey_view view = make_view(mpi, NULL);
    covey_iter it = begin_iter(&view, g->seen, all_have_ticks(g));
    covey_result result = COVEY_OK;
    while (result == COVEY_OK && covey_next(&it))
        for (uint32_t i = 0; i < it.count && result == COVEY_OK; i++) {
            covey_entity e = covey_span_entity(&it, i);
            uint32_t count = g->near(mpi->world, e, ranks, g->context);
            if (!stays(g, covey__mpi_head(g, e.index), ranks, count)) result = choose(mpi, e, ranks, count);
        }
    return result;
}

/* Notes of entities that are gone end, too. */
static covey_result end_gone(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    for (int r = 0; r < mpi->size; r++)
        for (uint32_t note = g->neighbours[r].ended; note != 0; note = g->notes[note].next)
            if (!covey__mpi_note_end(mpi, note)) return out_of_memory(mpi);
    return COVEY_OK;
}

/* ---- Room --------------------------------------------------------------------------------------------------------*/

static uint64_t room_for(const covey__mpi_ghosts *g, const covey__mpi_neighbour *n) {
    uint64_t begins = n->begins, room = aligned(sizeof(covey__mpi_news_header)) + aligned(n->ends * UINT64_C(4)) +
                                        aligned(begins * sizeof(covey_entity)) + aligned(begins * 4);
    for (uint32_t c = 0; c < g->column_count; c++) {
        uint64_t size = g->columns[c]->type->size;
        room += aligned(begins * size) + ALIGN + aligned(n->live * size) + aligned(n->live * UINT64_C(4));
    }
    return room;
}

/* The message for a rank, while it is written. */
typedef struct writing {
    unsigned char *to;
    uint64_t at;
    uint32_t *slots;     /* of the column that is written */
    uint32_t count;
    const uint32_t *last_slots; /* of the column before, in the message */
    uint32_t last_count;
    uint64_t column;     /* where its header is */
    bool any;            /* there is something to tell */
} writing;

static void align(writing *w) {
    uint64_t end = aligned(w->at);
    memset(w->to + w->at, 0, (size_t)(end - w->at));
    w->at = end;
}

static writing *make_room(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    uint64_t room = 0, slots = 0;
    writing *all = covey__mpi_reach(mpi, SCRATCH_PARTS, (uint64_t)mpi->size * sizeof *all);
    for (int r = 0; r < mpi->size; r++) {
        mpi->offsets[r] = room;
        mpi->sizes[r] = 0;
        room += room_for(g, &g->neighbours[r]);
        slots += g->neighbours[r].live;
    }
    g->send = covey__mpi_reach(mpi, SCRATCH_SEND, room);
    uint32_t *scratch = covey__mpi_reach(mpi, SCRATCH_SLOTS, slots * sizeof *scratch);
    if (!all || !g->send || !scratch) return NULL;
    for (int r = 0; r < mpi->size; r++) {
        all[r] = (writing){ .to = g->send + mpi->offsets[r], .slots = scratch };
        scratch += g->neighbours[r].live;
    }
    return all;
}

/* ---- Ghosts that begin and end -----------------------------------------------------------------------------------*/

/* The notes of ghosts that begin, by rank: those of rank r from starts[r] on. */
static uint32_t *group_begins(covey_mpi *mpi) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t *grouped = covey__mpi_reach(mpi, SCRATCH_GROUPED, (uint64_t)g->begins.count * sizeof *grouped), at = 0;
    if (!grouped) return NULL;
    for (int r = 0; r < mpi->size; r++) {
        mpi->parts[r] = at;
        at += g->neighbours[r].begins;
    }
    for (uint32_t i = 0; i < g->begins.count; i++)
        grouped[mpi->parts[g->notes[g->begins.at[i]].rank]++] = g->begins.at[i];
    for (int r = mpi->size; r > 0; r--) mpi->parts[r] = mpi->parts[r - 1];
    mpi->parts[0] = 0;
    return grouped;
}

static void write_begins(covey_mpi *mpi, writing *w, const uint32_t *notes, uint32_t count) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < count; i++, w->at += sizeof(covey_entity))
        memcpy(w->to + w->at, &g->notes[notes[i]].entity, sizeof(covey_entity));
    align(w);
    for (uint32_t i = 0; i < count; i++, w->at += sizeof(uint32_t))
        memcpy(w->to + w->at, &g->notes[notes[i]].slot, sizeof(uint32_t));
    align(w);
    for (uint32_t c = 0; c < g->column_count; c++) {
        uint32_t size = g->columns[c]->type->size;
        for (uint32_t i = 0; size != 0 && i < count; i++, w->at += size)
            memcpy(w->to + w->at, covey_pool_get_raw(g->columns[c]->pool, g->notes[notes[i]].entity), size);
        align(w);
    }
}

static void write_ends(covey_mpi *mpi, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < g->ends.count; i++) {
        const covey__mpi_note *note = &g->notes[g->ends.at[i]];
        writing *w = &all[note->rank];
        memcpy(w->to + w->at, &note->slot, sizeof note->slot);
        w->at += sizeof note->slot;
    }
    for (int r = 0; r < mpi->size; r++) align(&all[r]);
}

static bool write_changes(covey_mpi *mpi, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t *notes = group_begins(mpi);
    if (!notes) return false;
    for (int r = 0; r < mpi->size; r++) all[r].at = aligned(sizeof(covey__mpi_news_header));
    write_ends(mpi, all);
    for (int r = 0; r < mpi->size; r++) {
        const covey__mpi_neighbour *n = &g->neighbours[r];
        write_begins(mpi, &all[r], notes + mpi->parts[r], n->begins);
        all[r].any = n->begins != 0 || n->ends != 0;
        mpi->stats.ghosts += n->begins;
    }
    return true;
}

/* ---- Values that changed -----------------------------------------------------------------------------------------*/

/* Those of one span. Small sizes are known to the compiler. */
#define WRITE_SPAN(BYTES)                                                                        \
    for (uint32_t i = 0; i < it->count; i++)                                                     \
        for (uint32_t note = covey__mpi_head(g, covey_span_entity(it, i).index); note != 0;      \
             note = g->notes[note].next) {                                                       \
            if (g->notes[note].told) continue;                                                   \
            writing *w = &all[g->notes[note].rank];                                              \
            memcpy(w->to + w->at, values + (size_t)i * (BYTES), (BYTES));                        \
            w->at += (BYTES);                                                                    \
            w->slots[w->count++] = g->notes[note].slot;                                          \
        }

static void write_span(const covey__mpi_ghosts *g, const covey_iter *it, uint32_t column, uint32_t size, writing *all) {
    const unsigned char *values = covey_field_raw(it, column);
    if (size == 4) {
        WRITE_SPAN(4)
    } else if (size == 8) {
        WRITE_SPAN(8)
    } else if (size == 12) {
        WRITE_SPAN(12)
    } else if (size == 16) {
        WRITE_SPAN(16)
    } else {
        WRITE_SPAN(size)
    }
}

static void begin_column(writing *w) {
    w->column = w->at;
    w->at += ALIGN;
    w->count = 0;
}

/* The slots follow the values, unless they are those of the column before. */
static void end_column(writing *w) {
    bool same = w->count == w->last_count && w->count != 0 &&
                memcmp(w->slots, w->last_slots, w->count * sizeof *w->slots) == 0;
    covey__mpi_update_header head = { w->count, same };
    memset(w->to + w->column, 0, ALIGN);
    memcpy(w->to + w->column, &head, sizeof head);
    align(w);
    if (w->count != 0) w->any = true;
    if (same || w->count == 0) return;
    memcpy(w->to + w->at, w->slots, w->count * sizeof *w->slots);
    w->last_slots = (const uint32_t *)(const void *)(w->to + w->at);
    w->last_count = w->count;
    w->at += w->count * sizeof *w->slots;
    align(w);
}

static void write_values(covey_mpi *mpi, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t c = 0; c < g->column_count; c++) {
        const covey_type *type = g->columns[c]->type;
        if (type->size == 0) continue;
        for (int r = 0; r < mpi->size; r++) begin_column(&all[r]);
        covey_view view = make_view(mpi, type);
        covey_iter it = begin_iter(&view, g->seen, type->ticks);
        while (covey_next(&it)) write_span(g, &it, c, type->size, all);
        for (int r = 0; r < mpi->size; r++) {
            end_column(&all[r]);
            mpi->stats.values += all[r].count;
        }
    }
}

static void seal(covey_mpi *mpi, writing *all) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (int r = 0; r < mpi->size; r++) {
        writing *w = &all[r];
        covey__mpi_news_header head = { .magic = COVEY__MPI_NEWS_MAGIC, .bytes = w->at, .ends = g->neighbours[r].ends,
                                        .begins = g->neighbours[r].begins, .columns = g->column_count };
        if (!w->any) continue;
        memset(w->to, 0, (size_t)aligned(sizeof head));
        memcpy(w->to, &head, sizeof head);
        head.checksum = covey__mpi_news_checksum(w->to, w->at);
        memcpy(w->to, &head, sizeof head);
        mpi->sizes[r] = w->at;
    }
}

static covey_result pack(covey_mpi *mpi) {
    covey_result result = end_gone(mpi);
    if (result == COVEY_OK) result = choose_all(mpi);
    if (result != COVEY_OK) return result;
    writing *all = make_room(mpi);
    if (!all || !write_changes(mpi, all)) return out_of_memory(mpi);
    write_values(mpi, all);
    seal(mpi, all);
    return COVEY_OK;
}

covey_result covey__mpi_ghosts_pack(covey_mpi *mpi) {
    covey_result result = covey__mpi_enter(mpi, CALL_REFRESH);
    covey__mpi_ghosts *g = mpi->ghosts;
    if (result != COVEY_OK) return result;
    if (!g) return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "nothing was said about ghosts: call covey_mpi_ghosts first");
    g->begins.count = g->ends.count = 0;
    g->notes_before = g->note_count;
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
    if (!g || !mpi->refreshing) return covey__mpi_fail(mpi, COVEY_ERROR_REFUSED, "a refresh of ghosts was ended by another collective call");
    g->result = covey__mpi_exchange(mpi, g->send, g->result, &g->received);
    return g->result;
}
