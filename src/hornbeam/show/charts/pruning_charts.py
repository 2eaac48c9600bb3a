"""Charts about the size of models: methods by size and score, and the errors along a pruning path."""

from __future__ import annotations

from itertools import cycle
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.show.pictures import palette
from hornbeam.show.plot import MARKERS, Axes, colors, drawing, line
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

NAME_CHARS = 30
LOG_FROM = 20.0  # a range with a larger ratio is drawn on a logarithmic axis

Interval = tuple[float, float]


def trade_off(
    points: Mapping[str, tuple[float, float]],
    intervals: Mapping[str, tuple[Interval, Interval]] | None = None,
    *,
    axes: Axes = None,
    **labels: str,
) -> Axes:
    """Draw the cost of each method against its benefit, such as leaves against accuracy.

    Parameters
    ----------
    points : mapping of name to (x, y)
        The methods.
    intervals : mapping of name to ((low x, high x), (low y, high y)), optional
        Drawn as thin lines.
    axes, **labels
        As for `hornbeam.show.plot.line`.

    Examples
    --------
    >>> axes = trade_off({"none": (25.9, 94.7), "pessimistic": (6.4, 96.3)}, x_label="leaves", y_label="accuracy")
    >>> [text.get_text() for text in axes.get_legend().get_texts()]
    ['none', 'pessimistic']
    """
    with drawing(axes, labels, (7.4, 4.2)) as (here, _):
        for name, color, marker in zip(points, colors(len(points)), cycle(MARKERS), strict=False):
            x, y = points[name]
            if intervals is not None:
                across, up = intervals[name]
                style = {"color": palette.mix(color, "#ffffff", 0.45), "linewidth": 1.1, "zorder": 2}
                here.plot(across, (y, y), **style)
                here.plot((x, x), up, **style)
            here.scatter([x], [y], s=52, c=color, marker=marker, edgecolors="white", linewidths=0.8,
                         label=printable(name, NAME_CHARS), zorder=3)  # fmt: skip
        sizes = [x for x, _ in points.values() if x > 0]
        if len(sizes) == len(points) and max(sizes) > LOG_FROM * min(sizes):
            log_axis(here)
        here.legend(loc="center left", bbox_to_anchor=(1.0, 0.5))
    return here


def size_curves(
    sizes: Sequence[float],
    curves: Mapping[str, Sequence[float]],
    *,
    chosen: float | None = None,
    axes: Axes = None,
    **labels: str,
) -> Axes:
    """Draw errors or accuracies against the size of the tree.

    Parameters
    ----------
    sizes : sequence of float
        The number of leaves of every tree.
    curves : mapping of name to sequence
        One value per tree; curves without known values are left out.
    chosen : float, optional
        A size to mark.
    axes, **labels
        As for `hornbeam.show.plot.line`.

    Examples
    --------
    >>> axes = size_curves([3, 2, 1], {"training": [0.0, 0.1, 0.5], "test": [0.2, 0.1, 0.5]}, chosen=2)
    >>> len(axes.lines)
    3
    """
    known = {name: values for name, values in curves.items() if not np.isnan(np.asarray(values, float)).all()}
    here = line(sizes, known, axes=axes, **{"x_label": "leaves", **labels})
    with drawing(here, {}):
        for curve in here.lines:
            curve.set(marker="o", markersize=3.5)  # each tree is a point
        if chosen is not None:
            here.axvline(chosen, color=palette.MUTED, linewidth=1.1, linestyle=(0, (4, 3)), label="chosen", zorder=1)
            here.legend()
        known_sizes = np.asarray(sizes, float)
        if known_sizes.min() >= 1 and known_sizes.max() > LOG_FROM * known_sizes.min():
            log_axis(here)
    return here


def log_axis(axes: Axes) -> None:
    """Use a logarithmic horizontal axis, with numbers at 1, 2, 5, 10 and so on."""
    from matplotlib.ticker import LogLocator, NullLocator  # noqa: PLC0415 - an extra

    axes.set_xscale("log")
    axes.xaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
    axes.xaxis.set_minor_locator(NullLocator())
    axes.xaxis.set_major_formatter("{x:g}")


def pruning_path(path: Any, *, axes: Axes = None) -> Axes:  # noqa: ANN401 - a PruningPath, matplotlib's Axes
    """Draw the errors of the trees along a pruning path against their leaves, and mark the chosen tree.

    Parameters
    ----------
    path : PruningPath
        What a method of `hornbeam.prune` returned.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    """
    name = printable(str(path.method), NAME_CHARS)
    curves = {"training": path.train_error, "held out": path.held_out_error}
    chosen = float(path.n_leaves[path.chosen])
    here = size_curves(path.n_leaves, curves, chosen=chosen, axes=axes, title=f"Pruning: {name}", y_label="error")
    handles = here.get_legend_handles_labels()[0]
    if not np.isnan(path.estimate).all() and not np.allclose(path.estimate, path.held_out_error, equal_nan=True):
        with drawing(here, {}):
            beside = here.twinx()  # an estimate has its own unit
            beside.plot(path.n_leaves, path.estimate, color=palette.OTHER, label="estimate", zorder=1)
            beside.set_ylabel("estimate, in the method's own unit")
            beside.grid(visible=False)
            handles += beside.get_legend_handles_labels()[0]
    here.get_legend().remove()  # moved below, where it hides no curve
    with drawing(here, {}):
        here.legend(handles=handles, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=len(handles))
    return here
