"""The reasons for differences from WEKA hold only where they say; nothing here needs WEKA."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fuzz.random_tables import Drawn
from fuzz.weka_claims import Found, claims
from fuzz.weka_reasons import Case, _constant_terms, _leaves_range, _small_remainder

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.condition import AtMost
from hornbeam.model.rules.rule import Rule, RuleList


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


def test_only_what_follows_a_remainder_of_a_millionth_may_be_missing() -> None:
    table = _column([np.nan])
    kept, rest = np.array([3.0, 1.0]), np.array([0.0, 1.0])
    for left, holds in ((4e-7, True), (4e-6, False)):
        rule = Rule((AtMost(0, 1.0, 1.0 - left),), kept, 0)
        rules = RuleList(table.schema, (rule,), Rule((), rest, 1), "remaining")
        known = (1.0 - left) * kept / 4.0
        ours = Found("", (known + left * rest)[np.newaxis], model=rules)
        part = next(claim for claim in claims() if claim.name == "PART")
        never: Any = None
        case = Case(part, Drawn(table, table), ours, Found("", known[np.newaxis]), never)
        assert _small_remainder(case) == holds
        assert not _small_remainder(replace(case, reference=Found("", (known + 1e-7)[np.newaxis])))
        assert not _small_remainder(replace(case, reference=Found("another", known[np.newaxis])))


def test_a_part_below_a_millionth_counts_while_more_than_that_is_left() -> None:
    table = _column([np.nan])
    kept, small, rest = np.array([3.0, 1.0]), np.array([1.0, 0.0]), np.array([0.0, 1.0])
    first, second = Rule((AtMost(0, 1.0, 1.0 - 1.4e-6),), kept, 0), Rule((AtMost(0, 1.0, 0.5),), small, 0)
    rules = RuleList(table.schema, (first, second), Rule((), rest, 1), "remaining")
    known = (1.0 - 1.4e-6) * kept / 4.0
    ours = Found("", (known + 7e-7 * small + 7e-7 * rest)[np.newaxis], model=rules)
    part = next(claim for claim in claims() if claim.name == "PART")
    never: Any = None
    case = Case(part, Drawn(table, table), ours, Found("", (known + 7e-7 * small)[np.newaxis]), never)
    assert _small_remainder(case)
    assert not _small_remainder(replace(case, reference=Found("", known[np.newaxis])))


@pytest.mark.parametrize(
    ("ours", "theirs", "without", "holds"),
    [
        ("2.0001 * x +\n56.5 * k +\n1", "2 * x +\n38.1 * k +\n3", "2 * x +\n4", True),
        ("2.0001 * x +\n56.5 * k +\n1", "2 * x +\n4", "2 * x +\n4", True),
        ("2.0001 * x +\n56.5 * k +\n1", "2 * x +\n38.1 * k +\n3", "2.1 * x +\n4", False),  # still differs
        ("2.01 * x +\n56.5 * k +\n1", "2 * x +\n38.1 * k +\n3", "2 * x +\n4", False),  # more than last digits
        ("2.0001 * x +\n1", "2 * x +\n1", "2 * x +\n1", False),  # no term of the constant column
        ("2 * x +\n56.5 * k +\n1", "2 * x +\n38.1 * k +\n3", "2.1 * x +\n4", True),  # nothing but the constant column
    ],
)
def test_a_large_coefficient_of_a_constant_column_changes_last_digits_of_others(
    ours: str, theirs: str, without: str, holds: bool
) -> None:
    schema = Schema((Numeric("x"), Numeric("k"), Numeric("y")), ("feature", "feature", "target"))
    table = Table(schema, [np.array([1.0, 2.0, 4.0]), np.array([7.0, np.nan, 7.0]), np.array([0.0, 1.0, 2.0])])
    rows = np.zeros((3, 1))

    def again(pair: Drawn) -> tuple[Found, Found]:
        whole = "k" in pair.training.schema.names
        return Found(ours if whole else "2 * x +\n4", rows), Found(theirs if whole else without, rows)

    linear = next(claim for claim in claims() if claim.name == "LinearRegression")
    case = Case(linear, Drawn(table, table), *again(Drawn(table, table)), again)
    assert _constant_terms(case) == holds
