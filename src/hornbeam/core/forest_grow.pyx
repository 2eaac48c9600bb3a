"""Grow the trees of a forest from binned columns.

A tree is grown on the rows drawn for it, on one thread; trees are shared out. At a node columns are drawn at random
until enough of them can be split; their codes are counted in one pass over the rows, which lie row by row. Where a node
has few rows, copies of them are laid close together, and only codes that occur are looked at: a node costs what its
rows cost.
"""

import numpy as np

from libc.math cimport INFINITY, log2, rint
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from hornbeam.core.forest_grow cimport (
    BATCH,
    CANCELLED,
    DONE,
    MOST_CODES,
    MOST_ORDERS,
    NO_MEMORY,
    NUMBER_WIDTH,
    WORDS,
    Found,
    Job,
    Nodes,
    Room,
    Task,
    View,
    Waiting,
)
from hornbeam.core.memory cimport hb_take
from hornbeam.core.random cimport below, mix, next_word, unit

cdef extern from *:
    """
    #define hb_prefetch(place) __builtin_prefetch(place)
    #define hb_trailing_zeros(bits) __builtin_ctzll(bits)
    """
    void prefetch "hb_prefetch"(const void* place) noexcept nogil
    int trailing_zeros "hb_trailing_zeros"(uint64_t bits) noexcept nogil

ctypedef fused Tally:
    int32_t
    double

DEF LEAST_DIGITS = 12  # bits of a number, where numbers and counts are summed in one word
DEF MOST_DIGITS = 31
DEF COPY_BYTES = 262_144  # rows of a subtree are copied where their records fit here
DEF AHEAD = 8  # rows whose records are asked for in advance
DEF CLOSE_BYTES = 12_288  # and once more here

include "forest_grow_count.pxi"
include "forest_grow_search.pxi"
include "forest_grow_tree.pxi"
include "forest_grow_best.pxi"
include "forest_grow_class.pxi"
