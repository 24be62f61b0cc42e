/* Random programs for the engines of lookups, which file indices under keys: an array that says what is filed where
 * tells the truth. */
#ifndef COVEY_TEST_KEYED_H
#define COVEY_TEST_KEYED_H

#include "lookup/key.h"
#include "support.h"

enum { KEYED_KEYS = 2000, KEYED_TEXT = 12, KEYED_NONE = KEYED_KEYS };

typedef struct keyed {
    test_heap heap;
    covey__heap memory;
    test_random random;
    covey__lookup_key keys[KEYED_KEYS]; /* different, in order: the number of a key says where it is */
    char texts[KEYED_KEYS][KEYED_TEXT + 1];
    uint32_t key_count;
    uint32_t text_size; /* 0: keys are numbers */
    uint32_t *filed;    /* the number of the key of each index, or KEYED_NONE */
    uint32_t limit;     /* of indices */
    uint32_t stride;    /* only multiples of it are filed */
    uint32_t count;
} keyed;

typedef struct keyed_engine {
    bool (*reserve)(keyed *k, uint64_t count);
    bool (*reach)(keyed *k, uint32_t index);
    void (*file)(uint32_t index, const covey__lookup_key *key);
    void (*unfile)(uint32_t index);
    void (*clear)(void);
    void (*end)(keyed *k); /* frees everything */
    size_t (*bytes)(void);
    bool (*valid)(const char **why);
    void (*ask)(keyed *k);   /* something, and checks the answer */
    void (*check)(keyed *k); /* that everything is filed as it should be */
} keyed_engine;

/* What to run a program on. */
typedef struct keyed_plan {
    uint32_t indices, stride;
    uint32_t keys, text_size;
    uint32_t steps;
    uint32_t each; /* steps between two validations */
    bool at_once;  /* memory for all indices is reserved at the beginning; otherwise for one more at a time */
} keyed_plan;

void keyed_run(const keyed_engine *engine, const keyed_plan *plan, uint32_t seed);
/* Lets each allocation of reserve and reach fail. */
void keyed_fail(const keyed_engine *engine, uint32_t text_size);

uint32_t keyed_index(keyed *k); /* a random one, filed or not */

#endif
