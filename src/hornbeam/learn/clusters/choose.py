"""How many clusters: by the bend of the error, by how well rows fit their clusters, or by comparison with no structure.

The silhouette is Rousseeuw's, 1987 (on a sample of rows where there are many), the gap statistic Tibshirani, Walther
and Hastie's, 2001, on numbers and categories drawn independently of each other.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.clusters.lloyd import Lloyd, Run
from hornbeam.learn.clusters.starts import Starts

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table
    from hornbeam.learn.clusters.ground import Ground
    from hornbeam.model.distance import Distance

    Floats = NDArray[np.float64]

CHOICES = ("silhouette", "elbow", "gap")
SAMPLE = 1000  # rows that silhouettes are taken of
REFERENCES = 10  # tables without structure
REFERENCE_STARTS = 3


@dataclass(frozen=True, eq=False)
class Choice:
    """The figures that a number of clusters was chosen by.

    Parameters
    ----------
    by : str
        The way.
    numbers : array
        Numbers of clusters tried.
    errors : array
        The least error found with each.
    scores : array
        What was looked at: mean silhouettes, gaps, or how far the error lies below the line from the first to the last.
    best : int
        The number chosen.
    """

    by: str
    numbers: NDArray[np.int64]
    errors: Floats
    scores: Floats
    best: int


def best_number(
    search: Any,
    distance: Distance,
    table: Table,
    most: int,
    by: str,
    random: np.random.RandomState,
) -> tuple[Choice, list[Run]]:
    """Try every number of clusters up to `most`; the best, and its descents."""
    first = 2 if by == "silhouette" and most > 1 else 1
    tried: list[list[Run]] = []
    for k in range(first, most + 1):
        runs = search.runs(k)
        if tried and len(runs[0].centres) < k:  # no more different rows
            break
        tried.append(runs)
    best = [min(runs, key=lambda run: run.error) for runs in tried]
    numbers = np.arange(first, first + len(best))
    errors = np.array([run.error for run in best])
    if by == "silhouette":
        scores = silhouettes(distance, table, [run.labels for run in best], random)
        place = int(np.argmax(scores))
    elif by == "elbow":
        scores = _below_the_line(errors)
        place = int(np.argmax(scores))
    else:
        scores, spread = _gaps(search, errors, random)
        enough = scores[:-1] >= scores[1:] - spread[1:]
        place = int(np.argmax(enough)) if enough.any() else len(scores) - 1
    return Choice(by, numbers, errors, scores, int(numbers[place])), tried[place]


def silhouettes(
    distance: Distance, table: Table, labels: list[NDArray[np.int32]], random: np.random.RandomState
) -> Floats:
    """The mean silhouette of each of several clusterings of the same rows; 0 of a row alone, or of one cluster."""
    n = table.n_rows
    some = np.arange(n) if n <= SAMPLE else np.sort(random.permutation(n)[:SAMPLE])
    points = distance.points(table)
    apart = np.nan_to_num(distance.between(points.take(some), points.take(some)))
    weights = np.ones(len(some)) if table.weights is None else np.asarray(table.weights)[some]
    scores = []
    for given in labels:
        _, own = np.unique(given[some], return_inverse=True)
        k = int(own.max()) + 1
        if k == 1:
            scores.append(0.0)
            continue
        member = np.eye(k)[own] * weights[:, np.newaxis]
        held = member.sum(axis=0)
        total = apart @ member
        row = np.arange(len(some))
        others = held[own] - weights
        inside = np.where(others > 0, total[row, own] / np.where(others > 0, others, 1.0), 0.0)
        means = total / held
        means[row, own] = np.inf
        outside = means.min(axis=1)
        widest = np.maximum(inside, outside)
        fit = np.where((others > 0) & (widest > 0), (outside - inside) / np.where(widest > 0, widest, 1.0), 0.0)
        scores.append(float(np.average(fit, weights=weights)))
    return np.array(scores)


def _below_the_line(errors: Floats) -> Floats:
    """How far each error lies below the line from the first to the last, both axes from 0 to 1."""
    if len(errors) == 1 or not errors[0] > errors[-1]:
        return np.zeros(len(errors))
    height = (errors - errors[-1]) / (errors[0] - errors[-1])
    return np.asarray(1 - np.linspace(0, 1, len(errors)) - height)


def _gaps(search: Any, errors: Floats, random: np.random.RandomState) -> tuple[Floats, Floats]:
    """How much smaller the logarithm of the error is than without structure, and one standard error of that."""
    least = np.finfo(np.float64).tiny
    logs = np.empty((REFERENCES, len(errors)))
    for number in range(REFERENCES):
        ground = _without_structure(search.ground, random)
        lloyd, starts = Lloyd(ground, search.crew, plainly=False, memory_mb=64), Starts(ground, search.crew)
        for k in range(1, len(errors) + 1):
            runs = [
                lloyd.descend(ground.at(starts.far_apart(k, random)), search.asked.max_iter, 0.0)
                for _ in range(REFERENCE_STARTS)
            ]
            logs[number, k - 1] = np.log(max(least, min(run.error for run in runs)))
    gaps = logs.mean(axis=0) - np.log(np.maximum(errors, least))
    return np.asarray(gaps), np.asarray(logs.std(axis=0) * np.sqrt(1 + 1 / REFERENCES))


def _without_structure(ground: Ground, random: np.random.RandomState) -> Ground:
    """As many rows with the same ranges and shares, the columns independent of each other."""
    numbers, codes = ground.numbers.copy(), ground.codes.copy()
    for j in range(numbers.shape[1]):
        known = ~np.isnan(numbers[:, j])
        if known.any():
            low, high = numbers[known, j].min(), numbers[known, j].max()
            numbers[known, j] = random.uniform(low, high, size=int(known.sum()))
    for j in range(codes.shape[1]):
        codes[:, j] = random.permutation(codes[:, j])
    return replace(ground, numbers=numbers, codes=codes)
