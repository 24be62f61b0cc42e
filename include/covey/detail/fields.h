/* How the words of COVEY_FIELDS_DEFINE become fields. Not API.
 *
 * A word expands to a shape, the C type of an element, its kind, its fields and the member. The members, as they are
 * listed, make up a struct of their own: where it differs from T, something is missing or out of order. */
#ifndef COVEY_DETAIL_FIELDS_H
#define COVEY_DETAIL_FIELDS_H

#define COVEY__TYPE_i8 int8_t
#define COVEY__KIND_i8 COVEY_KIND_I8
#define COVEY__TYPE_i16 int16_t
#define COVEY__KIND_i16 COVEY_KIND_I16
#define COVEY__TYPE_i32 int32_t
#define COVEY__KIND_i32 COVEY_KIND_I32
#define COVEY__TYPE_i64 int64_t
#define COVEY__KIND_i64 COVEY_KIND_I64
#define COVEY__TYPE_u8 uint8_t
#define COVEY__KIND_u8 COVEY_KIND_U8
#define COVEY__TYPE_u16 uint16_t
#define COVEY__KIND_u16 COVEY_KIND_U16
#define COVEY__TYPE_u32 uint32_t
#define COVEY__KIND_u32 COVEY_KIND_U32
#define COVEY__TYPE_u64 uint64_t
#define COVEY__KIND_u64 COVEY_KIND_U64
#define COVEY__TYPE_f32 float
#define COVEY__KIND_f32 COVEY_KIND_F32
#define COVEY__TYPE_f64 double
#define COVEY__KIND_f64 COVEY_KIND_F64
#define COVEY__TYPE_boolean bool
#define COVEY__KIND_boolean COVEY_KIND_BOOL
#define COVEY__TYPE_character char
#define COVEY__KIND_character COVEY_KIND_CHAR
#define COVEY__TYPE_entity covey_entity
#define COVEY__KIND_entity COVEY_KIND_ENTITY
#define COVEY__WORD_i8(m) ONE, int8_t, COVEY_KIND_I8, NULL, m
#define COVEY__WORD_i16(m) ONE, int16_t, COVEY_KIND_I16, NULL, m
#define COVEY__WORD_i32(m) ONE, int32_t, COVEY_KIND_I32, NULL, m
#define COVEY__WORD_i64(m) ONE, int64_t, COVEY_KIND_I64, NULL, m
#define COVEY__WORD_u8(m) ONE, uint8_t, COVEY_KIND_U8, NULL, m
#define COVEY__WORD_u16(m) ONE, uint16_t, COVEY_KIND_U16, NULL, m
#define COVEY__WORD_u32(m) ONE, uint32_t, COVEY_KIND_U32, NULL, m
#define COVEY__WORD_u64(m) ONE, uint64_t, COVEY_KIND_U64, NULL, m
#define COVEY__WORD_f32(m) ONE, float, COVEY_KIND_F32, NULL, m
#define COVEY__WORD_f64(m) ONE, double, COVEY_KIND_F64, NULL, m
#define COVEY__WORD_boolean(m) ONE, bool, COVEY_KIND_BOOL, NULL, m
#define COVEY__WORD_character(m) ONE, char, COVEY_KIND_CHAR, NULL, m
#define COVEY__WORD_entity(m) ONE, covey_entity, COVEY_KIND_ENTITY, NULL, m
#define COVEY__WORD_array(word, m) MANY, COVEY__TYPE_##word, COVEY__KIND_##word, NULL, m
#define COVEY__WORD_matrix(word, m) GRID, COVEY__TYPE_##word, COVEY__KIND_##word, NULL, m
#define COVEY__WORD_nested(S, m) ONE, S, COVEY_KIND_NESTED, &covey_fields_##S, m
#define COVEY__WORD_nested_array(S, m) MANY, S, COVEY_KIND_NESTED, &covey_fields_##S, m
#define COVEY__WORD_padding(type, m) ANY, type, COVEY_KIND_PADDING, NULL, m

/* The first element of a member, whose address has the type of an element; of padding, nothing is checked. */
#define COVEY__MEMBER(T, m) (((T *)0)->m)
#define COVEY__ELEMENT_ONE(T, C, m) &COVEY__MEMBER(T, m)
#define COVEY__ELEMENT_MANY(T, C, m) &COVEY__MEMBER(T, m)[0]
#define COVEY__ELEMENT_GRID(T, C, m) &COVEY__MEMBER(T, m)[0][0]
#define COVEY__ELEMENT_ANY(T, C, m) (C *)&COVEY__MEMBER(T, m)

#define COVEY__COUNT_ONE(T, C, m) 1
#define COVEY__COUNT_MANY(T, C, m) sizeof(COVEY__MEMBER(T, m)) / sizeof(C)
#define COVEY__COUNT_GRID(T, C, m) sizeof(COVEY__MEMBER(T, m)) / sizeof(C)
#define COVEY__COUNT_ANY(T, C, m) sizeof(COVEY__MEMBER(T, m))

#define COVEY__EXPAND_WORD(macro, ...) macro(__VA_ARGS__)
#define COVEY__FIELD_SHADOW(T, word) COVEY__EXPAND_WORD(COVEY__SHADOW_OF, T, COVEY__WORD_##word)
#define COVEY__FIELD_CHECK(T, word) COVEY__EXPAND_WORD(COVEY__CHECK_OF, T, COVEY__WORD_##word)
#define COVEY__FIELD_ENTRY(T, word) COVEY__EXPAND_WORD(COVEY__ENTRY_OF, T, COVEY__WORD_##word)

#define COVEY__SHADOW_OF(T, shape, C, kind, nested, m) C m[sizeof(COVEY__MEMBER(T, m)) / sizeof(C)];
#define COVEY__CHECK_OF(T, shape, C, kind, nested, m)                                                             \
    COVEY__STATIC_ASSERT(sizeof(COVEY__MEMBER(T, m)) == sizeof(COVEY__MEMBER(struct covey__shadow_##T, m)) &&     \
                             sizeof(COVEY__ELEMENT_##shape(T, C, m) - (C *)COVEY__ELEMENT_##shape(T, C, m)) != 0, \
                         #T "." #m " has another type");                                                          \
    COVEY__STATIC_ASSERT(offsetof(T, m) == offsetof(struct covey__shadow_##T, m),                                 \
                         "a member of " #T " before " #m " is missing");
#define COVEY__ENTRY_OF(T, shape, C, kind, nested, m) \
    { #m, kind, (uint32_t)offsetof(T, m), (uint32_t)(COVEY__COUNT_##shape(T, C, m)), nested },

#endif /* COVEY_DETAIL_FIELDS_H */
