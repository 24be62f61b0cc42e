/* Covey for C++17: command buffers (covey/commands.h). Part of covey/covey.hpp. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_COMMANDS_HPP
#define COVEY_COMMANDS_HPP

#include <covey/commands.h>

namespace covey {

namespace detail {

template <class Function> covey_result run_recorded(covey_world *in, void *data) noexcept {
    const Function &fn = *static_cast<const Function *>(data);
    if (!in) return COVEY_OK; /* discarded */
    if constexpr (std::is_convertible_v<std::invoke_result_t<const Function &, world_ref>, covey_result>) {
        return fn(world_ref(in));
    } else {
        fn(world_ref(in));
        return COVEY_OK;
    }
}

} // namespace detail

/* A command buffer. It does not own the buffer: the world destroys its buffers, or
 * covey_commands_destroy does. Without a description it belongs to the thread that owns the world.
 *
 *     covey::commands later(world);
 *     later.add<Position>(later.create(), 1.f, 2.f);
 *     if (later.replay().result != COVEY_OK) ... */
class commands {
  public:
    explicit commands(covey_commands *existing) noexcept : commands_(existing) {}
    explicit commands(world_ref in, const covey_commands_desc &desc = {}) noexcept
        : commands_(covey_commands_create(in, &desc)) {}

    operator covey_commands *() const noexcept { return commands_; }
    covey_commands *get() const noexcept { return commands_; }
    void destroy() noexcept { covey_commands_destroy(std::exchange(commands_, nullptr)); }
    covey::result reserve(uint32_t entities) const noexcept { return covey_commands_reserve(commands_, entities); }
    uint32_t count() const noexcept { return covey_commands_count(commands_); }
    covey::result result() const noexcept { return covey_commands_result(commands_); }
    size_t memory() const noexcept { return covey_commands_memory(commands_); }

    entity create() const noexcept { return covey_record_create(commands_); }
    bool destroy(entity e) const noexcept { return covey_record_destroy(commands_, e); }
    template <class T> bool add(entity e, argument<T> value) const noexcept {
        return record<T>(COVEY__RECORD_ADD, e, value);
    }
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    bool add(entity e, Arguments &&...arguments) const noexcept {
        return record_made<T>(COVEY__RECORD_ADD, e, std::forward<Arguments>(arguments)...);
    }
    template <class T> bool set(entity e, argument<T> value) const noexcept {
        return record<T>(COVEY__RECORD_SET, e, value);
    }
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    bool set(entity e, Arguments &&...arguments) const noexcept {
        return record_made<T>(COVEY__RECORD_SET, e, std::forward<Arguments>(arguments)...);
    }
    template <class T> bool remove(entity e) const noexcept {
        return covey_record_remove_raw(commands_, e, type_of<T>());
    }

    /* Records the sending of an event, which is given as for add. Needs covey/events.hpp. */
    template <class T> auto send(argument<T> value) const noexcept;
    template <class T, class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    auto send(Arguments &&...arguments) const noexcept;

    /* Records a call of fn(world_ref), which may return a covey_result. The function object is copied as bytes. */
    template <class Function> bool call(const Function &fn) const noexcept {
        static_assert(std::is_trivially_copyable_v<Function>, "covey: a recorded function is copied as bytes");
        static_assert(std::is_invocable_v<const Function &, world_ref>, "covey: a recorded function takes a world_ref");
        return covey_record_call(commands_, detail::run_recorded<Function>, detail::address_of(fn), sizeof fn);
    }

    covey_replay replay() const noexcept { return covey_commands_replay(commands_); }
    bool skip() const noexcept { return covey_commands_skip(commands_); }
    void clear() const noexcept { covey_commands_clear(commands_); }

  private:
    template <class T> bool record(covey__record_kind kind, entity e, argument<T> &value) const noexcept {
        static_assert(detail::are_bytes<T>, "covey: a buffer keeps no value that a hook moves; record a function");
        T *there = detail::hand_over<T>(nullptr, value, [&](const void *bytes) -> void * {
            bool recorded = covey__record(commands_, e, type_of<T>(), kind, bytes, size_of<T>, true);
            return recorded ? commands_ : nullptr;
        });
        return there != nullptr;
    }

    template <class T, class... Arguments>
    bool record_made(covey__record_kind kind, entity e, Arguments &&...arguments) const noexcept {
        if constexpr (!detail::check_arguments<T, Arguments...>()) return {};
        else if constexpr (size_of<T> == 0) {
            return covey__record(commands_, e, type_of<T>(), kind, nullptr, 0, false);
        } else {
            T value{ std::forward<Arguments>(arguments)... };
            argument<T> given = static_cast<argument<T> &&>(value);
            return record<T>(kind, e, given);
        }
    }

    covey_commands *commands_;
};

} // namespace covey

#endif /* COVEY_COMMANDS_HPP */
