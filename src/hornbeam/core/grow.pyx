"""Grow: a tree from sorted lists, depth first, on one thread or several.

Each node is examined (scan every column, choose), divided (rows to branches, children made) and parted (lists to
children). The children that are not the largest get lists of their own and are grown first; the largest takes over
the parent's memory, so lists never need much more than the root's, and the recursion is no deeper than the logarithm
of the rows.

A row whose value is missing goes down every branch as a piece. A row is at most once in a node, so one array of
weights by row serves a whole depth-first walk: the pieces' weights are set anew before each branch is entered.

With several threads, columns of large nodes are shared out, and smaller nodes become tasks. Each task works on memory of
its own, and nodes are numbered at the end, so the tree does not depend on the number of threads.
"""

from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.stdlib cimport calloc, free, malloc, realloc
from libc.string cimport memcpy, memset

from hornbeam.core.partition cimport filter_list, part_in_many, part_in_two
from hornbeam.core.scan cimport (
    BELOW_AVERAGE, CHOSEN, CODED, MULTIWAY, NO_SPLIT, NOMINAL, ONE_VS_REST, OUTSCORED, SORTED, STEPS, Candidate, Choices,
    Column, Entry, NodeView, Scratch, code_of, scan_codes, scan_sorted,
    value_of,
)

cdef double SLACK = 1e-6  # weights closer than this are equal
cdef double AVERAGE_SLACK = 1e-3  # how far below the average a gain may lie and still win (Quinlan 1993)

cdef enum:
    ZOOM = 8  # a node with no more than one in so many of a problem's rows becomes a problem of its own

cdef enum:
    DONE = 0
    NO_MEMORY = -1
    CANCELLED = -2


# ---- nodes ------------------------------------------------------------------------------------------------------


cdef int64_t add_nodes(NodeBuffer* buffer, int64_t count) noexcept nogil:
    """Room for `count` contiguous nodes; give the first, or NO_MEMORY."""
    cdef int64_t first = buffer.n, room = buffer.room
    cdef void* moved
    if first + count > room:
        room = 2 * (first + count)
        moved = realloc(buffer.nodes, room * sizeof(GrownNode))
        if moved == NULL:
            return NO_MEMORY
        buffer.nodes = <GrownNode*>moved
        moved = realloc(buffer.counts, room * buffer.n_classes * sizeof(double))
        if moved == NULL:
            return NO_MEMORY
        buffer.counts = <double*>moved
        buffer.room = room
    buffer.n = first + count
    return first


cdef inline int majority(const double* counts, int n_classes) noexcept nogil:
    """The class with the greatest weight; the first of equals."""
    cdef int k, best = 0
    cdef double most = 0.0
    for k in range(n_classes):
        if counts[k] > most + SLACK:
            most = counts[k]
            best = k
    return best


cdef inline void make_leaf(GrownNode* node, const double* counts, int n_classes, int64_t rows, double share,
                           int parent_label) noexcept nogil:
    cdef int k
    node.first_child = node.column = node.kind = node.category = node.graft = -1
    node.n_children = 0
    node.rows = rows
    node.share = share
    node.cut = node.score = node.average_gain = 0.0
    node.weight = 0.0
    for k in range(n_classes):
        node.weight += counts[k]
    node.label = majority(counts, n_classes) if node.weight > SLACK or parent_label < 0 else parent_label


cdef inline bint must_stop(const GrownNode* node, const double* counts, int depth,
                           const Choices* choices) noexcept nogil:
    """Too light to split, of one class, or deep enough."""
    cdef double most = counts[majority(counts, choices.n_classes)]
    return (node.rows < 2 or node.weight < choices.min_node - SLACK or node.weight - most < SLACK
            or depth == choices.max_depth)


# ---- examine: scan and choose -------------------------------------------------------------------------------------


