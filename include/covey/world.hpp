/* Covey for C++17: worlds, entities and their components. Part of covey/covey.hpp.
 *
 * covey::world owns a world. covey::world_ref is a world that something else owns, and has all verbs; a world, or a
 * covey_world * of C, converts to it, so it is what functions take. covey::const_world_ref only reads.
 *
 *     covey::world world;
 *     covey::entity e = world.create();
 *     world.add<Position>(e, 1.f, 2.f);
 *     auto [p, v] = world.get<Position, const Velocity>(e);   // pointers; null if one is absent
 *     for (auto [e, p, v] : world.view<Position, const Velocity>().without<Frozen>()) p.x += v.x; */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_WORLD_HPP
#define COVEY_WORLD_HPP

/* The tag of disabled entities: world.view<covey_disabled>(). */
COVEY_CPP_TAG(covey_disabled);

namespace covey {

template <class T> class pool;
template <class... Terms> class view;
template <class... Terms> class group;
class entities;
class entity_ref;
class world;

/* ---- Results ------------------------------------------------------------------------------------------------------*/

/* What a call says about itself: true if it is COVEY_OK. Compares with, and converts to, a covey_result. */
class [[nodiscard]] result {
  public:
    constexpr result(covey_result code) noexcept : code_(code) {}
    constexpr explicit operator bool() const noexcept { return code_ == COVEY_OK; }
    constexpr operator covey_result() const noexcept { return code_; }
    /* A short English text. */
    const char *text() const noexcept { return covey_result_text(code_); }

  private:
    covey_result code_;
};

/* ---- Readers ------------------------------------------------------------------------------------------------------*/

/* A world that is only read. The verbs are those of covey.h, and components are const. */
class const_world_ref {
  public:
    const_world_ref(const covey_world *in) noexcept : world_(const_cast<covey_world *>(in)) {}
    operator const covey_world *() const noexcept { return world_; }
    explicit operator bool() const noexcept { return world_ != nullptr; }

    /* The reason why the last changing call failed. */
    covey::result result() const noexcept { return covey_world_result(world_); }
    size_t memory() const noexcept { return covey_world_memory(world_); }
    bool validate(const char **why = nullptr) const noexcept { return covey_world_validate(world_, why); }
    void print(covey_write_fn *write = nullptr, void *context = nullptr) const noexcept {
        covey_world_print(world_, write, context);
    }

    COVEY__CPP_HOT bool alive(entity e) const noexcept { return covey_alive(world_, e); }
    uint32_t entity_count() const noexcept { return covey_entity_count(world_); }
    entity entity_at(uint32_t index) const noexcept { return covey_entity_at(world_, index); }
    uint32_t generation_at(uint32_t index) const noexcept { return covey_generation_at(world_, index); }
    uint32_t index_next(uint32_t index) const noexcept { return covey_index_next(world_, index); }
    /* All entities by index. The current one may be destroyed. */
    covey::entities entities() const noexcept;

    bool is_empty(entity e) const noexcept { return covey_is_empty(world_, e); }
    bool is_enabled(entity e) const noexcept { return covey_is_enabled(world_, e); }
    template <class T> bool is_enabled(entity e) const noexcept {
        return covey_component_is_enabled_raw(world_, e, type_of<T>());
    }
    uint32_t types_of(entity e, const covey_type **types, uint32_t capacity) const noexcept {
        return covey_types_of(world_, e, types, capacity);
    }
    const covey_type *type_find(const char *name) const noexcept { return covey_type_find(world_, name); }

    /* The address of a component, or null if it is absent. Of several, a tuple of addresses, after one check of the
     * handle: auto [p, v] = world.get<Position, Velocity>(e). All are null if the entity does not have all of them. */
    template <class... T> COVEY__CPP_HOT auto get(entity e) const noexcept { return found<const T...>(e); }
    template <class T> COVEY__CPP_HOT bool has(entity e) const noexcept {
        return covey_has_raw(world_, e, type_of<T>());
    }
    template <class... T> COVEY__CPP_HOT bool has_all(entity e) const noexcept { return (has<T>(e) && ...); }
    template <class... T> COVEY__CPP_HOT bool has_any(entity e) const noexcept { return (has<T>(e) || ...); }

