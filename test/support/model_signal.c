/* Signals, queues and reactive sets. The oracle reports each change that it makes; the library's listeners are told the
 * same in a step, as far as they are connected to it, and in the same order. Now and then a listener changes the world
 * itself. */
#include "model_world.h"

#include <stdio.h>
#include <stdlib.h>

enum { EARS = 10, QUEUES = 3, SOURCES = 5, SETS = 3, LISTS = 4, MARKED_TYPES = 3, CHAIN = 8 };

typedef struct happening {
    covey_signal signal;
    const oracle_pool *pool; /* NULL: about an entity */
    covey_entity e;
    uint64_t stamp;     /* when a listener was told of it */
    unsigned char byte; /* the first of the value, then */
    bool valued;        /* it is in a queue, with a copy of the value */
} happening;

typedef struct history {
    happening *all;
    uint32_t count, capacity;
} history;

/* What an observer is told of. */
typedef struct interest {
    const oracle_pool *pool; /* NULL: entities */
    uint32_t signals;
    bool values; /* a queue has copies of them */
    covey_connection connection;
} interest;

typedef enum action { NO_ACTION, REMOVES, DESTROYS, ADDS_AGAIN, ADDS_OTHER, ADDS_IN_VAIN, DESTROYS_NEXT } action;

typedef struct listener {
    bool used;
    interest about;
    uint64_t born; /* the order of connecting */
    history heard;
    struct signals *all;
} listener;

typedef struct kept {
    covey_queue *queue; /* NULL: not there */
    uint64_t born;
    interest sources[SOURCES];
    uint32_t source_count;
    history wanted; /* what is still in it */
    bool loose;     /* a group had to do with the order of some of it */
} kept;

typedef struct collected {
    covey_reactive *set; /* NULL: not there */
    uint64_t born;
    const oracle_pool *pools[LISTS][MARKED_TYPES];
    bool decides; /* it collects only some of the entities that it is told of */
    const char **broken;
    covey_view_desc match;
    model_list marks;
    bool keeps; /* the destroyed: */
    model_list ended;
} collected;

typedef struct signals {
    model *m;
    history wanted; /* all that happens in a step */
    listener ears[EARS];
    kept queues[QUEUES];
    collected sets[SETS];
    uint64_t born, stamps;
    const char *broken; /* what a listener found wrong: it cannot leave the call that it is in */
    bool ends;
    const listener *actor; /* which acts once, on an entity, */
    action act;
    covey_entity target;
    covey_signal cue; /* when it is told this */
    const covey_type *other;
    bool acted, succeeded;
    bool mirrors;              /* what the listener has done, the oracle does as soon as it comes there */
    covey_entity chain[CHAIN]; /* when the listener is told of the end of one of these, it destroys the next */
    uint32_t links, told, mirrored;
} signals;

static signals *signals_of(model *m) { return m->state; }

static void append(history *to, happening one) {
    if (to->count == to->capacity) {
        to->capacity = to->capacity * 2 + 64;
        to->all = realloc(to->all, to->capacity * sizeof *to->all);
        if (!to->all) abort();
    }
    to->all[to->count++] = one;
}

/* A listener that does not ask for patches is told of them as sets. */
static covey_signal heard_as(uint32_t asked, covey_signal signal) {
    return signal == COVEY_ON_PATCH && (asked & COVEY_ON_PATCH) == 0 ? COVEY_ON_SET : signal;
}

static bool is_about(const interest *about, const happening *one) {
    return about->pool == one->pool && (about->signals & (uint32_t)heard_as(about->signals, one->signal)) != 0;
}

/* The same as a listener is told. */
static happening heard(const interest *about, const happening *one) {
    happening as = *one;
    as.signal = heard_as(about->signals, one->signal);
    return as;
}

/* ---- Hearing ------------------------------------------------------------------------------------------------------*/

/* A replay goes on when a listener has undone something; that it did is told. */
static void mirror(signals *s, const oracle_pool *pool) {
    model *m = s->m;
    s->mirrors = false;
    if (s->act == DESTROYS) oracle_destroy(m->oracle, s->target);
    else oracle_remove(m->oracle, pool, s->target);
    if (s->cue == COVEY_ON_CREATE) return;
    m->result = COVEY_ERROR_GONE;
    m->failures++;
}

/* The next one ends inside of the end of this one. */
static void mirror_link(signals *s, covey_entity e) {
    if (s->mirrored < s->told && covey_same(e, s->chain[s->mirrored]))
        oracle_destroy(s->m->oracle, s->chain[++s->mirrored]);
}

static void note_change(covey_signal signal, const oracle_pool *pool, covey_entity e, void *context) {
    signals *s = context;
    append(&s->wanted, (happening){ .signal = signal, .pool = pool, .e = e, .byte = s->m->oracle->byte });
    bool cue = s->mirrors && s->acted && signal == s->cue && pool == s->actor->about.pool;
    if (cue && s->act == DESTROYS_NEXT) mirror_link(s, e);
    else if (cue && covey_same(e, s->target)) mirror(s, pool);
}

static const char *check_entity(const signals *s, const covey_event *event, uint32_t i) {
    covey_entity e = event->entities[i];
    if (!covey_alive(event->world, e)) return "an entity is not alive";
    if (event->signal == COVEY_ON_CREATE && covey_types_of(event->world, e, NULL, 0) != 0 && !s->acted && !s->m->behind)
        return "a new entity has components";
    if (!event->type) return event->values ? "values of an entity" : NULL;
    const char *value = covey_get_raw(event->world, e, event->type);
    if (!value) return "the component is not there";
    if (value != (char *)event->values + (size_t)i * event->type->size) return "the value is elsewhere";
    return NULL;
}

/* Before the end of an entity, all that it has is there. */
static const char *check_end(const signals *s, covey_entity e) {
    for (uint32_t i = 0; i < s->m->oracle->pool_count && !s->ends && !s->m->behind; i++) {
        const oracle_pool *pool = &s->m->oracle->pools[i];
        if (covey_has_raw(s->m->world, e, pool->type) != oracle_has(s->m->oracle, pool, e) && !s->acted)
            return "who is destroyed has other components";
    }
    return NULL;
}

