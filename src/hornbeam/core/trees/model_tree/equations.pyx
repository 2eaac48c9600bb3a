"""Linear models at every node of a tree of two-way splits, and the pruning that compares them with their subtrees.

Rows are in the order of the leaves, so that a node's rows are one block. Sums of products (weight, means, squares and
products about the means) are computed once, in the leaves, and combined up the tree by the formula for joining two sets
(Chan, Golub & LeVeque 1983), which loses no precision. The child with more rows is processed first, so at most log n
sets of sums are stored at a time. Equations are solved by sweeping (Goodnight 1979); dropping a term is one more sweep.
Only absolute errors need the rows again: one pass over a node's block.
"""

import numpy as np

from libc.math cimport fabs, sqrt
from libc.stdint cimport int8_t, int32_t, int64_t, uint8_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from hornbeam.core.base.memory cimport hb_resize
from hornbeam.core.base.interrupt cimport poll

include "solve.pxi"

cdef double NO_ERROR = 1e-9  # smaller errors, as a fraction of the target's deviation, are rounding


cdef class Fitter:
    """Equations and pruning of one tree; `fit` describes the parameters."""

    cdef Work work
    cdef Store store
    cdef Sums* slots
    cdef int64_t n_slots
    cdef void* memory

    def __cinit__(self):
        self.memory = NULL
        self.slots = NULL
        self.store.input = NULL
        self.store.coefficient = NULL
        self.store.used = self.store.room = 0

    def __dealloc__(self):
        free(self.memory)
        free(self.slots)
        free(self.store.input)
        free(self.store.coefficient)

    cdef int reserve(self, int64_t n_inputs, int64_t n_slots) except -1:
        cdef int64_t size = n_inputs + 1, numbers, i
        cdef double* place
        cdef uint8_t* flags
        numbers = n_slots * (size + size * size) + size * size + 2 * size
        self.memory = malloc(numbers * sizeof(double) + (n_slots + 1) * size + size * sizeof(int32_t) + 64)
        self.slots = <Sums*>malloc(n_slots * sizeof(Sums))
        if self.memory == NULL or self.slots == NULL:
            raise MemoryError
        place = <double*>self.memory
        for i in range(n_slots):
            self.slots[i].mean = place
            self.slots[i].products = place + size
            place += size + size * size
        self.work.n_inputs, self.work.size = n_inputs, size
        self.work.matrix = place
        self.work.coefficient = place + size * size
        self.work.centered = place + size * size + size
        place += size * size + 2 * size
        self.work.chosen = <int32_t*>place
        flags = <uint8_t*>place + size * sizeof(int32_t)
        for i in range(n_slots):
            self.slots[i].below = flags
            flags += size
        self.work.kept = flags
        self.n_slots = n_slots
        return 0

    cdef void keep_terms(self, int64_t n) noexcept nogil:
        """Store the inputs and coefficients of an equation; there is room for them."""
        cdef int64_t i
        for i in range(n):
            self.store.input[self.store.used + i] = self.work.chosen[i]
            self.store.coefficient[self.store.used + i] = self.work.coefficient[i]
        self.store.used += n

    cdef dict sums_of_all(self, int64_t size):
        """The weight, the means and the products of all rows."""
        return {
            "weight": self.slots[0].weight,
            "means": np.array(<double[:size]>self.slots[0].mean),
            "products": np.array(<double[:size, :size]>self.slots[0].products),
        }

    def fit(self, nodes, const double[:, ::1] values, const double[::1] target, weights, int64_t n_slots, choices):
        """Fit and prune.

        Parameters
        ----------
        nodes : mapping of arrays by node.
            first_child : -1 at a leaf. The other child comes right after it.
            asked : the input that the split tests; -1 at a leaf, and if no equation may use it.
            row_start, row_end : the block of rows.
        values, target, weights : rows x inputs; the target; weights or None. Scaled to about 1.
        n_slots : maximum number of sets of sums stored at a time.
        choices : mapping.
            linear : whether equations have terms.
            prune : whether equations may replace subtrees.
            above : whether inputs tested above a node may be in its equation.
            on_path : how many splits above the first node test each input.
            at_large, enough : inputs above 0 may be in the equation of any node of at least this weight.
            tolerance : an input is left out if less than this fraction of its variance is unexplained by the others.
            overfull : factor of the errors if an equation has as many parameters as rows.
            price : how many parameters a split counts for.

        Returns
        -------
        pruned, intercept, absolute and squared error (sums), number of parameters of the remaining subtree, start and
        end of the terms (all by node, and meaningless below a pruned one); inputs and coefficients of the terms; and
        of all rows the weight, the means and the products about them (lower triangle; inputs, then the target).
        """
        cdef const int32_t[::1] first_child = nodes["first_child"], asked = nodes["asked"]
        cdef const int64_t[::1] row_start = nodes["row_start"], row_end = nodes["row_end"]
        cdef const int32_t[::1] at_large = choices["at_large"]
        cdef bint linear = choices["linear"], prune = choices["prune"], above = choices["above"]
        cdef double enough = choices["enough"], overfull = choices["overfull"], price = choices["price"]
        cdef int64_t n_nodes = len(first_child), n_inputs = values.shape[1], depth = 0, slot = 0, n, node, done
        cdef const double[::1] weight_view
        cdef double intercept, absolute, squared, own, below, least
        cdef bint failed = False
        names = ("intercept", "absolute", "squared", "parameters")
        found = {name: np.zeros(n_nodes) for name in names}
        found |= {"pruned": np.zeros(n_nodes, np.uint8)}
        found |= {name: np.zeros(n_nodes, np.int64) for name in ("term_start", "term_end")}
        cdef double[::1] intercepts = found["intercept"], absolutes = found["absolute"], squares = found["squared"]
        cdef uint8_t[::1] pruned = found["pruned"]
        cdef int64_t[::1] starts = found["term_start"], ends = found["term_end"]
        cdef int64_t[::1] stack = np.zeros(n_nodes + 1, np.int64)
        cdef int64_t[::1] before = np.zeros(n_nodes, np.int64)  # size of the store when the node was entered
        cdef int8_t[::1] state = np.zeros(n_nodes, np.int8)
        cdef int32_t[::1] on_path = np.array(choices["on_path"], np.int32), allowed = np.zeros(n_inputs + 1, np.int32)
        cdef int64_t larger, child
        cdef bint at_will
        # of the remaining tree at and below a node: parameters, and summed absolute error
        cdef double[::1] parameters = found["parameters"], errs = np.zeros(n_nodes)
        self.reserve(n_inputs, n_slots)
        self.work.values = &values[0, 0] if values.shape[0] and n_inputs else NULL
        self.work.target = &target[0]
        self.work.weights = NULL
        if weights is not None:
            weight_view = weights
            self.work.weights = &weight_view[0]
        self.work.tolerance = choices["tolerance"]
        with nogil:
            depth = 1
            while depth:
                poll()
                node = stack[depth - 1]
                if state[node] == 0:
                    before[node] = self.store.used
                if first_child[node] >= 0 and state[node] < 2:
                    # the child with more rows first, so that few sets of sums wait
                    larger = first_child[node]
                    if row_end[larger] - row_start[larger] < row_end[larger + 1] - row_start[larger + 1]:
                        larger += 1
                    if state[node] == 0 and above and asked[node] >= 0:
                        on_path[asked[node]] += 1
                    stack[depth] = larger if state[node] == 0 else 2 * first_child[node] + 1 - larger
                    state[node] += 1
                    depth += 1
                    continue
                depth -= 1
                if first_child[node] < 0:
                    sum_rows(&self.work, row_start[node], row_end[node], &self.slots[slot])
                    slot += 1
                else:
                    slot -= 1
                    join(&self.work, &self.slots[slot - 1], &self.slots[slot])
                    if asked[node] >= 0:
                        self.slots[slot - 1].below[asked[node]] = 1
                n = 0
                intercept = self.slots[slot - 1].mean[n_inputs]
                at_will = self.slots[slot - 1].weight >= enough
                for done in range(n_inputs):
                    allowed[done] = on_path[done] + (at_large[done] if at_will else 0)
                if linear and (first_child[node] >= 0 or above or at_will):
                    n = solve(&self.work, &self.slots[slot - 1], self.slots[slot - 1].below, &allowed[0], &intercept)
                errors_of(&self.work, row_start[node], row_end[node], n, intercept, &absolute, &squared)
                intercepts[node], absolutes[node], squares[node] = intercept, absolute, squared
                parameters[node], errs[node] = n + 1, absolute
                if first_child[node] >= 0:
                    if above and asked[node] >= 0:
                        on_path[asked[node]] -= 1
                    # a subtree has the parameters of its leaves, plus some for every split
                    child = first_child[node]
                    own = absolute * grows_by(self.slots[slot - 1].weight, n + 1, 1.0, overfull)
                    below = parameters[child] + parameters[child + 1] + price
                    least = (errs[child] + errs[child + 1]) * grows_by(
                        self.slots[slot - 1].weight, below, 1.0, overfull
                    )
                    if prune and own <= least + NO_ERROR * self.slots[slot - 1].weight:
                        pruned[node] = 1
                        self.store.used = before[node]  # equations below are no longer needed
                    else:
                        parameters[node], errs[node] = below, errs[child] + errs[child + 1]
                if not make_room(&self.store, n):
                    failed = True
                    break
                starts[node] = self.store.used
                self.keep_terms(n)
                ends[node] = self.store.used
        if failed:
            raise MemoryError
        found["inputs"], found["coefficients"] = taken(&self.store)
        return found | self.sums_of_all(n_inputs + 1)


