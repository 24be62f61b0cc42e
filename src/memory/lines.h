/* Lines of memory: those that will be read soon are asked for; those that are written as a whole, and not read again
 * soon, need not be fetched first. */
#ifndef COVEY_LINES_H
#define COVEY_LINES_H

#include <covey/covey.h>

#ifndef COVEY_CACHE_BYTES /* copies of more than this, of whole worlds, go past the caches */
#define COVEY_CACHE_BYTES ((size_t)1 << 24)
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* `to` is the beginning of a line. */
static inline void covey__copy_line(void *to, const void *from) {
#if defined(__SSE2__)
    __m128i *line = to;
    const __m128i *source = from;
    __m128i a = _mm_loadu_si128(source), b = _mm_loadu_si128(source + 1);
    __m128i c = _mm_loadu_si128(source + 2), d = _mm_loadu_si128(source + 3);
    _mm_stream_si128(line, a);
    _mm_stream_si128(line + 1, b);
    _mm_stream_si128(line + 2, c);
    _mm_stream_si128(line + 3, d);
#else
    memcpy(to, from, 64);
#endif
}

/* Before anybody else looks at such lines. */
static inline void covey__end_lines(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Copies numbers. */
static inline void covey__copy_past(uint32_t *to, const uint32_t *from, size_t count) {
    size_t head = (size_t)(0 - (uintptr_t)to) % 64 / sizeof *to, i = head < count ? head : count;
    memcpy(to, from, i * sizeof *to);
    for (; count - i >= 16; i += 16) covey__copy_line(to + i, from + i);
    memcpy(to + i, from + i, (count - i) * sizeof *to);
}

/* Asks for a line of memory that will be needed soon. A function that does no more than that is COVEY_HOT, too: gcc 12
 * takes it for one without effect, and leaves calls of it out. */
COVEY_HOT void covey__prefetch_line(const char *data) {
#if defined(__GNUC__)
    __builtin_prefetch(data);
#else
    (void)data;
#endif
}

#endif
