"""What columns tell of the target, against SciPy, scikit-learn and figures worked out by hand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from sklearn.metrics import mutual_info_score

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.report.parts import parts_of
from hornbeam.report.relations import BINS, relations


def test_the_weather_by_hand() -> None:
    found = {one.column: one for one in relations(hornbeam.read("weather"))}
    assert list(found) == ["outlook", "humidity", "windy", "temperature"]
    assert [round(one.gain or 0, 3) for one in found.values()] == [0.247, 0.152, 0.048, 0.029]
    assert [round(one.gain_ratio or 0, 3) for one in found.values()] == [0.156, 0.152, 0.049, 0.019]


@pytest.mark.parametrize("name", ["iris", "vote", "labor", "credit-g"])
def test_classes_as_others_work_them_out(name: str) -> None:
    table = hornbeam.read(name)
    truth = table.target_values()
    for one in relations(table):
        codes = parts_of(table, table.schema.position(one.column), BINS).codes
        known = (codes >= 0) & (truth >= 0)
        assert one.rows == known.sum()
        assert one.gain == pytest.approx(mutual_info_score(truth[known], codes[known]) / np.log(2), abs=1e-9)
        counts = np.array([np.bincount(truth[known & (codes == part)], minlength=9) for part in set(codes[known])])
        counts = counts[:, counts.sum(axis=0) > 0]
        shares = counts.sum(axis=1) / counts.sum()
        assert one.gain_ratio == pytest.approx((one.gain or 0) / stats.entropy(shares, base=2))
        if counts.shape[1] > 1:
            test = stats.chi2_contingency(counts, correction=False)
            assert one.statistic == pytest.approx(test.statistic)
            assert one.p_value == pytest.approx(test.pvalue, abs=1e-12)
            assert one.degrees == (test.dof,)


@pytest.mark.parametrize("name", ["cpu", "auto-mpg", "servo"])
def test_numbers_as_others_work_them_out(name: str) -> None:
    table = hornbeam.read(name)
    truth = table.target_values()
    for one in relations(table):
        codes = parts_of(table, table.schema.position(one.column), BINS).codes
        known = (codes >= 0) & ~np.isnan(truth)
        groups = [truth[known & (codes == part)] for part in np.unique(codes[known])]
        within = sum(((group - group.mean()) ** 2).sum() for group in groups)
        assert one.explained == pytest.approx(1 - within / ((truth[known] - truth[known].mean()) ** 2).sum())
        if len(groups) > 1:
            test = stats.f_oneway(*groups)
            assert one.statistic == pytest.approx(test.statistic)
            assert one.p_value == pytest.approx(test.pvalue, abs=1e-12)


@given(st.lists(st.one_of(st.none(), st.integers(0, 5)), min_size=1, max_size=40), st.integers(1, 6))
def test_intervals_hold_every_known_number_once(values: list[int | None], bins: int) -> None:
    column = np.array([np.nan if value is None else value for value in values], np.float64)
    table = Table(Schema((Numeric("x"),)), [column])
    parts = parts_of(table, 0, bins)
    known = ~np.isnan(column)
    assert ((parts.codes >= 0) == known).all()
    assert parts.codes.max(initial=-1) < len(parts.names) <= bins
    order = np.argsort(column[known], kind="stable")
    assert (np.diff(parts.codes[known][order]) >= 0).all()


def test_rare_categories_are_put_together() -> None:
    codes = np.array([0, 1, 1, 2, 2, 2, 3, -1])
    table = Table(Schema((Nominal("x", ("a", "b", "c", "d")),)), [codes])
    parts = parts_of(table, 0, 4, most=3)
    assert parts.names == ("b", "c", "2 others")
    assert parts.codes.tolist() == [2, 0, 0, 1, 1, 1, 2, -1]


def test_columns_that_tell_nothing() -> None:
    table = Table(
        Schema((Numeric("none"), Nominal("same", ("a",)), Nominal("y", ("a", "b"))), ("feature", "feature", "target")),
        [np.full(6, np.nan), np.zeros(6), np.arange(6) % 2],
    )
    for one in relations(table):
        assert (one.gain, one.p_value) == (0.0, 1.0)


@pytest.mark.parametrize("rows", range(4, 60, 3))
@pytest.mark.parametrize("value", [0.1, 0.7, 1e9 / 3])
def test_nothing_tells_anything_of_a_target_that_never_varies(rows: int, value: float) -> None:
    """Even where its mean misses it by rounding."""
    schema = Schema((Nominal("kind", ("a", "b")), Numeric("y")), ("feature", "target"))
    (one,) = relations(Table(schema, [np.arange(rows, dtype=np.int32) % 2, np.full(rows, value)]))
    assert (one.explained, one.p_value) == (0.0, 1.0)


def test_a_column_that_is_nearly_always_missing_does_not_come_first() -> None:
    """Of labor's 57 rows 9 have standby-pay, whose 7 values then tell nearly all of the class."""
    found = relations(hornbeam.read("labor"))
    assert max(found, key=lambda one: one.gain or 0.0).column == "standby-pay"
    assert found[0].column == "wage-increase-first-year"
    told = [one.rows * one.adjusted for one in found]
    assert told == sorted(told, reverse=True)


def test_an_identifier_does_not_come_first() -> None:
    """UX 19: Individual ID, whose gain is due to chance, was above the flipper's length."""
    rng = np.random.default_rng(0)
    species, number = rng.integers(3, size=300).astype(np.int32), rng.integers(190, size=300).astype(np.int32)
    names = Nominal("Individual ID", tuple(f"N{i}" for i in range(190)))
    columns = (names, Numeric("flipper"), Nominal("species", ("a", "b", "c")))
    lengths = species * 1.2 + rng.normal(size=300)
    found = relations(Table(Schema(columns, ("feature", "feature", "target")), [number, lengths, species]))
    assert [one.column for one in found] == ["flipper", "Individual ID"]
    assert found[1].strength > found[0].strength  # by the gain alone it would be first
    numeric = (names, Numeric("flipper"), Numeric("mass"))
    masses = lengths + 2 * rng.normal(size=300)
    found = relations(Table(Schema(numeric, ("feature", "feature", "target")), [number, lengths, masses]))
    assert [one.column for one in found] == ["flipper", "Individual ID"]
    assert found[1].strength > found[0].strength
