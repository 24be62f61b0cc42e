/* Views, iterations and rows, as inline code sees them. Not API, except for the fields that covey.h names. */
#ifndef COVEY_DETAIL_VIEW_H
#define COVEY_DETAIL_VIEW_H

#ifdef __cplusplus
extern "C" {
#endif

struct covey_view {
    covey_world *world;
    const covey_type *types[COVEY_TERMS]; /* with, optional, any, without; the first `fields` have a field */
    const covey_pool *pools[COVEY_TERMS]; /* NULL where the world did not know the type when the view was made */
    uint8_t with, optional, any, without, fields;
    bool quick;       /* the world knew all types, and no field that is written has ticks */
    bool plain;       /* the same, and all terms are required */
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
    uint64_t left, blocks; /* remaining rows of the block, and blocks of the page; this one is the first */
    uint64_t moves;        /* the addresses of fields are valid while the world's `moves` has this value */
    const uint64_t *now;   /* the address of that counter */
    covey__chunk chunks[COVEY__ROW_CHUNKS]; /* of the first fields */
};

/* Which disabled entities and components a view includes. */
typedef enum covey__asks { COVEY__ASKS_ENTITIES = 1, COVEY__ASKS_COMPONENTS = 2 } covey__asks;

/* How an iteration walks through its entities. */
typedef enum covey__mode {
    COVEY__MODE_NOTHING,
    COVEY__MODE_BLOCKS,    /* by id; all fields are in blocks and required */
    COVEY__MODE_MIXED,     /* by id; the fields in sparse pools are looked up */
    COVEY__MODE_ARRAY,     /* by position in a sparse set; the other fields are looked up */
    COVEY__MODE_SLOTS,     /* by block, the members of a group that owns pools in blocks; other fields are looked up */
    COVEY__MODE_AT_ONCE,   /* the first step found all matches; how to go on is undecided (src/query/at_once.h) */
    COVEY__MODE_IDS,       /* by id, with ticks to mark, or fields that may be absent */
    COVEY__MODE_POSITIONS, /* by position in a sparse set or a list; otherwise as COVEY__MODE_IDS */
    COVEY__MODE_UNDECIDED  /* the first step decides (covey__walk_decide) */
} covey__mode;

/* What an iteration visits: set by its first step, at assertion level 1. */
typedef enum covey__visits { COVEY__VISITS_NOTHING, COVEY__VISITS_SPANS, COVEY__VISITS_ROWS } covey__visits;

/* A column of an iteration: a term of its view. */
typedef struct covey__column {
    covey__chunk chunk;                   /* of the block whose rows are visited one by one */
    const covey_pool *pool;               /* NULL while the world does not know the type */
    const struct covey__block_page *page; /* the current one, for a required pool in blocks */
} covey__column;

/* What assertion level 1 remembers of a pool when a span or row began: its changes, and its number of components. */
typedef struct covey__known {
    uint32_t added, removed, moved, count;
} covey__known;

/* The state of an iteration: what was asked for, how it walks through its entities, which its first step decides, and
 * where it is. */
typedef struct covey__walk covey__walk;
/* Sets the array of a list to the next entities, and its end to their number. Returns false at the end. */
typedef bool covey__refill_fn(covey__walk *walk);

struct covey__walk {
    const covey_view *view;
    const struct covey_group *group; /* its members are the first elements of the set; NULL: the view is asked for */
    const covey_pool *lead;          /* its order is followed; NULL: the order of ids, or of the list */
    const covey_entity *array;       /* walked by position; NULL: ids are walked */
    uint64_t since;                  /* filters by changes after this tick */
    uint32_t end;                    /* of the pages, or positions */
    uint8_t mode;                    /* a covey__mode */
    bool listed;                     /* the array is a list of the program */
    bool simple;                     /* no step was made, and the first one may find all matches at once */
    bool by_id;                      /* the first step went by id, so later ones do, whichever pool is then smallest */
    bool scatters;                   /* rows of the last page are visited one by one, and so may those of the next be */
    /* ---- Decided by the first step ---- */
    uint8_t visits;         /* a covey__visits, at assertion level 1 */
    bool plans;             /* all fields are required, so spans may be planned for whole blocks */
    const uint64_t *shifts; /* the world's: counts values that moved */
    uint32_t next;          /* the page, or the position, to continue with */
    uint32_t from, to;      /* blocks of ids to visit; all of them, unless this is a part */
    uint32_t direct;        /* columns whose values are at the position of the row, or in its block */
    uint32_t most;          /* rows of the next list */
    uint32_t pools;         /* number of pools of the world when those of the terms were looked up */
    /* ---- Zero, unless the first step or a later one sets it ---- */
    bool hides;                  /* something that the view names may be disabled */
    bool asks_more;              /* there are conditions other than components in blocks */
    bool refills;                /* when an element leaves the array, another takes its place */
    bool begun;                  /* the first step has read the array, which may have changed before it */
    bool shares;                 /* a part of an array: other threads may visit ids of the same block */
    uint16_t changed, ticked;    /* fields that the view filters by; fields that are written and have ticks */
    uint32_t looked_up;          /* columns whose values are looked up */
    uint32_t excluded;           /* columns that are checked for each row, and must be absent */
    uint32_t lacking;            /* columns that lacked some of the rows that were last looked up in them */
    uint32_t first;              /* id of the page */
    uint64_t rest;               /* remaining rows of the block */
    uint64_t blocks;             /* remaining blocks of the page: each has matches */
    uint64_t opened;             /* all blocks of the page with matches */
    uint64_t longer;             /* those of them whose rows are not visited one by one: */
    uint64_t full, joined;       /* all 64 ids match and are contiguous; the values of the next block follow */
    uint64_t packed;             /* all ids that are present match, and are contiguous */
    uint64_t scattered;          /* blocks of the page whose rows are visited one by one */
    uint32_t last;               /* index of the entity at the last position, while rows are visited */
    uint32_t along;              /* positions from the next one on whose values follow those of the list */
    uint32_t slot, slots;        /* of the block: the one to continue with, and the end of the members */
    uint32_t destroyed;          /* at assertion level 1: destroyed entities, and changes of the world, */
    uint64_t changes;            /* when the span or row began */
    const covey_sparse_set *set; /* the set whose array is walked; NULL: a list, or ids */
    const covey_pool *hidden;    /* the disabled entities, if the view skips them; or NULL */
    /* ---- Of a list: set when it begins ---- */
    covey__refill_fn *refill; /* NULL: the list is all */
    void *source;             /* of further entities */
    covey__column columns[COVEY_TERMS];
};

/* Entities are found in batches: a span of any length; or scattered rows of a block or a list, each of which is a span
 * of one. */
struct covey_iter {
    COVEY__ALIGN_STACK uint32_t count; /* rows of the span: API */
    uint32_t at, stop;                 /* the number of the span in a list, and how many there are */
    uint32_t block;                    /* of the page */
    uint64_t left; /* rows of the block that are visited one by one, this one first; 0: a list is used */
    bool varies;   /* the spans of the list have different lengths */
    bool slotted;  /* they are blocks whose ids are not consecutive */
    bool ended;    /* there is no further span */
    uint64_t flat; /* rows of the list whose values are contiguous, in the chunks of columns; 0: the list has values */
    covey__walk walk;
    uint64_t matches[COVEY__PAGE_BLOCKS]; /* of the page: bit i of word b is the id of bit i of block b */
    uint32_t rows[COVEY__BATCH];          /* the ids, or positions, at which the spans of the list begin */
    uint32_t counts[COVEY__BATCH];        /* the length of each span, if `varies`; or the slot of a member, by row */
    covey_entity ids[COVEY__BATCH]; /* of a list of rows, which may move in the array; only their indices are used */
    char *values[COVEY__FEW][COVEY__BATCH]; /* where their fields are: see covey__list_of */
    covey__known known[COVEY_TERMS + 2];    /* assertion level 1: of each term, the lead, and the disabled entities */
};

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_VIEW_H */
