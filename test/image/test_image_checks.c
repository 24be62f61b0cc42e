/* Every check of the loader: images are written here number by number, as docs/format.md says, with one impossible
 * number. */
#include "fixture.h"
#include "images.h"

/* ---- Writing ------------------------------------------------------------------------------------------------------*/

static unsigned char bytes[1 << 20];
static size_t size, section_start;
static struct {
    uint32_t kind;
    size_t bytes;
} sections[17000];
static uint32_t section_count;

static void number(uint64_t value, uint32_t width) {
    for (uint32_t i = 0; i < width; i++) bytes[size++] = (unsigned char)(value >> 8 * i);
}

static void u32s(uint32_t count, const uint32_t *values) {
    for (uint32_t i = 0; i < count; i++) number(values[i], 4);
}
#define NUMBERS(...) u32s(sizeof((uint32_t[]){ __VA_ARGS__ }) / sizeof(uint32_t), (const uint32_t[]){ __VA_ARGS__ })

static void name(const char *text) {
    number(strlen(text), 2);
    for (; *text; text++) number((unsigned char)*text, 1);
}

static void end_section(void) {
    if (section_count != 0) sections[section_count - 1].bytes = size - section_start;
    section_start = size;
}

static void section(uint32_t kind) {
    end_section();
    sections[section_count++].kind = kind;
}

static void begin(void) {
    static const unsigned char header[16] = { 0x89, 'C', 'V', 'Y', '\r', '\n', 0x1A, '\n', COVEY_IMAGE_VERSION };
    memcpy(bytes, header, sizeof header);
    size = section_start = sizeof header;
    section_count = 0;
}

static void table(void) {
    for (uint32_t i = 0; i < section_count; i++) {
        number(sections[i].kind, 4);
        number(0, 4);
        number(sections[i].bytes, 8);
    }
    number(size + 16, 8);
    number(section_count, 4);
    number(0, 4);
    image_mend(bytes, size);
}

static void end(void) {
    end_section();
    table();
}

/* Entities 0 to count - 1 are alive, in their first lives. */
static void begin_with(uint32_t count) {
    begin();
    section(COVEY_SECTION_WORLD);
    number(5, 8);
    number(count, 8);
    section(COVEY_SECTION_ENTITIES);
    NUMBERS(count, count != 0, 0);
    if (count != 0) NUMBERS(0, count);
    for (uint32_t i = 0; i < count; i++) number(1, 4);
}

/* Two alive, and what follows is up to the caller: slots, runs, ranges ... */
static void begin_entities(uint32_t alive) {
    begin();
    section(COVEY_SECTION_WORLD);
    number(5, 8);
    number(alive, 8);
    section(COVEY_SECTION_ENTITIES);
}

enum { SPARSE = COVEY_STORAGE_SPARSE, BLOCK = COVEY_STORAGE_BLOCK, TICKS = 1 };

static void type(const char *text, uint32_t encoding, uint32_t storage, uint32_t policy, uint32_t flags) {
    name(text);
    number(encoding, 1);
    number(storage, 1);
    number(policy, 1);
    number(flags, 1);
    number(0, 1);
    number(storage, 1);
}

static void tag(uint32_t storage, uint32_t policy) {
    section(COVEY_SECTION_POOL);
    type("Tag", COVEY_ENCODING_NONE, storage, policy, 0);
}

/* ---- Loading ------------------------------------------------------------------------------------------------------*/

static covey_report load_it(void) {
    covey_report report;
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP };
    const char *why = image_check_load(bytes, size, &desc, &report);
    if (why) fail_msg("%s", why);
    return report;
}

static covey_report load(void) {
    end();
    return load_it();
}

static void taken(void) {
    covey_report report = load();
    if (report.result != COVEY_OK) fail_msg("%s (byte %llu)", report.text, (unsigned long long)report.offset);
}

