/* What each of the libraries exports, as <library>_type and so on. */
#ifndef COVEY_TEST_DSO_LIBRARY_H
#define COVEY_TEST_DSO_LIBRARY_H

#include <covey/covey.h>

#if defined(_WIN32)
#ifdef LIBRARY
#define DSO_API __declspec(dllexport)
#else
#define DSO_API __declspec(dllimport)
#endif
#else
#define DSO_API __attribute__((visibility("default")))
#endif

#define DSO_DECLARE(library)                                                       \
    DSO_API const covey_type *library##_type(void);                                \
    DSO_API bool library##_add(covey_world *world, covey_entity e, int x, int y);  \
    DSO_API bool library##_has(const covey_world *world, covey_entity e);          \
    DSO_API int library##_y(const covey_world *world, covey_entity e); /* or -1 */ \
    DSO_API bool library##_remove(covey_world *world, covey_entity e)

#endif
