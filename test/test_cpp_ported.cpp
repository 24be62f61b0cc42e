// What the first programs and examples of EnTT and flecs do, done here: those who know them find each of their steps.
#include <covey/fields.h>
#include <covey/hierarchy.hpp>
#include <covey/lookup.hpp>
#include <covey/schedule.hpp>

#include "cpp_check.hpp"

#include <cstring>
#include <memory>
#include <string>
#include <vector>

namespace {

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Health {
    int points;
};
struct Title {
    std::shared_ptr<std::string> text;
};
struct Enemy {};
struct Gravity {
    float pull;
};
struct Global {
    float x, y;
};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Health);
COVEY_CPP_DEFINE(Title, covey::options().relocatable());
COVEY_CPP_DEFINE(Enemy);
COVEY_CPP_DEFINE(Gravity);
COVEY_CPP_DEFINE(Global, covey::options().storage(COVEY_STORAGE_SPARSE));

struct Likes {
    covey::entity whom;
};
COVEY_FIELDS_DEFINE(Likes, entity(whom));
COVEY_CPP_DEFINE(Likes, covey::options().fields(&covey_fields_Likes).ticks());

covey_world_desc silent() {
    covey_world_desc desc = {};
    desc.log = [](covey_result, const char *, void *) {};
    return desc;
}

// ---- EnTT ----------------------------------------------------------------------------------------------------------

// Ten entities, half of which move; each way to loop over these visits the same.
void loops_over_a_view() {
    covey::world world;
    for (int i = 0; i < 10; i++) {
        const covey::entity e = world.create_with(Position{ static_cast<float>(i), 0 });
        if (i % 2 == 0) world.add<Velocity>(e, 1.f, 2.f);
    }
    auto moving = world.view<Position, const Velocity>();
    CHECK(moving.count() == 5);
    moving.each([](Position &p, const Velocity &v) { p.y += v.y; });
    moving.each([](covey::entity, Position &p, const Velocity &v) { p.y += v.y; });
    for (auto [e, p, v] : moving) p.y += v.y;
    for (auto row : moving) world.get<Position>(std::get<covey::entity>(row))->y += 2;
    uint32_t resting = 0;
    for (auto [e, p] : world.view<const Position>()) {
        CHECK(p.y == (world.has<Velocity>(e) ? 8.f : 0.f));
        resting += !world.has<Velocity>(e);
    }
    CHECK(resting == 5);
}

// A handle as a key: false, absent and stale are all told apart without a crash.
void handles_come_and_go() {
    covey::world world(silent());
    covey::entity e = {};
    CHECK(!world.alive(e) && covey_is_null(e));
    e = world.create();
    CHECK(world.alive(e) && !world.has_any<Position, Health>(e) && !world.get<Health>(e));
    world.add<Health>(e, 2);
    CHECK((world.has_any<Position, Health>(e) && !world.has_all<Position, Health>(e)) &&
          world.get<Health>(e)->points == 2);
    CHECK(world.destroy(e) && !world.alive(e) && !covey_is_null(e));
    const covey::entity again = world.create();
    CHECK(world.alive(again) && again.index == e.index && again != e && !world.has<Health>(again));
}

// All components of an entity are copied: to another one, to a new one, and to another world; in a loop over types that
// are known only at run time, too.
void entities_are_copied() {
    covey::world world, other;
    const covey_type *marks = world.type_create(covey::options().describe<double>("Marks"));
    CHECK(marks);
    const covey::entity from = world.create_with(Health{ 3 }, Title{ std::make_shared<std::string>("first") });
    const covey::entity to = world.create();
    CHECK(world.add_raw(from, marks, 1.5));
    CHECK(world.copy(from, to) && world.get<Health>(to)->points == 3);
    CHECK(*world.get_raw<double>(to, marks) == 1.5 && world.get<Title>(to)->text.use_count() == 2);
    const covey::entity abroad = world.clone_into(other, from);
    CHECK(other.get<Health>(abroad)->points == 3 && *other.get<Title>(abroad)->text == "first");
    CHECK(*other.get_raw<double>(abroad, other.type_find("Marks")) == 1.5);
    const covey_type *types[8];
    CHECK(world.types_of(from, types, 8) == 3);
}

// A bit of the handle says that an entity is disabled; here the world keeps it, and views skip the entity.
void entities_are_disabled() {
    covey::world world;
    const covey::entity e = world.create_with(Health{ 1 }), other = world.create_with(Health{ 2 });
    auto seen = world.view<const Health>();
    CHECK(world.disable(e) && !world.is_enabled(e) && world.is_enabled(other) && world.alive(e));
    CHECK(seen.count() == 1 && seen.first() == other && seen.include_disabled().count() == 2);
    CHECK((world.view<const Health, const covey_disabled>().first() == e));
    CHECK(world.enable(e) && seen.count() == 2 && world.get<Health>(e)->points == 1);
}

