"""Missing values as values of their own, for a learner that has no branch for them.

A column in which values are missing becomes columns in which none is: a nominal one gets a category more; of a number
there are two, one with the missing values below all others and one with them above, so that a cut puts them on the
side that does better, or parts them from all numbers. What was learned is then said of the table as it was.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.model.base.condition import MOST, Above, AtMost, Condition, IsIn, IsMissing

if TYPE_CHECKING:
    from numpy.typing import NDArray


@dataclass(frozen=True)
class Stand:
    """What a column of the new table stands for.

    Parameters
    ----------
    place : int
        Position of the column in the table as it was.
    where : {"nowhere", "category", "below", "above"}
        Where missing values are: none is there, in the last category, below or above all numbers.
    limit : float
        The number next to them; of categories, their code.
    """

    place: int
    where: Literal["nowhere", "category", "below", "above"] = "nowhere"
    limit: float = 0.0


@dataclass(frozen=True)
class OwnValues:
    """A table without missing values in its features, and what its columns stand for."""

    table: Table
    stands: tuple[Stand, ...]

    def as_before(self, condition: Condition) -> Condition:
        """Say a condition on a column of the new table of the one that it stands for."""
        stand = self.stands[condition.column]
        if isinstance(condition, IsIn) and stand.where == "category":
            codes = tuple(code for code in condition.codes if code != stand.limit)
            own = len(codes) < len(condition.codes)
            return IsIn(stand.place, codes, float(own)) if codes else IsMissing(stand.place)
        if isinstance(condition, AtMost | Above) and stand.where in {"below", "above"}:
            with_missing = isinstance(condition, AtMost) == (stand.where == "below")
            alone = condition.value < stand.limit if stand.where == "below" else condition.value >= stand.limit
            if alone:
                return IsMissing(stand.place) if with_missing else AtMost(stand.place, MOST)
            return replace(condition, column=stand.place, if_missing=float(with_missing))
        return replace(condition, column=stand.place)


def own_values(table: Table) -> OwnValues:
    """Make missing values of a table's features values of their own.

    Parameters
    ----------
    table : Table
        Any table; columns without missing values, or with nothing else, stay as they are.

    Examples
    --------
    >>> import numpy as np
    >>> schema = Schema((Numeric("x"), Nominal("class", ("a", "b"))), ("feature", "target"))
    >>> own = own_values(Table(schema, [np.array([1.0, np.nan, 3.0]), np.array([0, 1, 1], np.int32)]))
    >>> [column.tolist() for column in own.table.columns]
    [[1.0, -2.0, 3.0], [1.0, 6.0, 3.0], [0, 1, 1]]
    >>> own.as_before(AtMost(0, -2.0)), own.as_before(Above(1, 2.0))
    (IsMissing(column=0, if_missing=1.0, as_missing=()), Above(column=0, value=2.0, if_missing=1.0))
    """
    names = {column.name for column in table.schema.columns}
    columns: list[Numeric | Nominal] = []
    roles: list[Any] = []
    arrays: list[NDArray[Any]] = []
    stands: list[Stand] = []
    for place, (column, role) in enumerate(zip(table.schema.columns, table.schema.roles, strict=True)):
        values = table.columns[place]
        made: list[tuple[Numeric | Nominal, NDArray[Any], Stand]] = [(column, values, Stand(place))]
        if role == "feature":
            lacking = column.missing(values)
            if lacking.any() and isinstance(column, Nominal) and not column.ordered:
                made = [_with_category(column, values, place)]
            elif lacking.any() and not lacking.all():
                made = _with_numbers(column, values.astype(np.float64), lacking, place, names) or made
        for new, array, stand in made:
            columns.append(new)
            roles.append(role)
            arrays.append(array)
            stands.append(stand)
    return OwnValues(Table(Schema(tuple(columns), tuple(roles)), arrays, copy=False), tuple(stands))


def _with_category(column: Nominal, codes: NDArray[Any], place: int) -> tuple[Nominal, NDArray[Any], Stand]:
    own = len(column.categories)
    name = _new_name("missing", set(column.categories))
    filled = np.where(codes < 0, own, codes).astype(np.int32)
    return replace(column, categories=(*column.categories, name)), filled, Stand(place, "category", own)


def _with_numbers(
    column: Numeric | Nominal, values: NDArray[np.float64], lacking: NDArray[np.bool_], place: int, names: set[str]
) -> list[tuple[Numeric | Nominal, NDArray[Any], Stand]]:
    known = values[~lacking]
    low, high = float(known.min()), float(known.max())
    # far enough to be another number, however large the numbers are; halves, since all may be as large as can be
    apart = 2.0 * max(high / 2.0 - low / 2.0, 0.5, abs(low) / 2.0, abs(high) / 2.0)
    made: list[tuple[Numeric | Nominal, NDArray[Any], Stand]] = []
    for where, limit, beyond in (("below", low, max(low - apart, -MOST)), ("above", high, min(high + apart, MOST))):
        if beyond == limit:  # there is no number beyond
            continue
        new = Numeric(_new_name(f"{column.name}, missing {where}", names))
        names.add(new.name)
        stand = Stand(place, "below" if where == "below" else "above", limit)
        made.append((new, np.where(lacking, beyond, values), stand))
    return made


def _new_name(wanted: str, taken: set[str]) -> str:
    while wanted in taken:
        wanted += "'"
    return wanted
