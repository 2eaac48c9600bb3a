"""Stored answers of the second reference program: printed trees, tables of complexity, importance of columns."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from oracle import evidence

from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from pathlib import Path

SCHEMES = ("rpart", "rpart-information", "rpart-full")


@dataclass(frozen=True)
class RpartAnswer:
    """What the program said of one set."""

    scheme: str
    data: str
    arff: Path
    text: str
    cp_table: list[list[float]]  # cp, splits, relative error, and two cross-validated columns that are not compared
    importance: list[str]  # of the columns that have any, falling, as printed; their names are not compared


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every small set."""
    return evidence.small_pairs(SCHEMES)


def large_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set."""
    return evidence.large_pairs(SCHEMES)


def rpart_answer(scheme: str, data: str) -> RpartAnswer:
    """Read one answer."""
    stored = evidence.answers(scheme, data)
    importance = _numbers(stored["importance"] or "NULL")
    return RpartAnswer(scheme, data, evidence.arff(data), stored["model"], stored["cptable"]["rows"], importance)


def _numbers(page: str) -> list[str]:
    """Numbers of a printed vector with names: every other line."""
    if page == "NULL":
        return []
    return [word for line in page.split("\n")[1::2] for word in line.split()]


def table_of(path: Path) -> Table:
    """Read a set as it was given to the program: blanks in names and categories were written as underscores."""
    table = read(path, target=-1)
    columns = tuple(_underscored(column) for column in table.schema.columns)
    return Table(Schema(columns, table.schema.roles, table.schema.name), table.columns)


def _underscored(column: Numeric | Nominal) -> Numeric | Nominal:
    name = column.name.replace(" ", "_")
    if isinstance(column, Nominal):
        return replace(column, name=name, categories=tuple(each.replace(" ", "_") for each in column.categories))
    return replace(column, name=name)
