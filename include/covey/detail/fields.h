/* How the words of COVEY_FIELDS_DEFINE become fields. Not API.
 *
 * A word expands to a shape, the C type of an element, its kind, its fields, the member, and how it is shown. The
 * listed members also make up a second struct: if its layout differs from T, a member is missing or out of order. */
#ifndef COVEY_DETAIL_FIELDS_H
#define COVEY_DETAIL_FIELDS_H

/* The C type and the kind of an element. */
#define COVEY__BASE_i8 int8_t, COVEY_KIND_I8
#define COVEY__BASE_i16 int16_t, COVEY_KIND_I16
#define COVEY__BASE_i32 int32_t, COVEY_KIND_I32
#define COVEY__BASE_i64 int64_t, COVEY_KIND_I64
#define COVEY__BASE_u8 uint8_t, COVEY_KIND_U8
#define COVEY__BASE_u16 uint16_t, COVEY_KIND_U16
#define COVEY__BASE_u32 uint32_t, COVEY_KIND_U32
#define COVEY__BASE_u64 uint64_t, COVEY_KIND_U64
#define COVEY__BASE_f32 float, COVEY_KIND_F32
#define COVEY__BASE_f64 double, COVEY_KIND_F64
#define COVEY__BASE_boolean bool, COVEY_KIND_BOOL
#define COVEY__BASE_character char, COVEY_KIND_CHAR
#define COVEY__BASE_entity covey_entity, COVEY_KIND_ENTITY
#define COVEY__WORD_i8(m) ONE, COVEY__BASE_i8, NULL, m, COVEY__PLAIN
#define COVEY__WORD_i16(m) ONE, COVEY__BASE_i16, NULL, m, COVEY__PLAIN
#define COVEY__WORD_i32(m) ONE, COVEY__BASE_i32, NULL, m, COVEY__PLAIN
#define COVEY__WORD_i64(m) ONE, COVEY__BASE_i64, NULL, m, COVEY__PLAIN
#define COVEY__WORD_u8(m) ONE, COVEY__BASE_u8, NULL, m, COVEY__PLAIN
#define COVEY__WORD_u16(m) ONE, COVEY__BASE_u16, NULL, m, COVEY__PLAIN
#define COVEY__WORD_u32(m) ONE, COVEY__BASE_u32, NULL, m, COVEY__PLAIN
#define COVEY__WORD_u64(m) ONE, COVEY__BASE_u64, NULL, m, COVEY__PLAIN
#define COVEY__WORD_f32(m) ONE, COVEY__BASE_f32, NULL, m, COVEY__PLAIN
#define COVEY__WORD_f64(m) ONE, COVEY__BASE_f64, NULL, m, COVEY__PLAIN
#define COVEY__WORD_boolean(m) ONE, COVEY__BASE_boolean, NULL, m, COVEY__PLAIN
#define COVEY__WORD_character(m) ONE, COVEY__BASE_character, NULL, m, COVEY__PLAIN
#define COVEY__WORD_entity(m) ONE, COVEY__BASE_entity, NULL, m, COVEY__PLAIN
#define COVEY__WORD_array(word, m) MANY, COVEY__BASE_##word, NULL, m, COVEY__PLAIN
#define COVEY__WORD_matrix(word, m) GRID, COVEY__BASE_##word, NULL, m, COVEY__PLAIN
#define COVEY__WORD_nested(S, m) ONE, S, COVEY_KIND_NESTED, &covey_fields_##S, m, COVEY__PLAIN
#define COVEY__WORD_nested_array(S, m) MANY, S, COVEY_KIND_NESTED, &covey_fields_##S, m, COVEY__PLAIN
#define COVEY__WORD_padding(type, m) ANY, type, COVEY_KIND_PADDING, NULL, m, COVEY__PLAIN
#define COVEY__WORD_range(word, m, least, most) \
    ONE, COVEY__BASE_##word, NULL, m, COVEY_SHOW_RANGE, (double)(least), (double)(most), NULL
#define COVEY__WORD_angle(word, m) ONE, COVEY__BASE_##word, NULL, m, COVEY_SHOW_ANGLE, 0, 0, NULL
#define COVEY__WORD_choice(word, m, names) ONE, COVEY__BASE_##word, NULL, m, COVEY_SHOW_CHOICE, 0, 0, names
#define COVEY__WORD_colour(word, m) COVEY__COLOUR_##word, NULL, m, COVEY_SHOW_COLOUR, 0, 0, NULL
#define COVEY__COLOUR_u32 ONE, COVEY__BASE_u32
#define COVEY__COLOUR_u8 MANY, COVEY__BASE_u8
#define COVEY__COLOUR_f32 MANY, COVEY__BASE_f32
#define COVEY__PLAIN COVEY_SHOW_PLAIN, 0, 0, NULL

/* Whether a field of a kind, with so many elements, can be shown like this. */
#define COVEY__CAN_SHOW(as, kind, count)                                                    \
    ((as) == COVEY_SHOW_RANGE    ? (kind) <= COVEY_KIND_F64                                 \
     : (as) == COVEY_SHOW_ANGLE  ? (kind) == COVEY_KIND_F32 || (kind) == COVEY_KIND_F64     \
     : (as) == COVEY_SHOW_CHOICE ? (kind) <= COVEY_KIND_U64                                 \
     : (as) == COVEY_SHOW_COLOUR ? (kind) == COVEY_KIND_U32 || (count) == 3 || (count) == 4 \
                                 : true)

