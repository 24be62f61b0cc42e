/* Sorting departures by destination, and packing a message for each destination. */
#include "message.h"

#include <stdlib.h>

/* ---- By destination ----------------------------------------------------------------------------------------------*/

/* How many entities at the front of a list go to the same rank. Runs are often long. */
static uint32_t run_of_targets(const int *ranks, uint32_t count) {
    uint32_t run = 1;
    while (run < count && ranks[run] == ranks[0]) run++;
    return run;
}

static covey_result count_targets(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                  int stays) {
    memset(mpi->target_starts, 0, ((size_t)mpi->size + 1) * sizeof *mpi->target_starts);
    for (uint32_t i = 0, run; i < count; i += run) {
        run = run_of_targets(ranks + i, count - i);
        if (ranks[i] < 0 || ranks[i] >= mpi->size)
            return covey__mpi_fail(mpi, COVEY_ERROR_RANGE, "%u:%u cannot go to rank %d: there are %d ranks",
                                   entities[i].index, entities[i].generation, ranks[i], mpi->size);
        if (ranks[i] != stays) mpi->target_starts[ranks[i] + 1] += run;
    }
    for (int r = 0; r < mpi->size; r++) mpi->target_starts[r + 1] += mpi->target_starts[r];
    return COVEY_OK;
}

covey_result covey__mpi_departures_sort(covey_mpi *mpi, const covey_entity *entities, const int *ranks, uint32_t count,
                                        int stays, covey__mpi_departures *d) {
    covey_result result = count_targets(mpi, entities, ranks, count, stays);
    if (result != COVEY_OK) return result;
    uint32_t leaving = mpi->target_starts[mpi->size];
    covey_entity *sorted = covey__mpi_scratch_reserve(mpi, SCRATCH_LEAVING, (uint64_t)leaving * sizeof *sorted);
    if (!sorted) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u departures", leaving);
    for (uint32_t i = 0, run; i < count; i += run) {
        run = run_of_targets(ranks + i, count - i);
        if (ranks[i] == stays) continue;
        memcpy(sorted + mpi->target_starts[ranks[i]], entities + i, run * sizeof *sorted);
        mpi->target_starts[ranks[i]] += run;
    }
    for (int r = mpi->size; r > 0; r--) mpi->target_starts[r] = mpi->target_starts[r - 1];
    mpi->target_starts[0] = 0;
    *d = (covey__mpi_departures){ sorted, leaving };
    return COVEY_OK;
}

/* ---- Packing -----------------------------------------------------------------------------------------------------*/

static int by_index(const void *a, const void *b) {
    uint32_t left = ((const covey_entity *)a)->index, right = ((const covey_entity *)b)->index;
    return left < right ? -1 : left > right;
}

typedef struct selection {
    const covey_entity *sorted;
    uint32_t count;
} selection;

static bool is_selected(const covey_world *world, covey_entity e, void *context) {
    (void)world;
    const selection *c = context;
    return bsearch(&e, c->sorted, c->count, sizeof e, by_index) != NULL;
}

/* Saves an image with the components that are sent by image. */
static covey_result save_image(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    const covey_type **types =
        covey__mpi_scratch_reserve(mpi, SCRATCH_LISTED, (mpi->column_count + UINT64_C(1)) * sizeof *types);
    covey_entity *sorted = covey__mpi_scratch_reserve(mpi, SCRATCH_SORTED, (uint64_t)count * sizeof *sorted);
    if (!types || !sorted) return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for an image of departures");
    uint32_t found = 0, of_types = 0;
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (mpi->columns[c].by_image) types[of_types++] = mpi->columns[c].type;
    types[of_types] = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (covey_has_any_raw(mpi->world, entities[i], types)) sorted[found++] = entities[i];
    if (found == 0) return COVEY_OK;
    qsort(sorted, found, sizeof *sorted, by_index);
    selection c = { sorted, found };
    covey_report report;
    covey_save_desc desc = { .types = types, .choose = is_selected, .choose_context = &c };
    if (covey_save_to_buffer(mpi->world, &mpi->images, &desc, &report) == COVEY_OK) return COVEY_OK;
    return covey__mpi_fail(mpi, report.result, "departures cannot be saved: %s", report.text);
}

static bool any_by_image(const covey_mpi *mpi) {
    for (uint32_t c = 0; c < mpi->column_count; c++)
        if (mpi->columns[c].by_image && covey_pool_count(mpi->columns[c].pool) != 0) return true;
    return false;
}

static covey_result save_images(covey_mpi *mpi, const covey__mpi_departures *d) {
    bool any = any_by_image(mpi);
    covey_result result = COVEY_OK;
    mpi->images.size = 0;
    for (int r = 0; r < mpi->size && result == COVEY_OK; r++) {
        uint32_t first = mpi->target_starts[r], count = mpi->target_starts[r + 1] - first;
        if (any && count != 0) result = save_image(mpi, d->entities + first, count);
        mpi->image_ends[r] = mpi->images.size;
    }
    return result;
}

static uint64_t image_start(const covey_mpi *mpi, int r) { return r != 0 ? mpi->image_ends[r - 1] : 0; }

static uint32_t count_for(const covey_mpi *mpi, int r) { return mpi->target_starts[r + 1] - mpi->target_starts[r]; }

/* Sets where the message for each rank begins. Returns the bytes of all messages. */
static uint64_t lay_out(covey_mpi *mpi, const covey__mpi_departures *d, const uint64_t *before) {
    uint64_t room = 0;
    for (int r = 0; r < mpi->size; r++) {
        mpi->send_offsets[r] = room;
        if (before) room += before[r];
        if (count_for(mpi, r) != 0)
            room += covey__mpi_message_room(mpi, d->entities + mpi->target_starts[r], count_for(mpi, r)) +
                    mpi->image_ends[r] - image_start(mpi, r);
        room = covey__mpi_aligned(room);
    }
    return room;
}

static covey_result pack_for(covey_mpi *mpi, const covey__mpi_departures *d, int r, uint64_t before,
                             unsigned char *send) {
    uint64_t image = image_start(mpi, r), size = 0;
    const unsigned char *bytes = mpi->images.bytes ? mpi->images.bytes + image : NULL;
    covey_result result = COVEY_OK;
    if (count_for(mpi, r) != 0)
        result = covey__mpi_message_write(mpi, d->entities + mpi->target_starts[r], count_for(mpi, r), bytes,
                                          mpi->image_ends[r] - image, send + mpi->send_offsets[r] + before, &size);
    mpi->send_sizes[r] = before + size;
    return result;
}

covey_result covey__mpi_departures_pack(covey_mpi *mpi, const covey__mpi_departures *d, const uint64_t *before,
                                        unsigned char **send) {
    covey_result result = save_images(mpi, d);
    if (result != COVEY_OK) return result;
    uint64_t room = lay_out(mpi, d, before);
    *send = covey__mpi_scratch_reserve(mpi, SCRATCH_SEND, room);
    if (!*send)
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for messages of %llu bytes",
                               (unsigned long long)room);
    for (int r = 0; r < mpi->size && result == COVEY_OK; r++)
        result = pack_for(mpi, d, r, before ? before[r] : 0, *send);
    return result;
}
