"""k-means from a source: starts are found on a sample of the rows; then all rows are summed by their nearest center.

Sums are sums of integers, so the centers do not depend on the partitions.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.clusters.ground import Centers, Ground
from hornbeam.learn.clusters.kmeans import SCALES, Restarts
from hornbeam.model.clusters.centers import Crew
from hornbeam.model.clusters.partition import Measure, Partition
from hornbeam.scale.clusters.places import Placed, distance_of, sample_of, spread_of
from hornbeam.scale.clusters.profile import profile_of
from hornbeam.scale.clusters.sums import as_numbers, counts_by, powers_above, sums_by

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.data.table import Table
    from hornbeam.scale.clusters.places import Spread
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.source import Source

LOGGER = logging.getLogger("hornbeam.scale")
Sums = dict[str, Any]


def learn_kmeans(source: Source, estimator: Any, sizes: dict[Key, int]) -> tuple[Partition, str]:
    """Return the clusters that an estimator finds in a source, and a digest of the data."""
    if estimator.pca is not None:
        msg = (
            f"KMeans with pca={estimator.pca!r} does not learn from scanned data with more rows than local_rows; "
            "expected pca=None, or a larger local_rows in hornbeam.scan"
        )
        raise ValueError(msg)
    schema, executor = source.schema, source.executor
    rows = executor.load(source.typed, source.keys)
    numeric = one_of("numeric", estimator.numeric, SCALES)
    spread = spread_of(executor, rows, schema)
    distance = distance_of(schema, spread, numeric, estimator.column_weights)
    measure = Measure(distance)
    start, way = _start(source, estimator, rows, sizes, measure)
    placed = executor.load(Placed(source.typed, measure), source.keys, keep=True)
    descent = _descend(executor, placed, estimator, start, _variance(measure, spread))
    profile = profile_of(executor, rows, Nearest(measure, descent.centers), len(descent.centers), spread)
    estimator.restarts_ = Restarts(np.array([descent.error]), np.array([descent.steps]), np.array([descent.converged]))
    estimator.inertia_, estimator.n_iter_ = descent.error, descent.steps
    estimator.cluster_centers_ = measure.from_scale(descent.centers.numbers)
    estimator.__dict__.pop("labels_", None)  # of an earlier fit
    recipe = {"algorithm": way, "init": estimator.init if isinstance(estimator.init, str) else "given"}
    content = repr((schema.names, sorted(spread.means.items()), sorted(spread.variances.items()), sum(sizes.values())))
    features = schema.select(list(schema.features))
    model = Partition(
        features, distance, descent.centers.numbers, descent.centers.codes, profile, descent.error, recipe
    )
    return model, hashlib.sha256(content.encode()).hexdigest()


# ---- starts ----


def _start(
    source: Source, estimator: Any, rows: Handle, sizes: dict[Key, int], measure: Measure
) -> tuple[Centers, str]:
    """The best centers of a sample."""
    sample = sample_of(source, rows, sizes)
    LOGGER.info("finding starts in %d of %d rows", sample.n_rows, sum(sizes.values()))
    runs, way, wanted = estimator._runs(sample, measure)
    if not isinstance(estimator.init, str):
        given = measure.to_scale(np.asarray(estimator.init, np.float64))
        return Centers(given, np.zeros((wanted, 0), np.int32)), way
    return min(runs, key=lambda run: run.error).centers, way


# ---- the descent ----


@dataclass(frozen=True)
class Descent:
    """The end of the descent."""

    centers: Centers
    error: float
    steps: int
    converged: bool


def _variance(measure: Measure, spread: Spread) -> float:
    """The mean variance of the columns of numbers, on their scale."""
    places = [place for place, number in zip(spread.extents, measure.is_numeric, strict=True) if number]
    width = measure.distance.width[measure.is_numeric]
    found = [
        spread.variances.get(place, 0.0) / w**2 * s**2 if w > 0 else 0.0
        for place, w, s in zip(places, width.tolist(), measure.stretch.tolist(), strict=True)
    ]
    return float(np.mean(found)) if found else 0.0


def _descend(executor: Executor, placed: Handle, estimator: Any, centers: Centers, variance: float) -> Descent:
    """Move centers to the means of their rows until they stay where they are."""
    measure: Measure = placed.loader.measure  # type: ignore[attr-defined]
    units, of_cost = _units(measure)
    steps, converged = 0, False
    while True:
        found: Sums = executor.map_reduce(placed, _step, (measure, centers), _add)
        error = float(as_numbers(found["cost"], np.array([1]))[0]) * of_cost
        LOGGER.info("step %d of at most %d: error %.6g", steps, estimator.max_iter, error)
        if converged or steps >= estimator.max_iter:
            return Descent(centers, error, steps, converged)
        before, centers = centers, _moved(found, centers, units)
        same = np.array_equal(before.codes, centers.codes)
        apart = float(((centers.numbers - before.numbers) ** 2).sum())
        if same and apart == 0.0:
            return Descent(centers, error, steps, converged=True)
        steps += 1
        converged = estimator.tol > 0 and same and apart <= estimator.tol * variance


def _moved(found: Sums, before: Centers, units: Floats) -> Centers:
    """The means and the most frequent categories; clusters without rows stay where they are."""
    after = before.copy()
    means = as_numbers(found["sums"], found["known"]) * units
    np.copyto(after.numbers, means, where=found["known"] > 0)
    for column, counts in enumerate(found["codes"]):
        np.copyto(after.codes[:, column], counts.argmax(axis=1).astype(np.int32), where=counts.max(axis=1) > 0)
    return after


def _nearest(numbers: Floats, codes: Ints32, measure: Measure, centers: Centers) -> tuple[Ints32, Floats]:
    ground = Ground(
        np.ascontiguousarray(numbers), np.ascontiguousarray(codes), measure.n_codes, measure.code_weights, np.empty(0)
    )
    crew = Crew(1)
    try:
        return ground.nearest(centers, crew)
    finally:
        crew.close()


@dataclass(frozen=True)
class Nearest:
    """The number of the nearest center of every row of a table."""

    measure: Measure
    centers: Centers

    def __call__(self, table: Table) -> Ints32:
        """The numbers."""
        return _nearest(*self.measure.places(table), self.measure, self.centers)[0]


def _units(measure: Measure) -> tuple[Floats, float]:
    """Powers of two above all numbers of each column on the scale, and above all costs."""
    distance, number = measure.distance, measure.is_numeric
    ends = np.maximum(np.abs(distance.least[number]), np.abs(distance.greatest[number])) * measure.stretch
    cost = 4.0 * float((ends**2).sum()) + float(measure.code_weights.sum())
    return powers_above(ends), float(powers_above(np.array([cost]))[0])


def _step(block: dict[str, AnyArray], measure: Measure, centers: Centers) -> Sums:
    k, (units, of_cost) = len(centers), _units(measure)
    numbers, codes = block["numbers"], block["codes"]
    labels, costs = _nearest(numbers, codes, measure, centers)
    columns = range(numbers.shape[1])
    sums = np.array([sums_by(labels, numbers[:, c] / units[c], k) for c in columns], object)
    known = np.array([np.bincount(labels[~np.isnan(numbers[:, c])], minlength=k) for c in columns], np.int64)
    return {
        "sums": sums.reshape(len(columns), k).T,
        "known": known.reshape(len(columns), k).T,
        "codes": [counts_by(labels, codes[:, c], k, int(n)) for c, n in enumerate(measure.n_codes)],
        "cost": sums_by(np.zeros(len(costs), np.int32), costs / of_cost, 1),
    }


def _add(one: Sums, other: Sums) -> Sums:
    added = {name: one[name] + other[name] for name in ("sums", "known", "cost")}
    return {**added, "codes": [here + there for here, there in zip(one["codes"], other["codes"], strict=True)]}
