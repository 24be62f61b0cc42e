/* Where the figures come from: compiler, flags, processor. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>

/* Copies what comes after "key ... :" in the first line of a file that starts so. */
static bool read_field(const char *path, const char *key, char *text, size_t size) {
    FILE *file = fopen(path, "r");
    if (!file) return false;
    char line[512];
    bool found = false;
    while (!found && fgets(line, sizeof line, file)) {
        const char *colon = strchr(line, ':');
        if (strncmp(line, key, strlen(key)) != 0 || !colon) continue;
        colon += 1 + strspn(colon + 1, " \t");
        snprintf(text, size, "%.*s", (int)strcspn(colon, "\n"), colon);
        found = true;
    }
    fclose(file);
    return found;
}

static void print_compiler(void) {
#if defined(__clang__)
    printf("compiler   %s\n", __VERSION__);
#else
    printf("compiler   gcc %s\n", __VERSION__);
#endif
    printf("flags      %s\n", BENCH_FLAGS);
}

static void print_processor(void) {
    char text[256];
    bool known = read_field("/proc/cpuinfo", "model name", text, sizeof text);
    printf("processor  %s\n", known ? text : "unknown");
    if (!read_field("/proc/self/status", "Cpus_allowed_list", text, sizeof text)) printf("pinned     unknown\n");
    else if (strspn(text, "0123456789") == strlen(text)) printf("pinned     to processor %s\n", text);
    else printf("pinned     no, runs on processors %s\n", text);
}

void bench_print_machine(void) {
    uint32_t version = covey_version();
    printf("covey      %u.%u.%u, assertion level %d\n", version / 10000, version / 100 % 100, version % 100,
           COVEY_ASSERT_LEVEL);
    print_compiler();
    print_processor();
    printf("\n");
}
