/* expect: a component is made from arguments such that T\{ arguments... \} is one */
#include <covey/covey.hpp>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);

void use(covey::world_ref world, covey::entity e);
void use([[maybe_unused]] covey::world_ref world, [[maybe_unused]] covey::entity e) {
#ifdef FIXED
    world.add<Position>(e, 1.f, 2.f);
#else
    world.add<Position>(e, "1", 2.f);
#endif
}
