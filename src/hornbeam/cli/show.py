"""`hornbeam show`: a saved model, read again."""

from __future__ import annotations

import click

from hornbeam.cli.styles import STYLES


@click.command(short_help="Print a saved model.")
@click.argument("model", metavar="MODEL", type=click.Path())
@click.option("--style", type=click.Choice(STYLES), help="How the tree is drawn.")
@click.option("--why", is_flag=True, help="Print how the tree came about, where the file tells.")
@click.option("--json", "as_json", is_flag=True, help="Write the model as nested JSON.")
def show(model: str, style: str | None, why: bool, as_json: bool) -> None:
    """Print the model in the file MODEL."""
    from hornbeam.cli.output import tree_style
    from hornbeam.model.storage import load, read_trace

    loaded = load(model)
    if as_json:
        from hornbeam.export import json

        click.echo(json(loaded))
        return
    from hornbeam import show as words

    click.echo(words.text(loaded, style=tree_style(style)))
    if why:
        trace = read_trace(model)
        if trace is None:
            msg = f"{model} does not tell how the tree came about; learn it with --why and save it again"
            raise ValueError(msg)
        click.echo()
        click.echo(words.why(trace))
