/* expect: the values would have to be forgotten without a destructor */
#include <covey/covey.hpp>
#include <string>

#ifdef FIXED
using Text = const char *;
#else
using Text = std::string;
#endif
struct Name {
    Text text;
};
COVEY_CPP_DEFINE(Name);

bool use(covey::world_ref world, covey::entity *made, const Name *names);
bool use(covey::world_ref world, covey::entity *made, const Name *names) {
    return world.create_many_with(made, 3, covey::array(names));
}