cdef void scan_columns(Entry* width, const Problem* problem, Workspace* work, Candidate* candidates,
                       const Frame* frame, const GrownNode* node, const double* counts, const double* row_weight,
                       const double* local_weight, int first, int last) noexcept nogil:
    """Scan columns first .. last - 1. `width` only says which kind of entry the lists hold."""
    cdef NodeView view
    cdef const Column* column
    cdef int c
    view.n_rows = frame.n_rows
    view.weight = node.weight
    view.counts = counts
    view.row_weight = NULL if frame.unit else row_weight
    for c in range(first, last):
        column = &problem.columns[c]
        if column.kind == SORTED:
            scan_sorted(<const Entry*>frame.lists[column.position], frame.lengths[column.position], column,
                        problem.choices, &view, problem.xlogx, problem.scale, &work.scratch, &candidates[c])
        else:
            scan_codes(<const Entry*>frame.lists[problem.row_list], NULL if frame.unit else local_weight, column,
                       problem.choices, &view, &work.scratch, &candidates[c])


cdef int choose(const Problem* problem, Candidate* candidates, double* average) noexcept nogil:
    """The column to split on, or -1; every candidate's verdict is set."""
    cdef const Choices* choices = problem.choices
    cdef double total = 0.0, best_score = choices.min_gain + SLACK - choices.tolerance
    cdef int c, counted = 0, best = -1
    average[0] = 0.0
    if choices.average_filter:
        for c in range(problem.n_columns):
            if candidates[c].verdict == OUTSCORED and not problem.columns[c].many_valued:
                total += candidates[c].gain
                counted += 1
        if counted == 0:
            return -1
        average[0] = total / counted
    for c in range(problem.n_columns):
        if candidates[c].verdict != OUTSCORED:
            continue
        if choices.average_filter and candidates[c].gain < average[0] - AVERAGE_SLACK:
            candidates[c].verdict = BELOW_AVERAGE
        elif candidates[c].score > best_score + choices.tolerance:
            best = c
            best_score = candidates[c].score
    if best >= 0:
        candidates[best].verdict = CHOSEN
    return best


cdef double cut_of(Entry* width, const Problem* problem, const Frame* frame, const Candidate* candidate,
                   int c) noexcept nogil:
    """Half-way between the two values a cut lies between; the lower one where rounding leaves no room."""
    cdef const Column* column = &problem.columns[c]
    cdef const Entry* entries
    cdef double low, high, middle
    cdef int code
    cdef int64_t i
    if column.kind == SORTED:
        if candidate.position < 1:
            return 0.0
        entries = <const Entry*>frame.lists[column.position]
        low = value_of(column, entries[candidate.position - 1] >> problem.choices.shift)
        high = value_of(column, entries[candidate.position] >> problem.choices.shift)
    else:
        if candidate.code < 0:
            return 0.0
        low = column.values[candidate.code]
        high = low
        code = column.n_codes
        entries = <const Entry*>frame.lists[problem.row_list]
        for i in range(frame.n_rows):  # the next code that occurs here
            if candidate.code < code_of(column, entries[i] >> problem.choices.shift) < code:
                code = code_of(column, entries[i] >> problem.choices.shift)
        if code < column.n_codes:
            high = column.values[code]
    middle = (low + high) / 2
    return low if middle == high else middle


cdef int record(Entry* width, const Problem* problem, TraceBuffer* trace, const Candidate* candidates,
                const Frame* frame) noexcept nogil:
    """Keep every column's candidate at this node."""
    cdef int64_t room, base = trace.n * problem.n_columns
    cdef int c
    cdef void* moved
    if trace.n == trace.room:
        room = 2 * trace.room + 64
        moved = realloc(trace.node, room * sizeof(int32_t))
        if moved == NULL:
            return NO_MEMORY
        trace.node = <int32_t*>moved
        moved = realloc(trace.candidates, room * problem.n_columns * sizeof(Candidate))
        if moved == NULL:
            return NO_MEMORY
        trace.candidates = <Candidate*>moved
        moved = realloc(trace.cuts, room * problem.n_columns * sizeof(double))
        if moved == NULL:
            return NO_MEMORY
        trace.cuts = <double*>moved
        trace.room = room
    trace.node[trace.n] = frame.node
    for c in range(problem.n_columns):
        trace.candidates[base + c] = candidates[c]
        trace.cuts[base + c] = 0.0
        if problem.columns[c].kind != NOMINAL:
            trace.cuts[base + c] = cut_of(width, problem, frame, &candidates[c], c)
    trace.n += 1
    return DONE


# ---- divide: rows to branches, children made -------------------------------------------------------------------------


