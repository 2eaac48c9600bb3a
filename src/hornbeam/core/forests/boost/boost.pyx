"""Boosting: one tree after another, each grown leaf by leaf from binned columns and the gradients of a loss.

Gradients are rounded to integers, up or down at random, so that sums do not depend on the order of rows or on the
number of threads; the values of leaves are computed from the exact gradients. Sums by bin are counted for the smaller
of two siblings, and subtracted from the parent's for the other. Columns of few values share a byte of a row's
record, so that one addition counts several of them.
"""

import numpy as np

from libc.math cimport INFINITY, fabs, frexp, ldexp
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from hornbeam.core.base.crew cimport (
    hb_crew, hb_crew_begin, hb_crew_done, hb_crew_end, hb_crew_next, hb_crew_run, hb_crew_wait, hb_work,
)
from hornbeam.core.base.interrupt cimport raise_stopped, stopping
from hornbeam.core.base.memory cimport hb_pool, hb_pool_add, hb_pool_free, hb_resize, hb_take, take, take_raw
from hornbeam.core.base.random cimport mix
from hornbeam.core.rows.sort cimport hb_merge_sort

cdef extern from "hornbeam/core/forests/boost/loops.h":
    ctypedef struct hb_cutting:
        double gradient
        double curve
        double extra_gradient
        double extra_curve
        double penalty
        double least
    void hb_sum(const uint8_t* records, int64_t stride, int n, const int64_t* words, const uint32_t* rows,
                int64_t first, int64_t n_rows, int64_t* sums) noexcept nogil
    double hb_score_cuts(const int64_t* running, int n, const hb_cutting* cutting, double* score) noexcept nogil
    int64_t hb_part(uint32_t* rows, int64_t n, uint32_t* stay, uint32_t* spare, const uint8_t* codes,
                    const uint8_t* side) noexcept nogil
    int64_t hb_part_wide(uint32_t* rows, int64_t n, uint32_t* stay, uint32_t* spare, const int32_t* codes,
                         const uint8_t* side) noexcept nogil

cdef extern from "hornbeam/core/forests/boost/slopes.h":
    enum:
        HB_SQUARED, HB_ABSOLUTE, HB_HUBER, HB_QUANTILE, HB_POISSON, HB_LOGISTIC, HB_MULTINOMIAL
    const double MOST_LEVELS "HB_MOST_LEVELS"
    const double MOST_GRADIENT "HB_MOST_GRADIENT"
    void hb_slope(int loss, const double* score, const double* target, const float* chance, const double* weight,
                  double parameter, double which, int64_t first, int64_t end, float* slope) noexcept nogil
    void hb_probabilities(const double* score, int n_classes, int64_t n, int64_t first, int64_t end,
                          float* probability) noexcept nogil
    double hb_total(const float* numbers, int step, int64_t first, int64_t end) noexcept nogil
    double hb_squares(const float* numbers, const double* weight, int step, int64_t first, int64_t end) noexcept nogil
    float hb_most(const float* numbers, int step, int64_t first, int64_t end) noexcept nogil
    void hb_round(const float* slope, int curved, double per_gradient, double per_curve, uint32_t key, int64_t first,
                  int64_t end, int64_t* words) noexcept nogil

cdef enum:
    BINS = 256  # of a column of bytes, and of columns that share one
    SET_WORDS = 4  # a bit for each of them
    CHUNK = 8192  # rows whose gradients are summed separately: the same chunks for any number of threads
    MOST_CREW = 64
    PIECE = 2048  # rows of a node that a thread takes at a time, at least
    MOST_PIECES = 64
    ALONE_CELLS = 24_000  # a step with fewer additions is not worth waking other threads
    NO_SLOT = -1
    INTERRUPTED = 2  # how growing may end

cdef int64_t MOST_CURVE = (<int64_t>1 << 32) - 1  # of a word; greater than any sum


