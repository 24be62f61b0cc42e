/* GET lookups: which lookups a world has. GET cells: the occupied cells of one. And who points at an entity. The first
 * question after changes files them, which no other thread may do meanwhile: polls are on the thread that owns the
 * world, where it may be changed. */
#include "entity.h"
#include "query.h"

#include <covey/hierarchy.h>
#include <covey/lookup.h>

#include <stdio.h>
#include <stdlib.h>

enum { FIRST_SOURCES = 20, NAMES = 3 };

/* ---- What a lookup is of ------------------------------------------------------------------------------------------*/

/* The names of its fields; those of an array are "at[0]", "at[1]" and so on. */
static void put_fields(inspect__json *json, const covey_lookup_desc *desc) {
    char name[INSPECT__QUERY_BYTES];
    inspect__json_array(json, "fields");
    for (uint32_t i = 0; i < (desc->field ? 1 : NAMES); i++) {
        const char *path = desc->field ? desc->field : desc->place[i];
        inspect__place place;
        size_t at, wrong;
        if (!path || inspect__place_find(desc->type, path, strlen(path), &place, &at, &wrong)) break;
        if (desc->field || !place.array) inspect__json_text(json, NULL, path);
        for (uint32_t k = 0; !desc->field && place.array && k < place.count; k++) {
            snprintf(name, sizeof name, "%s[%u]", path, k);
            inspect__json_text(json, NULL, name);
        }
    }
    inspect__json_end_array(json);
}

static covey_kind kind_of(const covey_lookup_desc *desc) {
    const char *path = desc->field ? desc->field : desc->place[0];
    inspect__place place = inspect__place_of(desc->type);
    size_t at, wrong;
    inspect__place_find(desc->type, path, strlen(path), &place, &at, &wrong);
    return place.kind;
}

static const char *end_name(covey_target_end end) {
    static const char *const names[] = { "keep", "clear", "remove", "destroy" };
    return names[end];
}

static void put_lookup(inspect__json *json, covey_lookup *lookup) {
    covey_lookup_desc desc = covey_lookup_description(lookup);
    covey_kind kind = kind_of(&desc);
    inspect__json_object(json, NULL);
    inspect__json_text(json, "type", desc.type->name);
    put_fields(json, &desc);
    inspect__json_text(json, "kind", covey_kind_name(kind));
    inspect__json_text(json, "finds", desc.place[0] ? "places" : desc.ordered ? "ranges" : "values");
    inspect__json_text(json, "when_target_ends", kind == COVEY_KIND_ENTITY ? end_name(desc.when_target_ends) : NULL);
    if (desc.place[0]) inspect__json_f64(json, "cell", desc.cell);
    else inspect__json_null(json, "cell");
    inspect__json_u64(json, "count", covey_lookup_size(lookup));
    inspect__json_u64(json, "bytes", covey_lookup_memory(lookup));
    inspect__json_end_object(json);
}

typedef struct listing {
    uint32_t next; /* the lookup to write next */
} listing;

bool inspect__answer_lookups(inspect__request *request, covey_world *world) {
    inspect__json *json = &request->json;
    bool begins = !request->state;
    listing *l = inspect__request_state(request, sizeof *l, NULL);
    if (!l) return true;
    if (begins) {
        inspect__json_object(json, NULL);
        inspect__json_array(json, "lookups");
    }
    for (covey_lookup *lookup; (lookup = covey_world_lookup(world, l->next)) != NULL;) {
        put_lookup(json, lookup);
        l->next++;
        if (inspect__request_pauses(request)) return false;
    }
    inspect__json_end_array(json);
    inspect__json_end_object(json);
    return true;
}

/* ---- Who points at an entity --------------------------------------------------------------------------------------*/

/* Writes up to 20 of the entities that a search finds. */
static void put_first(inspect__json *json, const covey_world *world, covey_search search) {
    uint32_t left = FIRST_SOURCES;
    inspect__json_array(json, "first");
    while (left > 0 && covey_search_next(&search))
        for (uint32_t i = 0; i < search.count && left > 0; i++, left--) {
            inspect__json_object(json, NULL);
            inspect__json_entity(json, "e", search.entities[i]);
            inspect__json_text(json, "name", covey_name(world, search.entities[i]));
            inspect__json_end_object(json);
        }
    inspect__json_end_array(json);
}

