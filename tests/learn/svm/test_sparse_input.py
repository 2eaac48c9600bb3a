"""Sparse matrices of every format: malformed ones are refused in words, the others are read as SciPy means them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

from hornbeam.core.svm.plane import Plane
from hornbeam.core.svm.predict import Vectors
from hornbeam.core.svm.solve import Margin
from hornbeam.learn.base import sparse_input
from hornbeam.learn.svm.classifier import SVMClassifier
from hornbeam.learn.svm.regressor import SVMRegressor

LEARNERS: dict[str, Any] = {
    "rbf": SVMClassifier(gamma=0.5),
    "linear": SVMClassifier(kernel="linear"),
    "planes": SVMClassifier(kernel="linear", solver="planes", random_state=0),
    "probability": SVMClassifier(kernel="polynomial", probability=True, random_state=0),
    "numbers": SVMRegressor(gamma=0.5),
}
X = np.random.default_rng(3).poisson(0.7, size=(30, 6)).astype(float)
Y = (X[:, 0] > X[:, 1]).astype(int)


def put(name: str, place: int, value: int) -> Any:
    def change(matrix: Any) -> None:
        getattr(matrix, name)[place] = value

    return change


def cut(name: str, end: int) -> Any:
    def change(matrix: Any) -> None:
        setattr(matrix, name, getattr(matrix, name)[:end].copy())

    return change


DAMAGE: dict[str, tuple[str, Any]] = {  # a format, and what is done to the arrays, as SciPy lets anybody do
    "negative index": ("csr", put("indices", 3, -1)),
    "index too large": ("csr", put("indices", 3, 6)),
    "index far too large": ("csr", put("indices", 3, 10**6)),
    "index of a row": ("csc", put("indices", 3, 10**6)),
    "falling starts": ("csr", put("indptr", 5, 10**6)),
    "starts beyond the end": ("csr", put("indptr", -1, 10**6)),
    "starts not at zero": ("csr", put("indptr", 0, -4)),
    "fewer starts": ("csr", cut("indptr", -3)),
    "fewer values": ("csr", cut("data", 4)),
    "row too large": ("coo", put("row", 2, 10**7)),
    "column negative": ("coo", put("col", 2, -2)),
    "block outside": ("bsr", put("indices", 0, 99)),
}


def damaged(what: str) -> Any:
    form, change = DAMAGE[what]
    made: Any = sparse.csr_array(X).asformat(form)
    change(made)
    return made


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("what", DAMAGE)
def test_a_malformed_matrix_is_refused_at_fit(name: str, what: str) -> None:
    with pytest.raises(ValueError, match=r"the sparse matrix is malformed: .*(expected|found)"):
        LEARNERS[name].fit(damaged(what), Y)


@pytest.mark.parametrize("name", LEARNERS)
@pytest.mark.parametrize("dense", [False, True])
def test_a_malformed_matrix_is_refused_at_predict(name: str, dense: bool) -> None:
    learner = LEARNERS[name].fit(X if dense else sparse.csr_array(X), Y)
    for what in DAMAGE:
        with pytest.raises(ValueError, match="the sparse matrix is malformed"):
            learner.predict(damaged(what))


def test_lists_and_diagonals_are_checked() -> None:
    lists = sparse.lil_array(X)
    lists.rows[2] = [0, 99]
    lists.data[2] = [1.0, 1.0]
    with pytest.raises(ValueError, match="columns has 99 at index"):
        sparse_input.checked_sparse(lists)
    lists.rows[2] = [0]
    with pytest.raises(ValueError, match="row 3 has 1 columns and 2 values"):
        sparse_input.checked_sparse(lists)
    diagonals = sparse.dia_array((np.ones((2, 6)), [0, 1]), shape=(30, 6))
    diagonals.offsets = np.array([0, 1, 2])
    with pytest.raises(ValueError, match="offsets were found for diagonals"):
        sparse_input.checked_sparse(diagonals)


@pytest.mark.parametrize("form", ["csr", "csc", "coo", "lil", "dok", "bsr", "dia"])
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_every_format_gives_the_same_machine(form: str, kind: Any) -> None:
    plain = LEARNERS["rbf"].fit(sparse.csr_array(X), Y).decision_function(sparse.csr_array(X))
    given = kind(X).asformat(form)
    assert np.array_equal(LEARNERS["rbf"].fit(given, Y).decision_function(given), plain)


def test_wide_indices_unsorted_and_repeated_entries() -> None:
    plain = LEARNERS["rbf"].fit(sparse.csr_array(X), Y).decision_function(X)
    csr = sparse.csr_array(X)
    wide = sparse.csr_array((csr.data, csr.indices.astype(np.int64), csr.indptr.astype(np.int64)), shape=csr.shape)
    wide.indices, wide.indptr = csr.indices.astype(np.int64), csr.indptr.astype(np.int64)
    assert np.array_equal(LEARNERS["rbf"].fit(wide, Y).decision_function(wide), plain)
    rows, columns = np.nonzero(X)
    twice = sparse.coo_array((np.tile(X[rows, columns] / 2, 2), (np.tile(rows, 2), np.tile(columns, 2))), shape=X.shape)
    assert np.array_equal(LEARNERS["rbf"].fit(twice, Y).decision_function(twice), plain)
    doubled = sparse.csr_array((30, 6))
    start = np.concatenate([[0], np.cumsum(2 * np.count_nonzero(X, axis=1))])
    entries = [(c, X[r, c] / 2) for r in range(30) for c in (*np.flatnonzero(X[r])[::-1], *np.flatnonzero(X[r]))]
    doubled.indptr, doubled.indices = start.astype(np.int32), np.array([c for c, _ in entries], np.int32)
    doubled.data = np.array([value for _, value in entries])
    assert np.array_equal(LEARNERS["rbf"].fit(doubled, Y).decision_function(doubled), plain)


def test_a_matrix_changed_after_it_was_sorted_is_read_as_it_is() -> None:
    changed = sparse.csr_array(X)
    changed.sum_duplicates()
    assert changed.has_canonical_format
    changed.indices[changed.indptr[4] : changed.indptr[5]] = 0  # all of one place, though the matrix says otherwise
    whole = X.copy()
    whole[4] = 0
    whole[4, 0] = X[4].sum()
    expected = LEARNERS["linear"].fit(sparse.csr_array(whole), Y).decision_function(whole)
    assert np.array_equal(LEARNERS["linear"].fit(changed, Y).decision_function(whole), expected)


def test_numbers_that_are_not_finite() -> None:
    for value in (np.nan, np.inf):
        odd = sparse.csr_array(X)
        odd.data[2] = value
        with pytest.raises(ValueError, match=r"NaN|infinity"):
            LEARNERS["rbf"].fit(odd, Y)
    huge = sparse.csr_array((np.full(60, 1.7e308), np.zeros(60, np.int32), np.arange(0, 61, 2)), shape=(30, 6))
    with pytest.raises(ValueError, match="row 1, column 0: the entries here add up to inf"):
        LEARNERS["rbf"].fit(huge, Y)


def test_more_columns_than_a_schema_can_name() -> None:
    with pytest.raises(ValueError, match=r"1000000000 columns was found; expected at most \d+"):
        LEARNERS["rbf"].fit(sparse.csr_array((30, 10**9)), Y)


def test_kernels_check_what_they_are_given() -> None:
    start, columns, values = np.array([0, 1, 2]), np.array([0, 9], np.int32), np.ones(2)
    kernel = (2, 1, 1.0, 0.0)
    with pytest.raises(ValueError, match="sparse row 2 has an index outside its 3 columns"):
        Vectors((start, columns, values, 3), kernel)
    with pytest.raises(ValueError, match="sparse row 2 has an index outside its 3 columns"):
        Plane((start, columns, values, 3))
    target, bounds = np.ones(2), (np.zeros(2), np.ones(2))
    with pytest.raises(ValueError, match="sparse row 2 has an index outside its 3 columns"):
        Margin((start, columns, values, 3), None, kernel, target, bounds, 0, 1e-3, 10**6, True, 1, None)
    vectors, out = Vectors((start, np.array([0, 2], np.int32), values, 3), kernel), np.empty((2, 1))
    ones, runs = np.ones((1, 2)), np.array([[0, 2, 0, 0]])
    with pytest.raises(ValueError, match="dense rows were given for sparse support vectors"):
        vectors.weigh(np.ones((2, 3)), ones, runs, np.zeros(1), 0, 2, out)
    with pytest.raises(ValueError, match="index outside its 3 columns"):
        vectors.weigh((start, columns, values, 99), ones, runs, np.zeros(1), 0, 2, out)
    with pytest.raises(ValueError, match="rows 0 to 3 of 2"):
        vectors.weigh((start, columns, values, 3), ones, runs, np.zeros(1), 0, 3, np.empty((3, 1)))
    with pytest.raises(ValueError, match="machine 1 uses support vector 5 of 2"):
        vectors.weigh((start, columns, values, 3), ones, np.array([[0, 5, 0, 0]]), np.zeros(1), 0, 1, out)
    with pytest.raises(ValueError, match="expected 3 columns"):
        Vectors(np.ones((2, 3)), kernel).weigh(np.ones((2, 2)), ones, runs, np.zeros(1), 0, 2, out)
