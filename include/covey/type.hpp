/* Covey for C++17: handles and component types. Part of covey/covey.hpp. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_TYPE_HPP
#define COVEY_TYPE_HPP

#include <covey/detail/type.hpp>

/* Outside namespace covey: covey_entity is a C type, and argument-dependent lookup finds its operators here. */
inline bool operator==(covey_entity a, covey_entity b) noexcept { return covey_same(a, b); }
inline bool operator!=(covey_entity a, covey_entity b) noexcept { return !covey_same(a, b); }

template <> struct std::hash<covey_entity> {
    size_t operator()(covey_entity e) const noexcept { return static_cast<size_t>(covey_entity_hash(e)); }
};

namespace covey {

/* The handle of an entity: a value, with == and std::hash. entity{} is null. */
using entity = covey_entity;

/* ---- Component types ------------------------------------------------------------------------------------------------
 *
 * One of these makes a class a component. It stands in the namespace of the class, or outside all namespaces:
 *
 *     COVEY_CPP_COMPONENT(T)         after COVEY_COMPONENT_DECLARE(T) in a header that C and C++ share
 *     COVEY_CPP_TAG(T)               after COVEY_TAG_DECLARE(T)
 *     COVEY_CPP_DEFINE(T)            a type that only C++ uses; allowed in a header
 *     COVEY_CPP_DEFINE(T, options)   the same with options: covey::options().policy(COVEY_IN_PLACE).relocatable()
 *
 * The type's name is the macro's argument, unless options().name() sets another. */

/* The fields of covey_type, for types that C++ defines. Each call returns the options with one more set. */
class options {
  public:
    constexpr options policy(covey_policy wanted) const noexcept {
        options changed = *this;
        changed.policy_ = wanted;
        return changed;
    }
    constexpr options storage(covey_storage wanted) const noexcept {
        options changed = *this;
        changed.storage_ = wanted;
        return changed;
    }
    /* The name of the type in C, other libraries and tools. Default: T as written in the macro. */
    constexpr options name(const char *wanted) const noexcept {
        options changed = *this;
        changed.name_ = wanted;
        return changed;
    }
    constexpr options zero_erased() const noexcept {
        options changed = *this;
        changed.zero_erased_ = true;
        return changed;
    }
    /* Refuses copies although the type has a copy constructor. Types without one always refuse them. */
    constexpr options no_copy() const noexcept {
        options changed = *this;
        changed.no_copy_ = true;
        return changed;
    }
    /* Remembers when each value was changed (covey/tick.h). */
    constexpr options ticks() const noexcept {
        options changed = *this;
        changed.ticks_ = true;
        return changed;
    }
    /* In images: the bytes of a value; left out; field by field (covey/fields.h). */
    constexpr options as_bytes() const noexcept {
        options changed = *this;
        changed.as_bytes_ = true;
        return changed;
    }
    constexpr options transient() const noexcept {
        options changed = *this;
        changed.transient_ = true;
        return changed;
    }
    constexpr options fields(const covey_fields *fields) const noexcept {
        options changed = *this;
        changed.fields_ = fields;
        return changed;
    }
    /* C functions that save and load what a value owns (covey/image.h). `load` constructs the value in zeroed
     * memory. */
    constexpr options codec(const covey_codec *codec) const noexcept {
        options changed = *this;
        changed.codec_ = codec;
        return changed;
    }
    /* The default value for C and for calls without a value; C++ adds T(). */
    constexpr options defaults(const void *value) const noexcept {
        options changed = *this;
        changed.defaults_ = value;
        return changed;
    }
    constexpr options compact_above(uint8_t percent) const noexcept {
        options changed = *this;
        changed.compact_above_ = percent;
        return changed;
    }
    /* Values may be moved with memcpy although they are not trivially copyable. This is faster than their move
     * constructor, and correct for most types, but not for those that point into themselves, like std::string and
     * std::list of libstdc++. */
    constexpr options relocatable() const noexcept {
        options changed = *this;
        changed.relocatable_ = true;
        return changed;
    }

    constexpr bool is_relocatable() const noexcept { return relocatable_; }
    template <class T> constexpr covey_type describe(const char *default_name) const noexcept;