static void refused_for(covey_fault fault, int line) {
    covey_report report = load();
    if (report.fault != fault) fail_msg("line %d: fault %d, not %d: %s", line, report.fault, fault, report.text);
    assert_true(report.offset <= size);
}
#define REFUSED(fault) refused_for(COVEY_FAULT_##fault, __LINE__)

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static void test_runs(void **state) {
    (void)state;
    begin_entities(2), NUMBERS(2, 2, 0, /* runs */ 0, 1, 5, 1, /* generations */ 1, 1), taken();
    begin_entities(2), NUMBERS(2, 3, 0, 0, 1, 5, 1, 9, 0, 1, 1), REFUSED(ENTITY);  /* an empty one */
    begin_entities(2), NUMBERS(2, 2, 0, 5, 1, 0, 1, 1, 1), REFUSED(ENTITY);        /* out of order */
    begin_entities(2), NUMBERS(2, 2, 0, 0, 1, 0, 1, 1, 1), REFUSED(ENTITY);        /* twice */
    begin_entities(2), NUMBERS(2, 2, 0, 0, 1, 1, 1, 1, 1), REFUSED(ENTITY);        /* not as long as can be */
    begin_entities(2), NUMBERS(2, 1, 0, COVEY_NONE - 1, 2, 1, 1), REFUSED(ENTITY); /* beyond the last index */
    begin_entities(2), NUMBERS(2, 1, 0, 0xFFFFFFFF, 2, 1, 1), REFUSED(ENTITY);
    begin_entities(2), NUMBERS(2, 2, 0, 0, 1, 5, 2, 1, 1), REFUSED(ENTITY); /* more than slots */
    begin_entities(2), NUMBERS(2, 1, 0, 0, 0xFFFFFFFF, 1, 1), REFUSED(ENTITY);
    begin_entities(1), NUMBERS(2, 1, 0, 0, 1, 1, 1), REFUSED(STRUCTURE); /* fewer */
    begin_entities(0), NUMBERS(2, 0, 0, 1, 1), REFUSED(STRUCTURE);       /* slots without a run */
    begin_entities(0), NUMBERS(0, 0, 0, 0), REFUSED(STRUCTURE);          /* something behind */
    begin_entities(0), NUMBERS(0, 0), REFUSED(STRUCTURE);                /* something is missing */
    begin_entities(2), NUMBERS(2, 0x20000001, 0, 0, 2, 1, 1), REFUSED(STRUCTURE);
    begin_entities(2), NUMBERS(0x40000001, 1, 0, 0, 2, 1, 1), REFUSED(STRUCTURE);
}

static void test_generations(void **state) {
    (void)state;
    begin_entities(1), NUMBERS(3, 1, 0, 0, 3, 3, 2, 0), taken(); /* alive, free, retired */
    begin_entities(2), NUMBERS(3, 1, 0, 0, 3, 3, 2, 0), REFUSED(ENTITY);
    begin_entities(0), NUMBERS(3, 1, 0, 0, 3, 3, 2, 0), REFUSED(ENTITY);
    if (COVEY_GENERATION_MAX == UINT32_MAX) return;
    begin_entities(1), NUMBERS(1, 1, 0, 0, 1, COVEY_GENERATION_MAX + 2), REFUSED(ENTITY);
    begin_entities(17), NUMBERS(17, 1, 0, 0, 17); /* the first of many, and the last */
    for (uint32_t i = 0; i < 17; i++) number(i % 16 == 0 ? COVEY_GENERATION_MAX + 2 : 1, 4);
    REFUSED(ENTITY);
}

/* Images of version 1 end their entities with a list for the world and for each reserved range. */
static void test_free_lists(void **state) {
    (void)state;
    begin_entities(1), bytes[8] = 1, NUMBERS(4, 1, 0, 0, 4, 1, 2, 2, 2, /* free */ 3, 2, 1, 3), taken();
    begin_entities(1), bytes[8] = 1, NUMBERS(2, 2, 1, 10, 5, 0, 1, 12, 1, 1, 2, /* free */ 0, 1, 12), taken();
    begin_entities(1), bytes[8] = 1, NUMBERS(4, 1, 0, 0, 4, 1, 2, 2, 2), REFUSED(STRUCTURE);
    begin_entities(1), bytes[8] = 1, NUMBERS(4, 1, 0, 0, 4, 1, 2, 2, 2, 4, 1, 2, 3), REFUSED(STRUCTURE);
    begin_entities(1), bytes[8] = 1, NUMBERS(2, 1, 0, 0, 2, 1, 2, 0xFFFFFFFF, 1), REFUSED(STRUCTURE);
    begin_entities(1), bytes[8] = 1, NUMBERS(1, 1, 1, 10, 5, 0, 1, 1, 0), REFUSED(STRUCTURE);
    begin_entities(1), NUMBERS(4, 1, 0, 0, 4, 1, 2, 2, 2, 3, 2, 1, 3), REFUSED(STRUCTURE); /* of version 2 */
}

static void test_reserved_ranges(void **state) {
    (void)state;
    begin_entities(1), NUMBERS(2, 2, 1, /* range */ 10, 5, /* runs */ 0, 1, 12, 1, 1, 2), taken();
    begin_entities(1), NUMBERS(1, 1, 1, 10, 0, 0, 1, 1), REFUSED(ENTITY); /* empty */
    begin_entities(1), NUMBERS(1, 1, 1, COVEY_NONE - 2, 5, 0, 1, 1), REFUSED(ENTITY);
    begin_entities(1), NUMBERS(1, 1, 2, 10, 5, 12, 5, 0, 1, 1), REFUSED(ENTITY); /* they overlap */
    begin_entities(0), NUMBERS(0, 0, 16385);
    for (uint32_t i = 0; i < 16385; i++) NUMBERS(i * 2, 1);
    REFUSED(LIMIT);
}

