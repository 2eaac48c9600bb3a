"""Partition: send a list's entries to the branches of a split (see partition.pyx)."""

from libc.stdint cimport int32_t, int64_t, uint8_t

from hornbeam.core.trees.split.scan cimport Entry

cdef int64_t filter_list(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags) noexcept nogil

cdef int64_t part_in_two(Entry* entries, int64_t n, const uint8_t* side, int shift, int flags, Entry* other,
                         int64_t* n_other) noexcept nogil

cdef void part_in_many(const Entry* entries, int64_t n, const int32_t* branch, int shift, int n_branches,
                       const uint8_t* takes_missing, Entry** target, int64_t* filled, int64_t* last_run) noexcept nogil

cdef int64_t keep_marked(const Entry* entries, int64_t n, const uint8_t* marks, int shift, bint labeled,
                         Entry* into) noexcept nogil

cdef int64_t part_by_side(Entry* entries, int64_t n, const uint8_t* side, int shift, int stays_side, Entry* other,
                          int64_t* n_other) noexcept nogil
