/* How values get into and out of pools: moved, constructed in place, taken, copied. Not API. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_DETAIL_VALUE_HPP
#define COVEY_DETAIL_VALUE_HPP

namespace covey {
namespace detail {

/* Whether values are moved as bytes; otherwise by a hook. */
template <class T> constexpr bool moves_as_bytes() noexcept {
    if constexpr (component<T>::is_trivial) return true;
    else return component<T>::wanted_options().is_relocatable();
}
template <class T> inline constexpr bool are_bytes = moves_as_bytes<T>();

/* Lets `call` move the bytes of a value into a pool. The bytes are not in a pool: they are a copy, or were moved here.
 * If a listener removed the value at once (GONE), it was taken over, too. */
template <class T, class Call>
T *hand_over([[maybe_unused]] const covey_world *in, argument<T> &value, Call call) noexcept {
    static_assert(!std::is_const_v<T>, "covey: a const component is only read; name it without const to write it");
    if constexpr (component<T>::is_trivial) {
        return static_cast<T *>(call(&value));
    } else {
        moving<T> moved(value);
        void *at = call(moved.bytes());
        moved.take(at != nullptr || (in && covey_world_result(in) == COVEY_ERROR_GONE));
        return at != moved.bytes() ? static_cast<T *>(at) : nullptr; /* always true, but gcc cannot tell */
    }
}

template <class T, class Arguments, class = void> inline constexpr bool is_made_of = false;
template <class T, class... Arguments>
inline constexpr bool is_made_of<T, types<Arguments...>, std::void_t<decltype(T{ std::declval<Arguments &&>()... })>> =
    true;

/* Arguments for a constructor, which runs where the value will be. */
template <class T, class... Arguments> struct construction {
    std::tuple<Arguments &&...> arguments;
    static void run(void *at, void *context) noexcept {
        const covey_type *type = type_of<T>();
        if (type->defaults && type->drop) type->drop(at, type->context); /* a copy of the default is in place */
        std::apply([at](Arguments &&...each) { ::new (at) T{ std::forward<Arguments>(each)... }; },
                   std::move(static_cast<construction *>(context)->arguments));
    }
};

/* What `call` moves out of a pool, or nothing. */
template <class T, class Call> std::optional<T> take_over(Call call) noexcept {
    if constexpr (size_of<T> == 0) {
        return call(nullptr) ? std::optional<T>(std::in_place) : std::nullopt;
    } else {
        alignas(T) unsigned char bytes[sizeof(T)] = {};
        if (!call(bytes)) return std::nullopt;
        T *value = std::launder(reinterpret_cast<T *>(bytes));
        std::optional<T> taken(std::move(*value));
        value->~T();
        return taken;
    }
}

/* Wraps a function object of an entity and a value as a C function. */
template <class T, class Wanted> bool ask(covey_entity e, const void *value, void *context) noexcept {
    return (*static_cast<Wanted *>(context))(e, *static_cast<const T *>(value));
}

template <class T> covey_component copy_of(const T &value) noexcept {
    covey_component made = {};
    made.type = type_of<T>();
    made.value = size_of<T> == 0 ? nullptr : std::addressof(value);
    made.size = size_of<T>;
    return made;
}

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_VALUE_HPP */
