"""The schema of a table in a database, and its columns as SQL expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hornbeam.data.errors import DataError
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.scale.found import MOST_CATEGORIES
from hornbeam.scale.parts.database import quoted

if TYPE_CHECKING:
    from collections.abc import Collection

    from hornbeam.data.schema import Column

NUMBERS = (
    "TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT", "UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT",
    "FLOAT", "DOUBLE", "DECIMAL",
)  # fmt: skip


class Described(NamedTuple):
    """A column: its name in the model, the expression of its values, and its categories as literals."""

    column: Column
    expression: str
    literals: tuple[str, ...]  # by code; none for numbers
    place: dict[Any, int]  # the code of a value; empty for numbers


def describe(connection: Any, table: str, nominal: Collection[str], ignore: Collection[str]) -> list[Described]:
    """The columns of a table; only distinct categories leave the database."""
    found = []
    for name, kind, *_ in connection.execute(f"DESCRIBE {quoted(table)}").fetchall():
        if name in ignore:
            continue
        base = kind.partition("(")[0]
        if base in NUMBERS:
            number = f"CAST({quoted(name)} AS DOUBLE)"
            expression = f"CASE WHEN isnan({number}) THEN NULL ELSE {number} + 0e0 END"
            if name not in nominal:
                found.append(Described(Numeric(name), expression, (), {}))
                continue
            values = _distinct(connection, table, expression, name)
            categories = tuple(map(show_number, values))
            literals = tuple(map(number_literal, values))
        elif base in {"VARCHAR", "ENUM", "BOOLEAN"}:
            expression = f"CAST({quoted(name)} AS VARCHAR)"
            values = _declared(connection, table, name, base) or _distinct(connection, table, expression, name)
            categories = tuple(values)
            literals = tuple(text_literal(value) for value in values)
        else:
            msg = f"its type is {kind}; in a database, expected numbers, texts or booleans: ignore=[{name!r}]"
            raise DataError(msg, column=name)
        place = {value: code for code, value in enumerate(values)}
        found.append(Described(Nominal(name, categories), expression, literals, place))
    return found


def _declared(connection: Any, table: str, name: str, kind: str) -> list[Any]:
    if kind == "BOOLEAN":
        return ["false", "true"]
    if kind != "ENUM":
        return []
    # the categories of an ENUM type, which need not occur in any row
    query = f"SELECT enum_range({quoted(name)}) FROM (SELECT {quoted(name)} FROM {quoted(table)} LIMIT 1)"  # noqa: S608
    row = connection.execute(query).fetchone()
    return list(row[0]) if row is not None else []


def _distinct(connection: Any, table: str, expression: str, name: str) -> list[Any]:
    query = f"SELECT DISTINCT {expression} AS v FROM {quoted(table)} WHERE v IS NOT NULL LIMIT {MOST_CATEGORIES + 1}"  # noqa: S608
    values = [row[0] for row in connection.execute(query).fetchall()]
    if len(values) > MOST_CATEGORIES:
        msg = f"more than {MOST_CATEGORIES} categories; leave the column out: ignore=[{name!r}]"
        raise DataError(msg, column=name)
    return sorted(values)


def schema_of(columns: list[Described], target: str | None) -> Schema:
    """The schema of described columns."""
    names = [one.column.name for one in columns]
    if target is not None and target not in names:
        Schema(tuple(one.column for one in columns)).position(target)  # raises an error with a suggestion
    roles = tuple("target" if name == target else "feature" for name in names)
    return Schema(tuple(one.column for one in columns), roles)  # type: ignore[arg-type]


def text_literal(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def number_literal(value: float) -> str:
    """A number in SQL that is read back exactly.

    Examples
    --------
    >>> number_literal(0.1), number_literal(-1e300)
    ('0.1e0', '(-1e+300)')
    """
    text = repr(float(value))
    text = text if "e" in text else f"{text}e0"
    return f"({text})" if text.startswith("-") else text
