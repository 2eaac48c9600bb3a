"""The loop of the rule learners: find a rule, remove the rows that it covers, and go on with the rest.

How a rule is found and when to stop are given by the learner. `HeldOutClassifier` is the base of the learners that
prune rules on rows held out.
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

SCATTER = 0x5DEECE66D  # seeds are mixed as by java.util.Random, so that near seeds start far from each other


@estimator
class HeldOutClassifier(RuleListClassifier):
    """Base of the classifiers that grow a rule on some rows and prune it on others.

    Parameters
    ----------
    folds : int
        One part in `folds` prunes.
    min_samples_rule : float
        Minimum weight of the rule's class after every condition.
    nominal : {"value", "set"}
        A condition tests for one category, or may also exclude one; several then leave a set of them.
    missing : {"fails", "value"}
        A row with a missing value fails every condition on that column, or "is missing" is a condition too.
    random_state : int, RandomState or None
        Seed of the division into growing and pruning rows; None is a fixed seed: the rules are always the same.
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
    """Divides rows at random, class by class, into those that grow a rule and those that prune it.

    Parameters
    ----------
    groups : array of int
        The group of every row of the table, in the order in which groups are dealt.
    folds : int
        One part in `folds` prunes.
    state : int
        Of the generator, 48 bits.
    """

    def __init__(self, groups: AnyArray, folds: int, state: int) -> None:
        self.groups = np.ascontiguousarray(groups, np.int32)
        self.n_groups = int(self.groups.max(initial=-1)) + 1
        self.folds = folds
        self.state = np.array([state], np.uint64)

    def deal(self, rows: Rows) -> Rows:
        """The rows in a new order, such that any part of it has its fraction of every group."""
        return deal(rows, self.groups, self.n_groups, self.folds, self.state)

    def parts(self, dealt: Rows) -> tuple[Rows, Rows]:
        """Rows to grow from and rows to prune with."""
        place = len(dealt) * (self.folds - 1) // self.folds
        return dealt[:place], dealt[place:]


@dataclass(frozen=True)
class Found:
    """A rule that the loop has taken, and what it covered of the rows that reached it."""

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
    """Find rules one by one, each on the rows that those before it leave.

    Parameters
    ----------
    grower : RuleGrower
    rows : array of int
        Rows to begin with.
    find : callable
        Returns a class and a rule for it, learned from the rows left; None: there is no more rule.
    accept : callable
        Whether a rule is taken; the first that is not ends the list.
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
    """The model: every rule with the class weights of the rows that reach it, the default with those left over.

    `default` is the class of the rest; None: the one with most weight there (or anywhere, where nothing is left).
    `tidy` may leave out conditions that the others of their rule imply.
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
