/* Messages of a restart that were damaged, or made up: each is refused, or what it brings is there; the world is valid. It is
 * emptied as a restart that fails does, and then the message arrives as it was.
 *
 *     flags | number of entities | what each of them has | changes: position in the message (2 bytes), and a byte there */
#include "checkpoint.h"
#include "sides.h"

#include <stdlib.h>

enum { GRAVE = 8, ELSEWHERE = 16, AT_HOME = 32, INSIDE = 64, NAMED = 128 };

typedef struct lists {
    covey_entity arrivals[MOST], homes[MOST], graves[MOST];
    uint32_t arrival_count, home_count, grave_count;
} lists;

/* An entity in the file of the reader. Its parent is the one before it. */
static void make(side *reader, lists *l, uint32_t number, uint8_t has) {
    covey_world *world = reader->world;
    uint32_t first = has & (AT_HOME | ELSEWHERE | GRAVE) ? 0 : reader->mpi->span;
    covey_entity e = covey_entity_make(first + number, 1), none = { 0, 0 };
    if (has & GRAVE) l->graves[l->grave_count++] = e;
    else if (has & ELSEWHERE) l->homes[l->home_count++] = e;
    if (has & (GRAVE | ELSEWHERE)) return;
    require(covey_create_exact(world, &e, 1, COVEY_EXACT_AGAIN), "it is not made");
    if (has & 1) covey_add(world, e, Spot, { (int32_t)number, -1 });
    if (has & 2) covey_add(world, e, Bond, { e, NULL, number });
    if (has & 4) covey_add(world, e, Note, { number % 50 + 1, make_note(number).text });
    covey_entity parent = (has & INSIDE) && l->arrival_count != 0 ? l->arrivals[l->arrival_count - 1] : none;
    if (!covey_is_null(parent)) require(covey_parent_set(world, e, parent) == COVEY_OK, "it has no parent");
    if (has & NAMED) covey_name_set(world, e, (char[]){ (char)('a' + number % 26), (char)('a' + number / 26), 0 });
    l->arrivals[l->arrival_count++] = e;
}

/* What the reader tells the other side. */
static unsigned char *pack(side *reader, const lists *l, uint64_t *total) {
    unsigned char *send = NULL;
    covey__mpi_departure d = { l->arrivals, l->arrival_count };
    uint64_t before[2] = { covey__mpi_handover_front(l->home_count, l->grave_count), 0 };
    reader->mpi->parts[0] = 0;
    reader->mpi->parts[1] = reader->mpi->parts[2] = l->arrival_count;
    require(covey__mpi_pack_departure(reader->mpi, &d, before, &send) == COVEY_OK, "it is not packed");
    memset(send, 0, (size_t)before[0]);
    memcpy(send + covey__mpi_handover_front(0, 0), l->homes, l->home_count * sizeof *l->homes);
    memcpy(send + covey__mpi_handover_front(l->home_count, 0), l->graves, l->grave_count * sizeof *l->graves);
    *total = reader->mpi->sizes[0];
    covey__mpi_handover_sign(send, *total, l->home_count, l->grave_count);
    return send;
}

/* Makes both checksums right, with the numbers of homes and graves that the message says, where these are within it. */
static void sign(const side *s, unsigned char *bytes, uint64_t total) {
    uint32_t counts[2];
    uint64_t head = covey__mpi_handover_front(0, 0);
    memcpy(counts, bytes + 24, sizeof counts);
    uint64_t front = covey__mpi_handover_front(counts[0], counts[1]);
    if (total >= front) covey__mpi_handover_sign(bytes, total, counts[0], counts[1]);
    else memcpy(bytes + 16, &total, sizeof total);
    if (total > front + 2 * head) covey__mpi_sign(s->mpi, bytes + front, total - front);
}

static covey_result load(side *s, unsigned char *bytes, uint64_t total) {
    covey__mpi_handover h;
    covey__mpi_part parts[8];
    const char *why = NULL;
    side_run(s);
    uint64_t before = state_of(s);
    if (!covey__mpi_handover_read(s->mpi, bytes, total, &h, parts, &why)) {
        require(why && state_of(s) == before, "it is refused, and not as before");
        return COVEY_ERROR_IMAGE;
    }
    h.in.source = 1;
    covey_result result = covey__mpi_handover_apply(s->mpi, &h);
    if (result == COVEY_OK) result = covey__mpi_handover_bury(s->mpi, h.graves, h.grave_count);
    for (uint32_t p = covey_pool_next(s->mpi->away, 0); p != COVEY_NONE; p = covey_pool_next(s->mpi->away, p + 1))
        require(covey__mpi_is_home(s->mpi, covey_pool_at(s->mpi->away, p)), "it is away, and not from here");
    return result;
}

/* As a restart does that fails. */
static void empty(side *s) {
    const char *why = "";
    require(covey_world_validate(s->world, &why), why);
    covey_destroy_all(s->world);
    covey__mpi_guests_forget(s->mpi);
    require(covey_entity_count(s->world) == 0 && covey_world_validate(s->world, &why), why);
}

static void load_damaged(side *s, const input *in, const unsigned char *message, uint64_t total) {
    unsigned char *bytes = damaged(in, message, &total);
    if (in->flags & SIGNED) sign(s, bytes, total);
    load(s, bytes, total);
    free(bytes);
    empty(s);
}

/* Into another world: what was made up has used handles. */
static void load_whole(const lists *l, const unsigned char *message, uint64_t total) {
    side other;
    input unchanged = { .flags = 0 };
    side_make(&other, 0);
    unsigned char *bytes = damaged(&unchanged, message, &total);
    require(load(&other, bytes, total) == COVEY_OK, "what is as it was is refused");
    require(covey_mpi_owned(other.mpi) == l->arrival_count, "they do not live here");
    for (uint32_t i = 0; i < l->home_count; i++)
        require(covey_pool_has(other.mpi->away, l->homes[i]), "it is not away");
    for (uint32_t i = 0; i < l->grave_count; i++)
        require(!covey_alive(other.world, l->graves[i]) &&
                    covey_generation_at(other.world, l->graves[i].index) == l->graves[i].generation,
                "it may be made again");
    free(bytes);
    empty(&other);
    side_end(&other);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
    side reader, receiver;
    input in;
    uint64_t total;
    lists l = { .arrival_count = 0 };
    if (!input_read(&in, data, length)) return 0;
    side_make(&receiver, 0);
    side_make(&reader, 1);
    for (uint32_t i = 0; i < in.count; i++) make(&reader, &l, i, in.has[i]);
    const unsigned char *message = pack(&reader, &l, &total);
    load_damaged(&receiver, &in, message, total);
    load_whole(&l, message, total);
    side_end(&reader);
    side_end(&receiver);
    require(notes == 0, "a value is lost");
    return 0;
}
