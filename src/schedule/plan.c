/* The plan of a schedule: the order of systems, the sync points, and which system waits for which.
 *
 * Systems are ordered by phase; within a phase, in the order in which they were added, unless links (`.after`,
 * `.before`) say otherwise. One thread runs them in this order. A stage is the part between two sync points: an
 * exclusive system alone, or consecutive other systems of a phase. Within a stage, a system waits for earlier ones that
 * it conflicts with or is linked to. Waits that follow from others are left out. */
#include "schedule/plan.h"

#include "memory/alloc.h"

#include <stdio.h>

/* ---- Conflicts ---------------------------------------------------------------------------------------------------*/

static bool is_same_use(const covey_system_use *a, const covey_system_use *b) {
    return a->resource == b->resource && covey__is_same_type(a->type, b->type);
}

bool covey__systems_conflict(const covey__system *x, const covey__system *y, const covey_system_use **a,
                             const covey_system_use **b) {
    for (uint32_t i = 0; i < x->use_count; i++)
        for (uint32_t j = 0; j < y->use_count; j++) {
            const covey_system_use *p = &x->uses[i], *q = &y->uses[j];
            if ((!p->writes && !q->writes) || !is_same_use(p, q)) continue;
            if (a) *a = p, *b = q;
            return true;
        }
    return false;
}

covey_wait_reason covey__why_waits(const covey__system *leader, const covey__system *follower,
                                   const covey_type **type) {
    const covey_system_use *a = NULL, *b = NULL;
    *type = NULL;
    if (!covey__systems_conflict(leader, follower, &a, &b)) return COVEY_WAIT_LINKED;
    *type = a->type;
    if (a->writes && b->writes) return COVEY_WAIT_BOTH_WRITE;
    return a->writes ? COVEY_WAIT_WRITTEN_THEN_READ : COVEY_WAIT_READ_THEN_WRITTEN;
}

static bool is_in(const char *const *names, const char *name) {
    for (uint32_t i = 0; i < COVEY_SYSTEM_LINKS && names[i]; i++)
        if (strcmp(names[i], name) == 0) return true;
    return false;
}

static bool is_linked(const covey__system *first, const covey__system *then) {
    return is_in(then->desc.after, first->desc.name) || is_in(first->desc.before, then->desc.name);
}

/* ---- Order -------------------------------------------------------------------------------------------------------*/

static bool has_links(const covey__system *system) { return system->desc.after[0] || system->desc.before[0]; }

/* Fails if a link names an unknown system. */
static covey_result check_names(covey_schedule *s, const covey__system *system, const char *const *names,
                                const char *where) {
    for (uint32_t i = 0; i < COVEY_SYSTEM_LINKS && names[i]; i++)
        if (!covey__system_find(s, names[i]))
            return covey__schedule_fail(
                s, COVEY_ERROR_ABSENT,
                "system %s is to run %s %s, which does not exist: add that system, or remove the link",
                system->desc.name, where, names[i]);
    return COVEY_OK;
}

static covey_result check_links(covey_schedule *s) {
    covey_result result = COVEY_OK;
    for (uint32_t i = 0; i < s->system_count && result == COVEY_OK; i++) {
        result = check_names(s, s->systems[i], s->systems[i]->desc.after, "after");
        if (result == COVEY_OK) result = check_names(s, s->systems[i], s->systems[i]->desc.before, "before");
    }
    return result;
}

/* Whether a system has to wait for another one that is not placed yet: one of an earlier phase, or a linked one. */
static bool is_held(const covey_schedule *s, const covey__system *system, const bool *placed,
                    const covey__system **by) {
    for (uint32_t i = 0; i < s->system_count; i++) {
        const covey__system *other = s->systems[i];
        if (placed[i] || other == system) continue;
        if (other->phase >= system->phase && !is_linked(other, system)) continue;
        if (by) *by = other;
        return true;
    }
    return is_linked(system, system);
}

/* Fails and names a cycle of systems that wait for each other: follows waits from a held system until one repeats. */
static covey_result fail_circle(covey_schedule *s, const covey__system *held, const bool *placed) {
    char text[180] = "";
    size_t length = 0;
    const covey__system *by = held;
    for (uint32_t i = 0; i < s->system_count; i++) (void)is_held(s, by, placed, &by); /* until it is in the cycle */
    held = by;
    do {
        (void)is_held(s, by, placed, &by);
        int written = snprintf(text + length, sizeof text - length, "%s%.40s", length != 0 ? ", " : "", by->desc.name);
        length += written > 0 ? (size_t)written : 0;
    } while (by != held && length < sizeof text - 1);
    if (length >= sizeof text) memcpy(text + sizeof text - 4, "...", 4);
    return covey__schedule_fail(s, COVEY_ERROR_CYCLE, "a cycle: each system waits for the next, by phase or link: %s",
                                text);
}

/* The first system, in the order of adding, that waits for no other; or the number of systems. */
static uint32_t next_free(const covey_schedule *s, const bool *placed) {
    uint32_t next = 0;
    while (next < s->system_count && (placed[next] || is_held(s, s->systems[next], placed, NULL))) next++;
    return next;
}

static covey_result sort_systems(covey_schedule *s, bool *placed) {
    for (uint32_t count = 0; count < s->system_count; count++) {
        uint32_t next = next_free(s, placed), held = 0;
        while (placed[held]) held++;
        if (next == s->system_count) return fail_circle(s, s->systems[held], placed);
        placed[next] = true;
        s->order[count] = s->systems[next];
    }
    return COVEY_OK;
}

