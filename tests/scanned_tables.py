"""Tables written as several files, and trees compared."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow.parquet as pq

from hornbeam.data.arrow import to_arrow
from hornbeam.data.schema import Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from pathlib import Path

    from hornbeam.model.trees.tree import Tree


def write_parts(table: Table, folder: Path, count: int, seed: int | None = None) -> str:
    """Write the rows in several files, shuffled if there is a seed; give a pattern for them."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = np.arange(table.n_rows) if seed is None else np.random.default_rng(seed).permutation(table.n_rows)
    for number, part in enumerate(np.array_split(rows, count)):
        pq.write_table(to_arrow(table.take(part)), folder / f"part-{number:03}.parquet")
    return str(folder / "*.parquet")


def write_database(table: Table, path: Path) -> str:
    """Write the rows to a table of a DuckDB file, categories as types of their own; give the path."""
    import duckdb

    with duckdb.connect(str(path)) as connection:
        connection.register("given", to_arrow(table))
        columns = []
        for column in table.schema.columns:
            name = '"' + column.name.replace('"', '""') + '"'
            if isinstance(column, Nominal):
                listed = ", ".join("'" + text.replace("'", "''") + "'" for text in column.categories)
                columns.append(f"CAST({name} AS ENUM({listed})) AS {name}")
            else:
                columns.append(name)
        connection.execute(f"CREATE TABLE made AS SELECT {', '.join(columns)} FROM given")  # noqa: S608 - quoted
    return str(path)


def made_table(rows: int, seed: int = 0, *, missing: float = 0.0, values: int | None = 40) -> Table:
    """Rows of numbers and categories with three classes that depend on them."""
    random = np.random.default_rng(seed)
    numbers = [random.normal(size=rows) for _ in range(4)]
    if values is not None:
        numbers = [np.round(column * values / 8) for column in numbers]
    color = random.integers(0, 5, rows).astype(np.int32)
    noise = random.normal(size=rows)
    score = numbers[0] - numbers[1] * (color > 2) + noise * np.std(numbers[0])
    classes = np.digitize(score, np.quantile(score, [0.5, 0.8])).astype(np.int32)
    for column in numbers:
        column[random.random(rows) < missing] = np.nan
    color[random.random(rows) < missing] = -1
    columns = (*(Numeric(f"x{i}") for i in range(4)), Nominal("color", tuple("abcde")), Nominal("y", ("p", "q", "r")))
    return Table(Schema(columns, ("feature",) * 5 + ("target",)), [*numbers, color, classes])


def differences(one: Tree, other: Tree, tolerance: float = 0.0) -> dict[str, Any]:
    """The arrays in which two trees differ by more than a tolerance."""
    found: dict[str, Any] = {}
    for left, right in ((one.arrays(), other.arrays()), (one.splits.arrays(), other.splits.arrays())):
        assert left.keys() == right.keys()
        for name, array in left.items():
            if array.shape != right[name].shape:
                found[name] = (array.shape, right[name].shape)
            elif not np.allclose(array, right[name], rtol=tolerance, atol=tolerance, equal_nan=True):
                found[name] = np.abs(array.astype(float) - right[name]).max()
    return found
