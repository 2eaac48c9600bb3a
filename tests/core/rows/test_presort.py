"""Sorting a column once: the same as NumPy's stable sort, missing values left out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from hornbeam.core.rows.presort import Workroom, few_values, sort_by_halves, sort_known

SHORT = 11  # of pieces that are sorted by insertion
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


def by_quicksort(values: np.ndarray) -> list[int]:  # noqa: C901 - one algorithm
    """What `sort_by_halves` promises, as it is told there, one word after another."""
    keys, order = np.nan_to_num(values, nan=0.0).tolist(), list(range(len(values)))

    def swap(i: int, j: int) -> None:
        keys[i], keys[j] = keys[j], keys[i]
        order[i], order[j] = order[j], order[i]

    def sort(low: int, high: int) -> None:  # noqa: C901
        if high - low < SHORT:
            for place in range(low + 1, high + 1):
                while place > low and keys[place - 1] > keys[place]:
                    swap(place - 1, place)
                    place -= 1  # noqa: PLW2901 - walks on
            return
        pivot = sorted((keys[low], keys[(low + high) // 2], keys[high]))[1]
        i, j = low, high
        while i < j:
            while keys[i] < pivot:
                i += 1
            while keys[j] > pivot:
                j -= 1
            if i < j:
                if keys[i] > keys[j]:
                    swap(i, j)
                i, j = i + 1, j - 1
        while keys[i] >= pivot and i > low:
            i -= 1
        while keys[j] <= pivot and j < high:
            j += 1
        sort(low, i)
        sort(j, high)

    sort(0, len(order) - 1)
    return order


@given(st.integers(0, 700), st.sampled_from([1, 2, 5, 30, 300, 10_000]), st.booleans(), st.integers(0, 2**32 - 1))
def test_equal_values_are_left_as_by_the_quicksort(n_rows: int, distinct: int, lacking: bool, seed: int) -> None:
    random = np.random.default_rng(seed)
    values = random.integers(0, distinct, n_rows).astype(np.float64)
    values[random.random(n_rows) < 0.1] = -0.0
    if lacking:
        values[random.random(n_rows) < 0.1] = np.nan
    assert sort_by_halves(values).tolist() == by_quicksort(values)
    if not lacking:
        assert sort_by_halves(values, sort_known(values)).tolist() == by_quicksort(values)
