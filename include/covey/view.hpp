/* Covey for C++17: views (section 9 of covey.h). Part of covey/covey.hpp.
 *
 * A view is a value whose type can be named, so it can be a member. It names the types that entities must have, and
 * other terms. A const type is only read.
 *
 *     auto moving = world.view<Position, const Velocity>();
 *     for (auto [e, p, v] : moving) p.x += v.x;
 *
 *     covey::view<Position, covey::optional<Mass>, covey::without<Frozen>> falling{ world };
 *     falling.each([](Position &p, Mass *m) { ... });  // may have a covey::entity before them
 *     falling.spans([](size_t n, Position *p, Mass *m) { for (size_t i = 0; i < n; i++) ... });
 *
 * Fields have the order in which they are written: references to required components, pointers to those that may be
 * absent. Range-based loops and an `each` whose body takes the entity go row by row, so the body may do what rows may
 * do. The body of an `each` of values alone makes no structural changes to what the view names, and is as fast as a
 * loop over arrays. `spans` gives the arrays themselves, under the same rule. With C++20 its body may take
 * std::span<Position>, std::span<Mass>; absent ones are empty. Instead of the count it may take a const covey_iter &,
 * for covey_span_entity.
 *
 * With C++20, views, groups and reactive sets are also ranges of the standard library, whose rows are tuples.
 *
 * Calls add terms to the type:
 *
 *     auto falling = world.view<Position>().optional<Mass>().without<Frozen>(); */

#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_VIEW_HPP
#define COVEY_VIEW_HPP

namespace covey {

template <class... T> struct with {};     /* of a group: must be present, in any order */
template <class... T> struct optional {}; /* may be present */
template <class... T> struct any {};      /* at least one must be present */
template <class... T> struct without {};  /* must be absent */
struct reading {};                        /* all types are const: such a view can be made of a const_world_ref */
/* A type made at run time, with values of type T. The constructor of the view takes its descriptor. */
template <class T> struct runtime {};

} // namespace covey

#include <covey/detail/view.hpp>
#include <covey/detail/iterate.hpp>

