/* What was probably meant by a name that does not exist. */
#ifndef COVEY_INSPECT_GUESS_H
#define COVEY_INSPECT_GUESS_H

#include "value.h"

/* The component type whose name is most like a text; NULL if none is similar. */
const char *inspect__guess_type(const covey_world *world, const char *text, size_t length);
/* The same for the fields of a place. */
const char *inspect__guess_field(const inspect__place *place, const char *text, size_t length);

#endif
