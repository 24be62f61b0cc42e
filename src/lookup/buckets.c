/* Buckets: sorted sets of indices, by key. buckets.h draws them. */
#include "lookup/buckets.h"

#include "memory/alloc.h"
#include "memory/bits.h"
#include "memory/hash.h"
#include "memory/lines.h"
#include "memory/result.h"

#include <stdalign.h>

enum { HEADER = 2, MOST = COVEY_PART_MOST };

/* What a segment is: in the high bits of its room. */
#define KIND_WHOLE UINT32_C(0)        /* all indices of a bucket */
#define KIND_LIST (UINT32_C(1) << 30) /* the parts of a bucket */
#define KIND_PART (UINT32_C(2) << 30) /* some of its indices */
#define KIND_UNUSED (UINT32_C(3) << 30)
#define ROOM_OF(word) ((word) & ~KIND_UNUSED)
#define KIND_OF(word) ((word)&KIND_UNUSED)

/* What is filed. */
typedef struct covey__filed {
    uint32_t index, generation;
} covey__filed;

typedef struct part {
    alignas(uint64_t) uint32_t first; /* tcc 0.9.27 writes 16 bytes where a function returns a structure of 12 */
    uint32_t at, count;
} part;

enum { PART_WORDS = 3, PART_BYTES = PART_WORDS * sizeof(uint32_t) };

/* The words that segments take for each index, when they have just moved together. One index of a bucket takes four
 * words. Two neighbouring parts take ten words besides their indices, of which they have more than half of MOST. */
enum { FOR_EACH = 4 + 20 / MOST };
/* And free words: for a part of MOST, for a list that grows by half, and so that segments move together seldom. */
enum { FREE_FOR_EACH = 1 + 20 / MOST, FREE = 8 * MOST + 64 };

/* ---- Memory ------------------------------------------------------------------------------------------------------*/

/* A number that differs in each run where addresses do. */
static uint64_t secret_of(const covey__heap *heap, const uint32_t *table) {
    return covey__mix((uint64_t)(uintptr_t)heap ^ covey__mix((uint64_t)(uintptr_t)table)) | 1;
}

/* The sum of the products of each four bytes and a number of their own: two texts have the same high half of it with a
 * chance of 1 / 2^32. */
static uint64_t hash_of_text(const covey__buckets *b, const char *text, uint32_t length) {
    uint64_t sum = 0;
    for (uint32_t i = 0; i < length; i += 4) {
        uint32_t word = 0;
        memcpy(&word, text + i, length - i < 4 ? length - i : 4);
        sum += covey__mix(b->secret + i) * word;
    }
    return sum;
}

static uint64_t hash_of(const covey__buckets *b, const covey__lookup_key *key) {
    uint64_t bits = key->bits;
    if (key->text) return hash_of_text(b, key->text, key->length);
    bits = (bits ^ bits >> 32) * UINT64_C(0x9E3779B97F4A7C15);
    return bits ^ bits >> 29;
}

/* Where the search for a record begins. */
static uint32_t home_of(const covey__buckets *b, uint64_t hash) {
    return (uint32_t)(hash * b->secret >> b->table_shift);
}

static uint64_t record_hash(const covey__buckets *b, uint32_t record) {
    covey__lookup_key key = { b->records[record].key, NULL, 0 };
    return b->text_size != 0 ? key.bits : hash_of(b, &key);
}

static void put_in_table(covey__buckets *b, uint32_t record) {
    uint32_t at = home_of(b, record_hash(b, record));
    while (b->table[at] != COVEY__NO_RECORD) at = (at + 1) & (b->table_size - 1);
    b->table[at] = record;
}

static bool reserve_table(covey__heap *heap, covey__buckets *b, uint32_t count) {
    uint32_t size = 16, old_size = b->table_size, *old = b->table;
    while (size < UINT32_C(1) << 31 && size / 4 * 3 < count) size *= 2;
    if (size / 4 * 3 < count) return false;
    if (size <= old_size) return true;
    uint32_t *table = covey__resize(heap, NULL, 0, size, sizeof *table, alignof(uint32_t));
    if (!table) return false;
    memset(table, 0xff, size * sizeof *table);
    b->table = table;
    b->table_size = size;
    b->table_shift = 64 - covey__highest_bit(size);
    if (!old) b->secret = secret_of(heap, table);
    for (uint32_t i = 0; i < old_size; i++)
        if (old[i] != COVEY__NO_RECORD) put_in_table(b, old[i]);
    covey__free(heap, old, old_size, sizeof *old, alignof(uint32_t));
    return true;
}

