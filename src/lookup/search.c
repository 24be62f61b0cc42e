/* Searches: which entities have a value, a value in a range, or are below a target. A search copies some handles at a
 * time, and finds its place again by the index or the key of the last one, so that everything may change meanwhile. */
#include "lookup/lookup.h"

#include "memory/inner.h"
#include "query/iter.h"

/* ---- Beginning ---------------------------------------------------------------------------------------------------*/

/* Field by field: a search has room for many handles, which are not set. */
static inline void begin(covey_search *search, covey_lookup *lookup, covey__asked asked) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    search->count = 0;
    search->lookup = lookup;
    search->asked = (uint8_t)asked;
    search->begun = false;
    search->last = 0;
}

/* A question that a lookup cannot answer finds nothing. */
static bool refuse(covey_lookup *lookup, const char *why) {
    covey__fail(lookup->world, COVEY_ERROR_REFUSED, "a lookup of %s could not be asked: %s", lookup->pool->type->name,
                why);
    return false;
}

static bool takes_keys(covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    return lookup->place.count == 0 || refuse(lookup, "it finds places: ask for a box or for what is near a point");
}

static bool is_ordered(covey_lookup *lookup) {
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    return lookup->ordered || refuse(lookup, "it knows no order: create it with .ordered");
}

/* ---- One value ---------------------------------------------------------------------------------------------------*/

uint32_t covey_lookup_count(covey_lookup *lookup, const void *value) {
    covey__lookup_key key;
    if (!takes_keys(lookup)) return 0;
    COVEY__CONTRACT(lookup->world, value, "a lookup needs a value to count");
    covey__lookup_settle(lookup);
    if (!covey__key_asked(&lookup->field, value, &key)) return 0;
    if (lookup->ordered) return covey__sorted_count(&lookup->sorted, &key);
    uint32_t record = covey__buckets_find(&lookup->buckets, &key);
    return record != COVEY__NO_RECORD ? lookup->buckets.records[record].count : 0;
}

/* Keeps a key in the search; texts stay with the caller. */
static void ask_for(covey_search *search, const covey__lookup_key *key) {
    search->low = key->text ? key->length : key->bits;
    search->text = key->text;
}

static covey__lookup_key asked_key(const covey_search *search) {
    if (search->text) return (covey__lookup_key){ 0, search->text, (uint32_t)search->low };
    return (covey__lookup_key){ search->low, NULL, 0 };
}

covey_search covey_lookup_find(covey_lookup *lookup, const void *value) {
    covey_search search;
    covey__lookup_key key;
    bool asks = takes_keys(lookup);
    COVEY__CONTRACT(lookup->world, value, "a lookup needs a value to find");
    asks = asks && covey__key_asked(&lookup->field, value, &key);
    begin(&search, lookup, asks ? COVEY__ASKED_VALUE : COVEY__ASKED_NOTHING);
    if (!asks) return search;
    ask_for(&search, &key);
    search.high = search.low;
    search.high_text = search.text;
    return search;
}

/* Takes entities, as many as fit. Returns whether all fitted. */
static bool take(covey_search *search, covey__bucket_run run) {
    uint32_t found = search->count, room = COVEY_FOUND - found, some = run.count < room ? run.count : room;
    covey_entity *to = &search->entities[found];
    for (uint32_t i = 0; i < some; i++) to[i] = covey__entity(run.indices[i], run.generations[i]);
    search->count = found + some;
    if (some != 0) search->last = run.indices[some - 1];
    search->begun |= some != 0;
    return some == run.count;
}

static uint32_t index_to_go_on(const covey_search *search) { return search->begun ? search->last + 1 : 0; }

static bool next_of_value(covey_search *search) {
    const covey__buckets *b = &search->lookup->buckets;
    covey__lookup_key key = asked_key(search);
    uint32_t record = covey__buckets_find(b, &key);
    if (record == COVEY__NO_RECORD) return false;
    bool all = true;
    covey__bucket_run run = covey__bucket_whole(b, record);
    if (!search->begun && run.count != 0) {
        if (take(search, run)) search->asked = COVEY__ASKED_NOTHING;
        return true;
    }
    run = covey__bucket_from(b, record, index_to_go_on(search));
    while (run.count != 0 && (all = take(search, run))) run = covey__bucket_from(b, record, index_to_go_on(search));
    if (all) search->asked = COVEY__ASKED_NOTHING;
    return search->count != 0;
}

/* ---- Ranges ------------------------------------------------------------------------------------------------------*/

