"""Sparse matrices of SciPy, checked and converted for the kernels.

SciPy does not check indices when a matrix is made or changed, nor when it is converted from one format to another: an
index outside the matrix is read or written outside memory. So indices are checked first, in the matrix's own format.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from scipy import sparse

from hornbeam.data.indices import check_starts, indices_below, offsets
from hornbeam.learn.base.limits import validate_data

if TYPE_CHECKING:
    from numpy.typing import NDArray
    from sklearn.base import BaseEstimator

    from hornbeam.model.svm.svm import SparseRows

MOST_COLUMNS = 1 << 22  # a schema names each of them
LARGEST = 1e150  # of a value: squares are added up
COMPRESSED = ("csr", "csc", "bsr")
BYTES = 8  # of a number
MOST_OF_FREE = 0.5  # of the free memory, for the numbers of a sparse matrix
KILOBYTE, GIGABYTE = 1 << 10, 1 << 30


def checked_sparse(X: Any) -> Any:
    """Return the matrix if all its indices are inside it.

    Raises
    ------
    ValueError
        Describes the first problem.
    """
    if X.ndim != 2:  # noqa: PLR2004 - rows and columns
        msg = f"a sparse array of {X.ndim} dimensions was found; expected two, rows and columns"
        raise ValueError(msg)
    if X.shape[1] > MOST_COLUMNS:
        msg = f"a sparse matrix of {X.shape[1]} columns was found; expected at most {MOST_COLUMNS}"
        raise ValueError(msg)
    try:
        if X.format in COMPRESSED:
            _check_compressed(X)
        elif X.format == "coo":
            _check_coordinates(X)
        elif X.format == "dia":
            _check_diagonals(X)
        elif X.format == "lil":
            _check_lists(X)
        elif X.format == "dok":
            for number, name in enumerate(("rows", "columns")):
                indices_below(name, np.array([key[number] for key in X.keys()], np.int64), X.shape[number])  # noqa: SIM118 - a matrix
        else:
            msg = f"a sparse matrix of the format {X.format!r} was found; expected CSR, CSC, BSR, COO, DIA, LIL or DOK"
            raise ValueError(msg)
    except (IndexError, TypeError, AttributeError, OverflowError) as error:
        msg = f"the sparse matrix is malformed: {error}"
        raise ValueError(msg) from None
    return X


def _check_compressed(X: Any) -> None:
    data: NDArray[Any] = X.data
    major, minor = X.shape if X.format != "csc" else X.shape[::-1]
    if X.format == "bsr":
        high, wide = data.shape[1:]
        if not high or not wide or major % high or minor % wide:
            msg = f"blocks have the shape {(high, wide)}; expected them to divide the shape {X.shape}"
            raise IndexError(msg)
        major, minor = major // high, minor // wide
    elif data.ndim != 1:
        msg = f"data has {data.ndim} dimensions; expected one"
        raise IndexError(msg)
    if len(X.indices) != len(data):
        msg = f"{len(X.indices)} indices were found for {len(data)} values"
        raise IndexError(msg)
    check_starts("indptr", X.indptr, major, len(data))
    indices_below("indices", X.indices, minor)


def _check_coordinates(X: Any) -> None:
    for name, coordinate, end in zip(("row", "col"), X.coords, X.shape, strict=True):
        if len(indices_below(name, coordinate, end)) != len(X.data):
            msg = f"{name} has {len(coordinate)} numbers for {len(X.data)} values"
            raise IndexError(msg)


def _check_diagonals(X: Any) -> None:
    if X.data.ndim != 2 or X.offsets.shape != (len(X.data),) or X.offsets.dtype.kind != "i":  # noqa: PLR2004 - a matrix
        msg = f"{X.offsets.shape} offsets were found for diagonals of the shape {X.data.shape}"
        raise IndexError(msg)
    indices_below("offsets", X.offsets.astype(np.int64) + X.shape[0], X.shape[0] + X.shape[1])


def _check_lists(X: Any) -> None:
    if X.rows.shape != (X.shape[0],) or X.data.shape != (X.shape[0],):
        msg = f"{X.rows.shape} lists of columns and {X.data.shape} of values were found for {X.shape[0]} rows"
        raise IndexError(msg)
    for row, (columns, values) in enumerate(zip(X.rows, X.data, strict=True)):
        if len(columns) != len(values):
            msg = f"row {row + 1} has {len(columns)} columns and {len(values)} values"
            raise IndexError(msg)
    flat = [column for columns in X.rows for column in columns]
    indices_below("columns", np.array(flat) if flat else np.empty(0, np.int64), X.shape[1])


def dense(learner: BaseEstimator, X: Any, *, reset: bool, finite: bool | str) -> NDArray[np.float64]:
    """The numbers of a sparse matrix, for learners that use columns one by one; made column by column.

    Parameters
    ----------
    learner : estimator
        The estimator, for checks as in scikit-learn.
    X : sparse matrix or array
        Entries that are not stored are zeros, not missing values.
    reset : bool
        Whether the learner stores the number of features, or compares it.
    finite : bool or "allow-nan"
        See `sklearn.utils.check_array`.

    Returns
    -------
    array of shape (rows, columns)
        Each column is contiguous.

    Raises
    ------
    MemoryError
        The numbers would take more than half of the free memory.
    """
    checked_sparse(X)
    _check_memory(X.shape, free_memory())
    own = sparse.csc_array(X, copy=True)
    matrix = validate_data(learner, own, reset=reset, accept_sparse="csc", dtype=np.float64, ensure_all_finite=finite)
    matrix.sum_duplicates()
    columns = np.zeros(matrix.shape[::-1])
    for column, numbers in enumerate(columns):
        stored = slice(matrix.indptr[column], matrix.indptr[column + 1])
        numbers[matrix.indices[stored]] = matrix.data[stored]
    return columns.T


def _check_memory(shape: tuple[int, int], free: int | None) -> None:
    needed = shape[0] * shape[1] * BYTES
    if free is not None and needed > free * MOST_OF_FREE:
        msg = (
            f"the sparse matrix has {shape[0]:,} rows and {shape[1]:,} columns, which take {needed / GIGABYTE:,.1f} GB "
            f"as a table, with every zero; {free / GIGABYTE:,.1f} GB are free. Expected at most half of that: use "
            "fewer columns or rows, or a support vector machine, which learns from the entries alone"
        )
        raise MemoryError(msg)


def free_memory() -> int | None:
    """The bytes of memory that new arrays can use; None if the system does not report it."""
    try:
        for line in Path("/proc/meminfo").read_text(encoding="ascii").splitlines():
            if line.startswith("MemAvailable:"):
                return int(line.split()[1]) * KILOBYTE
    except (OSError, ValueError, IndexError):
        pass
    return None


def sparse_rows(matrix: Any) -> SparseRows:  # a checked matrix of SciPy
    """Sparse rows as the kernels expect them: columns sorted, none twice, no zeros."""
    rows = sparse.csr_array(matrix, dtype=np.float64, copy=True)
    rows.sum_duplicates()
    rows.eliminate_zeros()
    if len(rows.data) and not np.abs(rows.data).max() < LARGEST:  # finite entries of one position may add up to more
        index = int(np.argmax(np.abs(rows.data)))
        row = int(np.searchsorted(rows.indptr, index, side="right"))
        msg = (
            f"row {row}, column {rows.indices[index]}: the entries here add up to {rows.data[index]}, whose "
            "square is too large for a number; scale the column"
        )
        raise ValueError(msg)
    return rows.indptr.astype(np.int64), rows.indices.astype(np.int32), np.ascontiguousarray(rows.data), rows.shape[1]


def sparse_take(points: SparseRows, rows: NDArray[np.int64]) -> SparseRows:
    """Some of the rows."""
    start, columns, values, n = points
    counts = np.diff(start)[rows]
    begin = offsets(counts)
    at = np.arange(begin[-1]) + np.repeat(start[rows] - begin[:-1], counts)
    return begin, np.ascontiguousarray(columns[at]), np.ascontiguousarray(values[at]), n
