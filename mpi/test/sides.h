/* Two ranks in one process, without MPI, for messages that are damaged or made up. The calls of MPI that covey::mpi makes
 * are defined here. One side runs at a time: what it sends is kept, and what it receives is what it was handed. The other one
 * agrees with everything, unless it is to fail. */
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
void side_make(side *s, int number); /* it runs from now on */
void side_run(const side *s);
void side_end(side *s); /* whatever happened, its world is valid, and nothing is lost */

/* The message that the side which ran last has sent to the other one; its size is 0 if there is none. */
unsigned char *sent(uint64_t *size_sent);
/* What the next exchange of this side brings. It is read where it ends with a block of memory. */
void side_hand(side *s, const unsigned char *bytes, uint64_t size_handed);
/* So many agreements from now on, the other side fails; 0: never. */
void fail_other(int agreement);

void require(bool holds, const char *what);
/* What has to be the same when a message is refused: all handles, and what they have. */
uint64_t state_of(const side *s);

/* What fuzz inputs begin with: flags, and the number of entities, each of which has a byte. */
enum { SIGNED = 1, TAKEN_BACK = 2, CUT = 4, MOST = 40 };
typedef struct input {
    uint8_t flags;
    uint32_t count;
    const uint8_t *has, *changes;
    size_t change_bytes;
} input;
bool input_read(input *in, const uint8_t *data, size_t length); /* false: it is too short */
/* A copy of a message, cut off if the flags say so, with changes: a position (2 bytes), and a byte there. */
unsigned char *damaged(const input *in, const unsigned char *message, uint64_t *total);

#endif
