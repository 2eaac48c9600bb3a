"""`hornbeam export`: a saved model in a format of another program; `hornbeam import`: the reverse."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from hornbeam.cli.options import Command, output_option
from hornbeam.export import FORMATS, Format

BY_NAME = {one.name: one for one in FORMATS}
BY_ENDING = {ending: one for one in FORMATS for ending in one.endings}


@click.command(
    cls=Command,
    short_help="Write a saved model for another program.",
    epilog="\b\nFormats:\n" + "\n".join(f"  {one.name:<12}{one.summary}" for one in FORMATS),
)
@click.argument("model", metavar="MODEL", type=click.Path())
@click.option(
    "--to", "format_name", type=click.Choice(tuple(BY_NAME)), help="The format.  [default: by the ending of FILE]"
)
@click.option("--dialect", metavar="NAME", help="For sql: the database, such as duckdb, sqlite, postgres or bigquery.")
@click.option("--table", metavar="NAME", help="For sql: the table with the rows.  [default: rows]")
@click.option("--keep", multiple=True, metavar="COLUMN", help="For sql: a column of the result (repeatable).")
@click.option("--name", metavar="NAME", help="For c and javascript: the prefix of all names, or the object.")
@output_option
def export(
    model: str,
    format_name: str | None,
    output: str | None,
    **options: Any,  # noqa: ANN401 - those that some formats have
) -> None:
    """Write the model in the file MODEL for another program, which then gives the same predictions.

    `hornbeam check` runs the result in that program and compares it with the model.
    """
    from hornbeam.model.files.storage import load

    one = _format(format_name, output)
    given = {name: value for name, value in options.items() if value not in (None, ())}
    for name in given:
        if name not in one.options:
            users = " and ".join(each.name for each in FORMATS if name in each.options)
            msg = f"--{name} is for {users}; the format is {one.name}"
            raise ValueError(msg)
    loaded = load(model)
    written = one.write(loaded, **given)
    _note_computed_columns(loaded)
    data = written if isinstance(written, bytes) else f"{written.rstrip(chr(10))}\n".encode()
    if output is not None:
        from hornbeam.data.replacing import replacing

        with replacing(output) as file:
            file.write(data)
        return
    if isinstance(written, bytes):
        msg = f"the format {one.name} is binary; name a file with -o FILE{one.endings[0]}"
        raise ValueError(msg)  # noqa: TRY004 - the caller's mistake, not a wrong type
    from hornbeam.cli.output import without_controls

    text = data.decode().rstrip("\n")
    click.echo(without_controls(text) if sys.stdout.isatty() else text)


def _note_computed_columns(loaded: Any) -> None:  # noqa: ANN401 - any model
    """Print which computed columns the other program needs, because they are not in the data."""
    features = (loaded.schema.columns[place] for place in loaded.schema.features)
    computed = {column.name: column.derived.source for column in features if column.derived is not None}
    if computed:
        from hornbeam._names import listed
        from hornbeam.cli.options import remark

        names, sources = (
            listed([f"'{name}'" for name in dict.fromkeys(some)]) for some in (computed, computed.values())
        )
        remark(f"{names} were computed from {sources}: the other program needs them as columns")


def _format(name: str | None, output: str | None) -> Format:
    """Return the format by its name, or by the ending of the file, which must not be that of another format."""
    ending = Path(output).suffix.lower() if output is not None else ""
    if name is not None:
        other = BY_ENDING.get(ending, BY_NAME[name])
        if other.name != name:
            msg = f"-o {output}: the ending is that of {other.name}; found --to {name}"
            raise ValueError(msg)
        return BY_NAME[name]
    known = ", ".join(f"{one.name} ({' '.join(one.endings)})" if one.endings else one.name for one in FORMATS)
    if output is None:
        msg = f"name a format with --to, or a file with -o; formats: {known}"
        raise ValueError(msg)
    if ending not in BY_ENDING:
        msg = f"the ending of {output!r} is not that of a format; expected one of {known}, or --to FORMAT"
        raise ValueError(msg)
    return BY_ENDING[ending]


@click.command("import", cls=Command, short_help="Convert a model of another program to a model file.")
@click.argument("source", metavar="FILE", type=click.Path())
@click.option("-o", "--output", metavar="MODEL", required=True, help="Where to save the model, such as model.hornbeam.")
@click.option("--target", metavar="NAME", help="The name of the target, if FILE does not have it.")
def import_(source: str, output: str, target: str | None) -> None:
    """Read the trees in FILE, and save them as the model file MODEL, which predicts the same.

    FILE is an ONNX graph (.onnx), a PMML file (.pmml, .xml), the JSON of a model of XGBoost, LightGBM or CatBoost
    (.json), or the folder of a YDF model. The model can then be shown, explained, exported and checked.
    """
    from hornbeam.model.files.storage import save
    from hornbeam.model.imported.files import from_file

    model = from_file(source, **({} if target is None else {"target": target}))
    save(model, output)
    click.echo(f"Saved {model!r} in {output}", err=True)
