/* Reads the conditions of covey-snap query. Names of types and fields are arbitrary text: the longest one that fits is
 * taken. */
#include "query.h"

#include <stdlib.h>

typedef struct reader {
    const char *text, *at; /* the whole condition, and what is still to be read */
    const char *path;      /* of the image */
    const covey_world *world;
} reader;

static bool fail(const reader *r, const char *why) {
    return snap_trouble("%s: %s; see covey-snap query --help", r->text, why) == SNAP_FINE;
}

static void skip_spaces(reader *r) {
    while (*r->at == ' ') r->at++;
}

static bool ends_name(char c) { return c == '\0' || strchr(" .[=!<>~", c) != NULL; }

/* The length of a name that the rest begins with. 0: it does not. */
static size_t fits(const reader *r, const char *name) {
    size_t length = strlen(name);
    return strncmp(r->at, name, length) == 0 && ends_name(r->at[length]) ? length : 0;
}

/* ---- Types and fields --------------------------------------------------------------------------------------------*/

static bool read_type(reader *r, snap_term *term) {
    size_t longest = 0;
    for (uint32_t i = 0; i < covey_world_pool_count(r->world); i++) {
        const covey_pool *pool = covey_world_pool(r->world, i);
        size_t length = fits(r, covey_pool_type(pool)->name);
        if (length <= longest || snap_is_internal(covey_pool_type(pool))) continue;
        longest = length;
        term->pool = pool;
    }
    if (longest == 0 && (longest = fits(r, "name")) == 0)
        return snap_trouble("%s has no components of type %.*s", r->path, (int)strcspn(r->at, " .[=!<>~"), r->at) ==
               SNAP_FINE;
    r->at += longest;
    return true;
}

static const covey_field *read_field(reader *r, const covey_fields *fields) {
    const covey_field *found = NULL;
    size_t longest = 0;
    for (uint32_t i = 0; i < fields->count; i++) {
        size_t length = fits(r, fields->at[i].name);
        if (length <= longest || fields->at[i].kind == COVEY_KIND_PADDING) continue;
        longest = length;
        found = &fields->at[i];
    }
    r->at += longest;
    return found;
}

/* Reads "[2]", if the field is an array. */
static bool read_element(reader *r, const covey_field *field, snap_term *term) {
    bool is_text = field->kind == COVEY_KIND_CHAR;
    size_t size = field->nested ? field->nested->size : covey_kind_size(field->kind);
    term->room = is_text ? field->count : 0;
    if (*r->at != '[') return field->count == 1 || is_text || fail(r, "name an element of the array, such as [0]");
    char *end;
    unsigned long number = strtoul(r->at + 1, &end, 10);
    bool is_number = r->at[1] >= '0' && r->at[1] <= '9' && *end == ']';
    if (!is_number || is_text || number >= field->count) return fail(r, "there is no such element");
    term->offset += (uint32_t)(number * size);
    r->at = end + 1;
    return true;
}

static bool read_path(reader *r, snap_term *term) {
    const covey_fields *fields = covey_pool_type(term->pool)->fields;
    while (*r->at == '.') {
        if (!fields) return fail(r, "it has no fields");
        r->at++;
        const covey_field *field = read_field(r, fields);
        if (!field) return fail(r, "there is no such field");
        term->offset += field->offset;
        term->kind = field->kind;
        if (!read_element(r, field, term)) return false;
        fields = field->nested;
    }
    return true;
}

/* ---- Comparisons -------------------------------------------------------------------------------------------------*/

static void read_compare(reader *r, snap_term *term) {
    static const struct {
        const char *sign;
        snap_compare compare;
    } signs[] = { { "==", SNAP_EQUAL },    { "=", SNAP_EQUAL }, { "!=", SNAP_UNEQUAL }, { "<=", SNAP_AT_MOST },
                  { ">=", SNAP_AT_LEAST }, { "<", SNAP_LESS },  { ">", SNAP_MORE },     { "~", SNAP_CONTAINS } };
    skip_spaces(r);
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        size_t length = strlen(signs[i].sign);
        if (strncmp(r->at, signs[i].sign, length) != 0) continue;
        term->compare = signs[i].compare;
        r->at += length;
        break;
    }
    skip_spaces(r);
}

