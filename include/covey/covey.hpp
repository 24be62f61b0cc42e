/* Covey for C++17, with more for C++20: the verbs of covey.h as templates. Header only. C and C++ share worlds,
 * entities and components. See docs/cpp.md.
 *
 *     struct Position { float x, y; };
 *     COVEY_CPP_DEFINE(Position);
 *
 *     covey::world world;
 *     covey_entity e = covey_create(world);
 *     covey::add<Position>(world, e, { 1, 2 });
 *     covey::get<Position>(world, e)->x += 1;
 *     for (auto [each, p] : covey::view<Position>{ world }) p.y += 1;
 *
 * Functions without a component type (covey_create, covey_destroy, covey_compact, ...) are called as in C. Nothing here
 * throws.
 *
 * A component is a class of its own: where C makes two components of one type with a second typedef, C++ derives. An
 * empty class is a tag. Trivially copyable types, and those with options().relocatable(), are moved with memcpy, others
 * by their move constructor. A destructor or copy
 * constructor that is not trivial becomes the drop or copy hook. */
#ifndef COVEY_HPP
#define COVEY_HPP

#include <covey/commands.h>
#include <covey/covey.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#if defined(__has_include) && __cplusplus > 201703L
#if __has_include(<span>)
#include <span>
#endif
#endif
#include <tuple>
#include <type_traits>
#include <utility>

/* The counterpart of COVEY_HOT for members, so that compilers keep arguments in registers. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define COVEY__CPP_HOT __attribute__((always_inline)) inline
#else
#define COVEY__CPP_HOT inline
#endif

/* Outside namespace covey: covey_entity is a C type, and argument-dependent lookup finds its operators here. */
inline bool operator==(covey_entity a, covey_entity b) noexcept { return covey_same(a, b); }
inline bool operator!=(covey_entity a, covey_entity b) noexcept { return !covey_same(a, b); }

template <> struct std::hash<covey_entity> {
    size_t operator()(covey_entity e) const noexcept { return static_cast<std::size_t>(covey_entity_hash(e)); }
};

/* In no namespace, so that argument-dependent lookup also searches there. */
struct covey__anywhere {};

