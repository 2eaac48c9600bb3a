"""Beam search for one rule: several rules in the making are grown side by side, not the best one alone.

The greedy search adds the best condition, whatever comes after it; two conditions that help only together are missed
where neither helps alone. Here every rule in the making is continued by its best conditions, and as many of the
continued rules stay as the beam is wide.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.rules.cover import AT_LEAST, AT_MOST, BELOW, MISSING, middle

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.core.rules.cover import Cover, Step

    Rows = NDArray[np.int32]
    Steps = tuple[Step, ...]

NOTHING = 1e-9  # weights and scores that differ by less are equal


@dataclass(frozen=True)
class Beam:
    """What is sought.

    Parameters
    ----------
    engine : Cover
    label : int
        The class that the rule is for.
    measure : {"share", "gain", "smoothed-gain"}
    choices : int
        What conditions there are, as in `Cover.grow`.
    width : int
        How many rules in the making are kept.
    least : float
        A condition must leave at least this much weight of the class.
    at_values : bool
        Put cuts at values, not halfway between two.
    """

    engine: Cover
    label: int
    measure: str
    choices: int
    width: int
    least: float = 0.0
    at_values: bool = False

    def score(self, right: Any, covered: Any, of_class: float, total: float) -> Any:
        """The measure of conditions that leave `right` of `covered`, where there were `of_class` of `total` before."""
        if self.measure == "share":
            return right / covered
        added = 1.0 if self.measure == "smoothed-gain" else 0.0
        return right * (np.log2((right + added) / (covered + added)) - np.log2((of_class + added) / (total + added)))

    def worth(self, right: float, covered: float, of_class: float, total: float) -> tuple[float, float]:
        """By what rules are compared: the measure, then the weight of the class."""
        return (float(self.score(right, covered, of_class, total)), right) if covered > 0 else (-np.inf, 0.0)

    def best_steps(self, steps: Steps, rows: Rows, right: float, covered: float) -> list[Step]:
        """The best conditions for a rule, best first; none where it is perfect or cannot be made better."""
        if covered - right <= NOTHING:
            return []
        offered = self.engine.candidates(rows, self.label, self.choices, steps)
        if offered is None:
            return []
        p, t = offered["p"], np.maximum(offered["t"], NOTHING)
        fits = (p > NOTHING) & (p >= self.least - NOTHING) & (t < covered - NOTHING)
        fits &= p * covered >= right * t * (1.0 - NOTHING)
        offered, p, t = offered[fits], p[fits], t[fits]
        # of equals the first column, and cuts from below before cuts from above
        column, relation = offered["column"], offered["relation"]
        numeric = np.isin(column, column[relation <= AT_LEAST])
        side = np.where(relation == AT_LEAST, 1, np.where((relation == MISSING) & numeric, 2, 0))
        ranked = np.lexsort((side, column, -p, -self.score(p, t, right, covered)))
        return [self.step(offered[at]) for at in ranked[: self.width]]

    def step(self, chosen: Any) -> Step:
        """A condition as `Cover.grow` gives it."""
        column, relation, n_codes = int(chosen["column"]), int(chosen["relation"]), int(chosen["n_codes"])
        codes = (int(chosen["code"]),) if n_codes == 1 else self.engine.ranked(column, n_codes)
        cut = 0.0
        if relation in {BELOW, AT_LEAST}:
            low, high = float(chosen["low"]), float(chosen["high"])
            cut = (low if relation == BELOW else high) if self.at_values else middle(low, high)
            relation = AT_MOST if self.at_values and relation == BELOW else relation
        return column, relation, cut, codes, float(chosen["p"]), float(chosen["t"])


def beam_search(beam: Beam, rows: Rows, right: float, covered: float, start: Steps = ()) -> Steps:
    """Grow a rule.

    Parameters
    ----------
    beam : Beam
    rows : array of int
        Rows to grow from.
    right, covered : float
        The weight of the class in them, and of all of them.
    start : tuple of Step
        Conditions that the rule has already, and these rows meet.

    Returns
    -------
    tuple of Step
        The conditions of the rule that is worth most of those that cannot be continued: the greatest fraction of its
        class (then the most of it), or the most information gained from the rows to grow from.
    """
    members, best, best_worth = [(start, rows, right, covered)], start, (-np.inf, 0.0)
    while members:
        continued: list[tuple[tuple[float, float], Rows, Steps]] = []
        for steps, inside, p, t in members:
            more = beam.best_steps(steps, inside, p, t)
            continued += [(beam.worth(*each[4:], right, covered), inside, (*steps, each)) for each in more]
            worth = beam.worth(p, t, right, covered)
            if not more and len(steps) > len(start) and worth > best_worth:
                best, best_worth = steps, worth
        continued.sort(key=lambda each: each[0], reverse=True)  # of equals the first stays first
        members, seen = [], set()
        for _, inside, steps in continued:
            _, _, kept = beam.engine.narrow(inside, beam.label, steps[-1:])
            if (key := kept.tobytes()) not in seen:  # the same rows are covered by conditions in any order
                seen.add(key)
                members.append((steps, kept, *steps[-1][4:]))
            if len(members) == beam.width:
                break
    return best
