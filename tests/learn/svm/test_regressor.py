"""`SVMRegressor`: the tube, weights, tables, files, and what is refused."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import sparse
from sklearn.linear_model import LinearRegression
from sklearn.svm import SVR

import hornbeam
from hornbeam.learn.svm.regressor import SVMRegressor

if TYPE_CHECKING:
    from pathlib import Path


def drawn(n: int = 150) -> tuple[np.ndarray, np.ndarray]:
    x = np.random.default_rng(0).normal(size=(n, 4))
    return x, np.sin(x[:, 0]) + x[:, 1] ** 2


def test_answers_are_those_of_scikit_learn() -> None:
    x, y = drawn()
    test = np.random.default_rng(1).normal(size=(500, 4))
    ours = SVMRegressor(scale=None, gamma=0.3, C=3.0, tol=1e-5).fit(x, y)
    np.testing.assert_allclose(ours.predict(test), SVR(gamma=0.3, C=3.0, tol=1e-5).fit(x, y).predict(test), atol=1e-3)


def test_a_function_within_the_tube_needs_no_row() -> None:
    x, y = drawn(50)
    svm = SVMRegressor(epsilon=100.0).fit(x, y)
    assert len(svm.support_) == 0
    assert np.ptp(svm.predict(x)) == 0
    assert np.abs(svm.predict(x) - y).max() <= 100.0


def test_without_a_bound_every_row_is_within_the_tube() -> None:
    x, y = drawn(60)
    svm = SVMRegressor(C=np.inf, gamma=2.0, epsilon=0.05, tol=1e-6).fit(x, y)
    assert np.abs(svm.predict(x) - y).max() <= 0.05 + 1e-4


def test_a_row_twice_is_a_row_of_weight_two() -> None:
    x, y = drawn(60)
    times = np.random.default_rng(2).integers(0, 3, len(x))
    one = SVMRegressor(tol=1e-9).fit(np.repeat(x, times, axis=0), np.repeat(y, times))
    other = SVMRegressor(tol=1e-9).fit(x, y, sample_weight=times)
    np.testing.assert_allclose(one.predict(x), other.predict(x), atol=1e-5)


def test_a_plane_is_an_equation_over_the_columns() -> None:
    table = hornbeam.read("cpu")
    svm = SVMRegressor(kernel="linear", C=1000.0).fit(table)
    # Errors count by size, not squared: no plane has less of them in all, least squares has less of their squares.
    assert svm.model_.axes is not None
    x, y = svm.model_.axes.matrix(table), table.target_values()
    errors, of_squares = y - svm.predict(table), y - LinearRegression().fit(x, y).predict(x)
    assert np.abs(errors).sum() < np.abs(of_squares).sum()
    assert (errors**2).sum() > (of_squares**2).sum()
    theirs = SVR(kernel="linear", C=1000.0, tol=1e-5).fit(x, y).predict(x)
    np.testing.assert_allclose(svm.predict(table), theirs, atol=1e-2)
    intercept, terms = svm.model_.equation()
    by_hand = intercept + sum(term.coefficient * term.values(table) for term in terms)
    np.testing.assert_allclose(by_hand, svm.predict(table), rtol=1e-8)
    assert "value = " in hornbeam.show.text(svm)
    assert "so class = " in hornbeam.show.explain(svm, table, 3)


def test_files_sparse_rows_and_warm_starts(tmp_path: Path) -> None:
    x, y = drawn()
    svm = SVMRegressor(warm_start=True).fit(sparse.csr_array(x), y)
    before = int(svm.n_iter_[0])
    svm.save(tmp_path / "svm.hb")
    model = hornbeam.load(tmp_path / "svm.hb")
    assert model.same_as(svm.model_)
    np.testing.assert_array_equal(model.decisions(x)[:, 0], svm.predict(sparse.csr_array(x)))
    assert svm.fit(sparse.csr_array(x), y).n_iter_[0] < before


def test_a_negative_tube_is_refused() -> None:
    with pytest.raises(ValueError, match="epsilon is -1"):
        SVMRegressor(epsilon=-1).fit([[0.0], [1.0]], [0.0, 1.0])
