"""RIPPER: rules for one class after another, pruned as they are grown and refined by description length.

References
----------
W. W. Cohen, Fast effective rule induction, *ICML* (1995) 115-123.
P. Clark and R. Boswell, Rule induction with CN2: some recent improvements, *EWSL* (1991) 151-163 (unordered rules).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.learn.base.declare import estimator
from hornbeam.learn.base.parameters import at_least, one_of, share, whole
from hornbeam.learn.compat.weka import JavaRandom, generator_by_row_text, shuffled
from hornbeam.learn.linear.row_by_row import by_quicksort
from hornbeam.learn.rules.grower import MEASURES
from hornbeam.learn.rules.refine import ClassRules, SetChoices
from hornbeam.learn.rules.rule_learner import class_weights, rule_of
from hornbeam.learn.rules.separate_and_conquer import Dealer, HeldOutClassifier, as_rule_list, seed_state
from hornbeam.model.base.condition import IsIn, simplify
from hornbeam.model.rules.rule import RuleList

if TYPE_CHECKING:
    from collections.abc import Callable

    from hornbeam.core.base.arrays import Floats, Indices
    from hornbeam.data.table import Table
    from hornbeam.learn.rules.grower import RuleGrower, Steps
    from hornbeam.model.base.condition import Condition

Decide = Literal["first", "best", "vote"]
DECIDE: tuple[Decide, ...] = ("first", "best", "vote")
ORDERS = ("smallest-first", "largest-first", "given")


@estimator
class RipperClassifier(HeldOutClassifier):
    """Rules by RIPPER.

    Classes are learned from the rarest to the most frequent, which is the default. For each, rules are grown on two
    thirds of the rows and pruned on the last third, with a new division for every rule, until the description of the
    rows gets clearly longer; then every rule is compared with two variants, and rules that do not save bits are
    dropped. Or every class has its own set of rules, learned from all rows.

    Parameters
    ----------
    prune : {"incremental", None}
        Whether rules are pruned and refined; if not, they are grown until they are perfect or nothing helps.
    optimizations : int
        How often the rules of a class are refined.
    measure : {"smoothed-gain", "gain", "share"}
        How conditions are chosen: by p (log (p + 1)/(t + 1) - log (P + 1)/(T + 1)), the same without the added ones,
        or p/t. P and T are those of the rule before the condition.
    limit_errors : bool
        Whether a rule that is wrong in half of its rows is refused.
    min_accuracy : float
        The rules of a class end before the first that is less accurate than this on the remaining rows.
    order : {"smallest-first", "largest-first", "given"} or sequence of classes
        Which class comes first: the rarest, the most frequent, or that of the target's first category; or all of them
        by name. In a decision list the last class is the default.
    decide : {"first", "best", "vote"}
        A decision list: rules separate every class from those after it, on the rows that earlier rules have left, and
        the first rule that holds decides. Or a set of rules for every class, each learned against all other classes on
        all rows: of the rules that hold the most accurate decides (by the Laplace estimate, (p + 1)/(t + 2)), or their
        class probabilities are averaged. The most frequent class of the rows that no rule covers is then the default.
    compat : {"weka", "weka-3.9", None}
        "weka": the reference program's rules, which depend on the order and the text of the rows, and may have several
        bounds of one kind on a column. "weka-3.9": as its later versions, only the last of these.

    Notes
    -----
    Numeric columns are cut at any of their values. Rules do not depend on the order of the rows, and a row of weight
    two is two rows (unless weights are not whole numbers, or very large).

    Examples
    --------
    >>> import hornbeam
    >>> rules = hornbeam.RipperClassifier(compat="weka").fit(hornbeam.read("iris"))
    >>> print(hornbeam.show.text(rules, style="weka"))
    (petallength >= 3.3) and (petalwidth <= 1.6) and (petallength <= 4.9) => class=Iris-versicolor (46.0/0.0)
    (petallength <= 1.9) => class=Iris-setosa (50.0/0.0)
     => class=Iris-virginica (54.0/4.0)
    """

    prune: Literal["incremental"] | None = "incremental"
    optimizations: int = 2
    measure: Literal["smoothed-gain", "gain", "share"] = "smoothed-gain"
    limit_errors: bool = True
    min_accuracy: float = 0.0
    order: Literal["smallest-first", "largest-first", "given"] | Sequence[str] = "smallest-first"
    decide: Decide = "first"
    compat: Literal["weka", "weka-3.9"] | None = None

    def _learn_rules(self, table: Table) -> RuleList:
        choices = SetChoices(
            measure=one_of("measure", self.measure, tuple(MEASURES)),
            least=at_least("min_samples_rule", self.min_samples_rule, 0),
            prune=one_of("prune", self.prune, ("incremental", None)) is not None,
            passes=whole("optimizations", self.optimizations, 0),
            limit_errors=bool(self.limit_errors),
            min_accuracy=share("min_accuracy", self.min_accuracy),
        )
        decide = one_of("decide", self.decide, DECIDE)
        folds = whole("folds", self.folds, 2)
        tidy = TIDY[one_of("compat", self.compat, (None, "weka", "weka-3.9"))]
        grower = self._grower(table, as_given=self.compat is not None)
        weights = class_weights(table)
        order, state = self._order(table, weights)
        order = order[weights[order] > 0]
        place = np.empty(len(weights), np.int32)
        place[order] = np.arange(len(order), dtype=np.int32)
        dealer = Dealer(place[grower.classes], folds, state)
        rules: list[tuple[int, Steps]] = []
        rows = grower.all_rows
        for position, label in enumerate(order[: -1 if decide == "first" else None].tolist()):
            against = weights[order[position:]].sum()
            if decide != "first":
                rows, against = grower.all_rows, weights.sum()
            if grower.weigh(rows, label)[1] <= 0 or len(order) == 1:
                continue
            bodies, rows = ClassRules(grower, rows, label, float(weights[label] / against), choices, dealer).learn()
            rules += [(label, body) for body in bodies]
        recipe: dict[str, str | float | bool | None] = {
            "layout": "bracketed",
            "measure": choices.measure,
            "prune": self.prune,
            "optimizations": choices.passes,
            "folds": folds,
            "nominal": self.nominal,
            "missing": self.missing,
            "beam_width": grower.beam_width,
            "min_samples_rule": choices.least,
            "limit_errors": choices.limit_errors,
            "min_accuracy": choices.min_accuracy,
            "order": self.order if isinstance(self.order, str) else ", ".join(map(str, self.order)),
            "decide": decide,
        }
        if decide == "first":
            return as_rule_list(grower, rules, int(order[-1]), recipe, tidy)
        return as_rule_set(grower, rules, decide, recipe, tidy)

    def _order(self, table: Table, weights: Floats) -> tuple[Indices, int]:
        """Classes in the requested order, and the state of the generator that divides rows."""
        if self.compat is None:
            return class_order(self.order, weights, self.classes_.tolist()), seed_state(self.random_state)
        if self.decide != "first" or self.order != "smallest-first":
            msg = f"compat={self.compat!r} makes a decision list from the smallest class on; give no order and decide"
            raise ValueError(msg)
        random = generator_by_row_text(table)
        seed = random.next(32)
        mixed = shuffled(len(weights), JavaRandom(seed - (1 << 32) if seed >= 1 << 31 else seed))
        return mixed[by_quicksort(weights[mixed])], random.state


def last_bounds(conditions: Sequence[Condition]) -> tuple[Condition, ...]:
    """Keep only the last, which is the tightest, of several lower (or upper) bounds on a column, in its place."""
    return tuple(
        condition
        for place, condition in enumerate(conditions)
        if isinstance(condition, IsIn)
        or not any(type(o) is type(condition) and o.column == condition.column for o in conditions[place + 1 :])
    )


TIDY: dict[str | None, Callable[[Sequence[Condition]], tuple[Condition, ...]]] = {
    None: simplify,
    "weka": tuple,
    "weka-3.9": last_bounds,
}


def class_order(order: Any, weights: Floats, names: Sequence[Any]) -> Indices:
    """Class codes in the requested order.

    Parameters
    ----------
    order : str or sequence
        One of `ORDERS`, or every class by name.
    weights : array of float
        The weights of the classes.
    names : sequence
        The classes, by code.

    Examples
    --------
    >>> class_order("largest-first", np.array([5.0, 9.0, 7.0]), ["a", "b", "c"]).tolist()
    [1, 2, 0]
    >>> class_order(["c", "a", "b"], np.array([5.0, 9.0, 7.0]), ["a", "b", "c"]).tolist()
    [2, 0, 1]
    """
    if isinstance(order, str) or not isinstance(order, Sequence | np.ndarray):
        one_of("order", order, ORDERS)
        if order == "given":
            return np.arange(len(weights))
        return np.argsort(weights if order == "smallest-first" else -weights, kind="stable")
    code = {name: place for place, name in enumerate(names)}
    wanted = list(order)
    if sorted(map(str, wanted)) != sorted(map(str, names)) or any(name not in code for name in wanted):
        known = ", ".join(repr(str(name)) for name in names)
        msg = f"order is {wanted!r}; expected one of {', '.join(map(repr, ORDERS))}, or every class once: {known}"
        raise ValueError(msg)
    return np.array([code[name] for name in wanted], np.intp)


def as_rule_set(
    grower: RuleGrower,
    rules: Sequence[tuple[int, Steps]],
    decide: Literal["best", "vote"],
    recipe: dict[str, str | float | bool | None],
    tidy: Callable[[Sequence[Condition]], tuple[Condition, ...]] = simplify,
) -> RuleList:
    """The model of rules that were each learned from all rows.

    If the best rule decides, they are sorted by accuracy. For voting, each has the class weights of all rows that it
    covers.
    """
    covers = [grower.cover(body, grower.all_rows, label) for label, body in rules]
    if decide == "best":
        worth = np.array([(cover.right + 1.0) / (cover.covered + 2.0) for cover in covers])
        ordered = np.argsort(-worth, kind="stable").tolist()
        return as_rule_list(grower, [rules[place] for place in ordered], None, recipe, tidy)
    left = grower.all_rows
    for cover in covers:
        left = grower.without(left, cover.rows)
    rest = grower.class_weights(left)
    default = int(np.argmax(rest if rest.any() else grower.class_weights(grower.all_rows)))
    made = tuple(
        rule_of(tidy(grower.conditions(body)), label, grower.class_weights(cover.rows))
        for (label, body), cover in zip(rules, covers, strict=True)
    )
    return RuleList(grower.table.schema, made, rule_of((), default, rest), "vote", recipe=recipe)