static bool is(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Digits with a sign, of at most 64 bits. */
static bool read_integer(snap_literal *literal, const char *text, size_t length) {
    size_t i = length > 1 && (*text == '-' || *text == '+');
    if (i == length) return false;
    literal->what = SNAP_INTEGER;
    literal->magnitude = 0;
    for (; i < length; i++) {
        unsigned digit = (unsigned)(text[i] - '0');
        if (text[i] < '0' || text[i] > '9' || literal->magnitude > (UINT64_MAX - digit) / 10) return false;
        literal->magnitude = literal->magnitude * 10 + digit;
    }
    literal->negative = *text == '-' && literal->magnitude != 0;
    return true;
}

enum { DIGITS = 400 };

static bool read_number(snap_literal *literal, covey_kind kind, const char *text, size_t length) {
    char copy[DIGITS], *end = copy;
    bool is_float = kind == COVEY_KIND_F32 || kind == COVEY_KIND_F64;
    if (!is_float && read_integer(literal, text, length)) return true;
    if (length == 0 || length >= DIGITS || *text == ' ') return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    literal->what = SNAP_REAL;
    literal->real = kind == COVEY_KIND_F32 ? (double)strtof(copy, &end) : strtod(copy, &end);
    return *end == '\0';
}

static bool read_entity(snap_literal *literal, const char *text, size_t length) {
    snap_literal index, generation;
    const char *colon = memchr(text, ':', length);
    literal->what = SNAP_ENTITY;
    literal->entity = (covey_entity){ 0, 0 };
    if (is(text, length, "null")) return true;
    if (!colon || !read_integer(&index, text, (size_t)(colon - text)) ||
        !read_integer(&generation, colon + 1, length - 1 - (size_t)(colon - text)))
        return false;
    if (index.negative || generation.negative || index.magnitude > UINT32_MAX || generation.magnitude > UINT32_MAX)
        return false;
    literal->entity = covey_entity_make((uint32_t)index.magnitude, (uint32_t)generation.magnitude);
    return !covey_is_null(literal->entity);
}

static bool read_bool(snap_literal *literal, const char *text, size_t length) {
    literal->what = SNAP_BOOL;
    literal->boolean = is(text, length, "true");
    return literal->boolean || is(text, length, "false");
}

/* Quotes around a text are left out. */
static bool read_text(snap_literal *literal, const char *text, size_t length) {
    bool quoted = length >= 2 && text[0] == '"' && text[length - 1] == '"';
    literal->what = SNAP_TEXT;
    literal->text = text + quoted;
    literal->length = length - 2 * (size_t)quoted;
    return true;
}

static bool is_text(const snap_term *term) { return !term->pool || term->kind == COVEY_KIND_CHAR; }

static bool read_literal(const snap_term *term, snap_literal *literal, const char *text, size_t length) {
    if (is_text(term)) return read_text(literal, text, length);
    if (term->kind == COVEY_KIND_ENTITY) return read_entity(literal, text, length);
    if (term->kind == COVEY_KIND_BOOL) return read_bool(literal, text, length);
    return read_number(literal, term->kind, text, length);
}

/* "low..high", of numbers. */
static bool read_range(reader *r, snap_term *term, const char *dots) {
    const char *high = dots + 2;
    size_t length = strlen(high);
    if (term->compare != SNAP_EQUAL) return fail(r, "a range follows =");
    term->compare = SNAP_BETWEEN;
    return (read_literal(term, &term->low, r->at, (size_t)(dots - r->at)) &&
            read_literal(term, &term->high, high, length)) ||
           fail(r, "a range is two numbers, such as 1..5");
}

static const char *expected(const snap_term *term) {
    return term->kind == COVEY_KIND_ENTITY ? "the field is an entity: compare it with one such as 12:1, or with null"
           : term->kind == COVEY_KIND_BOOL ? "the field is a bool: compare it with true or false"
                                           : "the field is a number";
}

static bool read_value(reader *r, snap_term *term) {
    size_t length = strlen(r->at);
    while (length > 0 && r->at[length - 1] == ' ') length--;
    bool only_equal = term->pool && (term->kind == COVEY_KIND_ENTITY || term->kind == COVEY_KIND_BOOL);
    const char *dots = is_text(term) || only_equal ? NULL : strstr(r->at, "..");
    if (term->pool && (term->kind == COVEY_KIND_NESTED || term->kind == COVEY_KIND_PADDING))
        return fail(r, "name a number, a bool, an entity or a text in it");
    if (dots) return read_range(r, term, dots);
    if (only_equal && term->compare > SNAP_UNEQUAL) return fail(r, "it has no order: compare with = or !=");
    if (term->compare == SNAP_CONTAINS && !is_text(term)) return fail(r, "~ is for texts");
    return read_literal(term, &term->low, r->at, length) || fail(r, expected(term));
}

bool snap_term_read(snap_term *term, const covey_world *world, const char *path, const char *text) {
    reader r = { text, text, path, world };
    *term = (snap_term){ .kind = COVEY_KIND_PADDING };
    skip_spaces(&r);
    term->negated = *r.at == '!';
    r.at += term->negated;
    if (!read_type(&r, term) || (term->pool && !read_path(&r, term))) return false;
    bool names_field = term->kind != COVEY_KIND_PADDING;
    read_compare(&r, term);
    if (term->compare == SNAP_HAS) {
        if (*r.at != '\0') return fail(&r, "it is followed by something else than a comparison");
        return !names_field || fail(&r, "compare the field with a value");
    }
    if (term->pool && !names_field) return fail(&r, "compare a field of the type");
    if (term->negated) return fail(&r, "! is for types; compare with !=");
    return read_value(&r, term);
}
