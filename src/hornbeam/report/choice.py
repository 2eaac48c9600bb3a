"""Which model a report is about: the simplest readable one that is about as good as the best, and why."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.evaluate.plain import Plain
from hornbeam.schemes import find

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.evaluate.comparing.comparison import Outcome
    from hornbeam.schemes import Predicts

READABLE = {"tree", "rules", "equation"}  # models that a person can read


@dataclass(frozen=True, slots=True)
class Choice(Plain):
    """The model chosen.

    Parameters
    ----------
    scheme : str
        Its name.
    reason : str
        One sentence for a person.
    best : str
        The best readable scheme.
    limit : float or None
        The worst score within one standard error of the best; None where the scheme was named.
    """

    scheme: str
    reason: str
    best: str
    limit: float | None


def is_readable(name: str, predicts: Predicts) -> bool:
    """Whether a scheme's models can be read by a person; false for a method that is not a scheme."""
    try:
        return find(name, predicts).makes in READABLE
    except ValueError:
        return False


def choose(
    outcomes: Sequence[Outcome], predicts: Predicts, *, higher_is_better: bool, named: str | None = None
) -> Choice:
    """Choose among the schemes compared.

    Parameters
    ----------
    outcomes : sequence of Outcome
        What the comparison found.
    predicts : {"category", "number"}
        What the target holds.
    higher_is_better : bool
        Whether a higher score is a better one.
    named : str, optional
        The scheme that the user named: it is chosen, whatever its score.

    Returns
    -------
    Choice
        Of the readable schemes whose mean score is within one standard error of the best one's, the one with the fewest
        conditions to read (an equation has none); of two with equally many, the better one. A tree or list without
        conditions (fewer than one on average) is the same as the baseline, and is skipped where there is another.
    """
    judged = [one for one in outcomes if one.score is not None and not math.isnan(one.score.mean)]
    readable = [one for one in judged if is_readable(one.method, predicts)]
    if named is not None:
        return Choice(named, f"{named} was requested.", named, None)
    if not readable:
        problems = "; ".join(f"{one.method}: {one.problem}" for one in outcomes if one.problem)
        msg = (
            f"none of the schemes compared is readable and could learn{f' ({problems})' if problems else ''}; name one"
        )
        raise ValueError(msg)
    sign = 1.0 if higher_is_better else -1.0

    def merit(one: Outcome) -> float:
        return sign * one.score.mean if one.score is not None else -math.inf

    best = max(readable, key=merit)
    assert best.score is not None
    slack = best.score.standard_error
    limit = best.score.mean - sign * (0.0 if math.isnan(slack) else slack)
    near = [one for one in readable if merit(one) >= sign * limit]
    splitting = [one for one in near if conditions_of(one, predicts) >= 1 or _is_equation(one, predicts)]
    skipped = [one.method for one in near if one not in splitting] if splitting else []
    candidates = splitting or near
    chosen = min(candidates, key=lambda one: (conditions_of(one, predicts), -merit(one)))
    reason = _reason(chosen.method, best.method, len(near), skipped)
    return Choice(chosen.method, reason, best.method, limit)


def _reason(chosen: str, best: str, n_near: int, skipped: Sequence[str]) -> str:
    """Say why a scheme was chosen among the `n_near` within one standard error of the best."""
    if n_near == 1:
        return f"{chosen} has the best score of the readable schemes; no other is within one standard error of it."
    others = n_near - len(skipped)
    if chosen == best:
        text = f"{chosen} has the best score of the readable schemes"
        text += f", and is the simplest of the {others} within one standard error of it." if others > 1 else "."
    elif others > 1:
        text = (
            f"{chosen} is the simplest of the {others} readable schemes whose score is within one standard error of "
            f"the best ({best})."
        )
    else:
        return (
            f"{chosen} is the only readable scheme within one standard error of the best ({best}) whose model has any "
            "condition; a model without conditions is the baseline."
        )
    if skipped:
        text += f" Skipped, since a model without conditions is the baseline: {', '.join(skipped)}."
    return text


def conditions_of(one: Outcome, predicts: Predicts) -> float:
    """Give the number of conditions to read, on average over the folds; none for an equation."""
    if _is_equation(one, predicts):
        return 0.0
    found = one.figures.get("conditions")
    return math.inf if found is None or math.isnan(found.mean) else found.mean


def _is_equation(one: Outcome, predicts: Predicts) -> bool:
    return find(one.method, predicts).makes == "equation"
