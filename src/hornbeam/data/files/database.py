"""Tables of SQLite and DuckDB databases. A database is read from a copy, and never opened for writing."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from hornbeam.data.errors import DataError, label, shorten
from hornbeam.data.files.archive import listed, part_of
from hornbeam.data.files.cells import as_text, wrong_cell
from hornbeam.data.in_words import plural

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from hornbeam.data.table import Table

SQLITE = b"SQLite format 3\0"
_DUCK = slice(8, 12)
_FORMAT_BYTES = slice(18, 20)  # of a SQLite header: 2 for a database with a write-ahead log, 1 for one without


def is_duckdb(head: bytes) -> bool:
    """Whether a file starts like a DuckDB database."""
    return head[_DUCK] == b"DUCK"


def sqlite_as_text(
    data: bytes, wanted: str | None, ignore: Sequence[str], file_name: str
) -> tuple[bytes, str, list[str]]:
    """Turn a table into delimited text; also return the table's name and the notes about it."""
    plain = bytearray(data)
    plain[_FORMAT_BYTES] = b"\1\1"  # without its log, as a copy in memory has none
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(bytes(plain))
        connection.execute("PRAGMA query_only = ON")
        connection.execute("PRAGMA trusted_schema = OFF")
        kinds = dict(
            connection.execute(
                "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') AND name NOT LIKE 'sqlite\\_%' "
                "ESCAPE '\\' ORDER BY rowid"
            ).fetchall()
        )
        name = _choose(kinds, wanted, file_name)
        quoted = '"' + name.replace('"', '""') + '"'
        connection.text_factory = lambda text: text.decode("utf-8", "replace")
        cursor = connection.execute(f"SELECT * FROM {quoted}")  # noqa: S608 (a name that the database listed, quoted)
        columns = [str(column[0]) for column in cursor.description]
        keep, notes = _without_blobs(connection, quoted, columns, ignore)
        return as_text(_rows(cursor, columns, keep)), name, notes
    except sqlite3.Error as error:
        msg = f"the SQLite database is damaged or cannot be read: {shorten(str(error), 200)}"
        raise DataError(msg) from None
    finally:
        connection.close()


def _without_blobs(
    connection: sqlite3.Connection, table: str, columns: Sequence[str], ignore: Sequence[str]
) -> tuple[list[int], list[str]]:
    """Return the positions of the columns to read: ignored ones are left out where they hold bytes."""
    left: set[str] = set()
    for name in set(columns) & set(ignore):
        quoted = '"' + name.replace('"', '""') + '"'
        query = f"SELECT 1 FROM {table} WHERE typeof({quoted}) = 'blob' LIMIT 1"  # noqa: S608 (names of the database, quoted)
        if connection.execute(query).fetchone():
            left.add(name)
    notes = [f"{label(name)}: left out, a table has no columns of bytes" for name in columns if name in left]
    return [i for i, name in enumerate(columns) if name not in left], notes


def _rows(cursor: sqlite3.Cursor, columns: Sequence[str], keep: Sequence[int]) -> Iterator[list[object]]:
    yield [columns[i] for i in keep]
    for number, row in enumerate(cursor, start=1):
        for i in keep:
            if isinstance(row[i], bytes):
                raise wrong_cell("bytes", number, columns[i])
        yield [row[i] for i in keep]


def read_duckdb(data: bytes, wanted: str | None, ignore: Sequence[str], file_name: str, title: str) -> Table:
    """Read a table of a DuckDB database, through a copy in a temporary folder."""
    try:
        import duckdb  # noqa: PLC0415 (an extra)
    except ImportError:
        raise DataError("a DuckDB database needs duckdb: pip install 'hornbeam[duckdb]'") from None
    from hornbeam.data.frame import from_frame  # noqa: PLC0415 (imports pyarrow)

    with TemporaryDirectory(prefix="hornbeam-") as folder:
        path = Path(folder) / "copy.duckdb"
        path.write_bytes(data)
        connection: Any = None
        try:
            # Without external access, a view inside the file cannot read other files.
            safe = {"enable_external_access": "false", "autoinstall_known_extensions": "false"}
            connection = duckdb.connect(str(path), read_only=True, config=safe)
            listed = connection.execute(
                "SELECT table_schema, table_name, table_type FROM information_schema.tables ORDER BY 1, 2"
            ).fetchall()
            names = {
                (name if schema == "main" else f"{schema}.{name}"): (schema, name, kind)
                for schema, name, kind in listed
            }
            kinds = {shown: "view" if kind == "VIEW" else "table" for shown, (_, _, kind) in names.items()}
            chosen = _choose(kinds, wanted, file_name)
            where = ".".join('"' + word.replace('"', '""') + '"' for word in names[chosen][:2])
            relation = connection.sql(f"SELECT * FROM {where}")  # noqa: S608 (a name that the database listed, quoted)
            return from_frame(relation, name=chosen if wanted is not None else title, ignore=ignore)
        except duckdb.Error as error:
            msg = f"the DuckDB database is damaged, or of another version: {shorten(str(error), 200)}"
            raise DataError(msg) from None
        finally:
            if connection is not None:
                connection.close()


def _choose(kinds: dict[str, str], wanted: str | None, file_name: str) -> str:
    """Return the table that was named, or the only one; views are read only by name."""
    shown = listed(list(kinds))
    if wanted is not None:
        if wanted not in kinds:
            msg = f"there is no table {shorten(wanted)} in the database; it has {shown}"
            raise DataError(msg)
        return wanted
    tables = [name for name, kind in kinds.items() if kind == "table"]
    if len(tables) == 1:
        return tables[0]
    if not tables:
        only = f", only views ({shown})" if kinds else ""
        msg = f"the database has no tables{only}; expected one"
        raise DataError(msg)
    views = len(kinds) - len(tables)
    more = f" and {plural(views, 'view')}" if views else ""
    msg = f"the database has {len(tables)} tables{more} ({shown}); name one: {part_of(file_name, tables[0])}"
    raise DataError(msg)
