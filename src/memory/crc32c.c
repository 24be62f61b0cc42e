/* CRC-32C (Castagnoli): by instructions of the processor if it has them, by tables otherwise. */
#include "memory/crc32c.h"

#include "memory/lines.h"

/* A state of the sum has 32 bits, and all operations on states are linear: the results for single bits (columns)
 * determine the result for any state. These macros make tables of all combinations of 4 or 8 columns, the first for the
 * lowest bit. */
#define FOUR(x, a, b) (x), (x) ^ (a), (x) ^ (b), (x) ^ (a) ^ (b)
#define SIXTEEN(x, a, b, c, d) FOUR(x, a, b), FOUR((x) ^ (c), a, b), FOUR((x) ^ (d), a, b), FOUR((x) ^ (c) ^ (d), a, b)
#define SIXTY_FOUR(x, a, b, c, d, e, f)                                                     \
    SIXTEEN(x, a, b, c, d), SIXTEEN((x) ^ (e), a, b, c, d), SIXTEEN((x) ^ (f), a, b, c, d), \
        SIXTEEN((x) ^ (e) ^ (f), a, b, c, d)
#define NIBBLES(a, b, c, d) \
    { SIXTEEN(0U, a, b, c, d) }
#define BYTES(a, b, c, d, e, f, g, h)                                                                           \
    {                                                                                                           \
        SIXTY_FOUR(0U, a, b, c, d, e, f), SIXTY_FOUR((g), a, b, c, d, e, f), SIXTY_FOUR((h), a, b, c, d, e, f), \
            SIXTY_FOUR((g) ^ (h), a, b, c, d, e, f)                                                             \
    }

/* ---- By tables ----------------------------------------------------------------------------------------------------*/

/* behind[n][byte]: the state after a byte that n zero bytes follow. */
static const uint32_t behind[8][256] = {
    BYTES(0xF26B8303, 0xE13B70F7, 0xC79A971F, 0x8AD958CF, 0x105EC76F, 0x20BD8EDE, 0x417B1DBC, 0x82F63B78),
    BYTES(0x13A29877, 0x274530EE, 0x4E8A61DC, 0x9D14C3B8, 0x3FC5F181, 0x7F8BE302, 0xFF17C604, 0xFBC3FAF9),
    BYTES(0xA541927E, 0x4F6F520D, 0x9EDEA41A, 0x38513EC5, 0x70A27D8A, 0xE144FB14, 0xC76580D9, 0x8B277743),
    BYTES(0xDD45AAB8, 0xBF672381, 0x7B2231F3, 0xF64463E6, 0xE964B13D, 0xD725148B, 0xABA65FE7, 0x52A0C93F),
    BYTES(0x38116FAC, 0x7022DF58, 0xE045BEB0, 0xC5670B91, 0x8F2261D3, 0x1BA8B557, 0x37516AAE, 0x6EA2D55C),
    BYTES(0xEF306B19, 0xDB8CA0C3, 0xB2F53777, 0x6006181F, 0xC00C303E, 0x85F4168D, 0x0E045BEB, 0x1C08B7D6),
    BYTES(0x68032CC8, 0xD0065990, 0xA5E0C5D1, 0x4E2DFD53, 0x9C5BFAA6, 0x3D5B83BD, 0x7AB7077A, 0xF56E0EF4),
    BYTES(0x493C7D27, 0x9278FA4E, 0x211D826D, 0x423B04DA, 0x847609B4, 0x0D006599, 0x1A00CB32, 0x34019664),
};

/* Loads byte by byte, so that it works with either byte order. */
uint32_t covey__crc32c_portable(uint32_t crc, const void *bytes, size_t size) {
    const uint8_t *p = bytes;
    crc = ~crc;
    for (; size >= 8; size -= 8, p += 8) {
        crc = behind[7][p[0] ^ (crc & 0xFF)] ^ behind[6][p[1] ^ (crc >> 8 & 0xFF)] ^
              behind[5][p[2] ^ (crc >> 16 & 0xFF)] ^ behind[4][p[3] ^ crc >> 24] ^ behind[3][p[4]] ^ behind[2][p[5]] ^
              behind[1][p[6]] ^ behind[0][p[7]];
    }
    for (; size > 0; size--, p++) crc = behind[0][(crc ^ *p) & 0xFF] ^ crc >> 8;
    return ~crc;
}

/* ---- By instructions ----------------------------------------------------------------------------------------------*/

