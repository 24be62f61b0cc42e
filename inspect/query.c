/* Reads queries. */
#include "query.h"

#include "guess.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

typedef struct reader {
    const covey_world *world;
    inspect__query *query;
    const char *at; /* the next character, in query->text */
    inspect__query_error *error;
} reader;

static size_t offset_of(const reader *r, const char *at) { return (size_t)(at - r->query->text); }

/* Sets the error, and returns false. */
INSPECT__PRINTF(4, 5) static bool wrong(reader *r, const char *at, size_t length, const char *format, ...) {
    va_list arguments;
    r->error->at = offset_of(r, at);
    r->error->length = length;
    va_start(arguments, format);
    vsnprintf(r->error->text, sizeof r->error->text, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Words --------------------------------------------------------------------------------------------------------*/

static void skip_blanks(reader *r) {
    while (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r') r->at++;
}

/* The characters of type names and paths. */
static bool is_word(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == ':' || c == '[' || c == ']' || c == '$' || (unsigned char)c >= 0x80;
}

static size_t word_length(const char *text) {
    size_t length = 0;
    while (is_word(text[length])) length++;
    return length;
}

static bool word_is(const char *text, size_t length, const char *word) {
    return strlen(word) == length && memcmp(text, word, length) == 0;
}

/* Skips a sign, if it is next. */
static bool skip_sign(reader *r, const char *sign) {
    skip_blanks(r);
    size_t length = strlen(sign);
    if (strncmp(r->at, sign, length) != 0) return false;
    r->at += length;
    return true;
}

/* Reads a text in quotes, with the escapes \" and \\. Unescapes it in place. */
static bool read_quoted(reader *r, const char **text, size_t *length) {
    const char *begin = r->at;
    char *to = r->query->text + offset_of(r, begin) + 1;
    *text = to;
    for (r->at++; *r->at != '"'; r->at++) {
        if (*r->at == '\\' && (r->at[1] == '"' || r->at[1] == '\\')) r->at++;
        if (*r->at == '\0') return wrong(r, begin, (size_t)(r->at - begin), "the text has no closing \"");
        *to++ = *r->at;
    }
    *length = (size_t)(to - *text);
    r->at++;
    return true;
}

/* ---- Types and fields ---------------------------------------------------------------------------------------------*/

static const covey_pool *find_pool(const covey_world *world, const char *name, size_t length) {
    for (uint32_t i = 0; i < covey_world_pool_count(world); i++) {
        const covey_pool *pool = covey_world_pool(world, i);
        const char *own = covey_pool_type(pool)->name;
        if (strncmp(own, name, length) == 0 && own[length] == '\0') return pool;
    }
    return NULL;
}

/* Finds the longest prefix of a word that is the name of a type. It ends at a dot, a bracket or the end of the word. */
static const covey_pool *find_longest(const covey_world *world, const char *word, size_t length, size_t *used) {
    for (*used = length; *used > 0; (*used)--) {
        if (*used < length && word[*used] != '.' && word[*used] != '[') continue;
        const covey_pool *pool = find_pool(world, word, *used);
        if (pool) return pool;
    }
    return NULL;
}

/* Sets an error, and adds what was probably meant. NULL: no name is similar. */
static void fill_error(inspect__query_error *error, size_t at, size_t length, const char *text, const char *meant) {
    const char *ask = meant ? "; did you mean " : "", *mark = meant ? "?" : "";
    error->at = at;
    error->length = length;
    snprintf(error->text, sizeof error->text, "%s%s%s%s", text, ask, meant ? meant : "", mark);
}

static const char no_type[] = "the world has no component type of this name";

/* Finds the place that a path leads to in a type. Returns false, and sets *error, if there is none. */
static bool find_place(const covey_type *type, const char *path, size_t length, inspect__place *place,
                       inspect__query_error *error) {
    size_t at, wrong_length;
    const char *why = inspect__place_find(type, path, length, place, &at, &wrong_length);
    if (why) fill_error(error, at, wrong_length, why, inspect__guess_field(place, path + at, wrong_length));
    return !why;
}

bool inspect__path_read(const covey_world *world, const char *text, size_t length, const covey_pool **pool,
                        inspect__place *place, inspect__query_error *error) {
    size_t used;
    *pool = find_longest(world, text, length, &used);
    if (!*pool) {
        size_t name = 0;
        while (name < length && text[name] != '.' && text[name] != '[') name++;
        fill_error(error, 0, name, no_type, inspect__guess_type(world, text, name));
        return false;
    }
    size_t path = used < length && text[used] == '.' ? used + 1 : used;
    if (find_place(covey_pool_type(*pool), text + path, length - path, place, error)) return true;
    error->at += path;
    return false;
}

/* ---- Literals -----------------------------------------------------------------------------------------------------*/

/* Reads "12:1" or "null". */
static bool read_handle(const char *word, size_t length, inspect__literal *literal) {
    char text[32];
    if (length >= sizeof text) return false;
    memcpy(text, word, length);
    text[length] = '\0';
    literal->what = INSPECT__ENTITY;
    return inspect__entity_read(text, &literal->e);
}

static size_t number_length(const char *text) {
    size_t length = strspn(text, "+-");
    length += strspn(text + length, "0123456789.");
    if (length > 0 && (text[length] == 'e' || text[length] == 'E')) {
        length++;
        length += strspn(text + length, "+-");
        length += strspn(text + length, "0123456789");
    }
    return length;
}

static bool read_number(const char *text, size_t length, inspect__literal *literal) {
    char copy[64], *end;
    if (length == 0 || length >= sizeof copy) return false;
    memcpy(copy, text, length);
    copy[length] = '\0';
    const char *digits = copy + (copy[0] == '-' || copy[0] == '+');
    errno = 0;
    literal->negative = copy[0] == '-';
    literal->magnitude = strtoull(digits, &end, 10);
    bool integer = *digits >= '0' && *digits <= '9' && *end == '\0' && errno == 0;
    literal->what = integer ? INSPECT__INTEGER : INSPECT__REAL;
    literal->real = strtod(copy, &end);
    return end != copy && *end == '\0';
}

static bool read_literal(reader *r, inspect__literal *literal) {
    skip_blanks(r);
    const char *begin = r->at;
    if (*begin == '"') {
        literal->what = INSPECT__TEXT;
        return read_quoted(r, &literal->text, &literal->length);
    }
    size_t word = word_length(begin), number = number_length(begin);
    if (word_is(begin, word, "true") || word_is(begin, word, "false")) {
        *literal = (inspect__literal){ .what = INSPECT__BOOL, .magnitude = *begin == 't' };
        r->at += word;
        return true;
    }
    if (number >= word && read_number(begin, number, literal)) {
        r->at += number;
        return true;
    }
    if (word > 0 && read_handle(begin, word, literal)) {
        r->at += word;
        return true;
    }
    size_t length = word > number ? word : number;
    return wrong(r, begin, length > 0 ? length : 1,
                 "compare with a number, true or false, a text in quotes, or an entity such as 12:1");
}

static inspect__compare read_compare(reader *r) {
    static const struct {
        const char *sign;
        inspect__compare compare;
    } signs[] = { { "==", INSPECT__EQUAL },    { "!=", INSPECT__UNEQUAL }, { "<=", INSPECT__AT_MOST },
                  { ">=", INSPECT__AT_LEAST }, { "=", INSPECT__EQUAL },    { "<", INSPECT__LESS },
                  { ">", INSPECT__MORE },      { "~", INSPECT__CONTAINS } };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (skip_sign(r, signs[i].sign)) return signs[i].compare;
    return INSPECT__IS_THERE;
}

/* ---- Terms --------------------------------------------------------------------------------------------------------*/

/* Converts a text that names an entity, such as "12:1". */
static void text_as_entity(inspect__literal *literal) {
    inspect__literal read = *literal;
    if (literal->what == INSPECT__TEXT && read_handle(literal->text, literal->length, &read)) *literal = read;
}

/* Returns NULL if a field can be compared like this, or else why not. */
static const char *comparison_fault(const inspect__place *place, inspect__compare compare,
                                    const inspect__literal *literal) {
    bool equality = compare == INSPECT__EQUAL || compare == INSPECT__UNEQUAL;
    if (inspect__place_is_text(place)) {
        if (literal->what != INSPECT__TEXT) return "this field is a text: compare it with a text in quotes";
        return equality || compare == INSPECT__CONTAINS ? NULL : "texts are compared with ==, != and ~";
    }
    if (place->array) return "name an element of the array, such as [0]";
    if (place->kind == COVEY_KIND_NESTED) return "this is a struct: name one of its fields";
    if (place->kind == COVEY_KIND_PADDING) return "this type has no description of its fields";
    if (place->kind == COVEY_KIND_CHAR)
        return literal->what != INSPECT__TEXT || literal->length != 1 || !equality
                   ? "this field is a character: compare it with == or != and a character in quotes"
                   : NULL;
    if (place->kind == COVEY_KIND_ENTITY)
        return literal->what != INSPECT__ENTITY || !equality
                   ? "this field is an entity: compare it with == or != and an entity, such as 12:1, or null"
                   : NULL;
    if (place->kind == COVEY_KIND_BOOL)
        return literal->what != INSPECT__BOOL || !equality
                   ? "this field is a bool: compare it with == or != and true or false"
                   : NULL;
    if (literal->what != INSPECT__INTEGER && literal->what != INSPECT__REAL)
        return "this field is a number: compare it with a number";
    return compare == INSPECT__CONTAINS ? "numbers are compared with == != < <= > >=" : NULL;
}

static bool read_comparison(reader *r, inspect__term *term, const char *begin) {
    const char *sign = r->at;
    term->compare = read_compare(r);
    if (term->compare == INSPECT__IS_THERE)
        return wrong(r, begin, (size_t)(sign - begin), "a field needs a comparison, such as < 10");
    skip_blanks(r);
    const char *literal = r->at;
    if (!read_literal(r, &term->literal)) return false;
    if (term->place.kind == COVEY_KIND_ENTITY) text_as_entity(&term->literal);
    const char *why = comparison_fault(&term->place, term->compare, &term->literal);
    return !why || wrong(r, literal, (size_t)(r->at - literal), "%s", why);
}

/* Reads the name of a type, which may be in quotes, and a path after it. */
static bool read_type(reader *r, const covey_pool **pool, inspect__place *place, bool *path) {
    const char *begin = r->at, *text = begin;
    size_t length = word_length(begin);
    inspect__query_error error;
    if (*begin == '"') {
        if (!read_quoted(r, &text, &length)) return false;
        *pool = find_pool(r->world, text, length);
        if (!*pool) {
            fill_error(&error, 0, 0, no_type, inspect__guess_type(r->world, text, length));
            return wrong(r, begin, (size_t)(r->at - begin), "%s", error.text);
        }
        size_t rest = *r->at == '.' ? word_length(r->at + 1) : 0;
        *path = rest != 0;
        if (!find_place(covey_pool_type(*pool), r->at + 1, rest, place, &error))
            return wrong(r, r->at + 1 + error.at, error.length, "%s", error.text);
        r->at += rest != 0 ? rest + 1 : 0;
        return true;
    }
    if (length == 0)
        return wrong(r, begin, 1, "a term begins with a component type, !, ?, #, name, parent, root or disabled");
    if (!inspect__path_read(r->world, text, length, pool, place, &error))
        return wrong(r, begin + error.at, error.length, "%s", error.text);
    r->at += length;
    *path = length > strlen(covey_pool_type(*pool)->name);
    return true;
}

static bool add_any(reader *r, inspect__term *term, const covey_pool *pool, const char *begin) {
    inspect__query *query = r->query;
    if (query->any_count == INSPECT__QUERY_ANY)
        return wrong(r, begin, (size_t)(r->at - begin), "a query has at most %d types with |", INSPECT__QUERY_ANY);
    query->any[query->any_count++] = pool;
    term->count++;
    return true;
}

/* Reads A | B | C. */
static bool read_any(reader *r, inspect__term *term) {
    term->kind = INSPECT__TERM_ANY;
    term->first = r->query->any_count;
    if (!add_any(r, term, term->pool, r->at)) return false;
    while (skip_sign(r, "|")) {
        const covey_pool *pool;
        inspect__place place;
        bool path;
        skip_blanks(r);
        const char *begin = r->at;
        if (!read_type(r, &pool, &place, &path)) return false;
        if (path) return wrong(r, begin, (size_t)(r->at - begin), "only types can be joined with |");
        if (!add_any(r, term, pool, begin)) return false;
    }
    return true;
}

static bool read_component(reader *r, inspect__term *term, bool optional) {
    const char *begin = r->at;
    bool path;
    if (!read_type(r, &term->pool, &term->place, &path)) return false;
    term->kind = path ? INSPECT__TERM_FIELD : INSPECT__TERM_HAS;
    if (path) {
        if (optional || term->negated)
            return wrong(r, begin, (size_t)(r->at - begin), "! and ? are allowed before types, not before fields");
        return read_comparison(r, term, begin);
    }
    skip_blanks(r);
    return *r->at != '|' || read_any(r, term);
}

/* Reads #12 or #12:1. */
static bool read_entity(reader *r, inspect__term *term) {
    const char *begin = r->at++;
    size_t length = word_length(r->at);
    char *end;
    term->kind = INSPECT__TERM_ENTITY;
    errno = 0;
    unsigned long long index = strtoull(r->at, &end, 10);
    bool digits = *r->at >= '0' && *r->at <= '9' && errno == 0;
    r->at += length;
    if (digits && end == begin + 1 + length && index < COVEY_NONE) {
        term->any_generation = true;
        term->literal.e = covey_entity_make((uint32_t)index, 1);
        return true;
    }
    if (read_handle(begin + 1, length, &term->literal) && !covey_is_null(term->literal.e)) return true;
    return wrong(r, begin, length + 1, "an entity is #index or #index:generation, such as #12 or #12:1");
}

static bool read_name(reader *r, inspect__term *term) {
    const char *begin = r->at;
    term->kind = INSPECT__TERM_NAME;
    r->at += strlen("name");
    term->compare = read_compare(r);
    if (term->compare == INSPECT__IS_THERE) return true;
    if (term->negated || (term->compare >= INSPECT__LESS && term->compare <= INSPECT__AT_LEAST))
        return wrong(r, begin, (size_t)(r->at - begin), "names are compared with ==, != and ~");
    skip_blanks(r);
    begin = r->at;
    if (!read_literal(r, &term->literal)) return false;
    return term->literal.what == INSPECT__TEXT ||
           wrong(r, begin, (size_t)(r->at - begin), "a name is a text in quotes");
}

static bool read_parent(reader *r, inspect__term *term) {
    const char *begin = r->at;
    term->kind = INSPECT__TERM_PARENT;
    r->at += strlen("parent");
    term->compare = read_compare(r);
    if (term->compare == INSPECT__IS_THERE) return true;
    if (term->negated || term->compare > INSPECT__UNEQUAL)
        return wrong(r, begin, (size_t)(r->at - begin), "parents are compared with == and !=");
    skip_blanks(r);
    begin = r->at;
    if (!read_literal(r, &term->literal)) return false;
    text_as_entity(&term->literal);
    return term->literal.what == INSPECT__ENTITY ||
           wrong(r, begin, (size_t)(r->at - begin), "a parent is an entity such as 12:1, or null");
}

static bool read_term(reader *r, inspect__term *term) {
    bool optional = skip_sign(r, "?");
    term->negated = !optional && skip_sign(r, "!");
    skip_blanks(r);
    size_t length = word_length(r->at);
    if (*r->at == '#' && !optional && !term->negated) return read_entity(r, term);
    if (!optional && word_is(r->at, length, "name")) return read_name(r, term);
    if (!optional && word_is(r->at, length, "parent")) return read_parent(r, term);
    bool disabled = word_is(r->at, length, "disabled"), root = word_is(r->at, length, "root");
    if (!optional && (disabled || root)) {
        term->kind = disabled ? INSPECT__TERM_DISABLED : INSPECT__TERM_ROOT;
        r->at += length;
        return true;
    }
    if (!read_component(r, term, optional)) return false;
    if (optional) r->query->count--; /* it only has to be valid: all entities match */
    return true;
}

/* Sorts the terms by kind. Stable. */
static void sort_terms(inspect__query *query) {
    for (uint32_t i = 1; i < query->count; i++)
        for (uint32_t k = i; k > 0 && query->terms[k].kind < query->terms[k - 1].kind; k--) {
            inspect__term term = query->terms[k];
            query->terms[k] = query->terms[k - 1];
            query->terms[k - 1] = term;
        }
}

static bool read_terms(reader *r) {
    inspect__query *query = r->query;
    skip_blanks(r);
    if (*r->at == '\0') return true;
    do {
        skip_blanks(r);
        if (query->count == INSPECT__QUERY_TERMS)
            return wrong(r, r->at, 1, "a query has at most %d terms", INSPECT__QUERY_TERMS);
        inspect__term *term = &query->terms[query->count++];
        *term = (inspect__term){ 0 };
        if (!read_term(r, term)) return false;
    } while (skip_sign(r, ","));
    if (*r->at == '\0') return true;
    size_t length = word_length(r->at);
    return wrong(r, r->at, length > 0 ? length : 1, "terms are separated by commas");
}

bool inspect__query_read(inspect__query *query, const covey_world *world, const char *text,
                         inspect__query_error *error) {
    *query = (inspect__query){ .text = "" };
    *error = (inspect__query_error){ .text = "" };
    reader r = { world, query, query->text, error };
    size_t length = strlen(text);
    if (length >= sizeof query->text)
        return wrong(&r, r.at + sizeof query->text - 1, 1, "a query has at most %zu bytes", sizeof query->text - 1);
    memcpy(query->text, text, length + 1);
    if (!read_terms(&r)) return false;
    sort_terms(query);
    return true;
}
