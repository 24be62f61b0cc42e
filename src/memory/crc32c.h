/* Checksums: CRC-32C. */
#ifndef COVEY_CRC32C_H
#define COVEY_CRC32C_H

#include <covey/covey.h>

/* Continues the checksum `crc` with more bytes. Begin with 0. */
uint32_t covey__crc32c(uint32_t crc, const void *bytes, size_t size);
uint32_t covey__crc32c_portable(uint32_t crc, const void *bytes, size_t size); /* the same by tables, for tests */
/* The same, and copies the bytes in one pass. `past_caches` bypasses the caches, for copies that are larger than
 * them. */
uint32_t covey__crc32c_copy(uint32_t crc, void *to, const void *from, size_t size, bool past_caches);

#endif
