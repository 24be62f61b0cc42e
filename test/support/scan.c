#include "scan.h"

#include <stdlib.h>
#include <string.h>

/* ---- Values ------------------------------------------------------------------------------------------------------*/

typedef struct item {
    covey_entity e;
    const char *value; /* of the field */
} item;

static const scan *comparing;

#define AS(T, at) (*(const T *)(const void *)(at))
#define COMPARE(T) return (AS(T, a) > AS(T, b)) - (AS(T, a) < AS(T, b))
/* NaN is above all. */
#define COMPARE_FLOATS(T)                                                                                     \
    if (AS(T, a) != AS(T, a) || AS(T, b) != AS(T, b)) return (AS(T, a) != AS(T, a)) - (AS(T, b) != AS(T, b)); \
    COMPARE(T)

static int compare_handles(covey_entity a, covey_entity b) {
    if (a.index != b.index) return a.index < b.index ? -1 : 1;
    return (a.generation > b.generation) - (a.generation < b.generation);
}

static int compare_values(const scan *of, const char *a, const char *b) {
    if (of->size != 0) return strncmp(a, b, of->size);
    switch (of->kind) {
    case COVEY_KIND_I8: COMPARE(int8_t);
    case COVEY_KIND_I16: COMPARE(int16_t);
    case COVEY_KIND_I32: COMPARE(int32_t);
    case COVEY_KIND_I64: COMPARE(int64_t);
    case COVEY_KIND_U16: COMPARE(uint16_t);
    case COVEY_KIND_U32: COMPARE(uint32_t);
    case COVEY_KIND_U64: COMPARE(uint64_t);
    case COVEY_KIND_F32: COMPARE_FLOATS(float);
    case COVEY_KIND_F64: COMPARE_FLOATS(double);
    case COVEY_KIND_BOOL: COMPARE(bool);
    case COVEY_KIND_ENTITY: return compare_handles(AS(covey_entity, a), AS(covey_entity, b));
    default: COMPARE(uint8_t);
    }
}

static bool is_nan(const scan *of, const char *value) {
    if (of->kind == COVEY_KIND_F32) return AS(float, value) != AS(float, value);
    return of->kind == COVEY_KIND_F64 && AS(double, value) != AS(double, value);
}

static int compare_items(const void *a, const void *b) {
    const item *one = a, *other = b;
    int values = compare_values(comparing, one->value, other->value);
    return values != 0 ? values : compare_handles(one->e, other->e);
}

/* All that a lookup files, in the order of its answers. */
static uint32_t gather(const scan *of, item *items) {
    const covey_type *type = covey_lookup_type(of->lookup);
    covey_entity e = COVEY_NULL;
    uint32_t count = 0;
    while (!covey_is_null(e = covey_entity_next(of->world, e))) {
        const char *value = covey_get_raw(of->world, e, type);
        bool has_key = value && (of->kind != COVEY_KIND_ENTITY || AS(covey_entity, value + of->offset).generation != 0);
        if (!has_key) continue;
        assert_true(count < SCAN_MOST);
        items[count++] = (item){ e, value + of->offset };
    }
    comparing = of;
    qsort(items, count, sizeof *items, compare_items);
    return count;
}

/* ---- Searches ----------------------------------------------------------------------------------------------------*/

const found *find_all(covey_search search) {
    static found all;
    all.count = 0;
    while (covey_search_next(&search)) {
        assert_true(search.count != 0 && search.count <= COVEY_FOUND && all.count + search.count <= SCAN_MOST);
        memcpy(all.e + all.count, search.entities, search.count * sizeof *all.e);
        all.count += search.count;
    }
    assert_int_equal(search.count, 0);
    assert_false(covey_search_next(&search));
    return &all;
}

void assert_found(covey_search search, const covey_entity *wanted, uint32_t count) {
    const found *all = find_all(search);
    assert_int_equal(all->count, count);
    for (uint32_t i = 0; i < count; i++) assert_true(covey_same(all->e[i], wanted[i]));
}

static void assert_items(covey_search search, const item *items, uint32_t count) {
    const found *all = find_all(search);
    assert_int_equal(all->count, count);
    for (uint32_t i = 0; i < count; i++) assert_true(covey_same(all->e[i], items[i].e));
}

/* A value of a component, as questions take it: texts end with zero. */
static const void *key_of(const scan *of, const item *i, char *text) {
    if (of->size == 0) return i->value;
    memcpy(text, i->value, of->size);
    text[of->size] = 0;
    return text;
}

static uint32_t equal_to(const scan *of, const item *items, uint32_t count) {
    uint32_t equal = 1;
    while (equal < count && compare_values(of, items[0].value, items[equal].value) == 0) equal++;
    return equal;
}

static void assert_each_value(const scan *of, const item *items, uint32_t count) {
    char text[COVEY_TEXT_MAX + 1];
    for (uint32_t i = 0, equal; i < count; i += equal) {
        const void *key = key_of(of, &items[i], text);
        equal = equal_to(of, &items[i], count - i);
        assert_int_equal(covey_lookup_count(of->lookup, key), equal);
        assert_items(covey_lookup_find(of->lookup, key), &items[i], equal);
    }
}

/* From one item to another, both with all that are equal to them. */
static void assert_range(const scan *of, const item *items, uint32_t count, uint32_t from, uint32_t to) {
    char low[COVEY_TEXT_MAX + 1], high[COVEY_TEXT_MAX + 1];
    const void *low_key = key_of(of, &items[from], low), *high_key = key_of(of, &items[to], high);
    if (from > to) {
        assert_items(covey_lookup_range(of->lookup, low_key, high_key), items, 0);
        return;
    }
    while (from != 0 && compare_values(of, items[from - 1].value, items[from].value) == 0) from--;
    to += equal_to(of, &items[to], count - to);
    assert_items(covey_lookup_range(of->lookup, low_key, high_key), items + from, to - from);
    assert_items(covey_lookup_range(of->lookup, low_key, NULL), items + from, count - from);
    assert_items(covey_lookup_range(of->lookup, NULL, high_key), items, to);
}

static void assert_order(const scan *of, const item *items, uint32_t count) {
    covey_entity first = covey_lookup_first(of->lookup), last = covey_lookup_last(of->lookup);
    uint32_t step = count / 7 + 1, at = count - 1;
    assert_items(covey_lookup_range(of->lookup, NULL, NULL), items, count);
    assert_true(count != 0 || (covey_is_null(first) && covey_is_null(last)));
    if (count == 0) return;
    while (at != 0 && compare_values(of, items[at - 1].value, items[at].value) == 0) at--;
    assert_true(covey_same(first, items[0].e));
    assert_true(covey_same(last, items[at].e));
    for (uint32_t from = 0; from < count; from += step)
        for (uint32_t to = 0; to < count; to += step)
            if (from <= to || compare_values(of, items[from].value, items[to].value) != 0)
                assert_range(of, items, count, from, to);
}

void assert_scanned(const scan *of) {
    static item items[SCAN_MOST];
    uint32_t count = gather(of, items), numbers = count;
    assert_int_equal(covey_lookup_size(of->lookup), count);
    assert_each_value(of, items, count);
    while (numbers != 0 && is_nan(of, items[numbers - 1].value)) numbers--;
    if (of->ordered) assert_order(of, items, numbers);
    test_world_is_valid(of->world);
}

scan scan_create(covey_world *world, covey_lookup_desc desc, covey_kind kind, size_t offset, size_t size) {
    scan of = { world, covey_lookup_create(world, &desc), kind, (uint32_t)offset, (uint32_t)size, desc.ordered };
    assert_non_null(of.lookup);
    return of;
}
