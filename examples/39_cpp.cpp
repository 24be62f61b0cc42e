// Covey in C++: views as members, loops with structured bindings, values with constructors, types made at run time.
#include <covey/covey.hpp>

#include <cstdio>
#include <string>

namespace game {

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Name { // has a constructor, a destructor and a move: any class may be a component
    std::string text;
};
struct Frozen {}; // empty: a tag
COVEY_CPP_DEFINE(Position);
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Name);
COVEY_CPP_DEFINE(Frozen);

// A part of a program keeps its views and pools; they see what is added later.
class Physics {
  public:
    explicit Physics(covey::world_ref in) : world_(in), moving_(in), named_(in), velocities_(in) {}

    // A body of values alone: as fast as a loop over arrays.
    void step(float dt) const {
        moving_.each([dt](Position &p, const Velocity &v) {
            p.x += v.x * dt;
            p.y += v.y * dt;
        });
    }
    // A range-based loop visits one entity at a time, which it may change and destroy.
    void bury() const {
        for (auto [e, p, v] : moving_)
            if (p.y < 0) world_.destroy(e);
    }
    void print() const {
        for (auto [e, name, p, frozen] : named_) // frozen is a pointer: it may be missing
            std::printf("%s is at %g, %g%s\n", name.text.c_str(), p.x, p.y, frozen ? ", frozen" : "");
    }
    void stop(covey::entity e) const { velocities_.remove(e); }

  private:
    covey::world_ref world_;
    covey::view<Position, const Velocity, covey::without<Frozen>> moving_;
    covey::view<const Name, const Position, covey::optional<const Frozen>> named_;
    covey::pool<Velocity> velocities_;
};

} // namespace game

using namespace game;

int main() {
    covey::world world;
    Physics physics(world);

    covey::entity arrow = world.create_with(Position{ 0, 1 }, Velocity{ 4, 1 }, Name{ "arrow" });
    covey::entity stone = world.create_with(Position{ 0, 1 }, Velocity{ 0, -4 });
    world.add<Name>(stone, "stone"); // constructed in its place
    covey::entity_ref::create(world).add<Position>(3.f, 3.f).add<Velocity>(9.f, 9.f).add<Name>("statue").add<Frozen>();
    physics.step(0.5f);
    physics.bury();
    physics.print();
    const Velocity *speed = world.get<const Velocity>(arrow); // null if it is absent
    std::printf("the arrow makes %g a second\n", speed ? speed->x : 0);
    physics.stop(arrow);
    // A type that a script has made, whose values are floats: the view is typed nevertheless.
    const covey_type *type = world.type_create(covey::options().describe<float>("Mana"));
    world.add_raw(arrow, type, 10.f);
    covey::view<const Name, covey::runtime<float>> magic{ world, type };
    for (auto [e, name, left] : magic) std::printf("%s: %g left\n", name.text.c_str(), left -= 3);
    return magic.count() == 1 && !world.alive(stone) ? 0 : 1;
}
