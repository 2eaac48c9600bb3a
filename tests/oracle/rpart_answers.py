"""Stored answers of the second reference program: printed trees, tables of complexity, importance of columns."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from locate import has_shared, shared_root

from hornbeam.data.read import read
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

HERE = Path(__file__).resolve().parent
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


@cache
def _stored() -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads((HERE / "rpart_small.json").read_text(encoding="utf-8"))
    return found


def small_pairs() -> list[tuple[str, str]]:
    """Every scheme with every set whose answer is part of the project."""
    return [(scheme, data) for scheme in SCHEMES for data in sorted(_stored()[scheme])]


def shared_pairs() -> list[tuple[str, str]]:
    """Every scheme with every other set; none where the shared folder is absent."""
    if not has_shared("oracle"):
        return []
    folders = [(scheme, shared_root() / "oracle" / scheme) for scheme in SCHEMES]
    found = [(scheme, path.stem) for scheme, folder in folders for path in sorted(folder.glob("*.json"))]
    return [(scheme, data) for scheme, data in found if data not in _stored()[scheme]]


def rpart_answer(scheme: str, data: str) -> RpartAnswer:
    """Read one answer."""
    if data in _stored()[scheme]:
        stored, arff = _stored()[scheme][data], HERE / "data" / f"{data}.arff"
    else:
        path = shared_root() / "oracle" / scheme / f"{data}.json"
        stored, arff = json.loads(path.read_text(encoding="utf-8")), shared_root() / "data" / f"{data}.arff"
    return RpartAnswer(
        scheme, data, arff, stored["model"], stored["cptable"]["rows"], _numbers(stored["importance"] or "NULL")
    )


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
