"""Charts with matplotlib, in one style: `line`, `scatter`, `bar`, and the charts of trees found in textbooks.

matplotlib is an extra (``pip install hornbeam[plot]``) and is imported when a chart is drawn. No chart touches pyplot's
global state: each makes its own figure, unless it is given axes to draw on, and returns its axes. Larger charts are in
`hornbeam.show.charts` and can be imported from here.
"""

from __future__ import annotations

import contextlib
from importlib import import_module
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

    from hornbeam.show.charts.kept_rows import kept_rows
    from hornbeam.show.charts.margin_chart import margin
    from hornbeam.show.charts.pruning_charts import pruning_path, size_curves, trade_off
    from hornbeam.show.charts.space import feature_space

__all__ = [
    "bar",
    "feature_space",
    "importance",
    "impurities",
    "kept_rows",
    "line",
    "margin",
    "new_axes",
    "pruning_path",
    "ready",
    "save",
    "scatter",
    "size_curves",
    "trade_off",
]

_HOMES = {  # modules of functions that use this module
    "feature_space": "space",
    "kept_rows": "kept_rows",
    "margin": "margin_chart",
    "pruning_path": "pruning_charts",
    "size_curves": "pruning_charts",
    "trade_off": "pruning_charts",
}
Axes = Any  # matplotlib's; every chart returns the ones it drew on
MARKERS = "osD^vPX"
FORMATS: dict[str, dict[str, Any] | None] = {"png": None, "svg": {"Date": None}, "pdf": {"CreationDate": None}}
MANY_BARS = 6  # more bars are horizontal, so that their names can be read

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
    "text.parse_math": False,  # dollar signs in names are plain text
    "xtick.color": palette.MUTED,
    "ytick.color": palette.MUTED,
}


def __getattr__(name: str) -> Any:  # noqa: ANN401 - a function
    if name not in _HOMES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f"hornbeam.show.charts.{_HOMES[name]}"), name)


def new_axes(*, title: str = "", x_label: str = "", y_label: str = "", size: tuple[float, float] = (6.4, 4.2)) -> Axes:
    """Make empty axes in a new figure, in the style of all charts.

    Parameters
    ----------
    title, x_label, y_label : str
        Texts; unprintable characters in names from data are escaped.
    size : tuple of float
        Width and height in inches.
    """
    matplotlib = _matplotlib()
    with matplotlib.rc_context(STYLE):
        from matplotlib.figure import Figure  # noqa: PLC0415 - an extra

        axes = Figure(figsize=size, layout="constrained").add_subplot()
        axes.set_title(printable(title), color=palette.INK)
        axes.set_xlabel(printable(x_label))
        axes.set_ylabel(printable(y_label))
    return axes


def line(x: ArrayLike, y: Mapping[str, ArrayLike] | ArrayLike, *, axes: Axes = None, **labels: str) -> Axes:
    """Draw one line, or several with their names.

    Parameters
    ----------
    x : array-like
        Horizontal positions of the points.
    y : mapping of name to array-like, or array-like
        Their heights.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    **labels
        ``title``, ``x_label``, ``y_label`` of a new figure.

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
    x: ArrayLike, y: ArrayLike, groups: Sequence[str] | None = None, *, axes: Axes = None, **labels: str
) -> Axes:
    """Draw points; those of different groups differ in color and shape.

    Parameters
    ----------
    x, y : array-like
        Positions of the points.
    groups : sequence of str, optional
        The group of every point.
    axes, **labels
        As for `line`.

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
    values: Mapping[str, float], *, errors: Sequence[float] | None = None, axes: Axes = None, **labels: str
) -> Axes:
    """Draw named values as bars; many bars are horizontal, the first on top.

    Parameters
    ----------
    values : mapping of name to float
        Bars in the order given.
    errors : sequence of float, optional
        The error of each value, drawn to either side.
    axes, **labels
        As for `line`.

    Examples
    --------
    >>> axes = bar({"petallength": 0.5, "petalwidth": 0.4}, y_label="importance")
    >>> [float(patch.get_height()) for patch in axes.patches]
    [0.5, 0.4]
    """
    names, heights = [printable(name, 30) for name in values], list(values.values())
    positions = np.arange(len(names))
    horizontal = len(names) > MANY_BARS
    if horizontal and axes is None:
        labels = {**labels, "x_label": labels.get("y_label", ""), "y_label": labels.get("x_label", "")}
    size = (6.4, max(4.2, 0.28 * len(names) + 1.0)) if horizontal else (6.4, 4.2)
    with drawing(axes, labels, size) as (here, _):
        style = {"color": palette.CATEGORIES[0], "ecolor": palette.MUTED, "error_kw": {"elinewidth": 1.2}}
        if horizontal:
            here.barh(positions, heights, xerr=errors, height=0.7, **style)
            here.set_yticks(positions, names)
            here.invert_yaxis()
            here.grid(visible=False, axis="y")
        else:
            here.bar(positions, heights, yerr=errors, width=0.65, **style)
            here.set_xticks(positions, names)
            here.grid(visible=False, axis="x")
    return here


