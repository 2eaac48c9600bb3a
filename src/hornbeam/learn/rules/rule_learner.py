"""What every rule classifier shares: a table becomes a `RuleList`, and rows become answers of that list.

A learner subclasses `RuleListClassifier`, keeps its parameters, and gives `_learn_rules(table)`: every row of the table
has a class and a weight above zero. A list without a default leaves rows without an answer; the estimator then answers
with the shares of all rows that its rules cover, while ``model_.predict`` says that there is none.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.exceptions import NotFittedError

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.classifier import TableClassifier
from hornbeam.model.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from numpy.typing import NDArray

    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.rule import RuleList


class RuleListClassifier(TableClassifier):
    """Base of the rule classifiers; a subclass has parameters and `_learn_rules(table)`."""

    model_: RuleList  # type: ignore[assignment]

    def _learn_rules(self, table: Table) -> RuleList:
        """Learn a list of rules from rows that all have a class and a weight above zero."""
        raise NotImplementedError

    def _learn(self, table: Table) -> tuple[Any, None]:
        return self._learn_rules(table), None

    def _rows(self, X: Any) -> Table:
        """Rows to predict, always as a Table: conditions look at columns."""
        if not hasattr(self, "model_"):
            msg = f"This {type(self).__name__} instance is not fitted yet. Call 'fit' with appropriate arguments first."
            raise NotFittedError(msg)
        return X if isinstance(X, Table) else self._features(X, reset=False)

    def _shares(self, rows: Table | NDArray[Any]) -> NDArray[np.float64]:
        """Class shares; where no rule answers, those of all the rows that rules cover."""
        assert isinstance(rows, Table)
        shares = self.model_.predict_proba(rows)
        unanswered = ~(shares.sum(axis=1) > 0)
        if unanswered.any():
            shares[unanswered] = self.model_.overall_shares()
        return shares


def class_weights(table: Table, rows: NDArray[Any] | None = None) -> NDArray[np.float64]:
    """Weight of every class, in the order of the target's categories, over all rows or some."""
    target = table.schema.target_column
    assert isinstance(target, Nominal)
    codes, weights = table.target_values(), table.weights
    if rows is not None:
        codes, weights = codes[rows], None if weights is None else weights[rows]
    return np.bincount(codes, weights, minlength=len(target.categories)).astype(np.float64)


def rule_of(conditions: Sequence[Condition], label: int, value: NDArray[np.float64]) -> Rule:
    """A rule for a class, with its figures, from the class weights that it covers."""
    coverage = float(value.sum())
    return Rule(tuple(conditions), value, label, coverage, coverage - float(value[label]) if label >= 0 else 0.0)


def default_rule(table: Table, left: NDArray[np.bool_]) -> Rule:
    """A rule without conditions for the most frequent class of the rows left; of all rows where none is."""
    if left.any():
        value = class_weights(table, left)
        return rule_of((), int(value.argmax()), value)
    value = class_weights(table)
    return Rule((), value, int(value.argmax()))
