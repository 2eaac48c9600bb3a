"""Why a result may differ from WEKA's.

Each reason is checked by code on the two results, must account for the whole difference, and stands in docs/compat.md,
in the row that `REASONS` names beside it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from fuzz.random_tables import Drawn
    from fuzz.weka_claims import Claim, Found

FIGURES = re.compile(r"\((\d+\.\d+)(?:/(\d+\.\d+))?\)")
LAST_DIGIT = 0.01 + 1e-9  # of printed weights
SAME = 1e-9


@dataclass(frozen=True)
class Reason:
    """A known difference: its name, the words of its row in docs/compat.md, and the check."""

    name: str
    row: str
    check: Callable[[Claim, Drawn, Found, Found], bool]


def explained(claim: Claim, pair: Drawn, found: Found, reference: Found) -> str | None:
    """The first reason that accounts for the whole difference; None if there is none."""
    return next((each.name for each in REASONS if each.check(claim, pair, found, reference)), None)


def _same_predictions(found: Found, reference: Found) -> bool:
    return found.rows.shape == reference.rows.shape and bool(
        np.allclose(found.rows, reference.rows, rtol=SAME, atol=SAME, equal_nan=True)
    )


def _refused_there(claim: Claim, pair: Drawn, found: Found, reference: Found) -> bool:  # noqa: ARG001
    words = ("Not enough training instances", "Cannot handle", "No training instances")
    return not found.error and any(each in reference.error for each in words)


def _weights_refused_here(claim: Claim, pair: Drawn, found: Found, reference: Found) -> bool:  # noqa: ARG001
    return pair.training.weights is not None and "takes no row weights" in found.error


def _last_digit(claim: Claim, pair: Drawn, found: Found, reference: Found) -> bool:  # noqa: ARG001
    """The same model with the same predictions, and printed weights that differ by one unit of their last digit."""
    if found.error or reference.error or not _same_predictions(found, reference):
        return False
    if FIGURES.sub("()", found.text) != FIGURES.sub("()", reference.text):
        return False
    pairs = zip(FIGURES.findall(found.text), FIGURES.findall(reference.text), strict=True)
    return all(
        abs(float(one or 0) - float(other or 0)) <= LAST_DIGIT
        for ours, theirs in pairs
        for one, other in zip(ours, theirs, strict=True)
    )


REASONS = (
    Reason("WEKA refuses the table", "tables that WEKA refuses", _refused_there),
    Reason("row weights refused here", "row weights", _weights_refused_here),
    Reason("last printed digit of a weight", "the last printed digit", _last_digit),
)
