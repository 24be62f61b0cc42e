/* Saves and restores values that are not bytes. */
#include "history/value_snapshot.h"

#include "memory/inner.h"
#include "storage/storage.h"
#include "tree/name.h"

typedef enum keeping { KEEP_BYTES, KEEP_COPIES, KEEP_NAMES } keeping;

/* The links of nodes are indices, which mean the same after restoring: bytes. */
static keeping keeping_of(const covey_pool *pool) {
    const covey_world *world = pool->world;
    if (world->inner->names && world->inner->names->pool == pool) return KEEP_NAMES;
    bool hooks = pool->type->drop || pool->type->copy; /* a type with .move alone cannot be copied */
    return hooks && pool != world->inner->nodes ? KEEP_COPIES : KEEP_BYTES;
}

bool covey__saves_bytes(const covey_pool *pool) { return keeping_of(pool) == KEEP_BYTES; }

/* The positions from `first` to `last` have their values in one unit. */
typedef struct positions {
    uint32_t first, last;
} positions;

/* ---- Saving copies -----------------------------------------------------------------------------------------------*/

static uint32_t count_components(const covey_pool *pool, positions p) {
    uint32_t count = 0;
    for (uint32_t at = covey_pool_next(pool, p.first); at <= p.last && at != COVEY_NONE;
         at = covey_pool_next(pool, at + 1))
        count++;
    return count;
}

static bool save_copies(covey__saving *s, const covey_pool *pool, covey__unit **to, positions p) {
    uint32_t count = count_components(pool, p);
    covey__unit *unit = *to = covey__unit_create(s->store, (size_t)count * pool->size, pool->type);
    if (!unit) return covey__save_lacks_memory(s);
    unit->wipe = pool->type->zero_erased;
    for (uint32_t at = covey_pool_next(pool, p.first); unit->count < count; at = covey_pool_next(pool, at + 1))
        if (!covey__unit_copy(s->store, unit, covey_pool_value_at_raw(pool, at)))
            return covey__save_cannot_copy(s, pool->type);
    return true;
}

/* ---- Saving names ------------------------------------------------------------------------------------------------*/

/* Precedes the text of a name. */
typedef struct name_record {
    uint32_t hash, parent, length;
} name_record;

/* Returns the bytes; `to` NULL only counts them. */
static size_t write_names(const covey_pool *pool, positions p, char *to) {
    size_t bytes = 0;
    for (uint32_t at = covey_pool_next(pool, p.first); at <= p.last && at != COVEY_NONE;
         at = covey_pool_next(pool, at + 1)) {
        const covey__name *name = covey_pool_value_at_raw(pool, at);
        name_record record = { name->hash, name->parent, covey__name_length(name) };
        if (to) memcpy(to + bytes, &record, sizeof record);
        if (to) memcpy(to + bytes + sizeof record, name->text, record.length);
        bytes += sizeof record + record.length;
    }
    return bytes;
}

static bool save_names(covey__saving *s, const covey_pool *pool, const covey__units *before, covey__units *values,
                       uint32_t number, positions p) {
    covey__unit *unit = covey__unit_create(s->store, write_names(pool, p, NULL), NULL);
    if (!unit) return covey__save_lacks_memory(s);
    write_names(pool, p, covey__unit_bytes(unit));
    values->at[number] = covey__unit_share_equal(s->store, before, number, unit);
    return true;
}

/* Skips units without components. */
bool covey__save_values(covey__saving *s, const covey_pool *pool, const covey__units *before, covey__units *values) {
    uint32_t size = covey__storage_unit_size(pool), at = covey_pool_next(pool, 0);
    bool names = keeping_of(pool) == KEEP_NAMES;
    while (at != COVEY_NONE && values->count != 0) {
        uint32_t number = at / size;
        positions p = { number * size, number * size + (size - 1) };
        bool saved =
            names ? save_names(s, pool, before, values, number, p) : save_copies(s, pool, &values->at[number], p);
        if (!saved) return false;
        at = p.last < COVEY_NONE ? covey_pool_next(pool, p.last + 1) : COVEY_NONE;
    }
    return true;
}

/* ---- Preparing ---------------------------------------------------------------------------------------------------*/

covey__unit *covey__copy_unit(covey__rollback *r, const covey_type *type, const covey__unit *from) {
    covey__unit *unit = covey__unit_create(r->store, from->bytes, type);
    if (!unit) return covey__rollback_lacks_memory(r), NULL;
    unit->wipe = from->wipe;
    while (unit->count < from->count && r->result == COVEY_OK)
        if (!covey__unit_copy(r->store, unit, covey__unit_bytes(from) + (size_t)unit->count * type->size))
            covey__rollback_fails(r, COVEY_ERROR_COPY, type->name);
    return unit;
}

