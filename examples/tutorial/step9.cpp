// Step 9 of the tutorial: who hunts whom, and which sheep are in a part of the meadow.
#include <covey/lookup.hpp>
#include <cstdio>
#include <cstring>

constexpr int width = 24;

struct Sheep {
    int32_t x;
};
struct Wolf {
    int32_t x;
};
struct Hunts {
    covey::entity prey; // a relation: the wolf is the source, the sheep is the target
};
COVEY_FIELDS_DEFINE(Sheep, i32(x));
COVEY_FIELDS_DEFINE(Hunts, entity(prey));
COVEY_CPP_DEFINE(Sheep, covey::options().fields(&covey_fields_Sheep).ticks());
COVEY_CPP_DEFINE(Hunts, covey::options().fields(&covey_fields_Hunts).ticks());
COVEY_CPP_DEFINE(Wolf);

static void choose_prey(covey::world_ref world, const covey::ordered_lookup<&Sheep::x> &flock) {
    for (auto [e, wolf] : world.view<const Wolf>().without<Hunts>()) {
        // The first sheep to the right of the wolf; if there is none, the last one of the meadow.
        covey::entity prey = flock.last();
        for (covey::entity right : flock.from(wolf.x)) {
            prey = right;
            break;
        }
        if (!covey_is_null(prey)) world.add<Hunts>(e, prey);
    }
}

// Wolves take two steps, and eat the sheep that they reach.
static void hunt(covey::world_ref world) {
    covey::entity caught[3];
    uint32_t count = 0;
    for (auto [e, wolf, hunts] : world.view<Wolf, const Hunts>()) {
        const Sheep *sheep = world.get<Sheep>(hunts.prey);
        for (int steps = 0; steps < 2; steps++) wolf.x += (wolf.x < sheep->x) - (wolf.x > sheep->x);
        if (wolf.x == sheep->x) caught[count++] = hunts.prey;
    }
    // The other hunters of a sheep lose their component Hunts, so this must not happen inside of the loop.
    world.destroy_many(caught, count);
}

// Prints how many wolves hunt each sheep.
static void show(covey::const_world_ref world, const covey::ordered_lookup<&Sheep::x> &flock,
                 const covey::lookup<&Hunts::prey> &hunters) {
    char meadow[width];
    std::memset(meadow, '.', sizeof meadow);
    for (covey::entity sheep : flock.all())
        meadow[world.get<Sheep>(sheep)->x] = static_cast<char>('0' + hunters.count(sheep));
    for (auto [e, wolf] : world.view<Wolf>()) meadow[wolf.x] = 'W';
    std::printf("%.*s\n", width, meadow);
}

int main() {
    covey::world world;
    if (!world) return 1;
    for (int x : { 3, 9, 10, 21 }) world.create_with(Sheep{ x });
    for (int x : { 0, 6, 14 }) world.create_with(Wolf{ x });

    covey::ordered_lookup<&Sheep::x> flock{ world };
    covey::lookup<&Hunts::prey> hunters{ world, COVEY_TARGET_REMOVE };
    if (!flock || !hunters) return 1;
    for (int day = 0; day < 5; day++) {
        choose_prey(world, flock);
        show(world, flock, hunters);
        hunt(world);
    }
}
