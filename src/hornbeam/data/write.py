"""Writing tables to files: CSV, ARFF, Parquet, Feather, JSON, JSON Lines, Excel.

A file is replaced only when it is complete, so that an interrupted run leaves no partial file.
ARFF keeps kinds, categories and their order, and row weights; Parquet and Feather keep everything, roles included;
CSV, JSON and Excel keep values only, and a category that looks like a number or a missing value reads back as one.
"""

from __future__ import annotations

import json
import os
import re
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any
from xml.sax.saxutils import escape

import numpy as np

from hornbeam.data import dates
from hornbeam.data.errors import DataError
from hornbeam.data.infer import EXACT, show_number
from hornbeam.data.replacing import replacing
from hornbeam.data.schema import Column, Nominal, Numeric

if TYPE_CHECKING:
    from collections.abc import Iterable

    from hornbeam.core.base.arrays import AnyArray
    from hornbeam.data.table import Table

_BARE = re.compile(r"[^\s,{}'\"%\\?\x00-\x1f@][^\s,{}'\"%\\\x00-\x1f]*")
_ESCAPES = str.maketrans({"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"})
_FORMATS = {
    ".csv": "csv", ".tsv": "csv", ".tab": "csv", ".txt": "csv", ".arff": "arff", ".parquet": "parquet",
    ".pq": "parquet", ".feather": "feather", ".arrow": "feather", ".ipc": "feather", ".json": "json",
    ".jsonl": "jsonl", ".ndjson": "jsonl", ".xlsx": "excel",
}  # fmt: skip
_MOST_EXCEL_ROWS, _MOST_EXCEL_COLUMNS = 1 << 20, 1 << 14
_LARGEST_EXCEL_NUMBER = 9.9e307
_DAY = 86_400.0
_EXCEL_1970 = 25_569.0  # sheets count days from 1900, and 1900 as a leap year
_FIRST_EXCEL_DAY, _LAST_EXCEL_DAY = 61.0, 2_958_466.0
_EXCEL_DATES = {True: "yyyy-mm-dd", False: "yyyy-mm-dd hh:mm:ss"}  # by whether all are whole days


def write(table: Table, path: str | os.PathLike[str]) -> None:
    """Write a table in the format of the path's ending.

    Parameters
    ----------
    table : Table
        The table.
    path : path
        Ending in .csv, .tsv, .txt, .arff, .parquet, .feather, .arrow, .ipc, .json, .jsonl, .ndjson or .xlsx.
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
    elif form in {"json", "jsonl"}:
        write_json(table, path, lines=form == "jsonl")
    elif form == "excel":
        write_excel(table, path)
    else:
        msg = f"{os.fspath(path)!r} ends in {suffix!r}; expected one of {', '.join(_FORMATS)}"
        raise DataError(msg)


def write_parts(parts: Iterable[Table], path: str | os.PathLike[str]) -> None:
    """Write a table given in parts, one after another; its texts are written as texts, not as categories.

    Parameters
    ----------
    parts : iterable of Table
        With the same columns; the categories may differ.
    path : path
        With one of the endings in `PARTED`.
    """
    form = _FORMATS[Path(path).suffix.lower()]
    if form in {"json", "jsonl"}:
        _write_records(parts, path, lines=form == "jsonl")
        return
    import pyarrow as pa  # noqa: PLC0415 (slow to import)
    from pyarrow import parquet  # noqa: PLC0415

    from hornbeam.data.arrow import to_arrow  # noqa: PLC0415 (imports pyarrow)

    with replacing(path) as file, ExitStack() as opened:
        sink: Any = None
        for part in parts:
            plain = to_arrow(part).replace_schema_metadata(None)
            for i, column in enumerate(part.schema.columns):
                if isinstance(column, Nominal):
                    plain = plain.set_column(i, column.name, plain.column(i).cast(pa.string()))
            if sink is None:
                make = parquet.ParquetWriter if form == "parquet" else pa.ipc.new_file
                sink = opened.enter_context(make(file, plain.schema))
            sink.write_table(plain)


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
    absent = [column.missing(values) for column, values in zip(table.schema.columns, table.columns, strict=True)]
    if arrays and bool((empty := np.logical_and.reduce(absent)).any()):  # such a line would not be read as a row
        texts = arrays[0].cast(pa.string())
        arrays[0] = pa.array(np.where(empty, "?", texts.to_numpy(zero_copy_only=False)), pa.string())
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
    """Return the text of an ARFF file.

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


def write_json(table: Table, path: str | os.PathLike[str], *, lines: bool = False) -> None:
    """Write an array of records, or with `lines` a record per line; missing values are null, dates are texts."""
    _write_records([table], path, lines=lines)


