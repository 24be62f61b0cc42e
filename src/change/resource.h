/* Resources: values of the world. */
#ifndef COVEY_RESOURCE_H
#define COVEY_RESOURCE_H

#include <covey/covey.h>

struct covey__resources;

void covey__resources_erase_all(covey_world *world); /* drops no value: the program has never seen them */
void covey__resource_erase(covey_world *world, const covey_type *type); /* without dropping its value */
/* Erases the resources that a function chooses; the others keep their order. O(n log n). */
typedef bool covey__erase_if_fn(const covey_type *type, void *value, void *context);
void covey__resources_erase_if(covey_world *world, covey__erase_if_fn *erase, void *context);
const covey_type *covey__resource_named(const covey_world *world,
                                        const char *name); /* the type of a value resource, or NULL */
/* Copies all resources to a world that has none and knows the types made at run time. On failure, the message names
 * the resource. */
covey_result covey__resources_clone(const covey_world *from, covey_world *to);
/* Replacing all resources, in three functions: appends a copy of a value to a list, which is NULL at the beginning;
 * frees a list; replaces the resources of the world by a list. That drops the old values; the address of a resource
 * stays if the type stays. */
covey_result covey__resources_append(covey_world *world, struct covey__resources **list, const covey_type *type,
                                     const void *value);
void covey__resources_end(covey_world *world, struct covey__resources **list);
void covey__resources_replace(covey_world *world, struct covey__resources *list);
const void *covey__resource_value(const covey_world *world, uint32_t number);
size_t covey__resource_bytes(const covey_world *world);
bool covey__resources_valid(const covey_world *world, const char **why);

#endif
