/* expect: only an entity field has targets */
#include <covey/lookup.hpp>

struct OwnedBy {
    covey::entity owner;
    int32_t since;
};
COVEY_FIELDS_DEFINE(OwnedBy, entity(owner), i32(since));
COVEY_CPP_DEFINE(OwnedBy, covey::options().ticks().fields(&covey_fields_OwnedBy));

covey::search below(covey::world_ref world, covey::entity e);

covey::search below(covey::world_ref world, covey::entity e) {
#ifdef FIXED
    return covey::lookup<&OwnedBy::owner>(world).find_below(e);
#else
    return covey::lookup<&OwnedBy::since>(world).find_below(e);
#endif
}
