/* Programs: steps, made from a seed or read from text. */
#ifndef COVEY_SIM_PROGRAM_H
#define COVEY_SIM_PROGRAM_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#if defined(__GNUC__)
#define SIM_PRINTF(text, rest) __attribute__((format(printf, text, rest)))
#else
#define SIM_PRINTF(text, rest)
#endif

typedef struct sim_step {
    uint16_t operation;   /* its number in the table of all */
    uint8_t world, other; /* numbers of worlds */
    uint8_t fail;         /* the number of the allocation that fails, with SIM_FAIL_ON also all that follow; 0: none */
    uint32_t a, b, c;
} sim_step;
#define SIM_FAIL_ON 128

enum { SIM_STEPS_MAX = 400 };

typedef struct sim_program {
    uint64_t seed; /* 0: it was read from text */
    uint32_t count;
    sim_step steps[SIM_STEPS_MAX];
} sim_program;

struct sim_operation;
uint32_t sim_operation_count(void);
const struct sim_operation *sim_operation_at(uint32_t number);

/* The program of a seed, with this many steps. */
void sim_program_make(sim_program *program, uint64_t seed, uint32_t steps);
/* One line a step: the name of the operation, and its numbers. */
void sim_step_print(const sim_step *step, FILE *to);
void sim_program_print(const sim_program *program, FILE *to);
/* Reads what was printed; false, with a sentence on stderr, if a line is wrong. */
bool sim_program_read(sim_program *program, FILE *from);

#endif
