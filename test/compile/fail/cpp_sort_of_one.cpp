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

void use(covey::world_ref world, covey::entity e);
void use([[maybe_unused]] covey::world_ref world, [[maybe_unused]] covey::entity e) {
#ifdef FIXED
    (void)world.pool<Position>().sort([](const Position &a, const Position &b) { return a.x < b.x; });
#else
    (void)world.pool<Position>().sort([](const Position &a) { return a.x < 1; });
#endif
}
