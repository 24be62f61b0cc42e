/* Ghosts: what they are, and the notes that a rank keeps of those that its entities have on other ranks. */
#include "ghosts.h"

/* ---- Notes -------------------------------------------------------------------------------------------------------*/

static void *grown(const covey_mpi *mpi, void *block, uint32_t *room, uint32_t needed, size_t size) {
    uint32_t wanted = *room * 2 > needed ? *room * 2 : needed + 64;
    void *resized = covey__mpi_resize(&mpi->allocator, block, *room * size, wanted * size);
    if (resized) *room = wanted;
    return resized;
}

static bool push(const covey_mpi *mpi, covey__mpi_numbers *list, uint32_t number) {
    if (list->count == list->room) {
        uint32_t *at = grown(mpi, list->at, &list->room, list->count + 1, sizeof *at);
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
        covey__mpi_heads **heads = grown(mpi, g->heads, &pages, page + 1, sizeof *heads);
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

/* A free note of this rank's, which has a slot already, or a new one; 0: memory is out. */
static uint32_t new_note(covey_mpi *mpi, covey__mpi_neighbour *n) {
    covey__mpi_ghosts *g = mpi->ghosts;
    uint32_t note = n->free;
    if (note != 0) {
        n->free = g->notes[note].next;
        return note;
    }
    if (g->note_count >= g->note_room) {
        covey__mpi_note *notes = grown(mpi, g->notes, &g->note_room, g->note_count + 1, sizeof *notes);
        if (!notes) return 0;
        g->notes = notes;
    }
    g->notes[g->note_count].slot = n->slots++;
    return g->note_count++;
}

bool covey__mpi_note_begin(covey_mpi *mpi, covey_entity e, int rank) {
    covey__mpi_ghosts *g = mpi->ghosts;
    covey__mpi_neighbour *n = &g->neighbours[rank];
    if (!reach_head(mpi, e.index) || !push(mpi, &g->begins, 0)) return false;
    uint32_t note = new_note(mpi, n);
    if (note == 0) {
        g->begins.count--;
        return false;
    }
    g->begins.at[g->begins.count - 1] = note;
    g->notes[note] = (covey__mpi_note){ .entity = e, .rank = rank, .slot = g->notes[note].slot, .state = NOTE_BEGINS };
    n->begins++;
    return true;
}

static uint64_t *key_at(const covey__mpi_ghosts *g, uint32_t index) {
    return &g->heads[index / COVEY__MPI_HEADS]->keys[index % COVEY__MPI_HEADS];
}
static uint32_t *first_at(const covey__mpi_ghosts *g, uint32_t index) {
    return &g->heads[index / COVEY__MPI_HEADS]->notes[index % COVEY__MPI_HEADS];
}

static void update_key(const covey__mpi_ghosts *g, uint32_t index) {
    uint32_t first = *first_at(g, index);
    const covey__mpi_note *note = first != 0 ? &g->notes[first] : NULL;
    if (!note) *key_at(g, index) = 0;
    else *key_at(g, index) = note->next != 0 ? COVEY__MPI_SEVERAL : COVEY__MPI_KEY(note->rank, note->slot);
}

/* Nothing more is told of it: its entity is looked at note by note until then. */
bool covey__mpi_note_end(covey_mpi *mpi, uint32_t note) {
    covey__mpi_ghosts *g = mpi->ghosts;
    if (!push(mpi, &g->ends, note)) return false;
    g->notes[note].told = true;
    if (g->notes[note].state == NOTE_LIVE) *key_at(g, g->notes[note].entity.index) = COVEY__MPI_SEVERAL;
    g->neighbours[g->notes[note].rank].ends++;
    return true;
}

static void free_note(covey__mpi_ghosts *g, uint32_t note) {
    covey__mpi_neighbour *n = &g->neighbours[g->notes[note].rank];
    g->notes[note].state = NOTE_FREE;
    g->notes[note].told = false;
    g->notes[note].next = n->free;
    n->free = note;
}

/* The entity is gone, or has lost a component: its ghosts end at the next refresh. Needs no memory. */
static void end_notes(covey__mpi_ghosts *g, uint32_t index) {
    uint32_t note = covey__mpi_first_note(g, index);
    if (note == 0) return;
    *first_at(g, index) = 0;
    *key_at(g, index) = 0;
    while (note != 0) {
        uint32_t next = g->notes[note].next;
        covey__mpi_neighbour *n = &g->neighbours[g->notes[note].rank];
        g->notes[note].state = NOTE_ENDED;
        g->notes[note].next = n->ended;
        n->ended = note;
        n->live--;
        note = next;
    }
}

static void component_removed(const covey_event *event, void *context) {
    for (uint32_t i = 0; i < event->count; i++) end_notes(context, event->entities[i].index);
}

static void unlink(covey__mpi_ghosts *g, uint32_t note) {
    uint32_t index = g->notes[note].entity.index, *link = first_at(g, index);
    while (*link != note) link = &g->notes[*link].next;
    *link = g->notes[note].next;
    update_key(g, index);
    g->neighbours[g->notes[note].rank].live--;
}

/* Frees the notes of a rank that it was told of. */
static void free_ended(covey__mpi_ghosts *g, covey__mpi_neighbour *n) {
    uint32_t *link = &n->ended;
    while (*link != 0) {
        uint32_t note = *link;
        if (!g->notes[note].told) {
            link = &g->notes[note].next;
            continue;
        }
        *link = g->notes[note].next;
        free_note(g, note);
    }
}

static bool has_all(const covey_mpi *mpi, covey_entity e) {
    const covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t c = 0; c < g->column_count; c++)
        if (!covey_pool_has(g->columns[c]->pool, e)) return false;
    return !covey_pool_has(mpi->ghost, e);
}

void covey__mpi_notes_commit(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < g->ends.count; i++) {
        uint32_t note = g->ends.at[i];
        if (g->notes[note].state != NOTE_LIVE) continue; /* its entity is gone since, or it was ended before */
        unlink(g, note);
        free_note(g, note);
    }
    for (int r = 0; r < mpi->size; r++) free_ended(g, &g->neighbours[r]);
    for (uint32_t i = 0; i < g->begins.count; i++) {
        covey__mpi_note *note = &g->notes[g->begins.at[i]];
        bool lives = has_all(mpi, note->entity); /* it may have gone since the message was packed */
        uint32_t *list = lives ? first_at(g, note->entity.index) : &g->neighbours[note->rank].ended;
        note->state = lives ? NOTE_LIVE : NOTE_ENDED;
        note->next = *list;
        *list = g->begins.at[i];
        g->neighbours[note->rank].live += lives;
        update_key(g, note->entity.index);
    }
}