    /* A component of a type that was made at run time and has values of type T. Null if the type has another layout. */
    template <class T> const T *get_raw(entity e, const covey_type *type) const noexcept {
        return detail::has_layout<T>(static_cast<const covey_world *>(world_), type, detail::value_size<T>)
                   ? static_cast<const T *>(covey_get_raw(world_, e, type))
                   : nullptr;
    }
    bool has_raw(entity e, const covey_type *type) const noexcept { return covey_has_raw(world_, e, type); }

    /* The first entity that has a component; or one that equals a value, byte by byte; or one for which
     * wanted(const T &) returns true, which must not throw. Null if there is none. */
    template <class T> entity first() const noexcept { return covey_find_raw(world_, type_of<T>(), nullptr, nullptr); }
    template <class T> entity find(const T &value) const noexcept {
        static_assert(component<T>::is_trivial && size_of<T> != 0, "covey: look for such a component with find_if");
        return covey_find_raw(world_, type_of<T>(), detail::address_of(value), nullptr);
    }
    template <class T, class Wanted> entity find_if(const Wanted &wanted) const noexcept {
        static_assert(std::is_invocable_r_v<bool, const Wanted &, const T &>,
                      "covey: find_if wants bool wanted(const T &)");
        auto call = [](const void *value, const void *context) noexcept -> bool {
            return detail::call_as<bool>(*static_cast<const Wanted *>(context), *static_cast<const T *>(value));
        };
        return covey_find_raw(world_, type_of<T>(), detail::address_of(wanted), call);
    }

    /* Copies the values of the entities that have one, one behind the other. The k-th value belongs to
     * entities[positions[k]]. Returns how many. Either array may be null. gather_since: only those that were changed
     * after a tick. */
    template <class T>
    uint32_t gather(const entity *entities, uint32_t count, T *values, uint32_t *positions = nullptr) const noexcept {
        static_assert(component<T>::is_trivial, "covey: gather copies bytes, without a constructor");
        return covey_gather_raw(world_, entities, count, type_of<T>(), values, positions);
    }
    template <class T>
    uint32_t gather_since(const entity *entities, uint32_t count, uint64_t tick, T *values,
                          uint32_t *positions = nullptr) const noexcept {
        static_assert(component<T>::is_trivial, "covey: gather_since copies bytes, without a constructor");
        return covey_gather_since_raw(world_, entities, count, type_of<T>(), tick, values, positions);
    }
    /* Change ticks: see covey/tick.h. */
    uint64_t tick() const noexcept { return covey_tick(world_); }
    template <class T> uint64_t changed_at(entity e) const noexcept {
        return covey_changed_at_raw(world_, e, type_of<T>());
    }

    /* The pool of T if the world has it, or null. */
    template <class T> covey::pool<const T> pool_find() const noexcept {
        return covey::pool<const T>(covey_pool_find_raw(world_, type_of<T>()));
    }
    uint32_t pool_count() const noexcept { return covey_world_pool_count(world_); }
    covey_pool *pool_at(uint32_t number) const noexcept { return covey_world_pool(world_, number); }

    template <class... Terms, class... Given> auto view(Given... types) const noexcept;
    uint32_t group_count() const noexcept { return covey_world_group_count(world_); }
    covey_group *group_at(uint32_t number) const noexcept { return covey_world_group(world_, number); }

    template <class T> const T *resource_get() const noexcept {
        return static_cast<const T *>(covey_resource_get_raw(world_, type_of<T>()));
    }
    template <class T> bool resource_has() const noexcept { return covey_resource_has_raw(world_, type_of<T>()); }
    uint32_t resource_count() const noexcept { return covey_world_resource_count(world_); }
    const covey_type *resource_at(uint32_t number) const noexcept { return covey_world_resource(world_, number); }

