/* expect: a view of a const world only reads: view<covey::reading, T\.\.\.> */
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
    const covey_world *reader = world;
#ifdef FIXED
    covey::view<covey::reading, Position> view{ reader };
    view.count();
#else
    covey::view<Position> view{ reader };
    view.count();
#endif
}
