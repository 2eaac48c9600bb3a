"""Conditions of rules, tree paths and explanations.

A condition tests one column, given by its position in the schema, and gives every row a weight: 1 if it holds, 0 if it
does not, `if_missing` if the value is missing.
"""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data import dates
from hornbeam.data.schema import Nominal, Numeric, Schema, is_missing
from hornbeam.model.base import plain
from hornbeam.model.base.plain import ModelError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import ArrayLike

    from hornbeam.core.base.arrays import AnyArray, Floats
    from hornbeam.data.table import Table


MOST = sys.float_info.max  # "at most this" only means that there is a value


@dataclass(frozen=True, slots=True)
class _Bound:
    """Base of the four comparisons with a number."""

    column: int
    value: float
    if_missing: float = 0.0

    def __post_init__(self) -> None:
        _check_weight(self.if_missing)
        if not math.isfinite(self.value):
            msg = f"a condition compares with {self.value}; expected a finite number"
            raise ModelError(msg)

    def holds(self, table: Table) -> Floats:
        """Return the weight with which each row passes; the table has the model's columns in the model's order."""
        values = table.columns[self.column]
        passed = np.asarray(self._compare(values), np.float64)
        passed[is_missing(values)] = self.if_missing
        return passed

    def _compare(self, values: AnyArray) -> ArrayLike:
        raise NotImplementedError

    def describe(self, schema: Schema) -> str:
        """Return the condition in words, with the names of the schema."""
        column = schema.columns[self.column]
        if isinstance(self, AtMost) and self.value == MOST:
            return f"{printable(column.name)} is known"
        if isinstance(column, Numeric):
            return f"{printable(column.name)} {SIGNS[type(self)]} {describe_number(column, self.value)}"
        return self._describe_order(column)

    def _describe_order(self, column: Nominal) -> str:
        """Describe a cut between codes of an ordered column by the nearest category that passes."""
        low_side = isinstance(self, AtMost | Below)
        strict = isinstance(self, Below | Above)
        if low_side:
            code, sign = (math.ceil(self.value) - 1 if strict else math.floor(self.value)), "<="
        else:
            code, sign = (math.floor(self.value) + 1 if strict else math.ceil(self.value)), ">="
        if not 0 <= code < len(column.categories):
            return f"{printable(column.name)} {sign} code {code}"
        return f"{printable(column.name)} {sign} {printable(column.categories[code])}"


@dataclass(frozen=True, slots=True)
class AtMost(_Bound):
    """The value is at most a number."""

    def _compare(self, values: AnyArray) -> ArrayLike:
        return values <= self.value


@dataclass(frozen=True, slots=True)
class Below(_Bound):
    """The value is below a number."""

    def _compare(self, values: AnyArray) -> ArrayLike:
        return values < self.value


@dataclass(frozen=True, slots=True)
class Above(_Bound):
    """The value is above a number."""

    def _compare(self, values: AnyArray) -> ArrayLike:
        return values > self.value


@dataclass(frozen=True, slots=True)
class AtLeast(_Bound):
    """The value is at least a number."""

    def _compare(self, values: AnyArray) -> ArrayLike:
        return values >= self.value


SIGNS: dict[type, str] = {AtMost: "<=", Below: "<", Above: ">", AtLeast: ">="}


@dataclass(frozen=True, slots=True)
class IsIn:
    """The category is in a set."""

    column: int  # position in the schema
    codes: tuple[int, ...]  # categories that pass, in rising order
    if_missing: float = 0.0  # weight of a row without a value
    as_missing: tuple[int, ...] = ()  # categories that count as missing, since they did not occur in training

    def __post_init__(self) -> None:
        _check_weight(self.if_missing)
        object.__setattr__(self, "codes", tuple(sorted(set(self.codes) - set(self.as_missing))))
        object.__setattr__(self, "as_missing", tuple(sorted(set(self.as_missing))))

    def holds(self, table: Table) -> Floats:
        """Return the weight with which each row passes; the table has the model's columns in the model's order."""
        codes = table.columns[self.column]
        column = table.schema.columns[self.column]
        # One entry more than there are categories: code -1 (missing) indexes the last.
        passes = np.zeros(len(column.categories) + 1 if isinstance(column, Nominal) else 1)
        passes[list(self.codes)] = 1.0
        passes[[*self.as_missing, -1]] = self.if_missing
        weights: Floats = passes[codes]
        return weights

    def describe(self, schema: Schema) -> str:
        """Return the condition in words, with the names of the schema."""
        column = schema.columns[self.column]
        names = [printable(column.categories[code]) for code in self.codes] if isinstance(column, Nominal) else []
        if len(names) == 1:
            return f"{printable(column.name)} = {names[0]}"
        return f"{printable(column.name)} in {{{', '.join(names)}}}"


@dataclass(frozen=True, slots=True)
class IsMissing:
    """The value is missing: such a row passes with weight `if_missing`, any other row does not."""

    column: int  # position in the schema
    if_missing: float = 1.0  # weight of a row without a value
    as_missing: tuple[int, ...] = ()  # categories that count as missing

    def __post_init__(self) -> None:
        _check_weight(self.if_missing)
        object.__setattr__(self, "as_missing", tuple(sorted(set(self.as_missing))))

    def holds(self, table: Table) -> Floats:
        """Return the weight with which each row passes; the table has the model's columns in the model's order."""
        values = table.columns[self.column]
        missing = is_missing(values) | np.isin(values, self.as_missing)
        return np.where(missing, self.if_missing, 0.0)

    def describe(self, schema: Schema) -> str:
        """Return the condition in words, with the names of the schema."""
        return f"{printable(schema.columns[self.column].name)} is missing"