    uint32_t kinds(covey_entity_kind *kinds, uint32_t capacity) const noexcept {
        return covey_world_kinds(world_, kinds, capacity);
    }
    uint32_t advise(covey_advice *advice, uint32_t capacity) const noexcept {
        return covey_world_advise(world_, advice, capacity);
    }

  protected:
    template <class... T> COVEY__CPP_HOT auto found(entity e) const noexcept {
        static_assert(sizeof...(T) != 0, "covey: get wants components: get<Position>(e)");
        if constexpr (sizeof...(T) == 0) return std::tuple<>();
        else if constexpr (sizeof...(T) == 1) return detail::get_one<T...>(world_, e);
        else return detail::get_each<T...>(world_, e, std::index_sequence_for<T...>());
    }

    covey_world *world_;
};

/* The same world. */
template <class A, class B,
          std::enable_if_t<std::is_base_of_v<const_world_ref, A> && std::is_base_of_v<const_world_ref, B>, int> = 0>
bool operator==(const A &a, const B &b) noexcept {
    return static_cast<const covey_world *>(a) == static_cast<const covey_world *>(b);
}
template <class A, class B,
          std::enable_if_t<std::is_base_of_v<const_world_ref, A> && std::is_base_of_v<const_world_ref, B>, int> = 0>
bool operator!=(const A &a, const B &b) noexcept {
    return !(a == b);
}

inline bool operator==(const_world_ref a, decltype(nullptr)) noexcept { return !a; }
inline bool operator!=(const_world_ref a, decltype(nullptr)) noexcept { return !!a; }

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

/* A world that something else owns: a pointer with the verbs of covey.h. Null if the world could not be made. */
class world_ref : public const_world_ref {
  public:
    world_ref(covey_world *in) noexcept : const_world_ref(in) {}
    operator covey_world *() const noexcept { return world_; }
    explicit operator bool() const noexcept { return world_ != nullptr; }

    covey::result fail(covey_result why, const char *text) const noexcept {
        return covey_world_fail(world_, why, text);
    }
    void compact() const noexcept { covey_compact(world_); }
    void shrink() const noexcept { covey_shrink(world_); }
    /* A second world with the same entities, components and resources; null on failure. */
    [[nodiscard]] covey::world clone(const covey_world_desc *desc = nullptr) const noexcept;

    /* ---- Entities ---- */

    /* These return null on failure. */
    COVEY__CPP_HOT entity create() const noexcept { return covey_create(world_); }
    entity create_at(uint32_t index) const noexcept { return covey_create_at(world_, index); }
    entity create_in(covey_range range) const noexcept { return covey_create_in(world_, range); }
    entity create_like(entity e) const noexcept { return covey_create_like(world_, e); }
    /* Without components, beside entities with these: the components follow. */
    template <class... T> entity create_for() const noexcept {
        const covey_type *const types[] = { type_of<T>()..., nullptr };
        return covey_create_for_raw(world_, types);
    }
    /* With these components: world.create_with(Position{ 1, 2 }, Frozen{}). Takes the values over as add does; those
     * that may not be moved from are copied. */
    template <class... T> COVEY__CPP_HOT entity create_with(T &&...values) const noexcept {
        return detail::create_from(world_, detail::taken<T>(std::forward<T>(values))...);
    }
    [[nodiscard]] bool create_many(entity *entities, uint32_t count) const noexcept {
        return covey_create_many(world_, entities, count);
    }
    /* Each gets copies of all values; of a covey::array, one value each. Fails with RANGE if an array has another
     * number of values. */
    template <class... T>
    [[nodiscard]] bool create_many_with(entity *entities, uint32_t count, const T &...values) const noexcept {
        const covey_component components[] = { detail::component_of(values, count)..., covey_component() };
        return covey_create_many_with_raw(world_, entities, count, components);
    }
    [[nodiscard]] bool create_exact(const entity *entities, uint32_t count,
                                    covey_exact which = COVEY_EXACT_NEW) const noexcept {
        return covey_create_exact(world_, entities, count, which);
    }
    covey_range range_reserve(uint32_t first, uint32_t count) const noexcept {
        return covey_range_reserve(world_, first, count);
    }

