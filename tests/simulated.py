"""Rows from a process that is known: numbers whose noise differs from leaf to leaf, classes of uneven chances."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np

from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.table import Table
from hornbeam.evaluate import conformal

Kind = Literal["numbers", "classes"]
MISSING = 0.1
FRESH = 500  # rows that each run is judged on


def draw(random: np.random.Generator, n_rows: int, kind: Kind) -> Table:
    """Two numbers and a category, a tenth of them missing, and the target."""
    a, b = random.uniform(size=n_rows), random.uniform(size=n_rows)
    c = random.choice(4, n_rows, p=[0.5, 0.3, 0.15, 0.05])
    hard = 1.0 * (a > 0.6) + 2.0 * (c == 3)
    center = 2.0 * (a > 0.3) + 1.0 * ((b > 0.5) & (a > 0.3)) - 1.5 * (c == 1)
    target: Column
    y: Any
    if kind == "numbers":
        target, y = Numeric("y"), center + random.normal(size=n_rows) * (0.2 + 0.8 * hard)
    else:
        odds = np.exp(np.stack([1.5 * center, 1 - center, 0.3 * hard - 1, np.full(n_rows, -2.5)], axis=1))
        edges = (odds / odds.sum(axis=1, keepdims=True)).cumsum(axis=1)[:, :-1]
        target, y = Nominal("y", tuple("pqrs")), (random.uniform(size=(n_rows, 1)) > edges).sum(axis=1).astype(np.int32)
    a = np.where(random.uniform(size=n_rows) < MISSING, np.nan, a)
    c = np.where(random.uniform(size=n_rows) < MISSING, -1, c).astype(np.int32)
    schema = Schema(
        (Numeric("a"), Numeric("b"), Nominal("c", tuple("wxyz")), target), ("feature", "feature", "feature", "target")
    )
    return Table(schema, [a, b, c, y])


def covered(
    estimator: Any, kind: Kind, runs: int, *, n_rows: int = 400, by_lot: bool = True, first: int = 0, **options: Any
) -> tuple[float, float]:
    """The share of fresh rows that are covered, over so many runs, and its standard error."""
    shares = []
    for seed in range(first, first + runs):
        random = np.random.default_rng([seed, n_rows])
        table, fresh = draw(random, n_rows, kind), draw(random, FRESH, kind)
        found = conformal(estimator, table, 0.9, seed=seed, **options)
        truth, lot = fresh.target_values(), 10**6 + seed if by_lot else None
        if kind == "numbers":
            low, high = found.predict_interval(fresh, lot)
            shares.append(((low <= truth) & (truth <= high)).mean())
        else:
            shares.append(found.predict_set(fresh, lot)[np.arange(FRESH), truth].mean())
    return float(np.mean(shares)), float(np.std(shares, ddof=1) / np.sqrt(runs))
