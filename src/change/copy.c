/* Copies of entities. All steps that can fail come first: copy hooks write to scratch memory, and new components are
 * placed. Then present values are overwritten, and finally observers are notified. */
#include "memory/inner.h"
#include "memory/alloc.h"
#include "change/change.h"
#include "change/many.h"
#include "storage/presence.h"
#include "memory/result.h"
#include "observe/signal.h"
#include "storage/storage.h"
#include "observe/tick.h"
#include "storage/type.h"

typedef struct copying {
    covey_world *world;
    covey_entity from;
    const covey_entity *to;
    uint32_t count;
    bool cloning;               /* `to` are new, and have no components */
    const covey__kind_key *key; /* then: the types of `from` */
    uint32_t parts;             /* components of `from` */
    size_t row;                 /* bytes that the hooks write for each of `to` */
    char *made;                 /* these rows */
    covey__change *changes;     /* behind them: that `to` were made, and what happens to each part */
    size_t bytes;               /* of both */
    const char *culprit;        /* the type that could not be copied, or NULL */
} copying;

/* A component of `from`, in the order of pools. */
typedef struct part {
    covey_pool *pool;
    uint32_t number, next; /* among the parts; of the pool to go on with */
    uint64_t offset;       /* of what its hook makes, in a row */
} part;

/* ---- Parts -------------------------------------------------------------------------------------------------------*/

/* The first pool from a number on that has the index and is not internal; or NULL. */
static covey_pool *next_pool(const covey_world *world, uint32_t index, uint32_t *number) {
    for (covey__present p = covey__present_at(world, index, *number); covey__present_next(&p);) {
        *number = p.pool->number + 1;
        if (!covey__is_internal(p.pool) && covey__has_index(p.pool, index)) return p.pool;
    }
    return NULL;
}

static uint64_t align_offset(uint64_t offset, uint64_t align) { return (offset + align - 1) / align * align; }

static bool has_hook(const part *p) { return p->pool->type->copy != NULL; }

/* for (part p = first_part(c); p.pool; next_part(c, &p)) */
static void find_part(const copying *c, part *p) {
    p->pool = next_pool(c->world, c->from.index, &p->next);
    if (p->pool && has_hook(p)) p->offset = align_offset(p->offset, p->pool->type->align ? p->pool->type->align : 1);
}

static part first_part(const copying *c) {
    part p = { 0 };
    find_part(c, &p);
    return p;
}

static void next_part(const copying *c, part *p) {
    if (has_hook(p)) p->offset += p->pool->size;
    p->number++;
    find_part(c, p);
}

/* The copy that the hook has made of a part for one of `to`. */
static void *made(const copying *c, const part *p, uint32_t i) { return c->made + i * c->row + (size_t)p->offset; }

static covey_result plan(copying *c) {
    uint64_t row = 0;
    for (part p = first_part(c); p.pool; next_part(c, &p)) {
        c->culprit = p.pool->type->name;
        if (!covey__type_can_copy(p.pool->type)) return COVEY_ERROR_COPY;
        if (has_hook(&p)) row = align_offset(p.offset + p.pool->size, COVEY__ALIGN_MAX);
        c->parts = p.number + 1;
    }
    c->culprit = NULL;
    uint64_t behind = c->parts == 0 ? 0 : (c->parts + UINT64_C(1)) * sizeof *c->changes, most = SIZE_MAX - behind;
    if (behind > SIZE_MAX || (c->count != 0 && row > most / c->count)) return COVEY_ERROR_MEMORY;
    c->row = (size_t)row;
    c->bytes = c->row * c->count + (size_t)behind;
    return COVEY_OK;
}

/* ---- Changes -----------------------------------------------------------------------------------------------------*/

/* Lists the changes: the creation of clones, and an add or a set for each part. A single copy is placed like an add;
 * clones append. */
static void list_copies(const copying *c) {
    if (c->parts == 0) return;
    c->changes[0] = (covey__change){ .told = { .signal = COVEY_ON_CREATE, .entities = c->to, .count = c->count } };
    for (part p = first_part(c); p.pool; next_part(c, &p)) {
        bool adds = c->cloning || !covey__has_index(p.pool, c->to->index);
        c->changes[p.number + 1] = (covey__change){
            .told = { .pool = p.pool,
                      .signal = adds ? COVEY_ON_ADD : COVEY_ON_SET,
                      .entities = c->to,
                      .count = c->count },
            .placing = { .values = has_hook(&p) ? made(c, &p, 0) : covey__value_of_index(p.pool, c->from.index),
                         .stride = has_hook(&p) ? c->row : 0,
                         .fills_hole = !c->cloning },
        };
    }
}

static covey__change *changes_of(const copying *c) { return c->parts != 0 ? c->changes + !c->cloning : NULL; }
static uint32_t count_changes(const copying *c) { return c->parts != 0 ? c->parts + c->cloning : 0; }

/* ---- Values ------------------------------------------------------------------------------------------------------*/

static void drop_made(const copying *c, const part *p, uint32_t count) {
    const covey_type *type = p->pool->type;
    for (uint32_t i = 0; i < count && type->copy && type->drop; i++) covey__drop(c->world, type, made(c, p, i));
}

/* Drops the copies of the first parts. */
static void drop_parts(const copying *c, uint32_t parts) {
    for (part p = first_part(c); p.pool && p.number < parts; next_part(c, &p)) drop_made(c, &p, c->count);
}

