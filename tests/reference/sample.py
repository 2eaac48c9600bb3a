"""The training rows as the naive tree sees them: plain lists, with the recipe's policy for missing values applied.

`raw` values are the table's (None: missing). `seen` values are what splits are made from: imputed values in place of
missing ones, or missing ones as a value of their own (above all numbers, or a category more).
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING

from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from hornbeam.data.table import Table
    from hornbeam.learn.trees.recipe import Recipe

SLACK = 1e-6  # weights closer than this are equal
NEAR = 1e-9  # relative difference that rounding may make
Pieces = list[tuple[int, float]]  # rows, each with the weight with which it reaches a node


@dataclass
class Feature:
    """A column to split on; `n_codes` counts a category made of the missing values."""

    number: int
    position: int
    name: str
    cut: bool  # numbers and ordered categories are cut, others divided by category
    raw: list[float | None]
    seen: list[float | None]
    n_codes: int = 0
    own: bool = False  # missing values are a value of their own
    imputed: float | None = None


@dataclass
class Sample:
    """Rows to learn from."""

    table: Table
    features: list[Feature]
    target: list[float]  # class codes, or numbers
    weights: list[float]
    n_classes: int  # 0: the target is a number

    @property
    def classes_seen(self) -> int:
        """How many classes have rows."""
        return len(set(self.target)) if self.n_classes else 0

    def all_pieces(self) -> Pieces:
        """Every row, whole."""
        return list(enumerate(self.weights))

    def class_weights(self, pieces: Pieces) -> list[float]:
        """Weight of each class."""
        sums = [0.0] * self.n_classes
        for row, weight in pieces:
            sums[int(self.target[row])] += weight
        return sums


def weight_of(pieces: Pieces) -> float:
    """Weight of some rows."""
    return math.fsum(weight for _, weight in pieces)


def is_exact(pieces: Pieces) -> bool:
    """Whether the rows' weights are such that sums of them are exact, in any order."""
    return all(float(weight * 1024).is_integer() for _, weight in pieces)


def make_sample(table: Table, recipe: Recipe) -> Sample:
    """Copy a table, value by value."""
    target_column = table.schema.target_column
    target = [float(value) for value in table.target_values()]
    nominal = isinstance(target_column, Nominal)
    assert all(code >= 0 if nominal else math.isfinite(code) for code in target), "rows need a target"
    weights = [1.0] * len(table) if table.weights is None else [float(weight) for weight in table.weights]
    assert all(weight > 0 for weight in weights), "rows need a weight"
    features = []
    for number, position in enumerate(table.schema.features):
        column = table.schema.columns[position]
        values = [float(value) for value in table.columns[position]]
        raw: list[float | None]
        if isinstance(column, Nominal):
            raw = [None if value < 0 else value for value in values]
            feature = Feature(number, position, column.name, column.ordered, raw, list(raw), len(column.categories))
        else:
            raw = [None if math.isnan(value) else value for value in values]
            feature = Feature(number, position, column.name, True, raw, list(raw))
        _apply_policy(feature, weights, recipe.missing, numeric=not isinstance(column, Nominal))
        features.append(feature)
    n_classes = len(target_column.categories) if isinstance(target_column, Nominal) else 0
    return Sample(table, features, target, weights, n_classes)


def _apply_policy(feature: Feature, weights: list[float], policy: str, *, numeric: bool) -> None:
    """Impute, or make missing values a value of their own, where the recipe says so."""
    if None not in feature.raw and policy != "impute":
        return
    known = [(value, weight) for value, weight in zip(feature.raw, weights, strict=True) if value is not None]
    if policy == "error":
        assert len(known) == len(weights), f"column {feature.name!r} has missing values, which are refused"
    if policy == "impute" and known:
        if numeric:
            total = math.fsum(weight for _, weight in known)
            feature.imputed = math.fsum(value * weight for value, weight in known) / total
        else:
            sums = [math.fsum(w for value, w in known if value == code) for code in range(feature.n_codes)]
            feature.imputed = float(sums.index(max(sums)))
        feature.seen = [feature.imputed if value is None else value for value in feature.raw]
    if policy == "own-category":
        feature.own = True
        instead = math.inf if feature.cut else float(feature.n_codes)
        feature.seen = [instead if value is None else value for value in feature.raw]
        if not feature.cut:
            feature.n_codes += 1
