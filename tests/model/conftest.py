"""A tree built by hand: the weather, by outlook, then humidity or wind."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.model.trees.split import CODES, CUTS, SplitStore
from hornbeam.model.trees.tree import FRACTIONAL, Tree

WEATHER = Schema(
    (
        Nominal("outlook", ("sunny", "overcast", "rainy")),
        Numeric("humidity"),
        Nominal("windy", ("TRUE", "FALSE")),
        Nominal("play", ("yes", "no")),
    ),
    ("feature", "feature", "feature", "target"),
    "weather",
)


def build_weather() -> Tree:
    """outlook = sunny: humidity <= 75: yes, else no; overcast: yes; rainy: windy = TRUE: no, else yes."""
    counts = [[9, 5], [2, 3], [4, 0], [3, 2], [2, 0], [0, 3], [0, 2], [3, 0]]
    value = np.array(counts, np.float64)
    splits = SplitStore(
        column=np.array([0, 1, 2], np.int32),
        kind=np.array([CODES, CUTS, CODES], np.int8),
        n_branches=np.array([3, 2, 2], np.int32),
        score=np.array([0.247, 0.971, 0.971]),
        equal_low=np.array([False, True, False]),
        cut_start=np.array([0, 0, 1, 1], np.int64),
        cuts=np.array([75.0]),
        code_start=np.array([0, 3, 3, 5], np.int64),
        codes=np.array([0, 1, 2, 0, 1], np.int32),
        code_branch=np.zeros(5, np.int32),
        other=np.full(3, -1, np.int32),
    )
    return Tree(
        schema=WEATHER,
        splits=splits,
        parent=np.array([-1, 0, 0, 0, 1, 1, 3, 3], np.int32),
        first_child=np.array([1, 4, -1, 6, -1, -1, -1, -1], np.int32),
        n_children=np.array([3, 2, 0, 2, 0, 0, 0, 0], np.int32),
        split=np.array([0, 1, -1, 2, -1, -1, -1, -1], np.int32),
        missing=np.full(8, FRACTIONAL, np.int32),
        rows=value.sum(axis=1).astype(np.int64),
        weight=value.sum(axis=1),
        value=value,
        label=value.argmax(axis=1).astype(np.int32),
        error=value.min(axis=1),
        share=np.array([1.0, 5 / 14, 4 / 14, 5 / 14, 2 / 5, 3 / 5, 2 / 5, 3 / 5]),
    )


@pytest.fixture
def weather() -> Tree:
    return build_weather()
