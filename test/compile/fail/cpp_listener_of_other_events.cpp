/* expect: a listener to events is \(const T &\), \(covey::event_span<T>\), either after a world_ref */
#include <covey/events.hpp>

struct Hit {
    float damage;
};
struct Miss {
    float distance;
};
COVEY_CPP_DEFINE(Hit);
COVEY_CPP_DEFINE(Miss);

void use(covey::events<Hit> hits);
void use(covey::events<Hit> hits) {
#ifdef FIXED
    auto listen = [](const Hit &) {};
    auto kept = hits.on(listen);
#else
    auto listen = [](const Miss &) {};
    auto kept = hits.on(listen);
#endif
}
