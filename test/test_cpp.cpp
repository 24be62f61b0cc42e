// The C++ header: the same verbs, types from C and from C++, and owners of something as components.
#include <covey/covey.hpp>
#include <covey/fields.h>
#include <covey/hierarchy.hpp>
#include <covey/history.hpp>
#include <covey/image.hpp>

#include "cpp_check.hpp"
#include "test_cpp.h"

#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

COVEY_CPP_COMPONENT(Position);
COVEY_CPP_TAG(Frozen);

namespace game {

struct Velocity {
    float x, y;
};
struct Spin : Velocity {}; // a second component over one type
struct Fixed {
    int number;
};
struct Packed {
    int number;
};
struct Pinned {
    int number;
};
struct Sprite {
    int layer;
    float depth;
};
struct Timer {
    int64_t at;
};
struct Marked {};
struct Score {
    int points;
};

// Counts its values, and refuses a copy on request.
struct Owner {
    static int alive, copies_left;
    static constexpr int moved_from = -1;
    int number;
    explicit Owner(int n) : number(n) { alive++; }
    Owner(const Owner &other) : number(other.number) {
#if defined(__cpp_exceptions)
        if (copies_left-- == 0) throw 1;
#endif
        alive++;
    }
    Owner(Owner &&other) noexcept : number(other.number) {
        other.number = moved_from;
        alive++;
    }
    Owner &operator=(const Owner &) = delete;
    ~Owner() { alive--; }
};
int Owner::alive = 0;
int Owner::copies_left = 1000;

using Bag = std::vector<int>;
using Box = std::unique_ptr<int>;

} // namespace game

