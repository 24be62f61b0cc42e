/* Covey, optional: the fields of a component, listed once next to the struct. Images store values field by field, so
 * they are the same on every machine and can be loaded after the struct has changed.
 *
 *     typedef struct { double mass; covey_entity owner; int32_t hits[4]; bool asleep; } Body;
 *     COVEY_FIELDS_DEFINE(Body, f64(mass), entity(owner), array(i32, hits), boolean(asleep));
 *     COVEY_COMPONENT_DEFINE(Body, .fields = &covey_fields_Body);
 *
 * The words for a member m:
 *     i8(m) i16(m) i32(m) i64(m) u8(m) u16(m) u32(m) u64(m) f32(m) f64(m) boolean(m) character(m)
 *     entity(m)                       a covey_entity: merging an image maps it to the handle in this world
 *     array(word, m)                  an array of one of these, such as array(i32, hits); of characters: a text
 *     matrix(word, m)                 an array of arrays, such as float m[4][4]
 *     nested(S, m)  nested_array(S, m)  a struct S whose fields are defined; an array of them
 *     padding(type, m)                a member that images leave out, such as a pointer or a cache; or an array of them
 *
 * Words that also say how the inspector shows a member:
 *     range(word, m, least, most)     a number between two bounds: a slider
 *     angle(word, m)                  a float in radians: a slider in degrees
 *     choice(word, m, "idle, walk")   an integer whose values 0, 1 and so on have these names: a list
 *     colour(word, m)                 a u32 of the form 0xRRGGBBAA; or an array of 3 or 4: of f32 from 0 to 1, or of u8
 *
 * List all members in order. The compiler checks that each exists with this type, and that none is missing, unless it
 * is so small that it lies where padding would be. At most 64 members. Structs with more, with bit fields or with
 * custom alignment are described by hand, as an array of covey_field. */
#ifndef COVEY_FIELDS_H
#define COVEY_FIELDS_H

#include <covey/covey.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The kind of a field. The numbers are part of the image format and never change. */
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

/* How tools show a field. Images and the rules for types do not depend on it. */
typedef enum covey_show {
    COVEY_SHOW_PLAIN = 0, /* as its kind says */
    COVEY_SHOW_RANGE = 1,
    COVEY_SHOW_ANGLE = 2,
    COVEY_SHOW_CHOICE = 3,
    COVEY_SHOW_COLOUR = 4
} covey_show;

typedef struct covey_shown {
    covey_show as;
    double least, most; /* of a range */
    const char *names;  /* of a choice, separated by commas */
} covey_shown;

typedef struct covey_field {
    const char *name;
    covey_kind kind;
    uint32_t offset;            /* in the struct */
    uint32_t count;             /* elements of an array, bytes of padding; 1 otherwise */
    const covey_fields *nested; /* the fields of an element, if it is a struct */
    covey_shown shown;
} covey_field;

/* The fields of a struct, by offset: at most 256, nested at most 8 deep, with distinct names. */
struct covey_fields {
    uint32_t size;  /* of the struct */
    uint32_t count; /* of the fields */
    const covey_field *at;
};

/* The bytes of one element of a kind in memory; 1 for padding, 0 for structs and unknown kinds. */
COVEY_API uint32_t covey_kind_size(covey_kind kind);
/* "i32", "f64", "entity" and so on; "?" for unknown kinds. */
COVEY_API const char *covey_kind_name(covey_kind kind);

/* DECLARE in a header, for structs that are nested in those of other files; DEFINE in one source file. */
#define COVEY_FIELDS_DECLARE(T) COVEY__EXTERN const covey_fields covey_fields_##T
#define COVEY_FIELDS_DEFINE(T, ...)                                                                     \
    COVEY_FIELDS_DECLARE(T);                                                                            \
    struct covey__shadow_##T {                                                                          \
        COVEY__EACH(COVEY__FIELD_SHADOW, T, __VA_ARGS__)                                                \
    };                                                                                                  \
    enum { covey__known_##T = 1 COVEY__EACH(COVEY__FIELD_KNOWN, T, __VA_ARGS__) };                      \
    COVEY__EACH(COVEY__FIELD_CHECK, T, __VA_ARGS__)                                                     \
    COVEY__STATIC_ASSERT(!covey__known_##T || sizeof(struct covey__shadow_##T) == sizeof(T),            \
                         "a member of " #T " is missing");                                              \
    static const covey_field covey__fields_##T[] = { COVEY__EACH(COVEY__FIELD_ENTRY, T, __VA_ARGS__) }; \
    const covey_fields covey_fields_##T = { sizeof(T), sizeof covey__fields_##T / sizeof(covey_field),  \
                                            covey__fields_##T }

#ifdef __cplusplus
} /* extern "C" */
#endif

#include <covey/detail/fields.h>

#endif /* COVEY_FIELDS_H */
