/* Saves and restores followers: which entity of the source belongs to which one here. */
#include "memory/inner.h"
#include "history/snapshot.h"

#include "image/follower.h"

/* Returns an empty one if the follower is newer. */
static const covey__follower_snapshot *snapshot_of(const covey__snapshot *snapshot, const covey_follower *follower) {
    static const covey__follower_snapshot empty = { .set = COVEY__EMPTY_SET };
    for (uint32_t i = 0; i < snapshot->follower_count; i++)
        if (snapshot->followers[i].number == follower->number) return &snapshot->followers[i];
    return &empty;
}

static bool save_follower(covey__saving *s, const covey_follower *follower, covey__follower_snapshot *snapshot) {
    const covey__follower_snapshot *before = snapshot_of(s->before, follower);
    const covey_sparse_set *known = follower->known;
    uint32_t units = covey__parts_of(covey_sparse_set_position_count(known), COVEY__UNIT);
    snapshot->number = follower->number;
    return (covey__set_save(s->store, known, &before->set, &snapshot->set) &&
            covey__units_create(s->store, &snapshot->values, units) &&
            covey__set_save_values(s->store, known, &before->values, &snapshot->values)) ||
           covey__save_lacks_memory(s);
}

bool covey__save_followers(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = 0, at = 0;
    for (const covey_follower *f = s->world->inner->followers; f; f = f->next) count++;
    snapshot->followers = covey__make_parts(s, &snapshot->follower_count, count, sizeof *snapshot->followers);
    for (const covey_follower *f = s->world->inner->followers; f && s->result == COVEY_OK; f = f->next)
        save_follower(s, f, &snapshot->followers[at++]);
    return s->result == COVEY_OK;
}

bool covey__prepare_followers(covey__rollback *r) {
    uint32_t at = 0;
    for (const covey_follower *f = r->world->inner->followers; f; f = f->next) {
        const covey__set_snapshot *set = &snapshot_of(r->snapshot, f)->set;
        if (!covey__rollback_did(r,
                                 covey__set_prepare_restore(&r->store->heap, &r->followers[at++], f->known, NULL, set)))
            return false;
    }
    return true;
}

void covey__restore_followers(covey__rollback *r) {
    uint32_t at = 0;
    for (const covey_follower *f = r->world->inner->followers; f; f = f->next) {
        const covey__follower_snapshot *snapshot = snapshot_of(r->snapshot, f);
        covey__set_restore(f->known, &r->followers[at++], &snapshot->set);
        covey__set_restore_values(&r->copier, f->known, &snapshot->values);
    }
}
