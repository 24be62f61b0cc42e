// The world of the C++ header as an object: owners and references, values made from arguments, results, listeners as
// connections, pools in range-based loops, groups by their terms.
#define COVEY_CPP_EXCEPTIONS
#include <covey/covey.hpp>

#include "cpp_check.hpp"

#include <cstring>
#include <string>
#include <unordered_set>
#include <vector>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Depth {
    int at;
};
struct Side {
    int at;
};
struct Frozen {};
struct Name {
    static int moves;
    std::string text;
    explicit Name(std::string from) : text(std::move(from)) {}
    Name(const Name &) = default;
    Name(Name &&other) noexcept : text(std::move(other.text)) { moves++; }
    Name &operator=(const Name &) = default;
};
int Name::moves = 0;
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Depth, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Side, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Frozen);
COVEY_CPP_DEFINE(Name);

static_assert(!std::is_copy_constructible_v<covey::world> && std::is_nothrow_move_constructible_v<covey::world>);
static_assert(std::is_trivially_copyable_v<covey::world_ref> && sizeof(covey::world) == sizeof(covey_world *));
static_assert(std::is_convertible_v<covey::world &, covey::world_ref>);
static_assert(std::is_convertible_v<covey::world_ref, covey::const_world_ref>);
static_assert(!std::is_convertible_v<covey::const_world_ref, covey::world_ref>);
static_assert(!std::is_convertible_v<covey::const_world_ref, covey_world *>);
static_assert(std::is_same_v<decltype(std::declval<covey::const_world_ref>().get<Position>({})), const Position *>);
static_assert(std::is_same_v<decltype(std::declval<covey::world>().get<Position, const Velocity>({})),
                             std::tuple<Position *, const Velocity *>>);

static void check_valid(covey::const_world_ref world) {
    const char *why = "";
    if (world.validate(&why)) return;
    std::printf("the world is not valid: %s\n", why);
    std::exit(1);
}

static void references_are_of_the_same_world() {
    covey::world world;
    covey::world_ref same = world;
    covey::const_world_ref reader = same;
    CHECK(same == world && reader == world && world && same && reader);
    covey::entity e = same.create();
    CHECK(world.alive(e) && reader.entity_count() == 1 && covey_alive(world, e) && covey_alive(reader, e));
    covey::world other;
    CHECK(other != world && !(other == same));
    covey::world moved = std::move(world);
    CHECK(!world && moved == same);
    covey::world_ref none = nullptr;
    covey_world *pointer = moved;
    const covey_world *read = reader;
    CHECK(!none && none == nullptr && moved != nullptr && reader != nullptr && pointer == moved && read == same);
    covey::entity_ref ref(moved, e);
    CHECK(ref == e && e == ref && !(ref != e));
    covey::world twin = moved.clone();
    CHECK(twin && twin != moved && twin.alive(e));
}

static void values_are_made_from_arguments() {
    covey::world world;
    covey::entity e = world.create(), f = world.create();
    Position *p = world.add<Position>(e, 1.f, 2.f);
    CHECK(p && p->y == 2 && p == world.get<Position>(e) && !world.add<Position>(e, 3.f, 4.f));
    CHECK(world.result() == COVEY_ERROR_PRESENT && p->y == 2);
    CHECK(world.set<Position>(e, 5.f, 6.f)->x == 5 && world.set<Velocity>(e, { 7, 8 })->y == 8);
    const Position from = { 9, 9 };
    CHECK(world.add<Position>(f, from)->x == 9 && world.set<Position>(f, *world.get<Position>(e))->x == 5);
    CHECK(world.add<Frozen>(e) && world.set<Frozen>(e) && world.set<Frozen>(f) && world.has<Frozen>(f));
    CHECK(world.add<Depth>(e)->at == 0 && world.set<Depth>(e, 4)->at == 4 && world.set<Depth>(e)->at == 0);
    const int before = Name::moves;
    Name kept("a text that is longer than what a string keeps in itself");
    CHECK(world.add<Name>(e, kept.text)->text == kept.text && Name::moves == before); // made where it is
    CHECK(world.add<Name>(f, kept)->text == kept.text && Name::moves == before);      // copied there
    CHECK(!world.add<Name>(f, std::move(kept)) && kept.text.size() > 40);             // still ours
    CHECK(world.set<Name>(f, std::string("new"))->text == "new");
    CHECK(world.set<Name>(f, std::move(kept))->text.size() > 40 && kept.text.empty());
    CHECK(world.resource_set<Depth>(3)->at == 3 && world.resource_set<Depth>({ 4 })->at == 4);
    CHECK(world.resource_get<Depth>()->at == 4 && world.resource_set<Frozen>() && world.resource_count() == 2);
    covey::pool<Position> pool = world.pool<Position>();
    covey::entity g = world.create();
    CHECK(pool.add(g, 1.f, 1.f)->x == 1 && pool.set(g, 2.f, 2.f)->x == 2 && pool.set(g, { 3, 3 })->x == 3);
    CHECK(!world.add<Position>({}, 1.f, 2.f) && world.result() == COVEY_ERROR_DEAD);
    auto ship = covey::entity_ref::create(world).add<Position>(1.f, 2.f).add<Frozen>().set<Velocity>({ 3, 4 });
    auto [at, speed] = ship.get<Position, const Velocity>();
    CHECK(at->y == 2 && speed->x == 3 && ship.has<Frozen>() && ship.world() == world && ship.entity() == ship);
    check_valid(world);
}

