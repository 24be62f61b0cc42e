/* Covey for C++17, optional: parents, children, trees and names (covey/hierarchy.h), as an object of a world.
 *
 *     covey::hierarchy family(world);
 *     if (!family.parent_set(turret, ship) || !family.name_set(turret, "turret")) ...
 *     for (covey::entity child : family.children(ship)) ...
 *     for (covey::entity e : family.tree(ship)) ...            ship, then all below it, parents first
 *     family.find_path(ship, "turret/gun"); */
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

    class iterator : public loop_iterator<iterator> {
      public:
        using value_type = entity;
        iterator() noexcept : of_(nullptr), at_() {}
        iterator(const kin *of, entity first) noexcept : of_(of), at_(first) {}
        entity operator*() const noexcept { return at_; }
        bool operator==(const iterator &other) const noexcept { return at_ == other.at_; }
        void advance() noexcept { at_ = Next(of_->world_, of_->root_, at_); }
        bool is_at_end() const noexcept { return covey_is_null(at_); }

      private:
        const kin *of_;
        entity at_;
    };
    iterator begin() const noexcept { return iterator(this, first_); }
    loop_end end() const noexcept { return {}; }

  private:
    const covey_world *world_;
    entity root_, first_;
};

inline entity if_alive(const covey_world *in, entity e) noexcept { return covey_alive(in, e) ? e : entity{}; }

} // namespace detail

/* Of a world that is only read. */
class const_hierarchy {
  public:
    explicit const_hierarchy(const_world_ref of) noexcept : world_(of) {}

    /* Null for a root. */
    entity parent(entity e) const noexcept { return covey_parent(world_, e); }
    bool is_ancestor(entity ancestor, entity e) const noexcept { return covey_is_ancestor(world_, ancestor, e); }
    uint32_t depth(entity e) const noexcept { return covey_depth(world_, e); }

    uint32_t child_count(entity e) const noexcept { return covey_child_count(world_, e); }
    entity child_first(entity e) const noexcept { return covey_child_first(world_, e); }
    entity child_last(entity e) const noexcept { return covey_child_last(world_, e); }
    entity child_next(entity child) const noexcept { return covey_child_next(world_, child); }
    entity child_previous(entity child) const noexcept { return covey_child_previous(world_, child); }
    /* The children of an entity; it and all below it, parents first. While one is iterated, the rules of
     * covey_tree_next hold. Empty for a dead entity. */
    auto children(entity of) const noexcept {
        return detail::kin<detail::next_sibling>(world_, of, covey_child_first(world_, of));
    }
    auto tree(entity root) const noexcept {
        return detail::kin<covey_tree_next>(world_, root, detail::if_alive(world_, root));
    }

    /* Null if it has none. */
    const char *name(entity e) const noexcept { return covey_name(world_, e); }
    /* A null entity stands for the roots. */
    entity find_child(entity of, const char *name) const noexcept { return covey_find_child(world_, of, name); }
    entity find_path(entity from, const char *path) const noexcept { return covey_find_path(world_, from, path); }
    int path_print(char *text, size_t size, entity e) const noexcept { return covey_path_print(text, size, world_, e); }

  protected:
    const_world_ref world_;
};

class hierarchy : public const_hierarchy {
  public:
    explicit hierarchy(world_ref of) noexcept : const_hierarchy(of), changed_(of) {}

    /* Null makes it a root. */
    result parent_set(entity child, entity parent) const noexcept { return covey_parent_set(changed_, child, parent); }
    /* Before a sibling; null: behind all. */
    result child_move(entity child, entity before) const noexcept { return covey_child_move(changed_, child, before); }
    result name_set(entity e, const char *name) const noexcept { return covey_name_set(changed_, e, name); }
    uint32_t destroy_tree(entity root) const noexcept { return covey_destroy_tree(changed_, root); }
    entity clone_tree_into(world_ref to, entity root, const covey_clone_desc *desc = nullptr) const noexcept {
        return covey_clone_tree_into(to, changed_, root, desc);
    }
    /* Sorts the pool of T, which must be sparse, so that parents come before their children. */
    template <class T> result sort_by_depth() const noexcept {
        const covey::pool<T> held = changed_.pool<T>();
        return held ? covey::result(covey_pool_sort_by_depth(held)) : changed_.result();
    }

  private:
    world_ref changed_;
};

} // namespace covey

#endif
