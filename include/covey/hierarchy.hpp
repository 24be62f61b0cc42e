/* Covey for C++17, optional: children and trees as ranges. The verbs of hierarchy.h have no type in them and are called
 * as in C.
 *
 *     for (covey::entity child : covey::children(world, ship)) ...
 *     for (covey::entity e : covey::tree(world, ship)) ...            ship, then all below it, parents first
 *     covey::sort_by_depth<Transform>(world); */
#ifndef COVEY_HIERARCHY_HPP
#define COVEY_HIERARCHY_HPP

#include <covey/covey.hpp>
#include <covey/hierarchy.h>

namespace covey {

namespace detail {

using next_of_tree = entity (*)(const covey_world *, entity, entity);

inline entity next_sibling(const covey_world *in, entity, entity e) noexcept { return covey_child_next(in, e); }

/* Entities from a first one on, each found from the one before. */
template <next_of_tree Next> class kin {
  public:
    kin(const covey_world *in, entity root, entity first) noexcept : world_(in), root_(root), first_(first) {}

    struct end_of_kin {};
    class iterator {
      public:
        iterator(const kin *of, entity first) noexcept : of_(of), at_(first) {}
        entity operator*() const noexcept { return at_; }
        iterator &operator++() noexcept {
            at_ = Next(of_->world_, of_->root_, at_);
            return *this;
        }
        bool operator!=(end_of_kin) const noexcept { return !covey_is_null(at_); }

      private:
        const kin *of_;
        entity at_;
    };
    iterator begin() const noexcept { return iterator(this, first_); }
    end_of_kin end() const noexcept { return {}; }

  private:
    const covey_world *world_;
    entity root_, first_;
};

inline entity if_alive(const covey_world *in, entity e) noexcept { return covey_alive(in, e) ? e : entity{}; }

} // namespace detail

/* While a range is iterated, the rules of covey_tree_next hold. For a dead entity the range is empty. */
inline auto children(const_world_ref in, entity parent) noexcept {
    return detail::kin<detail::next_sibling>(in, parent, covey_child_first(in, parent));
}
inline auto tree(const_world_ref in, entity root) noexcept {
    return detail::kin<covey_tree_next>(in, root, detail::if_alive(in, root));
}

/* Sorts the pool of T, which must be sparse, so that parents come before their children. */
template <class T> result sort_by_depth(world_ref in) noexcept {
    covey_pool *held = covey_pool_of_raw(in, type_of<T>());
    return held ? covey_pool_sort_by_depth(held) : covey_world_result(in);
}

} // namespace covey

#endif
