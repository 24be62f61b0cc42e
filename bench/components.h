/* The components of the scenarios. A scenario file is compiled once for each storage, and some once for each of several
 * sizes (CMakeLists.txt). BENCH_BLOCK and BENCH_SIZE give storage and size of Position and the other components. */
#ifndef BENCH_COMPONENTS_H
#define BENCH_COMPONENTS_H

#include <covey/covey.h>

#ifndef BENCH_BLOCK
#define BENCH_BLOCK 0
#endif
#ifndef BENCH_SIZE
#define BENCH_SIZE 8
#endif

#if BENCH_BLOCK
#define BENCH_STORAGE block
#define BENCH_COVEY_STORAGE COVEY_STORAGE_BLOCK
#define BENCH_LIMIT(sparse, block) block
#else
#define BENCH_STORAGE sparse
#define BENCH_COVEY_STORAGE COVEY_STORAGE_SPARSE
#define BENCH_LIMIT(sparse, block) sparse /* the bar of each storage; 0: none */
#endif

#define BENCH_PASTE(name, storage, size) name##_##storage##_##size
#define BENCH_PASTE_VALUES(name, storage, size) BENCH_PASTE(name, storage, size)
#define BENCH_TEXT(name) #name
#define BENCH_TEXT_OF_VALUE(name) BENCH_TEXT(name)

/* What has a name of its own in each compilation: bench_read becomes bench_read_block_8. */
#define BENCH_NAME(name) BENCH_PASTE_VALUES(name, BENCH_STORAGE, BENCH_SIZE)

/* The name of a scenario: components of eight bytes go without saying. */
#if BENCH_SIZE == 8
#define BENCH_SCENARIO(text) text
#else
#define BENCH_SCENARIO(text) text "_" BENCH_TEXT_OF_VALUE(BENCH_SIZE) "b"
#endif
#define BENCH_STORAGE_TEXT BENCH_TEXT_OF_VALUE(BENCH_STORAGE)

/* Scenarios change x and y; the rest is there for its size. */
typedef struct Vec2 {
    float x, y;
#if BENCH_SIZE > 8
    float rest[BENCH_SIZE / sizeof(float) - 2];
#endif
} Vec2;

#define Position BENCH_NAME(Position)
#define Velocity BENCH_NAME(Velocity)
#define Force BENCH_NAME(Force)
#define Spin BENCH_NAME(Spin)
#define Heat BENCH_NAME(Heat)

typedef Vec2 Position, Velocity, Force, Spin, Heat;

/* Through these, names that are macros find their component. */
#define BENCH_COMPONENT_DECLARE(T) COVEY_COMPONENT_DECLARE(T)
#define BENCH_ID(T) covey_id(T)

BENCH_COMPONENT_DECLARE(Position);
BENCH_COMPONENT_DECLARE(Velocity);
BENCH_COMPONENT_DECLARE(Force);
BENCH_COMPONENT_DECLARE(Spin);
BENCH_COMPONENT_DECLARE(Heat);

#endif
