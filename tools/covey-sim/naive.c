#include "naive.h"

#include <stdlib.h>

naive_world *naive_create(void) {
    naive_world *world = calloc(1, sizeof *world);
    if (!world) abort();
    world->tick = 1;
    return world;
}

naive_world *naive_copy(const naive_world *world) {
    naive_world *copy = malloc(sizeof *copy);
    if (!copy) abort();
    *copy = *world;
    copy->capacity = world->count ? world->count : 1;
    copy->list = malloc(copy->capacity * sizeof *copy->list);
    if (!copy->list) abort();
    if (world->count != 0) memcpy(copy->list, world->list, world->count * sizeof *copy->list);
    return copy;
}

bool naive_is_same(const naive_world *a, const naive_world *b) {
    return a->count == b->count && a->tick == b->tick && a->last_rank == b->last_rank &&
           (a->count == 0 || memcmp(a->list, b->list, a->count * sizeof *a->list) == 0) &&
           memcmp(a->resources, b->resources, sizeof a->resources) == 0;
}

void naive_destroy(naive_world *world) {
    if (!world) return;
    free(world->list);
    free(world);
}

naive_entity *naive_find(const naive_world *world, covey_entity e) {
    for (uint32_t i = 0; i < world->count; i++)
        if (covey_same(world->list[i].e, e)) return &world->list[i];
    return NULL;
}

static void grow(naive_world *world) {
    if (world->count < world->capacity) return;
    world->capacity = world->capacity ? world->capacity * 2 : 64;
    world->list = realloc(world->list, world->capacity * sizeof *world->list);
    if (!world->list) abort();
}

naive_entity *naive_insert(naive_world *world, covey_entity e) {
    uint32_t at = world->count;
    grow(world);
    while (at != 0 && world->list[at - 1].e.index > e.index) at--;
    memmove(&world->list[at + 1], &world->list[at], (world->count - at) * sizeof *world->list);
    memset(&world->list[at], 0, sizeof world->list[at]);
    world->list[at].e = e;
    world->count++;
    return &world->list[at];
}

/* A child whose name a root has loses it. In the order of the children. */
static void release_children(naive_world *world, covey_entity parent) {
    for (;;) {
        naive_entity *first = NULL;
        for (uint32_t i = 0; i < world->count; i++) {
            naive_entity *child = &world->list[i];
            if (covey_same(child->parent, parent) && (!first || child->rank < first->rank)) first = child;
        }
        if (!first) return;
        if (first->name[0] && naive_named(world, COVEY_NULL, first->name)) first->name[0] = '\0';
        first->parent = COVEY_NULL;
    }
}

void naive_erase(naive_world *world, covey_entity e) {
    naive_entity *found = naive_find(world, e);
    if (!found) return;
    found->name[0] = '\0'; /* a child may keep this name as a root */
    release_children(world, e);
    uint32_t at = (uint32_t)(found - world->list);
    memmove(found, found + 1, (world->count - at - 1) * sizeof *found);
    world->count--;
}

naive_component *naive_component_of(const naive_world *world, covey_entity e, uint32_t type) {
    naive_entity *found = naive_find(world, e);
    return found && found->at[type].present ? &found->at[type] : NULL;
}

uint32_t naive_count(const naive_world *world, uint32_t type) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < world->count; i++) count += world->list[i].at[type].present;
    return count;
}

void naive_append_child(naive_world *world, naive_entity *child, covey_entity parent) {
    child->parent = parent;
    child->rank = ++world->last_rank;
}

naive_entity *naive_next_child(const naive_world *world, covey_entity parent, uint64_t rank) {
    naive_entity *next = NULL;
    for (uint32_t i = 0; i < world->count; i++) {
        naive_entity *n = &world->list[i];
        if (covey_same(n->parent, parent) && n->rank > rank && (!next || n->rank < next->rank)) next = n;
    }
    return next;
}

naive_entity *naive_named(const naive_world *world, covey_entity parent, const char *name) {
    for (uint32_t i = 0; i < world->count; i++) {
        naive_entity *n = &world->list[i];
        if (covey_same(n->parent, parent) && n->name[0] && strcmp(n->name, name) == 0) return n;
    }
    return NULL;
}
