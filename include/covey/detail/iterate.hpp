/* The loops over the rows and spans of an iteration, whose fields are types. Not API. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_DETAIL_ITERATE_HPP
#define COVEY_DETAIL_ITERATE_HPP

namespace covey {
namespace detail {

template <class T>
COVEY__CPP_HOT T *span_field(const covey_iter &it, uint32_t field, size_t size = size_of<T>) noexcept {
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
    static constexpr bool takes_entity = std::is_invocable_v<Body &, entity, P...>;
    static_assert(takes_entity || std::is_invocable_v<Body &, P...>,
                  "covey: each wants body(T &...) or body(entity, T &...): in the order of the view's terms, const T & "
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

/* The values of a field in a span. A tag has one address for all rows, and may be an incomplete type. */
template <class Term> struct column {
    typename Term::value *at;
    COVEY__CPP_HOT typename Term::argument operator[]([[maybe_unused]] size_t row) const noexcept {
        constexpr bool is_required = Term::is == role::required;
        if constexpr (is_required && Term::size == 0) return *at;
        else if constexpr (is_required) return at[row];
        else if constexpr (Term::size == 0) return at;
        else return at ? at + row : at;
    }
};

/* The same for a block: its rows are numbered by their bits. */
template <class Term> struct chunk {
    char *data;
    const uint8_t *map;
    COVEY__CPP_HOT chunk(const covey__chunk &of) noexcept : data(of.data), map(of.map) {}
    COVEY__CPP_HOT column<Term> first() const noexcept {
        return { static_cast<typename Term::value *>(static_cast<void *>(data)) };
    }
    COVEY__CPP_HOT typename Term::argument operator[](uint32_t bit) const noexcept {
        return column<Term>{ static_cast<typename Term::value *>(
            static_cast<void *>(data + map[bit] * Term::size)) }[0];
    }
};

/* Whether an iteration that has not begun is over the blocks of a view, in index order, and has all fields there. */
inline bool is_over_blocks(const covey__walk &walk) noexcept {
    const covey_view &view = *walk.view;
    if (!view.plain || walk.group || walk.lead || walk.listed || walk.since != 0 || COVEY_ASSERT_LEVEL >= 1)
        return false;
    for (uint32_t i = 0; i < view.with; i++)
        if (!covey__in_blocks(view.pools[i])) return false;
    return view.with != 0;
}