    COVEY__CPP_HOT bool destroy(entity e) const noexcept { return covey_destroy(world_, e); }
    uint32_t destroy_many(const entity *entities, uint32_t count) const noexcept {
        return covey_destroy_many(world_, entities, count);
    }
    void destroy_all() const noexcept { covey_destroy_all(world_); }

    /* Copies of all components: for another entity, for new ones, for one in another world. */
    bool copy(entity from, entity to) const noexcept { return covey_copy(world_, from, to); }
    entity clone(entity e) const noexcept {
        entity made = {};
        (void)covey_clone(world_, e, &made, 1);
        return made;
    }
    [[nodiscard]] bool clone(entity e, entity *clones, uint32_t count) const noexcept {
        return covey_clone(world_, e, clones, count);
    }
    entity clone_into(world_ref to, entity e, const covey_clone_desc *desc = nullptr) const noexcept {
        return covey_clone_into(to, world_, e, desc);
    }

    /* An entity, or the component of one, stays, but views skip it: see covey/enable.h. */
    covey::result disable(entity e) const noexcept { return covey_disable(world_, e); }
    covey::result enable(entity e) const noexcept { return covey_enable(world_, e); }
    template <class T> covey::result disable(entity e) const noexcept {
        return covey_component_disable_raw(world_, e, type_of<T>());
    }
    template <class T> covey::result enable(entity e) const noexcept {
        return covey_component_enable_raw(world_, e, type_of<T>());
    }

    /* ---- Components ----
     *
     * A value is given as T, or as the arguments that construct it: T{ arguments... }. One that is not trivially
     * copyable is moved from if the call succeeds and uses it; arguments construct it at its final address, without a
     * move. Without arguments: a tag, or T(). The calls return the address of the component, or null. */

    /* Adds a component that must be absent. */
    template <class T> COVEY__CPP_HOT T *add(entity e, argument<T> value) const noexcept {
        return detail::hand_over<T>(world_, value, [this, e](const void *bytes) {
            return covey__add(world_, e, type_of<T>(), bytes, size_of<T>, detail::are_bytes<T>);
        });
    }
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    COVEY__CPP_HOT T *add(entity e, Arguments &&...arguments) const noexcept {
        if constexpr (!detail::check_arguments<T, Arguments...>()) return {};
        else if constexpr (size_of<T> == 0)
            return static_cast<T *>(covey__add(world_, e, type_of<T>(), nullptr, 0, false));
        else if constexpr (component<T>::is_trivial) return add<T>(e, T{ std::forward<Arguments>(arguments)... });
        else return detail::construct<T>(world_, e, std::forward<Arguments>(arguments)...);
    }

    /* Adds a component or overwrites it. */
    template <class T> COVEY__CPP_HOT T *set(entity e, argument<T> value) const noexcept {
        return detail::hand_over<T>(world_, value, [this, e](const void *bytes) {
            return covey__set(world_, e, type_of<T>(), bytes, size_of<T>, detail::are_bytes<T>);
        });
    }
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    COVEY__CPP_HOT T *set(entity e, Arguments &&...arguments) const noexcept {
        if constexpr (!detail::check_arguments<T, Arguments...>()) return {};
        else if constexpr (size_of<T> == 0)
            return static_cast<T *>(covey__set(world_, e, type_of<T>(), nullptr, 0, false));
        else return set<T>(e, T{ std::forward<Arguments>(arguments)... });
    }

