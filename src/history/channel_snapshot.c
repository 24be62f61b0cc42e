/* Saves and restores the events of channels: those that were sent, and the current ones. */
#include "memory/inner.h"
#include "history/snapshot.h"

#include "history/value_snapshot.h"
#include "memory/alloc.h"
#include "observe/events.h"
#include "storage/hook.h"
#include "storage/sparse_set.h"
#include "storage/type.h"

#include <stdalign.h>

/* A channel that did not exist then had no events. */
static const covey__channel_snapshot *snapshot_of(const covey__snapshot *snapshot, const covey_events *events) {
    static const covey__channel_snapshot none;
    for (uint32_t i = 0; i < snapshot->channel_count; i++)
        if (snapshot->channels[i].of == events) return &snapshot->channels[i];
    return &none;
}

/* ---- Saving ------------------------------------------------------------------------------------------------------*/

static bool save_copies(covey__saving *s, const covey_type *type, const covey__event_list *list, covey__units *to) {
    covey__unit *unit = to->at[0] = covey__unit_create(s->store, (size_t)list->count * type->size, type);
    if (!unit) return covey__save_lacks_memory(s);
    while (unit->count < list->count)
        if (!covey__unit_copy(s->store, unit, list->values + (size_t)unit->count * type->size))
            return covey__save_cannot_copy(s, type);
    return true;
}

static bool save_bytes(covey__saving *s, const covey_type *type, const covey__event_list *list,
                       const covey__units *before, covey__units *to) {
    return covey__unit_save(s->store, before, to, 0, list->values, (size_t)list->count * type->size) ||
           covey__save_lacks_memory(s);
}

static bool save_list(covey__saving *s, const covey_type *type, const covey__event_list *list,
                      const covey__list_snapshot *before, covey__list_snapshot *to) {
    to->count = list->count;
    if (list->count == 0 || type->size == 0) return true;
    if (!covey__type_can_copy(type)) return covey__save_cannot_copy(s, type);
    if (!covey__units_create(s->store, &to->values, 1)) return covey__save_lacks_memory(s);
    bool saved =
        type->copy ? save_copies(s, type, list, &to->values) : save_bytes(s, type, list, &before->values, &to->values);
    if (saved) to->values.at[0]->wipe = type->zero_erased;
    return saved;
}

bool covey__save_channels(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = 0, at = 0;
    for (const covey_events *events = s->world->inner->channels; events; events = events->next) count++;
    snapshot->channels = covey__make_parts(s, &snapshot->channel_count, count, sizeof *snapshot->channels);
    for (const covey_events *events = s->world->inner->channels; events && s->result == COVEY_OK;
         events = events->next) {
        const covey__channel_snapshot *before = snapshot_of(s->before, events);
        covey__channel_snapshot *to = &snapshot->channels[at++];
        to->of = events;
        if (save_list(s, events->type, &events->sent, &before->sent, &to->sent))
            save_list(s, events->type, &events->current, &before->current, &to->current);
    }
    return s->result == COVEY_OK;
}

/* ---- Restoring ---------------------------------------------------------------------------------------------------*/

bool covey__make_channel_plans(covey__rollback *r) {
    for (const covey_events *events = r->world->inner->channels; events; events = events->next) r->channel_count++;
    r->channels =
        covey__resize(&r->store->heap, NULL, 0, r->channel_count, sizeof *r->channels, alignof(covey__channel_plan));
    if (!r->channels && r->channel_count != 0) return covey__rollback_lacks_memory(r);
    for (uint32_t i = 0; i < r->channel_count; i++) r->channels[i] = (covey__channel_plan){ NULL, NULL };
    return true;
}

void covey__free_channel_plans(covey__rollback *r) {
    uint32_t count = r->channels ? r->channel_count : 0;
    for (uint32_t i = 0; i < count; i++) {
        covey__unit_release(r->store, r->channels[i].sent);
        covey__unit_release(r->store, r->channels[i].current);
    }
    covey__free(&r->store->heap, r->channels, count, sizeof *r->channels, alignof(covey__channel_plan));
}

/* Reserves room, and makes copies by the hook of the type. */
static bool prepare_list(covey__rollback *r, covey_events *events, covey__event_list *list,
                         const covey__list_snapshot *snapshot, covey__unit **copies) {
    const covey__unit *unit = covey__unit_at(&snapshot->values, 0);
    if (!covey__events_reserve(events, list, snapshot->count)) return covey__rollback_lacks_memory(r);
    if (unit && unit->type) *copies = covey__copy_unit(r, events->type, unit);
    return r->result == COVEY_OK;
}

bool covey__prepare_channels(covey__rollback *r) {
    covey__channel_plan *plan = r->channels;
    for (covey_events *events = r->world->inner->channels; events; events = events->next, plan++) {
        const covey__channel_snapshot *snapshot = snapshot_of(r->snapshot, events);
        if (!prepare_list(r, events, &events->sent, &snapshot->sent, &plan->sent) ||
            !prepare_list(r, events, &events->current, &snapshot->current, &plan->current))
            return false;
    }
    return true;
}

static void restore_list(covey_events *events, covey__event_list *list, const covey__list_snapshot *snapshot,
                         covey__unit *copies) {
    const covey__unit *unit = covey__unit_at(&snapshot->values, 0);
    size_t size = events->type->size;
    covey__events_drop(events, list);
    list->count = snapshot->count;
    if (copies) {
        covey__mover mover = covey__mover_of(events->world, events->type);
        covey__relocate_many(&mover, list->values, covey__unit_bytes(copies), copies->count, size);
        copies->count = 0;
    } else if (unit) {
        memcpy(list->values, covey__unit_bytes(unit), list->count * size);
    }
}

void covey__restore_channels(const covey__rollback *r) {
    const covey__channel_plan *plan = r->channels;
    for (covey_events *events = r->world->inner->channels; events; events = events->next, plan++) {
        const covey__channel_snapshot *snapshot = snapshot_of(r->snapshot, events);
        restore_list(events, &events->sent, &snapshot->sent, plan->sent);
        restore_list(events, &events->current, &snapshot->current, plan->current);
    }
}
