// The C++ header: the same verbs, types from C and from C++, and owners of something as components.
#include <covey/covey.hpp>
#include <covey/fields.h>
#include <covey/hierarchy.hpp>
#include <covey/history.hpp>
#include <covey/image.h>

#include "test_cpp.h"

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <unordered_set>
#include <vector>

#define CHECK(holds)                                                          \
    do {                                                                      \
        if (!(holds)) {                                                       \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #holds); \
            std::exit(1);                                                     \
        }                                                                     \
    } while (0)

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
    covey_entity driver;
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
static covey_result path_save(covey_codec_writer *writer, const void *value, void *) {
    const Path *path = static_cast<const Path *>(value);
    covey_codec_write_count(writer, static_cast<uint32_t>(path->steps.size()));
    covey_codec_write(writer, COVEY_KIND_F32, path->steps.data(), path->steps.size());
    return COVEY_OK;
}
static covey_result path_load(covey_codec_reader *reader, void *value, void *) {
    Path *path = new (value) Path;
    path->steps.resize(covey_codec_read_count(reader, COVEY_KIND_F32));
    covey_codec_read(reader, COVEY_KIND_F32, path->steps.data(), path->steps.size());
    return COVEY_OK;
}
static constexpr covey_codec path_codec = { path_save, path_load, 0 };
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
COVEY_CPP_DEFINE(Path, covey::options().relocatable().codec(&path_codec));
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

static void check_valid(const covey_world *world) {
    const char *why = "";
    if (covey_world_validate(world, &why)) return;
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
    covey_entity e = covey_create(world), f = covey_create(world);
    CHECK(covey::add<Position>(world, e, { 1, 2 })->y == 2);
    CHECK(covey_get(world, e, Position) == covey::get<Position>(world, e));
    CHECK(!covey::add<Position>(world, e, { 3, 4 }));
    CHECK(covey_world_result(world) == COVEY_ERROR_PRESENT);
    CHECK(covey::set<Position>(world, e, { 5, 6 })->x == 5);
    CHECK(covey::set<Velocity>(world, e, { 7, 8 })->x == 7);
    CHECK(covey::get_or_add<Velocity>(world, e, { 9, 9 })->x == 7);
    CHECK(covey::get_or_add<Velocity>(world, f, { 9, 9 })->x == 9);
    Velocity value = { 1, 1 };
    CHECK(covey::replace<Velocity>(world, e, value) && value.x == 7);
    CHECK(!covey::replace<Position>(world, f, *covey::get<Position>(world, e)));
    float by = 2;
    CHECK(covey::patch<Velocity>(world, e, [by](Velocity &v) { v.x *= by; })->x == 2);
    CHECK(covey::patch_or_add<Velocity>(world, e, [by](Velocity &v) { v.y = v.x + by; })->y == 4);
    covey_entity g = covey_create(world);
    CHECK(covey::patch_or_add<Velocity>(world, g, [by](Velocity &v) { v.y += by; })->y == 2);
    CHECK(!covey::patch_or_add<Velocity>(world, {}, [](Velocity &) { CHECK(false); }));
    CHECK(covey::add<Marked>(world, g) && covey::take<Marked>(world, g) && !covey::take<Marked>(world, g));
    CHECK(covey::take<Velocity>(world, g)->y == 2 && !covey::take<Velocity>(world, g));
    CHECK(covey::set<Velocity>(world, g, { 0, 5 }));
    uint32_t asked = 0;
    CHECK(covey::remove_if<Velocity>(world, [&](covey_entity i, const Velocity &v) {
              asked++;
              return i == g && v.y == 5;
          }) == 1);
    CHECK(asked == 3 && !covey::has<Velocity>(world, g) && covey_destroy(world, g));
    CHECK((covey::has_all<Position, Velocity>(world, e)));
    auto [position, velocity] = covey::get_all<Position, const Velocity>(world, e);
    CHECK(position == covey::get<Position>(world, e) && velocity == covey::get<Velocity>(world, e) && velocity);
    CHECK((covey::get_all<Velocity, Position>(world, f) == std::tuple<Velocity *, Position *>{}));
    CHECK((std::get<0>(covey::get_all<Velocity>(world, f)) == covey::get<Velocity>(world, f)));
    CHECK((!covey::has_all<Position, Velocity>(world, f)));
    CHECK((covey::has_any<Position, Velocity>(world, f)));
    CHECK((!covey::has_any<Position, Spin>(world, f)));
    CHECK(covey::has_all<Position>(world, e) && covey::has_any<Position>(world, e));
    CHECK(covey::find<Velocity>(world, { 9, 9 }) == f);
    CHECK(covey::find_if<Velocity>(world, [](const Velocity &v) { return v.y == 9; }) == f);
    CHECK(covey_is_null(covey::find<Velocity>(world, { 0, 9 })));
    CHECK(covey::remove<Velocity>(world, e) && !covey::remove<Velocity>(world, e));
    covey::clear<Velocity>(world);
    CHECK(!covey::has<Velocity>(world, f));
    check_valid(world);
}

static void a_derived_class_is_a_component_of_its_own() {
    covey::world world;
    covey_entity e = covey_create(world);
    covey::add<Velocity>(world, e, { 1, 2 });
    CHECK(!covey::has<Spin>(world, e));
    CHECK(covey::add<Spin>(world, e, { { 3, 4 } })->x == 3);
    CHECK(covey::get<Velocity>(world, e)->x == 1);
}

static void tags_of_c_and_of_cpp() {
    covey::world world;
    covey_entity e = covey_create(world), f = covey_create(world);
    CHECK(covey::add<Frozen>(world, f) && covey::add<Marked>(world, e));
    CHECK(!covey::add<Marked>(world, e));
    CHECK(covey_has(world, f, Frozen) && covey::has<Frozen>(world, f));
    CHECK(covey::get<Marked>(world, e) && !covey::get<Marked>(world, f));
    CHECK(covey::find<Frozen>(world) == f);
    CHECK(covey::remove<Marked>(world, e));
    CHECK(covey_is_empty(world, e));
}