def solve_sums(
    double weight, const double[::1] means, const double[:, ::1] products, const uint8_t[::1] below,
    const int32_t[::1] above, double tolerance,
):
    """The equation of a node whose sums are known.

    Parameters
    ----------
    weight, means, products : the weight of its rows; their means, inputs and then the target; and products about them.
    below, above : by input, whether it is tested at the node or below; how many splits above test it.
    tolerance : an input is left out if less than this fraction of its variance is unexplained by the others.

    Returns
    -------
    Inputs of the terms, their coefficients, and the intercept.
    """
    cdef int64_t size = len(means), n
    cdef double intercept = means[size - 1]
    cdef Work work
    cdef Sums sums
    matrix, coefficients = np.zeros((size, size)), np.zeros(size)
    chosen, kept = np.zeros(size, np.int32), np.zeros(size, np.uint8)
    cdef double[:, ::1] matrix_view = matrix
    cdef double[::1] coefficient_view = coefficients
    cdef int32_t[::1] chosen_view = chosen
    cdef uint8_t[::1] kept_view = kept
    work.n_inputs, work.size, work.tolerance = size - 1, size, tolerance
    work.matrix, work.coefficient = &matrix_view[0, 0], &coefficient_view[0]
    work.chosen, work.kept = &chosen_view[0], &kept_view[0]
    sums.weight, sums.mean, sums.products = weight, <double*>&means[0], <double*>&products[0, 0]
    n = solve(&work, &sums, &below[0], &above[0], &intercept)
    return chosen[:n].copy(), coefficients[:n].copy(), intercept


