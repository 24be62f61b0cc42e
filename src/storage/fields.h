/* Descriptions of fields: checked, compared, copied. */
#ifndef COVEY_INTERNAL_FIELDS_H
#define COVEY_INTERNAL_FIELDS_H

#include <covey/covey.h>
#include <covey/fields.h>

/* The first rule that a description of a struct of this size breaks, to be read after the name of the type; or NULL. */
const char *covey__fields_fault(const covey_fields *fields, uint32_t size);
bool covey__fields_same(const covey_fields *a, const covey_fields *b); /* either may be NULL */
/* Whether two values have the same bytes in all fields; padding does not count. */
bool covey__fields_equal(const covey_fields *fields, const void *a, const void *b);
/* NULL: none. Looks at the field of the number `guess` first: mostly fields are where they were. */
const covey_field *covey__field_named(const covey_fields *fields, const char *name, uint32_t guess);
/* A name that two fields of a struct have, which has at most 256; or NULL. O(n log n). */
const char *covey__fields_repeated(const covey_fields *fields);
uint32_t covey__field_stride(const covey_field *field); /* bytes of an element */
/* A copy, names and nested fields included, in memory of so many bytes that is aligned for everything. */
size_t covey__fields_bytes(const covey_fields *fields);
const covey_fields *covey__fields_copy(const covey_fields *fields, void *memory);

#endif