def _write_records(parts: Iterable[Table], path: str | os.PathLike[str], *, lines: bool) -> None:
    between, start, end = ("\n", "", "\n") if lines else (",\n", "[", "]\n")
    with replacing(path) as file:
        file.write(start.encode())
        is_first = True
        for table in parts:
            names, pairs = table.schema.names, zip(table.schema.columns, table.columns, strict=True)
            for row in zip(*[_values(column, values) for column, values in pairs], strict=True):
                record = json.dumps(dict(zip(names, row, strict=True)), ensure_ascii=False, allow_nan=False)
                file.write(("" if is_first else between).encode() + record.encode("utf-8", "backslashreplace"))
                is_first = False
        file.write(b"" if lines and is_first else end.encode())


def check_sheet(n_rows: int, n_columns: int) -> None:
    """Raise an error if a sheet of a workbook has no room for a table with a header."""
    if n_rows >= _MOST_EXCEL_ROWS or n_columns > _MOST_EXCEL_COLUMNS:
        found = f"{n_rows} rows and {n_columns} column{'s' if n_columns != 1 else ''}"
        msg = f"the table has {found}; a sheet has room for {_MOST_EXCEL_ROWS - 1} and {_MOST_EXCEL_COLUMNS}"
        raise DataError(msg)


def write_excel(table: Table, path: str | os.PathLike[str]) -> None:
    """Write an Excel workbook with one sheet: numbers and texts as they are, dates as dates."""
    try:
        import xlsxwriter  # type: ignore[import-untyped]  # noqa: PLC0415 (an extra)
    except ImportError:
        raise DataError("an Excel workbook needs xlsxwriter: pip install 'hornbeam[excel]'") from None
    check_sheet(table.n_rows, len(table.columns))
    with replacing(path) as file, xlsxwriter.Workbook(file, {"in_memory": True}) as book:
        sheet = book.add_worksheet()
        forms = {days: book.add_format({"num_format": form}) for days, form in _EXCEL_DATES.items()}
        for i, (column, values) in enumerate(zip(table.schema.columns, table.columns, strict=True)):
            write_text(sheet, 0, i, column.name, name=column.name)
            date = isinstance(column, Numeric) and column.format is not None and _are_excel_dates(values)
            form = forms[not np.any(np.nan_to_num(values) % _DAY)] if date else None
            cells = (_EXCEL_1970 + values / _DAY).tolist() if date else _values(column, values)
            for row, value in enumerate(cells, start=1):
                if isinstance(value, str):
                    write_text(sheet, row, i, value, name=column.name)
                elif value is not None and value == value:  # noqa: PLR0124 (NaN)
                    if abs(value) > _LARGEST_EXCEL_NUMBER:
                        msg = f"row {row}: found {value:g}; a sheet has room for numbers up to 9.9e307"
                        raise DataError(msg, column=column.name)
                    sheet.write_number(row, i, value, form)


def write_text(
    sheet: Any,  # noqa: ANN401 (a worksheet)
    row: int,
    column: int,
    text: str,
    form: Any = None,  # noqa: ANN401 (a format)
    name: str | None = None,
) -> None:
    """Write any text into a cell of a sheet of xlsxwriter; an error names its column, if there is a name."""
    is_formatted = text.startswith("<r>") and text.endswith("</r>")  # for xlsxwriter, which would not escape it
    shown = f'<r><t xml:space="preserve">{escape(text)}</t></r>' if is_formatted else text
    if sheet.write_string(row, column, shown, form) < 0:
        msg = f"row {row}: a text of {len(text)} characters; a cell of a sheet has room for 32767"
        raise DataError(msg, column=name)


def _are_excel_dates(values: AnyArray) -> bool:
    """Whether all are moments that a sheet counts as days: from March 1900 to the year 9999."""
    known = values[~np.isnan(values)] / _DAY + _EXCEL_1970
    return bool(((known >= _FIRST_EXCEL_DAY) & (known < _LAST_EXCEL_DAY)).all())


def _values(column: Column, values: AnyArray) -> list[str | float | int | None]:
    """Return the values of a column as Python objects; missing ones are None, dates are texts."""
    if isinstance(column, Nominal):
        texts: list[str | float | int | None] = np.array([*column.categories, None], object)[values].tolist()
        return texts
    if column.format is not None:
        return list(_dates(column.format, values))
    whole = np.nan_to_num(values) % 1.0 == 0
    small = np.abs(np.nan_to_num(values)) < EXACT
    shown = zip(values.tolist(), (whole & small).tolist(), strict=True)
    return [None if value != value else int(value) if is_whole else value for value, is_whole in shown]  # noqa: PLR0124 (NaN)


def quoted(text: str) -> str:
    """Write a name or value for an ARFF file: in single quotes where needed."""
    return text if _BARE.fullmatch(text) else "'" + text.translate(_ESCAPES) + "'"


def _arff_column(column: Column, values: AnyArray) -> tuple[str, list[str]]:
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


def _dates(pattern: str, values: AnyArray) -> list[str | None]:
    known = {value: dates.show(value, pattern) for value in np.unique(values[~np.isnan(values)]).tolist()}
    return [known.get(value) for value in values.tolist()]


ENDINGS = tuple(_FORMATS)  # of files that `write` writes
PARTED = tuple(ending for ending, form in _FORMATS.items() if form in {"parquet", "feather", "json", "jsonl"})
