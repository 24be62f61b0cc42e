/* What the forms of C and of C++ share, which scenario_cpp.c compares: components, what they run on, and the loops of
 * C++ as functions. */
#ifndef CPP_FORMS_H
#define CPP_FORMS_H

#include <covey/covey.h>

typedef struct Point {
    float x, y;
} Point;
typedef struct Step {
    float x, y;
} Step;
typedef struct Extra {
    float x, y;
} Extra;
/* The same in sparse sets. */
typedef struct DensePoint {
    float x, y;
} DensePoint;
typedef struct DenseStep {
    float x, y;
} DenseStep;
typedef struct DenseExtra {
    float x, y;
} DenseExtra;
COVEY_COMPONENT_DECLARE(Point);
COVEY_COMPONENT_DECLARE(Step);
COVEY_COMPONENT_DECLARE(Extra);
COVEY_COMPONENT_DECLARE(DensePoint);
COVEY_COMPONENT_DECLARE(DenseStep);
COVEY_COMPONENT_DECLARE(DenseExtra);

typedef struct cpp_fixture {
    covey_world *world;
    covey_entity *entities;
    uint32_t count;
    const covey_view *view;
    const void *cpp_view; /* the same in C++ */
    covey_group *group;
} cpp_fixture;

#ifdef __cplusplus
extern "C" {
#endif

#define CPP_STORAGES(macro) macro(block) macro(sparse)
#define CPP_LOOPS(storage)                              \
    const void *cpp_view_##storage(covey_world *world); \
    void cpp_view_end_##storage(const void *view);      \
    uint64_t cpp_rows_##storage(void *fixture);         \
    uint64_t cpp_each_entity_##storage(void *fixture);  \
    uint64_t cpp_each_##storage(void *fixture);         \
    uint64_t cpp_spans_##storage(void *fixture);        \
    uint64_t cpp_group_rows_##storage(void *fixture);   \
    uint64_t cpp_group_each_##storage(void *fixture);   \
    uint64_t cpp_group_spans_##storage(void *fixture);  \
    uint64_t cpp_create_with_##storage(void *fixture);  \
    uint64_t cpp_add_##storage(void *fixture);          \
    uint64_t cpp_set_##storage(void *fixture);          \
    uint64_t cpp_get_##storage(void *fixture);          \
    uint64_t cpp_get_both_##storage(void *fixture);     \
    uint64_t cpp_has_##storage(void *fixture);          \
    uint64_t cpp_remove_##storage(void *fixture);       \
    uint64_t cpp_create_##storage(void *fixture);       \
    uint64_t cpp_pool_get_##storage(void *fixture);
CPP_STORAGES(CPP_LOOPS)

#ifdef __cplusplus
}
#endif

#endif
