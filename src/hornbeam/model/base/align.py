"""Align a table to be predicted with the schema of the training table.

Columns are found by name, whatever their order, and categories by name, whatever their codes. So a model never reads a
wrong column unnoticed.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.route import Rows
from hornbeam.data.dates import DIGITS
from hornbeam.data.errors import warn
from hornbeam.data.in_words import plural
from hornbeam.data.schema import Column, Nominal, Numeric, Schema, SchemaError, is_missing
from hornbeam.data.table import Table
from hornbeam.model.base.plain import UnseenCategoryWarning

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray

    from hornbeam.core.base.arrays import AnyArray, Ints32


def align(schema: Schema, table: Table) -> Table:
    """Return the rows of a table with the columns and codes of a schema.

    Parameters
    ----------
    schema : Schema
        The schema of the model.
    table : Table
        The rows to be predicted. Every feature of the model must be there, or the column that it is computed from;
        other columns, the target among them, may be absent and are then missing throughout. A column without any
        value may be of either kind.

    Returns
    -------
    Table
        The same rows under `schema`. Categories that `schema` does not know are missing, and an
        `UnseenCategoryWarning` counts them.

    Raises
    ------
    SchemaError
        If a feature is absent, or is a number in one and categories in the other.
    """
    if table.schema is schema or table.schema.columns == schema.columns:
        return table
    columns: list[AnyArray] = []
    unseen: list[str] = []
    for position, wanted in enumerate(schema.columns):
        is_feature = schema.roles[position] == "feature"
        if wanted.name not in table.schema.names:
            columns.append(_absent(schema, wanted, table) if is_feature else _nothing(wanted, table.n_rows))
            continue
        place = table.schema.position(wanted.name)
        given, values = table.schema.columns[place], table.columns[place]
        if isinstance(wanted, Numeric) and isinstance(given, Numeric):
            columns.append(_dates_of_digits(values) if _is_of_digits(wanted, given) else values)
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
        elif isinstance(wanted, Numeric) and isinstance(given, Nominal) and _is_written(wanted):
            columns.append(_read_again(wanted, given, values))
        else:
            kinds = {True: "numeric", False: "nominal"}
            msg = (
                f"column {wanted.name!r} is {kinds[isinstance(given, Numeric)]} in the table, but "
                f"{kinds[isinstance(wanted, Numeric)]} in the model; read it as {kinds[isinstance(wanted, Numeric)]}"
            )
            raise SchemaError(msg)
    if unseen:
        text = "categories not seen in training are read as missing: " + "; ".join(unseen)
        warn(text, UnseenCategoryWarning)
    return Table(schema, columns, table.notes, copy=False)


def recode(given: Nominal, wanted: Nominal, codes: Ints32) -> Ints32:
    """Translate the codes of one nominal column to those of another by name; -1 if there is no such category."""
    if given.categories == wanted.categories:
        return codes
    code_of = {category: code for code, category in reversed(list(enumerate(wanted.categories)))}
    # One entry more than there are categories: code -1 (missing) indexes the last.
    translation = np.array([*(code_of.get(category, -1) for category in given.categories), -1], np.int32)
    return translation[codes]


def _absent(schema: Schema, wanted: Numeric | Nominal, table: Table) -> AnyArray:
    """Compute a feature that the table does not have from another column, or raise an error."""
    if wanted.derived is not None:
        from hornbeam.data.columns.derived import compute  # noqa: PLC0415 (few models need it)

        return compute(wanted, _with_source(schema, wanted.derived.source, table))
    from hornbeam._names import suggestion  # noqa: PLC0415 (only for messages)

    found = suggestion(wanted.name, table.schema.names, "its columns are")
    msg = f"the model needs the column {wanted.name!r}, which the table does not have; {found}"
    raise SchemaError(msg)


def _with_source(schema: Schema, name: str, table: Table) -> Table:
    """Return the table with a source column of computed features read as in training, such as dates that are texts."""
    if name not in schema.names or name not in table.schema.names:
        return table
    wanted, given = (one.columns[one.position(name)] for one in (schema, table.schema))
    if _is_of_digits(wanted, given):
        return Table(Schema((wanted,)), [_dates_of_digits(table.column(name))], copy=False)
    if not isinstance(wanted, Numeric) or not isinstance(given, Nominal) or not _is_written(wanted):
        return table
    return Table(Schema((wanted,)), [_read_again(wanted, given, table.column(name))], copy=False)


def _is_written(column: Numeric) -> bool:
    """Whether a column was read from texts in a known way: dates, or numbers such as $1,234."""
    return column.format is not None or column.notation is not None


def _is_of_digits(wanted: Column, given: Column) -> bool:
    """Whether a model reads numbers such as 20231231 as dates, and these are plain numbers."""
    if not isinstance(wanted, Numeric) or not isinstance(given, Numeric):
        return False
    return wanted.format == DIGITS and given.format is None


def _dates_of_digits(values: AnyArray) -> AnyArray:
    from hornbeam.data.columns.written_dates import digits_as_dates  # noqa: PLC0415 (few models need it)

    seconds = digits_as_dates(values)
    return values if seconds is None else seconds


def _read_again(wanted: Numeric, given: Nominal, values: AnyArray) -> AnyArray:
    """Read texts as in training."""
    from hornbeam.data.infer import as_date, as_numeric  # noqa: PLC0415 (few models need it)

    if wanted.format is not None:
        return as_date(given, values, wanted.format)[1]
    return as_numeric(given, values, notation=wanted.notation)[1]


def _nothing(column: Numeric | Nominal, n_rows: int) -> AnyArray:
    return np.full(n_rows, np.nan) if isinstance(column, Numeric) else np.full(n_rows, -1, np.int32)


def _is_empty(values: AnyArray) -> bool:
    return bool(is_missing(values).all())


def first_nominal(schema: Schema) -> str | None:
    """Return the name of the first feature that is not a number; None if all are."""
    features = (schema.columns[position] for position in schema.features)
    return next((column.name for column in features if not isinstance(column, Numeric)), None)


def rows_for(schema: Schema, rows: Table | NDArray[Any], nominal: str | None) -> Rows:
    """Return the rows of a table or of a matrix; `nominal` is for the matrix."""
    return rows_of_table(schema, rows) if isinstance(rows, Table) else rows_of_matrix(schema, rows, nominal)


def rows_of_table(schema: Schema, table: Table) -> Rows:
    """Return the features of a table, found by name, in the order of the schema."""
    aligned = align(schema, table)
    return Rows(columns=[aligned.columns[i] for i in schema.features], n_rows=aligned.n_rows)


def rows_of_matrix(schema: Schema, matrix: ArrayLike, nominal: str | None) -> Rows:
    """Return the rows of a matrix; float32 and float64 are not copied.

    Parameters
    ----------
    schema : Schema
        The schema of the model.
    matrix : array
        One matrix column per feature, in the schema's order.
    nominal : str, optional
        The result of `first_nominal`: a matrix cannot hold such a column.
    """
    if nominal is not None:
        msg = f"column {nominal!r} is nominal: a matrix of numbers cannot have it; predict from a table"
        raise SchemaError(msg)
    array = np.asarray(matrix)
    if array.dtype not in (np.float64, np.float32) or not (array.dtype.isnative and array.flags.aligned):
        array = np.ascontiguousarray(array, np.float64)
    if array.ndim != 2 or array.shape[1] != len(schema.features):  # noqa: PLR2004 - a matrix has two
        msg = f"an array of shape {array.shape} was given; expected rows x {len(schema.features)} features"
        raise ValueError(msg)
    return Rows(matrix=array)
