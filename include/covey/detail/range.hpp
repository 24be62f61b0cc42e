/* What the iterators of loops have in common, so that the ranges of C++20 take them, too. Not API. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_DETAIL_RANGE_HPP
#define COVEY_DETAIL_RANGE_HPP

namespace covey {
namespace detail {

/* The end of a loop whose iterator knows when it is there. */
struct loop_end {};

/* The base of such an iterator, which has is_at_end() and advance(). */
template <class Iterator> class loop_iterator {
  public:
    using difference_type = ptrdiff_t;

    COVEY__CPP_HOT Iterator &operator++() noexcept {
        self().advance();
        return self();
    }
    Iterator operator++(int) noexcept {
        Iterator before = self();
        self().advance();
        return before;
    }
    COVEY__CPP_HOT friend bool operator==(const Iterator &at, loop_end) noexcept { return at.is_at_end(); }
    COVEY__CPP_HOT friend bool operator!=(const Iterator &at, loop_end) noexcept { return !at.is_at_end(); }
    friend bool operator==(loop_end, const Iterator &at) noexcept { return at.is_at_end(); }
    friend bool operator!=(loop_end, const Iterator &at) noexcept { return !at.is_at_end(); }

  private:
    Iterator &self() noexcept { return static_cast<Iterator &>(*this); }
};

/* The base of what has rows(), an iterator for std::ranges::begin. Its members begin() and end() are for range-based
 * for loops alone: they cost less, but their iterator cannot be kept. */
template <class Range> class range_of_rows {
    friend auto begin(Range &of) noexcept { return of.rows(); }
    friend auto begin(const Range &of) noexcept { return of.rows(); }
    friend loop_end end(Range &) noexcept { return {}; }
    friend loop_end end(const Range &) noexcept { return {}; }
};

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_RANGE_HPP */
