"""The chi-square test of every split of a tree: do the classes depend on the branch?"""

import numpy as np

from libc.math cimport NAN
from libc.stdint cimport int32_t, int64_t

from hornbeam.core.trees.split.impurity cimport log_chi_square_tail


def split_chances(const int32_t[::1] first_child, const int32_t[::1] n_children, const double[:, ::1] value):
    """Statistic, degrees of freedom and natural log of the p-value, by node; NaN (degrees 0) at leaves.

    Empty branches and classes that do not occur are ignored. `value` has class weights by node.
    """
    cdef int64_t n_nodes = first_child.shape[0], node, c
    cdef int n_classes = <int>value.shape[1], k, present, branches
    cdef double total, branch, expected, sum_of_terms
    statistic_array, log_p_array = np.full(n_nodes, NAN), np.full(n_nodes, NAN)
    degrees_array = np.zeros(n_nodes, np.int64)
    cdef double[::1] statistic = statistic_array, log_p = log_p_array, classes = np.zeros(n_classes)
    cdef int64_t[::1] degrees = degrees_array
    with nogil:
        for node in range(n_nodes):
            if n_children[node] == 0:
                continue
            total = sum_of_terms = 0.0
            present = branches = 0
            for k in range(n_classes):
                classes[k] = 0.0
                for c in range(first_child[node], first_child[node] + n_children[node]):
                    classes[k] += value[c, k]
                total += classes[k]
                present += classes[k] > 0.0
            for c in range(first_child[node], first_child[node] + n_children[node]):
                branch = 0.0
                for k in range(n_classes):
                    branch += value[c, k]
                if not branch > 0.0:
                    continue
                branches += 1
                for k in range(n_classes):
                    if classes[k] > 0.0:
                        expected = branch * (classes[k] / total)
                        sum_of_terms += (value[c, k] - expected) * (value[c, k] - expected) / expected
            degrees[node] = (branches - 1) * (present - 1) if branches and present else 0
            statistic[node] = sum_of_terms if degrees[node] else 0.0
            log_p[node] = log_chi_square_tail(statistic[node], degrees[node])
    return statistic_array, degrees_array, log_p_array
