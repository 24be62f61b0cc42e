// covey/mpi.hpp: random programs compared with a list of all entities that every rank keeps, failures, and ownership.
#include <covey/mpi.hpp>

extern "C" {
#include "support.h"
}

#include <unistd.h>

#include <cmath>
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <vector>

extern bool memory_is_out; // in test_cpp_memory.cpp: new fails, or aborts, while it is set

namespace {

struct Walker {
    double x;
    int32_t number;
    uint16_t y, steps;
};
struct Mass {
    float grams;
};
struct Sick {};
struct Local {
    void *at;
    double x;
};
COVEY_CPP_DEFINE(Walker, covey::options().as_bytes().ticks());
COVEY_CPP_DEFINE(Mass, covey::options().as_bytes());
COVEY_CPP_DEFINE(Sick);
COVEY_CPP_DEFINE(Local);

constexpr double wide = 100, far_off = 8;
constexpr uint16_t high = 40;

covey_mpi_desc shares(counting *memory) {
    covey_mpi_desc desc = {};
    if (COVEY_INDEX_BITS < 16) desc.range_size = COVEY_NONE / 4;
    desc.allocator = counting_allocator(memory);
    return desc;
}

covey_world_desc silent(counting *memory) {
    covey_world_desc desc = {};
    desc.allocator = counting_allocator(memory);
    desc.log = no_log;
    return desc;
}

struct team {
    counting memory = {};
    covey::world world{ silent(&memory) };
    covey::mpi mpi = covey::mpi_of<Walker, Mass, Sick>(MPI_COMM_WORLD, world, shares(&memory));

    team() { CHECK(mpi); }
    ~team() {
        const char *why = nullptr;
        CHECK(world.validate(&why));
        mpi = covey::mpi(nullptr, nullptr);
        world = covey::world(nullptr);
        CHECK(memory.bytes == 0);
    }
};

auto boxes(const covey::mpi &mpi, covey_mpi_cuts cuts) {
    return mpi.partition<Walker>(cuts, far_off, covey::mpi_axis<&Walker::x>{ 0, wide, true },
                                 covey::mpi_axis<&Walker::y>{ 0, high });
}

// ---- Random programs -----------------------------------------------------------------------------------------------

constexpr int walkers = 60, steps = 12;

// What every rank knows about each walker.
struct known {
    double x;
    uint16_t y;
    float grams;
    bool heavy, sick;
};

int column_of(double x) { return static_cast<int>(x / wide * size); }

// The columns of ranks up to far_off away.
uint32_t columns_near(double x, int *ranks) {
    uint32_t count = 0;
    for (int r = 0; r < size; r++) {
        double low = wide * r / size, up = wide * (r + 1) / size, off = 0;
        if (x < low) off = std::min(low - x, x + wide - up);
        else if (x >= up) off = std::min(x - up, low + wide - x);
        if (off <= far_off && r != rank) ranks[count++] = r;
    }
    return count;
}

struct program {
    team t;
    random_numbers random;
    std::vector<known> all;
    covey::view<Walker, covey::without<covey_ghost>> own{ t.world };
    bool by_function, by_schedule;

    explicit program(uint64_t seed)
        : random{ seed * 977 }, all(walkers), by_function(seed % 2 != 0), by_schedule(seed % 3 != 0) {
        for (int i = 0; i < walkers; i++) {
            all[static_cast<size_t>(i)] = draw();
            const known &k = all[static_cast<size_t>(i)];
            if (i % size != rank) continue;
            covey::entity e = t.world.create_with(Walker{ k.x, i, k.y, 0 });
            if (k.heavy) t.world.add<Mass>(e, { k.grams });
            if (k.sick) t.world.add<Sick>(e);
        }
    }
    known draw() {
        known k = {};
        k.x = below(&random, 1000) / 1000.0 * wide;
        k.y = static_cast<uint16_t>(below(&random, high));
        k.grams = static_cast<float>(below(&random, 100));
        k.heavy = below(&random, 2) == 0;
        k.sick = below(&random, 3) == 0;
        return k;
    }

    // Some jump to random places, which are the same on all ranks.
    void wander() {
        for (known &k : all)
            if (below(&random, 2) == 0) k.x = draw().x;
        for (auto [e, w] : own) {
            const known &k = all[static_cast<size_t>(w.number)];
            if (w.x != k.x) t.world.set<Walker>(e, { k.x, w.number, w.y, static_cast<uint16_t>(w.steps + 1) });
        }
    }

