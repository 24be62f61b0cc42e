/* Covey as a contender, through the everyday calls of a world: in blocks by spans, in blocks by rows, as sparse sets,
 * and with a group. */
#include <covey/covey.h>
#include "contender.h"
#include "contenders.h"

#include <stdlib.h>

typedef contender_value First, Second, Third;
COVEY_COMPONENT_DEFINE(First);
COVEY_COMPONENT_DEFINE(Second);
COVEY_COMPONENT_DEFINE(Third);

typedef struct fixture {
    covey_world *world;
    covey_entity *entities; /* by number */
    covey_group *group;
    uint32_t n;
    covey_view views[CONTENDER_TYPES];
} fixture;

static const covey_type *const types[] = { covey_id(First), covey_id(Second), covey_id(Third) };

/* ---- Worlds -------------------------------------------------------------------------------------------------------*/

static void covey_contender_close(void *world) {
    fixture *f = world;
    covey_world_destroy(f->world);
    free(f->entities);
    free(f);
}

static void *open(uint32_t n, covey_storage storage) {
    fixture *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->n = n;
    f->world = covey_world_create(NULL);
    f->entities = malloc(n * sizeof *f->entities);
    bool done = f->world && f->entities && covey_create_many(f->world, f->entities, n);
    covey_view_desc desc = { .include_disabled = false };
    for (uint32_t t = 0; t < CONTENDER_TYPES && done; t++) {
        covey_pool *pool = covey_pool_of_raw(f->world, types[t]);
        done = pool && covey_pool_convert(pool, storage) == COVEY_OK;
        desc.with[t] = types[t];
        f->views[t] = covey_view_make(f->world, &desc);
    }
    if (done) return f;
    covey_contender_close(f);
    return NULL;
}

static void *open_blocks(uint32_t n) { return open(n, COVEY_STORAGE_BLOCK); }
static void *open_sparse(uint32_t n) { return open(n, COVEY_STORAGE_SPARSE); }

static void *open_group(uint32_t n) {
    fixture *f = open(n, COVEY_STORAGE_SPARSE);
    if (!f) return NULL;
    f->group = covey_group_create(f->world, &(covey_group_desc){ .own = { covey_id(First), covey_id(Second) } });
    if (f->group) return f;
    covey_contender_close(f);
    return NULL;
}

static void covey_contender_empty(void *world) { covey_destroy_all(((fixture *)world)->world); }

static void covey_contender_clear(void *world, uint32_t type) {
    covey_clear_raw(((fixture *)world)->world, types[type]);
}

static uint64_t count_of(const fixture *f, uint32_t type) {
    return covey_pool_count(covey_pool_find_raw(f->world, types[type]));
}

/* ---- Components: a loop for each type, so that it is a constant ---------------------------------------------------*/

#define BY_TYPE(name)                                                                                         \
    static uint64_t covey_contender_##name(void *world, uint32_t type, const uint32_t *ids, uint32_t count) { \
        return type == 0   ? name##_First(world, ids, count)                                                  \
               : type == 1 ? name##_Second(world, ids, count)                                                 \
                           : name##_Third(world, ids, count);                                                 \
    }

#define LOOPS(T, number)                                                                                \
    static uint64_t add_##T(fixture *f, const uint32_t *ids, uint32_t count) {                          \
        T value = contender_value_of(number);                                                           \
        for (uint32_t i = 0; i < count; i++) covey_add_value(f->world, f->entities[ids[i]], T, &value); \
        return count_of(f, number);                                                                     \
    }                                                                                                   \
    static uint64_t remove_##T(fixture *f, const uint32_t *ids, uint32_t count) {                       \
        for (uint32_t i = 0; i < count; i++) covey_remove(f->world, f->entities[ids[i]], T);            \
        return count_of(f, number);                                                                     \
    }                                                                                                   \
    static uint64_t get_##T(fixture *f, const uint32_t *ids, uint32_t count) {                          \
        uint64_t sum = 0;                                                                               \
        for (uint32_t i = 0; i < count; i++) {                                                          \
            const T *value = covey_get(f->world, f->entities[ids[i]], T);                               \
            if (value) sum += contender_number_of(*value);                                              \
        }                                                                                               \
        return sum;                                                                                     \
    }                                                                                                   \
    static uint64_t has_##T(fixture *f, const uint32_t *ids, uint32_t count) {                          \
        uint64_t sum = 0;                                                                               \
        for (uint32_t i = 0; i < count; i++) sum += covey_has(f->world, f->entities[ids[i]], T);        \
        return sum;                                                                                     \
    }

LOOPS(First, 0)
LOOPS(Second, 1)
LOOPS(Third, 2)
BY_TYPE(add)
BY_TYPE(remove)
BY_TYPE(get)
BY_TYPE(has)

/* ---- Iterating ----------------------------------------------------------------------------------------------------*/

