#include "value.h"

#include <covey/image.h>

#include <stdatomic.h>
#include <stdlib.h>

typedef struct Small {
    uint32_t seed;
} Small;
typedef struct Pair {
    uint32_t seed, check;
} Pair;
typedef struct Link {
    covey_entity to;
    uint32_t seed, check;
} Link;
typedef struct Owned {
    uint32_t seed, token;
} Owned;
typedef struct Mover {
    uint32_t seed, token;
    const void *self;
} Mover;
typedef struct Wide {
    _Alignas(64) uint32_t seed;
    uint32_t check[15];
} Wide;

typedef enum form { TAG, SMALL, PAIR, LINK, OWNED, MOVER, WIDE } form;

static uint32_t check_of(uint32_t seed) { return seed * 2654435761u + 12345; }

/* ---- The ledger ---------------------------------------------------------------------------------------------------*/

enum { TOKENS = 1 << 20 };

static struct {
    bool live[TOKENS];
    uint32_t last, count, copies_until_failure;
    bool copy_failed;
    const char *fault;
} ledger;

/* Systems make values on several threads. */
static atomic_flag ledger_in_use = ATOMIC_FLAG_INIT;

static void ledger_lock(void) {
    while (atomic_flag_test_and_set(&ledger_in_use)) {
    }
}

static void ledger_unlock(void) { atomic_flag_clear(&ledger_in_use); }

void ledger_reset(void) {
    memset(ledger.live, 0, ledger.last + 1);
    ledger.last = ledger.count = ledger.copies_until_failure = 0;
    ledger.copy_failed = false;
    ledger.fault = NULL;
}

uint32_t ledger_live(void) { return ledger.count; }
const char *ledger_fault(void) { return ledger.fault; }

bool ledger_fail_copy(uint32_t n) {
    bool failed = ledger.copy_failed;
    ledger.copies_until_failure = n;
    ledger.copy_failed = false;
    return failed;
}

static uint32_t token_new(void) {
    ledger_lock();
    uint32_t token = ++ledger.last;
    if (token == TOKENS) abort(); /* a program makes a few thousand */
    ledger.live[token] = true;
    ledger.count++;
    ledger_unlock();
    return token;
}

static bool token_is_live(uint32_t token) { return token != 0 && token < TOKENS && ledger.live[token]; }

static void blame(const char *what) {
    if (!ledger.fault) ledger.fault = what;
}

static void token_end(uint32_t token) {
    if (!token_is_live(token)) {
        blame("drop of a value that does not live");
        return;
    }
    ledger_lock();
    ledger.live[token] = false;
    ledger.count--;
    ledger_unlock();
}

/* ---- Hooks --------------------------------------------------------------------------------------------------------*/

static bool copy_is_allowed(void) {
    if (ledger.copies_until_failure == 0 || --ledger.copies_until_failure != 0) return true;
    ledger.copy_failed = true;
    return false;
}

static void drop_owned(void *value, void *context) {
    (void)context;
    token_end(((Owned *)value)->token);
}

static bool copy_owned(void *to, const void *from, void *context) {
    const Owned *old = from;
    (void)context;
    if (!token_is_live(old->token)) blame("copy of a value that does not live");
    if (!copy_is_allowed()) return false;
    *(Owned *)to = (Owned){ old->seed, token_new() };
    return true;
}

/* Whether a value with a move hook lives where a hook was told that it does. */
static bool lives_at(const Mover *value) { return value->self == value && token_is_live(value->token); }

static void drop_mover(void *value, void *context) {
    Mover *mover = value;
    (void)context;
    if (!lives_at(mover)) blame("drop of a value that does not live there");
    else token_end(mover->token);
    mover->self = NULL;
}

static bool copy_mover(void *to, const void *from, void *context) {
    const Mover *old = from;
    (void)context;
    if (!lives_at(old)) blame("copy of a value that does not live there");
    if (!copy_is_allowed()) return false;
    *(Mover *)to = (Mover){ old->seed, token_new(), to };
    return true;
}

static void move_mover(void *to, void *from, void *context) {
    Mover *old = from;
    (void)context;
    if (!lives_at(old)) {
        blame("move of a value that does not live there");
        return;
    }
    Mover moved = { old->seed, old->token, to };
    old->self = NULL;
    *(Mover *)to = moved;
}

/* ---- Codecs -------------------------------------------------------------------------------------------------------*/

static covey_result save_seed(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    covey_codec_write(writer, COVEY_KIND_U32, value, 1);
    return COVEY_OK;
}

static covey_result load_owned(covey_codec_reader *reader, void *value, void *context) {
    Owned *owned = value;
    (void)context;
    covey_codec_read(reader, COVEY_KIND_U32, &owned->seed, 1);
    owned->token = token_new();
    return COVEY_OK;
}

