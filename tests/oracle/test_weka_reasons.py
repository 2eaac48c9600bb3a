"""The reasons for differences from WEKA hold only where they say; nothing here needs WEKA."""

from __future__ import annotations

import numpy as np
import pytest
from fuzz.weka_reasons import _leaves_range

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table


def _column(values: list[float]) -> Table:
    schema = Schema((Numeric("x"), Nominal("class", ("a", "b"))), ("feature", "target"))
    return Table(schema, [np.array(values), np.zeros(len(values), np.int32)])


@pytest.mark.parametrize(("rows", "within", "beyond"), [(1, 372.56, 372.57), (2, 372.01, 372.23), (10, 371.3, 371.5)])
def test_rows_that_are_equally_far_leave_the_range_where_their_part_of_the_likelihood_is_zero(
    rows: int, within: float, beyond: float
) -> None:
    table = _column([0.0] * rows)
    assert not _leaves_range(table, 0, within)
    assert _leaves_range(table, 0, beyond)


def test_only_rows_far_away_compared_with_their_spacing_leave_the_range() -> None:
    table = _column([0.23472, 0.23441])
    assert _leaves_range(table, 0, 0.02691)
    assert not _leaves_range(table, 0, 0.2340)
    assert not _leaves_range(_column([0.2, 0.3]), 0, 0.02691)
    assert not _leaves_range(table, 0, float("nan"))
