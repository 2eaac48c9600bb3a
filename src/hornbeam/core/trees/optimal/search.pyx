"""The best tree of a given depth: branch and bound over every split of every column.

Costs are whole numbers: the errors (or squares) of the leaves in units that the caller has chosen, times a factor, plus
a penalty per leaf of at least 1. So of two trees with the same errors the one with fewer leaves costs less, sums do not
depend on their order, and ties are exact. Among trees of the same cost, the first is chosen: that with the lowest
column at the root, then the lowest split of this column, and the same in the branches.

Bounds: the best tree of some of the rows never costs more than that of all rows, and adding a row costs at most
`loss[row]`. So a cut whose cost is known says how much all cuts around it cost at least, and the costs of two cuts say
how much all cuts between them cost at least. Limits of the leaves' weights are ignored in bounds, where they would not
hold.
"""

import numpy as np

from libc.math cimport rint
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free
from libc.string cimport memcpy, memset

from hornbeam.core.base.interrupt cimport raise_stopped, stopping
from hornbeam.core.base.memory cimport hb_pool, hb_pool_free, hb_resize, take_at, take_raw_at

cdef extern from "hornbeam/core/base/interrupt.h":
    int64_t hb_ticks() noexcept nogil

cdef enum:  # kinds of columns: what their splits are
    CUT = 0  # values up to a cut against those above it
    ONE_APART = 1  # one category against the others
    EACH = 2  # a branch per category
    SLOTS = 72  # bounds that are kept while the cuts of a column are divided: more than twice the bits of a row number
    FEW_SUMS = 4  # with this many sums per row, those of all cuts of a column are kept

cdef enum:  # why a search has stopped
    GOING_ON = 0
    OUT_OF_TIME = 1
    INTERRUPTED = 2
    OUT_OF_MEMORY = 3

cdef int64_t ENDLESS = 1LL << 61  # the cost of a tree that does not exist
cdef int32_t NEVER = 2147483647

ctypedef struct Problem:
    int n, p, width  # rows, columns, sums per leaf (the last one is the weight)
    bint numbers  # the target is numeric
    bint two_sums  # two sums of costs, and no limit of the weight: the fast way of stumps
    bint own_branch  # missing values are above all cuts, or have a category or a branch of their own
    const int32_t* kind  # by column
    const int32_t* code  # by column and row; -1: no value
    const int64_t* sums  # by row, width
    const int32_t* label  # by row: its class, if every error of a row costs the same; else NULL
    const int64_t* loss  # by row: what adding the row costs at most
    int64_t factor, penalty  # of the leaves' costs, per leaf
    int64_t slack  # how much a bound may be wrong because costs are rounded
    int64_t least  # weight of a leaf
    double scale_squares, scale_sums  # numeric target: from sums to units of cost
    int64_t* work  # sums of stumps
    int64_t deadline
    int halt

ctypedef struct Node:  # the rows of a node; for every column their order by code, those without a value last
    int n
    int32_t* row
    int32_t* order
    int32_t* rank  # by column and local row: the number of its group of equal codes, or -1
    int32_t* known
    int32_t* groups
    int64_t leaf  # its cost as a leaf
    int64_t weight
    int64_t value  # the cost of the best tree, or ENDLESS if none is within the limit
    int64_t bound  # no tree costs less
    int column, place  # the split of the best tree of depth two; -1: a leaf
    int n_tokens, room
    int32_t* tokens

ctypedef struct Stump:  # the best split of one column, for the rows of one side
    int64_t relaxed  # cost, whatever the weights of the leaves
    int64_t value  # cost with leaves that are heavy enough
    int place

ctypedef struct Two:
    int64_t* low  # by slot, side and column: what a side costs at least if this column splits it
    int64_t* leaf  # by side and cut: cost as a leaf
    int64_t* below  # the sums of all rows, then by cut those of the rows on side 0; only for few sums
    bint knows_below
    int64_t* lost  # by cut + 1: what the rows up to the cut cost at most if they are added
    int32_t* side  # by local row: the rank in the root's column, or its branch
    int32_t* ordered  # the same by column, in the order of the column
    uint8_t* is_ordered
    int64_t* step  # by column, in its order: see walk.pxi; or what an error of the row costs
    uint8_t* last  # whether a group ends there
    int32_t* label  # see counts.pxi
    int64_t* before
    int64_t* count
    int64_t[2] value  # of the split just examined: the least cost of both sides
    int64_t best, closed  # closed: a bound for all splits that are done with
    int column, place  # of the best split

include "leaf.pxi"
include "nodes.pxi"
include "stump.pxi"
include "walk.pxi"
include "counts.pxi"
include "two.pxi"
include "tokens.pxi"
include "deep.pxi"
include "class.pxi"
