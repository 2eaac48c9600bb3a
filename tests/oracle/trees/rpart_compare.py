"""Hold our trees against the second reference program's: printed tree, table of complexity, importance of columns."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal
from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import numpy as np
from oracle.trees.rpart_answers import RpartAnswer, rpart_answer, table_of

from hornbeam.data.schema import Nominal
from hornbeam.learn.trees.cart import CartClassifier, CartRegressor
from hornbeam.learn.trees.importance import importance
from hornbeam.show import text

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.prune.complexity import CpTable

DIGITS = 1e-7  # of stored complexities
IMPORTANCE = 1e-6  # relative
# The program reads 4.029779 one unit in the last place too low, so the middle between it and the next value, which ends
# in a 5, is rounded the other way when it is printed.
READ_OTHERWISE = {("rpart-full", "bank8FM"): ("4.095766", "4.095765")}


@dataclass(frozen=True)
class RpartOutcome:
    """How one of our trees differs from the stored one."""

    scheme: str
    data: str
    differing_lines: tuple[tuple[str, str], ...]  # ours and theirs
    table: str  # what differs in the table of complexity
    importance: str

    @property
    def identical(self) -> bool:
        """Whether nothing differs."""
        return not (self.differing_lines or self.table or self.importance)


def estimator(scheme: str, table: Table) -> Any:
    """Make the estimator that answers as a scheme of the program does."""
    options: dict[str, Any] = {"folds": 0}
    if scheme == "rpart-full":
        options |= {"cp": 0.0, "min_samples_split": 5, "min_samples_leaf": 2}
    if not isinstance(table.schema.target_column, Nominal):
        # By default leaves of equal numbers have no squared error; in rpart they have what rounding leaves.
        return CartRegressor(compat="rpart", **options)
    return CartClassifier(criterion="entropy" if scheme == "rpart-information" else "gini", **options)


def compare(scheme: str, data: str) -> RpartOutcome:
    """Learn from all rows, and collect every difference from the stored answer."""
    stored = rpart_answer(scheme, data)
    table = table_of(stored.arff)
    if not isinstance(table.schema.target_column, Nominal):
        table = table.take(~np.isnan(table.target_values()))  # as the answers were made
    learned = estimator(scheme, table).fit(table)
    gains = np.sort(importance(learned.model_))[::-1]
    return RpartOutcome(
        scheme,
        data,
        differing_lines(text(learned, style="rpart"), stored),
        table_difference(learned.cp_table_, stored.cp_table),
        importance_difference(gains[gains > 0].tolist(), stored.importance),
    )


def differing_lines(ours: str, stored: RpartAnswer) -> tuple[tuple[str, str], ...]:
    """Lines of the two texts that differ."""
    old, new = READ_OTHERWISE.get((stored.scheme, stored.data), ("", ""))
    lines = zip_longest(
        ours.replace(old, new).rstrip("\n").split("\n"), stored.text.rstrip("\n").split("\n"), fillvalue="(no line)"
    )
    return tuple((our, their) for our, their in lines if our != their)


def table_difference(ours: CpTable, theirs: list[list[float]]) -> str:
    """Tell the first difference of the tables of complexity, or nothing."""
    if len(ours.cp) != len(theirs):
        return f"{len(ours.cp)} rows, not {len(theirs)}"
    rows = zip(ours.cp.tolist(), ours.n_splits.tolist(), ours.error.tolist(), strict=True)
    for row, other in zip(rows, theirs, strict=True):
        if row[1] != other[1] or not np.allclose([row[0], row[2]], [other[0], other[2]], rtol=DIGITS, atol=DIGITS):
            return f"{row}, not {tuple(other[:3])}"
    return ""


def importance_difference(ours: list[float], theirs: list[str]) -> str:
    """Tell how importances differ, both falling, or nothing; digits that were not printed do not count."""
    if len(ours) != len(theirs):
        return f"{len(ours)} columns, not {len(theirs)}"
    for place, (one, other) in enumerate(zip(ours, map(Decimal, theirs), strict=True)):
        half_a_digit = float(Decimal(1).scaleb(int(other.as_tuple().exponent))) / 2
        if abs(one - float(other)) > max(IMPORTANCE * float(other), half_a_digit):
            return f"{one} in place {place + 1}, not {other}"
    return ""
