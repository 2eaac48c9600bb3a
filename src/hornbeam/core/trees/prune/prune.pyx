"""Prune a tree bottom-up; where a branch may be raised, the training rows are sent down again.

Works on any tree of splits. The tree's arrays are copied and changed in place: a node becomes a leaf by losing its
children, and a branch is raised by giving its children and split to its parent. Rows travel as lists of (row, weight);
a row with a missing value goes down every branch in pieces.
"""

import numpy as np

from libc.math cimport NAN, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from hornbeam.core.base.enums cimport BY_CODES, BY_CUTS, BY_SUMS, FRACTIONAL, KEPT, MADE_LEAF, RAISED
from hornbeam.core.trees.branch cimport Split, SplitView, branch_of, fill_splits
from hornbeam.core.trees.prune.expected_errors cimport expected_errors
from hornbeam.core.base.interrupt cimport raise_stopped, stopping
from hornbeam.core.base.memory cimport hb_pool, hb_pool_free, hb_resize, take
from hornbeam.core.base.tolerance cimport LEAF_MARGIN, SLACK

cdef enum:
    DONE = 0
    NO_MEMORY = -1
    CANCELLED = -2
    AGAIN = 1

cdef struct Values:
    const double* numbers  # NULL for codes
    const int32_t* codes


cdef struct Rows:  # rows at a node
    int64_t n
    uint32_t* row
    double* weight  # NULL if every row counts once


cdef struct Step:
    int32_t node
    int8_t action
    double leaf
    double subtree
    double branch


cdef struct Pruning:
    SplitView view
    Values* columns
    const int64_t* surrogate_start  # NULL if the tree has no surrogates
    const int32_t* surrogates
    const int32_t* labels
    int n_classes
    const double* loss  # true class by predicted class; NULL if every error counts once
    int32_t* first_child
    int32_t* n_children
    int32_t* split
    int32_t* missing
    int32_t* origin  # the node from which a node's split came
    double* counts  # nodes x classes
    double* weight
    double* share
    int64_t* rows
    double* estimate  # of the subtree below each node
    double confidence
    double z
    int raising
    int estimate_fully  # do not stop when the decision is clear
    int32_t* branch  # by position in a list: working memory
    Step* steps
    int64_t n_steps
    int64_t room
    int keep_steps


# ---- estimates -----------------------------------------------------------------------------------------------------


cdef int prediction_of(const Pruning* pruning, const double* counts) noexcept nogil:
    """The class with the greatest weight or the lowest cost; the first wins near-ties."""
    cdef double most = 0.0, cost, least = 0.0
    cdef int k, j, n_classes = pruning.n_classes, best = 0
    for k in range(n_classes):
        if pruning.loss == NULL:
            if counts[k] > most + SLACK:
                most = counts[k]
                best = k
            continue
        cost = 0.0
        for j in range(n_classes):
            cost += counts[j] * pruning.loss[j * n_classes + k]
        if k == 0 or cost < least - SLACK:
            least = cost
            best = k
    return best


cdef double wrong(const Pruning* pruning, const double* counts, double* total) noexcept nogil:
    """Weight of the classes that are not predicted."""
    cdef int k
    total[0] = 0.0
    for k in range(pruning.n_classes):
        total[0] += counts[k]
    return total[0] - counts[prediction_of(pruning, counts)]


cdef double estimate(const Pruning* pruning, const double* counts) noexcept nogil:
    """Expected errors of a leaf with these class weights."""
    cdef double total, errors = wrong(pruning, counts, &total)
    if total < SLACK:
        return 0.0
    return expected_errors(total, errors, pruning.confidence, pruning.z)


include "prune_rows.pxi"


# ---- pessimistic pruning -------------------------------------------------------------------------------------------


cdef int branch_errors(Pruning* pruning, int32_t node, const Rows* rows, double stop_at, double* errors) noexcept nogil:
    """Add to `errors` the estimate of a subtree if it had `rows`; stops once it reaches `stop_at`."""
    cdef Branches branches
    cdef double* counts
    cdef int b, status = DONE, n_children = pruning.n_children[node]
    if weigh_nothing(rows):
        return DONE
    if n_children == 0:
        counts = <double*>malloc(pruning.n_classes * sizeof(double))
        if counts == NULL:
            return NO_MEMORY
        count_classes(pruning, rows, counts)
        errors[0] += estimate(pruning, counts)
        free(counts)
        return DONE
    status = send(pruning, node, rows, True, &branches)
    if status == DONE:
        for b in range(n_children):
            if errors[0] >= stop_at:
                break
            status = branch_errors(pruning, pruning.first_child[node] + b, &branches.rows[b], stop_at, errors)
            if status != DONE:
                break
    free_branches(&branches)
    return status


