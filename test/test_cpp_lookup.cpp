// Lookups in C++: by entity, number, text and place; answers in range-based loops, alone and with the fields of a view.
#include <covey/lookup.hpp>

#include "cpp_check.hpp"

#include <cmath>
#include <cstring>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace game {
struct OwnedBy {
    int32_t since;
    covey::entity owner;
};
struct Score {
    float points;
    char name[8];
};
struct Position {
    float x, y;
};
struct Corner {
    int32_t at[3];
};
struct Weight {
    uint32_t grams;
};
COVEY_FIELDS_DEFINE(OwnedBy, i32(since), entity(owner));
COVEY_FIELDS_DEFINE(Score, f32(points), array(character, name));
COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_FIELDS_DEFINE(Corner, array(i32, at));
COVEY_CPP_DEFINE(OwnedBy, covey::options().ticks().fields(&covey_fields_OwnedBy));
COVEY_CPP_DEFINE(Score, covey::options().ticks().fields(&covey_fields_Score));
COVEY_CPP_DEFINE(Position, covey::options().ticks().fields(&covey_fields_Position).storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Corner, covey::options().ticks().fields(&covey_fields_Corner));
COVEY_CPP_DEFINE(Weight); // has no fields, so nothing is looked up by it
} // namespace game

using game::Corner;
using game::OwnedBy;
using game::Position;
using game::Score;
using game::Weight;

static constexpr uint32_t many = COVEY_INDEX_BITS < 16 ? 300 : 1000; // more than a search finds at a time

static void check_valid(covey::const_world_ref world) {
    const char *why = "";
    if (world.validate(&why)) return;
    std::printf("the world is not valid: %s\n", why);
    std::exit(1);
}

template <class Answers> static std::vector<covey::entity> all_of(Answers &&answers) {
    std::vector<covey::entity> found;
    for (covey::entity e : answers) found.push_back(e);
    return found;
}

// Things that belong to an entity by turns.
static std::vector<covey::entity> give(covey::world_ref world, const std::vector<covey::entity> &owners) {
    std::vector<covey::entity> things(many);
    CHECK(world.create_many(things.data(), many));
    for (uint32_t i = 0; i < many; i++)
        CHECK(world.add<OwnedBy>(things[i], { static_cast<int32_t>(i), owners[i % owners.size()] }));
    return things;
}

static void relations_find_sources() {
    covey::world world;
    const covey::entity player = world.create(), other = world.create();
    covey::lookup<&OwnedBy::owner> owned{ world, COVEY_TARGET_REMOVE };
    static_assert(std::is_same_v<decltype(owned)::key, covey::entity>);
    CHECK(owned && covey_lookup_type(owned) == covey::type_of<OwnedBy>());
    std::vector<covey::entity> things = give(world, { player });
    CHECK(owned.count(player) == many && owned.count(other) == 0 && owned.size() == many);
    CHECK(all_of(owned.find(player)) == things && all_of(owned.find(other)).empty());

    world.set<OwnedBy>(things[7], { 1, other });
    CHECK(all_of(owned.find(other)) == std::vector<covey::entity>{ things[7] } && owned.count(player) == many - 1);
    world.destroy(player);
    CHECK(owned.size() == 1 && !world.has<OwnedBy>(things[0]) && world.alive(things[0]));
    check_valid(world);
}

static void sources_of_sources_are_below() {
    covey::world world;
    covey::entity chain[20] = { world.create() };
    covey::lookup<&OwnedBy::owner> owned{ world, COVEY_TARGET_DESTROY };
    for (int i = 1; i < 20; i++) {
        chain[i] = world.create();
        CHECK(world.add<OwnedBy>(chain[i], { i, chain[i - 1] }));
    }
    CHECK(all_of(owned.find_below(chain[0])) == std::vector<covey::entity>(chain + 1, chain + 20));
    world.destroy(chain[0]);
    CHECK(world.entity_count() == 0 && owned.size() == 0);
}