void inspect__put_sources(inspect__json *json, const covey_world *world, covey_entity e) {
    covey_lookup *lookup;
    inspect__json_array(json, "sources");
    for (uint32_t i = 0; (lookup = covey_world_lookup(world, i)) != NULL; i++) {
        covey_lookup_desc desc = covey_lookup_description(lookup);
        if (kind_of(&desc) != COVEY_KIND_ENTITY) continue;
        inspect__json_object(json, NULL);
        inspect__json_u64(json, "lookup", i);
        inspect__json_text(json, "type", desc.type->name);
        inspect__json_text(json, "field", desc.field);
        inspect__json_u64(json, "count", covey_lookup_count(lookup, &e));
        put_first(json, world, covey_lookup_find(lookup, &e));
        inspect__json_end_object(json);
    }
    inspect__json_end_array(json);
}

/* ---- Cells --------------------------------------------------------------------------------------------------------*/

enum {
    CELLS = 10000, /* the largest limit */
    SLOTS = 32768, /* of the table: a power of two, more than twice as many */
    AT_ONCE = 1024 /* entities between two checks of the clock */
};

/* Some cells that are shown as one, and how many entities are in them. 0: a free slot. */
typedef struct bin {
    int32_t at[NAMES];
    uint32_t count;
} bin;

typedef struct census {
    covey_lookup *lookup;
    const covey_type *type;
    const covey_pool *pool;
    uint32_t dimensions;
    uint64_t number, limit;
    uint32_t next;   /* position in the pool where the next poll continues */
    uint32_t halved; /* 2^halved cells, in each direction, are one bin */
    uint32_t bins, entities, most;
    bin *tables;         /* memory for two: */
    bin *slots, *others; /* the one with the bins, and one to merge them into */
} census;

static void drop(covey_inspector *inspector, void *state) {
    census *c = state;
    inspect__free(inspector, c->tables, 2 * SLOTS * sizeof *c->tables);
}

static int32_t half(int32_t number) { return number >= 0 ? number / 2 : -((1 - number) / 2); }

/* The slot of a bin, or the one where it belongs. */
static bin *slot_of(const census *c, const int32_t *at) {
    uint32_t slot = 0;
    for (uint32_t i = 0; i < NAMES; i++) slot = (slot ^ (uint32_t)at[i]) * 2654435761u;
    for (slot ^= slot >> 15;; slot++) {
        bin *b = &c->slots[slot % SLOTS];
        if (b->count == 0 || memcmp(b->at, at, sizeof b->at) == 0) return b;
    }
}

static void count_in(census *c, const int32_t *at, uint32_t count) {
    bin *b = slot_of(c, at);
    c->bins += b->count == 0;
    memcpy(b->at, at, sizeof b->at);
    b->count += count;
}

/* Counts twice as many cells, in each direction, as one bin. */
static void merge(census *c) {
    bin *old = c->slots;
    c->slots = c->others;
    c->others = old;
    c->bins = 0;
    c->halved++;
    memset(c->slots, 0, SLOTS * sizeof *c->slots);
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (old[i].count == 0) continue;
        for (uint32_t k = 0; k < NAMES; k++) old[i].at[k] = half(old[i].at[k]);
        count_in(c, old[i].at, old[i].count);
    }
}

static void count_entity(census *c, covey_entity e) {
    int32_t cell[NAMES] = { 0 };
    if (!covey_lookup_cell(c->lookup, e, cell)) return;
    for (uint32_t k = 0; k < c->halved; k++)
        for (uint32_t i = 0; i < NAMES; i++) cell[i] = half(cell[i]);
    count_in(c, cell, 1);
    c->entities++;
    while (c->bins > c->limit) merge(c);
}

static int compare_bins(const void *first, const void *second) {
    const bin *a = first, *b = second;
    for (uint32_t i = 0; i < NAMES; i++)
        if (a->at[i] != b->at[i]) return a->at[i] < b->at[i] ? -1 : 1;
    return 0;
}

