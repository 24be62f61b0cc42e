/* Resources: one value per type for the whole world, in the order in which they were first set. There are few, so
 * comparing the first ones is as fast as a table; a tree finds the others by name. */
#include "change/resource.h"

#include "memory/inner.h"
#include "memory/alloc.h"
#include "memory/balanced.h"
#include "storage/block_store.h"
#include "storage/default.h"
#include "storage/hook.h"
#include "memory/result.h"
#include "storage/sparse_set.h"
#include "storage/type.h"

#include <stdalign.h>

typedef struct covey__resource {
    const covey_type *type;
    void *value;
    covey__links links; /* in the tree, by name */
} covey__resource;

struct covey__resources {
    uint32_t count, capacity, root;
    covey__resource at[];
};

enum { LOOKED_AT = 16 }; /* compared by address before the search by name */

static size_t resources_bytes(uint32_t capacity) {
    return capacity == 0 ? 0 : sizeof(struct covey__resources) + (size_t)capacity * sizeof(covey__resource);
}

static uint32_t resource_count(const covey_world *world) {
    return world->inner->resources ? world->inner->resources->count : 0;
}

static uint32_t capacity_of(const covey_world *world) {
    return world->inner->resources ? world->inner->resources->capacity : 0;
}

static covey__links *resource_links(const void *list, uint32_t number) {
    return (covey__links *)(uintptr_t) & ((const struct covey__resources *)list)->at[number].links;
}

static bool is_resource_before(const void *context, uint32_t a, uint32_t b) {
    const struct covey__resources *list = context;
    return strcmp(list->at[a].type->name, list->at[b].type->name) < 0;
}

/* Counts the place behind the last resource, and links it into the tree. */
static void count_in(struct covey__resources *list) {
    covey__tree tree = { resource_links, is_resource_before, list };
    list->root = covey__tree_put(&tree, list->root, list->count++);
}

static void uncount(struct covey__resources *list, uint32_t number) {
    covey__tree tree = { resource_links, is_resource_before, list };
    list->root = covey__tree_take(&tree, list->root, number);
}

static covey__resource *named(struct covey__resources *list, const char *name) {
    for (uint32_t at = list ? list->root : COVEY__NO_NODE; at != COVEY__NO_NODE;) {
        covey__resource *resource = &list->at[at];
        int order = strcmp(name, resource->type->name);
        if (order == 0) return resource;
        at = order < 0 ? resource->links.left : resource->links.right;
    }
    return NULL;
}

/* By the address of the type, then by its name. */
static covey__resource *find_in_list(struct covey__resources *list, const covey_type *type) {
    for (uint32_t i = 0; list && i < list->count && i < LOOKED_AT; i++)
        if (list->at[i].type == type) return &list->at[i];
    covey__resource *resource = type->name ? named(list, type->name) : NULL;
    bool same = resource && (resource->type == type || covey__type_same_layout(resource->type, type));
    return same ? resource : NULL;
}

/* Finds a value. */
static covey__resource *find_value(const covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    return find_in_list(world->inner->resources, type);
}

/* Finds a reference to an object of the program. */
static covey__resource *find_reference(const covey_world *world, const covey_type *type) {
    COVEY__CONTRACT(NULL, world && type, "a call needs a world and a type");
    return find_in_list(world->inner->references, type);
}

/* ---- Setting -----------------------------------------------------------------------------------------------------*/

static void free_references(covey_world *world) {
    struct covey__resources *list = world->inner->references;
    covey__free(&world->inner->heap, list, resources_bytes(list ? list->capacity : 0), 1,
                alignof(struct covey__resources));
    world->inner->references = NULL;
}

static void end_resources(covey_world *world) {
    covey__resources_end(world, &world->inner->resources);
    free_references(world);
}

static const covey__feature resource_feature = { .end = end_resources };

static bool reserve_place(covey_world *world, struct covey__resources **list) {
    uint32_t count = *list ? (*list)->count : 0, old = *list ? (*list)->capacity : 0;
    uint32_t root = *list ? (*list)->root : COVEY__NO_NODE;
    if (count < old) return true;
    uint32_t capacity = covey__grown(old, count + 1, UINT32_MAX);
    struct covey__resources *resources = covey__resize(&world->inner->heap, *list, resources_bytes(old),
                                                       resources_bytes(capacity), 1, alignof(struct covey__resources));
    if (!resources) return false;
    world->inner->features[COVEY__RESOURCES] = &resource_feature;
    resources->count = count;
    resources->capacity = capacity;
    resources->root = root;
    *list = resources;
    return true;
}

