/* expect: auto does not say what is used */
#include <covey/schedule.hpp>

struct Position {
    float x, y;
};
COVEY_CPP_DEFINE(Position);

void add(covey::schedule &schedule);
void add(covey::schedule &schedule) {
#ifdef FIXED
    schedule.add("move").each([](Position &p) { p.x += 1; });
#else
    schedule.add("move").each([](auto &p) { p.x += 1; });
#endif
}
