/* Handles of four bytes, without a spare bit: 4,194,303 entities, and 512 uses of an index. */
#define COVEY_INDEX_BITS 22
#define COVEY_GENERATION_BITS 10
