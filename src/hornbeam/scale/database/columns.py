"""The schema of a table in a database, and its columns as SQL expressions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from hornbeam.data.errors import DataError
from hornbeam.data.infer import show_number
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.scale.database.engines import NUMBERS, TEXTS
from hornbeam.scale.found import MOST_CATEGORIES
from hornbeam.scale.parts.database import quoted, text_literal

if TYPE_CHECKING:
    from collections.abc import Collection

    from hornbeam.data.schema import Column
    from hornbeam.scale.database.engines import Database

NOT_A_NUMBER = "CAST('NaN' AS FLOAT8)"
INFINITE = "(CAST('Infinity' AS FLOAT8), CAST('-Infinity' AS FLOAT8))"


class Described(NamedTuple):
    """A column: its name in the model, the expression of its values, and its categories as literals."""

    column: Column
    expression: str
    literals: tuple[str, ...]  # by code; none for numbers
    place: dict[Any, int]  # the code of a value; empty for numbers


def describe(database: Database, table: str, nominal: Collection[str], ignore: Collection[str]) -> list[Described]:
    """The columns of a table (a quoted name); only distinct categories leave the database."""
    found = []
    for column in database.columns(table):
        name = column.name
        if name in ignore:
            continue
        if column.base in NUMBERS:
            number = f"CAST({quoted(name)} AS FLOAT8)"
            expression = f"CASE WHEN {number} = {NOT_A_NUMBER} THEN NULL ELSE {number} + CAST(0 AS FLOAT8) END"
            if name not in nominal:
                found.append(Described(Numeric(name), expression, (), {}))
                continue
            values = _distinct(database, table, expression, name)
            categories = tuple(map(show_number, values))
            literals = tuple(map(number_literal, values))
        elif column.base in {*TEXTS, "ENUM", "BOOLEAN"}:
            expression = f"CAST({quoted(name)} AS VARCHAR)"
            declared = ["false", "true"] if column.base == "BOOLEAN" else list(column.categories)
            values = declared or _distinct(database, table, expression, name)
            categories = tuple(values)
            literals = tuple(text_literal(value) for value in values)
        else:
            msg = f"its type is {column.kind}; in a database, expected numbers, texts or booleans: ignore=[{name!r}]"
            raise DataError(msg, column=name)
        place = {value: code for code, value in enumerate(values)}
        found.append(Described(Nominal(name, categories), expression, literals, place))
    return found


def _distinct(database: Database, table: str, expression: str, name: str) -> list[Any]:
    query = f"SELECT DISTINCT {expression} FROM {table} WHERE {quoted(name)} IS NOT NULL LIMIT {MOST_CATEGORIES + 2}"  # noqa: S608
    values = [value for (value,) in database.run(query) if value is not None]
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