COVEY_CPP_DEFINE(game::Velocity);
COVEY_CPP_DEFINE(game::Spin);
COVEY_CPP_DEFINE(game::Fixed, covey::options().policy(COVEY_IN_PLACE).name("Fixed"));
COVEY_CPP_DEFINE(game::Packed, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(game::Pinned, covey::options().storage(COVEY_STORAGE_PINNED));
COVEY_CPP_DEFINE(game::Sprite, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(game::Timer, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(game::Marked);
COVEY_CPP_DEFINE(game::Score, covey::options().ticks());
COVEY_CPP_DEFINE(game::Owner, covey::options().relocatable());
COVEY_CPP_DEFINE(game::Bag, covey::options().relocatable().policy(COVEY_ORDERED).compact_above(25));
COVEY_CPP_DEFINE(game::Box, covey::options().relocatable());

// Described in C++; nested, in arrays, and with something that images leave out.
struct Wheel {
    float radius;
    bool flat;
};
struct Car {
    int32_t seats;
    covey::entity driver;
    Wheel wheels[4];
    float matrix[2][2];
    char plate[8];
    void *engine;
};
COVEY_FIELDS_DEFINE(Wheel, f32(radius), boolean(flat));
COVEY_FIELDS_DEFINE(Car, i32(seats), entity(driver), nested_array(Wheel, wheels), matrix(f32, matrix),
                    array(character, plate), padding(void *, engine));
COVEY_CPP_DEFINE(Car, covey::options().fields(&covey_fields_Car));
// Its functions save what it owns.
struct Path {
    std::vector<float> steps;
};
static void path_save(covey::codec_writer to, const Path &path) {
    to.write_count(path.steps.size());
    to.write(path.steps.data(), path.steps.size());
}
static covey_result path_load(covey::codec_reader from, Path &path) {
    path.steps.resize(from.read_count<float>());
    if (from.left<float>() < path.steps.size()) return COVEY_ERROR_IMAGE;
    from.read(path.steps.data(), path.steps.size());
    return COVEY_OK;
}
struct Title {
    std::string text;
};
struct Tags {
    std::map<int, std::string> by_number;
};
struct Label {
    std::string text;
};
struct Anchor { // knows where it was made
    Anchor(const Anchor *other, std::string name) noexcept : self(this), next(other), text(std::move(name)) {}
    Anchor(Anchor &&other) noexcept : self(this), next(other.next), text(std::move(other.text)), moved(true) {}
    const Anchor *self, *next;
    std::string text;
    bool moved = false;
};
COVEY_CPP_DEFINE(Anchor, covey::options().storage(COVEY_STORAGE_PINNED));
COVEY_CPP_DEFINE(Title);

// Counts its living objects, and has a default that must not be lost where a value is constructed.
struct Rank {
    static int living;
    std::string text;
    explicit Rank(const char *from) : text(from) { living++; }
    Rank(const Rank &other) : text(other.text) { living++; }
    Rank(Rank &&other) noexcept : text(std::move(other.text)) { living++; }
    ~Rank() { living--; }
};
int Rank::living = 0;
static const Rank recruit("recruit");
COVEY_CPP_DEFINE(Rank, covey::options().defaults(&recruit));
COVEY_CPP_DEFINE(Tags);
COVEY_CPP_DEFINE(Label, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Path, covey::options().relocatable().codec(&covey::codec_of<path_save, path_load>));
struct Dice {
    int eyes;
};
COVEY_CPP_DEFINE(Dice, covey::options().as_bytes());
struct Cache {
    int hits;
};
COVEY_CPP_DEFINE(Cache, covey::options().transient());

using namespace game;

static_assert(!std::is_copy_constructible_v<covey::world> && std::is_nothrow_move_constructible_v<covey::world>);

static void check_valid(covey::const_world_ref world) {
    const char *why = "";
    if (world.validate(&why)) return;
    std::printf("the world is not valid: %s\n", why);
    std::exit(1);
}

static void descriptors_say_what_the_types_are() {
    CHECK(covey::type_of<Position>() == &covey_type_Position);
    const covey_type *velocity = covey::type_of<Velocity>();
    CHECK(std::strcmp(velocity->name, "game::Velocity") == 0);
    CHECK(velocity->size == sizeof(Velocity) && velocity->align == alignof(Velocity));
    CHECK(!velocity->drop && !velocity->copy);
    CHECK(std::strcmp(covey::type_of<Fixed>()->name, "Fixed") == 0);
    CHECK(covey::type_of<Fixed>()->policy == COVEY_IN_PLACE);
    CHECK(covey::type_of<Packed>()->storage == COVEY_STORAGE_SPARSE);
    CHECK(velocity->storage == COVEY_STORAGE_DEFAULT && velocity->policy == COVEY_SWAP_AND_POP);
    CHECK(covey::type_of<Marked>()->size == 0);
    CHECK(covey::type_of<Bag>()->compact_above == 25 && covey::type_of<Fixed>()->compact_above == 0);
    CHECK(covey::type_of<Owner>()->drop && covey::type_of<Owner>()->copy);
    CHECK(covey::type_of<Box>()->drop && !covey::type_of<Box>()->copy);
}

static void the_verbs_do_what_those_of_c_do() {
    covey::world world;
    covey::entity e = world.create(), f = world.create();
    CHECK(world.add<Position>(e, { 1, 2 })->y == 2);
    CHECK(covey_get(world, e, Position) == world.get<Position>(e));
    CHECK(!world.add<Position>(e, { 3, 4 }));
    CHECK(world.result() == COVEY_ERROR_PRESENT);
    CHECK(world.set<Position>(e, { 5, 6 })->x == 5);
    CHECK(world.set<Velocity>(e, { 7, 8 })->x == 7);
    CHECK(world.get_or_add<Velocity>(e, { 9, 9 })->x == 7);
    CHECK(world.get_or_add<Velocity>(f, { 9, 9 })->x == 9);
    Velocity value = { 1, 1 };
    CHECK(world.replace<Velocity>(e, value) && value.x == 7);
    CHECK(!world.replace<Position>(f, *world.get<Position>(e)));
    float by = 2;
    CHECK(world.patch<Velocity>(e, [by](Velocity &v) { v.x *= by; })->x == 2);
    CHECK(world.patch_or_add<Velocity>(e, [by](Velocity &v) { v.y = v.x + by; })->y == 4);
    covey::entity g = world.create();
    CHECK(world.patch_or_add<Velocity>(g, [by](Velocity &v) { v.y += by; })->y == 2);
    CHECK(!world.patch_or_add<Velocity>({}, [](Velocity &) { CHECK(false); }));
    CHECK(world.add<Marked>(g) && world.take<Marked>(g) && !world.take<Marked>(g));
    CHECK(world.take<Velocity>(g)->y == 2 && !world.take<Velocity>(g));
    CHECK(world.set<Velocity>(g, { 0, 5 }));
    uint32_t asked = 0;
    CHECK(world.remove_if<Velocity>([&](covey::entity i, const Velocity &v) {
        asked++;
        return i == g && v.y == 5;
    }) == 1);
    CHECK(asked == 3 && !world.has<Velocity>(g) && world.destroy(g));
    CHECK((world.has_all<Position, Velocity>(e)));
    auto [position, velocity] = world.get<Position, const Velocity>(e);
    CHECK(position == world.get<Position>(e) && velocity == world.get<Velocity>(e) && velocity);
    CHECK((world.get<Velocity, Position>(f) == std::tuple<Velocity *, Position *>{}));
    CHECK((std::get<1>(world.get<Position, Velocity>(e)) == world.get<Velocity>(e)));
    CHECK((!world.has_all<Position, Velocity>(f)));
    CHECK((world.has_any<Position, Velocity>(f)));
    CHECK((!world.has_any<Position, Spin>(f)));
    CHECK(world.has_all<Position>(e) && world.has_any<Position>(e));
    CHECK(world.find<Velocity>({ 9, 9 }) == f);
    CHECK(world.find_if<Velocity>([](const Velocity &v) { return v.y == 9; }) == f);
    CHECK(covey_is_null(world.find<Velocity>({ 0, 9 })));
    CHECK(world.remove<Velocity>(e) && !world.remove<Velocity>(e));
    world.clear<Velocity>();
    CHECK(!world.has<Velocity>(f));
    check_valid(world);
}

static void a_derived_class_is_a_component_of_its_own() {
    covey::world world;
    covey::entity e = world.create();
    world.add<Velocity>(e, { 1, 2 });
    CHECK(!world.has<Spin>(e));
    CHECK(world.add<Spin>(e, { { 3, 4 } })->x == 3);
    CHECK(world.get<Velocity>(e)->x == 1);
}

static void tags_of_c_and_of_cpp() {
    covey::world world;
    covey::entity e = world.create(), f = world.create();
    CHECK(world.add<Frozen>(f) && world.add<Marked>(e));
    CHECK(!world.add<Marked>(e));
    CHECK(covey_has(world, f, Frozen) && world.has<Frozen>(f));
    CHECK(world.get<Marked>(e) && !world.get<Marked>(f));
    CHECK(world.first<Frozen>() == f);
    CHECK(world.remove<Marked>(e));
    CHECK(world.is_empty(e));
}

static void handles_of_nobody_are_refused() {
    covey::world world;
    covey::entity e = world.create();
    world.add<Velocity>(e, { 1, 2 });
    world.destroy(e);
    covey::entity next = world.create();
    world.add<Velocity>(next, { 3, 4 });
    for (covey::entity nobody : { e, covey::entity{}, covey::entity{ COVEY_NONE, 1 } }) {
        CHECK(!world.add<Velocity>(nobody, { 0, 0 }) && !world.set<Velocity>(nobody, { 0, 0 }));
        CHECK(!world.get<Velocity>(nobody) && !world.get_or_add<Velocity>(nobody, { 0, 0 }));
        CHECK(!world.remove<Velocity>(nobody) && !world.has<Velocity>(nobody));
        CHECK(!world.patch<Velocity>(nobody, [](Velocity &) { std::exit(1); }));
    }
    CHECK(world.get<Velocity>(next)->x == 3);
}

static void a_world_is_moved_and_freed_once() {
    covey::world world;
    covey_world *raw = world;
    covey::world moved = std::move(world);
    CHECK(moved == raw && !world);
    covey::world other;
    other = std::move(moved);
    CHECK(other == raw);
    covey::world taken(other.release());
    CHECK(!other && taken == raw);
    covey_world_desc desc = {};
    CHECK(covey::world(desc));
}

static void all_entities_in_a_loop() {
    covey::world world;
    std::unordered_set<covey::entity> made, seen;
    for (int i = 0; i < 10; i++) made.insert(world.create());
    for (covey::entity e : world.entities()) {
        seen.insert(e);
        world.destroy(e);
    }
    CHECK(seen == made && world.entity_count() == 0);
    for (covey::entity e : world.entities()) CHECK(e != e);
}

static void held_pools() {
    covey::world world;
    CHECK(!world.pool_find<Velocity>());
    covey::pool<Velocity> pool = world.pool<Velocity>();
    CHECK(pool && world.pool_find<Velocity>() == pool);
    covey::entity e = world.create(), f = world.create();
    CHECK(pool.add(e, { 1, 2 })->x == 1 && !pool.add(e, { 1, 2 }));
    CHECK(pool.set(f, { 3, 4 })->x == 3);
    CHECK(pool.get(e) == world.get<Velocity>(e) && pool.get_unchecked(f) == pool.get(f));
    CHECK(pool.has(e) && pool.count() == 2);
    CHECK(pool.remove(e) && !pool.remove(e) && !pool.has(e));
    CHECK(world.pool<Marked>().add(e));
    covey_pool_compact(pool, nullptr, nullptr);
    check_valid(world);
}

// Blocks, unless a type asks for a sparse set or names a policy.
static void arrays_are_for_those_who_ask() {
    covey::world world;
    world.create();
    covey::entity e = world.create();
    covey::pool<Velocity> blocks = world.pool<Velocity>();
    CHECK(blocks.add(e, { 1, 2 }) && blocks.next(0) == e.index && blocks.next(e.index + 1) == COVEY_NONE);
    covey::pool<Packed> packed = world.pool<Packed>();
    CHECK(packed.add(e, { 5 }) == &packed.values()[0] && packed.ids()[0] == e);
    CHECK(packed.position_count() == 1 && packed.next(0) == 0 && packed.next(1) == COVEY_NONE);
    covey::pool<Fixed> fixed = world.pool<Fixed>();
    CHECK(fixed.add(e, { 5 }) == &fixed.page(0)[0] && !fixed.values() && fixed.ids()[0] == e);
}

template <class T> static void walk(T first, T second) {
    covey::world world;
    covey::pool<T> pool = world.pool<T>();
    covey::entity made[] = { world.create(), world.create(), world.create() };
    CHECK(pool.add(made[0], first) && pool.add(made[2], second));
    int met = 0;
    for (uint32_t p = pool.next(0); p != COVEY_NONE; p = pool.next(p + 1), met++) {
        CHECK(pool.at(p) == made[2 * met]);
        CHECK(pool.value_at(p) == pool.get(made[2 * met]));
    }
    CHECK(met == 2 && covey_is_null(pool.at(1)) == (pool.storage() != COVEY_STORAGE_SPARSE));
}

static void pools_of_either_storage_are_walked_by_position() {
    walk<Velocity>({ 1, 2 }, { 3, 4 });
    walk<Packed>({ 1 }, { 2 });
}

static void owners_are_dropped_once() {
    Owner::copies_left = 1000;
    {
        covey::world world;
        covey::entity e = world.create(), f = world.create();
        Owner kept(1);
        CHECK(world.add<Owner>(e, Owner(2))->number == 2);
        CHECK(Owner::alive == 2);
        CHECK(!world.add<Owner>(e, std::move(kept)));
        CHECK(kept.number == 1 && Owner::alive == 2); // the call failed: it is still ours
        CHECK(!world.set<Owner>({}, std::move(kept)) && kept.number == 1);
        CHECK(world.get_or_add<Owner>(e, std::move(kept))->number == 2 && kept.number == 1);
        CHECK(world.set<Owner>(e, std::move(kept))->number == 1);
        CHECK(kept.number == Owner::moved_from && Owner::alive == 2);
        CHECK(world.add<Owner>(f, Owner(3)));
        Owner other(4);
        CHECK(world.replace<Owner>(f, other) && other.number == 3);
        CHECK(world.get<Owner>(f)->number == 4 && Owner::alive == 4);
        CHECK(world.remove<Owner>(f) && Owner::alive == 3);
        covey::pool<Owner> pool = world.pool<Owner>();
        CHECK(pool.add(f, Owner(5)) && pool.set(f, Owner(6))->number == 6);
        CHECK(Owner::alive == 4);
        CHECK(!pool.add(f, std::move(other)) && other.number == 3);
        CHECK(pool.at(pool.position(f)) == f && pool.storage() == COVEY_STORAGE_BLOCK && !pool.owner());
        CHECK(pool.take(f)->number == 6 && !pool.take(f));
        CHECK(Owner::alive == 3);
        CHECK(pool.add(f, Owner(9)));
        CHECK(pool.remove_if([](covey::entity, const Owner &o) { return o.number == 9; }) == 1 && Owner::alive == 3);
        CHECK(world.patch_or_add<Bag>(f, [](Bag &bag) { bag.push_back(4); })->size() == 1);
        CHECK(world.patch_or_add<Bag>(f, [](Bag &bag) { bag.push_back(5); })->size() == 2);
        CHECK(world.take<Bag>(f)->back() == 5);
        for (int i = 0; i < 100; i++) world.add<Owner>(world.create(), Owner(i));
        world.destroy(e);
    }
    CHECK(Owner::alive == 0);
}

static void copies_use_the_copy_constructor() {
    covey::world world;
    covey::entity e[4];
    CHECK(world.create_many(e, 4));
    {
        Owner original(7);
        Owner::copies_left = 1000;
        CHECK(world.add_copies<Owner>(e, 2, original));
        CHECK(world.get<Owner>(e[1])->number == 7 && Owner::alive == 3);
#if defined(__cpp_exceptions)
        Owner::copies_left = 1; // the second copy throws
        CHECK(!world.add_copies<Owner>(e + 2, 2, original));
        CHECK(world.result() == COVEY_ERROR_COPY && Owner::alive == 3);
#endif
        Box box;
        CHECK(!world.add_copies<Box>(e, 2, box));
        CHECK(world.result() == COVEY_ERROR_COPY);
    }
    {
        Owner original(9);
        Owner::copies_left = 1000;
        covey::entity made[3], one = world.create_with(original, Velocity{ 1, 2 });
        CHECK(world.get<Owner>(one)->number == 9 && world.get<Velocity>(one)->y == 2);
        CHECK(world.create_many_with(made, 3, Velocity{ 3, 4 }, original));
        CHECK(world.get<Velocity>(made[2])->x == 3 && Owner::alive == 7);
        covey::entity empty = world.create_for<Owner, Velocity>(), like = world.create_like(one);
        CHECK(world.is_empty(empty) && world.is_empty(like));
    }
    world.clear<Owner>();
    CHECK(Owner::alive == 0);
    {
        Owner kept(3);
        Title title{ "a text that is too long to be stored in a string itself" };
        for (int i = 0; i < 40; i++) { /* the first are not of a kind yet */
            covey::entity made = world.create_with(Owner(i), Velocity{ 1, 2 }, Title(title), Marked{});
            CHECK(world.get<Owner>(made)->number == i && world.get<Title>(made)->text == title.text);
        }
        CHECK(Owner::alive == 41);
        CHECK(covey_is_null(world.create_with(std::move(kept), std::move(title), Marked{}, Marked{})));
        CHECK(world.result() == COVEY_ERROR_PRESENT && kept.number == 3 && title.text.size() > 40);
        covey::entity made = world.create_with(std::move(kept), std::move(title));
        CHECK(kept.number == Owner::moved_from && world.get<Title>(made)->text.size() > 40);
        for (int i = 0; i < 100; i++) { /* the value lies in the pool that grows */
            made = world.create_with(Packed{ i });
            CHECK(world.alive(world.create_with(*world.get<Packed>(made))));
        }
    }
    world.destroy_all();
    CHECK(Owner::alive == 0 && world.create_many(e, 4));
    const Velocity values[] = { { 1, 1 }, { 2, 2 } };
    CHECK(world.add_array<Velocity>(e, 2, values) && world.get<Velocity>(e[1])->x == 2);
    Velocity gathered[3] = {};
    uint32_t positions[3] = {};
    CHECK(world.gather<Velocity>(e, 2, gathered, positions) == 2 && gathered[1].x == 2 && positions[1] == 1);
    CHECK(world.gather_since<Velocity>(e, 2, 1, gathered) == 2); /* it has no ticks */
    CHECK(world.remove_many<Velocity>(e, 2) == 2 && world.gather<Velocity>(e, 2, gathered) == 0);
}

static void types_of_the_standard_library() {
    covey::world world;
    std::vector<covey::entity> made;
    for (int i = 0; i < 100; i++) {
        covey::entity e = world.create();
        made.push_back(e);
        world.add<Bag>(e, { i, i + 1 });
        world.add<Box>(e, std::make_unique<int>(i));
    }
    for (std::size_t i = 0; i < made.size(); i += 3) world.destroy(made[i]);
    world.compact();
    for (std::size_t i = 0; i < made.size(); i++) {
        if (i % 3 == 0) continue;
        CHECK(world.get<Bag>(made[i])->back() == static_cast<int>(i) + 1);
        CHECK(**world.get<Box>(made[i]) == static_cast<int>(i));
    }
    check_valid(world);
}

static void a_value_may_lie_in_the_pool_that_grows_for_it() {
    covey::world world;
    covey::entity first = world.create();
    world.add<Velocity>(first, { 1, 2 });
    for (int i = 0; i < 100; i++) CHECK(world.add<Velocity>(world.create(), *world.get<Velocity>(first))->y == 2);
}

// Entities with Velocity, every second also with Packed, every third with Marked.
static std::vector<covey::entity> make_some(covey::world_ref world, int count) {
    std::vector<covey::entity> made;
    for (int i = 0; i < count; i++) {
        covey::entity e = world.create();
        made.push_back(e);
        world.add<Velocity>(e, { static_cast<float>(i), 1 });
        if (i % 2 == 0) world.add<Packed>(e, { i });
        if (i % 3 == 0) world.add<Marked>(e);
    }
    return made;
}

static void views_span_by_span() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 100);
    auto all = world.view<Velocity>();
    std::size_t rows = 0;
    all.spans([&](std::size_t n, Velocity *v) {
        for (std::size_t i = 0; i < n; i++) v[i].y = v[i].x * 2;
        rows += n;
    });
    CHECK(rows == 100 && all.count() == 100 && world.get<Velocity>(made[7])->y == 14);
    rows = 0;
    all.with<const Packed>().without<Marked>().spans([&](const covey_iter &it, Velocity *v, const Packed *p) {
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            covey::entity e = covey_span_entity(&it, i);
            CHECK(&v[i] == world.get<Velocity>(e) && &p[i] == world.get<Packed>(e));
            CHECK(!world.has<Marked>(e));
        }
    });
    CHECK(rows == 33);
    int spans_with = 0, spans_without = 0;
    all.optional<const Packed>().spans(
        [&](std::size_t, Velocity *, const Packed *p) { ++(p ? spans_with : spans_without); });
    CHECK(spans_with == 50 && spans_without == 50);
}