Condition = AtMost | Below | Above | AtLeast | IsIn | IsMissing


def check_condition(condition: Condition, schema: Schema) -> None:
    """Raise an error for a condition on a column or code that the schema does not have, or of the wrong kind."""
    if not 0 <= condition.column < len(schema.columns):
        msg = f"a condition tests column {condition.column}; the schema has {len(schema.columns)} columns"
        raise ModelError(msg)
    column = schema.columns[condition.column]
    if schema.roles[condition.column] != "feature":
        msg = f"a condition tests column {column.name!r}, which is not a feature"
        raise ModelError(msg)
    if isinstance(condition, _Bound):
        return
    codes = (*(condition.codes if isinstance(condition, IsIn) else ()), *condition.as_missing)
    if isinstance(column, Numeric):
        if codes or isinstance(condition, IsIn):
            msg = f"a condition tests categories of column {column.name!r}, which is numeric"
            raise ModelError(msg)
    elif any(not 0 <= code < len(column.categories) for code in codes):
        msg = f"a condition on column {column.name!r} names a code outside its {len(column.categories)} categories"
        raise ModelError(msg)


def simplify(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Merge the conditions on one column, without changing any row's weight.

    Of several upper (or lower) bounds the tightest is kept, in the place of the first; sets of categories are
    intersected; "is missing" absorbs any bound or set. The weights of a missing value are multiplied. Sets that
    disagree on which categories count as missing are not merged.

    Examples
    --------
    >>> simplify([Above(0, 38.5, 0.5), Above(0, 45.0, 0.5)])
    (Above(column=0, value=45.0, if_missing=0.25),)
    """
    merged: list[Condition] = []
    for condition in conditions:
        for place, earlier in enumerate(merged):
            both = _merge(earlier, condition) if earlier.column == condition.column else None
            if both is not None:
                merged[place] = both
                break
        else:
            merged.append(condition)
    # After a merge, more conditions may be mergeable ("is missing" after a lower and an upper bound).
    return tuple(merged) if len(merged) == len(conditions) else simplify(merged)


def _merge(one: Condition, other: Condition) -> Condition | None:
    """One condition whose weights are the products of both, or None if there is no such condition."""
    weight = one.if_missing * other.if_missing
    for first, second in ((one, other), (other, one)):
        if isinstance(first, IsMissing):
            if isinstance(second, _Bound):
                return replace(first, if_missing=weight) if not first.as_missing else None
            return replace(first, if_missing=weight) if first.as_missing == second.as_missing else None
    if isinstance(one, IsIn) and isinstance(other, IsIn):
        if one.as_missing != other.as_missing:
            return None
        return replace(one, codes=tuple(code for code in one.codes if code in other.codes), if_missing=weight)
    for loose, strict, sign in ((AtMost, Below, 1.0), (AtLeast, Above, -1.0)):
        if isinstance(one, loose | strict) and isinstance(other, loose | strict):
            # The tighter bound; of equal bounds the strict one.
            tighter = min(one, other, key=lambda c: (sign * c.value, isinstance(c, loose)))
            return replace(tighter, if_missing=weight)
    return None


def printable(name: str) -> str:
    """Return a name from the data with control characters escaped, so that printing it is safe."""
    return name if name.isprintable() else "".join(c if c.isprintable() else repr(c)[1:-1] for c in name)


def describe_number(column: Numeric, value: float) -> str:
    """Return a number of a column in its shortest exact form, or as a date where the column holds dates."""
    if column.format is not None:
        return printable(dates.show(value, column.format))
    text = repr(float(value))
    return text.removesuffix(".0")


def _check_weight(weight: float) -> None:
    if not 0.0 <= weight <= 1.0:
        msg = f"if_missing is {weight}; expected a number from 0 to 1"
        raise ModelError(msg)


_BOUNDS: dict[str, type[AtMost | Below | Above | AtLeast]] = {
    "at most": AtMost,
    "below": Below,
    "above": Above,
    "at least": AtLeast,
}
_BOUND_NAMES = {kind: name for name, kind in _BOUNDS.items()}
_IS_IN, _IS_MISSING = "is in", "is missing"


def condition_to_plain(condition: Condition) -> dict[str, Any]:
    """Return a condition as plain data for a model file."""
    shared: dict[str, Any] = {"column": condition.column, "if_missing": condition.if_missing}
    if isinstance(condition, IsIn):
        return {"is": _IS_IN, **shared, "codes": list(condition.codes), "as_missing": list(condition.as_missing)}
    if isinstance(condition, IsMissing):
        return {"is": _IS_MISSING, **shared, "as_missing": list(condition.as_missing)}
    return {"is": _BOUND_NAMES[type(condition)], **shared, "value": condition.value}


def condition_from_plain(entry: Any) -> Condition:  # noqa: ANN401 - whatever a file holds
    """Read a condition; whether it fits a schema is not checked."""
    kind, column = plain.entry(entry, "is"), plain.whole(plain.entry(entry, "column"))
    if_missing = plain.number(plain.entry(entry, "if_missing"))
    if kind == _IS_IN:
        codes, as_missing = (plain.codes(plain.entry(entry, name)) for name in ("codes", "as_missing"))
        return IsIn(column, codes, if_missing, as_missing)
    if kind == _IS_MISSING:
        return IsMissing(column, if_missing, plain.codes(plain.entry(entry, "as_missing")))
    if isinstance(kind, str) and kind in _BOUNDS:
        return _BOUNDS[kind](column, plain.number(plain.entry(entry, "value")), if_missing)
    msg = f"unknown condition {kind!r}"
    raise ModelError(msg)