/* What the lists of a set are about. */
static const covey_signal listed[LISTS] = { COVEY_ON_ADD, COVEY_ON_SET, COVEY_ON_PATCH, COVEY_ON_REMOVE };

/* Reactive sets are told before functions. */
static const char *check_sets(const signals *s, const covey_event *event, const oracle_pool *pool, covey_entity e) {
    for (uint32_t i = 0; i < SETS * LISTS * MARKED_TYPES; i++) {
        const collected *set = &s->sets[i / (LISTS * MARKED_TYPES)];
        uint32_t list = i / MARKED_TYPES % LISTS;
        if (!set->set || set->decides || !pool) continue;
        if (listed[list] != event->signal || set->pools[list][i % MARKED_TYPES] != pool) continue;
        if (!covey_reactive_contains(set->set, e)) return "a reactive set has not been told";
    }
    return NULL;
}

static void act(signals *s, const covey_event *event);

static void hear(const covey_event *event, void *context) {
    listener *ear = context;
    signals *s = ear->all;
    const oracle_pool *pool = event->type ? oracle_pool_named(s->m->oracle, event->type->name) : NULL;
    for (uint32_t i = 0; i < event->count && !s->broken; i++) {
        covey_entity e = event->entities[i];
        s->broken = check_entity(s, event, i);
        if (!s->broken && event->signal == COVEY_ON_DESTROY) s->broken = check_end(s, e);
        if (!s->broken && !s->acted) s->broken = check_sets(s, event, pool, e);
        append(&ear->heard, (happening){ .signal = event->signal, .pool = pool, .e = e, .stamp = ++s->stamps });
    }
    if (event->type && event->type != pool->type) s->broken = "another type";
    bool cue = s->actor == ear && s->cue == event->signal && (!s->acted || s->act == DESTROYS_NEXT);
    if (!cue || event->count != 1) return;
    if (covey_is_null(s->target)) s->target = *event->entities;
    if (covey_same(*event->entities, s->target)) act(s, event);
}

/* ---- Comparing ----------------------------------------------------------------------------------------------------*/

/* The order of pools that groups own may change while many are removed. */
static int by_entity(const void *a, const void *b) {
    const happening *left = a, *right = b;
    return left->e.index < right->e.index ? -1 : left->e.index > right->e.index;
}

static void order_runs(model *m, history *of) {
    uint32_t end;
    for (uint32_t i = 0; i < of->count; i = end) {
        const happening *first = &of->all[i];
        for (end = i + 1; end < of->count && of->all[end].signal == first->signal && of->all[end].pool == first->pool;)
            end++;
        if (first->signal == COVEY_ON_REMOVE && oracle_is_owned(m->oracle, first->pool))
            qsort(&of->all[i], end - i, sizeof *first, by_entity);
    }
}

static void require_same(model *m, const happening *a, const happening *b) {
    REQUIRE(m, a->signal == b->signal && a->pool == b->pool && covey_same(a->e, b->e),
            "signal %d of %s of %u:%u was heard, not %d of %s of %u:%u", (int)a->signal,
            a->pool ? a->pool->type->name : "entities", a->e.index, a->e.generation, (int)b->signal,
            b->pool ? b->pool->type->name : "entities", b->e.index, b->e.generation);
}

/* The events of a listener are the expected ones. The stamps are copied to the expected events. */
static void compare_heard(model *m, listener *ear) {
    history wanted = { 0 };
    const signals *s = signals_of(m);
    for (uint32_t i = 0; i < s->wanted.count; i++)
        if (is_about(&ear->about, &s->wanted.all[i])) append(&wanted, heard(&ear->about, &s->wanted.all[i]));
    if (m->oracle->group_count != 0) {
        order_runs(m, &wanted);
        order_runs(m, &ear->heard);
    }
    uint32_t count = wanted.count, at = 0;
    while (at < count && at < ear->heard.count && ear->heard.all[at].signal == wanted.all[at].signal &&
           ear->heard.all[at].pool == wanted.all[at].pool && covey_same(ear->heard.all[at].e, wanted.all[at].e))
        at++;
    happening differs = at < count ? wanted.all[at] : (happening){ 0 };
    free(wanted.all);
    if (at < count && at < ear->heard.count) require_same(m, &ear->heard.all[at], &differs);
    REQUIRE(m, ear->heard.count == count, "%u signals were heard, not %u", ear->heard.count, count);
}

/* Listeners are told of one event in the order of their connection, or in the opposite order. */
static void compare_order(model *m, const listener *a, const listener *b) {
    uint32_t k = 0; /* events that both are told of have the same order */
    for (uint32_t i = 0; i < a->heard.count; i++) {
        const happening *one = &a->heard.all[i];
        bool patches = ((a->about.signals ^ b->about.signals) & COVEY_ON_PATCH) != 0; /* one of them calls these sets */
        if (patches && ((a->about.signals | b->about.signals) & COVEY_ON_SET) != 0) return;
        if (!is_about(&b->about, one)) continue;
        while (k < b->heard.count && !is_about(&a->about, &b->heard.all[k])) k++;
        if (k == b->heard.count) return;
        const happening *other = &b->heard.all[k++];
        bool backwards = one->signal == COVEY_ON_REMOVE || one->signal == COVEY_ON_DESTROY;
        bool before = (a->born < b->born) != backwards;
        REQUIRE(m, before == (one->stamp < other->stamp), "listeners were told in another order");
    }
}

static void compare_ears(model *m) {
    signals *s = signals_of(m);
    for (uint32_t i = 0; i < EARS * EARS; i++) {
        const listener *a = &s->ears[i / EARS], *b = &s->ears[i % EARS];
        if (a < b && a->used && b->used && a->about.pool == b->about.pool) compare_order(m, a, b);
    }
    for (uint32_t i = 0; i < EARS; i++)
        if (s->ears[i].used) compare_heard(m, &s->ears[i]);
    for (uint32_t i = 0; i < EARS; i++) s->ears[i].heard.count = 0;
}

