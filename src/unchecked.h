/* The calls themselves, for the files that define them: without the checks that covey/detail/check.h puts before them. */
#ifndef COVEY_UNCHECKED_H
#define COVEY_UNCHECKED_H

#include <covey/covey.h>

#undef covey_pool_has
#undef covey_pool_remove_if
#undef covey_pool_next
#undef covey_pool_at
#undef covey_pool_position
#undef covey_pool_count
#undef covey_pool_swap
#undef covey_pool_reserve
#undef covey_pool_compact
#undef covey_pool_pack
#undef covey_pool_convert
#undef covey_pool_shrink
#undef covey_pool_type
#undef covey_pool_world
#undef covey_pool_memory
#undef covey_pool_storage
#undef covey_pool_advise
#undef covey_pool_map
#undef covey_pool_sort
#undef covey_pool_sort_as
#undef covey_pool_keep
#undef covey_pool_owner
#undef covey_pool_add_raw
#undef covey_pool_set_raw
#undef covey_pool_get_raw
#undef covey_pool_remove_raw
#undef covey_pool_take_raw
#undef covey_pool_get_unchecked_raw
#undef covey_pool_value_at_raw
#undef covey_pool_size
#undef covey_pool_ids
#undef covey_pool_values_raw
#undef covey_pool_page_raw
#undef covey_view_valid
#undef covey_view_fields
#undef covey_view_type
#undef covey_view_reads
#undef covey_view_count
#undef covey_view_first
#undef covey_view_contains
#undef covey_view_iter
#undef covey_view_iter_by
#undef covey_view_iter_list
#undef covey_view_iter_since
#undef covey_view_advise
#undef covey_next
#undef covey_next_row

#endif /* COVEY_UNCHECKED_H */