def smooth(
    const int32_t[::1] parent, const uint8_t[::1] is_leaf, const double[::1] weight, const int64_t[::1] start,
    const int64_t[::1] end, const int32_t[::1] inputs, const double[::1] coefficients, const double[::1] intercept,
    double strength, int64_t n_inputs,
):
    """Blend the equations above into the leaves'; those of inner nodes do not change.

    Going up from a leaf, the prediction so far has the weight of the rows of its node, the equation of the node above
    the weight `strength`: p' = (n p + k q) / (n + k) (Wang & Witten 1997).

    Returns
    -------
    Start of each node's terms (and the end of the last), their inputs in ascending order, coefficients, and intercepts.
    """
    cdef int64_t n_nodes = len(parent), node, at, below, j
    cdef double part
    new_start = np.zeros(n_nodes + 1, np.int64)
    new_intercept = np.zeros(n_nodes)
    cdef int64_t[::1] starts = new_start
    cdef double[::1] intercepts = new_intercept
    cdef double[::1] dense = np.zeros(n_inputs + 1), remains = np.ones(n_nodes)
    cdef uint8_t[::1] present = np.zeros(n_inputs + 1, np.uint8)
    cdef Store store
    cdef bint failed = False
    store.input = NULL
    store.coefficient = NULL
    store.used = store.room = 0
    with nogil:
        # the remaining weight of an equation after blending all nodes above; parents come before their children
        for node in range(1, n_nodes):
            remains[node] = remains[parent[node]] * (weight[node] / (weight[node] + strength))
        for node in range(n_nodes):
            at, below = node, -1
            while at >= 0:
                part = 1.0
                if is_leaf[node]:
                    part = remains[at] * (1.0 if below < 0 else strength / (weight[below] + strength))
                intercepts[node] += part * intercept[at]
                for j in range(start[at], end[at]):
                    dense[inputs[j]] += part * coefficients[j]
                    present[inputs[j]] = 1
                if not is_leaf[node]:
                    break
                below = at
                at = parent[at]
            if not make_room(&store, n_inputs):
                failed = True
                break
            for j in range(n_inputs):
                if present[j]:
                    store.input[store.used] = <int32_t>j
                    store.coefficient[store.used] = dense[j]
                    store.used += 1
                    present[j] = 0
                    dense[j] = 0.0
            starts[node + 1] = store.used
    if failed:
        free(store.input)
        free(store.coefficient)
        raise MemoryError
    return new_start, *taken(&store), new_intercept