// The loop may change what it finds: each entity is looked up when its turn comes.
static void loops_may_change_what_they_find() {
    covey::world world;
    const covey::entity player = world.create();
    covey::lookup<&OwnedBy::owner> owned{ world };
    give(world, { player });
    uint32_t turns = 0;
    for (covey::entity e : owned.find(player)) {
        turns++;
        if (turns % 2 == 0) world.destroy(e);
        else world.remove<OwnedBy>(e);
    }
    CHECK(turns == many && owned.size() == 0 && world.entity_count() == 1 + many / 2);
    for (covey::entity e : owned.find(player)) CHECK(covey_is_null(e)); // there are none
    check_valid(world);
}

static void views_iterate_what_is_found() {
    covey::world world;
    const covey::entity player = world.create(), other = world.create();
    covey::lookup<&OwnedBy::owner> owned{ world };
    std::vector<covey::entity> things = give(world, { player, other });
    for (uint32_t i = 0; i < many; i += 3) CHECK(world.add<Weight>(things[i], { i }));
    covey::view<Weight, const OwnedBy> weights{ world };
    uint32_t rows = 0, called = 0, spanned = 0;
    for (auto [e, weight, by] : covey::over(weights, owned.find(player))) {
        static_assert(std::is_same_v<decltype(weight), Weight &>);
        CHECK(e == things[weight.grams] && by.owner == player && weight.grams % 6 == 0);
        rows++;
    }
    covey::over(weights, owned.find(player)).each([&](const Weight &w, const OwnedBy &) {
        called += w.grams % 6 == 0;
    });
    covey::over(weights, owned.find(player)).spans([&](size_t n, Weight *, const OwnedBy *) {
        spanned += static_cast<uint32_t>(n);
    });
    CHECK(rows == (many + 5) / 6 && called == rows && spanned == rows);
}

static void numbers_and_texts_have_an_order() {
    covey::world world;
    covey::ordered_lookup<&Score::points> scores{ world };
    covey::ordered_lookup<&Score::name> names{ world };
    static_assert(std::is_same_v<decltype(names)::key, const char *>);
    covey::entity made[26];
    CHECK(world.create_many(made, 26));
    for (int i = 0; i < 26; i++) {
        Score score = { static_cast<float>(25 - i), {} };
        std::snprintf(score.name, sizeof score.name, "%c%d", 'a' + i, i);
        CHECK(world.add<Score>(made[i], score));
    }
    CHECK(scores.first() == made[25] && scores.last() == made[0] && names.first() == made[0]);
    CHECK(all_of(scores.range(1, 2.5f)) == (std::vector<covey::entity>{ made[24], made[23] }));
    CHECK(all_of(scores.from(25)).size() == 1 && all_of(scores.up_to(0)).size() == 1);
    CHECK(all_of(scores.all()).size() == 26 && all_of(scores.all())[0] == made[25]);
    CHECK(scores.count(7) == 1 && scores.count(7.5f) == 0);
    CHECK(all_of(names.find("c2")) == std::vector<covey::entity>{ made[2] } && names.count("c") == 0);
    CHECK(all_of(names.range("y", "z")) == std::vector<covey::entity>{ made[24] });
    CHECK(all_of(names.from("y")).size() == 2 && all_of(names.up_to("b")).size() == 1);
}

