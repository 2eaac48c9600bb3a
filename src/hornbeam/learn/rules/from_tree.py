"""Rules from any tree, simplified by dropping conditions.

A rule is evaluated by its expected errors (the upper confidence limit of those on the training rows), or by its errors
on held-out rows. Conditions are dropped one at a time, first the one without which the rule has the fewest expected
errors, until dropping any other would raise them. A row with a missing value fails every condition on it, unless the
tree sends such rows down one branch: then it passes the conditions of that branch.

References
----------
J. R. Quinlan, *C4.5: Programs for Machine Learning*, Morgan Kaufmann (1993), chapter 5.
T. M. Mitchell, *Machine Learning*, McGraw-Hill (1997), section 3.7.1.2 (rule post-pruning).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import chain
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.rules.generalize import Generalizer, pack
from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal, SchemaError
from hornbeam.learn.rules.rule_learner import class_weights, default_rule, rule_of
from hornbeam.learn.trees.prune.by_estimate import limit_of
from hornbeam.model.base.condition import SIGNS, Above, AtMost, IsIn, IsMissing, simplify
from hornbeam.model.rules.rule import Rule, RuleList, check_expressible
from hornbeam.model.trees.node import branch_conditions
from hornbeam.model.trees.split import CUTS

if TYPE_CHECKING:
    from collections.abc import Hashable, Sequence

    from hornbeam.core.base.arrays import Bools, Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.trees.tree import Tree

    Branch = tuple[tuple[Hashable, int], ...]  # conditions, each with the key by which it is merged

PASSES = 0.5  # a row passes a condition with at least this weight
MOST_WORDS = 1 << 25  # bytes of conditions in memory at a time
FEW_RULES = 64  # rules processed together, if memory for all would be too much
UPPER = {"<=", "<"}


@dataclass(frozen=True, eq=False)
class Generalized:
    """A simplified rule."""

    conditions: tuple[Condition, ...]  # the remaining conditions, in order; without any, it always holds
    label: int  # its class
    rows: Ints32  # the rows it covers, among those used for its evaluation
    estimate: float  # the expected error rate


class Paths:
    """The leaves of a tree as rules: lists of conditions from the root on, with bounds on one column merged."""

    def __init__(self, tree: Tree) -> None:
        self.conditions: list[Condition] = []
        self.paths: list[list[int]] = []
        self.labels: list[int] = []
        self._numbers: dict[Condition, int] = {}
        self._branches: dict[Hashable, list[Branch]] = {}
        self._directed = bool((tree.missing[tree.n_children > 0] >= 0).any())
        self._read(tree)

    def _read(self, tree: Tree) -> None:
        first, count = tree.first_child.tolist(), tree.n_children.tolist()
        label, weight = tree.label.tolist(), tree.weight.tolist()
        pending: list[tuple[int, dict[Hashable, int]]] = [(0, {})]
        while pending:
            node, path = pending.pop()
            if not count[node]:
                if label[node] >= 0 and weight[node] > 0:
                    self.paths.append(list(path.values()))
                    self.labels.append(label[node])
                continue
            branches = self._of_split(tree, node, count[node])
            pending.extend(
                (first[node] + branch, self._joined(path, branches[branch])) for branch in reversed(range(count[node]))
            )

    def _joined(self, path: dict[Hashable, int], branch: Branch) -> dict[Hashable, int]:
        """A path extended by the conditions of a branch; a bound replaces a looser one on the same side."""
        joined = path | dict(branch)
        if self._directed:
            for key, number in branch:
                if self.conditions[path.get(key, number)].if_missing < self.conditions[number].if_missing:
                    # a row with a missing value failed before, and is not added again
                    joined[key] = self._number(replace(self.conditions[number], if_missing=0.0))
        return joined

    def _of_split(self, tree: Tree, node: int, n_branches: int) -> list[Branch]:
        """For every branch its conditions, each with the key by which it is merged."""
        splits, split = tree.splits, int(tree.split[node])
        starts, parts = (
            (splits.cut_start, (splits.cuts,))
            if splits.kind[split] == CUTS
            else (splits.code_start, (splits.codes, splits.code_branch))
        )
        part = slice(int(starts[split]), int(starts[split + 1]))
        key = (
            int(splits.column[split]), int(splits.kind[split]), int(splits.sides[split]) if len(parts) == 1 else 0,
            int(splits.other[split]), int(tree.missing[node]), *(array[part].tobytes() for array in parts),
        )  # fmt: skip
        if key not in self._branches:
            self._branches[key] = [
                tuple(
                    self._numbered(condition, passes=int(tree.missing[node]) == branch)
                    for condition in branch_conditions(tree, node, branch)
                )
                for branch in range(n_branches)
            ]
        return self._branches[key]

    def _numbered(self, condition: Condition, *, passes: bool) -> tuple[Hashable, int]:
        """A condition's number, and the key by which it is merged; `passes`: missing values take this branch."""
        if isinstance(condition, IsIn):  # categories without rows at the node fail, or sets would list them all
            condition = IsIn(condition.column, condition.codes, float(passes))
            if passes and not condition.codes:
                condition = IsMissing(condition.column)
        else:
            condition = replace(condition, if_missing=1.0 if passes or isinstance(condition, IsMissing) else 0.0)
        number = self._number(condition)
        sign = SIGNS.get(type(condition))
        return (number if sign is None else (condition.column, sign in UPPER)), number

    def _number(self, condition: Condition) -> int:
        number = self._numbers.setdefault(condition, len(self.conditions))
        if number == len(self.conditions):
            self.conditions.append(condition)
        return number


