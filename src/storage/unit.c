/* Units, the parts that a snapshot consists of. */
#include "storage/unit.h"

#include "memory/alloc.h"
#include "storage/hook.h"

#include <stdalign.h>

_Static_assert(sizeof(covey__unit) <= COVEY__UNIT_HEADER, "the header of a unit");

/* ---- One ---------------------------------------------------------------------------------------------------------*/

covey__unit *covey__unit_create(covey__unit_store *store, size_t bytes, const covey_type *type) {
    if (bytes > SIZE_MAX - COVEY__UNIT_HEADER) return NULL;
    covey__unit *unit = covey__resize(&store->heap, NULL, 0, COVEY__UNIT_HEADER + bytes, 1, COVEY__ALIGN_MAX);
    if (!unit) return NULL;
    *unit = (covey__unit){ .next = store->units, .bytes = bytes, .type = type, .references = 1 };
    if (unit->next) unit->next->previous = unit;
    store->units = unit;
    return unit;
}

bool covey__unit_copy(const covey__unit_store *store, covey__unit *unit, const void *value) {
    const covey_type *type = unit->type;
    char *to = covey__unit_bytes(unit) + (size_t)unit->count * type->size;
    if (type->copy && !covey__copy_value(store->world, type, to, value)) return false;
    if (!type->copy) memcpy(to, value, type->size);
    unit->count++;
    return true;
}

void covey__unit_release(covey__unit_store *store, covey__unit *unit) {
    if (!unit || --unit->references != 0) return;
    const covey_type *type = unit->type;
    for (uint32_t i = 0; type && type->drop && i < unit->count; i++)
        covey__drop(store->world, type, covey__unit_bytes(unit) + (size_t)i * type->size);
    if (unit->wipe) memset(covey__unit_bytes(unit), 0, unit->bytes);
    if (unit->next) unit->next->previous = unit->previous;
    if (unit->previous) unit->previous->next = unit->next;
    else store->units = unit->next;
    covey__free(&store->heap, unit, COVEY__UNIT_HEADER + unit->bytes, 1, COVEY__ALIGN_MAX);
}

/* ---- Lists -------------------------------------------------------------------------------------------------------*/

bool covey__units_create(covey__unit_store *store, covey__units *list, uint32_t count) {
    if (count == 0) return true;
    list->at = covey__resize(&store->heap, NULL, 0, count, sizeof *list->at, alignof(covey__unit *));
    if (!list->at) return false;
    for (uint32_t i = 0; i < count; i++) list->at[i] = NULL;
    list->count = count;
    return true;
}

void covey__units_release(covey__unit_store *store, covey__units *list) {
    for (uint32_t i = 0; i < list->count; i++) covey__unit_release(store, list->at[i]);
    covey__free(&store->heap, list->at, list->count, sizeof *list->at, alignof(covey__unit *));
    *list = (covey__units){ NULL, 0 };
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

static bool has_bytes(const covey__unit *unit, const void *bytes, size_t count) {
    return unit && unit->bytes == count && memcmp(covey__unit_bytes(unit), bytes, count) == 0;
}

bool covey__unit_save(covey__unit_store *store, const covey__units *before, covey__units *list, uint32_t at,
                      const void *from, size_t bytes) {
    covey__unit *old = covey__unit_at(before, at), **unit = &list->at[at];
    if (bytes == 0) return true;
    if (has_bytes(old, from, bytes)) {
        *unit = covey__unit_share(old);
        return true;
    }
    *unit = covey__unit_create(store, bytes, NULL);
    if (!*unit) return false;
    memcpy(covey__unit_bytes(*unit), from, bytes);
    return true;
}

covey__unit *covey__unit_share_equal(covey__unit_store *store, const covey__units *before, uint32_t at,
                                     covey__unit *fresh) {
    covey__unit *old = covey__unit_at(before, at);
    if (!has_bytes(old, covey__unit_bytes(fresh), fresh->bytes)) return fresh;
    covey__unit_release(store, fresh);
    return covey__unit_share(old);
}

bool covey__units_save_array(covey__unit_store *store, const covey__units *before, covey__units *list,
                             const void *array, uint32_t count, uint32_t part, size_t size) {
    if (!covey__units_create(store, list, covey__parts_of(count, part))) return false;
    for (uint32_t i = 0; i < list->count; i++) {
        uint32_t left = count - i * part;
        const char *from = (const char *)array + (size_t)i * part * size;
        if (!covey__unit_save(store, before, list, i, from, (left < part ? left : part) * size)) return false;
    }
    return true;
}
