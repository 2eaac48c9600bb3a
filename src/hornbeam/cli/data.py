"""`hornbeam data`: describe a table before learning from it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from hornbeam.cli.options import Command, all_option, json_option
from hornbeam.cli.reading import read_table, table_options, with_target

if TYPE_CHECKING:
    from hornbeam.data.examine import ColumnSummary, Description

MOST_CATEGORIES = 6  # maximum number of categories listed per column
MOST_COLUMNS = 100  # more are listed only with --all
NAME_LIMIT = 32


@click.command(cls=Command, short_help="Describe a table: kinds, missing values, class balance.")
@click.argument("source", metavar="[DATA]", required=False)
@click.option("-t", "--target", metavar="COLUMN", help="The column to predict. [default: the last]")
@all_option
@json_option
@table_options
def data(source: str | None, target: str | None, as_json: bool, **reading: Any) -> None:  # noqa: ANN401
    """Describe the columns of DATA, and warn about possible problems.

    DATA is a file, - for standard input, or the name of an example set; without it, the example sets are listed.
    """
    from hornbeam.cli.output import print_notes, prints_all, write_json

    if source is None:
        _list_examples(as_json=as_json)
        return
    from hornbeam.data.examine import describe
    from hornbeam.data.notices import cautions

    table = read_table(source, target, **reading)
    note = None
    if table.schema.features or table.schema.target is not None:
        table, note = with_target(table, target, to_learn=False, **reading)
    description, findings = describe(table), cautions(table)
    notes = [*description.notes, *([note] if note else [])]
    if as_json:
        write_json(description.to_json() | {"notes": notes, "warnings": findings})
        return
    _show(description, len(description.columns) if prints_all() else MOST_COLUMNS)
    print_notes(notes, findings, quiet=False)


def _list_examples(*, as_json: bool) -> None:
    from hornbeam.cli.output import write_json
    from hornbeam.data.examples import names, summary

    if as_json:
        write_json({name: summary(name) for name in names()})
        return
    width = max(map(len, names()))
    for name in names():
        click.echo(f"{click.style(name.ljust(width), bold=True)}  {summary(name)}")


def _show(description: Description, most: int) -> None:
    from rich.table import Table
    from rich.text import Text

    from hornbeam.cli.output import console
    from hornbeam.data.in_words import percent, plural, printable

    size = f"{plural(description.rows, 'row')}, {plural(len(description.columns), 'column')}"
    click.secho(f"{printable(description.name)}: {size}", bold=True)
    grid = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0), header_style="underline")
    for title, justify in (("column", "left"), ("kind", "left"), ("missing", "right"), ("distinct", "right")):
        grid.add_column(title, justify="right" if justify == "right" else "left", no_wrap=True)
    grid.add_column("values", overflow="fold")
    for column in description.columns[:most]:
        kind = column.kind if column.role == "feature" else f"{column.kind}, {column.role}"
        fraction = column.missing / description.rows if description.rows else 0.0
        missing = f"{column.missing} ({percent(fraction)})" if column.missing else "-"
        name = Text(printable(column.name, NAME_LIMIT), style="bold" if column.role == "target" else "")
        grid.add_row(name, kind, missing, str(column.distinct), Text(_values(column)))
    screen = console()
    with screen.capture() as drawn:
        screen.print(grid, soft_wrap=False)
    click.echo("\n".join(line.rstrip() for line in drawn.get().splitlines()))  # remove the padding that rich adds
    if len(description.columns) > most:
        click.echo(f"… {plural(len(description.columns) - most, 'more column')}; --all to print them")


def _values(column: ColumnSummary) -> str:
    """Return the range of numbers, or the most common categories and their row counts."""
    from hornbeam.show.texts.wording import number, printable

    if column.minimum is not None:
        low, high, mean = (
            number(float(value)) if isinstance(value, float | int) else printable(str(value))
            for value in (column.minimum, column.maximum, _rounded(column.mean))
        )
        return f"{low} to {high}, mean {mean}"
    used = [code for code, count in enumerate(column.counts) if count]
    order = sorted(used, key=lambda code: -column.counts[code])
    named = [
        f"{printable(column.categories[code], NAME_LIMIT)} {column.counts[code]}" for code in order[:MOST_CATEGORIES]
    ]
    more = len(order) - len(named)
    return ", ".join(named) + (f" and {more} more" if more > 0 else "")


def _rounded(mean: float | str | None) -> float | str | None:
    return float(f"{mean:.5g}") if isinstance(mean, float) else mean
