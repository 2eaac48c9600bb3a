"""Quinlan's Cubist as an estimator of tables, where it is installed (``pip install cubist``)."""

from __future__ import annotations

import importlib.util
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pytest

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table


def ask_for_cubist() -> None:
    """Skip the test where it is not installed."""
    if importlib.util.find_spec("cubist") is None:
        pytest.skip("Cubist is not installed (pip install cubist)")


class Cubist:
    """Its rules, alone or in committees, put right by neighbors or not."""

    def __init__(self, **options: Any) -> None:
        self.options = options

    def fit(self, table: Table) -> Self:
        """Learn from a table with a target."""
        from cubist import Cubist as Learner  # type: ignore[import-not-found]

        known = ~np.isnan(table.target_values())
        table = table if known.all() else table.take(known)
        self.lesson = table
        self.learner = Learner(**self.options).fit(frame(table, table), table.target_values())
        return self

    def predict(self, table: Table) -> NDArray[np.float64]:
        """Give the numbers of its rows."""
        answers: NDArray[np.float64] = self.learner.predict(frame(table, self.lesson))
        return answers


def frame(table: Table, lesson: Table) -> Any:
    """A table as a data frame: categories by number, missing where the lesson lacks them, for Cubist stops at these."""
    import pandas as pd  # type: ignore[import-untyped]

    columns = {}
    for place in table.schema.features:
        column, values = table.schema.columns[place], table.columns[place]
        if isinstance(column, Nominal):
            seen = set(np.unique(lesson.columns[place]).tolist()) - {-1}
            values = np.array([f"v{code}" if code in seen else np.nan for code in values.tolist()], object)
        columns[f"c{place}"] = values
    return pd.DataFrame(columns)
