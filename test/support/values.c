#include "values.h"

#include <covey/image.h>

value_ledger values;

typedef struct Pair {
    uint32_t a, b;
} Pair;
typedef struct Triple {
    uint32_t a, b, c;
} Triple;
typedef struct Wide {
    _Alignas(64) uint32_t a[16];
} Wide;
typedef struct Four {
    uint32_t a, b, c, d;
} Four;
typedef struct Small {
    uint8_t a;
} Small;
typedef struct Owned {
    uint32_t token, a;
} Owned;
typedef Four Fixed;
typedef Triple FixedBlank;
typedef Pair Shelf;
typedef Pair Queue;
typedef Triple Blank;
typedef Owned Owner;
typedef Owned FixedOwner;
typedef Owned QueueOwner;
typedef Owned ShelfOwner;
typedef Pair BlockPair;
typedef Triple BlockTriple;
typedef Wide BlockWide;
typedef Small BlockSmall;
typedef Triple BlockBlank;
typedef Owned BlockOwner;
typedef Owned BlockOnlyOwner;
typedef Pair PinnedPair;
typedef Triple PinnedTriple;
typedef Wide PinnedWide;
typedef Small PinnedSmall;
typedef Triple PinnedBlank;
typedef Owned PinnedOwner;
typedef Pair Preset;
typedef Triple BlockPreset;
typedef Owned PresetOwner;

/* ---- Hooks --------------------------------------------------------------------------------------------------------*/

static uint32_t token_of(const void *value) {
    uint32_t token;
    memcpy(&token, value, sizeof token);
    if (token < VALUE_TOKENS) return token;
    values.broken = true;
    return 0;
}

static void own(const void *value) {
    uint32_t token = token_of(value);
    if (token != 0) values.live[token]++;
}

static void drop(void *value, void *context) {
    (void)context;
    uint32_t token = token_of(value);
    if (values.world && covey_alive(values.world, values.dying)) values.broken = true;
    if (token == 0) return;
    if (values.live[token] == 0) values.broken = true;
    else values.live[token]--;
}

static bool copy(void *to, const void *from, void *context) {
    (void)context;
    if (values.copy_fails_in != 0 && --values.copy_fails_in == 0) return false;
    memcpy(to, from, sizeof(Owned));
    own(from);
    return true;
}

/* ---- Codecs -------------------------------------------------------------------------------------------------------*/

static covey_result save_token(covey_codec_writer *writer, const void *value, void *context) {
    (void)context;
    covey_codec_write(writer, COVEY_KIND_U32, &((const Owned *)value)->token, 1);
    return COVEY_OK;
}

static covey_result load_token(covey_codec_reader *reader, void *value, void *context) {
    (void)context;
    covey_codec_read(reader, COVEY_KIND_U32, &((Owned *)value)->token, 1);
    own(value);
    return COVEY_OK;
}

static covey_result save_owned(covey_codec_writer *writer, const void *value, void *context) {
    covey_codec_write(writer, COVEY_KIND_U32, &((const Owned *)value)->a, 1);
    return save_token(writer, value, context);
}

static covey_result load_owned(covey_codec_reader *reader, void *value, void *context) {
    covey_codec_read(reader, COVEY_KIND_U32, &((Owned *)value)->a, 1);
    return load_token(reader, value, context);
}

static const covey_codec token_codec = { .save = save_token, .load = load_token };
static const covey_codec owned_codec = { .save = save_owned, .load = load_owned };

/* ---- Types --------------------------------------------------------------------------------------------------------*/

/* All can be saved: as bytes, by their fields, by functions, or by both. */
COVEY_FIELDS_DEFINE(Triple, u32(a), u32(b), u32(c));
COVEY_FIELDS_DEFINE(Wide, array(u32, a));
COVEY_FIELDS_DEFINE(Four, u32(a), u32(b), u32(c), u32(d));
COVEY_FIELDS_DEFINE(Small, u8(a));
COVEY_FIELDS_DEFINE(Owned, u32(token), u32(a));
static const covey_field behind_token = { "a", COVEY_KIND_U32, offsetof(Owned, a), 1, NULL, { 0 } };
static const covey_fields without_token = { sizeof(Owned), 1, &behind_token };

