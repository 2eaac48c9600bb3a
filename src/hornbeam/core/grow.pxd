"""Grow: the shared structs of the grower (see grow.pyx)."""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t

from hornbeam.core.scan cimport Candidate, Choices, Column, NodeView, Scratch

cdef enum SplitKind:  # as in model/split.py
    BY_CUTS = 0
    BY_CODES = 1
    BY_CODE_SETS = 2

cdef struct GrownNode:
    int32_t first_child
    int32_t n_children
    int32_t column
    int32_t kind
    int32_t category
    int32_t label
    int32_t graft  # a subtree grown apart, to be put here; -1: none
    int64_t rows
    double weight
    double share
    double cut
    double score
    double average_gain

cdef struct NodeBuffer:
    GrownNode* nodes
    double* counts  # nodes x classes
    int64_t n
    int64_t room
    int n_classes

cdef struct TraceBuffer:
    int32_t* node
    Candidate* candidates  # records x columns
    double* cuts
    int64_t n
    int64_t room

cdef struct Frame:  # a node waiting to be grown
    void** lists
    int64_t* lengths
    void* memory  # what the lists live in
    bint lent  # that memory is of the workspace's stack, else it is freed with the frame
    double* local_weight  # by entry of the row list; NULL where every row counts once. Used between threads only
    int64_t n_rows
    int32_t node
    int depth
    bint unit  # every row counts once
    bint exact  # entries say exactly how values differ, not only the least they do

cdef struct Problem:
    const Column* columns
    int n_columns
    int n_lists
    int row_list  # position of the list of all rows, or -1
    int64_t n_rows
    const Choices* choices
    const int64_t* xlogx
    double scale
    const double* base_weight
    int fractional  # rows may be split into pieces

cdef struct Workspace:  # one thread's
    Scratch scratch
    Candidate* candidates
    uint8_t* side
    int32_t* branch
    double* row_weight
    double* local_weight
    double* branch_counts
    double* shares
    int64_t* branch_rows
    int64_t* filled
    int64_t* last_run
    void** targets
    uint8_t* takes_missing
    uint8_t* goes_on
    NodeBuffer* buffer
    TraceBuffer* trace
    const int* cancelled
    char* stack  # memory used last in, first out, so that pages once touched serve again
    int64_t stack_size
    int64_t stack_used
