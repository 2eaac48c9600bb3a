"""Importance and effects of columns: worked out anew, and the same every time."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pytest

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.comparing.comparison import HeldOut
from hornbeam.report import build
from hornbeam.report.effects import MOST_EFFECTS, effects, importance
from hornbeam.report.form import form_data, used_columns
from hornbeam.report.thresholds import thresholds

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.report import Report


def made(rows: int = 400) -> Table:
    """The target is twice the first column and a step of the second; the third says nothing."""
    rng = np.random.default_rng(2)
    x, codes, noise = rng.normal(size=rows), rng.integers(0, 3, rows).astype(np.int32), rng.normal(size=rows)
    schema = Schema(
        (Numeric("x"), Nominal("kind", ("a", "b", "c")), Numeric("noise"), Numeric("y")),
        ("feature", "feature", "feature", "target"),
        "made",
    )
    return Table(schema, [x, codes, noise, 2 * x + 3 * (codes == 1)])


def folds_of(table: Table, folds: int = 4) -> HeldOut:
    fold = np.arange(table.n_rows) % folds
    return HeldOut(np.zeros(table.n_rows), None, fold)


def test_importance_of_a_known_equation() -> None:
    table = made()
    found = importance(hornbeam.LinearRegressor(), table, folds_of(table), seed=1, first=("x", "kind", "noise"))
    by_name = {one.column: one for one in found}
    assert found[0].column == "x"
    # Shuffling a column of an equation that is right adds sqrt(2) times the deviation of its term.
    assert by_name["x"].mean == pytest.approx(2 * np.sqrt(2) * np.std(table.columns[0]), rel=0.1)
    step = 3 * (table.columns[1] == 1)
    assert by_name["kind"].mean == pytest.approx(np.sqrt(2) * np.std(step), rel=0.1)
    assert abs(by_name["noise"].mean) < 0.01
    assert by_name["x"].matters
    assert not by_name["noise"].matters
    assert by_name["x"].deviation > 0


def test_importance_is_of_rows_that_were_not_learned_from() -> None:
    rng = np.random.default_rng(5)
    schema = Schema((Numeric("x"), Nominal("y", ("a", "b"))), ("feature", "target"))
    table = Table(schema, [rng.normal(size=300), rng.integers(0, 2, 300).astype(np.int32)])
    unpruned = hornbeam.C45Classifier(prune=None, min_samples_leaf=1, mdl=False, random_state=0)
    learned = hornbeam.permutation_importance(unpruned.fit(table), table, random_state=0)
    assert learned.mean[0] > 0.2  # the tree knows these rows by heart
    (found,) = importance(unpruned, table, folds_of(table), seed=1, first=("x",))
    assert abs(found.mean) < 0.1


def test_in_time_order_only_earlier_rows_are_learned_from(monkeypatch: pytest.MonkeyPatch) -> None:
    table = made(90)
    fold = np.repeat([-1, 0, 1], 30)
    seen: list[int] = []
    fit = hornbeam.LinearRegressor.fit

    def noting(self: Any, rows: Table) -> Any:
        seen.append(rows.n_rows)
        return fit(self, rows)

    monkeypatch.setattr(hornbeam.LinearRegressor, "fit", noting)
    importance(
        hornbeam.LinearRegressor(), table, HeldOut(np.zeros(90), None, fold), seed=1, in_order=True, first=("x",)
    )
    assert seen == [30, 60]


def test_effects_of_a_known_equation() -> None:
    table = made()
    estimator = hornbeam.LinearRegressor().fit(table)
    number, kind = effects(estimator, table, ["x", "kind"], scheme="linear", seed=1)
    assert number.category is None
    slopes = np.diff(number.mean) / np.diff(np.array(number.values, float))
    assert slopes == pytest.approx(np.full(len(slopes), 2.0), abs=1e-6)
    assert np.diff(number.curves, axis=1) == pytest.approx(np.tile(np.diff(number.mean), (len(number.curves), 1)))
    assert kind.values == ("a", "b", "c")
    assert kind.mean - kind.mean[0] == pytest.approx([0, 3, 0], abs=1e-6)


@pytest.mark.parametrize("name", ["iris", "labor", "cpu", "weather"])
def test_effects_are_means_of_predictions(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    uses = used_columns(report.estimator.model_)  # none where the best model has no condition
    assert min(1, len(uses)) <= len(report.effects) <= min(MOST_EFFECTS, len(uses))
    table = report.table
    target = table.schema.target_column
    for one in report.effects:  # the tables have fewer than 300 rows: the sample is all of them
        place = table.schema.position(one.column)
        column = table.schema.columns[place]
        for value, mean in zip(one.values, one.mean, strict=True):
            stored = column.categories.index(value) if isinstance(column, Nominal) else value
            arrays = list(table.columns)
            arrays[place] = np.full_like(arrays[place], stored)
            varied = Table(table.schema, arrays)
            if isinstance(target, Nominal):
                classes = report.estimator.classes_.tolist()
                expected = report.estimator.predict_proba(varied)[:, classes.index(one.category)].mean()
            else:
                expected = report.estimator.predict(varied).mean()
            assert mean == pytest.approx(expected, rel=1e-9)


def test_of_two_classes_the_rarer_one_is_shown() -> None:
    report = build(hornbeam.read("credit-g"), schemes=["cart"], folds=3)
    assert {one.category for one in report.effects} == {"bad"}
    assert report.thresholds is not None
    assert report.thresholds.positive == "bad"


def test_thresholds_are_counts_of_held_out_rows() -> None:
    report = build(hornbeam.read("labor"), schemes=["c45"], folds=3)
    found, held = report.thresholds, report.held_out
    assert found is not None
    target = report.table.schema.target_column
    assert isinstance(target, Nominal)
    assert held.probabilities is not None
    code = target.categories.index(found.positive)
    truth, given = report.table.target_values() == code, held.probabilities[:, code]
    for step in range(101):
        said = given >= step / 100 - 1e-9
        assert found.found[step] == (said & truth).sum()
        assert found.alarms[step] == (said & ~truth).sum()
    assert (found.positives, found.negatives) == (truth.sum(), (~truth).sum())


def test_there_is_no_threshold_without_two_classes(report_on: Callable[[str], Report]) -> None:
    assert report_on("iris").thresholds is None
    assert report_on("cpu").thresholds is None
    assert "Choose a threshold" not in report_on("iris").html()
    assert "Choose a threshold" in report_on("weather").html()
    table = hornbeam.read("weather")
    shares = np.full((table.n_rows, 2), np.nan)
    assert thresholds(table, HeldOut(np.zeros(table.n_rows), shares, np.zeros(table.n_rows, np.int64))) is None


def test_a_large_model_makes_no_large_page() -> None:
    rng = np.random.default_rng(4)
    x = rng.normal(size=(6000, 8))
    schema = Schema(
        (*(Numeric(f"column {i}") for i in range(8)), Nominal("y", ("a", "b", "c"))), (*["feature"] * 8, "target")
    )
    table = Table(schema, [*x.T, rng.integers(0, 3, 6000).astype(np.int32)])
    unpruned = {"prune": None, "min_samples_leaf": 1, "mdl": False, "collapse": False}
    report = build(table, schemes=["one-r"], scheme="c45", parameters=unpruned, folds=2)
    assert report.size is not None
    assert report.size.count > 1000
    page = report.html()
    assert len(page.encode()) < 1_500_000
    assert "more line" in page


def test_a_wide_table_makes_no_large_page() -> None:
    rng = np.random.default_rng(6)
    x = rng.normal(size=(80, 1500))
    schema = Schema(
        (*(Numeric(f"c{i}") for i in range(1500)), Nominal("y", ("a", "b"))), (*["feature"] * 1500, "target")
    )
    table = Table(schema, [*x.T, (x[:, 1400] > 0).astype(np.int32)])
    report = build(table, schemes=["one-r"], folds=2)
    page = report.html()
    assert len(page.encode()) < 1_500_000
    assert 'id="f1400"' in page  # the column that the model uses
    assert "1,399 more columns, which the model does not use, are left out." in page
    assert "1,301 more columns; hornbeam data describes them all." in page
    data = form_data(report)
    assert [len(one["values"]) for one in data["examples"]] == [len(data["fields"])] * len(data["examples"])
    names = [field["column"] for field in data["fields"]]
    assert data["examples"][0]["values"][names.index("c1400")] == x[data["examples"][0]["row"] - 1, 1400]
