"""Rules with exceptions: a default class, except if ..., then ..., except if ...; learned at once or row by row.

References
----------
P. Compton and R. Jansen, A philosophical basis for knowledge acquisition, *Knowledge Acquisition* 2 (1990) 241-258.
B. R. Gaines and P. Compton, Induction of ripple-down rules applied to modeling large databases, *Journal of Intelligent
Information Systems* 5 (1995) 211-228.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np
from sklearn.utils.validation import check_is_fitted

from hornbeam.data.table import Table
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.estimator import with_weights
from hornbeam.learn.base.incremental import IncrementalClassifier
from hornbeam.learn.base.parameters import at_least, one_of, share, whole_or_none
from hornbeam.learn.rules.exception_updates import joined, learn_rows
from hornbeam.learn.rules.grower import Covering
from hornbeam.learn.rules.rule_learner import CoveringClassifier, class_weights, rule_of
from hornbeam.learn.rules.significance import DISTRIBUTIONS, Distribution, log_significance
from hornbeam.model.base.align import align
from hornbeam.model.base.condition import simplify
from hornbeam.model.rules.exceptions import Place, as_if_else, measured, with_exception
from hornbeam.model.rules.rule import MOST_NESTED, Rule, RuleList

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.learn.rules.grower import Grown, Measure
    from hornbeam.model.base.condition import Condition

SLACK = 1e-9  # logarithms of significances that differ by less are equal


@estimator
class ExceptionRulesClassifier(IncrementalClassifier, CoveringClassifier):
    """Rules with exceptions, and exceptions to these, to any depth.

    Learned from all rows in three steps: the most frequent class is the default; a good rule for another class is
    found; and the same is repeated with the rows that it covers, with its class as the default, and with the other
    rows. A rule is grown condition by condition, and its last conditions are removed if that makes it more significant.

    `partial_fit` adds rows one by one: for a misclassified row, the rule that decided it gets an exception that holds
    for it and for no row of another class that this rule decides. `add_exception` adds a rule written by hand.

    Parameters
    ----------
    max_significance : float
        A rule is good only if a random rule does as well with at most this probability.
    min_coverage : float
        Minimum weight that a rule covers.
    min_accuracy : float
        Minimum accuracy of a rule, before its exceptions; always more than a half.
    max_depth : int or None
        Maximum depth of nested exceptions; None for no limit (50, in fact).

    Attributes
    ----------
    model_ : RuleList
        Without rules of its own: a default with exceptions.
    rows_ : Table or None
        The rows learned from, which `partial_fit` compares new ones with.

    Examples
    --------
    >>> import hornbeam
    >>> print(hornbeam.show.text(hornbeam.ExceptionRulesClassifier().fit(hornbeam.read("iris"))))
    default: Iris-setosa  (150/100)
    except if petallength >= 2.45 and petallength < 4.75
              and petalwidth < 1.65
           then Iris-versicolor  (44)
           else if petalwidth >= 1.75
                then Iris-virginica  (46/1)
           else if sepallength >= 5.9
                then Iris-versicolor  (9/4)
    """

    max_significance: float = 0.1
    distribution: Distribution = "hypergeometric"
    min_coverage: float = 2
    min_accuracy: float = 0.5
    max_depth: int | None = None
    measure: Measure = "gain"

    rows_: Table | None

    def _learn_rules(self, table: Table) -> RuleList:
        depth = whole_or_none("max_depth", self.max_depth, 0)
        choices = Choices(
            max_significance=share("max_significance", self.max_significance),
            distribution=one_of("distribution", self.distribution, DISTRIBUTIONS),
            min_coverage=at_least("min_coverage", self.min_coverage, 0.0),
            min_accuracy=share("min_accuracy", self.min_accuracy),
            max_depth=MOST_NESTED if depth is None else depth,
            conditions=self._conditions(),
        )
        rules = learn_exceptions(table, choices)
        self.rows_ = table
        return rules

    @classmethod
    def from_model(cls, model: Any, **parameters: Any) -> Self:
        """An estimator that predicts with given rules, written by hand or read by `hornbeam.load`.

        A list of rules that is not a default with exceptions becomes the exceptions to its default.
        """
        model.validate()
        if model.rules and model.default is not None and model.default.exceptions is None:
            default, inner = model.default, RuleList(model.schema, model.rules)
            model = RuleList(
                model.schema,
                (),
                Rule((), default.value, default.label, default.coverage, default.errors, inner),
                recipe=model.recipe,
            )
        estimator = super().from_model(model, **parameters)
        estimator.rows_ = None
        return estimator

    def partial_fit(self, X: Any, y: Any = None, classes: ArrayLike | None = None, sample_weight: Any = None) -> Self:
        """Learn more rows, one after another: exceptions are added for misclassified rows; nothing is removed.

        Parameters
        ----------
        X : Table, or array or frame of shape (rows, features)
            A Table carries its own target.
        y : array of shape (rows,), optional
            The classes, for anything but a Table.
        classes : array, optional
            All possible classes; needed in the first call if the first rows do not have them all.
        sample_weight : array of shape (rows,), optional
            Row weights.

        Returns
        -------
        self

        Notes
        -----
        At the first call, the most frequent class of the rows becomes the default. A row that no conditions separate
        from rows of another class stays misclassified.
        """
        if not hasattr(self, "model_"):
            return self._start(X, y, classes, sample_weight)
        new = self._new_rows(X, y, sample_weight)
        known = self.rows_
        table = new if known is None else joined(known, new)
        self.model_ = learn_rows(self.model_, table, table.n_rows - new.n_rows, own_missing=self.missing == "value")
        self.rows_ = table
        self._fingerprint = table.fingerprint()
        return self

    def add_exception(self, rule: Rule, to: Place = (-1,)) -> Self:
        """Add a rule written by hand as an exception to the rule at a place, before its other exceptions.

        Parameters
        ----------
        rule : Rule
            Conditions, a label, and possibly exceptions; coverage and errors are counted on the rows learned so far.
        to : tuple of int
            The place: ``(-1,)`` is the default, ``(-1, 0)`` the first exception to it, and so on.

        Returns
        -------
        self
        """
        check_is_fitted(self)
        changed = with_exception(self.model_, rule, to, first=True)
        changed.validate()
        self.model_ = changed if self.rows_ is None else measured(changed, self.rows_)
        return self

    def as_if_else(self) -> RuleList:
        """An equivalent list without exceptions, special cases first."""
        check_is_fitted(self)
        return as_if_else(self.model_)

    # ---- rows in ----

    def _start(self, X: Any, y: Any, classes: ArrayLike | None, sample_weight: Any) -> Self:
        table = self._learnable(self._weighted(self._from_first(X, y, classes, sample_weight)))
        self._note_target(table)
        overall = class_weights(table)
        start = RuleList(table.schema, (), rule_of((), int(overall.argmax()), overall))
        model = learn_rows(start, table, 0, own_missing=self.missing == "value")
        self.model_, self.trace_ = self._deciding(model), None
        self.schema_, self.rows_ = table.schema, table
        self._fingerprint = table.fingerprint()
        return self

    def _new_rows(self, X: Any, y: Any, sample_weight: Any) -> Table:
        """New rows with the columns of earlier rows, including target and weight."""
        table = self._learnable(self._weighted(self._aligned(self._given(X, y), sample_weight)))
        self._note_target(table, more=True)
        return table

    def _aligned(self, given: Table, sample_weight: Any) -> Table:
        schema = self.schema_
        weight = schema.with_role("weight")
        arrays = list(align(schema, given).columns)
        if weight is not None:
            arrays[weight] = given.row_weights
        table = Table(schema, arrays, copy=False)
        if sample_weight is None:
            return table
        if weight is None:
            msg = "the earlier rows have no weights; learn them with weights, too, or omit sample_weight"
            raise ValueError(msg)
        return with_weights(table, np.asarray(sample_weight, np.float64))


@dataclass(frozen=True)
class Choices:
    """The requirements of a good rule."""

    max_significance: float
    distribution: Distribution
    min_coverage: float
    min_accuracy: float
    max_depth: int
    conditions: dict[str, Any]  # how conditions are chosen, for `Covering`


def learn_exceptions(table: Table, choices: Choices) -> RuleList:
    """Learn a default with exceptions from rows that all have a class."""
    overall = class_weights(table)
    label = int(overall.argmax())
    return RuleList(table.schema, (), _with_exceptions(table, (), label, choices, 0))


def _with_exceptions(table: Table, conditions: tuple[Condition, ...], label: int, choices: Choices, depth: int) -> Rule:
    """A rule that covers all rows of a table, with its exceptions."""
    value = class_weights(table)
    coverage, errors = float(value.sum()), float(value.sum() - value[label])
    exceptions: list[Rule] = []
    left = value
    if errors > 0 and depth < min(choices.max_depth, MOST_NESTED):
        covering = Covering(table, **choices.conditions)
        while (good := _good_rule(covering, label, choices)) is not None:
            rows = covering.rows(good)
            if not len(rows):
                break
            exceptions.append(
                _with_exceptions(table.take(rows), simplify(good.conditions), good.label, choices, depth + 1)
            )
            covering.engine.remove(rows)
        left = covering.class_weights
    # the class weights are those of the rows that no exception decides
    return Rule(
        conditions,
        left if left.any() else value,
        label,
        coverage,
        errors,
        RuleList(table.schema, tuple(exceptions)) if exceptions else None,
    )


def _good_rule(covering: Covering, default: int, choices: Choices) -> Grown | None:
    """The most significant rule for another class than the default, if it is good enough."""
    limit = math.log(choices.max_significance) if choices.max_significance > 0 else -math.inf
    best: tuple[float, Grown] | None = None
    for label in np.flatnonzero(covering.class_weights).tolist():
        if label == default:
            continue
        found = _cut_back(covering.grow(label), choices)
        if found is not None and found[0] <= limit and (best is None or found[0] < best[0] - SLACK):
            best = found
    return None if best is None else best[1]


def _cut_back(grown: Grown, choices: Choices) -> tuple[float, Grown] | None:
    """The rule with its first conditions that are most significant together; its accuracy must be above one half."""
    best: tuple[float, int] | None = None
    for length in range(1, len(grown.conditions) + 1):
        right, covered = grown.right[length], grown.covered[length]
        if covered < choices.min_coverage or 2 * right <= covered or right < choices.min_accuracy * covered:
            continue
        found = log_significance(right, covered, grown.right[0], grown.covered[0], choices.distribution)
        if best is None or found < best[0] - SLACK:
            best = found, length
    return None if best is None else (best[0], grown.upto(best[1]))
