/* Worlds and entities as text. */
#include "change/kind.h"
#include "storage/type.h"

#include <covey/hierarchy.h>
#include <stdarg.h>
#include <stdio.h>

int covey_entity_print(char *text, size_t size, covey_entity e) {
    COVEY__CONTRACT(NULL, text || size == 0, "a call that writes text needs a place for it");
    if (covey_is_null(e)) return snprintf(text, size, "null");
    return snprintf(text, size, "%u:%u", e.index, e.generation);
}

typedef struct printer {
    covey_write_fn *write;
    void *context;
} printer;

static void print_to_stdout(const char *text, void *context) {
    (void)context;
    fputs(text, stdout);
}

static void print(const printer *out, const char *format, ...) {
    char text[128];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    out->write(text, out->context);
}

static void print_pool(const printer *out, const covey_pool *pool) {
    out->write("  ", out->context);
    out->write(pool->type->name, out->context);
    print(out, ": %u of %u bytes, %zu bytes in all\n", covey_pool_count(pool), pool->type->size,
          covey_pool_memory(pool));
}

/* Prints the name and the parent of an entity, if it has them. */
static void print_place(const printer *out, const covey_world *world, covey_entity e) {
    const char *name = covey_name(world, e);
    covey_entity parent = covey_parent(world, e);
    if (name) {
        out->write(" ", out->context);
        out->write(name, out->context);
    }
    if (!covey_is_null(parent)) print(out, ", child of %u:%u", parent.index, parent.generation);
}

static void print_kind(const printer *out, const covey_world *world, uint32_t number) {
    covey_entity_kind kind = covey__kind_describe(world, number);
    out->write("  kind", out->context);
    for (uint32_t i = 0; i < kind.type_count; i++) {
        out->write(i == 0 ? " " : ", ", out->context);
        out->write(kind.types[i]->name, out->context);
    }
    print(out, ": %u entities in %u blocks\n", kind.entities, kind.blocks);
}

static void print_resource(const printer *out, const covey_type *type) {
    out->write("  ", out->context);
    out->write(type->name, out->context);
    print(out, ": a resource of %u bytes\n", type->size);
}

static void print_entity(const printer *out, const covey_world *world, covey_entity e) {
    const char *separator = "  ";
    print(out, "  %u:%u", e.index, e.generation);
    print_place(out, world, e);
    for (uint32_t i = 0; i < world->pool_count; i++) {
        if (covey__is_internal(world->pools[i]) || !covey_pool_has(world->pools[i], e)) continue;
        out->write(separator, out->context);
        out->write(world->pools[i]->type->name, out->context);
        separator = ", ";
    }
    out->write("\n", out->context);
}

void covey_world_print(const covey_world *world, covey_write_fn *write, void *context) {
    COVEY__CONTRACT(NULL, world, "a call needs a world");
    printer out = { write ? write : print_to_stdout, context };
    print(&out, "world: %u entities, %u pools, %zu bytes\n", world->alive, world->pool_count,
          covey_world_memory(world));
    for (uint32_t i = 0; i < world->pool_count; i++) print_pool(&out, world->pools[i]);
    for (uint32_t i = 0; world->inner->kinds && i < world->inner->kinds->count; i++)
        if (world->inner->kinds->at[i]) print_kind(&out, world, i);
    for (uint32_t i = 0; i < covey_world_resource_count(world); i++)
        print_resource(&out, covey_world_resource(world, i));
    covey_entity e = { 0, 0 };
    while (!covey_is_null(e = covey_entity_next(world, e))) print_entity(&out, world, e);
}
