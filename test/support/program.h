/* A random program: bytes that an interpreter turns into steps, an allocator that fails now and then, and a way out
 * when the library and the oracle disagree. */
#ifndef COVEY_TEST_PROGRAM_H
#define COVEY_TEST_PROGRAM_H

#include "oracle.h"
#include "tools.h"

#include <setjmp.h>

typedef struct program {
    const uint8_t *data; /* an input, or NULL for random bytes */
    size_t left;
    test_random random;
    uint32_t word, word_bytes;
    test_heap heap;
    uint64_t step;
    const char *operation;
    char message[256];
    jmp_buf stop;
} program;

/* Bytes of `data`, or random ones when it is NULL. */
void program_init(program *p, const uint8_t *data, size_t size, uint64_t seed);
bool program_has_ended(const program *p);

uint32_t program_byte(program *p); /* 0 behind the end of an input */
uint32_t program_number(program *p);
uint32_t program_below(program *p, uint32_t limit); /* limit > 0 */
bool program_chance(program *p, uint32_t in_256);

/* Starts a step: one of many has an allocation fail. */
void program_begin_step(program *p, const char *operation);

/* Ends the run: the interpreter returns with this message. */
_Noreturn void program_fail(program *p, const char *format, ...) TEST_PRINTF(2, 3);
#define PROGRAM_REQUIRE(p, holds, ...) ((holds) ? (void)0 : program_fail((p), __VA_ARGS__))

/* Compares everything that can be seen of a set. */
void program_compare_set(program *p, const covey_sparse_set *set, oracle_set *oracle);

#endif