namespace covey {

/* A view. Converts to const covey_view *. A default-constructed one has no world and matches nothing. */
template <class... Terms> class view : public detail::range_of_rows<view<Terms...>> {
    static constexpr bool is_reading = (std::is_same_v<Terms, reading> || ...);
    using list = decltype(detail::list_terms<is_reading, Terms...>());
    using loops = detail::loops<decltype(detail::list_fields(list()))>;
    static_assert(detail::count_terms(list()) <= COVEY_TERMS, "covey: a view has 16 terms at most");

  public:
    view() noexcept : view_() {}
    /* Takes a descriptor for each runtime<T>, in order. One with another layout (LAYOUT) gives a view that matches
     * nothing. */
    template <class World, class... Given> explicit view(const World &in, Given... types) noexcept : view_() {
        if constexpr (std::is_convertible_v<const World &, covey_world *>) {
            make_all(static_cast<covey_world *>(in), types...);
        } else {
            static_assert(is_reading, "covey: a view of a const world only reads: view<covey::reading, T...>");
            if constexpr (is_reading) make_all(static_cast<const covey_world *>(in), types...);
        }
    }
    operator const covey_view *() const noexcept { return &view_; }

    template <class... T> auto with() const noexcept { return more<T...>(); }
    template <class... T> auto optional() const noexcept { return more<covey::optional<T...>>(); }
    template <class... T> auto any() const noexcept { return more<covey::any<T...>>(); }
    template <class... T> auto without() const noexcept { return more<covey::without<T...>>(); }
    /* Includes disabled entities and components. */
    view include_disabled() const noexcept {
        covey_view_desc desc = describe();
        desc.include_disabled = true;
        return view(*this, desc, detail::types<>());
    }
    /* The types that spans_since and each_since filter by. They must have ticks, and be required. */
    template <class... T> view changed() const noexcept {
        covey_view_desc desc = describe();
        (detail::append_type(desc.changed, type_of<T>()), ...);
        return view(*this, desc, detail::types<>());
    }

    bool valid() const noexcept { return covey_view_valid(&view_); }
    uint32_t fields() const noexcept { return covey_view_fields(&view_); }
    const covey_type *type(uint32_t field) const noexcept { return covey_view_type(&view_, field); }
    bool is_read_only(uint32_t field) const noexcept { return covey_view_is_read_only(&view_, field); }
    covey_view_advice advise() const noexcept { return covey_view_advise(&view_); }
    uint32_t count() const noexcept { return covey_view_count(&view_); }
    entity first() const noexcept { return covey_view_first(&view_); }
    bool contains(entity e) const noexcept { return covey_view_contains(&view_, e); }

    COVEY__CPP_HOT auto begin() const noexcept { return typename loops::iterator(); }
    COVEY__CPP_HOT auto end() const noexcept { return typename loops::end{ covey_view_iter(&view_) }; }
    /* For std::ranges::begin: an iterator with the whole iteration in it. */
    auto rows() const noexcept { return rows(covey_view_iter(&view_)); }
    template <class Body> COVEY__CPP_HOT void each(Body &&body) const {
        covey_iter it = covey_view_iter(&view_);
        loops::each(it, body);
    }
    template <class Body> COVEY__CPP_HOT void spans(Body &&body) const {
        covey_iter it = covey_view_iter(&view_);
        loops::spans(it, body);
    }
    /* Only entities with a component of the `changed` types that was changed after this tick. */
    template <class Body> COVEY__CPP_HOT void each_since(uint64_t tick, Body &&body) const {
        covey_iter it = covey_view_iter_since(&view_, tick);
        loops::each(it, body);
    }
    template <class Body> COVEY__CPP_HOT void spans_since(uint64_t tick, Body &&body) const {
        covey_iter it = covey_view_iter_since(&view_, tick);
        loops::spans(it, body);
    }
    /* Of an iteration that one of these begins: in the order of a pool, or over a list of entities. */
    covey_iter iter() const noexcept { return covey_view_iter(&view_); }
    covey_iter iter_by(const covey_pool *pool) const noexcept { return covey_view_iter_by(&view_, pool); }
    covey_iter iter_list(const entity *entities, uint32_t count) const noexcept {
        return covey_view_iter_list(&view_, entities, count);
    }
    static auto rows(const covey_iter &it) noexcept { return typename loops::range_iterator(it); }
    template <class Body> COVEY__CPP_HOT static void each(covey_iter it, Body &&body) { loops::each(it, body); }
    template <class Body> COVEY__CPP_HOT static void spans(covey_iter it, Body &&body) { loops::spans(it, body); }

    friend bool operator==(const view &a, const view &b) noexcept { return detail::same_view(a.view_, b.view_); }
    friend bool operator!=(const view &a, const view &b) noexcept { return !(a == b); }

  private:
    template <class... Other> friend class view;

    /* The terms of another view, and more. */
    template <class Other, class... Term>
    view(const Other &other, const covey_view_desc &desc, detail::types<Term...> added) noexcept : view_() {
        if (other.valid()) make(other.view_.world, desc, nullptr, added);
    }
    template <class... T> auto more() const noexcept {
        constexpr auto added = detail::list_terms<is_reading, T...>();
        static_assert(detail::count_runtime(added) == 0,
                      "covey: runtime<T> is for view<...>, whose constructor gets its type");
        return view<Terms..., T...>(*this, describe(), added);
    }
    template <class World, class... Given> void make_all(World *in, Given... types) noexcept {
        static_assert(detail::count_runtime(list()) == sizeof...(Given),
                      "covey: a view is made of a world, and of a const covey_type * for each of its runtime<T>");
        const covey_type *const given[] = { types..., nullptr };
        make(in, covey_view_desc(), given, list());
    }
    template <class World, class... Term>
    void make(World *in, covey_view_desc desc, [[maybe_unused]] const covey_type *const *given,
              detail::types<Term...>) noexcept {
        if (!(detail::name_term<Term>(in, desc, given) && ...)) return;
        if constexpr (is_reading) view_ = covey_view_make_const(in, &desc, nullptr);
        else view_ = covey_view_make(in, &desc);
    }
    covey_view_desc describe() const noexcept { return detail::describe_again(view_); }

    covey_view view_;
};

template <class... Terms, class... Given> auto const_world_ref::view(Given... types) const noexcept {
    return covey::view<reading, Terms...>(static_cast<const covey_world *>(world_), types...);
}

} // namespace covey

#endif /* COVEY_VIEW_HPP */