/* A range is from low, or from the entry that was found last, to high. */
covey_search covey_lookup_range(covey_lookup *lookup, const void *low, const void *high) {
    covey_search search;
    covey__lookup_key key;
    bool asks = takes_keys(lookup) && is_ordered(lookup);
    begin(&search, lookup, asks ? COVEY__ASKED_RANGE : COVEY__ASKED_NOTHING);
    if (!asks) return search;
    uint64_t greatest = covey__greatest_key(&lookup->field);
    ask_for(&search, &(covey__lookup_key){ 0, lookup->field.size != 0 ? "" : NULL, 0 });
    search.high = greatest;
    search.high_text = NULL;
    if (low && covey__key_asked(&lookup->field, low, &key)) ask_for(&search, &key);
    if (high && covey__key_asked(&lookup->field, high, &key)) {
        search.high = key.text ? key.length : key.bits;
        search.high_text = key.text;
    }
    bool nan = !search.text && (search.low > greatest || search.high > greatest);
    if (nan) search.asked = COVEY__ASKED_NOTHING;
    return search;
}

/* Where a range begins, or goes on: at the same place, if nothing was filed since. */
static covey__sorted_place place_to_go_on(const covey_search *search) {
    const covey__sorted *s = &search->lookup->sorted;
    covey__sorted_place place;
    covey__lookup_key low = asked_key(search);
    if (search->begun && search->changes == s->changes) {
        memcpy(&place, search->place, sizeof place);
        return place;
    }
    if (search->begun && low.text) low.text = search->last_text;
    return covey__sorted_seek(s, &low, index_to_go_on(search));
}

/* Keeps where the range goes on, and the key of the entry that was found last. Its text is in the search, which may be
 * copied. */
static void keep_place(covey_search *search, const covey__sorted_place *place) {
    _Static_assert(sizeof *place == sizeof search->place, "a place is four numbers");
    memcpy(search->place, place, sizeof *place);
    search->changes = search->lookup->sorted.changes;
    search->last = search->entities[search->count - 1].index;
    search->begun = true;
    covey__lookup_key key = covey__sorted_key_of(&search->lookup->sorted, search->last);
    if (key.text) memcpy(search->last_text, key.text, key.length);
    search->low = key.text ? key.length : key.bits;
}

static bool next_of_range(covey_search *search) {
    const covey__sorted *s = &search->lookup->sorted;
    covey__lookup_key high = { search->high, search->high_text, (uint32_t)search->high };
    covey__sorted_place place = place_to_go_on(search);
    bool bounded = !search->text || search->high_text;
    while (search->count < COVEY_FOUND) {
        covey__sorted_run run = covey__sorted_next(s, &place, bounded ? &high : NULL, COVEY_FOUND - search->count);
        if (run.count == 0) break;
        memcpy(&search->entities[search->count], run.entities, run.count * sizeof *run.entities);
        search->count += run.count;
    }
    if (search->count != 0) keep_place(search, &place);
    return search->count != 0;
}

/* The first entity alive from a place on whose key is at most the greatest. */
static covey_entity first_from(const covey_lookup *lookup, covey__sorted_place place) {
    covey__lookup_key high = { covey__greatest_key(&lookup->field), NULL, 0 };
    bool bounded = lookup->field.size == 0;
    for (covey__sorted_run run;
         (run = covey__sorted_next(&lookup->sorted, &place, bounded ? &high : NULL, COVEY_FOUND)).count != 0;)
        for (uint32_t i = 0; i < run.count; i++) {
            covey_entity e = covey__found_at(lookup->world, run.entities[i].index);
            if (e.generation != 0) return e;
        }
    return (covey_entity){ 0, 0 };
}

covey_entity covey_lookup_first(covey_lookup *lookup) {
    if (!is_ordered(lookup)) return (covey_entity){ 0, 0 };
    covey__lookup_settle(lookup);
    return first_from(lookup, covey__sorted_seek(&lookup->sorted, NULL, 0));
}

covey_entity covey_lookup_last(covey_lookup *lookup) {
    if (!is_ordered(lookup)) return (covey_entity){ 0, 0 };
    covey__lookup_settle(lookup);
    covey__lookup_key nan = { COVEY__KEY_NAN, NULL, 0 };
    bool floats = covey__greatest_key(&lookup->field) != COVEY__KEY_NAN;
    return first_from(lookup, covey__sorted_last(&lookup->sorted, floats ? &nan : NULL));
}

/* ---- Below a target ----------------------------------------------------------------------------------------------*/

covey_search covey_lookup_find_below(covey_lookup *lookup, covey_entity target) {
    covey_search search;
    COVEY__CONTRACT(NULL, lookup, "the lookup is NULL");
    bool asks = lookup->place.count == 0 && lookup->field.kind == COVEY_KIND_ENTITY;
    if (!asks) refuse(lookup, "only an entity field has targets");
    begin(&search, lookup, asks && target.generation != 0 ? COVEY__ASKED_BELOW : COVEY__ASKED_NOTHING);
    search.low = covey__key_of_target(target);
    search.text = NULL;
    return search;
}

