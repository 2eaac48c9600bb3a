"""The plane of two columns with the rows that a model keeps, those it does not, and those it dropped as noise.

Behind them are the areas of the model's predictions, computed on a grid. If there are more columns, they are fixed at
the values given, or at the median or most frequent values of the kept rows.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.neighbors.instances import Instances
from hornbeam.show.charts.plane import held_value, limits_of, middles, points_of, rows_on_plane, set_limits, two_columns
from hornbeam.show.pictures import palette
from hornbeam.show.plot import MARKERS, Axes, drawing
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.data.table import Table

    Range = tuple[float, float]

STEPS, FEWEST_STEPS = 240, 40  # grid points along an axis
MOST_PAIRS = 3 * 10**8  # maximum number of pairs of a grid point and a kept row


@takes_rows()
def kept_rows(
    model: Any,  # noqa: ANN401 - Instances or a fitted estimator
    table: Table | None = None,
    columns: Sequence[str | int] = (),
    *,
    given: Mapping[str, Any] | None = None,
    axes: Axes = None,
) -> Axes:
    """Draw the rows that a model keeps over two columns, and the areas of its predictions.

    Parameters
    ----------
    model : Instances or fitted estimator
        A model that keeps rows: neighbors, IB2, IB3, IB5; for an estimator, its `model_`.
    table : Table, optional
        Rows to draw too: those not kept. If it is the training table, rows dropped as noise and kept rows that are not
        used yet are drawn differently.
    columns : two of str or int
        The columns on the horizontal and the vertical axis; by default the features, if there are two.
    given : mapping of name to value, optional
        Values of the other columns for the areas; by default the median or most frequent value of the kept rows.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.
    """
    kept: Any = getattr(model, "model_", model)
    if not isinstance(kept, Instances):
        msg = f"cannot draw the kept rows of a {type(kept).__name__}; expected Instances or a fitted estimator of them"
        raise TypeError(msg)
    if not isinstance(kept.schema.target_column, Nominal):
        raise TypeError(f"the target {kept.schema.target_column.name!r} is numeric; kept rows are drawn by class")
    places = two_columns(kept.schema, columns)
    groups = _groups(kept, table)
    limits = [limits_of(kept.schema, place, [rows for _, rows in groups]) for place in places]
    names = [printable(kept.schema.columns[place].name, NAME_LIMIT) for place in places]
    title = printable(kept.schema.target_column.name, NAME_LIMIT)
    with drawing(axes, {"title": title, "x_label": names[0], "y_label": names[1]}, (6.8, 5.0)) as (here, _):
        here.grid(visible=False)
        colors = palette.of_classes(np.bincount(kept.kept.target_values(), minlength=len(_classes(kept))).astype(float))
        _draw_areas(here, kept, places, limits, given or {}, colors)
        for kind, rows in groups:
            _draw_rows(here, kept, places, rows, kind, colors)
        set_limits(here, limits, [kept.schema.columns[place] for place in places])
        if len(kept.schema.features) > len(places):
            words = "areas: other columns " + ("as given, or typical" if given else "at typical values")
            here.set_title(words, loc="right", fontsize=8, fontweight="normal", color=palette.MUTED)
        _explain(here, kept, groups, colors)
    return here


# For each kind of row: its name, its size, how opaque it is, and the color of its edge.
LOOKS: dict[str, tuple[str, int, float, str]] = {
    "other": ("not kept", 12, 0.45, "none"),
    "waiting": ("kept, not used yet", 34, 0.35, palette.INK),
    "kept": ("kept", 46, 1.0, palette.INK),
    "noisy": ("dropped as noise", 44, 1.0, "none"),
}


def _classes(model: Instances) -> tuple[str, ...]:
    target = model.schema.target_column
    assert isinstance(target, Nominal)
    return target.categories


def _groups(model: Instances, table: Table | None) -> list[tuple[str, Table]]:
    """Rows by kind, in the order in which they are drawn."""
    groups: list[tuple[str, Table]] = []
    if table is not None:
        target = table.column(model.schema.target_column.name)
        weights = table.weights
        usable = table.take((target >= 0) if weights is None else (target >= 0) & (weights > 0))
        seen = model.recipe.get("rows_seen")
        state = np.full(usable.n_rows, "other", object)
        pairs = model.seen_as
        if pairs is not None and seen == usable.n_rows and len(pairs) and pairs[:, 0].max() < seen:
            # the training rows
            state[pairs[:, 0]] = np.array(["", "waiting", "kept", "noisy"], object)[pairs[:, 1]]
        groups = [(kind, usable.take(state == kind)) for kind in ("other", "waiting", "noisy")]
    return [(kind, rows) for kind, rows in [*groups, ("kept", model.kept)] if rows.n_rows]


def _draw_areas(
    axes: Axes, model: Instances, places: list[int], limits: list[Range], given: Mapping[str, Any], colors: list[str]
) -> None:
    """Color the plane by the prediction at every point of a grid."""
    steps = int(np.clip((MOST_PAIRS / len(model)) ** 0.5, FEWEST_STEPS, STEPS))
    sides = {place: middles(model.schema, place, limits[side], steps) for side, place in enumerate(places)}
    fixed = {model.schema.position(name): value for name, value in given.items()}
    others = [place for place in model.schema.features if place not in sides]
    rows = rows_on_plane(
        model.schema, sides, {place: held_value(model.schema, model.kept, place, fixed) for place in others}
    )
    codes = model.predict_codes(rows).reshape(len(sides[places[1]]), len(sides[places[0]]))
    light = np.array([_rgb(palette.mix(color, "#ffffff", 0.8)) for color in colors])
    axes.imshow(
        light[codes], origin="lower", aspect="auto", interpolation="nearest", zorder=0,
        extent=(*limits[0], *limits[1]),
    )  # fmt: skip


def _rgb(color: str) -> tuple[float, ...]:
    return tuple(int(color[place : place + 2], 16) / 255 for place in (1, 3, 5))


def _draw_rows(axes: Axes, model: Instances, places: list[int], rows: Table, kind: str, colors: list[str]) -> None:
    _, size, alpha, edge = LOOKS[kind]
    points, known = points_of([rows.column(model.schema.columns[place].name) for place in places])
    truth = rows.column(model.schema.target_column.name)
    held = rows.schema.columns[rows.schema.position(model.schema.target_column.name)]
    assert isinstance(held, Nominal)
    for code, name in enumerate(_classes(model)):
        own = held.categories.index(name) if name in held.categories else -2
        chosen = known & (truth == own)
        if not chosen.any():
            continue
        look: dict[str, Any] = {"c": colors[code], "marker": MARKERS[code % len(MARKERS)], "edgecolors": edge}
        if kind == "noisy":
            look = {"color": colors[code], "marker": "x"}
        look |= {"s": size, "alpha": alpha, "zorder": 3 + list(LOOKS).index(kind)}
        axes.scatter(points[0][chosen], points[1][chosen], linewidths=1.8 if kind == "noisy" else 0.9, **look)


def _explain(axes: Axes, model: Instances, groups: list[tuple[str, Table]], colors: list[str]) -> None:
    """Add a legend of the classes and of the kinds of rows."""
    from matplotlib.lines import Line2D  # noqa: PLC0415 - an extra

    lines = [
        Line2D([], [], linestyle="none", marker=MARKERS[code % len(MARKERS)], color=colors[code],
               label=printable(name, 24))
        for code, name in enumerate(_classes(model))
    ]  # fmt: skip
    for kind, (label, size, alpha, edge) in LOOKS.items():
        count = sum(rows.n_rows for name, rows in groups if name == kind)
        if not count:
            continue
        look = {"marker": "x"} if kind == "noisy" else {"marker": "o", "markeredgecolor": edge}
        lines.append(
            Line2D([], [], linestyle="none", color=palette.MUTED, alpha=alpha, markersize=size**0.5,
                   label=f"{label}: {count}", **look)  # type: ignore[arg-type]
        )  # fmt: skip
    axes.legend(handles=lines, loc="center left", bbox_to_anchor=(1.01, 0.5))
