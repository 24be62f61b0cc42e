/* Records of the ghosts that entities of this rank have on other ranks. */
#include "ghosts.h"

void *covey__mpi_grow(const covey_mpi *mpi, void *block, uint32_t *room, uint32_t needed, size_t size) {
    uint32_t wanted = *room * 2 > needed ? *room * 2 : needed + 64;
    void *resized = covey__mpi_resize(&mpi->allocator, block, *room * size, wanted * size);
    if (resized) *room = wanted;
    return resized;
}

static bool push(const covey_mpi *mpi, covey__mpi_numbers *list, uint32_t number) {
    if (list->count == list->room) {
        uint32_t *at = covey__mpi_grow(mpi, list->at, &list->room, list->count + 1, sizeof *at);
        if (!at) return false;
        list->at = at;
    }
    list->at[list->count++] = number;
    return true;
}

static bool reach_head(covey_mpi *mpi, uint32_t index) {
    covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t page = index / COVEY__MPI_HEADS;
    if (page >= g->head_pages) {
        uint32_t pages = g->head_pages;
        covey__mpi_heads **heads = covey__mpi_grow(mpi, g->heads, &pages, page + 1, sizeof *heads);
        if (!heads) return false;
        for (uint32_t i = g->head_pages; i < pages; i++) heads[i] = NULL;
        g->heads = heads;
        g->head_pages = pages;
    }
    if (g->heads[page]) return true;
    g->heads[page] = covey__mpi_resize(&mpi->allocator, NULL, 0, sizeof **g->heads);
    if (g->heads[page]) memset(g->heads[page], 0, sizeof **g->heads);
    return g->heads[page] != NULL;
}

/* A free record for a rank, which has a slot already, or a new one. Returns 0 when memory is out. */
static uint32_t new_record(covey_mpi *mpi, covey__mpi_neighbour *n) {
    covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t record = n->free;
    if (record != 0) {
        n->free = g->records[record].next;
        return record;
    }
    if (g->record_count >= g->record_room) {
        covey__mpi_record *records =
            covey__mpi_grow(mpi, g->records, &g->record_room, g->record_count + 1, sizeof *records);
        if (!records) return 0;
        g->records = records;
    }
    g->records[g->record_count].slot = n->slots++;
    return g->record_count++;
}

bool covey__mpi_record_begin(covey_mpi *mpi, covey_entity e, int rank) {
    covey__mpi_ghosts *g = mpi->ghosts;
    covey__mpi_neighbour *n = &g->neighbours[rank];
    if (!reach_head(mpi, e.index) || !push(mpi, &g->begins, 0)) return false;
    uint32_t record = new_record(mpi, n);
    if (record == 0) {
        g->begins.count--;
        return false;
    }
    g->begins.at[g->begins.count - 1] = record;
    g->records[record] =
        (covey__mpi_record){ .entity = e, .rank = rank, .slot = g->records[record].slot, .state = RECORD_BEGINS };
    n->begins++;
    return true;
}

static uint64_t *key_at(const covey__mpi_ghosts *g, uint32_t index) {
    return &g->heads[index / COVEY__MPI_HEADS]->keys[index % COVEY__MPI_HEADS];
}
static uint32_t *first_at(const covey__mpi_ghosts *g, uint32_t index) {
    return &g->heads[index / COVEY__MPI_HEADS]->records[index % COVEY__MPI_HEADS];
}

static void update_key(const covey__mpi_ghosts *g, uint32_t index) {
    uint32_t first = *first_at(g, index);
    const covey__mpi_record *record = first != 0 ? &g->records[first] : NULL;
    if (!record) *key_at(g, index) = 0;
    else *key_at(g, index) = record->next != 0 ? COVEY__MPI_SEVERAL : COVEY__MPI_KEY(record->rank, record->slot);
}