  private:
    covey_policy policy_ = COVEY_SWAP_AND_POP;
    covey_storage storage_ = COVEY_STORAGE_DEFAULT;
    const char *name_ = nullptr;
    bool zero_erased_ = false;
    bool no_copy_ = false;
    bool ticks_ = false;
    bool as_bytes_ = false;
    bool transient_ = false;
    const covey_fields *fields_ = nullptr;
    const void *defaults_ = nullptr;
    const covey_codec *codec_ = nullptr;
    uint8_t compact_above_ = 0;
    bool relocatable_ = false;
};

template <class T> constexpr covey_type options::describe(const char *default_name) const noexcept {
    constexpr bool empty = std::is_empty_v<T>;
    covey_type type = {};
    type.name = name_ ? name_ : default_name;
    type.size = empty ? 0 : static_cast<uint32_t>(sizeof(T));
    type.align = empty ? 1 : static_cast<uint32_t>(alignof(T));
    type.storage = storage_;
    type.policy = policy_;
    type.zero_erased = zero_erased_;
    type.no_copy = no_copy_ || !std::is_copy_constructible_v<T>;
    type.ticks = ticks_;
    type.as_bytes = as_bytes_;
    type.transient = transient_;
    type.fields = fields_;
    type.defaults = defaults_;
    type.codec = codec_;
    type.compact_above = compact_above_;
    type.drop = detail::drop_hook<T>();
    type.copy = detail::copy_hook<T>();
    type.move = detail::move_hook<T>(relocatable_);
    return type;
}

/* The description of a component; a const one is the same component. */
template <class T> struct component : detail::definition<T> {};
template <class T> struct component<const T> : component<T> {};

#define COVEY_CPP_COMPONENT(T)                                                                           \
    [[maybe_unused]] inline auto covey__definition(::covey::detail::id<T>, ::covey__anywhere) noexcept { \
        struct made : ::covey::detail::value_traits<T> {                                                 \
            static constexpr const covey_type *type() noexcept { return &covey_type_##T; }               \
        };                                                                                               \
        return made();                                                                                   \
    }                                                                                                    \
    static_assert(::std::is_trivially_copyable_v<T>, "covey: " #T " is not a type of C")
#define COVEY_CPP_TAG(T)                                                                                 \
    [[maybe_unused]] inline auto covey__definition(::covey::detail::id<T>, ::covey__anywhere) noexcept { \
        struct made : ::covey::detail::tag_traits {                                                      \
            static constexpr const covey_type *type() noexcept { return &covey_type_##T; }               \
        };                                                                                               \
        return made();                                                                                   \
    }                                                                                                    \
    static_assert(sizeof(COVEY__SIZE_TYPE(T)) == 1, "covey: " #T " has a value: COVEY_CPP_COMPONENT")
#define COVEY_CPP_DEFINE(...) COVEY__CPP_DEFINE(__VA_ARGS__, ::covey::options(), 0)
#define COVEY__CPP_DEFINE(T, wanted, ...)                                                                        \
    [[maybe_unused]] inline auto covey__definition(::covey::detail::id<T>, ::covey__anywhere) noexcept {         \
        struct made : ::covey::detail::traits<T> {                                                               \
            static constexpr ::covey::options wanted_options() noexcept { return wanted; }                       \
            static constexpr const char *given_name() noexcept { return #T; }                                    \
            static constexpr const covey_type *type() noexcept { return &::covey::detail::descriptor<T, made>; } \
        };                                                                                                       \
        return made();                                                                                           \
    }                                                                                                            \
    static_assert(::std::is_nothrow_move_constructible_v<T>,                                                     \
                  "covey: " #T " must move without throwing: " #T "(" #T " &&) noexcept");                       \
    static_assert(::std::is_trivially_copyable_v<T> || (wanted).is_relocatable() || sizeof(T) <= COVEY_MOVE_MAX, \
                  "covey: " #T " is too large; say options().relocatable() if memcpy may move it");              \
    static_assert(alignof(T) <= 64, "covey: " #T " is aligned beyond 64 bytes")

/* The descriptor of T, for C functions that take a type. */
template <class T> constexpr const covey_type *type_of() noexcept { return component<T>::type(); }
template <class T> inline constexpr size_t size_of = component<T>::size;
/* How a value of T is passed. */
template <class T> using argument = typename component<T>::argument;

/* One value for each of the entities that create_many_with creates: covey::array(values), of a std::vector, a std::span
 * or an array, or of a pointer to as many values as there are entities. */
template <class T> struct array {
    const T *values;
    size_t count;
    bool is_counted;

    array(const T *const &first) noexcept : values(first), count(0), is_counted(false) {}
    template <size_t N> array(const T (&list)[N]) noexcept : values(list), count(N), is_counted(true) {}
    template <class List, class = detail::if_list<List>>
    array(const List &list) noexcept : values(list.data()), count(list.size()), is_counted(true) {}

    bool fits(uint32_t entities) const noexcept { return !is_counted || count == entities; }
};
template <class List, class = detail::if_list<List>> array(const List &) -> array<detail::value_of_list<List>>;

} // namespace covey

#include <covey/detail/value.hpp>

#endif /* COVEY_TYPE_HPP */