static bool reserve_records(covey__heap *heap, covey__buckets *b, uint32_t count) {
    if (count > b->record_capacity) {
        covey__bucket *records =
            covey__resize(heap, b->records, b->record_capacity, count, sizeof *records, alignof(covey__bucket));
        if (!records) return false;
        b->records = records;
        b->record_capacity = count;
    }
    if (b->text_size == 0 || count <= b->text_count) return true;
    char *texts = covey__resize(heap, b->texts, b->text_count, count, b->text_size, 1);
    if (!texts) return false;
    b->texts = texts;
    b->text_count = count;
    return true;
}

static bool reserve_words(covey__heap *heap, covey__buckets *b, uint32_t count) {
    uint64_t wanted = (uint64_t)count * (FOR_EACH + FREE_FOR_EACH) + FREE;
    if (wanted <= b->word_capacity) return true;
    if (wanted > ROOM_OF(UINT32_MAX)) return false;
    uint32_t *words =
        covey__resize(heap, b->words, b->word_capacity, (uint32_t)wanted, sizeof *words, alignof(uint32_t));
    if (!words) return false;
    b->words = words;
    b->word_capacity = (uint32_t)wanted;
    return true;
}

bool covey__buckets_reserve(covey__heap *heap, covey__buckets *b, uint64_t count) {
    if (count <= b->capacity && b->table) return true;
    if (count > UINT32_MAX / 2) return false;
    if (!b->table) b->record_unused = COVEY__NO_RECORD;
    uint32_t capacity = covey__grown(b->capacity, (uint32_t)count, UINT32_MAX / 2);
    if (!reserve_table(heap, b, capacity) || !reserve_records(heap, b, capacity) || !reserve_words(heap, b, capacity))
        return false;
    b->capacity = capacity;
    return true;
}

bool covey__buckets_reach(covey__heap *heap, covey__buckets *b, uint32_t index, uint32_t limit) {
    return covey__pages_reach(heap, &b->filed, index, limit, COVEY__FILED_BYTES) != NULL;
}

void covey__buckets_clear(covey__buckets *b) {
    for (uint32_t i = 0; i < b->filed.count; i++)
        if (b->filed.at[i]) memset(b->filed.at[i], 0, COVEY__FILED_BYTES);
    if (b->table) memset(b->table, 0xff, b->table_size * sizeof *b->table);
    b->record_end = b->word_end = b->count = 0;
    b->changes++;
    b->record_unused = COVEY__NO_RECORD;
}

void covey__buckets_free(covey__heap *heap, covey__buckets *b) {
    covey__free(heap, b->records, b->record_capacity, sizeof *b->records, alignof(covey__bucket));
    covey__free(heap, b->texts, b->text_count, b->text_size, 1);
    covey__free(heap, b->table, b->table_size, sizeof *b->table, alignof(uint32_t));
    covey__free(heap, b->words, b->word_capacity, sizeof *b->words, alignof(uint32_t));
    covey__pages_free(heap, &b->filed, COVEY__FILED_BYTES);
    *b = (covey__buckets){ .text_size = b->text_size };
}

size_t covey__buckets_bytes(const covey__buckets *b) {
    return b->record_capacity * sizeof *b->records + (size_t)b->text_count * b->text_size +
           b->table_size * sizeof *b->table + b->word_capacity * sizeof *b->words +
           covey__pages_bytes(&b->filed, COVEY__FILED_BYTES);
}

/* ---- Records -----------------------------------------------------------------------------------------------------*/

static char *text_of(const covey__buckets *b, uint32_t record) { return b->texts + (size_t)record * b->text_size; }

static bool is_same_text(const covey__buckets *b, uint32_t record, const covey__lookup_key *key) {
    const char *text = text_of(b, record);
    if (key->length > b->text_size || memcmp(text, key->text, key->length) != 0) return false;
    return key->length == b->text_size || text[key->length] == 0;
}

static bool has_key(const covey__buckets *b, uint32_t record, uint64_t bits, const covey__lookup_key *key) {
    return b->records[record].key == bits && (!key->text || is_same_text(b, record, key));
}

bool covey__record_has_key(const covey__buckets *b, uint32_t record, const covey__lookup_key *key) {
    return has_key(b, record, key->text ? hash_of(b, key) : key->bits, key);
}

uint32_t covey__buckets_find(const covey__buckets *b, const covey__lookup_key *key) {
    if (b->count == 0) return COVEY__NO_RECORD;
    uint64_t hash = hash_of(b, key), bits = key->text ? hash : key->bits;
    uint32_t at = home_of(b, hash), record;
    while ((record = b->table[at]) != COVEY__NO_RECORD && !has_key(b, record, bits, key))
        at = (at + 1) & (b->table_size - 1);
    return record;
}

