#include "parts.h"

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

static bool named_copy(void *to, const void *from, void *context) {
    const Named *old = from;
    Named *made = to;
    (void)context;
    *made = (Named){ NULL };
    if (!old->text) return true;
    made->text = malloc(strlen(old->text) + 1);
    if (!made->text) return false;
    strcpy(made->text, old->text);
    named_alive++;
    return true;
}

COVEY_COMPONENT_DEFINE(Position, .fields = &covey_fields_Position);
COVEY_COMPONENT_DEFINE(Health, .fields = &covey_fields_Health, .storage = COVEY_STORAGE_SPARSE, .ticks = true);
COVEY_COMPONENT_DEFINE(Everything, .fields = &covey_fields_Everything);
COVEY_COMPONENT_DEFINE(Blob, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Named, .drop = named_drop, .copy = named_copy);
COVEY_TAG_DEFINE(Frozen);
const covey_type odd_name = { .name = "a \"type\".x", .size = 4, .align = 4 };

const covey_type *const part_types[7] = { covey_id(Position), covey_id(Health), covey_id(Everything),
                                          covey_id(Blob),     covey_id(Named),  covey_id(Frozen),
                                          &odd_name };
