/* The inspector: entities as points. */
#include "client.h"

#include <covey/fields.h>
#include <stdio.h>

typedef struct Place {
    float x, y;
    double deep[2];
    int16_t small;
    bool flag;
    uint8_t unused[5];
} Place;
COVEY_FIELDS_DEFINE(Place, f32(x), f32(y), array(f64, deep), i16(small), boolean(flag), padding(uint8_t, unused));
typedef Place Packed2;
typedef struct Heat {
    uint32_t degrees;
    covey_entity source;
} Heat;
COVEY_FIELDS_DEFINE(Heat, u32(degrees), entity(source));
COVEY_COMPONENT_DEFINE(Place, .fields = &covey_fields_Place);
COVEY_COMPONENT_DEFINE(Packed2, .fields = &covey_fields_Place, .policy = COVEY_ORDERED);
COVEY_COMPONENT_DEFINE(Heat, .fields = &covey_fields_Heat);

enum { MANY = 700 };
static covey_entity held[MANY];

static Place place_of(uint32_t i) {
    return (Place){ .x = (float)i, .y = -(float)i, .deep = { i * 2.0, i * 3.0 }, .small = (int16_t)-i, .flag = i % 2 };
}

static void fill_world(void) {
    assert_true(covey_create_many(world, held, MANY));
    for (uint32_t i = 0; i < MANY; i++) {
        Place place = place_of(i);
        if (i % 3 != 0) assert_non_null(covey_add_value(world, held[i], Place, &place));
        if (i % 4 != 0) assert_non_null(covey_add_value(world, held[i], Packed2, &place));
        if (i % 5 == 0) assert_non_null(covey_add(world, held[i], Heat, { .degrees = i * 10 }));
    }
    for (uint32_t i = 1; i < MANY; i += 28) covey_remove(world, held[i], Packed2); /* holes */
}

/* ---- Reading ------------------------------------------------------------------------------------------------------*/

typedef struct points {
    reply reply;
    uint32_t count, total, flags, stride;
} points;

static uint32_t u32_at(const points *p, size_t at) {
    uint32_t number = 0;
    for (uint32_t i = 0; i < 4; i++) number |= (uint32_t)(uint8_t)p->reply.body[at + i] << 8 * i;
    return number;
}

static points ask_points(const char *arguments) {
    char path[400];
    snprintf(path, sizeof path, "space?%s", arguments);
    points p = { .reply = ask("GET", path, NULL) };
    if (p.reply.status != 200) print_message("%s: %s\n", path, p.reply.body);
    assert_int_equal(p.reply.status, 200);
    assert_true(p.reply.length >= 16);
    assert_memory_equal(p.reply.body, "CVSP", 4);
    p.count = u32_at(&p, 4);
    p.total = u32_at(&p, 8);
    p.flags = u32_at(&p, 12);
    p.stride = 12 + (p.flags & 1 ? 4u : 0u) + (p.flags & 2 ? 4u : 0u);
    assert_int_equal(p.reply.length, 16 + p.count * p.stride);
    return p;
}

