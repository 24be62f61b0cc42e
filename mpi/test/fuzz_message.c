/* Damaged or forged messages of a migration: each is refused or undone without changing the world, or its entities
 * arrive. The world stays valid.
 *
 *     flags | number of entities | what each of them has | changes: position in the message (2 bytes), new byte
 *
 * With SIGNED the checksum is corrected after the changes, so that the code behind the checksum test is reached. */
#include "sides.h"

#include <stdlib.h>

enum { AT_HOME = 32, DISABLED = 64, NAMED = 128 };

/* An entity that lives on the sender. Some have the receiver as home. */
static covey_entity make(side *sender, side *receiver, uint32_t number, uint8_t has) {
    covey_world *world = sender->world;
    covey_entity e = covey_create((has & AT_HOME ? receiver : sender)->world);
    if (has & AT_HOME) {
        covey_add_tag(receiver->world, e, covey_away);
        require(covey_create_exact(world, &e, 1, COVEY_EXACT_AGAIN) && covey__mpi_guests_reserve(sender->mpi, &e, 1),
                "it cannot be created");
        covey__mpi_guests_set(sender->mpi, &e, 1, true);
    }
    if (has & 1) covey_add(world, e, Spot, { (int32_t)number, -1 });
    if (has & 2) covey_add(world, e, Bond, { e, NULL, number });
    if (has & 4) covey_add(world, e, Note, { number % 50 + 1, make_note(number).text });
    if (has & 8) covey_add(world, e, Stamp, { number });
    if (has & 16) covey_add_tag(world, e, Marked);
    if ((has & DISABLED) && (has & 1)) covey_component_disable(world, e, Spot);
    else if (has & DISABLED) covey_disable(world, e);
    if (has & NAMED) covey_name_set(world, e, (char[]){ (char)('a' + number % 26), (char)('a' + number / 26), 0 });
    return e;
}

/* The receiver takes part in the same exchange. */
static void receive(side *receiver, const unsigned char *bytes, uint64_t total, bool takes_back) {
    side_hand(receiver, bytes, total);
    uint64_t before = state_of(receiver);
    if (takes_back) fail_other(2);
    covey_result result = covey_mpi_migrate(receiver->mpi, NULL, NULL, 0);
    require(result == COVEY_OK || state_of(receiver) == before, "a failure changed the world");
    require(result == COVEY_OK || covey_mpi_report(receiver->mpi)->text[0] || takes_back, "a failure without a report");
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length) {
    side sender, receiver;
    input in;
    covey_entity list[MOST];
    int to[MOST] = { 0 };
    uint64_t total;
    if (!input_read(&in, data, length)) return 0;
    side_make(&receiver, 0);
    side_make(&sender, 1);
    for (uint32_t i = 0; i < in.count; i++) list[i] = make(&sender, &receiver, i, in.has[i]);
    require(covey_mpi_migrate(sender.mpi, list, to, in.count) == COVEY_OK, "they do not leave");
    const unsigned char *message = sent(&total);
    unsigned char *bytes = damaged(&in, message, &total);
    if (in.flags & SIGNED) covey__mpi_message_sign(receiver.mpi, bytes, total);
    receive(&receiver, bytes, total, (in.flags & TAKEN_BACK) != 0);
    free(bytes);
    side_end(&sender);
    side_end(&receiver);
    require(notes == 0, "a value is lost");
    return 0;
}
