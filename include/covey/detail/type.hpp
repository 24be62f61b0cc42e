/* What C++ derives from the class of a component: hooks, how values are passed, the descriptor. Not API. */
#ifndef COVEY_DETAIL_TYPE_HPP
#define COVEY_DETAIL_TYPE_HPP

#include <covey/covey.h>

#include <new>
#include <type_traits>
#include <utility>

/* The counterpart of COVEY_HOT for members, so that compilers keep arguments in registers. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define COVEY__CPP_HOT __attribute__((always_inline)) inline
#else
#define COVEY__CPP_HOT inline
#endif

/* In no namespace, so that argument-dependent lookup also searches there. */
struct covey__anywhere {};

namespace covey {
namespace detail {

template <class... T> struct types {};
template <class... A, class... B> constexpr types<A..., B...> operator+(types<A...>, types<B...>) noexcept {
    return {};
}

template <class... T> constexpr size_t count_types(types<T...>) noexcept { return sizeof...(T); }

template <class T> inline constexpr bool never = false;

/* std::addressof, without its header. */
template <class T> constexpr T *address_of(T &value) noexcept { return __builtin_addressof(value); }
/* The context of a C function that calls a function object. */
template <class Function> void *context_of(Function &function) noexcept {
    return const_cast<void *>(static_cast<const void *>(address_of(function)));
}

/* Of a container that has its values in one array. */
template <class List> using if_list = decltype(std::declval<const List &>().size());
template <class List>
using value_of_list = std::remove_const_t<std::remove_pointer_t<decltype(std::declval<const List &>().data())>>;

/* Calls a function. Returns nothing of use where a static assertion refuses the function: that is the only error. */
template <class R, class Function, class... Arguments>
COVEY__CPP_HOT R call_as(Function &function, [[maybe_unused]] Arguments &&...arguments) {
    if constexpr (std::is_invocable_r_v<R, Function &, Arguments...>)
        return function(std::forward<Arguments>(arguments)...);
    else return R();
}

template <class T> void drop(void *value, void *) noexcept { static_cast<T *>(value)->~T(); }

template <class T> bool copy(void *to, const void *from, void *) noexcept {
#if defined(__cpp_exceptions)
    try {
        ::new (to) T(*static_cast<const T *>(from));
        return true;
    } catch (...) {
        return false;
    }
#else
    ::new (to) T(*static_cast<const T *>(from));
    return true;
#endif
}

template <class T> void move(void *to, void *from, void *) noexcept {
    ::new (to) T(std::move(*static_cast<T *>(from)));
    static_cast<T *>(from)->~T();
}

template <class T> constexpr covey_move_fn *move_hook(bool relocatable) noexcept {
    if constexpr (std::is_trivially_copyable_v<T>) return nullptr;
    else return relocatable ? nullptr : move<T>;
}

template <class T> constexpr covey_drop_fn *drop_hook() noexcept {
    if constexpr (std::is_trivially_destructible_v<T>) return nullptr;
    else return drop<T>;
}

template <class T> constexpr covey_copy_fn *copy_hook() noexcept {
    if constexpr (std::is_trivially_copyable_v<T> || !std::is_copy_constructible_v<T>) return nullptr;
    else return copy<T>;
}

/* A value on its way into a pool. If the call does not take it over, it is moved back. */
template <class T> class moving {
  public:
    explicit moving(T &from) noexcept : from_(from) { ::new (static_cast<void *>(&value_)) T(std::move(from)); }
    moving(const moving &) = delete;
    moving &operator=(const moving &) = delete;
    ~moving() {
        if (taken_) return;
        from_.~T();
        ::new (static_cast<void *>(address_of(from_))) T(std::move(value_));
        value_.~T();
    }
    const void *bytes() const noexcept { return &value_; }
    void take(bool taken) noexcept { taken_ = taken; }

  private:
    union {
        T value_;
    };
    T &from_;
    bool taken_ = false;
};

struct no_value {};

/* What the verbs need to know about components with and without a value. Trivial values are passed as copies, so that a
 * literal stays in registers; others are moved from. */
template <class T> struct value_traits {
    static constexpr size_t size = sizeof(T);
    static constexpr bool is_trivial = std::is_trivially_copyable_v<T>;
    using argument = std::conditional_t<is_trivial, T, T &&>;
};
struct tag_traits {
    static constexpr size_t size = 0;
    static constexpr bool is_trivial = true;
    using argument = no_value;
};

template <class T> using traits = std::conditional_t<std::is_empty_v<T>, tag_traits, value_traits<T>>;

/* The macros define a function. Argument-dependent lookup finds it in the namespace of T, or, because of its second
 * argument, outside all namespaces. Its result type describes the component; the result itself has no bytes. */
template <class T> struct id {};

/* Of a type that is no component: its first use is the only error. */
template <class T, class = void> struct definition {
    static constexpr size_t size = 1;
    static constexpr bool is_trivial = true;
    using argument = T;
    static constexpr const covey_type *type() noexcept {
        static_assert(never<T>, "covey: make the type a component first, with COVEY_CPP_COMPONENT or COVEY_CPP_DEFINE, "
                                "in its own namespace or outside of all");
        return nullptr;
    }
};
template <class T>
struct definition<T, std::void_t<decltype(covey__definition(id<T>(), covey__anywhere()))>>
    : decltype(covey__definition(id<T>(), covey__anywhere())) {};

/* The descriptor of a type that C++ defines. */
template <class T, class Made>
inline constexpr covey_type descriptor = Made::wanted_options().template describe<T>(Made::given_name());

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_TYPE_HPP */
