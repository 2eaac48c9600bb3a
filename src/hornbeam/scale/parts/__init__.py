"""Where partitions come from: lists of keys, and how the columns of one are read.

parquet: row groups of Parquet files.
text: byte ranges of CSV files.
database: ranges of rows of a DuckDB table.
postgres: ranges of pages of a PostgreSQL table.
typed: the columns of a partition as numbers and codes of one schema.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

Key = tuple[Any, ...]  # the first entry names the file or table


class Parts(Protocol):
    """A source of partitions; small, and can be sent to workers."""

    @property
    def from_text(self) -> bool:
        """Whether columns are text, so that their kinds must be inferred."""

    def keys(self) -> list[Key]:
        """A key for every partition, in a fixed order."""

    def names(self) -> list[str]:
        """Names of the columns."""

    def read(self, key: Key, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of a partition."""
