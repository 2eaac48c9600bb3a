"""Route the rows of a table down a tree, and the two classes that hold arrays prepared for the kernels.

The steps themselves are in descend.pxd. The arrays must have passed the checks of `hornbeam.model.trees.invariants`
before they are used here: they are not checked again.
"""

import numpy as np

from cpython.buffer cimport PyBUF_FORMAT, PyBUF_STRIDES, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport INFINITY, nextafter
from libc.stdint cimport int8_t, int32_t, int64_t
from libc.stdlib cimport free
from libc.string cimport memset

from hornbeam.core.trees.branch cimport fill_splits
from hornbeam.core.base.memory cimport hb_pool, hb_pool_free, take, take_raw
from hornbeam.core.forests.descend cimport (
    BY_COLUMN, BY_ROW, CHUNK, DEEP, FLOAT32, FLOAT64, INT32, LOW_ENDS, MIXED, MOST_TURNED, Scratch, Source, Step,
    TreeView, best_label, resolve_chunk, sum_predictions, walk_row,
)


cdef void label_rows(
    const TreeView* tree, const Source* source, Scratch* scratch,  # IN
    int32_t* labels,  # OUT
) noexcept nogil:
    cdef int32_t nodes[CHUNK]
    cdef int64_t first_row = 0, n_pieces
    cdef int i, count
    while first_row < source.n_rows:
        count = <int>min(<int64_t>CHUNK, source.n_rows - first_row)
        resolve_chunk(tree, source, first_row, count, scratch, nodes)
        for i in range(count):
            if nodes[i] < 0:
                n_pieces = walk_row(tree, source, first_row + i, False, scratch)
                if n_pieces > 1:
                    sum_predictions(tree, scratch, n_pieces, scratch.sums)
                    labels[first_row + i] = best_label(tree, scratch.sums)
                    continue
                nodes[i] = scratch.node[0]
            labels[first_row + i] = tree.label[nodes[i]]
        first_row += CHUNK


cdef void predict_rows(
    const TreeView* tree, const Source* source, Scratch* scratch,  # IN
    double* predictions,  # OUT, rows x n_outputs
) noexcept nogil:
    cdef int32_t nodes[CHUNK]
    cdef int64_t first_row = 0, n_pieces
    cdef int i, count
    while first_row < source.n_rows:
        count = <int>min(<int64_t>CHUNK, source.n_rows - first_row)
        resolve_chunk(tree, source, first_row, count, scratch, nodes)
        for i in range(count):
            n_pieces = 1
            if nodes[i] < 0:
                n_pieces = walk_row(tree, source, first_row + i, False, scratch)
            else:
                scratch.node[0] = nodes[i]
            sum_predictions(tree, scratch, n_pieces, predictions + (first_row + i) * tree.n_outputs)
        first_row += CHUNK


cdef int64_t resolve_rows(
    const TreeView* tree, const Source* source, Scratch* scratch,  # IN
    int32_t* leaves,  # OUT: -1 for a row that must be walked
) noexcept nogil:
    """Find the leaves of rows that end as a whole; returns how many do not."""
    cdef int64_t first_row = 0, open_rows = 0
    cdef int i, count
    while first_row < source.n_rows:
        count = <int>min(<int64_t>CHUNK, source.n_rows - first_row)
        resolve_chunk(tree, source, first_row, count, scratch, leaves + first_row)
        for i in range(count):
            open_rows += leaves[first_row + i] < 0
        first_row += CHUNK
    return open_rows


cdef void walk_rows(
    const TreeView* tree, const Source* source, Scratch* scratch,  # IN
    int32_t* leaves,  # IN, OUT
) noexcept nogil:
    """The leaves of the other rows: where the largest piece ends."""
    cdef int64_t row, n_pieces, j, best
    for row in range(source.n_rows):
        if leaves[row] < 0:
            n_pieces = walk_row(tree, source, row, False, scratch)
            best = 0
            for j in range(1, n_pieces):
                if scratch.weight[j] > scratch.weight[best]:
                    best = j
            leaves[row] = scratch.node[best]


