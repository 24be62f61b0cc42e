/* expect: each wants body\(T &\.\.\.\) or body\(entity, T &\.\.\.\) */
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
    view.each([](Position &p, const Velocity &v) { p.x += v.x; });
#else
    view.each([](Position &p, Position &v) { p.x += v.x; });
#endif
}
