"""Bring a table to be predicted into the shape of the table that was learned from.

Columns are found by name, whatever their order, and categories by name, whatever their codes. A model thus never
looks at the wrong column in silence.
"""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.in_words import plural
from hornbeam.data.schema import Nominal, Numeric, Schema, SchemaError, is_missing
from hornbeam.data.table import Table
from hornbeam.model.base.errors import UnseenCategoryWarning

if TYPE_CHECKING:
    from numpy.typing import NDArray


def align(schema: Schema, table: Table) -> Table:
    """Give the rows of a table the columns and codes of a schema.

    Parameters
    ----------
    schema : Schema
        The schema of the model.
    table : Table
        The rows to be predicted. Every feature of the model must be there; other columns, the target among them,
        may be absent and are then missing throughout. A column without any value may be of either kind.

    Returns
    -------
    Table
        The same rows under `schema`. Categories that `schema` does not know are missing, and an
        `UnseenCategoryWarning` counts them.

    Raises
    ------
    SchemaError
        Where a feature is absent, or is a number here and a category there.
    """
    if table.schema is schema or table.schema.columns == schema.columns:
        return table
    columns: list[NDArray[Any]] = []
    unseen: list[str] = []
    for position, wanted in enumerate(schema.columns):
        is_feature = schema.roles[position] == "feature"
        if wanted.name not in table.schema.names:
            if is_feature:
                found = ", ".join(map(repr, table.schema.names)) or "none"
                msg = f"the model needs the column {wanted.name!r}, which the table does not have; its columns: {found}"
                raise SchemaError(msg)
            columns.append(_nothing(wanted, table.n_rows))
            continue
        place = table.schema.position(wanted.name)
        given, values = table.schema.columns[place], table.columns[place]
        if isinstance(wanted, Numeric) and isinstance(given, Numeric):
            columns.append(values)
        elif isinstance(wanted, Nominal) and isinstance(given, Nominal):
            codes = recode(given, wanted, values)
            lost = (codes < 0) & (values >= 0)
            if is_feature and lost.any():
                example = given.categories[int(values[int(np.argmax(lost))])]
                count = int(lost.sum())
                unseen.append(f"column {wanted.name!r}, {plural(count, 'row')} (such as {example!r})")
            columns.append(codes)
        elif not is_feature or _is_empty(values):
            columns.append(_nothing(wanted, table.n_rows))
        else:
            kinds = {True: "numeric", False: "nominal"}
            msg = (
                f"column {wanted.name!r} is {kinds[isinstance(given, Numeric)]} in the table, but "
                f"{kinds[isinstance(wanted, Numeric)]} in the model; read it as {kinds[isinstance(wanted, Numeric)]}"
            )
            raise SchemaError(msg)
    if unseen:
        text = "categories not seen in training are read as missing: " + "; ".join(unseen)
        warnings.warn(text, UnseenCategoryWarning, stacklevel=3)
    return Table(schema, columns, table.notes, copy=False)


def recode(given: Nominal, wanted: Nominal, codes: NDArray[np.int32]) -> NDArray[np.int32]:
    """Translate the codes of one nominal column to those of another by name; -1 where there is no such category."""
    if given.categories == wanted.categories:
        return codes
    code_of = {category: code for code, category in reversed(list(enumerate(wanted.categories)))}
    # One entry more than there are categories: code -1, missing, reads the last.
    translation = np.array([*(code_of.get(category, -1) for category in given.categories), -1], np.int32)
    return translation[codes]


def _nothing(column: Numeric | Nominal, n_rows: int) -> NDArray[Any]:
    return np.full(n_rows, np.nan) if isinstance(column, Numeric) else np.full(n_rows, -1, np.int32)


def _is_empty(values: NDArray[Any]) -> bool:
    return bool(is_missing(values).all())
