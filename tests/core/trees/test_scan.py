"""The scan of long lists with weights: its shortcuts change nothing.

Cuts are passed over where a bound, or a cut tried before, shows that they cannot win. Here every cut is worked out.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.learn.trees.c45 import C45Classifier
from hornbeam.learn.trees.grow import grow

Floats = NDArray[np.float64]


def xlogx(x: Floats) -> Floats:
    return np.where(x > 0, x * np.log2(np.where(x > 0, x, 1.0)), 0.0)


def every_gain(values: Floats, classes: NDArray[np.int32], weights: Floats, n_classes: int) -> tuple[Floats, Floats]:
    """The cuts between distinct values, and what each gains a unit of weight."""
    order = np.argsort(values, kind="stable")
    left = np.cumsum(np.eye(n_classes)[classes[order]] * weights[order, None], axis=0)
    places = np.flatnonzero(np.diff(values[order]) > 0)
    low, totals = left[places], left[-1]
    sides = np.stack([low, totals - low])
    bits = xlogx(sides.sum(axis=2)).sum(axis=0) - xlogx(sides).sum(axis=(0, 2))
    before = xlogx(np.array([totals.sum()]))[0] - xlogx(totals).sum()
    return values[order][places], (before - bits) / totals.sum()


@pytest.mark.parametrize("tolerance", [0.0, 1e-6, 1e-3])
@pytest.mark.parametrize("n_classes", [2, 3, 4, 7])
@given(seed=st.integers(0, 10_000), rows=st.integers(40, 1_500))
def test_the_best_of_all_cuts_is_found(n_classes: int, tolerance: float, seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, rows * 2, rows) / 4
    noise = rng.normal(scale=1 + rng.choice([0.0, 0.3, 3.0]) * rows, size=rows)
    classes = np.digitize(values + noise, np.sort(rng.uniform(0, rows / 2, n_classes - 1))).astype(np.int32)
    weights = rng.choice([0.5, 1.0, 1.0, 1.3], rows)
    cuts, gains = every_gain(values, classes, weights, n_classes)
    schema = Schema(
        (Numeric("x"), Nominal("y", tuple("abcdefg"[:n_classes])), Numeric("w")), ("feature", "target", "weight")
    )
    recipe = replace(
        C45Classifier(mdl=False).recipe(), criterion="information-gain", average_gain_filter=False, charge_cuts=False,
        min_branch=0.0, adaptive_minimum=False, min_gap=0.0, tolerance=tolerance, max_depth=1, threshold="midpoint",
    )  # fmt: skip
    tree, _ = grow(Table(schema, (values, classes, weights)), recipe)
    best = -1
    for place, gain in enumerate(gains):  # in order: a later cut must be better by more than the tolerance
        if gain > (gains[best] if best >= 0 else 0.0) + tolerance:
            best = place
    if best < 0 or gains[best] <= 1e-6:
        assert tree.n_leaves == 1
        return
    assert tree.splits.score[0] == pytest.approx(gains[best], abs=1e-9)
    if tolerance:  # else the last digit may tell two cuts apart
        assert cuts[best] < tree.splits.cuts[0] <= np.append(cuts, np.inf)[best + 1]


@pytest.mark.parametrize("trace", [False, True])
@pytest.mark.parametrize("n_classes", [2, 3, 7])
@given(seed=st.integers(0, 10_000), rows=st.integers(40, 1_000))
def test_cuts_that_gain_less_than_their_penalty_are_no_split(n_classes: int, trace: bool, seed: int, rows: int) -> None:
    rng = np.random.default_rng(seed)
    values = rng.integers(0, rows * 2, rows) / 4
    strength = rng.choice([0.0, 0.2, 0.4, 1.0])  # so that the best gain is often close to the penalty
    classes = np.where(rng.random(rows) < strength, values > rows / 5, rng.integers(0, n_classes, rows))
    weights = rng.choice([0.5, 1.0, 1.0, 1.3], rows)
    cuts, gains = every_gain(values, classes.astype(np.int32), weights, n_classes)
    schema = Schema(
        (Numeric("x"), Nominal("y", tuple("abcdefg"[:n_classes])), Numeric("w")), ("feature", "target", "weight")
    )
    recipe = replace(
        C45Classifier(mdl=True).recipe(), criterion="information-gain", average_gain_filter=False, min_branch=0.0,
        adaptive_minimum=False, min_gap=0.0, tolerance=1e-6, max_depth=1, threshold="midpoint",
    )  # fmt: skip
    tree, _ = grow(Table(schema, (values, classes.astype(np.int32), weights)), recipe, keep_candidates=trace)
    left = gains.max() - np.log2(len(cuts)) / weights.sum()
    if left <= 1e-6:
        assert tree.n_leaves == 1
    else:
        assert tree.splits.score[0] == pytest.approx(left, abs=2e-6)