def generalize(tree: Tree, table: Table, confidence: float | None) -> list[Generalized]:
    """Simplify the rules of a tree's leaves by dropping conditions; return the distinct rules.

    Parameters
    ----------
    tree : Tree
        A tree for classes; it may not cut sums of columns.
    table : Table
        Rows for evaluating rules, with the columns of the tree in its order.
    confidence : float or None
        The confidence of the error limit, if these are the training rows; None: they were held out, and the error rate
        is used as it is (with one correct and one wrong row added).
    """
    target = table.schema.target_column
    if not isinstance(target, Nominal):
        msg = f"the target {target.name!r} is numeric; conditions are dropped by the errors of rules for classes"
        raise SchemaError(msg)
    limit = (0.0, 0.0) if confidence is None else limit_of(confidence)
    judge = Generalizer(table.target_values(), len(target.categories), table.weights, *limit)
    leaves = Paths(tree)
    found: set[tuple[int, frozenset[int]]] = set()
    rules: list[Generalized] = []
    n_words = (table.n_rows + 63) // 64
    at_a_time = len(leaves.paths) if len(leaves.conditions) * n_words <= MOST_WORDS else FEW_RULES
    for first in range(0, len(leaves.paths), max(at_a_time, 1)):
        part = slice(first, first + at_a_time)
        rules += _generalize_some(leaves, leaves.paths[part], leaves.labels[part], table, judge, found)
    return rules