/* Makes a place behind the last resource, which is not counted yet. NULL when an allocation fails. */
static covey__resource *append_place(covey_world *world, struct covey__resources **list, const covey_type *type) {
    if (!reserve_place(world, list)) return NULL;
    void *value = type->size == 0 ? covey__nothing
                                  : covey__resize(&world->inner->heap, NULL, 0, 1, type->size, covey__type_align(type));
    if (!value) return NULL;
    covey__resource *resource = &(*list)->at[(*list)->count];
    *resource = (covey__resource){ .type = type, .value = value };
    return resource;
}

static void free_value(covey_world *world, const covey__resource *resource) {
    if (resource->value != covey__nothing)
        covey__free(&world->inner->heap, resource->value, 1, resource->type->size, covey__type_align(resource->type));
}

static void drop_value(const covey_world *world, const covey__resource *resource) {
    covey__drop(world, resource->type, resource->value);
}

/* Whether an absent resource can be added; otherwise fails. */
static bool may_be_added(covey_world *world, const covey_type *type) {
    const char *name = type->name ? type->name : "(no name)";
    bool valid = covey__type_valid(type),
         taken = named(world->inner->resources, name) || named(world->inner->references, name);
    if (!valid) covey__fail_type(world, type);
    else if (taken)
        covey__fail(world, COVEY_ERROR_LAYOUT,
                    "the resource %s is refused: one of this name has another layout; rename either", name);
    return valid && !taken;
}

static void *add_resource(covey_world *world, const covey_type *type, const void *value) {
    const char *name = type->name ? type->name : "(no name)";
    if (!may_be_added(world, type)) return NULL;
    const covey__resource *resource = append_place(world, &world->inner->resources, type);
    if (!resource) {
        covey__fail(world, COVEY_ERROR_MEMORY, "the resource %s could not be set: an allocation failed", name);
        return NULL;
    }
    covey__mover mover = covey__mover_of(world, type);
    covey__move_in(&mover, resource->value, value, type->size);
    count_in(world->inner->resources);
    return resource->value;
}

static void *replace_value(const covey_world *world, const covey__resource *resource, const void *value) {
    if (resource->value == value) return resource->value;
    drop_value(world, resource);
    covey__mover mover = covey__mover_of(world, resource->type);
    covey__move_in(&mover, resource->value, value, resource->type->size);
    return resource->value;
}

static void *set(covey_world *world, const covey_type *type, const void *value) {
    const covey__resource *resource = find_value(world, type);
    return resource ? replace_value(world, resource, value) : add_resource(world, type, value);
}

/* Sets the default value. */
static void *set_default(covey_world *world, const covey_type *type) {
    covey__default d;
    covey_result result = covey__default_begin(world, type, &d);
    if (result != COVEY_OK) {
        covey__fail(world, result, "the default of the resource %s could not be made: %s", type->name,
                    covey__reason(result));
        return NULL;
    }
    void *at = set(world, type, d.value);
    covey__default_end(world, type, &d, at != NULL);
    return at;
}

void *covey_resource_set_raw(covey_world *world, const covey_type *type, const void *value) {
    const covey__resource *resource = find_value(world, type);
    if (COVEY__IN_HOOK(world)) return NULL;
    COVEY__USES(world, type, COVEY__ACCESS_RESOURCE_WRITE);
    if (find_reference(world, type)) {
        covey__fail(world, COVEY_ERROR_PRESENT,
                    "the resource %s could not be set: it refers to an object of the program; remove it first",
                    type->name);
        return NULL;
    }
    void *at = value ? set(world, type, value) : set_default(world, resource ? resource->type : type);
    COVEY__CHANGED(world);
    return at;
}

static bool add_reference(covey_world *world, const covey_type *type, void *object) {
    if (find_value(world, type)) {
        covey__fail(world, COVEY_ERROR_PRESENT,
                    "the resource %s cannot refer to an object: the world has a value of it; remove it first",
                    type->name);
        return false;
    }
    if (!may_be_added(world, type)) return false;
    if (!reserve_place(world, &world->inner->references)) {
        covey__fail(world, COVEY_ERROR_MEMORY, "the resource %s cannot refer to an object: an allocation failed",
                    type->name);
        return false;
    }
    world->inner->references->at[world->inner->references->count] = (covey__resource){ .type = type, .value = object };
    count_in(world->inner->references);
    return true;
}

