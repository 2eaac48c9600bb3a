"""What exported scripts answer, asked of one Node.js process that stays while a file of tests runs."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np
import pytest

from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from hornbeam.data.schema import Column

UNSEEN = "a category that nobody has seen"


class Node:
    """A running Node.js process."""

    def __enter__(self) -> Self:
        program = shutil.which("node")
        if program is None:
            pytest.skip("Node.js is not installed (no program `node` on the path): exported scripts are not run")
        driver = Path(__file__).with_name("node_answers.js")
        self.process = subprocess.Popen(
            [program, str(driver)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
        )
        return self

    def __exit__(self, *reason: object) -> None:
        self.process.communicate()

    def ask(self, script: str, rows: list[dict[str, Any]], name: str = "hornbeam") -> dict[str, Any]:
        """The columns and the target that a script tells of, and its answers for rows; or an error."""
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self.process.stdin.write(json.dumps({"script": script, "name": name, "rows": rows}) + "\n")
        self.process.stdin.flush()
        told: dict[str, Any] = json.loads(self.process.stdout.readline())
        return told


def rows_of(table: Table) -> list[dict[str, Any]]:
    """The features of every row by name: numbers, categories, None where a value is missing."""
    columns = [(table.schema.columns[place], table.columns[place].tolist()) for place in table.schema.features]
    return [{column.name: _value(column, values[row]) for column, values in columns} for row in range(table.n_rows)]


def _value(column: Column, value: Any) -> Any:
    if isinstance(column, Nominal):
        return column.categories[value] if value >= 0 else None
    return None if math.isnan(value) else value


def other_rows(table: Table, n_rows: int, seed: int) -> Table:
    """Rows put together from values of a table's columns and numbers near them; some missing, some never seen."""
    random = np.random.default_rng(seed)
    columns: list[Column] = []
    arrays: list[Any] = []
    for place in table.schema.features:
        column, values = table.schema.columns[place], table.columns[place]
        drawn = values[random.integers(0, len(values), n_rows)]
        missing = random.random(n_rows) < random.choice([0.0, 0.1, 0.4])
        if isinstance(column, Nominal):
            columns.append(Nominal(column.name, (*column.categories, UNSEEN), column.ordered))
            drawn = np.where(random.random(n_rows) < 0.05, len(column.categories), drawn)
            arrays.append(np.where(missing, -1, drawn).astype(np.int32))
        else:
            columns.append(column)
            moved = drawn + random.normal(size=n_rows) * (np.nanstd(values) if np.isfinite(values).any() else 1.0)
            drawn = np.where(random.random(n_rows) < 0.5, drawn, moved)
            arrays.append(np.where(missing, np.nan, drawn))
    return Table(Schema(tuple(columns), name=table.schema.name), arrays)
