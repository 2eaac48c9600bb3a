"""`hornbeam.show.importances`: which columns a model depends on, as bars. Plain SVG; nothing needs to be installed."""

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
        For a forest, the fraction of the gain of all splits that is due to each column; for another estimator, its
        `feature_importances_`. Importance computed in another way, such as by permutation, is given as a mapping.
    most : int
        The largest number of columns to draw; the picture notes how many were left out.
    title : str, optional
        The title.
    theme : str
        As for `cluster_map`.

    Returns
    -------
    str
        An SVG document.

    Examples
    --------
    >>> picture = importances({"petallength": 0.5, "petalwidth": 0.4, "sepalwidth": 0.0}, most=2)
    >>> "petallength: 0.5" in picture, "1 more column" in picture
    (True, True)
    """
    name, values = of_columns(model)
    ordered = sorted(values.items(), key=lambda item: -item[1])
    left = len(ordered) - most
    heading = f"{name}importance of columns" if title is None else title
    return bar_chart(
        [column for column, _ in ordered[:most]],
        [value for _, value in ordered[:most]],
        title=heading,
        subtitle=f"{plural(left, 'more column')}, of less importance" if left > 0 else "",
        x_label="" if hasattr(model, "items") else "fraction of the gain",
        theme=theme,
    )


def of_columns(model: Any) -> tuple[str, Mapping[str, float]]:  # noqa: ANN401 - dispatches on it
    """Return the beginning of a title, and the importance of columns by name.

    Parameters
    ----------
    model : Forest, fitted estimator, or mapping of name to float
        Where the importance comes from.

    Returns
    -------
    tuple
        ``"iris: "`` or nothing, and the importance by name.
    """
    if hasattr(model, "items"):
        return "", model
    found = getattr(model, "model_", model)
    schema = getattr(found, "schema", None)
    lead = "" if schema is None else f"{printable(schema.name, NAME_LIMIT)}: "
    if isinstance(found, Forest):
        return lead, importance_by_name(found)
    values = getattr(model, "feature_importances_", None)
    if values is None:
        msg = (
            f"no importance of columns is known for a {type(found).__name__}; expected a Forest, a fitted estimator "
            "with feature_importances_, or a mapping"
        )
        raise TypeError(msg)
    if schema is not None:
        names = [schema.columns[place].name for place in schema.features]
    else:
        names = [str(name) for name in getattr(model, "feature_names_in_", [f"x{i}" for i in range(len(values))])]
    return lead, dict(zip(names, map(float, values), strict=True))
