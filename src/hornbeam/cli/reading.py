"""Reading DATA, and the options for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import OptionGroup, columns_in, detail, remark

if TYPE_CHECKING:
    from collections.abc import Collection

    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table
    from hornbeam.evaluate.folds import TimeFolds

reading_options = OptionGroup(
    click.option("--nominal", multiple=True, metavar="COLUMN", help="Read this column as categories (repeatable)."),
    click.option("--numeric", multiple=True, metavar="COLUMN", help="Read this column as numbers (repeatable)."),
    click.option(
        "--dates",
        multiple=True,
        metavar="COLUMN[=PATTERN]",
        help="Read this column as dates, written as in --dates when=%d/%m/%Y (repeatable).",
    ),
    click.option("--decimal", metavar="CHARACTER", help="The decimal point of numbers, . or a comma."),
    click.option("--thousands", metavar="CHARACTER", help="The thousands separator in numbers such as 1,234."),
    click.option("--ignore", multiple=True, metavar="COLUMN", help="Leave this column out (repeatable)."),
    click.option("--weight", metavar="COLUMN", help="Weight rows by this column."),
    click.option("--delimiter", metavar="CHARACTER", help="The character between the cells of a CSV file."),
    click.option("--quote", metavar="CHARACTER", help="The character around the cells of a CSV file."),
    click.option(
        "--header/--no-header", default=None, help="Whether the first line has the column names.  [default: guessed]"
    ),
    click.option(
        "--skip-rows",
        type=click.IntRange(min=0),
        metavar="N",
        help="Skip this many lines above the table.  [default: lines with fewer cells than the table]",
    ),
    click.option(
        "--comment",
        metavar="CHARACTER",
        help="Skip lines that start with this character.  [default: '#' at the start of the file]",
    ),
    click.option("--skip-bad-rows", is_flag=True, help="Leave out rows with too many or too few cells."),
    click.option(
        "--missing", multiple=True, metavar="TEXT", help="Read cells with this text as missing too (repeatable)."
    ),
    click.option("--encoding", metavar="NAME", help="The file's encoding, such as utf-8 or latin-1."),
)

# For commands that learn; those that use a model match its columns by name.
table_options = OptionGroup(
    *reading_options.options,
    click.option(
        "--keep",
        multiple=True,
        metavar="COLUMN",
        help="Use this column even if it looks like a row number or a name, or is a date (repeatable).",
    ),
    click.option(
        "--text", multiple=True, metavar="COLUMN", help="Use the most frequent words of this column (repeatable)."
    ),
    click.option(
        "--date-parts",
        multiple=True,
        metavar="COLUMN=PARTS",
        help="Use these parts of a date: year, month, day, weekday, hour, days, as in when=month,days (repeatable).",
    ),
    click.option(
        "--max-classes",
        type=click.IntRange(min=2),
        metavar="N",
        help="Allow up to this many classes. [default: 50]",
    ),
)
# For data that may be larger than memory.
scan_options = OptionGroup(
    click.option(
        "--engine",
        type=click.Choice(["local", "dask", "spark", "duckdb", "postgres"]),
        help="Learn from data larger than memory with local processes, Dask or Spark, or inside a database.",
    ),
    click.option("--table", metavar="NAME", help="With --engine: the table of a database."),
    click.option("--workers", type=click.IntRange(min=0), metavar="N", help="Local processes. [default: one per core]"),
    click.option(
        "--memory-mb",
        type=click.IntRange(min=1),
        metavar="MB",
        help="Total memory of the local processes or of DuckDB.",
    ),
)
_LISTS = ("nominal", "numeric", "ignore", "keep", "text")  # several columns, each option with one or more
_ONLY_TO_LEARN = ("keep", "text", "date_parts", "max_classes")


def read_table(source: str, target: str | None = None, **options: Any) -> Table:  # noqa: ANN401 - click's
    """Read DATA: a path, a pattern of paths, ``-`` for standard input, or the name of an example set."""
    import warnings
    from inspect import unwrap

    from hornbeam.data.errors import DataWarning
    from hornbeam.data.read import read

    given = {name: value for name, value in options.items() if value is not None and value != ()}
    given.pop("max_classes", None)
    if given.pop("skip_bad_rows", False):
        given["bad_rows"] = "skip"
    for name in _LISTS:
        if name in given:
            given[name] = list(given[name])
    if "missing" in given:
        from hornbeam.data.infer import MISSING

        given["missing"] = [*MISSING, *given["missing"]]
    if isinstance(given.get("dates"), tuple):
        given["dates"] = dict(map(_column_and_pattern, given["dates"]))
    if "date_parts" in given:
        parts = map(_column_and_pattern, given["date_parts"])
        given["date_parts"] = {column: (listed or "").split(",") for column, listed in parts}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)  # the commands print them
        attempt = unwrap(read)  # its errors name options
        lists = {name: tuple(given[name]) for name in _LISTS if any("," in one for one in given.get(name, ()))}
        try:
            table: Table = attempt(source, target=target, **given)
        except ValueError:
            if not lists or source == "-" or "notations" in given:  # cannot be read twice; read for a model
                raise
            plain = {name: value for name, value in given.items() if name not in _LISTS}
            names = attempt(source, **plain).schema.names
            given |= {name: columns_in(typed, names) for name, typed in lists.items()}
            table = attempt(source, target=target, **given)
    detail(f"read {source}: {table.n_rows} rows, {len(table.columns)} columns")
    return table


def _column_and_pattern(typed: str) -> tuple[str, str | None]:
    column, equals, pattern = typed.partition("=")
    return column, pattern if equals else None


def with_target(
    table: Table,
    typed: str | None,
    *,
    to_learn: bool = True,
    **options: Any,  # noqa: ANN401 - click's
) -> tuple[Table, str | None]:
    """Return the table with a target, and a note if the last column was used by default.

    A target that cannot be learned is an error, unless the table is only described.
    """
    from hornbeam.data.columns.meaning import MOST_CLASSES, as_target, check_target

    note = None
    if table.schema.target is None and typed is not None:
        table = table.with_target(typed)
    elif table.schema.target is None:
        last = [place for place in table.schema.features if table.schema.columns[place].derived is None]
        if not last:
            msg = "the table has no column to predict"
            raise ValueError(msg)
        name = table.schema.names[last[-1]]
        table = as_target(table.with_target(last[-1]), options.get("numeric", ()))
        note = f"the target is {name!r}, the last column; --target COLUMN to change"
    if to_learn:
        check_target(table, options.get("max_classes") or MOST_CLASSES)
    return table, note


def print_about(
    table: Table,
    note: str | None = None,
    *,
    quiet: bool = False,
    order: str | None = None,
    more: tuple[str, ...] = (),
) -> tuple[list[str], list[str]]:
    """Print what was guessed about a table, and warnings about it; used by every command that learns.

    Parameters
    ----------
    table : Table
        The table to learn from.
    note : str, optional
        The note about its target.
    quiet : bool
        Whether to print nothing.
    order : str, optional
        The column of time that rows are split by.
    more : tuple of str
        More notes.

    Returns
    -------
    notes, cautions : list of str
    """
    from hornbeam.cli.output import print_notes
    from hornbeam.data.notices import cautions

    notes = [*table.notes, *([note] if note else []), *more]
    found = cautions(table, order)
    print_notes(notes, found, quiet=quiet)
    return notes, found


def _originals(schema: Schema) -> Collection[str]:
    """Return the source columns of a model's computed features."""
    if all(column.derived is None for column in schema.columns):
        return ()
    from hornbeam.data.columns.derived import originals

    return originals(schema)


