"""Rows of a race as hornbeam's table."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.schema import Column, Nominal, Numeric, Schema
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from benchmarks.data import Rows


def table_of(rows: Rows) -> Table:
    """Numbers, categories and the target, which is named class whatever it is."""
    columns: list[Column] = [Numeric(f"x{j}") for j in range(rows.numbers.shape[1])]
    columns += [Nominal(f"c{j}", tuple(f"v{code}" for code in range(n))) for j, n in enumerate(rows.n_categories)]
    classes = tuple(f"k{code}" for code in range(rows.n_classes))
    columns += [Nominal("class", classes) if classes else Numeric("class")]
    return Table(Schema(tuple(columns)), [*rows.numbers.T, *rows.codes.T, rows.target]).with_target("class")
