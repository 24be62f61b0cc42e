/* Covey for C++17: change ticks (covey/tick.h). Part of covey/covey.hpp. The views of covey.hpp
 * filter by them: view::changed, view::each_since, view::spans_since. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_TICK_HPP
#define COVEY_TICK_HPP

namespace covey {

template <class T> uint64_t changed_at(const covey_world *in, covey_entity e) noexcept {
    return covey_changed_at_raw(in, e, type_of<T>());
}

/* As gather, but only entities whose component was changed after a tick. */
template <class T>
uint32_t gather_since(const covey_world *in, const covey_entity *entities, uint32_t count, uint64_t tick, T *values,
                      uint32_t *positions = nullptr) noexcept {
    static_assert(component<T>::is_trivial, "covey: gather_since copies bytes, without a constructor");
    return covey_gather_since_raw(in, entities, count, type_of<T>(), tick, values, positions);
}

} // namespace covey

#endif /* COVEY_TICK_HPP */
