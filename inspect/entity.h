/* Entities and resources in detail. */
#ifndef COVEY_INSPECT_ENTITY_H
#define COVEY_INSPECT_ENTITY_H

#include "value.h"

/* Whether the values of a type can be edited: it has fields or `.as_bytes`. */
bool inspect__editable(const covey_type *type);
/* Writes an entity with all its components as one object; for a dead entity, only that it is dead. */
void inspect__put_entity(inspect__json *json, const covey_world *world, covey_entity e);
/* lookups.c: writes the member "sources": for each lookup of an entity field, how many point at the entity, and some of
 * them. */
void inspect__put_sources(inspect__json *json, const covey_world *world, covey_entity e);
/* types.c: writes the member "fields": the fields of a type, or null. */
void inspect__put_fields(inspect__json *json, const covey_fields *fields);

bool inspect__answer_entity(inspect__request *request, covey_world *world);
/* several.c */
bool inspect__answer_several(inspect__request *request, covey_world *world);
bool inspect__answer_resources(inspect__request *request, covey_world *world);
bool inspect__answer_values(inspect__request *request, covey_world *world);

#endif
