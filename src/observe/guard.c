/* Finds systems that use what they did not declare. The guard of a world knows what the system of the calling thread
 * declared; this file decides what counts as a use, and reports undeclared ones. */
#include "observe/guard.h"

#include "observe/observers.h"
#include "memory/result.h"
#include "storage/type.h"

#include <stdio.h>

/* The system that the calling thread runs in parallel with others, or NULL. */
static const char *system_of(const covey_world *world) {
    return world->guard ? world->guard->system(world->guard) : NULL;
}

/* Tags without ticks may be read by any system, because their presence does not change while systems run. So may
 * internal types. */
static bool has_no_value(const covey_type *type) {
    return (type->size == 0 && !type->ticks) || covey__type_is_internal(type);
}

static bool is_allowed(const covey_world *world, const covey_type *type, covey__access access) {
    return has_no_value(type) || world->guard->allows(world->guard, type, access);
}

void covey__check_use(const covey_world *world, const covey_type *type, covey__access access, const char *file,
                      int line) {
    const char *system = system_of(world);
    if (!system || is_allowed(world, type, access)) return;
    bool resource = access == COVEY__ACCESS_RESOURCE_READ || access == COVEY__ACCESS_RESOURCE_WRITE;
    bool writes = access == COVEY__ACCESS_WRITE || access == COVEY__ACCESS_RESOURCE_WRITE;
    bool reads = is_allowed(world, type, resource ? COVEY__ACCESS_RESOURCE_READ : COVEY__ACCESS_READ);
    char text[256];
    snprintf(text, sizeof text, "system %s %s %s%s, which it %s: add it to .%s%s", system, writes ? "writes" : "uses",
             resource ? "the resource " : "", type->name, reads ? "declared as read" : "did not declare",
             resource ? "resource_" : "", writes ? "writes" : "reads");
    covey__contract_broken(world, text, file, line);
}

#if COVEY_ASSERT_LEVEL >= 2

/* A field that counts as written because the view does not name it in .read. */
static void check_written(const covey_view *view, const covey_type *type) {
    const char *system = system_of(view->world);
    bool reads = system && !is_allowed(view->world, type, COVEY__ACCESS_WRITE) &&
                 is_allowed(view->world, type, COVEY__ACCESS_READ);
    char text[256];
    if (!reads) {
        COVEY__USES(view->world, type, COVEY__ACCESS_WRITE);
        return;
    }
    snprintf(
        text, sizeof text,
        "system %s iterates a view that writes %s, which it declared as read: name it in .read of the view, or add it "
        "to .writes",
        system, type->name);
    covey__contract_broken(view->world, text, __FILE__, __LINE__);
}

void covey__check_view(const covey_view *view, bool of_group) {
    if (!view->world || !view->world->guard) return;
    for (uint32_t i = 0; i < view->fields; i++) {
        bool only_read = (view->reads >> i & 1) != 0;
        if (!only_read && !of_group) check_written(view, view->types[i]);
        else COVEY__USES(view->world, view->types[i], only_read ? COVEY__ACCESS_READ : COVEY__ACCESS_WRITE);
    }
}

void covey__check_set(const covey_pool *pool, covey_signal signal) {
    const char *system = system_of(pool->world);
    bool heard = pool->observers && (pool->observers->listeners.signals & (uint32_t)signal) != 0;
    char text[256];
    if (!system || !heard) return;
    snprintf(text, sizeof text, "system %s %s %s, which has listeners: record it into job->commands", system,
             signal == COVEY_ON_PATCH ? "patches" : "sets", pool->type->name);
    covey__contract_broken(pool->world, text, __FILE__, __LINE__);
}

void covey__check_world(const covey_world *world) {
    if (!world->guard) return;
    for (uint32_t i = 0; i < world->pool_count; i++) COVEY__USES(world, world->pools[i]->type, COVEY__ACCESS_READ);
    for (uint32_t i = 0; i < covey_world_resource_count(world); i++)
        COVEY__USES(world, covey_world_resource(world, i), COVEY__ACCESS_RESOURCE_READ);
}

#endif
