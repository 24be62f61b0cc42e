/* Covey for C++17: signals, queues and reactive sets (covey/react.h). Part of covey/covey.hpp. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_REACT_HPP
#define COVEY_REACT_HPP

namespace covey {

/* ---- Signals --------------------------------------------------------------------------------------------------------
 *
 *     auto heard = world.on<Body>().added([&](covey::entity e, Body &body) { physics.insert(e, body); });
 *     auto counted = world.on().destroyed([&](covey::entity) { lost++; });
 *
 * What is returned is the connection: listening ends with it, and it ends before its world. A listener takes what it
 * needs: (world_ref, entity, T &), (entity, T &), (world_ref, entity), (entity), or (const covey_event &). It must not
 * throw. Nothing is allocated: a listener that is passed by its name must stay in place, one that is written in the
 * call is kept in the connection. */

/* Owns a connection, which ends with it. Must be destroyed before its world, or released. */
class connection {
  public:
    connection() noexcept = default;
    connection(world_ref in, covey_connection made) noexcept : world_(in), made_(made) {}
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
    world_ref world_ = nullptr;
    covey_connection made_ = {};
};

/* A connection with its listener, which is in it: so it stays where it is. */
template <class Listen> class listener {
  public:
    /* connect(context) connects it. */
    template <class Connect>
    listener(Listen &&listen, const Connect &connect) noexcept
        : listen_(std::move(listen)), connection_(connect(detail::context_of(listen_))) {}
    listener(const listener &) = delete;
    listener &operator=(const listener &) = delete;

    bool connected() const noexcept { return connection_.connected(); }
    void disconnect() noexcept { connection_.disconnect(); }

  private:
    Listen listen_;
    connection connection_;
};

namespace detail {

/* Connects a listener: one that is passed by its name stays in place, another is kept in the connection. */
template <class Listen, class Connect> auto listen(Listen &&wanted, const Connect &connect) noexcept {
    if constexpr (std::is_lvalue_reference_v<Listen>) return connect(context_of(wanted));
    else return listener<Listen>(std::move(wanted), connect);
}

/* Calls a function object with the arguments that it takes. */
template <class T, class Listen> void tell(const covey_event *event, void *context) noexcept {
    Listen &listen = *static_cast<Listen *>(context);
    const world_ref in(event->world);
    if constexpr (std::is_invocable_v<Listen &, const covey_event &>) listen(*event);
    else if constexpr (std::is_invocable_v<Listen &, entity>) listen(*event->entities);
    else if constexpr (std::is_invocable_v<Listen &, world_ref, entity>) listen(in, *event->entities);
    else if constexpr (std::is_void_v<T>) {
        static_assert(never<Listen>, "covey: a listener to entities is (entity), (world_ref, entity) or "
                                     "(const covey_event &)");
    } else if constexpr (std::is_invocable_v<Listen &, world_ref, entity, T &>) {
        listen(in, *event->entities, *static_cast<T *>(event->values));
    } else {
        static_assert(std::is_invocable_v<Listen &, entity, T &>,
                      "covey: a listener is (entity, T &), (entity), either after a world_ref, or "
                      "(const covey_event &)");
        call_as<void>(listen, *event->entities, *static_cast<T *>(event->values));
    }
}

} // namespace detail

