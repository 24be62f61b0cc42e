/* Random programs: every step runs on the library and on the oracle, and all that can be seen of both is compared. */
#ifndef COVEY_TEST_MODEL_H
#define COVEY_TEST_MODEL_H

#include "oracle.h"

typedef struct model_options {
    const uint8_t *data; /* a program, or NULL for a random one */
    size_t size;
    uint64_t seed;           /* of a random one */
    uint32_t steps;          /* at most */
    uint32_t crowd;          /* about how many entities, or elements, there are at most */
    uint32_t validate_every; /* steps */
    uint32_t compare_every;
    uint32_t view_every;                 /* this many steps are about views; 0: as often as chance has it */
    uint32_t group_every;                /* the same for groups and order; 0: none is */
    uint32_t many_every;                 /* the same for calls about many entities, in and out of order; 0: none is */
    const struct model_subject *subject; /* what else the program is about, or NULL */
    uint32_t subject_every;              /* this many steps are about it */
    uint32_t image_every;                /* after this many steps the world is saved and loaded; 0: never */
    covey_policy policy;                 /* of a set */
    bool bare;                           /* a world of entities without components */
    bool far;                            /* a set of the highest indices there are */
    oracle_fault fault;
} model_options;

typedef struct model_report {
    bool agreed;
    uint64_t steps;       /* that were made */
    uint64_t block_forms; /* a bit for each capacity that a block was seen with */
    char text[400];       /* what differed, at which step and operation */
} model_report;

/* A program about a world with all kinds of types. */
model_report model_run_world(const model_options *options);
/* A program about a set on its own. */
model_report model_run_set(const model_options *options);

#endif
