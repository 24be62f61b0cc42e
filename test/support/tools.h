/* What tests and fuzz targets share and what needs no test framework: a strict allocator that counts and fails on
 * request, a small random generator, and the scale of long tests. */
#ifndef COVEY_TEST_TOOLS_H
#define COVEY_TEST_TOOLS_H

#include <covey/covey.h>

/* Put after the declaration of a function like printf: compilers check the arguments. */
#if defined(__MINGW32__)
#define TEST_PRINTF(text, first) __attribute__((format(gnu_printf, text, first))) /* "printf" has no %zu there */
#elif defined(__GNUC__)
#define TEST_PRINTF(text, first) __attribute__((format(printf, text, first)))
#else
#define TEST_PRINTF(text, first)
#endif

/* An allocator that knows every block it gave out. It stops the program when it is told a wrong old size or alignment,
 * and never resizes in place. What it gives out and takes back it fills with bytes that are not zero, so that memory
 * that was never written, or is read through a pointer to where a block was, shows. */
typedef struct test_heap {
    size_t bytes, blocks; /* that are out now */
    size_t peak;          /* the most bytes that were out at once; set it to `bytes` to begin anew */
    uint64_t calls;       /* that asked for memory: allocations and resizes, not frees */
    uint64_t fail_at;     /* the number of the call that fails, from 1 on; 0 for none */
    bool fail_on;         /* all calls from there on fail, too */
    bool failed;          /* whether one did */
} test_heap;

covey_allocator test_allocator(test_heap *heap);

/* Lets the call number `at` from now on fail; once, or for good. */
void test_fail_at(test_heap *heap, uint64_t at, bool for_good);
void test_fail_never(test_heap *heap);

/* A small, fast generator whose numbers are the same everywhere. Seed it with anything. */
typedef struct test_random {
    uint64_t state;
} test_random;
uint32_t test_next(test_random *random);
uint32_t test_below(test_random *random, uint32_t limit); /* limit > 0 */

/* Walks views of a world, of each component type alone and together with the next one, by spans and by rows, and hands
 * over all entities in the order in which they are visited: null after each walk. Nothing is written. */
typedef void test_visit_fn(covey_entity e, void *context);
void test_walk(const covey_world *world, test_visit_fn *visit, void *context);

/* `steps` scaled by COVEY_TEST_SCALE, a percentage (100 when unset); at least 1. */
uint64_t test_scaled(uint64_t steps);

#endif