static void views_row_by_row() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 100);
    auto both = world.view<Velocity, const Packed>();
    int sum = 0;
    both.each([&](covey::entity e, Velocity &v, const Packed &p) {
        CHECK(&v == world.get<Velocity>(e) && v.x == static_cast<float>(p.number));
        sum += p.number;
    });
    CHECK(sum == 2450);
    both.each([&](Velocity &v, const Packed &p) { v.y = static_cast<float>(p.number); });
    CHECK(world.get<Velocity>(made[8])->y == 8);
    int tagged = 0, missing = 0;
    auto loose = world.view<>().any<Packed, const Marked>().optional<Velocity>().with<>();
    loose.each([&](covey::entity e, Packed *p, const Marked *m, Velocity *v) {
        CHECK(v && (p || m) && p == world.get<Packed>(e));
        tagged += m != nullptr;
        missing += p == nullptr;
    });
    CHECK(tagged == 34 && missing == 17 && loose.count() == 67);
    both.with<Marked>().each([&](covey::entity e, Velocity &, const Packed &, Marked &) { world.destroy(e); });
    CHECK(both.count() == 33 && world.entity_count() == 83);
    int everyone = 0;
    world.view<>().each([&](covey::entity) { everyone++; });
    const covey::const_world_ref reader = world;
    uint32_t read = 0;
    reader.view<Velocity>().optional<Packed>().without<Marked>().each(
        [&](covey::entity e, const Velocity &, const Packed *p) { read += p == world.get<Packed>(e); });
    CHECK(read == reader.view<Velocity>().without<Marked>().count() && read != 0);
    auto twice = reader.view<Velocity, Velocity>();
    CHECK(reader.view<>().include_disabled().valid() && !twice.valid());
    CHECK(everyone == 83);
    check_valid(world);
}

