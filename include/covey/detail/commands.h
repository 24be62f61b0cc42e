/* The hot path: recording commands. Not API. */
#ifndef COVEY_DETAIL_COMMANDS_H
#define COVEY_DETAIL_COMMANDS_H

#ifdef __cplusplus
extern "C" {
#endif

typedef enum covey__record_kind {
    COVEY__RECORD_END = 0,
    COVEY__RECORD_ADD = 1, /* the first three are stored in the low bits of a type's address */
    COVEY__RECORD_SET = 2,
    COVEY__RECORD_REMOVE = 3,
    COVEY__RECORD_DESTROY = 4, /* these have no type */
    COVEY__RECORD_CREATE = 5,
    COVEY__RECORD_CALL = 6
} covey__record_kind;

/* A command, at a multiple of 8 bytes. The value follows, if the kind has one; for types with a larger alignment than
 * 8, at the next aligned address. */
typedef struct covey__command {
    uint64_t what; /* the address of the type and the kind */
    union {
        covey_entity entity;
        uint64_t bytes; /* of the data of a call; wide enough that the next command is at a multiple of 8, too */
    };
} covey__command;

/* One buffer of bytes, aligned to 64, with command after command.
 *
 *     | done | command, value | command | command, value | END |
 *            next                                        at    room
 *
 *     ids:  | retired soon | recorded as created | ready |
 *           0              spent + created       taken   id_count
 */
struct covey_commands {
    char *at, *room; /* commands that fit between are appended inline; none do while it is busy */
    uint32_t count;  /* remaining commands */
    uint32_t lost;   /* recordings that failed and were not reported yet */
    uint32_t wanted; /* ids to keep ready; 0: each is taken from the world, unless the buffer is `apart` */
    uint32_t spent, taken, id_count, id_capacity;
    bool busy;  /* being replayed or cleared: nothing is recorded */
    bool apart; /* never takes ids from the world while recording, even if it keeps none ready */
    covey_entity *ids;
    char *bytes;
    size_t next;                         /* the command that replaying begins with */
    uint32_t lines;                      /* 64 bytes each */
    uint32_t created;                    /* entities that the current replay has created */
    covey_result result, lost_result;    /* why the last failed recording failed; why the first lost one did, */
    const char *lost_because;            /* in words */
    const covey_type *with[COVEY_TERMS]; /* the types of created entities; NULL ends them */
    covey_world *world;
    covey_commands *next_of_world, *previous_of_world;
    covey__heap heap;
    uint64_t number; /* among all buffers, queues and reactive sets that were ever made */
};

/* Makes room for a command, or returns NULL. */
COVEY_API char *covey__record_slowly(covey_commands *commands, size_t bytes);
COVEY_API bool covey__record_nobody(covey_commands *commands); /* a command for the null handle: false */
COVEY_API bool covey__record_moved(covey_commands *commands);  /* the type has a move hook: false */
/* The same as covey__record, for types that are aligned to more than 8. */
COVEY_API bool covey__record_wide(covey_commands *commands, covey_entity e, const covey_type *type,
                                  covey__record_kind kind, const void *value);

COVEY_API bool covey__record_default(covey_commands *commands, covey_entity e, const covey_type *type,
                                     covey__record_kind kind);

#define COVEY__RECORD_BYTES(size) (sizeof(covey__command) + ((size) + 7) / 8 * 8)

COVEY_HOT bool covey__record(covey_commands *commands, covey_entity e, const covey_type *type, covey__record_kind kind,
                             const void *value, size_t size, bool literal) {
    COVEY__CONTRACT(NULL, commands, "a call needs a buffer");
    COVEY__CONTRACT(commands->world, type || kind == COVEY__RECORD_DESTROY, "a call needs a type");
    COVEY__CONTRACT(commands->world, !type || kind == COVEY__RECORD_REMOVE || size == type->size,
                    "the size is not that of the type");
    if (!COVEY__LIKELY(!covey_is_null(e))) return covey__record_nobody(commands);
    if (size != 0 && !COVEY__LIKELY(!type->move)) return covey__record_moved(commands);
    if (!literal && size != 0 && !value && type->defaults) return covey__record_default(commands, e, type, kind);
    /* If the size is not a multiple of 16, the alignment is at most 8. */
    if (size % 16 == 0 && size != 0 && type->align > 8) return covey__record_wide(commands, e, type, kind, value);
    char *to = commands->at;
    uintptr_t behind = (uintptr_t)to + COVEY__RECORD_BYTES(size);
    bool wraps = sizeof behind < 8 && behind < (uintptr_t)to;
    if (!COVEY__LIKELY(behind <= (uintptr_t)commands->room && !wraps)) {
        to = covey__record_slowly(commands, COVEY__RECORD_BYTES(size));
        if (!to) return false;
    }
    covey__command *command = (covey__command *)(void *)to;
    memcpy(&command->entity, &e, sizeof e); /* whole: gcc 12 would join its parts with `what` in a vector register */
    commands->at = to + COVEY__RECORD_BYTES(size);
    commands->count++;
    command->what = (uint64_t)(uintptr_t)type + (uint64_t)kind;
    if (literal) covey__fill_literal(command + 1, value, size);
    else if (size != 0) covey__fill(command + 1, value, size);
    return true;
}

COVEY_HOT bool covey_record_add_raw(covey_commands *commands, covey_entity e, const covey_type *type,
                                    const void *value) {
    COVEY__CONTRACT(NULL, commands && type, "a call needs a buffer and a type");
    return covey__record(commands, e, type, COVEY__RECORD_ADD, value, type->size, false);
}

COVEY_HOT bool covey_record_set_raw(covey_commands *commands, covey_entity e, const covey_type *type,
                                    const void *value) {
    COVEY__CONTRACT(NULL, commands && type, "a call needs a buffer and a type");
    return covey__record(commands, e, type, COVEY__RECORD_SET, value, type->size, false);
}

COVEY_HOT bool covey_record_remove_raw(covey_commands *commands, covey_entity e, const covey_type *type) {
    return covey__record(commands, e, type, COVEY__RECORD_REMOVE, NULL, 0, false);
}

COVEY_HOT bool covey_record_destroy(covey_commands *commands, covey_entity e) {
    return covey__record(commands, e, NULL, COVEY__RECORD_DESTROY, NULL, 0, false);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_COMMANDS_H */