def impurities(
    measures: Mapping[str, Callable[[Sequence[float]], float]], *, points: int = 201, axes: Axes = None
) -> Axes:
    """Draw impurity measures of two classes against the proportion of the first.

    Parameters
    ----------
    measures : mapping of name to function
        Functions of class weights, such as those in `hornbeam.learn.trees.criteria`.
    points : int
        How many proportions from 0 to 1 to compute; an odd number includes one half.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Examples
    --------
    >>> axes = impurities({"gini": lambda weights: 2 * weights[0] * weights[1]}, points=3)
    >>> axes.lines[0].get_ydata().tolist()
    [0.0, 0.5, 0.0]
    """
    proportions = np.linspace(0.0, 1.0, points)
    curves = {name: [measure([p, 1.0 - p]) for p in proportions.tolist()] for name, measure in measures.items()}
    return line(proportions, curves, axes=axes, title="Impurity of two classes", x_label="p", y_label="impurity")


def importance(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    most: int = 20,
    axes: Axes = None,
) -> Axes:
    """Draw the importance of columns as bars, greatest first.

    Parameters
    ----------
    model : Forest, fitted estimator of one, or mapping of name to float
        For a forest, the fraction of the gain of all splits that is due to each column. Importance computed in another
        way, such as by permutation, is given as a mapping.
    most : int
        The largest number of columns to draw.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Examples
    --------
    >>> axes = importance({"petallength": 0.5, "petalwidth": 0.4, "sepalwidth": 0.0}, most=2)
    >>> [label.get_text() for label in axes.get_xticklabels()]
    ['petallength', 'petalwidth']
    """
    from hornbeam.show.pictures.importance_svg import of_columns  # noqa: PLC0415 - only when it is needed

    lead, values = of_columns(model)
    first = dict(sorted(values.items(), key=lambda item: -item[1])[:most])
    label = "" if hasattr(model, "items") else "fraction of the gain"
    return bar(first, axes=axes, title=f"{lead}importance of columns", y_label=label)


def ready(path: str | os.PathLike[str]) -> str:
    """Check, before a long computation, that a chart can be written to this file; return its format.

    Parameters
    ----------
    path : path
        Where to write a chart.

    Returns
    -------
    str
        png, svg or pdf.
    """
    ending = Path(path).suffix.lower().removeprefix(".")
    if ending not in FORMATS:
        raise ValueError(f"{path}: a chart is written as {', '.join(f'.{name}' for name in FORMATS)}")
    _matplotlib()
    return ending


def save(axes: Axes, path: str | os.PathLike[str]) -> None:
    """Write a chart to a file in the format of its ending (.png, .svg, .pdf); complete or not at all.

    Parameters
    ----------
    axes : matplotlib.axes.Axes
        What a chart function returned.
    path : path
        Where to write.
    """
    from hornbeam.data.replacing import replacing  # noqa: PLC0415 - only to write

    ending = ready(path)
    # Text stays text, and nothing depends on the date: the same chart gives the same file.
    with (
        _matplotlib().rc_context({"svg.fonttype": "none", "svg.hashsalt": "hornbeam", "savefig.bbox": "tight"}),
        replacing(path) as file,
    ):
        axes.figure.savefig(file, format=ending, dpi=150, metadata=FORMATS[ending])


def _matplotlib() -> Any:  # noqa: ANN401 - a module
    try:
        import matplotlib  # noqa: ICN001, PLC0415 - an extra
    except ImportError as error:
        raise ImportError("charts need matplotlib, which is not installed: pip install hornbeam[plot]") from error
    return matplotlib


@contextlib.contextmanager
def drawing(axes: Axes, labels: Mapping[str, str], size: tuple[float, float] = (6.4, 4.2)) -> Iterator[tuple[Any, Any]]:
    """Yield axes to draw on (new ones if None) and matplotlib itself, while the style of all charts is set."""
    matplotlib = _matplotlib()
    here = new_axes(size=size, **labels) if axes is None else axes
    with matplotlib.rc_context(STYLE):
        yield here, matplotlib


def _series(y: Any) -> list[tuple[str, Any]]:  # noqa: ANN401 - a mapping or an array
    return list(y.items()) if hasattr(y, "items") else [("", y)]


def colors(count: int) -> list[str]:
    """Distinct colors; gray after the last one."""
    return [palette.CATEGORIES[i] if i < len(palette.CATEGORIES) else palette.OTHER for i in range(count)]


def _legend(axes: Axes) -> None:
    if axes.get_legend_handles_labels()[1]:
        axes.legend()


def __dir__() -> list[str]:
    """List only the public names."""
    return sorted(__all__)