static void several_components_after_one_check() {
    covey::world world;
    covey::entity e = world.create_with(Position{ 1, 2 }, Velocity{ 3, 4 }), f = world.create_with(Position{ 5, 6 });
    auto [p, v] = world.get<Position, const Velocity>(e);
    CHECK(p == world.get<Position>(e) && v == world.get<Velocity>(e) && v);
    auto [q, w] = world.get<Position, Velocity>(f);
    CHECK(!q && !w);
    world.destroy(e);
    CHECK(!std::get<0>(world.get<Position, Velocity>(e)));
    covey::const_world_ref reader = world;
    CHECK(reader.get<Position>(f)->x == 5 && reader.has_all<Position>(f) && !(reader.has_any<Velocity, Frozen>(f)));
    CHECK(reader.first<Position>() == f && reader.find<Position>({ 5, 6 }) == f);
    uint32_t rows = 0;
    for (auto [g, read] : reader.view<Position>()) {
        static_assert(std::is_same_v<decltype(read), const Position &>);
        rows += g == f;
    }
    CHECK(rows == 1 && reader.pool_find<Position>().count() == 1 && !reader.pool_find<Frozen>());
}

static void results_say_why() {
    covey::world world;
    covey::entity e = world.create();
    covey::result done = world.disable(e);
    CHECK(done && done == COVEY_OK);
    covey::result refused = world.disable<Position>(e);
    CHECK(!refused && refused == COVEY_ERROR_ABSENT && refused != COVEY_OK);
    CHECK(std::strcmp(refused.text(), covey_result_text(COVEY_ERROR_ABSENT)) == 0);
    CHECK(world.enable(e) && world.is_enabled(e));
    switch (refused) {
    case COVEY_ERROR_ABSENT: break;
    default: CHECK(false);
    }
#if defined(__cpp_exceptions)
    covey::check(world.disable(e));
    CHECK(covey::check(world, world.add<Position>(e, 1.f, 2.f))->x == 1);
    CHECK(covey::check(world, world.create()) != e);
    try {
        covey::check(world, world.add<Position>(e, 1.f, 2.f));
        CHECK(false);
    } catch (const covey::error &error) {
        CHECK(error.result() == COVEY_ERROR_PRESENT && std::strlen(error.what()) > 4);
    }
#endif
}

// ---- Listeners ------------------------------------------------------------------------------------------------------

struct Counter {
    int heard = 0;
    void operator()(covey::entity, const Position &p) { heard += static_cast<int>(p.x); }
};

