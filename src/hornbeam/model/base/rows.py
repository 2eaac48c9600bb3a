"""Rows to predict, made ready for the kernels: a table's features, or a matrix of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.core.trees.route import Rows
from hornbeam.data.schema import Numeric, Schema, SchemaError
from hornbeam.data.table import Table
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from numpy.typing import ArrayLike, NDArray


def is_frame(rows: Any) -> bool:  # noqa: ANN401 - rows of any sort
    """Whether rows are a frame: of pandas, polars, pyarrow or another library."""
    return hasattr(rows, "__arrow_c_stream__") or hasattr(rows, "__dataframe__") or hasattr(rows, "iloc")


def first_nominal(schema: Schema) -> str | None:
    """Return the name of the first feature that is not a number; None where all are."""
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
        msg = f"column {nominal!r} is nominal: a matrix of numbers cannot give it; predict from a table"
        raise SchemaError(msg)
    array = np.asarray(matrix)
    if array.dtype not in (np.float64, np.float32) or not (array.dtype.isnative and array.flags.aligned):
        array = np.ascontiguousarray(array, np.float64)
    if array.ndim != 2 or array.shape[1] != len(schema.features):  # noqa: PLR2004 - a matrix has two
        msg = f"an array of shape {array.shape} was given; expected rows x {len(schema.features)} features"
        raise ValueError(msg)
    return Rows(matrix=array)
