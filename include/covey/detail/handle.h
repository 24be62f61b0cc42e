/* A covey_handle is evaluated once, and comes apart here. Not API. */
#ifndef COVEY_DETAIL_HANDLE_H
#define COVEY_DETAIL_HANDLE_H

#ifdef __cplusplus
extern "C" {
#endif

COVEY_HOT void *covey__handle_add(covey_handle handle, const covey_type *type, const void *value, size_t size,
                                  bool literal) {
    return covey__add(handle.world, handle.entity, type, value, size, literal);
}
COVEY_HOT void *covey__handle_set(covey_handle handle, const covey_type *type, const void *value, size_t size,
                                  bool literal) {
    return covey__set(handle.world, handle.entity, type, value, size, literal);
}
COVEY_HOT bool covey__handle_add_tag(covey_handle handle, const covey_type *type) {
    return covey__add_tag(handle.world, handle.entity, type);
}
COVEY_INLINE bool covey__handle_set_tag(covey_handle handle, const covey_type *type) {
    return covey__set_tag(handle.world, handle.entity, type);
}
COVEY_HOT void *covey__handle_get_or_add(covey_handle handle, const covey_type *type, const void *value, size_t size) {
    return covey__get_or_add(handle.world, handle.entity, type, value, size, true);
}
COVEY_HOT void *covey__handle_get(covey_handle handle, const covey_type *type, size_t size) {
    return covey__get_sized(handle.world, handle.entity, type, size);
}
COVEY_HOT bool covey__handle_has(covey_handle handle, const covey_type *type) {
    return covey_has_raw(handle.world, handle.entity, type);
}
COVEY_HOT bool covey__handle_remove(covey_handle handle, const covey_type *type, size_t size) {
    return covey__remove_sized(handle.world, handle.entity, type, size);
}
COVEY_INLINE bool covey__handle_replace(covey_handle handle, const covey_type *type, void *value) {
    return covey_replace_raw(handle.world, handle.entity, type, value);
}
COVEY_INLINE void *covey__handle_patch(covey_handle handle, const covey_type *type, covey_change_fn *change,
                                       void *context) {
    return covey_patch_raw(handle.world, handle.entity, type, change, context);
}
COVEY_INLINE void *covey__handle_patch_or_add(covey_handle handle, const covey_type *type, covey_change_fn *change,
                                              void *context) {
    return covey_patch_or_add_raw(handle.world, handle.entity, type, change, context);
}
COVEY_INLINE bool covey__handle_take(covey_handle handle, const covey_type *type, void *value) {
    return covey_take_raw(handle.world, handle.entity, type, value);
}
COVEY_INLINE bool covey__handle_has_all(covey_handle handle, const covey_type *const *types) {
    return covey_has_all_raw(handle.world, handle.entity, types);
}
COVEY_INLINE bool covey__handle_has_any(covey_handle handle, const covey_type *const *types) {
    return covey_has_any_raw(handle.world, handle.entity, types);
}

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* COVEY_DETAIL_HANDLE_H */
