/* expect: a listener is \(entity, T &\), \(entity\), either after a world_ref, or \(const covey_event &\) */
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
    auto listen = [](covey::entity, Position &) {};
    auto kept = world.on<Position>().connect(COVEY_ON_ADD, listen);
#else
    auto listen = [](covey::entity, Velocity &) {};
    auto kept = world.on<Position>().connect(COVEY_ON_ADD, listen);
#endif
}
