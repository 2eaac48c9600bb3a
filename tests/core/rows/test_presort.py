"""Sorting a column once: the same as NumPy's stable sort, missing values left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hornbeam.core.rows.presort import Workroom, few_values, sort_known

VALUES = hnp.arrays(
    np.float64,
    st.integers(0, 200),
    elements=st.one_of(
        st.sampled_from([0.0, -0.0, 1.0, -1.0, 0.5, np.nan, 1e300, -1e300, 5e-324]),
        st.floats(allow_nan=True, allow_infinity=False),
        st.floats(width=32, allow_nan=True, allow_infinity=False),
    ),
)


def naive(values: np.ndarray) -> np.ndarray:
    known = np.flatnonzero(~np.isnan(values))
    return known[np.argsort(values[known] + 0.0, kind="stable")]


@given(VALUES)
def test_order_is_that_of_a_stable_sort(values: np.ndarray) -> None:
    assert sort_known(values).tolist() == naive(values).tolist()


@given(st.lists(VALUES.filter(lambda v: len(v) > 0), min_size=2, max_size=5))
def test_memory_may_be_used_again(columns: list[np.ndarray]) -> None:
    n_rows = min(len(values) for values in columns)
    room = Workroom(n_rows)
    for values in columns:
        part = np.ascontiguousarray(values[:n_rows])
        assert sort_known(part, room).tolist() == naive(part).tolist()


@given(VALUES, st.integers(1, 128))
def test_few_values_are_coded_in_rising_order(values: np.ndarray, limit: int) -> None:
    distinct = np.unique(values[~np.isnan(values)] + 0.0)
    found = few_values(values, limit)
    if len(distinct) > limit:
        assert found is None
        return
    assert found is not None
    codes, given_values = found
    assert given_values.tolist() == distinct.tolist()
    decoded = np.append(distinct, np.nan)[codes]
    assert np.array_equal(decoded, values + 0.0, equal_nan=True)


@pytest.mark.parametrize("n_rows", [0, 1])
def test_hardly_any_rows(n_rows: int) -> None:
    assert sort_known(np.ones(n_rows)).tolist() == list(range(n_rows))
