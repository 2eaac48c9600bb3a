"""Kinds of columns and targets of real tables, as a careful analyst expects them (expected.toml)."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from corpus.tables import write

from hornbeam.cli.reading import read_table, with_target
from hornbeam.data.dates import is_calendar
from hornbeam.data.examine import examine
from hornbeam.data.notices import are_texts
from hornbeam.data.schema import Nominal

if TYPE_CHECKING:
    from hornbeam.data.table import Table

EXPECTED: dict[str, dict[str, Any]] = tomllib.loads((Path(__file__).parent / "expected.toml").read_text("utf-8"))
DIFFERENCES = {
    ("boot/acme", "month"): "months such as 1/86 may as well be fractions; left out, with a note",
    ("Ecdat/Garch", "date"): "dates such as 800102 may as well be numbers; --dates date=%y%m%d reads them",
    ("car/Prestige", "census"): "101 different codes in 102 rows under a name that says nothing of codes",
    ("ggplot2/presidential", "name"): "9 different names in 10 rows: one occurs twice, so they are categories",
    ("psych/bfi.dictionary", "Item"): "sentences of 4 words in the mean; left out as identifiers, without --text",
}


def found(table: Table) -> dict[str, str]:
    """Give the kind of every column of the file."""
    kinds = {}
    for column, role, values in zip(table.schema.columns, table.schema.roles, table.columns, strict=True):
        if column.derived is not None:
            continue
        if not isinstance(column, Nominal) and is_calendar(column.format):
            kinds[column.name] = "date"
        elif role == "ignored":
            kinds[column.name] = "left_out" if are_texts(column, values) is None else "text"
        else:
            kinds[column.name] = "nominal" if isinstance(column, Nominal) else "number"
    return kinds


def wanted(name: str, columns: list[str]) -> dict[str, str]:
    listed = {c: kind for kind in ("nominal", "date", "left_out", "text") for c in EXPECTED[name].get(kind, ())}
    assert set(listed) <= set(columns)
    return {column: listed.get(column, "number") for column in columns}


def test_enough_tables_were_looked_at() -> None:
    assert len(EXPECTED) >= 60
    assert len(DIFFERENCES) <= 5


@pytest.mark.parametrize("name", EXPECTED)
def test_kinds_and_target(tmp_path: Path, name: str) -> None:
    table, _ = with_target(read_table(str(write(name, tmp_path))), None)
    target = table.schema.target_column
    predicts = "class" if isinstance(target, Nominal) else "number"
    assert (target.name, predicts) == (EXPECTED[name]["target"], EXPECTED[name]["predicts"])
    groups = [finding.column for finding in examine(table) if finding.kind == "groups"]
    assert groups == EXPECTED[name].get("groups", [])
    kinds = found(table)
    expected = wanted(name, list(kinds))
    different = {column for column, kind in kinds.items() if kind != expected[column]}
    known = {column for of, column in DIFFERENCES if of == name}
    assert different == known, {column: (kinds[column], expected[column]) for column in different ^ known}
