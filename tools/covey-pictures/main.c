/* Draws how Covey keeps components: the pictures in docs/pictures.
 *
 *     covey-pictures FOLDER    writes the pictures to an existing folder
 *
 * `build/test/tools/covey-pictures/covey-pictures docs/pictures` updates those of the documents. The test
 * documents_pictures compares them with what the program draws. */
#include "pictures.h"
#include <stdio.h>

int main(int argc, char **argv) {
    static picture p;
    if (argc != 2) {
        fprintf(stderr, "usage: covey-pictures FOLDER\n");
        return 2;
    }
    bool (*const draw[])(picture *, const char *) = { draw_sparse_set, draw_policies, draw_block,
                                                      draw_group,      draw_spans,    draw_image,
                                                      draw_lookup,     draw_ordered,  draw_places };
    for (unsigned i = 0; i < sizeof draw / sizeof *draw; i++) {
        if (draw[i](&p, argv[1])) continue;
        fprintf(stderr, "covey-pictures: cannot write to %s\n", argv[1]);
        return 1;
    }
    return 0;
}
