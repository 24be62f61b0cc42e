/* Covey for C++17, optional: systems (covey/schedule.h) whose parameters say what they use.
 *
 *     covey::schedule schedule(world);
 *     schedule.add("move").split().each([dt](Position &p, const Velocity &v) { p.x += v.x * dt; });
 *     schedule.add("rot").split().without<Frozen>().each([](covey::entity e, covey_job &job, const Rotten &) {
 *         covey_record_destroy(job.commands, e);
 *     });
 *     schedule.run();
 *
 * Parameters of `each`, in any order:
 *
 *     T &             required, written                  T *         optional, written; NULL if it is absent
 *     const T &, T    required, read                     const T *   optional, read
 *     entity    the entity                         covey_job & the piece: commands, step, result
 *
 * `spans` gets arrays: T * and const T * are required; a size_t is the number of rows, and a const covey_iter & is for
 * covey_span_entity. `run` gets a covey_job &, or nothing, and may return a covey_result.
 *
 * Function objects are moved to the heap, and destroyed with the system or the schedule. They must not throw. For a
 * split system, several threads call the same object at the same time: it must not write state of its own. */
#ifndef COVEY_SCHEDULE_HPP
#define COVEY_SCHEDULE_HPP

#include <covey/covey.hpp>
#include <covey/schedule.h>

