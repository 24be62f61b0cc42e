/* Codecs write and read bytes and, separately, handles. A writer collects those of one value until its function
 * returns; a reader gives access to those of one value only. */
#include "image/image.h"

#include "memory/alloc.h"
#include "storage/fields.h"
#include "storage/hook.h"

#include <stdalign.h>

enum { HANDLE = 8 };

static bool is_plain(covey_kind kind) {
    return covey_kind_size(kind) != 0 && kind != COVEY_KIND_PADDING && kind != COVEY_KIND_ENTITY;
}

/* ---- Writing -----------------------------------------------------------------------------------------------------*/

static void fail_writer(covey_codec_writer *writer, covey_result result) {
    if (writer->result == COVEY_OK) writer->result = result;
}

/* Makes room for `count` elements, which the caller writes. NULL when an allocation fails or the limit is exceeded. */
static void *append_room(covey_codec_writer *writer, covey_buffer *to, size_t count, size_t each) {
    size_t left = (size_t)(writer->limit - writer->bytes.size - writer->handles.size);
    if (writer->result != COVEY_OK || count == 0) return NULL;
    if (count > left / each) fail_writer(writer, COVEY_ERROR_LIMIT);
    else if (!covey__buffer_reserve(to, count * each)) fail_writer(writer, COVEY_ERROR_MEMORY);
    if (writer->result != COVEY_OK) return NULL;
    to->size += count * each;
    return to->bytes + to->size - count * each;
}

void covey_codec_write(covey_codec_writer *writer, covey_kind kind, const void *values, size_t count) {
    COVEY__CONTRACT(NULL, writer, "a call needs a writer");
    COVEY__NEEDS_ARRAY(NULL, values, count);
    bool is_handle = kind == COVEY_KIND_ENTITY;
    if (!is_handle && !is_plain(kind)) {
        fail_writer(writer, COVEY_ERROR_TYPE);
        return;
    }
    void *to = append_room(writer, is_handle ? &writer->handles : &writer->bytes, count, covey__kind_bytes(kind));
    if (to) covey__encode_kind(kind, to, values, count);
}

void covey_codec_write_count(covey_codec_writer *writer, uint32_t count) {
    covey_codec_write(writer, COVEY_KIND_U32, &count, 1);
}

covey_result covey__codec_save(const covey_world *world, covey_codec_writer *writer, const covey_type *type,
                               const void *value) {
    const covey_codec *codec = type->codec;
    writer->bytes.size = writer->handles.size = 0;
    writer->result = COVEY_OK;
    writer->limit = codec->limit != 0 ? codec->limit : UINT32_MAX;
    if (writer->limit > SIZE_MAX) writer->limit = SIZE_MAX;
    covey__hook hook = covey__hook_begin(world, "save function", type);
    covey_result result = codec->save(writer, value, type->context);
    covey__hook_end(hook);
    return writer->result != COVEY_OK ? writer->result : result;
}

void covey__writer_free(covey_codec_writer *writer) {
    covey_buffer_free(&writer->bytes);
    covey_buffer_free(&writer->handles);
}

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

static bool decode(covey_codec_reader *reader, covey_kind kind, void *values, size_t count) {
    bool is_handle = kind == COVEY_KIND_ENTITY;
    size_t bytes = count * covey__kind_bytes(kind);
    if (!covey__decode_kind(kind, values, is_handle ? reader->handles : reader->bytes, count)) return false;
    if (is_handle) reader->handles += bytes, reader->handle_count -= count;
    else reader->bytes += bytes, reader->size -= bytes;
    return true;
}

static void map_handles(const covey__entering *entering, void *values, size_t count) {
    for (char *at = values; entering && entering->now && count != 0; count--, at += sizeof(covey_entity)) {
        covey_entity e;
        memcpy(&e, at, sizeof e);
        e = entering->now(entering->context, e);
        memcpy(at, &e, sizeof e);
    }
}

bool covey_codec_read(covey_codec_reader *reader, covey_kind kind, void *values, size_t count) {
    COVEY__CONTRACT(NULL, reader, "a call needs a reader");
    COVEY__NEEDS_ARRAY(NULL, values, count);
    size_t size = covey_kind_size(kind);
    if (count == 0) return !reader->failed;
    if (reader->failed || count > covey_codec_left(reader, kind) || !decode(reader, kind, values, count)) {
        reader->failed = true;
        if (count <= SIZE_MAX / (size + (size == 0))) memset(values, 0, count * size);
        return false;
    }
    if (kind == COVEY_KIND_ENTITY) map_handles(reader->entering, values, count);
    return true;
}