static void listeners_listen_while_their_connection_lives() {
    covey::world world;
    int added = 0, set = 0, patched = 0, removed = 0, created = 0, destroyed = 0;
    covey::entity last = {};
    {
        auto one = world.on<Position>().added([&](covey::entity e, Position &p) {
            added++;
            p.y = 9;
            last = e;
        });
        auto two = world.on<Position>().set([&](covey::entity) { set++; });
        auto three = world.on<Position>().patched(
            [&](covey::world_ref in, covey::entity e, Position &) { patched += in == world && in.has<Position>(e); });
        auto four = world.on<Position>().removed([&](const covey_event &event) { removed += event.count == 1; });
        auto five = world.on().created([&](covey::world_ref in, covey::entity e) { created += in.alive(e); });
        auto six = world.on().destroyed([&](covey::entity) { destroyed++; });
        CHECK(one.connected() && six.connected());
        covey::entity e = world.create();
        CHECK(world.add<Position>(e, 1.f, 2.f)->y == 9 && last == e);
        world.set<Position>(e, 2.f, 2.f);
        world.patch<Position>(e, [](Position &p) { p.x = 5; });
        world.patch<Position>(e);
        world.remove<Position>(e);
        world.destroy(e);
        CHECK(added == 1 && set == 3 && patched == 2 && removed == 1 && created == 1 && destroyed == 1);
        one.disconnect();
        world.add<Position>(world.create(), 1.f, 2.f);
        CHECK(added == 1 && !one.connected() && created == 2);
    }
    world.destroy_all();
    CHECK(destroyed == 1 && removed == 1);
    Counter counter; // stays where it is: its address is kept
    covey::connection kept;
    {
        covey::connection made = world.on<Position>().connect(COVEY_ON_ADD | COVEY_ON_SET, counter);
        kept = std::move(made);
    }
    covey::entity e = world.create();
    world.add<Position>(e, 3.f, 0.f);
    world.set<Position>(e, 4.f, 0.f);
    CHECK(counter.heard == 7 && kept.connected());
    check_valid(world);
}

// ---- Loops ----------------------------------------------------------------------------------------------------------

static void pools_are_loops() {
    covey::world world;
    std::vector<covey::entity> made;
    for (int i = 0; i < 200; i++) {
        made.push_back(world.create());
        world.add<Position>(made.back(), static_cast<float>(i), 0.f);
        if (i % 3 == 0) world.add<Depth>(made.back(), i);
        if (i % 5 == 0) world.add<Frozen>(made.back());
    }
    for (int i = 0; i < 200; i += 7) world.remove<Position>(made[static_cast<size_t>(i)]);
    uint32_t met = 0;
    for (auto [e, p] : world.pool<Position>()) {
        CHECK(&p == world.get<Position>(e));
        p.y = 1;
        met++;
    }
    CHECK(met == world.pool<Position>().count() && met == 171);
    met = 0;
    for (auto [e, depth] : world.pool<const Depth>()) {
        static_assert(std::is_same_v<decltype(depth), const Depth &>);
        CHECK(made[static_cast<size_t>(depth.at)] == e);
        met++;
    }
    CHECK(met == 67);
    std::unordered_set<covey::entity> frozen;
    for (auto [e, tag] : world.pool<Frozen>()) frozen.insert(e);
    CHECK(frozen.size() == 40);
    for (auto [e, v] : world.pool<Velocity>()) met += world.alive(e) && v.x == 0;
    for (auto [e, v] : covey::pool<Velocity>()) met += world.alive(e) && v.x == 0; // of no world
    CHECK(met == 67);
}

static void groups_name_terms() {
    covey::world world;
    auto drawn = world.group<Depth, const Side, covey::with<Position>, covey::without<Frozen>>();
    static_assert(std::is_same_v<decltype(drawn),
                                 covey::group<Depth, const Side, covey::with<Position>, covey::without<Frozen>>>);
    for (int i = 0; i < 60; i++) {
        covey::entity e = world.create();
        world.add<Depth>(e, 60 - i);
        if (i % 2 == 0) world.add<Side>(e, i);
        if (i % 3 == 0) world.add<Position>(e, static_cast<float>(i), 0.f);
        if (i % 4 == 0) world.add<Frozen>(e);
    }
    uint32_t rows = 0;
    for (auto [e, depth, side, p] : drawn) rows += depth.at == 60 - side.at && p.x == static_cast<float>(side.at);
    CHECK(rows == 5 && drawn.count() == 5 && drawn.owned() == 2);
    CHECK((world.group<Depth, const Side, covey::with<Position>, covey::without<Frozen>>() == drawn));
    CHECK((!world.group_find<Depth, Side>() && world.group<Depth, Side>())); // an outer group
    CHECK(covey_view_count(drawn.view()) == 5 && world.group_count() == 2 && world.group_at(1) == drawn);
    char text[80];
    CHECK(drawn.print(text, sizeof text) > 0 && std::strstr(text, "Depth"));
    CHECK(drawn.sort<Side>([](const Side &a, const Side &b) { return a.at > b.at; }) && drawn.contains(drawn.first()));
    CHECK(world.get<Side>(drawn.first())->at == 54);
    drawn.destroy();
    CHECK(!drawn && (!world.group_find<Depth, const Side, covey::with<Position>, covey::without<Frozen>>()));
    check_valid(world);
}

