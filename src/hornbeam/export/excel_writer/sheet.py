"""The formulas of one row of a sheet while they are written, within the limits of Excel.

Excel takes formulas of 8,192 characters (and 16,384 bytes of its own code, which short names and numbers reach first)
and functions nested 64 levels deep. A longer or deeper part is computed in a separate column.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from functools import reduce
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

LONGEST = 4_000  # characters of a formula: always below 16,384 bytes of code
DEEPEST = 60
MOST_COLUMNS = 16_384
MOST_ROWS = 1_048_576
LARGEST = 9.99999999999999e307
LONGEST_TEXT = 255  # inside a formula
LONGEST_CELL = 32_767
COMPARED = 12  # a column with more categories is compared by their numbers
ROW = "\0"  # stands for the number of the row
CELL = re.compile(rf"\$[A-Z]+{ROW}")
STRANGE = re.compile(r"[\x00-\x1f\x7f-\x9f\ufffe\uffff\ud800-\udfff]|_x[0-9A-Fa-f]{4}_")  # not safe inside a formula


class TooLongError(Exception):
    """A formula does not fit in one cell."""


@dataclass(frozen=True)
class Formula:
    """A formula, or a part of one: its text, and how deeply functions are nested."""

    text: str
    depth: int = 0


TRUE, FALSE, ZERO, ONE = Formula("TRUE"), Formula("FALSE"), Formula("0"), Formula("1")


@dataclass
class Sheet:
    """The formulas of a row.

    Parameters
    ----------
    columns : sequence of dict
        The columns of the program; they are the first columns of the sheet.
    target : dict
        What is predicted.
    n_outputs : int
        How many columns come next: the prediction and the probabilities.
    """

    columns: Sequence[Mapping[str, Any]]
    target: Mapping[str, Any]
    n_outputs: int
    helpers: list[tuple[str, str]] = field(default_factory=list)  # headings and formulas of the additional columns
    known: dict[str, Formula] = field(default_factory=dict)  # the columns that hold a formula already
    may_help: bool = True  # if False, a formula that does not fit raises TooLongError

    # ---- cells ----

    def place(self, column: int) -> str:
        """Return a column of the row, such as ``$C2``; the row number is filled in later."""
        return f"${letters(column)}{ROW}"

    def helper(self, title: str, formula: Formula) -> Formula:
        """Compute a formula in a separate column, unless there is one already."""
        if CELL.fullmatch(formula.text):
            return formula
        if formula.text not in self.known:
            self.helpers.append((title, formula.text))
            place = len(self.columns) + self.n_outputs + len(self.helpers) - 1
            if place >= MOST_COLUMNS:
                msg = (
                    f"cannot write this model as formulas: it needs more than the {MOST_COLUMNS:,} columns that a "
                    "sheet has; use python, c or sql"
                )
                raise ValueError(msg)
            self.known[formula.text] = Formula(self.place(place))
        return self.known[formula.text]

    # ---- parts of formulas ----

    def call(self, name: str, *parts: Formula) -> Formula:
        """Return a function call; if it would not fit, its longest arguments are computed in separate columns."""
        return self.joined(parts, ",", name)

    def joined(self, parts: Sequence[Formula], sign: str, name: str = "") -> Formula:
        """Return parts joined by an operator, in parentheses."""
        parts = list(parts)
        while True:
            text = f"{name}({sign.join(part.text for part in parts)})"
            depth = max((part.depth for part in parts), default=0) + 1
            if len(text) <= LONGEST and depth <= DEEPEST:
                return Formula(text, depth)
            worst = max(range(len(parts)), key=lambda k: (parts[k].depth >= DEEPEST, len(parts[k].text)))
            if not self.may_help or len(parts[worst].text) <= LONGEST // 16:
                raise TooLongError
            parts[worst] = self.helper("part", parts[worst])

    def many(self, parts: Sequence[Formula], combine: Callable[[list[Formula]], Formula]) -> Formula:
        """Combine any number of parts, such as terms of a sum, a few at a time."""
        parts = list(parts)
        while len(parts) > 1:
            groups: list[list[Formula]] = [[]]
            size = 0
            for part in parts:
                size += len(part.text) + 1
                if groups[-1] and (size > LONGEST // 2 or len(groups[-1]) >= 100):  # noqa: PLR2004 - Excel takes 255
                    groups.append([])
                    size = len(part.text) + 1
                groups[-1].append(part)
            if len(groups) == 1:
                return combine(groups[0])
            parts = [self.helper("part", combine(group)) if len(group) > 1 else group[0] for group in groups]
        return parts[0]

    def total(self, parts: Sequence[Formula]) -> Formula:
        """Return the sum of parts."""
        return self.many(parts, lambda group: self.joined(group, "+")) if parts else ZERO

    def either(self, parts: Sequence[Formula]) -> Formula:
        """Return whether one of some conditions holds."""
        parts = [part for part in parts if part != FALSE]
        if TRUE in parts:
            return TRUE
        return self.many(parts, lambda group: self.call("OR", *group)) if parts else FALSE

    def both(self, parts: Sequence[Formula]) -> Formula:
        """Return whether all of some conditions hold."""
        parts = [part for part in parts if part != TRUE]
        if FALSE in parts:
            return FALSE
        return self.many(parts, lambda group: self.call("AND", *group)) if parts else TRUE

    def choose(self, condition: Formula, yes: Formula, no: Formula) -> Formula:
        """Return one of two parts by a condition."""
        if condition == TRUE or yes == no:
            return yes
        return no if condition == FALSE else self.call("IF", condition, yes, no)

    def compare(self, left: Formula, sign: str, right: Formula) -> Formula:
        """Return a comparison."""
        return Formula(f"{left.text}{sign}{right.text}", max(left.depth, right.depth))

    def product(self, parts: Sequence[Formula]) -> Formula:
        """Return the product of parts."""
        parts = [part for part in parts if part != ONE]
        return reduce(lambda a, b: self.joined([a, b], "*"), parts) if parts else ONE

    # ---- values of the row ----

    def value(self, column: int) -> Formula:
        """Return the number of a row in a column; a date as seconds from 1970."""
        cell = self.place(column)
        if self.columns[column].get("format") is None:
            return Formula(cell)
        seconds = f'IF(ISNUMBER({cell}),ROUND(({cell}-25569)*86400,3),"")'
        return self.helper(f"seconds of {self.columns[column]['name']}", Formula(seconds))

    def is_known(self, column: int) -> Formula:
        """Return whether a row has a value in a column that the model knows."""
        described = self.columns[column]
        if described["kind"] == "numeric" or described["ordered"]:
            return Formula(f"ISNUMBER({self.number_of(column).text})", 1)
        return self.is_in(column, range(len(described["categories"])))

    def number_of(self, column: int) -> Formula:
        """Return the number of a row in a column: a number, or the index of an ordered category, else a text."""
        if self.columns[column]["kind"] == "numeric":
            return self.value(column)
        code = self.code(column).text
        index = Formula(f'IF({code}>0,{code}-1,"")')
        return self.helper(f"index of {self.columns[column]['name']}", index)

    def code(self, column: int) -> Formula:
        """Return the number of a category, counted from 1; 0 if the value is missing or unknown."""
        described, cell = self.columns[column], self.place(column)
        if not described["categories"]:
            return ZERO
        listed = self.listed(column)
        text = f"IF(ISBLANK({cell}),0,SUMPRODUCT(EXACT({cell},{listed})*(ROW({listed})-1)))"
        return self.helper(f"number of {described['name']}", Formula(text))

    def listed(self, column: int) -> str:
        """Return the cells with the categories of a column, or of the target, on the sheet of columns."""
        described = self.columns[column] if column < len(self.columns) else self.target
        name = letters(column)
        return f"columns!${name}$2:${name}${len(described['categories']) + 1}"

    def is_in(self, column: int, codes: Sequence[int]) -> Formula:
        """Return whether a row has one of some categories."""
        if not codes:
            return FALSE
        names = self.columns[column]["categories"]
        if len(names) > COMPARED or self.columns[column]["ordered"] or not all(map(is_plain, names)):
            code = self.code(column).text
            return self.either([_range(code, first, last) for first, last in _runs(sorted(codes))])
        cell = self.place(column)
        return self.either([_exactly(cell, names[code]) for code in codes])

    def compared(self, value: Formula, sign: str, cut: float) -> Formula:
        """Return the comparison of a known number with a cut."""
        if math.isinf(cut):
            return TRUE if (cut > 0) == (sign[0] == "<") else FALSE
        return self.compare(value, sign, number(cut))

    def named(self, code: int) -> Formula:
        """Return the name of a class."""
        name = self.target["categories"][code]
        if is_plain(name):
            return Formula(quoted(name))
        return Formula(f"columns!${letters(len(self.columns))}${code + 2}")


def number(value: float) -> Formula:
    """Return a number as a formula, to the last digit; no prediction is ``NA()``."""
    if math.isnan(value):
        return Formula("NA()", 1)
    if abs(value) > LARGEST:
        msg = f"cannot write the number {value!r} in a formula; the largest one that Excel has is {LARGEST!r}"
        raise ValueError(msg)
    text = str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value).upper()  # noqa: PLR2004
    return Formula(f"({text})" if value < 0 else text)


def is_plain(text: str) -> bool:
    """Whether a text can be written inside a formula."""
    return len(text) <= LONGEST_TEXT and not STRANGE.search(text)


def quoted(text: str) -> str:
    """Return a text quoted for a formula."""
    return '"' + text.replace('"', '""') + '"'


def letters(column: int) -> str:
    """Return the letters of a column, counted from 0: A, B, ..., Z, AA."""
    found = ""
    column += 1
    while column:
        column, rest = divmod(column - 1, 26)
        found = chr(ord("A") + rest) + found
    return found


def _exactly(cell: str, name: str) -> Formula:
    if not name:  # an empty text, and not an empty cell
        return Formula(f'AND(NOT(ISBLANK({cell})),EXACT({cell},""))', 2)
    return Formula(f"EXACT({cell},{quoted(name)})", 1)


def _runs(codes: Sequence[int]) -> list[tuple[int, int]]:
    """Return the first and the last of numbers that follow each other."""
    found: list[tuple[int, int]] = []
    for code in codes:
        if found and found[-1][1] == code - 1:
            found[-1] = (found[-1][0], code)
        else:
            found.append((code, code))
    return found


def _range(code: str, first: int, last: int) -> Formula:
    """Return whether the number of a category, counted from 1, lies in a run of codes, counted from 0."""
    if first == last:
        return Formula(f"{code}={first + 1}")
    return Formula(f"AND({code}>={first + 1},{code}<={last + 1})", 1)
