"""Which model a report is about: the simplest one that a person can read and that is about as good as the best.

A model is small enough to read if it has at most `max_size` leaves or rules, and at most as many terms in all of its
equations. The report also estimates what a larger model would gain.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import percent
from hornbeam.evaluate.comparing.methods import BASELINE
from hornbeam.evaluate.judge import size_of
from hornbeam.evaluate.plain import Plain
from hornbeam.model.linear.linear import LinearModel
from hornbeam.model.rules.rule import RuleList
from hornbeam.model.trees.tree import Tree
from hornbeam.schemes import find

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.evaluate.comparing.comparison import Outcome
    from hornbeam.schemes import Predicts

READABLE = {"tree", "rules", "equation"}  # models that a person can read
MAX_SIZE = 30  # leaves, rules or terms
LOSS = 0.01  # a score this close to the best is about as good: a point of accuracy, or a hundredth of the error
SMALL_TREE = "tree"  # the scheme with a limit on leaves, which a report adds if other models are too large
ROWS_PER_LEAF = 5  # minimum number of rows per leaf of that tree
LARGER = 1.5  # the smallest ratio of two sizes that is mentioned


@dataclass(frozen=True, slots=True)
class Size(Plain):
    """The size of a model: a number of leaves, rules or terms."""

    count: int
    unit: str  # in the singular
    terms: int = 0  # of the equations of its leaves or rules

    def __str__(self) -> str:
        text = _counted(self.count, self.unit)
        return f"{text} and {_counted(self.terms, 'term')}" if self.terms else text

    @property
    def largest(self) -> int:
        """The number that is compared with the most that a person can read."""
        return max(self.count, self.terms)

    @property
    def total(self) -> int:
        """The number of all parts, to compare sizes."""
        return self.count + self.terms


@dataclass(frozen=True, slots=True)
class Alternative(Plain):
    """A scheme that was not chosen."""

    scheme: str  # its name
    size: Size | None  # the size of its model, learned from all rows; None if it is not a model to read
    # How much better its score is than that of the chosen one: the difference of accuracies, or the fraction of the
    # error that it saves. Negative where it is worse.
    gain: float
    ratio: float | None  # its size divided by that of the chosen model


@dataclass(frozen=True, slots=True)
class Choice(Plain):
    """The model chosen."""

    scheme: str  # its name
    reason: str  # one sentence for a person
    best: str  # the best readable scheme whose model is small enough
    # the worst score that is about as good as the best; None if the user named the scheme
    limit: float | None
    max_size: int = MAX_SIZE  # the largest number of leaves, rules or terms of a chosen model
    trade: str = ""  # what a larger model would gain, in one sentence; empty if none is better
    alternatives: tuple[Alternative, ...] = ()  # the other schemes, best first


def is_readable(name: str, predicts: Predicts) -> bool:
    """Whether a scheme's models can be read by a person; false for a method that is not a scheme."""
    try:
        return find(name, predicts).makes in READABLE
    except ValueError:
        return False


def model_size(model: Any) -> Size | None:  # noqa: ANN401 - any model
    """Return the leaves, rules or terms of a model; None if it has none of these.

    The size of a tree or list without conditions that has an equation is the number of its terms.

    Examples
    --------
    >>> import hornbeam
    >>> str(model_size(hornbeam.C45Classifier().fit(hornbeam.read("weather")).model_))
    '5 leaves'
    """
    if isinstance(model, LinearModel):
        return Size(len(model.terms), "term")
    sizes, terms = size_of(model), _terms_of_equations(model)
    if terms and sizes["conditions"] == 0:
        return Size(terms, "term")
    for unit, name in (("leaf", "leaves"), ("rule", "rules")):
        if not math.isnan(sizes[name]):
            return Size(int(sizes[name]), unit, terms)
    return None


def _terms_of_equations(model: Any) -> int:  # noqa: ANN401 - any model
    """Count the terms of the equations of leaves or rules."""
    if isinstance(model, Tree) and model.term_start is not None:
        return int(np.diff(model.term_start)[model.first_child < 0].sum())
    if isinstance(model, RuleList):
        return sum(len(rule.terms) for rule in (*model.rules, *([] if model.default is None else [model.default])))
    return 0


