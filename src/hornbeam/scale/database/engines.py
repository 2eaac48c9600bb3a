"""The databases: how each describes a table, and what their SQL has in different words."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple, Protocol

from hornbeam.data.errors import shorten
from hornbeam.scale.parts.database import quoted, text_literal

if TYPE_CHECKING:
    from collections.abc import Sequence

Row = tuple[Any, ...]
NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
    "FLOAT", "DOUBLE", "DECIMAL", "REAL", "DOUBLE PRECISION", "NUMERIC",
)  # fmt: skip
TEXTS = ("VARCHAR", "TEXT", "CHARACTER VARYING", "CHARACTER")


class Typed(NamedTuple):
    """A column: its name, its type, and the declared categories of an enum."""

    name: str
    kind: str
    categories: tuple[str, ...] = ()

    @property
    def base(self) -> str:
        """The type in capitals, without a size."""
        return self.kind.partition("(")[0].upper()


class Database(Protocol):
    """A database that counts."""

    row_id: str  # a column that distinguishes the rows of a table
    half_even: str  # the function that rounds to the nearest whole number, and halves to even ones

    def run(self, query: str) -> list[Row]:
        """The rows that a query gives; none for a command."""

    def columns(self, table: str) -> list[Typed]:
        """The columns of a table."""

    def interval(self, value: str, edges: str) -> tuple[str, str]:
        """The number of the interval of a value as an expression, and a join that it needs.

        `edges` is a table of the numbers of the intervals (`code`) and their greatest values (`edge`).
        """

    def close(self) -> None:
        """End the connection."""


class DuckDB:
    """A DuckDB file.

    Parameters
    ----------
    connection : duckdb.DuckDBPyConnection
    memory_mb : int or None
        The memory limit.
    """

    row_id = "rowid"
    half_even = "round_even({}, 0)"

    def __init__(self, connection: Any, memory_mb: int | None) -> None:
        self.connection, self.memory_mb = connection, memory_mb
        if memory_mb is not None:
            self.run(f"SET memory_limit = '{int(memory_mb)}MB'")

    def run(self, query: str) -> list[Row]:
        """The rows that a query gives; none for a command."""
        from duckdb import OutOfMemoryException

        try:
            return list(self.connection.execute(query).fetchall())
        except OutOfMemoryException as error:
            limit = "the memory" if self.memory_mb is None else f"memory_mb={self.memory_mb}"
            known = shorten(str(error), 100)
            msg = f"DuckDB needs more than {limit}; expected a larger memory_mb, or engine='local' ({known})"
            raise MemoryError(msg) from None
        except RuntimeError as error:
            if str(error) == "Query interrupted":  # by Ctrl-C
                raise KeyboardInterrupt from None
            raise

    def columns(self, table: str) -> list[Typed]:
        """The columns of a table."""
        found = []
        for name, kind, *_ in self.run(f"DESCRIBE {table}"):
            categories: Sequence[str] = ()
            if kind.startswith("ENUM"):
                query = f"SELECT enum_range({quoted(name)}) FROM (SELECT {quoted(name)} FROM {table} LIMIT 1)"  # noqa: S608
                rows = self.run(query)
                categories = rows[0][0] if rows else ()
            found.append(Typed(name, kind, tuple(categories)))
        return found

    def interval(self, value: str, edges: str) -> tuple[str, str]:
        """The number of the interval of a value: by a join with the next edge."""
        return "e.code", f" ASOF LEFT JOIN {edges} e ON {value} <= e.edge"

    def close(self) -> None:
        """End the connection."""
        self.connection.close()


class Postgres:
    """A PostgreSQL server.

    Parameters
    ----------
    connection : psycopg.Connection
        One transaction, in which the rows do not change.
    """

    row_id = "ctid"
    half_even = "round({})"

    def __init__(self, connection: Any) -> None:
        self.connection = connection

    def run(self, query: str) -> list[Row]:
        """The rows that a query gives; none for a command."""
        cursor = self.connection.execute(query)
        return list(cursor.fetchall()) if cursor.description is not None else []

    def columns(self, table: str) -> list[Typed]:
        """The columns of a table."""
        own = f"attrelid = {text_literal(table)}::regclass AND attnum > 0 AND NOT attisdropped"
        labels: dict[int, list[str]] = {}
        for number, label in self.run(
            "SELECT enumtypid, enumlabel FROM pg_enum WHERE enumtypid IN "  # noqa: S608 - quoted
            f"(SELECT atttypid FROM pg_attribute WHERE {own}) ORDER BY enumsortorder"
        ):
            labels.setdefault(number, []).append(label)
        described = self.run(
            f"SELECT attname, format_type(atttypid, NULL), atttypid FROM pg_attribute WHERE {own} ORDER BY attnum"  # noqa: S608
        )
        return [
            Typed(name, "ENUM" if number in labels else kind, tuple(labels.get(number, ())))
            for name, kind, number in described
        ]

    def interval(self, value: str, edges: str) -> tuple[str, str]:
        """The number of the interval of a value: by a binary search, from the largest edge down."""
        descending = f"(SELECT array_agg(-edge ORDER BY edge DESC) FROM {edges})"  # noqa: S608
        return f"(SELECT count(*) FROM {edges}) - width_bucket(-{value}, {descending})", ""  # noqa: S608

    def close(self) -> None:
        """End the connection; temporary tables are dropped."""
        self.connection.close()
