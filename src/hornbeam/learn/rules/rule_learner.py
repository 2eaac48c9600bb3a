"""The base of the rule classifiers: `fit` makes a `RuleList`, which predicts.

A learner is a subclass of `RuleListClassifier` with parameters and `_learn_rules(table)`; every row of the table has a
class and a weight above zero. If a list has no default, rows without a prediction get the class probabilities of all
rows that its rules cover.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.classifier import DecidingClassifier
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.rules.grower import COVERING_MEASURES, MISSINGS, NOMINALS
from hornbeam.model.rules.rule import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from sklearn.utils import Tags

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats
    from hornbeam.learn.rules.grower import Measure, Missing, NominalTests
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.rule import RuleList


@estimator
class RuleListClassifier(DecidingClassifier):
    """Base of the rule classifiers; a subclass has parameters and `_learn_rules(table)`.

    Parameters
    ----------
    beam_width : int
        The number of rules grown in parallel, each by its best conditions; 1 adds the best condition each time.

    Attributes
    ----------
    model_ : RuleList
    """

    _poor_score = False  # whether its accuracy is too low for scikit-learn's tests

    def __sklearn_tags__(self) -> Tags:
        tags = super().__sklearn_tags__()
        tags.classifier_tags.poor_score = self._poor_score
        return tags

    def _learn_rules(self, table: Table) -> RuleList:
        """Learn a list of rules from rows that all have a class and a weight above zero."""
        raise NotImplementedError

    def _learn(self, table: Table) -> tuple[Any, None]:
        return self._learn_rules(table), None

    def _rows(self, X: Any) -> Table:
        """Rows to predict, always as a Table, since conditions use columns."""
        self._check_fitted()
        return X if isinstance(X, Table) else self._features(X, reset=False)


@estimator
class CoveringClassifier(RuleListClassifier):
    """Base of classifiers that grow every rule on all rows that no rule covers yet.

    Parameters
    ----------
    measure : {"share", "gain"}
        How conditions are ranked: by p/t, or by the information gain p (log p/t - log P/T).
    nominal : {"value", "set"}
        A condition tests for one category, or for one of several.
    missing : {"fails", "value"}
        A missing value fails every condition, or is one more value.
    distribution : {"hypergeometric", "binomial"}
        How the significance of a rule is computed: rows are drawn without or with replacement.
    """

    measure: Measure = "share"
    nominal: NominalTests = "value"
    missing: Missing = "fails"

    def _conditions(self) -> dict[str, Any]:
        """How conditions are chosen, for `Covering`."""
        return {
            "measure": one_of("measure", self.measure, COVERING_MEASURES),
            "nominal": one_of("nominal", self.nominal, NOMINALS),
            "missing": one_of("missing", self.missing, MISSINGS),
        }


def class_weights(table: Table, rows: AnyArray | None = None) -> Floats:
    """Weight of every class, in the order of the target's categories, over all rows or some."""
    target = table.schema.target_column
    assert isinstance(target, Nominal)
    codes, weights = table.target_values(), table.weights
    if rows is not None:
        codes, weights = codes[rows], None if weights is None else weights[rows]
    return np.bincount(codes, weights, minlength=len(target.categories)).astype(np.float64)


def rule_of(conditions: Sequence[Condition], label: int, value: Floats) -> Rule:
    """A rule for a class, with coverage and errors from the class weights that it covers."""
    coverage = float(value.sum())
    return Rule(tuple(conditions), value, label, coverage, coverage - float(value[label]) if label >= 0 else 0.0)


def default_rule(table: Table, left: Bools) -> Rule:
    """A rule without conditions for the most frequent class of the remaining rows, or of all rows if none remain."""
    if left.any():
        value = class_weights(table, left)
        return rule_of((), int(value.argmax()), value)
    value = class_weights(table)
    return Rule((), value, int(value.argmax()))
