/* expect: spans gets arrays */
#include <covey/schedule.hpp>

struct Position {
    float x, y;
};
COVEY_CPP_DEFINE(Position);

void add(covey::schedule &schedule);
void add(covey::schedule &schedule) {
#ifdef FIXED
    schedule.add("move").spans([](size_t, Position *p) { p->x += 1; });
#else
    schedule.add("move").spans([](size_t, Position &p) { p.x += 1; });
#endif
}