static void places_are_found() {
    covey::world world;
    covey::place_lookup<&Position::x, &Position::y> places{ world, 2 };
    std::vector<covey::entity> made(100); // a square of 10 x 10
    CHECK(world.create_many(made.data(), 100));
    for (uint32_t i = 0; i < 100; i++)
        CHECK(world.add<Position>(made[i], { static_cast<float>(i % 10), static_cast<float>(i / 10) }));
    CHECK(all_of(places.box({ 0, 0 }, { 2, 1 })).size() == 6);
    CHECK(all_of(places.around({ 5, 5 }, 1)).size() == 5);
    int32_t cell[2] = { 7, 7 };
    CHECK(places.cell(places.nearest({ 0, 0 }, 1), cell) && cell[0] == 0 && cell[1] == 0);
    CHECK(!places.cell(covey::entity{}, cell));
    CHECK(std::string(places.description().place[1]) == "y" && !places.description().field);
    CHECK(places.nearest({ 3.2f, 4.1 }, INFINITY) == made[43]);
    CHECK(covey_is_null(places.nearest({ 3.5, 4.5 }, 0.5)));
    covey::entity found[3];
    double distances[3];
    CHECK(places.nearest({ -1, 0 }, 1.5, found, distances, 3) == 2);
    CHECK(found[0] == made[0] && distances[0] == 1 && found[1] == made[10]);

    uint32_t pairs = 0;
    for (auto [a, b] : places.pairs(1)) {
        const Position *p = world.get<const Position>(a), *q = world.get<const Position>(b);
        CHECK(std::abs(p->x - q->x) + std::abs(p->y - q->y) == 1);
        pairs++;
    }
    CHECK(pairs == 180); // more than one is found at a time
    pairs = 0;
    for (auto [a, b] : places.pairs(1.5)) pairs += a != b;
    CHECK(pairs == 180 + 162);
}

static void a_place_may_be_an_array() {
    covey::world world;
    covey::place_lookup<&Corner::at> corners{ world, 10 };
    static_assert(std::is_same_v<decltype(corners)::point, covey::point<3>>);
    const covey::entity e = world.create();
    CHECK(corners && world.add<Corner>(e, { { 10, 20, -30 } }));
    const int32_t x = 10, y = 20, z = -30;
    CHECK(corners.nearest({ x, y, z + 1 }, 1) == e && corners.size() == 1);
    world.set<Corner>(e, { { 0, 0, 0 } });
    CHECK(covey_is_null(corners.nearest({ x, y, z }, 1)));
}

struct Inventory {
    covey::lookup<&OwnedBy::owner> owned;
    Inventory() = default;
    explicit Inventory(covey::world_ref in) : owned(in, COVEY_TARGET_CLEAR) {}
};

static void lookups_are_members_and_are_moved() {
    covey::world world;
    Inventory none, inventory(world);
    CHECK(!none.owned && inventory.owned);
    covey_lookup *made = inventory.owned;
    none = std::move(inventory);
    CHECK(none.owned == made && !inventory.owned);
    covey::lookup<&OwnedBy::owner> last = std::move(none.owned);
    CHECK(last == made && last.memory() != 0);
    const covey::entity player = world.create(), thing = world.create();
    CHECK(world.add<OwnedBy>(thing, { 1, player }));
    last.settle();
    world.destroy(player);
    CHECK(covey_is_null(world.get<OwnedBy>(thing)->owner) && last.size() == 0);
    check_valid(world);
}

static void lookups_end_with_their_owner() {
    covey::world world;
    const covey::entity player = world.create(), thing = world.create();
    { covey::lookup<&OwnedBy::owner> owned{ world, COVEY_TARGET_DESTROY }; }
    CHECK(world.add<OwnedBy>(thing, { 1, player }));
    world.destroy(player);
    CHECK(world.alive(thing));
}

static void a_type_without_fields_is_refused() {
    covey::world world;
    covey::lookup<&Weight::grams> grams{ world };
    CHECK(!grams && world.result() == COVEY_ERROR_TYPE);
    covey::lookup<&OwnedBy::since> since{ world, COVEY_TARGET_REMOVE };
    CHECK(!since && world.result() == COVEY_ERROR_RANGE);
}

int main() {
    relations_find_sources();
    sources_of_sources_are_below();
    loops_may_change_what_they_find();
    views_iterate_what_is_found();
    numbers_and_texts_have_an_order();
    places_are_found();
    a_place_may_be_an_array();
    lookups_are_members_and_are_moved();
    lookups_end_with_their_owner();
    a_type_without_fields_is_refused();
    return 0;
}
