#include "sim.h"

#include <string.h>

static const sim_operation *const tables[] = {
    sim_entity_operations,  sim_component_operations, sim_many_operations,    sim_view_operations,
    sim_storage_operations, sim_group_operations,     sim_signal_operations,  sim_reactive_operations,
    sim_queue_operations,   sim_tree_operations,      sim_visible_operations, sim_copy_operations,
    sim_command_operations, sim_schedule_operations,  sim_image_operations,   sim_follow_operations,
    sim_history_operations, sim_file_operations,      sim_lookup_operations,  sim_event_operations,
};

static uint32_t table_length(const sim_operation *table) {
    uint32_t length = 0;
    while (table[length].name) length++;
    return length;
}

uint32_t sim_operation_count(void) {
    uint32_t count = 0;
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++) count += table_length(tables[i]);
    return count;
}

const sim_operation *sim_operation_at(uint32_t number) {
    for (uint32_t i = 0; i < sizeof tables / sizeof tables[0]; i++) {
        uint32_t length = table_length(tables[i]);
        if (number < length) return &tables[i][number];
        number -= length;
    }
    return NULL;
}

/* ---- From a seed --------------------------------------------------------------------------------------------------*/

/* Each program prefers some operations, so that programs differ: half of the operations are eight times as likely. */
static uint32_t weight_of(uint32_t operation, uint64_t likes) {
    bool liked = (likes >> operation % 64 & 1) != 0;
    return sim_operation_at(operation)->weight * (liked ? 8 : 1);
}

static uint16_t pick_operation(test_random *random, uint64_t likes) {
    uint32_t count = sim_operation_count(), all = 0, i = 0;
    for (uint32_t k = 0; k < count; k++) all += weight_of(k, likes);
    uint32_t left = test_below(random, all);
    while (left >= weight_of(i, likes)) left -= weight_of(i++, likes);
    return (uint16_t)i;
}

/* One step in sixteen has an allocation that fails: one of the first few, alone or with all that follow. */
static uint8_t pick_failure(test_random *random) {
    if (test_below(random, 16) != 0) return 0;
    uint32_t at = 1 + test_below(random, test_below(random, 2) ? 4 : 24);
    return (uint8_t)(at | (test_below(random, 2) ? SIM_FAIL_ON : 0));
}

void sim_program_make(sim_program *program, uint64_t seed, uint32_t steps) {
    test_random random = { seed * UINT64_C(0xD1342543DE82EF95) + 1 };
    uint64_t likes = (uint64_t)test_next(&random) << 32 | test_next(&random);
    /* Most programs are about one world: features meet where they share it. */
    uint32_t worlds = 1 + test_below(&random, SIM_WORLDS);
    *program = (sim_program){ .seed = seed, .count = steps < SIM_STEPS_MAX ? steps : SIM_STEPS_MAX };
    for (uint32_t i = 0; i < program->count; i++) {
        sim_step *step = &program->steps[i];
        step->operation = pick_operation(&random, likes);
        step->world = (uint8_t)test_below(&random, worlds);
        step->other = (uint8_t)test_below(&random, SIM_WORLDS);
        step->fail = pick_failure(&random);
        step->a = test_next(&random);
        step->b = test_next(&random);
        step->c = test_next(&random);
    }
}

/* ---- As text ------------------------------------------------------------------------------------------------------*/

void sim_step_print(const sim_step *step, FILE *to) {
    fprintf(to, "%s world=%u other=%u fail=%u a=%u b=%u c=%u\n", sim_operation_at(step->operation)->name, step->world,
            step->other, step->fail, step->a, step->b, step->c);
}

void sim_program_print(const sim_program *program, FILE *to) {
    for (uint32_t i = 0; i < program->count; i++) sim_step_print(&program->steps[i], to);
}

static bool find_operation(const char *name, uint16_t *number) {
    for (uint32_t i = 0; i < sim_operation_count(); i++)
        if (strcmp(sim_operation_at(i)->name, name) == 0) {
            *number = (uint16_t)i;
            return true;
        }
    return false;
}

static bool read_step(const char *line, sim_step *step) {
    char name[64];
    unsigned world, other, fail, a, b, c;
    if (sscanf(line, "%63s world=%u other=%u fail=%u a=%u b=%u c=%u", name, &world, &other, &fail, &a, &b, &c) != 7)
        return false;
    if (world >= SIM_WORLDS || other >= SIM_WORLDS || fail > 255) return false;
    step->world = (uint8_t)world;
    step->other = (uint8_t)other;
    step->fail = (uint8_t)fail;
    step->a = a;
    step->b = b;
    step->c = c;
    return find_operation(name, &step->operation);
}

bool sim_program_read(sim_program *program, FILE *from) {
    char line[256];
    *program = (sim_program){ 0 };
    for (uint32_t number = 1; fgets(line, sizeof line, from); number++) {
        if (line[0] == '\n' || line[0] == '#') continue;
        if (program->count == SIM_STEPS_MAX || !read_step(line, &program->steps[program->count])) {
            fprintf(stderr, "covey-sim: line %u is not a step: %s", number, line);
            return false;
        }
        program->count++;
    }
    return true;
}
