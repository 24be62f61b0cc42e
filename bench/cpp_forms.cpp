/* The C++ forms that scenario_cpp.c compares with those of C. */
#include "cpp_forms.h"

#include <covey/covey.hpp>

COVEY_CPP_COMPONENT(Point);
COVEY_CPP_COMPONENT(Step);
COVEY_CPP_COMPONENT(Extra);
COVEY_CPP_COMPONENT(DensePoint);
COVEY_CPP_COMPONENT(DenseStep);
COVEY_CPP_COMPONENT(DenseExtra);

/* As BENCH_TIMED. */
#define TIMED __attribute__((noinline, aligned(64)))

namespace {

const cpp_fixture &of(void *fixture) { return *static_cast<const cpp_fixture *>(fixture); }

template <class P, class S> using view = covey::view<P, const S>;
template <class P, class S> const view<P, S> &view_of(void *fixture) {
    return *static_cast<const view<P, S> *>(of(fixture).cpp_view);
}
template <class P, class S> covey::group<P, S> group_of(void *fixture) { return covey::group<P, S>(of(fixture).group); }

} // namespace

#define FORMS(storage, P, S, T)                                                                                 \
    const void *cpp_view_##storage(covey_world *world) { return new view<P, S>(world); }                        \
    void cpp_view_end_##storage(const void *made) { delete static_cast<const view<P, S> *>(made); }             \
    TIMED uint64_t cpp_rows_##storage(void *fixture) {                                                          \
        uint64_t matches = 0;                                                                                   \
        for (auto [e, p, s] : view_of<P, S>(fixture)) p.x += s.x, matches++;                                    \
        return matches;                                                                                         \
    }                                                                                                           \
    TIMED uint64_t cpp_each_entity_##storage(void *fixture) {                                                   \
        uint64_t matches = 0;                                                                                   \
        view_of<P, S>(fixture).each([&](covey::entity, P &p, const S &s) { p.x += s.x, matches++; });           \
        return matches;                                                                                         \
    }                                                                                                           \
    TIMED uint64_t cpp_each_##storage(void *fixture) {                                                          \
        uint64_t matches = 0;                                                                                   \
        view_of<P, S>(fixture).each([&](P &p, const S &s) { p.x += s.x, matches++; });                          \
        return matches;                                                                                         \
    }                                                                                                           \
    TIMED uint64_t cpp_spans_##storage(void *fixture) {                                                         \
        uint64_t matches = 0;                                                                                   \
        view_of<P, S>(fixture).spans([&](size_t n, P *p, const S *s) {                                          \
            for (size_t i = 0; i < n; i++) p[i].x += s[i].x;                                                    \
            matches += n;                                                                                       \
        });                                                                                                     \
        return matches;                                                                                         \
    }                                                                                                           \
    TIMED uint64_t cpp_group_rows_##storage(void *fixture) {                                                    \
        uint64_t matches = 0;                                                                                   \
        for (auto [e, p, s] : group_of<P, S>(fixture)) p.x += s.x, matches++;                                   \
        return matches;                                                                                         \
    }                                                                                                           \
    TIMED uint64_t cpp_group_each_##storage(void *fixture) {                                                    \
        uint64_t matches = 0;                                                                                   \
        group_of<P, S>(fixture).each([&](P &p, const S &s) { p.x += s.x, matches++; });                         \
        return matches;                                                                                         \
    }                                                                                                           \
    TIMED uint64_t cpp_group_spans_##storage(void *fixture) {                                                   \
        uint64_t matches = 0;                                                                                   \
        group_of<P, S>(fixture).spans([&](size_t n, P *p, const S *s) {                                         \
            for (size_t i = 0; i < n; i++) p[i].x += s[i].x;                                                    \
            matches += n;                                                                                       \
        });                                                                                                     \
        return matches;                                                                                         \
    }                                                                                                           \
    TIMED uint64_t cpp_create_with_##storage(void *fixture) {                                                   \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t made = 0;                                                                                      \
        for (uint32_t i = 0; i < f.count; i++) {                                                                \
            covey::entity e = world.create_with(P{ float(i), 2 }, S{ 1, 0 });                                   \
            made += !covey_is_null(e);                                                                          \
        }                                                                                                       \
        return made;                                                                                            \
    }                                                                                                           \
    TIMED uint64_t cpp_add_##storage(void *fixture) {                                                           \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t made = 0;                                                                                      \
        for (uint32_t i = 0; i < f.count; i++) made += world.add<T>(f.entities[i], { float(i), 1 }) != nullptr; \
        return made;                                                                                            \
    }                                                                                                           \
    TIMED uint64_t cpp_set_##storage(void *fixture) {                                                           \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t made = 0;                                                                                      \
        for (uint32_t i = 0; i < f.count; i++) made += world.set<P>(f.entities[i], { float(i), 1 }) != nullptr; \
        return made;                                                                                            \
    }                                                                                                           \
    TIMED uint64_t cpp_get_##storage(void *fixture) {                                                           \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t found = 0;                                                                                     \
        for (uint32_t i = 0; i < f.count; i++)                                                                  \
            if (const P *p = world.get<const P>(f.entities[i])) found += p->y == 2;                             \
        return found;                                                                                           \
    }                                                                                                           \
    TIMED uint64_t cpp_get_both_##storage(void *fixture) {                                                      \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t found = 0;                                                                                     \
        for (uint32_t i = 0; i < f.count; i++) {                                                                \
            auto [p, s] = world.get<const P, const S>(f.entities[i]);                                           \
            if (p) found += p->y > s->y;                                                                        \
        }                                                                                                       \
        return found;                                                                                           \
    }                                                                                                           \
    TIMED uint64_t cpp_create_##storage(void *fixture) {                                                        \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t made = 0;                                                                                      \
        for (uint32_t i = 0; i < f.count; i++) made += !covey_is_null(world.create());                          \
        return made;                                                                                            \
    }                                                                                                           \
    TIMED uint64_t cpp_pool_get_##storage(void *fixture) {                                                      \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::pool<const P> pool = covey::const_world_ref(f.world).pool_find<P>();                       \
        uint64_t found = 0;                                                                                     \
        for (uint32_t i = 0; i < f.count; i++)                                                                  \
            if (const P *p = pool.get(f.entities[i])) found += p->y == 2;                                       \
        return found;                                                                                           \
    }                                                                                                           \
    TIMED uint64_t cpp_has_##storage(void *fixture) {                                                           \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t found = 0;                                                                                     \
        for (uint32_t i = 0; i < f.count; i++) found += world.has<P>(f.entities[i]);                            \
        return found;                                                                                           \
    }                                                                                                           \
    TIMED uint64_t cpp_remove_##storage(void *fixture) {                                                        \
        const cpp_fixture &f = of(fixture);                                                                     \
        const covey::world_ref world = f.world;                                                                 \
        uint64_t removed = 0;                                                                                   \
        for (uint32_t i = 0; i < f.count; i++) removed += world.remove<T>(f.entities[i]);                       \
        return removed;                                                                                         \
    }

FORMS(block, Point, Step, Extra)
FORMS(sparse, DensePoint, DenseStep, DenseExtra)
