/* Covey for C++17, optional: lookups (covey/lookup.h), which find entities by what a field of a component says. Members
 * say which field, so that the compiler checks it and the keys.
 *
 *     struct OwnedBy { covey::entity owner; int32_t since; };
 *     COVEY_FIELDS_DEFINE(OwnedBy, entity(owner), i32(since));
 *     COVEY_CPP_DEFINE(OwnedBy, covey::options().ticks().fields(&covey_fields_OwnedBy));
 *
 *     covey::lookup<&OwnedBy::owner> owned{ world, COVEY_TARGET_REMOVE };
 *     covey::ordered_lookup<&Score::points> scores{ world };
 *     covey::place_lookup<&Position::x, &Position::y> places{ world, 5 };  cells with a side of 5
 *
 *     for (covey::entity e : owned.find(player)) ...
 *     for (covey::entity e : scores.range(10, 20)) ...
 *     for (auto [a, b] : places.pairs(2)) ...
 *     for (auto [e, weight] : covey::over(weights, owned.find(player))) ...  those that match the view `weights`
 *
 * A lookup that could not be made converts to NULL, and covey_world_result returns the reason; nothing else may be
 * called. Fields of nested structs are looked up with the calls of C. */
#ifndef COVEY_LOOKUP_HPP
#define COVEY_LOOKUP_HPP

#include <covey/covey.hpp>
#include <covey/fields.h>
#include <covey/lookup.h>

namespace covey {

/* ---- Answers ------------------------------------------------------------------------------------------------------*/

namespace detail {

inline entity answer(const covey_search &found, uint32_t i) noexcept { return found.entities[i]; }
inline std::pair<entity, entity> answer(const covey_pairs &found, uint32_t i) noexcept {
    return { found.a[i], found.b[i] };
}

/* A range-based for over what the buffer of a question holds, which Next fills anew at its end. */
template <class Buffer, bool (*Next)(Buffer *)> class answers {
  public:
    explicit answers(const Buffer &asked) noexcept : asked_(asked) {}
    /* For the calls of C. */
    Buffer *get() noexcept { return &asked_; }

    class iterator : public loop_iterator<iterator> {
      public:
        using value_type = decltype(answer(std::declval<const Buffer &>(), 0));
        explicit iterator(Buffer *asked) noexcept : asked_(asked) { (void)Next(asked_); }
        value_type operator*() const noexcept { return answer(*asked_, at_); }
        void advance() noexcept {
            if (++at_ < asked_->count) return;
            (void)Next(asked_);
            at_ = 0;
        }
        bool is_at_end() const noexcept { return asked_->count == 0; }

      private:
        Buffer *asked_;
        uint32_t at_ = 0;
    };
    iterator begin() noexcept { return iterator(&asked_); }
    loop_end end() const noexcept { return {}; }

  private:
    Buffer asked_;
};

} // namespace detail

/* The entities that a question finds, to iterate once. The body may change anything, as with covey_search. */
using search = detail::answers<covey_search, covey_search_next>;
/* Pairs of entities: for (auto [a, b] : places.pairs(2)). The body must not change places. */
using pair_search = detail::answers<covey_pairs, covey_pairs_next>;

/* The entities that a search finds and that match a view, with the fields of the view. Made by over. */
template <class View> class view_over {
    using end_of_rows = decltype(std::declval<const View &>().end());

  public:
    view_over(const View &of, const search &asked) noexcept : view_(of), search_(asked) {}

    COVEY__CPP_HOT auto begin() const noexcept { return view_.begin(); }
    COVEY__CPP_HOT auto end() noexcept { return end_of_rows{ covey_view_iter_search(view_, search_.get()) }; }
    /* For std::ranges::begin: an iterator with the whole iteration in it. */
    auto rows() noexcept { return View::rows(covey_view_iter_search(view_, search_.get())); }
    friend auto begin(view_over &of) noexcept { return of.rows(); }
    friend detail::loop_end end(view_over &) noexcept { return {}; }
    template <class Body> COVEY__CPP_HOT void each(Body &&body) {
        View::each(covey_view_iter_search(view_, search_.get()), body);
    }
    template <class Body> COVEY__CPP_HOT void spans(Body &&body) {
        View::spans(covey_view_iter_search(view_, search_.get()), body);
    }

  private:
    View view_;
    search search_;
};
/* It has the loops of a view, to iterate once. */
template <class... Terms> view_over<view<Terms...>> over(const view<Terms...> &of, const search &asked) noexcept {
    return { of, asked };
}

/* ---- Members ------------------------------------------------------------------------------------------------------*/

namespace detail {

template <class Member> struct member;
template <class T, class V> struct member<V T::*> {
    using component = T;
    using value = V;
    static constexpr uint32_t numbers = static_cast<uint32_t>(std::is_array_v<V> ? std::extent_v<V> : 1);
};

/* The name of a member in the fields of its component; one that is in none, so that creating the lookup fails. */
template <class T, class V> const char *name_of(V T::*which) noexcept {
    alignas(T) unsigned char room[sizeof(T)] = {};
    const auto *at = reinterpret_cast<const unsigned char *>(&(reinterpret_cast<const T *>(room)->*which));
    const covey_fields *fields = type_of<T>()->fields;
    for (uint32_t i = 0; fields && i < fields->count; i++)
        if (fields->at[i].offset == static_cast<size_t>(at - room)) return fields->at[i].name;
    return "";
}

/* Owns a lookup. */
class owned_lookup {
  public:
    owned_lookup() noexcept : lookup_(nullptr) {}
    owned_lookup(owned_lookup &&other) noexcept : lookup_(other.release()) {}
    owned_lookup &operator=(owned_lookup &&other) noexcept {
        if (this != &other) {
            covey_lookup_destroy(lookup_);
            lookup_ = other.release();
        }
        return *this;
    }
    ~owned_lookup() { covey_lookup_destroy(lookup_); }
    operator covey_lookup *() const noexcept { return lookup_; }
    /* Gives up ownership: the lookup lives as long as its world, or until covey_lookup_destroy. */
    covey_lookup *release() noexcept { return std::exchange(lookup_, nullptr); }

