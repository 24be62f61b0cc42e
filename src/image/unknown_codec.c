/* Saves and loads values of types that the program does not know (storage/unknown.c): handles and bytes, unchanged. */
#include "image/unknown_codec.h"

#include "storage/unknown.h"

static covey_result save_unknown(covey_codec_writer *writer, const void *value, void *context) {
    const covey_unknown_value *unknown = value;
    (void)context;
    covey_codec_write(writer, COVEY_KIND_U8, unknown->bytes, unknown->size);
    covey_codec_write(writer, COVEY_KIND_ENTITY, unknown->entities, unknown->entity_count);
    return COVEY_OK;
}

static covey_result load_unknown(covey_codec_reader *reader, void *value, void *context) {
    covey_unknown_value unknown = { .size = (uint32_t)covey_codec_left(reader, COVEY_KIND_U8),
                                    .entity_count = (uint32_t)covey_codec_left(reader, COVEY_KIND_ENTITY) };
    const covey__unknown_context *of = context;
    char *memory;
    if (!covey__unknown_allocate(of->world, &unknown, &memory)) return COVEY_ERROR_MEMORY;
    covey_codec_read(reader, COVEY_KIND_ENTITY, memory, unknown.entity_count);
    covey_codec_read(reader, COVEY_KIND_U8, memory ? memory + unknown.entity_count * sizeof(covey_entity) : NULL,
                     unknown.size);
    memcpy(value, &unknown, sizeof unknown);
    return COVEY_OK;
}

const covey_codec covey__unknown_codec = { .save = save_unknown, .load = load_unknown };
