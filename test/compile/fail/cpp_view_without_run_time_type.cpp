/* expect: and of a const covey_type \* for each of its runtime<T> */
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
    covey::view<covey::runtime<float>> view{ world, world.type_find("Mana") };
    view.count();
#else
    covey::view<covey::runtime<float>> view{ world };
    view.count();
#endif
}
