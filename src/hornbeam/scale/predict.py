"""Predictions for all rows of a source: every partition becomes a file, in the order of the partitions."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from hornbeam.data.as_table import unused
from hornbeam.data.errors import DataError
from hornbeam.data.replacing import replacing
from hornbeam.data.schema import Nominal, Schema
from hornbeam.data.table import Table
from hornbeam.scale.parts.typed import converted

if TYPE_CHECKING:
    from hornbeam.scale.parts import Key, Parts
    from hornbeam.scale.source import Source


class Predicted(NamedTuple):
    """How many rows were predicted, and how many of those with a known class correctly."""

    rows: int
    known: int
    right: int


def predict_parts(source: Source, model: Any, folder: str | Path, *, proba: bool = False) -> Predicted:
    """Write the rows of every partition with the model's predictions to a Parquet file.

    Parameters
    ----------
    source : Source
        Rows with the columns of the model, in any order; others are kept as they are.
    model : Model
        What predicts.
    folder : path
        Where the files are written: ``part-00000.parquet`` and so on. It is created if it does not exist.
    proba : bool
        Also write the probability of every class.

    Returns
    -------
    Predicted
    """
    place = Path(folder)
    place.mkdir(parents=True, exist_ok=True)
    if any(place.iterdir()):
        raise DataError(f"{place}: the folder is not empty; expected a new or an empty one")
    names = source.parts.names()
    needed = [model.schema.columns[position].name for position in model.schema.features]
    lacking = [name for name in needed if name not in names]
    if lacking:
        raise DataError(f"there is no column {lacking[0]!r}, which the model was learned from")
    keys = [(number, key) for number, key in enumerate(source.keys)]
    handle = source.executor.load(_itself, keys)
    found = source.executor.map_reduce(handle, _predict_one, (source.parts, model, str(place), proba), _add)
    return Predicted(*found)


def column_name(schema: Schema, taken: list[str]) -> str:
    """The name of the column of predictions: that of the target, or ``predicted_...`` if it is taken."""
    wanted = "cluster" if schema.target is None else schema.target_column.name
    return unused(wanted if wanted not in taken else f"predicted_{wanted}", taken)


def _itself(key: Any) -> Any:
    return key


def _add(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(here + there for here, there in zip(one, other, strict=True))


def _predict_one(numbered: tuple[int, Key], parts: Parts, model: Any, folder: str, proba: bool) -> tuple[int, ...]:
    number, key = numbered
    given = parts.read(key)
    chosen = [c for c in model.schema.columns if c.name in given.column_names]
    arrays = [converted(given.select([column.name]), column, parts, key) for column in chosen]
    table = Table(Schema(tuple(chosen)), arrays, copy=False)
    target = None if model.schema.target is None else model.schema.target_column
    name = column_name(model.schema, list(given.column_names))
    codes = model.predict_codes(table)
    right = known = 0
    if isinstance(target, Nominal):
        labels = pa.array(target.categories, pa.string())
        column = pa.DictionaryArray.from_arrays(pa.array(codes, pa.int32(), mask=codes < 0), labels)
        if target.name in table.schema.names:
            truth = table.column(target.name)
            known, right = int((truth >= 0).sum()), int(((truth >= 0) & (truth == codes)).sum())
    else:
        column = pa.array(np.asarray(codes, np.int32 if target is None else np.float64))
    result = given.replace_schema_metadata(None).append_column(name, column)
    if proba and isinstance(target, Nominal):
        for category, values in zip(target.categories, model.predict_proba(table).T, strict=True):
            result = result.append_column(unused(f"P({category})", result.column_names), pa.array(values))
    with replacing(Path(folder) / f"part-{number:05}.parquet") as file:
        pq.write_table(result, file)
    return table.n_rows, known, right
