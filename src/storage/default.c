/* Defaults of types. The copy hook runs before the storage changes, and its copy is then added like any other value: if
 * adding fails, only the copy has to be dropped. */
#include "storage/default.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "storage/hook.h"
#include "storage/type.h"

static void free_made(covey_world *world, const covey_type *type, covey__default *d) {
    if (d->is_allocated) {
        covey__free(&world->inner->heap, d->made, 1, type->size, covey__type_align(type));
        world->inner->borrowed -= type->size;
    }
    d->made = NULL;
    d->is_allocated = false;
}

covey_result covey__default_begin(covey_world *world, const covey_type *type, covey__default *d) {
    d->value = type->defaults;
    d->made = NULL;
    d->is_allocated = false;
    if (!type->defaults || !type->copy) return COVEY_OK;
    d->is_allocated = type->size > sizeof d->bytes;
    d->made = d->is_allocated ? covey__resize(&world->inner->heap, NULL, 0, 1, type->size, covey__type_align(type))
                              : d->bytes;
    d->value = d->made;
    if (!d->made) return COVEY_ERROR_MEMORY;
    if (d->is_allocated) world->inner->borrowed += type->size;
    if (covey__copy_value(world, type, d->made, type->defaults)) return COVEY_OK;
    free_made(world, type, d);
    return COVEY_ERROR_COPY;
}

void covey__default_end(covey_world *world, const covey_type *type, covey__default *d, bool used) {
    if (!d->made) return;
    if (!used) covey__drop(world, type, d->made);
    free_made(world, type, d);
}
