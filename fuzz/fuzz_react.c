/* Runs random programs from the input on a world with one more feature, and stops if the library and the oracle
 * disagree. The first byte chooses the feature: 32 to 63, which no older input of the corpus has, are for lookups, and
 * 160 to 191 for events. */
#include "model_world.h"

#include <stdio.h>
#include <stdlib.h>

static const struct model_subject *const subjects[8] = {
    &model_signals, &model_commands, &model_copies,  &model_hierarchy,
    &model_visible, &model_all,      &model_history, &model_ends,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    const struct model_subject *subject = subjects[data[0] % 8];
    if (data[0] / 32 == 1) subject = &model_lookups;
    if (data[0] / 32 == 5) subject = &model_events;
    model_options options = {
        .data = data + 1,
        .size = size - 1,
        .steps = 5000,
        .crowd = 200,
        .validate_every = 64,
        .compare_every = 32,
        .group_every = data[0] / 8 % 2 == 0 ? 0 : 5,
        .subject = subject,
        .subject_every = 2,
        .bare = subject == &model_ends,
        .image_every = data[0] / 16 % 2 == 0 ? 0 : 40, /* steps between two images */
    };
    model_report report = model_run_world(&options);
    if (report.agreed) return 0;
    fprintf(stderr, "%s\n", report.text);
    abort();
}
