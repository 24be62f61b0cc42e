/* Writes JSON, or bytes, into a buffer that grows. Callers need not check each call: without memory, or beyond the size
 * limit, the rest is discarded, and `failed` or `over` is set. */
#ifndef COVEY_INSPECT_JSON_H
#define COVEY_INSPECT_JSON_H

#include <covey/inspect.h>

typedef struct inspect__json {
    covey_inspector *inspector; /* allocates the buffer */
    char *bytes;
    size_t length, capacity;
    size_t most;       /* size limit */
    bool failed, over; /* no memory; longer than `most` */
    bool begun;        /* a value was written in this object or array: the next one needs a comma */
} inspect__json;

void inspect__json_free(inspect__json *json);
void inspect__json_clear(inspect__json *json); /* empties the buffer */
bool inspect__json_whole(const inspect__json *json);

/* Each writes one value. `key` is its name in an object, and NULL in an array and at the top. */
void inspect__json_object(inspect__json *json, const char *key);
void inspect__json_end_object(inspect__json *json);
void inspect__json_array(inspect__json *json, const char *key);
void inspect__json_end_array(inspect__json *json);
void inspect__json_null(inspect__json *json, const char *key);
void inspect__json_bool(inspect__json *json, const char *key, bool value);
void inspect__json_text(inspect__json *json, const char *key, const char *text); /* NULL: null. Invalid UTF-8: U+FFFD */
void inspect__json_bytes(inspect__json *json, const char *key, const char *text, size_t length); /* the same */
void inspect__json_hex(inspect__json *json, const char *key, const void *bytes, size_t count);
void inspect__json_entity(inspect__json *json, const char *key, covey_entity e); /* "index:generation", or null */
/* Numbers that JavaScript cannot represent are strings: integers beyond 2^53, "nan", "inf" and "-inf". */
void inspect__json_u64(inspect__json *json, const char *key, uint64_t number);
void inspect__json_i64(inspect__json *json, const char *key, int64_t number);
void inspect__json_f32(inspect__json *json, const char *key, float number);
void inspect__json_f64(inspect__json *json, const char *key, double number);

/* Appends bytes without a change, for answers that are not JSON. */
void inspect__json_raw(inspect__json *json, const void *bytes, size_t count);

#endif