void covey__mpi_notes_cancel(covey_mpi *mpi) {
    covey__mpi_ghosts *g = mpi->ghosts;
    for (uint32_t i = 0; i < g->ends.count; i++) {
        covey__mpi_note *note = &g->notes[g->ends.at[i]];
        note->told = false;
        if (note->state == NOTE_LIVE) update_key(g, note->entity.index);
    }
    for (uint32_t i = g->begins.count; i-- != 0;)
        if (g->begins.at[i] < g->notes_before) free_note(g, g->begins.at[i]);
    g->note_count = g->notes_before; /* the others are as if they had never been */
    for (int r = 0; r < mpi->size; r++) g->neighbours[r].slots = g->neighbours[r].slots_before;
}

/* ---- Ghosts here -------------------------------------------------------------------------------------------------*/

bool covey__mpi_neighbour_reach(covey_mpi *mpi, covey__mpi_neighbour *n, uint32_t slots) {
    if (slots > n->ghost_room) {
        covey_entity *ghosts = grown(mpi, n->ghosts, &n->ghost_room, slots, sizeof *ghosts);
        if (!ghosts) return false;
        n->ghosts = ghosts;
    }
    return true;
}

void covey__mpi_ghosts_end(covey_mpi *mpi, const covey_entity *ghosts, uint32_t count) {
    covey_entity *list = (covey_entity *)(void *)mpi->scratch[SCRATCH_GUESTS].bytes;
    uint32_t others = 0;
    for (uint32_t i = 0; i < count; i++)
        if (covey__mpi_is_home(mpi, ghosts[i])) covey__mpi_strip(mpi, &ghosts[i], 1);
        else list[others++] = ghosts[i];
    covey_destroy_many(mpi->world, list, others);
}

