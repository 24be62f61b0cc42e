/* Says what lookups there are, for tools that show a world. */
#include "lookup/lookup.h"

#include "memory/alloc.h"
#include "memory/inner.h"

bool covey__lookup_keep_names(covey_lookup *lookup, const covey_lookup_desc *desc) {
    const char *const *names = desc->field ? &desc->field : desc->place;
    size_t size = 0;
    uint8_t count = 0;
    for (; count < (desc->field ? 1 : COVEY__DIMENSIONS) && names[count]; count++) size += strlen(names[count]) + 1;
    char *to = covey__resize(&lookup->world->inner->heap, NULL, 0, size, 1, 1);
    if (!to) return false;
    lookup->names = to;
    lookup->names_size = size;
    lookup->name_count = count;
    for (uint8_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]) + 1;
        memcpy(to, names[i], length);
        to += length;
    }
    return true;
}

covey_lookup_desc covey_lookup_description(const covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    covey_lookup_desc desc = { .type = lookup->pool->type,
                               .ordered = lookup->ordered,
                               .cell = lookup->place.cell,
                               .when_target_ends = (covey_target_end)lookup->when_target_ends };
    const char *name = lookup->names;
    if (lookup->place.count == 0) desc.field = name;
    for (uint8_t i = 0; lookup->place.count != 0 && i < lookup->name_count; i++, name += strlen(name) + 1)
        desc.place[i] = name;
    return desc;
}

uint32_t covey_world_lookup_count(const covey_world *world) {
    COVEY__CONTRACT(NULL, world, "the world is NULL");
    uint32_t count = 0;
    for (const covey_lookup *lookup = world->inner->lookups; lookup; lookup = lookup->next_of_world) count++;
    return count;
}

covey_lookup *covey_world_lookup(const covey_world *world, uint32_t number) {
    COVEY__CONTRACT(NULL, world, "the world is NULL");
    covey_lookup *lookup = world->inner->lookups;
    for (; lookup && number > 0; number--) lookup = lookup->next_of_world;
    return lookup;
}
