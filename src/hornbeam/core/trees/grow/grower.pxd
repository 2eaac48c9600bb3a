"""Grow: the shared structs of the grower (see grow.pyx)."""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t

from hornbeam.core.base.memory cimport hb_pool
from hornbeam.core.trees.split.scan cimport Candidate, Choices, Column, NodeView, Plan, Scratch

cdef union Place:  # the position of a cut: its value, or rows on both sides of it, whose values are read at the end
    double cut
    uint32_t rows[2]

cdef struct GrownNode:  # there are many of them, so it is small
    int32_t first_child
    int32_t n_children
    int32_t label
    int32_t split  # its index among the buffer's splits; -1: a leaf
    int32_t graft  # a subtree grown separately, to be inserted here; -1: none
    uint32_t rows
    double weight
    double share

cdef struct GrownSplit:
    int32_t column
    int32_t category
    int32_t missing  # the branch of rows with a missing value, FRACTIONAL or STOP
    int32_t n_extra  # number of further values: cuts, or pairs of code and branch; or LATER
    int8_t kind
    int8_t flipped  # its first branch is above the cut
    Place place
    double score
    double average_gain
    double decrease  # of impurity, in total
    int64_t extra_start

cdef struct Limits:  # limits on what may be learned below a node
    double lower
    double upper
    uint64_t groups  # of columns that may still be used together

cdef struct Surrogate:
    int32_t node
    int32_t column
    int32_t kind
    int32_t flipped
    int32_t n_extra
    int64_t extra_start
    double cut
    double agreement
    double adjusted

cdef struct NodeBuffer:
    GrownNode* nodes
    GrownSplit* splits
    double* counts  # nodes x values: class weights; or weight, center, squared and absolute distance from it
    Limits* limits  # by node; NULL if there are none
    bint limited
    double* extra
    int64_t n_extra
    int64_t extra_room
    Surrogate* surrogates
    int64_t n_surrogates
    int64_t surrogate_room
    int64_t n
    int64_t room
    int64_t n_splits
    int64_t split_room
    int n_classes

cdef struct TraceBuffer:
    int32_t* node
    Candidate* candidates  # records x columns
    double* cuts
    NodeBuffer described  # only its `extra` is used: what describes candidates beyond a cut
    int64_t* extra_start
    int32_t* n_extra
    int64_t n
    int64_t room

cdef struct Frame:  # a node waiting to be grown
    void** lists
    int64_t* lengths
    void* memory  # memory of the lists
    bint lent  # whether that memory is from the workspace's stack; else it is freed with the frame
    double* local_weight  # by entry of the row list; NULL if every row counts once. Used between threads only
    int64_t n_rows
    int32_t node
    int depth
    bint unit  # every row counts once
    bint exact  # entries store exactly how values differ, not only a lower bound

cdef struct Problem:
    const Column* columns
    int n_columns
    int n_lists
    int row_list  # position of the list of all rows, or -1
    int n_sorted  # columns stored as sorted lists
    int tally_list  # position of the same list in the order of sums, or -1
    int64_t n_rows
    const Choices* choices
    const int64_t* xlogx
    double scale
    const double* base_weight
    const double* target  # by row, if it is a number
    int fractional  # rows may be split into pieces
    int alike_in_pairs  # numeric target, sorted columns without missing values, and ties go to the first column

cdef struct Combination:  # the best weighted sum of columns at a node, and the memory to find it
    double* values
    double* weights
    double* target
    double* coefficients
    double* memory
    uint32_t* rows
    int32_t* labels
    double cut
    Candidate candidate

cdef struct Ranked:  # a row and its target, to be sorted
    double target
    uint32_t row

cdef struct Workspace:  # memory of one thread
    hb_pool pool  # most of the memory below
    Scratch scratch
    Candidate* candidates
    uint8_t* side
    int32_t* branch
    double* row_weight
    double* local_weight
    double* branch_counts
    double* fractions
    int64_t* branch_rows
    int64_t* filled
    int64_t* last_run
    void** targets
    uint8_t* takes_missing
    uint8_t* goes_on
    bint all_sent  # the last split has two branches, and every row has a side
    NodeBuffer* buffer
    TraceBuffer* trace
    char* stack  # memory used last in, first out, so that touched pages are reused
    int64_t stack_size
    int64_t stack_used
    uint32_t* stamp  # by original row number
    void* ordered  # entries of one column
    Plan plan
    Combination combination
    uint32_t* rank  # by row: rank of its target in the node
    uint32_t* by_rank
    double* ranked
    Ranked* sorting
    Surrogate* found  # surrogates of one node
    int n_found
    int32_t* found_branch  # branches of their codes
    int code_room  # codes per surrogate
    const int32_t* code_counts  # by column
