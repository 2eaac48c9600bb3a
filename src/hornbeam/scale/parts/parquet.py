"""Row groups of Parquet files as partitions."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.parquet as pq

from hornbeam.data.errors import DataError, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    from hornbeam.scale.parts import Key


@dataclass(frozen=True)
class ParquetParts:
    """The row groups of some Parquet files."""

    paths: tuple[str, ...]
    from_text: bool = False

    def keys(self) -> list[Key]:
        """A key for every row group; a file without rows has one, for its columns."""
        found: list[Key] = []
        for path in self.paths:
            with _open(path) as file:
                found += [(path, group) for group in range(max(file.num_row_groups, 1))]
        return found

    def names(self) -> list[str]:
        """Names of the columns of the first file."""
        with _open(self.paths[0]) as file:
            return list(file.schema_arrow.names)

    def read(self, key: Key, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of a row group."""
        path, group = key
        with _open(path) as file:
            have = file.schema_arrow.names
            for name in columns or ():
                if name not in have:
                    msg = f"{Path(path).name}: there is no column {name!r}, which other files have"
                    raise DataError(msg, column=None)
            try:
                if group >= file.num_row_groups:
                    return file.schema_arrow.empty_table().select(columns or have)
                return file.read_row_group(group, columns=columns, use_threads=False)
            except (pa.ArrowException, OSError) as error:
                raise _damaged(path, error) from None


def _open(path: str) -> pq.ParquetFile:
    try:
        status = Path(path).stat()
        return pq.ParquetFile(path, metadata=_footer(path, status.st_mtime_ns, status.st_size))
    except (pa.ArrowException, OSError) as error:
        raise _damaged(path, error) from None


@lru_cache(maxsize=256)
def _footer(path: str, _changed: int, _size: int) -> pq.FileMetaData:
    """The metadata of a file, read once."""
    return pq.read_metadata(path)


def _damaged(path: str, error: Exception) -> DataError:
    return DataError(f"{path}: cannot be read as Parquet: {shorten(str(error), 200)}")