#if defined(__GNUC__) && defined(__x86_64__)
#include <nmmintrin.h>
#define INSTRUCTIONS __attribute__((target("sse4.2")))
#if defined(__SSE4_2__)
#define HAS_INSTRUCTIONS true
#else
#define HAS_INSTRUCTIONS __builtin_cpu_supports("sse4.2")
#endif
INSTRUCTIONS static inline uint64_t step(uint64_t crc, uint64_t word) { return _mm_crc32_u64(crc, word); }
INSTRUCTIONS static inline uint64_t step_byte(uint64_t crc, uint8_t byte) { return _mm_crc32_u8((uint32_t)crc, byte); }

#elif defined(__ARM_FEATURE_CRC32) && defined(__aarch64__) && defined(__AARCH64EL__)
#include <arm_acle.h>
#define INSTRUCTIONS
#define HAS_INSTRUCTIONS true
static inline uint64_t step(uint64_t crc, uint64_t word) { return __crc32cd((uint32_t)crc, word); }
static inline uint64_t step_byte(uint64_t crc, uint8_t byte) { return __crc32cb((uint32_t)crc, byte); }
#endif

#if defined(INSTRUCTIONS)

/* Each step needs the result of the one before, but the processor can execute three at once: long input is cut into
 * three parts that are summed in parallel. after_<n>: for each nibble of a state, its contribution after n more zero
 * bytes. */
enum { SHORT_PART = 128, LONG_PART = 1024 };

static const uint32_t after_short[8][16] = {
    NIBBLES(0x6992CEA2, 0xD3259D44, 0xA3A74C79, 0x42A2EE03), NIBBLES(0x8545DC06, 0x0F67CEFD, 0x1ECF9DFA, 0x3D9F3BF4),
    NIBBLES(0x7B3E77E8, 0xF67CEFD0, 0xE915A951, 0xD7C72453), NIBBLES(0xAA623E57, 0x51280A5F, 0xA25014BE, 0x414C5F8D),
    NIBBLES(0x8298BF1A, 0x00DD08C5, 0x01BA118A, 0x03742314), NIBBLES(0x06E84628, 0x0DD08C50, 0x1BA118A0, 0x37423140),
    NIBBLES(0x6E846280, 0xDD08C500, 0xBFFDFCF1, 0x7A178F13), NIBBLES(0xF42F1E26, 0xEDB24ABD, 0xDE88E38B, 0xB8FDB1E7),
};

static const uint32_t after_long[8][16] = {
    NIBBLES(0xFE314258, 0xF98EF241, 0xF6F19273, 0xE80F5217), NIBBLES(0xD5F2D2DF, 0xAE09D34F, 0x59FFD06F, 0xB3FFA0DE),
    NIBBLES(0x6213374D, 0xC4266E9A, 0x8DA0ABC5, 0x1EAD217B), NIBBLES(0x3D5A42F6, 0x7AB485EC, 0xF5690BD8, 0xEF3E6141),
    NIBBLES(0xDB90B473, 0xB2CD1E17, 0x60764ADF, 0xC0EC95BE), NIBBLES(0x84355D8D, 0x0D86CDEB, 0x1B0D9BD6, 0x361B37AC),
    NIBBLES(0x6C366F58, 0xD86CDEB0, 0xB535CB91, 0x6F87E1D3), NIBBLES(0xDF0FC3A6, 0xBBF3F1BD, 0x720B958B, 0xE4172B16),
};

static inline uint64_t word_at(const uint8_t *p) {
    uint64_t word;
    memcpy(&word, p, sizeof word);
    return word;
}

static inline uint64_t shifted(const uint32_t after[8][16], uint64_t crc) {
    return after[0][crc & 15] ^ after[1][crc >> 4 & 15] ^ after[2][crc >> 8 & 15] ^ after[3][crc >> 12 & 15] ^
           after[4][crc >> 16 & 15] ^ after[5][crc >> 20 & 15] ^ after[6][crc >> 24 & 15] ^ after[7][crc >> 28 & 15];
}

typedef struct sums {
    uint64_t first, second, third;
} sums;

/* Sums a cache line of each part. Prefetches the lines three parts ahead, so that memory and processor work in
 * parallel. */
