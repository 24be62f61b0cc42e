/* Edits, which clients make, and undoing them. */
#ifndef COVEY_INSPECT_EDIT_H
#define COVEY_INSPECT_EDIT_H

#include "value.h"

/* What an edit has changed, and so what undoing it restores. An edit can be undone if nothing else has changed the same
 * thing since. */
typedef enum inspect__undo_kind {
    INSPECT__UNDO_NONE,
    INSPECT__UNDO_VALUE,    /* a component: bytes at an offset */
    INSPECT__UNDO_RESOURCE, /* a resource: bytes at an offset */
    INSPECT__UNDO_ADD,
    INSPECT__UNDO_REMOVE, /* `bytes` is the whole value */
    INSPECT__UNDO_NAME,
    INSPECT__UNDO_PARENT,
    INSPECT__UNDO_ENABLE,  /* the edit disabled an entity, or a component if there is a type */
    INSPECT__UNDO_DISABLE, /* the edit enabled one */
    INSPECT__UNDO_SEVERAL  /* the same edit of several entities: a record for each in `parts` */
} inspect__undo_kind;

typedef struct inspect__undo {
    uint64_t number; /* from 1 on */
    inspect__undo_kind kind;
    covey_entity e, parent, next; /* parent: before the edit; next: the sibling after e, before the edit */
    covey_entity now;             /* the parent after the edit */
    const covey_type *type;
    uint32_t offset, size;
    unsigned char *bytes;  /* before the edit, then after it; of a removed component, only before */
    size_t room;           /* size of `bytes` */
    char *name, *name_now; /* before and after the edit, in `bytes`; "": no name */
    bool was_disabled;     /* the removed component */
    struct inspect__undo *parts;
    uint32_t part_count, part_room;
} inspect__undo;

enum { INSPECT__UNDOS = 64, INSPECT__SEVERAL = 500 /* entities of one edit, at most */ };
typedef struct inspect__undos {
    inspect__undo at[INSPECT__UNDOS]; /* number n is at n % INSPECT__UNDOS */
    uint64_t last;
} inspect__undos;

/* Makes a record with `room` bytes. Returns false, and refuses the request, if there is no memory. */
bool inspect__undo_make(inspect__request *request, inspect__undo *undo, inspect__undo_kind kind, size_t room);
/* The same, with room for the records of so many entities. */
bool inspect__undo_make_several(inspect__request *request, inspect__undo *undo, uint32_t entities);
/* Stores a record in place of the oldest one. Returns its number. */
uint64_t inspect__undo_keep(covey_inspector *inspector, const inspect__undo *undo);
void inspect__undo_drop(covey_inspector *inspector, inspect__undo *undo);
void inspect__undos_free(covey_inspector *inspector);

/* Overwrites a part of a component, and emits the signal of a patch. Returns COVEY_OK, or why it failed. */
covey_result inspect__overwrite(covey_world *world, covey_entity e, const covey_type *type, uint32_t offset,
                                const void *from, uint32_t size);

bool inspect__answer_edit(inspect__request *request, covey_world *world);
bool inspect__answer_undo(inspect__request *request, covey_world *world);

#endif