static bool is_about_owned(model *m, const kept *queue) {
    for (uint32_t i = 0; i < queue->source_count; i++) {
        const oracle_pool *pool = queue->sources[i].pool;
        if (pool && m->oracle->group_count != 0 && oracle_is_owned(m->oracle, pool)) return true;
    }
    return false;
}

static void append_valued(history *to, const interest *about, const happening *one) {
    happening as = heard(about, one);
    as.valued = about->values && one->pool && one->pool->type->size != 0;
    append(to, as);
}

static void fill_queues(const signals *s, kept *queue) {
    queue->loose = queue->wanted.count != 0 && queue->loose;
    queue->loose |= is_about_owned(s->m, queue);
    for (uint32_t i = 0; i < s->wanted.count && queue->queue; i++)
        for (uint32_t k = 0; k < queue->source_count; k++)
            if (is_about(&queue->sources[k], &s->wanted.all[i]))
                append_valued(&queue->wanted, &queue->sources[k], &s->wanted.all[i]);
}

/* The signals of a pool that a set was made for. */
static uint32_t signals_for(const collected *set, const oracle_pool *pool) {
    uint32_t found = 0;
    for (uint32_t i = 0; i < LISTS * MARKED_TYPES; i++)
        if (pool && set->pools[i / MARKED_TYPES][i % MARKED_TYPES] == pool) found |= (uint32_t)listed[i / MARKED_TYPES];
    return found;
}

/* Some of all: as good as at random, and always the same. */
static bool is_wanted(covey_entity e, covey_signal signal, unsigned char byte) {
    return (e.index + (uint32_t)signal / 2u + byte / 16u) % 3 != 0;
}

static bool decide(const covey_event *event, void *context) {
    collected *set = context;
    covey_entity e = *event->entities;
    const unsigned char *value = event->values;
    if (event->count != 1 || covey_get_raw(event->world, e, event->type) != value)
        *set->broken = "a reactive set decides about another value";
    return is_wanted(e, event->signal, event->type->size != 0 ? *value : 0);
}

static bool is_marked_by(const collected *set, const happening *one) {
    interest about = { .pool = one->pool, .signals = signals_for(set, one->pool) };
    if (!one->pool || !is_about(&about, one)) return false;
    return !set->decides || is_wanted(one->e, heard_as(about.signals, one->signal), one->byte);
}

/* Those that are not alive any more leave; a set that keeps them has their handles. */
static void mark(model *m, collected *set) {
    const signals *s = signals_of(m);
    uint32_t left = 0;
    for (uint32_t i = 0; i < s->wanted.count && set->set; i++)
        if (is_marked_by(set, &s->wanted.all[i]) && !model_is_in(&set->marks, s->wanted.all[i].e))
            model_append(&set->marks, s->wanted.all[i].e);
    for (uint32_t i = 0; i < set->marks.count; i++) {
        bool alive = oracle_alive(m->oracle, set->marks.ids[i]);
        if (!alive && set->keeps) model_append(&set->ended, set->marks.ids[i]);
        if (alive) set->marks.ids[left++] = set->marks.ids[i];
    }
    set->marks.count = left;
}

/* In the order of their ends, each once: of what was destroyed in one step the order is not compared. */
static void check_ended(model *m, const collected *set) {
    const covey_entity *handles;
    uint32_t count = covey_reactive_destroyed(set->set, &handles);
    REQUIRE(m, count == set->ended.count, "%u destroyed ones are kept, not %u", count, set->ended.count);
    for (uint32_t i = 0; i < count; i++) {
        REQUIRE(m, covey_alive(m->world, handles[i]) == oracle_alive(m->oracle, handles[i]), "%u:%u is alive",
                handles[i].index, handles[i].generation); /* as it may be, where one comes back */
        REQUIRE(m, model_is_in(&set->ended, handles[i]), "%u:%u is kept", handles[i].index, handles[i].generation);
    }
}

static void check(model *m) {
    signals *s = signals_of(m);
    REQUIRE(m, !s->broken, "a listener is told wrong: %s", s->broken);
    compare_ears(m);
    for (uint32_t i = 0; i < QUEUES; i++) fill_queues(s, &s->queues[i]);
    for (uint32_t i = 0; i < SETS; i++) mark(m, &s->sets[i]);
    for (uint32_t i = 0; i < QUEUES; i++)
        REQUIRE(m, !s->queues[i].queue || covey_queue_count(s->queues[i].queue) == s->queues[i].wanted.count,
                "%u events are queued, not %u", covey_queue_count(s->queues[i].queue), s->queues[i].wanted.count);
    for (uint32_t i = 0; i < SETS; i++)
        REQUIRE(m, !s->sets[i].set || covey_reactive_count(s->sets[i].set) == s->sets[i].marks.count,
                "%u are collected, not %u", covey_reactive_count(s->sets[i].set), s->sets[i].marks.count);
    for (uint32_t i = 0; i < SETS; i++)
        if (s->sets[i].set) check_ended(m, &s->sets[i]);
    s->wanted.count = 0;
    s->actor = NULL;
    s->acted = s->mirrors = false;
}

/* ---- Connecting ---------------------------------------------------------------------------------------------------*/

static covey_result may_meet(model *m, const covey_type *type) {
    if (oracle_pool_of(m->oracle, type)) return COVEY_OK;
    if (!oracle_type_valid(type)) return COVEY_ERROR_TYPE;
    return oracle_pool_named(m->oracle, type->name) ? COVEY_ERROR_LAYOUT : COVEY_OK;
}

static void update_needs(model *m) {
    const signals *s = signals_of(m);
    m->sets_are_kept = false;
    for (uint32_t i = 0; i < QUEUES; i++)
        for (uint32_t k = 0; s->queues[i].queue && k < s->queues[i].source_count; k++)
            m->sets_are_kept |= (s->queues[i].sources[k].signals & (COVEY_ON_SET | COVEY_ON_PATCH)) != 0;
}

/* Whether queues may have copies of its values. */
static bool is_bytes(const covey_type *type) {
    return !type->drop && !type->copy && !type->no_copy && !type->zero_erased;
}

