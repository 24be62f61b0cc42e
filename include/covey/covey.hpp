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
 * by their move constructor. A destructor or copy constructor that is not trivial becomes the drop or copy hook.
 *
 * Each header has the name of the C header whose verbs it has. This one includes six more, which are part of it:
 *
 *     covey/sort.hpp         sorting pools
 *     covey/group.hpp        groups
 *     covey/react.hpp        listeners, queues and reactive sets
 *     covey/tick.hpp         change ticks
 *     covey/enable.hpp       disabling and enabling components
 *     covey/commands.hpp     command buffers
 *
 * Optional features have headers of their own: covey/hierarchy.hpp, covey/history.hpp, covey/lookup.hpp,
 * covey/schedule.hpp. Headers below covey/detail/ are not API. */
#ifndef COVEY_HPP
#define COVEY_HPP

#include <covey/covey.h>
#include <covey/detail/type.hpp>
#include <covey/sort.hpp> /* for pool::sort */

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

/* Outside namespace covey: covey_entity is a C type, and argument-dependent lookup finds its operators here. */
inline bool operator==(covey_entity a, covey_entity b) noexcept { return covey_same(a, b); }
inline bool operator!=(covey_entity a, covey_entity b) noexcept { return !covey_same(a, b); }

template <> struct std::hash<covey_entity> {
    size_t operator()(covey_entity e) const noexcept { return static_cast<std::size_t>(covey_entity_hash(e)); }
};

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

/* The descriptor of T, for C functions that take a type. */
template <class T> constexpr const covey_type *type_of() noexcept { return component<T>::type(); }
template <class T> inline constexpr size_t size_of = component<T>::size;
/* How a value of T is passed. */
template <class T> using argument = typename component<T>::argument;

} // namespace covey

#include <covey/detail/value.hpp>

