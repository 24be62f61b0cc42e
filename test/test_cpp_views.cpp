// Views and pools of the C++ header: as members, in range-based loops, over types that are made at run time; and what
// C++20 adds. Compiled for C++17 and for C++20.
#include <covey/hierarchy.hpp>
#include <covey/lookup.hpp>

#include "cpp_check.hpp"

#if __cplusplus > 201703L
#include <algorithm>
#include <ranges>
#endif
#include <string>
#include <type_traits>
#include <vector>

// Components are defined in their namespaces, even where another namespace has the name of the library.
namespace game {
namespace covey {}
struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Mass {
    double kilograms;
};
struct Frozen {};
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity, ::covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Mass);
COVEY_CPP_DEFINE(Frozen);

namespace inner {
struct Spin {
    float angle;
};
COVEY_CPP_DEFINE(Spin, ::covey::options().name("spin"));
} // namespace inner
} // namespace game

// Counts how often its values move, in each of the storages.
template <int Storage> struct Counted {
    static int moves;
    int number;
    std::string text;
    Counted(int n, const char *from) : number(n), text(from) {}
    Counted(Counted &&other) noexcept : number(other.number), text(std::move(other.text)) { moves++; }
};
template <int Storage> int Counted<Storage>::moves = 0;
COVEY_CPP_DEFINE(Counted<0>);
COVEY_CPP_DEFINE(Counted<1>, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Counted<2>, covey::options().storage(COVEY_STORAGE_PINNED));
COVEY_CPP_DEFINE(Counted<3>, covey::options().policy(COVEY_IN_PLACE));
COVEY_CPP_DEFINE(Counted<4>, covey::options().policy(COVEY_ORDERED));

using game::Frozen;
using game::Mass;
using game::Position;
using game::Velocity;
using game::inner::Spin;

static void check_valid(covey::const_world_ref world) {
    const char *why = "";
    if (world.validate(&why)) return;
    std::printf("the world is not valid: %s\n", why);
    std::exit(1);
}

// Position for all, Velocity for each second, Mass for each third, Frozen for each fifth.
static std::vector<covey::entity> make_some(covey::world_ref world, uint32_t count) {
    std::vector<covey::entity> made(count);
    CHECK(world.create_many(made.data(), count));
    for (uint32_t i = 0; i < count; i++) {
        CHECK(world.add<Position>(made[i], { static_cast<float>(i), 0 }));
        if (i % 2 == 0) CHECK(world.add<Velocity>(made[i], { 1, static_cast<float>(i) }));
        if (i % 3 == 0) CHECK(world.add<Mass>(made[i], { static_cast<double>(i) }));
        if (i % 5 == 0) CHECK(world.add<Frozen>(made[i]));
    }
    return made;
}

static void components_are_defined_in_their_namespaces() {
    CHECK(std::string(covey::type_of<Position>()->name) == "Position");
    CHECK(std::string(covey::type_of<Spin>()->name) == "spin");
    CHECK(covey::type_of<const Position>() == covey::type_of<Position>());
    covey::world world;
    covey::entity e = world.create();
    CHECK(world.add<Spin>(e, { 1 })->angle == 1 && world.has<const Spin>(e));
}

// ---- Members --------------------------------------------------------------------------------------------------------

struct Physics {
    covey::view<Position, const Velocity, covey::without<Frozen>> moving;
    covey::pool<Mass> masses;
    covey::group<Position> none;

    Physics() = default;
    explicit Physics(covey::world_ref in) : moving(in), masses(in) {}
    uint32_t step() {
        uint32_t moved = 0;
        for (auto [e, p, v] : moving) {
            p.x += v.x;
            moved += masses.has(e);
        }
        return moved;
    }
};