def _generalize_some(
    leaves: Paths,
    paths: list[list[int]],
    labels: list[int],
    table: Table,
    judge: Any,
    found: set[tuple[int, frozenset[int]]],
) -> list[Generalized]:
    lengths = np.fromiter(map(len, paths), np.int64, len(paths))
    start = offsets(lengths)
    flat = np.fromiter(chain.from_iterable(paths), np.int64, int(start[-1]))
    used, local = np.unique(flat, return_inverse=True)
    bits = np.zeros((max(len(used), 1), (table.n_rows + 63) // 64), np.uint64)
    for place, number in enumerate(used.tolist()):
        bits[place] = pack(_passes(leaves.conditions[number], table))
    n_kept, kept, estimate = judge.drop(bits, start, local.astype(np.int32), np.array(labels, np.int32))
    numbers, rates = used[kept].tolist() if len(used) else [], estimate.tolist()
    new: list[tuple[int, list[int]]] = []
    for rule, (label, begin, n) in enumerate(zip(labels, start[:-1].tolist(), n_kept.tolist(), strict=True)):
        key = label, frozenset(numbers[begin : begin + n])
        if key not in found:
            found.add(key)
            new.append((rule, numbers[begin : begin + n]))
    chosen = np.array([rule for rule, _ in new], np.int64)
    at = offsets(n_kept[chosen])
    taken = np.repeat(start[chosen] - at[:-1], n_kept[chosen]) + np.arange(at[-1])
    where, rows = judge.covered(bits, at, kept[taken])
    bounds = where.tolist()
    return [
        Generalized(
            tuple([leaves.conditions[number] for number in kept_numbers]),
            labels[rule],
            rows[bounds[place] : bounds[place + 1]],
            rates[rule],
        )
        for place, (rule, kept_numbers) in enumerate(new)
    ]


def _passes(condition: Condition, table: Table) -> Bools:
    """Rows that pass a condition; with shortcuts for the most frequent kinds."""
    values = table.columns[condition.column]
    passes: Bools
    if condition.if_missing > 0:
        passes = condition.holds(table) >= PASSES
    elif values.dtype == np.float64 and isinstance(condition, AtMost):
        passes = values <= condition.value
    elif values.dtype == np.float64 and isinstance(condition, Above):
        passes = values > condition.value
    elif isinstance(condition, IsIn) and len(condition.codes) == 1:
        passes = values == condition.codes[0]
    else:
        passes = condition.holds(table) >= PASSES
    return passes


def post_pruned(tree: Tree, table: Table, confidence: float | None = 0.25) -> RuleList:
    """Simplified rules of a tree, those with the least expected error rate first; the first that holds decides.

    Parameters
    ----------
    tree : Tree
        A tree for classes, without surrogates and sums of columns.
    table : Table
        The training rows of the tree, or held-out rows, with the tree's columns in its order.
    confidence : float or None
        The confidence of the error limit, if these are the training rows; None if they were held out.

    Returns
    -------
    RuleList
        The default predicts the most frequent class of the rows that no rule covers.

    Examples
    --------
    >>> import hornbeam
    >>> table = hornbeam.read("weather")
    >>> tree = hornbeam.C45Classifier(prune=None).fit(table).model_
    >>> for rule in post_pruned(tree, table).rules:
    ...     print(rule.describe(tree.schema))
    if outlook = overcast then play = yes
    if humidity = normal then play = yes
    if outlook = sunny and humidity = high then play = no
    if outlook = rainy and windy = FALSE then play = yes
    if outlook = rainy and windy = TRUE then play = no
    """
    check_expressible(tree)
    found = sorted(generalize(tree, table, confidence), key=lambda rule: rule.estimate)
    left = np.ones(table.n_rows, np.bool_)
    rules = []
    for rule in found:
        covered = rule.rows[left[rule.rows]]
        if not rule.conditions or not len(covered):
            continue
        rules.append(_decided(simplify(rule.conditions), rule.label, class_weights(table, covered), tree))
        left[covered] = False
    last = default_rule(table, left)
    rules.append(replace(last, label=_decided((), last.label, np.asarray(last.value), tree).label))
    if tree.prior is not None:  # unequal pseudo-counts of the classes are added to the rules' values
        rules = [replace(rule, value=rule.value + tree.pseudo_counts) for rule in rules]
    pseudo_count = tree.pseudo_count if tree.prior is None else 0.0
    return RuleList(tree.schema, tuple(rules[:-1]), rules[-1], "first", pseudo_count, dict(tree.recipe))


def _decided(conditions: Sequence[Condition], label: int, value: Floats, tree: Tree) -> Rule:
    """A rule for the most probable class of the rows it decides; on a tie its own.

    Earlier rules may have covered most rows of its own class.
    """
    weights = value if tree.prior is None else value + tree.pseudo_counts
    return rule_of(conditions, label if weights[label] >= weights.max() else int(weights.argmax()), value)


def rows_by_rule(rules: Sequence[Generalized]) -> tuple[Ints64, Ints32]:
    """The rows of all rules concatenated, and where those of each rule start."""
    start = offsets([len(rule.rows) for rule in rules])
    return start, np.concatenate([np.zeros(0, np.int32), *(rule.rows for rule in rules)])
