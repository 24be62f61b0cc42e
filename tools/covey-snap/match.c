/* Compares values with the conditions of covey-snap query. */
#include "query.h"

#include <covey/hierarchy.h>

/* How a value compares with a literal. */
typedef enum order { LESS, SAME, MORE, NONE } order;

/* ---- Numbers -----------------------------------------------------------------------------------------------------*/

typedef struct integer {
    bool negative;
    uint64_t magnitude;
} integer;

static integer of_signed(int64_t number) {
    return (integer){ number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number };
}

static integer integer_at(covey_kind kind, const void *at) {
    union {
        int8_t i8;
        int16_t i16;
        int32_t i32;
        int64_t i64;
        uint8_t u8;
        uint16_t u16;
        uint32_t u32;
        uint64_t u64;
    } value = { 0 };
    memcpy(&value, at, covey_kind_size(kind));
    switch (kind) {
    case COVEY_KIND_I8: return of_signed(value.i8);
    case COVEY_KIND_I16: return of_signed(value.i16);
    case COVEY_KIND_I32: return of_signed(value.i32);
    case COVEY_KIND_I64: return of_signed(value.i64);
    case COVEY_KIND_U8: return (integer){ false, value.u8 };
    case COVEY_KIND_U16: return (integer){ false, value.u16 };
    case COVEY_KIND_U32: return (integer){ false, value.u32 };
    default: return (integer){ false, value.u64 };
    }
}

static order order_of_integers(integer a, integer b) {
    if (a.negative != b.negative) return a.negative ? LESS : MORE;
    if (a.magnitude == b.magnitude) return SAME;
    return (a.magnitude < b.magnitude) != a.negative ? LESS : MORE;
}

static order order_of_reals(double a, double b) {
    if (a != a || b != b) return a != a && b != b ? SAME : NONE; /* all NaN are one value, without an order */
    return a < b ? LESS : a > b ? MORE : SAME;
}

/* Exactly: no integer is rounded. */
static order order_with_real(integer a, double b) {
    if (b != b) return NONE;
    if (b >= 18446744073709551616.0) return LESS;
    if (b < -9223372036854775808.0) return MORE;
    double size = b < 0 ? -b : b;
    uint64_t whole = (uint64_t)size;
    order o = order_of_integers(a, (integer){ b < 0 && whole != 0, whole });
    if (o != SAME || size == (double)whole) return o;
    return b < 0 ? MORE : LESS;
}

static order order_of_number(covey_kind kind, const char *at, const snap_literal *literal) {
    if (kind == COVEY_KIND_F32) {
        float number;
        memcpy(&number, at, sizeof number);
        return order_of_reals((double)number, literal->real);
    }
    if (kind == COVEY_KIND_F64) {
        double number;
        memcpy(&number, at, sizeof number);
        return order_of_reals(number, literal->real);
    }
    integer number = integer_at(kind, at);
    if (literal->what == SNAP_REAL) return order_with_real(number, literal->real);
    return order_of_integers(number, (integer){ literal->negative, literal->magnitude });
}

/* ---- Texts -------------------------------------------------------------------------------------------------------*/

static order order_of_texts(const char *text, size_t length, const snap_literal *literal) {
    size_t common = length < literal->length ? length : literal->length;
    int difference = memcmp(text, literal->text, common);
    if (difference == 0) difference = (length > literal->length) - (length < literal->length);
    return difference < 0 ? LESS : difference > 0 ? MORE : SAME;
}

static char lower(char c) { return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c; }

static bool contains_word(const char *text, size_t length, const char *word, size_t word_length) {
    for (size_t i = 0; i + word_length <= length; i++) {
        size_t same = 0;
        while (same < word_length && lower(text[i + same]) == lower(word[same])) same++;
        if (same == word_length) return true;
    }
    return false;
}

/* Whether a text contains all words, in any order and case. */
static bool contains(const char *text, size_t length, const snap_literal *words) {
    for (size_t at = 0, end; at < words->length; at = end + 1) {
        for (end = at; end < words->length && words->text[end] != ' ';) end++;
        if (!contains_word(text, length, words->text + at, end - at)) return false;
    }
    return true;
}

/* ---- Terms -------------------------------------------------------------------------------------------------------*/

static bool holds(snap_compare compare, order o) {
    switch (compare) {
    case SNAP_EQUAL: return o == SAME;
    case SNAP_UNEQUAL: return o != SAME;
    case SNAP_LESS: return o == LESS;
    case SNAP_AT_MOST: return o == LESS || o == SAME;
    case SNAP_MORE: return o == MORE;
    case SNAP_AT_LEAST: return o == MORE || o == SAME;
    case SNAP_HAS:
    case SNAP_BETWEEN:
    case SNAP_CONTAINS: break;
    }
    return false;
}

static bool text_matches(const snap_term *term, const char *text, size_t length) {
    if (term->compare == SNAP_CONTAINS) return contains(text, length, &term->low);
    return holds(term->compare, order_of_texts(text, length, &term->low));
}

static bool name_matches(const snap_term *term, const char *name) {
    if (term->compare == SNAP_HAS) return (name != NULL) != term->negated;
    return name && text_matches(term, name, strlen(name));
}

static order order_of_entities(const char *at, covey_entity literal) {
    covey_entity e;
    memcpy(&e, at, sizeof e);
    bool both_null = covey_is_null(e) && covey_is_null(literal);
    return both_null || covey_same(e, literal) ? SAME : NONE;
}

static bool field_matches(const snap_term *term, const char *at) {
    if (term->kind == COVEY_KIND_CHAR) {
        const char *end = memchr(at, 0, term->room);
        return text_matches(term, at, end ? (size_t)(end - at) : term->room);
    }
    if (term->kind == COVEY_KIND_ENTITY) return holds(term->compare, order_of_entities(at, term->low.entity));
    if (term->kind == COVEY_KIND_BOOL) return holds(term->compare, (*at != 0) == term->low.boolean ? SAME : NONE);
    order o = order_of_number(term->kind, at, &term->low);
    if (term->compare != SNAP_BETWEEN) return holds(term->compare, o);
    return holds(SNAP_AT_LEAST, o) && holds(SNAP_AT_MOST, order_of_number(term->kind, at, &term->high));
}

bool snap_term_matches(const snap_term *term, const covey_world *world, covey_entity e) {
    if (!term->pool) return name_matches(term, covey_name(world, e));
    bool has = covey_pool_has(term->pool, e);
    if (term->compare == SNAP_HAS) return has != term->negated;
    return has && field_matches(term, (const char *)covey_pool_get_raw(term->pool, e) + term->offset);
}
