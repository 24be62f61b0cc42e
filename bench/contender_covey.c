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

/* A loop for each list of types. */
#define LOOP1(name, A, From, begin)                    \
    static uint64_t name(const From *from) {           \
        covey_iter it = begin(from);                   \
        uint64_t visited = 0;                          \
        for (; covey_next(&it); visited += it.count) { \
            A *p = covey_field(&it, 0, A);             \
            for (uint32_t i = 0; i < it.count; i++) {  \
                p[i].x += 1;                           \
                p[i].y += 1;                           \
            }                                          \
        }                                              \
        return visited;                                \
    }
#define LOOP2(name, A, B, From, begin)                 \
    static uint64_t name(const From *from) {           \
        covey_iter it = begin(from);                   \
        uint64_t visited = 0;                          \
        for (; covey_next(&it); visited += it.count) { \
            A *p = covey_field(&it, 0, A);             \
            const B *v = covey_field(&it, 1, B);       \
            for (uint32_t i = 0; i < it.count; i++) {  \
                p[i].x += v[i].x;                      \
                p[i].y += v[i].y;                      \
            }                                          \
        }                                              \
        return visited;                                \
    }
#define LOOP3(name, A, B, C, From, begin)              \
    static uint64_t name(const From *from) {           \
        covey_iter it = begin(from);                   \
        uint64_t visited = 0;                          \
        for (; covey_next(&it); visited += it.count) { \
            A *p = covey_field(&it, 0, A);             \
            const B *v = covey_field(&it, 1, B);       \
            const C *w = covey_field(&it, 2, C);       \
            for (uint32_t i = 0; i < it.count; i++) {  \
                p[i].x += v[i].x + w[i].x;             \
                p[i].y += v[i].y + w[i].y;             \
            }                                          \
        }                                              \
        return visited;                                \
    }

#define SPANS1(name, A) LOOP1(name, A, covey_view, covey_view_iter)
#define SPANS2(name, A, B) LOOP2(name, A, B, covey_view, covey_view_iter)
#define SPANS3(name, A, B, C) LOOP3(name, A, B, C, covey_view, covey_view_iter)

SPANS1(spans1, First)
SPANS2(spans2, First, Second)
SPANS3(spans3, First, Second, Third)
LOOP2(members2, First, Second, covey_group, covey_group_iter)

static uint64_t rows1(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
    uint64_t visited = 0;
    covey_row row = { 0 };
    for (; covey_next_row(&it, &row); visited++) {
        First *p = covey_row_field(&it, row, 0, First);
        p->x += 1;
        p->y += 1;
    }
    return visited;
}

