"""Races in which predictions are timed too: neighbors do nothing before they predict.

Predictions of peers are checked where possible: neighbors are the same, but for ties, where their distances add up to
the same sum, for no set of rows is nearer than the nearest.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

    from benchmarks.data import Rows

NEIGHBORS = 5
QUERIES = 10_000  # rows to predict
FEW_QUERIES = 1_000  # where each takes longer
SAMPLED = 50  # of them, compared with a search one by one
REACH = 200  # neighbors of a local regression
BLOCK = 100


@dataclass(frozen=True)
class Predictor:
    """A peer that learns and predicts."""

    fit: Callable[[Any], Any]
    predict: Callable[[Any, Any], NDArray[Any]]
    check: Callable[[Rows, Rows, NDArray[Any]], dict[str, Any]]  # training rows, query rows, predictions
    n_queries: int = QUERIES
    ready: Callable[[Rows, Rows], tuple[Any, Any]] = lambda train, queries: (train, queries)  # not timed


def mean_distance(train: Rows, queries: Rows, found: NDArray[Any]) -> dict[str, Any]:
    """Of the neighbors found, in double precision."""
    x, q = train.numbers.astype(np.float64), queries.numbers.astype(np.float64)
    total = 0.0
    for start in range(0, len(q), BLOCK):
        part = slice(start, start + BLOCK)
        total += np.sqrt(((x[found[part]] - q[part, np.newaxis]) ** 2).sum(axis=2)).sum()
    return {"distance": float(total / found.size)}


def wrong_mixed(train: Rows, queries: Rows, found: NDArray[Any]) -> dict[str, Any]:
    """How many of some rows have other neighbors than a plain search finds, where missing values are left out."""
    low, high = np.nanmin(train.numbers, axis=0), np.nanmax(train.numbers, axis=0)
    x, q = ((rows.numbers.astype(np.float64) - low) / (high - low) for rows in (train, queries))
    wrong = 0
    for row in range(min(SAMPLED, len(queries))):
        apart = np.column_stack([(x - q[row]) ** 2, train.codes != queries.codes[row]])
        known = np.column_stack([~np.isnan(x) & ~np.isnan(q[row]), (train.codes >= 0) & (queries.codes[row] >= 0)])
        far = np.where(known, apart, 0.0).sum(axis=1) / known.sum(axis=1)
        wrong += not np.allclose(np.sort(far)[:NEIGHBORS], np.sort(far[found[row]]))
    return {"wrong": wrong}


def wrong_matrix(train: NDArray[Any], queries: NDArray[Any], found: NDArray[Any]) -> dict[str, Any]:
    """The same for rows that are all numbers."""
    wrong = 0
    for row in range(min(SAMPLED, len(queries))):
        far = ((train.astype(np.float64) - queries[row]) ** 2).sum(axis=1)
        wrong += not np.allclose(np.sort(far)[:NEIGHBORS], np.sort(far[found[row]]), rtol=1e-4)
    return {"wrong": wrong}


def classes(_train: Rows, queries: Rows, predictions: NDArray[Any]) -> dict[str, Any]:
    """The classes, a digit each, and the share that is right."""
    return {
        "accuracy": float((predictions == queries.target).mean()),
        "predictions": "".join(map(str, predictions.tolist())),
    }


def numbers(_train: Rows, queries: Rows, predictions: NDArray[Any]) -> dict[str, Any]:
    """The error of predictions."""
    return {"rmse": float(np.sqrt(((predictions - queries.target) ** 2).mean()))}
