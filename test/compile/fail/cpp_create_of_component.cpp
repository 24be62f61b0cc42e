/* expect: entities are created and destroyed: world\.on\(\) */
#include <covey/covey.hpp>

struct Position {
    float x, y;
};
struct Frozen {};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Frozen);

void use(covey::world_ref world, covey::entity e);
void use([[maybe_unused]] covey::world_ref world, [[maybe_unused]] covey::entity e) {
#ifdef FIXED
    auto made = world.on().created([](covey::entity) {});
#else
    auto made = world.on<Position>().created([](covey::entity) {});
#endif
}
