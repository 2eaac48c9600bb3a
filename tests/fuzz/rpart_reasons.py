"""Why a table may be learned otherwise by rpart: documented differences, each shown to be the whole of the difference.

Every reason is a row of "Where hornbeam differs" in docs/compat.md.
"""

from __future__ import annotations

import math
import re
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from fuzz.random_tables import WEIGHT, Drawn
from fuzz.rpart_claims import BINARY, has_value, n_classes
from fuzz.rpart_compare import compare, estimator

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.cart import EXHAUSTIVE
from hornbeam.show import text

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.rpart_compare import Differences
    from fuzz.rpart_process import Options, Reply, Rpart

    from hornbeam.data.table import Table

PROBABILITIES = re.compile(r"\(([^()]*)\)( [ *])$")
NEARLY_ZERO = 1e-9
LAST_DIGIT = 1.01  # units in the last printed place


class Case:
    """A table, what both programs make of it, and the program itself to ask again."""

    def __init__(
        self, pair: Drawn, options: Options, reply: Reply, found: Differences, rpart: Rpart, *, compat: bool
    ) -> None:
        self.pair, self.options, self.reply, self.found, self.rpart = pair, options, reply, found, rpart
        self.compat = compat

    @property
    def agrees_with_compat(self) -> bool:
        """Whether nothing differs once the estimator is told to follow rpart."""
        return not self.compat and not compare(self.pair, self.options, self.reply)

    def agrees_on(self, training: Table, asked: Table) -> bool:
        """Whether both programs agree on other rows, but for what is printed, and for rows that nothing can send."""
        other = Drawn(training, asked)
        reply = self.rpart.fit(other, self.options)
        if reply.error:
            return False
        found = compare(other, self.options, reply, compat=self.compat)
        case = Case(other, self.options, reply, found, self.rpart, compat=self.compat)
        return not found or constant_target(case) or last_digit(case) or last_resort(case)


def constant_target(case: Case) -> bool:
    """All rows that rpart learns from have the same number: it divides the errors of its table by zero."""
    table = case.pair.training
    if table.schema.with_role("weight") is None:
        table = table.take(has_value(table))
    target = table.target_values()
    known = target[~np.isnan(target)] if target.dtype.kind == "f" else target[target >= 0]
    return (
        len(np.unique(known)) == 1
        and not replace(case.found, table="")
        and all(math.isnan(row[0]) and row[1] == 0 and math.isnan(row[2]) for row in case.reply.table)
    )


def no_values(case: Case) -> bool:
    """No feature has a value in any row: rpart learns from no rows at all."""
    return not has_value(case.pair.training).any()


def rows_without_values(case: Case) -> bool:
    """Rows without any value are all there are of a class: rpart leaves them out, and keeps the class."""
    table = case.pair.training
    some = table.take(has_value(table))
    whole = isinstance(table.schema.target_column, Nominal) and n_classes(some) < n_classes(table)
    return table.schema.with_role("weight") is None and whole and case.agrees_on(some, case.pair.asked)


def weights_of_one(case: Case) -> bool:
    """All weights are one: rpart then keeps rows without any value, which it leaves out where no weights are given."""
    table, asked = case.pair.training, case.pair.asked
    if table.schema.with_role("weight") is None or table.weights is not None or has_value(table).all():
        return False
    names = [name for name in table.schema.names if name != WEIGHT]
    return case.agrees_on(table.take(has_value(table)).select(names), asked.select(names))


def light_class(case: Case) -> bool:
    """The rows of a class weigh less than one in all: rpart then gives it too small a probability."""
    table = case.pair.training
    if not isinstance(table.schema.target_column, Nominal) or table.weights is None:
        return False
    codes = table.target_values()
    known = codes >= 0
    counts = np.bincount(codes[known], table.weights[known], len(table.schema.target_column.categories))
    learned = estimator(table, case.options).fit(table)
    factor = np.where(counts < 1, counts, 1.0)
    if not (factor[counts > 0] < 1).any() or replace(case.found, text="", predictions=""):
        return False
    value = learned.model_.value * factor
    learned.model_ = replace(learned.model_, value=value, weight=value.sum(axis=1))
    return _alike(text(learned, style="rpart"), case.reply.text) and _same_probabilities(learned, case)


def last_digit(case: Case) -> bool:
    """A printed probability is rounded the other way; all else is the same."""
    return _only_digits(case, case.found, compat=case.compat)


