/* What an iteration knows of the pools of its view. */
#include "query/walk.h"

#include "observe/observers.h"
#include "query/view.h"

/* A number that grows when the world gets a new type, or when the first component of a type is disabled. */
static uint32_t known_to(const covey_world *world) { return world->pool_count + world->hiding; }

bool covey__walk_is_old(const covey__walk *walk) { return walk->pools != known_to(walk->view->world); }

void covey__walk_find_hidden(covey__walk *walk) {
    const covey_world *world = walk->view->world;
    bool components = world->hiding != 0 && (walk->view->asks & COVEY__ASKS_COMPONENTS) == 0;
    walk->hidden = (walk->view->asks & COVEY__ASKS_ENTITIES) == 0 ? world->disabled : NULL;
    walk->hides = walk->hidden || (components && covey__may_hide(walk->lead));
    for (uint32_t i = 0; components && i < covey__view_terms(walk->view); i++)
        walk->hides |= covey__may_hide(walk->columns[i].pool);
    walk->asks_more |= walk->hides;
}

static void find_ticks(covey__walk *walk) {
    for (uint32_t i = 0; i < walk->view->fields; i++) {
        bool written = (walk->view->reads >> i & 1) == 0,
             ticks = walk->columns[i].pool && walk->columns[i].pool->type->ticks;
        walk->ticked |= (uint16_t)((written && ticks) << i);
    }
}

void covey__walk_find_pools(covey__walk *walk) {
    const covey_view *view = walk->view;
    walk->pools = known_to(view->world);
    for (uint32_t i = 0; i < covey__view_terms(view); i++)
        if (!walk->columns[i].pool) walk->columns[i].pool = covey_pool_find_raw(view->world, view->types[i]);
    covey__walk_find_hidden(walk);
    find_ticks(walk);
}

void covey__walk_renew(covey__walk *walk) {
    if (covey__walk_is_old(walk)) covey__walk_find_pools(walk);
}
