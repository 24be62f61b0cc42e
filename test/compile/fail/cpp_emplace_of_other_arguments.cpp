/* expect: wants arguments such that T\{ arguments */
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
    covey::emplace<Position>(world, e, 1.f, 2.f);
#else
    covey::emplace<Position>(world, e, "1", 2.f);
#endif
}