static void views_are_values() {
    covey::world world;
    auto none = world.view<Position>().without<Frozen>();
    auto kept = none;
    CHECK(none.valid() && none.count() == 0 && covey_is_null(none.first()));
    covey::entity e = world.create(), f = world.create();
    world.add<Position>(e, { 1, 2 });
    world.add<Position>(f, { 3, 4 });
    world.add<Frozen>(e);
    CHECK(kept.count() == 1 && kept.first() == f && kept.contains(f) && !kept.contains(e));
    CHECK(!kept.with<Frozen>().valid()); // a type in two places
    CHECK(world.result() == COVEY_ERROR_TYPE);
    kept.with<Frozen>().each([](covey::entity, Position &, Frozen &) { std::exit(1); });
    auto reads = world.view<const Position>().optional<Velocity>();
    CHECK(reads.is_read_only(0) && !reads.is_read_only(1) && reads.fields() == 2);
    CHECK(reads.type(0) == covey::type_of<Position>());
}

static void views_in_the_order_of_a_pool_or_a_list() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 10), seen;
    auto view = world.view<Velocity>();
    covey::pool<Packed> packed = world.pool<Packed>();
    CHECK(packed.swap(made[0], made[8]) == COVEY_OK);
    view.each(view.iter_by(packed), [&](covey::entity e, Velocity &) { seen.push_back(e); });
    CHECK(seen.size() == 5 && seen.front() == made[8] && seen.back() == made[0]);
    const covey::entity list[] = { made[3], made[1], made[3] };
    float sum = 0;
    view.spans(view.iter_list(list, 3), [&](std::size_t n, const Velocity *v) {
        for (std::size_t i = 0; i < n; i++) sum += v[i].x;
    });
    CHECK(sum == 7);
}

static void pools_change_their_storage() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 50);
    covey::pool<Packed> packed = world.pool<Packed>();
    CHECK(packed.convert(COVEY_STORAGE_BLOCK) == COVEY_OK);
    CHECK(packed.get(made[48])->number == 48);
    covey::pool<Pinned> pinned = world.pool<Pinned>();
    Pinned *first = pinned.add(made[0], { 1 });
    for (covey::entity e : made) pinned.set(e, { 2 });
    CHECK(pinned.get(made[0]) == first && pinned.convert(COVEY_STORAGE_BLOCK) == COVEY_ERROR_REFUSED);
    check_valid(world);
}

// The layers of sprites as they lie.
static std::vector<int> layers(covey::pool<Sprite> sprites) {
    std::vector<int> found;
    for (uint32_t i = 0; i < sprites.position_count(); i++) found.push_back(sprites.values()[i].layer);
    return found;
}

static void pools_are_sorted() {
    covey::world world;
    covey::pool<Sprite> sprites = world.pool<Sprite>();
    std::vector<covey::entity> made;
    for (int i = 0; i < 5; i++) {
        made.push_back(world.create());
        sprites.add(made.back(), { i, -0.5f * static_cast<float>(i) });
    }
    CHECK(sprites.sort(covey::by<&Sprite::depth>()) == COVEY_OK);
    CHECK((layers(sprites) == std::vector<int>{ 4, 3, 2, 1, 0 }));
    CHECK(sprites.sort(covey::by<&Sprite::layer>()) == COVEY_OK);
    CHECK((layers(sprites) == std::vector<int>{ 0, 1, 2, 3, 4 }));
    CHECK(sprites.sort(covey::by<&Sprite::layer>(true)) == COVEY_OK && layers(sprites).front() == 4);
    CHECK(sprites.sort({}) == COVEY_OK && sprites.ids()[0] == made[0]); // by index
    int middle = 2;
    CHECK(sprites.sort([middle](const Sprite &a, const Sprite &b) {
        return std::abs(a.layer - middle) < std::abs(b.layer - middle);
    }) == COVEY_OK);
    CHECK((layers(sprites) == std::vector<int>{ 2, 1, 3, 0, 4 })); // equals stay as they were
    CHECK(sprites.sort([](covey::entity a, covey::entity b) { return a.index > b.index; }) == COVEY_OK);
    CHECK((layers(sprites) == std::vector<int>{ 4, 3, 2, 1, 0 }));
    std::vector<int> visited; // rows come in the order of the pool
    world.view<const Sprite>().each([&](const Sprite &s) { visited.push_back(s.layer); });
    CHECK(visited == layers(sprites));
    CHECK(sprites.compact() == COVEY_OK);
    CHECK(sprites.compact([](covey::entity, const void *, void *, void *) {}) == COVEY_ERROR_REFUSED);
    covey::pool<Timer> timers = world.pool<Timer>();
    for (covey::entity e : made) timers.add(e, { 10 - static_cast<int64_t>(e.index) });
    CHECK(timers.sort_as(sprites) == COVEY_OK && timers.ids()[0] == sprites.ids()[0]);
    CHECK(timers.keep_sorted(covey::by<&Timer::at>()) == COVEY_OK);
    CHECK(timers.add(world.create(), { 8 }) == timers.values() + 3 && timers.remove(made[4]));
    CHECK(timers.values()[0].at == 7 && timers.values()[1].at == 8 && timers.values()[4].at == 10);
    CHECK(timers.sort({}) == COVEY_ERROR_REFUSED);
    timers.end_keep_sorted();
    CHECK(timers.sort({}) == COVEY_OK);
    CHECK(world.pool<Velocity>().sort({}) == COVEY_ERROR_REFUSED); // in blocks
    check_valid(world);
}

