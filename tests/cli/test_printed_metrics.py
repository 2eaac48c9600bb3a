"""Every figure that `hornbeam learn` prints below a model is recomputed from predictions."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from sklearn import metrics

import hornbeam
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate.folds import fold_of_rows
from hornbeam.schemes import SCHEMES

if TYPE_CHECKING:
    from pathlib import Path

pytestmark = pytest.mark.filterwarnings("ignore")

Z = 1.959963984540054
FOLDS, SEED = 3, 1
UNWEIGHTED = ("ib2", "ib3", "ib5")
CLASSIFIERS = [s for s in SCHEMES if s.predicts == "category"]
REGRESSORS = [s for s in SCHEMES if s.predicts == "number"]
TRAINED = re.compile(
    r"On the training rows: ([\d.]+)% right \((?:weight ([\d.]+) of ([\d.]+); )?(?:([\d.]+) of )?(\d+) rows\)"
)
VALIDATED = re.compile(
    r"3-fold cross-validation: ([\d.]+)% right \((?:weight ([\d.]+) of ([\d.]+); )?(?:([\d.]+) of )?(\d+) rows; "
    r"95% interval ([\d.]+)% to ([\d.]+)%\)\n"
    r"  kappa (-?[\d.]+), balanced accuracy ([\d.]+)%(?:, AUC ([\d.]+))?; "
    r"always predicting the most common class: ([\d.]+)%"
)
TRAINED_NUMBERS = re.compile(
    r"On the training rows: mean absolute error (\S+), root mean squared error (\S+), R² (-?[\d.]+) \((\d+) rows\)"
)
VALIDATED_NUMBERS = re.compile(
    r"3-fold cross-validation: mean absolute error (\S+), root mean squared error (\S+) \((\d+) rows\)\n"
    r"  R² (-?[\d.]+) \(95% interval (-?[\d.]+) to (-?[\d.]+)\), correlation (-|-?[\d.]+); "
    r"errors are ([\d.]+)% and ([\d.]+)% of those of always predicting the mean"
)
VERDICT = re.compile(r"([\d.]+) of (?:100|1,000) held-out rows, ([\d.]+) more than always predicting '(.*?)'")


def made(scheme: Any) -> Any:
    names = {parameter.name for parameter in scheme.parameters}
    return scheme.load()(**({"random_state": SEED} if "random_state" in names else {}))


def weighted(table: Table) -> Table:
    """The rows with weights, which an ARFF file keeps."""
    weights = np.random.default_rng(4).integers(1, 5, table.n_rows).astype(float)
    schema = Schema((*table.schema.columns, Numeric("w")), (*table.schema.roles, "weight"), table.schema.name)
    return Table(schema, [*table.columns, weights])


def held_out(scheme: Any, table: Table) -> tuple[Any, Any]:
    """Predictions and probabilities for every row, from the folds that it is not in, one fit after another."""
    fold = fold_of_rows(table, FOLDS, SEED)
    nominal = isinstance(table.schema.target_column, Nominal)
    predicted = np.empty(table.n_rows, object if nominal else float)
    shares = np.zeros((table.n_rows, len(table.schema.target_column.categories) if nominal else 0))
    for number in range(FOLDS):
        learner = made(scheme).fit(table.take(np.flatnonzero(fold != number)))
        rows = table.take(np.flatnonzero(fold == number))
        asked = rows.select(rows.schema.features)
        predicted[fold == number] = learner.predict(asked)
        if nominal:
            places = [table.schema.target_column.categories.index(name) for name in learner.classes_]
            shares[np.ix_(fold == number, places)] = learner.predict_proba(asked)
    return predicted, shares


def near(printed: str, expected: float, decimals: int) -> None:
    assert float(printed) == pytest.approx(expected, abs=0.501 * 10.0**-decimals)


def significant(printed: str, expected: float, digits: int = 4) -> None:
    assert float(printed) == pytest.approx(expected, rel=0.501 * 10.0 ** (1 - digits), abs=1e-12)


def wilson(share: float, n: float) -> list[float]:
    """The roots of (p - share)² = z² p (1 - p) / n."""
    a, b, c = 1 + Z**2 / n, -(2 * share + Z**2 / n), share**2
    return [(-b + sign * np.sqrt(max(b * b - 4 * a * c, 0.0))) / (2 * a) for sign in (-1, 1)]


def check_amounts(found: re.Match[str], right: Any, weights: Any, *, has_weights: bool) -> None:
    """Percent right; how many of the rows, or how much of the weight."""
    percent, of_weight, weight, of_rows, rows = found.groups()[:5]
    near(percent, 100 * np.average(right, weights=weights), 1)
    assert int(rows) == len(right)
    assert (of_weight is not None) == has_weights
    near(of_weight if has_weights else of_rows, weights[right].sum(), 2)
    if has_weights:
        near(weight, weights.sum(), 2)


@pytest.mark.parametrize(
    ("scheme", "has_weights"),
    [
        pytest.param(scheme, has_weights, id=f"{scheme.name}{', weighted' * has_weights}")
        for scheme in CLASSIFIERS
        for has_weights in (False, True)
        if not (has_weights and scheme.name in UNWEIGHTED) and scheme.name != "id3"  # which takes no numbers
    ],
)
def test_classes(scheme: Any, has_weights: bool, good: Any, tmp_path: Path) -> None:
    table = weighted(hornbeam.read("iris")) if has_weights else hornbeam.read("iris")
    table.write(tmp_path / "rows.arff")
    out = good(
        "learn", tmp_path / "rows.arff", "--target", "class", "-s", scheme.name, "--cv", FOLDS,
        "--save", tmp_path / "model"
    ).out  # fmt: skip
    names = np.array(table.schema.target_column.categories)
    truth = names[table.target_values()]
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    found = TRAINED.search(out)
    assert found is not None
    fitted = hornbeam.load(tmp_path / "model").predict(table)
    check_amounts(found, np.asarray(fitted) == truth, weights, has_weights=has_weights)

    predicted, shares = held_out(scheme, table)
    right = predicted == truth
    found = VALIDATED.search(out)
    assert found is not None
    check_amounts(found, right, weights, has_weights=has_weights)
    low, high, kappa, balanced, auc, always = found.groups()[5:]
    accuracy, n = np.average(right, weights=weights), weights.sum() ** 2 / (weights**2).sum()
    for printed, end in zip((low, high), wilson(accuracy, n), strict=True):
        near(printed, 100 * end, 1)
    near(kappa, metrics.cohen_kappa_score(truth, list(predicted), sample_weight=weights), 3)
    near(balanced, 100 * metrics.balanced_accuracy_score(truth, list(predicted), sample_weight=weights), 1)
    in_class = np.array([weights[truth == name].sum() for name in names])
    near(always, 100 * in_class.max() / weights.sum(), 1)
    areas = [metrics.roc_auc_score(truth == name, shares[:, k], sample_weight=weights) for k, name in enumerate(names)]
    if auc is not None:
        near(auc, float(np.mean(areas)), 3)

    matrix = metrics.confusion_matrix(truth, list(predicted), labels=names, sample_weight=weights)
    parts = metrics.precision_recall_fscore_support(
        truth, list(predicted), labels=names, sample_weight=weights, zero_division=np.nan
    )
    assert ("  weight\n" in out.split("class  ")[-1]) == has_weights
    for k, name in enumerate(names):
        rows = [line.split()[1:] for line in out.split("predicted\n")[1].splitlines() if line.startswith(str(name))]
        for cell, expected in zip(rows[0], matrix[k], strict=True):
            near(cell, expected, 2)
        figures = [figure.rstrip("%") for figure in rows[1]]
        for printed, expected in zip(figures[:3], (part[k] for part in parts[:3]), strict=True):
            near(printed, 100 * expected, 1)
        if len(figures) > 4:
            near(figures[3], areas[k], 3)
        near(figures[-1], in_class[k], 2)
    found = VERDICT.search(out)
    assert found is not None
    near(found[1], 100 * accuracy, 0)
    near(found[2], 100 * accuracy - 100 * in_class.max() / weights.sum(), 0)
    assert found[3] == names[in_class.argmax()]


@pytest.mark.parametrize("has_weights", [False, True])
@pytest.mark.parametrize("scheme", REGRESSORS, ids=lambda s: s.name)
def test_numbers(scheme: Any, has_weights: bool, good: Any, tmp_path: Path) -> None:
    table = weighted(hornbeam.read("servo")) if has_weights else hornbeam.read("servo")
    table.write(tmp_path / "rows.arff")
    out = good(
        "learn", tmp_path / "rows.arff", "--target", "class", "-s", scheme.name, "--cv", FOLDS,
        "--save", tmp_path / "model"
    ).out  # fmt: skip
    truth = table.target_values()
    weights = np.ones(table.n_rows) if table.weights is None else table.weights
    predicted = np.asarray(hornbeam.load(tmp_path / "model").predict(table))
    found = TRAINED_NUMBERS.search(out)
    assert found is not None
    significant(found[1], metrics.mean_absolute_error(truth, predicted, sample_weight=weights))
    significant(found[2], metrics.root_mean_squared_error(truth, predicted, sample_weight=weights))
    near(found[3], metrics.r2_score(truth, predicted, sample_weight=weights), 3)
    assert int(found[4]) == table.n_rows

    predicted, _ = held_out(scheme, table)
    found = VALIDATED_NUMBERS.search(out)
    assert found is not None
    off, away = predicted - truth, truth - np.average(truth, weights=weights)
    absolute, squared = (np.average(np.abs(part), weights=weights) for part in (off, off**2))
    significant(found[1], absolute)
    significant(found[2], np.sqrt(squared))
    assert int(found[3]) == table.n_rows
    near(found[4], metrics.r2_score(truth, predicted, sample_weight=weights), 3)
    assert float(found[5]) <= float(found[4]) <= float(found[6])
    apart = predicted - np.average(predicted, weights=weights)
    both = np.average(apart * away, weights=weights)
    spread = np.sqrt(np.average(apart**2, weights=weights) * np.average(away**2, weights=weights))
    near(found[7], both / spread, 3)
    near(found[8], 100 * absolute / np.average(np.abs(away), weights=weights), 1)
    near(found[9], 100 * np.sqrt(squared / np.average(away**2, weights=weights)), 1)
