/* Whether an entity matches a query. */
#include "query.h"

#include <covey/hierarchy.h>
#include <strings.h>

/* Returns -1, 0 or 1; 2 if one is NaN. */
static int compare_reals(double a, double b) { return a < b ? -1 : a > b ? 1 : a == b ? 0 : 2; }

static int compare_integers(bool a_negative, uint64_t a, bool b_negative, uint64_t b) {
    if (a == 0) a_negative = false;
    if (b == 0) b_negative = false;
    if (a_negative != b_negative) return a_negative ? -1 : 1;
    int order = a < b ? -1 : a > b;
    return a_negative ? -order : order;
}

static int compare_signed(int64_t value, const inspect__literal *literal) {
    if (literal->what == INSPECT__REAL) return compare_reals((double)value, literal->real);
    uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
    return compare_integers(value < 0, magnitude, literal->negative, literal->magnitude);
}

static int compare_unsigned(uint64_t value, const inspect__literal *literal) {
    if (literal->what == INSPECT__REAL) return compare_reals((double)value, literal->real);
    return compare_integers(false, value, literal->negative, literal->magnitude);
}

/* The same; kinds without an order return 0 for equal and 1 for unequal. */
static int compare_field(const inspect__term *term, const char *at) {
    const inspect__literal *literal = &term->literal;
    inspect__any any = { 0 };
    memcpy(&any, at, covey_kind_size(term->place.kind));
    switch (term->place.kind) {
    case COVEY_KIND_I8: return compare_signed(any.i8, literal);
    case COVEY_KIND_I16: return compare_signed(any.i16, literal);
    case COVEY_KIND_I32: return compare_signed(any.i32, literal);
    case COVEY_KIND_I64: return compare_signed(any.i64, literal);
    case COVEY_KIND_U8: return compare_unsigned(any.u8, literal);
    case COVEY_KIND_U16: return compare_unsigned(any.u16, literal);
    case COVEY_KIND_U32: return compare_unsigned(any.u32, literal);
    case COVEY_KIND_U64: return compare_unsigned(any.u64, literal);
    case COVEY_KIND_F32: return compare_reals((double)any.f32, (double)(float)literal->real);
    case COVEY_KIND_F64: return compare_reals(any.f64, literal->real);
    case COVEY_KIND_BOOL: return (any.u8 != 0) != (literal->magnitude != 0);
    case COVEY_KIND_CHAR: return *at != *literal->text;
    case COVEY_KIND_ENTITY: return !covey_same(any.entity, literal->e);
    case COVEY_KIND_NESTED:
    case COVEY_KIND_PADDING: break;
    }
    return 2;
}

static bool holds(inspect__compare compare, int order) {
    switch (compare) {
    case INSPECT__EQUAL: return order == 0;
    case INSPECT__UNEQUAL: return order != 0;
    case INSPECT__LESS: return order == -1;
    case INSPECT__AT_MOST: return order == -1 || order == 0;
    case INSPECT__MORE: return order == 1;
    case INSPECT__AT_LEAST: return order == 1 || order == 0;
    case INSPECT__IS_THERE:
    case INSPECT__CONTAINS: break;
    }
    return false;
}

static bool contains_word(const char *text, size_t length, const char *word, size_t word_length) {
    for (size_t i = 0; i + word_length <= length; i++)
        if (strncasecmp(text + i, word, word_length) == 0) return true;
    return false;
}

/* Whether a text contains all words, in any order and case. Blanks separate words. */
static bool contains_words(const char *text, size_t length, const char *words, size_t words_length) {
    for (size_t at = 0; at < words_length;) {
        size_t end = at;
        while (end < words_length && words[end] != ' ') end++;
        if (!contains_word(text, length, words + at, end - at)) return false;
        at = end + 1;
    }
    return true;
}

static bool text_matches(const inspect__term *term, const char *text, size_t length) {
    const inspect__literal *literal = &term->literal;
    if (term->compare == INSPECT__CONTAINS) return contains_words(text, length, literal->text, literal->length);
    bool same = length == literal->length && memcmp(text, literal->text, length) == 0;
    return same == (term->compare == INSPECT__EQUAL);
}