static void groups() {
    covey::world world;
    auto drawn = world.group<Sprite, const Timer, covey::with<Velocity>, covey::without<Marked>>();
    CHECK(drawn && drawn.count() == 0 && covey_is_null(drawn.first()));
    std::vector<covey::entity> made = make_some(world, 60);
    for (std::size_t i = 0; i < made.size(); i++) {
        int number = static_cast<int>(i);
        if (i % 2 == 0) world.add<Sprite>(made[i], { number, -static_cast<float>(number) });
        if (i % 4 == 0) world.add<Timer>(made[i], { number });
    }
    CHECK(drawn.count() == 10 && drawn.contains(made[4]) && !drawn.contains(made[12]) && !drawn.contains(made[2]));
    std::size_t met = 0;
    drawn.spans([&](std::size_t n, Sprite *s, const Timer *t, Velocity *v) {
        for (std::size_t i = 0; i < n; i++, met++)
            CHECK(s[i].layer == t[i].at && v[i].x == static_cast<float>(t[i].at));
    });
    CHECK(met == 10);
    CHECK(drawn.sort<Sprite>(covey::by<&Sprite::depth>()) == COVEY_OK && drawn.first() == made[56]);
    CHECK(world.pool<Timer>().ids()[0] == made[56]);
    CHECK(drawn.sort<Timer>([](const Timer &a, const Timer &b) { return a.at < b.at; }) == COVEY_OK);
    CHECK(drawn.first() == made[4]);
    using same = covey::group<Sprite, const Timer, covey::with<Velocity>, covey::without<Marked>>;
    CHECK(same(world) == drawn &&
          (world.group_find<Sprite, Timer, covey::with<Velocity>, covey::without<Marked>>() == drawn));
    CHECK((!world.group_find<Sprite, const Timer, covey::with<Velocity>>()));
    CHECK(drawn.sort_as(world.pool<Velocity>()) == COVEY_OK && drawn.first() == made[4]);
    drawn.each([&](covey::entity e, Sprite &s, const Timer &, Velocity &v) {
        CHECK(&s == world.get<Sprite>(e) && &v == world.get<Velocity>(e));
        if (s.layer % 8 == 0) world.destroy(e);
        else world.add<Marked>(e);
    });
    CHECK(drawn.count() == 0);
    auto all = world.group<covey::with<const Velocity>>(); // owns nothing
    all.each([&](const Velocity &v) { met += v.y == 1; });
    CHECK(all.count() == 55 && met == 65);
    CHECK((!world.group<Sprite, Packed>()));
    CHECK(world.result() == COVEY_ERROR_CONFLICT);
    CHECK((!world.group<Sprite, Velocity>())); // one is sparse, the other is not
    CHECK(world.result() == COVEY_ERROR_REFUSED);
    check_valid(world);
    covey_group_destroy(drawn);
    CHECK((world.group<Sprite, Packed>()));
    check_valid(world);
}

// A short std::string of libstdc++ points into itself, so memcpy must not move it; a map owns nodes that point to it.
static void classes_that_memcpy_must_not_move() {
    covey::world world;
    std::vector<covey::entity> made(500);
    CHECK(world.create_many(made.data(), 500));
    for (int i = 0; i < 500; i++) {
        std::string text(static_cast<size_t>(i % 40), static_cast<char>('a' + i % 26));
        CHECK(world.add<Title>(made[static_cast<size_t>(i)], Title{ text }));
        if (i % 3 == 0) CHECK(world.add<Tags>(made[static_cast<size_t>(i)], Tags{ { { i, text }, { -i, "x" } } }));
        if (i % 2 == 0) CHECK(world.add<Label>(made[static_cast<size_t>(i)], Label{ text }));
    }
    auto group = world.group<Title, Tags>();
    CHECK(group && group.count() == 167);
    covey::pool<Label> labels = world.pool<Label>();
    covey_order by_index = {};
    by_index.descending = true;
    CHECK(covey_pool_sort(labels, &by_index) == COVEY_OK);
    for (size_t i = 0; i < 500; i += 7) CHECK(world.remove<Title>(made[i]));
    for (size_t i = 0; i < 500; i += 5) world.destroy(made[i]);
    world.compact();
    CHECK(labels.convert(COVEY_STORAGE_BLOCK) == COVEY_OK);
    CHECK(world.add<Title>(made[7], Title{ "seven" }) && world.set<Title>(made[8], Title{ "eight" }));
    covey::entity twin{};
    CHECK(world.clone(made[8], &twin, 1) && world.get<Title>(twin)->text == "eight");
    for (int i = 0; i < 500; i++) {
        covey::entity e = made[static_cast<size_t>(i)];
        std::string text(static_cast<size_t>(i % 40), static_cast<char>('a' + i % 26));
        const Title *title = world.get<Title>(e);
        const Tags *tags = world.get<Tags>(e);
        const Label *label = world.get<Label>(e);
        CHECK((title != nullptr) == (i % 5 != 0 && (i % 7 != 0 || i == 7)));
        if (title) CHECK(title->text == (i == 7 ? "seven" : i == 8 ? "eight" : text));
        CHECK((tags != nullptr) == (i % 5 != 0 && i % 3 == 0));
        if (tags && i != 0) CHECK(tags->by_number.size() == 2 && tags->by_number.at(i) == text);
        CHECK((label != nullptr) == (i % 5 != 0 && i % 2 == 0));
        if (label) CHECK(label->text == text);
    }
    check_valid(world);
}

static void values_are_constructed_in_place() {
    covey::world world;
    covey::entity first = world.create(), second = world.create();
    const Anchor *one = world.add<Anchor>(first, nullptr, "one");
    const Anchor *two = world.add<Anchor>(second, one, std::string("two"));
    CHECK(one && two && two->next == one && one->self == one && two->self == two && !one->moved && !two->moved);
    CHECK(one == world.get<Anchor>(first) && one->text == "one" && two->text == "two");
    CHECK(!world.add<Anchor>(first, nullptr, "again") && world.result() == COVEY_ERROR_PRESENT);
    for (int i = 0; i < 200; i++) CHECK(world.add<Anchor>(world.create(), one, "more"));
    CHECK(world.get<Anchor>(second) == two && two->self == two);
    CHECK(world.add<Title>(first, "a title")->text == "a title"); // in blocks, where it may move later
    std::optional<Anchor> taken = world.take<Anchor>(second);
    CHECK(taken && taken->moved && taken->text == "two" && taken->next == one);
    world.destroy(second);
    CHECK(!world.add<Anchor>(second, nullptr, "late") && world.result() == COVEY_ERROR_DEAD);
    check_valid(world);
}

