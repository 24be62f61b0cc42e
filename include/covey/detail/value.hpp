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
COVEY__CPP_HOT T *hand_over([[maybe_unused]] const covey_world *in, argument<T> &value, Call call) noexcept {
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

/* Whether an argument is a value that is taken over as it is, instead of arguments that construct one. */
template <class T, class... Arguments> inline constexpr bool is_value = false;
template <class T, class Given>
inline constexpr bool is_value<T, Given> =
    std::is_same_v<std::remove_cv_t<std::remove_reference_t<Given>>, T> &&std::is_convertible_v<Given &&, argument<T>>;
template <class T, class... Arguments> using if_arguments = std::enable_if_t<!is_value<T, Arguments...>, int>;

/* False after a static assertion, so that there is one error. */
template <class T, class... Arguments> constexpr bool check_arguments() noexcept {
    static_assert(!std::is_const_v<T>, "covey: a const component is only read; name it without const to write it");
    static_assert(size_of<T> != 0 || sizeof...(Arguments) == 0, "covey: a tag has no value: add<T>(e)");
    static_assert(size_of<T> == 0 || is_made_of<T, types<Arguments...>>,
                  "covey: a component is made from arguments such that T{ arguments... } is one");
    return !std::is_const_v<T> && (size_of<T> == 0 ? sizeof...(Arguments) == 0 : is_made_of<T, types<Arguments...>>);
}

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
template <class T, class Wanted> bool ask(entity e, const void *value, void *context) noexcept {
    return call_as<bool>(*static_cast<Wanted *>(context), e, *static_cast<const T *>(value));
}

/* Constructs a component that must be absent at its final address, without a move. */
template <class T, class... Arguments> T *construct(covey_world *in, entity e, Arguments &&...arguments) noexcept {
    if (covey_has_raw(in, e, type_of<T>())) /* reports PRESENT */
        return static_cast<T *>(covey__add(in, e, type_of<T>(), nullptr, size_of<T>, false));
    construction<T, Arguments...> made{ { std::forward<Arguments>(arguments)... } };
    return static_cast<T *>(covey_patch_or_add_raw(in, e, type_of<T>(), made.run, &made));
}

template <class T> COVEY__CPP_HOT T *get_one(const covey_world *in, entity e) noexcept {
    return static_cast<T *>(covey__get_sized(in, e, type_of<T>(), size_of<T>));
}

template <class... T, size_t... I>
COVEY__CPP_HOT std::tuple<T *...> get_each(const covey_world *in, entity e, std::index_sequence<I...>) noexcept {
    void *found[sizeof...(T)];
    const covey__destination destinations[] = { { type_of<T>(), &found[I], size_of<T> }... };
    if (!COVEY__LIKELY(covey__get_all(in, e, destinations, sizeof...(T)))) return std::tuple<T *...>();
    return std::tuple<T *...>(static_cast<T *>(found[I])...);
}

/* Where the component of a new entity comes from. Trivial values are in a copy, so that they may lie in a pool that
 * grows; what may be moved from is moved, and moved back if the call fails; others are copied by their constructor. */
template <class T, class Given = T> class taken_from {
  public:
    COVEY__CPP_HOT explicit taken_from(const T &value) noexcept : value_(value) {}
    COVEY__CPP_HOT covey_component made() const noexcept {
        return { type_of<T>(), size_of<T> == 0 ? nullptr : address_of(value_), nullptr, size_of<T> != 0, size_of<T> };
    }
    COVEY__CPP_HOT static void take(bool) noexcept {}

  private:
    T value_;
};
template <class T> class taken_from<T, T &&> {
  public:
    explicit taken_from(T &&value) noexcept : moved_(value) {}
    covey_component made() const noexcept { return { type_of<T>(), moved_.bytes(), nullptr, 1, size_of<T> }; }
    void take(bool taken) noexcept { moved_.take(taken); }

  private:
    moving<T> moved_;
};
template <class T> class taken_from<T, const T &> {
  public:
    explicit taken_from(const T &value) noexcept : value_(value) {}
    covey_component made() const noexcept { return { type_of<T>(), nullptr, address_of(value_), 0, size_of<T> }; }
    static void take(bool) noexcept {}

  private:
    const T &value_;
};
/* How a T is taken over from an argument of type Given. */
template <class Given, class T = std::remove_cv_t<std::remove_reference_t<Given>>>
using taken = taken_from<
    T, std::conditional_t<component<T>::is_trivial, T, std::conditional_t<std::is_same_v<Given, T>, T &&, const T &>>>;

/* The arguments are constructed in place, not moved. */
template <class... Taken> COVEY__CPP_HOT entity create_from(covey_world *in, Taken... values) noexcept {
    const covey_component components[] = { values.made()... };
    entity e = covey__create_with(in, components, sizeof...(Taken));
    (values.take(!covey_is_null(e) || covey_world_result(in) == COVEY_ERROR_GONE), ...);
    return e;
}

#if defined(__cpp_lib_span)
template <class T> uint32_t length(std::span<T> items) noexcept { return static_cast<uint32_t>(items.size()); }
#endif

template <class T> inline constexpr size_t value_size = std::is_empty_v<T> ? 0 : sizeof(T);

/* Whether a type made at run time has values of type T. If not, the log says why. */
template <class T> bool has_layout(const covey_world *, const covey_type *type, size_t size) noexcept {
    return type && type->size == size && type->align % (size == 0 ? 1 : alignof(T)) == 0;
}
template <class T> bool has_layout(covey_world *in, const covey_type *type, size_t size) noexcept {
    if (has_layout<T>(static_cast<const covey_world *>(in), type, size)) return true;
    covey_type expected = {};
    expected.name = type ? type->name : nullptr;
    expected.size = static_cast<uint32_t>(size);
    expected.align = static_cast<uint32_t>(alignof(T));
    /* Refused, because the world knows a type of the same name with another layout. */
    if (!type || covey_type_create(in, type)) covey_type_create(in, &expected);
    return false;
}

/* What create_many_with gives to new entities: copies of a value, or the values of an array. An array of another length
 * has a count that no list of entities has. */
template <class T> covey_component component_of(const T &value, uint32_t) noexcept {
    covey_component made = {};
    made.type = type_of<T>();
    made.value = size_of<T> == 0 ? nullptr : address_of(value);
    made.size = size_of<T>;
    return made;
}
template <class T> covey_component component_of(const array<T> &values, uint32_t entities) noexcept {
    static_assert(component<T>::is_trivial, "covey: the values would have to be forgotten without a destructor");
    covey_component made = {};
    made.type = type_of<T>();
    made.values = values.values;
    made.count = values.fits(entities) ? 0 : COVEY_NONE;
    made.size = size_of<T>;
    return made;
}

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_VALUE_HPP */
