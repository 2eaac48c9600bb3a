"""Rules and lists of rules, and the rules of a tree.

The weight of a rule for a row is the product of its conditions' weights, so a row with a missing value can be partly
covered by several rules, as it takes several branches of a tree.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Literal

import numpy as np

from hornbeam.core.base.tolerance import TIE
from hornbeam.core.rules.match import add_up
from hornbeam.data.schema import Nominal, Schema
from hornbeam.model.base import plain as readers
from hornbeam.model.base.align import align
from hornbeam.model.base.condition import (
    Condition,
    IsMissing,
    check_condition,
    condition_from_plain,
    condition_to_plain,
    describe_number,
    printable,
    simplify,
)
from hornbeam.model.base.model import Model
from hornbeam.model.base.plain import ModelError
from hornbeam.model.base.stored import Stored
from hornbeam.model.linear.linear import check_terms, evaluate, terms_from_plain
from hornbeam.model.rules.index import RuleIndex
from hornbeam.model.trees.equation import equation_of
from hornbeam.model.trees.node import branch_conditions, code_branches
from hornbeam.model.trees.split import CUTS, FRACTIONAL, LEAST_SHARE, STOP, SUMS

if TYPE_CHECKING:
    from collections.abc import Mapping

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Ints32
    from hornbeam.data.table import Table
    from hornbeam.model.linear.linear import Term
    from hornbeam.model.trees.tree import Tree

Decide = Literal["first", "vote", "remaining"]
DECIDE: tuple[Decide, ...] = ("first", "vote", "remaining")
FIRES = 0.5  # if the first match decides, a rule holds for rows with at least this weight
MOST_NESTED = 50  # the maximum depth of exceptions; within the limits of Python's stack


@dataclass(frozen=True, eq=False)
class Rule(Stored):
    """A rule: if all conditions hold, it makes this prediction.

    Parameters
    ----------
    conditions : tuple of Condition
        Without conditions, the rule always holds.
    value : array or float
        Class weights, in the order of the target's categories; or the predicted number (for an equation, its
        intercept).
    label : int
        Class code, or -1 for no prediction (and for a numeric target).
    coverage, errors : float
        Training weight that the rule covers, and the weight of errors in it (or the squared error).
    exceptions : RuleList, optional
        If one of these holds, its prediction replaces that of this rule.
    terms : tuple of Term
        Terms that are added to the number: the prediction is then an equation.
    """

    conditions: tuple[Condition, ...]
    value: Floats | float
    label: int = -1
    coverage: float = 0.0
    errors: float = 0.0
    exceptions: RuleList | None = None
    terms: tuple[Term, ...] = ()

    def holds(self, table: Table) -> Floats:
        """Return the weight with which each row passes; the table has the model's columns in the model's order."""
        weights = np.ones(table.n_rows)
        for condition in self.conditions:
            weights *= condition.holds(table)
        return weights

    def describe(self, schema: Schema) -> str:
        """Return the rule as text, e.g. ``if age > 38.5 and years > 2.5 then y = 0.8``; without its exceptions."""
        target = schema.target_column
        if isinstance(target, Nominal):
            prediction = printable(target.categories[self.label]) if self.label >= 0 else "unknown"
        else:
            prediction = describe_number(target, float(np.asarray(self.value).ravel()[0]))
            for term in self.terms:
                sign = "-" if term.coefficient < 0 else "+"
                prediction += f" {sign} {abs(term.coefficient):.6g} {term.describe(schema)}"
        conclusion = f"{printable(target.name)} = {prediction}"
        if not self.conditions:
            return f"always {conclusion}"
        return f"if {' and '.join(c.describe(schema) for c in self.conditions)} then {conclusion}"

    def to_entry(self) -> dict[str, Any]:
        """Return plain data for a model file."""
        return {
            "conditions": [condition_to_plain(condition) for condition in self.conditions],
            "value": self.value.tolist() if isinstance(self.value, np.ndarray) else self.value,
            "label": self.label,
            "coverage": self.coverage,
            "errors": self.errors,
            "exceptions": None if self.exceptions is None else self.exceptions.to_plain(),
            **({"terms": [term.to_entry() for term in self.terms]} if self.terms else {}),
        }

    def probabilities(self, pseudo_count: float) -> Floats:
        """Class probabilities, or the number; without exceptions and terms."""
        probabilities = np.atleast_1d(np.asarray(self.value, np.float64))
        if not isinstance(self.value, np.ndarray):
            return probabilities
        total = float(probabilities.sum()) + pseudo_count * len(probabilities)
        return (
            (probabilities + pseudo_count) / total
            if total > 0
            else np.full(len(probabilities), 1.0 / len(probabilities))
        )

    def _predict(self, table: Table, pseudo_count: float) -> tuple[Any, Floats]:
        """Labels and probabilities: one for all rows, or one per row if there are exceptions or terms."""
        probabilities = self.probabilities(pseudo_count)
        if self.terms:
            probabilities = evaluate(float(probabilities[0]), self.terms, table)[:, np.newaxis]
            # if the sum overflows, the prediction without terms
            probabilities = np.where(np.isfinite(probabilities), probabilities, float(np.asarray(self.value)))
        if self.exceptions is None:
            return self.label, np.atleast_2d(probabilities)
        found = self.exceptions._predict(table)
        other = found.fired < 0
        found.labels[other] = self.label
        found.probabilities[other] = np.broadcast_to(probabilities, found.probabilities.shape)[other]
        return found.labels, found.probabilities


@dataclass(eq=False)
class _Predictions:
    """The predictions of a list for rows."""

    labels: Ints32  # -1: no prediction
    probabilities: Floats  # (rows, classes), or (rows, 1) numbers; zeros (NaN) if there is no prediction
    fired: Ints32  # the rule that decided, or had the greatest weight; -1: none


@dataclass(frozen=True, eq=False)
class RuleList(Model):
    """A list of rules, and how they are combined.

    Parameters
    ----------
    schema : Schema
        The columns of the conditions, and the target.
    rules : tuple of Rule
        In order.
    default : Rule, optional
        The prediction if no rule holds; None for no prediction. Its conditions are ignored.
    decide : {"first", "vote", "remaining"}
        The first rule that holds decides; or all rules that hold are averaged by weight; or each rule gets its part of
        the weight that earlier rules have left, and the default gets the rest.
    pseudo_count : float
        Added to every class weight before probabilities are computed (1: Laplace).
    recipe : mapping
        The parameters it was learned by, as plain values.
    """

    KIND: ClassVar = "rules"
    PLAIN: ClassVar = dict.fromkeys(("decide", "pseudo_count", "rules", "default", "recipe"))

    schema: Schema
    rules: tuple[Rule, ...]
    default: Rule | None = None
    decide: Decide = "first"
    pseudo_count: float = 0.0
    recipe: Mapping[str, str | float | bool | None] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.rules)

    def _codes(self, rows: Table | AnyArray, n_threads: int) -> AnyArray:  # noqa: ARG002 - as every model
        """Return class codes (-1: none) or numbers (NaN: none)."""
        found = self._predict(align(self.schema, self.as_table(rows)))
        return found.labels if self.task == "classification" else found.probabilities[:, 0]

    def _probabilities(self, rows: Table | AnyArray, n_threads: int) -> Floats:  # noqa: ARG002 - as above
        """Return class probabilities; zeros if no rule holds and there is no default."""
        return self._predict(align(self.schema, self.as_table(rows))).probabilities

    def probabilities(self, rows: Any, n_threads: int = 1) -> Floats:  # noqa: ANN401 - rows of any sort
        """Return class probabilities; if no rule holds, those of all rows that rules cover."""
        probabilities = self.predict_proba(rows, n_threads)
        not_predicted = ~(probabilities.sum(axis=1) > 0)
        if not_predicted.any():
            probabilities[not_predicted] = self.overall_probabilities()
        return probabilities

    def to_plain(self) -> dict[str, Any]:
        """Everything except the schema, as plain data; an empty recipe is left out."""
        entries = super().to_plain()
        return {name: value for name, value in entries.items() if name != "recipe" or value}

    @classmethod
    def from_file(cls, plain: Any, schema: Schema, members: Any, nested: int = 0) -> RuleList:  # noqa: ANN401 - whatever the file holds
        """Read the rules, which are plain data; no arrays are needed."""
        if nested > MOST_NESTED:
            msg = f"exceptions are nested more than {MOST_NESTED} deep"
            raise ModelError(msg)
        classes, default = isinstance(schema.target_column, Nominal), readers.entry(plain, "default")

        def rule(entry: Any) -> Rule:  # noqa: ANN401
            value, exceptions = readers.entry(entry, "value"), readers.entry(entry, "exceptions")
            return Rule(
                tuple(map(condition_from_plain, readers.sequence(readers.entry(entry, "conditions")))),
                readers.number_array(value) if classes else readers.number(value),
                readers.whole(readers.entry(entry, "label")),
                readers.number(readers.entry(entry, "coverage")),
                readers.number(readers.entry(entry, "errors")),
                None if exceptions is None else cls.from_file(exceptions, schema, members, nested + 1),
                terms_from_plain(entry["terms"]) if "terms" in entry else (),
            )

        return cls(
            schema,
            tuple(map(rule, readers.sequence(readers.entry(plain, "rules")))),
            None if default is None else rule(default),
            readers.entry(plain, "decide"),
            readers.number(readers.entry(plain, "pseudo_count")),
            readers.recipe(plain.get("recipe", {})),
        )

    def fired(self, table: Table) -> Ints32:
        """Return the position of the rule that decided each row (of several, the one with most weight); -1: none."""
        return self._predict(align(self.schema, self.as_table(table))).fired

    def overall_probabilities(self) -> Floats:
        """Class probabilities of all rows that rules cover: the prediction if no rule holds."""
        target = self.schema.target_column
        n_classes = len(target.categories) if isinstance(target, Nominal) else 0
        overall = np.broadcast_to(np.sum([np.asarray(rule.value) for rule in self.rules], axis=0), (n_classes,))
        total = float(overall.sum())
        return overall / total if total > 0 else np.full(n_classes, 1.0 / n_classes)

    def validate(self, nested: int = 0) -> None:
        """Check every rule against the schema; raise a `ModelError` if one does not fit."""
        if nested > MOST_NESTED:
            msg = f"exceptions are nested more than {MOST_NESTED} deep"
            raise ModelError(msg)
        target = self.schema.target_column
        n_classes = len(target.categories) if isinstance(target, Nominal) else 0
        if self.decide not in DECIDE:
            msg = f"decide is {self.decide!r}; expected one of {', '.join(DECIDE)}"
            raise ModelError(msg)
        if not (math.isfinite(self.pseudo_count) and self.pseudo_count >= 0):
            msg = f"pseudo_count is {self.pseudo_count}; expected a number of at least 0"
            raise ModelError(msg)
        for place, rule in enumerate((*self.rules, *([] if self.default is None else [self.default]))):
            where = f"rule {place + 1}" if place < len(self.rules) else "the default rule"
            _check_rule(rule, where, n_classes, self.schema)
            if rule.exceptions is not None:
                if rule.exceptions.schema != self.schema:
                    msg = f"{where}: its exceptions have another schema"
                    raise ModelError(msg)
                rule.exceptions.validate(nested + 1)

    def _predict(self, table: Table) -> _Predictions:
        return self._first(table) if self.decide == "first" else self._weighted(table)

    @cached_property
    def _index(self) -> RuleIndex:
        return RuleIndex(self, FIRES)

    def _first(self, table: Table) -> _Predictions:
        found = self._nothing(table.n_rows)
        deciding = self._index.deciding(table)
        rows = np.flatnonzero(deciding >= 0)
        labels, probabilities, places = self._index.predictions(table, rows, deciding[rows])
        found.labels[rows] = labels
        found.probabilities[rows] = probabilities[places]
        found.fired[rows] = self._index.outer[deciding[rows]]
        return found

    def _weighted(self, table: Table) -> _Predictions:
        found = self._nothing(table.n_rows)
        start, numbers, weights = self._index.holding(table, LEAST_SHARE if self.decide == "remaining" else -1.0)
        n_fired = np.diff(start)
        rows = np.repeat(np.arange(len(n_fired)), n_fired)
        labels, probabilities, places = self._index.predictions(table, rows, numbers)
        sums, total, greatest = add_up(start, weights, places, probabilities)
        several, some = n_fired > 1, n_fired > 0
        found.probabilities[some] = sums[some] / total[some, np.newaxis]
        found.labels[some] = labels[start[1:][some] - 1]
        found.fired[some] = self._index.outer[numbers[greatest[some]]]
        if self.task == "classification":
            found.labels[several] = best_labels(found.probabilities[several])
        self._fill(found, ~some, table)
        return found

    def _fill(self, found: _Predictions, rows: Bools, table: Table) -> None:
        """Apply the default to rows for which no rule holds."""
        if self.default is not None and rows.any():
            labels, probabilities = self.default._predict(table, self.pseudo_count)
            found.labels[rows] = np.broadcast_to(labels, table.n_rows)[rows]
            found.probabilities[rows] = np.broadcast_to(probabilities, found.probabilities.shape)[rows]

    def _nothing(self, n_rows: int) -> _Predictions:
        target = self.schema.target_column
        n_classes = len(target.categories) if isinstance(target, Nominal) else 0
        probabilities = np.zeros((n_rows, n_classes)) if n_classes else np.full((n_rows, 1), np.nan)
        return _Predictions(np.full(n_rows, -1, np.int32), probabilities, np.full(n_rows, -1, np.int32))


def best_labels(probabilities: Floats) -> Ints32:
    """Return the most probable class of each row; on a tie, up to rounding, the first."""
    best = np.zeros(len(probabilities), np.int32)
    rows = np.arange(len(probabilities))
    for label in range(1, probabilities.shape[1]):
        best[probabilities[:, label] > probabilities[rows, best] + TIE] = label
    return best


def rules_from_tree(tree: Tree) -> RuleList:
    """Convert a tree to rules, one per leaf, with the same predictions.

    Parameters
    ----------
    tree : Tree
        A tree without surrogates.

    Returns
    -------
    RuleList
        One rule per leaf, in branch order, with the bounds on each column merged; a row with a missing value is partly
        covered by several of them. A node where such rows stop adds a rule for them.

    Raises
    ------
    ModelError
        For a tree with surrogate splits, which use other columns if a value is missing; conditions cannot express that.
        For a tree that cuts sums of columns, since a condition tests one column.
    """
    tree.validate()
    check_expressible(tree)
    rules: list[Rule] = []
    pending: list[tuple[int, tuple[Condition, ...]]] = [(0, ())]
    while pending:
        node, path = pending.pop()
        first, count = int(tree.first_child[node]), int(tree.n_children[node])
        if first < 0:
            rules.append(_rule_of(tree, node, path))
            continue
        if _stops(tree, node):
            split = int(tree.split[node])
            by_code = int(tree.splits.kind[split]) != CUTS
            lost = tuple(map(int, np.flatnonzero(code_branches(tree, split) < 0))) if by_code else ()
            rules.append(_rule_of(tree, node, (*path, IsMissing(int(tree.splits.column[split]), as_missing=lost))))
        pending.extend(
            (first + branch, (*path, *branch_conditions(tree, node, branch))) for branch in reversed(range(count))
        )
    # Unequal pseudo-counts of the classes are already part of the rules' values.
    return RuleList(tree.schema, tuple(rules), None, "vote", tree.pseudo_count if tree.prior is None else 0.0)


def check_expressible(tree: Tree) -> None:
    """Raise an error for a tree with surrogates or sums of columns, which conditions cannot express."""
    if tree.surrogates is not None and len(tree.surrogates):
        msg = (
            f"the tree has {len(tree.surrogates)} surrogate splits, which use other columns if a value is "
            "missing; rules cannot express that, so the tree cannot be converted to rules with the same predictions"
        )
        raise ModelError(msg)
    inner = np.flatnonzero(tree.split >= 0)
    sums = inner[tree.splits.kind[tree.split[inner]] == SUMS]
    if len(sums):
        msg = (
            f"the tree cuts sums of columns at {len(sums)} of its nodes, the first of them node {sums[0]}; the "
            "conditions of a rule test one column each, so the tree cannot be converted to rules"
        )
        raise ModelError(msg)


def _stops(tree: Tree, node: int) -> bool:
    """Whether a row with a missing value ends at this inner node."""
    policy, first = int(tree.missing[node]), int(tree.first_child[node])
    probabilities = tree.share[first : first + int(tree.n_children[node])]
    return policy == STOP or (policy == FRACTIONAL and not (probabilities > LEAST_SHARE).any())


def _rule_of(tree: Tree, node: int, path: tuple[Condition, ...]) -> Rule:
    source = int(tree.predicting_node[node])
    value = tree.value[source].copy() if tree.task == "classification" else float(tree.value[source, 1])
    if isinstance(value, np.ndarray) and tree.prior is not None:
        value += tree.pseudo_counts
    if tree.intercept is not None:
        equation = equation_of(tree, source)
        return Rule(
            simplify(path), equation.intercept, -1, float(tree.weight[node]), equation.error, terms=equation.terms
        )
    return Rule(simplify(path), value, int(tree.label[node]), float(tree.weight[node]), float(tree.error[node]))


def _check_rule(rule: Rule, where: str, n_classes: int, schema: Schema) -> None:
    """Raise an error for a rule that does not fit the schema; the error starts with the position of the rule."""
    try:
        for condition in rule.conditions:
            check_condition(condition, schema)
        _check_prediction(rule, n_classes, schema.target_column.name)
        if rule.terms:
            check_terms(0.0, rule.terms, schema)
    except ModelError as error:
        msg = f"{where}: {error}"
        raise ModelError(msg) from None


def _check_prediction(rule: Rule, n_classes: int, target: str) -> None:
    value = rule.value
    if not n_classes and (isinstance(value, np.ndarray) or not math.isfinite(value)):
        raise ModelError(f"its value is not a number for the target {target!r}")
    if n_classes:
        if not isinstance(value, np.ndarray) or value.shape != (n_classes,):
            raise ModelError(f"its value is not an array of {n_classes} class weights")
        if not (np.isfinite(value).all() and (value >= 0).all()):
            raise ModelError("a class weight is negative or not a number")
        if not -1 <= rule.label < n_classes:
            raise ModelError(f"its label {rule.label} is not a class")
        if rule.terms:
            raise ModelError(f"it has an equation, and the target {target!r} has classes")
    if not (math.isfinite(rule.coverage) and math.isfinite(rule.errors)):
        raise ModelError("its coverage or errors are not numbers")
