"""Which columns a forest goes by, as a chart."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.model.forest import Forest
from hornbeam.show.forest_text import importance_by_name
from hornbeam.show.plot import bar
from hornbeam.show.wording import printable

if TYPE_CHECKING:
    from collections.abc import Mapping


def importance(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    most: int = 20,
    axes: Any = None,  # noqa: ANN401 - matplotlib's
) -> Any:  # noqa: ANN401 - matplotlib's Axes
    """Draw the importance of columns as bars, greatest first.

    Parameters
    ----------
    model : Forest, fitted estimator of one, or mapping of name to float
        Of a forest, each column's share of what all splits gained; importance that was found in another way, such as by
        permutation, comes as a mapping.
    most : int
        Draw no more columns than these.
    axes : matplotlib.axes.Axes, optional
        Where to draw; by default a new figure.

    Returns
    -------
    matplotlib.axes.Axes

    Examples
    --------
    >>> axes = importance({"petallength": 0.5, "petalwidth": 0.4, "sepalwidth": 0.0}, most=2)
    >>> [label.get_text() for label in axes.get_xticklabels()]
    ['petallength', 'petalwidth']
    """
    found = getattr(model, "model_", model)
    title = "importance"
    shares: Mapping[str, float] = found
    if isinstance(found, Forest):
        shares = importance_by_name(found)
        title = f"{printable(found.schema.name, 40)}: importance of columns"
    elif not hasattr(found, "items"):
        msg = f"cannot tell the importance of columns of a {type(found).__name__}; expected a Forest or a mapping"
        raise TypeError(msg)
    first = dict(sorted(shares.items(), key=lambda item: -item[1])[:most])
    return bar(first, axes=axes, title=title, y_label="share of the gain" if isinstance(found, Forest) else "")
