"""Cut a tree back, bottom up, with the rows it was grown on (or held-out rows) sent down again.

Works on any tree of splits. The tree's arrays are copied and changed in place: a node becomes a leaf by losing its
children, and a branch is raised by giving its children and split to its parent. Rows travel as lists of (row, weight);
a row without a value goes down every branch in pieces.
"""

import numpy as np

from libc.math cimport NAN, fmax, pow, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint32_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memset

from hornbeam.core.branch cimport BY_CODES, BY_CUTS, BY_SUMS, Split, SplitView, branch_of, fill_splits

cdef double SLACK = 1e-6  # weights and errors closer than this are equal
cdef double MARGIN = 0.1  # a simpler tree is taken if its estimate is no more than this above (Quinlan 1993)

cdef enum:
    DONE = 0
    NO_MEMORY = -1
    CANCELLED = -2
    AGAIN = 1
    FRACTIONAL = -1  # as in model/tree.py

cdef enum Action:  # as in model/trace.py
    KEPT = 0
    MADE_LEAF = 1
    RAISED = 2

cdef struct Values:
    const double* numbers  # NULL where codes
    const int32_t* codes


cdef struct Rows:  # rows at a node
    int64_t n
    uint32_t* row
    double* weight  # NULL where every row counts once


cdef struct Step:
    int32_t node
    int8_t action
    double leaf
    double subtree
    double branch


cdef struct Pruning:
    SplitView view
    Values* columns
    const int32_t* labels
    int n_classes
    int32_t* first_child
    int32_t* n_children
    int32_t* split
    int32_t* missing
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
    const int* cancelled


# ---- estimates -----------------------------------------------------------------------------------------------------


cdef double extra_errors(double weight, double errors, double confidence, double z) noexcept nogil:
    """What the upper confidence limit adds to the errors of a leaf (Quinlan 1993, chapter 4)."""
    cdef double none, f, limit
    if confidence > 0.5:
        return 0.0
    if errors < 1.0:
        none = weight * (1.0 - pow(confidence, 1.0 / weight))
        if errors == 0.0:
            return none
        return none + errors * (extra_errors(weight, 1.0, confidence, z) - none)
    if errors + 0.5 >= weight:
        return fmax(weight - errors, 0.0)
    f = (errors + 0.5) / weight
    limit = (f + z * z / (2 * weight) + z * sqrt(f / weight - f * f / weight + z * z / (4 * weight * weight)))
    return limit / (1 + z * z / weight) * weight - errors


cdef double wrong(const double* counts, int n_classes, double* total) noexcept nogil:
    """Weight outside the majority class."""
    cdef double most = 0.0, least_most = 0.0
    cdef int k, best = 0
    total[0] = 0.0
    for k in range(n_classes):
        total[0] += counts[k]
        if counts[k] > least_most + SLACK:
            least_most = counts[k]
            best = k
    most = counts[best]
    return total[0] - most


cdef double estimate(const Pruning* pruning, const double* counts) noexcept nogil:
    """Errors to expect of a leaf with these class weights."""
    cdef double total, errors = wrong(counts, pruning.n_classes, &total)
    if total < SLACK:
        return 0.0
    return errors + extra_errors(total, errors, pruning.confidence, pruning.z)


# ---- rows ----------------------------------------------------------------------------------------------------------


cdef inline bint weigh_nothing(const Rows* rows) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    if rows.weight == NULL:
        return rows.n == 0
    for i in range(rows.n):
        total += rows.weight[i]
        if total >= SLACK:
            return False
    return True


cdef void count_classes(const Pruning* pruning, const Rows* rows, double* counts) noexcept nogil:
    cdef int64_t i
    memset(counts, 0, pruning.n_classes * sizeof(double))
    for i in range(rows.n):
        counts[pruning.labels[rows.row[i]]] += 1.0 if rows.weight == NULL else rows.weight[i]


cdef inline double sum_terms(const Pruning* pruning, const Split* split, int64_t row) noexcept nogil:
    cdef double total = 0.0
    cdef int64_t i
    for i in range(split.start, split.stop):
        total += pruning.view.term_coefficient[i] * pruning.columns[pruning.view.term_column[i]].numbers[row]
    return total


