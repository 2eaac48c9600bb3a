"""The two sorts that reproduce how other programs order equal values."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.core.rows.presort import sort_by_halves, sort_known, sort_rows

SHORT = 11  # of pieces that are sorted by insertion


def by_quicksort(values: np.ndarray) -> list[int]:  # noqa: C901 - one algorithm
    """The sort that the docstring of `sort_by_halves` describes, one value after another."""
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


SMALL = {1: [(0, 1)], 2: [(0, 1), (0, 2), (1, 2)]}  # comparisons of two and of three rows


def by_median_of_three(values: list[float]) -> list[int]:  # noqa: C901 - one algorithm
    """The sort of a node's rows, one exchange after another."""
    rows = list(range(len(values)))

    def put_in_order(i: int, j: int) -> None:
        if values[rows[i]] > values[rows[j]]:
            rows[i], rows[j] = rows[j], rows[i]

    def divide(left: int, right: int) -> int:
        """Move the pivot to its place, with lower values before it."""
        middle, low, high = (left + right) // 2, left + 1, right - 2
        for i, j in ((left, middle), (left, right), (middle, right)):
            put_in_order(i, j)
        rows[middle], rows[right - 1] = rows[right - 1], rows[middle]
        pivot = values[rows[right - 1]]
        while True:
            while values[rows[low]] < pivot:
                low += 1
            while values[rows[high]] > pivot:
                high -= 1
            if low >= high:
                break
            rows[low], rows[high] = rows[high], rows[low]
            low, high = low + 1, high - 1
        rows[low], rows[right - 1] = rows[right - 1], rows[low]
        return low

    def sort(left: int, right: int) -> None:
        if right - left <= max(SMALL):
            for i, j in SMALL.get(right - left, []):
                put_in_order(left + i, left + j)
            return
        place = divide(left, right)
        sort(left, place - 1)
        sort(place + 1, right)

    sort(0, len(rows) - 1)
    return rows


@given(st.integers(0, 300), st.sampled_from([1, 2, 5, 30, 10_000]), st.integers(0, 2**32 - 1))
def test_rows_of_a_node_are_left_as_by_the_quicksort(n_rows: int, distinct: int, seed: int) -> None:
    values = np.random.default_rng(seed).integers(0, distinct, n_rows).astype(np.float64)
    rows = np.arange(n_rows)
    sort_rows(rows, values)
    assert rows.tolist() == by_median_of_three(values.tolist())
