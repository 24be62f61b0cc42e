/* Checksums: CRC-32C. */
#ifndef COVEY_CRC32C_H
#define COVEY_CRC32C_H

#include <covey/covey.h>

/* The sum of bytes that continue those which led to `crc`; 0 to begin. */
uint32_t covey__crc32c(uint32_t crc, const void *bytes, size_t size);
uint32_t covey__crc32c_portable(uint32_t crc, const void *bytes, size_t size); /* the same by tables, for tests */
/* And copies them, in one pass; past the caches, if the whole of which they are a part is larger than these. */
uint32_t covey__crc32c_copy(uint32_t crc, void *to, const void *from, size_t size, bool past_caches);

#endif
