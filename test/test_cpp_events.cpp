// Events of C++: sent as values or by their arguments, listeners of every form, and systems that send and read.
#include <covey/events.hpp>
#include <covey/history.hpp>
#include <covey/schedule.hpp>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#define CHECK(...)                                                                  \
    do {                                                                            \
        if (!(__VA_ARGS__)) {                                                       \
            std::printf("%s:%d: not true: %s\n", __FILE__, __LINE__, #__VA_ARGS__); \
            std::exit(1);                                                           \
        }                                                                           \
    } while (0)

namespace game {
struct Hit {
    covey::entity target;
    float damage;
};
struct Said { // moved by a hook
    std::string text;
    int loud = 0;
};
struct Gift { // owns something, and memcpy may move it
    std::unique_ptr<int> what;
};
struct Bell {};
COVEY_CPP_DEFINE(Hit);
COVEY_CPP_DEFINE(Said);
COVEY_CPP_DEFINE(Gift, ::covey::options().relocatable());
COVEY_CPP_DEFINE(Bell);
} // namespace game
using namespace game;

struct Health {
    float left;
};
COVEY_CPP_DEFINE(Health);

static void check_valid(covey::world_ref world) {
    const char *why = "";
    if (!world.validate(&why)) std::printf("%s\n", why), std::exit(1);
}

static void events_are_made_from_arguments() {
    covey::world world;
    covey::entity e = world.create();
    covey::events<Hit> hits = world.events<Hit>();
    CHECK(hits && hits == world.events<Hit>() && hits.count() == 0 && hits.current().empty());
    CHECK(hits.send(e, 2.f) && hits.send(Hit{ e, 3 }) && hits.send({ e, 4 }) && hits.send());
    CHECK(hits.sent() == 4 && hits.count() == 0);
    CHECK(hits.deliver() == 4 && hits.count() == 4 && hits.sent() == 0);
    float sum = 0;
    for (const Hit &hit : hits.current()) sum += hit.damage;
    CHECK(sum == 9 && hits.current()[1].damage == 3 && hits.current()[0].target == e);
    CHECK(covey_is_null(hits.current()[3].target) && hits.current().size() == 4);
#if defined(__cpp_lib_span)
    std::span<const Hit> all = hits.current();
    CHECK(all.size() == 4 && all.data() == hits.current().data());
#endif
    hits.clear();
    CHECK(hits.count() == 0 && !covey::events<Hit>());
    check_valid(world);
}

static void events_own_what_they_hold() {
    covey::world world;
    auto said = world.events<Said>();
    std::string text(60, 'x');
    for (int i = 0; i < 100; i++) CHECK(said.send(text, i));
    Said last{ "the last one", 7 };
    CHECK(said.send(std::move(last)) && last.text.empty());
    CHECK(said.deliver() == 101 && said.current()[100].text == "the last one");
    for (size_t i = 0; i < 100; i++) CHECK(said.current()[i].text == text && said.current()[i].loud == int(i));
    auto gifts = world.events<Gift>();
    CHECK(gifts.send(std::make_unique<int>(5)) && gifts.deliver() == 1 && *gifts.current()[0].what == 5);
    CHECK(gifts.deliver() == 0 && gifts.send(std::make_unique<int>(6))); // the world frees it
    check_valid(world);
}

static void listeners_have_many_forms() {
    covey::world world;
    covey::entity e = world.create();
    world.add<Health>(e, 10.f);
    auto hits = world.events<Hit>();
    int calls = 0;
    size_t together = 0;
    auto each = [&](const Hit &hit) { world.get<Health>(hit.target)->left -= hit.damage; };
    {
        auto by_name = hits.on(each);
        static_assert(std::is_same_v<decltype(by_name), covey::connection>, "it can be moved");
        auto all = hits.on([&](covey::event_span<Hit> some) { together += some.size(); });
        auto in = hits.on(
            [&](covey::world_ref where, const Hit &hit) { calls += where == world && where.alive(hit.target); });
        auto raw = hits.on([&](const covey_event &event) { calls += int(event.count) * 100; });
        auto both = hits.on([&](covey::world_ref where, covey::event_span<Hit> some) {
            calls += 1000 * int(some.size());
            if (where.events<Hit>().sent() == 0) where.events<Hit>().send(e, 0.f);
        });
        CHECK(by_name.connected() && all.connected());
        hits.send(e, 1.f);
        hits.send(e, 2.f);
        CHECK(hits.deliver() == 2 && together == 2 && calls == 2202 && world.get<Health>(e)->left == 7);
        CHECK(hits.deliver() == 1 && together == 3);
        covey::connection moved = std::move(by_name);
        CHECK(moved.connected() && !by_name.connected());
        all.disconnect();
        CHECK(!all.connected());
    }
    calls = 0;
    hits.send(e, 5.f);
    CHECK(hits.deliver() == 2 && calls == 0 && together == 3 && world.get<Health>(e)->left == 7);
#if defined(__cpp_lib_span)
    size_t in_span = 0;
    auto spanned = hits.on([&](std::span<const Hit> some) { in_span += some.size(); });
    hits.send(e, 5.f);
    CHECK(hits.deliver() == 1 && in_span == 1);
#endif
    auto bells = world.events<Bell>();
    int rings = 0;
    auto ringing = bells.on([&](const Bell &) { rings++; });
    CHECK(bells.send() && bells.send() && bells.deliver() == 2 && rings == 2);
    check_valid(world);
}

static void buffers_send_events() {
    covey::world world;
    covey::entity e = world.create();
    covey::commands later(world);
    Gift gift{ std::make_unique<int>(4) };
    CHECK(later.send<Hit>(e, 2.f) && later.send<Hit>({ e, 3 }) && later.send<Bell>() &&
          later.send<Gift>(std::move(gift)));
    CHECK(!gift.what && later.count() == 4);
    CHECK(world.events<Hit>().sent() == 0);
    CHECK(later.replay().result == COVEY_OK);
    CHECK(world.events<Hit>().deliver() == 2 && world.events<Hit>().current()[1].damage == 3);
    CHECK(world.events<Bell>().sent() == 1 && world.events<Gift>().deliver() == 1);
    CHECK(*world.events<Gift>().current()[0].what == 4);
    CHECK(later.send<Gift>(std::make_unique<int>(9))); // the world frees it
    check_valid(world);
}

static std::vector<float> fight(uint32_t threads) {
    covey::world world;
    std::vector<covey::entity> all(500);
    CHECK(world.create_many_with(all.data(), 500, Health{ 1000 }));
    auto hits = world.events<Hit>();
    covey_schedule_desc desc = {};
    desc.threads = threads;
    covey::schedule schedule(world, desc);
    CHECK(schedule.add("strike").split(64).each([&](covey::entity e, covey_job &job, const Health &health) {
        covey::commands(job.commands).send<Hit>(all[e.index % 7], health.left / float(e.index + 1));
    }) == COVEY_OK);
    CHECK(schedule.add("hits").exclusive().run([hits] { hits.deliver(); }) == COVEY_OK);
    CHECK(schedule.add("suffer").split(64).each([hits](covey::entity e, Health &health) {
        for (const Hit &hit : hits.current())
            if (hit.target == e) health.left = health.left * 0.75f - hit.damage; // depends on the order
    }) == COVEY_OK);
    for (int run = 0; run < 3; run++) CHECK(schedule.run());
    std::vector<float> left;
    for (covey::entity e : all) left.push_back(world.get<Health>(e)->left);
    check_valid(world);
    return left;
}

static void rollbacks_restore_events() {
    covey::world world;
    covey::history past(world, 2);
    auto said = world.events<Said>();
    said.send("now", 1);
    CHECK(past.save() && said.deliver() == 1 && said.deliver() == 0 && past.restore(0));
    CHECK(said.deliver() == 1 && said.current()[0].text == "now");
    past.destroy();
    check_valid(world);
}

int main() {
    events_are_made_from_arguments();
    events_own_what_they_hold();
    listeners_have_many_forms();
    buffers_send_events();
    std::vector<float> alone = fight(1);
    for (uint32_t threads : { 2u, 3u, 8u }) CHECK(fight(threads) == alone);
    rollbacks_restore_events();
    return 0;
}
