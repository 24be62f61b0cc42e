/* Covey for C++17, optional: a history of snapshots (covey/history.h).
 *
 *     covey::history past(world, 8);
 *     if (!past.save()) ...
 *     if (!past.restore(3)) ... */
#ifndef COVEY_HISTORY_HPP
#define COVEY_HISTORY_HPP

#include <covey/covey.hpp>
#include <covey/history.h>

namespace covey {

/* Does not own the history: covey_history_destroy destroys it, or the world. Null if creating it failed. */
class history {
  public:
    explicit history(covey_history *existing) noexcept : history_(existing) {}
    history(world_ref in, uint32_t capacity) noexcept : history_(covey_history_create(in, capacity)) {}

    operator covey_history *() const noexcept { return history_; }
    covey_history *get() const noexcept { return history_; }
    void destroy() noexcept { covey_history_destroy(std::exchange(history_, nullptr)); }
    uint32_t count() const noexcept { return covey_history_count(history_); }
    uint32_t capacity() const noexcept { return covey_history_capacity(history_); }
    size_t memory() const noexcept { return covey_history_memory(history_); }

    /* Facts about a snapshot, or nothing if there is no such one. */
    std::optional<covey_snapshot_info> info(uint32_t back = 0) const noexcept {
        covey_snapshot_info info = {};
        return covey_history_info(history_, back, &info) ? std::optional<covey_snapshot_info>(info) : std::nullopt;
    }

    /* A separate world with the state of a snapshot; null if it could not be made. */
    world world_at(uint32_t back = 0, const covey_world_desc *desc = nullptr) const noexcept {
        return world(covey_history_world(history_, back, desc));
    }

    [[nodiscard]] bool save() const noexcept { return covey_history_save(history_); }
    [[nodiscard]] bool restore(uint32_t back = 0) const noexcept { return covey_history_restore(history_, back); }

  private:
    covey_history *history_;
};

} // namespace covey

#endif
