/* Undoes edits. */
#include "edit.h"

#include <covey/hierarchy.h>

bool inspect__undo_make(inspect__request *request, inspect__undo *undo, inspect__undo_kind kind, size_t room) {
    covey_inspector *inspector = request->inspector;
    *undo = (inspect__undo){ .kind = kind, .room = room };
    if (!inspector->undos) inspector->undos = inspect__zeroed(inspector, sizeof *inspector->undos);
    if (room != 0) undo->bytes = inspect__zeroed(inspector, room);
    if (inspector->undos && (room == 0 || undo->bytes)) return true;
    inspect__undo_drop(inspector, undo);
    inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    return false;
}

bool inspect__undo_make_several(inspect__request *request, inspect__undo *undo, uint32_t entities) {
    if (!inspect__undo_make(request, undo, INSPECT__UNDO_SEVERAL, 0)) return false;
    undo->parts = inspect__zeroed(request->inspector, entities * sizeof *undo->parts);
    undo->part_room = entities;
    if (!undo->parts) inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    return undo->parts != NULL;
}

void inspect__undo_drop(covey_inspector *inspector, inspect__undo *undo) {
    for (uint32_t i = 0; i < undo->part_count; i++) inspect__undo_drop(inspector, &undo->parts[i]);
    inspect__free(inspector, undo->parts, undo->part_room * sizeof *undo->parts);
    inspect__free(inspector, undo->bytes, undo->room);
    *undo = (inspect__undo){ 0 };
}

uint64_t inspect__undo_keep(covey_inspector *inspector, const inspect__undo *undo) {
    inspect__undos *undos = inspector->undos;
    inspect__undo *place = &undos->at[++undos->last % INSPECT__UNDOS];
    inspect__undo_drop(inspector, place);
    *place = *undo;
    return place->number = undos->last;
}

void inspect__undos_free(covey_inspector *inspector) {
    if (!inspector->undos) return;
    for (uint32_t i = 0; i < INSPECT__UNDOS; i++) inspect__undo_drop(inspector, &inspector->undos->at[i]);
    inspect__free(inspector, inspector->undos, sizeof *inspector->undos);
    inspector->undos = NULL;
}

/* ---- A function for each kind of edit -----------------------------------------------------------------------------*/

/* Each returns COVEY_OK, or why it cannot undo the edit; CONFLICT: something else has changed the same thing since. */

static covey_result undo_value(covey_world *world, const inspect__undo *undo) {
    const char *value = covey_get_raw(world, undo->e, undo->type);
    if (!value) return covey_alive(world, undo->e) ? COVEY_ERROR_ABSENT : COVEY_ERROR_DEAD;
    if (memcmp(value + undo->offset, undo->bytes + undo->size, undo->size) != 0) return COVEY_ERROR_CONFLICT;
    return inspect__overwrite(world, undo->e, undo->type, undo->offset, undo->bytes, undo->size);
}

static covey_result undo_resource(covey_world *world, const inspect__undo *undo) {
    char *value = covey_resource_get_raw(world, undo->type);
    if (!value) return COVEY_ERROR_ABSENT;
    if (memcmp(value + undo->offset, undo->bytes + undo->size, undo->size) != 0) return COVEY_ERROR_CONFLICT;
    memcpy(value + undo->offset, undo->bytes, undo->size);
    return COVEY_OK;
}

static covey_result undo_add(covey_world *world, const inspect__undo *undo) {
    if (!covey_alive(world, undo->e)) return COVEY_ERROR_DEAD;
    return covey_remove_raw(world, undo->e, undo->type) ? COVEY_OK : COVEY_ERROR_ABSENT;
}

static covey_result undo_remove(covey_world *world, const inspect__undo *undo) {
    if (!covey_add_raw(world, undo->e, undo->type, undo->type->size ? undo->bytes : NULL))
        return covey_world_result(world);
    covey_result result = undo->was_disabled ? covey_component_disable_raw(world, undo->e, undo->type) : COVEY_OK;
    if (result != COVEY_OK) covey_remove_raw(world, undo->e, undo->type);
    return result;
}

static covey_result undo_name(covey_world *world, const inspect__undo *undo) {
    const char *name = covey_name(world, undo->e);
    if (!covey_alive(world, undo->e)) return COVEY_ERROR_DEAD;
    return strcmp(name ? name : "", undo->name_now) == 0 ? covey_name_set(world, undo->e, undo->name)
                                                         : COVEY_ERROR_CONFLICT;
}

