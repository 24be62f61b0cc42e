#include "texts.h"

#include <stdio.h>

text_ledger texts;

/* ---- Places -------------------------------------------------------------------------------------------------------*/

static uint32_t take_place(void) {
    for (uint32_t i = 1; i < TEXT_PLACES; i++) {
        if (texts.at[i].used) continue;
        texts.at[i] = (text_place){ .used = true };
        texts.live++;
        return i;
    }
    return 0;
}

static void give_back(Text text) {
    if (text.place == 0) return;
    if (text.place >= TEXT_PLACES || !texts.at[text.place].used) {
        texts.broken = true;
        return;
    }
    texts.at[text.place].used = false;
    texts.live--;
}

static bool copy_place(Text *to, Text from) {
    to->place = from.place != 0 ? take_place() : 0;
    if (from.place == 0) return true;
    if (to->place == 0) return false;
    texts.at[to->place] = texts.at[from.place];
    return true;
}

Text text_make(const char *text, const covey_entity *links, uint32_t count) {
    Text made = { take_place() };
    text_place *at = &texts.at[made.place];
    if (made.place == 0) return made;
    at->length = (uint32_t)strlen(text);
    memcpy(at->text, text, at->length);
    at->link_count = count;
    for (uint32_t i = 0; i < count; i++) at->links[i] = links[i];
    return made;
}

const text_place *text_of(const Text *text) {
    static const text_place nothing;
    return text->place != 0 ? &texts.at[text->place] : &nothing;
}

/* ---- Functions ----------------------------------------------------------------------------------------------------*/

static covey_result save_place(covey_codec_writer *writer, Text text) {
    const text_place *at = text_of(&text);
    if (++texts.saves == texts.save_fails_at) return texts.fails_with;
    covey_codec_write_count(writer, at->length);
    covey_codec_write(writer, COVEY_KIND_CHAR, at->text, at->length);
    covey_codec_write_count(writer, at->link_count);
    covey_codec_write(writer, COVEY_KIND_ENTITY, at->links, at->link_count);
    return COVEY_OK;
}

static covey_result load_place(covey_codec_reader *reader, Text *text) {
    if (++texts.loads == texts.load_fails_at) return texts.fails_with;
    uint32_t length = covey_codec_read_count(reader, COVEY_KIND_CHAR);
    if (length > TEXT_LENGTH) return COVEY_ERROR_LIMIT;
    text->place = take_place();
    if (text->place == 0) return COVEY_ERROR_MEMORY;
    text_place *at = &texts.at[text->place];
    at->length = length;
    covey_codec_read(reader, COVEY_KIND_CHAR, at->text, length);
    at->link_count = covey_codec_read_count(reader, COVEY_KIND_ENTITY);
    if (at->link_count <= TEXT_LINKS) covey_codec_read(reader, COVEY_KIND_ENTITY, at->links, at->link_count);
    if (at->link_count <= TEXT_LINKS) return COVEY_OK;
    give_back(*text);
    return COVEY_ERROR_IMAGE;
}

static covey_result save_text(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    return save_place(writer, *(const Text *)value);
}

static covey_result load_text(covey_codec_reader *reader, void *value, void *context) {
    (void)context;
    return load_place(reader, value);
}

static void drop_text(void *value, void *context) {
    (void)context;
    give_back(*(const Text *)value);
}

static bool copy_text(void *to, const void *from, void *context) {
    (void)context;
    return copy_place(to, *(const Text *)from);
}

static covey_result save_crew(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    return save_place(writer, ((const Crew *)value)->motto);
}

static covey_result load_crew(covey_codec_reader *reader, void *value, void *context) {
    (void)context;
    return load_place(reader, &((Crew *)value)->motto);
}

static void drop_crew(void *value, void *context) {
    (void)context;
    give_back(((const Crew *)value)->motto);
}

static bool copy_crew(void *to, const void *from, void *context) {
    (void)context;
    memcpy(to, from, sizeof(Crew));
    return copy_place(&((Crew *)to)->motto, ((const Crew *)from)->motto);
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static const covey_codec text_codec = { .save = save_text, .load = load_text };
static const covey_codec short_codec = { .save = save_text, .load = load_text, .limit = 20 };
static const covey_codec crew_codec = { .save = save_crew, .load = load_crew };

COVEY_FIELDS_DEFINE(Crew, u32(rank), entity(captain), padding(Text, motto), i16(score));
COVEY_COMPONENT_DEFINE(Text, .codec = &text_codec, .drop = drop_text, .copy = copy_text);
COVEY_COMPONENT_DEFINE(TextInPlace, .policy = COVEY_IN_PLACE, .codec = &short_codec, .drop = drop_text,
                       .copy = copy_text);
COVEY_COMPONENT_DEFINE(TextResource, .codec = &text_codec, .drop = drop_text, .copy = copy_text);
COVEY_COMPONENT_DEFINE(Crew, .policy = COVEY_ORDERED, .ticks = true, .fields = &covey_fields_Crew, .codec = &crew_codec,
                       .drop = drop_crew, .copy = copy_crew);
const covey_type *const text_types[5] = { covey_id(Text), covey_id(TextInPlace), covey_id(TextResource), covey_id(Crew),
                                          NULL };

/* ---- A world ------------------------------------------------------------------------------------------------------*/

static bool add_text(covey_world *world, covey_entity e, const covey_type *type, Text text) {
    if (covey_add_raw(world, e, type, &text)) return true;
    give_back(text);
    return false;
}

static bool add_crew(covey_world *world, covey_entity e, covey_entity captain, uint32_t rank) {
    Crew crew;
    memset(&crew, 0, sizeof crew);
    crew.rank = rank, crew.captain = captain, crew.score = (int16_t) - (int32_t)rank;
    crew.motto = text_make(rank % 2 == 0 ? "ahoy" : "", &captain, 1);
    if (covey_add_value(world, e, Crew, &crew)) return true;
    give_back(crew.motto);
    return false;
}

bool text_fill(covey_world *world) {
    covey_entity e[9], links[2];
    char text[8];
    bool done = covey_create_many(world, e, 9);
    for (uint32_t i = 0; i < 9 && done; i++) {
        snprintf(text, sizeof text, "%.*s", (int)(i % 7), "abcdefg");
        links[0] = e[(i + 1) % 9], links[1] = e[i];
        if (i % 4 != 3) done = add_text(world, e[i], covey_id(Text), text_make(text, links, i % 3));
        if (i % 3 != 1) done = done && add_text(world, e[i], covey_id(TextInPlace), text_make(text, links, i % 2));
        if (i % 2 != 1) done = done && add_crew(world, e[i], e[8 - i], i);
    }
    done = done && covey_remove(world, e[2], TextInPlace) && covey_destroy(world, e[5]);
    Text of_world = text_make("world", e, 1);
    if (done && covey_resource_set_value(world, TextResource, &of_world)) return true;
    give_back(of_world);
    return false;
}
