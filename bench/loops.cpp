/* Prints the table of docs/cpp.md: nanoseconds for each match of a view, for the loops of C and of C++.
 *
 *     covey-bench-cpp [RUNS]    the least of so many runs, 400 if it is not said */
#include <covey/covey.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

enum storage { BLOCKS, SPARSE };
template <storage> struct Position { float x, y; };
template <storage> struct Velocity { float x, y; };
COVEY_CPP_DEFINE(Position<BLOCKS>);
COVEY_CPP_DEFINE(Velocity<BLOCKS>);
COVEY_CPP_DEFINE(Position<SPARSE>, covey::options().storage(COVEY_STORAGE_SPARSE));
COVEY_CPP_DEFINE(Velocity<SPARSE>, covey::options().storage(COVEY_STORAGE_SPARSE));

template <class P, class V> using moving = covey::view<P, const V>;

template <class P, class V> static inline void step(P &p, const V &v) {
    p.x += v.x;
    p.y += v.y;
}

/* ---- The loops. Each is a function of its own, so that none is optimised with its surroundings. ------------------*/

template <class P, class V> [[gnu::noinline]] static void loop(const moving<P, V> &view) {
    for (auto [e, p, v] : view) step(p, v);
}

template <class P, class V> [[gnu::noinline]] static void each(const moving<P, V> &view) {
    view.each([](P &p, const V &v) { step(p, v); });
}

template <class P, class V> [[gnu::noinline]] static void rows_in_c(const moving<P, V> &view) {
    covey_iter it = covey_view_iter(view);
    covey_row row = {};
    while (covey_next_row(&it, &row)) {
        P *p = static_cast<P *>(covey__row_field_sized(&it, row, 0, sizeof(P)));
        const V *v = static_cast<const V *>(covey__row_field_sized(&it, row, 1, sizeof(V)));
        step(*p, *v);
    }
}

template <class P, class V> [[gnu::noinline]] static void spans(const moving<P, V> &view) {
    view.spans([](size_t n, P *p, const V *v) {
        for (size_t i = 0; i < n; i++) step(p[i], v[i]);
    });
}

template <class P, class V> [[gnu::noinline]] static void spans_in_c(const moving<P, V> &view) {
    covey_iter it = covey_view_iter(view);
    while (covey_next(&it)) {
        P *p = static_cast<P *>(covey__field_sized(&it, 0, sizeof(P)));
        const V *v = static_cast<const V *>(covey__field_sized(&it, 1, sizeof(V)));
        for (uint32_t i = 0; i < it.count; i++) step(p[i], v[i]);
    }
}

/* ---- Measuring ----------------------------------------------------------------------------------------------------*/

/* 100,000 entities; one in `each_of`, at random, matches. */
template <class P, class V> static void fill(covey::world_ref world, uint32_t each_of) {
    uint32_t random = 1;
    for (int i = 0; i < 100000; i++) {
        covey::entity e = world.create();
        world.add<P>(e, { 0, 0 });
        random = random * 1664525u + 1013904223u;
        if ((random >> 16) % each_of == 0) world.add<V>(e, { 1, 1 });
    }
}

/* Every run adds 1 to each match. */
template <class P, class V> static void check(const moving<P, V> &view, int runs) {
    for (auto [e, p, v] : view) {
        if (static_cast<int>(p.x) == runs && p.x == p.y) continue;
        std::printf("a loop has left out an entity\n");
        std::exit(1);
    }
}

template <class P, class V> static double nanoseconds(void (*of)(const moving<P, V> &), uint32_t each_of, int runs) {
    using clock = std::chrono::steady_clock;
    covey::world world;
    fill<P, V>(world, each_of);
    const moving<P, V> view{ world };
    double least = 1e30;
    for (int i = 0; i < runs; i++) {
        clock::time_point begin = clock::now();
        of(view);
        least = std::min(least, std::chrono::duration<double, std::nano>(clock::now() - begin).count());
    }
    check<P, V>(view, runs);
    return least / view.count();
}

template <class P, class V> static void print(const char *storage, int runs) {
    const struct {
        const char *name;
        void (*of)(const moving<P, V> &);
    } loops[] = { { "`for (auto [e, p, v] : view)`", loop<P, V> },
                  { "`each`", each<P, V> },
                  { "rows in C", rows_in_c<P, V> },
                  { "`spans`", spans<P, V> },
                  { "spans in C", spans_in_c<P, V> } };
    for (const auto &contestant : loops) {
        std::printf("| %s | %s |", storage, contestant.name);
        for (uint32_t each_of : { 1u, 2u, 10u, 100u })
            std::printf(" %.2f |", nanoseconds<P, V>(contestant.of, each_of, runs));
        std::printf("\n");
    }
}

int main(int count, char **arguments) {
    int runs = count > 1 ? std::atoi(arguments[1]) : 400;
    std::printf("| storage | loop | all | half | tenth | hundredth |\n|---|---|---|---|---|---|\n");
    print<Position<BLOCKS>, Velocity<BLOCKS>>("blocks", runs);
    print<Position<SPARSE>, Velocity<SPARSE>>("sparse", runs);
    return 0;
}
