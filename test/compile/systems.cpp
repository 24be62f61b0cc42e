#include <covey/schedule.hpp>

#include "position.h"

COVEY_CPP_COMPONENT(Position);

int main() {
    covey::world world;
    covey_entity e = covey_create(world);
    covey::add<Position>(world, e, { 1, 2 });
    covey::schedule schedule(world, 2);
    float by = 3;
    schedule.add("each").split().each([by](Position &p) { p.x += by; });
    schedule.add("spans").spans([](size_t n, Position *p) {
        for (size_t i = 0; i < n; i++) p[i].x += 4;
    });
    schedule.add("run").reads<Position>().run([](covey_job &job) { return job.result; });
    schedule.add("rows").exclusive().each([&](covey_entity each, const Position &p) {
        if (p.x > 7) covey_destroy(world, each);
    });
    return schedule.run() == COVEY_OK && !covey_alive(world, e) ? 0 : 1;
}
