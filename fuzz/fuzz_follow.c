/* Follows images from the input, in a world that has followed another one. An image is refused, and the world
 * unchanged; or the world is valid, and saving and loading it changes nothing. The first byte has the options of
 * fuzz_load.c. */
#include "images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    image_run_input(data, size, image_check_follow);
    return 0;
}
