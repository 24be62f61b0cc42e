/* Covey for C++17, optional: the inspector (covey/inspect.h) as an object.
 *
 *     covey_inspect_desc desc = {};
 *     desc.schedule = schedule;
 *     covey::inspector inspector(world, desc);
 *     if (inspector) std::printf("open %s\n", inspector.address());
 *     while (running) {
 *         for (uint32_t n = inspector.poll(); n > 0; n--)
 *             if (!schedule.run()) ...
 *         draw();
 *     } */
#ifndef COVEY_INSPECT_HPP
#define COVEY_INSPECT_HPP

#include <covey/covey.hpp>
#include <covey/inspect.h>

namespace covey {

/* Owns an inspector, which must be destroyed before its schedule, its history and its world. Null if it could not be
 * opened; then the world's result says why, and poll returns 1. */
class inspector {
  public:
    explicit inspector(world_ref of, const covey_inspect_desc &desc = {}) noexcept
        : inspector_(covey_inspect_open(of, &desc)) {}
    inspector(inspector &&other) noexcept : inspector_(other.release()) {}
    inspector &operator=(inspector &&other) noexcept {
        if (this != &other) {
            covey_inspect_close(inspector_);
            inspector_ = other.release();
        }
        return *this;
    }
    ~inspector() { covey_inspect_close(inspector_); }
    operator covey_inspector *() const noexcept { return inspector_; }
    covey_inspector *release() noexcept { return std::exchange(inspector_, nullptr); }

    /* Answers what was asked. Returns how many frames to run now. */
    uint32_t poll() const noexcept { return covey_inspect_poll(inspector_); }
    /* What to open in a browser, with the token that gives access. */
    const char *address() const noexcept { return covey_inspect_address(inspector_); }

  private:
    covey_inspector *inspector_;
};

} // namespace covey

#endif /* COVEY_INSPECT_HPP */
