/* The files of the page, which are part of the library. No path of the file system is ever looked at. */
#include "inspector.h"

const inspect__file *inspect__page_find(const char *path) {
    if (strcmp(path, "/") == 0) path = "/index.html";
    for (uint32_t i = 0; i < inspect__page_file_count; i++)
        if (strcmp(inspect__page_files[i].path, path) == 0) return &inspect__page_files[i];
    return NULL;
}