static const char *read_name(const char *from, name_record *record) {
    memcpy(record, from, sizeof *record);
    return from + sizeof *record;
}

static uint32_t count_names(const covey__unit *unit) {
    uint32_t count = 0;
    name_record record;
    const char *from = covey__unit_bytes(unit), *end = from + unit->bytes;
    for (; from != end; from += record.length, count++) from = read_name(from, &record);
    return count;
}

static covey__name *name_in(const covey__unit *unit, uint32_t number) {
    return (covey__name *)(void *)covey__unit_bytes(unit) + number;
}

static covey__name name_from(char *text, const name_record *record) {
    return (covey__name){
        .text = text, .links.note = (uint16_t)record->length, .hash = record->hash, .parent = record->parent
    };
}

/* Makes names from records. The world owns their texts. */
static covey__unit *make_names(covey__rollback *r, const covey__unit *from) {
    const char *at = covey__unit_bytes(from), *end = at + from->bytes;
    covey__unit *unit = covey__unit_create(r->store, count_names(from) * sizeof(covey__name), NULL);
    if (!unit) return covey__rollback_lacks_memory(r), NULL;
    for (name_record record; at != end && r->result == COVEY_OK; at += record.length) {
        at = read_name(at, &record);
        char *text = covey__name_text(r->world, at, record.length);
        if (text) *name_in(unit, unit->count++) = name_from(text, &record);
        else covey__rollback_lacks_memory(r);
    }
    return unit;
}

bool covey__prepare_values(covey__rollback *r, const covey_pool *pool, covey__pool_plan *plan) {
    const covey__storage_snapshot *storage = &plan->snapshot->storage;
    const covey__units *values = &storage->values;
    bool names = keeping_of(pool) == KEEP_NAMES;
    if (names && !covey__names_room(r->world, storage->count)) return covey__rollback_lacks_memory(r);
    if (!covey__units_create(r->store, &plan->values, values->count)) return covey__rollback_lacks_memory(r);
    for (uint32_t i = 0; i < values->count && r->result == COVEY_OK; i++)
        if (values->at[i])
            plan->values.at[i] = names ? make_names(r, values->at[i]) : covey__copy_unit(r, pool->type, values->at[i]);
    return r->result == COVEY_OK;
}

static void free_names(covey_world *world, covey__unit *unit) {
    while (unit->count != 0) {
        const covey__name *name = name_in(unit, --unit->count);
        covey__name_text_free(world, name->text, covey__name_length(name));
    }
}

/* Copies end with their units. */
void covey__undo_values(covey__rollback *r, const covey_pool *pool, covey__pool_plan *plan) {
    if (keeping_of(pool) != KEEP_NAMES) return;
    for (uint32_t i = 0; i < plan->values.count; i++)
        if (plan->values.at[i]) free_names(r->world, plan->values.at[i]);
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

void covey__end_values(const covey_pool *pool) {
    const covey_type *type = pool->type;
    if (keeping_of(pool) == KEEP_NAMES) covey__names_erase_all(pool->world);
    if (keeping_of(pool) != KEEP_COPIES || !type->drop) return;
    for (uint32_t at = covey_pool_next(pool, 0); at != COVEY_NONE; at = covey_pool_next(pool, at + 1))
        covey__pool_drop_value(pool, covey_pool_value_at_raw(pool, at));
}

/* The unit owns no values afterwards. */
static void move_values(const covey_pool *pool, covey__unit *unit, uint32_t at, bool names) {
    for (uint32_t i = 0; i < unit->count; i++, at++) {
        at = covey_pool_next(pool, at);
        void *to = covey_pool_value_at_raw(pool, at);
        covey__relocate(covey__storage_mover(pool), to, covey__unit_bytes(unit) + (size_t)i * pool->size, pool->size);
        if (names) ((covey__name *)to)->self = covey_pool_at(pool, at).index;
    }
    unit->count = 0;
}

void covey__restore_values(const covey_pool *pool, covey__units *values) {
    uint32_t size = covey__storage_unit_size(pool);
    bool names = keeping_of(pool) == KEEP_NAMES;
    for (uint32_t i = 0; i < values->count; i++)
        if (values->at[i]) move_values(pool, values->at[i], i * size, names);
    if (names) covey__names_recall(pool->world);
}
