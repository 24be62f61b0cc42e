/* Covey for C++17, optional: worlds over MPI (covey/mpi.h) with types and function objects.
 *
 *     covey::world world;
 *     covey_report report;
 *     covey::mpi mpi = covey::mpi_of<Position, Velocity>(MPI_COMM_WORLD, world, {}, &report);
 *     if (!mpi) ...                                                      report.text says why, on all ranks
 *     covey::mpi_partition space = mpi.partition<Position>(COVEY_MPI_BISECTION, 5,
 *         covey::mpi_axis<&Position::x>{ 0, 1000, true }, covey::mpi_axis<&Position::y>{ 0, 500 });
 *     if (!mpi.ghosts_define<Position, Velocity>(space)) ...             mpi.report() says why
 *     ...
 *     if (!space.migrate() || !mpi.ghosts_refresh()) ...
 *     for (auto [e, p] : covey::view<Position, covey::without<covey_ghost>>{ world }) ...
 *     std::optional<double> highest = mpi.max<Position>([](const Position &p) { return p.y; });
 *
 * Nothing here throws or allocates. Failures return std::nullopt or a covey::result, and report() says why.
 *
 * Function objects must not throw. Their parameters say what they read, in any order:
 *
 *     const T &       a component that each entity has for which the function is called
 *     const T *       a component that may be absent; then NULL
 *     entity, const_world_ref
 *     int *           for ghosts only: where the function writes ranks, with room for all */
#ifndef COVEY_MPI_HPP
#define COVEY_MPI_HPP

#include <covey/mpi.h>
#include <covey/detail/kind.hpp>
#include <covey/schedule.hpp>

#include <limits>

COVEY_CPP_TAG(covey_away);
COVEY_CPP_COMPONENT(covey_ghost);

namespace covey {

namespace detail {

/* The types, ended by NULL. */
template <class... T> inline constexpr const covey_type *type_list[] = { type_of<T>()..., nullptr };

/* ---- Functions about one entity ----------------------------------------------------------------------------------*/

struct subject {
    const covey_world *world;
    covey_entity entity;
    int *ranks; /* NULL unless the function writes ranks */
};

/* Calls a function object for entities that have the components `Had`. */
template <class Function, bool Ranks, class... Had> struct function_call {
    using function = std::remove_cv_t<Function>;

    static uint32_t near(const covey_world *in, entity e, int *ranks, void *context) noexcept {
        return static_cast<uint32_t>(call({ in, e, ranks }, context, typename signature_of<function>::parameters()));
    }
    static int place(const covey_world *in, entity e, void *context) noexcept {
        return static_cast<int>(call({ in, e, nullptr }, context, typename signature_of<function>::parameters()));
    }

  private:
    template <class... P> static auto call(const subject &about, void *context, types<P...>) noexcept {
        return (*static_cast<Function *>(context))(argument<P>(about)...);
    }
    template <class P> static decltype(auto) argument(const subject &about) noexcept {
        if constexpr (std::is_same_v<bare<P>, entity>) {
            return about.entity;
        } else if constexpr (std::is_same_v<bare<P>, const_world_ref>) {
            return const_world_ref(about.world);
        } else if constexpr (std::is_same_v<bare<P>, int *>) {
            static_assert(Ranks, "covey: only functions for ghosts write ranks; this one returns a rank");
            return about.ranks;
        } else if constexpr (std::is_pointer_v<bare<P>>) {
            return const_world_ref(about.world).template get<std::remove_pointer_t<bare<P>>>(about.entity);
        } else {
            static_assert((std::is_same_v<bare<P>, Had> || ...),
                          "covey: an entity may lack this component: take a const T *");
            return *const_world_ref(about.world).template get<bare<P>>(about.entity);
        }
    }
};

/* ---- Numbers -----------------------------------------------------------------------------------------------------*/

/* The type in which numbers are reduced. */
template <class Number> struct number_traits {
    static_assert(std::is_arithmetic_v<Number> && sizeof(Number) <= 8, "covey: not a number of at most 8 bytes");
    static_assert(!std::is_unsigned_v<Number> || sizeof(Number) < 8,
                  "covey: sums over all ranks are int64_t or double: cast the number to one of them");
    using wide = std::conditional_t<std::is_floating_point_v<Number>, double, int64_t>;
};
template <class Number> using wide = typename number_traits<bare<Number>>::wide;

/* The neutral element of an operation. */
template <class Wide> constexpr Wide neutral(covey_mpi_operation how) noexcept {
    using limits = std::numeric_limits<Wide>;
    if (how == COVEY_MPI_SUM) return 0;
    constexpr Wide highest = limits::has_infinity ? limits::infinity() : limits::max();
    constexpr Wide lowest = limits::has_infinity ? -limits::infinity() : limits::lowest();
    return how == COVEY_MPI_MIN ? highest : lowest;
}

template <class Wide> constexpr Wide reduced(covey_mpi_operation how, Wide a, Wide b) noexcept {
    if (how == COVEY_MPI_SUM) return a + b;
    return (how == COVEY_MPI_MIN ? b < a : b > a) ? b : a;
}

template <class T, class Base, class Number> void describe_axis(covey_mpi_axis &axis, Number Base::*member) noexcept {
    static_assert(std::is_base_of_v<Base, T>, "covey: an axis is a member of the component with the position");
    static_assert(!std::is_same_v<Number, bool> && !std::is_same_v<Number, char>, "covey: an axis is a number");
    axis.kind = kind_of<Number>();
    axis.offset = offset_of(static_cast<Number T::*>(member));
}

} // namespace detail

/* ---- Partitions --------------------------------------------------------------------------------------------------*/

/* A member as an axis of the space: its ends, whether it wraps, and the width of cells, as in covey_mpi_axis. */
template <auto Member> struct mpi_axis {
    double low, high;
    bool wraps = false;
    double cell = 0;

    template <class T> covey_mpi_axis of() const noexcept {
        covey_mpi_axis axis = {};
        detail::describe_axis<T>(axis, Member);
        axis.low = low;
        axis.high = high;
        axis.cell = cell;
        axis.wraps = wraps;
        return axis;
    }
};

/* Owns a partition. Destroy it before its covey::mpi. Converts to covey_mpi_partition *, which is NULL if creating it
 * failed. */
class mpi_partition {
  public:
    explicit mpi_partition(covey_mpi_partition *owned) noexcept : partition_(owned) {}
    mpi_partition(mpi_partition &&other) noexcept : partition_(other.release()) {}
    mpi_partition &operator=(mpi_partition &&other) noexcept {
        if (this != &other) {
            covey_mpi_partition_destroy(partition_);
            partition_ = other.release();
        }
        return *this;
    }
    ~mpi_partition() { covey_mpi_partition_destroy(partition_); }
    operator covey_mpi_partition *() const noexcept { return partition_; }
    covey_mpi_partition *release() noexcept { return std::exchange(partition_, nullptr); }

