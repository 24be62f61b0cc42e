/* Functions that all sources of schedules use. */
#include "schedule/systems.h"

#include "memory/alloc.h"
#include "query/iter.h"
#include "memory/result.h"

#include <stdarg.h>
#include <stdio.h>

covey__system *covey__system_find(const covey_schedule *s, const char *name) {
    for (uint32_t i = 0; i < s->system_count; i++)
        if (strcmp(s->systems[i]->desc.name, name) == 0) return s->systems[i];
    return NULL;
}

void covey__system_iter(const covey__system *system, covey_iter *it) {
    const covey_group *group = system->desc.group;
    covey__iter_begin(it, group ? covey_group_view(group) : &system->view, group);
}

covey_result covey__schedule_fail(covey_schedule *s, covey_result result, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(s->failure, sizeof s->failure, format, arguments);
    va_end(arguments);
    return covey__fail(s->dependent.world, result, "%s", s->failure);
}

void *covey__schedule_reach(covey_schedule *s, void *array, uint32_t *capacity, uint32_t wanted, size_t size) {
    if (wanted <= *capacity) return array;
    uint32_t grown = covey__grown(*capacity, wanted, UINT32_MAX);
    void *to = covey__resize(&s->heap, array, *capacity, grown, size, alignof(max_align_t));
    if (to) *capacity = grown;
    return to;
}

void covey__schedule_free(covey_schedule *s, void *array, uint32_t capacity, size_t size) {
    covey__free(&s->heap, array, capacity, size, alignof(max_align_t));
}
