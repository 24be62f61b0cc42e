/* Images, read from the input, for a world that has followed another one: each is refused, and the world is as it was, or
 * the world is valid, and goes through an image unchanged. The first byte says how, as in fuzz_load.c. */
#include "images.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    image_run_input(data, size, image_check_follow);
    return 0;
}
