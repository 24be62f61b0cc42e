/* Descriptions of fields: checked, compared, copied. */
#ifndef COVEY_INTERNAL_FIELDS_H
#define COVEY_INTERNAL_FIELDS_H

#include <covey/covey.h>
#include <covey/fields.h>

/* The first rule that a description breaks, as text that continues a sentence after the name of the type; NULL if it is
 * valid. `size` is that of the struct. */
const char *covey__fields_fault(const covey_fields *fields, uint32_t size);
bool covey__fields_same(const covey_fields *a, const covey_fields *b); /* either may be NULL */
/* Whether two values have the same bytes in all fields; padding does not count. */
bool covey__fields_equal(const covey_fields *fields, const void *a, const void *b);
/* The field with this name, or NULL. Tries the field with the number `guess` first, because most fields keep their
 * place. */
const covey_field *covey__field_named(const covey_fields *fields, const char *name, uint32_t guess);
/* A name that two fields of a struct share, or NULL. The struct has at most 256 fields. O(n log n). */
const char *covey__fields_repeated(const covey_fields *fields);
uint32_t covey__field_stride(const covey_field *field); /* bytes of an element */
/* Copies a description, names and nested fields included, into `memory`: covey__fields_bytes bytes, aligned for any
 * type. */
size_t covey__fields_bytes(const covey_fields *fields);
const covey_fields *covey__fields_copy(const covey_fields *fields, void *memory);

#endif