COVEY_COMPONENT_DEFINE(Pair, .storage = COVEY_STORAGE_SPARSE, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Triple, .storage = COVEY_STORAGE_SPARSE, .fields = &covey_fields_Triple);
COVEY_COMPONENT_DEFINE(Wide, .storage = COVEY_STORAGE_SPARSE, .fields = &covey_fields_Wide);
COVEY_COMPONENT_DEFINE(Small, .storage = COVEY_STORAGE_SPARSE, .fields = &covey_fields_Small);
COVEY_COMPONENT_DEFINE(Fixed, .policy = COVEY_IN_PLACE, .fields = &covey_fields_Four);
COVEY_COMPONENT_DEFINE(Shelf, .policy = COVEY_SWAP_ONLY, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Queue, .policy = COVEY_ORDERED, .as_bytes = true);
COVEY_COMPONENT_DEFINE(Blank, .storage = COVEY_STORAGE_SPARSE, .zero_erased = true, .fields = &covey_fields_Triple);
COVEY_COMPONENT_DEFINE(FixedBlank, .policy = COVEY_IN_PLACE, .zero_erased = true, .fields = &covey_fields_Triple);
COVEY_COMPONENT_DEFINE(Owner, .storage = COVEY_STORAGE_SPARSE, .drop = drop, .copy = copy,
                       .fields = &covey_fields_Owned);
COVEY_COMPONENT_DEFINE(FixedOwner, .policy = COVEY_IN_PLACE, .drop = drop, .fields = &covey_fields_Owned);
COVEY_COMPONENT_DEFINE(QueueOwner, .policy = COVEY_ORDERED, .drop = drop, .copy = copy, .zero_erased = true,
                       .fields = &without_token, .codec = &token_codec);
COVEY_COMPONENT_DEFINE(ShelfOwner, .policy = COVEY_SWAP_ONLY, .drop = drop, .copy = copy, .zero_erased = true,
                       .fields = &covey_fields_Owned);
COVEY_TAG_DEFINE(Flag, .storage = COVEY_STORAGE_SPARSE);
COVEY_TAG_DEFINE(FixedFlag, .policy = COVEY_IN_PLACE);
COVEY_COMPONENT_DEFINE(BlockPair, .as_bytes = true);
COVEY_COMPONENT_DEFINE(BlockTriple, .fields = &covey_fields_Triple);
COVEY_COMPONENT_DEFINE(BlockWide, .as_bytes = true);
COVEY_COMPONENT_DEFINE(BlockSmall, .storage = COVEY_STORAGE_BLOCK, .fields = &covey_fields_Small);
COVEY_COMPONENT_DEFINE(BlockBlank, .zero_erased = true, .as_bytes = true);
COVEY_COMPONENT_DEFINE(BlockOwner, .drop = drop, .copy = copy, .codec = &owned_codec);
COVEY_COMPONENT_DEFINE(BlockOnlyOwner, .storage = COVEY_STORAGE_BLOCK, .drop = drop, .zero_erased = true,
                       .fields = &covey_fields_Owned);
COVEY_TAG_DEFINE(BlockFlag);
COVEY_COMPONENT_DEFINE(PinnedPair, .storage = COVEY_STORAGE_PINNED, .as_bytes = true);
COVEY_COMPONENT_DEFINE(PinnedTriple, .storage = COVEY_STORAGE_PINNED, .fields = &covey_fields_Triple);
COVEY_COMPONENT_DEFINE(PinnedWide, .storage = COVEY_STORAGE_PINNED, .fields = &covey_fields_Wide);
COVEY_COMPONENT_DEFINE(PinnedSmall, .storage = COVEY_STORAGE_PINNED, .as_bytes = true);
COVEY_COMPONENT_DEFINE(PinnedBlank, .storage = COVEY_STORAGE_PINNED, .zero_erased = true, .as_bytes = true);
COVEY_COMPONENT_DEFINE(PinnedOwner, .storage = COVEY_STORAGE_PINNED, .drop = drop, .copy = copy,
                       .fields = &covey_fields_Owned);
COVEY_TAG_DEFINE(PinnedFlag, .storage = COVEY_STORAGE_PINNED);
/* With defaults. That of the owner owns nothing. */
static const Pair preset_pair = { 5, 6 };
static const Triple preset_triple = { 7, 8, 9 };
static const Owned preset_owner = { 0, 10 };
COVEY_COMPONENT_DEFINE(Preset, .storage = COVEY_STORAGE_SPARSE, .as_bytes = true, .defaults = &preset_pair);
COVEY_COMPONENT_DEFINE(BlockPreset, .fields = &covey_fields_Triple, .defaults = &preset_triple);
COVEY_COMPONENT_DEFINE(PresetOwner, .policy = COVEY_SWAP_ONLY, .drop = drop, .copy = copy, .zero_erased = true,
                       .fields = &covey_fields_Owned, .defaults = &preset_owner);

