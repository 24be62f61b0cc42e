/* Covey for C++17: disabling and enabling components (covey/enable.h). Part of covey/covey.hpp. The tag of disabled
 * entities is covey_disabled: with<covey_disabled>(). */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_ENABLE_HPP
#define COVEY_ENABLE_HPP

COVEY_CPP_TAG(covey_disabled);

namespace covey {

template <class T> covey_result disable(covey_world *in, covey_entity e) noexcept {
    return covey_component_disable_raw(in, e, type_of<T>());
}

template <class T> covey_result enable(covey_world *in, covey_entity e) noexcept {
    return covey_component_enable_raw(in, e, type_of<T>());
}

template <class T> bool is_enabled(const covey_world *in, covey_entity e) noexcept {
    return covey_component_is_enabled_raw(in, e, type_of<T>());
}

} // namespace covey

#endif /* COVEY_ENABLE_HPP */