cdef int send_rows(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                   const Candidate* candidate, int64_t* n_missing) noexcept nogil:
    """Set each row's side (0, 1, 2: missing) or branch (-1: missing), and the branches' class weights and rows.

    Gives the number of branches.
    """
    cdef const Column* column = &problem.columns[chosen]
    cdef const Choices* choices = problem.choices
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef int n_classes = choices.n_classes, shift = choices.shift, n_branches = 2, k, b, code
    cdef int64_t label_mask = (<int64_t>1 << choices.label_bits) - 1, i, row, n, n_known
    cdef bint many
    cdef const Entry* entries
    cdef double* counts = work.branch_counts
    if column.kind == NOMINAL and choices.nominal == MULTIWAY:
        n_branches = column.n_codes
    many = n_branches > 2
    memset(counts, 0, <int64_t>n_branches * n_classes * sizeof(double))
    memset(work.branch_rows, 0, n_branches * sizeof(int64_t))
    n_known = 0
    if column.kind == SORTED:
        n_known = frame.lengths[column.position]
        if n_known < frame.n_rows:
            entries = <const Entry*>frame.lists[problem.row_list]
            for i in range(frame.n_rows):
                work.side[entries[i] >> shift] = 2
        entries = <const Entry*>frame.lists[column.position]
        for i in range(n_known):
            row = entries[i] >> shift
            b = i >= candidate.position
            work.side[row] = b
            counts[b * n_classes + ((entries[i] >> 2) & label_mask)] += 1.0 if weight == NULL else weight[row]
        work.branch_rows[0] = candidate.position
        work.branch_rows[1] = n_known - candidate.position
    else:
        entries = <const Entry*>frame.lists[problem.row_list]
        for i in range(frame.n_rows):
            row = entries[i] >> shift
            code = code_of(column, row)
            k = (entries[i] >> 2) & label_mask
            if code == column.n_codes:
                b = -1
            elif many:
                b = code
            elif column.kind == CODED:
                b = code > candidate.code
            elif choices.nominal == MULTIWAY:
                b = code
            else:
                b = code != candidate.code
            if many:
                work.branch[row] = b
            else:
                work.side[row] = 2 if b < 0 else b
            if b >= 0:
                n_known += 1
                work.branch_rows[b] += 1
                counts[b * n_classes + k] += 1.0 if weight == NULL else weight[row]
    n_missing[0] = frame.n_rows - n_known
    return n_branches


cdef void complete(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                   int n_branches) noexcept nogil:
    """Add the rows without a value to every branch's counts, each with the branch's share, row by row."""
    cdef const Entry* entries = <const Entry*>frame.lists[problem.row_list]
    cdef const double* weight = NULL if frame.unit else work.row_weight
    cdef int n_classes = problem.choices.n_classes, shift = problem.choices.shift, b, k
    cdef int64_t label_mask = (<int64_t>1 << problem.choices.label_bits) - 1, i, row
    cdef double w
    for i in range(frame.n_rows):
        row = entries[i] >> shift
        if (work.branch[row] < 0) if n_branches > 2 else (work.side[row] == 2):
            k = (entries[i] >> 2) & label_mask
            w = 1.0 if weight == NULL else weight[row]
            for b in range(n_branches):
                work.branch_counts[b * n_classes + k] += work.shares[b] * w


