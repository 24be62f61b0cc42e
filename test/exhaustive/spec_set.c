#include "spec_set.h"

#include <string.h>

void spec_set_begin(spec_set *s, covey_policy policy, bool zeroes) {
    memset(s, 0, sizeof *s);
    s->policy = (uint8_t)policy;
    s->zeroes = zeroes;
}

uint32_t spec_set_positions(const spec_set *s) { return (uint32_t)s->end + s->dead; }

uint32_t spec_set_where(const spec_set *s, uint32_t index) {
    for (uint32_t i = 0; i < spec_set_positions(s); i++)
        if (!s->at[i].hole && s->at[i].index == index) return i;
    return COVEY_NONE;
}

uint32_t spec_set_find(const spec_set *s, covey_entity e) {
    uint32_t at = spec_set_where(s, e.index);
    return at != COVEY_NONE && s->at[at].generation == e.generation ? at : COVEY_NONE;
}

uint32_t spec_set_live(const spec_set *s, covey_entity e) {
    uint32_t at = spec_set_find(s, e);
    return at < s->end ? at : COVEY_NONE;
}

/* ---- Adding -------------------------------------------------------------------------------------------------------*/

static bool exists(covey_entity e) {
    return e.index < COVEY_NONE && e.generation != 0 && e.generation <= COVEY_GENERATION_MAX;
}

static void exchange(spec_set *s, uint32_t a, uint32_t b) {
    spec_element left = s->at[a];
    s->at[a] = s->at[b];
    s->at[b] = left;
}

static covey_result may_push(const spec_set *s, covey_entity e) {
    if (!exists(e)) return COVEY_ERROR_RANGE;
    return spec_set_where(s, e.index) < s->end ? COVEY_ERROR_PRESENT : COVEY_OK;
}

static bool has_room(const spec_set *s, uint32_t count) { return count <= COVEY_NONE - spec_set_positions(s); }

static bool fills_hole(const spec_set *s, bool back) {
    return s->policy == COVEY_IN_PLACE && !back && s->hole_count != 0;
}

static bool is_dead(const spec_set *s, covey_entity e) { return spec_set_where(s, e.index) != COVEY_NONE; }

covey_result spec_set_push(spec_set *s, covey_entity e, uint8_t value, bool back) {
    covey_result result = may_push(s, e);
    if (result != COVEY_OK) return result;
    bool was_dead = is_dead(s, e);
    if (!fills_hole(s, back) && !was_dead && !has_room(s, 1)) return COVEY_ERROR_FULL;
    uint32_t at = s->end;
    if (s->policy == COVEY_SWAP_ONLY) {
        at = was_dead ? spec_set_where(s, e.index) : (uint32_t)s->end + s->dead++;
    } else if (fills_hole(s, back)) {
        at = s->holes[--s->hole_count];
        s->holes[s->hole_count] = 0;
    } else {
        s->end++;
    }
    s->at[at] = (spec_element){ (uint8_t)e.index, (uint8_t)e.generation, value, 0 };
    if (s->policy == COVEY_SWAP_ONLY && back) {
        exchange(s, at, s->end);
        s->end++;
        s->dead--;
    }
    return COVEY_OK;
}

covey_result spec_set_push_range(spec_set *s, const covey_entity *list, uint32_t count, const uint8_t *values) {
    uint32_t positions = 0;
    for (uint32_t i = 0; i < count; i++) {
        covey_result result = may_push(s, list[i]);
        for (uint32_t k = 0; k < i && result == COVEY_OK; k++)
            if (list[k].index == list[i].index) result = COVEY_ERROR_PRESENT;
        if (result != COVEY_OK) return result;
        positions += !is_dead(s, list[i]);
    }
    if (!has_room(s, positions)) return COVEY_ERROR_FULL;
    for (uint32_t i = 0; i < count; i++) (void)spec_set_push(s, list[i], values[i], true);
    return COVEY_OK;
}

/* ---- Removing -----------------------------------------------------------------------------------------------------*/

static void forget(spec_set *s, uint32_t at) { memset(&s->at[at], 0, sizeof s->at[at]); }

