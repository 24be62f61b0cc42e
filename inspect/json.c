#include "json.h"

#include "inspector.h"

#include <float.h>
#include <stdio.h>
#include <stdlib.h>

#define EXACT (INT64_C(1) << 53) /* a double has all integers up to here exactly */

void inspect__json_free(inspect__json *json) {
    inspect__free(json->inspector, json->bytes, json->capacity);
    json->bytes = NULL;
    json->length = json->capacity = 0;
}

void inspect__json_clear(inspect__json *json) {
    json->length = 0;
    json->failed = json->over = json->begun = false;
}

bool inspect__json_whole(const inspect__json *json) { return !json->failed && !json->over; }

/* Makes room for `count` more bytes. */
static bool reserve(inspect__json *json, size_t count) {
    if (json->failed || json->over) return false;
    if (count > json->most - json->length) {
        json->over = true;
        return false;
    }
    if (count <= json->capacity - json->length) return true;
    size_t capacity = json->capacity < 256 ? 256 : json->capacity;
    while (capacity - json->length < count) capacity *= 2;
    char *bytes = inspect__resize(json->inspector, json->bytes, json->capacity, capacity);
    if (!bytes) {
        json->failed = true;
        return false;
    }
    json->bytes = bytes;
    json->capacity = capacity;
    return true;
}

void inspect__json_raw(inspect__json *json, const void *bytes, size_t count) {
    if (count == 0 || !reserve(json, count)) return;
    memcpy(json->bytes + json->length, bytes, count);
    json->length += count;
}

static void put(inspect__json *json, const char *text) { inspect__json_raw(json, text, strlen(text)); }

/* ---- Texts --------------------------------------------------------------------------------------------------------*/

/* The length of the character at `text`, in bytes; 0 if it is not valid UTF-8. */
static size_t character_length(const unsigned char *text, size_t left) {
    static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
    size_t length = text[0] < 0x80   ? 1
                    : text[0] < 0xC0 ? 0
                    : text[0] < 0xE0 ? 2
                    : text[0] < 0xF0 ? 3
                    : text[0] < 0xF8 ? 4
                                     : 0;
    if (length <= 1) return length;
    if (length > left) return 0;
    uint32_t code = text[0] & (0x7Fu >> length);
    for (size_t i = 1; i < length; i++) {
        if ((text[i] & 0xC0) != 0x80) return 0;
        code = code << 6 | (text[i] & 0x3Fu);
    }
    return code < least[length] || code > 0x10FFFF || (code >= 0xD800 && code < 0xE000) ? 0 : length;
}

/* How many bytes from `text` on need no escape. */
static size_t plain_length(const unsigned char *text, size_t left) {
    size_t count = 0;
    while (count < left && text[count] >= ' ' && text[count] < 0x7F && text[count] != '"' && text[count] != '\\')
        count++;
    return count;
}

/* Writes one character that is not plain ASCII. Returns its length in bytes. */
static size_t put_character(inspect__json *json, const unsigned char *text, size_t left) {
    size_t length = character_length(text, left);
    if (length == 0) {
        put(json, "\\ufffd");
        return 1;
    }
    if (length > 1) {
        inspect__json_raw(json, text, length);
        return length;
    }
    char escaped[8];
    if (text[0] == '"' || text[0] == '\\') snprintf(escaped, sizeof escaped, "\\%c", text[0]);
    else snprintf(escaped, sizeof escaped, "\\u%04x", (unsigned)text[0]);
    put(json, escaped);
    return 1;
}

