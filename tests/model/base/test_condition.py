"""Conditions: weights, words, and merging that changes neither."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from strategies import GRID

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.condition import (
    Above,
    AtLeast,
    AtMost,
    Below,
    Condition,
    IsIn,
    IsMissing,
    check_condition,
    printable,
    simplify,
)
from hornbeam.model.base.plain import ModelError

SCHEMA = Schema(
    (
        Numeric("age"),
        Nominal("color", ("red", "green", "blue")),
        Nominal("size", ("small", "medium", "large"), ordered=True),
        Numeric("born", "%Y-%m-%d"),
        Nominal("y", ("no", "yes")),
    ),
    ("feature", "feature", "feature", "feature", "target"),
)
ROWS = Table(
    SCHEMA,
    [
        [1.0, 2.0, 3.0, np.nan],
        [0, 1, 2, -1],
        [0, 1, 2, -1],
        [0.0, 86400.0, 1e9, np.nan],
        [0, 1, 0, 1],
    ],
)


@pytest.mark.parametrize(
    ("condition", "weights", "words"),
    [
        (AtMost(0, 2.0, 0.5), [1, 1, 0, 0.5], "age <= 2"),
        (Below(0, 2.0), [1, 0, 0, 0], "age < 2"),
        (Above(0, 2.0, 1.0), [0, 0, 1, 1], "age > 2"),
        (AtLeast(0, 2.0), [0, 1, 1, 0], "age >= 2"),
        (AtMost(0, 0.1), [0, 0, 0, 0], "age <= 0.1"),
        (IsIn(1, (1,), 0.25), [0, 1, 0, 0.25], "color = green"),
        (IsIn(1, (2, 0)), [1, 0, 1, 0], "color in {red, blue}"),
        (IsIn(1, (0,), 0.25, (2,)), [1, 0, 0.25, 0.25], "color = red"),
        (IsMissing(0), [0, 0, 0, 1], "age is missing"),
        (IsMissing(1, 0.5, (0,)), [0.5, 0, 0, 0.5], "color is missing"),
        (AtMost(2, 0.5, 0.5), [1, 0, 0, 0.5], "size <= small"),
        (Above(2, 0.5), [0, 1, 1, 0], "size >= medium"),
        (Below(2, 2.0), [1, 1, 0, 0], "size <= medium"),
        (AtLeast(2, 1.0), [0, 1, 1, 0], "size >= medium"),
        (AtMost(3, 86400.0), [1, 1, 0, 0], "born <= 1970-01-02"),
        (AtMost(3, 1e300), [1, 1, 1, 0], "born <= 1e+300 s"),
    ],
)
def test_weights_and_words(condition: Condition, weights: list[float], words: str) -> None:
    assert condition.holds(ROWS).tolist() == weights
    assert condition.describe(SCHEMA) == words
    check_condition(condition, SCHEMA)


def test_bad_conditions_are_refused() -> None:
    with pytest.raises(ModelError, match="if_missing is 2"):
        AtMost(0, 1.0, 2.0)
    with pytest.raises(ModelError, match="compares with nan"):
        AtMost(0, float("nan"))
    for condition, words in [
        (AtMost(9, 1.0), "tests column 9"),
        (IsIn(4, (0,)), "'y', which is not a feature"),
        (IsIn(1, (3,)), "outside its 3 categories"),
        (IsIn(0, (0,)), "'age', which is numeric"),
    ]:
        with pytest.raises(ModelError, match=words):
            check_condition(condition, SCHEMA)


def test_names_cannot_do_anything_where_they_are_shown() -> None:
    assert printable("plain name ß") == "plain name ß"
    assert printable("\x1b[31mred\n") == "\\x1b[31mred\\n"


def test_bounds_merge_where_the_first_stood() -> None:
    merged = simplify([AtMost(0, 5.0, 0.5), IsIn(1, (0, 1)), AtMost(0, 3.0, 0.5), Above(0, 1.0), IsIn(1, (1, 2))])
    assert merged == (AtMost(0, 3.0, 0.25), IsIn(1, (1,)), Above(0, 1.0))
    assert simplify([AtMost(0, 3.0), Below(0, 3.0)]) == (Below(0, 3.0),)
    assert simplify([AtLeast(0, 3.0, 1.0), Above(0, 3.0, 0.5)]) == (Above(0, 3.0, 0.5),)
    assert simplify([AtLeast(0, 1.0, 0.5), Below(0, 2.0, 0.5), IsMissing(0)]) == (IsMissing(0, 0.25),)


SHARES = st.sampled_from([0.0, 0.25, 0.5, 1.0])
CODES = st.lists(st.integers(0, 2), max_size=3).map(tuple)
CONDITIONS = st.one_of(
    st.builds(
        lambda kind, column, value, share: kind(column, value, share),
        st.sampled_from([AtMost, Below, Above, AtLeast]),
        st.sampled_from([0, 2]),
        st.sampled_from(GRID),
        SHARES,
    ),
    st.builds(IsIn, st.sampled_from([1, 2]), CODES, SHARES, CODES),
    st.builds(IsMissing, st.just(0), SHARES),
    st.builds(IsMissing, st.sampled_from([1, 2]), SHARES, CODES),
)


@given(st.lists(CONDITIONS, max_size=6))
def test_merging_changes_no_weight(conditions: list[Condition]) -> None:
    numbers = [np.nan, *GRID, 7.0]
    codes = [-1, 0, 1, 2]
    n_rows = len(numbers) * len(codes) ** 2
    grid = np.meshgrid(numbers, codes, codes, indexing="ij")
    table = Table(SCHEMA, [*(part.ravel() for part in grid), np.zeros(n_rows), np.zeros(n_rows)])
    before, after = np.ones(n_rows), np.ones(n_rows)
    for condition in conditions:
        before *= condition.holds(table)
    merged = simplify(conditions)
    for condition in merged:
        after *= condition.holds(table)
    np.testing.assert_allclose(after, before, rtol=1e-15)
    assert len(merged) <= len(conditions)
    assert simplify(merged) == merged