static void constructing_ends_the_default_that_was_there() {
    int before = Rank::living;
    {
        covey::world world;
        covey::entity e = world.create();
        CHECK(world.add<Rank>(e, "captain")->text == "captain");
        CHECK(Rank::living == before + 1);
    }
    CHECK(Rank::living == before);
}

static void listeners_are_function_objects() {
    using game::Velocity;
    covey::world world;
    covey::entity e = world.create(), other = world.create();
    int added = 0, changed = 0, ended = 0, tags = 0;
    auto on_add = [&](covey::entity who, Velocity &v) { added += who == e && v.x == 1; };
    auto on_change = [&](const covey_event &event) { changed += static_cast<int>(event.count); };
    auto on_end = [&](covey::entity) { ended++; };
    const auto on_tag = [&tags](covey::entity) { tags++; };
    covey::connection first = world.on<Velocity>().connect(COVEY_ON_ADD, on_add);
    {
        auto second = world.on<Velocity>().connect(COVEY_ON_SET | COVEY_ON_REMOVE, on_change);
        auto third = world.on().connect(COVEY_ON_DESTROY, on_end);
        auto fourth = world.on<Frozen>().connect(COVEY_ON_ADD, on_tag);
        CHECK(first.connected() && second.connected() && third.connected() && fourth.connected());
        world.add<Velocity>(e, { 1, 2 });
        world.set<Velocity>(e, { 3, 4 });
        world.patch<Velocity>(e, [](Velocity &v) { v.x = 5; });
        world.add<Frozen>(e);
        world.remove<Velocity>(e);
        world.destroy(other);
    }
    world.add<Velocity>(e, { 1, 2 });
    world.remove<Velocity>(e);
    CHECK(added == 2 && changed == 3 && ended == 1 && tags == 1);
    covey::connection moved = std::move(first);
    CHECK(moved.connected() && !first.connected());
    moved.disconnect();
    CHECK(!moved.connected());
    CHECK(!world.on<Velocity>().connect(COVEY_ON_CREATE, on_add).connected());
    covey::connection(world.on().connect(COVEY_ON_DESTROY, on_end)).release(); // until the world ends
    world.destroy(e);
    CHECK(ended == 2);
    check_valid(world);
}

// A value that a listener removes at once is dropped once, and does not come back.
static void owners_may_be_gone_at_once() {
    using game::Owner;
    int before = Owner::alive;
    {
        covey::world world;
        covey::entity e = world.create();
        auto removes = [&](covey::entity who) { world.remove<Owner>(who); };
        auto connection = world.on<Owner>().connect(COVEY_ON_ADD | COVEY_ON_SET, removes);
        Owner owner(7);
        CHECK(!world.add<Owner>(e, std::move(owner)));
        CHECK(world.result() == COVEY_ERROR_GONE);
        CHECK(owner.number == Owner::moved_from && Owner::alive == before + 1);
        Owner second(8);
        CHECK(!world.pool<Owner>().set(e, std::move(second)));
        CHECK(Owner::alive == before + 2);
        CHECK(!world.add<Owner>({}, std::move(second)) && Owner::alive == before + 2);
        check_valid(world);
    }
    CHECK(Owner::alive == before);
}

static void queues_and_reactive_sets() {
    using game::Packed;
    using game::Velocity;
    covey::world world;
    float limit = 5;
    covey::queue queue(world);
    CHECK(covey_connected(world, queue.connect<Velocity>(COVEY_ON_ADD | COVEY_ON_REMOVE)));
    CHECK(covey_connected(world, queue.connect(COVEY_ON_CREATE)));
    auto changed = world.reactive().added<Velocity>().set<Packed>().with<Velocity, const Packed>().make();
    CHECK(changed && queue);
    covey::entity e[3];
    CHECK(world.create_many(e, 3));
    for (covey::entity one : e) world.add<Velocity>(one, { 1, 2 });
    world.add<Packed>(e[1], { 9 });
    CHECK(queue.count() == 6 && changed.count() == 3 && changed.contains(e[0]));
    int seen = 0;
    changed.each(
        [&](covey::entity one, Velocity &v, const Packed &p) { seen += one == e[1] && v.x == 1 && p.number == 9; });
    changed.spans([&](size_t n, Velocity *, const Packed *) { seen += static_cast<int>(n); });
    CHECK(seen == 2);
    changed.clear();
    world.set<Packed>(e[1], { 3 });
    CHECK(changed.count() == 1 && covey_has_raw(world, e[1], changed.type()));
    int created = 0, added = 0;
    queue.each([&](const covey_event &event) {
        created += event.signal == COVEY_ON_CREATE;
        added += event.signal == COVEY_ON_ADD && event.type == covey::type_of<Velocity>();
    });
    CHECK(created == 3 && added == 3 && queue.count() == 0);
    covey::queue valued(world);
    CHECK(covey_connected(world, valued.connect<Packed>(COVEY_ON_SET, true)));
    world.set<Packed>(e[1], { 5 });
    valued.each([&](const covey_event &event) { CHECK(static_cast<const Packed *>(event.values)->number == 5); });
    covey::queue moved(std::move(queue));
    world.destroy(e[0]);
    CHECK(moved.count() == 1);
    moved.clear();
    auto removed = world.reactive().removed<Velocity>().without<Frozen>().make();
    world.remove<Velocity>(e[2]);
    int lost = 0;
    removed.each([&](covey::entity one) { lost += one == e[2]; });
    CHECK(lost == 1);
    auto decided = world.reactive()
                       .patched<Velocity>()
                       .decided_by(
                           [](const covey_event *event, void *least) {
                               return static_cast<const Velocity *>(event->values)->x > *static_cast<float *>(least);
                           },
                           &limit)
                       .keep_destroyed()
                       .make();
    covey::entity slow = world.create(), fast = world.create();
    for (covey::entity one : { slow, fast }) world.add<Velocity>(one, { one == fast ? 9.0f : 1.0f, 0 });
    for (covey::entity one : { slow, fast }) world.patch<Velocity>(one, [](Velocity &v) { v.y = 1; });
    CHECK(decided.count() == 1 && decided.contains(fast));
    CHECK(decided.listen<Packed>(COVEY_ON_CREATE) == COVEY_ERROR_RANGE);
    CHECK(decided.listen<Packed>(COVEY_ON_REMOVE) == COVEY_OK);
    world.destroy(fast);
    int ends = 0;
    decided.each_destroyed([&](covey::entity one) { ends += one == fast && !world.alive(one); });
    CHECK(ends == 1 && decided.count() == 0);
}

