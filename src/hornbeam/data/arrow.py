"""Arrow tables to and from a Table: also used for Parquet, Feather, CSV and data frames.

Dictionaries and texts become nominal columns, numbers and dates numeric ones, without a loop over rows.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from hornbeam.data import dates
from hornbeam.data.columns.numbers import PLAIN, Style
from hornbeam.data.errors import DataError, label, option, shorten
from hornbeam.data.infer import integer_note, show_number, text_column
from hornbeam.data.schema import Column, Nominal, Numeric, Role, Schema, SchemaError
from hornbeam.data.table import Table

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from hornbeam.core.base.arrays import AnyArray, Bools, Floats, Ints32

SCHEMA_KEY = b"hornbeam.schema"
_UNITS = {"s": 1.0, "ms": 1e3, "us": 1e6, "ns": 1e9}
_THREADED_CELLS = 1_000_000
_DAY_SECONDS = 86_400.0


def from_arrow(
    source: pa.Table,
    *,
    name: str = "table",
    names: Sequence[str] | None = None,
    keep_text: Collection[str] = (),
    trim: bool = False,
    missing: Collection[str] = (),
    from_text: bool = False,
    ignore: Collection[str] = (),
    notes: Sequence[str] = (),
    style: Style = PLAIN,
) -> Table:
    """Convert an Arrow table to a Table.

    Parameters
    ----------
    source : pyarrow.Table
        Numbers, booleans, texts, dictionaries, decimals, dates and times; nulls are missing.
    name : str
        The table's name.
    names : sequence of str, optional
        Column names to use instead of the source's.
    keep_text : collection of str
        Columns whose texts stay categories, even if they look like numbers.
    trim : bool
        Whether to remove blanks around texts (and then look up `missing` again).
    missing : collection of str
        Texts that mean missing; only used with `trim`.
    from_text : bool
        Whether the source was text, so that kinds are guessed: texts that are numbers except a few markers become
        numeric, and dates add a note.
    ignore : collection of str
        Columns that will not be used: they are left out with a note if a table cannot hold their type.
    notes : sequence of str
        Earlier notes, which come first.
    style : Style
        How numbers are written in texts.

    Returns
    -------
    Table
    """
    used = list(names) if names is not None else [str(given) for given in source.column_names]
    stored = _stored_schema(source)
    columns: list[tuple[Column, AnyArray, list[str]] | None]

    def convert(position: int) -> tuple[Column, AnyArray, list[str]] | None:
        column_name = used[position]
        chunks = source.column(position)
        if not _is_supported(chunks.type) and column_name in ignore:
            return None
        guesses: list[str] = []
        column, values = _column(column_name, chunks, guesses, trim=trim, missing=missing)
        if from_text and isinstance(column, Nominal):
            keep = column_name in keep_text
            column, values = text_column(column_name, column.categories, values, guesses, keep=keep, style=style)
        elif from_text and isinstance(column, Numeric) and column.format is not None:
            change = option("nominal", column_name)
            kind = f"dates, numbers that print as {column.format}"
            kind = "times of day, in seconds" if column.format == dates.TIME_OF_DAY else kind
            guesses.append(f"{label(column_name)}: {kind}; {change} to change")
        return column, values, guesses

    columns = _each(convert, len(used), source.num_rows)
    kept = [converted for converted in columns if converted is not None]
    said = [*notes, *(guess for _, _, guesses in kept for guess in guesses)]
    said += [
        f"{label(column_name)}: left out, a table has no columns of type {source.schema.types[i]}"
        for i, column_name in enumerate(used)
        if columns[i] is None
    ]
    table = Table(Schema(tuple(c for c, _, _ in kept), name=name), [v for _, v, _ in kept], said, copy=False)
    return _restore(table, stored) if stored is not None else table


def to_arrow(table: Table) -> pa.Table:
    """Convert to an Arrow table: dictionaries for nominal columns, dates for dates, and the schema in the metadata.

    Examples
    --------
    >>> from hornbeam.data.read import read
    >>> to_arrow(read("weather.numeric")).schema.field("play").type.value_type
    DataType(string)
    """
    arrays = [_to_array(column, values) for column, values in zip(table.schema.columns, table.columns, strict=True)]
    plain = json.dumps(table.schema.to_json()).encode()
    return pa.table(arrays, names=list(table.schema.names)).replace_schema_metadata({SCHEMA_KEY: plain})


def _each(convert: Callable[[int], Any], count: int, rows: int) -> list[Any]:
    if count * rows < _THREADED_CELLS or pa.cpu_count() == 1:
        return [convert(position) for position in range(count)]
    from hornbeam.core.base.threads import Threads  # noqa: PLC0415 (only for large tables)

    with Threads(min(pa.cpu_count(), 8)) as pool:  # the copies release the interpreter's lock
        return list(pool.map(convert, range(count)))


def _is_supported(kind: pa.DataType) -> bool:
    types = pa.types
    if types.is_dictionary(kind):
        return bool(_is_supported(kind.value_type))
    return any(
        test(kind)
        for test in (
            types.is_integer, types.is_floating, types.is_boolean, types.is_decimal, types.is_null, types.is_date,
            types.is_timestamp, types.is_time, types.is_duration, types.is_string, types.is_large_string,
            types.is_string_view,
        )
    )  # fmt: skip


def _column(  # noqa: C901, PLR0911 (one branch and one return per kind)
    name: str, chunks: pa.ChunkedArray, notes: list[str], *, trim: bool, missing: Collection[str]
) -> tuple[Column, AnyArray]:
    kind, types = chunks.type, pa.types
    if not _is_supported(kind):
        msg = f"its type is {kind}; expected numbers, texts, categories, dates or times (or leave it out: ignore it)"
        raise DataError(msg, column=name)
    if types.is_null(kind):
        if len(chunks):
            notes.append(f"{label(name)}: every value is missing, read as numeric; {option('nominal', name)} to change")
        return Numeric(name), np.full(len(chunks), np.nan)
    if types.is_integer(kind):
        values = _floats(chunks)
        if (note := integer_note(name, values)) is not None:
            notes.append(note)
        return Numeric(name), values
    if types.is_floating(kind):
        return Numeric(name), _floats(chunks)
    if types.is_decimal(kind):
        return Numeric(name), _floats(pc.cast(chunks, pa.float64()))
    if types.is_boolean(kind):
        return Nominal(name, ("false", "true")), _integers(pc.cast(chunks, pa.int8()), np.dtype(np.int32))
    if types.is_date(kind) or types.is_timestamp(kind) or types.is_time(kind) or types.is_duration(kind):
        if types.is_timestamp(kind) and kind.tz is not None:
            notes.append(f"{label(name)}: times with a time zone, read as UTC")
        return _moments(name, chunks)
    column, codes = _categories(name, chunks, trim=trim, missing=missing)
    if column.ordered:
        notes.append(f"{label(name)}: its categories are in order in the source; {option('nominal', name)} to change")
    return column, codes


def _floats(chunks: pa.ChunkedArray) -> Floats:
    """Copy numbers of any width into one float64 array, nulls as NaN."""
    values = _room(len(chunks), np.dtype(np.float64))
    start = 0
    for chunk in chunks.chunks:
        part = values[start : start + len(chunk)]
        part[:] = _buffer(chunk, chunk.type.to_pandas_dtype())
        if chunk.null_count:
            part[_nulls(chunk)] = np.nan
        start += len(chunk)
    return values


def _integers(chunks: pa.ChunkedArray, kind: np.dtype[Any], missing: int = -1) -> AnyArray:
    values = _room(len(chunks), kind)
    start = 0
    for chunk in chunks.chunks:
        part = values[start : start + len(chunk)]
        part[:] = _buffer(chunk, chunk.type.to_pandas_dtype())
        if chunk.null_count:
            part[_nulls(chunk)] = missing
        start += len(chunk)
    return values


def _room(count: int, kind: np.dtype[Any]) -> AnyArray:
    """Allocate a column from Arrow's pool, which reuses memory pages; new pages cost more than the copy."""
    return np.frombuffer(pa.allocate_buffer(count * kind.itemsize), kind) if count else np.empty(0, kind)


