/* Reads any bytes as the manifest of a checkpoint: they are refused with a reason, or writing the manifest gives the
 * same bytes. Also checks the bytes as the name of a file that a checkpoint has left over. */
#include "../common/manifest.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void need(bool holds) {
    if (!holds) abort();
}

static void look_at_name(const uint8_t *data, size_t size) {
    char name[64] = "";
    covey__manifest m = { .number = 12, .ranks = 3 };
    memcpy(name, data, size < sizeof name ? size : sizeof name - 1);
    if (covey__manifest_leftover(name, "run", &m) == COVEY__LEFTOVER_NONE) return;
    need(strncmp(name, "run.", 4) == 0 && name[4] >= '1' && name[4] <= '9' && strlen(name) > 6);
    need(name[5] == '.' || name[6] == '.'); /* at most 12 */
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    static const uint8_t nothing[1] = { 0 };
    covey__manifest m;
    const char *why = NULL;
    char text[COVEY__MANIFEST_BYTES], name[4 + COVEY__MANIFEST_NAME];
    look_at_name(size != 0 ? data : nothing, size);
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
