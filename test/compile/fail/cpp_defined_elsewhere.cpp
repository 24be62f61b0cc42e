/* expect: in its own namespace or outside of all */
#include <covey/covey.hpp>

namespace game {
struct Position {
    float x, y;
};
#ifdef FIXED
COVEY_CPP_DEFINE(Position);
#endif
} // namespace game
#ifndef FIXED
namespace other {
COVEY_CPP_DEFINE(game::Position);
}
#endif

void use(covey_world *world, covey_entity e);
void use(covey_world *world, covey_entity e) { covey::add<game::Position>(world, e, { 1, 2 }); }
