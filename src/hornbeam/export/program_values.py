"""Numbers, columns and factors as plain data for the runtimes.

Columns are numbered by their position among the features of the outermost model. Models inside it may use only some.
"""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.schema import Nominal
from hornbeam.export.json_values import number_plain

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping

    from hornbeam.core.base.arrays import AnyArray, Floats, Floats32
    from hornbeam.data.schema import Schema
    from hornbeam.model.linear.linear import Factor

    Plain = dict[str, Any]
    Write = Callable[[Any], Plain]  # for the models inside a model


MANY = 16  # with fewer numbers, finding those that need a conversion takes longer than converting all


class Positions:
    """Positions of the columns of one model among the features of the outermost one."""

    def __init__(self, schema: Schema, position_of: Mapping[str, int], language: str) -> None:
        self.schema = schema
        self.language = language  # the output language, for messages
        self.of_column = [position_of.get(column.name, -1) for column in schema.columns]
        self.of_feature = [self.of_column[position] for position in schema.features]


def number(value: float) -> float | int | str:
    """Convert a number for JSON; NaN and infinities become strings, which JavaScript turns into numbers."""
    plain = number_plain(value)
    if plain is not None:
        return plain
    return "NaN" if math.isnan(value) else "Infinity" if value > 0 else "-Infinity"


def numbers(values: Iterable[float] | AnyArray) -> list[float | int | str]:
    """Convert numbers for JSON, each to the last digit."""
    if not isinstance(values, np.ndarray) or values.dtype != np.float64 or values.ndim != 1 or len(values) < MANY:
        return [number(value) for value in (values.tolist() if isinstance(values, np.ndarray) else values)]
    plain: list[float | int | str] = values.tolist()
    special = ~np.isfinite(values) | (values == np.rint(values))
    for place in np.flatnonzero(special).tolist():
        plain[place] = number(float(values[place]))
    return plain


def factor_plain(factor: Factor, positions: Positions) -> list[Any]:
    """Convert a factor: a power of a number and its fill for missing values, or one entry per category."""
    position, column = positions.of_column[factor.column], positions.schema.columns[factor.column]
    if factor.codes is not None and isinstance(column, Nominal):
        return [position, numbers(factor.by_code(len(column.categories)))]
    return [position, number(factor.fill), factor.power]


def short_numbers(values: Floats32) -> Floats:
    """Shorten single-precision numbers to the fewest digits that identify them; the runtime rounds them back."""
    short = values.astype("U32").astype(np.float64)
    return np.where(short.astype(np.float32) == values, short, values.astype(np.float64))
