"""k-means from a source: starts are found on a sample of the rows; then all rows are summed by their nearest center.

Sums are sums of integers, so the centers do not depend on the partitions.
"""

from __future__ import annotations

import hashlib
import logging
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.data.table import Table
from hornbeam.learn.base.parameters import one_of
from hornbeam.learn.clusters.ground import Centers, Ground
from hornbeam.learn.clusters.kmeans import SCALES, Restarts
from hornbeam.model.clusters.centers import Crew
from hornbeam.model.clusters.clustering import Profile
from hornbeam.model.clusters.partition import Measure, Partition
from hornbeam.scale.clusters.places import Placed, distance_of, features_of, spread_of
from hornbeam.scale.clusters.sums import as_numbers, sums_by
from hornbeam.scale.gather import first_rows, unite

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Floats, Ints32
    from hornbeam.scale.clusters.places import Spread
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts import Key
    from hornbeam.scale.parts.typed import Rows
    from hornbeam.scale.source import Source

LOGGER = logging.getLogger("hornbeam.scale")
Sums = dict[str, Any]


def learn_kmeans(source: Source, estimator: Any) -> tuple[Partition, str]:
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
    spread, sizes = spread_of(executor, rows, schema)
    distance = distance_of(schema, spread, numeric, estimator.column_weights)
    measure = Measure(distance)
    start, way = _start(source, estimator, rows, sizes, measure)
    placed = executor.load(Placed(source.typed, measure), source.keys, keep=True)
    descent = _descend(executor, placed, estimator, start, _variance(measure, spread))
    profile = _profile(executor, rows, measure, descent.centers, spread)
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
    """The best centers of a sample: every n-th row, at most `local_rows` of them."""
    total = sum(sizes.values())
    step = max(-(-total // max(source.local_rows, 1)), 1)
    arguments = (first_rows(rows.keys, sizes), step)
    found: dict[Key, list[AnyArray]] = source.executor.map_reduce(rows, _every, arguments, unite)
    columns = [np.concatenate(parts) for parts in zip(*(found[key] for key in rows.keys), strict=True)]
    sample = Table(source.schema.select(list(source.schema.features)), columns, copy=False)
    LOGGER.info("finding starts in %d of %d rows", sample.n_rows, total)
    runs, way, wanted = estimator._runs(sample, measure)
    if not isinstance(estimator.init, str):
        given = measure.to_scale(np.asarray(estimator.init, np.float64))
        return Centers(given, np.zeros((wanted, 0), np.int32)), way
    return min(runs, key=lambda run: run.error).centers, way


def _every(rows: Rows, first: dict[Key, int], step: int) -> dict[Key, list[AnyArray]]:
    table = features_of(rows)
    return {rows.key: [column[-first[rows.key] % step :: step].copy() for column in table.columns]}


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


def _units(measure: Measure) -> tuple[Floats, float]:
    """Powers of two above all numbers of each column on the scale, and above all costs."""
    distance, number = measure.distance, measure.is_numeric
    ends = np.maximum(np.abs(distance.least[number]), np.abs(distance.greatest[number])) * measure.stretch
    cost = 4.0 * float((ends**2).sum()) + float(measure.code_weights.sum())
    return _above(ends), float(_above(np.array([cost]))[0])


def _above(sizes: Floats) -> Floats:
    """The powers of two that are not below these sizes."""
    return np.ldexp(1.0, np.frexp(np.where(sizes > 0, sizes, 1.0))[1])


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
        "codes": [_counts(labels, codes[:, c], k, int(n)) for c, n in enumerate(measure.n_codes)],
        "cost": sums_by(np.zeros(len(costs), np.int32), costs / of_cost, 1),
    }


def _counts(labels: Ints32, codes: Ints32, k: int, n: int) -> AnyArray:
    known = codes >= 0
    return np.bincount(labels[known].astype(np.int64) * n + codes[known], minlength=k * n).reshape(k, n)


def _add(one: Sums, other: Sums) -> Sums:
    added = {name: one[name] + other[name] for name in ("sums", "known", "cost")}
    return {**added, "codes": [here + there for here, there in zip(one["codes"], other["codes"], strict=True)]}


# ---- what the clusters are like ----


def _profile(executor: Executor, rows: Handle, measure: Measure, centers: Centers, spread: Spread) -> Profile:
    """Counts, means and deviations by cluster; the last row is that of all rows."""
    schema, k = measure.distance.schema, len(centers)
    first: Sums = executor.map_reduce(rows, _by_cluster, (measure, centers, spread, None), _add_profiles)
    known = np.array([first[f"known {f}"] for f in range(len(schema.columns))], np.int64).reshape(-1, k + 1).T
    means = np.zeros((k + 1, len(schema.columns)))
    for f in range(len(schema.columns)):
        if f"sums {f}" in first:
            means[:, f] = as_numbers(first[f"sums {f}"], known[:, f])
    second: Sums = executor.map_reduce(rows, _by_cluster, (measure, centers, spread, means), _add_profiles)
    deviation = np.zeros(means.shape)
    sizes = [len(column.categories) if isinstance(column, Nominal) else 0 for column in schema.columns]
    start = offsets(sizes)
    shares = np.zeros((k + 1, int(start[-1])))
    for f, column in enumerate(schema.columns):
        if isinstance(column, Nominal):
            shares[:, start[f] : start[f + 1]] = first[f"counts {f}"] / np.maximum(known[:, f], 1)[:, None]
            means[:, f] = 0.0
        elif f"sums {f}" in second:
            unit = _unit_of_column(spread, f)
            deviation[:, f] = np.sqrt(as_numbers(second[f"sums {f}"], known[:, f])) * unit
            means[:, f] *= unit
    held = first["rows"]
    return Profile(held, held.astype(np.float64), known.astype(np.float64), means, deviation, start, shares)


def _unit_of_column(spread: Spread, feature: int) -> float:
    place = list(spread.extents)[feature]
    return spread.units.get(place, 1.0)


def _by_cluster(rows: Rows, measure: Measure, centers: Centers, spread: Spread, means: Floats | None) -> Sums:
    """Sums of columns by cluster and of all rows; with means, of squares of the differences from them."""
    table, k = features_of(rows), len(centers)
    numbers, codes = measure.places(table)
    labels, _ = _nearest(numbers, codes, measure, centers)
    every = np.full(table.n_rows, k, np.int32)
    found: Sums = {"rows": np.append(np.bincount(labels, minlength=k), table.n_rows).astype(np.int64)}
    for f, (column, values) in enumerate(zip(table.schema.columns, table.columns, strict=True)):
        there = ~column.missing(values)
        inside = np.bincount(labels[there], minlength=k)
        found[f"known {f}"] = np.append(inside, inside.sum()).astype(np.int64)
        if isinstance(column, Nominal):
            counts = _counts(labels, values, k, len(column.categories))
            found[f"counts {f}"] = np.vstack([counts, counts.sum(axis=0)])
            continue
        scaled = values / _unit_of_column(spread, f)
        own = scaled if means is None else (scaled - means[labels, f]) ** 2
        whole = scaled if means is None else (scaled - means[k, f]) ** 2
        found[f"sums {f}"] = np.append(sums_by(labels, own, k), sums_by(every, whole, k + 1)[k:])
    return found


def _add_profiles(one: Sums, other: Sums) -> Sums:
    return {name: total + other[name] for name, total in one.items()}