namespace covey {

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

namespace detail {

template <class T> inline constexpr bool never = false;

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
        ::new (static_cast<void *>(std::addressof(from_))) T(std::move(value_));
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

} // namespace detail

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

namespace detail {

/* The macros define a function. Argument-dependent lookup finds it in the namespace of T, or, because of its second
 * argument, outside all namespaces. Its result type describes the component; the result itself has no bytes. */
template <class T> struct id {};

template <class T, class = void> struct definition {
    static_assert(never<T>,
                  "covey: make the type a component first, with COVEY_CPP_COMPONENT or COVEY_CPP_DEFINE, in its "
                  "own namespace or outside of all");
};
template <class T>
struct definition<T, std::void_t<decltype(covey__definition(id<T>(), covey__anywhere()))>>
    : decltype(covey__definition(id<T>(), covey__anywhere())) {};

/* The descriptor of a type that C++ defines. */
template <class T, class Made>
inline constexpr covey_type descriptor = Made::wanted_options().template describe<T>(Made::given_name());

} // namespace detail

/* The description of a component; a const one is the same component. */
template <class T> struct component : detail::definition<T> {};
template <class T> struct component<const T> : component<T> {};

#define COVEY_CPP_COMPONENT(T)                                                             \
    inline auto covey__definition(::covey::detail::id<T>, ::covey__anywhere) noexcept {    \
        struct made : ::covey::detail::value_traits<T> {                                   \
            static constexpr const covey_type *type() noexcept { return &covey_type_##T; } \
        };                                                                                 \
        return made();                                                                     \
    }                                                                                      \
    static_assert(::std::is_trivially_copyable_v<T>, "covey: " #T " is not a type of C")
#define COVEY_CPP_TAG(T)                                                                   \
    inline auto covey__definition(::covey::detail::id<T>, ::covey__anywhere) noexcept {    \
        struct made : ::covey::detail::tag_traits {                                        \
            static constexpr const covey_type *type() noexcept { return &covey_type_##T; } \
        };                                                                                 \
        return made();                                                                     \
    }                                                                                      \
    static_assert(sizeof(COVEY__SIZE_TYPE(T)) == 1, "covey: " #T " has a value: COVEY_CPP_COMPONENT")
#define COVEY_CPP_DEFINE(...) COVEY__CPP_DEFINE(__VA_ARGS__, ::covey::options(), 0)
#define COVEY__CPP_DEFINE(T, wanted, ...)                                                                        \
    inline auto covey__definition(::covey::detail::id<T>, ::covey__anywhere) noexcept {                          \
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

} // namespace covey
COVEY_CPP_TAG(covey_disabled);
namespace covey {

/* The descriptor of T, for C functions that take a type. */
template <class T> constexpr const covey_type *type_of() noexcept { return component<T>::type(); }
template <class T> inline constexpr size_t size_of = component<T>::size;
/* How a value of T is passed. */
template <class T> using argument = typename component<T>::argument;

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

} // namespace detail

/* ---- Worlds and entities ------------------------------------------------------------------------------------------*/

/* Owns a world. Converts to covey_world *, which is NULL if it could not be made. */
class world {
  public:
    world() noexcept : world_(covey_world_create(nullptr)) {}
    explicit world(const covey_world_desc &desc) noexcept : world_(covey_world_create(&desc)) {}
    explicit world(covey_world *owned) noexcept : world_(owned) {}
    world(world &&other) noexcept : world_(other.release()) {}
    world &operator=(world &&other) noexcept {
        if (this != &other) {
            covey_world_destroy(world_);
            world_ = other.release();
        }
        return *this;
    }
    ~world() { covey_world_destroy(world_); }

    operator covey_world *() const noexcept { return world_; }
    covey_world *get() const noexcept { return world_; }
    covey_world *release() noexcept { return std::exchange(world_, nullptr); }

  private:
    covey_world *world_;
};

/* All entities by index: for (covey_entity e : covey::entities(world)). The current one may be destroyed. */
class entities {
  public:
    explicit entities(const covey_world *of) noexcept : world_(of) {}

    struct end_of_entities {};
    class iterator {
      public:
        explicit iterator(const covey_world *of) noexcept : world_(of), at_(covey_entity_next(of, {})) {}
        covey_entity operator*() const noexcept { return at_; }
        iterator &operator++() noexcept {
            at_ = covey_entity_next(world_, at_);
            return *this;
        }
        bool operator!=(end_of_entities) const noexcept { return !covey_is_null(at_); }

      private:
        const covey_world *world_;
        covey_entity at_;
    };
    iterator begin() const noexcept { return iterator(world_); }
    end_of_entities end() const noexcept { return {}; }

  private:
    const covey_world *world_;
};

/* ---- Components -----------------------------------------------------------------------------------------------------
 *
 * The verbs of section 7 of covey.h. A non-trivial value is moved from if the call succeeds and uses it. */

template <class T> T *add(covey_world *in, covey_entity e, argument<T> value) noexcept {
    return detail::hand_over<T>(in, value, [=](const void *bytes) {
        return covey__add(in, e, type_of<T>(), bytes, size_of<T>, detail::are_bytes<T>);
    });
}

/* Without a value: a tag, or T(). */
template <class T> T *add(covey_world *in, covey_entity e) noexcept {
    if constexpr (size_of<T> == 0) return static_cast<T *>(covey__add(in, e, type_of<T>(), nullptr, 0, false));
    else return add<T>(in, e, T());
}

namespace detail {

template <class... T> struct types {};
template <class... A, class... B> constexpr types<A..., B...> operator+(types<A...>, types<B...>) noexcept {
    return {};
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

} // namespace detail

/* Constructs a component that must be absent at its final address, without a move. In pinned and in-place pools the
 * address never changes. */
template <class T, class... Arguments> T *emplace(covey_world *in, covey_entity e, Arguments &&...arguments) noexcept {
    static_assert(size_of<T> != 0, "covey: a tag has nothing to construct; add<T>(world, e) adds it");
    static_assert(detail::is_made_of<T, detail::types<Arguments...>>,
                  "covey: emplace<T>(world, e, arguments...) wants arguments such that T{ arguments... } is one");
    if (covey_has_raw(in, e, type_of<T>())) /* reports PRESENT */
        return static_cast<T *>(covey__add(in, e, type_of<T>(), nullptr, size_of<T>, false));
    detail::construction<T, Arguments...> made{ { std::forward<Arguments>(arguments)... } };
    return static_cast<T *>(covey_patch_or_add_raw(in, e, type_of<T>(), made.run, &made));
}

template <class T> T *set(covey_world *in, covey_entity e, argument<T> value) noexcept {
    return detail::hand_over<T>(in, value, [=](const void *bytes) {
        return covey__set(in, e, type_of<T>(), bytes, size_of<T>, detail::are_bytes<T>);
    });
}

/* The component, or NULL if it is absent. get<const T> only reads. */
template <class T> T *get(const covey_world *in, covey_entity e) noexcept {
    return static_cast<T *>(covey__get_sized(in, e, type_of<T>(), size_of<T>));
}

template <class T> T *get_or_add(covey_world *in, covey_entity e, argument<T> value) noexcept {
    T *there = get<T>(in, e);
    return there ? there : add<T>(in, e, static_cast<argument<T> &&>(value));
}

template <class T> bool replace(covey_world *in, covey_entity e, T &value) noexcept {
    return covey_replace_raw(in, e, type_of<T>(), std::addressof(value));
}

/* change(T &) must not throw. */
template <class T, class Change> T *patch(covey_world *in, covey_entity e, Change &&change) noexcept {
    static_assert(std::is_invocable_v<Change &, T &>, "covey: patch wants change(T &)");
    using function = std::remove_reference_t<Change>;
    auto call = [](void *value, void *context) noexcept {
        (*static_cast<function *>(context))(*static_cast<T *>(value));
    };
    void *context = const_cast<void *>(static_cast<const void *>(std::addressof(change)));
    return static_cast<T *>(covey_patch_raw(in, e, type_of<T>(), call, context));
}

/* The same; if the component is absent, calls change(T &) on T(), and adds that. */
template <class T, class Change> T *patch_or_add(covey_world *in, covey_entity e, Change &&change) noexcept {
    static_assert(std::is_invocable_v<Change &, T &>, "covey: patch_or_add wants change(T &)");
    if (covey_has_raw(in, e, type_of<T>())) return patch<T>(in, e, change);
    T value = T();
    if (covey_alive(in, e)) change(value);
    return add<T>(in, e, std::move(value));
}

template <class T> bool has(const covey_world *in, covey_entity e) noexcept {
    return covey_has_raw(in, e, type_of<T>());
}

template <class T, class... More> bool has_all(const covey_world *in, covey_entity e) noexcept {
    return has<T>(in, e) && (has<More>(in, e) && ...);
}

template <class T, class... More> bool has_any(const covey_world *in, covey_entity e) noexcept {
    return has<T>(in, e) || (has<More>(in, e) || ...);
}

template <class T> bool remove(covey_world *in, covey_entity e) noexcept {
    return covey__remove_sized(in, e, type_of<T>(), size_of<T>);
}

namespace detail {

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

} // namespace detail

/* Removes a component and returns its value, or nothing if it was absent. */
template <class T> std::optional<T> take(covey_world *in, covey_entity e) noexcept {
    return detail::take_over<T>([=](void *to) { return covey_take_raw(in, e, type_of<T>(), to); });
}

/* Removes the components for which remove(covey_entity, const T &) returns true; it must not throw. Returns how
 * many. */
template <class T, class Remove> uint32_t remove_if(covey_world *in, Remove &&remove) noexcept {
    static_assert(std::is_invocable_r_v<bool, Remove &, covey_entity, const T &>,
                  "covey: remove_if wants bool remove(covey_entity, const T &)");
    using function = std::remove_reference_t<Remove>;
    void *context = const_cast<void *>(static_cast<const void *>(std::addressof(remove)));
    return covey_remove_if_raw(in, type_of<T>(), detail::ask<T, function>, context);
}

template <class T> void clear(covey_world *in) noexcept { covey_clear_raw(in, type_of<T>()); }

/* The first entity whose component equals the value, byte by byte. */
template <class T> covey_entity find(const covey_world *in, const T &value) noexcept {
    static_assert(component<T>::is_trivial && size_of<T> != 0, "covey: look for such a component with find_if");
    return covey_find_raw(in, type_of<T>(), std::addressof(value), nullptr);
}

/* The first entity for whose component wanted(const T &) returns true; it must not throw. */
template <class T, class Wanted> covey_entity find_if(const covey_world *in, const Wanted &wanted) noexcept {
    static_assert(std::is_invocable_r_v<bool, const Wanted &, const T &>,
                  "covey: find_if wants bool wanted(const T &)");
    auto call = [](const void *value, const void *context) noexcept -> bool {
        return (*static_cast<const Wanted *>(context))(*static_cast<const T *>(value));
    };
    return covey_find_raw(in, type_of<T>(), std::addressof(wanted), call);
}

/* The first entity with a tag. */
template <class T> covey_entity find(const covey_world *in) noexcept {
    static_assert(size_of<T> == 0, "covey: find of a component needs a value");
    return covey_find_raw(in, type_of<T>(), nullptr, nullptr);
}

template <class T>
bool add_array(covey_world *in, const covey_entity *entities, uint32_t count, const T *values) noexcept {
    static_assert(component<T>::is_trivial, "covey: the values would have to be forgotten without their destructors");
    return covey_add_array_raw(in, entities, count, type_of<T>(), values);
}

template <class T>
uint32_t set_array(covey_world *in, const covey_entity *entities, uint32_t count, const T *values) noexcept {
    static_assert(component<T>::is_trivial, "covey: the values would have to be forgotten without their destructors");
    return covey_set_array_raw(in, entities, count, type_of<T>(), values);
}

template <class T>
bool add_copies(covey_world *in, const covey_entity *entities, uint32_t count, const T &value) noexcept {
    return covey_add_copies_raw(in, entities, count, type_of<T>(), std::addressof(value));
}

/* Removes a component from those that have it. Returns how many. */
template <class T> uint32_t remove_many(covey_world *in, const covey_entity *entities, uint32_t count) noexcept {
    return covey_remove_many_raw(in, entities, count, type_of<T>());
}

/* Copies the values of those that have one, one behind the other; positions[k] is whose the k-th is. Returns how many.
 * Either array may be null. */
template <class T>
uint32_t gather(const covey_world *in, const covey_entity *entities, uint32_t count, T *values,
                uint32_t *positions = nullptr) noexcept {
    static_assert(component<T>::is_trivial, "covey: gather copies bytes, without a constructor");
    return covey_gather_raw(in, entities, count, type_of<T>(), values, positions);
}

/* The same for those whose component was changed after a tick. */
template <class T>
uint32_t gather_since(const covey_world *in, const covey_entity *entities, uint32_t count, uint64_t tick, T *values,
                      uint32_t *positions = nullptr) noexcept {
    static_assert(component<T>::is_trivial, "covey: gather_since copies bytes, without a constructor");
    return covey_gather_since_raw(in, entities, count, type_of<T>(), tick, values, positions);
}

namespace detail {

template <class T> covey_component copy_of(const T &value) noexcept {
    covey_component made = {};
    made.type = type_of<T>();
    made.value = size_of<T> == 0 ? nullptr : std::addressof(value);
    made.size = size_of<T>;
    return made;
}

} // namespace detail

/* Makes an entity with copies of these components: covey::create_with(world, Position{ 1, 2 }, Frozen{}). */
template <class... T> covey_entity create_with(covey_world *in, const T &...values) noexcept {
    const covey_component components[] = { detail::copy_of(values)..., covey_component() };
    return covey_create_with_raw(in, components);
}

/* The same for many; each gets copies of all of them. */
template <class... T>
bool create_many_with(covey_world *in, covey_entity *entities, uint32_t count, const T &...values) noexcept {
    const covey_component components[] = { detail::copy_of(values)..., covey_component() };
    return covey_create_many_with_raw(in, entities, count, components);
}

#if defined(__cpp_lib_span)
/* The same calls with std::span: vectors and arrays can be passed directly. */
inline bool create_many(covey_world *in, std::span<covey_entity> entities) noexcept {
    return covey_create_many(in, entities.data(), static_cast<uint32_t>(entities.size()));
}

inline uint32_t destroy_many(covey_world *in, std::span<const covey_entity> entities) noexcept {
    return covey_destroy_many(in, entities.data(), static_cast<uint32_t>(entities.size()));
}

/* There must be as many values as entities; otherwise nothing is added. */
template <class T>
bool add_array(covey_world *in, std::span<const covey_entity> entities, std::span<const T> values) noexcept {
    COVEY__CONTRACT(in, entities.size() == values.size(), "an array needs as many values as entities");
    return entities.size() == values.size() &&
           add_array<T>(in, entities.data(), static_cast<uint32_t>(entities.size()), values.data());
}

template <class T>
uint32_t set_array(covey_world *in, std::span<const covey_entity> entities, std::span<const T> values) noexcept {
    COVEY__CONTRACT(in, entities.size() == values.size(), "an array needs as many values as entities");
    if (entities.size() != values.size()) return 0;
    return set_array<T>(in, entities.data(), static_cast<uint32_t>(entities.size()), values.data());
}

template <class T> bool add_copies(covey_world *in, std::span<const covey_entity> entities, const T &value) noexcept {
    return add_copies<T>(in, entities.data(), static_cast<uint32_t>(entities.size()), value);
}

template <class T> uint32_t remove_many(covey_world *in, std::span<const covey_entity> entities) noexcept {
    return remove_many<T>(in, entities.data(), static_cast<uint32_t>(entities.size()));
}

template <class... T>
requires(!(std::is_convertible_v<T, uint32_t> ||
           ...)) bool create_many_with(covey_world *in, std::span<covey_entity> entities, const T &...values) noexcept {
    return create_many_with(in, entities.data(), static_cast<uint32_t>(entities.size()), values...);
}
#endif

/* covey/tick.h. */
template <class T> uint64_t changed_at(const covey_world *in, covey_entity e) noexcept {
    return covey_changed_at_raw(in, e, type_of<T>());
}

/* covey/enable.h. The tag of disabled entities is covey_disabled: with<covey_disabled>(). */
template <class T> covey_result disable(covey_world *in, covey_entity e) noexcept {
    return covey_component_disable_raw(in, e, type_of<T>());
}

template <class T> covey_result enable(covey_world *in, covey_entity e) noexcept {
    return covey_component_enable_raw(in, e, type_of<T>());
}

template <class T> bool is_enabled(const covey_world *in, covey_entity e) noexcept {
    return covey_component_is_enabled_raw(in, e, type_of<T>());
}

/* ---- Resources ------------------------------------------------------------------------------------------------------
 *
 * Section 11 of covey.h: one value of T for the whole world. */

template <class T> T *set_resource(covey_world *in, argument<T> value) noexcept {
    return detail::hand_over<T>(nullptr, value,
                                [=](const void *bytes) { return covey_resource_set_raw(in, type_of<T>(), bytes); });
}

/* Without a value: a tag, or T(). */
template <class T> T *set_resource(covey_world *in) noexcept {
    if constexpr (size_of<T> == 0) return static_cast<T *>(covey_resource_set_raw(in, type_of<T>(), nullptr));
    else return set_resource<T>(in, T());
}

/* The caller owns the object, which must outlive the reference. */
template <class T> bool refer_resource(covey_world *in, T &object) noexcept {
    return covey_resource_refer_raw(in, type_of<T>(), std::addressof(object));
}

template <class T> T *resource(const covey_world *in) noexcept {
    return static_cast<T *>(covey_resource_get_raw(in, type_of<T>()));
}

template <class T> bool has_resource(const covey_world *in) noexcept {
    return covey_resource_has_raw(in, type_of<T>());
}

template <class T> bool remove_resource(covey_world *in) noexcept {
    return covey_resource_remove_raw(in, type_of<T>());
}

template <class T> std::optional<T> take_resource(covey_world *in) noexcept {
    return detail::take_over<T>([=](void *to) { return covey_resource_take_raw(in, type_of<T>(), to); });
}

/* ---- Handles --------------------------------------------------------------------------------------------------------
 *
 * An entity with its world, for code that does not need the world otherwise: 16 bytes, and each verb is the inline call
 * of the same name. It is a value: it owns nothing, is stale when its entity is destroyed, and must not outlive its
 * world. alive() is false for one that was made without arguments; the other verbs need a world. add and set can be
 * chained:
 *
 *     auto ship = covey::entity_ref::create(world).add<Position>({ 1, 2 }).add<Frozen>();
 *     ship.get<Position>()->x += 1; */

class entity_ref {
  public:
    entity_ref() noexcept : world_(nullptr), entity_() {}
    entity_ref(covey_world *in, covey_entity e) noexcept : world_(in), entity_(e) {}
    /* Makes an entity without components. The entity is null when that fails, as covey_create does. */
    static entity_ref create(covey_world *in) noexcept { return { in, covey_create(in) }; }

    operator covey_entity() const noexcept { return entity_; }
    covey_world *world() const noexcept { return world_; }
    covey_entity entity() const noexcept { return entity_; }

    bool alive() const noexcept { return world_ && covey_alive(world_, entity_); }
    bool destroy() const noexcept { return covey_destroy(world_, entity_); }
    bool is_empty() const noexcept { return covey_is_empty(world_, entity_); }
    /* Makes an entity with copies of all components. The entity is null when that fails, as covey_clone does. */
    entity_ref clone() const noexcept {
        entity_ref made(world_, COVEY_NULL);
        (void)covey_clone(world_, entity_, &made.entity_, 1);
        return made;
    }

    /* If adding fails, the component is absent, and covey_world_result returns the reason. */
    template <class T> entity_ref add(argument<T> value) const noexcept {
        covey::add<T>(world(), entity(), static_cast<argument<T> &&>(value));
        return *this;
    }
    template <class T> entity_ref add() const noexcept {
        covey::add<T>(world(), entity());
        return *this;
    }
    template <class T> entity_ref set(argument<T> value) const noexcept {
        covey::set<T>(world(), entity(), static_cast<argument<T> &&>(value));
        return *this;
    }
    template <class T, class... Arguments> T *emplace(Arguments &&...arguments) const noexcept {
        return covey::emplace<T>(world(), entity(), std::forward<Arguments>(arguments)...);
    }
    template <class T> T *get() const noexcept { return covey::get<T>(world(), entity()); }
    template <class T> T *get_or_add(argument<T> value) const noexcept {
        return covey::get_or_add<T>(world(), entity(), static_cast<argument<T> &&>(value));
    }
    template <class T> bool replace(T &value) const noexcept { return covey::replace<T>(world(), entity(), value); }
    template <class T, class Change> T *patch(Change &&change) const noexcept {
        return covey::patch<T>(world(), entity(), std::forward<Change>(change));
    }
    template <class T> bool has() const noexcept { return covey::has<T>(world(), entity()); }
    template <class T, class... More> bool has_all() const noexcept {
        return covey::has_all<T, More...>(world(), entity());
    }
    template <class T, class... More> bool has_any() const noexcept {
        return covey::has_any<T, More...>(world(), entity());
    }
    template <class T, class Change> T *patch_or_add(Change &&change) const noexcept {
        return covey::patch_or_add<T>(world(), entity(), std::forward<Change>(change));
    }
    template <class T> bool remove() const noexcept { return covey::remove<T>(world(), entity()); }
    template <class T> std::optional<T> take() const noexcept { return covey::take<T>(world(), entity()); }

  private:
    covey_world *world_;
    covey_entity entity_;
};

inline bool operator==(const entity_ref &a, const entity_ref &b) noexcept {
    return a.world() == b.world() && covey_same(a.entity(), b.entity());
}
inline bool operator!=(const entity_ref &a, const entity_ref &b) noexcept { return !(a == b); }

/* ---- Sorting --------------------------------------------------------------------------------------------------------
 *
 * covey/sort.h. A member that is a number makes an order:
 *
 *     covey::pool_of<Sprite>(world).sort(covey::by<&Sprite::depth>());
 *     covey::pool_of<Timer>(world).keep_sorted(covey::by<&Timer::at>());
 *     covey::pool_of<Name>(world).sort([](const Name &a, const Name &b) { return a.number < b.number; });
 *
 * The function may take two covey_entity instead. */

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
    return static_cast<uint32_t>(reinterpret_cast<const unsigned char *>(std::addressof(value->*member)) - place);
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
    order.context = const_cast<void *>(static_cast<const void *>(std::addressof(less)));
    return order;
}

/* The same with less(covey_entity, covey_entity). */
template <class Less> covey_order order_of_entities(const Less &less) noexcept {
    covey_order order = {};
    order.compare_entities = [](covey_entity a, const void *, covey_entity b, const void *, void *context) noexcept {
        const Less &is_less = *static_cast<const Less *>(context);
        return is_less(a, b) ? -1 : is_less(b, a) ? 1 : 0;
    };
    order.context = const_cast<void *>(static_cast<const void *>(std::addressof(less)));
    return order;
}

/* The order of either kind of function. */
template <class T, class Less> covey_order order_by_function(const Less &less) noexcept {
    if constexpr (std::is_invocable_r_v<bool, const Less &, const T &, const T &>) {
        return order_of<T>(less);
    } else {
        static_assert(std::is_invocable_r_v<bool, const Less &, covey_entity, covey_entity>,
                      "covey: sort wants bool less(const T &, const T &) or bool less(covey_entity, covey_entity)");
        return order_of_entities(less);
    }
}

} // namespace detail

/* By a member, ascending or descending. */
template <auto Member> covey_order by(bool descending = false) noexcept { return detail::order_by(Member, descending); }

/* ---- Held pools ---------------------------------------------------------------------------------------------------*/

/* A pool with its type: covey::pool<Position> positions{ world }. Converts to covey_pool *, which is NULL if there is
 * none. A pool<const T> only reads. To iterate every component, in any storage:
 *     for (uint32_t p = pool.next(0); p != COVEY_NONE; p = pool.next(p + 1)) pool.value_at(p)->x += 1;
 * The arrays (position_count, ids, values, page) exist in sparse pools. */
template <class T> class pool {
  public:
    pool() noexcept : pool_(nullptr) {}
    explicit pool(covey_pool *held) noexcept : pool_(held) {}
    explicit pool(covey_world *in) noexcept : pool_(covey_pool_of_raw(in, type_of<T>())) {}
    operator covey_pool *() const noexcept { return pool_; }

    T *add(covey_entity e, argument<T> value) const noexcept {
        return detail::hand_over<T>(covey_pool_world(pool_), value, [&](const void *bytes) {
            return covey__pool_add(pool_, e, bytes, size_of<T>, detail::are_bytes<T>);
        });
    }
    T *add(covey_entity e) const noexcept {
        if constexpr (size_of<T> == 0) return static_cast<T *>(covey__pool_add(pool_, e, nullptr, 0, false));
        else return add(e, T());
    }
    T *set(covey_entity e, argument<T> value) const noexcept {
        return detail::hand_over<T>(covey_pool_world(pool_), value, [&](const void *bytes) {
            return covey__pool_set(pool_, e, bytes, size_of<T>, detail::are_bytes<T>);
        });
    }
    template <class... Arguments> T *emplace(covey_entity e, Arguments &&...arguments) const noexcept {
        return covey::emplace<T>(covey_pool_world(pool_), e, std::forward<Arguments>(arguments)...);
    }
    T *get(covey_entity e) const noexcept { return static_cast<T *>(covey__pool_get_sized(pool_, e, size_of<T>)); }
    T *get_unchecked(covey_entity e) const noexcept {
        return static_cast<T *>(covey__pool_get_unchecked_sized(pool_, e, size_of<T>));
    }
    bool has(covey_entity e) const noexcept { return covey_pool_has(pool_, e); }
    bool remove(covey_entity e) const noexcept { return covey__pool_remove_sized(pool_, e, size_of<T>); }
    std::optional<T> take(covey_entity e) const noexcept {
        return detail::take_over<T>([&](void *to) { return covey_pool_take_raw(pool_, e, to); });
    }
    template <class Remove> uint32_t remove_if(Remove &&remove) const noexcept {
        return covey::remove_if<T>(covey_pool_world(pool_), std::forward<Remove>(remove));
    }

    uint32_t count() const noexcept { return covey_pool_count(pool_); }
    uint32_t position_count() const noexcept { return covey_pool_position_count(pool_); }
    uint32_t next(uint32_t position) const noexcept { return covey_pool_next(pool_, position); }
    covey_entity at(uint32_t position) const noexcept { return covey_pool_at(pool_, position); }
    T *value_at(uint32_t position) const noexcept {
        return static_cast<T *>(covey__pool_value_at_sized(pool_, position, size_of<T>));
    }
    uint32_t position(covey_entity e) const noexcept { return covey_pool_position(pool_, e); }
    covey_storage storage() const noexcept { return covey_pool_storage(pool_); }
    covey_group *owner() const noexcept { return covey_pool_owner(pool_); }
    const covey_entity *ids() const noexcept { return covey_pool_ids(pool_); }
    T *values() const noexcept { return static_cast<T *>(covey_pool_values_raw(COVEY__PACKED(pool_))); }
    T *page(uint32_t number) const noexcept {
        return static_cast<T *>(covey_pool_page_raw(COVEY__PACKED(pool_), number));
    }

    covey_result sort(const covey_order &order) const noexcept { return covey_pool_sort(pool_, &order); }
    template <class Less> covey_result sort(const Less &less) const noexcept {
        return sort(detail::order_by_function<T>(less));
    }
    covey_result sort_as(const covey_pool *other) const noexcept { return covey_pool_sort_as(pool_, other); }
    covey_result keep_sorted(const covey_order &order) const noexcept { return covey_pool_keep_sorted(pool_, &order); }
    void end_keep_sorted() const noexcept { (void)covey_pool_keep_sorted(pool_, nullptr); }
    covey_result compact(covey_moved_fn *moved = nullptr, void *context = nullptr) const noexcept {
        return covey_pool_compact(pool_, moved, context);
    }

  private:
    covey_pool *pool_;
};

/* The pool of T. Makes it if the world does not have it yet. */
template <class T> pool<T> pool_of(covey_world *in) noexcept { return pool<T>(in); }

/* The pool of T if the world has it. */
template <class T> pool<T> pool_find(const covey_world *in) noexcept {
    return pool<T>(covey_pool_find_raw(in, type_of<T>()));
}

/* ---- Views ----------------------------------------------------------------------------------------------------------
 *
 * Section 9 of covey.h. A view is a value whose type can be named, so it can be a member. It names the types that
 * entities must have, and other terms. A const type is only read.
 *
 *     covey::view<Position, const Velocity> moving{ world };
 *     for (auto [e, p, v] : moving) p.x += v.x;
 *
 *     covey::view<Position, covey::optional<Mass>, covey::without<Frozen>> falling{ world };
 *     falling.each([](Position &p, Mass *m) { ... });  // may have a covey_entity before them
 *     falling.spans([](size_t n, Position *p, Mass *m) { for (size_t i = 0; i < n; i++) ... });
 *
 * Fields have the order in which they are written: references to required components, pointers to those that may be
 * absent. Loops and `each` go row by row, so the body may do what rows may do. `spans` is faster where most entities
 * match; its body makes no structural changes. With C++20 the body may take std::span<Position>, std::span<Mass>;
 * absent ones are empty. Instead of the count it may take a const covey_iter &, for covey_span_entity.
 *
 * view_of(world) starts with a view of all entities, and each call adds a term to the type:
 *
 *     auto falling = covey::view_of(world).with<Position>().optional<Mass>().without<Frozen>(); */

template <class... T> struct optional {}; /* may be present */
template <class... T> struct any {};      /* at least one must be present */
template <class... T> struct without {};  /* must be absent */
struct reading {};                        /* all types are const: such a view can be made of a const world */
/* A type made at run time, with values of type T. The constructor of the view takes its descriptor. */
template <class T> struct runtime {};

namespace detail {

/* The kinds of terms of a view, in the order of their fields; and what else the parameters of systems can be. */
enum class role { required, optional, any, excluded, entity, job, iter, count, part };

/* The number of the field of item i: the fields of `with` come first, then `optional`, then `any`. */
template <size_t N> constexpr uint32_t field_number(const role (&roles)[N], size_t i) noexcept {
    uint32_t number = 0;
    for (size_t k = 0; k < N; k++) number += roles[k] < roles[i] || (roles[k] == roles[i] && k < i);
    return number;
}

/* Appends a type to a list in a description. */
inline void append_type(const covey_type *(&list)[COVEY_TERMS], const covey_type *type) noexcept {
    uint32_t i = 0;
    while (i < COVEY_TERMS && list[i]) i++;
    if (i < COVEY_TERMS) list[i] = type;
}

inline void describe_term(covey_view_desc &desc, role wanted, const covey_type *type, bool is_read) noexcept {
    if (wanted == role::required) append_type(desc.with, type);
    else if (wanted == role::optional) append_type(desc.optional, type);
    else if (wanted == role::any) append_type(desc.any, type);
    else append_type(desc.without, type);
    if (is_read && wanted != role::excluded) append_type(desc.read, type);
}

/* The description that a view was made from. */
inline covey_view_desc describe_again(const covey_view &view) noexcept {
    covey_view_desc desc = {};
    desc.include_disabled = (view.asks & COVEY__ASKS_COMPONENTS) != 0;
    const uint32_t optional = view.with, any = optional + view.optional, without = any + view.any;
    for (uint32_t i = 0; i < without + view.without; i++) {
        role is = i < optional ? role::required : i < any ? role::optional : i < without ? role::any : role::excluded;
        describe_term(desc, is, view.types[i], (view.reads >> i & 1) != 0);
        if ((view.changed >> i & 1) != 0) append_type(desc.changed, view.types[i]);
    }
    return desc;
}

inline bool same_view(const covey_view &a, const covey_view &b) noexcept {
    const bool same_kinds = a.with == b.with && a.optional == b.optional && a.any == b.any && a.without == b.without;
    return a.world == b.world && same_kinds && a.asks == b.asks && a.reads == b.reads && a.changed == b.changed &&
           std::equal(a.types, a.types + COVEY_TERMS, b.types);
}

/* The values of a type that a view names, and what they become in a view that only reads. */
template <class T> struct named {
    static constexpr bool is_runtime = false;
    static constexpr size_t size = size_of<T>;
    using value = T;
    using const_type = const T;
};
template <class T> struct named<runtime<T>> {
    static constexpr bool is_runtime = true;
    static constexpr size_t size = std::is_empty_v<T> ? 0 : sizeof(T);
    using value = T;
    using const_type = runtime<const T>;
};

/* One type of a view. */
template <role Role, class T> struct term : named<T> {
    static constexpr role is = Role;
    using argument = std::conditional_t<Role == role::required, typename named<T>::value &, typename named<T>::value *>;
    using const_term = term<Role, typename named<T>::const_type>;
};

template <class T> struct terms_of { using list = types<term<role::required, T>>; };
template <class... T> struct terms_of<optional<T...>> { using list = types<term<role::optional, T>...>; };
template <class... T> struct terms_of<any<T...>> { using list = types<term<role::any, T>...>; };
template <class... T> struct terms_of<without<T...>> { using list = types<term<role::excluded, T>...>; };
template <> struct terms_of<reading> { using list = types<>; };

template <class... Term> constexpr auto as_const(types<Term...>) noexcept {
    return types<typename Term::const_term...>();
}
/* One after the other; const, if the view only reads. */
template <bool Reading, class... Terms> constexpr auto list_terms() noexcept {
    constexpr auto list = (types<>() + ... + typename terms_of<Terms>::list());
    if constexpr (Reading) return as_const(list);
    else return list;
}
/* The terms that have fields. */
template <class... Term> constexpr auto list_fields(types<Term...>) noexcept {
    return (types<>() + ... + std::conditional_t<Term::is == role::excluded, types<>, types<Term>>());
}
template <class... Term> constexpr size_t count_terms(types<Term...>) noexcept { return sizeof...(Term); }
template <class... Term> constexpr size_t count_runtime(types<Term...>) noexcept {
    return (0 + ... + Term::is_runtime);
}

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
    /* Refused, because the world knows another. */
    if (!type || covey_type_create(in, type)) covey_type_create(in, &expected);
    return false;
}

/* Adds a term to a description; false if the type that was given for it does not fit. */
template <class Term, class World>
bool name_term(World *in, covey_view_desc &desc, [[maybe_unused]] const covey_type *const *&given) noexcept {
    using value = typename Term::value;
    const covey_type *type;
    if constexpr (Term::is_runtime) {
        type = *given++;
        if (!type || Term::is != role::excluded)
            if (!has_layout<value>(in, type, Term::size)) return false;
    } else {
        type = type_of<value>();
    }
    describe_term(desc, Term::is, type, std::is_const_v<value>);
    return true;
}

template <class T> T *span_field(const covey_iter &it, uint32_t field, size_t size = size_of<T>) noexcept {
    return static_cast<T *>(covey__field_sized(&it, field, size));
}

template <class T>
COVEY__CPP_HOT T *row_field(const covey_iter &it, const covey_row &row, uint32_t field,
                            size_t size = size_of<T>) noexcept {
    return static_cast<T *>(covey__row_field_sized(&it, row, field, size));
}

/* A static assertion that names the parameters which the body should have: those of Wanted. */
template <class Wanted, class Body> struct body_of_each;
template <class... P, class Body> struct body_of_each<void(P...), Body> {
    static constexpr bool takes_entity = std::is_invocable_v<Body &, covey_entity, P...>;
    static_assert(
        takes_entity || std::is_invocable_v<Body &, P...>,
        "covey: each wants body(T &...) or body(covey_entity, T &...): in the order of the view's terms, const T & "
        "for const T, T * for optional<T> and any<T>");
};
template <class Wanted, class Body> struct body_of_spans;
template <class... T, class Body> struct body_of_spans<void(T *...), Body> {
    static constexpr bool takes_count = std::is_invocable_v<Body &, size_t, T *...>;
    static constexpr bool takes_iter = std::is_invocable_v<Body &, const covey_iter &, T *...>;
#if defined(__cpp_lib_span)
    static constexpr bool takes_spans = sizeof...(T) != 0 && std::is_invocable_v<Body &, std::span<T>...>;
#else
    static constexpr bool takes_spans = false;
#endif
    static_assert(takes_count || takes_iter || takes_spans,
                  "covey: spans wants body(size_t, T *...), body(const covey_iter &, T *...) or, with C++20, "
                  "body(std::span<T>...): in the order of the view's terms, const T for const T");
};

/* The loops over an iteration with these fields. */
template <class Fields> class loops;
template <class... F> class loops<types<F...>> {
    static constexpr role roles[sizeof...(F) + 1] = { F::is..., role::excluded };
    using all = std::index_sequence_for<F...>;

  public:
    using row = std::tuple<covey_entity, typename F::argument...>;

    /* A range-based for compares exactly once before each body, so the comparison moves to the next row. What it
     * changes is in the iterator, whose address does not escape, so it stays in registers; the rest is in the end
     * iterator. */
    struct end {
        mutable covey_iter it;
    };
    class iterator {
      public:
        COVEY__CPP_HOT bool operator!=(const end &of) noexcept { return next(of.it, all()); }
        COVEY__CPP_HOT void operator++() noexcept {}
        COVEY__CPP_HOT row operator*() const noexcept { return make(all()); }

      private:
        template <size_t... I> COVEY__CPP_HOT bool next(covey_iter &it, std::index_sequence<I...>) noexcept {
            if (!covey_next_row(&it, &row_)) return false;
            it_ = &it;
            values_ = { row_field<typename F::value>(it, row_, field_number(roles, I), F::size)... };
            return true;
        }
        template <size_t... I> COVEY__CPP_HOT row make(std::index_sequence<I...>) const noexcept {
            return row(covey_row_entity(it_, row_), argument<F>(std::get<I>(values_))...);
        }
        template <class Term>
        static COVEY__CPP_HOT typename Term::argument argument(typename Term::value *at) noexcept {
            if constexpr (Term::is == role::required) return *at;
            else return at;
        }

        covey_row row_ = {};
        const covey_iter *it_ = nullptr;
        std::tuple<typename F::value *...> values_;
    };

    template <class Body> COVEY__CPP_HOT static void each(const end &behind, Body &body) {
        using wanted = body_of_each<void(typename F::argument...), Body>;
        for (iterator at; at != behind; ++at) {
            if constexpr (wanted::takes_entity) std::apply(body, *at);
            else std::apply([&body](covey_entity, typename F::argument... fields) { body(fields...); }, *at);
        }
    }
    template <class Body> COVEY__CPP_HOT static void spans(covey_iter it, Body &body) {
        while (covey_next(&it)) span(it, body, all());
    }

  private:
    template <class Body, size_t... I>
    COVEY__CPP_HOT static void span(const covey_iter &it, Body &body, std::index_sequence<I...>) {
        using wanted = body_of_spans<void(typename F::value * ...), Body>;
        const std::tuple<typename F::value *...> at(
            span_field<typename F::value>(it, field_number(roles, I), F::size)...);
        if constexpr (wanted::takes_count) body(static_cast<size_t>(it.count), std::get<I>(at)...);
        else if constexpr (wanted::takes_iter) body(it, std::get<I>(at)...);
#if defined(__cpp_lib_span)
        else body(std::span<typename F::value>(std::get<I>(at), std::get<I>(at) ? it.count : 0)...);
#endif
    }
};

template <class... T> void name_terms([[maybe_unused]] const covey_type **terms) noexcept {
    ((*terms++ = type_of<T>()), ...);
}

/* Names those that are const. */
template <class... T> void name_reads([[maybe_unused]] const covey_type **terms) noexcept {
    ((std::is_const_v<T> ? void(*terms++ = type_of<T>()) : void()), ...);
}

/* The number of the field of T in a group with these types. */
template <class T, class... F> constexpr uint32_t group_field() noexcept {
    constexpr bool same[] = { std::is_same_v<std::remove_const_t<T>, std::remove_const_t<F>>..., true };
    uint32_t number = 0;
    while (!same[number]) number++;
    static_assert((std::is_same_v<std::remove_const_t<T>, std::remove_const_t<F>> || ...),
                  "covey: the group has no field of this type");
    return number;
}

template <class... T> using loops_over = loops<types<term<role::required, T>...>>;

} // namespace detail

/* A view. Converts to const covey_view *. A default-constructed one has no world and matches nothing. */
template <class... Terms> class view {
    static constexpr bool is_reading = (std::is_same_v<Terms, reading> || ...);
    using list = decltype(detail::list_terms<is_reading, Terms...>());
    using loops = detail::loops<decltype(detail::list_fields(list()))>;
    static_assert(detail::count_terms(list()) <= COVEY_TERMS, "covey: a view has 16 terms at most");

  public:
    view() noexcept : view_() {}
    /* Takes a descriptor for each runtime<T>, in order. One with another layout (LAYOUT) gives a view that matches
     * nothing. */
    template <class... Given> explicit view(covey_world *in, Given... types) noexcept : view_() {
        make_all(in, types...);
    }
    template <class... Given> explicit view(const covey_world *in, Given... types) noexcept : view_() {
        static_assert(is_reading, "covey: a view of a const world only reads: view<covey::reading, T...>");
        make_all(in, types...);
    }
    operator const covey_view *() const noexcept { return &view_; }

    template <class... T> auto with() const noexcept { return more<T...>(); }
    template <class... T> auto optional() const noexcept { return more<covey::optional<T...>>(); }
    template <class... T> auto any() const noexcept { return more<covey::any<T...>>(); }
    template <class... T> auto without() const noexcept { return more<covey::without<T...>>(); }
    /* Includes disabled entities and components. */
    view include_disabled() const noexcept {
        covey_view_desc desc = describe();
        desc.include_disabled = true;
        return view(*this, desc, detail::types<>());
    }
    /* The types that spans_since and each_since filter by. They must have ticks, and be required. */
    template <class... T> view changed() const noexcept {
        covey_view_desc desc = describe();
        (detail::append_type(desc.changed, type_of<T>()), ...);
        return view(*this, desc, detail::types<>());
    }

    bool valid() const noexcept { return covey_view_valid(&view_); }
    uint32_t count() const noexcept { return covey_view_count(&view_); }
    covey_entity first() const noexcept { return covey_view_first(&view_); }
    bool contains(covey_entity e) const noexcept { return covey_view_contains(&view_, e); }

    COVEY__CPP_HOT auto begin() const noexcept { return typename loops::iterator(); }
    COVEY__CPP_HOT auto end() const noexcept { return typename loops::end{ covey_view_iter(&view_) }; }
    template <class Body> void each(Body &&body) const { loops::each({ covey_view_iter(&view_) }, body); }
    template <class Body> void spans(Body &&body) const { loops::spans(covey_view_iter(&view_), body); }
    /* Only entities with a component of the `changed` types that was changed after this tick. */
    template <class Body> void each_since(uint64_t tick, Body &&body) const {
        loops::each({ covey_view_iter_since(&view_, tick) }, body);
    }
    template <class Body> void spans_since(uint64_t tick, Body &&body) const {
        loops::spans(covey_view_iter_since(&view_, tick), body);
    }
    /* The same for an iteration that covey_view_iter_by or covey_view_iter_list has begun with this view. */
    template <class Body> static void each(const covey_iter &it, Body &&body) { loops::each({ it }, body); }
    template <class Body> static void spans(const covey_iter &it, Body &&body) { loops::spans(it, body); }

    friend bool operator==(const view &a, const view &b) noexcept { return detail::same_view(a.view_, b.view_); }
    friend bool operator!=(const view &a, const view &b) noexcept { return !(a == b); }

  private:
    template <class... Other> friend class view;

    /* The terms of another view, and more. */
    template <class Other, class... Term>
    view(const Other &other, const covey_view_desc &desc, detail::types<Term...> added) noexcept : view_() {
        if (other.valid()) make(other.view_.world, desc, nullptr, added);
    }
    template <class... T> auto more() const noexcept {
        constexpr auto added = detail::list_terms<is_reading, T...>();
        static_assert(detail::count_runtime(added) == 0,
                      "covey: runtime<T> is for view<...>, whose constructor gets its type");
        return view<Terms..., T...>(*this, describe(), added);
    }
    template <class World, class... Given> void make_all(World *in, Given... types) noexcept {
        static_assert(detail::count_runtime(list()) == sizeof...(Given),
                      "covey: a view is made of a world, and of a const covey_type * for each of its runtime<T>");
        const covey_type *const given[] = { types..., nullptr };
        make(in, covey_view_desc(), given, list());
    }
    template <class World, class... Term>
    void make(World *in, covey_view_desc desc, [[maybe_unused]] const covey_type *const *given,
              detail::types<Term...>) noexcept {
        if (!(detail::name_term<Term>(in, desc, given) && ...)) return;
        if constexpr (is_reading) view_ = covey_view_make_const(in, &desc, nullptr);
        else view_ = covey_view_make(in, &desc);
    }
    covey_view_desc describe() const noexcept { return detail::describe_again(view_); }

    covey_view view_;
};

/* A view of all entities, to start with. */
inline view<> view_of(covey_world *in) noexcept { return view<>(in); }
inline view<reading> view_of(const covey_world *in) noexcept { return view<reading>(in); }

/* ---- Groups ---------------------------------------------------------------------------------------------------------
 *
 * covey/group.h, with the fields as arguments: those of own, then those of with. A const type is only read.
 *
 *     auto moving = covey::group_of(world).own<Position, const Velocity>().without<Frozen>().make();
 *     moving.spans([](size_t n, Position *p, const Velocity *v) { for (size_t i = 0; i < n; i++) ... });
 *     moving.each([](covey_entity e, Position &p, const Velocity &v) { ... }); */

/* Made by group_of. Converts to covey_group *, which is NULL if the group could not be made. It does not own the group,
 * which lives until covey_group_destroy, or until its world ends. */
template <class... F> class group {
  public:
    group() noexcept : group_(nullptr) {}
    explicit group(covey_group *made) noexcept : group_(made) {}
    operator covey_group *() const noexcept { return group_; }

    uint32_t count() const noexcept { return covey_group_count(group_); }
    uint32_t owned() const noexcept { return covey_group_owned(group_); }
    covey_entity first() const noexcept { return covey_group_first(group_); }
    bool contains(covey_entity e) const noexcept { return covey_group_contains(group_, e); }

    COVEY__CPP_HOT auto begin() const noexcept { return typename loops::iterator(); }
    COVEY__CPP_HOT auto end() const noexcept { return typename loops::end{ covey_group_iter(group_) }; }
    template <class Body> void each(Body &&body) const { loops::each({ covey_group_iter(group_) }, body); }
    template <class Body> void spans(Body &&body) const { loops::spans(covey_group_iter(group_), body); }

    /* Sorts the members by the values of a field. */
    covey_result sort_as(const covey_pool *pool) const noexcept { return covey_group_sort_as(group_, pool); }
    template <class T> covey_result sort(const covey_order &order) const noexcept {
        return covey_group_sort(group_, detail::group_field<T, F...>(), &order);
    }
    template <class T, class Less> covey_result sort(const Less &less) const noexcept {
        return sort<T>(detail::order_by_function<T>(less));
    }

  private:
    using loops = detail::loops_over<F...>;

    covey_group *group_;
};

/* The description of a group; make() makes it. */
template <class Own, class With, class Without> class group_terms;
template <class... O, class... W, class... N>
class group_terms<detail::types<O...>, detail::types<W...>, detail::types<N...>> {
    static_assert(sizeof...(O) + sizeof...(W) + sizeof...(N) <= COVEY_TERMS, "covey: too many terms");

  public:
    explicit group_terms(covey_world *in) noexcept : world_(in) {}

    template <class... T> auto own() const noexcept {
        return group_terms<detail::types<O..., T...>, detail::types<W...>, detail::types<N...>>(world_);
    }
    template <class... T> auto with() const noexcept {
        return group_terms<detail::types<O...>, detail::types<W..., T...>, detail::types<N...>>(world_);
    }
    template <class... T> auto without() const noexcept {
        return group_terms<detail::types<O...>, detail::types<W...>, detail::types<N..., T...>>(world_);
    }
    group<O..., W...> make() const noexcept {
        const covey_group_desc desc = describe();
        return group<O..., W...>(covey_group_create(world_, &desc));
    }
    /* The existing group, if there is one; the same, made if there is none. */
    group<O..., W...> find() const noexcept {
        const covey_group_desc desc = describe();
        return group<O..., W...>(covey_group_find(world_, &desc));
    }
    group<O..., W...> find_or_make() const noexcept {
        const group<O..., W...> found = find();
        return found ? found : make();
    }

  private:
    static covey_group_desc describe() noexcept {
        static_assert(sizeof...(O) + sizeof...(W) != 0, "covey: a group asks for one type at least");
        covey_group_desc desc = {};
        detail::name_terms<O...>(desc.own);
        detail::name_terms<W...>(desc.with);
        detail::name_terms<N...>(desc.without);
        return desc;
    }

    covey_world *world_;
};

inline auto group_of(covey_world *in) noexcept {
    return group_terms<detail::types<>, detail::types<>, detail::types<>>(in);
}

/* ---- Signals --------------------------------------------------------------------------------------------------------
 *
 * covey/react.h. A listener is a function object of yours. It must stay in place while it is connected, and must not
 * throw. Nothing is allocated for it: only its address is kept, and a temporary does not compile.
 *
 *     auto added = [&](covey_entity e, Body &body) { physics.insert(e, body); };
 *     auto connection = covey::connect<Body>(world, COVEY_ON_ADD, added);
 *
 * It takes an entity and its component, an entity, or the event. */

/* Owns a connection, which ends with it. Must be destroyed before its world, or released. */
class connection {
  public:
    connection() noexcept = default;
    connection(covey_world *in, covey_connection made) noexcept : world_(in), made_(made) {}
    connection(connection &&other) noexcept : world_(other.world_), made_(other.release()) {}
    connection &operator=(connection &&other) noexcept {
        if (this != &other) {
            disconnect();
            world_ = other.world_;
            made_ = other.release();
        }
        return *this;
    }
    ~connection() { disconnect(); }

    bool connected() const noexcept { return made_.number != 0 && covey_connected(world_, made_); }
    void disconnect() noexcept {
        if (made_.number != 0) covey_disconnect(world_, release());
    }
    /* Gives up ownership: the connection lives as long as its world, or until covey_disconnect. */
    covey_connection release() noexcept { return std::exchange(made_, covey_connection{}); }

  private:
    covey_world *world_ = nullptr;
    covey_connection made_ = {};
};

namespace detail {

/* Calls a function object with the arguments that it takes. */
template <class T, class Listen> void tell(const covey_event *event, void *context) noexcept {
    Listen &listen = *static_cast<Listen *>(context);
    if constexpr (std::is_invocable_v<Listen &, const covey_event &>) listen(*event);
    else if constexpr (std::is_invocable_v<Listen &, covey_entity>) listen(*event->entities);
    else if constexpr (!std::is_void_v<T>) {
        static_assert(std::is_invocable_v<Listen &, covey_entity, T &>,
                      "covey: a listener is (covey_entity, T &), (covey_entity) or (const covey_event &)");
        listen(*event->entities, *static_cast<T *>(event->values));
    } else {
        static_assert(never<Listen>, "covey: a listener to entities is (covey_entity) or (const covey_event &)");
    }
}

template <class T, class Listen>
connection connect(covey_world *in, const covey_type *type, uint32_t signals, Listen &listen) noexcept {
    covey_listener listener = {};
    listener.type = type;
    listener.signals = signals;
    listener.call = [](const covey_event *event, void *context) noexcept { tell<T, Listen>(event, context); };
    listener.context = const_cast<void *>(static_cast<const void *>(std::addressof(listen)));
    return connection(in, covey_connect(in, &listener));
}

} // namespace detail

/* Connects to components of T. Not connected on failure, as covey_connect. */
template <class T, class Listen>
[[nodiscard]] connection connect(covey_world *in, uint32_t signals, Listen &listen) noexcept {
    return detail::connect<T>(in, type_of<T>(), signals, listen);
}

/* Connects to entities. */
template <class Listen> [[nodiscard]] connection connect(covey_world *in, uint32_t signals, Listen &listen) noexcept {
    return detail::connect<void>(in, nullptr, signals, listen);
}

/* Owns a queue, which must be destroyed before its world. Converts to covey_queue *, which is NULL if it could not be
 * made. */
class queue {
  public:
    explicit queue(covey_world *in) noexcept : world_(in), queue_(covey_queue_create(in)) {}
    queue(queue &&other) noexcept : world_(other.world_), queue_(other.release()) {}
    queue &operator=(queue &&other) noexcept {
        if (this != &other) {
            covey_queue_destroy(queue_);
            world_ = other.world_;
            queue_ = other.release();
        }
        return *this;
    }
    ~queue() { covey_queue_destroy(queue_); }
    operator covey_queue *() const noexcept { return queue_; }
    covey_queue *release() noexcept { return std::exchange(queue_, nullptr); }

    /* The connections of a queue end with it. With values, events have copies of them. */
    template <class T> covey_connection connect(uint32_t signals, bool values = false) noexcept {
        return connect(type_of<T>(), signals, values);
    }
    covey_connection connect(uint32_t signals) noexcept { return connect(nullptr, signals, false); }

    uint32_t count() const noexcept { return covey_queue_count(queue_); }
    void clear() noexcept { covey_queue_clear(queue_); }
    /* Removes all events, also those that arrive meanwhile, and calls body(const covey_event &) for each. */
    template <class Body> void each(Body &&body) {
        covey_event event;
        while (covey_queue_next(queue_, &event)) body(static_cast<const covey_event &>(event));
    }

  private:
    covey_connection connect(const covey_type *type, uint32_t signals, bool values) noexcept {
        covey_listener listener = {};
        listener.type = type;
        listener.signals = signals;
        listener.queue = queue_;
        listener.values = values;
        return covey_connect(world_, &listener);
    }

    covey_world *world_;
    covey_queue *queue_;
};

/* ---- Reactive sets --------------------------------------------------------------------------------------------------
 *
 * covey/react.h, with the fields as arguments. A const type is only read.
 *
 *     auto moved = covey::reactive_of(world).added<Position>().set<Position>().with<const Position>().make();
 *     moved.each([](covey_entity e, const Position &p) { ... });
 *     moved.clear(); */

/* Owns a reactive set, which must be destroyed before its world. Made by reactive_of. Converts to covey_reactive *,
 * which is NULL if it could not be made. */
template <class... F> class reactive {
  public:
    explicit reactive(covey_reactive *made) noexcept : set_(made) {}
    reactive(reactive &&other) noexcept : set_(other.release()) {}
    reactive &operator=(reactive &&other) noexcept {
        if (this != &other) {
            covey_reactive_destroy(set_);
            set_ = other.release();
        }
        return *this;
    }
    ~reactive() { covey_reactive_destroy(set_); }
    operator covey_reactive *() const noexcept { return set_; }
    covey_reactive *release() noexcept { return std::exchange(set_, nullptr); }

    uint32_t count() const noexcept { return covey_reactive_count(set_); }
    bool contains(covey_entity e) const noexcept { return covey_reactive_contains(set_, e); }
    void clear() const noexcept { covey_reactive_clear(set_); }
    const covey_type *type() const noexcept { return covey_reactive_type(set_); }
    /* Also collects for these signals of T. */
    template <class T> covey_result listen(uint32_t signals) const noexcept {
        return covey_reactive_listen_raw(set_, type_of<T>(), signals);
    }

    COVEY__CPP_HOT auto begin() const noexcept { return typename loops::iterator(); }
    COVEY__CPP_HOT auto end() const noexcept { return typename loops::end{ covey_reactive_iter(set_) }; }
    template <class Body> void each(Body &&body) const { loops::each({ covey_reactive_iter(set_) }, body); }
    template <class Body> void spans(Body &&body) const { loops::spans(covey_reactive_iter(set_), body); }
    /* Calls body(covey_entity) for each that was destroyed, if they are kept. */
    template <class Body> void each_destroyed(Body &&body) const {
        const covey_entity *handles;
        uint32_t count = covey_reactive_destroyed(set_, &handles);
        for (uint32_t i = 0; i < count; i++) body(handles[i]);
    }

  private:
    using loops = detail::loops_over<F...>;

    covey_reactive *set_;
};

namespace detail {
struct reactive_options {
    covey_decide_fn *decide;
    void *context;
    bool keep_destroyed;
};
} // namespace detail

/* The description of a reactive set; make() makes it. */
template <class Added, class Set, class Patched, class Removed, class With, class Without> class reactive_terms;
template <class... A, class... S, class... P, class... R, class... W, class... N>
class reactive_terms<detail::types<A...>, detail::types<S...>, detail::types<P...>, detail::types<R...>,
                     detail::types<W...>, detail::types<N...>> {
    static_assert(sizeof...(A) <= COVEY_TERMS && sizeof...(S) <= COVEY_TERMS && sizeof...(P) <= COVEY_TERMS &&
                      sizeof...(R) <= COVEY_TERMS && sizeof...(W) + sizeof...(N) <= COVEY_TERMS,
                  "covey: too many terms");
    template <class... T> using types = detail::types<T...>;
    template <class Added, class Set, class Patched, class Removed, class With, class Without>
    using terms = reactive_terms<Added, Set, Patched, Removed, With, Without>;
    using a = types<A...>;
    using s = types<S...>;
    using p = types<P...>;
    using r = types<R...>;
    using w = types<W...>;
    using n = types<N...>;

  public:
    explicit reactive_terms(covey_world *in, detail::reactive_options options = {}) noexcept
        : world_(in), options_(options) {}

    template <class... T> auto added() const noexcept {
        return terms<types<A..., T...>, s, p, r, w, n>(world_, options_);
    }
    template <class... T> auto set() const noexcept {
        return terms<a, types<S..., T...>, p, r, w, n>(world_, options_);
    }
    template <class... T> auto patched() const noexcept {
        return terms<a, s, types<P..., T...>, r, w, n>(world_, options_);
    }
    template <class... T> auto removed() const noexcept {
        return terms<a, s, p, types<R..., T...>, w, n>(world_, options_);
    }
    template <class... T> auto with() const noexcept {
        return terms<a, s, p, r, types<W..., T...>, n>(world_, options_);
    }
    template <class... T> auto without() const noexcept {
        return terms<a, s, p, r, w, types<N..., T...>>(world_, options_);
    }
    /* Only those for which it returns true; keeps the handles of those that are destroyed. */
    auto decided_by(covey_decide_fn *decide, void *context = nullptr) const noexcept {
        return terms<a, s, p, r, w, n>(world_, { decide, context, options_.keep_destroyed });
    }
    auto keep_destroyed() const noexcept {
        return terms<a, s, p, r, w, n>(world_, { options_.decide, options_.context, true });
    }
    reactive<W...> make() const noexcept {
        covey_reactive_desc desc = {};
        detail::name_terms<A...>(desc.added);
        detail::name_terms<S...>(desc.set);
        detail::name_terms<P...>(desc.patched);
        detail::name_terms<R...>(desc.removed);
        detail::name_terms<W...>(desc.match.with);
        detail::name_terms<N...>(desc.match.without);
        detail::name_reads<W...>(desc.match.read);
        desc.decide = options_.decide;
        desc.context = options_.context;
        desc.keep_destroyed = options_.keep_destroyed;
        return reactive<W...>(covey_reactive_create(world_, &desc));
    }

  private:
    covey_world *world_;
    detail::reactive_options options_;
};

inline auto reactive_of(covey_world *in) noexcept {
    using none = detail::types<>;
    return reactive_terms<none, none, none, none, none, none>(in);
}

/* ---- Command buffers ----------------------------------------------------------------------------------------------*/

/* A command buffer (covey/commands.h). It does not own the buffer: the world destroys its buffers, or
 * covey_commands_destroy does. Without a description it belongs to the thread that owns the world.
 *     covey::commands later(world);
 *     later.add<Position>(later.create(), { 1, 2 });
 *     if (later.replay().result != COVEY_OK) ... */
class commands {
  public:
    explicit commands(covey_commands *existing) noexcept : commands_(existing) {}
    explicit commands(covey_world *in, const covey_commands_desc &desc = {}) noexcept
        : commands_(covey_commands_create(in, &desc)) {}

    operator covey_commands *() const noexcept { return commands_; }
    covey_commands *get() const noexcept { return commands_; }
    uint32_t count() const noexcept { return covey_commands_count(commands_); }

    covey_entity create() const noexcept { return covey_record_create(commands_); }
    bool destroy(covey_entity e) const noexcept { return covey_record_destroy(commands_, e); }
    template <class T> bool add(covey_entity e, argument<T> value) const noexcept {
        return record<T>(COVEY__RECORD_ADD, e, value);
    }
    template <class T> bool add(covey_entity e) const noexcept {
        if constexpr (size_of<T> == 0)
            return covey__record(commands_, e, type_of<T>(), COVEY__RECORD_ADD, nullptr, 0, false);
        else return add<T>(e, T());
    }
    template <class T> bool set(covey_entity e, argument<T> value) const noexcept {
        return record<T>(COVEY__RECORD_SET, e, value);
    }
    template <class T> bool remove(covey_entity e) const noexcept {
        return covey_record_remove_raw(commands_, e, type_of<T>());
    }

    covey_replay replay() const noexcept { return covey_commands_replay(commands_); }
    void clear() const noexcept { covey_commands_clear(commands_); }

  private:
    template <class T> bool record(covey__record_kind kind, covey_entity e, argument<T> &value) const noexcept {
        static_assert(detail::are_bytes<T>, "covey: a buffer keeps no value that a hook moves; record a function");
        T *there = detail::hand_over<T>(nullptr, value, [&](const void *bytes) -> void * {
            bool recorded = covey__record(commands_, e, type_of<T>(), kind, bytes, size_of<T>, true);
            return recorded ? commands_ : nullptr;
        });
        return there != nullptr;
    }

    covey_commands *commands_;
};

} // namespace covey

#endif /* COVEY_HPP */
