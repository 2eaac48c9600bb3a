"""Judges that are databases: exported queries are run on a table of the rows."""

from __future__ import annotations

import csv
import io
import re
import shutil
import subprocess
from contextlib import closing
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from hornbeam.export.judges import Result, Rows


def find_duckdb() -> str | None:
    """Return what is missing, if DuckDB is not installed."""
    return None if find_spec("duckdb") else "DuckDB (pip install duckdb)"


def run_duckdb(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported query in DuckDB."""
    import duckdb

    with duckdb.connect() as connection:
        return _run(connection, path, rows, manifest, {"numeric": "DOUBLE", "nominal": "VARCHAR"}, _insert_arrow)


def find_sqlite() -> str | None:
    """Return None: SQLite is part of Python."""
    return None


def run_sqlite(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported query in SQLite."""
    import sqlite3

    with closing(sqlite3.connect(":memory:")) as connection:
        return _run(connection, path, rows, manifest, {"numeric": "REAL", "nominal": "TEXT"}, _insert_rows)


def find_postgres() -> str | None:
    """Return what is missing, if psql cannot reach the server named by the usual variables (PGHOST, ...)."""
    if shutil.which("psql") is None:
        return "PostgreSQL's psql"
    done = subprocess.run(["psql", "-X", "-w", "-c", "SELECT 1"], capture_output=True, check=False)  # noqa: S607
    return None if done.returncode == 0 else "a PostgreSQL server (name it with PGHOST, PGPORT and PGDATABASE)"


def run_postgres(path: Path, rows: Rows, manifest: dict[str, Any]) -> list[Result]:
    """Run an exported query in PostgreSQL: rows and results are CSV, and the transaction is rolled back."""
    columns = manifest["columns"]
    types = {"numeric": "double precision", "nominal": "text"}
    row_name = _quoted(row_column(columns))
    described = [f"{row_name} integer", *(f"{_quoted(c['name'])} {types[c['kind']]}" for c in columns)]
    parts = manifest["table"].split(".")
    lines = ["\\set ON_ERROR_STOP on", "SET client_min_messages = warning;", "SET extra_float_digits = 3;", "BEGIN;"]
    lines += [f"CREATE SCHEMA IF NOT EXISTS {_quoted(part)};" for part in parts[:-1]]
    source = ".".join(map(_quoted, parts))
    lines.append(f"CREATE TABLE {source} ({', '.join(described)});")
    lines.append(f"COPY {source} FROM STDIN (FORMAT csv);")
    for number, row in enumerate(rows):
        lines.append(",".join([str(number), *(_cell(row[column["name"]]) for column in columns)]))
    lines += [
        "\\.",
        f"COPY ({with_row(path, row_name).rstrip().rstrip(';')}) TO STDOUT (FORMAT csv);",
        "ROLLBACK;",
    ]
    command = ["psql", "-X", "-w", "-q"]
    text = "\n".join(lines) + "\n"
    done = subprocess.run(command, input=text.encode(), capture_output=True, check=False)  # noqa: S603 - no text of ours in it
    if done.returncode:
        msg = f"psql stopped with exit code {done.returncode}: {done.stderr.decode(errors='replace').strip()[:300]}"
        raise RuntimeError(msg)
    found = sorted(csv.reader(io.StringIO(done.stdout.decode(), newline="")), key=lambda row: int(row[0]))
    n_outputs, is_number = len(manifest["outputs"]), manifest["target"]["kind"] == "numeric"
    results: list[Result] = []
    for cells in found:
        first, *rest = cells[-n_outputs:]
        prediction = (float(first) if first else None) if is_number else first
        results.append((prediction, [float(value) for value in rest] or None))
    return results


def _cell(value: Any) -> str:  # noqa: ANN401 - a number, a text or None
    """Write a value for COPY: texts are quoted, so that an empty one is not NULL."""
    if value is None:
        return ""
    return '"' + value.replace('"', '""') + '"' if isinstance(value, str) else repr(float(value))


def _insert_rows(connection: Any, source: str, columns: list[list[Any]]) -> None:  # noqa: ANN401 - a database
    marks = ", ".join("?" * len(columns))
    connection.executemany(f"INSERT INTO {source} VALUES ({marks})", zip(*columns, strict=True))  # noqa: S608 - names are quoted


def _insert_arrow(connection: Any, source: str, columns: list[list[Any]]) -> None:  # noqa: ANN401 - a database
    """Insert all rows at once: DuckDB takes a millisecond for every statement."""
    import pyarrow as pa

    given = pa.table({str(i): pa.array(values, _arrow_type(values)) for i, values in enumerate(columns)})
    connection.register("hornbeam rows", given)
    connection.execute(f'INSERT INTO {source} SELECT * FROM "hornbeam rows"')  # noqa: S608 - names are quoted


def _arrow_type(values: list[Any]) -> Any:  # noqa: ANN401 - a type of Arrow
    import pyarrow as pa

    return pa.string() if any(isinstance(value, str) for value in values) else pa.float64()


def _run(
    connection: Any,  # noqa: ANN401 - a database
    path: Path,
    rows: Rows,
    manifest: dict[str, Any],
    types: dict[str, str],
    insert: Callable[[Any, str, list[list[Any]]], None],
) -> list[Result]:
    """Create the table, run the query with an additional row number, and sort the result by it."""
    columns = manifest["columns"]
    row_name = _quoted(row_column(columns))
    described = [f"{row_name} INTEGER", *(f"{_quoted(c['name'])} {types[c['kind']]}" for c in columns)]
    source = ".".join(map(_quoted, manifest["table"].split(".")))
    connection.execute(f"CREATE TABLE {source} ({', '.join(described)})")
    if rows:
        values = [[row[column["name"]] for row in rows] for column in columns]
        insert(connection, source, [list(range(len(rows))), *values])
    found = connection.execute(with_row(path, row_name)).fetchall()
    found.sort(key=lambda row: row[0])
    n_outputs = len(manifest["outputs"])
    return [(row[-n_outputs], list(row[len(row) - n_outputs + 1 :]) or None) for row in found]


def row_column(columns: list[dict[str, Any]]) -> str:
    """Return a name for the column of row numbers that no other column has."""
    name = "hornbeam row"
    while any(column["name"].casefold() == name for column in columns):
        name += "_"
    return name


SELECTS = r"""^(?P<indent>\ \ |)SELECT(?=\s)"""
OTHERS = r"""--[^\n]* | "(?:[^"])*" | `(?:[^`])*` """  # comments and names: quotes in names are doubled
PLAIN_TEXT, ESCAPED_TEXT = r"'(?:[^'])*'", r"'(?:[^'\\]|\\.)*'"  # the second where a backslash escapes


def with_row(path: Path, row: str, *, escapes: bool = False) -> str:
    """Return a query in which every step has the row number (a quoted name) as its first column.

    A line of a text or a name may begin with SELECT too; it stays as it is.
    """
    query = path.read_bytes().decode()  # keep line ends in texts as they are
    pattern = "|".join((OTHERS, ESCAPED_TEXT if escapes else PLAIN_TEXT, SELECTS))

    def changed(found: re.Match[str]) -> str:
        return found[0] if found["indent"] is None else f"{found[0]} {row},"

    return re.sub(pattern, changed, query, flags=re.MULTILINE | re.VERBOSE | re.DOTALL)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
