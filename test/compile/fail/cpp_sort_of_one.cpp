/* expect: sort wants bool less\(const T &, const T &\) */
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
    covey::pool_of<Position>(world).sort([](const Position &a, const Position &b) { return a.x < b.x; });
#else
    covey::pool_of<Position>(world).sort([](const Position &a) { return a.x < 1; });
#endif
}
