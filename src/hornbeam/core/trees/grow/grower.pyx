"""Grow a tree from sorted lists, depth first, on one thread or several.

Each node is examined (every column is searched, one is chosen), divided (rows are assigned to branches, children are
made) and parted (lists are divided among the children). All children except the largest get their own lists and are
grown first; the largest reuses the parent's memory, so lists never need much more than the root's, and the recursion is
not deeper than the logarithm of the number of rows.

A row whose value is missing goes down every branch as a piece. A row is in a node at most once, so one array of
weights by row is enough for a whole depth-first walk: the weights of pieces are set before each branch is entered.

With several threads, the columns of large nodes are shared among threads, and smaller nodes become tasks. Each task has
its own memory, and nodes are numbered at the end, so the tree does not depend on the number of threads.
"""

from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.math cimport INFINITY, fabs, log
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset

from hornbeam.core.base.enums cimport (
    ABSOLUTE, BY_CODE_SETS, BY_CODES, BY_CUTS, BY_SUMS, BY_SURROGATE, ENTROPY, FRACTIONAL, GINI, IN_PIECES,
    MULTIWAY, NO_GAIN, NO_SPLIT, ONE_VS_REST, OUTSCORED, STOP, SUBSET, VARIANCE, is_relative,
)
from hornbeam.core.base.logarithm cimport hb_fill_log_tables
from hornbeam.core.trees.split.combine cimport Combining, best_combination, combination_memory
from hornbeam.core.trees.split.cuts cimport Bins, greedy_memory, optimal_memory
from hornbeam.core.base.interrupt cimport poll, stopping
from hornbeam.core.base.memory cimport hb_large_pages, hb_pool, hb_pool_add, hb_pool_free, hb_resize, hb_take, take
from hornbeam.core.base.tolerance cimport SLACK
from hornbeam.core.trees.split.impurity cimport check_criterion, impurity, misclassification_impurity
from hornbeam.core.rows.lists cimport (
    ColumnLists, choose, compare_neighbors, fill_list, fill_rows, majority, middle_of, values_at_cut, weigh_pieces,
)
from hornbeam.core.rows.partition cimport filter_list, keep_marked, part_by_side, part_in_many, part_in_two
from hornbeam.core.rows.sort cimport hb_merge_sort_rows
from hornbeam.core.trees.split.scan cimport (
    CODED, NOMINAL, SORTED, STEPS, Candidate, Choices, Column, Entry, NodeView, Plan, Scratch, code_of, scan_codes,
    scan_sorted, value_of,
)
from hornbeam.core.trees.split.search cimport (
    bound_cuts, cut_numbers, cut_pair, search_bins, search_codes, search_pair_roughly, search_roughly,
    search_sorted,
)

hb_fill_log_tables()

cdef double LOG_2 = log(2.0)
cdef double EQUAL_NUMBERS = 1e-13  # numbers that differ by at most this fraction of their size are equal
cdef double LEAST_TERM = 0.2  # fraction of the best term's contribution (Breiman et al. 1984)
cdef double LEAST_BETTER = 1e-9  # by how much a sum of columns must be better than a single one
cdef double NEARLY_BEST = 1e-9  # generous bound of the error of the fast path
cdef double LEAST_ADJUSTED = 1e-10  # a surrogate must agree by more than this beyond the majority rule

cdef enum:
    DONE = 0
    NO_MEMORY = -1
    CANCELLED = -2

cdef enum:
    LATER = -1
    NUMBER_VALUES = 5  # values of a node: weight, center, squared and absolute distance from it, mean
    MOST_BINS = 2000  # as in search.pyx
    FEWEST_POLLED = 64  # rows of a node; subtrees of smaller nodes take too little time to poll
    MANY_POLLED = 4096  # rows of a node for which each single column takes long
    FEWEST_BOUNDED = 64  # rows of a node for which bounds are computed before columns are searched
    SURROGATE_ROWS = 2  # a surrogate must have this many rows on each side


include "steps.pxi"
include "examine.pxi"
include "surrogates.pxi"
include "combine.pxi"
include "divide.pxi"
include "children.pxi"

# ---- the depth-first walk ------------------------------------------------------------------------------------------


cdef int examine(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                 double* average) noexcept nogil:
    """Scan all columns of a node on this thread; returns the chosen column or -1."""
    cdef int c, chosen
    if frame.n_rows == 2 and problem.alike_in_pairs and work.trace == NULL:
        # two rows: every column that separates them has the same gain, so the first wins
        for c in range(problem.n_columns):
            if (<const Entry*>frame.lists[problem.columns[c].position])[1] & 2:
                average[0] = 0.0
                scan_columns(width, problem, work, work, frame, c, c + 1)
                return c if work.candidates[c].verdict == OUTSCORED else -1
        return -1
    gather_weights(width, problem, work, frame)
    rank_targets(width, problem, work, frame)
    scan_columns(width, problem, work, work, frame, 0, problem.n_columns)
    refine(width, problem, work, frame)
    chosen = choose(problem.columns, problem.n_columns, problem.choices, work.candidates, average)
    return try_combination(width, problem, work, frame, chosen)


