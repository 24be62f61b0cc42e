/* expect: make the type a component first */
#include <covey/schedule.hpp>

struct Position {
    float x, y;
};
#ifdef FIXED
COVEY_CPP_DEFINE(Position);
#endif

void add(covey::schedule &schedule);
void add(covey::schedule &schedule) {
    schedule.add("move").each([](Position &p) { p.x += 1; });
}
