/* The configuration of the exhaustive tests: so small that all programs can be tried. Handles take four bytes, or eight
 * with COVEY_EXHAUSTIVE_WIDE. */
#ifdef COVEY_EXHAUSTIVE_WIDE
#define COVEY_INDEX_BITS 32
#else
#define COVEY_INDEX_BITS 4 /* indices 0 to 14 */
#endif
#define COVEY_GENERATION_BITS 2 /* generations 0 to 3: an index is used twice, then retired */
#define COVEY_PAGE_SIZE 2
#define COVEY_GROW(capacity) ((capacity) + 1)
