/* POST edit: changes the world. All checks come before the first change, so a refused edit changes nothing. */
#include "edit.h"

#include "entity.h"

#include <covey/hierarchy.h>

typedef struct edit {
    inspect__request *request;
    covey_world *world;
    const char *handle; /* of the entity; NULL: it is "e" of the request */
    covey_entity e;
    const covey_type *type;
    inspect__undo undo;
} edit;

/* ---- Arguments ----------------------------------------------------------------------------------------------------*/

/* The functions below return false if they have refused the request. */
static bool read_entity(edit *t) {
    const char *text = t->handle ? t->handle : inspect__request_member_text(t->request, "e");
    if (!text || !inspect__entity_read(text, &t->e) || covey_is_null(t->e)) {
        inspect__refuse(t->request, 422, "ARGUMENT", "e must be an entity, index:generation, such as \"12:1\"");
        return false;
    }
    if (covey_alive(t->world, t->e)) return true;
    inspect__refuse_result(t->request, COVEY_ERROR_DEAD, "%s is not alive", text);
    return false;
}

static bool read_type(edit *t) {
    const char *name = inspect__request_member_text(t->request, "type");
    if (!name) {
        inspect__refuse(t->request, 422, "ARGUMENT", "type is missing: the name of a component type");
        return false;
    }
    t->type = covey_type_find(t->world, name);
    if (!t->type) inspect__refuse(t->request, 422, "TYPE", "the world has no type %.100s", name);
    else if (inspect__is_internal(t->type))
        inspect__refuse(t->request, 422, "TYPE", "%.100s is internal to Covey, and cannot be edited", name);
    return t->type && !inspect__is_internal(t->type);
}

static bool read_component(edit *t) {
    if (!read_entity(t) || !read_type(t)) return false;
    if (covey_has_raw(t->world, t->e, t->type)) return true;
    inspect__refuse_result(t->request, COVEY_ERROR_ABSENT, "the entity has no %.100s", t->type->name);
    return false;
}

/* The part of a value that "path" names. */
static bool read_place(edit *t, inspect__place *place) {
    const char *path = inspect__request_member_text(t->request, "path");
    size_t at, length;
    if (!inspect__editable(t->type)) {
        inspect__refuse(t->request, 422, "TYPE",
                        "values of %.100s cannot be edited: the type has neither .fields nor .as_bytes", t->type->name);
        return false;
    }
    if (!path) path = "";
    const char *why = inspect__place_find(t->type, path, strlen(path), place, &at, &length);
    if (why) inspect__refuse_at(t->request, 422, "PATH", at, length, "%.100s.%.100s: %s", t->type->name, path, why);
    return !why;
}