def _buffer(chunk: pa.Array, kind: Any) -> AnyArray:  # noqa: ANN401 (a NumPy scalar type)
    data = chunk.buffers()[1]
    if data is None or not len(chunk):
        return np.zeros(len(chunk), kind)
    return np.frombuffer(data, kind, len(chunk), chunk.offset * np.dtype(kind).itemsize)


def _nulls(chunk: pa.Array) -> Bools:
    bits = np.frombuffer(chunk.buffers()[0], np.uint8)
    known = np.unpackbits(bits, count=chunk.offset + len(chunk), bitorder="little")[chunk.offset :]
    missing: Bools = known == 0
    return missing


def _moments(name: str, chunks: pa.ChunkedArray) -> tuple[Column, AnyArray]:
    """Read dates, times and durations as seconds."""
    kind, types = chunks.type, pa.types
    if types.is_date(kind):
        per_second, pattern = (1 / _DAY_SECONDS, dates.DAY) if kind == pa.date32() else (1e3, dates.DAY)
    else:
        per_second = _UNITS[kind.unit]
        pattern = dates.TIME_OF_DAY if types.is_time(kind) else dates.SECOND
    wide = pa.int32() if kind.bit_width == 32 else pa.int64()  # noqa: PLR2004 (bits)
    counts = _integers(chunks.cast(wide), np.dtype(np.int64), np.iinfo(np.int64).min)
    values = counts * _DAY_SECONDS if kind == pa.date32() else counts / per_second
    values[counts == np.iinfo(np.int64).min] = np.nan
    if types.is_duration(kind):
        return Numeric(name), values
    if not types.is_date(kind) and np.any(np.nan_to_num(values) % 1.0 != 0):
        pattern += ".%f"
    return Numeric(name, pattern), values


