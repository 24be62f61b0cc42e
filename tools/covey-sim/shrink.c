#include "shrink.h"

#include <string.h>

enum { SMALL = 24 };

typedef struct shrinking {
    sim_program best, tried;
    const char *kind;
    unsigned seconds;
    uint32_t runs;
} shrinking;

/* Keeps the program that was tried if it fails in the same way. */
static bool try_it(shrinking *s) {
    child_result result = child_run(&(child_work){ .one = &s->tried, .quiet = true, .seconds = s->seconds }, NULL);
    s->runs++;
    if (!result.failed || strcmp(result.kind, s->kind) != 0) return false;
    /* Steps behind the one that failed are not needed. */
    if (result.step + 1 < s->tried.count) s->tried.count = result.step + 1;
    s->best = s->tried;
    return true;
}

static void leave_out(shrinking *s, uint32_t from, uint32_t count) {
    s->tried = s->best;
    memmove(&s->tried.steps[from], &s->tried.steps[from + count],
            (s->tried.count - from - count) * sizeof s->tried.steps[0]);
    s->tried.count -= count;
}

/* From the end on, so that what a step needs is tried after the step. */
static bool leave_out_parts(shrinking *s, uint32_t size) {
    bool any = false;
    for (uint32_t end = s->best.count; end >= size;) {
        leave_out(s, end - size, size);
        if (try_it(s)) any = true;
        end -= size;
        if (end > s->best.count) end = s->best.count;
    }
    return any;
}

static bool leave_out_steps(shrinking *s) {
    bool any = false;
    for (uint32_t size = s->best.count / 2; size != 0; size /= 2)
        while (size <= s->best.count && leave_out_parts(s, size)) any = true;
    return any;
}

static bool try_number(shrinking *s, uint32_t step, uint32_t which, uint32_t value) {
    s->tried = s->best;
    sim_step *changed = &s->tried.steps[step];
    uint32_t *const numbers[] = { &changed->a, &changed->b, &changed->c };
    if (*numbers[which] == value) return false;
    *numbers[which] = value;
    return try_it(s);
}

/* Small numbers are tried first: they mean the same when there are more operations and types. */
static void reduce_number(shrinking *s, uint32_t step, uint32_t which) {
    for (uint32_t value = 0; value < SMALL; value++)
        if (try_number(s, step, which, value)) return;
    for (uint32_t shift = 16; shift != 0; shift /= 2) {
        const sim_step *now = &s->best.steps[step];
        uint32_t value = which == 0 ? now->a : which == 1 ? now->b : now->c;
        try_number(s, step, which, value >> shift);
    }
}

static void reduce_step(shrinking *s, uint32_t step) {
    s->tried = s->best;
    s->tried.steps[step].fail = 0;
    if (s->best.steps[step].fail != 0) try_it(s);
    for (uint32_t which = 0; which < 3; which++)
        if (step < s->best.count) reduce_number(s, step, which);
}

uint32_t sim_shrink(sim_program *program, const char *kind, unsigned seconds) {
    shrinking s = { .best = *program, .kind = kind, .seconds = seconds };
    s.best.seed = 0;
    while (leave_out_steps(&s)) {
    }
    for (uint32_t i = 0; i < s.best.count; i++) reduce_step(&s, i);
    while (leave_out_steps(&s)) {
    }
    *program = s.best;
    return s.runs;
}