cdef class Rows:
    """Rows to be sent down a tree, without copying: separate columns, or a matrix.

    Give either `columns` (float64 or int32 arrays in feature order, None for one that no split uses) or `matrix`
    (float32 or float64, one matrix row per table row).
    """

    def __cinit__(self, columns=None, matrix=None, int64_t n_rows=0):
        cdef int64_t n_features = len(columns) if columns is not None else matrix.shape[1]
        self.n_buffers = 0
        self.buffers = <Py_buffer*>take(&self.pool, n_features, sizeof(Py_buffer))
        self.source.data = <char**>take(&self.pool, n_features, sizeof(char*))
        self.source.stride = <int64_t*>take(&self.pool, n_features, sizeof(int64_t))
        self.source.kind = <int8_t*>take(&self.pool, n_features, 1)
        self.source.n_features = n_features
        if columns is not None:
            self.source.n_rows = n_rows
            self.hold_columns(columns)
        else:
            self.hold_matrix(matrix)

    def __dealloc__(self):
        cdef int64_t i
        for i in range(self.n_buffers):
            PyBuffer_Release(&self.buffers[i])
        hb_pool_free(&self.pool)

    @property
    def n_rows(self):
        """How many rows there are."""
        return self.source.n_rows

    cdef Py_buffer* hold(self, array) except NULL:
        cdef Py_buffer* buffer = &self.buffers[self.n_buffers]
        PyObject_GetBuffer(array, buffer, PyBUF_STRIDES | PyBUF_FORMAT)
        self.n_buffers += 1
        return buffer

    cdef int8_t kind_of(self, Py_buffer* buffer) except -1:
        if buffer.format[1] == 0:
            if buffer.format[0] == b"d":
                return FLOAT64
            if buffer.format[0] == b"f":
                return FLOAT32
            if buffer.format[0] == b"i" and buffer.itemsize == 4:
                return INT32
        raise TypeError(f"values of type {buffer.format.decode()!r}; expected float64, float32 or int32")

    cdef int hold_columns(self, columns) except -1:
        cdef int64_t i = 0
        cdef Py_buffer* buffer
        self.source.layout = BY_COLUMN
        self.source.uniform = FLOAT64
        for column in columns:
            if column is not None:
                buffer = self.hold(column)
                if buffer.ndim != 1 or buffer.shape[0] != self.source.n_rows:
                    raise ValueError(f"column {i} is not an array of {self.source.n_rows} values")
                self.source.data[i] = <char*>buffer.buf
                self.source.stride[i] = buffer.strides[0]
                self.source.kind[i] = self.kind_of(buffer)
                if self.source.kind[i] == FLOAT32 or buffer.strides[0] != buffer.itemsize:
                    self.source.layout = MIXED
            i += 1
        return 0

    cdef int hold_matrix(self, matrix) except -1:
        cdef Py_buffer* buffer = self.hold(matrix)
        cdef int8_t kind = self.kind_of(buffer)
        cdef int64_t i
        if buffer.ndim != 2 or kind == INT32:
            raise ValueError("expected a matrix of float32 or float64")
        self.source.n_rows = buffer.shape[0]
        for i in range(buffer.shape[1]):
            self.source.data[i] = <char*>buffer.buf + i * buffer.strides[1]
            self.source.stride[i] = buffer.strides[0]
            self.source.kind[i] = kind
        self.source.uniform = kind
        if buffer.strides[1] == buffer.itemsize or buffer.shape[1] == 1:
            self.source.layout = BY_ROW
        elif buffer.strides[0] == buffer.itemsize:
            self.source.layout = BY_COLUMN
        else:
            self.source.layout = MIXED
        return 0


cdef inline double above(double cut, int8_t sides) noexcept nogil:
    """The exclusive lower bound of the upper branch: "at least c" is the same as "above the number just below c"."""
    return cut if sides & 1 else nextafter(cut, -INFINITY)