static bool field_matches(const inspect__term *term, covey_entity e) {
    const char *value = covey_pool_get_raw(term->pool, e);
    if (!value) return false;
    const char *at = value + term->place.offset;
    if (inspect__place_is_text(&term->place)) return text_matches(term, at, inspect__text_length(&term->place, value));
    return holds(term->compare, compare_field(term, at));
}

static bool any_matches(const inspect__query *query, const inspect__term *term, covey_entity e) {
    for (uint32_t i = 0; i < term->count; i++)
        if (covey_pool_has(query->any[term->first + i], e)) return true;
    return false;
}

static bool name_matches(const inspect__term *term, const covey_world *world, covey_entity e) {
    const char *name = covey_name(world, e);
    if (term->compare == INSPECT__IS_THERE) return name != NULL;
    return name ? text_matches(term, name, strlen(name)) : term->compare == INSPECT__UNEQUAL;
}

static bool parent_matches(const inspect__term *term, const covey_world *world, covey_entity e) {
    covey_entity parent = covey_parent(world, e);
    if (term->compare == INSPECT__IS_THERE) return !covey_is_null(parent);
    return covey_same(parent, term->literal.e) == (term->compare == INSPECT__EQUAL);
}

static bool is_root(const covey_world *world, covey_entity e) {
    return covey_is_null(covey_parent(world, e)) && (covey_child_count(world, e) != 0 || covey_name(world, e) != NULL);
}

static bool term_matches(const inspect__query *query, const inspect__term *term, const covey_world *world,
                         covey_entity e) {
    switch (term->kind) {
    case INSPECT__TERM_HAS: return covey_pool_has(term->pool, e);
    case INSPECT__TERM_ANY: return any_matches(query, term, e);
    case INSPECT__TERM_DISABLED: return !covey_is_enabled(world, e);
    case INSPECT__TERM_ENTITY:
        return e.index == term->literal.e.index && (term->any_generation || covey_same(e, term->literal.e));
    case INSPECT__TERM_FIELD: return field_matches(term, e);
    case INSPECT__TERM_PARENT: return parent_matches(term, world, e);
    case INSPECT__TERM_ROOT: return is_root(world, e);
    case INSPECT__TERM_NAME: return name_matches(term, world, e);
    }
    return false;
}

bool inspect__query_matches(const inspect__query *query, const covey_world *world, covey_entity e) {
    for (const inspect__term *term = query->terms; term < query->terms + query->count; term++)
        if (term_matches(query, term, world, e) == term->negated) return false;
    return true;
}

/* ---- As a view ----------------------------------------------------------------------------------------------------*/

/* Adds a type to a list of a view description. Returns false if the list is full. */
static bool add_type(const covey_type **list, const covey_pool *pool) {
    for (uint32_t i = 0; i < COVEY_TERMS; i++) {
        if (list[i]) continue;
        list[i] = covey_pool_type(pool);
        return true;
    }
    return false;
}

static bool add_any(const inspect__query *query, const inspect__term *term, covey_view_desc *desc) {
    bool added = term->negated || !desc->any[0]; /* a view has one list of `any` only */
    for (uint32_t i = 0; i < term->count && added; i++)
        added = add_type(term->negated ? desc->without : desc->any, query->any[term->first + i]);
    return added;
}

static bool add_term(const inspect__query *query, const inspect__term *term, covey_view_desc *desc) {
    if (term->kind == INSPECT__TERM_ANY) return add_any(query, term, desc);
    return term->kind == INSPECT__TERM_HAS && add_type(term->negated ? desc->without : desc->with, term->pool);
}

bool inspect__query_view(const inspect__query *query, const covey_world *world, covey_view *view) {
    covey_view_desc desc = { .include_disabled = true };
    for (const inspect__term *term = query->terms; term < query->terms + query->count; term++) {
        bool sparse = term->kind == INSPECT__TERM_HAS && covey_pool_storage(term->pool) == COVEY_STORAGE_SPARSE;
        if ((sparse && !term->negated) || !add_term(query, term, &desc)) return false;
    }
    if (!desc.with[0]) return false;
    *view = covey_view_make_const(world, &desc, NULL);
    return covey_view_valid(view);
}
