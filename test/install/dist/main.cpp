// A program in C++ with covey.h, linked with covey.c, which is C.
#include "covey.h"

#include <cstdio>

struct Position {
    float x, y;
};

static covey_type describe() {
    covey_type type{};
    type.name = "Position";
    type.size = sizeof(Position);
    type.align = alignof(Position);
    return type;
}

int main() {
    const covey_type type = describe();
    covey_world *world = covey_world_create(nullptr);
    covey_entity e = covey_create(world);
    Position position{ 1, 2 };
    covey_add_raw(world, e, &type, &position);
    auto *found = static_cast<const Position *>(covey_get_raw(world, e, &type));
    bool ok = covey_version() == COVEY_VERSION && found && found->y == 2;
    covey_schedule *schedule = covey_schedule_create(world, nullptr);
    ok = ok && covey_schedule_run(schedule) == COVEY_OK;
    covey_schedule_destroy(schedule);
    covey_world_destroy(world);
    std::printf("covey %u in C++: %s\n", static_cast<unsigned>(covey_version()), ok ? "ok" : "wrong");
    return ok ? 0 : 1;
}