/* A new record without indices. */
static uint32_t add_record(covey__buckets *b, const covey__lookup_key *key) {
    uint32_t record = b->record_unused;
    if (record == COVEY__NO_RECORD) record = b->record_end++;
    else b->record_unused = b->records[record].at;
    b->records[record] = (covey__bucket){ key->text ? hash_of(b, key) : key->bits, 0, 0 };
    if (key->text) {
        memset(text_of(b, record), 0, b->text_size);
        memcpy(text_of(b, record), key->text, key->length);
    }
    put_in_table(b, record);
    return record;
}

/* Closes the gap in the table: moves each record behind it that would not be found any more. */
static void take_out_of_table(covey__buckets *b, uint32_t record) {
    uint32_t mask = b->table_size - 1, gap = home_of(b, record_hash(b, record));
    while (b->table[gap] != record) gap = (gap + 1) & mask;
    for (uint32_t at = (gap + 1) & mask; b->table[at] != COVEY__NO_RECORD; at = (at + 1) & mask) {
        uint32_t home = home_of(b, record_hash(b, b->table[at]));
        if (((at - home) & mask) < ((at - gap) & mask)) continue;
        b->table[gap] = b->table[at];
        gap = at;
    }
    b->table[gap] = COVEY__NO_RECORD;
}

static void remove_record(covey__buckets *b, uint32_t record) {
    take_out_of_table(b, record);
    b->records[record].at = b->record_unused;
    b->records[record].count = 0;
    b->record_unused = record;
}

/* ---- Segments ----------------------------------------------------------------------------------------------------*/

static uint32_t *room_word(const covey__buckets *b, uint32_t at) { return &b->words[at - 1]; }
static uint32_t room_at(const covey__buckets *b, uint32_t at) { return ROOM_OF(*room_word(b, at)); }

/* The words of a segment behind its header: with indices, two for each. */
static uint32_t length_of(uint32_t kind, uint32_t room) { return kind == KIND_LIST ? room : 2 * room; }

/* An unused segment keeps its length as its room. */
static uint32_t length_at(const covey__buckets *b, uint32_t at) {
    uint32_t word = *room_word(b, at);
    return KIND_OF(word) == KIND_UNUSED ? ROOM_OF(word) : length_of(KIND_OF(word), ROOM_OF(word));
}

static uint32_t *generations_at(const covey__buckets *b, uint32_t at) { return &b->words[at + room_at(b, at)]; }

static bool is_listed(const covey__buckets *b, const covey__bucket *record) {
    return KIND_OF(*room_word(b, record->at)) == KIND_LIST;
}

static uint32_t *part_count(const covey__buckets *b, const covey__bucket *record) { return &b->words[record->at]; }

static part part_of(const covey__buckets *b, const covey__bucket *record, uint32_t number) {
    const uint32_t *words = &b->words[record->at + 1 + number * PART_WORDS];
    return (part){ words[0], words[1], words[2] };
}

static void put_part(const covey__buckets *b, const covey__bucket *record, uint32_t number, part p) {
    memcpy(&b->words[record->at + 1 + number * PART_WORDS], &p, PART_BYTES);
}

/* The part in which an index is, or would be. */
static uint32_t part_for(const covey__buckets *b, const covey__bucket *record, uint32_t index) {
    uint32_t low = 0, high = *part_count(b, record);
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (part_of(b, record, middle).first <= index) low = middle;
        else high = middle;
    }
    return low;
}

/* The words that a segment uses, and where it is noted that it moves. */
static uint32_t move_segment(const covey__buckets *b, uint32_t at, uint32_t to) {
    covey__bucket *record = &b->records[b->words[at - HEADER]];
    uint32_t kind = KIND_OF(*room_word(b, at));
    if (kind == KIND_PART) {
        uint32_t number = part_for(b, record, b->words[at]);
        part p = part_of(b, record, number);
        p.at = to;
        put_part(b, record, number, p);
        return p.count;
    }
    uint32_t used = kind == KIND_LIST ? 1 + b->words[at] * PART_WORDS : record->count;
    record->at = to;
    return used;
}

/* Moves all segments together. */
static void move_together(covey__buckets *b) {
    uint32_t to = 0;
    for (uint32_t from = 0, next; from < b->word_end; from = next) {
        uint32_t word = b->words[from + 1], owner = b->words[from];
        next = from + HEADER + length_at(b, from + HEADER);
        if (KIND_OF(word) == KIND_UNUSED) continue;
        uint32_t used = move_segment(b, from + HEADER, to + HEADER);
        memmove(&b->words[to + HEADER], &b->words[from + HEADER], used * sizeof *b->words);
        if (KIND_OF(word) != KIND_LIST)
            memmove(&b->words[to + HEADER + used], &b->words[from + HEADER + ROOM_OF(word)], used * sizeof *b->words);
        b->words[to] = owner;
        b->words[to + 1] = KIND_OF(word) | used;
        to += HEADER + length_of(KIND_OF(word), used);
    }
    b->word_end = to;
}

