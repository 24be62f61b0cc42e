#include "systems.h"

#include <stdlib.h>

/* ---- What a visit does --------------------------------------------------------------------------------------------*/

/* A type whose values a buffer takes. */
static uint32_t recordable(uint32_t n) {
    uint32_t type = sim_type(n);
    while (value_types[type]->move) type = (type + 1) % NAIVE_TYPES;
    return type;
}

deeds system_deeds(const member *m, uint32_t number) {
    return (deeds){ .sets = sim_mix(number, 1) % 64 < m->sets,
                    .removes = sim_mix(number, 2) % 64 < m->removes,
                    .destroys = sim_mix(number, 3) % 64 < m->destroys,
                    .adds = sim_mix(number, 4) % 64 < m->adds,
                    .creates = sim_mix(number, 5) % 4 == 0 && m->desc.creates != 0 && !m->of->crowded,
                    .set_type = recordable(sim_mix(number, 6)),
                    .remove_type = sim_type(sim_mix(number, 7)),
                    .add_type = recordable(sim_mix(number, 8)),
                    .create_type = recordable(sim_mix(number, 9)) };
}

uint32_t system_seed(uint32_t number, uint32_t n) { return sim_mix(number, n) / 2; }

naive_component system_value(covey_entity by, uint32_t type, uint32_t number) {
    naive_component component = { .seed = value_is_tag(type) ? 0 : system_seed(number, type + 100), .present = true };
    if (value_has_link(type)) component.link = by;
    return component;
}

/* ---- Bodies -------------------------------------------------------------------------------------------------------*/

/* A piece under way. */
typedef struct visit {
    member *m;
    covey_job *job;
    sum *sum;
    uint32_t created;
    bool direct; /* changes the world at once */
} visit;

static uint32_t seed_in(member *m, uint32_t type, const void *value) {
    uint32_t seed;
    covey_entity link;
    if (!value_read(type, value, &seed, &link)) atomic_fetch_add(&m->faults, 1);
    return seed;
}

static void rewrite(uint32_t type, void *value, uint32_t seed) {
    uint32_t old;
    covey_entity link;
    if (value_is_tag(type)) return;
    value_read(type, value, &old, &link);
    value_write(type, value, seed, link);
}

static void note_made(visit *v, covey_entity by, covey_entity e) {
    uint32_t at = atomic_fetch_add(&v->m->made_count, 1);
    if (at < MADE) v->m->made[at] = (made){ by, e, v->m->turn };
}

/* A change could not be made, or not be recorded: the run fails. */
static void note_loss(visit *v) {
    atomic_fetch_add(&v->m->lost, 1);
    if (v->direct) v->job->result = covey_world_result(v->job->world);
}

/* Gives a value, by a command or at once. The entity has no such component yet if `adds`. */
static void give(visit *v, covey_entity e, uint32_t type, naive_component component, bool adds) {
    unsigned char _Alignas(64) value[VALUE_BYTES];
    const covey_type *t = value_types[type];
    covey_world *world = v->job->world;
    value_make(type, component.seed, component.link, value);
    bool given;
    if (!v->direct && adds) given = covey_record_add_raw(v->job->commands, e, t, value);
    else if (!v->direct) given = covey_record_set_raw(v->job->commands, e, t, value);
    else given = covey_set_raw(world, e, t, value) || covey_world_result(world) == COVEY_ERROR_GONE;
    if (given) return;
    value_end(type, value);
    note_loss(v);
}

static void create_one(visit *v, covey_entity by, const deeds *d, uint32_t number) {
    if (v->created++ >= v->m->desc.creates) return;
    covey_entity e = v->direct ? covey_create(v->job->world) : covey_record_create(v->job->commands);
    if (covey_is_null(e)) {
        note_loss(v);
        return;
    }
    note_made(v, by, e);
    give(v, e, d->create_type, system_value(by, d->create_type, number), true);
}