static void put_quoted(inspect__json *json, const char *text, size_t length) {
    const unsigned char *at = (const unsigned char *)text;
    put(json, "\"");
    while (length > 0) {
        size_t count = plain_length(at, length);
        inspect__json_raw(json, at, count);
        if (count == 0) count = put_character(json, at, length);
        at += count;
        length -= count;
    }
    put(json, "\"");
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

/* Writes what comes before a value: a comma, and the key. */
static void begin(inspect__json *json, const char *key) {
    if (json->begun) put(json, ",");
    json->begun = true;
    if (!key) return;
    put_quoted(json, key, strlen(key));
    put(json, ":");
}

static void open_with(inspect__json *json, const char *key, const char *bracket) {
    begin(json, key);
    put(json, bracket);
    json->begun = false;
}

static void close_with(inspect__json *json, const char *bracket) {
    put(json, bracket);
    json->begun = true;
}

static void put_value(inspect__json *json, const char *key, const char *text) {
    begin(json, key);
    put(json, text);
}

void inspect__json_object(inspect__json *json, const char *key) { open_with(json, key, "{"); }
void inspect__json_end_object(inspect__json *json) { close_with(json, "}"); }
void inspect__json_array(inspect__json *json, const char *key) { open_with(json, key, "["); }
void inspect__json_end_array(inspect__json *json) { close_with(json, "]"); }
void inspect__json_null(inspect__json *json, const char *key) { put_value(json, key, "null"); }
void inspect__json_bool(inspect__json *json, const char *key, bool value) {
    put_value(json, key, value ? "true" : "false");
}

void inspect__json_bytes(inspect__json *json, const char *key, const char *text, size_t length) {
    begin(json, key);
    put_quoted(json, text, length);
}

void inspect__json_text(inspect__json *json, const char *key, const char *text) {
    if (text) inspect__json_bytes(json, key, text, strlen(text));
    else inspect__json_null(json, key);
}

void inspect__json_hex(inspect__json *json, const char *key, const void *bytes, size_t count) {
    static const char digits[] = "0123456789abcdef";
    const unsigned char *at = bytes;
    begin(json, key);
    put(json, "\"");
    for (size_t i = 0; i < count; i++) {
        char pair[2] = { digits[at[i] >> 4], digits[at[i] & 15] };
        inspect__json_raw(json, pair, 2);
    }
    put(json, "\"");
}

void inspect__json_entity(inspect__json *json, const char *key, covey_entity e) {
    char text[32];
    covey_entity_print(text, sizeof text, e);
    if (covey_is_null(e)) inspect__json_null(json, key);
    else inspect__json_text(json, key, text);
}

/* Does not use printf, which would take most of the time of an answer: most values are numbers. */
static void put_integer(inspect__json *json, const char *key, bool negative, uint64_t magnitude) {
    char text[32], *at = text + sizeof text;
    bool quoted = magnitude > (uint64_t)EXACT;
    if (quoted) *--at = '"';
    do *--at = (char)('0' + magnitude % 10);
    while ((magnitude /= 10) != 0);
    if (negative) *--at = '-';
    if (quoted) *--at = '"';
    begin(json, key);
    inspect__json_raw(json, at, (size_t)(text + sizeof text - at));
}

void inspect__json_u64(inspect__json *json, const char *key, uint64_t number) { put_integer(json, key, false, number); }

void inspect__json_i64(inspect__json *json, const char *key, int64_t number) {
    put_integer(json, key, number < 0, number < 0 ? 0 - (uint64_t)number : (uint64_t)number);
}

/* Whether a number is a small integer. -0 is not: it needs its sign. */
static bool is_small_integer(double number) {
    return number > -1e6 && number < 1e6 && (double)(int32_t)number == number && (number != 0 || 1 / number > 0);
}

/* The string for a number that JSON cannot represent; NULL for others. */
static const char *special(double number) {
    return number != number ? "\"nan\"" : number > DBL_MAX ? "\"inf\"" : number < -DBL_MAX ? "\"-inf\"" : NULL;
}

/* Writes enough digits to read exactly the same number again. */
void inspect__json_f32(inspect__json *json, const char *key, float number) {
    char text[32];
    const char *found = special((double)number);
    if (!found && is_small_integer((double)number)) {
        inspect__json_i64(json, key, (int32_t)number);
        return;
    }
    if (!found) {
        snprintf(text, sizeof text, "%.6g", (double)number);
        if (strtof(text, NULL) != number) snprintf(text, sizeof text, "%.9g", (double)number);
    }
    put_value(json, key, found ? found : text);
}

void inspect__json_f64(inspect__json *json, const char *key, double number) {
    char text[32];
    const char *found = special(number);
    if (!found && is_small_integer(number)) {
        inspect__json_i64(json, key, (int32_t)number);
        return;
    }
    if (!found) {
        snprintf(text, sizeof text, "%.15g", number);
        if (strtod(text, NULL) != number) snprintf(text, sizeof text, "%.17g", number);
    }
    put_value(json, key, found ? found : text);
}