/* Whether an entity is the root of the search. Another one may have its index, if the root was destroyed. */
static bool is_root(const covey_search *search, uint32_t index) {
    covey_entity e = covey__found_at(search->lookup->world, index);
    return index == (uint32_t)search->low && covey__key_of_target(e) == search->low;
}

/* The first source of a target from an index on, except for the root of the search; or COVEY_NONE. Each entity has one
 * target, so that circles lead through the root. */
static uint32_t next_source(const covey_search *search, uint64_t target, uint32_t index) {
    const covey__buckets *b = &search->lookup->buckets;
    covey__lookup_key key = { target, NULL, 0 };
    uint32_t record = covey__buckets_find(b, &key);
    while (record != COVEY__NO_RECORD) {
        covey__bucket_run run = covey__bucket_from(b, record, index);
        if (run.count == 0) break;
        if (!is_root(search, *run.indices)) return *run.indices;
        index = *run.indices + 1;
    }
    return COVEY_NONE;
}

/* The entity after another one: its first source, or the next source of its target, and so on upwards. */
static uint32_t next_below(const covey_search *search, uint32_t index) {
    const covey_lookup *lookup = search->lookup;
    covey_entity e = covey__found_at(lookup->world, index);
    uint32_t next = e.generation != 0 ? next_source(search, covey__key_of_target(e), 0) : COVEY_NONE;
    for (uint32_t steps = 0; next == COVEY_NONE && steps < lookup->buckets.count; steps++) {
        uint32_t record = covey__record_of(&lookup->buckets, index);
        if (record == COVEY__NO_RECORD) return COVEY_NONE;
        uint64_t target = lookup->buckets.records[record].key;
        next = next_source(search, target, index + 1);
        if (target == search->low) return next;
        index = (uint32_t)target;
    }
    return next;
}

/* Whether an entity has the root above it. */
static bool is_below(const covey_search *search, uint32_t index) {
    const covey_lookup *lookup = search->lookup;
    for (uint32_t steps = 0; steps < lookup->buckets.count; steps++) {
        uint32_t record = covey__record_of(&lookup->buckets, index);
        if (record == COVEY__NO_RECORD) return false;
        uint64_t target = lookup->buckets.records[record].key;
        index = (uint32_t)target;
        if (target == search->low) return true;
        if (covey__key_of_target(covey__found_at(lookup->world, index)) != target) return false;
    }
    return false;
}

/* The way up from the entity found last is the only trace of what was visited. */
static bool next_of_below(covey_search *search) {
    bool changed = search->begun && search->changes != search->lookup->buckets.changes;
    if (changed && !is_below(search, search->last)) return false;
    search->changes = search->lookup->buckets.changes;
    uint32_t index = search->begun ? next_below(search, search->last) : next_source(search, search->low, 0);
    while (index != COVEY_NONE) {
        covey__find(search, index);
        search->last = index;
        search->begun = true;
        if (search->count == COVEY_FOUND) break;
        index = next_below(search, index);
    }
    return search->count != 0;
}

/* ---- Going on ----------------------------------------------------------------------------------------------------*/

bool covey_search_next(covey_search *search) {
    COVEY__CONTRACT(NULL, search, "the search is NULL");
    search->count = 0;
    if (search->asked == COVEY__ASKED_NOTHING) return false;
    covey__lookup_settle(search->lookup);
    bool more = false;
    switch ((covey__asked)search->asked) {
    case COVEY__ASKED_NOTHING: break;
    case COVEY__ASKED_VALUE: more = search->lookup->ordered ? next_of_range(search) : next_of_value(search); break;
    case COVEY__ASKED_RANGE: more = next_of_range(search); break;
    case COVEY__ASKED_BELOW: more = next_of_below(search); break;
    case COVEY__ASKED_BOX:
    case COVEY__ASKED_NEAR: more = covey__place_next(search); break;
    }
    if (!more) search->asked = COVEY__ASKED_NOTHING;
    return more;
}

/* ---- Views -------------------------------------------------------------------------------------------------------*/

static bool refill(covey__walk *walk) {
    covey_search *search = walk->source;
    bool more = covey_search_next(search);
    walk->array = search->entities;
    walk->end = search->count;
    return more;
}

covey_iter covey_view_iter_search(const covey_view *view, covey_search *search) {
    COVEY__NEEDS_VIEW(view);
    COVEY__CONTRACT(view->world, search, "the search is NULL");
    COVEY__CONTRACT(view->world, search->lookup->world == view->world, "the lookup belongs to another world");
    return covey__view_iter_refilled(view, refill, search);
}
