/* All subjects in one program: signals hear of commands, copies and trees, and worlds that have all of it are cloned.
 * Each has a state of its own, which is the model's while it is at work. */
#include "model_world.h"

#include <stdlib.h>

static const struct model_subject *const parts[] = { &model_signals, &model_commands, &model_copies, &model_hierarchy,
                                                     &model_visible };
enum { PARTS = sizeof parts / sizeof parts[0] };

typedef struct all {
    void *states[PARTS];
} all;

static all *all_of(const model *m) { return m->whole; }

/* Does something with the state of a part. */
static void lend(model *m, uint32_t part, void (*run)(model *m)) {
    void *state = m->state;
    if (!run) return;
    m->state = all_of(m)->states[part];
    run(m);
    all_of(m)->states[part] = m->state;
    m->state = state;
}

/* ---- Operations ---------------------------------------------------------------------------------------------------*/

static void run_one_of(model *m, uint32_t part) {
    const model_operation *operation = model_pick_operation(m, parts[part]->operations);
    uint64_t calls = m->program.heap.calls;
    m->program.operation = operation->name;
    lend(m, part, operation->run);
    REQUIRE(m, !operation->quiet || m->may_allocate || m->program.heap.calls == calls, "it allocates");
}

static void run_signals(model *m) { run_one_of(m, 0); }
static void run_commands(model *m) { run_one_of(m, 1); }
static void run_copies(model *m) { run_one_of(m, 2); }
static void run_hierarchy(model *m) { run_one_of(m, 3); }
static void run_visible(model *m) { run_one_of(m, 4); }

static const model_operation operations[] = {
    { "signals", run_signals, 4, false }, { "commands", run_commands, 5, false },
    { "copies", run_copies, 3, false },   { "hierarchy", run_hierarchy, 2, false },
    { "visible", run_visible, 2, false }, { NULL, NULL, 0, false },
};

/* ---- The subject --------------------------------------------------------------------------------------------------*/

static void begin(model *m) {
    m->whole = calloc(1, sizeof(all));
    if (!m->whole) abort();
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->begin);
}

static void check(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->check);
}

static void compare(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->compare);
}

static void end(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->end);
}

static void forget(model *m) {
    if (!m->whole) return;
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->forget);
    free(m->whole);
}

static void clear(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->clear);
}

static void leave(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->leave);
}

/* Those who only look have the state for as long. */
static model *borrow(const model *m, uint32_t part) {
    model *borrowed = (model *)(uintptr_t)m;
    borrowed->state = all_of(m)->states[part];
    return borrowed;
}

static size_t memory(const model *m) {
    size_t bytes = 0;
    void *state = m->state;
    for (uint32_t i = 0; i < PARTS; i++)
        if (parts[i]->memory) bytes += parts[i]->memory(borrow(m, i));
    ((model *)(uintptr_t)m)->state = state;
    return bytes;
}

static void count_tokens(const model *m, uint32_t *live) {
    void *state = m->state;
    for (uint32_t i = 0; i < PARTS; i++)
        if (parts[i]->count_tokens) parts[i]->count_tokens(borrow(m, i), live);
    ((model *)(uintptr_t)m)->state = state;
}

const struct model_subject model_all = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .clear = clear,
    .memory = memory,
    .count_tokens = count_tokens,
    .leave = leave,
};
