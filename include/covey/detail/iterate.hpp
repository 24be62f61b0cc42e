/* The loops over the rows and spans of an iteration, whose fields are types. Not API. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_DETAIL_ITERATE_HPP
#define COVEY_DETAIL_ITERATE_HPP

/* The counterpart of COVEY_HOT for members, so that compilers keep arguments in registers. */
#if defined(__GNUC__) && defined(__OPTIMIZE__) && !defined(__OPTIMIZE_SIZE__)
#define COVEY__CPP_HOT __attribute__((always_inline)) inline
#else
#define COVEY__CPP_HOT inline
#endif

namespace covey {
namespace detail {

template <class T> T *span_field(const covey_iter &it, uint32_t field, size_t size = size_of<T>) noexcept {
    return static_cast<T *>(covey__field_sized(&it, field, size));
}

template <class T>
COVEY__CPP_HOT T *row_field(const covey_iter &it, const covey_row &row, uint32_t field,
                            size_t size = size_of<T>) noexcept {
    return static_cast<T *>(covey__row_field_sized(&it, row, field, size));
}

/* A static assertion that names the parameters which the body should have: those of Wanted. */
template <class Wanted, class Body> struct body_of_each;
template <class... P, class Body> struct body_of_each<void(P...), Body> {
    static constexpr bool takes_entity = std::is_invocable_v<Body &, covey_entity, P...>;
    static_assert(
        takes_entity || std::is_invocable_v<Body &, P...>,
        "covey: each wants body(T &...) or body(covey_entity, T &...): in the order of the view's terms, const T & "
        "for const T, T * for optional<T> and any<T>");
};
template <class Wanted, class Body> struct body_of_spans;
template <class... T, class Body> struct body_of_spans<void(T *...), Body> {
    static constexpr bool takes_count = std::is_invocable_v<Body &, size_t, T *...>;
    static constexpr bool takes_iter = std::is_invocable_v<Body &, const covey_iter &, T *...>;
#if defined(__cpp_lib_span)
    static constexpr bool takes_spans = sizeof...(T) != 0 && std::is_invocable_v<Body &, std::span<T>...>;
#else
    static constexpr bool takes_spans = false;
#endif
    static_assert(takes_count || takes_iter || takes_spans,
                  "covey: spans wants body(size_t, T *...), body(const covey_iter &, T *...) or, with C++20, "
                  "body(std::span<T>...): in the order of the view's terms, const T for const T");
};

/* The loops over an iteration with these fields. */
template <class Fields> class loops;
template <class... F> class loops<types<F...>> {
    static constexpr role roles[sizeof...(F) + 1] = { F::is..., role::excluded };
    using all = std::index_sequence_for<F...>;

  public:
    using row = std::tuple<covey_entity, typename F::argument...>;

    /* A range-based for compares exactly once before each body, so the comparison moves to the next row. What it
     * changes is in the iterator, whose address does not escape, so it stays in registers; the rest is in the end
     * iterator. */
    struct end {
        mutable covey_iter it;
    };
    class iterator {
      public:
        COVEY__CPP_HOT bool operator!=(const end &of) noexcept { return next(of.it, all()); }
        COVEY__CPP_HOT void operator++() noexcept {}
        COVEY__CPP_HOT row operator*() const noexcept { return make(all()); }

      private:
        template <size_t... I> COVEY__CPP_HOT bool next(covey_iter &it, std::index_sequence<I...>) noexcept {
            if (!covey_next_row(&it, &row_)) return false;
            it_ = &it;
            values_ = { row_field<typename F::value>(it, row_, field_number(roles, I), F::size)... };
            return true;
        }
        template <size_t... I> COVEY__CPP_HOT row make(std::index_sequence<I...>) const noexcept {
            return row(covey_row_entity(it_, row_), argument<F>(std::get<I>(values_))...);
        }
        template <class Term>
        static COVEY__CPP_HOT typename Term::argument argument(typename Term::value *at) noexcept {
            if constexpr (Term::is == role::required) return *at;
            else return at;
        }

        covey_row row_ = {};
        const covey_iter *it_ = nullptr;
        std::tuple<typename F::value *...> values_;
    };

    template <class Body> COVEY__CPP_HOT static void each(const end &behind, Body &body) {
        using wanted = body_of_each<void(typename F::argument...), Body>;
        for (iterator at; at != behind; ++at) {
            if constexpr (wanted::takes_entity) std::apply(body, *at);
            else std::apply([&body](covey_entity, typename F::argument... fields) { body(fields...); }, *at);
        }
    }
    template <class Body> COVEY__CPP_HOT static void spans(covey_iter it, Body &body) {
        while (covey_next(&it)) span(it, body, all());
    }

  private:
    template <class Body, size_t... I>
    COVEY__CPP_HOT static void span(const covey_iter &it, Body &body, std::index_sequence<I...>) {
        using wanted = body_of_spans<void(typename F::value * ...), Body>;
        const std::tuple<typename F::value *...> at(
            span_field<typename F::value>(it, field_number(roles, I), F::size)...);
        if constexpr (wanted::takes_count) body(static_cast<size_t>(it.count), std::get<I>(at)...);
        else if constexpr (wanted::takes_iter) body(it, std::get<I>(at)...);
#if defined(__cpp_lib_span)
        else body(std::span<typename F::value>(std::get<I>(at), std::get<I>(at) ? it.count : 0)...);
#endif
    }
};

template <class... T> using loops_over = loops<types<term<role::required, T>...>>;

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_ITERATE_HPP */
