"""`hornbeam schemes`: list the schemes and their parameters."""

from __future__ import annotations

from typing import Any

import click

from hornbeam.cli.options import json_option
from hornbeam.cli.scheme_options import NONE, REPEATABLE, default_text
from hornbeam.schemes import ALL_SCHEMES, Parameter, Scheme, named
from hornbeam.schemes.search_range import Range, describe


@click.command(short_help="List the schemes and their parameters.")
@click.argument("name", required=False)
@json_option
def schemes(name: str | None, as_json: bool) -> None:
    """List the schemes, or the parameters of the scheme NAME."""
    try:
        listed = ALL_SCHEMES if name is None else named(name)
    except ValueError as error:
        raise click.BadParameter(str(error)) from None
    if as_json:
        from hornbeam.cli.output import write_json

        write_json([_plain(scheme) for scheme in listed])
    elif name is None:
        width = max(len(scheme.name) for scheme in ALL_SCHEMES)
        before = ""
        for scheme in ALL_SCHEMES:
            shown = "" if scheme.name == before else scheme.name  # two schemes with one name: the second is for numbers
            click.echo(f"{click.style(shown.ljust(width), bold=True)}  {scheme.title}: {scheme.summary}")
            before = scheme.name
        click.echo("\nhornbeam schemes NAME lists a scheme's parameters.")
    else:
        for index, scheme in enumerate(listed):
            if index:
                click.echo()
            _describe(scheme)


def _describe(scheme: Scheme) -> None:
    click.echo(f"{click.style(scheme.name, bold=True)}  {scheme.title}: {scheme.summary}")
    click.echo(f"In Python: hornbeam.{scheme.estimator}\n")
    width = max(len(parameter.option or "") for parameter in scheme.parameters)
    for parameter in scheme.parameters:
        if parameter.option is not None:
            values = [NONE if choice is None else str(choice) for choice in parameter.choices]
            default = default_text(parameter.default)
            if parameter.kind == "switch":
                off, on = f"--no-{parameter.option[2:]}", parameter.option
                default = f"on; {off} turns it off" if parameter.default else f"off; {on} turns it on"
            choices = f" ({' | '.join(values)})" if values else ""
            if parameter.kind in REPEATABLE:
                choices = f" ({REPEATABLE[parameter.kind][1]})"
            tuned = f" [--tune: {describe(parameter.search)}]" if isinstance(parameter.search, Range) else ""
            click.echo(f"  {parameter.option.ljust(width)}  {parameter.summary}{choices} [{default}]{tuned}")


def _plain(scheme: Scheme) -> dict[str, Any]:
    return {
        "name": scheme.name,
        "title": scheme.title,
        "estimator": scheme.estimator,
        "summary": scheme.summary,
        "predicts": scheme.predicts,
        "parameters": [
            {
                "name": p.name,
                "default": p.default,
                "kind": p.kind,
                "choices": list(p.choices),
                "summary": p.summary,
                "option": p.option,
                "search": _searched(p),
            }
            for p in scheme.parameters
        ],
    }


def _searched(parameter: Parameter) -> Any:  # noqa: ANN401 - plain data
    """Give the values that `--tune` tries: a range, a list of choices, or nothing."""
    search = parameter.search
    if not isinstance(search, Range):
        return None if search is None else list(search)
    return {"low": search.low, "high": search.high, "scale": search.scale, "steps": search.steps}
