"""Whole numbers as classes are counted where that is quicker than sorting; the classes are the same."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from hornbeam.learn.base.classifier import _class_codes

WHOLE = st.sampled_from([np.int8, np.uint8, np.int32, np.int64, np.uint64])
NEAR = st.tuples(WHOLE, st.integers(0, 40), st.integers(-3, 3))


@given(st.data())
def test_classes_and_codes_are_those_of_sorting(data: st.DataObject) -> None:
    kind, rows, shift = data.draw(NEAR)
    ends = np.iinfo(kind)
    from_an_end = data.draw(st.sampled_from([ends.min, 0, ends.max - 7]))
    drawn = data.draw(arrays.arrays(np.int64, rows + 1, elements=st.integers(0, 7)))
    y = np.array([min(max(from_an_end + shift + int(step), ends.min), ends.max) for step in drawn], kind)
    classes, codes = _class_codes(y)
    expected, places = np.unique(y, return_inverse=True)
    np.testing.assert_array_equal(classes, expected)
    assert classes.dtype == y.dtype
    np.testing.assert_array_equal(codes, places)
