/* The files of the page, which are embedded in the library. The server never reads the file system. */
#include "inspector.h"

const inspect__file *inspect__page_find(const char *path) {
    if (strcmp(path, "/") == 0) path = "/index.html";
    for (uint32_t i = 0; i < inspect__page_file_count; i++)
        if (strcmp(inspect__page_files[i].path, path) == 0) return &inspect__page_files[i];
    return NULL;
}
