/* expect: read-only object|const-qualified type */
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
    for (auto [i, p, v] : view) p.x = v.x;
#else
    for (auto [i, p, v] : view) v.x = p.x;
#endif
}
