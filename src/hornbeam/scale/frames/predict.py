"""Predictions for the rows of a Spark or Dask DataFrame: a frame of the same kind with more columns.

The model goes to the workers; rows stay where they are, and nothing is computed until the engine needs it.
"""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

import pyarrow as pa

from hornbeam.data.as_table import label_text, unused
from hornbeam.data.errors import DataError
from hornbeam.data.schema import Schema
from hornbeam.data.table import Table
from hornbeam.learn.base.lazy import engine_of
from hornbeam.scale.frames.held import FrameParts
from hornbeam.scale.parts.typed import converted
from hornbeam.scale.predict import column_name

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from hornbeam.core.base.arrays import AnyArray

KINDS = {"i": "bigint", "u": "bigint", "f": "double", "b": "boolean"}  # of Spark, by the kind of an array


def with_predictions(estimator: Any, frame: Any) -> Any:
    """The frame with a column of predictions: its name is that of the target, or ``predicted_...`` if that is taken."""
    column = column_name(estimator.schema_, list(frame.columns))
    no_target = estimator.schema_.target is None
    kind = estimator.classes_.dtype.kind if hasattr(estimator, "classes_") else "i" if no_target else "f"
    return _extended(estimator, frame, _predicted, {column: KINDS.get(kind, "string")})


def with_probabilities(estimator: Any, frame: Any) -> Any:
    """The frame with a column for the probability of every class, such as ``P(yes)``."""
    names = list(frame.columns)
    columns: dict[str, str] = {}
    for label in map(label_text, estimator.classes_.tolist()):
        columns[unused(f"P({label})", [*names, *columns])] = "double"
    return _extended(estimator, frame, _probabilities, columns)


def _predicted(estimator: Any, table: Table) -> list[AnyArray]:
    return [estimator.predict(table)]


def _probabilities(estimator: Any, table: Table) -> list[AnyArray]:
    return list(estimator.predict_proba(table).T)


def _extended(estimator: Any, frame: Any, values: Callable[..., Any], columns: dict[str, str]) -> Any:
    schema = estimator.schema_
    needed = [schema.columns[position].name for position in schema.features]
    lacking = [name for name in needed if name not in list(frame.columns)]
    if lacking:
        raise DataError(f"there is no column {lacking[0]!r}, which the model was learned from")
    if engine_of(frame) == "spark":
        from pyspark.sql.types import StructType

        wanted = StructType(list(frame.schema.fields))
        for name, kind in columns.items():
            wanted = wanted.add(name, kind)
        return frame.mapInArrow(partial(_spark_batches, estimator, values, tuple(columns)), wanted)
    kinds = {"bigint": "int64", "double": "float64", "boolean": "bool"}
    text = str(frame._meta.columns.dtype) if str(frame._meta.columns.dtype) == "str" else "object"
    added = {name: kinds.get(kind, text) for name, kind in columns.items()}
    meta = frame._meta.assign(**{name: _empty(kind) for name, kind in added.items()})
    return frame.map_partitions(_pandas_rows, estimator, values, added, meta=meta)


def _empty(kind: str) -> Any:
    import pandas as pd

    return pd.Series([], dtype=kind)


def _table(estimator: Any, rows: pa.Table) -> Table:
    """The features that the model needs, by its schema."""
    schema = estimator.schema_
    features = [schema.columns[position] for position in schema.features]
    parts = FrameParts("frame", tuple(rows.column_names), (0,))
    arrays = [converted(rows.select([column.name]), column, parts, ("the frame", 0)) for column in features]
    return Table(Schema(tuple(features)), arrays, copy=False)


def _spark_batches(
    estimator: Any, values: Callable[..., Any], names: tuple[str, ...], batches: Iterator[pa.RecordBatch]
) -> Iterator[pa.RecordBatch]:
    for batch in batches:
        if not batch.num_rows:
            continue
        found = values(estimator, _table(estimator, pa.Table.from_batches([batch])))
        arrays = [*batch.columns, *(pa.array(one.tolist()) for one in found)]
        yield pa.RecordBatch.from_arrays(arrays, [*batch.schema.names, *names])


def _pandas_rows(rows: Any, estimator: Any, values: Callable[..., Any], columns: dict[str, str]) -> Any:
    from hornbeam.scale.frames.dask import as_arrow

    if not len(rows):
        return rows.assign(**{name: _empty(kind) for name, kind in columns.items()})
    found = values(estimator, _table(estimator, as_arrow(rows)))
    import pandas as pd

    added = {
        name: pd.Series(one, index=rows.index, dtype=kind)
        for (name, kind), one in zip(columns.items(), found, strict=True)
    }
    return rows.assign(**added)