/* A listener to random signals of a random type, or of entities; now and then to what does not exist. */
static bool connect_to(model *m, covey_listener wanted, interest *about) {
    bool entities = m->options->bare || program_chance(&m->program, 64), wrong = program_chance(&m->program, 8);
    uint32_t all = entities ? 24 : 39, some = program_byte(&m->program) & all;
    wanted.type = entities ? NULL : model_pick_type(m);
    wanted.signals = wrong ? 63 : some != 0 ? some : all;
    covey_result expected = wrong ? COVEY_ERROR_RANGE : entities ? COVEY_OK : may_meet(m, wanted.type);
    wanted.values = wanted.values && !entities;
    if (wanted.values && expected == COVEY_OK && !is_bytes(wanted.type)) expected = COVEY_ERROR_COPY;
    about->connection = covey_connect(m->world, &wanted);
    bool connected = covey_connected(m->world, about->connection);
    bool made = model_settle(m, connected, expected);
    if (!entities && !wrong) model_meet_anyway(m, wanted.type);
    if (!made) return false;
    about->pool = entities ? NULL : model_meet(m, wanted.type);
    about->signals = wanted.signals;
    about->values = wanted.values;
    return true;
}

static void connect_function(model *m) {
    signals *s = signals_of(m);
    uint32_t at = program_below(&m->program, EARS);
    listener *ear = &s->ears[at];
    if (ear->used) return;
    covey_listener wanted = { .call = hear, .context = ear, .spans = program_chance(&m->program, 64) };
    ear->all = s;
    ear->used = connect_to(m, wanted, &ear->about);
    ear->born = ++s->born;
}

static void disconnect_function(model *m) {
    signals *s = signals_of(m);
    listener *ear = &s->ears[program_below(&m->program, EARS)];
    REQUIRE(m, covey_connected(m->world, ear->about.connection) == ear->used, "connected and not");
    REQUIRE(m, covey_disconnect(m->world, ear->about.connection) == ear->used, "disconnected and not");
    REQUIRE(m, !covey_connected(m->world, ear->about.connection), "still connected");
    ear->used = false;
}

/* ---- Queues -------------------------------------------------------------------------------------------------------*/

static kept *pick_queue(model *m) { return &signals_of(m)->queues[program_below(&m->program, QUEUES)]; }

static void queue_create(model *m) {
    kept *queue = pick_queue(m);
    if (queue->queue) return;
    queue->queue = covey_queue_create(m->world);
    queue->source_count = queue->wanted.count = 0;
    queue->born = ++signals_of(m)->born;
    model_settle(m, queue->queue != NULL, COVEY_OK);
}

/* Once to each pool, so that of many events at once the order is plain. */
static void queue_connect(model *m) {
    kept *queue = pick_queue(m);
    if (!queue->queue || queue->source_count == SOURCES) return;
    interest *about = &queue->sources[queue->source_count];
    if (!connect_to(m, (covey_listener){ .queue = queue->queue, .values = program_chance(&m->program, 128) }, about))
        return;
    bool twice = false;
    for (uint32_t i = 0; i < queue->source_count; i++) twice |= queue->sources[i].pool == about->pool;
    if (twice) REQUIRE(m, covey_disconnect(m->world, about->connection), "not connected");
    else queue->source_count++;
    update_needs(m);
}

static void queue_disconnect(model *m) {
    kept *queue = pick_queue(m);
    if (!queue->queue || queue->source_count == 0) return;
    uint32_t at = program_below(&m->program, queue->source_count);
    REQUIRE(m, covey_disconnect(m->world, queue->sources[at].connection), "not connected");
    queue->sources[at] = queue->sources[--queue->source_count];
    update_needs(m);
}

static bool is_aligned(const void *value, uint32_t align) { return align == 0 || (uintptr_t)value % align == 0; }

static void read_event(model *m, kept *queue, uint32_t number) {
    covey_event event;
    REQUIRE(m, covey_queue_next(queue->queue, &event), "a queue ends too early");
    const oracle_pool *pool = event.type ? oracle_pool_named(m->oracle, event.type->name) : NULL;
    const happening *wanted = &queue->wanted.all[number];
    happening found = { .signal = event.signal, .pool = pool, .e = *event.entities };
    require_same(m, &found, wanted);
    REQUIRE(m, event.count == 1 && event.world == m->world, "another event");
    REQUIRE(m, (event.values != NULL) == wanted->valued, "a value that should not be, or none");
    REQUIRE(m, !wanted->valued || *(const unsigned char *)event.values == wanted->byte, "a value of another time");
    REQUIRE(m, !wanted->valued || is_aligned(event.values, event.type->align), "a value that is not aligned");
}

/* Some of the components; or, where a group decides the order, only their number. */
static void queue_read(model *m) {
    kept *queue = pick_queue(m);
    if (!queue->queue) return;
    if (queue->loose || is_about_owned(m, queue) || program_chance(&m->program, 16)) {
        covey_queue_clear(queue->queue);
        queue->wanted.count = 0;
        return;
    }
    uint32_t count = queue->wanted.count, read = program_below(&m->program, count + 1);
    if (program_chance(&m->program, 128)) read = count;
    for (uint32_t i = 0; i < read; i++) read_event(m, queue, i);
    queue->wanted.count -= read;
    for (uint32_t i = 0; i < queue->wanted.count; i++) queue->wanted.all[i] = queue->wanted.all[i + read];
    covey_event event;
    REQUIRE(m, queue->wanted.count != 0 || !covey_queue_next(queue->queue, &event), "a queue goes on after its end");
}

static void queue_destroy(model *m) {
    kept *queue = pick_queue(m);
    covey_queue_destroy(queue->queue);
    queue->queue = NULL;
    update_needs(m);
}

/* ---- Reactive sets ------------------------------------------------------------------------------------------------*/

static collected *pick_set(model *m) { return &signals_of(m)->sets[program_below(&m->program, SETS)]; }

