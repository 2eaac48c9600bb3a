# Part of cover.pyx: the rows of a table and their sorted columns, used by every search.

cdef const void* address(array):
    """The start of a contiguous array."""
    cdef const uint8_t[::1] view = np.ascontiguousarray(array).view(np.uint8).reshape(-1)
    return &view[0] if view.shape[0] else NULL


cdef class Rows:
    """Rows to be covered by rules, their columns sorted.

    Parameters
    ----------
    columns : list of arrays
        float64 values (NaN: missing) or int32 codes (-1: missing).
    orders : list of uint32 arrays or None
        For a numeric column the rows with a known value, by ascending value; None for a nominal one.
    n_codes : list of int
        How many categories a nominal column has; 0 for a numeric one.
    classes : int32 array
        The class of every row.
    weights : float64 array or None
        The weight of every row; None: every row counts once.
    n_classes : int
    indexed : bool
        Whether rules are grown from all uncovered rows (else from given rows).
    """

    cdef list columns, orders, kept
    cdef list members  # for every column: rows by category, in their initial state
    cdef object classes, weights, here, class_left
    cdef Field field
    cdef Lists lists
    cdef Rule rule
    cdef Scratch scratch
    cdef Memory memory
    cdef int level  # nesting depth of subproblems
    cdef list parts  # for every column, None or by category: its rows as a subproblem, or None
    cdef uint32_t** number  # for every column with parts: a row's number in its category's part; else NULL
    cdef object origin  # the numbers of a part's rows in the whole table

    def __init__(self, columns, orders, n_codes, classes, weights, int n_classes, bint indexed=True):
        cdef int64_t at, n = len(classes), most = max(n_codes, default=0) + 1
        cdef Field* field = &self.field
        if n > MOST_ROWS:
            raise ValueError(f"{n} rows were given; expected at most {MOST_ROWS}")
        self.kept, self.members = [], []
        self.columns = [np.ascontiguousarray(each, np.int32 if k else np.float64)
                        for each, k in zip(columns, n_codes, strict=True)]
        self.orders = [None if each is None else np.ascontiguousarray(each, np.uint32) for each in orders]
        self.classes = np.ascontiguousarray(classes, np.int32)
        self.weights = None if weights is None else np.ascontiguousarray(weights, np.float64)
        self.level, self.origin = 0, None
        field.n_rows, field.n_columns, field.n_classes, field.indexed = n, len(n_codes), n_classes, indexed
        field.columns = <Column*>self.room(field.n_columns * sizeof(Column))
        field.classes = <const int32_t*>address(self.classes)
        field.whole_weights = weights is None or bool((self.weights == np.floor(self.weights)).all())
        field.weights = NULL
        if weights is not None:
            field.weights = <const double*>address(self.weights)
        self.here, self.class_left = np.ones(n, np.uint8), np.zeros(n_classes)
        field.here = <uint8_t*>address(self.here)
        field.class_left = <double*>address(self.class_left)
        field.rows_left = <int64_t*>self.room(n_classes * sizeof(int64_t))
        # missing values are counted before the first category
        self.scratch.code_p = <double*>self.room((most + 1) * sizeof(double)) + 1
        self.scratch.code_t = <double*>self.room((most + 1) * sizeof(double)) + 1
        self.scratch.table = <uint32_t*>self.room(4 * (most + 1) * sizeof(uint32_t))
        self.scratch.mixed = <uint8_t*>self.room(most)
        self.memory.cuts = <Best*>self.room(n_classes * REMEMBERED * sizeof(Best))
        self.memory.size = <int64_t*>self.room(n_classes * sizeof(int64_t))
        self.number = <uint32_t**>self.room(field.n_columns * sizeof(void*))
        self.lists.rows = <uint32_t*>self.room(n * sizeof(uint32_t))
        self.lists.state = <uint8_t*>self.room(n)
        self.lists.bits = <uint64_t*>self.room((n >> 6) * sizeof(uint64_t))
        self.lists.upper_bits = <uint64_t*>self.room((n >> 12) * sizeof(uint64_t))
        self.lists.sizes = <int64_t*>self.room(field.n_columns * sizeof(int64_t))
        self.lists.entries = <uint32_t**>self.room(field.n_columns * sizeof(void*))
        for at in range(field.n_columns):
            field.columns[at].n_codes = n_codes[at]
            self.add_column(&field.columns[at], at)
        self.restore()

    def __dealloc__(self):
        free(self.rule.conditions)
        free(self.rule.codes)

    cdef void* room(self, int64_t size) except NULL:
        """Memory filled with zeros, freed with this object."""
        self.kept.append(np.zeros(size // 8 + 1, np.int64))
        return <void*>address(self.kept[len(self.kept) - 1])

    cdef void add_column(self, Column* column, int64_t at) except *:
        cdef int64_t k = column.n_codes, n = self.field.n_rows
        if k:
            column.codes = <const int32_t*>address(self.columns[at])
            column.ranked = <int32_t*>self.room(k * sizeof(int32_t))
        else:
            self.make_places(column, at)
        if not self.field.indexed:
            return
        if k:
            column.counts = <double*>self.room((k + 1) * self.field.n_classes * sizeof(double))
            group = np.where(self.columns[at] < 0, k, self.columns[at])
        else:
            group = np.where(np.isnan(self.columns[at]), 0, -1)
        # numbers of 16 bits are sorted by their digits
        order = np.argsort((group + 1).astype(np.uint16 if k < 65535 else np.uint32), kind="stable").astype(np.uint32)
        sizes = np.bincount(group + 1, minlength=k + 2)
        # rows with a number come first, and do not belong to any category
        self.members.append((order[sizes[0]:], np.cumsum(sizes) - sizes[0], sizes[1:]))
        column.members = <uint32_t*>self.room((n - sizes[0]) * sizeof(uint32_t))
        column.start = <int64_t*>self.room((k + 1) * sizeof(int64_t))
        column.size = <int64_t*>self.room((k + 1) * sizeof(int64_t))
        column.alive = <int64_t*>self.room((k + 1) * sizeof(int64_t))

    cdef void make_places(self, Column* column, int64_t at) except *:
        cdef int64_t n = len(self.orders[at]), blocks = n
        cdef int level
        column.values = <const double*>address(self.columns[at])
        column.entries = <uint32_t*>self.room(n * sizeof(uint32_t))
        column.place = <uint32_t*>self.room(self.field.n_rows * sizeof(uint32_t))
        self.lists.entries[at] = <uint32_t*>self.room((n + 1) * sizeof(uint32_t))
        if not self.field.indexed:
            column.left = <uint32_t*>self.room(n * sizeof(uint32_t))
            self.fill_places(column, at)
            return
        column.sorted = <double*>self.room(n * sizeof(double))
        column.classes = <int32_t*>self.room(n * sizeof(int32_t))
        for level in range(LEVELS):
            blocks = (blocks >> STEP) + 1
            column.sums[level] = <double*>self.room(blocks * (self.field.n_classes + 1) * sizeof(double))
            column.highest[level] = <double*>self.room(blocks * sizeof(double))

    cdef void fill_places(self, Column* column, int64_t at) except *:
        """Set the position of every row with a known value."""
        cdef int64_t i
        cdef const uint32_t* order = <const uint32_t*>address(self.orders[at])
        column.n_places = column.n_left = len(self.orders[at])
        for i in range(column.n_places):
            column.entries[i] = order[i] << ROW_SHIFT
            if i > 0 and column.values[order[i]] != column.values[order[i - 1]]:
                column.entries[i] |= STEPS
            column.place[order[i]] = <uint32_t>i
        if self.field.indexed:
            for i in range(column.n_places):
                column.sorted[i], column.classes[i] = column.values[order[i]], self.field.classes[order[i]]
            sum_up(&self.field, column)

    def restore(self, rows=None):
        """Start again with all rows, or (without an index) with some of them."""
        cdef int64_t at, i
        cdef Field* field = &self.field
        cdef Column* column
        if rows is not None and field.indexed:
            raise ValueError("the index is for all rows; remove the other rows instead")
        self.parts = [None] * field.n_columns
        memset(<void*>self.number, 0, field.n_columns * sizeof(void*))
        field.sought, field.in_a_row = -1, 0
        memset(self.memory.size, 0, field.n_classes * sizeof(int64_t))
        self.here[:] = rows is None
        if rows is not None:
            self.here[rows] = 1
        kept = np.flatnonzero(self.here)
        chosen = self.classes[kept]
        of_rows = None if self.weights is None else self.weights[kept]
        self.class_left[:] = np.bincount(chosen, of_rows, minlength=field.n_classes)
        counts = np.bincount(chosen, minlength=field.n_classes)
        for i in range(field.n_classes):
            field.rows_left[i] = counts[i]
        for at in range(field.n_columns):
            column = &field.columns[at]
            if field.indexed:
                self.restore_members(column, at)
            if column.n_codes:
                continue
            if field.indexed:
                self.fill_places(column, at)
            else:
                column.n_left = keep_marked(column.entries, column.n_places, field.here, ROW_SHIFT, False, column.left)

    cdef void restore_members(self, Column* column, int64_t at) except *:
        cdef int64_t i, code
        cdef Field* field = &self.field
        rows, starts, sizes = self.members[at]
        for code in range(column.n_codes + 1):
            column.start[code] = starts[code]
            column.size[code] = column.alive[code] = sizes[code]
        if len(rows):
            memcpy(column.members, address(rows), len(rows) * sizeof(uint32_t))
        if column.n_codes:
            memset(column.counts, 0, (column.n_codes + 1) * field.n_classes * sizeof(double))
            for i in range(field.n_rows):
                code = column.codes[i] if column.codes[i] >= 0 else column.n_codes
                column.counts[code * field.n_classes + field.classes[i]] += weight_of(field, <uint32_t>i)

    def class_weights(self):
        """The weight of every class among the uncovered rows."""
        return self.class_left.copy()

    def rows(self):
        """The uncovered rows, ascending."""
        return np.flatnonzero(self.here)

    def remove(self, rows):
        """Remove rows; some of them may have been removed already."""
        cdef int64_t i, at
        cdef Column* column
        cdef const int64_t[::1] gone = np.ascontiguousarray(rows, np.int64)
        for i in range(gone.shape[0]):
            if self.field.here[gone[i]]:
                self.take(<uint32_t>gone[i])
        for at in range(0 if self.field.indexed else self.field.n_columns):
            column = &self.field.columns[at]
            if column.n_codes == 0:
                column.n_left = keep_marked(column.left, column.n_left, self.field.here, ROW_SHIFT, False, column.left)

    cdef void take(self, uint32_t row) noexcept:
        """Remove a row, here and in the part of each of its categories."""
        cdef int64_t at
        cdef Field* field = &self.field
        cdef double* left
        cdef object part
        field.here[row] = 0
        if field.classes[row] != field.sought:
            field.sought = -1
        left = &field.class_left[field.classes[row]]
        left[0] -= weight_of(field, row)
        field.rows_left[field.classes[row]] -= 1
        if field.rows_left[field.classes[row]] == 0 or left[0] < 0.0:  # drop the rounding residue
            left[0] = 0.0
        for at in range(field.n_columns if field.indexed else 0):
            take_away(field, &field.columns[at], row)
            if self.number[at] != NULL and field.columns[at].codes[row] >= 0:
                part = (<list>self.parts[at])[field.columns[at].codes[row]]
                if part is not None:
                    (<Rows>part).take(self.number[at][row])
