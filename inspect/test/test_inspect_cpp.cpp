// covey/inspect.hpp: an inspector as an object.
#include <covey/inspect.hpp>

#include <cstdio>
#include <cstring>
#include <type_traits>

static_assert(!std::is_copy_constructible_v<covey::inspector>);

static int failures;

static void check(bool is_true, const char *what) {
    if (is_true) return;
    std::printf("not true: %s\n", what);
    failures++;
}
#define CHECK(...) check(__VA_ARGS__, #__VA_ARGS__)

static void no_log(covey_result, const char *, void *) {}

int main() {
    covey_world_desc silent = {};
    silent.log = no_log;
    covey::world world(silent);

    covey_inspect_desc desc = {};
    desc.title = "C++";
    covey::inspector inspector(world, desc);
    CHECK(inspector && std::strncmp(inspector.address(), "http://127.0.0.1:", 17) == 0);
    CHECK(inspector.poll() == 1);

    covey_inspector *const held = inspector;
    covey::inspector moved = std::move(inspector);
    CHECK(!inspector && moved == held && inspector.poll() == 1);
    inspector = std::move(moved);
    CHECK(!moved && inspector == held && inspector.poll() == 1);
    covey_inspect_close(inspector.release());
    CHECK(!inspector);

    desc.address = "not an address";
    CHECK(!covey::inspector(world, desc) && world.result() == COVEY_ERROR_RANGE);
    return failures == 0 ? 0 : 1;
}