cdef void gather_weights(Entry* width, const Problem* problem, Workspace* work, const Frame* frame) noexcept nogil:
    """The weights of a node's rows, in the order of its row list."""
    cdef int64_t i
    cdef const Entry* rows
    if frame.unit or problem.row_list < 0:
        return
    rows = <const Entry*>frame.lists[problem.row_list]
    for i in range(frame.n_rows):
        work.local_weight[i] = work.row_weight[rows[i] >> problem.choices.shift]


cdef int grow_frame(Entry* width, const Problem* problem, Workspace* work, Frame* frame) noexcept nogil:
    """Grow the node of `frame` and all below it. The frame's memory is overwritten, and freed by the caller."""
    cdef Frame pair[2]
    cdef Frame* children
    cdef double average
    cdef int chosen, n_branches, b, stays, status = DONE
    cdef int64_t n_missing, first, i, m, mark = work.stack_used
    cdef uint32_t* missing_rows
    cdef double* missing_weight
    cdef const Entry* rows
    while True:
        if frame.n_rows > FEWEST_POLLED and stopping():
            return CANCELLED
        if problem.n_rows >= problem.choices.zoom_from and frame.n_rows * problem.choices.zoom <= problem.n_rows:
            return grow_renumbered(width, problem, work, frame)
        chosen = examine(width, problem, work, frame, &average)
        if work.trace != NULL:
            if record(width, problem, work, frame) != DONE:
                return NO_MEMORY
        if chosen < 0:
            return DONE
        first = divide(width, problem, work, frame, chosen, average, &n_branches, &n_missing)
        if first < 0:
            return NO_MEMORY
        stays = largest_to_go_on(work, n_branches)
        if stays < 0:
            return DONE
        missing_rows = NULL
        missing_weight = NULL
        if n_missing:
            missing_rows = <uint32_t*>malloc(n_missing * sizeof(uint32_t))
            missing_weight = <double*>malloc(n_missing * sizeof(double))
            if missing_rows == NULL or missing_weight == NULL:
                free(missing_rows)
                free(missing_weight)
                return NO_MEMORY
            rows = <const Entry*>frame.lists[problem.row_list]
            m = 0
            for i in range(frame.n_rows):
                b = rows[i] >> problem.choices.shift
                if (work.branch[b] < 0) if n_branches > 2 else (work.side[b] == 2):
                    missing_rows[m] = b
                    missing_weight[m] = work.row_weight[b]
                    m += 1
        children = pair
        if n_branches > 2:
            children = <Frame*>calloc(n_branches, sizeof(Frame))
        if children == NULL:
            status = NO_MEMORY
        else:
            mark = work.stack_used
            status = open_children(width, problem, work, work, frame, children, first, n_branches, stays)
        if status == DONE:
            part_lists(width, problem, work, work, frame, children, n_branches, stays, 0, problem.n_lists)
        for b in range(n_branches):
            if b == stays or children == NULL or children[b].memory == NULL:
                continue
            if status == DONE:
                if not children[b].unit:
                    weigh_pieces(work.row_weight, missing_rows, missing_weight, n_missing,
                                 work.buffer.nodes[first + b].share)
                status = grow_frame(width, problem, work, &children[b])
            if not children[b].lent:
                free(children[b].memory)
        work.stack_used = mark
        if status == DONE:
            frame.node = <int32_t>(first + stays)
            frame.n_rows = children[stays].n_rows
            frame.unit = children[stays].unit
            frame.exact = False
            frame.depth += 1
            if not frame.unit:
                weigh_pieces(work.row_weight, missing_rows, missing_weight, n_missing,
                             work.buffer.nodes[first + stays].share)
        if n_branches > 2:
            free(children)
        free(missing_rows)
        free(missing_weight)
        if status != DONE:
            return status


cdef int grow_renumbered(Entry* width, const Problem* problem, Workspace* work, Frame* frame) noexcept nogil:
    """Grow a small part of a large problem as a separate problem with renumbered rows.

    Values looked up by row are then close together in memory.
    """
    cdef Problem inner = problem[0]
    cdef Workspace room = work[0]
    cdef int64_t n = frame.n_rows, padded = (n + 16) & ~15
    cdef int64_t columns_size = (problem.n_columns * <int64_t>sizeof(Column) + 15) & ~15
    cdef int64_t size = columns_size + ((renumbered_bytes(problem, n) + 15) & ~15) + padded * (4 + 1 + 4 + 8 + 8)
    cdef char* memory = lend(&room, size)
    cdef bint lent = memory != NULL
    cdef char* place
    cdef int status
    if not lent:
        memory = <char*>malloc(size)
    if memory == NULL:
        return NO_MEMORY
    place = memory + columns_size
    if work.row_weight != NULL:
        room.row_weight = <double*>place
        place += 8 * padded
    if problem.target != NULL:
        inner.target = <double*>place
        place += 8 * padded
    if work.branch != NULL:
        room.branch = <int32_t*>place
        place += 4 * padded
    room.side = <uint8_t*>(place + 4 * padded)
    inner.columns = <Column*>memory
    inner.n_rows = n
    status = number_anew(width, problem, work, frame, &room, <double*>inner.target, <uint32_t*>place, <Column*>memory,
                         place + 4 * padded + padded)
    if status == DONE:
        status = grow_frame(width, &inner, &room, frame)
    if not lent:
        free(memory)
    return status


