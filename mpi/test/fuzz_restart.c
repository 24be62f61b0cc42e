/* Damaged or forged messages of a restart: each is refused, or its entities are created; the world is valid. Then
 * the world is emptied, as after a failed restart, and the original message arrives.
 *
 *     flags | number of entities | what each of them has | changes: position in the message (2 bytes), new byte */
#include "checkpoint.h"
#include "sides.h"

#include <stdlib.h>

enum { FREED = 8, ELSEWHERE = 16, AT_HOME = 32, INSIDE = 64, NAMED = 128 };

typedef struct lists {
    covey_entity arrivals[MOST], away[MOST], freed[MOST];
    uint32_t arrival_count, away_count, freed_count;
} lists;

/* Creates an entity in the file of the reader. Its parent is the previous one. */
static void make(side *reader, lists *l, uint32_t number, uint8_t has) {
    covey_world *world = reader->world;
    uint32_t first = has & (AT_HOME | ELSEWHERE | FREED) ? 0 : reader->mpi->range_size;
    covey_entity e = covey_entity_make(first + number, 1), none = { 0, 0 };
    if (has & FREED) l->freed[l->freed_count++] = e;
    else if (has & ELSEWHERE) l->away[l->away_count++] = e;
    if (has & (FREED | ELSEWHERE)) return;
    require(covey_create_exact(world, &e, 1, COVEY_EXACT_AGAIN), "it cannot be created");
    if (has & 1) covey_add(world, e, Spot, { (int32_t)number, -1 });
    if (has & 2) covey_add(world, e, Bond, { e, NULL, number });
    if (has & 4) covey_add(world, e, Note, { number % 50 + 1, make_note(number).text });
    covey_entity parent = (has & INSIDE) && l->arrival_count != 0 ? l->arrivals[l->arrival_count - 1] : none;
    if (!covey_is_null(parent)) require(covey_parent_set(world, e, parent) == COVEY_OK, "its parent cannot be set");
    if (has & NAMED) covey_name_set(world, e, (char[]){ (char)('a' + number % 26), (char)('a' + number / 26), 0 });
    l->arrivals[l->arrival_count++] = e;
}

/* Packs the message from the reader to the other side. */
static unsigned char *pack(side *reader, const lists *l, uint64_t *total) {
    unsigned char *send = NULL;
    covey__mpi_departures d = { l->arrivals, l->arrival_count };
    uint64_t before[2] = { covey__mpi_restart_front_size(l->away_count, l->freed_count), 0 };
    reader->mpi->target_starts[0] = 0;
    reader->mpi->target_starts[1] = reader->mpi->target_starts[2] = l->arrival_count;
    require(covey__mpi_departures_pack(reader->mpi, &d, before, &send) == COVEY_OK, "packing fails");
    memset(send, 0, (size_t)before[0]);
    memcpy(send + covey__mpi_restart_front_size(0, 0), l->away, l->away_count * sizeof *l->away);
    memcpy(send + covey__mpi_restart_front_size(l->away_count, 0), l->freed, l->freed_count * sizeof *l->freed);
    *total = reader->mpi->send_sizes[0];
    covey__mpi_restart_message_sign(send, *total, l->away_count, l->freed_count);
    return send;
}

/* Corrects both checksums, if the counts in the header fit the message. */
static void sign(const side *s, unsigned char *bytes, uint64_t total) {
    uint32_t counts[2];
    uint64_t head = covey__mpi_restart_front_size(0, 0);
    memcpy(counts, bytes + 24, sizeof counts);
    uint64_t front = covey__mpi_restart_front_size(counts[0], counts[1]);
    if (total >= front) covey__mpi_restart_message_sign(bytes, total, counts[0], counts[1]);
    else memcpy(bytes + 16, &total, sizeof total);
    if (total > front + 2 * head) covey__mpi_message_sign(s->mpi, bytes + front, total - front);
}

static covey_result load(side *s, unsigned char *bytes, uint64_t total) {
    covey__mpi_restart_message h;
    covey__mpi_part parts[8];
    const char *why = NULL;
    side_run(s);
    uint64_t before = state_of(s);
    if (!covey__mpi_restart_message_read(s->mpi, bytes, total, &h, parts, &why)) {
        require(why && state_of(s) == before, "a refused message changed the world");
        return COVEY_ERROR_IMAGE;
    }
    h.in.source = 1;
    covey_result result = covey__mpi_restart_message_apply(s->mpi, &h);
    if (result == COVEY_OK) result = covey__mpi_restart_skip_generations(s->mpi, h.freed, h.freed_count);
    for (uint32_t p = covey_pool_next(s->mpi->away, 0); p != COVEY_NONE; p = covey_pool_next(s->mpi->away, p + 1))
        require(covey__mpi_is_home(s->mpi, covey_pool_at(s->mpi->away, p)),
                "an entity is away, and its home is elsewhere");
    return result;
}

/* Empties the world, as a failed restart does. */
static void empty(side *s) {
    const char *why = "";
    require(covey_world_validate(s->world, &why), why);
    covey_destroy_all(s->world);
    covey__mpi_guests_clear(s->mpi);
    require(covey_entity_count(s->world) == 0 && covey_world_validate(s->world, &why), why);
}

static void load_damaged(side *s, const input *in, const unsigned char *message, uint64_t total) {
    unsigned char *bytes = damaged(in, message, &total);
    if (in->flags & SIGNED) sign(s, bytes, total);
    load(s, bytes, total);
    free(bytes);
    empty(s);
}

/* Uses another world, because the forged message has used handles. */
static void load_whole(const lists *l, const unsigned char *message, uint64_t total) {
    side other;
    input unchanged = { .flags = 0 };
    side_make(&other, 0);
    unsigned char *bytes = damaged(&unchanged, message, &total);
    require(load(&other, bytes, total) == COVEY_OK, "what is as it was is refused");
    require(covey_mpi_owned_count(other.mpi) == l->arrival_count, "they do not live here");
    for (uint32_t i = 0; i < l->away_count; i++) require(covey_pool_has(other.mpi->away, l->away[i]), "it is not away");
    for (uint32_t i = 0; i < l->freed_count; i++)
        require(!covey_alive(other.world, l->freed[i]) &&
                    covey_generation_at(other.world, l->freed[i].index) == l->freed[i].generation,
                "a used handle could be created again");
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
