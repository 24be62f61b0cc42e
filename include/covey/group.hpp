/* Covey for C++17: groups (covey/group.h). Part of covey/covey.hpp.
 *
 * The fields are arguments: first the types of `own`, then the types of `with`. A const type is only read.
 *
 *     auto moving = covey::group_of(world).own<Position, const Velocity>().without<Frozen>().make();
 *     moving.spans([](size_t n, Position *p, const Velocity *v) { for (size_t i = 0; i < n; i++) ... });
 *     moving.each([](covey_entity e, Position &p, const Velocity &v) { ... }); */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_GROUP_HPP
#define COVEY_GROUP_HPP

namespace covey {

namespace detail {

/* The number of the field of T in a group with these types. */
template <class T, class... F> constexpr uint32_t group_field() noexcept {
    constexpr bool same[] = { std::is_same_v<std::remove_const_t<T>, std::remove_const_t<F>>..., true };
    uint32_t number = 0;
    while (!same[number]) number++;
    static_assert((std::is_same_v<std::remove_const_t<T>, std::remove_const_t<F>> || ...),
                  "covey: the group has no field of this type");
    return number;
}

} // namespace detail

/* Made by group_of. Converts to covey_group *, which is NULL if the group could not be made. It does not own the group,
 * which lives until covey_group_destroy, or until its world ends. */
template <class... F> class group {
  public:
    group() noexcept : group_(nullptr) {}
    explicit group(covey_group *made) noexcept : group_(made) {}
    operator covey_group *() const noexcept { return group_; }

    uint32_t count() const noexcept { return covey_group_count(group_); }
    uint32_t owned() const noexcept { return covey_group_owned(group_); }
    covey_entity first() const noexcept { return covey_group_first(group_); }
    bool contains(covey_entity e) const noexcept { return covey_group_contains(group_, e); }

    COVEY__CPP_HOT auto begin() const noexcept { return typename loops::iterator(); }
    COVEY__CPP_HOT auto end() const noexcept { return typename loops::end{ covey_group_iter(group_) }; }
    template <class Body> COVEY__CPP_HOT void each(Body &&body) const {
        covey_iter it = covey_group_iter(group_);
        loops::each(it, body);
    }
    template <class Body> COVEY__CPP_HOT void spans(Body &&body) const {
        covey_iter it = covey_group_iter(group_);
        loops::spans(it, body);
    }

    /* Sorts the members by the values of a field. */
    covey_result sort_as(const covey_pool *pool) const noexcept { return covey_group_sort_as(group_, pool); }
    template <class T> covey_result sort(const covey_order &order) const noexcept {
        return covey_group_sort(group_, detail::group_field<T, F...>(), &order);
    }
    template <class T, class Less> covey_result sort(const Less &less) const noexcept {
        return sort<T>(detail::order_by_function<T>(less));
    }

  private:
    using loops = detail::loops_over<F...>;

    covey_group *group_;
};

/* The description of a group; make() makes it. */
template <class Own, class With, class Without> class group_terms;
template <class... O, class... W, class... N>
class group_terms<detail::types<O...>, detail::types<W...>, detail::types<N...>> {
    static_assert(sizeof...(O) + sizeof...(W) + sizeof...(N) <= COVEY_TERMS, "covey: too many terms");

  public:
    explicit group_terms(covey_world *in) noexcept : world_(in) {}

    template <class... T> auto own() const noexcept {
        return group_terms<detail::types<O..., T...>, detail::types<W...>, detail::types<N...>>(world_);
    }
    template <class... T> auto with() const noexcept {
        return group_terms<detail::types<O...>, detail::types<W..., T...>, detail::types<N...>>(world_);
    }
    template <class... T> auto without() const noexcept {
        return group_terms<detail::types<O...>, detail::types<W...>, detail::types<N..., T...>>(world_);
    }
    group<O..., W...> make() const noexcept {
        const covey_group_desc desc = describe();
        return group<O..., W...>(covey_group_create(world_, &desc));
    }
    /* The existing group, or NULL; find_or_make() makes it then. */
    group<O..., W...> find() const noexcept {
        const covey_group_desc desc = describe();
        return group<O..., W...>(covey_group_find(world_, &desc));
    }
    group<O..., W...> find_or_make() const noexcept {
        const group<O..., W...> found = find();
        return found ? found : make();
    }

  private:
    static covey_group_desc describe() noexcept {
        static_assert(sizeof...(O) + sizeof...(W) != 0, "covey: a group asks for one type at least");
        covey_group_desc desc = {};
        detail::name_terms<O...>(desc.own);
        detail::name_terms<W...>(desc.with);
        detail::name_terms<N...>(desc.without);
        return desc;
    }

    covey_world *world_;
};

inline auto group_of(covey_world *in) noexcept {
    return group_terms<detail::types<>, detail::types<>, detail::types<>>(in);
}

} // namespace covey

#endif /* COVEY_GROUP_HPP */