cdef int64_t make_children(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, int chosen,
                           const Candidate* candidate, double average, int n_branches,
                           int64_t n_missing) noexcept nogil:
    """Complete the branches' counts with their shares of the rows without a value, and make the child nodes."""
    cdef const Choices* choices = problem.choices
    cdef const Column* column = &problem.columns[chosen]
    cdef int n_classes = choices.n_classes, b, k
    cdef double* counts = work.branch_counts
    cdef double known = 0.0, share
    cdef int64_t first = add_nodes(work.buffer, n_branches)
    cdef GrownNode* node
    if first < 0:
        return NO_MEMORY
    node = &work.buffer.nodes[frame.node]
    node.first_child = <int32_t>first
    node.n_children = n_branches
    node.column = chosen
    node.score = candidate.score
    node.average_gain = average
    if column.kind != NOMINAL:
        node.kind = BY_CUTS
        node.cut = cut_of(width, problem, frame, candidate, chosen)
    elif choices.nominal == ONE_VS_REST:
        node.kind = BY_CODE_SETS
        node.category = candidate.code
    else:
        node.kind = BY_CODES
    for k in range(n_branches * n_classes):
        known += counts[k]
    for b in range(n_branches):
        work.shares[b] = 0.0
        for k in range(n_classes):
            work.shares[b] += counts[b * n_classes + k]
        work.shares[b] /= known
    if n_missing:
        # pieces are weighed by the completed branches: the same shares, but for rounding
        complete(width, problem, work, frame, n_branches)
        known = 0.0
        for b in range(n_branches):
            work.shares[b] = 0.0
            for k in range(n_classes):
                work.shares[b] += counts[b * n_classes + k]
            known += work.shares[b]
        for b in range(n_branches):
            work.shares[b] /= known
    for b in range(n_branches):
        share = work.shares[b]
        work.takes_missing[b] = n_missing > 0 and share > SLACK
        if work.takes_missing[b]:
            work.branch_rows[b] += n_missing
        memcpy(work.buffer.counts + (first + b) * n_classes, counts + b * n_classes, n_classes * sizeof(double))
        make_leaf(&work.buffer.nodes[first + b], counts + b * n_classes, n_classes, work.branch_rows[b], share,
                  node.label)
        work.goes_on[b] = not must_stop(&work.buffer.nodes[first + b], counts + b * n_classes, frame.depth + 1, choices)
    return first


cdef int open_frame(Entry* width, const Problem* problem, Frame* frame, int64_t n_rows, int first) noexcept nogil:
    """Memory for a node's lists; those before `first` bring their own."""
    cdef int j
    cdef int64_t head = problem.n_lists * (sizeof(void*) + sizeof(int64_t))
    cdef char* memory = <char*>malloc(head + (problem.n_lists - first) * (n_rows + 1) * sizeof(Entry))
    if memory == NULL:
        return NO_MEMORY
    frame.memory = memory
    frame.local_weight = NULL
    frame.n_rows = n_rows
    frame.lists = <void**>memory
    frame.lengths = <int64_t*>(memory + problem.n_lists * sizeof(void*))
    for j in range(problem.n_lists):
        frame.lists[j] = memory + head + (j - first) * (n_rows + 1) * <int64_t>sizeof(Entry) if j >= first else NULL
        frame.lengths[j] = 0
    return DONE


# ---- part: lists to children ------------------------------------------------------------------------------------------


cdef void part_lists(Entry* width, const Problem* problem, Workspace* work, const Workspace* sent, Frame* frame,
                     Frame* children, int n_branches, int stays, int first, int last) noexcept nogil:
    """Part lists first .. last - 1 of a frame among its children; the child `stays` takes over the frame's memory.

    `sent` holds the sides or branches of the rows; `work` is this thread's memory.
    """
    cdef int j, b, other, flags
    cdef int shift = problem.choices.shift
    cdef int64_t n_other = 0
    cdef Entry* entries
    if n_branches == 2:
        other = 1 - stays
        flags = 1 << (2 * stays)  # two bits a side: stays, goes to the other child
        if sent.takes_missing[stays]:
            flags |= 1 << 4
        if sent.goes_on[other]:
            flags |= 2 << (2 * other)
            if sent.takes_missing[other]:
                flags |= 2 << 4
        for j in range(first, last):
            entries = <Entry*>frame.lists[j]
            if sent.goes_on[other]:
                frame.lengths[j] = part_in_two(entries, frame.lengths[j], sent.side, shift, flags,
                                               <Entry*>children[other].lists[j], &n_other)
                children[other].lengths[j] = n_other
            else:
                frame.lengths[j] = filter_list(entries, frame.lengths[j], sent.side, shift, flags)
        return
    for j in range(first, last):
        for b in range(n_branches):
            work.targets[b] = NULL
            if sent.goes_on[b]:
                work.targets[b] = frame.lists[j] if b == stays else children[b].lists[j]
        part_in_many(<Entry*>frame.lists[j], frame.lengths[j], sent.branch, shift, n_branches, sent.takes_missing,
                     <Entry**>work.targets, work.filled, work.last_run)
        for b in range(n_branches):
            if sent.goes_on[b]:
                if b == stays:
                    frame.lengths[j] = work.filled[b]
                else:
                    children[b].lengths[j] = work.filled[b]


