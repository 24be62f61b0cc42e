/* expect: find_if wants bool wanted\(const T &\) */
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
    covey::find_if<Position>(world, [](const Position &p) { return p.x > 1; });
#else
    covey::find_if<Position>(world, [](covey_entity, const Position &p) { return p.x > 1; });
#endif
}
