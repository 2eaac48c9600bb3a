"""Clusters described: counts, means and deviations by cluster, from sums over partitions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.indices import offsets
from hornbeam.data.schema import Nominal
from hornbeam.model.clusters.clustering import Profile
from hornbeam.scale.clusters.places import features_of
from hornbeam.scale.clusters.sums import as_numbers, counts_by, sums_by

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import Floats
    from hornbeam.scale.clusters.places import Spread
    from hornbeam.scale.executors.base import Executor, Handle
    from hornbeam.scale.parts.typed import Rows

Sums = dict[str, Any]
Assign = Callable[[Any], Any]


def profile_of(executor: Executor, rows: Handle, assign: Assign, k: int, spread: Spread) -> Profile:
    """Counts, means and deviations by cluster; the last row is that of all rows.

    Parameters
    ----------
    executor : Executor
        Computes the sums.
    rows : Handle
        Partitions of rows.
    assign : callable
        From a table to the cluster of every row.
    k : int
        The number of clusters.
    spread : Spread
        The units of the columns.
    """
    whole = rows.loader.schema  # type: ignore[attr-defined]
    schema = whole.select(list(whole.features))
    first: Sums = executor.map_reduce(rows, _by_cluster, (assign, k, spread, None), _add_profiles)
    known = np.array([first[f"known {f}"] for f in range(len(schema.columns))], np.int64).reshape(-1, k + 1).T
    means = np.zeros((k + 1, len(schema.columns)))
    for f in range(len(schema.columns)):
        if f"sums {f}" in first:
            means[:, f] = as_numbers(first[f"sums {f}"], known[:, f])
    second: Sums = executor.map_reduce(rows, _by_cluster, (assign, k, spread, means), _add_profiles)
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


def _by_cluster(rows: Rows, assign: Assign, k: int, spread: Spread, means: Floats | None) -> Sums:
    """Sums of columns by cluster and of all rows; with means, of squares of the differences from them."""
    table = features_of(rows)
    labels = assign(table)
    every = np.full(table.n_rows, k, np.int32)
    found: Sums = {"rows": np.append(np.bincount(labels, minlength=k), table.n_rows).astype(np.int64)}
    for f, (column, values) in enumerate(zip(table.schema.columns, table.columns, strict=True)):
        there = ~column.missing(values)
        inside = np.bincount(labels[there], minlength=k)
        found[f"known {f}"] = np.append(inside, inside.sum()).astype(np.int64)
        if isinstance(column, Nominal):
            counts = counts_by(labels, values, k, len(column.categories))
            found[f"counts {f}"] = np.vstack([counts, counts.sum(axis=0)])
            continue
        scaled = values / _unit_of_column(spread, f)
        own = scaled if means is None else (scaled - means[labels, f]) ** 2
        whole = scaled if means is None else (scaled - means[k, f]) ** 2
        found[f"sums {f}"] = np.append(sums_by(labels, own, k), sums_by(every, whole, k + 1)[k:])
    return found


def _add_profiles(one: Sums, other: Sums) -> Sums:
    return {name: total + other[name] for name, total in one.items()}
