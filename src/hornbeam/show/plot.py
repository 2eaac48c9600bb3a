"""Charts in one house style, on matplotlib: `line`, `scatter`, `bar`, and what textbooks draw of a tree.

matplotlib is an extra (``pip install hornbeam[plot]``) and imported when a chart is drawn. No chart touches pyplot's
global state: each has a figure of its own, unless it is given axes to draw on, and returns its axes.
"""

from __future__ import annotations

import contextlib
from itertools import cycle
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.show.pictures import palette
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    import os
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from numpy.typing import ArrayLike

__all__ = [
    "bar",
    "feature_space",
    "impurities",
    "kept_rows",
    "line",
    "new_axes",
    "pruning_path",
    "ready",
    "save",
    "scatter",
    "size_curves",
    "trade_off",
]

MARKERS = "osD^vPX"
FORMATS: dict[str, dict[str, Any] | None] = {"png": None, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
MANY_BARS = 6  # more bars than these lie, so that their names can be read

STYLE: dict[str, Any] = {
    "axes.axisbelow": True,
    "axes.edgecolor": palette.LINE,
    "axes.grid": True,
    "axes.labelcolor": palette.INK,
    "axes.spines.right": False,
    "axes.spines.top": False,
    "axes.titlelocation": "left",
    "axes.titlesize": 12,
    "axes.titleweight": "bold",
    "figure.dpi": 110,
    "figure.facecolor": "white",
    "font.size": 10,
    "grid.color": palette.FAINT,
    "legend.frameon": False,
    "lines.linewidth": 1.8,
    "savefig.bbox": "tight",
    "text.color": palette.INK,
    "text.parse_math": False,  # a name with dollar signs is a name
    "xtick.color": palette.MUTED,
    "ytick.color": palette.MUTED,
}


def new_axes(*, title: str = "", x_label: str = "", y_label: str = "", size: tuple[float, float] = (6.4, 4.2)) -> Any:  # noqa: ANN401 - matplotlib's Axes, which may not be installed
    """Give empty axes of a figure of their own, in the house style.

    Parameters
    ----------
    title, x_label, y_label : str
        Texts; names that come from data are made harmless.
    size : tuple of float
        Width and height in inches.

    Returns
    -------
    matplotlib.axes.Axes
    """
    matplotlib = _matplotlib()
    with matplotlib.rc_context(STYLE):
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

        axes = Figure(figsize=size, layout="constrained").add_subplot()
        axes.set_title(printable(title), color=palette.INK)
        axes.set_xlabel(printable(x_label))
        axes.set_ylabel(printable(y_label))
    return axes


def line(
    x: ArrayLike,
    y: Mapping[str, ArrayLike] | ArrayLike,
    *,
    axes: Any = None,  # noqa: ANN401 - matplotlib's
    **labels: str,
) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw one line, or several with their names.

    Parameters
    ----------
    x : array-like
        Where the points lie.
    y : mapping of name to array-like, or array-like
        How high they lie.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    **labels
        ``title``, ``x_label``, ``y_label`` of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> axes = line([1, 2, 3], {"training": [3, 2, 1], "test": [3, 2.5, 2.6]}, x_label="size", y_label="error")
    >>> len(axes.lines), axes.get_xlabel()
    (2, 'size')
    """
    with drawing(axes, labels) as (here, _):
        for (name, values), color in zip(_series(y), cycle(palette.CATEGORIES), strict=False):
            here.plot(np.asarray(x), np.asarray(values), color=color, label=printable(name) or None)
        _legend(here)
    return here


def scatter(
    x: ArrayLike,
    y: ArrayLike,
    groups: Sequence[str] | None = None,
    *,
    axes: Any = None,  # noqa: ANN401 - matplotlib's
    **labels: str,
) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw points; those of different groups differ in color and shape.

    Parameters
    ----------
    x, y : array-like
        Where the points lie.
    groups : sequence of str, optional
        The group of every point.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    **labels
        ``title``, ``x_label``, ``y_label`` of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> axes = scatter([1, 2, 3], [3, 2, 1], ["a", "b", "a"])
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['a', 'b']
    """
    across, up = np.asarray(x, float), np.asarray(y, float)
    of_point = np.asarray([""] * len(across) if groups is None else [str(group) for group in groups])
    with drawing(axes, labels) as (here, _):
        names = list(dict.fromkeys(of_point.tolist()))
        for name, color, marker in zip(names, colors(len(names)), cycle(MARKERS), strict=False):
            chosen = of_point == name
            here.scatter(
                across[chosen], up[chosen], s=26, c=color, marker=marker, edgecolors="white", linewidths=0.6,
                label=printable(name) or None, zorder=3,
            )  # fmt: skip
        _legend(here)
    return here


def bar(
    values: Mapping[str, float],
    *,
    errors: Sequence[float] | None = None,
    axes: Any = None,  # noqa: ANN401 - matplotlib's
    **labels: str,
) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw named values as bars; many of them lie, the first on top.

    Parameters
    ----------
    values : mapping of name to float
        Bars in the order given.
    errors : sequence of float, optional
        How far each value may be off, drawn to either side.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    **labels
        ``title``, ``x_label``, ``y_label`` of a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> axes = bar({"petallength": 0.5, "petalwidth": 0.4}, y_label="importance")
    >>> [float(patch.get_height()) for patch in axes.patches]
    [0.5, 0.4]
    """
    names, heights = [printable(name, 30) for name in values], list(values.values())
    places = np.arange(len(names))
    lying = len(names) > MANY_BARS
    if lying and axes is None:
        labels = {**labels, "x_label": labels.get("y_label", ""), "y_label": labels.get("x_label", "")}
    size = (6.4, max(4.2, 0.28 * len(names) + 1.0)) if lying else (6.4, 4.2)
    with drawing(axes, labels, size) as (here, _):
        style = {"color": palette.CATEGORIES[0], "ecolor": palette.MUTED, "error_kw": {"elinewidth": 1.2}}
        if lying:
            here.barh(places, heights, xerr=errors, height=0.7, **style)
            here.set_yticks(places, names)
            here.invert_yaxis()
            here.grid(visible=False, axis="y")
        else:
            here.bar(places, heights, yerr=errors, width=0.65, **style)
            here.set_xticks(places, names)
            here.grid(visible=False, axis="x")
    return here


def impurities(
    measures: Mapping[str, Callable[[Sequence[float]], float]],
    *,
    points: int = 201,
    axes: Any = None,  # noqa: ANN401 - matplotlib's
) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw impurity measures of two classes against the share of the first.

    Parameters
    ----------
    measures : mapping of name to function
        Functions of class weights, such as those in `hornbeam.learn.trees.criteria`.
    points : int
        How many shares from 0 to 1 are looked at; an odd number hits one half.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> axes = impurities({"gini": lambda weights: 2 * weights[0] * weights[1]}, points=3)
    >>> axes.lines[0].get_ydata().tolist()
    [0.0, 0.5, 0.0]
    """
    shares = np.linspace(0.0, 1.0, points)
    curves = {name: [measure([p, 1.0 - p]) for p in shares.tolist()] for name, measure in measures.items()}
    return line(shares, curves, axes=axes, title="How mixed two classes are", x_label="p", y_label="impurity")


def importance(model: Any, *, most: int = 20, axes: Any = None) -> Any:  # noqa: ANN401 - a forest; matplotlib's Axes
    """Draw the importance of columns, greatest first; see `hornbeam.show.charts.importance_chart.importance`."""
    from hornbeam.show.charts.importance_chart import importance as draw  # noqa: PLC0415 - it imports this module

    return draw(model, most=most, axes=axes)


def kept_rows(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - see the function itself
    """Draw the rows that a model keeps over two columns; see `hornbeam.show.charts.kept_rows.kept_rows`."""
    from hornbeam.show.charts.kept_rows import kept_rows as draw  # noqa: PLC0415 - it imports this module

    return draw(*arguments, **options)


def feature_space(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - see the function itself
    """Draw the plane of two columns, cut by a tree; see `hornbeam.show.charts.space.feature_space`."""
    from hornbeam.show.charts.space import feature_space as draw  # noqa: PLC0415 - it imports this module

    return draw(*arguments, **options)


def margin(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - see the function itself
    """Draw the margin of a support vector machine over two columns; see `margin_chart.margin`."""
    from hornbeam.show.charts.margin_chart import margin as draw  # noqa: PLC0415 - only when asked for

    return draw(*arguments, **options)


def pruning_path(path: Any, *, axes: Any = None) -> Any:  # noqa: ANN401 - see the function itself
    """Draw the errors along a pruning path; see `hornbeam.show.charts.pruning_charts.pruning_path`."""
    from hornbeam.show.charts.pruning_charts import pruning_path as draw  # noqa: PLC0415 - it imports this module

    return draw(path, axes=axes)


def size_curves(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - see the function itself
    """Draw figures against the size of the tree; see `hornbeam.show.charts.pruning_charts.size_curves`."""
    from hornbeam.show.charts.pruning_charts import size_curves as draw  # noqa: PLC0415 - it imports this module

    return draw(*arguments, **options)


def trade_off(*arguments: Any, **options: Any) -> Any:  # noqa: ANN401 - see the function itself
    """Draw methods by what they cost and give; see `hornbeam.show.charts.pruning_charts.trade_off`."""
    from hornbeam.show.charts.pruning_charts import trade_off as draw  # noqa: PLC0415 - it imports this module

    return draw(*arguments, **options)


def ready(path: str | os.PathLike[str]) -> str:
    """Check, before long work, that a chart can be drawn and written under this name; give the kind of file.

    Parameters
    ----------
    path : path
        Where a chart is to be written.

    Returns
    -------
    str
        png, svg or pdf.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        msg = f"{path}: a chart is written as {', '.join(f'.{name}' for name in FORMATS)}"
        raise ValueError(msg)
    _matplotlib()
    return ending


def save(axes: Any, path: str | os.PathLike[str]) -> None:  # noqa: ANN401 - matplotlib's Axes
    """Write a chart to a file of the kind that its ending names (.png, .svg, .pdf); whole or not at all.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What a chart function gave.
    path : path
        Where to write.
    """
    from hornbeam.data.replacing import replacing  # noqa: PLC0415 - only to write

    ending = ready(path)
    # Text stays text, and nothing depends on the day: the same chart gives the same file.
    with (
        _matplotlib().rc_context({"svg.fonttype": "none", "svg.hashsalt": "hornbeam", "savefig.bbox": "tight"}),
        replacing(path) as file,
    ):
        axes.figure.savefig(file, format=ending, dpi=150, metadata=FORMATS[ending])


def _matplotlib() -> Any:  # noqa: ANN401 - a module
    try:
        import matplotlib  # noqa: ICN001, PLC0415 - an extra, passed on by its own name
    except ImportError as error:
        msg = "charts need matplotlib, which is not installed: pip install hornbeam[plot]"
        raise ImportError(msg) from error
    return matplotlib


@contextlib.contextmanager
def drawing(
    axes: Any,  # noqa: ANN401 - matplotlib's Axes or None
    labels: Mapping[str, str],
    size: tuple[float, float] = (6.4, 4.2),
) -> Iterator[tuple[Any, Any]]:
    """Give axes to draw on (and matplotlib itself), new ones where none are given, while the house style holds."""
    matplotlib = _matplotlib()
    here = new_axes(size=size, **labels) if axes is None else axes
    with matplotlib.rc_context(STYLE):
        yield here, matplotlib


def _series(y: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 - a mapping or an array
    return list(y.items()) if hasattr(y, "items") else [("", y)]


def colors(count: int) -> list[str]:
    """Colors that can be told apart, gray where there are no more."""
    return [palette.CATEGORIES[place] if place < len(palette.CATEGORIES) else palette.OTHER for place in range(count)]


def _legend(axes: Any) -> None:  # noqa: ANN401 - matplotlib's
    if axes.get_legend_handles_labels()[1]:
        axes.legend()
