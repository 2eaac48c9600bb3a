"""`hornbeam diff`: two saved models side by side."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.reading import READING_NAMES, read_like, reading_options

if TYPE_CHECKING:
    from hornbeam.data.schema import Schema


@click.command(short_help="Put two saved models side by side.")
@click.argument("a", metavar="A", type=click.Path())
@click.argument("b", metavar="B", type=click.Path())
@click.option("--data", "source", metavar="DATA", help="Tell which of these rows get another answer, and why.")
@click.option(
    "--rows", default=10, show_default=True, type=click.IntRange(min=0), metavar="NUMBER", help="Rows told of at most."
)
@click.option("--markdown", is_flag=True, help="Write Markdown.")
@click.option("--json", "as_json", is_flag=True, help="Write JSON.")
@reading_options
def diff(
    a: str,
    b: str,
    source: str | None,
    rows: int,
    markdown: bool,
    as_json: bool,
    **reading: Any,  # noqa: ANN401 - click's
) -> None:
    """Tell how the models in the files A and B differ.

    What was learned with other parameters or from other data; where two trees, laid on each other from the root, ask
    otherwise; which rules are in both lists, changed, or in one alone. With --data, which rows get another answer, and,
    where DATA has the target's column, which model is right more often.
    """
    from hornbeam.cli.output import write_json
    from hornbeam.evaluate.differences.difference import diff as put_side_by_side
    from hornbeam.model.files.storage import load

    if source is None and any(reading[name] for name in READING_NAMES):
        msg = "options for reading data were given; say which data, with --data DATA"
        raise ValueError(msg)
    table = None
    if source is not None:
        table = read_like(_both(load(a).schema, load(b).schema), source, **reading)
    found = put_side_by_side(a, b, table, rows=rows)
    if as_json:
        write_json(found.to_json())
        return
    click.echo(found.text(markdown=markdown))


def _both(a: Schema, b: Schema) -> Schema:
    """The columns that either model looks at, as it was learned; of one that both look at, as the first has it."""
    from hornbeam.data.schema import Schema

    used = {
        column.name: (column, role)
        for schema in (b, a)
        for column, role in zip(schema.columns, schema.roles, strict=True)
        if role in ("feature", "target")
    }
    columns, roles = zip(*used.values(), strict=True)
    return Schema(columns, roles if roles.count("target") == 1 else (), a.name)
