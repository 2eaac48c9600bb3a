"""Quantiles by counting bit patterns are those of the sorted values."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.scale.executors.local import LocalExecutor
from hornbeam.scale.trees import quantiles as module
from hornbeam.scale.trees.quantiles import numbers, patterns, quantiles


class Column:
    """A partition of one column."""

    def __init__(self, values: list[float]) -> None:
        self.values = np.array(values, float)

    def usable_column(self, position: int) -> np.ndarray:
        assert position == 3
        return self.values


@pytest.mark.parametrize("few", [0, 5, 100_000])
@given(
    parts=st.lists(st.lists(st.floats(allow_infinity=False, allow_nan=True), max_size=30), min_size=1, max_size=4),
    count=st.integers(1, 12),
)
def test_quantiles_are_those_of_the_sorted_values(few: int, parts: list[list[float]], count: int) -> None:
    parts = [[value + 0.0 for value in part] for part in parts]
    values = np.sort([value for part in parts for value in part if not np.isnan(value)])
    if not len(values):
        return
    executor = LocalExecutor(workers=0)
    before, module.FEW = module.FEW, few
    try:
        found = quantiles(executor, executor.load(Column, parts), {3: len(values)}, count)[3]
    finally:
        module.FEW = before
    wanted = np.unique([values[-(-len(values) * i // count) - 1] for i in range(1, count + 1)])
    assert found.tolist() == wanted.tolist()
    assert found[-1] == values[-1]


@given(st.lists(st.floats(allow_nan=False)))
def test_patterns_are_in_the_order_of_the_values(values: list[float]) -> None:
    array = np.array(values, float) + 0.0
    assert (np.argsort(patterns(array), kind="stable") == np.argsort(array, kind="stable")).all()
    assert (numbers(patterns(array)) == array).all()
