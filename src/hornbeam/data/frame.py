"""Data frames and columnar files become a Table, through Arrow.

pandas, polars, pyarrow, DuckDB and others all offer the Arrow C stream; none of them is imported here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa

from hornbeam.data.array import from_array
from hornbeam.data.arrow import from_arrow
from hornbeam.data.errors import DataError, shorten
from hornbeam.data.schema import Numeric

if TYPE_CHECKING:
    from collections.abc import Collection

    from hornbeam.data.table import Table


def from_frame(source: Any, *, name: str = "table", ignore: Collection[str] = ()) -> Table:  # noqa: ANN401 (any frame)
    """Convert anything with the Arrow C stream, or a mapping of columns, to a Table.

    Parameters
    ----------
    source : object
        A pandas or polars DataFrame, a pyarrow Table, RecordBatch or RecordBatchReader, a DuckDB relation, or a
        mapping from names to columns.
    name : str
        The table's name.
    ignore : collection of str
        Columns that will not be used; they are left out if a table cannot hold their type.

    Returns
    -------
    Table
    """
    kind = type(source)
    if kind.__module__.partition(".")[0] == "pandas" and kind.__name__ == "DataFrame":
        return from_arrow(_from_pandas(source), name=name, ignore=ignore)
    try:
        if isinstance(source, pa.Table):
            table = source
        elif isinstance(source, pa.RecordBatch):
            table = pa.Table.from_batches([source])
        elif isinstance(source, pa.RecordBatchReader):
            table = source.read_all()
        elif isinstance(source, dict):
            table = pa.table({str(key): _plain(value) for key, value in source.items()})
        elif hasattr(source, "__arrow_c_stream__"):
            table = pa.table(source)
        elif hasattr(source, "__array__"):
            return from_array(np.asarray(source), name=name)
        elif isinstance(source, list | tuple):
            return from_array(_rows(source), name=name)
        else:
            msg = (
                f"found an object of type {kind.__module__}.{kind.__name__}; expected a path, an example's name, "
                "a data frame or a NumPy array"
            )
            raise DataError(msg)
        table.validate(full=True)  # offsets and codes from outside may point anywhere
    except (pa.ArrowException, TypeError) as error:
        msg = f"the {kind.__name__} cannot be read as a table: {shorten(str(error), 200)}"
        raise DataError(msg) from None
    return from_arrow(table, name=name, ignore=ignore)


def from_arrow_bytes(data: bytes, *, name: str, ignore: Collection[str] = ()) -> Table:
    """Read the content of a Parquet, Feather or Arrow IPC file."""
    buffer = pa.BufferReader(data)
    try:
        if data[:4] == b"PAR1":
            from pyarrow import parquet  # noqa: PLC0415 (only for such files)

            source = parquet.read_table(buffer)
        elif data[:6] == b"ARROW1":
            source = pa.ipc.open_file(buffer).read_all()
        else:
            source = pa.ipc.open_stream(buffer).read_all()
        source.validate(full=True)
    except (pa.ArrowException, OSError, ValueError) as error:
        kind = "Parquet" if data[:4] == b"PAR1" else "Arrow"
        msg = f"the {kind} file is damaged or of an unknown version: {shorten(str(error), 200)}"
        raise DataError(msg) from None
    return from_arrow(source, name=name, ignore=ignore)


def _from_pandas(frame: Any) -> pa.Table:  # noqa: ANN401 (a pandas DataFrame, which is not imported)
    """Convert columns one by one, so that only those of mixed objects need special care; the row index is dropped."""
    arrays: list[Any] = []
    for position in range(frame.shape[1]):
        series = frame.iloc[:, position]
        name = str(frame.columns[position])
        try:
            arrays.append(pa.Array.from_pandas(series))
        except (pa.ArrowInvalid, pa.ArrowTypeError, pa.ArrowNotImplementedError):
            arrays.append(_mixed(name, series))
    return pa.Table.from_arrays([_whole(array) for array in arrays], names=[str(n) for n in frame.columns])


def _mixed(name: str, series: Any) -> pa.Array:  # noqa: ANN401 (a pandas Series)
    """Convert mixed texts and numbers to categories."""
    table = from_array(np.asarray(series, dtype=object).reshape(-1, 1), names=[name])
    column, values = table.schema.columns[0], table.columns[0]
    if isinstance(column, Numeric):
        return pa.array(values, mask=np.isnan(values))
    return pa.DictionaryArray.from_arrays(pa.array(values, mask=values < 0), pa.array(column.categories, pa.string()))


def _whole(array: Any) -> Any:  # noqa: ANN401 (an Array or a ChunkedArray)
    return pa.chunked_array([array]) if isinstance(array, pa.Array) else array


def _plain(value: Any) -> Any:  # noqa: ANN401 (a column of any sort)
    return value if isinstance(value, np.ndarray | pa.Array | pa.ChunkedArray) else pa.array(value)


def _rows(source: Any) -> Any:  # noqa: ANN401 (rows as lists)
    widths = {len(row) for row in source}
    if len(widths) > 1:
        msg = f"rows of {min(widths)} and of {max(widths)} values; expected rows of one length"
        raise DataError(msg)
    array = np.empty((len(source), widths.pop() if widths else 0), object)
    for i, row in enumerate(source):
        array[i] = list(row)
    return array