bool covey_resource_refer_raw(covey_world *world, const covey_type *type, void *object) {
    covey__resource *reference = find_reference(world, type);
    if (COVEY__IN_HOOK(world)) return false;
    COVEY__CONTRACT(world, object, "a resource by reference needs an object that is not NULL");
    if (reference) reference->value = object;
    bool referred = reference || add_reference(world, type, object);
    COVEY__CHANGED(world);
    return referred;
}

/* ---- Looking and removing ----------------------------------------------------------------------------------------*/

void *covey_resource_get_raw(const covey_world *world, const covey_type *type) {
    const covey__resource *reference = find_reference(world, type),
                          *resource = reference ? reference : find_value(world, type);
    COVEY__USES(world, type, COVEY__ACCESS_RESOURCE_READ);
    return resource ? resource->value : NULL;
}

bool covey_resource_has_raw(const covey_world *world, const covey_type *type) {
    return find_reference(world, type) || find_value(world, type);
}

static void renumber(uint32_t *number, uint32_t gap) {
    if (*number != COVEY__NO_NODE && *number > gap) --*number;
}

/* Moves the resources behind it up, and renumbers them: O(resources), unless it is the last. */
static void close_gap(struct covey__resources *list, covey__resource *at) {
    uint32_t gap = (uint32_t)(at - list->at), behind = list->count - 1 - gap;
    uncount(list, gap);
    list->count--;
    if (behind == 0) return;
    memmove(at, at + 1, behind * sizeof *at);
    renumber(&list->root, gap);
    for (uint32_t i = 0; i < list->count; i++) {
        renumber(&list->at[i].links.left, gap);
        renumber(&list->at[i].links.right, gap);
    }
}

static void erase_resource(covey_world *world, covey__resource *resource) {
    free_value(world, resource);
    close_gap(world->inner->resources, resource);
}

bool covey_resource_remove_raw(covey_world *world, const covey_type *type) {
    covey__resource *resource = find_value(world, type), *reference = find_reference(world, type);
    if (COVEY__IN_HOOK(world) || (!resource && !reference)) return false;
    if (reference) {
        close_gap(world->inner->references, reference);
    } else {
        drop_value(world, resource);
        erase_resource(world, resource);
    }
    COVEY__CHANGED(world);
    return true;
}

bool covey_resource_take_raw(covey_world *world, const covey_type *type, void *value) {
    covey__resource *resource = find_value(world, type);
    if (COVEY__IN_HOOK(world)) return false;
    COVEY__CONTRACT(world, value || type->size == 0, "covey_take needs a place for the value");
    if (!resource || find_reference(world, type)) return false;
    covey__mover mover = covey__mover_of(world, resource->type);
    if (type->size != 0) covey__relocate(&mover, value, resource->value, type->size);
    erase_resource(world, resource);
    COVEY__CHANGED(world);
    return true;
}

void covey__resource_erase(covey_world *world, const covey_type *type) {
    erase_resource(world, find_value(world, type));
}

void covey__resources_erase_if(covey_world *world, covey__erase_if_fn *erase, void *context) {
    struct covey__resources *list = world->inner->resources;
    uint32_t count = resource_count(world);
    if (!list) return;
    list->count = 0;
    list->root = COVEY__NO_NODE;
    for (uint32_t i = 0; i < count; i++) {
        covey__resource resource = list->at[i];
        if (erase(resource.type, resource.value, context)) {
            free_value(world, &resource);
            continue;
        }
        list->at[list->count] = resource;
        count_in(list);
    }
}

const covey_type *covey__resource_named(const covey_world *world, const char *name) {
    const covey__resource *resource = named(world->inner->resources, name);
    return resource ? resource->type : NULL;
}

uint32_t covey_world_resource_count(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    return resource_count(world);
}

const covey_type *covey_world_resource(const covey_world *world, uint32_t number) {
    return number < covey_world_resource_count(world) ? world->inner->resources->at[number].type : NULL;
}

/* ---- For the world -----------------------------------------------------------------------------------------------*/