cdef int count_again(Pruning* pruning, int32_t node, const Rows* rows) noexcept nogil:
    """Update class weights, rows and fractions of a subtree from the rows that reach it now."""
    cdef Branches branches
    cdef int b, status, n_children = pruning.n_children[node]
    cdef double* counts = pruning.counts + <int64_t>node * pruning.n_classes
    count_classes(pruning, rows, counts)
    pruning.rows[node] = rows.n
    wrong(pruning, counts, &pruning.weight[node])
    if n_children == 0:
        return DONE
    status = send(pruning, node, rows, True, &branches)
    if status == DONE:
        for b in range(n_children):
            pruning.share[pruning.first_child[node] + b] = branches.share[b]
            status = count_again(pruning, pruning.first_child[node] + b, &branches.rows[b])
            if status != DONE:
                break
    free_branches(&branches)
    return status


cdef int keep_step(Pruning* pruning, int32_t node, int action, double leaf, double subtree,
                   double branch) noexcept nogil:
    if not pruning.keep_steps:
        return DONE
    if pruning.n_steps == pruning.room:
        if not hb_resize(&pruning.steps, (2 * pruning.room + 64) * sizeof(Step)):
            return NO_MEMORY
        pruning.room = 2 * pruning.room + 64
    pruning.steps[pruning.n_steps].node = node
    pruning.steps[pruning.n_steps].action = action
    pruning.steps[pruning.n_steps].leaf = leaf
    pruning.steps[pruning.n_steps].subtree = subtree
    pruning.steps[pruning.n_steps].branch = branch
    pruning.n_steps += 1
    return DONE


cdef inline void make_leaf(Pruning* pruning, int32_t node) noexcept nogil:
    pruning.first_child[node] = -1
    pruning.n_children[node] = 0
    pruning.split[node] = -1


cdef int prune_node(Pruning* pruning, int32_t node, const Rows* rows) noexcept nogil:
    """Prune the children, then the node itself; if a branch is raised, start again."""
    cdef Branches branches
    cdef int b, n_children, status = AGAIN
    cdef int32_t first
    while status == AGAIN:
        if stopping():
            return CANCELLED
        n_children = pruning.n_children[node]
        first = pruning.first_child[node]
        status = DONE
        if has_grandchildren(pruning, node):
            status = send(pruning, node, rows, False, &branches)
            if status == DONE:
                for b in range(n_children):
                    status = prune_node(pruning, first + b, &branches.rows[b])
                    if status != DONE:
                        break
            free_branches(&branches)
        else:
            for b in range(n_children):
                status = decide(pruning, first + b, rows)  # a leaf: its own counts are enough
        if status == DONE:
            status = decide(pruning, node, rows)
    return status


cdef int decide(Pruning* pruning, int32_t node, const Rows* rows) noexcept nogil:
    """Keep a node whose children are pruned, make it a leaf, or replace it by its largest branch (returns AGAIN)."""
    cdef const double* counts = pruning.counts + <int64_t>node * pruning.n_classes
    cdef double leaf = estimate(pruning, counts), subtree = 0.0, raised = NAN, most = 0.0, stop_at
    cdef int32_t first = pruning.first_child[node], child = -1, c
    cdef int status
    if pruning.n_children[node] == 0:
        pruning.estimate[node] = leaf
        return DONE
    for c in range(first, first + pruning.n_children[node]):
        subtree += pruning.estimate[c]
        if pruning.weight[c] >= most - SLACK:  # the last wins ties
            most = pruning.weight[c]
            child = c
    stop_at = leaf - LEAF_MARGIN if leaf < subtree + LEAF_MARGIN + SLACK else subtree + LEAF_MARGIN
    if pruning.raising and pruning.n_children[child] == 0:
        raised = leaf  # raising a leaf is the same as becoming a leaf
    elif pruning.raising:
        raised = 0.0
        status = branch_errors(pruning, child, rows, 1e300 if pruning.estimate_fully else stop_at + 2 * SLACK, &raised)
        if status != DONE:
            return status
    if leaf < subtree + LEAF_MARGIN + SLACK and (not pruning.raising or leaf < raised + LEAF_MARGIN + SLACK):
        make_leaf(pruning, node)
        pruning.estimate[node] = leaf
        return keep_step(pruning, node, MADE_LEAF, leaf, subtree, raised)
    if not pruning.raising or raised >= subtree + LEAF_MARGIN + SLACK:
        pruning.estimate[node] = subtree
        return keep_step(pruning, node, KEPT, leaf, subtree, raised)
    pruning.first_child[node] = pruning.first_child[child]
    pruning.n_children[node] = pruning.n_children[child]
    pruning.split[node] = pruning.split[child]
    pruning.missing[node] = pruning.missing[child]
    pruning.origin[node] = pruning.origin[child]
    status = keep_step(pruning, node, RAISED, leaf, subtree, raised)
    if status == DONE:
        status = count_again(pruning, node, rows)
    return AGAIN if status == DONE else status


include "prune_class.pxi"
