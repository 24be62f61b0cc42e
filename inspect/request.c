/* A request: its state, its arguments, and refusing it. */
#include "inspector.h"

#include <stdio.h>
#include <stdlib.h>

inspect__request *inspect__request_create(covey_inspector *inspector, struct MHD_Connection *connection) {
    inspect__request *request = inspect__zeroed(inspector, sizeof *request);
    if (!request) return NULL;
    request->inspector = inspector;
    request->connection = connection;
    request->type = "application/json";
    request->json = (inspect__json){ .inspector = inspector, .most = inspector->desc.answer_bytes };
    return request;
}

void inspect__request_drop_state(inspect__request *request) {
    if (!request->state) return;
    if (request->drop) request->drop(request->inspector, request->state);
    inspect__free(request->inspector, request->state, request->state_size);
    request->state = NULL;
}

void inspect__request_destroy(inspect__request *request) {
    if (!request) return;
    inspect__request_drop_state(request);
    json_decref(request->parsed);
    inspect__json_free(&request->json);
    inspect__free(request->inspector, request->body, request->body_capacity);
    inspect__free(request->inspector, request, sizeof *request);
}

void *inspect__request_state(inspect__request *request, size_t size,
                             void (*drop)(covey_inspector *inspector, void *state)) {
    if (request->state) return request->state;
    request->state = inspect__zeroed(request->inspector, size);
    request->state_size = size;
    request->drop = drop;
    if (!request->state) inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    return request->state;
}

bool inspect__request_pauses(const inspect__request *request) { return inspect__now() >= request->inspector->deadline; }

/* ---- Arguments ----------------------------------------------------------------------------------------------------*/

const char *inspect__request_text(const inspect__request *request, const char *key) {
    for (uint32_t i = 0; i < request->argument_count; i++)
        if (strcmp(request->arguments[i].key, key) == 0) return request->arguments[i].value;
    return NULL;
}

/* Reads a number from 0 to `most`. Returns the text after its digits, or NULL if there is no digit, or it is larger. */
static const char *read_number(const char *text, uint64_t most, uint64_t *number) {
    const char *at = text;
    *number = 0;
    for (; *at >= '0' && *at <= '9'; at++) {
        uint64_t digit = (uint64_t)(*at - '0');
        if (*number > (most - digit) / 10 || digit > most) return NULL;
        *number = *number * 10 + digit;
    }
    return at == text ? NULL : at;
}

bool inspect__request_number(inspect__request *request, const char *key, uint64_t otherwise, uint64_t most,
                             uint64_t *number) {
    const char *text = inspect__request_text(request, key);
    *number = otherwise;
    if (!text) return true;
    const char *end = read_number(text, most, number);
    if (end && *end == '\0') return true;
    inspect__refuse(request, 422, "ARGUMENT", "%s must be a number from 0 to %llu", key, (unsigned long long)most);
    return false;
}

bool inspect__entity_read(const char *text, covey_entity *e) {
    uint64_t index, generation;
    *e = (covey_entity){ 0 };
    if (strcmp(text, "null") == 0) return true;
    const char *colon = read_number(text, UINT32_MAX, &index);
    if (!colon || *colon != ':') return false;
    const char *end = read_number(colon + 1, UINT32_MAX, &generation);
    if (!end || *end != '\0') return false;
    *e = covey_entity_make((uint32_t)index, (uint32_t)generation);
    return !covey_is_null(*e);
}

bool inspect__request_entity(inspect__request *request, const char *key, covey_entity *e) {
    const char *text = inspect__request_text(request, key);
    *e = (covey_entity){ 0 };
    if (!text || inspect__entity_read(text, e)) return true;
    inspect__refuse(request, 422, "ARGUMENT", "%s must be an entity, index:generation, such as 12:1", key);
    return false;
}

const json_t *inspect__request_member(const inspect__request *request, const char *key) {
    return json_object_get(request->parsed, key);
}

const char *inspect__request_member_text(const inspect__request *request, const char *key) {
    return json_string_value(inspect__request_member(request, key));
}

/* ---- Refusals -----------------------------------------------------------------------------------------------------*/

static void begin_refusal(inspect__request *request, unsigned status, const char *code, const char *format,
                          va_list arguments) {
    char text[512];
    vsnprintf(text, sizeof text, format, arguments);
    inspect__json *json = &request->json;
    inspect__json_clear(json);
    if (json->most < INSPECT__REFUSAL) json->most = INSPECT__REFUSAL;
    request->status = status;
    request->type = "application/json";
    inspect__json_object(json, NULL);
    inspect__json_object(json, "error");
    inspect__json_text(json, "code", code);
    inspect__json_text(json, "text", text);
}

static bool end_refusal(inspect__request *request) {
    inspect__json_end_object(&request->json);
    inspect__json_end_object(&request->json);
    return true;
}

bool inspect__refuse(inspect__request *request, unsigned status, const char *code, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    begin_refusal(request, status, code, format, arguments);
    va_end(arguments);
    return end_refusal(request);
}

bool inspect__refuse_at(inspect__request *request, unsigned status, const char *code, size_t at, size_t length,
                        const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    begin_refusal(request, status, code, format, arguments);
    va_end(arguments);
    inspect__json_u64(&request->json, "at", at);
    inspect__json_u64(&request->json, "length", length);
    return end_refusal(request);
}

const char *inspect__result_code(covey_result result) {
    switch (result) {
    case COVEY_OK: return "OK";
    case COVEY_ERROR_MEMORY: return "MEMORY";
    case COVEY_ERROR_DEAD: return "DEAD";
    case COVEY_ERROR_PRESENT: return "PRESENT";
    case COVEY_ERROR_ABSENT: return "ABSENT";
    case COVEY_ERROR_FULL: return "FULL";
    case COVEY_ERROR_TAKEN: return "TAKEN";
    case COVEY_ERROR_RANGE: return "RANGE";
    case COVEY_ERROR_TYPE: return "TYPE";
    case COVEY_ERROR_LAYOUT: return "LAYOUT";
    case COVEY_ERROR_COPY: return "COPY";
    case COVEY_ERROR_REFUSED: return "REFUSED";
    case COVEY_ERROR_CONFLICT: return "CONFLICT";
    case COVEY_ERROR_GONE: return "GONE";
    case COVEY_ERROR_CYCLE: return "CYCLE";
    case COVEY_ERROR_FILE: return "FILE";
    case COVEY_ERROR_IMAGE: return "IMAGE";
    case COVEY_ERROR_LIMIT: return "LIMIT";
    case COVEY_ERROR_CANCELLED: return "CANCELLED";
    }
    return "UNKNOWN";
}

bool inspect__refuse_result(inspect__request *request, covey_result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    begin_refusal(request, result == COVEY_ERROR_MEMORY ? 500 : 409, inspect__result_code(result), format, arguments);
    va_end(arguments);
    return end_refusal(request);
}