static bool refuse_value(edit *t, const inspect__fault *fault) {
    if (fault->result != COVEY_OK) inspect__refuse_result(t->request, fault->result, "%s", fault->text);
    else inspect__refuse(t->request, 422, "VALUE", "%s", fault->text);
    return false;
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

typedef struct bytes {
    uint32_t offset, size;
    const void *from;
} bytes;

static void copy_bytes(void *value, void *context) {
    const bytes *b = context;
    memcpy((char *)value + b->offset, b->from, b->size);
}

covey_result inspect__overwrite(covey_world *world, covey_entity e, const covey_type *type, uint32_t offset,
                                const void *from, uint32_t size) {
    bytes b = { offset, size, from };
    return covey_patch_raw(world, e, type, copy_bytes, &b) ? COVEY_OK : covey_world_result(world);
}

/* Reads "value" into a record. Its bytes are the place before the edit, the place after it, and a copy of the whole
 * value to work on. */
static bool read_value(edit *t, inspect__undo_kind kind, const void *value) {
    inspect__place place;
    inspect__fault fault = { .text = "there is no value" };
    const json_t *json = inspect__request_member(t->request, "value");
    if (!read_place(t, &place)) return false;
    uint32_t size = inspect__place_size(&place);
    if (!inspect__undo_make(t->request, &t->undo, kind, (size_t)size * 2 + t->type->size)) return false;
    unsigned char *work = t->undo.bytes + (size_t)size * 2;
    memcpy(work, value, t->type->size);
    if (!json || !inspect__read_place(t->world, json, &place, work, &fault)) return refuse_value(t, &fault);
    t->undo.e = t->e;
    t->undo.type = t->type;
    t->undo.offset = place.offset;
    t->undo.size = size;
    memcpy(t->undo.bytes, (const char *)value + place.offset, size);
    memcpy(t->undo.bytes + size, work + place.offset, size);
    return true;
}

static covey_result edit_set(edit *t) {
    if (!read_component(t)) return COVEY_OK;
    if (!read_value(t, INSPECT__UNDO_VALUE, covey_get_raw(t->world, t->e, t->type))) return COVEY_OK;
    return inspect__overwrite(t->world, t->e, t->type, t->undo.offset, t->undo.bytes + t->undo.size, t->undo.size);
}

/* The type of a resource need not be a component type that the world has. */
static bool read_resource(edit *t) {
    const char *name = inspect__request_member_text(t->request, "type");
    for (uint32_t i = 0; name && i < covey_world_resource_count(t->world); i++) {
        t->type = covey_world_resource(t->world, i);
        if (strcmp(t->type->name, name) == 0) return true;
    }
    return read_type(t);
}

static covey_result edit_resource(edit *t) {
    if (!read_resource(t)) return COVEY_OK;
    char *value = covey_resource_get_raw(t->world, t->type);
    if (!value) return COVEY_ERROR_ABSENT;
    if (read_value(t, INSPECT__UNDO_RESOURCE, value))
        memcpy(value + t->undo.offset, t->undo.bytes + t->undo.size, t->undo.size);
    return COVEY_OK;
}

/* ---- Components ---------------------------------------------------------------------------------------------------*/

typedef struct json_value {
    const covey_world *world;
    const json_t *json;
    const covey_type *type;
} json_value;

/* Cannot fail: try_value has read the same JSON before. */
static void fill_value(void *value, void *context) {
    const json_value *v = context;
    inspect__place place = inspect__place_of(v->type);
    inspect__fault fault;
    inspect__read_place(v->world, v->json, &place, value, &fault);
}

/* Checks a value: reads it into the bytes of the record. */
static bool try_value(edit *t, const json_t *json) {
    inspect__place place;
    inspect__fault fault = { .text = "" };
    if (!read_place(t, &place)) return false;
    return inspect__read_place(t->world, json, &place, t->undo.bytes, &fault) || refuse_value(t, &fault);
}

static covey_result edit_add(edit *t) {
    json_value v = { t->world, inspect__request_member(t->request, "value"), NULL };
    if (!read_entity(t) || !read_type(t)) return COVEY_OK;
    v.type = t->type;
    if (covey_has_raw(t->world, t->e, t->type)) return COVEY_ERROR_PRESENT;
    if (!inspect__undo_make(t->request, &t->undo, INSPECT__UNDO_ADD, t->type->size)) return COVEY_OK;
    t->undo.e = t->e;
    t->undo.type = t->type;
    if (v.json && !json_is_null(v.json) && !try_value(t, v.json)) return COVEY_OK;
    const void *added = v.json && !json_is_null(v.json)
                            ? covey_patch_or_add_raw(t->world, t->e, t->type, fill_value, &v)
                            : covey_add_raw(t->world, t->e, t->type, NULL);
    return added ? COVEY_OK : covey_world_result(t->world);
}

/* A value that owns something is dropped with its component, so removing it cannot be undone. */
static bool can_restore(const covey_type *type) { return !type->drop && !type->move; }

static covey_result edit_remove(edit *t) {
    if (!read_component(t)) return COVEY_OK;
    bool restorable = can_restore(t->type);
    if (!inspect__undo_make(t->request, &t->undo, restorable ? INSPECT__UNDO_REMOVE : INSPECT__UNDO_NONE,
                            restorable ? t->type->size : 0))
        return COVEY_OK;
    t->undo.e = t->e;
    t->undo.type = t->type;
    t->undo.was_disabled = !covey_component_is_enabled_raw(t->world, t->e, t->type);
    if (t->undo.bytes) memcpy(t->undo.bytes, covey_get_raw(t->world, t->e, t->type), t->type->size);
    covey_remove_raw(t->world, t->e, t->type);
    return COVEY_OK;
}

static covey_result edit_enabling(edit *t, bool on) {
    bool component = inspect__request_member(t->request, "type") != NULL;
    if (component ? !read_component(t) : !read_entity(t)) return COVEY_OK;
    bool now = component ? covey_component_is_enabled_raw(t->world, t->e, t->type) : covey_is_enabled(t->world, t->e);
    inspect__undo_kind kind = now == on ? INSPECT__UNDO_NONE : now ? INSPECT__UNDO_ENABLE : INSPECT__UNDO_DISABLE;
    if (!inspect__undo_make(t->request, &t->undo, kind, 0)) return COVEY_OK;
    t->undo.e = t->e;
    t->undo.type = t->type;
    if (component)
        return on ? covey_component_enable_raw(t->world, t->e, t->type)
                  : covey_component_disable_raw(t->world, t->e, t->type);
    return on ? covey_enable(t->world, t->e) : covey_disable(t->world, t->e);
}

static covey_result edit_enable(edit *t) { return edit_enabling(t, true); }
static covey_result edit_disable(edit *t) { return edit_enabling(t, false); }

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

/* Reads "name": a string, null, or nothing. */
static bool read_name(edit *t, const char **name) {
    const json_t *json = inspect__request_member(t->request, "name");
    *name = json_string_value(json);
    if (!json || json_is_null(json)) return true;
    if (*name && strlen(*name) == json_string_length(json)) return true;
    inspect__refuse(t->request, 422, "VALUE", "name must be a string without zero bytes, or null");
    return false;
}

static bool read_parent(edit *t, covey_entity *parent) {
    const json_t *json = inspect__request_member(t->request, "parent");
    const char *text = json_string_value(json);
    *parent = (covey_entity){ 0 };
    if (!json || json_is_null(json) || (text && inspect__entity_read(text, parent))) return true;
    inspect__refuse(t->request, 422, "ARGUMENT", "parent must be an entity, such as \"12:1\", or null");
    return false;
}

static covey_result edit_create(edit *t) {
    const char *name;
    covey_entity parent;
    if (!read_name(t, &name) || !read_parent(t, &parent)) return COVEY_OK;
    if (!covey_is_null(parent) && !covey_alive(t->world, parent)) return COVEY_ERROR_DEAD;
    covey_entity e = covey_create(t->world);
    if (covey_is_null(e)) return covey_world_result(t->world);
    covey_result result = covey_is_null(parent) ? COVEY_OK : covey_parent_set(t->world, e, parent);
    if (result == COVEY_OK && name) result = covey_name_set(t->world, e, name);
    if (result == COVEY_OK) t->e = e;
    else covey_destroy(t->world, e);
    return result;
}

/* One poll makes a duplicate: a large one would stop the program, and a few requests could double a world often. */
enum { MOST_DUPLICATES = 10000 };

static bool is_duplicable(edit *t) {
    uint32_t count = 0;
    for (covey_entity e = t->e; !covey_is_null(e) && count <= MOST_DUPLICATES; e = covey_tree_next(t->world, t->e, e))
        count++;
    if (count > MOST_DUPLICATES)
        inspect__refuse(t->request, 422, "LIMIT",
                        "an entity with all below it is duplicated if it is at most %d entities", MOST_DUPLICATES);
    return count <= MOST_DUPLICATES;
}

/* Copies an entity and all below it. The copy is beside the entity, without its name: siblings have different names. */
static covey_result edit_duplicate(edit *t) {
    static const covey_clone_desc within = { .keep_outside = true };
    if (!read_entity(t) || !is_duplicable(t)) return COVEY_OK;
    covey_entity copy = covey_clone_tree_into(t->world, t->world, t->e, &within);
    if (covey_is_null(copy)) return covey_world_result(t->world);
    covey_result result = covey_name_set(t->world, copy, "");
    if (result == COVEY_OK) result = covey_parent_set(t->world, copy, covey_parent(t->world, t->e));
    if (result == COVEY_OK) t->e = copy;
    else covey_destroy_tree(t->world, copy);
    return result;
}

static covey_result edit_destroy(edit *t) {
    if (!read_entity(t)) return COVEY_OK;
    if (json_is_true(inspect__request_member(t->request, "tree"))) covey_destroy_tree(t->world, t->e);
    else covey_destroy(t->world, t->e);
    return COVEY_OK;
}

static covey_result edit_rename(edit *t) {
    const char *name, *before;
    if (!read_entity(t) || !read_name(t, &name)) return COVEY_OK;
    before = covey_name(t->world, t->e);
    if (!name) name = "";
    if (!before) before = "";
    size_t old_size = strlen(before) + 1, new_size = strlen(name) + 1;
    if (!inspect__undo_make(t->request, &t->undo, INSPECT__UNDO_NAME, old_size + new_size)) return COVEY_OK;
    t->undo.e = t->e;
    t->undo.name = memcpy(t->undo.bytes, before, old_size);
    t->undo.name_now = memcpy(t->undo.bytes + old_size, name, new_size);
    return covey_name_set(t->world, t->e, name);
}

static covey_result edit_parent(edit *t) {
    covey_entity parent;
    if (!read_entity(t) || !read_parent(t, &parent)) return COVEY_OK;
    if (!covey_is_null(parent) && !covey_alive(t->world, parent)) return COVEY_ERROR_DEAD;
    if (!inspect__undo_make(t->request, &t->undo, INSPECT__UNDO_PARENT, 0)) return COVEY_OK;
    t->undo.e = t->e;
    t->undo.parent = covey_parent(t->world, t->e);
    t->undo.next = covey_child_next(t->world, t->e);
    t->undo.now = parent;
    return covey_parent_set(t->world, t->e, parent);
}

/* ---- The request --------------------------------------------------------------------------------------------------*/

typedef struct action {
    const char *name;
    covey_result (*run)(edit *t);
    bool several; /* "e" may be a list */
} action;

static const action actions[] = {
    { "set", edit_set, true },
    { "add", edit_add, true },
    { "remove", edit_remove, true },
    { "create", edit_create, false },
    { "destroy", edit_destroy, true },
    { "rename", edit_rename, false },
    { "parent", edit_parent, true },
    { "enable", edit_enable, true },
    { "disable", edit_disable, true },
    { "resource", edit_resource, false },
    { "duplicate", edit_duplicate, false },
};

/* Returns whether the edit was done; otherwise the request is refused. */
static bool run(edit *t, const action *a) {
    covey_result result = a->run(t);
    if (result != COVEY_OK) inspect__refuse_result(t->request, result, "%s: %s", a->name, covey_result_text(result));
    if (t->request->status != 0) inspect__undo_drop(t->request->inspector, &t->undo);
    return t->request->status == 0;
}

/* Answers with the number of the record, if the edit can be undone. */
static void put_undo(inspect__request *request, inspect__undo *undo, bool can_undo) {
    if (!can_undo) {
        inspect__json_null(&request->json, "undo");
        inspect__undo_drop(request->inspector, undo);
    } else inspect__json_u64(&request->json, "undo", inspect__undo_keep(request->inspector, undo));
}

static void edit_one(edit *t, const action *a) {
    inspect__json *json = &t->request->json;
    if (!run(t, a)) return;
    inspect__json_object(json, NULL);
    inspect__json_bool(json, "ok", true);
    inspect__json_entity(json, "e", t->e);
    put_undo(t->request, &t->undo, t->undo.kind != INSPECT__UNDO_NONE);
    inspect__json_end_object(json);
}

/* Takes back that the request was refused. */
static void forgive(inspect__request *request) {
    inspect__json_clear(&request->json);
    request->status = 0;
}

/* Edits the entities one by one; keeps a record for each that can be undone. Returns how many were edited. */
static uint32_t run_for_each(edit *t, const action *a, const json_t *list, inspect__undo *all) {
    uint32_t done = 0;
    for (size_t i = 0; i < json_array_size(list); i++) {
        forgive(t->request);
        t->handle = json_string_value(json_array_get(list, i));
        if (!run(t, a)) continue;
        if (t->undo.kind == INSPECT__UNDO_NONE) inspect__undo_drop(t->request->inspector, &t->undo);
        else all->parts[all->part_count++] = t->undo;
        t->undo = (inspect__undo){ 0 };
        done++;
    }
    return done;
}

/* The same edit of several entities. Those for which it is refused are left as they are; if these are all, the answer
 * is the last refusal. */
static void edit_several(edit *t, const action *a, const json_t *list) {
    size_t count = json_array_size(list);
    inspect__json *json = &t->request->json;
    inspect__undo all;
    if (!a->several) inspect__refuse(t->request, 422, "ARGUMENT", "%s is for one entity, not a list", a->name);
    else if (count == 0 || count > INSPECT__SEVERAL)
        inspect__refuse(t->request, 422, "LIMIT", "e must be a list of 1 to %d entities", INSPECT__SEVERAL);
    if (t->request->status != 0) return;
    if (!inspect__undo_make_several(t->request, &all, (uint32_t)count)) return;
    uint32_t done = run_for_each(t, a, list, &all);
    if (done == 0) {
        inspect__undo_drop(t->request->inspector, &all);
        return;
    }
    forgive(t->request);
    inspect__json_object(json, NULL);
    inspect__json_bool(json, "ok", true);
    inspect__json_u64(json, "done", done);
    inspect__json_u64(json, "left", count - done);
    put_undo(t->request, &all, all.part_count != 0);
    inspect__json_end_object(json);
}

bool inspect__answer_edit(inspect__request *request, covey_world *world) {
    const char *name = inspect__request_member_text(request, "do");
    const json_t *list = inspect__request_member(request, "e");
    edit t = { .request = request, .world = world };
    for (const action *a = actions; name && a < actions + sizeof actions / sizeof *actions; a++) {
        if (strcmp(a->name, name) != 0) continue;
        if (json_is_array(list)) edit_several(&t, a, list);
        else edit_one(&t, a);
        return true;
    }
    return inspect__refuse(
        request, 422, "ARGUMENT",
        "do must be one of set, add, remove, create, duplicate, destroy, rename, parent, enable, disable, resource");
}
