/* GET complete: completions for a query that is being typed. */
#include "query.h"

#include <ctype.h>
#include <stdio.h>
#include <strings.h>

enum { WORDS = 50 };

typedef struct word {
    const char *text, *begin; /* the query; the word under the cursor */
    size_t length;            /* of the word before the cursor */
    size_t rest;              /* of the word after the cursor */
} word;

static bool is_word(char c) {
    return isalnum((unsigned char)c) || c == '_' || c == '.' || c == ':' || c == '[' || c == ']' ||
           (unsigned char)c >= 0x80;
}

static word word_at(const char *text, size_t at) {
    size_t begin = at, end = at;
    while (begin > 0 && is_word(text[begin - 1])) begin--;
    while (is_word(text[end])) end++;
    return (word){ text, text + begin, at - begin, end - at };
}

/* Whether the cursor is inside quotes, where there is nothing to complete. */
static bool is_quoted(const char *text, size_t at) {
    bool quoted = false;
    for (size_t i = 0; i < at; i++) {
        if (quoted && text[i] == '\\' && i + 1 < at) i++;
        else if (text[i] == '"') quoted = !quoted;
    }
    return quoted;
}

/* How well a name fits what was typed, regardless of case: 2: it begins with it; 1: it contains it; 0: not at all. */
static int fits(const char *name, const char *typed, size_t length) {
    if (strncasecmp(name, typed, length) == 0) return 2;
    for (; *name != '\0'; name++)
        if (strncasecmp(name, typed, length) == 0) return 1;
    return 0;
}

static void put_word(inspect__json *json, const char *text, const char *kind, const char *detail) {
    inspect__json_object(json, NULL);
    inspect__json_text(json, "text", text);
    inspect__json_text(json, "kind", kind);
    inspect__json_text(json, "detail", detail);
    inspect__json_end_object(json);
}

static void put_types_that_fit(inspect__json *json, const covey_world *world, const word *w, int how, uint32_t *left) {
    for (uint32_t i = 0; i < covey_world_pool_count(world) && *left > 0; i++) {
        const covey_pool *pool = covey_world_pool(world, i);
        const covey_type *type = covey_pool_type(pool);
        char detail[64];
        if (inspect__is_internal(type) || fits(type->name, w->begin, w->length) != how) continue;
        snprintf(detail, sizeof detail, "%u with it", covey_pool_count(pool));
        put_word(json, type->name, "type", detail);
        (*left)--;
    }
}

static void put_keywords_that_fit(inspect__json *json, const word *w, int how) {
    static const struct {
        const char *text, *detail;
    } words[] = { { "name", "name ~ \"tank\": names that contain a word" },
                  { "parent", "parent = 12:1: the children of an entity" },
                  { "disabled", "entities that are disabled" },
                  { "root", "entities without a parent that have a name or children" } };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (fits(words[i].text, w->begin, w->length) == how) put_word(json, words[i].text, "word", words[i].detail);
}

/* Writes the fields of a struct that fit. */
static void put_fields_that_fit(inspect__json *json, const covey_fields *fields, const char *typed, size_t length,
                                int how) {
    for (const covey_field *field = fields->at; field < fields->at + fields->count; field++) {
        char detail[64];
        if (field->kind == COVEY_KIND_PADDING || fits(field->name, typed, length) != how) continue;
        const char *kind = field->kind == COVEY_KIND_NESTED ? "struct" : covey_kind_name(field->kind);
        if (field->count == 1) snprintf(detail, sizeof detail, "%s", kind);
        else snprintf(detail, sizeof detail, "%s[%u]", kind, field->count);
        put_word(json, field->name, "field", detail);
    }
}

/* The part of a word after its last dot, if it is the name of a field: if a struct is before the dot. NULL
 * otherwise. */
static const char *field_begin(const covey_world *world, const word *w, inspect__place *place) {
    const covey_pool *pool;
    inspect__query_error error;
    for (const char *point = w->begin + w->length; point > w->begin; point--) {
        if (point[-1] != '.') continue;
        size_t before = (size_t)(point - 1 - w->begin);
        bool found = inspect__path_read(world, w->begin, before, &pool, place, &error);
        return found && place->fields && !place->array ? point : NULL;
    }
    return NULL;
}

bool inspect__answer_complete(inspect__request *request, covey_world *world) {
    const char *text = inspect__request_text(request, "query");
    uint64_t at;
    if (!text) text = "";
    if (!inspect__request_number(request, "at", strlen(text), strlen(text), &at)) return true;
    word w = word_at(text, (size_t)at);
    inspect__place place;
    const char *field = field_begin(world, &w, &place), *from = field ? field : w.begin;
    size_t typed = (size_t)(w.begin + w.length - from);
    inspect__json *json = &request->json;
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "from", (uint64_t)(from - text));
    inspect__json_u64(json, "to", at + w.rest);
    inspect__json_array(json, "words");
    uint32_t left = WORDS;
    for (int how = 2; how > 0 && !is_quoted(text, (size_t)at); how--) { /* names that begin with it come first */
        if (field) put_fields_that_fit(json, place.fields, from, typed, how);
        else {
            put_types_that_fit(json, world, &w, how, &left);
            put_keywords_that_fit(json, &w, how);
        }
    }
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}