static void test_the_world_itself(void **state) {
    (void)state;
    begin(), section(COVEY_SECTION_WORLD), NUMBERS(0, 0, 0, 0);
    section(COVEY_SECTION_ENTITIES), NUMBERS(0, 0, 0), REFUSED(STRUCTURE); /* before time */
    begin(), section(COVEY_SECTION_WORLD), NUMBERS(1, 0, 0);
    section(COVEY_SECTION_ENTITIES), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    begin(), section(COVEY_SECTION_WORLD), NUMBERS(1, 0, 0, 0, 0);
    section(COVEY_SECTION_ENTITIES), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    begin(), section(COVEY_SECTION_WORLD), NUMBERS(1, 0, 0, 0, /* changed since */ 0, 0);
    section(COVEY_SECTION_ENTITIES), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    begin(), section(COVEY_SECTION_WORLD), NUMBERS(1, 0, 0, 0, 1, 0, 0);
    section(COVEY_SECTION_ENTITIES), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
}

/* ---- Pools in arrays ----------------------------------------------------------------------------------------------*/

static void test_ids_of_sparse_pools(void **state) {
    (void)state;
    begin_with(4), tag(SPARSE, 0), NUMBERS(/* components */ 2, /* positions */ 2, /* dead */ 0, 3, 1, /* disabled */ 0),
        taken();
    begin_with(4), tag(SPARSE, 0), NUMBERS(2, 2, 0, 3, 3, 0), REFUSED(ENTITY); /* twice */
    begin_with(4), tag(SPARSE, 0), NUMBERS(2, 2, 0, 3, 4, 0), REFUSED(ENTITY); /* not alive */
    begin_with(4), tag(SPARSE, 0), NUMBERS(2, 2, 0, 3, 0xFFFFFFFE, 0), REFUSED(ENTITY);
    begin_with(4), tag(SPARSE, 0), NUMBERS(2, 2, 0, 3, 0xFFFFFFFF, 0), REFUSED(STRUCTURE); /* a hole */
    begin_with(4), tag(SPARSE, 0), NUMBERS(1, 2, 0, 3, 0xFFFFFFFF, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, 0), NUMBERS(3, 2, 0, 3, 1, 0), REFUSED(STRUCTURE); /* fewer than it says */
    begin_with(4), tag(SPARSE, 0), NUMBERS(1, 2, 0, 3, 1, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, 0), NUMBERS(2, 2, 0, 3, 1), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, 0), NUMBERS(2, 2, 0, 3, 1, 0, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, 0), NUMBERS(0xFFFFFFFF, 0xFFFFFFFF, 0, 3, 1, 0), REFUSED(STRUCTURE);
}

