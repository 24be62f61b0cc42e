/* Finding types of a world by name. The library does this for components only; this adds resources. */
#include "snap.h"

#include <stdlib.h>

static int compare_types(const void *a, const void *b) {
    const covey_type *x = *(const covey_type *const *)a, *y = *(const covey_type *const *)b;
    return strcmp(x->name, y->name);
}

static int compare_name(const void *name, const void *type) {
    return strcmp(name, (*(const covey_type *const *)type)->name);
}

bool snap_types_make(snap_types *types, const covey_world *world) {
    uint32_t count = covey_world_resource_count(world);
    *types = (snap_types){ world, calloc(count + (size_t)1, sizeof *types->resources), count };
    if (!types->resources) return false;
    for (uint32_t i = 0; i < count; i++) types->resources[i] = covey_world_resource(world, i);
    qsort((void *)types->resources, count, sizeof *types->resources, compare_types);
    return true;
}

const covey_type *snap_types_find(const snap_types *types, const char *name) {
    const covey_type *type = covey_type_find(types->world, name);
    if (type || types->count == 0) return type;
    const covey_type *const *found =
        bsearch(name, (const void *)types->resources, types->count, sizeof *types->resources, compare_name);
    return found ? *found : NULL;
}

void snap_types_free(snap_types *types) { free((void *)types->resources); }