namespace covey {

namespace detail {

/* ---- Parameters --------------------------------------------------------------------------------------------------*/

template <bool Const, class... P> struct signature {
    static constexpr bool is_known = true;
    using parameters = types<P...>;
    static constexpr bool is_const = Const; /* a call does not change the function object */
};

template <class Function> struct signature_of_member;
template <class R, class C, class... P> struct signature_of_member<R (C::*)(P...)> : signature<false, P...> {};
template <class R, class C, class... P> struct signature_of_member<R (C::*)(P...) noexcept> : signature<false, P...> {};
template <class R, class C, class... P> struct signature_of_member<R (C::*)(P...) const> : signature<true, P...> {};
template <class R, class C, class... P>
struct signature_of_member<R (C::*)(P...) const noexcept> : signature<true, P...> {};

/* The parameters of a function, or of an object with one operator(). */
template <class Body, class = void> struct signature_of { static constexpr bool is_known = false; };
template <class Body>
struct signature_of<Body, std::void_t<decltype(&Body::operator())>> : signature_of_member<decltype(&Body::operator())> {
};
template <class R, class... P> struct signature_of<R (*)(P...), void> : signature<true, P...> {};
template <class R, class... P> struct signature_of<R (*)(P...) noexcept, void> : signature<true, P...> {};

/* Whether the parameters are known, which is asserted. */
template <class Body> constexpr bool names_types() noexcept {
    static_assert(signature_of<Body>::is_known,
                  "covey: the parameters of a system name their types; auto does not say what is used");
    return signature_of<Body>::is_known;
}

template <class P> using bare = std::remove_cv_t<std::remove_reference_t<P>>;

/* The meaning of a parameter. `Part` is the type of a reduction, or void. */
template <class P, class Part, bool Spans> constexpr role role_of() noexcept {
    using value = bare<P>;
    if constexpr (std::is_same_v<value, entity>) return role::entity;
    else if constexpr (std::is_same_v<value, covey_job>) return role::job;
    else if constexpr (std::is_same_v<P, std::add_lvalue_reference_t<Part>>) return role::part;
    else if constexpr (!Spans) return std::is_pointer_v<value> ? role::optional : role::required;
    else if constexpr (std::is_same_v<value, covey_iter>) return role::iter;
    else if constexpr (std::is_pointer_v<value>) return role::required;
    else return std::is_integral_v<value> ? role::count : role::wrong;
}

/* The component of a parameter: const if it is read. */
template <class P>
using term_of = std::conditional_t<
    std::is_pointer_v<bare<P>>, std::remove_pointer_t<bare<P>>,
    std::conditional_t<std::is_lvalue_reference_v<P>, std::remove_reference_t<P>, const std::remove_reference_t<P>>>;

/* ---- Arguments of one span ---------------------------------------------------------------------------------------*/

template <role Role, class P> struct source;

template <class P> struct source<role::required, P> {
    using T = term_of<P>;
    T *at;
    source(const covey_job &job, uint32_t field) noexcept : at(span_field<T>(job.it, field)) {}
    T &get(covey_job &, uint32_t row) const noexcept { return std::is_empty_v<T> ? *at : at[row]; }
    T *all(covey_job &) const noexcept { return at; }
};
template <class P> struct source<role::optional, P> {
    using T = term_of<P>;
    T *at;
    source(const covey_job &job, uint32_t field) noexcept : at(span_field<T>(job.it, field)) {}
    T *get(covey_job &, uint32_t row) const noexcept { return at && !std::is_empty_v<T> ? at + row : at; }
};
template <class P> struct source<role::entity, P> {
    source(const covey_job &, uint32_t) noexcept {}
    entity get(covey_job &job, uint32_t row) const noexcept { return covey_span_entity(&job.it, row); }
};
template <class P> struct source<role::job, P> {
    source(const covey_job &, uint32_t) noexcept {}
    covey_job &get(covey_job &job, uint32_t) const noexcept { return job; }
    covey_job &all(covey_job &job) const noexcept { return job; }
};
template <class P> struct source<role::part, P> {
    bare<P> *part;
    source(const covey_job &job, uint32_t) noexcept : part(static_cast<bare<P> *>(job.scratch)) {}
    bare<P> &get(covey_job &, uint32_t) const noexcept { return *part; }
    bare<P> &all(covey_job &) const noexcept { return *part; }
};
template <class P> struct source<role::iter, P> {
    source(const covey_job &, uint32_t) noexcept {}
    const covey_iter &all(covey_job &job) const noexcept { return job.it; }
};
template <class P> struct source<role::count, P> {
    source(const covey_job &, uint32_t) noexcept {}
    bare<P> all(covey_job &job) const noexcept { return static_cast<bare<P>>(job.it.count); }
};

/* The same for one row. */
template <role Role, class P>
decltype(auto) row_argument(covey_job &job, const covey_row &row, uint32_t field) noexcept {
    using T = term_of<P>;
    if constexpr (Role == role::required) return *row_field<T>(job.it, row, field);
    else if constexpr (Role == role::optional) return row_field<T>(job.it, row, field);
    else if constexpr (Role == role::entity) return covey_row_entity(&job.it, row);
    else return source<Role, P>(job, field).get(job, 0);
}

/* ---- Bodies ------------------------------------------------------------------------------------------------------*/

template <bool Spans, class Fields, class Part, class Parameters> struct arguments;
template <bool Spans, class... F, class Part, class... P> struct arguments<Spans, types<F...>, Part, types<P...>> {
    static constexpr role roles[sizeof...(P) + 1] = { role_of<P, Part, Spans>()..., role::job };
    static constexpr bool are_right = ((role_of<P, Part, Spans>() != role::wrong) && ...);

    /* The number of a parameter's field: in a group; or in a view, where `with` comes before `optional`. */
    template <size_t I> static constexpr uint32_t field() noexcept {
        if constexpr (roles[I] != role::required && roles[I] != role::optional) {
            return 0;
        } else if constexpr (sizeof...(F) != 0) {
            return group_field<term_of<std::tuple_element_t<I, std::tuple<P...>>>, F...>();
        } else {
            return field_number(roles, I);
        }
    }

    static void describe([[maybe_unused]] covey_view_desc &desc) noexcept {
        static_assert(sizeof...(P) <= COVEY_TERMS, "covey: too many parameters");
        if constexpr (sizeof...(F) == 0) (name<P>(desc), ...);
    }

    template <class Body> static void each_of_spans(covey_job &job, Body &body) {
        while (covey_next(&job.it)) each(job, body, std::index_sequence_for<P...>());
    }
    template <class Body> static void each_of_rows(covey_job &job, Body &body) {
        covey_row row = {};
        while (covey_next_row(&job.it, &row)) visit(job, row, body, std::index_sequence_for<P...>());
    }
    template <class Body> static void spans(covey_job &job, Body &body) {
        while (covey_next(&job.it)) span(job, body, std::index_sequence_for<P...>());
    }

  private:
    template <class Q> static void name([[maybe_unused]] covey_view_desc &desc) noexcept {
        constexpr role wanted = role_of<Q, Part, Spans>();
        if constexpr (wanted == role::required || wanted == role::optional)
            describe_term(desc, wanted, type_of<term_of<Q>>(), std::is_const_v<term_of<Q>>);
    }
    template <class Body, size_t... I> static void each(covey_job &job, Body &body, std::index_sequence<I...>) {
        loop(job, body, source<role_of<P, Part, Spans>(), P>(job, field<I>())...);
    }
    template <class Body, class... S> static void loop(covey_job &job, Body &body, const S... sources) {
        const uint32_t count = job.it.count;
        for (uint32_t i = 0; i < count; i++) body(sources.get(job, i)...);
    }
    template <class Body, size_t... I> static void span(covey_job &job, Body &body, std::index_sequence<I...>) {
        body(source<role_of<P, Part, Spans>(), P>(job, field<I>()).all(job)...);
    }
    template <class Body, size_t... I>
    static void visit(covey_job &job, const covey_row &row, Body &body, std::index_sequence<I...>) {
        body(row_argument<role_of<P, Part, Spans>(), P>(job, row, field<I>())...);
    }
};

/* What a loop calls: a copy in registers if that makes no difference, so that compilers know that writing values does
 * not change what the body has captured. */
template <class Body>
inline constexpr bool is_copied = std::is_trivially_copyable_v<Body> &&signature_of<Body>::is_const &&
                                  sizeof(Body) <= 64;
template <class Body> using called = std::conditional_t<is_copied<Body>, const Body, Body &>;

struct nothing {};

/* What a system owns: the context of its functions. */
template <class Body, class When, class Merge, class Part> struct system_state {
    Body body;
    When condition;
    Merge add_part;

    static system_state &of(void *context) noexcept { return *static_cast<system_state *>(context); }
    static void drop(void *context) noexcept { delete static_cast<system_state *>(context); }
    static void run(covey_job *job, void *context) noexcept {
        Body &body = of(context).body;
        if constexpr (std::is_invocable_r_v<covey_result, Body &, covey_job &>) job->result = body(*job);
        else if constexpr (std::is_invocable_v<Body &, covey_job &>) body(*job);
        else body();
    }
    template <class Arguments> static void each_of_spans(covey_job *job, void *context) noexcept {
        called<Body> body = of(context).body;
        Arguments::each_of_spans(*job, body);
    }
    template <class Arguments> static void each_of_rows(covey_job *job, void *context) noexcept {
        Arguments::each_of_rows(*job, of(context).body);
    }
    template <class Arguments> static void spans(covey_job *job, void *context) noexcept {
        called<Body> body = of(context).body;
        Arguments::spans(*job, body);
    }
    static bool when(const covey_world *in, void *context) noexcept {
        if constexpr (std::is_invocable_v<When &, const_world_ref>) return of(context).condition(const_world_ref(in));
        else return of(context).condition();
    }
    static void merge(void *total, const void *part, void *context) noexcept {
        of(context).add_part(*static_cast<Part *>(total), *static_cast<const Part *>(part));
    }
};

/* How a system is added: by covey_system_add, or by a library on top. */
struct addition {
    covey_result (*call)(covey_schedule *in, const covey_system *system, void *context) noexcept;
    void *context;
};

inline covey_result add_plain(covey_schedule *in, const covey_system *system, void *) noexcept {
    return covey_system_add(in, system);
}

} // namespace detail

/* ---- Systems -------------------------------------------------------------------------------------------------------
 *
 * The description of a system, with the fields of covey_system. Made by schedule::add. `each`, `spans` and `run` add
 * the system, and return what covey_system_add returns. */

template <class Fields, class Part, class When, class Merge> class system {
  public:
    system(covey_schedule *in, detail::addition how, const covey_system &desc, When when, Merge merge) noexcept
        : schedule_(in), how_(how), desc_(desc), when_(std::move(when)), merge_(std::move(merge)) {}

    /* On several threads, in pieces of this many indices or positions; 0: chosen by how many there are. */
    system &split(uint32_t piece = 0) noexcept {
        desc_.split = true;
        desc_.piece = piece;
        return *this;
    }
    /* Alone: the body may make structural changes, as rows may. */
    system &exclusive() noexcept {
        desc_.exclusive = true;
        return *this;
    }
    /* Only on the thread that runs the schedule, beside others without a conflict. */
    system &main_thread() noexcept {
        desc_.main_thread = true;
        return *this;
    }
    template <class... T> system &without() noexcept { return append<T...>(desc_.view.without); }
    system &include_disabled() noexcept {
        desc_.view.include_disabled = true;
        return *this;
    }
    /* For `run`: what job.it iterates. */
    system &view(const covey_view_desc &wanted) noexcept {
        desc_.view = wanted;
        return *this;
    }
    /* Iterates the members of a group instead of a view. Parameters are among its fields, which all count as
     * written. */
    template <class... Terms> auto group(const covey::group<Terms...> &members) noexcept {
        desc_.group = members;
        return system<typename covey::group<Terms...>::fields, Part, When, Merge>(schedule_, how_, desc_,
                                                                                  std::move(when_), std::move(merge_));
    }

    /* What else the body uses. */
    template <class... T> system &reads() noexcept { return append<T...>(desc_.reads); }
    template <class... T> system &writes() noexcept { return append<T...>(desc_.writes); }
    template <class... T> system &resource_reads() noexcept { return append<T...>(desc_.resource_reads); }
    template <class... T> system &resource_writes() noexcept { return append<T...>(desc_.resource_writes); }
    system &creates(uint32_t entities) noexcept {
        desc_.creates = entities;
        return *this;
    }

    template <class... T> system &creates_with() noexcept { return append<T...>(desc_.creates_with); }

    system &after(const char *name) noexcept { return link(desc_.after, name); }
    system &before(const char *name) noexcept { return link(desc_.before, name); }
    system &phase(const char *name) noexcept {
        desc_.phase = name;
        return *this;
    }
    system &every(uint32_t times) noexcept {
        desc_.every = times;
        return *this;
    }
    system &once() noexcept {
        desc_.once = true;
        return *this;
    }
    /* Does not run until covey_system_enable. */
    system &disabled() noexcept {
        desc_.disabled = true;
        return *this;
    }
    /* Only when condition(const_world_ref), or condition(), returns true. */
    template <class Condition> auto when(Condition condition) noexcept {
        return system<Fields, Part, Condition, Merge>(schedule_, how_, desc_, std::move(condition), std::move(merge_));
    }

    /* A reduction: a parameter T & of the body is the part of its piece, which begins with zero bytes. The parts are
     * merged in the order of pieces by merge(T &, const T &), or, without it, by +=. */
    template <class T> auto total(T &sum) noexcept {
        return total(sum, [](T &all, const T &part) { all += part; });
    }
    template <class T, class Adding> auto total(T &sum, Adding merge) noexcept {
        static_assert(std::is_trivially_copyable_v<T>, "covey: a total is copied as bytes");
        desc_.scratch = sizeof(T);
        desc_.total = detail::address_of(sum);
        return system<Fields, T, When, Adding>(schedule_, how_, desc_, std::move(when_), std::move(merge));
    }

    /* Entity by entity. Exclusive systems go by rows, others by spans, so that compilers can vectorise the loop. */
    template <class Body> covey_result each(Body body) noexcept {
        if constexpr (!detail::names_types<Body>()) return COVEY_ERROR_TYPE;
        else {
            using arguments = detail::arguments<false, Fields, Part, typename detail::signature_of<Body>::parameters>;
            using made = state<Body>;
            arguments::describe(desc_.view);
            return add(std::move(body), desc_.exclusive ? made::template each_of_rows<arguments>
                                                        : made::template each_of_spans<arguments>);
        }
    }
    /* Span by span. */
    template <class Body> covey_result spans(Body body) noexcept {
        if constexpr (!detail::names_types<Body>()) return COVEY_ERROR_TYPE;
        else {
            using arguments = detail::arguments<true, Fields, Part, typename detail::signature_of<Body>::parameters>;
            static_assert(arguments::are_right, "covey: spans gets arrays: T * or const T *");
            if constexpr (!arguments::are_right) return COVEY_ERROR_TYPE;
            else {
                arguments::describe(desc_.view);
                return add(std::move(body), state<Body>::template spans<arguments>);
            }
        }
    }
    /* Piece by piece. */
    template <class Body> covey_result run(Body body) noexcept { return add(std::move(body), state<Body>::run); }

  private:
    template <class Body> using state = detail::system_state<Body, When, Merge, Part>;

    template <class Body> covey_result add(Body &&body, covey_system_fn *call) noexcept {
        using made = state<Body>;
        if (too_many_) return COVEY_ERROR_RANGE;
        made *kept = new (std::nothrow) made{ std::move(body), std::move(when_), std::move(merge_) };
        if (!kept) return COVEY_ERROR_MEMORY;
        desc_.run = call;
        desc_.context = kept;
        desc_.drop = made::drop;
        if constexpr (!std::is_same_v<When, detail::nothing>) desc_.when = made::when;
        if constexpr (!std::is_same_v<Merge, detail::nothing>) desc_.merge = made::merge;
        covey_result result = how_.call(schedule_, &desc_, how_.context);
        if (result != COVEY_OK) delete kept;
        return result;
    }

    /* Appends to a list in a description. */
    template <class T, size_t N> void put(T (&list)[N], T added) noexcept {
        size_t count = 0;
        while (count < N && list[count]) count++;
        if (count < N) list[count] = added;
        else too_many_ = true;
    }
    template <class... T, size_t N> system &append(const covey_type *(&list)[N]) noexcept {
        (put(list, type_of<T>()), ...);
        return *this;
    }
    template <size_t N> system &link(const char *(&names)[N], const char *name) noexcept {
        put(names, name);
        return *this;
    }

    covey_schedule *schedule_;
    detail::addition how_;
    covey_system desc_;
    When when_;
    Merge merge_;
    bool too_many_ = false;
};

namespace detail {

/* The beginning of a description. */
inline auto describe_system(covey_schedule *in, const char *name, addition how) noexcept {
    covey_system desc = {};
    desc.name = name;
    return system<types<>, void, nothing, nothing>(in, how, desc, nothing(), nothing());
}

} // namespace detail

/* ---- Schedules ---------------------------------------------------------------------------------------------------*/

/* Owns a schedule, which must be destroyed before its world. Converts to covey_schedule *; NULL if it could not be
 * made. */
class schedule {
  public:
    /* `threads` includes the one that calls run; 0: one for each core. */
    explicit schedule(world_ref in, uint32_t threads = 0) noexcept {
        covey_schedule_desc desc = {};
        desc.threads = threads;
        schedule_ = covey_schedule_create(in, &desc);
    }
    schedule(world_ref in, const covey_schedule_desc &desc) noexcept : schedule_(covey_schedule_create(in, &desc)) {}
    schedule(schedule &&other) noexcept : schedule_(other.release()) {}
    schedule &operator=(schedule &&other) noexcept {
        if (this != &other) {
            covey_schedule_destroy(schedule_);
            schedule_ = other.release();
        }
        return *this;
    }
    ~schedule() { covey_schedule_destroy(schedule_); }
    operator covey_schedule *() const noexcept { return schedule_; }
    covey_schedule *release() noexcept { return std::exchange(schedule_, nullptr); }

