/* expect: spans wants body\(size_t, T \*\.\.\.\) */
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
    covey::view<Position, const Velocity> view{ world };
#ifdef FIXED
    view.spans([](size_t n, Position *p, const Velocity *v) { p[n - 1].x += v->x; });
#else
    view.spans([](Position &p, const Velocity &v) { p.x += v.x; });
#endif
}