    const covey_type *type() const noexcept { return covey_lookup_type(lookup_); }
    uint32_t size() const noexcept { return covey_lookup_size(lookup_); }
    size_t memory() const noexcept { return covey_lookup_memory(lookup_); }
    void settle() const noexcept { covey_lookup_settle(lookup_); }
    /* What it was made from. */
    covey_lookup_desc description() const noexcept { return covey_lookup_description(lookup_); }

  protected:
    owned_lookup(world_ref in, const covey_lookup_desc &desc) noexcept : lookup_(covey_lookup_create(in, &desc)) {}
    covey_lookup *lookup_;
};

} // namespace detail

/* ---- Values -------------------------------------------------------------------------------------------------------*/

/* Finds entities by the value of a member: a number, a boolean, an entity, or an array of characters, which is a text.
 * Must be destroyed before its world. Converts to covey_lookup *. */
template <auto Member> class lookup : public detail::owned_lookup {
    using member = detail::member<decltype(Member)>;
    using value = typename member::value;
    static constexpr bool is_text = std::is_array_v<value>;
    static constexpr bool is_entity = std::is_same_v<value, entity>;
    static_assert(!is_text || std::is_same_v<std::remove_extent_t<value>, char>,
                  "covey: an array of numbers is a place: place_lookup<&T::member>");

  public:
    using component = typename member::component;
    using key = std::conditional_t<is_text, const char *, value>;

    lookup() noexcept = default;
    explicit lookup(world_ref in, covey_target_end when_target_ends = COVEY_TARGET_KEEP) noexcept
        : lookup(in, when_target_ends, false) {}

    uint32_t count(key wanted) const noexcept { return covey_lookup_count(lookup_, address(wanted)); }
    search find(key wanted) const noexcept { return search(covey_lookup_find(lookup_, address(wanted))); }
    /* The sources of an entity, their sources, and so on. */
    search find_below(entity target) const noexcept {
        static_assert(is_entity, "covey: only an entity field has targets");
        return search(covey_lookup_find_below(lookup_, target));
    }

  protected:
    lookup(world_ref in, covey_target_end when_target_ends, bool ordered) noexcept
        : owned_lookup(in, describe(when_target_ends, ordered)) {}
    static const void *address(const key &wanted) noexcept {
        if constexpr (is_text) return wanted;
        else return &wanted;
    }

  private:
    static covey_lookup_desc describe(covey_target_end when_target_ends, bool ordered) noexcept {
        covey_lookup_desc desc = {};
        desc.type = type_of<component>();
        desc.field = detail::name_of(Member);
        desc.ordered = ordered;
        desc.when_target_ends = when_target_ends;
        return desc;
    }
};

/* Also finds ranges of numbers or texts. */
template <auto Member> class ordered_lookup : public lookup<Member> {
    using base = lookup<Member>;

  public:
    using key = typename base::key;

    ordered_lookup() noexcept = default;
    explicit ordered_lookup(world_ref in) noexcept : base(in, COVEY_TARGET_KEEP, true) {}

    /* Both bounds are included. */
    search range(key low, key high) const noexcept { return ask(base::address(low), base::address(high)); }
    search from(key low) const noexcept { return ask(base::address(low), nullptr); }
    search up_to(key high) const noexcept { return ask(nullptr, base::address(high)); }
    /* All that have a value, in the order of values. */
    search all() const noexcept { return ask(nullptr, nullptr); }
    entity first() const noexcept { return covey_lookup_first(this->lookup_); }
    entity last() const noexcept { return covey_lookup_last(this->lookup_); }

  private:
    search ask(const void *low, const void *high) const noexcept {
        return search(covey_lookup_range(this->lookup_, low, high));
    }
};

/* ---- Places -------------------------------------------------------------------------------------------------------*/

/* A point of two or three numbers. */
template <uint32_t Count> struct point {
    template <class... Number> point(Number... numbers) noexcept : at{ static_cast<double>(numbers)... } {
        static_assert(sizeof...(Number) == Count, "covey: a point has as many numbers as the place");
    }
    double at[Count];
};

/* Finds entities by two or three members that are numbers, or by one that is an array of them: boxes, what is near, and
 * pairs. Must be destroyed before its world. Converts to covey_lookup *. */
template <auto First, auto... More> class place_lookup : public detail::owned_lookup {
    using member = detail::member<decltype(First)>;
    static constexpr uint32_t numbers = member::numbers + (0 + ... + detail::member<decltype(More)>::numbers);
    static_assert(numbers == 2 || numbers == 3, "covey: a place has two or three numbers");
    static_assert((std::is_same_v<typename member::component, typename detail::member<decltype(More)>::component> &&
                   ...),
                  "covey: the members of a place are of one component");

  public:
    using component = typename member::component;
    using point = covey::point<numbers>;

    place_lookup() noexcept = default;
    place_lookup(world_ref in, double cell) noexcept : owned_lookup(in, describe(cell)) {}

    search box(const point &low, const point &high) const noexcept {
        return search(covey_lookup_in_box(lookup_, low.at, high.at));
    }
    /* At most so far from a point. Not called near: <windows.h> defines that as a macro. */
    search around(const point &centre, double distance) const noexcept {
        return search(covey_lookup_near(lookup_, centre.at, distance));
    }
    /* Fills in the nearest entities. Returns how many were found. */
    uint32_t nearest(const point &centre, double distance, entity *found, double *distances,
                     uint32_t count) const noexcept {
        return covey_lookup_nearest(lookup_, centre.at, distance, found, distances, count);
    }
    /* The nearest entity; null if none is near enough. */
    entity nearest(const point &centre, double distance) const noexcept {
        entity found = {};
        (void)covey_lookup_nearest(lookup_, centre.at, distance, &found, nullptr, 1);
        return found;
    }
    /* The cell that an entity is in. Returns false if it is in none. */
    bool cell(entity e, int32_t (&numbers_of_cell)[numbers]) const noexcept {
        return covey_lookup_cell(lookup_, e, numbers_of_cell);
    }
    pair_search pairs(double distance) const noexcept { return pair_search(covey_lookup_pairs(lookup_, distance)); }

  private:
    static covey_lookup_desc describe(double cell) noexcept {
        const char *const names[] = { detail::name_of(First), detail::name_of(More)... };
        covey_lookup_desc desc = {};
        desc.type = type_of<component>();
        for (size_t i = 0; i < sizeof names / sizeof *names; i++) desc.place[i] = names[i];
        desc.cell = cell;
        return desc;
    }
};

} // namespace covey

#endif