static void views_and_pools_are_members() {
    Physics physics; // of no world
    CHECK(!physics.moving.valid() && physics.moving.count() == 0 && !physics.masses && !physics.none);
    CHECK(physics.step() == 0 && covey_is_null(physics.moving.first()) && !physics.moving.contains({}));
    physics.moving.each([](Position &, const Velocity &) { std::exit(1); });
    CHECK(!physics.moving.with<Mass>().valid() && !physics.moving.include_disabled().valid());

    covey::world world;
    std::vector<covey::entity> made = make_some(world, 90);
    Physics second(world);
    physics = second;
    CHECK(physics.moving.valid() && physics.moving.count() == 36); // even, and not divisible by 5
    CHECK(physics.step() == 12 && world.get<Position>(made[2])->x == 3);
    CHECK(physics.masses.count() == 30 && physics.masses.get(made[3])->kilograms == 3);
    check_valid(world);
}

static void views_and_pools_are_compared() {
    covey::world world, other;
    using moving = covey::view<Position, const Velocity>;
    moving one{ world }, same{ world }, elsewhere{ other }, none;
    CHECK(one == same && !(one != same) && one != elsewhere && one != none && none == moving());
    CHECK(one.include_disabled() != one && one.include_disabled() == same.include_disabled());
    covey::pool<Mass> masses{ world };
    CHECK(masses == world.pool<Mass>() && masses != other.pool<Mass>() && masses != covey::pool<Mass>());
    const covey_type description = covey::options().describe<float>("Mana");
    const covey_type twin = covey::options().describe<float>("Rage");
    const covey_type *mana = world.type_create(description), *rage = world.type_create(twin);
    using charged = covey::view<covey::runtime<float>>;
    CHECK(charged(world, mana) == charged(world, mana) && charged(world, mana) != charged(world, rage));
}

// Each call adds a term to the type, which is the one that could have been written.
static void terms_add_up() {
    covey::world world;
    auto built = world.view<Position, const Velocity>().optional<Mass>().without<Frozen>();
    using written = covey::view<Position, const Velocity, covey::optional<Mass>, covey::without<Frozen>>;
    static_assert(std::is_same_v<decltype(built), written>);
    CHECK(built.fields() == 3 && built.is_read_only(1) && !built.is_read_only(2));
    CHECK(built == written{ world } && built.type(1) == covey::type_of<Velocity>() && built.advise().matches == 0);
    covey::view<Position> all{ world };
    CHECK((all.with<const Velocity>() == covey::view<Position, const Velocity>{ world }));
    auto twice = all.with<Position>();
    CHECK(!twice.valid() && world.result() == COVEY_ERROR_TYPE);
    CHECK(!twice.without<Frozen>().valid()); // what is wrong stays wrong
}

// ---- Loops ----------------------------------------------------------------------------------------------------------

static void fields_come_as_they_are_written() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 60);
    covey::view<covey::optional<Mass>, Position, covey::any<const Velocity, Frozen>> mixed{ world };
    uint32_t rows = 0, masses = 0;
    for (auto [e, mass, p, v, frozen] : mixed) {
        static_assert(std::is_same_v<decltype(mass), Mass *> && std::is_same_v<decltype(p), Position &>);
        static_assert(std::is_same_v<decltype(v), const Velocity *> && std::is_same_v<decltype(e), covey::entity>);
        CHECK(e == made[static_cast<uint32_t>(p.x)] && mass == world.get<Mass>(e));
        CHECK(&p == world.get<Position>(e) && v == world.get<const Velocity>(e));
        CHECK((frozen != nullptr) == world.has<Frozen>(e) && (v || frozen));
        rows++;
        masses += mass != nullptr;
    }
    CHECK(rows == mixed.count() && rows == 36 && masses == 12);
    rows = 0;
    mixed.spans([&](std::size_t n, Mass *, Position *p, const Velocity *v, Frozen *) {
        for (std::size_t i = 0; i < n; i++) CHECK(!v || v[i].y == p[i].x);
        rows += static_cast<uint32_t>(n);
    });
    CHECK(rows == 36);
}

// Notes the addresses of the fields of each row, but takes no entity.
struct Addresses {
    std::vector<const void *> found;
    template <class T> static const void *of(const T &field) { return &field; }
    template <class T> static const void *of(T *field) { return field; }
    template <class... F, class = std::enable_if_t<!(std::is_same_v<std::decay_t<F>, covey::entity> || ...)>>
    void operator()(F &&...fields) {
        found.push_back(nullptr);
        (found.push_back(of(fields)), ...);
    }
};

