"""Columns are selected for any learner, and those that say nothing are left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.instances.select import select_columns


@pytest.fixture
def noisy() -> Table:
    random = np.random.default_rng(5)
    columns: list[Any] = [random.normal(size=120) for _ in range(5)]
    target = (columns[1] + columns[3] > 0).astype(np.int32)
    kinds = (*(Numeric(f"x{i}") for i in range(5)), Nominal("class", ("low", "high")))
    return Table(Schema(kinds, (*("feature",) * 5, "target")), [*columns, target])


@pytest.mark.parametrize("direction", ["forward", "backward"])
def test_columns_that_matter_are_found(noisy: Table, direction: str) -> None:
    chosen = select_columns(hornbeam.KStarClassifier(), noisy, direction)
    assert {"x1", "x3"} <= set(chosen.columns)
    assert chosen.score > chosen.start
    features = chosen.take(noisy).schema.features
    assert [noisy.schema.columns[place].name for place in features] == list(chosen.columns)


def test_a_limit_is_kept_and_threads_do_not_matter(noisy: Table) -> None:
    forward = select_columns("c45", noisy, max_columns=1)
    assert len(forward.columns) == len(forward.steps) == 1
    assert select_columns("c45", noisy, max_columns=1, n_jobs=2) == forward
    assert len(select_columns("c45", noisy, "backward", max_columns=2).columns) <= 2


def test_numbers_are_predicted_too() -> None:
    table = hornbeam.read("cpu")
    chosen = select_columns(hornbeam.LinearRegressor(), table, folds=3)
    assert chosen.columns
    assert chosen.start < chosen.score < 0


def test_what_is_wrong_is_refused(noisy: Table) -> None:
    with pytest.raises(ValueError, match="direction is 'sideways'"):
        select_columns("c45", noisy, "sideways")
    with pytest.raises(ValueError, match="folds is 1000"):
        select_columns("c45", noisy, folds=1000)
    with pytest.raises(TypeError, match="expected a learner of hornbeam"):
        select_columns(len, noisy)
