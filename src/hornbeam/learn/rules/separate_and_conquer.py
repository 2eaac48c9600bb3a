"""The loop of the rule learners: find a rule, remove the rows that it covers, and repeat with the rest.

The learner decides how a rule is found and when to stop. `HeldOutClassifier` is the base of learners that prune rules
on held-out rows.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from sklearn.utils import check_random_state

from hornbeam.core.rules.pruning import deal
from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import one_of, whole
from hornbeam.learn.rules.grower import MISSINGS, NOMINALS, RuleGrower
from hornbeam.learn.rules.rule_learner import RuleListClassifier, rule_of
from hornbeam.model.base.condition import simplify
from hornbeam.model.rules.rule import RuleList

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.grower import Covered, Missing, NominalTests, Rows, Steps
    from hornbeam.model.base.condition import Condition
    from hornbeam.model.rules.rule import Rule

SCATTER = 0x5DEECE66D  # seeds are scrambled as in java.util.Random, so that similar seeds give different sequences


@estimator
class HeldOutClassifier(RuleListClassifier):
    """Base of classifiers that grow a rule on some rows and prune it on others.

    Parameters
    ----------
    folds : int
        One part in `folds` is for pruning.
    min_samples_rule : float
        Minimum weight of the rule's class after every condition.
    nominal : {"value", "set"}
        A condition tests for one category, or may also exclude one; several then leave a set of them.
    missing : {"fails", "value"}
        A row with a missing value fails every condition on that column, or "is missing" is a condition too.
    random_state : int, RandomState or None
        Seed of the division into rows for growing and for pruning; None is a fixed seed: the rules are always the same.
    """

    folds: int = 3
    min_samples_rule: float = 2
    nominal: NominalTests = "value"
    missing: Missing = "fails"
    beam_width: int = 1
    random_state: Any = None

    def _grower(self, table: Table, *, as_given: bool = False) -> RuleGrower:
        return RuleGrower(
            table,
            as_given=as_given,
            missing=one_of("missing", self.missing, MISSINGS),
            nominal=one_of("nominal", self.nominal, NOMINALS),
            beam_width=whole("beam_width", self.beam_width, 1),
        )


class Dealer:
    """Divides rows at random, stratified by class, into rows for growing a rule and rows for pruning it.

    Parameters
    ----------
    groups : array of int
        The group of every row of the table, in the order in which groups are divided.
    folds : int
        One part in `folds` is for pruning.
    state : int
        The state of the generator, 48 bits.
    """

    def __init__(self, groups: AnyArray, folds: int, state: int) -> None:
        self.groups = np.ascontiguousarray(groups, np.int32)
        self.n_groups = int(self.groups.max(initial=-1)) + 1
        self.folds = folds
        self.state = np.array([state], np.uint64)

    def deal(self, rows: Rows) -> Rows:
        """The rows in a new order, in which every part has its proportion of every group."""
        return deal(rows, self.groups, self.n_groups, self.folds, self.state)

    def parts(self, dealt: Rows) -> tuple[Rows, Rows]:
        """Rows for growing and rows for pruning."""
        place = len(dealt) * (self.folds - 1) // self.folds
        return dealt[:place], dealt[place:]


@dataclass(frozen=True)
class Found:
    """An accepted rule, and its coverage on the rows that reached it."""

    label: int
    body: Steps
    cover: Covered


def separate_and_conquer(
    grower: RuleGrower,
    rows: Rows,
    find: Callable[[Rows], tuple[int, Steps] | None],
    accept: Callable[[Found], bool],
    *,
    goal: Callable[[Found], bool] = lambda _: False,
) -> tuple[list[Found], Rows]:
    """Find rules one by one, each on the rows left by earlier rules.

    Parameters
    ----------
    grower : RuleGrower
    rows : array of int
        The rows at the start.
    find : callable
        Returns a class and a rule for it, learned from the remaining rows; None: there are no more rules.
    accept : callable
        Whether a rule is accepted; the first that is not ends the list.
    goal : callable
        Whether the list is complete with this rule.

    Returns
    -------
    (list of Found, array of int)
        Rules in order, and the rows that none of them covers.
    """
    rules: list[Found] = []
    while len(rows):
        candidate = find(rows)
        if candidate is None:
            break
        label, body = candidate
        found = Found(label, body, grower.cover(body, rows, label))
        if not accept(found):
            break
        rules.append(found)
        rows = grower.without(rows, found.cover.rows)
        grower.engine.remove(found.cover.rows)
        if goal(found):
            break
    return rules, rows


def as_rule_list(
    grower: RuleGrower,
    rules: Sequence[tuple[int, Steps]],
    default: int | None,
    recipe: dict[str, str | float | bool | None],
    tidy: Callable[[Sequence[Condition]], tuple[Condition, ...]] = simplify,
) -> RuleList:
    """The model: every rule with the class weights of the rows that reach it, the default with those of the rest.

    `default` is the class of the rest; None: the one with most weight there (or in all rows, if none remain). `tidy`
    may remove redundant conditions of a rule.
    """
    rows = grower.all_rows
    made: list[Rule] = []
    for label, body in rules:
        hit = grower.cover(body, rows, label).rows
        made.append(rule_of(tidy(grower.conditions(body)), label, grower.class_weights(hit)))
        rows = grower.without(rows, hit)
    rest = grower.class_weights(rows)
    if default is None:
        default = int(np.argmax(rest if rest.any() else grower.class_weights(grower.all_rows)))
    return RuleList(grower.table.schema, tuple(made), rule_of((), default, rest), "first", recipe=recipe)


def seed_state(random_state: Any) -> int:
    """The first state of the generator; None stands for a fixed seed."""
    if random_state is None:
        seed = 1
    elif isinstance(random_state, int | np.integer):
        seed = int(random_state)
    else:
        seed = int(check_random_state(random_state).randint(1 << 31))
    return (seed ^ SCATTER) & ((1 << 48) - 1)
