"""The plain data that the naive implementations work on: lists of values, nothing else.

A numeric value is a float, a nominal one a whole number (the position of its category), and None is a missing value.
The small ARFF reader here is independent of the package's own, so that each can be held against the other.
"""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from hornbeam.data.table import Table


@dataclass
class Column:
    """A named list of values; `categories` is None for a numeric column."""

    name: str
    values: list[float | None]
    categories: list[str] | None = None

    @property
    def numeric(self) -> bool:
        """Whether the values are numbers, not categories."""
        return self.categories is None


@dataclass
class Rows:
    """Columns to learn from, the nominal column to predict, and a weight for each row."""

    columns: list[Column]
    target: Column
    weights: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        if not self.weights:
            self.weights = [1.0] * len(self.target.values)

    def __len__(self) -> int:
        return len(self.target.values)

    @property
    def classes(self) -> list[str]:
        """Names of the classes, also of those that do not occur."""
        assert self.target.categories is not None
        return self.target.categories

    def of_class(self, row: int) -> int:
        """Code of the row's class."""
        value = self.target.values[row]
        assert value is not None
        return int(value)

    def take(self, rows: Sequence[int]) -> Rows:
        """Some of the rows, in the order given."""
        return Rows(
            [Column(c.name, [c.values[row] for row in rows], c.categories) for c in self.columns],
            Column(self.target.name, [self.target.values[row] for row in rows], self.target.categories),
            [self.weights[row] for row in rows],
        )


def from_table(table: Table) -> Rows:
    """Copy a table, value by value."""
    columns: list[Column] = []
    for kind, array in zip(table.schema.columns, table.columns, strict=True):
        categories = list(kind.categories) if hasattr(kind, "categories") else None
        missing = [value < 0 if categories is not None else math.isnan(value) for value in array.tolist()]
        values = [None if gone else value for value, gone in zip(array.tolist(), missing, strict=True)]
        columns.append(Column(kind.name, values, categories))
    assert table.schema.target is not None
    weights = [] if table.weights is None else table.weights.tolist()
    return Rows([columns[i] for i in table.schema.features], columns[table.schema.target], weights)


TOKEN = re.compile(r"""\s*(?:'((?:[^'\\]|\\.)*)'|"((?:[^"\\]|\\.)*)"|([^,\s'"][^,]*?))\s*(?:,|$)""")


def read_arff(path: Path) -> Rows:
    """Read a dense ARFF file whose last column is the nominal target."""
    columns: list[Column] = []
    in_data = False
    for line in path.read_text(encoding="utf-8").splitlines():
        text = line.strip()
        if not text or text.startswith("%"):
            continue
        if not in_data:
            word, _, rest = text.partition(" ") if " " in text.split("\t")[0] else text.partition("\t")
            if word.lower() == "@data":
                in_data = True
            elif word.lower() == "@attribute":
                columns.append(_declared(rest.strip()))
            continue
        for column, (value, quoted) in zip(columns, _fields(text), strict=True):
            if value == "?" and not quoted:
                column.values.append(None)
            elif column.categories is None:
                column.values.append(float(value))
            else:
                column.values.append(column.categories.index(value))
    return Rows(columns[:-1], columns[-1])


def _declared(text: str) -> Column:
    """Read what follows the word @attribute."""
    match = re.match(r"""'((?:[^'\\]|\\.)*)'\s*|"((?:[^"\\]|\\.)*)"\s*|([^\s{]+)\s*""", text)
    assert match is not None, text
    name = next(group for group in match.groups() if group is not None)
    kind = text[match.end() :].strip()
    if kind.startswith("{"):
        return Column(_unescaped(name), [], [value for value, _ in _fields(kind[1 : kind.rindex("}")])])
    assert kind.split()[0].lower() in {"numeric", "real", "integer"}, text
    return Column(_unescaped(name), [])


def _fields(text: str) -> list[tuple[str, bool]]:
    """Split at commas outside quotes: each field with whether it was quoted."""
    fields: list[tuple[str, bool]] = []
    position = 0
    while position < len(text):
        match = TOKEN.match(text, position)
        if match is None:
            assert not text[position:].strip(), text
            break
        single, double, plain = match.groups()
        quoted = plain is None
        fields.append((_unescaped(single if single is not None else double) if quoted else plain, quoted))
        position = match.end()
    return fields


def _unescaped(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)
