/* The manifest of a checkpoint: a line of text that names the images of all ranks.
 *
 *     path            covey-mpi 1 number 7 ranks 2 first 0 span 16773120 sum 9d2c1a07 end
 *     path.7.0        the image of rank 0
 *     path.7.1
 *
 * covey::mpi writes and reads it. covey-snap reads it, without MPI. */
#ifndef COVEY_MANIFEST_H
#define COVEY_MANIFEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum {
    COVEY__MANIFEST_BYTES = 160, /* of the text, with the final zero */
    COVEY__MANIFEST_NAME = 40    /* that the name of a file adds to the path, with the final zero */
};

typedef struct covey__manifest {
    uint64_t number;      /* increases with each checkpoint; 0: there is none */
    uint32_t ranks;       /* each has an image */
    uint32_t first, span; /* .first_index and .range_size of covey_mpi_desc */
} covey__manifest;

/* Writes the text. Returns its length. */
size_t covey__manifest_print(char text[COVEY__MANIFEST_BYTES], const covey__manifest *m);
/* Whether bytes begin like a manifest. */
bool covey__manifest_begins(const void *bytes, size_t size);
/* Reads arbitrary bytes. Returns false when they are no manifest; *why completes a sentence that begins with the
 * file name. */
bool covey__manifest_parse(const void *bytes, size_t size, covey__manifest *m, const char **why);
/* Writes the name of the image of a rank, or of a manifest that is not renamed yet. The buffer needs
 * COVEY__MANIFEST_NAME bytes more than the length of the path. */
void covey__manifest_file(char *name, size_t size, const char *path, uint64_t number, uint32_t rank);
void covey__manifest_draft(char *name, size_t size, const char *path, uint64_t number);

/* What kind of leftover of a killed job a file is, by its name. */
typedef enum covey__leftover {
    COVEY__LEFTOVER_NONE,      /* part of the checkpoint, or an unrelated file */
    COVEY__LEFTOVER_IMAGE,     /* of an earlier checkpoint, or of a rank that does not exist any more */
    COVEY__LEFTOVER_TEMPORARY, /* an unfinished image of this checkpoint or an earlier one */
    COVEY__LEFTOVER_DRAFT      /* a manifest that was not renamed, of this checkpoint or an earlier one */
} covey__leftover;
/* `name` is a file in the folder of the manifest with the file name `base` and the contents `m`. */
covey__leftover covey__manifest_leftover(const char *name, const char *base, const covey__manifest *m);

#endif