def grouped(table: Table, column: str | None) -> Table:
    """Return the table with this column as its groups, if there is one."""
    if column is None:
        return table
    if table.schema.position(column) == table.schema.target:
        msg = f"--group {column} is the target; expected another column"
        raise ValueError(msg)
    return table.assign({column: "group"})


def in_time(folds: int, order: str | None) -> int | TimeFolds:
    """Return the folds, in the order of a column if there is one."""
    if order is None:
        return folds
    from hornbeam.evaluate.folds import TimeFolds

    return TimeFolds(order, folds)


def read_like(schema: Schema, source: str, **options: Any) -> Table:  # noqa: ANN401 - click's
    """Read DATA for a model: columns are read with the kinds that they have in the model.

    Notes about the file format are printed, and about cells that could not be read.
    """
    table = _read_like(schema, source, **options)
    context = click.get_current_context(silent=True)
    said: set[str] = set() if context is None else context.meta.setdefault(f"{__name__}.said", set())
    for note in _about_the_file(table, schema):
        if note not in said:  # a large file is read in parts
            remark(note)
            said.add(note)
    return table


def _about_the_file(table: Table, schema: Schema) -> list[str]:
    """Return the notes about the file format, and about cells of the model's columns that could not be read."""
    from hornbeam.data.errors import label

    used = {label(name) for name, role in zip(schema.names, schema.roles, strict=True) if role == "feature"}
    used |= {label(name) for name in _originals(schema)}
    columns = {label(name) for name in table.schema.names}
    subjects = [(note, note.partition(": ")[0]) for note in table.notes]
    return [note for note, of in subjects if of not in columns or (of in used and "read as missing" in note)]


def _read_like(schema: Schema, source: str, **options: Any) -> Table:  # noqa: ANN401 - click's
    from hornbeam.data.dates import is_clear
    from hornbeam.data.infer import as_nominal, notations_of
    from hornbeam.data.read import read
    from hornbeam.data.schema import Numeric

    options = {name: value for name, value in options.items() if name not in _ONLY_TO_LEARN}
    dates = dict(map(_column_and_pattern, options.get("dates", ())))
    named = {*options.get("nominal", ()), *options.get("numeric", ()), *dates}
    sources = _originals(schema)
    used = [
        column
        for column, role in zip(schema.columns, schema.roles, strict=True)
        if (role in ("feature", "target") or column.name in sources)
        and column.derived is None
        and column.name not in named
    ]
    written = notations_of(c for c in used if not (isinstance(c, Numeric) and is_clear(c.format)))
    table = read_table(source, **options, notations=written)
    again: dict[str, list[str]] = {"nominal": [], "numeric": []}
    plain: list[str] = []  # categories that are numbers, which need not be read again
    for column in used:
        if column.name not in table.schema.names:
            continue
        here, values = table.schema.columns[table.schema.position(column.name)], table.column(column.name)
        if type(here) is type(column):
            continue
        if isinstance(column, Numeric) and column.format is not None:
            dates[column.name] = column.format
        elif isinstance(column, Numeric):
            again["numeric"].append(column.name)
        elif {*as_nominal(here, values)[0].categories} <= {*column.categories}:
            plain.append(column.name)
        else:
            again["nominal"].append(column.name)
    if source == "-":  # cannot be read twice
        return read(table, nominal=[*plain, *again["nominal"]], numeric=again["numeric"], dates=dates)
    if any(again.values()) or len(dates) > len(options.get("dates", ())):
        more: dict[str, Any] = {kind: (*options.get(kind, ()), *names) for kind, names in again.items()}
        table = read_table(source, **{**options, **more, "dates": dates}, notations=written)
    return read(table, nominal=plain) if plain else table
