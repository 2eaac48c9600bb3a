"""Sums of columns as splits: found where one column cannot do it, and sent as the model says, missing values too."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.learn.trees import grow as grower
from hornbeam.model.trees.split import SUMS


def diagonal(missing: float = 0.0, seed: int = 0) -> tuple[Any, Any]:
    random = np.random.default_rng(seed)
    rows = random.random((400, 3))
    above = rows[:, 0] + rows[:, 1] > 1
    rows[random.random(rows.shape) < missing] = np.nan
    return rows, above.astype(int)


def test_a_slanting_border_is_one_split() -> None:
    rows, classes = diagonal()
    tree = hornbeam.TreeClassifier(combinations=True, missing="error").fit(rows, classes).model_
    assert tree.n_leaves == 2
    assert tree.splits.kind.tolist() == [SUMS]
    assert tree.splits.term_column is not None
    assert tree.splits.term_column.tolist() == [0, 1]
    assert tree.error[tree.first_child < 0].sum() == 0


@pytest.mark.parametrize("missing", ["fractional", "surrogate", "default-direction", "majority"])
def test_rows_end_where_they_were_counted(missing: str) -> None:
    rows, classes = diagonal(0.05)
    estimator = hornbeam.TreeClassifier(combinations=True, missing=missing, min_samples_leaf=10).fit(rows, classes)
    tree = estimator.model_
    tree.validate()
    assert (tree.splits.kind == SUMS).any()
    start, nodes, weights = tree.decision_path(hornbeam.read(rows))
    assert len(start) == len(rows) + 1
    reached = np.bincount(nodes, weights, tree.n_nodes)
    np.testing.assert_allclose(reached, tree.weight)


def test_numbers_and_threads(monkeypatch: pytest.MonkeyPatch) -> None:
    rows, _ = diagonal(seed=1)
    numbers = 3 * rows[:, 0] - 2 * rows[:, 1]
    settings: dict[str, Any] = {"combinations": True, "missing": "error", "max_depth": 2}
    alone = hornbeam.TreeRegressor(**settings).fit(rows, numbers)
    plain = hornbeam.TreeRegressor(missing="error", max_depth=2).fit(rows, numbers)
    assert alone.score(rows, numbers) > plain.score(rows, numbers)
    monkeypatch.setattr("hornbeam.core.trees.grow.grower.SHARE_FROM", 100)
    assert hornbeam.TreeRegressor(n_jobs=2, **settings).fit(rows, numbers).model_.same_as(alone.model_)
    monkeypatch.setattr(grower, "ZOOM_FROM", 4)
    assert hornbeam.TreeRegressor(**settings).fit(rows, numbers).model_.same_as(alone.model_)


@given(st.integers(0, 10_000))
def test_never_worse_at_the_root_than_one_column(seed: int) -> None:
    random = np.random.default_rng(seed)
    rows = random.integers(0, 6, (30, 3)).astype(float)
    classes = random.integers(0, 2, 30)
    scores = []
    for combinations in (False, True):
        tree = (
            hornbeam.TreeClassifier(combinations=combinations, missing="error", max_depth=1).fit(rows, classes).model_
        )
        scores.append(float(tree.splits.score[0]) if tree.n_nodes > 1 else 0.0)
    assert scores[1] >= scores[0] - 1e-12