def _counted(count: int, unit: str) -> str:
    plural = "leaves" if unit == "leaf" else f"{unit}s"
    return f"{count:,} {unit if count == 1 else plural}"


def choose(
    outcomes: Sequence[Outcome],
    predicts: Predicts,
    *,
    higher_is_better: bool,
    named: str | None = None,
    sizes: Mapping[str, Size | None] | None = None,
    max_size: int = MAX_SIZE,
) -> Choice:
    """Choose among the schemes compared.

    Parameters
    ----------
    outcomes : sequence of Outcome
        The results of the comparison.
    predicts : {"category", "number"}
        Whether the target holds classes or numbers.
    higher_is_better : bool
        Whether a higher score is a better one.
    named : str, optional
        The scheme that the user named: it is chosen regardless of its score and size.
    sizes : mapping of str to Size, optional
        The sizes of the models learned from all rows. A scheme without one is not limited.
    max_size : int
        The largest number of leaves, rules or terms of a chosen model.

    Returns
    -------
    Choice
        Of the readable schemes with small models whose mean score is about as good as the best one's (within one
        standard error of it, or within one point of accuracy or 1% of the error), the one with the fewest conditions to
        read (an equation has none); in a tie, the better one. A tree or list without conditions (fewer than one on
        average) and without an equation is the same as the baseline, and is skipped if there is another. If every model
        is too large, the smallest is chosen.
    """
    sizes = sizes or {}
    sign = 1.0 if higher_is_better else -1.0
    judged = [one for one in outcomes if one.score is not None and not math.isnan(one.score.mean)]
    if named is not None:
        return _beside(Choice(named, f"{named} was requested.", named, None, max_size), judged, sizes, sign)
    readable = [one for one in judged if is_readable(one.method, predicts)]
    if not readable:
        problems = "; ".join(f"{one.method}: {one.problem}" for one in outcomes if one.problem)
        msg = (
            f"none of the schemes compared is readable and could learn{f' ({problems})' if problems else ''}; name one"
        )
        raise ValueError(msg)
    small = [one for one in readable if _count(sizes.get(one.method)) <= max_size]
    if not small:
        smallest = min(readable, key=lambda one: (_count(sizes.get(one.method)), -sign * _mean(one)))
        reason = f"None of the models compared has at most {max_size} leaves, rules or terms; {smallest.method} has "
        reason += f"the smallest ({sizes[smallest.method]})."
        return _beside(Choice(smallest.method, reason, smallest.method, None, max_size), judged, sizes, sign)
    best = max(small, key=lambda one: sign * _mean(one))
    limit = _limit(best, higher_is_better=higher_is_better)
    near = [one for one in small if sign * _mean(one) >= sign * limit]
    splitting = [
        one
        for one in near
        if conditions_of(one, predicts) >= 1 or _is_equation(one, predicts) or _has_terms(sizes.get(one.method))
    ]
    skipped = [one.method for one in near if one not in splitting] if splitting else []
    chosen = min(splitting or near, key=lambda one: (conditions_of(one, predicts), -sign * _rounded(_mean(one))))
    large = len(readable) - len(small)
    reason = _reason(
        chosen.method, best.method, len(near), skipped, "schemes with small models" if large else "readable schemes"
    )
    if large:
        verb = "is" if large == 1 else "are"
        reason += f" {large} of {len(readable)} models {verb} too large to read (more than {max_size} "
        reason += "leaves, rules or terms)."
    return _beside(Choice(chosen.method, reason, best.method, limit, max_size), judged, sizes, sign)


def _limit(best: Outcome, *, higher_is_better: bool) -> float:
    """Return the worst score that is about as good as the best: one standard error, or a small loss, below it."""
    assert best.score is not None
    mean, error = best.score.mean, best.score.standard_error
    loss = LOSS if higher_is_better else LOSS * mean
    slack = loss if math.isnan(error) else max(error, loss)
    return mean - slack if higher_is_better else mean + slack