static void test_holes_of_sparse_pools(void **state) {
    (void)state;
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(1, 3, 0, 0xFFFFFFFF, 2, 0xFFFFFFFF, /* list */ 2, 0, 0),
        taken();
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(1, 3, 0, 0xFFFFFFFF, 2, 0xFFFFFFFF, 2, 2, 0),
        REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(1, 3, 0, 0xFFFFFFFF, 2, 0xFFFFFFFF, 2, 1, 0),
        REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(1, 3, 0, 0xFFFFFFFF, 1, 0xFFFFFFFF, 2, 1, 0),
        REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(1, 3, 0, 0xFFFFFFFF, 2, 0xFFFFFFFF, 2, 3, 0),
        REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(1, 3, 0, 0xFFFFFFFF, 2, 0xFFFFFFFF, 2, 0xFFFFFFFF, 0),
        REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(1, 3, 0, 0xFFFFFFFF, 2, 3, 2, 0, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_IN_PLACE), NUMBERS(2, 3, 0, 0xFFFFFFFF, 2, 0xFFFFFFFF, 2, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_ORDERED), NUMBERS(2, 3, 0, 1, 0xFFFFFFFF, 2, 0), taken();
    begin_with(4), tag(SPARSE, COVEY_ORDERED), NUMBERS(1, 3, 0, 1, 0xFFFFFFFF, 2, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_ORDERED), NUMBERS(3, 3, 0, 1, 0xFFFFFFFF, 2, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(2, 3, 0, 1, 0xFFFFFFFF, 2, 0), REFUSED(STRUCTURE);
}

static void test_dead_elements(void **state) {
    (void)state;
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(1, 1, 2, 3, /* dead */ 2, 1, 0, 1, 0), taken();
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(1, 1, 2, 3, 2, 1, 2, 1, 0), REFUSED(ENTITY); /* twice */
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(1, 1, 1, 3, 3, 1, 0), REFUSED(ENTITY);       /* and alive */
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(1, 1, 1, 3, 2, 0, 0), REFUSED(ENTITY);
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(1, 1, 1, 3, 0xFFFFFFFF, 1, 0), REFUSED(ENTITY);
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(1, 1, 1, 3, COVEY_NONE - 1, 1, 0), REFUSED(ENTITY);
    begin_with(4), tag(SPARSE, COVEY_SWAP_AND_POP), NUMBERS(1, 1, 1, 3, 2, 1, 0), REFUSED(STRUCTURE);
    begin_with(4), tag(SPARSE, COVEY_ORDERED), NUMBERS(1, 1, 1, 3, 2, 1, 0), REFUSED(STRUCTURE);
    if (COVEY_GENERATION_MAX == UINT32_MAX) return;
    begin_with(4), tag(SPARSE, COVEY_SWAP_ONLY), NUMBERS(1, 1, 1, 3, 2, COVEY_GENERATION_MAX + 1, 0), REFUSED(ENTITY);
}

/* ---- Pools in blocks ----------------------------------------------------------------------------------------------*/

static void test_ids_of_blocks(void **state) {
    (void)state;
    begin_with(70), tag(BLOCK, 0), NUMBERS(/* components */ 3, /* blocks */ 2, 0, 5, 0, 1, 1, 0, /* disabled */ 0),
        taken();
    begin_with(70), tag(BLOCK, 0), NUMBERS(3, 2, 1, 1, 0, 0, 5, 0, 0), REFUSED(ENTITY);  /* out of order */
    begin_with(70), tag(BLOCK, 0), NUMBERS(4, 2, 0, 5, 0, 0, 10, 0, 0), REFUSED(ENTITY); /* twice */
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 2, 0, 5, 0, 1, 0, 0, 0), REFUSED(ENTITY);  /* empty */
    begin_with(70), tag(BLOCK, 0), NUMBERS(3, 2, 0, 5, 0, 1, 64, 0, 0), REFUSED(ENTITY); /* index 70 */
    begin_with(70), tag(BLOCK, 0), NUMBERS(3, 2, 0, 5, 0, 2, 1, 0, 0), REFUSED(ENTITY);  /* index 128 */
    begin_with(70), tag(BLOCK, 0), NUMBERS(3, 2, 0, 5, 0, 0x4000000, 1, 0, 0), REFUSED(ENTITY);
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 2, 0, 5, 0, 1, 1, 0, 0), REFUSED(STRUCTURE); /* more than it says */
    begin_with(70), tag(BLOCK, 0), NUMBERS(4, 2, 0, 5, 0, 1, 1, 0, 0), REFUSED(STRUCTURE);
    begin_with(70), tag(BLOCK, 0), NUMBERS(3, 0x15555556, 0, 5, 0, 1, 1, 0, 0), REFUSED(STRUCTURE);
    begin_entities(1), NUMBERS(2, 1, 0, 0, 2, 1, 2); /* of one that is dead */
    tag(BLOCK, 0), NUMBERS(2, 1, 0, 3, 0, 0), REFUSED(ENTITY);
}

static void test_what_is_disabled(void **state) {
    (void)state;
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 1, 0, 5, 0, /* disabled */ 1, 0, 4, 0), taken();
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 1, 0, 5, 0, 1, 0, 0, 0), REFUSED(STRUCTURE); /* nothing */
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 1, 0, 5, 0, 1, 0, 2, 0), REFUSED(ENTITY);    /* not there */
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 1, 0, 5, 0, 1, 1, 64, 0), REFUSED(ENTITY);   /* not alive */
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 1, 0, 5, 0, 1, 0x3FFFFFF, 1, 0), REFUSED(ENTITY);
    begin_with(70), tag(BLOCK, 0), NUMBERS(2, 1, 0, 5, 0, 1, 0x4000000, 1, 0), REFUSED(ENTITY);
    begin_with(70), tag(SPARSE, 0), NUMBERS(1, 1, 0, 5, 1, 0, 32, 0), taken();
    begin_with(70), tag(SPARSE, 0), NUMBERS(1, 1, 0, 5, 1, 0, 1, 0), REFUSED(ENTITY);
}

static void ticking(uint32_t low, uint32_t high) {
    begin_with(4), section(COVEY_SECTION_POOL), type("Tag", COVEY_ENCODING_NONE, BLOCK, 0, TICKS);
    NUMBERS(1, 1, 0, 2, 0, 0, low, high);
}

static void test_ticks(void **state) {
    (void)state;
    ticking(1, 0), taken();
    ticking(5, 0), taken();
    ticking(0, 0), REFUSED(STRUCTURE);
    ticking(6, 0), REFUSED(STRUCTURE);
    ticking(1, 1), REFUSED(STRUCTURE);
}

