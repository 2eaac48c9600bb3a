"""Reading DATA, and the options for it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import OptionGroup

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema
    from hornbeam.data.table import Table

reading_options = OptionGroup(
    click.option("--nominal", multiple=True, metavar="COLUMN", help="Read this column as categories (repeatable)."),
    click.option("--numeric", multiple=True, metavar="COLUMN", help="Read this column as numbers (repeatable)."),
    click.option("--ignore", multiple=True, metavar="COLUMN", help="Leave this column out (repeatable)."),
    click.option("--weight", metavar="COLUMN", help="Weight rows by this column."),
    click.option("--delimiter", metavar="CHARACTER", help="The character between the cells of a CSV file."),
    click.option("--missing", multiple=True, metavar="TEXT", help="Read cells with this text as missing (repeatable)."),
    click.option("--encoding", metavar="NAME", help="The file's encoding, such as utf-8 or latin-1."),
)


def read_table(source: str, target: str | None = None, **options: Any) -> Table:  # noqa: ANN401 - click's
    """Read DATA: a path, ``-`` for standard input, or the name of an example set."""
    from hornbeam.data.read import read

    given = {name: value for name, value in options.items() if value}
    for name in ("nominal", "numeric", "ignore", "missing"):
        if name in given:
            given[name] = list(given[name])
    return read(source, target=target, **given)


def with_target(table: Table, typed: str | None) -> tuple[Table, str | None]:
    """Give the table a target, and a note where nobody named one and it is the last column."""
    if table.schema.target is not None:
        return table, None
    if typed is not None:
        return table.with_target(typed), None
    if not table.schema.features:
        msg = "the table has no column to predict"
        raise ValueError(msg)
    last = table.schema.features[-1]
    name = table.schema.names[last]
    return table.with_target(last), f"the target is {name!r}, the last column; --target COLUMN to change"


def read_like(schema: Schema, source: str, **options: Any) -> Table:  # noqa: ANN401 - click's
    """Read DATA for a model: columns are of the kinds that the model learned from, whatever they look like here."""
    from hornbeam.data.schema import Nominal

    table = read_table(source, **options)
    named = {*options.get("nominal", ()), *options.get("numeric", ())}
    wrong: dict[str, list[str]] = {"nominal": [], "numeric": []}
    for column, role in zip(schema.columns, schema.roles, strict=True):
        if role not in ("feature", "target") or column.name not in table.schema.names or column.name in named:
            continue
        here = table.schema.columns[table.schema.position(column.name)]
        if type(here) is not type(column):
            wrong["nominal" if isinstance(column, Nominal) else "numeric"].append(column.name)
    if not any(wrong.values()):
        return table
    if source == "-":  # cannot be read twice
        from hornbeam.data.read import read

        return read(table, nominal=wrong["nominal"], numeric=wrong["numeric"])
    again = {kind: (*options.get(kind, ()), *names) for kind, names in wrong.items()}
    return read_table(source, **{**options, **again})