/* Moves all segments together if there are fewer free words. */
static void make_room(covey__buckets *b, uint32_t words) {
    if (b->word_capacity - b->word_end < words) move_together(b);
}

/* A new segment. Others may move. */
static uint32_t take_segment(covey__buckets *b, uint32_t owner, uint32_t kind, uint32_t room) {
    make_room(b, HEADER + length_of(kind, room));
    uint32_t at = b->word_end + HEADER;
    b->words[at - HEADER] = owner;
    *room_word(b, at) = kind | room;
    b->word_end = at + length_of(kind, room);
    return at;
}

/* The last segment becomes free words. */
static void leave_segment(covey__buckets *b, uint32_t at) {
    uint32_t length = length_at(b, at);
    *room_word(b, at) = KIND_UNUSED | length;
    if (at + length == b->word_end) b->word_end = at - HEADER;
}

static uint32_t more_than(uint32_t count) { return count + count / 2 + 2 < MOST ? count + count / 2 + 2 : MOST; }

/* The first of some sorted indices that is not below one. */
static uint32_t place_in(const uint32_t *indices, uint32_t count, uint32_t index) {
    uint32_t low = 0;
    while (count != 0) {
        uint32_t half = count / 2;
        bool above = indices[low + half] < index;
        low += above ? half + 1 : 0;
        count = above ? count - half - 1 : half;
    }
    return low;
}

static void insert_word(uint32_t *words, uint32_t count, uint32_t at, uint32_t word) {
    memmove(&words[at + 1], &words[at], (count - at) * sizeof *words);
    words[at] = word;
}

static void extract_word(uint32_t *words, uint32_t count, uint32_t at) {
    memmove(&words[at], &words[at + 1], (count - at - 1) * sizeof *words);
}

/* Into a segment that has room; and out of one. */
static void insert(const covey__buckets *b, uint32_t segment, uint32_t count, covey__filed filed) {
    uint32_t *indices = &b->words[segment];
    uint32_t at = count != 0 && indices[count - 1] < filed.index ? count : place_in(indices, count, filed.index);
    insert_word(indices, count, at, filed.index);
    insert_word(generations_at(b, segment), count, at, filed.generation);
}

static void extract(const covey__buckets *b, uint32_t segment, uint32_t count, uint32_t index) {
    uint32_t at = place_in(&b->words[segment], count, index);
    extract_word(&b->words[segment], count, at);
    extract_word(generations_at(b, segment), count, at);
}

/* Copies indices and generations from one segment, from a place on, to another. */
static void copy_words(const covey__buckets *b, uint32_t from, uint32_t first, uint32_t to, uint32_t place,
                       uint32_t count) {
    memcpy(&b->words[to + place], &b->words[from + first], count * sizeof *b->words);
    memcpy(generations_at(b, to) + place, generations_at(b, from) + first, count * sizeof *b->words);
}

/* ---- Parts -------------------------------------------------------------------------------------------------------*/

/* Makes room for a part in the list, and free words for the part itself. Only then do both stay where they are. */
static void grow_list(covey__buckets *b, uint32_t number) {
    covey__bucket *record = &b->records[number];
    uint32_t parts = *part_count(b, record), used = 1 + parts * PART_WORDS;
    uint32_t room = 1 + (parts + parts / 2 + 2) * PART_WORDS;
    make_room(b, HEADER + room + HEADER + 2 * MOST);
    if (room_at(b, record->at) >= used + PART_WORDS) return;
    uint32_t at = take_segment(b, number, KIND_LIST, room), old = record->at;
    memcpy(&b->words[at], &b->words[old], used * sizeof *b->words);
    record->at = at;
    leave_segment(b, old);
}

static void grow_part(covey__buckets *b, uint32_t number, uint32_t which, uint32_t room) {
    covey__bucket *record = &b->records[number];
    if (room_at(b, part_of(b, record, which).at) >= room) return;
    uint32_t at = take_segment(b, number, KIND_PART, room);
    part p = part_of(b, record, which);
    copy_words(b, p.at, 0, at, 0, p.count);
    uint32_t old = p.at;
    p.at = at;
    put_part(b, record, which, p);
    leave_segment(b, old);
}