static void trees() {
    covey::world world;
    covey::hierarchy family(world);
    covey::const_hierarchy read(world);
    std::vector<covey::entity> e = make_some(world, 5); // 0 has 1 and 2, 1 has 3, and 4 is alone
    CHECK(family.parent_set(e[2], e[0]) && family.parent_set(e[1], e[0]) && family.child_move(e[1], e[2]));
    CHECK(family.parent_set(e[3], e[1]) && family.name_set(e[3], "leaf"));
    CHECK(family.parent_set(e[0], e[3]) == COVEY_ERROR_CYCLE);
    CHECK(read.parent(e[1]) == e[0] && covey_is_null(read.parent(e[0])) && read.child_count(e[0]) == 2);
    CHECK(read.child_first(e[0]) == e[1] && read.child_last(e[0]) == e[2] && read.child_next(e[1]) == e[2]);
    CHECK(read.child_previous(e[2]) == e[1] && read.depth(e[3]) == 2 && read.is_ancestor(e[0], e[3]));
    std::vector<covey::entity> children, tree, nobody;
    for (covey::entity i : read.children(e[0])) children.push_back(i);
    for (covey::entity i : family.tree(e[0])) tree.push_back(i);
    CHECK((children == std::vector<covey::entity>{ e[1], e[2] }));
    CHECK((tree == std::vector<covey::entity>{ e[0], e[1], e[3], e[2] }));
    CHECK(read.find_path(e[1], "leaf") == e[3] && read.find_child(e[1], "leaf") == e[3]);
    CHECK(std::strcmp(read.name(e[3]), "leaf") == 0 && !read.name(e[0]));
    char text[40];
    CHECK(read.path_print(text, sizeof text, e[3]) > 0 && std::strstr(text, "leaf"));
    for (std::size_t i = e.size(); i-- != 0;) world.add<Sprite>(e[i], { static_cast<int>(i), 0 });
    CHECK(family.sort_by_depth<Sprite>());
    CHECK((layers(world.pool<Sprite>()) == std::vector<int>{ 4, 0, 2, 1, 3 }));
    CHECK(family.sort_by_depth<Velocity>() == COVEY_ERROR_REFUSED);
    covey::world other;
    covey::entity twin = family.clone_tree_into(other, e[0]);
    CHECK(covey::const_hierarchy(other).child_count(twin) == 2 && other.entity_count() == 4);
    CHECK(family.destroy_tree(e[0]) == 4);
    for (covey::entity i : family.tree(e[0])) nobody.push_back(i);
    for (covey::entity i : family.children(e[0])) nobody.push_back(i);
    CHECK(nobody.empty());
    check_valid(world);
}

static void resources() {
    covey::world world;
    CHECK(!world.resource_get<Position>() && !world.resource_remove<Position>());
    Position *p = world.resource_set<Position>({ 1, 2 });
    CHECK(world.resource_get<Position>() == p && world.resource_set<Position>({ 3, 4 }) == p && p->x == 3);
    CHECK(world.resource_set<Marked>() && world.resource_has<Marked>());
    Owner owner(7);
    CHECK(world.resource_set<Owner>(std::move(owner))->number == 7 && owner.number == Owner::moved_from);
    CHECK(Owner::alive == 2 && world.resource_remove<Owner>() && Owner::alive == 1);
    CHECK(world.resource_set<Owner>(Owner(8)) && world.resource_take<Owner>()->number == 8);
    CHECK(!world.resource_take<Owner>() && Owner::alive == 1);
    CHECK(world.resource_count() == 2);
    check_valid(world);
}

static void references_to_entities() {
    covey::world world;
    covey::entity_ref none,
        ship = covey::entity_ref::create(world).add<Position>({ 1, 2 }).add<Marked>().set<Velocity>({ 3, 4 });
    CHECK(ship.alive() && !none.alive() && ship != none);
    CHECK((std::get<1>(ship.get<Position, Marked>()) == ship.get<Marked>()));
    CHECK((ship.has_all<Position, Marked>() && !ship.has_any<Frozen, Spin>() && ship.has<Velocity>()));
    CHECK(ship.get<Position>()->y == 2 && ship.get_or_add<Spin>({ { 5, 6 } })->x == 5);
    CHECK(ship.patch<Position>([](Position &p) { p.x = 9; })->x == 9);
    Velocity value = { 7, 8 };
    CHECK(ship.replace<Velocity>(value) && value.x == 3);
    covey::entity_ref second = ship.clone();
    CHECK(second != ship && second.get<Position>()->x == 9 && world.alive(second));
    CHECK(ship.remove<Marked>() && second.has<Marked>());
    CHECK(ship.patch_or_add<Velocity>([](Velocity &v) { v.x = 6; })->x == 6 && ship.take<Velocity>()->x == 6);
    covey::world other;
    covey::entity plain = ship;
    CHECK(covey::entity_ref(world, plain) == ship && covey::entity_ref(other, plain) != ship);
    CHECK(covey::entity_ref::create(world).is_empty() && !ship.is_empty());
    CHECK(ship.destroy() && !ship.alive() && !ship.destroy() && !ship.get<Position>() && !ship.clone().alive());
}

static void copies_of_entities_and_worlds() {
    covey::world world;
    covey::entity e = world.create(), to = world.create(), clones[3];
    world.add<Owner>(e, Owner(5));
    CHECK(world.copy(e, to) && world.get<Owner>(to)->number == 5 && Owner::alive == 2);
    CHECK(world.clone(e, clones, 3) && Owner::alive == 5);
    covey::world second = world.clone();
    CHECK(second && Owner::alive == 10 && second.get<Owner>(clones[2])->number == 5);
    check_valid(second);
    world.add<Box>(e, std::make_unique<int>(1)); /* has no copy constructor */
    CHECK(covey::type_of<Box>()->no_copy && !world.copy(e, to));
    CHECK(world.result() == COVEY_ERROR_COPY && Owner::alive == 10);
    CHECK(covey::options().no_copy().describe<Position>("Position").no_copy);
}

static void commands_are_recorded_and_replayed() {
    covey::world world;
    covey_commands_desc desc = {};
    desc.entities = 2;
    covey::commands later(world, desc);
    covey::entity e = later.create(), gone = world.create();
    Owner owner(7);
    int alive = Owner::alive;
    CHECK(later && later.add<Velocity>(e, { 1, 2 }) && later.add<Marked>(e) && later.add<Owner>(e, std::move(owner)));
    CHECK(owner.number == Owner::moved_from);
    CHECK(later.set<Velocity>(e, { 3, 4 }) && later.add<Owner>(gone, Owner(8)) && later.destroy(gone));
    CHECK(later.count() == 7 && !world.alive(e));
    world.destroy(gone);
    covey_replay replay = later.replay();
    CHECK(replay.result == COVEY_OK && replay.done == 5 && replay.skipped == 2 && replay.left == 0);
    CHECK(world.get<Velocity>(e)->x == 3 && world.has<Marked>(e));
    CHECK(world.get<Owner>(e)->number == 7 && Owner::alive == alive + 1);
    CHECK(later.remove<Owner>(e) && later.add<Owner>(e, Owner(9)));
    later.clear();
    CHECK(Owner::alive == alive + 1 && later.count() == 0);
    later.create(), later.create();
    CHECK(!later.add<Owner>(later.create(), Owner(10))); /* two ids were ready */
    CHECK(Owner::alive == alive + 1);
    replay = later.replay();
    CHECK(replay.result == COVEY_ERROR_FULL && replay.done == 2 && replay.lost == 2);
}

static void commands_take_ids_from_the_world() {
    covey::world world;
    covey::commands later(world);
    int called = 0, *calls = &called;
    CHECK(later.call([calls](covey::world_ref in) { *calls += in.entity_count() == 0; }));
    CHECK(later.call([](covey::world_ref) { return COVEY_ERROR_ABSENT; }));
    CHECK(later.replay().result == COVEY_ERROR_ABSENT && called == 1 && later.count() == 1);
    CHECK(later.skip() && !later.skip() && later.call([calls](covey::world_ref) { ++*calls; }));
    later.clear();
    CHECK(called == 1 && later.result() == COVEY_OK && later.memory() != 0 && later.reserve(2));
    for (int i = 0; i < 100; i++) CHECK(later.add<Velocity>(later.create(), { 1, 2 }));
    CHECK(later.replay().result == COVEY_OK && world.entity_count() == 100);
}

