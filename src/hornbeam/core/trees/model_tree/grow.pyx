"""Growing a model tree: splits by the reduction of the standard deviation, or by the error of equations on both sides.

The general grower has one target and one order of categories for the whole tree. Here a node may be examined more
closely (`closely`): two cuts are proposed for every column, by the reduction of the deviation of the target and of the
residuals of the node's equation, with categories in the order of their mean at the node. Of the best of these, the cut
is taken that leaves the smallest error after an equation is fitted on each side (Karalic 1992). So a linear trend is
not a reason to split, but a change in it is.

Rows with a missing value go to the side with more of the known weight, in growing and in prediction.

Every numeric column has a list of all rows by ascending value, missing values last; one more list has the rows in any
order. A node's rows are one block of each list.
"""

import numpy as np

from libc.math cimport ceil, fabs, floor, isnan, sqrt
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t
from libc.stdlib cimport free, malloc
from libc.string cimport memcpy, memset

from hornbeam.core.base.memory cimport hb_resize
from hornbeam.core.base.interrupt cimport poll, stopping
from hornbeam.core.rows.sort cimport hb_sort_indices

include "solve.pxi"
include "judge.pxi"
include "propose.pxi"


cdef class Grower(Proposer):
    """One tree while it is grown; `grow` describes the parameters."""

    cdef int64_t divide(self, int64_t start, int64_t end, const Cut* cut) noexcept nogil:
        """Send the rows of a block to the sides of a cut, in every list; returns where the upper side starts."""
        cdef int64_t f, i, kept = start, moved
        cdef uint32_t* rows = &self.orders[self.n_lists - 1, 0]
        for i in range(start, end):
            self.high[rows[i]] = self.side(rows[i], cut)
        for f in range(self.n_lists):
            rows = &self.orders[f, 0]
            kept, moved = start, 0
            for i in range(start, end):
                if self.high[rows[i]]:
                    self.aside[moved] = rows[i]
                    moved += 1
                else:
                    rows[kept] = rows[i]
                    kept += 1
            memcpy(rows + kept, &self.aside[0], moved * sizeof(uint32_t))
        return kept

    cdef prepare(self):
        """Allocate memory for the sums of categories and for the proposals of every column."""
        cdef int64_t n = len(self.target), i, f, most_codes = 0
        self.n_rows, self.n_features, self.n_lists = n, self.values.shape[1], self.orders.shape[0]
        self.left = np.array(self.target)
        self.high, self.aside = np.zeros(n, np.uint8), np.empty(n, np.uint32)
        for f in range(self.n_features):
            most_codes = max(most_codes, self.n_codes[f])
        self.code_weight, self.code_total = np.zeros(most_codes + 1), np.zeros(most_codes + 1)
        self.code_squares, self.code_mean = np.zeros(most_codes + 1), np.zeros(most_codes + 1)
        self.shown_code = np.zeros(most_codes + 1, np.int64)
        self.code_order, self.code_spare = np.zeros(most_codes + 1, np.int32), np.zeros(most_codes + 1, np.int32)
        self.kept_codes = np.zeros(most_codes + 1, np.uint8)
        self.sides = np.zeros((2 * self.n_features + 2) * (most_codes + 1), np.uint8)
        self.candidates = <Cut*>malloc((2 * self.n_features + 2) * sizeof(Cut))
        if self.candidates == NULL:
            raise MemoryError
        for i in range(2 * self.n_features + 2):
            self.candidates[i].upper = &self.sides[i * (most_codes + 1)]

    def grow(
        self, const double[:, ::1] values, const int32_t[::1] n_codes, uint32_t[:, ::1] orders,
        const int32_t[::1] list_of, const double[::1] target, weights, inputs, choices,
    ):
        """Grow a tree.

        Parameters
        ----------
        values : rows x columns, codes of nominal ones as numbers; NaN: missing.
        n_codes : by column the number of categories; 0 for a number.
        orders : lists of rows, by ascending value, missing values last; the last list is in any order. Modified.
        list_of : list of each column.
        target, weights : the target; weights or None.
        inputs : rows x inputs of equations, complete and scaled to about 1; None: nodes are not examined closely.
        choices : mapping.
            min_node : nodes with less weight are leaves.
            min_branch : minimum known weight of each side of a split.
            min_deviation : nodes with at most this standard deviation are leaves.
            rows_a_parameter : nodes with this many rows per input and intercept are examined closely.
            tolerance : an input is left out if less than this fraction of its variance is unexplained by the others.
            most_judged : for how many proposals of each kind equations are fitted on both sides.

        Returns
        -------
        By node: parent, first child (-1: a leaf), rows, `value` (weight, mean and squared error of the target), and of
        its split the column, cut, gain and the branch of missing values; by row its leaf; for nodes with a
        split of categories, `upper`: one byte per code, 1 if it goes to the upper side.
        """
        cdef int64_t n = len(target), node, depth, i, start, end, middle, used = 1, most_judged = choices["most_judged"]
        cdef double weight, mean, squares, x, w, rows_a_parameter = choices["rows_a_parameter"]
        cdef double min_node = choices["min_node"], min_deviation = choices["min_deviation"]
        cdef const double[:, ::1] input_view
        cdef bint fitted = inputs is not None
        cdef Cut cut
        cdef uint32_t* rows
        cdef int64_t most = max(2 * n - 1, 1)
        cdef const double[::1] weight_view
        self.values, self.orders, self.target, self.n_codes, self.list_of = values, orders, target, n_codes, list_of
        self.min_branch = choices["min_branch"]
        self.weights = NULL
        if weights is not None:
            weight_view = weights
            self.weights = &weight_view[0]
        self.prepare()
        if fitted:
            input_view = inputs
            fitted = input_view.shape[1] > 0
        if fitted:
            self.reserve(input_view, choices["tolerance"])
            rows_a_parameter *= input_view.shape[1] + 1
        parents, firsts = np.full(most, -1, np.int32), np.full(most, -1, np.int32)
        sizes, statistics = np.zeros(most, np.int64), np.zeros((most, 3))
        features, cuts, gains = np.full(most, -1, np.int32), np.zeros(most), np.zeros(most)
        defaults = np.zeros(most, np.int32)
        leaves, starts, stacked = np.zeros(n, np.int32), np.zeros(most, np.int64), np.zeros(most + 1, np.int64)
        cdef int32_t[::1] parent = parents, first_child = firsts, feature = features, leaf = leaves
        cdef int32_t[::1] default = defaults
        cdef int64_t[::1] size = sizes, begin = starts, stack = stacked
        cdef double[:, ::1] value = statistics
        cdef double[::1] at = cuts, gain = gains
        uppers = {}
        cdef bint closely
        cdef double own = 0.0
        cdef uint8_t[::1] vain = np.zeros(most, np.uint8)
        size[0] = n
        with nogil:
            depth = 1
            while depth:
                poll()
                depth -= 1
                node = stack[depth]
                start, end = begin[node], begin[node] + size[node]
                rows = &self.orders[self.n_lists - 1, 0]
                weight = mean = squares = 0.0
                for i in range(start, end):
                    w = self.weight_of(rows[i])
                    weight += w
                    mean += w * target[rows[i]]
                mean /= weight
                for i in range(start, end):
                    x = target[rows[i]] - mean
                    squares += self.weight_of(rows[i]) * x * x
                value[node, 0], value[node, 1], value[node, 2] = weight, mean, squares
                cut.feature = -1
                if weight >= min_node and end - start > 1 and sqrt(squares / weight) > min_deviation:
                    closely = fitted and weight >= rows_a_parameter
                    if closely:
                        own = self.leave(rows + start, end - start, input_view)
                    cut = self.choose(start, end, weight, closely, most_judged, own)
                    if closely and not self.gains:
                        vain[node] += 1
                        if vain[node] >= MOST_VAIN:
                            cut.feature = -1
                    else:
                        vain[node] = 0
                if cut.feature < 0:
                    for i in range(start, end):
                        leaf[rows[i]] = <int32_t>node
                    continue
                middle = self.divide(start, end, &cut)
                feature[node], at[node], gain[node] = <int32_t>cut.feature, cut.at, cut.gain
                default[node] = cut.missing_up
                if n_codes[cut.feature]:
                    with gil:
                        uppers[node] = <bytes>cut.upper[:n_codes[cut.feature]]
                first_child[node] = <int32_t>used
                parent[used] = parent[used + 1] = <int32_t>node
                vain[used] = vain[used + 1] = vain[node]
                begin[used], size[used] = start, middle - start
                begin[used + 1], size[used + 1] = middle, end - middle
                stack[depth], stack[depth + 1] = used + 1, used
                depth += 2
                used += 2
            poll()
        return {
            "parent": parents[:used].copy(), "first_child": firsts[:used].copy(), "rows": sizes[:used].copy(),
            "value": statistics[:used].copy(), "feature": features[:used].copy(), "cut": cuts[:used].copy(),
            "gain": gains[:used].copy(), "missing": defaults[:used].copy(), "leaves": leaves, "upper": uppers,
        }
