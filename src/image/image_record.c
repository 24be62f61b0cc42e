/* Records: the fields of a value one after the other, little-endian, without padding. A plan is made once for a type.
 * If values in memory have the bytes of records, one memcpy converts all of them. */
#include "image/image.h"

#include "memory/alloc.h"
#include "storage/fields.h"

#include <stdalign.h>
#include <stdio.h>

bool covey__is_little_endian(void) {
    const uint16_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

/* ---- Fields ------------------------------------------------------------------------------------------------------*/

enum { HANDLE = 8 }; /* bytes of a handle in a record: its index and generation */

/* The bytes of an element in a record; 0 if it is not written. */
static uint64_t element_bytes(const covey_field *field) {
    if (field->kind == COVEY_KIND_PADDING) return 0;
    if (field->kind == COVEY_KIND_ENTITY) return HANDLE;
    return field->nested ? covey__record_bytes(field->nested) : covey_kind_size(field->kind);
}

bool covey__is_written(const covey_field *field) { return element_bytes(field) != 0; }

static uint64_t field_bytes(const covey_field *field) {
    uint64_t element = element_bytes(field);
    return element > UINT32_MAX ? element : element * field->count;
}

/* Visits each field once, also in nested structs. */
uint64_t covey__record_bytes(const covey_fields *fields) {
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < fields->count && bytes <= UINT32_MAX; i++) bytes += field_bytes(&fields->at[i]);
    return bytes;
}

static bool is_signed(covey_kind kind) { return kind <= COVEY_KIND_I64; }

static bool is_integer(covey_kind kind) { return kind <= COVEY_KIND_U64; }

/* Whether every value of the old kind fits into the new, wider kind. */
static bool is_widened(covey_kind was, covey_kind is) {
    if (!is_integer(was) || !is_integer(is)) return false;
    return covey_kind_size(was) < covey_kind_size(is) && (is_signed(is) || !is_signed(was));
}

/* ---- Making a plan -----------------------------------------------------------------------------------------------*/

typedef struct planner {
    covey__heap *heap;
    covey__plan *plan;
    covey_result result;
    char *why;
    size_t room;
} planner;

static covey__step *add_step(planner *p, covey__step step) {
    covey__plan *plan = p->plan;
    if (p->result != COVEY_OK) return NULL;
    if (plan->count == plan->capacity) {
        uint32_t capacity = covey__grown(plan->capacity, plan->count + 1, UINT32_MAX);
        covey__step *steps =
            covey__resize(p->heap, plan->steps, plan->capacity, capacity, sizeof *steps, alignof(covey__step));
        if (!steps) {
            p->result = COVEY_ERROR_MEMORY;
            return NULL;
        }
        plan->steps = steps;
        plan->capacity = capacity;
    }
    plan->steps[plan->count] = step;
    return &plan->steps[plan->count++];
}

/* Adds a copy of bytes. Extends the last step instead, if that is `first` or later, and the bytes follow its own in
 * memory and in the record. */
static void add_copy(planner *p, uint32_t first, uint32_t memory, uint32_t record, uint32_t bytes) {
    covey__plan *plan = p->plan;
    covey__step *last = plan->count > first ? &plan->steps[plan->count - 1] : NULL;
    bool follows = last && last->op == COVEY__OP_COPY && last->memory + last->count == memory &&
                   last->record + last->count == record;
    if (follows) last->count += bytes;
    else add_step(p, (covey__step){ .memory = memory, .record = record, .count = bytes, .op = COVEY__OP_COPY });
}

static void add_field(planner *p, uint32_t first, const covey_field *is, const covey_field *was, uint32_t memory,
                      uint32_t record) {
    uint32_t unit = covey_kind_size(is->kind), count = is->count;
    if (is->kind != was->kind) {
        covey__step step = { .memory = memory, .record = record, .count = count, .op = COVEY__OP_WIDEN };
        step.unit = (uint8_t)unit;
        step.was = (uint8_t)covey_kind_size(was->kind);
        step.is_signed = is_signed(was->kind);
        add_step(p, step);
        return;
    }
    bool as_is = unit == 1 || covey__is_little_endian();
    if (is->kind == COVEY_KIND_BOOL)
        add_step(p, (covey__step){ .memory = memory, .record = record, .count = count, .op = COVEY__OP_BOOL });
    else if (is->kind == COVEY_KIND_ENTITY && (unit != HANDLE || !as_is))
        add_step(p, (covey__step){ .memory = memory, .record = record, .count = count, .op = COVEY__OP_ENTITY });
    else if (as_is) add_copy(p, first, memory, record, unit * count);
    else
        add_step(p,
                 (covey__step){
                     .memory = memory, .record = record, .count = count, .op = COVEY__OP_SWAP, .unit = (uint8_t)unit });
}

