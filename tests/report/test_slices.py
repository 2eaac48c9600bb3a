"""Errors by slice, against SciPy's tests and plain loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.report.parts import parts_of
from hornbeam.report.slices import BINS, LEAST_ROWS, MOST_CATEGORIES, slices


def rows_of(table: Table, column: str, part: str) -> np.ndarray:
    parts = parts_of(table, table.schema.position(column), BINS, MOST_CATEGORIES)
    return parts.codes == (-1 if part == "missing" else parts.names.index(part))


def holm(p_values: list[float]) -> list[float]:
    order = sorted(range(len(p_values)), key=lambda place: p_values[place])
    adjusted = [math.nan] * len(p_values)
    for rank, place in enumerate(order):
        earlier = adjusted[order[rank - 1]] if rank else 0.0
        adjusted[place] = min(1.0, max(earlier, p_values[place] * (len(p_values) - rank)))
    return adjusted


@pytest.mark.parametrize("name", ["labor", "vote", "iris"])
def test_wrong_answers_by_fisher(name: str) -> None:
    table = hornbeam.read(name)
    wrong = (np.random.default_rng(3).random(table.n_rows) < 0.3).astype(float)
    wrong[::17] = np.nan
    known = ~np.isnan(wrong)
    found = slices(table, wrong)
    for one in found:
        here = rows_of(table, one.column, one.part) & known
        rest = known & ~here
        assert one.rows == here.sum() >= LEAST_ROWS
        assert one.error == pytest.approx(wrong[here].mean())
        assert one.rest == pytest.approx(wrong[rest].mean())
        counts = [[wrong[here].sum(), (1 - wrong[here]).sum()], [wrong[rest].sum(), (1 - wrong[rest]).sum()]]
        assert one.p_value == pytest.approx(stats.fisher_exact(counts, alternative="greater").pvalue)
        exact = stats.binomtest(int(wrong[here].sum()), int(here.sum())).proportion_ci(method="wilson")
        assert one.interval == pytest.approx((exact.low, exact.high), abs=1e-9)
    assert [one.adjusted for one in found] == pytest.approx(holm([one.p_value for one in found]))


def test_errors_of_numbers_by_welch() -> None:
    table = hornbeam.read("auto-mpg")
    error = np.random.default_rng(4).exponential(size=table.n_rows)
    for one in slices(table, error):
        here = rows_of(table, one.column, one.part)
        test = stats.ttest_ind(error[here], error[~here], equal_var=False, alternative="greater")
        assert one.p_value == pytest.approx(test.pvalue, abs=1e-12)
        low, high = stats.t.interval(0.95, here.sum() - 1, error[here].mean(), stats.sem(error[here]))
        assert one.interval == pytest.approx((max(low, 0.0), high))


def test_a_bad_slice_stands_out_and_comes_first() -> None:
    rng = np.random.default_rng(1)
    color = rng.integers(0, 3, 600)
    schema = Schema(
        (Nominal("color", ("red", "green", "blue")), Numeric("size"), Nominal("y", ("a", "b"))),
        ("feature", "feature", "target"),
    )
    table = Table(schema, [color, rng.normal(size=600), rng.integers(0, 2, 600)])
    wrong = (rng.random(600) < np.where(color == 1, 0.4, 0.1)).astype(float)
    found = slices(table, wrong)
    assert (found[0].column, found[0].part, found[0].stands_out) == ("color", "green", True)
    assert not any(one.stands_out for one in found[1:])


def test_chance_alone_hardly_ever_stands_out() -> None:
    table = hornbeam.read("vote")
    hits = 0
    for seed in range(40):
        wrong = (np.random.default_rng(seed).random(table.n_rows) < 0.2).astype(float)
        hits += any(one.stands_out for one in slices(table, wrong))
    assert hits <= 6  # 2 expected at most; more than 6 with a chance below 1%


@pytest.mark.parametrize("rows", range(10, 60, 7))
@pytest.mark.parametrize("size", [0.1, 0.7, 2.3, 1e9 / 3])
def test_equal_errors_stand_out_nowhere_however_their_means_are_rounded(rows: int, size: float) -> None:
    schema = Schema((Nominal("kind", ("a", "b", "c")), Numeric("y")), ("feature", "target"))
    table = Table(schema, [np.arange(rows, dtype=np.int32) % 3 // 2, np.arange(rows) * 1.0])
    assert [one.column for one in slices(table, np.full(rows, size)) if one.stands_out] == []
