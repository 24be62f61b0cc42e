/* Changes that the page makes, and taking them back. */
#ifndef COVEY_INSPECT_EDIT_H
#define COVEY_INSPECT_EDIT_H

#include "value.h"

/* What is needed to take an edit back, if nothing else has changed it since. */
typedef enum inspect__undo_kind {
    INSPECT__UNDO_NONE,
    INSPECT__UNDO_VALUE,    /* of a component: bytes at an offset */
    INSPECT__UNDO_RESOURCE, /* the same of a resource */
    INSPECT__UNDO_ADD,
    INSPECT__UNDO_REMOVE, /* bytes: the whole value */
    INSPECT__UNDO_NAME,
    INSPECT__UNDO_PARENT,
    INSPECT__UNDO_ENABLE, /* it was enabled, and is disabled now; */
    INSPECT__UNDO_DISABLE /* or the other way round; of an entity, or of a component, if there is a type */
} inspect__undo_kind;

typedef struct inspect__undo {
    uint64_t number; /* from 1 on */
    inspect__undo_kind kind;
    covey_entity e, parent, next; /* parent: before; next: the sibling before which it was */
    covey_entity now;             /* the parent that it got */
    const covey_type *type;
    uint32_t offset, size;
    unsigned char *bytes; /* before, and behind them those after; of a component that was removed, only before */
    size_t room;
    char *name, *name_now; /* in `bytes`; "": none */
    bool was_disabled;     /* a component that was removed */
} inspect__undo;

enum { INSPECT__UNDOS = 64 };
typedef struct inspect__undos {
    inspect__undo at[INSPECT__UNDOS]; /* number n is at n % INSPECT__UNDOS */
    uint64_t last;
} inspect__undos;

/* Makes a record with room for so many bytes. False: memory is out, and the request is refused. */
bool inspect__undo_make(inspect__request *request, inspect__undo *undo, inspect__undo_kind kind, size_t room);
/* Keeps it, and drops the oldest. Returns its number. */
uint64_t inspect__undo_keep(covey_inspector *inspector, const inspect__undo *undo);
void inspect__undo_drop(covey_inspector *inspector, inspect__undo *undo);
void inspect__undos_free(covey_inspector *inspector);

/* Writes bytes over a part of a component, so that who listens hears of it. COVEY_OK, or why not. */
covey_result inspect__overwrite(covey_world *world, covey_entity e, const covey_type *type, uint32_t offset,
                                const void *bytes, uint32_t size);

bool inspect__answer_edit(inspect__request *request, covey_world *world);
bool inspect__answer_undo(inspect__request *request, covey_world *world);

#endif
