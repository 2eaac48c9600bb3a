"""The columns of a partition as numbers and codes, by the schema of all partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data.arrow import from_arrow
from hornbeam.data.errors import DataError
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Ints32
    from hornbeam.data.schema import Column
    from hornbeam.scale.parts import Key, Parts


@dataclass(frozen=True)
class Typed:
    """A loader: from a key to the partition's rows by the schema."""

    parts: Parts
    schema: Schema
    drop_empty: bool = False  # rows without a value in any feature are not usable

    def __call__(self, key: Key) -> Rows:
        """The rows of a partition."""
        return Rows(self.parts, self.schema, key, drop_empty=self.drop_empty)


@dataclass(frozen=True)
class Plain:
    """A loader: from a key to the columns of its usable rows as arrays, which can be cached."""

    typed: Typed

    def __call__(self, key: Key) -> dict[str, AnyArray]:
        """The columns of a partition by their positions."""
        rows = self.typed(key)
        return {f"c{position}": values for position, values in enumerate(rows.table(rows.usable).columns)}


class Rows:
    """The rows of one partition; a column is read when it is needed, and not cached."""

    def __init__(self, parts: Parts, schema: Schema, key: Key, *, drop_empty: bool = False) -> None:
        self.parts, self.schema, self.key, self.drop_empty = parts, schema, key, drop_empty

    def column(self, position: int) -> AnyArray:
        """A column: float64 with NaN, or int32 codes with -1."""
        column = self.schema.columns[position]
        return self.chosen(converted(self.parts.read(self.key, [column.name]), column, self.parts, self.key))

    def chosen(self, values: AnyArray) -> AnyArray:
        """The rows that there are, of the rows that were read: here all."""
        return values

    @cached_property
    def usable(self) -> Bools:
        """Which rows have a target, and a value if rows without any are left out."""
        if not self.drop_empty or not self.schema.features:
            return self.has_target
        known = np.zeros(len(self.has_target), np.bool_)
        for position in self.schema.features:
            known |= ~self.schema.columns[position].missing(self.column(position))
            if known.all():
                break
        return known & self.has_target

    @cached_property
    def has_target(self) -> Bools:
        """Which rows have a target."""
        position = self.schema.target
        assert position is not None
        known: Bools = ~self.schema.columns[position].missing(self.column(position))
        return known

    def usable_column(self, position: int) -> AnyArray:
        """A column of the usable rows."""
        values = self.column(position)
        return values if self.usable.all() else values[self.usable]

    def table(self, chosen: AnyArray | None = None) -> Table:
        """All columns, of all rows or of some."""
        read = self.parts.read(self.key, list(self.schema.names))
        columns = []
        for position, column in enumerate(self.schema.columns):
            values = self.chosen(converted(read.select([position]), column, self.parts, self.key))
            columns.append(values if chosen is None else values[chosen])
        return Table(self.schema, columns, copy=False)


def converted(source: pa.Table, column: Column, parts: Parts, key: Key) -> AnyArray:
    """Convert the only column of an Arrow table by the schema."""
    if isinstance(column, Numeric):
        if parts.from_text:
            source = pa.table({column.name: as_numbers(source.column(0))})
        found, values = one_column(source, column.name, key)
        if isinstance(found, Nominal) and len(values):
            raise DataError(f"{key[0]}: texts, and numbers elsewhere", column=column.name)
        numbers: Floats = np.asarray(values, np.float64) + 0.0  # turns -0.0 into 0.0
        return numbers
    found, values = one_column(source, column.name, key)
    if isinstance(found, Numeric):
        distinct, inverse = np.unique(values, return_inverse=True)
        texts = [None if np.isnan(value) else show_number(float(value)) for value in distinct.tolist()]
        return _codes(texts, inverse, column)
    return _codes(list(found.categories), values, column)


def as_numbers(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Convert texts to numbers; raises ArrowInvalid if one is not a number."""
    return pc.cast(pc.utf8_trim_whitespace(texts), pa.float64())


def one_column(source: pa.Table, name: str, key: Key) -> tuple[Column, AnyArray]:
    """Read one column of a partition, regardless of the schema stored for the whole file."""
    try:
        table = from_arrow(source.replace_schema_metadata(None), ignore=(name,))
    except SchemaError as error:  # infinite numbers
        raise DataError(f"{key[0]}: {error}") from None
    if not table.columns:
        msg = f"{key[0]}: its type is {source.schema.types[0]}; expected numbers, texts, categories, dates or times"
        raise DataError(msg, column=name)
    return table.schema.columns[0], table.columns[0]


def _codes(texts: list[str | None], codes: AnyArray, column: Nominal) -> Ints32:
    place = {category: code for code, category in enumerate(column.categories)}
    moved: Ints32 = np.array([*(-1 if text is None else place.get(text, -1) for text in texts), -1], np.int32)[codes]
    return moved
