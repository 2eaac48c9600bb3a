"""Reading: a path, an example's name, a data frame or an array becomes a Table.

Files are opened in `files`; here they get the roles of columns.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, TypeGuard

import numpy as np

from hornbeam.data.columns.numbers import Style
from hornbeam.data.errors import DataError, label, with_python_words
from hornbeam.data.infer import Kinds, listed
from hornbeam.data.opening import Request, apply, open_source
from hornbeam.data.schema import Role, SchemaError
from hornbeam.data.table import Table
from hornbeam.data.text.sniff import TextForm

if TYPE_CHECKING:
    import os
    from collections.abc import Collection, Iterable, Mapping, Sequence

    from hornbeam.data.columns.numbers import Notation


@with_python_words
def read(
    source: str | os.PathLike[str] | object,
    target: str | int | None = None,
    *,
    name: str | None = None,
    delimiter: str | None = None,
    quote: str | None = None,
    header: bool | None = None,
    skip_rows: int | None = None,
    comment: str | None = None,
    bad_rows: Literal["error", "skip"] = "error",
    encoding: str | None = None,
    missing: Collection[str] | None = None,
    nominal: Collection[str | int] = (),
    numeric: Collection[str | int] = (),
    ordered: Mapping[str | int, Sequence[str]] | Iterable[str | int] = (),
    dates: Mapping[str | int, str | None] | Iterable[str | int] = (),
    ignore: Collection[str | int] = (),
    weight: str | int | None = None,
    group: str | int | None = None,
    keep: Collection[str | int] = (),
    text: Collection[str | int] = (),
    date_parts: Mapping[str | int, Sequence[str]] | None = None,
    decimal: str | None = None,
    thousands: str | None = None,
    notations: Mapping[str, Notation | str] | None = None,
) -> Table:
    """Read a table from a file, an example set, a data frame or an array.

    Parameters
    ----------
    source : path, str or object
        A file (CSV and other delimited text, ARFF, JSON, JSON Lines, Parquet, Feather or Arrow IPC, an Excel or
        OpenDocument workbook, a SQLite or DuckDB database; also gzipped or in a zip archive), a pattern such as
        ``data/2023-*.csv`` or a list of paths for several files with the same columns, ``-`` for standard input,
        the name of an example set, a pandas, polars, pyarrow or DuckDB table (anything with the Arrow C stream), a
        NumPy array, or a Table. ``book.xlsx::Sheet2``, ``file.db::table`` and ``archive.zip::name.csv`` name a part.
    target : str or int, optional
        The column to predict, by name or position; without it a table has no target, but an example set has
        its last column. The classes of a data frame or an array are sorted, as `fit(X, y)` has them; those of a file
        are in the order in which they are declared or appear.
    name : str, optional
        The table's name; by default that of its source.
    delimiter, quote : str, optional
        One character, for delimited text; guessed from its first lines by default.
    header : bool, optional
        Whether the first line of delimited text, or the first row of a sheet, has the column names; guessed from the
        first lines by default.
    skip_rows : int, optional
        Lines above the table that are skipped; by default title lines, which have fewer cells than the table.
    comment : str, optional
        Lines that start with this character are skipped; by default lines at the start of the file that start with
        ``#``. Empty: no line is a comment.
    bad_rows : {'error', 'skip'}
        Rows of delimited text with too many or too few cells are an error, or are left out with a note.
    encoding : str, optional
        The encoding of a text file; UTF-8 and UTF-16 are recognized, anything else is read as Windows-1252 (which
        contains Latin-1), with a note.
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
    keep : collection of str or int, optional
        Columns to use as they are: row numbers and identifiers, which are left out of files by default, and dates,
        which are replaced by their year, month, weekday and hour.
    text : collection of str or int, optional
        Columns of texts to use by their most frequent words.
    date_parts : mapping, optional
        Columns of dates and the parts to use them by: ``year``, ``month``, ``day``, ``weekday``, ``hour`` or ``days``
        (since the first date); by default ``year``, ``month``, ``weekday`` and ``hour``.
    decimal, thousands : str, optional
        The decimal point and the thousands separator of numbers; found in each column by default.
    notations : mapping, optional
        How numbers or dates of some columns are written: as in the model for which new rows are read.

    Returns
    -------
    Table
        `Table.notes` lists what was guessed; what changes the meaning of a column is also a `DataWarning`.

    Examples
    --------
    >>> table = read("iris")
    >>> table.schema.target_column.name, len(table)
    ('class', 150)
    """
    ignored = [ignore] if isinstance(ignore, str | int) else list(ignore)
    style = Style(decimal, thousands)

    def kinds(names: Sequence[str]) -> Kinds:
        return Kinds.resolve(names, nominal, numeric, ordered, dates, style, notations)

    form = TextForm(delimiter, quote, header, skip_rows, comment, bad_rows, encoding, missing)
    request = Request(kinds, form, tuple(column for column in ignored if isinstance(column, str)))
    table = _open(source, request, target)
    if name is not None:
        table = table.renamed(name)
    table = _with_roles(table, target, weight, group, ignored, kinds(table.schema.names))
    return _meant(table, source, (keep, text, date_parts or {}), kinds(table.schema.names))


def _meant(
    table: Table,
    source: object,
    columns: tuple[Collection[str | int], Collection[str | int], Mapping[str | int, Sequence[str]]],
    kinds: Kinds,
) -> Table:
    """Return the table with columns left out or replaced, and warn of these changes."""
    keep, text, parts = columns
    if isinstance(source, Table) and not text:
        return table
    from hornbeam.data.columns.meaning import ColumnOptions, with_meaning  # noqa: PLC0415 (not for tables and example sets)
    from hornbeam.data.notices import warn_of  # noqa: PLC0415 (the same)

    names = table.schema.names
    kept, texts = ([names[table.schema.position(c)] for c in listed(columns)] for columns in (keep, text))
    is_file = _is_path(source) or (isinstance(source, list | tuple) and bool(source) and all(map(_is_path, source)))
    by_name = {
        names[table.schema.position(column)]: [wanted] if isinstance(wanted, str) else list(wanted)
        for column, wanted in parts.items()
    }
    table = with_meaning(table, ColumnOptions(kinds.named, kept, texts, kinds.style, by_name, is_file))
    warn_of(table)
    return table


def _is_path(source: object) -> TypeGuard[str | os.PathLike[str]]:
    return isinstance(source, str) or hasattr(source, "__fspath__")


def _open(source: object, request: Request, target: str | int | None) -> Table:
    if isinstance(source, Table):
        return apply(source, request)
    if _is_path(source):
        return open_source(source, request)
    if isinstance(source, list | tuple) and source and all(map(_is_path, source)):
        from hornbeam.data.files.several import read_several  # noqa: PLC0415 (only where needed)

        return read_several(source, request)
    if isinstance(source, np.ndarray):
        from hornbeam.data.array import from_array  # noqa: PLC0415 (only where needed)

        table = from_array(source)
    else:
        from hornbeam.data.frame import from_frame  # noqa: PLC0415 (imports pyarrow)

        table = from_frame(source, ignore=request.ignore)
    if target is not None and not _has_schema(source):
        from hornbeam.data.as_table import sorted_classes  # noqa: PLC0415 (imports this module in turn)

        table = sorted_classes(table, target)
    return apply(table, request)


def _has_schema(source: object) -> bool:
    """Whether an Arrow table was made from a Table, so that it says in which order the classes are."""
    return b"hornbeam.schema" in (getattr(getattr(source, "schema", None), "metadata", None) or {})


def _with_roles(
    table: Table,
    target: str | int | None,
    weight: str | int | None,
    group: str | int | None,
    ignored: Sequence[str | int],
    kinds: Kinds,
) -> Table:
    schema, roles = table.schema, dict[str | int, Role]()
    for position, name in enumerate(schema.names):  # a column of texts whose kind is given is used, not ignored
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
            msg = f"column {schema.names[position]!r} has two roles, {roles[position]} and {role}; expected one"
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