/* The loops over an iteration with these fields. */
template <class Fields> class loops;
template <class... F> class loops<types<F...>> {
    static constexpr role roles[sizeof...(F) + 1] = { F::is..., role::excluded };
    using all = std::index_sequence_for<F...>;

  public:
    using row = std::tuple<entity, typename F::argument...>;

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

    /* The rows for algorithms and ranges of C++20, which keep iterators: this one has the whole iteration in it, and
     * can be moved. A range-based for takes begin() and end(), which cost less. */
    class range_iterator : public loop_iterator<range_iterator> {
      public:
        using value_type = row;
        explicit range_iterator(const covey_iter &begun) noexcept : it_(begun) { advance(); }
        range_iterator(range_iterator &&) = default;
        range_iterator &operator=(range_iterator &&) = default;
        row operator*() const noexcept { return make(all()); }
        void operator++(int) noexcept { advance(); }
        using loop_iterator<range_iterator>::operator++;
        void advance() noexcept { is_at_end_ = !covey_next_row(&it_, &row_); }
        bool is_at_end() const noexcept { return is_at_end_; }

      private:
        template <size_t... I> row make(std::index_sequence<I...>) const noexcept {
            return row(covey_row_entity(&it_, row_),
                       column<F>{ row_field<typename F::value>(it_, row_, field_number(roles, I), F::size) }[0]...);
        }

        covey_iter it_;
        covey_row row_ = {};
        bool is_at_end_ = false;
    };

    /* A body that gets the entity may change it, so rows are visited. One that gets values alone is called for the rows
     * of spans, in a loop that compilers vectorise. */
    template <class Body> COVEY__CPP_HOT static void each(covey_iter &it, Body &body) {
        if constexpr (body_of_each<void(typename F::argument...), Body>::takes_entity) each_row(it, body, all());
        else each_value(it, body, all());
    }
    template <class Body> COVEY__CPP_HOT static void spans(covey_iter &it, Body &body) {
        while (covey_next(&it)) span(it, body, all());
    }

  private:
    template <class Body, size_t... I>
    COVEY__CPP_HOT static void each_row(covey_iter &it, Body &body, std::index_sequence<I...>) {
        covey_row row = {};
        while (covey_next_row(&it, &row))
            body(covey_row_entity(&it, row),
                 column<F>{ row_field<typename F::value>(it, row, field_number(roles, I), F::size) }[0]...);
    }
    /* Blocks are walked by rows, which costs least where matches are scattered; those that are full side by side are
     * one array. Other iterations find arrays in their spans. */
    template <class Body, size_t... I>
    COVEY__CPP_HOT static void each_value(covey_iter &it, Body &body, std::index_sequence<I...> fields) {
        if (is_over_blocks(it.walk)) {
            each_of_pages(it, body, fields);
            return;
        }
        while (covey_next(&it)) {
            if (it.left != 0) it.left = each_of_bits(it.left, body, chunk<F>(chunk_of<I>(it))...);
            else
                each_of_array(it.count, body,
                              column<F>{ span_field<typename F::value>(it, field_number(roles, I), F::size) }...);
        }
    }
    template <class Body, size_t... I>
    COVEY__CPP_HOT static void each_of_pages(covey_iter &it, Body &body, std::index_sequence<I...> fields) {
        covey_row row = {};
        while (covey_next_row(&it, &row)) {
            if (row.blocks != 0) {
                each_of_page(it, row.blocks, body, fields);
                row.blocks = row.left = 1; /* this was its last row */
            } else if (row.left != 0) {    /* a list of rows side by side */
                each_of_array(it.stop, body, chunk<F>(chunk_of<I>(it)).first()...);
                row.left = (uint64_t)1 << (it.stop - 1);
            } else {
                body(column<F>{ row_field<typename F::value>(it, row, field_number(roles, I), F::size) }[0]...);
            }
        }
    }
    template <class Body, size_t... I>
    COVEY__CPP_HOT static void each_of_page(const covey_iter &it, uint64_t blocks, Body &body,
                                            std::index_sequence<I...>) {
        const uint64_t direct = (UINT64_MAX & ... & page_of<I>(it)->direct);
        const uint64_t joined = ((F::size == 0 ? UINT64_MAX : page_of<I>(it)->joined) & ... & (UINT64_MAX >> 1));
        while (blocks != 0) {
            const uint32_t first = covey__lowest_bit(blocks);
            blocks &= blocks - 1;
            if (it.matches[first] != UINT64_MAX || (direct >> first & 1) == 0) {
                each_of_bits(it.matches[first], body, chunk<F>(page_of<I>(it)->chunks[first])...);
                continue;
            }
            uint32_t last = first;
            while ((joined >> last & blocks >> last >> 1 & 1) != 0 && it.matches[last + 1] == UINT64_MAX) {
                blocks &= blocks - 1;
                last++;
            }
            each_of_array((last - first + 1) * COVEY__BLOCK_IDS, body,
                          chunk<F>(page_of<I>(it)->chunks[first]).first()...);
        }
    }
    template <class Body>
    COVEY__CPP_HOT static void each_of_array(uint32_t count, Body &body, const column<F>... fields) {
        for (uint32_t i = 0; i < count; i++) body(fields[i]...);
    }
    /* Returns the last bit. */
    template <class Body>
    COVEY__CPP_HOT static uint64_t each_of_bits(uint64_t left, Body &body, const chunk<F>... fields) {
        uint64_t last;
        do {
            body(fields[covey__lowest_bit(left)]...);
            last = left;
            left &= left - 1;
        } while (left != 0);
        return last;
    }
    template <size_t I> COVEY__CPP_HOT static const covey__chunk &chunk_of(const covey_iter &it) noexcept {
        return it.walk.columns[field_number(roles, I)].chunk;
    }
    template <size_t I> COVEY__CPP_HOT static const covey__block_page *page_of(const covey_iter &it) noexcept {
        return it.walk.columns[field_number(roles, I)].page;
    }
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
template <class... T> loops_over<T...> loop_over(types<T...>) noexcept;
template <class Types> using loops_of = decltype(loop_over(Types()));

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_ITERATE_HPP */
