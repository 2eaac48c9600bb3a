"""The figures that stand in a page, read back from it and worked out anew from the raw held-out answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib
import numpy as np
import pytest
from scipy import stats
from sklearn import metrics

from hornbeam.report.parts import parts_of
from hornbeam.report.relations import BINS as RELATED
from hornbeam.report.slices import BINS, MOST_CATEGORIES

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.report import Report

Rows = dict[str, list[str]]


def tables(report: Report) -> dict[str, list[list[str]]]:
    """The cells of every table of a page, by the start of its name."""
    tree = html5lib.HTMLParser(strict=True, namespaceHTMLElements=False).parse(report.html())
    found: dict[str, list[list[str]]] = {}
    for table in tree.iter("table"):
        rows = [["".join(cell.itertext()).strip() for cell in row] for row in table.find("tbody")]
        found.setdefault(table.attrib["aria-label"].split(" ")[0].rstrip(":,"), []).extend(rows)
    return found


def share(cell: str) -> float:
    assert cell.endswith("%")
    return float(cell[:-1]) / 100


@pytest.mark.parametrize("name", ["iris", "labor"])
def test_classes(name: str, report_on: Callable[[str], Report]) -> None:
    report = report_on(name)
    shown = tables(report)
    table, held = report.table, report.held_out
    truth, answers = table.target_values(), held.predictions
    figures = {row[0]: row[1] for row in shown["Metrics"]}
    assert share(figures["accuracy"].split(" ")[0]) == pytest.approx(metrics.accuracy_score(truth, answers), abs=6e-4)
    assert share(figures["balanced accuracy"]) == pytest.approx(
        metrics.balanced_accuracy_score(truth, answers), abs=6e-4
    )
    assert float(figures["kappa"]) == pytest.approx(metrics.cohen_kappa_score(truth, answers), abs=6e-4)
    assert held.probabilities is not None
    if len(np.unique(truth)) == 2:
        area = metrics.roc_auc_score(truth, held.probabilities[:, 1])
    else:
        area = metrics.roc_auc_score(truth, held.probabilities, multi_class="ovr", average="weighted")
    assert float(figures["AUC"]) == pytest.approx(area, abs=6e-4)
    given = np.maximum(held.probabilities[np.arange(len(truth)), truth], 1e-15)
    assert float(figures["log loss"]) == pytest.approx(-np.log(given).mean(), abs=6e-4)
    distance = (np.eye(held.probabilities.shape[1])[truth] - held.probabilities) ** 2
    assert float(figures["Brier score"]) == pytest.approx(distance.sum(axis=1).mean() / 2, abs=6e-4)
    assert share(figures["most common class"]) == pytest.approx(np.bincount(truth).max() / len(truth), abs=6e-4)
    wilson = stats.binomtest(int((truth == answers).sum()), len(truth)).proportion_ci(method="wilson")
    assert ends(figures["accuracy"], share) == pytest.approx((wilson.low, wilson.high), abs=6e-4)
    told = metrics.precision_recall_fscore_support(truth, answers)
    for place, row in enumerate(shown["Precision"]):
        assert float(row[1]) == told[3][place]
        assert [share(cell) for cell in row[2:]] == pytest.approx([told[kind][place] for kind in range(3)], abs=6e-4)
    counts = [[float(cell) for cell in row[1:]] for row in shown["Confusion"]]
    assert np.array(counts) == pytest.approx(metrics.confusion_matrix(truth, answers))
    balance = {row[0]: float(row[1]) for row in shown["Rows"]}
    target = table.schema.target_column
    assert balance == {name: (truth == code).sum() for code, name in enumerate(target.categories)}  # type: ignore[union-attr]
    for row in shown["The"]:  # schemes, and the model as a list
        outcome = next((one for one in report.compared.outcomes if one.method == row[0]), None)
        if outcome is not None:
            parts = [held.fold == fold for fold in range(held.fold.max() + 1)]
            rates = [metrics.accuracy_score(truth[part], outcome.held_out[0].predictions[part]) for part in parts]
            assert share(row[1]) == pytest.approx(np.mean(rates), abs=6e-4)
            assert ends(row[2], share) == pytest.approx(interval(rates, held.fold, most=1.0), abs=6e-4)
    check_relations(shown["How"], report)
    check_slices(shown["Errors"], report, (truth != answers).astype(float), share)


def test_numbers(report_on: Callable[[str], Report]) -> None:
    report = report_on("cpu")
    shown = tables(report)
    truth, answers = report.table.target_values(), report.held_out.predictions
    figures = {row[0]: row[1] for row in shown["Metrics"]}
    assert float(figures["root mean squared error"]) == pytest.approx(
        metrics.root_mean_squared_error(truth, answers), rel=1e-3
    )
    assert float(figures["mean absolute error"]) == pytest.approx(metrics.mean_absolute_error(truth, answers), rel=1e-3)
    assert float(figures["R²"].split(" ")[0]) == pytest.approx(metrics.r2_score(truth, answers), abs=6e-4)
    assert float(figures["correlation"]) == pytest.approx(np.corrcoef(truth, answers)[0, 1], abs=6e-4)
    residual = np.sort(truth - answers)
    assert share(figures["error relative to the mean"]) == pytest.approx(
        np.abs(truth - answers).sum() / np.abs(truth - truth.mean()).sum(), abs=6e-4
    )
    check_relations(shown["How"], report)
    (row,) = shown["Residuals"]
    assert [float(row[1]), float(row[-1])] == pytest.approx([residual[0], residual[-1]], rel=1e-3)
    quantiles = np.quantile(residual, [0.05, 0.25, 0.5, 0.75, 0.95], method="inverted_cdf")
    assert [float(cell) for cell in row[2:-1]] == pytest.approx(quantiles, rel=1e-3)
    check_slices(shown["Errors"], report, np.abs(truth - answers), float)


def check_slices(rows: list[list[str]], report: Report, errors: np.ndarray, read: Callable[[str], float]) -> None:
    assert len(rows) == len(report.slices)
    for (column, part, count, error, shown, rest, chance, mark), one in zip(rows, report.slices, strict=True):
        parts = parts_of(report.table, report.table.schema.position(column), BINS, MOST_CATEGORIES)
        here = parts.codes == (-1 if part == "missing" else parts.names.index(part))
        assert int(count) == here.sum()
        assert read(error) == pytest.approx(errors[here].mean(), rel=1e-3, abs=6e-4)
        assert read(rest) == pytest.approx(errors[~here].mean(), rel=1e-3, abs=6e-4)
        assert not mark or errors[here].mean() > errors[~here].mean()
        assert bool(mark) == (one.adjusted < 0.05)
        assert read_chance(chance) == pytest.approx(max(one.adjusted, 1e-4), abs=6e-4)  # tested in test_slices.py
        if read is share:
            low, high = stats.binomtest(int(errors[here].sum()), int(here.sum())).proportion_ci(method="wilson")
        else:
            low, high = stats.t.interval(0.95, here.sum() - 1, errors[here].mean(), stats.sem(errors[here]))
        assert ends(shown, read) == pytest.approx((max(low, 0.0), high), rel=1e-3, abs=6e-4)


def check_relations(rows: list[list[str]], report: Report) -> None:
    table, truth = report.table, report.table.target_values()
    assert sorted(row[0] for row in rows) == sorted(table.schema.names[place] for place in table.schema.features)
    for column, count, strength, *others, degrees, chance in rows:
        codes = parts_of(table, table.schema.position(column), RELATED).codes
        known = codes >= 0
        assert int(count) == known.sum()
        parts = [truth[known & (codes == part)] for part in np.unique(codes[known])]
        if report.predicts == "category":
            gain = metrics.mutual_info_score(truth[known], codes[known]) / np.log(2)
            ratio = gain / stats.entropy([len(part) for part in parts], base=2) if len(parts) > 1 else 0.0
            assert [float(strength), float(others[0])] == pytest.approx([gain, ratio], abs=6e-4)
            counts = np.array([np.bincount(part, minlength=truth.max() + 1) for part in parts])
            test = stats.chi2_contingency(counts[:, counts.sum(axis=0) > 0], correction=False)
            assert int(degrees) == test.dof
        else:
            within = sum(((part - part.mean()) ** 2).sum() for part in parts)
            assert share(strength) == pytest.approx(1 - within / ((truth - truth.mean()) ** 2).sum(), abs=6e-4)
            test = stats.f_oneway(*parts)
            assert degrees == f"{len(parts) - 1}, {known.sum() - len(parts)}"
        assert float(others[-1]) == pytest.approx(test.statistic, rel=1e-3)
        assert read_chance(chance) == pytest.approx(max(test.pvalue, 1e-4), abs=6e-4)


def interval(rates: list[float], fold: np.ndarray, most: float) -> tuple[float, float]:
    """The corrected resampled t-test's, worked out anew."""
    tested = np.bincount(fold[fold >= 0])
    spread = np.sqrt((1 / len(rates) + np.mean(tested / (tested.sum() - tested))) * np.var(rates, ddof=1))
    reach = stats.t.ppf(0.975, len(rates) - 1) * spread
    return max(np.mean(rates) - reach, 0.0), min(np.mean(rates) + reach, most)


def ends(cell: str, read: Callable[[str], float]) -> tuple[float, float]:
    """The ends of an interval, which may stand in brackets behind its figure."""
    low, high = cell.rpartition("interval ")[2].rstrip(")").split(" to ")
    return read(low), read(high)


def read_chance(cell: str) -> float:
    return float(cell.removeprefix("< "))