static void do_deeds(visit *v, covey_entity e, uint32_t number) {
    deeds d = system_deeds(v->m, number);
    covey_world *world = v->job->world;
    covey_commands *commands = v->job->commands;
    if (v->direct && !covey_alive(world, e)) return; /* a listener destroyed it */
    bool kept = true;
    if (d.sets) give(v, e, d.set_type, system_value(e, d.set_type, number), false);
    if (d.removes && v->direct) covey_remove_raw(world, e, value_types[d.remove_type]);
    else if (d.removes) kept &= covey_record_remove_raw(commands, e, value_types[d.remove_type]);
    if (d.adds) give(v, e, d.add_type, system_value(e, d.add_type, number), true);
    if (d.destroys && v->direct) covey_destroy(world, e);
    else if (d.destroys) kept &= covey_record_destroy(commands, e);
    if (d.creates) create_one(v, e, &d, number);
    if (!kept) note_loss(v);
}

uint32_t system_chain(uint32_t number, uint32_t seed) { return sim_mix(number, seed) + seed; }

static uint32_t number_of(visit *v, covey_entity e, void *const *fields) {
    member *m = v->m;
    const covey_world *world = v->job->world;
    uint32_t number = system_chain(m->salt, (uint32_t)v->job->run * 64 + e.index);
    for (uint32_t f = 0; f < m->field_count; f++)
        if (fields[f]) number = system_chain(number, seed_in(m, m->fields[f], fields[f]));
    const void *read = m->reads != NO_TYPE ? covey_get_raw(world, e, value_types[m->reads]) : NULL;
    const void *resource = m->resource != NO_TYPE ? covey_resource_get_raw(world, value_types[m->resource]) : NULL;
    if (read) number = system_chain(number, seed_in(m, m->reads, read));
    if (resource) number = system_chain(number, seed_in(m, m->resource, resource));
    return number;
}

static void note_visited(visit *v, covey_entity e, uint32_t number) {
    uint32_t at = atomic_fetch_add(&v->m->visited, 1);
    if (v->direct && at < ENTRIES) v->m->entries[at] = (entry){ e, number };
    if (!v->sum) return;
    v->sum->numbers += number;
    v->sum->count++;
    v->sum->chain = v->sum->chain * UINT64_C(0x9E3779B97F4A7C15) + number;
}

static void visit_one(visit *v, covey_entity e, void *const *fields) {
    const member *m = v->m;
    uint32_t number = number_of(v, e, fields);
    for (uint32_t f = 0; f < m->field_count; f++)
        if (fields[f] && !m->is_read[f] && !m->frozen[f]) rewrite(m->fields[f], fields[f], system_seed(number, f));
    note_visited(v, e, number);
    if (!v->direct) do_deeds(v, e, number);
}

static void visit_rows(visit *v, covey_iter *it) {
    void *fields[FIELDS];
    for (covey_row row = { 0 }; covey_next_row(it, &row);) {
        for (uint32_t f = 0; f < v->m->field_count; f++) fields[f] = covey_row_field_raw(it, row, f);
        visit_one(v, covey_row_entity(it, row), fields);
    }
}

static void visit_spans(visit *v, covey_iter *it) {
    void *fields[FIELDS];
    while (covey_next(it))
        for (uint32_t row = 0; row < it->count; row++) {
            for (uint32_t f = 0; f < v->m->field_count; f++) {
                unsigned char *first = covey_field_raw(it, f);
                fields[f] = first ? first + (size_t)row * value_types[v->m->fields[f]]->size : NULL;
            }
            visit_one(v, covey_span_entity(it, row), fields);
        }
}

/* Structural changes when all entities are visited. Nothing else runs. */
static void change_directly(visit *v) {
    uint32_t count = atomic_load(&v->m->visited);
    for (uint32_t i = 0; i < count && i < ENTRIES; i++) do_deeds(v, v->m->entries[i].e, v->m->entries[i].number);
}

bool system_is_direct(const member *m) { return m->desc.exclusive && m->salt % 2 == 0; }

bool system_writes_resource(const member *m) { return m->desc.resource_writes[0] != NULL; }

static void rewrite_resource(visit *v) {
    member *m = v->m;
    void *value = covey_resource_get_raw(v->job->world, value_types[m->resource]);
    if (value) rewrite(m->resource, value, system_seed(seed_in(m, m->resource, value), m->salt));
}

