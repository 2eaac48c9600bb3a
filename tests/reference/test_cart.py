"""What was observed of the reference program on tables made for the purpose, pinned to the naive CART."""

from __future__ import annotations

import numpy as np
import pytest
from reference.cart import Column, Grower, Options, Sample, complexity_table
from reference.cart_parts import STAY, arrange

ANY = Options(cp=0.0, min_split=2, min_bucket=1)


def test_equal_values_lie_as_its_sort_leaves_them() -> None:
    values = np.array([1, 3, 1, 2, 1, 3, 3, 2, 2, 3, 3, 1, 1, 1], np.float64)
    assert (arrange(Column("x", values)) + 1).tolist() == [1, 13, 3, 5, 12, 14, 4, 8, 9, 6, 7, 10, 11, 2]


def test_a_missing_value_is_sorted_as_zero() -> None:
    values = np.array([0, 3, np.nan, 3, 6, 3, -3, -2], np.float64)
    known = [row for row in arrange(Column("x", values)) + 1 if row != 3]
    assert known == [7, 8, 1, 2, 4, 6, 5]


def test_categories_are_visited_in_file_order() -> None:
    assert arrange(Column("x", np.array([2.0, 0.0, 1.0, 0.0]), 3)).tolist() == [0, 1, 2, 3]


def agreeing(same: int, other: int, left: int, *, nominal: bool) -> int | None:
    """How many rows the surrogate sends as the split; `same` of the left and `other` of nine right rows have its 0."""
    primary = np.repeat([0.0, 1.0], [left, 9])
    stand_in = np.concatenate([np.repeat([0.0, 1.0], [same, left - same]), np.repeat([0.0, 1.0], [other, 9 - other])])
    columns = [Column("p", primary), Column("z", stand_in, 2 if nominal else 0)]
    root = Grower(Sample(columns, primary * 10, 0, ANY)).root
    return round(root.surrogates[0].gain * (left + 9)) if root.surrogates else None


@pytest.mark.parametrize(
    ("same", "other", "left", "numeric", "nominal"),
    [
        (1, 0, 3, None, 10),  # one row to the left: too few for a cut, not for categories
        (2, 0, 3, 11, None),  # one row wrong: too few for categories
        (3, 0, 3, 12, None),  # none wrong
        (2, 1, 3, 10, 10),
        (3, 1, 3, 11, None),
        (3, 2, 3, 10, 10),
        (2, 2, 3, None, None),  # no better than all rows to the right
        (4, 0, 5, 13, None),
        (4, 1, 5, 12, 12),
    ],
)
def test_what_makes_a_surrogate(same: int, other: int, left: int, numeric: int | None, nominal: int | None) -> None:
    assert agreeing(same, other, left, nominal=False) == numeric
    assert agreeing(same, other, left, nominal=True) == nominal


def grown(options: Options) -> Grower:
    x = np.array([1, 2, 3, 4, 5, 6, np.nan, np.nan], np.float64)
    y = np.array([0, 0, 0, 9, 9, 9, 9, 0], np.float64)
    return Grower(Sample([Column("x", x), Column("c", np.zeros(8))], y, 0, options))


def test_rows_that_nothing_can_send_stay() -> None:
    for most in (0, 5):  # no surrogates wanted; none found, and both sides alike
        root = grown(Options(cp=0.0, min_split=2, min_bucket=1, max_surrogates=most)).root
        assert root.left is not None
        assert root.right is not None
        assert root.majority == STAY
        assert (len(root.rows), len(root.left.rows), len(root.right.rows)) == (8, 3, 3)


def test_a_split_that_does_not_pay_tells_its_complexity() -> None:
    rows = complexity_table(grown(Options(cp=1.0, min_split=2, min_bucket=1)))
    assert [(level, splits) for level, splits, _ in rows] == [(1.0, 0)]
    x, y = np.arange(6.0), np.array([0, 1, 0, 1, 0, 1], np.float64)
    rows = complexity_table(Grower(Sample([Column("x", x)], y, 0, Options(cp=0.5, min_split=6, min_bucket=3))))
    assert rows == [(pytest.approx(1 / 9), 0, 1.0)]


def test_the_left_side_has_the_lesser_mean_class() -> None:
    x = np.arange(8.0)
    classes = np.array([1, 1, 1, 1, 0, 0, 0, 0], np.float64)
    split = Grower(Sample([Column("x", x)], classes, 2, ANY)).root.split
    assert split is not None
    assert (split.cut, split.below) == (3.5, 1)
