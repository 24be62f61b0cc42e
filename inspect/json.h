/* Writes JSON, or bytes, into a buffer that grows. Nothing has to be checked while writing: where memory is out, or the answer
 * longer than is allowed, the rest is dropped, and the end tells. */
#ifndef COVEY_INSPECT_JSON_H
#define COVEY_INSPECT_JSON_H

#include <covey/inspect.h>

typedef struct inspect__json {
    covey_inspector *inspector; /* whose memory it is */
    char *bytes;
    size_t length, capacity;
    size_t most;       /* that it may become */
    bool failed, over; /* memory is out; it would be longer than that */
    bool begun;        /* a value was written in this object or array: the next one needs a comma */
} inspect__json;

void inspect__json_free(inspect__json *json);
void inspect__json_clear(inspect__json *json); /* begins anew, in the same buffer */
bool inspect__json_whole(const inspect__json *json);

/* Each writes one value. `key` is its name in an object, and NULL in an array and at the top. */
void inspect__json_object(inspect__json *json, const char *key);
void inspect__json_end_object(inspect__json *json);
void inspect__json_array(inspect__json *json, const char *key);
void inspect__json_end_array(inspect__json *json);
void inspect__json_null(inspect__json *json, const char *key);
void inspect__json_bool(inspect__json *json, const char *key, bool value);
void inspect__json_text(inspect__json *json, const char *key, const char *text); /* NULL: null. No UTF-8: U+FFFD */
void inspect__json_bytes(inspect__json *json, const char *key, const char *text, size_t length); /* the same */
void inspect__json_hex(inspect__json *json, const char *key, const void *bytes, size_t count);
void inspect__json_entity(inspect__json *json, const char *key, covey_entity e); /* "index:generation"; null */
/* Numbers that JavaScript cannot hold exactly are texts: integers beyond 2^53, "nan", "inf" and "-inf". */
void inspect__json_u64(inspect__json *json, const char *key, uint64_t number);
void inspect__json_i64(inspect__json *json, const char *key, int64_t number);
void inspect__json_f32(inspect__json *json, const char *key, float number);
void inspect__json_f64(inspect__json *json, const char *key, double number);

/* Bytes as they are, for answers that are not JSON. */
void inspect__json_raw(inspect__json *json, const void *bytes, size_t count);

#endif
