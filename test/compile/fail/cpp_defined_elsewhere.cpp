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

void use(covey::world_ref world, covey::entity e);
void use(covey::world_ref world, covey::entity e) { world.add<game::Position>(e, { 1, 2 }); }
