"""Predicates of PMML trees as tests of one column: cuts and sets of categories."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.model.base.plain import ModelError
from hornbeam.model.imported.draft import EVERY_NUMBER

if TYPE_CHECKING:
    from collections.abc import Sequence
    from xml.etree.ElementTree import Element

    from hornbeam.data.schema import Column

PREDICATES = ("SimplePredicate", "SimpleSetPredicate", "CompoundPredicate", "True", "False")
WORD = re.compile(r'"((?:[^"\\]|\\.)*)"|(\S+)')


@dataclass(frozen=True)
class Test:
    """A test of a column: true for numbers up to (or above) a cut, or for some categories.

    A test without a column is always true or always false.
    """

    column: int = -1
    cut: float = 0.0
    below: bool = True  # whether numbers up to the cut pass
    codes: frozenset[int] | None = None  # categories that pass
    missing: bool | None = None  # whether a missing value passes; None: it is not known
    always: bool = False
    surrogates: Sequence[Test] = field(default=())

    def is_opposite(self, other: Test, n_categories: int) -> bool:
        """Whether every known value passes at least one of two tests."""
        if self.column != other.column:
            return False
        if self.codes is not None and other.codes is not None:
            return len(self.codes | other.codes) == n_categories
        return self.codes is None and other.codes is None and self.cut == other.cut and self.below != other.below


def local(element: Element) -> str:
    """Return the name of an element without its namespace."""
    return element.tag.rpartition("}")[2]


def part_of(element: Element, name: str) -> Element:
    """Return the first child of a name."""
    for child in element:
        if local(child) == name:
            return child
    msg = f"the {local(element)} has no {name}"
    raise ModelError(msg)


def predicate_of(node: Element) -> Element:
    """Return the predicate of a node or segment."""
    for child in node:
        if local(child) in PREDICATES:
            return child
    msg = f"the {local(node)} {node.get('id', '')!r} has no predicate; expected one of {', '.join(PREDICATES)}"
    raise ModelError(msg)


class Tests:
    """Reads predicates about some columns."""

    def __init__(self, columns: Sequence[Column], single: Sequence[bool]) -> None:
        self.columns, self.single = columns, single
        self.place = {column.name: k for k, column in enumerate(columns)}

    def read(self, element: Element) -> Test:
        """Return a predicate as a test."""
        kind = local(element)
        if kind in ("True", "False"):
            return Test(always=kind == "True")
        if kind == "CompoundPredicate":
            return self._compound(element)
        column = self._column(element)
        if kind == "SimplePredicate":
            return self._simple(element, column)
        names = words_of(element)
        passes = frozenset(self._code(column, name) for name in names)
        if element.get("booleanOperator") == "isNotIn":
            passes = self._every(column) - passes
        return Test(column, codes=passes)

    def _column(self, element: Element) -> int:
        name = element.get("field", "")
        if name not in self.place:
            msg = f"a predicate uses the field {name!r}, which is not a column of the data (a computed field?)"
            raise ModelError(msg)
        return self.place[name]

    def _simple(self, element: Element, column: int) -> Test:
        operator, value = element.get("operator", ""), element.get("value", "")
        if operator in ("isMissing", "isNotMissing"):
            is_missing = operator == "isMissing"
            known = frozenset() if is_missing else self._every(column)
            if isinstance(self.columns[column], Nominal):
                return Test(column, codes=known, missing=is_missing)
            return Test(column, EVERY_NUMBER, below=not is_missing, missing=is_missing)
        if isinstance(self.columns[column], Nominal):
            if operator not in ("equal", "notEqual"):
                msg = f"the column {self.columns[column].name!r} has categories; found the operator {operator!r}"
                raise ModelError(msg)
            passes = frozenset([self._code(column, value)])
            return Test(column, codes=passes if operator == "equal" else self._every(column) - passes)
        return self._cut(column, operator, value)

    def _cut(self, column: int, operator: str, value: str) -> Test:
        try:
            number = float(value)
        except ValueError:
            number = math.nan
        if operator not in ("lessOrEqual", "lessThan", "greaterThan", "greaterOrEqual") or math.isnan(number):
            msg = (
                f"the column {self.columns[column].name!r} has numbers; found the test {operator} {value!r}, expected "
                "lessOrEqual, lessThan, greaterThan or greaterOrEqual of a number"
            )
            raise ModelError(msg)
        kind = np.float32 if self.single[column] else np.float64
        cut = kind(number)
        if operator in ("lessThan", "greaterOrEqual"):
            cut = np.nextafter(cut, kind(-np.inf))
        return Test(column, float(cut), below=operator.startswith("less"))

    def _compound(self, element: Element) -> Test:
        operator = element.get("booleanOperator", "")
        parts = [self.read(child) for child in element if local(child) in PREDICATES]
        if operator == "surrogate" and parts:
            # a constant at the end applies if no value is known
            last = parts[-1] if parts[-1].column < 0 else None
            first, *others = parts[:-1] if last is not None else parts
            return replace(first, surrogates=tuple(others), missing=first.missing if last is None else last.always)
        if operator in ("or", "and") and parts and all(part.codes is not None for part in parts):
            joined = self._joined(operator, parts)
            if joined is not None:
                return joined
        if operator == "or" and len(parts) == 2 and parts[0].column == parts[1].column:  # noqa: PLR2004
            for one, other in (parts, parts[::-1]):
                if one.missing and not (one.codes or (one.codes is None and one.below)):  # it is isMissing
                    return replace(other, missing=True)
        if operator == "and" and len(parts) == 2 and parts[0].column == parts[1].column:  # noqa: PLR2004
            for one, other in (parts, parts[::-1]):
                if one.missing is False and (one.codes == self._every(one.column) or one.cut == EVERY_NUMBER):
                    return replace(other, missing=False)
        msg = (
            f"a compound predicate combines {len(parts)} tests by {operator!r}; expected a surrogate, tests of the "
            "categories of one column, or a test and isMissing"
        )
        raise ModelError(msg)

    def _joined(self, operator: str, parts: Sequence[Test]) -> Test | None:
        """Return several tests of the categories of one column as one; None if they are not."""
        if len({part.column for part in parts}) > 1:
            return None
        sets = [part.codes for part in parts if part.codes is not None]
        if operator == "or":
            passes = True if any(part.missing for part in parts) else None
            return Test(parts[0].column, codes=frozenset().union(*sets), missing=passes)
        passes = False if any(part.missing is False for part in parts) else None
        return Test(parts[0].column, codes=sets[0].intersection(*sets), missing=passes)

    def _every(self, column: int) -> frozenset[int]:
        asked = self.columns[column]
        return frozenset(range(len(asked.categories))) if isinstance(asked, Nominal) else frozenset()

    def _code(self, column: int, value: str) -> int:
        asked = self.columns[column]
        if not isinstance(asked, Nominal):
            msg = f"the column {asked.name!r} has numbers; found a test of the category {value!r}"
            raise ModelError(msg)
        try:
            return asked.categories.index(value)
        except ValueError:
            msg = f"column {asked.name!r}: a test names the category {value!r}, which the data dictionary does not list"
            raise ModelError(msg) from None


def words_of(element: Element) -> list[str]:
    """Return the values of the array inside an element."""
    for child in element:
        if local(child) == "Array":
            found = WORD.findall(child.text or "")
            return [bare or re.sub(r"\\(.)", r"\1", quoted) for quoted, bare in found]
    raise ModelError("a set predicate has no array of values")
