// Step 5 of the tutorial: parents, children and names.
#include <covey/hierarchy.hpp>
#include <cstdio>

struct Offset {
    int x, y;
}; // from the parent, or from the corner of the meadow
struct Position {
    int x, y;
}; // in the meadow
COVEY_CPP_DEFINE(Offset);
COVEY_CPP_DEFINE(Position);

static covey::entity add(covey::world_ref world, covey::entity parent, const char *name, int x, int y) {
    covey::hierarchy family(world);
    covey::entity e = world.create_with(Offset{ x, y }, Position{ 0, 0 });
    if (!family.parent_set(e, parent) || !family.name_set(e, name)) std::puts(world.result().text());
    return e;
}

// A walk through a tree visits parents before their children, so the position of the parent is already known.
static void place(covey::world_ref world, covey::entity root) {
    covey::hierarchy family(world);
    for (covey::entity e : family.tree(root)) {
        const Offset *offset = world.get<Offset>(e);
        const Position *parent = world.get<Position>(family.parent(e));
        world.set<Position>(e, offset->x + (parent ? parent->x : 0), offset->y + (parent ? parent->y : 0));
    }
}

static void show(covey::const_world_ref world, covey::entity root) {
    covey::const_hierarchy family(world);
    for (covey::entity e : family.tree(root)) {
        const Position *p = world.get<Position>(e);
        const int indent = 2 * static_cast<int>(family.depth(e));
        char path[64];
        family.path_print(path, sizeof path, e);
        std::printf("%*s%s at %d, %d   (%s)\n", indent, "", family.name(e), p->x, p->y, path);
    }
}

int main() {
    covey::world world;
    if (!world) return 1;
    covey::hierarchy family(world);
    covey::entity shepherd = add(world, {}, "shepherd", 10, 2);
    add(world, shepherd, "lantern", 0, 1);
    covey::entity cart = add(world, shepherd, "cart", -3, 0);
    add(world, cart, "lamb", 0, 1);
    place(world, shepherd);
    show(world, shepherd);

    std::puts("the shepherd walks, and the dog joins her");
    world.get<Offset>(shepherd)->x += 5;
    covey::entity dog = add(world, {}, "dog", 2, 0);
    if (!family.parent_set(dog, shepherd)) return 1;
    place(world, shepherd);
    const Position *lamb = world.get<Position>(family.find_path({}, "shepherd/cart/lamb"));
    std::printf("the lamb rides to %d, %d\n", lamb->x, lamb->y);

    if (!family.parent_set(shepherd, cart)) std::printf("the shepherd on her own cart: %s\n", world.result().text());

    std::puts("the cart stays behind, and what is on it");
    family.destroy_tree(cart);
    show(world, shepherd);
}