    /* The rank of a point, which has a number for each axis: space.rank(x, y). -1 if a function chooses ranks. */
    template <class... Number> int rank(Number... point) const noexcept {
        const double at[COVEY_MPI_AXES] = { static_cast<double>(point)... };
        return covey_mpi_partition_rank(partition_, at);
    }
    /* The box of a rank, with a number for each axis. False if there is no such rank, or a function chooses ranks. */
    bool box(int rank, double *low, double *high) const noexcept {
        return covey_mpi_partition_box(partition_, rank, low, high);
    }
    /* Collective: entities outside the box of their rank move; new cuts, when the load is uneven. */
    covey::result migrate() const noexcept { return covey_mpi_partition_migrate(partition_); }
    covey::result balance(double seconds, double limit, uint64_t *moved = nullptr) const noexcept {
        return covey_mpi_partition_balance(partition_, seconds, limit, moved);
    }

  private:
    covey_mpi_partition *partition_;
};

/* ---- A world of many ranks ---------------------------------------------------------------------------------------*/

/* Owns a covey_mpi; mpi_of creates it. Destroy it before its world. Destroying is collective: all ranks do it in the
 * same order. Converts to covey_mpi *, which is NULL if creating it failed. */
class mpi {
  public:
    mpi(covey_mpi *owned, world_ref of) noexcept : mpi_(owned), world_(of) {}
    mpi(mpi &&other) noexcept : mpi_(other.release()), world_(other.world_) {}
    mpi &operator=(mpi &&other) noexcept {
        if (this != &other) {
            covey_mpi_destroy(mpi_);
            mpi_ = other.release();
            world_ = other.world_;
        }
        return *this;
    }
    ~mpi() { covey_mpi_destroy(mpi_); }
    operator covey_mpi *() const noexcept { return mpi_; }
    covey_mpi *release() noexcept { return std::exchange(mpi_, nullptr); }

    int rank() const noexcept { return covey_mpi_rank(mpi_); }
    int size() const noexcept { return covey_mpi_size(mpi_); }
    /* Why the last collective call failed. */
    const covey_report &report() const noexcept { return *covey_mpi_report(mpi_); }
    covey_mpi_stats stats() const noexcept { return covey_mpi_stats_of(mpi_); }
    /* The rank that issued a handle; whether the entity lives here; how many do. */
    int home(entity e) const noexcept { return covey_mpi_home(mpi_, e); }
    bool owns(entity e) const noexcept { return covey_mpi_owns(mpi_, e); }
    uint32_t owned_count() const noexcept { return covey_mpi_owned_count(mpi_); }
    covey_range range_reserve() const noexcept { return covey_mpi_range_reserve(mpi_); }

