/* Saves resources, and prepares their values. covey__resources_replace restores them. */
#include "history/snapshot.h"

#include "change/resource.h"
#include "storage/type.h"

static const covey__units *value_before(const covey__snapshot *before, const covey_type *type) {
    static const covey__units none;
    for (uint32_t i = 0; i < before->resource_count; i++)
        if (before->resources[i].type == type) return &before->resources[i].value;
    return &none;
}

static bool save_value(covey__saving *s, const covey_type *type, covey__units *list, const void *value) {
    if (!covey__units_create(s->store, list, 1)) return covey__save_lacks_memory(s);
    if (!type->copy)
        return covey__unit_save(s->store, value_before(s->before, type), list, 0, value, type->size) ||
               covey__save_lacks_memory(s);
    list->at[0] = covey__unit_create(s->store, type->size, type);
    if (!list->at[0]) return covey__save_lacks_memory(s);
    return covey__unit_copy(s->store, list->at[0], value) || covey__save_cannot_copy(s, type);
}

static bool save_resource(covey__saving *s, uint32_t number, covey__resource_snapshot *snapshot) {
    const covey_type *type = snapshot->type = covey_world_resource(s->world, number);
    if (!covey__type_can_copy(type)) return covey__save_cannot_copy(s, type);
    return type->size == 0 || save_value(s, type, &snapshot->value, covey__resource_value(s->world, number));
}

bool covey__save_resources(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = covey_world_resource_count(s->world);
    snapshot->resources = covey__make_parts(s, &snapshot->resource_count, count, sizeof *snapshot->resources);
    for (uint32_t i = 0; i < count && s->result == COVEY_OK; i++) save_resource(s, i, &snapshot->resources[i]);
    return s->result == COVEY_OK;
}

/* A type that was made at run time belongs to one world. */
static const covey_type *type_here(const covey__rollback *r, const covey_type *type) {
    bool foreign = r->world != r->store->world && covey__type_is_made(r->store->world, type);
    return foreign ? covey__type_keep(r->world, type) : type;
}

bool covey__prepare_resources(covey__rollback *r) {
    for (uint32_t i = 0; i < r->snapshot->resource_count; i++) {
        const covey__resource_snapshot *snapshot = &r->snapshot->resources[i];
        const covey__unit *unit = covey__unit_at(&snapshot->value, 0);
        const covey_type *type = type_here(r, snapshot->type);
        if (!type) return covey__rollback_lacks_memory(r);
        covey_result result =
            covey__resources_append(r->world, &r->resources, type, unit ? covey__unit_bytes(unit) : NULL);
        if (result != COVEY_OK)
            return covey__rollback_fails(r, result, result == COVEY_ERROR_COPY ? snapshot->type->name : NULL);
    }
    return true;
}
