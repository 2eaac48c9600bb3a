"""Byte ranges of CSV files as partitions; a range begins after the first line break in it.

Every value is read as text; the kinds of columns are inferred from all partitions. Line breaks inside quotes are not
supported: a file that has them raises an error; read it with `hornbeam.read` instead.
"""

from __future__ import annotations

import csv
import io
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.csv

from hornbeam.data.errors import DataError, shorten
from hornbeam.data.infer import MISSING

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.scale.parts import Key

RANGE = 64 << 20  # size of a range in bytes


@dataclass(frozen=True)
class CsvParts:
    """Ranges of some CSV files, which all have the same header."""

    paths: tuple[str, ...]
    separator: str = ","
    size: int = RANGE
    from_text: bool = True

    def keys(self) -> list[Key]:
        """A key for every range."""
        return [
            (path, start, min(start + self.size, length))
            for path in self.paths
            for length in (Path(path).stat().st_size,)
            for start in range(0, max(length, 1), self.size)
        ]

    def names(self) -> list[str]:
        """Names of the columns of the first file."""
        return self._header(self.paths[0])

    def _header(self, path: str) -> list[str]:
        with Path(path).open("rb") as file:
            line = file.readline()
        try:
            text = line.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise DataError(f"{path}, line 1: not UTF-8 ({error}); expected a file in UTF-8") from None
        names = next(csv.reader(io.StringIO(text), delimiter=self.separator), [])
        if not names:
            raise DataError(f"{path}: the file is empty; expected a line with the names of the columns")
        return names

    def read(self, key: Key, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows that begin in a range, every value as text."""
        path, start, stop = key
        names = self._header(path)
        if sorted(names) != sorted(self.names()):
            raise DataError(f"{path}: its columns are {names}, and those of {self.paths[0]} are {self.names()}")
        wanted = list(names if columns is None else columns)
        data = _lines(path, start, stop)
        if not data.strip():
            return pa.table({name: pa.array([], pa.string()) for name in wanted})
        try:
            return pyarrow.csv.read_csv(
                pa.BufferReader(data),
                read_options=pyarrow.csv.ReadOptions(column_names=names, use_threads=False),
                parse_options=pyarrow.csv.ParseOptions(delimiter=self.separator),
                convert_options=pyarrow.csv.ConvertOptions(
                    column_types=dict.fromkeys(names, pa.string()), include_columns=wanted, strings_can_be_null=True,
                    quoted_strings_can_be_null=True, null_values=list(MISSING),
                ),
            )  # fmt: skip
        except pa.ArrowException as error:
            raise DataError(f"{path}, bytes {start} to {stop}: {shorten(str(error), 200)}") from None


def _lines(path: str, start: int, stop: int) -> bytes:
    """The lines that begin after `start` (the header does not count) and before `stop`."""
    with Path(path).open("rb") as file:
        if start == 0:
            file.readline()
        else:
            file.seek(start - 1)  # a line that begins exactly at `start` belongs to this range
            file.readline()
        first = file.tell()
        data = file.read(max(stop - first, 0))
        return data if not data or data.endswith(b"\n") else data + file.readline()
