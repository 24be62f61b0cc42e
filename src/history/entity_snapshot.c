/* Saves and restores entities: their table, reserved ranges, kinds, and the ids that command buffers have ready. */
#include "memory/inner.h"
#include "history/snapshot.h"

#include "change/commands.h"
#include "change/entity.h"
#include "change/kind_pack.h"
#include "change/table.h"
#include "memory/alloc.h"

#include <stdalign.h>

/* ---- The table ---------------------------------------------------------------------------------------------------*/

static bool save_pages(covey__saving *s) {
    covey__units *list = &s->snapshot->entities;
    if (!covey__units_create(s->store, list, s->world->page_count)) return false;
    for (uint32_t i = 0; i < s->world->page_count; i++) {
        const covey__entity_page *page = covey__entity_page_of(s->world, i * COVEY_PAGE_SIZE);
        if (page && !covey__unit_save(s->store, &s->before->entities, list, i, page, sizeof *page)) return false;
    }
    return true;
}

static bool save_kinds(covey__saving *s) {
    const struct covey__kinds *kinds = s->world->inner->kinds;
    size_t count = covey__kinds_pack(kinds, NULL, NULL);
    if (count == 0) return true;
    uint32_t *packed =
        count <= UINT32_MAX ? covey__resize(&s->store->heap, NULL, 0, count, sizeof *packed, alignof(uint32_t)) : NULL;
    if (!packed) return false;
    covey__kinds_pack(kinds, NULL, packed);
    bool saved = covey__units_save_array(s->store, &s->before->kinds, &s->snapshot->kinds, packed, (uint32_t)count,
                                         UINT32_MAX, sizeof *packed);
    covey__free(&s->store->heap, packed, count, sizeof *packed, alignof(uint32_t));
    return saved;
}

bool covey__save_entities(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    const covey_world *world = s->world;
    snapshot->tick = world->inner->tick;
    snapshot->alive = world->alive;
    snapshot->range = world->range;
    snapshot->reserved_count = world->inner->reserved_count;
    snapshot->reserved_root = world->inner->reserved_root;
    return (covey__units_save_array(s->store, &s->before->reserved, &snapshot->reserved, world->inner->reserved,
                                    world->inner->reserved_count, UINT32_MAX, sizeof *world->inner->reserved) &&
            save_pages(s) && save_kinds(s)) ||
           covey__save_lacks_memory(s);
}

bool covey__prepare_kinds(covey__rollback *r) {
    const covey__unit *unit = covey__unit_at(&r->snapshot->kinds, 0);
    if (!unit) return true;
    r->kinds = covey__kinds_unpack(r->world, r->store->world, (const uint32_t *)(const void *)covey__unit_bytes(unit));
    return r->kinds || covey__rollback_lacks_memory(r);
}

/* Resets pages that are newer than the snapshot. */
void covey__restore_entities(covey__rollback *r) {
    covey_world *world = r->world;
    const covey__snapshot *snapshot = r->snapshot;
    for (uint32_t i = 0; i < world->page_count; i++) {
        const covey__unit *unit = covey__unit_at(&snapshot->entities, i);
        covey__entity_page *page = covey__entity_page_of(world, i * COVEY_PAGE_SIZE);
        if (unit) covey__copier_add(&r->copier, page, covey__unit_bytes(unit), sizeof *page);
        else if (page) covey__entity_page_reset(page);
    }
    covey__copier_flush(&r->copier);
    world->alive = snapshot->alive;
    world->inner->tick = snapshot->tick;
    world->range = snapshot->range;
    world->inner->reserved_count = snapshot->reserved_count;
    world->inner->reserved_root = snapshot->reserved_root;
    const covey__unit *reserved = covey__unit_at(&snapshot->reserved, 0);
    if (reserved) memcpy(world->inner->reserved, covey__unit_bytes(reserved), reserved->bytes);
    r->kinds = covey__kinds_exchange(world, r->kinds);
    COVEY__TRACE(world, world->destroyed, COVEY_NONE);
}

/* ---- Command buffers ---------------------------------------------------------------------------------------------*/

static bool save_ids(covey__saving *s, const covey_commands *commands, covey__commands_snapshot *snapshot) {
    static const covey__units none;
    const covey__units *before = &none;
    snapshot->number = commands->number;
    snapshot->spent = commands->spent;
    snapshot->count = commands->id_count;
    for (uint32_t i = 0; i < s->before->commands_count; i++)
        if (s->before->commands[i].number == commands->number) before = &s->before->commands[i].ids;
    return covey__units_save_array(s->store, before, &snapshot->ids, commands->ids, commands->id_count, UINT32_MAX,
                                   sizeof *commands->ids) ||
           covey__save_lacks_memory(s);
}

bool covey__save_commands(covey__saving *s) {
    covey__snapshot *snapshot = s->snapshot;
    uint32_t count = 0, at = 0;
    for (const covey_commands *c = s->world->inner->commands; c; c = c->next_of_world) count++;
    snapshot->commands = covey__make_parts(s, &snapshot->commands_count, count, sizeof *snapshot->commands);
    for (const covey_commands *c = s->world->inner->commands; c && s->result == COVEY_OK; c = c->next_of_world)
        save_ids(s, c, &snapshot->commands[at++]);
    return s->result == COVEY_OK;
}

static covey_commands *find_buffer(const covey_world *world, uint64_t number) {
    covey_commands *commands = world->inner->commands;
    while (commands && commands->number != number) commands = commands->next_of_world;
    return commands;
}

/* A newer buffer gets no ids; the ids of a buffer that was destroyed become free. */
void covey__restore_commands(const covey__rollback *r) {
    covey_world *world = r->world;
    for (covey_commands *c = world->inner->commands; c; c = c->next_of_world) covey__commands_set_ids(c, NULL, 0, 0);
    for (uint32_t i = 0; i < r->snapshot->commands_count; i++) {
        const covey__commands_snapshot *snapshot = &r->snapshot->commands[i];
        const covey__unit *unit = covey__unit_at(&snapshot->ids, 0);
        const covey_entity *ids = unit ? (const covey_entity *)(const void *)covey__unit_bytes(unit) : NULL;
        covey_commands *c = find_buffer(world, snapshot->number);
        if (c) covey__commands_set_ids(c, ids, snapshot->spent, snapshot->count);
        else covey__commands_free_ids(world, ids, snapshot->spent, snapshot->count);
    }
}