cdef struct Column:
    int32_t n_codes  # of known values; n_codes itself represents a missing value
    bint has_missing
    bint nominal
    int32_t monotone
    int32_t group  # the byte of a record that it is in; -1: none
    int32_t step  # of its codes in that byte
    const uint8_t* codes  # by row; NULL where a byte cannot hold them
    const int32_t* wide


cdef struct Group:  # columns that share a byte
    int32_t n_codes
    int32_t n_columns
    int32_t* columns


cdef struct Split:
    double gain  # in units; 0 or less: none
    int32_t column
    int32_t cut  # the last code of the first branch, of a numeric column
    int32_t missing  # branch of rows with a missing value
    int64_t first_sum  # of the first branch
    uint64_t codes[SET_WORDS]  # categories of the first branch


cdef struct Node:
    int64_t begin  # its rows, in Job.rows
    int64_t n_rows
    int64_t total  # the sum of its rows' words
    double weight
    double low  # limits of its value, before shrinking
    double high
    double gradient  # exact sums over its rows
    double curve
    double value
    double gain
    int32_t depth
    int32_t slot
    int32_t first_child
    Split split
    uint8_t* wide_side  # branch of every code of a wide column


cdef struct Entry:  # a category, in the order of its gradient
    double key
    int64_t sum
    double weight
    int32_t code


cdef struct Scratch:  # the memory that one thread works in
    int64_t* private_sums  # of its part of the rows, for two nodes
    int64_t* column_sums  # of one column of a shared byte
    int64_t* wide_sums  # of one column with many codes; zero between uses
    double* column_weights
    int64_t* running  # sums up to a code
    uint8_t* held  # codes that occur
    double* score
    Entry* entries
    Entry* spare_entries
    int32_t* touched
    Split best[2]  # of the two nodes searched


cdef struct Job:
    int64_t n_rows
    int32_t n_columns
    int32_t n_groups
    int64_t stride
    Column* columns
    Group* groups
    const uint8_t* active  # columns that this tree may use
    uint8_t* records
    int64_t* words
    float* slope
    const double* weight  # NULL: every row counts once
    bint curved  # whether second derivatives differ
    int64_t n_used
    bint in_order  # whether Job.rows are all rows, in their order
    int64_t all_total  # of their words
    uint32_t* rows
    uint32_t* spare
    uint32_t* stay
    double gradient_unit
    double curve_unit
    double l1  # in units, like the fields below
    double l2
    double nominal_smoothing
    double category_charge  # subtracted from the gain for every category beyond two
    double floor  # the least curve of a branch
    double least  # the same; a branch with less cannot have the minimum weight either
    double sure  # a branch with this much certainly has the minimum weight
    double min_weight
    double min_gain  # in units
    double real_l2
    double real_l1
    bint limited  # whether monotone columns limit values
    int64_t max_leaves
    int32_t max_depth
    Node* nodes
    int64_t n_nodes
    int64_t room
    int32_t* heap
    int64_t n_heap
    int64_t** slots
    int32_t n_slots
    int32_t most_slots
    int64_t slot_size
    int32_t* free_slots
    int32_t n_free
    hb_crew* crew
    Scratch* scratch
    int n_scratch
    # of the current step
    int team  # the threads that may help
    int counter
    int n_pieces[2]  # of the rows of two nodes
    int piece_counter[2]
    int pieces_done[2]
    uint8_t took_part[2][MOST_CREW]
    int32_t pair[2]  # the smaller and the larger child; -1: none
    int64_t* pair_sums[2]
    bint subtract  # the larger child's sums are the parent's minus the smaller child's
    bint wanted[2]  # whether it is searched
    double* column_gain[2]  # the most that each column's splits gain
    int64_t part_counts[MOST_PIECES]
    const uint8_t* side
    int32_t split_column


include "layout.pxi"
include "search.pxi"
include "nominal.pxi"
include "siblings.pxi"
include "grow.pxi"
include "leaves.pxi"
include "rounding.pxi"
include "class.pxi"
