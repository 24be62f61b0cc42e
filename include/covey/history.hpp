/* Covey for C++17, optional: a history of snapshots (covey/history.h).
 *
 *     covey::history past(world, 8);
 *     past.save();
 *     past.restore(3); */
#ifndef COVEY_HISTORY_HPP
#define COVEY_HISTORY_HPP

#include <covey/covey.hpp>
#include <covey/history.h>

namespace covey {

/* Does not own the history: covey_history_destroy destroys it, or the world. Null if creating it failed. */
class history {
  public:
    explicit history(covey_history *existing) noexcept : history_(existing) {}
    history(covey_world *in, uint32_t capacity) noexcept : history_(covey_history_create(in, capacity)) {}

    operator covey_history *() const noexcept { return history_; }
    covey_history *get() const noexcept { return history_; }
    uint32_t count() const noexcept { return covey_history_count(history_); }
    uint32_t capacity() const noexcept { return covey_history_capacity(history_); }
    size_t memory() const noexcept { return covey_history_memory(history_); }

    /* A separate world with the state of a snapshot; null if it could not be made. */
    world world_at(uint32_t back = 0, const covey_world_desc *desc = nullptr) const noexcept {
        return world(covey_history_world(history_, back, desc));
    }

    bool save() const noexcept { return covey_history_save(history_); }
    bool restore(uint32_t back = 0) const noexcept { return covey_history_restore(history_, back); }

  private:
    covey_history *history_;
};

} // namespace covey

#endif
