/* Sets of 64 bits. */
#ifndef COVEY_BITS_H
#define COVEY_BITS_H

#include <covey/covey.h>

static inline uint32_t covey__bits_in(uint64_t bits) {
    bits -= bits >> 1 & UINT64_C(0x5555555555555555);
    bits = (bits & UINT64_C(0x3333333333333333)) + (bits >> 2 & UINT64_C(0x3333333333333333));
    bits = (bits + (bits >> 4)) & UINT64_C(0x0F0F0F0F0F0F0F0F);
    return (uint32_t)(bits * UINT64_C(0x0101010101010101) >> 56);
}

/* The number of the highest bit that is set; at least one must be. */
static inline uint32_t covey__highest_bit(uint64_t bits) {
    uint32_t number = 0;
    for (uint32_t half = 32; half != 0; half /= 2) {
        if (bits >> half == 0) continue;
        bits >>= half;
        number += half;
    }
    return number;
}

/* How many consecutive bits are set, from `first` on. */
static inline uint32_t covey__ones_from(uint64_t bits, uint32_t first) {
    uint64_t gap = ~(bits >> first);
    return gap != 0 ? covey__lowest_bit(gap) : 64;
}

/* A bit for each index, in words. */
static inline bool covey__has_bit(const uint64_t *words, uint32_t index) { return words[index / 64] >> index % 64 & 1; }
static inline void covey__set_bit(uint64_t *words, uint32_t index) { words[index / 64] |= (uint64_t)1 << index % 64; }

#endif
