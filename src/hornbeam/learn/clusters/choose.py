"""Choose the number of clusters: by the elbow of the error, silhouettes, the gap statistic, or held-out likelihood.

Silhouettes: Rousseeuw, 1987 (on a sample if there are many rows). Gap statistic: Tibshirani, Walther and Hastie, 2001,
with reference tables of independent numbers and categories. The held-out likelihood is that of normal distributions
with one variance around the centers.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.clusters.ground import Sums
from hornbeam.learn.clusters.lloyd import Lloyd, Run, Starts
from hornbeam.model.clusters.components import Components, Places, log_sum

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats, Ints32, Ints64
    from hornbeam.data.table import Table
    from hornbeam.learn.clusters.ground import Ground
    from hornbeam.model.neighbors.distance import Distance


CHOICES = ("silhouette", "elbow", "gap", "likelihood")
SAMPLE = 1000  # rows for which silhouettes are computed
REFERENCES = 10  # reference tables of the gap statistic
REFERENCE_STARTS = 3
FOLDS = 10  # folds of the held-out likelihood
LEAST_DEVIATION = 1e-6  # on the scale of the distance


@dataclass(frozen=True, eq=False)
class Choice:
    """The values that a number of clusters was chosen by."""

    by: str  # the method
    numbers: Ints64  # numbers of clusters tried
    errors: Floats  # the least error for each
    # the criterion: mean silhouettes, gaps, distances of the error below the line from the first to the last, or the
    # mean log-likelihood of held-out rows
    scores: Floats
    best: int  # the number chosen


def best_number(
    search: Any, distance: Distance, table: Table, most: int, by: str, random: np.random.RandomState
) -> tuple[Choice, list[Run]]:
    """Try every number of clusters up to `most`; return the choice, and its runs."""
    first = 2 if by == "silhouette" and most > 1 else 1
    tried: list[list[Run]] = []
    for k in range(first, most + 1):
        runs = search.runs(k)
        if tried and len(runs[0].centers) < k:  # there are no more distinct rows
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
    elif by == "likelihood":
        scores = _left_out(search, len(best), random)
        place = int(np.argmax(scores))
    else:
        scores, spread = _gaps(search, errors, random)
        enough = scores[:-1] >= scores[1:] - spread[1:]
        place = int(np.argmax(enough)) if enough.any() else len(scores) - 1
    return Choice(by, numbers, errors, scores, int(numbers[place])), tried[place]


def silhouettes(distance: Distance, table: Table, labels: list[Ints32], random: np.random.RandomState) -> Floats:
    """The mean silhouette of each of several clusterings of the same rows; 0 for single rows and for one cluster."""
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
    """The distance of each error below the line from the first to the last, with both axes scaled to 0 to 1."""
    if len(errors) == 1 or not errors[0] > errors[-1]:
        return np.zeros(len(errors))
    height = (errors - errors[-1]) / (errors[0] - errors[-1])
    return np.asarray(1 - np.linspace(0, 1, len(errors)) - height)


def _gaps(search: Any, errors: Floats, random: np.random.RandomState) -> tuple[Floats, Floats]:
    """The gap: the logarithm of the error on reference tables minus that on the rows; and its standard error."""
    least = np.finfo(np.float64).tiny
    logs = np.empty((REFERENCES, len(errors)))
    for number in range(REFERENCES):
        runs = _descents(search, _without_structure(search.ground, random), len(errors), random)
        logs[number] = np.log(np.maximum(least, [run.error for run in runs]))
    gaps = logs.mean(axis=0) - np.log(np.maximum(errors, least))
    return np.asarray(gaps), np.asarray(logs.std(axis=0) * np.sqrt(1 + 1 / REFERENCES))


def _descents(search: Any, ground: Ground, most: int, random: np.random.RandomState) -> list[Run]:
    """The best of a few runs on other rows, for every number of clusters up to `most`."""
    lloyd, starts = Lloyd(ground, search.crew, plainly=False, memory_mb=64), Starts(ground, search.crew)
    found = []
    for k in range(1, most + 1):
        begins = (ground.at(starts.far_apart(k, random)) for _ in range(REFERENCE_STARTS))
        runs = [lloyd.descend(begin, search.asked.max_iter, 0.0) for begin in begins]
        found.append(min(runs, key=lambda run: run.error))
    return found


def _left_out(search: Any, most: int, random: np.random.RandomState) -> Floats:
    """The cross-validated mean log-likelihood of rows, for every number of clusters."""
    ground: Ground = search.ground
    weights = ground.each_weight
    folds = min(FOLDS, ground.n_rows)
    if folds < 2:  # noqa: PLR2004 - nothing is left to learn from
        return np.zeros(most)
    fold = random.permutation(np.arange(ground.n_rows) % folds)
    total = np.zeros(most)
    for number in range(folds):
        kept, left = (ground.take(np.flatnonzero(part)) for part in (fold != number, fold == number))
        for k, run in enumerate(_descents(search, kept, min(most, kept.n_rows), random)):
            total[k] += left.each_weight @ _log_likelihoods(kept, run, left)
        total[kept.n_rows :] = -np.inf
    return np.asarray(total / weights.sum())


def _log_likelihoods(kept: Ground, run: Run, left: Ground) -> Floats:
    """Log-likelihood of held-out rows: normal around the centers, with one variance; categories by cluster."""
    k, weights = len(run.centers), kept.each_weight
    counted = kept.code_weights > 0
    varied = np.array([len(np.unique(x[~np.isnan(x)])) > 1 for x in kept.numbers.T], np.bool_)  # others do not count
    apart = (kept.numbers - run.centers.numbers[run.labels])[:, varied]
    known = float((weights[:, np.newaxis] * ~np.isnan(apart)).sum())
    variance = float(np.nansum(weights[:, np.newaxis] * apart**2)) / known if known else 1.0
    sums = Sums.empty(kept, k)
    sums.add(kept, run.labels)
    shares = tuple((one + 1) / (one + 1).sum(axis=1, keepdims=True) for one in sums.codes)
    held = np.bincount(run.labels, weights, minlength=k)
    components = Components(
        "fixed",
        held / held.sum(),
        run.centers.numbers[:, varied],
        np.array(max(variance, LEAST_DEVIATION**2)),
        tuple(one for one, counts in zip(shares, counted, strict=True) if counts),
        np.empty((k, 0)),
    )
    codes = np.where(left.codes < 0, left.n_codes, left.codes)[:, counted].astype(np.int32)
    nothing = np.empty((left.n_rows, 0))
    return log_sum(components.log_densities(Places(left.numbers[:, varied], codes, nothing, np.zeros(left.n_rows))))


def _without_structure(ground: Ground, random: np.random.RandomState) -> Ground:
    """Draw a reference table: as many rows, with the same ranges and probabilities, and independent columns."""
    numbers, codes = ground.numbers.copy(), ground.codes.copy()
    for j in range(numbers.shape[1]):
        known = ~np.isnan(numbers[:, j])
        if known.any():
            low, high = numbers[known, j].min(), numbers[known, j].max()
            numbers[known, j] = random.uniform(low, high, size=int(known.sum()))
    for j in range(codes.shape[1]):
        codes[:, j] = random.permutation(codes[:, j])
    return replace(ground, numbers=numbers, codes=codes)
