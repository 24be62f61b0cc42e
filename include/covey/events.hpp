/* Covey for C++17, optional: events of the program's own (covey/events.h), which are sent now and handled later.
 *
 *     struct Hit { covey::entity target; float damage; };
 *     COVEY_CPP_DEFINE(Hit);
 *
 *     auto hits = world.events<Hit>();
 *     hits.send(target, 3.f);
 *     hits.deliver();                                           once a frame
 *     for (const Hit &hit : hits.current()) ...
 *     auto heard = hits.on([](const Hit &hit) { ... });         called in each delivery
 *
 *     commands.send<Hit>(target, 3.f);                          from systems on any thread */
#ifndef COVEY_EVENTS_HPP
#define COVEY_EVENTS_HPP

#include <covey/covey.hpp>
#include <covey/events.h>

namespace covey {

/* Events side by side: a range, and with C++20 also a std::span. Valid until the next delivery. */
template <class T> class event_span {
  public:
    event_span(const void *values, size_t count) noexcept : values_(static_cast<const T *>(values)), count_(count) {
        static_assert(size_of<T> != 0, "covey: events without values are only counted");
    }
    const T *data() const noexcept { return values_; }
    size_t size() const noexcept { return count_; }
    bool empty() const noexcept { return count_ == 0; }
    const T *begin() const noexcept { return values_; }
    const T *end() const noexcept { return values_ + count_; }
    const T &operator[](size_t number) const noexcept { return values_[number]; }

  private:
    const T *values_;
    size_t count_;
};

namespace detail {

template <class T, class Listen, class Event> void tell_event(Listen &listen, world_ref in, const Event &event) {
    if constexpr (std::is_invocable_v<Listen &, const T &>) {
        (void)in;
        listen(event);
    } else {
        static_assert(std::is_invocable_v<Listen &, world_ref, const T &>,
                      "covey: a listener to events is (const T &), (covey::event_span<T>), either after a world_ref, "
                      "or (const covey_event &)");
        call_as<void>(listen, in, event);
    }
}

/* Calls a function object once for all events, or for each. */
template <class T, class Listen> void tell_events(const covey_event *event, void *context) noexcept {
    Listen &listen = *static_cast<Listen *>(context);
    const world_ref in(event->world);
    if constexpr (std::is_invocable_v<Listen &, const covey_event &>) listen(*event);
    else if constexpr (std::is_invocable_v<Listen &, event_span<T>>) listen(event_span<T>(event->values, event->count));
    else if constexpr (std::is_invocable_v<Listen &, world_ref, event_span<T>>) {
        listen(in, event_span<T>(event->values, event->count));
    } else {
        const T *values = static_cast<const T *>(event->values);
        for (uint32_t i = 0; i < event->count; i++) {
            if constexpr (size_of<T> == 0) tell_event<T>(listen, in, T());
            else tell_event<T>(listen, in, values[i]);
        }
    }
}

} // namespace detail

/* The channel of T: a value, valid as long as its world. Null if it could not be made. Converts to covey_events *. */
template <class T> class events {
  public:
    events() noexcept = default;
    explicit events(covey_events *of) noexcept : events_(of) {}
    explicit events(world_ref in) noexcept : events_(covey_events_of_raw(in, type_of<T>())) {}
    operator covey_events *() const noexcept { return events_; }
    explicit operator bool() const noexcept { return events_ != nullptr; }

    /* Sends an event, which is given as T, or as the arguments that construct it: T{ arguments... }. Without arguments:
     * a tag, or T(). A value that is not trivially copyable is moved from if the call succeeds. */
    COVEY__CPP_HOT bool send(argument<T> value) const noexcept {
        T *sent = detail::hand_over<T>(nullptr, value, [this](const void *bytes) -> void * {
            return covey__send(events_, bytes, size_of<T>, detail::are_bytes<T>) ? events_ : nullptr;
        });
        return sent != nullptr;
    }
    template <class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    COVEY__CPP_HOT bool send(Arguments &&...arguments) const noexcept {
        if constexpr (!detail::check_arguments<T, Arguments...>()) return {};
        else if constexpr (size_of<T> == 0) return covey__send(events_, nullptr, 0, false);
        else return send(T{ std::forward<Arguments>(arguments)... });
    }
    uint32_t sent() const noexcept { return covey_events_sent(events_); }

    /* Makes what was sent current, and calls the listeners. Returns how many events are current now. */
    uint32_t deliver() const noexcept { return covey_events_deliver(events_); }
    uint32_t count() const noexcept { return covey_events_count(events_); }
    event_span<T> current() const noexcept { return { covey_events_current_raw(events_), count() }; }
    void clear() const noexcept { covey_events_clear(events_); }

    /* A listener takes (const T &), for each event, or (covey::event_span<T>), for all of a delivery; either after a
     * world_ref, or (const covey_event &). What is returned is the connection, as of world.on. */
    template <class Listen> [[nodiscard]] auto on(Listen &&listen) const noexcept {
        using function = std::remove_reference_t<Listen>;
        covey_listener_fn *call = [](const covey_event *event, void *context) noexcept {
            detail::tell_events<T, function>(event, context);
        };
        return detail::listen(std::forward<Listen>(listen), [this, call](void *context) noexcept {
            covey_connection made = covey_events_connect(events_, call, context);
            return connection(const_cast<covey_world *>(made.world), made);
        });
    }

  private:
    covey_events *events_ = nullptr;
};

template <class T> auto world_ref::events() const noexcept { return covey::events<T>(*this); }

template <class T> auto commands::send(argument<T> value) const noexcept {
    static_assert(detail::are_bytes<T>, "covey: a buffer keeps no value that a hook moves; record a function");
    T *there = detail::hand_over<T>(nullptr, value, [&](const void *bytes) -> void * {
        return covey__record_send(commands_, type_of<T>(), bytes, size_of<T>, true) ? commands_ : nullptr;
    });
    return there != nullptr;
}
template <class T, class... Arguments, detail::if_arguments<T, Arguments...>>
auto commands::send(Arguments &&...arguments) const noexcept {
    if constexpr (!detail::check_arguments<T, Arguments...>()) return false;
    else if constexpr (size_of<T> == 0) return covey__record_send(commands_, type_of<T>(), nullptr, 0, false);
    else return send<T>(T{ std::forward<Arguments>(arguments)... });
}

} // namespace covey

#endif /* COVEY_EVENTS_HPP */