cdef tuple taken(Store* store):
    """Take the inputs and coefficients out of a store."""
    inputs, coefficients = np.empty(store.used, np.int32), np.empty(store.used)
    cdef int32_t[::1] to_inputs = inputs
    cdef double[::1] to_coefficients = coefficients
    cdef int64_t i
    for i in range(store.used):
        to_inputs[i] = store.input[i]
        to_coefficients[i] = store.coefficient[i]
    free(store.input)
    free(store.coefficient)
    store.input = NULL
    store.coefficient = NULL
    store.used = store.room = 0
    return inputs, coefficients


def blocks(const int32_t[::1] first_child, const int32_t[::1] leaves):
    """Sort rows by leaf, so that every node's rows are one block.

    Returns
    -------
    The rows in that order, and by node the start and the end of its block.
    """
    cdef int64_t n_nodes = len(first_child), n_rows = len(leaves), node, i
    row_start, row_end = np.zeros(n_nodes, np.int64), np.zeros(n_nodes, np.int64)
    rows = np.empty(n_rows, np.int64)
    cdef int64_t[::1] start = row_start, end = row_end, order = rows
    cdef int64_t[::1] place = np.zeros(n_nodes, np.int64)
    with nogil:
        for i in range(n_rows):
            end[leaves[i]] += 1
        for node in range(n_nodes - 1, -1, -1):  # children come after their parents
            if first_child[node] >= 0:
                end[node] = end[first_child[node]] + end[first_child[node] + 1]
        for node in range(n_nodes):
            if first_child[node] >= 0:
                start[first_child[node]] = start[node]
                start[first_child[node] + 1] = start[node] + end[first_child[node]]
            end[node] += start[node]
            place[node] = start[node]
        for i in range(n_rows):
            order[place[leaves[i]]] = i
            place[leaves[i]] += 1
    return rows, row_start, row_end
