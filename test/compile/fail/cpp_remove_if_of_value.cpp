/* expect: remove_if wants bool remove\(covey_entity, const T &\) */
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
    covey::remove_if<Position>(world, [](covey_entity, const Position &p) { return p.x > 1; });
#else
    covey::remove_if<Position>(world, [](const Position &p) { return p.x > 1; });
#endif
}