static bool fails_now(const member *m, uint64_t run) { return run % 16 == m->fails_in; }

static void body(covey_job *job, void *context) {
    member *m = context;
    visit v = { .m = m, .job = job, .sum = job->scratch, .direct = system_is_direct(m) };
    if (job->run != m->of->run || job->piece >= job->pieces) atomic_fetch_add(&m->faults, 1);
    if (v.direct) atomic_store(&m->visited, 0);
    if (m->visits && m->rows) visit_rows(&v, &job->it);
    else if (m->visits) visit_spans(&v, &job->it);
    if (v.direct) change_directly(&v);
    if (system_writes_resource(m)) rewrite_resource(&v);
    if (!fails_now(m, job->run) || job->piece + 1 != job->pieces) return;
    job->result = COVEY_ERROR_LIMIT;
    atomic_store(&m->failed, m->turn);
}

static void merge(void *total, const void *scratch, void *context) {
    sum *to = total;
    const sum *from = scratch;
    (void)context;
    to->numbers += from->numbers;
    to->count += from->count;
    to->chain = to->chain * UINT64_C(0xBF58476D1CE4E5B9) + from->chain;
}

bool system_is_permitted(const member *m, uint32_t count) { return m->salt % 3 != 0 || (count + m->salt) % 4 != 0; }

/* Called once for each turn, by the thread that runs the schedule. */
static bool has_its_turn(const covey_world *world, void *context) {
    member *m = context;
    m->turn++;
    return system_is_permitted(m, covey_entity_count(world));
}

static void drop_member(void *context) {
    member *m = context;
    m->of->members--;
    free(m);
}

/* ---- Making systems -----------------------------------------------------------------------------------------------*/

static void add_field(member *m, uint32_t type, bool is_read) {
    m->is_read[m->field_count] = is_read;
    m->fields[m->field_count++] = type;
}

static void pick_fields(member *m, uint32_t n) {
    picked_view p = pick_view(n, true);
    uint32_t read = 0;
    for (uint32_t i = 0; i < p.with_count; i++) add_field(m, p.with[i], sim_mix(n, i) % 2 == 0);
    m->with = p.with_count;
    for (uint32_t i = 0; i < p.optional_count; i++) add_field(m, p.optional[i], sim_mix(n, i + 9) % 2 == 0);
    for (uint32_t f = 0; f < m->field_count; f++)
        if (m->is_read[f]) p.desc.read[read++] = value_types[m->fields[f]];
    m->without_count = p.without_count;
    memcpy(m->without, p.without, sizeof p.without);
    m->visits = m->field_count + m->without_count != 0;
    m->sees_disabled = p.sees_disabled && m->visits;
    p.desc.include_disabled = m->sees_disabled;
    m->desc.view = p.desc;
}

/* Types that a group excludes are named at the end of its description. */
static void read_without(member *m, const covey_group *group) {
    char text[1024];
    covey_group_print(text, sizeof text, group);
    char *names = strstr(text, "without ");
    for (char *name = names ? strtok(names + 8, ", ") : NULL; name; name = strtok(NULL, ", "))
        m->without[m->without_count++] = value_type_number(&(covey_type){ .name = name });
}

/* All fields of a group count as written. */
static void use_group(member *m, const covey_group *group) {
    const covey_view *view = covey_group_view(group);
    for (uint32_t f = 0; f < covey_view_fields(view); f++)
        add_field(m, value_type_number(covey_view_type(view, f)), false);
    m->with = m->field_count;
    m->visits = true;
    read_without(m, group);
    m->desc.group = group;
}

static bool has_field(const member *m, uint32_t type) {
    for (uint32_t f = 0; f < m->field_count; f++)
        if (m->fields[f] == type) return true;
    return false;
}

static void pick_entities(const sim_side *side, member *m, uint32_t n) {
    uint32_t groups = covey_world_group_count(side->world);
    if (groups != 0 && n % 3 == 0) use_group(m, covey_world_group(side->world, n / 3 % groups));
    else pick_fields(m, n / 3);
    m->rows = n / 64 % 2 == 0;
    m->desc.exclusive = n / 128 % 6 == 0;
    m->desc.split = m->visits && !m->desc.exclusive && n / 1024 % 3 != 0;
    m->desc.main_thread = !m->desc.split && n / 4096 % 2 == 0;
    if (m->desc.split && n / 8192 % 4 != 0) m->desc.piece = 1 + n / 8192 % 130;
}