    /* As of const_world_ref, for writing; get<const T> only reads. */
    template <class... T> COVEY__CPP_HOT auto get(entity e) const noexcept { return found<T...>(e); }
    /* The component; if it is absent, adds it with this value. */
    template <class T> T *get_or_add(entity e, argument<T> value) const noexcept {
        T *there = get<T>(e);
        return there ? there : add<T>(e, static_cast<argument<T> &&>(value));
    }
    /* Exchanges values. False if the component is absent. */
    template <class T> bool replace(entity e, T &value) const noexcept {
        return covey_replace_raw(world_, e, type_of<T>(), detail::address_of(value));
    }
    /* Calls change(T &), which must not throw, and tells observers that the value was changed; without a function it
     * only tells them. */
    template <class T> T *patch(entity e) const noexcept {
        return static_cast<T *>(covey_patch_raw(world_, e, type_of<T>(), nullptr, nullptr));
    }
    template <class T, class Change> T *patch(entity e, Change &&change) const noexcept {
        static_assert(std::is_invocable_v<Change &, T &>, "covey: patch wants change(T &)");
        auto call = [](void *value, void *context) noexcept {
            detail::call_as<void>(*static_cast<std::remove_reference_t<Change> *>(context), *static_cast<T *>(value));
        };
        return static_cast<T *>(covey_patch_raw(world_, e, type_of<T>(), call, detail::context_of(change)));
    }
    /* The same; if the component is absent, calls change(T &) on T(), and adds that. */
    template <class T, class Change> T *patch_or_add(entity e, Change &&change) const noexcept {
        static_assert(std::is_invocable_v<Change &, T &>, "covey: patch_or_add wants change(T &)");
        if (has<T>(e)) return patch<T>(e, change);
        T value = T();
        if (alive(e)) detail::call_as<void>(change, value);
        return add<T>(e, std::move(value));
    }

    template <class T> COVEY__CPP_HOT bool remove(entity e) const noexcept {
        return covey__remove_sized(world_, e, type_of<T>(), size_of<T>);
    }
    /* Removes a component and returns its value, or nothing if it was absent. */
    template <class T> std::optional<T> take(entity e) const noexcept {
        return detail::take_over<T>([this, e](void *to) { return covey_take_raw(world_, e, type_of<T>(), to); });
    }
    /* Removes the components for which wanted(entity, const T &) returns true; it must not throw. Returns how many. */
    template <class T, class Wanted> uint32_t remove_if(Wanted &&wanted) const noexcept {
        static_assert(std::is_invocable_r_v<bool, Wanted &, entity, const T &>,
                      "covey: remove_if wants bool remove(entity, const T &)");
        return covey_remove_if_raw(world_, type_of<T>(), detail::ask<T, std::remove_reference_t<Wanted>>,
                                   detail::context_of(wanted));
    }
    /* Removes one type, or every type, from all entities. */
    template <class T> void clear() const noexcept { covey_clear_raw(world_, type_of<T>()); }
    void clear_components() const noexcept { covey_clear_components(world_); }

    /* Makes a type at run time: covey::options().describe<float>("Mana"). Null on failure. */
    const covey_type *type_create(const covey_type &description) const noexcept {
        return covey_type_create(world_, &description);
    }

    /* Its components: the verbs with the type, for values of T. They fail (LAYOUT) if the type has another layout. */
    template <class T> T *add_raw(entity e, const covey_type *type, const T &value) const noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "covey: values of types made at run time are copied as bytes");
        if (!detail::has_layout<T>(world_, type, detail::value_size<T>)) return nullptr;
        return static_cast<T *>(covey_add_raw(world_, e, type, detail::address_of(value)));
    }
    template <class T> T *set_raw(entity e, const covey_type *type, const T &value) const noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "covey: values of types made at run time are copied as bytes");
        if (!detail::has_layout<T>(world_, type, detail::value_size<T>)) return nullptr;
        return static_cast<T *>(covey_set_raw(world_, e, type, detail::address_of(value)));
    }
    template <class T> T *get_raw(entity e, const covey_type *type) const noexcept {
        return const_cast<T *>(const_world_ref::get_raw<T>(e, type));
    }
    bool remove_raw(entity e, const covey_type *type) const noexcept { return covey_remove_raw(world_, e, type); }

    /* ---- Many at once ---- */

    template <class T>
    [[nodiscard]] bool add_array(const entity *entities, uint32_t count, const T *values) const noexcept {
        static_assert(component<T>::is_trivial, "covey: the values would have to be forgotten without a destructor");
        return covey_add_array_raw(world_, entities, count, type_of<T>(), values);
    }
    template <class T>
    [[nodiscard]] bool add_copies(const entity *entities, uint32_t count, const T &value) const noexcept {
        return covey_add_copies_raw(world_, entities, count, type_of<T>(), detail::address_of(value));
    }
    /* Those that have the component. Returns how many. */
    template <class T> uint32_t set_array(const entity *entities, uint32_t count, const T *values) const noexcept {
        static_assert(component<T>::is_trivial, "covey: the values would have to be forgotten without a destructor");
        return covey_set_array_raw(world_, entities, count, type_of<T>(), values);
    }
    template <class T> uint32_t remove_many(const entity *entities, uint32_t count) const noexcept {
        return covey_remove_many_raw(world_, entities, count, type_of<T>());
    }