    auto add(const char *name) const noexcept {
        return detail::describe_system(schedule_, name, { detail::add_plain, nullptr });
    }
    /* Adds a phase after the others, with a fixed step in seconds if it has one. covey_phase_add has more options. */
    covey_result phase(const char *name, double step = 0) const noexcept {
        covey_phase desc = {};
        desc.name = name;
        desc.step = step;
        return covey_phase_add(schedule_, &desc);
    }
    covey_result phase(const covey_phase &desc) const noexcept { return covey_phase_add(schedule_, &desc); }
    bool phase_enable(const char *name, bool enabled) const noexcept {
        return covey_phase_enable(schedule_, name, enabled);
    }
    double phase_fraction(const char *name) const noexcept { return covey_phase_fraction(schedule_, name); }
    bool system_enable(const char *name, bool enabled) const noexcept {
        return covey_system_enable(schedule_, name, enabled);
    }
    bool system_remove(const char *name) const noexcept { return covey_system_remove(schedule_, name); }
    uint32_t threads() const noexcept { return covey_schedule_threads(schedule_); }

    /* Takes the seconds since the last run, for phases with a step. */
    covey::result run(double seconds = 0) const noexcept { return covey_schedule_run_for(schedule_, seconds); }
    const char *failure() const noexcept { return covey_schedule_failure(schedule_); }
    /* Discards the first command that was not replayed. */
    bool skip() const noexcept { return covey_schedule_skip(schedule_); }