# ---- the depth-first walk ----------------------------------------------------------------------------------------------


cdef int examine(Entry* width, const Problem* problem, Workspace* work, const Frame* frame,
                 double* average) noexcept nogil:
    """Scan all columns of a node on this thread; give the chosen column or -1."""
    cdef const GrownNode* node = &work.buffer.nodes[frame.node]
    cdef const double* counts = work.buffer.counts + <int64_t>frame.node * problem.choices.n_classes
    gather_weights(width, problem, work, frame)
    scan_columns(width, problem, work, work.candidates, frame, node, counts, work.row_weight, work.local_weight, 0,
                 problem.n_columns)
    return choose(problem, work.candidates, average)


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
    """Grow the node of `frame` and all below it. The frame's memory is used up, but freed by the caller."""
    cdef Frame pair[2]
    cdef Frame* children
    cdef double average
    cdef int chosen, n_branches, b, stays, status = DONE
    cdef int64_t n_missing, first, i, m
    cdef uint32_t* missing_rows
    cdef double* missing_weight
    cdef const Entry* rows
    while True:
        if work.cancelled[0]:
            return CANCELLED
        if problem.n_rows >= problem.choices.zoom_from and frame.n_rows * ZOOM <= problem.n_rows:
            return grow_zoomed(width, problem, work, frame)
        chosen = examine(width, problem, work, frame, &average)
        if work.trace != NULL:
            if record(width, problem, work.trace, work.candidates, frame) != DONE:
                return NO_MEMORY
        work.buffer.nodes[frame.node].average_gain = average
        if chosen < 0:
            return DONE
        n_branches = send_rows(width, problem, work, frame, chosen, &work.candidates[chosen], &n_missing)
        first = make_children(width, problem, work, frame, chosen, &work.candidates[chosen], average, n_branches,
                              n_missing)
        if first < 0:
            return NO_MEMORY
        stays = -1
        for b in range(n_branches):
            if work.goes_on[b] and (stays < 0 or work.branch_rows[b] > work.branch_rows[stays]):
                stays = b
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
            status = open_children(width, problem, work, frame, children, first, n_branches, stays)
        if status == DONE:
            part_lists(width, problem, work, work, frame, children, n_branches, stays, 0, problem.n_lists)
        for b in range(n_branches):
            if b == stays or children == NULL or children[b].memory == NULL:
                continue
            if status == DONE:
                if not children[b].unit:
                    weigh_pieces(work, missing_rows, missing_weight, n_missing, work.buffer.nodes[first + b].share)
                status = grow_frame(width, problem, work, &children[b])
            free(children[b].memory)
        if status == DONE:
            frame.node = <int32_t>(first + stays)
            frame.n_rows = children[stays].n_rows
            frame.unit = children[stays].unit
            frame.depth += 1
            if not frame.unit:
                weigh_pieces(work, missing_rows, missing_weight, n_missing, work.buffer.nodes[first + stays].share)
        if n_branches > 2:
            free(children)
        free(missing_rows)
        free(missing_weight)
        if status != DONE:
            return status


cdef int grow_zoomed(Entry* width, const Problem* problem, Workspace* work, Frame* frame) noexcept nogil:
    """Grow a small part of a large problem as a problem of its own, its rows numbered anew.

    What is looked up by row then lies close together.
    """
    cdef Problem inner = problem[0]
    cdef Workspace room = work[0]
    cdef int64_t n = frame.n_rows
    cdef uint32_t* origin = <uint32_t*>malloc((n + 1) * sizeof(uint32_t))
    cdef Column* columns = <Column*>malloc((problem.n_columns + 1) * sizeof(Column))
    cdef char* codes = <char*>malloc(zoomed_bytes(problem, n) + 1)
    cdef int status = NO_MEMORY
    room.side = <uint8_t*>malloc(n + 1)
    room.branch = NULL
    room.row_weight = NULL
    if work.branch != NULL:
        room.branch = <int32_t*>malloc((n + 1) * sizeof(int32_t))
    if work.row_weight != NULL:
        room.row_weight = <double*>malloc((n + 1) * sizeof(double))
    if (origin != NULL and columns != NULL and codes != NULL and room.side != NULL
            and (work.branch == NULL or room.branch != NULL) and (work.row_weight == NULL or room.row_weight != NULL)):
        status = number_anew(width, problem, work, frame, &room, origin, columns, codes)
    if status == DONE:
        inner.columns = columns
        inner.n_rows = n
        status = grow_frame(width, &inner, &room, frame)
    free(origin)
    free(columns)
    free(codes)
    free(room.side)
    free(room.branch)
    free(room.row_weight)
    return status