/* Moves all bins to the front, in order. */
static void sort_bins(census *c) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (c->slots[i].count == 0) continue;
        c->most = c->slots[i].count > c->most ? c->slots[i].count : c->most;
        c->slots[count++] = c->slots[i];
    }
    qsort(c->slots, count, sizeof *c->slots, compare_bins);
}

static void put_bins(inspect__json *json, census *c) {
    covey_lookup_desc desc = covey_lookup_description(c->lookup);
    sort_bins(c);
    inspect__json_object(json, NULL);
    inspect__json_u64(json, "lookup", c->number);
    inspect__json_text(json, "type", desc.type->name);
    put_fields(json, &desc);
    inspect__json_f64(json, "cell", desc.cell);
    inspect__json_u64(json, "merged", (uint64_t)1 << c->halved);
    inspect__json_u64(json, "entities", c->entities);
    inspect__json_u64(json, "most", c->most);
    inspect__json_array(json, "cells");
    for (const bin *b = c->slots; b < c->slots + c->bins; b++) {
        inspect__json_array(json, NULL);
        for (uint32_t i = 0; i < c->dimensions; i++) inspect__json_i64(json, NULL, b->at[i]);
        inspect__json_u64(json, NULL, b->count);
        inspect__json_end_array(json);
    }
    inspect__json_end_array(json);
    inspect__json_end_object(json);
}

/* How many numbers its places have. */
static uint32_t dimensions_of(const covey_lookup_desc *desc) {
    inspect__place place;
    size_t at, wrong;
    uint32_t count = 0;
    while (count < NAMES && desc->place[count]) count++;
    if (count != 1) return count;
    inspect__place_find(desc->type, desc->place[0], strlen(desc->place[0]), &place, &at, &wrong);
    return place.count;
}

/* Whether the lookup is still the one that was asked about. */
static bool is_same(const census *c, const covey_world *world) {
    if (covey_world_lookup(world, (uint32_t)c->number) != c->lookup) return false;
    covey_lookup_desc desc = covey_lookup_description(c->lookup);
    return desc.type == c->type && dimensions_of(&desc) == c->dimensions;
}

static bool begin(inspect__request *request, const covey_world *world, census *c) {
    if (!inspect__request_number(request, "lookup", 0, UINT32_MAX, &c->number) ||
        !inspect__request_number(request, "limit", 2000, CELLS, &c->limit))
        return false;
    c->limit = c->limit < 8 ? 8 : c->limit; /* all cells merge into so many */
    c->lookup = covey_world_lookup(world, (uint32_t)c->number);
    if (!c->lookup) return !inspect__refuse(request, 409, "ABSENT", "the world has fewer lookups than that");
    covey_lookup_desc desc = covey_lookup_description(c->lookup);
    c->dimensions = dimensions_of(&desc);
    if (c->dimensions == 0) return !inspect__refuse(request, 409, "REFUSED", "this lookup has no places");
    c->type = desc.type;
    c->pool = covey_pool_find_raw(world, desc.type);
    c->tables = inspect__zeroed(request->inspector, 2 * SLOTS * sizeof *c->tables);
    if (!c->tables) return !inspect__refuse_result(request, COVEY_ERROR_MEMORY, "the inspector is out of memory");
    c->slots = c->tables;
    c->others = c->tables + SLOTS;
    return true;
}

bool inspect__answer_cells(inspect__request *request, covey_world *world) {
    bool begins = !request->state;
    uint32_t looked = 0;
    census *c = inspect__request_state(request, sizeof *c, drop);
    if (!c || (begins && !begin(request, world, c))) return true;
    if (!is_same(c, world)) return inspect__refuse(request, 409, "ABSENT", "the lookup was destroyed meanwhile");
    uint32_t at = covey_pool_next(c->pool, c->next);
    for (; at != COVEY_NONE; at = covey_pool_next(c->pool, at + 1)) {
        count_entity(c, covey_pool_at(c->pool, at));
        c->next = at + 1;
        if (++looked % AT_ONCE == 0 && inspect__request_pauses(request)) return false;
    }
    put_bins(&request->json, c);
    return true;
}
