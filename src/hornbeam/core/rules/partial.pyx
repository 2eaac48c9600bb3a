"""Partial trees: one rule after another, each a leaf of a tree that is grown only as far as needed to find it.

At a node the branches are expanded in order of entropy, as long as those expanded become leaves. If all are leaves and
a leaf in their place would not have a higher expected error, the node becomes a leaf. The first node that stays split
ends the growing: every node above it stays split too. From the root, each node then passes on to the branch whose final
leaf has the greatest weight: that leaf is the rule.

What a rule leaves is not sorted again, and large nodes are kept for the next rule (partial_parts.pxi). A row with a
missing value goes down every branch as a piece, and the part of it that a rule does not cover is left to later rules.

A branch gets its lists when it is examined, since most never are. Open nodes are on our own stack, since there may be
as many as rows.
"""

import numpy as np

from libc.math cimport fabs, llround
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free
from libc.string cimport memcpy, memset

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
    CODED, NOMINAL, SORTED, STEPS, Candidate, Choices, Chunk, Chunks, ChunkSums, Column, Entry, NodeView, Scratch,
    code_of, scan_chunks, scan_codes, scan_sorted, scan_table, sum_chunk,
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

cdef double LEAST_PART = 1e-3  # share of a branch that may be a part

cdef struct Part  # see partial_parts.pxi

cdef struct Division

cdef struct Loss:  # of weight of a row, to a rule
    uint32_t row
    double before
    double after

cdef struct Step:  # one condition of a rule
    int32_t column
    int32_t kind  # kind of split (see enums.pxd)
    int32_t branch
    int32_t category  # last code of the lower branch; or the category split off
    double low  # largest value of the lower branch
    double cut
    double share  # of a row with a missing value

cdef struct Lists:  # of a node's rows, one per sorted column and one of all rows
    void** entries
    int64_t* lengths
    int64_t n_rows
    bint unit  # every row counts once
    bint own_memory  # to be freed
    Part* part  # that these lists belong to: they stay as they are

cdef struct Node:  # open: split into branches, some of them examined
    Lists* own_lists
    Lists* lists  # of the branches; entries are NULL until they are needed
    double* counts  # branches x classes
    double* weight  # by branch, like all fields below
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
    Division* division  # if the node is a part
    Step step  # its branch and share are set when the branch is chosen
    uint32_t* missing_rows
    double* missing_weight
    int64_t n_missing
    int64_t position  # entries in the lower branch of a sorted column
    void* memory
    bint lent
    int64_t mark  # top of the stack before this node
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
    const int32_t* labels
    int64_t n_table  # rows
    Part* whole  # all remaining rows
    double* root_counts
    int64_t* root_units  # the same in units of 1 / units
    double units
    int64_t chunk_rows
    int64_t part_rows  # fewest of a part
    int64_t kept  # memory of parts
    int64_t most_kept
    int64_t n_rules
    Part* covered_part  # where the rows of the rule are
    int64_t* first_code  # by column, among the codes of all columns
    int64_t n_codes
    ChunkSums chunk_sums
    uint8_t* groups  # of the rows of a chunk
    Loss* losses  # those that some part may not know yet
    int64_t n_losses
    bint unit  # every remaining row counts once
    Scratch scratch
    Candidate* candidates
    uint8_t* marked  # by row: stays in a list
    uint32_t* rows  # covered by a rule
    double* fractions  # and the fraction of each row
    double* base_weight  # by row: its remaining weight
    double* row_weight  # weight of the row's piece in this node
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
include "partial_parts.pxi"
include "partial_part_splits.pxi"


# ---- the walk ------------------------------------------------------------------------------------------------------


cdef int next_branch(const Work* work, const Node* node) noexcept nogil:
    """The unopened branch with the lowest entropy among those with enough weight; the first pure one; or -1."""
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
    """Expected errors of a leaf."""
    cdef int n_classes = work.choices.n_classes
    if weight <= 0.0:
        return 0.0
    return expected_errors(weight, weight - counts[majority(counts, n_classes)], work.confidence, work.z)


