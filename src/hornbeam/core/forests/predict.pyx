"""Send rows down every tree of a forest, and add up the predictions of the trees.

Rows are processed in chunks, and a chunk is sent down one tree after another, so that trees and rows stay in the cache;
`pack.pxi` has the layouts of trees. Sums are taken in double precision, tree after tree, so they do not depend on
the chunks or the threads. The arrays must have passed `hornbeam.model.forests.invariants` before they are used here:
they are not checked again.
"""

from libc.math cimport INFINITY, NAN, nextafterf
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memset

from hornbeam.core.forests.descend cimport FLOAT32, FLOAT64, INT32, Source, read_value
from hornbeam.core.base.interrupt cimport poll, stopping
from hornbeam.core.base.memory cimport hb_fetch, hb_pool, hb_pool_free, take, take_at, take_raw, take_raw_at
from hornbeam.core.trees.route cimport Rows

cdef extern from "hornbeam/core/forests/bits.h":
    enum:
        BLOCK_ROWS "HB_BLOCK_ROWS"
    ctypedef union Slot32 "hb_slot32":
        float number
        uint32_t code
    ctypedef union Slot64 "hb_slot64":
        double number
        uint64_t code
    ctypedef struct Test32 "hb_test32":
        float cut
        uint32_t mask
        int32_t column
    ctypedef struct Test64 "hb_test64":
        double cut
        uint64_t mask
        int64_t column
    ctypedef struct SetTest32 "hb_set_test32":
        uint32_t mask
        int32_t column
        int32_t n_words
        int64_t set
    ctypedef struct SetTest64 "hb_set_test64":
        uint64_t mask
        int32_t column
        int32_t n_words
        int64_t set
    ctypedef struct Word "hb_word":
        int64_t test
        int64_t set_test
    void find_leaves32 "hb_find_leaves32"(
        int width, const Word* words, int64_t n_words, const Test32* tests, const SetTest32* set_tests,
        const uint32_t* sets, const Slot32* const* columns, int count, int32_t* leaf,
    ) noexcept nogil
    void find_leaves64 "hb_find_leaves64"(
        int width, const Word* words, int64_t n_words, const Test64* tests, const SetTest64* set_tests,
        const uint64_t* sets, const Slot64* const* columns, int count, int32_t* leaf,
    ) noexcept nogil
    int vector_width "hb_width"() noexcept nogil  # bytes of the widest vectors that the processor has; 0: none

include "pack.pxi"
include "rows.pxi"

cdef enum:
    ABREAST = 64  # rows that step in parallel; enough to hide memory latency
    FEW_ROWS = 4  # this many rows or fewer are not worth a block
    POLLED = 16  # trees between two checks for interruption
    FEW_CHUNK_ROWS = 512  # if all trees fit in a near cache
    MANY_CHUNK_ROWS = 16384  # if they do not: each tree is then fetched once per chunk
    NEAR_BYTES = 1 << 19


cdef bint holds(const int32_t* codes, int64_t low, int64_t high, int32_t code) noexcept nogil:
    cdef int64_t middle, stop = high
    while low < high:
        middle = (low + high) >> 1
        if codes[middle] < code:
            low = middle + 1
        else:
            high = middle
    return low < stop and codes[low] == code


cdef int32_t walk(const View* view, const Source* source, int64_t row, int64_t tree) noexcept nogil:
    """Walk a row down a tree node by node; returns its leaf, counted from the left."""
    cdef double value
    cdef int32_t branch
    cdef int64_t node = view.roots[tree], feature
    while view.first_child[node] >= 0:
        feature = view.feature[node]
        value = read_value(source, feature, row)
        if value != value:
            branch = view.missing[node]
        elif view.n_categories[feature] >= 0:
            branch = not holds(view.codes, view.set_start[node], view.set_start[node + 1], <int32_t>value)
        else:
            branch = value > view.cut[node]
        node = view.first_child[node] + branch
    return view.place[node]


