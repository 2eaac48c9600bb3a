"""Products, Cholesky's method and exp: right, and summed term after term, so that no machine gives other bits."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest

from hornbeam.core.svm import dense

SIZES = [1, 2, 3, 7, 8, 9, 63, 64, 65, 130, 200]


def drawn(n: int) -> Any:
    a = np.random.default_rng(n).normal(size=(n, n + 3))
    return a @ a.T + np.eye(n)


def factor_of(matrix: Any) -> Any:
    """The textbook's loops, one term after another."""
    n = len(matrix)
    found = np.zeros((n, n))
    for j in range(n):
        column = matrix[j:, j].copy()
        for k in range(j):
            column -= found[j, k] * found[j:, k]
        found[j, j] = math.sqrt(column[0])
        found[j + 1 :, j] = column[1:] / found[j, j]
    return found


@pytest.mark.parametrize("n", SIZES)
def test_the_factor_is_that_of_the_plain_loops_to_the_last_bit(n: int) -> None:
    matrix = drawn(n)
    found = matrix.copy()
    assert dense.cholesky(found)
    assert np.array_equal(np.tril(found), factor_of(matrix))
    sides = np.random.default_rng(0).normal(size=(2, n))
    solved = sides.copy()
    dense.solve(found, solved)
    np.testing.assert_allclose(solved @ matrix, sides, atol=1e-9)


@pytest.mark.parametrize("n", SIZES)
def test_products_are_summed_column_by_column(n: int) -> None:
    random = np.random.default_rng(n)
    a, b = random.normal(size=(n, 13)), random.normal(size=(n + 2, 13))
    expected = np.zeros((n, n + 2))
    for column in range(13):
        expected += np.outer(a[:, column], b[:, column])
    assert np.array_equal(dense.products(a, b), expected)


def test_nothing_to_multiply() -> None:
    assert dense.products(np.empty((3, 0)), np.empty((2, 0))).tolist() == [[0.0, 0.0]] * 3
    assert dense.products(np.empty((0, 4)), np.empty((2, 4))).shape == (0, 2)


@pytest.mark.parametrize("worst", [-1.0, 0.0, np.nan, np.inf])
def test_a_matrix_that_is_not_positive_definite_is_found_out(worst: float) -> None:
    matrix = drawn(70)
    matrix[66, 66] = worst
    assert not dense.cholesky(matrix)


def test_sizes_that_do_not_fit_are_refused() -> None:
    with pytest.raises(ValueError, match="different numbers of columns"):
        dense.products(np.ones((2, 3)), np.ones((2, 4)))
    with pytest.raises(ValueError, match="not square"):
        dense.cholesky(np.ones((2, 3)))
    with pytest.raises(ValueError, match="different sizes"):
        dense.solve(np.ones((2, 2)), np.ones((1, 3)))


def test_exp_is_right() -> None:
    x = -np.concatenate([[0.0], np.logspace(-12, np.log10(700), 2000), [701.0, 1e300, np.inf]])
    found = x.copy()
    dense.exp_negative(found)
    np.testing.assert_allclose(found, np.where(x < -700, 0.0, np.exp(x)), rtol=2e-15)


@pytest.mark.parametrize("n", SIZES)
def test_squared_distances_are_summed_column_by_column(n: int) -> None:
    drawing = np.random.default_rng(n)
    a, b = drawing.normal(size=(n, 5)), drawing.normal(size=(n // 2 + 1, 5))
    expected = np.zeros((n, n // 2 + 1))
    for column in range(5):
        expected += (a[:, [column]] - b[:, column]) ** 2
    assert np.array_equal(dense.squared_distances(a, b), expected)
    with pytest.raises(ValueError, match="different numbers of columns"):
        dense.squared_distances(a, b[:, :4].copy())
