"""Charts of the quality of models: curves on the unit square, lines with bands, stacked areas, matrices, residuals."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.show.charts.pruning_charts import LOG_FROM, log_axis
from hornbeam.show.pictures import palette
from hornbeam.show.plot import MARKERS, Axes, colors, drawing
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import Floats

NAME_CHARS = 24
GUIDES = ((0, (4, 3)), (0, (1, 2)))  # dashes
MANY_CLASSES = 12  # with more, the cells of a matrix have no text
DARK_CELL = 0.55  # darker cells have white letters
LEAST_DOT, MOST_DOT = 18.0, 90.0
MANY_POINTS = 2_000  # of residuals: more are drawn fainter

Points = tuple[Any, Any]


def curves_on_one(
    curves: Mapping[str, Points],
    notes: Mapping[str, str],
    *,
    guides: Mapping[str, Points],
    intervals: Mapping[str, Any] | None = None,
    steps: bool = False,
    dots: Mapping[str, Any] | None = None,
    axes: Axes = None,
    **labels: str,
) -> Axes:
    """Draw curves on the unit square, one per class.

    Parameters
    ----------
    curves : mapping of name to (x, y)
        The name of a single curve may be empty.
    notes : mapping of name to str
        The text of each in the legend.
    guides : mapping of name to (x, y)
        Reference lines, gray and dashed.
    intervals : mapping of name to array (points, 2), optional
        Drawn as vertical bars.
    steps : bool
        Whether a curve is a step function.
    dots : mapping of name to array, optional
        Weights of the points; heavier points have larger marks.
    axes, **labels
        As for `hornbeam.show.plot.line`.

    Examples
    --------
    >>> axes = curves_on_one({"": ([0, 1], [0, 1])}, {"": "AUC 0.5"}, guides={}, title="ROC")
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['AUC 0.5']
    """
    with drawing(axes, labels, (5.6, 4.8)) as (here, _):
        for (name, (x, y)), dash in zip(guides.items(), cycle(GUIDES), strict=False):
            here.plot(x, y, color=palette.MUTED, linewidth=1.1, linestyle=dash, label=printable(name), zorder=1)
        for (name, (x, y)), color, marker in zip(curves.items(), colors(len(curves)), cycle(MARKERS), strict=False):
            label = ": ".join(word for word in (printable(name, NAME_CHARS), notes.get(name, "")) if word)
            here.plot(x, y, drawstyle="steps-pre" if steps else "default", color=color, label=label, zorder=3)
            if dots is not None:
                sizes = LEAST_DOT + (MOST_DOT - LEAST_DOT) * np.asarray(dots[name], float) / np.max(dots[name])
                here.scatter(x, y, s=sizes, c=color, marker=marker, edgecolors="white", linewidths=0.6, zorder=4)
            if intervals and name in intervals:
                low, high = np.asarray(intervals[name], float).T
                here.vlines(x, low, high, color=palette.mix(color, "#ffffff", 0.45), linewidth=1.1, zorder=2)
        here.set_xlim(-0.02, 1.02)
        here.set_ylim(-0.02, 1.02)
        here.legend()
    return here


def bands(
    x: ArrayLike,
    curves: Mapping[str, tuple[ArrayLike, ArrayLike | None]],
    *,
    marked: float | None = None,
    mark: str = "",
    factors: bool = False,
    ticks: Sequence[str] | None = None,
    axes: Axes = None,
    **labels: str,
) -> Axes:
    """Draw lines with their intervals as bands.

    Parameters
    ----------
    x : array-like
        Horizontal positions of the points.
    curves : mapping of name to (y, intervals)
        Their heights, and an array (points, 2) or None.
    marked, mark : float and str, optional
        A position to mark by a line, and its name.
    factors : bool
        Use a logarithmic axis; it is also used if `x` has a large range.
    ticks : sequence of str, optional
        The text below each point, if it is not its position; see `along`.
    axes, **labels
        As for `hornbeam.show.plot.line`.

    Examples
    --------
    >>> axes = bands([1, 2], {"training": ([0.9, 1.0], None), "test": ([0.7, 0.8], [[0.6, 0.8], [0.7, 0.9]])})
    >>> len(axes.lines), len(axes.collections)
    (2, 1)
    """
    positions = np.asarray(x, float)
    with drawing(axes, labels) as (here, _):
        for (name, (y, interval)), color, marker in zip(
            curves.items(), colors(len(curves)), cycle(MARKERS), strict=False
        ):
            here.plot(positions, y, color=color, marker=marker, markersize=4.5, label=printable(name), zorder=3)
            if interval is not None:
                low, high = np.asarray(interval, float).T
                here.fill_between(positions, low, high, color=color, alpha=0.15, linewidth=0, zorder=2)
        _mark(here, marked, mark)
        _scale(here, positions, ticks, factors=factors)
        here.legend()
    return here


def stacked(
    x: ArrayLike,
    parts: Mapping[str, ArrayLike],
    lines: Mapping[str, ArrayLike],
    *,
    marked: float | None = None,
    mark: str = "",
    factors: bool = False,
    ticks: Sequence[str] | None = None,
    axes: Axes = None,
    **labels: str,
) -> Axes:
    """Draw parts of a sum as stacked areas, and lines over them; the part called noise is gray.

    Parameters
    ----------
    x : array-like
        Horizontal positions of the points.
    parts : mapping of name to array-like
        Heights, the lowest area first; numbers below zero count as zero.
    lines : mapping of name to array-like
        Lines, such as the total.
    marked, mark, factors, ticks, axes, **labels
        As for `bands`.

    Examples
    --------
    >>> axes = stacked([1, 2], {"bias²": [2, 1], "variance": [0, 2]}, {"error": [2, 3]})
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['error', 'variance', 'bias²']
    """
    positions = np.asarray(x, float)
    with drawing(axes, labels, (7.8, 4.2)) as (here, _):
        heights = [np.maximum(np.asarray(values, float), 0.0) for values in parts.values()]
        free = iter(colors(len(parts)))
        # Noise is gray, so the others have the same colors with and without it.
        shown = [palette.LINE if name == "noise" else next(free) for name in parts]
        here.stackplot(positions, heights, labels=[printable(name) for name in parts], colors=shown, alpha=0.75)
        for (name, values), marker in zip(lines.items(), cycle(MARKERS), strict=False):
            here.plot(
                positions, values, color=palette.INK, marker=marker, markersize=4.5, label=printable(name), zorder=4
            )
        _mark(here, marked, mark)
        _scale(here, positions, ticks, factors=factors)
        handles, names = here.get_legend_handles_labels()
        # In the order of the areas, from the top, beside the chart.
        here.legend(handles[::-1], names[::-1], loc="center left", bbox_to_anchor=(1.0, 0.5))
        here.margins(x=0.02)
        here.set_ylim(bottom=0)
    return here


def matrix(
    names: Sequence[str], values: Floats, texts: Sequence[Sequence[str]], *, axes: Axes = None, **labels: str
) -> Axes:
    """Draw a matrix of cells, darker for greater values, with texts in them unless there are many.

    Parameters
    ----------
    names : sequence of str
        The names of the rows and of the columns.
    values : array, from 0 to 1
        How dark the cells are.
    texts : sequence of sequence of str
        The texts in the cells.
    axes, **labels
        As for `hornbeam.show.plot.line`.

    Examples
    --------
    >>> axes = matrix(["no", "yes"], np.array([[1.0, 0.0], [0.5, 0.5]]), [["3", "0"], ["2", "2"]])
    >>> [text.get_text() for text in axes.texts]
    ['3', '0', '2', '2']
    """
    count = len(names)
    side = min(3.2 + 0.45 * count, 12.0)
    with drawing(axes, labels, (side + 1.2, side)) as (here, matplotlib):
        scale = matplotlib.colors.LinearSegmentedColormap.from_list("matrix", ["#ffffff", palette.LOW, palette.HIGH])
        here.imshow(values, cmap=scale, vmin=0.0, vmax=1.0, aspect="auto")
        shown = [printable(str(name), NAME_CHARS) for name in names]
        here.set_xticks(range(count), shown, rotation=0 if sum(map(len, shown)) < 5 * side else 90)
        here.set_yticks(range(count), shown)
        here.grid(visible=False)
        if count <= MANY_CLASSES:
            for row, line in enumerate(texts):
                for column, text in enumerate(line):
                    letters = "white" if values[row, column] > DARK_CELL else palette.INK
                    here.text(column, row, text, ha="center", va="center", color=letters)
    return here


def residual_panels(
    predicted: Floats,
    residual: Floats,
    means: Sequence[tuple[float, float, float]],
    normal: Points,
    *,
    axes: Axes = None,
) -> Axes:
    """Draw residuals against predictions and, in a new figure, also against a normal distribution.

    Parameters
    ----------
    predicted, residual : array
        One per row.
    means : sequence of (low, high, mean)
        Mean residual of rows with predictions from low to high.
    normal : (expected, observed)
        Quantiles of a normal distribution, and of the residuals, both ascending.
    axes : matplotlib.axes.Axes, optional
        Where to draw the first; by default a new figure with both.

    Returns
    -------
    matplotlib.axes.Axes
        The first.

    Examples
    --------
    >>> values = np.array([-1.0, 0.0, 1.0])
    >>> axes = residual_panels(values, values, [(-1.0, 1.0, 0.0)], (values, values))
    >>> len(axes.figure.axes)
    2
    """
    alone = axes is None
    labels = {"title": "Residuals", "x_label": "predicted", "y_label": "true minus predicted"}
    size = (9.2, 4.2) if alone else (6.4, 4.2)
    faint = 0.75 if len(residual) <= MANY_POINTS else 0.25
    dots: dict[str, Any] = {"s": 16, "c": palette.CATEGORIES[0], "alpha": faint, "linewidths": 0, "rasterized": True}
    zero: dict[str, Any] = {"color": palette.MUTED, "linewidth": 1.1, "linestyle": GUIDES[0], "zorder": 1}
    with drawing(axes, labels, size) as (here, _):
        here.axhline(0.0, **zero)
        here.scatter(predicted, residual, zorder=2, **dots)
        for i, (low, high, mean) in enumerate(means):
            name = "mean of a tenth of the rows" if i == 0 else None
            ends = (low, high) if high > low else (low, np.nextafter(low, np.inf))
            here.plot(ends, (mean, mean), color=palette.CATEGORIES[5], linewidth=2.4, label=name, zorder=3)
        if means:
            here.legend()
        if alone:
            here.set_subplotspec(here.figure.add_gridspec(1, 2)[0])
            beside = here.figure.add_subplot(1, 2, 2)
            expected, observed = normal
            ends = (float(min(expected[0], observed[0])), float(max(expected[-1], observed[-1])))
            beside.plot(ends, ends, **zero)
            beside.scatter(expected, observed, zorder=2, **dots)
            beside.set_title("Against a normal distribution", color=palette.INK)
            beside.set_xlabel("expected for a normal distribution")
            beside.set_ylabel("true minus predicted, sorted")
    return here


def _mark(axes: Axes, position: float | None, name: str) -> None:
    if position is not None:
        axes.axvline(position, color=palette.MUTED, linewidth=1.1, linestyle=GUIDES[0], label=printable(name), zorder=1)


def _scale(axes: Axes, positions: Floats, ticks: Sequence[str] | None, *, factors: bool) -> None:
    if ticks is not None:
        axes.set_xticks(positions, ticks)
        return
    if positions.min() > 0 and (factors or positions.max() > LOG_FROM * positions.min()):
        log_axis(axes)


def along(values: Sequence[float | None]) -> tuple[list[float], list[str] | None]:
    """Return positions on an axis for values, and the texts below them if any value is None.

    Examples
    --------
    >>> along([1, 2, 4]), along([2, None])
    (([1.0, 2.0, 4.0], None), ([0.0, 1.0], ['2', 'none']))
    """
    if None not in values:
        return [float(value) for value in values if value is not None], None
    return list(map(float, range(len(values)))), ["none" if value is None else f"{value:g}" for value in values]
