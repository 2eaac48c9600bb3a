"""Writing tables to files: CSV, ARFF, Parquet, Feather.

A file is replaced only when it is complete, so that an interrupted run leaves no partial file.
ARFF keeps kinds, categories and their order, and row weights; Parquet and Feather keep everything, roles included;
CSV keeps values only, and a category that looks like a number or a missing value reads back as one.
"""

from __future__ import annotations

import os
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data import dates
from hornbeam.data.errors import DataError
from hornbeam.data.infer import show_number
from hornbeam.data.replacing import replacing
from hornbeam.data.schema import Column, Nominal

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from hornbeam.data.table import Table

_BARE = re.compile(r"[^\s,{}'\"%\\?\x00-\x1f@][^\s,{}'\"%\\\x00-\x1f]*")
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".arff": "arff", ".parquet": "parquet",
    ".pq": "parquet", ".feather": "feather", ".arrow": "feather", ".ipc": "feather",
}  # fmt: skip


def write(table: Table, path: str | os.PathLike[str]) -> None:
    """Write a table in the format of the path's ending.

    Parameters
    ----------
    table : Table
        The table.
    path : path
        Ending in .csv, .tsv, .txt, .arff, .parquet, .feather, .arrow or .ipc.
    """
    suffix = Path(path).suffix.lower()
    form = _FORMATS.get(suffix)
    if form == "csv":
        write_csv(table, path, delimiter="\t" if suffix in {".tsv", ".tab"} else ",")
    elif form == "arff":
        write_arff(table, path)
    elif form == "parquet":
        write_parquet(table, path)
    elif form == "feather":
        write_feather(table, path)
    else:
        msg = f"{os.fspath(path)!r} ends in {suffix!r}; expected one of {', '.join(_FORMATS)}"
        raise DataError(msg)


def write_csv(table: Table, path: str | os.PathLike[str], *, delimiter: str = ",") -> None:
    """Write delimited text with a header; missing values are empty.

    Parameters
    ----------
    table : Table
        The table.
    path : path
        The file.
    delimiter : str
        One character.
    """
    import pyarrow as pa  # noqa: PLC0415 (slow to import)
    import pyarrow.csv as arrow_csv  # noqa: PLC0415

    arrays: list[Any] = []
    for column, values in zip(table.schema.columns, table.columns, strict=True):
        if isinstance(column, Nominal):
            texts = pa.array(column.categories, pa.string())
            arrays.append(texts.take(pa.array(values, mask=values < 0)))
        elif column.format is not None:
            arrays.append(pa.array(_dates(column.format, values), pa.string()))
        else:
            arrays.append(pa.array(values, mask=np.isnan(values)))
    if len(arrays) == 1:  # an empty line would not be read as a row
        arrays[0] = arrays[0].cast(pa.string()).fill_null("?")
    plain = pa.table(arrays, names=list(table.schema.names))
    # Without quotes where no value needs them; the second attempt quotes every text.
    for style in ("none", "needed"):
        options = arrow_csv.WriteOptions(delimiter=delimiter, quoting_style=style, quoting_header=style)
        try:
            with replacing(path) as file:
                arrow_csv.write_csv(plain, file, options)
        except pa.ArrowInvalid:
            if style == "needed":
                raise
        else:
            return


def write_arff(table: Table, path: str | os.PathLike[str]) -> None:
    """Write an ARFF file; a weight column becomes row weights in braces."""
    with replacing(path) as file:
        file.write(arff_text(table).encode("utf-8"))


def arff_text(table: Table) -> str:
    """Give the text of an ARFF file.

    Examples
    --------
    >>> from hornbeam.data.examples import load
    >>> print(arff_text(load("casablanca")).splitlines()[2])
    @attribute major {Math,History,CS}
    """
    schema, weight = table.schema, table.schema.with_role("weight")
    head = [f"@relation {quoted(schema.name)}", ""]
    cells: list[list[str]] = []
    for position, (column, values) in enumerate(zip(schema.columns, table.columns, strict=True)):
        if position == weight:
            continue
        kind, texts = _arff_column(column, values)
        head.append(f"@attribute {quoted(column.name)} {kind}")
        cells.append(texts)
    rows = [",".join(row) for row in zip(*cells, strict=True)]
    if weight is not None:
        rows = [f"{row},{{{show_number(w)}}}" for row, w in zip(rows, table.columns[weight], strict=True)]
    return "\n".join([*head, "", "@data", *rows, ""])


def write_parquet(table: Table, path: str | os.PathLike[str]) -> None:
    """Write a Parquet file, with the schema in its metadata."""
    from pyarrow import parquet  # noqa: PLC0415 (slow to import)

    from hornbeam.data.arrow import to_arrow  # noqa: PLC0415 (imports pyarrow)

    with replacing(path) as file:
        parquet.write_table(to_arrow(table), file)


def write_feather(table: Table, path: str | os.PathLike[str]) -> None:
    """Write a Feather (Arrow IPC) file, with the schema in its metadata."""
    import pyarrow as pa  # noqa: PLC0415 (slow to import)

    from hornbeam.data.arrow import to_arrow  # noqa: PLC0415 (imports pyarrow)

    plain = to_arrow(table)
    with replacing(path) as file, pa.ipc.new_file(file, plain.schema) as sink:
        sink.write_table(plain)


def quoted(text: str) -> str:
    """Write a name or value for an ARFF file: in single quotes where needed."""
    return text if _BARE.fullmatch(text) else "'" + text.translate(_ESCAPES) + "'"


def _arff_column(column: Column, values: NDArray[Any]) -> tuple[str, list[str]]:
    if isinstance(column, Nominal):
        texts = [quoted(category) for category in column.categories]
        return f"{{{','.join(texts)}}}", np.array([*texts, "?"], object)[values].tolist()
    if column.format is None:
        return "numeric", ["?" if value != value else show_number(value) for value in values.tolist()]  # noqa: PLR0124 (NaN)
    letters, pattern = dates.to_letters(column.format), column.format
    if letters is None or "%f" in pattern:  # fractions of a second are written to the millisecond
        letters, pattern = dates.DEFAULT_LETTERS, dates.SECOND
        if np.any(np.nan_to_num(values) % 1.0):
            letters, pattern = letters + ".SSS", pattern + ".%f"
    shown = _dates(pattern, values)
    if pattern.endswith("%f"):
        shown = [None if text is None else text[:-3] for text in shown]
    return f"date {_double_quoted(letters)}", ["?" if text is None else quoted(text) for text in shown]


def _double_quoted(text: str) -> str:
    escaped = text.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{escaped}"'


def _dates(pattern: str, values: NDArray[Any]) -> list[str | None]:
    known = {value: dates.show(value, pattern) for value in np.unique(values[~np.isnan(values)]).tolist()}
    return [known.get(value) for value in values.tolist()]
