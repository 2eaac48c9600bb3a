"""Which columns a model goes by, as a chart."""

from __future__ import annotations

from typing import Any

from hornbeam.show.pictures.importance_svg import of_columns
from hornbeam.show.plot import bar


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
    lead, shares = of_columns(model)
    first = dict(sorted(shares.items(), key=lambda item: -item[1])[:most])
    told = "" if hasattr(model, "items") else "share of the gain"
    return bar(first, axes=axes, title=f"{lead}importance of columns", y_label=told)
