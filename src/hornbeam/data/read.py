"""Reading: a path, an example's name, a data frame or an array becomes a Table.

The format of a file is recognized by its first bytes, not by its name. Heavy libraries are imported only by the reader
that needs them.
"""

from __future__ import annotations

import difflib
import errno
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hornbeam.data.errors import DataError, label, shorten
from hornbeam.data.infer import Kinds, apply_kinds
from hornbeam.data.schema import Role, SchemaError
from hornbeam.data.table import Table

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from hornbeam.data.infer import FindKinds

_SUFFIXES = re.compile(r"\.(csv|tsv|tab|txt|data|arff|parquet|pq|feather|arrow|ipc)(\.gz)?$", re.IGNORECASE)
_ARFF = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:[ \t\v\f]*(?:%[^\r\n]*)?[\r\n]+)*+[ \t\v\f]*@(?:relation|attribute|data)\b", re.IGNORECASE
)
_HEAD = 1 << 16


def read(
    source: str | os.PathLike[str] | object,
    target: str | int | None = None,
    *,
    name: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    encoding: str | None = None,
    missing: Collection[str] | None = None,
    nominal: Collection[str | int] = (),
    numeric: Collection[str | int] = (),
    ordered: Mapping[str | int, Sequence[str]] | Iterable[str | int] = (),
    dates: Mapping[str | int, str | None] | Iterable[str | int] = (),
    ignore: Collection[str | int] = (),
    weight: str | int | None = None,
    group: str | int | None = None,
) -> Table:
    """Read a table from a file, an example set, a data frame or an array.

    Parameters
    ----------
    source : path, str or object
        A file (CSV and other delimited text, ARFF, Parquet, Feather or Arrow IPC; text may be gzipped), ``-``
        for standard input, the name of an example set, a pandas, polars, pyarrow or DuckDB table (anything
        with the Arrow C stream), a NumPy array, or a Table.
    target : str or int, optional
        The column to predict, by name or position; without it a table has no target, but an example set has
        its last column.
    name : str, optional
        The table's name; by default that of its source.
    delimiter, quote : str, optional
        One character, for delimited text; guessed from its first lines by default.
    header : bool, optional
        Whether delimited text starts with a line of names; guessed from its first lines by default.
    encoding : str, optional
        The encoding of a text file; UTF-8 and UTF-16 are recognized, anything else is read as Latin-1, with a note.
    missing : collection of str, optional
        Texts that mean a missing value in delimited text; by default empty values, ``?``, ``NA``, ``N/A``,
        ``n/a``, ``#N/A``, ``<NA>``, ``NaN``, ``nan``, ``NULL`` and ``null`` (and ``none``, ``-``, ``.`` and ``*``
        where all else in the column is a number). Empty values are always missing.
    nominal, numeric : collection of str or int, optional
        Columns to read as categories, or as numbers.
    ordered : mapping or collection, optional
        Columns whose categories are ordered; a mapping gives the order.
    dates : mapping or collection, optional
        Columns to read as dates; a mapping gives their ``strftime`` patterns.
    ignore : collection of str or int, optional
        Columns that are not learned from.
    weight, group : str or int, optional
        The column of row weights, and of groups that cross-validation keeps together.

    Returns
    -------
    Table
        `Table.notes` lists what was guessed.

    Examples
    --------
    >>> table = read("iris")
    >>> table.schema.target_column.name, len(table)
    ('class', 150)
    """
    ignored = [ignore] if isinstance(ignore, str | int) else list(ignore)

    def kinds(names: Sequence[str]) -> Kinds:
        return Kinds.resolve(names, nominal, numeric, ordered, dates)

    text_options: dict[str, Any] = {
        "delimiter": delimiter, "quote": quote, "header": header, "encoding": encoding, "missing": missing,
        "ignore": [column for column in ignored if isinstance(column, str)],
    }  # fmt: skip
    table = _open(source, kinds, text_options)
    if name is not None:
        table = table.renamed(name)
    return _with_roles(table, target, weight, group, ignored, kinds(table.schema.names))


def _open(source: object, kinds: FindKinds, options: dict[str, Any]) -> Table:
    if isinstance(source, Table):
        return _apply(source, kinds)
    if isinstance(source, str) and source == "-":
        return _from_bytes(sys.stdin.buffer.read(), "standard input", "", kinds, options)
    if isinstance(source, str | Path) or hasattr(source, "__fspath__"):
        return _from_path(source, kinds, options)
    if isinstance(source, np.ndarray):
        from hornbeam.data.array import from_array  # noqa: PLC0415 (only where needed)

        return _apply(from_array(source), kinds)
    from hornbeam.data.frame import from_frame  # noqa: PLC0415 (imports pyarrow)

    return _apply(from_frame(source, ignore=options["ignore"]), kinds)


def _apply(table: Table, kinds: FindKinds) -> Table:
    return apply_kinds(table, kinds(table.schema.names))