    /* What it does: as in C. Arrays are filled up to their capacity. */
    void print(covey_write_fn *write = nullptr, void *context = nullptr) const noexcept {
        covey_schedule_print(schedule_, write, context);
    }
    void print_plan(covey_write_fn *write = nullptr, void *context = nullptr) const noexcept {
        covey_schedule_print_plan(schedule_, write, context);
    }
    void print_dot(covey_write_fn *write = nullptr, void *context = nullptr) const noexcept {
        covey_schedule_print_dot(schedule_, write, context);
    }
    void print_trace(covey_write_fn *write = nullptr, void *context = nullptr) const noexcept {
        covey_schedule_print_trace(schedule_, write, context);
    }
    uint32_t stats(covey_system_stats *stats, uint32_t capacity) const noexcept {
        return covey_schedule_stats(schedule_, stats, capacity);
    }
    uint32_t plan(covey_planned_system *systems, uint32_t capacity) const noexcept {
        return covey_schedule_plan(schedule_, systems, capacity);
    }
    uint32_t uses(uint32_t system, covey_system_use *uses, uint32_t capacity) const noexcept {
        return covey_schedule_uses(schedule_, system, uses, capacity);
    }
    bool contains(uint32_t system, entity e) const noexcept { return covey_schedule_contains(schedule_, system, e); }
    uint32_t waits(covey_planned_wait *waits, uint32_t capacity) const noexcept {
        return covey_schedule_waits(schedule_, waits, capacity);
    }
    /* The next runs; or all from now on, of which the last ones are kept. */
    void trace(uint32_t runs) const noexcept { covey_schedule_trace(schedule_, runs); }
    void trace_last(uint32_t runs) const noexcept { covey_schedule_trace_last(schedule_, runs); }
    uint32_t traced(uint32_t first, covey_trace_event *events, uint32_t capacity) const noexcept {
        return covey_schedule_traced(schedule_, first, events, capacity);
    }

  private:
    covey_schedule *schedule_;
};

} // namespace covey

#endif