/* For a type whose seed is a field. */
static covey_result save_nothing(covey_codec_writer *writer, const void *value, void *context) {
    (void)writer, (void)value, (void)context;
    return COVEY_OK;
}

static covey_result load_token(covey_codec_reader *reader, void *value, void *context) {
    (void)reader, (void)context;
    ((Owned *)value)->token = token_new();
    return COVEY_OK;
}

static const covey_codec owned_codec = { .save = save_seed, .load = load_owned };
static const covey_codec token_codec = { .save = save_nothing, .load = load_token };

/* ---- Types --------------------------------------------------------------------------------------------------------*/

COVEY_FIELDS_DEFINE(Small, u32(seed));
COVEY_FIELDS_DEFINE(Pair, u32(seed), u32(check));
COVEY_FIELDS_DEFINE(Link, entity(to), u32(seed), u32(check));
COVEY_FIELDS_DEFINE(Owned, u32(seed), padding(uint32_t, token));
COVEY_FIELDS_DEFINE(Wide, u32(seed), array(u32, check));

typedef Pair Block;
typedef Small BlockTick;
typedef Owned BlockOwner;
typedef Mover BlockMover;
typedef Link BlockLink;
typedef Wide BlockWide;
typedef Owned BlockUnique;
typedef Pair Pinned;
typedef Owned PinnedOwner;
typedef Mover PinnedMover;
typedef Pair Sparse;
typedef Small SparseTick;
typedef Owned SparseOwner;
typedef Mover SparseMover;
typedef Link SparseLink;
typedef Pair SparseToo;
typedef Pair Fixed;
typedef Mover FixedMover;
typedef Pair Shelf;
typedef Owned ShelfOwner;
typedef Small Ordered;
typedef Owned OrderedOwner;

COVEY_COMPONENT_DEFINE(Block, .as_bytes = true);
COVEY_TAG_DEFINE(BlockTag, .ticks = true);
COVEY_COMPONENT_DEFINE(BlockTick, .ticks = true, .fields = &covey_fields_Small);
COVEY_COMPONENT_DEFINE(BlockOwner, .drop = drop_owned, .copy = copy_owned, .codec = &owned_codec);
COVEY_COMPONENT_DEFINE(BlockMover, .drop = drop_mover, .copy = copy_mover, .move = move_mover, .transient = true);
COVEY_COMPONENT_DEFINE(BlockLink, .ticks = true, .fields = &covey_fields_Link);
COVEY_COMPONENT_DEFINE(BlockWide, .fields = &covey_fields_Wide);
COVEY_COMPONENT_DEFINE(BlockUnique, .drop = drop_owned, .transient = true);
COVEY_COMPONENT_DEFINE(Pinned, .storage = COVEY_STORAGE_PINNED, .as_bytes = true);
COVEY_COMPONENT_DEFINE(PinnedOwner, .storage = COVEY_STORAGE_PINNED, .drop = drop_owned, .copy = copy_owned,
                       .fields = &covey_fields_Owned, .codec = &token_codec);
COVEY_COMPONENT_DEFINE(PinnedMover, .storage = COVEY_STORAGE_PINNED, .drop = drop_mover, .copy = copy_mover,
                       .move = move_mover, .transient = true);
COVEY_COMPONENT_DEFINE(Sparse, .storage = COVEY_STORAGE_SPARSE, .fields = &covey_fields_Pair);
COVEY_TAG_DEFINE(SparseTag, .storage = COVEY_STORAGE_SPARSE);
COVEY_COMPONENT_DEFINE(SparseTick, .storage = COVEY_STORAGE_SPARSE, .ticks = true, .fields = &covey_fields_Small);
COVEY_COMPONENT_DEFINE(SparseOwner, .storage = COVEY_STORAGE_SPARSE, .drop = drop_owned, .copy = copy_owned,
                       .zero_erased = true, .codec = &owned_codec);
COVEY_COMPONENT_DEFINE(SparseMover, .storage = COVEY_STORAGE_SPARSE, .drop = drop_mover, .copy = copy_mover,
                       .move = move_mover, .transient = true);
COVEY_COMPONENT_DEFINE(SparseLink, .storage = COVEY_STORAGE_SPARSE, .ticks = true, .fields = &covey_fields_Link);
COVEY_COMPONENT_DEFINE(SparseToo, .storage = COVEY_STORAGE_SPARSE, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Fixed, .policy = COVEY_IN_PLACE, .fields = &covey_fields_Pair);
COVEY_COMPONENT_DEFINE(FixedMover, .policy = COVEY_IN_PLACE, .drop = drop_mover, .copy = copy_mover, .move = move_mover,
                       .transient = true);
COVEY_COMPONENT_DEFINE(Shelf, .policy = COVEY_SWAP_ONLY, .as_bytes = true);
COVEY_COMPONENT_DEFINE(ShelfOwner, .policy = COVEY_SWAP_ONLY, .drop = drop_owned, .copy = copy_owned,
                       .fields = &covey_fields_Owned, .codec = &token_codec);