static void insert_part(covey__buckets *b, covey__bucket *record, uint32_t which, part p) {
    uint32_t parts = (*part_count(b, record))++, *at = &b->words[record->at + 1 + which * PART_WORDS];
    memmove(at + PART_WORDS, at, (parts - which) * PART_BYTES);
    put_part(b, record, which, p);
}

static void extract_part(covey__buckets *b, covey__bucket *record, uint32_t which) {
    uint32_t parts = --*part_count(b, record), *at = &b->words[record->at + 1 + which * PART_WORDS];
    leave_segment(b, part_of(b, record, which).at);
    memmove(at, at + PART_WORDS, (parts - which) * PART_BYTES);
}

/* Makes a part of all indices of a bucket. */
static void begin_list(covey__buckets *b, uint32_t number) {
    covey__bucket *record = &b->records[number];
    uint32_t at = take_segment(b, number, KIND_LIST, 1 + 2 * PART_WORDS), whole = record->at;
    *room_word(b, whole) |= KIND_PART;
    b->words[at] = 1;
    record->at = at;
    put_part(b, record, 0, (part){ b->words[whole], whole, record->count });
}

/* The reverse. */
static void end_list(covey__buckets *b, uint32_t number) {
    covey__bucket *record = &b->records[number];
    part p = part_of(b, record, 0);
    leave_segment(b, record->at);
    *room_word(b, p.at) = room_at(b, p.at) | KIND_WHOLE;
    record->at = p.at;
}

/* Splits a full part, before an index is inserted; at its end if the index comes after all others. */
static void split(covey__buckets *b, uint32_t number, uint32_t which, uint32_t index) {
    covey__bucket *record = &b->records[number];
    grow_list(b, number);
    bool last = which + 1 == *part_count(b, record) && b->words[part_of(b, record, which).at + MOST - 1] < index;
    uint32_t moved = last ? 0 : MOST / 2;
    uint32_t at = take_segment(b, number, KIND_PART, MOST);
    part p = part_of(b, record, which);
    p.count -= moved;
    copy_words(b, p.at, p.count, at, 0, moved);
    put_part(b, record, which, p);
    insert_part(b, record, which + 1, (part){ last ? index : b->words[at], at, moved });
}

static void file_in_list(covey__buckets *b, uint32_t number, covey__filed filed) {
    uint32_t index = filed.index;
    covey__bucket *record = &b->records[number];
    uint32_t which = part_for(b, record, index);
    if (part_of(b, record, which).count == MOST) {
        split(b, number, which, index);
        which = part_for(b, record, index);
    }
    if (part_of(b, record, which).count == room_at(b, part_of(b, record, which).at))
        grow_part(b, number, which, more_than(part_of(b, record, which).count));
    part p = part_of(b, record, which);
    insert(b, p.at, p.count++, filed);
    p.first = b->words[p.at];
    put_part(b, record, which, p);
}

/* Unites a part with the next one, if both have no more than half of MOST. */
static void unite(covey__buckets *b, uint32_t number, uint32_t which) {
    covey__bucket *record = &b->records[number];
    if (which + 1 >= *part_count(b, record)) return;
    uint32_t sum = part_of(b, record, which).count + part_of(b, record, which + 1).count;
    if (sum > MOST / 2) return;
    grow_part(b, number, which, sum);
    part p = part_of(b, record, which), next = part_of(b, record, which + 1);
    copy_words(b, next.at, 0, p.at, p.count, next.count);
    p.count = sum;
    p.first = b->words[p.at];
    put_part(b, record, which, p);
    extract_part(b, record, which + 1);
}

static void unfile_in_list(covey__buckets *b, uint32_t number, uint32_t index) {
    covey__bucket *record = &b->records[number];
    uint32_t which = part_for(b, record, index);
    part p = part_of(b, record, which);
    extract(b, p.at, p.count--, index);
    if (p.count != 0) p.first = b->words[p.at];
    put_part(b, record, which, p);
    if (p.count == 0) extract_part(b, record, which);
    else unite(b, number, which);
    if (which != 0) unite(b, number, which - 1);
    if (*part_count(b, record) == 1) end_list(b, number);
}

/* ---- Filing ------------------------------------------------------------------------------------------------------*/

static void grow_segment(covey__buckets *b, uint32_t number) {
    covey__bucket *record = &b->records[number];
    uint32_t at = take_segment(b, number, KIND_WHOLE, more_than(record->count)), old = record->at;
    copy_words(b, old, 0, at, 0, record->count);
    record->at = at;
    leave_segment(b, old);
}

