"""`hornbeam.show.importances`: which columns a model goes by, as bars. Plain SVG, nothing needs to be installed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from hornbeam.data.in_words import plural
from hornbeam.model.forests.forest import Forest
from hornbeam.show.charts.chart_rows import bar_chart
from hornbeam.show.texts.forests.forest_text import importance_by_name
from hornbeam.show.texts.wording import NAME_LIMIT, printable

if TYPE_CHECKING:
    from collections.abc import Mapping

MOST = 20


def importances(
    model: Any,  # noqa: ANN401 - dispatches on it
    *,
    most: int = MOST,
    title: str | None = None,
    theme: str = "auto",
) -> str:
    """Draw the importance of columns as bars, greatest first.

    Parameters
    ----------
    model : Forest, fitted estimator, or mapping of name to float
        Of a forest, each column's share of what all splits gained; of another estimator, its `feature_importances_`;
        importance that was found in another way, such as by permutation, comes as a mapping.
    most : int
        Draw no more columns than these, and tell how many were left out.
    title : str, optional
        A heading.
    theme : {"auto", "light", "dark"}
        Colors; by default as the page is in which the picture stands.

    Returns
    -------
    str
        The picture, as a whole SVG document.

    Examples
    --------
    >>> picture = importances({"petallength": 0.5, "petalwidth": 0.4, "sepalwidth": 0.0}, most=2)
    >>> "petallength: 0.5" in picture, "1 column more" in picture
    (True, True)
    """
    name, shares = of_columns(model)
    ordered = sorted(shares.items(), key=lambda item: -item[1])
    left = len(ordered) - most
    heading = f"{name}importance of columns" if title is None else title
    return bar_chart(
        [column for column, _ in ordered[:most]],
        [share for _, share in ordered[:most]],
        title=heading,
        subtitle=f"{plural(left, 'more column')}, of less importance" if left > 0 else "",
        x_label="" if hasattr(model, "items") else "share of the gain",
        theme=theme,
    )


def of_columns(model: Any) -> tuple[str, Mapping[str, float]]:  # noqa: ANN401 - dispatches on it
    """Give the importance of columns by name, after what a heading begins with.

    Parameters
    ----------
    model : Forest, fitted estimator, or mapping of name to float
        What tells it.

    Returns
    -------
    tuple
        ``"iris: "`` or nothing, and the figures.
    """
    if hasattr(model, "items"):
        return "", model
    found = getattr(model, "model_", model)
    schema = getattr(found, "schema", None)
    lead = "" if schema is None else f"{printable(schema.name, NAME_LIMIT)}: "
    if isinstance(found, Forest):
        return lead, importance_by_name(found)
    figures = getattr(model, "feature_importances_", None)
    if figures is None:
        msg = (
            f"cannot tell the importance of columns of a {type(found).__name__}; expected a Forest, a fitted estimator "
            "with feature_importances_, or a mapping"
        )
        raise TypeError(msg)
    if schema is not None:
        names = [schema.columns[place].name for place in schema.features]
    else:
        names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{i}" for i in range(len(figures))])]
    return lead, dict(zip(names, map(float, figures), strict=True))
