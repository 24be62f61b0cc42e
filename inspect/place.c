/* Finds places in values by their paths. */
#include "value.h"

inspect__place inspect__place_of(const covey_type *type) {
    if (!type->fields) return (inspect__place){ .kind = COVEY_KIND_PADDING, .stride = 1, .count = type->size };
    return (inspect__place){ .kind = COVEY_KIND_NESTED, .fields = type->fields, .stride = type->size, .count = 1 };
}

uint32_t inspect__place_size(const inspect__place *place) { return place->stride * place->count; }

bool inspect__place_is_text(const inspect__place *place) { return place->kind == COVEY_KIND_CHAR && place->array; }

size_t inspect__text_length(const inspect__place *place, const void *value) {
    const char *text = (const char *)value + place->offset;
    const char *end = memchr(text, '\0', place->count);
    return end ? (size_t)(end - text) : place->count;
}

inspect__place inspect__place_of_field(const covey_field *field, uint32_t offset) {
    uint32_t stride = field->kind == COVEY_KIND_NESTED ? field->nested->size : covey_kind_size(field->kind);
    return (inspect__place){ .kind = field->kind,
                             .fields = field->nested,
                             .offset = offset + field->offset,
                             .stride = stride,
                             .count = field->count,
                             .array = field->count != 1 };
}

static const covey_field *find_field(const covey_fields *fields, const char *name, size_t length) {
    for (uint32_t i = 0; i < fields->count; i++)
        if (strncmp(fields->at[i].name, name, length) == 0 && fields->at[i].name[length] == '\0') return &fields->at[i];
    return NULL;
}

/* Reads "[number]". Returns the text after it, or NULL if it is something else. */
static const char *read_element(const char *at, const char *end, uint32_t *number) {
    uint64_t read = 0;
    const char *digit = at + 1;
    for (; digit < end && *digit >= '0' && *digit <= '9' && read <= UINT32_MAX; digit++)
        read = read * 10 + (uint64_t)(*digit - '0');
    if (digit == at + 1 || digit == end || *digit != ']' || read > UINT32_MAX) return NULL;
    *number = (uint32_t)read;
    return digit + 1;
}

/* Moves a place to one of its elements, *next after it in the path. Returns NULL, or what is wrong. */
static const char *enter_element(inspect__place *place, const char *at, const char **next, const char *end) {
    uint32_t number;
    *next = read_element(at, end, &number);
    if (!*next) {
        *next = end;
        return "an element is a number in brackets, such as [2]";
    }
    if (!place->array) return "this is not an array";
    if (number >= place->count) return "the array has no such element";
    place->offset += number * place->stride;
    place->count = 1;
    place->array = false;
    return NULL;
}

/* Moves a place to one of its fields, in the same way. */
static const char *enter_field(inspect__place *place, const char *at, const char **next, const char *end) {
    size_t length = 0;
    while (at + length < end && at[length] != '.' && at[length] != '[') length++;
    *next = at + length;
    if (!place->fields || place->array)
        return place->array ? "name an element of the array first, such as [0]" : "this has no fields";
    const covey_field *field = find_field(place->fields, at, length);
    if (!field) return "there is no such field";
    if (field->kind == COVEY_KIND_PADDING) return "this field is padding: its bytes have no description";
    *place = inspect__place_of_field(field, place->offset);
    return NULL;
}

const char *inspect__place_find(const covey_type *type, const char *path, size_t length, inspect__place *place,
                                size_t *at, size_t *wrong) {
    const char *here = path, *end = path + length, *next = path, *why = NULL;
    *place = inspect__place_of(type);
    while (here < end && !why) {
        bool element = *here == '[';
        if (*here == '.' && here != path) here++;
        why = element ? enter_element(place, here, &next, end) : enter_field(place, here, &next, end);
        if (why) break;
        here = next;
    }
    *at = (size_t)(here - path);
    *wrong = next > here ? (size_t)(next - here) : 1;
    return why;
}