static void types_of_the_run_time_have_typed_verbs() {
    covey::world world;
    const covey_type *mana = world.type_create(covey::options().describe<float>("Mana"));
    covey::entity e = world.create(), f = world.create();
    CHECK(mana && world.type_find("Mana") == mana && *world.add_raw(e, mana, 10.f) == 10 && world.has_raw(e, mana));
    CHECK(!world.add_raw(e, mana, 1.f) && world.result() == COVEY_ERROR_PRESENT);
    CHECK(!world.add_raw(f, mana, 1.0) && world.result() == COVEY_ERROR_LAYOUT && !world.get_raw<double>(e, mana));
    CHECK(*world.set_raw(e, mana, 7.f) == 7 && *world.get_raw<float>(e, mana) == 7 && !world.get_raw<float>(f, mana));
    covey::const_world_ref reader = world;
    static_assert(std::is_same_v<decltype(reader.get_raw<float>(e, mana)), const float *>);
    CHECK(*reader.get_raw<float>(e, mana) == 7 && !reader.has_raw(f, mana));
    CHECK(world.remove_raw(e, mana) && !world.remove_raw(e, mana));
    check_valid(world);
}

static void many_at_once() {
    covey::world world;
    covey::entity made[100];
    CHECK(world.create_many_with(made, 100, Position{ 1, 2 }, Frozen{}));
    CHECK(world.get<Position>(made[99])->y == 2 && world.entity_count() == 100);
    uint32_t met = 0;
    for (covey::entity e : world.entities()) met += world.has<Frozen>(e);
    CHECK(met == 100 && world.destroy_many(made, 50) == 50 && world.entity_count() == 50);
    covey::entity twin = world.clone(made[60]), clones[3];
    CHECK(world.get<Position>(twin)->x == 1 && world.clone(twin, clones, 3) && world.has<Frozen>(clones[2]));
    covey::world other;
    CHECK(other.get<Position>(world.clone_into(other, twin))->y == 2);
    covey::entity exact = covey_entity_make(COVEY_NONE / 2, 1);
    CHECK(world.create_exact(&exact, 1) && world.alive(exact) && world.entity_at(exact.index) == exact);
    CHECK(world.generation_at(exact.index) == 1 && world.index_next(exact.index) == exact.index);
    world.clear_components();
    CHECK(world.is_empty(made[60]) && world.memory() != 0);
    check_valid(world);
}

// Positions and velocities from arrays of any kind, a copied tag, and arrays of another length.
static void many_from_arrays() {
    covey_world_desc desc = {};
    desc.log = [](covey_result, const char *, void *) {};
    covey::world world(desc);
    covey::entity made[3];
    const std::vector<Position> places = { { 1, 2 }, { 3, 4 }, { 5, 6 } };
    const Velocity speeds[] = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    const Depth depths[] = { { 7 }, { 8 }, { 9 } };
    CHECK(world.create_many_with(made, 3, covey::array(places), covey::array(speeds), covey::array(depths + 0),
                                 Frozen{}));
    for (int i = 0; i < 3; i++) {
        CHECK(world.get<Position>(made[i])->y == places[static_cast<size_t>(i)].y);
        CHECK(world.get<Velocity>(made[i])->x == speeds[i].x && world.get<Depth>(made[i])->at == depths[i].at);
        CHECK(world.has<Frozen>(made[i]));
    }
    CHECK(!world.create_many_with(made, 2, covey::array(places)) && world.result() == COVEY_ERROR_RANGE);
    CHECK(covey_is_null(made[0]) && world.entity_count() == 3);
    const std::vector<Position> none;
    CHECK(world.create_many_with(made, 0, covey::array(none)) && !world.create_many_with(made, 1, covey::array(none)));
}

int main() {
    references_are_of_the_same_world();
    values_are_made_from_arguments();
    several_components_after_one_check();
    results_say_why();
    listeners_listen_while_their_connection_lives();
    pools_are_loops();
    groups_name_terms();
    types_of_the_run_time_have_typed_verbs();
    many_at_once();
    many_from_arrays();
    return 0;
}
