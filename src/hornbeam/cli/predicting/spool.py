"""Predictions of a large file as one table: its parts wait in temporary files, so that few rows are in memory."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.cli.predicting.predicted import joined, number_of, with_numbers
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from hornbeam.cli.predict import Prediction
    from hornbeam.core.base.arrays import AnyArray


class Spool:
    """Parts of a table: one stays in memory, several are files in a folder."""

    def __init__(self, folder: Path, prediction: Prediction) -> None:
        self.folder, self.prediction = folder, prediction
        self.n_parts = 0
        self._only: Table | None = None  # the first part, as long as there is no other
        self._schema = prediction.model.schema  # of the first part
        self._columns: list[Column] = []  # of the whole table
        self._copied: set[str] = set()  # text columns in which every text so far is a number

    def add(self, table: Table) -> None:
        """Add some rows."""
        if not self.n_parts:
            self._only, self._schema, self._columns = table, table.schema, list(table.schema.columns)
            self._copied = {*(self.prediction.keep or ())} - {*self.prediction.model.schema.names}
        elif self._only is not None:
            self._store(self._only, 1)
            self._only = None
        self.n_parts += 1
        if self.n_parts > 1:
            self._store(table, self.n_parts)
            self._columns = list(map(_common, self._columns, table.schema.columns))
        for column in table.schema.columns:
            if isinstance(column, Nominal) and not all(number_of(text) is not None for text in column.categories):
                self._copied.discard(column.name)

    @property
    def is_large(self) -> bool:
        """Whether there are several parts."""
        return self.n_parts > 1

    def parts(self) -> Iterator[Table]:
        """Read the parts, each with the kinds of columns of the whole table."""
        from hornbeam.data.frame import from_arrow_bytes

        if self._only is not None:
            yield with_numbers(joined([self._only]), self._copied)
            return
        for number in range(1, self.n_parts + 1):
            table = from_arrow_bytes(self._path(number).read_bytes(), name=self._schema.name)
            pairs = map(_of_kind, self._columns, table.schema.columns, table.columns)
            columns, arrays = zip(*pairs, strict=True)
            plain = Table(Schema(columns, self._schema.roles, self._schema.name), list(arrays), copy=False)
            yield with_numbers(plain, self._copied)

    def whole(self) -> Table:
        """Return all parts as one table."""
        return joined(list(self.parts()))

    def _path(self, number: int) -> Path:
        return self.folder / f"{number}.arrow"

    def _store(self, table: Table, number: int) -> None:
        from hornbeam.data.write import write_feather

        write_feather(table, self._path(number))


def _common(known: Column, other: Column) -> Column:
    """Return the kind of a column in which parts differ: numbers, if all parts have them, else texts."""
    if isinstance(known, Numeric) and isinstance(other, Numeric) and known.format == other.format:
        return known
    return Nominal(known.name, ())


def _of_kind(wanted: Column, column: Column, values: AnyArray) -> tuple[Column, AnyArray]:
    """Return a column of one part as texts, if the whole table has texts there."""
    if isinstance(wanted, Numeric) or isinstance(column, Nominal):
        return column, values
    from hornbeam.data.dates import show

    distinct, codes = np.unique(values, return_inverse=True)
    known = [value for value in distinct.tolist() if value == value]  # noqa: PLR0124 (NaN)
    texts = [show_number(value) if column.format is None else show(value, column.format) for value in known]
    return Nominal(column.name, tuple(texts)), np.where(codes < len(known), codes, -1).astype(np.int32)
