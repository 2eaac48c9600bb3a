"""`hornbeam diff`: compare two saved models."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import Command, count_option, json_option, markdown_option
from hornbeam.cli.reading import read_like, reading_options

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema


@click.command(cls=Command, short_help="Compare two saved models.")
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="B", type=click.Path())
@click.option("--data", "source", metavar="DATA", help="List the rows with different predictions, and why.")
@count_option("--rows", "NUMBER", "Maximum number of rows to list.", least=0, default=10)
@markdown_option
@json_option
@reading_options
def diff(
    a: str,
    b: str,
    source: str | None,
    rows: int,
    as_markdown: bool,
    as_json: bool,
    **reading: Any,  # noqa: ANN401 - click's
) -> None:
    """Show how the models in the files A and B differ.

    Lists the parameters and the data that differ; the nodes at which two trees, compared from the root, split
    differently; the rules that are in both lists, changed, or in only one. With --data, also the rows with different
    predictions and, if DATA has the target's column, which model is right more often.
    """
    from hornbeam.cli.output import write_json
    from hornbeam.evaluate.differences.difference import diff as compare_models
    from hornbeam.model.files.storage import load

    if source is None and any(reading.values()):
        msg = "options for reading data need --data DATA, which was not given"
        raise ValueError(msg)
    table = None
    if source is not None:
        table = read_like(_both(load(a).schema, load(b).schema), source, **reading)
    difference = compare_models(a, b, table, rows=rows)
    if as_json:
        write_json(difference.to_json())
        return
    click.echo(difference.text(markdown=as_markdown))


def _both(a: Schema, b: Schema) -> Schema:
    """Return a schema of the columns that either model uses; columns of both are as in the first."""
    from hornbeam.data.schema import Schema

    used = {
        column.name: (column, role)
        for schema in (b, a)
        for column, role in zip(schema.columns, schema.roles, strict=True)
        if role in ("feature", "target")
    }
    columns, roles = zip(*used.values(), strict=True)
    return Schema(columns, roles if roles.count("target") == 1 else (), a.name)