/* Made by world.on<T>(), and by world.on() for entities. */
template <class T> class signals {
  public:
    explicit signals(world_ref in) noexcept : world_(in) {}

    /* Components: after one was added; set, replaced or patched; patched; before one is removed. */
    template <class Listen> [[nodiscard]] auto added(Listen &&listen) const noexcept {
        return of<true>(COVEY_ON_ADD, std::forward<Listen>(listen));
    }
    template <class Listen> [[nodiscard]] auto set(Listen &&listen) const noexcept {
        return of<true>(COVEY_ON_SET, std::forward<Listen>(listen));
    }
    template <class Listen> [[nodiscard]] auto patched(Listen &&listen) const noexcept {
        return of<true>(COVEY_ON_PATCH, std::forward<Listen>(listen));
    }
    template <class Listen> [[nodiscard]] auto removed(Listen &&listen) const noexcept {
        return of<true>(COVEY_ON_REMOVE, std::forward<Listen>(listen));
    }
    /* Entities: after one was created; before one is destroyed. */
    template <class Listen> [[nodiscard]] auto created(Listen &&listen) const noexcept {
        return of<false>(COVEY_ON_CREATE, std::forward<Listen>(listen));
    }
    template <class Listen> [[nodiscard]] auto destroyed(Listen &&listen) const noexcept {
        return of<false>(COVEY_ON_DESTROY, std::forward<Listen>(listen));
    }
    /* A set of covey_signal. Not connected on failure, as covey_connect. */
    template <class Listen> [[nodiscard]] auto connect(uint32_t wanted, Listen &&listen) const noexcept {
        using function = std::remove_reference_t<Listen>;
        covey_listener desc = {};
        if constexpr (!std::is_void_v<T>) desc.type = type_of<T>();
        desc.signals = wanted;
        desc.call = [](const covey_event *event, void *context) noexcept { detail::tell<T, function>(event, context); };
        return detail::listen(std::forward<Listen>(listen), [this, &desc](void *context) noexcept {
            desc.context = context;
            return connection(world_, covey_connect(world_, &desc));
        });
    }

  private:
    template <bool Component, class Listen> auto of(covey_signal wanted, Listen &&listen) const noexcept {
        static_assert(Component || std::is_void_v<T>, "covey: entities are created and destroyed: world.on()");
        static_assert(!Component || !std::is_void_v<T>, "covey: components have signals of their own: world.on<T>()");
        return connect(wanted, std::forward<Listen>(listen));
    }

    world_ref world_;
};

template <class T> auto world_ref::on() const noexcept { return signals<T>(*this); }

/* Owns a queue, which must be destroyed before its world. Converts to covey_queue *, which is NULL if it could not be
 * made. */
class queue {
  public:
    explicit queue(world_ref in) noexcept : world_(in), queue_(covey_queue_create(in)) {}
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
    template <class Body> COVEY__CPP_HOT void each(Body &&body) {
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

    world_ref world_;
    covey_queue *queue_;
};

/* ---- Reactive sets --------------------------------------------------------------------------------------------------
 *
 * The fields are arguments. A const type is only read.
 *
 *     auto moved = world.reactive().added<Position>().set<Position>().with<const Position>().make();
 *     moved.each([](covey::entity e, const Position &p) { ... });
 *     moved.clear(); */

/* Owns a reactive set, which must be destroyed before its world. Made by world.reactive(). Converts to
 * covey_reactive *, which is null if it could not be made. */
template <class... F> class reactive : public detail::range_of_rows<reactive<F...>> {
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
    bool contains(entity e) const noexcept { return covey_reactive_contains(set_, e); }
    void clear() const noexcept { covey_reactive_clear(set_); }
    const covey_type *type() const noexcept { return covey_reactive_type(set_); }
    /* Also collects for these signals of T. */
    template <class T> covey::result listen(uint32_t signals) const noexcept {
        return covey_reactive_listen_raw(set_, type_of<T>(), signals);
    }

    COVEY__CPP_HOT auto begin() const noexcept { return typename loops::iterator(); }
    COVEY__CPP_HOT auto end() const noexcept { return typename loops::end{ covey_reactive_iter(set_) }; }
    /* For std::ranges::begin: an iterator with the whole iteration in it. */
    auto rows() const noexcept { return typename loops::range_iterator(covey_reactive_iter(set_)); }
    template <class Body> COVEY__CPP_HOT void each(Body &&body) const {
        covey_iter it = covey_reactive_iter(set_);
        loops::each(it, body);
    }
    template <class Body> COVEY__CPP_HOT void spans(Body &&body) const {
        covey_iter it = covey_reactive_iter(set_);
        loops::spans(it, body);
    }
    /* Calls body(entity) for each destroyed entity, if the set keeps them. */
    template <class Body> COVEY__CPP_HOT void each_destroyed(Body &&body) const {
        const entity *handles;
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
    explicit reactive_terms(world_ref in, detail::reactive_options options = {}) noexcept
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
    /* Collects only entities for which decide(...) returns true. keep_destroyed() keeps the handles of destroyed
     * entities. */
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
    world_ref world_;
    detail::reactive_options options_;
};

inline auto world_ref::reactive() const noexcept {
    using none = detail::types<>;
    return reactive_terms<none, none, none, none, none, none>(*this);
}

} // namespace covey

#endif /* COVEY_REACT_HPP */