#if defined(__cpp_lib_span)
    /* The same with std::span: vectors and arrays can be passed directly. There must be as many values as entities;
     * otherwise nothing is done. */
    [[nodiscard]] bool create_many(std::span<entity> entities) const noexcept {
        return create_many(entities.data(), detail::length(entities));
    }
    template <class... T>
    [[nodiscard]] bool create_many_with(std::span<entity> entities, const T &...values) const noexcept
        requires(!(std::is_convertible_v<T, uint32_t> || ...)) {
        return create_many_with(entities.data(), detail::length(entities), values...);
    }
    uint32_t destroy_many(std::span<const entity> entities) const noexcept {
        return destroy_many(entities.data(), detail::length(entities));
    }
    template <class T>
    [[nodiscard]] bool add_array(std::span<const entity> entities, std::span<const T> values) const noexcept {
        COVEY__CONTRACT(world_, entities.size() == values.size(), "an array needs as many values as entities");
        return entities.size() == values.size() &&
               add_array<T>(entities.data(), detail::length(entities), values.data());
    }
    template <class T> uint32_t set_array(std::span<const entity> entities, std::span<const T> values) const noexcept {
        COVEY__CONTRACT(world_, entities.size() == values.size(), "an array needs as many values as entities");
        if (entities.size() != values.size()) return 0;
        return set_array<T>(entities.data(), detail::length(entities), values.data());
    }
    template <class T> [[nodiscard]] bool add_copies(std::span<const entity> entities, const T &value) const noexcept {
        return add_copies<T>(entities.data(), detail::length(entities), value);
    }
    template <class T> uint32_t remove_many(std::span<const entity> entities) const noexcept {
        return remove_many<T>(entities.data(), detail::length(entities));
    }
