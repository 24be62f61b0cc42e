/* The messages of a restart, from the rank that reads a file to another rank.
 *
 *     header | entities whose home is the receiver, but which live elsewhere | last handles of free indices | arrivals
 *
 * Each part begins at a multiple of 64 bytes. The arrivals are a message of a migration (migrate_message.c) with its
 * own checksum. The checksum in the header covers the parts in front of the arrivals. */
#include "checkpoint.h"
#include "message.h"

#include <covey/shared.h>

#define MAGIC UINT64_C(0x31304F5948564F43) /* the format, and its version */

typedef struct header {
    uint64_t magic, checksum; /* of everything behind it, up to the arrivals */
    uint64_t bytes;           /* of the message */
    uint32_t away, freed;
} header;

uint64_t covey__mpi_restart_front_size(uint32_t away, uint32_t freed) {
    uint64_t each = sizeof(covey_entity);
    return covey__mpi_aligned(sizeof(header)) + covey__mpi_aligned(away * each) + covey__mpi_aligned(freed * each);
}

static uint64_t checksum_of(const unsigned char *bytes, uint64_t front) {
    size_t skipped = offsetof(header, bytes);
    return covey__mpi_hash(MAGIC, bytes + skipped, (size_t)front - skipped);
}

void covey__mpi_restart_message_sign(unsigned char *bytes, uint64_t size, uint32_t away, uint32_t freed) {
    header head = { .magic = MAGIC, .bytes = size, .away = away, .freed = freed };
    memcpy(bytes, &head, sizeof head);
    head.checksum = checksum_of(bytes, covey__mpi_restart_front_size(away, freed));
    memcpy(bytes, &head, sizeof head);
}

static bool are_all_home(const covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!covey__mpi_is_home(mpi, entities[i])) return false;
    return true;
}

bool covey__mpi_restart_message_read(const covey_mpi *mpi, unsigned char *bytes, uint64_t size,
                                     covey__mpi_restart_message *h, covey__mpi_part *parts, const char **why) {
    header head;
    *why = "it is truncated";
    if (size < covey__mpi_aligned(sizeof head) || size % COVEY__MPI_ALIGN != 0) return false;
    memcpy(&head, bytes, sizeof head);
    *why = "it is not a message of this version";
    if (head.magic != MAGIC) return false;
    *why = "it is truncated";
    if (head.bytes != size) return false;
    covey__mpi_reading r = { .bytes = bytes, .size = size, .at = covey__mpi_aligned(sizeof head) };
    *h = (covey__mpi_restart_message){ .away_count = head.away, .freed_count = head.freed };
    h->away = covey__mpi_take(&r, head.away, sizeof *h->away);
    h->freed = covey__mpi_take(&r, head.freed, sizeof *h->freed);
    if (r.fails) return false;
    *why = "its checksum is wrong";
    if (head.checksum != checksum_of(bytes, r.at)) return false;
    *why = "it has entities whose home is not this rank";
    if (!are_all_home(mpi, h->away, head.away) || !are_all_home(mpi, h->freed, head.freed)) return false;
    h->arrivals = r.at != size;
    return !h->arrivals || covey__mpi_message_read(mpi, bytes + r.at, size - r.at, &h->in, parts, why);
}

/* ---- Applying ----------------------------------------------------------------------------------------------------*/

/* Creates entities whose home is here, as if they were away. */
static covey_result create_away(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    if (covey_create_exact(mpi->world, entities, count, COVEY_EXACT_AGAIN) &&
        covey_add_array_raw(mpi->world, entities, count, covey_id(covey_away), NULL))
        return COVEY_OK;
    covey_result result = covey_world_result(mpi->world);
    return covey__mpi_fail(mpi, result, "entities whose home is here cannot be created: %s", covey_result_text(result));
}

/* Lists the arrivals whose home is here. Usually these are all or none. */
static const covey_entity *list_own(covey_mpi *mpi, const covey__mpi_incoming *in, uint32_t *count) {
    for (*count = 0; *count < in->count && covey__mpi_is_home(mpi, in->entities[*count]);) ++*count;
    if (*count == in->count) return in->entities;
    covey_entity *list = covey__mpi_scratch_reserve(mpi, SCRATCH_TREES, (uint64_t)in->count * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; list && i < in->count; i++)
        if (covey__mpi_is_home(mpi, in->entities[i])) list[(*count)++] = in->entities[i];
    return list;
}

covey_result covey__mpi_restart_message_apply(covey_mpi *mpi, covey__mpi_restart_message *h) {
    covey_result result = create_away(mpi, h->away, h->away_count);
    if (result != COVEY_OK || !h->arrivals) return result;
    uint32_t count;
    const covey_entity *own = list_own(mpi, &h->in, &count);
    if (!own || !covey__mpi_scratch_reserve(mpi, SCRATCH_GUESTS, (uint64_t)h->in.count * sizeof *own))
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u entities", h->in.count);
    result = create_away(mpi, own, count);
    if (result == COVEY_OK) result = covey__mpi_arrivals_create(mpi, &h->in);
    if (result == COVEY_OK) covey__mpi_arrivals_commit(mpi, &h->in);
    return result;
}

covey_result covey__mpi_restart_skip_generations(covey_mpi *mpi, const covey_entity *freed, size_t count) {
    covey_world *world = mpi->world;
    for (size_t i = count; i-- != 0;) {
        if (covey_generation_at(world, freed[i].index) >= freed[i].generation) continue;
        if (!covey_create_exact(world, &freed[i], 1, COVEY_EXACT_NEW))
            return covey__mpi_fail(mpi, covey_world_result(world),
                                   "the generation of %u:%u cannot be marked as used: %s", freed[i].index,
                                   freed[i].generation, covey_result_text(covey_world_result(world)));
        covey_leave_many(world, &freed[i], 1);
    }
    return COVEY_OK;
}