static void what_is_disabled() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 60);
    auto all = world.view<const Velocity>();
    CHECK(world.disable(made[0]) == COVEY_OK && world.disable<Velocity>(made[1]) == COVEY_OK);
    CHECK(!world.is_enabled<Velocity>(made[1]) && world.is_enabled<Velocity>(made[0]));
    CHECK(all.count() == 58 && all.include_disabled().count() == 60 &&
          all.include_disabled().with<Packed>().contains(made[0]));
    CHECK(all.with<covey_disabled>().count() == 1 && all.without<covey_disabled>().count() == 58);
    CHECK(world.has<covey_disabled>(made[0]) && world.enable<Velocity>(made[1]) == COVEY_OK);
    CHECK(world.remove<covey_disabled>(made[0]) && all.count() == 60);
}

static void what_was_changed() {
    covey::world world;
    std::vector<covey::entity> made = make_some(world, 60);
    for (std::size_t i = 0; i < made.size(); i++) world.add<Score>(made[i], { static_cast<int>(i) });
    auto read = world.view<const Score>().changed<Score>();
    CHECK(read.valid() && !world.view<Velocity>().changed<Velocity>().valid());
    uint64_t seen = world.tick_advance();
    int found = 0;
    read.each_since(seen, [&](const Score &) { found++; });
    CHECK(found == 0);
    world.patch<Score>(made[5], [](Score &s) { s.points = 100; });
    world.view<Score, const Packed>().each([](Score &s, const Packed &) { s.points++; });
    CHECK(world.changed_at<Score>(made[5]) == seen + 1 && world.changed_at<Score>(made[7]) == seen);
    read.without<Packed>().spans_since(seen, [&](std::size_t n, const Score *s) {
        for (std::size_t i = 0; i < n; i++) found += s[i].points;
    });
    CHECK(found == 100);
    check_valid(world);
}

static void worlds_go_back() {
    covey::world world;
    covey::history past(world, 2);
    covey::entity e = world.create();
    CHECK(world.add<Position>(e, { 1, 2 }) && past && past.save());
    world.get<Position>(e)->x = 5;
    CHECK(past.save() && past.count() == 2 && past.memory() != 0);
    world.destroy(e);
    covey::world then = past.world_at(1);
    CHECK(then && then.get<Position>(e)->x == 1 && past.capacity() == 2 && !past.world_at(2));
    CHECK(past.restore() && world.get<Position>(e)->x == 5);
    CHECK(past.restore(1) && world.get<Position>(e)->x == 1);
    CHECK(!past.restore(1) && past.get() == past);
    check_valid(world);
    covey_history_destroy(past);
}

static void worlds_are_saved_and_loaded() {
    covey::world world, fresh;
    covey::entity e = world.create(), other = world.create();
    Car car = { 5,       other, { { 1, false }, { 2, true }, { 3, false }, { 4, true } }, { { 1, 2 }, { 3, 4 } },
                "CVY 1", &car };
    CHECK(world.add<Car>(e, car) && world.add<Dice>(e, { 6 }) && world.add<Cache>(e, { 1 }));
    CHECK(world.add<Path>(e, Path{ { 1, 2.5f, 3 } }));
    covey::image image;
    CHECK(image.save(world) && image.size() > 40);
    covey_load_desc desc = {};
    desc.types = covey::type_list<Car, Dice, Path>;
    covey_report report;
    CHECK(image.load(fresh, desc, &report));
    const Car *loaded = fresh.get<Car>(e);
    CHECK(loaded && loaded->seats == 5 && covey_same(loaded->driver, other) && loaded->engine == nullptr);
    CHECK(loaded->wheels[3].flat && loaded->wheels[2].radius > 2 && std::strcmp(loaded->plate, "CVY 1") == 0);
    CHECK(fresh.get<Dice>(e)->eyes == 6 && !fresh.has<Cache>(e));
    CHECK(fresh.get<Path>(e)->steps == world.get<Path>(e)->steps);
    CHECK(image.merge(fresh, desc));
    CHECK(fresh.entity_count() == 4);
    check_valid(fresh);
    CHECK(image.info() && image.info()->entities == 2 && image.section(0) && !image.section(1000));
    CHECK(image.sections(nullptr, 0) == image.info()->sections);
    std::string streamed;
    CHECK(covey::save_to_stream(world, [&](const void *bytes, size_t size) {
        streamed.append(static_cast<const char *>(bytes), size);
        return true;
    }));
    CHECK(streamed.size() == image.size() && std::memcmp(streamed.data(), image.bytes(), image.size()) == 0);
    CHECK(covey::save_to_stream(world, [](const void *, size_t) { return false; }) == COVEY_ERROR_FILE);
    covey::image moved = std::move(image);
    CHECK(!image.bytes() && image.load(fresh) != COVEY_OK && moved.size() == streamed.size());
    covey::world client;
    covey::follower follower(client);
    CHECK(follower && follower.follow(moved, desc, &report) && client.entity_count() == 2);
    covey::entity here = follower.find(e);
    CHECK(client.get<Dice>(here)->eyes == 6 && client.get<Path>(here)->steps.size() == 3);
    world.destroy(e);
    CHECK(moved.save(world) && follower.follow(moved, desc) && !client.alive(here) && client.entity_count() == 1);
    covey_report why;
    CHECK(covey::load_from_file(client, "there is no such file", {}, &why) == COVEY_ERROR_FILE && why.text[0]);
    CHECK(covey::merge_from_file(client, "there is no such file", {}, &why) == COVEY_ERROR_FILE);
    CHECK(moved.read_file("there is no such file") == COVEY_ERROR_FILE && moved.size() != 0);
    CHECK(covey::save_to_file(world, "there/is no such folder") == COVEY_ERROR_FILE);
}

int main() {
    descriptors_say_what_the_types_are();
    the_verbs_do_what_those_of_c_do();
    a_derived_class_is_a_component_of_its_own();
    tags_of_c_and_of_cpp();
    handles_of_nobody_are_refused();
    a_world_is_moved_and_freed_once();
    all_entities_in_a_loop();
    held_pools();
    arrays_are_for_those_who_ask();
    pools_of_either_storage_are_walked_by_position();
    owners_are_dropped_once();
    copies_use_the_copy_constructor();
    types_of_the_standard_library();
    a_value_may_lie_in_the_pool_that_grows_for_it();
    views_span_by_span();
    views_row_by_row();
    views_are_values();
    views_in_the_order_of_a_pool_or_a_list();
    pools_change_their_storage();
    pools_are_sorted();
    groups();
    classes_that_memcpy_must_not_move();
    values_are_constructed_in_place();
    constructing_ends_the_default_that_was_there();
    listeners_are_function_objects();
    owners_may_be_gone_at_once();
    queues_and_reactive_sets();
    trees();
    resources();
    references_to_entities();
    copies_of_entities_and_worlds();
    commands_are_recorded_and_replayed();
    commands_take_ids_from_the_world();
    what_is_disabled();
    what_was_changed();
    worlds_go_back();
    worlds_are_saved_and_loaded();
    return 0;
}
