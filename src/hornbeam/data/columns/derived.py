"""Columns that are computed from another column: the words of a text, the parts of a date.

The schema of a model records how each such column is computed, so that new rows need only the original column.
To support another kind of computed column, add a function to `FUNCTIONS`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from hornbeam.data.columns.date_parts import date_part
from hornbeam.data.columns.words import count_word
from hornbeam.data.schema import Column, Nominal, Numeric, Schema, SchemaError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.schema import Role
    from hornbeam.data.table import Table

# By the name in `Derivation.how`: the column to be computed, the original column and its values -> new values.
FUNCTIONS: dict[str, Callable[[Column, Column, AnyArray], AnyArray]] = {
    "word": count_word,
    "date part": date_part,
}
# The kind that the original column must have.
KINDS: dict[str, type[Numeric | Nominal]] = {"word": Nominal, "date part": Numeric}


def compute(wanted: Column, table: Table) -> AnyArray:
    """Compute the values of a derived column from the table's original column."""
    how = wanted.derived
    assert how is not None
    if how.source not in table.schema.names:
        msg = f"the model needs the column {how.source!r} (for {wanted.name!r}), which the table does not have"
        raise SchemaError(msg)
    position = table.schema.position(how.source)
    source, values = table.schema.columns[position], table.columns[position]
    if not isinstance(source, KINDS[how.how]):
        words = {Nominal: "texts", Numeric: "dates"}
        msg = f"column {how.source!r} is not read as {words[KINDS[how.how]]}, which {wanted.name!r} is computed from"
        raise SchemaError(msg)
    return FUNCTIONS[how.how](wanted, source, values)


def with_derived(table: Table, columns: Iterable[Column], *, source: str, role: Role = "ignored") -> Table:
    """Add derived columns after their original column, which gets the role given.

    Parameters
    ----------
    table : Table
        The table with the original column.
    columns : iterable of Column
        The columns to add, each with its derivation.
    source : str
        The original column.
    role : str
        Its role from now on.

    Returns
    -------
    Table
    """
    place = table.schema.position(source) + 1
    new: Sequence[Column] = list(columns)
    schema = table.schema.assign({source: role})
    every = (*schema.columns[:place], *new, *schema.columns[place:])
    features: list[Role] = ["feature"] * len(new)
    roles = (*schema.roles[:place], *features, *schema.roles[place:])
    arrays = [*table.columns[:place], *(compute(column, table) for column in new), *table.columns[place:]]
    return table.replaced(Schema(every, roles, schema.name), arrays, table.notes)


def originals(schema: Schema) -> dict[str, type[Numeric | Nominal]]:
    """Return the columns that features of a schema are computed from, and the kind that each must be read as."""
    return {
        column.derived.source: KINDS[column.derived.how]
        for column, role in zip(schema.columns, schema.roles, strict=True)
        if column.derived is not None and role == "feature"
    }