#endif

    /* ---- Pools, views, groups, observers: see their headers ---- */

    /* The pool of T. Makes it if the world does not have it yet. */
    template <class T> covey::pool<T> pool() const noexcept {
        return covey::pool<T>(covey_pool_of_raw(world_, type_of<T>()));
    }
    template <class T> covey::pool<T> pool_find() const noexcept {
        return covey::pool<T>(covey_pool_find_raw(world_, type_of<T>()));
    }
    /* A view. Takes a descriptor for each covey::runtime<T>. */
    template <class... Terms, class... Given> covey::view<Terms...> view(Given... types) const noexcept {
        return covey::view<Terms...>(world_, types...);
    }
    /* The group with these terms; makes it if there is none. group_find: the existing one, or null. */
    template <class... Terms> covey::group<Terms...> group() const noexcept;
    template <class... Terms> covey::group<Terms...> group_find() const noexcept;
    /* What is told of changes: world.on<Body>().added(...), and world.on().destroyed(...) for entities. */
    template <class T = void> auto on() const noexcept;
    /* Begins the description of a reactive set. */
    auto reactive() const noexcept;

    /* The channel of events of type T; makes it if there is none. Needs covey/events.hpp. */
    template <class T> auto events() const noexcept;

    uint64_t tick_advance() const noexcept { return covey_tick_advance(world_); }

    /* ---- Resources ----
     *
     * One value of T for the whole world. Given as for add. */

    template <class T> T *resource_set(argument<T> value) const noexcept {
        return detail::hand_over<T>(
            nullptr, value, [this](const void *bytes) { return covey_resource_set_raw(world_, type_of<T>(), bytes); });
    }
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    T *resource_set(Arguments &&...arguments) const noexcept {
        if constexpr (!detail::check_arguments<T, Arguments...>()) return {};
        else if constexpr (size_of<T> == 0)
            return static_cast<T *>(covey_resource_set_raw(world_, type_of<T>(), nullptr));
        else return resource_set<T>(T{ std::forward<Arguments>(arguments)... });
    }
    /* The caller owns the object, which must outlive the reference. */
    template <class T> bool resource_refer(T &object) const noexcept {
        return covey_resource_refer_raw(world_, type_of<T>(), detail::address_of(object));
    }
    template <class T> T *resource_get() const noexcept {
        return static_cast<T *>(covey_resource_get_raw(world_, type_of<T>()));
    }
    template <class T> bool resource_remove() const noexcept { return covey_resource_remove_raw(world_, type_of<T>()); }
    template <class T> std::optional<T> resource_take() const noexcept {
        return detail::take_over<T>([this](void *to) { return covey_resource_take_raw(world_, type_of<T>(), to); });
    }
};

/* Owns a world. Move-only. Null if it could not be made. */
class world : public world_ref {
  public:
    world() noexcept : world_ref(covey_world_create(nullptr)) {}
    explicit world(const covey_world_desc &desc) noexcept : world_ref(covey_world_create(&desc)) {}
    explicit world(covey_world *owned) noexcept : world_ref(owned) {}
    world(world &&other) noexcept : world_ref(other.release()) {}
    world &operator=(world &&other) noexcept {
        if (this != &other) {
            covey_world_destroy(world_);
            world_ = other.release();
        }
        return *this;
    }
    ~world() { covey_world_destroy(world_); }

    /* Gives up ownership. */
    covey_world *release() noexcept { return std::exchange(world_, nullptr); }
};

inline world world_ref::clone(const covey_world_desc *desc) const noexcept {
    return covey::world(covey_world_clone(world_, desc));
}

/* ---- All entities -------------------------------------------------------------------------------------------------*/

/* Made by world.entities(). */
class entities {
  public:
    explicit entities(const covey_world *of) noexcept : world_(of) {}

    class iterator : public detail::loop_iterator<iterator> {
      public:
        using value_type = entity;
        iterator() noexcept : world_(nullptr), at_() {}
        explicit iterator(const covey_world *of) noexcept : world_(of), at_(covey_entity_next(of, {})) {}
        entity operator*() const noexcept { return at_; }
        bool operator==(const iterator &other) const noexcept { return at_ == other.at_; }
        void advance() noexcept { at_ = covey_entity_next(world_, at_); }
        bool is_at_end() const noexcept { return covey_is_null(at_); }

      private:
        const covey_world *world_;
        entity at_;
    };
    iterator begin() const noexcept { return iterator(world_); }
    detail::loop_end end() const noexcept { return {}; }

  private:
    const covey_world *world_;
};

inline entities const_world_ref::entities() const noexcept { return covey::entities(world_); }

/* ---- Entities with their world ------------------------------------------------------------------------------------*/

/* An entity with its world, for code that does not need the world otherwise: 16 bytes, and each verb is that of the
 * world. It is a value: it owns nothing, is stale when its entity is destroyed, and must not outlive its world. alive()
 * is false for one that was made without arguments; the other verbs need a world. add and set can be chained; if one
 * fails, the component is absent, and world().result() says why.
 *
 *     auto ship = covey::entity_ref::create(world).add<Position>(1.f, 2.f).add<Frozen>();
 *     ship.get<Position>()->x += 1; */