/* Some types that are valid, each once by name. */
static uint32_t pick_types(model *m, const covey_type **types, uint32_t most, const covey_type *const *others) {
    uint32_t count = 0, wanted = program_below(&m->program, most + 1);
    for (uint32_t i = 0; i < wanted; i++) {
        const covey_type *type = model_pick_type(m);
        bool fits = may_meet(m, type) == COVEY_OK;
        for (uint32_t k = 0; k < count && fits; k++) fits = strcmp(types[k]->name, type->name) != 0;
        for (uint32_t k = 0; others && others[k] && fits; k++) fits = strcmp(others[k]->name, type->name) != 0;
        if (fits) types[count++] = type;
    }
    return count;
}

/* Whether two descriptions, both unknown to the world, have one name. */
static bool clashes(model *m, const covey_type *a, const covey_type *b) {
    return a && b && a != b && !oracle_pool_of(m->oracle, a) && strcmp(a->name, b->name) == 0;
}

static void reactive_create(model *m) {
    collected *set = pick_set(m);
    covey_reactive_desc desc = { 0 };
    if (set->set) return;
    const covey_type **const lists[LISTS] = { desc.added, desc.set, desc.patched, desc.removed };
    for (uint32_t i = 0; i < LISTS; i++) pick_types(m, lists[i], MARKED_TYPES - 1, NULL); /* one may come later */
    set->decides = program_chance(&m->program, 96);
    set->broken = &signals_of(m)->broken;
    if (set->decides) desc.decide = decide, desc.context = set;
    set->keeps = desc.keep_destroyed = program_chance(&m->program, 128);
    uint32_t fields = pick_types(m, desc.match.with, 2, NULL);
    for (uint32_t i = 0; i < fields; i++) desc.match.read[i] = desc.match.with[i]; /* looking is no change */
    pick_types(m, desc.match.without, 1, desc.match.with);
    for (uint32_t i = 0; i < LISTS * LISTS * MARKED_TYPES * MARKED_TYPES; i++) {
        uint32_t a = i / (LISTS * MARKED_TYPES), b = i % (LISTS * MARKED_TYPES);
        const covey_type *left = lists[a / MARKED_TYPES][a % MARKED_TYPES];
        if (clashes(m, left, lists[b / MARKED_TYPES][b % MARKED_TYPES])) return;
    }
    set->set = covey_reactive_create(m->world, &desc);
    bool made = model_settle(m, set->set != NULL, COVEY_OK);
    set->match = desc.match;
    set->marks.count = set->ended.count = 0;
    set->born = ++signals_of(m)->born;
    for (uint32_t i = 0; i < LISTS * MARKED_TYPES; i++) {
        const covey_type *type = lists[i / MARKED_TYPES][i % MARKED_TYPES];
        if (type && !made) model_meet_anyway(m, type);
        set->pools[i / MARKED_TYPES][i % MARKED_TYPES] = type && made ? model_meet(m, type) : NULL;
    }
}

/* One more type in some of the lists. */
static void reactive_listen(model *m) {
    collected *set = pick_set(m);
    const covey_type *type = model_pick_type(m);
    uint32_t wanted = program_below(&m->program, 1 << LISTS), asked = 0;
    bool wrong = program_chance(&m->program, 16);
    for (uint32_t i = 0; i < LISTS; i++)
        if (set->pools[i][MARKED_TYPES - 1]) wanted &= ~(1u << i); /* has it already */
    for (uint32_t i = 0; i < LISTS; i++)
        if ((wanted >> i & 1) != 0) asked |= (uint32_t)listed[i];
    if (!set->set) return;
    if (wrong) asked |= program_chance(&m->program, 128) ? COVEY_ON_CREATE : 64;
    covey_result expected = asked == 0 || wrong ? COVEY_ERROR_RANGE : may_meet(m, type);
    covey_result result = covey_reactive_listen_raw(set->set, type, asked);
    bool done = model_settle(m, result == COVEY_OK, expected);
    REQUIRE(m, done || result == m->result, "another result than the world's");
    if (asked != 0 && !wrong) model_meet_anyway(m, type);
    for (uint32_t i = 0; i < LISTS && done; i++)
        if ((wanted >> i & 1) != 0) set->pools[i][MARKED_TYPES - 1] = model_meet(m, type);
}

static void reactive_destroy(model *m) {
    collected *set = pick_set(m);
    covey_reactive_destroy(set->set);
    set->set = NULL;
}

static void reactive_clear(model *m) {
    collected *set = pick_set(m);
    if (!set->set) return;
    if (set->marks.count != 0 && program_chance(&m->program, 96)) {
        uint32_t at = program_below(&m->program, set->marks.count);
        REQUIRE(m, covey_remove_raw(m->world, set->marks.ids[at], covey_reactive_type(set->set)), "no mark");
        set->marks.ids[at] = set->marks.ids[--set->marks.count];
        return;
    }
    covey_reactive_clear(set->set);
    set->marks.count = set->ended.count = 0;
}

static void check_fields(model *m, const collected *set, const covey_iter *it, uint32_t row, covey_entity e) {
    for (uint32_t i = 0; i < COVEY_TERMS && set->match.with[i]; i++) {
        const covey_type *type = set->match.with[i];
        const char *at = covey_field_raw(it, i);
        model_check_field(m, type, e, at ? at + (size_t)row * type->size : NULL);
    }
}

/* Those that are marked and match, by index. */
static void list_marked(model *m, const collected *set) {
    m->wanted.count = 0;
    covey_entity e = oracle_next(m->oracle, 0);
    for (; !covey_is_null(e); e = oracle_next(m->oracle, (uint64_t)e.index + 1))
        if (model_is_in(&set->marks, e) && oracle_view_matches(m->oracle, &set->match, e)) model_append(&m->wanted, e);
}

static void check_visit(model *m, uint32_t number, covey_entity e) {
    REQUIRE(m, number < m->wanted.count && covey_same(m->wanted.ids[number], e), "visit %u is of %u:%u", number,
            e.index, e.generation);
}