// The loop, each, spans and the loop of C visit the same in the same order.
template <class... Terms> static void compare_loops(covey::world_ref world) {
    covey::view<Terms...> view{ world };
    std::vector<covey::entity> wanted, looped, called, spanned;
    covey_iter it = view.iter();
    covey_row row = {};
    while (covey_next_row(&it, &row)) wanted.push_back(covey_row_entity(&it, row));
    for (auto fields : view) looped.push_back(std::get<0>(fields));
    view.each([&](covey::entity e, auto &&...) { called.push_back(e); });
    view.spans([&](const covey_iter &span, auto...) {
        for (uint32_t i = 0; i < span.count; i++) spanned.push_back(covey_span_entity(&span, i));
    });
    CHECK(wanted.size() == view.count() && looped == wanted && called == wanted && spanned == wanted);
    Addresses of_rows, of_values;
    for (auto fields : view) std::apply([&](covey::entity, auto &&...field) { of_rows(field...); }, fields);
    view.each(of_values);
    CHECK(of_values.found == of_rows.found);
}

static void all_loops_visit_the_same() {
    const uint32_t many = COVEY_INDEX_BITS < 16 ? 900 : 5000; // more than a page of blocks, where there may be so many
    for (uint32_t count : { 0u, 1u, 63u, 64u, 200u, many }) {
        covey::world world;
        make_some(world, count);
        compare_loops<>(world);
        compare_loops<Position>(world);
        compare_loops<Velocity>(world);
        compare_loops<Position, const Mass>(world);
        compare_loops<Position, Velocity>(world);
        compare_loops<Position, Velocity, Mass, Frozen>(world);
        compare_loops<Mass, covey::without<Frozen>>(world);
        compare_loops<covey::optional<Velocity>, const Mass>(world);
        compare_loops<covey::any<Velocity, Mass>, covey::without<Frozen>>(world);
        compare_loops<covey::reading, Position, covey::optional<Mass>>(world);
    }
}

// A row's entity may be changed and destroyed, loops may be nested, and left.
static void loops_may_change_their_row() {
    covey::world world;
    make_some(world, 200);
    covey::view<Position, Mass> heavy{ world };
    for (auto [e, p, mass] : heavy) {
        if (mass.kilograms < 30) world.destroy(e);
        else if (mass.kilograms < 60) world.remove<Mass>(e);
        else if (!world.has<Spin>(e)) world.add<Spin>(e, { p.x });
    }
    check_valid(world);
    CHECK(heavy.count() == 47 && world.entity_count() == 190);
    covey::view<const Spin> spinning{ world };
    uint32_t pairs = 0, first = 0;
    for (auto [e, spin] : spinning)
        for (auto [f, other] : spinning) pairs += e == f ? spin.angle == other.angle : spin.angle != other.angle;
    CHECK(pairs == 47 * 47);
    for (auto [e, spin] : spinning) {
        first += spin.angle == 60 && world.alive(e);
        break;
    }
    CHECK(first == 1);
    for (auto [e, p] : covey::view<Position>{ world }) world.remove<Position>(e);
    CHECK(covey::view<Position>{ world }.count() == 0);
    check_valid(world);
}

// The body of an `each` of values may change what the view does not name.
static void values_may_come_with_changes_elsewhere() {
    for (uint32_t count : { 1u, 5u, 40u, 64u, 300u }) {
        covey::world world;
        std::vector<covey::entity> made = make_some(world, count);
        covey::view<Position> view{ world };
        uint32_t visits = 0;
        view.each([&](Position &p) {
            p.y += 1;
            world.add<Spin>(made[count - ++visits], p.x);
            world.create();
        });
        CHECK(visits == count && world.pool<Spin>().count() == count);
        for (auto [e, p] : view) CHECK(p.y == 1);
        check_valid(world);
    }
}

// Assertion level 1 reports a body of values that changes what the view names.
static void values_must_stay_where_they_are() {
#if COVEY_ASSERT_LEVEL >= 1
    int reports = 0;
    covey_world_desc desc = {};
    desc.on_assert = [](const char *, const char *, int, void *context) { ++*static_cast<int *>(context); };
    desc.assert_context = &reports;
    for (uint32_t count : { 3u, 200u }) {
        covey::world world(desc);
        std::vector<covey::entity> made = make_some(world, count);
        reports = 0;
        covey::view<Position>{ world }.each([&](Position &) { world.remove<Position>(made.back()); });
        CHECK(reports != 0);
    }
#endif
}