void covey__mpi_ghosts_yield(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; covey_pool_count(mpi->ghost) != 0 && i < count; i++) {
        covey_entity old = covey_entity_at(mpi->world, entities[i].index);
        if (covey_is_null(old) || old.generation >= entities[i].generation || !covey_pool_has(mpi->ghost, old))
            continue;
        covey_destroy(mpi->world, old);
    }
}

/* ---- What ghosts are ---------------------------------------------------------------------------------------------*/

static covey_result add_type(covey_mpi *mpi, covey__mpi_ghosts *g, const covey_type *type) {
    const covey__mpi_column *column = covey__mpi_column_of(mpi, type);
    const char *why = NULL;
    if (!column) why = "it is not one of the types that move";
    else if (column->by_image || column->type->copy || column->type->drop || column->type->move)
        why = "it has functions";
    if (why) return covey__mpi_fail(mpi, COVEY_ERROR_TYPE, "%s cannot be in ghosts: %s", type->name, why);
    if (g->column_count == COVEY__MPI_GHOST_TYPES)
        return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "ghosts have at most %d types", COVEY__MPI_GHOST_TYPES);
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
                                    .call = component_removed,
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
    if (g->notes) covey__mpi_resize(allocator, g->notes, g->note_room * sizeof *g->notes, 0);
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
    *g = (covey__mpi_ghosts){ .near = desc->near, .context = desc->context, .note_count = 1 };
    size_t bytes = (size_t)mpi->size * sizeof *g->neighbours;
    g->neighbours = covey__mpi_resize(&mpi->allocator, NULL, 0, bytes);
    if (!g->neighbours) return out_of_memory(mpi);
    memset(g->neighbours, 0, bytes);
    covey_result result = add_types(mpi, g, desc);
    return result == COVEY_OK ? connect(mpi, g) : result;
}

/* All ranks have the same types, in the same order. */
static covey_result compare(covey_mpi *mpi, const covey__mpi_ghosts *g) {
    uint64_t mine = g != NULL;
    for (uint32_t c = 0; g && c < g->column_count; c++) {
        uint64_t layout = covey__mpi_layout(g->columns[c]->type);
        mine = covey__mpi_hash(mine, &layout, sizeof layout);
    }
    uint64_t first = mine;
    covey__mpi_spread(mpi, &first, 1, MPI_UINT64_T, 0);
    if (first == mine) return COVEY_OK;
    return covey__mpi_fail(mpi, COVEY_ERROR_LAYOUT, "gives other types of ghosts than rank 0");
}

/* All ghosts that are here. Room for them, and for ending them, is asked for before anything changes. */
static covey_entity *list_all(covey_mpi *mpi, uint32_t *count) {
    uint64_t bytes = (uint64_t)covey_pool_count(mpi->ghost) * sizeof(covey_entity);
    covey_entity *list = covey__mpi_reach(mpi, SCRATCH_LISTED, bytes);
    *count = 0;
    if (!list || !covey__mpi_reach(mpi, SCRATCH_GUESTS, bytes)) return NULL;
    for (uint32_t p = covey_pool_next(mpi->ghost, 0); p != COVEY_NONE; p = covey_pool_next(mpi->ghost, p + 1))
        list[(*count)++] = covey_pool_at(mpi->ghost, p);
    return list;
}

covey_result covey_mpi_ghosts(covey_mpi *mpi, const covey_mpi_ghosts_desc *desc) {
    covey__mpi_ghosts *next = NULL;
    uint32_t count = 0;
    covey_result result = covey__mpi_enter(mpi, CALL_GHOSTS);
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
    if (mpi->ghosts) covey__mpi_ghosts_end(mpi, list, count);
    covey__mpi_ghosts_free(mpi);
    mpi->ghosts = next;
    return COVEY_OK;
}