/* As another shared library would define it, in the same words or in others; and as it must not. */
static const covey_type pair_twin = {
    .name = "Pair", .size = sizeof(Pair), .align = _Alignof(Pair), .storage = COVEY_STORAGE_SPARSE, .as_bytes = true
};
static const covey_type queue_sparse = { .name = "Queue",
                                         .size = sizeof(Queue),
                                         .align = _Alignof(Queue),
                                         .storage = COVEY_STORAGE_SPARSE,
                                         .policy = COVEY_ORDERED,
                                         .as_bytes = true };
static const covey_type block_twin = { .name = "BlockTriple",
                                       .size = sizeof(Triple),
                                       .align = _Alignof(Triple),
                                       .storage = COVEY_STORAGE_BLOCK,
                                       .fields = &covey_fields_Triple };
static const covey_type block_clash = { .name = "BlockPair",
                                        .size = sizeof(Pair),
                                        .align = _Alignof(Pair),
                                        .storage = COVEY_STORAGE_SPARSE,
                                        .as_bytes = true };
static const covey_type pinned_clash = { .name = "BlockPair",
                                         .size = sizeof(Pair),
                                         .align = _Alignof(Pair),
                                         .storage = COVEY_STORAGE_PINNED,
                                         .as_bytes = true };
static const covey_type block_policy = { .name = "BlockPolicy",
                                         .size = 4,
                                         .align = 4,
                                         .as_bytes = true,
                                         .storage = COVEY_STORAGE_BLOCK,
                                         .policy = COVEY_IN_PLACE };
static const covey_type triple_clash = {
    .name = "Triple", .size = 8, .align = 4, .storage = COVEY_STORAGE_SPARSE, .as_bytes = true
};
static const covey_type misaligned = { .name = "Misaligned", .size = 12, .align = 8 };
static const covey_type nameless = { .size = 4, .align = 4 };

const covey_type *const value_types[VALUE_TYPES] = {
    covey_id(Pair),
    covey_id(Triple),
    covey_id(Fixed),
    covey_id(Shelf),
    covey_id(Queue),
    covey_id(Flag),
    covey_id(Wide),
    covey_id(Owner),
    covey_id(Small),
    covey_id(FixedOwner),
    covey_id(QueueOwner),
    covey_id(Blank),
    covey_id(FixedBlank),
    covey_id(ShelfOwner),
    covey_id(FixedFlag),
    covey_id(BlockPair),
    covey_id(BlockTriple),
    covey_id(BlockWide),
    covey_id(BlockSmall),
    covey_id(BlockBlank),
    covey_id(BlockOwner),
    covey_id(BlockOnlyOwner),
    covey_id(BlockFlag),
    &pair_twin,
    &queue_sparse,
    &block_twin,
    &block_clash,
    &block_policy,
    &triple_clash,
    &misaligned,
    &nameless,
    covey_id(PinnedPair),
    covey_id(PinnedTriple),
    covey_id(PinnedWide),
    covey_id(PinnedSmall),
    covey_id(PinnedBlank),
    covey_id(PinnedOwner),
    covey_id(PinnedFlag),
    &pinned_clash,
    covey_id(Preset),
    covey_id(BlockPreset),
    covey_id(PresetOwner),
};