    // Whether this rank has a ghost of a walker of another rank.
    bool sees(covey_mpi_partition *space, const known &k, int owner) const {
        double low[2], up[2], x = 0, y = 0;
        int ranks[64], here = rank;
        if (!by_function) {
            CHECK(covey_mpi_partition_box(space, rank, low, up));
            if (k.x < low[0]) x = std::min(low[0] - k.x, k.x + wide - up[0]);
            else if (k.x >= up[0]) x = std::min(k.x - up[0], low[0] + wide - k.x);
            if (k.y < low[1]) y = low[1] - k.y;
            else if (k.y >= up[1]) y = k.y - (up[1] - 1); // whole numbers: that of the last place
            return x <= far_off && y <= far_off;
        }
        rank = owner; // as it is asked
        uint32_t count = columns_near(k.x, ranks);
        rank = here;
        return std::find(ranks, ranks + count, rank) != ranks + count;
    }

    void check_places(covey_mpi_partition *space) {
        uint32_t here = 0, seen = 0;
        auto belongs = [&](const known &k) {
            const double point[] = { k.x, static_cast<double>(k.y) };
            return by_function ? column_of(k.x) : covey_mpi_partition_rank(space, point);
        };
        for (const known &k : all) here += belongs(k) == rank;
        CHECK(own.count() == here && t.mpi.owned_count() == here);
        for (auto [e, w, ghost] : covey::view<const Walker, const covey_ghost>{ t.world }) {
            const known &k = all[static_cast<size_t>(w.number)];
            CHECK(ghost.rank == belongs(k) && w.x == k.x && w.y == k.y);
            seen++;
        }
        uint32_t wanted = 0; // walkers of other ranks that are near
        for (const known &k : all) wanted += belongs(k) != rank && sees(space, k, belongs(k));
        CHECK(seen == wanted);
    }

