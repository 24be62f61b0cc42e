// Step 8 of the tutorial: saving and loading, and going back in time.
#include <covey/fields.h>
#include <covey/history.hpp>
#include <covey/image.hpp>
#include <cstdio>
#include <cstring>

constexpr int width = 24, frames = 6;

struct Sheep {
    int32_t x, speed;
};
struct Wolf {
    int32_t x;
    covey::entity prey; // handles are fields, too: they name the same entity after loading
};
COVEY_FIELDS_DEFINE(Sheep, i32(x), i32(speed));
COVEY_FIELDS_DEFINE(Wolf, i32(x), entity(prey));
COVEY_CPP_DEFINE(Sheep, covey::options().fields(&covey_fields_Sheep));
COVEY_CPP_DEFINE(Wolf, covey::options().fields(&covey_fields_Wolf));

// The whistle frightens all sheep, which turn round.
static void step(covey::world_ref world, bool whistle) {
    world.view<Sheep>().each([whistle](Sheep &sheep) {
        if (whistle) sheep.speed = -sheep.speed;
        sheep.x = (sheep.x + sheep.speed + width) % width;
    });
    Wolf *wolf = world.get<Wolf>(world.first<Wolf>());
    wolf->x += world.get<Sheep>(wolf->prey)->x < wolf->x ? -1 : 1;
}

static void show(covey::const_world_ref world, const char *when) {
    char meadow[width];
    std::memset(meadow, '.', sizeof meadow);
    for (auto [e, sheep] : world.view<Sheep>()) meadow[sheep.x] = 's';
    for (auto [e, wolf] : world.view<Wolf>()) meadow[wolf.x] = 'W';
    std::printf("%.*s  %s\n", width, meadow, when);
}

int main() {
    covey::world world, fresh;
    if (!world || !fresh) return 1;
    covey::entity prey = world.create_with(Sheep{ 4, 1 });
    world.create_with(Sheep{ 9, 2 });
    world.create_with(Wolf{ 20, prey });
    show(world, "at the beginning");

    // Saves a snapshot before each step, in memory, so that a late whistle can be replayed at its own step.
    covey::history history(world, frames);
    for (int frame = 0; frame < frames; frame++) {
        if (!history.save()) return 1;
        step(world, false);
    }
    show(world, "six steps later");
    if (!history.restore(3)) return 1;
    show(world, "four steps back");
    for (int frame = 2; frame < frames; frame++) step(world, frame == 2);
    show(world, "again, with a whistle");

    // A file has the whole world, handles included, and says what is wrong if it does not fit.
    covey_report report;
    if (!covey::save_to_file(world, "meadow.covey", {}, &report)) return std::puts(report.text), 1;
    covey_load_desc desc = {};
    desc.types = covey::type_list<Sheep, Wolf>;
    if (!covey::load_from_file(fresh, "meadow.covey", desc, &report)) return std::puts(report.text), 1;
    std::remove("meadow.covey");
    step(fresh, false);
    show(fresh, "loaded, and one step more");
}