namespace covey {

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

template <class T> COVEY__CPP_HOT T *add(covey_world *in, covey_entity e, argument<T> value) noexcept {
    return detail::hand_over<T>(in, value, [=](const void *bytes) {
        return covey__add(in, e, type_of<T>(), bytes, size_of<T>, detail::are_bytes<T>);
    });
}

/* Without a value: a tag, or T(). */
template <class T> COVEY__CPP_HOT T *add(covey_world *in, covey_entity e) noexcept {
    if constexpr (size_of<T> == 0) return static_cast<T *>(covey__add(in, e, type_of<T>(), nullptr, 0, false));
    else return add<T>(in, e, T());
}

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

template <class T> COVEY__CPP_HOT T *set(covey_world *in, covey_entity e, argument<T> value) noexcept {
    return detail::hand_over<T>(in, value, [=](const void *bytes) {
        return covey__set(in, e, type_of<T>(), bytes, size_of<T>, detail::are_bytes<T>);
    });
}

/* The component, or NULL if it is absent. get<const T> only reads. */
template <class T> COVEY__CPP_HOT T *get(const covey_world *in, covey_entity e) noexcept {
    return static_cast<T *>(covey__get_sized(in, e, type_of<T>(), size_of<T>));
}

/* The addresses of several components: auto [p, v] = get_all<Position, Velocity>(world, e)
 * All are NULL if the entity does not have all of them. */
template <class... T> COVEY__CPP_HOT std::tuple<T *...> get_all(const covey_world *in, covey_entity e) noexcept {
    static_assert(sizeof...(T) != 0, "covey: get_all wants components");
    return detail::get_each<T...>(in, e, std::index_sequence_for<T...>());
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

template <class T> COVEY__CPP_HOT bool has(const covey_world *in, covey_entity e) noexcept {
    return covey_has_raw(in, e, type_of<T>());
}

template <class T, class... More> bool has_all(const covey_world *in, covey_entity e) noexcept {
    return has<T>(in, e) && (has<More>(in, e) && ...);
}

template <class T, class... More> bool has_any(const covey_world *in, covey_entity e) noexcept {
    return has<T>(in, e) || (has<More>(in, e) || ...);
}

template <class T> COVEY__CPP_HOT bool remove(covey_world *in, covey_entity e) noexcept {
    return covey__remove_sized(in, e, type_of<T>(), size_of<T>);
}

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

/* Removes the component of each entity that has it. Returns how many. */
template <class T> uint32_t remove_many(covey_world *in, const covey_entity *entities, uint32_t count) noexcept {
    return covey_remove_many_raw(in, entities, count, type_of<T>());
}

/* Copies the values of the entities that have one, one behind the other. The k-th value belongs to
 * entities[positions[k]]. Returns how many. Either array may be NULL. */
template <class T>
uint32_t gather(const covey_world *in, const covey_entity *entities, uint32_t count, T *values,
                uint32_t *positions = nullptr) noexcept {
    static_assert(component<T>::is_trivial, "covey: gather copies bytes, without a constructor");
    return covey_gather_raw(in, entities, count, type_of<T>(), values, positions);
}

/* Makes an entity with these components: covey::create_with(world, Position{ 1, 2 }, Frozen{}). Takes the values over as
 * add does; those that may not be moved from are copied. */
template <class... T> COVEY__CPP_HOT covey_entity create_with(covey_world *in, T &&...values) noexcept {
    return detail::create_from(in, detail::taken<T>(std::forward<T>(values))...);
}

/* The same for many entities; each gets copies of all values. */
template <class... T>
bool create_many_with(covey_world *in, covey_entity *entities, uint32_t count, const T &...values) noexcept {
    const covey_component components[] = { detail::copy_of(values)..., covey_component() };
    return covey_create_many_with_raw(in, entities, count, components);
}

/* Makes an entity without components, beside entities with these: covey::create_for<Position, Velocity>(world). */
template <class... T> covey_entity create_for(covey_world *in) noexcept {
    const covey_type *const types[] = { type_of<T>()..., nullptr };
    return covey_create_for_raw(in, types);
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
    template <class... T> std::tuple<T *...> get_all() const noexcept {
        return covey::get_all<T...>(world(), entity());
    }
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
 * absent. Range-based loops and an `each` whose body takes the entity go row by row, so the body may do what rows may
 * do. An `each` of values alone makes no structural changes: it visits the rows of spans, as fast as a loop over arrays.
 * `spans` gives the arrays themselves. With C++20 its body may take std::span<Position>, std::span<Mass>; absent ones
 * are empty. Instead of the count it may take a const covey_iter &, for covey_span_entity.
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

} // namespace covey

#include <covey/detail/view.hpp>
#include <covey/detail/iterate.hpp>

namespace covey {

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
    template <class Body> COVEY__CPP_HOT void each(Body &&body) const {
        covey_iter it = covey_view_iter(&view_);
        loops::each(it, body);
    }
    template <class Body> COVEY__CPP_HOT void spans(Body &&body) const {
        covey_iter it = covey_view_iter(&view_);
        loops::spans(it, body);
    }
    /* Only entities with a component of the `changed` types that was changed after this tick. */
    template <class Body> COVEY__CPP_HOT void each_since(uint64_t tick, Body &&body) const {
        covey_iter it = covey_view_iter_since(&view_, tick);
        loops::each(it, body);
    }
    template <class Body> COVEY__CPP_HOT void spans_since(uint64_t tick, Body &&body) const {
        covey_iter it = covey_view_iter_since(&view_, tick);
        loops::spans(it, body);
    }
    /* The same for an iteration that covey_view_iter_by or covey_view_iter_list has begun with this view. */
    template <class Body> COVEY__CPP_HOT static void each(covey_iter it, Body &&body) { loops::each(it, body); }
    template <class Body> COVEY__CPP_HOT static void spans(covey_iter it, Body &&body) { loops::spans(it, body); }

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

} // namespace covey

#include <covey/commands.hpp>
#include <covey/enable.hpp>
#include <covey/group.hpp>
#include <covey/react.hpp>
#include <covey/tick.hpp>

#endif /* COVEY_HPP */