static void refuse_field(planner *p, const covey_field *is, const covey_field *was) {
    p->result = COVEY_ERROR_IMAGE;
    snprintf(p->why, p->room, "field %s was %s[%u] in the image, and is %s[%u] in the program", is->name,
             covey_kind_name(was->kind), was->count, covey_kind_name(is->kind), is->count);
}

static void add_struct(planner *p, uint32_t first, const covey_fields *is, const covey_fields *was, uint32_t memory,
                       uint32_t record);

/* Adds a loop whose body handles one element. If the body is one copy of a whole element, a copy of the whole array
 * replaces the loop. */
static void add_array(planner *p, uint32_t first, const covey_field *is, const covey_field *was, uint32_t memory,
                      uint32_t record) {
    covey__plan *plan = p->plan;
    uint32_t at = plan->count, size = is->nested->size, bytes = (uint32_t)covey__record_bytes(was->nested);
    uint64_t covered = plan->covered;
    add_step(p, (covey__step){ .memory = memory,
                               .record = record,
                               .count = is->count,
                               .op = COVEY__OP_LOOP,
                               .memory_stride = size,
                               .record_stride = bytes });
    add_struct(p, at + 1, is->nested, was->nested, 0, 0);
    if (p->result != COVEY_OK) return;
    plan->covered = covered + (plan->covered - covered) * is->count;
    plan->steps[at].body = plan->count - at - 1;
    const covey__step *body = &plan->steps[at + 1];
    bool whole = plan->steps[at].body == 1 && body->op == COVEY__OP_COPY && body->count == size && size == bytes;
    if (whole || plan->steps[at].body == 0) plan->count = at;
    if (whole) add_copy(p, first, memory, record, size * is->count);
}

/* Adds steps for the fields of a record; finds the fields of the value by their names. */
static void add_struct(planner *p, uint32_t first, const covey_fields *is, const covey_fields *was, uint32_t memory,
                       uint32_t record) {
    for (uint32_t i = 0; i < was->count && p->result == COVEY_OK; i++) {
        const covey_field *before = &was->at[i], *now = covey__field_named(is, before->name, i);
        uint32_t bytes = (uint32_t)field_bytes(before);
        if (bytes != 0 && now && covey__is_written(now)) {
            bool fits =
                now->count == before->count && (now->kind == before->kind || is_widened(before->kind, now->kind));
            uint32_t at = memory + now->offset;
            if (!fits) refuse_field(p, now, before);
            else if (!now->nested) add_field(p, first, now, before, at, record);
            else if (now->count == 1) add_struct(p, first, now->nested, before->nested, at, record);
            else add_array(p, first, now, before, at, record);
            if (!now->nested) p->plan->covered += (uint64_t)covey_kind_size(now->kind) * now->count;
        }
        record += bytes;
    }
}

covey_encoding covey__type_encoding(const covey_type *type) {
    if (type->codec) return COVEY_ENCODING_CODEC;
    if (type->fields && covey__record_bytes(type->fields) != 0) return COVEY_ENCODING_FIELDS;
    if (!type->as_bytes) return COVEY_ENCODING_NONE;
    return covey__is_little_endian() ? COVEY_ENCODING_BYTES_LITTLE : COVEY_ENCODING_BYTES_BIG;
}

/* If only records or only the type has fields, nothing is converted: records are skipped, and values keep their
 * defaults. */
covey_result covey__plan_make(covey__heap *heap, covey__plan *plan, const covey_type *type, covey_encoding encoding,
                              const covey_fields *fields, char *why, size_t room) {
    planner p = { heap, plan, COVEY_OK, why, room };
    *plan = (covey__plan){ .size = type->size, .defaults = type->defaults };
    if (encoding == COVEY_ENCODING_FIELDS || encoding == COVEY_ENCODING_CODEC) {
        plan->record = fields ? (uint32_t)covey__record_bytes(fields) : 0;
        if (type->fields && fields) add_struct(&p, 0, type->fields, fields, 0, 0);
    } else if (encoding != COVEY_ENCODING_NONE) {
        plan->record = type->size;
        plan->covered = type->size;
        add_copy(&p, 0, 0, 0, type->size);
    }
    if (p.result != COVEY_OK) covey__plan_free(heap, plan);
    return p.result;
}

void covey__plan_free(covey__heap *heap, covey__plan *plan) {
    covey__free(heap, plan->steps, plan->capacity, sizeof *plan->steps, alignof(covey__step));
    *plan = (covey__plan){ 0 };
}

bool covey__plan_copies(const covey__plan *plan) {
    if (plan->size != plan->record) return false;
    return plan->size == 0 ||
           (plan->count == 1 && plan->steps->op == COVEY__OP_COPY && plan->steps->count == plan->size);
}

