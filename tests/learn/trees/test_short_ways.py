"""The short way by information, for rows that count once: the tree is the one by floating-point sums row by row."""

from __future__ import annotations

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.grow import grow
from hornbeam.learn.trees.recipe import Recipe

MISSING = ("fractional", "majority", "default-direction", "own-category", "surrogate")


def tables(n_rows: int, n_classes: int, *, lacking: bool) -> tuple[Table, Table]:
    """The same rows twice: without weights, and with weights of 1, which are summed row by row."""
    rng = np.random.default_rng(n_rows + n_classes)
    numbers = np.round(rng.normal(size=(5, n_rows)), 2)
    numbers[0] = rng.normal(size=n_rows)
    target = np.digitize(numbers[0] * numbers[1] + numbers[2] + rng.normal(size=n_rows), np.arange(n_classes - 1))
    if lacking:
        numbers[rng.random(numbers.shape) < 0.1] = np.nan
    columns = [*(Numeric(f"x{i}") for i in range(5)), Nominal("y", tuple("abcde"[:n_classes]))]
    arrays = [*numbers, target.astype(np.int32)]
    roles = ("feature",) * 5 + ("target",)
    plain = Table(Schema(tuple(columns), roles), arrays)
    weighted = Table(Schema((*columns, Numeric("w")), (*roles, "weight")), [*arrays, np.ones(n_rows)])
    return plain, weighted


@pytest.mark.parametrize("n_classes", [2, 3, 5])
@pytest.mark.parametrize("missing", MISSING)
@pytest.mark.parametrize("criterion", ["information-gain", "gain-ratio"])
def test_the_same_tree(criterion: str, missing: str, n_classes: int) -> None:
    for n_rows, lacking in ((2_500, True), (2_500, False), (90, True)):
        recipe = Recipe(
            criterion=criterion,  # type: ignore[arg-type]
            nominal="subset",
            missing=missing,  # type: ignore[arg-type]
            max_surrogates=2 if missing == "surrogate" else 0,
            min_branch=3.0 if lacking else 1.0,
            tolerance=1e-9,
        )
        one, other = (grow(table, recipe)[0] for table in tables(n_rows, n_classes, lacking=lacking))
        assert one.n_leaves > 5
        for name in ("first_child", "n_children", "missing", "label", "value"):
            assert np.array_equal(getattr(one, name), getattr(other, name)), name
        for name in ("column", "cuts", "score"):
            assert np.array_equal(getattr(one.splits, name), getattr(other.splits, name)), name
