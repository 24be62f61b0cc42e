/* covey-sim: the loop over seeds. */
#define _DEFAULT_SOURCE
#include "shrink.h"
#include "sim.h"

#include <stdlib.h>
#include <time.h>
#include <unistd.h>

static const char help[] =
    "usage: covey-sim [options]\n"
    "Runs random programs over all features of Covey, and compares each step with a naive model. A failing program is\n"
    "shrunk and printed; its seed, or the printed text, runs it again.\n"
    "\n"
    "  --seed N         begin with this seed (default: 1; 0: by the clock)\n"
    "  --programs N     end after this many programs (default: no end)\n"
    "  --seconds N      end after this many seconds (default: no end)\n"
    "  --steps N        steps of a program, at most 400 (default: 150)\n"
    "  --one N          run the program of this seed only, and print each step\n"
    "  --program FILE   run a printed program, and print each step; - reads standard input\n"
    "  --go-on          after a failure, go on with the next seed; failures of a kind that was seen are only counted\n"
    "  --here           with --one or --program: do not start a child process, abort on failure (for debuggers)\n"
    "  --pairs          at the end, print how often each feature met each other\n"
    "  --least N        fail if a pair of features met less often than this (default: 0)\n"
    "  --lie N          the model lies: see the list; the failure shows that the lie is noticed\n"
    "  --lies           for each lie, run programs until one notices it; fail if none does\n"
    "  --quiet          no progress\n"
    "  --help           this text\n"
    "\n"
    "Exit status: 0 no program failed; 1 one failed, a pair is too rare or a lie was not noticed; 2 wrong options.\n"
    "\n"
    "Lies:\n";

typedef struct options {
    uint64_t seed, programs, seconds, least;
    uint32_t steps;
    bool one, here, pairs, quiet, go_on, lies;
    const char *program;
} options;

enum { AT_ONCE = 25, PROGRAM_SECONDS = 60, LIE_PROGRAMS = 500 };

static bool read_number(const char *text, uint64_t *number) {
    char *end;
    if (!text || *text < '0' || *text > '9') return false;
    *number = strtoull(text, &end, 10);
    return *end == '\0';
}

/* Returns whether the option was one with a number. */
static bool read_numbered(options *o, const char *name, const char *text, bool *wrong) {
    uint64_t number = 0;
    const char *const names[] = { "--seed", "--programs", "--seconds", "--steps", "--one", "--least", "--lie" };
    uint32_t i = 0;
    while (i < 7 && strcmp(name, names[i]) != 0) i++;
    if (i == 7) return false;
    *wrong = !read_number(text, &number) || (i == 3 && (number == 0 || number > SIM_STEPS_MAX)) ||
             (i == 6 && number >= SIM_LIE_COUNT);
    if (i == 0 || i == 4) o->seed = number;
    if (i == 1) o->programs = number;
    if (i == 2) o->seconds = number;
    if (i == 3) o->steps = (uint32_t)number;
    if (i == 4) o->one = true;
    if (i == 5) o->least = number;
    if (i == 6 && !*wrong) sim_choose_lie((sim_lie)number);
    return true;
}

static bool read_flag(options *o, const char *name) {
    if (strcmp(name, "--here") == 0) o->here = true;
    else if (strcmp(name, "--go-on") == 0) o->go_on = true;
    else if (strcmp(name, "--pairs") == 0) o->pairs = true;
    else if (strcmp(name, "--quiet") == 0) o->quiet = true;
    else if (strcmp(name, "--lies") == 0) o->lies = true;
    else return false;
    return true;
}

static void refuse(const char *what) {
    fprintf(stderr, "covey-sim: %s; try --help\n", what);
    exit(2);
}

static void print_help(void) {
    fputs(help, stdout);
    for (uint32_t lie = SIM_TRUTH + 1; lie < SIM_LIE_COUNT; lie++) printf("%4u  %s\n", lie, sim_lie_text((sim_lie)lie));
}

