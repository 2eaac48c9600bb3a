"""Random tables on which this package and the reference programs are compared.

A table follows from its seed alone. It has 4 to 700 rows and 1 to 7 features: numbers on coarse and fine grids (so that
ties are common), categories of which some have no row, constant columns, columns without any value, and up to half of
all values missing. The target depends on the features, with noise; some classes have no row, and some rows no class.
"""

from __future__ import annotations

import math
import random
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

Target = Literal["classes", "number", "none"]
Kinds = Literal["mixed", "nominal", "numeric"]

LETTERS = "abcdefghijklmnopqrstuvwxyz"
WEIGHT = "weight"
TARGET = "target"


@dataclass(frozen=True)
class Wanted:
    """What the tables of one claim look like."""

    target: Target = "classes"
    kinds: Kinds = "mixed"
    missing: bool = True
    missing_target: bool = True
    weighted: bool = False
    most_rows: int = 700
    least_classes: int = 1  # declared; some of them may have no row


@dataclass(frozen=True)
class Drawn:
    """Rows to learn from, and rows of the same schema to predict."""

    training: Table
    asked: Table


def drawn(seed: int, wanted: Wanted) -> Drawn:
    """Draw the training rows and the rows to predict that belong to a seed."""
    source = random.Random(f"{seed} {wanted}")  # noqa: S311 (tables, not secrets)
    rows = round(math.exp(source.uniform(math.log(4), math.log(wanted.most_rows))))
    asked = source.randint(3, 25)
    columns: list[Column] = []
    arrays: list[np.ndarray] = []
    signal = np.zeros(rows + asked)
    for place in range(source.randint(1, 7)):
        column, values, effect = _feature(source, f"x{place}", rows + asked, wanted.kinds)
        columns.append(column)
        arrays.append(values)
        signal += effect
    if wanted.target != "none":
        column, values = _target(source, signal, wanted)
        if wanted.missing_target and source.random() < 0.15:
            _remove(values, np.arange(len(values)), source, source.uniform(0.02, 0.4))
        columns.append(column)
        arrays.append(values)
    if wanted.missing:
        _lose(source, arrays[: len(arrays) - (wanted.target != "none")], rows)
    roles: list[Role] = ["feature"] * len(columns)
    if wanted.target != "none":
        roles[-1] = "target"
    if wanted.weighted:
        columns.append(Numeric(WEIGHT))
        arrays.append(_weights(source, rows + asked))
        roles.append("weight")
    whole = Table(Schema(tuple(columns), tuple(roles), "drawn"), arrays)
    return Drawn(whole.take(np.arange(rows)), whole.take(np.arange(rows, rows + asked)))


def _feature(source: random.Random, name: str, rows: int, kinds: Kinds) -> tuple[Column, np.ndarray, np.ndarray]:
    """Draw a column, its values, and what each of them adds to the target's signal."""
    strength = source.choice((0.0, 0.5, 1.0, 3.0))
    numeric = kinds == "numeric" or (kinds == "mixed" and source.random() < 0.5)
    if numeric:
        make = source.choice(NUMBERS)
        constant = source.random() < 0.06
        values = np.array([make(source) for _ in range(rows)])
        if constant:
            values[:] = values[0]
        values += 0.0  # no negative zeros
        middle = float(np.median(values))
        spread = float(values.std()) or 1.0
        steep = source.random() < 0.5
        effect = (values > middle) * 1.0 if steep else (values - middle) / spread
        return Numeric(name), values, strength * effect
    count = source.choice((1, 2, 2, 3, 3, 4, 5, 8, 16))
    used = source.randint(1, count)
    present = source.sample(range(count), used)
    codes = np.array([source.choice(present) for _ in range(rows)], np.int32)
    levels = np.array([source.gauss(0, 1) for _ in range(count)])
    return Nominal(name, tuple(LETTERS[:count])), codes, strength * levels[codes]


def _few(source: random.Random) -> float:
    return float(source.randint(0, 3))


def _whole(source: random.Random) -> float:
    return float(source.randint(-20, 60))


def _tenth(source: random.Random) -> float:
    return source.randint(-30, 30) / 10


def _hundredth(source: random.Random) -> float:
    return round(source.gauss(5, 3), 2)


def _fine(source: random.Random) -> float:
    return round(source.uniform(0, 1), 5)


def _skewed(source: random.Random) -> float:
    return float(round(math.exp(source.uniform(0, 8))))


NUMBERS: tuple[Callable[[random.Random], float], ...] = (_few, _whole, _tenth, _hundredth, _fine, _skewed)


