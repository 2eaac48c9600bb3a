"""Measures by the names that are typed; `hornbeam.evaluate.measures` says what they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hornbeam.evaluate.measures import Measure

MEASURES: dict[str, Measure] = {
    "accuracy": "accuracy",
    "balanced-accuracy": "balanced accuracy",
    "auc": "AUC",
    "log-loss": "log loss",
    "brier-score": "Brier score",
    "mean-cost": "mean cost",
    "root-mean-squared-error": "root mean squared error",
    "mean-absolute-error": "mean absolute error",
    "r2": "R2",
}


def measure_of(typed: str | None) -> Measure | None:
    """Give the measure that was typed, if any."""
    return None if typed is None else MEASURES[typed.lower()]