static uint64_t rows2(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
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

static uint64_t rows3(const covey_view *view) {
    covey_iter it = covey_view_iter(view);
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
    const covey_view *view = &f->views[fields - 1];
    return fields == 1 ? spans1(view) : fields == 2 ? spans2(view) : spans3(view);
}

static uint64_t iterate_rows(void *world, uint32_t fields) {
    const fixture *f = world;
    const covey_view *view = &f->views[fields - 1];
    return fields == 1 ? rows1(view) : fields == 2 ? rows2(view) : rows3(view);
}

static uint64_t iterate_group(void *world, uint32_t fields) {
    const fixture *f = world;
    return fields == 2 ? members2(f->group) : iterate_spans(world, fields);
}

/* ---- Entities -----------------------------------------------------------------------------------------------------*/

static uint64_t covey_contender_create(void *world) {
    fixture *f = world;
    First first = contender_value_of(0);
    Second second = contender_value_of(1);
    Third third = contender_value_of(2);
    for (uint32_t i = 0; i < f->n; i++) {
        f->entities[i] =
            covey_create_with(f->world, covey_with(First, { first.x, first.y }),
                              covey_with(Second, { second.x, second.y }), covey_with(Third, { third.x, third.y }));
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

/* ---- The mixed world ----------------------------------------------------------------------------------------------*/

typedef contender_value Mixed0, Mixed1, Mixed2, Mixed3, Mixed4, Mixed5, Mixed6, Mixed7, Mixed8, Mixed9, Mixed10,
    Mixed11, Mixed12, Mixed13, Mixed14, Mixed15, Mixed16;
COVEY_COMPONENT_DEFINE(Mixed0);
COVEY_COMPONENT_DEFINE(Mixed1);
COVEY_COMPONENT_DEFINE(Mixed2);
COVEY_COMPONENT_DEFINE(Mixed3);
COVEY_COMPONENT_DEFINE(Mixed4);
COVEY_COMPONENT_DEFINE(Mixed5);
COVEY_COMPONENT_DEFINE(Mixed6);
COVEY_COMPONENT_DEFINE(Mixed7);
COVEY_COMPONENT_DEFINE(Mixed8);
COVEY_COMPONENT_DEFINE(Mixed9);
COVEY_COMPONENT_DEFINE(Mixed10);
COVEY_COMPONENT_DEFINE(Mixed11);
COVEY_COMPONENT_DEFINE(Mixed12);
COVEY_COMPONENT_DEFINE(Mixed13);
COVEY_COMPONENT_DEFINE(Mixed14);
COVEY_COMPONENT_DEFINE(Mixed15);
COVEY_COMPONENT_DEFINE(Mixed16);

static const covey_type *const parts[CONTENDER_MIXED_TYPES] = {
    covey_id(Mixed0),  covey_id(Mixed1),  covey_id(Mixed2),  covey_id(Mixed3),  covey_id(Mixed4),  covey_id(Mixed5),
    covey_id(Mixed6),  covey_id(Mixed7),  covey_id(Mixed8),  covey_id(Mixed9),  covey_id(Mixed10), covey_id(Mixed11),
    covey_id(Mixed12), covey_id(Mixed13), covey_id(Mixed14), covey_id(Mixed15), covey_id(Mixed16)
};

/* The components of a kind, as a program lists them once for all entities that it makes of it. */
typedef struct recipe {
    uint32_t count;
    uint32_t types[CONTENDER_MIXED_TYPES];
    contender_value values[CONTENDER_MIXED_TYPES];
    covey_component components[CONTENDER_MIXED_TYPES + 1];
} recipe;

typedef struct mixed {
    covey_world *world;
    covey_entity *entities;                    /* by number */
    recipe *recipes[1 << CONTENDER_LATE_TYPE]; /* by set of types; NULL: not used yet */
    covey_view views[CONTENDER_SYSTEMS];
} mixed;

static void mixed_close(void *world) {
    mixed *m = world;
    covey_world_destroy(m->world);
    for (uint32_t set = 0; set < 1 << CONTENDER_LATE_TYPE; set++) free(m->recipes[set]);
    free(m->entities);
    free(m);
}

static void *mixed_open(uint32_t n) {
    mixed *m = calloc(1, sizeof *m);
    if (!m) return NULL;
    m->world = covey_world_create(NULL);
    m->entities = malloc(n * sizeof *m->entities);
    if (!m->world || !m->entities) {
        mixed_close(m);
        return NULL;
    }
    for (uint32_t s = 0; s < CONTENDER_SYSTEMS; s++) {
        covey_view_desc desc = { .include_disabled = false };
        for (uint32_t t = 0; t < contender_systems[s].count; t++) desc.with[t] = parts[contender_systems[s].first + t];
        m->views[s] = covey_view_make(m->world, &desc);
    }
    return m;
}

static recipe *make_recipe(uint32_t set) {
    recipe *r = calloc(1, sizeof *r);
    if (!r) bench_fail("no memory for a recipe");
    for (uint32_t t = 0; t < CONTENDER_MIXED_TYPES; t++) {
        if (!(set >> t & 1)) continue;
        r->types[r->count] = t;
        r->components[r->count] = (covey_component){
            .type = parts[t], .values = &r->values[r->count], .count = 1, .size = sizeof *r->values
        };
        r->count++;
    }
    return r;
}

static covey_entity mixed_create_one(mixed *m, uint32_t id, uint32_t set) {
    if (!m->recipes[set]) m->recipes[set] = make_recipe(set);
    recipe *r = m->recipes[set];
    for (uint32_t i = 0; i < r->count; i++) r->values[i] = contender_mixed_value_of(r->types[i], id);
    return covey_create_with_raw(m->world, r->components);
}

static uint64_t mixed_create(void *world, const uint32_t *ids, const uint32_t *sets, uint32_t count) {
    mixed *m = world;
    for (uint32_t i = 0; i < count; i++) m->entities[ids[i]] = mixed_create_one(m, ids[i], sets[i]);
    return count;
}

static uint64_t mixed_destroy(void *world, const uint32_t *ids, uint32_t count) {
    mixed *m = world;
    for (uint32_t i = 0; i < count; i++) covey_destroy(m->world, m->entities[ids[i]]);
    return count;
}

static uint64_t mixed_add(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    mixed *m = world;
    uint64_t added = 0;
    for (uint32_t i = 0; i < count; i++) {
        contender_value value = contender_mixed_value_of(type, ids[i]);
        added += covey_add_raw(m->world, m->entities[ids[i]], parts[type], &value) != NULL;
    }
    return added;
}

static uint64_t mixed_remove(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    mixed *m = world;
    uint64_t removed = 0;
    for (uint32_t i = 0; i < count; i++) removed += covey_remove_raw(m->world, m->entities[ids[i]], parts[type]);
    return removed;
}

static uint64_t mixed_get(void *world, uint32_t type, const uint32_t *ids, uint32_t count) {
    mixed *m = world;
    uint64_t sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        const contender_value *value = covey_get_raw(m->world, m->entities[ids[i]], parts[type]);
        if (value) sum += contender_number_of(*value);
    }
    return sum;
}

SPANS2(system0, Mixed0, Mixed1)
SPANS1(system1, Mixed2)
SPANS3(system2, Mixed3, Mixed4, Mixed5)
SPANS2(system3, Mixed6, Mixed7)
SPANS2(system4, Mixed8, Mixed9)
SPANS3(system5, Mixed10, Mixed11, Mixed12)
SPANS3(system6, Mixed13, Mixed14, Mixed15)

static uint64_t mixed_run(void *world) {
    static uint64_t (*const systems[CONTENDER_SYSTEMS])(const covey_view *) = { system0, system1, system2, system3,
                                                                                system4, system5, system6 };
    const mixed *m = world;
    uint64_t matches = 0;
    for (uint32_t s = 0; s < CONTENDER_SYSTEMS; s++) matches += systems[s](&m->views[s]);
    return matches;
}

static const contender_mixed covey_mixed = {
    .open = mixed_open,
    .close = mixed_close,
    .get = mixed_get,
    .create = mixed_create,
    .destroy = mixed_destroy,
    .add = mixed_add,
    .remove = mixed_remove,
    .run = mixed_run,
};

/* ---- The contenders -----------------------------------------------------------------------------------------------*/

#define CONTENDER(text, opens, iterates, mixes)                                                                        \
    {                                                                                                                  \
        .name = text, .open = opens, .close = covey_contender_close, .empty = covey_contender_empty,                   \
        .clear = covey_contender_clear, .add = covey_contender_add, .remove = covey_contender_remove,                  \
        .get = covey_contender_get, .has = covey_contender_has, .iterate = iterates, .create = covey_contender_create, \
        .create_many = covey_contender_create_many, .destroy = covey_contender_destroy,                                \
        .destroy_many = covey_contender_destroy_many, .mixed = mixes                                                   \
    }

const contender bench_covey_contenders[BENCH_COVEY_CONTENDERS] = {
    CONTENDER("block", open_blocks, iterate_spans, &covey_mixed),
    CONTENDER("rows", open_blocks, iterate_rows, NULL),
    CONTENDER("sparse", open_sparse, iterate_spans, NULL),
    CONTENDER("group", open_group, iterate_group, NULL),
};
