/* Programs about worlds and about sets, read from the input: stops where the library and the oracle disagree. The first
 * byte says which: a set of one of the four policies, a world, a world with groups, one in which every second step is
 * about a view, in both forms, or one with many entities at once. */
#include "model.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    uint8_t kind = data[0] % 8;
    bool groups = data[0] / 16 == 6; /* bytes that no input of the corpus began with before there were groups */
    bool views = data[0] / 16 == 11; /* the same for views, */
    bool many = data[0] / 16 == 14;  /* and few did for calls about many */
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
