/* Components that own memory, in an image: two functions of the type save and load what fields cannot describe. */
#include <covey/image.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char *text;
    uint32_t length;
    covey_entity speaker; /* a field: the library saves it, and maps it when an image is merged */
} Line;

static bool line_make(Line *line, const char *text, uint32_t length, covey_entity speaker) {
    *line = (Line){ malloc((size_t)length + 1), length, speaker };
    if (!line->text) return false;
    memcpy(line->text, text, length);
    line->text[length] = '\0';
    return true;
}

static void line_drop(void *value, void *context) {
    (void)context;
    free(((Line *)value)->text);
}

static covey_result line_save(covey_codec_writer *writer, const void *value, void *context) {
    const Line *line = value;
    (void)context;
    covey_codec_write_count(writer, line->length);
    covey_codec_write(writer, COVEY_KIND_CHAR, line->text, line->length);
    return COVEY_OK;
}

/* Any bytes may come: the number that is read is never more than what follows. */
static covey_result line_load(covey_codec_reader *reader, void *value, void *context) {
    Line *line = value;
    (void)context;
    line->length = covey_codec_read_count(reader, COVEY_KIND_CHAR);
    line->text = calloc((size_t)line->length + 1, 1);
    if (!line->text) return COVEY_ERROR_MEMORY;
    covey_codec_read(reader, COVEY_KIND_CHAR, line->text, line->length);
    return COVEY_OK;
}

static const covey_codec line_codec = { .save = line_save, .load = line_load, .limit = 1000 };
COVEY_FIELDS_DEFINE(Line, padding(char *, text), padding(uint32_t, length), entity(speaker));
COVEY_COMPONENT_DEFINE(Line, .fields = &covey_fields_Line, .codec = &line_codec, .drop = line_drop);

static const covey_type *const types[] = { covey_id(Line), NULL };

int main(void) {
    covey_world *world = covey_world_create(&(covey_world_desc){ .quiet = true }); /* it fails on purpose */
    covey_world *copy = covey_world_create(NULL);
    covey_entity ghost = covey_create(world), line = covey_create(world);
    Line said;
    if (!line_make(&said, "I am thy father's spirit", 24, ghost)) return 1;
    covey_add_value(world, line, Line, &said);

    covey_report report;
    covey_buffer image = { 0 };
    if (covey_save_to_buffer(world, &image, NULL, &report) != COVEY_OK) return 1;
    covey_load_desc desc = { .types = types, .limit_bytes = 1 << 20 };
    if (covey_load_from_memory(copy, image.bytes, image.size, &desc, &report) != COVEY_OK) return 1;
    const Line *again = covey_get(copy, line, Line);
    printf("%u says: %s\n", again->speaker.index, again->text);

    /* A text that is longer than the codec allows is refused, when saving and when loading. */
    covey_set(world, line, Line, { calloc(1, 2001), 2000, ghost });
    image.size = 0;
    covey_result result = covey_save_to_buffer(world, &image, NULL, &report);
    printf("2,000 bytes: %s\n", report.text);

    covey_buffer_free(&image);
    covey_world_destroy(copy);
    covey_world_destroy(world);
    return result == COVEY_ERROR_LIMIT ? 0 : 1;
}
