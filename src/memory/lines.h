/* Cache lines: prefetches lines that will be read soon, and writes whole lines past the caches if they are not read
 * again soon. */
#ifndef COVEY_LINES_H
#define COVEY_LINES_H

#include <covey/covey.h>

#ifndef COVEY_CACHE_BYTES /* larger copies of whole worlds go past the caches */
#define COVEY_CACHE_BYTES ((size_t)1 << 24)
#endif

#if defined(__SSE2__)
#include <emmintrin.h>
#endif

/* Copies a line past the caches. `to` must be aligned to 64. */
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

/* Call it before another thread reads lines that were copied past the caches. */
static inline void covey__end_lines(void) {
#if defined(__SSE2__)
    _mm_sfence();
#endif
}

/* Copies numbers past the caches. */
static inline void covey__copy_past(uint32_t *to, const uint32_t *from, size_t count) {
    size_t head = (size_t)(0 - (uintptr_t)to) % 64 / sizeof *to, i = head < count ? head : count;
    memcpy(to, from, i * sizeof *to);
    for (; count - i >= 16; i += 16) covey__copy_line(to + i, from + i);
    memcpy(to + i, from + i, (count - i) * sizeof *to);
}

/* Prefetches a line. Functions that only prefetch must be COVEY_HOT as well: gcc 12 considers them to have no effect,
 * and removes calls of them. */
COVEY_HOT void covey__prefetch_line(const char *data) {
#if defined(__GNUC__)
    __builtin_prefetch(data);
#else
    (void)data;
#endif
}

#endif
