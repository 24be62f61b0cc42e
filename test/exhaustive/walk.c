#include "walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { NO_STEP = UINT16_MAX, FAILING_MOST = 30 };

/* The program of a state is that of the state it came from, and one more operation. */
typedef struct walk_state {
    uint64_t key[2];
    uint32_t from;
    uint16_t operation;
    uint8_t failing; /* the allocation that failed, or 0 */
    uint8_t steps;
} walk_state;

/* ---- Keys ---------------------------------------------------------------------------------------------------------*/

static uint64_t mix(uint64_t x) {
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static void add_word(walk *w, uint64_t word) {
    w->key[0] = mix(w->key[0] ^ word);
    w->key[1] = mix((w->key[1] << 7 | w->key[1] >> 57) + word * UINT64_C(0x9e3779b97f4a7c15) + 1);
}

void walk_key(walk *w, const void *bytes, size_t size) {
    const unsigned char *from = bytes;
    uint64_t word;
    for (; size >= sizeof word; size -= sizeof word, from += sizeof word) {
        memcpy(&word, from, sizeof word);
        add_word(w, word);
    }
    word = size;
    for (size_t i = 0; i < size; i++) word = word << 8 | from[i];
    add_word(w, word);
}

static void make_key(walk *w) {
    w->key[0] = 1;
    w->key[1] = 2;
    walk_key(w, w->subject->spec, w->subject->spec_size);
    w->subject->key(w);
}

/* ---- States -------------------------------------------------------------------------------------------------------*/

static void *grown(void *array, size_t count, size_t size) {
    void *larger = realloc(array, count * size);
    if (larger) return larger;
    fprintf(stderr, "no memory is left\n");
    exit(EXIT_FAILURE);
}

static uint32_t *find(const walk *w, const uint64_t *key) {
    uint32_t at = (uint32_t)key[0] & (w->buckets - 1);
    while (w->table[at] != 0 && memcmp(w->states[w->table[at] - 1].key, key, 2 * sizeof *key) != 0)
        at = (at + 1) & (w->buckets - 1);
    return &w->table[at];
}

static void grow(walk *w) {
    w->buckets *= 2;
    w->states = grown(w->states, w->buckets / 2, sizeof *w->states);
    w->table = grown(w->table, w->buckets, sizeof *w->table);
    memset(w->table, 0, w->buckets * sizeof *w->table);
    for (uint32_t i = 0; i < w->count; i++) *find(w, w->states[i].key) = i + 1;
}

static void remember(walk *w, uint32_t from, uint32_t operation, uint32_t failing) {
    if (w->count + 1 >= w->buckets / 2) grow(w);
    uint8_t steps = operation == NO_STEP ? 0 : (uint8_t)(w->states[from].steps + 1);
    w->states[w->count] = (walk_state){ { w->key[0], w->key[1] }, from, (uint16_t)operation, (uint8_t)failing, steps };
    *find(w, w->key) = ++w->count;
}

/* ---- Programs -----------------------------------------------------------------------------------------------------*/

static void print_step(const walk *w, uint32_t operation, uint32_t failing) {
    char text[80];
    w->subject->describe(operation, text, sizeof text);
    fprintf(stderr, "    %s", text);
    if (failing != 0) fprintf(stderr, ", allocation %u fails", failing);
    fprintf(stderr, "\n");
}

static void print_program(const walk *w, uint32_t state) {
    const walk_state *s = &w->states[state];
    if (s->operation == NO_STEP) return;
    print_program(w, s->from);
    print_step(w, s->operation, s->failing);
}

void walk_require(walk *w, bool holds, const char *what) {
    if (holds) return;
    fprintf(stderr, "%s: %s, after\n", w->subject->name, what);
    if (w->count != 0) {
        print_program(w, w->at);
        print_step(w, w->operation, w->failing);
    }
    exit(EXIT_FAILURE);
}

static void apply(walk *w, uint32_t operation, uint32_t failing) {
    w->operation = operation;
    w->failing = failing;
    arena_fail(w->subject->memory, failing);
    w->subject->apply(w, operation);
    w->applied++;
}

static void replay(walk *w, uint32_t state) {
    const walk_state *s = &w->states[state];
    if (s->operation == NO_STEP) {
        w->subject->begin(w);
        return;
    }
    replay(w, s->from);
    apply(w, s->operation, s->failing);
}

/* ---- The walk -----------------------------------------------------------------------------------------------------*/

static unsigned char copy_of_memory[ARENA_COPY + 16], copy_of_spec[4096];

static void save(const walk *w) {
    arena_save(w->subject->memory, copy_of_memory);
    memcpy(copy_of_spec, w->subject->spec, w->subject->spec_size);
}

static void restore(const walk *w) {
    arena_restore(w->subject->memory, copy_of_memory);
    memcpy(w->subject->spec, copy_of_spec, w->subject->spec_size);
}

/* What was observed in an equal state need not be observed again. */
static void arrive(walk *w, uint32_t operation, uint32_t failing) {
    make_key(w);
    if (*find(w, w->key) != 0) return;
    w->subject->check(w);
    remember(w, w->at, operation, failing);
}

/* Once without a failure, then with the first allocation failing, the second, and so on until there is none. */
static void continue_with(walk *w, uint32_t operation) {
    for (uint32_t failing = 0; failing <= FAILING_MOST; failing++) {
        apply(w, operation, failing);
        bool more = failing == 0 ? w->subject->memory->asked != 0 : arena_failed(w->subject->memory);
        if (failing == 0 || more) arrive(w, operation, failing);
        restore(w);
        if (!more) return;
    }
    walk_require(w, false, "an operation allocates too often");
}

static double seconds(void) { return (double)clock() / CLOCKS_PER_SEC; }

/* Programs over this many operations; failing allocations are not counted. */
static double programs(uint32_t operations, uint32_t steps) {
    double all = 0, longest = 1;
    for (uint32_t i = 0; i < steps; i++) all += longest *= operations;
    return all;
}

void walk_run(const walk_subject *subject) {
    double start = seconds();
    walk w = { .subject = subject, .buckets = 1 << 10 };
    grow(&w);
    subject->begin(&w);
    make_key(&w);
    subject->check(&w);
    remember(&w, 0, NO_STEP, 0);
    for (; w.at < w.count && w.states[w.at].steps < subject->steps; w.at++) {
        replay(&w, w.at);
        make_key(&w);
        walk_require(&w, memcmp(w.key, w.states[w.at].key, sizeof w.key) == 0, "the same program leads elsewhere");
        save(&w);
        for (uint32_t i = 0; i < subject->operations; i++) continue_with(&w, i);
    }
    uint32_t longest = w.states[w.count - 1].steps;
    printf("%-34s %3u operations %9u states %11llu steps %6.1f s  ", subject->name, subject->operations, w.count,
           (unsigned long long)w.applied, seconds() - start);
    if (w.at == w.count) printf("all programs (none reaches a new state after %u steps)\n", longest);
    else printf("all %.1e programs of up to %u steps\n", programs(subject->operations, subject->steps), subject->steps);
    fflush(stdout);
    free(w.states);
    free(w.table);
}