static void file_in(covey__buckets *b, uint32_t number, covey__filed filed) {
    covey__bucket *record = &b->records[number];
    if (record->count == 0) record->at = take_segment(b, number, KIND_WHOLE, 1);
    bool listed = is_listed(b, record);
    if (!listed && record->count == MOST) begin_list(b, number);
    else if (!listed && record->count == room_at(b, record->at)) grow_segment(b, number);
    if (listed || record->count == MOST) file_in_list(b, number, filed);
    else insert(b, record->at, record->count, filed);
    record->count++;
}

static void unfile_in(covey__buckets *b, uint32_t number, uint32_t index) {
    covey__bucket *record = &b->records[number];
    record->count--;
    if (record->count == 0) {
        leave_segment(b, record->at);
        remove_record(b, number);
    } else if (is_listed(b, record)) unfile_in_list(b, number, index);
    else extract(b, record->at, record->count + 1, index);
}

void covey__buckets_file(covey__buckets *b, uint32_t index, uint32_t generation, const covey__lookup_key *key) {
    uint32_t old = covey__record_of(b, index);
    if (old != COVEY__NO_RECORD && covey__record_has_key(b, old, key)) return;
    covey__buckets_unfile(b, index);
    uint32_t record = covey__buckets_find(b, key);
    if (record == COVEY__NO_RECORD) record = add_record(b, key);
    file_in(b, record, (covey__filed){ index, generation });
    b->count++;
    b->changes++;
    ((uint32_t *)covey__page_at(&b->filed, index))[index % COVEY__BLOCK_PAGE] = record + 1;
}

void covey__buckets_unfile(covey__buckets *b, uint32_t index) {
    uint32_t record = covey__record_of(b, index);
    if (record == COVEY__NO_RECORD) return;
    unfile_in(b, record, index);
    b->count--;
    b->changes++;
    ((uint32_t *)covey__page_at(&b->filed, index))[index % COVEY__BLOCK_PAGE] = 0;
}

void covey__buckets_renew(covey__buckets *b, uint32_t index, uint32_t generation) {
    const covey__bucket *record = &b->records[covey__record_of(b, index)];
    part p = { 0, record->at, record->count };
    if (is_listed(b, record)) p = part_of(b, record, part_for(b, record, index));
    generations_at(b, p.at)[place_in(&b->words[p.at], p.count, index)] = generation;
}

/* ---- Building ----------------------------------------------------------------------------------------------------*/

/* Entered indices are counted in their records, and know these. Then all segments are laid out, each with the room that
 * it needs, and the indices are put in. */
void covey__buckets_enter(covey__buckets *b, uint32_t index, const covey__lookup_key *key) {
    uint32_t record = covey__buckets_find(b, key);
    if (record == COVEY__NO_RECORD) record = add_record(b, key);
    b->records[record].count++;
    b->count++;
    ((uint32_t *)covey__page_at(&b->filed, index))[index % COVEY__BLOCK_PAGE] = record + 1;
}

void covey__buckets_enter_block(covey__buckets *b, uint32_t first, uint64_t ids, const uint64_t *keys) {
    for (uint64_t left = ids; left != 0; left &= left - 1) {
        covey__lookup_key key = { keys[covey__lowest_bit(left)], NULL, 0 };
        covey__prefetch_line((const char *)&b->table[home_of(b, hash_of(b, &key))]);
    }
    for (uint64_t left = ids; left != 0; left &= left - 1) {
        covey__lookup_key key = { keys[covey__lowest_bit(left)], NULL, 0 };
        covey__buckets_enter(b, first + covey__lowest_bit(left), &key);
    }
}

enum { PART_BEGINS = MOST / 4 * 3 }; /* indices of a part, so that some more can be filed in it */

static void lay_out_list(covey__buckets *b, uint32_t number, uint32_t count) {
    uint32_t parts = (count + PART_BEGINS - 1) / PART_BEGINS;
    covey__bucket *record = &b->records[number];
    record->at = take_segment(b, number, KIND_LIST, 1 + parts * PART_WORDS);
    *part_count(b, record) = parts;
    for (uint32_t i = 0; i < parts; i++) {
        uint32_t some = i + 1 < parts ? PART_BEGINS : count - i * PART_BEGINS;
        put_part(b, record, i, (part){ 0, take_segment(b, number, KIND_PART, some), 0 });
    }
}

static void lay_out(covey__buckets *b, uint32_t number) {
    covey__bucket *record = &b->records[number];
    uint32_t count = record->count;
    if (count > MOST) lay_out_list(b, number, count);
    else record->at = take_segment(b, number, KIND_WHOLE, count);
    record->count = 0;
}