/* The first element of a member: its address has the type of an element. Padding is not checked. */
#define COVEY__MEMBER(T, m) (((T *)0)->m)
#define COVEY__ELEMENT_ONE(T, C, m) &COVEY__MEMBER(T, m)
#define COVEY__ELEMENT_MANY(T, C, m) &COVEY__MEMBER(T, m)[0]
#define COVEY__ELEMENT_GRID(T, C, m) &COVEY__MEMBER(T, m)[0][0]
#define COVEY__ELEMENT_ANY(T, C, m) (C *)&COVEY__MEMBER(T, m)

#define COVEY__COUNT_ONE(T, C, m) 1
#define COVEY__COUNT_MANY(T, C, m) sizeof(COVEY__MEMBER(T, m)) / sizeof(C)
#define COVEY__COUNT_GRID(T, C, m) sizeof(COVEY__MEMBER(T, m)) / sizeof(C)
#define COVEY__COUNT_ANY(T, C, m) sizeof(COVEY__MEMBER(T, m))

/* A known word expands to nine arguments, an unknown one to fewer. The struct reports an unknown word; the other checks
 * then stay silent. */
#define COVEY__FIELD_KNOWN(T, word) COVEY__OF_WORD(KNOWN, T, #word, COVEY__WORD_##word)
#define COVEY__FIELD_SHADOW(T, word) COVEY__OF_WORD(SHADOW, T, #word, COVEY__WORD_##word)
#define COVEY__FIELD_CHECK(T, word) COVEY__OF_WORD(CHECK, T, #word, COVEY__WORD_##word)
#define COVEY__FIELD_ENTRY(T, word) COVEY__OF_WORD(ENTRY, T, #word, COVEY__WORD_##word)
#define COVEY__OF_WORD(what, T, text, ...)                                                                            \
    COVEY__OF_WORD_PICK(__VA_ARGS__, KNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN, ) \
    (what, T, text, __VA_ARGS__)
#define COVEY__OF_WORD_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, name, ...) COVEY__OF_##name
#define COVEY__OF_KNOWN(what, T, text, ...) COVEY__##what##_OF(T, __VA_ARGS__)
#define COVEY__OF_UNKNOWN(what, T, text, ...) COVEY__##what##_OF_UNKNOWN(T, text)

#define COVEY__SHADOW_OF_UNKNOWN(T, text)                                                                             \
    COVEY__STATIC_ASSERT(sizeof(T) == 0, text " is not a word for a member of " #T ": use i8(m) to i64(m), u8(m) to " \
                                              "u64(m), f32(m), f64(m), boolean(m), character(m), entity(m), array("   \
                                              "word, m), matrix(word, m), nested(S, m), nested_array(S, m), "         \
                                              "padding(type, m), range(word, m, least, most), angle(word, m), "       \
                                              "choice(word, m, names) or colour(word, m)");
#define COVEY__KNOWN_OF(T, shape, C, kind, nested, m, as, least, most, names)
#define COVEY__KNOWN_OF_UNKNOWN(T, text) &&0
#define COVEY__CHECK_OF_UNKNOWN(T, text)
#define COVEY__ENTRY_OF_UNKNOWN(T, text) { text, COVEY_KIND_PADDING, 0, 1, NULL, { COVEY__PLAIN } },

#define COVEY__SHADOW_OF(T, shape, C, kind, nested, m, as, least, most, names) \
    C m[sizeof(COVEY__MEMBER(T, m)) / sizeof(C)];
#define COVEY__CHECK_OF(T, shape, C, kind, nested, m, as, least, most, names)                                     \
    COVEY__STATIC_ASSERT(sizeof(COVEY__MEMBER(T, m)) == sizeof(COVEY__MEMBER(struct covey__shadow_##T, m)) &&     \
                             sizeof(COVEY__ELEMENT_##shape(T, C, m) - (C *)COVEY__ELEMENT_##shape(T, C, m)) != 0, \
                         #T "." #m " has another type");                                                          \
    COVEY__STATIC_ASSERT(COVEY__CAN_SHOW(as, kind, COVEY__COUNT_##shape(T, C, m)),                                \
                         #T "." #m " has no kind that can be shown like this");                                   \
    COVEY__STATIC_ASSERT(!covey__known_##T || offsetof(T, m) == offsetof(struct covey__shadow_##T, m),            \
                         "a member of " #T " before " #m " is missing");
#define COVEY__ENTRY_OF(T, shape, C, kind, nested, m, as, least, most, names) \
    {                                                                         \
        #m,                                                                   \
        kind,                                                                 \
        (uint32_t)offsetof(T, m),                                             \
        (uint32_t)(COVEY__COUNT_##shape(T, C, m)),                            \
        nested,                                                               \
        { as, least, most, names }                                            \
    },

#endif /* COVEY_DETAIL_FIELDS_H */