cdef int64_t renumbered_bytes(const Problem* problem, int64_t n) noexcept nogil:
    """Size of the memory for values looked up by row, for `n` rows; each column is aligned to eight bytes."""
    cdef int64_t total = 0
    cdef int c
    for c in range(problem.n_columns):
        total += column_bytes(problem, c, n)
    return total


cdef inline int64_t column_bytes(const Problem* problem, int c, int64_t n) noexcept nogil:
    """Gather codes; and values, if neighbors must be compared by value, not only for equality."""
    if problem.columns[c].kind == SORTED:
        return n * <int64_t>sizeof(double) if problem.choices.min_gap > 0.0 else 0
    return (n * (4 if problem.columns[c].wide else 1) + 8) & ~7


cdef int number_anew(Entry* width, const Problem* problem, const Workspace* work, Frame* frame, Workspace* room,
                     double* target, uint32_t* origin, Column* columns, char* looked_up) noexcept nogil:
    """Renumber a frame's rows from 0 in all its lists, and gather the values looked up by row."""
    cdef int shift = problem.choices.shift, c, j
    cdef int64_t i, row, n = frame.n_rows
    cdef Entry low_bits = (<Entry>1 << shift) - 1, entry, number
    cdef Entry* entries = <Entry*>frame.lists[problem.row_list if problem.row_list >= 0 else 0]
    cdef uint32_t* numbers = <uint32_t*>lend(room, (problem.n_rows + 1) * sizeof(uint32_t))
    cdef bint lent = numbers != NULL
    cdef Column* column
    if not lent:
        numbers = <uint32_t*>malloc((problem.n_rows + 1) * sizeof(uint32_t))
    if numbers == NULL:
        return NO_MEMORY
    for i in range(n):
        row = entries[i] >> shift
        numbers[row] = <uint32_t>i
        origin[i] = <uint32_t>row
        if room.row_weight != NULL:
            room.row_weight[i] = work.row_weight[row]
        if target != NULL:
            target[i] = problem.target[row]
    for j in range(problem.n_lists):
        entries = <Entry*>frame.lists[j]
        for i in range(frame.lengths[j]):
            entry = entries[i]
            number = numbers[entry >> shift]
            entries[i] = (number << shift) | (entry & low_bits)
    if lent:
        room.stack_used = <char*>numbers - room.stack
    else:
        free(numbers)
    for c in range(problem.n_columns):
        column = &columns[c]
        column[0] = problem.columns[c]
        if column.kind == SORTED:
            if problem.choices.min_gap > 0.0:
                for i in range(n):
                    (<double*>looked_up)[i] = value_of(&problem.columns[c], origin[i])
                column.values = <double*>looked_up
        elif column.wide:
            for i in range(n):
                (<int32_t*>looked_up)[i] = (<const int32_t*>problem.columns[c].codes)[origin[i]]
            column.codes = looked_up
        else:
            for i in range(n):
                (<uint8_t*>looked_up)[i] = (<const uint8_t*>problem.columns[c].codes)[origin[i]]
            column.codes = looked_up
        looked_up += column_bytes(problem, c, n)
    if problem.choices.min_gap > 0.0:
        for c in range(problem.n_columns):
            if columns[c].kind == SORTED:
                compare_neighbors(<Entry*>frame.lists[columns[c].position], frame.lengths[columns[c].position],
                                  columns[c].values, shift, problem.choices.min_gap)
        frame.exact = True
        return DONE
    if problem.n_columns and columns[0].origin != NULL:  # renumbered before: values are indexed by the original numbers
        for i in range(n):
            origin[i] = columns[0].origin[origin[i]]
    for c in range(problem.n_columns):
        columns[c].origin = origin
    return DONE


cdef int open_children(Entry* width, const Problem* problem, Workspace* work, Workspace* lender, const Frame* frame,
                       Frame* children, int64_t first, int n_branches, int stays) noexcept nogil:
    """Make a frame for every child that is grown further; for the child that stays, only set its fields."""
    cdef int b
    for b in range(n_branches):
        children[b].memory = NULL
    for b in range(n_branches):
        if not work.goes_on[b]:
            continue
        if b == stays:
            children[b].n_rows = work.branch_rows[b]
        elif open_frame(width, problem, lender, &children[b], work.branch_rows[b], 0) != DONE:
            return NO_MEMORY
        children[b].node = <int32_t>(first + b)
        children[b].exact = False
        children[b].depth = frame.depth + 1
        children[b].unit = frame.unit and not work.takes_missing[b]
    return DONE


include "output.pxi"
include "class.pxi"
include "threads.pxi"
