"""Entries in a given order are those that NumPy takes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.core.rows.gather import take

KINDS = [np.int8, np.bool_, np.int32, np.int64, np.float64]


@given(st.sampled_from(KINDS), st.integers(1, 90), st.integers(0, 90), st.integers(0, 2**32 - 1))
def test_entries_are_those_of_numpy(kind: type, entries: int, asked: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    values = chance.integers(0, 2 if kind is np.bool_ else 100, entries).astype(kind)
    order = chance.integers(0, entries, asked)
    taken = take(values, order)
    assert taken.dtype == values.dtype
    np.testing.assert_array_equal(taken, values[order])


@given(st.integers(1, 60), st.integers(0, 60), st.integers(1, 5), st.integers(0, 2**32 - 1))
def test_rows_are_those_of_numpy(entries: int, asked: int, width: int, seed: int) -> None:
    chance = np.random.default_rng(seed)
    values, order = chance.random((entries, width)), chance.integers(0, entries, asked)
    np.testing.assert_array_equal(take(values, order), values[order])


@pytest.mark.parametrize("asked", [[-1], [0, 3]])
def test_splits_that_are_not_there_are_refused(asked: list[int]) -> None:
    from hornbeam import C45Classifier, read

    splits = C45Classifier().fit(read("weather")).model_.splits
    assert len(splits) == 3
    with pytest.raises(IndexError, match="expected numbers from 0 to 2"):
        splits.take(np.array(asked))
