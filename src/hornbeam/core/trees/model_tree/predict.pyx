"""Prediction by linear models at the nodes of a tree: the node where a row ends is given, and its equation is evaluated
here.

A term is a numeric column times a coefficient, or a table with an entry for every category of a nominal column and one
more for a missing value: all indicators of one column at one node are one lookup.
"""

import numpy as np

from cpython.buffer cimport PyBUF_SIMPLE, PyBuffer_Release, PyObject_GetBuffer
from libc.math cimport isfinite, isnan
from libc.stdint cimport int32_t, int64_t
from libc.stdlib cimport free, malloc


def evaluate(
    const int32_t[::1] nodes, list columns, const int64_t[::1] start, const int32_t[::1] feature,
    const double[::1] coefficient, const double[::1] fill, const int64_t[::1] table, const double[::1] tables,
    const int32_t[::1] n_codes, const double[::1] intercept, const double[::1] otherwise,
):
    """The prediction of every row.

    Parameters
    ----------
    nodes : the node in which each row ends.
    columns : by feature a contiguous array, float64 or (nominal) int32; None if no term reads it.
    start, feature, coefficient, fill, table : terms by node; `table` is where a nominal term's entries begin in
        `tables`, -1 for a numeric one.
    n_codes : by feature the number of categories: that entry of a table is for missing values.
    intercept : by node.
    otherwise : by node, the prediction if the sum is not finite.
    """
    cdef int64_t n_rows = len(nodes), i, j, code
    cdef int32_t node, n_features = len(columns), f
    cdef double total, value
    predictions = np.empty(n_rows)
    cdef double[::1] found = predictions
    cdef Py_buffer* views = <Py_buffer*>malloc((n_features + 1) * sizeof(Py_buffer))
    cdef void** data = <void**>malloc((n_features + 1) * sizeof(void*))
    cdef int n_views = 0
    if views == NULL or data == NULL:
        free(views)
        free(data)
        raise MemoryError
    try:
        for f in range(n_features):
            data[f] = NULL
            if columns[f] is not None:
                PyObject_GetBuffer(columns[f], &views[n_views], PyBUF_SIMPLE)
                data[f] = views[n_views].buf
                n_views += 1
        with nogil:
            for i in range(n_rows):
                node = nodes[i]
                total = intercept[node]
                for j in range(start[node], start[node + 1]):
                    if table[j] < 0:
                        value = (<const double*>data[feature[j]])[i]
                        total += coefficient[j] * (fill[j] if isnan(value) else value)
                    else:
                        code = (<const int32_t*>data[feature[j]])[i]
                        total += tables[table[j] + (n_codes[feature[j]] if code < 0 else code)]
                found[i] = total if isfinite(total) else otherwise[node]
    finally:
        for f in range(n_views):
            PyBuffer_Release(&views[f])
        free(views)
        free(data)
    return predictions
