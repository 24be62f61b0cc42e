/* Views, iterations and rows, as inline code sees them. Not API, except for the fields that covey.h names. */
#ifndef COVEY_DETAIL_VIEW_H
#define COVEY_DETAIL_VIEW_H

#ifdef __cplusplus
extern "C" {
#endif

struct covey_view {
    covey_world *world;
    const covey_type *types[COVEY_TERMS]; /* with, optional, any, without; the first `fields` have a field */
    uint8_t with, optional, any, without, fields;
    uint8_t asks;     /* a covey__asks: which disabled ones are included */
    uint16_t reads;   /* bit i: field i is only read */
    uint16_t changed; /* bit i: the view filters by changes of field i */
};

#define COVEY__ROW_CHUNKS 4                                     /* fields whose chunks a row keeps */
#define COVEY__BATCH 128                                        /* entries of a list, in views with few fields */
#define COVEY__FEW 4                                            /* fields, and */
#define COVEY__PART (COVEY__BATCH / (COVEY_TERMS / COVEY__FEW)) /* entries of a list in views with more */

/* Compilers keep it in registers. */
struct covey_row {
    uint64_t left, blocks; /* what remains: of the block, the row first; of the page, its block first */
    uint64_t moves;        /* the addresses of fields are valid as long as the world's number is this */
    const uint64_t *now;   /* that number */
    covey__chunk chunks[COVEY__ROW_CHUNKS]; /* of the first fields */
};

/* Which disabled entities and components a view includes. */
typedef enum covey__asks { COVEY__ASKS_ENTITIES = 1, COVEY__ASKS_COMPONENTS = 2 } covey__asks;

/* How an iteration walks through its entities. */
typedef enum covey__mode {
    COVEY__MODE_NOTHING,
    COVEY__MODE_BLOCKS,   /* by id; all fields are in blocks and required */
    COVEY__MODE_MIXED,    /* by id; the fields in sparse pools are looked up */
    COVEY__MODE_ARRAY,    /* by position in a sparse set; the other fields are looked up */
    COVEY__MODE_SLOTS,    /* by block, the members of a group that owns pools in blocks; the same */
    COVEY__MODE_IDS,      /* by id, with ticks to mark, or fields that may be absent */
    COVEY__MODE_POSITIONS /* by position in a sparse set or a list; the same */
} covey__mode;

/* What an iteration visits, since its first step at assertion level 1. */
typedef enum covey__visits { COVEY__VISITS_NOTHING, COVEY__VISITS_SPANS, COVEY__VISITS_ROWS } covey__visits;

/* A column of an iteration: a term of its view. */
typedef struct covey__column {
    covey__chunk chunk;                   /* of the block whose rows are visited one by one */
    const covey_pool *pool;               /* NULL while the world does not know the type */
    const struct covey__block_page *page; /* the current one, for a required pool in blocks */
    uint32_t added, removed, moved;       /* changes of the pool that were known when the span or row began, */
    uint32_t count;                       /* and its components; at assertion level 1 */
} covey__column;

/* How an iteration walks through its entities, and where it is: what is decided at its beginning. */
typedef struct covey__walk {
    const covey_entity *array; /* walked by position; NULL: ids are walked */
    const uint64_t *shifts;    /* the world's: counts values that moved */
    uint8_t mode;              /* a covey__mode */
    bool hides;                /* something that the view names may be disabled */
    bool asks_more;            /* there are more conditions than being in blocks */
    bool refills;              /* when an element leaves the array, another takes its place */
    uint8_t visits;            /* a covey__visits, at assertion level 1 */
    bool begun;                /* the array was read, which may have changed since the iteration was made */
    bool shares;               /* a part of an array: other threads may visit ids of the same block */
    bool plans;                /* all fields are required, so spans may be planned for whole blocks */
    uint32_t first;            /* id of the page */
    uint64_t rest;             /* remaining rows of the block, which were not begun with */
    uint64_t blocks;           /* remaining blocks of the page: each has matches */
    uint64_t opened;           /* all of them */
    uint64_t longer;           /* of these, the ones that are not visited one by one: */
    uint64_t full, joined;     /* all 64 ids match and are contiguous; the values of the next block follow */
    uint64_t packed;           /* all ids that are present match, and are contiguous */
    uint64_t scattered;        /* of all blocks of the page, those that are visited one by one */
    uint32_t next;             /* the page, or the position, to continue with */
    uint32_t end;              /* of the pages, or positions */
    uint32_t from, to;         /* blocks of ids to visit; all of them, unless this is a part */
    uint32_t last;             /* index of the entity at the last position, while rows are visited */
    uint32_t slot, slots;      /* of the block: the one to continue with, and the end of the members */
    uint32_t most;             /* rows of the next list */
    uint32_t looked_up;        /* columns whose values are looked up */
    uint32_t excluded;         /* columns whose pools are checked for each row, and must not have it */
    uint32_t direct;           /* columns whose values are at the row's place in the array, or in its block */
    const covey_view *view;
    const covey_pool *lead;                 /* its order is followed; NULL: that of ids, or of the list */
    const covey_sparse_set *set;            /* whose array is walked; NULL: a list, or ids */
    const struct covey_group *group;        /* its members are the first elements of the set */
    uint64_t changes;                       /* the world's, when the span or row began: at assertion level 1, */
    uint32_t destroyed;                     /* and the number of destroyed entities */
    uint32_t pools;                         /* of the world, when those of the terms were looked up */
    uint16_t changed, ticked;               /* fields: that the view filters by; that are written and have ticks */
    uint64_t since;                         /* the changes after this tick */
    const covey_pool *hidden;               /* the disabled entities, if the view skips them; or NULL */
    covey__column columns[COVEY_TERMS + 2]; /* the last two are for assertion level 1 */
} covey__walk;

/* Entities are found in batches: a span of any length; or the scattered rows of a block, or of a list, which are
 * visited as spans of one. */
struct covey_iter {
    COVEY__ALIGN_STACK uint32_t count; /* rows of the span: API */
    uint32_t at, stop;                 /* the number of the span in a list, and how many there are */
    uint32_t block;                    /* of the page */
    uint64_t left; /* rows of the block that are visited one by one, this one first; 0: a list is used */
    bool varies;   /* the spans of the list have different lengths */
    bool slotted;  /* they are blocks whose ids are not consecutive */
    covey__walk walk;
    uint64_t matches[COVEY__PAGE_BLOCKS];   /* of the page: bit i of word b is the id of bit i of block b */
    uint32_t rows[COVEY__BATCH];            /* the ids, or positions, at which the spans of the list begin */
    uint32_t counts[COVEY__BATCH];          /* their rows, if they are not one each; or slots that members have */
    uint32_t ids[COVEY__BATCH];             /* of a list of rows, which may move in the array */
    char *values[COVEY__FEW][COVEY__BATCH]; /* where their fields are: see covey__list_of */
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_VIEW_H */
