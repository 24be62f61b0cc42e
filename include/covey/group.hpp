/* Covey for C++17: groups (covey/group.h). Part of covey/covey.hpp.
 *
 * A group names terms as a view does: the types that it owns, covey::with for others that members have, covey::without
 * for those that they do not have. The fields are first the types that it owns, then those of `with`. A const type is
 * only read.
 *
 *     auto moving = world.group<Position, const Velocity, covey::without<Frozen>>();
 *     for (auto [e, p, v] : moving) p.x += v.x;
 *     moving.each([](Position &p, const Velocity &v) { p.x += v.x; });
 *     moving.sort<Position>(covey::by<&Position::x>()); */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_GROUP_HPP
#define COVEY_GROUP_HPP

namespace covey {

namespace detail {

/* The number of the field of T in a group with these fields. */
template <class T, class... F> constexpr uint32_t group_field() noexcept {
    constexpr bool same[] = { std::is_same_v<std::remove_const_t<T>, std::remove_const_t<F>>..., true };
    uint32_t number = 0;
    while (!same[number]) number++;
    static_assert((std::is_same_v<std::remove_const_t<T>, std::remove_const_t<F>> || ...),
                  "covey: the group has no field of this type");
    return number;
}

/* One term of a group. */
template <class T> struct group_term {
    using own = types<T>;
    using with = types<>;
    using without = types<>;
};
template <class... T> struct group_term<covey::with<T...>> {
    using own = types<>;
    using with = types<T...>;
    using without = types<>;
};
template <class... T> struct group_term<covey::without<T...>> {
    using own = types<>;
    using with = types<>;
    using without = types<T...>;
};

template <class... T> void name_list(const covey_type **terms, types<T...>) noexcept { name_terms<T...>(terms); }

} // namespace detail

/* Converts to covey_group *, which is null if the group could not be made. It does not own the group, which lives until
 * destroy, or until its world ends. */
template <class... Terms> class group : public detail::range_of_rows<group<Terms...>> {
    using own = decltype((detail::types<>() + ... + typename detail::group_term<Terms>::own()));
    using with = decltype((detail::types<>() + ... + typename detail::group_term<Terms>::with()));
    using without = decltype((detail::types<>() + ... + typename detail::group_term<Terms>::without()));

  public:
    using fields = decltype(own() + with());

    group() noexcept : group_(nullptr) {}
    explicit group(covey_group *made) noexcept : group_(made) {}
    /* The group with these terms; makes it if there is none. */
    explicit group(world_ref in) noexcept {
        const covey_group_desc desc = describe();
        group_ = covey_group_find(in, &desc);
        if (!group_) group_ = covey_group_create(in, &desc);
    }
    operator covey_group *() const noexcept { return group_; }
    /* Ends the group; the components stay. */
    void destroy() noexcept { covey_group_destroy(std::exchange(group_, nullptr)); }

    uint32_t count() const noexcept { return covey_group_count(group_); }
    uint32_t owned() const noexcept { return covey_group_owned(group_); }
    entity first() const noexcept { return covey_group_first(group_); }
    bool contains(entity e) const noexcept { return covey_group_contains(group_, e); }
    /* The same entities, as a view of C. */
    const covey_view *view() const noexcept { return covey_group_view(group_); }
    int print(char *text, size_t size) const noexcept { return covey_group_print(text, size, group_); }

    COVEY__CPP_HOT auto begin() const noexcept { return typename loops::iterator(); }
    COVEY__CPP_HOT auto end() const noexcept { return typename loops::end{ covey_group_iter(group_) }; }
    /* For std::ranges::begin: an iterator with the whole iteration in it. */
    auto rows() const noexcept { return typename loops::range_iterator(covey_group_iter(group_)); }
    template <class Body> COVEY__CPP_HOT void each(Body &&body) const {
        covey_iter it = covey_group_iter(group_);
        loops::each(it, body);
    }
    template <class Body> COVEY__CPP_HOT void spans(Body &&body) const {
        covey_iter it = covey_group_iter(group_);
        loops::spans(it, body);
    }

    /* Sorts the members by the values of a field: by a member of it, or by a function as pool::sort takes. */
    template <class T> covey::result sort(const covey_order &order) const noexcept {
        return covey_group_sort(group_, number_of<T>(fields()), &order);
    }
    template <class T, class Less> covey::result sort(const Less &less) const noexcept {
        return sort<T>(detail::order_by_function<T>(less));
    }
    covey::result sort_as(const covey_pool *pool) const noexcept { return covey_group_sort_as(group_, pool); }

    static covey_group_desc describe() noexcept {
        static_assert(!std::is_same_v<fields, detail::types<>>, "covey: a group asks for one type at least");
        static_assert(detail::count_types(own() + with() + without()) <= COVEY_TERMS,
                      "covey: a group has 16 terms at most");
        covey_group_desc desc = {};
        detail::name_list(desc.own, own());
        detail::name_list(desc.with, with());
        detail::name_list(desc.without, without());
        return desc;
    }

  private:
    using loops = detail::loops_of<fields>;

    template <class T, class... F> static constexpr uint32_t number_of(detail::types<F...>) noexcept {
        return detail::group_field<T, F...>();
    }

    covey_group *group_;
};

template <class... Terms> covey::group<Terms...> world_ref::group() const noexcept {
    return covey::group<Terms...>(*this);
}
template <class... Terms> covey::group<Terms...> world_ref::group_find() const noexcept {
    const covey_group_desc desc = covey::group<Terms...>::describe();
    return covey::group<Terms...>(covey_group_find(world_, &desc));
}

} // namespace covey

#endif /* COVEY_GROUP_HPP */
