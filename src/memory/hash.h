/* Hashes of texts, and of numbers. */
#ifndef COVEY_HASH_H
#define COVEY_HASH_H

#include <stddef.h>
#include <stdint.h>

/* FNV-1a of a text; another salt gives another hash. */
static inline uint64_t covey__hash(const char *text, size_t length, uint64_t salt) {
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ salt;
    for (size_t i = 0; i < length; i++) hash = (hash ^ (unsigned char)text[i]) * UINT64_C(0x100000001B3);
    return hash;
}

/* The finaliser of splitmix64. */
static inline uint64_t covey__mix(uint64_t bits) {
    bits = (bits ^ bits >> 30) * UINT64_C(0xBF58476D1CE4E5B9);
    bits = (bits ^ bits >> 27) * UINT64_C(0x94D049BB133111EB);
    return bits ^ bits >> 31;
}

#endif