cdef int64_t find_branches(Pruning* pruning, int32_t node, const Rows* rows) noexcept nogil:
    """Each row's branch at a node into `pruning.branch`; give how many have none."""
    cdef const Split* split = &pruning.view.splits[pruning.split[node]]
    cdef const Values* column = &pruning.columns[split.column]
    cdef int32_t* branch = pruning.branch
    cdef int64_t i, n_missing = 0
    cdef double value, cut = split.cut
    cdef int32_t code
    cdef bint simple = split.equal_low and not split.flipped and pruning.missing[node] < 0
    if split.kind == BY_CUTS and column.numbers != NULL and split.stop - split.start == 1 and simple:
        for i in range(rows.n):
            value = column.numbers[rows.row[i]]
            branch[i] = -1 if value != value else value > cut
            n_missing += value != value
        return n_missing
    if split.kind == BY_SUMS:
        for i in range(rows.n):
            branch[i] = branch_of(&pruning.view, split, sum_terms(pruning, split, rows.row[i]))
    elif column.numbers == NULL and split.kind == BY_CODES:
        for i in range(rows.n):
            code = column.codes[rows.row[i]]
            branch[i] = -1 if code < 0 or code >= split.stop - split.start else pruning.view.codes[split.start + code]
    elif column.numbers == NULL:
        for i in range(rows.n):
            code = column.codes[rows.row[i]]
            branch[i] = -1 if code < 0 else branch_of(&pruning.view, split, code)
    else:
        for i in range(rows.n):
            branch[i] = branch_of(&pruning.view, split, column.numbers[rows.row[i]])
    for i in range(rows.n):
        if branch[i] < 0:
            if pruning.missing[node] >= 0:
                branch[i] = pruning.missing[node]
            else:
                n_missing += 1
    return n_missing


cdef bint has_grandchildren(const Pruning* pruning, int32_t node) noexcept nogil:
    cdef int32_t c
    for c in range(pruning.first_child[node], pruning.first_child[node] + pruning.n_children[node]):
        if pruning.n_children[c]:
            return True
    return False


cdef int send(Pruning* pruning, int32_t node, const Rows* rows, const double* given_share, bint to_leaves,
              Rows* children, double* share, void** memory) noexcept nogil:
    """Rows of a node to its children; not to those that are leaves unless `to_leaves`.

    Shares for rows without a value are `given_share`, or where that is NULL those of these rows. `memory` holds all
    children's lists, to be freed by the caller.
    """
    cdef int n_children = pruning.n_children[node], b
    cdef int64_t n_missing = find_branches(pruning, node, rows), i, total = 0
    cdef const int32_t* branch = pruning.branch
    cdef double known = 0.0, w
    cdef bint pieces = False
    cdef char* place
    for b in range(n_children):
        children[b].n = 0
        children[b].weight = NULL
        share[b] = 0.0
    if rows.weight == NULL:
        for i in range(rows.n):
            if branch[i] >= 0:
                children[branch[i]].n += 1
        for b in range(n_children):
            share[b] = children[b].n
            known += share[b]
    else:
        for i in range(rows.n):
            if branch[i] >= 0:
                children[branch[i]].n += 1
                share[branch[i]] += rows.weight[i]
        for b in range(n_children):
            known += share[b]
    for b in range(n_children):
        if given_share != NULL:
            share[b] = given_share[b]
        elif known < SLACK:
            share[b] = 1.0 / n_children
        else:
            share[b] /= known
        if n_missing and share[b] > SLACK:
            children[b].n += n_missing
            pieces = True
        if not to_leaves and pruning.n_children[pruning.first_child[node] + b] == 0:
            children[b].n = 0
        total += children[b].n
    pieces = pieces or rows.weight != NULL
    memory[0] = malloc(total * (sizeof(uint32_t) + (sizeof(double) if pieces else 0)) + 8)
    if memory[0] == NULL:
        return NO_MEMORY
    place = <char*>memory[0]
    for b in range(n_children):
        if pieces:
            children[b].weight = <double*>place
            place += children[b].n * sizeof(double)
    for b in range(n_children):
        children[b].row = <uint32_t*>place if children[b].n else NULL
        place += children[b].n * sizeof(uint32_t)
        children[b].n = 0
    for i in range(rows.n):
        b = branch[i]
        if b >= 0 and children[b].row != NULL:
            children[b].row[children[b].n] = rows.row[i]
            if pieces:
                children[b].weight[children[b].n] = 1.0 if rows.weight == NULL else rows.weight[i]
            children[b].n += 1
    if n_missing:  # pieces come last, the order in which their weights are added up
        for i in range(rows.n):
            if branch[i] >= 0:
                continue
            w = 1.0 if rows.weight == NULL else rows.weight[i]
            for b in range(n_children):
                if share[b] > SLACK and children[b].row != NULL:
                    children[b].row[children[b].n] = rows.row[i]
                    children[b].weight[children[b].n] = w * share[b]
                    children[b].n += 1
    return DONE