cdef int64_t zoomed_bytes(const Problem* problem, int64_t n) noexcept nogil:
    """Memory for the codes of `n` rows, each column's on a boundary of eight."""
    cdef int64_t total = 0
    cdef int c
    for c in range(problem.n_columns):
        if problem.columns[c].kind != SORTED:
            total += (n * (4 if problem.columns[c].wide else 1) + 8) & ~7
    return total


cdef int number_anew(Entry* width, const Problem* problem, const Workspace* work, Frame* frame, Workspace* room,
                     uint32_t* origin, Column* columns, char* codes) noexcept nogil:
    """Number a frame's rows from 0 in all its lists, and gather what is looked up by row."""
    cdef int shift = problem.choices.shift, c, j
    cdef int64_t i, row, n = frame.n_rows
    cdef Entry low_bits = (<Entry>1 << shift) - 1, entry, number
    cdef Entry* entries = <Entry*>frame.lists[problem.row_list if problem.row_list >= 0 else 0]
    cdef uint32_t* numbers = <uint32_t*>malloc((problem.n_rows + 1) * sizeof(uint32_t))
    cdef Column* column
    if numbers == NULL:
        return NO_MEMORY
    for i in range(n):
        row = entries[i] >> shift
        numbers[row] = <uint32_t>i
        origin[i] = <uint32_t>row
        if room.row_weight != NULL:
            room.row_weight[i] = work.row_weight[row]
    for j in range(problem.n_lists):
        entries = <Entry*>frame.lists[j]
        for i in range(frame.lengths[j]):
            entry = entries[i]
            number = numbers[entry >> shift]
            entries[i] = (number << shift) | (entry & low_bits)
    free(numbers)
    for c in range(problem.n_columns):
        column = &columns[c]
        column[0] = problem.columns[c]
        if column.kind == SORTED:
            continue
        for i in range(n):
            if column.wide:
                (<int32_t*>codes)[i] = (<const int32_t*>problem.columns[c].codes)[origin[i]]
            else:
                (<uint8_t*>codes)[i] = (<const uint8_t*>problem.columns[c].codes)[origin[i]]
        column.codes = codes
        codes += (n * (4 if column.wide else 1) + 8) & ~7
    for c in range(problem.n_columns):
        if columns[c].kind == SORTED:
            if columns[c].origin != NULL:  # rows were numbered anew before: values know only the first numbers
                for i in range(n):
                    origin[i] = columns[c].origin[origin[i]]
            break
    for c in range(problem.n_columns):
        columns[c].origin = origin
    return DONE


cdef int open_children(Entry* width, const Problem* problem, Workspace* work, const Frame* frame, Frame* children,
                       int64_t first, int n_branches, int stays) noexcept nogil:
    """A frame for every child that goes on; the one that stays is only described."""
    cdef int b
    for b in range(n_branches):
        children[b].memory = NULL
    for b in range(n_branches):
        if not work.goes_on[b]:
            continue
        if b == stays:
            children[b].n_rows = work.branch_rows[b]
        elif open_frame(width, problem, &children[b], work.branch_rows[b], 0) != DONE:
            return NO_MEMORY
        children[b].node = <int32_t>(first + b)
        children[b].depth = frame.depth + 1
        children[b].unit = frame.unit and not work.takes_missing[b]
    return DONE


cdef inline void weigh_pieces(Workspace* work, const uint32_t* rows, const double* weight, int64_t n,
                              double share) noexcept nogil:
    cdef int64_t i
    for i in range(n):
        work.row_weight[rows[i]] = weight[i] * share


include "grow_threads.pxi"
