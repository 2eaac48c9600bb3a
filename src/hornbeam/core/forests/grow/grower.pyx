"""Grow the trees of a forest from binned columns.

A tree is grown from its sampled rows, on one thread; threads share the trees. At a node, columns are drawn at random
until enough of them can be split; their codes are counted in one pass over the node's records, which are contiguous. If
a node has few rows, only codes that occur are visited, so the cost is proportional to the rows.
"""

import numpy as np

from libc.float cimport DBL_MAX
from libc.math cimport INFINITY, ceil, rint
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memmove, memset

from hornbeam.core.forests.grow.grower cimport (
    BATCH, CANCELLED, CLASSES, DONE, FEW_ROWS, LANE_BITS, LANE_MASK, LANES, MOST_CODES, MOST_LABELS, MOST_ORDERS,
    MOST_PAIR_CUTS, MOST_PRODUCTS, NEAR, NO_MEMORY, NUMBER_WIDTH, PACKED, PAIRS, WEIGHTS, WORDS, FewRow, Found, Job,
    Nodes, PairCut, Room, Sides, Task, Waiting,
)
from hornbeam.core.base.interrupt cimport raise_stopped, stopping
from hornbeam.core.base.logarithm cimport hb_fill_log_tables, hb_log2
from hornbeam.core.base.memory cimport hb_fetch, hb_pool, hb_pool_add, hb_pool_free, hb_resize, hb_take, take, take_raw
from hornbeam.core.base.random cimport below, mix, next_word, unit
from hornbeam.core.rows.sort cimport hb_radix_sort, hb_sort_indices

cdef extern from "hornbeam/core/forests/grow/bits.h":
    ctypedef int64_t word_t "hb_word"
    const double PRODUCT_STEP "HB_PRODUCT_STEP"
    int hb_lowest_bit(uint64_t word) noexcept nogil
    void hb_count_ones(int32_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at, int64_t label_at,
                       int64_t count_at, const uint64_t* shift) noexcept nogil
    void hb_count_pairs(uint64_t* ones, const uint8_t* record, int64_t n, int64_t size, int64_t word_at,
                        int64_t count_at, const uint64_t* shift) noexcept nogil
    uint64_t hb_varying(const uint8_t* record, int64_t n, int64_t size) noexcept nogil

ctypedef fused Tally:
    int32_t
    double

cdef enum:
    CODE_BITS = 8  # of a digit of a code, in sorting
    FEWEST_POLLED = 64  # rows of a node; subtrees of smaller nodes take too little time to poll
    LEAST_DIGITS = 12  # bits of a number, where numbers and counts are summed in one word
    MOST_DIGITS = 31
    TILE = 64  # rows transposed at a time: their codes of all columns stay in the cache
    SPARE_SHARE = 64  # extra records, one per this many that a tree needs, because the next tree may draw more rows

hb_fill_log_tables()

include "count.pxi"
include "few.pxi"
include "pair.pxi"
include "search.pxi"
include "records.pxi"
include "tree.pxi"
include "best.pxi"
include "class.pxi"