// A type whose changes are listened to, beside one that has no listeners.
void signals_are_connected() {
    covey::world world;
    int added = 0, changed = 0;
    const covey::entity e = world.create();
    {
        auto first = world.on<Health>().added([&](covey::entity, Health &value) { added += value.points; });
        auto second = world.on<Health>().patched([&](covey::entity) { changed++; });
        world.add<Health>(e, 3);
        world.patch<Health>(e, [](Health &value) { value.points = 2; });
        world.add<Position>(e, 1.f, 1.f);
    }
    world.patch<Health>(e, [](Health &value) { value.points = 1; });
    CHECK(added == 3 && changed == 1 && world.get<Health>(e)->points == 1);
}

// ---- flecs ---------------------------------------------------------------------------------------------------------

void entities_have_names() {
    covey::world world(silent());
    covey::hierarchy family(world);
    const covey::entity bob = world.create();
    CHECK(family.name_set(bob, "Bob") && std::strcmp(family.name(bob), "Bob") == 0);
    CHECK(family.find_path({}, "Bob") == bob && covey_is_null(family.find_path({}, "Alice")));
    CHECK(world.destroy(bob) && !world.alive(bob) && covey_is_null(family.find_path({}, "Bob")));
}

// Calls in a chain; a component without a value; what is absent has no address.
void components_are_set() {
    covey::world world;
    auto e = covey::entity_ref::create(world).add<Velocity>().set<Position>(10.f, 20.f).set<Velocity>(1.f, 2.f);
    CHECK(e.get<Position>()->x == 10 && e.get<Velocity>()->y == 2 && e.has_all<Position, Velocity>());
    CHECK(e.remove<Position>() && !e.get<Position>() && !e.remove<Position>());
    e.add<Enemy>();
    CHECK(e.has<Enemy>() && e.remove<Enemy>() && !e.has<Enemy>());
    CHECK(std::strcmp(covey::type_of<Position>()->name, "Position") == 0);
    CHECK(covey::type_of<Position>()->size == sizeof(Position) && covey::type_of<Enemy>()->size == 0);

    const covey_type *types[4];
    e.set<Position>(1.f, 2.f);
    const uint32_t count = world.types_of(e, types, 4);
    std::string names;
    for (uint32_t i = 0; i < count; i++) names += std::string(i ? "," : "") + types[i]->name;
    CHECK(names == "Velocity,Position");
}

// A tag that exists only at run time.
void tags_are_made_at_run_time() {
    covey::world world;
    struct nothing {};
    const covey_type *hostile = world.type_create(covey::options().describe<nothing>("Hostile"));
    const covey::entity e = world.create();
    CHECK(hostile && world.add_raw(e, hostile, nothing()) && world.has_raw(e, hostile));
    CHECK(world.remove_raw(e, hostile) && !world.has_raw(e, hostile));
}

// Who likes whom, from both ends. One component has one target; edges are entities where there are several.
void relations_are_found_from_both_ends() {
    covey::world world;
    covey::lookup<&Likes::whom> likes{ world, COVEY_TARGET_REMOVE };
    const covey::entity bob = world.create(), alice = world.create();
    world.set<Likes>(bob, alice);
    world.set<Likes>(alice, bob);
    CHECK(world.get<Likes>(alice)->whom == bob && likes.count(bob) == 1);
    for (covey::entity e : likes.find(alice)) CHECK(e == bob);
    CHECK(world.remove<Likes>(bob) && likes.count(alice) == 0);
    CHECK(world.destroy(bob) && !world.has<Likes>(alice));
}

// A tree with paths; what is below an entity ends with it; positions are added up, parents first.
void trees_have_paths() {
    covey::world world;
    covey::hierarchy family(world);
    const covey::entity parent = world.create_with(Position{ 10, 0 }, Global{});
    const covey::entity child = world.create_with(Position{ 1, 0 }, Global{});
    CHECK(family.name_set(parent, "parent") && family.name_set(child, "child") && family.parent_set(child, parent));
    char path[32];
    family.path_print(path, sizeof path, child);
    CHECK(std::strcmp(path, "parent/child") == 0);
    CHECK(family.find_path({}, "parent/child") == child && family.find_child(parent, "child") == child);

    CHECK(family.sort_by_depth<Global>());
    for (auto [e, place] : world.pool<Global>()) {
        const Global *above = world.get<Global>(family.parent(e));
        place.x = world.get<Position>(e)->x + (above ? above->x : 0);
    }
    CHECK(world.get<Global>(child)->x == 11);

    uint32_t children = 0;
    for (covey::entity e : family.children(parent)) children += world.has<Position>(e);
    CHECK(children == 1 && family.destroy_tree(parent) == 2 && !world.alive(child));
}