/* Each of them once, by spans and by rows. */
static void look_at(model *m, const collected *set) {
    covey_iter it = covey_reactive_iter(set->set), rows = covey_reactive_iter(set->set);
    covey_row row = { 0 };
    uint32_t found = 0;
    list_marked(m, set);
    while (covey_next(&it))
        for (uint32_t i = 0; i < it.count; i++) {
            covey_entity e = covey_span_entity(&it, i);
            check_visit(m, found++, e);
            check_fields(m, set, &it, i, e);
        }
    REQUIRE(m, found == m->wanted.count, "%u were visited, not %u", found, m->wanted.count);
    for (found = 0; covey_next_row(&rows, &row); found++) check_visit(m, found, covey_row_entity(&rows, row));
    REQUIRE(m, found == m->wanted.count, "%u rows, not %u", found, m->wanted.count);
}

static void compare_set(model *m, const collected *set) {
    for (uint32_t i = 0; i < m->oracle->alive; i++) {
        covey_entity e = m->oracle->roll[i];
        REQUIRE(m, covey_reactive_contains(set->set, e) == model_is_in(&set->marks, e), "%u:%u is collected and not",
                e.index, e.generation);
    }
    look_at(m, set);
}

static void compare(model *m) {
    signals *s = signals_of(m);
    for (uint32_t i = 0; i < SETS; i++)
        if (s->sets[i].set) compare_set(m, &s->sets[i]);
}

/* ---- Listeners that act -------------------------------------------------------------------------------------------*/

static void act(signals *s, const covey_event *event) {
    model *m = s->m;
    covey_entity e = s->target;
    s->acted = true;
    if (s->act == DESTROYS_NEXT) {
        if (s->told + 1 == s->links) return;
        s->target = s->chain[++s->told];
        if (!covey_destroy(m->world, s->target)) s->broken = "a listener cannot destroy another entity";
        return;
    }
    if (s->act == DESTROYS) s->succeeded = covey_destroy(m->world, e);
    if (s->act == REMOVES || s->act == ADDS_AGAIN) s->succeeded = covey_remove_raw(m->world, e, event->type);
    if (s->act == ADDS_AGAIN) s->succeeded = covey_add_raw(m->world, e, event->type, m->value) != NULL;
    if (s->act == ADDS_OTHER || s->act == ADDS_IN_VAIN)
        s->succeeded = covey_add_raw(m->world, e, s->other, NULL) != NULL;
}

/* Chooses a listener to the cue, of a pool or of entities, which will act. */
static bool arm(model *m, const oracle_pool *pool, covey_signal cue, action what, covey_entity e) {
    signals *s = signals_of(m);
    uint32_t first = program_below(&m->program, EARS);
    s->actor = NULL;
    for (uint32_t i = 0; i < EARS && !s->actor; i++) {
        const listener *ear = &s->ears[(first + i) % EARS];
        if (ear->used && ear->about.pool == pool && (ear->about.signals & (uint32_t)cue) != 0) s->actor = ear;
    }
    s->cue = cue;
    s->act = what;
    s->target = e;
    s->acted = s->succeeded = false;
    return s->actor != NULL;
}

bool model_signals_arm(model *m, const oracle_pool *pool, covey_signal cue, bool destroys, covey_entity e) {
    return arm(m, pool, cue, destroys ? DESTROYS : REMOVES, e);
}

void model_signals_mirror(model *m) { signals_of(m)->mirrors = true; }

bool model_signals_acted(const model *m, covey_entity *e) {
    const signals *s = m->state;
    *e = s->target;
    return s->acted;
}

/* Another type that the entity does not have, or NULL. */
static const covey_type *pick_other(model *m, const oracle_pool *pool, covey_entity e) {
    const covey_type *type = model_pick_type(m);
    const oracle_pool *other = oracle_pool_of(m->oracle, type);
    if (!other || other == pool || oracle_has(m->oracle, other, e)) return NULL;
    return oracle_set_positions(other->set) < COVEY_NONE - 2 ? type : NULL;
}

/* A pool that some function listens to, and an entity that has a component there, or has none. */
static oracle_pool *pick_heard(model *m, bool there, covey_entity *e) {
    oracle_pool *pool = oracle_pool_of(m->oracle, model_pick_type(m));
    *e = there ? model_pick_member(m, pool) : model_pick(m);
    bool fits = pool && oracle_alive(m->oracle, *e) && oracle_has(m->oracle, pool, *e) == there;
    return fits && oracle_set_positions(pool->set) < COVEY_NONE - 2 ? pool : NULL;
}

static void make_value(model *m, const covey_type *type) {
    value_make(type, program_byte(&m->program), m->value);
    value_own(type, m->value);
}

static void oracle_adds(model *m, const oracle_pool *pool, covey_entity e) {
    oracle_add(m->oracle, pool, e, m->value, pool->type->policy != COVEY_IN_PLACE);
}

static void check_added(model *m, const oracle_pool *pool, covey_entity e) {
    model_check_component(m, pool, e, covey_get_raw(m->world, e, pool->type));
}

/* The call of a listener that failed, as one that was made here. */
static void settle_act(model *m, covey_result expected) {
    covey_result before = m->result;
    if (model_settle(m, signals_of(m)->succeeded, expected)) m->result = before;
}

static void adds_default(model *m, const covey_type *type, covey_entity e) {
    unsigned char value[VALUE_BYTES] = { 0 };
    value_make_default(type, value);
    oracle_add(m->oracle, oracle_pool_of(m->oracle, type), e, value, type->policy != COVEY_IN_PLACE);
}

/* What is added is removed, or its entity destroyed, at once; or gets another component. */
static void add_and_act(model *m) {
    signals *s = signals_of(m);
    covey_entity e;
    const oracle_pool *pool = pick_heard(m, false, &e);
    action what = (action)(REMOVES + program_below(&m->program, 4));
    if (!pool || what == ADDS_AGAIN) return;
    if (what == ADDS_OTHER && !(s->other = pick_other(m, pool, e))) return;
    if (!arm(m, pool, COVEY_ON_ADD, what, e)) return;
    const covey_type *type = pool->type;
    make_value(m, type);
    void *address = value_add(m->world, e, type, m->value);
    if (!s->acted) { /* no memory; or it was not told of one alone */
        bool added = model_settle(m, address != NULL, COVEY_OK);
        if (added) oracle_adds(m, pool, e);
        if (added) model_check_component(m, pool, e, address);
        else value_disown(type, m->value);
        return;
    }
    oracle_adds(m, pool, e);
    if (what == ADDS_OTHER) {
        bool added = s->succeeded;
        if (!added) settle_act(m, COVEY_OK);
        if (added) adds_default(m, s->other, e);
        if (added) check_added(m, oracle_pool_of(m->oracle, s->other), e);
        model_check_component(m, pool, e, address);
        return;
    }
    model_settle(m, address != NULL, COVEY_ERROR_GONE);
    if (what == REMOVES) oracle_remove(m->oracle, pool, e);
    else oracle_destroy(m->oracle, e);
}