def _target(source: random.Random, signal: np.ndarray, wanted: Wanted) -> tuple[Column, np.ndarray]:
    noisy = signal + np.array([source.gauss(0, 1) for _ in signal]) * source.choice((0.1, 0.5, 2.0))
    if wanted.target == "number":
        digits = source.choice((0, 1, 2, 4))
        scale = source.choice((1.0, 10.0, 250.0))
        return Numeric(TARGET), np.round(noisy * scale + source.choice((0, 50)), digits) + 0.0
    count = max(source.choice((1, 2, 2, 2, 3, 3, 4, 6, 12)), wanted.least_classes)
    used = source.choice((count, count, source.randint(1, count)))
    present = source.sample(range(count), used)
    even = source.random() < 0.5
    places = [part / used if even else source.random() for part in range(1, used)]
    edges = np.quantile(noisy, sorted(places))
    parts = np.searchsorted(edges, noisy)
    codes = np.array(present, np.int32)[parts]
    return Nominal(TARGET, tuple(f"c{letter}" for letter in LETTERS[:count])), codes


def _lose(source: random.Random, features: list[np.ndarray], rows: int) -> None:
    """Make values missing, in other shares among the rows to predict than among the training rows."""
    for values in features:
        if source.random() < 0.45:
            _remove(values, np.arange(rows), source, source.uniform(0.01, 0.5))
        if source.random() < 0.4:
            _remove(values, np.arange(rows, len(values)), source, source.uniform(0.05, 0.6))
    if len(features) > 1 and source.random() < 0.05:
        _remove(source.choice(features), np.arange(rows), source, 1.0)


def _remove(values: np.ndarray, places: np.ndarray, source: random.Random, share: float) -> None:
    lost = [place for place in places.tolist() if source.random() < share]
    values[lost] = np.nan if values.dtype.kind == "f" else -1


def _weights(source: random.Random, rows: int) -> np.ndarray:
    equal = source.choice((1.0, 1.0, 0.5, 3.0, 2.25))
    styles: tuple[Callable[[], float], ...] = (
        lambda: equal,
        lambda: float(source.randint(1, 4)),
        lambda: source.randint(1, 12) / 4,
        lambda: source.randint(1, 300) / 100,
        lambda: source.choice((0.01, 0.2, 1.0, 5.0, 20.0)),
    )
    style = source.choice(styles)
    return np.array([style() for _ in range(rows)])


def with_last_target(table: Table) -> Table:
    """The table with its last column as the target; row weights do not count as a column."""
    roles = zip(table.schema.names, table.schema.roles, strict=True)
    return table.with_target([name for name, role in roles if role != "weight"][-1])


def shrunk(pair: Drawn, differs: Callable[[Drawn], bool]) -> Drawn:
    """Drop asked rows, training rows and columns for as long as what is left still differs."""
    best = _fewer_rows(pair, differs, "asked")
    for _ in range(3):
        before = best.training.n_rows, len(best.training.schema.columns)
        best = _fewer_columns(_fewer_rows(best, differs, "training"), differs)
        if before == (best.training.n_rows, len(best.training.schema.columns)):
            break
    return _fewer_rows(best, differs, "asked")


def _fewer_rows(pair: Drawn, differs: Callable[[Drawn], bool], which: str) -> Drawn:
    size = getattr(pair, which).n_rows
    step = max(1, size // 2)
    while step:
        place = 0
        while place < getattr(pair, which).n_rows and getattr(pair, which).n_rows > 1:
            rows = np.arange(getattr(pair, which).n_rows)
            kept = np.concatenate([rows[:place], rows[place + step :]])
            smaller = _replaced(pair, which, getattr(pair, which).take(kept)) if len(kept) else pair
            if len(kept) and differs(smaller):
                pair = smaller
            else:
                place += step
        step //= 2
    return pair


def _fewer_columns(pair: Drawn, differs: Callable[[Drawn], bool]) -> Drawn:
    for name in [pair.training.schema.names[place] for place in pair.training.schema.features]:
        if len(pair.training.schema.features) == 1:
            return pair
        kept = [other for other in pair.training.schema.names if other != name]
        smaller = Drawn(pair.training.select(kept), pair.asked.select(kept))
        if differs(smaller):
            pair = smaller
    return pair


def _replaced(pair: Drawn, which: str, table: Table) -> Drawn:
    return Drawn(table, pair.asked) if which == "training" else Drawn(pair.training, table)


def described(table: Table) -> str:
    """The rows of a small table, one after another, for a person to read."""
    head = " ".join(_heading(column) for column in table.schema.columns)
    rows = [" ".join(_cell(c, values[row]) for c, values in _columns(table)) for row in range(table.n_rows)]
    return "\n".join([head, *rows])


def _columns(table: Table) -> list[tuple[Column, Any]]:
    return list(zip(table.schema.columns, table.columns, strict=True))


def _heading(column: Column) -> str:
    return f"{column.name}{{{','.join(column.categories)}}}" if isinstance(column, Nominal) else column.name


def _cell(column: Column, value: Any) -> str:
    if isinstance(column, Nominal):
        return "?" if value < 0 else column.categories[value]
    return "?" if math.isnan(value) else f"{value:g}"
