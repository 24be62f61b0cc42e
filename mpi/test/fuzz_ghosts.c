/* Damaged or forged messages about ghosts: each is refused without changing the world, or leaves a valid world. The
 * first message arrives unchanged, so that there are ghosts; the second one is changed.
 *
 *     flags | number of entities | what happens to each | changes: position in the message (2 bytes), new byte */
#include "ghosts.h"
#include "sides.h"

#include <stdlib.h>

enum { NEAR = 1, LATER = 2, CHANGES = 4, ENDS = 8, LEAVES = 16, AT_HOME = 32, RECEIVERS = 64 };

static const covey_type *const seen[] = { covey_id(Spot), covey_id(Stamp), covey_id(Bond), covey_id(Marked), NULL };

static uint32_t who_sees(const covey_world *world, covey_entity e, int *ranks, void *other) {
    if (covey_get(world, e, Spot)->y == 0) return 0;
    *ranks = *(const int *)other;
    return 1;
}

static void see(side *s, int *other) {
    side_run(s);
    covey_mpi_ghosts_desc desc = { .types = seen, .near = who_sees, .context = other };
    require(covey_mpi_ghosts_define(s->mpi, &desc) == COVEY_OK, "there are no ghosts");
}

/* An entity that lives on the sender. Some have the receiver as home, which has entities of its own as well. */
static covey_entity make(side *sender, side *receiver, uint32_t number, uint8_t has) {
    covey_world *world = sender->world;
    if (has & RECEIVERS) covey_add(receiver->world, covey_create(receiver->world), Spot, { -1, 0 });
    covey_entity e = covey_create((has & AT_HOME ? receiver : sender)->world);
    if (has & AT_HOME) {
        covey_add_tag(receiver->world, e, covey_away);
        require(covey_create_exact(world, &e, 1, COVEY_EXACT_AGAIN), "it cannot be created");
    }
    covey_add(world, e, Spot, { (int32_t)number, has & NEAR });
    covey_add(world, e, Stamp, { number });
    covey_add(world, e, Bond, { e, NULL, number });
    covey_add_tag(world, e, Marked);
    return e;
}

static void change(covey_world *world, covey_entity e, uint8_t has) {
    if (has & CHANGES) covey_set(world, e, Stamp, { 7 });
    if (has & LATER) covey_get(world, e, Spot)->y = 1;
    if (has & LEAVES) covey_get(world, e, Spot)->y = 0;
    if (has & ENDS) covey_destroy(world, e);
}

/* Packs the next message of the sender. */
static const unsigned char *refresh(side *sender, uint64_t *total) {
    side_run(sender);
    require(covey_mpi_ghosts_refresh(sender->mpi) == COVEY_OK, "the refresh fails");
    return sent(total);
}

static unsigned char *copy_of(const unsigned char *message, uint64_t total) {
    unsigned char *copy = malloc((size_t)total + 1);
    require(copy != NULL, "no memory");
    if (total != 0) memcpy(copy, message, (size_t)total);
    return copy;
}

static void receive(side *receiver, const unsigned char *bytes, uint64_t total, bool takes_back) {
    side_hand(receiver, bytes, total);
    uint64_t before = state_of(receiver);
    if (takes_back) fail_other(2);
    covey_result result = covey_mpi_ghosts_refresh(receiver->mpi);
    require(result == COVEY_OK || state_of(receiver) == before, "a failure changed the world");
}

static void sign(unsigned char *bytes, uint64_t total) {
    memcpy(bytes + offsetof(covey__mpi_ghost_header, bytes), &total, sizeof total);
    uint64_t checksum = covey__mpi_ghost_message_checksum(bytes, total);
    memcpy(bytes + offsetof(covey__mpi_ghost_header, checksum), &checksum, sizeof checksum);
}

static void damage(side *sender, side *receiver, const input *in) {
    uint64_t total;
    const unsigned char *message = refresh(sender, &total);
    if (total == 0) return;
    unsigned char *bytes = damaged(in, message, &total);
    if (in->flags & SIGNED) sign(bytes, total);
    receive(receiver, bytes, total, (in->flags & TAKEN_BACK) != 0);
    free(bytes);
}

/* Ghosts are removed when none are defined any more. */
static void see_nothing(side *receiver) {
    side_run(receiver);
    require(covey_mpi_ghosts_refresh(receiver->mpi) == COVEY_OK, "the next refresh fails");
    require(covey_mpi_ghosts_define(receiver->mpi, NULL) == COVEY_OK, "ghosts do not end");
    require(covey_pool_count(receiver->mpi->ghost) == 0, "there are ghosts");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
    side sender, receiver;
    int first = 0, second = 1;
    input in;
    covey_entity list[MOST];
    uint64_t total;
    if (!input_read(&in, data, length)) return 0;
    side_make(&receiver, 0);
    see(&receiver, &second);
    side_make(&sender, 1);
    see(&sender, &first);
    for (uint32_t i = 0; i < in.count; i++) list[i] = make(&sender, &receiver, i, in.has[i]);
    const unsigned char *message = refresh(&sender, &total);
    unsigned char *whole = copy_of(message, total);
    receive(&receiver, whole, total, false);
    free(whole);
    for (uint32_t i = 0; i < in.count; i++) change(sender.world, list[i], in.has[i]);
    damage(&sender, &receiver, &in);
    see_nothing(&receiver);
    side_end(&sender);
    side_end(&receiver);
    return 0;
}
