"""The feature space of two columns, cut by a tree into rectangles, with the rows in it: as textbooks draw it.

The rectangles are computed from the tree's cuts, exactly. If the tree splits on other columns too, their values must be
given, and the plane through these values is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.trees.node import code_branches
from hornbeam.model.trees.split import CUTS
from hornbeam.model.trees.tree import Tree
from hornbeam.show.charts.plane import MARGIN, points_of, set_limits
from hornbeam.show.pictures import palette
from hornbeam.show.plot import MARKERS, Axes, drawing
from hornbeam.show.texts.trees.indented import prediction_text
from hornbeam.show.texts.wording import NAME_LIMIT, asked, printable, short_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.table import Table

LABEL_SHARE = 0.08  # a rectangle smaller than this fraction of the plane gets no label
FULL = -math.inf, math.inf

Range = tuple[float, float]


@dataclass(frozen=True)
class Rectangle:
    """The part of the plane that reaches one node: its horizontal and vertical range, which may be infinite.

    A category has width 1 and is centered on its code.
    """

    node: int
    x: Range
    y: Range


def rectangles(tree: Tree, columns: Sequence[str | int], given: Mapping[str, Any] | None = None) -> list[Rectangle]:
    """Divide the plane of two columns as a tree does.

    Parameters
    ----------
    tree : Tree
        The tree.
    columns : two of str or int
        Names or positions of the columns.
    given : mapping of name to value, optional
        Values of other columns that the tree splits on: a number, or a category's name.

    Returns
    -------
    list of Rectangle
        They do not overlap; together they cover the part of the plane that rows with both values can reach.
    """
    first, second = (tree.schema.position(column) for column in columns)
    fixed = {tree.schema.position(name): value for name, value in (given or {}).items()}
    found: list[Rectangle] = []
    waiting = [Rectangle(0, _all_of(tree, first), _all_of(tree, second))]
    while waiting:
        area = waiting.pop()
        if tree.n_children[area.node] == 0:
            found.append(area)
            continue
        split = int(tree.split[area.node])
        if tree.splits.terms_of(split) is not None:
            words = asked(tree.splits, split, tree.schema.columns)
            raise ValueError(f"node {area.node} cuts the sum {words}: the plane is not cut into rectangles")
        column = int(tree.splits.column[split])
        child = int(tree.first_child[area.node])
        parts: list[Rectangle] = []
        if column in (first, second):
            for start, end, place in _parts(tree, area.node):
                x, y = (
                    (_meet(area.x, (start, end)), area.y) if column == first else (area.x, _meet(area.y, (start, end)))
                )
                if x[0] < x[1] and y[0] < y[1]:
                    parts.append(Rectangle(child + place, x, y))
        else:
            parts.append(Rectangle(child + _fixed_branch(tree, area.node, column, fixed), area.x, area.y))
        waiting += reversed(parts)
    return found


@takes_rows()
def feature_space(
    model: Any,  # noqa: ANN401 - a Tree or a fitted estimator
    table: Table | None = None,
    columns: Sequence[str | int] = (),
    *,
    given: Mapping[str, Any] | None = None,
    axes: Axes = None,
) -> Axes:
    """Draw the plane of two columns, cut by a tree into its rectangles, and the rows in it.

    Parameters
    ----------
    model : Tree or fitted estimator
        The tree; for an estimator, its `model_`.
    table : Table, optional
        Rows to draw; those without one of the two values are left out.
    columns : two of str or int
        The columns on the horizontal and the vertical axis; by default the two that the tree splits on.
    given : mapping of name to value, optional
        Values of the other columns that the tree splits on.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    """
    tree = getattr(model, "model_", model)
    if not isinstance(tree, Tree):
        msg = f"cannot draw the feature space of a {type(tree).__name__}; expected a Tree or a fitted estimator"
        raise TypeError(msg)
    places = _two_columns(tree, columns)
    areas = rectangles(tree, places, given)
    names = [printable(tree.schema.columns[place].name, NAME_LIMIT) for place in places]
    rows = None if table is None else [table.column(tree.schema.columns[place].name) for place in places]
    limits = [_limits(tree, place, areas, side, rows) for side, place in enumerate(places)]
    title = printable(tree.schema.target_column.name, NAME_LIMIT)
    with drawing(axes, {"title": title, "x_label": names[0], "y_label": names[1]}, (6.8, 5.0)) as (here, matplotlib):
        here.grid(visible=False)
        paint = _Paint(tree, matplotlib)
        for area in areas:
            _draw_area(here, tree, area, limits, paint)
        if table is not None and rows is not None:
            _draw_rows(here, tree, table, *points_of(rows), paint)
        set_limits(here, limits, [tree.schema.columns[place] for place in places])
        paint.explain(here)
    return here


def _two_columns(tree: Tree, columns: Sequence[str | int]) -> list[int]:
    if len(columns) == 2:  # noqa: PLR2004 - a plane
        return [tree.schema.position(column) for column in columns]
    if len(columns):
        raise ValueError(f"{len(columns)} columns were named; expected two, for the horizontal and the vertical axis")
    used = list(dict.fromkeys(int(column) for column in tree.splits.column[tree.split[tree.split >= 0]]))
    if len(used) != 2:  # noqa: PLR2004 - a plane
        names = ", ".join(repr(tree.schema.columns[place].name) for place in used) or "none"
        msg = f"the tree splits on {len(used)} columns ({names}); name the two to draw: columns=(horizontal, vertical)"
        raise ValueError(msg)
    return used


def _all_of(tree: Tree, place: int) -> Range:
    column = tree.schema.columns[place]
    return (-0.5, len(column.categories) - 0.5) if isinstance(column, Nominal) else FULL


def _meet(one: Range, other: Range) -> Range:
    return max(one[0], other[0]), min(one[1], other[1])


def _parts(tree: Tree, node: int) -> list[tuple[float, float, int]]:
    """The ranges of a node's column for each of its branches; several per branch for sets of categories.

    A category that counts as missing takes the branch of missing values or, if they take no branch, has no range.
    """
    splits, split = tree.splits, int(tree.split[node])
    column = tree.schema.columns[int(splits.column[split])]
    if splits.kind[split] == CUTS:
        cuts = [float(cut) for cut in splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]]
        if isinstance(column, Nominal):  # cuts are between codes; each has width 1
            cuts = [math.floor(cut) + 0.5 if splits.equal_low[split] else math.ceil(cut) - 0.5 for cut in cuts]
        ends = [-math.inf, *cuts, math.inf]
        places = [(splits.interval(split, branch), branch) for branch in range(len(cuts) + 1)]
        return [(ends[place], ends[place + 1], branch) for place, branch in places]
    branches = code_branches(tree, split).tolist()
    parts: list[tuple[float, float, int]] = []
    for code, branch in enumerate(branches):
        taken = branch if branch >= 0 else int(tree.missing[node])
        if taken < 0:
            continue
        if parts and parts[-1][2] == taken and parts[-1][1] == code - 0.5:
            parts[-1] = (parts[-1][0], code + 0.5, taken)
        else:
            parts.append((code - 0.5, code + 0.5, taken))
    return parts


def _fixed_branch(tree: Tree, node: int, place: int, fixed: Mapping[int, Any]) -> int:
    """The branch that the given value of another column takes."""
    column = tree.schema.columns[place]
    if place not in fixed:
        msg = (
            f"the tree also splits on {column.name!r}; give its value, given={{{column.name!r}: …}}, "
            "or learn from a table with only the two columns"
        )
        raise ValueError(msg)
    split, value = int(tree.split[node]), fixed[place]
    if isinstance(column, Nominal):
        if value not in column.categories:
            msg = f"column {column.name!r} has no category {value!r}; it has {', '.join(map(repr, column.categories))}"
            raise ValueError(msg)
        value = column.categories.index(value)
    for start, end, branch in _parts(tree, node):
        # An equal value takes the lower branch if the split has `equal_low`; a category lies inside its range.
        below = value <= end if tree.splits.equal_low[split] else value < end
        above = value > start if tree.splits.equal_low[split] else value >= start
        if below and above:
            return branch
    msg = f"column {column.name!r}: the given value counts as missing at node {node}, which has no branch for it"
    raise ValueError(msg)


def _limits(tree: Tree, place: int, areas: list[Rectangle], side: int, rows: Any) -> Range:  # noqa: ANN401
    """The range of an axis: all rows, all cuts, and a margin."""
    column = tree.schema.columns[place]
    if isinstance(column, Nominal):
        return -0.5, len(column.categories) - 0.5
    ends = [end for area in areas for end in (area.x, area.y)[side] if math.isfinite(end)]
    if rows is not None:
        known = rows[side][~np.isnan(rows[side])]
        ends += [float(known.min()), float(known.max())] if len(known) else []
    low, high = (min(ends), max(ends)) if ends else (0.0, 1.0)
    margin = MARGIN * (high - low) if high > low else 0.5
    return low - margin, high + margin


class _Paint:
    """The colors of nodes and rows: by class, or by number."""

    def __init__(self, tree: Tree, matplotlib: Any) -> None:  # noqa: ANN401 - a module
        self.tree = tree
        target = tree.schema.target_column
        self.classes = target.categories if isinstance(target, Nominal) else ()
        if self.classes:
            self.colors = palette.of_classes(tree.value[0])
            return
        leaf = tree.n_children == 0
        self.map = matplotlib.colors.LinearSegmentedColormap.from_list("hornbeam", [palette.LOW, palette.HIGH])
        means = tree.value[leaf, 1]
        self.norm = matplotlib.colors.Normalize(float(means.min()), float(means.max()))

    def area(self, node: int) -> Any:  # noqa: ANN401 - a color
        if not self.classes:
            return self.map(self.norm(float(self.tree.value[node, 1])))
        label = int(self.tree.label[node])
        return palette.mix(palette.OTHER if label < 0 else self.colors[label], "#ffffff", 0.78)

    def explain(self, axes: Axes) -> None:
        """Add the legend of classes, or the scale of numbers."""
        if self.classes:
            if axes.get_legend_handles_labels()[1]:
                axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
            return
        from matplotlib.cm import ScalarMappable  # noqa: PLC0415 - an extra

        axes.figure.colorbar(ScalarMappable(self.norm, self.map), ax=axes, label="mean")


def _draw_area(axes: Axes, tree: Tree, area: Rectangle, limits: list[Range], paint: _Paint) -> None:
    from matplotlib.patches import Rectangle as Patch  # noqa: PLC0415 - an extra

    (left, right), (low, high) = _meet(area.x, limits[0]), _meet(area.y, limits[1])
    if left >= right or low >= high:
        return
    patch = Patch((left, low), right - left, high - low, facecolor=paint.area(area.node), edgecolor=palette.INK)
    patch.set_linewidth(1.0)
    axes.add_patch(patch)
    wide = (right - left) / (limits[0][1] - limits[0][0])
    tall = (high - low) / (limits[1][1] - limits[1][0])
    if wide < LABEL_SHARE or tall < LABEL_SHARE / 2:
        return
    words = (
        printable(prediction_text(tree, area.node), 24)
        if paint.classes
        else short_number(float(tree.value[area.node, 1]))
    )
    axes.annotate(
        words, (left, high), xytext=(4, -4), textcoords="offset points", ha="left", va="top", fontsize=8.5, zorder=4,
        rotation=90 if wide < tall / 3 else 0, color=palette.INK,
        bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.65},
    )  # fmt: skip


def _draw_rows(
    axes: Axes, tree: Tree, table: Table, points: list[NDArray[np.float64]], known: NDArray[np.bool_], paint: _Paint
) -> None:
    target = tree.schema.target_column
    groups = [(known, {"s": 20, "c": palette.INK, "edgecolors": "white", "linewidths": 0.6})]
    if target.name in table.schema.names:
        truth = table.column(target.name)
        column = table.schema.columns[table.schema.position(target.name)]
        if isinstance(column, Nominal):
            groups = []
            for i, name in enumerate(paint.classes):
                code = column.categories.index(name) if name in column.categories else -2
                look = {"s": 26, "c": paint.colors[i], "marker": MARKERS[i % len(MARKERS)], "edgecolors": "white"}
                groups.append((known & (truth == code), {**look, "linewidths": 0.6, "label": printable(name, 24)}))
        else:
            look = {"s": 24, "c": truth[known], "cmap": paint.map, "norm": paint.norm, "edgecolors": palette.INK}
            groups = [(known, {**look, "linewidths": 0.5})]
    for chosen, look in groups:
        if chosen.any():
            axes.scatter(points[0][chosen], points[1][chosen], zorder=3, **look)