    void check_numbers() {
        int64_t numbers = 0, sick = 0, heavy = 0;
        double lowest = wide, heaviest = -1, grams = 0;
        for (size_t i = 0; i < all.size(); i++) {
            const known &k = all[i];
            numbers += static_cast<int64_t>(i);
            sick += k.sick;
            heavy += k.heavy;
            lowest = std::min(lowest, k.x);
            if (k.heavy) grams += static_cast<double>(k.grams), heaviest = std::max(heaviest, double(k.grams));
        }
        auto number = [](const Walker &w) { return w.number; };
        CHECK(t.mpi.sum<Walker>(number) == numbers);
        CHECK(t.mpi.min<Walker>(number) == 0 && t.mpi.max<Walker>(number) == walkers - 1);
        CHECK(t.mpi.min<Walker>([](const Walker &w) { return w.x; }) == lowest);
        CHECK((t.mpi.sum<Walker, Mass>([](const Walker &, const Mass &m) { return m.grams; }) == grams));
        CHECK(t.mpi.max<Mass>([&](covey::entity e, const Mass &m) { return t.mpi.owns(e) ? m.grams : 1e6f; }) ==
              (heavy ? heaviest : -std::numeric_limits<double>::infinity()));
        CHECK(t.mpi.sum<Walker>([&](covey::entity e, const Walker &) { return t.world.has<Sick>(e); }) == sick);
        CHECK(t.mpi.count(covey::view<const Sick>{ t.world }) == static_cast<uint64_t>(sick));
        CHECK((t.mpi.count(covey::view<const Walker, const Mass>{ t.world }) == static_cast<uint64_t>(heavy)));
    }
};

void test_random_programs() {
    for (uint64_t seed = 1; seed <= 6; seed++) {
        program p(seed);
        auto place = [](const Walker &w) { return column_of(w.x); };
        auto near = [](int *ranks, const Walker &w) { return columns_near(w.x, ranks); };
        covey::mpi_partition space = p.by_function
                                         ? p.t.mpi.partition<Walker>(place)
                                         : boxes(p.t.mpi, seed % 4 == 0 ? COVEY_MPI_GRID : COVEY_MPI_BISECTION);
        CHECK(space);
        CHECK((p.by_function ? p.t.mpi.ghosts_define<Walker>(near) : p.t.mpi.ghosts_define<Walker>(space)) == COVEY_OK);
        covey::schedule schedule(p.t.world, 2);
        int64_t sum = 0;
        bool wandered = false;
        covey_system later = {};
        later.after[0] = "exchange";
        CHECK(schedule.add("wander").exclusive().run([&] { p.wander(), wandered = true; }) == COVEY_OK);
        CHECK(p.t.mpi.add_migration(schedule, "exchange", space) == COVEY_OK);
        CHECK(p.t.mpi.add_refresh(schedule, "ghosts", later) == COVEY_OK);
        CHECK(p.t.mpi.add(schedule, "sum").after("ghosts").reads<Walker>().when([&] { return wandered; }).run([&] {
            sum = p.t.mpi.sum<Walker>([](const Walker &w) { return w.number; }).value_or(-1);
        }) == COVEY_OK);
        for (int i = 0; i < steps; i++) {
            sum = walkers * (walkers - 1) / 2;
            if (p.by_schedule) {
                sum = wandered = false;
                CHECK(schedule.run() == COVEY_OK);
            } else {
                p.wander();
                CHECK(space.migrate() && p.t.mpi.ghosts_refresh());
            }
            CHECK(sum == walkers * (walkers - 1) / 2);
            p.check_places(space);
            p.check_numbers();
        }
    }
}

// ---- One by one ----------------------------------------------------------------------------------------------------

void test_numbers_of_ranks() {
    team t;
    CHECK(t.mpi.sum(rank) == size * (size - 1) / 2 && t.mpi.max(int64_t(rank) - 7) == size - 8);
    CHECK(t.mpi.min(static_cast<float>(rank)) == 0.0 && t.mpi.max(static_cast<uint8_t>(200 + rank)) == 199 + size);
    CHECK(t.mpi.sum(rank == 0) == 1);
    auto number = [](const Walker &w) { return w.number; };
    auto x = [](const Walker &w) { return w.x; };
    CHECK(t.mpi.sum<Walker>(number) == 0 && t.mpi.min<Walker>(number) == INT64_MAX);
    CHECK(t.mpi.max<Walker>(number) == INT64_MIN && t.mpi.min<Walker>(x) == std::numeric_limits<double>::infinity());
    static_assert(std::is_same_v<decltype(t.mpi.sum(true)), std::optional<int64_t>>);
    static_assert(std::is_same_v<decltype(t.mpi.sum<Walker>(x)), std::optional<double>>);
}

void test_digests_do_not_depend_on_ranks() {
    uint64_t digests[2] = {};
    for (bool spread : { false, true }) {
        team t;
        std::vector<covey::entity> made;
        std::vector<int> to;
        for (int i = 0; i < 20; i++) {
            if (i % size != rank) continue;
            made.push_back(t.world.create_with(Walker{ i * 0.5, i, 0, 0 }));
            to.push_back(i * 7 % size);
        }
        if (spread) CHECK(t.mpi.migrate(made.data(), to.data(), static_cast<uint32_t>(made.size())));
        digests[spread] = t.mpi.digest<Walker>().value_or(spread);
        CHECK(t.mpi.digest<Local>() == std::nullopt && t.mpi.report().result == COVEY_ERROR_TYPE);
    }
    CHECK(digests[0] == digests[1]);
}

#if defined(__cpp_lib_span)
void test_lists() {
    team t;
    std::vector<covey::entity> made(6);
    std::vector<int> to;
    CHECK(t.world.create_many_with(made, Mass{ 1 }));
    for (size_t i = 0; i < made.size(); i++) to.push_back(static_cast<int>(i) % size);
    uint32_t home = t.mpi.owned_count();
    std::vector<int> short_list(to.begin(), to.end() - (rank == size - 1));
    CHECK(t.mpi.migrate(made, short_list) == COVEY_ERROR_RANGE); // fails on all ranks because of one
    std::vector<covey::entity> none;
    CHECK(t.mpi.migrate(rank == 0 ? none : made, to) != COVEY_OK);
    CHECK(t.mpi.owned_count() == home && t.mpi.count(covey::view<const Mass>{ t.world }) == 6u * unsigned(size));
    CHECK(t.mpi.migrate(made, to) == COVEY_OK);
    uint32_t stay = 0;
    for (size_t i = 0; i < made.size(); i++) stay += static_cast<int>(i) % size == rank;
    CHECK(t.mpi.owned_count() == stay * static_cast<uint32_t>(size));
    CHECK(t.mpi.migrate(none, {}) == COVEY_OK);
}
#endif

// The calls that are those of C: after one walker has left each rank and was destroyed elsewhere.
void test_calls_of_c() {
    team t;
    covey::entity e = t.world.create_with(Mass{ 1 });
    const int next = (rank + 1) % size;
    CHECK(t.mpi.home(e) == rank && t.mpi.owns(e) && t.mpi.range_reserve().count != 0);
    CHECK(t.mpi.migrate(&e, &next, 1) && t.mpi.owned_count() == 1);
    t.world.destroy(covey::view<const Mass>{ t.world }.first());
    CHECK(t.world.alive(e) == (size > 1));
    CHECK(t.mpi.targets_end() && t.mpi.reclaim() && !t.world.alive(e));
    CHECK(t.mpi.stats().exchanges != 0);
    auto all = [](const Walker &, int *ranks) {
        for (int r = 0; r < size; r++) ranks[r] = r;
        return size;
    };
    CHECK(t.mpi.ghosts_define<Walker>(all));
    t.world.create_with(Walker{});
    CHECK(t.mpi.ghosts_refresh_all() && covey::view<covey_ghost>{ t.world }.count() == static_cast<uint32_t>(size - 1));
}

void test_owners_move() {
    team t;
    covey_mpi *kept = t.mpi;
    covey::mpi other = std::move(t.mpi);
    CHECK(!t.mpi && other == kept);
    t.mpi = std::move(other);
    CHECK(!other && t.mpi == kept && t.mpi.size() == size);
    covey::mpi later(nullptr, nullptr);
    later = std::move(t.mpi);
    t.world.create_with(Mass{ 1 });
    CHECK(later.sum<Mass>([](const Mass &) { return 1; }) == size); // knows its world
    t.mpi = covey::mpi(std::move(later));
    CHECK(t.mpi.sum<Mass>([](const Mass &) { return 1; }) == size);
    covey::mpi_partition space = boxes(t.mpi, COVEY_MPI_GRID), moved = std::move(space);
    CHECK(!space && moved);
    space = std::move(moved);
    CHECK(space && !moved);
    space = boxes(t.mpi, COVEY_MPI_BISECTION);
    CHECK(space.balance(1, -1));
    static_assert(!std::is_copy_constructible_v<covey::mpi> && !std::is_copy_constructible_v<covey::mpi_partition>);
    covey_mpi_partition *released = space.release();
    CHECK(released && !space);
    covey_mpi_partition_destroy(released);
    covey_mpi_destroy(t.mpi.release());
    CHECK(!t.mpi);
}

struct Left {
    int64_t a;
};
struct Right {
    int8_t skipped;
    uint8_t b;
};
struct Both : Left, Right {};
COVEY_CPP_DEFINE(Both, covey::options().as_bytes());

// The offset of a member of a second base is that in the derived class.
void test_axes_are_members() {
    counting memory = {};
    covey::world world(silent(&memory));
    covey::mpi mpi = covey::mpi_of<Both>(MPI_COMM_WORLD, world, shares(&memory));
    covey::mpi_partition space =
        mpi.partition<Both>(COVEY_MPI_BISECTION, 0, covey::mpi_axis<&Both::b>{ 0, 200, false, 10 });
    CHECK(space);
    for (uint8_t i = 0; i < 40; i++) {
        Both value = {};
        value.a = -1;
        value.skipped = 77;
        value.b = static_cast<uint8_t>(i * 5);
        if (i % size == rank) world.create_with(value);
    }
    CHECK(space.migrate());
    double low[1], up[1];
    CHECK(space.box(rank, low, up) && std::abs(up[0] - low[0] - 200.0 / size) < 10);
    for (auto [e, value] : covey::view<const Both>{ world }) CHECK(value.b >= low[0] && value.b < up[0]);
    CHECK(mpi.count(covey::view<const Both>{ world }) == 40u);
}

void test_what_is_refused_is_told() {
    counting memory = {};
    covey::world world(silent(&memory));
    covey_report report = {};
    CHECK((!covey::mpi_of<Walker, Local>(MPI_COMM_WORLD, world, shares(&memory), &report)));
    CHECK(report.result == COVEY_ERROR_TYPE && std::strstr(report.text, "Local"));
    team t;
    CHECK(!t.mpi.partition<Local>(COVEY_MPI_GRID, 1, covey::mpi_axis<&Local::x>{ 0, 1 }));
    CHECK(t.mpi.report().result == COVEY_ERROR_TYPE);
    auto wrong = [](const Walker &, int *ranks) { return ranks[0] = size, 1; };
    t.world.create_with(Walker{});
    CHECK(t.mpi.ghosts_define<Walker>(wrong) == COVEY_OK && t.mpi.ghosts_refresh() == COVEY_ERROR_RANGE);
    covey::schedule schedule(t.world, 1);
    CHECK(t.mpi.add_refresh(schedule, nullptr) == COVEY_ERROR_TYPE);
}

// ---- Checkpoints ---------------------------------------------------------------------------------------------------

struct checkpoint {
    char path[64];

