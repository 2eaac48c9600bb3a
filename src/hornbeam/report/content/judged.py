"""The section about how good the model is: metrics, confusion matrix, curves, residuals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.residual_figures import LEVELS
from hornbeam.evaluate.measures import ABOUT
from hornbeam.report.content.blocks import (
    Charts,
    Folded,
    Grid,
    Heading,
    Words,
    amount_text,
    counted,
    distinct,
    number_text,
)
from hornbeam.report.content.threshold import threshold_blocks
from hornbeam.report.metrics import ClassMetrics
from hornbeam.show.chart_svg import histogram_chart, matrix_chart
from hornbeam.show.charts.small_charts import SIZE, curve_chart, point_chart
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from hornbeam.report.content.blocks import Block
    from hornbeam.report.metrics import RegressionMetrics
    from hornbeam.report.result import Report

MOST_CLASSES = 20  # maximum number of classes in a picture of the confusion matrix
NAME_ROOM = 30
MOST_LISTED = 60  # maximum number of classes in a table of the confusion matrix
MOST_POINTS = 200  # maximum number of points of a curve
MEANING = {
    "accuracy": "fraction of rows predicted correctly",
    "balanced accuracy": "mean of the recalls of the classes",
    "AUC": "probability that a random row of a class scores above a random row of another",
    "log loss": "mean of minus the logarithm of the predicted probability of the true class; 0 is best",
    "Brier score": "half the squared distance of the probabilities from the true class; 0 is best",
    "root mean squared error": "in the target's unit",
    "mean absolute error": "in the target's unit",
    "R²": "fraction of the variance explained",
    "kappa": "agreement beyond chance: 0 is chance, 1 is perfect",
    "correlation": "of predictions and truth",
    "most common class": "accuracy of always predicting it",
    "error relative to the mean": "absolute error relative to always predicting the mean",
}


def judged_blocks(report: Report) -> list[Block]:
    """Show how good the held-out predictions are."""
    text = (
        f"All metrics are computed from predictions for {counted(report.metrics.score.n_rows, 'row')}, each made by a "
        f"model that had not seen the row{' (in the first repeat)' if report.comparison.repeats > 1 else ''}."
    )
    metrics = report.metrics
    if isinstance(metrics, ClassMetrics):
        chosen = [] if report.thresholds is None else threshold_blocks(report.thresholds)
        return [Words(text), _summary(_class_rows(metrics)), *_classes(metrics), *chosen]
    return [Words(text), _summary(_number_rows(metrics)), *_numbers(report, metrics)]


def _summary(rows: list[tuple[str, str]]) -> Grid:
    described = tuple((name, value, MEANING.get(name, "")) for name, value in rows)
    return Grid("Metrics of held-out rows", ("metric", "value", "meaning"), described, (1,))


def _class_rows(metrics: ClassMetrics) -> list[tuple[str, str]]:
    low, high = metrics.score.interval
    rows = [("accuracy", f"{percent(metrics.score.accuracy)} (95% interval {percent(low)} to {percent(high)})")]
    rows += [(name, _text(name, value)) for name, value in metrics.measures.items() if name != "accuracy"]
    rows.append(("kappa", _text("kappa", metrics.score.kappa)))
    return [*rows, ("most common class", percent(metrics.score.baseline))]


def _number_rows(metrics: RegressionMetrics) -> list[tuple[str, str]]:
    low, high = metrics.score.interval
    rows = [(name, _text(name, value)) for name, value in metrics.measures.items() if name != "R2"]
    rows.append(("R²", f"{_text('R2', metrics.score.r2)} (95% interval {_text('R2', low)} to {_text('R2', high)})"))
    rows.append(("correlation", _text("correlation", metrics.score.correlation)))
    return [*rows, ("error relative to the mean", percent(metrics.score.relative_absolute_error))]


def _text(name: str, value: float) -> str:
    if math.isnan(value):
        return "-"
    if name in ABOUT and ABOUT[name].percent:
        return percent(value)
    return number_text(value) if "error" in name else f"{value:.3f}"


def _classes(metrics: ClassMetrics) -> list[Block]:
    names = distinct(metrics.score.categories, NAME_ROOM)
    counts = [[amount_text(cell) for cell in row] for row in metrics.score.confusion.tolist()]
    charts = []
    if len(names) <= MOST_CLASSES:
        in_row = metrics.score.confusion.sum(axis=1, keepdims=True)
        fractions = np.divide(
            metrics.score.confusion, in_row, out=np.zeros_like(metrics.score.confusion), where=in_row > 0
        )
        picture = matrix_chart(
            names,
            names,
            fractions,
            title="Confusion matrix",
            x_label="predicted",
            y_label="true",
            texts=counts,
            scale=(0, 1),
        )
        charts.append(
            (
                picture,
                "Rows by true and predicted class; the color shows the fraction of the true class.",
            )
        )
    if metrics.roc:
        charts.append((_roc(metrics), _roc_text(metrics)))
        charts.append(
            (
                _calibration(metrics),
                "Of the rows predicted with a probability of 70%, 70% should be of the class: on the dashed line.",
            )
        )
    matrix = Grid(
        "Confusion matrix: a row per true class, a column per predicted class",
        ("true class", *names),
        tuple((name, *row) for name, row in zip(names, counts, strict=True)),
        tuple(range(1, len(names) + 1)),
    )
    by_class = Grid(
        "Precision: fraction of the predictions of a class that are right. Recall: fraction of a class that is found",
        ("class", "rows" if metrics.score.weight == metrics.score.n_rows else "weight", "precision", "recall", "F1"),
        tuple(
            (
                printable(one.name),
                amount_text(one.weight),
                percent(one.precision),
                percent(one.recall),
                percent(one.f1),
            )
            for one in metrics.classes
        ),
        (1, 2, 3, 4),
    )
    blocks: list[Block] = [Charts(tuple(charts))] if charts else []
    folded: list[Block] = [Folded("The confusion matrix as a table", (matrix,))] if len(names) <= MOST_LISTED else []
    if metrics.calibration:
        folded.append(Folded("Calibration as a table", (_calibration_table(metrics),)))
    return [*blocks, Heading("By class"), by_class, *folded]


def _roc(metrics: ClassMetrics) -> str:
    curves = {name: (curve.false_positive_rate, curve.true_positive_rate) for name, curve in metrics.roc.items()}
    return _unit_chart(curves, "ROC curve", "false positive rate", "true positive rate", marked=False)


def _unit_chart(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], title: str, x_label: str, y_label: str, *, marked: bool
) -> str:
    """Draw curves between 0 and 1 with the diagonal; a long curve is reduced to 200 points."""
    shown = {}
    for name, label in zip(curves, distinct(list(curves), NAME_ROOM), strict=True):
        across, up = (np.asarray(part, np.float64) for part in curves[name])
        kept = np.unique(np.linspace(0, len(across) - 1, MOST_POINTS).round().astype(np.intp))
        shown[label] = (across[kept], up[kept])
    whole = (0.0, 1.0)
    return curve_chart(
        shown, title=title, x_label=x_label, y_label=y_label, x_range=whole, y_range=whole, diagonal=True, marked=marked
    )


def _roc_text(metrics: ClassMetrics) -> str:
    areas = []
    for name, curve in metrics.roc.items():
        low, high = curve.interval
        interval = "" if math.isnan(low) else f" ({low:.3f} to {high:.3f})"
        areas.append(f"{printable(name, NAME_ROOM)} {curve.auc:.3f}{interval}")
    return f"Area under the curve, with its 95% interval: {'; '.join(areas)}. The dashed line is chance."


def _calibration(metrics: ClassMetrics) -> str:
    curves = {
        name: ([one.mean for one in curve.bins], [one.observed for one in curve.bins])
        for name, curve in metrics.calibration.items()
    }
    return _unit_chart(curves, "Calibration", "predicted probability", "fraction of rows of the class", marked=True)


def _calibration_table(metrics: ClassMetrics) -> Grid:
    rows = tuple(
        (
            printable(name, NAME_ROOM),
            percent(one.mean),
            percent(one.observed),
            " to ".join(map(percent, one.interval)),
            amount_text(one.weight),
        )
        for name, curve in metrics.calibration.items()
        for one in curve.bins
    )
    head = ("class", "predicted probability", "fraction of the class", "95% interval", "rows")
    return Grid("Held-out rows by predicted probability", head, rows, (1, 2, 3, 4))


def _numbers(report: Report, metrics: RegressionMetrics) -> list[Block]:
    left = metrics.residuals
    truth = left.predicted + left.residual
    name = printable(report.table.schema.target_column.name, NAME_ROOM)
    scatter = point_chart(
        left.predicted, truth, title="Truth by prediction", x_label="predicted", y_label=name, diagonal=True
    )
    spread = histogram_chart(left.residual, title="Residuals", x_label="true minus predicted", size=SIZE)
    names = ("minimum", *(f"{100 * level:g}%" for level in LEVELS[1:-1]), "maximum")
    quantiles = Grid(
        f"Residuals (true minus predicted): mean {number_text(left.mean)}, deviation {number_text(left.spread)}",
        ("", *names),
        (("residual", *(number_text(value) for value in left.quantiles.tolist())),),
        tuple(range(1, len(names) + 1)),
    )
    return [
        Charts(((scatter, "On the dashed line predictions are right."), (spread, "Size and sign of the errors."))),
        quantiles,
    ]
