// Systems of C++: what their parameters declare, what they are called with, and when they end.
#include <covey/schedule.hpp>

#include "cpp_check.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <thread>

extern bool memory_is_out; // in test_cpp_memory.cpp

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Mass {
    float kg;
};
struct Rank { // sparse
    int number;
};
struct Seen { // what a system was called with
    covey::entity who;
    uint32_t times;
};
struct Frozen {};
struct Clock {
    double now;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Mass);
COVEY_CPP_DEFINE(Rank, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Seen);
COVEY_CPP_DEFINE(Frozen);
COVEY_CPP_DEFINE(Clock);

static constexpr uint32_t COUNT = COVEY_INDEX_BITS > 12 ? 1000 : 200;

// Entities by number: all have a position and a velocity, some the others.
struct Herd {
    covey::world world;
    covey::entity all[COUNT];

    Herd() {
        for (uint32_t i = 0; i < COUNT; i++) {
            all[i] = world.create();
            CHECK(world.add<Position>(all[i], { static_cast<float>(i), 0 }));
            CHECK(world.add<Velocity>(all[i], { 1, 2 }));
            CHECK(world.add<Seen>(all[i], {}));
            if (i % 2 == 0) CHECK(world.add<Mass>(all[i], { 3 }));
            if (i % 3 == 0) CHECK(world.add<Frozen>(all[i]));
            if (i % 5 == 0) CHECK(world.add<Rank>(all[i], { static_cast<int>(i) }));
        }
    }
    ~Herd() {
        const char *why = "";
        if (!world.validate(&why)) std::printf("%s\n", why), std::exit(1);
    }
    float x(uint32_t i) const { return world.get<Position>(all[i])->x; }
    float y(uint32_t i) const { return world.get<Position>(all[i])->y; }
    uint32_t times(uint32_t i) const { return world.get<Seen>(all[i])->times; }
};

static bool is_near(float a, float b) { return a - b < 1e-3f && b - a < 1e-3f; }

static std::string plan_of(const covey_schedule *schedule) {
    std::string text;
    covey_schedule_print_plan(
        schedule, [](const char *more, void *context) { *static_cast<std::string *>(context) += more; }, &text);
    return text;
}

static bool has_line(const std::string &text, const char *line) {
    return ("\n" + text).find("\n    " + std::string(line) + "\n") != std::string::npos;
}

static void parameters_are_fields() {
    Herd herd;
    covey::schedule schedule(herd.world, 3);
    float dt = 0.5f;
    CHECK(schedule.add("move").split(64).each([dt](Position &p, const Velocity &v) {
        p.x += v.x * dt;
        p.y += v.y * dt;
    }) == COVEY_OK);
    CHECK(schedule.run() == COVEY_OK && schedule.run() == COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) CHECK(is_near(herd.x(i), static_cast<float>(i) + 1) && is_near(herd.y(i), 2));
}

static void optional_fields_tags_and_the_entity() {
    Herd herd;
    covey::schedule schedule(herd.world, 2);
    auto see = [](const Mass *mass, covey::entity e, Frozen, Seen &seen, Velocity *v, Position p) {
        if (mass) seen.times += static_cast<uint32_t>(mass->kg);
        if (v && p.x >= 0) seen.who = e;
    };
    CHECK(schedule.add("see").split(64).each(see) == COVEY_OK);
    CHECK(has_line(plan_of(schedule), "see  split  writes Seen, Velocity  reads Frozen, Position, Mass"));
    CHECK(schedule.run() == COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(herd.times(i) == (i % 6 == 0 ? 3 : 0));
        CHECK((herd.world.get<Seen>(herd.all[i])->who == herd.all[i]) == (i % 3 == 0));
    }
}

static void optional_fields_of_long_spans() {
    Herd herd;
    covey::schedule schedule(herd.world, 2);
    CHECK(schedule.add("see").split(64).each([](const Position &p, Seen *seen, const Clock *clock) {
        seen->times = clock ? 0 : static_cast<uint32_t>(p.x);
    }) == COVEY_OK);
    CHECK(schedule.run() == COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) CHECK(herd.times(i) == i);
}