    /* Calls that return a covey::result, a partition or a number over all ranks are collective, and return the same
     * on all ranks. */

    /* Moves entities[i] to the rank ranks[i]. */
    covey::result migrate(const entity *entities, const int *ranks, uint32_t count) const noexcept {
        return covey_mpi_migrate(mpi_, entities, ranks, count);
    }
#if defined(__cpp_lib_span)
    /* Also fails with RANGE, on all ranks, if the spans differ in length. */
    covey::result migrate(std::span<const entity> entities, std::span<const int> ranks) const noexcept {
        constexpr int nowhere = -1;
        if (entities.size() == ranks.size())
            return covey_mpi_migrate(mpi_, entities.data(), ranks.data(), static_cast<uint32_t>(entities.size()));
        const entity first = entities.empty() ? entity{} : entities.front();
        return covey_mpi_migrate(mpi_, &first, &nowhere, 1);
    }
#endif
    covey::result reclaim() const noexcept { return covey_mpi_reclaim(mpi_); }
    /* Deals with the sources of targets that were destroyed on other ranks. */
    covey::result targets_end() const noexcept { return covey_mpi_targets_end(mpi_); }

    /* Defines ghosts with these components. `near` is a partition, whose .halo decides which ranks have ghosts; or a
     * function object that reads these components, writes ranks to an int * and returns how many. It must outlive the
     * ghosts: only its address is kept, and a temporary does not compile. */
    template <class... T, class Near> covey::result ghosts_define(Near &near) const noexcept {
        covey_mpi_ghosts_desc desc = {};
        desc.types = detail::type_list<T...>;
        if constexpr (std::is_same_v<std::remove_cv_t<Near>, mpi_partition>) {
            desc.near = covey_mpi_partition_near;
            desc.context = static_cast<covey_mpi_partition *>(near);
        } else {
            desc.near = detail::function_call<Near, true, T...>::near;
            desc.context = detail::context_of(near);
        }
        return covey_mpi_ghosts_define(mpi_, &desc);
    }
    /* Brings all ghosts up to date; refresh_all also asks `near` again, and sends all values. */
    covey::result ghosts_refresh() const noexcept { return covey_mpi_ghosts_refresh(mpi_); }
    covey::result ghosts_refresh_all() const noexcept { return covey_mpi_ghosts_refresh_all(mpi_); }

    /* Creates a partition into boxes. The axes are members of T. */
    template <class T, auto... Members>
    mpi_partition partition(covey_mpi_cuts cuts, double halo, const mpi_axis<Members> &...axes) const noexcept {
        static_assert(sizeof...(axes) >= 1 && sizeof...(axes) <= COVEY_MPI_AXES, "covey: a space has 1 to 3 axes");
        covey_mpi_partition_desc desc = {};
        uint32_t used = 0;
        desc.type = type_of<T>();
        desc.cuts = cuts;
        desc.halo = halo;
        ((desc.axes[used++] = axes.template of<T>()), ...);
        return mpi_partition(covey_mpi_partition_create(mpi_, &desc));
    }
    /* Creates a partition in which a function object returns the rank of each entity that has T, or of each entity
     * if T is void. It must outlive the partition. */
    template <class T = void, class Place> mpi_partition partition(Place &place) const noexcept {
        covey_mpi_partition_desc desc = {};
        if constexpr (std::is_void_v<T>) {
            desc.place = detail::function_call<Place, false>::place;
        } else {
            desc.type = type_of<T>();
            desc.place = detail::function_call<Place, false, T>::place;
        }
        desc.context = detail::context_of(place);
        return mpi_partition(covey_mpi_partition_create(mpi_, &desc));
    }

    /* Saves a checkpoint, and loads one. A partition or a function object chooses the rank of each entity. */
    covey::result save(const char *path) const noexcept { return covey_mpi_save(mpi_, path); }
    covey::result load(const char *path) const noexcept { return covey_mpi_load(mpi_, path, nullptr, nullptr); }
    template <class Place> covey::result load(const char *path, Place &&place) const noexcept {
        using function = std::remove_reference_t<Place>;
        if constexpr (std::is_same_v<std::remove_cv_t<function>, mpi_partition>) {
            return covey_mpi_load(mpi_, path, covey_mpi_partition_place, static_cast<covey_mpi_partition *>(place));
        } else {
            return covey_mpi_load(mpi_, path, detail::function_call<function, false>::place, detail::context_of(place));
        }
    }

    /* Over all ranks. std::nullopt when it fails. */
    std::optional<uint64_t> count(const covey_view *view) const noexcept {
        uint64_t number = 0;
        return if_ok(covey_mpi_count(mpi_, view, &number), number);
    }
    template <class... T> std::optional<uint64_t> digest() const noexcept {
        uint64_t number = 0;
        return if_ok(covey_mpi_digest(mpi_, detail::type_list<T...>, &number), number);
    }

