#include "pairs.h"

#include <stddef.h>

static const char *const names[] = {
#define NAME(name, text) text,
    SIM_FEATURES(NAME)
#undef NAME
};

static sim_pairs *counted;

void sim_pairs_use(sim_pairs *pairs) { counted = pairs; }

void sim_pairs_program(void) {
    if (counted) counted->programs++;
}

void sim_pairs_count(uint64_t touched, uint64_t in_force) {
    if (!counted) return;
    counted->steps++;
    in_force |= touched;
    for (uint32_t f = 0; f < SIM_FEATURE_COUNT; f++) {
        if ((touched >> f & 1) == 0) continue;
        for (uint32_t g = 0; g < SIM_FEATURE_COUNT; g++) {
            bool both_touched = (touched >> g & 1) != 0;
            if ((in_force >> g & 1) == 0 || (both_touched && g < f)) continue; /* count each pair of a step once */
            counted->met[f < g ? f : g][f < g ? g : f]++;
        }
    }
}

uint32_t sim_pairs_rare(const sim_pairs *pairs, uint64_t least, FILE *to) {
    uint32_t rare = 0;
    for (uint32_t f = 0; f < SIM_FEATURE_COUNT; f++)
        for (uint32_t g = f + 1; g < SIM_FEATURE_COUNT; g++) {
            if (pairs->met[f][g] >= least) continue;
            rare++;
            if (to) fprintf(to, "  %s + %s: %llu\n", names[f], names[g], (unsigned long long)pairs->met[f][g]);
        }
    return rare;
}

/* A number in four characters: 7, 950, 12k, 3M. */
static void print_short(uint64_t n, FILE *to) {
    if (n < 1000) fprintf(to, "%4u", (unsigned)n);
    else if (n < 1000000) fprintf(to, "%3uk", (unsigned)(n / 1000));
    else fprintf(to, "%3uM", (unsigned)(n / 1000000));
}

void sim_pairs_print(const sim_pairs *pairs, FILE *to) {
    for (uint32_t f = 0; f < SIM_FEATURE_COUNT; f++) {
        fprintf(to, "%2u %-20s", f + 1, names[f]);
        for (uint32_t g = 0; g <= f; g++) print_short(pairs->met[g][f], to);
        fprintf(to, "\n");
    }
    fprintf(to, "%23s", "");
    for (uint32_t f = 0; f < SIM_FEATURE_COUNT; f++) fprintf(to, "%4u", f + 1);
    fprintf(to, "\n");
}
