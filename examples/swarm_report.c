/* The tables of the swarm. Colours only where stdout is a terminal and NO_COLOR is not set. */
#include "swarm.h"

#include <stdio.h>
#include <stdlib.h>
#ifdef _WIN32
#include <io.h>
#define isatty _isatty
#else
#include <unistd.h>
#endif

static const char *colour(const char *code) {
    const char *none = getenv("NO_COLOR");
    return isatty(1) && (!none || !*none) ? code : "";
}

#define BOLD colour("\033[1m")
#define GREEN colour("\033[32m")
#define YELLOW colour("\033[33m")
#define PLAIN colour("\033[0m")

void print_progress(uint32_t frame, uint32_t frames) {
    static const char bar[] = "##############################";
    if (!isatty(2)) return;
    if (frame < frames) fprintf(stderr, "\r[%-30.*s]", (int)((uint64_t)frame * 30 / frames), bar);
    else fprintf(stderr, "\r%32s\r", "");
}

/* A number, or a dash if there is none: no bird matched, or it was faster than the clock. */
static void print_number(int width, double number, const char *shade) {
    if (number > 0) printf(" %s%*.2f%s", shade, width, number, *shade ? PLAIN : "");
    else printf(" %*s", width, "-");
}

static double ratio_of(double a, double b) { return a > 0 && b > 0 ? a / b : 0; }

static void print_row(const Row *r, bool together) {
    double ratio = ratio_of(r->alone_ns, r->arrays_ns), speedup = ratio_of(r->alone_ns, r->together_ns);
    printf("%-6s %-5s %-31s %9u", r->name, r->loop, r->about, r->entities);
    print_number(8, r->arrays_ns, "");
    print_number(8, r->alone_ns, "");
    print_number(6, ratio, ratio <= 1 ? GREEN : ratio > 2 ? YELLOW : "");
    if (together) print_number(9, r->together_ns, "");
    if (together) print_number(8, speedup, speedup >= 1.5 ? GREEN : "");
    printf("\n");
}

void print_rows(const Row *rows, uint32_t count, uint32_t threads) {
    char many[24];
    snprintf(many, sizeof many, "%u threads", threads);
    printf("%s%-6s %-5s %-31s %9s %8s %8s %6s", BOLD, "system", "loop", "about", "entities", "arrays", "1 thread",
           "ratio");
    if (threads > 1) printf(" %9s %8s", many, "speed-up");
    printf("%s\n", PLAIN);
    for (uint32_t i = 0; i < count; i++) print_row(&rows[i], threads > 1);
    printf("\nNanoseconds for each entity, in the fastest frame; of the frame, for each bird, with all sync points.\n"
           "arrays:   the same work on arrays by index, with a byte of flags for each bird, on one thread\n"
           "ratio:    of one thread to arrays\n");
    if (threads > 1) printf("speed-up: the first half of the frames ran on one thread, the others on %u\n", threads);
}

void print_memory(const covey_world *world) {
    static const char *const kept[] = { "default", "sparse", "blocks", "pinned" }; /* by covey_storage */
    covey_advice advice[16];
    uint32_t count = covey_world_advise(world, advice, 16);
    printf("\n%s%-9s %-7s %5s %11s %12s%s\n", BOLD, "pool", "kept", "size", "components", "bytes", PLAIN);
    for (uint32_t i = 0; i < count; i++) {
        const covey_pool *pool = advice[i].pool;
        const covey_type *type = covey_pool_type(pool);
        printf("%-9s %-7s %5u %11u %12zu\n", type->name, kept[advice[i].storage], type->size, covey_pool_count(pool),
               advice[i].bytes);
    }
    printf("%-9s %37zu, entities included\n\n", "world", covey_world_memory(world));
    for (uint32_t i = 0; i < count; i++) {
        char line[200];
        covey_advice_print(line, sizeof line, &advice[i]);
        printf("%s\n", line);
    }
}
