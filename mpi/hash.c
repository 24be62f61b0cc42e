/* Hashes and checksums of bytes. */
#include "internal.h"

static uint64_t mixed(uint64_t number) {
    number = (number ^ number >> 32) * UINT64_C(0xD6E8FEB86659FD93);
    return number ^ number >> 32;
}

/* Hashes in four lanes of 8 bytes each, which the processor computes in parallel. */
uint64_t covey__mpi_hash(uint64_t seed, const void *bytes, size_t size) {
    const unsigned char *at = bytes;
    uint64_t lanes[4] = { seed, seed + 1, seed + 2, seed + 3 }, word[4];
    size_t left = size;
    for (; left >= sizeof word; left -= sizeof word, at += sizeof word) {
        memcpy(word, at, sizeof word);
        for (int i = 0; i < 4; i++) {
            lanes[i] ^= word[i];
            lanes[i] = (lanes[i] << 29 | lanes[i] >> 35) * UINT64_C(0x9E3779B97F4A7C15);
        }
    }
    memset(word, 0, sizeof word);
    memcpy(word, at, left);
    uint64_t hash = mixed(size + 1);
    for (int i = 0; i < 4; i++) hash = mixed(hash ^ mixed(lanes[i] ^ word[i]) * UINT64_C(0x9E3779B97F4A7C15));
    return hash;
}

/* Keeps two sums in each of four lanes: of the words, and of the running sums. This detects any changed word, and words
 * that change places. It costs two additions for each word, less than a hash. */
void covey__mpi_checksum_add(covey__mpi_checksum *sum, const unsigned char *bytes, size_t size) {
    uint64_t a = sum->words[0], b = sum->words[1], c = sum->words[2], d = sum->words[3];
    uint64_t e = sum->sums[0], f = sum->sums[1], g = sum->sums[2], h = sum->sums[3];
    for (size_t at = 0; at < size; at += COVEY__MPI_CHECKSUM_STEP) {
        uint64_t word[4];
        memcpy(word, bytes + at, sizeof word);
        e += a += word[0];
        f += b += word[1];
        g += c += word[2];
        h += d += word[3];
    }
    *sum = (covey__mpi_checksum){ { a, b, c, d }, { e, f, g, h } };
}