static void groups_and_reactive_sets_are_loops_too() {
    covey::world world;
    auto moved = world.reactive().added<Velocity>().with<const Velocity>().make();
    covey::group<Velocity, covey::with<const Mass>> pulled = world.group<Velocity, covey::with<const Mass>>();
    make_some(world, 30);
    float sum = 0;
    for (auto [e, v] : moved) sum += v.y;
    CHECK(sum == 210);
    for (auto [e, v, mass] : pulled) v.y = static_cast<float>(-mass.kilograms);
    sum = 0;
    for (auto [e, v] : covey::view<const Velocity>{ world }) sum += v.y;
    CHECK(sum == 210 - 2 * (6 + 12 + 18 + 24));
}

// ---- Readers --------------------------------------------------------------------------------------------------------

static void readers_get_const_values() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 30);
    static_assert(std::is_same_v<decltype(world.get<const Mass>(made[0])), const Mass *>);
    CHECK(world.get<const Mass>(made[3])->kilograms == 3 && !world.get<const Mass>(made[4]));
    static_assert(std::is_same_v<decltype(covey::entity_ref().get<const Mass>()), const Mass *>);
    covey::pool<const Mass> masses{ world };
    static_assert(std::is_same_v<decltype(masses.get(made[0])), const Mass *>);
    CHECK(masses.get(made[6])->kilograms == 6 && masses.count() == 10);

    const covey::const_world_ref reader = world;
    covey::view<covey::reading, Position, covey::optional<Velocity>, covey::without<Frozen>> seen{ reader };
    uint32_t both = 0;
    for (auto [e, p, v] : seen) {
        static_assert(std::is_same_v<decltype(p), const Position &> && std::is_same_v<decltype(v), const Velocity *>);
        both += v && v->y == p.x && reader.alive(e);
    }
    CHECK(both == 12 && seen == reader.view<Position>().optional<Velocity>().without<Frozen>());
}

// ---- Types that are made at run time --------------------------------------------------------------------------------

struct Points {
    int32_t now, most;
};
struct Label {};

static void typed_views_of_run_time_types() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 30);
    const covey_type points = covey::options().describe<Points>("Points");
    const covey_type tag = covey::options().describe<Label>("Poisoned");
    const covey_type *health = world.type_create(points), *poisoned = world.type_create(tag);
    for (uint32_t i = 0; i < 30; i += 3) {
        const Points value = { static_cast<int32_t>(i), 100 };
        CHECK(covey_add_raw(world, made[i], health, &value));
        if (i % 2 == 0) CHECK(covey_add_raw(world, made[i], poisoned, nullptr));
    }
    covey::view<const Position, covey::runtime<Points>, covey::without<covey::runtime<Label>>> well{ world, health,
                                                                                                     poisoned };
    uint32_t rows = 0;
    for (auto [e, p, hp] : well) {
        static_assert(std::is_same_v<decltype(hp), Points &>);
        CHECK(hp.now == static_cast<int32_t>(p.x) && hp.most == 100 && e.index % 2 == made[3].index % 2);
        hp.now = 100;
        rows++;
    }
    CHECK(rows == 5 && static_cast<Points *>(covey_get_raw(world, made[3], health))->now == 100);
    covey::view<covey::optional<covey::runtime<const Points>>, covey::runtime<Label>> ill{ world, health, poisoned };
    rows = 0;
    ill.each([&](const Points *hp, Label &) { rows += hp && hp->now % 6 == 0; });
    CHECK(rows == 5 && ill.without<Frozen>().count() == 4); // 0 is frozen
    ill.spans([&](std::size_t n, const Points *, Label *) { rows += static_cast<uint32_t>(n); });
    CHECK(rows == 10);

    using narrow = covey::view<covey::runtime<int32_t>>;
    CHECK(narrow(world, world.type_find("Points")).valid() == false);
    CHECK(world.result() == COVEY_ERROR_LAYOUT);
    CHECK(!narrow(world, world.type_find("Nothing")).valid() && world.result() == COVEY_ERROR_TYPE);
    CHECK((!covey::view<covey::runtime<Label>>{ world, health }.valid()));
    const covey::const_world_ref reader = world;
    covey::view<covey::reading, covey::runtime<Points>> read{ reader, health };
    for (auto [e, hp] : read) {
        static_assert(std::is_same_v<decltype(hp), const Points &>);
        rows += reader.alive(e) && hp.most == 100;
    }
    CHECK(rows == 20 && (!covey::view<covey::reading, covey::runtime<float>>{ reader, health }.valid()));
}

