"""Small tables that are hard on arithmetic."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable

    from numpy.typing import NDArray

ROWS = 24
COLORS = ("red", "green", "blue")


@dataclass(frozen=True)
class Extreme:
    """Two numeric columns, categories, a target of either kind and weights; what is None is as in an ordinary table."""

    numbers: tuple[NDArray[np.float64], NDArray[np.float64]]
    colors: NDArray[np.int32]
    classes: NDArray[np.int32]
    target: NDArray[np.float64]
    weights: NDArray[np.float64] | None = None
    color_names: tuple[str, ...] = COLORS
    class_names: tuple[str, ...] = ("no", "yes")

    def table(self, predicts: str) -> Table:
        """The table for a scheme that predicts a category, a number or clusters."""
        columns = [Numeric("x"), Numeric("z"), Nominal("color", self.color_names)]
        arrays: list[Any] = [*self.numbers, self.colors]
        if predicts == "category":
            columns.append(Nominal("class", self.class_names))
            arrays.append(self.classes)
        if predicts == "number":
            columns.append(Numeric("y"))
            arrays.append(self.target)
        roles = ["feature"] * 3 + ["target"] * (len(columns) - 3)
        return Table(Schema(tuple(columns), tuple(roles), "extreme"), arrays)


def ordinary(rows: int = ROWS, **others: Any) -> Extreme:
    """A table that every learner copes with, but for the parts given."""
    random = np.random.default_rng(7)
    x, z = random.normal(size=(2, rows))
    colors = random.integers(0, len(COLORS), rows).astype(np.int32)
    classes = (x + 0.5 * random.normal(size=rows) > 0).astype(np.int32)
    classes[:2] = np.arange(2)[:rows]
    parts = {"numbers": (x, z), "colors": colors, "classes": classes, "target": 3 * x + z}
    return Extreme(**{**parts, **others})


def scaled(factor: float, level: float = 0.0) -> Extreme:
    x, z = ordinary().numbers
    return ordinary(numbers=(level + x * factor, level + z * factor))


def target(factor: float, level: float = 0.0) -> Extreme:
    return ordinary(target=level + ordinary().target * factor)


def mixed(*values: float) -> Extreme:
    """One numeric column of the given values in turn."""
    return ordinary(numbers=(np.resize(values, ROWS), ordinary().numbers[1]))


TABLES: dict[str, Callable[[], Extreme]] = {
    "ordinary": ordinary,
    "values of 1e100": lambda: scaled(1e100),
    "values of 1e160": lambda: scaled(1e160),
    "values of 1e300": lambda: scaled(1e300),
    "values of 5e307": lambda: scaled(5e307),
    "values of 1e-160": lambda: scaled(1e-160),
    "values of 1e-300": lambda: scaled(1e-300),
    "values of 1e-320": lambda: scaled(1e-320),
    "values about 1e16": lambda: scaled(10.0, 1e16),
    "values about 1e300, close together": lambda: scaled(1e285, 1e300),
    "values about one, close together": lambda: scaled(1e-15, 1.0),
    "the largest numbers": lambda: mixed(1.7e308, -1.7e308),
    "large and small numbers": lambda: mixed(1e300, 1e-300, -1e300, 0.0, 1.0, 5e-324),
    "the largest number among ones": lambda: mixed(*[1.0, 2.0, 3.0] * 7, 1.7e308),
    "target of 1e100": lambda: target(1e100),
    "target of 1e160": lambda: target(1e160),
    "target of 1e300": lambda: target(1e300),
    "target of 1e307": lambda: target(1e307),
    "target of 1e-160": lambda: target(1e-160),
    "target of 1e-320": lambda: target(1e-320),
    "target about 1e12": lambda: target(1.0, 1e12),
    "target about 1e16, close together": lambda: target(1.0, 1e16),
    "target of large and small numbers": lambda: ordinary(target=np.resize([1e308, -1e308, 1.0, 1e-320], ROWS)),
    "constant target": lambda: ordinary(target=np.full(ROWS, 0.1)),
    "constant columns": lambda: ordinary(
        numbers=(np.full(ROWS, 0.1), np.full(ROWS, 1e300)), colors=np.zeros(ROWS, int)
    ),
    "one class": lambda: ordinary(classes=np.ones(ROWS, int)),
    "one declared class": lambda: ordinary(classes=np.zeros(ROWS, int), class_names=("only",)),
    "a class per row": lambda: ordinary(classes=np.arange(ROWS), class_names=tuple(f"c{i}" for i in range(ROWS))),
    "50 classes": lambda: ordinary(100, classes=np.arange(100) % 50, class_names=tuple(f"c{i}" for i in range(50))),
    "2 rows": lambda: ordinary(2, classes=np.arange(2)),
    "1 row": lambda: ordinary(1, classes=np.zeros(1, int)),
    "all missing": lambda: ordinary(numbers=(np.full(ROWS, np.nan),) * 2, colors=np.full(ROWS, -1)),
    "one column missing": lambda: ordinary(numbers=(np.full(ROWS, np.nan), ordinary().numbers[1])),
    "no categories": lambda: ordinary(colors=np.full(ROWS, -1), color_names=()),
    "categories without rows": lambda: ordinary(colors=np.full(ROWS, 2), color_names=(*COLORS, "", "none")),
    "weights of 1.7e308": lambda: ordinary(weights=np.full(ROWS, 1.7e308)),
    "weights of 1e300": lambda: ordinary(weights=np.full(ROWS, 1e300)),
    "weights of 1e-300": lambda: ordinary(weights=np.full(ROWS, 1e-300)),
    "weights of 5e-324": lambda: ordinary(weights=np.full(ROWS, 5e-324)),
    "weights of 1e-15 and 1e15": lambda: ordinary(weights=np.resize([1e-15, 1e15], ROWS)),
    "weights of 1e-300 and 1": lambda: ordinary(weights=np.resize([1e-300, 1.0], ROWS)),
    "weights that add up to 1e-29": lambda: ordinary(weights=np.resize([1e-30, 1e-44, 1e-33], ROWS)),
    "weights that add up to 1e29": lambda: ordinary(weights=np.resize([1e15, 1e28], ROWS)),
    "weights of 1e-6 and 1e6": lambda: ordinary(weights=np.resize([1e-6, 1e6], ROWS)),
}