static float number_at(const points *p, uint32_t point, uint32_t axis) {
    uint32_t bits = u32_at(p, 16 + (size_t)point * p->stride + 4 * axis);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static uint32_t index_of(const points *p, uint32_t point) {
    return u32_at(p, 16 + (size_t)(point + 1) * p->stride - 4);
}

/* ---- Tests --------------------------------------------------------------------------------------------------------*/

static void check_all(const char *type, uint32_t without) {
    char arguments[200];
    snprintf(arguments, sizeof arguments, "x=%s.x&y=%s.deep[1]&z=%s.small&value=%s.flag", type, type, type, type);
    points p = ask_points(arguments);
    uint32_t expected = covey_pool_count(covey_pool_find_raw(world, covey_type_find(world, type)));
    bool seen[MANY] = { false };
    assert_int_equal(p.count, expected);
    assert_int_equal(p.total, expected);
    assert_int_equal(p.flags, 3);
    for (uint32_t k = 0; k < p.count; k++) {
        uint32_t i = index_of(&p, k) - held[0].index;
        assert_true(i < MANY && !seen[i] && i % without != 0);
        seen[i] = true;
        assert_true(number_at(&p, k, 0) == (float)i && number_at(&p, k, 1) == (float)i * 3);
        assert_true(number_at(&p, k, 2) == -(float)i && number_at(&p, k, 3) == (float)(i % 2));
    }
    reply_free(&p.reply);
}

static void test_all_are_points_of_either_storage(void **state) {
    (void)state;
    fill_world();
    check_all("Place", 3);
    check_all("Packed2", 4);
    inspect_close();
    inspect_open(&(covey_inspect_desc){ .budget = 1e-9 });
    check_all("Place", 3);
    check_all("Packed2", 4);
}

/* Axes of several types: a point has all of them; without the value component, its value is NaN. */
static void test_several_types_and_missing_values(void **state) {
    (void)state;
    fill_world();
    points p = ask_points("x=Place.x&y=Packed2.y&value=Heat.degrees&z=");
    uint32_t expected = 0;
    for (uint32_t i = 0; i < MANY; i++)
        expected += covey_has(world, held[i], Place) && covey_has(world, held[i], Packed2);
    assert_int_equal(p.count, expected);
    assert_int_equal(p.flags, 2);
    for (uint32_t k = 0; k < p.count; k++) {
        uint32_t i = index_of(&p, k) - held[0].index;
        float heat = number_at(&p, k, 2);
        assert_true(number_at(&p, k, 1) == -(float)i);
        assert_true(i % 5 == 0 ? heat == (float)i * 10 : heat != heat);
    }
    reply_free(&p.reply);
}

/* The points are spread evenly over the matches. */
static void check_sample(const char *arguments, uint32_t total, uint32_t limit) {
    points p = ask_points(arguments);
    assert_int_equal(p.total, total);
    assert_true(p.count <= limit && p.count * 2 + 2 >= (limit < total ? limit : total));
    uint32_t largest = 0, last = index_of(&p, 0);
    for (uint32_t k = 1; k < p.count; k++) {
        assert_true(index_of(&p, k) > last);
        uint32_t gap = index_of(&p, k) - last;
        largest = gap > largest ? gap : largest;
        last = index_of(&p, k);
    }
    assert_true(largest <= 4 * (MANY / p.count + 2));
    reply_free(&p.reply);
}

static void test_too_many_are_sampled(void **state) {
    (void)state;
    fill_world();
    uint32_t places = covey_pool_count(covey_pool_find(world, Place));
    static const uint32_t limits[] = { 1, 2, 7, 50, 100, 300 };
    for (uint32_t i = 0; i < COUNT_OF(limits); i++) {
        char arguments[100];
        snprintf(arguments, sizeof arguments, "x=Place.x&y=Place.y&limit=%u", limits[i]);
        check_sample(arguments, places, limits[i]);
        snprintf(arguments, sizeof arguments, "x=Packed2.x&y=Packed2.y&limit=%u", limits[i]);
        check_sample(arguments, covey_pool_count(covey_pool_find(world, Packed2)), limits[i]);
        snprintf(arguments, sizeof arguments, "x=Place.x&y=Place.y&limit=%u&query=Place.x%%20%%3E%%3D%%200", limits[i]);
        check_sample(arguments, places, limits[i]);
    }
}

static void test_a_query_chooses(void **state) {
    (void)state;
    fill_world();
    points p = ask_points("x=Place.x&y=Place.y&query=Place.x%20%3C%2010");
    assert_int_equal(p.total, 6); /* 1 2 4 5 7 8 */
    assert_int_equal(p.count, 6);
    reply_free(&p.reply);
    p = ask_points("x=Place.x&y=Place.y&query=Heat");
    for (uint32_t k = 0; k < p.count; k++) assert_int_equal((index_of(&p, k) - held[0].index) % 5, 0);
    assert_true(p.count > 0);
    reply_free(&p.reply);
}

static void test_nobody_is_no_point(void **state) {
    (void)state;
    covey_pool_of(world, Place);
    covey_pool_of(world, Packed2);
    points p = ask_points("x=Place.x&y=Place.y");
    assert_int_equal(p.count, 0);
    reply_free(&p.reply);
    p = ask_points("x=Packed2.x&y=Place.y&limit=0");
    assert_int_equal(p.count, 0);
    reply_free(&p.reply);
}

static void test_what_is_no_number_is_refused(void **state) {
    (void)state;
    fill_world();
    assert_refused("GET", "space", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=Place", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=Place.deep", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=Place.deep[2]", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=Heat.source", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=Nobody.y", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=Place.unused", NULL, 422, "ARGUMENT");
    assert_refused("GET", "space?x=Place.x&y=Place.y&query=Place.x%20%3C", NULL, 422, "QUERY");
    assert_refused("GET", "space?x=Place.x&y=Place.y&limit=200001", NULL, 422, "ARGUMENT");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        INSPECT_TEST(test_all_are_points_of_either_storage),
        INSPECT_TEST(test_several_types_and_missing_values),
        INSPECT_TEST(test_too_many_are_sampled),
        INSPECT_TEST(test_a_query_chooses),
        INSPECT_TEST(test_nobody_is_no_point),
        INSPECT_TEST(test_what_is_no_number_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
