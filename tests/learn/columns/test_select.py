"""Columns are selected for any learner, and those that say nothing are left out."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.columns import select
from hornbeam.learn.columns.select import select_columns


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


def by_hand(judge: Any, names: list[str], forward: bool, most: int | None, gain: float) -> select.Selection:
    """Select columns one after another, written out."""
    chosen: list[str] = [] if forward else list(names)
    start = score = judge(chosen)
    steps: list[tuple[str, float]] = []
    while True:
        candidates = [name for name in names if (name in chosen) != forward]
        if (
            not candidates
            or (forward and most is not None and len(chosen) >= most)
            or (not forward and len(chosen) == 1)
        ):
            break
        tries = [[*chosen, name] if forward else [other for other in chosen if other != name] for name in candidates]
        scores = [judge(one) for one in tries]
        best = scores.index(max(scores))
        too_many = not forward and most is not None and len(chosen) > most
        if not (scores[best] > score + gain if forward else scores[best] >= score - gain) and not too_many:
            break
        chosen, score = tries[best], scores[best]
        steps.append((candidates[best], score))
    return select.Selection(tuple(name for name in names if name in chosen), score, tuple(steps), start)


@given(
    st.lists(st.integers(80, 100), min_size=16, max_size=16),
    st.booleans(),
    st.sampled_from([None, 1, 2, 3]),
    st.sampled_from([0.0, 0.01, 0.02, 0.05]),
)
def test_selection_is_what_it_is_by_hand(scores: list[int], forward: bool, most: int | None, gain: float) -> None:
    weather = hornbeam.read("weather")
    names = [weather.schema.columns[place].name for place in weather.schema.features]

    def judge(chosen: Any) -> float:
        return scores[sum(1 << names.index(name) for name in chosen)] / 100

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(select, "_judge", lambda _learner, _rows, _parts, chosen: judge(chosen))
        found = select.select_columns(
            "neighbors", weather, "forward" if forward else "backward", max_columns=most, min_gain=gain
        )
    assert found == by_hand(judge, names, forward, most, gain)