/* ---- Carrying it out -----------------------------------------------------------------------------------------------
 *
 * Each step is done for several values in a row, so that it is a loop with constant strides. */

#define COPY_EACH(bytes) \
    for (; count != 0; count--, to += to_stride, from += from_stride) memcpy(to, from, bytes)

static void copy_each(char *to, size_t to_stride, const char *from, size_t from_stride, size_t bytes, size_t count) {
    switch (bytes) {
    case 1: COPY_EACH(1); return;
    case 2: COPY_EACH(2); return;
    case 4: COPY_EACH(4); return;
    case 8: COPY_EACH(8); return;
    case 12: COPY_EACH(12); return;
    case 16: COPY_EACH(16); return;
    case 24: COPY_EACH(24); return;
    case 32: COPY_EACH(32); return;
    default: COPY_EACH(bytes); return;
    }
}

static void swap_units(char *to, const char *from, size_t unit, size_t count) {
    for (size_t i = 0; i < count; i++, to += unit, from += unit)
        for (size_t b = 0; b < unit; b++) to[b] = from[unit - 1 - b];
}

static void swap_each(char *to, size_t to_stride, const char *from, size_t from_stride, const covey__step *step,
                      size_t count) {
    for (; count != 0; count--, to += to_stride, from += from_stride) swap_units(to, from, step->unit, step->count);
}

static void encode_bools(char *to, size_t to_stride, const char *from, size_t from_stride, size_t bools, size_t count) {
    for (; count != 0; count--, to += to_stride, from += from_stride)
        for (size_t i = 0; i < bools; i++) to[i] = from[i] != 0;
}

static bool decode_bools(char *to, size_t to_stride, const char *from, size_t from_stride, size_t bools, size_t count) {
    unsigned char seen = 0;
    for (; count != 0; count--, to += to_stride, from += from_stride)
        for (size_t i = 0; i < bools; i++) {
            seen |= (unsigned char)from[i];
            to[i] = from[i] & 1;
        }
    return seen <= 1;
}

static void encode_u32(char *to, uint32_t number) {
    for (uint32_t i = 0; i < 4; i++, number >>= 8) to[i] = (char)(unsigned char)number;
}

static void encode_entities(char *to, size_t to_stride, const char *from, size_t from_stride, size_t entities,
                            size_t count) {
    for (; count != 0; count--, to += to_stride, from += from_stride)
        for (size_t i = 0; i < entities; i++) {
            covey_entity e;
            memcpy(&e, from + i * sizeof e, sizeof e);
            encode_u32(to + i * HANDLE, e.index);
            encode_u32(to + i * HANDLE + 4, e.generation);
        }
}

/* False if an index or generation has more bits than a handle of this program. */
static bool decode_entities(char *to, size_t to_stride, const char *from, size_t from_stride, size_t entities,
                            size_t count) {
    bool fit = true;
    for (; count != 0; count--, to += to_stride, from += from_stride)
        for (size_t i = 0; i < entities; i++) {
            const unsigned char *record = (const unsigned char *)from + i * HANDLE;
            uint32_t index = covey__u32_at(record), generation = covey__u32_at(record + 4);
            covey_entity e = covey__entity(index, generation);
            fit &= e.index == index && e.generation == generation;
            memcpy(to + i * sizeof e, &e, sizeof e);
        }
    return fit;
}

static uint64_t read_integer(const unsigned char *from, uint32_t bytes, bool negative) {
    uint64_t value = negative && (from[bytes - 1] & 0x80) != 0 ? UINT64_MAX : 0;
    for (uint32_t i = bytes; i-- != 0;) value = value << 8 | from[i];
    return value;
}

static void write_integer(char *to, uint32_t bytes, uint64_t value) {
    bool little = covey__is_little_endian();
    for (uint32_t i = 0; i < bytes; i++, value >>= 8) to[little ? i : bytes - 1 - i] = (char)(unsigned char)value;
}

static void widen_each(char *to, size_t to_stride, const char *from, size_t from_stride, const covey__step *step,
                       size_t count) {
    for (; count != 0; count--, to += to_stride, from += from_stride)
        for (size_t i = 0; i < step->count; i++) {
            const unsigned char *was = (const unsigned char *)from + i * step->was;
            write_integer(to + i * step->unit, step->unit, read_integer(was, step->was, step->is_signed));
        }
}