static void handles_of_nobody_are_refused() {
    covey::world world;
    covey_entity e = covey_create(world);
    covey::add<Velocity>(world, e, { 1, 2 });
    covey_destroy(world, e);
    covey_entity next = covey_create(world);
    covey::add<Velocity>(world, next, { 3, 4 });
    for (covey_entity nobody : { e, covey_entity{}, covey_entity{ COVEY_NONE, 1 } }) {
        CHECK(!covey::add<Velocity>(world, nobody, { 0, 0 }) && !covey::set<Velocity>(world, nobody, { 0, 0 }));
        CHECK(!covey::get<Velocity>(world, nobody) && !covey::get_or_add<Velocity>(world, nobody, { 0, 0 }));
        CHECK(!covey::remove<Velocity>(world, nobody) && !covey::has<Velocity>(world, nobody));
        CHECK(!covey::patch<Velocity>(world, nobody, [](Velocity &) { std::exit(1); }));
    }
    CHECK(covey::get<Velocity>(world, next)->x == 3);
}

static void a_world_is_moved_and_freed_once() {
    covey::world world;
    covey_world *raw = world;
    covey::world moved = std::move(world);
    CHECK(moved.get() == raw && !world.get());
    covey::world other;
    other = std::move(moved);
    CHECK(other == raw);
    covey::world taken(other.release());
    CHECK(!other && taken == raw);
    covey_world_desc desc = {};
    CHECK(covey::world(desc).get());
}

static void all_entities_in_a_loop() {
    covey::world world;
    std::unordered_set<covey_entity> made, seen;
    for (int i = 0; i < 10; i++) made.insert(covey_create(world));
    for (covey_entity e : covey::entities(world)) {
        seen.insert(e);
        covey_destroy(world, e);
    }
    CHECK(seen == made && covey_entity_count(world) == 0);
    for (covey_entity e : covey::entities(world)) CHECK(e != e);
}

static void held_pools() {
    covey::world world;
    CHECK(!covey::pool_find<Velocity>(world));
    covey::pool<Velocity> pool = covey::pool_of<Velocity>(world);
    CHECK(pool && covey::pool_find<Velocity>(world) == pool);
    covey_entity e = covey_create(world), f = covey_create(world);
    CHECK(pool.add(e, { 1, 2 })->x == 1 && !pool.add(e, { 1, 2 }));
    CHECK(pool.set(f, { 3, 4 })->x == 3);
    CHECK(pool.get(e) == covey::get<Velocity>(world, e) && pool.get_unchecked(f) == pool.get(f));
    CHECK(pool.has(e) && pool.count() == 2);
    CHECK(pool.remove(e) && !pool.remove(e) && !pool.has(e));
    CHECK(covey::pool_of<Marked>(world).add(e));
    covey_pool_compact(pool, nullptr, nullptr);
    check_valid(world);
}

// Blocks, unless a type asks for a sparse set or names a policy.
static void arrays_are_for_those_who_ask() {
    covey::world world;
    covey_create(world);
    covey_entity e = covey_create(world);
    covey::pool<Velocity> blocks = covey::pool_of<Velocity>(world);
    CHECK(blocks.add(e, { 1, 2 }) && blocks.next(0) == e.index && blocks.next(e.index + 1) == COVEY_NONE);
    covey::pool<Packed> packed = covey::pool_of<Packed>(world);
    CHECK(packed.add(e, { 5 }) == &packed.values()[0] && packed.ids()[0] == e);
    CHECK(packed.position_count() == 1 && packed.next(0) == 0 && packed.next(1) == COVEY_NONE);
    covey::pool<Fixed> fixed = covey::pool_of<Fixed>(world);
    CHECK(fixed.add(e, { 5 }) == &fixed.page(0)[0] && !fixed.values() && fixed.ids()[0] == e);
}

template <class T> static void walk(T first, T second) {
    covey::world world;
    covey::pool<T> pool = covey::pool_of<T>(world);
    covey_entity made[] = { covey_create(world), covey_create(world), covey_create(world) };
    CHECK(pool.add(made[0], first) && pool.add(made[2], second));
    int met = 0;
    for (uint32_t p = pool.next(0); p != COVEY_NONE; p = pool.next(p + 1), met++) {
        CHECK(pool.at(p) == made[2 * met]);
        CHECK(pool.value_at(p) == pool.get(made[2 * met]));
    }
    CHECK(met == 2 && covey_is_null(pool.at(1)) == (covey_pool_storage(pool) != COVEY_STORAGE_SPARSE));
}

static void pools_of_either_storage_are_walked_by_position() {
    walk<Velocity>({ 1, 2 }, { 3, 4 });
    walk<Packed>({ 1 }, { 2 });
}

static void owners_are_dropped_once() {
    Owner::copies_left = 1000;
    {
        covey::world world;
        covey_entity e = covey_create(world), f = covey_create(world);
        Owner kept(1);
        CHECK(covey::add<Owner>(world, e, Owner(2))->number == 2);
        CHECK(Owner::alive == 2);
        CHECK(!covey::add<Owner>(world, e, std::move(kept)));
        CHECK(kept.number == 1 && Owner::alive == 2); // the call failed: it is still ours
        CHECK(!covey::set<Owner>(world, {}, std::move(kept)) && kept.number == 1);
        CHECK(covey::get_or_add<Owner>(world, e, std::move(kept))->number == 2 && kept.number == 1);
        CHECK(covey::set<Owner>(world, e, std::move(kept))->number == 1);
        CHECK(kept.number == Owner::moved_from && Owner::alive == 2);
        CHECK(covey::add<Owner>(world, f, Owner(3)));
        Owner other(4);
        CHECK(covey::replace<Owner>(world, f, other) && other.number == 3);
        CHECK(covey::get<Owner>(world, f)->number == 4 && Owner::alive == 4);
        CHECK(covey::remove<Owner>(world, f) && Owner::alive == 3);
        covey::pool<Owner> pool = covey::pool_of<Owner>(world);
        CHECK(pool.add(f, Owner(5)) && pool.set(f, Owner(6))->number == 6);
        CHECK(Owner::alive == 4);
        CHECK(!pool.add(f, std::move(other)) && other.number == 3);
        CHECK(pool.at(pool.position(f)) == f && pool.storage() == COVEY_STORAGE_BLOCK && !pool.owner());
        CHECK(pool.take(f)->number == 6 && !pool.take(f));
        CHECK(Owner::alive == 3);
        CHECK(pool.add(f, Owner(9)));
        CHECK(pool.remove_if([](covey_entity, const Owner &o) { return o.number == 9; }) == 1 && Owner::alive == 3);
        CHECK(covey::patch_or_add<Bag>(world, f, [](Bag &bag) { bag.push_back(4); })->size() == 1);
        CHECK(covey::patch_or_add<Bag>(world, f, [](Bag &bag) { bag.push_back(5); })->size() == 2);
        CHECK(covey::take<Bag>(world, f)->back() == 5);
        for (int i = 0; i < 100; i++) covey::add<Owner>(world, covey_create(world), Owner(i));
        covey_destroy(world, e);
    }
    CHECK(Owner::alive == 0);
}