cdef bint becomes_leaf(const Work* work, const Node* node) noexcept nogil:
    """Whether a node whose branches are all leaves should become a leaf."""
    cdef double tree = 0.0
    cdef int b
    if not work.prune:
        return False
    for b in range(node.n_branches):
        tree += errors_of(work, node.counts + b * work.choices.n_classes, node.weight[b])
    return errors_of(work, node.own_counts, node.own_weight) < tree + LEAF_MARGIN + SLACK


cdef void take_branch(Work* work, const Node* node, int64_t depth) noexcept nogil:
    """Pass on to the branch whose final leaf has the greatest weight (first on ties); a split branch knows its leaf."""
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
    """Find one rule for the remaining rows: its steps (none if the root is a leaf) and its class weights."""
    cdef int64_t n_open = 0
    cdef int b, status
    cdef Node* node
    renew(width, work, work.whole)
    work.whole.lists.unit = work.unit
    work.leaf_weight = count_root(work)
    work.n_steps = 0
    work.n_rules += 1
    work.covered_part = work.whole
    memcpy(work.leaf_counts, work.root_counts, work.choices.n_classes * sizeof(double))
    if must_stop(work, work.root_counts, work.leaf_weight, work.whole.n_left):
        return DONE
    status = open_node(width, work, &work.whole.lists, work.root_counts, work.leaf_weight, 0)
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
            node.state[b] = LEAF  # unless it turns out otherwise
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
        if node.n_opened:  # the rest is too light to be examined
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
    """From the lowest open node upward, all of which stay split, pass on to a branch."""
    cdef int64_t depth
    if n_open > work.step_room:
        if not hb_resize(&work.steps, (2 * n_open + 64) * sizeof(Step)):
            return NO_MEMORY
        work.step_room = 2 * n_open + 64
    for depth in range(n_open - 1, -1, -1):
        take_branch(work, &work.nodes[depth], depth)
        if depth:
            work.nodes[depth - 1].state[work.nodes[depth - 1].open_branch] = PARTED
    for depth in range(work.n_steps):
        if work.nodes[depth].own_lists.part != NULL:
            work.covered_part = work.nodes[depth].own_lists.part
    return DONE


# ---- removing rows -------------------------------------------------------------------------------------------------


cdef int64_t sift(const Work* work, const Step* step, int64_t n) noexcept nogil:
    """Of the first `n` rows, keep those that pass a step, with their fractions; returns how many."""
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
    """Remove what the rule covers from the remaining rows."""
    cdef const Entry* rows = <const Entry*>work.covered_part.lists.entries[work.row_list]
    cdef int64_t i, d, k, n = 0
    cdef uint32_t row
    cdef Loss loss
    for i in range(work.covered_part.lists.n_rows):
        row = <uint32_t>(rows[i] >> work.choices.shift)
        work.rows[n] = row
        n += work.base_weight[row] > 0.0
    if work.fractions != NULL:
        for i in range(n):
            work.fractions[i] = 1.0
    for d in range(work.n_steps):
        n = sift(work, &work.steps[d], n)
    for i in range(n):
        row = work.rows[i]
        k = work.labels[row]
        loss.row = row
        loss.before = work.base_weight[row]
        work.root_units[k] -= in_units(work, work.base_weight[row])
        if work.fractions == NULL or 1.0 - work.fractions[i] <= SLACK:
            work.base_weight[row] = 0.0
        else:
            work.base_weight[row] *= 1.0 - work.fractions[i]
            work.unit = False
        work.row_weight[row] = work.base_weight[row]
        work.root_units[k] += in_units(work, work.base_weight[row])
        loss.after = work.base_weight[row]
        keep_loss(work, &loss)
    catch_up(work, work.whole)


include "partial_class.pxi"