def _from_path(source: Any, kinds: FindKinds, options: dict[str, Any]) -> Table:  # noqa: ANN401 (a path)
    path = Path(source)
    try:
        exists = path.is_file() or path.is_fifo()
    except ValueError as error:  # a NUL inside the name
        msg = f"{str(source)!r} is not a path: {error}"
        raise DataError(msg) from None
    except OSError as error:
        if error.errno != errno.ENAMETOOLONG:
            raise
        msg = f"the path {shorten(str(source))} has {len(str(source))} characters, more than the system allows"
        raise DataError(msg) from None
    if not exists:
        from hornbeam.data import examples  # noqa: PLC0415 (only where needed)

        if isinstance(source, str) and source in examples.names():
            return _apply(examples.load(source), kinds)
        raise _not_found(path, source)
    title = _SUFFIXES.sub("", path.name)
    try:
        with path.open("rb") as file:
            data = file.read()  # not mapped: a file that is truncated while it is mapped ends the process
        return _from_bytes(data, title, path.name, kinds, options)
    except DataError as error:
        raise _in_file(error, path.name) from None
    except OSError as error:
        msg = f"{path} cannot be read: {error.strerror or error}"
        raise DataError(msg) from None


def _in_file(error: DataError, name: str) -> DataError:
    named = DataError(f"{name}: {error}")
    named.line, named.column = error.line, error.column
    return named


def _not_found(path: Path, source: object) -> DataError:
    if path.is_dir():
        return DataError(f"{path} is a folder; expected a file")
    from hornbeam.data import examples  # noqa: PLC0415 (only where needed)

    close = difflib.get_close_matches(str(source), examples.names(), 1)
    hint = f" (did you mean the example set {close[0]!r}?)" if close else ""
    return DataError(f"there is no file {str(path)!r}, nor an example set of that name{hint}")


def _from_bytes(data: bytes, title: str, file_name: str, kinds: FindKinds, options: dict[str, Any]) -> Table:
    head = data[:_HEAD]
    if head[:2] == b"\x1f\x8b":
        from hornbeam.data.unzip import unzipped  # noqa: PLC0415 (only where needed)

        data = unzipped(data)
        head, file_name = data[:_HEAD], file_name.lower().removesuffix(".gz")
    if head[:4] == b"PAR1" or head[:6] == b"ARROW1" or head[:4] == b"\xff\xff\xff\xff":
        from hornbeam.data.frame import from_arrow_bytes  # noqa: PLC0415 (imports pyarrow)

        return _apply(from_arrow_bytes(data, name=title, ignore=options["ignore"]), kinds)
    suffix = Path(file_name).suffix.lower()
    if suffix in {".parquet", ".pq", ".feather", ".arrow", ".ipc"}:
        msg = f"the name ends in {suffix}, but the content begins with {shorten(repr(head[:8]))}"
        raise DataError(msg)
    if suffix == ".arff" or _ARFF.match(head) or _is_wide_arff(head):
        return _apply(_arff(data, options["encoding"], title, named=suffix == ".arff"), kinds)
    from hornbeam.data.csv import read_csv  # noqa: PLC0415 (imports pyarrow)

    prefer = "\t" if suffix in {".tsv", ".tab"} else None
    return read_csv(data, kinds, name=title, prefer=prefer, **options)


def _is_wide_arff(head: bytes) -> bool:
    """Whether UTF-16 text starts like an ARFF file."""
    return head[:2] in {b"\xff\xfe", b"\xfe\xff"} and _ARFF.match(head.replace(b"\0", b"")[2:]) is not None


def _arff(data: bytes, encoding: str | None, title: str, *, named: bool) -> Table:
    from hornbeam.data.arff import read_arff  # noqa: PLC0415 (only where needed)
    from hornbeam.data.encoding import decode_text  # noqa: PLC0415 (only where needed)

    text, notes = decode_text(data, encoding)
    if not text.strip():
        raise DataError("the file is empty; expected @relation, @attribute and @data")
    table = read_arff(text, name=title if named else None)
    return Table(table.schema, table.columns, [*notes, *table.notes], copy=False) if notes else table


def _with_roles(
    table: Table,
    target: str | int | None,
    weight: str | int | None,
    group: str | int | None,
    ignored: Sequence[str | int],
    kinds: Kinds,
) -> Table:
    schema, roles = table.schema, dict[str | int, Role]()
    for position, name in enumerate(schema.names):  # naming the kind of an ignored text means to use it
        if schema.roles[position] == "ignored" and name in kinds.named:
            roles[position] = "feature"
    left = [note for note in table.notes if ": left out" in note]
    left_out = [c for c in ignored if isinstance(c, str) and any(note.startswith(f"{label(c)}: ") for note in left)]
    wanted: list[tuple[str | int | None, Role]] = [(column, "ignored") for column in ignored if column not in left_out]
    wanted += [(target, "target"), (weight, "weight"), (group, "group")]
    for column, role in wanted:
        if column is None:
            continue
        position = schema.position(column)
        if roles.get(position, "feature") != "feature":
            msg = f"column {schema.names[position]!r} is to be {roles[position]} and {role}; expected one role"
            raise SchemaError(msg)
        roles[position] = role
    table = table.assign(roles) if roles else table
    _check_weights(table)
    return table


def _check_weights(table: Table) -> None:
    position = table.schema.with_role("weight")
    if position is None:
        return
    values, name = table.columns[position], table.schema.names[position]
    if values.dtype != np.float64:
        msg = f"column {name!r} is nominal; expected numbers for the weights of rows"
        raise SchemaError(msg)
    wrong = np.flatnonzero(~(values >= 0))
    if len(wrong):
        found = "a missing value" if np.isnan(values[wrong[0]]) else f"{values[wrong[0]]:g}"
        raise DataError(f"row {wrong[0] + 1}: found {found}; expected a weight of 0 or more", column=name)