/* ---- Values -------------------------------------------------------------------------------------------------------*/

static void field(const char *text, uint32_t kind, uint32_t count) {
    name(text);
    number(kind, 1);
    number(count, 4);
}

/* A pool of a struct with one field, of entities 0 and 2. */
static void pool_of(uint32_t kind, uint32_t count) {
    begin_with(4), section(COVEY_SECTION_POOL), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    number(1, 2), field("a", kind, count), NUMBERS(2, 1, 0, 5, 0, 0);
}

static void test_values(void **state) {
    (void)state;
    pool_of(COVEY_KIND_BOOL, 2), number(1, 1), number(0, 1), number(1, 1), number(1, 1), taken();
    pool_of(COVEY_KIND_BOOL, 2), number(1, 1), number(0, 1), number(1, 1), number(2, 1), REFUSED(VALUE);
    pool_of(COVEY_KIND_BOOL, 2), number(255, 1), number(0, 1), number(1, 1), number(1, 1), REFUSED(VALUE);
    pool_of(COVEY_KIND_U8, 2), number(1, 1), number(0, 1), number(1, 1), REFUSED(STRUCTURE);
    pool_of(COVEY_KIND_U8, 2), number(0, 5), REFUSED(STRUCTURE);
    pool_of(COVEY_KIND_U32, 0x40000000), number(0, 8), REFUSED(LIMIT);
    pool_of(COVEY_KIND_U32, 0xFFFFFFFF), number(0, 8), REFUSED(LIMIT);
    pool_of(COVEY_KIND_U64, 0x10000000), number(0, 8), REFUSED(LIMIT);
    begin_with(1), section(COVEY_SECTION_RESOURCE), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    number(1, 2), field("a", COVEY_KIND_BOOL, 1), number(1, 1), taken();
    begin_with(1), section(COVEY_SECTION_RESOURCE), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    number(1, 2), field("a", COVEY_KIND_BOOL, 1), number(3, 1), REFUSED(VALUE);
    begin_with(1), section(COVEY_SECTION_RESOURCE), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    number(1, 2), field("a", COVEY_KIND_BOOL, 1), REFUSED(STRUCTURE);
    begin_with(1), section(COVEY_SECTION_RESOURCE), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    number(1, 2), field("a", COVEY_KIND_BOOL, 1), number(1, 2), REFUSED(STRUCTURE);
}

/* Values have handles as their images do, or as many bits of them as the constants say. */
static void test_handles_in_values(void **state) {
    (void)state;
    bool narrow = COVEY_INDEX_BITS + COVEY_GENERATION_BITS <= 32;
    uint32_t last = narrow ? UINT32_MAX >> COVEY_INDEX_BITS % 32 : UINT32_MAX;
    pool_of(COVEY_KIND_ENTITY, 2), NUMBERS(0, 0, 1, 3, COVEY_NONE, last, 2, last), taken();
    const uint32_t beyond[][2] = { { COVEY_NONE + 1, 1 }, { UINT32_MAX, 1 }, { 1, last + 1 }, { 1, UINT32_MAX } };
    for (uint32_t i = 0; i < COUNT_OF(beyond); i++)
        for (uint32_t at = 0; at < 4; at++) {
            pool_of(COVEY_KIND_ENTITY, 2);
            for (uint32_t j = 0; j < 4; j++) u32s(2, j == at ? beyond[i] : (const uint32_t[]){ 1, 1 });
            if (narrow) REFUSED(VALUE);
            else taken();
        }
}

/* The program keeps it otherwise, so that components are added one by one. */
static void test_values_that_are_added_one_by_one(void **state) {
    (void)state;
    static const covey_field yes[] = { { "a", COVEY_KIND_BOOL, 0, 1, NULL, { 0 } } };
    static const covey_fields fields = { 1, 1, yes };
    static const covey_type ordered = {
        .name = "Struct", .size = 1, .align = 1, .policy = COVEY_ORDERED, .fields = &fields
    };
    static const covey_type tags = { .name = "Tag" };
    const covey_type *types[] = { &ordered, &tags, NULL };
    covey_load_desc desc = { .types = types };
    covey_report report;
    for (uint32_t bad = 0; bad < 2; bad++) {
        pool_of(COVEY_KIND_BOOL, 1), number(1, 1), number(1 + bad, 1), end();
        assert_null(image_check_load(bytes, size, &desc, &report));
        assert_int_equal(report.fault, bad ? COVEY_FAULT_VALUE : COVEY_FAULT_NONE);
        begin_with(4), tag(SPARSE, COVEY_ORDERED), NUMBERS(2, 2, 0, 1, 2 - bad, 0), end();
        assert_null(image_check_load(bytes, size, &desc, &report));
        assert_int_equal(report.fault, bad ? COVEY_FAULT_ENTITY : COVEY_FAULT_NONE);
    }
}