static void set_and_act(model *m) {
    covey_entity e;
    const oracle_pool *pool = pick_heard(m, true, &e);
    action what = program_chance(&m->program, 128) ? REMOVES : DESTROYS;
    if (!pool || !arm(m, pool, COVEY_ON_SET, what, e)) return;
    make_value(m, pool->type);
    void *address = value_set(m->world, e, pool->type, m->value);
    bool acted = signals_of(m)->acted;
    if (!model_settle(m, address != NULL, acted ? COVEY_ERROR_GONE : COVEY_OK) && !acted) {
        value_disown(pool->type, m->value);
        return;
    }
    memcpy(oracle_get(m->oracle, pool, e), m->value, pool->type->size);
    oracle_was_set(m->oracle, pool, e);
    if (acted && what == REMOVES) oracle_remove(m->oracle, pool, e);
    if (acted && what == DESTROYS) oracle_destroy(m->oracle, e);
}

/* What is removed is removed by a listener, and maybe added again; or its entity is destroyed. */
static void remove_and_act(model *m) {
    signals *s = signals_of(m);
    covey_entity e;
    const oracle_pool *pool = pick_heard(m, true, &e);
    action what = (action)(REMOVES + program_below(&m->program, 3));
    if (!pool || !arm(m, pool, COVEY_ON_REMOVE, what, e)) return;
    const covey_type *type = pool->type;
    make_value(m, type);
    REQUIRE(m, covey_remove_raw(m->world, e, type), "not removed");
    oracle_remove(m->oracle, pool, e);
    bool added = what == ADDS_AGAIN && s->acted && s->succeeded;
    if (what == ADDS_AGAIN && s->acted && !added) settle_act(m, COVEY_OK);
    if (added) oracle_adds(m, pool, e);
    if (added) check_added(m, pool, e);
    else value_disown(type, m->value);
    if (what == DESTROYS && s->acted) oracle_destroy(m->oracle, e);
}

static void create_and_act(model *m) {
    signals *s = signals_of(m);
    if (m->oracle->alive >= m->options->crowd || oracle_can_create(m->oracle, 0, 1) == 0) return;
    uint32_t index = oracle_next_index(m->oracle, 0), last = oracle_generation_at(m->oracle, index);
    covey_entity next = covey__entity(index, last != 0 ? last + 2 : 1);
    if (!arm(m, NULL, COVEY_ON_CREATE, DESTROYS, next)) return;
    covey_entity e = covey_create(m->world);
    if (!model_settle(m, !covey_is_null(e), s->acted ? COVEY_ERROR_GONE : COVEY_OK) && !s->acted) return;
    oracle_create(m->oracle, 0);
    if (s->acted) oracle_destroy(m->oracle, next);
}

/* An entity that is being destroyed gets no component. */
static void destroy_and_act(model *m) {
    signals *s = signals_of(m);
    covey_entity e = model_pick(m);
    if (!oracle_alive(m->oracle, e) || !(s->other = pick_other(m, NULL, e))) return;
    if (!arm(m, NULL, COVEY_ON_DESTROY, ADDS_IN_VAIN, e)) return;
    REQUIRE(m, covey_destroy(m->world, e), "not destroyed");
    REQUIRE(m, s->acted, "the listener did not act");
    settle_act(m, COVEY_ERROR_DEAD);
    s->acted = false;
    oracle_destroy(m->oracle, e);
}

/* Some neighbours, each once, in any order. */
static uint32_t pick_chain(model *m) {
    signals *s = signals_of(m);
    uint32_t count = model_pick_neighbours(m, NULL), wanted = 2 + program_below(&m->program, CHAIN - 1);
    for (s->links = 0; s->links < wanted && count != 0; s->links++) {
        uint32_t at = program_below(&m->program, count);
        s->chain[s->links] = m->batch[at];
        m->batch[at] = m->batch[--count];
    }
    return s->links;
}

/* The last of the listeners to the end of entities: all others are told before it acts. */
static const listener *last_to_hear(const signals *s) {
    const listener *last = NULL;
    for (uint32_t i = 0; i < EARS; i++) {
        const listener *ear = &s->ears[i];
        bool hears = ear->used && !ear->about.pool && (ear->about.signals & COVEY_ON_DESTROY) != 0;
        if (hears && (!last || ear->born < last->born)) last = ear;
    }
    return last;
}

/* An entity is destroyed; a listener destroys another one, and, when it is told of that, a third. */
static void destroy_and_destroy(model *m) {
    signals *s = signals_of(m);
    if (pick_chain(m) == 0 || !arm(m, NULL, COVEY_ON_DESTROY, DESTROYS_NEXT, s->chain[0])) return;
    s->actor = last_to_hear(s);
    s->told = s->mirrored = 0;
    REQUIRE(m, covey_destroy(m->world, s->chain[0]), "not destroyed");
    for (uint32_t i = 0; i < s->links; i++)
        REQUIRE(m, !covey_alive(m->world, s->chain[i]), "link %u of %u is still alive", i, s->links);
    s->mirrors = true;
    oracle_destroy(m->oracle, s->chain[0]);
}

/* ---- The subject --------------------------------------------------------------------------------------------------*/

static void begin(model *m) {
    signals *s = calloc(1, sizeof *s);
    if (!s) abort();
    s->m = m;
    m->state = s;
    m->oracle->hear = note_change;
    m->oracle->hear_context = s;
}