static covey_result make_values(copying *c) {
    for (part p = first_part(c); p.pool; next_part(c, &p)) {
        const covey_type *type = p.pool->type;
        const void *value = covey__value_of_index(p.pool, c->from.index);
        for (uint32_t i = 0; i < c->count && has_hook(&p); i++) {
            if (covey__copy_value(c->world, type, made(c, &p, i), value)) continue;
            drop_made(c, &p, i);
            drop_parts(c, p.number);
            c->culprit = type->name;
            return COVEY_ERROR_COPY;
        }
    }
    return COVEY_OK;
}

static covey_result make_changes(copying *c) {
    const covey__change *culprit;
    covey_result result = covey__changes_make(c->world, changes_of(c), count_changes(c), &culprit);
    if (result == COVEY_OK) return result;
    drop_parts(c, c->parts);
    c->culprit = culprit && culprit->told.pool ? culprit->told.pool->type->name : NULL;
    return result;
}

/* ---- Nothing fails from here on ----------------------------------------------------------------------------------*/

/* Replaces the present value of a part. */
static void overwrite_part(const copying *c, const part *p) {
    if (c->changes[p->number + 1].told.signal != COVEY_ON_SET) return;
    void *value = has_hook(p) ? made(c, p, 0) : covey__value_of_index(p->pool, c->from.index);
    covey__pool_drop(p->pool, *c->to);
    covey__relocate(covey__storage_mover(p->pool), covey__value_of_index(p->pool, c->to->index), value, p->pool->size);
    if (p->pool->type->ticks) covey__ticks_note(p->pool, c->to->index);
}

static void settle_copies(const copying *c) {
    for (part p = first_part(c); p.pool; next_part(c, &p)) overwrite_part(c, &p);
    if (!c->cloning) {
        covey__changes_settle(changes_of(c), count_changes(c), true);
        return;
    }
    covey__entities_made(c->world, c->key, c->to, c->count);
    covey__changes_settle_new(changes_of(c), count_changes(c));
}

/* Listeners may change the entities from here on. */
static void tell_of_copies(const copying *c) {
    if (c->parts != 0) covey__changes_emit(c->world, changes_of(c), count_changes(c));
    else if (c->cloning) covey__emit(c->world, NULL, COVEY_ON_CREATE, c->to, c->count);
}

static bool borrow(copying *c) {
    c->made = covey__resize(&c->world->inner->heap, NULL, 0, c->bytes, 1, COVEY__ALIGN_MAX);
    if (!c->made) return c->bytes == 0;
    c->world->inner->borrowed += c->bytes;
    c->changes = (covey__change *)(void *)(c->made + c->row * c->count);
    return true;
}

static void free_borrowed(const copying *c) {
    if (c->made) c->world->inner->borrowed -= c->bytes;
    covey__free(&c->world->inner->heap, c->made, c->bytes, 1, COVEY__ALIGN_MAX);
}

static covey_result copy_all(copying *c) {
    covey_result result = plan(c);
    if (result != COVEY_OK) return result;
    if (!borrow(c)) return COVEY_ERROR_MEMORY;
    list_copies(c);
    result = make_values(c);
    if (result == COVEY_OK) result = make_changes(c);
    if (result == COVEY_OK) {
        settle_copies(c);
        tell_of_copies(c);
    }
    free_borrowed(c);
    return result;
}

/* ---- The calls ---------------------------------------------------------------------------------------------------*/

static bool finish_copy(const copying *c, covey_result result) {
    if (result != COVEY_OK)
        covey__fail(c->world, result, "%u:%u could not be copied: %s%s%s", c->from.index, c->from.generation,
                    c->culprit ? c->culprit : "", c->culprit ? ": " : "", covey__reason(result));
    COVEY__CHANGED(c->world);
    return result == COVEY_OK;
}

bool covey_copy(covey_world *world, covey_entity from, covey_entity to) {
    if (COVEY__IN_HOOK(world)) return false;
    copying c = { .world = world, .from = from, .to = &to, .count = 1 };
    if (!covey_alive(world, from) || !covey__takes_components(world, to)) return finish_copy(&c, COVEY_ERROR_DEAD);
    return covey_same(from, to) || finish_copy(&c, copy_all(&c));
}

bool covey_clone(covey_world *world, covey_entity e, covey_entity *clones, uint32_t count) {
    COVEY__NEEDS_ARRAY(world, clones, count);
    covey__kind_key key = covey__kind_key_none();
    copying c = { .world = world, .from = e, .to = clones, .count = count, .cloning = true, .key = &key };
    covey_result result = covey_alive(world, e) ? COVEY_OK : COVEY_ERROR_DEAD;
    if (COVEY__IN_HOOK(world)) result = COVEY_ERROR_REFUSED;
    if (result == COVEY_OK) key = covey__kind_key_of(world, e.index);
    if (result == COVEY_OK) result = covey__entities_take(world, &key, clones, count);
    else
        for (uint32_t i = 0; i < count; i++) clones[i] = (covey_entity){ 0, 0 };
    if (result == COVEY_OK) {
        result = copy_all(&c);
        if (result != COVEY_OK) covey__entities_undo_create(world, clones, count);
    }
    return finish_copy(&c, result);
}