INSTRUCTIONS static inline sums sum_lines(sums s, const uint8_t *p, size_t part) {
    for (int i = 0; i < 3; i++) covey__prefetch_line((const char *)p + (size_t)(3 + i) * part);
    for (int i = 0; i < 64; i += 8) {
        s.first = step(s.first, word_at(p + i));
        s.second = step(s.second, word_at(p + part + i));
        s.third = step(s.third, word_at(p + 2 * part + i));
    }
    return s;
}

INSTRUCTIONS static inline uint64_t three_parts(uint64_t crc, const uint8_t *p, size_t part,
                                                const uint32_t after[8][16]) {
    sums s = { crc, 0, 0 };
    for (size_t at = 0; at < part; at += 64) s = sum_lines(s, p + at, part);
    return shifted(after, shifted(after, s.first) ^ s.second) ^ s.third;
}

INSTRUCTIONS static uint32_t by_instructions(uint32_t start, const uint8_t *p, size_t size) {
    uint64_t crc = ~start;
    for (; size >= 3 * LONG_PART; size -= 3 * LONG_PART, p += 3 * LONG_PART)
        crc = three_parts(crc, p, LONG_PART, after_long);
    for (; size >= 3 * SHORT_PART; size -= 3 * SHORT_PART, p += 3 * SHORT_PART)
        crc = three_parts(crc, p, SHORT_PART, after_short);
    for (; size >= 8; size -= 8, p += 8) crc = step(crc, word_at(p));
    for (; size > 0; size--, p++) crc = step_byte(crc, *p);
    return ~(uint32_t)crc;
}

uint32_t covey__crc32c(uint32_t crc, const void *bytes, size_t size) {
    return HAS_INSTRUCTIONS ? by_instructions(crc, bytes, size) : covey__crc32c_portable(crc, bytes, size);
}

#else

uint32_t covey__crc32c(uint32_t crc, const void *bytes, size_t size) {
    return covey__crc32c_portable(crc, bytes, size);
}

#endif

/* ---- While copying ------------------------------------------------------------------------------------------------
 *
 * Each line is summed, then copied from the first-level cache: reading, summing and writing overlap. */

#if defined(INSTRUCTIONS)

/* Whole triples of long parts; returns the state. */
INSTRUCTIONS static inline uint64_t copy_parts(uint64_t crc, uint8_t *to, const uint8_t *p, size_t triples,
                                               bool past_caches) {
    for (; triples != 0; triples--, p += 3 * LONG_PART, to += 3 * LONG_PART) {
        sums s = { crc, 0, 0 };
        for (size_t at = 0; at < LONG_PART; at += 64) {
            s = sum_lines(s, p + at, LONG_PART);
            for (size_t part = at; part < 3 * LONG_PART; part += LONG_PART) {
                if (past_caches) covey__copy_line(to + part, p + part);
                else memcpy(to + part, p + part, 64);
            }
        }
        crc = shifted(after_long, shifted(after_long, s.first) ^ s.second) ^ s.third;
    }
    return crc;
}

INSTRUCTIONS static uint32_t copy_by_instructions(uint32_t crc, uint8_t *to, const uint8_t *p, size_t size,
                                                  bool past_caches) {
    size_t head = (size_t)(0 - (uintptr_t)to) % 64, triples = size > head ? (size - head) / (3 * LONG_PART) : 0;
    if (triples == 0) head = size;
    crc = by_instructions(crc, p, head);
    memcpy(to, p, head);
    to += head, p += head, size -= head;
    if (triples == 0) return crc;
    uint64_t state = past_caches ? copy_parts(~crc, to, p, triples, true) : copy_parts(~crc, to, p, triples, false);
    size_t copied = triples * 3 * LONG_PART;
    memcpy(to + copied, p + copied, size - copied);
    if (past_caches) covey__end_lines();
    return by_instructions(~(uint32_t)state, p + copied, size - copied);
}

#endif

/* Bytes summed before they are copied: few enough to stay in the first-level cache. */
enum { COPIED_AT_ONCE = 4096 };

uint32_t covey__crc32c_copy(uint32_t crc, void *to, const void *from, size_t size, bool past_caches) {
#if defined(INSTRUCTIONS)
    if (HAS_INSTRUCTIONS) return copy_by_instructions(crc, to, from, size, past_caches);
#endif
    (void)past_caches;
    char *target = to;
    const char *source = from;
    for (size_t some; size > 0; size -= some, target += some, source += some) {
        some = size < COPIED_AT_ONCE ? size : COPIED_AT_ONCE;
        crc = covey__crc32c_portable(crc, source, some);
        memcpy(target, source, some);
    }
    return crc;
}
