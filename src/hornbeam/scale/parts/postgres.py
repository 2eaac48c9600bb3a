"""Ranges of pages of a PostgreSQL table as partitions."""

from __future__ import annotations

import re
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError, shorten
from hornbeam.scale.parts.database import quoted, text_literal

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    import pyarrow as pa

    from hornbeam.scale.database.engines import Database
    from hornbeam.scale.parts import Key

PAGES = 2048  # 16 MB
SCHEMES = ("postgresql://", "postgres://")


@dataclass(frozen=True)
class PostgresParts:
    """Ranges of the pages of a table.

    Parameters
    ----------
    address : str
        Such as ``postgresql://user@host:5432/database``; what it lacks is taken from the variables of libpq.
    table : str
        The table, or ``schema.table``.
    size : int
        The number of pages of a range.
    """

    address: str
    table: str
    size: int = PAGES
    from_text: bool = False

    @property
    def quoted(self) -> str:
        """The name of the table in SQL."""
        return ".".join(map(quoted, self.table.split(".")))

    @property
    def place(self) -> str:
        """The table and its database for messages, without a password."""
        return f"{self.table} in {re.sub(r'//[^@/]*@', '//', self.address)}"

    def database(self, memory_mb: int | None) -> Database:
        """The database, to count in it."""
        from hornbeam.scale.database.engines import Postgres

        if memory_mb is not None:
            raise ValueError(
                "memory_mb does not limit a PostgreSQL server; its configuration does: leave memory_mb out"
            )
        database = Postgres(self._connected())
        self._check_table(database)
        return database

    def keys(self) -> list[Key]:
        """A key for every range."""
        with self._opened() as database:
            ((pages,),) = database.run(f"SELECT pg_relation_size({text_literal(self.quoted)}::regclass) / 8192")
        return [(self.place, start, start + self.size) for start in range(0, max(int(pages), 1), self.size)]

    def names(self) -> list[str]:
        """Names of the columns."""
        with self._opened() as database:
            return [column.name for column in database.columns(self.quoted)]

    def read(self, key: Key, columns: Sequence[str] | None = None) -> pa.Table:
        """The rows of a range, in the order of the pages."""
        import pyarrow as pa

        from hornbeam.scale.database.engines import NUMBERS

        _, start, stop = key
        with self._opened() as database:
            typed = {column.name: column for column in database.columns(self.quoted)}
            wanted = [typed[name] for name in (typed if columns is None else columns)]
            casts = {one.name: "FLOAT8" if one.base in NUMBERS else "VARCHAR" for one in wanted}
            selected = ", ".join(f"CAST({quoted(name)} AS {kind})" for name, kind in casts.items())
            query = f"SELECT {selected} FROM {self.quoted} WHERE ctid >= '({start},0)' AND ctid < '({stop},0)'"  # noqa: S608
            rows = database.run(query)
        arrays = []
        for number, one in enumerate(wanted):
            values = [row[number] for row in rows]
            if one.base in NUMBERS:
                arrays.append(pa.array(values, pa.float64()))
            elif one.base in {"ENUM", "BOOLEAN"}:
                arrays.append(_dictionary(values, one.categories or ("false", "true")))
            else:
                arrays.append(pa.array(values, pa.string()))
        return pa.Table.from_arrays(arrays, [one.name for one in wanted])

    @contextmanager
    def _opened(self) -> Iterator[Database]:
        database = self.database(None)
        try:
            yield database
        finally:
            database.close()

    def _connected(self) -> Any:
        try:
            import psycopg
        except ImportError as error:
            msg = f"a PostgreSQL table needs psycopg and libpq: pip install 'hornbeam[postgres]' ({error})"
            raise ModuleNotFoundError(msg) from None
        try:
            connection = psycopg.connect(self.address)
        except psycopg.Error as error:
            raise DataError(f"{self.place}: cannot be opened: {shorten(str(error), 200)}") from None
        connection.isolation_level = psycopg.IsolationLevel.REPEATABLE_READ
        return connection

    def _check_table(self, database: Database) -> None:
        ((found,),) = database.run(f"SELECT to_regclass({text_literal(self.quoted)})::text")
        if found is None:
            database.close()
            raise DataError(f"{self.place}: there is no such table")


def _dictionary(values: list[Any], categories: Sequence[str]) -> pa.Array:
    import pyarrow as pa

    place = {category: code for code, category in enumerate(categories)}
    codes = pa.array([None if value is None else place[value] for value in values], pa.int32())
    return pa.DictionaryArray.from_arrays(codes, pa.array(list(categories), pa.string()))
