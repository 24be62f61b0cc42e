/* What the bytes of a component mean: its fields, listed once next to the struct. Snapshots write them one by one, so
 * that images are the same on every machine and survive when the struct changes.
 *
 *     typedef struct { double mass; covey_entity owner; int32_t hits[4]; bool asleep; } Body;
 *     COVEY_FIELDS_DEFINE(Body, f64(mass), entity(owner), array(i32, hits), boolean(asleep));
 *     COVEY_COMPONENT_DEFINE(Body, .fields = &covey_fields_Body);
 *
 * The words for a member m:
 *     i8(m) i16(m) i32(m) i64(m) u8(m) u16(m) u32(m) u64(m) f32(m) f64(m) boolean(m) character(m)
 *     entity(m)                       a covey_entity: merging an image gives it the handle that it has here
 *     array(word, m)                  an array of one of these, such as array(i32, hits); of characters: a text
 *     matrix(word, m)                 an array of arrays, such as float m[4][4]
 *     nested(S, m)  nested_array(S, m)  a struct S whose fields are known; an array of them
 *     padding(type, m)                a member that images leave out, such as a pointer or a cache; or an array of these
 *
 * All members are listed, in their order. The compiler checks that each is there and has this type, and that none is
 * missing, unless one is so small that it lies where padding would be. At most 64 members; structs with more, with bit
 * fields or with alignments of their own are described by hand, as an array of covey_field. */
#ifndef COVEY_FIELDS_H
#define COVEY_FIELDS_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* What a field is. The numbers are part of the image format and never change. */
typedef enum covey_kind {
    COVEY_KIND_I8 = 1,
    COVEY_KIND_I16 = 2,
    COVEY_KIND_I32 = 3,
    COVEY_KIND_I64 = 4,
    COVEY_KIND_U8 = 5,
    COVEY_KIND_U16 = 6,
    COVEY_KIND_U32 = 7,
    COVEY_KIND_U64 = 8,
    COVEY_KIND_F32 = 9,
    COVEY_KIND_F64 = 10,
    COVEY_KIND_BOOL = 11,
    COVEY_KIND_CHAR = 12,
    COVEY_KIND_ENTITY = 13,
    COVEY_KIND_NESTED = 14,
    COVEY_KIND_PADDING = 15
} covey_kind;

typedef struct covey_field {
    const char *name;
    covey_kind kind;
    uint32_t offset;            /* in the struct */
    uint32_t count;             /* elements of an array, bytes of padding; 1 otherwise */
    const covey_fields *nested; /* the fields of an element, if it is a struct */
} covey_field;

/* The fields of a struct, by their offsets: at most 256, nested at most 8 deep, each with a name of its own. */
struct covey_fields {
    uint32_t size;  /* of the struct */
    uint32_t count; /* of the fields */
    const covey_field *at;
};

/* The bytes of one element of a kind in memory; 1 for padding, 0 for structs and what is no kind. */
COVEY_API uint32_t covey_kind_size(covey_kind kind);
/* "i32", "f64", "entity" and so on; "?" for what is no kind. */
COVEY_API const char *covey_kind_name(covey_kind kind);

