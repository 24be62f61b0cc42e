/* Words for values. */
#include "inspector.h"

bool inspect__is_internal(const covey_type *type) { return strncmp(type->name, "covey.", 6) == 0; }

const char *inspect__storage_name(covey_storage storage) {
    switch (storage) {
    case COVEY_STORAGE_DEFAULT: return "default";
    case COVEY_STORAGE_SPARSE: return "sparse";
    case COVEY_STORAGE_BLOCK: return "block";
    case COVEY_STORAGE_PINNED: return "pinned";
    }
    return "?";
}

const char *inspect__policy_name(covey_policy policy) {
    switch (policy) {
    case COVEY_SWAP_AND_POP: return "swap and pop";
    case COVEY_IN_PLACE: return "in place";
    case COVEY_SWAP_ONLY: return "swap only";
    case COVEY_ORDERED: return "ordered";
    }
    return "?";
}
