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

static void print_system(const System *s) {
    double ratio = s->arrays_ns > 0 ? s->world_ns / s->arrays_ns : 0;
    const char *shade = ratio <= 1 ? GREEN : ratio > 2 ? YELLOW : "";
    printf("%-7s %-6s %-35s %9u ", s->name, s->loop, s->about, s->visited);
    if (ratio > 0) printf("%8.2f %8.2f %s%6.2f%s\n", s->world_ns, s->arrays_ns, shade, ratio, PLAIN);
    else printf("%8s %8s %6s\n", "-", "-", "-"); /* it met nobody, or was faster than the clock */
}

void print_systems(const System *systems, uint32_t count) {
    printf("%s%-7s %-6s %-35s %9s %8s %8s %6s%s\n", BOLD, "system", "loop", "about", "entities", "ns each", "arrays",
           "ratio", PLAIN);
    for (uint32_t i = 0; i < count; i++) print_system(&systems[i]);
    printf("\nns each: nanoseconds for an entity that is visited, in the fastest frame\n"
           "arrays:  the same work on arrays by index, with a byte of flags for each entity\n");
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
