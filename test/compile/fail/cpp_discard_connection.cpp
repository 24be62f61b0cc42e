/* expect: nodiscard */
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
    (void)world.on<Position>().added([](covey::entity) {});
#else
    world.on<Position>().added([](covey::entity) {});
#endif
}
