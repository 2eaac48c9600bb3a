"""Every learner takes scanned data with few rows, and learns from them as from a table in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from scanned_tables import made_table, write_parts

import hornbeam
from hornbeam.schemes import ALL_SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.schemes import Scheme

BY_SUMS = ("LinearRegressor",)  # differs by rounding, and has tests of its own


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("scheme", ALL_SCHEMES, ids=lambda scheme: scheme.load().__name__)
def test_few_rows(tmp_path: Path, scheme: Scheme) -> None:
    kind = scheme.load()
    if kind.__name__ in BY_SUMS:
        return
    table, target = made_table(60, values=6), "y"
    if kind.__name__.endswith("Regressor"):
        table, target = table.assign({"x3": "target", "y": "feature"}), "x3"
    given = {"random_state": 1} if "random_state" in kind().get_params() else {}
    source = hornbeam.scan(write_parts(table, tmp_path, 2), target=target, workers=0)
    assert kind(**given).fit(source).model_.same_as(kind(**given).fit(table).model_)


def test_many_rows_for_other_learners(tmp_path: Path) -> None:
    pattern = write_parts(made_table(100).assign({"x3": "target", "y": "feature"}), tmp_path, 2)
    with pytest.raises(TypeError, match=r"M5RulesRegressor learns from tables in memory only, and there are 100 rows"):
        hornbeam.M5RulesRegressor().fit(hornbeam.scan(pattern, target="x3", workers=0, local_rows=99))