static void what_is_declared_decides_who_waits() {
    Herd herd;
    covey::schedule schedule(herd.world, 1);
    CHECK(schedule.add("move").each([](Position &, const Velocity &) {}) == COVEY_OK);
    CHECK(schedule.add("look").each([](const Position &) {}) == COVEY_OK);
    CHECK(schedule.add("steer").each([](Velocity &) {}) == COVEY_OK);
    CHECK(schedule.add("weigh").each([](Mass) {}) == COVEY_OK);
    CHECK(schedule.add("rank").reads<Rank, Mass>().writes<Seen>().resource_reads<Clock>().run([] {}) == COVEY_OK);
    CHECK(schedule.add("tick").resource_writes<Clock>().before("see").run([] {}) == COVEY_OK);
    CHECK(schedule.add("see").without<Frozen>().after("weigh").each([](const Seen &) {}) == COVEY_OK);
    CHECK(plan_of(schedule) == "    move  writes Position  reads Velocity\n"
                               "    look  reads Position\n"
                               "        after move (Position: written, then read)\n"
                               "    steer  writes Velocity\n"
                               "        after move (Velocity: read, then written)\n"
                               "    weigh  reads Mass\n"
                               "    rank  writes Seen  reads Rank, Mass, Clock (resource)\n"
                               "    tick  writes Clock (resource)\n"
                               "        after rank (Clock: read, then written)\n"
                               "    see  reads Seen\n"
                               "        after weigh (linked)\n"
                               "        after tick (linked)\n");
    CHECK(schedule.run() == COVEY_OK);
}

static void spans_are_arrays() {
    Herd herd;
    covey::schedule schedule(herd.world, 3);
    CHECK(schedule.add("move").split(64).spans([](size_t n, Position *p, const Velocity *v) {
        for (size_t i = 0; i < n; i++) p[i].x += v[i].x;
    }) == COVEY_OK);
    CHECK(schedule.add("see").without<Frozen>().spans([](const covey_iter &it, Seen *seen, covey_job &job) {
        CHECK(&it == &job.it);
        for (uint32_t i = 0; i < it.count; i++) seen[i].who = covey_span_entity(&it, i);
    }) == COVEY_OK);
    CHECK(schedule.run() == COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(is_near(herd.x(i), static_cast<float>(i) + 1));
        CHECK((herd.world.get<Seen>(herd.all[i])->who == herd.all[i]) == (i % 3 != 0));
    }
}

static void sparse_pools_and_groups() {
    Herd herd;
    auto members = herd.world.group<Rank, covey::with<Seen, const Mass>>();
    covey::schedule schedule(herd.world, 2);
    CHECK(schedule.add("rank").split(64).each(
              [](Seen &seen, const Rank &rank) { seen.times += static_cast<uint32_t>(rank.number); }) == COVEY_OK);
    CHECK(schedule.add("members").split(64).group(members).each(
              [](const Mass &mass, Seen &seen) { seen.times += static_cast<uint32_t>(mass.kg); }) == COVEY_OK);
    CHECK(schedule.run() == COVEY_OK);
    for (uint32_t i = 0; i < COUNT; i++) CHECK(herd.times(i) == (i % 10 == 0 ? i + 3 : i % 5 == 0 ? i : 0));
}

static void commands_are_recorded_through_the_job() {
    Herd herd;
    covey::schedule schedule(herd.world, 3);
    uint32_t before = covey_entity_count(herd.world);
    CHECK(schedule.add("thaw").split(64).each([](covey::entity e, covey_job &job, const Frozen &) {
        CHECK(covey::commands(job.commands).remove<Frozen>(e));
    }) == COVEY_OK);
    CHECK(schedule.add("spawn").creates(2).run([](covey_job &job) {
        covey::commands later(job.commands);
        bool done = later.add<Mass>(later.create(), { 1 }) && later.add<Mass>(later.create(), { 2 });
        return done ? COVEY_OK : job.result;
    }) == COVEY_OK);
    CHECK(schedule.run() == COVEY_OK);
    CHECK(covey_entity_count(herd.world) == before + 2);
    CHECK(herd.world.view<Frozen>().count() == 0);
}

static void exclusive_systems_visit_rows() {
    Herd herd;
    covey::schedule schedule(herd.world, 2);
    covey::world_ref world = herd.world;
    uint32_t visits = 0;
    CHECK(schedule.add("kill").exclusive().each([&, world](covey::entity e, Rank &rank) {
        visits++;
        rank.number = 9;
        if (world.has<Mass>(e)) world.destroy(e); // another one takes its place in the pool
    }) == COVEY_OK);
    CHECK(has_line(plan_of(schedule), "kill  alone  writes Rank"));
    CHECK(schedule.run() == COVEY_OK && visits == COUNT / 5);
    for (uint32_t i = 0; i < COUNT; i++) {
        CHECK(covey_alive(herd.world, herd.all[i]) == (i % 10 != 0));
        const Rank *rank = herd.world.get<Rank>(herd.all[i]);
        CHECK((rank != nullptr) == (i % 10 == 5) && (!rank || rank->number == 9));
    }
}

