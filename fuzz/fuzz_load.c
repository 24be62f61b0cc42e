/* Images, read from the input and loaded: each is refused, or gives a world that is valid, and that goes through another
 * image unchanged. The first byte says how: bit 0 mends the checksums, bit 1 knows no type, bits 2 and 3 say what becomes
 * of unknown ones. */
#include "images.h"

#include <stdio.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    if (size == 0) return 0;
    covey_load_desc desc = { .types = (data[0] & 2) != 0 ? NULL : image_types,
                             .unknown = (covey_unknown)(data[0] / 4 % 3),
                             .limit_bytes = 1 << 26 };
    unsigned char *bytes = malloc(size);
    if (!bytes) abort();
    memcpy(bytes, data + 1, size - 1);
    if ((data[0] & 1) != 0) image_mend(bytes, size - 1);
    covey_report report;
    const char *why = image_check_load(bytes, size - 1, &desc, &report);
    free(bytes);
    if (!why) return 0;
    fprintf(stderr, "%s\n", why);
    abort();
}