/* ---- Types --------------------------------------------------------------------------------------------------------*/

static void test_fields(void **state) {
    (void)state;
    begin_with(1), section(COVEY_SECTION_POOL), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    number(2, 2), field("a", COVEY_KIND_U8, 1), field("a", COVEY_KIND_U8, 1), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    begin_with(1), section(COVEY_SECTION_POOL), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    number(0, 2), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    static const uint32_t kinds[] = { 0, 15, 16, 255 };
    for (uint32_t i = 0; i < COUNT_OF(kinds); i++) pool_of(kinds[i], 1), number(0, 2), REFUSED(STRUCTURE);
    pool_of(COVEY_KIND_U8, 0), REFUSED(STRUCTURE);
    pool_of(COVEY_KIND_PADDING, 4), REFUSED(STRUCTURE); /* which needs no bytes, but is in no image */
    for (uint32_t count = 256; count <= 257; count++) {
        begin_with(1), section(COVEY_SECTION_POOL), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
        number(count, 2);
        for (uint32_t i = 0; i < count; i++) {
            char text[] = { (char)('a' + i % 26), (char)('a' + i / 26), '\0' };
            field(text, COVEY_KIND_U8, 1);
        }
        NUMBERS(0, 0, 0);
        if (count == 256) taken();
        else REFUSED(STRUCTURE);
    }
    begin_with(1), section(COVEY_SECTION_POOL), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
    for (uint32_t i = 0; i < 90000; i++) number(1, 2), field("d", COVEY_KIND_NESTED, 1); /* no stack is as deep */
    number(1, 2), field("deepest", COVEY_KIND_U8, 1), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    for (uint32_t depth = 8; depth <= 9; depth++) {
        begin_with(1), section(COVEY_SECTION_POOL), type("Struct", COVEY_ENCODING_FIELDS, BLOCK, 0, 0);
        for (uint32_t i = 1; i < depth; i++) number(1, 2), field("deep", COVEY_KIND_NESTED, 1);
        number(1, 2), field("deepest", COVEY_KIND_U8, 1), NUMBERS(0, 0, 0);
        if (depth == 8) taken();
        else REFUSED(STRUCTURE);
    }
}

static void test_names_of_types(void **state) {
    (void)state;
    begin_with(1), tag(BLOCK, 0), NUMBERS(0, 0, 0), section(COVEY_SECTION_RESOURCE);
    type("Tag", COVEY_ENCODING_NONE, BLOCK, 0, 0), taken();
    begin_with(1), tag(BLOCK, 0), NUMBERS(0, 0, 0), section(COVEY_SECTION_RESOURCE);
    type("Tag", COVEY_ENCODING_NONE, SPARSE, 0, 0), REFUSED(STRUCTURE); /* two types of a name */
    begin_with(1), section(COVEY_SECTION_RESOURCE), type("covey.disabled", COVEY_ENCODING_NONE, BLOCK, 0, 0), taken();
}

static void raw(uint32_t bytes_of_value, uint32_t align) {
    begin_with(1), section(COVEY_SECTION_POOL);
    bool little = *(const unsigned char *)&(uint16_t){ 1 } == 1;
    type("Raw", little ? COVEY_ENCODING_BYTES_LITTLE : COVEY_ENCODING_BYTES_BIG, BLOCK, 0, 0);
    NUMBERS(bytes_of_value, align, 0, 0, 0);
}

static void described(const char *text, uint32_t storage, uint32_t policy, uint32_t flags, uint32_t compact,
                      uint32_t stored) {
    begin_with(1), section(COVEY_SECTION_POOL), name(text), number(0, 1), number(storage, 1), number(policy, 1);
    number(flags, 1), number(compact, 1), number(stored, 1), NUMBERS(0, 0, 0);
    if (stored == SPARSE) number(0, 4);
}

