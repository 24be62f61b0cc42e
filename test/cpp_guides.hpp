// What the blocks of C++ in the guides use: see cpp_guides.py. Each page has a namespace, and the variables of GIVEN
// and of GIVEN_page.
#define COVEY_CPP_EXCEPTIONS
#include <covey/covey.hpp>
#include <covey/events.hpp>
#include <covey/fields.h>
#include <covey/hierarchy.hpp>
#include <covey/history.hpp>
#include <covey/image.hpp>
#include <covey/inspect.hpp>
#include <covey/lookup.hpp>
#include <covey/schedule.hpp>
#if defined(GUIDES_MPI)
#include <covey/mpi.hpp>
#endif

#include <cstdio>
#include <algorithm>
#include <string>
#include <vector>

struct Position {
    float x, y;
};
struct Velocity {
    float x, y;
};
struct Frozen {};
struct Mass {
    double mass;
};
struct Body {
    double mass;
};
struct Sprite {
    int image;
    float depth;
};
COVEY_CPP_DEFINE(Position, covey::options().ticks());
COVEY_CPP_DEFINE(Velocity);
COVEY_CPP_DEFINE(Frozen);
COVEY_CPP_DEFINE(Mass);
COVEY_CPP_DEFINE(Body);
COVEY_CPP_DEFINE(Sprite);

struct OwnedBy {
    covey::entity owner;
    int32_t since;
};
COVEY_CPP_DEFINE(OwnedBy);

#define GIVEN                                     \
    covey::world world;                           \
    covey::entity e, other;                       \
    covey::view<Position, const Velocity> moving; \
    covey_load_desc desc;

struct engine {
    void insert(covey::entity, Body &);
};

struct Hit {
    covey::entity target;
    float damage;
};
COVEY_CPP_DEFINE(Hit);

namespace commands {
void report(covey::world_ref, int number);
} // namespace commands
#define GIVEN_commands   \
    covey::entity third; \
    int number;

namespace coming_from {
struct T {
    int n;
};
struct U {
    int n;
};
struct Tag {};
struct Likes {
    covey::entity whom;
};
COVEY_CPP_DEFINE(T);
COVEY_CPP_DEFINE(U);
COVEY_CPP_DEFINE(Tag);
COVEY_CPP_DEFINE(Likes);
} // namespace coming_from
#define GIVEN_coming_from              \
    covey::world w;                    \
    covey::entity parent, bob;         \
    covey::view<T, const U> view;      \
    covey::schedule schedule{ w };     \
    covey::hierarchy family{ w };      \
    covey::lookup<&Likes::whom> likes; \
    covey::commands later{ w };        \
    std::vector<covey::entity> list;   \
    char text[99];                     \
    double dt;

namespace copies {
struct Clock {
    int rate, now;
};
COVEY_CPP_DEFINE(Clock);
} // namespace copies
#define GIVEN_copies                                 \
    covey::entity from, to, prefab, many[100], ship; \
    covey::world game, editor;

namespace cpp {
struct Name {
    std::string text;
};
COVEY_CPP_DEFINE(Name);
} // namespace cpp
#define GIVEN_cpp                               \
    std::vector<Position> places;               \
    covey::entity player, ship, turret, target; \
    covey::world fresh;                         \
    covey::pool<Sprite> sprites;                \
    engine physics;                             \
    float dt;

namespace enabling {
struct Collider {};
COVEY_CPP_DEFINE(Collider);
} // namespace enabling
#define GIVEN_enabling

namespace events {
struct Fighter {
    covey::entity enemy;
};
COVEY_CPP_DEFINE(Fighter);
} // namespace events
#define GIVEN_events                 \
    covey::entity target;            \
    covey::schedule schedule(world); \
    auto hits = world.events<Hit>();

namespace hierarchy {
struct Global {
    float x, y;
};
COVEY_CPP_DEFINE(Global, covey::options().storage(COVEY_STORAGE_SPARSE));
} // namespace hierarchy
#define GIVEN_hierarchy               \
    covey::hierarchy family{ world }; \
    covey::entity ship, turret, gun;  \
    char text[99];

namespace images {
bool receive(covey::image &image);
} // namespace images
#define GIVEN_images     \
    covey::world fresh;  \
    covey_report report; \
    covey::image image;

namespace inspect {
void draw();
} // namespace inspect
#define GIVEN_inspect                  \
    covey::schedule schedule{ world }; \
    bool running;

#define GIVEN_overview           \
    covey_report report;         \
    covey::world fresh;          \
    covey::pool<Sprite> sprites; \
    engine physics;

namespace relations {
struct Player {
    uint8_t team;
};
COVEY_CPP_DEFINE(Player);
} // namespace relations
#define GIVEN_relations              \
    covey::entity player, sword;     \
    covey::view<const Mass> weights; \
    covey::lookup<&OwnedBy::owner> owned;

namespace rollback {
void step(covey::world_ref, int input);
} // namespace rollback
#define GIVEN_rollback                  \
    covey::history history{ world, 8 }; \
    int input;

#define GIVEN_spans_or_rows

#define GIVEN_threads                  \
    covey::schedule schedule{ world }; \
    struct {                           \
        float dt;                      \
    } frame;                           \
    void *pool;                        \
    uint32_t threads;

#define GIVEN_ticks              \
    uint64_t seen;               \
    covey::entity watched[1000]; \
    Position values[1000];       \
    uint32_t whose[1000];

#if defined(GUIDES_MPI)
namespace mpi {
void think(Position &);
void flock(const Position &, Velocity &);
} // namespace mpi
#define GIVEN_mpi                                                              \
    covey::mpi mpi = covey::mpi_of<Position, Velocity>(MPI_COMM_WORLD, world); \
    covey::mpi_partition space{ nullptr };                                     \
    covey::schedule schedule{ world };                                         \
    double seconds;                                                            \
    struct {                                                                   \
        int ranks_near(const Position &, int *ranks);                          \
    } model;
#endif
