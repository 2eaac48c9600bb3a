"""A query as a chain of common table expressions: each has the columns that the next ones need."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from hornbeam.export.sql_writer.dialect import MATERIALIZED

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from hornbeam.export.sql_writer.dialect import Dialect

NAMED = 50  # a column with more categories is compared by codes and not by names
PER_LAYER = 400  # columns computed in one common table expression


class Layers:
    """A query under construction.

    Parameters
    ----------
    dialect : Dialect
        The syntax of the database.
    columns : sequence of dict
        The columns of the program.
    keep : sequence of str
        Columns of the table that are copied to the result.
    """

    def __init__(self, dialect: Dialect, columns: Sequence[Mapping[str, Any]], keep: Sequence[str]) -> None:
        self.dialect = dialect
        self.columns = columns
        taken = [*keep, *(column["name"] for column in columns)]
        self.prefix = "hb"
        while any(name.casefold().startswith(self.prefix) for name in taken):
            self.prefix += "_"
        self.steps: list[tuple[list[str], list[str]]] = []  # columns that may be passed on, columns computed
        self.n_columns = 0
        self.values = [f"{self.prefix}_{'c' if self.by_code(i) else 'v'}{i}" for i in range(len(columns))]
        kept = [dialect.quoted(name) for name in keep]
        self.live = [*kept, *self.values]  # columns that every step can pass on
        self.first = [f"{self._read(i)} AS {name}" for i, name in enumerate(self.values)]

    # ---- columns of the table ----

    def by_code(self, column: int) -> bool:
        """Whether a column is compared by codes: where it has very many categories, or they have an order."""
        described = self.columns[column]
        return described["kind"] == "nominal" and (len(described["categories"]) > NAMED or bool(described["ordered"]))

    def _read(self, column: int) -> str:
        """Return a column of the table as the model sees it: unknown categories and NaN are NULL."""
        described = self.columns[column]
        name = self.dialect.quoted(described["name"])
        if described["kind"] == "numeric":
            return self.dialect.as_double(name)
        given, texts = self.dialect.as_text(name), [self.dialect.text(each) for each in described["categories"]]
        first = {each: code for code, each in reversed(list(enumerate(texts)))}
        if self.by_code(column):
            whens = " ".join(f"WHEN {each} THEN {code}" for each, code in sorted(first.items(), key=lambda one: one[1]))
            return f"CASE {given} {whens} END"
        return f"CASE WHEN {given} IN ({', '.join(first)}) THEN {given} END" if first else f"NULLIF({given}, {given})"

    def is_in(self, column: int, codes: Sequence[int]) -> str:
        """Return the condition that a column has one of some codes."""
        value = self.values[column]
        if not codes:
            return "1 = 0"
        names = self.columns[column].get("categories", ())
        listed = [str(c) if self.by_code(column) else self.dialect.text(names[c]) for c in codes]
        return f"{value} = {listed[0]}" if len(listed) == 1 else f"{value} IN ({', '.join(listed)})"

    def looked_up(self, column: int, table: Sequence[float]) -> str:
        """Return the entry of a table for the code of a column; the last entry is for a missing value."""
        whens = []
        number = self.dialect.number
        for entry in dict.fromkeys(map(float, table[:-1])):
            codes = [code for code, each in enumerate(table[:-1]) if float(each) == entry]
            whens.append(f"WHEN {self.is_in(column, codes)} THEN {number(entry)}")
        return f"CASE {' '.join(whens)} ELSE {number(float(table[-1]))} END" if whens else number(float(table[-1]))

    # ---- steps ----

    def add(self, expressions: Sequence[str], keep: Sequence[str] = ()) -> list[str]:
        """Compute columns in a new step and return their names.

        Parameters
        ----------
        expressions : sequence of str
            What to compute.
        keep : sequence of str
            Columns of earlier steps that are still needed, besides those of the table.
        """
        names = []
        start = 0
        kept = list(keep)
        while start < len(expressions):
            part = expressions[start : start + PER_LAYER]
            given = [f"{self.prefix}_{self.n_columns + i}" for i in range(len(part))]
            self.n_columns += len(part)
            passed = list(dict.fromkeys([*self.live, *kept]))
            self.steps.append((passed, [f"{e} AS {n}" for e, n in zip(part, given, strict=True)]))
            kept += given
            names += given
            start += PER_LAYER
        return names

    def written(self, table: str, final: Sequence[tuple[str, str]], keep: Sequence[str]) -> str:
        """Return the whole query: the table's columns, the steps, and the columns of the result."""
        hint = "AS MATERIALIZED" if self.dialect.name in MATERIALIZED else "AS"
        shown = [*map(self.dialect.quoted, keep), *(f"{e} AS {self.dialect.quoted(n)}" for n, e in final)]
        parts = self._used(table, keep, [e for _, e in final])
        chain = ",\n".join(f"{self.prefix}_step{i} {hint} (\n  {part}\n)" for i, part in enumerate(parts))
        columns = ",\n  ".join(shown)
        return f"WITH {chain}\nSELECT\n  {columns}\nFROM {self.prefix}_step{len(parts) - 1}\n"

    def _used(self, table: str, keep: Sequence[str], final: Sequence[str]) -> list[str]:
        """Return the steps; from the last one back, each passes on only what is used after it."""
        named = re.compile(rf"\b{self.prefix}_\w+")
        used = set(map(self.dialect.quoted, keep)).union(*map(named.findall, final))
        parts = []
        for step, (passed, computed) in reversed(list(enumerate(self.steps))):
            needed = [name for name in passed if name in used]
            used = used.union(*map(named.findall, computed))
            parts.append(f"SELECT {', '.join([*needed, *computed])} FROM {self.prefix}_step{step}")  # noqa: S608
        read = [each for each, name in zip(self.first, self.values, strict=True) if name in used]
        kept = list(map(self.dialect.quoted, keep))
        parts.append(f"SELECT {', '.join([*kept, *read]) or 1} FROM {table}")  # noqa: S608 - names are quoted
        return parts[::-1]