// ---- Constructing ---------------------------------------------------------------------------------------------------

template <int Storage> static void construct() {
    using T = Counted<Storage>;
    covey::world world;
    covey::entity e = world.create(), f = world.create(), g = world.create();
    T *made = world.add<T>(e, 7, "a text that is longer than what a string keeps in itself");
    CHECK(made && made == world.get<T>(e) && made->number == 7 && T::moves == 0);
    covey::pool<T> pool{ world };
    CHECK(pool.add(f, 8, "eight")->number == 8 && !pool.add(f, 9, "nine"));
    CHECK(covey::entity_ref(world, g).add<T>(9, "nine") == g && world.get<T>(g)->text == "nine");
    check_valid(world);
}

static void values_are_constructed_without_a_move() {
    construct<0>();
    construct<1>();
    construct<2>();
    construct<3>();
    construct<4>();
}

// ---- C++20 ----------------------------------------------------------------------------------------------------------

#if defined(__cpp_lib_span)
static void spans_of_the_standard_library() {
    covey::world world;
    make_some(world, 100);
    covey::view<Position, const Velocity, covey::optional<const Mass>> moving{ world };
    std::size_t rows = 0, masses = 0;
    moving.spans([&](std::span<Position> p, std::span<const Velocity> v, std::span<const Mass> m) {
        for (std::size_t i = 0; i < p.size(); i++) CHECK(v[i].y == p[i].x);
        CHECK(p.size() == v.size() && (m.empty() || m.size() == p.size()));
        rows += p.size();
        masses += m.size();
    });
    CHECK(rows == 50 && masses == 17);
}

static void many_at_once_by_span() {
    covey::world world;
    std::vector<covey::entity> made(10);
    covey::entity more[4];
    CHECK(world.create_many(made));
    const std::vector<Position> places = { { 1, 0 }, { 2, 0 }, { 3, 0 } };
    CHECK(world.add_array<Position>(std::span(made).first(3), places));
    CHECK(world.get<Position>(made[2])->x == 3 && !world.has<Position>(made[3]));
    CHECK(world.add_copies<Velocity>(made, { 5, 6 }) && world.get<Velocity>(made[9])->y == 6);
    CHECK(world.remove_many<Velocity>(std::span(made).first(3)) == 3 && !world.get<Velocity>(made[2]));
    CHECK(world.add_copies<Velocity>(std::span(made).first(3), { 5, 6 }));
    CHECK(world.create_many_with(more, Mass{ 2 }, Frozen{}) && world.get<Mass>(more[3])->kilograms == 2);
    CHECK(world.create_many_with(more, 4, Mass{ 3 }) && world.get<Mass>(more[3])->kilograms == 3);
    CHECK(world.destroy_many(made) == 10 && world.entity_count() == 8);
    check_valid(world);
}

// A different number of values is a broken contract, and adds nothing.
static void spans_have_one_length() {
    covey_world_desc desc = {};
    int broken = 0;
    desc.on_assert = [](const char *, const char *, int, void *count) { ++*static_cast<int *>(count); };
    desc.assert_context = &broken;
    covey::world world(desc);
    covey::entity made[2];
    const Position place[1] = {};
    CHECK(world.create_many(made) && !world.add_array<Position>(made, place));
    CHECK(broken == (COVEY_ASSERT_LEVEL >= 1 ? 1 : 0) && covey_is_null(covey::view<Position>{ world }.first()));
}
#endif