static void end(model *m) { signals_of(m)->ends = true; }

static void forget(model *m) {
    signals *s = signals_of(m);
    if (!s) return;
    for (uint32_t i = 0; i < EARS; i++) free(s->ears[i].heard.all);
    for (uint32_t i = 0; i < QUEUES; i++) free(s->queues[i].wanted.all);
    for (uint32_t i = 0; i < SETS; i++) {
        free(s->sets[i].marks.ids);
        free(s->sets[i].ended.ids);
    }
    free(s->wanted.all);
    free(s);
    m->state = NULL;
}

static void leave(model *m) {
    signals *s = signals_of(m);
    for (uint32_t i = 0; i < EARS; i++) {
        covey_disconnect(m->world, s->ears[i].about.connection);
        s->ears[i].about.connection = (covey_connection){ 0 }; /* it knows a pool of this world */
        s->ears[i].used = false;
    }
    for (uint32_t i = 0; i < QUEUES; i++) {
        covey_queue_destroy(s->queues[i].queue);
        s->queues[i].queue = NULL;
    }
    for (uint32_t i = 0; i < SETS; i++) {
        covey_reactive_destroy(s->sets[i].set);
        s->sets[i].set = NULL;
    }
    update_needs(m);
}

/* ---- Going back ---------------------------------------------------------------------------------------------------*/

/* What queues and sets had collected, by when they were made. */
typedef struct saved_signals {
    uint64_t queues_born[QUEUES], sets_born[SETS]; /* 0: not there */
    history events[QUEUES];
    bool loose[QUEUES];
    model_list marks[SETS], ended[SETS];
} saved_signals;

static void *save(model *m) {
    const signals *s = signals_of(m);
    saved_signals *saved = calloc(1, sizeof *saved);
    if (!saved) abort();
    for (uint32_t i = 0; i < QUEUES; i++) {
        saved->queues_born[i] = s->queues[i].queue ? s->queues[i].born : 0;
        saved->loose[i] = s->queues[i].loose;
        for (uint32_t k = 0; k < s->queues[i].wanted.count; k++) append(&saved->events[i], s->queues[i].wanted.all[k]);
    }
    for (uint32_t i = 0; i < SETS; i++) {
        saved->sets_born[i] = s->sets[i].set ? s->sets[i].born : 0;
        for (uint32_t k = 0; k < s->sets[i].marks.count; k++) model_append(&saved->marks[i], s->sets[i].marks.ids[k]);
        for (uint32_t k = 0; k < s->sets[i].ended.count; k++) model_append(&saved->ended[i], s->sets[i].ended.ids[k]);
    }
    return saved;
}

static void unsave(void *state) {
    saved_signals *saved = state;
    for (uint32_t i = 0; i < QUEUES; i++) free(saved->events[i].all);
    for (uint32_t i = 0; i < SETS; i++) {
        free(saved->marks[i].ids);
        free(saved->ended[i].ids);
    }
    free(saved);
}

/* Those that were made since have nothing. */
static void restore(model *m, const void *state) {
    const saved_signals *saved = state;
    signals *s = signals_of(m);
    for (uint32_t i = 0; i < QUEUES; i++) {
        bool known = s->queues[i].queue && saved->queues_born[i] == s->queues[i].born;
        s->queues[i].wanted.count = 0;
        s->queues[i].loose = known && saved->loose[i];
        for (uint32_t k = 0; known && k < saved->events[i].count; k++)
            append(&s->queues[i].wanted, saved->events[i].all[k]);
    }
    for (uint32_t i = 0; i < SETS; i++) {
        bool known = s->sets[i].set && saved->sets_born[i] == s->sets[i].born;
        s->sets[i].marks.count = s->sets[i].ended.count = 0;
        for (uint32_t k = 0; known && k < saved->ended[i].count; k++)
            model_append(&s->sets[i].ended, saved->ended[i].ids[k]);
        for (uint32_t k = 0; known && k < saved->marks[i].count; k++)
            model_append(&s->sets[i].marks, saved->marks[i].ids[k]);
    }
}

static const model_operation operations[] = {
    { "connect", connect_function, 14, false },
    { "disconnect", disconnect_function, 6, true },
    { "queue_create", queue_create, 4, false },
    { "queue, connect", queue_connect, 8, false },
    { "queue, disconnect", queue_disconnect, 2, true },
    { "queue_next, queue_clear", queue_read, 14, true },
    { "queue_destroy", queue_destroy, 1, true },
    { "reactive_create", reactive_create, 5, false },
    { "reactive_listen", reactive_listen, 2, false },
    { "reactive_destroy", reactive_destroy, 1, true },
    { "reactive_clear, of all or one", reactive_clear, 4, true },
    { "add, and a listener acts", add_and_act, 14, false },
    { "set, and a listener acts", set_and_act, 8, false },
    { "remove, and a listener acts", remove_and_act, 12, false },
    { "create, and a listener acts", create_and_act, 4, false },
    { "destroy, and a listener acts", destroy_and_act, 4, false },
    { "destroy, and a listener destroys others", destroy_and_destroy, 5, true },
    { NULL, NULL, 0, false },
};

/* The events of entities. */
static const model_operation ends[] = {
    { "connect", connect_function, 6, false },
    { "disconnect", disconnect_function, 4, true },
    { "queue_create", queue_create, 2, false },
    { "queue, connect", queue_connect, 3, false },
    { "queue, disconnect", queue_disconnect, 2, true },
    { "queue_next, queue_clear", queue_read, 4, true },
    { "queue_destroy", queue_destroy, 1, true },
    { "create, and a listener acts", create_and_act, 4, false },
    { "destroy, and a listener destroys others", destroy_and_destroy, 8, true },
    { NULL, NULL, 0, false },
};

const struct model_subject model_signals = {
    .operations = operations,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .leave = leave,
    .save = save,
    .restore = restore,
    .unsave = unsave,
};

const struct model_subject model_ends = {
    .operations = ends,
    .begin = begin,
    .check = check,
    .compare = compare,
    .end = end,
    .forget = forget,
    .leave = leave,
};
