/* The text of a manifest. Reading is strict: it accepts only what covey__manifest_print would write. */
#include "manifest.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char head[] = "covey-mpi ", version[] = "1 ";

static uint32_t sum_of(const char *text, size_t length) {
    uint32_t sum = UINT32_C(2166136261);
    for (size_t i = 0; i < length; i++) sum = (sum ^ (unsigned char)text[i]) * UINT32_C(16777619);
    return sum;
}

size_t covey__manifest_print(char text[COVEY__MANIFEST_BYTES], const covey__manifest *m) {
    int length = snprintf(text, COVEY__MANIFEST_BYTES,
                          "%s%snumber %" PRIu64 " ranks %" PRIu32 " first %" PRIu32 " span %" PRIu32, head, version,
                          m->number, m->ranks, m->first, m->span);
    int more = snprintf(text + length, COVEY__MANIFEST_BYTES - (size_t)length, " sum %08" PRIx32 " end\n",
                        sum_of(text, (size_t)length));
    return (size_t)length + (size_t)more;
}

void covey__manifest_file(char *name, size_t size, const char *path, uint64_t number, uint32_t rank) {
    snprintf(name, size, "%s.%" PRIu64 ".%" PRIu32, path, number, rank);
}

void covey__manifest_draft(char *name, size_t size, const char *path, uint64_t number) {
    snprintf(name, size, "%s.%" PRIu64 ".new", path, number);
}

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

bool covey__manifest_begins(const void *bytes, size_t size) {
    return size >= sizeof head - 1 && memcmp(bytes, head, sizeof head - 1) == 0;
}

/* Reads a word and a number behind it, which is at most `most`. */
static bool read_number(const char **at, const char *word, uint64_t most, uint64_t *number) {
    size_t length = strlen(word);
    if (strncmp(*at, word, length) != 0) return false;
    const char *digit = *at + length;
    *number = 0;
    for (; *digit >= '0' && *digit <= '9'; digit++) {
        uint64_t value = (uint64_t)(*digit - '0');
        if (value > most || *number > (most - value) / 10) return false;
        *number = *number * 10 + value;
    }
    *at = digit;
    return true;
}

static bool read_numbers(const char *text, covey__manifest *m) {
    uint64_t ranks, first, span;
    bool read = read_number(&text, "number ", UINT64_MAX - 1, &m->number) &&
                read_number(&text, " ranks ", UINT32_MAX, &ranks) &&
                read_number(&text, " first ", UINT32_MAX, &first) && read_number(&text, " span ", UINT32_MAX, &span);
    if (!read) return false;
    m->ranks = (uint32_t)ranks;
    m->first = (uint32_t)first;
    m->span = (uint32_t)span;
    return true;
}

bool covey__manifest_parse(const void *bytes, size_t size, covey__manifest *m, const char **why) {
    char text[COVEY__MANIFEST_BYTES] = "", again[COVEY__MANIFEST_BYTES];
    size_t begin = sizeof head - 1 + sizeof version - 1;
    memcpy(text, bytes, size < sizeof text ? size : sizeof text - 1);
    *m = (covey__manifest){ 0 };
    *why = "is not the manifest of a checkpoint";
    if (!covey__manifest_begins(bytes, size)) return false;
    *why = "is the manifest of a checkpoint of another version, or damaged";
    if (strncmp(text + sizeof head - 1, version, sizeof version - 1) != 0) return false;
    *why = "is the manifest of a checkpoint, and truncated or damaged";
    if (!read_numbers(text + begin, m)) return false;
    if (covey__manifest_print(again, m) != size || memcmp(again, bytes, size) != 0) return false;
    *why = "is the manifest of a checkpoint, but invalid: its ranks have more indices than exist";
    return m->number != 0 && m->ranks != 0 && m->span != 0 && m->ranks <= (UINT32_MAX - m->first) / m->span;
}

/* ---- Names -------------------------------------------------------------------------------------------------------*/

/* Whether this is a suffix of covey_save_to_file: .tmp-1a2b-0 */
static bool is_temporary(const char *end) {
    if (strncmp(end, ".tmp-", 5) != 0) return false;
    size_t process = strspn(end + 5, "0123456789abcdef");
    const char *count = end + 5 + process;
    if (process == 0 || *count != '-') return false;
    size_t digits = strspn(++count, "0123456789");
    return digits != 0 && count[digits] == '\0';
}

covey__leftover covey__manifest_leftover(const char *name, const char *base, const covey__manifest *m) {
    char again[COVEY__MANIFEST_NAME];
    uint64_t number, rank;
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0) return COVEY__LEFTOVER_NONE;
    const char *begin = name + length, *end = begin;
    if (!read_number(&end, ".", m->number, &number) || number == 0) return COVEY__LEFTOVER_NONE;
    covey__manifest_draft(again, sizeof again, "", number);
    if (strcmp(begin, again) == 0) return COVEY__LEFTOVER_DRAFT;
    if (!read_number(&end, ".", UINT32_MAX, &rank)) return COVEY__LEFTOVER_NONE;
    covey__manifest_file(again, sizeof again, "", number, (uint32_t)rank);
    if (strlen(again) != (size_t)(end - begin) || strncmp(begin, again, strlen(again)) != 0)
        return COVEY__LEFTOVER_NONE;
    if (*end != '\0') return is_temporary(end) ? COVEY__LEFTOVER_TEMPORARY : COVEY__LEFTOVER_NONE;
    return number < m->number || rank >= m->ranks ? COVEY__LEFTOVER_IMAGE : COVEY__LEFTOVER_NONE;
}
