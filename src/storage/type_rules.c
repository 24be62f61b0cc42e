/* The rules that a type's description must follow. Each has a text that reads after the name of the type: what is wrong,
 * and what to do instead. */
#include "memory/alloc.h"
#include "storage/fields.h"
#include "memory/result.h"
#include "storage/sparse_set.h"
#include "storage/storage.h"
#include "storage/type.h"

#include <covey/fields.h>
#include <covey/image.h>

static bool names_policy(const covey_type *type) { return type->policy != COVEY_SWAP_AND_POP; }

bool covey__type_is_internal(const covey_type *type) { return strncmp(type->name, "covey.", 6) == 0; }

static const char *name_fault(const covey_type *type) {
    if (!type->name || !type->name[0]) return "has no name: set .name";
    if (covey__type_is_internal(type)) return "has a name that begins with covey., which is reserved: choose another";
    return NULL;
}

static const char *layout_fault(const covey_type *type) {
    uint32_t align = type->align ? type->align : 1;
    if ((align & (align - 1)) != 0 || align > COVEY__ALIGN_MAX)
        return "has an .align that is no power of two up to 64: use alignof";
    if (type->size % align != 0)
        return "has a .size that is no multiple of its .align: use sizeof and alignof of one struct";
    return NULL;
}

static const char *storage_fault(const covey_type *type) {
    bool asks = type->storage != COVEY_STORAGE_DEFAULT;
    if ((uint32_t)type->policy > COVEY_ORDERED) return "has an unknown .policy: use a value of covey_policy";
    if (asks && !covey__storage_exists(type->storage)) return "has an unknown .storage: use a value of covey_storage";
    if (asks && names_policy(type) && !covey__is_packed_in(type->storage))
        return "has a .policy, which needs a sparse set: leave it out, or say .storage = COVEY_STORAGE_SPARSE";
    if (type->compact_above > 100) return "has a .compact_above over 100: it is a percentage";
    return NULL;
}

static const char *tag_fault(const covey_type *type) {
    if (type->drop || type->copy || type->move) return "is a tag and has .drop, .copy or .move: leave hooks out";
    if (type->zero_erased) return "is a tag and has .zero_erased: leave it out, there are no bytes";
    if (type->as_bytes) return "is a tag and has .as_bytes: leave it out, there are no bytes";
    if (type->codec) return "is a tag and has a .codec: leave it out, there is no value";
    if (type->defaults) return "is a tag and has .defaults: leave them out, there is no value";
    return NULL;
}

static const char *hook_fault(const covey_type *type) {
    if (type->move && type->size > COVEY_MOVE_MAX)
        return "has a .move hook and more than COVEY_MOVE_MAX bytes: keep a large value behind a pointer";
    if (type->defaults && (type->drop || type->move) && !type->copy)
        return "has .defaults and .drop or .move, but no .copy: add the hook that copies the default";
    return NULL;
}

/* What images would make of a value. */
static const char *image_fault(const covey_type *type) {
    if (type->as_bytes && (type->drop || type->copy || type->move))
        return "has .as_bytes and a hook, but its bytes are not all of its value: use .codec instead of .as_bytes";
    if (type->as_bytes && type->fields) return "has .as_bytes and .fields: set one of them";
    if (type->as_bytes && type->codec) return "has .as_bytes and a .codec: set one of them";
    if (type->codec && (!type->codec->save || !type->codec->load))
        return "has a .codec without .save or .load: set both";
    return type->fields ? covey__fields_fault(type->fields, type->size) : NULL;
}

const char *covey__type_fault(const covey_type *type) {
    const char *fault = name_fault(type);
    if (!fault) fault = layout_fault(type);
    if (!fault) fault = storage_fault(type);
    if (!fault && type->size == 0) fault = tag_fault(type);
    if (!fault) fault = hook_fault(type);
    if (!fault) fault = image_fault(type);
    return fault;
}

covey_result covey__fail_type(covey_world *world, const covey_type *type) {
    return covey__fail(world, COVEY_ERROR_TYPE, "type %s is refused: it %s", type->name ? type->name : "(no name)",
                       covey__type_fault(type));
}

covey_storage covey__type_storage(const covey_type *type) {
    return covey__storage_asked_for(type, names_policy(type) ? COVEY_STORAGE_DEFAULT : type->storage);
}
