/* Step 5 of the tutorial: parents, children and names. */
#include <covey/hierarchy.h>
#include <stdio.h>

typedef struct {
    int x, y;
} Offset; /* from the parent, or from the corner of the meadow */
typedef struct {
    int x, y;
} Position; /* in the meadow */
COVEY_COMPONENT_DEFINE(Offset);
COVEY_COMPONENT_DEFINE(Position);

static const covey_entity none = { 0, 0 };

static covey_entity add(covey_world *world, covey_entity parent, const char *name, int x, int y) {
    covey_entity e = covey_create_with(world, covey_with(Offset, { x, y }), covey_with(Position, { 0, 0 }));
    covey_parent_set(world, e, parent);
    covey_name_set(world, e, name);
    return e;
}

/* A walk through a tree visits parents before their children, so the position of the parent is already known. */
static void place(covey_world *world, covey_entity root) {
    for (covey_entity e = root; !covey_is_null(e); e = covey_tree_next(world, root, e)) {
        const Offset *offset = covey_get(world, e, Offset);
        const Position *parent = covey_get(world, covey_parent(world, e), Position);
        covey_set(world, e, Position, { offset->x + (parent ? parent->x : 0), offset->y + (parent ? parent->y : 0) });
    }
}

static void show(const covey_world *world, covey_entity root) {
    for (covey_entity e = root; !covey_is_null(e); e = covey_tree_next(world, root, e)) {
        const Position *p = covey_get(world, e, Position);
        char path[64];
        covey_path_print(path, sizeof path, world, e);
        printf("%*s%s at %d, %d   (%s)\n", 2 * (int)covey_depth(world, e), "", covey_name(world, e), p->x, p->y, path);
    }
}

int main(void) {
    covey_world *world = covey_world_create(NULL);
    if (!world) return 1;
    covey_entity shepherd = add(world, none, "shepherd", 10, 2);
    add(world, shepherd, "lantern", 0, 1);
    covey_entity cart = add(world, shepherd, "cart", -3, 0);
    add(world, cart, "lamb", 0, 1);
    place(world, shepherd);
    show(world, shepherd);

    puts("the shepherd walks, and the dog joins her");
    covey_get(world, shepherd, Offset)->x += 5;
    covey_entity dog = add(world, none, "dog", 2, 0);
    covey_parent_set(world, dog, shepherd);
    place(world, shepherd);
    const Position *lamb = covey_get(world, covey_find_path(world, none, "shepherd/cart/lamb"), Position);
    printf("the lamb rides to %d, %d\n", lamb->x, lamb->y);

    if (covey_parent_set(world, shepherd, cart) != COVEY_OK)
        printf("the shepherd on her own cart: %s\n", covey_result_text(covey_world_result(world)));

    puts("the cart stays behind, and what is on it");
    covey_destroy_tree(world, cart);
    show(world, shepherd);
    covey_world_destroy(world);
    return 0;
}
