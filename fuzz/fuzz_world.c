/* Runs random programs from the input on worlds and sets, and stops if the library and the oracle disagree. The first
 * byte chooses: a set with one of the four policies, a world, a world with groups, a world in which every second step
 * uses a view, in both forms, or a world with calls for many entities. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    uint8_t kind = data[0] % 8;
    bool groups = data[0] / 16 == 6; /* a first byte that no older input of the corpus has */
    bool views = data[0] / 16 == 11; /* the same */
    bool many = data[0] / 16 == 14;  /* a first byte that few older inputs have */
    model_options options = {
        .data = data + 1,
        .size = size - 1,
        .steps = 5000,
        .crowd = 200,
        .validate_every = 64,
        .compare_every = 32,
        .view_every = views ? 2 : 0,
        .group_every = groups ? 2 : 0,
        .many_every = many ? 2 : 0,
        .policy = (covey_policy)(kind % 4),
    };
    bool set = kind < 4 && !groups && !views && !many;
    model_report report = set ? model_run_set(&options) : model_run_world(&options);
    if (report.agreed) return 0;
    fprintf(stderr, "%s\n", report.text);
    abort();
}