cdef inline uint32_t next_step(
    const parts* own, int64_t first_step, uint32_t at, int64_t row, int64_t first_set_slot, bint lacking, bint by_code,
) noexcept nogil:
    """The next step of a row (given by its first slot); a leaf leads to itself. The code has no branches."""
    cdef int slot_bits = SLOT_BITS32 if parts is Parts32 else SLOT_BITS64
    cdef uint64_t link = own.steps[first_step + at].link, n_bits = 8 * sizeof(own.sets[0]), code, is_set
    cdef uint64_t column = link & ((<uint64_t>1 << slot_bits) - 1)
    cdef uint64_t right = own.rows[row + column].number > own.steps[first_step + at].cut.number
    link >>= slot_bits
    if lacking:
        right |= (own.rows[row + column].number != own.rows[row + column].number) & link
    if by_code:
        is_set = column >= <uint64_t>first_set_slot
        code = own.rows[row + column].code & (0 - is_set)
        # a test of a number also reads the first bits, whose value is not used
        code = own.sets[(own.steps[first_step + at].cut.code & (0 - is_set)) + code // n_bits] >> (code % n_bits)
        right = (right & ~(0 - is_set)) | (~code & is_set)
    return <uint32_t>((link >> 1) + (right & 1))


cdef inline void step_rows(
    const parts* own, int64_t first_step, int sure_steps, int64_t first_row, int64_t n_slots, int64_t first_set_slot,
    int n_rows, bint lacking, bint by_code,  # IN; constants in calls, so that the compiler can specialize
    int32_t* leaf,  # OUT
) noexcept nogil:
    """Send rows down a tree in parallel; `lacking`: some number may be missing, `by_code`: sets occur.

    A row's next node is fetched while the others take their steps. All rows take as many steps as most need; then those
    that have reached their leaf are removed.
    """
    cdef uint32_t at[ABREAST]
    cdef uint8_t rank[ABREAST]
    cdef uint32_t after
    cdef int64_t start = first_row * n_slots
    cdef int i, j, left, _, count = n_rows
    for i in range(n_rows):
        at[i] = 0
        rank[i] = <uint8_t>i
    for _ in range(sure_steps):
        for i in range(n_rows):
            at[i] = next_step(own, first_step, at[i], start + i * n_slots, first_set_slot, lacking, by_code)
            hb_fetch(&own.steps[first_step + at[i]])
    while count:
        left = 0
        for j in range(count):
            i = rank[j]
            after = next_step(own, first_step, at[i], start + i * n_slots, first_set_slot, lacking, by_code)
            hb_fetch(&own.steps[first_step + after])
            rank[left] = <uint8_t>i
            left += after != at[i]
            at[i] = after
        count = left
    for i in range(n_rows):
        leaf[i] = <int32_t>own.steps[first_step + at[i]].cut.code


cdef inline void step_chunk(const Pack* pack, const Chunk* chunk, const parts* own, int64_t tree) noexcept nogil:
    """Send all rows of a chunk down a tree of steps."""
    cdef int64_t row = 0, n_slots = pack.n_slots, set_slot = pack.first_set_slot, first = pack.first_step[tree]
    cdef bint by_code = set_slot < n_slots
    cdef int sure = pack.sure_steps[tree], count
    cdef int32_t* leaf = chunk.leaf
    while row < chunk.n_rows:
        count = <int>min(<int64_t>ABREAST, chunk.n_rows - row)
        if by_code:
            step_rows(own, first, sure, row, n_slots, set_slot, count, True, True, leaf + row)
        elif chunk.lacking[row // BLOCK_ROWS]:
            step_rows(own, first, sure, row, n_slots, set_slot, count, True, False, leaf + row)
        elif count == ABREAST:
            step_rows(own, first, sure, row, n_slots, set_slot, ABREAST, False, False, leaf + row)
        else:
            step_rows(own, first, sure, row, n_slots, set_slot, count, False, False, leaf + row)
        row += ABREAST


cdef void find_leaves(
    const View* view, const Pack* pack, const parts* own, const Source* source, int64_t first_row, int64_t tree,  # IN
    const Chunk* chunk,  # OUT: the leaf of every row of the chunk in one tree
) noexcept nogil:
    cdef int64_t i, start = 0, n_words = pack.first_word[tree + 1] - pack.first_word[tree]
    cdef const Word* words = pack.words + pack.first_word[tree]
    cdef int64_t first_column = 0
    cdef int count
    if pack.way[tree] == BY_NODES:
        for i in range(chunk.n_rows):
            chunk.leaf[i] = walk(view, source, first_row + i, tree)
        return
    if pack.way[tree] == BY_STEPS:
        step_chunk(pack, chunk, own, tree)
        return
    while start < chunk.n_rows:
        count = <int>min(<int64_t>BLOCK_ROWS, chunk.n_rows - start)
        if parts is Parts32:
            find_leaves32(
                view.width, words, n_words, own.tests, own.set_tests, own.sets,
                <const Slot32* const*>own.column + first_column, count, chunk.leaf + start,
            )
        else:
            find_leaves64(
                view.width, words, n_words, own.tests, own.set_tests, own.sets,
                <const Slot64* const*>own.column + first_column, count, chunk.leaf + start,
            )
        first_column += 2 * pack.n_slots
        start += BLOCK_ROWS


cdef void add_leaves(const View* view, int64_t tree, const int32_t* leaf, int64_t count, double* sums) noexcept nogil:
    """Add a tree's predictions to the sums of rows."""
    cdef const float* value = view.leaf_value + view.first_leaf[tree] * view.n_values
    cdef int64_t i, k, n_values = view.n_values, n_outputs = view.n_outputs
    if view.output != NULL:
        sums += view.output[tree]
    if n_values == 1 and n_outputs == 1:
        for i in range(count):
            sums[i] += value[leaf[i]]
    elif n_values == 1:
        for i in range(count):
            sums[i * n_outputs] += value[leaf[i]]
    elif n_values == 2:
        for i in range(count):
            sums[2 * i] += value[2 * leaf[i]]
            sums[2 * i + 1] += value[2 * leaf[i] + 1]
    else:
        for i in range(count):
            for k in range(n_values):
                sums[i * n_values + k] += value[leaf[i] * n_values + k]


cdef int64_t chunk_rows(const View* view, const Pack* pack, int64_t n_rows, const parts* own) noexcept nogil:
    """How many rows to process at a time: fewer stay closer in the cache, but every tree is fetched once per chunk."""
    cdef int64_t rows = BLOCK_ROWS
    if pack.any_steps:
        rows = FEW_CHUNK_ROWS
        if pack.first_step[view.n_trees] * <int64_t>sizeof(own.steps[0]) > NEAR_BYTES:
            rows = MANY_CHUNK_ROWS
    return max(<int64_t>1, min(rows, n_rows))


cdef int send(
    const View* view, const Pack* pack, const parts* packed, const Source* source, int64_t first_row, int64_t stop_row,
    int64_t first_tree, int64_t stop_tree,  # IN
    double* sums,  # IN/OUT, from the first row on; NULL if nodes are requested
    int32_t* nodes,  # OUT, from the first row on, rows x trees
) except -1:
    """Send rows down trees, chunk by chunk, and add up the values or note the leaves."""
    cdef parts own = packed[0]
    cdef Chunk chunk
    cdef int64_t row = first_row, tree, i, rows = chunk_rows(view, pack, stop_row - first_row, packed)
    cdef const int32_t* leaf_node
    take_chunk(pack, rows, &chunk, &own)
    with nogil:
        while row < stop_row:
            chunk.n_rows = min(rows, stop_row - row)
            if pack.any_bits:
                fill_blocks(pack, source, row, &chunk, &own)
            if pack.any_steps:
                fill_rows(pack, source, row, &chunk, &own)
            for tree in range(first_tree, stop_tree):
                if tree % POLLED == 0 and stopping():
                    row = stop_row
                    break
                find_leaves(view, pack, &own, source, row, tree, &chunk)
                if sums != NULL:
                    add_leaves(view, tree, chunk.leaf, chunk.n_rows, sums + (row - first_row) * view.n_outputs)
                else:
                    leaf_node = view.leaf_node + view.first_leaf[tree]
                    for i in range(chunk.n_rows):
                        nodes[(row - first_row + i) * view.n_trees + tree] = leaf_node[chunk.leaf[i]]
            row += rows
    hb_pool_free(&chunk.pool)
    return poll()


cdef class ForestRouter:
    """A forest prepared for predictions; it holds the arrays."""

    cdef hb_pool pool
    cdef View view
    cdef Pack short_pack
    cdef Parts32 short_parts
    cdef Pack long_pack
    cdef Parts64 long_parts
    cdef list held

    def __cinit__(
        self,
        const int32_t[::1] n_categories,  # by feature; -1: it is cut like a number
        const int64_t[::1] roots,
        const int32_t[::1] asked,  # the feature, by node
        const double[::1] cut,
        const int32_t[::1] first_child,
        const int8_t[::1] missing,
        const float[:, ::1] value,
        int64_t n_outputs,
        const int32_t[::1] output=None,
        tuple sets=(None, None),  # of categories: where each node's begins, and the codes
        tuple ways=(-1, -1),  # width of vectors, and leaves of a tree that becomes bits; for tests
    ):
        cdef View* view = &self.view
        cdef int64_t n_nodes = asked.shape[0], node, tree, feature
        cdef const int64_t[::1] set_start = sets[0]
        cdef const int32_t[::1] codes = sets[1]
        cdef int width = ways[0]
        self.held = [n_categories, roots, asked, cut, first_child, missing, value, output, set_start, codes]
        view.n_features = n_categories.shape[0]
        view.n_trees = roots.shape[0] - 1
        view.roots = &roots[0]
        view.feature = &asked[0]
        view.cut = &cut[0]
        view.first_child = &first_child[0]
        view.missing = &missing[0]
        view.value = &value[0, 0]
        view.n_categories = &n_categories[0] if n_categories.shape[0] else NULL
        view.set_start = &set_start[0] if set_start is not None else NULL
        view.codes = &codes[0] if codes is not None and codes.shape[0] else NULL
        view.output = &output[0] if output is not None else NULL
        view.n_values = value.shape[1]
        view.n_outputs = n_outputs
        view.width = vector_width() if width < 0 else min(width, vector_width())
        view.most_leaves = ways[1] if view.width else 0
        cdef int64_t n_leaves = (n_nodes + view.n_trees) // 2  # every inner node has two children
        view.first_leaf = <int64_t*>take(&self.pool, view.n_trees, sizeof(int64_t))
        view.leaf_node = <int32_t*>take_raw(&self.pool, n_leaves * sizeof(int32_t))
        view.leaf_value = <float*>take_raw(&self.pool, n_leaves * view.n_values * sizeof(float))
        view.place = <int32_t*>take_raw(&self.pool, n_nodes * sizeof(int32_t))
        number_leaves(view)
        view.short_cuts = True
        for node in range(n_nodes):
            view.short_cuts &= <double><float>cut[node] == cut[node]
        view.short_links = view.n_features < 1 << SLOT_BITS32
        for tree in range(view.n_trees):
            view.short_links &= roots[tree + 1] - roots[tree] < <int64_t>1 << (31 - SLOT_BITS32)
        for feature in range(view.n_features):
            view.short_links &= n_categories[feature] < 1 << 24  # an ordered column's codes are numbers

    def __dealloc__(self):
        hb_pool_free(&self.pool)
        hb_pool_free(&self.short_pack.pool)
        hb_pool_free(&self.long_pack.pool)

    cdef bint fits_short(self, Rows rows) noexcept:
        """Whether 32 bits give the same predictions as 64."""
        cdef int64_t feature
        for feature in range(self.view.n_features):
            if rows.source.kind[feature] == FLOAT64 and not self.view.short_cuts:
                return False
        return self.view.short_links

    cdef int send(
        self, Rows rows, int64_t first_row, int64_t stop_row, int64_t first_tree, int64_t stop_tree, double* sums,
        int32_t* nodes,
    ) except -1:
        cdef View* view = &self.view
        cdef Source* source = &rows.source
        if self.fits_short(rows):
            if not self.short_pack.made:
                make_pack(view, &self.short_pack, &self.short_parts)
            return send(
                view, &self.short_pack, &self.short_parts, source, first_row, stop_row, first_tree, stop_tree, sums,
                nodes,
            )
        if not self.long_pack.made:
            make_pack(view, &self.long_pack, &self.long_parts)
        return send(
            view, &self.long_pack, &self.long_parts, source, first_row, stop_row, first_tree, stop_tree, sums, nodes
        )

    def add(
        self, Rows rows not None, double[:, ::1] sums, int64_t first_row, int64_t stop_row, int64_t first_tree,
        int64_t stop_tree,
    ):
        """Add the predictions of the trees to the sums of the rows (rows x outputs)."""
        cdef int64_t row, tree
        cdef int32_t leaf
        self.check(rows, first_row, stop_row, first_tree, stop_tree)
        if sums.shape[0] != rows.source.n_rows or sums.shape[1] != self.view.n_outputs:
            raise ValueError(f"sums of another shape than {rows.source.n_rows} x {self.view.n_outputs} were given")
        if stop_row - first_row > FEW_ROWS:
            self.send(rows, first_row, stop_row, first_tree, stop_tree, &sums[first_row, 0], NULL)
            return
        for row in range(first_row, stop_row):
            for tree in range(first_tree, stop_tree):
                leaf = walk(&self.view, &rows.source, row, tree)
                add_leaves(&self.view, tree, &leaf, 1, &sums[row, 0])

    def leaves(self, Rows rows not None, int32_t[:, ::1] nodes, int64_t first_row, int64_t stop_row):
        """Write the node where each row ends in each tree (rows x trees)."""
        self.check(rows, first_row, stop_row, 0, self.view.n_trees)
        if nodes.shape[0] != rows.source.n_rows or nodes.shape[1] != self.view.n_trees:
            raise ValueError(f"an array of another shape than {rows.source.n_rows} x {self.view.n_trees} was given")
        if stop_row > first_row:
            self.send(rows, first_row, stop_row, 0, self.view.n_trees, NULL, &nodes[first_row, 0])

    cdef int check(
        self, Rows rows, int64_t first_row, int64_t stop_row, int64_t first_tree, int64_t stop_tree
    ) except -1:
        if rows.source.n_features != self.view.n_features:
            raise ValueError(
                f"{rows.source.n_features} columns were given; the trees learned from {self.view.n_features}"
            )
        if (
            not 0 <= first_row <= stop_row <= rows.source.n_rows
            or not 0 <= first_tree <= stop_tree <= self.view.n_trees
        ):
            raise IndexError(f"rows {first_row} to {stop_row}, trees {first_tree} to {stop_tree} are out of range")
        return 0