def _reason(chosen: str, best: str, n_near: int, skipped: Sequence[str], among: str) -> str:
    """Say why a scheme was chosen among the `n_near` that are about as good as the best."""
    if n_near == 1:
        return f"{chosen} has the best score of the {among}; no other of these is about as good."
    others = n_near - len(skipped)
    if chosen == best:
        text = f"{chosen} has the best score of the {among}"
        text += f", and is the simplest of the {others} that are about as good." if others > 1 else "."
    elif others > 1:
        text = f"{chosen} is the simplest of the {others} {among} that are about as good as the best ({best})."
    else:
        return (
            f"{chosen} is the only one of the {among} about as good as the best ({best}) whose model has any "
            "condition or term; one without is the baseline."
        )
    if skipped:
        text += f" Skipped, since a model without conditions or terms is the baseline: {', '.join(skipped)}."
    return text


# ---- what other schemes would gain ----


def _beside(choice: Choice, judged: Sequence[Outcome], sizes: Mapping[str, Size | None], sign: float) -> Choice:
    """Add the other schemes to a choice, best first, and what a larger model would gain."""
    shown = next((one for one in judged if one.method == choice.scheme), None)
    if shown is None:
        return choice
    own = sizes.get(choice.scheme)
    others = []
    for one in judged:
        if one is shown:
            continue
        gain = sign * (_mean(one) - _mean(shown))
        if sign < 0:  # an error: the fraction of it that is saved
            gain = gain / _mean(shown) if _mean(shown) > 0 else 0.0
        size = sizes.get(one.method)
        ratio = size.total / own.total if size is not None and own is not None and own.total else None
        others.append(Alternative(one.method, size, gain, ratio))
    others.sort(key=lambda one: -one.gain)
    best = next((one for one in others if one.scheme != BASELINE), None)  # there is no report on the baseline
    trade = "" if best is None else _trade(own, best, percent_points=sign > 0)
    return Choice(choice.scheme, choice.reason, choice.best, choice.limit, choice.max_size, trade, tuple(others))


def _trade(own: Size | None, best: Alternative, *, percent_points: bool) -> str:
    """Say what the best other scheme would gain, if it is better; and how much larger its model is."""
    worse = gain_words(best.gain, points=percent_points)
    if best.gain <= 0 or worse.startswith("0.0"):
        return ""
    text = f"The model shown is {worse} worse than {best.scheme}"
    if best.size is not None and own is not None and best.ratio is not None:
        if best.ratio >= LARGER:
            text += f", and {times(best.ratio)} smaller: {own} instead of {best.size}"
        else:
            text += f" ({best.size})"
    return f"{text}. Use --scheme {best.scheme} for a report on that model."


def gain_words(gain: float, *, points: bool) -> str:
    """Write a difference of scores without its sign: points of accuracy, or percent of an error.

    Examples
    --------
    >>> gain_words(-0.0312, points=True), gain_words(0.015, points=False)
    ('3.1 points', '1.5%')
    """
    return f"{100 * abs(gain):.1f} points" if points else percent(abs(gain))


def times(ratio: float) -> str:
    """Write how many times larger something is.

    Examples
    --------
    >>> times(262.75), times(1.6)
    ('263 times', '1.6 times')
    """
    return f"{ratio:,.0f} times" if ratio >= 10 else f"{ratio:.1f} times"  # noqa: PLR2004 - two digits are enough


def _mean(one: Outcome) -> float:
    assert one.score is not None
    return one.score.mean


def _rounded(score: float) -> float:
    """Round a score, so that schemes that learn the same equation tie."""
    return float(f"{score:.9g}")


def _count(size: Size | None) -> int:
    return 0 if size is None else size.largest


def _has_terms(size: Size | None) -> bool:
    """Whether the model learned from all rows has an equation with terms."""
    return size is not None and (size.terms > 0 or (size.unit == "term" and size.count > 0))


def conditions_of(one: Outcome, predicts: Predicts) -> float:
    """Return the number of conditions to read, on average over the folds; none for an equation."""
    if _is_equation(one, predicts):
        return 0.0
    found = one.metrics.get("conditions")
    return math.inf if found is None or math.isnan(found.mean) else found.mean


def _is_equation(one: Outcome, predicts: Predicts) -> bool:
    return find(one.method, predicts).makes == "equation"