    /* The sum, minimum or maximum over all ranks. Without types, of one number of each rank: mpi.sum(seen). With
     * types, of one number of each entity that has them: mpi.sum<Walker>([](const Walker &w) { return w.x; }). The
     * function may take a entity first. Ghosts do not count. The result is an int64_t for integers, and
     * otherwise a double. Without entities the sum is 0, and the minimum or maximum is the far end of the range of
     * its type. */
    template <class... T, class Value> auto sum(const Value &value) const noexcept {
        return reduce<T...>(COVEY_MPI_SUM, value);
    }
    template <class... T, class Value> auto min(const Value &value) const noexcept {
        return reduce<T...>(COVEY_MPI_MIN, value);
    }
    template <class... T, class Value> auto max(const Value &value) const noexcept {
        return reduce<T...>(COVEY_MPI_MAX, value);
    }

    /* Adds a system whose body makes collective calls, like schedule::add. This and the calls below are not
     * collective. */
    auto add(covey_schedule *in, const char *name) const noexcept {
        return detail::describe_system(in, name, { add_system, mpi_ });
    }
    /* Add systems that migrate entities by a partition, and that refresh ghosts. `more` has the other members of a
     * system: .after, .before, .phase, .every, .when and so on. */
    covey::result add_migration(covey_schedule *in, const char *name, covey_mpi_partition *by,
                                const covey_system &more = {}) const noexcept {
        covey_mpi_system desc = describe(name, more);
        desc.partition = by;
        return covey_mpi_system_add(in, &desc);
    }
    covey::result add_refresh(covey_schedule *in, const char *name, const covey_system &more = {}) const noexcept {
        covey_mpi_system desc = describe(name, more);
        desc.ghosts = true;
        return covey_mpi_system_add(in, &desc);
    }

  private:
    /* By reference, because the call in the first argument writes the number. */
    template <class Number> static std::optional<Number> if_ok(covey_result result, const Number &number) noexcept {
        return result == COVEY_OK ? std::optional<Number>(number) : std::nullopt;
    }
    static covey_result add_system(covey_schedule *in, const covey_system *system, void *context) noexcept {
        covey_mpi_system desc = {};
        desc.mpi = static_cast<covey_mpi *>(context);
        desc.system = *system;
        return covey_mpi_system_add(in, &desc);
    }
    covey_mpi_system describe(const char *name, const covey_system &more) const noexcept {
        covey_mpi_system desc = {};
        desc.mpi = mpi_;
        desc.system = more;
        desc.system.name = name;
        return desc;
    }

    template <class... T, class Value> auto reduce(covey_mpi_operation how, const Value &value) const noexcept {
        if constexpr (sizeof...(T) == 0) return reduce_ranks(how, static_cast<detail::wide<Value>>(value));
        else return reduce_ranks(how, reduce_entities<T...>(how, value));
    }
    template <class... T, class Value>
    auto reduce_entities(covey_mpi_operation how, const Value &value) const noexcept {
        using number = detail::wide<decltype(value_of<T...>(value, entity(), std::declval<const T &>()...))>;
        number all = detail::neutral<number>(how);
        view<const T..., without<covey_ghost>>{ world_ }.each([&](entity e, const T &...components) {
            all = detail::reduced(how, all, static_cast<number>(value_of<T...>(value, e, components...)));
        });
        return all;
    }
    template <class... T, class Value>
    static auto value_of(const Value &value, [[maybe_unused]] entity e, const T &...components) noexcept {
        if constexpr (std::is_invocable_v<const Value &, entity, const T &...>) {
            return value(e, components...);
        } else {
            static_assert(std::is_invocable_v<const Value &, const T &...>,
                          "covey: the function takes (const T &...) or (entity, const T &...)");
            return value(components...);
        }
    }
    std::optional<int64_t> reduce_ranks(covey_mpi_operation how, int64_t number) const noexcept {
        return if_ok(covey_mpi_reduce_i64(mpi_, how, &number, 1), number);
    }
    std::optional<double> reduce_ranks(covey_mpi_operation how, double number) const noexcept {
        return if_ok(covey_mpi_reduce_f64(mpi_, how, &number, 1), number);
    }

    covey_mpi *mpi_;
    world_ref world_;
};

/* Collective. Calls covey_mpi_create; T are the components that move with their entities, and `desc` has the rest. */
template <class... T>
mpi mpi_of(MPI_Comm comm, world_ref world, const covey_mpi_desc &desc = {}, covey_report *report = nullptr) noexcept {
    covey_mpi_desc all = desc;
    all.types = detail::type_list<T...>;
    return mpi(covey_mpi_create(comm, world, &all, report), world);
}

} // namespace covey

#endif