/* Indices come in order. */
static void put_in(covey__buckets *b, uint32_t number, covey__filed filed) {
    covey__bucket *record = &b->records[number];
    uint32_t count = record->count++, which = count / PART_BEGINS;
    bool listed = is_listed(b, record);
    part p = { 0, record->at, count };
    if (listed) p = part_of(b, record, which);
    b->words[p.at + p.count] = filed.index;
    generations_at(b, p.at)[p.count] = filed.generation;
    if (!listed) return;
    if (p.count++ == 0) p.first = filed.index;
    put_part(b, record, which, p);
}

void covey__buckets_build(covey__buckets *b, covey__generation_fn *generation, const void *context) {
    for (uint32_t i = 0; i < b->record_end; i++) lay_out(b, i);
    for (uint32_t i = 0; i < b->filed.count; i++) {
        const uint32_t *records = b->filed.at[i];
        for (uint32_t k = 0; records && k < COVEY__BLOCK_PAGE; k++) {
            uint32_t index = i * COVEY__BLOCK_PAGE + k;
            if (records[k] != 0) put_in(b, records[k] - 1, (covey__filed){ index, generation(context, index) });
        }
    }
}

/* ---- Shrinking ---------------------------------------------------------------------------------------------------*/

static covey__lookup_key key_of_record(const covey__buckets *b, uint32_t record) {
    covey__lookup_key key = { b->records[record].key, NULL, 0 };
    if (b->text_size == 0) return key;
    key.text = text_of(b, record);
    while (key.length < b->text_size && key.text[key.length] != 0) key.length++;
    return key;
}

/* Memory for `count` indices exactly, and all pages that another one has. */
static bool make_alike(covey__heap *heap, covey__buckets *b, const covey__buckets *other, uint32_t count,
                       uint32_t limit) {
    if (!covey__buckets_reserve(heap, b, 0) || !reserve_table(heap, b, count) || !reserve_records(heap, b, count) ||
        !reserve_words(heap, b, count))
        return false;
    b->capacity = count;
    for (uint32_t i = 0; i < other->filed.count; i++)
        if (other->filed.at[i] && !covey__buckets_reach(heap, b, i * COVEY__BLOCK_PAGE, limit)) return false;
    return true;
}

void covey__buckets_shrink(covey__heap *heap, covey__buckets *b, uint32_t count, uint32_t limit) {
    covey__buckets small = { .text_size = b->text_size };
    if (count >= b->capacity) return;
    if (!make_alike(heap, &small, b, count, limit)) {
        covey__buckets_free(heap, &small);
        return;
    }
    for (uint32_t i = 0; i < b->filed.count * COVEY__BLOCK_PAGE; i++) {
        uint32_t record = covey__record_of(b, i);
        covey__lookup_key key;
        if (record == COVEY__NO_RECORD) continue;
        key = key_of_record(b, record);
        covey__buckets_file(&small, i, *covey__bucket_from(b, record, i).generations, &key);
    }
    small.changes = b->changes;
    covey__buckets_free(heap, b);
    *b = small;
}

/* ---- Reading -----------------------------------------------------------------------------------------------------*/

covey__bucket_run covey__bucket_whole(const covey__buckets *b, uint32_t number) {
    const covey__bucket *record = &b->records[number];
    uint32_t room = *room_word(b, record->at), at = record->at;
    if (KIND_OF(room) != KIND_WHOLE) return (covey__bucket_run){ NULL, NULL, 0 };
    return (covey__bucket_run){ &b->words[at], &b->words[at + ROOM_OF(room)], record->count };
}

covey__bucket_run covey__bucket_from(const covey__buckets *b, uint32_t number, uint32_t index) {
    const covey__bucket *record = &b->records[number];
    part p = { 0, record->at, record->count };
    uint32_t which = 0;
    bool listed = is_listed(b, record);
    if (listed) p = part_of(b, record, which = part_for(b, record, index));
    uint32_t place = b->words[p.at] >= index ? 0 : place_in(&b->words[p.at], p.count, index);
    if (listed && place == p.count && which + 1 < *part_count(b, record)) {
        p = part_of(b, record, which + 1);
        place = 0;
    }
    return (covey__bucket_run){ &b->words[p.at + place], generations_at(b, p.at) + place, p.count - place };
}

/* ---- Invariants --------------------------------------------------------------------------------------------------*/

static bool valid_indices(const covey__buckets *b, uint32_t number, const uint32_t *indices, uint32_t count,
                          const char **why) {
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(i == 0 || indices[i - 1] < indices[i], "lookup: the indices of a bucket are out of order");
        REQUIRE(covey__record_of(b, indices[i]) == number, "lookup: an index is in another bucket than it is filed in");
    }
    return true;
}