/* In reverse order, because later ones may need earlier ones. */
void covey__resources_end(covey_world *world, struct covey__resources **list) {
    while (*list && (*list)->count != 0) {
        covey__resource resource = (*list)->at[(*list)->count - 1];
        close_gap(*list, &(*list)->at[(*list)->count - 1]);
        drop_value(world, &resource);
        free_value(world, &resource);
    }
    covey__free(&world->inner->heap, *list, resources_bytes(*list ? (*list)->capacity : 0), 1,
                alignof(struct covey__resources));
    *list = NULL;
}

void covey__resources_erase_all(covey_world *world) {
    for (uint32_t i = resource_count(world); i-- != 0;) free_value(world, &world->inner->resources->at[i]);
    covey__free(&world->inner->heap, world->inner->resources, resources_bytes(capacity_of(world)), 1,
                alignof(struct covey__resources));
    world->inner->resources = NULL;
}

covey_result covey__resources_append(covey_world *world, struct covey__resources **list, const covey_type *type,
                                     const void *value) {
    covey__resource *resource = append_place(world, list, type);
    if (!resource) return COVEY_ERROR_MEMORY;
    if (!type->copy) covey__fill(resource->value, value, type->size);
    else if (!covey__copy_value(world, type, resource->value, value)) {
        free_value(world, resource);
        return COVEY_ERROR_COPY;
    }
    count_in(*list);
    return COVEY_OK;
}

void covey__resources_replace(covey_world *world, struct covey__resources *list) {
    struct covey__resources *old = world->inner->resources;
    for (uint32_t i = 0; list && i < list->count; i++) {
        covey__resource *fresh = &list->at[i], *there = find_value(world, fresh->type);
        if (!there || there->type->size == 0) continue;
        covey__mover mover = covey__mover_of(world, fresh->type);
        covey__exchange_values(&mover, fresh->value, there->value, fresh->type->size);
        covey__swap_bytes(&fresh->value, &there->value, sizeof fresh->value);
    }
    world->inner->resources = list;
    covey__resources_end(world, &old);
}

const void *covey__resource_value(const covey_world *world, uint32_t number) {
    return world->inner->resources->at[number].value;
}

covey_result covey__resources_clone(const covey_world *from, covey_world *to) {
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < resource_count(from) && result == COVEY_OK; i++) {
        const covey__resource *resource = &from->inner->resources->at[i];
        const covey_type *type = resource->type;
        if (covey__type_is_made(from, type)) type = covey__type_keep(to, type);
        result = type ? covey__resources_append(to, &to->inner->resources, type, resource->value) : COVEY_ERROR_MEMORY;
    }
    return result;
}

size_t covey__resource_bytes(const covey_world *world) {
    size_t bytes = resources_bytes(capacity_of(world)) +
                   resources_bytes(world->inner->references ? world->inner->references->capacity : 0);
    for (uint32_t i = 0; i < resource_count(world); i++) bytes += world->inner->resources->at[i].type->size;
    return bytes;
}

static bool is_counted(const void *list, uint32_t number) {
    return number < ((const struct covey__resources *)list)->count;
}

static bool is_ordered(const struct covey__resources *list) {
    covey__tree tree = { resource_links, is_resource_before, list };
    uint32_t count = 0;
    if (!list) return true;
    return covey__tree_valid(&tree, list->root, is_counted, list->count, &count) && count == list->count;
}

bool covey__resources_valid(const covey_world *world, const char **why) {
    const char *reason =
        resource_count(world) > capacity_of(world) ? "resources: the count is larger than the capacity" : NULL;
    if (!reason && !(is_ordered(world->inner->resources) && is_ordered(world->inner->references)))
        reason = "resources: two have one name, or the tree is out of order";
    for (uint32_t i = 0; i < resource_count(world) && !reason; i++) {
        const covey__resource *resource = &world->inner->resources->at[i];
        if (!resource->value) reason = "resources: a resource has no value";
        else if ((uintptr_t)resource->value % covey__type_align(resource->type) != 0)
            reason = "resources: a value is misaligned";
        else if ((resource->value == covey__nothing) != (resource->type->size == 0))
            reason = "resources: a type of size 0 has memory, or another type has none";
    }
    for (uint32_t i = 0; world->inner->references && i < world->inner->references->count && !reason; i++) {
        const covey__resource *reference = &world->inner->references->at[i];
        if (!reference->value) reason = "resources: a reference is NULL";
    }
    if (reason && why) *why = reason;
    return !reason;
}