    checkpoint() {
        int process = static_cast<int>(getpid());
        MPI_Bcast(&process, 1, MPI_INT, 0, MPI_COMM_WORLD);
        std::snprintf(path, sizeof path, "mpi_cpp_%d", process);
    }
    ~checkpoint() {
        char image[128];
        MPI_Barrier(MPI_COMM_WORLD);
        std::snprintf(image, sizeof image, "%s.1.%d", path, rank);
        CHECK(std::remove(image) == 0);
        if (rank == 0) CHECK(std::remove(path) == 0);
    }
};

void save_some(const char *path) {
    team t;
    for (int i = 0; i < 30; i++)
        if (i % size == rank) {
            covey::entity e = t.world.create_with(Walker{ i * 3.0, i, static_cast<uint16_t>(i), 0 });
            if (i % 2) t.world.add<Mass>(e, { static_cast<float>(i) });
        }
    CHECK(t.mpi.save(path));
}

void test_checkpoints_are_placed() {
    checkpoint saved;
    save_some(saved.path);
    {
        team t; // entities without a mass are on the last rank
        CHECK(t.mpi.load(saved.path, [](covey::const_world_ref in, covey::entity e, const Mass *m) {
            CHECK(in.has<Walker>(e));
            return m ? 0 : size - 1;
        }) == COVEY_OK);
        CHECK(t.mpi.owned_count() == (rank == 0 ? 15u : 0u) + (rank == size - 1 ? 15u : 0u));
    }
    {
        team t;
        CHECK(t.mpi.load(saved.path) && t.mpi.count(covey::view<const Walker>{ t.world }) == 30u);
    }
    team t;
    covey::mpi_partition space = boxes(t.mpi, COVEY_MPI_BISECTION);
    CHECK(t.mpi.load(saved.path, space) == COVEY_OK);
    for (auto [e, w] : covey::view<const Walker>{ t.world }) {
        CHECK(space.rank(w.x, w.y) == rank && t.mpi.rank() == rank && t.mpi.home(e) >= 0);
    }
    CHECK(t.mpi.count(covey::view<const Walker>{ t.world }) == 30u);
}

// ---- Memory --------------------------------------------------------------------------------------------------------

struct Counted {
    static int living;
    Counted() { living++; }
    Counted(const Counted &) { living++; }
    ~Counted() { living--; }
};
int Counted::living = 0;

// Everything in the header, with a body whose copies must all be destroyed.
bool do_all(counting *memory, const char *path) {
    covey_report report = {};
    covey::world world(silent(memory));
    if (!over_all(bool(world), MPI_MIN)) return false;
    covey::mpi mpi = covey::mpi_of<Walker, Mass, Sick>(MPI_COMM_WORLD, world, shares(memory), &report);
    CHECK(!mpi == (report.result != COVEY_OK));
    if (!mpi) return false;
    auto place = [](const Walker &w) { return column_of(w.x); };
    auto near = [](const Walker &w, int *ranks) { return columns_near(w.x, ranks); };
    covey::mpi_partition space = boxes(mpi, COVEY_MPI_BISECTION);
    if (!space) return CHECK(covey_mpi_report(mpi)->result == COVEY_ERROR_MEMORY), false;
    covey::mpi_partition columns = mpi.partition<Walker>(place);
    if (!columns) return CHECK(covey_mpi_report(mpi)->result == COVEY_ERROR_MEMORY), false;
    if (mpi.load(path, space) != COVEY_OK) return CHECK(covey_mpi_owned_count(mpi) == 0), false;
    if (covey_mpi_partition_migrate(columns) != COVEY_OK) return CHECK(covey_mpi_owned_count(mpi) != 0), false;
    if (mpi.ghosts_define<Walker>(near) != COVEY_OK || covey_mpi_ghosts_refresh(mpi) != COVEY_OK)
        return CHECK(covey_mpi_report(mpi)->result == COVEY_ERROR_MEMORY), false;
    if (mpi.sum<Walker>([](const Walker &w) { return w.x; }) != 29 * 30 / 2 * 3.0)
        return CHECK(covey_mpi_report(mpi)->result == COVEY_ERROR_MEMORY), false;
    covey::schedule schedule(world, 1);
    Counted counted;
    bool added = schedule && mpi.add_migration(schedule, "exchange", columns) == COVEY_OK &&
                 mpi.add_refresh(schedule, "ghosts") == COVEY_OK &&
                 mpi.add(schedule, "count").run([counted, &mpi] { mpi.sum(1); }) == COVEY_OK;
    if (!over_all(added, MPI_MIN)) return false;
    memory->fail_at = 0; // a run that fails on one rank leaves the others waiting
    return schedule.run() == COVEY_OK;
}

void test_each_allocation_fails_in_turn() {
    checkpoint saved;
    save_some(saved.path);
    for (int failing = 0; failing < size; failing++)
        for (uint64_t n = 1, done = 0; !done; n += size < 3 ? 1 : 7) {
            counting memory = {};
            memory.fail_at = rank == failing ? n : 0;
            done = do_all(&memory, saved.path);
            CHECK(memory.bytes == 0 && Counted::living == 0);
            done = over_all(done && (rank != failing || memory.calls < n), MPI_MIN) != 0;
        }
}

// new is for bodies of systems only.
void test_nothing_is_allocated_with_new() {
    team t;
    auto near = [](const Walker &w, int *ranks) { return columns_near(w.x, ranks); };
    covey::schedule schedule(t.world, 1);
    Counted counted;
    memory_is_out = true;
    {
        covey::mpi_partition space = boxes(t.mpi, COVEY_MPI_GRID);
        CHECK(t.mpi.ghosts_define<Walker>(near) == COVEY_OK && t.mpi.ghosts_refresh() == COVEY_OK);
        CHECK(t.mpi.sum(1.5) == 1.5 * size && t.mpi.digest<Walker>() == 0u);
        CHECK(t.mpi.add(schedule, "count").run([counted] {}) == COVEY_ERROR_MEMORY);
    }
    memory_is_out = false;
    CHECK(Counted::living == 1 && t.mpi.add(schedule, "count").run([counted] {}) == COVEY_OK);
    CHECK(Counted::living == 2 && t.mpi.add(schedule, "count").run([counted] {}) == COVEY_ERROR_PRESENT);
    CHECK(Counted::living == 2);
    CHECK(schedule.system_remove("count") && Counted::living == 1);
}

// Lives longer than MPI.
std::unique_ptr<team> last;

void begin_the_last() {
    last = std::make_unique<team>();
    CHECK(last->mpi.sum(1) == size);
}

} // namespace

int main(int argc, char **argv) {
    const test tests[] = {
        { "random_programs", test_random_programs },
        { "numbers_of_ranks", test_numbers_of_ranks },
        { "digests_do_not_depend_on_ranks", test_digests_do_not_depend_on_ranks },
#if defined(__cpp_lib_span)
        { "lists", test_lists },
#endif
        { "calls_of_c", test_calls_of_c },
        { "owners_move", test_owners_move },
        { "axes_are_members", test_axes_are_members },
        { "what_is_refused_is_told", test_what_is_refused_is_told },
        { "checkpoints_are_placed", test_checkpoints_are_placed },
        { "each_allocation_fails_in_turn", test_each_allocation_fails_in_turn },
        { "nothing_is_allocated_with_new", test_nothing_is_allocated_with_new },
        { "what_outlives_mpi_is_freed", begin_the_last },
    };
    int status = RUN_TESTS(argc, argv, tests);
    last.reset();
    return status;
}