cdef int open_children(int n_children, Rows** children, double** share) noexcept nogil:
    children[0] = <Rows*>malloc(n_children * sizeof(Rows))
    share[0] = <double*>malloc(n_children * sizeof(double))
    return DONE if children[0] != NULL and share[0] != NULL else NO_MEMORY


# ---- pessimistic pruning -------------------------------------------------------------------------------------------


cdef int branch_errors(Pruning* pruning, int32_t node, const Rows* rows, double stop_at, double* errors) noexcept nogil:
    """Add to `errors` the estimate of a subtree were it given `rows`; stop once it has reached `stop_at`."""
    cdef Rows* children = NULL
    cdef double* share = NULL
    cdef void* memory = NULL
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
    status = open_children(n_children, &children, &share)
    if status == DONE:
        status = send(pruning, node, rows, NULL, True, children, share, &memory)
    if status == DONE:
        for b in range(n_children):
            if errors[0] >= stop_at:
                break
            status = branch_errors(pruning, pruning.first_child[node] + b, &children[b], stop_at, errors)
            if status != DONE:
                break
    free(memory)
    free(children)
    free(share)
    return status


cdef int count_again(Pruning* pruning, int32_t node, const Rows* rows) noexcept nogil:
    """Class weights, rows and shares of a subtree from the rows that reach it now."""
    cdef Rows* children = NULL
    cdef double* share = NULL
    cdef void* memory = NULL
    cdef int b, status, n_children = pruning.n_children[node]
    cdef double* counts = pruning.counts + <int64_t>node * pruning.n_classes
    count_classes(pruning, rows, counts)
    pruning.rows[node] = rows.n
    wrong(counts, pruning.n_classes, &pruning.weight[node])
    if n_children == 0:
        return DONE
    status = open_children(n_children, &children, &share)
    if status == DONE:
        status = send(pruning, node, rows, NULL, True, children, share, &memory)
    if status == DONE:
        for b in range(n_children):
            pruning.share[pruning.first_child[node] + b] = share[b]
            status = count_again(pruning, pruning.first_child[node] + b, &children[b])
            if status != DONE:
                break
    free(memory)
    free(children)
    free(share)
    return status


cdef int keep_step(Pruning* pruning, int32_t node, int action, double leaf, double subtree,
                   double branch) noexcept nogil:
    cdef void* moved
    if not pruning.keep_steps:
        return DONE
    if pruning.n_steps == pruning.room:
        moved = realloc(pruning.steps, (2 * pruning.room + 64) * sizeof(Step))
        if moved == NULL:
            return NO_MEMORY
        pruning.steps = <Step*>moved
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
    """Prune the children, then the node itself; where a branch is raised, start again."""
    cdef Rows* children
    cdef double* share
    cdef void* memory
    cdef int b, n_children, status = AGAIN
    cdef int32_t first
    while status == AGAIN:
        if pruning.cancelled[0]:
            return CANCELLED
        n_children = pruning.n_children[node]
        first = pruning.first_child[node]
        status = DONE
        if has_grandchildren(pruning, node):
            children = NULL
            share = NULL
            memory = NULL
            status = open_children(n_children, &children, &share)
            if status == DONE:
                status = send(pruning, node, rows, NULL, False, children, share, &memory)
            if status == DONE:
                for b in range(n_children):
                    status = prune_node(pruning, first + b, &children[b])
                    if status != DONE:
                        break
            free(memory)
            free(children)
            free(share)
        else:
            for b in range(n_children):
                status = decide(pruning, first + b, rows)  # a leaf: its own counts say it all
        if status == DONE:
            status = decide(pruning, node, rows)
    return status


