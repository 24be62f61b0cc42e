/* Two ranks in one process, without MPI, for damaged or forged messages. This file defines the MPI calls that
 * covey::mpi makes. One side runs at a time: the messages that it sends are kept, and it receives what side_hand
 * gave it. The other side agrees with everything, unless fail_other lets it fail. */
#ifndef COVEY_MPI_TEST_SIDES_H
#define COVEY_MPI_TEST_SIDES_H

#include "support.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t length);

typedef struct side {
    counting memory;
    int number;
    covey_world *world;
    covey_mpi *mpi;
} side;
void side_make(side *s, int number); /* side_run, too */
void side_run(const side *s);
void side_end(side *s); /* checks that its world is valid, and that it frees all memory */

/* The message that the last running side sent to the other one. Its size is 0 if there is none. */
unsigned char *sent(uint64_t *size_sent);
/* Sets what this side receives in its next exchange. The message ends where its memory block ends. */
void side_hand(side *s, const unsigned char *bytes, uint64_t size_handed);
/* Lets the other side fail at the Nth agreement from now on. 0: never. */
void fail_other(int agreement);

void require(bool holds, const char *what);
/* A hash of all handles and components. A refused message must not change it. */
uint64_t state_of(const side *s);

/* The begin of fuzz inputs: flags, the number of entities, and a byte for each of them. */
enum { SIGNED = 1, TAKEN_BACK = 2, CUT = 4, MOST = 40 };
typedef struct input {
    uint8_t flags;
    uint32_t count;
    const uint8_t *has, *changes;
    size_t change_bytes;
} input;
bool input_read(input *in, const uint8_t *data, size_t length); /* false: it is too short */
/* A copy of a message with the changes applied, and truncated if the flags say so. */
unsigned char *damaged(const input *in, const unsigned char *message, uint64_t *total);

#endif
