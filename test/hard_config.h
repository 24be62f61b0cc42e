/* The hard configuration: constants so small that rare paths are common. Every test passes with it, too. */
#define COVEY_INDEX_BITS 10     /* 1,023 entities */
#define COVEY_GENERATION_BITS 2 /* an index is used twice, then retired */
#define COVEY_PAGE_SIZE 4
#define COVEY_GROW(capacity) ((capacity) + 1)
#define COVEY_CACHE_BYTES 100
#define COVEY_PART_MOST 4    /* indices in a segment of a bucket */
#define COVEY_GRID_RUN 4     /* the items of a grid are made anew when one of so many has moved */
#define COVEY_NODE_MOST 4    /* entries of a node of a lookup in order */
#define COVEY_FOUND 64       /* entities that a search finds at a time */
#define COVEY_KIND_LEAST 2   /* entities before a set of types is a kind */
#define COVEY_PLACED_WORDS 1 /* words of a kind that remembers where it creates entities */
#define COVEY_WORKAROUNDS 0  /* plain C on the hot path */
