/* The path of a field, which is extended and truncated at its end. */
#include "snap.h"

#include <stdlib.h>

static bool reserve(snap_path *path, size_t more) {
    if (more < path->capacity - path->length) return true;
    size_t capacity = (path->length + more + 1) * 2;
    char *text = realloc(path->text, capacity);
    if (!text) return false;
    path->text = text;
    path->capacity = capacity;
    return true;
}

void snap_path_append(snap_path *path, const char *text) {
    size_t length = strlen(text);
    if (!reserve(path, length)) {
        path->failed = true;
        return;
    }
    memcpy(path->text + path->length, text, length + 1);
    path->length += length;
}

void snap_path_field(snap_path *path, const char *name) {
    if (path->length != 0) snap_path_append(path, ".");
    snap_path_append(path, name);
}

void snap_path_element(snap_path *path, uint32_t number) {
    char text[16];
    snprintf(text, sizeof text, "[%u]", number);
    snap_path_append(path, text);
}

void snap_path_cut(snap_path *path, size_t length) {
    if (length >= path->length) return;
    path->length = length;
    path->text[length] = '\0';
}

void snap_path_free(snap_path *path) {
    free(path->text);
    *path = (snap_path){ 0 };
}
