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

void use(covey_world *world, covey_entity e);
void use([[maybe_unused]] covey_world *world, [[maybe_unused]] covey_entity e) {
#ifdef FIXED
    covey::view<covey::runtime<float>> view{ world, covey_type_find(world, "Mana") };
    view.count();
#else
    covey::view<covey::runtime<float>> view{ world };
    view.count();
#endif
}
