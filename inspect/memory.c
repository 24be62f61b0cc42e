/* The memory of the inspector, which both threads allocate. */
#include "inspector.h"

#include <stdalign.h>
#include <stdlib.h>

void *inspect__resize(covey_inspector *inspector, void *ptr, size_t old_size, size_t new_size) {
    if (!inspector->allocator.fn) {
        if (new_size != 0) return realloc(ptr, new_size);
        free(ptr);
        return NULL;
    }
    pthread_mutex_lock(&inspector->memory);
    void *found = inspector->allocator.fn(inspector->allocator.context, ptr, old_size, new_size, alignof(max_align_t));
    pthread_mutex_unlock(&inspector->memory);
    return found;
}

void *inspect__zeroed(covey_inspector *inspector, size_t size) {
    void *found = inspect__resize(inspector, NULL, 0, size);
    return found ? memset(found, 0, size) : NULL;
}

void inspect__free(covey_inspector *inspector, void *ptr, size_t size) {
    if (ptr) inspect__resize(inspector, ptr, size, 0);
}
