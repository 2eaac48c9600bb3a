"""The feature space of two columns, cut by a tree into its rectangles, with the rows in it: as textbooks draw it.

The rectangles are read off the tree's cuts, exactly, not colored point by point. Where the tree asks for other
columns too, their values are given, and the plane through these values is drawn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, is_missing
from hornbeam.model.trees.node import code_branches
from hornbeam.model.trees.split import CUTS
from hornbeam.model.trees.tree import Tree
from hornbeam.show.pictures import palette
from hornbeam.show.plot import MARKERS, drawing
from hornbeam.show.texts.trees.indented import answer
from hornbeam.show.texts.wording import NAME_LIMIT, asked, printable, short_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.table import Table

MARGIN = 0.05  # of the range, around the rows
LABEL_SHARE = 0.08  # a rectangle narrower or lower than this share of the plane gets no label
FULL = -math.inf, math.inf

Range = tuple[float, float]


@dataclass(frozen=True)
class Rectangle:
    """Part of the plane that ends in one node: from `x` to `x`, from `y` to `y`, without bounds where infinite.

    A category is as wide as one, around its code.
    """

    node: int
    x: Range
    y: Range


def rectangles(tree: Tree, columns: Sequence[str | int], given: Mapping[str, Any] | None = None) -> list[Rectangle]:
    """Cut the plane of two columns as the tree does.

    Parameters
    ----------
    tree : Tree
        What cuts.
    columns : two of str or int
        Names or positions of the columns.
    given : mapping of name to value, optional
        Values of other columns that the tree asks for: a number, or a category's name.

    Returns
    -------
    list of Rectangle
        They do not overlap; together they are all of the plane that rows with both values can reach.
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
            msg = f"node {area.node} cuts the sum {words}, aslant: the plane does not fall into rectangles"
            raise ValueError(msg)
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


def feature_space(
    model: Any,  # noqa: ANN401 - a Tree or a fitted estimator
    table: Table | None = None,
    columns: Sequence[str | int] = (),
    *,
    given: Mapping[str, Any] | None = None,
    axes: Any = None,  # noqa: ANN401 - matplotlib's
) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw the plane of two columns, cut by a tree into its rectangles, and the rows in it.

    Parameters
    ----------
    model : Tree or fitted estimator
        What cuts; of an estimator, its `model_`.
    table : Table, optional
        Rows to draw; those without one of the two values are left out.
    columns : two of str or int
        The columns across and up; by default the two that the tree asks for.
    given : mapping of name to value, optional
        Values of the other columns that the tree asks for.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes
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
            _draw_rows(here, tree, table, rows, paint)
        here.set_xlim(limits[0])
        here.set_ylim(limits[1])
        for axis, place in ((here.xaxis, places[0]), (here.yaxis, places[1])):
            column = tree.schema.columns[place]
            if isinstance(column, Nominal):
                axis.set_ticks(range(len(column.categories)), [printable(name, 20) for name in column.categories])
        paint.explain(here)
    return here


def _two_columns(tree: Tree, columns: Sequence[str | int]) -> list[int]:
    if len(columns) == 2:  # noqa: PLR2004 - a plane
        return [tree.schema.position(column) for column in columns]
    if len(columns):
        msg = f"{len(columns)} columns were named; expected two, one across and one up"
        raise ValueError(msg)
    used = list(dict.fromkeys(int(column) for column in tree.splits.column[tree.split[tree.split >= 0]]))
    if len(used) != 2:  # noqa: PLR2004 - a plane
        names = ", ".join(repr(tree.schema.columns[place].name) for place in used) or "none"
        msg = f"the tree asks for {len(used)} columns ({names}); name the two to draw: columns=(across, up)"
        raise ValueError(msg)
    return used


def _all_of(tree: Tree, place: int) -> Range:
    column = tree.schema.columns[place]
    return (-0.5, len(column.categories) - 0.5) if isinstance(column, Nominal) else FULL


def _meet(one: Range, other: Range) -> Range:
    return max(one[0], other[0]), min(one[1], other[1])


def _parts(tree: Tree, node: int) -> list[tuple[float, float, int]]:
    """Where a node's column lies for each of its branches; several parts a branch for sets of categories.

    A category that goes as missing takes the branch of missing values, or, where they take none, has no part.
    """
    splits, split = tree.splits, int(tree.split[node])
    column = tree.schema.columns[int(splits.column[split])]
    if splits.kind[split] == CUTS:
        cuts = [float(cut) for cut in splits.cuts[splits.cut_start[split] : splits.cut_start[split + 1]]]
        if isinstance(column, Nominal):  # cut between codes, which are as wide as one
            cuts = [math.floor(cut) + 0.5 if splits.equal_low[split] else math.ceil(cut) - 0.5 for cut in cuts]
        ends = [-math.inf, *cuts, math.inf]
        places = [(splits.interval(split, branch), branch) for branch in range(len(cuts) + 1)]
        return [(ends[place], ends[place + 1], branch) for place, branch in places]
    branches = code_branches(tree, split).tolist()
    found: list[tuple[float, float, int]] = []
    for code, branch in enumerate(branches):
        taken = branch if branch >= 0 else int(tree.missing[node])
        if taken < 0:
            continue
        if found and found[-1][2] == taken and found[-1][1] == code - 0.5:
            found[-1] = (found[-1][0], code + 0.5, taken)
        else:
            found.append((code - 0.5, code + 0.5, taken))
    return found


