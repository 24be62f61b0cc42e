/* expect: a listener is \(covey_entity, T &\), \(covey_entity\) or \(const covey_event &\) */
#include <covey/covey.hpp>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);

void use(covey_world *world, covey_entity e);
void use([[maybe_unused]] covey_world *world, [[maybe_unused]] covey_entity e) {
#ifdef FIXED
    auto listen = [](covey_entity, Position &) {};
    auto kept = covey::connect<Position>(world, COVEY_ON_ADD, listen);
#else
    auto listen = [](covey_entity, Velocity &) {};
    auto kept = covey::connect<Position>(world, COVEY_ON_ADD, listen);
#endif
}
