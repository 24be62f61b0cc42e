/* Values of types that the program does not know. What the codec of another program wrote is kept unchanged, with
 * handles separate from bytes, so that merging can map the handles, and saving writes the same bytes. */
#include "storage/unknown.h"

#include "memory/inner.h"
#include "memory/alloc.h"

#include <stdalign.h>

static size_t unknown_bytes(const covey_unknown_value *unknown) {
    return unknown->entity_count * sizeof(covey_entity) + unknown->size;
}

bool covey__unknown_allocate(covey_world *world, covey_unknown_value *unknown, char **memory) {
    size_t bytes = unknown_bytes(unknown);
    *memory = covey__resize(&world->inner->heap, NULL, 0, bytes, 1, alignof(max_align_t));
    if (!*memory && bytes != 0) return false;
    world->inner->borrowed += bytes;
    unknown->entities = (const covey_entity *)(void *)*memory;
    unknown->bytes = *memory ? (const unsigned char *)*memory + unknown->entity_count * sizeof(covey_entity) : NULL;
    return true;
}

static void drop_unknown(void *value, void *context) {
    const covey_unknown_value *unknown = value;
    covey_world *world = ((const covey__unknown_context *)context)->world;
    world->inner->borrowed -= unknown_bytes(unknown);
    covey__free(&world->inner->heap, (void *)(uintptr_t)unknown->entities, unknown_bytes(unknown), 1,
                alignof(max_align_t));
}

static bool copy_unknown(void *to, const void *from, void *context) {
    const covey_unknown_value *unknown = from;
    covey_unknown_value made = { .size = unknown->size, .entity_count = unknown->entity_count };
    const covey__unknown_context *of = context;
    char *memory;
    if (!covey__unknown_allocate(of->world, &made, &memory)) return false;
    if (memory) memcpy(memory, unknown->entities, unknown_bytes(unknown));
    memcpy(to, from, of->size);
    memcpy(to, &made, sizeof made);
    return true;
}

void covey__unknown_describe(covey_type *type) {
    type->drop = drop_unknown;
    type->copy = copy_unknown;
}

bool covey__is_unknown(const covey_type *type) { return type->drop == drop_unknown; }

const covey_unknown_value *covey_unknown_value_of(const covey_type *type, const void *value) {
    COVEY__CONTRACT(NULL, type, "a call needs a type");
    return covey__is_unknown(type) ? value : NULL;
}

void covey__unknown_moved(const covey_type *from, const covey_type *to, const void *value) {
    if (!covey__is_unknown(from) || from->context == to->context) return;
    covey_world *before = ((const covey__unknown_context *)from->context)->world,
                *now = ((const covey__unknown_context *)to->context)->world;
    size_t bytes = unknown_bytes(value);
    before->inner->heap.bytes -= bytes;
    before->inner->borrowed -= bytes;
    now->inner->heap.bytes += bytes;
    now->inner->borrowed += bytes;
}
