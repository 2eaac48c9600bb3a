"""Columns as codes, against NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hornbeam.core.rows.bin import bin_numbers, code_values

VALUES = st.lists(st.one_of(st.integers(-5, 5).map(float), st.just(np.nan), st.just(-0.0), st.floats(width=32)))
KINDS = st.sampled_from([np.float32, np.float64])


@given(VALUES, KINDS, st.integers(1, 256))
def test_few_values_are_numbered_in_rising_order(numbers: list[float], kind: Any, limit: int) -> None:
    values = np.array(numbers, kind)
    codes = np.zeros(len(values), np.uint8)
    missing = np.isnan(values)
    distinct = np.unique(values[~missing].astype(np.float64))
    found = code_values(values, limit, codes)
    if len(distinct) + missing.any() > limit:
        assert found is None
        return
    assert found is not None
    assert np.array_equal(found[0], distinct)
    assert found[1] == missing.any()
    assert np.array_equal(codes[~missing], np.searchsorted(distinct, values[~missing].astype(np.float64)))
    assert (codes[missing] == max(len(distinct), 1)).all()


@pytest.mark.parametrize("with_missing", [False, True])
def test_as_many_values_as_a_byte_has(with_missing: bool) -> None:
    values = np.random.default_rng(0).permutation(np.repeat(np.arange(256.0), 3))
    codes = np.zeros(len(values), np.uint8)
    if with_missing:
        values[values == 7] = np.nan
    found = code_values(values, 256, codes)
    assert found is not None
    expected = np.where(np.isnan(values), 255, values - (values > 7)) if with_missing else values
    assert np.array_equal(codes, expected)
    assert code_values(values, 255, codes) is None


@given(VALUES, KINDS, st.lists(st.floats(-6, 6), unique=True, max_size=255))
def test_bins_are_found_between_cuts(numbers: list[float], kind: Any, cuts: list[float]) -> None:
    values, edges = np.array(numbers, kind), np.array(sorted(cuts))
    codes = np.zeros(len(values), np.uint8)
    bin_numbers(values, edges, 255, codes)
    missing = np.isnan(values)
    assert (codes[missing] == 255).all()
    assert np.array_equal(codes[~missing], np.searchsorted(edges, values[~missing].astype(np.float64)))


def test_a_wrong_number_of_codes_is_refused() -> None:
    with pytest.raises(ValueError, match="3 codes for 4 values"):
        code_values(np.zeros(4), 5, np.zeros(3, np.uint8))
    with pytest.raises(ValueError, match="3 codes for 4 values"):
        bin_numbers(np.zeros(4), np.zeros(0), 1, np.zeros(3, np.uint8))
