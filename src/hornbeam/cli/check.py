"""`hornbeam check`: run an exported model in its own runtime, and compare it with the model."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from hornbeam.cli.options import Command, json_option
from hornbeam.cli.reading import read_like, reading_options


@click.command(cls=Command, short_help="Compare an exported model with the model it came from.")
@click.argument("export", metavar="EXPORT", type=click.Path())
@click.argument("source", metavar="DATA")
@click.option(
    "--model",
    type=click.Path(),
    metavar="MODEL",
    help="The model that EXPORT was made from.  [default: the .hornbeam file in its folder with its fingerprint]",
)
@click.option("--runtime", metavar="NAME", help="The program to run EXPORT in.  [default: one that is installed]")
@json_option
@reading_options
def check(
    export: str,
    source: str,
    model: str | None,
    runtime: str | None,
    as_json: bool,
    **reading: Any,  # noqa: ANN401 - click's
) -> None:
    """Run the exported model EXPORT on the rows of DATA in its own runtime, and compare it with the model.

    Every row whose prediction or probabilities differ is counted, and the first ten are listed. The exit code is 1 if
    there are any.
    """
    from hornbeam.cli.output import write_json
    from hornbeam.export.judges.check import check as compare
    from hornbeam.export.manifest import read_manifest

    loaded = _model(export, model, read_manifest(export)["fingerprint"])
    result = compare(export, loaded, read_like(loaded.schema, source, **reading), runtime)
    if as_json:
        write_json(
            {
                "runtime": result.runtime,
                "rows": result.n_rows,
                "equal": result.is_equal,
                "largest_difference": result.largest,
                "tolerance": result.tolerance,
                "differences": [vars(one) for one in result.differences],
            }
        )
    else:
        click.echo(str(result))
    if not result.is_equal:
        click.get_current_context().exit(1)


def _model(export: str, path: str | None, wanted: str) -> Any:  # noqa: ANN401 - a model of any class
    """Return the model that an export was made from: the one named, or one in the same folder."""
    from hornbeam.export.manifest import fingerprint
    from hornbeam.model.base.plain import ModelFileError
    from hornbeam.model.files.storage import load

    if path is not None:
        return load(path)
    for candidate in sorted(Path(export).parent.glob("*.hornbeam")):
        try:
            loaded = load(candidate)
        except ModelFileError:
            continue
        if fingerprint(loaded) == wanted:
            return loaded
    where = f"no model file in the folder of {export!r} has its fingerprint"
    msg = f"{where}; name the model that it was made from with --model"
    raise ValueError(msg)