class entity_ref {
  public:
    entity_ref() noexcept : world_(nullptr), entity_() {}
    entity_ref(world_ref in, covey::entity e) noexcept : world_(in), entity_(e) {}
    /* Makes an entity without components. The entity is null when that fails. */
    static entity_ref create(world_ref in) noexcept { return { in, in.create() }; }

    operator covey::entity() const noexcept { return entity_; }
    world_ref world() const noexcept { return world_; }
    covey::entity entity() const noexcept { return entity_; }

    bool alive() const noexcept { return world_ && world_.alive(entity_); }
    bool destroy() const noexcept { return world_.destroy(entity_); }
    bool is_empty() const noexcept { return world_.is_empty(entity_); }
    /* Makes an entity with copies of all components. The entity is null when that fails. */
    entity_ref clone() const noexcept { return { world_, world_.clone(entity_) }; }

    template <class T> entity_ref add(argument<T> value) const noexcept {
        world_.add<T>(entity_, static_cast<argument<T> &&>(value));
        return *this;
    }
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    entity_ref add(Arguments &&...arguments) const noexcept {
        world_.add<T>(entity_, std::forward<Arguments>(arguments)...);
        return *this;
    }
    template <class T> entity_ref set(argument<T> value) const noexcept {
        world_.set<T>(entity_, static_cast<argument<T> &&>(value));
        return *this;
    }
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    entity_ref set(Arguments &&...arguments) const noexcept {
        world_.set<T>(entity_, std::forward<Arguments>(arguments)...);
        return *this;
    }
    template <class... T> auto get() const noexcept { return world_.get<T...>(entity_); }
    template <class T> T *get_or_add(argument<T> value) const noexcept {
        return world_.get_or_add<T>(entity_, static_cast<argument<T> &&>(value));
    }
    template <class T> bool replace(T &value) const noexcept { return world_.replace<T>(entity_, value); }
    template <class T, class Change> T *patch(Change &&change) const noexcept {
        return world_.patch<T>(entity_, std::forward<Change>(change));
    }
    template <class T, class Change> T *patch_or_add(Change &&change) const noexcept {
        return world_.patch_or_add<T>(entity_, std::forward<Change>(change));
    }
    template <class T> bool has() const noexcept { return world_.has<T>(entity_); }
    template <class... T> bool has_all() const noexcept { return world_.has_all<T...>(entity_); }
    template <class... T> bool has_any() const noexcept { return world_.has_any<T...>(entity_); }
    template <class T> bool remove() const noexcept { return world_.remove<T>(entity_); }
    template <class T> std::optional<T> take() const noexcept { return world_.take<T>(entity_); }

  private:
    world_ref world_;
    covey::entity entity_;
};

inline bool operator==(const entity_ref &a, const entity_ref &b) noexcept {
    return a.world() == b.world() && a.entity() == b.entity();
}
inline bool operator!=(const entity_ref &a, const entity_ref &b) noexcept { return !(a == b); }

} // namespace covey

/* ---- Exceptions ---------------------------------------------------------------------------------------------------*/

#if defined(COVEY_CPP_EXCEPTIONS) && defined(__cpp_exceptions)
#include <exception>

/* Covey does not throw. With COVEY_CPP_EXCEPTIONS, check turns a failure into an exception where the program wants one:
 *
 *     covey::check(schedule.run());
 *     Position &p = *covey::check(world, world.add<Position>(e, 1.f, 2.f)); */
namespace covey {

class error : public std::exception {
  public:
    explicit error(covey::result why) noexcept : why_(why) {}
    covey::result result() const noexcept { return why_; }
    const char *what() const noexcept override { return why_.text(); }

  private:
    covey::result why_;
};

inline void check(result done) {
    if (!done) throw error(done);
}
/* Returns what a call returned; throws the reason of the world if that is null or false. */
template <class Value> Value check(const_world_ref in, Value value) {
    if (!value) throw error(in.result());
    return value;
}
inline entity check(const_world_ref in, entity made) {
    if (covey_is_null(made)) throw error(in.result());
    return made;
}

} // namespace covey
#endif

#endif /* COVEY_WORLD_HPP */
