/* expect: the group has no field of this type */
#include <covey/schedule.hpp>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);

void add(covey::schedule &schedule, covey::group<Position> members);
void add(covey::schedule &schedule, covey::group<Position> members) {
#ifdef FIXED
    schedule.add("move").group(members).each([](Position &p) { p.x += 1; });
#else
    schedule.add("move").group(members).each([](Velocity &v) { v.x += 1; });
#endif
}
