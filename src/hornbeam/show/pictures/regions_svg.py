"""`hornbeam.show.decision_regions`: what a model predicts on the plane of two columns, with the rows in it.

The areas of a tree are computed from its cuts, exactly; other models predict the points of a grid. Plain SVG; nothing
needs to be installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.base.align import align
from hornbeam.model.clusters.clustering import Clustering
from hornbeam.model.trees.tree import Tree
from hornbeam.show.charts.chart_field import Field, axis_of, category_axis
from hornbeam.show.charts.plane import held_value, limits_of, middles, points_of, rows_on_plane, two_columns
from hornbeam.show.charts.space import rectangles
from hornbeam.show.pictures import palette
from hornbeam.show.pictures.marks import mark
from hornbeam.show.pictures.svg_parts import SMALL, box, safe, short, write_text
from hornbeam.show.pictures.themes import in_theme
from hornbeam.show.texts.wording import NAME_LIMIT, printable, short_number

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.show.charts.plane import Range
    from hornbeam.show.pictures.palette import Theme

STEPS = 100  # grid points along an axis
SHADES = 24  # number of shades for numbers
MOST_ROWS, MOST_TIPS, MOST_HELD = 1000, 300, 4
SIZE = (440.0, 340.0)
PALE, PALE_NUMBERS = 0.68, 0.25  # how far an area's color is mixed with the background
RADIUS = 3.6
FADED = 0.25  # opacity of rows that differ in the fixed columns
BAR = 90.0  # height of the legend's bar of shades

Area = tuple["Range", "Range", float]  # horizontal and vertical range, and the prediction there


@dataclass(frozen=True, eq=False)
class _Plane:
    """What is drawn, without its colors."""

    areas: list[Area]
    limits: list[Range]
    columns: list[Any]
    classes: tuple[str, ...]
    points: list[NDArray[np.float64]]  # coordinates of the rows: x, y
    truth: NDArray[np.float64] | None
    faded: NDArray[np.bool_]  # whether they differ in the fixed columns
    rows: NDArray[np.int64]  # their positions in the table
    title: str
    held: str
    exact: bool

    def text(self, prediction: float) -> str:
        """A prediction as text."""
        if not self.classes:
            return short_number(prediction)
        return self.classes[int(prediction)] if prediction >= 0 else "no prediction"


@takes_rows()
def decision_regions(
    model: Any,  # noqa: ANN401 - any model or fitted estimator
    table: Table,
    columns: Sequence[str | int] = (),
    *,
    given: Mapping[str, Any] | None = None,
    theme: str = "auto",
    title: str | None = None,
) -> str:
    """Draw what a model predicts over two columns, with the other columns fixed, and the rows.

    A row is faded if it differs in the fixed columns: if it has another category there, or if the model predicts
    another class for it than for the same row with the fixed values.

    Parameters
    ----------
    model : fitted estimator or model
        Anything that predicts from a table or, for other libraries, from a matrix of the table's features, all numbers.
    table : Table
        Rows to draw; they also decide which part of the plane is drawn.
    columns : two of str or int
        The columns on the horizontal and the vertical axis; by default the features, if there are two.
    given : mapping of name to value, optional
        Values of other columns: a number, or a category's name; by default the median or the most frequent value of
        the rows. The picture shows them.
    theme : {"auto", "light", "dark"}
        Colors; by default those of the page around the picture.
    title : str, optional
        The title; by default the names of table and target.

    Returns
    -------
    str
        A complete SVG document. Areas of a tree are exact; those of other models have the resolution of the grid.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> tree = hornbeam.C45Classifier().fit(iris)
    >>> picture = hornbeam.show.decision_regions(tree, iris, ("petallength", "petalwidth"))
    >>> "exact areas of the tree" in picture
    True
    """
    plane = _plane(_Predictor(model, table), table, columns, given or {}, title)
    return in_theme(lambda colors: _draw(plane, colors), theme)


class _Predictor:
    """A model that predicts rows of a table: codes of classes, or numbers."""

    def __init__(self, model: Any, table: Table) -> None:  # noqa: ANN401 - any model
        found = getattr(model, "model_", model)
        self.model = model
        self.schema: Schema = getattr(found, "schema", None) or table.schema
        self.by_table = hasattr(found, "schema")
        if not hasattr(model, "predict"):
            raise TypeError(f"cannot predict with a {type(model).__name__}; expected a model or a fitted estimator")
        decided = getattr(model, "costs", None) is not None or getattr(model, "decision_threshold", None) is not None
        self.tree = found if isinstance(found, Tree) and found.intercept is None and not decided else None
        self.target = None if isinstance(found, Clustering) else self.schema.target_column
        self.classes: tuple[str, ...] = ()
        if isinstance(found, Clustering):
            self.classes = tuple(f"cluster {number}" for number in range(found.n_clusters))
        elif isinstance(self.target, Nominal):
            self.classes = self.target.categories

    def predict(self, rows: Table) -> NDArray[np.float64]:
        """Predict numbers or the codes of classes, -1 for none of them."""
        if self.by_table:
            predict = getattr(self.model, "predict_codes", self.model.predict)  # an estimator predicts names
            found = np.asarray(predict(rows))
        else:
            nominal = [column.name for column in rows.schema.columns if isinstance(column, Nominal)]
            if nominal:
                msg = f"{type(self.model).__name__} predicts from numbers; the column {nominal[0]!r} has categories"
                raise ValueError(msg)
            found = np.asarray(self.model.predict(np.column_stack(rows.columns)))
        if not self.classes or found.dtype.kind in "iu":
            return found.astype(np.float64)
        code_of = {name: code for code, name in enumerate(self.classes)}
        return np.array([code_of.get(str(name), -1) for name in found.tolist()], dtype=np.float64)


def _plane(
    model: _Predictor, table: Table, columns: Sequence[str | int], given: Mapping[str, Any], title: str | None
) -> _Plane:
    schema = model.schema
    rows = align(schema, table)
    places = two_columns(schema, columns)
    fixed = {schema.position(name): value for name, value in given.items()}
    held = {place: held_value(schema, rows, place, fixed) for place in schema.features if place not in places}
    limits = [limits_of(schema, place, [rows]) for place in places]
    areas, exact = _areas(model, places, limits, held)
    used = held
    if exact and model.tree is not None:
        of_tree = set(model.tree.splits.column[model.tree.split[model.tree.split >= 0]].tolist())
        used = {place: value for place, value in held.items() if place in of_tree}
    points, known = points_of([rows.columns[place] for place in places])
    chosen = np.flatnonzero(known)
    if len(chosen) > MOST_ROWS:
        chosen = chosen[np.linspace(0, len(chosen) - 1, MOST_ROWS).round().astype(int)]
    truth = None
    if model.target is not None and model.target.name in table.schema.names:
        truth = rows.column(model.target.name).astype(np.float64)[chosen]
    name = "clusters" if model.target is None else model.target.name
    return _Plane(
        areas=areas,
        limits=limits,
        columns=[schema.columns[place] for place in places],
        classes=model.classes,
        points=[side[chosen] for side in points],
        truth=truth,
        faded=_differ(model, rows.take(chosen), used),
        rows=chosen,
        title=f"{schema.name}: {name}" if title is None else title,
        held=_held_words(schema, used),
        exact=exact,
    )


def _differ(model: _Predictor, rows: Table, fixed: Mapping[int, Any]) -> NDArray[np.bool_]:
    """Whether each row differs in the fixed columns: in a category, or such that the model predicts another class."""
    differs = np.zeros(rows.n_rows, np.bool_)
    columns = list(rows.columns)
    for place, value in fixed.items():
        if isinstance(rows.schema.columns[place], Nominal):
            differs |= rows.columns[place] != value
        columns[place] = np.full_like(rows.columns[place], value)
    if fixed and model.classes and rows.n_rows:
        differs |= model.predict(rows) != model.predict(type(rows)(rows.schema, columns))
    return differs


def _areas(
    model: _Predictor, places: list[int], limits: list[Range], held: Mapping[int, Any]
) -> tuple[list[Area], bool]:
    """The parts of the plane with one prediction each; and whether they are exact."""
    if model.tree is not None:
        try:
            return _rectangles(model.tree, places, limits, held), True
        except ValueError:  # oblique splits, or rows with a missing value are divided
            pass
    sides = [middles(model.schema, place, limits[side], STEPS) for side, place in enumerate(places)]
    found = model.predict(rows_on_plane(model.schema, dict(zip(places, sides, strict=True)), held))
    grid = found.reshape(len(sides[1]), len(sides[0]))
    if not model.classes:  # shades rather than numbers, so that neighboring cells can be joined
        low, high = float(np.nanmin(grid)), float(np.nanmax(grid))
        step = (high - low) / SHADES or 1.0
        grid = low + np.round((grid - low) / step) * step
    across, up = (np.linspace(*ends, len(side) + 1).tolist() for ends, side in zip(limits, sides, strict=True))
    areas: list[Area] = []
    for line, (low, high) in zip(grid, pairwise(up), strict=True):
        ends = [0, *(np.flatnonzero(line[1:] != line[:-1]) + 1).tolist(), len(line)]
        areas += [((across[a], across[b]), (low, high), float(line[a])) for a, b in pairwise(ends)]
    return areas, False


def _rectangles(tree: Tree, places: list[int], limits: list[Range], held: Mapping[int, Any]) -> list[Area]:
    given = {}
    for place, value in held.items():
        column = tree.schema.columns[place]
        if isinstance(column, Nominal):
            if value >= 0:
                given[column.name] = column.categories[value]
        elif value == value:  # noqa: PLR0124 - not NaN
            given[column.name] = value
    predictions = tree.label if tree.task == "classification" else tree.value[:, 1]
    found: list[Area] = []
    for area in rectangles(tree, places, given):
        sides = [
            (max(part[0], low), min(part[1], high)) for part, (low, high) in zip((area.x, area.y), limits, strict=True)
        ]
        if all(start < end for start, end in sides):
            found.append((sides[0], sides[1], float(predictions[area.node])))
    return found


def _held_words(schema: Schema, held: Mapping[int, Any]) -> str:
    parts = []
    for place, value in held.items():
        column = schema.columns[place]
        shown = short_number(float(value)) if not isinstance(column, Nominal) else "missing"
        if isinstance(column, Nominal) and value >= 0:
            shown = printable(column.categories[value], 20)
        parts.append(f"{printable(column.name, 20)} = {shown}")
    if len(parts) > MOST_HELD:
        more = len(parts) - MOST_HELD
        parts[MOST_HELD:] = [f"and {plural(more, 'more column')} at typical values"]
    return f"at {', '.join(parts)}" if parts else ""


def _draw(plane: _Plane, theme: Theme) -> str:
    axes = [
        category_axis(column.categories) if isinstance(column, Nominal) else axis_of([np.array(limits)], limits)
        for column, limits in zip(plane.columns, plane.limits, strict=True)
    ]
    names = [printable(column.name, NAME_LIMIT) for column in plane.columns]
    how = "exact areas of the tree" if plane.exact else "areas computed on a grid"
    faded = "faded rows differ in that" if plane.faded.any() else ""
    subtitle = "; ".join(part for part in (plane.held, faded, how) if part)
    field = Field(axes[0], axes[1], plane.title, subtitle, names[0], names[1], theme, SIZE, inset=0.0)
    paint = _Paint(plane, theme)
    ways: dict[float, list[str]] = {}
    for (left, right), (low, high), prediction in plane.areas:
        x, y = field.across(left), field.height(high)
        wide, tall = field.across(right) - x, field.height(low) - y
        ways.setdefault(prediction, []).append(f"M{short(x)} {short(y)}h{short(wide)}v{short(tall)}h{short(-wide)}z")
    for prediction, parts in ways.items():
        color = paint.of(prediction)
        pale = palette.mix(color, theme.ground, paint.pale)
        # A line of the same color closes the seams between areas; a tree's areas show where they meet.
        border = palette.mix(color, theme.ground, 0.25) if plane.classes else theme.ground
        look = f'fill="{pale}" stroke="{border if plane.exact else pale}" stroke-width="0.8"'
        field.add(f'<path d="{"".join(parts)}" {look}><title>{safe(plane.text(prediction))}</title></path>')
    field.add(*_marks(plane, field, paint, theme))
    paint.legend(field)
    return field.write(f"Predictions over {names[0]} and {names[1]}; {subtitle}.")


class _Paint:
    """The colors of predictions: by class, or by number."""

    def __init__(self, plane: _Plane, theme: Theme) -> None:
        self.plane, self.theme = plane, theme
        self.pale = PALE if plane.classes else PALE_NUMBERS
        predictions = np.array([prediction for *_, prediction in plane.areas])
        if plane.classes:
            every = predictions if plane.truth is None else np.concatenate([predictions, plane.truth])
            weights = np.bincount(every[every >= 0].astype(int), minlength=len(plane.classes)).astype(float)
            self.colors = palette.of_classes(weights, theme)
            self.seen = [code for code in range(len(weights)) if weights[code] > 0]
        else:
            every = predictions[np.isfinite(predictions)]
            self.range = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)

    def of(self, prediction: float) -> str:
        if self.plane.classes:
            return self.colors[int(prediction)] if prediction >= 0 else self.theme.other
        if prediction != prediction:  # noqa: PLR0124 - NaN: no prediction
            return self.theme.faint
        low, high = self.range
        share = min(max((prediction - low) / (high - low), 0.0), 1.0) if high > low else 0.5
        return palette.mix(self.theme.low, self.theme.high, round(SHADES * share) / SHADES)

    def legend(self, field: Field) -> None:
        """Name the classes, or show the range of numbers."""
        if self.plane.classes:
            named = [code for code in self.seen if self.colors[code] != self.theme.other]
            names = [self.plane.classes[code] for code in named]
            colors = [self.colors[code] for code in named]
            others = len(self.seen) - len(named)
            if others:
                names.append(plural(others, "other class", "other classes"))
                colors.append(self.theme.other)
            field.legend(names, colors=colors, marks=[*named, 0])
            return
        x, top, step = field.left + field.wide + 22, field.top + SMALL, BAR / SHADES
        for shade, value in enumerate(np.linspace(*self.range, SHADES).tolist()):
            color = palette.mix(self.of(value), self.theme.ground, self.pale)
            y = top + BAR - (shade + 1) * step
            field.add(f'<rect {box(x, y, 14, step + 0.5)} fill="{color}"/>')
        for value, y in zip(self.range, (top + BAR, top + SMALL), strict=True):
            words = short_number(value)
            field.add(write_text(words, x + 20, y, SMALL))
            field.reach(x + 20, words)


def _marks(plane: _Plane, field: Field, paint: _Paint, theme: Theme) -> list[str]:
    """The rows, in the colors and marks of their classes, or in the shade of their number."""
    edge = theme.ground if plane.classes else theme.muted  # a row may have the same shade as the area
    lines = [f'<g stroke="{edge}" stroke-width="0.7">']
    tips = len(plane.rows) <= MOST_TIPS
    target = plane.truth if plane.truth is not None else np.full(len(plane.rows), np.nan)
    faded = plane.faded.tolist()
    for row, x, y, truth, pale in zip(plane.rows.tolist(), *plane.points, target.tolist(), faded, strict=True):
        unknown = truth != truth or (plane.classes and truth < 0)  # noqa: PLR0124 - NaN
        color = theme.muted if unknown else paint.of(truth)
        place = int(truth) if plane.classes and not unknown else 0
        outline = mark(place, field.across(x), field.height(y), RADIUS)
        text = f"row {row + 1}" + ("" if unknown else f": {plane.text(truth)}")
        tip = f"<title>{safe(text)}</title>" if tips else ""
        fade = f' opacity="{FADED}"' if pale else ""
        lines.append(f'<path d="{outline}" fill="{color}"{fade}>{tip}</path>')
    return [*lines, "</g>"] if len(plane.rows) else []