/* The ghost gets no more values. With COVEY__MPI_SEVERAL as key, the sender looks at each record of the entity. */
bool covey__mpi_record_end(covey_mpi *mpi, uint32_t record) {
    covey__mpi_ghosts *g = mpi->ghosts;
    if (!push(mpi, &g->ends, record)) return false;
    g->records[record].ending = true;
    if (g->records[record].state == RECORD_LIVE) *key_at(g, g->records[record].entity.index) = COVEY__MPI_SEVERAL;
    g->neighbours[g->records[record].rank].ends++;
    return true;
}

static void free_record(covey__mpi_ghosts *g, uint32_t record) {
    covey__mpi_neighbour *n = &g->neighbours[g->records[record].rank];
    g->records[record].state = RECORD_FREE;
    g->records[record].ending = false;
    g->records[record].next = n->free;
    n->free = record;
}

/* The entity was destroyed or lost a component: the next refresh removes its ghosts. Allocates nothing. */
static void end_records(covey__mpi_ghosts *g, uint32_t index) {
    uint32_t record = covey__mpi_first_record(g, index);
    if (record == 0) return;
    *first_at(g, index) = 0;
    *key_at(g, index) = 0;
    while (record != 0) {
        uint32_t next = g->records[record].next;
        covey__mpi_neighbour *n = &g->neighbours[g->records[record].rank];
        g->records[record].state = RECORD_ENDED;
        g->records[record].next = n->ended;
        n->ended = record;
        n->live--;
        record = next;
    }
}

void covey__mpi_records_component_removed(const covey_event *event, void *context) {
    for (uint32_t i = 0; i < event->count; i++) end_records(context, event->entities[i].index);
}

static void unlink(covey__mpi_ghosts *g, uint32_t record) {
    uint32_t index = g->records[record].entity.index, *link = first_at(g, index);
    while (*link != record) link = &g->records[*link].next;
    *link = g->records[record].next;
    update_key(g, index);
    g->neighbours[g->records[record].rank].live--;
}

/* Frees the ended records that the message told the rank about. */
static void free_ended(covey__mpi_ghosts *g, covey__mpi_neighbour *n) {
    uint32_t *link = &n->ended;
    while (*link != 0) {
        uint32_t record = *link;
        if (!g->records[record].ending) {
            link = &g->records[record].next;
            continue;
        }
        *link = g->records[record].next;
        free_record(g, record);
    }
}

static bool has_all(const covey_mpi *mpi, covey_entity e) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t c = 0; c < g->column_count; c++)
        if (!covey_pool_has(g->columns[c]->pool, e)) return false;
    return !covey_pool_has(mpi->ghost, e);
}

void covey__mpi_records_commit(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < g->ends.count; i++) {
        uint32_t record = g->ends.at[i];
        if (g->records[record].state != RECORD_LIVE)
            continue; /* the entity was destroyed since, or before the message was packed */
        unlink(g, record);
        free_record(g, record);
    }
    for (int r = 0; r < mpi->size; r++) free_ended(g, &g->neighbours[r]);
    for (uint32_t i = 0; i < g->begins.count; i++) {
        covey__mpi_record *record = &g->records[g->begins.at[i]];
        bool lives = has_all(mpi, record->entity); /* it may have been destroyed since the message was packed */
        uint32_t *list = lives ? first_at(g, record->entity.index) : &g->neighbours[record->rank].ended;
        record->state = lives ? RECORD_LIVE : RECORD_ENDED;
        record->next = *list;
        *list = g->begins.at[i];
        g->neighbours[record->rank].live += lives;
        update_key(g, record->entity.index);
    }
}

void covey__mpi_records_cancel(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < g->ends.count; i++) {
        covey__mpi_record *record = &g->records[g->ends.at[i]];
        record->ending = false;
        if (record->state == RECORD_LIVE) update_key(g, record->entity.index);
    }
    for (uint32_t i = g->begins.count; i-- != 0;)
        if (g->begins.at[i] < g->records_before) free_record(g, g->begins.at[i]);
    g->record_count = g->records_before; /* drops records that are new */
    for (int r = 0; r < mpi->size; r++) g->neighbours[r].slots = g->neighbours[r].slots_before;
}