cdef class Router:
    """A tree prepared for routing: the tree's arrays, and records packed for the kernels."""

    cdef hb_pool pool
    cdef TreeView view
    cdef int64_t n_features
    cdef list held
    cdef object store  # the split store's arrays, until splits are made from them

    def __cinit__(self, int64_t n_features, splits, nodes, bint only_single_cuts=False, bint asks_codes=False):
        """Store a tree's arrays.

        Parameters
        ----------
        n_features : int
        splits : mapping
            The arrays of the split store, and its `sides`; columns are numbers of features.
        nodes : mapping
            By node: `first_child`, `n_children`, `split`, `missing`, `share`, `value`, `weight` (None if values are
            used as predictions directly), `predicting_node` (None if each node has its own prediction), `label`,
            `surrogate_start` and `surrogates` (or None); and `pseudo`, the pseudo-counts of the classes.
        only_single_cuts : bool
            Whether every split is one cut of one column.
        asks_codes : bool
            Whether some of those are cuts between codes.
        """
        cdef const int32_t[::1] first_child = nodes["first_child"], n_children = nodes["n_children"]
        cdef const int32_t[::1] split = nodes["split"], missing = nodes["missing"], label = nodes["label"]
        cdef const int32_t[::1] predicting_node = nodes["predicting_node"], surrogates = nodes["surrogates"]
        cdef const int64_t[::1] surrogate_start = nodes["surrogate_start"]
        cdef const double[::1] share = nodes["share"], weight = nodes["weight"], pseudo = nodes["pseudo"]
        cdef const double[:, :] value = nodes["value"]
        cdef TreeView* view = &self.view
        self.held = [splits, nodes]
        self.store = splits
        self.n_features = n_features
        view.n_nodes = first_child.shape[0]
        view.n_outputs = value.shape[1]
        view.asks_codes = asks_codes
        view.pseudo = &pseudo[0] if pseudo.shape[0] else NULL
        view.pseudo_total = np.sum(pseudo)
        view.first_child = &first_child[0]
        view.n_children = &n_children[0]
        view.split = &split[0]
        view.missing = &missing[0]
        view.share = &share[0]
        view.value = &value[0, 0] if value.shape[1] else NULL
        view.value_stride = value.strides[0] // <int64_t>sizeof(double)
        view.weight = &weight[0] if weight is not None else NULL
        view.predicting_node = &predicting_node[0] if predicting_node is not None else NULL
        view.label = &label[0]
        view.surrogate_start = &surrogate_start[0] if surrogate_start is not None else NULL
        view.surrogates = &surrogates[0] if surrogates is not None and surrogates.shape[0] else NULL
        if not only_single_cuts or split[0] < 0:
            self.fill()
        elif view.n_nodes >= DEEP or asks_codes:
            self.pack_inner_steps(splits["column"], splits["sides"], splits["cut_start"], splits["cuts"])
        else:
            self.pack_steps(splits["column"], splits["sides"], splits["cut_start"], splits["cuts"])

    def __dealloc__(self):
        free(self.view.splits.splits)
        hb_pool_free(&self.pool)

    cdef int fill(self) except -1:
        """Make splits from the store's arrays, once: a tree of single cuts needs them only for missing values."""
        if self.store is None:
            return 0
        fill_splits(&self.view.splits, self.store)
        self.store = None
        return 0

    cdef int pack_steps(self, const int32_t[::1] feature, const int8_t[::1] sides, const int64_t[::1] cut_start,
                        const double[::1] cuts) except -1:
        """One step per node."""
        cdef TreeView* view = &self.view
        cdef int32_t split, root_split = view.split[0]
        cdef bint inner
        cdef int64_t i
        view.steps = <Step*>take_raw(&self.pool, view.n_nodes * <int64_t>sizeof(Step))
        for i in range(view.n_nodes):
            # Nothing is above infinity, so a row stays at a leaf. A leaf uses the root's column, which certainly exists
            # and whose missing values would have been noticed already. Branchless, because the branches would be
            # unpredictable.
            inner = view.first_child[i] >= 0
            split = view.split[i] if inner else root_split
            view.steps[i].cut = above(cuts[cut_start[split]], sides[split]) if inner else INFINITY
            view.steps[i].feature = feature[split]
            view.steps[i].first_child = view.first_child[i] if inner else <int32_t>i
        return 0

    cdef int pack_inner_steps(self, const int32_t[::1] feature, const int8_t[::1] sides, const int64_t[::1] cut_start,
                              const double[::1] cuts) except -1:
        """One step per inner node, in the order of the nodes, so that the children of a node are adjacent."""
        cdef TreeView* view = &self.view
        cdef int64_t i, place, n_inner = 0
        cdef int32_t split, first, low_ends, high_ends
        cdef int32_t[::1] number = np.empty(view.n_nodes, np.int32), inner = np.empty(view.n_nodes + 1, np.int32)
        for i in range(view.n_nodes):
            number[i] = <int32_t>n_inner
            inner[n_inner] = <int32_t>i
            n_inner += view.first_child[i] >= 0
        view.steps = <Step*>take_raw(&self.pool, n_inner * <int64_t>sizeof(Step))
        view.ends = <int32_t*>take_raw(&self.pool, n_inner * <int64_t>sizeof(int32_t))
        for place in range(n_inner):
            split, first = view.split[inner[place]], view.first_child[inner[place]]
            low_ends, high_ends = view.first_child[first] < 0, view.first_child[first + 1] < 0
            view.steps[place].cut = above(cuts[cut_start[split]], sides[split])
            view.steps[place].feature = feature[split] | low_ends << LOW_ENDS | high_ends << (LOW_ENDS + 1)
            view.steps[place].first_child = number[first] - low_ends
            view.ends[place] = first
        return 0

    cdef int reserve(self, Rows rows, Scratch* scratch) except -1:
        if rows.source.n_features != self.n_features:
            raise ValueError(f"{rows.source.n_features} columns were given; the tree learned from {self.n_features}")
        cdef int64_t n_nodes = self.view.n_nodes
        memset(scratch, 0, sizeof(Scratch))
        try:
            scratch.pending_node = <int32_t*>take_raw(&scratch.pool, n_nodes * sizeof(int32_t))
            scratch.pending_weight = <double*>take_raw(&scratch.pool, n_nodes * sizeof(double))
            scratch.node = <int32_t*>take_raw(&scratch.pool, n_nodes * sizeof(int32_t))
            scratch.weight = <double*>take_raw(&scratch.pool, n_nodes * sizeof(double))
            scratch.sums = <double*>take_raw(&scratch.pool, self.view.n_outputs * sizeof(double))
            if self.view.ends != NULL and rows.source.layout == BY_COLUMN and self.n_features <= MOST_TURNED:
                scratch.turned = <double*>take_raw(&scratch.pool, CHUNK * (self.n_features + 1) * sizeof(double))
        except MemoryError:
            hb_pool_free(&scratch.pool)
            raise
        return 0

    def labels(self, Rows rows not None):
        """The label of every row, as int32; -1 where the tree has no prediction."""
        cdef Scratch scratch
        result = np.empty(rows.source.n_rows, np.int32)
        cdef int32_t[::1] out = result
        self.fill()
        self.reserve(rows, &scratch)
        if rows.source.n_rows:
            with nogil:
                label_rows(&self.view, &rows.source, &scratch, &out[0])
        hb_pool_free(&scratch.pool)
        return result

    def predictions(self, Rows rows not None):
        """Class probabilities of every row, or its number in a single column."""
        cdef Scratch scratch
        result = np.empty((rows.source.n_rows, self.view.n_outputs), np.float64)
        cdef double[:, ::1] out = result
        self.fill()
        self.reserve(rows, &scratch)
        if rows.source.n_rows and self.view.n_outputs:
            with nogil:
                predict_rows(&self.view, &rows.source, &scratch, &out[0, 0])
        hb_pool_free(&scratch.pool)
        return result

    def leaves(self, Rows rows not None):
        """The node where (the largest piece of) every row ends, as int32; the first wins ties."""
        cdef Scratch scratch
        result = np.empty(rows.source.n_rows, np.int32)
        cdef int32_t[::1] out = result
        cdef int64_t open_rows = 0
        self.reserve(rows, &scratch)
        if rows.source.n_rows:
            with nogil:
                open_rows = resolve_rows(&self.view, &rows.source, &scratch, &out[0])
        try:
            if open_rows:
                self.fill()
                with nogil:
                    walk_rows(&self.view, &rows.source, &scratch, &out[0])
        finally:
            hb_pool_free(&scratch.pool)
        return result

    def paths(self, Rows rows not None):
        """Every node that every row visits, as CSR arrays: start, nodes, weights."""
        cdef Scratch scratch
        cdef int64_t n_rows = rows.source.n_rows, row, i, n_records, place = 0
        start = np.zeros(n_rows + 1, np.int64)
        cdef int64_t[::1] start_view = start
        cdef int32_t[::1] node_view
        cdef double[::1] weight_view
        self.fill()
        self.reserve(rows, &scratch)
        try:
            with nogil:
                for row in range(n_rows):
                    place += walk_row(&self.view, &rows.source, row, True, &scratch)
                    start_view[row + 1] = place
            nodes = np.empty(place, np.int32)
            weights = np.empty(place, np.float64)
            node_view = nodes
            weight_view = weights
            with nogil:
                for row in range(n_rows):
                    n_records = walk_row(&self.view, &rows.source, row, True, &scratch)
                    for i in range(n_records):
                        node_view[start_view[row] + i] = scratch.node[i]
                        weight_view[start_view[row] + i] = scratch.weight[i]
        finally:
            hb_pool_free(&scratch.pool)
        return start, nodes, weights