static void erase_swap_only(spec_set *s, uint32_t at) {
    spec_element *e = &s->at[at];
    e->generation = e->generation == COVEY_GENERATION_MAX ? 1 : e->generation + 1;
    if (s->zeroes) e->value = 0;
    if (at < s->end) {
        s->end--;
        s->dead++;
    }
    exchange(s, at, s->end);
}

bool spec_set_remove(spec_set *s, covey_entity e) {
    uint32_t at = spec_set_find(s, e);
    if (at == COVEY_NONE) return false;
    if (s->policy == COVEY_SWAP_AND_POP) {
        s->at[at] = s->at[--s->end];
        forget(s, s->end);
    } else if (s->policy == COVEY_SWAP_ONLY) {
        erase_swap_only(s, at);
    } else {
        forget(s, at);
        s->at[at].hole = 1;
        s->holes[s->hole_count++] = (uint8_t)at;
    }
    return true;
}

bool spec_set_erase_ordered(spec_set *s, covey_entity e) {
    if (s->policy != COVEY_SWAP_AND_POP && s->policy != COVEY_ORDERED) return false;
    if (spec_set_find(s, e) == COVEY_NONE) return false;
    spec_set_compact(s);
    s->end--;
    for (uint32_t i = spec_set_find(s, e); i < s->end; i++) s->at[i] = s->at[i + 1];
    forget(s, s->end);
    return true;
}

void spec_set_clear(spec_set *s) { spec_set_begin(s, (covey_policy)s->policy, s->zeroes); }

/* ---- Changing -----------------------------------------------------------------------------------------------------*/

covey_result spec_set_bump(spec_set *s, covey_entity e) {
    uint32_t at = spec_set_where(s, e.index);
    if (!exists(e)) return COVEY_ERROR_RANGE;
    if (at == COVEY_NONE) return COVEY_ERROR_ABSENT;
    s->at[at].generation = (uint8_t)e.generation;
    return COVEY_OK;
}

covey_result spec_set_move_border(spec_set *s, uint32_t count) {
    uint32_t positions = spec_set_positions(s);
    if (s->policy != COVEY_SWAP_ONLY) return COVEY_ERROR_REFUSED;
    if (count > positions) return COVEY_ERROR_RANGE;
    s->end = (uint8_t)count;
    s->dead = (uint8_t)(positions - count);
    return COVEY_OK;
}

covey_result spec_set_swap(spec_set *s, covey_entity a, covey_entity b) {
    uint32_t left = spec_set_find(s, a), right = spec_set_find(s, b);
    if (left == COVEY_NONE || right == COVEY_NONE) return COVEY_ERROR_ABSENT;
    if ((left < s->end) != (right < s->end)) return COVEY_ERROR_REFUSED;
    exchange(s, left, right);
    return COVEY_OK;
}

covey_result spec_set_sort(spec_set *s, bool descending) {
    if (s->policy == COVEY_IN_PLACE || s->hole_count != 0) return COVEY_ERROR_REFUSED;
    for (uint32_t i = 1; i < s->end; i++)
        for (uint32_t k = i; k != 0 && (s->at[k - 1].index > s->at[k].index) != descending; k--) exchange(s, k - 1, k);
    return COVEY_OK;
}

static void drop_last_holes(spec_set *s) {
    while (s->end != 0 && s->at[s->end - 1].hole) forget(s, --s->end);
}

void spec_set_compact(spec_set *s) {
    if (s->policy == COVEY_ORDERED) {
        uint32_t end = s->end;
        s->end = 0;
        for (uint32_t i = 0; i < end; i++)
            if (!s->at[i].hole) s->at[s->end++] = s->at[i];
        for (uint32_t i = s->end; i < end; i++) forget(s, i);
    } else {
        drop_last_holes(s);
        for (uint32_t i = s->hole_count; i-- != 0;) {
            if (s->holes[i] >= s->end) continue;
            s->at[s->holes[i]] = s->at[--s->end];
            forget(s, s->end);
            drop_last_holes(s);
        }
    }
    s->hole_count = 0;
    memset(s->holes, 0, sizeof s->holes);
}