static options read_options(int count, char **words) {
    options o = { .seed = 1, .steps = 150 };
    for (int i = 1; i < count; i++) {
        bool wrong = false;
        if (strcmp(words[i], "--help") == 0) {
            print_help();
            exit(0);
        }
        if (strcmp(words[i], "--program") == 0) {
            if (i + 1 == count) refuse("--program needs a file");
            o.program = words[++i];
        } else if (read_numbered(&o, words[i], i + 1 < count ? words[i + 1] : NULL, &wrong)) {
            if (wrong) refuse("a number is wrong");
            i++;
        } else if (!read_flag(&o, words[i])) refuse("an option is unknown");
    }
    return o;
}

/* ---- One program --------------------------------------------------------------------------------------------------*/

static int report(const child_result *result) {
    if (!result->failed) {
        printf("no failure\n");
        return 0;
    }
    printf("FAILED: %s\n", result->text);
    return 1;
}

static void read_program(const char *path, sim_program *program) {
    FILE *file = strcmp(path, "-") == 0 ? stdin : fopen(path, "r");
    if (!file) {
        perror(path);
        exit(2);
    }
    if (!sim_program_read(program, file)) exit(2);
    if (file != stdin) fclose(file);
}

static int run_one(const options *o) {
    sim_program program;
    if (o->program) read_program(o->program, &program);
    else sim_program_make(&program, o->seed, o->steps);
    child_work work = { .one = &program, .trace = true, .seconds = PROGRAM_SECONDS };
    if (o->here) {
        child_run_here(&work);
        return 0;
    }
    child_result result = child_run(&work, NULL);
    return report(&result);
}

/* ---- Many ---------------------------------------------------------------------------------------------------------*/

static void shrink_and_print(const options *o, child_result *result) {
    sim_program program;
    sim_program_make(&program, result->seed, o->steps);
    printf("\nseed %llu FAILED: %s\n", (unsigned long long)result->seed, result->text);
    fflush(stdout);
    if (strncmp(result->kind, "signal 14", 9) != 0) {
        uint32_t before = program.count, runs = sim_shrink(&program, result->kind, PROGRAM_SECONDS);
        printf("shrunk from %u to %u steps, by %u runs:\n\n", before, program.count, runs);
    }
    sim_program_print(&program, stdout);
    printf("\nIn words:\n");
    child_result again = child_run(&(child_work){ .one = &program, .trace = true, .seconds = PROGRAM_SECONDS }, NULL);
    printf("%s\n\nRun it again: covey-sim --one %llu --steps %u; or save the lines and: covey-sim --program FILE\n",
           again.text, (unsigned long long)result->seed, o->steps);
}

static void show_progress(const options *o, const sim_pairs *pairs, time_t begin) {
    static time_t shown;
    time_t now = time(NULL);
    if (o->quiet || now == shown || !isatty(STDERR_FILENO)) return;
    shown = now;
    fprintf(stderr, "\r%llu programs, %llu steps, %ld s, %u pairs met less than 100 times ",
            (unsigned long long)pairs->programs, (unsigned long long)pairs->steps, (long)(now - begin),
            sim_pairs_rare(pairs, 100, NULL));
}

static bool is_done(const options *o, const sim_pairs *pairs, time_t begin) {
    if (o->programs != 0 && pairs->programs >= o->programs) return true;
    return o->seconds != 0 && (uint64_t)(time(NULL) - begin) >= o->seconds;
}

/* The kinds of failures that were seen. */
typedef struct failures {
    char kinds[64][sizeof((child_result){ 0 }.kind)];
    uint32_t kind_count, count;
} failures;

static bool is_new_kind(failures *f, const char *kind) {
    f->count++;
    for (uint32_t i = 0; i < f->kind_count; i++)
        if (strcmp(f->kinds[i], kind) == 0) return false;
    if (f->kind_count < 64) memcpy(f->kinds[f->kind_count++], kind, sizeof f->kinds[0]);
    return true;
}

