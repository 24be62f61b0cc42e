/* Images, read from the input and loaded: each is refused, or gives a world that is valid, and that goes through another
 * image unchanged. The first byte says how: bit 0 mends the checksums, bit 1 knows no type, bits 2 and 3 say what becomes
 * of unknown ones. */
#include "images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    image_run_input(data, size, image_check_load);
    return 0;
}
