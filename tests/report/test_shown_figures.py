"""The figures that stand in a page, read back from it and worked out anew from the raw held-out answers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import html5lib
import numpy as np
import pytest
from sklearn import metrics

from hornbeam.report.parts import parts_of
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
    truth, answers = table.target_values(), held.answers
    figures = {row[0]: row[1] for row in shown["Figures"]}
    assert share(figures["accuracy"].split(" ")[0]) == pytest.approx(metrics.accuracy_score(truth, answers), abs=6e-4)
    assert share(figures["balanced accuracy"]) == pytest.approx(
        metrics.balanced_accuracy_score(truth, answers), abs=6e-4
    )
    assert float(figures["kappa"]) == pytest.approx(metrics.cohen_kappa_score(truth, answers), abs=6e-4)
    assert held.shares is not None
    if len(np.unique(truth)) == 2:
        area = metrics.roc_auc_score(truth, held.shares[:, 1])
    else:
        area = metrics.roc_auc_score(truth, held.shares, multi_class="ovr", average="weighted")
    assert float(figures["AUC"]) == pytest.approx(area, abs=6e-4)
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
            rates = [metrics.accuracy_score(truth[part], outcome.held_out[0].answers[part]) for part in parts]
            assert share(row[1]) == pytest.approx(np.mean(rates), abs=6e-4)
    check_slices(shown["Errors"], report, (truth != answers).astype(float), share)


def test_numbers(report_on: Callable[[str], Report]) -> None:
    report = report_on("cpu")
    shown = tables(report)
    truth, answers = report.table.target_values(), report.held_out.answers
    figures = {row[0]: row[1] for row in shown["Figures"]}
    assert float(figures["root mean squared error"]) == pytest.approx(
        metrics.root_mean_squared_error(truth, answers), rel=1e-3
    )
    assert float(figures["mean absolute error"]) == pytest.approx(metrics.mean_absolute_error(truth, answers), rel=1e-3)
    assert float(figures["R2"].split(" ")[0]) == pytest.approx(metrics.r2_score(truth, answers), abs=6e-4)
    assert float(figures["correlation"]) == pytest.approx(np.corrcoef(truth, answers)[0, 1], abs=6e-4)
    residual = np.sort(truth - answers)
    (row,) = shown["Residuals"]
    assert [float(row[1]), float(row[-1])] == pytest.approx([residual[0], residual[-1]], rel=1e-3)
    assert float(row[4]) == pytest.approx(np.median(residual), abs=np.ptp(residual) / 100)
    check_slices(shown["Errors"], report, np.abs(truth - answers), float)


def check_slices(rows: list[list[str]], report: Report, errors: np.ndarray, read: Callable[[str], float]) -> None:
    assert len(rows) == len(report.slices)
    for column, part, count, error, _, rest, _, mark in rows:
        parts = parts_of(report.table, report.table.schema.position(column), BINS, MOST_CATEGORIES)
        here = parts.codes == (-1 if part == "missing" else parts.names.index(part))
        assert int(count) == here.sum()
        assert read(error) == pytest.approx(errors[here].mean(), rel=1e-3, abs=6e-4)
        assert read(rest) == pytest.approx(errors[~here].mean(), rel=1e-3, abs=6e-4)
        assert not mark or errors[here].mean() > errors[~here].mean()