/* In a header, for structs that are nested in those of other files; in one source file. */
#define COVEY_FIELDS_DECLARE(T) COVEY__EXTERN const covey_fields covey_fields_##T
#define COVEY_FIELDS_DEFINE(T, ...)                                                                    \
    COVEY_FIELDS_DECLARE(T);                                                                           \
    struct covey__shadow_##T {                                                                         \
        COVEY__EACH(COVEY__FIELD_SHADOW, T, __VA_ARGS__)                                               \
    };                                                                                                 \
    COVEY__EACH(COVEY__FIELD_CHECK, T, __VA_ARGS__)                                                    \
    COVEY__STATIC_ASSERT(sizeof(struct covey__shadow_##T) == sizeof(T), "a member of " #T " is missing"); \
    static const covey_field covey__fields_##T[] = { COVEY__EACH(COVEY__FIELD_ENTRY, T, __VA_ARGS__) }; \
    const covey_fields covey_fields_##T = { sizeof(T), sizeof covey__fields_##T / sizeof(covey_field), covey__fields_##T }

/* ---- Not API: how the words become fields --------------------------------------------------------------------------
 *
 * A word expands to a shape, the C type of an element, its kind, its fields and the member. The members, as they are
 * listed, make up a struct of their own: where it differs from T, something is missing or out of order. */

#ifdef __cplusplus
#define COVEY__STATIC_ASSERT static_assert
#else
#define COVEY__STATIC_ASSERT _Static_assert
#endif

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
#define COVEY__CHECK_OF(T, shape, C, kind, nested, m)                                                              \
    COVEY__STATIC_ASSERT(sizeof(COVEY__MEMBER(T, m)) == sizeof(COVEY__MEMBER(struct covey__shadow_##T, m)) &&      \
                             sizeof(COVEY__ELEMENT_##shape(T, C, m) - (C *)COVEY__ELEMENT_##shape(T, C, m)) != 0,       \
                         #T "." #m " has another type");                                                           \
    COVEY__STATIC_ASSERT(offsetof(T, m) == offsetof(struct covey__shadow_##T, m),                                  \
                         "a member of " #T " before " #m " is missing");
#define COVEY__ENTRY_OF(T, shape, C, kind, nested, m) \
    { #m, kind, (uint32_t)offsetof(T, m), (uint32_t)(COVEY__COUNT_##shape(T, C, m)), nested },

/* macro(T, word) for each word. */
#define COVEY__EACH(macro, T, ...) COVEY__EACH_OF(COVEY__WORDS(__VA_ARGS__), macro, T, __VA_ARGS__)
#define COVEY__EACH_OF(count, ...) COVEY__EACH_EXPAND(count, __VA_ARGS__)
#define COVEY__EACH_EXPAND(count, ...) COVEY__EACH_##count(__VA_ARGS__)
#define COVEY__WORDS(...) COVEY__WORDS_PICK(__VA_ARGS__, 64, 63, 62, 61, 60, 59, 58, 57, 56, 55, 54, 53, 52, 51, 50, \
    49, 48, 47, 46, 45, 44, 43, 42, 41, 40, 39, 38, 37, 36, 35, 34, 33, 32, 31, 30, 29, 28, 27, 26, 25, 24, 23, 22, \
    21, 20, 19, 18, 17, 16, 15, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0)
#define COVEY__WORDS_PICK(a1, a2, a3, a4, a5, a6, a7, a8, a9, a10, a11, a12, a13, a14, a15, a16, a17, a18, a19, a20, \
    a21, a22, a23, a24, a25, a26, a27, a28, a29, a30, a31, a32, a33, a34, a35, a36, a37, a38, a39, a40, a41, a42, a43, \
    a44, a45, a46, a47, a48, a49, a50, a51, a52, a53, a54, a55, a56, a57, a58, a59, a60, a61, a62, a63, a64, count, \
    ...) count
#define COVEY__EACH_1(macro, T, word) macro(T, word)
#define COVEY__EACH_2(macro, T, word, ...) macro(T, word) COVEY__EACH_1(macro, T, __VA_ARGS__)
#define COVEY__EACH_3(macro, T, word, ...) macro(T, word) COVEY__EACH_2(macro, T, __VA_ARGS__)
#define COVEY__EACH_4(macro, T, word, ...) macro(T, word) COVEY__EACH_3(macro, T, __VA_ARGS__)
#define COVEY__EACH_5(macro, T, word, ...) macro(T, word) COVEY__EACH_4(macro, T, __VA_ARGS__)
#define COVEY__EACH_6(macro, T, word, ...) macro(T, word) COVEY__EACH_5(macro, T, __VA_ARGS__)
#define COVEY__EACH_7(macro, T, word, ...) macro(T, word) COVEY__EACH_6(macro, T, __VA_ARGS__)
#define COVEY__EACH_8(macro, T, word, ...) macro(T, word) COVEY__EACH_7(macro, T, __VA_ARGS__)
#define COVEY__EACH_9(macro, T, word, ...) macro(T, word) COVEY__EACH_8(macro, T, __VA_ARGS__)
#define COVEY__EACH_10(macro, T, word, ...) macro(T, word) COVEY__EACH_9(macro, T, __VA_ARGS__)
#define COVEY__EACH_11(macro, T, word, ...) macro(T, word) COVEY__EACH_10(macro, T, __VA_ARGS__)
#define COVEY__EACH_12(macro, T, word, ...) macro(T, word) COVEY__EACH_11(macro, T, __VA_ARGS__)
#define COVEY__EACH_13(macro, T, word, ...) macro(T, word) COVEY__EACH_12(macro, T, __VA_ARGS__)
#define COVEY__EACH_14(macro, T, word, ...) macro(T, word) COVEY__EACH_13(macro, T, __VA_ARGS__)
#define COVEY__EACH_15(macro, T, word, ...) macro(T, word) COVEY__EACH_14(macro, T, __VA_ARGS__)
#define COVEY__EACH_16(macro, T, word, ...) macro(T, word) COVEY__EACH_15(macro, T, __VA_ARGS__)
#define COVEY__EACH_17(macro, T, word, ...) macro(T, word) COVEY__EACH_16(macro, T, __VA_ARGS__)
#define COVEY__EACH_18(macro, T, word, ...) macro(T, word) COVEY__EACH_17(macro, T, __VA_ARGS__)
#define COVEY__EACH_19(macro, T, word, ...) macro(T, word) COVEY__EACH_18(macro, T, __VA_ARGS__)
#define COVEY__EACH_20(macro, T, word, ...) macro(T, word) COVEY__EACH_19(macro, T, __VA_ARGS__)
#define COVEY__EACH_21(macro, T, word, ...) macro(T, word) COVEY__EACH_20(macro, T, __VA_ARGS__)
#define COVEY__EACH_22(macro, T, word, ...) macro(T, word) COVEY__EACH_21(macro, T, __VA_ARGS__)
#define COVEY__EACH_23(macro, T, word, ...) macro(T, word) COVEY__EACH_22(macro, T, __VA_ARGS__)
#define COVEY__EACH_24(macro, T, word, ...) macro(T, word) COVEY__EACH_23(macro, T, __VA_ARGS__)
#define COVEY__EACH_25(macro, T, word, ...) macro(T, word) COVEY__EACH_24(macro, T, __VA_ARGS__)
#define COVEY__EACH_26(macro, T, word, ...) macro(T, word) COVEY__EACH_25(macro, T, __VA_ARGS__)
#define COVEY__EACH_27(macro, T, word, ...) macro(T, word) COVEY__EACH_26(macro, T, __VA_ARGS__)
#define COVEY__EACH_28(macro, T, word, ...) macro(T, word) COVEY__EACH_27(macro, T, __VA_ARGS__)
#define COVEY__EACH_29(macro, T, word, ...) macro(T, word) COVEY__EACH_28(macro, T, __VA_ARGS__)
#define COVEY__EACH_30(macro, T, word, ...) macro(T, word) COVEY__EACH_29(macro, T, __VA_ARGS__)
#define COVEY__EACH_31(macro, T, word, ...) macro(T, word) COVEY__EACH_30(macro, T, __VA_ARGS__)
#define COVEY__EACH_32(macro, T, word, ...) macro(T, word) COVEY__EACH_31(macro, T, __VA_ARGS__)
#define COVEY__EACH_33(macro, T, word, ...) macro(T, word) COVEY__EACH_32(macro, T, __VA_ARGS__)
#define COVEY__EACH_34(macro, T, word, ...) macro(T, word) COVEY__EACH_33(macro, T, __VA_ARGS__)
#define COVEY__EACH_35(macro, T, word, ...) macro(T, word) COVEY__EACH_34(macro, T, __VA_ARGS__)
#define COVEY__EACH_36(macro, T, word, ...) macro(T, word) COVEY__EACH_35(macro, T, __VA_ARGS__)
#define COVEY__EACH_37(macro, T, word, ...) macro(T, word) COVEY__EACH_36(macro, T, __VA_ARGS__)
#define COVEY__EACH_38(macro, T, word, ...) macro(T, word) COVEY__EACH_37(macro, T, __VA_ARGS__)
#define COVEY__EACH_39(macro, T, word, ...) macro(T, word) COVEY__EACH_38(macro, T, __VA_ARGS__)
#define COVEY__EACH_40(macro, T, word, ...) macro(T, word) COVEY__EACH_39(macro, T, __VA_ARGS__)
#define COVEY__EACH_41(macro, T, word, ...) macro(T, word) COVEY__EACH_40(macro, T, __VA_ARGS__)
#define COVEY__EACH_42(macro, T, word, ...) macro(T, word) COVEY__EACH_41(macro, T, __VA_ARGS__)
#define COVEY__EACH_43(macro, T, word, ...) macro(T, word) COVEY__EACH_42(macro, T, __VA_ARGS__)
#define COVEY__EACH_44(macro, T, word, ...) macro(T, word) COVEY__EACH_43(macro, T, __VA_ARGS__)
#define COVEY__EACH_45(macro, T, word, ...) macro(T, word) COVEY__EACH_44(macro, T, __VA_ARGS__)
#define COVEY__EACH_46(macro, T, word, ...) macro(T, word) COVEY__EACH_45(macro, T, __VA_ARGS__)
#define COVEY__EACH_47(macro, T, word, ...) macro(T, word) COVEY__EACH_46(macro, T, __VA_ARGS__)
#define COVEY__EACH_48(macro, T, word, ...) macro(T, word) COVEY__EACH_47(macro, T, __VA_ARGS__)
#define COVEY__EACH_49(macro, T, word, ...) macro(T, word) COVEY__EACH_48(macro, T, __VA_ARGS__)
#define COVEY__EACH_50(macro, T, word, ...) macro(T, word) COVEY__EACH_49(macro, T, __VA_ARGS__)
#define COVEY__EACH_51(macro, T, word, ...) macro(T, word) COVEY__EACH_50(macro, T, __VA_ARGS__)
#define COVEY__EACH_52(macro, T, word, ...) macro(T, word) COVEY__EACH_51(macro, T, __VA_ARGS__)
#define COVEY__EACH_53(macro, T, word, ...) macro(T, word) COVEY__EACH_52(macro, T, __VA_ARGS__)
#define COVEY__EACH_54(macro, T, word, ...) macro(T, word) COVEY__EACH_53(macro, T, __VA_ARGS__)
#define COVEY__EACH_55(macro, T, word, ...) macro(T, word) COVEY__EACH_54(macro, T, __VA_ARGS__)
#define COVEY__EACH_56(macro, T, word, ...) macro(T, word) COVEY__EACH_55(macro, T, __VA_ARGS__)
#define COVEY__EACH_57(macro, T, word, ...) macro(T, word) COVEY__EACH_56(macro, T, __VA_ARGS__)
#define COVEY__EACH_58(macro, T, word, ...) macro(T, word) COVEY__EACH_57(macro, T, __VA_ARGS__)
#define COVEY__EACH_59(macro, T, word, ...) macro(T, word) COVEY__EACH_58(macro, T, __VA_ARGS__)
#define COVEY__EACH_60(macro, T, word, ...) macro(T, word) COVEY__EACH_59(macro, T, __VA_ARGS__)
#define COVEY__EACH_61(macro, T, word, ...) macro(T, word) COVEY__EACH_60(macro, T, __VA_ARGS__)
#define COVEY__EACH_62(macro, T, word, ...) macro(T, word) COVEY__EACH_61(macro, T, __VA_ARGS__)
#define COVEY__EACH_63(macro, T, word, ...) macro(T, word) COVEY__EACH_62(macro, T, __VA_ARGS__)
#define COVEY__EACH_64(macro, T, word, ...) macro(T, word) COVEY__EACH_63(macro, T, __VA_ARGS__)

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_FIELDS_H */