/* Without links: by phase, then in the order of adding. */
static void sort_by_phase(covey_schedule *s) {
    uint32_t count = 0;
    for (uint32_t phase = 0; phase < s->phase_count; phase++)
        for (uint32_t i = 0; i < s->system_count; i++)
            if (s->systems[i]->phase == phase) s->order[count++] = s->systems[i];
}

static covey_result order_systems(covey_schedule *s) {
    bool linked = false;
    for (uint32_t i = 0; i < s->system_count; i++) linked |= has_links(s->systems[i]);
    if (!linked) {
        sort_by_phase(s);
        return COVEY_OK;
    }
    bool *placed = covey__resize(&s->heap, NULL, 0, s->system_count, sizeof *placed, alignof(bool));
    if (!placed) return COVEY_ERROR_MEMORY;
    memset(placed, 0, s->system_count * sizeof *placed);
    covey_result result = sort_systems(s, placed);
    covey__free(&s->heap, placed, s->system_count, sizeof *placed, alignof(bool));
    return result;
}

/* ---- Stages ------------------------------------------------------------------------------------------------------*/

/* Whether a system belongs to the stage of the one before it. */
static bool joins(const covey__stage *stage, const covey__system *system) {
    return !stage->exclusive && !system->desc.exclusive && stage->phase == system->phase;
}

static void make_stages(covey_schedule *s) {
    s->stage_count = 0;
    for (uint32_t i = 0; i < s->system_count; i++) {
        const covey__system *system = s->order[i];
        if (s->stage_count != 0 && joins(&s->stages[s->stage_count - 1], system)) s->stages[s->stage_count - 1].end++;
        else s->stages[s->stage_count++] = (covey__stage){ i, i + 1, system->phase, system->desc.exclusive };
    }
}

/* ---- Followers ---------------------------------------------------------------------------------------------------*/

static bool add_follower(covey_schedule *s, covey__system *leader, covey__system *follower) {
    covey__system **followers = covey__schedule_reach(s, leader->followers, &leader->follower_capacity,
                                                      leader->follower_count + 1, sizeof *followers);
    if (!followers) return false;
    leader->followers = followers;
    followers[leader->follower_count++] = follower;
    follower->leaders++;
    return true;
}

/* In a table of bits, row i has the systems of a stage that the i-th one waits for, directly or through others. */
static bool find_followers(covey_schedule *s, const covey__stage *stage, uint64_t *before, size_t words) {
    covey__system **systems = s->order + stage->first;
    for (uint32_t j = 0; j < stage->end - stage->first; j++) {
        uint64_t *mine = before + j * words;
        memset(mine, 0, words * sizeof *mine);
        for (uint32_t i = j; i-- != 0;) {
            if ((mine[i / 64] >> i % 64 & 1) != 0) continue;
            if (!is_linked(systems[i], systems[j]) && !covey__systems_conflict(systems[i], systems[j], NULL, NULL))
                continue;
            if (!add_follower(s, systems[i], systems[j])) return false;
            mine[i / 64] |= (uint64_t)1 << i % 64;
            for (size_t w = 0; w < words; w++) mine[w] |= before[i * words + w];
        }
    }
    return true;
}

static bool find_all_followers(covey_schedule *s) {
    size_t words = (s->system_count + 63) / 64, count = words * s->system_count;
    uint64_t *before = covey__resize(&s->heap, NULL, 0, count, sizeof *before, alignof(uint64_t));
    bool found = before || count == 0;
    for (uint32_t i = 0; i < s->system_count; i++) s->systems[i]->follower_count = s->systems[i]->leaders = 0;
    for (uint32_t i = 0; i < s->stage_count && found; i++) found = find_followers(s, &s->stages[i], before, words);
    covey__free(&s->heap, before, count, sizeof *before, alignof(uint64_t));
    return found;
}

/* ---- All of it ---------------------------------------------------------------------------------------------------*/

/* Makes room in the order, the stages and the lanes: one entry for each system. */
static bool reach_plan(covey_schedule *s) {
    void *order = covey__schedule_reach(s, s->order, &s->order_capacity, s->system_count, sizeof *s->order);
    if (order) s->order = order;
    void *stages = covey__schedule_reach(s, s->stages, &s->stage_capacity, s->system_count, sizeof *s->stages);
    if (stages) s->stages = stages;
    uint32_t listed = s->system_count * COVEY__LANES;
    void *ready = covey__schedule_reach(s, (void *)s->ready, &s->ready_capacity, listed, sizeof *s->ready);
    if (ready) s->ready = ready;
    return s->system_count == 0 || (order && stages && ready);
}

covey_result covey__schedule_order(covey_schedule *s) {
    covey_result result = reach_plan(s) ? order_systems(s) : COVEY_ERROR_MEMORY;
    if (result == COVEY_ERROR_MEMORY)
        covey__schedule_fail(s, result, "the systems could not be ordered: an allocation failed");
    return result;
}

covey_result covey__schedule_plan(covey_schedule *s) {
    if (s->planned) return COVEY_OK;
    covey_result result = check_links(s);
    if (result == COVEY_OK) result = covey__schedule_order(s);
    if (result != COVEY_OK) return result;
    make_stages(s);
    if (!find_all_followers(s))
        return covey__schedule_fail(s, COVEY_ERROR_MEMORY, "the plan could not be made: an allocation failed");
    s->planned = true;
    return COVEY_OK;
}