/* Programs from this seed on. Returns the seed to go on with; 0: a program failed, and that is the end. */
static uint64_t run_some(const options *o, uint64_t first, sim_pairs *pairs, failures *f) {
    uint64_t left = o->programs != 0 ? o->programs - pairs->programs : AT_ONCE;
    child_work work = {
        .first = first, .count = left < AT_ONCE ? left : AT_ONCE, .steps = o->steps, .seconds = PROGRAM_SECONDS
    };
    child_result result = child_run(&work, pairs);
    if (!result.failed) return first + work.count;
    if (is_new_kind(f, result.kind)) shrink_and_print(o, &result);
    return o->go_on ? result.seed + 1 : 0;
}

static int report_many(const options *o, const sim_pairs *pairs, const failures *f, uint64_t seed, time_t begin) {
    uint32_t rare = sim_pairs_rare(pairs, o->least, stdout);
    printf("%llu programs from seed %llu on, %llu steps, %ld s: %u failures of %u kinds\n",
           (unsigned long long)pairs->programs, (unsigned long long)seed, (unsigned long long)pairs->steps,
           (long)(time(NULL) - begin), f->count, f->kind_count);
    printf("%u of %u pairs of features met less than 100 times\n", sim_pairs_rare(pairs, 100, NULL),
           SIM_FEATURE_COUNT * (SIM_FEATURE_COUNT - 1) / 2);
    if (o->pairs) sim_pairs_print(pairs, stdout);
    if (rare != 0) printf("%u pairs of features met less than %llu times\n", rare, (unsigned long long)o->least);
    return rare != 0 || f->count != 0;
}

static int run_many(const options *o) {
    static sim_pairs pairs;
    static failures found;
    time_t begin = time(NULL);
    uint64_t seed = o->seed != 0 ? o->seed : (uint64_t)begin * 1000;
    for (uint64_t next = seed; next != 0 && !is_done(o, &pairs, begin);) {
        next = run_some(o, next, &pairs, &found);
        show_progress(o, &pairs, begin);
    }
    return report_many(o, &pairs, &found, seed, begin);
}

/* ---- Lies ---------------------------------------------------------------------------------------------------------*/

/* Programs from a seed on. They are long: a lie needs its occasion, and then has to be noticed. */
static child_result run_lying(sim_lie lie, uint64_t seed, uint64_t count) {
    child_work work = {
        .first = seed, .count = count, .steps = SIM_STEPS_MAX, .quiet = true, .seconds = PROGRAM_SECONDS
    };
    sim_choose_lie(lie);
    return child_run(&work, NULL);
}

/* Runs programs until one notices the lie. Returns how many it took; 0: none did. */
static uint64_t notice(const options *o, sim_lie lie, child_result *result) {
    for (uint64_t seed = o->seed; seed < o->seed + LIE_PROGRAMS; seed = result->seed + 1) {
        *result = run_lying(lie, seed, AT_ONCE);
        if (!result->failed) result->seed = seed + AT_ONCE - 1;
        else if (!run_lying(SIM_TRUTH, result->seed, 1).failed) return result->seed - o->seed + 1;
    }
    return 0;
}

static int run_lies(const options *o) {
    int unnoticed = 0;
    printf("lie  programs  what, and what was noticed\n");
    for (uint32_t lie = SIM_TRUTH + 1; lie < SIM_LIE_COUNT; lie++) {
        child_result result;
        uint64_t programs = notice(o, (sim_lie)lie, &result);
        printf("%3u  %8llu  %s\n               %s\n", lie, (unsigned long long)programs, sim_lie_text((sim_lie)lie),
               programs != 0 ? result.text : "NOT NOTICED");
        fflush(stdout);
        unnoticed += programs == 0;
    }
    printf("%d of %d lies were not noticed\n", unnoticed, SIM_LIE_COUNT - 1);
    return unnoticed != 0;
}

int main(int count, char **words) {
    options o = read_options(count, words);
    if (o.lies) return run_lies(&o);
    return o.one || o.program ? run_one(&o) : run_many(&o);
}
