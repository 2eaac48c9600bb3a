"""A column in a cluster as text: its typical value, and that of the other rows."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.schema import Numeric
from hornbeam.show.texts.wording import DAY, NAME_LIMIT, date, printable, short_number

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.model.clusters.clustering import Trait

FEW = 2  # significant digits of a deviation
_ROUNDING = 1e-12  # of the mean: anything smaller is the rounding of sums


def name_of(trait: Trait) -> str:
    """The column's name."""
    return printable(trait.column, NAME_LIMIT)


def number_of(trait: Trait, value: float, schema: Schema) -> str:
    """A number of the column, or a date."""
    pattern = _pattern(trait, schema)
    return short_number(value) if pattern is None else printable(date(value, pattern))


def typical(trait: Trait, schema: Schema) -> str:
    """The mean and the standard deviation (of dates in days), or the most frequent category and its proportion.

    Examples
    --------
    >>> import hornbeam
    >>> clusters = hornbeam.KMeans(3, random_state=1).fit(hornbeam.read("iris")).model_
    >>> typical(clusters.describe()[0].traits[0], clusters.schema)
    '2.738 ± 0.29'
    """
    if trait.typical is None:
        return "no known value"
    if isinstance(trait.typical, str):
        return f"{printable(trait.typical, NAME_LIMIT)} ({whole_percent(trait.spread)})"
    spread = short_number(_without_rounding(trait, trait.spread), FEW)
    if _pattern(trait, schema) is not None:
        spread = f"{short_number(trait.spread / DAY, FEW)} days"
    return f"{number_of(trait, _without_rounding(trait, trait.typical), schema)} ± {spread}"


def _without_rounding(trait: Trait, value: float) -> float:
    """The value; 0 if it is only the rounding of sums."""
    assert isinstance(trait.typical, float)
    largest = max(abs(trait.typical), abs(trait.rest or 0.0))
    return value if abs(value) > _ROUNDING * largest else 0.0


def elsewhere(trait: Trait, schema: Schema) -> str:
    """The value in the rows of other clusters; nothing if it is unknown."""
    if trait.rest is None:
        return ""
    if trait.distinctive is None:
        return f"{number_of(trait, _without_rounding(trait, trait.rest), schema)} elsewhere"
    assert trait.distinctive_share is not None
    assert trait.distinctive_rest is not None
    here = f"{printable(trait.distinctive, NAME_LIMIT)} {whole_percent(trait.distinctive_share)}, " * (
        trait.distinctive != trait.typical
    )
    return f"{here}{whole_percent(trait.distinctive_rest)} elsewhere"


def apart(trait: Trait) -> str:
    """How far the cluster is from the rest."""
    return "" if trait.rest is None else f"{trait.apart:+.2f} sd"


def whole_percent(share: float) -> str:
    """A fraction as a percentage without decimals, but 0% and 100% only if it is exactly that.

    Examples
    --------
    >>> whole_percent(0.254), whole_percent(0.001), whole_percent(0.999), whole_percent(1.0)
    ('25%', '<1%', '>99%', '100%')
    """
    whole = round(100 * share)
    if (whole == 0 and share > 0) or (whole == 100 and share < 1):  # noqa: PLR2004 - per cent
        return "<1%" if whole == 0 else ">99%"
    return f"{whole}%"


def _pattern(trait: Trait, schema: Schema) -> str | None:
    if isinstance(trait.typical, str):  # categories, which may be those of several columns together
        return None
    column = schema.columns[schema.position(trait.column)]
    return column.format if isinstance(column, Numeric) else None