#if defined(__cpp_lib_ranges)
using some = covey::view<Position, const Velocity, covey::optional<const Mass>>;
static_assert(std::ranges::input_range<some> && std::ranges::input_range<const some>);
static_assert(std::ranges::input_range<covey::group<Position, covey::with<const Velocity>>>);
static_assert(std::ranges::input_range<covey::reactive<const Position>>);
static_assert(std::ranges::forward_range<covey::pool<Position>> && std::ranges::forward_range<covey::entities>);
static_assert(std::ranges::forward_range<decltype(covey::hierarchy(nullptr).children({}))>);
static_assert(std::ranges::forward_range<decltype(covey::hierarchy(nullptr).tree({}))>);
static_assert(std::ranges::input_range<covey::search> && std::ranges::input_range<covey::pair_search>);
static_assert(std::ranges::input_range<covey::view_over<some>>);

// The rows are those of a loop, in its order; the iterator can be moved at any time.
static void views_are_ranges() {
    covey::world world;
    make_some(world, 500);
    some seen{ world };
    std::vector<covey::entity> expected, met;
    for (auto [e, p, v, m] : seen) expected.push_back(e);
    std::ranges::for_each(seen, [&](auto row) { met.push_back(std::get<0>(row)); });
    CHECK(met == expected && !expected.empty());

    met.clear();
    auto at = std::ranges::begin(seen);
    while (at != std::ranges::end(seen)) {
        auto moved = std::move(at);
        met.push_back(std::get<0>(*moved));
        at = std::move(++moved);
    }
    CHECK(met == expected);
    const covey::entity last = expected.back();
    auto found = std::ranges::find_if(seen, [&](const auto &row) { return std::get<0>(row) == last; });
    CHECK(found != std::ranges::end(seen) && &std::get<1>(*found) == world.get<Position>(last));
    CHECK(std::ranges::count_if(world.pool<Position>(), [](auto) { return true; }) == world.pool<Position>().count());
    CHECK(std::ranges::distance(world.entities()) == world.entity_count());
    covey::entities all = world.entities();
    auto most = std::ranges::max_element(all, {}, [](covey::entity e) { return e.index; });
    CHECK(most != all.begin() && std::ranges::next(most) == all.end());
}

#if !defined(__clang__) || __clang_major__ >= 16 // older ones do not compile these of libstdc++
static void ranges_are_composed() {
    covey::world world;
    make_some(world, 500);
    some seen{ world };
    auto heavy = [](const auto &row) { return std::get<3>(row) != nullptr; };
    uint32_t count = 0;
    for (auto [e, p, v, m] : seen | std::views::filter(heavy) | std::views::take(10)) count += world.get<Mass>(e) == m;
    CHECK(count == 10);
    for (auto [e, p] : world.view<const Position>() | std::views::drop(3) | std::views::take(2)) count += p.x >= 0;
    CHECK(count == 12);
    std::vector<covey::entity> bare;
    std::ranges::copy(world.entities() | std::views::filter([&](covey::entity e) { return !world.has<Mass>(e); }),
                      std::back_inserter(bare));
    CHECK(bare.size() == world.entity_count() - world.pool<Mass>().count());
    for (auto [e, m] : world.pool<Mass>() | std::views::take(1)) CHECK(&m == world.get<Mass>(e));
}
#endif
#endif

int main() {
    components_are_defined_in_their_namespaces();
    views_and_pools_are_members();
    views_and_pools_are_compared();
    terms_add_up();
    fields_come_as_they_are_written();
    all_loops_visit_the_same();
    loops_may_change_their_row();
    values_may_come_with_changes_elsewhere();
    values_must_stay_where_they_are();
    groups_and_reactive_sets_are_loops_too();
    readers_get_const_values();
    typed_views_of_run_time_types();
    values_are_constructed_without_a_move();
#if defined(__cpp_lib_span)
    spans_of_the_standard_library();
    many_at_once_by_span();
    spans_have_one_length();
#endif
#if defined(__cpp_lib_ranges)
    views_are_ranges();
#if !defined(__clang__) || __clang_major__ >= 16
    ranges_are_composed();
#endif
#endif
    return 0;
}