static void pick_uses(member *m, uint32_t n) {
    uint32_t type = sim_type(n / 2);
    if (n % 2 == 0 && !has_field(m, type)) {
        m->reads = type;
        m->desc.reads[0] = value_types[type];
    }
    m->resource = n / 64 % 3 != 0 ? NO_TYPE : sim_type(n / 256);
    if (m->resource == NO_TYPE) return;
    if (!m->desc.split && n / 8192 % 2 == 0) m->desc.resource_writes[0] = value_types[m->resource];
    else m->desc.resource_reads[0] = value_types[m->resource];
}

static void pick_work(member *m, uint32_t n) {
    if (n % 2 == 0) m->sets = n / 2 % 24;
    if (n % 3 == 0) m->removes = n / 2 % 24;
    if (n % 5 == 0) m->destroys = n / 2 % 6;
    if (n / 64 % 6 == 0) m->adds = 1 + n / 2 % 3;
    if (n / 512 % 3 == 0) m->desc.creates = 1 + n / 2 % 3;
    m->fails_in = n / 2048 % 8 == 0 ? n / 16384 % 16 : 16;
    if (n / 4096 % 3 != 0) return;
    m->desc.scratch = sizeof(sum);
    m->desc.merge = merge;
    m->desc.total = &m->total;
}

static void pick_turns(member *m, uint32_t n) {
    m->desc.every = n % 3 == 0 ? 1 + n / 3 % 3 : 0;
    m->desc.once = n / 16 % 12 == 0;
    m->desc.disabled = n / 256 % 12 == 0;
    m->desc.when = has_its_turn;
    m->on = !m->desc.disabled;
}

/* To a system of the same phase, rarely to one that does not exist. */
static void pick_link(const sim_schedules *h, uint32_t of_phase, char *link, const char **desc, uint32_t n) {
    const member *to = h->count != 0 ? h->systems[n / 256 % h->count] : NULL;
    if (n % 256 == 0) snprintf(link, NAME, "none");
    else if (n % 4 == 0 && to && to->phase == of_phase) snprintf(link, NAME, "%s", to->name);
    else return;
    desc[0] = link;
}

static void pick_place(sim_schedules *h, member *m, uint32_t n) {
    m->phase = h->phase_count - 1;
    if (h->phase_count > 1 && n % 2 == 0) {
        m->phase = 1 + n / 2 % (h->phase_count - 1);
        m->desc.phase = h->phases[m->phase].name;
    }
    pick_link(h, m->phase, m->after, m->desc.after, n / 8);
    pick_link(h, m->phase, m->before, m->desc.before, sim_mix(n, 1));
}

member *system_make(const sim_side *side, const sim_step *step) {
    sim_schedules *h = side->schedules;
    member *m = calloc(1, sizeof *m);
    if (!m) abort();
    m->of = h;
    m->salt = sim_mix(step->a, step->b) / 2 * 2 + step->c % 2;
    m->reads = m->resource = NO_TYPE;
    snprintf(m->name, NAME, "s%u", h->last + 1);
    pick_entities(side, m, step->a);
    pick_uses(m, sim_mix(step->b, 1));
    pick_work(m, sim_mix(step->b, 2));
    pick_turns(m, sim_mix(step->b, 3));
    pick_place(h, m, step->c / 2);
    m->desc.name = m->name;
    m->desc.run = body;
    m->desc.context = m;
    m->desc.drop = drop_member;
    return m;
}

void system_begin(const sim_side *side, member *m) {
    atomic_store(&m->visited, 0);
    atomic_store(&m->failed, 0);
    atomic_store(&m->lost, 0);
    atomic_store(&m->made_count, 0);
    m->turn = 0;
    for (uint32_t f = 0; f < m->field_count; f++) m->frozen[f] = sim_is_kept(side, m->fields[f]);
}
