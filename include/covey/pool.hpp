/* Covey for C++17: held pools. Part of covey/covey.hpp. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_POOL_HPP
#define COVEY_POOL_HPP

namespace covey {

namespace detail {

/* The entity at a position of a pool that has a component there. */
inline entity entity_at(const covey_pool *pool, uint32_t position) noexcept {
    if (!covey__in_blocks(pool)) return pool->sparse_set.ids[position];
    return covey__entity(position, covey__generation_of(pool->world, position));
}

} // namespace detail

/* A pool with its type, which saves the lookup of the type at each call. Converts to covey_pool *, which is null if
 * there is none. A pool<const T> only reads.
 *
 *     covey::pool<Position> positions = world.pool<Position>();
 *     positions.add(e, 1.f, 2.f);
 *     for (auto [e, p] : positions) p.x += 1;          every component, in any storage, in the order of the pool
 *
 * While it is iterated, the pool must not change. The arrays (position_count, ids, values, page) exist in sparse
 * pools. */
template <class T> class pool {
  public:
    pool() noexcept : pool_(nullptr) {}
    explicit pool(covey_pool *held) noexcept : pool_(held) {}
    explicit pool(world_ref in) noexcept : pool_(covey_pool_of_raw(in, type_of<T>())) {}
    operator covey_pool *() const noexcept { return pool_; }

    COVEY__CPP_HOT T *add(entity e, argument<T> value) const noexcept {
        return detail::hand_over<T>(covey_pool_world(pool_), value, [this, e](const void *bytes) {
            return covey__pool_add(pool_, e, bytes, size_of<T>, detail::are_bytes<T>);
        });
    }
    template <class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    COVEY__CPP_HOT T *add(entity e, Arguments &&...arguments) const noexcept {
        if constexpr (!detail::check_arguments<T, Arguments...>()) return {};
        else if constexpr (size_of<T> == 0) return static_cast<T *>(covey__pool_add(pool_, e, nullptr, 0, false));
        else if constexpr (component<T>::is_trivial) return add(e, T{ std::forward<Arguments>(arguments)... });
        else return detail::construct<T>(covey_pool_world(pool_), e, std::forward<Arguments>(arguments)...);
    }
    COVEY__CPP_HOT T *set(entity e, argument<T> value) const noexcept {
        return detail::hand_over<T>(covey_pool_world(pool_), value, [this, e](const void *bytes) {
            return covey__pool_set(pool_, e, bytes, size_of<T>, detail::are_bytes<T>);
        });
    }
    template <class... Arguments, detail::if_arguments<T, Arguments...> = 0>
    COVEY__CPP_HOT T *set(entity e, Arguments &&...arguments) const noexcept {
        if constexpr (!detail::check_arguments<T, Arguments...>()) return {};
        else if constexpr (size_of<T> == 0) return static_cast<T *>(covey__pool_set(pool_, e, nullptr, 0, false));
        else return set(e, T{ std::forward<Arguments>(arguments)... });
    }
    COVEY__CPP_HOT T *get(entity e) const noexcept {
        return static_cast<T *>(covey__pool_get_sized(pool_, e, size_of<T>));
    }
    COVEY__CPP_HOT T *get_unchecked(entity e) const noexcept {
        return static_cast<T *>(covey__pool_get_unchecked_sized(pool_, e, size_of<T>));
    }
    COVEY__CPP_HOT bool has(entity e) const noexcept { return covey_pool_has(pool_, e); }
    COVEY__CPP_HOT bool remove(entity e) const noexcept { return covey__pool_remove_sized(pool_, e, size_of<T>); }
    std::optional<T> take(entity e) const noexcept {
        return detail::take_over<T>([&](void *to) { return covey_pool_take_raw(pool_, e, to); });
    }
    template <class Remove> uint32_t remove_if(Remove &&remove) const noexcept {
        return world_ref(covey_pool_world(pool_)).template remove_if<T>(std::forward<Remove>(remove));
    }

    class iterator : public detail::loop_iterator<iterator> {
      public:
        using value_type = std::tuple<entity, T &>;
        iterator() noexcept : pool_(nullptr), position_(COVEY_NONE) {}
        explicit iterator(const covey_pool *of) noexcept
            : pool_(of), position_(of ? covey_pool_next(of, 0) : COVEY_NONE) {}
        value_type operator*() const noexcept {
            return { detail::entity_at(pool_, position_),
                     *static_cast<T *>(covey__pool_value_at_sized(pool_, position_, size_of<T>)) };
        }
        bool operator==(const iterator &other) const noexcept { return position_ == other.position_; }
        void advance() noexcept { position_ = covey_pool_next(pool_, position_ + 1); }
        bool is_at_end() const noexcept { return position_ == COVEY_NONE; }

      private:
        const covey_pool *pool_;
        uint32_t position_;
    };
    iterator begin() const noexcept { return iterator(pool_); }
    detail::loop_end end() const noexcept { return {}; }

    const covey_type *type() const noexcept { return covey_pool_type(pool_); }
    world_ref world() const noexcept { return covey_pool_world(pool_); }
    size_t memory() const noexcept { return covey_pool_memory(pool_); }
    covey_advice advise() const noexcept { return covey_pool_advise(pool_); }
    uint32_t map(uint32_t first, covey_block *blocks, uint32_t capacity) const noexcept {
        return covey_pool_map(pool_, first, blocks, capacity);
    }
    uint32_t count() const noexcept { return covey_pool_count(pool_); }
    uint32_t position_count() const noexcept { return covey_pool_position_count(pool_); }
    uint32_t next(uint32_t position) const noexcept { return covey_pool_next(pool_, position); }
    entity at(uint32_t position) const noexcept { return covey_pool_at(pool_, position); }
    T *value_at(uint32_t position) const noexcept {
        return static_cast<T *>(covey__pool_value_at_sized(pool_, position, size_of<T>));
    }
    uint32_t position(entity e) const noexcept { return covey_pool_position(pool_, e); }
    covey_storage storage() const noexcept { return covey_pool_storage(pool_); }
    covey_group *owner() const noexcept { return covey_pool_owner(pool_); }
    const entity *ids() const noexcept { return covey_pool_ids(pool_); }
    T *values() const noexcept { return static_cast<T *>(covey_pool_values_raw(COVEY__PACKED(pool_))); }
    T *page(uint32_t number) const noexcept {
        return static_cast<T *>(covey_pool_page_raw(COVEY__PACKED(pool_), number));
    }

    covey::result swap(entity a, entity b) const noexcept { return covey_pool_swap(pool_, a, b); }
    covey::result reserve(uint32_t count) const noexcept { return covey_pool_reserve(pool_, count); }
    covey::result convert(covey_storage storage) const noexcept { return covey_pool_convert(pool_, storage); }
    void shrink() const noexcept { covey_pool_shrink(pool_); }
    covey::result sort(const covey_order &order) const noexcept { return covey_pool_sort(pool_, &order); }
    template <class Less> covey::result sort(const Less &less) const noexcept {
        return sort(detail::order_by_function<T>(less));
    }
    covey::result sort_as(const covey_pool *other) const noexcept { return covey_pool_sort_as(pool_, other); }
    covey::result keep_sorted(const covey_order &order) const noexcept { return covey_pool_keep_sorted(pool_, &order); }
    void end_keep_sorted() const noexcept { (void)covey_pool_keep_sorted(pool_, nullptr); }
    covey::result compact(covey_moved_fn *moved = nullptr, void *context = nullptr) const noexcept {
        return covey_pool_compact(pool_, moved, context);
    }

  private:
    covey_pool *pool_;
};

} // namespace covey

#endif /* COVEY_POOL_HPP */
