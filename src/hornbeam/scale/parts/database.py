"""Ranges of rows of a table in a DuckDB file as partitions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError, shorten

if TYPE_CHECKING:
    from collections.abc import Sequence

    import pyarrow as pa

    from hornbeam.scale.database.engines import Database
    from hornbeam.scale.parts import Key

ROWS = 1_000_000


@dataclass(frozen=True)
class DuckDBParts:
    """Ranges of the rows of a table."""

    path: str
    table: str
    size: int = ROWS
    from_text: bool = False

    @property
    def quoted(self) -> str:
        """The name of the table in SQL."""
        return quoted(self.table)

    def database(self, memory_mb: int | None) -> Database:
        """The database, to count in it."""
        from hornbeam.scale.database.engines import DuckDB

        return DuckDB(self.connect(), memory_mb)

    def keys(self) -> list[Key]:
        """A key for every range."""
        with self.connect() as connection:
            found = connection.execute(f"SELECT max(rowid) FROM {quoted(self.table)}").fetchone()  # noqa: S608 - quoted
        last = -1 if found is None or found[0] is None else found[0]
        return [(self.path, start, start + self.size) for start in range(0, max(last + 1, 1), self.size)]

    def names(self) -> list[str]:
        """Names of the columns."""
        with self.connect() as connection:
            description = connection.execute(f"SELECT * FROM {quoted(self.table)} LIMIT 0").description  # noqa: S608
        return [str(column[0]) for column in description]

    def read(self, key: Key, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of a range, in the order of the table."""
        _, start, stop = key
        wanted = "*" if columns is None else ", ".join(map(quoted, columns))
        with self.connect() as connection:
            query = f"SELECT {wanted} FROM {quoted(self.table)} WHERE rowid >= ? AND rowid < ? ORDER BY rowid"  # noqa: S608
            return connection.sql(query, params=[start, stop]).to_arrow_table()

    def connect(self) -> Any:
        """A read-only connection, as a context manager."""
        try:
            import duckdb
        except ModuleNotFoundError:
            raise ModuleNotFoundError("a DuckDB table needs DuckDB: pip install 'hornbeam[duckdb]'") from None
        try:
            return duckdb.connect(self.path, read_only=True)
        except duckdb.Error as error:
            raise DataError(f"{self.path}: cannot be opened as a DuckDB file: {shorten(str(error), 200)}") from None


def only_table(path: str) -> str:
    """The name of the only table of a file."""
    with DuckDBParts(path, "").connect() as connection:
        names = sorted(str(row[0]) for row in connection.execute("SHOW TABLES").fetchall())
    if len(names) != 1:
        listed = ", ".join(map(repr, names)) or "none"
        raise DataError(f"{path}: its tables are {listed}; name one: table=...")
    return names[0]


def quoted(name: str) -> str:
    """A name in SQL."""
    return '"' + name.replace('"', '""') + '"'


def text_literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"
