/* expect: patch wants change\(T &\) */
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
    covey::patch<Position>(world, e, [](Position &p) { p.x = 1; });
#else
    covey::patch<Position>(world, e, [](Position *p) { p->x = 1; });
#endif
}
