/* expect: remove_if wants bool remove\(entity, const T &\) */
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
    world.remove_if<Position>([](covey::entity, const Position &p) { return p.x > 1; });
#else
    world.remove_if<Position>([](const Position &p) { return p.x > 1; });
#endif
}
