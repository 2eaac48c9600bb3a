"""`hornbeam.show.plot.margin`: the margin of a support vector machine over two columns, with its support vectors."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric
from hornbeam.data.takes_rows import takes_rows
from hornbeam.model.base.plain import ModelError
from hornbeam.model.svm.svm import SVM
from hornbeam.show.pictures import palette
from hornbeam.show.plot import Axes, drawing, scatter
from hornbeam.show.texts.wording import printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.data.table import Table

STEPS = 200  # grid points along an axis
BEYOND = 0.08  # margin on every side, as a fraction of the range


@takes_rows()
def margin(
    model: Any,  # noqa: ANN401 - an SVM, or an estimator with one
    columns: Sequence[str | int] | None = None,
    table: Table | None = None,
    *,
    machine: int = 0,
    axes: Axes = None,
) -> Axes:
    """Draw the decision boundary of a support vector machine and its margin over two numeric columns.

    Parameters
    ----------
    model : SVM or fitted estimator
    columns : two names or positions, optional
        The horizontal and the vertical axis; by default the first two numeric features. Other columns are treated as
        missing, so the model uses its typical values.
    table : Table, optional
        Rows to draw too; by default only the support vectors.
    machine : int
        Which pair of classes.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("iris")
    >>> svm = hornbeam.SVMClassifier(kernel="linear").fit(table.select(["petallength", "petalwidth", "class"]))
    >>> margin(svm, table=table).get_xlabel()
    'petallength'
    """
    found = getattr(model, "model_", model)
    if not isinstance(found, SVM) or found.kept is None:
        msg = f"expected a support vector machine with its rows to draw a margin; found a {type(found).__name__}"
        raise TypeError(msg)
    places = _two(found, columns)
    rows = found.kept if table is None else table
    names = [found.schema.columns[place].name for place in places]
    spans = [_span(rows.column(name), found.kept.column(name)) for name in names]
    labels = {"x_label": names[0], "y_label": names[1], "title": f"margin of {found.schema.target_column.name}"}
    with drawing(axes, labels) as (here, _):
        _regions(found, here, places, spans, machine)
        truth = _groups(found, rows)
        known = ~np.isnan(rows.column(names[0])) & ~np.isnan(rows.column(names[1]))
        groups = None if truth is None else [truth[i] for i in np.flatnonzero(known)]
        scatter(rows.column(names[0])[known], rows.column(names[1])[known], groups, axes=here)
        chosen = found.support(machine)
        here.scatter(
            found.kept.column(names[0])[chosen], found.kept.column(names[1])[chosen], s=90, facecolors="none",
            edgecolors=palette.INK, linewidths=0.9, zorder=4, label="support vectors",
        )  # fmt: skip
        here.legend(loc="best")
    return here


def _two(model: SVM, columns: Sequence[str | int] | None) -> list[int]:
    features = [f for f in model.schema.features if isinstance(model.schema.columns[f], Numeric)]
    places = features[:2] if columns is None else [model.schema.position(column) for column in columns]
    if len(places) != 2 or not set(places) <= set(features):  # noqa: PLR2004 - across and up
        raise ModelError("a margin needs two numeric features; name them with columns=")
    return places


def _span(rows: Any, kept: Any) -> tuple[float, float]:  # noqa: ANN401 - numbers
    both = np.concatenate([rows, kept])
    low, high = float(np.nanmin(both)), float(np.nanmax(both))
    more = BEYOND * (high - low or 1.0)
    return low - more, high + more


def _regions(model: SVM, here: Any, places: list[int], spans: list[tuple[float, float]], machine: int) -> None:  # noqa: ANN401
    """Draw the decision values on a grid: a line at zero and edges at -1 and 1; contours if numbers are predicted."""
    across, up = (np.linspace(*span, STEPS) for span in spans)
    x, y = np.meshgrid(across, up)
    kept = model.kept
    assert kept is not None
    columns = [
        np.full(x.size, -1, np.int32) if isinstance(column, Nominal) else np.full(x.size, np.nan)
        for column in model.schema.columns
    ]
    columns[places[0]], columns[places[1]] = x.ravel(), y.ravel()
    values = model.decisions(type(kept)(model.schema, columns))[:, machine].reshape(x.shape)
    if model.task == "regression":
        lines = here.contour(x, y, values, 8, colors=palette.MUTED, linewidths=0.8)
        here.clabel(lines)
        return
    first, second = palette.CATEGORIES[0], palette.CATEGORIES[1]
    here.contourf(x, y, values, [-np.inf, 0.0, np.inf], colors=[first, second], alpha=0.12)
    here.contour(x, y, values, [-1.0, 0.0, 1.0], colors=palette.INK, linestyles=["--", "-", "--"], linewidths=1.0)


def _groups(model: SVM, rows: Table) -> list[str] | None:
    target = model.schema.target_column
    if not isinstance(target, Nominal) or target.name not in rows.schema.names:
        return None
    categories = rows.schema.columns[rows.schema.position(target.name)].categories  # type: ignore[union-attr]
    return ["?" if code < 0 else printable(categories[code]) for code in rows.column(target.name).tolist()]
