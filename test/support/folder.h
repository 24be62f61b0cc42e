/* A folder of its own for each test that writes files. */
#ifndef COVEY_TEST_FOLDER_H
#define COVEY_TEST_FOLDER_H

#include "support.h"

extern char folder[]; /* below the folder in which the test runs */

int folder_setup(void **state);
int folder_teardown(void **state); /* removes it with all files */

const char *in_folder(const char *name); /* a path that lasts for four calls */
int files_in_folder(bool remove);        /* counts them, and removes them */

void put_file(const char *name, const void *bytes, size_t size);
bool file_has(const char *name, const void *bytes, size_t size); /* these bytes and no others */

#endif
