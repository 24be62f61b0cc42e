/* Covey for C++17: sorting pools (covey/sort.h). Part of covey/covey.hpp.
 *
 * A member that is a number makes an order:
 *
 *     world.pool<Sprite>().sort(covey::by<&Sprite::depth>());
 *     world.pool<Timer>().keep_sorted(covey::by<&Timer::at>());
 *     world.pool<Name>().sort([](const Name &a, const Name &b) { return a.number < b.number; });
 *
 * The function may take two entity instead. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_SORT_HPP
#define COVEY_SORT_HPP

#include <covey/sort.h>

namespace covey {

namespace detail {

template <class Number> constexpr covey_key key_kind() noexcept {
    static_assert(std::is_floating_point_v<Number> || std::is_integral_v<Number>, "covey: a key is a number");
    static_assert(sizeof(Number) == 4 || sizeof(Number) == 8, "covey: a key has 4 or 8 bytes");
    constexpr bool wide = sizeof(Number) == 8;
    if (std::is_floating_point_v<Number>) return wide ? COVEY_KEY_F64 : COVEY_KEY_F32;
    if (std::is_signed_v<Number>) return wide ? COVEY_KEY_I64 : COVEY_KEY_I32;
    return wide ? COVEY_KEY_U64 : COVEY_KEY_U32;
}

template <class T, class Number> uint32_t offset_of(Number T::*member) noexcept {
    alignas(T) unsigned char place[sizeof(T)] = {};
    const T *value = reinterpret_cast<const T *>(place);
    return static_cast<uint32_t>(reinterpret_cast<const unsigned char *>(address_of(value->*member)) - place);
}

template <class T, class Number> covey_order order_by(Number T::*member, bool descending) noexcept {
    covey_order order = {};
    order.key = key_kind<Number>();
    order.offset = offset_of(member);
    order.descending = descending;
    return order;
}

/* The order of less(const T &, const T &), which must stay in place and must not throw. */
template <class T, class Less> covey_order order_of(const Less &less) noexcept {
    covey_order order = {};
    order.compare = [](const void *a, const void *b, void *context) noexcept -> int {
        const Less &is_less = *static_cast<const Less *>(context);
        const T &left = *static_cast<const T *>(a), &right = *static_cast<const T *>(b);
        return is_less(left, right) ? -1 : is_less(right, left) ? 1 : 0;
    };
    order.context = context_of(less);
    return order;
}

/* The same with less(entity, entity). */
template <class Less> covey_order order_of_entities(const Less &less) noexcept {
    covey_order order = {};
    order.compare_entities = [](entity a, const void *, entity b, const void *, void *context) noexcept {
        const Less &is_less = *static_cast<const Less *>(context);
        return call_as<bool>(is_less, a, b) ? -1 : call_as<bool>(is_less, b, a) ? 1 : 0;
    };
    order.context = context_of(less);
    return order;
}

/* The order of either kind of function. */
template <class T, class Less> covey_order order_by_function(const Less &less) noexcept {
    if constexpr (std::is_invocable_r_v<bool, const Less &, const T &, const T &>) {
        return order_of<T>(less);
    } else {
        static_assert(std::is_invocable_r_v<bool, const Less &, entity, entity>,
                      "covey: sort wants bool less(const T &, const T &) or bool less(entity, entity)");
        return order_of_entities(less);
    }
}

} // namespace detail

/* By a member, ascending or descending. */
template <auto Member> covey_order by(bool descending = false) noexcept { return detail::order_by(Member, descending); }

} // namespace covey

#endif /* COVEY_SORT_HPP */
