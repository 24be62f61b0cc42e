/* The manifest of a checkpoint: a line of text that says which images belong together.
 *
 *     path            covey-mpi 1 number 7 ranks 2 first 0 span 16773120 sum 9d2c1a07 end
 *     path.7.0        an image of what lives on rank 0
 *     path.7.1
 *
 * covey::mpi writes and reads it; covey-snap reads it without MPI. */
#ifndef COVEY_MANIFEST_H
#define COVEY_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COVEY__MANIFEST_BYTES = 160,
    COVEY__MANIFEST_NAME = 40
}; /* with the last zero; what a name has behind the path */

typedef struct covey__manifest {
    uint64_t number; /* goes up with each checkpoint; 0: there is none */
    uint32_t ranks;  /* and images */
    uint32_t first, span;
} covey__manifest;

/* Writes the text, and returns its length. */
size_t covey__manifest_print(char text[COVEY__MANIFEST_BYTES], const covey__manifest *m);
/* Whether bytes begin as a manifest does. */
bool covey__manifest_begins(const void *bytes, size_t size);
/* Reads any bytes. False: *why ends a sentence about the file. */
bool covey__manifest_parse(const void *bytes, size_t size, covey__manifest *m, const char **why);
/* The name of the image of a rank, and of the manifest before it gets its name; COVEY__MANIFEST_NAME bytes more than the path
 * are enough. */
void covey__manifest_file(char *name, size_t size, const char *path, uint64_t number, uint32_t rank);
void covey__manifest_draft(char *name, size_t size, const char *path, uint64_t number);

/* What a name says about a file that a checkpoint does not need. */
typedef enum covey__leftover {
    COVEY__LEFTOVER_NONE,      /* the checkpoint needs it, or it is another file */
    COVEY__LEFTOVER_IMAGE,     /* of an earlier checkpoint, or of a rank that there is no more */
    COVEY__LEFTOVER_TEMPORARY, /* an image that was not finished, of this checkpoint or an earlier one */
    COVEY__LEFTOVER_DRAFT      /* a manifest that did not get its name, likewise */
} covey__leftover;
/* For a file in the folder of the manifest `base`, which has what `m` says. */
covey__leftover covey__manifest_leftover(const char *name, const char *base, const covey__manifest *m);

#endif