// One value for the whole world.
void singletons_are_resources() {
    covey::world world;
    CHECK(!world.resource_get<Gravity>() && world.resource_set<Gravity>(9.81f));
    const covey::entity e = world.create_with(Velocity{ 0, 0 });
    world.view<Velocity>().each([pull = world.resource_get<Gravity>()->pull](Velocity &v) { v.y -= pull; });
    CHECK(world.get<Velocity>(e)->y == -9.81f);
}

// A query, entity by entity and with the loop in the program's hands; and one for what has no parent.
void queries_have_two_loops() {
    covey::world world;
    covey::hierarchy family(world);
    const covey::entity parent = world.create();
    for (int i = 0; i < 4; i++) {
        const covey::entity e = world.create_with(Position{ static_cast<float>(i), 1 }, Velocity{ 1, 1 });
        if (i % 2 == 0) CHECK(family.parent_set(e, parent));
    }
    auto placed = world.view<Position>();
    float sum = 0, roots = 0;
    for (covey::entity e : family.children(parent)) sum += world.get<Position>(e)->x;
    placed.spans([&](size_t count, const Position *p) {
        for (size_t i = 0; i < count; i++) roots += p[i].x;
    });
    CHECK(sum == 2 && roots == 6);
    roots = 0;
    for (auto [e, p] : placed)
        if (covey_is_null(family.parent(e))) roots += p.x;
    CHECK(roots == 4);
}

// Systems in phases, with the time that has passed; one can be run by itself, switched off and removed.
void systems_run_in_phases() {
    covey::world world;
    const covey::entity e = world.create_with(Position{ 0, 0 }, Velocity{ 2, 4 });
    covey::schedule schedule(world, 1);
    std::string order;
    CHECK(schedule.phase("update", 0.5) == COVEY_OK && schedule.phase("draw") == COVEY_OK);
    CHECK(schedule.add("show").phase("draw").reads<Position>().main_thread().run([&] { order += "s"; }) == COVEY_OK);
    CHECK(schedule.add("move").phase("update").each([&](covey_job &job, Position &p, const Velocity &v) {
        p.x += v.x * static_cast<float>(job.step);
        order += "m";
    }) == COVEY_OK);
    CHECK(schedule.run(0.5) && order == "ms" && world.get<Position>(e)->x == 1);
    CHECK(schedule.system_enable("move", false) && schedule.run(0.5) && order == "mss");
    CHECK(schedule.system_remove("move") && !schedule.system_remove("move"));
}

// Told when an entity has both: what is added second is what is reported.
void observers_ask_for_several() {
    covey::world world;
    int seen = 0;
    auto both = [&](covey::world_ref in, covey::entity e) { seen += in.has_all<Position, Velocity>(e); };
    covey::connection place = world.on<Position>().connect(COVEY_ON_ADD | COVEY_ON_SET, both);
    covey::connection speed = world.on<Velocity>().connect(COVEY_ON_ADD | COVEY_ON_SET, both);
    const covey::entity e = world.create();
    world.set<Position>(e, 10.f, 20.f);
    CHECK(seen == 0);
    world.set<Velocity>(e, 1.f, 2.f);
    world.set<Position>(e, 20.f, 30.f);
    CHECK(seen == 2);
}

// What belongs together is one object that adds its systems, and keeps its lookups and its connections.
struct module {
    covey::lookup<&Likes::whom> likes;
    int liked = 0;
    covey::connection heard;

    module(covey::world_ref world, covey::schedule &schedule) :likes(world, COVEY_TARGET_CLEAR),
        heard(world.on<Likes>().connect(COVEY_ON_ADD, *this)) {
        schedule.add("heal").each([](Health &health) { health.points++; });
    }
    void operator()(covey::entity) { liked++; }
};

void modules_are_objects() {
    covey::world world;
    covey::schedule schedule(world, 1);
    module friends(world, schedule);
    const covey::entity bob = world.create_with(Health{ 1 });
    world.create_with(Likes{ bob });
    CHECK(schedule.run() && world.get<Health>(bob)->points == 2 && friends.liked == 1 && friends.likes.count(bob) == 1);
}

} // namespace

int main() {
    loops_over_a_view();
    handles_come_and_go();
    entities_are_copied();
    entities_are_disabled();
    signals_are_connected();
    entities_have_names();
    components_are_set();
    tags_are_made_at_run_time();
    relations_are_found_from_both_ends();
    trees_have_paths();
    singletons_are_resources();
    queries_have_two_loops();
    systems_run_in_phases();
    observers_ask_for_several();
    modules_are_objects();
    return 0;
}
