"""The confusion matrix, as text and as a picture."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from hornbeam._display import ShowsText
from hornbeam.data.in_words import letter, percent, shortened
from hornbeam.evaluate.class_figures import NAME_LIMIT, ROOM, class_report, shown_classes
from hornbeam.evaluate.curves.ranked_rows import row_weights, sums
from hornbeam.evaluate.plain import Plain
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import width

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike, NDArray

    from hornbeam.show.plot import Axes

LEAST_HEAD = 5  # minimum length of a shortened name


@dataclass(frozen=True, eq=False, repr=False)
class Confusion(ShowsText, Plain):
    """Result of `confusion`.

    Parameters
    ----------
    categories : tuple of str
        The classes, in the order of rows and columns.
    confusion : array of float64, (classes, classes)
        Weight by true class (row) and predicted class (column).
    not_predicted : array of float64
        Weight by true class of rows without a prediction.
    """

    _json = "classes=categories confusion not_predicted accuracy recall precision f1"

    categories: tuple[str, ...]
    confusion: NDArray[np.float64]
    not_predicted: NDArray[np.float64]

    @property
    def accuracy(self) -> float:
        """The fraction of all weight that is on the diagonal."""
        total = float(self.confusion.sum() + self.not_predicted.sum())
        return float(np.trace(self.confusion)) / total if total > 0 else math.nan

    @property
    def recall(self) -> NDArray[np.float64]:
        """For each class, the fraction of its rows that is predicted correctly; NaN if it does not occur."""
        return _ratio(np.diag(self.confusion), self.confusion.sum(axis=1) + self.not_predicted)

    @property
    def precision(self) -> NDArray[np.float64]:
        """For each class, the fraction of its predictions that is correct; NaN if it is never predicted."""
        return _ratio(np.diag(self.confusion), self.confusion.sum(axis=0))

    @property
    def f1(self) -> NDArray[np.float64]:
        """The harmonic mean of precision and recall; NaN if the class neither occurs nor is predicted."""
        there = self.confusion.sum(axis=1) + self.not_predicted + self.confusion.sum(axis=0)
        return _ratio(2 * np.diag(self.confusion), there)

    def text(self, room: int = ROOM) -> str:
        """The matrix and values by class, without a trailing newline."""
        support = self.confusion.sum(axis=1) + self.not_predicted
        report = class_report(self.categories, self.confusion, support)
        lines = [*confusion_lines(self.categories, self.confusion, room), "", *report.lines(room)]
        if self.not_predicted.any():
            lines += ["", f"without a prediction: {self.not_predicted.sum():g}"]
        return "\n".join(lines)

    def chart(self, *, axes: Axes = None) -> Axes:
        """The matrix as cells; darker cells have a larger fraction of the true class."""
        from hornbeam.show.charts.curve_charts import matrix  # noqa: PLC0415 - only to draw

        totals = self.confusion.sum(axis=1) + self.not_predicted
        shares = np.nan_to_num(_ratio(self.confusion, totals[:, None]))
        return matrix(
            self.categories,
            shares,
            figures(self.confusion),
            axes=axes,
            title=f"Confusion: {percent(self.accuracy)} right",
            x_label="predicted",
            y_label="true",
        )


def confusion(
    truth: ArrayLike, predicted: ArrayLike, categories: Sequence[str], weights: ArrayLike | None = None
) -> Confusion:
    """Compute the confusion matrix.

    Parameters
    ----------
    truth, predicted : array of int
        Codes into the categories; rows without a class (-1) are left out, those without a prediction are counted
        separately.
    categories : sequence of str
        Names of the classes.
    weights : array, optional
        Row weights.

    Returns
    -------
    Confusion

    Examples
    --------
    >>> found = confusion([0, 0, 1, 1], [0, 1, 1, 1], ["no", "yes"])
    >>> found.confusion.tolist(), found.recall.tolist(), found.accuracy
    ([[1.0, 1.0], [0.0, 2.0]], [0.5, 1.0], 0.75)
    """
    true, said = np.asarray(truth), np.asarray(predicted)
    if true.ndim != 1 or said.shape != true.shape:
        raise ValueError(f"truth has shape {true.shape} and predicted {said.shape}; expected one code per row of both")
    classes = len(categories)
    for name, codes in (("truth", true), ("predicted", said)):
        if len(codes) and codes.max() >= classes:
            msg = f"{name} has the code {codes.max()}; expected codes below {classes}, the number of categories"
            raise ValueError(msg)
    counted = row_weights(weights, len(true))
    known = true >= 0
    predicted_rows = known & (said >= 0)
    counts = np.zeros((classes, classes))
    np.add.at(counts, (true[predicted_rows], said[predicted_rows]), counted[predicted_rows])
    silent = known & (said < 0)
    return Confusion(tuple(categories), counts, sums(true[silent], counted[silent], classes))


def figures(counts: NDArray[np.float64]) -> list[list[str]]:
    """Write counts, without decimals if all of them are whole."""
    whole = bool((counts == counts.round()).all())
    return [[f"{value:.0f}" if whole else f"{value:.2f}" for value in row] for row in counts.tolist()]


def confusion_lines(categories: Sequence[str], counts: NDArray[np.float64], room: int) -> list[str]:
    """Write a confusion matrix: a line for each true class, a column for each predicted one.

    If there are many classes, the ten with most rows are shown, and the others are combined. If the names do not fit
    above the columns of a terminal of width `room`, they are shortened; if they would then be equal, they are replaced
    by letters.
    """
    chosen = shown_classes(counts.sum(axis=1).tolist())
    classes = [categories[place] for place in chosen]
    if len(chosen) < len(categories):
        rest = np.setdiff1d(np.arange(len(categories)), chosen)
        counts = _lumped(_lumped(counts, chosen, rest).T, chosen, rest).T
        classes.append(f"{len(rest)} others")
    names = shortened(classes, NAME_LIMIT)
    cells = figures(counts)

    def lines(names: Sequence[str], heads: Sequence[str]) -> list[str]:
        rows = [["actual", *heads], *([name, *row] for name, row in zip(names, cells, strict=True))]
        return [" " * (max(width(row[0]) for row in rows) + 2) + "predicted", *aligned(rows)]

    for limit in range(NAME_LIMIT, LEAST_HEAD - 1, -1):
        heads = shortened(classes, limit)
        matrix = lines(names, heads)
        if max(map(width, matrix[1:])) <= room and len(set(heads)) == len(names):
            return matrix
    letters = [letter(place) for place in range(len(names))]
    return lines([f"{name}  {head}" for name, head in zip(names, letters, strict=True)], letters)


def _lumped(counts: NDArray[np.float64], chosen: Sequence[int], rest: NDArray[np.int64]) -> NDArray[np.float64]:
    """The rows `chosen`, and the sum of the `rest`."""
    return np.vstack([counts[chosen], counts[rest].sum(axis=0)])


def _ratio(above: NDArray[np.float64], below: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.where(below > 0, above / np.where(below > 0, below, 1.0), math.nan)