static void copies_use_the_copy_constructor() {
    covey::world world;
    covey_entity e[4];
    CHECK(covey_create_many(world, e, 4));
    {
        Owner original(7);
        Owner::copies_left = 1000;
        CHECK(covey::add_copies<Owner>(world, e, 2, original));
        CHECK(covey::get<Owner>(world, e[1])->number == 7 && Owner::alive == 3);
#if defined(__cpp_exceptions)
        Owner::copies_left = 1; // the second copy throws
        CHECK(!covey::add_copies<Owner>(world, e + 2, 2, original));
        CHECK(covey_world_result(world) == COVEY_ERROR_COPY && Owner::alive == 3);
#endif
        Box box;
        CHECK(!covey::add_copies<Box>(world, e, 2, box));
        CHECK(covey_world_result(world) == COVEY_ERROR_COPY);
    }
    {
        Owner original(9);
        Owner::copies_left = 1000;
        covey_entity made[3], one = covey::create_with(world, original, Velocity{ 1, 2 });
        CHECK(covey::get<Owner>(world, one)->number == 9 && covey::get<Velocity>(world, one)->y == 2);
        CHECK(covey::create_many_with(world, made, 3, Velocity{ 3, 4 }, original));
        CHECK(covey::get<Velocity>(world, made[2])->x == 3 && Owner::alive == 7);
        covey_entity empty = covey::create_for<Owner, Velocity>(world), like = covey_create_like(world, one);
        CHECK(covey_is_empty(world, empty) && covey_is_empty(world, like));
    }
    covey::clear<Owner>(world);
    CHECK(Owner::alive == 0);
    {
        Owner kept(3);
        Title title{ "a text that is too long to be stored in a string itself" };
        for (int i = 0; i < 40; i++) { /* the first are not of a kind yet */
            covey_entity made = covey::create_with(world, Owner(i), Velocity{ 1, 2 }, Title(title), Marked{});
            CHECK(covey::get<Owner>(world, made)->number == i && covey::get<Title>(world, made)->text == title.text);
        }
        CHECK(Owner::alive == 41);
        CHECK(covey_is_null(covey::create_with(world, std::move(kept), std::move(title), Marked{}, Marked{})));
        CHECK(covey_world_result(world) == COVEY_ERROR_PRESENT && kept.number == 3 && title.text.size() > 40);
        covey_entity made = covey::create_with(world, std::move(kept), std::move(title));
        CHECK(kept.number == Owner::moved_from && covey::get<Title>(world, made)->text.size() > 40);
        for (int i = 0; i < 100; i++) { /* the value lies in the pool that grows */
            made = covey::create_with(world, Packed{ i });
            CHECK(covey_alive(world, covey::create_with(world, *covey::get<Packed>(world, made))));
        }
    }
    covey_destroy_all(world);
    CHECK(Owner::alive == 0 && covey_create_many(world, e, 4));
    const Velocity values[] = { { 1, 1 }, { 2, 2 } };
    CHECK(covey::add_array<Velocity>(world, e, 2, values) && covey::get<Velocity>(world, e[1])->x == 2);
    Velocity gathered[3] = {};
    uint32_t positions[3] = {};
    CHECK(covey::gather<Velocity>(world, e, 2, gathered, positions) == 2 && gathered[1].x == 2 && positions[1] == 1);
    CHECK(covey::gather_since<Velocity>(world, e, 2, 1, gathered) == 2); /* it has no ticks */
    CHECK(covey::remove_many<Velocity>(world, e, 2) == 2 && covey::gather<Velocity>(world, e, 2, gathered) == 0);
}

static void types_of_the_standard_library() {
    covey::world world;
    std::vector<covey_entity> made;
    for (int i = 0; i < 100; i++) {
        covey_entity e = covey_create(world);
        made.push_back(e);
        covey::add<Bag>(world, e, { i, i + 1 });
        covey::add<Box>(world, e, std::make_unique<int>(i));
    }
    for (std::size_t i = 0; i < made.size(); i += 3) covey_destroy(world, made[i]);
    covey_compact(world);
    for (std::size_t i = 0; i < made.size(); i++) {
        if (i % 3 == 0) continue;
        CHECK(covey::get<Bag>(world, made[i])->back() == static_cast<int>(i) + 1);
        CHECK(**covey::get<Box>(world, made[i]) == static_cast<int>(i));
    }
    check_valid(world);
}

static void a_value_may_lie_in_the_pool_that_grows_for_it() {
    covey::world world;
    covey_entity first = covey_create(world);
    covey::add<Velocity>(world, first, { 1, 2 });
    for (int i = 0; i < 100; i++)
        CHECK(covey::add<Velocity>(world, covey_create(world), *covey::get<Velocity>(world, first))->y == 2);
}

// Entities with Velocity, every second also with Packed, every third with Marked.
static std::vector<covey_entity> make_some(covey_world *world, int count) {
    std::vector<covey_entity> made;
    for (int i = 0; i < count; i++) {
        covey_entity e = covey_create(world);
        made.push_back(e);
        covey::add<Velocity>(world, e, { static_cast<float>(i), 1 });
        if (i % 2 == 0) covey::add<Packed>(world, e, { i });
        if (i % 3 == 0) covey::add<Marked>(world, e);
    }
    return made;
}