const covey_type value_descriptions[VALUE_DESCRIPTIONS] = {
    { .name = "Made", .size = 24, .as_bytes = true, .align = 8, .storage = COVEY_STORAGE_SPARSE },
    { .name = "Made", .size = 16, .as_bytes = true, .align = 8, .storage = COVEY_STORAGE_SPARSE },
    { .name = "MadeFixed", .size = 3, .as_bytes = true, .policy = COVEY_IN_PLACE },
    { .name = "MadeQueue", .size = 32, .as_bytes = true, .align = 32, .policy = COVEY_ORDERED },
    { .name = "MadeTag", .storage = COVEY_STORAGE_SPARSE },
    { .name = "Pair",
      .size = sizeof(Pair),
      .as_bytes = true,
      .align = _Alignof(Pair),
      .storage = COVEY_STORAGE_SPARSE },
    { .name = "", .size = 4, .as_bytes = true, .align = 4 },
    { .name = "MadeBlock", .size = 24, .as_bytes = true, .align = 8 },
    { .name = "MadeBlockTag" },
    { .name = "MadeBlock",
      .size = 24,
      .as_bytes = true,
      .align = 8,
      .storage = COVEY_STORAGE_BLOCK,
      .policy = COVEY_ORDERED },
    { .name = "MadeShelf", .size = 5, .as_bytes = true, .align = 3, .policy = COVEY_SWAP_ONLY },
};

/* ---- Values -------------------------------------------------------------------------------------------------------*/

void value_make(const covey_type *type, uint32_t seed, void *value) {
    unsigned char bytes[VALUE_BYTES];
    for (uint32_t i = 0; i < VALUE_BYTES; i++) bytes[i] = (unsigned char)(seed * 167 + i * 13 + 1);
    Owned owned = { 1 + seed % (VALUE_TOKENS - 1), seed };
    if (type->drop) memcpy(bytes, &owned, sizeof owned);
    memcpy(value, bytes, type->size);
}

void value_make_default(const covey_type *type, void *value) {
    if (type->defaults) memcpy(value, type->defaults, type->size);
    else memset(value, 0, type->size);
}

void value_own(const covey_type *type, const void *value) {
    if (type->drop) own(value);
}

void value_disown(const covey_type *type, const void *value) {
    if (type->drop && token_of(value) != 0) values.live[token_of(value)]--;
}

void value_change(const covey_type *type, void *value) {
    unsigned char *bytes = value;
    for (uint32_t i = type->drop ? 4 : 0; i < type->size; i++) bytes[i] = (unsigned char)(bytes[i] * 5 + 1);
}

/* ---- Literals -----------------------------------------------------------------------------------------------------*/

#define LITERAL(T, verb, target, ...)           \
    if (type == covey_id(T)) {                  \
        T v;                                    \
        memcpy(&v, value, sizeof v);            \
        return verb(target, e, T, __VA_ARGS__); \
    }
#define LITERALS(verb, target)                            \
    LITERAL(Pair, verb, target, { v.a, v.b })             \
    LITERAL(Shelf, verb, target, { v.a, v.b })            \
    LITERAL(Queue, verb, target, { v.a, v.b })            \
    LITERAL(Triple, verb, target, { v.a, v.b, v.c })      \
    LITERAL(Blank, verb, target, { v.a, v.b, v.c })       \
    LITERAL(Fixed, verb, target, { v.a, v.b, v.c, v.d })  \
    LITERAL(Small, verb, target, { v.a })                 \
    LITERAL(Owner, verb, target, { v.token, v.a })        \
    LITERAL(QueueOwner, verb, target, { v.token, v.a })   \
    LITERAL(BlockPair, verb, target, { v.a, v.b })        \
    LITERAL(BlockTriple, verb, target, { v.a, v.b, v.c }) \
    LITERAL(BlockSmall, verb, target, { v.a })            \
    LITERAL(BlockOwner, verb, target, { v.token, v.a })   \
    LITERAL(PinnedPair, verb, target, { v.a, v.b })       \
    LITERAL(PinnedSmall, verb, target, { v.a })

void *value_add(covey_world *world, covey_entity e, const covey_type *type, const void *value) {
    LITERALS(covey_add, world)
    return covey_add_raw(world, e, type, value);
}

void *value_set(covey_world *world, covey_entity e, const covey_type *type, const void *value) {
    LITERALS(covey_set, world)
    return covey_set_raw(world, e, type, value);
}

void *value_get_or_add(covey_world *world, covey_entity e, const covey_type *type, const void *value) {
    LITERALS(covey_get_or_add, world)
    return covey_get_or_add_raw(world, e, type, value);
}

void *value_pool_add(covey_pool *pool, covey_entity e, const covey_type *type, const void *value) {
    LITERALS(covey_pool_add, pool)
    return covey_pool_add_raw(pool, e, value);
}

void *value_pool_set(covey_pool *pool, covey_entity e, const covey_type *type, const void *value) {
    LITERALS(covey_pool_set, pool)
    return covey_pool_set_raw(pool, e, value);
}