def _fixed_branch(tree: Tree, node: int, place: int, fixed: Mapping[int, Any]) -> int:
    """The branch that the given value of another column takes."""
    column = tree.schema.columns[place]
    if place not in fixed:
        msg = (
            f"the tree also asks for {column.name!r}; give its value, given={{{column.name!r}: …}}, "
            "or learn from a table with the two columns alone"
        )
        raise ValueError(msg)
    split, value = int(tree.split[node]), fixed[place]
    if isinstance(column, Nominal):
        if value not in column.categories:
            msg = f"column {column.name!r} has no category {value!r}; it has {', '.join(map(repr, column.categories))}"
            raise ValueError(msg)
        value = column.categories.index(value)
    for start, end, branch in _parts(tree, node):
        # An equal value takes the branch below where the split says so; a category lies inside its part.
        below = value <= end if tree.splits.equal_low[split] else value < end
        above = value > start if tree.splits.equal_low[split] else value >= start
        if below and above:
            return branch
    msg = f"column {column.name!r}: the value given goes as missing at node {node}, which takes no branch"
    raise ValueError(msg)


def _limits(tree: Tree, place: int, areas: list[Rectangle], side: int, rows: Any) -> Range:  # noqa: ANN401
    """The part of an axis that is drawn: all rows, all cuts, and a margin."""
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

    def explain(self, axes: Any) -> None:  # noqa: ANN401 - matplotlib's
        """Add the legend of classes, or the scale of numbers."""
        if self.classes:
            if axes.get_legend_handles_labels()[1]:
                axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5))
            return
        from matplotlib.cm import ScalarMappable  # noqa: PLC0415 - an extra

        axes.figure.colorbar(ScalarMappable(self.norm, self.map), ax=axes, label="mean")


def _draw_area(axes: Any, tree: Tree, area: Rectangle, limits: list[Range], paint: _Paint) -> None:  # noqa: ANN401
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
    words = printable(answer(tree, area.node), 24) if paint.classes else short_number(float(tree.value[area.node, 1]))
    axes.annotate(
        words, (left, high), xytext=(4, -4), textcoords="offset points", ha="left", va="top", fontsize=8.5, zorder=4,
        rotation=90 if wide < tall / 3 else 0, color=palette.INK,
        bbox={"boxstyle": "round,pad=0.15", "facecolor": "white", "edgecolor": "none", "alpha": 0.65},
    )  # fmt: skip


def _draw_rows(axes: Any, tree: Tree, table: Table, rows: list[Any], paint: _Paint) -> None:  # noqa: ANN401
    """The rows as points; where both columns are categories they are spread a little, so that none hides another."""
    known = np.ones(table.n_rows, np.bool_)
    points = []
    for values in rows:
        known &= ~is_missing(values)
        points.append(values.astype(float))
    random = np.random.default_rng(0)
    for side, values in enumerate(rows):
        if values.dtype.kind == "i":
            points[side] = points[side] + random.uniform(-0.3, 0.3, len(values))
    target = tree.schema.target_column
    if target.name not in table.schema.names:
        axes.scatter(
            points[0][known], points[1][known], s=20, c=palette.INK, edgecolors="white", linewidths=0.6, zorder=3
        )
        return
    truth = table.column(target.name)
    if not paint.classes:
        axes.scatter(
            points[0][known], points[1][known], s=24, c=truth[known], cmap=paint.map, norm=paint.norm,
            edgecolors=palette.INK, linewidths=0.5, zorder=3,
        )  # fmt: skip
        return
    given = table.schema.columns[table.schema.position(target.name)]
    assert isinstance(given, Nominal)
    for place, name in enumerate(paint.classes):
        code = given.categories.index(name) if name in given.categories else -2
        chosen = known & (truth == code)
        if chosen.any():
            axes.scatter(
                points[0][chosen], points[1][chosen], s=26, c=paint.colors[place],
                marker=MARKERS[place % len(MARKERS)], edgecolors="white", linewidths=0.6, label=printable(name, 24),
                zorder=3,
            )  # fmt: skip
