#define _DEFAULT_SOURCE
#include "child.h"

#include "sim.h"

#include <signal.h>
#include <stdarg.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { FAILED = 3 };

/* What the child tells its parent, also when it crashes. */
typedef struct shared {
    child_result result;
    sim_pairs pairs;
} shared;

static shared *told; /* NULL: the program runs in the process that began it */

void child_at_step(uint32_t step) {
    if (told) told->result.step = step;
}

void child_fail(const char *kind, const char *format, ...) {
    char text[sizeof told->result.text];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    if (!told) {
        fprintf(stderr, "covey-sim: %s\n", text);
        abort();
    }
    told->result.failed = true;
    snprintf(told->result.kind, sizeof told->result.kind, "%s", kind);
    memcpy(told->result.text, text, sizeof text);
    fflush(NULL);
    _exit(FAILED);
}

static void run_programs(const child_work *work) {
    if (work->one) {
        sim_run(work->one, work->trace);
        return;
    }
    sim_program program;
    for (uint64_t i = 0; i < work->count; i++) {
        if (told) told->result.seed = work->first + i;
        if (told) alarm(work->seconds);
        sim_program_make(&program, work->first + i, work->steps);
        sim_run(&program, work->trace);
    }
}

void child_run_here(const child_work *work) {
    run_programs(work);
    sim_files_remove((long)getpid());
}

static _Noreturn void be_child(const child_work *work) {
    if (work->quiet && (!freopen("/dev/null", "w", stdout) || !freopen("/dev/null", "w", stderr))) _exit(1);
    setsid();
    alarm(work->seconds);
    sim_pairs_use(&told->pairs);
    run_programs(work);
    fflush(NULL);
    _exit(0);
}

static void read_end(int status, child_result *result) {
    if (result->failed || (WIFEXITED(status) && WEXITSTATUS(status) == 0)) return;
    result->failed = true;
    if (WIFSIGNALED(status)) {
        int number = WTERMSIG(status);
        snprintf(result->kind, sizeof result->kind, "signal %d", number);
        snprintf(result->text, sizeof result->text, "step %u: ended by signal %d (%s)%s", result->step, number,
                 strsignal(number), number == SIGALRM ? ": it does not end" : "");
    } else {
        snprintf(result->kind, sizeof result->kind, "exit %d", WEXITSTATUS(status));
        snprintf(result->text, sizeof result->text, "step %u: ended with exit code %d (a sanitizer?)", result->step,
                 WEXITSTATUS(status));
    }
}

static void add_pairs(sim_pairs *to, const sim_pairs *from) {
    to->programs += from->programs;
    to->steps += from->steps;
    for (uint32_t f = 0; f < SIM_FEATURE_COUNT; f++)
        for (uint32_t g = 0; g < SIM_FEATURE_COUNT; g++) to->met[f][g] += from->met[f][g];
}

static void *map_shared(void) {
    void *memory = mmap(NULL, sizeof(shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory != MAP_FAILED) return memory;
    perror("covey-sim: mmap");
    exit(2);
}

child_result child_run(const child_work *work, sim_pairs *pairs) {
    told = map_shared();
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) be_child(work);
    int status = 0;
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("covey-sim: fork");
        exit(2);
    }
    sim_files_remove((long)child);
    child_result result = told->result;
    read_end(status, &result);
    if (pairs) add_pairs(pairs, &told->pairs);
    munmap(told, sizeof *told);
    told = NULL;
    return result;
}