static void systems_may_stay_on_the_main_thread() {
    Herd herd;
    covey::schedule schedule(herd.world, 3);
    const std::thread::id here = std::this_thread::get_id();
    uint32_t visits = 0;
    bool strayed = false;
    CHECK(schedule.add("send").main_thread().each([&](const Rank &) {
        visits++;
        strayed |= std::this_thread::get_id() != here;
    }) == COVEY_OK);
    CHECK(schedule.add("move").split(64).each([](Position &p) { p.x += 1; }) == COVEY_OK);
    CHECK(has_line(plan_of(schedule), "send  main thread  reads Rank"));
    CHECK(schedule.run() == COVEY_OK && visits == COUNT / 5 && !strayed);
}

struct Sum {
    double x;
    uint32_t count;
};

static void totals_are_the_same_for_all_threads() {
    Herd herd;
    double totals[3] = {}, plain = 0;
    Sum sum = {};
    for (uint32_t threads = 1; threads <= 3; threads++) {
        covey::schedule schedule(herd.world, threads);
        double &total = totals[threads - 1];
        CHECK(schedule.add("sum").split(64).total(total).each(
                  [](const Position &p, double &part) { part += 1 / (0.1 + static_cast<double>(p.x)); }) == COVEY_OK);
        auto merge = [](Sum &all, const Sum &part) { all.x += part.x, all.count += part.count; };
        CHECK(schedule.add("spans").split(64).total(sum, merge).spans([](size_t n, Sum &part, const Position *p) {
            for (size_t i = 0; i < n; i++) part.x += static_cast<double>(p[i].x);
            part.count += static_cast<uint32_t>(n);
        }) == COVEY_OK);
        CHECK(schedule.run() == COVEY_OK);
        CHECK(sum.count == COUNT && sum.x > COUNT * (COUNT - 1.0) / 2 - 0.5 && sum.x < COUNT * (COUNT - 1.0) / 2 + 0.5);
    }
    for (uint32_t i = 0; i < COUNT; i++) plain += 1 / (0.1 + static_cast<double>(herd.x(i)));
    CHECK(std::memcmp(&totals[0], &totals[1], sizeof(double)) == 0);
    CHECK(std::memcmp(&totals[0], &totals[2], sizeof(double)) == 0);
    CHECK(totals[0] > plain - 1e-6 && totals[0] < plain + 1e-6);
}

static void rates_conditions_and_phases() {
    Herd herd;
    covey::schedule schedule(herd.world, 1);
    int third = 0, first = 0, wanted = 0, off = 0, steps = 0, drawn = 0;
    bool open = false;
    CHECK(schedule.add("third").every(3).run([&] { third++; }) == COVEY_OK);
    CHECK(schedule.add("first").once().run([&] { first++; }) == COVEY_OK);
    CHECK(schedule.add("wanted").when([&] { return open; }).run([&] { wanted++; }) == COVEY_OK);
    CHECK(schedule.add("off").disabled().run([&] { off++; }) == COVEY_OK);
    CHECK(schedule.phase("steps", 0.25) == COVEY_OK && schedule.phase("draw") == COVEY_OK);
    CHECK(schedule.add("draw").run([&] { drawn++; }) == COVEY_OK);
    CHECK(schedule.add("step").phase("steps").run([&](covey_job &job) { steps += job.step > 0.2; }) == COVEY_OK);
    const covey_world *asked = nullptr;
    CHECK(schedule.add("ask").when([&](covey::const_world_ref in) { return asked = in, false; }).run([] {}) ==
          COVEY_OK);
    for (int i = 0; i < 4; i++) CHECK(schedule.run(0.5) == COVEY_OK);
    open = true;
    CHECK(schedule.system_enable("off", true) && schedule.run() == COVEY_OK);
    CHECK(third == 2 && first == 1 && wanted == 1 && off == 1 && steps == 8 && drawn == 5 && asked == herd.world);
}

static int living; // objects of this kind
struct Counted {
    Counted() { living++; }
    Counted(const Counted &) { living++; }
    Counted(Counted &&) noexcept { living++; }
    Counted &operator=(const Counted &) = delete;
    ~Counted() { living--; }
};