static void test_descriptions(void **state) {
    (void)state;
    raw(8, 4), taken();
    raw(8, 3), REFUSED(STRUCTURE);
    raw(6, 4), REFUSED(STRUCTURE);
    raw(0, 1), REFUSED(STRUCTURE);
    raw(8, 0x80000000), REFUSED(STRUCTURE);
    described("Tag", BLOCK, 0, 1, 0, BLOCK), REFUSED(NONE);
    described("Tag", SPARSE, COVEY_ORDERED, 0, 100, SPARSE), REFUSED(NONE);
    described("Tag", SPARSE, 0, 0, 0, BLOCK), REFUSED(NONE);
    described("", BLOCK, 0, 0, 0, BLOCK), REFUSED(STRUCTURE);
    described("covey.x", BLOCK, 0, 0, 0, BLOCK), REFUSED(STRUCTURE);
    described("Tag", 0, 0, 0, 0, BLOCK), REFUSED(STRUCTURE);
    described("Tag", 4, 0, 0, 0, BLOCK), REFUSED(STRUCTURE);
    described("Tag", BLOCK, 0, 0, 0, 0), REFUSED(STRUCTURE);
    described("Tag", BLOCK, 0, 0, 0, 4), REFUSED(STRUCTURE);
    described("Tag", BLOCK, COVEY_ORDERED, 0, 0, SPARSE), REFUSED(STRUCTURE);
    described("Tag", SPARSE, COVEY_ORDERED, 0, 0, BLOCK), REFUSED(STRUCTURE);
    described("Tag", SPARSE, 4, 0, 0, SPARSE), REFUSED(STRUCTURE);
    described("Tag", BLOCK, 0, 8, 0, BLOCK), REFUSED(STRUCTURE);
    described("Tag", BLOCK, 0, 2, 0, BLOCK), REFUSED(STRUCTURE); /* a tag has nothing to be zero */
    described("Tag", SPARSE, COVEY_ORDERED, 0, 101, SPARSE), REFUSED(STRUCTURE);
    begin_with(1), tag(BLOCK, 0), NUMBERS(0, 0, 0), tag(BLOCK, 0), NUMBERS(0, 0, 0), REFUSED(STRUCTURE); /* twice */
    begin_with(1), section(COVEY_SECTION_POOL), number(3, 2), number('T', 1), number(0, 1), number('g', 1);
    number(0, 1), number(BLOCK, 1), number(0, 3), number(BLOCK, 1), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
}

/* ---- Parents and names --------------------------------------------------------------------------------------------*/

static void test_parents(void **state) {
    (void)state;
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(2, /* parent, children */ 0, 2, 3, 1, 1, 1, 4), taken();
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 5, 1, 1), REFUSED(PARENT); /* not alive */
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0xFFFFFFFF, 1, 1), REFUSED(PARENT);
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 0), REFUSED(PARENT); /* no children */
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 1, 5), REFUSED(PARENT);
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 1, 0xFFFFFFFF), REFUSED(PARENT);
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 1, 0), REFUSED(PARENT);          /* itself */
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 2, 1, 1), REFUSED(PARENT);       /* twice */
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(2, 0, 1, 1, 2, 1, 1), REFUSED(PARENT); /* of two */
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(2, 0, 1, 1, 1, 1, 0), REFUSED(PARENT); /* a circle */
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(3, 0, 1, 1, 1, 1, 2, 2, 1, 0),
        REFUSED(PARENT); /* a wider one */
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 1, 1, 0), REFUSED(STRUCTURE);
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(2, 0, 1, 1), REFUSED(STRUCTURE);
    begin_with(5), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 0x40000001, 1), REFUSED(STRUCTURE);
}

static void named(uint32_t index, const char *text) {
    number(index, 4);
    name(text);
}

static void test_names(void **state) {
    (void)state;
    begin_with(3), section(COVEY_SECTION_NAMES), number(2, 4), named(0, "a"), named(2, "b"), taken();
    begin_with(3), section(COVEY_SECTION_NAMES), number(2, 4), named(0, "a"), named(2, "a"), REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(2, 4), named(0, "a"), named(0, "b"), REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(2, 4), named(0, "a"), named(0, "a"), REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(1, 4), named(3, "a"), REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(1, 4), named(0xFFFFFFFF, "a"), REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(1, 4), named(0, ""), REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(1, 4), named(0, "a/b"), REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(1, 4), number(0, 4), number(2, 2), number('a', 2),
        REFUSED(NAME);
    begin_with(3), section(COVEY_SECTION_NAMES), number(2, 4), named(0, "a"), REFUSED(STRUCTURE);
    begin_with(3), section(COVEY_SECTION_NAMES), number(1, 4), named(0, "a"), number(0, 1), REFUSED(STRUCTURE);
    begin_with(3), section(COVEY_SECTION_PARENTS), NUMBERS(1, 0, 1, 1), section(COVEY_SECTION_NAMES); /* no siblings */
    number(2, 4), named(0, "a"), named(1, "a"), taken();
}

/* ---- The frame ----------------------------------------------------------------------------------------------------*/