static bool valid_list(const covey__buckets *b, uint32_t number, const char **why) {
    const covey__bucket *record = &b->records[number];
    uint32_t parts = *part_count(b, record), sum = 0;
    REQUIRE(parts > 1 && room_at(b, record->at) >= 1 + parts * PART_WORDS, "lookup: a list lacks room for its parts");
    for (uint32_t i = 0; i < parts; i++) {
        part p = part_of(b, record, i), before = i != 0 ? part_of(b, record, i - 1) : p;
        REQUIRE(KIND_OF(*room_word(b, p.at)) == KIND_PART && b->words[p.at - HEADER] == number,
                "lookup: a part belongs to another bucket");
        REQUIRE(p.count != 0 && p.count <= room_at(b, p.at) && p.first == b->words[p.at],
                "lookup: a part is empty, or too long");
        REQUIRE(i == 0 || before.count + p.count > MOST / 2, "lookup: two parts should be united");
        REQUIRE(i == 0 || b->words[before.at + before.count - 1] < p.first, "lookup: parts are out of order");
        if (!valid_indices(b, number, &b->words[p.at], p.count, why)) return false;
        sum += p.count;
    }
    REQUIRE(sum == record->count, "lookup: the parts of a bucket have more or fewer indices than it counts");
    return true;
}

static bool valid_record(const covey__buckets *b, uint32_t number, const char **why) {
    const covey__bucket *record = &b->records[number];
    covey__lookup_key key = key_of_record(b, number);
    REQUIRE(b->text_size == 0 || hash_of(b, &key) == record->key, "lookup: a record has the hash of another text");
    REQUIRE(covey__buckets_find(b, &key) == number, "lookup: a record is not found by its key");
    REQUIRE(b->words[record->at - HEADER] == number, "lookup: a segment belongs to another bucket");
    if (is_listed(b, record)) return valid_list(b, number, why);
    REQUIRE(KIND_OF(*room_word(b, record->at)) == KIND_WHOLE && record->count <= room_at(b, record->at),
            "lookup: a segment lacks room for its indices");
    return valid_indices(b, number, &b->words[record->at], record->count, why);
}

/* The words of all segments that are used, without spare room: they would have to fit. */
static bool valid_words(const covey__buckets *b, const char **why) {
    uint64_t needed = 0;
    uint32_t at = 0;
    while (at < b->word_end) {
        uint32_t word = b->words[at + 1];
        const covey__bucket *record = &b->records[b->words[at]];
        if (KIND_OF(word) == KIND_WHOLE) needed += HEADER + 2 * (uint64_t)record->count;
        if (KIND_OF(word) == KIND_LIST) {
            needed +=
                HEADER + 1 + (uint64_t)b->words[at + HEADER] * (PART_WORDS + HEADER) + 2 * (uint64_t)record->count;
        }
        at += HEADER + length_at(b, at + HEADER);
    }
    REQUIRE(at == b->word_end && at <= b->word_capacity, "lookup: segments overlap, or leave gaps");
    REQUIRE(needed <= (uint64_t)b->count * FOR_EACH, "lookup: segments need more words than are reserved");
    return true;
}

bool covey__buckets_valid(const covey__buckets *b, const char **why) {
    uint64_t sum = 0, filed = 0;
    uint32_t unused = 0, used = 0;
    REQUIRE(b->count <= b->capacity && b->capacity <= b->record_capacity && b->record_end <= b->record_capacity,
            "lookup: more indices are filed than there is memory for");
    REQUIRE(b->text_size == 0 || b->capacity <= b->text_count, "lookup: there is no memory for all texts");
    for (uint32_t i = b->capacity != 0 ? b->record_unused : COVEY__NO_RECORD; i != COVEY__NO_RECORD;
         i = b->records[i].at) {
        REQUIRE(i < b->record_end && b->records[i].count == 0 && unused <= b->record_end,
                "lookup: the list of unused records is broken");
        unused++;
    }
    for (uint32_t i = 0; i < b->record_end; i++) {
        sum += b->records[i].count;
        used += b->records[i].count != 0;
        if (b->records[i].count != 0 && !valid_record(b, i, why)) return false;
    }
    for (uint32_t i = 0; i < b->filed.count; i++)
        for (uint32_t k = 0; b->filed.at[i] && k < COVEY__BLOCK_PAGE; k++)
            filed += ((const uint32_t *)b->filed.at[i])[k] != 0;
    REQUIRE(used + unused == b->record_end, "lookup: a record is neither used nor in the list of unused ones");
    REQUIRE(sum == b->count && filed == b->count, "lookup: the count of filed indices is wrong");
    return b->capacity == 0 || valid_words(b, why);
}
