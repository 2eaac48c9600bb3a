"""`hornbeam.show.decision_regions`: what a model answers all over the plane of two columns, with the rows in it.

The areas of a tree are read off its cuts, exactly; other models are asked at the points of a grid. Plain SVG, nothing
needs to be installed.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal
from hornbeam.model.base.align import align
from hornbeam.model.clusters.clustering import Clustering
from hornbeam.model.trees.tree import Tree
from hornbeam.show.charts.chart_field import Field, axis_of, category_axis
from hornbeam.show.charts.plane import held_value, limits_of, middles, rows_on_plane, two_columns
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

STEPS = 100  # points along an axis that are asked
SHADES = 24  # of a number
MOST_ROWS, MOST_TIPS, MOST_HELD = 1000, 300, 4
SIZE = (440.0, 340.0)
PALE, PALE_NUMBERS = 0.68, 0.25  # how far an area's color goes toward the ground
SPREAD = 0.3  # how far rows of one category are spread, so that none hides another
RADIUS = 3.6
BAR = 90.0  # height of the legend's bar of shades

Area = tuple["Range", "Range", float]  # across, up, and what is answered there


@dataclass(frozen=True, eq=False)
class _Plane:
    """What is drawn, whatever the colors."""

    areas: list[Area]
    limits: list[Range]
    columns: list[Any]
    classes: tuple[str, ...]
    points: list[NDArray[np.float64]]  # of the rows: across, up
    truth: NDArray[np.float64] | None
    rows: NDArray[np.int64]  # their places in the table
    title: str
    held: str
    exact: bool

    def told(self, answer: float) -> str:
        """An answer in words."""
        if not self.classes:
            return short_number(answer)
        return self.classes[int(answer)] if answer >= 0 else "no answer"


def decision_regions(
    model: Any,  # noqa: ANN401 - any model or fitted estimator
    table: Table,
    columns: Sequence[str | int] = (),
    *,
    given: Mapping[str, Any] | None = None,
    theme: str = "auto",
    title: str | None = None,
) -> str:
    """Draw what a model answers over two columns, the others held at one value each, and the rows.

    Parameters
    ----------
    model : fitted estimator or model
        Whatever predicts from a table; or, of other libraries, from a matrix of the table's features, all numbers.
    table : Table
        Rows to draw, at least to know which part of the plane to draw.
    columns : two of str or int
        The columns across and up; by default the features, where there are two.
    given : mapping of name to value, optional
        Values of other columns: a number, or a category's name; by default the median or commonest of the rows. The
        picture says at what they are held.
    theme : {"auto", "light", "dark"}
        Colors; by default as the page is in which the picture stands.
    title : str, optional
        A heading; by default the names of table and target.

    Returns
    -------
    str
        The picture, as a whole SVG document. Areas of a tree are exact; of other models, as fine as the grid on which
        they were asked.

    Examples
    --------
    >>> import hornbeam
    >>> iris = hornbeam.read("iris")
    >>> tree = hornbeam.C45Classifier().fit(iris)
    >>> picture = hornbeam.show.decision_regions(tree, iris, ("petallength", "petalwidth"))
    >>> "areas read off the tree" in picture
    True
    """
    asked = _Asked(model, table)
    plane = _plane(asked, table, columns, given or {}, title)
    return in_theme(lambda colors: _draw(plane, colors), theme)


class _Asked:
    """A model that answers rows of a table: with places among classes, or with numbers."""

    def __init__(self, model: Any, table: Table) -> None:  # noqa: ANN401 - any model
        found = getattr(model, "model_", model)
        self.model = model
        self.schema: Schema = getattr(found, "schema", None) or table.schema
        self.by_table = hasattr(found, "schema")
        if not hasattr(model, "predict"):
            msg = f"cannot ask a {type(model).__name__}; expected a model or a fitted estimator that predicts"
            raise TypeError(msg)
        decided = getattr(model, "costs", None) is not None or getattr(model, "decision_threshold", None) is not None
        self.tree = found if isinstance(found, Tree) and found.intercept is None and not decided else None
        self.target = None if isinstance(found, Clustering) else self.schema.target_column
        self.classes: tuple[str, ...] = ()
        if isinstance(found, Clustering):
            self.classes = tuple(f"cluster {number}" for number in range(found.n_clusters))
        elif isinstance(self.target, Nominal):
            self.classes = self.target.categories

    def answers(self, rows: Table) -> NDArray[np.float64]:
        """What is answered; places among the classes, -1 for none of them."""
        if self.by_table:
            found = np.asarray(self.model.predict(rows))
        else:
            nominal = [column.name for column in rows.schema.columns if isinstance(column, Nominal)]
            if nominal:
                msg = f"{type(self.model).__name__} is asked with numbers; {nominal[0]!r} is a column of categories"
                raise ValueError(msg)
            found = np.asarray(self.model.predict(np.column_stack(rows.columns)))
        if not self.classes or found.dtype.kind in "iu":
            return found.astype(np.float64)
        where = {name: place for place, name in enumerate(self.classes)}
        return np.array([where.get(str(name), -1) for name in found.tolist()], dtype=np.float64)


def _plane(
    asked: _Asked, table: Table, columns: Sequence[str | int], given: Mapping[str, Any], title: str | None
) -> _Plane:
    schema = asked.schema
    rows = align(schema, table)
    places = two_columns(schema, columns)
    fixed = {schema.position(name): value for name, value in given.items()}
    held = {place: held_value(schema, rows, place, fixed) for place in schema.features if place not in places}
    limits = [limits_of(schema, place, [rows]) for place in places]
    areas, exact = _areas(asked, places, limits, held)
    used = held
    if exact and asked.tree is not None:
        of_tree = set(asked.tree.splits.column[asked.tree.split[asked.tree.split >= 0]].tolist())
        used = {place: value for place, value in held.items() if place in of_tree}
    points, known = _points(rows, places)
    chosen = np.flatnonzero(known)
    if len(chosen) > MOST_ROWS:
        chosen = chosen[np.linspace(0, len(chosen) - 1, MOST_ROWS).round().astype(int)]
    truth = None
    if asked.target is not None and asked.target.name in table.schema.names:
        truth = rows.column(asked.target.name).astype(np.float64)[chosen]
    name = "clusters" if asked.target is None else asked.target.name
    return _Plane(
        areas=areas,
        limits=limits,
        columns=[schema.columns[place] for place in places],
        classes=asked.classes,
        points=[side[chosen] for side in points],
        truth=truth,
        rows=chosen,
        title=f"{schema.name}: {name}" if title is None else title,
        held=_held_words(schema, used),
        exact=exact,
    )


def _areas(asked: _Asked, places: list[int], limits: list[Range], held: Mapping[int, Any]) -> tuple[list[Area], bool]:
    """The parts of the plane with one answer each; and whether they are exact."""
    if asked.tree is not None:
        try:
            return _rectangles(asked.tree, places, limits, held), True
        except ValueError:  # cut aslant, or a row without a value goes several ways
            pass
    sides = [middles(asked.schema, place, limits[side], STEPS) for side, place in enumerate(places)]
    found = asked.answers(rows_on_plane(asked.schema, dict(zip(places, sides, strict=True)), held))
    grid = found.reshape(len(sides[1]), len(sides[0]))
    if not asked.classes:  # shades rather than numbers, so that neighbors are one area
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
    answers = tree.label if tree.task == "classification" else tree.value[:, 1]
    found: list[Area] = []
    for area in rectangles(tree, places, given):
        sides = [
            (max(part[0], low), min(part[1], high)) for part, (low, high) in zip((area.x, area.y), limits, strict=True)
        ]
        if all(start < end for start, end in sides):
            found.append((sides[0], sides[1], float(answers[area.node])))
    return found


def _points(rows: Table, places: list[int]) -> tuple[list[NDArray[np.float64]], NDArray[np.bool_]]:
    """Where the rows lie, and which have both values; those of categories are spread a little."""
    known = np.ones(rows.n_rows, np.bool_)
    random = np.random.default_rng(0)
    points = []
    for place in places:
        values = rows.columns[place]
        nominal = values.dtype.kind == "i"
        known &= rows.known(place)
        points.append(values + random.uniform(-SPREAD, SPREAD, len(values)) if nominal else values)
    return points, known


def _held_words(schema: Schema, held: Mapping[int, Any]) -> str:
    told = []
    for place, value in held.items():
        column = schema.columns[place]
        shown = short_number(float(value)) if not isinstance(column, Nominal) else "missing"
        if isinstance(column, Nominal) and value >= 0:
            shown = printable(column.categories[value], 20)
        told.append(f"{printable(column.name, 20)} = {shown}")
    if len(told) > MOST_HELD:
        told[MOST_HELD:] = [f"and {len(told) - MOST_HELD} columns more at their typical values"]
    return f"at {', '.join(told)}" if told else ""


def _draw(plane: _Plane, theme: Theme) -> str:
    axes = [
        category_axis(column.categories) if isinstance(column, Nominal) else axis_of([np.array(limits)], limits)
        for column, limits in zip(plane.columns, plane.limits, strict=True)
    ]
    names = [printable(column.name, NAME_LIMIT) for column in plane.columns]
    how = "areas read off the tree, exactly" if plane.exact else "areas asked point by point"
    subtitle = "; ".join(part for part in (plane.held, how) if part)
    field = Field(axes[0], axes[1], plane.title, subtitle, names[0], names[1], theme, SIZE, inset=0.0)
    paint = _Paint(plane, theme)
    ways: dict[float, list[str]] = {}
    for (left, right), (low, high), answer in plane.areas:
        x, y = field.across(left), field.height(high)
        wide, tall = field.across(right) - x, field.height(low) - y
        ways.setdefault(answer, []).append(f"M{short(x)} {short(y)}h{short(wide)}v{short(tall)}h{short(-wide)}z")
    for answer, parts in ways.items():
        color = paint.of(answer)
        pale = palette.mix(color, theme.ground, paint.pale)
        # A line of the same color closes the seams between areas; a tree's areas show where they meet.
        border = palette.mix(color, theme.ground, 0.25) if plane.classes else theme.ground
        look = f'fill="{pale}" stroke="{border if plane.exact else pale}" stroke-width="0.8"'
        field.add(f'<path d="{"".join(parts)}" {look}><title>{safe(plane.told(answer))}</title></path>')
    field.add(*_marks(plane, field, paint, theme))
    paint.legend(field)
    return field.write(f"What is answered over {names[0]} and {names[1]}; {subtitle}.")


class _Paint:
    """The colors of answers: by class, or by number."""

    def __init__(self, plane: _Plane, theme: Theme) -> None:
        self.plane, self.theme = plane, theme
        self.pale = PALE if plane.classes else PALE_NUMBERS
        answers = np.array([answer for *_, answer in plane.areas])
        if plane.classes:
            every = answers if plane.truth is None else np.concatenate([answers, plane.truth])
            weights = np.bincount(every[every >= 0].astype(int), minlength=len(plane.classes)).astype(float)
            self.colors = palette.of_classes(weights, theme)
            self.seen = [code for code in range(len(weights)) if weights[code] > 0]
        else:
            every = answers[np.isfinite(answers)]
            self.range = (float(every.min()), float(every.max())) if len(every) else (0.0, 1.0)

    def of(self, answer: float) -> str:
        if self.plane.classes:
            return self.colors[int(answer)] if answer >= 0 else self.theme.other
        if answer != answer:  # noqa: PLR0124 - NaN: no answer
            return self.theme.faint
        low, high = self.range
        share = min(max((answer - low) / (high - low), 0.0), 1.0) if high > low else 0.5
        return palette.mix(self.theme.low, self.theme.high, round(SHADES * share) / SHADES)

    def legend(self, field: Field) -> None:
        """Name the classes, or tell the range of numbers."""
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
    edge = theme.ground if plane.classes else theme.muted  # a shade may be that of the area
    lines = [f'<g stroke="{edge}" stroke-width="0.7">']
    tips = len(plane.rows) <= MOST_TIPS
    target = plane.truth if plane.truth is not None else np.full(len(plane.rows), np.nan)
    for row, x, y, truth in zip(plane.rows.tolist(), *plane.points, target.tolist(), strict=True):
        unknown = truth != truth or (plane.classes and truth < 0)  # noqa: PLR0124 - NaN
        color = theme.muted if unknown else paint.of(truth)
        place = int(truth) if plane.classes and not unknown else 0
        outline = mark(place, field.across(x), field.height(y), RADIUS)
        told = f"row {row + 1}"
        if not unknown:
            told += f": {plane.told(truth)}"
        tip = f"<title>{safe(told)}</title>" if tips else ""
        lines.append(f'<path d="{outline}" fill="{color}">{tip}</path>')
    return [*lines, "</g>"] if len(plane.rows) else []
