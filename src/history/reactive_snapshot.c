/* Saves and restores reactive sets. */
#include "history/reactive_snapshot.h"

#include "memory/inner.h"
#include "observe/listeners.h"
#include "observe/observers.h"
#include "query/reactive.h"
#include "storage/marks.h"

/* Returns 0 for a set that is free for reuse. */
static uint64_t number_of(const covey_pool *tags) {
    const covey_reactive *reactive = tags->world->inner->reactives;
    while (reactive && reactive->tags != tags) reactive = reactive->next;
    return reactive && reactive->used ? reactive->number : 0;
}

bool covey__save_reactive(covey__saving *s, const covey_pool *tags, const covey__pool_snapshot *before,
                          covey__pool_snapshot *snapshot) {
    const covey__ended *ended = tags->ended;
    snapshot->reactive = number_of(tags);
    if (!ended) return true;
    snapshot->ended = ended->count;
    return covey__units_save_array(s->store, &before->ends, &snapshot->ends, ended->handles, ended->count, UINT32_MAX,
                                   sizeof *ended->handles) ||
           covey__save_lacks_memory(s);
}

const covey__pool_snapshot *covey__reactive_snapshot_of(const covey_pool *tags, const covey__pool_snapshot *snapshot) {
    uint64_t number = number_of(tags);
    return number != 0 && number == snapshot->reactive ? snapshot : &covey__empty_pool;
}

/* Handles that the snapshot has, and entities that are marked or may be marked when they are destroyed. */
bool covey__prepare_ended(covey__rollback *r, covey_pool *tags) {
    const covey__pool_snapshot *snapshot = r->pools[tags->number].snapshot;
    const covey__ended *ended = tags->ended;
    uint64_t handles = (uint64_t)snapshot->ended + snapshot->storage.count;
    for (uint32_t i = 0; i < ended->source_count; i++)
        handles += r->pools[ended->sources[i]->number].snapshot->storage.count;
    return covey__rollback_did(r, covey__ended_reserve_all(tags, handles));
}

bool covey__prepare_marks_of(covey__rollback *r, const covey_pool *pool, const covey__pool_snapshot *snapshot) {
    const covey__listeners *listeners = &pool->observers->listeners;
    for (uint32_t i = 0; i < listeners->count; i++) {
        covey_pool *tags = listeners->all[i].tags;
        uint64_t from = 0;
        for (uint32_t index; tags && (index = covey__storage_snapshot_next(&snapshot->storage, &from)) != COVEY_NONE;)
            if (!covey__rollback_did(r, covey__reactive_reserve(tags, index))) return false;
    }
    return true;
}

void covey__restore_reactive(covey_pool *tags, const covey__pool_snapshot *snapshot) {
    covey__marks_restore(tags, &snapshot->storage);
    if (!tags->ended) return;
    const covey__unit *unit = covey__unit_at(&snapshot->ends, 0);
    tags->ended->count = snapshot->ended;
    if (unit) memcpy(tags->ended->handles, covey__unit_bytes(unit), unit->bytes);
}
