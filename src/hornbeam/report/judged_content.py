"""The section about how good the model is: figures, confusion, curves; residuals."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.evaluate.curves.residual_figures import LEVELS
from hornbeam.evaluate.measures import ABOUT
from hornbeam.report.blocks import Charts, Folded, Grid, Heading, Words
from hornbeam.report.figures import ClassFigures
from hornbeam.report.telling import distinct
from hornbeam.show.chart_svg import histogram_chart, line_chart, matrix_chart, scatter_chart
from hornbeam.show.texts.wording import amounts, printable, short_number

if TYPE_CHECKING:
    from collections.abc import Mapping

    from numpy.typing import ArrayLike

    from hornbeam.report.blocks import Block
    from hornbeam.report.figures import NumberFigures
    from hornbeam.report.result import Report

MOST_CLASSES = 20  # in a picture of the confusion matrix
NAME_ROOM = 30
MOST_POINTS = 400  # of a curve
MEANING = {
    "accuracy": "share of rows answered right",
    "balanced accuracy": "the same as a mean over the classes",
    "AUC": "how often a row of a class is given a greater share of it than another row",
    "log loss": "minus the logarithm of the share given to the true class, on average; 0 is best",
    "Brier score": "half the squared distance of the shares from the truth; 0 is best",
    "root mean squared error": "of the answers, in the target's own unit",
    "mean absolute error": "how far answers are off on average",
    "R2": "share of the variance explained",
    "kappa": "agreement beyond chance: 0 is chance, 1 perfect",
    "correlation": "of answers and truth",
    "commonest class": "share right if it is always the answer",
    "error relative to the mean": "absolute errors as a share of those of always answering the mean",
}


def judged_blocks(report: Report) -> list[Block]:
    """Tell how good the held-out answers are."""
    told = (
        f"Every figure here is of answers to {report.figures.score.n_rows} rows, each given by a model that had not "
        "seen the row"
    )
    told += " (those of the first repeat)." if report.comparison.repeats > 1 else "."
    found = report.figures
    if isinstance(found, ClassFigures):
        return [Words(told), _summary(_class_rows(found)), *_classes(found)]
    return [Words(told), _summary(_number_rows(found)), *_numbers(report, found)]


def _summary(rows: list[tuple[str, str]]) -> Grid:
    told = tuple((name, figure, MEANING.get(name, "")) for name, figure in rows)
    return Grid("Figures of held-out rows", ("figure", "value", "what it is"), told, (1,))


def _class_rows(found: ClassFigures) -> list[tuple[str, str]]:
    low, high = found.score.interval
    rows = [("accuracy", f"{percent(found.score.accuracy)} (95% interval {percent(low)} to {percent(high)})")]
    rows += [(name, _told(name, figure)) for name, figure in found.measures.items() if name != "accuracy"]
    rows.append(("kappa", _told("kappa", found.score.kappa)))
    return [*rows, ("commonest class", percent(found.score.baseline))]


def _number_rows(found: NumberFigures) -> list[tuple[str, str]]:
    low, high = found.score.interval
    rows = [(name, _told(name, figure)) for name, figure in found.measures.items() if name != "R2"]
    rows.append(("R2", f"{_told('R2', found.score.r2)} (95% interval {_told('R2', low)} to {_told('R2', high)})"))
    rows.append(("correlation", _told("correlation", found.score.correlation)))
    return [*rows, ("error relative to the mean", percent(found.score.relative_absolute_error))]


def _told(name: str, figure: float) -> str:
    if math.isnan(figure):
        return "-"
    if name in ABOUT and ABOUT[name].percent:
        return percent(figure)
    return short_number(figure) if "error" in name else f"{figure:.3f}"


def _classes(found: ClassFigures) -> list[Block]:
    names = distinct(found.score.categories, NAME_ROOM)
    counts = [amounts(row) for row in found.score.confusion.tolist()]
    charts = []
    if len(names) <= MOST_CLASSES:
        in_row = found.score.confusion.sum(axis=1, keepdims=True)
        shares = np.divide(found.score.confusion, in_row, out=np.zeros_like(found.score.confusion), where=in_row > 0)
        picture = matrix_chart(
            names,
            names,
            shares,
            title="Confusion matrix",
            x_label="answered",
            y_label="true",
            texts=counts,
            scale=(0, 1),
        )
        charts.append(
            (
                picture,
                "Rows by their true class and the answer; the stronger the color, the greater the share of the class.",
            )
        )
    if found.roc:
        charts.append((_roc(found), _roc_words(found)))
        charts.append(
            (
                _calibration(found),
                "Where the model says 70%, the class should be true in 70% of rows: on the dashed line.",
            )
        )
    matrix = Grid(
        "Confusion matrix: true classes down, answers across",
        ("true class", *names),
        tuple((name, *row) for name, row in zip(names, counts, strict=True)),
        tuple(range(1, len(names) + 1)),
    )
    by_class = Grid(
        "Precision is the share of such answers that are right, recall the share of the class that was found",
        ("class", "rows", "precision", "recall", "F1"),
        tuple(
            (
                printable(one.name),
                amounts([one.weight])[0],
                percent(one.precision),
                percent(one.recall),
                percent(one.f1),
            )
            for one in found.classes
        ),
        (1, 2, 3, 4),
    )
    blocks: list[Block] = [Charts(tuple(charts))] if charts else []
    return [*blocks, Heading("By class"), by_class, Folded("The confusion matrix as a table", (matrix,))]


def _roc(found: ClassFigures) -> str:
    curves = {name: (curve.false_positive_rate, curve.true_positive_rate) for name, curve in found.roc.items()}
    return _of_shares(curves, "ROC curve", "other rows taken for the class", "rows of the class found", marked=False)


def _of_shares(
    curves: Mapping[str, tuple[ArrayLike, ArrayLike]], title: str, x_label: str, y_label: str, *, marked: bool
) -> str:
    """Curves between 0 and 1, with the line at which both are equal; a long one by some hundred of its points."""
    shown = {}
    for name, label in zip(curves, distinct(list(curves), NAME_ROOM), strict=True):
        across, up = (np.asarray(part, np.float64) for part in curves[name])
        kept = np.unique(np.linspace(0, len(across) - 1, MOST_POINTS).round().astype(np.intp))
        shown[label] = (across[kept], up[kept])
    whole = (0.0, 1.0)
    return line_chart(
        shown, title=title, x_label=x_label, y_label=y_label, x_range=whole, y_range=whole, diagonal=True, marked=marked
    )


def _roc_words(found: ClassFigures) -> str:
    told = []
    for name, curve in found.roc.items():
        low, high = curve.interval
        interval = "" if math.isnan(low) else f" ({low:.3f} to {high:.3f})"
        told.append(f"{printable(name, NAME_ROOM)} {curve.auc:.3f}{interval}")
    return f"Area under the curve, with its 95% interval: {'; '.join(told)}. The dashed line is chance."


def _calibration(found: ClassFigures) -> str:
    curves = {
        name: ([one.mean for one in curve.bins], [one.observed for one in curve.bins])
        for name, curve in found.calibration.items()
    }
    said, true = "share that the model gives the class", "share of rows of the class"
    return _of_shares(curves, "Calibration", said, true, marked=True)


def _numbers(report: Report, found: NumberFigures) -> list[Block]:
    left = found.residuals
    truth = left.predicted + left.residual
    name = printable(report.table.schema.target_column.name, NAME_ROOM)
    scatter = scatter_chart(
        left.predicted, truth, title="Truth against answers", x_label="answered", y_label=name, diagonal=True
    )
    spread = histogram_chart(left.residual, title="Residuals", x_label="true less answered")
    names = ("least", *(f"{100 * level:g}%" for level in LEVELS[1:-1]), "greatest")
    quantiles = Grid(
        f"Residuals (true less answered): mean {short_number(left.mean)}, spread {short_number(left.spread)}",
        ("", *names),
        (("residual", *(short_number(value) for value in left.quantiles.tolist())),),
        tuple(range(1, len(names) + 1)),
    )
    return [
        Charts(((scatter, "On the dashed line answers are right."), (spread, "How far off, and to which side."))),
        quantiles,
    ]