def _categories(name: str, chunks: pa.ChunkedArray, *, trim: bool, missing: Collection[str]) -> tuple[Nominal, Ints32]:
    """Return codes and categories of texts, in order of appearance, or of a dictionary, in its order."""
    ordered = False
    if not pa.types.is_dictionary(chunks.type):
        if pa.types.is_string_view(chunks.type):
            chunks = chunks.cast(pa.large_string())
        chunks = chunks.dictionary_encode()
    else:
        ordered = chunks.type.ordered
    if chunks.num_chunks > 1:
        chunks = chunks.unify_dictionaries()
    if not chunks.num_chunks:
        return Nominal(name, (), ordered), np.empty(0, np.int32)
    texts = _texts(name, chunks.chunk(0).dictionary)
    indices = pa.chunked_array([chunk.indices for chunk in chunks.chunks])
    codes: Ints32 = _integers(indices, np.dtype(np.int32))
    if trim:
        texts = [None if text is None or (short := text.strip()) in missing else short for text in texts]
    categories = list(dict.fromkeys(text for text in texts if text is not None))
    if len(categories) != len(texts):  # equal texts after trimming, or a null in the dictionary
        code_of = {text: code for code, text in enumerate(categories)}
        moved = np.array([*(-1 if text is None else code_of[text] for text in texts), -1], np.int32)
        codes = moved[codes]
    return Nominal(name, tuple(categories), ordered), codes


def _texts(name: str, dictionary: pa.Array) -> list[str | None]:
    kind = dictionary.type
    if pa.types.is_boolean(kind):
        return [None if value is None else str(value).lower() for value in dictionary.to_pylist()]
    try:
        if pa.types.is_floating(kind):
            values = dictionary.to_pylist()
            return [None if value is None or math.isnan(value) else show_number(value) for value in values]
        return list(dictionary.cast(pa.large_string()).to_pylist())
    except (pa.ArrowException, UnicodeDecodeError) as error:
        msg = f"its categories cannot be read as text: {shorten(str(error))}"
        raise DataError(msg, column=name) from None


def _stored_schema(source: pa.Table) -> Schema | None:
    plain = (source.schema.metadata or {}).get(SCHEMA_KEY)
    if plain is None:
        return None
    try:
        return Schema.from_json(json.loads(plain))
    except (ValueError, RecursionError) as error:  # damaged text, or a schema that contradicts itself
        msg = f"the schema stored with the table is damaged: {error}"
        raise SchemaError(msg) from None


def _restore(table: Table, stored: Schema) -> Table:
    """Restore the kinds and roles of columns that were stored with them, where these still fit."""
    known = {column.name: (column, role) for column, role in zip(stored.columns, stored.roles, strict=True)}
    columns: list[Column] = []
    roles: list[Role] = []
    arrays: list[AnyArray] = []
    for found, given in zip(table.schema.columns, table.columns, strict=True):
        column, values = found, given
        default: tuple[Column | None, Role] = (None, "feature")
        wanted, role = known.get(found.name, default)
        if isinstance(wanted, Numeric) and isinstance(found, Numeric):
            column = wanted
        elif isinstance(wanted, Nominal) and isinstance(found, Nominal):
            code_of = {text: code for code, text in enumerate(wanted.categories)}
            if all(text in code_of for text in found.categories):
                column, values = wanted, np.array([*(code_of[text] for text in found.categories), -1], np.int32)[given]
        columns.append(column)
        roles.append(role)
        arrays.append(values)
    same = all(a == b for a, b in zip(columns, stored.columns, strict=False))
    notes = () if same else table.notes
    schema = replace(table.schema, columns=tuple(columns), roles=tuple(roles))
    return Table(schema, arrays, notes, copy=False, declared=True)


def _to_array(column: Column, values: AnyArray) -> pa.Array:
    if isinstance(column, Nominal):
        indices = pa.array(values, pa.int32(), mask=values < 0)
        return pa.DictionaryArray.from_arrays(indices, pa.array(column.categories, pa.string()), ordered=column.ordered)
    mask = np.isnan(values)
    if column.format is None:
        return pa.array(values, pa.float64(), mask=mask)
    known = np.where(mask, 0.0, values)
    if np.any(np.abs(known) > 9e12):  # noqa: PLR2004 (microseconds in 64 bits end near 9.2e12 seconds)
        row = int(np.argmax(np.abs(known)))
        msg = f"row {row + 1}: {values[row]:g} seconds is too far from 1970 for a date"
        raise DataError(msg, column=column.name)
    if column.format == dates.DAY and not np.any(known % _DAY_SECONDS):
        return pa.array((known / _DAY_SECONDS).astype(np.int32), pa.date32(), mask=mask)
    return pa.array(np.rint(known * 1e6).astype("datetime64[us]"), pa.timestamp("us"), mask=mask)