static void test_sections_come_in_their_order(void **state) {
    (void)state;
    begin_with(0), taken();
    begin(), REFUSED(STRUCTURE);
    begin(), section(COVEY_SECTION_WORLD), NUMBERS(1, 0, 0, 0), REFUSED(STRUCTURE);
    begin(), section(COVEY_SECTION_ENTITIES), NUMBERS(0, 0, 0);
    section(COVEY_SECTION_WORLD), NUMBERS(1, 0, 0, 0), REFUSED(STRUCTURE);
    begin(), section(COVEY_SECTION_WORLD), NUMBERS(1, 0, 0, 0), tag(BLOCK, 0), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    begin_with(0), section(COVEY_SECTION_ENTITIES), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    begin_with(0), end_section(), number(0, 4), table(); /* bytes between the last one and the table */
    assert_int_equal(load_it().fault, COVEY_FAULT_STRUCTURE);
    begin_with(0), section(0), REFUSED(STRUCTURE);
    begin_with(0), section(8), REFUSED(STRUCTURE);
    begin_with(0), section(0xFFFFFFFF), REFUSED(STRUCTURE);
    begin_with(0), section(COVEY_SECTION_NAMES), number(0, 4), section(COVEY_SECTION_NAMES), number(0, 4),
        REFUSED(STRUCTURE);
    begin_with(0), section(COVEY_SECTION_PARENTS), number(0, 4), tag(BLOCK, 0), NUMBERS(0, 0, 0), REFUSED(STRUCTURE);
    begin_with(0);
    while (section_count <= 16384) section(COVEY_SECTION_POOL);
    REFUSED(LIMIT);
}

/* Written behind `end`, which load calls: bytes of the table and the trailer. */
static void refused_with(size_t from_end, uint64_t value, uint32_t width, covey_fault fault) {
    covey_report report;
    covey_load_desc desc = { .unknown = COVEY_UNKNOWN_KEEP };
    begin_with(2), end();
    size_t whole = size;
    size -= from_end;
    number(value, width);
    size = whole;
    image_mend(bytes, size);
    assert_null(image_check_load(bytes, size, &desc, &report));
    if (report.fault != fault) fail_msg("%zu from the end: %s", from_end, report.text);
}

static void test_the_table_says_what_is_there(void **state) {
    (void)state;
    refused_with(0, 0, 0, COVEY_FAULT_NONE);
    refused_with(16, 1000, 8, COVEY_FAULT_SIZE);
    refused_with(16, UINT64_MAX, 8, COVEY_FAULT_SIZE);
    refused_with(8, 1, 4, COVEY_FAULT_STRUCTURE); /* the first section is of the wrong kind */
    refused_with(8, 4, 4, COVEY_FAULT_STRUCTURE);
    refused_with(8, 100, 4, COVEY_FAULT_SIZE);
    refused_with(8, 0x10000000, 4, COVEY_FAULT_SIZE);
    refused_with(16 + 8, 27, 8, COVEY_FAULT_STRUCTURE); /* the last section is shorter */
    refused_with(16 + 8, 29, 8, COVEY_FAULT_STRUCTURE); /* and longer */
    refused_with(16 + 8, UINT64_MAX, 8, COVEY_FAULT_STRUCTURE);
    refused_with(16 + 24, UINT64_MAX - 31, 8, COVEY_FAULT_STRUCTURE);
    refused_with(16 + 24, 15, 8, COVEY_FAULT_STRUCTURE);
    begin_with(2), end_section(); /* together they have as many bytes as there are, and 2^64 more */
    sections[0].bytes += SIZE_MAX / 2 + 1, sections[1].bytes += SIZE_MAX / 2 + 1, table();
    assert_int_equal(load_it().fault, COVEY_FAULT_STRUCTURE);
    begin_with(2), end();
    size_t of_image = size;
    for (size_t at = 8; at < 16; at++) {
        covey_report report;
        bytes[at] ^= 2;
        image_mend(bytes, of_image);
        assert_null(image_check_load(bytes, of_image, &(covey_load_desc){ 0 }, &report));
        assert_int_equal(report.fault, at < 12 ? COVEY_FAULT_VERSION : COVEY_FAULT_STRUCTURE);
        bytes[at] ^= 2;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_runs),
        cmocka_unit_test(test_generations),
        cmocka_unit_test(test_free_lists),
        cmocka_unit_test(test_reserved_ranges),
        cmocka_unit_test(test_the_world_itself),
        cmocka_unit_test(test_ids_of_sparse_pools),
        cmocka_unit_test(test_holes_of_sparse_pools),
        cmocka_unit_test(test_dead_elements),
        cmocka_unit_test(test_ids_of_blocks),
        cmocka_unit_test(test_what_is_disabled),
        cmocka_unit_test(test_ticks),
        cmocka_unit_test(test_values),
        cmocka_unit_test(test_handles_in_values),
        cmocka_unit_test(test_values_that_are_added_one_by_one),
        cmocka_unit_test(test_fields),
        cmocka_unit_test(test_names_of_types),
        cmocka_unit_test(test_descriptions),
        cmocka_unit_test(test_parents),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_sections_come_in_their_order),
        cmocka_unit_test(test_the_table_says_what_is_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
