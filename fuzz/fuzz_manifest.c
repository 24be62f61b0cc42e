/* The manifest of a checkpoint, read from any bytes: refused with a reason, or what is written for it is the same bytes. */
#include "../mpi/manifest.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t nothing[1] = { 0 };
    covey__manifest m;
    const char *why = NULL;
    char text[COVEY__MANIFEST_BYTES], name[4 + COVEY__MANIFEST_NAME];
    if (!covey__manifest_parse(size != 0 ? data : nothing, size, &m, &why)) {
        need(why != NULL);
        return 0;
    }
    need(covey__manifest_begins(data, size));
    need(covey__manifest_print(text, &m) == size && memcmp(text, data, size) == 0);
    need(m.number != 0 && m.ranks != 0 && m.first + (uint64_t)m.ranks * m.span <= UINT32_MAX);
    covey__manifest_file(name, sizeof name, "path", m.number, m.ranks - 1);
    need(strlen(name) < sizeof name - 1 && strrchr(name, '.') != NULL);
    return 0;
}