static void function_objects_live_as_long_as_their_systems() {
    Herd herd;
    {
        covey::schedule schedule(herd.world, 2);
        Counted counted;
        auto number = std::make_unique<int>(0);
        int *at = number.get();
        CHECK(schedule.add("count").run([n = std::move(number)] { ++*n; }) == COVEY_OK);
        CHECK(schedule.add("a").when([counted] { return true; }).run([counted] {}) == COVEY_OK);
        CHECK(schedule.add("b").split(64).each([counted](const Position &) {}) == COVEY_OK);
        CHECK(living == 4 && schedule.run() == COVEY_OK && schedule.run() == COVEY_OK && *at == 2);
        CHECK(schedule.add("b").run([counted] {}) == COVEY_ERROR_PRESENT); // refused: it ends at once
        CHECK(schedule.add("c").after("c").run([counted] {}) == COVEY_ERROR_CYCLE);
        CHECK(living == 4);
        CHECK(covey_system_remove(schedule, "a") && living == 2);
        covey::schedule moved(std::move(schedule));
        CHECK(!schedule && moved.run() == COVEY_OK && *at == 3 && living == 2);
    }
    CHECK(living == 0);
}

static void memory_may_be_out() {
    Herd herd;
    {
        covey::schedule schedule(herd.world, 2);
        Counted counted;
        memory_is_out = true;
        covey_result result = schedule.add("a").each([counted](const Position &) {});
        memory_is_out = false;
        CHECK(result == COVEY_ERROR_MEMORY && living == 1);
        CHECK(schedule.run() == COVEY_OK && !covey_system_remove(schedule, "a"));
        CHECK(schedule.add("a").each([counted](const Position &) {}) == COVEY_OK && schedule.run() == COVEY_OK);
    }
    CHECK(living == 0);
}

static void drop(void *context) { ++*static_cast<int *>(context); }

static void a_context_of_c_is_dropped_once() {
    Herd herd;
    int dropped[2] = {};
    covey_system system = {};
    covey_schedule *schedule = covey_schedule_create(herd.world, nullptr);
    system.run = [](covey_job *, void *) {};
    system.drop = drop;
    for (int i = 0; i < 2; i++) {
        system.name = i == 0 ? "first" : "second";
        system.context = &dropped[i];
        CHECK(covey_system_add(schedule, &system) == COVEY_OK);
        CHECK(covey_system_add(schedule, &system) == COVEY_ERROR_PRESENT);
    }
    CHECK(covey_schedule_run(schedule) == COVEY_OK && dropped[0] == 0 && dropped[1] == 0);
    CHECK(covey_system_remove(schedule, "first") && dropped[0] == 1);
    covey_schedule_destroy(schedule);
    CHECK(dropped[0] == 1 && dropped[1] == 1);
}

static void bodies_fail_as_values() {
    Herd herd;
    covey::schedule schedule(herd.world, 2);
    CHECK(schedule.add("bad").run([](covey_job &) { return COVEY_ERROR_FILE; }) == COVEY_OK);
    CHECK(schedule.run() == COVEY_ERROR_FILE);
    CHECK(std::strstr(schedule.failure(), "bad"));
    auto links = schedule.add("links");
    for (int i = 0; i <= COVEY_SYSTEM_LINKS; i++) links.after("bad");
    CHECK(links.run([] {}) == COVEY_ERROR_RANGE);
    CHECK(schedule.add("twice").each([](Position &, const Position &) {}) == COVEY_ERROR_TYPE);
}

static uint32_t calls;
static void count_call(const Position &) { calls++; }

static void functions_and_objects_with_state() {
    Herd herd;
    covey::schedule schedule(herd.world, 2);
    uint32_t seen = 0;
    CHECK(schedule.add("function").each(&count_call) == COVEY_OK);
    CHECK(schedule.add("state").each([n = 0u, &seen](const Mass &) mutable { seen = ++n; }) == COVEY_OK);
    CHECK(schedule.run() == COVEY_OK && calls == COUNT && seen == COUNT / 2);
    CHECK(schedule.run() == COVEY_OK && calls == 2 * COUNT && seen == COUNT / 2 * 2);
}

int main() {
    parameters_are_fields();
    optional_fields_tags_and_the_entity();
    optional_fields_of_long_spans();
    what_is_declared_decides_who_waits();
    spans_are_arrays();
    sparse_pools_and_groups();
    commands_are_recorded_through_the_job();
    exclusive_systems_visit_rows();
    systems_may_stay_on_the_main_thread();
    totals_are_the_same_for_all_threads();
    rates_conditions_and_phases();
    function_objects_live_as_long_as_their_systems();
    memory_may_be_out();
    a_context_of_c_is_dropped_once();
    bodies_fail_as_values();
    functions_and_objects_with_state();
    return 0;
}
