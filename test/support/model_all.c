/* All subjects in one program: listeners are told of commands, copies and trees, and worlds with all of it are cloned.
 * Each subject has its own state, which is the model's while the subject is at work. */
#include "model_world.h"

#include <stdlib.h>

enum { SIGNALS, COMMANDS, COPIES, HIERARCHY, VISIBLE, PARTS };
static const struct model_subject *const parts[PARTS] = { &model_signals, &model_commands, &model_copies,
                                                          &model_hierarchy, &model_visible };

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

static void run_signals(model *m) { run_one_of(m, SIGNALS); }
static void run_commands(model *m) { run_one_of(m, COMMANDS); }
static void run_copies(model *m) { run_one_of(m, COPIES); }
static void run_hierarchy(model *m) { run_one_of(m, HIERARCHY); }
static void run_visible(model *m) { run_one_of(m, VISIBLE); }

/* ---- Listeners that act -------------------------------------------------------------------------------------------*/

/* What a listener did to a copy, or to one of some clones, comes behind all that is told of them. */
static void follow_act(model *m, const oracle_pool *pool, bool destroys) {
    covey_entity e;
    if (model_signals_acted(m, &e)) {
        if (destroys) oracle_destroy(m->oracle, e);
        else oracle_remove(m->oracle, pool, e);
    }
    model_find_addresses(m);
}

/* With the state of the signals. */
static void copy_and_act(model *m) {
    covey_entity from = model_pick(m), to = model_pick(m);
    const oracle_pool *pool = oracle_pool_of(m->oracle, model_pick_type(m));
    bool destroys = program_chance(&m->program, 128);
    if (!model_may_copy(m, from, 1) || !oracle_alive(m->oracle, to) || covey_same(from, to)) return;
    if (!pool || !oracle_has(m->oracle, pool, from)) return;
    covey_signal cue = oracle_has(m->oracle, pool, to) ? COVEY_ON_SET : COVEY_ON_ADD;
    if (!model_signals_arm(m, pool, cue, destroys, to)) return;
    m->behind = true;
    if (!model_settle(m, covey_copy(m->world, from, to), COVEY_OK)) return;
    model_copied(m, from, &to, 1, false);
    follow_act(m, pool, destroys);
}

/* The first clone that the listener is told of, when it is made or gets a component. */
static void clone_and_act(model *m) {
    covey_entity from = model_pick(m), none = { 0, 0 };
    const oracle_pool *pool = oracle_pool_of(m->oracle, model_pick_type(m));
    uint32_t count = 1 + program_below(&m->program, 4);
    if (!pool || !oracle_has(m->oracle, pool, from) || program_chance(&m->program, 64)) pool = NULL;
    bool destroys = !pool || program_chance(&m->program, 128);
    if (m->oracle->alive >= m->options->crowd || oracle_can_create(m->oracle, 0, count) < count) return;
    if (!model_may_copy(m, from, count)) return;
    if (!model_signals_arm(m, pool, pool ? COVEY_ON_ADD : COVEY_ON_CREATE, destroys, none)) return;
    m->behind = true;
    if (!model_settle(m, covey_clone(m->world, from, m->batch, count), COVEY_OK)) return;
    model_created_with(m, oracle_types_of(m->oracle, from), m->batch, count);
    model_copied(m, from, m->batch, count, true);
    follow_act(m, pool, destroys);
}

static void act_on_copy(model *m) { lend(m, SIGNALS, copy_and_act); }
static void act_on_clone(model *m) { lend(m, SIGNALS, clone_and_act); }

static void arm_for_replay(model *m) {
    static const covey_signal cues[] = { COVEY_ON_ADD, COVEY_ON_SET, COVEY_ON_CREATE };
    covey_signal cue = cues[program_below(&m->program, 3)];
    const oracle_pool *pool = oracle_pool_of(m->oracle, model_pick_type(m));
    covey_entity first = { 0, 0 };
    bool destroys = cue == COVEY_ON_CREATE || program_chance(&m->program, 128);
    if (cue == COVEY_ON_CREATE) pool = NULL;
    else if (!pool) return;
    if (model_signals_arm(m, pool, cue, destroys, first)) model_signals_mirror(m);
}

static void act_on_replay(model *m) {
    lend(m, SIGNALS, arm_for_replay);
    lend(m, COMMANDS, model_replay);
}

static const model_operation operations[] = {
    { "signals", run_signals, 8, false },
    { "commands", run_commands, 10, false },
    { "copies", run_copies, 6, false },
    { "hierarchy", run_hierarchy, 4, false },
    { "visible", run_visible, 4, false },
    { "copy, and a listener acts", act_on_copy, 2, false },
    { "clone, and a listener acts", act_on_clone, 2, false },
    { "commands_replay, and a listener acts", act_on_replay, 2, false },
    { NULL, NULL, 0, false },
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

static void move(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->move);
}

static void count_loaded(model *m) {
    for (uint32_t i = 0; i < PARTS; i++) lend(m, i, parts[i]->count_loaded);
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
    .move = move,
    .count_loaded = count_loaded,
};