def last_resort(case: Case) -> bool:
    """Some rows to predict can be sent by neither split nor surrogate: by default they go as rows did in training.

    The printed tree is the same, but for the last digit of probabilities.
    """
    if case.compat or not case.found.predictions:
        return False
    followed = compare(case.pair, case.options, case.reply)
    printed = replace(case.found, predictions="")
    return _only_digits(case, followed, compat=True) and _only_digits(case, printed, compat=False)


def equal_numbers(case: Case) -> bool:
    """A leaf of equal numbers has no deviance here; in rpart rounding leaves some, and all are printed otherwise."""
    if replace(case.found, text="") or not case.agrees_with_compat:
        return False
    learned = estimator(case.pair.training, case.options, compat=False).fit(case.pair.training)
    ours = text(learned, style="rpart").rstrip("\n").split("\n")
    theirs = case.reply.text.rstrip("\n").split("\n")
    return len(ours) == len(theirs) and all(map(_same_figures, ours, theirs))


def many_categories(case: Case) -> bool:
    """More than ten categories and two classes: by default not all divisions are tried.

    If they are, nothing differs but the last digit of probabilities.
    """
    table = case.pair.training
    used = [
        len(np.unique(table.columns[place][table.columns[place] >= 0]))
        for place in table.schema.features
        if isinstance(table.schema.columns[place], Nominal)
    ]
    if case.compat or max(used, default=0) <= EXHAUSTIVE or n_classes(table) <= BINARY:
        return False
    return _only_digits(case, compare(case.pair, case.options, case.reply), compat=True)


REASONS: dict[str, Callable[[Case], bool]] = {
    "constant target": constant_target,
    "no feature has a value": no_values,
    "class of rows without values": rows_without_values,
    "weights of one": weights_of_one,
    "class lighter than one": light_class,
    "last digit of a probability": last_digit,
    "rows that nothing can send": last_resort,
    "many categories": many_categories,
    "leaf of equal numbers": equal_numbers,
}


def reason_of(case: Case) -> str | None:
    """The first reason that explains all that differs, or None."""
    return next((name for name, explains in REASONS.items() if explains(case)), None)


def _only_digits(case: Case, found: Differences, *, compat: bool) -> bool:
    """Whether nothing differs but the last digit of printed probabilities."""
    if replace(found, text=""):
        return False
    learned = estimator(case.pair.training, case.options, compat=compat).fit(case.pair.training)
    return _alike(text(learned, style="rpart"), case.reply.text)


def _alike(ours: str, theirs: str) -> bool:
    """Whether two printed trees are the same but for the last digit of probabilities."""
    pairs = zip_longest(ours.rstrip("\n").split("\n"), theirs.rstrip("\n").split("\n"), fillvalue="")
    return all(our == their or _alike_lines(our, their) for our, their in pairs)


def _alike_lines(our: str, their: str) -> bool:
    one, other = PROBABILITIES.search(our), PROBABILITIES.search(their)
    if one is None or other is None or our[: one.start()] != their[: other.start()] or one[2] != other[2]:
        return False
    first, second = one[1].split(), other[1].split()
    return len(first) == len(second) and all(map(_nearly, first, second))


def _same_figures(our: str, their: str) -> bool:
    """Whether two lines have the same words, and numbers that are the same to their printed digits; nearly 0 is 0."""
    one, other = our.split(), their.split()
    return len(one) == len(other) and all(
        first == second
        or (_is_number(first) and _is_number(second) and (_nearly(first, second) or _both_zero(first, second)))
        for first, second in zip(one, other, strict=True)
    )


def _is_number(word: str) -> bool:
    return re.fullmatch(r"-?[0-9.]+(e[+-]?[0-9]+)?", word) is not None


def _both_zero(one: str, other: str) -> bool:
    return max(abs(float(one)), abs(float(other))) < NEARLY_ZERO


def _nearly(one: str, other: str) -> bool:
    unit = max(_unit(one), _unit(other))
    return abs(float(one) - float(other)) <= LAST_DIGIT * unit


def _unit(word: str) -> float:
    digits, _, power = word.partition("e")
    decimals = len(digits.partition(".")[2])
    return float(10.0 ** (int(power or 0) - decimals))


def _same_probabilities(learned: Any, case: Case) -> bool:
    places = [learned.classes_.tolist().index(name) for name in case.reply.classes]
    ours = learned.predict_proba(case.pair.asked)[:, places]
    return bool(np.allclose(ours, np.array(case.reply.answers), rtol=1e-9, atol=1e-9))