uint32_t covey_codec_read_count(covey_codec_reader *reader, covey_kind kind) {
    uint32_t count = 0;
    covey_codec_read(reader, COVEY_KIND_U32, &count, 1);
    if (count <= covey_codec_left(reader, kind)) return count;
    reader->failed = true;
    return 0;
}

size_t covey_codec_left(const covey_codec_reader *reader, covey_kind kind) {
    COVEY__CONTRACT(NULL, reader, "a call needs a reader");
    if (reader->failed) return 0;
    if (kind == COVEY_KIND_ENTITY) return reader->handle_count;
    return is_plain(kind) ? reader->size / covey__kind_bytes(kind) : 0;
}

void covey__drop_loaded(const covey_world *world, const covey_type *type, void *value) {
    if (type->codec) covey__drop(world, type, value);
}

/* Reports why a load function failed. */
static bool refuse_value(covey__reader *reader, size_t at, const covey_type *type, covey_result result) {
    if (result == COVEY_ERROR_MEMORY && covey__is_sound(reader)) reader->report->result = result;
    else if (result == COVEY_ERROR_LIMIT)
        covey__refuse(reader, COVEY_FAULT_LIMIT, at, "a value of %.100s exceeds the limit of its load function",
                      type->name);
    else
        covey__refuse(reader, COVEY_FAULT_VALUE, at, "the load function of %.100s refused a value: %s", type->name,
                      covey_result_text(result));
    return false;
}

bool covey__codec_load(const covey_world *world, covey__reader *reader, const covey_type *type, void *value,
                       const covey__entering *entering) {
    size_t at = reader->at;
    covey_codec_reader from = { .entering = entering };
    from.size = covey__read_u32(reader);
    from.handle_count = covey__read_u32(reader);
    from.handles = covey__read_many(reader, from.handle_count, HANDLE);
    from.bytes = covey__read_many(reader, from.size, 1);
    if (!covey__is_sound(reader)) return false;
    uint64_t limit = type->codec->limit != 0 ? type->codec->limit : UINT32_MAX;
    if (from.size + (uint64_t)from.handle_count * HANDLE > limit)
        return refuse_value(reader, at, type, COVEY_ERROR_LIMIT);
    covey__hook hook = covey__hook_begin(world, "load function", type);
    covey_result result = type->codec->load(&from, value, type->context);
    covey__hook_end(hook);
    if (result != COVEY_OK) return refuse_value(reader, at, type, result);
    if (!from.failed && from.size == 0 && from.handle_count == 0) return true;
    covey__drop_loaded(world, type, value);
    covey__refuse(reader, COVEY_FAULT_VALUE, at, "the load function of %.100s read %s than was written", type->name,
                  from.failed ? "more, or something else," : "less");
    return false;
}

/* ---- Handles -----------------------------------------------------------------------------------------------------*/

covey_sparse_set *covey__handle_map(const covey__heap *heap) {
    covey_sparse_set *map = covey_sparse_set_create(&(covey_sparse_set_desc){
        .size = sizeof(covey_entity), .align = alignof(covey_entity), .allocator = heap->allocator });
    if (map) map->heap.budget = heap->budget;
    return map;
}

static void map_field(const covey_field *field, char *value, const covey__entering *entering) {
    if (!field->nested) {
        map_handles(entering, value, field->count);
        return;
    }
    for (uint32_t i = 0; i < field->count; i++, value += field->nested->size)
        covey__map_fields(field->nested, value, entering);
}

void covey__map_fields(const covey_fields *fields, void *value, const covey__entering *entering) {
    for (uint32_t i = 0; i < fields->count; i++)
        if (fields->at[i].kind == COVEY_KIND_ENTITY || fields->at[i].nested)
            map_field(&fields->at[i], (char *)value + fields->at[i].offset, entering);
}

bool covey__has_handles(const covey_fields *fields) {
    for (uint32_t i = 0; fields && i < fields->count; i++)
        if (fields->at[i].kind == COVEY_KIND_ENTITY || covey__has_handles(fields->at[i].nested)) return true;
    return false;
}

void covey__map_values(const covey_pool *pool, const covey__entering *entering) {
    if (!covey__has_handles(pool->type->fields)) return;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        covey__map_fields(pool->type->fields, covey_pool_value_at_raw(pool, at), entering);
}
