"""Sparse matrices give the same models and predictions as the same numbers in an array."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import sparse

import hornbeam
from hornbeam.learn.base import sparse_input
from tests.conformance.every import CLASSIFIERS, EVERY, REGRESSORS

FORMATS = ("csr", "csc", "coo", "bsr", "lil", "dok")


def rows(seed: int, n: int = 90) -> np.ndarray[Any, Any]:
    random = np.random.default_rng(seed)
    return np.where(random.random((n, 6)) < 0.6, 0.0, random.integers(-3, 4, (n, 6)).astype(float))


def target(name: str, x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any] | None:
    score = x[:, 0] + x[:, 1] * x[:, 2]
    if name in REGRESSORS:
        return score
    return (score > 0).astype(int) if name in CLASSIFIERS else None


@pytest.mark.filterwarnings("ignore::hornbeam.learn.linear.few_rows.FewRowsWarning")
@pytest.mark.parametrize("name", [name for name in EVERY if not name.startswith(("svm", "mixture"))])
def test_sparse_and_dense_are_the_same(name: str) -> None:
    learner, x, asked = EVERY[name], rows(1), rows(2, 40)
    y = target(name, x)
    ask = "predict_proba" if name in CLASSIFIERS else "predict"
    dense = getattr(learner.fit(x, y), ask)(asked)
    for form in FORMATS[:2]:
        matrix = sparse.csr_array(x).asformat(form)
        assert np.array_equal(dense, getattr(learner.fit(matrix, y), ask)(sparse.csr_array(asked).asformat(form)))
    assert learner.__sklearn_tags__().input_tags.sparse


@pytest.mark.parametrize("form", FORMATS)
@pytest.mark.parametrize("kind", [sparse.csr_array, sparse.csr_matrix])
def test_every_format(form: str, kind: Any) -> None:
    x, asked = rows(3), rows(4)
    y = x[:, 0] + x[:, 3]
    dense = hornbeam.TreeRegressor().fit(x, y).predict(asked)
    learner = hornbeam.TreeRegressor().fit(kind(x).asformat(form), y)
    assert np.array_equal(dense, learner.predict(kind(asked).asformat(form)))


def test_entries_of_one_place_are_added_and_nan_is_missing() -> None:
    twice = sparse.coo_array(([1.0, 2.0, np.nan], ([0, 0, 1], [1, 1, 0])), shape=(3, 2))
    table = hornbeam.TreeRegressor()._features(twice, reset=True)
    assert np.array_equal(np.column_stack(table.columns), [[0.0, 3.0], [np.nan, 0.0], [0.0, 0.0]], equal_nan=True)


def test_rows_that_take_too_much_memory_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sparse_input, "free_memory", lambda: 1 << 30)
    wide = sparse.csr_array((1_000_000, 3000))
    with pytest.raises(
        MemoryError, match=r"1,000,000 rows and 3,000 columns, which take 22\.4 GB as a table.*1\.0 GB are"
    ):
        hornbeam.RandomForestClassifier().fit(wide, np.zeros(1_000_000))
    monkeypatch.setattr(sparse_input, "free_memory", lambda: None)  # a system that does not tell
    hornbeam.LinearRegressor(None).fit(sparse.csr_array(rows(1)), rows(1)[:, 0])


def test_the_free_memory_is_a_number_of_bytes() -> None:
    free = sparse_input.free_memory()
    assert free is None or 1 << 20 < free < 1 << 50


def test_wrong_indices_are_refused() -> None:
    matrix = sparse.csr_matrix(rows(1))
    matrix.indices[0] = 77
    with pytest.raises(ValueError, match="indices"):
        hornbeam.C45Classifier().fit(matrix, np.zeros(90))
