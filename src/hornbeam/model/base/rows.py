"""Rows to be predicted, made ready for the kernels: a table's features, or a matrix of numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from hornbeam.core.trees.route import Rows
from hornbeam.data.schema import Numeric, Schema, SchemaError
from hornbeam.model.base.align import align

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from hornbeam.data.table import Table


def first_nominal(schema: Schema) -> str | None:
    """Name the first feature that is not a number; None where all are."""
    features = (schema.columns[position] for position in schema.features)
    return next((column.name for column in features if not isinstance(column, Numeric)), None)


def rows_of_table(schema: Schema, table: Table) -> Rows:
    """Give the features of a table, found by name, in the order of the schema."""
    aligned = align(schema, table)
    return Rows(columns=[aligned.columns[i] for i in schema.features], n_rows=aligned.n_rows)


def rows_of_matrix(schema: Schema, matrix: ArrayLike, nominal: str | None) -> Rows:
    """Give the rows of a matrix, read where they lie where they are float32 or float64.

    Parameters
    ----------
    schema : Schema
        The schema of the model.
    matrix : array
        One matrix column a feature, in the schema's order.
    nominal : str, optional
        What `first_nominal` says of the schema: a matrix cannot give such a column.
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
