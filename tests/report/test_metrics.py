"""Every figure of a report, worked out anew from the raw held-out answers with scikit-learn's functions."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np
import pytest
from scipy import stats
from sklearn import metrics
from sklearn.base import clone
from sklearn.calibration import calibration_curve

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.comparing.methods import schemes_by_name
from hornbeam.learn.base.estimator import with_weight_column
from hornbeam.report import Report, build
from hornbeam.report.metrics import ClassMetrics, RegressionMetrics, errors_of

if TYPE_CHECKING:
    from collections.abc import Callable

CLASSES = ("weather", "iris", "labor", "hostile")
NUMBERS = ("cpu", "hostile numbers")


def raw(report: Report) -> tuple[np.ndarray, np.ndarray, np.ndarray | None]:
    """Truth, answers and shares of the rows that were held out."""
    held = report.held_out.fold >= 0
    given = report.held_out.probabilities
    return report.table.target_values()[held], report.held_out.predictions[held], None if given is None else given[held]


@pytest.mark.parametrize("name", ["iris", "labor", "cpu"])
def test_held_out_answers_are_of_models_that_had_not_seen_the_row(
    name: str, report_on: Callable[[str], Report]
) -> None:
    report = report_on(name)
    table, fold = report.table, report.held_out.fold
    assert set(fold.tolist()) == set(range(5))
    estimator = clone(report.estimator)
    for number in range(5):
        learner = clone(estimator).fit(table.take(fold != number))
        answers = learner.predict(table.take(fold == number))
        held = report.held_out.predictions[fold == number]
        target = table.schema.target_column
        expected = np.array(target.categories)[held] if isinstance(target, Nominal) else held
        assert (answers == expected).all()


@pytest.mark.parametrize("name", CLASSES)
def test_figures_of_classes(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    truth, answers, shares = raw(report)
    found = report.metrics
    assert isinstance(found, ClassMetrics)
    n_classes = len(found.score.categories)
    labels = list(range(n_classes))
    assert found.score.n_rows == len(truth)
    assert found.measures["accuracy"] == found.score.accuracy == pytest.approx(metrics.accuracy_score(truth, answers))
    assert found.score.confusion == pytest.approx(metrics.confusion_matrix(truth, answers, labels=labels))
    assert found.score.kappa == pytest.approx(metrics.cohen_kappa_score(truth, answers))
    assert found.score.baseline == pytest.approx(np.bincount(truth).max() / len(truth))
    assert found.measures["balanced accuracy"] == pytest.approx(
        metrics.recall_score(truth, answers, labels=np.unique(truth), average="macro")
    )
    right = int((truth == answers).sum())
    interval = stats.binomtest(right, len(truth)).proportion_ci(method="wilson")
    assert found.score.interval == pytest.approx((interval.low, interval.high))
    parts = metrics.precision_recall_fscore_support(truth, answers, labels=labels, zero_division=np.nan)
    for one, precision, recall, f1, rows in zip(found.classes, *parts, strict=True):
        assert one.weight == rows
        assert one.precision == pytest.approx(precision, nan_ok=True)
        assert one.recall == pytest.approx(recall, nan_ok=True)
        assert one.f1 == pytest.approx(f1, nan_ok=True)
    assert shares is not None
    told = np.eye(n_classes)[truth]
    assert found.measures["Brier score"] == pytest.approx(((shares - told) ** 2).sum(axis=1).mean() / 2)
    given = np.clip(shares[np.arange(len(truth)), truth], 1e-15, None)
    assert found.measures["log loss"] == pytest.approx(-np.log(given).mean())
    occurring = np.unique(truth)
    areas = [metrics.roc_auc_score(truth == code, shares[:, code]) for code in occurring]
    assert found.measures["AUC"] == pytest.approx(np.average(areas, weights=np.bincount(truth)[occurring]))
    assert found.roc
    for category, curve in found.roc.items():
        code = found.score.categories.index(category)
        assert curve.auc == pytest.approx(metrics.roc_auc_score(truth == code, shares[:, code]))
        said = found.calibration[category]
        true, mean = calibration_curve(truth == code, shares[:, code], n_bins=10)
        assert [one.observed for one in said.bins] == pytest.approx(true)
        assert [one.mean for one in said.bins] == pytest.approx(mean)
        assert said.brier == pytest.approx(metrics.brier_score_loss(truth == code, shares[:, code]))
        rates = metrics.roc_curve(truth == code, shares[:, code], drop_intermediate=False)
        assert np.interp(rates[0], curve.false_positive_rate, curve.true_positive_rate) == pytest.approx(
            np.maximum.reduceat(rates[1], np.unique(rates[0], return_index=True)[1])[
                np.unique(rates[0], return_inverse=True)[1]
            ]
        )


@pytest.mark.parametrize("name", NUMBERS)
def test_figures_of_numbers(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    truth, answers, _ = raw(report)
    found = report.metrics
    assert isinstance(found, RegressionMetrics)
    assert found.measures["root mean squared error"] == pytest.approx(metrics.root_mean_squared_error(truth, answers))
    assert found.measures["mean absolute error"] == pytest.approx(metrics.mean_absolute_error(truth, answers))
    assert found.measures["R2"] == pytest.approx(metrics.r2_score(truth, answers))
    assert found.score.correlation == pytest.approx(np.corrcoef(truth, answers)[0, 1])
    off = metrics.mean_absolute_error(truth, np.full(len(truth), truth.mean()))
    assert found.score.relative_absolute_error == pytest.approx(found.measures["mean absolute error"] / off)
    residual = np.sort(found.residuals.residual)
    assert residual == pytest.approx(np.sort(truth - answers))
    assert found.residuals.mean == pytest.approx((truth - answers).mean())
    assert found.residuals.spread == pytest.approx((truth - answers).std(), rel=0.01)
    assert found.residuals.quantiles[[0, -1]] == pytest.approx([residual[0], residual[-1]])


@pytest.mark.parametrize("name", ["iris", "labor", "cpu"])
def test_figures_of_every_scheme_compared(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    truth = report.table.target_values()
    assert report.compared.outcomes[0].method == "baseline"
    for outcome in report.compared.outcomes:
        (held,) = outcome.held_out
        folds = [held.fold == number for number in range(5)]
        if report.predicts == "category":
            scores = [metrics.accuracy_score(truth[part], held.predictions[part]) for part in folds]
            loss = outcome.metrics["log loss"].mean
            assert held.probabilities is not None
            given = np.clip(held.probabilities[np.arange(len(truth)), truth], 1e-15, None)
            assert loss == pytest.approx(np.mean([-np.log(given[part]).mean() for part in folds]))
        else:
            scores = [metrics.root_mean_squared_error(truth[part], held.predictions[part]) for part in folds]
            error = [metrics.mean_absolute_error(truth[part], held.predictions[part]) for part in folds]
            assert outcome.metrics["mean absolute error"].mean == pytest.approx(np.mean(error))
        assert outcome.score is not None
        assert outcome.score.folds == pytest.approx(scores)
        assert outcome.score.mean == pytest.approx(np.mean(scores))


@pytest.mark.parametrize("name", ["iris", "labor", "cpu"])
def test_errors_and_examples(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    truth, answers, _ = raw(report)
    errors = errors_of(report.table, report.held_out.predictions, report.held_out.fold >= 0)
    expected = (truth != answers).astype(float) if report.predicts == "category" else np.abs(truth - answers)
    assert errors == pytest.approx(expected)
    assert len({one.row for one in report.examples}) == len(report.examples) == min(20, report.table.n_rows)
    for one in report.examples:
        row = one.row - 1
        assert one.error == pytest.approx(errors[row])
        for value, position in zip(one.values, report.table.schema.features, strict=True):
            held = report.table.columns[position][row]
            column = report.table.schema.columns[position]
            if isinstance(column, Nominal):
                assert value == (None if held < 0 else column.categories[held])
            else:
                assert (value is None and np.isnan(held)) or value == held
    wrong = [one.error > 0 for one in report.examples]
    if report.predicts == "category":
        assert wrong == sorted(wrong, reverse=True)  # wrong ones first
        assert sum(wrong) == min(12, int(errors.sum()))
    else:
        assert report.examples[0].error == pytest.approx(errors.max())


def test_weights_count_and_rows_without_a_target_do_not() -> None:
    iris = hornbeam.read("iris")
    rng = np.random.default_rng(2)
    weights = rng.integers(1, 4, iris.n_rows).astype(float)
    truth = iris.target_values().copy()
    truth[:5] = -1
    schema = Schema((*iris.schema.columns, Numeric("weight")), (*iris.schema.roles, "weight"), iris.schema.name)
    table = Table(schema, [*iris.columns[:-1], truth, weights])
    report = build(table, schemes=["c45", "one-r"], folds=4)
    held = report.held_out.fold >= 0
    assert held.sum() == 145
    expected = metrics.accuracy_score(truth[held], report.held_out.predictions[held], sample_weight=weights[held])
    assert isinstance(report.metrics, ClassMetrics)
    assert report.metrics.score.accuracy == pytest.approx(expected)
    precision = metrics.precision_score(
        truth[held], report.held_out.predictions[held], average=None, sample_weight=weights[held]
    )
    assert [one.precision for one in report.metrics.classes] == pytest.approx(precision)
    assert "Report on iris" in report.html()


def test_the_model_is_learned_from_all_rows(report_on: Callable[[str], Report]) -> None:
    report = report_on("iris")
    again = schemes_by_name([report.choice.scheme], "category")[report.choice.scheme]
    if "random_state" in again.get_params():
        again.set_params(random_state=1)
    assert hornbeam.show.text(again.fit(report.table)) == hornbeam.show.text(report.estimator)


def test_repeats_are_told_and_the_first_is_judged() -> None:
    once, twice = (build(hornbeam.read("iris"), schemes=["one-r", "c45"], folds=3, repeats=n) for n in (1, 2))
    assert (once.held_out.fold == twice.held_out.fold).all()
    assert isinstance(twice.metrics, ClassMetrics)
    held = twice.compared.outcome(twice.choice.scheme).held_out[0]
    assert twice.metrics.score.accuracy == pytest.approx((held.predictions == twice.table.target_values()).mean())
    assert "repeated 2 times" in twice.markdown()
    assert not math.isnan(twice.metrics.measures["AUC"])


def test_a_class_whose_rows_weigh_nothing_has_no_curve() -> None:
    iris = hornbeam.read("iris")
    weights = np.where(iris.target_values() == 0, 0.0, np.where(iris.target_values() == 1, 1.0, 0.5))
    table = iris.extended(with_weight_column(iris.schema), weights)
    found = build(table, schemes=["cart", "one-r"], folds=3).metrics
    assert isinstance(found, ClassMetrics)
    assert list(found.roc) == list(found.calibration) == ["Iris-virginica"]  # of two, the one of less weight
