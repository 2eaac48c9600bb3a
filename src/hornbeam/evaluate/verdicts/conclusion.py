"""`Verdict`: a sentence about a result, and the numbers behind it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Literal

from hornbeam.evaluate.plain import plain_fields

if TYPE_CHECKING:
    from collections.abc import Iterable

Severity = Literal["good", "unsure", "bad"]


@dataclass(frozen=True, slots=True)
class Verdict:
    """The conclusion from a result.

    Parameters
    ----------
    text : str
        One sentence, followed by reasons to doubt it, if there are any.
    better : bool or None
        Whether it is better than the baseline: True if the whole interval of the difference is above zero, False if
        there is no sign of it, None if the rows cannot decide.
    severity : {"good", "unsure", "bad"}
        How to show it: ``"bad"`` if nothing was learned or the scores cannot be trusted.
    measure : str
        What is compared: ``"accuracy"``, ``"mean cost"``, ``"R2"`` or the measure of a comparison.
    value, baseline : float
        The scores of the model, and of always predicting the most frequent class, the cheapest class or the mean.
    difference : float
        How much better the value is than the baseline.
    interval : tuple of float
        A 95% interval of the difference.
    doubts : tuple of str
        Reasons in `text` not to trust the scores, such as a column that determines the target.
    """

    text: str
    better: bool | None
    severity: Severity
    measure: str
    value: float = math.nan
    baseline: float = math.nan
    difference: float = math.nan
    interval: tuple[float, float] = (math.nan, math.nan)
    doubts: tuple[str, ...] = ()

    def with_doubts(self, doubts: Iterable[str]) -> Verdict:
        """Return the same verdict with reasons not to trust it, if it is a good one."""
        said = tuple(doubts)
        if not said or self.better is False:
            return self
        text = " ".join([self.text, "Do not trust this score yet:", "; ".join(said) + "."])
        return replace(self, text=text, severity="bad", doubts=said)

    def to_json(self) -> dict[str, Any]:
        """Plain data for JSON; undefined numbers are None."""
        return plain_fields(
            self, "verdict=text better_than_baseline=better severity measure value baseline difference interval doubts"
        )
