/* The messages of a restart: what the rank that reads a file tells another one.
 *
 *     header | who is at home there, and is to live elsewhere | last handles of free indices | who is to live there
 *
 * Each part begins at a multiple of 64 bytes. The last one is a message of a migration (pack.c), with a checksum of its
 * own; that of the header is of what lies before it. */
#include "checkpoint.h"
#include "message.h"

#define MAGIC UINT64_C(0x31304F5948564F43) /* the format, and its version */

typedef struct header {
    uint64_t magic, checksum; /* of what follows, up to who is to live there */
    uint64_t bytes;           /* of the message */
    uint32_t homes, graves;
} header;

uint64_t covey__mpi_handover_front(uint32_t homes, uint32_t graves) {
    uint64_t each = sizeof(covey_entity);
    return covey__mpi_aligned(sizeof(header)) + covey__mpi_aligned(homes * each) + covey__mpi_aligned(graves * each);
}

static uint64_t checksum_of(const unsigned char *bytes, uint64_t front) {
    size_t skipped = offsetof(header, bytes);
    return covey__mpi_hash(MAGIC, bytes + skipped, (size_t)front - skipped);
}

void covey__mpi_handover_sign(unsigned char *bytes, uint64_t size, uint32_t homes, uint32_t graves) {
    header head = { .magic = MAGIC, .bytes = size, .homes = homes, .graves = graves };
    memcpy(bytes, &head, sizeof head);
    head.checksum = checksum_of(bytes, covey__mpi_handover_front(homes, graves));
    memcpy(bytes, &head, sizeof head);
}

static bool all_home(const covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    for (uint32_t i = 0; i < count; i++)
        if (!covey__mpi_is_home(mpi, entities[i])) return false;
    return true;
}

bool covey__mpi_handover_read(const covey_mpi *mpi, unsigned char *bytes, uint64_t size, covey__mpi_handover *h,
                              covey__mpi_part *parts, const char **why) {
    header head;
    *why = "it is cut off";
    if (size < covey__mpi_aligned(sizeof head) || size % COVEY__MPI_ALIGN != 0) return false;
    memcpy(&head, bytes, sizeof head);
    *why = "it is no message of this version";
    if (head.magic != MAGIC) return false;
    *why = "it is cut off";
    if (head.bytes != size) return false;
    covey__mpi_reading r = { .bytes = bytes, .size = size, .at = covey__mpi_aligned(sizeof head) };
    *h = (covey__mpi_handover){ .home_count = head.homes, .grave_count = head.graves };
    h->homes = covey__mpi_take(&r, head.homes, sizeof *h->homes);
    h->graves = covey__mpi_take(&r, head.graves, sizeof *h->graves);
    if (r.fails) return false;
    *why = "its checksum is wrong";
    if (head.checksum != checksum_of(bytes, r.at)) return false;
    *why = "it names entities that are not at home here";
    if (!all_home(mpi, h->homes, head.homes) || !all_home(mpi, h->graves, head.graves)) return false;
    h->arrivals = r.at != size;
    return !h->arrivals || covey__mpi_unpack(mpi, bytes + r.at, size - r.at, &h->in, parts, why);
}

/* ---- What it brings ----------------------------------------------------------------------------------------------*/

/* Entities at home here begin as if they were away. */
static covey_result make_homes(covey_mpi *mpi, const covey_entity *entities, uint32_t count) {
    if (covey_create_exact(mpi->world, entities, count, COVEY_EXACT_AGAIN) &&
        covey_add_array_raw(mpi->world, entities, count, covey_id(covey_away), NULL))
        return COVEY_OK;
    covey_result result = covey_world_result(mpi->world);
    return covey__mpi_fail(mpi, result, "entities at home here cannot be made: %s", covey_result_text(result));
}

/* Those who are to live here, at home. Most often these are all of them, or none. */
static const covey_entity *own_of(covey_mpi *mpi, const covey__mpi_incoming *in, uint32_t *count) {
    for (*count = 0; *count < in->count && covey__mpi_is_home(mpi, in->entities[*count]);) ++*count;
    if (*count == in->count) return in->entities;
    covey_entity *list = covey__mpi_reach(mpi, SCRATCH_TREES, (uint64_t)in->count * sizeof *list);
    *count = 0;
    for (uint32_t i = 0; list && i < in->count; i++)
        if (covey__mpi_is_home(mpi, in->entities[i])) list[(*count)++] = in->entities[i];
    return list;
}

covey_result covey__mpi_handover_apply(covey_mpi *mpi, covey__mpi_handover *h) {
    covey_result result = make_homes(mpi, h->homes, h->home_count);
    if (result != COVEY_OK || !h->arrivals) return result;
    uint32_t count;
    const covey_entity *own = own_of(mpi, &h->in, &count);
    if (!own || !covey__mpi_reach(mpi, SCRATCH_GUESTS, (uint64_t)h->in.count * sizeof *own))
        return covey__mpi_fail(mpi, COVEY_ERROR_MEMORY, "no memory for %u entities", h->in.count);
    result = make_homes(mpi, own, count);
    if (result == COVEY_OK) result = covey__mpi_arrive(mpi, &h->in);
    if (result == COVEY_OK) covey__mpi_settle(mpi, &h->in);
    return result;
}

covey_result covey__mpi_handover_bury(covey_mpi *mpi, const covey_entity *graves, size_t count) {
    covey_world *world = mpi->world;
    for (size_t i = count; i-- != 0;) {
        if (covey_generation_at(world, graves[i].index) >= graves[i].generation) continue;
        if (!covey_create_exact(world, &graves[i], 1, COVEY_EXACT_NEW))
            return covey__mpi_fail(mpi, covey_world_result(world), "%u:%u was used, and cannot be noted: %s",
                                   graves[i].index, graves[i].generation, covey_result_text(covey_world_result(world)));
        covey_destroy(world, graves[i]);
    }
    return COVEY_OK;
}