static void encode_steps(const covey__step *steps, uint32_t step_count, char *records, size_t record_stride,
                         const char *values, size_t value_stride, size_t count) {
    for (const covey__step *step = steps, *end = steps + step_count; step < end; step++) {
        char *to = records + step->record;
        const char *from = values + step->memory;
        switch ((covey__op)step->op) {
        case COVEY__OP_COPY: copy_each(to, record_stride, from, value_stride, step->count, count); break;
        case COVEY__OP_SWAP: swap_each(to, record_stride, from, value_stride, step, count); break;
        case COVEY__OP_BOOL: encode_bools(to, record_stride, from, value_stride, step->count, count); break;
        case COVEY__OP_ENTITY: encode_entities(to, record_stride, from, value_stride, step->count, count); break;
        case COVEY__OP_WIDEN: break; /* saving never widens */
        case COVEY__OP_LOOP:
            for (uint32_t i = 0; i < step->count; i++, to += step->record_stride, from += step->memory_stride)
                encode_steps(step + 1, step->body, to, record_stride, from, value_stride, count);
            step += step->body;
            break;
        }
    }
}

static bool decode_steps(const covey__step *steps, uint32_t step_count, char *values, size_t value_stride,
                         const char *records, size_t record_stride, size_t count) {
    bool sound = true;
    for (const covey__step *step = steps, *end = steps + step_count; step < end; step++) {
        char *to = values + step->memory;
        const char *from = records + step->record;
        switch ((covey__op)step->op) {
        case COVEY__OP_COPY: copy_each(to, value_stride, from, record_stride, step->count, count); break;
        case COVEY__OP_SWAP: swap_each(to, value_stride, from, record_stride, step, count); break;
        case COVEY__OP_BOOL: sound &= decode_bools(to, value_stride, from, record_stride, step->count, count); break;
        case COVEY__OP_ENTITY:
            sound &= decode_entities(to, value_stride, from, record_stride, step->count, count);
            break;
        case COVEY__OP_WIDEN: widen_each(to, value_stride, from, record_stride, step, count); break;
        case COVEY__OP_LOOP:
            for (uint32_t i = 0; i < step->count; i++, to += step->memory_stride, from += step->record_stride)
                sound &= decode_steps(step + 1, step->body, to, value_stride, from, record_stride, count);
            step += step->body;
            break;
        }
    }
    return sound;
}

/* How many values are converted at a time: few enough to stay in the first-level cache from step to step. */
static size_t batch_of(const covey__plan *plan, size_t count) {
    size_t most = plan->size < 4096 ? 8192 / (plan->size + 1) : 1;
    return count < most ? count : most;
}

void covey__encode(const covey__plan *plan, void *records, const void *values, size_t count) {
    char *to = records;
    const char *from = values;
    for (size_t batch; count != 0; count -= batch) {
        batch = batch_of(plan, count);
        encode_steps(plan->steps, plan->count, to, plan->record, from, plan->size, batch);
        to += batch * plan->record;
        from += batch * plan->size;
    }
}

static void fill_defaults(const covey__plan *plan, char *values, size_t count) {
    if (plan->covered == plan->size) return;
    if (!plan->defaults) memset(values, 0, count * plan->size);
    for (; plan->defaults && count != 0; count--, values += plan->size) memcpy(values, plan->defaults, plan->size);
}

bool covey__decode(const covey__plan *plan, void *values, const void *records, size_t count) {
    char *to = values;
    const char *from = records;
    bool sound = true;
    if (covey__plan_copies(plan)) {
        if (count != 0 && plan->size != 0) memcpy(to, from, count * plan->size);
        return true;
    }
    for (size_t batch; count != 0; count -= batch) {
        batch = batch_of(plan, count);
        fill_defaults(plan, to, batch);
        if (plan->count != 0)
            sound &= decode_steps(plan->steps, plan->count, to, plan->size, from, plan->record, batch);
        to += batch * plan->size;
        from += batch * plan->record;
    }
    return sound;
}

/* ---- One kind ----------------------------------------------------------------------------------------------------*/

size_t covey__kind_bytes(covey_kind kind) { return kind == COVEY_KIND_ENTITY ? HANDLE : covey_kind_size(kind); }

static bool is_swapped(covey_kind kind) { return covey_kind_size(kind) != 1 && !covey__is_little_endian(); }

void covey__encode_kind(covey_kind kind, void *bytes, const void *values, size_t count) {
    if (kind == COVEY_KIND_BOOL) encode_bools(bytes, 0, values, 0, count, 1);
    else if (kind == COVEY_KIND_ENTITY) encode_entities(bytes, 0, values, 0, count, 1);
    else if (is_swapped(kind)) swap_units(bytes, values, covey_kind_size(kind), count);
    else memcpy(bytes, values, count * covey_kind_size(kind));
}

bool covey__decode_kind(covey_kind kind, void *values, const void *bytes, size_t count) {
    if (kind == COVEY_KIND_BOOL) return decode_bools(values, 0, bytes, 0, count, 1);
    if (kind == COVEY_KIND_ENTITY) return decode_entities(values, 0, bytes, 0, count, 1);
    if (is_swapped(kind)) swap_units(values, bytes, covey_kind_size(kind), count);
    else memcpy(values, bytes, count * covey_kind_size(kind));
    return true;
}