COVEY_COMPONENT_DEFINE(Ordered, .policy = COVEY_ORDERED, .ticks = true, .fields = &covey_fields_Small);
COVEY_COMPONENT_DEFINE(OrderedOwner, .policy = COVEY_ORDERED, .drop = drop_owned, .copy = copy_owned,
                       .zero_erased = true, .codec = &owned_codec);

#define TYPES                                                                                                \
    covey_ids(Block, BlockTag, BlockTick, BlockOwner, BlockMover, BlockLink, BlockWide, BlockUnique, Pinned, \
              PinnedOwner, PinnedMover, Sparse, SparseTag, SparseTick, SparseOwner, SparseMover, SparseLink, \
              SparseToo, Fixed, FixedMover, Shelf, ShelfOwner, Ordered, OrderedOwner)
const covey_type *const value_types[NAIVE_TYPES] = { TYPES };
const covey_type *const value_list[NAIVE_TYPES + 1] = { TYPES NULL };

static const form forms[NAIVE_TYPES] = {
    PAIR, TAG,   SMALL, OWNED, MOVER, LINK, WIDE, OWNED, PAIR, OWNED, MOVER, PAIR,
    TAG,  SMALL, OWNED, MOVER, LINK,  PAIR, PAIR, MOVER, PAIR, OWNED, SMALL, OWNED
};

uint32_t value_type_number(const covey_type *type) {
    for (uint32_t i = 0; i < NAIVE_TYPES; i++)
        if (type == value_types[i] || strcmp(type->name, value_types[i]->name) == 0) return i;
    return NAIVE_TYPES;
}

bool value_is_tag(uint32_t type) { return forms[type] == TAG; }
bool value_has_link(uint32_t type) { return forms[type] == LINK; }
uint32_t value_seed_offset(uint32_t type) { return forms[type] == LINK ? (uint32_t)offsetof(Link, seed) : 0; }
bool value_has_ticks(uint32_t type) { return value_types[type]->ticks; }
bool value_is_saved(uint32_t type) { return !value_types[type]->transient; }
bool value_can_be_copied(uint32_t type) { return value_types[type]->copy || !value_types[type]->drop; }

/* ---- Values -------------------------------------------------------------------------------------------------------*/

void value_make(uint32_t type, uint32_t seed, covey_entity link, void *value) {
    memset(value, 0, VALUE_BYTES);
    value_make_packed(type, seed, link, value);
}

void value_make_packed(uint32_t type, uint32_t seed, covey_entity link, void *value) {
    if (forms[type] == OWNED) ((Owned *)value)->token = token_new();
    if (forms[type] == MOVER) *(Mover *)value = (Mover){ seed, token_new(), value };
    value_write(type, value, seed, link);
}

void value_relocate(uint32_t type, void *to, void *from) {
    if (value_types[type]->move) value_types[type]->move(to, from, NULL);
    else memcpy(to, from, value_types[type]->size);
}

void value_end(uint32_t type, void *value) {
    if (value_types[type]->drop) value_types[type]->drop(value, NULL);
}

static void write_wide(Wide *wide, uint32_t seed) {
    wide->seed = seed;
    for (uint32_t i = 0; i < 15; i++) wide->check[i] = check_of(seed + i);
}

void value_write(uint32_t type, void *value, uint32_t seed, covey_entity link) {
    switch (forms[type]) {
    case TAG: break;
    case SMALL: *(Small *)value = (Small){ seed }; break;
    case PAIR: *(Pair *)value = (Pair){ seed, check_of(seed) }; break;
    case LINK: *(Link *)value = (Link){ link, seed, check_of(seed) }; break;
    case OWNED: ((Owned *)value)->seed = seed; break;
    case MOVER: ((Mover *)value)->seed = seed; break;
    case WIDE: write_wide(value, seed); break;
    }
}

static bool wide_is_whole(const Wide *wide) {
    if ((uintptr_t)wide % 64 != 0) return false;
    for (uint32_t i = 0; i < 15; i++)
        if (wide->check[i] != check_of(wide->seed + i)) return false;
    return true;
}

static bool link_read(const Link *value, covey_entity *link) {
    *link = value->to;
    return value->check == check_of(value->seed);
}

bool value_read(uint32_t type, const void *value, uint32_t *seed, covey_entity *link) {
    *link = COVEY_NULL;
    *seed = 0;
    if (forms[type] == TAG) return true;
    *seed = forms[type] == LINK ? ((const Link *)value)->seed : *(const uint32_t *)value;
    switch (forms[type]) {
    case PAIR: return ((const Pair *)value)->check == check_of(*seed);
    case LINK: return link_read(value, link);
    case OWNED: return token_is_live(((const Owned *)value)->token);
    case MOVER: return lives_at(value);
    case WIDE: return wide_is_whole(value);
    default: return true;
    }
}
