/* A library with a component of its own, which others happen to have, too. */
#include "library.h"

typedef struct Position {
    COORDINATE x, y;
} Position;
COVEY_COMPONENT_DEFINE(Position);

#define DECLARE(library) DSO_DECLARE(library)
DECLARE(LIBRARY);

#define PASTE(library, name) library##_##name
#define EXPAND(library, name) PASTE(library, name)
#define EXPORTED(name) EXPAND(LIBRARY, name)

const covey_type *EXPORTED(type)(void) { return covey_id(Position); }

bool EXPORTED(add)(covey_world *world, covey_entity e, int x, int y) {
    return covey_add(world, e, Position, { (COORDINATE)x, (COORDINATE)y }) != NULL;
}

bool EXPORTED(has)(const covey_world *world, covey_entity e) { return covey_has(world, e, Position); }

int EXPORTED(y)(const covey_world *world, covey_entity e) {
    const Position *position = covey_get(world, e, Position);
    return position ? (int)position->y : -1;
}

bool EXPORTED(remove)(covey_world *world, covey_entity e) { return covey_remove(world, e, Position); }
