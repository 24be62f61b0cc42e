/* The terms of a view as types, and the descriptions that are made from them. Not API. */
#include <covey/covey.hpp> /* before the guard: covey.hpp includes this file where it belongs */

#ifndef COVEY_DETAIL_VIEW_HPP
#define COVEY_DETAIL_VIEW_HPP

namespace covey {
namespace detail {

/* The kinds of terms of a view, in the order of their fields; and what else the parameters of systems can be. */
enum class role { required, optional, any, excluded, entity, job, iter, count, part, wrong };

/* The number of the field of item i: the fields of `with` come first, then `optional`, then `any`. */
template <size_t N> constexpr uint32_t field_number(const role (&roles)[N], size_t i) noexcept {
    uint32_t number = 0;
    for (size_t k = 0; k < N; k++) number += roles[k] < roles[i] || (roles[k] == roles[i] && k < i);
    return number;
}

/* Appends a type to a list in a description. */
inline void append_type(const covey_type *(&list)[COVEY_TERMS], const covey_type *type) noexcept {
    uint32_t i = 0;
    while (i < COVEY_TERMS && list[i]) i++;
    if (i < COVEY_TERMS) list[i] = type;
}

inline void describe_term(covey_view_desc &desc, role wanted, const covey_type *type, bool is_read) noexcept {
    if (wanted == role::required) append_type(desc.with, type);
    else if (wanted == role::optional) append_type(desc.optional, type);
    else if (wanted == role::any) append_type(desc.any, type);
    else append_type(desc.without, type);
    if (is_read && wanted != role::excluded) append_type(desc.read, type);
}

/* The description that a view was made from. */
inline covey_view_desc describe_again(const covey_view &view) noexcept {
    covey_view_desc desc = {};
    desc.include_disabled = (view.asks & COVEY__ASKS_COMPONENTS) != 0;
    const uint32_t optional = view.with, any = optional + view.optional, without = any + view.any;
    for (uint32_t i = 0; i < without + view.without; i++) {
        role is = i < optional ? role::required : i < any ? role::optional : i < without ? role::any : role::excluded;
        describe_term(desc, is, view.types[i], (view.reads >> i & 1) != 0);
        if ((view.changed >> i & 1) != 0) append_type(desc.changed, view.types[i]);
    }
    return desc;
}

inline bool same_view(const covey_view &a, const covey_view &b) noexcept {
    const bool same_kinds = a.with == b.with && a.optional == b.optional && a.any == b.any && a.without == b.without;
    return a.world == b.world && same_kinds && a.asks == b.asks && a.reads == b.reads && a.changed == b.changed &&
           memcmp(a.types, b.types, sizeof a.types) == 0;
}

/* The values of a type that a view names, and what they become in a view that only reads. */
template <class T> struct named {
    static constexpr bool is_runtime = false;
    static constexpr size_t size = size_of<T>;
    using value = T;
    using const_type = const T;
};
template <class T> struct named<runtime<T>> {
    static constexpr bool is_runtime = true;
    static constexpr size_t size = std::is_empty_v<T> ? 0 : sizeof(T);
    using value = T;
    using const_type = runtime<const T>;
};

/* One type of a view. */
template <role Role, class T> struct term : named<T> {
    static constexpr role is = Role;
    using argument = std::conditional_t<Role == role::required, typename named<T>::value &, typename named<T>::value *>;
    using const_term = term<Role, typename named<T>::const_type>;
};

template <class T> struct terms_of { using list = types<term<role::required, T>>; };
template <class... T> struct terms_of<optional<T...>> { using list = types<term<role::optional, T>...>; };
template <class... T> struct terms_of<any<T...>> { using list = types<term<role::any, T>...>; };
template <class... T> struct terms_of<without<T...>> { using list = types<term<role::excluded, T>...>; };
template <> struct terms_of<reading> { using list = types<>; };

template <class... Term> constexpr auto as_const(types<Term...>) noexcept {
    return types<typename Term::const_term...>();
}
/* All terms, in order; const if the view only reads. */
template <bool Reading, class... Terms> constexpr auto list_terms() noexcept {
    constexpr auto list = (types<>() + ... + typename terms_of<Terms>::list());
    if constexpr (Reading) return as_const(list);
    else return list;
}
/* The terms that have fields. */
template <class... Term> constexpr auto list_fields(types<Term...>) noexcept {
    return (types<>() + ... + std::conditional_t<Term::is == role::excluded, types<>, types<Term>>());
}
template <class... Term> constexpr size_t count_terms(types<Term...>) noexcept { return sizeof...(Term); }
template <class... Term> constexpr size_t count_runtime(types<Term...>) noexcept {
    return (0 + ... + Term::is_runtime);
}

/* Adds a term to a description; false if the type that was given for it does not fit. */
template <class Term, class World>
bool name_term(World *in, covey_view_desc &desc, [[maybe_unused]] const covey_type *const *&given) noexcept {
    using value = typename Term::value;
    const covey_type *type;
    if constexpr (Term::is_runtime) {
        type = *given++;
        if (!type || Term::is != role::excluded)
            if (!has_layout<value>(in, type, Term::size)) return false;
    } else {
        type = type_of<value>();
    }
    describe_term(desc, Term::is, type, std::is_const_v<value>);
    return true;
}

template <class... T> void name_terms([[maybe_unused]] const covey_type **terms) noexcept {
    ((*terms++ = type_of<T>()), ...);
}

/* Names the const types. */
template <class... T> void name_reads([[maybe_unused]] const covey_type **terms) noexcept {
    ((std::is_const_v<T> ? void(*terms++ = type_of<T>()) : void()), ...);
}

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_VIEW_HPP */
