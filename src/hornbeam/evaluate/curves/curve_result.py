"""The result of a learning or complexity curve: plain data, as text and as a chart."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam._display import ShowsText
from hornbeam.data.in_words import percent
from hornbeam.evaluate.measures import ABOUT
from hornbeam.evaluate.plain import Plain
from hornbeam.schemes import title_of
from hornbeam.show.texts.columns import aligned
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from hornbeam.evaluate.comparing.comparison import Estimate
    from hornbeam.evaluate.measures import Measure
    from hornbeam.show.plot import Axes

ROWS = "rows"
NOTHING = "-"


@dataclass(frozen=True, slots=True)
class CurvePoint(Plain):
    """One point.

    Parameters
    ----------
    value : int, float or None
        The number of training rows, or the parameter's value.
    training, test : Estimate or None
        Scores on the training rows and on the held-out rows, by fold.
    size : Estimate or None
        The number of leaves of the trees, or of rules; NaN if the model has neither.
    problem : str or None
        Why there are no values.
    """

    value: float | None
    training: Estimate | None
    test: Estimate | None
    size: Estimate | None
    problem: str | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Curve(ShowsText, Plain):
    """The result of `learning_curve` and `complexity_curve`.

    Parameters
    ----------
    table : str
        Its name.
    n_rows : int
        Rows with a target.
    learner : str
        The estimator's class.
    of : str
        What is on the axis: ``"rows"`` or the parameter's name.
    measure : str
        The metric of the scores.
    points : tuple of CurvePoint
        In the order in which they were tried; numbers of rows ascending.
    folds, repeats, seed : int
        Of the cross-validation.
    order : str or None
        The column that gives the time order of folds.
    """

    _json = "table rows=n_rows learner of measure folds repeats seed order points best=best.value"

    table: str
    n_rows: int
    learner: str
    of: str
    measure: Measure
    points: tuple[CurvePoint, ...]
    folds: int
    repeats: int
    seed: int
    order: str | None = None

    @property
    def higher_is_better(self) -> bool:
        """Whether a higher score is a better one."""
        return ABOUT[self.measure].higher_is_better

    @property
    def best(self) -> CurvePoint:
        """The point with the best score on held-out rows; the first in a tie."""
        known = [point for point in self.points if point.test is not None and not math.isnan(point.test.mean)]
        return (max if self.higher_is_better else min)(known, key=lambda point: point.test.mean)  # type: ignore[union-attr]

    def text(self) -> str:
        """The curve as a table, without a trailing newline."""
        short = ABOUT[self.measure].short
        rows = [[printable(self.of), f"training {short}", f"held-out {short}", "95% interval", "leaves or rules"]]
        rows += [[value_text(point.value), *self._cells(point)] for point in self.points]
        if all(row[-1] == NOTHING for row in rows[1:]):
            rows = [row[:-1] for row in rows]
        times = f", {self.repeats} times" if self.repeats > 1 else ""
        assigned = f"{self.folds}-fold cross-validation{times}"
        if self.order is not None:
            assigned = f"{self.folds} folds in the order of {printable(self.order, NAME_LIMIT)}"
        head = f"{printable(self.table, NAME_LIMIT)}: {self.n_rows} rows, {title_of(self.learner)}"
        lines = [f"{head}, {assigned}, every point on the same folds (seed {self.seed})", ""]
        lines += aligned(rows, left=())
        best = self.best
        assert best.test is not None
        lines += [
            "",
            f"best on held-out rows: {self._figure(best.test.mean)} at {printable(self.of)} {value_text(best.value)}",
        ]
        problems = [point for point in self.points if point.problem is not None]
        return "\n".join(lines + [f"{value_text(point.value)}: {printable(str(point.problem))}" for point in problems])

    def chart(self, *, axes: Axes = None) -> Axes:
        """Training and held-out scores with their 95% intervals, drawn by matplotlib."""
        from hornbeam.show.charts.curve_charts import along, bands  # noqa: PLC0415 - only to draw

        scale, percent = (100.0, " (%)") if ABOUT[self.measure].percent else (1.0, "")
        known = [point for point in self.points if point.test is not None]
        curves = {}
        for name, figures in {
            "training": [point.training for point in known],
            "held out": [point.test for point in known],
        }.items():
            means = [scale * figure.mean for figure in figures if figure is not None]
            curves[name] = (
                means,
                [[scale * end for end in figure.interval] for figure in figures if figure is not None],
            )
        places, ticks = along([point.value for point in known])
        marked = None if self.of == ROWS else places[known.index(self.best)]
        kind = "Learning curve" if self.of == ROWS else "Complexity curve"
        return bands(
            places,
            curves,
            ticks=ticks,
            marked=marked,
            mark="best held out",
            factors=self.of == ROWS,
            axes=axes,
            title=f"{kind}: {printable(self.table, NAME_LIMIT)}",
            x_label="training rows" if self.of == ROWS else self.of,
            y_label=f"{self.measure}{percent}",
        )

    def _cells(self, point: CurvePoint) -> list[str]:
        if point.training is None or point.test is None or point.size is None:
            return [NOTHING] * 4
        low, high = point.test.interval
        ends = NOTHING if math.isnan(low) else f"{self._figure(low)} to {self._figure(high)}"
        size = NOTHING if math.isnan(point.size.mean) else f"{point.size.mean:.1f}"
        return [self._figure(point.training.mean), self._figure(point.test.mean), ends, size]

    def _figure(self, value: float) -> str:
        if math.isnan(value):
            return NOTHING
        return percent(value) if ABOUT[self.measure].percent else short_number(value, 4)


def value_text(value: float | None) -> str:
    """Write a parameter's value.

    Examples
    --------
    >>> value_text(0.25), value_text(4), value_text(None)
    ('0.25', '4', 'none')
    """
    return "none" if value is None else short_number(float(value), 4) if isinstance(value, float) else str(value)
