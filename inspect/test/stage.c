#include "stage.h"

#include <stdio.h>
#include <stdlib.h>

COVEY_FIELDS_DEFINE(Position, f32(x), f32(y));
COVEY_FIELDS_DEFINE(Health, i32(points), u8(armour), boolean(cursed), padding(uint16_t, unused));
COVEY_FIELDS_DEFINE(Part, u16(count), i8(kind), padding(uint8_t, unused));
COVEY_FIELDS_DEFINE(Everything, i8(i8), i16(i16), i32(i32), i64(i64), u8(u8), u16(u16), u32(u32), u64(u64), f32(f32),
                    f64(f64), boolean(boolean), character(letter), array(character, text), entity(owner),
                    nested(Part, part), nested_array(Part, parts), matrix(f32, grid), padding(void *, secret));

uint32_t named_alive;

static void named_drop(void *value, void *context) {
    Named *named = value;
    (void)context;
    if (named->text) named_alive--;
    free(named->text);
}

COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Health, .fields = &covey_fields_Health, .storage = COVEY_STORAGE_SPARSE, .ticks = true);
COVEY_COMPONENT_DEFINE(Everything, .fields = &covey_fields_Everything);
COVEY_COMPONENT_DEFINE(Blob, .raw = true);
COVEY_COMPONENT_DEFINE(Named, .drop = named_drop);
COVEY_TAG_DEFINE(Frozen);
const covey_type odd_name = { .name = "a \"type\".x", .size = 4, .align = 4 };

void stage_types(void) {
    static const covey_type *const types[] = { covey_id(Position), covey_id(Health), covey_id(Everything),
                                               covey_id(Blob),     covey_id(Named),  covey_id(Frozen),
                                               &odd_name };
    for (uint32_t i = 0; i < COUNT_OF(types); i++) assert_non_null(covey_pool_of_raw(world, types[i]));
}

void stage_assert_found(const char *query, const char *indices) {
    char found[1024] = "";
    size_t length = 0, i;
    json_t *row, *answer = get_json_with("entities?limit=500", "query", query, 200);
    assert_true(json_is_true(member(answer, "complete")));
    assert_int_equal(number_of(answer, "count"), json_array_size(member(answer, "rows")));
    json_array_foreach(member(answer, "rows"), i, row) {
        unsigned index = (unsigned)strtoul(text_of(row, "e"), NULL, 10);
        length += (size_t)snprintf(found + length, sizeof found - length, i == 0 ? "%u" : " %u", index);
    }
    if (strcmp(found, indices) != 0) print_message("%s finds %s\n", query, found);
    assert_string_equal(found, indices);
    json_decref(answer);
}

void stage_assert_wrong(const char *query, size_t at, size_t length) {
    json_t *answer = get_json_with("entities", "query", query, 422), *error = member(answer, "error");
    assert_string_equal(text_of(error, "code"), "QUERY");
    if (number_of(error, "at") != (int64_t)at || number_of(error, "length") != (int64_t)length)
        print_message("%s: %s at %d, %d\n", query, text_of(error, "text"), (int)number_of(error, "at"),
                      (int)number_of(error, "length"));
    assert_int_equal(number_of(error, "at"), at);
    assert_int_equal(number_of(error, "length"), length);
    json_decref(answer);
}