cdef int decide(Pruning* pruning, int32_t node, const Rows* rows) noexcept nogil:
    """Keep a node whose children are pruned, make it a leaf, or put its largest branch in its place (gives AGAIN)."""
    cdef const double* counts = pruning.counts + <int64_t>node * pruning.n_classes
    cdef double leaf = estimate(pruning, counts), subtree = 0.0, raised = NAN, most = 0.0, stop_at
    cdef int32_t first = pruning.first_child[node], child = -1, c
    cdef int status
    if pruning.n_children[node] == 0:
        pruning.estimate[node] = leaf
        return DONE
    for c in range(first, first + pruning.n_children[node]):
        subtree += pruning.estimate[c]
        if pruning.weight[c] >= most - SLACK:  # the last of equals
            most = pruning.weight[c]
            child = c
    stop_at = leaf - MARGIN if leaf < subtree + MARGIN + SLACK else subtree + MARGIN
    if pruning.raising and pruning.n_children[child] == 0:
        raised = leaf  # a leaf in its place is a leaf
    elif pruning.raising:
        raised = 0.0
        status = branch_errors(pruning, child, rows, 1e300 if pruning.estimate_fully else stop_at + 2 * SLACK, &raised)
        if status != DONE:
            return status
    if leaf < subtree + MARGIN + SLACK and (not pruning.raising or leaf < raised + MARGIN + SLACK):
        make_leaf(pruning, node)
        pruning.estimate[node] = leaf
        return keep_step(pruning, node, MADE_LEAF, leaf, subtree, raised)
    if not pruning.raising or raised >= subtree + MARGIN + SLACK:
        pruning.estimate[node] = subtree
        return keep_step(pruning, node, KEPT, leaf, subtree, raised)
    pruning.first_child[node] = pruning.first_child[child]
    pruning.n_children[node] = pruning.n_children[child]
    pruning.split[node] = pruning.split[child]
    pruning.missing[node] = pruning.missing[child]
    status = keep_step(pruning, node, RAISED, leaf, subtree, raised)
    if status == DONE:
        status = count_again(pruning, node, rows)
    return AGAIN if status == DONE else status


# ---- reduced-error pruning -----------------------------------------------------------------------------------------


cdef double held_out_errors(const Pruning* pruning, const Rows* rows, int label) noexcept nogil:
    """Weight of the rows that are not of class `label`."""
    cdef double errors = 0.0
    cdef int64_t i
    for i in range(rows.n):
        if pruning.labels[rows.row[i]] != label:
            errors += 1.0 if rows.weight == NULL else rows.weight[i]
    return errors


cdef int majority_of(const Pruning* pruning, int32_t node) noexcept nogil:
    cdef const double* counts = pruning.counts + <int64_t>node * pruning.n_classes
    cdef int k, best = 0
    cdef double most = 0.0
    for k in range(pruning.n_classes):
        if counts[k] > most + SLACK:
            most = counts[k]
            best = k
    return best


cdef int reduce_node(Pruning* pruning, int32_t node, const Rows* rows, int parent_label) noexcept nogil:
    """Prune the children, then make the node a leaf if that errs no more on the held-out rows. Sets `estimate`."""
    cdef Rows* children = NULL
    cdef double* share = NULL
    cdef void* memory = NULL
    cdef int b, n_children = pruning.n_children[node], status
    cdef int label = majority_of(pruning, node) if pruning.weight[node] > SLACK else parent_label
    cdef int32_t first = pruning.first_child[node]
    cdef double leaf = held_out_errors(pruning, rows, label), subtree = 0.0
    pruning.estimate[node] = leaf
    if n_children == 0:
        return DONE
    if pruning.cancelled[0]:
        return CANCELLED
    status = open_children(n_children, &children, &share)
    if status == DONE:
        status = send(pruning, node, rows, &pruning.share[first], True, children, share, &memory)
    if status == DONE:
        for b in range(n_children):
            status = reduce_node(pruning, first + b, &children[b], label)
            if status != DONE:
                break
            subtree += pruning.estimate[first + b]
    free(memory)
    free(children)
    free(share)
    if status != DONE:
        return status
    if leaf < subtree + SLACK:
        make_leaf(pruning, node)
        return keep_step(pruning, node, MADE_LEAF, leaf, subtree, NAN)
    pruning.estimate[node] = subtree
    return keep_step(pruning, node, KEPT, leaf, subtree, NAN)


include "prune_class.pxi"