static uint64_t spans1(covey_iter it) {
    uint64_t visited = 0;
    for (; covey_next(&it); visited += it.count) {
        First *p = covey_field(&it, 0, First);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += 1;
            p[i].y += 1;
        }
    }
    return visited;
}

static uint64_t spans2(covey_iter it) {
    uint64_t visited = 0;
    for (; covey_next(&it); visited += it.count) {
        First *p = covey_field(&it, 0, First);
        const Second *v = covey_field(&it, 1, Second);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x;
            p[i].y += v[i].y;
        }
    }
    return visited;
}

static uint64_t spans3(covey_iter it) {
    uint64_t visited = 0;
    for (; covey_next(&it); visited += it.count) {
        First *p = covey_field(&it, 0, First);
        const Second *v = covey_field(&it, 1, Second);
        const Third *w = covey_field(&it, 2, Third);
        for (uint32_t i = 0; i < it.count; i++) {
            p[i].x += v[i].x + w[i].x;
            p[i].y += v[i].y + w[i].y;
        }
    }
    return visited;
}

static uint64_t rows1(covey_iter it) {
    uint64_t visited = 0;
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); visited++) {
        First *p = covey_row_field(&it, row, 0, First);
        p->x += 1;
        p->y += 1;
    }
    return visited;
}

static uint64_t rows2(covey_iter it) {
    uint64_t visited = 0;
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); visited++) {
        First *p = covey_row_field(&it, row, 0, First);
        const Second *v = covey_row_field(&it, row, 1, Second);
        p->x += v->x;
        p->y += v->y;
    }
    return visited;
}

static uint64_t rows3(covey_iter it) {
    uint64_t visited = 0;
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); visited++) {
        First *p = covey_row_field(&it, row, 0, First);
        const Second *v = covey_row_field(&it, row, 1, Second);
        const Third *w = covey_row_field(&it, row, 2, Third);
        p->x += v->x + w->x;
        p->y += v->y + w->y;
    }
    return visited;
}

static uint64_t iterate_spans(void *world, uint32_t fields) {
    const fixture *f = world;
    covey_iter it = covey_view_iter(&f->views[fields - 1]);
    return fields == 1 ? spans1(it) : fields == 2 ? spans2(it) : spans3(it);
}

static uint64_t iterate_rows(void *world, uint32_t fields) {
    const fixture *f = world;
    covey_iter it = covey_view_iter(&f->views[fields - 1]);
    return fields == 1 ? rows1(it) : fields == 2 ? rows2(it) : rows3(it);
}

static uint64_t iterate_group(void *world, uint32_t fields) {
    const fixture *f = world;
    return fields == 2 ? spans2(covey_group_iter(f->group)) : iterate_spans(world, fields);
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static uint64_t covey_contender_create(void *world) {
    fixture *f = world;
    First first = contender_value_of(0);
    Second second = contender_value_of(1);
    Third third = contender_value_of(2);
    for (uint32_t i = 0; i < f->n; i++) {
        covey_entity e = f->entities[i] = covey_create(f->world);
        covey_add_value(f->world, e, First, &first);
        covey_add_value(f->world, e, Second, &second);
        covey_add_value(f->world, e, Third, &third);
    }
    return count_of(f, 0);
}

static uint64_t covey_contender_create_many(void *world) {
    fixture *f = world;
    First first = contender_value_of(0);
    Second second = contender_value_of(1);
    Third third = contender_value_of(2);
    bool made = covey_create_many_with(f->world, f->entities, f->n, covey_with_copies(First, &first),
                                       covey_with_copies(Second, &second), covey_with_copies(Third, &third));
    return made ? count_of(f, 0) : 0;
}

static uint64_t covey_contender_destroy(void *world, const uint32_t *ids, uint32_t count) {
    fixture *f = world;
    for (uint32_t i = 0; i < count; i++) covey_destroy(f->world, f->entities[ids[i]]);
    return count_of(f, 0);
}

static uint64_t covey_contender_destroy_many(void *world) {
    fixture *f = world;
    covey_destroy_many(f->world, f->entities, f->n);
    return count_of(f, 0);
}

/* ---- The contenders -----------------------------------------------------------------------------------------------*/

#define CONTENDER(text, opens, iterates)                                                                               \
    {                                                                                                                  \
        .name = text, .open = opens, .close = covey_contender_close, .empty = covey_contender_empty,                   \
        .clear = covey_contender_clear, .add = covey_contender_add, .remove = covey_contender_remove,                  \
        .get = covey_contender_get, .has = covey_contender_has, .iterate = iterates, .create = covey_contender_create, \
        .create_many = covey_contender_create_many, .destroy = covey_contender_destroy,                                \
        .destroy_many = covey_contender_destroy_many                                                                   \
    }

const contender bench_covey_contenders[BENCH_COVEY_CONTENDERS] = {
    CONTENDER("block", open_blocks, iterate_spans),
    CONTENDER("rows", open_blocks, iterate_rows),
    CONTENDER("sparse", open_sparse, iterate_spans),
    CONTENDER("group", open_group, iterate_group),
};
