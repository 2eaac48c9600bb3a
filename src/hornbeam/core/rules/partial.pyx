"""Partial trees: one rule after another, each a leaf of a tree that is grown no further than needed to find it.

At a node the branches are opened in order of entropy, as long as those opened come out as leaves. Where all are leaves
and a leaf in their place is expected to err no more, the node becomes one. The first node that stays parted ends the
growing: every node above it stays parted too. From the root, each node then hands on to the branch whose eventual leaf
weighs most: that leaf is the rule.

The lists of the rows left are filtered, never sorted again, as rules take rows away. A row without a value goes down
every branch as a piece, and what a rule does not take of it is left to the rules after it.

A branch gets its lists when it is looked at, since most never are. Open nodes lie on a stack of our own, since there
may be as many as rows.
"""

import numpy as np

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport free, qsort
from libc.string cimport memcpy, memmove, memset

from hornbeam.core.base.enums cimport BY_CODES, BY_CODE_SETS, BY_CUTS, MULTIWAY
from hornbeam.core.trees.prune.expected_errors cimport expected_errors
from hornbeam.core.base.interrupt cimport raise_stopped, stopping
from hornbeam.core.base.logarithm cimport hb_fill_log_tables, hb_xlog2x
from hornbeam.core.base.memory cimport hb_pool_add, hb_resize, hb_take, take, take_raw
from hornbeam.core.base.tolerance cimport LEAF_MARGIN, SLACK
from hornbeam.core.rows.lists cimport (
    ColumnLists, choose, fill_list, fill_rows, majority, middle_of, values_at_cut, weigh_pieces,
)
from hornbeam.core.trees.split.scan cimport (
    CODED, NOMINAL, SORTED, STEPS, Candidate, Choices, Column, Entry, NodeView, Scratch, code_of, scan_codes,
    scan_sorted,
)

hb_fill_log_tables()

cdef enum:
    OPENED = 1
    DONE = 0
    NO_MEMORY = -1
    CANCELLED = -2

cdef enum State:  # of a branch
    UNOPENED = 0
    LEAF = 1
    PARTED = 2

cdef struct Step:  # one condition of a rule
    int32_t column
    int32_t kind  # kind of split, see enums.pxd
    int32_t branch
    int32_t category  # last code of the lower branch; category apart
    double low  # largest value of the lower branch
    double cut
    double share  # of a row without the value

cdef struct Lists:  # of a node's rows, one per sorted column and one of all rows
    void** entries
    int64_t* lengths
    int64_t n_rows
    bint unit  # every row counts once
    bint own_memory  # to be freed

cdef struct Node:  # open: parted into branches, some of them looked at
    Lists* own_lists
    Lists* lists  # of the branches; entries are NULL until they are needed
    double* counts  # branches x classes
    double* weight  # by branch, as are all below
    double* share
    double* entropy
    int64_t* rows
    uint8_t* state
    uint8_t* takes_missing
    uint8_t* goes_on
    int n_branches
    int n_opened
    int open_branch
    double* own_counts
    double own_weight
    Step step  # its branch and share are set once it is known which is taken
    uint32_t* missing_rows
    double* missing_weight
    int64_t n_missing
    int64_t position  # entries in the lower branch of a sorted column
    void* memory
    bint lent
    int64_t mark  # of the stack, before this node
    int64_t inner_mark  # and before its branches

cdef struct Work:
    const Column* columns
    int n_columns
    int n_lists
    int row_list
    const Choices* choices
    const int64_t* xlogx
    double scale
    double confidence
    double z
    bint prune
    Lists root
    void* list_block
    double* root_counts
    Scratch scratch
    Candidate* candidates
    uint8_t* marked  # by row: stays in a list
    uint32_t* rows  # covered by a rule
    int64_t* places  # of rows in a list
    double* fractions  # and which fraction of it
    double* base_weight  # by row: what is left of it; NULL where every row counts once for ever
    double* row_weight  # of the piece of it that is here
    double* local_weight  # by entry of the row list
    char* stack  # memory used last in, first out
    int64_t stack_size
    int64_t stack_used
    Node* nodes
    int64_t node_room
    Step* steps
    int64_t step_room
    int64_t n_steps
    double* leaf_counts
    double leaf_weight


include "partial_steps.pxi"
include "partial_lists.pxi"


# ---- the walk ------------------------------------------------------------------------------------------------------


cdef int next_branch(const Work* work, const Node* node) noexcept nogil:
    """The unopened branch of least entropy among those that weigh enough; the first that is pure; or -1."""
    cdef int b, best = -1
    cdef double least = 1e300
    for b in range(node.n_branches):
        if node.state[b] != UNOPENED or node.weight[b] < work.choices.min_branch - SLACK or node.weight[b] <= SLACK:
            continue
        if node.entropy[b] < SLACK:
            return b
        if least - node.entropy[b] > SLACK:
            least = node.entropy[b]
            best = b
    return best


cdef double errors_of(const Work* work, const double* counts, double weight) noexcept nogil:
    """Errors to expect of a leaf."""
    cdef int n_classes = work.choices.n_classes
    if weight <= 0.0:
        return 0.0
    return expected_errors(weight, weight - counts[majority(counts, n_classes)], work.confidence, work.z)


cdef bint becomes_leaf(const Work* work, const Node* node) noexcept nogil:
    """Whether a node whose branches are all leaves had better be one."""
    cdef double tree = 0.0
    cdef int b
    if not work.prune:
        return False
    for b in range(node.n_branches):
        tree += errors_of(work, node.counts + b * work.choices.n_classes, node.weight[b])
    return errors_of(work, node.own_counts, node.own_weight) < tree + LEAF_MARGIN + SLACK