static covey_result undo_parent(covey_world *world, const inspect__undo *undo) {
    if (!covey_alive(world, undo->e)) return COVEY_ERROR_DEAD;
    if (!covey_same(covey_parent(world, undo->e), undo->now)) return COVEY_ERROR_CONFLICT;
    covey_result result = covey_parent_set(world, undo->e, undo->parent);
    if (result != COVEY_OK || covey_is_null(undo->parent)) return result;
    if (covey_same(covey_parent(world, undo->next), undo->parent)) covey_child_move(world, undo->e, undo->next);
    return COVEY_OK;
}

static covey_result undo_enabling(covey_world *world, const inspect__undo *undo) {
    bool on = undo->kind == INSPECT__UNDO_ENABLE; /* the state before the edit */
    if (!covey_alive(world, undo->e)) return COVEY_ERROR_DEAD;
    if (undo->type && !covey_has_raw(world, undo->e, undo->type)) return COVEY_ERROR_ABSENT;
    bool now =
        undo->type ? covey_component_is_enabled_raw(world, undo->e, undo->type) : covey_is_enabled(world, undo->e);
    if (now == on) return COVEY_ERROR_CONFLICT;
    if (undo->type)
        return on ? covey_component_enable_raw(world, undo->e, undo->type)
                  : covey_component_disable_raw(world, undo->e, undo->type);
    return on ? covey_enable(world, undo->e) : covey_disable(world, undo->e);
}

static covey_result undo_edit(covey_world *world, const inspect__undo *undo) {
    switch (undo->kind) {
    case INSPECT__UNDO_NONE: return COVEY_ERROR_ABSENT;
    case INSPECT__UNDO_VALUE: return undo_value(world, undo);
    case INSPECT__UNDO_RESOURCE: return undo_resource(world, undo);
    case INSPECT__UNDO_ADD: return undo_add(world, undo);
    case INSPECT__UNDO_REMOVE: return undo_remove(world, undo);
    case INSPECT__UNDO_NAME: return undo_name(world, undo);
    case INSPECT__UNDO_PARENT: return undo_parent(world, undo);
    case INSPECT__UNDO_ENABLE:
    case INSPECT__UNDO_DISABLE: return undo_enabling(world, undo);
    case INSPECT__UNDO_SEVERAL: break;
    }
    return COVEY_ERROR_ABSENT;
}

/* Undoes an edit, the last of several first. Sets how many of several it leaves; fails only if that is all. */
static covey_result undo_record(covey_world *world, const inspect__undo *undo, uint32_t *left) {
    if (undo->kind != INSPECT__UNDO_SEVERAL) return undo_edit(world, undo);
    covey_result why = COVEY_ERROR_ABSENT;
    for (uint32_t i = undo->part_count; i-- > 0;) {
        covey_result result = undo_edit(world, &undo->parts[i]);
        if (result == COVEY_OK) continue;
        why = result;
        ++*left;
    }
    return *left < undo->part_count ? COVEY_OK : why;
}

bool inspect__answer_undo(inspect__request *request, covey_world *world) {
    covey_inspector *inspector = request->inspector;
    const json_t *number = inspect__request_member(request, "undo");
    if (!json_is_integer(number) || json_integer_value(number) < 1)
        return inspect__refuse(request, 422, "ARGUMENT", "undo must be the number that an edit was answered with");
    uint64_t wanted = (uint64_t)json_integer_value(number);
    inspect__undo *undo = inspector->undos ? &inspector->undos->at[wanted % INSPECT__UNDOS] : NULL;
    if (!undo || undo->number != wanted)
        return inspect__refuse_result(request, COVEY_ERROR_ABSENT,
                                      "this edit is not there: it was undone already, or is older than the last %d",
                                      INSPECT__UNDOS);
    uint32_t left = 0;
    covey_result result = undo_record(world, undo, &left);
    if (result == COVEY_ERROR_CONFLICT)
        return inspect__refuse_result(request, result, "cannot undo: something else has changed it since");
    if (result != COVEY_OK)
        return inspect__refuse_result(request, result, "cannot undo: %s", covey_result_text(result));
    inspect__undo_drop(inspector, undo);
    inspect__json_object(&request->json, NULL);
    inspect__json_bool(&request->json, "ok", true);
    inspect__json_u64(&request->json, "left", left);
    inspect__json_end_object(&request->json);
    return true;
}