static void views_span_by_span() {
    covey::world world;
    std::vector<covey_entity> made = make_some(world, 100);
    auto all = covey::view_of(world).with<Velocity>();
    std::size_t rows = 0;
    all.spans([&](std::size_t n, Velocity *v) {
        for (std::size_t i = 0; i < n; i++) v[i].y = v[i].x * 2;
        rows += n;
    });
    CHECK(rows == 100 && all.count() == 100 && covey::get<Velocity>(world, made[7])->y == 14);
    rows = 0;
    all.with<const Packed>().without<Marked>().spans([&](const covey_iter &it, Velocity *v, const Packed *p) {
        for (uint32_t i = 0; i < it.count; i++, rows++) {
            covey_entity e = covey_span_entity(&it, i);
            CHECK(&v[i] == covey::get<Velocity>(world, e) && &p[i] == covey::get<Packed>(world, e));
            CHECK(!covey::has<Marked>(world, e));
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
    std::vector<covey_entity> made = make_some(world, 100);
    auto both = covey::view_of(world).with<Velocity, const Packed>();
    int sum = 0;
    both.each([&](covey_entity e, Velocity &v, const Packed &p) {
        CHECK(&v == covey::get<Velocity>(world, e) && v.x == static_cast<float>(p.number));
        sum += p.number;
    });
    CHECK(sum == 2450);
    both.each([&](Velocity &v, const Packed &p) { v.y = static_cast<float>(p.number); });
    CHECK(covey::get<Velocity>(world, made[8])->y == 8);
    int tagged = 0, missing = 0;
    auto loose = covey::view_of(world).any<Packed, const Marked>().optional<Velocity>().with<>();
    loose.each([&](covey_entity e, Packed *p, const Marked *m, Velocity *v) {
        CHECK(v && (p || m) && p == covey::get<Packed>(world, e));
        tagged += m != nullptr;
        missing += p == nullptr;
    });
    CHECK(tagged == 34 && missing == 17 && loose.count() == 67);
    both.with<Marked>().each([&](covey_entity e, Velocity &, const Packed &, Marked &) { covey_destroy(world, e); });
    CHECK(both.count() == 33 && covey_entity_count(world) == 83);
    int everyone = 0;
    covey::view_of(world).each([&](covey_entity) { everyone++; });
    const covey_world *reader = world;
    uint32_t read = 0;
    covey::view_of(reader).with<Velocity>().optional<Packed>().without<Marked>().each(
        [&](covey_entity e, const Velocity &, const Packed *p) { read += p == covey::get<Packed>(world, e); });
    CHECK(read == covey::view_of(reader).with<Velocity>().without<Marked>().count() && read != 0);
    auto twice = covey::view_of(reader).with<Velocity, Velocity>();
    CHECK(covey::view_of(reader).include_disabled().valid() && !twice.valid());
    CHECK(everyone == 83);
    check_valid(world);
}

static void views_are_values() {
    covey::world world;
    auto none = covey::view_of(world).with<Position>().without<Frozen>();
    auto kept = none;
    CHECK(none.valid() && none.count() == 0 && covey_is_null(none.first()));
    covey_entity e = covey_create(world), f = covey_create(world);
    covey::add<Position>(world, e, { 1, 2 });
    covey::add<Position>(world, f, { 3, 4 });
    covey::add<Frozen>(world, e);
    CHECK(kept.count() == 1 && kept.first() == f && kept.contains(f) && !kept.contains(e));
    CHECK(!kept.with<Frozen>().valid()); // a type in two places
    CHECK(covey_world_result(world) == COVEY_ERROR_TYPE);
    kept.with<Frozen>().each([](covey_entity, Position &, Frozen &) { std::exit(1); });
    auto reads = covey::view_of(world).with<const Position>().optional<Velocity>();
    CHECK(covey_view_is_read_only(reads, 0) && !covey_view_is_read_only(reads, 1) && covey_view_fields(reads) == 2);
    CHECK(covey_view_type(reads, 0) == covey::type_of<Position>());
}

static void views_in_the_order_of_a_pool_or_a_list() {
    covey::world world;
    std::vector<covey_entity> made = make_some(world, 10), seen;
    auto view = covey::view_of(world).with<Velocity>();
    covey::pool<Packed> packed = covey::pool_of<Packed>(world);
    CHECK(covey_pool_swap(packed, made[0], made[8]) == COVEY_OK);
    view.each(covey_view_iter_by(view, packed), [&](covey_entity e, Velocity &) { seen.push_back(e); });
    CHECK(seen.size() == 5 && seen.front() == made[8] && seen.back() == made[0]);
    const covey_entity list[] = { made[3], made[1], made[3] };
    float sum = 0;
    view.spans(covey_view_iter_list(view, list, 3), [&](std::size_t n, const Velocity *v) {
        for (std::size_t i = 0; i < n; i++) sum += v[i].x;
    });
    CHECK(sum == 7);
}

static void pools_change_their_storage() {
    covey::world world;
    std::vector<covey_entity> made = make_some(world, 50);
    covey::pool<Packed> packed = covey::pool_of<Packed>(world);
    CHECK(covey_pool_convert(packed, COVEY_STORAGE_BLOCK) == COVEY_OK);
    CHECK(packed.get(made[48])->number == 48);
    covey::pool<Pinned> pinned = covey::pool_of<Pinned>(world);
    Pinned *first = pinned.add(made[0], { 1 });
    for (covey_entity e : made) pinned.set(e, { 2 });
    CHECK(pinned.get(made[0]) == first && covey_pool_convert(pinned, COVEY_STORAGE_BLOCK) == COVEY_ERROR_REFUSED);
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
    covey::pool<Sprite> sprites = covey::pool_of<Sprite>(world);
    std::vector<covey_entity> made;
    for (int i = 0; i < 5; i++) {
        made.push_back(covey_create(world));
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
    CHECK(sprites.sort([](covey_entity a, covey_entity b) { return a.index > b.index; }) == COVEY_OK);
    CHECK((layers(sprites) == std::vector<int>{ 4, 3, 2, 1, 0 }));
    std::vector<int> visited; // rows come in the order of the pool
    covey::view_of(world).with<const Sprite>().each([&](const Sprite &s) { visited.push_back(s.layer); });
    CHECK(visited == layers(sprites));
    CHECK(sprites.compact() == COVEY_OK);
    CHECK(sprites.compact([](covey_entity, const void *, void *, void *) {}) == COVEY_ERROR_REFUSED);
    covey::pool<Timer> timers = covey::pool_of<Timer>(world);
    for (covey_entity e : made) timers.add(e, { 10 - static_cast<int64_t>(e.index) });
    CHECK(timers.sort_as(sprites) == COVEY_OK && timers.ids()[0] == sprites.ids()[0]);
    CHECK(timers.keep_sorted(covey::by<&Timer::at>()) == COVEY_OK);
    CHECK(timers.add(covey_create(world), { 8 }) == timers.values() + 3 && timers.remove(made[4]));
    CHECK(timers.values()[0].at == 7 && timers.values()[1].at == 8 && timers.values()[4].at == 10);
    CHECK(timers.sort({}) == COVEY_ERROR_REFUSED);
    timers.end_keep_sorted();
    CHECK(timers.sort({}) == COVEY_OK);
    CHECK(covey::pool_of<Velocity>(world).sort({}) == COVEY_ERROR_REFUSED); // in blocks
    check_valid(world);
}

static void groups() {
    covey::world world;
    auto drawn = covey::group_of(world).own<Sprite, const Timer>().with<Velocity>().without<Marked>().make();
    CHECK(drawn && drawn.count() == 0 && covey_is_null(drawn.first()));
    std::vector<covey_entity> made = make_some(world, 60);
    for (std::size_t i = 0; i < made.size(); i++) {
        int number = static_cast<int>(i);
        if (i % 2 == 0) covey::add<Sprite>(world, made[i], { number, -static_cast<float>(number) });
        if (i % 4 == 0) covey::add<Timer>(world, made[i], { number });
    }
    CHECK(drawn.count() == 10 && drawn.contains(made[4]) && !drawn.contains(made[12]) && !drawn.contains(made[2]));
    std::size_t met = 0;
    drawn.spans([&](std::size_t n, Sprite *s, const Timer *t, Velocity *v) {
        for (std::size_t i = 0; i < n; i++, met++)
            CHECK(s[i].layer == t[i].at && v[i].x == static_cast<float>(t[i].at));
    });
    CHECK(met == 10);
    CHECK(drawn.sort<Sprite>(covey::by<&Sprite::depth>()) == COVEY_OK && drawn.first() == made[56]);
    CHECK(covey::pool_of<Timer>(world).ids()[0] == made[56]);
    CHECK(drawn.sort<Timer>([](const Timer &a, const Timer &b) { return a.at < b.at; }) == COVEY_OK);
    CHECK(drawn.first() == made[4]);
    auto terms = covey::group_of(world).own<Sprite, const Timer>().with<Velocity>();
    CHECK(terms.without<Marked>().find() == drawn && terms.without<Marked>().find_or_make() == drawn && !terms.find());
    CHECK(drawn.sort_as(covey::pool_of<Velocity>(world)) == COVEY_OK && drawn.first() == made[4]);
    drawn.each([&](covey_entity e, Sprite &s, const Timer &, Velocity &v) {
        CHECK(&s == covey::get<Sprite>(world, e) && &v == covey::get<Velocity>(world, e));
        if (s.layer % 8 == 0) covey_destroy(world, e);
        else covey::add<Marked>(world, e);
    });
    CHECK(drawn.count() == 0);
    auto all = covey::group_of(world).with<const Velocity>().make(); // owns nothing
    all.each([&](const Velocity &v) { met += v.y == 1; });
    CHECK(all.count() == 55 && met == 65);
    CHECK((!covey::group_of(world).own<Sprite, Packed>().make()));
    CHECK(covey_world_result(world) == COVEY_ERROR_CONFLICT);
    CHECK((!covey::group_of(world).own<Sprite, Velocity>().make())); // one is sparse, the other is not
    CHECK(covey_world_result(world) == COVEY_ERROR_REFUSED);
    check_valid(world);
    covey_group_destroy(drawn);
    CHECK((covey::group_of(world).own<Sprite, Packed>().find_or_make()));
    check_valid(world);
}

// A short std::string of libstdc++ points into itself, so memcpy must not move it; a map owns nodes that point to it.
static void classes_that_memcpy_must_not_move() {
    covey::world world;
    std::vector<covey_entity> made(500);
    CHECK(covey_create_many(world, made.data(), 500));
    for (int i = 0; i < 500; i++) {
        std::string text(static_cast<size_t>(i % 40), static_cast<char>('a' + i % 26));
        CHECK(covey::add<Title>(world, made[static_cast<size_t>(i)], Title{ text }));
        if (i % 3 == 0)
            CHECK(covey::add<Tags>(world, made[static_cast<size_t>(i)], Tags{ { { i, text }, { -i, "x" } } }));
        if (i % 2 == 0) CHECK(covey::add<Label>(world, made[static_cast<size_t>(i)], Label{ text }));
    }
    auto group = covey::group_of(world).own<Title, Tags>().make();
    CHECK(group && group.count() == 167);
    covey_pool *labels = covey::pool_of<Label>(world);
    covey_order by_index = {};
    by_index.descending = true;
    CHECK(covey_pool_sort(labels, &by_index) == COVEY_OK);
    for (size_t i = 0; i < 500; i += 7) CHECK(covey::remove<Title>(world, made[i]));
    for (size_t i = 0; i < 500; i += 5) covey_destroy(world, made[i]);
    covey_compact(world);
    CHECK(covey_pool_convert(labels, COVEY_STORAGE_BLOCK) == COVEY_OK);
    CHECK(covey::add<Title>(world, made[7], Title{ "seven" }) && covey::set<Title>(world, made[8], Title{ "eight" }));
    covey_entity twin{};
    CHECK(covey_clone(world, made[8], &twin, 1) && covey::get<Title>(world, twin)->text == "eight");
    for (int i = 0; i < 500; i++) {
        covey_entity e = made[static_cast<size_t>(i)];
        std::string text(static_cast<size_t>(i % 40), static_cast<char>('a' + i % 26));
        const Title *title = covey::get<Title>(world, e);
        const Tags *tags = covey::get<Tags>(world, e);
        const Label *label = covey::get<Label>(world, e);
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
    covey_entity first = covey_create(world), second = covey_create(world);
    const Anchor *one = covey::emplace<Anchor>(world, first, nullptr, "one");
    const Anchor *two = covey::emplace<Anchor>(world, second, one, std::string("two"));
    CHECK(one && two && two->next == one && one->self == one && two->self == two && !one->moved && !two->moved);
    CHECK(one == covey::get<Anchor>(world, first) && one->text == "one" && two->text == "two");
    CHECK(!covey::emplace<Anchor>(world, first, nullptr, "again") && covey_world_result(world) == COVEY_ERROR_PRESENT);
    for (int i = 0; i < 200; i++) CHECK(covey::emplace<Anchor>(world, covey_create(world), one, "more"));
    CHECK(covey::get<Anchor>(world, second) == two && two->self == two);
    CHECK(covey::emplace<Title>(world, first, "a title")->text == "a title"); // in blocks, where it may move later
    std::optional<Anchor> taken = covey::take<Anchor>(world, second);
    CHECK(taken && taken->moved && taken->text == "two" && taken->next == one);
    covey_destroy(world, second);
    CHECK(!covey::emplace<Anchor>(world, second, nullptr, "late") && covey_world_result(world) == COVEY_ERROR_DEAD);
    check_valid(world);
}

static void constructing_ends_the_default_that_was_there() {
    int before = Rank::living;
    {
        covey::world world;
        covey_entity e = covey_create(world);
        CHECK(covey::emplace<Rank>(world, e, "captain")->text == "captain");
        CHECK(Rank::living == before + 1);
    }
    CHECK(Rank::living == before);
}

static void listeners_are_function_objects() {
    using game::Velocity;
    covey::world world;
    covey_entity e = covey_create(world), other = covey_create(world);
    int added = 0, changed = 0, ended = 0, tags = 0;
    auto on_add = [&](covey_entity who, Velocity &v) { added += who == e && v.x == 1; };
    auto on_change = [&](const covey_event &event) { changed += static_cast<int>(event.count); };
    auto on_end = [&](covey_entity) { ended++; };
    const auto on_tag = [&tags](covey_entity) { tags++; };
    covey::connection first = covey::connect<Velocity>(world, COVEY_ON_ADD, on_add);
    {
        auto second = covey::connect<Velocity>(world, COVEY_ON_SET | COVEY_ON_REMOVE, on_change);
        auto third = covey::connect(world, COVEY_ON_DESTROY, on_end);
        auto fourth = covey::connect<Frozen>(world, COVEY_ON_ADD, on_tag);
        CHECK(first.connected() && second.connected() && third.connected() && fourth.connected());
        covey::add<Velocity>(world, e, { 1, 2 });
        covey::set<Velocity>(world, e, { 3, 4 });
        covey::patch<Velocity>(world, e, [](Velocity &v) { v.x = 5; });
        covey::add<Frozen>(world, e);
        covey::remove<Velocity>(world, e);
        covey_destroy(world, other);
    }
    covey::add<Velocity>(world, e, { 1, 2 });
    covey::remove<Velocity>(world, e);
    CHECK(added == 2 && changed == 3 && ended == 1 && tags == 1);
    covey::connection moved = std::move(first);
    CHECK(moved.connected() && !first.connected());
    moved.disconnect();
    CHECK(!moved.connected());
    CHECK(!covey::connect<Velocity>(world, COVEY_ON_CREATE, on_add).connected());
    covey::connection(covey::connect(world, COVEY_ON_DESTROY, on_end)).release(); // until the world ends
    covey_destroy(world, e);
    CHECK(ended == 2);
    check_valid(world);
}

// A value that a listener removes at once is dropped once, and does not come back.
static void owners_may_be_gone_at_once() {
    using game::Owner;
    int before = Owner::alive;
    {
        covey::world world;
        covey_entity e = covey_create(world);
        auto removes = [&](covey_entity who) { covey::remove<Owner>(world, who); };
        auto connection = covey::connect<Owner>(world, COVEY_ON_ADD | COVEY_ON_SET, removes);
        Owner owner(7);
        CHECK(!covey::add<Owner>(world, e, std::move(owner)));
        CHECK(covey_world_result(world) == COVEY_ERROR_GONE);
        CHECK(owner.number == Owner::moved_from && Owner::alive == before + 1);
        Owner second(8);
        CHECK(!covey::pool_of<Owner>(world).set(e, std::move(second)));
        CHECK(Owner::alive == before + 2);
        CHECK(!covey::add<Owner>(world, {}, std::move(second)) && Owner::alive == before + 2);
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
    auto changed = covey::reactive_of(world).added<Velocity>().set<Packed>().with<Velocity, const Packed>().make();
    CHECK(changed && queue);
    covey_entity e[3];
    CHECK(covey_create_many(world, e, 3));
    for (covey_entity one : e) covey::add<Velocity>(world, one, { 1, 2 });
    covey::add<Packed>(world, e[1], { 9 });
    CHECK(queue.count() == 6 && changed.count() == 3 && changed.contains(e[0]));
    int seen = 0;
    changed.each(
        [&](covey_entity one, Velocity &v, const Packed &p) { seen += one == e[1] && v.x == 1 && p.number == 9; });
    changed.spans([&](size_t n, Velocity *, const Packed *) { seen += static_cast<int>(n); });
    CHECK(seen == 2);
    changed.clear();
    covey::set<Packed>(world, e[1], { 3 });
    CHECK(changed.count() == 1 && covey_has_raw(world, e[1], changed.type()));
    int created = 0, added = 0;
    queue.each([&](const covey_event &event) {
        created += event.signal == COVEY_ON_CREATE;
        added += event.signal == COVEY_ON_ADD && event.type == covey::type_of<Velocity>();
    });
    CHECK(created == 3 && added == 3 && queue.count() == 0);
    covey::queue valued(world);
    CHECK(covey_connected(world, valued.connect<Packed>(COVEY_ON_SET, true)));
    covey::set<Packed>(world, e[1], { 5 });
    valued.each([&](const covey_event &event) { CHECK(static_cast<const Packed *>(event.values)->number == 5); });
    covey::queue moved(std::move(queue));
    covey_destroy(world, e[0]);
    CHECK(moved.count() == 1);
    moved.clear();
    auto removed = covey::reactive_of(world).removed<Velocity>().without<Frozen>().make();
    covey::remove<Velocity>(world, e[2]);
    int lost = 0;
    removed.each([&](covey_entity one) { lost += one == e[2]; });
    CHECK(lost == 1);
    auto decided = covey::reactive_of(world)
                       .patched<Velocity>()
                       .decided_by(
                           [](const covey_event *event, void *least) {
                               return static_cast<const Velocity *>(event->values)->x > *static_cast<float *>(least);
                           },
                           &limit)
                       .keep_destroyed()
                       .make();
    covey_entity slow = covey_create(world), fast = covey_create(world);
    for (covey_entity one : { slow, fast }) covey::add<Velocity>(world, one, { one == fast ? 9.0f : 1.0f, 0 });
    for (covey_entity one : { slow, fast }) covey::patch<Velocity>(world, one, [](Velocity &v) { v.y = 1; });
    CHECK(decided.count() == 1 && decided.contains(fast));
    CHECK(decided.listen<Packed>(COVEY_ON_CREATE) == COVEY_ERROR_RANGE);
    CHECK(decided.listen<Packed>(COVEY_ON_REMOVE) == COVEY_OK);
    covey_destroy(world, fast);
    int ends = 0;
    decided.each_destroyed([&](covey_entity one) { ends += one == fast && !covey_alive(world, one); });
    CHECK(ends == 1 && decided.count() == 0);
}

static void trees() {
    covey::world world;
    std::vector<covey_entity> e = make_some(world, 5); // 0 has 1 and 2, 1 has 3, and 4 is alone
    CHECK(covey_parent_set(world, e[1], e[0]) == COVEY_OK && covey_parent_set(world, e[2], e[0]) == COVEY_OK);
    CHECK(covey_parent_set(world, e[3], e[1]) == COVEY_OK && covey_name_set(world, e[3], "leaf") == COVEY_OK);
    std::vector<covey_entity> children, tree, nobody;
    for (covey_entity i : covey::children(world, e[0])) children.push_back(i);
    for (covey_entity i : covey::tree(world, e[0])) tree.push_back(i);
    CHECK((children == std::vector<covey_entity>{ e[1], e[2] }));
    CHECK((tree == std::vector<covey_entity>{ e[0], e[1], e[3], e[2] }));
    CHECK(covey_find_path(world, e[1], "leaf") == e[3] && std::strcmp(covey_name(world, e[3]), "leaf") == 0);
    for (std::size_t i = e.size(); i-- != 0;) covey::add<Sprite>(world, e[i], { static_cast<int>(i), 0 });
    CHECK(covey::sort_by_depth<Sprite>(world) == COVEY_OK);
    CHECK((layers(covey::pool_of<Sprite>(world)) == std::vector<int>{ 4, 0, 2, 1, 3 }));
    CHECK(covey::sort_by_depth<Velocity>(world) == COVEY_ERROR_REFUSED);
    CHECK(covey_destroy_tree(world, e[0]) == 4);
    for (covey_entity i : covey::tree(world, e[0])) nobody.push_back(i);
    for (covey_entity i : covey::children(world, e[0])) nobody.push_back(i);
    CHECK(nobody.empty());
    check_valid(world);
}

static void resources() {
    covey::world world;
    CHECK(!covey::resource<Position>(world) && !covey::remove_resource<Position>(world));
    Position *p = covey::set_resource<Position>(world, { 1, 2 });
    CHECK(covey::resource<Position>(world) == p && covey::set_resource<Position>(world, { 3, 4 }) == p && p->x == 3);
    CHECK(covey::set_resource<Marked>(world) && covey::has_resource<Marked>(world));
    Owner owner(7);
    CHECK(covey::set_resource<Owner>(world, std::move(owner))->number == 7 && owner.number == Owner::moved_from);
    CHECK(Owner::alive == 2 && covey::remove_resource<Owner>(world) && Owner::alive == 1);
    CHECK(covey::set_resource<Owner>(world, Owner(8)) && covey::take_resource<Owner>(world)->number == 8);
    CHECK(!covey::take_resource<Owner>(world) && Owner::alive == 1);
    CHECK(covey_world_resource_count(world) == 2);
    check_valid(world);
}

static void references_to_entities() {
    covey::world world;
    covey::entity_ref none,
        ship = covey::entity_ref::create(world).add<Position>({ 1, 2 }).add<Marked>().set<Velocity>({ 3, 4 });
    CHECK(ship.alive() && !none.alive() && ship != none);
    CHECK((std::get<1>(ship.get_all<Position, Marked>()) == ship.get<Marked>()));
    CHECK((ship.has_all<Position, Marked>() && !ship.has_any<Frozen, Spin>() && ship.has<Velocity>()));
    CHECK(ship.get<Position>()->y == 2 && ship.get_or_add<Spin>({ { 5, 6 } })->x == 5);
    CHECK(ship.patch<Position>([](Position &p) { p.x = 9; })->x == 9);
    Velocity value = { 7, 8 };
    CHECK(ship.replace<Velocity>(value) && value.x == 3);
    covey::entity_ref second = ship.clone();
    CHECK(second != ship && second.get<Position>()->x == 9 && covey_alive(world, second));
    CHECK(ship.remove<Marked>() && second.has<Marked>());
    CHECK(ship.patch_or_add<Velocity>([](Velocity &v) { v.x = 6; })->x == 6 && ship.take<Velocity>()->x == 6);
    covey::world other;
    covey_entity plain = ship;
    CHECK(covey::entity_ref(world, plain) == ship && covey::entity_ref(other, plain) != ship);
    CHECK(covey::entity_ref::create(world).is_empty() && !ship.is_empty());
    CHECK(ship.destroy() && !ship.alive() && !ship.destroy() && !ship.get<Position>() && !ship.clone().alive());
}

static void copies_of_entities_and_worlds() {
    covey::world world;
    covey_entity e = covey_create(world), to = covey_create(world), clones[3];
    covey::add<Owner>(world, e, Owner(5));
    CHECK(covey_copy(world, e, to) && covey::get<Owner>(world, to)->number == 5 && Owner::alive == 2);
    CHECK(covey_clone(world, e, clones, 3) && Owner::alive == 5);
    covey::world second(covey_world_clone(world, nullptr));
    CHECK(second.get() && Owner::alive == 10 && covey::get<Owner>(second, clones[2])->number == 5);
    check_valid(second);
    covey::add<Box>(world, e, std::make_unique<int>(1)); /* has no copy constructor */
    CHECK(covey::type_of<Box>()->no_copy && !covey_copy(world, e, to));
    CHECK(covey_world_result(world) == COVEY_ERROR_COPY && Owner::alive == 10);
    CHECK(covey::options().no_copy().describe<Position>("Position").no_copy);
}

static void commands_are_recorded_and_replayed() {
    covey::world world;
    covey_commands_desc desc = {};
    desc.entities = 2;
    covey::commands later(world, desc);
    covey_entity e = later.create(), gone = covey_create(world);
    Owner owner(7);
    int alive = Owner::alive;
    CHECK(later && later.add<Velocity>(e, { 1, 2 }) && later.add<Marked>(e) && later.add<Owner>(e, std::move(owner)));
    CHECK(owner.number == Owner::moved_from);
    CHECK(later.set<Velocity>(e, { 3, 4 }) && later.add<Owner>(gone, Owner(8)) && later.destroy(gone));
    CHECK(later.count() == 7 && !covey_alive(world, e));
    covey_destroy(world, gone);
    covey_replay replay = later.replay();
    CHECK(replay.result == COVEY_OK && replay.done == 5 && replay.skipped == 2 && replay.left == 0);
    CHECK(covey::get<Velocity>(world, e)->x == 3 && covey::has<Marked>(world, e));
    CHECK(covey::get<Owner>(world, e)->number == 7 && Owner::alive == alive + 1);
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
    for (int i = 0; i < 100; i++) CHECK(later.add<Velocity>(later.create(), { 1, 2 }));
    CHECK(later.replay().result == COVEY_OK && covey_entity_count(world) == 100);
}

static void what_is_disabled() {
    covey::world world;
    std::vector<covey_entity> made = make_some(world, 60);
    auto all = covey::view_of(world).with<const Velocity>();
    CHECK(covey_disable(world, made[0]) == COVEY_OK && covey::disable<Velocity>(world, made[1]) == COVEY_OK);
    CHECK(!covey::is_enabled<Velocity>(world, made[1]) && covey::is_enabled<Velocity>(world, made[0]));
    CHECK(all.count() == 58 && all.include_disabled().count() == 60 &&
          all.include_disabled().with<Packed>().contains(made[0]));
    CHECK(all.with<covey_disabled>().count() == 1 && all.without<covey_disabled>().count() == 58);
    CHECK(covey::has<covey_disabled>(world, made[0]) && covey::enable<Velocity>(world, made[1]) == COVEY_OK);
    CHECK(covey::remove<covey_disabled>(world, made[0]) && all.count() == 60);
}

static void what_was_changed() {
    covey::world world;
    std::vector<covey_entity> made = make_some(world, 60);
    for (std::size_t i = 0; i < made.size(); i++) covey::add<Score>(world, made[i], { static_cast<int>(i) });
    auto read = covey::view_of(world).with<const Score>().changed<Score>();
    CHECK(read.valid() && !covey::view_of(world).with<Velocity>().changed<Velocity>().valid());
    uint64_t seen = covey_tick_advance(world);
    int found = 0;
    read.each_since(seen, [&](const Score &) { found++; });
    CHECK(found == 0);
    covey::patch<Score>(world, made[5], [](Score &s) { s.points = 100; });
    covey::view_of(world).with<Score, const Packed>().each([](Score &s, const Packed &) { s.points++; });
    CHECK(covey::changed_at<Score>(world, made[5]) == seen + 1 && covey::changed_at<Score>(world, made[7]) == seen);
    read.without<Packed>().spans_since(seen, [&](std::size_t n, const Score *s) {
        for (std::size_t i = 0; i < n; i++) found += s[i].points;
    });
    CHECK(found == 100);
    check_valid(world);
}

static void worlds_go_back() {
    covey::world world;
    covey::history past(world, 2);
    covey_entity e = covey_create(world);
    CHECK(covey::add<Position>(world, e, { 1, 2 }) && past && past.save());
    covey::get<Position>(world, e)->x = 5;
    CHECK(past.save() && past.count() == 2 && past.memory() != 0);
    covey_destroy(world, e);
    covey::world then = past.world_at(1);
    CHECK(then && covey::get<Position>(then, e)->x == 1 && past.capacity() == 2 && !past.world_at(2));
    CHECK(past.restore() && covey::get<Position>(world, e)->x == 5);
    CHECK(past.restore(1) && covey::get<Position>(world, e)->x == 1);
    CHECK(!past.restore(1) && past.get() == past);
    check_valid(world);
    covey_history_destroy(past);
}

static void worlds_are_saved_and_loaded() {
    covey::world world, fresh;
    covey_entity e = covey_create(world), other = covey_create(world);
    Car car = { 5,       other, { { 1, false }, { 2, true }, { 3, false }, { 4, true } }, { { 1, 2 }, { 3, 4 } },
                "CVY 1", &car };
    CHECK(covey::add<Car>(world, e, car) && covey::add<Dice>(world, e, { 6 }) && covey::add<Cache>(world, e, { 1 }));
    CHECK(covey::add<Path>(world, e, Path{ { 1, 2.5f, 3 } }));
    covey_buffer image = {};
    CHECK(covey_save_to_buffer(world, &image, nullptr, nullptr) == COVEY_OK);
    const covey_type *types[] = { covey::type_of<Car>(), covey::type_of<Dice>(), covey::type_of<Path>(), nullptr };
    covey_load_desc desc = {};
    desc.types = types;
    covey_report report;
    CHECK(covey_load_from_memory(fresh, image.bytes, image.size, &desc, &report) == COVEY_OK);
    const Car *loaded = covey::get<Car>(fresh, e);
    CHECK(loaded && loaded->seats == 5 && covey_same(loaded->driver, other) && loaded->engine == nullptr);
    CHECK(loaded->wheels[3].flat && loaded->wheels[2].radius > 2 && std::strcmp(loaded->plate, "CVY 1") == 0);
    CHECK(covey::get<Dice>(fresh, e)->eyes == 6 && !covey::has<Cache>(fresh, e));
    CHECK(covey::get<Path>(fresh, e)->steps == covey::get<Path>(world, e)->steps);
    CHECK(covey_merge_from_memory(fresh, image.bytes, image.size, &desc, nullptr) == COVEY_OK);
    CHECK(covey_entity_count(fresh) == 4);
    check_valid(fresh);
    covey_buffer_free(&image);
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