cdef void take_branch(Work* work, const Node* node, int64_t depth) noexcept nogil:
    """Hand on to the branch whose eventual leaf weighs most, the first of equals; that of a parted branch is known."""
    cdef int b, best = 0, n_classes = work.choices.n_classes
    cdef double most = -1e300, weight
    for b in range(node.n_branches):
        if node.state[b] == UNOPENED or node.weight[b] < work.choices.min_branch - SLACK:
            continue
        weight = work.leaf_weight if node.state[b] == PARTED else node.weight[b]
        if weight - most > SLACK:
            most = weight
            best = b
    if node.state[best] != PARTED:
        memcpy(work.leaf_counts, node.counts + best * n_classes, n_classes * sizeof(double))
        work.leaf_weight = node.weight[best]
        work.n_steps = depth + 1
    work.steps[depth] = node.step
    work.steps[depth].branch = best
    work.steps[depth].share = node.share[best]


cdef int find_rule(Entry* width, Work* work) noexcept nogil:
    """Find one rule for the rows left: its steps, and the class weights of its leaf; no steps where they are a leaf."""
    cdef int64_t n_open = 0
    cdef int b, status
    cdef Node* node
    work.leaf_weight = count_root(width, work)
    work.n_steps = 0
    memcpy(work.leaf_counts, work.root_counts, work.choices.n_classes * sizeof(double))
    if must_stop(work, work.root_counts, work.leaf_weight, work.root.n_rows):
        return DONE
    status = open_node(width, work, &work.root, work.root_counts, work.leaf_weight, 0)
    if status != OPENED:
        return status
    n_open = 1
    while n_open:
        node = &work.nodes[n_open - 1]
        if stopping():
            status = CANCELLED
            break
        b = next_branch(work, node)
        if b >= 0:
            release_last(work, node)
            node.n_opened += 1
            node.open_branch = b
            node.state[b] = LEAF  # unless it comes out otherwise
            if not node.goes_on[b]:
                continue
            status = open_lists(width, work, node, b)
            if status != DONE:
                break
            if not node.lists[b].unit:
                weigh_pieces(work.row_weight, node.missing_rows, node.missing_weight, node.n_missing, node.share[b])
            status = open_node(width, work, &node.lists[b], node.counts + b * work.choices.n_classes, node.weight[b],
                               n_open)
            if status < DONE:
                break
            n_open += status == OPENED
            continue
        if node.n_opened:  # the rest is too light to be looked at
            for b in range(node.n_branches):
                node.state[b] = LEAF
            if not becomes_leaf(work, node):
                status = take_branches(work, n_open)
                break
        status = DONE
        close_node(work, node)
        n_open -= 1
    while n_open:
        n_open -= 1
        close_node(work, &work.nodes[n_open])
    return status


cdef int take_branches(Work* work, int64_t n_open) noexcept nogil:
    """From the lowest open node up, which stays parted and so do all above it, hand on to a branch."""
    cdef int64_t depth
    if n_open > work.step_room:
        if not hb_resize(&work.steps, (2 * n_open + 64) * sizeof(Step)):
            return NO_MEMORY
        work.step_room = 2 * n_open + 64
    for depth in range(n_open - 1, -1, -1):
        take_branch(work, &work.nodes[depth], depth)
        if depth:
            work.nodes[depth - 1].state[work.nodes[depth - 1].open_branch] = PARTED
    return DONE


# ---- rows taken away -----------------------------------------------------------------------------------------------


cdef int64_t sift(const Work* work, const Step* step, int64_t n) noexcept nogil:
    """Of the first `n` rows, keep those that pass a step, with their fractions; give how many."""
    cdef const Column* column = &work.columns[step.column]
    cdef uint32_t* rows = work.rows
    cdef int64_t i, kept = 0
    cdef uint32_t row
    cdef int b
    cdef double share
    if work.fractions == NULL and column.kind == SORTED:
        for i in range(n):
            row = rows[i]
            rows[kept] = row
            kept += (column.values[row] > step.low) == step.branch
        return kept
    for i in range(n):
        row = rows[i]
        if column.kind == SORTED:
            b = -1 if lacks(column, row) else column.values[row] > step.low
        else:
            b = branch_of_code(column, step, code_of(column, row))
        rows[kept] = row
        if work.fractions != NULL:
            share = step.share if b < 0 else b == step.branch
            work.fractions[kept] = work.fractions[i] * share
            kept += share > 0.0
        else:
            kept += b == step.branch
    return kept


cdef void take_away(Entry* width, Work* work) noexcept nogil:
    """Take from the rows left what the rule covers of them."""
    cdef const Entry* rows = <const Entry*>work.root.entries[work.row_list]
    cdef int shift = work.choices.shift
    cdef int64_t i, d, n = work.root.n_rows, n_gone = 0
    cdef uint32_t row
    for i in range(n):
        row = <uint32_t>(rows[i] >> shift)
        work.rows[i] = row
        work.marked[row] = True
    if work.fractions != NULL:
        for i in range(n):
            work.fractions[i] = 1.0
    for d in range(work.n_steps):
        n = sift(work, &work.steps[d], n)
    for i in range(n):
        row = work.rows[i]
        if work.fractions == NULL or 1.0 - work.fractions[i] <= SLACK:
            work.marked[row] = False
            work.rows[n_gone] = row
            n_gone += 1
        else:
            work.base_weight[row] *= 1.0 - work.fractions[i]
            work.root.unit = False
    drop_rows(width, work, n_gone)
    work.root.n_rows = work.root.lengths[work.row_list]
    if work.row_weight != NULL:
        for i in range(work.root.n_rows):
            row = <uint32_t>(rows[i] >> shift)
            work.row_weight[row] = work.base_weight[row]


include "partial_class.pxi"
