"""One class after another: in what order classes come, and a set of rules for each in place of a list for all.

In a decision list a class is told from those after it, on the rows that earlier rules leave. In a set every class is
told from all others on all rows; several rules may then hold for a row, and something must decide among them.

References
----------
P. Clark and R. Boswell, Rule induction with CN2: some recent improvements, *EWSL* (1991) 151-163 (unordered rules).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.rules.rule_learner import rule_of
from hornbeam.learn.rules.separate_and_conquer import as_rule_list
from hornbeam.model.base.condition import simplify
from hornbeam.model.rules.rule import RuleList

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from hornbeam.learn.rules.grower import RuleGrower, Steps
    from hornbeam.model.base.condition import Condition

Decide = Literal["first", "best", "vote"]
DECIDE: tuple[Decide, ...] = ("first", "best", "vote")
ORDERS = ("smallest-first", "largest-first", "given")


def class_order(order: Any, weights: NDArray[np.float64], names: Sequence[Any]) -> NDArray[np.intp]:
    """Class codes in the order asked for.

    Parameters
    ----------
    order : str or sequence
        One of `ORDERS`, or every class by name.
    weights : array of float
        Of the classes.
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

    To let the best rule answer, they are put in order, the one that is right most often first. For a vote each has the
    class weights of all rows that it covers.
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
