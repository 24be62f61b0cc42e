/* Loads images from the input. An image is refused, or gives a valid world, which another image saves and loads without
 * a change. The first byte has options: bit 0 corrects the checksums, bit 1 loads without any known type, bits 2 and 3
 * choose what happens to unknown types. */
#include "images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    image_run_input(data, size, image_check_load);
    return 0;
}
