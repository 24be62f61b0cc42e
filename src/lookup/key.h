/* Keys: what lookups file entities under. */
#ifndef COVEY_KEY_H
#define COVEY_KEY_H

#include <stdint.h>

/* A number, mapped so that unsigned comparison is the order of values; or a text, without the zeros behind it, which
 * are no part of it. */
typedef struct covey__lookup_key {
    uint64_t bits;
    const char *text; /* NULL: a number */
    uint32_t length;
} covey__lookup_key;

#endif
