"""Boosting in the races: what all peers share."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from benchmarks.peer import Learner

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.data import Rows

ROUNDS = 100
LEARNING_RATE = 0.1
LEAST_SHARE = 1e-15


def matrix(rows: Rows) -> NDArray[np.float32]:
    """Numbers, then codes as numbers, NaN where a value is missing: what the rivals read."""
    if not rows.n_categories:
        return rows.numbers
    return np.hstack([rows.numbers, np.where(rows.codes < 0, np.nan, rows.codes).astype(np.float32)])


def boosted(
    fit: Callable[[Rows], Any],
    outputs: Callable[[Any, Rows], NDArray[np.float64]],
    facts: Callable[[Any], dict[str, Any]],
) -> Learner:
    """A learner whose `outputs` are class probabilities (of two classes, that of the second is enough) or numbers."""

    def probabilities(model: Any, rows: Rows) -> NDArray[np.float64]:  # noqa: ANN401 - whatever the peer has
        found = outputs(model, rows)
        return np.stack([1 - found, found], axis=1) if found.ndim == 1 else found

    def predict(model: Any, rows: Rows) -> NDArray[Any]:  # noqa: ANN401
        return probabilities(model, rows).argmax(axis=1) if rows.n_classes else outputs(model, rows)

    def loss(model: Any, rows: Rows) -> float:  # noqa: ANN401
        if not rows.n_classes:
            return float(((outputs(model, rows) - rows.target) ** 2).mean())
        chance = probabilities(model, rows)[np.arange(len(rows)), rows.target]
        return float(-np.log(np.maximum(chance, LEAST_SHARE)).mean())

    return Learner(fit, predict, facts, loss=loss)
