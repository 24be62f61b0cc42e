/* The kinds of numbers, as covey/fields.h names them. Not API. */
#ifndef COVEY_DETAIL_KIND_HPP
#define COVEY_DETAIL_KIND_HPP

#include <covey/covey.hpp>
#include <covey/fields.h>

namespace covey {
namespace detail {

template <class Value> constexpr covey_kind kind_of() noexcept {
    constexpr bool is_number = std::is_floating_point_v<Value> || std::is_integral_v<Value>;
    static_assert((is_number && sizeof(Value) <= 8) || std::is_same_v<Value, entity>,
                  "covey: a number is a bool, a char, an integer, a float or a double");
    if (std::is_same_v<Value, entity>) return COVEY_KIND_ENTITY;
    if (std::is_same_v<Value, bool>) return COVEY_KIND_BOOL;
    if (std::is_same_v<Value, char>) return COVEY_KIND_CHAR;
    if (std::is_floating_point_v<Value>) return sizeof(Value) == 4 ? COVEY_KIND_F32 : COVEY_KIND_F64;
    constexpr covey_kind signed_kinds[] = { COVEY_KIND_I8, COVEY_KIND_I16, COVEY_KIND_I32, COVEY_KIND_I64 };
    constexpr covey_kind unsigned_kinds[] = { COVEY_KIND_U8, COVEY_KIND_U16, COVEY_KIND_U32, COVEY_KIND_U64 };
    constexpr size_t log = sizeof(Value) == 1 ? 0 : sizeof(Value) == 2 ? 1 : sizeof(Value) == 4 ? 2 : 3;
    return std::is_signed_v<Value> ? signed_kinds[log] : unsigned_kinds[log];
}

} // namespace detail
} // namespace covey

#endif /* COVEY_DETAIL_KIND_HPP */
